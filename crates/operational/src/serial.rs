//! Serial executions of a bounded test: each operation runs as a whole.
//!
//! The operations of a thread are the calls in its entry function, see `program::observation`. [`observations`] finds what
//! all serial executions show: the setup, then all ways to take turns in which a turn is one operation. This is the mining
//! of specifications of the CheckFence thesis (chapter 5), by running instead of solving.
//!
//! States in which the same can still happen are looked at once: for each state the set of all that can be shown from it on
//! is kept, so that the work grows with the number of states, not with the number of executions.

pub mod linear;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use program::{
    BlockId, FunctionId, InstructionKind, Observation, Program, Shown, Span, ThreadId, Unsupported, Verified,
};
use rustc_hash::FxHashMap;

use crate::canonical::canonicalize;
use crate::choices::Choices;
use crate::forget::Forgetting;
use crate::heap::Heap;
use crate::interpret::{Interpreter, Stop, Waiting};
use crate::limits::Limits;
use crate::loops::Iterations;
use crate::memory::Machine;
use crate::observer::Observer;
use crate::state::{Monitor, State, Status, Thread};
use crate::store::{StateId, Store};
use crate::word::{Word, Words};

/// How many operations a test may have.
const MOST_OPERATIONS: usize = 1_000;

/// What the serial executions show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mined {
    /// What each execution shows.
    pub observations: BTreeSet<Observation>,
    /// The most iterations that each loop (by function and head) had in one go: how often its body began.
    pub iterations: Vec<(FunctionId, BlockId, u32)>,
    /// An operation that does not end well when run on its own; then the observations are not complete.
    pub failure: Option<SerialFailure>,
    /// How many serial executions there are, those with equal observations counted each.
    pub executions: u64,
    /// Why the observations may not be all, if a limit was reached.
    pub incomplete: Option<String>,
}

/// A serial execution that goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerialFailure {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Option<Span>,
    /// The operations run, the failing one last; the thread is `None` for those of the setup.
    pub schedule: Vec<(Option<ThreadId>, Arc<str>)>,
}

/// What all serial executions of a bounded test show.
pub fn observations(program: &Verified, limits: &Limits) -> Result<Mined, Unsupported> {
    refuse_what_is_no_test(program)?;
    let mut miner = Miner::new(program, limits);
    let end = miner.setup().and_then(|starts| miner.mine(starts));
    let (observations, executions) = match end {
        Ok(found) => found,
        Err(End::Unsupported(unsupported)) => return Err(unsupported),
        Err(End::Failure | End::Incomplete) => Default::default(),
    };
    let Miner { iterations, failure, incomplete, .. } = miner;
    Ok(Mined { observations, iterations: iterations.most(), failure, executions, incomplete })
}

/// Between the operations of a thread nothing may happen that other threads could see.
fn refuse_what_is_no_test(program: &Program) -> Result<(), Unsupported> {
    let entries = program.threads.iter().map(|thread| (thread.entry, true));
    for (function, is_thread) in entries.chain(program.setup.map(|setup| (setup, false))) {
        for instruction in program[function].instructions() {
            use InstructionKind::*;
            let is_fine = match instruction.kind {
                Call { .. } | Assign { .. } | Identify { .. } | Choose { .. } | Assume { .. } => true,
                Observe { .. } => false,
                _ => !is_thread && !instruction.kind.synchronizes(),
            };
            if !is_fine {
                let what = "an instruction other than the call of an operation in a thread of a bounded test";
                return Err(Unsupported::new(what, instruction.span));
            }
        }
    }
    Ok(())
}

/// Why mining ended early; what is to be said of it was noted.
enum End {
    Failure,
    Incomplete,
    Unsupported(Unsupported),
}

/// Number of a list of what operations show; 0 is the empty list.
type ListId = u32;
/// Number of what all threads show from some state on: a list for each thread.
type SuffixId = u32;

/// What can be shown from a state on.
struct Rest {
    suffixes: Vec<SuffixId>,
    executions: u64,
}

