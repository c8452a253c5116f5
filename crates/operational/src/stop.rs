//! Why threads do not go on, and what goes wrong.

use program::{AssertSort, Span, Unsupported};

use crate::word::Address;

/// Why a thread does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It waits for something; the state has not changed.
    Waits(Waiting),
    /// An error.
    Failed(Fault),
    /// The execution does not count: an `assume` is false.
    Dropped,
    /// A limit was reached.
    Limit(String),
    /// Something is not modelled.
    Unsupported(Unsupported),
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// Its stores to get to memory.
    Buffer,
    /// A monitor.
    Monitor(Address),
    /// A notification.
    Notification(Address),
    /// The end of a thread.
    End(usize),
    /// A permit.
    Permit,
    /// A condition.
    Condition,
    /// The end of the threads that are ordered before it.
    Turn,
}

/// An error of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Whether it is an assertion that failed, and what that means; else an error that the engine found.
    pub assertion: Option<AssertSort>,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Option<Span>,
}

/// An error at a place.
pub(crate) fn fault<T>(message: &str, span: Option<Span>) -> Result<T, Stop> {
    Err(Stop::Failed(Fault { assertion: None, message: message.to_string(), span }))
}

/// Something at a place that is not modelled.
pub fn unsupported<T>(what: &str, span: Option<Span>) -> Result<T, Stop> {
    Err(Stop::Unsupported(Unsupported::new(what, span)))
}
