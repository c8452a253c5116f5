//! Which values may each load give, and which cells may each access touch?
//!
//! A least fixpoint over sets of values: stores feed the cells they may touch, loads take what their cells may hold. Every
//! value of every execution is in these sets, with one exception that is taken care of: where a value may come about in
//! a circle (a load whose value flows into a store that it may read from), an execution of a model without a
//! no-thin-air axiom may hold any value there, and the set becomes "any integer". See [`Flow`].

mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use program::{Access, EventKind, Operator, Pointer, Span, ThreadId, Unsupported, Value, Verified};

use crate::flow::Flow;
use crate::unroll::{LoopCopy, Unrolling};
use crate::walk::whole::{Course, Mark, Touch, Whole};
use crate::walk::{Check, Decision, Domain, Origin, Place, Registers, Said, Site, Unfolded, initial, walk};

pub use whole::whole_values;

/// A set of values: listed ones, and perhaps all integers of a width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueSet {
    /// The listed values.
    pub values: BTreeSet<Value>,
    /// Besides, every integer of this width.
    pub any: Option<u8>,
}

/// What the analysis found, by event index of the walk.
#[derive(Clone)]
pub struct Values {
    /// What each read may give.
    pub reads: Vec<ValueSet>,
    /// All cells that some access may touch.
    pub cells: Vec<Pointer>,
    /// All monitors that some thread may acquire or release.
    pub monitors: Vec<Pointer>,
    /// How many plain reads may see a write of another thread.
    pub racy_reads: usize,
    /// How many low bits tell all integers in memory and in the question apart; the others are zero in all of them.
    pub significant_bits: u8,
    /// What cells may hold at the end that `main` of a whole program looks at then.
    pub last: BTreeMap<Pointer, ValueSet>,
    /// What `main` of a whole program does, and which cells all threads touch.
    pub course: Course,
}

impl Values {
    /// What the reads may see with all integers where there are only integers: what the analysis is worth is measured so (CheckFence thesis, figure
    /// 8.7b). Which pointers there may be is still known, since cells are found so.
    #[must_use]
    pub fn without_ranges(mut self) -> Values {
        let sets = self.reads.iter_mut().chain(self.last.values_mut());
        for set in sets.filter(|set| set.atoms().next().is_none()) {
            set.any = set.any.max(set.width());
            set.widen();
        }
        Values { significant_bits: 64, ..self }
    }
}

/// Where a read may get its value: from an event of the walk, or what a cell holds at first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The event with this index.
    Event(usize),
    /// The initial value of the cell.
    Initial(Pointer),
}

/// What no execution lets a read see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unseen {
    /// Pairs of a source and a read, by index of the walk.
    pub pairs: BTreeSet<(Source, usize)>,
    /// Pairs of which this only holds while what is written points into the allocation.
    pub pointers: BTreeSet<(Source, usize, u32)>,
    /// Events that never happen.
    pub absent: BTreeSet<usize>,
}

impl Unseen {
    /// What the read may see of what the source writes.
    fn filter(&self, source: &Source, read: usize, values: &ValueSet) -> ValueSet {
        if self.pairs.contains(&(source.clone(), read)) {
            return ValueSet::default();
        }
        let hidden = |value: &Value| match value {
            Value::Pointer(pointer) => self.pointers.contains(&(source.clone(), read, pointer.allocation)),
            _ => false,
        };
        let mut seen = values.clone();
        seen.values.retain(|value| !hidden(value));
        seen
    }
}

/// Sets larger than this become "any integer".
const LARGEST: usize = 64;

impl ValueSet {
    fn one(value: Value) -> ValueSet {
        ValueSet { values: BTreeSet::from([value]), any: None }
    }

    fn absorb(&mut self, other: &ValueSet) {
        self.values.extend(other.values.iter().cloned());
        self.any = self.any.max(other.any);
        self.widen();
    }

    fn widen(&mut self) {
        if self.values.len() > LARGEST {
            self.any = self.any.max(self.width());
        }
        if self.any.is_some() {
            self.values.retain(|value| !matches!(value, Value::Int(_)));
        }
    }

    /// The width of its integers, if it has any.
    pub fn width(&self) -> Option<u8> {
        let widths = self.values.iter().filter_map(|v| if let Value::Int(int) = v { Some(int.width()) } else { None });
        widths.max().max(self.any)
    }

