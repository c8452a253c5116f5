//! The formula of an execution, as maximal causality reduction states it (Huang and Huang, "Maximal causality reduction for TSO and PSO",
//! 2016, sections 2.3 and 4.1, Fig. 7): in which orders the same events may happen, and which order gives a read another value.
//!
//! Each event has a variable `O`, its place in the order. `mhb` is what must happen before what on the machine, `lock` that critical
//! sections exclude each other, `atomic` that nothing comes between the two halves of a read-modify-write. For a read and a value that
//! it did not get, `validity` says that the reads that must happen before keep their values, and `state` that the read gets the new one.
//! Reads of an own store that is still in the buffer are ordered after it, as the paper has it.

use std::collections::BTreeSet;
use std::fmt::Write;

use program::{Event, EventId, EventKind, Execution, Program, Value};

use crate::cells::Cells;

/// The machines that the paper has formulas for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// Sequential consistency.
    Sc,
    /// Total store order.
    Tso,
    /// Partial store order.
    Pso,
}

impl Machine {
    /// The machine of this name.
    pub fn named(name: &str) -> Option<Machine> {
        [Machine::Sc, Machine::Tso, Machine::Pso].into_iter().find(|machine| machine.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Machine::Sc => "sc",
            Machine::Tso => "tso",
            Machine::Pso => "pso",
        }
    }
}

/// A formula over the order of events.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Constraint {
    Before(EventId, EventId),
    All(Vec<Constraint>),
    Any(Vec<Constraint>),
}

use Constraint::{All, Any, Before};

/// The formula of one new value of a read.
struct New {
    read: EventId,
    value: Value,
    validity: Constraint,
    state: Constraint,
}

/// The formulas of an execution.
pub struct Constraints<'a> {
    program: &'a Program,
    execution: &'a Execution,
    machine: Machine,
    /// What must happen before what, directly.
    mhb: Vec<(EventId, EventId)>,
    /// How many initial writes there are.
    initial: u32,
    lock: Constraint,
    atomic: Constraint,
    new: Vec<New>,
}

impl<'a> Constraints<'a> {
    /// Those of an execution on a machine.
    ///
    /// `between_threads` are pairs of events that are ordered because one thread starts, joins or wakes another.
    pub fn of(
        program: &'a Program,
        execution: &'a Execution,
        between_threads: &[(EventId, EventId)],
        machine: Machine,
    ) -> Constraints<'a> {
        let mut pairs = must_happen_before(execution, machine);
        let has_place: BTreeSet<EventId> = events(execution).collect();
        pairs.extend(between_threads.iter().filter(|(a, b)| has_place.contains(a) && has_place.contains(b)));
        let closed = closure(execution, &pairs);
        let mut constraints = Constraints {
            program,
            execution,
            machine,
            mhb: reduced(&closed),
            initial: execution.events.iter().take_while(|event| event.thread.is_none()).count() as u32,
            lock: lock(execution),
            atomic: atomic(execution),
            new: Vec::new(),
        };
        for read in events(execution).filter(|&id| execution.event(id).kind == EventKind::Read) {
            constraints.of_read(read, &closed);
        }
        constraints
    }

    fn of_read(&mut self, read: EventId, before: &BTreeSet<(EventId, EventId)>) {
        let execution = self.execution;
        let event = execution.event(read);
        let values: BTreeSet<&Value> =
            writes(execution, event).filter_map(|w| execution.event(w).value.as_ref()).collect();
        let is_kept = |&other: &EventId| {
            execution.event(other).kind == EventKind::Read && other != read && before.contains(&(other, read))
        };
        let kept: Vec<EventId> = events(execution).filter(is_kept).collect();
        let validity =
            All(kept.iter().filter_map(|&read| gets(execution, read, execution.event(read).value.as_ref()?)).collect());
        for value in values.into_iter().filter(|value| event.value.as_ref() != Some(value)) {
            let Some(state) = gets(execution, read, value) else { continue };
            self.new.push(New { read, value: value.clone(), validity: validity.clone(), state });
        }
    }

    /// As text.
    pub fn text(&self) -> String {
        let cells = Cells::of(self.program, self.execution);
        let mut text =
            format!("The formula of an execution of {}, on {}.\n\nEvents:\n", self.program.name, self.machine.name());
        for id in events(self.execution) {
            let _ = writeln!(text, "  {:<4} {}", variable(id, self.initial), self.words(id, &cells));
        }
        let mhb: Vec<String> = self.mhb.iter().map(|&(a, b)| infix(&Before(a, b), self.initial, false)).collect();
        let _ = writeln!(text, "\nmhb       {}", if mhb.is_empty() { "true".into() } else { mhb.join("  ") });
        for (name, constraint) in [("lock", &self.lock), ("atomic", &self.atomic)] {
            if !is_true(constraint) {
                let _ = writeln!(text, "{name:<9} {}", infix(constraint, self.initial, false));
            }
        }
        if self.new.is_empty() {
            text.push_str("\nNo read can get another value: no other is written to its cell.\n");
        }
        for New { read, value, validity, state } in &self.new {
            let to = cells.value(self.program, value);
            let _ =
                writeln!(text, "\n{} gets {to}: mhb & lock & atomic & validity & state", variable(*read, self.initial));
            let _ = writeln!(text, "validity  {}", infix(validity, self.initial, false));
            let _ = writeln!(text, "state     {}", infix(state, self.initial, false));
        }
        text
    }

    /// In SMT-LIB: a script that asks for each read and each new value whether some order gives it.
    pub fn smt(&self) -> String {
        let cells = Cells::of(self.program, self.execution);
        let mut text = format!("; {} on {}\n(set-logic QF_IDL)\n", self.program.name, self.machine.name());
        for id in events(self.execution) {
            let _ = writeln!(text, "(declare-const {} Int) ; {}", variable(id, self.initial), self.words(id, &cells));
        }
        for constraint in self.mhb.iter().map(|&(a, b)| Before(a, b)).chain([self.lock.clone(), self.atomic.clone()]) {
            if !is_true(&constraint) {
                let _ = writeln!(text, "(assert {})", prefix(&constraint, self.initial));
            }
        }
        for New { read, value, validity, state } in &self.new {
            let to = cells.value(self.program, value);
            let _ = writeln!(text, "(push) ; {} gets {to}", variable(*read, self.initial));
            let _ = writeln!(
                text,
                "(assert {})\n(assert {})\n(check-sat)\n(pop)",
                prefix(validity, self.initial),
                prefix(state, self.initial)
            );
        }
        text
    }

    fn words(&self, id: EventId, cells: &Cells) -> String {
        let event = self.execution.event(id);
        let thread = event.thread.map_or(String::new(), |thread| match self.program.threads.get(thread.index()) {
            Some(named) => named.name.clone(),
            None => format!("thread {}", thread.index()),
        });
        let place = event.span.map(|span| self.program.sources.location(span));
        let place = place.map_or(String::new(), |place| format!("  ({place})"));
        let cell = event.cell.as_ref().map_or(String::new(), |cell| cells.cell(self.program, cell));
        let value = event.value.as_ref().map(|value| cells.value(self.program, value));
        let value = value.map_or(String::new(), |value| format!(" = {value}"));
        let kind = match event.kind {
            EventKind::Read => "R",
            EventKind::Write => "W",
            EventKind::Lock => "lock",
            EventKind::Unlock => "unlock",
            _ => "fence",
        };
        format!("{thread}: {kind} {cell}{value}{place}").replace(" :", ":").trim_end().to_string()
    }
}

