//! What the tests share: random universes, relations, expressions and formulas, and what they mean, computed naively.
//!
//! An expression is kept as a [`Tree`], so that its meaning does not pass through the arena's simplifications.

#![allow(dead_code)]

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use relation::translate::Mode;
use relation::{
    Bit, Circuit, Comprehension, Expr, ExprId, Formula, Formulas, Instance, Matrix, Pairs, Translation, Universe,
    Variable,
};

/// A small generator of numbers (xorshift); the seed must not be 0.
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % limit as u64) as usize
    }

    /// Whether something with one chance in `limit` happens.
    pub fn one_in(&mut self, limit: usize) -> bool {
        self.below(limit) == 0
    }
}

/// A set of pairs, naively.
pub type Set = BTreeSet<(usize, usize)>;

/// A signal: all of these inputs have these values.
#[derive(Clone, Debug)]
pub enum Signal {
    Constant(bool),
    All(Vec<(usize, bool)>),
}

impl Signal {
    fn random(random: &mut Random, inputs: usize) -> Signal {
        let mut input = || (random.below(inputs), random.below(3) > 0);
        let first = input();
        let second = input();
        Signal::All(if random.one_in(4) { vec![first, second] } else { vec![first] })
    }

    pub fn holds(&self, valuation: usize) -> bool {
        match self {
            Signal::Constant(truth) => *truth,
            Signal::All(parts) => parts.iter().all(|&(input, truth)| (valuation >> input & 1 == 1) == truth),
        }
    }

    fn bit(&self, inputs: &[Bit], circuit: &mut Circuit) -> Bit {
        match self {
            Signal::Constant(truth) => Bit::constant(*truth),
            Signal::All(parts) => {
                let bits: Vec<Bit> =
                    parts.iter().map(|&(input, truth)| if truth { inputs[input] } else { !inputs[input] }).collect();
                circuit.and(&bits)
            }
        }
    }
}

/// An expression. Operands of `Product` are sets.
#[derive(Clone, Debug)]
pub enum Tree {
    Base(&'static str),
    Empty,
    Universe,
    Identity,
    Union(Box<Tree>, Box<Tree>),
    Intersection(Box<Tree>, Box<Tree>),
    Difference(Box<Tree>, Box<Tree>),
    Sequence(Box<Tree>, Box<Tree>),
    Product(Box<Tree>, Box<Tree>),
    Inverse(Box<Tree>),
    Closure(Box<Tree>),
    ReflexiveClosure(Box<Tree>),
    Domain(Box<Tree>),
    Range(Box<Tree>),
    Recursive(usize),
}

/// A pair of a base relation, and when it is there.
pub type Entry = (usize, usize, Signal);

/// A universe with base relations over free inputs, and recursive definitions.
#[derive(Clone, Debug)]
pub struct Case {
    pub size: usize,
    pub inputs: usize,
    pub present: Vec<Signal>,
    pub bases: Vec<(&'static str, Vec<Entry>)>,
    /// Definition number `i` mentions itself in monotone places only, and smaller numbers anywhere; unless mutual.
    pub definitions: Vec<Tree>,
    /// Definitions 0 and 1 mention each other.
    pub mutual: bool,
    /// Whether [`Case::relation`] may use the definitions.
    pub recursion: bool,
}

const RELATIONS: [&str; 2] = ["a", "b"];
const SETS: [&str; 2] = ["s", "t"];

impl Case {
    /// A random universe of `size` atoms and relations over `inputs` free inputs.
    pub fn random(random: &mut Random, size: usize, inputs: usize) -> Case {
        let present =
            (0..size).map(|_| if random.one_in(3) { Signal::random(random, inputs) } else { Signal::Constant(true) });
        let present = present.collect();
        let entry = |random: &mut Random| match random.below(10) {
            0 | 1 => Signal::Constant(true),
            2..=4 => Signal::random(random, inputs),
            _ => Signal::Constant(false),
        };
        let mut bases = Vec::new();
        for name in RELATIONS {
            let pairs = (0..size * size).map(|pair| (pair / size, pair % size, entry(random))).collect();
            bases.push((name, pairs));
        }
        for name in SETS {
            bases.push((name, (0..size).map(|x| (x, x, entry(random))).collect()));
        }
        let mutual = random.one_in(4);
        let mut case = Case { size, inputs, present, bases, definitions: Vec::new(), mutual, recursion: true };
        let body = |random: &mut Random, own: &[usize], lower: &[usize]| {
            let start = Tree::Base(RELATIONS[random.below(2)]);
            Tree::Union(Box::new(start), Box::new(relation(random, 2, own, lower)))
        };
        case.definitions = if mutual {
            vec![body(random, &[0, 1], &[]), body(random, &[0, 1], &[])]
        } else {
            vec![body(random, &[0], &[]), body(random, &[1], &[0])]
        };
        case
    }

