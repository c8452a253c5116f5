//! The machines sc, tso and pso over the histories of threads: what [`operational::memory`] and [`operational::synchronize`] do to states
//! of the interpreter, done to numbers. A test compares the two.

use operational::choices::Choices;
use operational::memory::Machine;
use operational::schedule::Move;
use operational::turn::Action;

use super::history::{FAILED, Forest, Label, Op};
use super::id::{CellId, NodeId, ThreadId, ValueId};
use operational::fence::FenceOrder;

/// In the choices of a step over histories: an allocation was given the block with the number beside this.
pub const GIVEN: u32 = 1 << 31;

/// The choices of a step from one node to another, with blocks instead of labels where memory was allocated.
fn with_blocks(forest: &Forest, taken: &[u32], from: NodeId, to: NodeId) -> Vec<u32> {
    let mut choices = taken.to_vec();
    let (mut node, mut place) = (to, choices.len());
    while node != from && place > 0 {
        let parent = forest.node(node).parent;
        match forest.node(parent).op {
            Op::Allocate(_) => {
                place -= 1;
                choices[place] = GIVEN | forest.block_given(node).unwrap_or(0);
            }
            Op::Choose(_) => place -= 1,
            _ if forest.node(node).picked => place -= 1,
            _ => {}
        }
        node = parent;
    }
    choices
}

/// Where an execution stands.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// The history of each thread; [`NodeId::NONE`] for one that has not started.
    pub at: Vec<NodeId>,
    /// What cells hold; those past the end hold their initial values.
    memory: Vec<ValueId>,
    buffers: Vec<Buffer>,
    /// The monitors that are held: which, by whom, how often.
    monitors: Vec<(CellId, ThreadId, u32)>,
    /// Whether a thread that waits was notified.
    notified: Vec<bool>,
    permits: Vec<bool>,
    /// The steps so far. Threads are numbered as in the forest, and so are blocks, see [`GIVEN`].
    pub moves: Vec<Move>,
}

/// A thread's stores that are not in memory yet, oldest first.
#[derive(Clone, Debug, Default)]
struct Buffer {
    stores: Vec<Pending>,
    /// Whether a store fence stands after the last one.
    fenced: bool,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    cell: CellId,
    value: ValueId,
    after_fence: bool,
    before_load: bool,
    /// Whether it says that the life of a variable has ended: no store of the program.
    is_end: bool,
}

/// What an atomic block would do.
struct Block {
    /// Where the thread stands then.
    node: NodeId,
    writes: Vec<(CellId, ValueId)>,
    events: u32,
    /// Its event, if it is only one.
    single: Option<Op>,
}

/// How many steps a thread takes before the next one may go. Endless threads do not keep others from failing.
const MOST_AT_ONCE: usize = 4_000;
/// A thread that goes through more histories than this is taken to go on.
const MOST_IN_ITERATION: usize = 10_000;

/// Whether a thread stands in a loop whose iterations have no effect, as far as it was followed.
fn is_waiting(forest: &Forest, node: NodeId) -> bool {
    let node = forest.node(node);
    node.op == Op::Idle || (node.op == Op::Begin && node.is_waiting)
}

impl Configuration {
    /// The start of an execution.
    pub fn new(roots: &[NodeId]) -> Configuration {
        let mut start = Configuration::default();
        roots.iter().enumerate().for_each(|(thread, root)| start.begin(ThreadId::at(thread), *root));
        start
    }

    fn begin(&mut self, thread: ThreadId, root: NodeId) {
        let count = self.at.len().max(thread.index() + 1);
        self.at.resize(count, NodeId::NONE);
        self.buffers.resize_with(count, Buffer::default);
        self.notified.resize(count, false);
        self.permits.resize(count, false);
        self.at[thread.index()] = root;
    }

    /// What every cell holds in memory.
    pub fn memory(&self, forest: &Forest) -> Vec<ValueId> {
        (0..forest.cells()).map(CellId::at).map(|cell| self.held(forest, cell)).collect()
    }

    fn held(&self, forest: &Forest, cell: CellId) -> ValueId {
        self.memory.get(cell.index()).copied().filter(|value| value.is_some()).unwrap_or_else(|| forest.initial(cell))
    }

    fn put(&mut self, cell: CellId, value: ValueId) {
        if self.memory.len() <= cell.index() {
            self.memory.resize(cell.index() + 1, ValueId::NONE);
        }
        self.memory[cell.index()] = value;
    }

