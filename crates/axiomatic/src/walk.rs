//! One walk over an unrolled program, for any domain of values.
//!
//! The walk follows each thread's graph in topological order, keeps registers and path conditions, joins them where
//! paths meet, and reports each memory event to the domain. `values` walks with sets of values, to find what
//! each access may touch; `events` with circuits. Both see the same events in the same order.
//!
//! The setup is walked first, with a memory of its own instead of events: what it leaves is the initial memory. So is
//! `main` of a whole program, until it starts other threads and after all of them have ended: see `walk/whole.rs`.

mod bounds;
mod compute;
mod reuse;
mod start;
pub mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use program::{
    Access, AssertSort, BlockId, EventKind, Extent, Function, Instruction, InstructionKind, Operand, Operator, Order,
    Pointer, RegisterId, Span, Terminator, ThreadId, Unsupported, Update, Value, Verified,
};

use crate::inline::Inlined;
use crate::unroll::{LoopCopy, Target, Unrolled, Unrolling, code};

use whole::{Mark, Whole};

/// Reads on which something depends, each with when it does. Sorted by event.
pub type Dependencies<G> = Vec<(usize, G)>;

/// Added to the index of a read on which something only depends because the read decided about it, as about the success of a
/// compare-exchange, whose value is 0 or 1 either way. Only registers' dependencies have such entries.
const DECIDED: usize = 1 << (usize::BITS - 1);

/// What registers hold, each with the reads that it depends on.
pub type Registers<D> = Vec<(<D as Domain>::Value, Dependencies<<D as Domain>::Guard>)>;

/// A memory event as the walk meets it.
pub struct Site<D: Domain> {
    /// Its thread.
    pub thread: ThreadId,
    /// Index of its node in the thread's graph.
    pub node: usize,
    /// Which instruction of its block it comes from.
    pub position: usize,
    /// What it is.
    pub kind: EventKind,
    /// When it is executed.
    pub guard: D::Guard,
    /// Whether that is whenever the thread comes to it.
    pub with_node: bool,
    /// Its address, or its monitor; `None` for other events.
    pub address: Option<D::Value>,
    /// What it writes or shows; `None` for other events.
    pub value: Option<D::Value>,
    /// How the model sees it, with when (a compare-exchange differs between success and failure).
    pub accesses: Vec<(Access, D::Guard)>,
    /// The statement.
    pub span: Option<Span>,
    /// Reads that its address depends on.
    pub addr: Dependencies<D::Guard>,
    /// Reads that the value it writes depends on.
    pub data: Dependencies<D::Guard>,
    /// The part of `data` from which the value is computed.
    pub flow: Dependencies<D::Guard>,
    /// Reads that its being executed depends on.
    pub ctrl: Dependencies<D::Guard>,
    /// For the write of a read-modify-write: its read.
    pub read: Option<usize>,
    /// For the write of a read-modify-write: what becomes of the value read.
    pub rewrite: Option<Rewrite>,
    /// The atomic block it belongs to, numbered within the program.
    pub atomic: Option<u32>,
    /// The operation of its thread that it belongs to.
    pub operation: Option<u32>,
}

/// What a read-modify-write does with the value it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// It writes another one, whatever it read.
    Exchange,
    /// It computes from it what it writes.
    Compute,
    /// It compares it, and writes another one if it is as expected.
    Compare,
}

/// Where a value comes from: a thread, a statement, and which of its accesses.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The thread.
    pub thread: ThreadId,
    /// The statement.
    pub span: Option<Span>,
    /// The instruction.
    pub instruction: &'a InstructionKind,
}

/// What an assertion says, of which sort it is, and whether its thread ends with it.
pub type Said<'a> = (&'a str, AssertSort, bool);

/// A domain of values and path conditions.
pub trait Domain: Sized {
    /// A path condition.
    type Guard: Clone + PartialEq;
    /// A value.
    type Value: Clone;

    /// The constant condition.
    fn truth(&mut self, truth: bool) -> Self::Guard;
    /// Both conditions.
    fn both(&mut self, a: &Self::Guard, b: &Self::Guard) -> Self::Guard;
    /// Either condition; at most one of them is true.
    fn either(&mut self, a: &Self::Guard, b: &Self::Guard) -> Self::Guard;
    /// `first` under `when`, else `second`.
    fn select_guard(&mut self, when: &Self::Guard, first: &Self::Guard, second: &Self::Guard) -> Self::Guard;
    /// Whether a value counts as true, and the opposite.
    fn decide(&mut self, value: &Self::Value, decision: Decision) -> (Self::Guard, Self::Guard);

    /// The pointers that an address may be, each with when.
    fn targets(&mut self, address: &Self::Value) -> Vec<(Pointer, Self::Guard)>;
    /// When the value is what the check wants. Where the domain is not exact: whether it may be.
    fn passes(&mut self, check: Check, operands: &[Self::Value], result: &Self::Value) -> Self::Guard;
    /// Whether what an operator on signed integers gives fits in their width; `result` is what it gives modulo two to the power of it.
    fn fits(&mut self, operator: &Operator, operands: &[Self::Value], result: &Self::Value) -> Self::Guard;