    /// A random relation, perhaps with recursive relations in it.
    pub fn relation(&self, random: &mut Random, depth: usize) -> Tree {
        let usable: &[usize] = if self.recursion && random.one_in(2) { &[0, 1] } else { &[] };
        relation(random, depth, &[], usable)
    }

    /// This case without its recursive relations if their exact value would be refused.
    pub fn settled(mut self) -> Case {
        let mut formulas = Formulas::new();
        let recursive = self.define(&mut formulas);
        let (mut circuit, _, mut translation) = self.translation(&formulas, &mut Random(1));
        for expr in recursive {
            translation.matrix(expr, Mode::Exact, &mut circuit);
        }
        self.recursion = translation.failure().is_none();
        self
    }

    /// A random set.
    pub fn set(&self, random: &mut Random, depth: usize) -> Tree {
        set(random, depth, &[], &[])
    }

    pub fn valuations(&self) -> std::ops::Range<usize> {
        0..1 << self.inputs
    }

    /// The atoms that are there.
    pub fn atoms(&self, valuation: usize) -> Vec<usize> {
        (0..self.size).filter(|&x| self.present[x].holds(valuation)).collect()
    }

    /// A base relation between the atoms that are there.
    fn base(&self, name: &str, valuation: usize) -> Set {
        let (_, entries) = self.bases.iter().find(|(other, _)| *other == name).expect("a base relation");
        let there = |x: usize| self.present[x].holds(valuation);
        let held = entries.iter().filter(|(x, y, signal)| signal.holds(valuation) && there(*x) && there(*y));
        held.map(|&(x, y, _)| (x, y)).collect()
    }

    /// The instance of a valuation, its atoms renumbered without gaps.
    pub fn instance(&self, valuation: usize) -> Instance {
        let atoms = self.atoms(valuation);
        let place = |x: usize| atoms.iter().position(|&atom| atom == x).expect("an atom that is there");
        let relations = self.bases.iter().map(|(name, _)| {
            let pairs = self.base(name, valuation);
            let pairs = pairs.into_iter().map(|(x, y)| (place(x), place(y)));
            ((*name).into(), Pairs::from_pairs(atoms.len(), pairs))
        });
        Instance { size: atoms.len(), relations: relations.collect(), free: HashMap::new() }
    }

    /// What an expression means, in the atoms' own numbers.
    pub fn meaning(&self, tree: &Tree, valuation: usize) -> Set {
        let mut known: Vec<Set> = Vec::new();
        if self.mutual {
            known = self.fixpoint(&[0, 1], vec![Set::new(), Set::new()], valuation);
        } else {
            for index in 0..self.definitions.len() {
                known.push(Set::new());
                known = self.fixpoint(&[index], known, valuation);
            }
        }
        self.meaning_with(tree, &known, valuation)
    }

    fn fixpoint(&self, group: &[usize], mut known: Vec<Set>, valuation: usize) -> Vec<Set> {
        loop {
            let mut next = known.clone();
            for &index in group {
                next[index] = self.meaning_with(&self.definitions[index], &known, valuation);
            }
            if next == known {
                return known;
            }
            known = next;
        }
    }

