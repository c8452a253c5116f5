//! What the threads of a class do that happens-before speaks of, as [`operational::happens_before`] sees it.

use std::rc::Rc;

use program::{Access, Instruction, InstructionKind, Order, Span, Update};
use rustc_hash::FxHashMap;

use super::super::encode::Passing;
use super::super::history::{Forest, Op};
use super::super::id::{CellId, NodeId, ThreadId};
use super::super::project::Projection;
use operational::happens_before::{Rules, acquires, is_volatile, releases};

/// Where an event stands in a trace, by its node.
pub(super) type Events = FxHashMap<NodeId, (usize, usize)>;

/// All of a class.
#[derive(Default)]
pub(super) struct SyncEvents {
    /// For each thread how many points it has, its start being the first.
    pub points: Vec<usize>,
    /// All accesses.
    pub touches: Vec<Touch>,
    /// For each thread the event of its last operation.
    pub last_events: Vec<Option<NodeId>>,
    syncs: Vec<Sync>,
    /// For each block that is allocated again, the events and points where it becomes a new object.
    renewals: FxHashMap<u32, Vec<Place>>,
    /// The first point of each thread.
    first: Vec<usize>,
}

/// An event, and a point in it.
type Place = (NodeId, usize);

/// An access.
pub(super) struct Touch {
    /// Whose.
    pub thread: ThreadId,
    /// Its point.
    pub point: usize,
    /// Its event: the node of the operation, or of the atomic block that it is part of.
    pub event: NodeId,
    /// The cell, as numbered in the forest.
    pub cell: CellId,
    /// The block that the cell is in.
    block: u32,
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is atomic.
    pub atomic: bool,
    /// The statement.
    pub span: Option<Span>,
    /// The monitors that the thread holds.
    pub held: Rc<[CellId]>,
    /// For each thread which of its points come before by starts and ends of threads alone: those up to this, not included.
    clock: Rc<[usize]>,
    is_update: bool,
    /// The point from which a write passes something on, if it does.
    source: Option<usize>,
    /// The point that gets what a read acquires, if one does.
    target: Option<usize>,
    is_volatile: bool,
}

/// What else orders threads.
enum Sync {
    /// At this point the thread is started.
    Start(usize, ThreadId),
    /// This point comes after the end of the thread.
    End(usize, ThreadId),
    /// A section of a monitor: its first point, its last point if it was left, and the events of both.
    Section { monitor: CellId, thread: ThreadId, taken: (usize, NodeId), released: Option<(usize, NodeId)> },
    /// A block is freed, or reused: the cell that says so, and the point and event.
    Block { cell: CellId, thread: ThreadId, is_freed: bool, at: (usize, NodeId) },
}

/// From which points on a thread's clock is which, ascending.
type Changes = Vec<(usize, Rc<[usize]>)>;

/// Where the events of a trace stand.
pub(super) fn events(projection: &Projection) -> Events {
    let threads = projection.trace.threads.iter().enumerate();
    threads
        .flat_map(|(thread, of)| of.events.iter().enumerate().map(move |(place, event)| (event.node, (thread, place))))
        .collect()
}

/// What the threads of a class do.
pub(super) fn synchronisation_events(forest: &Forest, ends: &[NodeId]) -> SyncEvents {
    let mut walk = Walk { forest, found: SyncEvents::default(), next_point: 0 };
    for (thread, end) in ends.iter().enumerate() {
        walk.thread(ThreadId::at(thread), *end);
    }
    walk.found.add_clocks();
    walk.found
}

struct Walk<'f, 'a> {
    forest: &'f Forest<'a>,
    found: SyncEvents,
    next_point: usize,
}

/// A thread on its way.
#[derive(Default)]
struct Going {
    /// The last release fence.
    released: Option<usize>,
    /// The reads since the last acquire fence, which may pass something on to the next.
    waiting: Vec<usize>,
    /// The monitors held: which, how often, since when.
    held: Vec<(CellId, u32, (usize, NodeId))>,
    monitors: Rc<[CellId]>,
}

