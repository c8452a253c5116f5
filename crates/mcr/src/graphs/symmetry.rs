//! Threads that can be exchanged: of executions that differ only by which of them does what, one is made.
//!
//! Threads are a *group* if they start alike (the same function with the same registers that it may read), if nothing that others could
//! notice lies between their starts nor between the places where somebody waits for them, and if nobody else knows their numbers
//! or is asked about one of them. Exchanging two of them takes executions to executions, with the same errors.
//!
//! Two threads of a group *stand alike* as long as their events so far mirror each other: they read from the same
//! writes, and have written to blocks of their own alone, of which nobody knows. To which of the threads that stand alike the next
//! event is given makes no difference, so that three rules leave executions out:
//!
//! 1. *Lower threads read first.* Who stands as a lower thread did before a read or write reads from no earlier write in coherence order than
//!    the lower one, and puts its write behind the lower one's.
//! 2. The rule above does not hold for a lower thread whose event is *fixed*, in the past of a write that a read reads from which was added
//!    before the event or that has sent a read back, nor for a read of what is in the future of such an event of any thread of the group.
//! 3. *Lower threads go first.* A revisit is left out that keeps the event of a thread in the past of the new write, and throws away the event of a
//!    lower thread that stood alike, or has this event read from the new write.
//!
//! Why an execution of each orbit remains: an execution `F` is made on one path. Without the events that are thrown away later, a read
//! is there on this path once the write is that it reads from: the events of `F` come in an order `<` in which those that the write needs
//! come between the read's place and its end. Go along this path, and give names to threads that stand alike only as they are needed.
//! Where only events in the past of a certain write are wanted, only threads with such an event are candidates; of the candidates whose
//! next event does not need that of another candidate the one with the least choice gets the lowest name. The execution with these names
//! breaks no rule: lower threads are always first in `<` (rule 3), and a choice that is less than that of a lower thread could not be taken first,
//! because the lower one was wanted then (it is fixed) or the choice needs the event of another candidate (rule 2). Events that
//! are thrown away later break no rule either: they are maximal, hence never less than what a lower thread has chosen; and if a lower
//! thread has an event that is thrown away, and a higher one stands alike and has one that stays, then rule 3 is broken in `F`.
//!
//! That exactly one remains is not shown; random programs with threads that are alike are compared with brute force, orbit by orbit.

use std::rc::Rc;

use operational::word::Word;
use program::{InstructionKind, Observable, Question, Unsupported};
use rustc_hash::FxHashMap;

use super::event::{Event, Kind};
use super::graph::Graph;
use super::local::{Lead, Local, Op, Poised};
use super::number::{EventId, LocationId, ThreadNumber};
use super::starter::{self, Kept};
use super::without_effect::is_same;

/// The starting thread is followed for so many events.
const LONGEST: usize = 4_096;

/// The groups of threads that can be exchanged.
#[derive(Clone, Debug, Default)]
pub struct Symmetry {
    groups: Vec<Vec<ThreadNumber>>,
    /// By thread: its group, if it is in one.
    of: Vec<Option<usize>>,
}

/// How a read would go on.
#[derive(Clone, Copy)]
pub struct Wish {
    /// The location that is read.
    pub location: LocationId,
    /// The write that is read from, and its place in coherence order.
    pub source: (EventId, usize),
    /// Whether a weak compare-exchange fails although it could succeed.
    pub spurious: bool,
}

impl Symmetry {
    /// The groups among the threads of a program and those that its only thread starts.
    pub fn of(local: &mut Local, threads: &[Rc<Poised>]) -> Result<Symmetry, Unsupported> {
        let mut groups = Vec::new();
        if local.program.instructions().any(|i| matches!(i.kind, InstructionKind::Identify { .. })) {
            return Ok(Symmetry::default());
        }
        match threads {
            [only] => {
                for started in Starter::follow(local, only)? {
                    let alike = |group: &&mut Vec<Started>| group[0].is_like(&started);
                    match groups.iter_mut().find(alike) {
                        Some(group) => group.push(started),
                        None => groups.push(vec![started]),
                    }
                }
            }
            _ => groups = from_the_start(local, threads),
        }
        let numbers = |group: &Vec<Started>| group.iter().map(|started| started.number).collect();
        Ok(Symmetry::among(groups.iter().filter(|group| group.len() > 1).map(numbers).collect()))
    }

