//! Data races: two accesses of one cell by different threads, one of them a write, one of them not atomic, that
//! happens-before does not order in some execution of a machine; usually sc.
//!
//! The search looks at all executions of the machine with happens-before as vector clocks. States are equal when
//! program states are and the clocks compare alike, so that a pair of statements is reported if and only if some execution
//! has the race. In which direction this errs: the orders of atomic accesses matter for what happens-before what, but
//! values are those of sequential consistency, so a race that only weaker executions have is not found; if there is none
//! here, a program without relaxed atomics has none at all (that is what both languages promise). Consume counts as
//! acquire. Accesses in an atomic block are atomic, and order threads as seq_cst ones do. Giving memory back is not an access, but who
//! gives a block back comes before who gets it next, and what is allocated again is a new object: an access to it does not race with one
//! to the old object, and gets nothing that was released there. Races of executions that an `assume` ends are not reported if it ends
//! them in the same step.
//!
//! On tso and pso a write races from when it is issued, and who reads it comes after what it releases from when it is in memory. Every
//! execution of sc is one of tso, and each of tso one of pso, so each has the races of those before. Fences that the orders of C11 are
//! compiled to order nothing by the rules of the language.
//!
//! Java's model lets programs with data races have executions that are not sequentially consistent, and these may have more races (JPR,
//! Fig. 13). [`beyond`] looks for them on the machines jmm_under, where what is found is so, and jmm_over, where it is possible:
//! there an access counts once every write has come that was foreseen.
//!
//! The search is fair: it begins with the states that cost least to come to (as `shallow` counts), and even when it goes for
//! the farthest ones, because that needs the least memory, looks at the cheapest now and then. So a race that is near is found
//! beside a thread that runs for ever.

use std::collections::BTreeMap;
use std::rc::Rc;

use program::{Access, EventKind, Order, Program, RacyAccess, Span, Unsupported, Verified};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::arrivals::{Arrival, Arrivals};
use crate::choices::Choices;
use crate::fixpoint;
pub use crate::happens_before::Rules;
use crate::happens_before::{Clocks, Pair, Record};
use crate::interpret::{Interpreter, Stop};
use crate::limits::Limits;
use crate::memory::{Machine, WHETHER_FREE};
use crate::observer::{MemoryEvent, Observer, Sync, Via};
use crate::replay::thread_name;
use crate::schedule::{Move, Relaxation, Schedule};
use crate::search::shallow::{LAYER, PREEMPTION};
use crate::search::{Reduction, Runner};
use crate::state::{State, Thread};
use crate::store::Store;
use crate::turn::{Action, run_setup, setup_once};
use crate::word::{Address, Words};

/// All races of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Races {
    /// One for each two statements and sorts of access.
    pub races: Vec<Race>,
    /// States looked at.
    pub states: u64,
    /// Why there may be more, if so.
    pub incomplete: Option<String>,
}

/// A race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The name of the cell.
    pub cell: String,
    /// The access that came first in the execution found.
    pub first: RacyAccess,
    /// The other.
    pub second: RacyAccess,
    /// The machine that has the execution found.
    pub machine: Machine,
    /// The execution found.
    pub schedule: Schedule,
    /// How it is to be run.
    pub reduction: Reduction,
}

/// All races of the program on one of the machines sc, tso and pso.
pub fn races(program: &Verified, machine: Machine, rules: Rules, limits: &Limits) -> Result<Races, Unsupported> {
    let mut runner = Runner::new(program, machine, Reduction::Persistent, limits);
    if machine.has_buffers() && runner.interpreter.frees {
        // Whether a store is issued before its block is allocated again makes a difference here, so it is a step.
        runner = Runner::new(program, machine, Reduction::Own, limits);
    }
    hunted(runner, rules, limits, BTreeMap::new(), None)
}

/// Races of a Java program on jmm_under or jmm_over that are not among those known.
pub fn beyond(program: &Verified, known: &[Race], machine: Machine, limits: &Limits) -> Result<Races, Unsupported> {
    let found = known.iter().map(|race| (race.places(), None)).collect();
    let (runner, relaxation) = match machine {
        Machine::JmmOver => match fixpoint::settled(program, limits)? {
            Ok((runner, relaxation)) => (runner, Some(relaxation)),
            Err(reason) => return Ok(Races { races: Vec::new(), states: 0, incomplete: Some(reason) }),
        },
        _ => (Runner::new(program, machine, Reduction::Persistent, limits), None),
    };
    hunted(runner, Rules::Jmm, limits, found, relaxation)
}

