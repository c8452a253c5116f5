//! An execution of a machine, step by step, one column for each thread. Steps of one operation of a lock or the like are one row;
//! where the execution fails, the last row says so.

use program::{End, EventKind, Program, RacyAccess, Replay, Step, StepKind};
use serde_json::{Value as Json, json};

use crate::cells::Cells;
use crate::failure::{Stop, lines, stops};
use crate::synchronization::operation_at;
use crate::table::{Align, render};

/// Two accesses that race.
#[derive(Clone, Debug)]
pub struct Racing<'a> {
    /// The name of the cell.
    pub cell: &'a str,
    /// The accesses, in the order of the execution found.
    pub accesses: [&'a RacyAccess; 2],
}

/// The execution as a table, and how it ends.
pub fn text(program: &Program, machine: &str, replayed: &Replay, races: &[Racing]) -> String {
    let end = match &replayed.end {
        End::Finished => format!("\nAll threads came to their end.\n{}", in_words_of_races(program, races)),
        End::Unfinished if races.is_empty() => "\nThe schedule ends before the program does.\n".into(),
        End::Unfinished => format!("\n{}", in_words_of_races(program, races)),
        End::Failed(wrong) => format!("\n{}", lines(wrong)),
    };
    format!("{} on {}\n\n{}{end}", program.name, machine, table(program, replayed, |_| true))
}

/// The steps that concern more than one thread, and the last; what was left out is said.
pub fn shared_table(program: &Program, replayed: &Replay) -> String {
    let steps = &replayed.steps;
    let has_buffers = steps.iter().any(|step| step.kind == StepKind::Buffer);
    let fails = matches!(replayed.end, End::Failed(_));
    // Who waits for ever may wait for what one thread alone has taken.
    let waits = matches!(&replayed.end, End::Failed(failure) if !failure.waiting.is_empty());
    let is_operation = |step: &Step| step.span.and_then(|span| operation_at(program, span)).is_some();
    let concerns_others = |step: &Step| match &step.cell {
        Some(_) if waits && is_operation(step) => true,
        // What was freed may be what the failing step needs.
        Some(_) if step.kind == StepKind::Free && fails => true,
        Some(block) if matches!(step.kind, StepKind::Free | StepKind::Reuse) => steps.iter().any(|other| {
            let is_used = other.cell.as_ref().is_some_and(|cell| cell.allocation == block.allocation);
            is_used && other.thread != step.thread
        }),
        Some(cell) => steps.iter().any(|other| other.cell.as_ref() == Some(cell) && other.thread != step.thread),
        None => has_buffers || step.kind != StepKind::Event(EventKind::Fence),
    };
    let is_kept = |number: usize| number + 1 == steps.len() || concerns_others(&steps[number]);
    let kept = (0..steps.len()).filter(|number| is_kept(*number)).count();
    let text = table(program, replayed, is_kept);
    match steps.len() - kept {
        0 => text,
        left_out => format!(
            "{text}\nLeft out are {left_out} steps that concern one thread only: `palisade replay` shows all.\n"
        ),
    }
}

/// What the last step races with; of an execution on jmm_over, all races.
pub fn in_words_of_races(program: &Program, races: &[Racing]) -> String {
    let place = |access: &RacyAccess| {
        let verb = if access.writes { "writes" } else { "reads" };
        let at = access.span.map_or(String::new(), |span| format!(" at {}", program.sources.location(span)));
        format!("{} {verb}{at}", access.thread)
    };
    let line = |race: &Racing| {
        format!("A data race on {}: {}, {}.\n", race.cell, place(race.accesses[0]), place(race.accesses[1]))
    };
    races.iter().map(line).collect()
}

/// One column for each thread, one row for each step that is kept, or for those of one operation.
fn table(program: &Program, replayed: &Replay, is_kept: impl Fn(usize) -> bool) -> String {
    let cells = Cells::of(program, &replayed.execution);
    let mut rows: Vec<Row> = Vec::new();
    for (number, step) in replayed.steps.iter().enumerate().filter(|(number, _)| is_kept(*number)) {
        let operation = step.span.and_then(|span| operation_at(program, span));
        let is_same = |row: &Row| row.thread == step.thread && row.span == step.span;
        let is_flush = step.kind == StepKind::Flush;
        // Stores of others may get to memory in between.
        let last = rows.iter().rev().find(|row| is_flush || !row.is_flush);
        if operation.is_none() || !last.is_some_and(is_same) {
            let has_begun =
                rows.iter().rev().find(|row| row.thread == step.thread && !row.is_flush).is_some_and(is_same);
            let what = match operation {
                Some(operation) if is_flush => format!("flush {operation}"),
                Some(operation) if has_begun => format!("{operation} goes on"),
                Some(operation) => operation,
                None => in_words(program, &cells, step),
            };
            let place = statement(program, step);
            let thread = step.thread.clone();
            rows.push(Row { number: Some(number + 1), thread, what, place, span: step.span, is_flush });
        }
    }
    if let End::Failed(failure) = &replayed.end {
        rows.extend(stops(failure).into_iter().map(failing));
    }
    rendered(program, &rows)
}

