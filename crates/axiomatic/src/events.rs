//! The events of an unrolled program, with circuits for when each happens, where, and with which value.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use program::{
    Access, AssertSort, EventKind, InstructionKind, Operator, Order, Pointer, Span, ThreadId, Unsupported, Value,
    Verified,
};
use relation::{Bit, Circuit, Pairs, Universe};

use crate::choice::Choices;
use crate::idle::{self, Iteration, Loops};
use crate::selector::{Selectors, Statements};
use crate::setting::Setting;
use crate::symbolic::{self, Symbolic};
use crate::unroll::{LoopCopy, Target, Unrolled};
use crate::values::{ValueSet, Values};
use crate::walk::{
    Check, Decision, Dependencies, Domain, NO_POINTER, Origin, Place, Registers, Rewrite, Said, Site, initial, walk,
};

/// A possible event.
pub struct SymbolicEvent {
    /// Its thread; `None` for an initial write.
    pub thread: Option<ThreadId>,
    /// Read, write or fence.
    pub kind: EventKind,
    /// When it happens.
    pub guard: Bit,
    /// The cells it may touch (by index in [`Events::cells`]), with when it does; of a lock or unlock the monitors.
    pub at: Vec<(usize, Bit)>,
    /// The value read, written or shown.
    pub value: Option<Symbolic>,
    /// How the model sees it, with when.
    pub accesses: Vec<(Access, Bit)>,
    /// The statement.
    pub span: Option<Span>,
    /// Address dependencies, by event.
    pub addr: Dependencies<Bit>,
    /// Data dependencies, by event.
    pub data: Dependencies<Bit>,
    /// Reads that its value was computed from, by event: the part of `data` that does not only decide about it.
    pub flow: Dependencies<Bit>,
    /// Control dependencies, by event.
    pub ctrl: Dependencies<Bit>,
    /// For the write of a read-modify-write: its read.
    pub read: Option<usize>,
    /// For the write of a read-modify-write: what becomes of the value read.
    pub rewrite: Option<Rewrite>,
    /// Which instruction, or statement of a litmus test in C, it comes from, counted through the program; each iteration of
    /// a loop has its own.
    pub instance: u32,
    /// The atomic block it belongs to.
    pub atomic: Option<u32>,
    /// The operation of its thread that it belongs to.
    pub operation: Option<u32>,
    /// Index of its node in the thread's graph.
    node: usize,
    /// Index of its instruction in the block.
    position: usize,
    /// Whether it happens whenever its node is reached and the thread does not wait for ever before.
    with_node: bool,
    /// How often its thread may have waited for ever before, counted through the program.
    waits_before: usize,
}

impl SymbolicEvent {
    /// Index of its node in the thread's graph.
    pub fn node(&self) -> usize {
        self.node
    }
}

/// All possible events: initial writes first, then thread by thread, each in an order that extends program order.
pub struct Events {
    /// The events.
    pub events: Vec<SymbolicEvent>,
    /// The memory cells; cell `c` has the initial write number `c`.
    pub cells: Vec<Pointer>,
    /// The monitors.
    pub monitors: Vec<Pointer>,
    /// The types of blocks of memory that are made at run time, by allocation.
    pub blocks: Vec<(u32, String)>,
    /// Registers at the end of each thread.
    pub registers: Vec<Vec<Symbolic>>,
    /// Where a thread would begin one more iteration of a loop than allowed, and when.
    pub pruned: Vec<(LoopCopy, Bit)>,
    /// When a pointer is computed from an index that is not tried, and where.
    pub outside: Vec<(Bit, Option<Span>)>,
    /// Iterations of loops that may make no difference.
    pub iterations: Vec<Iteration>,
    /// When an error happens that ends the program: an access through something that is not a pointer, an exception.
    pub faults: Vec<Wrong>,
    /// When something is computed from or decided by values that it is not defined for. The program can go on, with
    /// undefined values.
    pub mistakes: Vec<Wrong>,
    /// By thread: how many faults and mistakes there are up to its end, and of those before it.
    pub errors_upto: Vec<(ThreadId, usize, usize)>,
    /// The program's assertions, one for each place in the source and message.
    pub assertions: Vec<Assertion>,
    /// What the operations of a bounded test show.
    pub shown: Vec<ShownValue>,
    /// Where a thread waits: when it comes there, when what it waits for is so, and the place.
    pub awaits: Vec<(Bit, Bit, Option<Span>)>,
    /// When a thread waits for ever, which, and where; only where such executions are looked for.
    pub stuck: Vec<(Bit, ThreadId, Option<Span>)>,
    /// When the first thread comes to its end.
    pub main_ends: Bit,
    /// What cells hold at the end, as `main` of a whole program finds them then, or who waits for ever: by cell.
    pub last: BTreeMap<usize, Symbolic>,
    /// By candidate: whether the access that is left open is strengthened so.
    pub candidates: Vec<Bit>,
    /// Program order of events that can happen together.
    pub po: Pairs,
}