    /// Its pointers and packed words.
    pub fn atoms(&self) -> impl Iterator<Item = &Value> {
        self.values.iter().filter(|value| matches!(value, Value::Pointer(_) | Value::Composite(..)))
    }

    /// Its pointers.
    pub fn pointers(&self) -> impl Iterator<Item = &Pointer> {
        self.values.iter().filter_map(|value| if let Value::Pointer(pointer) = value { Some(pointer) } else { None })
    }
}

/// Runs the analysis. Where what is stored is seen at once, values that feed on themselves, such as a counter that threads increase, may grow
/// beyond what is listed although no execution has so many. Where an address is computed from such a value, what is
/// stored is seen one walk later instead: that takes more walks, and each adds one step only.
pub fn values(unfolded: Unfolded, flow: Flow, unseen: &Unseen) -> Result<Values, Unsupported> {
    let program = &*unfolded.inlined.program;
    let mut analysis = Analysis::new(unfolded, flow, unseen);
    analysis.iterate(unfolded)?;
    if analysis.has_open_index && flow != Flow::Circular {
        let mut slower = Analysis::new(unfolded, flow, unseen);
        slower.delayed = Some(BTreeMap::new());
        slower.iterate(unfolded)?;
        if !slower.has_open_index {
            analysis = slower;
        }
    }
    analysis.follow_errors(unfolded)?;
    if flow == Flow::Circular {
        analysis.open_circles();
    }
    let reads = analysis.events.iter().map(|event| event.read.clone()).collect();
    let touched = |monitors: bool| {
        let events = analysis.events.iter().filter(move |event| event.monitor == monitors);
        events.flat_map(|event| event.cells.iter().cloned()).collect::<BTreeSet<Pointer>>()
    };
    let monitors = touched(true).into_iter().collect();
    let mut cells = touched(false);
    if let Some(question) = &program.question {
        let mut add = |observable: &program::Observable| {
            if let program::Observable::Memory(cell) = observable {
                cells.insert(cell.clone());
            }
        };
        question.observed.iter().for_each(&mut add);
        question.proposition.observables(&mut add);
        question.filter.iter().for_each(|filter| filter.observables(&mut add));
    }
    let written_elsewhere = |read: &EventValues| {
        let meets = |write: &EventValues| write.cells.iter().any(|cell| read.cells.contains(cell));
        analysis.events.iter().any(|write| write.writes && write.thread != read.thread && meets(write))
    };
    let racy_reads = analysis.events.iter().filter(|event| event.plain_read && written_elsewhere(event)).count();
    let significant_bits = significant_bits(program, &analysis.memory);
    let mut last = analysis.last;
    if flow == Flow::Circular {
        last.values_mut().for_each(|set| set.any = set.any.max(set.width()));
    }
    cells.extend(last.keys().cloned());
    let cells = cells.into_iter().collect();
    Ok(Values { reads, cells, monitors, racy_reads, significant_bits, last, course: analysis.course })
}

fn significant_bits(program: &Verified, memory: &BTreeMap<Pointer, Written>) -> u8 {
    let bits = |value: &Value| match value {
        Value::Int(int) => (64 - int.unsigned().leading_zeros()) as u8,
        _ => 0,
    };
    let of_set = |set: &ValueSet| set.values.iter().map(bits).max().max(set.any).unwrap_or(0);
    let mut most = memory.values().flat_map(|written| written.values()).map(of_set).max().unwrap_or(0).max(1);
    let mut visit = |value: &Value| most = most.max(bits(value));
    if let Some(question) = &program.question {
        question.proposition.constants(&mut visit);
        question.filter.iter().for_each(|filter| filter.constants(&mut visit));
    }
    most
}

/// What may be written to a cell: by which event of the walk, `None` for what the cell holds at first.
type Written = BTreeMap<Option<usize>, ValueSet>;

/// The allocations that an event's value or address may point into without that its thread has read such a pointer.
pub struct Own {
    /// What it writes.
    pub written: BTreeSet<u32>,
    /// Where it is.
    pub address: BTreeSet<u32>,
}