/// A row of the table.
struct Row {
    /// The number of its first step.
    number: Option<usize>,
    thread: String,
    what: String,
    place: String,
    span: Option<program::Span>,
    /// Whether a store gets to memory.
    is_flush: bool,
}

/// Where a thread fails, or waits for ever.
fn failing(stop: Stop) -> Row {
    let place = stop.location.map_or(String::new(), |place| place.to_string());
    Row {
        number: None,
        thread: stop.thread,
        what: format!("{}  <== here", stop.what),
        place,
        span: None,
        is_flush: false,
    }
}

fn rendered(program: &Program, rows: &[Row]) -> String {
    let mut threads: Vec<&str> = Vec::new();
    for row in rows {
        if !threads.contains(&row.thread.as_str()) {
            threads.push(&row.thread);
        }
    }
    // In the order in which they are numbered.
    let number = |name: &str| name.strip_prefix('T').and_then(|number| number.parse::<usize>().ok());
    let place = |name: &str| program.threads.iter().position(|thread| thread.name == name);
    threads.sort_by_key(|name| place(name).or_else(|| number(name)).unwrap_or(usize::MAX));
    let mut headers = vec![("step", Align::Right)];
    headers.extend(threads.iter().map(|thread| (*thread, Align::Left)));
    headers.push(("statement", Align::Left));
    let texts = |row: &Row| {
        let column = |thread: &&str| if **thread == row.thread { row.what.clone() } else { String::new() };
        let mut texts = vec![row.number.map_or(String::new(), |number| number.to_string())];
        texts.extend(threads.iter().map(column));
        texts.push(row.place.clone());
        texts
    };
    let rows: Vec<Vec<String>> = rows.iter().map(texts).collect();
    render(&headers, &rows)
}

fn verb(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Buffer => "buffer",
        StepKind::Flush => "flush",
        StepKind::Free => "free",
        StepKind::Reuse => "reuse",
        StepKind::Event(EventKind::Read) => "read",
        StepKind::Event(EventKind::Write) => "write",
        StepKind::Event(EventKind::Fence) => "fence",
        StepKind::Event(EventKind::Lock) => "lock",
        StepKind::Event(EventKind::Unlock) => "unlock",
        StepKind::Event(EventKind::Special) => "show",
        StepKind::Event(_) => "event",
    }
}

fn in_words(program: &Program, cells: &Cells, step: &Step) -> String {
    let cell = place(program, cells, step).map(|cell| format!(" {cell}")).unwrap_or_default();
    let sign = if step.cell.is_some() { " = " } else { " " };
    let value =
        step.value.as_ref().map(|value| format!("{sign}{}", cells.value_in(program, step.cell.as_ref(), value)));
    let value = value.unwrap_or_default();
    let early = if step.foresees { " (written later)" } else { "" };
    let older = match step.kind {
        StepKind::Event(EventKind::Read) if step.is_older => " (overwritten)",
        _ if step.is_older => " (not the last)",
        _ => "",
    };
    format!("{}{cell}{value}{early}{older}", verb(step.kind))
}

/// The cell that a step accesses, or the block that it frees or reuses.
fn place(program: &Program, cells: &Cells, step: &Step) -> Option<String> {
    let is_block = matches!(step.kind, StepKind::Free | StepKind::Reuse);
    step.cell
        .as_ref()
        .map(|cell| if is_block { cells.block(program, cell.allocation) } else { cells.cell(program, cell) })
}

/// Where the statement stands.
fn statement(program: &Program, step: &Step) -> String {
    step.span.map_or(String::new(), |span| program.sources.location(span).to_string())
}

/// The steps and how they end, for scripts.
pub fn json(program: &Program, machine: &str, replayed: &Replay, races: &[Racing]) -> Json {
    let cells = Cells::of(program, &replayed.execution);
    let step = |step: &Step| {
        json!({
            "thread": step.thread,
            "kind": verb(step.kind),
            "cell": place(program, &cells, step),
            "value": step.value.as_ref().map(|value| cells.value_in(program, step.cell.as_ref(), value)),
            "foresees": step.foresees,
            "older": step.is_older,
            "place": step.span.map(|span| program.sources.location(span).to_string()),
        })
    };
    let (end, failure) = match &replayed.end {
        End::Finished => ("finished", None),
        End::Unfinished => ("unfinished", None),
        End::Failed(wrong) => ("failed", Some(lines(wrong).trim().to_string())),
    };
    json!({
        "schema": 1,
        "program": program.name,
        "machine": machine,
        "steps": replayed.steps.iter().map(step).collect::<Vec<Json>>(),
        "end": end,
        "failure": failure,
        "races": races.iter().map(|race| in_words_of_races(program, std::slice::from_ref(race)).trim().to_string())
            .collect::<Vec<String>>(),
    })
}
