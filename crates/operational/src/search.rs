//! The search over all states of a program on a machine.
//!
//! Depth first, each state once; states are equal when they are in the canonical form of [`crate::canonical`] with the
//! registers forgotten that nobody reads again. What the search meets is told to a [`Visitor`].
//!
//! Depth first is the order that needs the least memory and sees loops, but it is not fair: it may follow one endless execution
//! for ever. Where one execution is enough for an answer, a search in the order of cost (`shallow`) gets a share of the
//! steps: a small one, or as many as this search has taken if that has hardly ever turned back.

pub(crate) mod shallow;
pub(crate) mod starved;

use std::rc::Rc;

use program::{InstructionKind, Verified};

use crate::canonical::{canonicalize, exchanges_shared};
use crate::choices::Choices;
use crate::component::{Components, Last, Link, can_wait, same_memory};
use crate::forget::Forgetting;
use crate::future::Future;
use crate::happens_before::Clocks;
use crate::interpret::{Interpreter, Stop, has_assumptions};
use crate::limits::Limits;
use crate::memory::Machine;
use crate::observer::Observer;
pub use crate::reduction::Reduction;
use crate::relax::Fixpoint;
use crate::schedule::{Move, Schedule};
use crate::state::{State, Status};
use crate::store::{StateId, Store};
use crate::turn::{Action, Halt, run_setup};
use crate::word::Address;

use shallow::Shallow;
use starved::starved;

/// What a search found out besides what the visitor was told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// States kept.
    pub states: u64,
    /// Steps taken, those to known states included.
    pub steps: u64,
    /// Instructions taken.
    pub instructions: u64,
    /// Executions that did not count: an assumption was false.
    pub dropped: u64,
    /// How often an execution with an error that was held back came to a state again: it may never come to its end.
    pub unconfirmed: u64,
    /// The longest execution, in steps.
    pub depth: u64,
    /// About how many bytes the states take.
    pub state_bytes: u64,
    /// About how many bytes the structure takes that states share.
    pub shared_bytes: u64,
    /// On the machine jmm_over: how often the program was searched, counted as its authors do (with the first, sequentially
    /// consistent search, and one more).
    pub passes: u64,
    /// On the machine jmm_over: how many writes were known in the end, initial ones included.
    pub writes: u64,
    /// On the machine jmm_over: whether an execution as asked was found.
    pub found: bool,
    /// Why the search did not cover everything, if so.
    pub incomplete: Option<String>,
    /// Whether that is because executions were cut off at the bound of their steps, and nothing else.
    pub cut_off: bool,
    /// On the machine jmm_over: the number of an error of an execution that was cut off with writes that had not come.
    pub unconfirmed_error: Option<usize>,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Go on.
    Continue,
    /// End the search: the answer is known.
    Finish,
}

/// How an execution went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A thread stopped at an error.
    Halt(Halt),
    /// Threads wait for ever: no thread can go on but in a loop that changes nothing, and not all are over; or those that can go on
    /// can do nothing for the others. Threads that stopped at errors held back before are not told apart.
    Stuck,
}

/// Is told what a search meets.
pub trait Visitor {
    /// Whether the search may end with the first execution as asked, so that it should look for short ones, too.
    fn wants_one(&self) -> bool {
        false
    }
    /// All threads are over.
    fn finished(&mut self, state: &State, interpreter: &Interpreter, schedule: &dyn Fn() -> Schedule) -> Next;
    /// An execution went wrong in or after this state.
    fn trouble(
        &mut self,
        trouble: Trouble,
        state: &State,
        interpreter: &Interpreter,
        schedule: &dyn Fn() -> Schedule,
    ) -> Next;
}

/// One state on the way to the present one.
struct Level {
    id: StateId,
    state: State,
    actions: Vec<Action>,
    /// The action that is tried.
    at: usize,
    choices: Choices,
    /// The move that led on from here.
    taken: Option<Move>,
    /// Whether some action was possible.
    has_moved: bool,
    link: Link,
    /// The new numbers that the move to it gave to blocks, if it gave some.
    numbers: Option<Vec<u32>>,
    /// Whether the state was kept without stores that make no difference.
    is_shortened: bool,
}

