//! The command `suite`: many tests in parallel, each compared with what is expected of it.
//!
//! [`expectation`] says which tests to run and what is expected, [`mod@run`] answers one of them.

mod expectation;
mod run;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use axiomatic::model::Model;
use report::suite::{Grade, Suite, json, junit, text};

use crate::arguments::{self, SuiteFormat};
use crate::failure::{Exit, Failure, write};
use crate::limits::{Guard, is_interrupted, on_ctrl_c};
use crate::models;
use crate::progress::Progress;
use expectation::Expectation;
use run::{Done, run};

/// Each worker's stack: deeply nested formulas are walked recursively.
const STACK: usize = 64 << 20;

/// Models by the name that rows use, each loaded once; those that cannot be, with the reason.
type Models = BTreeMap<String, Result<Model, String>>;

/// The command `suite`. Exit code 0 only if no answer is wrong; what is unsupported or unknown is counted and shown.
pub fn suite(arguments: &arguments::Suite) -> Result<Exit, Failure> {
    on_ctrl_c();
    let _guard = Guard::start(arguments.limits, None)?;
    let start = Instant::now();
    let expectations = expectation::collect(arguments)?;
    if expectations.is_empty() {
        return Err(Failure::Message("there is no test to run".into()));
    }
    let models = load_models(arguments, &expectations)?;
    let done = run_all(arguments, &expectations, &models)?;
    let herd: String = done.iter().filter_map(|done| done.herd.as_deref()).collect();
    let suite = Suite {
        rows: done.into_iter().map(|done| done.row).collect(),
        wall_seconds: start.elapsed().as_secs_f64(),
        interrupted: is_interrupted().then(|| "interrupted".to_string()),
    };
    let output = match arguments.format {
        SuiteFormat::Text => text(&suite),
        SuiteFormat::Json => json(&suite),
        SuiteFormat::Junit => junit(&suite),
        SuiteFormat::Herd => herd,
    };
    write(arguments.output.as_deref(), &output)?;
    Ok(match suite.count(Grade::Wrong) {
        _ if suite.interrupted.is_some() => Exit::Unknown,
        0 => Exit::Validated,
        _ => Exit::Refuted,
    })
}

/// Loads each model that a row needs. A model that the user gave must load; one that a row names and that is not there
/// makes the row unsupported.
fn load_models(arguments: &arguments::Suite, expectations: &[Expectation]) -> Result<Models, Failure> {
    let mut loaded = Models::new();
    if let Some(name) = &arguments.model {
        loaded.insert(models::display_name(name).to_string(), Ok(models::find(name)?));
    }
    for expectation in expectations {
        let Some(name) = &expectation.model else { continue };
        if !loaded.contains_key(name) {
            let model = models::find(name).map_err(|failure| failure.summary());
            loaded.insert(name.clone(), model);
        }
    }
    for language in ["X86", "C"] {
        let name = models::default_name(language)?;
        if !loaded.contains_key(name) && expectations.iter().any(|expectation| expectation.model.is_none()) {
            loaded.insert(name.to_string(), models::find(name).map_err(|failure| failure.summary()));
        }
    }
    Ok(loaded)
}

/// Runs all tests, as many at a time as asked for; results in the order of the expectations.
fn run_all(arguments: &arguments::Suite, expectations: &[Expectation], models: &Models) -> Result<Vec<Done>, Failure> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = arguments.jobs.unwrap_or(processors).clamp(1, expectations.len());
    let results: Mutex<Vec<Option<Done>>> = Mutex::new(expectations.iter().map(|_| None).collect());
    let (next, finished) = (AtomicUsize::new(0), AtomicU64::new(0));
    let progress = Progress::new(Some(expectations.len() as u64), "tests");
    run::keep_panics_quiet();
    let work = || {
        while let Some((index, expectation)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|index| expectations.get(index).map(|e| (index, e)))
        {
            if is_interrupted() {
                break;
            }
            let done = run(arguments, expectation, models);
            results.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(done);
            progress.at(finished.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            worker.map_err(|error| Failure::Message(format!("a thread cannot be started: {error}")))?;
        }
        Ok::<(), Failure>(())
    })?;
    Ok(results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect())
}