/// What an operation did.
struct Turn {
    /// `None` if the thread came to its end without one.
    shown: Option<Shown>,
    next: State,
}

/// All ways to run an operation.
#[derive(Default)]
struct Turns {
    turns: Vec<Turn>,
    /// Whether it has to wait in some of them.
    wait: bool,
}

struct Miner<'a> {
    interpreter: Interpreter<'a>,
    limits: &'a Limits,
    iterations: Iterations,
    forgetting: Forgetting,
    store: Store,
    rests: FxHashMap<StateId, Rc<Rest>>,
    shown: Interned<Shown>,
    lists: Interned<(u32, ListId)>,
    suffixes: Interned<Box<[ListId]>>,
    /// What [`Miner::prepend`] gave: the same is asked again from many states.
    prepended: FxHashMap<(SuffixId, u32, u32), SuffixId>,
    /// The operations that led to the present state.
    path: Vec<(Option<ThreadId>, Arc<str>)>,
    failure: Option<SerialFailure>,
    incomplete: Option<String>,
}

/// Things and their numbers.
struct Interned<T> {
    things: Vec<Rc<T>>,
    ids: FxHashMap<Rc<T>, u32>,
}

impl<T: std::hash::Hash + Eq> Interned<T> {
    fn new() -> Interned<T> {
        Interned { things: Vec::new(), ids: FxHashMap::default() }
    }

    fn id(&mut self, thing: T) -> u32 {
        if let Some(id) = self.ids.get(&thing) {
            return *id;
        }
        let thing = Rc::new(thing);
        self.things.push(thing.clone());
        self.ids.insert(thing, self.things.len() as u32 - 1);
        self.things.len() as u32 - 1
    }
}

