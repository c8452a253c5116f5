//! `check` and `outcomes` with the operational engine: the program runs on a machine.

use std::path::Path;
use std::time::Instant;

use operational::{Assertions, Explored, Failure as Wrong, FailureKind, Limits, Machine, Options, Reduction, schedule};
use program::Verified;
use report::{Answer, Property};

use crate::answer::{Task, Wanted, with_reason};
use crate::arguments::{self, Asked, CSource};
use crate::failure::{Exit, Failure, show, write};
use crate::input::{self, Ask};
use crate::java;
use crate::limits::{Guard, Watch, watched};
use crate::progress::with_spinner;

/// The engine's name in answers.
const ENGINE: &str = "operational";
/// The reduction of every search.
const REDUCTION: Reduction = Reduction::Persistent;

/// The answer for one file, printed, with its exit code.
pub fn answer(asked: &Asked, path: &Path, task: Task) -> Result<(String, Exit), Failure> {
    let start = Instant::now();
    let file = input::name(path);
    refuse_other_options(asked, path)?;
    let ask = Ask { exists: asked.exists.as_deref(), property: asked.question.map(Property::from), c: Some(&asked.c) };
    let property = ask.property.unwrap_or_default();
    let mut program = program(path, ask)?;
    if task.wanted == Wanted::States {
        program = input::ask_for_states(program)?;
    }
    let machine = machine(asked.model.as_deref(), &program)?;
    let all_states = task.wanted != Wanted::Verdict && program.question.is_some();
    let _guard = Guard::start(asked.limits, None)?;
    let answered = watched(|watch| {
        let options = Options {
            limits: bounded(limits(asked.limits, watch), asked.depth),
            assertions: match property {
                Property::Always => Assertions::Always,
                Property::Possible => Assertions::Possible,
            },
            explain: task.explain && all_states,
            reduction: REDUCTION,
        };
        let answered = with_spinner(|| match all_states {
            true => operational::outcomes(&program, machine, &options),
            false => operational::check(&program, machine, &options),
        });
        answered.map(|mut answered| {
            answered.outcome = with_reason(answered.outcome, watch);
            answered
        })
    });
    let mut answered = answered.map_err(|unsupported| Failure::unsupported(&program, unsupported))?;
    answered.outcome.failure = answered.failure.as_ref().map(|wrong| failure(&program, wrong));
    answered.outcome.schedule = answered.schedule.as_ref().map(|found| schedule::print(found, machine, REDUCTION));
    write_schedule(asked, machine, &answered)?;
    let outcome = &answered.outcome;
    let answer =
        Answer { file: &file, program: &program, model: machine.name(), engine: ENGINE, property, test: None, outcome };
    let mut text = (task.print)(&answer, start.elapsed().as_secs_f64());
    if task.is_text {
        text.push_str(&explored(&answered.explored));
    }
    Ok((text, (task.exit)(&answer)))
}

/// Refuses options that are for other engines.
pub fn refuse_other_options(asked: &Asked, path: &Path) -> Result<(), Failure> {
    if asked.c.test.is_some() {
        return Err(Failure::file(path, "bounded tests (--test) are for the axiomatic engine"));
    }
    if asked.executions.is_some() {
        return Err(Failure::Message("--executions is for the axiomatic engine".into()));
    }
    if asked.schedule.is_some() && asked.files.len() > 1 {
        return Err(Failure::Message("--schedule is for one file".into()));
    }
    Ok(())
}

/// Reads a program to be run. Java classes with `main` are run as a whole.
pub fn program(path: &Path, ask: Ask) -> Result<Verified, Failure> {
    if !input::is_java(path) {
        return input::program(path, ask);
    }
    if ask.exists.is_some() {
        return Err(Failure::file(path, "--exists is for litmus tests: a Java program is asked about its assertions"));
    }
    let parsed = java::run_program(path)?;
    if !parsed.warnings.is_empty() {
        let sources = parsed.program.sources.clone();
        show(&program::Diagnostics { sources, messages: parsed.warnings });
    }
    input::verified(parsed.program)
}

/// The same for commands that ask nothing about assertions or final states.
pub fn program_of(path: &Path, c: &CSource) -> Result<Verified, Failure> {
    if c.test.is_some() {
        return Err(Failure::file(path, "bounded tests (--test) are for `check`"));
    }
    program(path, Ask { c: Some(c), ..Ask::default() })
}

/// The machine that is meant.
pub fn machine(name: Option<&str>, program: &Verified) -> Result<Machine, Failure> {
    let Some(name) = name else {
        return Ok(if program.language == "X86" { Machine::Tso } else { Machine::Sc });
    };
    Machine::named(name).ok_or_else(|| {
        let all: Vec<&str> = Machine::ALL.iter().map(|machine| machine.name()).collect();
        Failure::Message(format!("`{name}` is no machine of the operational engine; these are: {}", all.join(", ")))
    })
}

/// What a search may spend: it ends when the watch says so.
pub fn limits(given: arguments::Limits, watch: &Watch) -> Limits {
    let limits = Limits { interrupt: watch.interrupt.clone(), ..Limits::default() };
    match given.memory {
        Some(megabytes) => Limits { bytes: megabytes.saturating_mul(1 << 20), ..limits },
        None => limits,
    }
}

fn bounded(limits: Limits, depth: Option<usize>) -> Limits {
    Limits { depth: depth.unwrap_or(limits.depth), ..limits }
}

fn write_schedule(asked: &Asked, machine: Machine, answered: &operational::Answer) -> Result<(), Failure> {
    let Some(path) = &asked.schedule else { return Ok(()) };
    match &answered.schedule {
        Some(found) => write(Some(path), &schedule::print(found, machine, REDUCTION)),
        None => {
            eprintln!("no schedule was written: no execution as asked was found");
            Ok(())
        }
    }
}

/// What goes wrong, as reports say it.
pub fn failure(program: &Verified, wrong: &Wrong) -> program::Failure {
    let kind = match wrong.kind {
        FailureKind::Assertion => program::FailureKind::Assertion,
        FailureKind::Error => program::FailureKind::Error,
        FailureKind::Deadlock => program::FailureKind::Deadlock,
        FailureKind::LostWakeup => program::FailureKind::LostWakeup,
    };
    let at = |span: Option<program::Span>| span.map(|span| program.sources.location(span));
    let waiting = wrong.waiting.iter().map(|waiting| program::WaitingThread {
        thread: waiting.thread.clone(),
        what: waiting.what.clone(),
        location: at(waiting.span),
    });
    let thread = Some(&wrong.thread).filter(|thread| !thread.is_empty()).cloned();
    let waiting = waiting.collect();
    program::Failure { thread, waiting, ..program::Failure::new(kind, wrong.message.clone(), at(wrong.span)) }
}

fn explored(explored: &Explored) -> String {
    let passes = match explored.passes {
        0 => String::new(),
        _ => format!("; {} writes known", explored.writes),
    };
    let Explored { states, steps, instructions, .. } = explored;
    format!("\nExplored: {states} states, {steps} steps, {instructions} instructions{passes}.\n")
}