impl<'f> Walk<'f, '_> {
    fn point(&mut self) -> usize {
        self.next_point += 1;
        self.next_point - 1
    }

    fn thread(&mut self, thread: ThreadId, end: NodeId) {
        let start = self.point();
        self.found.first.push(start);
        let mut path = Vec::new();
        let mut node = end;
        while node != NodeId::NONE {
            path.push(node);
            node = self.forest.node(node).parent;
        }
        path.reverse();
        let (mut going, mut event, mut last) =
            (Going { monitors: Rc::default(), ..Going::default() }, NodeId::NONE, None);
        for pair in path.windows(2) {
            self.pass_fences(pair[0], &mut going);
            let node = self.forest.node(pair[0]);
            if !node.in_block {
                event = pair[0];
            }
            last = Some(event);
            self.operation(thread, (pair[0], pair[1]), event, &mut going);
        }
        for (monitor, _, taken) in going.held {
            self.found.syncs.push(Sync::Section { monitor, thread, taken, released: None });
        }
        self.found.last_events.push(last);
        self.found.points.push(self.next_point - start);
    }

    fn pass_fences(&mut self, node: NodeId, going: &mut Going) {
        let fences = self.forest.site(node).fences.clone();
        fences.iter().flat_map(|fences| fences.iter()).for_each(|order| self.fence(*order, going));
    }

    fn fence(&mut self, order: Order, going: &mut Going) {
        let point = self.point();
        if acquires(order) {
            going.waiting.drain(..).for_each(|touch| self.found.touches[touch].target = Some(point));
        }
        if releases(order) {
            going.released = Some(point);
        }
    }

    fn operation(&mut self, thread: ThreadId, (node, next): (NodeId, NodeId), event: NodeId, going: &mut Going) {
        let forest = self.forest;
        match &forest.node(node).op {
            Op::Load(cell) | Op::Store(cell, ..) if forest.is_whether_free(*cell) => {}
            Op::Load(cell) => self.access(thread, (node, event), *cell, Sort::Read, going),
            Op::Store(cell, ..) => self.access(thread, (node, event), *cell, Sort::Write, going),
            Op::Update(cell) if forest.is_whether_free(*cell) => self.block(thread, *cell, true, event),
            Op::Allocate(_) => {
                if let Some(cell) = forest.recycled(forest.node(next).label) {
                    self.block(thread, cell, false, event);
                }
            }
            Op::Update(cell) => {
                let succeeds = forest.node(next).written.is_some();
                self.access(
                    thread,
                    (node, event),
                    *cell,
                    if succeeds { Sort::UpdateRead } else { Sort::FailedRead },
                    going,
                );
                if succeeds {
                    self.access(thread, (node, event), *cell, Sort::UpdateWrite, going);
                }
            }
            Op::Fence(_) => self.fence(self.order_of_fence(node), going),
            Op::Lock(monitor) => self.lock(*monitor, 1, event, going),
            Op::Resume(monitor, times) => self.lock(*monitor, *times, event, going),
            Op::Unlock(monitor) => self.unlock(thread, *monitor, 1, event, going),
            Op::Release(monitor) => self.unlock(thread, *monitor, u32::MAX, event, going),
            Op::Spawn(started, _) => {
                let point = self.point();
                self.found.syncs.push(Sync::Start(point, *started));
            }
            Op::Join(other) => self.end_of(*other),
            Op::Turn(others) => others.iter().for_each(|other| self.end_of(*other)),
            _ => {}
        }
    }

    /// What a fence that is an operation orders by the rules of the language.
    fn order_of_fence(&self, node: NodeId) -> Order {
        match self.instruction(node).map(|instruction| &instruction.kind) {
            Some(InstructionKind::Fence { access }) if access.has(Access::COMPILED) => Order::Plain,
            _ if self.forest.node(node).in_block => Order::SeqCst,
            Some(InstructionKind::Fence { access }) => access.order,
            _ => Order::Plain,
        }
    }

    /// The instruction that an operation is.
    fn instruction(&self, node: NodeId) -> Option<&'f Instruction> {
        let forest = self.forest;
        let (function, block, next) = forest.site(node).instruction?;
        forest.program.function(function).blocks.get(block.0 as usize)?.instructions.get(next as usize)
    }

    fn block(&mut self, thread: ThreadId, cell: CellId, is_freed: bool, event: NodeId) {
        let at = (self.point(), event);
        if !is_freed {
            let block = self.forest.address(cell).allocation;
            self.found.renewals.entry(block).or_default().push((event, at.0));
        }
        self.found.syncs.push(Sync::Block { cell, thread, is_freed, at });
    }

    fn end_of(&mut self, other: ThreadId) {
        let point = self.point();
        self.found.syncs.push(Sync::End(point, other));
    }

    fn lock(&mut self, monitor: CellId, times: u32, event: NodeId, going: &mut Going) {
        match going.held.iter_mut().find(|(other, ..)| *other == monitor) {
            Some((_, count, _)) => *count += times,
            None => {
                let point = self.point();
                going.held.push((monitor, times, (point, event)));
                going.monitors = going.held.iter().map(|(monitor, ..)| *monitor).collect();
            }
        }
    }

    fn unlock(&mut self, thread: ThreadId, monitor: CellId, times: u32, event: NodeId, going: &mut Going) {
        let Some(place) = going.held.iter().position(|(other, ..)| *other == monitor) else { return };
        let held = &mut going.held[place];
        held.1 = held.1.saturating_sub(times);
        if held.1 > 0 {
            return;
        }
        let taken = held.2;
        let point = self.point();
        going.held.remove(place);
        going.monitors = going.held.iter().map(|(monitor, ..)| *monitor).collect();
        self.found.syncs.push(Sync::Section { monitor, thread, taken, released: Some((point, event)) });
    }

    fn access(
        &mut self,
        thread: ThreadId,
        (node, event): (NodeId, NodeId),
        cell: CellId,
        sort: Sort,
        going: &mut Going,
    ) {
        let point = self.point();
        let forest = self.forest;
        let instruction = self.instruction(node);
        let access = instruction.and_then(|instruction| match &instruction.kind {
            InstructionKind::Load { access, .. } | InstructionKind::Store { access, .. } => Some(access),
            InstructionKind::ReadModifyWrite { update: Update::CompareExchange { failure, .. }, .. }
                if sort == Sort::FailedRead =>
            {
                Some(failure)
            }
            InstructionKind::ReadModifyWrite { access, .. } => Some(access),
            _ => None,
        });
        let in_block = forest.node(node).in_block && !forest.node(node).is_waiting;
        let order = if in_block { Order::SeqCst } else { access.map_or(Order::Plain, |access| access.order) };
        let is_update = matches!(sort, Sort::UpdateRead | Sort::UpdateWrite | Sort::FailedRead);
        let writes = matches!(sort, Sort::Write | Sort::UpdateWrite);
        let number = self.found.touches.len();
        let mut touch = Touch {
            thread,
            point,
            event,
            cell,
            block: forest.address(cell).allocation,
            writes,
            atomic: order != Order::Plain || is_update,
            span: instruction.and_then(|instruction| instruction.span),
            held: going.monitors.clone(),
            clock: Rc::default(),
            is_update,
            source: None,
            target: None,
            is_volatile: in_block || access.is_some_and(is_volatile),
        };
        if writes {
            touch.source = if releases(order) { Some(point) } else { going.released };
        } else if acquires(order) {
            touch.target = Some(point);
        } else {
            going.waiting.push(number);
        }
        // Java's rules ask for a release, too.
        touch.is_volatile &= !writes || releases(order);
        self.found.touches.push(touch);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Read,
    Write,
    UpdateRead,
    UpdateWrite,
    FailedRead,
}

