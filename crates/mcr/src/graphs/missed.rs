//! Threads that wait for ever, also those that had a chance to go on and missed it.
//!
//! A thread waits for ever if it reads the last write of each location from now on and comes back to where it was. The exploration
//! lets threads go on as soon as they can, so a graph in which one has missed its chance is not among those it makes. But it is part of
//! one: let the thread take its chance, and the others go on with what follows from that. Leaving out the read by which it went on, and
//! all that comes after that read in program order and reads-from, yields the graph in which it waits. So every graph that cannot grow is cut
//! before each read at which its thread could have to wait, and it is looked whether all threads that are cut wait
//! for ever.

use std::rc::Rc;

use operational::word::Word;
use program::Unsupported;

use super::graph::Graph;
use super::local::{Lead, Local, Op, Poised};
use super::number::{EventId, LocationId, ThreadNumber};
use super::own::Own;
use super::without_effect::is_same;

/// Iterations with more events than this are not found to be without end.
const LONGEST: usize = 256;

/// A graph without a read and what comes after it.
pub struct Cut<'g> {
    graph: &'g Graph,
    read: Option<EventId>,
}

impl<'g> Cut<'g> {
    /// The graph as it is.
    pub fn none(graph: &'g Graph) -> Cut<'g> {
        Cut { graph, read: None }
    }

    /// Whether an event is there.
    pub fn has(&self, id: EventId) -> bool {
        self.read.is_none_or(|read| !self.graph.is_in_past(read, id))
    }

    /// Where a thread stands.
    pub fn now(&self, thread: ThreadNumber) -> &Rc<Poised> {
        let of = &self.graph.threads[thread.index()];
        of.events.get(self.events(thread)).map_or(&of.now, |id| &self.graph.event(*id).before)
    }

    /// How many events of a thread are there: none that comes after one that is not.
    fn events(&self, thread: ThreadNumber) -> usize {
        match self.read.map(|read| self.graph.event(read)) {
            Some(read) if read.thread == thread => read.index as usize,
            _ => self.graph.threads[thread.index()].events.partition_point(|id| self.has(*id)),
        }
    }

    /// The threads that were started.
    fn threads(&self) -> impl Iterator<Item = ThreadNumber> {
        let started = |thread: &ThreadNumber| {
            let of = &self.graph.threads[thread.index()];
            of.is_born() && of.started_by.is_none_or(|by| self.has(by))
        };
        (0..self.graph.threads.len() as u16).map(ThreadNumber).filter(started)
    }

    fn has_ended(&self, thread: ThreadNumber) -> bool {
        matches!(self.now(thread).op, Op::End)
    }

    /// What a location holds in the end.
    fn last(&self, local: &Local, location: LocationId) -> Word {
        let writes = self.graph.locations.get(location.index()).map_or(&[][..], |at| &at.writes[..]);
        let last = writes.iter().rev().find(|write| self.has(**write));
        last.map_or_else(|| local.locations.initial(location), |last| self.graph.event(*last).value)
    }
}

/// The threads that wait for ever, if all that have not ended do.
pub fn waiting(local: &mut Local, cut: &Cut) -> Result<Option<Vec<ThreadNumber>>, Unsupported> {
    let main = ThreadNumber(0);
    if local.program.ends_with_main && cut.has_ended(main) {
        return Ok(None);
    }
    let mut waiting = Vec::new();
    for thread in cut.threads() {
        if cut.has_ended(thread) {
            continue;
        }
        if !waits_for_ever(local, cut, thread)? {
            return Ok(None);
        }
        waiting.push(thread);
    }
    Ok((!waiting.is_empty()).then_some(waiting))
}

/// A part of a graph in which threads wait for ever that had a chance to go on.
pub fn missed<'g>(local: &mut Local, graph: &'g Graph) -> Result<Option<(Cut<'g>, Vec<ThreadNumber>)>, Unsupported> {
    for (index, event) in graph.events.iter().enumerate() {
        if !event.is_read() || !local.may_wait(&event.before) {
            continue;
        }
        let cut = Cut { graph, read: Some(EventId(index as u32)) };
        // Most often the thread itself would go on.
        if waits_for_ever(local, &cut, event.thread)?
            && let Some(waiting) = waiting(local, &cut)?
        {
            return Ok(Some((cut, waiting)));
        }
    }
    Ok(None)
}

/// Whether a thread that reads the last write of each location from now on waits for ever. What it stores may only be seen by itself.
fn waits_for_ever(local: &mut Local, cut: &Cut, thread: ThreadNumber) -> Result<bool, Unsupported> {
    let mut own = Own::new(cut.graph, thread, cut.events(thread)).in_blocks();
    let start = own.follow(local, cut.now(thread))?;
    let mut seen = vec![(start, own.written().to_vec())];
    while seen.len() < LONGEST {
        let Some((now, _)) = seen.last().cloned() else { return Ok(false) };
        let after = match &now.op {
            Op::Join(other) => return Ok(!cut.has_ended(*other)),
            Op::Fence(_) => local.next(thread, &now)?,
            op => {
                let Some((location, _)) = op.reads() else { return Ok(false) };
                let stored = own.written().iter().find(|(other, _)| *other == location);
                let value = stored.map_or_else(|| cut.last(local, location), |(_, value)| *value);
                match found(local, thread, &now, value)? {
                    None => return Ok(true),
                    Some(after) => match &after.op {
                        Op::Rest(_, written, _, after) if *written == value => after.clone(),
                        Op::Rest(..) => return Ok(false),
                        _ => after,
                    },
                }
            }
        };
        let after = own.follow(local, &after)?;
        if seen.iter().any(|(earlier, written)| is_same(earlier, &after) && written == own.written()) {
            return Ok(true);
        }
        seen.push((after, own.written().to_vec()));
    }
    Ok(false)
}

/// The thread after it has read a value; nothing if it has to wait for another one.
fn found(
    local: &mut Local,
    thread: ThreadNumber,
    now: &Poised,
    value: Word,
) -> Result<Option<Rc<Poised>>, Unsupported> {
    if let Some(Some(led)) = local.memo.lead(now.history, value, false) {
        return Ok(Some(led.after.clone()));
    }
    if let Some(after) = local.memo.read(now.history, value) {
        return Ok(after);
    }
    let after = match local.finds(thread, now, value, false)? {
        Lead::Waits => None,
        Lead::On { after, .. } => Some(after),
    };
    local.memo.set_read(now.history, value, &after);
    Ok(after)
}