/// For each event of the walk, which pointers the thread may have made itself.
pub fn own_pointers(unfolded: Unfolded, values: &Values) -> Result<Vec<Own>, Unsupported> {
    let nothing = Unseen::default();
    let mut analysis = Analysis::new(unfolded, Flow::Grounded, &nothing);
    analysis.without_reads = Some(&values.reads);
    walk(unfolded, &mut analysis)?;
    let own = |event: &EventValues| Own {
        written: event.written.pointers().map(|pointer| pointer.allocation).collect(),
        address: event.cells.iter().map(|cell| cell.allocation).collect(),
    };
    Ok(analysis.events.iter().map(own).collect())
}

struct Analysis<'a> {
    /// What reads may give, if they are not to give pointers.
    without_reads: Option<&'a [ValueSet]>,
    unseen: &'a Unseen,
    program: &'a Verified,
    unrolling: &'a Unrolling,
    is_whole: bool,
    flow: Flow,
    /// Memory as the setup leaves it.
    left: BTreeMap<Pointer, ValueSet>,
    /// What each cell may hold.
    memory: BTreeMap<Pointer, Written>,
    /// What was written in this walk, if that is to be seen in the next one only.
    delayed: Option<BTreeMap<Pointer, Written>>,
    /// Whether a pointer is computed from a number of which nothing is known.
    has_open_index: bool,
    /// Reads whose address is a pointer in no execution: each is an error, and what comes after it has a value that is undefined.
    nowhere: BTreeSet<usize>,
    events: Vec<EventValues>,
    /// What cells may hold at the end that are looked at then.
    last: BTreeMap<Pointer, ValueSet>,
    course: Course,
    changed: bool,
}

#[derive(Default)]
struct EventValues {
    read: ValueSet,
    /// Whether it is a read of no cell at all.
    reads_nothing: bool,
    /// Cells, or the monitors of a lock or unlock.
    cells: Vec<Pointer>,
    monitor: bool,
    plain_read: bool,
    thread: Option<ThreadId>,
    writes: bool,
    written: ValueSet,
    /// Reads whose value may flow into the value written.
    sources: Vec<usize>,
}