impl<'a> Miner<'a> {
    fn new(program: &'a Verified, limits: &'a Limits) -> Miner<'a> {
        let mut interpreter = Interpreter::new(program, Machine::Sc);
        interpreter.direct = true;
        interpreter.longest = limits.stretch;
        Miner {
            interpreter,
            limits,
            iterations: Iterations::new(program),
            forgetting: Forgetting::of(program),
            store: Store::new(),
            rests: FxHashMap::default(),
            shown: Interned::new(),
            lists: Interned::new(),
            suffixes: Interned::new(),
            prepended: FxHashMap::default(),
            path: Vec::new(),
            failure: None,
            incomplete: None,
        }
    }

    /// The states in which threads may start, each with what the setup showed.
    fn setup(&mut self) -> Result<Vec<(Vec<Shown>, State)>, End> {
        let program = self.interpreter.program;
        let mut state = self.interpreter.initial();
        let Some(setup) = program.setup else {
            return Ok(vec![(Vec::new(), state)]);
        };
        let index = state.threads.len();
        state.threads.push(Rc::new(self.interpreter.new_thread(setup, &[])));
        state.thread(index).status = Status::Running;
        let mut open = vec![(Vec::new(), state)];
        let mut done = Vec::new();
        while let Some((shown, state)) = open.pop() {
            self.path = operations_of_setup(&shown);
            self.interpreter.never_spurious = true;
            let turns = self.turns(&state, index);
            self.interpreter.never_spurious = false;
            let Turns { turns, wait } = turns?;
            if wait {
                return Err(self.fail(Stop::Waits(Waiting::Condition), index, None, &state));
            }
            for Turn { shown: now, mut next } in turns {
                let mut shown: Vec<Shown> = shown.clone();
                shown.extend(now);
                if next.threads[index].status == Status::Ended {
                    next.threads.truncate(index);
                    self.canonicalize(&mut next);
                    done.push((shown, next));
                } else {
                    open.push((shown, next));
                }
            }
        }
        Ok(done)
    }

    fn mine(&mut self, starts: Vec<(Vec<Shown>, State)>) -> Result<(BTreeSet<Observation>, u64), End> {
        let mut observations = BTreeSet::new();
        let mut executions = 0u64;
        for (setup, state) in starts {
            self.path = operations_of_setup(&setup);
            let rest = self.rest(state, 0)?;
            executions = executions.saturating_add(rest.executions);
            for suffix in &rest.suffixes {
                let lists = self.suffixes.things[*suffix as usize].clone();
                let threads = lists.iter().map(|list| self.spell(*list));
                observations.insert([setup.clone()].into_iter().chain(threads).collect());
            }
        }
        Ok((observations, executions))
    }

    /// The list with this number.
    fn spell(&self, mut list: ListId) -> Vec<Shown> {
        let mut all = Vec::new();
        while let Some(place) = list.checked_sub(1) {
            let (shown, tail) = *self.lists.things[place as usize];
            all.push((*self.shown.things[shown as usize]).clone());
            list = tail;
        }
        all
    }

    /// What can be shown from a state on.
    fn rest(&mut self, state: State, depth: usize) -> Result<Rc<Rest>, End> {
        let (id, is_new) = self.store.insert(&state);
        if let Some(rest) = self.rests.get(&id).filter(|_| !is_new) {
            return Ok(rest.clone());
        }
        if depth > MOST_OPERATIONS {
            let what = format!("a test with more than {MOST_OPERATIONS} operations");
            return Err(End::Unsupported(Unsupported::new(what, None)));
        }
        let bytes = self.store.state_bytes() + self.store.shared_bytes() + 128 * self.suffixes.things.len() as u64;
        if let Some(reason) = self.limits.exceeded(self.store.len() as u64, bytes) {
            self.incomplete = Some(reason);
            return Err(End::Incomplete);
        }
        let rest = Rc::new(self.expand(&state, depth)?);
        self.rests.insert(id, rest.clone());
        Ok(rest)
    }

    fn expand(&mut self, state: &State, depth: usize) -> Result<Rest, End> {
        let is_ended = |thread: &Rc<Thread>| thread.status == Status::Ended;
        let mut rest = Rest { suffixes: Vec::new(), executions: 0 };
        if state.threads.iter().all(is_ended) {
            rest.suffixes.push(self.suffixes.id(vec![0; state.threads.len()].into()));
            rest.executions = 1;
            return Ok(rest);
        }
        let mut all_wait = true;
        for thread in (0..state.threads.len()).filter(|&thread| !is_ended(&state.threads[thread])) {
            let Turns { turns, wait } = self.turns(state, thread)?;
            all_wait &= wait && turns.is_empty();
            // A thread that ends without a further operation does so at once: it changes nothing that others see.
            let is_silent = turns.iter().any(|turn| turn.shown.is_none());
            if is_silent {
                rest = Rest { suffixes: Vec::new(), executions: 0 };
            }
            for turn in turns {
                self.after(thread, turn, depth, &mut rest)?;
            }
            if is_silent {
                break;
            }
        }
        if all_wait {
            return Err(self.deadlock(state));
        }
        rest.suffixes.sort_unstable();
        rest.suffixes.dedup();
        Ok(rest)
    }

    /// Adds what can be shown from a turn on.
    fn after(&mut self, thread: usize, turn: Turn, depth: usize, rest: &mut Rest) -> Result<(), End> {
        let Turn { shown, mut next } = turn;
        self.canonicalize(&mut next);
        if let Some(shown) = &shown {
            self.path.push((Some(ThreadId(thread as u32)), shown.operation.clone()));
        }
        let later = self.rest(next, depth + 1)?;
        rest.executions = rest.executions.saturating_add(later.executions);
        match shown {
            None => rest.suffixes.extend(&later.suffixes),
            Some(shown) => {
                self.path.pop();
                let shown = self.shown.id(shown);
                rest.suffixes.reserve(later.suffixes.len());
                for suffix in &later.suffixes {
                    rest.suffixes.push(self.prepend(thread, shown, *suffix));
                }
            }
        }
        Ok(())
    }

    /// The suffix with something more shown by a thread at its start.
    fn prepend(&mut self, thread: usize, shown: u32, suffix: SuffixId) -> SuffixId {
        let known = self.prepended.get(&(suffix, thread as u32, shown)).copied();
        known.unwrap_or_else(|| {
            let mut lists = self.suffixes.things[suffix as usize].to_vec();
            lists[thread] = self.lists.id((shown, lists[thread])) + 1;
            let longer = self.suffixes.id(lists.into());
            self.prepended.insert((suffix, thread as u32, shown), longer);
            longer
        })
    }

    fn canonicalize(&mut self, state: &mut State) {
        let program = self.interpreter.program;
        let globals = program.globals.len();
        self.forgetting.forget(state, program);
        canonicalize(state, globals, self.interpreter.alike, &mut self.interpreter.words);
    }

    /// All ways to run the next operation of a thread.
    fn turns(&mut self, state: &State, thread: usize) -> Result<Turns, End> {
        let program = self.interpreter.program;
        let mut choices = Choices::default();
        let mut found = Turns::default();
        loop {
            let mut next = state.clone();
            let mut watch = Watch { program, iterations: &mut self.iterations, depth: 0, shown: None, trouble: None };
            let end = operation(&mut self.interpreter, &self.forgetting, (&mut next, thread), &mut choices, &mut watch);
            let Watch { shown, trouble, .. } = watch;
            self.iterations.abandon();
            if let Some(unsupported) = trouble {
                return Err(End::Unsupported(unsupported));
            }
            match end {
                Ok(()) => found.turns.push(Turn { shown, next }),
                Err(Stop::Dropped) => {}
                Err(Stop::Waits(_)) => found.wait = true,
                Err(stop) => return Err(self.fail(stop, thread, shown, &next)),
            }
            if !choices.next_combination() {
                return Ok(found);
            }
        }
    }

    /// Notes that an operation does not come to a good end.
    fn fail(&mut self, stop: Stop, thread: usize, shown: Option<Shown>, state: &State) -> End {
        let span = self.interpreter.span(&state.threads[thread]);
        let (message, span) = match stop {
            Stop::Failed(fault) => (fault.message, fault.span),
            Stop::Unsupported(unsupported) => return End::Unsupported(unsupported),
            // A budget is no verdict: nothing is known to be wrong.
            Stop::Limit(message) => {
                let place = span
                    .map_or(String::new(), |span| format!(" at {}", self.interpreter.program.sources.location(span)));
                self.incomplete = Some(message + &place);
                return End::Incomplete;
            }
            Stop::Waits(_) | Stop::Dropped => ("the operation waits for ever".into(), span),
        };
        let is_setup = thread >= self.interpreter.program.threads.len();
        let thread = (!is_setup).then_some(ThreadId(thread as u32));
        let mut schedule = self.path.clone();
        schedule.extend(shown.map(|shown| (thread, shown.operation)));
        self.failure = Some(SerialFailure { message, span, schedule });
        End::Failure
    }

    /// Notes that every thread that has not ended waits in its next operation.
    fn deadlock(&mut self, state: &State) -> End {
        let first = state.threads.iter().position(|thread| thread.status != Status::Ended).unwrap_or(0);
        let span = self.interpreter.span(&state.threads[first]);
        let message = "no operation can be completed: each waits for another".into();
        self.failure = Some(SerialFailure { message, span, schedule: self.path.clone() });
        End::Failure
    }
}

