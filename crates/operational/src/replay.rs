//! Running a schedule again: the steps one by one, and the execution as events with rf and co.

use program::{
    Access, AssertSort, Call, End, Event, EventId, EventKind, Execution, Failure, FailureKind, FunctionId,
    InstructionKind, Language, Observable, Order, Pointer, Program, Replay, Span, State as FinalState, Step, StepKind,
    ThreadId, Unsupported, Value, Verified, WaitingThread,
};

use crate::bounded;
use crate::choices::Choices;
use crate::component::can_wait;
use crate::happens_before::{Clocks, Rules};
use crate::interpret::{Fault, Interpreter, Stop, Waiting};
use crate::observer::{MemoryEvent, Nobody, Observer, Sync, Via};
use crate::schedule::{Move, Schedule};
use crate::search::Runner;
use crate::search::starved::{Starved, starved};
use crate::state::{State, Status};
use crate::store::Store;
use crate::turn::{Action, Halt, setup_once};
use crate::word::{Address, Word, Words};

/// Why a schedule cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// It does not belong to this program: the move with this number is not possible.
    Move(usize, String),
    /// The program has something that is not modelled.
    Unsupported(Unsupported),
}

/// Runs a schedule on a machine that is ready for it.
pub(crate) fn rerun(program: &Verified, runner: &mut Runner, schedule: &Schedule) -> Result<Replay, Mismatch> {
    let mut recorder = Recorder { program: Some(program), shown: bounded::cells(program), ..Recorder::default() };
    runner.interpreter.reads_texts = true;
    let mut setup = Choices::given(schedule.setup.clone());
    let end = match setup_once(&mut runner.interpreter, &mut setup) {
        Ok(mut state) => {
            let end = run(runner, &mut state, schedule, &mut recorder)?;
            recorder.finish(program, &runner.interpreter, &state);
            end
        }
        Err(stop) => stopped(program, stop, "the setup", 0)?,
    };
    let end = match end {
        End::Failed(failure) if failure.location.is_none() => End::Failed(recorder.placed(failure)),
        other => other,
    };
    let steps = recorder.steps.iter().filter(|step| !recorder.is_note(step.cell.as_ref()));
    let steps = steps.map(|step| step.named(program)).collect();
    let failed = match &end {
        End::Failed(Failure { kind: FailureKind::Exception, thread, .. }) => thread.clone(),
        _ => None,
    };
    let is_failed = |thread: usize| failed.as_ref().is_some_and(|failed| *failed == thread_name(program, thread));
    let thrown = recorder.makers.iter().find(|(thread, _)| is_failed(*thread)).map(|(_, calls)| calls.clone());
    let (execution, between_threads) = recorder.execution();
    Ok(Replay { steps, thrown: thrown.unwrap_or_default(), execution, between_threads, end })
}

fn run(runner: &mut Runner, state: &mut State, schedule: &Schedule, recorder: &mut Recorder) -> Result<End, Mismatch> {
    let start = (None, &schedule.start);
    let moves = schedule.moves.iter().map(|Move { action, choices }| (Some(*action), choices));
    for (number, (action, choices)) in [start].into_iter().chain(moves).enumerate() {
        refuse_impossible(runner, state, action, number)?;
        let mut choices = Choices::given(choices.clone());
        let before = state.clone();
        if let Err(Halt { thread, stop }) = runner.advance(state, action, &mut choices, recorder) {
            let stop = at_users_place(stop, runner.interpreter.program, &state.threads[thread]);
            *state = before;
            let program = runner.interpreter.program;
            return stopped(program, stop, &thread_name(program, thread), number);
        }
    }
    let held = state.history.as_ref().and_then(|history| history.fault());
    let is_over = (0..state.threads.len()).all(|thread| state.is_over(thread));
    if (is_over || held.is_some()) && state.history.as_ref().is_some_and(|history| !history.is_justified()) {
        return Err(Mismatch::Move(schedule.moves.len(), "a write that was seen before has not come".into()));
    }
    let faults = runner.interpreter.relaxed.as_ref().map(|relaxed| &relaxed.faults);
    if let Some((thread, fault)) = held.and_then(|number| faults?.get(number)) {
        let program = runner.interpreter.program;
        return Ok(End::Failed(failure(program, fault, &thread_name(program, *thread))));
    }
    if is_over {
        return Ok(End::Finished);
    }
    let ends = state.has_ended(runner.interpreter.program);
    Ok(match stuck(runner, state, recorder) {
        Some(_) if ends => End::Finished,
        failure => failure.map_or(End::Unfinished, End::Failed),
    })
}

