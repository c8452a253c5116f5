//! Whether all executions of a program are sequentially consistent, because it has no data races.
//!
//! A data race is a state of the machine sc in which two threads can take steps one right after the other, of which one writes what
//! the other one accesses.
//! Where happens-before leaves two such accesses unordered in some execution, there is an execution of which they are the next steps
//! (Adve, Hill, "Weak ordering, a new definition", 1990; Boehm, Adve, "Foundations of the C++ concurrency memory model", PLDI 2008,
//! section 5). So no clocks are needed, and there are as many states as the machine has. Steps that are done first because
//! nobody sees them ([`crate::turn`]) access no shared memory, but blocks that their thread alone can come to; these are left out, so that
//! two accesses that are next stay next. (Two threads may each remove the same block from a list: only one of them does.)
//!
//! Not all pairs count:
//!
//! - Java: two volatile accesses do not race, nor do atomic blocks. Accesses in weaker modes race as plain ones do.
//! - C: two seq_cst accesses do not race, nor do two read-modify-writes that acquire and release, since each of them
//!   synchronises with the next. Others race, so that locks that are tried without success do with their release.
//!
//! In which direction this errs: that there is no race is exact. A race may be one of executions that an `assume` ends later. Models of C11
//! do not keep together what an atomic block does to several locations; a search that meets such a block says that it is incomplete.

use std::collections::BTreeMap;

use program::{EventKind, Order, Rules, Unsupported, Verified};

use crate::choices::Choices;
use crate::frontier::{Frontier, Taken};
use crate::happens_before::{acquires, is_volatile, releases};
use crate::interpret::Stop;
use crate::limits::Limits;
use crate::machine::is_identity;
use crate::memory::Machine;
use crate::observer::{MemoryEvent, Nobody, Observer, Via};
use crate::owned::is_owned;
use crate::search::{Reduction, Runner};
use crate::state::State;
use crate::turn::Action;
use crate::word::{Address, Words};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjacent {
    /// Whether two accesses race.
    pub has_races: bool,
    /// Whether some execution ends in an error, so that what would come then was not looked at.
    pub has_errors: bool,
    /// Why not all states were looked at, if so.
    pub incomplete: Option<String>,
    /// States looked at.
    pub states: u64,
}

impl Adjacent {
    /// Why the program may have executions that are not sequentially consistent, if so.
    pub fn why_not_sequential(&self) -> Option<String> {
        if self.has_races { Some("it has data races".into()) } else { self.incomplete.clone() }
    }
}

/// Looks for a race, by the rules of the program's language.
pub fn adjacent(program: &Verified, limits: &Limits) -> Result<Adjacent, Unsupported> {
    let mut runner = Runner::new(program, Machine::Sc, Reduction::Persistent, limits);
    runner.interpreter.holds_errors = false;
    let rules = program.language.race_rules();
    let mut search = Search { frontier: Frontier::new(runner, limits), rules, has_races: false };
    search.run()?;
    let Search { frontier, has_races, .. } = search;
    let (states, has_errors) = (frontier.states(), frontier.has_errors);
    let incomplete = frontier.incomplete.or(frontier.runner.interpreter.endless);
    Ok(Adjacent { has_races, has_errors, incomplete, states })
}

/// What a step does to a location.
#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    reads: bool,
    writes: bool,
    /// Whether some access may race with one like it.
    is_weak: bool,
    /// Whether its read acquires, and its write releases, in one atomic step.
    updates: bool,
}

impl Touch {
    fn races_with(self, other: Touch) -> bool {
        let both_update = self.is_update() && other.is_update();
        (self.writes || other.writes) && (self.is_weak || other.is_weak) && !both_update
    }

    fn is_update(self) -> bool {
        self.reads && self.writes && self.updates
    }
}

/// What a step does, in each of the ways in which it can be taken.
type Touches = Vec<(Address, Touch)>;

