//! Happens-before as vector clocks; and, where a machine needs them, the writes that reads may still see.

mod final_field;
mod path;

use std::rc::Rc;

use program::{Access, EventKind, FunctionId, Order, Span};

use crate::word::{Address, PathId, Word};

pub(crate) use final_field::{Read, Source};
pub(crate) use path::{Imposition, Needed, Needs, Path, Site};
pub use program::Rules;

/// How an access meets memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// At once.
    Memory,
    /// A store that goes to the thread's buffer, or a load that takes its value from there.
    Buffer,
    /// At once, as the read of a read-modify-write.
    Exclusive,
    /// At once, as the write of a read-modify-write; the event before was its read.
    Update,
}

/// An order between threads that does not come from an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// The first starts the second.
    Start(usize, usize),
    /// The first saw the second's end.
    Join(usize, usize),
    /// The first gave the second its permit.
    Unpark(usize, usize),
    /// The thread used its permit.
    Park(usize),
    /// The first thread ended before the second could start.
    Order(usize, usize),
}

/// For each thread, up to which of its periods something comes after it. A thread's period ends when it releases.
pub(crate) type Clock = Vec<u32>;

fn join(clock: &mut Clock, other: &Clock) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    clock.iter_mut().zip(other).for_each(|(a, b)| *a = (*a).max(*b));
}

pub(crate) fn at(clock: &Clock, thread: usize) -> u32 {
    clock.get(thread).copied().unwrap_or(0)
}

/// An access that may race with a later one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// Whose.
    pub thread: usize,
    /// The thread's period.
    pub period: u32,
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is atomic.
    pub atomic: bool,
    /// The statement.
    pub span: Option<Span>,
    /// The active calls, innermost first: the function, and where it was called from.
    pub stack: Rc<Vec<(FunctionId, Option<Span>)>>,
}

/// Two accesses that race.
#[derive(Clone)]
pub struct Pair {
    /// The cell.
    pub cell: Address,
    /// The earlier one.
    pub first: Record,
    /// The later one.
    pub second: Record,
}

/// What is known of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    /// The latest access of each thread at each place and of each sort.
    records: Vec<Record>,
    /// What an acquire that reads the present value comes after: by the thread of each release that heads a release
    /// sequence which the present value belongs to.
    heads: Vec<(usize, Clock)>,
    /// What a volatile read comes after: all volatile writes so far.
    volatile: Clock,
    /// The writes that some read may still see, by thread and in its order; none if that is what the cell holds.
    pub(crate) writes: Vec<Write>,
}

impl Cell {
    /// Whether nothing is known of it.
    fn is_empty(&self) -> bool {
        let Cell { records, heads, volatile, writes } = self;
        records.is_empty() && heads.is_empty() && volatile.is_empty() && writes.is_empty()
    }
}

/// A write that a read may see.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Write {
    /// Its thread; `None` for the initial write, which comes before everything.
    pub(crate) thread: Option<usize>,
    /// What it comes after, and its own period.
    clock: Clock,
    pub(crate) value: Word,
    /// What it comes after by accesses in acquire and release mode besides: only on the machine jmm_over.
    modes: Clock,
    /// Whether it is in release mode: likewise.
    pub(crate) releases: bool,
}

impl Write {
    /// Whether it comes before what has this clock.
    pub(crate) fn is_before(&self, clock: &Clock) -> bool {
        self.thread.is_none_or(|thread| at(&self.clock, thread) <= at(clock, thread))
    }

    /// Whether it comes before another write.
    pub(crate) fn comes_before(&self, other: &Write) -> bool {
        self.is_before(&other.clock)
    }

    /// What it comes after, and its own period.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Whether it comes before what has these clocks, the second by modes.
    fn precedes(&self, clock: &Clock, modes: &Clock) -> bool {
        self.is_before(clock) || self.is_before(modes)
    }

    /// What a read in acquire mode that sees it comes after.
    pub(crate) fn released(&self) -> Clock {
        let mut released = self.clock.clone();
        join(&mut released, &self.modes);
        released
    }

    /// Whether another write comes between this one and what has these clocks, the second by modes.
    pub(crate) fn is_masked_by_modes(&self, clock: &Clock, modes: &Clock, writes: &[Write]) -> bool {
        let is_between = |other: &Write| self.precedes(&other.clock, &other.modes) && other.precedes(clock, modes);
        writes.iter().any(|other| other != self && is_between(other))
    }

