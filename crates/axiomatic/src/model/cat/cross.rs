//! `cross`: all unions of one member of each of some sets. herd's library writes it in cat, and models may do so again, in their own
//! words: then it takes elements out of sets of orders, which are not known before there is a program.
//!
//! A function of a model counts as `cross` if that is what it does to [`SAMPLES`]: sets of relations of which nothing is known but
//! that they differ. It cannot see more of the orders of an execution, so that only how many there are could make a difference.

use std::collections::BTreeSet;

use program::Span;
use relation::formula::{Expr as R, ExprId};

use super::elaborate::Elaborator;
use super::listed::listed;
use super::syntax::Expr;
use super::value::{Classes, Family, Orders, Value};

/// How many relations there are in each set of a sample.
const SAMPLES: &[&[usize]] = &[
    &[],
    &[1],
    &[2],
    &[3],
    &[5],
    &[1, 1],
    &[1, 2],
    &[2, 1],
    &[2, 2],
    &[3, 2],
    &[2, 3],
    &[4, 4],
    &[1, 1, 1],
    &[2, 1, 2],
    &[1, 3, 2],
    &[3, 3, 3],
    &[2, 2, 2, 2],
    &[1, 2, 1, 3, 1],
];

impl Elaborator<'_> {
    /// The unions of one member of each set; known where these are orders of the classes of a relation.
    pub(super) fn cross(&mut self, sets: &Value, span: Span) -> Value {
        let orders = match sets {
            Value::Family(families) => match &families[..] {
                [family @ Family { element: Value::Orders(orders), .. }] => Some(*orders).zip(self.classes_of(family)),
                _ => None,
            },
            Value::Nothing => return listed(vec![Value::Nothing]),
            Value::Wrong => return Value::Wrong,
            _ => None,
        };
        let loc = self.model.formulas.base("loc");
        match orders {
            Some((Orders::Linearisations { on, contains }, Classes { on: all, by, class }))
                if on == class && self.is_closed_formula(contains) =>
            {
                let is_of_writes = by == loc && self.writes(all);
                if is_of_writes {
                    Value::Orders(Orders::PerLocation { on: all, contains })
                } else {
                    Value::Orders(Orders::PerClass { on: all, by, contains })
                }
            }
            _ => self.unsupported("`cross` of anything but the orders of the classes of a relation", span),
        }
    }

    /// What a function of the model makes of sets of orders if it is `cross`.
    pub(super) fn own_cross(&mut self, function: &Value, sets: &Value, called: &Expr, span: Span) -> Option<Value> {
        let Value::Family(families) = sets else { return None };
        let of_orders = families.iter().any(|family| matches!(family.element, Value::Orders(_)));
        (of_orders && self.is_cross(function, called, span)).then(|| self.cross(sets, span))
    }

    fn is_cross(&mut self, function: &Value, called: &Expr, span: Span) -> bool {
        let unbound = self.unbound;
        let all = |this: &mut Self| SAMPLES.iter().all(|sizes| this.crosses(sizes, function, called, span));
        let (Ok(is_cross) | Err(is_cross)) = self.attempt(all, |_, _| true);
        self.unbound = unbound;
        is_cross
    }

    /// Whether a function makes of sets with so many relations what `cross` makes of them.
    fn crosses(&mut self, sizes: &[usize], function: &Value, called: &Expr, span: Span) -> bool {
        let mut expected = BTreeSet::from([BTreeSet::new()]);
        let mut sets = Vec::new();
        for (number, &size) in sizes.iter().enumerate() {
            let members: Vec<ExprId> =
                (0..size).map(|member| self.model.formulas.base(&format!("{member} of {number}"))).collect();
            let with = |union: &BTreeSet<ExprId>, member: ExprId| union.iter().copied().chain([member]).collect();
            expected =
                expected.iter().flat_map(|union| members.iter().map(move |&member| with(union, member))).collect();
            sets.push(listed(members.into_iter().map(Value::Relation).collect()));
        }
        let Value::Listed(found) = self.apply(function, listed(sets), called, span) else { return false };
        let unions: Option<BTreeSet<BTreeSet<ExprId>>> = found.iter().map(|union| self.united(union)).collect();
        unions.is_some_and(|unions| unions == expected)
    }

    /// The relations that a value is the union of.
    fn united(&self, union: &Value) -> Option<BTreeSet<ExprId>> {
        let mut open = match union {
            Value::Nothing => Vec::new(),
            Value::Relation(id) => vec![*id],
            _ => return None,
        };
        let mut members = BTreeSet::new();
        while let Some(id) = open.pop() {
            match self.model.formulas.node(id) {
                R::Union(left, right) => open.extend([*left, *right]),
                R::Empty => {}
                _ => drop(members.insert(id)),
            }
        }
        Some(members)
    }

    /// The classes of which a family has the orders, as far as the set that is ordered tells.
    fn classes_of(&self, family: &Family) -> Option<Classes> {
        if family.classes.is_some() {
            return family.classes;
        }
        let ([(variable, on)], Value::Orders(Orders::Linearisations { on: class, .. })) =
            (&family.over[..], &family.element)
        else {
            return None;
        };
        let node = |id: ExprId| self.model.formulas.node(id);
        let R::Intersection(related, all) = node(*class) else { return None };
        let R::Union(event, row) = node(*related) else { return None };
        let R::Range(row) = node(*row) else { return None };
        let R::Sequence(from, by) = node(*row) else { return None };
        let is_event = *node(*event) == R::Single(*variable) && from == event;
        (is_event && all == on).then_some(Classes { on: *on, by: *by, class: *class })
    }

    /// Whether an expression speaks of no single event.
    fn is_closed_formula(&self, expr: ExprId) -> bool {
        !self.model.formulas.occurs(vec![expr], &|node| matches!(node, R::Single(_)))
    }
}
