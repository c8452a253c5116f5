//! An execution of a bounded test as a reader follows it, before it is text or a page: events in the order in which memory
//! may have seen them, each in the column of its thread, grouped by operation, with what does not stand where the program
//! has it marked.

use std::collections::BTreeSet;

use program::{
    Event, EventId, EventKind, Execution, Failure, Location, Observation, Program, Shown, Sources, Span, ThreadId,
};

use crate::cells::is_of_life;
use crate::failure::{Stop, stops};
use crate::names::{Names, is_boundary, label, thread_name};
use crate::reordering::{Moved, Reordering, positions};
use crate::synchronization;

/// What a reader follows.
pub struct Trace {
    /// The threads' names, one per column.
    pub columns: Vec<String>,
    /// From top to bottom.
    pub rows: Vec<Row>,
    /// Where threads fail or wait for ever in the end, without an event of theirs: each with its column.
    pub stops: Vec<(usize, Stop)>,
}

/// An event in the trace.
pub struct Row {
    /// The event.
    pub event: EventId,
    /// Which column it stands in.
    pub column: usize,
    /// Which operation of its thread it is part of.
    pub operation: u32,
    /// Whether the event above it in its column is of another operation, or there is none.
    pub starts_operation: bool,
    /// Its name: `b3`.
    pub name: String,
    /// What it does: `node1.0 := &node2`, `tail -> &node1`.
    pub effect: String,
    /// Of a load, the store that it sees.
    pub sees: Option<Seen>,
    /// The statement it comes from.
    pub span: Option<Span>,
    /// Whether it stands out of program order.
    pub moved: Option<Moved>,
    /// Whether it is part of the cycle that excludes an interleaving.
    pub on_cycle: bool,
    /// Its place in an atomic block of several events.
    pub atomic: Option<InBlock>,
    /// Whether it is a fence or the like, which accesses nothing.
    pub is_fence: bool,
    /// Whether the failure is said to be here.
    pub fails: bool,
}

/// The store that a load sees.
pub struct Seen {
    /// Its name: `a2`, or `init x`.
    pub name: String,
    /// The event; `None` for the initial value.
    pub event: Option<EventId>,
    /// Whether it stands further down: the load's thread sees its own store before memory does.
    pub is_below: bool,
}

/// Where an event stands in an atomic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InBlock {
    /// It is the first.
    First,
    /// Between others.
    Middle,
    /// It is the last.
    Last,
}

/// The trace of an execution that goes wrong with this failure, if it does: the step that fails is the last one.
pub fn trace(
    program: &Program,
    execution: &Execution,
    names: &Names,
    found: &Reordering,
    failure: Option<&Failure>,
) -> Trace {
    let (order, failing) = order(program, execution, found, failure);
    let started = execution.events.iter().filter_map(|event| event.thread).map(|thread| thread.0 as usize + 1);
    let count = started.max().unwrap_or(0).max(program.threads.len());
    let stops = failure.map_or_else(Vec::new, stops);
    let fails = |name: &str| failure.and_then(|failure| failure.thread.as_deref()) == Some(name);
    let threads = silent_main(program, execution, fails)..count as u32;
    let first = threads.start as usize;
    let columns: Vec<String> = threads.map(|thread| thread_name(program, ThreadId(thread))).collect();
    let on_cycle: BTreeSet<EventId> = found.cycle.iter().flat_map(|step| [step.from, step.to]).collect();
    let shown: Vec<EventId> = order.into_iter().filter(|&id| !is_boundary(execution.event(id))).collect();
    let at = positions(execution, &shown);
    let mut current: Vec<Option<u32>> = vec![None; count];
    let mut rows = Vec::new();
    let mut index = 0;
    let mut before: Vec<Option<Span>> = vec![None; count];
    for step in synchronization::steps(program, execution, &shown) {
        let (id, first_event) = (step.shown, step.events[0]);
        let (first_index, last_index) = (index, index + step.events.len() - 1);
        index = last_index + 1;
        let event = execution.event(id);
        let column = event.thread.map_or(0, |thread| (thread.0 as usize).saturating_sub(first));
        let operation = event.operation.unwrap_or(0);
        rows.push(Row {
            event: id,
            column,
            operation,
            starts_operation: event.operation.is_some() && current[column] != Some(operation),
            name: names.get(id).to_string(),
            effect: match step.operation {
                // Others did something while it waited.
                Some(operation) if before[column] == event.span => format!("{operation} goes on"),
                Some(operation) => operation,
                None => effect(program, event, names),
            },
            sees: step.events.iter().find_map(|&id| sees(execution, id, names, &at)),
            span: event.span,
            moved: step.events.iter().find_map(|id| found.moved.get(id).copied()),
            on_cycle: step.events.iter().any(|id| on_cycle.contains(id)),
            atomic: if first_event == id { in_block(execution, &shown, first_index) } else { None },
            is_fence: !matches!(event.kind, EventKind::Read | EventKind::Write),
            fails: failing.is_some_and(|failing| step.events.contains(&failing)),
        });
        current[column] = Some(operation);
        before[column] = event.span;
    }
    let column = |stop: Stop| Some((columns.iter().position(|name| *name == stop.thread)?, stop));
    let stops = stops.into_iter().filter_map(column).collect();
    Trace { columns, rows, stops }
}

