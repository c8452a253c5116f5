//! C programs: a file with what it includes, as a whole program or as a bounded test of its operations.

use std::collections::BTreeSet;
use std::path::Path;

use axiomatic::whole::{self, Checked};
use axiomatic::{Model, Options, Specification, consistency};
use frontend::c::{self, Unit};
use operational::Limits;
use operational::serial::{Mined, observations};
use program::{
    BlockId, Diagnostics, Failure as Wrong, FailureKind, FunctionId, Observation, Outcome, Program, Unsupported,
    Verdict, Verified,
};

use crate::arguments::{Bounds, CSource};
use crate::failure::Failure;
use crate::input::{read, verified};
use crate::limits::Watch;

/// The name of the figure that counts what serial executions show.
pub const SERIAL_OBSERVATIONS: &str = "serial observations";

/// Reads a C file and what it includes: from its own folder, then from those on the command line.
pub fn unit(path: &Path, source: &CSource) -> Result<Unit, Failure> {
    unit_by(path, source, c::load)
}

/// The same with the places marked where a statement could be put in.
pub fn unit_with_places(path: &Path, source: &CSource) -> Result<Unit, Failure> {
    unit_by(path, source, c::load_with_places)
}

type Load = fn(&str, &str, &mut c::preprocess::Include, &[(String, String)]) -> Result<Unit, Diagnostics>;

fn unit_by(path: &Path, source: &CSource, load: Load) -> Result<Unit, Failure> {
    if source.tearing {
        return Err(Failure::file(path, "--tearing is for Java programs"));
    }
    let text = read(path)?;
    let mut include = |name: &str, from: &str| {
        let beside = Path::new(from).parent().unwrap_or(Path::new("")).to_path_buf();
        let folders = std::iter::once(&beside).chain(&source.include);
        let found = folders.map(|folder| folder.join(name)).find(|path| path.is_file())?;
        Some((found.display().to_string(), read(&found).ok()?.text))
    };
    Ok(load(&text.name, &text.text, &mut include, &defines(&source.define))?)
}

/// `NAME` or `NAME=VALUE`, as for a C compiler.
fn defines(given: &[String]) -> Vec<(String, String)> {
    let split = |text: &String| match text.split_once('=') {
        Some((name, value)) => (name.to_string(), value.to_string()),
        None => (text.clone(), "1".to_string()),
    };
    given.iter().map(split).collect()
}

/// A bounded test, and what it is checked against.
pub struct Test {
    /// The test.
    pub program: Verified,
    /// The same operations of a reference implementation.
    pub reference: Option<Verified>,
}

impl Test {
    /// Reads a test of the operations of a file.
    pub fn read(path: &Path, notation: &str, source: &CSource) -> Result<Test, Failure> {
        let program = verified(unit(path, source)?.test(notation)?)?;
        let reference = source.reference.as_ref().map(|path| test_of(path, notation, source)).transpose()?;
        Ok(Test { program, reference })
    }
}

fn test_of(path: &Path, notation: &str, source: &CSource) -> Result<Verified, Failure> {
    verified(unit(path, source)?.test(notation)?)
}

/// The whole program of a file.
pub fn program(path: &Path, source: &CSource) -> Result<Program, Failure> {
    Ok(unit(path, source)?.program()?)
}

/// Checks a bounded test: runs its operations serially, and looks for an execution that shows something else.
pub fn check(
    test: &Test,
    model: &Model,
    bounds: Bounds,
    options: &Options,
    watch: &Watch,
) -> Result<Outcome, Unsupported> {
    match expected(test, bounds, watch)? {
        Ok(expected) => consistent(&test.program, model, &expected, bounds, options),
        Err(outcome) => Ok(*outcome),
    }
}

/// What a bounded test may show.
pub struct Expected {
    /// What the serial executions of the reference show, or those of the test itself.
    pub observations: BTreeSet<Observation>,
    /// The most rounds that each loop of the test went in them.
    pub rounds: Vec<(FunctionId, BlockId, u32)>,
}

/// Runs the operations of a test serially. An inner error is the answer, if already that goes wrong.
pub fn expected(test: &Test, bounds: Bounds, watch: &Watch) -> Result<Result<Expected, Box<Outcome>>, Unsupported> {
    let stretch = bounds.max_instructions;
    let limits = Limits { interrupt: watch.interrupt.clone(), stretch, ..Limits::default() };
    let mined = observations(&test.program, &limits)?;
    if let Some(outcome) = serial_trouble(&test.program, &mined) {
        return Ok(Err(Box::new(outcome)));
    }
    let rounds = mined.rounds;
    let Some(reference) = &test.reference else {
        return Ok(Ok(Expected { observations: mined.observations, rounds }));
    };
    let mined = observations(reference, &limits)?;
    match serial_trouble(reference, &mined) {
        Some(outcome) => Ok(Err(Box::new(outcome))),
        None => Ok(Ok(Expected { observations: mined.observations, rounds })),
    }
}

/// Checks the program that starts at `main`.
pub fn check_whole(
    program: &Verified,
    model: &Model,
    bounds: Bounds,
    options: &Options,
) -> Result<Checked, Unsupported> {
    whole::check(program, model, bounds.max_iterations, options, &mut |_| {})
}

/// Looks for an execution that shows none of these.
pub fn consistent(
    program: &Verified,
    model: &Model,
    Expected { observations: expected, rounds }: &Expected,
    bounds: Bounds,
    options: &Options,
) -> Result<Outcome, Unsupported> {
    let most_rounds = bounds.max_iterations;
    let specification = Specification { observations: Some(expected), rounds, most_rounds };
    let mut outcome = consistency(program, model, &specification, options, &mut |_| {})?;
    outcome.statistics.figures.push((SERIAL_OBSERVATIONS.into(), expected.len() as u64));
    Ok(outcome)
}

/// The answer, if already serial executions go wrong or could not all be run.
pub fn serial_trouble(program: &Program, mined: &Mined) -> Option<Outcome> {
    if let Some(failure) = &mined.failure {
        let schedule: Vec<String> = failure.schedule.iter().map(|(_, name)| name.to_string()).collect();
        let message = format!("{} (already when run serially: {})", failure.message, schedule.join(", "));
        let location = failure.span.map(|span| program.sources.location(span));
        let failure = Some(Wrong::new(FailureKind::Error, message, location));
        return Some(Outcome { verdict: Verdict::Violated, failure, ..Outcome::default() });
    }
    let reason = mined.incomplete.clone()?;
    let reason = format!("the serial executions could not all be run: {reason}");
    Some(Outcome { verdict: Verdict::Unknown(reason), ..Outcome::default() })
}