/// A schedule is input: it may speak of threads that do not exist.
fn refuse_impossible(runner: &Runner, state: &State, action: Option<Action>, number: usize) -> Result<(), Mismatch> {
    match action {
        Some(action) if !runner.interpreter.actions(state).contains(&action) => {
            Err(Mismatch::Move(number, "there is no such thread or buffered store that could go".into()))
        }
        _ => Ok(()),
    }
}

/// The error of a thread within a library is placed where the user's code called it.
fn at_users_place(stop: Stop, program: &Program, thread: &crate::state::Thread) -> Stop {
    let is_users = |span: &Span| !program.sources.is_library(span.file);
    let called = |frame: &crate::state::Frame| place_in(program, frame);
    match stop {
        Stop::Failed(fault) if fault.span.is_some_and(|span| !is_users(&span)) => {
            let place = thread.frames.iter().rev().filter_map(called).find(is_users);
            Stop::Failed(Fault { span: place.or(fault.span), ..fault })
        }
        other => other,
    }
}

/// Where a call is.
fn place_in(program: &Program, frame: &crate::state::Frame) -> Option<Span> {
    program[frame.function][frame.block].instructions.get(frame.next as usize)?.span
}

fn stopped(program: &Program, stop: Stop, thread: &str, number: usize) -> Result<End, Mismatch> {
    match stop {
        Stop::Failed(fault) => Ok(End::Failed(failure(program, &fault, thread))),
        Stop::Unsupported(unsupported) => Err(Mismatch::Unsupported(unsupported)),
        Stop::Waits(_) => Err(Mismatch::Move(number, format!("{thread} has to wait"))),
        Stop::Dropped => Err(Mismatch::Move(number, format!("an assumption of {thread} is false"))),
        Stop::Limit(reason) => Err(Mismatch::Move(number, reason)),
    }
}

/// The failure of a thread.
pub fn failure(program: &Program, fault: &Fault, thread: &str) -> Failure {
    let kind = match fault.assertion {
        Some(AssertSort::Assertion) => FailureKind::Assertion,
        Some(AssertSort::Exception) => FailureKind::Exception,
        Some(AssertSort::Exit) => FailureKind::Exit,
        Some(AssertSort::Error | AssertSort::Unsupported) | None => FailureKind::Error,
    };
    let location = fault.span.map(|span| program.sources.location(span));
    Failure { thread: Some(thread.into()), ..Failure::new(kind, fault.message.clone(), location) }
}

/// More states than threads that wait in loops should need.
const MOST_ROUNDS: usize = 10_000;

/// Whether threads can only stay in loops in which nothing changes, or not go on at all.
fn waits_for_ever(runner: &mut Runner, state: &State) -> bool {
    let mut known = Store::new();
    known.insert(state);
    let mut open = vec![state.clone()];
    while let Some(state) = open.pop() {
        for action in runner.actions(&state) {
            let mut choices = Choices::default();
            loop {
                let mut next = state.clone();
                match runner.advance(&mut next, Some(action), &mut choices, &mut Nobody) {
                    Err(Halt { stop: Stop::Waits(_), .. }) => {}
                    Ok(()) if can_wait(&next) && !runner.changes_memory(&state, &next) => {
                        let is_over = (0..next.threads.len()).all(|thread| next.is_over(thread));
                        if is_over || known.len() > MOST_ROUNDS {
                            return false;
                        }
                        let essential = runner.essential(&next, runner.long_buffer);
                        if known.insert(essential.as_ref().unwrap_or(&next)).1 {
                            open.push(next);
                        }
                    }
                    _ => return false,
                }
                if !choices.next_combination() {
                    break;
                }
            }
        }
    }
    true
}

