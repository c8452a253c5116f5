//! What must come before an event in every execution of a class, so that values are not asked for that an event cannot get.
//!
//! An event comes after those before it in its thread, after the start of its thread, after the end of threads that it waits
//! for, and after the write that it reads from if only one has the value. Who reads a write of another thread does so when it
//! is in memory, and on sc and tso all earlier writes of that thread are, too. So of two writes that must come before an event,
//! and in this order, the event does not see the first one. On pso that does not follow, and nothing is said.
//!
//! There may be more that must come before an event than what is found here: then a question is asked without need.

use operational::memory::Machine;

use super::id::{ThreadId, TraceCell};
use super::trace::{End, Kind, Source, Trace, Value, read, waited_for};

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
}

/// What must come before what in a trace, given the writes to each cell; `None` if nothing is known.
pub fn order(trace: &Trace, sources: &[Vec<Source>], machine: Machine) -> Option<Order> {
    if machine == Machine::Pso {
        return None;
    }
    let threads = trace.threads.len();
    let mut count = 0;
    let first = trace.threads.iter().map(|thread| {
        count += thread.events.len();
        count - thread.events.len()
    });
    let first: Vec<usize> = first.collect();
    let numbers = vec![0; count * threads];
    let mut order = Order { threads, first, before: numbers.clone(), through: numbers };
    let mut done = vec![0; threads];
    let starters = starters(trace);
    loop {
        let mut moved = false;
        for thread in 0..threads {
            while done[thread] < trace.threads[thread].events.len()
                && order.add(trace, sources, (thread, done[thread]), &done, starters[thread])
            {
                done[thread] += 1;
                moved = true;
            }
        }
        if !moved {
            return Some(order);
        }
    }
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
    /// Whether an event may find a value in a cell, given the writes to it.
    pub fn may_find(&self, initial: Value, sources: &[Source], (thread, event): (ThreadId, u32), value: Value) -> bool {
        let at = self.number(thread.index(), event as usize);
        let before = &self.before[at..at + self.threads];
        let is_past = |source: &Source| source.event < before[source.thread.index()];
        if initial == value && !sources.iter().any(is_past) {
            return true;
        }
        let is_hidden =
            |source: &Source| sources.iter().any(|other| is_past(other) && self.must_happen_before(source, other));
        let is_later = |source: &Source| source.thread == thread && source.event >= event;
        sources.iter().any(|source| source.value == value && !is_later(source) && !is_hidden(source))
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
        sources: &[Vec<Source>],
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
            needed.extend(only_source(trace, sources, (thread, event), cell, value));
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
                self.through[at + other] = self.through[at + other].max(self.through[from + other]);
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
