//! Numbers of events, threads and locations, and how strong accesses are.

use program::{Access, Order};

/// An event by its place in the order in which events were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub u32);

impl EventId {
    /// The initial write of a location, which is no event of a thread.
    pub const INITIAL: EventId = EventId(u32::MAX);

    /// Its place in the list of events.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A thread of a graph: those of the program first, then in the order in which they were started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadNumber(pub u16);

impl ThreadNumber {
    /// Its place in lists of threads.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What a thread has done up to its next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HistoryId(pub u32);

/// What an order of C11 makes of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// Whether it is no plain access.
    pub atomic: bool,
    /// Whether a read or fence of this order acquires.
    pub acquires: bool,
    /// Whether a write or fence of this order releases.
    pub releases: bool,
    /// Whether it is sequentially consistent.
    pub seq_cst: bool,
}

impl Strength {
    /// What the order of an access means; consume counts as relaxed.
    pub fn of(access: &Access) -> Strength {
        let order = access.order;
        Strength {
            atomic: order != Order::Plain,
            acquires: matches!(order, Order::Acquire | Order::AcquireRelease | Order::SeqCst),
            releases: matches!(order, Order::Release | Order::AcquireRelease | Order::SeqCst),
            seq_cst: order == Order::SeqCst,
        }
    }

    /// An access whose order is for a model to judge: it orders nothing by itself.
    pub fn of_nothing(access: &Access) -> Strength {
        Strength { atomic: access.order != Order::Plain, acquires: false, releases: false, seq_cst: false }
    }

    /// Whether a write of this strength may hand something to reads that acquire: on machines plain writes do, too.
    pub fn may_release(self) -> bool {
        self.atomic || self.releases
    }

    /// Whether it orders nothing that the other one does not order.
    pub fn is_at_most(self, other: Strength) -> bool {
        self.atomic <= other.atomic
            && self.acquires <= other.acquires
            && self.releases <= other.releases
            && self.seq_cst <= other.seq_cst
    }
}

/// A memory location, numbered in the order in which locations were first accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocationId(pub u32);

impl LocationId {
    /// Its place in lists of locations.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