/// A program on a machine, with what makes states equal.
pub struct Runner<'a> {
    /// Takes the steps.
    pub interpreter: Interpreter<'a>,
    forgetting: Forgetting,
    reduction: Reduction,
    /// What may still be written, once a buffer is long.
    future: Option<Future<'a>>,
    /// Stores that make no difference are looked for in buffers with more stores than this.
    pub(crate) long_buffer: usize,
}

impl<'a> Runner<'a> {
    /// A program on a machine.
    pub fn new(program: &'a Verified, machine: Machine, reduction: Reduction, limits: &Limits) -> Runner<'a> {
        let mut interpreter = Interpreter::new(program, machine);
        interpreter.longest = limits.stretch;
        interpreter.passes_assertions = program.question.is_some();
        interpreter.holds_errors = has_assumptions(program) && program.question.is_none();
        Runner { interpreter, forgetting: Forgetting::of(program), reduction, future: None, long_buffer: limits.buffer }
    }

    /// Which interleavings it is for.
    pub(crate) fn reduction(&self) -> Reduction {
        self.reduction
    }

    /// The steps that are tried from a state.
    pub(crate) fn actions(&mut self, state: &State) -> Vec<Action> {
        let flush = (self.reduction == Reduction::Persistent).then(|| self.interpreter.lone_flush(state)).flatten();
        flush.map_or_else(|| self.interpreter.actions(state), |flush| vec![flush])
    }

    /// Takes a move from a state: the action, what is unseen after it, and the canonical form.
    pub fn advance<O: Observer>(
        &mut self,
        state: &mut State,
        action: Option<Action>,
        choices: &mut Choices,
        observer: &mut O,
    ) -> Result<(), Halt> {
        if let Some(action) = action {
            self.interpreter.act(state, action, choices, observer)?;
        }
        match self.reduction {
            Reduction::Persistent => {
                self.interpreter.run_unseen(state, choices, observer)?;
                self.flush_without_effect(state, observer);
            }
            Reduction::Own => self.interpreter.run_private(state, choices, observer)?,
            Reduction::None => {}
        }
        let program = self.interpreter.program;
        let gives_up = self.interpreter.relaxed.as_ref().is_none_or(|relaxed| relaxed.fixpoint != Fixpoint::Printed);
        if gives_up && state.history.as_ref().is_some_and(|history| history.is_hopeless(state)) {
            return Err(Halt { thread: 0, stop: Stop::Dropped });
        }
        self.forgetting.forget(state, program);
        if let Some(mut history) = state.history.take() {
            Rc::make_mut(&mut history).simplify(&state.live());
            state.history = Some(history);
        }
        // On jmm_over a block has the same number in every execution.
        let keeps_numbers = self.interpreter.machine == Machine::JmmOver;
        if let Some(numbers) = (!keeps_numbers).then_some(()).and_then(|()| {
            canonicalize(state, program.globals.len(), self.interpreter.alike, &mut self.interpreter.words)
        }) {
            observer.renumbered(&numbers);
        }
        Ok(())
    }
}

impl<'a> Runner<'a> {
    /// Lets stores of long buffers get to memory that make no difference. What the thread could do then is left to its next step.
    fn flush_without_effect<O: Observer>(&mut self, state: &mut State, observer: &mut O) {
        for thread in 0..state.threads.len() {
            while state.threads[thread].buffer.len() > self.long_buffer {
                let among = self.interpreter.flushable(state, thread);
                let (future, interpreter) = self.future();
                let Some(place) = future.without_effect(state, thread, &among, interpreter) else { break };
                self.interpreter.flush(state, thread, place, observer);
            }
        }
    }

