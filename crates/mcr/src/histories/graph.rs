//! Untried branches of a class, by listing the states of the machine that executions of the class go through.
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

mod layout;
mod plan;
mod state;
mod stubborn;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use operational::memory::Machine;

use super::history::{Label, NONE};
use super::id::{ThreadId, TraceCell};
use super::project::Alternatives;
use super::trace::{Access, Escape, Kind, Step, Trace, Value, first_read};

use layout::Words;
use plan::{Plan, agents};

type Mask = u128;

/// After so many states is looked whether to stop.
const POLL: u32 = 64;
/// With more agents than this no states are listed.
const MOST_AGENTS: usize = 128;

/// What is looked for.
#[derive(Clone, Debug)]
pub enum Goal {
    /// What the thread's event could get instead.
    Escape {
        /// Whose.
        thread: ThreadId,
        /// Its place.
        event: u32,
        /// What it could be.
        alternatives: Alternatives,
        /// Only these values, if it gets a value; `None` for all.
        wanted: Option<Vec<Label>>,
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
    pub thread: ThreadId,
    /// Its place.
    pub event: u32,
    /// With which values it happens.
    pub alternatives: Alternatives,
}

/// What was found of a class.
#[derive(Debug, Default)]
pub struct ExploredClass {
    /// The end states.
    pub ends: Vec<EndState>,
    /// How many states were looked at.
    pub states: u64,
    /// For each state the one before, and where the steps to it end.
    links: Vec<(u32, u32)>,
    steps: Vec<Step>,
    goal: Option<(ThreadId, u32)>,
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

impl EndState {
    /// An end that was not found here.
    pub(super) fn at(positions: Vec<u32>, label: u32) -> EndState {
        EndState { state: 0, positions, label, memory: Vec::new() }
    }
}

/// Lists the end states; `None` if there are more states than that on the way, or if it was interrupted. The walk is only lent: it is used again and
/// again because it is large.
pub fn explore(trace: &Trace, machine: Machine, goal: &Goal, most: usize, walk: &mut Walk) -> Option<ExploredClass> {
    if trace.threads.len() > MOST_AGENTS {
        return None;
    }
    let plan = Plan::new(trace, machine, goal);
    if plan.threads + plan.queues.len() > MOST_AGENTS {
        return None;
    }
    walk.clear(&plan);
    let mut state = std::mem::take(&mut walk.state);
    plan.start(&mut state);
    plan.run_unnoticed(&mut state, &mut walk.steps);
    walk.add(&state, NONE);
    let mut tried = 0;
    while let Some(number) = walk.open.pop() {
        tried += 1;
        let is_stopped = tried % POLL == 1 && walk.interrupt.load(Ordering::Relaxed);
        if is_stopped || walk.found.links.len() > most {
            return None;
        }
        plan.expand(walk, number, &mut state);
    }
    walk.state = state;
    walk.found.states = walk.found.links.len() as u64;
    Some(std::mem::take(&mut walk.found))
}

impl ExploredClass {
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
            return Escape { steps, thread: ThreadId::NONE, event: 0, label: 0, after: Vec::new() };
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
    found: ExploredClass,
    /// The states, one after the other.
    states: Vec<u32>,
    width: usize,
    /// An open-addressing table of state numbers plus one; 0 is empty. Its length is a power of two.
    slots: Vec<u32>,
    /// Those that were not tried yet.
    open: Vec<u32>,
    /// The values that the target still may get, if that is known.
    wanted: Option<Vec<Label>>,
    /// The state that is worked on, and the steps to it.
    state: Vec<u32>,
    steps: Vec<Step>,
    interrupt: Arc<AtomicBool>,
}

impl Walk {
    /// A walk that ends soon after this becomes true.
    pub fn until(interrupt: Arc<AtomicBool>) -> Walk {
        Walk { interrupt, ..Walk::default() }
    }

    fn clear(&mut self, plan: &Plan) {
        self.found = ExploredClass { goal: plan.target, ..ExploredClass::default() };
        self.states.clear();
        self.width = plan.layout.width();
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

impl Plan<'_> {
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
                walk.steps.push(Step::Flush(ThreadId::at(self.queues[queue].thread), store.cell));
                self.flush(next, queue);
                self.go(walk, number, next);
            } else if let Some(kind) = self.next(&state, agent) {
                walk.steps.push(Step::Event(ThreadId::at(agent)));
                self.happen(next, agent, kind);
                self.go(walk, number, next);
            } else {
                for label in self.labels(&state, agent) {
                    if walk.wanted.as_ref().is_some_and(|wanted| !wanted.contains(&label)) {
                        continue;
                    }
                    next.clone_from(&state);
                    walk.steps.push(Step::Event(ThreadId::at(agent)));
                    self.happen_otherwise(next, agent, label);
                    self.go(walk, number, next);
                }
            }
        }
    }

