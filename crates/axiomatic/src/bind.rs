//! The vocabulary of models as matrices over the possible events of one execution.
//!
//! `rf` is one choice per read, `co` one total order per cell; both are tied to values and addresses.

mod atoms;

use program::{Access, EventKind, Pointer, Unsupported, Value};
use relation::{Bit, Circuit, Matrix, Pairs, Universe};

use crate::chain::{Chains, freezes};
use crate::events::{Events, SymbolicEvent, meet};
use crate::flow::orders_coherence;
use crate::herd::{Atoms, require_grounded_values};
use crate::model::{EventView, Model};
use crate::selector::Statements;
use crate::setting::Setting;
use crate::symbolic::Symbolic;
use crate::unroll::Unrolling;
use crate::values::{Source, Unseen};
use crate::vocabulary::{belongs, value_of_set};
use crate::walk::{Rewrite, is_allocation, is_end, is_marker};

/// The vocabulary on the events of one execution.
pub struct Vocabulary<'a> {
    setting: &'a Setting<'a>,
    events: &'a Events,
    universe: &'a Universe,
    /// What the model takes for events.
    pub atoms: Atoms,
    /// Which write each read sees.
    pub rf: Matrix,
    /// Accesses of the same cell.
    loc: Matrix,
    /// The order of the writes of each cell.
    pub co: Matrix,
    /// How threads came to the addresses of objects, if the model asks.
    pub chains: Chains,
}

impl<'a> Vocabulary<'a> {
    /// Chooses `rf` and `co`.
    pub fn new(
        setting: &'a Setting<'a>,
        events: &'a Events,
        universe: &'a Universe,
        statements: Statements,
        circuit: &mut Circuit,
    ) -> Result<Vocabulary<'a>, Unsupported> {
        let view = setting.model.view;
        let atoms = Atoms::of_events(&events.events, view);
        let rf = reads_from(events, universe, &atoms, &setting.unseen, circuit);
        if view == EventView::Herd {
            require_grounded_values(events, &atoms, &rf, universe, circuit);
        }
        let loc = same_place(&events.events, is_access, universe, circuit);
        let co = coherence(events, &loc, circuit);
        // An axiom that may be left out is not to be relied on.
        if statements == Statements::Selected || !orders_coherence(&setting.model) {
            require_order(events, &co, universe, circuit);
        }
        let chains = Chains::new(setting, events, &rf, circuit);
        Ok(Vocabulary { setting, events, universe, atoms, rf, loc, co, chains })
    }

    /// The matrix of a base relation or set, between what the model takes for events.
    pub fn matrix(&self, name: &str, circuit: &mut Circuit) -> Result<Matrix, Unsupported> {
        match self.setting.model.view {
            EventView::Parts => self.of_events(name, circuit),
            EventView::Herd => self.of_atoms(name, circuit),
        }
    }

    /// The matrix of a base relation or set between events. A set that nothing is known of holds the events with that tag.
    fn of_events(&self, name: &str, circuit: &mut Circuit) -> Result<Matrix, Unsupported> {
        let list = &self.events.events;
        let size = list.len();
        let same_thread = |x: usize, y: usize| list[x].thread.is_some() && list[x].thread == list[y].thread;
        let exclusive = &self.universe.exclusive;
        let pairs = |holds: &dyn Fn(usize, usize) -> bool| {
            let all = (0..size).flat_map(|x| (0..size).map(move |y| (x, y)));
            Matrix::constant(&Pairs::from_pairs(size, all.filter(|&(x, y)| holds(x, y))))
        };
        Ok(match name {
            "rf" => self.rf.clone(),
            "co" => self.co.clone(),
            "loc" => self.loc.clone(),
            "fr" => self.rf.inverse().sequence(&self.co, None, self.universe, circuit),
            "po" => Matrix::constant(&self.events.po),
            "int" => pairs(&|x, y| !exclusive.contains(x, y) && (x == y || same_thread(x, y))),
            "ext" => pairs(&|x, y| x != y && !same_thread(x, y)),
            "addr" => dependencies(list, |event| &event.addr),
            "data" => dependencies(list, |event| &event.data),
            "ctrl" => dependencies(list, |event| &event.ctrl),
            // No front end has load-linked and store-conditional yet: every read-modify-write is one instruction.
            "rmw" | "amo" => {
                let pairs = updates(list).map(|(read, write)| (read, write, Bit::TRUE));
                let pairs = pairs.filter(|&(read, write, _)| !exclusive.contains(read, write));
                Matrix::from_entries(size, pairs)
            }
            "atomic-block" => {
                pairs(&|x, y| !exclusive.contains(x, y) && list[x].atomic.is_some() && list[x].atomic == list[y].atomic)
            }
            "sm" => self.of_events("M", circuit)?,
            "si" => Matrix::constant(&Pairs::identity(size)),
            "same-instance" => {
                pairs(&|x, y| !exclusive.contains(x, y) && same_thread(x, y) && list[x].instance == list[y].instance)
            }
            "iico_data" => {
                let data = dependencies(list, |event| &event.data);
                let inside = data.map(|x, y, bit| if list[x].instance == list[y].instance { bit } else { Bit::FALSE });
                inside.union(&rewrites(list, |rewrite| rewrite == Rewrite::Compute), circuit)
            }
            "iico_ctrl" => rewrites(list, |rewrite| rewrite != Rewrite::Compute),
            "iico_order" => Matrix::empty(size),
            "monitor" => same_place(list, is_on_monitor, self.universe, circuit),
            "val" => same_value(list, self.universe, circuit),
            "freezes" => freezes(list, circuit),
            "dereferences" => self.chains.dereferences.clone(),
            "memory-chain" => self.chains.memory.clone(),
            "matching" => matching(self.events, circuit),
            "allocates" => allocates(self.events, circuit),
            "frees" => frees(self.events, &self.setting.unrolling, circuit),
            "ends-before" => {
                let order = self.setting.program.ordered_threads();
                pairs(&|x, y| {
                    let (first, second) = (list[x].thread, list[y].thread);
                    let ordered = || order.iter().any(|&(a, b)| first == Some(a) && second == Some(b));
                    list[x].kind == EventKind::End && list[y].kind == EventKind::Start && ordered()
                })
            }
            "FW" => {
                let last: Vec<Bit> = (0..size).map(|write| coherence_last(write, list, &self.co, circuit)).collect();
                Matrix::set(&last)
            }
            set if value_of_set(set).is_some() => {
                let number = value_of_set(set).unwrap_or_default();
                let bits: Vec<Bit> = list.iter().map(|event| has_value(event, number, circuit)).collect();
                Matrix::set(&bits)
            }
            family if family.contains('#') => {
                let bits: Vec<Bit> = list.iter().map(|event| member_of_family(family, event)).collect();
                Matrix::set(&bits)
            }
            set => {
                let bits: Vec<Bit> = list.iter().map(|event| member_of_set(set, event, circuit)).collect();
                Matrix::set(&bits)
            }
        })
    }
}