    /// Whether a thread is over: at its end, and its stores are in memory.
    pub fn is_over(&self, forest: &Forest, thread: ThreadId) -> bool {
        let at = self.at.get(thread.index()).copied().unwrap_or(NodeId::NONE);
        at != NodeId::NONE && forest.node(at).op == Op::End && self.buffers[thread.index()].stores.is_empty()
    }

    /// What a thread sees in a cell.
    fn seen(&self, forest: &Forest, thread: ThreadId, cell: CellId) -> ValueId {
        let own = self.buffers[thread.index()].stores.iter().rev().find(|store| store.cell == cell);
        own.map_or_else(|| self.held(forest, cell), |store| store.value)
    }

    fn is_drained(&self, thread: ThreadId) -> bool {
        self.buffers[thread.index()].stores.is_empty()
    }

    /// The thread does its next operation, with these choices; gives the label, or `None` if it has to wait.
    pub fn step(&mut self, forest: &mut Forest, thread: ThreadId, choices: &mut Choices) -> Option<Label> {
        let node = self.at[thread.index()];
        if node == NodeId::NONE {
            return None;
        }
        let label = self.perform(forest, thread, node, choices)?;
        let action = Action::Step(thread.index());
        let choices = with_blocks(forest, choices.taken(), node, self.at[thread.index()]);
        self.moves.push(Move { action, choices });
        Some(label)
    }

    fn perform(&mut self, forest: &mut Forest, thread: ThreadId, node: NodeId, choices: &mut Choices) -> Option<Label> {
        let op = forest.node(node).op.clone();
        if let Op::Begin = op {
            return self.atomic(forest, thread, node, choices).map(|()| 0);
        }
        let label = self.result(forest, thread, node, &op, choices)?;
        let child = forest.child(node, label);
        self.take_effect(forest, thread, &op, child);
        self.at[thread.index()] = child;
        Some(label)
    }

    /// The result of the operation, if it can happen now.
    fn result(
        &self,
        forest: &mut Forest,
        thread: ThreadId,
        node: NodeId,
        op: &Op,
        choices: &mut Choices,
    ) -> Option<Label> {
        let own = &self.buffers[thread.index()];
        let waits_for_stores = match op {
            Op::Load(_) => own.stores.iter().any(|store| store.before_load),
            Op::Store(_, _, direct) => *direct && !own.stores.is_empty(),
            Op::Fence(order) => *order == FenceOrder::Full && !own.stores.is_empty(),
            Op::Choose(_) | Op::Turn(_) => false,
            _ => !own.stores.is_empty(),
        };
        if waits_for_stores {
            return None;
        }
        if let Op::Join(other) | Op::Unpark(other) = op
            && self.at.get(other.index()).copied().unwrap_or(NodeId::NONE) == NodeId::NONE
        {
            // Numbers of threads are names here: this one has no thread in this execution.
            forest.cut.get_or_insert_with(|| "a thread is named that has not started".into());
            return None;
        }
        match op {
            Op::Load(cell) => Some(self.seen(forest, thread, *cell).0),
            Op::Update(cell) => {
                let value = self.held(forest, *cell);
                let child = forest.child(node, value.0);
                let fails = forest.node(child).picked && choices.pick(2) == 1;
                Some(if fails { value.0 | FAILED } else { value.0 })
            }
            Op::Lock(monitor) => self.is_free(*monitor, thread).then_some(0),
            Op::Resume(monitor, _) => (self.notified[thread.index()] && self.is_free(*monitor, thread)).then_some(0),
            Op::Join(other) => self.is_over(forest, *other).then_some(0),
            Op::Turn(others) => others.iter().all(|other| self.is_over(forest, *other)).then_some(0),
            Op::Park => self.permits[thread.index()].then_some(0),
            Op::Choose(ways) => Some(choices.pick(*ways)),
            Op::Allocate(size) => {
                let label = choices.pick(forest.recyclable().len() as u32 + 1);
                let [_, free] = forest.in_use_or_free();
                let is_fit = |cell| forest.fits(cell, *size) && self.held(forest, cell) == free;
                forest.recycled(label).is_none_or(is_fit).then_some(label)
            }
            Op::Notify(monitor, all) => {
                let waiting = self.waiting(forest, *monitor).len() as u32;
                Some(if *all || waiting < 2 { 0 } else { 1 + choices.pick(waiting) })
            }
            Op::End | Op::Failed(_) | Op::Dropped | Op::Cut | Op::Waits | Op::Idle => None,
            Op::Begin | Op::Finish => None,
            Op::Store(..) | Op::Fence(_) | Op::Unlock(_) | Op::Release(_) | Op::Spawn(..) | Op::Unpark(_) => Some(0),
        }
    }