/// The variable of an event. Initial writes, which stand first, have none.
fn variable(EventId(number): EventId, initial: u32) -> String {
    format!("O{}", number + 1 - initial)
}

/// The events that have a place in the order: initial writes come before all.
fn events(execution: &Execution) -> impl Iterator<Item = EventId> + '_ {
    let kinds = [EventKind::Read, EventKind::Write, EventKind::Fence, EventKind::Lock, EventKind::Unlock];
    execution.ids().filter(move |&id| {
        let event = execution.event(id);
        event.thread.is_some() && kinds.contains(&event.kind)
    })
}

/// The writes to the cell of an access, initial ones too.
fn writes<'e>(execution: &'e Execution, access: &'e Event) -> impl Iterator<Item = EventId> + 'e {
    execution.ids().filter(move |&id| {
        let event = execution.event(id);
        event.kind == EventKind::Write && event.cell == access.cell
    })
}

/// Pairs of events of a thread that stay in order (section 4.1).
fn must_happen_before(execution: &Execution, machine: Machine) -> BTreeSet<(EventId, EventId)> {
    let mut pairs = BTreeSet::new();
    for a in events(execution) {
        for b in events(execution).filter(|&b| execution.po(a, b)) {
            let (first, second) = (execution.event(a), execution.event(b));
            let is_access =
                |event: &Event| matches!(event.kind, EventKind::Read | EventKind::Write) && event.atomic.is_none();
            let synchronises = !is_access(first) || !is_access(second);
            let stays = match (first.kind, second.kind) {
                _ if synchronises || machine == Machine::Sc || first.cell == second.cell => true,
                (EventKind::Read, _) => true,
                (EventKind::Write, EventKind::Write) => machine == Machine::Tso,
                _ => false,
            };
            if stays {
                pairs.insert((a, b));
            }
        }
    }
    pairs
}

fn closure(execution: &Execution, pairs: &BTreeSet<(EventId, EventId)>) -> BTreeSet<(EventId, EventId)> {
    let mut closed = pairs.clone();
    // With each event in the middle once, in whatever order, all that follows is found.
    for middle in events(execution) {
        let before: Vec<EventId> = closed.iter().filter(|(_, b)| *b == middle).map(|(a, _)| *a).collect();
        let after: Vec<EventId> =
            closed.range((middle, EventId(0))..).take_while(|(a, _)| *a == middle).map(|(_, b)| *b).collect();
        closed.extend(before.iter().flat_map(|&a| after.iter().map(move |&b| (a, b))));
    }
    closed
}

