//! Variables of which each thread has its own, as data; `thread_local` says how they are made and passed on.

use program::{FunctionId, Operand, Value};

use super::types::Type;

/// What functions are given if one asks for the number of its thread in a bounded test, or for how many threads that has.
pub const NUMBERS: [&str; 2] = ["thread number", "number of threads"];

/// A variable of which each thread has its own.
#[derive(Clone, Debug)]
pub struct ThreadLocal {
    /// Its name; within a function behind the function's name and a dot.
    pub name: String,
    /// Its type.
    pub of: Type,
    /// The initial values of its cells.
    pub cells: Vec<(Vec<i64>, Value)>,
}

/// What every function is given.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// The variables.
    pub variables: Vec<ThreadLocal>,
    /// The function that makes them, if there are any or a function asks which thread runs.
    pub start: Option<FunctionId>,
    /// Whether a function asks for the number of its thread in a bounded test, or for how many threads that has.
    pub is_numbered: bool,
}

impl Own {
    /// How many values the function gives that makes them: the thread's identity, then their addresses.
    pub fn count(&self) -> usize {
        self.start.map_or(0, |_| 1 + self.variables.len())
    }

    /// What functions are given behind these: the number of the thread and how many there are, as a bounded test has them.
    /// In whole programs they are not defined.
    pub fn unnumbered(&self) -> Vec<Operand> {
        vec![Operand::Constant(Value::Undefined); if self.is_numbered { NUMBERS.len() } else { 0 }]
    }
}