/// An error of the program.
#[derive(Clone)]
pub struct Wrong {
    /// When it happens.
    pub when: Bit,
    /// What is wrong.
    pub message: String,
    /// Where it stands.
    pub span: Option<Span>,
    /// When its thread comes to it.
    pub at: Moment,
}

/// A place in the course of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// How many threads were walked before its own.
    pub threads: usize,
    /// How many possible events there are before it, those of threads that were walked before included.
    pub events: usize,
    /// How many checks its thread has passed before it.
    pub checks: usize,
}

/// An assertion of the program.
pub struct Assertion {
    /// It holds, or is not reached; in each of its copies.
    pub holds: Bit,
    /// The same of each copy, and when its thread comes to it.
    pub copies: Vec<(Bit, Moment)>,
    /// What it says.
    pub message: String,
    /// What it means that it fails.
    pub sort: AssertSort,
    /// Where it stands.
    pub span: Option<Span>,
}

/// What an operation shows under one label.
pub struct ShownValue {
    /// The operation.
    pub place: Place,
    /// The label.
    pub label: Arc<str>,
    /// When it is shown.
    pub guard: Bit,
    /// What is shown then.
    pub value: Symbolic,
}

/// Walks the program and collects its events.
pub fn events(
    setting: &Setting,
    statements: Statements,
    selectors: &mut Selectors,
    circuit: &mut Circuit,
) -> Result<Events, Unsupported> {
    let Setting { inlined, unrolling, values, symmetry, choices, unseen, loops, model, .. } = setting;
    let candidates = (0..choices.as_ref().map_or(0, |choices| choices.candidates)).map(|_| circuit.fresh()).collect();
    let (program, threads) = (&*inlined.program, &unrolling.threads);
    let mut recorder = Recorder {
        values,
        absent: &unseen.absent,
        statements,
        symmetry,
        asserted: assertion_spans(program),
        choices: choices.as_deref(),
        selectors,
        circuit,
        ended: BTreeMap::new(),
        loops,
        depends: ["addr", "data", "ctrl"].iter().any(|name| model.mentions(name)),
        begun: BTreeMap::new(),
        before: BTreeMap::new(),
        not_spurious: Vec::new(),
        troubles: Vec::new(),
        events: Vec::new(),
        found: Events {
            events: Vec::new(),
            cells: values.cells.clone(),
            monitors: values.monitors.clone(),
            blocks: unrolling.made().map(|made| (made.number, made.name.to_string())).collect(),
            registers: Vec::new(),
            pruned: Vec::new(),
            outside: Vec::new(),
            iterations: Vec::new(),
            faults: Vec::new(),
            mistakes: Vec::new(),
            errors_upto: Vec::new(),
            assertions: Vec::new(),
            shown: Vec::new(),
            awaits: Vec::new(),
            stuck: Vec::new(),
            main_ends: Bit::FALSE,
            last: BTreeMap::new(),
            candidates,
            po: Pairs::empty(0),
        },
    };
    for (index, cell) in values.cells.iter().enumerate() {
        let value = Symbolic::constant(&initial(program, unrolling, cell));
        let is_named = (cell.allocation as usize) < program.globals.len();
        let value = if is_named { recorder.initially(index, value) } else { value };
        recorder.events.push(initial_write(index, value));
    }
    walk(setting.unfolded(), &mut recorder)?;
    let Recorder { mut events, mut found, .. } = recorder;
    found.po = program_order(&events, threads);
    number_instances(&mut events, program, threads);
    found.events = events;
    Ok(found)
}