    fn among(groups: Vec<Vec<ThreadNumber>>) -> Symmetry {
        let mut of = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            for thread in group {
                of.resize(of.len().max(thread.index() + 1), None);
                of[thread.index()] = Some(number);
            }
        }
        Symmetry { groups, of }
    }

    /// How many threads can be exchanged with others.
    pub fn threads(&self) -> u64 {
        self.groups.iter().map(|group| group.len() as u64).sum()
    }

    fn group(&self, thread: ThreadNumber) -> &[ThreadNumber] {
        self.of.get(thread.index()).copied().flatten().map_or(&[], |group| &self.groups[group])
    }

    /// Whether a thread may make its next read, after so many events, in this way.
    pub fn may_read(&self, graph: &Graph, local: &Local, (thread, at): (ThreadNumber, usize), wish: Wish) -> bool {
        let Wish { location, source: (source, position), spurious } = wish;
        let group = self.group(thread);
        let choice = (position, !spurious);
        group.iter().take_while(|other| **other < thread).all(|lower| {
            let Some(first) = alike(graph, local, *lower, thread, at) else { return true };
            let event = graph.event(first);
            let Kind::Read { source: other, exclusive, spurious } = event.kind else { return true };
            if event.location != Some(location) {
                return true;
            }
            let chosen = (graph.position(location, other), !spurious);
            if choice == chosen {
                return !exclusive;
            }
            choice > chosen || is_fixed(graph, first) || self.is_needed(graph, local, (thread, at), source)
        })
    }

    /// Whether a write needs an event of a thread that stood where this one stands.
    fn is_needed(&self, graph: &Graph, local: &Local, (thread, at): (ThreadNumber, usize), write: EventId) -> bool {
        let needs = |event: EventId| write != EventId::INITIAL && graph.is_in_past(event, write);
        self.group(thread)
            .iter()
            .filter(|other| **other != thread)
            .any(|other| alike(graph, local, *other, thread, at).is_some_and(needs))
    }

    /// The first place in coherence order that a write, the last event of its thread, may have.
    pub fn first_place(&self, graph: &Graph, local: &Local, write: EventId, location: LocationId) -> usize {
        let Event { thread, index, kind, .. } = *graph.event(write);
        if kind != (Kind::Write { exclusive: false }) {
            return 0;
        }
        let lower = self.group(thread).iter().take_while(|other| **other < thread);
        let firsts = lower.filter_map(|lower| alike(graph, local, *lower, thread, index as usize));
        let counts = |first: &EventId| {
            let event = graph.event(*first);
            event.kind == kind && event.location == Some(location) && !is_fixed(graph, *first)
        };
        firsts.filter(counts).map(|first| graph.position(location, first)).max().unwrap_or(0)
    }

    /// Whether the graph in which a write revisits a read is another one with threads exchanged.
    pub fn leaves_out(&self, graph: &Graph, local: &Local, (read, write): (EventId, EventId)) -> bool {
        let is_needed = |event: EventId| graph.is_in_past(event, write);
        let is_lost = |event: EventId| event == read || event > read && !is_needed(event);
        let events = |thread: ThreadNumber| graph.threads.get(thread.index()).map_or(&[][..], |of| &of.events[..]);
        let is_first = |(lower, higher): (ThreadNumber, ThreadNumber)| {
            if !stands_free(graph, lower) || !stands_free(graph, higher) {
                return false;
            }
            let pairs = events(lower).iter().zip(events(higher));
            for (first, second) in pairs {
                if is_lost(*first) {
                    return is_needed(*second);
                }
                if !mirrors(graph, local, *first, *second) {
                    return false;
                }
            }
            false
        };
        let has_needed = |thread: &&ThreadNumber| events(**thread).first().is_some_and(|first| is_needed(*first));
        self.groups.iter().any(|group| {
            group
                .iter()
                .filter(has_needed)
                .any(|higher| group.iter().take_while(|lower| *lower < higher).any(|lower| is_first((*lower, *higher))))
        })
    }
}

