//! What the tests of several crates share: shipped models by name, random programs, what every answer must withstand, and
//! oracles that share nothing with the engines but the program representation (candidate executions, interleavings of
//! store-buffer machines) or the interpreter (classes of executions by brute force).
//!
//! - [`random`] makes programs, [`concurrent_c`] programs in C, [`generate`] and [`waiting`] those that synchronise, reuse memory and wait in loops; [`shrink`]
//!   makes a failing one smaller; [`campaign`] runs many, [`effort`] says how many.
//! - [`explorer`], [`candidates`], [`oracle`], [`mixed_sizes`], [`litmus_c`] and [`graphs`] find out by brute force what there is; [`found`] says it of an exploration.
//! - [`judge`] holds what every answer of the axiomatic engine must withstand.

// Helpers of tests: names say what they are.
#![allow(missing_docs)]

pub mod campaign;
pub mod candidates;
pub mod concurrent_c;
pub mod effort;
pub mod explorer;
pub mod found;
pub mod generate;
pub mod graphs;
pub mod judge;
pub mod litmus_c;
pub mod mixed_sizes;
pub mod oracle;
pub mod random;
pub mod shrink;
pub mod waiting;

use axiomatic::Model;
use program::{Verified, verify};

/// A shipped model by file name.
pub fn model(file: &str) -> Model {
    let (_, text) = axiomatic::model::shipped().iter().find(|(name, _)| *name == file).expect("a shipped model");
    axiomatic::model::load(file, text, &|_| None).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

/// A program from its text form.
pub fn program(text: &str) -> Verified {
    let program = program::text::parse("test.ir", text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}"))
}
