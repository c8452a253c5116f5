//! Relational expressions to matrices of signals.
//!
//! A closure or a recursive relation is encoded in one of two ways, after the position in which it stands. Where the
//! constraints only ever want it *small* (under `acyclic`, `irreflexive`, `empty`), fresh signals that *contain* it
//! suffice: `r(x,y) & h(y,z) -> h(x,z)`. The solver may make them larger, but never gains by it. Elsewhere (on the right
//! of a difference, under a negation) the closure is built exactly, by squaring. [`Mode`] says which.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::circuit::{Bit, Circuit};
use crate::formula::{Expr, ExprId, Formulas, Recursive, Variable};
use crate::matrix::{Matrix, Universe};
use crate::pairs::Pairs;

/// How closely a matrix must match its expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// In every solution it contains the relation, and in some way to complete each solution it equals it.
    Containing,
    /// In every solution it equals the relation.
    Exact,
}

/// Expressions of one [`Formulas`] arena as matrices over one universe.
pub struct Translation<'f> {
    pub(crate) formulas: &'f Formulas,
    /// The atoms.
    pub universe: Universe,
    bases: FxHashMap<Arc<str>, Rc<Matrix>>,
    /// Relations of any arity that only quantified formulas use.
    pub(crate) free: FxHashMap<(Arc<str>, Vec<u32>), Bit>,
    memo: FxHashMap<(ExprId, Mode), Rc<Matrix>>,
    /// Whether the expression contains a closure or recursion, so that the mode matters.
    modal: FxHashMap<ExprId, bool>,
    /// What the variables stand for that something around the place of translation binds.
    pub(crate) standing: FxHashMap<Variable, usize>,
    /// The first thing that could not be translated.
    failure: Option<String>,
}

/// Exact recursion is unfolded at most so often before it is given up.
const UNFOLD: usize = 32;

impl<'f> Translation<'f> {
    /// No relation is known yet: see [`Translation::bind`].
    pub fn new(formulas: &'f Formulas, universe: Universe) -> Translation<'f> {
        Translation {
            formulas,
            universe,
            bases: FxHashMap::default(),
            free: FxHashMap::default(),
            memo: FxHashMap::default(),
            modal: FxHashMap::default(),
            standing: FxHashMap::default(),
            failure: None,
        }
    }

    /// Gives a base relation its matrix. Entries between atoms that are never both there are left out.
    pub fn bind(&mut self, name: &str, matrix: Matrix) {
        let exclusive = &self.universe.exclusive;
        let matrix = match exclusive.is_empty() {
            true => matrix,
            false => matrix.map(|x, y, bit| if exclusive.contains(x, y) { Bit::FALSE } else { bit }),
        };
        self.bases.insert(name.into(), Rc::new(matrix));
    }

    /// The matrix of a base relation, if it was bound.
    pub fn base(&self, name: &str) -> Option<&Matrix> {
        self.bases.get(name).map(|matrix| &**matrix)
    }

    /// What could not be translated, if anything: then no answer may be drawn from the constraints.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    pub(crate) fn fail(&mut self, what: impl Into<String>) {
        self.failure.get_or_insert(what.into());
    }

    /// The matrix of an expression.
    pub fn matrix(&mut self, expr: ExprId, mode: Mode, circuit: &mut Circuit) -> Rc<Matrix> {
        let mode = if self.is_modal(expr) { mode } else { Mode::Exact };
        if let Some(matrix) = self.memo.get(&(expr, mode)) {
            return Rc::clone(matrix);
        }
        let matrix = self.build(expr, mode, circuit);
        self.memo.insert((expr, mode), Rc::clone(&matrix));
        matrix
    }

    fn is_modal(&mut self, expr: ExprId) -> bool {
        if let Some(&known) = self.modal.get(&expr) {
            return known;
        }
        let modal = match self.formulas.node(expr) {
            Expr::Closure(_) | Expr::ReflexiveClosure(_) | Expr::Recursive(_) => true,
            other => other.operands().into_iter().any(|operand| self.is_modal(operand)),
        };
        self.modal.insert(expr, modal);
        modal
    }

