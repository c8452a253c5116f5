//! The command `replay`: a schedule, step by step.

use operational::replay::{End, Mismatch, Replay, Step, StepKind};
use operational::{Machine, schedule};
use program::{EventKind, Verified};
use report::table::{Align, render};
use serde_json::{Value as Json, json};

use crate::arguments::{self, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::input::read;
use crate::limits::{on_ctrl_c, watched};
use crate::operational::{limits, program_of, words};

/// The command `replay`. Exit code 1 if something goes wrong in the execution, 3 if it does not come to its end.
pub fn replay(arguments: &arguments::Replay) -> Result<Exit, Failure> {
    on_ctrl_c();
    let program = program_of(&arguments.file, &arguments.c)?;
    let text = read(&arguments.schedule)?;
    let wrong = |what: String| Failure::Message(format!("{}: {what}", text.name));
    let (schedule, machine, reduction) = schedule::parse(&text.text).map_err(wrong)?;
    if machine == Machine::JmmOver {
        return Err(wrong("executions of jmm_over cannot be run step by step".into()));
    }
    let replayed = watched(|watch| {
        let limits = limits(arguments::Limits::default(), watch);
        operational::replay(&program, machine, reduction, &schedule, &limits)
    });
    let replayed = replayed.map_err(|mismatch| match mismatch {
        Mismatch::Move(number, what) => wrong(format!("it does not fit the program: at move {number} {what}")),
        Mismatch::Unsupported(unsupported) => Failure::unsupported(&program, unsupported),
    })?;
    let output = match arguments.format {
        TableFormat::Text => as_text(&program, machine, &replayed),
        TableFormat::Json => format!("{}\n", as_json(&program, machine, &replayed)),
    };
    write(arguments.output.as_deref(), &output)?;
    Ok(match replayed.end {
        End::Finished => Exit::Validated,
        End::Failed(_) => Exit::Refuted,
        End::Unfinished => Exit::Unknown,
    })
}

/// One column for each thread, one line for each step.
fn as_text(program: &Verified, machine: Machine, replayed: &Replay) -> String {
    let mut threads: Vec<&str> = Vec::new();
    for step in &replayed.steps {
        if !threads.contains(&step.thread.as_str()) {
            threads.push(&step.thread);
        }
    }
    let mut headers = vec![("step", Align::Right)];
    headers.extend(threads.iter().map(|thread| (*thread, Align::Left)));
    headers.push(("statement", Align::Left));
    let row = |(number, step): (usize, &Step)| {
        let mut cells = vec![(number + 1).to_string()];
        cells.extend(
            threads.iter().map(|thread| if **thread == step.thread { in_words(program, step) } else { String::new() }),
        );
        cells.push(statement(program, step));
        cells
    };
    let rows: Vec<Vec<String>> = replayed.steps.iter().enumerate().map(row).collect();
    let end = match &replayed.end {
        End::Finished => "\nAll threads came to their end.\n".into(),
        End::Unfinished => "\nThe schedule ends before the program does.\n".into(),
        End::Failed(wrong) => words(program, wrong),
    };
    format!("{} on {}\n\n{}{end}", program.name, machine.name(), render(&headers, &rows))
}

fn verb(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Buffer => "buffer",
        StepKind::Flush => "flush",
        StepKind::Event(EventKind::Read) => "read",
        StepKind::Event(EventKind::Write) => "write",
        StepKind::Event(EventKind::Fence) => "fence",
        StepKind::Event(EventKind::Lock) => "lock",
        StepKind::Event(EventKind::Unlock) => "unlock",
        StepKind::Event(EventKind::Special) => "show",
        StepKind::Event(_) => "event",
    }
}

fn in_words(program: &Verified, step: &Step) -> String {
    let cell = step.cell.as_ref().map(|cell| format!(" {}", program.cell_name(cell))).unwrap_or_default();
    let sign = if step.cell.is_some() { " = " } else { " " };
    let value = step.value.as_ref().map(|value| format!("{sign}{}", program.value_name(value))).unwrap_or_default();
    format!("{}{cell}{value}", verb(step.kind))
}

/// Where the statement stands.
fn statement(program: &Verified, step: &Step) -> String {
    step.span.map_or(String::new(), |span| program.sources.location(span).to_string())
}

fn as_json(program: &Verified, machine: Machine, replayed: &Replay) -> Json {
    let step = |step: &Step| {
        json!({
            "thread": step.thread,
            "kind": verb(step.kind),
            "cell": step.cell.as_ref().map(|cell| program.cell_name(cell)),
            "value": step.value.as_ref().map(|value| program.value_name(value)),
            "place": step.span.map(|span| program.sources.location(span).to_string()),
        })
    };
    let (end, failure) = match &replayed.end {
        End::Finished => ("finished", None),
        End::Unfinished => ("unfinished", None),
        End::Failed(wrong) => ("failed", Some(words(program, wrong).trim().to_string())),
    };
    json!({
        "schema": 1,
        "program": program.name,
        "machine": machine.name(),
        "steps": replayed.steps.iter().map(step).collect::<Vec<Json>>(),
        "end": end,
        "failure": failure,
    })
}