    fn meaning_with(&self, tree: &Tree, known: &[Set], valuation: usize) -> Set {
        let of = |operand: &Tree| self.meaning_with(operand, known, valuation);
        let atoms = self.atoms(valuation);
        let all = || atoms.iter().flat_map(|&x| atoms.iter().map(move |&y| (x, y)));
        match tree {
            Tree::Base(name) => self.base(name, valuation),
            Tree::Empty => Set::new(),
            Tree::Universe => all().collect(),
            Tree::Identity => atoms.iter().map(|&x| (x, x)).collect(),
            Tree::Union(a, b) => of(a).union(&of(b)).copied().collect(),
            Tree::Intersection(a, b) => of(a).intersection(&of(b)).copied().collect(),
            Tree::Difference(a, b) => of(a).difference(&of(b)).copied().collect(),
            Tree::Sequence(a, b) => compose(&of(a), &of(b)),
            Tree::Product(a, b) => {
                let (a, b) = (of(a), of(b));
                all().filter(|&(x, y)| a.contains(&(x, x)) && b.contains(&(y, y))).collect()
            }
            Tree::Inverse(a) => of(a).into_iter().map(|(x, y)| (y, x)).collect(),
            Tree::Closure(a) => closure(&of(a)),
            Tree::ReflexiveClosure(a) => closure(&of(a)).into_iter().chain(atoms.iter().map(|&x| (x, x))).collect(),
            Tree::Domain(a) => of(a).into_iter().map(|(x, _)| (x, x)).collect(),
            Tree::Range(a) => of(a).into_iter().map(|(_, y)| (y, y)).collect(),
            Tree::Recursive(index) => known[*index].clone(),
        }
    }

    /// The definitions in an arena; gives each recursive relation as an expression.
    pub fn define(&self, formulas: &mut Formulas) -> Vec<ExprId> {
        let names: Vec<_> = self.definitions.iter().map(|_| formulas.recursive()).collect();
        let ids: Vec<ExprId> = names.iter().map(|&(_, id)| id).collect();
        for (&(name, _), tree) in names.iter().zip(&self.definitions) {
            let definition = tree.build(&ids, formulas);
            formulas.define(name, definition);
        }
        ids
    }

