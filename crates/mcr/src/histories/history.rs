//! What threads can do, as trees: one for each thread, grown as far as executions went.
//!
//! A thread is deterministic but for what shared memory, other threads and choices tell it. So its history, the list of what
//! its operations resulted in, says where it is and what it does next. A *node* stands for a history; its operation is the next thing that
//! the thread does and others could notice; its children are told apart by *labels*: the value read, the way chosen. Each
//! edge is interpreted once, by the interpreter that all engines use, on a state in which only this thread is real; after
//! that, executions walk along the trees.
//!
//! Names agree across executions: a thread is named by who starts it and its index among those, a block by who allocates it
//! and its index among those.

pub mod iteration;
mod recycle;

use std::rc::Rc;

use program::{Access, EventKind, FunctionId, InstructionKind, Operand, Unsupported, Verified};
use rustc_hash::FxHashMap;

use operational::choices::Choices;
use operational::fence::{FenceOrder, fence_order};
use operational::heap::Allocation;
use operational::interpret::{Fault, Interpreter, Reach, Stop, contains, step_over};
use operational::limits::{Limits, MOST_THREADS, too_many_threads};
use operational::memory::{Machine, WHETHER_FREE, is_identity, is_locked};
use operational::observer::{MemoryEvent, Nobody, Observer};
use operational::state::{Monitor, State, Status, Thread};
use operational::turn::setup_once;
use operational::word::{Address, Word, Words};

use super::checks::Checks;
use super::id::{CellId, NodeId, ThreadId, ValueId};
use iteration::{Iterations, Loops};
use recycle::{Recycling, ends};

/// The result of an operation: the number of a value, a way chosen, 0 where there is none.
pub type Label = u32;
/// No cell, value or thread.
pub const NONE: u32 = u32::MAX;
/// Not more values of a cell than this are known.
const MOST_KNOWN: usize = 64;
/// In the label of a compare-exchange that may fail without reason: it did.
pub const FAILED: Label = 1 << 31;

/// What a thread does next. Cells and values are numbers of [`Forest`]; so are monitors, which are cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Loads a cell; the label is the value.
    Load(CellId),
    /// Stores a value in a cell; whether it meets memory at once.
    Store(CellId, ValueId, bool),
    /// Reads and writes a cell in one step; the label is the value read, perhaps with [`FAILED`].
    Update(CellId),
    /// A fence, by what it orders.
    Fence(FenceOrder),
    /// The start of an atomic block.
    Begin,
    /// Its end.
    Finish,
    /// Inside an atomic block: the condition awaited is false, so that the block does not happen.
    Waits,
    /// Takes a monitor.
    Lock(CellId),
    /// Releases it.
    Unlock(CellId),
    /// Releases it and waits for a notification.
    Release(CellId),
    /// Takes it again, so often, after a notification.
    Resume(CellId, u32),
    /// Wakes one thread or all; the label is 0, or 1 plus the place of the one woken among several.
    Notify(CellId, bool),
    /// Starts the thread, at its first node.
    Spawn(ThreadId, NodeId),
    /// Waits for the end of a thread.
    Join(ThreadId),
    /// Waits for a permit.
    Park,
    /// Gives a permit.
    Unpark(ThreadId),
    /// Waits for the end of threads that come before it.
    Turn(Rc<[ThreadId]>),
    /// Chooses one of so many ways; the label says which.
    Choose(u32),
    /// Is given a block of so many bytes, if memory has bytes; the label says which: see [`Forest::recyclable`].
    Allocate(Option<u64>),
    /// It has done an iteration of a loop without effect, and stops here.
    Idle,
    /// The thread is over.
    End,
    /// It stopped at an error: number of the fault.
    Failed(u32),
    /// The execution does not count: an assumption is false.
    Dropped,
    /// A limit was reached, or something is not modelled: the execution cannot go on here.
    Cut,
}

impl Op {
    /// Whether the thread does nothing any more.
    pub(super) fn is_end(&self) -> bool {
        matches!(self, Op::End | Op::Failed(_) | Op::Dropped | Op::Cut | Op::Waits | Op::Idle)
    }
}

