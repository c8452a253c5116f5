//! What instructions do to memory, as far as it can be told without running them.

use program::{FunctionId, Pointer};

/// What an instruction may access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// This cell.
    Cell(Pointer),
    /// Some cell with this last offset.
    Last(i64),
    /// Some cell.
    Some,
    /// One of these cells of blocks, or any cell of the block if no path is given.
    OneOf(Vec<(u32, Option<Vec<i64>>)>),
}

/// How a cell is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    /// It is read.
    Read,
    /// It is written.
    Write,
}

/// What an instruction does to memory, sooner or later.
pub(crate) enum Effect {
    /// It accesses a cell.
    Access(Sort, Target),
    /// It calls or starts code, by number.
    Calls(Vec<usize>),
}

/// The code of a function, with what it does to memory.
pub(crate) struct Code {
    /// The function.
    pub function: FunctionId,
    /// By block: the instructions with an effect, by place.
    pub effects: Vec<Vec<(usize, Effect)>>,
}
