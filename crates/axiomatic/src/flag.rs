//! Flags of models that are errors of whole programs: data races, and uses of memory that nothing orders with its beginning or end.

use relation::{ExprId, Formula};

use crate::model::{Axiom, AxiomKind, Model};
use crate::walk::Extras;

/// What models call data races.
pub const FLAG: &str = "data-race";

/// What models call accesses that nothing orders after the allocation of their memory.
pub const UNORDERED_ALLOCATION: &str = "unordered-allocation";

/// What models call stores that may get to memory after it was freed.
pub const LATE_STORE: &str = "late-store";

/// What the model flags that is an error in whole programs: races, accesses of memory that may not have been allocated, and stores that
/// may come too late. Those that there can be none of in the program are left out.
pub fn flags(model: &Model, extras: Extras) -> impl Iterator<Item = &Axiom> {
    let is_asked = move |name: &str| match name {
        FLAG => true,
        UNORDERED_ALLOCATION => extras.allocations,
        LATE_STORE => extras.ends,
        _ => false,
    };
    model.axioms.iter().filter(move |axiom| axiom.kind == AxiomKind::Flag && is_asked(&axiom.name))
}

/// Whether a flag is about the memory of whole programs.
pub fn is_of_memory(axiom: &Axiom) -> bool {
    axiom.name == UNORDERED_ALLOCATION || axiom.name == LATE_STORE
}

/// The relation of which a flag says that it is not empty.
pub fn flagged(axiom: &Axiom) -> Option<ExprId> {
    let Formula::Not(inner) = &axiom.formula else { return None };
    if let Formula::Empty(relation) = **inner { Some(relation) } else { None }
}
