//! In which order the events of a graph can be added again, as a file: a schedule of models that have no machine.
//!
//! ```text
//! palisade schedule 1
//! file lock.c           what it was written for; the lines file, options and program are not read here
//! model rc11
//! start 0 1             thread 0 starts thread 1
//! next 0                thread 0 goes on past a fence, or past the wait for the end of a thread
//! choose 0 3            thread 0 chooses the fourth of the numbers that it may choose
//! write 1 after start   thread 1 writes; its write comes right after the initial one in coherence order
//! read 0 from 1 0       thread 0 reads from event 0 of thread 1; a read-modify-write writes as well
//! read 0 from 1 0 fails a weak compare-exchange fails although it could succeed
//! ```
//!
//! Threads and the events of each are numbered from 0: the threads of the program in order, then those that are started. `;` starts
//! a comment. The order follows program order and reads-from, and, as far as these let it, coherence: as if memory were
//! sequentially consistent.

use std::fmt::Write;

use super::event::{Event, Kind};
use super::graph::Graph;
use super::number::{EventId, ThreadNumber};
use super::poised::Op;

const HEADER: &str = "palisade schedule 1";

/// An event: its thread, and how many events of the thread come before it.
pub type Place = (ThreadNumber, u32);

/// What a thread does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It passes a fence, or joins a thread.
    Next,
    /// It starts the thread of this number.
    Start(ThreadNumber),
    /// It chooses a number: so many lesser ones there are.
    Choose(u64),
    /// It reads; a read-modify-write writes as well.
    Read {
        /// Where from; the initial write if from nowhere.
        from: Option<Place>,
        /// Whether a weak compare-exchange fails although it could succeed.
        fails: bool,
    },
    /// It writes.
    Write {
        /// After which write in coherence order, of those that are there; the initial one if none is given.
        after: Option<Place>,
    },
}

/// How a graph grows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Who goes on, and how.
    pub steps: Vec<(ThreadNumber, Step)>,
}

/// How well an event would come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// As on sequentially consistent memory.
    InOrder,
    /// It can, but reads what was overwritten, or writes what does not come last.
    OutOfOrder,
    /// It is a write that has no place in coherence order yet, or the read of the same read-modify-write. Nothing depends on it, and its
    /// place follows from those of all others.
    Unplaced,
}

/// A schedule by which the graph comes about again.
pub fn schedule(graph: &Graph) -> Schedule {
    let mut growing = Growing { graph, is_there: vec![false; graph.size()], next: vec![0; graph.threads.len()] };
    let (mut steps, mut current) = (Vec::new(), ThreadNumber(0));
    while let Some((thread, id)) = growing.choose(current) {
        steps.push((thread, growing.step(id)));
        growing.add(thread, id);
        current = thread;
    }
    Schedule { steps }
}

/// A graph of which some events are there.
struct Growing<'g> {
    graph: &'g Graph,
    is_there: Vec<bool>,
    /// How many events of each thread are there.
    next: Vec<usize>,
}

impl Growing<'_> {
    /// An event is there from now on; with the read of a read-modify-write its write.
    fn add(&mut self, thread: ThreadNumber, id: EventId) {
        let events = &self.graph.threads[thread.index()].events;
        let count = if matches!(self.graph.event(id).kind, Kind::Read { exclusive: true, .. }) { 2 } else { 1 };
        let next = &mut self.next[thread.index()];
        for id in events[*next..].iter().take(count) {
            self.is_there[id.index()] = true;
        }
        *next = (*next + count).min(events.len());
    }

    /// The event that comes next: best of the thread that went last.
    fn choose(&self, current: ThreadNumber) -> Option<(ThreadNumber, EventId)> {
        let threads = (0..self.graph.threads.len() as u16).map(ThreadNumber);
        let ranked = threads.filter_map(|thread| {
            let id = *self.graph.threads[thread.index()].events.get(self.next[thread.index()])?;
            self.rank(thread, id).map(|rank| (rank, thread != current, thread, id))
        });
        ranked.min().map(|(_, _, thread, id)| (thread, id))
    }

    /// How well the next event of a thread would come now; nothing if it cannot.
    fn rank(&self, thread: ThreadNumber, id: EventId) -> Option<Rank> {
        let of = &self.graph.threads[thread.index()];
        let has = |id: EventId| id == EventId::INITIAL || self.is_there[id.index()];
        let event = self.graph.event(id);
        let can_come = match event.kind {
            Kind::Read { source, .. } => has(source),
            Kind::Join(other) => self.next[other.index()] == self.graph.threads[other.index()].events.len(),
            _ => true,
        };
        if !can_come || !of.started_by.is_none_or(has) {
            return None;
        }
        Some(match self.position(event, id) {
            _ if self.is_unplaced(thread, event, id) => Rank::Unplaced,
            Some(position) if !self.is_in_order(event, position) => Rank::OutOfOrder,
            _ => Rank::InOrder,
        })
    }

    /// Whether an event is or begins a write that has no place in coherence order.
    fn is_unplaced(&self, thread: ThreadNumber, event: &Event, id: EventId) -> bool {
        let events = &self.graph.threads[thread.index()].events;
        let write = match event.kind {
            Kind::Write { .. } => Some(id),
            Kind::Read { exclusive: true, .. } => events.get(event.index as usize + 1).copied(),
            _ => return false,
        };
        let writes = event.location.map(|location| &self.graph.locations[location.index()].writes);
        write.zip(writes).is_none_or(|(write, writes)| !writes.contains(&write))
    }

    /// The place in coherence order of what an event reads or writes; the initial write is at 0.
    fn position(&self, event: &Event, id: EventId) -> Option<usize> {
        let at = &self.graph.locations[event.location?.index()];
        match event.source() {
            Some(EventId::INITIAL) => Some(0),
            Some(source) => Some(self.graph.position(event.location?, source)),
            None => at.writes.iter().position(|write| *write == id).map(|place| place + 1),
        }
    }

    /// Whether an access of this place in coherence order meets what is last there now, and nobody still reads what it overwrites.
    fn is_in_order(&self, event: &Event, position: usize) -> bool {
        let Some(location) = event.location else { return true };
        let at = &self.graph.locations[location.index()];
        let written = at.writes.iter().filter(|write| self.is_there[write.index()]).count();
        let still_reads = |read: &EventId| {
            let source = self.graph.event(*read).source().unwrap_or(EventId::INITIAL);
            !self.is_there[read.index()] && self.graph.position(location, source) < position
        };
        match event.is_write() {
            true => written + 1 == position && !at.reads.iter().any(still_reads),
            false => written == position,
        }
    }

    /// How an event is added.
    fn step(&self, id: EventId) -> Step {
        let event = self.graph.event(id);
        let place = |id: EventId| {
            let event = self.graph.event(id);
            (event.thread, event.index)
        };
        match event.kind {
            Kind::Read { source, spurious, .. } => {
                Step::Read { from: (source != EventId::INITIAL).then(|| place(source)), fails: spurious }
            }
            Kind::Write { .. } => Step::Write { after: self.earlier(event, id).map(place) },
            Kind::Spawn(started) => Step::Start(started),
            Kind::Choose { .. } => Step::Choose(chosen(event)),
            Kind::Fence | Kind::Join(_) => Step::Next,
        }
    }

    /// The last write that is there and comes before this one in coherence order.
    fn earlier(&self, event: &Event, id: EventId) -> Option<EventId> {
        let writes = &self.graph.locations[event.location?.index()].writes;
        let place = writes.iter().position(|write| *write == id).unwrap_or(writes.len());
        writes[..place].iter().rev().find(|write| self.is_there[write.index()]).copied()
    }
}

