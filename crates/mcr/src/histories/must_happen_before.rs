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
use super::trace::{End, Event, Kind, Source, Trace, Value, read, waited_for};

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
    let threads = trace.threads.len();
    let mut count = 0;
    let first = trace.threads.iter().map(|thread| {
        count += thread.events.len();
        count - thread.events.len()
    });
    let first: Vec<usize> = first.collect();
    let numbers = vec![0; count * threads];
    let in_memory = trace.threads.iter().map(|thread| in_memory(&thread.events, machine)).collect();
    let mut order = Order { threads, first, before: numbers.clone(), through: numbers, in_memory };
    let mut done = vec![0; threads];
    let starters = starters(trace);
    loop {
        let mut moved = false;
        for thread in 0..threads {
            while done[thread] < trace.threads[thread].events.len()
                && order.add(trace, (sources, sections), (thread, done[thread]), &done, starters[thread])
            {
                done[thread] += 1;
                moved = true;
            }
        }
        if !moved {
            return order;
        }
    }
}

/// See [`Order`].
fn in_memory(events: &[Event], machine: Machine) -> Vec<u32> {
    let mut drained = 0;
    let of = (1..).zip(events).map(|(count, event)| {
        if machine != Machine::Pso || event.kind.drains() {
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

    /// Whether the first of two writes comes before the second whenever that happens. Writes of one event do not.
    fn must_happen_before(&self, first: &Source, second: &Source) -> bool {
        let is_one = (first.thread, first.event) == (second.thread, second.event);
        let number = self.number(second.thread.index(), second.event as usize);
        !is_one && self.through[number + first.thread.index()] > first.event
    }

    /// Finds what must come before an event; false if that is not known yet of something before it.
    fn add(
        &mut self,
        trace: &Trace,
        (sources, sections): (&[Vec<Source>], &Sections),
        (thread, event): (usize, usize),
        done: &[usize],
        starter: Option<(usize, usize)>,
    ) -> bool {
        let last = if event == 0 { starter } else { Some((thread, event - 1)) };
        let mut needed: Vec<(usize, usize)> = Vec::new();
        let kind = &trace.threads[thread].events[event].kind;
        for other in waited_for(kind) {
            let of = trace.threads.get(other.index()).filter(|of| of.end == End::Over);
            needed.extend(of.and_then(|of| Some((other.index(), of.events.len().checked_sub(1)?))));
        }
        for (cell, value) in read(kind) {
            let Some((by, at)) = only_source(trace, sources, (thread, event), cell, value) else { continue };
            let end = sections.end_of((thread, event as u32), (by, at as u32)).map(|end| (by, end as usize));
            // Where it ended may depend on this event only if the class cannot happen at all.
            let end = end.filter(|(by, end)| *end < done[*by]);
            needed.push(end.unwrap_or((by, at)));
        }
        if last.iter().chain(&needed).any(|(thread, event)| *event >= done[*thread]) {
            return false;
        }
        let at = self.number(thread, event);
        if let Some((thread, event)) = last {
            self.come_after(at, thread, event);
        }
        self.before[at + thread] = event as u32;
        self.through[at..at + self.threads].copy_from_slice(&self.before[at..at + self.threads]);
        for (thread, event) in needed {
            let from = self.number(thread, event);
            for other in 0..self.threads {
                let past = self.through[from + other];
                let past = if other == thread { past.min(self.in_memory[thread][event]) } else { past };
                self.through[at + other] = self.through[at + other].max(past);
            }
        }
        self.through[at + thread] = event as u32 + 1;
        true
    }

    fn come_after(&mut self, at: usize, thread: usize, event: usize) {
        let from = self.number(thread, event);
        let through = &self.through[from..from + self.threads];
        self.before[at..at + self.threads].copy_from_slice(through);
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
