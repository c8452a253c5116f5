//! What the relational logic of MemSAT (Torlak, Vaziri, Dolby 2010, section 3.1) has besides the format of the thesis:
//! multiplicities, cardinalities, comprehensions, and the value, location and monitor of an action.
//!
//! Cardinalities and multiplicities are told apart by one question: whether a relation has so many pairs, or more.

use std::sync::Arc;

use relation::Comprehension;
use relation::formula::{Expr, ExprId, Formula};

use super::elaborate::Elaborator;
use super::index::{IndexSort, Member, Parameter, suffix};
use super::predefined::{View, meaning};
use super::scope::Bound;
use super::syntax::{Comparison, Function, Index, Name, Syntax, Term};
use super::terms::Kind;

impl Elaborator<'_> {
    /// A cardinality compared with a number.
    pub(super) fn count(&mut self, term: &Term, comparison: Comparison, number: u32, bound: &mut Bound) -> Formula {
        let Some((id, _)) = self.term(term, bound) else { return Formula::Constant(true) };
        let number = number as usize;
        let at_least = Formula::AtLeast(number, id);
        match comparison {
            Comparison::AtMost => at_most(number, id),
            Comparison::AtLeast => at_least,
            Comparison::Exactly => Formula::And(vec![at_most(number, id), at_least]),
        }
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

    /// `{X : S | f}`: a set; `{X, Y : S | f}`: a relation. Other variables of the formula are those in sight.
    pub(super) fn comprehension(
        &mut self,
        variables: &[(Name, Term)],
        body: &Syntax,
        bound: &mut Bound,
    ) -> Option<(ExprId, Kind)> {
        let kind = if variables.len() == 1 { Kind::Set } else { Kind::Relation };
        if let Some((third, _)) = variables.get(2) {
            self.wrong("a comprehension has one variable or two", third.span);
            return None;
        }
        let outer = bound.quantified.len();
        let mut ranges = Vec::new();
        for (variable, set) in variables {
            self.capitalised(variable);
            if let Some((range, set_name)) = self.range(set, bound) {
                let fresh = self.fresh();
                bound.quantified.push((variable.text.clone(), fresh, set_name));
                ranges.push((fresh, range));
            }
        }
        let known = ranges.len() == variables.len();
        let body = known.then(|| self.formula(body, bound));
        bound.quantified.truncate(outer);
        let comprehension = Comprehension { variables: ranges, body: body? };
        Some((self.model.formulas.expr(Expr::Comprehension(Arc::new(comprehension))), kind))
    }
}

/// At most so many members.
pub(super) fn at_most(number: usize, id: ExprId) -> Formula {
    Formula::Not(Box::new(Formula::AtLeast(number + 1, id)))
}
