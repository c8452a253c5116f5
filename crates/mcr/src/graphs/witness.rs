//! Graphs as executions that reports show.

use std::collections::BTreeMap;

use operational::bounded::{Before, Marks};
use operational::interpret::Interpreter;
use program::{
    Access, EventKind, Execution, InstructionKind, Observable, Pointer, State as FinalState, ThreadId, Value, Verified,
};

use super::event::{Event, Kind};
use super::graph::Graph;
use super::local::{Local, Op};
use super::number::{EventId, LocationId};

/// The execution of a graph.
pub fn execution(graph: &Graph, local: &Local) -> Execution {
    let mut execution = shown(graph, local).execution;
    let observed = local.program.question.iter().flat_map(|question| &question.observed);
    execution.state = observed.map(|observable| (observable.clone(), observe(graph, local, observable))).collect();
    execution
}

/// What events of a graph are in its [`execution`].
pub fn events(graph: &Graph, local: &Local, ids: &[EventId]) -> Vec<program::EventId> {
    let shown = shown(graph, local);
    ids.iter().filter_map(|id| shown.ids.get(&(*id, None)).copied()).collect()
}

fn shown<'g, 'a>(graph: &'g Graph, local: &'g Local<'a>) -> Shown<'g, 'a> {
    let mut shown = Shown { graph, local, execution: Execution::default(), ids: BTreeMap::new() };
    shown.initial_writes();
    let mut atomic = 0;
    for thread in 0..graph.threads.len() {
        for id in &graph.threads[thread].events {
            shown.event(*id, &mut atomic);
        }
    }
    shown.relations();
    shown
}

/// What is observed at the end of a graph.
pub fn observe(graph: &Graph, local: &Local, observable: &Observable) -> Value {
    let words = &local.interpreter.words;
    match observable {
        Observable::Register(thread, register) => {
            let thread = graph.threads.get(thread.0 as usize).map(|thread| &thread.now.thread.registers);
            let word = thread.and_then(|registers| registers.get(register.0 as usize));
            word.map_or(Value::Undefined, |word| words.value(*word))
        }
        Observable::Memory(cell) => {
            let marks = Marks::of(local.program);
            if let Some(before) = marks.and_then(|marks| marks.asked(cell)) {
                return Value::int(number_before(graph, local, &before) as i64, 32);
            }
            let address = words.known_address(cell);
            let written = address.and_then(|_| last_write(graph, local, cell)).map(|last| graph.event(last).value);
            let held = || address.and_then(|address| local.memory.held(address));
            let default = || local.memory.heap.get(cell.allocation as usize).map(|allocation| allocation.default);
            written.or_else(held).or_else(default).map_or(Value::Undefined, |word| words.value(word))
        }
    }
}

/// The final state of a graph.
pub fn final_state(graph: &Graph, local: &Local) -> FinalState {
    let observed = local.program.question.iter().flat_map(|question| &question.observed);
    observed.map(|observable| (observable.clone(), observe(graph, local, observable))).collect()
}

fn last_write(graph: &Graph, local: &Local, cell: &Pointer) -> Option<EventId> {
    let location = local.locations.known(local.interpreter.words.known_address(cell)?)?;
    graph.locations.get(location.index())?.writes.last().copied()
}

/// How many operations of a thread come before an operation: those up to the last one whose mark happens before its own.
fn number_before(graph: &Graph, local: &Local, before: &Before) -> usize {
    let mark = |cell: &Pointer| last_write(graph, local, cell);
    let access = |cell: &Pointer| mark(cell).and_then(|mark| previous(graph, mark));
    let [called, took_effect] = [mark(&before.operation[0]), access(&before.operation[1])];
    let happens_before = |earlier: Option<EventId>, later: Option<EventId>| {
        earlier.zip(later).is_some_and(|(earlier, later)| graph.is_before(earlier, later))
    };
    let is_before = |[returned, effect]: &[Pointer; 2]| {
        happens_before(mark(returned), called) || happens_before(access(effect), took_effect)
    };
    before.others.iter().rposition(is_before).map_or(0, |last| last + 1)
}

/// The event before another one in its thread.
fn previous(graph: &Graph, id: EventId) -> Option<EventId> {
    let event = graph.event(id);
    graph.threads[event.thread.index()].events.get((event.index as usize).checked_sub(1)?).copied()
}

struct Shown<'g, 'a> {
    graph: &'g Graph,
    local: &'g Local<'a>,
    execution: Execution,
    /// Which event of the execution stands for which of the graph; initial writes by location.
    ids: BTreeMap<(EventId, Option<LocationId>), program::EventId>,
}

impl Shown<'_, '_> {
    fn add(&mut self, key: (EventId, Option<LocationId>), event: program::Event) {
        let id = program::EventId(self.execution.events.len() as u32);
        self.ids.insert(key, id);
        self.execution.events.push(event);
    }