    fn build(&mut self, expr: ExprId, mode: Mode, circuit: &mut Circuit) -> Rc<Matrix> {
        let size = self.universe.size();
        let matrix = match *self.formulas.node(expr) {
            Expr::Base(ref name) => return self.bound(&Arc::clone(name)),
            Expr::Empty => Matrix::empty(size),
            Expr::Universe => Matrix::constant(&Pairs::full(size).difference(&self.universe.exclusive)),
            Expr::Identity => Matrix::constant(&Pairs::identity(size)),
            Expr::Union(a, b) => {
                let (a, b) = (self.matrix(a, mode, circuit), self.matrix(b, mode, circuit));
                a.union(&b, circuit)
            }
            Expr::Intersection(a, b) => self.intersection(a, b, mode, circuit),
            Expr::Difference(a, b) => {
                let (a, b) = (self.matrix(a, mode, circuit), self.matrix(b, Mode::Exact, circuit));
                a.difference(&b, circuit)
            }
            Expr::Sequence(a, b) => self.sequence(a, b, None, mode, circuit),
            Expr::Product(a, b) => {
                let (a, b) = (self.matrix(a, mode, circuit), self.matrix(b, mode, circuit));
                self.product(&a, &b, circuit)
            }
            Expr::Inverse(a) => self.matrix(a, mode, circuit).inverse(),
            Expr::Domain(a) => self.matrix(a, mode, circuit).domain(&self.universe, circuit),
            Expr::Range(a) => self.matrix(a, mode, circuit).inverse().domain(&self.universe, circuit),
            Expr::Closure(a) => {
                let inner = self.matrix(a, mode, circuit);
                self.closure(&inner, mode, circuit)
            }
            Expr::ReflexiveClosure(a) => {
                let inner = self.matrix(a, mode, circuit);
                let identity = Matrix::constant(&Pairs::identity(size));
                self.closure(&inner, mode, circuit).union(&identity, circuit)
            }
            Expr::Recursive(name) => return self.recursive(name, mode, circuit),
            Expr::Comprehension(ref comprehension) => self.comprehension(comprehension, circuit),
            Expr::Single(variable) => self.single(variable),
            Expr::Each(variable, over, body) => self.each(variable, over, body, mode, circuit),
        };
        Rc::new(matrix)
    }

    fn single(&mut self, variable: Variable) -> Matrix {
        let size = self.universe.size();
        match self.standing.get(&variable) {
            Some(&atom) => Matrix::from_entries(size, [(atom, atom, Bit::TRUE)]),
            None => {
                self.fail("a variable outside of what it is for");
                Matrix::empty(size)
            }
        }
    }

    /// The union of the bodies.
    fn each(&mut self, variable: Variable, over: ExprId, body: ExprId, mode: Mode, circuit: &mut Circuit) -> Matrix {
        let over = self.matrix(over, Mode::Exact, circuit);
        let mut result = Matrix::empty(self.universe.size());
        for (atom, _, member) in over.entries() {
            let matrix = self.with(variable, atom, |this| this.matrix(body, mode, circuit));
            let is_there = circuit.and(&[member, self.universe.present[atom]]);
            let entries = matrix.entries().map(|(x, y, bit)| (x, y, circuit.and(&[bit, is_there])));
            let entries: Vec<_> = entries.filter(|&(.., bit)| bit != Bit::FALSE).collect();
            result = result.union(&Matrix::from_entries(matrix.size(), entries), circuit);
        }
        result
    }

    /// Translates something while a variable stands for an atom; what is then known of expressions that speak of it is forgotten.
    pub(crate) fn with<T>(&mut self, variable: Variable, atom: usize, translate: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.standing.insert(variable, atom);
        let result = translate(self);
        let formulas = self.formulas;
        if formulas.is_open(variable) {
            self.memo.retain(|&(expr, _), _| !formulas.mentions(expr, variable));
        }
        match outer {
            Some(outer) => self.standing.insert(variable, outer),
            None => self.standing.remove(&variable),
        };
        result
    }

    fn bound(&mut self, name: &Arc<str>) -> Rc<Matrix> {
        match self.bases.get(name) {
            Some(matrix) => Rc::clone(matrix),
            None => {
                self.fail(format!("the relation or set `{name}`"));
                Rc::new(Matrix::empty(self.universe.size()))
            }
        }
    }

    /// Intersection; where one side is a composition only the pairs of the other side are composed.
    fn intersection(&mut self, a: ExprId, b: ExprId, mode: Mode, circuit: &mut Circuit) -> Matrix {
        let is_sequence = |expr: ExprId| match *self.formulas.node(expr) {
            Expr::Sequence(first, second) => Some((first, second)),
            _ => None,
        };
        let (plain, composed) = match (is_sequence(a), is_sequence(b)) {
            (_, Some(parts)) => (a, Some(parts)),
            (Some(parts), _) => (b, Some(parts)),
            _ => (a, None),
        };
        let plain = self.matrix(plain, mode, circuit);
        let other = match composed {
            Some((first, second)) => {
                let mask = plain.support();
                Rc::new(self.sequence(first, second, Some(&mask), mode, circuit))
            }
            None => self.matrix(b, mode, circuit),
        };
        plain.intersection(&other, circuit)
    }

    fn sequence(&mut self, a: ExprId, b: ExprId, mask: Option<&Pairs>, mode: Mode, circuit: &mut Circuit) -> Matrix {
        let (a, b) = (self.matrix(a, mode, circuit), self.matrix(b, mode, circuit));
        a.sequence(&b, mask, &self.universe, circuit)
    }

