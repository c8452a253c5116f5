//! The command `compare`: which programs tell two memory models apart.
//!
//! A litmus test tells them apart if its verdict differs or if one model allows a final state that the other does not; a
//! program with assertions if the verdict on one of the two questions about them differs.

use std::path::Path;

use palisade::suite::row::{path_from_json, path_to_json};
use palisade::{Model, Options, Property};
use report::compare::{self, Comparison, Difference, Row};
use serde_json::{Value as Json, json};

use crate::answer::refuse_executions;
use crate::arguments::{CSource, Compare, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::files;
use crate::java::is_java;
use crate::limits::{Guard, INTERRUPTION, is_interrupted, watched};
use crate::suite::collect;
use crate::supervise::units::{self, Reply};
use crate::{input, models};

/// Both models.
type Pair = [Model; 2];

/// The command `compare`. Exit code 0 if no program tells the models apart, 1 if one does; 3 if it was interrupted.
pub fn compare(arguments: &Compare) -> Result<Exit, Failure> {
    let files = collect::files(&arguments.files)?;
    if files.is_empty() {
        return Err(Failure::Message("there is no program to compare with".into()));
    }
    let models = shown_models(arguments)?;
    let paths: Vec<Json> = files.iter().map(|path| path_to_json(path)).collect();
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
    Row::unknown(&files::name(path), reason, models)
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
        let models = [pair[0].name().to_string(), pair[1].name().to_string()];
        let Some(path) = path_from_json(unit) else { return json!(models) };
        let result = difference(arguments, &path, pair);
        let failure = result.as_ref().err().map(Failure::rendered);
        let row = Row::new(&files::name(&path), &result.map_err(|failure| failure.summary()), &models);
        json!({ "row": row.to_json(), "failure": failure })
    });
    Ok(Exit::Validated)
}

fn pair(arguments: &Compare) -> Result<Pair, Failure> {
    let model = |name: &str| models::find(name, &arguments.include).map(|found| found.model);
    let pair = [model(&arguments.first)?, model(&arguments.second)?];
    refuse_executions(arguments.executions, &[&pair[0], &pair[1]])?;
    Ok(pair)
}

/// How one program behaves under both models.
fn difference(arguments: &Compare, path: &Path, pair: &Pair) -> Result<Difference, Failure> {
    let tearing = arguments.tearing && is_java(path);
    let source = CSource { include: arguments.include.clone(), tearing, ..CSource::default() };
    let task = input::quiet_task(path, Property::default(), &source)?;
    let (found, reason) = watched(|watch| {
        let options = Options {
            unroll: arguments.unroll,
            executions: arguments.executions,
            memory_orders: arguments.memory_orders.map(Into::into),
            limits: watch.limits(arguments.limits),
            ..Options::default()
        };
        (palisade::compare::difference(&task, [&pair[0], &pair[1]], &options), watch.reason())
    });
    let found = found?;
    Ok(Difference { incomplete: found.incomplete.map(|own| reason.unwrap_or(own)), ..found })
}