/// Whether no read of a thread was sent back: where it reads from then depends on who did so.
fn stands_free(graph: &Graph, thread: ThreadNumber) -> bool {
    graph.threads.get(thread.index()).is_some_and(|of| of.sent_back.is_empty())
}

/// The event of a thread after so many others, if another one stood as this thread then.
fn alike(graph: &Graph, local: &Local, other: ThreadNumber, thread: ThreadNumber, at: usize) -> Option<EventId> {
    let event = *graph.threads.get(other.index())?.events.get(at)?;
    let of = |thread: ThreadNumber| graph.threads[thread.index()].events[..at].iter();
    let mut pairs = of(other).zip(of(thread));
    let is_alike = stands_free(graph, other)
        && stands_free(graph, thread)
        && pairs.all(|(first, second)| mirrors(graph, local, *first, *second));
    is_alike.then_some(event)
}

/// Whether nothing tells what two threads have done that stood alike before.
fn mirrors(graph: &Graph, local: &Local, first: EventId, second: EventId) -> bool {
    let (a, b) = (graph.event(first), graph.event(second));
    match (a.kind, b.kind) {
        (
            Kind::Read { source, exclusive: false, spurious },
            Kind::Read { source: other, exclusive: false, spurious: fails },
        ) => {
            let is_same = a.location == b.location && source == other;
            spurious == fails && (is_same || is_own(local, a, b) && place(graph, source) == place(graph, other))
        }
        (Kind::Write { exclusive: false }, Kind::Write { exclusive: false }) => is_own(local, a, b),
        (Kind::Fence, Kind::Fence) => true,
        (Kind::Choose { .. }, Kind::Choose { .. }) => a.value == b.value,
        _ => false,
    }
}

/// The place in its thread of a write.
fn place(graph: &Graph, write: EventId) -> Option<u32> {
    (write != EventId::INITIAL).then(|| graph.event(write).index)
}

/// Whether two threads access the same cell of the same block of their own.
fn is_own(local: &Local, a: &Event, b: &Event) -> bool {
    let own = |event: &Event| local.locations.own_cell(&local.memory, event.location?, event.thread);
    own(a).is_some() && own(a) == own(b)
}

/// Whether an event is in the past of a write, or is it, that a read reads from which was there before the event, or that has sent a read
/// back.
fn is_fixed(graph: &Graph, event: EventId) -> bool {
    (0..graph.size() as u32).map(EventId).any(|other| {
        let source = match graph.event(other) {
            write if write.stays => other,
            read if other < event => read.source().unwrap_or(EventId::INITIAL),
            _ => EventId::INITIAL,
        };
        source != EventId::INITIAL && source >= event && graph.is_in_past(event, source)
    })
}

/// A thread that was started.
struct Started {
    number: ThreadNumber,
    poised: Rc<Poised>,
    /// How much others could notice of the starting thread before it was started, and before it was waited for.
    between: (u32, Option<u32>),
}

impl Started {
    fn is_like(&self, other: &Started) -> bool {
        self.between == other.between && is_same(&self.poised, &other.poised)
    }
}

/// Threads that are there from the start, run the same and are not asked about, in groups.
fn from_the_start(local: &Local, threads: &[Rc<Poised>]) -> Vec<Vec<Started>> {
    let starts =
        |i: &program::Instruction| matches!(i.kind, InstructionKind::Spawn { .. } | InstructionKind::Join { .. });
    let Some(question) = local.program.question.as_ref().filter(|_| !local.program.instructions().any(starts)) else {
        return Vec::new();
    };
    let asked = asked_about(question);
    let mut groups: Vec<Vec<Started>> = Vec::new();
    for (number, poised) in threads.iter().enumerate().filter(|(number, _)| !asked.contains(number)) {
        let started = Started { number: ThreadNumber(number as u16), poised: poised.clone(), between: (0, None) };
        let group = groups.iter_mut().find(|group| group[0].is_like(&started));
        match group {
            Some(group) => group.push(started),
            None => groups.push(vec![started]),
        }
    }
    groups
}

