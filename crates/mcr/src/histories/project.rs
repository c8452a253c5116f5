//! From histories to the trace of a class: what can matter for other executions of the same class, or for its untried branches.
//!
//! Left out are accesses to cells that only one thread of the class uses, or that nobody reads or nobody writes. No thread
//! can notice when they happen, and no prefix of an execution of the class can give such a read another value.

use rustc_hash::FxHashMap;

use super::history::{FAILED, Forest, Label, NONE, Op};
use super::id::{CellId, NodeId, ThreadId, TraceCell, TraceMonitor, ValueId};
use super::trace::{Access, End, Event, Kind, Thread, Trace, Value};
use operational::fence::FenceOrder;

/// The trace of a class, and what its numbers stand for.
#[derive(Debug, Default)]
pub struct Projection {
    /// The trace.
    pub trace: Trace,
    /// The number that each cell of the trace has in the forest.
    pub cells: Vec<CellId>,
    /// All values that each cell of the trace holds at some time.
    pub values: Vec<Vec<Value>>,
    /// By thread and event: where the thread stands after it; [`NodeId::NONE`] if it did not happen.
    pub after: Vec<Vec<NodeId>>,
}

/// Which cells are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep<'a> {
    /// Those that threads share.
    Shared,
    /// Those and these, if somebody writes them.
    And(&'a [CellId]),
    /// Those and these, if somebody uses them.
    Also(&'a [CellId]),
    /// All.
    All,
}

/// What an event of a class could do instead, as far as it depends on one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Alternatives {
    /// Get any other value.
    Any,
    /// Get one of these values.
    Listed(Vec<Alternative>),
    /// Be given one of these blocks.
    Blocks {
        /// What the cell of a block holds that can be allocated.
        free: Value,
        /// Each by its label, with the cell of the trace that says whether it is free; a new one has none.
        listed: Vec<(Label, Option<TraceCell>)>,
    },
    /// It depends on more than one value: every state has to be tried.
    Everything,
}

/// What an atomic block does with another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The value.
    pub value: Value,
    /// Whether it then waits for the thread's stores.
    pub waits: bool,
    /// Cells of the trace that it then writes.
    pub writes: Vec<TraceCell>,
    /// Where the thread stands after it.
    pub node: NodeId,
}

/// How a class uses a cell.
#[derive(Clone, Copy, Default)]
struct Usage {
    /// 1 plus the thread that uses it; [`NodeId::NONE`] if several do.
    user: u32,
    is_read: bool,
    is_written: bool,
    /// 1 plus its number in the trace.
    number: u32,
}

impl Usage {
    fn by(&mut self, thread: ThreadId) {
        self.user = if self.user == 0 || self.user == thread.0 + 1 { thread.0 + 1 } else { NONE };
    }

    fn is_shared(self) -> bool {
        self.user == NONE
    }
}

struct Projecting<'f, 'a> {
    forest: &'f Forest<'a>,
    usage: Vec<Usage>,
    monitors: FxHashMap<CellId, Usage>,
    made: Projection,
    monitor_count: u32,
    /// Whether a thread is given a block that may have been freed before.
    allocates: bool,
}

/// The trace of the class whose threads end in these nodes.
pub fn project(forest: &Forest, ends: &[NodeId], keep: Keep) -> Projection {
    let paths: Vec<Vec<NodeId>> = ends.iter().map(|end| path(forest, *end)).collect();
    let mut projecting = Projecting {
        forest,
        usage: vec![Usage::default(); forest.cells()],
        monitors: FxHashMap::default(),
        made: Projection::default(),
        monitor_count: 0,
        allocates: false,
    };
    for (thread, path) in paths.iter().enumerate() {
        projecting.look(ThreadId::at(thread), path);
    }
    projecting.look_at_blocks();
    projecting.choose_cells(keep);
    let initial = forest.program.threads.len();
    for (thread, path) in paths.iter().enumerate() {
        let mut made = projecting.thread(path);
        made.is_initial = thread < initial;
        projecting.made.trace.threads.push(made);
    }
    projecting.made.trace.monitors = projecting.monitor_count;
    projecting.made
}