/// What is wrong in a state from which no step is possible but iterations of loops that wait, or in which threads wait for ever although others go on;
/// `None` if it is neither.
fn stuck(runner: &mut Runner, state: &State, recorder: &Recorder) -> Option<Failure> {
    let held = runner.interpreter.held.clone();
    let all_wait = waits_for_ever(runner, state);
    let mut waiting = match all_wait {
        true => waiting_threads(&mut runner.interpreter, state)?,
        false => {
            let starved = starved(runner, state).into_iter();
            starved.map(|Starved { thread, waiting, read }| (thread, waiting, read)).collect()
        }
    };
    if waiting.is_empty() && !all_wait {
        return None;
    }
    let is_idle = |thread: usize| state.is_over(thread) || waiting.iter().any(|(other, ..)| *other == thread);
    let none_goes_on = all_wait || (0..state.threads.len()).all(is_idle);
    let interpreter = &mut runner.interpreter;
    let program = interpreter.program;
    let lost = waiting.iter().any(|(_, what, _)| match what {
        Waiting::Notification(monitor) => recorder.unheard.contains(monitor),
        _ => false,
    });
    if let Some((thread, fault)) = held.first() {
        return Some(failure(program, fault, &thread_name(program, *thread)));
    }
    waiting.sort_by_key(|(thread, ..)| *thread);
    // Who waits for something else than the end of another is nearer to what is wrong.
    let is_cause = |(_, what, _): &&(usize, Waiting, Option<Address>)| match what {
        Waiting::Notification(_) => true,
        Waiting::End(_) => false,
        _ => !lost,
    };
    let place = waiting.iter().find(is_cause).or(waiting.first()).map(|(thread, ..)| *thread);
    let at = |span: Option<Span>| span.map(|span| program.sources.location(span));
    let place_of = |interpreter: &Interpreter, thread: usize| {
        let frames = &state.threads[thread].frames;
        let is_users = |span: &Span| !program.sources.is_library(span.file);
        let users = frames.iter().rev().filter_map(|frame| place_in(program, frame)).find(is_users);
        interpreter.span(&state.threads[thread]).filter(is_users).or(users).or(interpreter.span(&state.threads[thread]))
    };
    let waiting = waiting.into_iter().map(|(thread, what, read)| WaitingThread {
        thread: thread_name(program, thread),
        location: at(place_of(interpreter, thread)),
        what: words_for(&what, read, interpreter, state),
    });
    let waiting: Vec<WaitingThread> = waiting.collect();
    let kind = if lost { FailureKind::LostWakeup } else { FailureKind::Deadlock };
    let message = match kind {
        FailureKind::LostWakeup => "a thread waits for a notification that was given before it waited",
        _ if none_goes_on => "no thread can go on",
        _ => "other threads go on, but none of them can change that",
    };
    let span = place.and_then(|thread| place_of(interpreter, thread));
    Some(Failure { waiting, ..Failure::new(kind, message, at(span)) })
}

/// Who waits for what in a state from which no step is possible but iterations of loops that wait, and the cell that each read last; `None` if a step
/// goes wrong.
fn waiting_threads(interpreter: &mut Interpreter, state: &State) -> Option<Vec<(usize, Waiting, Option<Address>)>> {
    let mut waiting = Vec::new();
    for action in interpreter.actions(state) {
        let (mut choices, mut read) = (Choices::default(), LastRead(None));
        match interpreter.act(&mut state.clone(), action, &mut choices, &mut read) {
            Err(Halt { thread, stop: Stop::Waits(what) }) => waiting.push((thread, what, read.0)),
            Ok(()) => match action {
                Action::Step(thread) => waiting.push((thread, Waiting::Condition, read.0)),
                // A store that gets to memory without effect.
                Action::Flush(..) => {}
            },
            Err(_) => return None,
        }
    }
    for (thread, other) in state.threads.iter().enumerate() {
        if let Status::Waiting(monitor, _) = other.status {
            waiting.push((thread, Waiting::Notification(monitor), None));
        }
    }
    Some(waiting)
}

/// The cell that a thread read last before it had to wait.
struct LastRead(Option<Address>);

impl Observer for LastRead {
    fn event(&mut self, done: MemoryEvent, _: &State, _: &Words) {
        self.0 = done.cell.filter(|_| done.kind == EventKind::Read).or(self.0);
    }
}

/// What a thread waits for; `read` is what it looked at before.
fn words_for(waiting: &Waiting, read: Option<Address>, interpreter: &Interpreter, state: &State) -> String {
    let program = interpreter.program;
    let name = |cell: Address| {
        let of = state.heap.get(cell.allocation as usize).map_or(u32::MAX, |block| block.name);
        interpreter.cell_in_words(cell, of)
    };
    match waiting {
        Waiting::Buffer => "its stores to get to memory".into(),
        Waiting::Monitor(monitor) => {
            let owner = state.monitor(*monitor).map(|held| thread_name(program, held.owner as usize));
            let owner = owner.map_or(String::new(), |owner| format!(", which {owner} holds"));
            format!("the monitor {}{owner}", name(*monitor))
        }
        Waiting::Notification(monitor) => format!("a notification at {}", name(*monitor)),
        Waiting::End(thread) => format!("the end of {}", thread_name(program, *thread)),
        Waiting::Permit => "a permit".into(),
        Waiting::Condition => read.map_or("a condition".into(), |cell| format!("a change of {}", name(cell))),
        Waiting::Turn => "its turn".into(),
    }
}

/// The name of a thread: that of the program, or a number for one that was started later.
pub fn thread_name(program: &Program, thread: usize) -> String {
    match program.threads.get(thread) {
        Some(thread) => thread.name.clone(),
        None => format!("T{thread}"),
    }
}

/// What every observed register and cell holds in a state in which all threads are over.
pub fn final_state(program: &Program, interpreter: &Interpreter, state: &State) -> FinalState {
    let observed = program.question.iter().flat_map(|question| &question.observed);
    observed.map(|observable| (observable.clone(), observe(interpreter, state, observable))).collect()
}