impl Analysis<'_> {
    fn new<'a>(unfolded: Unfolded<'a>, flow: Flow, unseen: &'a Unseen) -> Analysis<'a> {
        Analysis {
            without_reads: None,
            program: &unfolded.inlined.program,
            unrolling: unfolded.unrolling,
            is_whole: unfolded.whole.is_some(),
            flow,
            unseen,
            left: BTreeMap::new(),
            memory: BTreeMap::new(),
            delayed: None,
            has_open_index: false,
            nowhere: BTreeSet::new(),
            events: Vec::new(),
            last: BTreeMap::new(),
            course: Course::default(),
            changed: false,
        }
    }

    /// Walks the program until nothing changes. A grounded value passes each store at most once; more walks can only add values
    /// that arise in a circle.
    fn iterate(&mut self, unfolded: Unfolded) -> Result<(), Unsupported> {
        let mut walks = 0;
        loop {
            self.events.clear();
            self.course = Course::default();
            self.changed = false;
            walk(unfolded, self)?;
            self.see_what_was_delayed();
            walks += 1;
            let writes = self.events.iter().filter(|event| event.writes).count();
            if !self.changed || (self.flow != Flow::Circular && walks > writes + 1) {
                return Ok(());
            }
        }
    }

    /// Lets what is read through no pointer be undefined. Without any value what is computed from it would be written nowhere, and
    /// who must see that write could not go on, as if there were no such execution.
    fn follow_errors(&mut self, unfolded: Unfolded) -> Result<(), Unsupported> {
        loop {
            let events = self.events.iter().enumerate();
            let nowhere: BTreeSet<usize> = events.filter(|(_, event)| event.reads_nothing).map(|(at, _)| at).collect();
            if nowhere.is_subset(&self.nowhere) {
                return Ok(());
            }
            self.nowhere.extend(nowhere);
            self.iterate(unfolded)?;
        }
    }

    fn see_what_was_delayed(&mut self) {
        let Some(delayed) = self.delayed.as_mut().map(std::mem::take) else { return };
        for (cell, written) in delayed {
            for (write, values) in written {
                self.write(&cell, write, &values);
            }
        }
    }

    /// Adds what may be written to a cell.
    fn write(&mut self, cell: &Pointer, write: Option<usize>, values: &ValueSet) {
        let known = self.cell(cell).entry(write).or_default();
        let before = known.clone();
        known.absorb(values);
        let changed = before != *known;
        self.changed |= changed;
    }

    fn cell(&mut self, cell: &Pointer) -> &mut Written {
        let Analysis { program, unrolling, left, memory, .. } = self;
        memory.entry(cell.clone()).or_insert_with(|| {
            let first = left.get(cell).cloned().unwrap_or_else(|| ValueSet::one(initial(program, unrolling, cell)));
            Written::from([(None, first)])
        })
    }

    /// What a read of the cell may give.
    fn seen(&mut self, cell: &Pointer, read: usize) -> ValueSet {
        let unseen = self.unseen;
        let mut seen = ValueSet::default();
        for (write, values) in self.cell(cell).iter() {
            let source = match write {
                Some(write) => Source::Event(*write),
                None => Source::Initial(cell.clone()),
            };
            seen.absorb(&unseen.filter(&source, read, values));
        }
        seen
    }

    /// Lets every read that may take part in a circle of values hold any integer.
    fn open_circles(&mut self) {
        let size = self.events.len();
        let mut flows = relation::Pairs::empty(size);
        for (write, event) in self.events.iter().enumerate().filter(|(_, event)| event.writes) {
            event.sources.iter().for_each(|&read| flows.insert(read, write));
            for (read, other) in self.events.iter().enumerate().filter(|(_, other)| !other.writes && !other.monitor) {
                if other.cells.iter().any(|cell| event.cells.contains(cell)) {
                    flows.insert(write, read);
                }
            }
        }
        let closed = flows.closure();
        for (index, event) in self.events.iter_mut().enumerate() {
            if !event.writes && closed.contains(index, index) {
                event.read.any = event.read.any.max(event.read.width());
            }
        }
        // What flows on from such a read is computed anew from the wider sets by the symbolic walk itself; reads of
        // cells that those values reach must be as wide.
        let wide: Vec<usize> =
            (0..size).filter(|&e| !self.events[e].writes && self.events[e].read.any.is_some()).collect();
        for read in 0..size {
            let reached = wide.iter().any(|&source| closed.contains(source, read));
            let event = &mut self.events[read];
            if !event.writes && reached {
                event.read.any = event.read.any.max(event.read.width());
            }
        }
    }
}