/// The nodes from the start of a thread to this one.
fn path(forest: &Forest, end: NodeId) -> Vec<NodeId> {
    let mut path = Vec::new();
    let mut node = end;
    while node != NodeId::NONE {
        path.push(node);
        node = forest.node(node).parent;
    }
    path.reverse();
    path
}

impl Projecting<'_, '_> {
    /// Notes which cells and monitors a thread uses.
    fn look(&mut self, thread: ThreadId, path: &[NodeId]) {
        let mut is_fenced = false;
        for (place, node) in path.iter().enumerate() {
            let is_last = place + 1 == path.len();
            match &self.forest.node(*node).op {
                Op::Fence(FenceOrder::Loads) => is_fenced = true,
                Op::Load(cell) if !is_last => {
                    self.use_cell(thread, *cell, true, false);
                    if std::mem::take(&mut is_fenced) {
                        // It waits for stores, whatever it reads.
                        self.keep(*cell);
                    }
                }
                Op::Store(cell, ..) if !is_last => self.use_cell(thread, *cell, false, true),
                Op::Update(cell) if !is_last => {
                    let next = self.forest.node(path[place + 1]);
                    self.use_cell(thread, *cell, true, next.written.is_some());
                    if next.picked {
                        // That it could go another way does not depend on other threads.
                        self.keep(*cell);
                    }
                }
                Op::Allocate(_) if !is_last => {
                    self.allocates = true;
                    if let Some(cell) = self.forest.recycled(self.forest.node(path[place + 1]).label) {
                        self.use_cell(thread, cell, true, true);
                    }
                }
                Op::Begin if is_last => {
                    if let Some(cell) = self.awaited(*node) {
                        self.use_cell(thread, cell, true, false);
                    }
                }
                Op::Lock(monitor) | Op::Unlock(monitor) => self.monitors.entry(*monitor).or_default().by(thread),
                Op::Release(monitor) | Op::Resume(monitor, _) | Op::Notify(monitor, _) => {
                    self.monitors.entry(*monitor).or_default().user = NONE;
                }
                _ => {}
            }
        }
    }

    /// Who allocates could be given any block that is free.
    fn look_at_blocks(&mut self) {
        let forest = self.forest;
        let [_, free] = forest.in_use_or_free();
        for cell in if self.allocates { forest.recyclable() } else { &[] } {
            if self.usage[cell.index()].user != 0 || forest.initial(*cell) == free {
                self.keep(*cell);
                self.usage[cell.index()].is_read = true;
            }
        }
    }

    fn use_cell(&mut self, thread: ThreadId, cell: CellId, reads: bool, writes: bool) {
        let usage = &mut self.usage[cell.index()];
        usage.by(thread);
        usage.is_read |= reads;
        usage.is_written |= writes;
    }

    /// Keeps a cell as if threads shared it.
    fn keep(&mut self, cell: CellId) {
        let usage = &mut self.usage[cell.index()];
        (usage.user, usage.is_written) = (NONE, true);
    }

    /// The cell that a blocked atomic step reads first.
    fn awaited(&self, begin: NodeId) -> Option<CellId> {
        let first = self.forest.known_child(begin, 0)?;
        match self.forest.node(first).op {
            Op::Load(cell) | Op::Update(cell) => Some(cell),
            _ => None,
        }
    }

    fn choose_cells(&mut self, keep: Keep) {
        for cell in (0..self.usage.len()).map(CellId::at) {
            let usage = &mut self.usage[cell.index()];
            let is_kept = match keep {
                Keep::All => usage.user != 0,
                Keep::Shared => usage.is_shared() && usage.is_read && usage.is_written,
                Keep::Also(more) => {
                    let is_shared = usage.is_shared() && usage.is_read && usage.is_written;
                    is_shared || (usage.user != 0 && more.contains(&cell))
                }
                Keep::And(more) => usage.is_written && ((usage.is_shared() && usage.is_read) || more.contains(&cell)),
            };
            if is_kept {
                self.made.cells.push(cell);
                usage.number = self.made.cells.len() as u32;
                let initial = self.forest.initial(cell);
                self.made.trace.initial.push(initial);
                self.made.values.push(vec![initial]);
            }
        }
    }

