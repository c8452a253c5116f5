//! Do the axioms of a model forbid a few accesses, whatever else happens?
//!
//! A scenario is a few accesses of one thread and one cell, of which it is known how they follow each other and which write each
//! read sees. Everything else about them is open: their annotations, and all other events. [`forbids`] draws conclusions
//! from the axioms (unit propagation over three truth values) until one contradicts another. So "yes" holds of every execution that
//! contains the scenario; "no" is always a safe answer. This is for models that say by quantified formulas what cat says by cycles.

use std::collections::BTreeMap;
use std::sync::Arc;

use relation::formula::Variable;
use relation::{Expr, ExprId, Formula, Formulas};

use crate::flow::is_set;
use crate::model::{AxiomKind, Model};

/// A kind of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A read.
    Read,
    /// A write.
    Write,
}

/// A few accesses of one thread and one cell, in program order.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Their kinds.
    pub accesses: Vec<Kind>,
    /// For each pair of a write and a read that sees it, their places in `accesses`. Every read sees one.
    pub sees: Vec<(usize, usize)>,
    /// Pairs of writes of which the first comes before the second in coherence.
    pub coherence: Vec<(usize, usize)>,
}

/// Whether no execution that the model allows contains the scenario.
pub fn forbids(model: &Model, scenario: &Scenario) -> bool {
    let chosen = model.existentials.iter().map(|existential| existential.name.clone()).collect();
    let mut known = Known { formulas: &model.formulas, scenario, chosen, pairs: BTreeMap::new(), changed: true };
    let required: Vec<&Formula> =
        model.axioms.iter().filter(|axiom| axiom.kind == AxiomKind::Require).map(|axiom| &axiom.formula).collect();
    while std::mem::take(&mut known.changed) {
        for formula in &required {
            if known.require(formula, true, &mut Vec::new()) == Err(Contradiction) {
                return true;
            }
        }
    }
    false
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Contradiction;

/// What variables stand for.
type Values = Vec<(Variable, usize)>;

/// What is known of a scenario.
struct Known<'a> {
    formulas: &'a Formulas,
    scenario: &'a Scenario,
    /// The relations that the model chooses.
    chosen: Vec<Arc<str>>,
    /// Of these, which pairs are in them, and which are not.
    pairs: BTreeMap<(Arc<str>, usize, usize), bool>,
    changed: bool,
}