    /// The universe and base relations as signals: circuit, inputs, translation.
    pub fn translation<'f>(&self, formulas: &'f Formulas, random: &mut Random) -> (Circuit, Vec<Bit>, Translation<'f>) {
        let mut circuit = Circuit::new();
        let inputs: Vec<Bit> = (0..self.inputs).map(|_| circuit.fresh()).collect();
        let present: Vec<Bit> = self.present.iter().map(|signal| signal.bit(&inputs, &mut circuit)).collect();
        let mut implies = Pairs::empty(self.size);
        let mut exclusive = Pairs::empty(self.size);
        let there = |x: usize, valuation: usize| self.present[x].holds(valuation);
        for x in 0..self.size {
            for y in 0..self.size {
                if self.valuations().all(|v| !there(x, v) || there(y, v)) && random.below(3) > 0 {
                    implies.insert(x, y);
                }
                if x < y && self.valuations().all(|v| !there(x, v) || !there(y, v)) && random.below(3) > 0 {
                    exclusive.insert(x, y);
                    exclusive.insert(y, x);
                }
            }
        }
        let mut translation = Translation::new(formulas, Universe { present, implies, exclusive });
        for (name, entries) in &self.bases {
            // Pairs that are never both there are left out, as the events' relations leave them out.
            let entries = entries.iter().filter(|(x, y, _)| !translation.universe.exclusive.contains(*x, *y));
            let bits: Vec<_> = entries.map(|(x, y, s)| (*x, *y, s.bit(&inputs, &mut circuit))).collect();
            translation.bind(name, Matrix::from_entries(self.size, bits));
        }
        (circuit, inputs, translation)
    }
}

/// A random relation: recursive relations of `own` stand in monotone places only, those of `lower` anywhere.
fn relation(random: &mut Random, depth: usize, own: &[usize], lower: &[usize]) -> Tree {
    if depth == 0 {
        let recursive: Vec<usize> = own.iter().chain(lower).copied().collect();
        return match random.below(8) {
            0 | 1 if !recursive.is_empty() => Tree::Recursive(recursive[random.below(recursive.len())]),
            0..=5 => Tree::Base(RELATIONS[random.below(2)]),
            6 if random.one_in(3) => Tree::Empty,
            6 if random.one_in(2) => Tree::Universe,
            6 => Tree::Identity,
            _ => Tree::Base(SETS[random.below(2)]),
        };
    }
    let part = |random: &mut Random| {
        let depth = random.below(depth);
        Box::new(relation(random, depth, own, lower))
    };
    match random.below(13) {
        0 | 1 => Tree::Union(part(random), part(random)),
        2 => Tree::Intersection(part(random), part(random)),
        3 => {
            let left = part(random);
            let depth = random.below(depth);
            Tree::Difference(left, Box::new(relation(random, depth, &[], lower)))
        }
        4..=6 => Tree::Sequence(part(random), part(random)),
        7 => Tree::Product(Box::new(set(random, depth - 1, own, lower)), Box::new(set(random, depth - 1, own, lower))),
        8 => Tree::Inverse(part(random)),
        9 | 10 => Tree::Closure(part(random)),
        11 => Tree::ReflexiveClosure(part(random)),
        _ => set(random, depth, own, lower),
    }
}

fn set(random: &mut Random, depth: usize, own: &[usize], lower: &[usize]) -> Tree {
    if depth == 0 {
        return if random.one_in(6) { Tree::Identity } else { Tree::Base(SETS[random.below(2)]) };
    }
    let part = |random: &mut Random, own: &[usize]| Box::new(set(random, depth - 1, own, lower));
    match random.below(7) {
        0 => Tree::Union(part(random, own), part(random, own)),
        1 => Tree::Intersection(part(random, own), part(random, own)),
        2 => Tree::Difference(part(random, own), part(random, &[])),
        3 | 4 => Tree::Domain(Box::new(relation(random, depth - 1, own, lower))),
        _ => Tree::Range(Box::new(relation(random, depth - 1, own, lower))),
    }
}

fn compose(a: &Set, b: &Set) -> Set {
    a.iter().flat_map(|&(x, y)| b.iter().filter(move |&&(m, _)| m == y).map(move |&(_, z)| (x, z))).collect()
}

/// The transitive closure, step by step.
pub fn closure(relation: &Set) -> Set {
    let mut closed = relation.clone();
    loop {
        let longer: Set = closed.union(&compose(&closed, relation)).copied().collect();
        if longer == closed {
            return closed;
        }
        closed = longer;
    }
}

impl Tree {
    /// The expression in an arena; `recursive` are the recursive relations.
    pub fn build(&self, recursive: &[ExprId], formulas: &mut Formulas) -> ExprId {
        let mut of = |operand: &Tree| operand.build(recursive, formulas);
        let expr = match self {
            Tree::Base(name) => Expr::Base((*name).into()),
            Tree::Empty => Expr::Empty,
            Tree::Universe => Expr::Universe,
            Tree::Identity => Expr::Identity,
            Tree::Union(a, b) => Expr::Union(of(a), of(b)),
            Tree::Intersection(a, b) => Expr::Intersection(of(a), of(b)),
            Tree::Difference(a, b) => Expr::Difference(of(a), of(b)),
            Tree::Sequence(a, b) => Expr::Sequence(of(a), of(b)),
            Tree::Product(a, b) => Expr::Product(of(a), of(b)),
            Tree::Inverse(a) => Expr::Inverse(of(a)),
            Tree::Closure(a) => Expr::Closure(of(a)),
            Tree::ReflexiveClosure(a) => Expr::ReflexiveClosure(of(a)),
            Tree::Domain(a) => Expr::Domain(of(a)),
            Tree::Range(a) => Expr::Range(of(a)),
            Tree::Recursive(index) => return recursive[*index],
        };
        formulas.expr(expr)
    }
}

/// A random formula over the case's relations. With `free`, it may use the free relations `one/1` and `two/2`.
pub fn formula(
    random: &mut Random,
    case: &Case,
    depth: usize,
    recursive: &[ExprId],
    free: bool,
    formulas: &mut Formulas,
) -> Formula {
    Writer { case, recursive, free, formulas, variables: 0, comprehensions: 0 }.formula(random, depth, &mut Vec::new())
}

struct Writer<'a> {
    case: &'a Case,
    recursive: &'a [ExprId],
    free: bool,
    formulas: &'a mut Formulas,
    /// Each quantifier and comprehension binds variables of its own.
    variables: u32,
    /// How many comprehensions there are around what is written.
    comprehensions: usize,
}

