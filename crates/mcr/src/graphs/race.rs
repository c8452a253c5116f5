//! Data races: two accesses of one location, one of them a write, one of them plain, that nothing orders. Likewise accesses of memory that
//! nothing orders after its allocation.

use super::graph::Graph;
use super::number::{EventId, ThreadNumber};

/// An access that races with one that was added last.
pub fn race(graph: &Graph, last: EventId) -> Option<EventId> {
    let event = graph.event(last);
    let location = graph.locations.get(event.location?.index())?;
    if location.plain == 0 {
        return None;
    }
    let races = |id: &&EventId| {
        let other = graph.event(**id);
        let is_plain = !other.strength.atomic || !event.strength.atomic;
        let is_ordered = graph.happens_before(**id, last) || graph.happens_before(last, **id);
        other.thread != event.thread && is_plain && !is_ordered
    };
    let writes = location.writes.iter();
    let reads = location.reads.iter().filter(|_| event.is_write());
    writes.chain(reads).find(races).copied()
}

/// Whether the block that `maker` made after so many others was allocated before what a thread does next.
pub fn is_allocated(graph: &Graph, thread: ThreadNumber, maker: ThreadNumber, number: u32) -> bool {
    let events = &graph.threads[maker.index()].events;
    let next = events.partition_point(|id| graph.event(*id).before.allocated <= number);
    let next = events.get(next);
    next.zip(graph.last(thread)).is_some_and(|(next, last)| graph.happens_before(*next, last))
}