    /// Whether memory, buffers included, is another after a step, up to stores that make no difference.
    pub(crate) fn changes_memory(&mut self, before: &State, after: &State) -> bool {
        let is_same = self.same_memory(before, after);
        if is_same || !self.interpreter.machine.has_buffers() {
            return !is_same;
        }
        let [before, after] = [before, after].map(|state| self.essential(state, 0).unwrap_or_else(|| state.clone()));
        !self.same_memory(&before, &after)
    }

    /// Whether memory is another after a move that gave these numbers to blocks.
    fn changes(&mut self, before: &State, after: &State, numbers: Option<&[u32]>) -> bool {
        numbers.is_some_and(|numbers| self.exchanges(before, numbers)) || self.changes_memory(before, after)
    }

    fn same_memory(&self, before: &State, after: &State) -> bool {
        same_memory(before, after, self.interpreter.program.globals.len(), &self.interpreter.words)
    }

    /// Whether a move that gave these numbers to blocks has put a new block in the place of one that several threads can come to.
    fn exchanges(&self, before: &State, numbers: &[u32]) -> bool {
        exchanges_shared(before, self.interpreter.program.globals.len(), numbers, &self.interpreter.words)
    }

    fn future(&mut self) -> (&mut Future<'a>, &Interpreter<'a>) {
        let Interpreter { program, machine, .. } = self.interpreter;
        let long = self.long_buffer;
        (self.future.get_or_insert_with(|| Future::of(program, machine, long)), &self.interpreter)
    }

    /// Whether some of these threads may change a cell from a state on.
    fn may_write(&mut self, state: &State, threads: &[usize], cell: Address) -> bool {
        let (future, interpreter) = self.future();
        future.may_write(state, threads, cell, interpreter)
    }

    /// Whether some of these threads may come to an instruction of a kind.
    fn may_come_to(&mut self, state: &State, threads: &[usize], is_meant: &dyn Fn(&InstructionKind) -> bool) -> bool {
        self.future().0.may_come_to(state, threads, is_meant)
    }

    /// Whether a thread may come to its end.
    fn may_end(&mut self, state: &State, thread: usize) -> bool {
        self.future().0.may_end(state, thread)
    }

    /// The state without buffered stores that make no difference, if some buffer has more stores than `most`.
    pub(crate) fn essential(&mut self, state: &State, most: usize) -> Option<State> {
        let is_long = |most: usize| state.threads.iter().any(|thread| thread.buffer.len() > most);
        if self.reduction != Reduction::Persistent || !is_long(most) {
            return None;
        }
        let (future, interpreter) = self.future();
        future.essential(state, most, interpreter)
    }
}

/// The new numbers that a move gives to blocks.
#[derive(Default)]
struct Numbers(Option<Vec<u32>>);

impl Observer for Numbers {
    fn renumbered(&mut self, numbers: &[u32]) {
        self.0 = Some(numbers.to_vec());
    }
}

/// Searches all states.
pub fn search(runner: &mut Runner, limits: &Limits, visitor: &mut dyn Visitor) -> Explored {
    let mut search = Search {
        runner,
        limits,
        visitor,
        store: Store::new(),
        stack: Vec::new(),
        setup: Vec::new(),
        start: Vec::new(),
        depths: Vec::new(),
        components: Components::default(),
        shallow: Shallow::default(),
        next_look: FIRST_LOOK,
        is_found_early: false,
        explored: Explored::default(),
    };
    search.run();
    let Search { store, mut explored, runner, shallow, is_found_early, .. } = search;
    explored.states = store.len() as u64 + if is_found_early { shallow.states() } else { 0 };
    explored.state_bytes = store.state_bytes();
    explored.shared_bytes = store.shared_bytes() + runner.interpreter.words.bytes();
    explored.instructions = runner.interpreter.instructions;
    explored.incomplete = explored.incomplete.or_else(|| runner.interpreter.endless.clone());
    explored.cut_off &= explored.incomplete.is_none();
    if explored.cut_off {
        explored.incomplete = Some(format!("an execution has more than {} steps", limits.depth));
    }
    explored
}

struct Search<'s, 'a> {
    runner: &'s mut Runner<'a>,
    limits: &'s Limits,
    visitor: &'s mut dyn Visitor,
    store: Store,
    stack: Vec<Level>,
    setup: Vec<u32>,
    /// What was chosen before the first step.
    start: Vec<u32>,
    /// After how few steps each state was met, where depth is bounded.
    depths: Vec<usize>,
    components: Components,
    /// The search for executions that go wrong early.
    shallow: Shallow,
    /// After how many steps it goes on.
    next_look: u64,
    /// Whether it found what is asked for.
    is_found_early: bool,
    explored: Explored,
}

/// After so few steps it is not asked yet whether the search turns back.
const FIRST_LOOK: u64 = 1 << 10;
/// After so many steps a search in the order of cost is worth while.
const WORTH_A_LOOK: u64 = 1 << 14;
/// How many steps such a search may have at first,
const FIRST_SHARE: u64 = 1 << 15;
/// and which part of all steps besides.
const SHARE: u64 = 32;

impl Search<'_, '_> {
    fn run(&mut self) {
        let starts = match run_setup(&mut self.runner.interpreter) {
            Ok(starts) => starts,
            Err(halt) => {
                let state = self.runner.interpreter.initial();
                self.halted(halt, &state);
                return;
            }
        };
        for (setup, state) in starts {
            self.setup = setup;
            if self.from(state) == Next::Finish {
                return;
            }
        }
    }