/// A history.
#[derive(Clone, Debug)]
pub struct Node {
    /// What comes next.
    pub op: Op,
    /// The history without its last result; [`NodeId::NONE`] at the start of a thread.
    pub parent: NodeId,
    /// The last result.
    pub label: Label,
    /// What the last operation wrote, if it was a read-modify-write that did.
    pub written: Option<ValueId>,
    /// Whether the last operation had two ways and took one.
    pub picked: bool,
    /// Whose history.
    pub thread: ThreadId,
    /// Whether it stands inside an atomic block.
    pub in_block: bool,
    /// Whether that is no block of the program, but a read that waits in a loop; see [`iteration`].
    pub is_waiting: bool,
    /// Whether a later iteration of a loop may come back to where it stands.
    pub(super) returns: bool,
    has_repeated: bool,
    /// After an iteration without effect: where it began.
    pub back: NodeId,
    children: Vec<(Label, NodeId)>,
    /// The thread as the interpreter knows it.
    pub(super) state: Rc<Thread>,
    /// The monitors it holds.
    pub(super) held: Rc<Vec<Monitor>>,
    pub(super) allocated: u32,
    started: u32,
    /// How many operations it has.
    length: u32,
    site: Site,
}

/// Where in the program a history stands. Kept for all: the thread itself is forgotten where it will not start again.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// The function, the block, and the place of the next instruction; `None` if the thread is over.
    pub instruction: Option<(FunctionId, program::BlockId, u32)>,
    /// The orders of the fences that the thread has passed since its last operation, if some are no operations here.
    pub fences: Option<Box<[program::Order]>>,
}

/// The trees of all threads.
pub struct Forest<'a> {
    /// The program.
    pub program: &'a Verified,
    /// The machine of the executions.
    pub machine: Machine,
    /// Runs single threads. Its machine is sc: what goes to buffers is not its business.
    interpreter: Interpreter<'a>,
    /// The blocks of memory by number, and the thread that is run among threads that stand still.
    pub(super) scratch: State,
    /// A thread that stands still, and counts as over for those that join it.
    idle: Rc<Thread>,
    nodes: Vec<Node>,
    cells: Numbers<Address>,
    values: Numbers<Word>,
    /// What each cell holds at the start, by number of the value.
    initial: Vec<ValueId>,
    /// The state in which threads start.
    start: State,
    threads: FxHashMap<(ThreadId, u32), ThreadId>,
    /// Of each thread, who starts it; [`NodeId::NONE`] for those of the program.
    starters: Vec<ThreadId>,
    roots: FxHashMap<(ThreadId, FunctionId, Vec<Word>), NodeId>,
    /// Blocks by who allocates them, with which index, by name, by what they hold, and by whether they may be reused.
    blocks: FxHashMap<(ThreadId, u32, u32, Word, bool), u32>,
    recycling: Recycling,
    faults: Vec<Fault>,
    /// What is done about iterations without effect, and the loops that may have some.
    pub(super) iterations: Iterations,
    loops: Option<Loops>,
    /// By cell: values that it may hold, as far as threads were seen to write.
    pub(super) known: Vec<Vec<ValueId>>,
    /// What comes after reads that wait, by the node that ends their block.
    beyond: FxHashMap<NodeId, Op>,
    /// The reads that decide whether something goes wrong.
    checks: Checks,
    /// Whether atomic blocks may wait.
    pub awaits: bool,
    /// How many operations of a thread are followed.
    pub most_operations: u32,
    /// Why some execution could not be followed, if so.
    pub cut: Option<String>,
    /// What is not modelled, if something was met.
    pub unsupported: Option<Unsupported>,
}

/// Numbers things.
struct Numbers<T> {
    ids: FxHashMap<T, u32>,
    things: Vec<T>,
}

impl<T: Copy + Eq + std::hash::Hash> Numbers<T> {
    fn new() -> Numbers<T> {
        Numbers { ids: FxHashMap::default(), things: Vec::new() }
    }

    fn id(&mut self, thing: T) -> u32 {
        let things = &mut self.things;
        *self.ids.entry(thing).or_insert_with(|| {
            things.push(thing);
            things.len() as u32 - 1
        })
    }
}

