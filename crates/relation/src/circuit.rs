//! Boolean circuits that become clauses of a solver as far as they are needed.
//!
//! Gates are hash-consed conjunctions over literals; constants are folded away when a gate is built. A gate reaches the
//! solver only when a clause, an edge or an assumption uses it, and only in the direction of that use (Plaisted and
//! Greenbaum 1986). After a solution the value of a gate is therefore computed from the inputs, never read off.

use rustc_hash::FxHashMap;
use sat::{Answer, Budget, GraphId, Interrupted, Lit, Solver};

/// A signal: a constant, an input, a gate, or the negation of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bit(u32);

impl Bit {
    /// Always true.
    pub const TRUE: Bit = Bit(0);
    /// Never true.
    pub const FALSE: Bit = Bit(1);

    /// The constant.
    pub fn constant(truth: bool) -> Bit {
        if truth { Bit::TRUE } else { Bit::FALSE }
    }

    /// Whether it is one of the constants.
    pub fn is_constant(self) -> bool {
        self.node() == 0
    }

    fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

#[derive(Debug)]
enum Node {
    True,
    Input,
    /// Invariant: at least two children, sorted, no two on the same node, none constant.
    And(Box<[Bit]>),
}

/// What the solver knows of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Emitted {
    literal: Option<Lit>,
    /// Clauses `gate -> children` are there.
    downward: bool,
    /// Clause `children -> gate` is there.
    upward: bool,
}

/// A circuit together with the solver that decides it.
pub struct Circuit {
    /// Invariant: children of a gate stand before it.
    nodes: Vec<Node>,
    gates: FxHashMap<Box<[Bit]>, u32>,
    emitted: Vec<Emitted>,
    /// For each signal the last clause in which it was met, by the clause's number.
    met: Vec<[u32; 2]>,
    /// How many clauses were looked through.
    clauses: u32,
    solver: Solver,
}

/// The values of all signals in a solution.
pub struct Valuation(Vec<bool>);

impl Valuation {
    /// The value of a signal that existed when the valuation was taken.
    pub fn get(&self, bit: Bit) -> bool {
        self.0[bit.node()] != bit.is_negated()
    }
}

/// Gates wider than this are not merged into wider ones.
const FLATTEN: usize = 24;

impl Default for Circuit {
    fn default() -> Circuit {
        Circuit::new()
    }
}

impl Circuit {
    /// An empty circuit.
    pub fn new() -> Circuit {
        Circuit {
            nodes: vec![Node::True],
            gates: FxHashMap::default(),
            emitted: vec![Emitted::default()],
            met: vec![[0; 2]],
            clauses: 0,
            solver: Solver::new(),
        }
    }

    /// A new input.
    pub fn fresh(&mut self) -> Bit {
        self.push(Node::Input)
    }

