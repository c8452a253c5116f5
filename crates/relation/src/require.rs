//! Formulas to constraints.
//!
//! [`Translation::require`] makes a formula hold, perhaps only while a selector is true: selectors are what cores are
//! made of. Acyclicity and total orders go to the solver's order theory; quantifiers are grounded, and a disjunct that
//! is constantly true cuts off all deeper bindings.

use std::rc::Rc;

use crate::circuit::{Bit, Circuit};
use crate::formula::{Comprehension, Expr, ExprId, Formula, Variable};
use crate::matrix::Matrix;
use crate::pairs::Pairs;
use crate::translate::{Mode, Translation};

impl Translation<'_> {
    /// Makes the formula hold whenever `selector` is true.
    pub fn require(&mut self, formula: &Formula, selector: Bit, circuit: &mut Circuit) {
        self.require_with(&normalize(formula, true), selector, circuit);
    }

    /// A signal that is true only if the formula holds, and may be true whenever it does.
    pub fn signal(&mut self, formula: &Formula, circuit: &mut Circuit) -> Bit {
        self.signal_with(&normalize(formula, true), circuit)
    }

    /// The atoms or pairs of which a formula holds.
    pub(crate) fn comprehension(&mut self, comprehension: &Comprehension, circuit: &mut Circuit) -> Matrix {
        let body = exact(normalize(&comprehension.body, true));
        let mut entries = Vec::new();
        if let Some(&(first, set)) = comprehension.variables.first() {
            let second = comprehension.variables.get(1);
            for (x, _, member) in self.matrix(set, Mode::Exact, circuit).entries() {
                let row = self.with(first, x, |this| this.comprehension_row(x, second, &body, circuit));
                entries.extend(row.into_iter().map(|(y, holds)| (x, y, circuit.and(&[member, holds]))));
            }
        }
        let exclusive = &self.universe.exclusive;
        let entries = entries.into_iter().filter(|&(x, y, bit)| bit != Bit::FALSE && !exclusive.contains(x, y));
        Matrix::from_entries(self.universe.size(), entries.collect::<Vec<_>>())
    }

    /// What the first variable's atom is related to, and when.
    fn comprehension_row(
        &mut self,
        x: usize,
        second: Option<&(Variable, ExprId)>,
        body: &Formula,
        circuit: &mut Circuit,
    ) -> Vec<(usize, Bit)> {
        let Some(&(second, set)) = second else { return vec![(x, self.signal_with(body, circuit))] };
        let set = self.matrix(set, Mode::Exact, circuit);
        let pair = |(y, _, member)| {
            let holds = self.with(second, y, |this| this.signal_with(body, circuit));
            (y, circuit.and(&[member, holds]))
        };
        set.entries().map(pair).collect()
    }

    fn require_with(&mut self, formula: &Formula, selector: Bit, circuit: &mut Circuit) {
        // Once something could not be translated no answer is drawn: more constraints would only cost.
        if self.failure().is_some() {
            return;
        }
        match formula {
            Formula::Constant(true) => {}
            Formula::And(parts) => {
                for part in parts {
                    self.require_with(part, selector, circuit);
                }
            }
            Formula::Acyclic(expr) => self.require_acyclic(*expr, selector, circuit),
            Formula::Irreflexive(expr) => self.require_irreflexive(*expr, selector, circuit),
            Formula::Empty(expr) => self.require_empty(*expr, selector, circuit),
            Formula::TotalOrder { order, on } => self.require_total_order(*order, *on, selector, circuit),
            Formula::ForAll(..) => self.require_for_all(formula, selector, circuit),
            _ => {
                let signal = self.signal_with(formula, circuit);
                circuit.clause(&[!selector, signal]);
            }
        }
    }

    fn require_acyclic(&mut self, expr: ExprId, selector: Bit, circuit: &mut Circuit) {
        match *self.formulas.node(expr) {
            // The closure of a relation has a cycle exactly when the relation has one.
            Expr::Closure(inner) => return self.require_acyclic(inner, selector, circuit),
            Expr::ReflexiveClosure(_) => return self.require_irreflexive(expr, selector, circuit),
            _ => {}
        }
        let matrix = self.matrix(expr, Mode::Containing, circuit);
        self.require_acyclic_matrix(&matrix, selector, circuit);
    }

    /// Makes a matrix of signals have no cycle among the atoms that are there.
    pub fn require_acyclic_matrix(&self, matrix: &Matrix, selector: Bit, circuit: &mut Circuit) {
        let graph = circuit.graph(self.universe.size());
        let certain = self.must_closure(matrix);
        for (x, y, bit) in matrix.entries() {
            let both = self.universe.both(circuit, x, y);
            // What certain pairs connect needs no edge of its own, and what goes against them is a cycle.
            if x == y || certain.contains(y, x) {
                circuit.clause(&[!selector, !bit, !both]);
            } else if !self.is_detour(&certain, x, y, bit) {
                let active = circuit.and(&[bit, both, selector]);
                circuit.edge(graph, x as u32, y as u32, active);
            }
        }
    }

    /// Whether other edges connect the pair whenever both of its atoms are there.
    fn is_detour(&self, certain: &Pairs, x: usize, y: usize, bit: Bit) -> bool {
        if bit != Bit::TRUE {
            return certain.contains(x, y);
        }
        let implies = &self.universe.implies;
        certain.row(x).any(|m| m != y && certain.contains(m, y) && (implies.contains(x, m) || implies.contains(y, m)))
    }

    fn require_irreflexive(&mut self, expr: ExprId, selector: Bit, circuit: &mut Circuit) {
        match *self.formulas.node(expr) {
            Expr::Union(a, b) => {
                self.require_irreflexive(a, selector, circuit);
                self.require_irreflexive(b, selector, circuit);
            }
            Expr::Sequence(a, b) => {
                let a = self.matrix(a, Mode::Containing, circuit);
                let b = self.matrix(b, Mode::Containing, circuit);
                for (x, y, forth) in a.entries() {
                    let both = self.universe.both(circuit, x, y);
                    circuit.clause(&[!selector, !forth, !b.get(y, x), !both]);
                }
            }
            _ => {
                let matrix = self.matrix(expr, Mode::Containing, circuit);
                for x in 0..matrix.size() {
                    circuit.clause(&[!selector, !matrix.get(x, x), !self.universe.present[x]]);
                }
            }
        }
    }

    fn require_empty(&mut self, expr: ExprId, selector: Bit, circuit: &mut Circuit) {
        match *self.formulas.node(expr) {
            Expr::Union(a, b) => {
                self.require_empty(a, selector, circuit);
                self.require_empty(b, selector, circuit);
            }
            Expr::Sequence(a, b) => {
                let a = self.matrix(a, Mode::Containing, circuit);
                let b = self.matrix(b, Mode::Containing, circuit);
                for (x, y, first) in a.entries() {
                    let both = self.universe.both(circuit, x, y);
                    for &(z, second) in b.row(y) {
                        let end = self.universe.present[z as usize];
                        circuit.clause(&[!selector, !first, !second, !both, !end]);
                    }
                }
            }
            _ => {
                let matrix = self.matrix(expr, Mode::Containing, circuit);
                for (x, y, bit) in matrix.entries() {
                    let both = self.universe.both(circuit, x, y);
                    circuit.clause(&[!selector, !bit, !both]);
                }
            }
        }
    }

    fn require_total_order(&mut self, order: ExprId, on: ExprId, selector: Bit, circuit: &mut Circuit) {
        let order = self.matrix(order, Mode::Exact, circuit);
        let on = self.matrix(on, Mode::Exact, circuit);
        for (x, y, bit) in order.entries() {
            let both = self.universe.both(circuit, x, y);
            circuit.clause(&[!selector, !bit, !both, on.get(x, x)]);
            circuit.clause(&[!selector, !bit, !both, on.get(y, y)]);
        }
        for (x, _, on_x) in on.entries() {
            for (y, _, on_y) in on.entries().filter(|&(y, ..)| y > x) {
                if self.universe.exclusive.contains(x, y) {
                    continue;
                }
                let both = self.universe.both(circuit, x, y);
                let (forth, back) = (order.get(x, y), order.get(y, x));
                circuit.clause(&[!selector, !on_x, !on_y, !both, forth, back]);
                circuit.clause(&[!selector, !both, !forth, !back]);
            }
        }
        self.require_acyclic_matrix(&order, selector, circuit);
    }

    /// Grounds a chain of universal quantifiers over a disjunction.
    fn require_for_all(&mut self, formula: &Formula, selector: Bit, circuit: &mut Circuit) {
        let mut variables = Vec::new();
        let mut body = formula;
        while let Formula::ForAll(variable, set, inner) = body {
            // A set that speaks of a variable of the chain is known only where that is bound.
            if variables.iter().any(|&(outer, _)| self.formulas.mentions(*set, outer)) {
                break;
            }
            variables.push((*variable, self.matrix(*set, Mode::Exact, circuit)));
            body = inner;
        }
        let bodies = if let Formula::And(parts) = body { parts.as_slice() } else { std::slice::from_ref(body) };
        for body in bodies {
            let disjuncts = if let Formula::Or(parts) = body { parts.as_slice() } else { std::slice::from_ref(body) };
            // A disjunct is decided as soon as the last of its variables is bound.
            let mut due: Vec<Vec<&Formula>> = vec![Vec::new(); variables.len() + 1];
            for disjunct in disjuncts {
                let last = variables.iter().rposition(|&(v, _)| self.formulas.formula_mentions(disjunct, v));
                due[last.map_or(0, |index| index + 1)].push(disjunct);
            }
            let mut clause = vec![!selector];
            self.ground(&variables, &due, &mut clause, circuit);
        }
    }

    fn ground(
        &mut self,
        variables: &[(Variable, Rc<Matrix>)],
        due: &[Vec<&Formula>],
        clause: &mut Vec<Bit>,
        circuit: &mut Circuit,
    ) {
        let length = clause.len();
        for disjunct in &due[0] {
            let signal = self.signal_with(disjunct, circuit);
            if signal == Bit::TRUE {
                clause.truncate(length);
                return;
            }
            clause.push(signal);
        }
        match variables.split_first() {
            None => circuit.clause(clause),
            Some(((variable, set), rest)) => {
                for (x, _, member) in set.entries() {
                    let present = self.universe.present[x];
                    clause.extend([!member, !present]);
                    self.with(*variable, x, |this| this.ground(rest, &due[1..], clause, circuit));
                    clause.truncate(clause.len() - 2);
                }
            }
        }
        clause.truncate(length);
    }

    fn signal_with(&mut self, formula: &Formula, circuit: &mut Circuit) -> Bit {
        match formula {
            Formula::Constant(truth) => Bit::constant(*truth),
            Formula::And(parts) => {
                let bits: Vec<Bit> = parts.iter().map(|part| self.signal_with(part, circuit)).collect();
                circuit.and(&bits)
            }
            Formula::Or(parts) => {
                let bits: Vec<Bit> = parts.iter().map(|part| self.signal_with(part, circuit)).collect();
                circuit.or(&bits)
            }
            Formula::Not(inner) => match **inner {
                Formula::Acyclic(expr) => self.signal_of_cycle(expr, circuit),
                Formula::Irreflexive(expr) => self.signal_of_loop(expr, circuit),
                Formula::Empty(expr) => self.signal_of_pair(expr, circuit),
                Formula::TotalOrder { .. } => {
                    self.fail("the negation of a total order");
                    Bit::FALSE
                }
                _ => !self.signal_with(inner, circuit),
            },
            Formula::Member(expr, x, y) => {
                let matrix = self.matrix(*expr, Mode::Exact, circuit);
                matrix.get(self.bound_to(*x), self.bound_to(*y))
            }
            Formula::Free(name, arguments) => {
                let atoms: Vec<u32> = arguments.iter().map(|&v| self.bound_to(v) as u32).collect();
                *self.free.entry((name.clone(), atoms)).or_insert_with(|| circuit.fresh())
            }
            Formula::Same(x, y) => Bit::constant(self.bound_to(*x) == self.bound_to(*y)),
            Formula::AtLeast(number, expr) => self.signal_of_count(*number, *expr, circuit),
            Formula::ForAll(variable, set, body) => {
                let bits = self.signals_over(*variable, *set, body, circuit, false);
                circuit.and(&bits)
            }
            Formula::Exists(variable, set, body) => {
                let bits = self.signals_over(*variable, *set, body, circuit, true);
                circuit.or(&bits)
            }
            Formula::Acyclic(_) | Formula::Irreflexive(_) | Formula::Empty(_) | Formula::TotalOrder { .. } => {
                let selector = circuit.fresh();
                self.require_with(formula, selector, circuit);
                selector
            }
        }
    }

    /// The body for each atom of the set: guarded by membership if `exists`, else weakened by it.
    fn signals_over(
        &mut self,
        variable: Variable,
        set: ExprId,
        body: &Formula,
        circuit: &mut Circuit,
        exists: bool,
    ) -> Vec<Bit> {
        let set = self.matrix(set, Mode::Exact, circuit);
        let mut bits = Vec::new();
        for (x, _, member) in set.entries() {
            let signal = self.with(variable, x, |this| this.signal_with(body, circuit));
            let there = circuit.and(&[member, self.universe.present[x]]);
            bits.push(if exists { circuit.and(&[there, signal]) } else { circuit.or(&[!there, signal]) });
        }
        bits
    }

    fn bound_to(&mut self, variable: Variable) -> usize {
        match self.standing.get(&variable) {
            Some(&atom) => atom,
            None => {
                self.fail("a variable outside its quantifier");
                0
            }
        }
    }

    fn signal_of_cycle(&mut self, expr: ExprId, circuit: &mut Circuit) -> Bit {
        let matrix = self.matrix(expr, Mode::Exact, circuit);
        let mut closed = (*matrix).clone();
        let mut steps = 1;
        while steps < closed.size() {
            let squared = closed.sequence(&closed, None, &self.universe, circuit);
            closed = closed.union(&squared, circuit);
            steps *= 2;
        }
        self.some_loop(&closed, circuit)
    }

    fn signal_of_loop(&mut self, expr: ExprId, circuit: &mut Circuit) -> Bit {
        let matrix = self.matrix(expr, Mode::Exact, circuit);
        self.some_loop(&matrix, circuit)
    }

    fn some_loop(&self, matrix: &Matrix, circuit: &mut Circuit) -> Bit {
        let bits: Vec<Bit> =
            (0..matrix.size()).map(|x| circuit.and(&[matrix.get(x, x), self.universe.present[x]])).collect();
        circuit.or(&bits)
    }

    fn signal_of_pair(&mut self, expr: ExprId, circuit: &mut Circuit) -> Bit {
        let bits = self.pairs_there(expr, circuit);
        circuit.or(&bits)
    }

    /// Whether the relation has so many pairs: a sequential counter, of the pairs or, if those are fewer, of what is missing.
    fn signal_of_count(&mut self, number: usize, expr: ExprId, circuit: &mut Circuit) -> Bit {
        let mut bits = self.pairs_there(expr, circuit);
        if number > bits.len() {
            return Bit::FALSE;
        }
        let missing = bits.len() - number + 1;
        if number <= missing {
            return at_least(number, &bits, circuit);
        }
        bits.iter_mut().for_each(|bit| *bit = !*bit);
        !at_least(missing, &bits, circuit)
    }

    /// For each pair that may be in the relation, when it is.
    fn pairs_there(&mut self, expr: ExprId, circuit: &mut Circuit) -> Vec<Bit> {
        let matrix = self.matrix(expr, Mode::Exact, circuit);
        let pair = |(x, y, bit)| {
            let both = self.universe.both(circuit, x, y);
            circuit.and(&[bit, both])
        };
        matrix.entries().map(pair).collect()
    }
}

