//! `check` and `outcomes` with the operational engine: the program runs on a machine.

use std::path::Path;
use std::time::Instant;

use operational::{
    Assertions, Explored, Failure as Wrong, FailureKind, Limits, Machine, Options, Reduction, Schedule, schedule,
};
use program::{Outcome, Unsupported, Verified};
use report::{Answer, Property};

use crate::answer::{Task, Wanted, offer, with_reason};
use crate::arguments::{self, Asked, CSource, Engine, MemoryOrders};
use crate::bounded;
use crate::engines;
use crate::failure::{Exit, Failure, show, write};
use crate::input::{self, Ask};
use crate::limits::{Guard, Watch, watched};
use crate::origin;
use crate::progress::with_spinner;
use crate::{java, orders, warnings};

/// The engine's name in answers.
pub const ENGINE: &str = "operational";
/// The reduction of every search.
const REDUCTION: Reduction = Reduction::Persistent;

/// What an engine that runs programs found.
pub struct Ran {
    /// The answer.
    pub outcome: Outcome,
    /// What goes wrong in the execution found, if something does.
    pub wrong: Option<Wrong>,
    /// The schedule of the execution found, and how it is to be run.
    pub schedule: Option<(Schedule, Reduction)>,
    /// What was explored, in words.
    pub explored: String,
}

/// What is asked of a program.
#[derive(Clone, Copy, Default)]
pub struct How {
    /// What, if it has no question.
    pub property: Property,
    /// Whether all final states are wanted.
    pub all_states: bool,
    /// Whether an execution of each is.
    pub explain: bool,
}

/// The answer for one file, printed, with its exit code.
pub fn answer(asked: &Asked, path: &Path, task: Task) -> Result<(String, Exit), Failure> {
    let start = Instant::now();
    let file = input::name(path);
    refuse_other_options(asked)?;
    if let Some(notation) = &asked.c.test {
        return bounded::answer(asked, path, notation, task, &bounded::Engine { name: ENGINE, run, machine });
    }
    let ask = Ask { exists: asked.exists.as_deref(), property: asked.question.map(Property::from), c: Some(&asked.c) };
    let property = ask.property.unwrap_or_default();
    let mut program = program(path, ask)?;
    if task.wanted == Wanted::States {
        program = input::ask_for_states(program)?;
    }
    let machine = machine(asked, &program)?;
    program = orders::compiled(program, machine.name(), asked.memory_orders)?;
    let all_states = task.wanted != Wanted::Verdict && program.question.is_some();
    let _guard = Guard::start(asked.limits)?;
    offer(asked, (&file, &program), None, (machine.name(), ENGINE), task);
    let how = How { property, all_states, explain: task.explain };
    let ran = watched(|watch| run(asked, &program, machine, how, watch));
    let mut ran = ran.map_err(|unsupported| Failure::unsupported(&program, unsupported))?;
    task.warn(&mut ran.outcome, warnings::on(&program, machine, asked.memory_orders));
    write_schedule(asked, (&file, &program), machine, &ran)?;
    let outcome = &ran.outcome;
    let answer =
        Answer { file: &file, program: &program, model: machine.name(), engine: ENGINE, property, test: None, outcome };
    let mut text = (task.print)(&answer, start.elapsed().as_secs_f64());
    if task.is_text {
        text.push_str(&ran.explored);
    }
    Ok((text, (task.exit)(&answer)))
}

fn run(asked: &Asked, program: &Verified, machine: Machine, how: How, watch: &Watch) -> Result<Ran, Unsupported> {
    let limits = limits(asked.limits, watch);
    let options = Options {
        limits: Limits { depth: asked.depth.unwrap_or(limits.depth), stretch: asked.bounds.max_instructions, ..limits },
        assertions: assertions(how.property),
        explain: how.explain && how.all_states,
        reduction: REDUCTION,
    };
    let answered = with_spinner(|| match how.all_states {
        true => operational::outcomes(program, machine, &options),
        false => operational::check(program, machine, &options),
    });
    let operational::Answer { outcome, failure: wrong, schedule: found, explored } = answered?;
    let outcome = Outcome {
        failure: wrong.as_ref().map(|wrong| failure(program, wrong)),
        schedule: found.as_ref().map(|found| schedule::print(found, machine, REDUCTION)),
        ..with_reason(outcome, watch)
    };
    let schedule = found.map(|found| (found, REDUCTION));
    Ok(Ran { outcome, wrong, schedule, explored: in_words(&explored) })
}

/// The same question in the engine's words.
pub fn assertions(property: Property) -> Assertions {
    match property {
        Property::Always => Assertions::Always,
        Property::Possible => Assertions::Possible,
    }
}

/// Refuses options that are for other engines.
pub fn refuse_other_options(asked: &Asked) -> Result<(), Failure> {
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
    let parsed = input::torn(java::run_program(path, java::source_path(ask.c)?)?, ask)?;
    if !parsed.warnings.is_empty() {
        let sources = parsed.program.sources.clone();
        show(&program::Diagnostics { sources, messages: parsed.warnings });
    }
    input::verified(parsed.program)
}

/// The program as a machine runs it, for commands that ask nothing about assertions or final states.
pub fn program_of(
    path: &Path,
    c: &CSource,
    machine: Machine,
    memory_orders: Option<MemoryOrders>,
) -> Result<Verified, Failure> {
    match &c.test {
        Some(notation) => {
            let test = bounded::read(path, notation, c)?;
            Ok(bounded::compiled(test, machine, memory_orders)?.1.program)
        }
        None => {
            let program = program(path, Ask { c: Some(c), ..Ask::default() })?;
            orders::compiled(program, machine.name(), memory_orders)
        }
    }
}

/// The machine that is meant.
fn machine(asked: &Asked, program: &Verified) -> Result<Machine, Failure> {
    engines::machine(Engine::Operational, asked.model.as_deref(), &program.language)
}

/// What a search may spend: it ends when the watch says so.
pub fn limits(given: arguments::Limits, watch: &Watch) -> Limits {
    let limits = Limits { interrupt: watch.interrupt.clone(), ..Limits::default() };
    match given.memory {
        Some(megabytes) => Limits { bytes: megabytes.saturating_mul(1 << 20), ..limits },
        None => limits,
    }
}

/// Writes the schedule down, if that is wanted.
pub fn write_schedule(
    asked: &Asked,
    (file, program): (&str, &Verified),
    machine: Machine,
    ran: &Ran,
) -> Result<(), Failure> {
    let Some(path) = &asked.schedule else { return Ok(()) };
    match &ran.schedule {
        Some((found, reduction)) => {
            let text = schedule::print(found, machine, *reduction);
            write(Some(path), &origin::added(&text, file, program, (&asked.c, asked.memory_orders)))
        }
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
        FailureKind::Exception => program::FailureKind::Exception,
        FailureKind::Exit => program::FailureKind::Exit,
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

fn in_words(explored: &Explored) -> String {
    let passes = match explored.passes {
        0 => String::new(),
        _ => format!("; {} writes known", explored.writes),
    };
    let Explored { states, steps, instructions, .. } = explored;
    format!("\nExplored: {states} states, {steps} steps, {instructions} instructions{passes}.\n")
}
