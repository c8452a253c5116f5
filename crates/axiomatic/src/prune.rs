//! Which writes can a read certainly not see? Found without search, to make problems smaller before they are solved.
//!
//! A pointer that a thread did not make itself it has read, from a write that made it or had read it before. So each
//! event with such a pointer comes after all that the first of these writes comes after, as far as the model orders the
//! steps on the way. For every read and every allocation that it may read a pointer into, `Before` is a set of events
//! that are certainly there and before the read, in the order of one acyclic axiom: what is certainly before the read
//! itself, and what is before each of the writes that it may have the pointer from. That is a greatest fixpoint, which is
//! right because values are grounded (see [`Flow`]): the sets hold for the read that is first in the flow of values,
//! then for the others.
//!
//! A read cannot see a write
//! - that is certainly after an event that the read is before: it would be before itself;
//! - that is certainly overwritten by a write that is certainly before the read.
//!
//! What the analysis leaves out makes the sets of possible values smaller, which leaves out more.

use std::collections::{BTreeMap, BTreeSet};

use program::{EventKind, Unsupported, Value};
use relation::{Bit, Expr, ExprId, Formula, Formulas, Mode, Pairs};

use crate::encoding::Encoding;
use crate::events::{Events, SymbolicEvent};
use crate::flow::{Flow, flow_of};
use crate::model::AxiomKind;
use crate::setting::Setting;
use crate::values::{Own, Source, Unseen, own_pointers};

/// What no execution lets reads see, as far as is found without search.
pub fn unseen(setting: &Setting, encoding: &mut Encoding) -> Result<Unseen, Unsupported> {
    if flow_of(setting.program, &setting.model) == Flow::Circular
        || setting.executions > 0
        || !encoding.atoms.are_events()
    {
        return Ok(Unseen::default());
    }
    let mut facts = Facts::new(setting, encoding)?;
    let axioms = setting.model.axioms.iter().filter(|axiom| axiom.kind == AxiomKind::Require);
    let mut orders = Vec::new();
    for axiom in axioms {
        match axiom.formula {
            Formula::Irreflexive(expr) => facts.exclude_loops(&setting.model.formulas, expr, encoding),
            Formula::Acyclic(expr) => orders.push(expr),
            _ => {}
        }
    }
    let formulas = &setting.model.formulas;
    let graphs: Vec<Graph> = orders.into_iter().map(|expr| Graph::new(formulas, expr, &facts, encoding)).collect();
    while graphs.iter().any(|graph| facts.exclude(graph)) {}
    Ok(facts.found(&encoding.events))
}

/// A set of events, one bit each.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Set(Vec<u64>);

impl Set {
    fn empty(size: usize) -> Set {
        Set(vec![0; size.div_ceil(64)])
    }

    fn full(size: usize) -> Set {
        Set(vec![!0; size.div_ceil(64)])
    }

    fn of(size: usize, members: impl Iterator<Item = usize>) -> Set {
        let mut set = Set::empty(size);
        members.for_each(|member| set.0[member / 64] |= 1 << (member % 64));
        set
    }

    fn contains(&self, member: usize) -> bool {
        self.0[member / 64] >> (member % 64) & 1 == 1
    }

