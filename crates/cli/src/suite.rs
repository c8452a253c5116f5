//! The command `suite`: many tests in parallel, each compared with what is expected of it.
//!
//! [`mod@collect`] says which tests to run and what is expected, [`mod@run`] answers one of them, and [`mod@merge`] puts the results
//! of shards together.

pub mod collect;
pub mod merge;
mod run;

use std::time::Instant;

use palisade::suite::row::Expectation;
use report::suite::{Grade, Row, Suite, fingerprint, json, junit, text, warnings};
use serde_json::{Value as Json, json as object};

use crate::arguments::{self, SuiteFormat};
use crate::failure::{Exit, Failure, write};
use crate::limits::{Guard, INTERRUPTION, is_interrupted};
use crate::supervise::units::{self, Reply};
use run::{Done, Models, run, unanswered};

/// The command `suite`. Exit code 0 only if no answer is wrong; what is unsupported or unknown is counted and shown.
pub fn suite(arguments: &arguments::Suite) -> Result<Exit, Failure> {
    let start = Instant::now();
    let expectations = collect::collect(arguments, expected_model(arguments)?.as_deref())?;
    if expectations.is_empty() {
        return Err(Failure::Message("there is no test to run".into()));
    }
    let (fingerprint, total) = (fingerprint_of(&expectations), expectations.len());
    let is_ours = |(number, _): &(usize, Expectation)| arguments.shard.is_none_or(|shard| shard.has(*number));
    let expectations: Vec<(usize, Expectation)> = expectations.into_iter().enumerate().filter(is_ours).collect();
    let done = run_all(arguments, &expectations)?;
    let herd: String = done.iter().filter_map(|done| done.herd.as_deref()).collect();
    if arguments.format == SuiteFormat::Herd {
        done.iter().filter(|done| done.herd.is_none()).for_each(|done| eprintln!("{}", in_one_line(&done.row)));
    }
    let suite = Suite {
        fingerprint,
        total,
        shard: arguments.shard,
        rows: done.into_iter().map(|done| done.row).collect(),
        wall_seconds: start.elapsed().as_secs_f64(),
        interrupted: is_interrupted().then(|| INTERRUPTION.to_string()),
    };
    let output = match arguments.format {
        SuiteFormat::Text => text(&suite),
        SuiteFormat::Json => json(&suite),
        SuiteFormat::Junit => junit(&suite),
        SuiteFormat::Herd => {
            eprint!("{}", warnings(&suite));
            herd
        }
    };
    write(arguments.output.as_deref(), &output)?;
    Ok(exit(&suite))
}

/// The exit code that results ask for.
fn exit(suite: &Suite) -> Exit {
    match suite.count(Grade::Wrong) {
        _ if suite.interrupted.is_some() => Exit::Unknown,
        0 => Exit::Validated,
        _ => Exit::Refuted,
    }
}

/// What tells these rows from other suites.
fn fingerprint_of(expectations: &[Expectation]) -> String {
    let keys: Vec<[String; 4]> = expectations.iter().map(Expectation::key).collect();
    let fields: Vec<[&str; 4]> = keys.iter().map(|key| key.each_ref().map(String::as_str)).collect();
    fingerprint(fields.iter().map(<[&str; 4]>::as_slice))
}

/// A test that herd7 would have nothing to print of.
fn in_one_line(row: &Row) -> String {
    let reason = row.reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
    format!("{} under {}: {}{reason}", row.file, row.model, row.grade.word())
}

/// The unit of work that loads the model that the user gave: it must load, while one that a row names and that is not there
/// makes the row unsupported.
const MODEL: &str = "model";

/// Has a worker load the model that the user gave; the name under which answers are expected of it.
fn expected_model(arguments: &arguments::Suite) -> Result<Option<String>, Failure> {
    if arguments.model.is_none() {
        return Ok(None);
    }
    match units::map(&[object!(MODEL)], Some(1), arguments.limits, "models")?.pop().flatten() {
        Some(Reply::Done(reply)) => match reply["failure"].as_str() {
            Some(message) => Err(Failure::Shown(message.to_string())),
            None => Ok(reply["expected"].as_str().map(str::to_string)),
        },
        Some(Reply::Stopped(reason)) => Err(Failure::Message(format!("the model cannot be loaded: {reason}"))),
        None => Ok(arguments.model.clone()),
    }
}

/// Runs all tests, as many at a time as asked for; results in the order of the expectations.
fn run_all(arguments: &arguments::Suite, expectations: &[(usize, Expectation)]) -> Result<Vec<Done>, Failure> {
    let units: Vec<Json> = expectations.iter().map(|(_, expectation)| expectation.to_json()).collect();
    let replies = units::map(&units, arguments.jobs, arguments.limits, "tests")?;
    let done = expectations.iter().zip(replies).filter_map(|((number, expectation), reply)| {
        let mut done = match reply? {
            Reply::Done(reply) => Done::from_json(expectation, &reply),
            Reply::Stopped(reason) => unanswered(expectation, reason),
        };
        done.row.number = *number;
        Some(done)
    });
    Ok(done.collect())
}

/// As a worker, runs the tests that come.
pub fn work(arguments: &arguments::Suite) -> Result<Exit, Failure> {
    run::keep_panics_quiet();
    let _guard = Guard::start(arguments.limits)?;
    let mut models = Models::new(arguments);
    units::serve(|unit| match Expectation::from_json(unit) {
        Some(expectation) => run(arguments, &expectation, &mut models).to_json(),
        None => match models.given() {
            Ok(expected) => object!({ "expected": expected }),
            Err(failure) => object!({ "failure": failure.rendered() }),
        },
    });
    Ok(Exit::Validated)
}
