//! Iterations without effect: a thread that reads, finds that it has to try again, and is where it was before.
//!
//! Two rules say that a read of a thread need not be made, since an execution with fewer events does what it leads to:
//!
//! 1. *Back to where it was.* If a thread stands after a read as it stood before an earlier event, with the same live registers,
//!    and has done nothing since that others could notice, then the execution without the events in between is an execution of
//!    the model too: reads and fences only add to what happens before, and a read-modify-write that writes what it found can
//!    be left out of coherence order, its readers reading what it read.
//! 2. *Where an earlier read would have led.* If a read `r` finds what an earlier read `l` of the same location, no stronger than
//!    `r`, could have found, and with that value `l` would have led to where `r` leads, and nobody notices what the thread did in
//!    between, then the execution without `l` and what is between, in which `r` is `l`, is an execution too. So a failed
//!    compare-exchange whose result is tried next stands for nothing that the load before the loop cannot find.
//!
//! What goes wrong in the longer execution goes wrong in the shorter one, unless an event that is left out is at fault, which was
//! looked at when it was added. So such reads are not made: the thread waits until there is another value to read. By the first
//! rule a plain read may be at fault itself, by a data race, with a write that is not there yet: it is made once
//! (`is_first_plain`). By the second one the earlier read races with the same writes.
//!
//! Of a model that is given no more is known than that what is left of an execution without some of its events is one. So
//! there read-modify-writes that write what they found are made, and rule 2 is not used.
//!
//! In rule 2 a thread may have written to a block in between that it has allocated and told nobody of, by plain stores, if it writes
//! next to the same cells in the same order. Nobody reads what is overwritten so where races are errors: who learns of the block
//! and is not ordered after the second store races with it, also in the shorter execution; nor on sc and tso, where who learns
//! of the block sees what was stored before.
//!
//! Where races are errors, the same is so of plain stores to any global variable: in between the thread releases nothing, so who
//! accesses the variable after the first store and is not ordered after the second one races with both. Who is ordered before the
//! second one alone, by what the read `r` acquires, races with the first one: that shows where `r` is not made yet.

use std::rc::Rc;

use super::event::{Event, Kind};
use super::graph::Graph;
use super::local::{Lead, Local, Op, Poised};
use super::number::{EventId, LocationId, Strength, ThreadNumber};
use operational::word::Word;
use program::Unsupported;

/// Iterations with more events than this are not found.
const LONGEST: usize = 256;

/// A read that a thread could make: after so many of its events, from `before` to `after`, of this strength.
#[derive(Clone, Copy)]
pub struct Attempt<'p> {
    /// The thread.
    pub thread: ThreadNumber,
    /// How many events the thread has before the read, which need not be in the graph.
    pub events: usize,
    /// The thread before the read.
    pub before: &'p Poised,
    /// The thread after it.
    pub after: &'p Rc<Poised>,
    /// What is read.
    pub value: Word,
    /// How strong the read is.
    pub strength: Strength,
}

/// Whether a read need not be made.
pub fn is_needless(local: &mut Local, graph: &Graph, attempt: Attempt) -> Result<bool, Unsupported> {
    let is_needless = leads_nowhere(local, graph, attempt)?;
    let after = if let Op::Rest(_, _, _, after) = &attempt.after.op { after } else { attempt.after };
    local.is_unsure |= is_needless && !after.compared.is_empty();
    Ok(is_needless)
}

