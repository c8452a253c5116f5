//! What is done on the user's behalf: total orders recognised, the order of stores tied to coherence.

use std::sync::Arc;

use relation::formula::{Expr, ExprId, Formula, Formulas};

use super::super::{Axiom, AxiomKind, Range};
use super::axioms::implies;
use super::elaborate::{Elaborator, reaches};
use super::order::{Part, part};
use super::predefined::{PREDEFINED, indices, within};
use super::syntax::Sort;

impl Elaborator<'_> {
    /// Replaces the three axioms of each total order by one; gives the orders found and the names of their sets.
    pub(super) fn total_orders(&mut self) -> Vec<(ExprId, Arc<str>)> {
        let mut orders = Vec::new();
        for existential in self.model.existentials.clone() {
            let Range::Relation(sets) = &existential.range else { continue };
            let [on, same] = sets[..] else { continue };
            if on != same {
                continue;
            }
            let order = self.model.formulas.base(&existential.name);
            let find =
                |wanted| self.model.axioms.iter().position(|axiom| part(&axiom.formula, order, on) == Some(wanted));
            let places = [Part::Transitive, Part::Irreflexive, Part::Total].map(find);
            let [Some(a), Some(b), Some(c)] = places else { continue };
            let mut places = [a, b, c];
            places.sort();
            let names: Vec<String> = places.iter().map(|place| self.model.axioms[*place].name.clone()).collect();
            let merged = Axiom {
                name: names.join(", "),
                kind: AxiomKind::Require,
                formula: Formula::TotalOrder { order, on },
                span: self.model.axioms[places[0]].span,
                statement: self.model.axioms[places[0]].statement,
                parts: places.iter().map(|place| self.model.axioms[*place].clone()).collect(),
            };
            self.model.axioms.remove(places[2]);
            self.model.axioms.remove(places[1]);
            self.model.axioms[places[0]] = merged;
            let domain = PREDEFINED
                .iter()
                .filter(|(_, sort, _)| *sort != Sort::Relation)
                .map(|(name, ..)| *name)
                .find(|name| indices(name).is_empty() && self.set(name) == on);
            orders.push((order, domain.unwrap_or_default().into()));
        }
        orders
    }

    /// Ties the only total order of stores to coherence, in a model that does not say how.
    pub(super) fn coherence(&mut self, orders: &[(ExprId, Arc<str>)]) {
        let coherence = self.model.formulas.base("co");
        if self.model.axioms.iter().any(|axiom| mentions(&axiom.formula, coherence, &self.model.formulas)) {
            return;
        }
        let [(order, domain)] = orders else { return };
        if !within("store", domain) {
            return;
        }
        let (x, y) = (self.fresh(), self.fresh());
        let stores = self.set("store");
        let body = implies(Formula::Member(coherence, x, y), Formula::Member(*order, x, y));
        let inner = Formula::ForAll(y, stores, Box::new(body));
        let formula = Formula::ForAll(x, stores, Box::new(inner));
        let span = self.model.existentials.iter().find(
            |existential| matches!(self.model.formulas.node(*order), Expr::Base(name) if *name == existential.name),
        );
        let Some(span) = span.map(|existential| existential.span) else { return };
        let (name, kind, statement, parts) = ("coherence".into(), AxiomKind::Require, None, Vec::new());
        self.model.axioms.push(Axiom { name, kind, formula, span, statement, parts });
    }
}

fn mentions(formula: &Formula, relation: ExprId, formulas: &Formulas) -> bool {
    match formula {
        Formula::Member(found, ..) | Formula::Acyclic(found) | Formula::Irreflexive(found) | Formula::Empty(found) => {
            reaches(formulas, *found, formulas.node(relation))
        }
        Formula::ForAll(_, _, inner) | Formula::Exists(_, _, inner) | Formula::Not(inner) => {
            mentions(inner, relation, formulas)
        }
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| mentions(part, relation, formulas)),
        _ => false,
    }
}
