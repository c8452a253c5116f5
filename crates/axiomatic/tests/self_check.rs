//! Trust no answer: witnesses are evaluated and replayed, outcome sets compared with those of enumerated candidate
//! executions, cores solved again with each member left out.

use std::collections::BTreeSet;

use axiomatic::{Model, Options};
use program::{
    Comparator, InstructionKind, Observable, Program, Proposition, Quantifier, Question, State, Term, Value, Verdict,
    Verified,
};
use testing::candidates;
use testing::judge::{allowed, checked, states};
use testing::model;
use testing::random::{Random, Shape, program};

const SMALL: Shape = Shape { threads: 3, instructions: 3, ..Shape::PLAIN };
const RICH: Shape = Shape { rich: true, ..SMALL };
const POINTERS: Shape = Shape { pointers: true, ..RICH };
const TWINS: Shape = Shape { twins: true, ..RICH };
const COMPUTING: Shape = Shape { instructions: 4, arithmetic: true, ..RICH };
const ALL: [Shape; 5] = [SMALL, RICH, POINTERS, TWINS, COMPUTING];

fn c11(shape: Shape) -> Shape {
    Shape { c11: true, ..shape }
}

/// Compares the engine's states with those of the candidates that the model allows.
fn agrees_with_candidates(
    file: &str,
    shapes: &[Shape],
    seed: u64,
    iterations: usize,
    small: &dyn Fn(&Verified) -> bool,
) {
    let model = model(file);
    let mut random = Random(seed);
    let mut compared = 0;
    let mut iteration = 0;
    while compared < iterations {
        iteration += 1;
        assert!(iteration < 20 * iterations, "only {compared} programs were small enough");
        let program = program(&mut random, shapes[iteration % shapes.len()]);
        if !small(&program) {
            continue;
        }
        let Some(expected) = candidates::states(&program, &mut |execution| allowed(execution, &model)) else {
            continue;
        };
        compared += 1;
        assert_same(&program, &model, &states(&program, &model), &expected);
    }
}

fn assert_same(program: &Verified, model: &Model, engine: &BTreeSet<State>, expected: &BTreeSet<State>) {
    let text = || format!("{}\nunder {}", program::text::print(program), model.name);
    let (more, fewer) = (engine.difference(expected).next(), expected.difference(engine).next());
    assert!(more.is_none() && fewer.is_none(), "{}\nonly the engine: {more:?}\nonly candidates: {fewer:?}", text());
}

fn any(_: &Verified) -> bool {
    true
}

#[test]
fn sc_allows_exactly_the_candidates_that_keep_its_axioms() {
    agrees_with_candidates("sc.cat", &ALL, 31, 40, &any);
}

#[test]
fn tso_allows_exactly_the_candidates_that_keep_its_axioms() {
    agrees_with_candidates("tso.cat", &ALL, 32, 40, &any);
}

#[test]
fn pso_allows_exactly_the_candidates_that_keep_its_axioms() {
    agrees_with_candidates("pso.cat", &ALL, 33, 40, &any);
}

#[test]
fn rc11_allows_exactly_the_candidates_that_keep_its_axioms() {
    agrees_with_candidates("rc11.cat", &ALL.map(c11), 34, 70, &any);
}

#[test]
fn c11_allows_exactly_the_candidates_that_keep_its_axioms() {
    // Without copies no value can come about in a circle, so that there are finitely many.
    let shapes = ALL.map(|shape| c11(Shape { copies: false, ..shape }));
    agrees_with_candidates("c11.cat", &shapes, 35, 70, &any);
}

/// At most five accesses: their memory orders are tried one by one.
fn few_accesses(program: &Verified) -> bool {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let accesses = blocks.flat_map(|block| &block.instructions).map(|instruction| match instruction.kind {
        InstructionKind::Load { .. } | InstructionKind::Store { .. } => 1,
        InstructionKind::ReadModifyWrite { .. } => 2,
        _ => 0,
    });
    accesses.sum::<usize>() <= 5
}

#[test]
fn models_with_a_memory_order_allow_exactly_the_candidates_with_one() {
    let shapes = ALL.map(|shape| Shape { copies: false, threads: 2, ..shape });
    agrees_with_candidates("sc.mm", &shapes, 36, 15, &few_accesses);
    agrees_with_candidates("rmo.mm", &shapes, 37, 15, &few_accesses);
    agrees_with_candidates("relaxed.mm", &shapes, 38, 15, &few_accesses);
    agrees_with_candidates("relaxed.cat", &shapes, 39, 15, &few_accesses);
}