    fn is_free(&self, monitor: CellId, thread: ThreadId) -> bool {
        self.monitors.iter().all(|(other, owner, _)| *other != monitor || *owner == thread)
    }

    /// The threads that wait at a monitor and were not notified, by number.
    fn waiting(&self, forest: &Forest, monitor: CellId) -> Vec<ThreadId> {
        let waits = |thread: &ThreadId| {
            let node = self.at[thread.index()];
            let is_there =
                node != NodeId::NONE && matches!(forest.node(node).op, Op::Resume(other, _) if other == monitor);
            is_there && !self.notified[thread.index()]
        };
        (0..self.at.len()).map(ThreadId::at).filter(waits).collect()
    }

    fn take_effect(&mut self, forest: &Forest, thread: ThreadId, op: &Op, child: NodeId) {
        match op {
            Op::Store(cell, value, true) => self.put(*cell, *value),
            Op::Store(cell, value, false) => self.buffer(thread, *cell, *value, forest.is_whether_free(*cell)),
            Op::Update(cell) => {
                if let Some(written) = forest.node(child).written {
                    self.put(*cell, written);
                }
            }
            Op::Fence(order) => self.fence(thread, *order),
            Op::Lock(monitor) => self.hold(*monitor, thread, 1),
            Op::Resume(monitor, times) => {
                self.notified[thread.index()] = false;
                self.hold(*monitor, thread, *times);
            }
            Op::Unlock(monitor) => {
                if let Some(held) = self.monitors.iter_mut().find(|(other, ..)| other == monitor) {
                    held.2 -= 1;
                }
                self.monitors.retain(|(_, _, count)| *count > 0);
            }
            Op::Release(monitor) => self.monitors.retain(|(other, ..)| other != monitor),
            Op::Notify(monitor, all) => {
                let label = forest.node(child).label;
                let waiting = self.waiting(forest, *monitor);
                let woken = if *all {
                    &waiting[..]
                } else {
                    waiting.get(label.saturating_sub(1) as usize..).unwrap_or_default()
                };
                let woken = if *all { woken } else { &woken[..woken.len().min(1)] };
                woken.iter().for_each(|thread| self.notified[thread.index()] = true);
            }
            Op::Spawn(started, root) => self.begin(*started, *root),
            Op::Park => self.permits[thread.index()] = false,
            Op::Unpark(other) => self.permits[other.index()] = true,
            Op::Allocate(_) => {
                if let Some(cell) = forest.recycled(forest.node(child).label) {
                    self.put(cell, forest.in_use_or_free()[0]);
                }
            }
            _ => {}
        }
    }

    fn buffer(&mut self, thread: ThreadId, cell: CellId, value: ValueId, is_end: bool) {
        let own = &mut self.buffers[thread.index()];
        own.stores.push(Pending { cell, value, after_fence: own.fenced, before_load: false, is_end });
        own.fenced = false;
    }

    fn fence(&mut self, thread: ThreadId, order: FenceOrder) {
        let own = &mut self.buffers[thread.index()];
        match order {
            FenceOrder::Stores => own.fenced = !own.stores.is_empty(),
            FenceOrder::Loads => own.stores.iter_mut().for_each(|store| store.before_load = true),
            FenceOrder::Full | FenceOrder::Nothing => {}
        }
    }

    fn hold(&mut self, monitor: CellId, thread: ThreadId, times: u32) {
        match self.monitors.iter_mut().find(|(other, ..)| *other == monitor) {
            Some(held) => held.2 += times,
            None => self.monitors.push((monitor, thread, times)),
        }
    }

