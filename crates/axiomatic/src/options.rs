//! What users set.

use program::Property;
use sat::Budget;

use crate::unroll::Rounds;

/// How to check: what users set.
#[derive(Clone)]
pub struct Options {
    /// How often each loop body may run.
    pub rounds: Rounds,
    /// When to stop.
    pub budget: Budget,
    /// What to ask of a program without a question.
    pub property: Property,
    /// How many executions may justify the main one, under a model of several; by default as many as the program can
    /// need.
    pub executions: Option<usize>,
    /// Whether to explain a forbidden outcome, and keep a witness of each final state.
    pub explain: bool,
    /// Whether to look for flags.
    pub flags: bool,
    /// Whether rounds of loops that make no difference are left out: see the module `idle`.
    pub leave_out_idle_rounds: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rounds: Rounds::of_each(3),
            budget: Budget::default(),
            property: Property::Always,
            executions: None,
            explain: true,
            flags: true,
            leave_out_idle_rounds: true,
        }
    }
}
