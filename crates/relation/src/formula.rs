//! Relational expressions and formulas over one universe of atoms.
//!
//! There is one sort of expression: a binary relation. A set `S` is the relation `[S] = {(x, x) | x in S}`: union,
//! intersection and difference of sets are those of relations, and `[S]; r; [T]` restricts a relation on both sides.
//! Expressions are hash-consed in a [`Formulas`] arena, so that equal ones are translated once.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

/// A relational expression of a [`Formulas`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// A variable bound by [`Formula::ForAll`] or [`Formula::Exists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(pub u32);

/// A relation defined by a group of recursive equations; its definition stands in [`Formulas::definition`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Recursive(pub u32);

/// A relational expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A relation or set given from outside, by name: `po`, `rf`, `W`.
    Base(Arc<str>),
    /// No pair.
    Empty,
    /// All pairs of atoms that are there.
    Universe,
    /// `{(x, x)}` for all atoms that are there.
    Identity,
    /// In one of both.
    Union(ExprId, ExprId),
    /// In both.
    Intersection(ExprId, ExprId),
    /// In the first but not in the second.
    Difference(ExprId, ExprId),
    /// Composition: `{(x, z) | (x, y) in .0 and (y, z) in .1}`.
    Sequence(ExprId, ExprId),
    /// `{(x, y) | x in .0 and y in .1}` for sets.
    Product(ExprId, ExprId),
    /// `{(y, x)}`.
    Inverse(ExprId),
    /// The transitive closure, `r^+`.
    Closure(ExprId),
    /// The reflexive transitive closure, `r^*`.
    ReflexiveClosure(ExprId),
    /// The set of first members.
    Domain(ExprId),
    /// The set of second members.
    Range(ExprId),
    /// A relation defined by recursion (least fixpoint).
    Recursive(Recursive),
    /// A set or relation defined by a formula.
    Comprehension(Arc<Comprehension>),
    /// `{(x, x)}` for the atom `x` that a variable stands for; only where something binds that variable.
    Single(Variable),
    /// What the last expression is, united over all atoms of a set (the first) for which the variable stands in turn.
    Each(Variable, ExprId, ExprId),
}

/// The atoms, or pairs of atoms, of which a formula holds: `{x : S | f}`, `{x : S, y : T | f}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Comprehension {
    /// One variable for a set, two for a relation, each with the set it ranges over; that of the second may speak of the
    /// first. All other variables come from outside: quantifiers around the place where the expression stands bind them.
    pub variables: Vec<(Variable, ExprId)>,
    /// Invariant: it has no `TotalOrder` in it, which has no exact signal.
    pub body: Formula,
}

impl Comprehension {
    /// Whether the variable comes from outside and the formula, as far as it is written here, uses it.
    fn uses(&self, variable: Variable) -> bool {
        self.body.uses(variable) && self.variables.iter().all(|&(own, _)| own != variable)
    }
}

impl Expr {
    /// Whether the expression itself, not its operands, speaks of the atom for which a variable from outside stands.
    fn speaks_of(&self, variable: Variable) -> bool {
        match self {
            Expr::Single(own) => *own == variable,
            Expr::Comprehension(comprehension) => comprehension.uses(variable),
            _ => false,
        }
    }