    /// Searches from a state in which no thread has started.
    fn from(&mut self, state: State) -> Next {
        let mut choices = Choices::default();
        loop {
            self.stack.clear();
            let next = self.try_move(state.clone(), None, &mut choices);
            if next == Next::Finish || self.descend() == Next::Finish {
                return Next::Finish;
            }
            if !choices.next_combination() {
                return Next::Continue;
            }
        }
    }

    fn descend(&mut self) -> Next {
        while let Some(mut level) = self.stack.pop() {
            if level.at == level.actions.len() {
                let is_over = level.state.threads.iter().all(|thread| thread.status == Status::Ended);
                let Search { runner, stack, components, .. } = self;
                let before = stack.last_mut();
                let (state, parent) = before.map(|Level { state, link, .. }| (&*state, link)).unzip();
                let numbers = level.numbers.as_deref();
                let changes = || state.is_some_and(|before| runner.changes(before, &level.state, numbers));
                let last = components.close(level.link, parent, changes);
                let may_wait = !is_over && last == Some(Last::Stays) && can_wait(&level.state);
                // Where depth is bounded, a state may be left out that would have led on.
                let waits = may_wait && !self.limits.bounds_depth();
                if may_wait && !waits {
                    let reason = "threads may wait for ever, which is not decided where the number of steps is bounded";
                    self.explored.incomplete.get_or_insert_with(|| reason.into());
                }
                let is_stuck = !level.has_moved || waits;
                let some_wait = last.is_some() && !starved(self.runner, &level.state).is_empty();
                if !is_over && (is_stuck || some_wait) && self.stuck(&level.state) == Next::Finish {
                    return Next::Finish;
                }
                continue;
            }
            if self.explored.steps.is_multiple_of(1024) && (self.is_exhausted() || self.look_early() == Next::Finish) {
                return Next::Finish;
            }
            let action = level.actions[level.at];
            if self.runner.interpreter.surely_waits(&level.state, action) {
                level.at += 1;
                self.stack.push(level);
                continue;
            }
            let mut choices = std::mem::take(&mut level.choices);
            let state = level.state.clone();
            let place = self.stack.len();
            self.stack.push(level);
            let next = self.try_move(state, Some(action), &mut choices);
            let level = &mut self.stack[place];
            if choices.next_combination() {
                level.choices = choices;
            } else {
                level.at += 1;
            }
            if next == Next::Finish {
                return Next::Finish;
            }
        }
        Next::Continue
    }