    fn product(&self, a: &Matrix, b: &Matrix, circuit: &mut Circuit) -> Matrix {
        let size = self.universe.size();
        let mut entries = Vec::new();
        for (x, _, left) in a.entries() {
            for (y, _, right) in b.entries() {
                if !self.universe.exclusive.contains(x, y) {
                    entries.push((x, y, circuit.and(&[left, right])));
                }
            }
        }
        Matrix::from_entries(size, entries)
    }

    fn closure(&mut self, inner: &Matrix, mode: Mode, circuit: &mut Circuit) -> Matrix {
        match mode {
            Mode::Exact => self.closure_by_squaring(inner, circuit),
            Mode::Containing => self.closure_by_implication(inner, circuit),
        }
    }

    fn closure_by_squaring(&self, inner: &Matrix, circuit: &mut Circuit) -> Matrix {
        let mut result = inner.clone();
        let mut steps = 1;
        while steps < self.universe.size() {
            let squared = result.sequence(&result, None, &self.universe, circuit);
            let next = result.union(&squared, circuit);
            if next == result {
                break;
            }
            result = next;
            steps *= 2;
        }
        result
    }

    fn closure_by_implication(&self, inner: &Matrix, circuit: &mut Circuit) -> Matrix {
        let may = inner.support().closure().difference(&self.universe.exclusive);
        let must = self.must_closure(inner);
        let fresh = may.iter().map(|(x, y)| {
            let bit = if must.contains(x, y) {
                Bit::TRUE
            } else if reaches_only_directly(inner, &may, x, y) {
                inner.get(x, y)
            } else {
                circuit.fresh()
            };
            (x, y, bit)
        });
        let entries: Vec<_> = fresh.collect();
        let result = Matrix::from_entries(inner.size(), entries);
        for (x, z, whole) in result.entries() {
            if whole == Bit::TRUE || whole == inner.get(x, z) {
                continue;
            }
            circuit.clause(&[!inner.get(x, z), whole]);
            for &(y, first) in inner.row(x) {
                let rest = result.get(y as usize, z);
                if rest != Bit::FALSE {
                    let middle = self.universe.present[y as usize];
                    circuit.clause(&[!first, !rest, !middle, whole]);
                }
            }
        }
        result
    }

    /// The pairs connected by a path of certain entries whose middle atoms are implied by an end of each step.
    pub fn must_closure(&self, inner: &Matrix) -> Pairs {
        let must = inner.must();
        let mut result = must.clone();
        let mut open: Vec<(usize, usize)> = must.iter().collect();
        while let Some((x, y)) = open.pop() {
            for z in must.row(y) {
                let sure = self.universe.implies.contains(x, y) || self.universe.implies.contains(z, y);
                if sure && !result.contains(x, z) {
                    result.insert(x, z);
                    open.push((x, z));
                }
            }
        }
        result
    }

    fn recursive(&mut self, name: Recursive, mode: Mode, circuit: &mut Circuit) -> Rc<Matrix> {
        let group = self.formulas.group(name);
        if mode == Mode::Containing && group.iter().all(|&member| self.is_monotone(member, &group)) {
            self.recursive_by_implication(&group, circuit);
        } else {
            self.recursive_by_unfolding(&group, circuit);
        }
        match self.memo.get(&(self.recursive_expr(name), mode)) {
            Some(matrix) => Rc::clone(matrix),
            None => Rc::new(Matrix::empty(self.universe.size())),
        }
    }

    /// Whether no member of the group stands on the right of a difference.
    fn is_monotone(&self, member: Recursive, group: &[Recursive]) -> bool {
        fn mentions(formulas: &Formulas, expr: ExprId, group: &[Recursive]) -> bool {
            match *formulas.node(expr) {
                Expr::Recursive(name) => group.contains(&name),
                ref node => node.operands().into_iter().any(|operand| mentions(formulas, operand, group)),
            }
        }
        fn monotone(formulas: &Formulas, expr: ExprId, group: &[Recursive]) -> bool {
            let node = formulas.node(expr);
            let right = match *node {
                Expr::Difference(_, right) => !mentions(formulas, right, group),
                _ => true,
            };
            right && node.operands().into_iter().all(|operand| monotone(formulas, operand, group))
        }
        self.formulas.definition(member).is_none_or(|definition| monotone(self.formulas, definition, group))
    }

    fn recursive_expr(&self, name: Recursive) -> ExprId {
        self.formulas.recursive_expr(name)
    }