/// How many lesser numbers there are than the one that an event chooses.
fn chosen(event: &Event) -> u64 {
    let Op::Choose(_, low, _, width) = event.before.op else { return 0 };
    let distance = event.value.as_int().map_or(0, |number| number.signed().wrapping_sub(low) as u64);
    if width < 64 { distance & ((1 << width) - 1) } else { distance }
}

/// The text of a schedule file.
pub fn print(schedule: &Schedule, model: &str) -> String {
    let mut text = format!("{HEADER}\nmodel {}\n", model.replace([';', '\n', '\r'], "?"));
    let place =
        |place: Option<Place>| place.map_or("start".to_string(), |(thread, number)| format!("{} {number}", thread.0));
    for (ThreadNumber(thread), step) in &schedule.steps {
        let _ = match *step {
            Step::Next => writeln!(text, "next {thread}"),
            Step::Start(started) => writeln!(text, "start {thread} {}", started.0),
            Step::Choose(number) => writeln!(text, "choose {thread} {number}"),
            Step::Read { from, fails } => {
                writeln!(text, "read {thread} from {}{}", place(from), if fails { " fails" } else { "" })
            }
            Step::Write { after } => writeln!(text, "write {thread} after {}", place(after)),
        };
    }
    text
}

/// The model that a schedule names, if it is one of a graph.
pub fn model_of(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("model ")).map(|name| name.split(';').next().unwrap_or(name).trim())
}

/// Reads a schedule file; the error says which line is wrong.
pub fn parse(text: &str) -> Result<Schedule, String> {
    let mut lines = text.lines().enumerate().map(|(number, line)| {
        let words: Vec<&str> = line.split(';').next().unwrap_or_default().split_whitespace().collect();
        (number + 1, words)
    });
    let mut lines = lines.by_ref().filter(|(_, words)| !words.is_empty());
    if lines.next().is_none_or(|(_, words)| words.join(" ") != HEADER) {
        return Err(format!("a schedule starts with the line `{HEADER}`"));
    }
    let mut schedule = Schedule::default();
    for (number, words) in lines {
        let wrong = || format!("line {number} of the schedule is not understood: `{}`", words.join(" "));
        match &words[..] {
            ["file" | "options" | "program" | "model", ..] => {}
            words => schedule.steps.push(parse_step(words).ok_or_else(wrong)?),
        }
    }
    Ok(schedule)
}

fn parse_step(words: &[&str]) -> Option<(ThreadNumber, Step)> {
    let number = |word: &str| word.parse().ok().map(ThreadNumber);
    let (thread, rest) = (number(words.get(1)?)?, &words[2..]);
    let place = |words: &[&str]| match words {
        ["start"] => Some(None),
        [thread, event] => Some(Some((number(thread)?, event.parse().ok()?))),
        _ => None,
    };
    let step = match (words[0], rest) {
        ("next", []) => Step::Next,
        ("start", [started]) => Step::Start(number(started)?),
        ("choose", [chosen]) => Step::Choose(chosen.parse().ok()?),
        ("read", ["from", words @ .., "fails"]) => Step::Read { from: place(words)?, fails: true },
        ("read", ["from", words @ ..]) => Step::Read { from: place(words)?, fails: false },
        ("write", ["after", words @ ..]) => Step::Write { after: place(words)? },
        _ => return None,
    };
    Some((thread, step))
}