fn assertion_spans(program: &Verified) -> BTreeSet<Span> {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let assertions = blocks.flat_map(|block| &block.instructions);
    let assertions = assertions.filter(|instruction| matches!(instruction.kind, InstructionKind::Assert { .. }));
    assertions.filter_map(|instruction| instruction.span).collect()
}

fn initial_write(cell: usize, value: Symbolic) -> SymbolicEvent {
    SymbolicEvent {
        thread: None,
        kind: EventKind::Write,
        guard: Bit::TRUE,
        at: vec![(cell, Bit::TRUE)],
        value: Some(value),
        accesses: vec![(Access::ordered(Order::Plain), Bit::TRUE)],
        span: None,
        addr: Vec::new(),
        data: Vec::new(),
        flow: Vec::new(),
        ctrl: Vec::new(),
        read: None,
        rewrite: None,
        instance: 0,
        atomic: None,
        operation: None,
        node: 0,
        position: 0,
        with_node: true,
        waits_before: 0,
    }
}

/// Pairs of nodes such that every path to the first passes the second.
fn dominance(unrolled: &Unrolled) -> Pairs {
    let size = unrolled.nodes.len();
    let mut predecessors = vec![Vec::new(); size];
    for (from, node) in unrolled.nodes.iter().enumerate() {
        for target in &node.successors {
            if let Target::Node(to) = *target {
                predecessors[to].push(from);
            }
        }
    }
    let mut dominates = Pairs::empty(size);
    // Nodes stand in topological order, so that predecessors are finished first.
    for (node, into) in predecessors.iter().enumerate() {
        if let Some((&first, others)) = into.split_first() {
            let common: Vec<usize> =
                dominates.row(first).filter(|&d| others.iter().all(|&p| dominates.contains(p, d))).collect();
            common.into_iter().for_each(|d| dominates.insert(node, d));
        }
        dominates.insert(node, node);
    }
    dominates
}

fn program_order(events: &[SymbolicEvent], threads: &[Unrolled]) -> Pairs {
    let reach: Vec<Pairs> = threads.iter().map(Unrolled::reachability).collect();
    let mut po = Pairs::empty(events.len());
    for (x, first) in events.iter().enumerate() {
        let Some(thread) = first.thread else { continue };
        for (y, second) in events.iter().enumerate().skip(x + 1) {
            if second.thread != Some(thread) {
                continue;
            }
            // The end of a thread comes after whatever happened in it; it belongs to no node.
            if second.kind == EventKind::End || reach[thread.0 as usize].contains(first.node, second.node) {
                po.insert(x, y);
            }
        }
    }
    po
}

/// What tells instances of instructions apart: in a litmus test the statement and the iterations it is in, since a statement may
/// be lowered to several blocks; else the instruction of the representation.
type Instance = (ThreadId, Option<Span>, Vec<(usize, u32)>, Option<(usize, usize)>);

fn number_instances(events: &mut [SymbolicEvent], program: &Verified, threads: &[Unrolled]) {
    let is_litmus = program.question.is_some();
    let mut numbers: BTreeMap<Instance, u32> = BTreeMap::new();
    for event in events {
        let Some(thread) = event.thread else { continue };
        let nodes = threads.get(thread.0 as usize).map_or(&[][..], |unrolled| &unrolled.nodes);
        let instance = match (event.span, nodes.get(event.node)) {
            (Some(span), Some(node)) if is_litmus => (thread, Some(span), node.iterations.clone(), None),
            _ if event.kind == EventKind::Start => (thread, None, Vec::new(), Some((0, usize::MAX))),
            _ if event.kind == EventKind::End => (thread, None, Vec::new(), None),
            _ => (thread, None, Vec::new(), Some((event.node, event.position))),
        };
        let next = numbers.len() as u32 + 1;
        event.instance = *numbers.entry(instance).or_insert(next);
    }
}

