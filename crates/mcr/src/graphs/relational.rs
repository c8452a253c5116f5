//! The axioms of a model as a program over bits: compiled once, run on every graph that has to be judged.
//!
//! Each expression has a register: a set is one row of bits, a relation one row for each atom. Expressions are evaluated once even
//! if several axioms use them; an axiom is looked at as soon as its expression is known. Recursive relations are iterated from the
//! empty one until nothing changes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use relation::formula::{Expr, ExprId, Formulas, Recursive};

/// The relations that graphs know.
pub const RELATIONS: [&str; 12] =
    ["po", "rf", "co", "fr", "loc", "int", "ext", "rmw", "amo", "atomic-block", "ends-before", "si"];

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register(usize);

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Set,
    Relation,
}

/// What is asked of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// It has no cycle.
    Acyclic,
    /// It relates nothing to itself.
    Irreflexive,
    /// It has no pair.
    Empty,
}

#[derive(Clone, Debug)]
enum Op {
    /// A base relation or set, by its place in [`Compiled::bases`].
    Base(usize),
    Clear,
    AllAtoms,
    AllPairs,
    /// A set as a relation.
    Diagonal(Register),
    /// The atoms that a relation relates to themselves.
    Reflexive(Register),
    Union(Register, Register),
    Intersection(Register, Register),
    Difference(Register, Register),
    Sequence(Register, Register),
    /// A relation from members of a set on, or to members of a set.
    From(Register, Register),
    To(Register, Register),
    Product(Register, Register),
    Inverse(Register),
    Closure(Register),
    Domain(Register),
    Range(Register),
    /// Takes over what recursive relations were found to be, and goes back to the instruction of this number if that is new.
    Repeat(usize, Vec<(Register, Register)>),
    /// Ends if the test of this number fails.
    Test(usize),
}

#[derive(Clone, Debug)]
struct Instruction {
    target: Register,
    op: Op,
}

/// A model as a program.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    /// The base relations and sets that it uses.
    pub bases: Vec<Arc<str>>,
    /// Whether a set that tells accesses of one kind apart is used to take something away.
    pub takes_away_sets: bool,
    sorts: Vec<Sort>,
    code: Vec<Instruction>,
    tests: Vec<(Test, Register)>,
}

/// Why an expression cannot be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotCompiled;

/// Compiles tests of expressions, in this order. `is_set` says which base names are sets.
pub fn compile(
    formulas: &Formulas,
    tests: &[(Test, ExprId)],
    is_set: &dyn Fn(&str) -> bool,
) -> Result<Compiled, NotCompiled> {
    let mut compiler =
        Compiler { formulas, is_set, done: Compiled::default(), known: BTreeMap::new(), recursive: BTreeMap::new() };
    for (test, expr) in tests {
        compiler.done.takes_away_sets |= takes_away_sets(formulas, *expr);
        let register = compiler.expression(*expr)?;
        let number = compiler.done.tests.len();
        compiler.done.tests.push((*test, register));
        compiler.done.code.push(Instruction { target: register, op: Op::Test(number) });
    }
    Ok(compiler.done)
}

fn takes_away_sets(formulas: &Formulas, expr: ExprId) -> bool {
    let is_kind = |name: &str| matches!(name, "W" | "R" | "M" | "F" | "IW" | "si" | "sm");
    let tells_apart = |node: &Expr| matches!(node, Expr::Base(name) if !is_kind(name) && !RELATIONS.contains(&&**name));
    formulas.occurs(vec![expr], &|node| match node {
        Expr::Difference(_, right) => formulas.occurs(vec![*right], &tells_apart),
        _ => false,
    })
}

struct Compiler<'f> {
    formulas: &'f Formulas,
    is_set: &'f dyn Fn(&str) -> bool,
    done: Compiled,
    known: BTreeMap<ExprId, Register>,
    recursive: BTreeMap<Recursive, Register>,
}

