//! Events of execution graphs.

use std::rc::Rc;

use operational::word::Word;
use program::Span;

use super::local::Poised;
use super::number::{EventId, LocationId, Strength, ThreadNumber};

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads; `exclusive` if the write of the same read-modify-write follows.
    Read {
        /// Where it reads from.
        source: EventId,
        /// Whether it is the read of a read-modify-write that writes.
        exclusive: bool,
        /// Whether a weak compare-exchange fails although it could succeed.
        spurious: bool,
    },
    /// Writes; `exclusive` if it is the write of a read-modify-write, whose read is the event before it in its thread.
    Write {
        /// Whether it is part of a read-modify-write.
        exclusive: bool,
    },
    /// A fence.
    Fence,
    /// Starts a thread.
    Spawn(ThreadNumber),
    /// Waits for the end of a thread.
    Join(ThreadNumber),
    /// Chooses a number; whether it is the first that it may choose.
    Choose {
        /// Whether it is the least one.
        first: bool,
    },
}

/// An event of a graph.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its thread.
    pub thread: ThreadNumber,
    /// Its place in the thread.
    pub index: u32,
    /// What it does.
    pub kind: Kind,
    /// How strong it is.
    pub strength: Strength,
    /// The location that it accesses.
    pub location: Option<LocationId>,
    /// What it reads, writes or chooses.
    pub value: Word,
    /// Whether it is a write that has sent a read-modify-write back to before its read: it stays in the graph.
    pub stays: bool,
    /// The latest event of its thread up to itself that is a releasing fence.
    pub release_fence: Option<EventId>,
    /// The thread before the event.
    pub before: Rc<Poised>,
    /// The statement.
    pub span: Option<Span>,
}

impl Event {
    /// An event of a thread that stands there: without location, value and order; its place comes with the graph.
    pub fn new(thread: ThreadNumber, now: &Rc<Poised>, kind: Kind) -> Event {
        Event {
            thread,
            index: 0,
            kind,
            strength: Strength { atomic: true, acquires: false, releases: false, seq_cst: false },
            location: None,
            value: Word::Undefined,
            stays: false,
            release_fence: None,
            before: now.clone(),
            span: now.span,
        }
    }

    /// Whether it reads.
    #[inline]
    pub fn is_read(&self) -> bool {
        matches!(self.kind, Kind::Read { .. })
    }

    /// Whether it writes.
    #[inline]
    pub fn is_write(&self) -> bool {
        matches!(self.kind, Kind::Write { .. })
    }

    /// Whether it is part of a read-modify-write that writes.
    #[inline]
    pub fn is_exclusive(&self) -> bool {
        matches!(self.kind, Kind::Read { exclusive: true, .. } | Kind::Write { exclusive: true })
    }

    /// Where it reads from.
    #[inline]
    pub fn source(&self) -> Option<EventId> {
        match self.kind {
            Kind::Read { source, .. } => Some(source),
            _ => None,
        }
    }
}
