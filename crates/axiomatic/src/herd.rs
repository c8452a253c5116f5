//! Events as herd's models see them.
//!
//! The engine makes two events of every read-modify-write, its read before its write in program order, and so do the shipped
//! models ([`EventView::Parts`]). herd's models speak of other events, which are made from those here:
//! - A read-modify-write of C that succeeds is one event, both read and write, and the only member of `RMW`; one that fails is a
//!   read. It never reads what it writes itself, and `rmw` does not speak of it.
//! - A locked instruction of x86 is two events, related by `rmw`. Program order relates instructions, and of a litmus test in C
//!   statements: it does not relate what one of them does (`iico_data` and `iico_ctrl` do that).
//! - A read-modify-write of the Linux kernel is two events, too, and both are in `RMW`, also the read of one that fails.
//! - Initial writes belong to no thread: `int` has none of them, and `ext` no two.
//! - `NA` is all that is not atomic, fences included.
//! - No value comes about in a circle: herd gives every event its value by following data from the writes of constants on, and
//!   an execution in which some value is not found so does not exist (`require_grounded_values`).

use std::collections::BTreeMap;

use program::{Access, EventKind, Execution, Order};
use relation::{Bit, Circuit, Matrix, Pairs, Universe};

use crate::events::{Events, SymbolicEvent};
use crate::model::EventView;
use crate::vocabulary::belongs;
use crate::walk::Rewrite;

/// Which events of the engine are one event to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atoms {
    /// By event: the atom it is part of.
    of: Vec<usize>,
    /// By atom: its first event, of which most of what is said of the atom is true.
    pub(crate) first: Vec<usize>,
    /// By atom: the write that is part of it besides.
    pub(crate) write: Vec<Option<usize>>,
}

impl Atoms {
    /// Each event is an atom, but for those writes that belong to a read: `read_of` gives it. A read comes before its write.
    fn new(events: usize, read_of: impl Fn(usize) -> Option<usize>) -> Atoms {
        let mut atoms = Atoms { of: Vec::new(), first: Vec::new(), write: Vec::new() };
        for event in 0..events {
            match read_of(event) {
                Some(read) => {
                    let atom = atoms.of[read];
                    atoms.of.push(atom);
                    atoms.write[atom] = Some(event);
                }
                None => {
                    atoms.of.push(atoms.first.len());
                    atoms.first.push(event);
                    atoms.write.push(None);
                }
            }
        }
        atoms
    }

    /// The atoms of possible events.
    pub fn of_events(events: &[SymbolicEvent], view: EventView) -> Atoms {
        let is_ordered = |event: &SymbolicEvent| event.accesses.iter().any(|(access, _)| access.order != Order::Plain);
        let read_of =
            |event: usize| events[event].read.filter(|_| view == EventView::Herd && is_ordered(&events[event]));
        Atoms::new(events.len(), read_of)
    }

    /// The atoms of an execution.
    pub fn of_execution(execution: &Execution, view: EventView) -> Atoms {
        let is_part = |write: usize| {
            let access = &execution.events[write].access;
            access.order != Order::Plain && access.tags.iter().any(|tag| &**tag == "X")
        };
        let read_of = |event: usize| {
            let pair = execution.rmw.iter().find(|(_, write)| write.0 as usize == event);
            pair.filter(|_| view == EventView::Herd && is_part(event)).map(|(read, _)| read.0 as usize)
        };
        Atoms::new(execution.events.len(), read_of)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.first.len()
    }

    /// The atom that an event is part of.
    pub fn of(&self, event: usize) -> usize {
        self.of[event]
    }

    /// The first event of an atom.
    pub fn first(&self, atom: usize) -> usize {
        self.first[atom]
    }

    /// Whether each event is an atom.
    pub fn are_events(&self) -> bool {
        self.first.len() == self.of.len()
    }

    /// Whether the event is a write that is part of the atom of its read.
    pub fn is_second(&self, event: usize) -> bool {
        self.first[self.of[event]] != event
    }

    /// The universe of the events as one of the atoms: an atom is there when its first event is.
    pub fn universe(&self, universe: &Universe) -> Universe {
        let restrict = |pairs: &Pairs| {
            let pairs = pairs.iter().filter(|&(x, y)| !self.is_second(x) && !self.is_second(y));
            Pairs::from_pairs(self.count(), pairs.map(|(x, y)| (self.of(x), self.of(y))))
        };
        Universe {
            present: self.first.iter().map(|&event| universe.present[event]).collect(),
            implies: restrict(&universe.implies),
            exclusive: restrict(&universe.exclusive),
        }
    }

    /// A relation between events as one between atoms; a write that is part of an atom must happen.
    pub fn lift(&self, matrix: &Matrix, events: &[SymbolicEvent], circuit: &mut Circuit) -> Matrix {
        let mut cases: BTreeMap<(usize, usize), Vec<Bit>> = BTreeMap::new();
        for (x, y, bit) in matrix.entries() {
            let mut parts = vec![bit];
            parts.extend([x, y].into_iter().filter(|&event| self.is_second(event)).map(|event| events[event].guard));
            cases.entry((self.of(x), self.of(y))).or_default().push(circuit.and(&parts));
        }
        let entries: Vec<_> = cases.into_iter().map(|((x, y), bits)| (x, y, circuit.or(&bits))).collect();
        Matrix::from_entries(self.count(), entries)
    }

    /// A relation of which the writes that are part of an atom have no pairs of their own.
    pub fn lift_first(&self, matrix: &Matrix) -> Matrix {
        let entries = matrix.entries().filter(|&(x, y, _)| !self.is_second(x) && !self.is_second(y));
        Matrix::from_entries(self.count(), entries.map(|(x, y, bit)| (self.of(x), self.of(y), bit)))
    }

