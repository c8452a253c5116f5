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
//! In both rules a thread may have written in between to a block that it has allocated and told nobody of, by plain stores, if the
//! block holds in the end what it holds without that. Where a thread stands is looked at where it has done next what only it sees
//! ([`Own`]): so a compare-exchange may keep what it expects in the new node itself, and write there what it found. Nobody reads what
//! is overwritten so where races are errors: who learns of the block and is not ordered after the later stores races with the
//! earlier ones, which are also in the shorter execution; nor on sc and tso, where who learns of the block sees what was stored before.
//!
//! Where races are errors, the same is so of plain stores to any global variable that the thread has stored to since it last did
//! something that others notice: in between the thread releases nothing, so who
//! accesses the variable after the first store and is not ordered after the second one races with both. Who is ordered before the
//! second one alone, by what the read `r` acquires, races with the first one: that shows where `r` is not made yet.

use std::rc::Rc;

use super::event::{Event, Kind};
use super::graph::Graph;
use super::local::{Lead, Local, Op, Poised};
use super::number::{LocationId, Strength, ThreadNumber};
use super::own::{Own, Told, is_hidden_store};
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
    let after = if let Op::Rest(_, _, _, after) = &attempt.after.op { after } else { attempt.after };
    let nowhere = leads_nowhere(local, graph, attempt)?;
    if let Some(Nowhere { compares, hides }) = nowhere {
        local.is_unsure |= compares || !after.compared.is_empty();
        local.has_hidden |= hides;
    }
    Ok(nowhere.is_some())
}

/// A read need not be made.
struct Nowhere {
    /// Whether addresses of blocks that may be freed were compared where it would have led.
    compares: bool,
    /// Whether that is so only since nobody sees stores that are overwritten at once.
    hides: bool,
}

fn leads_nowhere(local: &mut Local, graph: &Graph, attempt: Attempt) -> Result<Option<Nowhere>, Unsupported> {
    let Attempt { thread, before, value, .. } = attempt;
    let after = match &attempt.after.op {
        Op::Rest(_, written, _, after) if *written == value && !local.by_model => after,
        Op::Rest(..) => return Ok(None),
        _ => attempt.after,
    };
    if after.op.is_last() {
        return Ok(None);
    }
    let is_retry = Rc::ptr_eq(after, attempt.after) && !local.by_model;
    let mut own = Own::new(graph, thread, attempt.events);
    let after = if is_retry { own.follow(local, after)? } else { after.clone() };
    let nowhere = |stores: &[LocationId]| {
        Some(Nowhere { compares: own.compares, hides: own.has_written() || !stores.is_empty() })
    };
    let start = |events: usize| Own::new(graph, thread, events);
    let is_back = |local: &Local, poised: &Poised, events: usize, stores: &[LocationId]| {
        is_same(poised, &after) && own.agrees(local, &start(events), stores)
    };
    if is_back(local, before, attempt.events, &[]) {
        return Ok(nowhere(&[]).filter(|_| !is_first_plain(graph, thread, attempt.events, before)));
    }
    let events = &graph.threads[thread.index()].events[..attempt.events];
    let mut written: Option<Word> = None;
    let mut stores: Vec<LocationId> = Vec::new();
    let mut told = Told::new(graph, events);
    for (index, id) in events.iter().enumerate().rev().take(LONGEST) {
        let event = graph.event(*id);
        if !is_without_effect(event, &mut written) || local.by_model && event.is_exclusive() {
            match event.location.filter(|_| is_retry && is_hidden_store(local, event, &mut told)) {
                Some(location) => stores.push(location),
                None => return Ok(None),
            }
        }
        if written.is_some() {
            continue;
        }
        if is_back(local, &event.before, index, &stores) {
            return Ok(nowhere(&stores).filter(|_| !is_first_plain(graph, thread, attempt.events, before)));
        }
        if is_retry && is_like(event, attempt) {
            let lead = local.finds(thread, &event.before, value, false)?;
            if let Lead::On { after: earlier, writes: false, strength } = lead
                && strength.is_at_most(attempt.strength)
            {
                let mut other = start(index);
                let earlier = other.follow(local, &earlier)?;
                // Else the read may be one of those that follow the earlier one anyway.
                let is_shorter = other.length < own.length;
                if is_shorter && is_same(&earlier, &after) && own.agrees(local, &other, &stores) {
                    return Ok(nowhere(&stores));
                }
            }
        }
    }
    Ok(None)
}

/// Whether an event is a read that could have been made instead of another one.
fn is_like(event: &Event, attempt: Attempt) -> bool {
    let location = attempt.before.op.reads().map(|(location, _)| location);
    matches!(event.kind, Kind::Read { exclusive: false, .. })
        && matches!(event.before.op, Op::Read(..))
        && event.location == location
        && event.strength.is_at_most(attempt.strength)
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