    /// Takes a move; a state that is new goes on the stack.
    fn try_move(&mut self, mut state: State, action: Option<Action>, choices: &mut Choices) -> Next {
        self.explored.steps += 1;
        self.runner.interpreter.held.clear();
        let mut numbers = Numbers::default();
        let result = self.runner.advance(&mut state, action, choices, &mut numbers);
        let waits = matches!(&result, Err(Halt { stop: Stop::Waits(_), .. }));
        if let Some(level) = self.stack.last_mut().filter(|_| !waits) {
            level.has_moved = true;
            level.taken = action.map(|action| Move { action, choices: choices.taken().to_vec() });
        } else if action.is_none() {
            self.start = choices.taken().to_vec();
        }
        match result {
            Ok(()) => self.arrive(state, numbers.0),
            Err(_) if waits => Next::Continue,
            Err(halt) => {
                self.leave();
                self.halted(halt, &state)
            }
        }
    }

    /// Notes that something follows the present state that is not searched any further.
    fn leave(&mut self) {
        if let Some(level) = self.stack.last_mut() {
            level.link.leave();
        }
    }

    /// The state after a move, which may have given these numbers to blocks.
    fn arrive(&mut self, state: State, numbers: Option<Vec<u32>>) -> Next {
        let essential = self.runner.essential(&state, self.runner.long_buffer);
        let before = self.stack.last().filter(|level| !level.is_shortened).map(|level| (&level.state, level.id));
        let (id, is_new) = match &essential {
            Some(essential) => self.store.insert(essential),
            None => self.store.insert_after(&state, before),
        };
        let is_shortened = essential.is_some();
        let is_met_earlier = self.is_met_earlier(id);
        if !is_new && !is_met_earlier {
            let holds_errors = self.runner.interpreter.holds_errors;
            let holds_error = holds_errors && state.history.as_ref().is_some_and(|history| history.fault().is_some());
            let has_failed = holds_error || state.threads.iter().any(|thread| thread.status == Status::Failed);
            let starts_again = has_failed && self.stack.iter().any(|level| level.id == id);
            self.explored.unconfirmed += u64::from(starts_again);
            let Search { runner, stack, components, .. } = self;
            if let Some(Level { state: before, link, .. }) = stack.last_mut() {
                components.lead(link, id.0, || runner.changes(before, &state, numbers.as_deref()));
            }
            return Next::Continue;
        }
        self.explored.depth = self.explored.depth.max(self.stack.len() as u64);
        if (0..state.threads.len()).all(|thread| state.is_over(thread)) {
            self.leave();
            return self.finished(&state);
        }
        if self.has_confirmed_error(&state) && self.trouble(Trouble::Stuck, &state) == Next::Finish {
            return Next::Finish;
        }
        if self.stack.len() >= self.limits.depth {
            let fault = state.history.as_ref().and_then(|history| history.fault());
            self.explored.unconfirmed_error = self.explored.unconfirmed_error.or(fault);
            self.explored.cut_off = true;
            self.leave();
            return Next::Continue;
        }
        let actions = self.runner.actions(&state);
        let choices = Choices::default();
        let link = self.components.meet(id.0);
        self.stack.push(Level {
            id,
            state,
            actions,
            at: 0,
            choices,
            taken: None,
            has_moved: false,
            link,
            numbers,
            is_shortened,
        });
        Next::Continue
    }

    /// Where depth is bounded: whether a state was only met after more steps, so that not all that follows was seen.
    fn is_met_earlier(&mut self, id: StateId) -> bool {
        if !self.limits.bounds_depth() {
            return false;
        }
        let depth = self.stack.len();
        match self.depths.get_mut(id.0 as usize) {
            Some(known) if depth < *known => {
                *known = depth;
                true
            }
            Some(_) => false,
            None => {
                self.depths.push(depth);
                false
            }
        }
    }

    /// No thread can go on but in loops that wait: that is wrong, unless the program is over.
    fn stuck(&mut self, state: &State) -> Next {
        match state.has_ended(self.runner.interpreter.program) {
            true => self.finished(state),
            false if state.has_endless() && starved(self.runner, state).is_empty() => Next::Continue,
            false => self.trouble(Trouble::Stuck, state),
        }
    }