/// The pairs that do not follow from others.
fn reduced(closed: &BTreeSet<(EventId, EventId)>) -> Vec<(EventId, EventId)> {
    let follows = |(a, b): (EventId, EventId)| {
        closed.range((a, EventId(0))..).take_while(|(x, _)| *x == a).any(|&(_, m)| closed.contains(&(m, b)))
    };
    closed.iter().copied().filter(|&pair| !follows(pair)).collect()
}

/// That a read gets a value: from one of the writes of it, and no other write comes between. `None` if no write has it.
fn gets(execution: &Execution, read: EventId, value: &Value) -> Option<Constraint> {
    let event = execution.event(read);
    let is_initial = |write: EventId| execution.event(write).thread.is_none();
    let of_value = writes(execution, event).filter(|&write| execution.event(write).value.as_ref() == Some(value));
    let from = |write: EventId| {
        let others = writes(execution, event).filter(|&other| other != write && !is_initial(other));
        let before = (!is_initial(write)).then_some(Before(write, read));
        let others = others.map(|other| match is_initial(write) {
            true => Before(read, other),
            false => Any(vec![Before(other, write), Before(read, other)]),
        });
        All(before.into_iter().chain(others).collect())
    };
    let ways: Vec<Constraint> = of_value.map(from).collect();
    match ways.len() {
        0 => None,
        1 => ways.into_iter().next(),
        _ => Some(Any(ways)),
    }
}

/// Critical sections of a monitor exclude each other.
fn lock(execution: &Execution) -> Constraint {
    let mut sections: Vec<(EventId, Option<EventId>)> = Vec::new();
    for id in events(execution).filter(|&id| execution.event(id).kind == EventKind::Lock) {
        let event = execution.event(id);
        let (mut depth, mut end) = (1usize, None);
        for other in events(execution).filter(|&other| execution.po(id, other)) {
            let next = execution.event(other);
            match next.kind {
                EventKind::Lock if next.cell == event.cell => depth += 1,
                EventKind::Unlock if next.cell == event.cell => depth -= 1,
                _ => continue,
            }
            if depth == 0 {
                end = Some(other);
                break;
            }
        }
        sections.push((id, end));
    }
    let mut all = Vec::new();
    for (index, &(a, a_ends)) in sections.iter().enumerate() {
        for &(b, b_ends) in &sections[index + 1..] {
            let (one, other) = (execution.event(a), execution.event(b));
            if one.cell == other.cell && one.thread != other.thread {
                let first = a_ends.map(|end| Before(end, b));
                let second = b_ends.map(|end| Before(end, a));
                all.push(Any(first.into_iter().chain(second).collect()));
            }
        }
    }
    All(all)
}

/// Nothing comes between the read and the write of a read-modify-write.
fn atomic(execution: &Execution) -> Constraint {
    let mut all = Vec::new();
    for &(read, write) in &execution.rmw {
        let others = writes(execution, execution.event(read));
        let others = others.filter(|&other| other != write && execution.event(other).thread.is_some());
        all.extend(others.map(|other| Any(vec![Before(other, read), Before(write, other)])));
    }
    All(all)
}

fn is_true(constraint: &Constraint) -> bool {
    match constraint {
        Before(..) => false,
        All(parts) => parts.iter().all(is_true),
        Any(parts) => parts.iter().any(is_true),
    }
}

/// `O1 < O2 & (O3 < O1 | O2 < O3)`.
fn infix(constraint: &Constraint, initial: u32, inside: bool) -> String {
    let joined = |parts: &[Constraint], word: &str, empty: &str| {
        let parts: Vec<&Constraint> = parts.iter().filter(|part| !is_true(part)).collect();
        let all = || parts.iter().map(|part| infix(part, initial, true)).collect::<Vec<_>>().join(word);
        match &parts[..] {
            [] => empty.to_string(),
            [one] => infix(one, initial, inside),
            _ if inside => format!("({})", all()),
            _ => all(),
        }
    };
    match constraint {
        _ if is_true(constraint) => "true".into(),
        Before(a, b) => format!("{} < {}", variable(*a, initial), variable(*b, initial)),
        All(parts) => joined(parts, " & ", "true"),
        Any(parts) => joined(parts, " | ", "false"),
    }
}

/// `(and (< O1 O2) (or (< O3 O1) (< O2 O3)))`.
fn prefix(constraint: &Constraint, initial: u32) -> String {
    let joined = |parts: &[Constraint], word: &str, empty: &str| match parts {
        [] => empty.to_string(),
        [one] => prefix(one, initial),
        all => format!("({word} {})", all.iter().map(|part| prefix(part, initial)).collect::<Vec<_>>().join(" ")),
    };
    match constraint {
        Before(a, b) => format!("(< {} {})", variable(*a, initial), variable(*b, initial)),
        All(parts) => joined(parts, "and", "true"),
        Any(parts) => joined(parts, "or", "false"),
    }
}
