//! The command `compare`: which programs tell two memory models apart.
//!
//! What that means for litmus tests, programs and bounded tests says [`palisade::compare`].

use std::path::PathBuf;
use std::time::Duration;

use input::{c, files, is_c, is_java, models};
use palisade::suite::row::{path_from_json, path_to_json};
use palisade::{Model, Options, Property};
use report::compare::{self, Comparison, Difference, Row};
use serde_json::{Value as Json, json};

use crate::answer::refuse_executions;
use crate::arguments::{CSource, Compare, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::limits::{Guard, INTERRUPTION, Limits, is_interrupted, watched};
use crate::suite::collect;
use crate::supervise::units::{self, Reply};

/// Both models.
type Pair = [Model; 2];

/// How long a program is looked at unless it is said.
const USUAL_TIMEOUT: Duration = Duration::from_secs(10);

/// What is compared: a file, or a bounded test of it.
struct Subject {
    path: PathBuf,
    test: Option<String>,
}

impl Subject {
    fn name(&self) -> String {
        let file = files::name(&self.path);
        self.test.as_ref().map_or_else(|| file.clone(), |test| format!("{file} {test}"))
    }

    fn to_json(&self) -> Json {
        json!([path_to_json(&self.path), self.test])
    }

    fn from_json(unit: &Json) -> Option<Subject> {
        let path = path_from_json(unit.get(0)?)?;
        Some(Subject { path, test: unit[1].as_str().map(str::to_string) })
    }
}

/// All that is to be compared: C files once for each test, if there are tests.
fn subjects(arguments: &Compare) -> Result<Vec<Subject>, Failure> {
    let mut subjects = Vec::new();
    let tests = c::all_named(&arguments.tests)?;
    for path in collect::files(&arguments.files, !arguments.tests.is_empty())? {
        if arguments.tests.is_empty() || !is_c(&path) {
            subjects.push(Subject { path, test: None });
        } else {
            let tests = tests.iter().cloned().map(Some);
            subjects.extend(tests.map(|test| Subject { path: path.clone(), test }));
        }
    }
    Ok(subjects)
}

/// The limits on each program.
fn limits(arguments: &Compare) -> Limits {
    Limits { timeout: arguments.limits.timeout.or(Some(USUAL_TIMEOUT)), ..arguments.limits }
}

/// The command `compare`. Exit code 0 if no program tells the models apart, 1 if one does; 3 if it was interrupted.
pub fn compare(arguments: &Compare) -> Result<Exit, Failure> {
    let subjects = subjects(arguments)?;
    if subjects.is_empty() {
        return Err(Failure::Message("there is no program to compare with".into()));
    }
    let models = shown_models(arguments)?;
    let units: Vec<Json> = subjects.iter().map(Subject::to_json).collect();
    let replies = units::map(&units, arguments.jobs, limits(arguments), "programs")?;
    let (mut rows, mut exit) = (Vec::new(), Exit::Validated);
    for (subject, reply) in subjects.iter().zip(replies) {
        let (row, own) = match reply {
            None => continue,
            Some(Reply::Done(reply)) => {
                read(&reply).unwrap_or_else(|| (unknown(subject, "no answer", &models), Exit::Unknown))
            }
            Some(Reply::Stopped(reason)) => (unknown(subject, &reason, &models), Exit::Unknown),
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

fn unknown(subject: &Subject, reason: &str, models: &[String; 2]) -> Row {
    Row::unknown(&subject.name(), reason, models)
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
    let _guard = Guard::start(limits(arguments))?;
    let mut loaded: Option<Result<Pair, Failure>> = None;
    units::serve(|unit| {
        let pair = match loaded.get_or_insert_with(|| pair(arguments)) {
            Ok(pair) => pair,
            Err(failure) => return json!(failure.rendered()),
        };
        let models = [pair[0].name().to_string(), pair[1].name().to_string()];
        let Some(subject) = Subject::from_json(unit) else { return json!(models) };
        let result = difference(arguments, &subject, pair);
        let failure = result.as_ref().err().map(Failure::rendered);
        let row = Row::new(&subject.name(), &result.map_err(|failure| failure.summary()), &models);
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
fn difference(arguments: &Compare, subject: &Subject, pair: &Pair) -> Result<Difference, Failure> {
    let Compare { reference, define, include, .. } = arguments;
    let source = CSource {
        test: subject.test.clone(),
        reference: reference.clone().filter(|_| subject.test.is_some()),
        define: define.clone(),
        include: include.clone(),
        tearing: arguments.tearing && is_java(&subject.path),
        ..CSource::default()
    };
    let task = input::quiet_task(&subject.path, Property::default(), &source)?;
    let (found, reason) = watched(|watch| {
        let options = Options {
            unroll: arguments.unroll,
            executions: arguments.executions,
            memory_orders: arguments.memory_orders.map(Into::into),
            limits: watch.limits(limits(arguments)),
            ..Options::default()
        };
        (palisade::compare::difference(&task, [&pair[0], &pair[1]], &options), watch.reason())
    });
    let found = found?;
    Ok(Difference { incomplete: found.incomplete.map(|own| reason.unwrap_or(own)), ..found })
}