    fn interpreter(&self) -> &Interpreter<'_> {
        &self.local.interpreter
    }

    fn initial_writes(&mut self) {
        for (index, at) in self.graph.locations.iter().enumerate() {
            if at.writes.is_empty() && at.reads.is_empty() {
                continue;
            }
            let location = LocationId(index as u32);
            let pointer = self.local.locations.pointer(self.interpreter(), location);
            let value = self.interpreter().words.value(self.local.locations.initial(location));
            if let Some(name) = self.local.locations.name(&self.local.memory, pointer.allocation) {
                let name = self.interpreter().name_of_number(name).map(|name| name.to_string());
                let block = (pointer.allocation, name.unwrap_or_default());
                if !self.execution.blocks.contains(&block) {
                    self.execution.blocks.push(block);
                }
            }
            let event = program::Event {
                thread: None,
                kind: EventKind::Write,
                cell: Some(pointer),
                value: Some(value),
                access: Access::plain(),
                span: None,
                atomic: None,
                operation: None,
            };
            self.add((EventId::INITIAL, Some(location)), event);
        }
    }

    fn event(&mut self, id: EventId, atomic: &mut u32) {
        let event = self.graph.event(id);
        let kind = match event.kind {
            Kind::Read { .. } => EventKind::Read,
            Kind::Write { .. } => EventKind::Write,
            Kind::Fence => EventKind::Fence,
            Kind::Spawn(_) | Kind::Join(_) | Kind::Choose { .. } => return,
        };
        let is_part = event.is_exclusive();
        let shown = program::Event {
            thread: Some(ThreadId(u32::from(event.thread.0))),
            kind,
            cell: event.location.map(|location| self.local.locations.pointer(self.interpreter(), location)),
            value: event.location.map(|_| self.interpreter().words.value(event.value)),
            access: self.access(event),
            span: event.span,
            atomic: is_part.then_some(*atomic),
            operation: None,
        };
        *atomic += u32::from(is_part && event.is_write());
        self.add((id, None), shown);
    }

    /// How the program spells an event.
    fn access(&self, event: &Event) -> Access {
        let next = self.interpreter().next_instruction(&event.before.thread).map(|instruction| &instruction.kind);
        match next {
            Some(InstructionKind::ReadModifyWrite { access, update, .. }) => match update {
                program::Update::CompareExchange { failure, .. } if !event.is_exclusive() => failure.clone(),
                _ => access.clone(),
            },
            Some(InstructionKind::Load { access, .. }) if event.is_read() => access.clone(),
            Some(InstructionKind::Store { access, .. } | InstructionKind::Fence { access }) => access.clone(),
            // The write of an atomic block.
            _ => Access::ordered(match (event.strength.releases, event.strength.atomic) {
                _ if event.strength.seq_cst => program::Order::SeqCst,
                (true, _) => program::Order::Release,
                // The beginning of the life of a block.
                (false, _) if event.strength.acquires && event.is_write() => program::Order::Acquire,
                (false, true) => program::Order::Relaxed,
                (false, false) => program::Order::Plain,
            }),
        }
    }

    fn shown(&self, id: EventId, location: LocationId) -> Option<program::EventId> {
        let key = if id == EventId::INITIAL { (id, Some(location)) } else { (id, None) };
        self.ids.get(&key).copied()
    }

    fn relations(&mut self) {
        for (index, at) in self.graph.locations.iter().enumerate() {
            let location = LocationId(index as u32);
            for read in &at.reads {
                let Some(source) = self.graph.event(*read).source() else { continue };
                if let (Some(from), Some(to)) = (self.shown(source, location), self.shown(*read, location)) {
                    self.execution.rf.push((from, to));
                }
            }
            let writes: Vec<program::EventId> =
                [EventId::INITIAL].iter().chain(&at.writes).filter_map(|write| self.shown(*write, location)).collect();
            for (place, earlier) in writes.iter().enumerate() {
                self.execution.co.extend(writes[place + 1..].iter().map(|later| (*earlier, *later)));
            }
            for write in at.writes.iter().filter(|write| self.graph.event(**write).is_exclusive()) {
                let event = self.graph.event(*write);
                let read = self.graph.threads[event.thread.index()].events[event.index as usize - 1];
                if let (Some(from), Some(to)) = (self.shown(read, location), self.shown(*write, location)) {
                    self.execution.rmw.push((from, to));
                    if is_computed(self.local.program, self.local, event) {
                        self.execution.computed.push((from, to));
                    }
                }
            }
        }
    }
}

/// Whether a read-modify-write computes what it writes from what it read.
fn is_computed(_: &Verified, local: &Local, write: &Event) -> bool {
    let next = local.interpreter.next_instruction(&write.before.thread).map(|instruction| &instruction.kind);
    let is_block =
        matches!(write.before.op, Op::Rest(..)) && !matches!(next, Some(InstructionKind::ReadModifyWrite { .. }));
    is_block || matches!(next, Some(InstructionKind::ReadModifyWrite { update: program::Update::Apply(..), .. }))
}
