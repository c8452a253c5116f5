//! Memory that one thread alone sees: blocks that it has allocated and told nobody of, and, where data races are errors, global
//! variables that it has stored to by plain stores since it last did something that others notice. There a thread can be followed
//! without events: what it reads is what it wrote last.

use std::rc::Rc;

use operational::word::Word;
use program::Unsupported;

use super::event::{Event, Kind};
use super::graph::Graph;
use super::local::{Lead, Local, Op, Poised};
use super::number::{EventId, LocationId, ThreadNumber};

/// A thread that takes more steps than this without an event is not followed any further.
const LONGEST: usize = 64;
/// What was stored before more events than this is not looked for.
const FARTHEST: usize = 4_096;

/// What a thread that is followed from its latest events on has written in memory that it alone sees.
pub struct Own<'g> {
    graph: &'g Graph,
    thread: ThreadNumber,
    /// The thread's events so far.
    events: &'g [EventId],
    told: Told<'g>,
    written: Vec<(LocationId, Word)>,
    /// Whether it is followed in blocks alone: others may look at globals for as long as they like where races are no errors.
    in_blocks: bool,
    /// How many events the thread has then: those from which it was followed, and those that it would have made.
    pub length: usize,
    /// Whether addresses of different blocks, which may be freed, were compared on the way.
    pub compares: bool,
}

impl<'g> Own<'g> {
    /// Of a thread after so many of its events.
    pub fn new(graph: &'g Graph, thread: ThreadNumber, events: usize) -> Own<'g> {
        let (events, length) = (&graph.threads[thread.index()].events[..events], events);
        Own {
            graph,
            thread,
            events,
            told: Told::new(graph, events),
            written: Vec::new(),
            in_blocks: false,
            length,
            compares: false,
        }
    }

    /// The same, followed in blocks alone that it has told nobody of.
    pub fn in_blocks(self) -> Own<'g> {
        Own { in_blocks: true, ..self }
    }

    /// What it has written since.
    pub fn written(&self) -> &[(LocationId, Word)] {
        &self.written
    }

    /// Whether it has written something.
    pub fn has_written(&self) -> bool {
        !self.written.is_empty()
    }

    /// The thread before its next event that others may notice.
    pub fn follow(&mut self, local: &mut Local, from: &Rc<Poised>) -> Result<Rc<Poised>, Unsupported> {
        let mut now = from.clone();
        for _ in 0..LONGEST {
            let Some(next) = self.step(local, &now)? else { break };
            self.compares |= !next.compared.is_empty();
            now = next;
        }
        Ok(now)
    }

    fn step(&mut self, local: &mut Local, now: &Rc<Poised>) -> Result<Option<Rc<Poised>>, Unsupported> {
        let (mut now, mut events) = (now.clone(), 1);
        // What only this thread knows of is alive.
        while local.asks_whether_alive(&now) {
            now = local.after(self.thread, &now, &[])?;
            events += 1;
        }
        let next = match now.op {
            Op::Write(location, word, strength) if !strength.atomic && self.is_hidden(local, location) => {
                self.write(location, word);
                local.after(self.thread, &now, &[])?
            }
            Op::Read(location, strength) if !strength.atomic && self.is_hidden(local, location) => {
                let Some(value) = self.value(local, location) else { return Ok(None) };
                match local.finds(self.thread, &now, value, false)? {
                    Lead::On { after, writes: false, .. } => after,
                    _ => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        self.length += events;
        Ok(Some(next))
    }

    fn is_hidden(&mut self, local: &Local, location: LocationId) -> bool {
        let events = self.events.len();
        if self.in_blocks && local.locations.maker(&local.memory, location).is_none() {
            return false;
        }
        !local.locations.is_life(location) && is_hidden(local, (self.thread, location), &mut self.told, events)
    }

    fn write(&mut self, location: LocationId, word: Word) {
        match self.written.iter_mut().find(|(other, _)| *other == location) {
            Some((_, before)) => *before = word,
            None => self.written.push((location, word)),
        }
    }

    /// What such a location holds, if the thread has written it.
    pub fn value(&self, local: &Local, location: LocationId) -> Option<Word> {
        if let Some((_, word)) = self.written.iter().find(|(other, _)| *other == location) {
            return Some(*word);
        }
        let is_global = local.locations.maker(&local.memory, location).is_none();
        for id in self.events.iter().rev().take(FARTHEST) {
            let event = self.graph.event(*id);
            let is_store = matches!(event.kind, Kind::Write { exclusive: false }) && !event.strength.atomic;
            let is_look = matches!(event.kind, Kind::Read { exclusive: false, .. } | Kind::Fence);
            if event.location == Some(location) && !is_look {
                return is_store.then_some(event.value);
            }
            if is_global && !is_store && !is_look {
                return None;
            }
        }
        None
    }

    /// Whether memory is the same after another way of the thread, as far as one of them wrote it, or what came between the two (`stores`).
    pub fn agrees(&self, local: &Local, other: &Own, stores: &[LocationId]) -> bool {
        let written = self.written.iter().chain(&other.written).map(|(location, _)| location);
        written.chain(stores).all(|location| {
            let value = self.value(local, *location);
            value.is_some() && value == other.value(local, *location)
        })
    }
}

/// Whether an event is a plain store that nobody sees if it is overwritten before its thread has done anything but read: to a block
/// that the thread has allocated and told nobody of, or to any global variable.
pub fn is_hidden_store(local: &Local, store: &Event, told: &mut Told) -> bool {
    match (store.kind, store.strength.atomic, store.location) {
        (Kind::Write { exclusive: false }, false, Some(location)) => {
            is_hidden(local, (store.thread, location), told, store.index as usize + 1)
        }
        _ => false,
    }
}

/// Whether nobody else sees what a thread stores to a location after so many of its events.
fn is_hidden(local: &Local, (thread, location): (ThreadNumber, LocationId), told: &mut Told, events: usize) -> bool {
    let is_global = local.locations.maker(&local.memory, location).is_none();
    is_global && local.hides_plain_stores
        || local.hides_private_stores
            && local.locations.block(&local.memory, location, thread).is_some_and(|block| !told.by(events, block))
}

/// When a thread told others of its blocks.
pub struct Told<'g> {
    graph: &'g Graph,
    events: &'g [EventId],
    /// Blocks that were asked for, and the thread's first event that may tell of them.
    known: Vec<(u32, usize)>,
}

impl<'g> Told<'g> {
    /// Of these events of a thread.
    pub fn new(graph: &'g Graph, events: &'g [EventId]) -> Told<'g> {
        Told { graph, events, known: Vec::new() }
    }

    /// Whether a block was told of by one of so many events.
    fn by(&mut self, events: usize, block: u32) -> bool {
        let known = self.known.iter().find(|(of, _)| *of == block).map(|(_, first)| *first);
        let first = known.unwrap_or_else(|| {
            let first = self.events.iter().position(|id| may_tell(self.graph.event(*id), block));
            let first = first.unwrap_or(self.events.len());
            self.known.push((block, first));
            first
        });
        first < events
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