impl Writer<'_> {
    fn formula(&mut self, random: &mut Random, depth: usize, bound: &mut Vec<Variable>) -> Formula {
        if depth == 0 {
            return self.atom(random, bound);
        }
        let count = 1 + random.below(3);
        match random.below(8) {
            0 => Formula::Not(Box::new(self.formula(random, depth - 1, bound))),
            1 => Formula::And((0..count).map(|_| self.formula(random, depth - 1, bound)).collect()),
            2 | 3 => Formula::Or((0..count).map(|_| self.formula(random, depth - 1, bound)).collect()),
            4..=6 => {
                let set = self.set(random, bound);
                let variable = self.bind(bound);
                let body = Box::new(self.formula(random, depth - 1, bound));
                bound.pop();
                if random.one_in(2) {
                    Formula::ForAll(variable, set, body)
                } else {
                    Formula::Exists(variable, set, body)
                }
            }
            _ => self.atom(random, bound),
        }
    }

    fn bind(&mut self, bound: &mut Vec<Variable>) -> Variable {
        let variable = Variable(self.variables);
        self.variables += 1;
        bound.push(variable);
        variable
    }

    /// A random set, perhaps one of those atoms of which a formula holds.
    fn set(&mut self, random: &mut Random, bound: &mut Vec<Variable>) -> ExprId {
        if self.comprehensions == 0 && random.one_in(3) {
            return self.comprehension(random, 1, bound);
        }
        self.case.set(random, 1).build(self.recursive, self.formulas)
    }

    /// The atoms, or pairs, of which a formula holds; it may use the variables that are bound around it.
    fn comprehension(&mut self, random: &mut Random, arity: usize, bound: &mut Vec<Variable>) -> ExprId {
        let outer = bound.len();
        self.comprehensions += 1;
        let mut variables = Vec::new();
        for _ in 0..arity {
            let set = self.case.set(random, 1).build(self.recursive, self.formulas);
            variables.push((self.bind(bound), set));
        }
        let depth = random.below(2);
        let body = self.formula(random, depth, bound);
        self.comprehensions -= 1;
        bound.truncate(outer);
        self.formulas.expr(Expr::Comprehension(Arc::new(Comprehension { variables, body })))
    }

    /// A random relation, perhaps made of pairs of which a formula holds.
    fn relation(&mut self, random: &mut Random, bound: &mut Vec<Variable>) -> ExprId {
        let depth = 1 + random.below(2);
        let plain = self.case.relation(random, depth).build(self.recursive, self.formulas);
        if self.comprehensions > 1 || random.below(4) > 0 {
            return plain;
        }
        let pairs = self.comprehension(random, 2, bound);
        self.formulas.expr(match random.below(4) {
            0 => Expr::Sequence(plain, pairs),
            1 => Expr::Closure(pairs),
            2 => Expr::Difference(plain, pairs),
            _ => return pairs,
        })
    }

    fn atom(&mut self, random: &mut Random, bound: &mut Vec<Variable>) -> Formula {
        let expr = self.relation(random, bound);
        let variable = |random: &mut Random| bound[random.below(bound.len())];
        match random.below(if bound.is_empty() { 7 } else { 13 }) {
            0..=1 => Formula::Acyclic(expr),
            2 | 3 => Formula::Irreflexive(expr),
            4 => Formula::Empty(expr),
            5 if self.comprehensions == 0 && random.one_in(2) => {
                let on = self.case.set(random, 1).build(self.recursive, self.formulas);
                Formula::TotalOrder { order: expr, on }
            }
            5 => Formula::AtLeast(random.below(6), expr),
            6 => Formula::Constant(random.one_in(2)),
            7 | 8 if self.free => {
                let (name, arity) = if random.one_in(2) { ("one", 1) } else { ("two", 2) };
                Formula::Free(name.into(), (0..arity).map(|_| variable(random)).collect())
            }
            9 => Formula::Same(variable(random), variable(random)),
            _ => Formula::Member(expr, variable(random), variable(random)),
        }
    }
}

/// Assumptions that fix all inputs.
pub fn fixed(inputs: &[Bit], valuation: usize) -> Vec<Bit> {
    inputs.iter().enumerate().map(|(index, &bit)| if valuation >> index & 1 == 1 { bit } else { !bit }).collect()
}
