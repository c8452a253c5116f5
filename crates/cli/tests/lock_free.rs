//! Locks and lock-free programs of `suites/c`, right ones and broken ones: every engine that decides them comes to the answer
//! that the algorithm's authors give.

#[path = "../../axiomatic/tests/common/mod.rs"]
mod common;

use std::path::Path;

use operational::Machine;
use program::{Verdict, Verified, verify};

/// The models that are asked, after the machines of the first three names.
const MODELS: [&str; 4] = ["sc.cat", "tso.cat", "pso.cat", "rc11.cat"];

/// Whether a program holds on `sc`, `tso`, `pso` and `rc11`, and the same with `-D BROKEN`. Models of machines do not look at
/// memory orders, so that a release store is a plain one on `pso`.
const PROGRAMS: &[(&str, [bool; 4], [bool; 4])] = &[
    ("ticket_lock", [true, true, false, true], [true, true, false, false]),
    ("mcs_lock", [true, true, false, true], [false; 4]),
    ("clh_lock", [true, true, false, true], [true, true, false, false]),
    ("ttas_lock", [true, true, false, true], [false; 4]),
    ("double_checked", [true, true, false, true], [true, true, false, false]),
    ("hazard_pointer", [true, false, false, true], [true, false, false, false]),
    ("rcu", [true; 4], [false; 4]),
    ("aba_stack", [true; 4], [false; 4]),
    ("spsc_ring", [true, true, false, true], [true, true, false, false]),
];

/// Those that only the machines decide, or the models for a broken one: their loops have no bound.
const ON_MACHINES: &[(&str, [bool; 3], [bool; 3])] = &[
    ("peterson", [true, false, false], [true, false, false]),
    ("rw_spinlock", [true, true, false], [false; 3]),
    ("bounded_buffer", [true; 3], [false; 3]),
];

fn load(name: &str, broken: bool) -> Verified {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../suites/c/{name}.c"));
    let text = std::fs::read_to_string(path).expect("a program");
    let defines = if broken { vec![("BROKEN".to_string(), "1".to_string())] } else { Vec::new() };
    let unit = frontend::c::load(&format!("{name}.c"), &text, &mut |_, _| None, &defines);
    let program = unit.and_then(|unit| unit.program()).unwrap_or_else(|wrong| panic!("{wrong}"));
    verify(program).expect("lawful")
}

fn on_machine(program: &Verified, machine: Machine) -> Verdict {
    operational::check(program, machine, &operational::Options::default()).expect("supported").outcome.verdict
}

fn under_model(program: &Verified, model: &str) -> Verdict {
    let (model, options) = (common::model(model), axiomatic::Options::default());
    let checked = axiomatic::whole::check(program, &model, 24, &options, &mut |_| {}).expect("supported");
    if let Some(witness) = &checked.outcome.witness {
        let broken = axiomatic::broken_axioms(witness, &model);
        assert!(broken.is_empty(), "{broken:?}");
    }
    checked.outcome.verdict
}

fn expected(holds: bool) -> Verdict {
    if holds { Verdict::Holds } else { Verdict::Violated }
}

const MACHINES: [Machine; 3] = [Machine::Sc, Machine::Tso, Machine::Pso];

#[test]
fn machines_decide_all() {
    let decided = PROGRAMS.iter().map(|(name, right, broken)| (name, &right[..3], &broken[..3]));
    let others = ON_MACHINES.iter().map(|(name, right, broken)| (name, &right[..], &broken[..]));
    for (name, right, broken) in decided.chain(others) {
        for (is_broken, answers) in [(false, right), (true, broken)] {
            let program = load(name, is_broken);
            for (machine, holds) in MACHINES.into_iter().zip(answers) {
                let verdict = on_machine(&program, machine);
                assert_eq!(verdict, expected(*holds), "{name} on {}, broken: {is_broken}", machine.name());
            }
        }
    }
}

#[test]
fn models_come_to_the_same() {
    for (name, right, broken) in PROGRAMS {
        for (is_broken, answers) in [(false, right), (true, broken)] {
            let program = load(name, is_broken);
            for (model, holds) in MODELS.into_iter().zip(answers) {
                assert_eq!(under_model(&program, model), expected(*holds), "{name} under {model}, broken: {is_broken}");
            }
        }
    }
}

#[test]
fn broken_programs_with_loops_without_a_bound_are_found_out_by_models_too() {
    for (name, model) in [("peterson", "rc11.cat"), ("peterson", "tso.cat"), ("bounded_buffer", "sc.cat")] {
        assert_eq!(under_model(&load(name, true), model), Verdict::Violated, "{name} under {model}");
    }
}

#[test]
fn a_race_is_wrong_although_no_assertion_fails() {
    // Under c11 a plain read sees only what happens before it, so that the assertion itself holds.
    for name in ["rcu", "hazard_pointer"] {
        assert_eq!(under_model(&load(name, false), "c11.cat"), Verdict::Holds, "{name}");
        assert_eq!(under_model(&load(name, true), "c11.cat"), Verdict::Violated, "{name}");
    }
}

#[test]
fn a_thread_that_spins_in_vain_is_named() {
    let answer = operational::check(&load("mcs_lock", true), Machine::Sc, &operational::Options::default());
    let failure = answer.expect("supported").failure.expect("a failure");
    let waits: Vec<&str> = failure.waiting.iter().map(|thread| thread.what.as_str()).collect();
    assert!(waits.iter().any(|what| what.contains("a change of nodes")), "{waits:?}");
}
