//! What must come before an event in every execution of a class, so that values are not asked for that an event cannot get.
//!
//! An event comes after those before it in its thread, after the start of its thread, after the end of threads that it waits
//! for, and after the write that it reads from if only one has the value. Who reads a write of another thread does so when it
//! is in memory, and on sc and tso all earlier writes of that thread are, too; on pso those before the last of its events that waits for
//! its stores. So of two writes that must come before an event, and in this order, the event does not see the first one. Who reads a write
//! of another thread's section with a monitor, and holds the same monitor, comes after the end of that section.
//!
//! There may be more that must come before an event than what is found here: then a question is asked without need.

use operational::memory::Machine;

use super::id::{ThreadId, TraceCell};
use super::sections::Sections;
use super::trace::{End, Event, Kind, Source, Trace, Value, reads, waited_for};

/// What must come before each event of a trace.
#[derive(Debug)]
pub struct Order {
    threads: usize,
    /// The number of each thread's first event.
    first: Vec<usize>,
    /// By number of the event and thread: how many events of the thread must come before the event's own thread gets to it.
    before: Vec<u32>,
    /// By number of the event and thread: how many events of the thread must have happened once the event has, itself counted.
    through: Vec<u32>,
    /// By thread and event: how many events of the thread, from the first on, have their stores in memory when the event's own is, or
    /// when it happens if it has none.
    in_memory: Vec<Vec<u32>>,
}

/// What must come before what in a trace, given the writes to each cell.
pub fn order(trace: &Trace, sources: &[Vec<Source>], sections: &Sections, machine: Machine) -> Order {
    let mut building = Building::new(trace, sources, sections, machine);
    let starters = starters(trace);
    loop {
        let mut moved = false;
        for (thread, starter) in starters.iter().enumerate() {
            while building.add(thread, *starter) {
                moved = true;
            }
        }
        if !moved {
            return building.order;
        }
    }
}

/// See [`Order`].
fn in_memory(events: &[Event], machine: Machine) -> Vec<u32> {
    let mut drained = 0;
    let of = (1..).zip(events).map(|(count, event)| {
        if machine.keeps_stores_in_order() || event.kind.drains() {
            drained = count;
        }
        drained
    });
    of.collect()
}

fn starters(trace: &Trace) -> Vec<Option<(usize, usize)>> {
    let mut starters = vec![None; trace.threads.len()];
    for (thread, of) in trace.threads.iter().enumerate() {
        for (event, what) in of.events.iter().enumerate() {
            if let Kind::Spawn(started) = what.kind {
                starters[started.index()] = Some((thread, event));
            }
        }
    }
    starters
}

impl Order {
    /// Whether an event may find a value in a cell, given the writes to it, of which some are excluded.
    pub fn may_find(
        &self,
        initial: Value,
        sources: &[Source],
        (thread, event): (ThreadId, u32),
        value: Value,
        is_excluded: &dyn Fn(&Source) -> bool,
    ) -> bool {
        let at = self.number(thread.index(), event as usize);
        let before = &self.before[at..at + self.threads];
        let is_past = |source: &Source| source.event < before[source.thread.index()];
        if initial == value && !sources.iter().any(is_past) {
            return true;
        }
        let is_hidden =
            |source: &Source| sources.iter().any(|other| is_past(other) && self.must_happen_before(source, other));
        let is_later = |source: &Source| source.thread == thread && source.event >= event;
        let may_be = |source: &Source| !is_later(source) && !is_excluded(source) && !is_hidden(source);
        sources.iter().any(|source| source.value == value && may_be(source))
    }

    fn number(&self, thread: usize, event: usize) -> usize {
        (self.first[thread] + event) * self.threads
    }

    /// Puts an event after the one before it in its thread, or the start of that, and after what it needs besides.
    fn add(&mut self, (thread, event): (usize, usize), last: Option<(usize, usize)>, needed: &[(usize, usize)]) {
        let at = self.number(thread, event);
        if let Some((thread, event)) = last {
            let from = self.number(thread, event);
            self.before[at..at + self.threads].copy_from_slice(&self.through[from..from + self.threads]);
        }
        self.before[at + thread] = event as u32;
        self.through[at..at + self.threads].copy_from_slice(&self.before[at..at + self.threads]);
        for &(thread, event) in needed {
            let from = self.number(thread, event);
            for other in 0..self.threads {
                let past = self.through[from + other];
                let past = if other == thread { past.min(self.in_memory[thread][event]) } else { past };
                self.through[at + other] = self.through[at + other].max(past);
            }
        }
        self.through[at + thread] = event as u32 + 1;
    }

