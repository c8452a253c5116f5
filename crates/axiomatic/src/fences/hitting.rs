//! Hitting sets of least cost, by branch and bound.
//!
//! Exact: the set found hits every clause, and no cheaper one does. The problems here have some ten clauses that
//! share few elements, so that a bound by clauses without common elements cuts the search to little.

use std::collections::BTreeSet;

/// A set of elements.
pub type Set = BTreeSet<usize>;

/// Why no set is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is none.
    None,
    /// The search would take too long.
    TooHard,
}

/// More steps than this are not tried.
const MOST_STEPS: usize = 5_000_000;

/// The cheapest set that meets every clause and contains none of the sets in `without`.
pub fn cheapest(clauses: &[Set], costs: &[u32], without: &[Set]) -> Result<Set, Failure> {
    let mut clauses = minimal(clauses);
    if without.is_empty() {
        drop_dominated(&mut clauses, costs);
        clauses = minimal(&clauses);
    }
    clauses.sort_by_key(Set::len);
    let mut search = Search { costs, without, best: None, steps: 0 };
    search.extend(&mut Set::new(), &Set::new(), 0, &clauses.iter().collect::<Vec<_>>());
    match search.best {
        _ if search.steps > MOST_STEPS => Err(Failure::TooHard),
        Some((_, set)) => Ok(set),
        None => Err(Failure::None),
    }
}

/// The clauses that contain no other clause.
fn minimal(clauses: &[Set]) -> Vec<Set> {
    let mut kept: Vec<Set> = Vec::new();
    let mut sorted: Vec<&Set> = clauses.iter().collect();
    sorted.sort_by_key(|clause| clause.len());
    for clause in sorted {
        if !kept.iter().any(|smaller| smaller.is_subset(clause)) {
            kept.push(clause.clone());
        }
    }
    kept
}

/// Drops elements for which another one is no dearer and in all of their clauses.
fn drop_dominated(clauses: &mut [Set], costs: &[u32]) {
    let elements: Set = clauses.iter().flatten().copied().collect();
    let within = |element: usize, clauses: &[Set]| -> Set {
        clauses.iter().enumerate().filter(|(_, clause)| clause.contains(&element)).map(|(index, _)| index).collect()
    };
    let mut left: Vec<(usize, Set)> = elements.iter().map(|&e| (e, within(e, clauses))).collect();
    for element in elements {
        let Some(own) = left.iter().find(|(e, _)| *e == element).map(|(_, own)| own.clone()) else { continue };
        let better = |(other, theirs): &(usize, Set)| {
            *other != element && costs[*other] <= costs[element] && own.is_subset(theirs)
        };
        if left.iter().any(better) {
            left.retain(|(e, _)| *e != element);
            clauses.iter_mut().for_each(|clause| {
                clause.remove(&element);
            });
        }
    }
}

struct Search<'a> {
    costs: &'a [u32],
    without: &'a [Set],
    best: Option<(u32, Set)>,
    steps: usize,
}

impl Search<'_> {
    /// Extends `chosen`, which costs `cost`, by elements outside of `excluded`, to a set that meets the `open` clauses.
    fn extend(&mut self, chosen: &mut Set, excluded: &Set, cost: u32, open: &[&Set]) {
        self.steps += 1;
        if self.steps > MOST_STEPS || self.without.iter().any(|set| set.is_subset(chosen)) {
            return;
        }
        let open: Vec<&Set> = open.iter().copied().filter(|clause| clause.is_disjoint(chosen)).collect();
        if self.best.as_ref().is_some_and(|(best, _)| cost + self.bound(&open, excluded) >= *best) {
            return;
        }
        let choices = |clause: &Set| clause.iter().filter(|e| !excluded.contains(e)).count();
        let Some(clause) = open.iter().min_by_key(|clause| choices(clause)) else {
            self.best = Some((cost, chosen.clone()));
            return;
        };
        let mut elements: Vec<usize> = clause.iter().copied().filter(|e| !excluded.contains(e)).collect();
        let met = |element: usize| open.iter().filter(|clause| clause.contains(&element)).count();
        elements.sort_by_key(|&element| (self.costs[element], std::cmp::Reverse(met(element))));
        let mut excluded = excluded.clone();
        for element in elements {
            chosen.insert(element);
            self.extend(chosen, &excluded, cost + self.costs[element], &open);
            chosen.remove(&element);
            excluded.insert(element);
        }
    }

    /// At least so much is needed for the clauses: the sum for some that share no element.
    fn bound(&self, open: &[&Set], excluded: &Set) -> u32 {
        let mut used = Set::new();
        let mut sum = 0;
        for clause in open {
            let free = || clause.iter().filter(|e| !excluded.contains(e));
            if free().all(|e| !used.contains(e)) {
                sum += free().map(|&e| self.costs[e]).min().unwrap_or(0);
                used.extend(free().copied());
            }
        }
        sum
    }
}
