//! Memory models: data, read from files, never Rust code.
//!
//! Both model languages become the same thing: a list of named formulas over the vocabulary. [`cat`] reads herd's
//! language, [`mm`] the labelled axioms of the CheckFence thesis.

use std::sync::Arc;

use program::{Sources, Span};
use relation::formula::{ExprId, Formula, Formulas};

pub mod cat;
pub mod mm;

/// A memory model.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name: the file's stem, or what the `model` line says.
    pub name: String,
    /// The texts that spans point into: the file and what it includes.
    pub sources: Sources,
    /// The expressions that all formulas below use.
    pub formulas: Formulas,
    /// What an execution must satisfy, and what is merely flagged.
    pub axioms: Vec<Axiom>,
    /// Relations that the model itself quantifies existentially, besides `rf` and `co`.
    pub existentials: Vec<Existential>,
    /// Names that the model gives to expressions, in order of definition; a later one may shadow an earlier one. They
    /// name the steps of an offending cycle.
    pub names: Vec<(String, ExprId)>,
    /// Relations that the model asks to be shown in pictures (`show`), by the name to show.
    pub shown: Vec<(String, ExprId)>,
}

/// What becomes of an execution that breaks an axiom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxiomKind {
    /// The model forbids it.
    Require,
    /// The model allows it; when the formula *holds* the report raises a flag of the axiom's name (cat's `flag`). For
    /// cat's `undefined_unless` the formula is stored negated, so that holding always means raised.
    Flag,
}

/// A named formula of a model.
#[derive(Clone, Debug)]
pub struct Axiom {
    /// The name after `as`, or the label; else made from the check: `acyclic-1`.
    pub name: String,
    /// Whether it is required or flagged.
    pub kind: AxiomKind,
    /// The formula.
    pub formula: Formula,
    /// Where it stands.
    pub span: Span,
}

/// A relation that the model quantifies existentially: an execution is allowed if some choice of it fits.
#[derive(Clone, Debug)]
pub struct Existential {
    /// The name of its [`relation::formula::Expr::Base`] or [`Formula::Free`]. Unique: a shadowed name gets a suffix.
    pub name: Arc<str>,
    /// What it ranges over.
    pub range: Range,
    /// Where it is declared.
    pub span: Span,
}

/// What an existential relation ranges over.
#[derive(Clone, Debug)]
pub enum Range {
    /// Strict total orders of the set `on` that contain `contains` (cat's `linearisations`).
    Linearisation {
        /// The set to order.
        on: ExprId,
        /// Pairs that the order must contain.
        contains: ExprId,
    },
    /// Relations whose arguments come from these sets, one set per argument.
    Relation(Vec<ExprId>),
}