    fn finished(&mut self, state: &State) -> Next {
        if !self.counts(state) {
            return Next::Continue;
        }
        if state.history.as_ref().is_some_and(|history| history.fault().is_some()) {
            return self.trouble(Trouble::Stuck, state);
        }
        let schedule = || schedule(&self.setup, &self.start, &self.stack);
        self.visitor.finished(state, &self.runner.interpreter, &schedule)
    }

    /// On the machine jmm_over: whether an execution that goes wrong counts whatever comes next, so that it need not come to
    /// its end, which others may delay for ever.
    fn has_confirmed_error(&self, state: &State) -> bool {
        let is_confirmed = |history: &Clocks| history.fault().is_some() && history.is_justified();
        !self.runner.interpreter.holds_errors && state.history.as_deref().is_some_and(is_confirmed)
    }

    /// Whether the execution that ends here is one.
    fn counts(&mut self, state: &State) -> bool {
        let counts = state.history.as_ref().is_none_or(|history| history.is_justified());
        self.explored.dropped += u64::from(!counts);
        if let (false, Some(relaxed), Some(history)) = (counts, &mut self.runner.interpreter.relaxed, &state.history) {
            relaxed.uncounted(history);
        }
        counts
    }

    fn trouble(&mut self, trouble: Trouble, state: &State) -> Next {
        if trouble == Trouble::Stuck && !self.counts(state) {
            return Next::Continue;
        }
        let schedule = || schedule(&self.setup, &self.start, &self.stack);
        self.visitor.trouble(trouble, state, &self.runner.interpreter, &schedule)
    }

    fn halted(&mut self, halt: Halt, state: &State) -> Next {
        match &halt.stop {
            Stop::Dropped => {
                self.explored.dropped += 1;
                Next::Continue
            }
            Stop::Limit(reason) => {
                self.explored.incomplete = Some(reason.clone());
                Next::Continue
            }
            _ => self.trouble(Trouble::Halt(halt), state),
        }
    }

    /// Lets the search in the order of cost go on, if it is its turn.
    fn look_early(&mut self) -> Next {
        let steps = self.explored.steps;
        if steps < self.next_look || !self.visitor.wants_one() || self.limits.bounds_depth() {
            return Next::Continue;
        }
        self.next_look = steps + steps / 4;
        let hardly_turned_back = 2 * self.stack.len() as u64 > steps;
        let share = match () {
            () if hardly_turned_back => steps,
            () if steps < WORTH_A_LOOK => return Next::Continue,
            () => (steps / 4).min(FIRST_SHARE + steps / SHARE),
        };
        let instructions = self.runner.interpreter.instructions;
        let limits = Limits { bytes: self.limits.bytes / 2, ..self.limits.clone() };
        let next = self.shallow.go_on(self.runner, &limits, self.visitor, share);
        self.is_found_early = next == Next::Finish;
        if self.is_found_early {
            self.explored.steps += self.shallow.steps();
        } else {
            self.runner.interpreter.instructions = instructions;
        }
        next
    }

    fn is_exhausted(&mut self) -> bool {
        let bytes = self.store.state_bytes() + self.store.shared_bytes() + 512 * self.stack.len() as u64;
        let bytes = bytes + self.shallow.bytes();
        let bytes = if self.store.is_full() { u64::MAX } else { bytes };
        let reason = self.limits.exceeded(self.store.len() as u64, bytes);
        let is_exhausted = reason.is_some();
        if is_exhausted {
            self.explored.incomplete = reason;
        }
        is_exhausted
    }
}

/// The moves on the stack.
fn schedule(setup: &[u32], start: &[u32], stack: &[Level]) -> Schedule {
    let moves = stack.iter().filter_map(|level| level.taken.clone()).collect();
    Schedule { setup: setup.to_vec(), start: start.to_vec(), moves, relaxation: None }
}
