//! Answers agree with trying all assignments, whatever keeps the graphs acyclic.

mod common;

use common::{ALL, Graph, Problem, Random, lits, load_edge, random_edge, random_lit};
use sat::{Acyclicity, Answer, Budget, Solver};

fn expected(has_model: bool) -> Answer {
    if has_model { Answer::Satisfiable } else { Answer::Unsatisfiable }
}

/// Solves `problem` under `assumptions` in every way, and checks answers, models and cores.
fn check(problem: &Problem, assumptions: &[i32]) {
    for acyclicity in ALL {
        check_with(&mut problem.load(acyclicity), problem, assumptions, &format!("{acyclicity:?}"));
    }
}

fn check_with(solver: &mut Solver, problem: &Problem, assumptions: &[i32], what: &str) {
    let answer = solver.solve(&lits(assumptions), &Budget::default());
    assert_eq!(answer, expected(problem.has_model(assumptions)), "{what}: {problem:?} under {assumptions:?}");
    match answer {
        Answer::Satisfiable => {
            let numbers: Vec<i32> = (1..=problem.variables as i32).collect();
            let values = lits(&numbers).into_iter().map(|lit| if solver.value(lit) { lit } else { !lit });
            let model: Vec<i32> = values.map(|lit| lit.dimacs()).collect();
            assert!(problem.has_model(&model), "{what}: {model:?} is no model of {problem:?}");
            assert!(assumptions.iter().all(|lit| model.contains(lit)), "{what}: an assumption is violated");
        }
        Answer::Unsatisfiable => {
            let core: Vec<i32> = solver.core().into_iter().map(|lit| lit.dimacs()).collect();
            assert!(core.iter().all(|lit| assumptions.contains(lit)), "{what}: {core:?} are not assumptions");
            assert!(!problem.has_model(&core), "{what}: {core:?} is no core of {problem:?}");
        }
        Answer::Unknown => unreachable!("the budget is unlimited"),
    }
}

#[test]
fn sparse_graphs_agree_with_trying_all_assignments() {
    for seed in 0..600 {
        let random = &mut Random::new(seed);
        let (variables, nodes, edges) = (2 + random.below(8), 2 + random.below(6), 2 + random.below(12));
        let mut problem = Problem::of_graphs(random, variables, nodes, edges);
        let count = random.below(3 * problem.variables);
        problem.add_clauses(random, count);
        check(&problem, &[]);
    }
}

#[test]
fn dense_graphs_with_many_edges_per_literal_agree_with_trying_all_assignments() {
    for seed in 0..200 {
        let random = &mut Random::new(1000 + seed);
        let mut problem = Problem::of_graphs(random, 9, 12, 40);
        problem.graphs.iter_mut().for_each(|graph| graph.edges.retain(|edge| edge.2 != 0));
        let count = random.below(8);
        problem.add_clauses(random, count);
        check(&problem, &[]);
    }
}

#[test]
fn total_orders_agree_with_trying_all_assignments() {
    for seed in 0..150 {
        let random = &mut Random::new(2000 + seed);
        let mut problem = random_order(random, 5, 0);
        let count = 5 + random.below(20);
        problem.add_clauses(random, count);
        check(&problem, &[]);
    }
}

#[test]
fn assumptions_and_cores_agree_with_trying_all_assignments() {
    for seed in 0..200 {
        let random = &mut Random::new(3000 + seed);
        let mut problem = Problem::of_graphs(random, 8, 5, 14);
        problem.add_clauses(random, 4);
        let mut solvers = ALL.map(|acyclicity| problem.load(acyclicity));
        for _ in 0..4 {
            let assumptions: Vec<i32> = (0..random.below(6)).map(|_| random_lit(random, problem.variables)).collect();
            for (solver, acyclicity) in solvers.iter_mut().zip(ALL) {
                check_with(solver, &problem, &assumptions, &format!("{acyclicity:?}"));
            }
        }
    }
}

/// A graph grows over several answers; the literals that guard its edges are old ones.
fn check_growing(random: &mut Random, acyclicity: Acyclicity) {
    let mut problem = Problem { variables: 8, ..Problem::default() };
    let mut solver = problem.load(acyclicity);
    let ids: Vec<_> = [6, 4].map(|nodes| (nodes, solver.graph(nodes))).into_iter().collect();
    problem.graphs.extend(ids.iter().map(|&(nodes, _)| Graph { nodes, edges: Vec::new() }));
    for step in 0..6 {
        let known = problem.clauses.len();
        problem.add_clauses(random, 2);
        problem.clauses[known..].iter().for_each(|clause| solver.clause(&lits(clause)));
        for (graph, &(nodes, id)) in problem.graphs.iter_mut().zip(&ids) {
            for _ in 0..random.below(5) {
                let edge = random_edge(random, problem.variables, nodes);
                graph.edges.push(edge);
                load_edge(&mut solver, id, edge);
            }
        }
        let assumptions = [(); 3].map(|()| random_lit(random, problem.variables));
        check_with(&mut solver, &problem, &assumptions, &format!("{acyclicity:?}, step {step}"));
        check_with(&mut solver, &problem, &[], &format!("{acyclicity:?}, step {step}"));
    }
}