fn leads_nowhere(local: &mut Local, graph: &Graph, attempt: Attempt) -> Result<bool, Unsupported> {
    let Attempt { thread, before, value, .. } = attempt;
    let after = match &attempt.after.op {
        Op::Rest(_, written, _, after) if *written == value && !local.by_model => after,
        Op::Rest(..) => return Ok(false),
        _ => attempt.after,
    };
    if after.op.is_last() {
        return Ok(false);
    }
    if is_same(before, after) {
        return Ok(!is_first_plain(graph, thread, attempt.events, before));
    }
    let is_retry = Rc::ptr_eq(after, attempt.after) && !local.by_model;
    let events = &graph.threads[thread.index()].events[..attempt.events];
    let mut written: Option<Word> = None;
    let mut stores: Vec<LocationId> = Vec::new();
    let mut told = Told::new(graph, events);
    for id in events.iter().rev().take(LONGEST) {
        let event = graph.event(*id);
        if !is_without_effect(event, &mut written) || local.by_model && event.is_exclusive() {
            match event.location.filter(|_| is_retry && is_hidden_store(local, event, &mut told)) {
                Some(location) => stores.push(location),
                None => return Ok(false),
            }
        }
        if written.is_some() {
            continue;
        }
        if stores.is_empty() && is_same(&event.before, after) {
            return Ok(!is_first_plain(graph, thread, attempt.events, before));
        }
        if is_retry && is_like(event, attempt) && overwrites(local, thread, after, &stores)? {
            let lead = local.finds(thread, &event.before, value, false)?;
            if let Lead::On { after: earlier, writes: false, strength } = lead
                && strength.is_at_most(attempt.strength)
                && is_same(&earlier, after)
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether an event is a read that could have been made instead of another one.
fn is_like(event: &Event, attempt: Attempt) -> bool {
    let location = attempt.before.op.reads().map(|(location, _)| location);
    matches!(event.kind, Kind::Read { exclusive: false, .. })
        && matches!(event.before.op, Op::Read(..))
        && event.location == location
        && event.strength.is_at_most(attempt.strength)
}

/// Whether an event is a plain store that nobody sees if it is overwritten before its thread has done anything but read: to a block
/// that the thread has allocated and told nobody of, or to any global variable.
fn is_hidden_store(local: &Local, store: &Event, told: &mut Told) -> bool {
    let (Kind::Write { exclusive: false }, false, Some(location)) = (store.kind, store.strength.atomic, store.location)
    else {
        return false;
    };
    let is_global = local.locations.maker(&local.memory, location).is_none();
    is_global && local.hides_plain_stores
        || local.hides_private_stores
            && local.locations.block(&local.memory, location, store.thread).is_some_and(|block| !told.by(store, block))
}

/// When a thread told others of its blocks.
struct Told<'g> {
    graph: &'g Graph,
    events: &'g [EventId],
    /// Blocks that were asked for, and the thread's first event that may tell of them.
    known: Vec<(u32, usize)>,
}

impl<'g> Told<'g> {
    fn new(graph: &'g Graph, events: &'g [EventId]) -> Told<'g> {
        Told { graph, events, known: Vec::new() }
    }

    /// Whether a block was told of by an event of the thread or before.
    fn by(&mut self, event: &Event, block: u32) -> bool {
        let known = self.known.iter().find(|(of, _)| *of == block).map(|(_, first)| *first);
        let first = known.unwrap_or_else(|| {
            let first = self.events.iter().position(|id| may_tell(self.graph.event(*id), block));
            let first = first.unwrap_or(self.events.len());
            self.known.push((block, first));
            first
        });
        first <= event.index as usize
    }
}

/// Whether others may learn of a block from an event.
fn may_tell(event: &Event, block: u32) -> bool {
    match (&event.kind, event.value) {
        (Kind::Spawn(_), _) | (Kind::Write { .. }, Word::Composite(_)) => true,
        (Kind::Write { .. }, Word::Pointer(address)) => address.allocation == block,
        _ => false,
    }
}

/// Whether the next events of a thread are plain stores to these locations, the last one first.
fn overwrites(
    local: &mut Local,
    thread: ThreadNumber,
    after: &Rc<Poised>,
    stores: &[LocationId],
) -> Result<bool, Unsupported> {
    let mut now = after.clone();
    for location in stores.iter().rev() {
        // The block is the thread's own, and alive.
        while local.asks_whether_alive(&now) {
            now = local.after(thread, &now, &[])?;
        }
        match now.op {
            Op::Write(next, _, strength) if next == *location && !strength.atomic => {}
            _ => return Ok(false),
        }
        now = local.after(thread, &now, &[])?;
    }
    Ok(true)
}

/// Whether a thread stands before a plain read that it has not made since it last did something that others could notice.
fn is_first_plain(graph: &Graph, thread: ThreadNumber, events: usize, before: &Poised) -> bool {
    if !matches!(&before.op, Op::Read(_, strength) if !strength.atomic) {
        return false;
    }
    let mut written = None;
    let events = graph.threads[thread.index()].events[..events].iter().rev().map(|id| graph.event(*id));
    let mut idle = events.take(LONGEST).take_while(|event| is_without_effect(event, &mut written));
    !idle.any(|event| is_same(&event.before, before))
}

/// Whether nobody notices an event; `written` is what the read-modify-write wrote whose read is the next event to look at.
fn is_without_effect(event: &Event, written: &mut Option<Word>) -> bool {
    match event.kind {
        Kind::Read { exclusive: true, .. } => written.take() == Some(event.value),
        Kind::Read { .. } | Kind::Fence => true,
        Kind::Write { exclusive: true } => {
            *written = Some(event.value);
            true
        }
        _ => false,
    }
}

/// Whether a thread stands in two places alike.
pub fn is_same(a: &Poised, b: &Poised) -> bool {
    a.allocated == b.allocated
        && a.in_block == b.in_block
        && a.thread.frames == b.thread.frames
        && a.thread.registers == b.thread.registers
}
