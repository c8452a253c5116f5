//! Answering one test of a suite and comparing the answer with what is expected.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use cpu_time::ProcessTime;
use input::models::{self, NamedModel};
use palisade::orders::where_they_count;
use palisade::suite::grade::{Known, Missing};
use palisade::suite::row::Expectation;
use palisade::suite::{Expected, How};
use palisade::{Bounds, Engine, Mcr, Model, Options, Request, Task, Wanted};
use program::{Outcome, Verdict};
use report::herd;
use report::suite::{Grade, Row};
use serde_json::{Value as Json, json};

use crate::answer::with_reason;
use crate::arguments::{self, CSource, Limits, SuiteFormat};
use crate::failure::Failure;
use crate::limits::{Guard, watched};

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
        json!({ "answered": self.row.answered_to_json(), "herd": self.herd })
    }

    /// What a worker answered.
    pub fn from_json(expectation: &Expectation, reply: &Json) -> Done {
        let row = row(expectation).answered(&reply["answered"]);
        Done { row, herd: reply["herd"].as_str().map(str::to_string) }
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
    engine: Engine,
    known: Known,
    outcome: Outcome,
    /// Whether torn variables were looked for, if some may tear.
    tearing: Option<bool>,
    herd: Option<String>,
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
    // This process does nothing else, and engines may use several threads.
    let start = ProcessTime::now();
    let mut row = row(expectation);
    let found = catch_unwind(AssertUnwindSafe(|| find(arguments, expectation, models, &mut row.model)));
    row.cpu_seconds = start.elapsed().as_secs_f64();
    let mut herd = None;
    match found {
        Ok(Ok(found)) => {
            row.engine = Some(found.engine.name().into());
            row.warnings = found.outcome.warnings;
            row.tearing = found.tearing;
            (row.answer, row.grade) = found.known.compared(expectation.answer.as_ref());
            if let Verdict::Unknown(reason) = found.outcome.verdict {
                row.reason = Some(reason);
            }
            herd = found.herd;
        }
        Ok(Err(missing)) => {
            let (answer, grade, reason) = missing.compared(expectation.answer.as_ref());
            (row.answer, row.grade, row.reason) = (answer, grade, Some(reason));
        }
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
        number: 0,
        file: expectation.shown.clone(),
        model: expectation.model.clone().unwrap_or_else(|| "-".into()),
        options: expectation.how.text(),
        engine: None,
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
    let (answer, grade) = Known::nothing(reason.clone()).compared(expectation.answer.as_ref());
    Done { row: Row { answer, grade, reason: Some(reason), ..row(expectation) }, herd: None }
}

/// Answers a row, and says under which model as soon as that is known.
fn find(
    arguments: &arguments::Suite,
    expectation: &Expectation,
    models: &mut Models<'_>,
    shown_model: &mut String,
) -> Result<Found, Missing> {
    let rejected = |failure: Failure| missing(&failure);
    let how = &expectation.how;
    let _guard = how.timeout.map(|timeout| Guard::start(Limits { timeout: Some(timeout), memory: None }));
    let task = input::quiet_task(&expectation.path, expectation.property, &source(expectation)).map_err(rejected)?;
    let name = match &expectation.model {
        Some(name) => name.clone(),
        None => Model::of(task.language()).map_err(|refusal| missing(&refusal.into()))?.name().to_string(),
    };
    shown_model.clone_from(&name);
    let model = &models.get(&name).map_err(|reason| Missing::Unsupported(reason.clone()))?.model;
    shown_model.replace_range(.., model.name());
    let is_herd = arguments.format == SuiteFormat::Herd;
    let wants_states = is_herd && task.program().question.is_some();
    let answered = watched(|watch| {
        let options = Options {
            wanted: if wants_states { Wanted::VerdictAndStates } else { Wanted::Verdict },
            explain: is_herd,
            flags: is_herd,
            memory_orders: where_they_count(model, task.language(), how.memory_orders),
            unroll: how.unroll.unwrap_or(Options::default().unroll),
            bounds: Bounds { max_iterations: arguments.max_iterations, ..Bounds::default() },
            // Other rows are worked on at the same time.
            mcr: Mcr { jobs: Some(1), ..Mcr::default() },
            limits: watch.limits(arguments.limits),
            ..Options::default()
        };
        let request = Request { task: &task, model, engine: engine(how, &task, model), options };
        request.answer().map(|answer| with_reason(answer, watch))
    });
    let answer = answered.map_err(|refusal| missing(&refusal.into()))?;
    let herd = is_herd.then(|| herd::answer_of_model(&answer.shown(&expectation.shown), 0.0));
    let (known, tearing) = (Known::of(&answer), answer.program.looks_for_tearing());
    Ok(Found { engine: answer.engine, known, herd, tearing, outcome: answer.outcome })
}

/// How the file of a row is read.
fn source(expectation: &Expectation) -> CSource {
    let How { test, reference, defines, tearing, .. } = &expectation.how;
    let folder = expectation.path.parent().unwrap_or(Path::new(""));
    CSource {
        test: test.clone(),
        reference: reference.as_ref().map(|file| folder.join(file)),
        define: defines.clone(),
        tearing: *tearing,
        ..CSource::default()
    }
}

/// Who is to answer a row. Litmus tests are small, and the solver has all of their models but those of machines.
fn engine(how: &How, task: &Task, model: &Model) -> Engine {
    match (how.engine, task) {
        (Some(engine), _) => engine,
        (None, Task::Litmus(..)) if Engine::Axiomatic.has(model) => Engine::Axiomatic,
        (None, _) => Engine::Auto,
    }
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
