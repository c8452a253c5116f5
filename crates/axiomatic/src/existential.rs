//! Relations that a model quantifies existentially: their choice as signals.

use relation::translate::Mode;
use relation::{Bit, Circuit, Expr, Formula, Matrix, Translation};

use crate::model::{AxiomKind, Existential, Model, Range};
use crate::selector::Statements;

/// Makes the choice of an existential relation.
pub fn bind_existential(
    existential: &Existential,
    model: &Model,
    statements: Statements,
    translation: &mut Translation,
    circuit: &mut Circuit,
) {
    let size = translation.universe.size();
    match &existential.range {
        Range::Linearisation { on, contains } => {
            let set = translation.matrix(*on, Mode::Exact, circuit);
            let members: Vec<(usize, Bit)> = set.entries().map(|(x, _, bit)| (x, bit)).collect();
            let order = total_order(size, &members, translation, circuit);
            let graph = circuit.graph(size);
            for (x, y, bit) in order.entries() {
                let both = translation.universe.both(circuit, x, y);
                let active = circuit.and(&[bit, both]);
                circuit.edge(graph, x as u32, y as u32, active);
            }
            let contains = translation.matrix(*contains, Mode::Containing, circuit);
            for (x, y, bit) in contains.entries() {
                let both = translation.universe.both(circuit, x, y);
                let members = circuit.and(&[set.get(x, x), set.get(y, y)]);
                circuit.clause(&[!bit, !both, !members, order.get(x, y)]);
            }
            translation.bind(&existential.name, order);
        }
        Range::Relation(domains) => {
            let sets: Vec<_> = domains.iter().map(|&set| translation.matrix(set, Mode::Exact, circuit)).collect();
            let is_order = |formula: &Formula| match *formula {
                Formula::TotalOrder { order, .. } => {
                    *model.formulas.node(order) == Expr::Base(existential.name.clone())
                }
                _ => false,
            };
            let ordered = statements == Statements::Fixed
                && model.axioms.iter().any(|axiom| axiom.kind == AxiomKind::Require && is_order(&axiom.formula));
            let matrix = match &sets[..] {
                [set] => set.map(|_, _, member| {
                    let chosen = circuit.fresh();
                    circuit.and(&[chosen, member])
                }),
                [first, _] if ordered => {
                    let members: Vec<(usize, Bit)> = first.entries().map(|(x, _, bit)| (x, bit)).collect();
                    total_order(size, &members, translation, circuit)
                }
                [first, second] => {
                    let mut entries = Vec::new();
                    for (x, _, in_first) in first.entries() {
                        for (y, _, in_second) in second.entries() {
                            let chosen = circuit.fresh();
                            entries.push((x, y, circuit.and(&[chosen, in_first, in_second])));
                        }
                    }
                    Matrix::from_entries(size, entries)
                }
                // Relations of more arguments are used in quantified formulas only, and made there.
                _ => Matrix::empty(size),
            };
            translation.bind(&existential.name, matrix);
        }
    }
}

/// For each two members one signal that says which comes first.
fn total_order(size: usize, members: &[(usize, Bit)], translation: &Translation, circuit: &mut Circuit) -> Matrix {
    let mut entries = Vec::new();
    for (index, &(x, in_x)) in members.iter().enumerate() {
        for &(y, in_y) in &members[index + 1..] {
            if !translation.universe.exclusive.contains(x, y) {
                let forth = circuit.fresh();
                entries.push((x, y, circuit.and(&[forth, in_x, in_y])));
                entries.push((y, x, circuit.and(&[!forth, in_x, in_y])));
            }
        }
    }
    Matrix::from_entries(size, entries)
}