#[test]
fn clauses_and_edges_may_be_added_between_answers() {
    for seed in 0..300 {
        for acyclicity in ALL {
            check_growing(&mut Random::new(4000 + seed), acyclicity);
        }
    }
}

/// A total order of `nodes` events with random clauses about it: one literal per pair.
fn random_order(random: &mut Random, nodes: u32, clauses: usize) -> Problem {
    let pairs = (0..nodes).flat_map(|a| (0..a).map(move |b| (a, b)));
    let mut edges = Vec::new();
    for (variable, (a, b)) in pairs.enumerate() {
        let lit = variable as i32 + 1;
        edges.extend([(a, b, lit), (b, a, -lit)]);
    }
    let mut problem = Problem { variables: edges.len() / 2, ..Problem::default() };
    problem.graphs.push(Graph { nodes: nodes as usize, edges });
    for _ in 0..clauses {
        problem.clauses.push((0..3).map(|_| random_lit(random, problem.variables)).collect());
    }
    problem
}

#[test]
fn both_ways_agree_on_orders_that_take_many_conflicts() {
    let mut answers = [0, 0];
    for seed in 0..24 {
        let random = &mut Random::new(5000 + seed);
        let nodes = 12 + seed as u32 % 8;
        let problem = random_order(random, nodes, nodes as usize * 8);
        let mut solvers = ALL.map(|acyclicity| problem.load(acyclicity));
        for _ in 0..6 {
            let assumptions = lits(&[(); 6].map(|()| random_lit(random, problem.variables)));
            let [one, other] = solvers.each_mut().map(|solver| solver.solve(&assumptions, &Budget::default()));
            assert_eq!(one, other, "seed {seed}");
            answers[usize::from(one == Answer::Satisfiable)] += 1;
            if one == Answer::Unsatisfiable {
                let cores = solvers.each_ref().map(Solver::core);
                for (solver, core) in solvers.iter_mut().zip(cores.iter().rev()) {
                    assert_eq!(solver.solve(core, &Budget::default()), Answer::Unsatisfiable, "seed {seed}");
                }
            }
        }
        assert!(solvers[0].statistics().theory_propagations > 0);
    }
    assert!(answers.iter().all(|&count| count > 10), "one-sided: {answers:?}");
}

#[test]
fn an_edge_may_be_guarded_by_a_variable_that_was_solved_for_before() {
    for acyclicity in ALL {
        let mut solver = Solver::with_acyclicity(acyclicity);
        let literals: Vec<_> = (0..200).map(|_| solver.fresh()).collect();
        for window in literals.windows(3) {
            solver.clause(window);
        }
        assert_eq!(solver.solve(&[], &Budget::default()), Answer::Satisfiable);
        let graph = solver.graph(200);
        for node in 0..200 {
            solver.edge(graph, node, (node + 1) % 200, literals[node as usize]);
        }
        assert_eq!(solver.solve(&literals, &Budget::default()), Answer::Unsatisfiable);
        assert_eq!(solver.core().len(), 200);
        assert_eq!(solver.solve(&literals[1..], &Budget::default()), Answer::Satisfiable);
        assert!(!solver.value(literals[0]));
    }
}

#[test]
fn edges_that_can_be_on_no_cycle_cost_nothing() {
    let mut solver = Solver::with_acyclicity(Acyclicity::Propagator);
    let graph = solver.graph(10);
    for node in 0..9 {
        solver.fixed_edge(graph, node, node + 1);
        let lit = solver.fresh();
        solver.edge(graph, node, 9, lit);
    }
    let backward = solver.fresh();
    solver.edge(graph, 5, 2, backward);
    assert_eq!(solver.solve(&[], &Budget::default()), Answer::Satisfiable);
    assert!(!solver.value(backward));
    assert_eq!(solver.statistics().order_edges, 0);
}

#[test]
fn a_cycle_of_edges_that_are_always_there_is_unsatisfiable() {
    for acyclicity in ALL {
        let mut solver = Solver::with_acyclicity(acyclicity);
        let graph = solver.graph(3);
        solver.fixed_edge(graph, 0, 1);
        solver.fixed_edge(graph, 1, 2);
        assert_eq!(solver.solve(&[], &Budget::default()), Answer::Satisfiable);
        solver.fixed_edge(graph, 2, 0);
        assert_eq!(solver.solve(&[], &Budget::default()), Answer::Unsatisfiable);
        assert_eq!(solver.core(), []);
    }
}

#[test]
fn a_solver_without_clauses_or_graphs_is_satisfiable() {
    let mut solver = Solver::new();
    assert_eq!(solver.solve(&[], &Budget::default()), Answer::Satisfiable);
    let lit = solver.fresh();
    assert_eq!(solver.solve(&[!lit], &Budget::default()), Answer::Satisfiable);
    assert!(!solver.value(lit));
    assert_eq!(solver.solve(&[lit, !lit], &Budget::default()), Answer::Unsatisfiable);
    solver.clause(&[]);
    assert_eq!(solver.solve(&[], &Budget::default()), Answer::Unsatisfiable);
}