impl Domain for Analysis<'_> {
    /// Whether the point may be reached.
    type Guard = bool;
    type Value = ValueSet;

    fn truth(&mut self, truth: bool) -> bool {
        truth
    }

    fn both(&mut self, a: &bool, b: &bool) -> bool {
        *a && *b
    }

    fn either(&mut self, a: &bool, b: &bool) -> bool {
        *a || *b
    }

    fn select_guard(&mut self, _: &bool, first: &bool, second: &bool) -> bool {
        *first || *second
    }

    fn decide(&mut self, value: &ValueSet, decision: Decision) -> (bool, bool) {
        // Where values may justify each other, a branch may be taken because of what only happens if it is taken.
        if self.without_reads.is_some() || (self.flow != Flow::Grounded && decision.read) {
            return (true, true);
        }
        let may = |truth: bool| value.any.is_some() || value.values.iter().any(|v| v.truth() != Some(!truth));
        (may(true), may(false))
    }

    fn targets(&mut self, address: &ValueSet) -> Vec<(Pointer, bool)> {
        address.pointers().map(|pointer| (pointer.clone(), true)).collect()
    }

    fn passes(&mut self, _: Check, _: &[ValueSet], _: &ValueSet) -> bool {
        true
    }

    fn fits(&mut self, _: &Operator, _: &[ValueSet], _: &ValueSet) -> bool {
        true
    }

    fn check(&mut self, _: &bool, _: &bool, _: &str, _: Option<Span>) {}

    fn observe(&mut self, _: Place, _: &Arc<str>, _: &bool, _: &ValueSet) -> Result<(), String> {
        Ok(())
    }

    fn initial(&mut self, memory: BTreeMap<Pointer, ValueSet>) {
        for (cell, values) in memory {
            self.left.entry(cell).or_default().absorb(&values);
        }
    }

    fn last(&mut self, cell: &Pointer) -> ValueSet {
        let mut held = ValueSet::default();
        self.cell(cell).values().for_each(|written| held.absorb(written));
        self.changed |= self.last.insert(cell.clone(), held.clone()).as_ref() != Some(&held);
        held
    }

    fn edge(&mut self, node: usize, successor: usize, guard: &bool) {
        if *guard {
            self.course.live.insert((node, successor));
        }
    }

    fn mark(&mut self, node: usize, mark: Mark) {
        self.course.marks.push((node, mark));
    }

    fn numbers(&mut self, value: &ValueSet) -> Option<Vec<i64>> {
        let number = |value: &Value| if let Value::Int(int) = value { Some(int.signed()) } else { None };
        value.any.is_none().then(|| value.values.iter().filter_map(number).collect())
    }

    fn part(&mut self, guard: &bool) -> [bool; 2] {
        [*guard, *guard]
    }

    fn stuck(&mut self, _: ThreadId, _: &bool, _: &bool, _: Option<Span>) {}

    fn ended(&mut self, _: ThreadId) -> bool {
        true
    }

    fn ends(&mut self, _: ThreadId, _: &bool) {}

    fn awaits(&mut self, _: &bool, _: &bool, _: Option<Span>) {}

    fn constant(&mut self, value: &Value) -> ValueSet {
        ValueSet::one(value.clone())
    }

    fn apply(&mut self, operator: &Operator, operands: &[ValueSet]) -> Result<ValueSet, String> {
        self.has_open_index |= operator.is_index() && operands.last().is_some_and(|index| index.any.is_some());
        apply(operator, operands)
    }

    fn select(&mut self, _: &bool, first: &ValueSet, second: &ValueSet) -> Result<ValueSet, String> {
        let mut result = first.clone();
        result.absorb(second);
        Ok(result)
    }

    fn choose(&mut self, low: i64, high: i64, width: u8) -> ValueSet {
        if high.saturating_sub(low) >= LARGEST as i64 {
            return ValueSet { values: BTreeSet::new(), any: Some(width) };
        }
        ValueSet { values: (low..=high).map(|value| Value::int(value, width)).collect(), any: None }
    }

    fn result(&mut self, value: ValueSet, _: Origin) -> ValueSet {
        value
    }

    fn accesses(&mut self, _: usize, _: Vec<(Access, bool)>) {}

    fn event(&mut self, site: Site<Self>) -> Result<(usize, Option<ValueSet>), String> {
        let monitor = matches!(site.kind, EventKind::Lock | EventKind::Unlock);
        let writes = site.kind == EventKind::Write;
        let plain = site.accesses.iter().all(|(access, _)| access.order == program::Order::Plain);
        let plain_read = plain && site.kind == EventKind::Read;
        let thread = Some(site.thread);
        let mut event = EventValues { writes, monitor, plain_read, thread, ..EventValues::default() };
        // A freeze names a field, but does not access it.
        if let Some(address) = site.address.as_ref().filter(|_| site.kind != EventKind::Fence) {
            if address.any.is_some() && address.pointers().next().is_none() {
                return Err("an access to a computed number".into());
            }
            event.cells = address.pointers().cloned().collect();
        }
        event.sources = site.data.iter().map(|&(read, _)| read).chain(site.read).collect();
        match &site.value {
            Some(value) if self.without_reads.is_some() => event.written = value.clone(),
            None if self.without_reads.is_some() => {
                let given = self.without_reads.and_then(|reads| reads.get(self.events.len()));
                event.read = given.cloned().unwrap_or_default();
                event.read.values.retain(|value| !matches!(value, Value::Pointer(_)));
            }
            Some(_) if writes && self.unseen.absent.contains(&self.events.len()) => {}
            Some(value) if site.guard && writes => {
                let index = self.events.len();
                for cell in &event.cells {
                    match &mut self.delayed {
                        Some(delayed) => {
                            delayed.entry(cell.clone()).or_default().entry(Some(index)).or_default().absorb(value);
                        }
                        None => self.write(cell, Some(index), value),
                    }
                }
            }
            _ if monitor => {}
            _ => {
                let index = self.events.len();
                for cell in &event.cells {
                    let seen = self.seen(cell, index);
                    event.read.absorb(&seen);
                }
                let is_read = site.guard && site.kind == EventKind::Read;
                let is_nowhere = |address: &ValueSet| !address.values.is_empty() && event.cells.is_empty();
                event.reads_nothing = is_read && site.address.as_ref().is_some_and(is_nowhere);
                if self.nowhere.contains(&index) {
                    event.read.absorb(&ValueSet::one(Value::Undefined));
                }
            }
        }
        let value = (site.kind == EventKind::Read).then(|| event.read.clone());
        if self.is_whole {
            let touch = Touch { thread: site.thread, at: (site.node, site.position), cells: event.cells.clone() };
            self.course.touches.push(touch);
            if site.thread == Whole::MAIN {
                self.course.marks.push((site.node, Mark::Access));
            }
        }
        self.events.push(event);
        Ok((self.events.len() - 1, value))
    }

    fn pruned(&mut self, _: &LoopCopy, _: &bool, _: Option<&Registers<Self>>) {}

    fn assume(&mut self, _: &bool, _: &bool) {}

    fn assertion(&mut self, _: &bool, _: &bool, _: Said<'_>, _: Option<Span>) {}

    fn finish(&mut self, _: ThreadId, _: Vec<ValueSet>) {}
}