/// Races on a machine beside those whose places are known.
fn hunted(
    mut runner: Runner<'_>,
    rules: Rules,
    limits: &Limits,
    found: BTreeMap<Places, Option<Race>>,
    relaxation: Option<Relaxation>,
) -> Result<Races, Unsupported> {
    runner.interpreter.holds_errors = false;
    let mut hunt = Hunt {
        runner,
        relaxation,
        limits,
        store: Store::new(),
        clock_ids: FxHashMap::default(),
        clock_bytes: 0,
        seen: FxHashSet::default(),
        arrivals: Arrivals::default(),
        open: BTreeMap::new(),
        waiting: 0,
        found,
        incomplete: None,
    };
    hunt.run(rules)?;
    let incomplete = hunt.incomplete.or(hunt.runner.interpreter.endless);
    let races = hunt.found.into_values().flatten().collect();
    Ok(Races { races, states: hunt.seen.len() as u64, incomplete })
}

impl Race {
    /// What tells it from others.
    fn places(&self) -> Places {
        let place = |access: &RacyAccess| {
            let thread = if access.span.is_none() { access.thread.clone() } else { String::new() };
            (access.span, access.writes, thread)
        };
        let mut places = [place(&self.first), place(&self.second)];
        places.sort();
        places
    }
}

/// The races of the last move of a schedule with what came before; on jmm_over, where accesses count later, of all moves. None if it
/// does not fit the program.
pub fn of_last_move(
    program: &Verified,
    rules: Rules,
    (machine, reduction): (Machine, Reduction),
    schedule: &Schedule,
    limits: &Limits,
) -> Vec<Race> {
    let is_over = machine == Machine::JmmOver;
    let runner = match is_over {
        true => fixpoint::before(program, reduction, schedule, limits).ok(),
        false => Some(Runner::new(program, machine, reduction, limits)),
    };
    let Some(mut runner) = runner else { return Vec::new() };
    let mut setup = Choices::given(schedule.setup.clone());
    let Ok(mut state) = setup_once(&mut runner.interpreter, &mut setup) else { return Vec::new() };
    let mut watch = Watch::new(program, Clocks::new(rules, state.threads.len()));
    let moves = schedule.moves.iter().map(|taken| (Some(taken.action), &taken.choices));
    for (action, choices) in [(None, &schedule.start)].into_iter().chain(moves) {
        if !is_over {
            watch.pairs.clear();
        }
        if action.is_some_and(|action| !runner.interpreter.actions(&state).contains(&action)) {
            return Vec::new();
        }
        if runner.advance(&mut state, action, &mut Choices::given(choices.clone()), &mut watch).is_err() {
            break;
        }
    }
    let mut found: BTreeMap<Places, Race> = BTreeMap::new();
    for (pair, of) in &watch.pairs {
        let race = race(&runner.interpreter, pair, *of, (schedule.clone(), reduction));
        found.entry(places(program, pair)).or_insert(race);
    }
    found.into_values().collect()
}

/// A state that is still to be looked at.
struct Open {
    id: u32,
    state: State,
    clocks: Clocks,
    /// Races that count once every write has come that was foreseen, each with the number of the name of the block.
    pending: Pending,
    depth: usize,
    /// What it costs to come here.
    cost: u32,
    /// The thread that went last.
    last: Option<usize>,
}

/// So many states are looked at in the order of cost first,
const CHEAP_FIRST: u64 = 1 << 14;
/// and later one in so many.
const CHEAP_SHARE: u64 = 32;
/// About how many bytes a state takes that waits to be looked at.
const BYTES_OF_OPEN_STATE: u64 = 1024;

/// The two statements of a race, each with whether it writes; and with its thread, if it has no place.
pub type Places = [(Option<Span>, bool, String); 2];

type Pending = Vec<(Pair, u32)>;

