//! Which variables are in sight where a formula or term stands.

use std::sync::Arc;

use relation::formula::{ExprId, Variable};

use super::index::Indices;

/// Variables in sight within one axiom.
#[derive(Default)]
pub(super) struct Bound {
    /// Index variables; those that no quantifier binds come first.
    pub(super) indices: Indices,
    /// How many of the indices no quantifier binds.
    pub(super) outer: usize,
    /// Innermost last: name, variable, name of its set.
    pub(super) quantified: Vec<(Arc<str>, Variable, Arc<str>)>,
    /// Those that no quantifier binds, in order of first use.
    pub(super) free: Vec<Free>,
    /// Whether there is no axiom around, so that no quantifier can be put there for variables of the model.
    pub(super) closed: bool,
}

impl Bound {
    /// In a definition, or in the set of a variable.
    pub(super) fn of_definition(indices: Indices) -> Bound {
        Bound { outer: indices.len(), indices, closed: true, ..Bound::default() }
    }
}

pub(super) struct Free {
    pub(super) name: Arc<str>,
    pub(super) variable: Variable,
    /// The set it ranges over, and its name.
    pub(super) set: ExprId,
    pub(super) set_name: Arc<str>,
}