    fn number(&self, cell: CellId) -> Option<TraceCell> {
        self.usage[cell.index()].number.checked_sub(1).map(TraceCell)
    }

    fn monitor(&mut self, monitor: CellId) -> Option<TraceMonitor> {
        let count = &mut self.monitor_count;
        let usage = self.monitors.get_mut(&monitor).filter(|usage| usage.is_shared())?;
        if usage.number == 0 {
            *count += 1;
            usage.number = *count;
        }
        Some(TraceMonitor(usage.number - 1))
    }

    fn holds(&mut self, cell: TraceCell, value: Value) {
        let values = &mut self.made.values[cell.index()];
        if !values.contains(&value) {
            values.push(value);
        }
    }

    fn thread(&mut self, path: &[NodeId]) -> Thread {
        let (mut thread, mut after) = (Thread::default(), Vec::new());
        let Some((last, before)) = path.split_last() else {
            self.made.after.push(after);
            return thread;
        };
        let mut place = 0;
        while place < before.len() {
            let (node, next) = (path[place], path[place + 1]);
            let (kind, taken) = match self.forest.node(node).op {
                Op::Begin => self.block(&path[place..]),
                _ => (self.kind(node, next), 1),
            };
            place += taken;
            if let Some(kind) = kind {
                thread.events.push(Event { kind, node });
                after.push(path[place]);
            }
        }
        thread.end = match &self.forest.node(*last).op {
            Op::End => End::Over,
            Op::Failed(_) | Op::Dropped | Op::Cut | Op::Waits | Op::Idle => End::Failed,
            op => {
                let kind = self.blocked(*last, &op.clone());
                thread.events.push(Event { kind, node: *last });
                after.push(NodeId::NONE);
                End::Blocked
            }
        };
        self.made.after.push(after);
        thread
    }

    fn buffers(&self) -> bool {
        self.forest.machine.has_buffers()
    }

    /// What waits for the thread's stores and does nothing else that counts.
    fn drain(&self) -> Option<Kind> {
        self.buffers().then_some(Kind::Drain)
    }

    /// The event of an operation that led to the next node; `None` if it does not count.
    fn kind(&mut self, node: NodeId, next: NodeId) -> Option<Kind> {
        let forest = self.forest;
        let next = forest.node(next);
        Some(match &forest.node(node).op {
            Op::Load(cell) => Kind::Read { cell: self.number(*cell)?, value: ValueId(next.label) },
            Op::Store(cell, value, direct) => match self.number(*cell) {
                Some(cell) => {
                    self.holds(cell, *value);
                    Kind::Write { cell, value: *value, direct: *direct }
                }
                None if *direct => return self.drain(),
                None => return None,
            },
            Op::Update(cell) => {
                let Some(cell) = self.number(*cell) else { return self.drain() };
                if let Some(written) = next.written {
                    self.holds(cell, written);
                }
                let picked = next.picked.then_some(next.label >> 31);
                Kind::Update { cell, value: ValueId(next.label & !FAILED), written: next.written, picked }
            }
            Op::Fence(FenceOrder::Full) => return self.drain(),
            Op::Fence(FenceOrder::Stores) => Kind::StoreFence,
            Op::Fence(FenceOrder::Loads) => Kind::LoadFence,
            Op::Lock(monitor) => match self.monitor(*monitor) {
                Some(monitor) => Kind::Lock(monitor),
                None => return self.drain(),
            },
            Op::Unlock(monitor) => match self.monitor(*monitor) {
                Some(monitor) => Kind::Unlock(monitor),
                None => return self.drain(),
            },
            Op::Release(monitor) => Kind::Release(self.monitor(*monitor)?),
            Op::Resume(monitor, times) => Kind::Resume(self.monitor(*monitor)?, *times),
            Op::Notify(monitor, all) => {
                Kind::Notify { monitor: self.monitor(*monitor)?, all: *all, picked: next.label }
            }
            Op::Spawn(started, _) => Kind::Spawn(*started),
            Op::Join(other) => Kind::Join(*other),
            Op::Park => Kind::Park,
            Op::Unpark(other) => Kind::Unpark(*other),
            Op::Turn(others) => Kind::Turn(others.to_vec()),
            Op::Choose(ways) => Kind::Choice { picked: next.label, ways: *ways },
            Op::Allocate(_) => return self.allocation(next.label),
            Op::Fence(FenceOrder::Nothing) | Op::Begin | Op::Finish | Op::Waits => return None,
            Op::End | Op::Failed(_) | Op::Dropped | Op::Cut | Op::Idle => return None,
        })
    }

