//! An execution of a machine, step by step.

use crate::execution::{EventId, EventKind, Execution};
use crate::outcome::Failure;
use crate::source::Span;
use crate::value::{Pointer, Value};

/// What happened when a schedule was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// What happened, in order.
    pub steps: Vec<Step>,
    /// The steps as an execution: events, which write each read sees, coherence.
    pub execution: Execution,
    /// Pairs of its events that are ordered because one thread starts, joins or wakes another. Empty for execution graphs.
    pub between_threads: Vec<(EventId, EventId)>,
    /// How it ended.
    pub end: End,
    /// Where the thread that failed made its exception, innermost first; empty if it made none.
    pub thrown: Vec<Call>,
}

/// A call that was active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// What was called.
    pub function: String,
    /// Where it was.
    pub span: Option<Span>,
    /// Whether that is in the user's source, and not in a library's.
    pub is_users: bool,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The thread's name.
    pub thread: String,
    /// What.
    pub kind: StepKind,
    /// The cell or monitor.
    pub cell: Option<Pointer>,
    /// The value read, written or shown.
    pub value: Option<Value>,
    /// The statement.
    pub span: Option<Span>,
    /// Whether it is a read of a write that is still to come, on the machine jmm_over.
    pub foresees: bool,
    /// Whether it reads what was overwritten before, or writes what does not come last in coherence order: under a model whose
    /// executions need be no interleavings.
    pub is_older: bool,
    /// The calls in which it happened, outermost first; only of Java.
    pub calls: Vec<Call>,
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// An event of a thread; a write goes to memory at once.
    Event(EventKind),
    /// A write that goes to the thread's buffer.
    Buffer,
    /// A buffered write gets to memory.
    Flush,
    /// Memory is freed.
    Free,
    /// Memory that was freed is allocated again.
    Reuse,
}

/// How a replayed execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All threads are over.
    Finished,
    /// The schedule ends before the program does.
    Unfinished,
    /// A thread stopped at an error.
    Failed(Failure),
}

/// One of the two accesses of a data race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RacyAccess {
    /// The thread's name.
    pub thread: String,
    /// Whether it writes.
    pub writes: bool,
    /// The statement.
    pub span: Option<Span>,
    /// The active calls, innermost first: the function, and where it was called from.
    pub stack: Vec<(String, Option<Span>)>,
}
