//! `check` and `outcomes` with maximal causality reduction: the program is run once for each class of executions.

use std::path::Path;
use std::time::Instant;

use operational::mcr::encode::Form;
use operational::mcr::explore::{Budget, Figures};
use operational::mcr::{self, Options};
use operational::{Assertions, Limits, Machine, schedule};
use program::Verified;
use report::{Answer, Property};

use crate::answer::{Task, Wanted, with_reason};
use crate::arguments::{Asked, WaysOut};
use crate::failure::{Exit, Failure, write};
use crate::input::{self, Ask};
use crate::limits::{Guard, watched};
use crate::operational::{failure, limits, machine, program, refuse_other_options};
use crate::replay;
use crate::workers::Processors;

/// The engine's name in answers.
const ENGINE: &str = "mcr";

/// The answer for one file, printed, with its exit code.
pub fn answer(asked: &Asked, path: &Path, task: Task) -> Result<(String, Exit), Failure> {
    let start = Instant::now();
    let file = input::name(path);
    refuse_other_options(asked, path)?;
    if asked.depth.is_some() {
        return Err(Failure::Message("--depth is for --engine operational".into()));
    }
    let ask = Ask { exists: asked.exists.as_deref(), property: asked.question.map(Property::from), c: Some(&asked.c) };
    let property = ask.property.unwrap_or_default();
    let mut program = program(path, ask)?;
    if task.wanted == Wanted::States {
        program = input::ask_for_states(program)?;
    }
    let machine = machine(asked.model.as_deref(), &program).map_err(|_| not_a_machine(asked))?;
    let all_states = task.wanted != Wanted::Verdict && program.question.is_some();
    let _guard = Guard::start(asked.limits, None)?;
    let answered = watched(|watch| {
        let options = Options {
            limits: limits(asked.limits, watch),
            budget: Budget {
                executions: asked.mcr.max_executions.unwrap_or(u64::MAX),
                solver: match asked.mcr.ways_out {
                    WaysOut::States => None,
                    WaysOut::Solver => Some(Form::Exact),
                    WaysOut::Printed => Some(Form::Printed),
                },
                ..Budget::default()
            },
            assertions: match property {
                Property::Always => Assertions::Always,
                Property::Possible => Assertions::Possible,
            },
            exhaustive: asked.mcr.exhaustive,
            explain: task.explain && all_states,
            shorten: true,
        };
        let processors = Processors::new(asked.mcr.jobs, watch.interrupt.clone());
        let answered = mcr::answer(&program, machine, &options, all_states, &processors);
        answered.map(|mut answered| {
            answered.outcome = with_reason(answered.outcome, watch);
            answered
        })
    });
    let mut answered = answered.map_err(|unsupported| Failure::unsupported(&program, unsupported))?;
    answered.outcome.failure = answered.failure.as_ref().map(|wrong| failure(&program, wrong));
    let found = answered.schedule.as_ref();
    answered.outcome.schedule = found.map(|(found, reduction)| schedule::print(found, machine, *reduction));
    write_schedule(asked, machine, &answered)?;
    let seconds = start.elapsed().as_secs_f64();
    let steps = if task.is_text { steps(&program, machine, &mut answered) } else { String::new() };
    let outcome = &answered.outcome;
    let answer =
        Answer { file: &file, program: &program, model: machine.name(), engine: ENGINE, property, test: None, outcome };
    let mut text = (task.print)(&answer, seconds);
    text.push_str(&steps);
    if task.is_text {
        text.push_str(&explored(&answered.figures, seconds));
    }
    Ok((text, (task.exit)(&answer)))
}

fn not_a_machine(asked: &Asked) -> Failure {
    let name = asked.model.as_deref().unwrap_or_default();
    Failure::Message(format!("`{name}` is no machine of the engine mcr; these are: sc, tso, pso"))
}

/// The steps to a failure as a table; then the execution's relations are not wanted.
fn steps(program: &Verified, machine: Machine, answered: &mut mcr::Answer) -> String {
    let (Some(_), Some((found, reduction))) = (&answered.failure, &answered.schedule) else { return String::new() };
    match operational::replay(program, machine, *reduction, found, &Limits::default()) {
        Ok(replayed) => {
            answered.outcome.witness = None;
            format!("\nThe steps to it:\n\n{}", replay::shared_table(program, &replayed))
        }
        Err(_) => String::new(),
    }
}

fn write_schedule(asked: &Asked, machine: Machine, answered: &mcr::Answer) -> Result<(), Failure> {
    let Some(path) = &asked.schedule else { return Ok(()) };
    match &answered.schedule {
        Some((found, reduction)) => write(Some(path), &schedule::print(found, machine, *reduction)),
        None => {
            eprintln!("no schedule was written: no execution as asked was found");
            Ok(())
        }
    }
}

fn explored(figures: &Figures, seconds: f64) -> String {
    let Figures { executions, classes, redundant, queries, states, solver_queries, instructions, .. } = figures;
    let queries = queries + solver_queries;
    let besides = [
        (figures.dropped, "that do not count"),
        (figures.abandoned, "cut short in a loop"),
        (figures.lost, "that left their way"),
    ];
    let besides: String =
        besides.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}")).collect();
    format!(
        "\nExplored: {executions} executions of {classes} classes ({redundant} redundant{besides}); {queries} queries, {states} states, \
         {instructions} instructions, {seconds:.3} s.\n"
    )
}