    /// The expressions that this one is made of; a recursive relation is not made of its definition.
    pub fn operands(&self) -> Vec<ExprId> {
        match *self {
            Expr::Base(_) | Expr::Empty | Expr::Universe | Expr::Identity | Expr::Recursive(_) | Expr::Single(_) => {
                Vec::new()
            }
            Expr::Each(_, a, b)
            | Expr::Union(a, b)
            | Expr::Intersection(a, b)
            | Expr::Difference(a, b)
            | Expr::Sequence(a, b)
            | Expr::Product(a, b) => vec![a, b],
            Expr::Inverse(a) | Expr::Closure(a) | Expr::ReflexiveClosure(a) | Expr::Domain(a) | Expr::Range(a) => {
                vec![a]
            }
            Expr::Comprehension(ref comprehension) => {
                let sets = comprehension.variables.iter().map(|&(_, set)| set);
                sets.chain(comprehension.body.expressions()).collect()
            }
        }
    }
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// A constant.
    Constant(bool),
    /// The relation has no cycle.
    Acyclic(ExprId),
    /// The relation relates nothing to itself.
    Irreflexive(ExprId),
    /// The relation has no pair.
    Empty(ExprId),
    /// The relation is a strict total order on the set `on` (and relates nothing else).
    TotalOrder {
        /// The order.
        order: ExprId,
        /// The set it orders.
        on: ExprId,
    },
    /// `(x, y)` is in the relation. For a set use the same variable twice.
    Member(ExprId, Variable, Variable),
    /// A relation of any number of arguments that is existentially quantified and used in quantified formulas only.
    Free(Arc<str>, Vec<Variable>),
    /// Both variables stand for the same atom.
    Same(Variable, Variable),
    /// The relation has so many pairs, or more.
    AtLeast(usize, ExprId),
    /// For every atom of the set.
    ForAll(Variable, ExprId, Box<Formula>),
    /// For some atom of the set.
    Exists(Variable, ExprId, Box<Formula>),
    /// Negation.
    Not(Box<Formula>),
    /// Conjunction.
    And(Vec<Formula>),
    /// Disjunction.
    Or(Vec<Formula>),
}

impl Formula {
    /// The expressions that the formula speaks of directly.
    pub fn expressions(&self) -> Vec<ExprId> {
        match self {
            Formula::Constant(_) | Formula::Free(..) | Formula::Same(..) => Vec::new(),
            Formula::Acyclic(expr)
            | Formula::Irreflexive(expr)
            | Formula::Empty(expr)
            | Formula::AtLeast(_, expr)
            | Formula::Member(expr, ..) => vec![*expr],
            Formula::TotalOrder { order, on } => vec![*order, *on],
            Formula::ForAll(_, set, body) | Formula::Exists(_, set, body) => {
                let mut found = body.expressions();
                found.push(*set);
                found
            }
            Formula::Not(inner) => inner.expressions(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().flat_map(Formula::expressions).collect(),
        }
    }

    /// Whether the variable is an argument of something in the formula; expressions are not looked into.
    pub fn uses(&self, variable: Variable) -> bool {
        match self {
            Formula::Member(_, x, y) | Formula::Same(x, y) => *x == variable || *y == variable,
            Formula::Free(_, arguments) => arguments.contains(&variable),
            Formula::ForAll(_, _, body) | Formula::Exists(_, _, body) | Formula::Not(body) => body.uses(variable),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| part.uses(variable)),
            Formula::Constant(_)
            | Formula::Acyclic(_)
            | Formula::Irreflexive(_)
            | Formula::Empty(_)
            | Formula::AtLeast(..)
            | Formula::TotalOrder { .. } => false,
        }
    }
}

/// An arena of hash-consed expressions.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    nodes: Vec<Expr>,
    ids: FxHashMap<Expr, ExprId>,
    /// Each recursive relation as an expression, and its right-hand side once given by [`Formulas::define`].
    definitions: Vec<(ExprId, Option<ExprId>)>,
    /// The expressions that may speak of atoms for which variables from outside stand.
    open: Vec<ExprId>,
}

impl Formulas {
    /// An empty arena.
    pub fn new() -> Formulas {
        Formulas::default()
    }

    /// The id of an expression; equal expressions have equal ids. Simple identities are applied: the empty relation is
    /// neutral or absorbing where it is, idempotent operators are not repeated.
    pub fn expr(&mut self, expr: Expr) -> ExprId {
        use Expr::*;
        let is = |id: ExprId, other: &Expr| self.nodes[id.0 as usize] == *other;
        let simpler = match expr {
            Union(a, b) if a == b || is(b, &Empty) => Some(a),
            Union(a, b) if is(a, &Empty) => Some(b),
            Intersection(a, b) if a == b || is(a, &Empty) || is(b, &Universe) => Some(a),
            Intersection(a, b) if is(b, &Empty) || is(a, &Universe) => Some(b),
            Difference(a, b) if is(a, &Empty) || is(b, &Empty) => Some(a),
            Sequence(a, b) if is(a, &Empty) || is(b, &Identity) => Some(a),
            Sequence(a, b) if is(b, &Empty) || is(a, &Identity) => Some(b),
            Inverse(a) | Closure(a) | Domain(a) | Range(a) if is(a, &Empty) => Some(a),
            Product(a, _) if is(a, &Empty) => Some(a),
            Product(_, b) | Each(_, _, b) if is(b, &Empty) => Some(b),
            Each(_, a, _) if is(a, &Empty) => Some(a),
            _ => None,
        };
        if let Some(id) = simpler {
            return id;
        }
        if let Some(&id) = self.ids.get(&expr) {
            return id;
        }
        let id = ExprId(self.nodes.len() as u32);
        if matches!(expr, Single(_) | Comprehension(_)) {
            self.open.push(id);
        }
        self.nodes.push(expr.clone());
        self.ids.insert(expr, id);
        id
    }

