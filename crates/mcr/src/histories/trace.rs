//! The trace of an execution class: what each thread does, without the order between threads.
//!
//! A class fixes what every read of every thread gets, so it fixes all that the threads do; which executions it has is
//! another question. Cells, values and monitors are numbered densely for each trace. Private work is not in it: cells that
//! only one thread of the class uses are left out, so each event carries its place in the thread's whole history.

use operational::memory::Machine;

use super::id::{NodeId, ThreadId, TraceCell, TraceMonitor};

pub use super::id::ValueId as Value;

/// What the threads of one class do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The threads. Their numbers are the same in all traces of an exploration; one that does not start here has no events.
    pub threads: Vec<Thread>,
    /// What each cell holds at the start; there are as many cells.
    pub initial: Vec<Value>,
    /// How many monitors there are.
    pub monitors: u32,
}

/// A thread of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// What it does, in program order.
    pub events: Vec<Event>,
    /// How it ends.
    pub end: End,
    /// Whether it runs from the start. The others are started by an event of another thread, or not at all.
    pub is_initial: bool,
}

/// How a thread ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum End {
    /// It came to its end. It counts as over once its stores are in memory, too.
    #[default]
    Over,
    /// It stopped at an error. It is never over.
    Failed,
    /// It waits for ever: its last event did not happen.
    Blocked,
}

/// Something that a thread does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What.
    pub kind: Kind,
    /// Number of the place in the thread's history: it says all that the thread did before.
    pub node: NodeId,
}

/// What an event is. "Waits for its stores": it can happen only while the thread's buffer is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A load. It sees the newest store to the cell in the thread's own buffer, or else memory.
    Read {
        /// The cell.
        cell: TraceCell,
        /// What it gets.
        value: Value,
    },
    /// A store. It goes to the buffer of the thread, if the machine has buffers and it is not `direct`. A direct one waits
    /// for the thread's stores and meets memory at once.
    Write {
        /// The cell.
        cell: TraceCell,
        /// What is written.
        value: Value,
        /// Whether it meets memory at once.
        direct: bool,
    },
    /// A read-modify-write: waits for its stores, then reads and writes memory in one step.
    Update {
        /// The cell.
        cell: TraceCell,
        /// What it reads.
        value: Value,
        /// What it writes; `None` for a compare-exchange that fails.
        written: Option<Value>,
        /// Whether it was free to fail although the values are equal, and which way it went: 1 if it failed.
        picked: Option<u32>,
    },
    /// Accesses in one step that no other thread's step comes between; waits for its stores.
    Atomic(Vec<Access>),
    /// Waits for its stores, and nothing else.
    Drain,
    /// Later stores of the thread get to memory after those that are in the buffer now (matters on pso only).
    StoreFence,
    /// The thread's stores that are in the buffer now are in memory before its next load (matters on pso only).
    LoadFence,
    /// Takes a monitor that no other thread holds; the same thread may take it again. Waits for its stores, as all that
    /// follow do.
    Lock(TraceMonitor),
    /// Releases a monitor that was taken (once).
    Unlock(TraceMonitor),
    /// Releases a monitor, however often it was taken, and waits for a notification: its next event is the `Resume`.
    Release(TraceMonitor),
    /// After a notification: takes the monitor again, so often.
    Resume(TraceMonitor, u32),
    /// Wakes threads that wait at the monitor.
    Notify {
        /// Where.
        monitor: TraceMonitor,
        /// Whether all are woken; else one.
        all: bool,
        /// 0 if at most one waited or all are woken; else 1 plus the place of the one woken among those that wait, by number.
        picked: u32,
    },
    /// Starts a thread.
    Spawn(ThreadId),
    /// Waits for the end of a thread.
    Join(ThreadId),
    /// Waits for a permit and takes it.
    Park,
    /// Gives a thread its permit.
    Unpark(ThreadId),
    /// Waits for the end of these threads. Does not wait for its stores: it is the first thing that a thread does.
    Turn(Vec<ThreadId>),
    /// One of so many ways.
    Choice {
        /// Which.
        picked: u32,
        /// Of how many.
        ways: u32,
    },
}