impl<'a> Forest<'a> {
    /// The trees of a program whose setup has run.
    pub fn new(
        program: &'a Verified,
        machine: Machine,
        setup: &[u32],
        limits: &Limits,
        iterations: Iterations,
    ) -> Result<Forest<'a>, Stop> {
        let mut interpreter = Interpreter::new(program, Machine::Sc);
        interpreter.longest = limits.stretch;
        interpreter.passes_assertions = program.question.is_some();
        let start = setup_once(&mut interpreter, &mut Choices::given(setup.to_vec()))?;
        let count = start.threads.len();
        let mut values = Numbers::new();
        let recycling = Recycling::new(interpreter.frees || ends(program), &mut values);
        let idle = Rc::new(Thread {
            status: Status::Ended,
            frames: Vec::new(),
            registers: Vec::new(),
            buffer: Vec::new(),
            fenced: false,
            permit: false,
        });
        let mut forest = Forest {
            program,
            machine,
            interpreter,
            scratch: start.clone(),
            idle,
            nodes: Vec::new(),
            cells: Numbers::new(),
            values,
            initial: Vec::new(),
            start,
            threads: FxHashMap::default(),
            starters: vec![ThreadId::NONE; count],
            roots: FxHashMap::default(),
            blocks: FxHashMap::default(),
            recycling,
            faults: Vec::new(),
            iterations,
            loops: Loops::of(program),
            known: Vec::new(),
            beyond: FxHashMap::default(),
            checks: Checks::of(program),
            awaits: contains(program, |kind| matches!(kind, InstructionKind::Await { .. })),
            cut: None,
            most_operations: u32::MAX,
            unsupported: None,
        };
        forest.recycle_from_setup();
        Ok(forest)
    }

    /// The first nodes of the threads of the program.
    pub fn initial_nodes(&mut self) -> Vec<NodeId> {
        let states: Vec<Rc<Thread>> = self.start.threads.clone();
        self.scratch.threads = vec![self.idle.clone(); states.len()];
        let made = states.into_iter().enumerate();
        made.map(|(thread, state)| {
            self.enter(ThreadId::at(thread), state, Rc::default());
            self.arrive(NodeId::NONE, 0, ThreadId::at(thread), Arrival::default())
        })
        .collect()
    }

    /// The node.
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many threads have a name.
    pub fn threads(&self) -> usize {
        self.starters.len()
    }

    /// The thread that a thread starts with this index, from 0.
    pub fn started(&self, starter: ThreadId, number: u32) -> Option<ThreadId> {
        self.threads.get(&(starter, number)).copied()
    }

    /// How many cells have a number.
    pub fn cells(&self) -> usize {
        self.cells.things.len()
    }

    /// The cell with this number.
    pub fn address(&self, cell: CellId) -> Address {
        self.cells.things[cell.index()]
    }

    /// The cell's number.
    pub fn cell(&mut self, address: Address) -> CellId {
        let cell = CellId(self.cells.id(address));
        if cell.index() == self.initial.len() {
            let value = match address.path {
                WHETHER_FREE => self.initially_free(address.allocation),
                _ => self.initially_held(address),
            };
            self.initial.push(value);
            self.known.push(vec![value]);
        }
        cell
    }

    /// A thread writes a value to a cell.
    fn note_written(&mut self, cell: CellId, value: ValueId) {
        let known = &mut self.known[cell.index()];
        if self.loops.is_some() && known.len() < MOST_KNOWN && !known.contains(&value) {
            known.push(value);
        }
    }

    fn initially_held(&mut self, address: Address) -> ValueId {
        let block = || self.scratch.heap.get(address.allocation as usize).map(|block| block.default);
        let held = self.start.held(address).or_else(block);
        ValueId(self.values.id(held.unwrap_or(Word::Undefined)))
    }

    /// The number of the cell that a pointer points to.
    pub fn cell_of(&mut self, pointer: &program::Pointer) -> CellId {
        let address = self.interpreter.words.address(pointer);
        self.cell(address)
    }

    /// What a cell holds at the start.
    pub fn initial(&self, cell: CellId) -> ValueId {
        self.initial[cell.index()]
    }

    /// The value with this number.
    pub fn value(&self, value: ValueId) -> Word {
        self.values.things[value.index()]
    }

    /// The number of a value.
    pub(super) fn number_of(&mut self, value: &program::Value) -> ValueId {
        ValueId(self.values.id(self.interpreter.words.word(value)))
    }

    /// The fault with this number.
    pub fn fault(&self, fault: u32) -> &Fault {
        &self.faults[fault as usize]
    }

    /// Where in the source a thread with this history is.
    pub fn span(&self, node: NodeId) -> Option<program::Span> {
        self.interpreter.span(&self.node(node).state)
    }

    /// Where in the program a thread with this history is.
    pub fn site(&self, node: NodeId) -> &Site {
        &self.node(node).site
    }

    /// The cell that a thread with this history reads next, if it depends on what it gets whether something goes wrong.
    pub fn checked(&self, node: NodeId) -> Option<CellId> {
        let node = self.node(node);
        match node.op {
            Op::Load(cell) if self.checks.has(node.site.instruction) => Some(cell),
            _ => None,
        }
    }

    /// How many instructions were interpreted.
    pub fn instructions(&self) -> u64 {
        self.interpreter.instructions
    }

    /// The node that a label leads to, if an execution went there.
    pub fn known_child(&self, node: NodeId, label: Label) -> Option<NodeId> {
        let children = &self.nodes[node.index()].children;
        children.iter().find(|(other, _)| *other == label).map(|(_, child)| *child)
    }

    /// Where executions went from a node.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = (Label, NodeId)> {
        self.nodes[node.index()].children.iter().copied()
    }

    /// The node that a label leads to.
    pub fn child(&mut self, node: NodeId, label: Label) -> NodeId {
        if let Some(child) = self.known_child(node, label) {
            return child;
        }
        let at = &self.nodes[node.index()];
        let (op, thread, state, held) = (at.op.clone(), at.thread, at.state.clone(), at.held.clone());
        let Node { in_block, is_waiting, has_repeated, allocated, started, .. } = *at;
        self.enter(thread, state, held);
        let mut arrival = Arrival { in_block, is_waiting, has_repeated, allocated, started, ..Arrival::default() };
        match &op {
            // The block of a read that waits is not one of the program.
            Op::Begin if is_waiting => arrival.in_block = true,
            Op::Finish if is_waiting => {
                (arrival.in_block, arrival.is_waiting) = (false, false);
                arrival.op = self.beyond.get(&node).cloned();
            }
            _ => {
                arrival.in_block &= !is_waiting;
                if let Err(stop) = self.perform(thread, &op, label, &mut arrival) {
                    arrival.op = Some(self.stopped(thread, stop));
                }
            }
        }
        let block = arrival.block;
        let child = self.arrive(node, label, thread, arrival);
        if let Some(block) = block {
            self.recycling.was_given(child, block);
        }
        let at = &mut self.nodes[node.index()];
        if at.children.is_empty() {
            // Most have one only.
            at.children.reserve_exact(1);
        }
        at.children.push((label, child));
        let goes_one_way =
            !matches!(op, Op::Load(_) | Op::Update(_) | Op::Choose(_) | Op::Notify(..) | Op::Allocate(_));
        if !at.returns && goes_one_way {
            // There is no other label: the thread will not start from here again.
            (at.state, at.held) = (self.idle.clone(), Rc::default());
        }
        child
    }

    /// A thread that has more operations than are followed.
    fn too_long(&mut self) -> Op {
        let most = self.most_operations;
        self.cut.get_or_insert_with(|| format!("no more than {most} operations of a thread were followed"));
        Op::Cut
    }

    pub(super) fn enter(&mut self, thread: ThreadId, state: Rc<Thread>, held: Rc<Vec<Monitor>>) {
        self.scratch.threads.resize(self.starters.len(), self.idle.clone());
        self.scratch.threads[thread.index()] = state;
        self.scratch.monitors = held;
    }

    /// Does the operation, with the label as its result.
    pub(super) fn perform(
        &mut self,
        thread: ThreadId,
        op: &Op,
        label: Label,
        arrival: &mut Arrival,
    ) -> Result<(), Stop> {
        let index = thread.index();
        match op {
            Op::Update(cell) if self.is_whether_free(*cell) => return self.free(thread, *cell, label, arrival),
            Op::Load(cell) if self.is_whether_free(*cell) => return self.look_whether_free(thread, *cell, label),
            Op::Store(cell, ..) if self.is_whether_free(*cell) => {
                // Whether it has ended differs from execution to execution: it is not known here.
                step_over(self.scratch.thread(index));
                return Ok(());
            }
            Op::Load(cell) | Op::Update(cell) => {
                let (cell, value) = (self.address(*cell), self.value(ValueId(label & !FAILED)));
                self.scratch.put(cell, value);
            }
            Op::Park => self.scratch.thread(index).permit = true,
            Op::Turn(_) => {
                self.scratch.thread(index).status = Status::Running;
                return Ok(());
            }
            Op::Resume(monitor, times) => {
                let address = self.address(*monitor);
                return self.interpreter.resume(&mut self.scratch, index, (address, *times), &mut Nobody);
            }
            Op::Spawn(started, _) => {
                arrival.started += 1;
                self.hand_over(thread, *started);
                return Ok(());
            }
            Op::Fence(_) if self.is_allocation(index) => {
                self.allocate(thread, arrival);
                return Ok(());
            }
            Op::Allocate(_) => {
                self.take_block(thread, label, arrival);
                return Ok(());
            }
            Op::Begin => arrival.in_block = true,
            Op::Finish => arrival.in_block = false,
            _ => {}
        }
        let given = match op {
            Op::Choose(_) => vec![label],
            Op::Update(_) => vec![u32::from(label & FAILED != 0)],
            _ => Vec::new(),
        };
        let mut choices = Choices::given(given);
        let mut written = Written::default();
        let result = self.interpreter.instruction(&mut self.scratch, index, &mut choices, &mut written);
        if let Op::Update(cell) = op {
            arrival.picked = !choices.taken().is_empty();
            arrival.written = written.0.map(|word| ValueId(self.values.id(word)));
            arrival.written.iter().for_each(|written| self.note_written(*cell, *written));
        }
        if let Op::Unpark(other) = op
            && *other != thread
        {
            self.scratch.threads[other.index()] = self.idle.clone();
        }
        if self.scratch.threads[index].permit {
            self.scratch.thread(index).permit = false;
        }
        result
    }

    fn is_allocation(&self, thread: usize) -> bool {
        let next = self.interpreter.next_instruction(&self.scratch.threads[thread]);
        matches!(next.map(|next| &next.kind), Some(InstructionKind::Allocate { .. }))
    }

    /// Lets the thread run on until its next operation, and makes a node of where it stands then.
    fn arrive(&mut self, parent: NodeId, label: Label, thread: ThreadId, mut arrival: Arrival) -> NodeId {
        let op = match arrival.op.take() {
            Some(op) => op,
            None => self.next_op(thread, &mut arrival).unwrap_or_else(|stop| self.stopped(thread, stop)),
        };
        let length = if parent == NodeId::NONE { 0 } else { self.nodes[parent.index()].length + 1 };
        let op = match length >= self.most_operations && !arrival.in_block && !op.is_end() {
            true => self.too_long(),
            false => self.without_idle_iterations((parent, label), thread, op, &mut arrival),
        };
        let Arrival { in_block, picked, written, allocated, started, fences, .. } = arrival;
        let Arrival { is_waiting, returns, has_repeated, back, beyond, .. } = arrival;
        if let Some(beyond) = beyond {
            self.beyond.insert(NodeId::at(self.nodes.len()), beyond);
        }
        let frame = self.scratch.threads[thread.index()].frames.last();
        let instruction = frame.map(|frame| (frame.function, frame.block, frame.next));
        let site = Site { instruction, fences: (!fences.is_empty()).then(|| fences.into()) };
        let state = std::mem::replace(&mut self.scratch.threads[thread.index()], self.idle.clone());
        let held = std::mem::take(&mut self.scratch.monitors);
        let children = Vec::new();
        let node = Node {
            op,
            parent,
            label,
            written,
            picked,
            thread,
            in_block,
            is_waiting,
            returns,
            has_repeated,
            back,
            children,
            state,
            held,
            allocated,
            started,
            length,
            site,
        };
        self.nodes.push(node);
        NodeId::at(self.nodes.len() - 1)
    }

    fn stopped(&mut self, thread: ThreadId, stop: Stop) -> Op {
        match stop {
            Stop::Failed(fault) => {
                let failed = self.scratch.thread(thread.index());
                failed.status = Status::Failed;
                let known = self.faults.iter().position(|other| *other == fault);
                Op::Failed(known.unwrap_or_else(|| {
                    self.faults.push(fault);
                    self.faults.len() - 1
                }) as u32)
            }
            Stop::Dropped => Op::Dropped,
            Stop::Waits(_) => Op::Waits,
            Stop::Limit(reason) => {
                self.cut.get_or_insert(reason);
                Op::Cut
            }
            Stop::Unsupported(unsupported) => {
                self.unsupported.get_or_insert(unsupported);
                Op::Cut
            }
        }
    }

    /// Runs the thread to its next operation.
    pub(super) fn next_op(&mut self, thread: ThreadId, arrival: &mut Arrival) -> Result<Op, Stop> {
        let index = thread.index();
        let until = self.interpreter.instructions + self.interpreter.longest;
        loop {
            match self.scratch.threads[index].status {
                Status::New => match self.turn(thread) {
                    Some(op) => return Ok(op),
                    None => self.scratch.thread(index).status = Status::Running,
                },
                Status::Waiting(address, times) => return Ok(Op::Resume(self.cell(address), times)),
                Status::Ended => return Ok(Op::End),
                Status::Failed | Status::Endless | Status::Notified(..) => return Ok(Op::Cut),
                Status::Running => {}
            }
            let next =
                self.interpreter.next_instruction(&self.scratch.threads[index]).map(|next| (&next.kind, next.span));
            if let Some((kind, span)) = next
                && let Some(op) = self.op(thread, kind, span, arrival)?
            {
                return Ok(op);
            }
            match next {
                Some((InstructionKind::Fence { access }, _)) => arrival.fences.push(access.order),
                Some((InstructionKind::Freeze { .. }, _)) => arrival.fences.push(program::Order::Plain),
                _ => {}
            }
            if matches!(next, Some((InstructionKind::Allocate { .. }, _))) {
                self.interpreter.instructions += 1;
                self.allocate(thread, arrival);
            } else {
                let mut choices = Choices::default();
                self.interpreter.instruction(&mut self.scratch, index, &mut choices, &mut Nobody)?;
            }
            if self.interpreter.instructions > until {
                let longest = self.interpreter.longest;
                return Err(Stop::Limit(format!("a thread took {longest} instructions without meeting shared memory")));
            }
        }
    }

    /// Whom a thread of the program has to wait for before it starts.
    fn turn(&self, thread: ThreadId) -> Option<Op> {
        let order = self.program.thread_order.iter().filter(|(_, second)| second.0 == thread.0);
        let first: Vec<ThreadId> = order.map(|(first, _)| ThreadId(first.0)).collect();
        (!first.is_empty()).then(|| Op::Turn(first.into()))
    }

    /// The operation that an instruction is; `None` if nobody else could notice it.
    fn op(
        &mut self,
        thread: ThreadId,
        kind: &InstructionKind,
        span: Option<program::Span>,
        arrival: &Arrival,
    ) -> Result<Option<Op>, Stop> {
        use InstructionKind::*;
        Ok(Some(match kind {
            Load { address, access, .. } => Op::Load(self.accessed(thread, address, Reach::read(access), span)?),
            Store { address, value, access } => {
                let cell = self.accessed(thread, address, Reach::write(access), span)?;
                let value = self.interpreter.operand(&self.scratch, thread.index(), value);
                let value = ValueId(self.values.id(value));
                self.note_written(cell, value);
                Op::Store(cell, value, is_locked(access) || !self.machine.has_buffers())
            }
            // A read-modify-write waits for the buffer here, but asking for the hash code of an object does not.
            ReadModifyWrite { access, .. } if is_identity(access) && self.machine.has_buffers() => {
                let what = format!("the hash code of an object on {} with the engine mcr", self.machine.name());
                return operational::interpret::unsupported(&what, span);
            }
            ReadModifyWrite { address, access, .. } => {
                Op::Update(self.accessed(thread, address, Reach::write(access), span)?)
            }
            Fence { access } => match self.fence(access, span)? {
                FenceOrder::Nothing if !arrival.in_block => return Ok(None),
                order => Op::Fence(order),
            },
            Freeze { .. } => match self.fence(&Access::freeze(), span)? {
                FenceOrder::Nothing if !arrival.in_block => return Ok(None),
                order => Op::Fence(order),
            },
            Lock { monitor } => Op::Lock(self.place(thread, monitor, span)?),
            Unlock { monitor } => Op::Unlock(self.place(thread, monitor, span)?),
            Wait { monitor } => Op::Release(self.place(thread, monitor, span)?),
            Notify { monitor, all } => Op::Notify(self.place(thread, monitor, span)?, *all),
            Allocate { reuse: true, extent, .. } if self.recycling.frees => {
                let size = self.interpreter.size(&self.scratch, thread.index(), extent.as_ref());
                Op::Allocate(size.map(|(bytes, _)| bytes))
            }
            Allocate { reuse: true, .. } if self.machine.has_buffers() => Op::Fence(FenceOrder::Full),
            // That would make a thread.
            Spawn { .. } if arrival.is_trial => Op::Cut,
            Spawn { .. } => self.start_thread(thread, arrival.started)?,
            Join { thread: other } => Op::Join(self.handle(thread, other)?),
            Unpark { thread: other } => Op::Unpark(self.handle(thread, other)?),
            Park => Op::Park,
            Choose { low, high, .. } => {
                let ways = (*high as i128 - *low as i128 + 1) as u64;
                match u32::try_from(ways).ok().filter(|ways| (2..=1 << 16).contains(ways)) {
                    Some(ways) => Op::Choose(ways),
                    None => return Ok(None),
                }
            }
            AtomicBegin => Op::Begin,
            AtomicEnd => Op::Finish,
            Free { address } => self.giving_back(thread, address)?,
            End { address } => match self.life(thread, address) {
                Some(cell) => {
                    let [_, ended] = self.in_use_or_free();
                    self.note_written(cell, ended);
                    Op::Store(cell, ended, !self.machine.has_buffers())
                }
                None => return Ok(None),
            },
            Live { address } => match self.life(thread, address) {
                Some(cell) => Op::Load(cell),
                None => return Ok(None),
            },
            _ => return Ok(None),
        }))
    }

    /// The cell of an operand; an error if there is none.
    fn place(&mut self, thread: ThreadId, address: &Operand, span: Option<program::Span>) -> Result<CellId, Stop> {
        let address = self.interpreter.operand(&self.scratch, thread.index(), address);
        let address = self.interpreter.cell(&self.scratch, address, span)?;
        Ok(self.cell(address))
    }

    /// The cell of an access; an error if there is none.
    fn accessed(
        &mut self,
        thread: ThreadId,
        address: &Operand,
        reach: Reach,
        span: Option<program::Span>,
    ) -> Result<CellId, Stop> {
        let address = self.interpreter.operand(&self.scratch, thread.index(), address);
        let address = self.interpreter.accessed(&self.scratch, address, reach, span)?;
        Ok(self.cell(address))
    }

    /// The thread that a handle names; where it names none the instruction says so.
    fn handle(&mut self, thread: ThreadId, handle: &Operand) -> Result<ThreadId, Stop> {
        let handle = self.interpreter.operand(&self.scratch, thread.index(), handle).as_int();
        let other = handle.and_then(|int| u32::try_from(int.signed()).ok());
        match other.filter(|other| (*other as usize) < self.starters.len()) {
            Some(other) => Ok(ThreadId(other)),
            None => {
                let (mut choices, index) = (Choices::default(), thread.index());
                self.interpreter.instruction(&mut self.scratch, index, &mut choices, &mut Nobody)?;
                Err(Stop::Limit("a thread is named in a way that is not understood".into()))
            }
        }
    }

    fn fence(&self, access: &Access, span: Option<program::Span>) -> Result<FenceOrder, Stop> {
        fence_order(self.machine, access).map_or_else(
            || operational::interpret::unsupported(&format!("this fence on the machine {}", self.machine.name()), span),
            Ok,
        )
    }

    /// What a `spawn` starts.
    fn start_thread(&mut self, starter: ThreadId, number: u32) -> Result<Op, Stop> {
        let index = starter.index();
        let next = self.interpreter.next_instruction(&self.scratch.threads[index]);
        let Some(InstructionKind::Spawn { function, arguments, .. }) = next.map(|next| &next.kind) else {
            return Err(Stop::Limit("a thread starts in a way that is not understood".into()));
        };
        let words = arguments.iter().map(|argument| self.interpreter.operand(&self.scratch, index, argument));
        let words: Vec<Word> = words.collect();
        if self.starters.len() >= MOST_THREADS && !self.threads.contains_key(&(starter, number)) {
            return Err(Stop::Limit(too_many_threads()));
        }
        let thread = *self.threads.entry((starter, number)).or_insert_with(|| {
            self.starters.push(starter);
            ThreadId::at(self.starters.len() - 1)
        });
        let key = (thread, *function, words);
        if let Some(root) = self.roots.get(&key) {
            return Ok(Op::Spawn(thread, *root));
        }
        let state = Rc::new(self.interpreter.new_thread(*function, &key.2));
        let mine = (self.scratch.threads[index].clone(), self.scratch.monitors.clone());
        self.enter(thread, state, Rc::default());
        let root = self.arrive(NodeId::NONE, 0, thread, Arrival::default());
        self.enter(starter, mine.0, mine.1);
        self.roots.insert(key, root);
        Ok(Op::Spawn(thread, root))
    }

    /// The starter gets the number of the thread.
    fn hand_over(&mut self, starter: ThreadId, started: ThreadId) {
        let next = self.interpreter.next_instruction(&self.scratch.threads[starter.index()]);
        if let Some(InstructionKind::Spawn { target, .. }) = next.map(|next| &next.kind) {
            let me = self.scratch.thread(starter.index());
            me.set(*target, Word::int(i64::from(started.0), 64));
            step_over(me);
        }
    }

    /// Gives the thread a new block: the same in every execution in which it allocates this one.
    fn allocate(&mut self, thread: ThreadId, arrival: &mut Arrival) -> Option<u32> {
        let index = thread.index();
        let next = self.interpreter.next_instruction(&self.scratch.threads[index]);
        let Some(InstructionKind::Allocate { target, default, name, reuse, extent }) = next.map(|next| &next.kind)
        else {
            return None;
        };
        let default = self.interpreter.words.word(default);
        let size = self.interpreter.size(&self.scratch, index, extent.as_ref());
        let name = self.interpreter.name_id(name, size);
        let heap = &mut self.scratch.heap;
        let block = *self.blocks.entry((thread, arrival.allocated, name, default, *reuse)).or_insert_with(|| {
            heap.push(Allocation { name, default, cells: Vec::new(), freed: false, reuse: *reuse });
            heap.len() as u32 - 1
        });
        arrival.allocated += 1;
        let path = self.interpreter.words.path(&[]);
        let me = self.scratch.thread(index);
        me.set(*target, Word::Pointer(Address { allocation: block, path }));
        step_over(me);
        Some(block)
    }

    /// The state in which threads with these histories are, with this memory.
    pub fn state(&self, nodes: &[NodeId], memory: &[ValueId]) -> (State, &Interpreter<'a>) {
        let mut state = self.start.clone();
        state.heap.extend(self.scratch.heap.iter().skip(state.heap.len()).cloned());
        for (thread, node) in nodes.iter().enumerate().take(state.threads.len()) {
            state.threads[thread] = self.node(*node).state.clone();
        }
        for (cell, value) in memory.iter().enumerate() {
            let address = self.address(CellId::at(cell));
            if address.path != WHETHER_FREE {
                state.put(address, self.value(*value));
            }
        }
        (state, &self.interpreter)
    }
}

