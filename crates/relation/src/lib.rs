//! Relational formulas over a finite universe, answered by an instance or a minimal core: our Kodkod.
//!
//! - [`formula`]: relational expressions and formulas, hash-consed; what memory models are made of.
//! - [`circuit`]: Boolean circuits over a solver; [`matrix`]: relations as sparse matrices of circuit signals.
//! - [`translate`]: expressions to matrices; [`mod@require`]: formulas to constraints.
//! - [`evaluate`]: expressions and formulas on a given instance, without any solver; this is what witnesses are checked
//!   with, and what explains a violated axiom.

pub mod circuit;
pub mod evaluate;
pub mod formula;
pub mod matrix;
pub mod pairs;
pub mod require;
pub mod translate;

pub use circuit::{Bit, Circuit, Valuation};
pub use evaluate::{Evaluation, Instance};
pub use formula::{Comprehension, Expr, ExprId, Formula, Formulas, Recursive, Variable};
pub use matrix::{Matrix, Universe};
pub use pairs::Pairs;
pub use translate::{Mode, Translation};
