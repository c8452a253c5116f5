//! The command `compare`: which programs tell two memory models apart.
//!
//! A litmus test tells them apart if its verdict differs or if one model allows a final state that the other does not; a
//! program with assertions if the verdict on one of the two questions about them differs.

use std::path::{Path, PathBuf};

use axiomatic::model::Model;
use axiomatic::unroll::Rounds;
use axiomatic::{Options, check, outcomes};
use program::{Execution, Outcome, State, Unsupported, Verdict, Verified};
use report::answer::verdict_word;
use report::compare::{Comparison, Difference, Row, json, text};
use report::{Property, words};

use crate::answer::{assertions, budget, with_reason};
use crate::arguments::{Compare, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::limits::{Guard, on_ctrl_c, watched};
use crate::suite::expectation;
use crate::{input, models, parallel};

/// Both models, each with the name under which it is shown.
type Pair = [(String, Model); 2];

/// The command `compare`. Exit code 0 if no program tells the models apart, 1 if one does.
pub fn compare(arguments: &Compare) -> Result<Exit, Failure> {
    on_ctrl_c();
    let _guard = Guard::start(arguments.limits, None)?;
    let model = |name: &str| models::find(name, &arguments.include).map(|found| (found.shown, found.model));
    let pair: Pair = [model(&arguments.first)?, model(&arguments.second)?];
    let files = expectation::files(&arguments.files)?;
    if files.is_empty() {
        return Err(Failure::Message("there is no program to compare with".into()));
    }
    let work = |path: &PathBuf| difference(arguments, path, &pair);
    let results = parallel::map(&files, arguments.jobs, "programs", work)?;
    let (mut rows, mut exit) = (Vec::new(), Exit::Validated);
    for (path, result) in files.iter().zip(results) {
        let Some(result) = result else {
            exit = exit.max(Exit::Unknown);
            continue;
        };
        if let Err(failure) = &result {
            failure.show();
        }
        exit = exit.max(match result.as_ref().map(Difference::differs) {
            Ok(Some(false)) => Exit::Validated,
            Ok(None) => Exit::Unknown,
            Ok(Some(true)) => Exit::Refuted,
            Err(_) => Exit::WrongInput,
        });
        rows.push(Row { file: input::name(path), result: result.map_err(|failure| failure.summary()) });
    }
    let [(first, _), (second, _)] = pair;
    let comparison = Comparison { models: [first, second], rows };
    let output = match arguments.format {
        TableFormat::Text => text(&comparison),
        TableFormat::Json => json(&comparison),
    };
    write(arguments.output.as_deref(), &output)?;
    Ok(exit)
}

/// How one program behaves under both models.
fn difference(arguments: &Compare, path: &Path, pair: &Pair) -> Result<Difference, Failure> {
    let program = input::quiet_program(path)?;
    let found = if program.question.is_some() {
        by_states(arguments, &program, pair)
    } else {
        by_verdicts(arguments, &program, pair)
    };
    found.map_err(|unsupported| Failure::unsupported(&program, unsupported))
}

fn by_states(arguments: &Compare, program: &Verified, pair: &Pair) -> Result<Difference, Unsupported> {
    let all = |model: &Model| {
        let with_witnesses = Options { explain: true, ..Options::default() };
        solve(arguments, with_witnesses, |options| outcomes(program, model, options, &mut |_| {}))
    };
    let both = [all(&pair[0].1)?, all(&pair[1].1)?];
    let question = words::question(program, Property::Always, &either(pair));
    Ok(Difference {
        verdicts: vec![(question, [word(&both[0]), word(&both[1])])],
        states: [states_of_one(&both[0], &both[1]), states_of_one(&both[1], &both[0])],
        incomplete: both.iter().find_map(reason),
        program: program.clone().into_program(),
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

fn by_verdicts(arguments: &Compare, program: &Verified, pair: &Pair) -> Result<Difference, Unsupported> {
    let (mut verdicts, mut incomplete) = (Vec::new(), None);
    for property in [Property::Always, Property::Possible] {
        let ask = |model: &Model| {
            let verdict = Options { explain: false, assertions: assertions(property), ..Options::default() };
            solve(arguments, verdict, |options| check(program, model, options))
        };
        let both = [ask(&pair[0].1)?, ask(&pair[1].1)?];
        incomplete = incomplete.or_else(|| both.iter().find_map(reason));
        verdicts.push((words::question(program, property, &either(pair)), [word(&both[0]), word(&both[1])]));
    }
    let program = program.clone().into_program();
    Ok(Difference { program, verdicts, states: [Vec::new(), Vec::new()], incomplete })
}

fn solve(
    arguments: &Compare,
    options: Options,
    search: impl FnOnce(&Options) -> Result<Outcome, Unsupported>,
) -> Result<Outcome, Unsupported> {
    watched(|watch| {
        let (rounds, executions) = (Rounds::of_each(arguments.unroll), arguments.executions);
        let options = Options { rounds, executions, budget: budget(watch), ..options };
        search(&options).map(|outcome| with_reason(outcome, watch))
    })
}

fn either(pair: &Pair) -> String {
    format!("{} or {}", pair[0].0, pair[1].0)
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