/// An operator on sets: on each combination, as long as there are few.
pub fn apply(operator: &Operator, operands: &[ValueSet]) -> Result<ValueSet, String> {
    let mut result = ValueSet::default();
    let combinations = operands.iter().map(|set| set.values.len()).product::<usize>();
    let open = operands.iter().any(|set| set.any.is_some());
    if let (true, Some(result)) = (open, few_results(operator, operands)) {
        return Ok(result);
    }
    if open || combinations > 16 * LARGEST {
        // Where not all combinations are tried, one that is outside the operator's domain may be among them.
        if may_be_undefined(operator, operands) {
            result.values.insert(Value::Undefined);
        }
        match operator {
            Operator::Eq
            | Operator::Ne
            | Operator::LtSigned
            | Operator::LeSigned
            | Operator::LtUnsigned
            | Operator::LeUnsigned
            | Operator::IsDefined
            | Operator::IsFalse => result.values.extend([Value::int(0, 32), Value::int(1, 32)]),
            Operator::Resize { width, .. } => result.any = Some(*width),
            Operator::Copy | Operator::Defined => return Ok(operands[0].clone()),
            Operator::Select => {
                result.absorb(&operands[1]);
                result.absorb(&operands[2]);
                return Ok(result);
            }
            _ if operator.is_index() && operands[0].any.is_none() => {
                for (pointer, index) in operands[0].values.iter().flat_map(|p| indexes(operator).map(move |i| (p, i))) {
                    result.values.insert(operator.apply(&[pointer.clone(), Value::int(index, 64)]));
                }
                result.values.insert(Value::Undefined);
            }
            Operator::Offset | Operator::Advance | Operator::Step(_) | Operator::Element { .. } => {
                return Err("a pointer computed from an unbounded number".into());
            }
            Operator::Make(..) | Operator::Get(..) | Operator::Set(..) => {
                return Err("a pointer or composite computed from an unbounded number".into());
            }
            Operator::Distance | Operator::LastOffset => result.any = Some(64),
            Operator::Add | Operator::Sub | Operator::And | Operator::Or | Operator::Xor
                if is_pointer_with_any(operands) =>
            {
                return Err("a pointer computed from an unbounded number".into());
            }
            Operator::Sub | Operator::And | Operator::ShrUnsigned if is_pointer_among_narrow(operands) => {
                return Err("a pointer among integers of another width".into());
            }
            _ => result.any = operands.iter().filter_map(ValueSet::width).max(),
        }
    }
    if combinations <= 16 * LARGEST {
        let mut chosen: Vec<Value> = Vec::with_capacity(operands.len());
        combine(operator, operands, &mut chosen, &mut result);
    }
    result.widen();
    Ok(result)
}

/// Whether an operand may be a pointer and one any integer of another width: the result can be of two widths.
fn is_pointer_among_narrow(operands: &[ValueSet]) -> bool {
    let is_narrow = |set: &ValueSet| set.any.is_some_and(|width| width != 64);
    operands.iter().any(is_narrow) && operands.iter().any(|set| set.pointers().next().is_some())
}

