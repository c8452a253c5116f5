//! Relational formulas over a finite universe, answered by an instance or a minimal core.
//!
//! - [`formula`]: relational expressions and formulas, hash-consed; what memory models are made of.

pub mod formula;