impl Compiler<'_> {
    fn register(&mut self, sort: Sort) -> Register {
        self.done.sorts.push(sort);
        Register(self.done.sorts.len() - 1)
    }

    fn emit(&mut self, sort: Sort, op: Op) -> Register {
        let target = self.register(sort);
        self.done.code.push(Instruction { target, op });
        target
    }

    fn sort(&self, register: Register) -> Sort {
        self.done.sorts[register.0]
    }

    fn is_set(&self, register: Register) -> bool {
        self.sort(register) == Sort::Set
    }

    /// The register as one of a relation.
    fn relation(&mut self, register: Register) -> Register {
        match self.sort(register) {
            Sort::Relation => register,
            Sort::Set => self.emit(Sort::Relation, Op::Diagonal(register)),
        }
    }

    fn expression(&mut self, expr: ExprId) -> Result<Register, NotCompiled> {
        if let Some(register) = self.known.get(&expr) {
            return Ok(*register);
        }
        let register = match self.formulas.node(expr).clone() {
            Expr::Base(name) => {
                let sort = if (self.is_set)(&name) { Sort::Set } else { Sort::Relation };
                self.done.bases.push(name);
                self.emit(sort, Op::Base(self.done.bases.len() - 1))
            }
            Expr::Empty => self.emit(Sort::Set, Op::Clear),
            Expr::Universe => self.emit(Sort::Relation, Op::AllPairs),
            Expr::Identity => self.emit(Sort::Set, Op::AllAtoms),
            Expr::Union(a, b) => self.both(a, b, Op::Union)?,
            Expr::Intersection(a, b) => self.meet(a, b, Op::Intersection)?,
            Expr::Difference(a, b) => self.meet(a, b, Op::Difference)?,
            Expr::Sequence(a, b) => self.sequence(a, b)?,
            Expr::Product(a, b) => {
                let (a, b) = (self.expression(a)?, self.expression(b)?);
                if !self.is_set(a) || !self.is_set(b) {
                    return Err(NotCompiled);
                }
                self.emit(Sort::Relation, Op::Product(a, b))
            }
            Expr::Inverse(a) => self.unless_set(a, Op::Inverse)?,
            Expr::Closure(a) => self.unless_set(a, Op::Closure)?,
            Expr::ReflexiveClosure(a) => {
                let (closure, all) = (self.unless_set(a, Op::Closure)?, self.emit(Sort::Set, Op::AllAtoms));
                self.union(closure, all)
            }
            Expr::Domain(a) => self.ends(a, Op::Domain)?,
            Expr::Range(a) => self.ends(a, Op::Range)?,
            Expr::Recursive(name) => return self.fixpoint(name),
            Expr::Comprehension(_) | Expr::Single(_) | Expr::Each(..) => return Err(NotCompiled),
        };
        self.known.insert(expr, register);
        Ok(register)
    }

    fn union(&mut self, a: Register, b: Register) -> Register {
        if self.is_set(a) && self.is_set(b) {
            return self.emit(Sort::Set, Op::Union(a, b));
        }
        let (a, b) = (self.relation(a), self.relation(b));
        self.emit(Sort::Relation, Op::Union(a, b))
    }

    fn both(&mut self, a: ExprId, b: ExprId, _: fn(Register, Register) -> Op) -> Result<Register, NotCompiled> {
        let (a, b) = (self.expression(a)?, self.expression(b)?);
        Ok(self.union(a, b))
    }

    /// An intersection or difference: of a set it is a set.
    fn meet(&mut self, a: ExprId, b: ExprId, op: fn(Register, Register) -> Op) -> Result<Register, NotCompiled> {
        let (mut a, mut b) = (self.expression(a)?, self.expression(b)?);
        let is_intersection = matches!(op(a, b), Op::Intersection(..));
        if is_intersection && self.is_set(b) && !self.is_set(a) {
            (a, b) = (b, a);
        }
        if self.is_set(a) {
            let b = if self.is_set(b) { b } else { self.emit(Sort::Set, Op::Reflexive(b)) };
            return Ok(self.emit(Sort::Set, op(a, b)));
        }
        let b = self.relation(b);
        Ok(self.emit(Sort::Relation, op(a, b)))
    }

    fn sequence(&mut self, a: ExprId, b: ExprId) -> Result<Register, NotCompiled> {
        let (a, b) = (self.expression(a)?, self.expression(b)?);
        Ok(match (self.sort(a), self.sort(b)) {
            (Sort::Set, Sort::Set) => self.emit(Sort::Set, Op::Intersection(a, b)),
            (Sort::Set, Sort::Relation) => self.emit(Sort::Relation, Op::From(a, b)),
            (Sort::Relation, Sort::Set) => self.emit(Sort::Relation, Op::To(a, b)),
            (Sort::Relation, Sort::Relation) => self.emit(Sort::Relation, Op::Sequence(a, b)),
        })
    }

    /// What leaves a set as it is.
    fn unless_set(&mut self, a: ExprId, op: fn(Register) -> Op) -> Result<Register, NotCompiled> {
        let a = self.expression(a)?;
        Ok(if self.is_set(a) { a } else { self.emit(Sort::Relation, op(a)) })
    }

    fn ends(&mut self, a: ExprId, op: fn(Register) -> Op) -> Result<Register, NotCompiled> {
        let a = self.expression(a)?;
        Ok(if self.is_set(a) { a } else { self.emit(Sort::Set, op(a)) })
    }

    /// All relations that are defined together with this one. What they use of others is compiled inside, so that it
    /// is computed in every iteration; that is slower and never wrong.
    fn fixpoint(&mut self, name: Recursive) -> Result<Register, NotCompiled> {
        if let Some(register) = self.recursive.get(&name) {
            return Ok(*register);
        }
        let group = self.formulas.group(name);
        for member in &group {
            let register = self.emit(Sort::Relation, Op::Clear);
            self.recursive.insert(*member, register);
        }
        let start = self.done.code.len();
        let mut pairs = Vec::new();
        for member in &group {
            let Some(definition) = self.formulas.definition(*member) else { continue };
            let found = self.expression(definition)?;
            let found = self.relation(found);
            pairs.push((self.recursive[member], found));
        }
        let register = self.recursive[&name];
        self.done.code.push(Instruction { target: register, op: Op::Repeat(start, pairs) });
        Ok(register)
    }
}

