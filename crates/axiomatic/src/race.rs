//! Data races of whole programs: C gives a program that has one no meaning, so a model that says what a race is finds it
//! wrong, whatever its assertions say.

use program::{Event, EventId, EventKind, Execution, Extent, Failure, FailureKind, Program};
use relation::{Evaluation, Formula};

use crate::decode::{atom_events, instance};
use crate::model::{Axiom, AxiomKind, Model};
use crate::walk::is_marker;

/// What models call the flag.
pub(crate) const FLAG: &str = "data-race";

/// What a race is, if the model says.
pub(crate) fn flag(model: &Model) -> Option<&Axiom> {
    model.axioms.iter().find(|axiom| axiom.kind == AxiomKind::Flag && axiom.name == FLAG)
}

/// Which accesses of an execution race, in words.
pub(crate) fn failure(execution: &Execution, program: &Program, model: &Model) -> Failure {
    let Some((first, second)) = race(execution, model) else {
        return Failure::new(FailureKind::Error, "a data race", None);
    };
    let location = |event: &Event| event.span.map(|span| program.sources.location(span));
    let place = |id: EventId| {
        let event = execution.event(id);
        let thread = event.thread.and_then(|thread| program.threads.get(thread.0 as usize));
        let thread = thread.map_or("main", |thread| thread.name.as_str());
        let line = location(event).map_or(String::new(), |place| format!(" at line {}", place.line));
        format!("{thread}{line}")
    };
    if let Some(message) = unordered(execution, first, second) {
        let message = format!("{message}; nothing orders {} and {}", place(first), place(second));
        let access = if execution.event(first).kind == EventKind::Read { first } else { second };
        return Failure::new(FailureKind::Error, message, location(execution.event(access)));
    }
    let cell = execution.event(first).cell.as_ref().map_or(String::new(), |cell| {
        let name =
            if (cell.allocation as usize) < program.globals.len() { program.cell_name(cell) } else { String::new() };
        if name.is_empty() { name } else { format!(" on {name}") }
    });
    let is_volatile = |id: EventId| execution.event(id).access.has("volatile");
    let hint = match is_volatile(first) || is_volatile(second) {
        true => " (a volatile access is a plain one; with --volatile relaxed it is a relaxed atomic)",
        false => "",
    };
    let message = format!("a data race{cell}: nothing orders {} and {}{hint}", place(first), place(second));
    Failure::new(FailureKind::Error, message, location(execution.event(second)))
}

/// What is wrong if an access of memory races with its beginning or end.
fn unordered(execution: &Execution, first: EventId, second: EventId) -> Option<String> {
    let (first, second) = (execution.event(first), execution.event(second));
    let cell = first.cell.as_ref().filter(|cell| is_marker(cell))?;
    let write = if first.kind == EventKind::Write { first } else { second };
    let name = execution.blocks.iter().find(|(block, _)| *block == cell.allocation).map(|(_, name)| name.as_str());
    Some(Extent::unordered(name.unwrap_or("a block"), write.access.order))
}

/// Two accesses that race.
fn race(execution: &Execution, model: &Model) -> Option<(EventId, EventId)> {
    let Formula::Not(inner) = &flag(model)?.formula else { return None };
    let Formula::Empty(races) = **inner else { return None };
    let instance = instance(execution, model);
    let events = atom_events(execution, model);
    let pairs = Evaluation::new(&model.formulas, &instance).pairs(races);
    let first = pairs.iter().map(|(a, b)| (a.min(b), a.max(b))).min()?;
    Some((events[first.0], events[first.1]))
}
