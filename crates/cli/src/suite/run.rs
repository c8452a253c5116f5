//! Answering one test of a suite and comparing the answer with what is expected.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cpu_time::ThreadTime;
use palisade::orders::where_they_count;
use palisade::{Bounds, Engine, Model, Options, Request, Wanted};
use program::{Outcome, Verdict};
use report::answer::verdict_word;
use report::suite::{Grade, Row};
use report::{Claim, herd};
use serde_json::{Value as Json, json};

use super::expectation::{Expectation, Expected};
use crate::answer::with_reason;
use crate::arguments::{self, CSource, SuiteFormat};
use crate::failure::Failure;
use crate::input;
use crate::java::is_java;
use crate::limits::watched;
use crate::models::{self, NamedModel};

/// A finished test.
pub struct Done {
    /// Its row.
    pub row: Row,
    /// What herd7 would print, if asked for.
    pub herd: Option<String>,
}

impl Done {
    /// As a worker answers.
    pub fn to_json(&self) -> Json {
        let Row { model, answer, grade, reason, warnings, tearing, cpu_seconds, .. } = &self.row;
        let herd = &self.herd;
        json!({
            "model": model, "answer": answer, "grade": grade.word(), "reason": reason, "warnings": warnings,
            "tearing": tearing, "cpu": cpu_seconds, "herd": herd,
        })
    }

    /// What a worker answered.
    pub fn from_json(expectation: &Expectation, reply: &Json) -> Done {
        let word = |key: &str| reply[key].as_str().map(str::to_string);
        let mut row = row(expectation);
        row.model = word("model").unwrap_or(row.model);
        row.answer = word("answer").unwrap_or(row.answer);
        row.grade = word("grade").and_then(|word| Grade::named(&word)).unwrap_or(row.grade);
        row.reason = word("reason");
        let warnings = reply["warnings"].as_array().into_iter().flatten();
        row.warnings = warnings.filter_map(|warning| warning.as_str().map(str::to_string)).collect();
        row.tearing = reply["tearing"].as_bool();
        row.cpu_seconds = reply["cpu"].as_f64().unwrap_or_default();
        Done { row, herd: word("herd") }
    }
}

/// Models by the name that expectations use, each loaded once; those that cannot be, with the reason.
pub struct Models<'a> {
    arguments: &'a arguments::Suite,
    loaded: BTreeMap<String, Result<NamedModel, String>>,
}

impl Models<'_> {
    /// None are loaded yet.
    pub fn new(arguments: &arguments::Suite) -> Models<'_> {
        Models { arguments, loaded: BTreeMap::new() }
    }

    /// Loads the model that the user gave; the name under which answers are expected of it.
    pub fn given(&mut self) -> Result<Option<String>, Failure> {
        let Some(name) = &self.arguments.model else { return Ok(None) };
        let found = models::find(name, &self.arguments.include)?;
        let expected = found.expected.clone();
        self.loaded.insert(expected.clone(), Ok(found));
        Ok(Some(expected))
    }

    fn get(&mut self, name: &str) -> Result<&NamedModel, &String> {
        if self.loaded.is_empty() {
            // That it cannot be loaded was said before the tests were begun.
            let _ = self.given();
        }
        let folders = &self.arguments.include;
        let find = || models::find_shipped_first(name, folders).map_err(|failure| failure.summary());
        self.loaded.entry(name.to_string()).or_insert_with(find).as_ref()
    }
}

/// What came of a test, before it is compared.
struct Found {
    model: String,
    claim: Claim,
    outcome: Outcome,
    /// Whether torn variables were looked for, if some may tear.
    tearing: Option<bool>,
    herd: Option<String>,
}

/// Why there is no answer.
enum Missing {
    /// Something is not modelled.
    Unsupported(String),
    /// The input was rejected.
    Rejected(String),
}