/// More combinations of what reads after all threads may see are not listed.
const MOST_COMBINATIONS: usize = 512;

/// The final states: one, but for the machines that let reads see several writes. There a cell may hold what a read may see that comes after
/// all threads, each cell for itself. `None` if there are too many combinations.
pub fn final_states(program: &Program, interpreter: &Interpreter, state: &State) -> Option<Vec<FinalState>> {
    let mut states: Vec<FinalState> = vec![Vec::new()];
    for observable in program.question.iter().flat_map(|question| &question.observed) {
        let values = possible(interpreter, state, observable);
        if states.len() * values.len() > MOST_COMBINATIONS {
            return None;
        }
        let with = |state: &FinalState, value: &Value| [&state[..], &[(observable.clone(), value.clone())]].concat();
        states = states.iter().flat_map(|state| values.iter().map(move |value| with(state, value))).collect();
    }
    Some(states)
}

/// What one register or cell may hold in the end.
fn possible(interpreter: &Interpreter, state: &State, observable: &Observable) -> Vec<Value> {
    let cell = match observable {
        Observable::Memory(cell) => interpreter.words.known_address(cell),
        Observable::Register(..) => None,
    };
    let last = state.history.as_ref().zip(cell).map(|(history, cell)| history.last(cell)).unwrap_or_default();
    let mut values: Vec<Value> = last.into_iter().map(|word| interpreter.value_in_words(state, word)).collect();
    values.dedup();
    if values.is_empty() { vec![observe(interpreter, state, observable)] } else { values }
}

/// What one register or cell holds.
pub fn observe(interpreter: &Interpreter, state: &State, observable: &Observable) -> Value {
    match observable {
        Observable::Register(thread, register) => {
            let registers = state.threads.get(thread.0 as usize).map(|thread| &thread.registers);
            let word = registers.and_then(|registers| registers.get(register.0 as usize));
            word.map_or(Value::Undefined, |word| interpreter.words.value(*word))
        }
        Observable::Memory(cell) if interpreter.console == Some(cell.allocation) => {
            Value::Composite(format!("{:?}", interpreter.printed(state, cell.allocation)).into(), Vec::new())
        }
        Observable::Memory(cell) => {
            let word = interpreter.words.known_address(cell).and_then(|address| state.held(address));
            // A path that nothing has used yet: the cell holds the default.
            let default = || state.heap.get(cell.allocation as usize).map(|allocation| allocation.default);
            word.or_else(default).map_or(Value::Undefined, |word| interpreter.value_in_words(state, word))
        }
    }
}

/// A step before threads have names.
struct Recorded {
    thread: usize,
    kind: StepKind,
    cell: Option<Pointer>,
    value: Option<Value>,
    span: Option<Span>,
    foresees: bool,
    calls: Vec<Call>,
}

impl Recorded {
    fn named(&self, program: &Program) -> Step {
        let Recorded { thread, kind, cell, value, span, foresees, calls } = self;
        let (cell, value, calls) = (cell.clone(), value.clone(), calls.clone());
        Step {
            thread: thread_name(program, *thread),
            kind: *kind,
            cell,
            value,
            span: *span,
            foresees: *foresees,
            is_older: false,
            calls,
        }
    }
}

/// The calls that a thread is in, outermost first; only of Java, where reports tell them.
fn calls(program: &Program, frames: &[crate::state::Frame]) -> Vec<Call> {
    let call = |frame: &crate::state::Frame| {
        let span = place_in(program, frame);
        let is_users = span.is_some_and(|span| !program.sources.is_library(span.file));
        Call { function: program.function(frame.function).name.clone(), span, is_users }
    };
    if program.language == Language::Java { frames.iter().map(call).collect() } else { Vec::new() }
}

/// The value that stands for the initial write among those that a read may see.
const INITIAL: Word = Word::Undefined;

/// Whether a function makes an exception of Java: a constructor by its name, or what instructions make theirs with.
fn makes_exception(function: &str) -> bool {
    let class = function.strip_suffix(".<init>");
    let is_named = |class: &str| ["Throwable", "Exception", "Error"].iter().any(|end| class.ends_with(end));
    function.starts_with("palisade.Machine.") || class.is_some_and(is_named)
}

