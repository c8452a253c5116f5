//! Executions that go wrong early: a search that takes states in the order of what it costs to come to them.
//!
//! A depth-first search can follow one endless execution and never come to a failure that is two steps from the start. Here a
//! step costs one, and a preemption (another thread goes although the last one could go on) [`PREEMPTION`] more: executions
//! that are short and have few preemptions come first (Musuvathi and Qadeer, "Iterative context bounding for systematic testing
//! of multithreaded programs", 2007). Only finitely many executions cost less than any given number, so that every failure
//! is found some day, whatever else runs for ever. Before that some single executions are run in which threads take turns: each
//! goes as long as it can, but not for ever.
//!
//! In which direction this errs: it finds only executions of the machine, but that it finds nothing says nothing. In
//! particular it sees only rarely that threads stay in loops for ever. Complete searches let it work for a share of their
//! own steps.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::arrivals::{Arrival, Arrivals};
use crate::choices::Choices;
use crate::interpret::Stop;
use crate::limits::Limits;
use crate::observer::Nobody;
use crate::schedule::{Move, Schedule};
use crate::search::starved::starved;
use crate::search::{Next, Runner, Trouble, Visitor};
use crate::state::State;
use crate::store::{StateId, Store};
use crate::turn::{Action, Halt, run_setup};

/// What it costs to let another thread go although the last one could go on.
pub(crate) const PREEMPTION: u32 = 64;
/// States of which the costs differ by less are looked at as they come, the last one first.
pub(crate) const LAYER: u32 = 64;
/// How many single executions are run.
const RUNS: usize = 4;
/// How many moves a single execution may have,
const LONGEST_RUN: usize = 2_000;
/// after how many it is asked whether threads wait for ever,
const SHORT_RUN: usize = 16;
/// and how many a thread takes before the next one goes.
const LONGEST_TURN: usize = 100;
/// It is asked whether threads wait for ever in one of so many states (they do so in all that come after it, too),
const RARELY: u64 = 32;
/// and where a thread waits, in so many states in which the threads are at the same places.
const OFTEN: u8 = 4;
/// About how many bytes a state takes that waits to be looked at, besides what it shares with others.
const BYTES_OF_OPEN_STATE: u64 = 320;

/// A search in the order of cost that can be interrupted and continued.
#[derive(Default)]
pub(crate) struct Shallow {
    store: Store,
    /// By state: how it was reached first.
    arrivals: Arrivals,
    /// The states that are still to be looked at, by cost, in layers.
    open: BTreeMap<u32, Vec<Open>>,
    /// How many these are.
    waiting: u64,
    /// Those that were met last, in the order in which they are to be looked at.
    fresh: Vec<Open>,
    steps: u64,
    /// How many states were looked at.
    expanded: u64,
    /// By places of threads: how often it was asked whether threads wait for ever there.
    asked: FxHashMap<u64, u8>,
    has_started: bool,
    /// What the setup can choose, and the states in which it leaves memory.
    starts: Vec<(Vec<u32>, State)>,
    /// How many single executions were run.
    runs: usize,
}

/// A state that is still to be looked at.
struct Open {
    id: StateId,
    state: State,
    /// What it costs to come here.
    cost: u32,
    /// The thread that went last.
    last: Option<usize>,
}

/// Where a move leads.
struct Place<'s> {
    /// The state before it.
    before: Option<(&'s State, StateId)>,
    /// What it costs to come here.
    cost: u32,
    /// The thread that went last.
    last: Option<usize>,
}

