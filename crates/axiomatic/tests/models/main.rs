//! The model languages: a model's text in, its meaning or its errors out.

mod axioms;
mod cat;
mod shipped;

use axiomatic::model::{Shape, describe, mm};
use expect_test::Expect;

/// Reads a model with families and makes it for a program of `[threads, locations, executions]`.
fn check_family(shape: [usize; 3], text: &str, expected: Expect) {
    let [threads, locations, executions] = shape;
    expected.assert_eq(&match mm::load("test.mm", text) {
        Ok(model) => describe(&model.instantiate(Shape { threads, locations, executions })),
        Err(errors) => format!("{errors}\n"),
    });
}