struct Hunt<'a> {
    runner: Runner<'a>,
    /// On the machine jmm_over: what is known.
    relaxation: Option<Relaxation>,
    limits: &'a Limits,
    store: Store,
    clock_ids: FxHashMap<Box<[u32]>, u32>,
    clock_bytes: u64,
    seen: FxHashSet<(u32, u32)>,
    arrivals: Arrivals,
    /// The states that are still to be looked at, by cost, in layers.
    open: BTreeMap<u32, Vec<Open>>,
    /// How many these are.
    waiting: u64,
    /// None of those that were known before.
    found: BTreeMap<Places, Option<Race>>,
    incomplete: Option<String>,
}

impl Hunt<'_> {
    fn run(&mut self, rules: Rules) -> Result<(), Unsupported> {
        let starts = match run_setup(&mut self.runner.interpreter) {
            Ok(starts) => starts,
            Err(halt) => return self.halted(halt.stop),
        };
        for (setup, state) in starts {
            let clocks = Clocks::new(rules, state.threads.len());
            let mut choices = Choices::default();
            loop {
                let start = |start: Vec<u32>| Arrival::Start { setup: setup.clone(), start };
                let (state, clocks, pending) = (state.clone(), clocks.clone(), Vec::new());
                let first = Open { id: 0, state, clocks, pending, depth: 0, cost: 0, last: None };
                let next = self.try_move(&first, None, &mut choices, start)?;
                self.put_off(next);
                if !choices.next_combination() {
                    break;
                }
            }
        }
        let mut looked_at = 0u64;
        while let Some(open) = self.next_open(looked_at) {
            looked_at += 1;
            if looked_at.is_multiple_of(64) && self.is_exhausted() {
                return Ok(());
            }
            self.expand(&open)?;
        }
        Ok(())
    }

    /// The state that is looked at next.
    fn next_open(&mut self, looked_at: u64) -> Option<Open> {
        let is_cheap = looked_at < CHEAP_FIRST || looked_at.is_multiple_of(CHEAP_SHARE) || self.limits.bounds_depth();
        loop {
            let mut layer = if is_cheap { self.open.first_entry()? } else { self.open.last_entry()? };
            if let Some(open) = layer.get_mut().pop() {
                self.waiting -= 1;
                return Some(open);
            }
            layer.remove();
        }
    }

    fn put_off(&mut self, open: impl IntoIterator<Item = Open>) {
        // Where depth is bounded a state must be met by the shortest way.
        let width = if self.limits.bounds_depth() { 1 } else { LAYER };
        for open in open {
            self.waiting += 1;
            self.open.entry(open.cost / width).or_default().push(open);
        }
    }

    /// Takes all moves that are possible in a state, those of the thread that went last first.
    fn expand(&mut self, open: &Open) -> Result<(), Unsupported> {
        if open.depth >= self.limits.depth {
            self.incomplete = Some(format!("an execution has more than {} steps", self.limits.depth));
            return Ok(());
        }
        let mut actions = self.runner.interpreter.actions(&open.state);
        let is_last = |action: Action| open.last.is_some_and(|last| action == Action::Step(last));
        actions.sort_by_key(|action| !is_last(*action));
        let mut found = Vec::new();
        for action in actions {
            let goes_on = found.iter().any(|next: &Open| next.last == open.last);
            let is_preemption = goes_on && !is_last(action) && !self.limits.bounds_depth();
            let price = if is_preemption { 1 + PREEMPTION } else { 1 };
            let mut choices = Choices::default();
            loop {
                let after = |choices| Arrival::After(open.id, Move { action, choices });
                let next = self.try_move(open, Some(action), &mut choices, after)?;
                found.extend(next.map(|next| Open { cost: open.cost.saturating_add(price), ..next }));
                if !choices.next_combination() {
                    break;
                }
            }
        }
        // What is put off last is looked at first.
        self.put_off(found.into_iter().rev());
        Ok(())
    }

    /// Takes a move, and gives the state after it if that is new.
    fn try_move(
        &mut self,
        before: &Open,
        action: Option<Action>,
        choices: &mut Choices,
        arrival: impl Fn(Vec<u32>) -> Arrival,
    ) -> Result<Option<Open>, Unsupported> {
        let mut state = before.state.clone();
        let mut watch = Watch::new(self.runner.interpreter.program, before.clocks.clone());
        let result = self.runner.advance(&mut state, action, choices, &mut watch);
        let Watch { pairs, clocks, .. } = watch;
        let arrival = arrival(choices.taken().to_vec());
        let mut pending = before.pending.clone();
        if !matches!(&result, Err(halt) if matches!(halt.stop, Stop::Dropped | Stop::Waits(_))) {
            pending.extend(pairs);
            pending.retain(|(pair, _)| !self.found.contains_key(&places(self.runner.interpreter.program, pair)));
            if state.history.as_ref().is_none_or(|history| history.is_justified()) {
                pending.drain(..).for_each(|(pair, of)| self.report(&pair, of, &arrival));
            }
        }
        if let Err(halt) = result {
            return self.halted(halt.stop).map(|()| None);
        }
        let last = match action {
            Some(Action::Step(thread)) => Some(thread),
            _ => before.last,
        };
        let depth = before.depth + usize::from(action.is_some());
        let arrived = self.arrive(state, clocks, &pending, arrival);
        Ok(arrived.map(|(id, state, clocks)| Open { id, state, clocks, pending, depth, cost: 0, last }))
    }

    fn halted(&mut self, stop: Stop) -> Result<(), Unsupported> {
        match stop {
            Stop::Unsupported(unsupported) => return Err(unsupported),
            Stop::Limit(reason) => self.incomplete = Some(reason),
            // An execution may end in an error or wait; what came before it was looked at.
            Stop::Waits(_) | Stop::Failed(_) | Stop::Dropped => {}
        }
        Ok(())
    }

    /// The number of a state, if it is new, with the clocks that count.
    fn arrive(
        &mut self,
        state: State,
        mut clocks: Clocks,
        pending: &Pending,
        arrival: Arrival,
    ) -> Option<(u32, State, Clocks)> {
        clocks.simplify(&state.live());
        let (id, _) = self.store.insert(&state);
        let mut key = clocks.key();
        for (span, writes, _) in pending.iter().flat_map(|(pair, _)| places(self.runner.interpreter.program, pair)) {
            key.extend(span.map_or([u32::MAX; 4], |span| [span.file.0, span.start, span.end, u32::from(writes)]));
        }
        let key: Box<[u32]> = key.into();
        let next = self.clock_ids.len() as u32;
        let bytes = 4 * key.len() as u64 + 48;
        let clock = *self.clock_ids.entry(key).or_insert(next);
        if clock == next {
            self.clock_bytes += bytes;
        }
        let number = self.seen.len() as u32;
        if !self.seen.insert((id.0, clock)) {
            return None;
        }
        self.arrivals.push(arrival);
        Some((number, state, clocks))
    }

    fn is_exhausted(&mut self) -> bool {
        let states = self.store.state_bytes() + self.store.shared_bytes() + self.clock_bytes + self.arrivals.bytes();
        let bytes = states + 24 * self.seen.len() as u64 + BYTES_OF_OPEN_STATE * self.waiting;
        let bytes = if self.store.is_full() { u64::MAX } else { bytes };
        let reason = self.limits.exceeded(self.seen.len() as u64, bytes);
        let is_exhausted = reason.is_some();
        self.incomplete = reason.or(self.incomplete.take());
        is_exhausted
    }

    /// Keeps a race; `of` is the number of the name of the block.
    fn report(&mut self, pair: &Pair, of: u32, arrival: &Arrival) {
        let places = places(self.runner.interpreter.program, pair);
        if self.found.contains_key(&places) {
            return;
        }
        let schedule = Schedule { relaxation: self.relaxation, ..self.arrivals.schedule(arrival) };
        let schedule = (schedule, self.runner.reduction());
        self.found.insert(places, Some(race(&self.runner.interpreter, pair, of, schedule)));
    }
}