impl SyncEvents {
    fn thread_of(&self, point: usize) -> usize {
        self.first.partition_point(|first| *first <= point) - 1
    }

    /// Whether starts and ends of threads order two accesses.
    pub fn are_ordered(&self, one: &Touch, other: &Touch) -> bool {
        let is_before = |first: &Touch, second: &Touch| {
            second.clock.get(first.thread.index()).is_some_and(|until| first.point < *until)
        };
        is_before(one, other) || is_before(other, one)
    }

    /// Follows starts and ends of threads.
    fn add_clocks(&mut self) {
        let count = self.first.len();
        // The changes of each thread's clock, by point.
        let mut changes: Vec<Changes> = vec![Vec::new(); count];
        let mut order: Vec<usize> = (0..self.syncs.len()).collect();
        order.retain(|sync| !matches!(self.syncs[*sync], Sync::Section { .. } | Sync::Block { .. }));
        let start: Rc<[usize]> = self.first.clone().into();
        changes.iter_mut().zip(&self.first).for_each(|(changes, first)| changes.push((*first, start.clone())));
        // Each pass hands something on; a chain of threads is as long as there are threads.
        for _ in 0..=count {
            let mut is_same = true;
            for sync in &order {
                let (to, clock) = match self.syncs[*sync] {
                    Sync::Start(point, other) if other.index() < count => {
                        (self.first[other.index()], self.with(&changes, point, point + 1))
                    }
                    Sync::End(point, other) if other.index() < count => {
                        let end = self.first[other.index()] + self.points[other.index()];
                        (point, self.with(&changes, end - 1, end))
                    }
                    _ => continue,
                };
                is_same &= !join(&mut changes[self.thread_of(to)], to, &clock);
            }
            if is_same {
                break;
            }
        }
        for touch in &mut self.touches {
            touch.clock = at(&changes[touch.thread.index()], touch.point);
        }
    }