    /// Fresh signals that contain the least fixpoint.
    fn recursive_by_implication(&mut self, group: &[Recursive], circuit: &mut Circuit) {
        let supports = self.recursive_supports(group, circuit);
        for (&member, support) in group.iter().zip(&supports) {
            let entries: Vec<_> = support.iter().map(|(x, y)| (x, y, circuit.fresh())).collect();
            let matrix = Matrix::from_entries(self.universe.size(), entries);
            self.memo.insert((self.recursive_expr(member), Mode::Containing), Rc::new(matrix));
        }
        for &member in group {
            let Some(definition) = self.formulas.definition(member) else { continue };
            let right = self.matrix(definition, Mode::Containing, circuit);
            let left = Rc::clone(&self.memo[&(self.recursive_expr(member), Mode::Containing)]);
            for (x, y, bit) in right.entries() {
                circuit.clause(&[!bit, left.get(x, y)]);
            }
        }
    }

    /// The pairs that may be in each member: the fixpoint over supports alone.
    fn recursive_supports(&mut self, group: &[Recursive], circuit: &mut Circuit) -> Vec<Pairs> {
        let size = self.universe.size();
        let mut supports = vec![Pairs::empty(size); group.len()];
        loop {
            let known = supports.clone();
            let mut scratch = FxHashMap::default();
            for (&member, support) in group.iter().zip(&mut supports) {
                if let Some(definition) = self.formulas.definition(member) {
                    *support = self.support(definition, group, &known, &mut scratch, circuit);
                }
            }
            if supports == known {
                return supports;
            }
        }
    }

    fn support(
        &mut self,
        expr: ExprId,
        group: &[Recursive],
        known: &[Pairs],
        scratch: &mut FxHashMap<ExprId, Pairs>,
        circuit: &mut Circuit,
    ) -> Pairs {
        if let Some(pairs) = scratch.get(&expr) {
            return pairs.clone();
        }
        let mut of = |operand: ExprId, this: &mut Self| this.support(operand, group, known, scratch, circuit);
        let pairs = match *self.formulas.node(expr) {
            Expr::Recursive(name) if group.contains(&name) => {
                known[group.iter().position(|&member| member == name).unwrap_or(0)].clone()
            }
            Expr::Union(a, b) => of(a, self).union(&of(b, self)),
            Expr::Intersection(a, b) => of(a, self).intersection(&of(b, self)),
            Expr::Difference(a, _) => of(a, self),
            Expr::Sequence(a, b) => of(a, self).sequence(&of(b, self)),
            Expr::Product(a, b) => {
                let full = Pairs::full(self.universe.size());
                of(a, self).sequence(&full).sequence(&of(b, self))
            }
            Expr::Inverse(a) => of(a, self).inverse(),
            Expr::Closure(a) => of(a, self).closure(),
            Expr::ReflexiveClosure(a) => of(a, self).closure().union(&Pairs::identity(self.universe.size())),
            Expr::Domain(a) => of(a, self).domain(),
            Expr::Range(a) => of(a, self).inverse().domain(),
            Expr::Single(_) => Pairs::identity(self.universe.size()),
            Expr::Each(_, _, body) => of(body, self),
            Expr::Base(_)
            | Expr::Empty
            | Expr::Universe
            | Expr::Identity
            | Expr::Recursive(_)
            | Expr::Comprehension(_) => self.matrix(expr, Mode::Containing, circuit).support(),
        };
        let pairs = pairs.difference(&self.universe.exclusive);
        scratch.insert(expr, pairs.clone());
        pairs
    }

    /// The least fixpoint itself, by unfolding the definitions until they no longer change.
    fn recursive_by_unfolding(&mut self, group: &[Recursive], circuit: &mut Circuit) {
        let outer = self.memo.clone();
        let empty = Rc::new(Matrix::empty(self.universe.size()));
        let mut current: Vec<Rc<Matrix>> = vec![empty; group.len()];
        for _ in 0..UNFOLD {
            self.memo.clone_from(&outer);
            for (&member, matrix) in group.iter().zip(&current) {
                for mode in [Mode::Exact, Mode::Containing] {
                    self.memo.insert((self.recursive_expr(member), mode), Rc::clone(matrix));
                }
            }
            let definitions: Vec<Option<ExprId>> = group.iter().map(|&m| self.formulas.definition(m)).collect();
            let next: Vec<Rc<Matrix>> = definitions
                .into_iter()
                .zip(&current)
                .map(|(definition, old)| definition.map_or(Rc::clone(old), |d| self.matrix(d, Mode::Exact, circuit)))
                .collect();
            if next == current {
                return;
            }
            current = next;
        }
        self.fail("a recursive definition that does not settle, in a place where its exact value is needed,");
    }
}

/// Whether no path of two or more steps leads from `x` to `y`.
fn reaches_only_directly(inner: &Matrix, may: &Pairs, x: usize, y: usize) -> bool {
    inner.row(x).iter().all(|&(middle, _)| !may.contains(middle as usize, y))
}