/// The threads of which a question observes registers.
fn asked_about(question: &Question) -> Vec<usize> {
    let thread = |observable: &Observable| match observable {
        Observable::Register(thread, _) => Some(thread.0 as usize),
        Observable::Memory(_) => None,
    };
    let mut threads: Vec<usize> = question.observed.iter().filter_map(thread).collect();
    question.filter.iter().for_each(|filter| filter.observables(&mut |observable| threads.extend(thread(observable))));
    threads
}

/// The thread that starts others, followed as long as it reads nothing that others may write.
struct Starter<'l, 'a> {
    local: &'l mut Local<'a>,
    cells: FxHashMap<LocationId, Word>,
    started: Vec<Started>,
    /// How much others could notice so far.
    noticed: u32,
}

impl Starter<'_, '_> {
    const NUMBER: ThreadNumber = ThreadNumber(0);

    /// The threads that are started, but for those of which is not known where they are waited for.
    fn follow(local: &mut Local, poised: &Rc<Poised>) -> Result<Vec<Started>, Unsupported> {
        let Some(kept) = starter::kept(local.program, local.program.threads[0].entry) else { return Ok(Vec::new()) };
        let mut starter = Starter { local, cells: FxHashMap::default(), started: Vec::new(), noticed: 0 };
        let mut now = poised.clone();
        for _ in 0..LONGEST {
            let accessed = match now.op {
                Op::Read(location, _) | Op::Write(location, ..) => starter.memory(location),
                _ => None,
            };
            match starter.step(&now, accessed.is_some_and(|memory| kept.contains(&memory)))? {
                Some(next) => now = next,
                None => break,
            }
        }
        let is_over = matches!(now.op, Op::End);
        starter.started.retain(|started| is_over || started.between.1.is_some());
        Ok(starter.started)
    }

    /// What a location is part of, if it may be kept.
    fn memory(&self, location: LocationId) -> Option<Kept> {
        let (locations, memory) = (&self.local.locations, &self.local.memory);
        let own = locations.block(memory, location, Self::NUMBER).map(|_| Kept::Allocated);
        own.or(locations.global(memory, location).map(Kept::Global))
    }

    /// The thread after its next event; nothing if that is not known. `is_kept` says whether only it accesses what it accesses.
    fn step(&mut self, now: &Rc<Poised>, is_kept: bool) -> Result<Option<Rc<Poised>>, Unsupported> {
        match &now.op {
            Op::Spawn(..) => {
                let number = self.local.child(Self::NUMBER, self.started.len());
                let (poised, after) = self.local.spawn(Self::NUMBER, now, number)?;
                self.started.push(Started { number, poised, between: (self.noticed, None) });
                return Ok(Some(after));
            }
            Op::Join(other) => {
                let Some(started) = self.started.iter_mut().find(|started| started.number == *other) else {
                    return Ok(None);
                };
                started.between.1.get_or_insert(self.noticed);
            }
            Op::Read(location, _) if is_kept => {
                let value = self.cells.get(location).copied();
                let value = value.unwrap_or_else(|| self.local.locations.initial(*location));
                let lead = self.local.finds(Self::NUMBER, now, value, false)?;
                return Ok(if let Lead::On { after, .. } = lead { Some(after) } else { None });
            }
            Op::Write(location, word, _) if is_kept => {
                self.cells.insert(*location, *word);
            }
            Op::Write(..) | Op::Fence(_) => self.noticed += 1,
            _ => return Ok(None),
        }
        self.local.next(Self::NUMBER, now).map(Some)
    }
}