impl Shallow {
    /// Steps taken so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// States met so far.
    pub fn states(&self) -> u64 {
        self.store.len() as u64
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> u64 {
        let states = self.store.state_bytes() + self.store.shared_bytes();
        states + self.arrivals.bytes() + BYTES_OF_OPEN_STATE * self.waiting
    }

    /// Goes on until so many steps were taken in all, the visitor has enough, a limit is reached or nothing is left.
    pub fn go_on(&mut self, runner: &mut Runner, limits: &Limits, visitor: &mut dyn Visitor, steps: u64) -> Next {
        if !std::mem::replace(&mut self.has_started, true) && self.start(runner, visitor) == Next::Finish {
            return Next::Finish;
        }
        self.put_in_layers();
        while self.steps < steps && self.runs < RUNS {
            self.runs += 1;
            if self.run(self.runs - 1, runner, visitor) == Next::Finish {
                return Next::Finish;
            }
        }
        while self.steps < steps && limits.exceeded(self.states(), self.bytes()).is_none() && !self.store.is_full() {
            let Some(mut cheapest) = self.open.first_entry() else { break };
            let Some(open) = cheapest.get_mut().pop() else {
                cheapest.remove();
                continue;
            };
            self.waiting -= 1;
            if self.expand(&open, runner, visitor) == Next::Finish {
                return Next::Finish;
            }
            self.put_in_layers();
        }
        Next::Continue
    }

    /// What was met last is to be looked at first in its layer.
    fn put_in_layers(&mut self) {
        self.waiting += self.fresh.len() as u64;
        while let Some(open) = self.fresh.pop() {
            self.open.entry(open.cost / LAYER).or_default().push(open);
        }
    }

    /// The states before the first step. A setup that goes wrong is for the complete search to tell.
    fn start(&mut self, runner: &mut Runner, visitor: &mut dyn Visitor) -> Next {
        self.starts = run_setup(&mut runner.interpreter).unwrap_or_default();
        for (setup, state) in self.starts.clone() {
            let mut choices = Choices::default();
            loop {
                let mut first = state.clone();
                let result = advance(runner, &mut first, None, &mut choices);
                let arrival = Arrival::Start { setup: setup.clone(), start: choices.taken().to_vec() };
                let place = Place { before: None, cost: 0, last: None };
                if self.arrive(result, first, arrival, place, runner, visitor) == Next::Finish {
                    return Next::Finish;
                }
                if !choices.next_combination() {
                    break;
                }
            }
        }
        Next::Continue
    }

    /// Runs an execution in which threads take turns, beginning with this one.
    fn run(&mut self, first: usize, runner: &mut Runner, visitor: &mut dyn Visitor) -> Next {
        let Some((setup, mut state)) = self.starts.first().cloned() else { return Next::Continue };
        let mut choices = Choices::default();
        if advance(runner, &mut state, None, &mut choices).is_err() {
            return Next::Continue;
        }
        let mut way = Schedule { setup, start: choices.taken().to_vec(), ..Schedule::default() };
        let (mut turn, mut taken) = (first, 0);
        while way.moves.len() < LONGEST_RUN {
            let mut actions = runner.actions(&state);
            let threads = state.threads.len();
            let first = if taken < LONGEST_TURN { turn } else { turn + 1 };
            actions.sort_by_key(|action| match action {
                Action::Flush(..) => 0,
                Action::Step(thread) => 1 + (thread + threads - first % threads) % threads,
            });
            let Some((taken_move, result, next)) = self.first_move(&state, &actions, runner) else { break };
            match taken_move.action {
                Action::Step(thread) if thread != turn => (turn, taken) = (thread, 1),
                _ => taken += 1,
            }
            way.moves.push(taken_move);
            match result {
                Ok(()) if way.moves.len().is_multiple_of(SHORT_RUN) && !starved(runner, &next).is_empty() => {
                    return self.starves(&next, way, runner, visitor);
                }
                Ok(()) => state = next,
                Err(Halt { stop: Stop::Dropped | Stop::Limit(_), .. }) => return Next::Continue,
                Err(halt) => return visitor.trouble(Trouble::Halt(halt), &next, &runner.interpreter, &|| way.clone()),
            }
        }
        match way.moves.len() < LONGEST_RUN {
            true => end(&state, runner, visitor, &|| way.clone()),
            false => Next::Continue,
        }
    }

    /// The first of these actions that does not wait, taken.
    fn first_move(
        &mut self,
        state: &State,
        actions: &[Action],
        runner: &mut Runner,
    ) -> Option<(Move, Result<(), Halt>, State)> {
        for &action in actions {
            if runner.interpreter.surely_waits(state, action) {
                continue;
            }
            let mut choices = Choices::default();
            loop {
                self.steps += 1;
                let mut next = state.clone();
                let result = advance(runner, &mut next, Some(action), &mut choices);
                if !matches!(&result, Err(Halt { stop: Stop::Waits(_), .. })) {
                    let choices = choices.taken().to_vec();
                    return Some((Move { action, choices }, result, next));
                }
                if !choices.next_combination() {
                    break;
                }
            }
        }
        None
    }

    /// Takes all steps that are possible in a state, that of the thread that went last first.
    fn expand(&mut self, open: &Open, runner: &mut Runner, visitor: &mut dyn Visitor) -> Next {
        let Open { id, state, cost, last } = open;
        let mut actions = runner.actions(state);
        actions.sort_by_key(|action| last.is_none_or(|last| *action != Action::Step(last)));
        let (mut has_moved, mut last_goes_on, mut some_wait) = (false, false, false);
        for action in actions {
            if runner.interpreter.surely_waits(state, action) {
                some_wait = true;
                continue;
            }
            let (last, price) = match action {
                Action::Flush(..) => (*last, 1),
                Action::Step(thread) if *last == Some(thread) => (Some(thread), 1),
                Action::Step(thread) => (Some(thread), if last_goes_on { 1 + PREEMPTION } else { 1 }),
            };
            let mut choices = Choices::default();
            loop {
                self.steps += 1;
                let mut next = state.clone();
                let result = advance(runner, &mut next, Some(action), &mut choices);
                let waits = matches!(&result, Err(Halt { stop: Stop::Waits(_), .. }));
                some_wait |= waits;
                if !waits {
                    has_moved = true;
                    let arrival = Arrival::After(id.0, Move { action, choices: choices.taken().to_vec() });
                    let before = Some((state, *id));
                    let place = Place { before, cost: cost.saturating_add(price), last };
                    let known = self.store.len();
                    if self.arrive(result, next, arrival, place, runner, visitor) == Next::Finish {
                        return Next::Finish;
                    }
                    // A thread that comes back to what is known waits in a loop.
                    let is_last = matches!(action, Action::Step(thread) if open.last == Some(thread));
                    last_goes_on |= is_last && self.store.len() > known;
                }
                if !choices.next_combination() {
                    break;
                }
            }
        }
        if !has_moved {
            return self.ended(*id, state, runner, visitor);
        }
        match self.is_worth_asking(state, some_wait) && !starved(runner, state).is_empty() {
            true => self.starves(state, self.arrivals.way_to(id.0), runner, visitor),
            false => Next::Continue,
        }
    }

    /// Tells of an execution at the end of which threads wait for ever: without what others do, if these do so then as well, or
    /// at least without what others do afterwards.
    fn starves(&self, state: &State, mut way: Schedule, runner: &mut Runner, visitor: &mut dyn Visitor) -> Next {
        let waiting: Vec<usize> = starved(runner, state).iter().map(|starved| starved.thread).collect();
        let is_theirs = |taken: &&Move| {
            let (Action::Step(thread) | Action::Flush(thread, _)) = taken.action;
            waiting.contains(&thread)
        };
        let theirs: Vec<Move> = way.moves.iter().filter(is_theirs).cloned().collect();
        let needed = way.moves.iter().rposition(|taken| is_theirs(&taken)).map_or(0, |last| last + 1);
        for shorter in [theirs, way.moves[..needed].to_vec()] {
            let reached = self.state_after(&way, &shorter, runner);
            if let Some(earlier) = reached.filter(|earlier| !starved(runner, earlier).is_empty()) {
                way.moves = shorter;
                return end(&earlier, runner, visitor, &|| way.clone());
            }
        }
        end(state, runner, visitor, &|| way.clone())
    }

    /// The state after these moves from the start of an execution, if they are possible.
    fn state_after(&self, way: &Schedule, moves: &[Move], runner: &mut Runner) -> Option<State> {
        let mut state = self.starts.iter().find(|(setup, _)| *setup == way.setup)?.1.clone();
        advance(runner, &mut state, None, &mut Choices::given(way.start.clone())).ok()?;
        for Move { action, choices } in moves {
            if !runner.interpreter.actions(&state).contains(action) {
                return None;
            }
            advance(runner, &mut state, Some(*action), &mut Choices::given(choices.clone())).ok()?;
        }
        Some(state)
    }

    /// Whether it is asked if threads wait for ever in a state, in which a step may wait.
    fn is_worth_asking(&mut self, state: &State, some_wait: bool) -> bool {
        self.expanded += 1;
        let is_new_place = some_wait && {
            let mut places = FxHasher::default();
            state.threads.iter().for_each(|thread| (thread.status, &thread.frames).hash(&mut places));
            let asked = self.asked.entry(places.finish()).or_default();
            *asked += u8::from(*asked < OFTEN);
            *asked < OFTEN
        };
        is_new_place || self.expanded.is_multiple_of(RARELY)
    }

    /// What comes after a move: a state to be looked at later, or the end of an execution.
    fn arrive(
        &mut self,
        result: Result<(), Halt>,
        state: State,
        arrival: Arrival,
        Place { before, cost, last }: Place,
        runner: &mut Runner,
        visitor: &mut dyn Visitor,
    ) -> Next {
        match result {
            Err(Halt { stop: Stop::Dropped | Stop::Limit(_) | Stop::Waits(_), .. }) => Next::Continue,
            Err(halt) => {
                let schedule = || self.arrivals.schedule(&arrival);
                visitor.trouble(Trouble::Halt(halt), &state, &runner.interpreter, &schedule)
            }
            Ok(()) => {
                let (id, is_new) = self.store.insert_after(&state, before);
                if !is_new {
                    return Next::Continue;
                }
                self.arrivals.push(arrival);
                if (0..state.threads.len()).all(|thread| state.is_over(thread)) {
                    return self.ended(id, &state, runner, visitor);
                }
                self.fresh.push(Open { id, state, cost, last });
                Next::Continue
            }
        }
    }

    /// An execution that ends in this state: nothing is possible any more.
    fn ended(&self, id: StateId, state: &State, runner: &mut Runner, visitor: &mut dyn Visitor) -> Next {
        end(state, runner, visitor, &|| self.arrivals.way_to(id.0))
    }
}

/// Tells of an execution that ends in a state in which nothing is possible any more, or some threads wait for ever.
fn end(state: &State, runner: &mut Runner, visitor: &mut dyn Visitor, schedule: &dyn Fn() -> Schedule) -> Next {
    let is_over = (0..state.threads.len()).all(|thread| state.is_over(thread));
    match is_over || state.has_ended(runner.interpreter.program) {
        true => visitor.finished(state, &runner.interpreter, schedule),
        false if state.has_endless() && starved(runner, state).is_empty() => Next::Continue,
        false => visitor.trouble(Trouble::Stuck, state, &runner.interpreter, schedule),
    }
}

fn advance(runner: &mut Runner, state: &mut State, action: Option<Action>, choices: &mut Choices) -> Result<(), Halt> {
    runner.interpreter.held.clear();
    runner.advance(state, action, choices, &mut Nobody)
}