    /// Whether another write comes between this one and what has this clock.
    pub(crate) fn is_masked(&self, clock: &Clock, writes: &[Write]) -> bool {
        writes.iter().any(|other| other != self && self.is_before(&other.clock) && other.is_before(clock))
    }
}

/// What a thread comes after.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ThreadClocks {
    pub(crate) now: Clock,
    /// What came before its last release fence.
    released: Clock,
    /// What an acquire fence would make it come after.
    acquirable: Clock,
    /// What it comes after by reads in acquire mode besides: only on the machine jmm_over.
    pub(crate) modes: Clock,
}

/// What a store passes on that is still in its thread's buffer. Nobody comes after it before it is in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OnItsWay {
    address: Address,
    /// What an acquire that reads the value will come after.
    head: Clock,
    /// What a volatile read will come after; nothing if the store is not volatile.
    volatile: Clock,
}

/// Happens-before up to a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clocks {
    rules: Rules,
    pub(crate) threads: Vec<Rc<ThreadClocks>>,
    /// By thread: the stores in its buffer, oldest first; only as many threads as have any.
    buffers: Vec<Vec<OnItsWay>>,
    /// By address, ascending.
    monitors: Vec<(Address, Rc<Clock>)>,
    /// By address, ascending.
    pub(crate) cells: Vec<(Address, Rc<Cell>)>,
    /// What else belongs to the execution, on the machine jmm_over; then no write is forgotten.
    pub(crate) path: Option<Path>,
    /// Whether final values of memory are asked for.
    pub(crate) asks_for_memory: bool,
}

/// Stands for the freeze of an object's final fields, as a monitor that is released there and acquired by reads of them.
const FROZEN: PathId = PathId(u32::MAX - 1);

impl Clocks {
    /// Nothing has happened yet.
    pub fn new(rules: Rules, threads: usize) -> Clocks {
        let mut clocks = Clocks {
            rules,
            threads: Vec::new(),
            buffers: Vec::new(),
            monitors: Vec::new(),
            cells: Vec::new(),
            path: None,
            asks_for_memory: false,
        };
        (0..threads).for_each(|thread| clocks.add_thread(thread, &Clock::new()));
        clocks
    }

    fn add_thread(&mut self, thread: usize, after: &Clock) {
        while self.threads.len() <= thread {
            self.threads.push(Rc::default());
        }
        let mut now = after.clone();
        now.resize(now.len().max(thread + 1), 0);
        now[thread] = 1;
        self.threads[thread] = Rc::new(ThreadClocks { now, ..ThreadClocks::default() });
    }

    fn thread(&mut self, thread: usize) -> &mut ThreadClocks {
        Rc::make_mut(&mut self.threads[thread])
    }

    fn now(&self, thread: usize) -> &Clock {
        &self.threads[thread].now
    }

    /// Ends the period of a thread: what it does next does not come before what acquires what it released.
    pub(crate) fn release(&mut self, thread: usize) -> Clock {
        let clocks = self.thread(thread);
        let released = clocks.now.clone();
        clocks.now[thread] += 1;
        released
    }

    fn acquire(&mut self, thread: usize, clock: &Clock) {
        join(&mut self.thread(thread).now, clock);
    }

    /// A read in acquire mode sees a write in release mode, which comes after this.
    pub(crate) fn acquire_by_mode(&mut self, thread: usize, clock: &Clock) {
        join(&mut self.thread(thread).modes, clock);
    }

    pub(crate) fn cell(&mut self, address: Address) -> &mut Cell {
        let place = match self.cells.binary_search_by_key(&address, |(address, _)| *address) {
            Ok(place) => place,
            Err(place) => {
                self.cells.insert(place, (address, Rc::default()));
                place
            }
        };
        Rc::make_mut(&mut self.cells[place].1)
    }

    fn monitor(&mut self, address: Address) -> &mut Clock {
        let place = match self.monitors.binary_search_by_key(&address, |(address, _)| *address) {
            Ok(place) => place,
            Err(place) => {
                self.monitors.insert(place, (address, Rc::default()));
                place
            }
        };
        Rc::make_mut(&mut self.monitors[place].1)
    }

