//! What users set.

use program::Property;
use sat::Budget;

use crate::unroll::Iterations;

/// How to check: what users set.
#[derive(Clone)]
pub struct Options {
    /// How often each loop body may run.
    pub iterations: Iterations,
    /// When to stop.
    pub budget: Budget,
    /// What to ask of a program without a question.
    pub property: Property,
    /// How many executions may justify the main one, under a model of several; by default as many as the program can
    /// need.
    pub executions: Option<usize>,
    /// Whether to explain a forbidden outcome, and keep a witness of each final state.
    pub explain: bool,
    /// How good the reasons must be.
    pub reasons: Reasons,
    /// Whether to look for flags.
    pub flags: bool,
    /// Whether iterations of loops that make no difference are left out: see the module `idle`.
    pub leave_out_idle_iterations: bool,
    /// Whether integers have only the bits, and reads only the writes, that an analysis finds possible: see the module `values`.
    pub ranges: bool,
}

/// How good the reasons for a forbidden outcome must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reasons {
    /// Each is needed.
    #[default]
    Minimal,
    /// Those that the solver used: found at once, but some may be superfluous.
    Any,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            iterations: Iterations::of_each(3),
            budget: Budget::default(),
            property: Property::Always,
            executions: None,
            explain: true,
            reasons: Reasons::Minimal,
            flags: true,
            leave_out_idle_iterations: true,
            ranges: true,
        }
    }
}