/// The program with another question, read from its own text, so that its statements have places.
fn asking(program: &Verified, quantifier: Quantifier, proposition: Proposition) -> Verified {
    let mut asking = Program::clone(program);
    let mut observed = Vec::new();
    proposition.observables(&mut |observable| observed.push(observable.clone()));
    let others = program.question.as_ref().expect("a question").observed.iter();
    let others: Vec<_> = others.filter(|other| !observed.contains(other)).cloned().collect();
    observed.extend(others);
    asking.question = Some(Question { quantifier, proposition, filter: None, observed, span: None });
    testing::program(&program::text::print(&asking))
}

fn is(state: &State) -> Proposition {
    let equal = |(observable, value): &(Observable, Value)| {
        Proposition::Compare(Comparator::Eq, Term::Observable(observable.clone()), Term::Value(value.clone()))
    };
    Proposition::And(state.iter().map(equal).collect())
}

/// A part of a state that need not be reached: each value occurs in some state.
fn mixed(random: &mut Random, states: &[&State]) -> State {
    let mut part = State::new();
    for index in 0..states.first().map_or(0, |state| state.len()) {
        if random.below(4) > 0 {
            let state = states[random.below(states.len() as u64) as usize];
            part.push(state[index].clone());
        }
    }
    part
}

fn has(states: &BTreeSet<State>, part: &State) -> bool {
    states.iter().any(|state| part.iter().all(|held| state.contains(held)))
}

/// Asks for states that are reached and for some that are not.
fn answers_withstand_checks(file: &str, shapes: &[Shape], seed: u64, iterations: usize) {
    let model = model(file);
    let mut random = Random(seed);
    let (mut allowed, mut forbidden) = (0, 0);
    for iteration in 0..iterations {
        let program = program(&mut random, shapes[iteration % shapes.len()]);
        let states = states(&program, &model);
        let list: Vec<&State> = states.iter().collect();
        for tries in [1, 1, 20, 20, 20] {
            // Most mixtures are reached: try more often for one that is not.
            let mut parts = (0..tries).map(|_| mixed(&mut random, &list));
            let part = parts.by_ref().find(|part| !has(&states, part)).unwrap_or_else(|| list[0].clone());
            let reached = has(&states, &part);
            let quantifier = [Quantifier::Exists, Quantifier::NotExists, Quantifier::Forall][random.below(3) as usize];
            let proposition = match quantifier {
                Quantifier::Forall => Proposition::Not(Box::new(is(&part))),
                _ => is(&part),
            };
            let asking = asking(&program, quantifier, proposition);
            let expected = match (reached, quantifier) {
                (true, Quantifier::Forall) => Verdict::Violated,
                (false, Quantifier::Forall) => Verdict::Holds,
                (true, _) => Verdict::Allowed,
                (false, _) => Verdict::Forbidden,
            };
            let outcome = checked(&asking, &model, &Options::default());
            assert_eq!(outcome.verdict, expected, "{}\nunder {}", program::text::print(&asking), model.name);
            assert!(!outcome.vacuous);
            *(if reached { &mut allowed } else { &mut forbidden }) += 1;
        }
    }
    assert!(allowed > 0 && forbidden > iterations / 4, "{allowed} allowed, {forbidden} forbidden");
}

#[test]
fn answers_under_machine_models_withstand_checks() {
    for (index, file) in ["sc.cat", "tso.cat", "pso.cat"].into_iter().enumerate() {
        answers_withstand_checks(file, &ALL, 41 + index as u64, 20);
    }
}

#[test]
fn answers_under_models_with_a_memory_order_withstand_checks() {
    let shapes = ALL.map(|shape| Shape { copies: false, ..shape });
    for (index, file) in ["sc.mm", "rmo.mm", "relaxed.mm", "relaxed.cat"].into_iter().enumerate() {
        answers_withstand_checks(file, &shapes, 444 + index as u64, 10);
    }
}

#[test]
fn answers_under_c11_models_withstand_checks() {
    let shapes = ALL.map(|shape| c11(Shape { copies: false, ..shape }));
    answers_withstand_checks("c11.cat", &shapes, 47, 20);
    answers_withstand_checks("rc11.cat", &ALL.map(c11), 48, 20);
}

/// A total order of all accesses that the model itself chooses, instead of the absence of a cycle.
const TURNS: &str = "turns
let com = rf | co | fr
with S from linearisations(M, po | com)
show S
";

#[test]
fn an_order_that_the_model_chooses_exists_exactly_where_there_is_no_cycle() {
    let turns = axiomatic::model::load("turns.cat", TURNS, &|_| None).unwrap_or_else(|errors| panic!("{errors}"));
    let sc = model("sc.cat");
    let mut random = Random(51);
    for _ in 0..30 {
        let program = program(&mut random, SMALL);
        assert_same(&program, &turns, &states(&program, &turns), &states(&program, &sc));
    }
}