    /// The conjunction.
    pub fn and(&mut self, bits: &[Bit]) -> Bit {
        let mut children: Vec<Bit> = Vec::with_capacity(bits.len());
        for &bit in bits {
            match &self.nodes[bit.node()] {
                Node::True if bit.is_negated() => return Bit::FALSE,
                Node::True => {}
                Node::And(inner) if !bit.is_negated() && children.len() + inner.len() <= FLATTEN => {
                    children.extend_from_slice(inner);
                }
                _ => children.push(bit),
            }
        }
        children.sort_unstable();
        children.dedup();
        if children.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Bit::FALSE;
        }
        match children.len() {
            0 => return Bit::TRUE,
            1 => return children[0],
            _ => {}
        }
        if let Some(&node) = self.gates.get(children.as_slice()) {
            return Bit(node << 1);
        }
        let children = children.into_boxed_slice();
        let bit = self.push(Node::And(children.clone()));
        self.gates.insert(children, bit.0 >> 1);
        bit
    }

    /// The disjunction.
    pub fn or(&mut self, bits: &[Bit]) -> Bit {
        if let &[a, b] = bits
            && let Some(common) = self.split_on_one(a, b)
        {
            return self.and(&common);
        }
        let negated: Vec<Bit> = bits.iter().map(|&bit| !bit).collect();
        !self.and(&negated)
    }

    /// If `a = c & x` and `b = c & !x`, the parts of `c`: the join of two branches is the point before them.
    fn split_on_one(&self, a: Bit, b: Bit) -> Option<Vec<Bit>> {
        let (a, b) = (self.conjuncts(a)?, self.conjuncts(b)?);
        if a.len() != b.len() {
            return None;
        }
        let only_a: Vec<Bit> = a.iter().copied().filter(|bit| !b.contains(bit)).collect();
        match only_a[..] {
            [x] if b.contains(&!x) => Some(a.iter().copied().filter(|&bit| bit != x).collect()),
            _ => None,
        }
    }

    fn conjuncts(&self, bit: Bit) -> Option<&[Bit]> {
        match &self.nodes[bit.node()] {
            Node::And(children) if !bit.is_negated() => Some(children),
            _ => None,
        }
    }

    /// `if condition then a else b`.
    pub fn ite(&mut self, condition: Bit, a: Bit, b: Bit) -> Bit {
        match (condition, a, b) {
            (Bit::TRUE, ..) => a,
            (Bit::FALSE, ..) => b,
            _ if a == b => a,
            (_, Bit::TRUE, _) => self.or(&[condition, b]),
            (_, Bit::FALSE, _) => self.and(&[!condition, b]),
            (_, _, Bit::TRUE) => self.or(&[!condition, a]),
            (_, _, Bit::FALSE) => self.and(&[condition, a]),
            _ => {
                let left = self.or(&[!condition, a]);
                let right = self.or(&[condition, b]);
                self.and(&[left, right])
            }
        }
    }

    /// Whether both have the same value.
    pub fn iff(&mut self, a: Bit, b: Bit) -> Bit {
        self.ite(a, b, !b)
    }

    /// Whether `a` implies `b` on the face of it: equal, constant, `b`'s conjuncts are among `a`'s, or `a` is one of `b`'s
    /// disjuncts.
    pub fn evidently_implies(&self, a: Bit, b: Bit) -> bool {
        if a == b || b == Bit::TRUE || a == Bit::FALSE {
            return true;
        }
        if self.conjuncts(!b).is_some_and(|denied| denied.contains(&!a)) {
            return true;
        }
        let Some(have) = self.conjuncts(a) else { return false };
        match self.conjuncts(b) {
            Some(want) => want.iter().all(|bit| have.binary_search(bit).is_ok()),
            None => have.binary_search(&b).is_ok(),
        }
    }

    /// Whether `a` and `b` are not both true on the face of it: a conjunct of one is denied by the other.
    pub fn evidently_excludes(&self, a: Bit, b: Bit) -> bool {
        let (one, other) = ([a], [b]);
        let one = self.conjuncts(a).unwrap_or(&one);
        let other = self.conjuncts(b).unwrap_or(&other);
        one.iter().any(|&bit| other.contains(&!bit))
    }

    /// Requires that one of the bits is true.
    pub fn clause(&mut self, bits: &[Bit]) {
        if let &[bit] = bits
            && let Some(children) = self.conjuncts(bit).map(<[Bit]>::to_vec)
        {
            return children.iter().for_each(|&child| self.clause(&[child]));
        }
        let mut literals = Vec::with_capacity(bits.len());
        let mut open: Vec<Bit> = bits.to_vec();
        self.clauses += 1;
        while let Some(bit) = open.pop() {
            let met = &mut self.met[bit.node()];
            if met[usize::from(!bit.is_negated())] == self.clauses {
                return;
            }
            if std::mem::replace(&mut met[usize::from(bit.is_negated())], self.clauses) == self.clauses {
                continue;
            }
            match &self.nodes[bit.node()] {
                Node::True if bit.is_negated() => {}
                Node::True => return,
                // A negated conjunction is a disjunction: no gate needed, unless it is there already.
                Node::And(children) if bit.is_negated() && !self.emitted[bit.node()].upward => {
                    open.extend(children.iter().map(|&child| !child));
                }
                _ => literals.push(bit),
            }
        }
        let literals: Vec<Lit> = literals.into_iter().map(|bit| self.literal(bit)).collect();
        self.solver.clause(&literals);
    }

    /// A literal that is false only if the bit is: to be used where it must be true.
    fn literal(&mut self, bit: Bit) -> Lit {
        if bit.is_constant() {
            let truth = self.allocate(0);
            self.solver.clause(&[truth]);
            return if bit.is_negated() { !truth } else { truth };
        }
        self.emit(bit);
        let literal = self.allocate(bit.node());
        if bit.is_negated() { !literal } else { literal }
    }

    fn allocate(&mut self, node: usize) -> Lit {
        match self.emitted[node].literal {
            Some(literal) => literal,
            None => {
                let literal = self.solver.fresh();
                self.emitted[node].literal = Some(literal);
                literal
            }
        }
    }

    /// Gives the solver the clauses that make `bit` false whenever its inputs do.
    fn emit(&mut self, bit: Bit) {
        let mut open = vec![bit];
        while let Some(bit) = open.pop() {
            let node = bit.node();
            let done = if bit.is_negated() { self.emitted[node].upward } else { self.emitted[node].downward };
            let Node::And(children) = &self.nodes[node] else { continue };
            if done {
                continue;
            }
            let children = children.clone();
            let gate = self.allocate(node);
            if bit.is_negated() {
                self.emitted[node].upward = true;
                let mut clause = vec![gate];
                for &child in &children {
                    clause.push(self.raw(!child));
                    open.push(!child);
                }
                self.solver.clause(&clause);
            } else {
                self.emitted[node].downward = true;
                for &child in &children {
                    let child_literal = self.raw(child);
                    self.solver.clause(&[!gate, child_literal]);
                    open.push(child);
                }
            }
        }
    }

    fn raw(&mut self, bit: Bit) -> Lit {
        let literal = self.allocate(bit.node());
        if bit.is_negated() { !literal } else { literal }
    }

    /// Whether some clause or edge depends on the bit, a constant or an input.
    pub fn is_used(&self, bit: Bit) -> bool {
        self.emitted[bit.node()].literal.is_some()
    }

    /// A graph over `nodes` nodes that must stay acyclic.
    pub fn graph(&mut self, nodes: usize) -> GraphId {
        self.solver.graph(nodes)
    }

    /// When the bit is true, the graph has this edge.
    pub fn edge(&mut self, graph: GraphId, from: u32, to: u32, bit: Bit) {
        match bit {
            Bit::FALSE => {}
            Bit::TRUE => self.solver.fixed_edge(graph, from, to),
            _ => {
                let literal = !self.literal(!bit);
                self.solver.edge(graph, from, to, literal);
            }
        }
    }

    /// Looks for a solution in which all assumptions are true.
    pub fn solve(&mut self, assumptions: &[Bit], budget: &Budget) -> Answer {
        let literals: Vec<Lit> = assumptions.iter().map(|&bit| self.literal(bit)).collect();
        self.solver.solve(&literals, budget)
    }

    /// A minimal part of the assumptions that cannot be true together; they must not have a solution together.
    pub fn minimal_core(&mut self, assumptions: &[Bit], budget: &Budget) -> Result<Vec<Bit>, Interrupted> {
        let literals: Vec<Lit> = assumptions.iter().map(|&bit| self.literal(bit)).collect();
        let core = self.solver.minimal_core(&literals, budget)?;
        let of_literal = |literal: &Lit| assumptions[literals.iter().position(|l| l == literal).unwrap_or(0)];
        Ok(core.iter().map(of_literal).collect())
    }

    /// After a failed [`Circuit::solve`] with these assumptions: some of them that cannot be true together.
    pub fn failed(&mut self, assumptions: &[Bit]) -> Vec<Bit> {
        let core = self.solver.core();
        assumptions.iter().copied().filter(|&bit| core.contains(&self.raw(bit))).collect()
    }

    /// The values of all signals in the solution just found.
    pub fn valuation(&self) -> Valuation {
        let mut values = Vec::with_capacity(self.nodes.len());
        for (node, emitted) in self.nodes.iter().zip(&self.emitted) {
            let value = match node {
                Node::True => true,
                Node::Input => emitted.literal.is_some_and(|literal| self.solver.value(literal)),
                Node::And(children) => children.iter().all(|child| values[child.node()] != child.is_negated()),
            };
            values.push(value);
        }
        Valuation(values)
    }

    /// Figures of the solver.
    pub fn statistics(&self) -> sat::Statistics {
        self.solver.statistics()
    }

    fn push(&mut self, node: Node) -> Bit {
        self.nodes.push(node);
        self.emitted.push(Emitted::default());
        self.met.push([0; 2]);
        Bit((self.nodes.len() as u32 - 1) << 1)
    }
}
