//! Threads that stand before an event.

use std::rc::Rc;

use operational::interpret::Fault;
use operational::state::Thread;
use operational::word::Word;
use program::{FunctionId, RegisterId, Span};

use super::number::{HistoryId, LocationId, Strength, ThreadNumber};

/// A thread that stands before an event, or at its end.
#[derive(Debug)]
pub struct Poised {
    /// The thread.
    pub thread: Rc<Thread>,
    /// How many blocks it has allocated.
    pub allocated: u32,
    /// Whether it stands inside of an atomic block.
    pub in_block: bool,
    /// What it does next.
    pub op: Op,
    /// The statement.
    pub span: Option<Span>,
    /// What it has done so far, if that is numbered.
    pub history: Option<HistoryId>,
    /// The pairs of different blocks, which may be freed, whose addresses it has compared since its last event.
    pub compared: Vec<(u32, u32)>,
}

/// What a choice is called where it is refused.
pub const CHOICE: &str = "a choice (such as which of several threads a signal wakes)";
/// What an operation that reads and writes is called where it is refused.
pub const UPDATE: &str = "a read-modify-write";

/// What a thread does next.
#[derive(Clone, Debug)]
pub enum Op {
    /// A load.
    Read(LocationId, Strength),
    /// A read-modify-write; the second strength is that of a compare-exchange that fails.
    Update(LocationId, Strength, Strength),
    /// An atomic block, which begins with a load.
    Block(LocationId, Strength),
    /// A store.
    Write(LocationId, Word, Strength),
    /// The write of a read-modify-write whose read was just made, and the thread after it.
    Rest(LocationId, Word, Strength, Rc<Poised>),
    /// A fence.
    Fence(Strength),
    /// The start of a thread.
    Spawn(FunctionId, Vec<Word>, RegisterId),
    /// The wait for the end of a thread.
    Join(ThreadNumber),
    /// A choice among as many numbers, from the first on, of a width.
    Choose(RegisterId, i64, u64, u8),
    /// The thread has come to its end.
    End,
    /// It has run into an error.
    Failed(Fault),
    /// The execution does not count.
    Dropped,
    /// It was not followed any further, and why.
    Endless(String),
    /// It has not been started.
    Unborn,
}

impl Op {
    /// The location that it reads, and how strong the read is.
    pub fn reads(&self) -> Option<(LocationId, Strength)> {
        match self {
            Op::Read(location, strength) | Op::Update(location, strength, _) | Op::Block(location, strength) => {
                Some((*location, *strength))
            }
            _ => None,
        }
    }

    /// What it is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Op::Read(..) => "a load",
            Op::Update(..) => UPDATE,
            Op::Block(..) => "an atomic block",
            Op::Write(..) | Op::Rest(..) => "a store",
            Op::Fence(_) => "a fence",
            Op::Spawn(..) => "the start of a thread",
            Op::Join(_) => "the wait for the end of a thread",
            Op::Choose(..) => CHOICE,
            Op::End | Op::Failed(_) | Op::Dropped | Op::Endless(_) | Op::Unborn => "the end of a thread",
        }
    }

    /// Whether nothing comes after it.
    pub fn is_last(&self) -> bool {
        matches!(self, Op::End | Op::Failed(_) | Op::Dropped | Op::Endless(_) | Op::Unborn)
    }
}
