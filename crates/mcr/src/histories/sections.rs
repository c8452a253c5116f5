//! Sections of threads that hold a monitor: of two of them with one monitor one ends before the other begins, and when it ends all of its
//! stores are in memory.
//!
//! On sc and tso a cell can be a monitor, too: one that threads change in one step from what it held at the start, and only the thread that
//! did so changes it back, by a store. Between these it holds the monitor: stores get to memory in order.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use operational::memory::Machine;

use super::id::{ThreadId, TraceCell, TraceMonitor};
use super::trace::{Access, End, Event, Kind, Source, Thread, Trace, Value, reads};

/// What only one thread at a time holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Monitor {
    Own(TraceMonitor),
    Cell(TraceCell),
}

/// A section of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    monitor: Monitor,
    /// The event that takes the monitor.
    begin: u32,
    /// The event that releases it; `None` if it is held for ever.
    end: Option<u32>,
}

impl Section {
    /// Whether the thread holds the monitor when it does this event, and before it.
    fn holds_at(&self, event: u32) -> bool {
        self.begin < event && self.end.is_none_or(|end| event <= end)
    }
}

/// Two sections, each by its thread and the event with which it begins.
type Pair = [(usize, u32); 2];

/// The sections of a trace.
#[derive(Debug)]
pub struct Sections {
    /// By thread, by where they begin.
    threads: Vec<Vec<Section>>,
    /// By two sections, each with its thread: the first event of the one that shows that it did not begin after the other's end, if that
    /// was asked.
    shown: RefCell<FxHashMap<Pair, Option<u32>>>,
}

impl Sections {
    /// The sections of a trace.
    pub fn of(trace: &Trace, machine: Machine) -> Sections {
        let mut threads: Vec<Vec<Section>> = trace.threads.iter().map(|thread| sections(happened(thread))).collect();
        if machine.keeps_stores_in_order() {
            for cell in changed_in_one_step(trace) {
                let Some(of_cell) = sections_of_cell(trace, cell) else { continue };
                threads.iter_mut().zip(of_cell).for_each(|(all, more)| all.extend(more));
            }
        }
        Sections { threads, shown: RefCell::default() }
    }

    /// If an event reads what a thread writes, and both hold the same monitor: where that thread had released it before, each event with
    /// its thread.
    pub fn end_of(&self, reader: (usize, u32), writer: (usize, u32)) -> Option<u32> {
        self.pairs(reader, writer).filter_map(|(_, other)| other.end).max()
    }

    /// Whether an event cannot find a write of another thread, because that would have to be of a section which was over when the event's
    /// own section began, and the thread has seen since that it was not.
    pub fn excludes(
        &self,
        trace: &Trace,
        sources: &[Vec<Source>],
        (thread, event): (ThreadId, u32),
        source: &Source,
    ) -> bool {
        let target = (thread.index(), event);
        self.pairs(target, (source.thread.index(), source.event)).any(|(own, other)| {
            let Some(end) = other.end else { return true };
            let key = [(target.0, own.begin), (source.thread.index(), other.begin)];
            let known = self.shown.borrow().get(&key).copied();
            let first = known.unwrap_or_else(|| {
                let first = first_contradiction(trace, sources, (target.0, own), (source.thread, other.begin, end));
                self.shown.borrow_mut().insert(key, first);
                first
            });
            first.is_some_and(|first| first < event)
        })
    }

    /// The sections with one monitor in which these events of two threads are: the first's, the second's.
    fn pairs(&self, first: (usize, u32), second: (usize, u32)) -> impl Iterator<Item = (&Section, &Section)> {
        let around =
            |(thread, event): (usize, u32)| self.threads[thread].iter().filter(move |section| section.holds_at(event));
        let is_other = first.0 != second.0;
        let others = move |own: &Section| {
            let monitor = own.monitor;
            around(second).filter(move |other| other.monitor == monitor)
        };
        around(first).filter(move |_| is_other).flat_map(move |own| others(own).map(move |other| (own, other)))
    }
}

/// The events of a thread that it did.
fn happened(thread: &Thread) -> &[Event] {
    &thread.events[..thread.events.len() - usize::from(thread.end == End::Blocked)]
}

/// The cells that some event reads and writes in one step: others are no monitors.
fn changed_in_one_step(trace: &Trace) -> BTreeSet<TraceCell> {
    let mut cells = BTreeSet::new();
    for event in trace.threads.iter().flat_map(happened) {
        match &event.kind {
            Kind::Update { cell, .. } => cells.extend([*cell]),
            Kind::Atomic(accesses) => cells.extend(accesses.iter().filter_map(|access| match access {
                Access::Write { cell, .. } => Some(*cell),
                _ => None,
            })),
            _ => {}
        }
    }
    cells
}

