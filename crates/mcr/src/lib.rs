//! One execution for each class of executions.
//!
//! [`histories`] explores the executions of the machines sc, tso and pso; a class is what every thread reads. [`graphs`] builds
//! the executions of an axiomatic model event by event; a class is reads-from and coherence. The answers of both are exact, as those of
//! the search over all states and of the solver are.

pub mod graphs;
pub mod histories;

pub use histories::{Answer, Options, answer, check, outcomes};
