//! Consistency under rc11 and rc20, as models that are data say it in `models/rc11.cat` and `models/rc20.cat`.
//!
//! Events are added one by one, each with nothing after it in program order or reads-from, so that only what the new event
//! takes part in can break an axiom:
//!
//! - *coherence*, `irreflexive hb; eco?`: a read may not read from a write that is before, in coherence order, a write that
//!   happens before it or that a read which happens before it read from; a write may not be put before such a write
//!   ([`oldest`]).
//! - *atomicity*, `empty rmw & (rb; mo)`: the write of a read-modify-write comes right after what was read.
//! - *no-thin-air*, `acyclic sb | rf`: holds for every graph that is built event by event.
//! - *seq-cst*, `acyclic psc`: [`keeps_seq_cst`] looks for a cycle, when a read does not read the last write or a write is not put last;
//!   otherwise the new event has no successor at all.

use super::event::{Event, Kind};
use super::graph::Graph;
use super::number::{EventId, LocationId};

/// The first place in coherence order that an event after `last` may read from or, if it writes, come after.
pub fn oldest(graph: &Graph, location: LocationId, last: Option<EventId>) -> usize {
    let (Some(last), Some(at)) = (last, graph.locations.get(location.index())) else { return 0 };
    let before = |id: &EventId| graph.happens_before(*id, last);
    let written = at.writes.iter().rposition(before).map_or(0, |place| place + 1);
    let reads = at.reads.iter().filter(|id| before(id)).filter_map(|id| graph.event(*id).source());
    reads.map(|source| graph.position(location, source)).fold(written, usize::max)
}

/// Whether the write of a read-modify-write stands right after this place in coherence order.
pub fn is_taken(graph: &Graph, location: LocationId, position: usize) -> bool {
    let next = graph.locations.get(location.index()).and_then(|at| at.writes.get(position));
    next.is_some_and(|next| graph.event(*next).is_exclusive())
}

/// Whether `acyclic psc` holds, if it held before the last events were added.
pub fn keeps_seq_cst(graph: &Graph) -> bool {
    if graph.seq_cst < 2 {
        return true;
    }
    let nodes: Vec<EventId> = (0..graph.size() as u32)
        .map(EventId)
        .filter(|id| graph.event(*id).strength.seq_cst && is_ordered(graph.event(*id)))
        .collect();
    let order = Order::new(graph);
    let successors: Vec<Vec<usize>> =
        nodes.iter().map(|from| (0..nodes.len()).filter(|to| order.psc(*from, nodes[*to])).collect()).collect();
    is_acyclic(&successors)
}

fn is_ordered(event: &Event) -> bool {
    event.is_read() || event.is_write() || event.kind == Kind::Fence
}

/// What `psc` is made of, in the words of the model.
struct Order<'g> {
    graph: &'g Graph,
    /// By event: twice its place in coherence order, one more for a read; so that `eco` compares numbers.
    keys: Vec<usize>,
    /// By event: the first later event of its thread that is not of its location.
    next_elsewhere: Vec<Option<EventId>>,
    /// By event: the last earlier one.
    last_elsewhere: Vec<Option<EventId>>,
}

