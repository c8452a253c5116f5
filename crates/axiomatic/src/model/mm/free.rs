//! Which index variables an axiom is a family over: those that it uses and does not bind.

use std::collections::HashMap;
use std::sync::Arc;

use super::index::IndexSort;
use super::syntax::{Index, Name, Reference, Syntax, Term, TermNode};

/// The index variables that a formula uses and does not bind, in order of first use. `variables` are those of actions, with
/// the sets they range over, which may use indices, too.
pub(super) fn free_indices(
    syntax: &Syntax,
    indices: &HashMap<Arc<str>, IndexSort>,
    variables: &HashMap<Arc<str>, Term>,
) -> Vec<Arc<str>> {
    let mut search = Search { indices, variables, hidden: Vec::new(), found: Vec::new() };
    search.formula(syntax);
    search.found
}

struct Search<'a> {
    indices: &'a HashMap<Arc<str>, IndexSort>,
    variables: &'a HashMap<Arc<str>, Term>,
    /// What is bound here.
    hidden: Vec<Arc<str>>,
    found: Vec<Arc<str>>,
}

impl Search<'_> {
    fn formula(&mut self, syntax: &Syntax) {
        match syntax {
            Syntax::Constant(_) => {}
            Syntax::Not(inner) => self.formula(inner),
            Syntax::And(parts) | Syntax::Or(parts) => parts.iter().for_each(|part| self.formula(part)),
            Syntax::Implies(left, right) | Syntax::Equivalent(left, right) => {
                self.formula(left);
                self.formula(right);
            }
            Syntax::Same(left, right) => {
                for name in [left, right] {
                    self.note(name);
                    self.argument(name);
                }
            }
            Syntax::Atom(reference, arguments) => {
                self.reference(reference);
                arguments.iter().for_each(|argument| self.argument(argument));
            }
            Syntax::Check(_, term) | Syntax::Count(term, ..) => self.term(term),
            Syntax::SameOf(_, indices, names) => {
                self.index_names(indices);
                names.iter().for_each(|name| self.argument(name));
            }
            Syntax::HasValue(indices, name, _) => {
                self.index_names(indices);
                self.argument(name);
            }
            Syntax::Within(left, right) => {
                for term in [left, right] {
                    term.plain().into_iter().for_each(|name| self.note(name));
                    self.term(term);
                }
            }
            Syntax::Quantified { variables, set, body, .. } => {
                self.term(set);
                self.within(variables.iter(), |search| search.formula(body));
            }
        }
    }

    fn term(&mut self, term: &Term) {
        match &term.node {
            TermNode::Empty => {}
            TermNode::Symbol(reference) => self.reference(reference),
            TermNode::Image(set, relation) => {
                self.term(set);
                self.term(relation);
            }
            TermNode::Comprehension { variables, body } => {
                variables.iter().for_each(|(_, set)| self.term(set));
                self.within(variables.iter().map(|(name, _)| name), |search| search.formula(body));
            }
            TermNode::Identity(inner)
            | TermNode::Domain(inner)
            | TermNode::Range(inner)
            | TermNode::Postfix(inner, _) => self.term(inner),
            TermNode::Chain(_, parts) => parts.iter().for_each(|part| self.term(part)),
        }
    }

    /// Searches where these names are bound.
    fn within<'n>(&mut self, names: impl Iterator<Item = &'n Name>, search: impl FnOnce(&mut Self)) {
        let outer = self.hidden.len();
        self.hidden.extend(names.map(|name| name.text.clone()));
        search(self);
        self.hidden.truncate(outer);
    }

    /// A variable of actions that nothing binds here: its own quantifier is outermost, and so are the indices of its set.
    fn argument(&mut self, name: &Name) {
        if !self.hidden.contains(&name.text)
            && let Some(set) = self.variables.get(&name.text)
        {
            let hidden = std::mem::take(&mut self.hidden);
            self.term(set);
            self.hidden = hidden;
        }
    }

    fn reference(&mut self, reference: &Reference) {
        self.index_names(&reference.indices);
    }

    fn index_names(&mut self, indices: &[Index]) {
        for index in indices {
            match index {
                Index::Name(name) | Index::Before(name) => self.note(name),
                Index::Zero(_) => {}
            }
        }
    }

    fn note(&mut self, name: &Name) {
        let text = &name.text;
        if self.indices.contains_key(text) && !self.hidden.contains(text) && !self.found.contains(text) {
            self.found.push(text.clone());
        }
    }
}