    /// The clock at a point, with the thread's own points up to `until`.
    fn with(&self, changes: &[Changes], point: usize, until: usize) -> Vec<usize> {
        let thread = self.thread_of(point);
        let mut clock = at(&changes[thread], point).to_vec();
        clock[thread] = clock[thread].max(until);
        clock
    }

    /// What passes happens-before on between threads.
    pub fn passing(&self, rules: Rules, events: &Events) -> Vec<Passing> {
        let mut passing = Vec::new();
        for sync in &self.syncs {
            match sync {
                Sync::Start(point, other) => {
                    passing.extend(self.first.get(other.index()).map(|first| Passing::Always(*point, *first)));
                }
                Sync::End(point, other) => {
                    let last = self.first.get(other.index()).map(|first| first + self.points[other.index()] - 1);
                    passing.extend(last.map(|last| Passing::Always(last, *point)));
                }
                Sync::Section { monitor, thread, released: Some((from, event)), .. } => {
                    self.next_sections(*monitor, *thread, (*from, *event), events, &mut passing);
                }
                Sync::Block { cell, thread, is_freed: true, at } => {
                    self.next_owners(*cell, *thread, *at, events, &mut passing);
                }
                Sync::Section { .. } | Sync::Block { .. } => {}
            }
        }
        self.accesses(rules, events, &mut passing);
        passing
    }

    fn next_sections(
        &self,
        monitor: CellId,
        thread: ThreadId,
        (from, event): (usize, NodeId),
        events: &Events,
        passing: &mut Vec<Passing>,
    ) {
        let Some(first) = events.get(&event) else { return };
        for sync in &self.syncs {
            if let Sync::Section { monitor: other, thread: by, taken: (to, event), .. } = sync
                && *other == monitor
                && *by != thread
                && let Some(second) = events.get(event)
            {
                passing.push(Passing::Ordered(from, *to, *first, *second));
            }
        }
    }

    /// Who gives a block back comes before all who get it after that.
    fn next_owners(
        &self,
        cell: CellId,
        thread: ThreadId,
        (from, event): (usize, NodeId),
        events: &Events,
        passing: &mut Vec<Passing>,
    ) {
        let Some(first) = events.get(&event) else { return };
        for sync in &self.syncs {
            if let Sync::Block { cell: other, thread: by, is_freed: false, at: (to, event) } = sync
                && *other == cell
                && *by != thread
                && let Some(second) = events.get(event)
            {
                passing.push(Passing::Ordered(from, *to, *first, *second));
            }
        }
    }

