//! Locks and lock-free programs of `suites/c`, right ones and broken ones. The files say what is expected of them; here it is
//! judged what answers rest on.

use std::path::Path;

use operational::Machine;
use program::{Verdict, Verified, verify};

/// The models that are asked.
const MODELS: [&str; 5] = ["sc.cat", "tso.cat", "pso.cat", "rc11.cat", "c11.cat"];

/// Programs whose loops all have a bound, or need none.
const PROGRAMS: [&str; 9] = [
    "ticket_lock",
    "mcs_lock",
    "clh_lock",
    "ttas_lock",
    "double_checked",
    "hazard_pointer",
    "rcu",
    "aba_stack",
    "spsc_ring",
];

fn load(name: &str, broken: bool) -> Verified {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../suites/c/{name}.c"));
    let text = std::fs::read_to_string(path).expect("a program");
    let defines = if broken { vec![("BROKEN".to_string(), "1".to_string())] } else { Vec::new() };
    let unit = frontend::c::load(&format!("{name}.c"), &text, &mut |_, _| None, &defines);
    let program = unit.and_then(|unit| unit.program()).unwrap_or_else(|wrong| panic!("{wrong}"));
    verify(program).expect("lawful")
}

#[test]
fn what_is_shown_is_an_execution_that_the_model_allows() {
    let mut judged = 0;
    for (name, is_broken) in PROGRAMS.iter().flat_map(|name| [(name, false), (name, true)]) {
        for model in MODELS {
            let (program, model) = (load(name, is_broken), testing::model(model));
            let options = axiomatic::Options::default();
            // Under c11 the values of a loop may have no bound.
            let Ok(checked) = axiomatic::whole::check(&program, &model, 24, &options, &mut |_| {}) else { continue };
            let is_violated = checked.outcome.verdict == Verdict::Violated;
            assert!(!is_violated || checked.outcome.witness.is_some(), "{name} under {}", model.name);
            if let Some(witness) = &checked.outcome.witness {
                let broken = axiomatic::broken_axioms(witness, &model);
                assert!(broken.is_empty(), "{name} under {}: {broken:?}", model.name);
                judged += 1;
            }
        }
    }
    assert!(judged > 40, "{judged}");
}

#[test]
fn a_thread_that_spins_in_vain_is_named() {
    let answer = operational::check(&load("mcs_lock", true), Machine::Sc, &operational::Options::default());
    let failure = answer.expect("supported").failure.expect("a failure");
    let waits: Vec<&str> = failure.waiting.iter().map(|thread| thread.what.as_str()).collect();
    assert!(waits.iter().any(|what| what.contains("a change of nodes")), "{waits:?}");
}
