//! The command `replay`: a schedule, step by step.

use input::files::{Text, read};
use input::{Ask, models};
use mcr::graphs;
use operational::replay::Mismatch;
use operational::{Machine, schedule};
use palisade::races::program_on;
use palisade::{Engine, Model, Options, Refusal, Request, Task};
use program::End;
use report::replay::{Racing, json as as_json, text as as_text};
use serde_json::json;

use crate::arguments::{self, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::limits::{Guard, watched};
use crate::origin;
use crate::supervise;

/// The command `replay`. Exit code 1 if something goes wrong in the execution, its last step races with another, or a bounded
/// test shows what no serial execution shows; 3 if it does not come to its end.
pub fn replay(arguments: &arguments::Replay) -> Result<Exit, Failure> {
    supervise::offer(|reason| match arguments.format {
        TableFormat::Text => format!("Unknown: {reason}.\n"),
        TableFormat::Json => format!("{}\n", json!({ "schema": 1, "end": "unfinished", "reason": reason })),
    });
    let _guard = Guard::start(arguments.limits)?;
    let text = read(&arguments.schedule)?;
    let wrong = |what: String| Failure::Message(format!("{}: {what}", text.name));
    if let Some(model) = graphs::schedule::model_of(&text.text) {
        return replay_graph(arguments, &text, model);
    }
    let (schedule, machine, reduction) = schedule::parse(&text.text).map_err(wrong)?;
    let ask = Ask { exists: None, property: None, source: &arguments.c };
    let task = input::task(&arguments.file, ask)?.task;
    let (model, memory_orders) = (Model::named(machine.name())?, arguments.memory_orders.map(Into::into));
    let (program, _) = operational::trust::taken_by(machine, &program_on(&task, &model, memory_orders)?);
    origin::check(&text.name, &text.text, &program, &arguments.c)?;
    let replayed = watched(|watch| {
        let limits = watch.limits(arguments.limits).of_search();
        operational::replay(&program, machine, reduction, &schedule, &limits)
    });
    let mut replayed = replayed.map_err(|mismatch| match mismatch {
        Mismatch::Move(number, what) => wrong(format!("it does not fit the program: at move {number} {what}")),
        Mismatch::Unsupported(unsupported) => Refusal::unsupported(&program, unsupported).into(),
    })?;
    if let End::Failed(failure) = &mut replayed.end {
        palisade::origin::add_to(task.program(), failure, Some(&replayed.execution));
    }
    // What ends early may have been written down because of a race.
    let races = match (&replayed.end, machine) {
        (End::Unfinished, Machine::Sc | Machine::JmmUnder) | (End::Unfinished | End::Finished, Machine::JmmOver) => {
            let (rules, how) = (program.language.race_rules(), (machine, reduction));
            operational::races::of_last_move(&program, rules, how, &schedule, &operational::Limits::default())
        }
        _ => Vec::new(),
    };
    let shown = match &task {
        Task::Test(test) if replayed.end == End::Finished => {
            let test = test.on(&model, memory_orders)?;
            Some(watched(|watch| test.shown((&schedule, machine, reduction), &watch.limits(arguments.limits)))?)
        }
        _ => None,
    };
    let (shown, is_serial) = shown.unwrap_or((String::new(), true));
    let racing: Vec<Racing> =
        races.iter().map(|race| Racing { cell: &race.cell, accesses: [&race.first, &race.second] }).collect();
    let output = match arguments.format {
        TableFormat::Text => format!("{}{shown}", as_text(&program, machine.name(), &replayed, &racing)),
        TableFormat::Json => format!("{}\n", as_json(&program, machine.name(), &replayed, &racing)),
    };
    write(arguments.output.as_deref(), &output)?;
    Ok(match replayed.end {
        End::Finished if !is_serial => Exit::Refuted,
        End::Finished => Exit::Validated,
        End::Failed(_) => Exit::Refuted,
        End::Unfinished if !races.is_empty() => Exit::Refuted,
        End::Unfinished => Exit::Unknown,
    })
}

/// Lets an execution graph grow by its schedule.
fn replay_graph(arguments: &arguments::Replay, text: &Text, model: &str) -> Result<Exit, Failure> {
    let wrong = |what: String| Failure::Message(format!("{}: {what}", text.name));
    let schedule = graphs::schedule::parse(&text.text).map_err(wrong)?;
    let ask = Ask { exists: None, property: None, source: &arguments.c };
    let task = input::task(&arguments.file, ask)?.task;
    let model = models::find(model, &arguments.c.include)?.model;
    let replayed = watched(|watch| {
        let limits = watch.limits(arguments.limits);
        let memory_orders = arguments.memory_orders.map(Into::into);
        let options = Options { memory_orders, limits, ..Options::default() };
        let request = Request { engine: Engine::Mcr, options, ..Request::new(&task, &model) };
        let program = palisade::graphs::explored(&request)?;
        origin::check(&text.name, &text.text, &program, &arguments.c)?;
        palisade::graphs::replay(&program, &request, &schedule).map_err(|mismatch| match mismatch {
            graphs::replay::Mismatch::Step(number, what) => {
                wrong(format!("it does not fit the program and the model: at step {number} {what}"))
            }
            graphs::replay::Mismatch::Unsupported(unsupported) => Refusal::unsupported(&program, unsupported).into(),
            graphs::replay::Mismatch::Limit => wrong("it was not run to its end".into()),
        })
    })?;
    let (program, mut replayed) = (replayed.program, replayed.replay);
    if let End::Failed(failure) = &mut replayed.end {
        palisade::origin::add_to(task.program(), failure, Some(&replayed.execution));
    }
    let output = match arguments.format {
        TableFormat::Text => as_text(&program, model.name(), &replayed, &[]),
        TableFormat::Json => format!("{}\n", as_json(&program, model.name(), &replayed, &[])),
    };
    write(arguments.output.as_deref(), &output)?;
    Ok(match replayed.end {
        End::Finished => Exit::Validated,
        End::Failed(_) => Exit::Refuted,
        End::Unfinished => Exit::Unknown,
    })
}