impl<'g> Order<'g> {
    fn new(graph: &'g Graph) -> Order<'g> {
        let key = |event: &Event, id: EventId| {
            let location = event.location?;
            let write = event.source().unwrap_or(id);
            Some(2 * graph.position(location, write) + usize::from(event.is_read()))
        };
        let ids = || (0..graph.size() as u32).map(EventId);
        let keys = ids().map(|id| key(graph.event(id), id).unwrap_or(0)).collect();
        let differs = |id: EventId, other: EventId| {
            let (location, others) = (graph.event(id).location, graph.event(other).location);
            is_ordered(graph.event(other)) && (location.is_none() || location != others)
        };
        let next = |id: EventId| {
            let event = graph.event(id);
            let events = &graph.threads[event.thread.index()].events;
            events[event.index as usize + 1..].iter().copied().find(|other| differs(id, *other))
        };
        let last = |id: EventId| {
            let event = graph.event(id);
            let events = &graph.threads[event.thread.index()].events;
            events[..event.index as usize].iter().rev().copied().find(|other| differs(id, *other))
        };
        Order { graph, keys, next_elsewhere: ids().map(next).collect(), last_elsewhere: ids().map(last).collect() }
    }

    fn is_fence(&self, id: EventId) -> bool {
        self.graph.event(id).kind == Kind::Fence
    }

    fn same_location(&self, a: EventId, b: EventId) -> bool {
        let (a, b) = (self.graph.event(a).location, self.graph.event(b).location);
        a.is_some() && a == b
    }

    /// `sb`: program order.
    fn sb(&self, a: EventId, b: EventId) -> bool {
        let (a, b) = (self.graph.event(a), self.graph.event(b));
        a.thread == b.thread && a.index < b.index
    }

    /// `mo | rb`.
    fn mo_or_rb(&self, a: EventId, b: EventId) -> bool {
        self.graph.event(b).is_write() && self.eco(a, b)
    }

    /// `eco`.
    fn eco(&self, a: EventId, b: EventId) -> bool {
        self.same_location(a, b) && self.keys[a.index()] < self.keys[b.index()]
    }

    /// `elsewhere; hb; elsewhere`.
    fn elsewhere(&self, a: EventId, b: EventId) -> bool {
        match (self.next_elsewhere[a.index()], self.last_elsewhere[b.index()]) {
            (Some(next), Some(last)) => self.graph.is_before(next, last),
            _ => false,
        }
    }

    /// `scb`.
    fn scb(&self, a: EventId, b: EventId) -> bool {
        a != b
            && (self.sb(a, b)
                || self.mo_or_rb(a, b)
                || self.same_location(a, b) && self.graph.is_before(a, b)
                || self.elsewhere(a, b))
    }

    fn ids(&self) -> impl Iterator<Item = EventId> + use<> {
        let graph = self.graph;
        let len = graph.size() as u32;
        (0..len).map(EventId)
    }

    /// `psc` between two events that are sequentially consistent.
    fn psc(&self, a: EventId, b: EventId) -> bool {
        let (from_fence, to_fence) = (self.is_fence(a), self.is_fence(b));
        if self.scb(a, b) {
            return true;
        }
        if !from_fence && !to_fence {
            return false;
        }
        if from_fence && to_fence && self.fences(a, b) {
            return true;
        }
        let starts = self.ids().filter(|x| *x == a || from_fence && self.graph.is_before(a, *x));
        starts.into_iter().any(|x| {
            let mut ends = self.ids().filter(|y| *y == b || to_fence && self.graph.is_before(*y, b));
            ends.any(|y| self.scb(x, y))
        })
    }

    /// `psc-fence`.
    fn fences(&self, a: EventId, b: EventId) -> bool {
        if self.graph.is_before(a, b) {
            return true;
        }
        let mut after = self.ids().filter(|x| self.graph.is_before(a, *x));
        after.any(|x| self.ids().any(|y| self.eco(x, y) && self.graph.is_before(y, b)))
    }
}

/// Whether a graph has no cycle.
fn is_acyclic(successors: &[Vec<usize>]) -> bool {
    let mut incoming = vec![0usize; successors.len()];
    successors.iter().flatten().for_each(|to| incoming[*to] += 1);
    let mut free: Vec<usize> = (0..successors.len()).filter(|node| incoming[*node] == 0).collect();
    let mut removed = 0;
    while let Some(node) = free.pop() {
        removed += 1;
        for to in &successors[node] {
            incoming[*to] -= 1;
            if incoming[*to] == 0 {
                free.push(*to);
            }
        }
    }
    removed == successors.len()
}