fn operations_of_setup(shown: &[Shown]) -> Vec<(Option<ThreadId>, Arc<str>)> {
    shown.iter().map(|shown| (None, shown.operation.clone())).collect()
}

/// Runs a thread until its next operation is done, or until its end if there is none. An operation that comes to a state for the second
/// time goes on so for ever: it waits for what no other operation can do meanwhile, and the order in which it
/// waits has no serial execution (CheckFence thesis, section 7.2.3). If it chose something since, the other ways are tried
/// from the first time on.
fn operation(
    interpreter: &mut Interpreter,
    forgetting: &Forgetting,
    (state, thread): (&mut State, usize),
    choices: &mut Choices,
    watch: &mut Watch,
) -> Result<(), Stop> {
    let mut mark: Option<Mark> = None;
    if state.threads[thread].status == Status::New {
        interpreter.start(state, thread, watch)?;
    }
    for taken in 0..interpreter.longest {
        interpreter.instruction(state, thread, choices, watch)?;
        if mark.as_ref().is_some_and(|mark| mark.is_back(state, thread, forgetting, interpreter.program)) {
            let has_chosen = mark.is_some_and(|mark| mark.choices < choices.taken().len());
            return Err(if has_chosen { Stop::Dropped } else { Stop::Waits(Waiting::Condition) });
        }
        if taken >= FIRST_MARK && taken.is_power_of_two() {
            mark = Some(Mark::new(state, thread, forgetting, interpreter.program, choices.taken().len()));
        }
        // What can be done without a choice before the next operation is done at once: often the thread is at its end.
        let next = interpreter.next_instruction(&state.threads[thread]).map(|instruction| &instruction.kind);
        let goes_on = matches!(next, None | Some(InstructionKind::Assign { .. }));
        let is_done = watch.depth == 0 && watch.shown.is_some() && !goes_on;
        if is_done || state.threads[thread].status == Status::Ended {
            return Ok(());
        }
    }
    Err(Stop::Limit(format!("the operation did not end within {} instructions", interpreter.longest)))
}