impl Events {
    /// When a fault or a mistake happens in the thread.
    pub fn errors_of(&self, thread: ThreadId) -> Vec<Bit> {
        let Some(place) = self.errors_upto.iter().position(|&(other, ..)| other == thread) else { return Vec::new() };
        let (first_fault, first_mistake) = match place {
            0 => (0, 0),
            _ => (self.errors_upto[place - 1].1, self.errors_upto[place - 1].2),
        };
        let (_, faults, mistakes) = self.errors_upto[place];
        let errors = self.faults[first_fault..faults].iter().chain(&self.mistakes[first_mistake..mistakes]);
        errors.map(|error| error.when).collect()
    }

    /// The events as a universe of atoms.
    pub fn universe(&self, threads: &[Unrolled], circuit: &Circuit) -> Universe {
        let size = self.events.len();
        let mut implies = Pairs::identity(size);
        let mut exclusive = Pairs::empty(size);
        let dominance: Vec<Pairs> = threads.iter().map(dominance).collect();
        for (x, first) in self.events.iter().enumerate() {
            for (y, second) in self.events.iter().enumerate() {
                let same_thread = first.thread.is_some() && first.thread == second.thread;
                let dominated = |thread: ThreadId| dominance[thread.0 as usize].contains(first.node, second.node);
                // In its own node a thread may wait for ever between the two.
                let passed = first.node != second.node || second.waits_before <= first.waits_before;
                let by_node = same_thread && second.with_node && passed && first.thread.is_some_and(dominated);
                if by_node || circuit.evidently_implies(first.guard, second.guard) {
                    implies.insert(x, y);
                }
                if same_thread && x != y && !self.po.contains(x, y) && !self.po.contains(y, x) {
                    exclusive.insert(x, y);
                }
            }
        }
        let present = self.events.iter().map(|event| event.guard).collect();
        Universe { present, implies, exclusive }
    }
}

struct Recorder<'a> {
    values: &'a Values,
    /// Events that never happen, by index of the walk.
    absent: &'a BTreeSet<usize>,
    statements: Statements,
    symmetry: &'a [Vec<ThreadId>],
    /// The places of assertions.
    asserted: BTreeSet<Span>,
    /// How accesses may be strengthened.
    choices: Option<&'a Choices>,
    selectors: &'a mut Selectors,
    circuit: &'a mut Circuit,
    /// Whether a thread comes to its end, as far as some other depends on it.
    ended: BTreeMap<ThreadId, Bit>,
    /// Loops of which iterations are recorded.
    loops: &'a Loops,
    /// Whether the model speaks of dependencies.
    depends: bool,
    /// Of each loop, how its last iteration began: the first event, the first weak compare-exchange, and what it carries from one iteration to the
    /// next.
    begun: BTreeMap<LoopCopy, (usize, usize, Vec<idle::Held>)>,
    /// Of each loop whose head was reached again: the first event and weak compare-exchange of the iteration before, and when that left the
    /// registers as it found them.
    before: BTreeMap<LoopCopy, (usize, usize, Bit)>,
    /// For each weak compare-exchange, in their order, that it does not fail spuriously.
    not_spurious: Vec<Bit>,
    /// When an error happens or an assertion fails in the thread, up to now.
    troubles: Vec<Bit>,
    events: Vec<SymbolicEvent>,
    found: Events,
}