/// Whether so many of the signals are true.
fn at_least(number: usize, bits: &[Bit], circuit: &mut Circuit) -> Bit {
    // The first says whether none or more of those seen so far are true, the next one or more, and so on.
    let mut counts = vec![Bit::FALSE; number + 1];
    counts[0] = Bit::TRUE;
    for &bit in bits {
        for count in (1..=number).rev() {
            let further = circuit.and(&[counts[count - 1], bit]);
            counts[count] = circuit.or(&[counts[count], further]);
        }
    }
    counts[number]
}

/// The formula, of which every signal is true exactly where it holds: what is said about whole relations is denied twice.
fn exact(formula: Formula) -> Formula {
    let all = |parts: Vec<Formula>| parts.into_iter().map(exact).collect();
    match formula {
        Formula::Acyclic(_) | Formula::Irreflexive(_) | Formula::Empty(_) => {
            Formula::Not(Box::new(Formula::Not(Box::new(formula))))
        }
        Formula::And(parts) => Formula::And(all(parts)),
        Formula::Or(parts) => Formula::Or(all(parts)),
        Formula::ForAll(variable, set, body) => Formula::ForAll(variable, set, Box::new(exact(*body))),
        Formula::Exists(variable, set, body) => Formula::Exists(variable, set, Box::new(exact(*body))),
        other => other,
    }
}

