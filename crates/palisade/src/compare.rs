//! What tells two memory models apart.
//!
//! A litmus test tells them apart if its verdict differs or if one model allows a final state that the other does not; threads with
//! assertions if the verdict on one of the two questions about them differs; a whole program and a bounded test of a data type if the one
//! model finds something wrong and the other does not.

use program::{Execution, Outcome, Property, State, Verdict};
use report::answer::verdict_word;
use report::compare::Difference;
use report::{Subject, words};

use crate::engine::Engine;
use crate::model::Model;
use crate::orders;
use crate::refusal::Refusal;
use crate::request::{Answer, Options, Request, Wanted};
use crate::task::{Forms, Task, Whole};

/// How one program behaves under two models.
pub fn difference(task: &Task, models: [&Model; 2], options: &Options) -> Result<Difference, Refusal> {
    match task.program().question {
        Some(_) => by_states(task, models, options),
        None => by_verdicts(task, models, options),
    }
}

/// What a model says. Final states of litmus tests, and the questions about threads with assertions, are for the engine that solves;
/// whole programs and bounded tests for the one that decides first.
fn ask(task: &Task, model: &Model, options: &Options) -> Result<Answer, Refusal> {
    let memory_orders = orders::where_they_count(model, task.language(), options.memory_orders);
    let options = Options { memory_orders, ..options.clone() };
    let engine = if matches!(task, Task::Litmus(..)) { Engine::Axiomatic } else { Engine::Auto };
    Request { task, model, engine, options }.answer()
}

/// What is asked of assertions: of threads that can be solved also whether they can hold.
fn asked(task: &Task) -> &'static [Property] {
    match task {
        Task::Litmus(..) => &[Property::Always, Property::Possible],
        Task::Whole(Whole { forms: Forms::Two { .. } | Forms::OnlyUnfolded(..), .. }) => {
            &[Property::Always, Property::Possible]
        }
        Task::Whole(_) | Task::Test(_) => &[Property::Always],
    }
}

/// Of a litmus test, as each model sees it.
fn by_states(task: &Task, models: [&Model; 2], options: &Options) -> Result<Difference, Refusal> {
    let options = Options { explain: true, wanted: Wanted::VerdictAndStates, ..options.clone() };
    let both = [ask(task, models[0], &options)?, ask(task, models[1], &options)?];
    let question = words::question(&both[0].program, Property::Always, &either(models));
    let outcomes = [&both[0].outcome, &both[1].outcome];
    Ok(Difference {
        verdicts: vec![(question, outcomes.map(word))],
        states: [states_of_one(outcomes[0], outcomes[1]), states_of_one(outcomes[1], outcomes[0])],
        incomplete: outcomes.into_iter().find_map(reason),
        program: both[0].program.clone().into_program(),
        warnings: outcomes.into_iter().flat_map(|outcome| outcome.warnings.clone()).collect(),
    })
}

/// The states that the one has and the other has not; none if the other's list may lack some.
fn states_of_one(one: &Outcome, other: &Outcome) -> Vec<(State, Option<Execution>)> {
    let (Some(states), Some(others)) = (&one.states, &other.states) else { return Vec::new() };
    if reason(other).is_some() {
        return Vec::new();
    }
    states.iter().filter(|(state, _)| others.iter().all(|(other, _)| other != state)).cloned().collect()
}

/// Of a program with assertions or a bounded test, as each model sees it.
fn by_verdicts(task: &Task, models: [&Model; 2], options: &Options) -> Result<Difference, Refusal> {
    let options = Options { explain: false, flags: false, ..options.clone() };
    let (mut verdicts, mut incomplete, mut warnings) = (Vec::new(), None, Vec::new());
    let mut program = task.program().clone();
    for &property in asked(task) {
        let task = task.clone().asking(property);
        let both = [ask(&task, models[0], &options)?, ask(&task, models[1], &options)?];
        let outcomes = [&both[0].outcome, &both[1].outcome];
        incomplete = incomplete.or_else(|| outcomes.into_iter().find_map(reason));
        let question = match &both[0].subject {
            Subject::Test(test) => words::test_question(test, &both[0].program.name, &either(models)),
            _ => words::question(&both[0].program, property, &either(models)),
        };
        verdicts.push((question, outcomes.map(word)));
        warnings = outcomes.into_iter().flat_map(|outcome| outcome.warnings.clone()).collect();
        program.clone_from(&*both[0].program);
    }
    Ok(Difference { program, verdicts, states: [Vec::new(), Vec::new()], incomplete, warnings })
}

fn either(models: [&Model; 2]) -> String {
    format!("{} or {}", models[0].name(), models[1].name())
}

fn word(outcome: &Outcome) -> String {
    verdict_word(&outcome.verdict).to_string()
}

fn reason(outcome: &Outcome) -> Option<String> {
    match &outcome.verdict {
        Verdict::Unknown(reason) => Some(reason.clone()),
        _ => None,
    }
}