/// Records an execution while it happens.
#[derive(Default)]
struct Recorder<'a> {
    program: Option<&'a Program>,
    /// Where a bounded test writes down what it shows. That is no part of the execution.
    shown: Option<u32>,
    /// Where each thread made its last exception.
    thrown: Vec<(usize, Span)>,
    /// The calls in which it was made, innermost first.
    makers: Vec<(usize, Vec<Call>)>,
    steps: Vec<Recorded>,
    events: Vec<Event>,
    /// Initial writes: the cell and its value.
    initial: Vec<(Pointer, Value)>,
    /// For each cell its writes in the order in which they got to memory; `None` is the initial one.
    memory: Vec<(Pointer, Vec<usize>)>,
    rf: Vec<(Option<usize>, usize)>,
    rmw: Vec<(usize, usize)>,
    /// For each thread the events of the stores in its buffer.
    buffers: Vec<Vec<usize>>,
    /// Accesses in the order in which they met memory.
    order: Vec<usize>,
    /// A number for each allocation that stays the same; by present number.
    numbers: Vec<u32>,
    next_number: u32,
    /// Which writes each read may see, on a machine with a history; writes are told apart by their numbers as values.
    seen: Option<Clocks>,
    /// How many atomic blocks and read-modify-writes there were.
    atomics: u32,
    /// Whether an atomic block is running.
    in_atomic: bool,
    /// Monitors at which a notification woke nobody.
    unheard: Vec<Address>,
    /// The write that the next read sees before it comes: its thread's name, and how many came before.
    foreseen: Option<(u32, u32)>,
    /// The reads of such writes: the event, the cell, and the write.
    awaited: Vec<(usize, Address, (u32, u32))>,
    /// The number of the name of each block that was met, by the block's stable number.
    names: Vec<(u32, u32)>,
    blocks: Vec<(u32, String)>,
    state: FinalState,
    /// How threads were ordered otherwise than by accesses, each with the number of events before it.
    syncs: Vec<(Sync, usize)>,
}