    /// A constant.
    fn constant(&mut self, value: &Value) -> Self::Value;
    /// An operator's result.
    fn apply(&mut self, operator: &Operator, operands: &[Self::Value]) -> Result<Self::Value, String>;
    /// `first` under `when`, else `second`.
    fn select(&mut self, when: &Self::Guard, first: &Self::Value, second: &Self::Value) -> Result<Self::Value, String>;
    /// Any integer from `low` to `high`.
    fn choose(&mut self, low: i64, high: i64, width: u8) -> Self::Value;
    /// Whether a weak compare-exchange succeeds if it can: 1 or 0.
    fn not_spurious(&mut self) -> Self::Value {
        self.choose(0, 1, 32)
    }
    /// What the statement gives, as the rest of the program sees it.
    fn result(&mut self, value: Self::Value, origin: Origin) -> Self::Value;

    /// Corrects how the model sees an event: known only after the value it read.
    fn accesses(&mut self, event: usize, accesses: Vec<(Access, Self::Guard)>);
    /// A memory event; gives its index and, for a read, the value read.
    fn event(&mut self, site: Site<Self>) -> Result<(usize, Option<Self::Value>), String>;
    /// An iteration of a loop begins, under this condition and with these registers; it may be the first.
    fn iteration(&mut self, _copy: &LoopCopy, _number: u32, _guard: &Self::Guard, _registers: &Registers<Self>) {}
    /// The thread would begin one more iteration of a loop than allowed, under this condition; with these registers, if an iteration ends
    /// with that.
    fn pruned(&mut self, copy: &LoopCopy, guard: &Self::Guard, registers: Option<&Registers<Self>>);
    /// Under `guard` an operator is applied that may compute a pointer from an index that is not tried.
    fn index(&mut self, _guard: &Self::Guard, _operator: &Operator, _operands: &[Self::Value], _span: Option<Span>) {}
    /// Under `guard` the program goes wrong unless `fine`.
    fn check(&mut self, guard: &Self::Guard, fine: &Self::Guard, what: &str, span: Option<Span>);
    /// Something is shown to the caller of the operation, under `guard`.
    fn observe(
        &mut self,
        place: Place,
        label: &Arc<str>,
        guard: &Self::Guard,
        value: &Self::Value,
    ) -> Result<(), String>;
    /// Memory as the setup leaves it.
    fn initial(&mut self, memory: BTreeMap<Pointer, Self::Value>);
    /// What a cell holds after all threads have ended.
    fn last(&mut self, cell: &Pointer) -> Self::Value;
    /// `main` takes the successor of this number of a node, under this condition.
    fn edge(&mut self, _node: usize, _successor: usize, _guard: &Self::Guard) {}
    /// `main` does something that matters for its order with the other threads.
    fn mark(&mut self, _node: usize, _mark: Mark) {}
    /// The numbers that a value may be, if the domain knows.
    fn numbers(&mut self, _value: &Self::Value) -> Option<Vec<i64>> {
        None
    }
    /// A thread that comes to a place waits there for ever, or goes on: under which condition each.
    fn part(&mut self, guard: &Self::Guard) -> [Self::Guard; 2];
    /// Under `guard` a thread waits for ever; there are such executions only if `waits`.
    fn stuck(&mut self, thread: ThreadId, guard: &Self::Guard, waits: &Self::Guard, span: Option<Span>);
    /// Whether a thread comes to its end; known only when it has been walked.
    fn ended(&mut self, thread: ThreadId) -> Self::Guard;
    /// A thread comes to its end, under this condition.
    fn ends(&mut self, thread: ThreadId, guard: &Self::Guard);
    /// Under `guard` the thread waits until the condition is true.
    fn awaits(&mut self, guard: &Self::Guard, condition: &Self::Guard, span: Option<Span>);
    /// Executions in which `guard` is true but not `condition` do not count.
    fn assume(&mut self, guard: &Self::Guard, condition: &Self::Guard);
    /// The program asserts `condition` whenever `guard` is true.
    fn assertion(&mut self, guard: &Self::Guard, condition: &Self::Guard, said: Said<'_>, span: Option<Span>);
    /// The thread ends with these registers.
    fn finish(&mut self, thread: ThreadId, registers: Vec<Self::Value>);
}

/// What a truth value decides about.
#[derive(Clone, Copy)]
pub struct Decision {
    /// The thread.
    pub thread: ThreadId,
    /// The statement.
    pub span: Option<Span>,
    /// Whether the value depends on some read.
    pub read: bool,
}

/// What is checked while a program runs (CheckFence thesis, section 7.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The operator is applied within its domain.
    Operands,
    /// Defined values are compared; a pointer with a pointer or null only.
    Comparison,
    /// The value decides a branch or an assertion: it is true or false.
    Truth,
}

/// An operation that shows something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The thread, or the setup.
    pub thread: ThreadId,
    /// Which operation of it, counted from 0.
    pub operation: u32,
}

/// Which events there are besides reads, writes, fences, locks and unlocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// The start and the end of each thread.
    pub boundaries: bool,
    /// What the outside world sees.
    pub specials: bool,
    /// Not events, but executions: those in which some thread waits for ever.
    pub deadlocks: bool,
    /// Allocations of heap memory.
    pub allocations: bool,
    /// Not events, but errors: stores that get to memory after it was freed.
    pub ends: bool,
}

/// A program as it is walked: without calls and loops.
#[derive(Clone, Copy)]
pub struct Unfolded<'a> {
    /// The program without calls.
    pub inlined: &'a Inlined<'a>,
    /// Its loops unrolled.
    pub unrolling: &'a Unrolling,
    /// Of a whole program: how its first thread starts the others.
    pub whole: Option<&'a Whole>,
    /// Which events there are besides accesses.
    pub extras: Extras,
}

