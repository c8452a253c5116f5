//! What goes wrong in a graph, in words.

use program::{
    Access, Extent, Failure, FailureKind, FunctionId, InstructionKind, Order, Pointer, Span, Verified, WaitingThread,
};

use super::graph::{Graph, GraphThread};
use super::local::{Local, Op};
use super::number::{EventId, ThreadNumber};
use super::prepare::with_threads;
use super::witness;

/// How a thread is called.
pub fn name(program: &Verified, graph: &Graph, thread: ThreadNumber) -> String {
    if let Some(named) = program.threads.get(thread.index()) {
        return named.name.clone();
    }
    let all = with_threads(program, &started(graph));
    all.threads.get(thread.index()).map_or(String::new(), |thread| thread.name.clone())
}

/// Two accesses that race.
pub fn race(program: &Verified, graph: &Graph, local: &Local, (first, second): (EventId, EventId)) -> Failure {
    let location = |span: Option<Span>| span.map(|span| program.sources.location(span));
    let place = |id: EventId| {
        let event = graph.event(id);
        let line = location(event.span).map_or(String::new(), |place| format!(" at line {}", place.line));
        format!("{}{line}", name(program, graph, event.thread))
    };
    let (first, second) = match graph.event(first).thread <= graph.event(second).thread {
        true => (first, second),
        false => (second, first),
    };
    let cell = graph.event(first).location.map(|cell| local.locations.pointer(&local.interpreter, cell));
    if let Some(message) = cell.as_ref().and_then(|cell| unordered(graph, local, cell, first, second)) {
        let message = format!("{message}; nothing orders {} and {}", place(first), place(second));
        let access = if graph.event(first).is_write() { second } else { first };
        let failure = Failure::new(FailureKind::Error, message, location(graph.event(access).span));
        return Failure { events: witness::events(graph, local, &[first, second]), ..failure };
    }
    let cell = cell.filter(|cell| (cell.allocation as usize) < program.globals.len());
    let cell = cell.map_or(String::new(), |cell| format!(" on {}", program.cell_name(&cell)));
    let is_volatile = |id: EventId| graph.event(id).span.is_some_and(|span| has_volatile(program, span));
    let hint = if is_volatile(first) || is_volatile(second) { Access::OF_VOLATILE } else { "" };
    let message = format!("a data race{cell}: nothing orders {} and {}{hint}", place(first), place(second));
    let failure = Failure::new(FailureKind::Error, message, location(graph.event(second).span));
    Failure { events: witness::events(graph, local, &[first, second]), ..failure }
}

/// Whether a volatile access stands there.
fn has_volatile(program: &Verified, span: Span) -> bool {
    program.instructions().filter(|instruction| instruction.span == Some(span)).any(|instruction| {
        let (InstructionKind::Load { access, .. } | InstructionKind::Store { access, .. }) = &instruction.kind else {
            return false;
        };
        access.has(Access::VOLATILE)
    })
}

/// Threads that wait for ever.
pub fn deadlock(program: &Verified, graph: &Graph, waiting: &[ThreadNumber]) -> Failure {
    let location = |span: Option<Span>| span.map(|span| program.sources.location(span));
    let waiting: Vec<WaitingThread> = waiting
        .iter()
        .map(|thread| {
            let now = &graph.threads[thread.index()].now;
            let what = match &now.op {
                Op::Join(other) => format!("the end of {}", name(program, graph, *other)),
                _ => "another value".to_string(),
            };
            WaitingThread { thread: name(program, graph, *thread), what, location: location(now.span) }
        })
        .collect();
    let words: Vec<String> = waiting
        .iter()
        .map(|thread| {
            let line = thread.location.as_ref().map_or(String::new(), |place| format!(" at line {}", place.line));
            format!("{} waits{line} for ever", thread.thread)
        })
        .collect();
    let place = waiting.iter().find_map(|thread| thread.location.clone());
    Failure { waiting, ..Failure::new(FailureKind::Deadlock, words.join(", "), place) }
}

/// The functions of the threads that were started, by their numbers; the first one for those that were not.
pub fn started(graph: &Graph) -> Vec<FunctionId> {
    let function = |thread: &GraphThread| match &graph.event(thread.started_by?).before.op {
        Op::Spawn(function, ..) => Some(*function),
        _ => None,
    };
    let is_started = |thread: &&GraphThread| thread.started_by.is_some() || !thread.is_born();
    graph.threads.iter().filter(is_started).map(|thread| function(thread).unwrap_or(FunctionId(0))).collect()
}

/// What is wrong if an access of memory races with its beginning or end.
fn unordered(graph: &Graph, local: &Local, cell: &Pointer, first: EventId, second: EventId) -> Option<String> {
    graph.event(first).location.filter(|location| local.locations.is_life(*location))?;
    let write = [first, second].into_iter().find(|id| graph.event(*id).is_write())?;
    let name = local.block_name(cell.allocation);
    let strength = graph.event(write).strength;
    let order = match (strength.acquires, strength.releases) {
        (true, _) => Order::Acquire,
        (false, true) => Order::Release,
        (false, false) => Order::Relaxed,
    };
    Some(Extent::unordered(name, order))
}