/// The read of each read-modify-write that does so with what it read, to its write.
fn rewrites(list: &[SymbolicEvent], does: impl Fn(Rewrite) -> bool) -> Matrix {
    let writes = list.iter().enumerate().filter(|(_, event)| event.rewrite.is_some_and(&does));
    Matrix::from_entries(list.len(), writes.filter_map(|(write, event)| Some((event.read?, write, Bit::TRUE))))
}

/// Reads and writes of one atomic step of one cell: of a read-modify-write, or of an atomic block that accesses nothing
/// else.
pub(crate) fn updates(list: &[SymbolicEvent]) -> impl Iterator<Item = (usize, usize)> {
    let writes = list.iter().enumerate().filter(|(_, event)| event.kind == EventKind::Write);
    writes.flat_map(|(write, event)| {
        let in_block = |&read: &usize| {
            let other = &list[read];
            other.kind == EventKind::Read && other.atomic == event.atomic && other.at == event.at
        };
        let block = event.atomic.is_some() && event.read.is_none() && is_of_one_cell(list, event);
        let reads = if block { (0..write).rev().find(in_block) } else { None };
        event.read.into_iter().chain(reads).map(move |read| (read, write))
    })
}

/// Whether all accesses of the event's atomic block are of the same cell.
fn is_of_one_cell(list: &[SymbolicEvent], event: &SymbolicEvent) -> bool {
    list.iter().filter(|other| other.atomic == event.atomic && is_access(other)).all(|other| other.at == event.at)
}

