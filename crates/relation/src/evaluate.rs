//! Expressions and formulas on a given instance, without any solver.
//!
//! This is the independent check of every witness, and it explains why an instance breaks a formula. It shares only the
//! syntax ([`Formulas`]) with the translation to a solver.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::formula::{Comprehension, Expr, ExprId, Formula, Formulas, Recursive, Variable};
use crate::pairs::Pairs;

/// What each base relation is.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Number of atoms; all are there.
    pub size: usize,
    /// Base relations and sets (as pairs `(x, x)`) by name.
    pub relations: HashMap<Arc<str>, Pairs>,
    /// Tuples of the relations that only quantified formulas use.
    pub free: HashMap<Arc<str>, HashSet<Vec<u32>>>,
}

/// Evaluates expressions of an arena on an instance.
pub struct Evaluation<'a> {
    formulas: &'a Formulas,
    instance: &'a Instance,
    memo: FxHashMap<ExprId, Rc<Pairs>>,
    fixpoints: HashMap<Recursive, Rc<Pairs>>,
    /// What the variables stand for that something around the place of evaluation binds.
    standing: HashMap<Variable, usize>,
}

/// One step of an explanation: the pair and the name of the relation it is in.
pub type NamedPair = (usize, usize, String);

impl<'a> Evaluation<'a> {
    /// Evaluation of `formulas` on `instance`.
    pub fn new(formulas: &'a Formulas, instance: &'a Instance) -> Evaluation<'a> {
        Evaluation {
            formulas,
            instance,
            memo: FxHashMap::default(),
            fixpoints: HashMap::new(),
            standing: HashMap::new(),
        }
    }

    /// The pairs of an expression. A base relation that the instance does not know is empty.
    pub fn pairs(&mut self, expr: ExprId) -> Rc<Pairs> {
        if let Some(pairs) = self.memo.get(&expr) {
            return Rc::clone(pairs);
        }
        let size = self.instance.size;
        let pairs = match *self.formulas.node(expr) {
            Expr::Base(ref name) => self.instance.relations.get(name).cloned().unwrap_or(Pairs::empty(size)),
            Expr::Empty => Pairs::empty(size),
            Expr::Universe => Pairs::full(size),
            Expr::Identity => Pairs::identity(size),
            Expr::Union(a, b) => self.pairs(a).union(&self.pairs(b)),
            Expr::Intersection(a, b) => self.pairs(a).intersection(&self.pairs(b)),
            Expr::Difference(a, b) => self.pairs(a).difference(&self.pairs(b)),
            Expr::Sequence(a, b) => self.pairs(a).sequence(&self.pairs(b)),
            Expr::Product(a, b) => self.pairs(a).sequence(&Pairs::full(size)).sequence(&self.pairs(b)),
            Expr::Inverse(a) => self.pairs(a).inverse(),
            Expr::Closure(a) => self.pairs(a).closure(),
            Expr::ReflexiveClosure(a) => self.pairs(a).closure().union(&Pairs::identity(size)),
            Expr::Domain(a) => self.pairs(a).domain(),
            Expr::Range(a) => self.pairs(a).inverse().domain(),
            Expr::Recursive(name) => return self.recursive(name),
            Expr::Comprehension(ref comprehension) => self.comprehension(comprehension),
            Expr::Single(variable) => {
                let mut pairs = Pairs::empty(size);
                self.standing.get(&variable).into_iter().for_each(|&atom| pairs.insert(atom, atom));
                pairs
            }
            Expr::Each(variable, over, body) => {
                let bodies = self.over(over).into_iter().map(|atom| self.with(variable, atom, |this| this.pairs(body)));
                bodies.fold(Pairs::empty(size), |all, one| all.union(&one))
            }
        };
        let pairs = Rc::new(pairs);
        self.memo.insert(expr, Rc::clone(&pairs));
        pairs
    }

    /// Evaluates something while a variable stands for an atom; what is then known of expressions that speak of it is forgotten.
    fn with<T>(&mut self, variable: Variable, atom: usize, evaluate: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.standing.insert(variable, atom);
        let result = evaluate(self);
        let formulas = self.formulas;
        if formulas.is_open(variable) {
            self.memo.retain(|&expr, _| !formulas.mentions(expr, variable));
            self.fixpoints.retain(|&name, _| !formulas.mentions(formulas.recursive_expr(name), variable));
        }
        match outer {
            Some(outer) => self.standing.insert(variable, outer),
            None => self.standing.remove(&variable),
        };
        result
    }

    fn comprehension(&mut self, comprehension: &Comprehension) -> Pairs {
        let mut pairs = Pairs::empty(self.instance.size);
        let Comprehension { variables, body } = comprehension;
        let Some(&(first, set)) = variables.first() else { return pairs };
        for x in self.over(set) {
            let others = self.with(first, x, |this| match variables.get(1) {
                None => Vec::from_iter(this.holds(body).then_some(x)),
                Some(&(second, set)) => {
                    let mut members = this.over(set);
                    members.retain(|&y| this.with(second, y, |this| this.holds(body)));
                    members
                }
            });
            others.into_iter().for_each(|y| pairs.insert(x, y));
        }
        pairs
    }

    /// The least fixpoint: while it is computed nothing that depends on it is remembered.
    fn recursive(&mut self, name: Recursive) -> Rc<Pairs> {
        if let Some(pairs) = self.fixpoints.get(&name) {
            return Rc::clone(pairs);
        }
        let group = self.formulas.group(name);
        for &member in &group {
            self.fixpoints.insert(member, Rc::new(Pairs::empty(self.instance.size)));
        }
        let remembered = self.memo.clone();
        loop {
            let mut changed = false;
            for &member in &group {
                self.memo.clone_from(&remembered);
                let Some(definition) = self.formulas.definition(member) else { continue };
                let next = self.pairs(definition);
                changed |= next != self.fixpoints[&member];
                self.fixpoints.insert(member, next);
            }
            if !changed {
                break;
            }
        }
        self.memo = remembered;
        Rc::clone(&self.fixpoints[&name])
    }

    /// Whether a formula holds.
    pub fn holds(&mut self, formula: &Formula) -> bool {
        match formula {
            Formula::Constant(truth) => *truth,
            Formula::Acyclic(expr) => self.pairs(*expr).is_acyclic(),
            Formula::Irreflexive(expr) => {
                let pairs = self.pairs(*expr);
                (0..pairs.size()).all(|x| !pairs.contains(x, x))
            }
            Formula::Empty(expr) => self.pairs(*expr).is_empty(),
            Formula::AtLeast(number, expr) => self.pairs(*expr).iter().count() >= *number,
            Formula::TotalOrder { order, on } => is_total_order(&self.pairs(*order), &self.pairs(*on)),
            Formula::Member(expr, x, y) => {
                let pairs = self.pairs(*expr);
                pairs.contains(self.standing[x], self.standing[y])
            }
            Formula::Free(name, arguments) => {
                let tuple: Vec<u32> = arguments.iter().map(|variable| self.standing[variable] as u32).collect();
                self.instance.free.get(name).is_some_and(|tuples| tuples.contains(&tuple))
            }
            Formula::Same(x, y) => self.standing[x] == self.standing[y],
            Formula::ForAll(variable, set, body) => {
                self.over(*set).into_iter().all(|atom| self.with(*variable, atom, |this| this.holds(body)))
            }
            Formula::Exists(variable, set, body) => {
                self.over(*set).into_iter().any(|atom| self.with(*variable, atom, |this| this.holds(body)))
            }
            Formula::Not(inner) => !self.holds(inner),
            Formula::And(parts) => parts.iter().all(|part| self.holds(part)),
            Formula::Or(parts) => parts.iter().any(|part| self.holds(part)),
        }
    }

    fn over(&mut self, set: ExprId) -> Vec<usize> {
        self.pairs(set).iter().map(|(x, _)| x).collect()
    }

    /// Why a formula about cycles, loops or emptiness does not hold: the pairs of a shortest offence, each explained by
    /// the relations it is made of. `name` gives the name of an expression if it has one. Empty for other formulas and
    /// for those that hold.
    pub fn offence(&mut self, formula: &Formula, name: &dyn Fn(ExprId) -> Option<String>) -> Vec<NamedPair> {
        let (expr, atoms) = match *formula {
            Formula::Acyclic(expr) => (expr, self.pairs(expr).shortest_cycle()),
            Formula::Irreflexive(expr) => {
                let pairs = self.pairs(expr);
                (expr, (0..pairs.size()).find(|&x| pairs.contains(x, x)).map(|x| vec![x]))
            }
            Formula::Empty(expr) => {
                let first = self.pairs(expr).iter().next();
                return first.map_or(Vec::new(), |(x, y)| self.explain(expr, x, y, name));
            }
            _ => return Vec::new(),
        };
        let Some(atoms) = atoms else { return Vec::new() };
        let next = |index: usize| atoms[(index + 1) % atoms.len()];
        let steps = atoms.iter().enumerate().flat_map(|(index, &x)| self.explain(expr, x, next(index), name));
        steps.collect()
    }

    /// The pair of an expression as a path of named pairs.
    fn explain(&mut self, expr: ExprId, x: usize, y: usize, name: &dyn Fn(ExprId) -> Option<String>) -> Vec<NamedPair> {
        let node = self.formulas.node(expr);
        let transparent =
            matches!(node, Expr::Union(..) | Expr::Closure(_) | Expr::ReflexiveClosure(_) | Expr::Recursive(_));
        if let (false, Some(name)) = (transparent, name(expr)) {
            return vec![(x, y, name)];
        }
        match *node {
            Expr::Union(a, b) => {
                let part = if self.pairs(a).contains(x, y) { a } else { b };
                self.explain(part, x, y, name)
            }
            Expr::Intersection(a, b) => {
                // The side that says more is the one that is not a plain set product or restriction.
                let (left, right) = (self.explain(a, x, y, name), self.explain(b, x, y, name));
                if left.len() > right.len() || matches!(self.formulas.node(b), Expr::Product(..) | Expr::Universe) {
                    left
                } else {
                    right
                }
            }
            Expr::Difference(a, _) => self.explain(a, x, y, name),
            Expr::Sequence(a, b) => {
                let (first, second) = (self.pairs(a), self.pairs(b));
                let Some(middle) = first.row(x).find(|&m| second.contains(m, y)) else { return Vec::new() };
                let mut steps = self.explain(a, x, middle, name);
                steps.extend(self.explain(b, middle, y, name));
                steps
            }
            Expr::Closure(a) | Expr::ReflexiveClosure(a) => {
                if x == y && matches!(node, Expr::ReflexiveClosure(_)) {
                    return Vec::new();
                }
                let path = self.pairs(a).shortest_path(x, y).unwrap_or_default();
                path.windows(2).flat_map(|step| self.explain(a, step[0], step[1], name)).collect()
            }
            Expr::Inverse(a) => match *self.formulas.node(a) {
                Expr::Base(ref base) => vec![(x, y, format!("{base}^-1"))],
                _ => {
                    let label = name(a).map_or("inverse".into(), |n| format!("{n}^-1"));
                    vec![(x, y, label)]
                }
            },
            Expr::Recursive(recursive) => match self.formulas.definition(recursive) {
                // One unfolding, and no further into the recursion: the names inside say enough.
                Some(definition) => self.explain_unfolded(definition, x, y, name),
                None => Vec::new(),
            },
            // Sets and identities are not steps.
            Expr::Identity | Expr::Domain(_) | Expr::Range(_) => Vec::new(),
            Expr::Base(_) if x == y => Vec::new(),
            Expr::Base(ref base) => vec![(x, y, base.to_string())],
            Expr::Comprehension(_) | Expr::Single(_) if x == y => Vec::new(),
            Expr::Each(variable, over, body) => {
                let step = |this: &mut Self, atom: usize| {
                    this.with(variable, atom, |this| {
                        let is_in = this.pairs(body).contains(x, y);
                        is_in.then(|| this.explain(body, x, y, name))
                    })
                };
                self.over(over).into_iter().find_map(|atom| step(self, atom)).unwrap_or_default()
            }
            Expr::Product(..) | Expr::Universe | Expr::Empty | Expr::Comprehension(_) | Expr::Single(_) => {
                vec![(x, y, "any".into())]
            }
        }
    }

    fn explain_unfolded(
        &mut self,
        definition: ExprId,
        x: usize,
        y: usize,
        name: &dyn Fn(ExprId) -> Option<String>,
    ) -> Vec<NamedPair> {
        let mut open = vec![definition];
        while let Some(expr) = open.pop() {
            match *self.formulas.node(expr) {
                Expr::Union(a, b) => open.extend([b, a]),
                Expr::Recursive(_) => {}
                _ if !self.formulas.is_recursive(expr) && self.pairs(expr).contains(x, y) => {
                    return self.explain(expr, x, y, name);
                }
                _ => {}
            }
        }
        vec![(x, y, name(definition).unwrap_or("recursive".into()))]
    }
}

fn is_total_order(order: &Pairs, on: &Pairs) -> bool {
    let members: Vec<usize> = on.iter().map(|(x, _)| x).collect();
    let within = order.iter().all(|(x, y)| x != y && on.contains(x, x) && on.contains(y, y));
    let total =
        members.iter().all(|&x| members.iter().all(|&y| x == y || order.contains(x, y) != order.contains(y, x)));
    within && total && order.shortest_cycle().is_none()
}