struct Search<'a> {
    frontier: Frontier<'a>,
    rules: Rules,
    has_races: bool,
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), Unsupported> {
        for state in self.frontier.starts()? {
            self.step(&state, None)?;
        }
        while !self.has_races
            && let Some(state) = self.frontier.next()
        {
            self.expand(&state)?;
        }
        Ok(())
    }

    fn expand(&mut self, state: &State) -> Result<(), Unsupported> {
        let mut all: Vec<(usize, Touches)> = Vec::new();
        for action in self.frontier.runner.interpreter.actions(state) {
            let Action::Step(thread) = action else { continue };
            let touches = self.step(state, Some((action, thread)))?;
            for (other, others) in &all {
                if race(&touches, others)
                    && (self.follows(state, thread, *other) || self.follows(state, *other, thread))
                {
                    self.has_races = true;
                }
            }
            all.push((thread, touches));
        }
        Ok(())
    }

    /// Whether a thread can take its step right after that of another one: who waits for a lock cannot after it was taken.
    fn follows(&mut self, state: &State, first: usize, second: usize) -> bool {
        let mut choices = Choices::default();
        loop {
            let mut next = state.clone();
            let taken = self.frontier.runner.interpreter.act(&mut next, Action::Step(first), &mut choices, &mut Nobody);
            let goes_on = taken.is_ok() && self.can_step(&next, second);
            if goes_on || !choices.next_combination() {
                return goes_on;
            }
        }
    }

    fn can_step(&mut self, state: &State, thread: usize) -> bool {
        let mut choices = Choices::default();
        loop {
            let step = Action::Step(thread);
            let taken = self.frontier.runner.interpreter.act(&mut state.clone(), step, &mut choices, &mut Nobody);
            let waits = matches!(&taken, Err(halt) if matches!(halt.stop, Stop::Waits(_) | Stop::Dropped));
            if !waits || !choices.next_combination() {
                return !waits;
            }
        }
    }

    /// Takes a step in all ways; gives what the thread does in it, if it does not wait.
    fn step(&mut self, state: &State, step: Option<(Action, usize)>) -> Result<Touches, Unsupported> {
        let mut all = Touches::new();
        let mut choices = Choices::default();
        loop {
            let globals = self.frontier.runner.interpreter.program.globals.len();
            let mut watch = Watch::new(self.rules, step.map(|(_, thread)| thread), globals);
            let action = step.map(|(action, _)| action);
            if self.frontier.take(state, action, &mut choices, &mut watch)? != Taken::Waits {
                all.extend(watch.touches);
                if watch.is_wide && self.rules == Rules::C11 {
                    self.frontier.incomplete = Some("an atomic block accesses more than one location".into());
                }
            }
            if !choices.next_combination() {
                return Ok(all);
            }
        }
    }
}

/// Whether two steps race.
fn race(one: &Touches, other: &Touches) -> bool {
    one.iter().any(|(cell, touch)| other.iter().any(|(others, with)| cell == others && touch.races_with(*with)))
}

/// Notes what a thread accesses in a step.
struct Watch {
    rules: Rules,
    thread: Option<usize>,
    /// How many allocations are there for all threads.
    globals: usize,
    touches: BTreeMap<Address, Touch>,
    in_atomic: bool,
    /// The location of the present atomic block.
    location: Option<Address>,
    /// Whether an atomic block accesses more than one.
    is_wide: bool,
}

impl Watch {
    fn new(rules: Rules, thread: Option<usize>, globals: usize) -> Watch {
        Watch { rules, thread, globals, touches: BTreeMap::new(), in_atomic: false, location: None, is_wide: false }
    }
}

impl Observer for Watch {
    fn event(&mut self, event: MemoryEvent, state: &State, words: &Words) {
        let (EventKind::Read | EventKind::Write, Some(cell)) = (event.kind, event.cell) else { return };
        if self.thread != Some(event.thread) {
            return;
        }
        if self.in_atomic {
            self.is_wide |= *self.location.get_or_insert(cell) != cell;
        }
        if is_owned(state, event.thread, cell.allocation, self.globals, words) {
            return;
        }
        let (order, writes) = (event.access.order, event.kind == EventKind::Write);
        let is_weak = match self.rules {
            Rules::Jmm => !is_volatile(event.access) && !self.in_atomic && !is_identity(event.access),
            Rules::C11 => order != Order::SeqCst,
        };
        let is_part = self.in_atomic || matches!(event.via, Via::Exclusive | Via::Update);
        let synchronises = is_part && if writes { releases(order) } else { acquires(order) };
        let touch = self.touches.entry(cell).or_insert(Touch { updates: true, ..Touch::default() });
        touch.reads |= !writes;
        touch.writes |= writes;
        touch.is_weak |= is_weak;
        touch.updates &= synchronises;
    }

    fn atomic(&mut self, _: usize, begins: bool) {
        self.in_atomic = begins;
        self.location = None;
    }
}
