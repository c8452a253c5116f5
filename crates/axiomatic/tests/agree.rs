//! The engine against brute force, models against models.

use std::collections::BTreeSet;

use axiomatic::{Options, outcomes};
use program::{State, Verified};
use testing::effort::programs;
use testing::explorer::{Machine, explore};
use testing::model;
use testing::random::{Random, Shape, program};

fn states(program: &Verified, model: &axiomatic::Model) -> BTreeSet<State> {
    let options = Options { explain: false, ..Options::default() };
    let outcome = outcomes(program, model, &options, &mut |_| {}).unwrap_or_else(|what| panic!("{what:?}"));
    outcome.states.expect("states").into_iter().map(|(state, _)| state).collect()
}

/// Fails with the program's text unless both sets are equal.
fn assert_same(program: &Verified, left: (&str, &BTreeSet<State>), right: (&str, &BTreeSet<State>)) {
    let only = |a: &BTreeSet<State>, b: &BTreeSet<State>| a.difference(b).next().cloned();
    let (first, second) = (only(left.1, right.1), only(right.1, left.1));
    assert!(
        first.is_none() && second.is_none(),
        "{}\nonly by {}: {first:?}\nonly by {}: {second:?}",
        program::text::print(program),
        left.0,
        right.0
    );
}

const PLAIN: Shape = Shape::PLAIN;
const RICH: Shape = Shape { rich: true, ..PLAIN };
const POINTERS: Shape = Shape { pointers: true, ..RICH };
const TWINS: Shape = Shape { twins: true, ..RICH };
const COMPUTING: Shape = Shape { instructions: 6, arithmetic: true, ..RICH };
const SHAPES: [Shape; 5] = [PLAIN, RICH, POINTERS, TWINS, COMPUTING];

fn agrees_with_the_machine(file: &str, machine: Machine, seed: u64) {
    let model = model(file);
    let mut random = Random(seed);
    for iteration in 0..programs::<usize>(80) {
        let program = program(&mut random, SHAPES[iteration % SHAPES.len()]);
        assert_same(&program, (file, &states(&program, &model)), ("brute force", &explore(&program, machine)));
    }
}

#[test]
fn sc_is_interleaving() {
    agrees_with_the_machine("sc.cat", Machine::Sc, 11);
}

#[test]
fn sc_of_the_thesis_is_interleaving() {
    agrees_with_the_machine("sc.mm", Machine::Sc, 12);
}

#[test]
fn tso_is_a_store_buffer() {
    agrees_with_the_machine("tso.cat", Machine::Tso, 13);
}

#[test]
fn pso_is_a_store_buffer_for_each_cell() {
    agrees_with_the_machine("pso.cat", Machine::Pso, 14);
}

/// The shipped relaxed model leaves out the total order of the thesis, and excludes circles of values.
#[test]
fn relaxed_is_the_model_of_the_thesis_without_circles_of_values() {
    let (ours, printed) = (model("relaxed.cat"), model("relaxed.mm"));
    let mut random = Random(16);
    for iteration in 0..programs::<usize>(120) {
        let shape = SHAPES[iteration % SHAPES.len()];
        let copies = shape.copies && iteration % 4 == 0;
        let program = program(&mut random, Shape { copies, ..shape });
        let (ours, printed) = (states(&program, &ours), states(&program, &printed));
        let text = program::text::print(&program);
        assert!(ours.is_subset(&printed), "{text}");
        let only = printed.difference(&ours).next();
        assert!(copies || only.is_none(), "{text}\nonly as printed: {only:?}");
    }
}

#[test]
fn each_model_allows_what_stronger_ones_do() {
    let models: Vec<_> = ["sc.cat", "tso.cat", "pso.cat", "rmo.mm", "relaxed.cat"].map(model).into();
    let mut random = Random(15);
    for iteration in 0..programs::<usize>(50) {
        let program = program(&mut random, SHAPES[iteration % SHAPES.len()]);
        let sets: Vec<BTreeSet<State>> = models.iter().map(|model| states(&program, model)).collect();
        for (index, pair) in sets.windows(2).enumerate() {
            let missing = pair[0].difference(&pair[1]).next();
            let (strong, weak) = (&models[index].name, &models[index + 1].name);
            let text = program::text::print(&program);
            assert!(missing.is_none(), "{text}\nallowed by {strong} but not by {weak}: {missing:?}");
        }
    }
}