/// Walks the setup and all threads.
pub fn walk<D: Domain>(unfolded: Unfolded, domain: &mut D) -> Result<(), Unsupported> {
    let Unfolded { inlined, unrolling, whole, extras } = unfolded;
    let (mut atomic_blocks, mut started) = (0, BTreeMap::new());
    let mut sizes = bounds::Sizes::default();
    for unrolled in unrolling.all() {
        let (atomic_blocks, started, sizes) = (&mut atomic_blocks, &mut started, &mut sizes);
        let program = &*inlined.program;
        let (position, is_last) = (0, false);
        let walk = Walk {
            program,
            inlined,
            unrolling,
            unrolled,
            whole,
            extras,
            domain,
            atomic_blocks,
            started,
            sizes,
            position,
            is_last,
        };
        walk.thread()?;
    }
    sizes.check_what_waits(domain)
}

/// The cell of a reusable block that says whether it is allocated: not a cell of the program.
const GIVEN_OUT: i64 = i64::MIN;

/// What that cell holds of a block that was never allocated; 1 while it is, 0 after it was freed.
pub const FRESH: i64 = 2;

/// Whether the cell is no cell of the program, but says whether a block is allocated.
pub fn is_marker(cell: &Pointer) -> bool {
    cell.path.last() == Some(&GIVEN_OUT)
}

/// Whether a write of this cell, with this access and in this atomic block, is the allocation of a block that is never freed.
pub fn is_allocation(cell: &Pointer, access: &Access, atomic: Option<u32>) -> bool {
    is_marker(cell) && access.order == Order::Acquire && atomic.is_none()
}

/// Whether a write of this cell, with this access, frees a block or ends the life of a variable.
pub fn is_end(cell: &Pointer, access: &Access) -> bool {
    is_marker(cell) && matches!(access.order, Order::Release | Order::Relaxed)
}

/// The initial value of a cell, of a global or of a block that some thread allocates.
pub fn initial(program: &Verified, unrolling: &Unrolling, cell: &Pointer) -> Value {
    if let Some(global) = program.globals.get(cell.allocation as usize) {
        let given = global.cells.iter().find(|(path, _)| *path == cell.path);
        return given.map_or(global.default.clone(), |(_, value)| value.clone());
    }
    if is_marker(cell) {
        return Value::int(FRESH, 8);
    }
    unrolling.made().find(|made| made.number == cell.allocation).map_or(Value::Undefined, |made| made.default.clone())
}

/// The state of a thread at a point of its graph.
struct State<D: Domain> {
    guard: D::Guard,
    registers: Registers<D>,
    /// Control dependencies by the node of the branch, with the block that ends each.
    ctrl: Vec<(usize, Option<BlockId>, Dependencies<D::Guard>)>,
    atomic: Option<u32>,
    /// Whether no other thread runs: accesses are no events, but accesses of `memory`.
    alone: bool,
    /// While alone, what was written so far; of `main` always the cells that no other thread accesses.
    memory: Memory<D::Value>,
    /// Of `main`: the threads that it has started and not joined.
    running: BTreeSet<ThreadId>,
}

/// Memory of one thread alone.
#[derive(Clone)]
struct Memory<V> {
    /// What was written.
    cells: BTreeMap<Pointer, V>,
    /// Whether all other cells hold what all threads left there, or what they hold at first.
    is_last: bool,
}

impl<D: Domain> Clone for State<D> {
    fn clone(&self) -> Self {
        State {
            guard: self.guard.clone(),
            registers: self.registers.clone(),
            ctrl: self.ctrl.clone(),
            atomic: self.atomic,
            alone: self.alone,
            memory: self.memory.clone(),
            running: self.running.clone(),
        }
    }
}

struct Walk<'a, D: Domain> {
    program: &'a Verified,
    inlined: &'a Inlined<'a>,
    unrolling: &'a Unrolling,
    unrolled: &'a Unrolled,
    whole: Option<&'a Whole>,
    extras: Extras,
    domain: &'a mut D,
    atomic_blocks: &'a mut u32,
    /// The threads that `main` has started, with how each begins.
    started: &'a mut BTreeMap<ThreadId, start::Beginning<D>>,
    /// The sizes of blocks that are computed.
    sizes: &'a mut bounds::Sizes<D>,
    /// The instruction of the block that is walked.
    position: usize,
    /// Whether the thread ends behind the instruction.
    is_last: bool,
}