impl Recorder<'_> {
    /// The selector of what an instruction or a decision of a statement gives, if that may be left open.
    fn selector(&mut self, thread: ThreadId, span: Option<Span>, instruction: Option<&InstructionKind>) -> Option<Bit> {
        // The setup is no part of what is explained.
        let span = span.filter(|_| self.selectors.has(thread) && self.statements == Statements::Selected)?;
        // An assertion is not left open: it is asked about.
        if self.asserted.contains(&span) {
            return None;
        }
        Some(self.selectors.statement(thread, (span, instruction), self.symmetry, self.circuit))
    }

    /// What a cell holds initially: the value, while that is selected.
    fn initially(&mut self, cell: usize, value: Symbolic) -> Symbolic {
        if self.statements == Statements::Fixed {
            return value;
        }
        let selector = self.selectors.initial(cell, self.circuit);
        self.while_selected(selector, value)
    }

    /// The value while the selector is true, else an arbitrary one.
    fn while_selected(&mut self, selector: Bit, value: Symbolic) -> Symbolic {
        let arbitrary = self.arbitrary(&value);
        Symbolic::select(selector, &value, &arbitrary, self.circuit).unwrap_or(value)
    }

    /// An arbitrary value of the same kind.
    fn arbitrary(&mut self, like: &Symbolic) -> Symbolic {
        let set = ValueSet {
            values: like.atoms.iter().map(|(atom, _)| atom.clone()).collect(),
            any: if like.bits.is_empty() { None } else { Some(like.bits.len() as u8) },
        };
        if set == ValueSet::default() {
            return like.clone();
        }
        let mut value = Symbolic::of_set(&set, self.circuit);
        self.narrow(&mut value);
        value.require_one_kind(self.circuit);
        value
    }

    /// An arbitrary integer is one that fits among those that the program and the question know.
    fn narrow(&self, value: &mut Symbolic) {
        let known = usize::from(self.values.significant_bits);
        value.bits.iter_mut().skip(known).for_each(|bit| *bit = Bit::FALSE);
    }

    /// The accesses with those that are left open as what they may be.
    fn with_choices(&mut self, accesses: Vec<(Access, Bit)>) -> Vec<(Access, Bit)> {
        match self.choices {
            Some(choices) => choices.open(accesses, &self.found.candidates, self.circuit),
            None => accesses,
        }
    }

    /// An iteration of a loop ends, and another one begins.
    fn end_iteration(&mut self, copy: &LoopCopy, guard: &Bit, registers: &Registers<Self>, is_last: bool) {
        let Some(carried) = self.loops.get(&(copy.thread, copy.head)) else { return };
        let Some((first, weak, held)) = self.begun.get(copy) else { return };
        let mut same = Bit::TRUE;
        for (register, before) in carried.iter().zip(held) {
            let equal = idle::same(before, &registers[register.index()], self.depends, self.circuit);
            same = self.circuit.and(&[same, equal]);
        }
        let (first, weak) = (*first, *weak);
        self.before.insert(copy.clone(), (first, weak, same));
        self.record_iteration(copy, guard, (first, weak, same), is_last);
    }

    /// Where the walk is.
    fn moment(&self) -> Moment {
        Moment { threads: self.found.errors_upto.len(), events: self.events.len(), checks: self.troubles.len() }
    }

    /// Notes an iteration from this event and weak compare-exchange on, which left the registers the `same` then.
    fn record_iteration(
        &mut self,
        copy: &LoopCopy,
        guard: &Bit,
        (first, weak, same): (usize, usize, Bit),
        is_last: bool,
    ) {
        if same != Bit::FALSE {
            let error = self.circuit.or(&self.troubles);
            let (events, not_spurious) = (first..self.events.len(), self.not_spurious[weak..].to_vec());
            self.found.iterations.push(Iteration {
                copy: copy.clone(),
                when: *guard,
                same,
                events,
                not_spurious,
                error,
                is_last,
            });
        }
    }

    fn read_value(&mut self, index: usize) -> Symbolic {
        let mut set = self.values.reads[index].clone();
        if self.statements == Statements::Fixed {
            return Symbolic::of_set(&set, self.circuit);
        }
        set.any = set.width();
        let mut value = Symbolic::of_set(&set, self.circuit);
        self.narrow(&mut value);
        value
    }
}

