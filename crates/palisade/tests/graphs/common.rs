//! What tests of execution graphs share: the engines asked for final states and for verdicts, and compared.

use std::collections::BTreeSet;

use palisade::request::Bounds;
use palisade::{Engine, Limits, Model, Options, Request, Task, Verdict, Wanted};
use testing::campaign::{Tally, soon};
use testing::litmus_c::{brute_force, candidates, litmus, threads};
use testing::random::Random;

/// More executions than this brute force does not look at.
const CANDIDATES: u64 = 30_000;

/// Final states, flags and the number of executions; nothing if they are not known soon.
fn outcomes(text: &str, model: &Model, engine: Engine) -> Option<(BTreeSet<String>, Vec<String>, u64)> {
    let task = Task::litmus("random.litmus", text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    let answer = soon(|interrupt| {
        let limits = Limits { interrupt, ..Limits::default() };
        let options = Options { wanted: Wanted::States, explain: false, limits, ..Options::default() };
        Request { engine, options, ..Request::new(&task, model) }.answer()
    });
    let answer = answer.unwrap_or_else(|refusal| panic!("{}: {refusal}\n{text}", model.name()));
    if !answer.is_decided() {
        return None;
    }
    let states = answer.outcome.states.iter().flatten().map(|(state, _)| format!("{state:?}")).collect();
    let figures = &answer.outcome.statistics.figures;
    let executions = figures.iter().find(|(name, _)| name == "executions").map_or(0, |(_, count)| *count);
    Some((states, answer.outcome.flags, executions))
}

/// The solver, the exploration and brute force find the same of a random litmus test under each of the models.
pub fn agree(models: &[Model], random: &mut Random, most: u64, tally: &mut Tally) {
    let threads = threads(random, most);
    let text = litmus(&threads);
    for model in models {
        let Some(explored) = outcomes(&text, model, Engine::Mcr) else {
            tally.count("not explored");
            continue;
        };
        let Some(solved) = outcomes(&text, model, Engine::Axiomatic) else {
            tally.count("not solved");
            continue;
        };
        assert_eq!(solved.0, explored.0, "final states under {}\n{text}", model.name());
        assert_eq!(solved.1, explored.1, "flags under {}\n{text}", model.name());
        tally.count("solved and explored");
        if let Some(axioms) = model.axioms().filter(|_| candidates(&threads) <= CANDIDATES) {
            let there_are = brute_force(&threads, axioms);
            assert_eq!(explored.2, there_are.executions, "executions under {}\n{text}", model.name());
            assert_eq!(explored.0.len(), there_are.states.len(), "final states under {}\n{text}", model.name());
            assert_eq!(!explored.1.is_empty(), there_are.is_flagged, "flags under {}\n{text}", model.name());
            tally.count("by brute force");
            tally.count_if(there_are.is_flagged, "with a race");
        }
    }
}

/// The verdict about a whole program.
fn verdict(task: &Task, model: &Model, engine: Engine) -> Option<bool> {
    let answer = soon(|interrupt| {
        // An encoding in which loops are unrolled further takes long, and nobody can stop it.
        let bounds = Bounds { max_iterations: 6, ..Bounds::default() };
        let options = Options { limits: Limits { interrupt, ..Limits::default() }, bounds, ..Options::default() };
        Request { engine, options, ..Request::new(task, model) }.answer()
    });
    match answer.ok()?.outcome.verdict {
        Verdict::Holds => Some(true),
        Verdict::Violated => Some(false),
        _ => None,
    }
}

/// The solver and the exploration come to the same verdict about a whole program under each of the models.
pub fn same_verdict(models: &[Model], text: &str, task: &Task, tally: &mut Tally) {
    for model in models {
        let Some(explored) = verdict(task, model, Engine::Mcr) else {
            tally.count("not explored");
            continue;
        };
        let Some(solved) = verdict(task, model, Engine::Axiomatic) else {
            tally.count("not solved");
            continue;
        };
        assert_eq!(explored, solved, "explored and solved under {}\n{text}", model.name());
        tally.count(if solved { "holds" } else { "violated" });
    }
}
