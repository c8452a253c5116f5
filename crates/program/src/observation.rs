//! What an execution of a bounded test of a data type shows.
//!
//! A bounded test is a program whose threads (and setup) do nothing but call operations, one after the other: the
//! operations of a thread are the calls in its entry function. What an operation shows is what the `observe` instructions
//! in it say, by label. Two executions with equal observations cannot be told apart by the caller of the operations.

use std::sync::Arc;

use crate::ir::{FunctionId, InstructionKind, Program};
use crate::value::Value;

/// What one operation showed: arguments and results, by label, in order of the labels' text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shown {
    /// The name of the function called.
    pub operation: Arc<str>,
    /// Each label and the value shown under it. No label twice.
    pub values: Vec<(Arc<str>, Value)>,
}

/// What an execution showed: for each sequence of operations, what each of them did. The setup comes first (empty, if
/// there is none), then the threads in order.
pub type Observation = Vec<Vec<Shown>>;

/// The operations that the entry function of a thread, or the setup, calls, by name.
pub fn operations(program: &Program, entry: FunctionId) -> Vec<Arc<str>> {
    let called = program[entry].instructions().filter_map(|instruction| match instruction.kind {
        InstructionKind::Call { function, .. } => Some(function),
        _ => None,
    });
    called.map(|function| program.function(function).name.as_str().into()).collect()
}
