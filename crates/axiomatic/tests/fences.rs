//! Hitting sets of least cost, against trying all sets.

use std::collections::BTreeSet;

use axiomatic::fences::Set;
use axiomatic::internals::{Failure, cheapest};

/// A small generator of numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// The least cost of a set that meets all clauses and contains none of `without`.
fn least(clauses: &[Set], costs: &[u32], without: &[Set]) -> Option<u32> {
    let members = |bits: usize| -> Set { (0..costs.len()).filter(|index| bits >> index & 1 == 1).collect() };
    let hits = |set: &Set| clauses.iter().all(|clause| !clause.is_disjoint(set));
    let fits = |set: &Set| hits(set) && !without.iter().any(|other| other.is_subset(set));
    let sets = (0..1usize << costs.len()).map(members).filter(fits);
    sets.map(|set| set.iter().map(|&member| costs[member]).sum()).min()
}

#[test]
fn the_cheapest_hitting_set_is_as_cheap_as_the_best_of_all_sets() {
    let mut numbers = Numbers(7);
    for iteration in 0..400 {
        let size = 1 + numbers.below(9) as usize;
        let costs: Vec<u32> = (0..size).map(|_| 1 + numbers.below(4) as u32).collect();
        let set = |numbers: &mut Numbers| -> Set { (0..size).filter(|_| numbers.below(3) == 0).collect() };
        let clauses: Vec<Set> = (0..numbers.below(8)).map(|_| set(&mut numbers)).collect();
        let without: Vec<Set> = if iteration % 2 == 0 { Vec::new() } else { vec![set(&mut numbers)] };
        let found = cheapest(&clauses, &costs, &without);
        match least(&clauses, &costs, &without) {
            None => assert_eq!(found, Err(Failure::None), "{clauses:?}"),
            Some(cost) => {
                let found = found.unwrap_or_else(|failure| panic!("{failure:?} for {clauses:?}"));
                assert!(clauses.iter().all(|clause| !clause.is_disjoint(&found)), "{clauses:?}: {found:?}");
                assert!(!without.iter().any(|other| other.is_subset(&found)), "{clauses:?}: {found:?}");
                assert_eq!(found.iter().map(|&member| costs[member]).sum::<u32>(), cost, "{clauses:?}: {found:?}");
            }
        }
    }
}

#[test]
fn a_clause_without_members_cannot_be_hit() {
    assert_eq!(cheapest(&[BTreeSet::new()], &[1], &[]), Err(Failure::None));
}