impl Recorder<'_> {
    fn is_note(&self, cell: Option<&Pointer>) -> bool {
        self.shown.is_some() && cell.map(|cell| cell.allocation) == self.shown
    }

    /// Which operation of a bounded test a thread is in.
    fn operation(&self, thread: usize, state: &State) -> Option<u32> {
        let (program, frame) = (self.program.filter(|_| self.shown.is_some())?, state.threads[thread].frames.first()?);
        let block = &program[frame.function][frame.block];
        let before = block.instructions.iter().take(frame.next as usize);
        let calls = before.filter(|instruction| matches!(instruction.kind, InstructionKind::Call { .. }));
        Some(calls.count() as u32)
    }

    /// Says where a failure comes from that has no place: an exception that nobody caught.
    fn placed(&self, failure: Failure) -> Failure {
        let Some(program) = self.program else { return failure };
        let is_thread = |thread: usize| failure.thread.as_ref().is_some_and(|own| *own == thread_name(program, thread));
        let thrown = self.thrown.iter().find(|(thread, _)| is_thread(*thread));
        Failure { location: thrown.map(|(_, span)| program.sources.location(*span)), ..failure }
    }

    fn number(&mut self, allocation: u32) -> u32 {
        while self.numbers.len() <= allocation as usize {
            self.numbers.push(self.next_number);
            self.next_number += 1;
        }
        self.numbers[allocation as usize]
    }

    fn stable(&mut self, value: Value) -> Value {
        match value {
            Value::Pointer(pointer) => Value::Pointer(self.stable_pointer(pointer)),
            Value::Composite(tag, fields) => {
                Value::Composite(tag, fields.into_iter().map(|field| self.stable(field)).collect())
            }
            other => other,
        }
    }

    fn stable_pointer(&mut self, pointer: Pointer) -> Pointer {
        Pointer { allocation: self.number(pointer.allocation), path: pointer.path }
    }

    fn buffer(&mut self, thread: usize) -> &mut Vec<usize> {
        if self.buffers.len() <= thread {
            self.buffers.resize(thread + 1, Vec::new());
        }
        &mut self.buffers[thread]
    }

    /// The writes of a cell that are in memory; notes its initial value when it is met first.
    fn writes(&mut self, cell: &Pointer, address: Address, state: &State, words: &Words) -> &mut Vec<usize> {
        let place = match self.memory.iter().position(|(other, _)| other == cell) {
            Some(place) => place,
            None => {
                let value = state.held(address).map_or(Value::Undefined, |word| words.value(word));
                let value = self.stable(value);
                self.initial.push((cell.clone(), value));
                self.memory.push((cell.clone(), Vec::new()));
                self.memory.len() - 1
            }
        };
        &mut self.memory[place].1
    }

    fn access(
        &mut self,
        event: usize,
        done: &MemoryEvent,
        cell: &Pointer,
        address: Address,
        state: &State,
        words: &Words,
    ) {
        let last = self.writes(cell, address, state, words).last().copied();
        match (done.kind, done.via) {
            (EventKind::Read, Via::Buffer) => {
                let own: Vec<usize> = self.buffer(done.thread).clone();
                let own = own.into_iter().rev().find(|&store| self.events[store].cell.as_ref() == Some(cell));
                self.rf.push((own, event));
                self.order.push(event);
            }
            (EventKind::Read, _) if self.foreseen.is_some() => {
                self.awaited.extend(self.foreseen.take().map(|write| (event, address, write)));
                self.order.push(event);
            }
            (EventKind::Read, _) => {
                let write = self.seen_write(event, done, cell, address).unwrap_or(last);
                self.rf.push((write, event));
                self.order.push(event);
            }
            (EventKind::Write, Via::Buffer) => self.buffer(done.thread).push(event),
            (EventKind::Write, via) => {
                if let Some(seen) = &mut self.seen {
                    seen.written(done.thread, address, INITIAL, Word::int(event as i64, 64), false);
                }
                if via == Via::Update {
                    self.rmw.push((event - 1, event));
                }
                self.writes(cell, address, state, words).push(event);
                self.order.push(event);
                self.comes(event, done.thread, address, state);
            }
            _ => {}
        }
    }

    /// A write comes that reads may have seen before.
    fn comes(&mut self, event: usize, thread: usize, address: Address, state: &State) {
        let Some(history) = &state.history else { return };
        let number = history.number_of_writes(thread, address).checked_sub(1);
        let write = number.map(|number| (history.name(thread), number));
        let readers = self.awaited.iter().filter(|(_, cell, seen)| *cell == address && Some(*seen) == write);
        let seen: Vec<(Option<usize>, usize)> = readers.map(|(read, ..)| (Some(event), *read)).collect();
        self.rf.extend(seen);
    }

    /// A block changes hands.
    fn passes_on(&mut self, kind: StepKind, thread: usize, allocation: u32, span: Option<Span>) {
        let cell = Some(Pointer { allocation: self.number(allocation), path: Default::default() });
        self.steps.push(Recorded { thread, kind, cell, value: None, span, foresees: false, calls: Vec::new() });
    }

    /// Notes the type of a block.
    fn meets(&mut self, allocation: u32, state: &State) {
        let stable = self.number(allocation);
        if let Some(block) = state.heap.get(allocation as usize)
            && !self.names.iter().any(|(other, _)| *other == stable)
        {
            self.names.push((stable, block.name));
        }
    }

    /// Which write a plain read saw, on a machine with a history: `Some(None)` is the initial one. Of several with the value
    /// that was read it is the last.
    fn seen_write(
        &mut self,
        event: usize,
        done: &MemoryEvent,
        cell: &Pointer,
        address: Address,
    ) -> Option<Option<usize>> {
        let seen = self.seen.as_mut().filter(|_| done.access.order == Order::Plain && done.via == Via::Memory)?;
        let value = self.events[event].value.as_ref();
        let writes = seen.visible(done.thread, address, INITIAL).into_iter().rev();
        let mut writes = writes.map(|word| word.as_int().and_then(|int| usize::try_from(int.signed()).ok()));
        writes.find(|write| match write {
            Some(write) => self.events[*write].value.as_ref() == value,
            None => self.initial.iter().any(|(other, initial)| other == cell && Some(initial) == value),
        })
    }

    fn finish(&mut self, program: &Program, interpreter: &Interpreter, state: &State) {
        let observed = final_state(program, interpreter, state);
        self.state = observed.into_iter().map(|(observable, value)| (observable, self.stable(value))).collect();
        let named = self.names.iter();
        self.blocks =
            named.filter_map(|(block, name)| Some((*block, interpreter.name_of(*name)?.to_string()))).collect();
    }

    /// The execution, its events thread by thread.
    /// Pairs of events of two threads that are ordered because one thread starts, joins or wakes the other.
    fn between_threads(&self) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for (number, (sync, at)) in self.syncs.iter().enumerate() {
            let (before, after, since) = match *sync {
                Sync::Start(one, other) | Sync::Order(one, other) => (one, other, *at),
                Sync::Join(one, other) => (other, one, *at),
                Sync::Unpark(one, other) => {
                    let is_use = |(sync, _): &&(Sync, usize)| *sync == Sync::Park(other);
                    let Some((_, used)) = self.syncs[number..].iter().find(is_use) else { continue };
                    (one, other, *used)
                }
                Sync::Park(_) => continue,
            };
            let of = |thread: usize| move |event: &usize| self.events[*event].thread == Some(ThreadId(thread as u32));
            for first in (0..*at).filter(of(before)) {
                pairs.extend((since..self.events.len()).filter(of(after)).map(|second| (first, second)));
            }
        }
        pairs
    }

    /// The execution, and the pairs of [`Recorder::between_threads`] in it.
    fn execution(mut self) -> (Execution, Vec<(EventId, EventId)>) {
        let ordered = self.between_threads();
        for (read, write) in self.rmw.clone() {
            if self.events[read].atomic.is_none() {
                [read, write].into_iter().for_each(|event| self.events[event].atomic = Some(self.atomics));
                self.atomics += 1;
            }
        }
        let shown = self.shown;
        let is_note = |cell: Option<&Pointer>| shown.is_some() && cell.map(|cell| cell.allocation) == shown;
        self.memory.retain(|(cell, _)| !is_note(Some(cell)));
        self.initial.retain(|(cell, _)| !is_note(Some(cell)));
        self.order.retain(|event| !is_note(self.events[*event].cell.as_ref()));
        let places = (0..self.events.len()).filter(|event| !is_note(self.events[*event].cell.as_ref()));
        let mut places: Vec<usize> = places.collect();
        places.sort_by_key(|&event| self.events[event].thread);
        let mut ids = vec![EventId(0); self.events.len()];
        let initials = self.initial.len();
        places.iter().enumerate().for_each(|(place, &event)| ids[event] = EventId((initials + place) as u32));
        let mut events: Vec<Event> = self.initial.iter().map(|(cell, value)| initial_write(cell, value)).collect();
        events.extend(places.iter().map(|&event| self.events[event].clone()));
        let cell_of =
            |event: usize| self.memory.iter().position(|(cell, _)| self.events[event].cell.as_ref() == Some(cell));
        let initial_of = |event: usize| EventId(cell_of(event).unwrap_or(0) as u32);
        let rf = self
            .rf
            .iter()
            .map(|&(write, read)| (write.map_or_else(|| initial_of(read), |write| ids[write]), ids[read]));
        let mut co = Vec::new();
        for (index, (_, writes)) in self.memory.iter().enumerate() {
            let chain: Vec<EventId> =
                [EventId(index as u32)].into_iter().chain(writes.iter().map(|&write| ids[write])).collect();
            for (place, first) in chain.iter().enumerate() {
                co.extend(chain[place + 1..].iter().map(|second| (*first, *second)));
            }
        }
        let order = self.order.windows(2).map(|pair| (ids[pair[0]], ids[pair[1]])).collect();
        let is_shown = |event: usize| !is_note(self.events[event].cell.as_ref());
        let ordered = ordered.into_iter().filter(|(one, other)| is_shown(*one) && is_shown(*other));
        let ordered = ordered.map(|(one, other)| (ids[one], ids[other])).collect();
        let execution = Execution {
            rf: rf.collect(),
            co,
            rmw: self.rmw.iter().map(|&(read, write)| (ids[read], ids[write])).collect(),
            named: vec![("memory order".into(), order)],
            state: self.state,
            blocks: self.blocks,
            events,
            ..Execution::default()
        };
        (execution, ordered)
    }
}