    /// Pairs of events as pairs of atoms.
    pub fn lift_pairs(&self, pairs: &Pairs) -> Pairs {
        Pairs::from_pairs(self.count(), pairs.iter().map(|(x, y)| (self.of(x), self.of(y))))
    }

    /// Pairs of events, of which the writes that are part of an atom have none of their own, as pairs of atoms.
    pub fn lift_first_pairs(&self, pairs: &Pairs) -> Pairs {
        let pairs = pairs.iter().filter(|&(x, y)| !self.is_second(x) && !self.is_second(y));
        Pairs::from_pairs(self.count(), pairs.map(|(x, y)| (self.of(x), self.of(y))))
    }

    /// The atoms with a write in them, as pairs.
    pub fn with_write(&self) -> Pairs {
        let atoms = (0..self.count()).filter(|&atom| self.write[atom].is_some());
        Pairs::from_pairs(self.count(), atoms.map(|atom| (atom, atom)))
    }
}

/// Whether events of the kind may be in `NA`.
pub(crate) fn is_access_or_fence(kind: EventKind) -> bool {
    matches!(kind, EventKind::Read | EventKind::Write | EventKind::Fence)
}

/// Requires that every value is found by following data: from a write to the reads that see it, from a read to the writes whose
/// values are computed from it. A compare-exchange of C that succeeds knows what it read without that: what it expected.
pub(crate) fn require_grounded_values(
    events: &Events,
    atoms: &Atoms,
    rf: &Matrix,
    universe: &Universe,
    circuit: &mut Circuit,
) {
    let list = &events.events;
    let mut edges: Vec<(usize, usize, Bit)> = Vec::new();
    for (write, event) in list.iter().enumerate().filter(|(_, event)| event.kind == EventKind::Write) {
        edges.extend(event.flow.iter().map(|&(read, when)| (read, write, when)));
        if event.rewrite == Some(Rewrite::Compute) {
            edges.extend(event.read.map(|read| (read, write, Bit::TRUE)));
        }
    }
    if edges.is_empty() {
        return;
    }
    let succeeds: BTreeMap<usize, Bit> = list
        .iter()
        .enumerate()
        .filter(|&(write, event)| event.rewrite == Some(Rewrite::Compare) && atoms.is_second(write))
        .filter_map(|(_, event)| Some((event.read?, event.guard)))
        .collect();
    for (write, read, bit) in rf.entries().filter(|&(write, ..)| list[write].thread.is_some()) {
        let known = succeeds.get(&read).copied().unwrap_or(Bit::FALSE);
        edges.push((write, read, circuit.and(&[bit, !known])));
    }
    let graph = circuit.graph(list.len());
    for (x, y, bit) in edges {
        let both = universe.both(circuit, x, y);
        let active = circuit.and(&[bit, both]);
        circuit.edge(graph, x as u32, y as u32, active);
    }
}

/// A base relation or set between the atoms of herd's models, on an execution. `of_events` gives those between events.
pub(crate) fn atom_relation(
    execution: &Execution,
    atoms: &Atoms,
    name: &str,
    of_events: &dyn Fn(&str) -> Pairs,
) -> Pairs {
    let thread = |event: usize| execution.events[event].thread;
    let instance = |event: usize| execution.instances.get(event).copied().unwrap_or(u32::MAX - event as u32);
    let select = |pairs: Pairs, holds: &dyn Fn(usize, usize) -> bool| {
        let pairs = pairs.iter().filter(|&(x, y)| holds(atoms.first(x), atoms.first(y)));
        Pairs::from_pairs(atoms.count(), pairs)
    };
    let all = || Pairs::full(atoms.count());
    let apart = |pairs: Pairs| pairs.difference(&Pairs::identity(atoms.count()));
    match name {
        "rf" | "co" | "FW" => atoms.lift_pairs(&of_events(name)),
        "fr" => {
            let (rf, co) = (atoms.lift_pairs(&of_events("rf")), atoms.lift_pairs(&of_events("co")));
            apart(rf.inverse().sequence(&co))
        }
        "data" => {
            let computed = execution.computed.iter().map(|&(read, write)| (read.0 as usize, write.0 as usize));
            let own = Pairs::from_pairs(execution.events.len(), computed.filter(|&(_, write)| !atoms.is_second(write)));
            atoms.lift_pairs(&of_events("data").union(&own))
        }
        "po" => select(atoms.lift_first_pairs(&of_events("po")), &|x, y| instance(x) != instance(y)),
        "int" => select(all(), &|x, y| thread(x).is_some() && thread(x) == thread(y)),
        "ext" => select(all(), &|x, y| thread(x) != thread(y)),
        "rmw" | "amo" | "iico_data" | "iico_ctrl" | "iico_order" => apart(atoms.lift_first_pairs(&of_events(name))),
        "same-instance" => select(all(), &|x, y| thread(x).is_some() && instance(x) == instance(y)),
        "W" => atoms.lift_pairs(&of_events("W")),
        "RMW" => {
            let is_of_kernel = |x: usize| execution.events[x].access.has(Access::KERNEL_UPDATE);
            atoms.with_write().union(&select(Pairs::identity(atoms.count()), &|x, _| is_of_kernel(x)))
        }
        "NA" => {
            let event = |event: usize| &execution.events[event];
            let is_atomic = |x: usize| belongs("A", event(x).kind, thread(x).is_none(), &event(x).access);
            let plain = |x: usize, y: usize| x == y && is_access_or_fence(event(x).kind) && !is_atomic(x);
            select(all(), &plain)
        }
        _ => atoms.lift_first_pairs(&of_events(name)),
    }
}