    /// The event of an allocation with this label: it takes a block that was free, or needs none.
    fn allocation(&mut self, label: Label) -> Option<Kind> {
        let forest = self.forest;
        let [in_use, free] = forest.in_use_or_free();
        if let Some(cell) = forest.recycled(label).and_then(|cell| self.number(cell)) {
            self.holds(cell, in_use);
            return Some(Kind::Update { cell, value: free, written: Some(in_use), picked: None });
        }
        self.drain_to_allocate()
    }

    /// The event of an allocation that concerns nobody: there may be other blocks that it could be given.
    fn drain_to_allocate(&self) -> Option<Kind> {
        let is_kept = |cell: &CellId| self.number(*cell).is_some();
        if self.forest.recyclable().iter().any(is_kept) { Some(Kind::Drain) } else { self.drain() }
    }

    /// The event that an atomic block is, and how many nodes it takes.
    fn block(&mut self, path: &[NodeId]) -> (Option<Kind>, usize) {
        let forest = self.forest;
        let end =
            path.iter().skip(1).position(|node| !forest.node(*node).in_block).map_or(path.len() - 1, |end| end + 1);
        let (mut accesses, mut events, mut single, mut allocates) = (Vec::new(), 0, None, false);
        for pair in path[1..=end].windows(2) {
            let next = forest.node(pair[1]);
            let op = &forest.node(pair[0]).op;
            match op {
                Op::Load(cell) => accesses.extend(self.read(*cell, ValueId(next.label))),
                Op::Store(cell, value, _) => accesses.extend(self.write(*cell, *value)),
                Op::Update(cell) => {
                    accesses.extend(self.read(*cell, ValueId(next.label & !FAILED)));
                    if next.picked {
                        accesses.push(Access::Choice { picked: next.label >> 31, ways: 2 });
                    }
                    accesses.extend(next.written.and_then(|written| self.write(*cell, written)));
                    events += u32::from(next.written.is_some());
                }
                Op::Choose(ways) => {
                    accesses.push(Access::Choice { picked: next.label, ways: *ways });
                    continue;
                }
                Op::Allocate(_) => {
                    allocates = true;
                    let [in_use, free] = forest.in_use_or_free();
                    if let Some(cell) = forest.recycled(next.label) {
                        accesses.extend(self.read(cell, free));
                        accesses.extend(self.write(cell, in_use));
                    }
                }
                Op::Fence(_) => {}
                _ => continue,
            }
            events += 1;
            single = Some((pair[0], pair[1]));
        }
        let choice = accesses.iter().find_map(|access| match access {
            Access::Choice { picked, ways } => Some(Kind::Choice { picked: *picked, ways: *ways }),
            _ => None,
        });
        let kind = match (events, single) {
            // A block of one event is no more than that event.
            (0, _) => choice,
            (1, Some((node, next))) => self.kind(node, next).or(choice),
            _ if accesses.is_empty() && allocates => self.drain_to_allocate(),
            _ if accesses.is_empty() => self.drain(),
            _ => Some(Kind::Atomic(accesses)),
        };
        (kind, end)
    }

    fn read(&self, cell: CellId, value: Value) -> Option<Access> {
        Some(Access::Read { cell: self.number(cell)?, value })
    }

    fn write(&mut self, cell: CellId, value: Value) -> Option<Access> {
        let cell = self.number(cell)?;
        self.holds(cell, value);
        Some(Access::Write { cell, value })
    }