impl<D: Domain> Walk<'_, D> {
    fn thread(mut self) -> Result<(), Unsupported> {
        let thread = self.program.threads.get(self.unrolled.thread.0 as usize);
        let Some(function) = code(self.program, self.unrolled.thread) else { return Ok(()) };
        let undefined = self.domain.constant(&Value::Undefined);
        let mut registers = vec![(undefined, Vec::new()); function.registers.len()];
        let arguments = thread.map_or(&[][..], |thread| &thread.arguments);
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            registers[parameter.index()].0 = self.domain.constant(argument);
        }
        let guard = self.domain.truth(true);
        let alone = thread.is_none() || self.main().is_some();
        let memory = Memory { cells: BTreeMap::new(), is_last: false };
        let running = BTreeSet::new();
        let mut start = State { guard, registers, ctrl: Vec::new(), atomic: None, alone, memory, running };
        self.begin(&function.parameters, &mut start)?;
        self.boundary(EventKind::Start, &start)?;
        let mut arriving: Vec<Option<State<D>>> = self.unrolled.nodes.iter().map(|_| None).collect();
        arriving[0] = Some(start);
        let mut ended: Option<State<D>> = None;
        for node in 0..self.unrolled.nodes.len() {
            // A node that nothing arrives at is reached only through pruned jumps.
            let Some(mut state) = arriving[node].take() else { continue };
            let block = self.unrolled.nodes[node].block;
            state.ctrl.retain(|(_, join, _)| *join != Some(block));
            if let Some((copy, number)) = &self.unrolled.nodes[node].iteration
                && state.atomic.is_none()
                && !state.alone
                && self.main().is_none()
            {
                self.domain.iteration(copy, *number, &state.guard, &state.registers);
            }
            let block = &function[block];
            let mut allocations = self.unrolled.nodes[node].allocations.iter().map(|made| made.number);
            for (position, instruction) in block.instructions.iter().enumerate() {
                self.position = position;
                self.is_last = position + 1 == block.instructions.len() && returns(function, &block.terminator);
                match &instruction.kind {
                    InstructionKind::Spawn { .. } | InstructionKind::Join { .. } if self.main().is_some() => {
                        self.start_or_join(node, instruction, &mut state)?;
                    }
                    InstructionKind::AtomicBegin if self.extras.deadlocks => {
                        self.wait_or_go_on(node, &block.instructions[position + 1..], &mut state)?;
                        self.instruction(node, instruction, &mut state)?;
                    }
                    InstructionKind::Allocate { target, reuse, extent, .. } => {
                        let Some(number) = allocations.next() else { continue };
                        self.note_size(number, extent.as_ref(), &state);
                        let pointer = match reuse {
                            true => self.reuse(node, number, instruction.span, &mut state)?,
                            false => self.allocate(node, number, instruction.span, &state)?,
                        };
                        set(&mut state, *target, pointer, Vec::new());
                    }
                    _ => self.instruction(node, instruction, &mut state)?,
                }
            }
            for (successor, (target, state)) in self.terminator(node, &block.terminator, state)?.into_iter().enumerate()
            {
                if self.is_dead((node, successor), &state) {
                    continue;
                }
                match target {
                    Some(Target::Node(next)) => {
                        let merged = match arriving[next].take() {
                            Some(other) => self.join(other, state)?,
                            None => state,
                        };
                        arriving[next] = Some(merged);
                    }
                    Some(Target::Pruned(index)) => {
                        let copy = &self.unrolled.cut[index];
                        let ends_iteration = state.atomic.is_none() && self.unrolled.ends_iteration(node, copy);
                        self.domain.pruned(copy, &state.guard, ends_iteration.then_some(&state.registers));
                    }
                    None => {
                        ended = Some(match ended.take() {
                            Some(other) => self.join_ends(other, state)?,
                            None => state,
                        });
                    }
                }
            }
        }
        let comes_to_its_end = ended.as_ref().map_or_else(|| self.domain.truth(false), |state| state.guard.clone());
        self.domain.ends(self.unrolled.thread, &comes_to_its_end);
        if let Some(state) = &mut ended {
            self.boundary(EventKind::End, state)?;
            if thread.is_none() {
                self.domain.initial(std::mem::take(&mut state.memory.cells));
                return Ok(());
            }
        }
        let registers = match ended {
            Some(state) => state.registers.into_iter().map(|(value, _)| value).collect(),
            None => {
                let undefined = self.domain.constant(&Value::Undefined);
                vec![undefined; function.registers.len()]
            }
        };
        self.domain.finish(self.unrolled.thread, registers);
        Ok(())
    }

    /// The start or end of the thread, if such events are wanted.
    fn boundary(&mut self, kind: EventKind, state: &State<D>) -> Result<(), Unsupported> {
        if self.extras.boundaries && !state.alone {
            let always = self.domain.truth(true);
            let mut site = self.site(0, kind, None, vec![(Access::plain(), always)], state);
            site.ctrl.clear();
            self.domain.event(site).map_err(|what| Unsupported::new(what, None))?;
        }
        Ok(())
    }

    /// Where the terminator leads, and in which state; `None` for the end of the thread.
    #[allow(clippy::type_complexity)]
    fn terminator(
        &mut self,
        node: usize,
        terminator: &Terminator,
        mut state: State<D>,
    ) -> Result<Vec<(Option<Target>, State<D>)>, Unsupported> {
        let targets = &self.unrolled.nodes[node].successors;
        Ok(match terminator {
            Terminator::Return(_) => {
                self.end(node, &state)?;
                vec![(None, state)]
            }
            Terminator::Jump(_) => vec![(Some(targets[0]), state)],
            Terminator::Branch { condition, join, span, .. } => {
                let (value, dependencies) = self.operand(condition, &state);
                let dependencies_empty = dependencies.is_empty();
                if !dependencies_empty {
                    state.ctrl.push((node, *join, dependencies));
                }
                let (taken, not_taken) = self.truth(&value, !dependencies_empty, *span, &state.guard);
                let mut other = state.clone();
                state.guard = self.domain.both(&state.guard, &taken);
                other.guard = self.domain.both(&other.guard, &not_taken);
                vec![(Some(targets[0]), state), (Some(targets[1]), other)]
            }
        })
    }

    /// The state after two paths meet.
    fn join(&mut self, first: State<D>, second: State<D>) -> Result<State<D>, Unsupported> {
        let when = first.guard.clone();
        let guard = self.domain.either(&first.guard, &second.guard);
        let mut registers = Vec::with_capacity(first.registers.len());
        for (a, b) in first.registers.iter().zip(&second.registers) {
            let value = self.domain.select(&when, &a.0, &b.0).map_err(|what| Unsupported::new(what, None))?;
            registers.push((value, self.join_dependencies(&when, &a.1, &b.1)));
        }
        let mut ctrl = Vec::new();
        for (node, join, dependencies) in &first.ctrl {
            let other = second.ctrl.iter().find(|(other, ..)| other == node);
            let other = other.map_or(&[][..], |(_, _, dependencies)| dependencies);
            ctrl.push((*node, *join, self.join_dependencies(&when, dependencies, other)));
        }
        for (node, join, dependencies) in &second.ctrl {
            if !first.ctrl.iter().any(|(other, ..)| other == node) {
                ctrl.push((*node, *join, self.join_dependencies(&when, &[], dependencies)));
            }
        }
        let alone = self.same_company(&first, &second)?;
        let memory = self.join_memory(&when, first.memory, second.memory)?;
        let running = first.running.union(&second.running).copied().collect();
        Ok(State { guard, registers, ctrl, atomic: first.atomic, alone, memory, running })
    }

    fn join_memory(
        &mut self,
        when: &D::Guard,
        a: Memory<D::Value>,
        b: Memory<D::Value>,
    ) -> Result<Memory<D::Value>, Unsupported> {
        let cells: BTreeSet<&Pointer> = a.cells.keys().chain(b.cells.keys()).collect();
        let mut joined = BTreeMap::new();
        for cell in cells {
            let (first, second) = (self.remembered(&a, cell), self.remembered(&b, cell));
            let value = self.domain.select(when, &first, &second).map_err(|what| Unsupported::new(what, None))?;
            joined.insert(cell.clone(), value);
        }
        Ok(Memory { cells: joined, is_last: a.is_last && b.is_last })
    }

    /// What a cell holds while no other thread runs.
    fn remembered(&mut self, memory: &Memory<D::Value>, cell: &Pointer) -> D::Value {
        match memory.cells.get(cell) {
            Some(value) => value.clone(),
            None if memory.is_last => self.domain.last(cell),
            None => self.domain.constant(&initial(self.program, self.unrolling, cell)),
        }
    }

    /// A read of a thread's own memory.
    fn recall(&mut self, address: &D::Value, span: Option<Span>, state: &State<D>) -> Result<D::Value, String> {
        let memory = &state.memory;
        let mut value: Option<D::Value> = None;
        let mut somewhere = self.domain.truth(false);
        for (cell, here) in self.domain.targets(address) {
            let held = self.remembered(memory, &cell);
            value = Some(match value {
                Some(value) => self.domain.select(&here, &held, &value)?,
                None => held,
            });
            somewhere = self.domain.either(&somewhere, &here);
        }
        self.domain.check(&state.guard, &somewhere, NO_POINTER, span);
        Ok(value.unwrap_or_else(|| self.domain.constant(&Value::Undefined)))
    }

    /// A write to a thread's own memory, when `guard`.
    fn remember(
        &mut self,
        address: &D::Value,
        value: &D::Value,
        guard: &D::Guard,
        span: Option<Span>,
        state: &mut State<D>,
    ) -> Result<(), String> {
        let mut memory = state.memory.clone();
        let mut somewhere = self.domain.truth(false);
        let targets = self.domain.targets(address);
        let certain = targets.len() == 1 && *guard == self.domain.truth(true);
        for (cell, here) in targets {
            let held = self.remembered(&memory, &cell);
            // The path condition is joined where paths join.
            let when = self.domain.both(guard, &here);
            let value = if certain { value.clone() } else { self.domain.select(&when, value, &held)? };
            memory.cells.insert(cell, value);
            somewhere = self.domain.either(&somewhere, &here);
        }
        state.memory = memory;
        self.domain.check(&state.guard, &somewhere, NO_POINTER, span);
        Ok(())
    }

    /// A truth value that must be one.
    fn truth(&mut self, value: &D::Value, read: bool, span: Option<Span>, guard: &D::Guard) -> (D::Guard, D::Guard) {
        let fine = self.domain.passes(Check::Truth, &[], value);
        self.domain.check(guard, &fine, "a decision on a value that is neither true nor false", span);
        let in_setup = self.program.threads.len() <= self.unrolled.thread.0 as usize;
        self.domain.decide(value, Decision { thread: self.unrolled.thread, span, read: read && !in_setup })
    }

    fn join_dependencies(
        &mut self,
        when: &D::Guard,
        a: &[(usize, D::Guard)],
        b: &[(usize, D::Guard)],
    ) -> Dependencies<D::Guard> {
        let mut events: Vec<usize> = a.iter().chain(b).map(|&(event, _)| event).collect();
        events.sort_unstable();
        events.dedup();
        let never = self.domain.truth(false);
        let find = |list: &[(usize, D::Guard)], event: usize| {
            list.iter().find(|&&(other, _)| other == event).map_or(never.clone(), |(_, guard)| guard.clone())
        };
        let domain = &mut *self.domain;
        events.into_iter().map(|e| (e, domain.select_guard(when, &find(a, e), &find(b, e)))).collect()
    }

    fn instruction(&mut self, node: usize, instruction: &Instruction, state: &mut State<D>) -> Result<(), Unsupported> {
        let span = instruction.span;
        let refuse = |what: String| Unsupported::new(what, span);
        let thread = self.unrolled.thread;
        let origin = Origin { thread, span, instruction: &instruction.kind };
        self.check_bounds(&instruction.kind, span, state).map_err(refuse)?;
        match &instruction.kind {
            InstructionKind::Assign { target, operator, operands } => {
                let (value, dependencies) = self.compute(operator, operands, origin, state).map_err(refuse)?;
                set(state, *target, value, dependencies);
            }
            InstructionKind::Load { target, address, .. } if self.is_own(node, state) => {
                let (address, _) = self.operand(address, state);
                let value = self.recall(&address, span, state).map_err(refuse)?;
                set(state, *target, value, Vec::new());
            }
            InstructionKind::Store { address, value, .. } if self.is_own(node, state) => {
                let (address, value) = (self.operand(address, state).0, self.operand(value, state).0);
                let always = self.domain.truth(true);
                self.remember(&address, &value, &always, span, state).map_err(refuse)?;
            }
            InstructionKind::ReadModifyWrite { target, address, update, .. } if self.is_own(node, state) => {
                self.update_own_memory(*target, address, update, span, state).map_err(refuse)?;
            }
            InstructionKind::Fence { .. } | InstructionKind::Freeze { .. } if state.alone => {}
            InstructionKind::Load { target, address, access } => {
                let always = self.domain.truth(true);
                let accesses = vec![(access.clone(), always.clone())];
                let mut site = self.site(node, EventKind::Read, span, accesses, state);
                (site.address, site.addr) = self.address(address, state);
                let (event, value) = self.domain.event(site).map_err(refuse)?;
                let value = value.unwrap_or_else(|| self.domain.constant(&Value::Undefined));
                let value = self.domain.result(value, origin);
                set(state, *target, value, vec![(event, always)]);
            }
            InstructionKind::Store { address, value, access } => {
                let always = self.domain.truth(true);
                let accesses = vec![(access.clone(), always)];
                let mut site = self.site(node, EventKind::Write, span, accesses, state);
                (site.address, site.addr) = self.address(address, state);
                let (value, data) = self.operand(value, state);
                site.value = Some(self.domain.result(value, origin));
                (site.flow, site.data) = (computed_from(&data), self.reads(data));
                self.domain.event(site).map_err(refuse)?;
            }
            InstructionKind::ReadModifyWrite { target, address, update, access } => {
                self.read_modify_write(node, *target, address, update, access, origin, state).map_err(refuse)?;
            }
            InstructionKind::Fence { access } => {
                let always = self.domain.truth(true);
                let site = self.site(node, EventKind::Fence, span, vec![(access.clone(), always)], state);
                self.domain.event(site).map_err(refuse)?;
            }
            InstructionKind::Freeze { address } => self.freeze(node, address, span, state).map_err(refuse)?,
            InstructionKind::Assert { condition, message, sort: AssertSort::Unsupported, .. } => {
                let (value, _) = self.operand(condition, state);
                let (holds, _) = self.truth(&value, false, span, &state.guard);
                if state.guard != self.domain.truth(false) && holds != self.domain.truth(true) {
                    return Err(Unsupported::new(message.to_string(), span));
                }
            }
            InstructionKind::Assert { condition, message, sort, .. } => {
                let (value, dependencies) = self.operand(condition, state);
                let (holds, _) = self.truth(&value, !dependencies.is_empty(), span, &state.guard);
                self.domain.assertion(&state.guard, &holds, (message, *sort, self.is_last), span);
            }
            InstructionKind::Assume { condition } => {
                let (value, dependencies) = self.operand(condition, state);
                let (holds, _) = self.truth(&value, !dependencies.is_empty(), span, &state.guard);
                self.domain.assume(&state.guard, &holds);
            }
            InstructionKind::Await { condition } => {
                let (value, dependencies) = self.operand(condition, state);
                let (holds, _) = self.truth(&value, !dependencies.is_empty(), span, &state.guard);
                self.domain.awaits(&state.guard, &holds, span);
                // What cannot come does not let a loop iterate.
                let never = self.domain.truth(false);
                if holds == never {
                    state.guard = never;
                }
            }
            InstructionKind::Free { address } => self.free(node, address, span, state)?,
            InstructionKind::End { address } => self.end_life(node, address, span, state)?,
            InstructionKind::Live { address } => self.live(node, address, span, state)?,
            InstructionKind::Identify { target } => {
                let number = self.domain.constant(&Value::int(i64::from(thread.0), 32));
                set(state, *target, number, Vec::new());
            }
            InstructionKind::Choose { target, low, high, width } => {
                let value = self.domain.choose(*low, *high, *width);
                set(state, *target, value, Vec::new());
            }
            InstructionKind::Lock { .. } | InstructionKind::Unlock { .. } if state.alone => {
                return Err(refuse("a monitor in the setup, in this engine".into()));
            }
            InstructionKind::Lock { monitor } | InstructionKind::Unlock { monitor } => {
                let is_lock = matches!(instruction.kind, InstructionKind::Lock { .. });
                let kind = if is_lock { EventKind::Lock } else { EventKind::Unlock };
                let always = self.domain.truth(true);
                let mut site = self.site(node, kind, span, vec![(Access::plain(), always)], state);
                (site.address, site.addr) = self.address(monitor, state);
                self.domain.event(site).map_err(refuse)?;
            }
            InstructionKind::Observe { label, value } if self.operation(node).is_some() => {
                let (value, _) = self.operand(value, state);
                let Some(operation) = self.operation(node) else { return Ok(()) };
                let place = Place { thread, operation };
                self.domain.observe(place, label, &state.guard, &value).map_err(refuse)?;
            }
            InstructionKind::Observe { value, .. } if self.extras.specials && !state.alone => {
                let always = self.domain.truth(true);
                let mut site = self.site(node, EventKind::Special, span, vec![(Access::plain(), always)], state);
                let (value, data) = self.operand(value, state);
                (site.value, site.data) = (Some(value), self.reads(data));
                self.domain.event(site).map_err(refuse)?;
            }
            InstructionKind::Observe { .. } => {}
            InstructionKind::AtomicBegin => {
                state.atomic = Some(*self.atomic_blocks);
                *self.atomic_blocks += 1;
            }
            InstructionKind::AtomicEnd => state.atomic = None,
            other => return Err(refuse(format!("the instruction `{}` in this engine", name(other)))),
        }
        Ok(())
    }

    /// The operation that a node belongs to.
    fn operation(&self, node: usize) -> Option<u32> {
        let thread = self.program.threads.get(self.unrolled.thread.0 as usize);
        let entry = thread.map(|thread| thread.entry).or(self.program.setup)?;
        let blocks = self.inlined.operations.get(entry.0 as usize)?;
        blocks.get(self.unrolled.nodes[node].block.0 as usize).copied().flatten()
    }

    fn update_own_memory(
        &mut self,
        target: RegisterId,
        address: &Operand,
        update: &Update,
        span: Option<Span>,
        state: &mut State<D>,
    ) -> Result<(), String> {
        let (address, _) = self.operand(address, state);
        let old = self.recall(&address, span, state)?;
        let mut writes = self.domain.truth(true);
        let new = match update {
            Update::Exchange(operand) => self.operand(operand, state).0,
            Update::Apply(operator, operand) => {
                let operand = self.operand(operand, state).0;
                self.domain.apply(operator, &[old.clone(), operand])?
            }
            Update::CompareExchange { expected, desired, success, weak, .. } => {
                let (expected, desired) = (self.operand(expected, state).0, self.operand(desired, state).0);
                let mut equal = self.domain.apply(&Operator::Eq, &[old.clone(), expected])?;
                // In a setup none fails spuriously: it would only try again.
                if *weak && self.main().is_some() {
                    let succeeds = self.domain.choose(0, 1, 32);
                    equal = self.domain.apply(&Operator::And, &[equal, succeeds])?;
                }
                let decision = Decision { thread: self.unrolled.thread, span: None, read: false };
                writes = self.domain.decide(&equal, decision).0;
                set(state, *success, equal, Vec::new());
                desired
            }
        };
        self.remember(&address, &new, &writes, span, state)?;
        set(state, target, old, Vec::new());
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn read_modify_write(
        &mut self,
        node: usize,
        target: RegisterId,
        address: &Operand,
        update: &Update,
        access: &Access,
        origin: Origin,
        state: &mut State<D>,
    ) -> Result<(), String> {
        let Origin { thread, span, .. } = origin;
        let always = self.domain.truth(true);
        let access = &exclusive(access);
        let atomic = state.atomic.unwrap_or_else(|| self.next_atomic_block());
        let (address, addr) = self.address(address, state);
        let mut read = self.site(node, EventKind::Read, span, vec![(access.clone(), always.clone())], state);
        (read.address, read.addr, read.atomic) = (address.clone(), addr.clone(), Some(atomic));
        let mut write = self.site(node, EventKind::Write, span, vec![(access.clone(), always.clone())], state);
        (write.address, write.addr, write.atomic) = (address, addr, Some(atomic));
        let (event, old) = self.domain.event(read)?;
        let old = old.unwrap_or_else(|| self.domain.constant(&Value::Undefined));
        let (value, data) = match update {
            Update::Exchange(operand) => self.operand(operand, state),
            Update::Apply(operator, operand) => {
                let (operand, data) = self.operand(operand, state);
                (self.domain.apply(operator, &[old.clone(), operand])?, data)
            }
            Update::CompareExchange { expected, desired, success, weak, failure } => {
                let (expected, dependencies) = self.operand(expected, state);
                // Before success is known: the flag may be in the same register.
                let desired = self.operand(desired, state);
                let compared = [old.clone(), expected];
                let equal = self.domain.apply(&Operator::Eq, &compared)?;
                let equal = if *weak {
                    let succeeds = self.domain.not_spurious();
                    self.domain.apply(&Operator::And, &[equal, succeeds])?
                } else {
                    equal
                };
                let fine = self.domain.passes(Check::Comparison, &compared, &equal);
                self.domain.check(&state.guard, &fine, &wrong_operands(&Operator::Eq), span);
                let (succeeds, fails) = self.domain.decide(&equal, Decision { thread, span: None, read: true });
                write.guard = self.domain.both(&write.guard, &succeeds);
                let failure = exclusive(failure);
                if failure != *access {
                    self.domain.accesses(event, vec![(access.clone(), succeeds.clone()), (failure, fails)]);
                }
                let dependencies = self.merge(vec![dependencies, vec![(event, always.clone())]]);
                let dependencies = self.merge(vec![decided(dependencies)]);
                let (one, zero) = (Value::int(1, 32), Value::int(0, 32));
                let (one, zero) = (self.domain.constant(&one), self.domain.constant(&zero));
                let flag = self.domain.select(&succeeds, &one, &zero)?;
                let flag = self.domain.result(flag, origin);
                set(state, *success, flag, dependencies);
                desired
            }
        };
        write.value = Some(self.domain.result(value, origin));
        (write.flow, write.data, write.read) = (computed_from(&data), self.reads(data), Some(event));
        write.rewrite = Some(match update {
            Update::Exchange(_) => Rewrite::Exchange,
            Update::Apply(..) => Rewrite::Compute,
            Update::CompareExchange { .. } => Rewrite::Compare,
        });
        self.domain.event(write)?;
        let old = self.domain.result(old, origin);
        set(state, target, old, vec![(event, always)]);
        Ok(())
    }

    fn site(
        &mut self,
        node: usize,
        kind: EventKind,
        span: Option<Span>,
        accesses: Vec<(Access, D::Guard)>,
        state: &State<D>,
    ) -> Site<D> {
        let ctrl = state.ctrl.iter().flat_map(|(_, _, dependencies)| dependencies.clone()).collect();
        let ctrl = self.reads(ctrl);
        Site {
            thread: self.unrolled.thread,
            node,
            position: self.position,
            kind,
            guard: state.guard.clone(),
            with_node: true,
            address: None,
            value: None,
            accesses,
            span,
            addr: Vec::new(),
            data: Vec::new(),
            flow: Vec::new(),
            ctrl,
            read: None,
            rewrite: None,
            atomic: state.atomic,
            operation: self.operation(node),
        }
    }

    fn address(&mut self, operand: &Operand, state: &State<D>) -> (Option<D::Value>, Dependencies<D::Guard>) {
        let (value, dependencies) = self.operand(operand, state);
        (Some(value), self.reads(dependencies))
    }

    fn operand(&mut self, operand: &Operand, state: &State<D>) -> (D::Value, Dependencies<D::Guard>) {
        match operand {
            Operand::Register(register) => state.registers[register.index()].clone(),
            Operand::Constant(value) => (self.domain.constant(value), Vec::new()),
        }
    }

    /// The reads of dependencies, in whatever way something depends on them.
    fn reads(&mut self, dependencies: Dependencies<D::Guard>) -> Dependencies<D::Guard> {
        let reads = dependencies.into_iter().map(|(event, guard)| (event & !DECIDED, guard)).collect();
        self.merge(vec![reads])
    }

    /// The union of dependencies.
    fn merge(&mut self, parts: Vec<Dependencies<D::Guard>>) -> Dependencies<D::Guard> {
        let mut all: Dependencies<D::Guard> = Vec::new();
        for (event, guard) in parts.into_iter().flatten() {
            match all.iter_mut().find(|(other, _)| *other == event) {
                Some((_, known)) if *known != guard => {
                    let always = self.domain.truth(true);
                    *known = self.domain.select_guard(&known.clone(), &always, &guard);
                }
                Some(_) => {}
                None => all.push((event, guard)),
            }
        }
        all.sort_by_key(|&(event, _)| event);
        all
    }
}