/// Whether one of two operands may be a pointer and the other any integer.
fn is_pointer_with_any(operands: &[ValueSet]) -> bool {
    let [a, b] = operands else { return false };
    let meets = |a: &ValueSet, b: &ValueSet| a.any == Some(64) && b.pointers().next().is_some();
    meets(a, b) || meets(b, a)
}

/// Of a number of which nothing is known that is an index, the ones that are tried: as an offset those of an array, as a
/// distance both ways.
pub(crate) fn indexes(operator: &Operator) -> std::ops::Range<i64> {
    match operator {
        Operator::Advance | Operator::Step(_) => 1 - MOST_INDEXES..MOST_INDEXES,
        _ => 0..operator.elements().map_or(MOST_INDEXES, |elements| elements.end.min(MOST_INDEXES)),
    }
}

/// Whether all indexes are tried that an array has: any other is an error.
pub(crate) fn tries_all(operator: &Operator) -> bool {
    operator.elements().is_some_and(|elements| elements.end <= MOST_INDEXES)
}

/// Indexes of which nothing is known are tried up to this one. Whether an execution has others is asked besides.
const MOST_INDEXES: i64 = 64;

/// What an operator that gives few results whatever its first operand is gives of any integer: a remainder by a constant, a
/// mask of few bits, a shift that leaves few.
fn few_results(operator: &Operator, operands: &[ValueSet]) -> Option<ValueSet> {
    let [first, second] = operands else { return None };
    let constant = |set: &ValueSet| match set.values.first() {
        Some(Value::Int(int)) if set.values.len() == 1 && set.any.is_none() => Some(*int),
        _ => None,
    };
    let (open, by) = match (operator, constant(first), constant(second)) {
        (Operator::And, Some(by), _) => (second, by),
        (_, _, by) => (first, by?),
    };
    let width = open.any?;
    if !open.values.is_empty() || width != by.width() {
        return None;
    }
    let most = (LARGEST / 2) as u64;
    let all = |low: i64, high: i64| (low..=high).map(|value| Value::int(value, width)).collect::<BTreeSet<Value>>();
    let values = match operator {
        Operator::RemUnsigned if (1..=most).contains(&by.unsigned()) => all(0, by.unsigned() as i64 - 1),
        Operator::RemSigned if (1..=most).contains(&by.signed().unsigned_abs()) => {
            let greatest = by.signed().unsigned_abs() as i64 - 1;
            all(-greatest, greatest)
        }
        Operator::And if by.unsigned() < most => {
            all(0, by.unsigned() as i64).into_iter().filter(|v| is_within(v, by.unsigned())).collect()
        }
        Operator::ShrUnsigned if by.unsigned() < u64::from(width) && u64::from(width) - by.unsigned() <= 5 => {
            all(0, (1 << (u64::from(width) - by.unsigned())) - 1)
        }
        _ => return None,
    };
    Some(ValueSet { values, any: None })
}

/// Whether all bits of an integer are of the mask.
fn is_within(value: &Value, mask: u64) -> bool {
    matches!(value, Value::Int(int) if int.unsigned() & !mask == 0)
}

fn may_be_undefined(operator: &Operator, operands: &[ValueSet]) -> bool {
    let is_int = |value: &Value| matches!(value, Value::Int(_));
    let widths: BTreeSet<u8> = operands
        .iter()
        .flat_map(|set| {
            set.values.iter().filter_map(|v| if let Value::Int(int) = v { Some(int.width()) } else { None })
        })
        .chain(operands.iter().filter_map(|set| set.any))
        .collect();
    let partial = matches!(
        operator,
        Operator::DivSigned
            | Operator::DivUnsigned
            | Operator::RemSigned
            | Operator::RemUnsigned
            | Operator::Distance
            | Operator::LastOffset
            | Operator::Base
            | Operator::Element { .. }
    );
    let outside = widths.len() > 1 || operands.iter().any(|set| !set.values.iter().all(is_int));
    partial || (outside && !matches!(operator, Operator::Copy | Operator::Defined | Operator::IsDefined))
}

