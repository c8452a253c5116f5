//! The command `compare`: which programs tell two memory models apart.
//!
//! A litmus test tells them apart if its verdict differs or if one model allows a final state that the other does not; a
//! program with assertions if the verdict on one of the two questions about them differs.

use std::path::Path;

use axiomatic::model::Model;
use axiomatic::unroll::Rounds;
use axiomatic::{Options, check, outcomes};
use program::{Execution, Outcome, State, Unsupported, Verdict, Verified};
use report::answer::verdict_word;
use report::compare::{self, Comparison, Difference, Row};
use report::{Property, words};
use serde_json::{Value as Json, json};

use crate::answer::{assertions, budget, with_reason};
use crate::arguments::{Compare, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::limits::{Guard, INTERRUPTION, is_interrupted, watched};
use crate::suite::expectation;
use crate::supervise::units::{self, Reply};
use crate::{input, models, orders, warnings};

/// Both models, each with the name under which it is shown.
type Pair = [(String, Model); 2];

/// The command `compare`. Exit code 0 if no program tells the models apart, 1 if one does; 3 if it was interrupted.
pub fn compare(arguments: &Compare) -> Result<Exit, Failure> {
    let files = expectation::files(&arguments.files)?;
    if files.is_empty() {
        return Err(Failure::Message("there is no program to compare with".into()));
    }
    let models = shown_models(arguments)?;
    let paths: Vec<Json> = files.iter().map(|path| input::path_to_json(path)).collect();
    let replies = units::map(&paths, arguments.jobs, arguments.limits, "programs")?;
    let (mut rows, mut exit) = (Vec::new(), Exit::Validated);
    for (path, reply) in files.iter().zip(replies) {
        let (row, own) = match reply {
            None => continue,
            Some(Reply::Done(reply)) => {
                read(&reply).unwrap_or_else(|| (unknown(path, "no answer", &models), Exit::Unknown))
            }
            Some(Reply::Stopped(reason)) => (unknown(path, &reason, &models), Exit::Unknown),
        };
        exit = exit.max(own);
        rows.push(row);
    }
    let interrupted = is_interrupted().then(|| INTERRUPTION.to_string());
    let exit = if interrupted.is_some() { Exit::Unknown } else { exit };
    let comparison = Comparison { models, rows, interrupted };
    let output = match arguments.format {
        TableFormat::Text => compare::text(&comparison),
        TableFormat::Json => compare::json(&comparison),
    };
    write(arguments.output.as_deref(), &output)?;
    Ok(exit)
}

fn unknown(path: &Path, reason: &str, models: &[String; 2]) -> Row {
    Row::unknown(&input::name(path), reason, models)
}

/// What a worker answered about a program. What is wrong with the program is printed.
fn read(reply: &Json) -> Option<(Row, Exit)> {
    let row = Row::from_json(&reply["row"])?;
    let exit = match (reply["failure"].as_str(), row.differs) {
        (Some(failure), _) => {
            Failure::Shown(failure.to_string()).show();
            Exit::WrongInput
        }
        (None, Some(false)) => Exit::Validated,
        (None, None) => Exit::Unknown,
        (None, Some(true)) => Exit::Refuted,
    };
    Some((row, exit))
}

/// Has a worker load both models, so that what is wrong with them is said once; the names under which they are shown.
fn shown_models(arguments: &Compare) -> Result<[String; 2], Failure> {
    match units::map(&[Json::Null], Some(1), arguments.limits, "models")?.pop().flatten() {
        Some(Reply::Done(Json::String(message))) => Err(Failure::Shown(message)),
        Some(Reply::Stopped(reason)) => Err(Failure::Message(format!("the models cannot be loaded: {reason}"))),
        Some(Reply::Done(names)) => {
            Ok([0, 1].map(|index: usize| names[index].as_str().unwrap_or_default().to_string()))
        }
        None => Ok([arguments.first.clone(), arguments.second.clone()]),
    }
}

/// As a worker, compares the programs that come. Whatever comes first, both models must load.
pub fn work(arguments: &Compare) -> Result<Exit, Failure> {
    let _guard = Guard::start(arguments.limits)?;
    let mut loaded: Option<Result<Pair, Failure>> = None;
    units::serve(|unit| {
        let pair = match loaded.get_or_insert_with(|| pair(arguments)) {
            Ok(pair) => pair,
            Err(failure) => return json!(failure.rendered()),
        };
        let models = [pair[0].0.clone(), pair[1].0.clone()];
        let Some(path) = input::path_from_json(unit) else { return json!(models) };
        let result = difference(arguments, &path, pair);
        let failure = result.as_ref().err().map(Failure::rendered);
        let row = Row::new(&input::name(&path), &result.map_err(|failure| failure.summary()), &models);
        json!({ "row": row.to_json(), "failure": failure })
    });
    Ok(Exit::Validated)
}

fn pair(arguments: &Compare) -> Result<Pair, Failure> {
    let model = |name: &str| models::find(name, &arguments.include).map(|found| (found.shown, found.model));
    Ok([model(&arguments.first)?, model(&arguments.second)?])
}

/// How one program behaves under both models.
fn difference(arguments: &Compare, path: &Path, pair: &Pair) -> Result<Difference, Failure> {
    let program = input::quiet_program(path, false)?;
    let compiled = |model: &str| orders::compiled_where_it_counts(program.clone(), model, arguments.memory_orders);
    let programs = [compiled(&pair[0].0)?, compiled(&pair[1].0)?];
    let found = if program.question.is_some() {
        by_states(arguments, &programs, pair)
    } else {
        by_verdicts(arguments, &programs, pair)
    };
    let found = found.map_err(|unsupported| Failure::unsupported(&program, unsupported))?;
    let under = |(name, model): &(String, Model)| warnings::under(&program, name, model, arguments.memory_orders);
    Ok(Difference { warnings: pair.iter().flat_map(under).collect(), ..found })
}

/// Of a litmus test, as each model sees it.
fn by_states(arguments: &Compare, programs: &[Verified; 2], pair: &Pair) -> Result<Difference, Unsupported> {
    let program = &programs[0];
    let all = |program: &Verified, model: &Model| {
        let with_witnesses = Options { explain: true, ..Options::default() };
        solve(arguments, with_witnesses, |options| outcomes(program, model, options, &mut |_| {}))
    };
    let both = [all(&programs[0], &pair[0].1)?, all(&programs[1], &pair[1].1)?];
    let question = words::question(program, Property::Always, &either(pair));
    Ok(Difference {
        verdicts: vec![(question, [word(&both[0]), word(&both[1])])],
        states: [states_of_one(&both[0], &both[1]), states_of_one(&both[1], &both[0])],
        incomplete: both.iter().find_map(reason),
        program: program.clone().into_program(),
        warnings: Vec::new(),
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

/// Of a program with assertions, as each model sees it.
fn by_verdicts(arguments: &Compare, programs: &[Verified; 2], pair: &Pair) -> Result<Difference, Unsupported> {
    let program = &programs[0];
    let (mut verdicts, mut incomplete) = (Vec::new(), None);
    for property in [Property::Always, Property::Possible] {
        let ask = |program: &Verified, model: &Model| {
            let verdict =
                Options { explain: false, flags: false, assertions: assertions(property), ..Options::default() };
            solve(arguments, verdict, |options| check(program, model, options))
        };
        let both = [ask(&programs[0], &pair[0].1)?, ask(&programs[1], &pair[1].1)?];
        incomplete = incomplete.or_else(|| both.iter().find_map(reason));
        verdicts.push((words::question(program, property, &either(pair)), [word(&both[0]), word(&both[1])]));
    }
    let program = program.clone().into_program();
    Ok(Difference { program, verdicts, states: [Vec::new(), Vec::new()], incomplete, warnings: Vec::new() })
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
