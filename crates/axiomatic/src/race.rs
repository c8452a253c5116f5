//! Data races of whole programs: C gives a program that has one no meaning, so a model that says what a race is finds it
//! wrong, whatever its assertions say.

use program::{Access, Event, EventId, EventKind, Execution, Extent, Failure, FailureKind, Order, Program};
use relation::Evaluation;

use crate::decode::{atom_events, instance};
use crate::flag::{FLAG, flagged, flags};
use crate::model::{Axiom, Model};
use crate::walk::{Extras, is_marker};

/// Which accesses of an execution race, in words.
pub(crate) fn failure(execution: &Execution, program: &Program, model: &Model, extras: Extras) -> Failure {
    let Some((first, second)) = race(execution, model, extras) else {
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
        let is_marked = |id: EventId| execution.event(id).cell.as_ref().is_some_and(is_marker);
        let is_access = |id: EventId| execution.event(id).kind == EventKind::Read || !is_marked(id);
        let access = if is_access(first) { first } else { second };
        let failure = Failure::new(FailureKind::Error, message, location(execution.event(access)));
        return Failure { events: vec![first, second], ..failure };
    }
    let cell = execution.event(first).cell.as_ref().map_or(String::new(), |cell| {
        let name =
            if (cell.allocation as usize) < program.globals.len() { program.cell_name(cell) } else { String::new() };
        if name.is_empty() { name } else { format!(" on {name}") }
    });
    let is_volatile = |id: EventId| execution.event(id).access.has(Access::VOLATILE);
    let hint = if is_volatile(first) || is_volatile(second) { Access::OF_VOLATILE } else { "" };
    let message = format!("a data race{cell}: nothing orders {} and {}{hint}", place(first), place(second));
    let failure = Failure::new(FailureKind::Error, message, location(execution.event(second)));
    Failure { events: vec![first, second], ..failure }
}

/// What is wrong if an access of memory races with its beginning or end.
fn unordered(execution: &Execution, first: EventId, second: EventId) -> Option<String> {
    let both = [execution.event(first), execution.event(second)];
    let of_marker = |event: &&Event| event.kind == EventKind::Write && event.cell.as_ref().is_some_and(is_marker);
    let write = both.into_iter().find(of_marker)?;
    let cell = write.cell.as_ref()?;
    let name = execution.blocks.iter().find(|(block, _)| *block == cell.allocation).map(|(_, name)| name.as_str());
    let name = name.unwrap_or("a block");
    let is_store = both.into_iter().all(|event| event.kind == EventKind::Write);
    Some(match write.access.order {
        Order::Release if is_store => Extent::late(name),
        Order::Relaxed if is_store => Extent::late_in_scope(name),
        order => Extent::unordered(name, order),
    })
}

/// Two events that should be ordered: an access and the allocation of its memory, or else two accesses that race.
fn race(execution: &Execution, model: &Model, extras: Extras) -> Option<(EventId, EventId)> {
    let instance = instance(execution, model);
    let events = atom_events(execution, model);
    let mut evaluation = Evaluation::new(&model.formulas, &instance);
    let mut first_of = |axiom: &Axiom| {
        let pairs = evaluation.pairs(flagged(axiom)?);
        pairs.iter().map(|(a, b)| (a.min(b), a.max(b))).min()
    };
    let mut asked: Vec<&Axiom> = flags(model, extras).collect();
    asked.sort_by_key(|axiom| axiom.name == FLAG);
    let (first, second) = asked.into_iter().find_map(&mut first_of)?;
    Some((events[first], events[second]))
}