impl Domain for Recorder<'_> {
    type Guard = Bit;
    type Value = Symbolic;

    fn truth(&mut self, truth: bool) -> Bit {
        Bit::constant(truth)
    }

    fn both(&mut self, a: &Bit, b: &Bit) -> Bit {
        self.circuit.and(&[*a, *b])
    }

    fn either(&mut self, a: &Bit, b: &Bit) -> Bit {
        self.circuit.or(&[*a, *b])
    }

    fn select_guard(&mut self, when: &Bit, first: &Bit, second: &Bit) -> Bit {
        self.circuit.ite(*when, *first, *second)
    }

    fn decide(&mut self, value: &Symbolic, decision: Decision) -> (Bit, Bit) {
        let mut truth = value.truth(self.circuit);
        if let Some(selector) = self.selector(decision.thread, decision.span, None) {
            let arbitrary = self.circuit.fresh();
            truth = self.circuit.ite(selector, truth, arbitrary);
        }
        (truth, !truth)
    }

    fn targets(&mut self, address: &Symbolic) -> Vec<(Pointer, Bit)> {
        address.pointers().map(|(pointer, bit)| (pointer.clone(), bit)).collect()
    }

    fn passes(&mut self, check: Check, operands: &[Symbolic], result: &Symbolic) -> Bit {
        match check {
            Check::Truth => result.has_truth(self.circuit),
            Check::Operands => !result.undefined,
            Check::Comparison => {
                let mixed = symbolic::pointer_against_number(operands, self.circuit);
                self.circuit.and(&[!result.undefined, !mixed])
            }
        }
    }

    fn fits(&mut self, operator: &Operator, operands: &[Symbolic], result: &Symbolic) -> Bit {
        symbolic::fits(operator, operands, result, self.circuit)
    }

    fn check(&mut self, guard: &Bit, fine: &Bit, what: &str, span: Option<Span>) {
        let mistake = self.circuit.and(&[*guard, !*fine]);
        if mistake != Bit::FALSE {
            let at = self.moment();
            self.troubles.push(mistake);
            self.found.mistakes.push(Wrong { when: mistake, message: what.into(), span, at });
        }
    }

    fn observe(&mut self, place: Place, label: &Arc<str>, guard: &Bit, value: &Symbolic) -> Result<(), String> {
        let known = self.found.shown.iter_mut().find(|shown| shown.place == place && shown.label == *label);
        let Some(shown) = known else {
            self.found.shown.push(ShownValue { place, label: label.clone(), guard: *guard, value: value.clone() });
            return Ok(());
        };
        // On different paths; on one path the later one counts.
        shown.value = Symbolic::select(*guard, value, &shown.value, self.circuit)?;
        shown.guard = self.circuit.or(&[shown.guard, *guard]);
        Ok(())
    }

    fn initial(&mut self, memory: BTreeMap<Pointer, Symbolic>) {
        for (cell, value) in memory {
            if let Ok(index) = self.found.cells.binary_search(&cell) {
                self.events[index].value = Some(value);
            }
        }
    }

    fn last(&mut self, cell: &Pointer) -> Symbolic {
        let Ok(index) = self.found.cells.binary_search(cell) else { return Symbolic::undefined() };
        if let Some(value) = self.found.last.get(&index) {
            return value.clone();
        }
        let set = self.values.last.get(cell).cloned().unwrap_or_default();
        let value = Symbolic::of_set(&set, self.circuit);
        self.found.last.insert(index, value.clone());
        value
    }

    fn part(&mut self, guard: &Bit) -> [Bit; 2] {
        let waits = self.circuit.fresh();
        [self.circuit.and(&[*guard, waits]), self.circuit.and(&[*guard, !waits])]
    }

    fn stuck(&mut self, thread: ThreadId, guard: &Bit, waits: &Bit, span: Option<Span>) {
        self.circuit.clause(&[!*guard, *waits]);
        self.found.stuck.push((*guard, thread, span));
    }

    fn ended(&mut self, thread: ThreadId) -> Bit {
        *self.ended.entry(thread).or_insert_with(|| self.circuit.fresh())
    }

    fn ends(&mut self, thread: ThreadId, guard: &Bit) {
        if thread == ThreadId(0) {
            self.found.main_ends = *guard;
        }
        if let Some(&ended) = self.ended.get(&thread) {
            self.circuit.clause(&[!ended, *guard]);
            self.circuit.clause(&[ended, !*guard]);
        }
    }

    fn awaits(&mut self, guard: &Bit, condition: &Bit, span: Option<Span>) {
        self.circuit.clause(&[!*guard, *condition]);
        self.found.awaits.push((*guard, *condition, span));
    }

    fn constant(&mut self, value: &Value) -> Symbolic {
        Symbolic::constant(value)
    }

    fn apply(&mut self, operator: &Operator, operands: &[Symbolic]) -> Result<Symbolic, String> {
        symbolic::apply(operator, operands, self.circuit)
    }

    fn index(&mut self, guard: &Bit, operator: &Operator, operands: &[Symbolic], span: Option<Span>) {
        let outside = symbolic::outside(operator, operands, self.circuit);
        let outside = self.circuit.and(&[*guard, outside]);
        if outside != Bit::FALSE {
            self.found.outside.push((outside, span));
        }
    }

    fn select(&mut self, when: &Bit, first: &Symbolic, second: &Symbolic) -> Result<Symbolic, String> {
        Symbolic::select(*when, first, second, self.circuit)
    }

    fn choose(&mut self, low: i64, high: i64, width: u8) -> Symbolic {
        if low == high {
            return self.constant(&Value::int(low, width));
        }
        let bits: Vec<Bit> = (0..width).map(|_| self.circuit.fresh()).collect();
        let chosen = Symbolic { integer: Bit::TRUE, bits, atoms: Vec::new(), undefined: Bit::FALSE };
        let bounds = [(Value::int(low, width), true), (Value::int(high, width), false)];
        // Bounds are both signed or both unsigned: 0 to 255 of 8 bits are no signed ones.
        let within = if low < 0 { Operator::LeSigned } else { Operator::LeUnsigned };
        for (bound, is_low) in bounds {
            let bound = self.constant(&bound);
            let pair = if is_low { [bound, chosen.clone()] } else { [chosen.clone(), bound] };
            if let Ok(within) = symbolic::apply(&within, &pair, self.circuit) {
                let within = within.truth(self.circuit);
                self.circuit.clause(&[within]);
            }
        }
        chosen
    }

    fn not_spurious(&mut self) -> Symbolic {
        let succeeds = self.choose(0, 1, 32);
        let bit = succeeds.truth(self.circuit);
        self.not_spurious.push(bit);
        succeeds
    }

    fn result(&mut self, value: Symbolic, Origin { thread, span, instruction }: Origin) -> Symbolic {
        let Some(selector) = self.selector(thread, span, Some(instruction)) else { return value };
        self.while_selected(selector, value)
    }

    fn accesses(&mut self, event: usize, accesses: Vec<(Access, Bit)>) {
        self.events[event].accesses = self.with_choices(accesses);
    }

    fn event(&mut self, site: Site<Self>) -> Result<(usize, Option<Symbolic>), String> {
        let index = self.events.len();
        let mut guard = site.guard;
        let mut with_node = site.with_node;
        if let (EventKind::Fence, Some(selector)) = (site.kind, self.selector(site.thread, site.span, None)) {
            let there = self.circuit.fresh();
            let there = self.circuit.or(&[selector, there]);
            guard = self.circuit.and(&[guard, there]);
            with_node = false;
        }
        if self.absent.contains(&(index - self.found.cells.len())) {
            self.circuit.clause(&[!guard]);
            guard = Bit::FALSE;
        }
        let mut at = Vec::new();
        if let Some(address) = &site.address {
            let valid = address.is_any_pointer(self.circuit);
            let fault = self.circuit.and(&[guard, !valid]);
            if fault != Bit::FALSE {
                let (message, at) = (NO_POINTER.into(), self.moment());
                self.troubles.push(fault);
                self.found.faults.push(Wrong { when: fault, message, span: site.span, at });
            }
            let monitor = matches!(site.kind, EventKind::Lock | EventKind::Unlock);
            let places = if monitor { &self.found.monitors } else { &self.found.cells };
            for (pointer, bit) in address.pointers() {
                if let Ok(cell) = places.binary_search(pointer) {
                    at.push((cell, bit));
                }
            }
        }
        let accesses = self.with_choices(site.accesses);
        let program_index = index - self.found.cells.len();
        let value = match site.kind {
            EventKind::Read => Some(self.read_value(program_index)),
            _ => site.value,
        };
        let read_value = (site.kind == EventKind::Read).then(|| value.clone()).flatten();
        self.events.push(SymbolicEvent {
            thread: Some(site.thread),
            kind: site.kind,
            guard,
            at,
            value,
            accesses,
            span: site.span,
            addr: site.addr,
            data: site.data,
            flow: site.flow,
            ctrl: site.ctrl,
            read: site.read,
            rewrite: site.rewrite,
            instance: 0,
            atomic: site.atomic,
            operation: site.operation,
            node: site.node,
            position: site.position,
            // A write after a compare-exchange happens only on success, the end only if no loop was cut short.
            with_node: with_node && site.read.is_none() && site.kind != EventKind::End,
            waits_before: self.found.stuck.len(),
        });
        Ok((index, read_value))
    }

    fn iteration(&mut self, copy: &LoopCopy, number: u32, guard: &Bit, registers: &Registers<Self>) {
        if number > 0 {
            self.end_iteration(copy, guard, registers, false);
        }
        let Some(carried) = self.loops.get(&(copy.thread, copy.head)) else { return };
        let held = carried.iter().map(|register| registers[register.index()].clone()).collect();
        self.begun.insert(copy.clone(), (self.events.len(), self.not_spurious.len(), held));
    }

    fn pruned(&mut self, copy: &LoopCopy, guard: &Bit, registers: Option<&Registers<Self>>) {
        self.found.pruned.push((copy.clone(), *guard));
        match registers {
            Some(registers) => self.end_iteration(copy, guard, registers, true),
            // The test that would begin another iteration belongs to it, but tells whether the one before comes again.
            None => {
                if let Some(&(first, weak, same)) = self.before.get(copy) {
                    self.record_iteration(copy, guard, (first, weak, same), true);
                }
            }
        }
    }

    fn assume(&mut self, guard: &Bit, condition: &Bit) {
        self.circuit.clause(&[!*guard, *condition]);
    }

    fn assertion(&mut self, guard: &Bit, condition: &Bit, (message, sort, ends): Said<'_>, span: Option<Span>) {
        let (holds, at) = (self.circuit.or(&[!*guard, *condition]), self.moment());
        self.troubles.push(!holds);
        // After an exception the thread would not go on as it does here, unless it ends.
        if sort == AssertSort::Exception && !(ends && *condition == Bit::FALSE) {
            self.found.faults.push(Wrong { when: !holds, message: message.into(), span, at });
            return;
        }
        let is_same = |other: &&mut Assertion| span.is_some() && other.span == span && other.message == message;
        match self.found.assertions.iter_mut().find(is_same) {
            Some(other) => {
                other.holds = self.circuit.and(&[other.holds, holds]);
                other.copies.push((holds, at));
            }
            None => {
                let copies = vec![(holds, at)];
                self.found.assertions.push(Assertion { holds, copies, message: message.into(), sort, span });
            }
        }
    }

    fn finish(&mut self, thread: ThreadId, registers: Vec<Symbolic>) {
        self.troubles.clear();
        self.found.errors_upto.push((thread, self.found.faults.len(), self.found.mistakes.len()));
        self.found.registers.push(registers);
    }
}

/// When two events touch the same cell.
pub(crate) fn meet(a: &SymbolicEvent, b: &SymbolicEvent, circuit: &mut Circuit) -> Bit {
    let mut cases = Vec::new();
    for &(cell, here) in &a.at {
        for &(_, there) in b.at.iter().filter(|&&(other, _)| other == cell) {
            cases.push(circuit.and(&[here, there]));
        }
    }
    circuit.or(&cases)
}
