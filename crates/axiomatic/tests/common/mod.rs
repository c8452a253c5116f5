//! What the engine's tests share: shipped models by name, random programs, what every answer must withstand, and two
//! enumerators that share nothing with the engine but the program representation: interleavings of store-buffer machines,
//! and candidate executions.

#![allow(dead_code)]

pub mod campaign;
pub mod candidates;
pub mod explorer;
pub mod judge;
pub mod random;

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
