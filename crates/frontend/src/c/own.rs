//! Variables of which each thread has its own, as data; `thread_local` says how they are made and passed on.

use program::{FunctionId, Value};

use super::types::Type;

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
}

impl Own {
    /// How many parameters every function has besides its own.
    pub fn count(&self) -> usize {
        self.start.map_or(0, |_| 1 + self.variables.len())
    }
}