/// What becomes of a thread on its way to a node.
pub(super) struct Arrival {
    pub op: Option<Op>,
    pub in_block: bool,
    pub is_waiting: bool,
    pub returns: bool,
    pub has_repeated: bool,
    pub back: NodeId,
    /// What it does after the read that waits.
    pub beyond: Option<Op>,
    /// Whether it is only tried where the thread gets.
    pub is_trial: bool,
    pub picked: bool,
    pub written: Option<ValueId>,
    pub allocated: u32,
    /// The block that it was given last, if that is a new one that may be reused.
    pub block: Option<u32>,
    pub started: u32,
    pub fences: Vec<program::Order>,
}

impl Default for Arrival {
    fn default() -> Arrival {
        Arrival {
            op: None,
            in_block: false,
            is_waiting: false,
            returns: false,
            has_repeated: false,
            back: NodeId::NONE,
            beyond: None,
            is_trial: false,
            picked: false,
            written: None,
            allocated: 0,
            block: None,
            started: 0,
            fences: Vec::new(),
        }
    }
}

/// Watches what a read-modify-write writes.
#[derive(Default)]
struct Written(Option<Word>);

impl Observer for Written {
    fn event(&mut self, event: MemoryEvent, _: &State, _: &Words) {
        if event.kind == EventKind::Write {
            self.0 = event.value;
        }
    }
}