/// Data dependencies as those of something that the reads only decided about.
fn decided<G>(dependencies: Dependencies<G>) -> Dependencies<G> {
    dependencies.into_iter().map(|(event, guard)| (event | DECIDED, guard)).collect()
}

/// The reads of dependencies from which something was computed.
fn computed_from<G: Clone>(dependencies: &[(usize, G)]) -> Dependencies<G> {
    dependencies.iter().filter(|(event, _)| event & DECIDED == 0).cloned().collect()
}

fn set<D: Domain>(state: &mut State<D>, register: RegisterId, value: D::Value, dependencies: Dependencies<D::Guard>) {
    state.registers[register.index()] = (value, dependencies);
}

/// The access as that of a read-modify-write: in the set `X`, also when it fails to write.
pub(crate) fn exclusive(access: &Access) -> Access {
    if access.tags.iter().any(|tag| &**tag == "X") { access.clone() } else { access.clone().tagged("X") }
}

/// What is wrong where an access has no address.
pub(crate) const NO_POINTER: &str = "an access through what is no pointer";
const NOT_GIVEN_OUT: &str = "a block is freed that is not allocated (or freed twice)";

fn wrong_operands(operator: &Operator) -> String {
    match operator {
        Operator::Eq | Operator::Ne => "a comparison with an undefined value, or of a pointer with a number".into(),
        _ => operator.misuse(false),
    }
}

/// Whether a thread ends here.
fn returns(function: &Function, terminator: &Terminator) -> bool {
    match terminator {
        Terminator::Return(_) => true,
        Terminator::Jump(next) => {
            let block = &function[*next];
            block.instructions.is_empty() && matches!(block.terminator, Terminator::Return(_))
        }
        _ => false,
    }
}

fn name(kind: &InstructionKind) -> &'static str {
    match kind {
        InstructionKind::Call { .. } | InstructionKind::CallVirtual { .. } => "call",
        InstructionKind::Spawn { .. } => "spawn",
        InstructionKind::Join { .. } => "join",
        InstructionKind::Wait { .. } => "wait",
        InstructionKind::Notify { .. } => "notify",
        InstructionKind::Park => "park",
        InstructionKind::Unpark { .. } => "unpark",
        _ => "instruction",
    }
}