    /// The event at which a thread waits for ever.
    fn blocked(&mut self, node: NodeId, op: &Op) -> Kind {
        let monitor =
            |projecting: &mut Self, monitor: &CellId| projecting.monitor(*monitor).unwrap_or(TraceMonitor::NONE);
        match op {
            Op::Lock(of) => Kind::Lock(monitor(self, of)),
            Op::Resume(of, times) => Kind::Resume(monitor(self, of), *times),
            Op::Join(other) => Kind::Join(*other),
            Op::Turn(others) => Kind::Turn(others.to_vec()),
            Op::Park => Kind::Park,
            Op::Begin => {
                let cell = self.awaited(node).and_then(|cell| self.number(cell));
                Kind::Atomic(cell.map(|cell| Access::Read { cell, value: ValueId::NONE }).into_iter().collect())
            }
            _ => Kind::Drain,
        }
    }
}

/// The blocks that an allocation at a node could be given instead of the one with this label; `None` if none.
pub fn other_blocks(
    forest: &Forest,
    projection: &Projection,
    node: NodeId,
    label: Option<Label>,
) -> Option<Alternatives> {
    let Op::Allocate(size) = forest.node(node).op else { return None };
    let [_, free] = forest.in_use_or_free();
    let mut listed: Vec<(Label, Option<TraceCell>)> = vec![(0, None)];
    for (place, cell) in forest.recyclable().iter().enumerate() {
        if !forest.fits(*cell, size) {
            continue;
        }
        if let Ok(number) = projection.cells.binary_search(cell)
            && projection.values[number].contains(&free)
        {
            listed.push((place as Label + 1, Some(TraceCell::at(number))));
        }
    }
    listed.retain(|(other, _)| Some(*other) != label);
    (!listed.is_empty()).then_some(Alternatives::Blocks { free, listed })
}

/// What an atomic block could do instead, given what the cell that it reads may hold. Adds cells of the forest that it would
/// then write and that are not in the trace to `more`.
pub fn alternatives(
    forest: &mut Forest,
    projection: &Projection,
    begin: NodeId,
    more: &mut Vec<CellId>,
) -> Alternatives {
    let first = forest.child(begin, 0);
    let (Op::Load(cell) | Op::Update(cell)) = forest.node(first).op else { return Alternatives::Everything };
    let Some(number) = projection.cells.iter().position(|other| *other == cell) else {
        // Nobody else writes it in this class; but the block may read on.
        let reads_on = forest.children(first).any(|(_, child)| reads_on(forest, child));
        return if reads_on { Alternatives::Everything } else { Alternatives::Listed(Vec::new()) };
    };
    let number_of = |cell: CellId| projection.cells.iter().position(|other| *other == cell).map(TraceCell::at);
    let mut listed = Vec::new();
    for value in projection.values[number].clone() {
        let (mut node, mut writes) = (forest.child(first, value.0), Vec::new());
        if forest.node(node).picked {
            return Alternatives::Everything;
        }
        // A read-modify-write always waits for the thread's stores.
        let mut events = if forest.node(first).op == Op::Load(cell) { 1 } else { 2 };
        writes.extend(forest.node(node).written.map(|_| TraceCell::at(number)));
        loop {
            match forest.node(node).op {
                Op::Load(_) | Op::Update(_) | Op::Choose(_) | Op::Allocate(_) => return Alternatives::Everything,
                Op::Waits => break,
                Op::Store(cell, ..) => {
                    events += 1;
                    match number_of(cell) {
                        Some(number) => writes.push(number),
                        None => more.push(cell),
                    }
                }
                Op::Fence(_) => events += 1,
                _ => {
                    let is_whole = forest.node(node).op == Op::Finish;
                    let node = if is_whole { forest.child(node, 0) } else { node };
                    listed.push(Alternative { value, waits: events > 1, writes, node });
                    break;
                }
            }
            node = forest.child(node, 0);
        }
    }
    Alternatives::Listed(listed)
}

/// Whether a block reads or chooses something from this node on, as far as executions went.
fn reads_on(forest: &Forest, node: NodeId) -> bool {
    match forest.node(node).op {
        Op::Load(_) | Op::Update(_) | Op::Choose(_) | Op::Allocate(_) => true,
        Op::Store(..) | Op::Fence(_) => forest.children(node).any(|(_, child)| reads_on(forest, child)),
        _ => false,
    }
}
