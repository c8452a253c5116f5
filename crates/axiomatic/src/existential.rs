//! Relations that a model quantifies existentially: their choice as signals.

use std::collections::HashMap;
use std::sync::Arc;

use relation::translate::Mode;
use relation::{Bit, Circuit, Expr, Formula, Matrix, Translation};

use crate::model::{AxiomKind, Existential, Model, Range};
use crate::selector::Statements;
use crate::together::are_kept_together;

/// A relation that is a total order by an axiom, and of which nothing is required yet but that it relates each two members in one way.
pub struct Ordered {
    /// The existential's name.
    pub name: Arc<str>,
    /// Two members, and whether the first comes before the second.
    pairs: Vec<(usize, usize, Bit)>,
    /// By atom: the first one that is kept together with it; itself if there is none.
    groups: Vec<usize>,
}

/// The pairs of a total order of which some constraint speaks.
pub struct Decided {
    /// The existential's name.
    pub name: Arc<str>,
    /// The pairs.
    pub matrix: Matrix,
    /// By atom: the first one that is kept together with it; itself if there is none.
    pub groups: Vec<usize>,
}

impl Ordered {
    /// Requires a total order; gives the pairs in their order that other constraints speak of. Those that none speaks of have no part in
    /// it: whatever order the others have without a cycle, it can be extended to all ([`complete`]). So this comes last of all axioms.
    pub fn require(self, translation: &Translation, circuit: &mut Circuit) -> Option<Decided> {
        let matrix = translation.base(&self.name)?;
        let used = self.pairs.iter().filter(|&&(_, _, forth)| circuit.is_used(forth));
        let both_ways = used.flat_map(|&(x, y, _)| [(x, y, matrix.get(x, y)), (y, x, matrix.get(y, x))]);
        let decided = Matrix::from_entries(matrix.size(), both_ways.collect::<Vec<_>>());
        translation.require_acyclic_matrix(&decided, Bit::TRUE, circuit);
        Some(Decided { name: self.name, matrix: decided, groups: self.groups })
    }
}

/// The pairs of a total order, from some in either direction and from those that are decided. Members of one group, which are ordered among
/// each other by decided pairs, stay together.
pub fn complete<T: Copy + Ord>(pairs: Vec<(T, T)>, decided: &[(T, T)], group: &dyn Fn(T) -> usize) -> Vec<(T, T)> {
    let mut groups: Vec<usize> = pairs.iter().flat_map(|&(x, y)| [group(x), group(y)]).collect();
    groups.sort_unstable();
    groups.dedup();
    let place = |of: usize| groups.binary_search(&of).unwrap_or(0);
    let mut later = vec![Vec::new(); groups.len()];
    let mut incoming = vec![0usize; groups.len()];
    for (x, y) in decided.iter().map(|&(x, y)| (place(group(x)), place(group(y)))).filter(|(x, y)| x != y) {
        later[x].push(y);
        incoming[y] += 1;
    }
    let mut free: Vec<usize> = (0..groups.len()).rev().filter(|&one| incoming[one] == 0).collect();
    let mut position = vec![0; groups.len()];
    let mut next = 0;
    while let Some(one) = free.pop() {
        position[one] = next;
        next += 1;
        for &other in &later[one] {
            incoming[other] -= 1;
            if incoming[other] == 0 {
                free.push(other);
            }
        }
    }
    let turned = |(x, y): (T, T)| match (position[place(group(x))], position[place(group(y))]) {
        (of_x, of_y) if of_x < of_y || of_x == of_y && decided.contains(&(x, y)) => (x, y),
        _ => (y, x),
    };
    pairs.into_iter().map(turned).collect()
}