/// Negations pushed down to atoms, nested conjunctions and disjunctions flattened.
fn normalize(formula: &Formula, positive: bool) -> Formula {
    let all = |parts: &[Formula]| parts.iter().map(|part| normalize(part, positive)).collect::<Vec<_>>();
    match formula {
        Formula::Constant(truth) => Formula::Constant(*truth == positive),
        Formula::Not(inner) => normalize(inner, !positive),
        Formula::And(parts) if positive => flatten_and(all(parts)),
        Formula::Or(parts) if !positive => flatten_and(all(parts)),
        Formula::And(parts) | Formula::Or(parts) => flatten_or(all(parts)),
        Formula::ForAll(variable, set, body) if positive => {
            Formula::ForAll(*variable, *set, Box::new(normalize(body, positive)))
        }
        Formula::Exists(variable, set, body) if !positive => {
            Formula::ForAll(*variable, *set, Box::new(normalize(body, positive)))
        }
        Formula::ForAll(variable, set, body) | Formula::Exists(variable, set, body) => {
            Formula::Exists(*variable, *set, Box::new(normalize(body, positive)))
        }
        atom if positive => atom.clone(),
        atom => Formula::Not(Box::new(atom.clone())),
    }
}

fn flatten_and(parts: Vec<Formula>) -> Formula {
    let flat = parts.into_iter().flat_map(|part| if let Formula::And(inner) = part { inner } else { vec![part] });
    Formula::And(flat.collect())
}

fn flatten_or(parts: Vec<Formula>) -> Formula {
    let flat = parts.into_iter().flat_map(|part| if let Formula::Or(inner) = part { inner } else { vec![part] });
    Formula::Or(flat.collect())
}
