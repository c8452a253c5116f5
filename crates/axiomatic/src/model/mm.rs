//! The labelled-axiom format of the CheckFence thesis (Burckhardt 2007, section 3.5), with families, definitions, orders and
//! several executions of one program, which the models of MemSAT (Torlak, Vaziri, Dolby 2010) need.
//!
//! ```text
//! model NAME                      words, perhaps joined by `-`
//! executions                      only if the model speaks of several executions
//!   predefined                    what the model uses of the symbols that have a meaning already
//!     set instruction
//!     predicate load(access)
//!     relation seed(load, store)
//!     predicate of[thread](action)
//!   define                        sets and relations made of others, in terms of what stands before
//!     set view[P] = load & of[P] | store
//!     relation fr = seed; coherence
//!   exists                        what an execution must have: relations, of any number of arguments, and orders
//!     relation memory_order(access, access)
//!     predicate committed[execution](action)
//!     order ord[P] on view[P]     a strict total order of a set; it may go on `containing program_order`
//!   forall                        variables, capitalised, perhaps with primes, and the sets they range over
//!     S, S' : store
//!     P     : thread              an index variable
//!   require                       axioms; variables that no quantifier binds are universal
//!     <label> seed(L, S) => memory_order(S, L)
//!   show                          definitions that witnesses show, for each execution its own
//!     sw, hb
//! end model
//! ```
//!
//! Formulas, from the loosest operator to the tightest: `<=>`; `=>` (to the right); `|`; `&`; `~`; then `X = Y`, `R(X, Y)`,
//! `true`, `false`, brackets, the checks `acyclic r`, `irreflexive r`, `empty r` (or `no r`), `some r`, `one r`, `lone r`, a
//! cardinality compared with a number (`#r <= 2`, also `>=` and `=`), the containment `r <= s`, whether two actions have
//! the same value, location or monitor (`V(X) = V(Y)`, `l(X) = l(Y)`, `m(X) = m(Y)`; `V(X) = 3`), and the quantifiers
//! `forall X, Y : store . f` or `forall store X : f` (and `exists`), which reach as far as they can. Comments are `// ..` and
//! `(* .. *)`. Sections may come in any order and more than once.
//!
//! Terms, which stand in definitions, checks and containments and for sets, also reach as far as they can: `(r <= s) & f` needs
//! its brackets. From the loosest operator to the tightest, as in cat: `|`; `;`; `\`; `&`; `S * T`; then what follows a term,
//! `^+`, `^*`, `^-1` and `?`; then names, brackets, `[S]` for the identity on a set, `domain(r)`, `range(r)`, `image(S, r)` (what
//! `r` relates members of `S` to), `0`, and the comprehensions `{X : S | f}` (a set), `{X, Y : S | f}` and
//! `{X : S, Y : T | f}` (relations). In axioms their formulas may use the variables in sight where they stand.
//!
//! Families. A symbol may have one member for each thread, location or execution of a program. An index variable is declared
//! or quantified over one of four sorts:
//! - `thread`, `location`;
//! - `execution`: E_1..E_k;
//! - `run`: the main execution or one of E_1..E_k.
//!
//! A definition or an order names its index variables, `hb[E]`; a relation or predicate in `exists` the sorts, `p[thread]`. One
//! that is declared over `execution` there has the members 0..k, so that `[I-1]`, `[0]` and `[last]` (which is k) mean one.
//! In a model of several executions every predefined symbol is a family over runs, besides the index that it may have
//! anyway: `po[I]`, `of[P, I]`. That of the main execution may be left out, or written `main`. Between two variables over
//! executions `I <= J` is their order, and `P = Q` compares indices of any sort.
//!
//! A model with families is one for each shape of program ([`Model::instantiate`]). All instances of an axiom are one axiom.
//!
//! Predefined symbols and their meaning (`predefined` has the table). Those of the thesis are about executions without
//! initial writes, so `store` is `W \ IW`, `instruction` all events but `IW`, and a load has a seed if it reads from a store;
//! to them we add `coherence(store, store)`, the order in which stores take effect on each cell; it decides the final
//! values of memory. Those of MemSAT have them: `write` is `W`, `action` all that is executed.
//!
//! Two things are done on the user's behalf:
//! - Axioms that say that an existential relation on one set is transitive, irreflexive (or asymmetric) and total, in
//!   whatever order and with whatever variables, become one axiom that says "is a total order", named by their labels
//!   ("T1, T2, T3"): engines have a theory for that.
//! - If a model does not use `coherence` and has exactly one such total order and that orders the stores, then the axiom
//!   `coherence` is added: stores of one cell take effect in that order.

use std::collections::HashSet;
use std::sync::Arc;

use program::{Diagnostics, Sources};

use super::{Model, Shape};

mod axioms;
mod behalf;
mod declare;
mod elaborate;
mod free;
mod index;
mod lexer;
mod order;
mod parser;
mod predefined;
mod relational;
mod scope;
mod syntax;
mod terms;

/// How many errors are reported at most.
const MESSAGES: usize = 50;

/// Reads a model in the thesis's format. The model's name is what its first line says.
pub fn load(name: &str, text: &str) -> Result<Model, Diagnostics> {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let mut messages = Vec::new();
    let parsed = parser::parse(file, text, &mut messages);
    let (mut model, families) = elaborate::check(name, &parsed, sources.clone(), &mut messages);
    // What is wrong with a family is found once for each member.
    let mut seen = HashSet::new();
    messages.retain(|message| seen.insert((message.span, message.message.clone())));
    messages.truncate(MESSAGES);
    messages.sort_by_key(|message| message.span);
    if !messages.is_empty() {
        return Err(Diagnostics { sources, messages });
    }
    if families {
        model.template = Some(Arc::new(Template { name: name.to_string(), file: parsed }));
    }
    Ok(model)
}

/// The text of a model with families, from which models for programs are made.
#[derive(Debug)]
pub(crate) struct Template {
    /// The name of the file.
    name: String,
    /// Invariant: nothing is wrong in it.
    file: syntax::File,
}

impl Template {
    pub(super) fn is_speculative(&self) -> bool {
        self.file.executions
    }

    /// The model for a program of this shape; `model` is the one that this template came with.
    pub(super) fn instantiate(&self, model: &Model, shape: Shape) -> Model {
        let made = elaborate::instantiate(&self.name, &self.file, model.sources.clone(), shape);
        Model { template: model.template.clone(), ..made }
    }
}
