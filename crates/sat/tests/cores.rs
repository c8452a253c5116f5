//! Minimal cores are cores and minimal.

mod common;

use common::{ALL, Problem, Random, lits, random_lit};
use sat::{Answer, Budget, Interrupted, Solver};
use std::sync::atomic::Ordering;

#[test]
fn a_minimal_core_has_no_model_and_every_member_is_needed() {
    let mut found = 0;
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let mut problem = Problem::of_graphs(random, 9, 6, 20);
        problem.graphs.iter_mut().for_each(|graph| graph.edges.retain(|edge| edge.2 != 0 && edge.0 != edge.1));
        problem.add_clauses(random, 3);
        let assumptions: Vec<i32> = (0..7).map(|_| random_lit(random, problem.variables)).collect();
        if problem.has_model(&assumptions) {
            continue;
        }
        found += 1;
        for acyclicity in ALL {
            let mut solver = problem.load(acyclicity);
            let core = solver.minimal_core(&lits(&assumptions), &Budget::default()).unwrap();
            assert_eq!(solver.core(), core);
            let core: Vec<i32> = core.into_iter().map(|lit| lit.dimacs()).collect();
            assert!(core.iter().all(|lit| assumptions.contains(lit)));
            assert!(!problem.has_model(&core), "{acyclicity:?}: {core:?} is no core of {problem:?}");
            for needed in 0..core.len() {
                let mut rest = core.clone();
                rest.remove(needed);
                assert!(problem.has_model(&rest), "{acyclicity:?}: {core:?} is not minimal in {problem:?}");
            }
        }
    }
    assert!(found > 100, "only {found} problems had a core");
}

#[test]
fn the_core_of_a_cycle_is_the_cycle() {
    for acyclicity in ALL {
        let mut solver = Solver::with_acyclicity(acyclicity);
        let graph = solver.graph(40);
        let cycle: Vec<_> = (0..20u32).map(|node| (node, (node + 1) % 20)).collect();
        let tail: Vec<_> = (20..39u32).map(|node| (node, node + 1)).chain([(39, 0), (5, 20)]).collect();
        let guard = |solver: &mut Solver, &(from, to): &(u32, u32)| {
            let lit = solver.fresh();
            solver.edge(graph, from, to, lit);
            lit
        };
        let on_cycle: Vec<_> = cycle.iter().map(|edge| guard(&mut solver, edge)).collect();
        let on_tail: Vec<_> = tail.iter().take(15).map(|edge| guard(&mut solver, edge)).collect();
        let assumptions = [on_tail, on_cycle.clone()].concat();
        assert_eq!(solver.minimal_core(&assumptions, &Budget::default()), Ok(on_cycle));
    }
}

#[test]
#[should_panic(expected = "assumptions that have a model")]
fn a_core_of_assumptions_that_have_a_model_is_refused() {
    let mut solver = Solver::new();
    let lit = solver.fresh();
    _ = solver.minimal_core(&[lit], &Budget::default());
}

#[test]
fn a_flag_that_is_set_already_stops_at_once() {
    let mut solver = Solver::new();
    let lit = solver.fresh();
    let budget = Budget::default();
    budget.interrupt.store(true, Ordering::Relaxed);
    assert_eq!(solver.solve(&[lit, !lit], &budget), Answer::Unknown);
    assert_eq!(solver.minimal_core(&[lit, !lit], &budget), Err(Interrupted));
    budget.interrupt.store(false, Ordering::Relaxed);
    assert_eq!(solver.solve(&[lit, !lit], &budget), Answer::Unsatisfiable);
}

/// More pigeons than holes: hard for every solver that reasons by resolution.
fn pigeons(solver: &mut Solver, holes: usize) {
    let rows: Vec<Vec<_>> = (0..=holes).map(|_| (0..holes).map(|_| solver.fresh()).collect()).collect();
    for row in &rows {
        solver.clause(row);
    }
    for (pigeon, row) in rows.iter().enumerate() {
        for other in &rows[..pigeon] {
            for (&here, &there) in row.iter().zip(other) {
                solver.clause(&[!here, !there]);
            }
        }
    }
}

#[test]
fn another_thread_can_interrupt_a_hard_problem() {
    let mut solver = Solver::new();
    pigeons(&mut solver, 14);
    let budget = Budget::default();
    let flag = budget.interrupt.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        flag.store(true, Ordering::Relaxed);
    });
    assert_eq!(solver.solve(&[], &budget), Answer::Unknown);
    stopper.join().unwrap();
}

#[test]
fn a_limit_on_conflicts_stops_a_hard_problem() {
    let mut solver = Solver::new();
    pigeons(&mut solver, 14);
    let budget = Budget { conflicts: Some(100), ..Budget::default() };
    assert_eq!(solver.solve(&[], &budget), Answer::Unknown);
    assert!(solver.statistics().conflicts >= 100);
}
