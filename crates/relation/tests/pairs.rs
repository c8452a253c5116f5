//! Sets of pairs against naive ones, and the explanation of offences.

mod common;

use common::{Case, Random, Set, closure};
use relation::{Evaluation, Expr, ExprId, Formula, Formulas, Pairs};

/// A random set over 1 to 140 atoms: up to three words a row.
fn random_pairs(random: &mut Random, size: usize) -> (Pairs, Set) {
    let count = random.below(2 * size + 1);
    let set: Set = (0..count).map(|_| (random.below(size), random.below(size))).collect();
    (Pairs::from_pairs(size, set.iter().copied()), set)
}

fn listed(pairs: &Pairs) -> Vec<(usize, usize)> {
    pairs.iter().collect()
}

#[test]
fn operations_on_pairs_are_those_on_sets() {
    let mut random = Random(21);
    for _ in 0..200 {
        let size = [1 + random.below(8), 60 + random.below(10), 125 + random.below(15)][random.below(3)];
        let ((p, a), (q, b)) = (random_pairs(&mut random, size), random_pairs(&mut random, size));
        let check = |found: Pairs, expected: Set| {
            assert_eq!(found.size(), size);
            assert_eq!(listed(&found), expected.into_iter().collect::<Vec<_>>(), "{a:?} {b:?}");
        };
        check(p.clone(), a.clone());
        check(p.union(&q), a.union(&b).copied().collect());
        check(p.intersection(&q), a.intersection(&b).copied().collect());
        check(p.difference(&q), a.difference(&b).copied().collect());
        check(p.inverse(), a.iter().map(|&(x, y)| (y, x)).collect());
        check(p.domain(), a.iter().map(|&(x, _)| (x, x)).collect());
        check(p.closure(), closure(&a));
        let composed = a.iter().flat_map(|&(x, y)| b.iter().filter(move |w| w.0 == y).map(move |w| (x, w.1)));
        check(p.sequence(&q), composed.collect());
        check(Pairs::full(size), (0..size).flat_map(|x| (0..size).map(move |y| (x, y))).collect());
        check(Pairs::identity(size), (0..size).map(|x| (x, x)).collect());
        assert_eq!(p.is_empty(), a.is_empty());
        for x in 0..size {
            assert!(p.row(x).eq(a.iter().filter(|pair| pair.0 == x).map(|pair| pair.1)));
        }
    }
}

/// The length of a shortest path of at least one step.
fn distance(set: &Set, from: usize, to: usize) -> Option<usize> {
    let mut reached: std::collections::BTreeSet<usize> = [from].into();
    for steps in 1..=set.len() {
        reached = set.iter().filter(|(x, _)| reached.contains(x)).map(|&(_, y)| y).collect();
        if reached.contains(&to) {
            return Some(steps);
        }
    }
    None
}

#[test]
fn paths_and_cycles_are_there_and_shortest() {
    let mut random = Random(22);
    for _ in 0..400 {
        let size = 1 + random.below(9);
        let (pairs, set) = random_pairs(&mut random, size);
        for (from, to) in (0..size).flat_map(|x| (0..size).map(move |y| (x, y))) {
            let path = pairs.shortest_path(from, to);
            assert_eq!(path.as_ref().map(|path| path.len() - 1), distance(&set, from, to), "{set:?} {from} {to}");
            if let Some(path) = path {
                assert_eq!((path[0], path[path.len() - 1]), (from, to));
                assert!(path.windows(2).all(|step| set.contains(&(step[0], step[1]))), "{set:?} {path:?}");
            }
        }
        let cycle = pairs.shortest_cycle();
        let shortest = (0..size).filter_map(|x| distance(&set, x, x)).min();
        assert_eq!(cycle.as_ref().map(Vec::len), shortest, "{set:?}");
        if let Some(cycle) = cycle {
            assert!(
                (0..cycle.len()).all(|i| set.contains(&(cycle[i], cycle[(i + 1) % cycle.len()]))),
                "{set:?} {cycle:?}"
            );
        }
    }
}

/// The relation that a step's label names, for labels of base relations and their inverses.
fn named(case: &Case, valuation: usize, label: &str) -> Option<Set> {
    let (base, inverse) = label.strip_suffix("^-1").map_or((label, false), |base| (base, true));
    let (name, _) = case.bases.iter().find(|(name, _)| *name == base)?;
    let set = case.meaning(&common::Tree::Base(name), valuation);
    Some(if inverse { set.into_iter().map(|(x, y)| (y, x)).collect() } else { set })
}

#[test]
fn an_offence_is_a_closed_cycle_of_real_pairs() {
    let mut random = Random(23);
    let (mut offences, mut long) = (0, 0);
    for round in 0..1500 {
        let (size, inputs) = (3 + random.below(3), 2);
        let case = Case::random(&mut random, size, inputs);
        let mut formulas = Formulas::new();
        let recursive = case.define(&mut formulas);
        let tree = case.relation(&mut random, 4);
        let expr = tree.build(&recursive, &mut formulas);
        let valuation = random.below(4);
        let (instance, atoms) = (case.instance(valuation), case.atoms(valuation));
        for formula in [Formula::Acyclic(expr), Formula::Irreflexive(expr), Formula::Empty(expr)] {
            let mut evaluation = Evaluation::new(&formulas, &instance);
            let holds = evaluation.holds(&formula);
            let steps = evaluation.offence(&formula, &|_: ExprId| None);
            let text = format!("round {round}: {formula:?} of {tree:?}\n{case:?}\nat {valuation:b}: {steps:?}");
            if holds {
                assert!(steps.is_empty(), "{text}");
                continue;
            }
            offences += 1;
            long += usize::from(steps.len() > 2);
            assert!(steps.windows(2).all(|pair| pair[0].1 == pair[1].0), "a gap: {text}");
            if let (Some(first), Some(last), false) =
                (steps.first(), steps.last(), matches!(formula, Formula::Empty(_)))
            {
                assert_eq!(last.1, first.0, "not closed: {text}");
            }
            for (x, y, label) in &steps {
                if let Some(set) = named(&case, valuation, label) {
                    assert!(set.contains(&(atoms[*x], atoms[*y])), "not in {label}: {text}");
                }
            }
        }
    }
    assert!(offences > 500 && long > 50, "{offences} offences, {long} of them long");
}

#[test]
fn a_cycle_of_two_relations_names_both() {
    let mut formulas = Formulas::new();
    let (a, b) = (formulas.base("a"), formulas.base("b"));
    let both = formulas.expr(Expr::Union(a, b));
    let pairs = |list: &[(usize, usize)]| Pairs::from_pairs(3, list.iter().copied());
    let relations = [("a".into(), pairs(&[(0, 1)])), ("b".into(), pairs(&[(1, 0), (1, 2)]))].into();
    let instance = relation::Instance { size: 3, relations, free: Default::default() };
    let steps = Evaluation::new(&formulas, &instance).offence(&Formula::Acyclic(both), &|_| None);
    assert_eq!(steps, [(0, 1, "a".into()), (1, 0, "b".into())]);
}
