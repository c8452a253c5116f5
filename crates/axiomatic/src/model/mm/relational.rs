//! What the relational logic of MemSAT (Torlak, Vaziri, Dolby 2010, section 3.1) has besides the format of the thesis:
//! multiplicities, cardinalities, comprehensions, and the value, location and monitor of an action.
//!
//! Multiplicities and cardinalities become quantifiers, so that engines need not know them.

use std::sync::Arc;

use relation::Comprehension;
use relation::formula::{Expr, ExprId, Formula, Variable};

use super::axioms::Bound;
use super::elaborate::Elaborator;
use super::index::{IndexSort, Indices, Member, Parameter, suffix};
use super::predefined::{View, meaning};
use super::syntax::{Comparison, Function, Index, Name, Syntax, Term};
use super::terms::Kind;

impl Elaborator<'_> {
    /// At most one member. A relation has at most one pair if it relates at most one thing to at most one thing.
    pub(super) fn lone(&mut self, id: ExprId, kind: Kind) -> Formula {
        if kind == Kind::Relation {
            let domain = self.model.formulas.expr(Expr::Domain(id));
            let range = self.model.formulas.expr(Expr::Range(id));
            return Formula::And(vec![self.lone(domain, Kind::Set), self.lone(range, Kind::Set)]);
        }
        let (x, y) = (self.fresh(), self.fresh());
        let inner = Formula::ForAll(y, id, Box::new(Formula::Same(x, y)));
        Formula::ForAll(x, id, Box::new(inner))
    }

    /// A cardinality compared with a number.
    pub(super) fn count(&mut self, term: &Term, comparison: Comparison, number: u32, bound: &Bound) -> Formula {
        let Some((id, kind)) = self.term(term, &bound.indices) else { return Formula::Constant(true) };
        let mut at_most = || Formula::Not(Box::new(self.at_least(id, kind, number + 1)));
        match comparison {
            Comparison::AtMost => at_most(),
            Comparison::AtLeast => self.at_least(id, kind, number),
            Comparison::Exactly => Formula::And(vec![at_most(), self.at_least(id, kind, number)]),
        }
    }

    /// So many different members.
    fn at_least(&mut self, id: ExprId, kind: Kind, number: u32) -> Formula {
        let formulas = &mut self.model.formulas;
        let (domain, range) = match kind {
            Kind::Relation => (formulas.expr(Expr::Domain(id)), formulas.expr(Expr::Range(id))),
            _ => (id, id),
        };
        let members: Vec<(Variable, Variable)> = (0..number)
            .map(|_| {
                let first = self.fresh();
                (first, if kind == Kind::Relation { self.fresh() } else { first })
            })
            .collect();
        let mut parts: Vec<Formula> = members.iter().map(|&(x, y)| Formula::Member(id, x, y)).collect();
        for (index, &(x, y)) in members.iter().enumerate() {
            for &(v, w) in &members[index + 1..] {
                let same = Formula::And(vec![Formula::Same(x, v), Formula::Same(y, w)]);
                parts.push(Formula::Not(Box::new(same)));
            }
        }
        members.iter().rev().fold(Formula::And(parts), |body, &(x, y)| {
            let inner = if x == y { body } else { Formula::Exists(y, range, Box::new(body)) };
            Formula::Exists(x, domain, Box::new(inner))
        })
    }

    /// Whether two actions have the same value, location or monitor.
    pub(super) fn same_of(
        &mut self,
        function: Function,
        indices: &[Index],
        names: &[Name; 2],
        bound: &mut Bound,
    ) -> Formula {
        let symbol = match function {
            Function::Value => "same_value",
            Function::Location => "same_location",
            Function::Monitor => "same_monitor",
        };
        let run = self.run(indices, bound);
        let uses = (self.use_of(&names[0], bound), self.use_of(&names[1], bound));
        let (Some(run), (Some((x, _)), Some((y, _)))) = (run, uses) else { return Formula::Constant(true) };
        let view = View { suffix: &run, speculative: self.speculative };
        Formula::Member(meaning(symbol, view, &mut self.model.formulas), x, y)
    }

    pub(super) fn has_value(&mut self, indices: &[Index], name: &Name, number: i64, bound: &mut Bound) -> Formula {
        let (run, variable) = (self.run(indices, bound), self.use_of(name, bound));
        let (Some(run), Some((x, _))) = (run, variable) else { return Formula::Constant(true) };
        Formula::Member(self.model.formulas.base(&format!("value={number}{run}")), x, x)
    }

    /// What the names of sets and relations of an execution end in; that of the main one may go without saying.
    fn run(&mut self, indices: &[Index], bound: &Bound) -> Option<String> {
        let [index] = indices else {
            if let Some(second) = indices.get(1) {
                self.wrong("the value, location or monitor of an action has one index, the execution", second.span());
                return None;
            }
            return Some(String::new());
        };
        let member = match index {
            Index::Name(name) if &*name.text == "main" => Some(Member::Main),
            Index::Name(name) => {
                self.index_in_sight(name, bound).filter(|(sort, _)| sort.is_speculative()).map(|(_, m)| m)
            }
            _ => None,
        };
        match member {
            Some(member) => Some(suffix(&[Parameter::Over(IndexSort::Run)], &[member])),
            None => {
                self.wrong("this is no execution", index.span());
                None
            }
        }
    }

    /// `{X : S | f}`: a set; `{X, Y : S | f}`: a relation.
    pub(super) fn comprehension(
        &mut self,
        variables: &[Name],
        set: &Term,
        body: &Syntax,
        indices: &Indices,
    ) -> Option<(ExprId, Kind)> {
        let kind = if variables.len() == 1 { Kind::Set } else { Kind::Relation };
        if let Some(third) = variables.get(2) {
            self.wrong("a comprehension has one variable or two", third.span);
            return None;
        }
        let (range, set_name) = self.range(set, indices)?;
        let mut bound = Bound { outer: indices.len(), indices: indices.clone(), ..Bound::default() };
        let mut ranges = Vec::new();
        for variable in variables {
            self.capitalised(variable);
            let fresh = self.fresh();
            bound.quantified.push((variable.text.clone(), fresh, set_name.clone()));
            ranges.push((fresh, range));
        }
        let body = self.formula(body, &mut bound);
        let outside = bound.free.first().map(|free| free.name.clone());
        if let Some(name) = outside {
            self.wrong(format!("`{name}` is no variable of this comprehension"), set.span);
            return None;
        }
        if has_check(&body) {
            self.wrong("a comprehension says nothing about whole relations", set.span);
            return None;
        }
        let comprehension = Comprehension { variables: ranges, body };
        Some((self.model.formulas.expr(Expr::Comprehension(Arc::new(comprehension))), kind))
    }
}

/// Whether a formula says something about a whole relation.
fn has_check(formula: &Formula) -> bool {
    match formula {
        Formula::Acyclic(_) | Formula::Irreflexive(_) | Formula::Empty(_) | Formula::TotalOrder { .. } => true,
        Formula::ForAll(_, _, inner) | Formula::Exists(_, _, inner) | Formula::Not(inner) => has_check(inner),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(has_check),
        Formula::Constant(_) | Formula::Member(..) | Formula::Free(..) | Formula::Same(..) => false,
    }
}