/// What tells races apart.
pub fn places(program: &Program, pair: &Pair) -> Places {
    let place = |access: &Record| {
        let thread = if access.span.is_none() { thread_name(program, access.thread) } else { String::new() };
        (access.span, access.writes, thread)
    };
    let mut places = [place(&pair.first), place(&pair.second)];
    places.sort();
    places
}

/// The race of two accesses; `of` is the number of the name of the block.
pub fn race(interpreter: &Interpreter, pair: &Pair, of: u32, found: (Schedule, Reduction)) -> Race {
    let program = interpreter.program;
    let access = |access: &Record| {
        let stack = access.stack.iter();
        RacyAccess {
            thread: thread_name(program, access.thread),
            writes: access.writes,
            span: access.span,
            stack: stack.map(|(function, span)| (program.function(*function).name.clone(), *span)).collect(),
        }
    };
    let (schedule, reduction) = found;
    let (cell, machine) = (interpreter.cell_in_words(pair.cell, of), interpreter.machine);
    Race { cell, first: access(&pair.first), second: access(&pair.second), machine, schedule, reduction }
}

/// The active calls of a thread, innermost first: the function, and where it was called from.
fn call_stack(program: &Program, thread: &Thread) -> Vec<(program::FunctionId, Option<Span>)> {
    let caller = |depth: usize| {
        let frame = thread.frames.get(depth.checked_sub(1)?)?;
        let block = &program[frame.function][frame.block];
        block.instructions.get(frame.next as usize)?.span
    };
    (0..thread.frames.len()).rev().map(|depth| (thread.frames[depth].function, caller(depth))).collect()
}