/// What base relations and sets are on one execution.
pub trait Bases {
    /// How many atoms there are.
    fn size(&self) -> usize;
    /// Writes a base relation into rows of so many words, or a set into one row; all bits are 0 before.
    fn write(&self, name: &str, words: usize, bits: &mut [u64]);
}

/// Which test fails first, if one does.
pub fn first_failing(compiled: &Compiled, bases: &dyn Bases) -> Option<usize> {
    Run::new(compiled, bases).first_failing()
}

/// By test: the pairs of the relation that it is about.
pub fn pairs(compiled: &Compiled, bases: &dyn Bases, test: usize) -> Vec<(usize, usize)> {
    let mut run = Run::new(compiled, bases);
    run.all();
    let Some((_, register)) = compiled.tests.get(test) else { return Vec::new() };
    let of = |x: usize| (0..run.size).map(move |y| (x, y));
    (0..run.size).flat_map(of).filter(|&(x, y)| run.has(*register, x, y)).collect()
}

struct Run<'c> {
    compiled: &'c Compiled,
    bases: &'c dyn Bases,
    size: usize,
    /// How many words a row has.
    words: usize,
    bits: Vec<u64>,
}

impl<'c> Run<'c> {
    fn new(compiled: &'c Compiled, bases: &'c dyn Bases) -> Run<'c> {
        let size = bases.size();
        let words = size.div_ceil(64).max(1);
        let bits = vec![0; compiled.sorts.len() * size * words];
        Run { compiled, bases, size, words, bits }
    }

    fn first_failing(&mut self) -> Option<usize> {
        let mut at = 0;
        while let Some(instruction) = self.compiled.code.get(at) {
            match &instruction.op {
                Op::Test(number) => {
                    if !self.holds(*number) {
                        return Some(*number);
                    }
                    at += 1;
                }
                Op::Repeat(start, pairs) => at = if self.take_over(pairs) { *start } else { at + 1 },
                op => {
                    self.compute(instruction.target, op);
                    at += 1;
                }
            }
        }
        None
    }

    /// Runs all that is no test.
    fn all(&mut self) {
        let mut at = 0;
        while let Some(instruction) = self.compiled.code.get(at) {
            match &instruction.op {
                Op::Test(_) => at += 1,
                Op::Repeat(start, pairs) => at = if self.take_over(pairs) { *start } else { at + 1 },
                op => {
                    self.compute(instruction.target, op);
                    at += 1;
                }
            }
        }
    }

    fn sort(&self, register: Register) -> Sort {
        self.compiled.sorts[register.0]
    }

    /// The bits of a register: of a set one row.
    fn range(&self, register: Register) -> Range<usize> {
        let start = register.0 * self.size * self.words;
        let rows = if self.sort(register) == Sort::Set { self.size.min(1) } else { self.size };
        start..start + rows * self.words
    }

    fn row(&self, register: Register, x: usize) -> Range<usize> {
        let start = (register.0 * self.size + x) * self.words;
        start..start + self.words
    }

    fn has(&self, register: Register, x: usize, y: usize) -> bool {
        let row = match self.sort(register) {
            Sort::Set if x != y => return false,
            Sort::Set => self.row(register, 0),
            Sort::Relation => self.row(register, x),
        };
        self.bits[row.start + y / 64] >> (y % 64) & 1 == 1
    }

    fn set(&mut self, register: Register, x: usize, y: usize) {
        let row = match self.sort(register) {
            Sort::Set => self.row(register, 0),
            Sort::Relation => self.row(register, x),
        };
        self.bits[row.start + y / 64] |= 1 << (y % 64);
    }

    /// Copies a row into another one.
    fn absorb(&mut self, to: Range<usize>, from: Range<usize>) {
        for (to, from) in to.zip(from) {
            self.bits[to] |= self.bits[from];
        }
    }

    fn zip(&mut self, target: Register, a: Register, b: Register, word: impl Fn(u64, u64) -> u64) {
        let (target, a, b) = (self.range(target), self.range(a), self.range(b));
        for ((target, a), b) in target.zip(a).zip(b) {
            self.bits[target] = word(self.bits[a], self.bits[b]);
        }
    }

    /// The members of a row.
    fn members(&self, row: Range<usize>) -> Vec<usize> {
        let mut members = Vec::new();
        for (index, word) in self.bits[row].iter().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                members.push(index * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
        members
    }

    fn compute(&mut self, target: Register, op: &Op) {
        let range = self.range(target);
        if !matches!(op, Op::Union(..) | Op::Intersection(..) | Op::Difference(..)) {
            self.bits[range.clone()].fill(0);
        }
        match *op {
            Op::Base(number) => {
                self.bases.write(&self.compiled.bases[number], self.words, &mut self.bits[range]);
            }
            Op::AllAtoms => (0..self.size).for_each(|x| self.set(target, x, x)),
            Op::AllPairs => {
                (0..self.size).for_each(|x| (0..self.size).for_each(|y| self.set(target, x, y)));
            }
            Op::Diagonal(a) => self.members(self.row(a, 0)).into_iter().for_each(|x| self.set(target, x, x)),
            Op::Reflexive(a) => {
                (0..self.size).filter(|x| self.has(a, *x, *x)).collect::<Vec<_>>().into_iter().for_each(|x| {
                    self.set(target, x, x);
                });
            }
            Op::Union(a, b) => self.zip(target, a, b, |a, b| a | b),
            Op::Intersection(a, b) => self.zip(target, a, b, |a, b| a & b),
            Op::Difference(a, b) => self.zip(target, a, b, |a, b| a & !b),
            Op::Sequence(a, b) => {
                for x in 0..self.size {
                    for y in self.members(self.row(a, x)) {
                        self.absorb(self.row(target, x), self.row(b, y));
                    }
                }
            }
            Op::From(set, a) => {
                for x in self.members(self.row(set, 0)) {
                    self.absorb(self.row(target, x), self.row(a, x));
                }
            }
            Op::To(a, set) => {
                for x in 0..self.size {
                    let rows = self.row(target, x).zip(self.row(a, x)).zip(self.row(set, 0));
                    for ((target, a), set) in rows {
                        self.bits[target] = self.bits[a] & self.bits[set];
                    }
                }
            }
            Op::Product(a, b) => {
                for x in self.members(self.row(a, 0)) {
                    self.absorb(self.row(target, x), self.row(b, 0));
                }
            }
            Op::Inverse(a) => {
                for x in 0..self.size {
                    self.members(self.row(a, x)).into_iter().for_each(|y| self.set(target, y, x));
                }
            }
            Op::Closure(a) => {
                self.absorb(range, self.range(a));
                for middle in 0..self.size {
                    for x in (0..self.size).filter(|x| *x != middle) {
                        if self.has(target, x, middle) {
                            self.absorb(self.row(target, x), self.row(target, middle));
                        }
                    }
                }
            }
            Op::Domain(a) => {
                for x in 0..self.size {
                    if self.bits[self.row(a, x)].iter().any(|word| *word != 0) {
                        self.set(target, x, x);
                    }
                }
            }
            Op::Range(a) => {
                (0..self.size).for_each(|x| self.absorb(self.row(target, 0), self.row(a, x)));
            }
            Op::Clear | Op::Repeat(..) | Op::Test(_) => {}
        }
    }

    /// Recursive relations become what was found; whether that is new.
    fn take_over(&mut self, pairs: &[(Register, Register)]) -> bool {
        let mut is_new = false;
        for (to, from) in pairs {
            let (to, from) = (self.range(*to), self.range(*from));
            if self.bits[to.clone()] != self.bits[from.clone()] {
                is_new = true;
                self.bits.copy_within(from, to.start);
            }
        }
        is_new
    }

    fn holds(&self, test: usize) -> bool {
        let (test, register) = self.compiled.tests[test];
        match test {
            Test::Empty => self.bits[self.range(register)].iter().all(|word| *word == 0),
            Test::Irreflexive => (0..self.size).all(|x| !self.has(register, x, x)),
            Test::Acyclic if self.sort(register) == Sort::Set => {
                self.bits[self.range(register)].iter().all(|word| *word == 0)
            }
            Test::Acyclic => self.is_acyclic(register),
        }
    }

    /// Takes out atoms that lead to none that is left, until there are none.
    fn is_acyclic(&self, register: Register) -> bool {
        let mut left = vec![0u64; self.words];
        (0..self.size).for_each(|x| left[x / 64] |= 1 << (x % 64));
        loop {
            let mut is_changed = false;
            for x in (0..self.size).rev() {
                let is_left = left[x / 64] >> (x % 64) & 1 == 1;
                if is_left && self.bits[self.row(register, x)].iter().zip(&left).all(|(row, left)| row & left == 0) {
                    left[x / 64] &= !(1 << (x % 64));
                    is_changed = true;
                }
            }
            if !is_changed {
                return left.iter().all(|word| *word == 0);
            }
        }
    }
}