    /// The cell, if something is known of it.
    fn known_cell(&self, address: Address) -> Option<&Rc<Cell>> {
        let place = self.cells.binary_search_by_key(&address, |(address, _)| *address).ok()?;
        Some(&self.cells[place].1)
    }

    fn read(&mut self, thread: usize, address: Address, access: &Access) {
        let Some(cell) = self.known_cell(address) else { return };
        if cell.heads.is_empty() && cell.volatile.is_empty() {
            return;
        }
        let cell = cell.clone();
        if self.rules == Rules::Jmm && is_volatile(access) {
            self.acquire(thread, &cell.volatile);
        }
        for (_, clock) in &cell.heads {
            if acquires(access.order) {
                self.acquire(thread, clock);
            } else {
                join(&mut self.thread(thread).acquirable, clock);
            }
        }
    }

    /// A store gets to memory at once.
    fn write(&mut self, thread: usize, address: Address, access: &Access, is_update: bool) {
        let has_heads = self.known_cell(address).is_some_and(|cell| !cell.heads.is_empty());
        if self.threads[thread].released.is_empty() && !has_heads && !releases(access.order) {
            return;
        }
        let store = self.issued(thread, address, access);
        self.arrived(thread, store, is_update);
    }

    /// What a store passes on to those who will see it: what its thread comes after now, or did at its last release fence.
    fn issued(&mut self, thread: usize, address: Address, access: &Access) -> OnItsWay {
        let (mut head, mut volatile) = (self.threads[thread].released.clone(), Clock::new());
        if releases(access.order) {
            let released = self.release(thread);
            join(&mut head, &released);
            if self.rules == Rules::Jmm && is_volatile(access) {
                volatile = released;
            }
        }
        OnItsWay { address, head, volatile }
    }

    /// A store is in memory.
    fn arrived(&mut self, thread: usize, store: OnItsWay, is_update: bool) {
        let OnItsWay { address, head, volatile } = store;
        if !volatile.is_empty() {
            join(&mut self.cell(address).volatile, &volatile);
        }
        let cell = self.cell(address);
        if !is_update {
            cell.heads.retain(|(other, _)| *other == thread);
        }
        if !head.is_empty() {
            match cell.heads.iter_mut().find(|(other, _)| *other == thread) {
                Some((_, clock)) => join(clock, &head),
                None => cell.heads.push((thread, head)),
            }
            cell.heads.sort_by_key(|(thread, _)| *thread);
        }
    }

    /// A store goes to its thread's buffer.
    fn buffer(&mut self, thread: usize, address: Address, access: &Access) {
        let store = self.issued(thread, address, access);
        if self.buffers.len() <= thread {
            self.buffers.resize_with(thread + 1, Vec::new);
        }
        self.buffers[thread].push(store);
    }

    /// The store with this place in the buffer of a thread gets to memory.
    pub fn flush(&mut self, thread: usize, index: usize) {
        let Some(buffer) = self.buffers.get_mut(thread).filter(|buffer| index < buffer.len()) else { return };
        let store = buffer.remove(index);
        let has_heads = self.known_cell(store.address).is_some_and(|cell| !cell.heads.is_empty());
        if has_heads || !store.head.is_empty() {
            self.arrived(thread, store, false);
        }
    }

    fn fence(&mut self, thread: usize, order: Order) {
        if acquires(order) {
            let acquirable = self.threads[thread].acquirable.clone();
            self.acquire(thread, &acquirable);
        }
        if releases(order) {
            let released = self.release(thread);
            self.thread(thread).released = released;
        }
    }

    /// A thread did something.
    pub fn event(&mut self, thread: usize, kind: EventKind, cell: Option<Address>, access: &Access, via: Via) {
        match (kind, cell) {
            // The thread's own store, which nobody else's comes before.
            (EventKind::Read, Some(_)) if via == Via::Buffer => {}
            (EventKind::Read, Some(address)) => self.read(thread, address, access),
            (EventKind::Write, Some(address)) if via == Via::Buffer => self.buffer(thread, address, access),
            (EventKind::Write, Some(address)) => self.write(thread, address, access, via == Via::Update),
            (EventKind::Fence, _) if access.has(Access::COMPILED) => {}
            (EventKind::Fence, _) => self.fence(thread, access.order),
            (EventKind::Lock, Some(address)) => {
                let clock = self.monitor(address).clone();
                self.acquire(thread, &clock);
            }
            (EventKind::Unlock, Some(address)) => {
                let clock = self.release(thread);
                join(self.monitor(address), &clock);
            }
            _ => {}
        }
    }

