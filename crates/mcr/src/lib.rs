//! One execution for each class of executions in which every thread reads the same values.
//!
//! [`histories`] explores the executions of the machines sc, tso and pso: its answers are exact, as those of the search over
//! all states are.

pub mod histories;

pub use histories::{Answer, Options, answer, check, outcomes};