    /// The expression with this id.
    pub fn node(&self, id: ExprId) -> &Expr {
        &self.nodes[id.0 as usize]
    }

    /// How many expressions there are; ids are smaller.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A relation or set given from outside.
    pub fn base(&mut self, name: &str) -> ExprId {
        self.expr(Expr::Base(name.into()))
    }

    /// A fresh recursive relation, to be given its right-hand side by [`Formulas::define`].
    pub fn recursive(&mut self) -> (Recursive, ExprId) {
        let name = Recursive(self.definitions.len() as u32);
        let id = self.expr(Expr::Recursive(name));
        self.definitions.push((id, None));
        (name, id)
    }

    /// Gives a recursive relation its right-hand side. Relations that mention each other form one least fixpoint.
    pub fn define(&mut self, name: Recursive, definition: ExprId) {
        self.definitions[name.0 as usize].1 = Some(definition);
    }

    /// The right-hand side of a recursive relation; `None` as long as it was not given one: the relation is empty.
    pub fn definition(&self, name: Recursive) -> Option<ExprId> {
        self.definitions[name.0 as usize].1
    }

    /// The recursive relations that are defined together with this one: those that its definition reaches and that reach
    /// it. They form one least fixpoint; others that it uses are finished before.
    pub fn group(&self, name: Recursive) -> Vec<Recursive> {
        let reached = self.reached(name);
        let together = |other: &Recursive| *other == name || self.reached(*other).contains(&name);
        let mut group: Vec<Recursive> = reached.into_iter().filter(together).collect();
        if !group.contains(&name) {
            group.push(name);
        }
        group.sort();
        group
    }

    /// Whether an expression speaks of the atom that a variable stands for.
    pub fn mentions(&self, expr: ExprId, variable: Variable) -> bool {
        self.occurs(vec![expr], &|node| node.speaks_of(variable))
    }

    /// Whether a formula does, itself or in its expressions.
    pub fn formula_mentions(&self, formula: &Formula, variable: Variable) -> bool {
        formula.uses(variable)
            || self.is_open(variable) && self.occurs(formula.expressions(), &|node| node.speaks_of(variable))
    }

    /// Whether any expression of the arena does.
    pub fn is_open(&self, variable: Variable) -> bool {
        self.open.iter().any(|&expr| self.node(expr).speaks_of(variable))
    }

    /// Whether a recursive relation occurs in the expression.
    pub fn is_recursive(&self, expr: ExprId) -> bool {
        self.occurs(vec![expr], &|node| matches!(node, Expr::Recursive(_)))
    }

    /// Whether some part of these expressions, or of the definitions they use, is as wanted.
    pub fn occurs(&self, expressions: Vec<ExprId>, wanted: &dyn Fn(&Expr) -> bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = expressions;
        while let Some(expr) = open.pop() {
            if seen.insert(expr) {
                let node = self.node(expr);
                if wanted(node) {
                    return true;
                }
                open.extend(node.operands());
                if let Expr::Recursive(name) = node {
                    open.extend(self.definition(*name));
                }
            }
        }
        false
    }

    /// The recursive relations that the definition of one mentions, directly or through others.
    fn reached(&self, name: Recursive) -> Vec<Recursive> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut open: Vec<ExprId> = self.definition(name).into_iter().collect();
        while let Some(expr) = open.pop() {
            if !seen.insert(expr) {
                continue;
            }
            match *self.node(expr) {
                Expr::Recursive(other) => {
                    found.push(other);
                    open.extend(self.definition(other));
                }
                ref node => open.extend(node.operands()),
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// A recursive relation as an expression.
    pub fn recursive_expr(&self, name: Recursive) -> ExprId {
        self.definitions[name.0 as usize].0
    }
}