/// The events in the order in which they are shown, and the one that fails, if it is one: the last, if nothing of memory is against it.
pub fn order(
    program: &Program,
    execution: &Execution,
    found: &Reordering,
    failure: Option<&Failure>,
) -> (Vec<EventId>, Option<EventId>) {
    let (mut order, Some(failure)) = (found.order.clone(), failure) else { return (found.order.clone(), None) };
    let is_there = |id: &EventId| {
        let place = execution.event(*id).span.map(|span| program.sources.location(span));
        place.is_some() && place == failure.location
    };
    if failure.events.is_empty() {
        // What failed is an event of its own only if no thread is known that stops there.
        let unknown = failure.thread.is_none() && failure.waiting.is_empty();
        return (order.clone(), order.into_iter().rev().find(|id| unknown && is_there(id)));
    }
    let (fr, last) = (execution.fr(), order.clone());
    let can_be_last = |id: &EventId| {
        let has_later = |pairs: &[(EventId, EventId)]| pairs.iter().any(|(earlier, _)| earlier == id);
        let in_thread = last.iter().any(|&later| execution.po(*id, later));
        !in_thread && !has_later(&fr) && !has_later(&execution.co) && !has_later(&execution.rf)
    };
    let mut candidates: Vec<EventId> = failure.events.iter().copied().filter(can_be_last).collect();
    candidates.sort_by_key(|id| (is_there(id), order.iter().position(|other| other == id)));
    let Some(&failing) = candidates.last() else { return (order, failure.events.last().copied()) };
    let with_it = |id: &EventId| {
        // The question whether the block is alive goes with the access.
        let (event, failing) = (execution.event(*id), execution.event(failing));
        event.thread == failing.thread && event.span == failing.span && event.cell.as_ref().is_some_and(is_of_life)
    };
    order.retain(|id| *id != failing && !with_it(id));
    order.extend(last.iter().copied().filter(|id| *id != failing && with_it(id)).chain([failing]));
    (order, Some(failing))
}

/// Of a program with other threads: 1 if its first thread is `main`, does nothing that others see and is not at fault, else 0.
fn silent_main(program: &Program, execution: &Execution, fails: impl Fn(&str) -> bool) -> u32 {
    let is_main = program.threads.len() > 1 && program.threads[0].name == "main" && !fails("main");
    u32::from(is_main && !execution.events.iter().any(|event| event.thread == Some(ThreadId(0))))
}