    /// Whether the first of two writes comes before the second whenever that happens. Writes of one event do not.
    fn must_happen_before(&self, first: &Source, second: &Source) -> bool {
        let is_one = (first.thread, first.event) == (second.thread, second.event);
        let number = self.number(second.thread.index(), second.event as usize);
        !is_one && self.through[number + first.thread.index()] > first.event
    }
}

/// An order that is found event by event.
struct Building<'t> {
    trace: &'t Trace,
    sources: &'t [Vec<Source>],
    sections: &'t Sections,
    order: Order,
    /// By thread: of how many of its events, from the first on, it is known what must come before.
    done: Vec<usize>,
    /// What the event that is added comes after, besides the one before it in its thread.
    needed: Vec<(usize, usize)>,
}

impl<'t> Building<'t> {
    fn new(trace: &'t Trace, sources: &'t [Vec<Source>], sections: &'t Sections, machine: Machine) -> Building<'t> {
        let threads = trace.threads.len();
        let mut count = 0;
        let first = trace.threads.iter().map(|thread| {
            count += thread.events.len();
            count - thread.events.len()
        });
        let first: Vec<usize> = first.collect();
        let numbers = vec![0; count * threads];
        let in_memory = trace.threads.iter().map(|thread| in_memory(&thread.events, machine)).collect();
        let order = Order { threads, first, before: numbers.clone(), through: numbers, in_memory };
        Building { trace, sources, sections, order, done: vec![0; threads], needed: Vec::new() }
    }

    /// Finds what must come before the next event of a thread; false if there is none, or if that is not known yet of something
    /// before it.
    fn add(&mut self, thread: usize, starter: Option<(usize, usize)>) -> bool {
        let (trace, event) = (self.trace, self.done[thread]);
        let Some(what) = trace.threads[thread].events.get(event) else { return false };
        let last = if event == 0 { starter } else { Some((thread, event - 1)) };
        self.needs((thread, event), &what.kind);
        if last.iter().chain(&self.needed).any(|(thread, event)| *event >= self.done[*thread]) {
            return false;
        }
        self.order.add((thread, event), last, &self.needed);
        self.done[thread] += 1;
        true
    }

    /// Notes what an event comes after, besides the one before it in its thread.
    fn needs(&mut self, (thread, event): (usize, usize), kind: &Kind) {
        self.needed.clear();
        for other in waited_for(kind) {
            let of = self.trace.threads.get(other.index()).filter(|of| of.end == End::Over);
            self.needed.extend(of.and_then(|of| Some((other.index(), of.events.len().checked_sub(1)?))));
        }
        for (cell, value) in reads(kind) {
            let Some((by, at)) = only_source(self.trace, self.sources, (thread, event), cell, value) else { continue };
            let end = self.sections.end_of((thread, event as u32), (by, at as u32)).map(|end| (by, end as usize));
            // Where it ended may depend on this event only if the class cannot happen at all.
            let end = end.filter(|(by, end)| *end < self.done[*by]);
            self.needed.push(end.unwrap_or((by, at)));
        }
    }
}

/// The write that an event of the class gets a value from, if it can only be one.
fn only_source(
    trace: &Trace,
    sources: &[Vec<Source>],
    (thread, event): (usize, usize),
    cell: TraceCell,
    value: Value,
) -> Option<(usize, usize)> {
    if trace.initial[cell.index()] == value {
        return None;
    }
    let is_earlier = |source: &&Source| {
        source.value == value && (source.thread.index() != thread || (source.event as usize) < event)
    };
    let mut found = sources[cell.index()].iter().filter(is_earlier);
    let source = found.next()?;
    found.next().is_none().then_some((source.thread.index(), source.event as usize))
}