fn combine(operator: &Operator, operands: &[ValueSet], chosen: &mut Vec<Value>, result: &mut ValueSet) {
    match operands.split_first() {
        None => {
            result.values.insert(operator.apply(chosen));
        }
        Some((first, rest)) => {
            for value in &first.values {
                chosen.push(value.clone());
                combine(operator, rest, chosen, result);
                chosen.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(set: &ValueSet, value: &Value) -> bool {
        let any = |value: &Value| matches!(value, Value::Int(int) if Some(int.width()) == set.any);
        set.values.contains(value) || any(value)
    }

    /// Members of a set: all that are listed, and a few of "any integer".
    fn members(set: &ValueSet) -> Vec<Value> {
        let any = set.any.into_iter().flat_map(|width| [-1, 0, 1, 2, 100].map(|value| Value::int(value, width)));
        set.values.iter().cloned().chain(any).collect()
    }

    fn sets() -> Vec<ValueSet> {
        let number = |value: i64| Value::int(value, 32);
        let pointer = Value::Pointer(Pointer { allocation: 0, path: vec![1] });
        let listed = |values: Vec<Value>| ValueSet { values: values.into_iter().collect(), any: None };
        let any = |values: Vec<Value>| ValueSet { any: Some(32), ..listed(values) };
        vec![
            listed(vec![number(0)]),
            listed(vec![number(1), number(-5)]),
            listed(vec![pointer.clone()]),
            listed(vec![number(3), pointer.clone(), Value::Undefined]),
            listed((0..40).map(number).collect()),
            any(vec![]),
            any(vec![Value::Undefined]),
            any(vec![pointer]),
            listed(vec![number(8)]),
            listed(vec![number(-7)]),
            listed(vec![number(30)]),
        ]
    }

    /// The result of an operator; of an index that is not tried nothing is known, which the events tell apart.
    fn tried(operator: &Operator, values: &[Value], is_open: bool) -> Value {
        let is_index = operator.is_index() && is_open;
        let is_tried = |index: &Value| !matches!(index, Value::Int(int) if !indexes(operator).contains(&int.signed()));
        match values {
            [_, index] if is_index && !is_tried(index) => Value::Undefined,
            _ => operator.apply(values),
        }
    }

    #[test]
    fn an_operator_on_sets_gives_every_result_on_members() {
        let names = "copy not neg add sub mul sdiv udiv srem urem and or xor shl ushr sshr eq ne slt sle ult ule is_false \
                     select offset advance distance base last_offset";
        let mut missing = Vec::new();
        let named = names.split_whitespace().filter_map(Operator::named);
        for operator in
            named.chain([Operator::Step(1), Operator::Step(8), Operator::Element { size: 4, count: 3, past: true }])
        {
            let mut choices: Vec<Vec<ValueSet>> = vec![Vec::new()];
            for _ in 0..operator.arity() {
                let longer =
                    |chosen: &Vec<ValueSet>| sets().into_iter().map(|set| [&chosen[..], &[set]].concat()).collect();
                choices = choices.iter().flat_map::<Vec<_>, _>(longer).collect();
            }
            for operands in choices {
                let Ok(result) = apply(&operator, &operands) else { continue };
                let mut combinations: Vec<Vec<Value>> = vec![Vec::new()];
                for set in &operands {
                    let longer = |chosen: &Vec<Value>| {
                        members(set).into_iter().map(|value| [&chosen[..], &[value]].concat()).collect()
                    };
                    combinations = combinations.iter().flat_map::<Vec<_>, _>(longer).collect();
                }
                let is_open = operands.last().is_some_and(|index| index.any.is_some());
                let lost = combinations.iter().find(|values| !holds(&result, &tried(&operator, values, is_open)));
                missing.extend(lost.map(|values| format!("{operator} of {values:?} is not in {result:?}")));
            }
        }
        let shown = &missing[..missing.len().min(5)];
        assert!(missing.is_empty(), "{} lost results, such as\n{}", missing.len(), shown.join("\n"));
    }

    #[test]
    fn absorbing_keeps_every_value() {
        for (first, second) in sets().iter().flat_map(|a| sets().into_iter().map(move |b| (a.clone(), b))) {
            let mut both = first.clone();
            both.absorb(&second);
            let lost = members(&first).into_iter().chain(members(&second)).find(|value| !holds(&both, value));
            assert_eq!(lost, None, "{first:?} and {second:?}");
        }
    }
}
