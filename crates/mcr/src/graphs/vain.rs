//! Iterations without effect: a thread that reads, finds that it has to try again, and is where it was before.
//!
//! If a thread stands after a read as it stood before an earlier event, with the same live registers, and has done nothing
//! since that others could notice, then the execution without the events in between is an execution of the model too: reads
//! and fences only add to what happens before, and a read-modify-write that writes what it found can be left out of
//! coherence order, its readers reading what it read. What goes wrong in the longer execution goes wrong in the shorter one,
//! unless an event in between is at fault, which was looked at when it was added. So such reads are not made: the thread
//! waits until there is another value to read.

use std::rc::Rc;

use super::event::{Event, Kind};
use super::graph::Graph;
use super::local::{Lead, Local, Op, Poised};
use super::number::ThreadNumber;
use operational::word::Word;
use program::Unsupported;

/// Iterations with more events than this are not found.
const LONGEST: usize = 256;

/// Whether a read of a thread that finds `value` ends an iteration without effect: `before` is the thread before the read and
/// `after` the thread after it. The read need not be in the graph.
pub fn is_in_vain(
    graph: &Graph,
    thread: ThreadNumber,
    events: usize,
    (before, after): (&Poised, &Rc<Poised>),
    value: Word,
) -> bool {
    let after = match &after.op {
        Op::Rest(_, written, _, after) if *written == value => after,
        Op::Rest(..) => return false,
        _ => after,
    };
    if after.op.is_last() {
        return false;
    }
    if is_same(before, after) {
        return true;
    }
    let events = &graph.threads[thread.index()].events[..events];
    let mut written: Option<Word> = None;
    for id in events.iter().rev().take(LONGEST) {
        let event = graph.event(*id);
        if !is_without_effect(event, &mut written) {
            return false;
        }
        if written.is_none() && is_same(&event.before, after) {
            return true;
        }
    }
    false
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

fn is_same(a: &Poised, b: &Poised) -> bool {
    a.allocated == b.allocated
        && a.in_block == b.in_block
        && a.thread.frames == b.thread.frames
        && a.thread.registers == b.thread.registers
}

/// Whether a thread that stands before a read, and reads the last write of each location from now on, waits for ever.
pub fn waits_for_ever(
    local: &mut Local,
    graph: &Graph,
    thread: ThreadNumber,
    now: &Rc<Poised>,
) -> Result<bool, Unsupported> {
    let mut seen = vec![now.clone()];
    while seen.len() < LONGEST {
        let Some(now) = seen.last().cloned() else { return Ok(false) };
        let after = match &now.op {
            Op::Join(other) => {
                let ended = graph.threads.get(other.index()).is_some_and(|other| matches!(other.now.op, Op::End));
                return Ok(!ended);
            }
            Op::Fence(_) => local.after(thread, &now, &[])?,
            op => {
                let Some((location, _)) = op.reads() else { return Ok(false) };
                let last = graph.locations.get(location.index()).and_then(|at| at.writes.last());
                let value = last.map_or(local.locations.initial(location), |last| graph.event(*last).value);
                match local.finds(thread, &now, value, false)? {
                    Lead::Waits => return Ok(true),
                    Lead::On { after, .. } => match &after.op {
                        Op::Rest(_, written, _, after) if *written == value => after.clone(),
                        Op::Rest(..) => return Ok(false),
                        _ => after,
                    },
                }
            }
        };
        if seen.iter().any(|earlier| is_same(earlier, &after)) {
            return Ok(true);
        }
        seen.push(after);
    }
    Ok(false)
}