/// The access as models see that of a read-modify-write: in the set `X`.
fn exclusive(access: &Access) -> Access {
    if access.tags.iter().any(|tag| &**tag == "X") { access.clone() } else { access.clone().tagged("X") }
}

fn initial_write(cell: &Pointer, value: &Value) -> Event {
    let (cell, value) = (Some(cell.clone()), Some(value.clone()));
    Event {
        thread: None,
        kind: EventKind::Write,
        cell,
        value,
        access: Access::plain(),
        span: None,
        atomic: None,
        operation: None,
    }
}

impl Observer for Recorder<'_> {
    fn entered(&mut self, thread: usize, function: FunctionId, state: &State) {
        let Some(program) = self.program.filter(|program| makes_exception(&program.function(function).name)) else {
            return;
        };
        let calls = &state.threads[thread];
        let made = |depth: usize| {
            let frame = calls.frames[depth];
            let this = program.function(frame.function).parameters.first()?;
            calls.registers.get((frame.base + this.0) as usize)
        };
        // Who made the exception: not one of its own constructors, and in a source, not in a class of the library.
        let top = calls.frames.len() - 1;
        let is_maker = |depth: &usize| {
            let name = &program.function(calls.frames[*depth].function).name;
            !(name.ends_with(".<init>") && made(*depth) == made(top))
        };
        let span = |depth: usize| {
            let frame = calls.frames[depth];
            let block = &program[frame.function][frame.block];
            block.instructions.get(frame.next as usize)?.span
        };
        let is_source = |span: &Span| !program.sources.is_library(span.file);
        let first = (0..top).rev().find(is_maker);
        let mut made_in = self::calls(program, &calls.frames[..first.map_or(0, |first| first + 1)]);
        made_in.reverse();
        self.makers.retain(|(other, _)| *other != thread);
        self.makers.push((thread, made_in));
        let mut calls = (0..top).rev().filter(is_maker).filter_map(span);
        if let Some(span) = calls.find(is_source) {
            self.thrown.retain(|(other, _)| *other != thread);
            self.thrown.push((thread, span));
        }
    }

    fn event(&mut self, done: MemoryEvent, state: &State, words: &Words) {
        let cell = done.cell.map(|cell| words.pointer(cell)).map(|pointer| self.stable_pointer(pointer));
        let value = done.value.map(|word| words.value(word)).map(|value| self.stable(value));
        let is_buffered = done.kind == EventKind::Write && done.via == Via::Buffer;
        let kind = if is_buffered { StepKind::Buffer } else { StepKind::Event(done.kind) };
        let (span, foresees) = (done.span, self.foreseen.is_some());
        let frames = &state.threads[done.thread].frames;
        let calls = self.program.map_or(Vec::new(), |program| calls(program, frames));
        let (thread, cell_of_step, value_of_step) = (done.thread, cell.clone(), value.clone());
        let step = Recorded { thread, kind, cell: cell_of_step, value: value_of_step, span, foresees, calls };
        self.steps.push(step);
        done.cell.into_iter().for_each(|cell| self.meets(cell.allocation, state));
        done.value.into_iter().for_each(|word| words.allocations(word, &mut |block| self.meets(block, state)));
        let thread = Some(ThreadId(done.thread as u32));
        let is_exclusive = matches!(done.via, Via::Exclusive | Via::Update);
        let access = if is_exclusive { exclusive(done.access) } else { done.access.clone() };
        self.events.push(Event {
            thread,
            kind: done.kind,
            cell: cell.clone(),
            value,
            access,
            span,
            atomic: self.in_atomic.then_some(self.atomics),
            operation: self.operation(done.thread, state),
        });
        if state.history.is_some() && self.seen.is_none() {
            self.seen = Some(Clocks::new(Rules::Jmm, state.threads.len()));
        }
        if let (Some(cell), Some(address)) = (cell, done.cell) {
            self.access(self.events.len() - 1, &done, &cell, address, state, words);
        }
        if let Some(seen) = &mut self.seen {
            seen.event(done.thread, done.kind, done.cell, done.access, done.via);
        }
    }

    fn sync(&mut self, sync: Sync) {
        self.syncs.push((sync, self.events.len()));
        if let Some(seen) = &mut self.seen {
            seen.sync(sync);
        }
    }

    fn foresees(&mut self, _: usize, writer: u32, number: u32) {
        self.foreseen = Some((writer, number));
    }

    fn flush(&mut self, thread: usize, index: usize, _: &State) {
        if index >= self.buffer(thread).len() {
            return;
        }
        let event = self.buffer(thread).remove(index);
        let Event { cell, value, span, .. } = self.events[event].clone();
        if let Some((_, writes)) = self.memory.iter_mut().find(|(other, _)| Some(other) == cell.as_ref()) {
            writes.push(event);
        }
        self.order.push(event);
        let calls = Vec::new();
        self.steps.push(Recorded { thread, kind: StepKind::Flush, cell, value, span, foresees: false, calls });
    }

    fn atomic(&mut self, _: usize, begins: bool) {
        self.atomics += u32::from(!begins);
        self.in_atomic = begins;
    }

    fn freed(&mut self, thread: usize, allocation: u32, span: Option<Span>) {
        self.passes_on(StepKind::Free, thread, allocation, span);
    }

    fn given(&mut self, thread: usize, allocation: u32, is_new: bool, span: Option<Span>) {
        if !is_new {
            self.passes_on(StepKind::Reuse, thread, allocation, span);
        }
    }

    fn allocated(&mut self, allocation: u32) {
        self.number(allocation);
        self.numbers[allocation as usize] = self.next_number;
        self.next_number += 1;
        if let Some(seen) = &mut self.seen {
            seen.allocated(allocation);
        }
    }

    fn renumbered(&mut self, numbers: &[u32]) {
        let kept = numbers.iter().filter(|number| **number != u32::MAX).count();
        let mut moved = vec![0; kept];
        for (old, new) in numbers.iter().enumerate() {
            let stable = self.number(old as u32);
            if let Some(place) = moved.get_mut(*new as usize) {
                *place = stable;
            }
        }
        self.numbers = moved;
        if let Some(seen) = &mut self.seen {
            let number = |address: Address| {
                let allocation = numbers.get(address.allocation as usize).copied().unwrap_or(u32::MAX);
                (allocation != u32::MAX).then_some(Address { allocation, ..address })
            };
            seen.renumber(&number, &mut |word| word);
        }
        for monitor in &mut self.unheard {
            monitor.allocation = numbers.get(monitor.allocation as usize).copied().unwrap_or(monitor.allocation);
        }
    }

    fn notified(&mut self, monitor: Address, woken: usize) {
        if woken == 0 {
            self.unheard.push(monitor);
        }
    }
}