/// By thread: where it keeps the others out with a cell; `None` if the cell is used in another way, too.
fn sections_of_cell(trace: &Trace, cell: TraceCell) -> Option<Vec<Vec<Section>>> {
    let free = trace.initial[cell.index()];
    let mut takes = 0;
    let threads = trace.threads.iter().map(|thread| {
        let mut found: Vec<Section> = Vec::new();
        for (event, what) in (0..).zip(happened(thread)) {
            let is_held = found.last().is_some_and(|last| last.end.is_none());
            match used(&what.kind, cell, free) {
                Use::Nothing => {}
                Use::Take if !is_held => {
                    takes += 1;
                    found.push(Section { monitor: Monitor::Cell(cell), begin: event, end: None });
                }
                Use::Release if is_held => found.last_mut()?.end = Some(event),
                _ => return None,
            }
        }
        Some(found)
    });
    let threads: Option<Vec<Vec<Section>>> = threads.collect();
    threads.filter(|_| takes > 1)
}

/// What an event does to a cell that may be a monitor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It reads it at most.
    Nothing,
    /// It finds it free and changes it.
    Take,
    /// It makes it free.
    Release,
    /// It changes it in another way.
    Other,
}

fn used(kind: &Kind, cell: TraceCell, free: Value) -> Use {
    let change = |value: Value, written: Value| match (value == free, written == free) {
        (true, false) => Use::Take,
        (false, true) => Use::Release,
        _ => Use::Other,
    };
    match kind {
        Kind::Write { cell: other, value, .. } if *other == cell && *value == free => Use::Release,
        Kind::Write { cell: other, .. } if *other == cell => Use::Other,
        Kind::Update { cell: other, value, written: Some(written), .. } if *other == cell => change(*value, *written),
        Kind::Atomic(accesses) => {
            let own: Vec<&Access> = accesses.iter().filter(|access| touches(access, cell)).collect();
            match own[..] {
                [Access::Read { value, .. }, Access::Write { value: written, .. }] => change(*value, *written),
                _ if own.iter().any(|access| matches!(access, Access::Write { .. })) => Use::Other,
                _ => Use::Nothing,
            }
        }
        _ => Use::Nothing,
    }
}

fn touches(access: &Access, cell: TraceCell) -> bool {
    match access {
        Access::Read { cell: other, .. } | Access::Write { cell: other, .. } => *other == cell,
        Access::Choice { .. } => false,
    }
}

fn sections(events: &[Event]) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    // Which are open, and how often their monitor was taken.
    let mut open: Vec<(usize, u32)> = Vec::new();
    for (event, what) in (0..).zip(events) {
        let (monitor, taken) = match what.kind {
            Kind::Lock(monitor) => (Monitor::Own(monitor), 1),
            Kind::Resume(monitor, times) => (Monitor::Own(monitor), times),
            Kind::Unlock(monitor) | Kind::Release(monitor) => (Monitor::Own(monitor), 0),
            _ => continue,
        };
        let place = open.iter().position(|(section, _)| found[*section].monitor == monitor);
        match place {
            Some(place) if taken > 0 => open[place].1 += taken,
            Some(place) => {
                let releases = matches!(what.kind, Kind::Release(_));
                open[place].1 = if releases { 0 } else { open[place].1 - 1 };
                if open[place].1 == 0 {
                    found[open[place].0].end = Some(event);
                    open.swap_remove(place);
                }
            }
            None if taken > 0 => {
                open.push((found.len(), taken));
                found.push(Section { monitor, begin: event, end: None });
            }
            None => {}
        }
    }
    found
}

/// The first event of a section of a thread that reads a value which nothing writes, where another section, from `begin` to `end`, has
/// written something else: had that been over before, the value would have been gone.
fn first_contradiction(
    trace: &Trace,
    sources: &[Vec<Source>],
    (thread, own): (usize, &Section),
    (other, begin, end): (ThreadId, u32, u32),
) -> Option<u32> {
    let events = &trace.threads[thread].events;
    let last = own.end.map_or(events.len(), |end| end as usize);
    (own.begin + 1..last as u32).find(|event| {
        reads(&events[*event as usize].kind).any(|(cell, value)| {
            let sources = &sources[cell.index()];
            let is_there = |source: &&Source| source.thread == other && begin < source.event && source.event < end;
            sources.iter().any(|source| is_there(&source)) && sources.iter().all(|source| source.value != value)
        })
    })
}