/// Makes the choice of an existential relation.
pub fn bind_existential(
    existential: &Existential,
    model: &Model,
    statements: Statements,
    translation: &mut Translation,
    circuit: &mut Circuit,
) -> Option<Ordered> {
    let size = translation.universe.size();
    let mut ordered = None;
    match &existential.range {
        Range::Linearisation { on, contains } => {
            let set = translation.matrix(*on, Mode::Exact, circuit);
            let members: Vec<(usize, Bit)> = set.entries().map(|(x, _, bit)| (x, bit)).collect();
            let alone: Vec<usize> = (0..size).collect();
            let (order, _) = total_order(&alone, &members, translation, circuit);
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
            let is_ordered = statements == Statements::Fixed
                && model.axioms.iter().any(|axiom| axiom.kind == AxiomKind::Require && is_order(&axiom.formula));
            let matrix = match &sets[..] {
                [set] => set.map(|_, _, member| {
                    let chosen = circuit.fresh();
                    circuit.and(&[chosen, member])
                }),
                [first, _] if is_ordered => {
                    let members: Vec<(usize, Bit)> = first.entries().map(|(x, _, bit)| (x, bit)).collect();
                    let groups = groups(size, are_kept_together(model, &existential.name, domains[0]), translation);
                    let (matrix, pairs) = total_order(&groups, &members, translation, circuit);
                    ordered = Some(Ordered { name: existential.name.clone(), pairs, groups });
                    matrix
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
    ordered
}

/// By atom: the first one that is kept together with it, if what is in one atomic block for certain is.
fn groups(size: usize, are_kept_together: bool, translation: &Translation) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..size).collect();
    let blocks = translation.base("atomic-block").filter(|_| are_kept_together);
    for (x, y, bit) in blocks.iter().flat_map(|blocks| blocks.entries()) {
        let (low, high) = (groups[x].min(groups[y]), groups[x].max(groups[y]));
        if bit == Bit::TRUE && low != high {
            groups.iter_mut().filter(|group| **group == high).for_each(|group| *group = low);
        }
    }
    groups
}

/// For each two members one signal that says which comes first, the same for all members of two groups; the relation, and these.
fn total_order(
    groups: &[usize],
    members: &[(usize, Bit)],
    translation: &Translation,
    circuit: &mut Circuit,
) -> (Matrix, Vec<(usize, usize, Bit)>) {
    let mut entries = Vec::new();
    let mut pairs = Vec::new();
    let mut between: HashMap<(usize, usize), Bit> = HashMap::new();
    for (index, &(x, in_x)) in members.iter().enumerate() {
        for &(y, in_y) in &members[index + 1..] {
            if !translation.universe.exclusive.contains(x, y) {
                let forth = match (groups[x], groups[y]) {
                    (of_x, of_y) if of_x == of_y => circuit.fresh(),
                    (of_x, of_y) if of_x < of_y => *between.entry((of_x, of_y)).or_insert_with(|| circuit.fresh()),
                    (of_x, of_y) => !*between.entry((of_y, of_x)).or_insert_with(|| circuit.fresh()),
                };
                entries.push((x, y, circuit.and(&[forth, in_x, in_y])));
                entries.push((y, x, circuit.and(&[!forth, in_x, in_y])));
                pairs.push((x, y, forth));
            }
        }
    }
    (Matrix::from_entries(groups.len(), entries), pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_order_keeps_what_is_decided_and_groups_together() {
        // 1 and 4 are one group; 4 comes before 2, and 3 before 1.
        let group = |member: usize| if member == 4 { 1 } else { member };
        let pairs: Vec<(usize, usize)> = (0..5).flat_map(|x| (0..x).map(move |y| (y, x))).collect();
        let decided = [(1, 4), (1, 2), (4, 2), (3, 1), (3, 4)];
        let order = complete(pairs, &decided, &group);
        assert_eq!(order.len(), 10);
        let position = |member: usize| order.iter().filter(|&&(_, later)| later == member).count();
        assert!(decided.iter().all(|pair| order.contains(pair)), "{order:?}");
        assert_eq!(position(4), position(1) + 1, "{order:?}");
        assert!(order.iter().all(|&(x, y)| position(x) < position(y)), "{order:?}");
    }
}