/// What a model that does not speak of atomic blocks cannot keep together.
pub fn refuse_wide_blocks(events: &Events, model: &Model) -> Result<(), Unsupported> {
    let list = &events.events;
    let wide = list.iter().find(|event| event.atomic.is_some() && is_access(event) && !is_of_one_cell(list, event));
    match wide {
        Some(event) => {
            let what = format!("an atomic step of several cells under the model {}", model.name);
            Err(Unsupported::new(what, event.span))
        }
        None => Ok(()),
    }
}

/// Allocations to the accesses of the block by other threads.
fn allocates(events: &Events, circuit: &mut Circuit) -> Matrix {
    let is_allocation =
        |cell: &Pointer, access: &Access, event: &SymbolicEvent| is_allocation(cell, access, event.atomic);
    with_accesses(events, is_allocation, is_access, circuit)
}

/// Writes to where another thread frees the block or ends its life; memory of a pool may be written after it was freed.
fn frees(events: &Events, unrolling: &Unrolling, circuit: &mut Circuit) -> Matrix {
    let may_end = |block: u32| unrolling.heap.contains(&block) || unrolling.ending.contains(&block);
    let is_end = |cell: &Pointer, access: &Access, _: &SymbolicEvent| may_end(cell.allocation) && is_end(cell, access);
    with_accesses(events, is_end, |event| event.kind == EventKind::Write, circuit).inverse()
}

/// Certain writes of the cell that says whether a block is allocated to the accesses of the block by other threads.
fn with_accesses(
    events: &Events,
    is_marked: impl Fn(&Pointer, &Access, &SymbolicEvent) -> bool,
    counts: fn(&SymbolicEvent) -> bool,
    circuit: &mut Circuit,
) -> Matrix {
    let Events { events: list, cells, .. } = events;
    let marked = |event: &SymbolicEvent| {
        let is_write = event.thread.is_some() && event.kind == EventKind::Write;
        let [(access, _)] = &event.accesses[..] else { return false };
        is_write && event.at.iter().any(|&(cell, _)| is_marked(&cells[cell], access, event))
    };
    let mut entries = Vec::new();
    for (x, mark) in list.iter().enumerate().filter(|(_, event)| marked(event)) {
        let is_other = |event: &SymbolicEvent| event.thread.is_some() && event.thread != mark.thread;
        for (y, access) in list.iter().enumerate().filter(|(_, event)| counts(event) && is_other(event)) {
            let meets = same_block(mark, access, cells, circuit);
            if meets != Bit::FALSE {
                entries.push((x, y, meets));
            }
        }
    }
    Matrix::from_entries(list.len(), entries)
}

/// When an access is one of the block of which another event says whether it is allocated.
fn same_block(mark: &SymbolicEvent, access: &SymbolicEvent, cells: &[Pointer], circuit: &mut Circuit) -> Bit {
    let mut cases = Vec::new();
    for &(cell, here) in mark.at.iter().filter(|&&(cell, _)| is_marker(&cells[cell])) {
        let in_block = |&&(other, _): &&(usize, Bit)| {
            cells[other].allocation == cells[cell].allocation && !is_marker(&cells[other])
        };
        for &(_, there) in access.at.iter().filter(in_block) {
            cases.push(circuit.and(&[here, there]));
        }
    }
    circuit.or(&cases)
}

/// When an event is in a set of the vocabulary: that may depend on how the model sees the access.
fn member_of_set(set: &str, event: &SymbolicEvent, circuit: &mut Circuit) -> Bit {
    let in_set = |access: &Access| belongs(set, event.kind, event.thread.is_none(), access);
    let cases: Vec<Bit> = event.accesses.iter().filter(|(access, _)| in_set(access)).map(|&(_, when)| when).collect();
    if cases.len() == event.accesses.len() { Bit::TRUE } else { circuit.or(&cases) }
}