    /// An atomic block as one step. On machines with buffers one of several events waits for the thread's stores; one of a
    /// single event is no more than that event.
    fn atomic(&mut self, forest: &mut Forest, thread: ThreadId, node: NodeId, choices: &mut Choices) -> Option<()> {
        let Block { node, writes, events, single } = self.block(forest, thread, node, choices)?;
        if events >= 2 || !forest.machine.has_buffers() {
            if !self.is_drained(thread) {
                return None;
            }
            writes.iter().for_each(|(cell, value)| self.put(*cell, *value));
        } else if let Some(op) = single {
            let own = &self.buffers[thread.index()];
            let waits = match op {
                Op::Load(_) => own.stores.iter().any(|store| store.before_load),
                Op::Fence(order) => order == FenceOrder::Full && !own.stores.is_empty(),
                Op::Store(_, _, direct) => direct && !own.stores.is_empty(),
                _ => !own.stores.is_empty(),
            };
            if waits {
                return None;
            }
            match op {
                Op::Allocate(_) => writes.iter().for_each(|(cell, value)| self.put(*cell, *value)),
                _ => self.take_effect(forest, thread, &op, node),
            }
        }
        self.at[thread.index()] = node;
        Some(())
    }

    /// What an atomic block would do now; `None` if it has to wait.
    fn block(&self, forest: &mut Forest, thread: ThreadId, begin: NodeId, choices: &mut Choices) -> Option<Block> {
        let mut block = Block { node: forest.child(begin, 0), writes: Vec::new(), events: 0, single: None };
        loop {
            let op = forest.node(block.node).op.clone();
            let seen = |cell: CellId, writes: &[(CellId, ValueId)]| {
                let own = writes.iter().rev().find(|(other, _)| *other == cell);
                own.map_or_else(|| self.seen(forest, thread, cell), |(_, value)| *value)
            };
            let label = match &op {
                Op::Load(cell) => seen(*cell, &block.writes).0,
                Op::Update(cell) => {
                    let value = seen(*cell, &block.writes);
                    let child = forest.child(block.node, value.0);
                    if forest.node(child).picked && choices.pick(2) == 1 { value.0 | FAILED } else { value.0 }
                }
                Op::Choose(ways) => choices.pick(*ways),
                Op::Allocate(size) => {
                    let label = choices.pick(forest.recyclable().len() as u32 + 1);
                    let [in_use, free] = forest.in_use_or_free();
                    if let Some(cell) = forest.recycled(label) {
                        if seen(cell, &block.writes) != free || !forest.fits(cell, *size) {
                            return None;
                        }
                        block.writes.push((cell, in_use));
                    }
                    label
                }
                Op::Waits => return None,
                Op::Store(cell, value, _) => {
                    block.writes.push((*cell, *value));
                    0
                }
                Op::Fence(_) | Op::Finish => 0,
                _ => return Some(block),
            };
            let child = forest.child(block.node, label);
            block.node = child;
            match (&op, forest.node(child).written) {
                (Op::Finish, _) => return Some(block),
                (Op::Choose(_), _) => continue,
                (Op::Update(cell), Some(written)) => {
                    block.writes.push((*cell, written));
                    block.events += 1;
                }
                _ => {}
            }
            block.events += 1;
            block.single = Some(op);
        }
    }

    /// Whether the thread's buffered store at this place may get to memory.
    fn may_flush(&self, machine: Machine, thread: ThreadId, index: usize) -> bool {
        let stores = &self.buffers[thread.index()].stores;
        match machine {
            Machine::Tso => index == 0 && !stores.is_empty(),
            _ => {
                let is_behind = |store: &Pending| store.cell == stores[index].cell;
                let is_fenced = stores[..=index].iter().any(|store| store.after_fence);
                !is_fenced && !stores[..index].iter().any(is_behind)
            }
        }
    }

    fn flush(&mut self, thread: ThreadId, index: usize) {
        let own = &mut self.buffers[thread.index()];
        let store = own.stores.remove(index);
        // Where it is run again a life ends at once.
        let place = index - own.stores[..index].iter().filter(|earlier| earlier.is_end).count();
        match own.stores.first_mut() {
            Some(oldest) => oldest.after_fence = false,
            None => own.fenced = false,
        }
        self.put(store.cell, store.value);
        if !store.is_end {
            self.moves.push(Move { action: Action::Flush(thread.index(), place), choices: Vec::new() });
        }
    }

    /// What could be tried next: a step of each thread that has started, and each store that may get to memory.
    pub fn actions(&self, machine: Machine) -> Vec<Action> {
        let has_started = |thread: &usize| self.at[*thread] != NodeId::NONE;
        let steps = (0..self.at.len()).filter(has_started).map(Action::Step);
        let flushes = (0..self.at.len()).flat_map(|thread| {
            let stores = 0..self.buffers[thread].stores.len();
            let may = move |index: &usize| self.may_flush(machine, ThreadId::at(thread), *index);
            stores.filter(may).map(move |index| Action::Flush(thread, index))
        });
        steps.chain(flushes).collect()
    }

