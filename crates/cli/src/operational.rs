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
            limits: limits(asked.limits, watch),
            assertions: match property {
                Property::Always => Assertions::Always,
                Property::Possible => Assertions::Possible,
            },
            explain: task.explain && all_states,
            ..Options::default()
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
    write_schedule(asked, machine, &answered)?;
    let outcome = &answered.outcome;
    let answer =
        Answer { file: &file, program: &program, model: machine.name(), engine: ENGINE, property, test: None, outcome };
    let mut text = (task.print)(&answer, start.elapsed().as_secs_f64());
    if task.is_text {
        text.push_str(&answered.failure.as_ref().map_or(String::new(), |wrong| words(&program, wrong)));
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

fn write_schedule(asked: &Asked, machine: Machine, answered: &operational::Answer) -> Result<(), Failure> {
    let Some(path) = &asked.schedule else { return Ok(()) };
    match &answered.schedule {
        Some(found) => write(Some(path), &schedule::print(found, machine, Reduction::default())),
        None => {
            eprintln!("no schedule was written: {}", no_schedule(machine, answered));
            Ok(())
        }
    }
}

fn no_schedule(machine: Machine, answered: &operational::Answer) -> &'static str {
    match (machine, &answered.outcome.verdict) {
        (Machine::JmmOver, _) if answered.explored.found => "executions of jmm_over cannot be run step by step",
        _ => "no execution as asked was found",
    }
}

/// What goes wrong, as answers show it.
pub fn failure(program: &Verified, wrong: &Wrong) -> program::Failure {
    let kind = match wrong.kind {
        FailureKind::Assertion => program::FailureKind::Assertion,
        FailureKind::Error => program::FailureKind::Error,
        FailureKind::Deadlock | FailureKind::LostWakeup => program::FailureKind::Deadlock,
    };
    let location = wrong.span.map(|span| program.sources.location(span));
    program::Failure { kind, message: wrong.message.clone(), location }
}

/// What goes wrong, in words.
pub fn words(program: &Verified, wrong: &Wrong) -> String {
    let place = |span: Option<program::Span>| {
        span.map_or(String::new(), |span| format!("{}: ", program.sources.location(span)))
    };
    let what = match wrong.kind {
        FailureKind::Assertion => "An assertion fails",
        FailureKind::Error => "An error",
        FailureKind::Deadlock => "A deadlock",
        FailureKind::LostWakeup => "A lost wake-up",
    };
    let who = if wrong.thread.is_empty() { String::new() } else { format!(" in {}", wrong.thread) };
    let mut text = format!("\n{what}{who}: {}{}\n", place(wrong.span), wrong.message);
    for waiting in &wrong.waiting {
        text.push_str(&format!(
            "  {} waits for {} ({})\n",
            waiting.thread,
            waiting.what,
            place(waiting.span).trim_end_matches(": ")
        ));
    }
    text
}

fn explored(explored: &Explored) -> String {
    let passes = match explored.passes {
        0 => String::new(),
        _ => format!("; {} writes known", explored.writes),
    };
    let Explored { states, steps, instructions, .. } = explored;
    format!("\nExplored: {states} states, {steps} steps, {instructions} instructions{passes}.\n")
}