/// Keeps the clocks while steps are taken.
pub struct Watch<'a> {
    clocks: Clocks,
    /// What races; each with the number of the name of the block.
    pub pairs: Vec<(Pair, u32)>,
    program: &'a Program,
    in_atomic: bool,
}

impl<'a> Watch<'a> {
    /// Watches an execution with these clocks.
    pub fn new(program: &'a Program, clocks: Clocks) -> Watch<'a> {
        Watch { clocks, pairs: Vec::new(), program, in_atomic: false }
    }

    fn passes_on(&mut self, kind: EventKind, thread: usize, allocation: u32) {
        let cell = Some(Address { allocation, path: WHETHER_FREE });
        self.clocks.event(thread, kind, cell, &Access::plain(), Via::Memory);
    }

    fn access(&mut self, event: &MemoryEvent, address: Address, state: &State) {
        let MemoryEvent { thread, kind, access, span, via, .. } = *event;
        let is_update = matches!(via, Via::Update | Via::Exclusive);
        let atomic = access.order != Order::Plain || is_update || self.in_atomic;
        let stack = Rc::new(call_stack(self.program, &state.threads[thread]));
        let (period, writes) = (self.clocks.period(thread), kind == EventKind::Write);
        let record = Record { thread, period, writes, atomic, span, stack };
        let of = state.heap.get(address.allocation as usize).map_or(u32::MAX, |block| block.name);
        self.pairs.extend(self.clocks.access(address, record).into_iter().map(|pair| (pair, of)));
    }
}

impl Observer for Watch<'_> {
    fn event(&mut self, event: MemoryEvent, state: &State, _: &Words) {
        // An access comes after what it acquires, and before what it releases.
        if let (EventKind::Write, Some(address)) = (event.kind, event.cell) {
            self.access(&event, address, state);
        }
        let in_block = Access { order: Order::SeqCst, ..event.access.clone() };
        let access = if self.in_atomic { &in_block } else { event.access };
        self.clocks.event(event.thread, event.kind, event.cell, access, event.via);
        if let (EventKind::Read, Some(address)) = (event.kind, event.cell) {
            self.access(&event, address, state);
        }
    }

    fn sync(&mut self, sync: Sync) {
        self.clocks.sync(sync);
    }

    fn flush(&mut self, thread: usize, index: usize, _: &State) {
        self.clocks.flush(thread, index);
    }

    fn atomic(&mut self, _: usize, begins: bool) {
        self.in_atomic = begins;
    }

    fn renumbered(&mut self, numbers: &[u32]) {
        let number = |address: Address| {
            let allocation = numbers.get(address.allocation as usize).copied().unwrap_or(u32::MAX);
            (allocation != u32::MAX).then_some(Address { allocation, ..address })
        };
        self.clocks.renumber(&number, &mut |word| word);
    }

    fn allocated(&mut self, allocation: u32) {
        self.clocks.allocated(allocation);
    }

    // Who gives a block back comes before who gets it next: as if the block had a monitor for that.
    fn freed(&mut self, thread: usize, allocation: u32, _: Option<Span>) {
        self.passes_on(EventKind::Unlock, thread, allocation);
    }

    fn given(&mut self, thread: usize, allocation: u32, is_new: bool, _: Option<Span>) {
        if !is_new {
            self.passes_on(EventKind::Lock, thread, allocation);
            self.clocks.allocated(allocation);
        }
    }
}