/// The choice of a write for each read.
fn reads_from(events: &Events, universe: &Universe, atoms: &Atoms, unseen: &Unseen, circuit: &mut Circuit) -> Matrix {
    let list = &events.events;
    let first = events.cells.len();
    let source = |write: usize| match write.checked_sub(first) {
        Some(event) => Source::Event(event),
        None => Source::Initial(events.cells[write].clone()),
    };
    let mut entries = Vec::new();
    let reads = list.iter().enumerate().filter(|(_, event)| event.kind == EventKind::Read && event.guard != Bit::FALSE);
    for (read, reader) in reads {
        let mut sources = Vec::new();
        for (write, writer) in list.iter().enumerate().filter(|(_, event)| event.kind == EventKind::Write) {
            // What is one event to the model does not read from itself.
            if atoms.of(write) == atoms.of(read) {
                continue;
            }
            if writer.guard == Bit::FALSE || unseen.pairs.contains(&(source(write), read - first)) {
                continue;
            }
            let alias = meet(reader, writer, circuit);
            if alias != Bit::FALSE && !universe.exclusive.contains(write, read) {
                sources.push((write, alias));
            }
        }
        // A read through something that is no pointer sees nothing; that is an error, reported as such.
        let places: Vec<Bit> = reader.at.iter().map(|&(_, here)| here).collect();
        let somewhere = circuit.or(&places);
        let sees = circuit.and(&[reader.guard, somewhere]);
        let only = sources.len() == 1;
        let mut choices = Vec::new();
        for (write, alias) in sources {
            let writer = &list[write];
            let chosen = if only { sees } else { circuit.fresh() };
            circuit.clause(&[!chosen, alias]);
            circuit.clause(&[!chosen, writer.guard]);
            circuit.clause(&[!chosen, reader.guard]);
            if let (Some(written), Some(seen)) = (&writer.value, &reader.value) {
                tie(chosen, written, seen, circuit);
                for (atom, when) in &written.atoms {
                    let Value::Pointer(pointer) = atom else { continue };
                    if unseen.pointers.contains(&(source(write), read - first, pointer.allocation)) {
                        circuit.clause(&[!chosen, !*when]);
                    }
                }
            }
            choices.push(chosen);
            entries.push((write, read, if only { somewhere } else { chosen }));
        }
        let mut some = choices.clone();
        some.push(!sees);
        circuit.clause(&some);
        at_most_one(&choices, circuit);
    }
    Matrix::from_entries(list.len(), entries)
}

/// Requires equal values while `when`. A number that was written with another width is undefined to who reads it, unless it
/// is 0: such an access reaches into another member than its own.
fn tie(when: Bit, a: &Symbolic, b: &Symbolic, circuit: &mut Circuit) {
    if !a.bits.is_empty() && !b.bits.is_empty() && a.bits.len() != b.bits.len() {
        return tie_widths(when, a, b, circuit);
    }
    let mut equal = |x: Bit, y: Bit| {
        circuit.clause(&[!when, !x, y]);
        circuit.clause(&[!when, x, !y]);
    };
    equal(a.integer, b.integer);
    equal(a.undefined, b.undefined);
    for (atom, _) in a.atoms.iter().chain(&b.atoms) {
        equal(a.is_atom(atom), b.is_atom(atom));
    }
    // The bits of what is no integer mean nothing.
    for (&x, &y) in a.bits.iter().zip(&b.bits) {
        circuit.clause(&[!when, !a.integer, !x, y]);
        circuit.clause(&[!when, !a.integer, x, !y]);
    }
}

/// What [`tie`] requires of numbers of different widths.
fn tie_widths(when: Bit, a: &Symbolic, b: &Symbolic, circuit: &mut Circuit) {
    let nonzero = circuit.or(&a.bits);
    let is_zero = circuit.and(&[a.integer, !nonzero]);
    let is_other = circuit.and(&[a.integer, nonzero]);
    let undefined = circuit.or(&[a.undefined, is_other]);
    let mut equal = |x: Bit, y: Bit| {
        circuit.clause(&[!when, !x, y]);
        circuit.clause(&[!when, x, !y]);
    };
    equal(is_zero, b.integer);
    equal(undefined, b.undefined);
    for (atom, _) in a.atoms.iter().chain(&b.atoms) {
        equal(a.is_atom(atom), b.is_atom(atom));
    }
    for &bit in &b.bits {
        circuit.clause(&[!when, !is_zero, !bit]);
    }
}

/// Pairwise while there are few, else by a ladder of prefixes.
fn at_most_one(bits: &[Bit], circuit: &mut Circuit) {
    if bits.len() <= 8 {
        for (index, &a) in bits.iter().enumerate() {
            for &b in &bits[index + 1..] {
                circuit.clause(&[!a, !b]);
            }
        }
        return;
    }
    let mut before = bits[0];
    for &bit in &bits[1..] {
        circuit.clause(&[!before, !bit]);
        let upto = circuit.fresh();
        circuit.clause(&[!before, upto]);
        circuit.clause(&[!bit, upto]);
        before = upto;
    }
}

