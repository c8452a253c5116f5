//! Satisfiability with assumptions, cores and an order theory.

mod closure;
mod core;
mod eliminate;
mod graph;
mod lit;
mod order;
mod solver;

pub use graph::GraphId;
pub use lit::Lit;
pub use solver::{Acyclicity, Answer, Budget, Interrupted, Solver, Statistics};