/// What an event does to memory: `node1.0 := &node2`, `tail -> &node1`; for others their label.
pub fn effect(program: &Program, event: &Event, names: &Names) -> String {
    if event.kind == EventKind::Fence {
        return label(program, event, &names.cells).replacen('F', "fence", 1);
    }
    if let Some(life) = names.cells.life(program, event) {
        return life;
    }
    let is_access = matches!(event.kind, EventKind::Read | EventKind::Write);
    let cell = event.cell.as_ref().map(|cell| names.cells.cell(program, cell));
    let cell = cell.or_else(|| is_access.then(|| "(no cell)".into()));
    let (Some(cell), Some(value)) = (cell, &event.value) else { return label(program, event, &names.cells) };
    let value = names.cells.value_in(program, event.cell.as_ref(), value);
    match event.kind {
        EventKind::Write => format!("{cell} := {value}"),
        EventKind::Read => format!("{cell} -> {value}"),
        _ => label(program, event, &names.cells),
    }
}

fn sees(execution: &Execution, read: EventId, names: &Names, at: &[usize]) -> Option<Seen> {
    if execution.event(read).cell.as_ref().is_some_and(is_of_life) {
        return None;
    }
    let (write, _) = execution.rf.iter().find(|&&(_, other)| other == read)?;
    let is_initial = execution.event(*write).thread.is_none();
    Some(Seen {
        name: if is_initial { "initial".into() } else { names.get(*write).to_string() },
        event: (!is_initial).then_some(*write),
        is_below: !is_initial && at[write.0 as usize] > at[read.0 as usize],
    })
}

/// Where the event stands among neighbours of the same atomic block, as long as they stand together.
fn in_block(execution: &Execution, shown: &[EventId], index: usize) -> Option<InBlock> {
    let block = |index: Option<usize>| {
        let event = execution.event(*shown.get(index?)?);
        event.atomic.map(|block| (event.thread, block))
    };
    let own = block(Some(index))?;
    let (above, below) = (block(index.checked_sub(1)) == Some(own), block(Some(index + 1)) == Some(own));
    match (above, below) {
        (false, true) => Some(InBlock::First),
        (true, true) => Some(InBlock::Middle),
        (true, false) => Some(InBlock::Last),
        (false, false) => None,
    }
}

/// What an operation of a thread showed.
pub fn shown(observation: Option<&Observation>, column: usize, operation: u32) -> Option<&Shown> {
    observation?.get(column + 1)?.get(operation as usize)
}

/// The values that an operation showed: `res=1, val=0`; empty if none.
pub fn values(program: &Program, shown: &Shown, names: &Names) -> String {
    let value = |(label, value): &(std::sync::Arc<str>, program::Value)| {
        format!("{label}={}", names.cells.value(program, value))
    };
    shown.values.iter().map(value).collect::<Vec<_>>().join(", ")
}

/// An operation with what it showed: `d: res=1, val=0`; its number where its name is not known.
pub fn operation_title(program: &Program, observation: Option<&Observation>, row: &Row, names: &Names) -> String {
    let Some(shown) = shown(observation, row.column, row.operation) else {
        return format!("operation {}", row.operation + 1);
    };
    match values(program, shown, names) {
        values if values.is_empty() => shown.operation.to_string(),
        values => format!("{}: {values}", shown.operation),
    }
}

/// The source line that a statement starts on, without white space and comments at its end.
pub fn statement(sources: &Sources, span: Option<Span>) -> String {
    let Some(span) = span else { return String::new() };
    let text = sources.text(span.file);
    code(text.lines().nth(sources.location(span).line.saturating_sub(1)).unwrap_or_default())
}

/// A line without white space and comments at its end.
pub fn code(line: &str) -> String {
    let code = line.split("/*").next().unwrap_or(line).split("//").next().unwrap_or(line);
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line of the program: its number; with the file's name if that is not `file`.
pub fn line(location: &Location, file: &str) -> String {
    if location.file == file {
        location.line.to_string()
    } else {
        format!("{}:{}", short_name(&location.file), location.line)
    }
}

/// The last part of a path.
pub fn short_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