fn is_access(event: &SymbolicEvent) -> bool {
    matches!(event.kind, EventKind::Read | EventKind::Write) && event.guard != Bit::FALSE
}

fn is_on_monitor(event: &SymbolicEvent) -> bool {
    matches!(event.kind, EventKind::Lock | EventKind::Unlock)
}

/// Whether an event belongs to a member of a family: `thread#1`, `location#0`.
fn member_of_family(family: &str, event: &SymbolicEvent) -> Bit {
    let member = family.split_once('#').and_then(|(name, number)| Some((name, number.parse::<usize>().ok()?)));
    match member {
        Some(("thread", number)) => Bit::constant(event.thread.is_some_and(|thread| thread.0 as usize == number)),
        Some(("location", number)) if is_access(event) => {
            event.at.iter().find(|&&(cell, _)| cell == number).map_or(Bit::FALSE, |&(_, here)| here)
        }
        _ => Bit::FALSE,
    }
}

/// Each lock to the unlock that ends its critical section, for outermost locks.
///
/// A section may end in several places, on different paths, and other sections of the same monitor may stand in branches
/// that are not taken: so both whether a lock is outermost and which unlock ends its section depend on what happens.
/// Events of a thread stand in an order that extends program order, so those that happen are met in the order in which
/// they happen.
fn matching(events: &Events, circuit: &mut Circuit) -> Matrix {
    let list = &events.events;
    let mut entries = Vec::new();
    for (lock, event) in list.iter().enumerate().filter(|(_, event)| event.kind == EventKind::Lock) {
        let is_near = |&other: &usize| is_on_monitor(&list[other]) && list[other].thread == event.thread;
        let near: Vec<usize> = (0..list.len()).filter(is_near).collect();
        let mut held = Held::never();
        for &earlier in near.iter().filter(|&&earlier| events.po.contains(earlier, lock)) {
            held.pass(&list[earlier], event, circuit);
        }
        let outermost = held.free();
        let mut held = Held::once();
        // Whether the section has not ended yet: the thread may enter others of the same monitor afterwards.
        let mut is_open = Bit::TRUE;
        for &later in near.iter().filter(|&&later| events.po.contains(lock, later)) {
            if list[later].kind == EventKind::Unlock {
                let same = meet(event, &list[later], circuit);
                let ends = circuit.and(&[is_open, held.is_held_once(), same]);
                entries.push((lock, later, circuit.and(&[outermost, ends])));
                let has_ended = circuit.and(&[ends, list[later].guard]);
                is_open = circuit.and(&[is_open, !has_ended]);
            }
            held.pass(&list[later], event, circuit);
        }
    }
    Matrix::from_entries(list.len(), entries)
}

/// How often a thread holds a monitor: exactly one of the bits is true.
struct Held(Vec<Bit>);

impl Held {
    fn never() -> Held {
        Held(vec![Bit::TRUE])
    }

    fn once() -> Held {
        Held(vec![Bit::FALSE, Bit::TRUE])
    }

    fn free(&self) -> Bit {
        self.0[0]
    }

    fn is_held_once(&self) -> Bit {
        self.0.get(1).copied().unwrap_or(Bit::FALSE)
    }

    /// After an event of the thread, if that happens and is one of the monitor of `lock`. What is not held stays so.
    fn pass(&mut self, event: &SymbolicEvent, lock: &SymbolicEvent, circuit: &mut Circuit) {
        let same = meet(event, lock, circuit);
        let passed = circuit.and(&[event.guard, same]);
        let locks = event.kind == EventKind::Lock;
        let before = |count: usize| self.0.get(count).copied().unwrap_or(Bit::FALSE);
        let counts = 0..self.0.len() + usize::from(locks);
        let after = counts.map(|count| match (locks, count) {
            (true, 0) => circuit.ite(passed, Bit::FALSE, before(0)),
            (true, _) => circuit.ite(passed, before(count - 1), before(count)),
            (false, 0) => {
                let last = circuit.and(&[passed, before(1)]);
                circuit.or(&[before(0), last])
            }
            (false, _) => circuit.ite(passed, before(count + 1), before(count)),
        });
        self.0 = after.collect();
    }
}

