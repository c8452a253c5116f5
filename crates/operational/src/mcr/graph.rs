//! Ways out of a class, by listing the states of the machine that executions of the class go through.
//!
//! For a *target*, an event of one thread, all threads do only what they do in the class, but at the target the thread gets
//! something else than in the class, if it can, and stops. Wanted are the states in which nothing more is possible after
//! that: the larger the prefix of the class in an escape, the fewer known classes have it, so an escape that is not new
//! there is not new anywhere before. Such an end state says how far each thread came, and what the target got.
//!
//! Fewer states are enough, in two ways:
//!
//! - *At once.* A read that gets its value, and whatever else no other thread can notice, is done as soon as it can be: an
//!   execution that does it later, or never, can do it now and then all the rest, and ends no earlier.
//! - *Stubborn sets* (Valmari, "Stubborn sets for reduced state space generation", 1991). Of the other steps only those of a set are tried such that what
//!   is outside neither interferes with a possible step of it, nor makes an impossible one possible. All end states stay.
//!
//! Agents are the threads and their buffers (on pso one for each cell); a set is a bit mask of agents.

use crate::memory::Machine;

use super::history::{FAILED, NONE};
use super::project::{Alternative, Alternatives};
use super::trace::{Access, Cell, End, Escape, Kind, Step, Trace, Value};

type Mask = u128;

/// More agents than this are not told apart: then all steps are tried.
const MOST_AGENTS: usize = 128;

/// What is looked for.
#[derive(Clone, Debug)]
pub enum Goal {
    /// What the thread's event could get instead.
    Escape {
        /// Whose.
        thread: u32,
        /// Its place.
        event: u32,
        /// What it could be.
        alternatives: Alternatives,
        /// Only these values, if it gets a value; `None` for all.
        wanted: Option<Vec<Value>>,
        /// How many events each thread could do at most before the target ([`NONE`]: it cannot start). Once a value was found after all these, it is not wanted
        /// any more: no other escape with it has a larger prefix.
        bounds: Vec<u32>,
    },
    /// All ends of executions of the class, with what memory holds then if `memory` is set; and all states in which threads
    /// wait for each other for ever.
    Ends {
        /// Whether memory matters.
        memory: bool,
        /// What atomic steps of threads can wait for.
        awaited: Vec<Awaited>,
    },
}

/// An atomic step that waits unless its cells hold certain values.
#[derive(Clone, Debug)]
pub struct Awaited {
    /// Whose.
    pub thread: u32,
    /// Its place.
    pub event: u32,
    /// With which values it happens.
    pub alternatives: Alternatives,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// The end states.
    pub ends: Vec<EndState>,
    /// How many states were looked at.
    pub states: u64,
    /// For each state the one before, and where the steps to it end.
    links: Vec<(u32, u32)>,
    steps: Vec<Step>,
    goal: Option<(u32, u32)>,
}

/// A state in which nothing more is possible.
#[derive(Clone, Debug)]
pub struct EndState {
    state: u32,
    /// How many events each thread did; [`NONE`] if it has not started.
    pub positions: Vec<u32>,
    /// What the target got.
    pub label: u32,
    /// What memory holds.
    pub memory: Vec<Value>,
}

/// Lists the end states; `None` if there are more states than that on the way. The walk is only lent: it is used again and
/// again because it is large.
pub fn explore(trace: &Trace, machine: Machine, goal: &Goal, most: usize, walk: &mut Walk) -> Option<Found> {
    let plan = Plan::new(trace, machine, goal);
    walk.clear(&plan);
    let mut state = std::mem::take(&mut walk.state);
    plan.start(&mut state);
    plan.settle(&mut state, &mut walk.steps);
    walk.add(&state, NONE);
    while let Some(number) = walk.open.pop() {
        if walk.found.links.len() > most {
            return None;
        }
        plan.expand(walk, number, &mut state);
    }
    walk.state = state;
    walk.found.states = walk.found.links.len() as u64;
    Some(std::mem::take(&mut walk.found))
}

impl Found {
    /// The steps to an end state: those before and those after the target.
    pub fn escape(&self, end: &EndState) -> Escape {
        let mut places = Vec::new();
        let mut state = end.state;
        while state != NONE {
            places.push(state);
            state = self.links[state as usize].0;
        }
        let start = |state: u32| if state == 0 { 0 } else { self.links[state as usize - 1].1 as usize };
        let ranges = places.iter().rev().map(|state| start(*state)..self.links[*state as usize].1 as usize);
        let steps: Vec<Step> = ranges.flat_map(|range| &self.steps[range]).copied().collect();
        let Some((thread, event)) = self.goal else {
            return Escape { steps, thread: NONE, event: 0, label: 0, after: Vec::new() };
        };
        let mut done = 0;
        let at = steps.iter().position(|step| {
            let is_own = *step == Step::Event(thread);
            done += u32::from(is_own);
            is_own && done == event + 1
        });
        let (steps, after) = match at {
            Some(at) => (steps[..at].to_vec(), steps[at + 1..].to_vec()),
            None => (steps, Vec::new()),
        };
        Escape { steps, thread, event, label: end.label, after }
    }
}

/// The states met so far.
#[derive(Default)]
pub struct Walk {
    found: Found,
    /// The states, one after the other.
    states: Vec<u32>,
    width: usize,
    /// An open-addressing table of state numbers plus one; 0 is empty. Its length is a power of two.
    slots: Vec<u32>,
    /// Those that were not tried yet.
    open: Vec<u32>,
    /// The values that the target still may get, if that is known.
    wanted: Option<Vec<Value>>,
    /// The state that is worked on, and the steps to it.
    state: Vec<u32>,
    steps: Vec<Step>,
}