impl Known<'_> {
    fn size(&self) -> usize {
        self.scenario.accesses.len()
    }

    /// The accesses that are known to be in a set.
    fn members(&self, set: ExprId) -> Vec<usize> {
        (0..self.size()).filter(|&event| self.pair(set, event, event) == Some(true)).collect()
    }

    /// Concludes what must be so for the formula to be true, or false.
    fn require(&mut self, formula: &Formula, truth: bool, values: &mut Values) -> Result<(), Contradiction> {
        match (formula, truth) {
            (Formula::Not(inner), _) => self.require(inner, !truth, values),
            (Formula::ForAll(variable, set, body), true) | (Formula::Exists(variable, set, body), false) => {
                for event in self.members(*set) {
                    values.push((*variable, event));
                    self.require(body, truth, values)?;
                    values.pop();
                }
                Ok(())
            }
            (Formula::And(parts), true) | (Formula::Or(parts), false) => {
                parts.iter().try_for_each(|part| self.require(part, truth, values))
            }
            (Formula::And(parts), false) | (Formula::Or(parts), true) => self.one_of(parts, truth, values),
            (Formula::Member(expr, x, y), _) => match (value(values, *x), value(values, *y)) {
                (Some(x), Some(y)) => self.require_pair(*expr, x, y, truth),
                _ => Ok(()),
            },
            (Formula::TotalOrder { order, on }, true) => self.order(*order, *on),
            (Formula::Acyclic(expr), true) => self.no_cycle(*expr),
            (Formula::Irreflexive(expr), true) => {
                let is_broken = (0..self.size()).any(|event| self.pair(*expr, event, event) == Some(true));
                if is_broken { Err(Contradiction) } else { Ok(()) }
            }
            _ => match self.truth(formula, values) {
                Some(found) if found != truth => Err(Contradiction),
                _ => Ok(()),
            },
        }
    }

    /// Of these parts one must have that truth value: if all others do not, the last one does.
    fn one_of(&mut self, parts: &[Formula], truth: bool, values: &mut Values) -> Result<(), Contradiction> {
        let mut open = parts.iter().filter(|part| self.truth(part, values) != Some(!truth));
        match (open.next(), open.next()) {
            (None, _) => Err(Contradiction),
            (Some(last), None) => self.require(last, truth, values),
            _ => Ok(()),
        }
    }

    fn require_pair(&mut self, expr: ExprId, x: usize, y: usize, truth: bool) -> Result<(), Contradiction> {
        match self.pair(expr, x, y) {
            Some(found) if found != truth => return Err(Contradiction),
            Some(_) => return Ok(()),
            None => {}
        }
        if let Expr::Base(name) = self.formulas.node(expr)
            && self.chosen.contains(name)
        {
            self.pairs.insert((name.clone(), x, y), truth);
            self.changed = true;
        }
        Ok(())
    }

    /// The relation is a strict total order on the set.
    fn order(&mut self, order: ExprId, on: ExprId) -> Result<(), Contradiction> {
        let members = self.members(on);
        for &x in &members {
            self.require_pair(order, x, x, false)?;
            for &y in members.iter().filter(|&&y| y != x) {
                match self.pair(order, x, y) {
                    Some(found) => self.require_pair(order, y, x, !found)?,
                    None => continue,
                }
                for &z in &members {
                    if self.pair(order, x, y) == Some(true) && self.pair(order, y, z) == Some(true) {
                        self.require_pair(order, x, z, true)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn no_cycle(&self, expr: ExprId) -> Result<(), Contradiction> {
        let mut pairs = relation::Pairs::empty(self.size());
        for x in 0..self.size() {
            for y in (0..self.size()).filter(|&y| self.pair(expr, x, y) == Some(true)) {
                pairs.insert(x, y);
            }
        }
        let closed = pairs.closure();
        if (0..self.size()).any(|event| closed.contains(event, event)) { Err(Contradiction) } else { Ok(()) }
    }

    fn truth(&self, formula: &Formula, values: &Values) -> Option<bool> {
        match formula {
            Formula::Constant(truth) => Some(*truth),
            Formula::Not(inner) => self.truth(inner, values).map(|truth| !truth),
            Formula::And(parts) => all(parts.iter().map(|part| self.truth(part, values))),
            Formula::Or(parts) => any(parts.iter().map(|part| self.truth(part, values))),
            Formula::Same(x, y) => Some(value(values, *x)? == value(values, *y)?),
            Formula::Member(expr, x, y) => self.pair(*expr, value(values, *x)?, value(values, *y)?),
            _ => None,
        }
    }

    /// Whether a pair is in a relation, or an event with itself in a set.
    fn pair(&self, expr: ExprId, x: usize, y: usize) -> Option<bool> {
        let of = |operand: ExprId| self.pair(operand, x, y);
        match *self.formulas.node(expr) {
            Expr::Base(ref name) => self.base(name, x, y),
            Expr::Empty => Some(false),
            Expr::Universe => Some(true),
            Expr::Identity => Some(x == y),
            Expr::Union(a, b) => any([of(a), of(b)].into_iter()),
            Expr::Intersection(a, b) => all([of(a), of(b)].into_iter()),
            Expr::Difference(a, b) => all([of(a), of(b).map(|inside| !inside)].into_iter()),
            Expr::Product(a, b) => all([self.pair(a, x, x), self.pair(b, y, y)].into_iter()),
            Expr::Inverse(a) => self.pair(a, y, x),
            Expr::Sequence(a, b) if is_set(self.formulas, a) => all([self.pair(a, x, x), of(b)].into_iter()),
            Expr::Sequence(a, b) if is_set(self.formulas, b) => all([of(a), self.pair(b, y, y)].into_iter()),
            // Other events may lie between.
            Expr::Sequence(a, b) => {
                let through = |z: usize| self.pair(a, x, z) == Some(true) && self.pair(b, z, y) == Some(true);
                (0..self.size()).any(through).then_some(true)
            }
            Expr::Closure(a) | Expr::ReflexiveClosure(a) => of(a).filter(|&inside| inside),
            Expr::Domain(a) => (0..self.size()).any(|z| self.pair(a, x, z) == Some(true)).then_some(true),
            Expr::Range(a) => (0..self.size()).any(|z| self.pair(a, z, x) == Some(true)).then_some(true),
            Expr::Recursive(_) | Expr::Comprehension(_) | Expr::Single(_) | Expr::Each(..) => None,
        }
    }

    fn base(&self, name: &Arc<str>, x: usize, y: usize) -> Option<bool> {
        let Scenario { accesses, sees, coherence } = self.scenario;
        if self.chosen.contains(name) {
            return self.pairs.get(&(name.clone(), x, y)).copied();
        }
        match &**name {
            "M" => Some(x == y),
            "R" => Some(x == y && accesses[x] == Kind::Read),
            "W" => Some(x == y && accesses[x] == Kind::Write),
            "IW" | "F" => Some(false),
            "po" => Some(x < y),
            "loc" | "int" => Some(true),
            "ext" => Some(false),
            "rf" => Some(sees.contains(&(x, y))),
            "co" if coherence.contains(&(x, y)) => Some(true),
            "co" if x == y || coherence.contains(&(y, x)) => Some(false),
            _ => None,
        }
    }
}

fn value(values: &Values, variable: Variable) -> Option<usize> {
    values.iter().rev().find(|(known, _)| *known == variable).map(|(_, event)| *event)
}

fn all(mut parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    parts
        .try_fold(Some(true), |so_far, part| match part {
            Some(false) => Err(()),
            Some(true) => Ok(so_far),
            None => Ok(None),
        })
        .unwrap_or(Some(false))
}

fn any(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(parts.map(|part| part.map(|truth| !truth))).map(|truth| !truth)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped(file: &str) -> Model {
        let (name, text) = crate::model::shipped().iter().find(|(name, _)| *name == file).expect("a shipped model");
        crate::model::load(name, text, &|_| None).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
    }

    /// Two writes, the first of which comes later in coherence.
    fn turned() -> Scenario {
        Scenario { accesses: vec![Kind::Write, Kind::Write], sees: vec![], coherence: vec![(1, 0)] }
    }

    /// A read that sees a write before the last.
    fn old() -> Scenario {
        let accesses = vec![Kind::Write, Kind::Write, Kind::Read];
        Scenario { accesses, sees: vec![(0, 2)], coherence: vec![] }
    }

    /// A read that sees the last write.
    fn new() -> Scenario {
        Scenario { sees: vec![(1, 2)], ..old() }
    }

    /// A read that sees a later write.
    fn future() -> Scenario {
        Scenario { accesses: vec![Kind::Read, Kind::Write], sees: vec![(1, 0)], coherence: vec![] }
    }

    #[test]
    fn a_thread_sees_its_own_writes_in_order_under_models_of_one_memory_order() {
        for file in ["sc.mm", "relaxed.mm", "rmo.mm"] {
            let model = shipped(file);
            for (scenario, expected) in [(turned(), true), (old(), true), (future(), true), (new(), false)] {
                assert_eq!(forbids(&model, &scenario), expected, "{file}: {scenario:?}");
            }
        }
    }

    #[test]
    fn cycles_that_are_forbidden_are_contradictions_too() {
        for file in ["sc.cat", "tso.cat", "relaxed.cat"] {
            assert!(!forbids(&shipped(file), &new()), "{file}");
        }
        assert!(forbids(&shipped("sc.cat"), &future()));
    }

    #[test]
    fn what_no_axiom_speaks_of_is_not_forbidden() {
        let empty = crate::model::load("test.cat", "test\nacyclic po as a\n", &|_| None);
        let empty = empty.unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        for scenario in [turned(), old(), new(), future()] {
            assert!(!forbids(&empty, &scenario), "{scenario:?}");
        }
    }
}
