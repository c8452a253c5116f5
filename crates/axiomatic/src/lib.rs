//! Axiomatic memory models: a program and a model give an outcome.
//!
//! - [`model`] reads memory models (`.cat` and `.mm` files) into named relational formulas;
//! - [`vocabulary`] lists the sets and relations that models may speak of.

pub mod model;
pub mod vocabulary;