/// The events of a kind that are at the same place.
fn same_place(
    list: &[SymbolicEvent],
    counts: fn(&SymbolicEvent) -> bool,
    universe: &Universe,
    circuit: &mut Circuit,
) -> Matrix {
    let mut entries = Vec::new();
    for (x, a) in list.iter().enumerate().filter(|(_, event)| counts(event)) {
        entries.push((x, x, Bit::TRUE));
        for (y, b) in list.iter().enumerate().skip(x + 1).filter(|(_, event)| counts(event)) {
            if !universe.exclusive.contains(x, y) {
                let bit = meet(a, b, circuit);
                entries.push((x, y, bit));
                entries.push((y, x, bit));
            }
        }
    }
    Matrix::from_entries(list.len(), entries)
}

/// When two events have the same value.
fn same_value(list: &[SymbolicEvent], universe: &Universe, circuit: &mut Circuit) -> Matrix {
    let valued =
        |from: usize| list.iter().enumerate().skip(from).filter_map(|(x, event)| Some((x, event.value.as_ref()?)));
    let mut entries = Vec::new();
    for (x, a) in valued(0) {
        entries.push((x, x, Bit::TRUE));
        for (y, b) in valued(x + 1) {
            if !universe.exclusive.contains(x, y) {
                let bit = a.same(b, circuit);
                entries.extend([(x, y, bit), (y, x, bit)]);
            }
        }
    }
    Matrix::from_entries(list.len(), entries)
}

/// When the value of an event is this number.
fn has_value(event: &SymbolicEvent, number: i64, circuit: &mut Circuit) -> Bit {
    event.value.as_ref().map_or(Bit::FALSE, |value| value.is_value(&Value::int(number, 64), circuit))
}

/// For each two writes of a cell one that comes first; initial writes come before all others.
fn coherence(events: &Events, loc: &Matrix, circuit: &mut Circuit) -> Matrix {
    let list = &events.events;
    let writes: Vec<usize> = (0..list.len()).filter(|&e| list[e].kind == EventKind::Write).collect();
    let mut entries = Vec::new();
    for (index, &x) in writes.iter().enumerate() {
        for &y in &writes[index + 1..] {
            let same = loc.get(x, y);
            match (same, list[x].thread, list[y].thread) {
                (Bit::FALSE, ..) | (_, None, None) => {}
                (_, None, _) => entries.push((x, y, same)),
                _ => {
                    let forth = circuit.fresh();
                    entries.push((x, y, circuit.and(&[forth, same])));
                    entries.push((y, x, circuit.and(&[!forth, same])));
                }
            }
        }
    }
    Matrix::from_entries(list.len(), entries)
}

/// Requires that coherence is an order.
fn require_order(events: &Events, co: &Matrix, universe: &Universe, circuit: &mut Circuit) {
    let list = &events.events;
    let graph = circuit.graph(list.len());
    for (x, y, bit) in co.entries().filter(|&(x, ..)| list[x].thread.is_some()) {
        let both = universe.both(circuit, x, y);
        let active = circuit.and(&[bit, both]);
        circuit.edge(graph, x as u32, y as u32, active);
    }
}

fn dependencies(list: &[SymbolicEvent], of: impl Fn(&SymbolicEvent) -> &Vec<(usize, Bit)>) -> Matrix {
    let entries = list
        .iter()
        .enumerate()
        .flat_map(|(event, data)| of(data).iter().map(move |&(read, when)| (read, event, when)).collect::<Vec<_>>());
    Matrix::from_entries(list.len(), entries)
}

/// When no write of its cell is coherence-after this write.
pub(crate) fn coherence_last(write: usize, list: &[SymbolicEvent], co: &Matrix, circuit: &mut Circuit) -> Bit {
    if list[write].kind != EventKind::Write {
        return Bit::FALSE;
    }
    let mut parts = Vec::new();
    for &(later, bit) in co.row(write) {
        parts.push(!circuit.and(&[bit, list[later as usize].guard]));
    }
    circuit.and(&parts)
}

/// What cells hold at the end: what the last write of each left there.
pub fn require_last_values(events: &Events, co: &Matrix, circuit: &mut Circuit) {
    let list = &events.events;
    for (&cell, value) in &events.last {
        for (write, event) in list.iter().enumerate() {
            let Some(&(_, here)) = event.at.iter().find(|&&(at, _)| at == cell) else { continue };
            let (Some(written), EventKind::Write) = (&event.value, event.kind) else { continue };
            let last = coherence_last(write, list, co, circuit);
            let last = circuit.and(&[last, here, event.guard]);
            tie(last, written, value, circuit);
        }
    }
}
