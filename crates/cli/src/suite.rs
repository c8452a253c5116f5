//! The command `suite`: many tests in parallel, each compared with what is expected of it.
//!
//! [`expectation`] says which tests to run and what is expected, [`mod@run`] answers one of them.

pub mod expectation;
mod run;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use report::suite::{Grade, Suite, json, junit, text};

use crate::arguments::{self, SuiteFormat};
use crate::engines::DEFAULT_MODELS;
use crate::failure::{Exit, Failure, write};
use crate::limits::{Guard, is_interrupted, on_ctrl_c};
use crate::{models, parallel};
use expectation::Expectation;
use models::NamedModel;
use run::{Done, run};

/// Models by the name that expectations use, each loaded once; those that cannot be, with the reason.
type Models = BTreeMap<String, Result<NamedModel, String>>;

/// The command `suite`. Exit code 0 only if no answer is wrong; what is unsupported or unknown is counted and shown.
pub fn suite(arguments: &arguments::Suite) -> Result<Exit, Failure> {
    on_ctrl_c();
    let _guard = Guard::start(arguments.limits, None)?;
    let start = Instant::now();
    let own = arguments.model.as_ref().map(|name| models::find(name, &arguments.include)).transpose()?;
    let expectations = expectation::collect(arguments, own.as_ref().map(|found| found.expected.as_str()))?;
    if expectations.is_empty() {
        return Err(Failure::Message("there is no test to run".into()));
    }
    let models = load_models(own, &expectations, &arguments.include)?;
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
fn load_models(own: Option<NamedModel>, expectations: &[Expectation], folders: &[PathBuf]) -> Result<Models, Failure> {
    let find = |name: &str| models::find_shipped_first(name, folders).map_err(|failure| failure.summary());
    let mut loaded = Models::new();
    if let Some(found) = own {
        loaded.insert(found.expected.clone(), Ok(found));
    }
    for expectation in expectations {
        let Some(name) = &expectation.model else { continue };
        if !loaded.contains_key(name) {
            loaded.insert(name.clone(), find(name));
        }
    }
    for (_, name) in DEFAULT_MODELS {
        if !loaded.contains_key(*name) && expectations.iter().any(|expectation| expectation.model.is_none()) {
            loaded.insert(name.to_string(), find(name));
        }
    }
    Ok(loaded)
}

/// Runs all tests, as many at a time as asked for; results in the order of the expectations.
fn run_all(arguments: &arguments::Suite, expectations: &[Expectation], models: &Models) -> Result<Vec<Done>, Failure> {
    run::keep_panics_quiet();
    let work = |expectation: &Expectation| run(arguments, expectation, models);
    Ok(parallel::map(expectations, arguments.jobs, "tests", work)?.into_iter().flatten().collect())
}