impl Walk {
    fn clear(&mut self, plan: &Plan) {
        self.found = Found { goal: plan.target, ..Found::default() };
        self.states.clear();
        self.width = plan.width;
        match self.slots.len() {
            0 => self.slots.resize(256, 0),
            // A large table would take longer to clear than to grow again.
            4096.. => self.slots = vec![0; 256],
            _ => self.slots.fill(0),
        }
        self.open.clear();
        self.steps.clear();
        self.wanted.clone_from(&plan.wanted);
    }

    fn stored(&self, number: u32) -> &[u32] {
        &self.states[number as usize * self.width..(number as usize + 1) * self.width]
    }

    /// Adds a state, if it is not known; its last steps are in `steps`, and are taken out.
    fn add(&mut self, state: &[u32], before: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = place(state) & mask;
        while let Some(number) = self.slots[slot].checked_sub(1) {
            if self.stored(number) == state {
                self.steps.clear();
                return;
            }
            slot = (slot + 1) & mask;
        }
        let number = self.found.links.len() as u32;
        self.slots[slot] = number + 1;
        self.states.extend_from_slice(state);
        self.found.steps.append(&mut self.steps);
        self.found.links.push((before, self.found.steps.len() as u32));
        self.open.push(number);
        if 2 * self.found.links.len() > self.slots.len() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let length = 4 * self.slots.len();
        let mut slots = vec![0; length];
        for number in 0..self.found.links.len() as u32 {
            let mut slot = place(self.stored(number)) & (length - 1);
            while slots[slot] != 0 {
                slot = (slot + 1) & (length - 1);
            }
            slots[slot] = number + 1;
        }
        self.slots = slots;
    }
}

/// Where a state goes in a table.
fn place(state: &[u32]) -> usize {
    let hash = state
        .iter()
        .fold(0u64, |hash, word| (hash.rotate_left(5) ^ u64::from(*word)).wrapping_mul(0x517c_c1b7_2722_0a95));
    (hash >> 24) as usize
}

/// Stores of one thread that get to memory in the order of the program.
struct Queue {
    thread: usize,
    stores: Vec<Store>,
}

struct Store {
    event: u32,
    cell: Cell,
    value: Value,
    /// Stores of the thread before this event have to be in memory first.
    after: u32,
}

/// A trace, prepared.
struct Plan<'t> {
    trace: &'t Trace,
    machine: Machine,
    /// How many events each thread may do as in the class.
    limits: Vec<u32>,
    target: Option<(u32, u32)>,
    alternatives: Alternatives,
    wanted: Option<Vec<Value>>,
    bounds: &'t [u32],
    keeps_memory: bool,
    /// Cells that the target may write when it gets something else. What they hold then is not known, so nobody may use
    /// them after it.
    touched: Vec<bool>,
    awaited: &'t [Awaited],
    queues: Vec<Queue>,
    /// The queues of each thread.
    own: Vec<Vec<usize>>,
    /// By thread and cell: 1 plus the last event that reads or may read it.
    last_read: Vec<u32>,
    /// The same for writes that meet memory at once.
    last_write: Vec<u32>,
    /// By thread and monitor.
    last_use: Vec<u32>,
    /// By thread and thread: the last `unpark`.
    last_unpark: Vec<u32>,
    last_park: Vec<u32>,
    /// Who starts each thread.
    starters: Vec<u32>,
    /// For each thread its load fences.
    load_fences: Vec<Vec<u32>>,
    cells: usize,
    monitors: usize,
    threads: usize,
    /// How many numbers a state has.
    width: usize,
}

const STARTED: u32 = 1;
const NOTIFIED: u32 = 2;
const PERMIT: u32 = 4;