thread_local! {
    /// What the last panic of this thread said.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic in a test is reported in the test's row, not on the terminal.
pub fn keep_panics_quiet() {
    std::panic::set_hook(Box::new(|panic| {
        PANIC.with(|slot| *slot.borrow_mut() = Some(panic.to_string().replace('\n', " ")));
    }));
}

/// Runs one test. A panic counts as a wrong answer.
pub fn run(arguments: &arguments::Suite, expectation: &Expectation, models: &mut Models<'_>) -> Done {
    let start = ThreadTime::now();
    let found = catch_unwind(AssertUnwindSafe(|| find(arguments, expectation, models)));
    let cpu_seconds = start.elapsed().as_secs_f64();
    let mut row = Row { cpu_seconds, ..row(expectation) };
    let mut herd = None;
    match found {
        Ok(Ok(found)) => {
            row.model = found.model;
            row.warnings = found.outcome.warnings;
            row.tearing = found.tearing;
            (row.answer, row.grade) = compare(expectation.answer.as_ref(), found.claim, &found.outcome.verdict);
            if let Verdict::Unknown(reason) = found.outcome.verdict {
                row.reason = Some(reason);
            }
            herd = found.herd;
        }
        Ok(Err(missing)) => (row.answer, row.grade, row.reason) = reject(expectation.answer.as_ref(), missing),
        Err(_) => {
            let message = PANIC.with(|slot| slot.borrow_mut().take()).unwrap_or_else(|| "panicked".into());
            (row.answer, row.reason) = ("panic".into(), Some(message));
        }
    }
    Done { row, herd }
}

/// The row of a test that has no answer yet.
fn row(expectation: &Expectation) -> Row {
    Row {
        file: expectation.shown.clone(),
        model: expectation.model.clone().unwrap_or_else(|| "-".into()),
        expected: expectation.answer.as_ref().map(Expected::text),
        answer: "-".into(),
        grade: Grade::Wrong,
        reason: None,
        warnings: Vec::new(),
        tearing: None,
        cpu_seconds: 0.0,
    }
}

/// A test whose process was ended for a reason.
pub fn unanswered(expectation: &Expectation, reason: String) -> Done {
    let verdict = Verdict::Unknown(reason.clone());
    let (answer, grade) = compare(expectation.answer.as_ref(), Claim::Undecided, &verdict);
    Done { row: Row { answer, grade, reason: Some(reason), ..row(expectation) }, herd: None }
}

fn find(arguments: &arguments::Suite, expectation: &Expectation, models: &mut Models<'_>) -> Result<Found, Missing> {
    let rejected = |failure: Failure| missing(&failure);
    let tearing = expectation.tearing || arguments.tearing && is_java(&expectation.path);
    let source = CSource { tearing, ..CSource::default() };
    let property = expectation.property;
    let task = input::quiet_task(&expectation.path, property, &source).map_err(rejected)?;
    let name = match &expectation.model {
        Some(name) => name.clone(),
        None => Model::of(task.language()).map_err(|refusal| missing(&refusal.into()))?.name().to_string(),
    };
    let model = &models.get(&name).map_err(|reason| Missing::Unsupported(reason.clone()))?.model;
    let is_herd = arguments.format == SuiteFormat::Herd;
    let wants_states = is_herd && task.program().question.is_some();
    let answered = watched(|watch| {
        let orders = arguments.memory_orders.map(Into::into);
        let options = Options {
            wanted: if wants_states { Wanted::VerdictAndStates } else { Wanted::Verdict },
            explain: is_herd,
            flags: is_herd,
            memory_orders: where_they_count(model, task.language(), orders),
            unroll: expectation.unroll.unwrap_or(arguments.unroll),
            bounds: Bounds { max_iterations: arguments.max_iterations, ..Bounds::default() },
            limits: watch.limits(arguments.limits),
            ..Options::default()
        };
        let request = Request { task: &task, model, engine: Engine::Axiomatic, options };
        request.answer().map(|answer| with_reason(answer, watch))
    });
    let answer = answered.map_err(|refusal| missing(&refusal.into()))?;
    let shown = answer.shown(&expectation.shown);
    let (claim, herd) = (shown.claim(), is_herd.then(|| herd::answer_of_model(&shown, 0.0)));
    let tearing = answer.program.looks_for_tearing();
    Ok(Found { model: model.name().into(), claim, herd, tearing, outcome: answer.outcome })
}

/// A test that is rejected only because of what is not modelled is unsupported.
fn missing(failure: &Failure) -> Missing {
    let reason = failure.summary();
    let is_unsupported = match failure {
        Failure::Message(_) | Failure::Shown(_) => false,
        Failure::Diagnostics(diagnostics) => diagnostics
            .messages
            .iter()
            .filter(|message| message.severity == program::Severity::Error)
            .all(|message| message.is_unsupported),
    };
    if is_unsupported { Missing::Unsupported(reason) } else { Missing::Rejected(reason) }
}

/// The answer in the words of the expectation, and how the two compare.
fn compare(expected: Option<&Expected>, claim: Claim, verdict: &Verdict) -> (String, Grade) {
    let word = verdict_word(verdict).to_string();
    let is_unknown = matches!(verdict, Verdict::Unknown(_));
    let right = |is_right: bool| if is_right { Grade::Right } else { Grade::Wrong };
    match expected {
        Some(Expected::Verdict(expected)) if *expected == word => (word, Grade::Right),
        _ if is_unknown => (word, Grade::Unknown),
        None => (word, Grade::Unjudged),
        Some(Expected::Verdict(_) | Expected::Error(_)) => (word, Grade::Wrong),
        Some(Expected::Claim(expected, spelling)) => {
            let is_validated = claim == Claim::Validated;
            let is_herd = spelling.eq_ignore_ascii_case("ok") || spelling.eq_ignore_ascii_case("no");
            let word = match (is_validated, is_herd) {
                (true, true) => "Ok",
                (false, true) => "No",
                (true, false) => "pass",
                (false, false) => "fail",
            };
            (word.into(), right(is_validated == *expected))
        }
    }
}

/// The same for a test that has no answer.
fn reject(expected: Option<&Expected>, missing: Missing) -> (String, Grade, Option<String>) {
    match (expected, missing) {
        (Some(Expected::Error(part)), Missing::Unsupported(reason) | Missing::Rejected(reason)) => {
            let grade = if reason.contains(part.as_str()) { Grade::Right } else { Grade::Wrong };
            ("error".into(), grade, Some(reason))
        }
        (_, Missing::Unsupported(reason)) => ("-".into(), Grade::Unsupported, Some(reason)),
        (_, Missing::Rejected(reason)) => ("error".into(), Grade::Wrong, Some(reason)),
    }
}
