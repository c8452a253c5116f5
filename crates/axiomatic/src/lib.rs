//! Axiomatic memory models: a program and a model give an outcome.
//!
//! The answers are exact up to the loop bound: an execution found is an execution of the program that the model allows,
//! and if none is found there is none within the bound. Whether the bound can be exceeded is asked separately, and if it
//! can, nothing is concluded from not finding an execution.
//!
//! [`check()`] and [`outcomes`] answer litmus questions, [`consistency()`] checks bounded tests, [`whole`] programs that start
//! their threads themselves, and [`fences`] looks for missing fences.
//!
//! # Modules
//!
//! Each module uses only those before it; a test holds this order (`crates/cli/tests/architecture.rs`).
//!
//! 1. Models: `vocabulary` lists the sets and relations that models may speak of; `model` reads `.cat` and `.mm` files into
//!    named relational formulas; `flow` judges whether a model lets values come about in a circle, `scenario` whether its
//!    axioms forbid a few accesses of a thread, `together` whether they keep those of an atomic block together.
//! 2. Programs: `promote` (no locals), `inline` (no calls), `unroll` (no loops), `options` (what users set), `symmetry`
//!    (which threads can be exchanged), `plain` (which memory is accessed atomically alone).
//! 3. Walks: `walk` follows each thread for any domain of values; `values` is the domain of sets, which finds what loads may
//!    give; `symbolic` has the values that are circuits; `choice` leaves accesses open; `idle` says which iterations of loops may
//!    be left out, `flag` which flags of a model are errors.
//! 4. Possible events: `setting` is a program under a model with all that is known without search; `selector` says what of it
//!    may be left open; `events` walks it with circuits; `herd` joins events to those of herd's models.
//! 5. Constraints: `chain`, `bind` and `existential` make matrices of the vocabulary; `encoding` adds axioms and the question;
//!    `effect` leaves iterations of loops out; `speculate` binds several executions at once; `encode` puts all together.
//! 6. Solutions: `decode` takes one back to an execution and judges executions without the solver; `prune` makes problems
//!    smaller; `race` and `answer` say what was found.
//! 7. Questions: `explain` (why is an outcome forbidden?), `nesting` (may threads block each other?), `check` (final states), `consistency` (bounded tests), `whole`
//!    (programs from `main` on), `fences` (what is missing?).

// Models.
mod flow;
pub mod model;
mod scenario;
mod together;
pub mod vocabulary;

// Programs.
mod inline;
mod options;
mod plain;
mod promote;
mod symmetry;
mod unroll;

// Walks.
mod choice;
mod flag;
mod idle;
mod symbolic;
mod values;
mod walk;

// Possible events.
mod events;
mod herd;
mod selector;
mod setting;

// Constraints.
mod bind;
mod chain;
mod effect;
mod encode;
mod encoding;
mod existential;
mod speculate;

// Solutions.
mod answer;
mod decode;
mod prune;
mod race;

// Questions.
mod check;
mod consistency;
mod explain;
pub mod fences;
mod nesting;
pub mod whole;

pub use crate::check::{check, outcomes};
pub use crate::consistency::{Progress, Specification, consistency};
pub use crate::decode::broken_axioms;
pub use crate::flag::{UNORDERED_ALLOCATION, is_of_memory};
pub use crate::model::Model;
pub use crate::options::{Options, Reasons};

pub use crate::setting::Form;
pub use crate::unroll::{Iterations, LoopCopy};

/// Parts of the pipeline, for tests that look between them. Users have no need of them, and they change with it.
#[doc(hidden)]
pub mod internals {
    pub use crate::encode::encode;
    pub use crate::encoding::Encoding;
    pub use crate::explain::allows;
    pub use crate::fences::hitting::{Failure, cheapest};
    pub use crate::inline::inline;
    pub use crate::prune::unseen;
    pub use crate::selector::Statements;
    pub use crate::setting::{Plan, Setting};
    pub use crate::values::{Source, Unseen};
}