impl<'t> Plan<'t> {
    fn new(trace: &'t Trace, machine: Machine, goal: &'t Goal) -> Plan<'t> {
        let threads = trace.threads.len();
        let (cells, monitors) = (trace.initial.len(), trace.monitors as usize);
        let (target, alternatives, wanted, bounds) = match goal {
            Goal::Escape { thread, event, alternatives, wanted, bounds } => {
                (Some((*thread, *event)), alternatives.clone(), wanted.clone(), &bounds[..])
            }
            Goal::Ends { .. } => (None, Alternatives::Any, None, &[][..]),
        };
        let limit = |thread: usize| {
            let own = &trace.threads[thread];
            let count = own.events.len() as u32 - u32::from(own.end == End::Blocked);
            target.filter(|(other, _)| *other as usize == thread).map_or(count, |(_, event)| event.min(count))
        };
        let mut plan = Plan {
            trace,
            machine,
            limits: (0..threads).map(limit).collect(),
            target,
            alternatives,
            wanted,
            bounds,
            keeps_memory: matches!(goal, Goal::Ends { memory: true, .. }),
            touched: vec![false; cells],
            awaited: if let Goal::Ends { awaited, .. } = goal { awaited } else { &[] },
            queues: Vec::new(),
            own: vec![Vec::new(); threads],
            last_read: vec![0; threads * cells],
            last_write: vec![0; threads * cells],
            last_use: vec![0; threads * monitors],
            last_unpark: vec![0; threads * threads],
            last_park: vec![0; threads],
            starters: vec![NONE; threads],
            load_fences: vec![Vec::new(); threads],
            cells,
            monitors,
            threads,
            width: 0,
        };
        (0..threads).for_each(|thread| plan.look(thread));
        plan.note_touched();
        plan.width = 2 * threads + plan.queues.len() + cells + monitors + 1;
        plan
    }

    /// Notes what a thread does.
    fn look(&mut self, thread: usize) {
        let trace = self.trace;
        let count = self.limits[thread] as usize;
        let has_target = self.target.is_some_and(|(other, _)| other as usize == thread);
        // Whether a thread can go on that waits at the end of the class is looked at in every end state.
        let looks_on = has_target || self.target.is_none();
        let considered = (count + usize::from(looks_on)).min(trace.threads[thread].events.len());
        let mut fence = 0;
        for (index, event) in trace.threads[thread].events[..considered].iter().enumerate() {
            let place = index as u32 + 1;
            let is_target = index == count;
            match &event.kind {
                Kind::StoreFence if !is_target => fence = place,
                Kind::LoadFence if !is_target => self.load_fences[thread].push(place),
                Kind::Write { cell, value, direct: false } if self.machine.has_buffers() && !is_target => {
                    self.enqueue(thread, Store { event: index as u32, cell: *cell, value: *value, after: fence });
                }
                kind => self.note(thread, place, kind, is_target),
            }
        }
        if has_target && self.alternatives == Alternatives::Everything {
            let place = count as u32 + 1;
            (0..self.cells).for_each(|cell| self.last_read[thread * self.cells + cell] = place);
        }
    }

    fn note_touched(&mut self) {
        let Some((thread, event)) = self.target else { return };
        let kind = self.trace.threads[thread as usize].events.get(event as usize).map(|event| &event.kind);
        match (&self.alternatives, kind) {
            (Alternatives::Everything, _) => self.touched.fill(true),
            (Alternatives::Listed(listed), _) => {
                let writes = listed.iter().flat_map(|other| &other.writes);
                writes.for_each(|cell| self.touched[*cell as usize] = true);
            }
            (Alternatives::Any, Some(Kind::Update { cell, .. })) => self.touched[*cell as usize] = true,
            _ => {}
        }
    }

    /// Whether what a cell holds is not known.
    fn is_touched(&self, state: &[u32], cell: Cell) -> bool {
        state[self.taken()] != 0 && self.touched[cell as usize]
    }

    fn note(&mut self, thread: usize, place: u32, kind: &Kind, is_target: bool) {
        let (cells, monitors) = (self.cells, self.monitors);
        match kind {
            Kind::Read { cell, .. } => self.last_read[thread * cells + *cell as usize] = place,
            Kind::Write { cell, .. } => self.last_write[thread * cells + *cell as usize] = place,
            Kind::Update { cell, written, .. } => {
                self.last_read[thread * cells + *cell as usize] = place;
                if written.is_some() && !is_target {
                    self.last_write[thread * cells + *cell as usize] = place;
                }
            }
            Kind::Atomic(accesses) => {
                for access in accesses {
                    match access {
                        Access::Read { cell, .. } => self.last_read[thread * cells + *cell as usize] = place,
                        Access::Write { cell, .. } if !is_target => {
                            self.last_write[thread * cells + *cell as usize] = place;
                        }
                        _ => {}
                    }
                }
            }
            Kind::Lock(monitor) | Kind::Unlock(monitor) | Kind::Release(monitor) | Kind::Resume(monitor, _) => {
                if (*monitor as usize) < monitors {
                    self.last_use[thread * monitors + *monitor as usize] = place;
                }
            }
            Kind::Notify { monitor, .. } => self.last_use[thread * monitors + *monitor as usize] = place,
            Kind::Spawn(started) if !is_target => self.starters[*started as usize] = thread as u32,
            Kind::Unpark(other) => self.last_unpark[thread * self.threads + *other as usize] = place,
            Kind::Park => self.last_park[thread] = place,
            _ => {}
        }
    }

    fn enqueue(&mut self, thread: usize, store: Store) {
        let is_pso = self.machine == Machine::Pso;
        let own = self.own[thread].iter().copied();
        let queue = own.into_iter().find(|queue| !is_pso || self.queues[*queue].stores[0].cell == store.cell);
        let queue = queue.unwrap_or_else(|| {
            self.queues.push(Queue { thread, stores: Vec::new() });
            self.own[thread].push(self.queues.len() - 1);
            self.queues.len() - 1
        });
        self.queues[queue].stores.push(store);
    }

    fn start(&self, state: &mut Vec<u32>) {
        state.clear();
        state.resize(self.width, 0);
        let memory = self.memory();
        state[memory..memory + self.cells].copy_from_slice(&self.trace.initial);
        for (thread, of) in self.trace.threads.iter().enumerate() {
            state[self.flags(thread)] = if of.is_initial { STARTED } else { 0 };
        }
    }

    fn memory(&self) -> usize {
        self.threads + self.queues.len()
    }

    fn flushed(&self, queue: usize) -> usize {
        self.threads + queue
    }

    fn monitor(&self, monitor: u32) -> usize {
        self.memory() + self.cells + monitor as usize
    }

    fn flags(&self, thread: usize) -> usize {
        self.memory() + self.cells + self.monitors + thread
    }

    fn taken(&self) -> usize {
        self.width - 1
    }

    /// The thread's next event, if it may do one as in the class.
    fn next(&self, state: &[u32], thread: usize) -> Option<&'t Kind> {
        let at = state[thread];
        let may = at < self.limits[thread] && state[self.flags(thread)] & STARTED != 0;
        may.then(|| &self.trace.threads[thread].events[at as usize].kind)
    }

    /// Whether the thread stands at the target.
    fn at_target(&self, state: &[u32], thread: usize) -> bool {
        let is_there = self.target.is_some_and(|(other, event)| other as usize == thread && state[thread] == event);
        is_there && state[self.taken()] == 0 && state[self.flags(thread)] & STARTED != 0
    }

    /// The next store of a queue that is not in memory, if the thread has come to it.
    fn head(&self, state: &[u32], queue: usize) -> Option<&Store> {
        let Queue { thread, stores } = &self.queues[queue];
        stores.get(state[self.flushed(queue)] as usize).filter(|store| store.event < state[*thread])
    }

    fn is_drained(&self, state: &[u32], thread: usize) -> bool {
        self.own[thread].iter().all(|queue| self.head(state, *queue).is_none())
    }

    /// Whether all stores of the thread before an event are in memory.
    fn is_flushed_before(&self, state: &[u32], thread: usize, event: u32) -> bool {
        let is_behind = |queue: &usize| self.head(state, *queue).is_some_and(|store| store.event < event);
        !self.own[thread].iter().any(is_behind)
    }

    fn may_flush(&self, state: &[u32], queue: usize) -> bool {
        let Some(store) = self.head(state, queue) else { return false };
        !self.is_touched(state, store.cell) && self.is_flushed_before(state, self.queues[queue].thread, store.after)
    }

    /// The thread's own newest store to a cell that is not in memory.
    fn pending(&self, state: &[u32], thread: usize, cell: Cell) -> Option<(usize, Value)> {
        self.own[thread].iter().find_map(|queue| {
            let stores = &self.queues[*queue].stores[state[self.flushed(*queue)] as usize..];
            let issued = stores.iter().take_while(|store| store.event < state[thread]);
            issued.filter(|store| store.cell == cell).last().map(|store| (*queue, store.value))
        })
    }

    fn held(&self, state: &[u32], cell: Cell) -> Value {
        state[self.memory() + cell as usize]
    }

    fn seen(&self, state: &[u32], thread: usize, cell: Cell) -> Value {
        self.pending(state, thread, cell).map_or_else(|| self.held(state, cell), |(_, value)| value)
    }

    /// The event up to which stores have to be in memory before the thread can load.
    fn load_fence(&self, state: &[u32], thread: usize) -> u32 {
        let fences = &self.load_fences[thread];
        fences.iter().rev().find(|fence| **fence <= state[thread]).copied().unwrap_or(0)
    }

    fn is_over(&self, state: &[u32], thread: usize) -> bool {
        let of = &self.trace.threads[thread];
        let is_at_end = state[thread] as usize == of.events.len() && of.end == End::Over;
        is_at_end && state[self.flags(thread)] & STARTED != 0 && self.is_drained(state, thread)
    }

    /// How many threads wait at a monitor and were not notified.
    fn waiting(&self, state: &[u32], monitor: u32) -> Vec<usize> {
        let waits = |thread: &usize| {
            let event = self.trace.threads[*thread].events.get(state[*thread] as usize).map(|event| &event.kind);
            let is_there = matches!(event, Some(Kind::Resume(other, _)) if *other == monitor);
            is_there && state[self.flags(*thread)] & (STARTED | NOTIFIED) == STARTED
        };
        (0..self.threads).filter(waits).collect()
    }

    fn may_lock(&self, state: &[u32], thread: usize, monitor: u32) -> bool {
        let holder = if (monitor as usize) < self.monitors { state[self.monitor(monitor)] >> 16 } else { 0 };
        holder == 0 || holder == thread as u32 + 1
    }

    /// Whether the event can happen but for what it reads.
    fn is_free(&self, state: &[u32], thread: usize, kind: &Kind) -> bool {
        if kind.drains() && self.machine.has_buffers() && !self.is_drained(state, thread) {
            return false;
        }
        match kind {
            Kind::Read { cell, .. } => {
                !self.is_touched(state, *cell) && self.is_flushed_before(state, thread, self.load_fence(state, thread))
            }
            Kind::Write { cell, direct, .. } => {
                !self.is_touched(state, *cell) || (self.machine.has_buffers() && !direct)
            }
            Kind::Update { cell, .. } => !self.is_touched(state, *cell),
            Kind::Atomic(accesses) => !accesses.iter().any(|access| match access {
                Access::Read { cell, .. } | Access::Write { cell, .. } => self.is_touched(state, *cell),
                Access::Choice { .. } => false,
            }),
            Kind::Lock(monitor) => self.may_lock(state, thread, *monitor),
            Kind::Resume(monitor, _) => {
                state[self.flags(thread)] & NOTIFIED != 0 && self.may_lock(state, thread, *monitor)
            }
            Kind::Join(other) => self.is_over(state, *other as usize),
            Kind::Turn(others) => others.iter().all(|other| self.is_over(state, *other as usize)),
            Kind::Park => state[self.flags(thread)] & PERMIT != 0,
            _ => true,
        }
    }

    /// Whether the event can happen now as it does in the class.
    fn is_enabled(&self, state: &[u32], thread: usize, kind: &Kind) -> bool {
        self.is_free(state, thread, kind) && self.mismatch(state, thread, kind).is_none()
    }

    /// The first cell whose value is not as in the class; [`NONE`] for something else that cannot change any more.
    fn mismatch(&self, state: &[u32], thread: usize, kind: &Kind) -> Option<Cell> {
        match kind {
            Kind::Read { cell, value } => (self.seen(state, thread, *cell) != *value).then_some(*cell),
            Kind::Update { cell, value, .. } => (self.held(state, *cell) != *value).then_some(*cell),
            Kind::Atomic(accesses) => {
                let mut written: Vec<(Cell, Value)> = Vec::new();
                accesses.iter().find_map(|access| match access {
                    Access::Read { cell, value, .. } => {
                        let own = written.iter().rev().find(|(other, _)| other == cell).map(|(_, value)| *value);
                        let seen = own.unwrap_or_else(|| self.held(state, *cell));
                        (seen != *value).then_some(*cell)
                    }
                    Access::Write { cell, value } => {
                        written.push((*cell, *value));
                        None
                    }
                    Access::Choice { .. } => None,
                })
            }
            Kind::Notify { monitor, all: false, picked } => {
                let waiting = self.waiting(state, *monitor).len() as u32;
                let fits = if waiting < 2 { *picked == 0 } else { (1..=waiting).contains(picked) };
                (!fits).then_some(NONE)
            }
            _ => None,
        }
    }

    /// Whether the event, if it can happen, may as well happen at once.
    fn is_unnoticed(&self, state: &[u32], thread: usize, kind: &Kind) -> bool {
        match kind {
            // It could also come too late, and wait for ever.
            Kind::Read { .. } | Kind::Atomic(_) if self.awaits(state, thread).is_some() => false,
            Kind::Write { direct: false, .. } if self.machine.has_buffers() => true,
            Kind::Write { cell, .. } => self.write_dependents(state, thread, *cell) == 0,
            Kind::Update { cell, written, .. } => {
                written.is_none() || (written.is_some() && !self.concerns_others(state, thread, *cell))
            }
            Kind::Atomic(accesses) => !accesses.iter().any(|access| matches!(access, Access::Write { .. })),
            Kind::Lock(monitor) => state[self.monitor(*monitor)] >> 16 == thread as u32 + 1,
            Kind::Resume(..) | Kind::Park | Kind::Unpark(_) => false,
            _ => true,
        }
    }

    /// Whether another thread may still read or write the cell.
    fn concerns_others(&self, state: &[u32], thread: usize, cell: Cell) -> bool {
        self.write_dependents(state, thread, cell) != 0 || self.writers(state, thread, cell) != 0
    }

    /// Does all that may as well happen at once; what cells hold that nobody will read is forgotten.
    fn settle(&self, state: &mut [u32], steps: &mut Vec<Step>) {
        loop {
            let mut moved = false;
            for thread in 0..self.threads {
                while let Some(kind) = self.next(state, thread) {
                    if !self.is_unnoticed(state, thread, kind) || !self.is_enabled(state, thread, kind) {
                        break;
                    }
                    self.happen(state, thread, kind);
                    steps.push(Step::Event(thread as u32));
                    moved = true;
                }
            }
            for queue in 0..self.queues.len() {
                while self.may_flush(state, queue) {
                    let Some(store) = self.head(state, queue) else { break };
                    let (thread, cell) = (self.queues[queue].thread, store.cell);
                    if self.write_dependents(state, thread, cell) != 0 {
                        break;
                    }
                    self.flush(state, queue);
                    steps.push(Step::Flush(thread as u32, cell));
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        if !self.keeps_memory {
            for cell in 0..self.cells {
                if !self.is_live(state, cell as Cell) {
                    state[self.memory() + cell] = 0;
                }
            }
        }
    }

    /// Whether somebody may still read what a cell holds.
    fn is_live(&self, state: &[u32], cell: Cell) -> bool {
        self.keeps_memory || (0..self.threads).any(|thread| self.reads(state, thread, cell))
    }

    fn reads(&self, state: &[u32], thread: usize, cell: Cell) -> bool {
        let is_done = self.target.is_some_and(|(other, _)| other as usize == thread) && state[self.taken()] != 0;
        !is_done && self.last_read[thread * self.cells + cell as usize] > state[thread]
    }

    /// Does the thread's next event as in the class.
    fn happen(&self, state: &mut [u32], thread: usize, kind: &Kind) {
        let memory = self.memory();
        match kind {
            Kind::Write { cell, value, direct } if *direct || !self.machine.has_buffers() => {
                state[memory + *cell as usize] = *value;
            }
            Kind::Update { cell, written: Some(written), .. } => state[memory + *cell as usize] = *written,
            Kind::Atomic(accesses) => {
                for access in accesses {
                    if let Access::Write { cell, value } = access {
                        state[memory + *cell as usize] = *value;
                    }
                }
            }
            Kind::Lock(monitor) => self.hold(state, thread, *monitor, 1),
            Kind::Resume(monitor, times) => {
                state[self.flags(thread)] &= !NOTIFIED;
                self.hold(state, thread, *monitor, *times);
            }
            Kind::Unlock(monitor) => {
                let held = &mut state[self.monitor(*monitor)];
                *held -= 1;
                if *held & 0xffff == 0 {
                    *held = 0;
                }
            }
            Kind::Release(monitor) => state[self.monitor(*monitor)] = 0,
            Kind::Notify { monitor, all, picked } => self.wake(state, *monitor, *all, *picked),
            Kind::Spawn(started) => state[self.flags(*started as usize)] |= STARTED,
            Kind::Park => state[self.flags(thread)] &= !PERMIT,
            Kind::Unpark(other) => state[self.flags(*other as usize)] |= PERMIT,
            _ => {}
        }
        state[thread] += 1;
    }

    /// The target gets something else than in the class. What it then does to memory is not known, see `touched`.
    fn happen_otherwise(&self, state: &mut [u32], thread: usize, label: u32) {
        let taken = self.taken();
        state[taken] = label.wrapping_add(1).max(1);
        match &self.trace.threads[thread].events[state[thread] as usize].kind {
            Kind::Lock(monitor) => self.hold(state, thread, *monitor, 1),
            Kind::Resume(monitor, times) => {
                state[self.flags(thread)] &= !NOTIFIED;
                self.hold(state, thread, *monitor, *times);
            }
            Kind::Notify { monitor, .. } => self.wake(state, *monitor, false, label),
            Kind::Park => state[self.flags(thread)] &= !PERMIT,
            _ => {}
        }
    }

    fn wake(&self, state: &mut [u32], monitor: u32, all: bool, picked: u32) {
        let waiting = self.waiting(state, monitor);
        let first = picked.saturating_sub(1) as usize;
        let woken = if all { &waiting[..] } else { waiting.get(first..=first).unwrap_or_default() };
        woken.iter().for_each(|woken| state[self.flags(*woken)] |= NOTIFIED);
    }

    fn hold(&self, state: &mut [u32], thread: usize, monitor: u32, times: u32) {
        if (monitor as usize) < self.monitors {
            let held = &mut state[self.monitor(monitor)];
            *held = ((thread as u32 + 1) << 16) | ((*held & 0xffff) + times);
        }
    }

    fn flush(&self, state: &mut [u32], queue: usize) {
        if let Some(Store { cell, value, .. }) = self.head(state, queue) {
            state[self.memory() + *cell as usize] = *value;
            state[self.flushed(queue)] += 1;
        }
    }

    /// What the target could get now instead of what it gets in the class.
    fn labels(&self, state: &[u32], thread: usize) -> Vec<u32> {
        let Some(event) = self.trace.threads[thread].events.get(state[thread] as usize) else { return Vec::new() };
        let is_blocked = self.trace.threads[thread].end == End::Blocked
            && state[thread] as usize + 1 == self.trace.threads[thread].events.len();
        let kind = &event.kind;
        match (&self.alternatives, kind) {
            (Alternatives::Everything, _) => return vec![0],
            (Alternatives::Listed(listed), _) => return self.listed(state, thread, kind, listed),
            _ => {}
        }
        if !self.is_free(state, thread, kind) {
            return Vec::new();
        }
        match kind {
            _ if is_blocked => vec![0],
            Kind::Read { cell, value } => {
                let seen = self.seen(state, thread, *cell);
                if seen == *value { Vec::new() } else { vec![seen] }
            }
            Kind::Update { cell, value, picked, .. } => {
                let seen = self.held(state, *cell);
                match picked {
                    _ if seen != *value => vec![seen],
                    Some(0) => vec![seen | FAILED],
                    Some(_) => vec![seen],
                    None => Vec::new(),
                }
            }
            Kind::Choice { picked, ways } => (0..*ways).filter(|way| way != picked).collect(),
            Kind::Notify { monitor, all: false, picked } => {
                let waiting = self.waiting(state, *monitor).len() as u32;
                let labels = if waiting < 2 { 0..1 } else { 1..waiting + 1 };
                labels.filter(|label| label != picked).collect()
            }
            _ => Vec::new(),
        }
    }

    fn listed(&self, state: &[u32], thread: usize, kind: &Kind, listed: &[Alternative]) -> Vec<u32> {
        let (cell, value) = match kind {
            Kind::Read { cell, value } => (*cell, *value),
            Kind::Atomic(accesses) => match accesses.first() {
                Some(Access::Read { cell, value, .. }) => (*cell, *value),
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        if !self.is_flushed_before(state, thread, self.load_fence(state, thread)) {
            return Vec::new();
        }
        let seen = self.seen(state, thread, cell);
        let alternative = listed.iter().find(|other| other.value == seen && seen != value);
        match alternative {
            Some(Alternative { waits, .. }) if !waits || self.is_drained(state, thread) => vec![seen],
            _ => Vec::new(),
        }
    }

    fn agent_of_queue(&self, queue: usize) -> Mask {
        1 << (self.threads + queue)
    }

    /// Agents of other threads that may still write a cell.
    fn writers(&self, state: &[u32], thread: usize, cell: Cell) -> Mask {
        let mut mask = 0;
        for other in (0..self.threads).filter(|other| *other != thread) {
            if self.last_write[other * self.cells + cell as usize] > state[other] {
                mask |= 1 << other;
            }
        }
        for (number, queue) in self.queues.iter().enumerate().filter(|(_, queue)| queue.thread != thread) {
            let rest = &queue.stores[state[self.flushed(number)] as usize..];
            if rest.iter().any(|store| store.cell == cell) {
                mask |= self.agent_of_queue(number);
            }
        }
        mask
    }

    /// Agents for which it matters whether the thread's write to a cell has happened.
    fn write_dependents(&self, state: &[u32], thread: usize, cell: Cell) -> Mask {
        let mut mask = 0;
        for other in (0..self.threads).filter(|other| *other != thread) {
            if self.reads(state, other, cell) {
                mask |= 1 << other;
            }
        }
        if mask != 0 || self.keeps_memory || self.reads(state, thread, cell) {
            mask |= self.writers(state, thread, cell);
        }
        mask
    }

    /// Agents that may interfere with the thread's next event, which can happen.
    fn dependents(&self, state: &[u32], thread: usize, kind: &Kind) -> Mask {
        match kind {
            Kind::Read { cell, .. } => {
                let own = self.own[thread].iter().fold(0, |mask, queue| mask | self.agent_of_queue(*queue));
                own | self.writers(state, thread, *cell)
            }
            Kind::Write { cell, .. } => self.write_dependents(state, thread, *cell),
            Kind::Update { cell, .. } => {
                self.write_dependents(state, thread, *cell) | self.writers(state, thread, *cell)
            }
            Kind::Atomic(accesses) => accesses.iter().fold(0, |mask, access| {
                mask | match access {
                    Access::Read { cell, .. } => self.writers(state, thread, *cell),
                    Access::Write { cell, .. } => self.write_dependents(state, thread, *cell),
                    Access::Choice { .. } => 0,
                }
            }),
            Kind::Lock(monitor) | Kind::Resume(monitor, _) => self.users(state, thread, *monitor),
            Kind::Park => self.unparkers(state, thread),
            Kind::Unpark(other) => {
                if self.last_park[*other as usize] > state[*other as usize] {
                    1 << *other
                } else {
                    0
                }
            }
            _ => 0,
        }
    }

    fn users(&self, state: &[u32], thread: usize, monitor: u32) -> Mask {
        if monitor as usize >= self.monitors {
            return 0;
        }
        let uses = |other: &usize| self.last_use[other * self.monitors + monitor as usize] > state[*other];
        (0..self.threads).filter(|other| *other != thread).filter(uses).fold(0, |mask, other| mask | 1 << other)
    }

    fn unparkers(&self, state: &[u32], thread: usize) -> Mask {
        let unparks = |other: &usize| self.last_unpark[other * self.threads + thread] > state[*other];
        (0..self.threads).filter(unparks).fold(0, |mask, other| mask | 1 << other)
    }

    /// Agents that may interfere with what the target gets.
    fn target_dependents(&self, state: &[u32], thread: usize, kind: &Kind) -> Mask {
        if self.alternatives == Alternatives::Everything {
            return self.all();
        }
        let mut own = self.own[thread].iter().fold(0, |mask, queue| mask | self.agent_of_queue(*queue));
        for cell in (0..self.cells).filter(|cell| self.touched[*cell]) {
            own |= self.write_dependents(state, thread, cell as Cell) | self.writers(state, thread, cell as Cell);
        }
        match kind {
            Kind::Read { cell, .. } | Kind::Update { cell, .. } => own | self.writers(state, thread, *cell),
            Kind::Atomic(accesses) => accesses.iter().fold(own, |mask, access| match access {
                Access::Read { cell, .. } => mask | self.writers(state, thread, *cell),
                _ => mask,
            }),
            Kind::Lock(monitor) | Kind::Resume(monitor, _) => self.users(state, thread, *monitor),
            Kind::Park => self.unparkers(state, thread),
            _ => 0,
        }
    }

    fn all(&self) -> Mask {
        let agents = self.threads + self.queues.len();
        if agents >= MOST_AGENTS { Mask::MAX } else { (1 << agents) - 1 }
    }

    /// Agents one of which has to act before the thread can do its next event.
    fn needed(&self, state: &[u32], thread: usize) -> Mask {
        if state[self.flags(thread)] & STARTED == 0 {
            let starter = self.starters[thread];
            return if starter == NONE { 0 } else { 1 << starter };
        }
        let is_target = self.at_target(state, thread);
        let events = &self.trace.threads[thread].events;
        let Some(event) =
            events.get(state[thread] as usize).filter(|_| is_target || state[thread] < self.limits[thread])
        else {
            return 0;
        };
        if is_target {
            return self.target_dependents(state, thread, &event.kind) | self.needed_for(state, thread, &event.kind);
        }
        self.needed_for(state, thread, &event.kind)
    }

    fn needed_for(&self, state: &[u32], thread: usize, kind: &Kind) -> Mask {
        let load_fence = if matches!(kind, Kind::Read { .. }) { self.load_fence(state, thread) } else { 0 };
        let until = if kind.drains() { u32::MAX } else { load_fence };
        let mut behind =
            self.own[thread].iter().filter(|queue| self.head(state, **queue).is_some_and(|store| store.event < until));
        if let Some(queue) = behind.next() {
            return self.agent_of_queue(*queue);
        }
        match kind {
            Kind::Lock(monitor) if !self.may_lock(state, thread, *monitor) => self.holder(state, *monitor),
            Kind::Resume(monitor, _) if state[self.flags(thread)] & NOTIFIED == 0 => {
                self.users(state, thread, *monitor)
            }
            Kind::Resume(monitor, _) => self.holder(state, *monitor),
            Kind::Join(other) => self.end_of(state, *other as usize),
            Kind::Turn(others) => {
                let open = others.iter().find(|other| !self.is_over(state, **other as usize));
                open.map_or(0, |other| self.end_of(state, *other as usize))
            }
            Kind::Park => self.unparkers(state, thread),
            Kind::Read { cell, .. } => match self.pending(state, thread, *cell) {
                Some((queue, _)) => self.agent_of_queue(queue),
                None => self.writers(state, thread, *cell),
            },
            kind => match self.mismatch(state, thread, kind) {
                Some(NONE) | None => 0,
                Some(cell) => self.writers(state, thread, cell),
            },
        }
    }

    fn holder(&self, state: &[u32], monitor: u32) -> Mask {
        if monitor as usize >= self.monitors {
            return 0;
        }
        (state[self.monitor(monitor)] >> 16).checked_sub(1).map_or(0, |holder| 1 << holder)
    }

    fn end_of(&self, state: &[u32], thread: usize) -> Mask {
        if (state[thread] as usize) < self.trace.threads[thread].events.len() {
            return 1 << thread;
        }
        let mut open = self.own[thread].iter().filter(|queue| self.head(state, **queue).is_some());
        open.next().map_or(1 << thread, |queue| self.agent_of_queue(*queue))
    }

    /// Agents that can act now.
    fn enabled(&self, state: &[u32]) -> Mask {
        let mut mask = 0;
        for thread in 0..self.threads {
            let can = match self.next(state, thread) {
                Some(kind) => self.is_enabled(state, thread, kind),
                None => self.at_target(state, thread) && !self.labels(state, thread).is_empty(),
            };
            mask |= Mask::from(can) << thread;
        }
        for queue in 0..self.queues.len() {
            mask |= Mask::from(self.may_flush(state, queue)) << (self.threads + queue);
        }
        mask
    }

    /// A stubborn set that contains the agent, given which agents can act.
    fn closure(&self, state: &[u32], seed: usize, enabled: Mask) -> Mask {
        let mut set: Mask = 1 << seed;
        let mut open = set;
        while open != 0 {
            let agent = open.trailing_zeros() as usize;
            open &= open - 1;
            let can = enabled >> agent & 1 == 1;
            let more = if agent >= self.threads {
                self.beside_queue(state, agent - self.threads, can)
            } else if !can {
                self.needed(state, agent)
            } else if let Some(kind) = self.next(state, agent) {
                self.dependents(state, agent, kind)
            } else {
                let event = &self.trace.threads[agent].events[state[agent] as usize];
                self.target_dependents(state, agent, &event.kind)
            };
            open |= more & !set;
            set |= more;
        }
        set
    }

    fn beside_queue(&self, state: &[u32], queue: usize, can: bool) -> Mask {
        let thread = self.queues[queue].thread;
        match self.head(state, queue) {
            Some(store) if can => self.write_dependents(state, thread, store.cell),
            Some(store) => {
                let is_behind =
                    |other: &&usize| self.head(state, **other).is_some_and(|behind| behind.event < store.after);
                self.own[thread].iter().find(is_behind).map_or(0, |other| self.agent_of_queue(*other))
            }
            None if (state[self.flushed(queue)] as usize) < self.queues[queue].stores.len() => 1 << thread,
            None => 0,
        }
    }

    /// The agents whose steps are tried.
    fn tried(&self, state: &[u32], enabled: Mask) -> Mask {
        if self.threads + self.queues.len() > MOST_AGENTS {
            return enabled;
        }
        let mut best = enabled;
        let mut open = enabled;
        while open != 0 && best.count_ones() > 1 {
            let seed = open.trailing_zeros() as usize;
            open &= open - 1;
            let set = self.closure(state, seed, enabled) & enabled;
            if set.count_ones() < best.count_ones() {
                best = set;
            }
        }
        best
    }

    /// Tries the steps from a state. `next` is only lent.
    fn expand(&self, walk: &mut Walk, number: u32, next: &mut Vec<u32>) {
        let state = walk.stored(number).to_vec();
        if self.is_hopeless(&state, walk) {
            return;
        }
        let enabled = self.enabled(&state);
        if enabled == 0 {
            self.end(walk, number, &state);
            return;
        }
        let mut tried = self.tried(&state, enabled);
        while tried != 0 {
            let agent = tried.trailing_zeros() as usize;
            tried &= tried - 1;
            next.clone_from(&state);
            if agent >= self.threads {
                let queue = agent - self.threads;
                let Some(store) = self.head(&state, queue) else { continue };
                walk.steps.push(Step::Flush(self.queues[queue].thread as u32, store.cell));
                self.flush(next, queue);
                self.go(walk, number, next);
            } else if let Some(kind) = self.next(&state, agent) {
                walk.steps.push(Step::Event(agent as u32));
                self.happen(next, agent, kind);
                self.go(walk, number, next);
            } else {
                for label in self.labels(&state, agent) {
                    if walk.wanted.as_ref().is_some_and(|wanted| !wanted.contains(&label)) {
                        continue;
                    }
                    next.clone_from(&state);
                    walk.steps.push(Step::Event(agent as u32));
                    self.happen_otherwise(next, agent, label);
                    self.go(walk, number, next);
                }
            }
        }
    }

    /// Whether the target cannot get a value any more that is wanted.
    fn is_hopeless(&self, state: &[u32], walk: &Walk) -> bool {
        let (Some(wanted), Some((thread, event))) = (&walk.wanted, self.target) else { return false };
        if let Some(label) = state[self.taken()].checked_sub(1) {
            return !wanted.contains(&label);
        }
        let cell = match &self.trace.threads[thread as usize].events[event as usize].kind {
            Kind::Read { cell, .. } | Kind::Update { cell, .. } => *cell,
            Kind::Atomic(accesses) => match accesses.first() {
                Some(Access::Read { cell, .. }) => *cell,
                _ => return false,
            },
            _ => return false,
        };
        !wanted.contains(&self.held(state, cell)) && !self.may_come(state, cell, wanted)
    }

    /// Whether a cell may still get one of these values.
    fn may_come(&self, state: &[u32], cell: Cell, wanted: &[Value]) -> bool {
        let is_wanted = |(other, value): (Cell, Value)| other == cell && wanted.contains(&value);
        let mut queues = self.queues.iter().enumerate();
        let in_queues = queues.any(|(number, queue)| {
            let rest = &queue.stores[state[self.flushed(number)] as usize..];
            rest.iter().any(|store| is_wanted((store.cell, store.value)))
        });
        in_queues
            || (0..self.threads).any(|thread| {
                let last = self.last_write[thread * self.cells + cell as usize];
                let events = &self.trace.threads[thread].events;
                let range = (state[thread].min(last) as usize)..(last as usize);
                events[range].iter().any(|event| match &event.kind {
                    Kind::Write { cell, value, .. } | Kind::Update { cell, written: Some(value), .. } => {
                        is_wanted((*cell, *value))
                    }
                    Kind::Atomic(accesses) => accesses.iter().any(|access| match access {
                        Access::Write { cell, value } => is_wanted((*cell, *value)),
                        _ => false,
                    }),
                    _ => false,
                })
            })
    }

    fn go(&self, walk: &mut Walk, from: u32, state: &mut [u32]) {
        self.settle(state, &mut walk.steps);
        walk.add(state, from);
    }

    /// Nothing is possible any more.
    fn end(&self, walk: &mut Walk, number: u32, state: &[u32]) {
        let label = state[self.taken()];
        let is_end = match self.target {
            Some(_) => label != 0,
            None => (0..self.threads).all(|thread| self.is_at_rest(state, thread)),
        };
        if !is_end {
            return;
        }
        let positions = (0..self.threads).map(|thread| match state[self.flags(thread)] & STARTED {
            0 => NONE,
            _ => state[thread],
        });
        let positions: Vec<u32> = positions.collect();
        let label = label.wrapping_sub(1);
        if let (Some(wanted), true) = (&mut walk.wanted, positions == self.bounds) {
            wanted.retain(|value| *value != label);
        }
        let memory = self.memory();
        let memory = if self.keeps_memory { state[memory..memory + self.cells].to_vec() } else { Vec::new() };
        walk.found.ends.push(EndState { state: number, positions, label, memory });
    }

    /// Whether a thread really cannot go on: it is over or failed, or it waits for another.
    fn is_at_rest(&self, state: &[u32], thread: usize) -> bool {
        let of = &self.trace.threads[thread];
        let is_started = state[self.flags(thread)] & STARTED != 0;
        let Some(event) = of.events.get(state[thread] as usize).filter(|_| is_started) else { return true };
        match self.awaits(state, thread) {
            Some(step) => self.waits(state, thread, &event.kind, &step.alternatives),
            None => !self.is_free(state, thread, &event.kind),
        }
    }

    /// The atomic step that a thread comes to next, if it could wait there for ever.
    fn awaits(&self, state: &[u32], thread: usize) -> Option<&Awaited> {
        self.awaited.iter().find(|step| step.thread as usize == thread && step.event == state[thread])
    }

    /// Whether an atomic step waits with what its cells hold. One that depends on more than one value may.
    fn waits(&self, state: &[u32], thread: usize, kind: &Kind, alternatives: &Alternatives) -> bool {
        let Alternatives::Listed(listed) = alternatives else { return true };
        let cell = match kind {
            Kind::Read { cell, .. } => *cell,
            Kind::Atomic(accesses) => match accesses.first() {
                Some(Access::Read { cell, .. }) => *cell,
                _ => return true,
            },
            _ => return true,
        };
        let seen = self.seen(state, thread, cell);
        !listed.iter().any(|other| other.value == seen)
    }
}
