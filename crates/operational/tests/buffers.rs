//! Long store buffers: what is left out of them changes no outcome.

#[path = "../../axiomatic/tests/common/random.rs"]
#[allow(dead_code)]
mod random;

use operational::{Machine, mcr, outcomes};
use program::{State, Verified, verify};
use random::Random;

fn program(text: &str) -> Verified {
    let text = format!("program test\nlanguage IR\n{text}");
    let program = program::text::parse("test.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}\n{text}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"))
}

/// A thread that stores many times, now and then with a fence, and then loads; and one that does a little.
fn text(random: &mut Random) -> String {
    let mut writer = String::new();
    let cells = 1 + random.below(3);
    let places = ["&x", "&y", "&z"];
    let place = |random: &mut Random| places[random.below(cells) as usize];
    for _ in 0..9 + random.below(4) {
        let (cell, value) = (place(random), 1 + random.below(2));
        writer += &format!("store {cell}, {value}:i32 plain ");
        if random.below(12) == 0 {
            writer += "fence plain{SS} ";
        }
        if random.below(24) == 0 {
            writer += "fence plain{SL} ";
        }
    }
    for register in ["a", "b"] {
        writer += &format!("%{register} := load {} plain ", place(random));
    }
    let mut other = String::new();
    for register in ["c", "d", "e"] {
        let cell = place(random);
        match random.below(3) {
            0 => other += &format!("store {cell}, {}:i32 plain ", 1 + random.below(3)),
            _ => other += &format!("%{register} := load {cell} plain "),
        }
    }
    format!(
        "global x = 0:i32\nglobal y = 0:i32\nglobal z = 0:i32\n\
         function w() {{ registers a, b b0: {writer} return }}\n\
         function o() {{ registers c, d, e b0: {other} return }}\n\
         thread w = @w()\nthread o = @o()\n\
         exists true observed 0:%a, 0:%b, 1:%c, 1:%d, 1:%e, x, y, z\n"
    )
}

fn states(answer: Option<Vec<(State, Option<program::Execution>)>>) -> Vec<State> {
    let mut states: Vec<State> = answer.unwrap_or_default().into_iter().map(|(state, _)| state).collect();
    states.sort();
    states
}

/// The final states by searching all states are those by reduction, which keeps every store.
fn compare(seed: u64) {
    let text = text(&mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1));
    let program = program(&text);
    for machine in [Machine::Tso, Machine::Pso] {
        let searched = outcomes(&program, machine, &operational::Options::default()).expect("modelled");
        let reduced = mcr::outcomes(&program, machine, &mcr::Options::default()).expect("modelled");
        let (searched, reduced) = (states(searched.outcome.states), states(reduced.outcome.states));
        assert_eq!(searched, reduced, "SEED={seed} on {}:\n{text}", machine.name());
    }
}

#[test]
fn long_buffers_have_the_outcomes_of_all_their_stores() {
    (0..60).for_each(compare);
}

/// `SEED` and `TIMES` say which programs.
#[test]
#[ignore = "long"]
fn long_buffers_have_the_outcomes_of_all_their_stores_in_many_programs() {
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let seed = number("SEED", 1_000);
    (seed..seed + number("TIMES", 2_000)).for_each(compare);
}