    /// The cells that say whether blocks are free that are allocated again.
    pub fn renewed(&self) -> impl Iterator<Item = CellId> {
        let cell = |sync: &Sync| match sync {
            Sync::Block { cell, is_freed: false, .. } => Some(*cell),
            _ => None,
        };
        self.syncs.iter().filter_map(cell)
    }

    /// The events that make a new object of what two accesses access, if they come between; `None` if one does in any case.
    pub fn renewals_between(&self, events: &Events, first: &Touch, second: &Touch) -> Option<Vec<(usize, usize)>> {
        between(events, first, second, self.renewals.get(&first.block).into_iter().flatten())
    }

    /// What a read gets from a write, if it comes after it.
    fn passed(
        &self,
        rules: Rules,
        events: &Events,
        (write, read): (&Touch, &Touch),
        writes: &[&Touch],
    ) -> Option<Passing> {
        let (source, first, second) = (write.source?, events[&write.event], events[&read.event]);
        let mut others = self.renewals_between(events, write, read)?;
        if rules == Rules::Jmm && write.is_volatile && read.is_volatile {
            return Some(Passing::Sequence(source, read.point, first, second, others));
        }
        let target = read.target?;
        let breaks = |other: &&&Touch| other.thread != write.thread && !other.is_update;
        let breaking: Vec<Place> = writes.iter().filter(breaks).map(|other| (other.event, other.point)).collect();
        others.extend(between(events, write, read, breaking.iter())?);
        Some(Passing::Sequence(source, target, first, second, others))
    }

    fn accesses(&self, rules: Rules, events: &Events, passing: &mut Vec<Passing>) {
        let mut cells: FxHashMap<CellId, (Vec<&Touch>, Vec<&Touch>)> = FxHashMap::default();
        for touch in self.touches.iter().filter(|touch| events.contains_key(&touch.event)) {
            let (writes, reads) = cells.entry(touch.cell).or_default();
            if touch.writes { writes.push(touch) } else { reads.push(touch) }
        }
        let mut cells: Vec<_> = cells.into_iter().collect();
        cells.sort_by_key(|(cell, _)| *cell);
        for (_, (writes, reads)) in &cells {
            for write in writes {
                for read in reads.iter().filter(|read| read.thread != write.thread) {
                    passing.extend(self.passed(rules, events, (write, read), writes));
                }
            }
        }
    }
}

/// Those of some events that come between two accesses of different threads if their order is so; `None` if one does in any case, as it
/// is part of the same atomic block as one of the two.
fn between<'e>(
    events: &Events,
    first: &Touch,
    second: &Touch,
    others: impl Iterator<Item = &'e Place>,
) -> Option<Vec<(usize, usize)>> {
    let mut found = Vec::new();
    for (event, point) in others {
        match *event {
            event if event == first.event && *point > first.point => return None,
            event if event == second.event && *point < second.point => return None,
            event if event == first.event || event == second.event => {}
            event => found.extend(events.get(&event)),
        }
    }
    Some(found)
}

/// A thread's clock at a point.
fn at(changes: &Changes, point: usize) -> Rc<[usize]> {
    let place = changes.partition_point(|(from, _)| *from <= point);
    changes[place.saturating_sub(1)].1.clone()
}

/// From a point on, a thread's clock is at least this; whether that changed it.
fn join(changes: &mut Changes, point: usize, clock: &[usize]) -> bool {
    let joined = |old: &[usize]| -> Rc<[usize]> { old.iter().zip(clock).map(|(a, b)| *a.max(b)).collect() };
    let place = changes.partition_point(|(from, _)| *from < point);
    let mut has_changed = false;
    if changes.get(place).is_none_or(|(from, _)| *from != point) {
        let before = changes[place - 1].1.clone();
        changes.insert(place, (point, before));
    }
    for (_, old) in &mut changes[place..] {
        let new = joined(old);
        has_changed |= new != *old;
        *old = new;
    }
    has_changed
}