    fn meets(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn join(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    fn keep(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }
}

/// A write that a read may see, with when.
type Choice = (usize, Bit);

/// A pointer into an allocation (by its place in [`Facts::allocations`]), with whether the thread may have made it itself.
type Target = (usize, bool);

/// What is known of the events.
struct Facts {
    size: usize,
    allocations: Vec<u32>,
    /// By event: of a read, the writes it may see.
    choices: Vec<Vec<Choice>>,
    /// By event: what the value written may point into.
    written: Vec<Vec<Target>>,
    /// By event: whether the value written may be no pointer.
    other: Vec<bool>,
    /// By event: the cells it may touch, each with what a pointer to it is.
    cells: Vec<Vec<(usize, Target)>>,
    /// By event: reads that its value and its address depend on.
    data: Vec<Vec<usize>>,
    addr: Vec<Vec<usize>>,
    /// By event: those that are never there together with it.
    excluded: Vec<Set>,
    implies: Pairs,
    initial: usize,
    /// Events that never happen.
    absent: Vec<usize>,
    /// Pairs of a write and a read that cannot see it.
    hidden: Pairs,
    /// By allocation, pairs of which this only holds while the value written points there.
    hidden_pointers: Vec<Pairs>,
}

impl Facts {
    fn new(setting: &Setting, encoding: &Encoding) -> Result<Facts, Unsupported> {
        let events = &encoding.events;
        let (list, initial) = (&events.events, events.cells.len());
        let size = list.len();
        let own = own_pointers(setting.unfolded(), &setting.values)?;
        let pointers = list.iter().flat_map(written_allocations).chain(events.cells.iter().map(|cell| cell.allocation));
        let allocations: Vec<u32> = pointers.collect::<BTreeSet<u32>>().into_iter().collect();
        let place = |allocation: u32| allocations.binary_search(&allocation).unwrap_or_default();
        let own = |event: usize, of: fn(&Own) -> &BTreeSet<u32>, allocation: u32| {
            event.checked_sub(initial).is_none_or(|index| of(&own[index]).contains(&allocation))
        };
        let mut choices: Vec<Vec<Choice>> = vec![Vec::new(); size];
        for (write, read, when) in encoding.rf.entries() {
            choices[read].push((write, when));
        }
        let never = |x: usize, y: usize| {
            let (x_there, y_there) = (list[x].guard, list[y].guard);
            encoding.translation.universe.exclusive.contains(x, y)
                || (list[x].thread == list[y].thread && encoding.circuit.evidently_excludes(x_there, y_there))
        };
        let written = |event: usize| -> Vec<Target> {
            let targets: BTreeSet<u32> = written_allocations(&list[event]).collect();
            targets.into_iter().map(|to| (place(to), own(event, |own| &own.written, to))).collect()
        };
        let cells = |event: usize| -> Vec<(usize, Target)> {
            let target = |cell: usize| {
                let allocation = events.cells[cell].allocation;
                (place(allocation), own(event, |own| &own.address, allocation))
            };
            list[event].at.iter().map(|&(cell, _)| (cell, target(cell))).collect()
        };
        let reads = |dependencies: &[(usize, Bit)]| dependencies.iter().map(|&(read, _)| read).collect();
        Ok(Facts {
            size,
            choices,
            written: (0..size).map(written).collect(),
            other: list.iter().map(may_be_no_pointer).collect(),
            cells: (0..size)
                .map(|event| {
                    if matches!(list[event].kind, EventKind::Read | EventKind::Write) {
                        cells(event)
                    } else {
                        Vec::new()
                    }
                })
                .collect(),
            data: list.iter().map(|event| reads(&event.data)).collect(),
            addr: list.iter().map(|event| reads(&event.addr)).collect(),
            excluded: (0..size).map(|x| Set::of(size, (0..size).filter(|&y| x != y && never(x, y)))).collect(),
            implies: encoding.translation.universe.implies.clone(),
            initial,
            absent: (initial..size).filter(|&event| list[event].guard == Bit::FALSE).collect(),
            hidden: Pairs::empty(size),
            hidden_pointers: vec![Pairs::empty(size); allocations.len()],
            allocations,
        })
    }

    /// What was found, by what stays the same when the program is encoded again.
    fn found(&self, events: &Events) -> Unseen {
        let source = |event: usize| match event.checked_sub(self.initial) {
            Some(index) => Source::Event(index),
            None => Source::Initial(events.cells[event].clone()),
        };
        let mut unseen = Unseen::default();
        unseen.pairs.extend(self.hidden.iter().map(|(write, read)| (source(write), read - self.initial)));
        for (pairs, &allocation) in self.hidden_pointers.iter().zip(&self.allocations) {
            let new = pairs.iter().filter(|&(write, read)| !self.hidden.contains(write, read));
            unseen.pointers.extend(new.map(|(write, read)| (source(write), read - self.initial, allocation)));
        }
        unseen.absent = self.absent.iter().map(|event| event - self.initial).collect();
        unseen
    }

    /// Reads that would make an irreflexive relation relate something to itself.
    fn exclude_loops(&mut self, formulas: &Formulas, expr: ExprId, encoding: &mut Encoding) {
        match *formulas.node(expr) {
            Expr::Union(a, b) => {
                self.exclude_loops(formulas, a, encoding);
                self.exclude_loops(formulas, b, encoding);
            }
            Expr::Sequence(a, b) => {
                let first = encoding.translation.matrix(a, Mode::Containing, &mut encoding.circuit);
                let second = encoding.translation.matrix(b, Mode::Containing, &mut encoding.circuit);
                for (read, choices) in self.choices.iter().enumerate() {
                    for &(write, when) in choices {
                        let steps = encoding.circuit.evidently_implies(when, first.get(write, read));
                        if steps && second.get(read, write) == Bit::TRUE {
                            self.hidden.insert(write, read);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes what reads cannot see because of the order; whether that is more than before.
    fn exclude(&mut self, graph: &Graph) -> bool {
        let mut groups: BTreeMap<&Set, Vec<usize>> = BTreeMap::new();
        for read in (0..self.size).filter(|&read| !self.choices[read].is_empty()) {
            groups.entry(&self.excluded[read]).or_default().push(read);
        }
        let (mut hidden, mut hidden_pointers) = (Vec::new(), Vec::new());
        for (absent, reads) in groups {
            let before = Before::new(self, graph, absent);
            for read in reads {
                for &(write, _) in &self.choices[read] {
                    if absent.contains(write) || self.hidden.contains(write, read) {
                        continue;
                    }
                    if before.is_overwritten(read, write) || before.is_future(read, write, &mut hidden_pointers) {
                        hidden.push((write, read));
                    }
                }
            }
        }
        let changed = !hidden.is_empty() || !hidden_pointers.is_empty();
        hidden.into_iter().for_each(|(write, read)| self.hidden.insert(write, read));
        for (write, read, to) in hidden_pointers {
            self.hidden_pointers[to].insert(write, read);
        }
        changed
    }
}

fn written_allocations(event: &SymbolicEvent) -> impl Iterator<Item = u32> + '_ {
    let atoms = event.value.iter().filter(|_| event.kind == EventKind::Write).flat_map(|value| &value.atoms);
    atoms.filter_map(|(atom, _)| if let Value::Pointer(pointer) = atom { Some(pointer.allocation) } else { None })
}

fn may_be_no_pointer(event: &SymbolicEvent) -> bool {
    event.value.as_ref().is_none_or(|value| {
        let packed = value.atoms.iter().any(|(atom, _)| !matches!(atom, Value::Pointer(_)));
        packed || value.integer != Bit::FALSE || value.undefined != Bit::FALSE
    })
}

/// The order of an acyclic axiom.
struct Graph {
    /// Pairs that are ordered whenever both are there.
    certain: Pairs,
    /// By event: what is there and before it whenever it is there, itself included.
    before: Vec<Set>,
    /// By event: what is after it whenever both are there, itself included.
    after: Vec<Set>,
    /// Pairs of a write and a read that are ordered whenever the read sees the write.
    edges: Pairs,
    /// By cell: the writes that touch it and nothing else.
    writes: Vec<Vec<usize>>,
    /// Whether coherence and what follows from it are part of the order.
    coherent: bool,
}

impl Graph {
    fn new(formulas: &Formulas, expr: ExprId, facts: &Facts, encoding: &mut Encoding) -> Graph {
        let matrix = encoding.translation.matrix(expr, Mode::Containing, &mut encoding.circuit);
        let certain = encoding.translation.must_closure(&matrix);
        let size = facts.size;
        let inverse = certain.inverse();
        let before = |event: usize| {
            let there = inverse.row(event).filter(|&other| facts.implies.contains(event, other));
            Set::of(size, there.chain([event]))
        };
        let mut edges = Pairs::empty(size);
        for (read, choices) in facts.choices.iter().enumerate() {
            for &(write, when) in choices {
                if encoding.circuit.evidently_implies(when, matrix.get(write, read)) {
                    edges.insert(write, read);
                }
            }
        }
        let mut writes = vec![Vec::new(); facts.initial];
        for (index, event) in encoding.events.events.iter().enumerate() {
            if let ([(cell, Bit::TRUE)], EventKind::Write) = (&event.at[..], event.kind) {
                writes[*cell].push(index);
            }
        }
        Graph {
            before: (0..size).map(before).collect(),
            after: (0..size).map(|event| Set::of(size, certain.row(event).chain([event]))).collect(),
            edges,
            certain,
            writes,
            coherent: has_part(formulas, expr, "co") && has_part(formulas, expr, "fr"),
        }
    }
}

/// Whether the base relation is one of those that a union is made of.
fn has_part(formulas: &Formulas, expr: ExprId, name: &str) -> bool {
    match *formulas.node(expr) {
        Expr::Base(ref base) => **base == *name,
        Expr::Union(a, b) => has_part(formulas, a, name) || has_part(formulas, b, name),
        _ => false,
    }
}

/// For each read and allocation, what is there and before the read if it reads a pointer into the allocation, itself
/// included; in executions without the absent events.
struct Before<'a> {
    facts: &'a Facts,
    graph: &'a Graph,
    absent: &'a Set,
    /// By read and allocation.
    sets: Vec<Option<Set>>,
}

impl<'a> Before<'a> {
    fn new(facts: &'a Facts, graph: &'a Graph, absent: &'a Set) -> Before<'a> {
        let mut before = Before { facts, graph, absent, sets: vec![None; facts.size * facts.allocations.len()] };
        let mut keys = Vec::new();
        for read in (0..facts.size).filter(|&read| !absent.contains(read)) {
            for &(write, _) in &facts.choices[read] {
                for &(to, _) in &facts.written[write] {
                    let place = before.place(read, to);
                    if before.sets[place].replace(Set::full(facts.size)).is_none() {
                        keys.push((read, to));
                    }
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &(read, to) in &keys {
                changed |= before.refine(read, to);
            }
        }
        before
    }

    fn place(&self, read: usize, to: usize) -> usize {
        read * self.facts.allocations.len() + to
    }

    fn refine(&mut self, read: usize, to: usize) -> bool {
        let set = Some(self.of_read(read, to));
        let place = self.place(read, to);
        let changed = self.sets[place] != set;
        self.sets[place] = set;
        changed
    }

    fn of_read(&self, read: usize, to: usize) -> Set {
        let Before { facts, graph, absent, .. } = self;
        let mut common = Set::full(facts.size);
        for &(write, _) in &facts.choices[read] {
            let Some(&(_, own)) = facts.written[write].iter().find(|&&(other, _)| other == to) else { continue };
            let impossible = absent.contains(write)
                || facts.excluded[read].contains(write)
                || facts.hidden.contains(write, read)
                || facts.hidden_pointers[to].contains(write, read);
            if impossible {
                continue;
            }
            if graph.edges.contains(write, read) {
                common.keep(&self.of_write(write, (to, own)));
            } else {
                common.keep(&self.of_sources(&facts.data[write], (to, own), write, read));
            }
        }
        common.join(&graph.before[read]);
        common
    }

    /// What is there and before a write of such a pointer, itself included.
    fn of_write(&self, write: usize, target: Target) -> Set {
        let mut set = self.of_sources(&self.facts.data[write], target, write, write);
        set.join(&self.graph.before[write]);
        set
    }

    /// What is there and before `then` because of where an event may have its pointer from: one of these reads.
    fn of_sources(&self, reads: &[usize], (to, own): Target, event: usize, then: usize) -> Set {
        let Before { facts, graph, .. } = self;
        let mut common = Set::full(facts.size);
        for &read in reads {
            let Some(set) = &self.sets[self.place(read, to)] else { continue };
            if own || !graph.certain.contains(read, then) || !facts.implies.contains(event, read) {
                return Set::empty(facts.size);
            }
            common.keep(set);
        }
        if own { Set::empty(facts.size) } else { common }
    }

    /// Whether the write is certainly after something that the read is before; if not, for which pointers it is.
    fn is_future(&self, read: usize, write: usize, pointers: &mut Vec<(usize, usize, usize)>) -> bool {
        let Before { facts, graph, .. } = self;
        if !graph.edges.contains(write, read) {
            return false;
        }
        let after = &graph.after[read];
        if graph.before[write].meets(after) {
            return true;
        }
        let mut all = !facts.other[write];
        for &target in &facts.written[write] {
            if facts.hidden_pointers[target.0].contains(write, read) {
                continue;
            }
            if self.of_write(write, target).meets(after) {
                pointers.push((write, read, target.0));
            } else {
                all = false;
            }
        }
        all
    }

    /// Whether in each cell that both may touch there is a write after this one that is certainly before the read.
    fn is_overwritten(&self, read: usize, write: usize) -> bool {
        let Before { facts, graph, .. } = self;
        let shared =
            facts.cells[read].iter().filter(|(cell, _)| facts.cells[write].iter().any(|(other, _)| other == cell));
        let overwritten = |&(cell, target): &(usize, Target)| {
            let mut before = self.of_sources(&facts.addr[read], target, read, read);
            before.join(&graph.before[read]);
            let later = |other: usize| write < facts.initial || graph.certain.contains(write, other);
            graph.writes[cell].iter().any(|&other| other != write && before.contains(other) && later(other))
        };
        graph.coherent && shared.into_iter().all(overwritten)
    }
}