/// An access of an atomic step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Gets the value.
    Read {
        /// The cell.
        cell: TraceCell,
        /// What it gets.
        value: Value,
    },
    /// Writes the value.
    Write {
        /// The cell.
        cell: TraceCell,
        /// What is written.
        value: Value,
    },
    /// Picks one of so many ways.
    Choice {
        /// Which.
        picked: u32,
        /// Of how many.
        ways: u32,
    },
}

/// A step of an execution of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The thread does its next event.
    Event(ThreadId),
    /// The oldest store of the thread to this cell that is in its buffer gets to memory. (On tso it must be the oldest of all.)
    Flush(ThreadId, TraceCell),
}

/// An untried branch of a class: after the steps, all of them of the class, an event of one thread goes another way than in the
/// class. Then more steps of other threads may follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escape {
    /// The steps before.
    pub steps: Vec<Step>,
    /// Whose event.
    pub thread: ThreadId,
    /// Its place among the thread's events.
    pub event: u32,
    /// What it gets instead: a value, a pick; anything for a blocked event that happens after all.
    pub label: u32,
    /// Steps of the class that other threads can still take afterwards.
    pub after: Vec<Step>,
}

impl Kind {
    /// Whether it waits for the thread's stores to get to memory, on a machine with buffers.
    pub fn drains(&self) -> bool {
        use Kind::*;
        match self {
            Read { .. } | StoreFence | LoadFence | Turn(_) | Choice { .. } => false,
            Write { direct, .. } => *direct,
            _ => true,
        }
    }

    /// Whether it puts something in the thread's buffer.
    pub fn is_buffered(&self, machine: Machine) -> bool {
        machine.has_buffers() && matches!(self, Kind::Write { direct: false, .. })
    }
}

/// What an event reads from memory or from its thread's buffer.
pub(super) fn reads(kind: &Kind) -> impl Iterator<Item = (TraceCell, Value)> {
    let (alone, accesses): (_, &[Access]) = match kind {
        Kind::Read { cell, value } | Kind::Update { cell, value, .. } => (Some((*cell, *value)), &[]),
        Kind::Atomic(accesses) => (None, accesses),
        _ => (None, &[]),
    };
    let is_own = |before: &[Access], read: TraceCell| {
        before.iter().any(|access| matches!(access, Access::Write { cell, .. } if *cell == read))
    };
    let inside = accesses.iter().enumerate().filter_map(move |(place, access)| match access {
        Access::Read { cell, value } if !is_own(&accesses[..place], *cell) => Some((*cell, *value)),
        _ => None,
    });
    alone.into_iter().chain(inside)
}

/// The cell that an event reads first, and what it gets, if it begins with a read.
pub(super) fn first_read(kind: &Kind) -> Option<(TraceCell, Value)> {
    match kind {
        Kind::Read { cell, value } | Kind::Update { cell, value, .. } => Some((*cell, *value)),
        Kind::Atomic(accesses) => match accesses.first() {
            Some(Access::Read { cell, value }) => Some((*cell, *value)),
            _ => None,
        },
        _ => None,
    }
}

/// The threads whose end the event waits for.
pub(super) fn waited_for(kind: &Kind) -> &[ThreadId] {
    match kind {
        Kind::Join(other) => std::slice::from_ref(other),
        Kind::Turn(others) => others,
        _ => &[],
    }
}

/// A write to a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// Who writes.
    pub thread: ThreadId,
    /// The place among the thread's events.
    pub event: u32,
    /// What is written.
    pub value: Value,
}

/// For each cell of a trace the events that write it.
pub(super) fn sources(trace: &Trace) -> Vec<Vec<Source>> {
    let mut sources = vec![Vec::new(); trace.initial.len()];
    for (thread, of) in trace.threads.iter().enumerate() {
        for (place, event) in of.events.iter().enumerate() {
            let mut add = |cell: TraceCell, value: Value| {
                sources[cell.index()].push(Source { thread: ThreadId::at(thread), event: place as u32, value })
            };
            match &event.kind {
                Kind::Write { cell, value, .. } | Kind::Update { cell, written: Some(value), .. } => add(*cell, *value),
                Kind::Atomic(accesses) => accesses.iter().for_each(|access| {
                    if let Access::Write { cell, value } = access {
                        add(*cell, *value);
                    }
                }),
                _ => {}
            }
        }
    }
    sources
}
