//! The labelled-axiom format of the CheckFence thesis (Burckhardt 2007, section 3.5).
//!
//! ```text
//! model NAME
//!   predefined                    what the model uses of the symbols that have a meaning already
//!     set instruction
//!     predicate load(access)
//!     relation seed(load, store)
//!   exists                        relations that an execution must have, of any number of arguments
//!     relation memory_order(access, access)
//!   forall                        variables, capitalised, perhaps with primes, and the sets they range over
//!     S, S' : store
//!   require                       axioms; variables that no quantifier binds are universal
//!     <label> seed(L, S) => memory_order(S, L)
//! end model
//! ```
//!
//! Formulas, from the loosest operator to the tightest: `<=>`; `=>` (to the right); `|`; `&`; `~`; then `X = Y`, `R(X, Y)`,
//! `true`, `false`, brackets, and the quantifiers `forall X, Y : store . f` or `forall store X : f` (and `exists`), which
//! reach as far as they can. Comments are `// ..` and `(* .. *)`. Sections may come in any order and more than once.
//!
//! Predefined symbols and their meaning (`predefined` has the table): executions have no initial writes here, so `store` is
//! `W \ IW`, `instruction` all events but `IW`, and a load has a seed if it reads from a store. To the thesis's symbols we
//! add `coherence(store, store)`, the order in which stores take effect on each cell; it decides the final values of memory.
//!
//! Two things are done on the user's behalf:
//! - Axioms that say that an existential relation on one set is transitive, irreflexive (or asymmetric) and total, in
//!   whatever order and with whatever variables, become one axiom that says "is a total order", named by their labels
//!   ("T1, T2, T3"): engines have a theory for that.
//! - If a model does not use `coherence` and has exactly one such total order and that orders the stores, then the axiom
//!   `coherence` is added: stores of one cell take effect in that order.

use program::{Diagnostics, Sources};

use super::Model;

mod elaborate;
mod lexer;
mod order;
mod parser;
mod predefined;

/// How many errors are reported at most.
const MESSAGES: usize = 50;

/// Reads a model in the thesis's format. The model's name is what its first line says.
pub fn load(name: &str, text: &str) -> Result<Model, Diagnostics> {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let mut messages = Vec::new();
    let parsed = parser::parse(file, text, &mut messages);
    let model = elaborate::elaborate(name, parsed, sources.clone(), &mut messages);
    messages.truncate(MESSAGES);
    messages.sort_by_key(|message| message.span);
    if messages.is_empty() { Ok(model) } else { Err(Diagnostics { sources, messages }) }
}