    /// Does one of [`Configuration::actions`], with the first choices with which it can; whether it can.
    pub fn act(&mut self, forest: &mut Forest, action: Action) -> bool {
        match action {
            Action::Step(thread) => self.step_somehow(forest, ThreadId::at(thread)),
            Action::Flush(thread, index) => {
                self.flush(ThreadId::at(thread), index);
                true
            }
        }
    }

    /// The store at a place of the thread's buffer gets to memory, as a schedule counts places; whether it may.
    pub fn flush_at(&mut self, machine: Machine, thread: ThreadId, place: usize) -> bool {
        let Some(buffer) = self.buffers.get(thread.index()) else { return false };
        let stores = buffer.stores.iter().enumerate().filter(|(_, store)| !store.is_end);
        let Some(index) = stores.map(|(index, _)| index).nth(place) else { return false };
        let may = self.may_flush(machine, thread, index);
        if may {
            self.flush(thread, index);
        }
        may
    }

    /// All stores of the thread get to memory, oldest first.
    pub fn flush_all(&mut self, thread: ThreadId) {
        while !self.is_drained(thread) {
            self.flush(thread, 0);
        }
    }

    /// The thread's stores to all but these cells, ascending, get to memory if they may.
    pub fn flush_others(&mut self, machine: Machine, thread: ThreadId, cells: &[CellId]) {
        let mut index = 0;
        while let Some(store) = self.buffers[thread.index()].stores.get(index) {
            if cells.binary_search(&store.cell).is_err() && self.may_flush(machine, thread, index) {
                self.flush(thread, index);
            } else {
                index += 1;
            }
        }
    }

    /// The stores get to memory that must be there before the thread's next load.
    pub fn flush_before_load(&mut self, thread: ThreadId) {
        while self.buffers[thread.index()].stores.iter().any(|store| store.before_load) {
            self.flush(thread, 0);
        }
    }

    /// The oldest store of the thread to a cell gets to memory, and those before it that must. Whether there is one.
    pub fn flush_cell(&mut self, machine: Machine, thread: ThreadId, cell: CellId) -> bool {
        loop {
            let stores = &self.buffers[thread.index()].stores;
            let Some(index) = stores.iter().position(|store| store.cell == cell) else { return false };
            if self.may_flush(machine, thread, index) {
                self.flush(thread, index);
                return true;
            }
            self.flush(thread, 0);
        }
    }

    /// Goes on until nothing is possible: the lowest thread that can, as long as it can, but for no more than `MOST_AT_ONCE`
    /// steps; its stores get to memory before whatever it does next. A thread that is about to check a value lets the others go
    /// first: they may change it. Gives up after so many steps.
    pub fn go_on(&mut self, forest: &mut Forest, most: usize) -> bool {
        let mut last = self.at.len().saturating_sub(1);
        loop {
            if !self.go_on_to_checks(forest, most) || self.moves.len() > most {
                return false;
            }
            // In turn: one that checks for ever must not keep the others waiting.
            let mut in_turn = (last + 1..self.at.len()).chain(0..self.at.len().min(last + 1));
            let Some(next) = in_turn.find(|thread| self.is_at_check(forest, ThreadId::at(*thread))) else {
                return true;
            };
            last = next;
            self.step_somehow(forest, ThreadId::at(next));
        }
    }

    /// Goes on until nothing is possible but for checks.
    fn go_on_to_checks(&mut self, forest: &mut Forest, most: usize) -> bool {
        let (mut thread, mut stands) = (ThreadId(0), 0);
        while stands < self.at.len() {
            let before = self.moves.len();
            self.flush_all(thread);
            while self.moves.len() < before + MOST_AT_ONCE
                && !self.is_at_check(forest, thread)
                && !(self.moves.len() > before && self.is_awaited(forest, thread))
                && self.step_somehow(forest, thread)
            {
                self.flush_all(thread);
                if self.moves.len() > most {
                    return false;
                }
            }
            let moved = self.moves.len() > before;
            stands = if moved { 0 } else { stands + 1 };
            // What it did may be what an earlier one waits for; but one that runs on and on lets the next one go, and so does one that is
            // about to take a monitor again for which others wait.
            let is_first = moved && self.moves.len() < before + MOST_AT_ONCE && !self.is_awaited(forest, thread);
            thread = if is_first { ThreadId(0) } else { ThreadId::at((thread.index() + 1) % self.at.len()) };
        }
        true
    }