    /// A constructor of an object ends that has set final fields of it.
    pub fn freeze(&mut self, thread: usize, allocation: u32) {
        let clock = self.release(thread);
        join(self.monitor(Address { allocation, path: FROZEN }), &clock);
    }

    /// A thread reads a final field of an object: it comes after the object's freeze, if that has been.
    pub fn reads_final(&mut self, thread: usize, allocation: u32) {
        let freeze = Address { allocation, path: FROZEN };
        if let Ok(place) = self.monitors.binary_search_by_key(&freeze, |(address, _)| *address) {
            let clock = self.monitors[place].1.clone();
            self.acquire(thread, &clock);
        }
    }

    /// Threads are ordered. Neither language orders anything by permits.
    pub fn sync(&mut self, sync: Sync) {
        match sync {
            Sync::Start(parent, child) => {
                let clock = self.release(parent);
                self.add_thread(child, &clock);
            }
            Sync::Join(later, earlier) | Sync::Order(earlier, later) => {
                let clock = self.now(earlier).clone();
                self.acquire(later, &clock);
            }
            Sync::Unpark(..) | Sync::Park(_) => {}
        }
    }

    /// The present period of a thread.
    pub fn period(&self, thread: usize) -> u32 {
        at(self.now(thread), thread)
    }

    /// The values that a read of a thread may see: those of past writes with no other write between. `held` is what the
    /// cell holds; it is the initial value if nothing was written yet.
    pub fn visible(&self, thread: usize, address: Address, held: Word) -> Vec<Word> {
        let now = self.now(thread);
        let writes = self.known_cell(address).map_or(&[][..], |cell| &cell.writes);
        let visible = writes.iter().filter(|write| !write.is_masked(now, writes));
        let mut values: Vec<Word> = visible.map(|write| write.value).collect();
        if values.is_empty() {
            values.push(held);
        }
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Whether happens-before hides one of the writes of a cell from what a thread does now.
    pub(crate) fn is_hidden_from(&self, thread: usize, write: &Write, writes: &[Write]) -> bool {
        write.is_masked(self.now(thread), writes)
    }

    /// What a read may see of a cell that comes after all threads; nothing if no write is kept.
    pub(crate) fn last(&self, address: Address) -> Vec<Word> {
        let writes = self.known_cell(address).map_or(&[][..], |cell| &cell.writes);
        let is_hidden = |write: &&Write| writes.iter().any(|other| other != *write && write.is_before(&other.clock));
        let mut values: Vec<Word> = writes.iter().filter(|write| !is_hidden(write)).map(|write| write.value).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Adds a write that reads may see; `held` is what the cell held before. Each write has a period of its own, so that
    /// two writes of a thread are ordered.
    pub fn written(&mut self, thread: usize, address: Address, held: Word, value: Word, releases: bool) {
        let clock = self.release(thread);
        let modes = self.threads[thread].modes.clone();
        let writes = &mut self.cell(address).writes;
        if writes.is_empty() {
            let (clock, modes) = (Clock::new(), Clock::new());
            writes.push(Write { thread: None, clock, value: held, modes, releases: false });
        }
        let write = Write { thread: Some(thread), clock, value, modes, releases };
        writes.insert(writes.partition_point(|other| *other < write), write);
    }

    /// The values of writes that some read may still see.
    pub(crate) fn past_values(&self) -> impl Iterator<Item = Word> {
        self.cells.iter().flat_map(|(_, cell)| cell.writes.iter().map(|write| write.value))
    }

    /// Whether the same writes were made that reads may see, and the same are still to come.
    pub(crate) fn shows_the_same(&self, other: &Clocks) -> bool {
        let shown = |clocks: &Clocks| -> Vec<(Address, Option<usize>, Word)> {
            let cells = clocks.cells.iter();
            cells
                .flat_map(|(cell, known)| known.writes.iter().map(|write| (*cell, write.thread, write.value)))
                .collect()
        };
        let foreseen = |clocks: &Clocks| clocks.path.as_ref().map_or(0, Path::foreseen);
        foreseen(self) == foreseen(other) && shown(self) == shown(other)
    }

    /// Every word that a write may still show.
    pub fn words(&self) -> impl Iterator<Item = Word> {
        let cells = self.cells.iter().filter(|(_, cell)| !cell.writes.is_empty());
        cells.flat_map(|(address, cell)| {
            let written = cell.writes.iter().map(|write| write.value);
            written.chain([Word::Pointer(*address)])
        })
    }

    /// Allocations have new numbers: `number` gives that of a cell, `None` if it is dropped, and `renumber` that of a value.
    pub fn renumber(&mut self, number: &dyn Fn(Address) -> Option<Address>, renumber: &mut dyn FnMut(Word) -> Word) {
        self.monitors = self.monitors.iter().filter_map(|(a, clock)| Some((number(*a)?, clock.clone()))).collect();
        self.monitors.sort_by_key(|(address, _)| *address);
        self.cells = self.cells.iter().filter_map(|(a, cell)| Some((number(*a)?, cell.clone()))).collect();
        self.cells.sort_by_key(|(address, _)| *address);
        for store in self.buffers.iter_mut().flatten() {
            store.address = number(store.address).unwrap_or(store.address);
        }
        for (_, cell) in &mut self.cells {
            if cell.writes.iter().any(|write| renumber(write.value) != write.value) {
                Rc::make_mut(cell).writes.iter_mut().for_each(|write| write.value = renumber(write.value));
            }
        }
    }

    /// A block is allocated, perhaps again: its cells are new ones.
    pub fn allocated(&mut self, allocation: u32) {
        self.cells.retain(|(address, _)| address.allocation != allocation);
        // What still comes to the old object passes nothing on.
        for store in self.buffers.iter_mut().flatten().filter(|store| store.address.allocation == allocation) {
            (store.head, store.volatile) = (Clock::new(), Clock::new());
        }
    }

    /// Records an access, and gives those that race with it.
    pub fn access(&mut self, address: Address, new: Record) -> Vec<Pair> {
        let now = self.now(new.thread).clone();
        let cell = self.cell(address);
        let races = |old: &&Record| {
            let conflict = (old.writes || new.writes) && !(old.atomic && new.atomic) && old.thread != new.thread;
            conflict && old.period > at(&now, old.thread)
        };
        let pairs = cell.records.iter().filter(races);
        let pairs = pairs.map(|old| Pair { cell: address, first: old.clone(), second: new.clone() }).collect();
        let is_same = |old: &Record| {
            (old.thread, old.writes, old.atomic, old.span) == (new.thread, new.writes, new.atomic, new.span)
        };
        match cell.records.iter_mut().find(|old| is_same(old)) {
            Some(old) => *old = new,
            None => {
                cell.records.push(new);
                cell.records.sort_by_key(|record| (record.thread, record.writes, record.atomic, record.span));
            }
        }
        pairs
    }

    /// Forgets what can make no difference any more to the threads that still run, and makes periods as small as their order
    /// allows.
    pub fn simplify(&mut self, live: &[usize]) {
        let threads = &self.threads;
        // What every thread that still runs comes after races with nothing any more.
        let is_ordered = |record: &Record| {
            let mut others = live.iter().filter(|&&thread| thread != record.thread);
            others.all(|&thread| record.period <= at(&threads[thread].now, record.thread))
        };
        for (_, cell) in &mut self.cells {
            if cell.records.iter().any(is_ordered) {
                Rc::make_mut(cell).records.retain(|record| !is_ordered(record));
            }
        }
        let mut all = Clock::new();
        threads.iter().for_each(|thread| join(&mut all, &thread.now));
        // Where no thread runs any more, somebody may still ask what is in memory.
        let everyone = (live.is_empty() && self.asks_for_memory).then_some(&all);
        let clocks: Vec<&Clock> = live.iter().map(|&thread| &threads[thread].now).chain(everyone).collect();
        let forgets = self.path.is_none();
        for (_, cell) in self.cells.iter_mut().filter(|(_, cell)| forgets && !cell.writes.is_empty()) {
            let kept = if cell.writes.len() > 1 { still_seen(&cell.writes, &clocks) } else { cell.writes.clone() };
            // What every thread comes after, and nothing else, is what the cell holds.
            let is_held = kept.len() == 1 && clocks.iter().all(|clock| kept[0].is_before(clock));
            if is_held || kept.len() < cell.writes.len() {
                Rc::make_mut(cell).writes = if is_held { Vec::new() } else { kept };
            }
        }
        self.cells.retain(|(_, cell)| !cell.is_empty());
        let comes_before = |clock: &Clock, now: &Clock| (0..clock.len()).all(|thread| clock[thread] <= at(now, thread));
        self.monitors
            .retain(|(address, freeze)| address.path != FROZEN || !clocks.iter().all(|now| comes_before(freeze, now)));
        self.renumber_periods();
    }

    fn renumber_periods(&mut self) {
        let mut used = vec![Periods::default(); self.threads.len()];
        self.each_clock(&mut |clock| clock.iter().zip(&mut used).for_each(|(period, used)| used.add(*period)));
        for (_, cell) in &self.cells {
            cell.records.iter().for_each(|record| used[record.thread].add(record.period));
        }
        let periods = self.path.iter_mut().flat_map(Path::periods);
        periods.for_each(|(thread, period)| used[thread].add(*period));
        used.iter_mut().for_each(Periods::sort);
        if used.iter().any(Periods::has_gaps) {
            self.change_periods(&|thread: usize, period: u32| used[thread].rank(period));
        }
    }

    fn each_clock(&self, visit: &mut dyn FnMut(&Clock)) {
        for thread in &self.threads {
            [&thread.now, &thread.released, &thread.acquirable, &thread.modes].into_iter().for_each(&mut *visit);
        }
        self.monitors.iter().for_each(|(_, clock)| visit(clock));
        for (_, cell) in &self.cells {
            cell.heads.iter().for_each(|(_, clock)| visit(clock));
            cell.writes.iter().flat_map(|write| [&write.clock, &write.modes]).for_each(&mut *visit);
            visit(&cell.volatile);
        }
        self.buffers.iter().flatten().flat_map(|store| [&store.head, &store.volatile]).for_each(visit);
    }

    fn change_periods(&mut self, rank: &dyn Fn(usize, u32) -> u32) {
        let change = |clock: &mut Clock| {
            clock.iter_mut().enumerate().for_each(|(thread, period)| *period = rank(thread, *period));
        };
        for thread in &mut self.threads {
            let ThreadClocks { now, released, acquirable, modes } = Rc::make_mut(thread);
            [now, released, acquirable, modes].into_iter().for_each(change);
        }
        self.monitors.iter_mut().for_each(|(_, clock)| change(Rc::make_mut(clock)));
        for (_, cell) in &mut self.cells {
            let cell = Rc::make_mut(cell);
            cell.heads.iter_mut().for_each(|(_, clock)| change(clock));
            cell.writes.iter_mut().flat_map(|write| [&mut write.clock, &mut write.modes]).for_each(change);
            change(&mut cell.volatile);
            cell.records.iter_mut().for_each(|record| record.period = rank(record.thread, record.period));
        }
        self.buffers.iter_mut().flatten().flat_map(|store| [&mut store.head, &mut store.volatile]).for_each(change);
        let periods = self.path.iter_mut().flat_map(Path::periods);
        periods.for_each(|(thread, period)| *period = rank(thread, *period));
    }

    /// The clocks as numbers: equal exactly when everything that could still race compares alike.
    pub fn key(&self) -> Vec<u32> {
        let mut key = Vec::new();
        let mut clocks = Vec::new();
        self.each_clock(&mut |clock| {
            // Threads that something does not come after need not be listed.
            let length = clock.iter().rposition(|period| *period != 0).map_or(0, |last| last + 1);
            clocks.push(length as u32);
            clocks.extend(&clock[..length]);
        });
        key.push(self.monitors.len() as u32);
        self.monitors.iter().for_each(|(address, _)| key.extend([address.allocation, address.path.0]));
        for (address, cell) in &self.cells {
            key.extend([address.allocation, address.path.0, cell.heads.len() as u32, cell.records.len() as u32]);
            key.extend(cell.heads.iter().map(|(thread, _)| *thread as u32));
            for Record { thread, period, writes, atomic, span, .. } in &cell.records {
                let place = span.map_or([u32::MAX; 3], |span| [span.file.0, span.start, span.end]);
                key.extend([*thread as u32, *period, u32::from(*writes) + 2 * u32::from(*atomic)]);
                key.extend(place);
            }
        }
        key.extend(clocks);
        key
    }
}

/// A set of periods; 0 is always in it.
#[derive(Clone, Default)]
struct Periods {
    /// Those from 1 to 63, a bit each: there are seldom others.
    few: u64,
    /// Those from 64 on; ascending when sorted.
    more: Vec<u32>,
}

impl Periods {
    fn add(&mut self, period: u32) {
        match period {
            0..64 => self.few |= 1 << period,
            _ => self.more.push(period),
        }
    }

    fn sort(&mut self) {
        self.few |= 1;
        self.more.sort_unstable();
        self.more.dedup();
    }

    /// How many of them come before this one.
    fn rank(&self, period: u32) -> u32 {
        match period {
            0..64 => (self.few & ((1 << period) - 1)).count_ones(),
            _ => self.few.count_ones() + self.more.partition_point(|other| *other < period) as u32,
        }
    }

    fn has_gaps(&self) -> bool {
        let last = self.more.last().copied().unwrap_or(63 - self.few.leading_zeros());
        self.rank(last) != last
    }
}

/// How many writes of a cell are kept. Leaving out more than makes no difference gives fewer executions, never more.
const MOST_WRITES: usize = 64;

/// The writes without those that no thread can see any more, and without those whose value a later one shows to everyone
/// who could see them. Only a write that comes after no other may go: any other keeps earlier ones from being seen. (So that
/// one goes changes nothing for those that stay.) Invariant of the list: the writes of a thread stand together, in its order.
fn still_seen(writes: &[Write], live: &[&Clock]) -> Vec<Write> {
    let chains: Vec<&[Write]> = writes.chunk_by(|write, next| write.thread == next.thread).collect();
    let mut kept = chains.clone();
    let mut left = writes.len();
    let may_go = |write: &Write| is_hidden(write, &chains, live) || is_shown(write, &chains);
    let first = |kept: &[&[Write]], chain: usize, left: usize| {
        let Some(write) = kept[chain].first() else { return false };
        let is_later = |other: usize| kept[other].first().is_some_and(|before| before.comes_before(write));
        !(0..kept.len()).any(|other| other != chain && is_later(other)) && (left > MOST_WRITES || may_go(write))
    };
    while let Some(chain) = (0..kept.len()).find(|chain| first(&kept, *chain, left)) {
        kept[chain] = &kept[chain][1..];
        left -= 1;
    }
    kept.concat()
}

/// Whether for each of the clocks another write comes between this one and it. The last one of a thread that comes before the
/// clock comes after this one if any does.
fn is_hidden(write: &Write, chains: &[&[Write]], live: &[&Clock]) -> bool {
    let is_between = |chain: &[Write], clock: &Clock| {
        let before = chain.partition_point(|other| other.is_before(clock));
        before > 0 && chain[before - 1] != *write && write.comes_before(&chain[before - 1])
    };
    live.iter().all(|clock| chains.iter().any(|chain| is_between(chain, clock)))
}

/// Whether a later write shows the same value.
fn is_shown(write: &Write, chains: &[&[Write]]) -> bool {
    chains.iter().any(|chain| {
        let last = chain.iter().rev().find(|other| other.value == write.value);
        last.is_some_and(|last| last != write && write.comes_before(last))
    })
}

/// Whether Java's rules take the access as volatile.
pub fn is_volatile(access: &Access) -> bool {
    access.order == Order::SeqCst || access.tags.iter().any(|tag| matches!(&**tag, "V" | "volatile"))
}

/// Whether Java's rules take the access as one in acquire or release mode.
pub fn is_moded(access: &Access) -> bool {
    matches!(access.order, Order::Acquire | Order::Release | Order::AcquireRelease) && !is_volatile(access)
}

/// Whether an access with this order acquires.
pub fn acquires(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::Consume | Order::AcquireRelease | Order::SeqCst)
}

/// Whether an access with this order releases.
pub fn releases(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcquireRelease | Order::SeqCst)
}