    /// Whether the target cannot get a value any more that is wanted.
    fn is_hopeless(&self, state: &Words, walk: &Walk) -> bool {
        let (Some(wanted), Some((thread, event))) = (&walk.wanted, self.target) else { return false };
        if let Some(label) = self.layout.taken(state) {
            return !wanted.contains(&label);
        }
        if let Alternatives::Blocks { free, listed } = &self.alternatives {
            let may_be_given = |cell: TraceCell| {
                self.held(state, cell) == *free || self.may_come(state, cell, &|value| value == *free)
            };
            let is_open =
                |label: &u32, cell: Option<TraceCell>| wanted.contains(label) && cell.is_none_or(may_be_given);
            return !listed.iter().any(|(label, cell)| is_open(label, *cell));
        }
        let kind = &self.trace.threads[thread.index()].events[event as usize].kind;
        let Some((cell, _)) = first_read(kind) else { return false };
        let is_wanted = |value: Value| wanted.contains(&value.0);
        !is_wanted(self.held(state, cell)) && !self.may_come(state, cell, &is_wanted)
    }

    /// Whether a cell may still get one of these values.
    fn may_come(&self, state: &Words, cell: TraceCell, is_one: &dyn Fn(Value) -> bool) -> bool {
        let is_wanted = |(other, value): (TraceCell, Value)| other == cell && is_one(value);
        agents(self.writers[cell.index()]).any(|agent| match agent.checked_sub(self.threads) {
            Some(queue) => {
                let rest = &self.queues[queue].stores[self.layout.flushed(state, queue) as usize..];
                rest.iter().any(|store| is_wanted((store.cell, store.value)))
            }
            None => {
                let thread = agent;
                let last = self.last_write[thread * self.cells + cell.index()];
                let events = &self.trace.threads[thread].events;
                let range = (self.layout.position(state, thread).min(last) as usize)..(last as usize);
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
            }
        })
    }

    fn go(&self, walk: &mut Walk, from: u32, state: &mut Words) {
        self.run_unnoticed(state, &mut walk.steps);
        walk.add(state, from);
    }

    /// Nothing is possible any more.
    fn end(&self, walk: &mut Walk, number: u32, state: &Words) {
        let taken = self.layout.taken(state);
        let is_end = match self.target {
            Some(_) => taken.is_some(),
            None => (0..self.threads).all(|thread| self.is_at_rest(state, thread)),
        };
        if !is_end {
            return;
        }
        let positions = (0..self.threads).map(|thread| match self.layout.is_started(state, thread) {
            false => NONE,
            true => self.layout.position(state, thread),
        });
        let positions: Vec<u32> = positions.collect();
        let label = taken.unwrap_or(NONE);
        if let (Some(wanted), true) = (&mut walk.wanted, positions == self.bounds) {
            wanted.retain(|value| *value != label);
        }
        let memory = if self.keeps_memory { self.layout.memory_of(state) } else { Vec::new() };
        walk.found.ends.push(EndState { state: number, positions, label, memory });
    }

    /// Whether a thread really cannot go on: it is over or failed, or it waits for another.
    fn is_at_rest(&self, state: &Words, thread: usize) -> bool {
        let of = &self.trace.threads[thread];
        let is_started = self.layout.is_started(state, thread);
        let Some(event) = of.events.get(self.layout.position(state, thread) as usize).filter(|_| is_started) else {
            return true;
        };
        match self.awaits(state, thread) {
            Some(step) => self.waits(state, thread, &event.kind, &step.alternatives),
            None => !self.is_free(state, thread, &event.kind),
        }
    }

    /// The atomic step that a thread comes to next, if it could wait there for ever.
    fn awaits(&self, state: &Words, thread: usize) -> Option<&Awaited> {
        self.awaited
            .iter()
            .find(|step| step.thread.index() == thread && step.event == self.layout.position(state, thread))
    }

    /// Whether an atomic step waits with what its cells hold. One that depends on more than one value may.
    fn waits(&self, state: &Words, thread: usize, kind: &Kind, alternatives: &Alternatives) -> bool {
        let Alternatives::Listed(listed) = alternatives else { return true };
        let Some((cell, _)) = first_read(kind) else { return true };
        let seen = self.seen(state, thread, cell);
        !listed.iter().any(|other| other.value == seen)
    }
}