/// An operation is taken to go on until so many instructions.
const FIRST_MARK: u64 = 1 << 9;

/// What a thread was like while it ran an operation, and memory.
struct Mark {
    thread: Rc<Thread>,
    heap: Heap,
    monitors: Rc<Vec<Monitor>>,
    /// How many choices had been taken.
    choices: usize,
}

impl Mark {
    fn new(state: &State, thread: usize, forgetting: &Forgetting, program: &Program, choices: usize) -> Mark {
        let mut marked = state.threads[thread].clone();
        forgetting.forget_in_frames(&mut marked, program);
        Mark { thread: marked, heap: state.heap.clone(), monitors: state.monitors.clone(), choices }
    }

    /// Whether all is again as it was, but for registers that are not read any more.
    fn is_back(&self, state: &State, thread: usize, forgetting: &Forgetting, program: &Program) -> bool {
        let now = &state.threads[thread];
        if now.frames != self.thread.frames || state.heap != self.heap || state.monitors != self.monitors {
            return false;
        }
        let mut now = now.clone();
        forgetting.forget_in_frames(&mut now, program);
        now == self.thread
    }
}

/// Watches one operation.
struct Watch<'m> {
    program: &'m Program,
    iterations: &'m mut Iterations,
    /// Calls that are active below the thread's entry function.
    depth: usize,
    shown: Option<Shown>,
    trouble: Option<Unsupported>,
}

impl Observer for Watch<'_> {
    fn enters(&mut self, _: usize, function: FunctionId) {
        self.iterations.enter(function);
        self.depth += 1;
        if self.shown.is_none() {
            let operation = self.program.function(function).name.as_str().into();
            self.shown = Some(Shown { operation, values: Vec::new() });
        }
    }

    fn returns(&mut self, _: usize) {
        self.iterations.leave();
        self.depth = self.depth.saturating_sub(1);
    }

    fn jumps(&mut self, _: usize, _: FunctionId, from: BlockId, to: BlockId) {
        self.iterations.jump(from, to);
    }

    fn shows(&mut self, _: usize, label: &Arc<str>, value: Word, words: &Words) {
        let Some(shown) = &mut self.shown else { return };
        let globals = self.program.globals.len() as u32;
        words.allocations(value, &mut |allocation| {
            if allocation >= globals {
                let what = format!("a pointer to a block made at run time, shown as `{label}`,");
                self.trouble = Some(Unsupported::new(what, None));
            }
        });
        match shown.values.binary_search_by(|(other, _)| other.cmp(label)) {
            Ok(_) => {
                let what = format!("an operation that shows `{label}` twice");
                self.trouble = Some(Unsupported::new(what, None));
            }
            Err(place) => shown.values.insert(place, (label.clone(), words.value(value))),
        }
    }
}