    /// Whether a thread is about to check a value that some thread has written.
    fn is_at_check(&self, forest: &Forest, thread: ThreadId) -> bool {
        let node = self.at[thread.index()];
        let checked = if node == NodeId::NONE { None } else { forest.checked(node) };
        checked.is_some_and(|cell| self.memory.get(cell.index()).is_some_and(|value| value.is_some()))
    }

    /// Whether a thread is about to take a monitor that another one is about to take, too.
    fn is_awaited(&self, forest: &Forest, thread: ThreadId) -> bool {
        let taken = |thread: ThreadId| {
            let node = self.at[thread.index()];
            if node == NodeId::NONE {
                return None;
            }
            match forest.node(node).op {
                Op::Lock(monitor) => Some(monitor),
                _ => None,
            }
        };
        let others = (0..self.at.len()).map(ThreadId::at).filter(|other| *other != thread);
        taken(thread).is_some_and(|monitor| others.into_iter().any(|other| taken(other) == Some(monitor)))
    }

    /// Whether some thread stands in a loop whose iterations have no effect, as far as it was followed.
    pub fn has_waiting(&self, forest: &Forest) -> bool {
        self.at.iter().any(|node| *node != NodeId::NONE && is_waiting(forest, *node))
    }

    /// Whether all threads that stand in loops repeat them for ever, where nothing else is possible any more.
    pub fn waits_without_effect(&self, forest: &mut Forest) -> bool {
        (0..self.at.len()).map(ThreadId::at).all(|thread| {
            let node = self.at[thread.index()];
            node == NodeId::NONE || !is_waiting(forest, node) || self.repeats_without_effect(forest, thread, node)
        })
    }

    /// Whether a thread that stands at this node does nothing but iterate without effect with what memory holds.
    fn repeats_without_effect(&self, forest: &mut Forest, thread: ThreadId, node: NodeId) -> bool {
        // Each history with the monitors that were taken on the way to it.
        let mut open = vec![(node, Vec::new())];
        let mut seen = open.clone();
        while let Some((node, mut taken)) = open.pop() {
            let op = forest.node(node).op.clone();
            let labels = match &op {
                Op::Load(cell) | Op::Update(cell) => vec![self.held(forest, *cell).0],
                Op::Choose(ways) => (0..*ways).collect(),
                Op::Lock(monitor) if !self.is_free(*monitor, thread) => continue,
                Op::Waits | Op::Idle => {
                    let back = (forest.node(node).back, taken);
                    if back.0 != NodeId::NONE && !seen.contains(&back) {
                        seen.push(back.clone());
                        open.push(back);
                    }
                    continue;
                }
                Op::Lock(monitor) => {
                    taken.push(*monitor);
                    vec![0]
                }
                Op::Unlock(monitor) => {
                    // Others may take what the thread held before.
                    let Some(place) = taken.iter().rposition(|other| other == monitor) else { return false };
                    taken.remove(place);
                    vec![0]
                }
                Op::Fence(_) | Op::Begin | Op::Finish => vec![0],
                _ => return false,
            };
            for label in labels {
                let child = forest.child(node, label);
                let is_same = |written: ValueId| matches!(op, Op::Update(_)) && written.0 == label;
                if forest.node(child).written.is_some_and(|written| !is_same(written)) || seen.len() > MOST_IN_ITERATION
                {
                    return false;
                }
                let fails = forest.node(child).picked.then(|| forest.child(node, label | FAILED));
                for next in fails.into_iter().chain([child]).map(|next| (next, taken.clone())).collect::<Vec<_>>() {
                    if !seen.contains(&next) {
                        seen.push(next.clone());
                        open.push(next);
                    }
                }
            }
        }
        true
    }

    /// The thread does its next operation with the first choices with which it can.
    fn step_somehow(&mut self, forest: &mut Forest, thread: ThreadId) -> bool {
        let mut choices = Choices::default();
        loop {
            if self.step(forest, thread, &mut choices).is_some() {
                return true;
            }
            if !choices.next_combination() {
                return false;
            }
        }
    }
}
