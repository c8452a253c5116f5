//! `check` and `outcomes` with maximal causality reduction: the program is run once for each class of executions.

use std::path::Path;
use std::time::Instant;

use operational::mcr::encode::Form;
use operational::mcr::explore::{Budget, Figures};
use operational::mcr::{self, Options};
use operational::{Limits, Machine, schedule};
use program::{Outcome, Unsupported, Verified};
use report::{Answer, Property};

use crate::answer::{Task, Wanted, offer, with_reason};
use crate::arguments::{Asked, Engine, WaysOut};
use crate::bounded;
use crate::engines;
use crate::failure::{Exit, Failure};
use crate::input::{self, Ask};
use crate::limits::{Guard, Watch, watched};
use crate::operational::{How, Ran, assertions, failure, limits, program, refuse_other_options, write_schedule};
use crate::workers::Processors;
use crate::{orders, replay, warnings};

/// The engine's name in answers.
pub const ENGINE: &str = "mcr";

/// The answer for one file, printed, with its exit code.
pub fn answer(asked: &Asked, path: &Path, task: Task) -> Result<(String, Exit), Failure> {
    let start = Instant::now();
    let file = input::name(path);
    refuse_other_options(asked)?;
    if asked.depth.is_some() {
        return Err(Failure::Message("--depth is for --engine operational".into()));
    }
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
    let steps = if task.is_text && ran.wrong.is_some() { steps(&program, machine, &mut ran) } else { String::new() };
    let outcome = &ran.outcome;
    let answer =
        Answer { file: &file, program: &program, model: machine.name(), engine: ENGINE, property, test: None, outcome };
    let mut text = (task.print)(&answer, start.elapsed().as_secs_f64());
    text.push_str(&steps);
    if task.is_text {
        text.push_str(&ran.explored);
    }
    Ok((text, (task.exit)(&answer)))
}

fn run(asked: &Asked, program: &Verified, machine: Machine, how: How, watch: &Watch) -> Result<Ran, Unsupported> {
    let start = Instant::now();
    let options = Options {
        limits: Limits { stretch: asked.bounds.max_instructions, ..limits(asked.limits, watch) },
        budget: Budget {
            executions: asked.mcr.max_executions.unwrap_or(u64::MAX),
            solver: match asked.mcr.ways_out {
                WaysOut::States => None,
                WaysOut::Solver => Some(Form::Exact),
                WaysOut::Printed => Some(Form::Printed),
            },
            ..Budget::default()
        },
        assertions: assertions(how.property),
        exhaustive: asked.mcr.exhaustive,
        explain: how.explain && how.all_states,
        shorten: true,
    };
    let processors = Processors::new(asked.mcr.jobs, watch.interrupt.clone());
    let answered = mcr::answer(program, machine, &options, how.all_states, &processors);
    let mcr::Answer { outcome, failure: wrong, schedule: found, figures } = answered?;
    let outcome = Outcome {
        failure: wrong.as_ref().map(|wrong| failure(program, wrong)),
        schedule: found.as_ref().map(|(found, reduction)| schedule::print(found, machine, *reduction)),
        ..with_reason(outcome, watch)
    };
    Ok(Ran { outcome, wrong, schedule: found, explored: explored(&figures, start.elapsed().as_secs_f64()) })
}

fn machine(asked: &Asked, program: &Verified) -> Result<Machine, Failure> {
    engines::machine(Engine::Mcr, asked.model.as_deref(), &program.language)
}

/// The steps of the execution found as a table; then its relations are not wanted.
pub fn steps(program: &Verified, machine: Machine, ran: &mut Ran) -> String {
    let Some((found, reduction)) = &ran.schedule else { return String::new() };
    match operational::replay(program, machine, *reduction, found, &Limits::default()) {
        Ok(replayed) => {
            ran.outcome.witness = None;
            format!("\nThe steps to it:\n\n{}", replay::shared_table(program, &replayed))
        }
        Err(_) => String::new(),
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
