//! What one thread, or one store buffer, does in one step of an execution.
//!
//! # Steps that need no alternatives
//!
//! [`Interpreter::run_unseen`] lets every thread run on while its next instruction is *unseen*: nothing another thread could do
//! before it changes what it does, and it changes nothing that another thread could do before it. Doing such an instruction
//! first loses no deadlock, no error and no final state: in any execution from here on it can be moved to the front, past
//! steps that are independent of it (it is a persistent set of one transition, Godefroid, "Partial-order methods for the
//! verification of concurrent systems", 1996, chapter 4). Which ones these are:
//!
//! - What touches only registers: operators, choices, assertions, assumptions, jumps, calls. A fresh block, which nobody
//!   else has a pointer to; its number does not matter, see [`crate::canonical`].
//! - On machines with buffers, a store: it goes to the thread's own buffer, and commutes with whatever leaves that buffer.
//!   A fence that need not wait.
//! - Starting a thread; the start of a thread whose turn has come; the join of a thread that is over, as it stays over.
//! - What is done holding a monitor and concerns only that monitor: `unlock`, `wait`, `notify`. All that depends on them
//!   (to lock, wait or notify there) others can only do after the monitor was released, that is, after this.
//!
//! - On the machines sc and jmm_under, in programs that free no memory, an access or lock of a block that the thread alone can come to
//!   (module `owned`).
//!
//! - On these machines, a load of a final field that nobody writes any more (module `finals`).
//!
//! - On the machine jmm_over, a plain load that can see no write that is still to come, as far as the pass knows: what other
//!   threads do meanwhile does not come before it, so it could not see more later. In the first pass, which knows nothing,
//!   loads of cells that are not *contested*; whether the guess was right is seen at its end ([`crate::relax`]).
//!
//! - On the machine jmm_under, the end of a constructor of an object with final fields. That is not unseen if the object got to
//!   another thread before: an execution in which that thread reads a field just then is left out, none is added.
//!
//! On machines with buffers the flush of a store needs no alternatives either when every other thread is over or waits for the
//! end of one that is not: nobody sees when it gets to memory, and who starts a thread waits for its buffer. It is a step of
//! its own (`lone_flush`).
//!
//! A thread that never comes to another instruction would keep all others from running. Such a stretch is cut where the thread is
//! as it was before, or after [`Interpreter::longest`] instructions: the thread is not followed any further, all others are,
//! and that nothing is found says nothing. In a loop only the first `MOST_IN_BUFFER` stores of a buffer are unseen: a loop of
//! stores is no such stretch.

use std::rc::Rc;

use program::{Access, EventKind, Function, InstructionKind, Observable, Operand, Program, Span};

use crate::choices::Choices;
use crate::fence::{FenceOrder, fence_order};
use crate::finals::{self, are_settled};
use crate::happens_before::Path;
use crate::happens_before::{Clocks, Rules};
use crate::heap::Heap;
use crate::interpret::{Fault, Interpreter, Stop, Waiting};
use crate::machine::is_final;
use crate::memory::{Machine, is_locked};
use crate::observer::{MemoryEvent, Nobody, Observer};
use crate::owned::is_owned;
use crate::state::{Frame, State, Status, Thread};
use crate::word::{Word, Words};

/// On the machine jmm_over a thread runs on unseen for about so many instructions, then others may go.
const LONG: u64 = 250;
/// How many stores of a loop may be buffered as unseen steps.
const MOST_IN_BUFFER: usize = 32;
/// A thread that is as it was so many instructions before is not noticed earlier.
const SHORTEST_CYCLE: u64 = 1 << 10;

/// A step of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A thread takes its next instruction, or its next atomic block.
    Step(usize),
    /// A thread's buffered store, by its place in the buffer, gets to memory.
    Flush(usize, usize),
}

/// A thread that did not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halt {
    /// Which.
    pub thread: usize,
    /// Why.
    pub stop: Stop,
}

impl Interpreter<'_> {
    /// All steps that a state may have. Some of them may turn out to wait.
    pub fn actions(&self, state: &State) -> Vec<Action> {
        let mut actions = Vec::new();
        for (index, thread) in state.threads.iter().enumerate() {
            actions.extend(self.flushable(state, index).into_iter().map(|store| Action::Flush(index, store)));
            if !matches!(thread.status, Status::Ended | Status::Failed | Status::Endless | Status::Waiting(..)) {
                actions.push(Action::Step(index));
            }
        }
        actions
    }

    /// Whether a step only waits, as far as can be seen without taking it: at a join.
    pub(crate) fn surely_waits(&mut self, state: &State, action: Action) -> bool {
        let Action::Step(thread) = action else { return false };
        if state.threads[thread].status != Status::Running {
            return false;
        }
        match self.next_instruction(&state.threads[thread]).map(|next| &next.kind) {
            Some(InstructionKind::Join { thread: other }) => !self.is_over(other, state, thread),
            _ => false,
        }
    }

    /// The flush of a store that needs no alternatives: that of a thread when no other can do anything before it ends.
    pub(crate) fn lone_flush(&mut self, state: &State) -> Option<Action> {
        let thread = state.threads.iter().position(|thread| !thread.buffer.is_empty())?;
        let is_still = |me: &mut Self, other: usize| {
            let is_empty = state.threads[other].buffer.is_empty();
            other == thread || state.is_over(other) || is_empty && me.surely_waits(state, Action::Step(other))
        };
        (0..state.threads.len()).all(|other| is_still(self, other)).then_some(Action::Flush(thread, 0))
    }

    /// Takes a step. After any error the state must be thrown away.
    pub fn act<O: Observer>(
        &mut self,
        state: &mut State,
        action: Action,
        choices: &mut Choices,
        observer: &mut O,
    ) -> Result<(), Halt> {
        match action {
            Action::Flush(thread, index) => {
                self.flush(state, thread, index, observer);
                Ok(())
            }
            Action::Step(thread) => {
                let result = self.turn(state, thread, choices, observer);
                self.or_hold(result, state, thread)
            }
        }
    }

    /// Lets all threads run on while what they do is unseen.
    pub fn run_unseen<O: Observer>(
        &mut self,
        state: &mut State,
        choices: &mut Choices,
        observer: &mut O,
    ) -> Result<(), Halt> {
        let mut thread = 0;
        while thread < state.threads.len() {
            let before = self.instructions;
            let mut stretch = Stretch::new(before);
            while self.is_unseen(state, thread) && !self.reads_for_long(before) {
                let result = self.turn(state, thread, choices, observer);
                self.or_hold(result, state, thread)?;
                self.cut_stretch(&mut stretch, state, thread);
            }
            // The end of a thread may be what an earlier one waits for.
            let has_ended = self.instructions > before && state.is_over(thread);
            thread = if has_ended { 0 } else { thread + 1 };
        }
        Ok(())
    }

    /// Whether a thread that has run since `before` may be reading what nobody writes, again and again. Nothing is lost if it
    /// does not run on at once.
    fn reads_for_long(&self, before: u64) -> bool {
        self.relaxed.is_some() && self.instructions - before > LONG
    }

    /// Lets all threads run on while what they do is private.
    pub fn run_private<O: Observer>(
        &mut self,
        state: &mut State,
        choices: &mut Choices,
        observer: &mut O,
    ) -> Result<(), Halt> {
        for thread in 0..state.threads.len() {
            let mut stretch = Stretch::new(self.instructions);
            while self.is_private(state, thread) {
                let result = self.turn(state, thread, choices, observer);
                self.or_hold(result, state, thread)?;
                self.cut_stretch(&mut stretch, state, thread);
            }
        }
        Ok(())
    }

    /// Ends a stretch that has no end: the thread is as it was before, or has taken too many instructions.
    fn cut_stretch(&mut self, stretch: &mut Stretch, state: &mut State, thread: usize) {
        let taken = self.instructions - stretch.start;
        if taken < SHORTEST_CYCLE {
            return;
        }
        // What an unseen step does depends on the thread and its own memory alone, but for the loads that jmm_over takes at once.
        let is_same = |(before, heap): &(Rc<Thread>, Heap)| *before == state.threads[thread] && *heap == state.heap;
        let is_back = stretch.mark.as_ref().is_some_and(is_same) && self.machine != Machine::JmmOver;
        if is_back || taken > self.longest {
            let how = match is_back {
                true => "for ever".to_string(),
                false => format!("for {} instructions", self.longest),
            };
            self.endless.get_or_insert_with(|| format!("a thread runs {how} without meeting shared memory"));
            let endless = state.thread(thread);
            endless.status = Status::Endless;
            endless.registers.clear();
        } else if taken >= stretch.next_mark {
            stretch.mark = Some((state.threads[thread].clone(), state.heap.clone()));
            stretch.next_mark = 2 * taken;
        }
    }

    /// Whether the thread's next step concerns nobody else: the thread would do the same at any other time, and no other
    /// thread would notice. No thread has a step between two operations of the crate `mcr` that is not so.
    pub(crate) fn is_private(&self, state: &State, thread: usize) -> bool {
        match state.threads[thread].status {
            Status::New => self.program.thread_order.iter().all(|(_, second)| second.0 as usize != thread),
            Status::Running => {
                let next = self.next_instruction(&state.threads[thread]).map(|next| &next.kind);
                next.is_none_or(|kind| is_private(kind, self.machine, self.frees) && !self.prints(kind))
            }
            _ => false,
        }
    }

    /// Whether a thread's next step is an allocation that may be given a block that was freed.
    pub fn may_recycle(&self, thread: &Thread) -> bool {
        let next = self.next_instruction(thread).map(|next| &next.kind);
        self.frees
            && thread.status == Status::Running
            && matches!(next, Some(InstructionKind::Allocate { reuse: true, .. }))
    }

    /// Whether a thread failed is kept in the state, if errors are held back; else it halts.
    fn or_hold(&mut self, result: Result<(), Stop>, state: &mut State, thread: usize) -> Result<(), Halt> {
        match result {
            Ok(()) => Ok(()),
            Err(Stop::Failed(fault)) if self.relaxed_fault(state, thread, &fault) => {
                let failed = state.thread(thread);
                failed.status = Status::Ended;
                failed.frames.clear();
                Ok(())
            }
            Err(Stop::Failed(fault)) if self.holds_errors => {
                let failed = state.thread(thread);
                failed.status = Status::Failed;
                failed.frames.clear();
                failed.registers.clear();
                self.held.push((thread, fault));
                Ok(())
            }
            Err(stop) => Err(Halt { thread, stop }),
        }
    }

    /// One step of a thread.
    fn turn<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        choices: &mut Choices,
        observer: &mut O,
    ) -> Result<(), Stop> {
        match state.threads[thread].status {
            Status::New => self.start(state, thread, observer),
            Status::Notified(address, times) => self.resume(state, thread, (address, times), observer),
            Status::Waiting(address, _) => Err(Stop::Waits(Waiting::Notification(address))),
            Status::Ended | Status::Failed | Status::Endless => Err(Stop::Waits(Waiting::Turn)),
            Status::Running => match self.next_instruction(&state.threads[thread]).map(|next| &next.kind) {
                Some(InstructionKind::AtomicBegin) => self.atomic_block(state, thread, choices, observer),
                _ => self.instruction(state, thread, choices, observer),
            },
        }
    }

    /// An atomic block as one step. On machines with buffers a block of several events is locked: it waits until the buffer
    /// is empty. A block of one event is no more than that event, and a load of several cells no more than a load.
    fn atomic_block<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        choices: &mut Choices,
        observer: &mut O,
    ) -> Result<(), Stop> {
        if !self.machine.has_buffers() || self.loads_in_parts(&state.threads[thread]) {
            return self.block_body(state, thread, choices, observer);
        }
        if self.events_of_block(state, thread, choices) < 2 {
            return self.block_body(state, thread, choices, observer);
        }
        self.drained(state, thread)?;
        self.direct = true;
        let result = self.block_body(state, thread, choices, observer);
        self.direct = false;
        result
    }

    /// Whether the atomic block that comes next is one load of the program ([`Access::STEP`]).
    fn loads_in_parts(&self, thread: &Thread) -> bool {
        use InstructionKind::{AtomicEnd, Load, ReadModifyWrite, Store};
        let is_access = |kind: &InstructionKind| matches!(kind, Load { .. } | Store { .. } | ReadModifyWrite { .. });
        let block = self.instructions_from(thread).iter().map(|instruction| &instruction.kind);
        let mut accesses =
            block.take_while(|kind| !matches!(kind, AtomicEnd)).filter(|kind| is_access(kind)).peekable();
        accesses.peek().is_some()
            && accesses.all(|kind| matches!(kind, Load { access, .. } if access.has(Access::STEP)))
    }

    /// How many events an atomic block has: those that it would have if the thread's stores were in memory, where the thread
    /// sees the same.
    fn events_of_block(&mut self, state: &State, thread: usize, choices: &Choices) -> u32 {
        let mut state = state.clone();
        let buffer = std::mem::take(&mut state.thread(thread).buffer);
        buffer.iter().for_each(|store| state.put(store.cell, store.value));
        let mut events = Events(0);
        self.direct = true;
        let result = self.block_body(&mut state, thread, &mut choices.clone(), &mut events);
        self.direct = false;
        // What fails has not counted yet.
        let next = self.next_instruction(&state.threads[thread]).map(|next| &next.kind);
        let waits = matches!(next, Some(InstructionKind::ReadModifyWrite { .. } | InstructionKind::Free { .. }));
        events.0 + u32::from(waits && matches!(result, Err(Stop::Failed(_))))
    }

    fn block_body<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        choices: &mut Choices,
        observer: &mut O,
    ) -> Result<(), Stop> {
        for _ in 0..self.longest {
            let next = self.next_instruction(&state.threads[thread]).map(|next| &next.kind);
            let is_last = matches!(next, Some(InstructionKind::AtomicEnd));
            if is_last || matches!(next, Some(InstructionKind::AtomicBegin)) {
                observer.atomic(thread, !is_last);
            }
            self.instruction(state, thread, choices, observer)?;
            if is_last {
                return Ok(());
            }
        }
        Err(Stop::Limit(format!("an atomic block took {} instructions", self.longest)))
    }

    /// Whether the thread's next step can be taken first without losing anything; see the module's text.
    pub(crate) fn is_unseen(&mut self, state: &State, thread: usize) -> bool {
        match state.threads[thread].status {
            Status::New => self.is_its_turn(state, thread),
            Status::Running => match self.next_instruction(&state.threads[thread]) {
                None => true,
                Some(next) => self.is_unseen_instruction(&next.kind, state, thread),
            },
            _ => false,
        }
    }

    fn is_unseen_instruction(&mut self, kind: &InstructionKind, state: &State, thread: usize) -> bool {
        use InstructionKind::*;
        let is_drained = state.threads[thread].buffer.is_empty();
        match kind {
            kind if self.prints(kind) => false,
            Assign { .. } | Call { .. } | CallVirtual { .. } | Assert { .. } | Assume { .. } | Observe { .. } => true,
            Choose { .. } | Identify { .. } | Allocate { reuse: false, .. } => true,
            Store { address, access, .. } => {
                let is_buffered = self.machine.has_buffers() && !is_locked(access);
                is_buffered && self.has_room(&state.threads[thread]) || self.is_of_owned(state, thread, address)
            }
            Fence { access } => {
                let waits = matches!(fence_order(self.machine, access), Some(FenceOrder::Full | FenceOrder::Loads));
                !self.machine.has_buffers() || is_drained || !waits
            }
            // It orders stores with stores alone.
            Freeze { .. } => true,
            Unlock { .. } | Wait { .. } | Notify { .. } | Spawn { .. } => is_drained,
            Join { thread: other } => is_drained && self.is_over(other, state, thread),
            Load { address, access, .. } => {
                self.sees_only_the_past(state, thread, address, access)
                    || self.is_of_owned(state, thread, address)
                    || is_final(access) && self.is_settled(state, thread, address)
            }
            ReadModifyWrite { address, .. } => self.is_of_owned(state, thread, address),
            // Whatever is not known to be unseen is a step.
            _ => false,
        }
    }

    /// Whether an address is that of a block which the thread alone can come to, on the machines sc and jmm_under; on the latter it must not
    /// see older writes of others there, of which it would have to choose one.
    fn is_of_owned(&mut self, state: &State, thread: usize, address: &Operand) -> bool {
        if !matches!(self.machine, Machine::Sc | Machine::JmmUnder) || self.frees {
            return false;
        }
        if self.sees_several(state, thread, address) {
            return false;
        }
        let Word::Pointer(address) = self.operand(state, thread, address) else { return false };
        is_owned(state, thread, address.allocation, self.program.globals.len(), &self.words)
    }

    /// Whether a final field is not written any more, on the machines sc and jmm_under; on the latter the thread must see one value of it.
    fn is_settled(&mut self, state: &State, thread: usize, address: &Operand) -> bool {
        if !matches!(self.machine, Machine::Sc | Machine::JmmUnder) || self.sees_several(state, thread, address) {
            return false;
        }
        let program = self.program;
        are_settled(state, thread, self.writers_of_finals.get_or_insert_with(|| finals::writers(program)))
    }

    /// Whether a thread would have to choose one of several values of a cell.
    fn sees_several(&mut self, state: &State, thread: usize, address: &Operand) -> bool {
        let Word::Pointer(address) = self.operand(state, thread, address) else { return true };
        let Some(held) = state.held(address) else { return true };
        state.history.iter().any(|history| history.visible(thread, address, held).len() != 1)
    }

    /// Whether a store may go to the thread's buffer at once: a loop is not to fill it for ever.
    fn has_room(&mut self, thread: &Thread) -> bool {
        let program = self.program;
        let may_return = self.may_return.get_or_insert_with(|| program.functions.iter().map(may_return).collect());
        let is_in_loop = |frame: &Frame| may_return[frame.function.0 as usize][frame.block.0 as usize];
        thread.buffer.len() < MOST_IN_BUFFER || !thread.frames.iter().any(is_in_loop)
    }

    fn is_over(&mut self, handle: &Operand, state: &State, thread: usize) -> bool {
        let other = self.operand(state, thread, handle).as_int();
        let other = other.and_then(|int| usize::try_from(int.signed()).ok());
        other.is_none_or(|other| other >= state.threads.len() || state.is_over(other))
    }
}

/// A stretch of unseen steps of one thread.
struct Stretch {
    /// How many instructions had been taken when it began.
    start: u64,
    /// The thread and memory at some time since then,
    mark: Option<(Rc<Thread>, Heap)>,
    /// and after how many instructions the next such mark is made.
    next_mark: u64,
}

impl Stretch {
    fn new(start: u64) -> Stretch {
        Stretch { start, mark: None, next_mark: SHORTEST_CYCLE }
    }
}

/// By block: whether it may lie in a loop, that is, between the two ends of an edge that leads back in the order of the blocks.
fn may_return(function: &Function) -> Vec<bool> {
    let mut starts = vec![0i64; function.blocks.len() + 1];
    for (from, block) in function.blocks.iter().enumerate() {
        for to in block.terminator.successors() {
            if to.0 as usize <= from {
                starts[to.0 as usize] += 1;
                starts[from + 1] -= 1;
            }
        }
    }
    let mut depth = 0;
    let within = |change: &i64| {
        depth += change;
        depth > 0
    };
    starts[..function.blocks.len()].iter().map(within).collect()
}

/// Whether an instruction concerns only its thread, in a program that gives memory back or does not.
fn is_private(kind: &InstructionKind, machine: Machine, frees: bool) -> bool {
    use InstructionKind::*;
    match kind {
        Assign { .. } | Call { .. } | CallVirtual { .. } | Assert { .. } | Assume { .. } | Observe { .. } => true,
        Identify { .. } => true,
        Allocate { reuse, .. } => !reuse || !(frees || machine.has_buffers()),
        Choose { low, high, .. } => *high as i128 - (*low as i128) < 1,
        Fence { access } => fence_order(machine, access) == Some(FenceOrder::Nothing),
        Freeze { .. } => fence_order(machine, &Access::freeze()) == Some(FenceOrder::Nothing),
        _ => false,
    }
}

/// Whether final values of memory are asked for.
fn asks_for_memory(program: &Program) -> bool {
    let mut observed = program.question.iter().flat_map(|question| &question.observed);
    observed.any(|observable| matches!(observable, Observable::Memory(_)))
}

/// Counts the events of an atomic block. A read-modify-write that fails counts as one, but waits for the buffer itself.
struct Events(u32);

impl Observer for Events {
    fn event(&mut self, event: MemoryEvent, _: &State, _: &Words) {
        self.0 += u32::from(matches!(event.kind, EventKind::Read | EventKind::Write | EventKind::Fence));
    }

    fn freed(&mut self, _: usize, _: u32, _: Option<Span>) {
        self.0 += 1;
    }

    fn given(&mut self, _: usize, _: u32, _: bool, _: Option<Span>) {
        self.0 += 1;
    }
}

/// Runs the setup to its end; gives the states in which threads may start.
pub fn run_setup(interpreter: &mut Interpreter) -> Result<Vec<(Vec<u32>, State)>, Halt> {
    let mut choices = Choices::default();
    let mut starts = Vec::new();
    loop {
        match setup_once(interpreter, &mut choices) {
            Ok(state) => starts.push((choices.taken().to_vec(), state)),
            Err(Stop::Dropped) => {}
            Err(stop) => return Err(Halt { thread: interpreter.program.threads.len(), stop }),
        }
        if !choices.next_combination() {
            return Ok(starts);
        }
    }
}

/// Runs the setup with these choices.
pub fn setup_once(interpreter: &mut Interpreter, choices: &mut Choices) -> Result<State, Stop> {
    let mut state = interpreter.initial();
    let Some(setup) = interpreter.program.setup else { return Ok(with_history(state, interpreter)) };
    let index = state.threads.len();
    let mut thread = interpreter.new_thread(setup, &[]);
    thread.status = Status::Running;
    state.threads.push(thread.into());
    (interpreter.direct, interpreter.never_spurious) = (true, true);
    let result = run_alone(interpreter, &mut state, index, choices);
    (interpreter.direct, interpreter.never_spurious) = (false, false);
    match result {
        Err(Stop::Waits(_)) => {
            let span = interpreter.span(&state.threads[index]);
            return crate::interpret::fault("the setup waits for ever", span);
        }
        other => other?,
    }
    state.threads.truncate(index);
    Ok(with_history(state, interpreter))
}

/// The state at the start of the threads' history, on a machine that keeps one.
fn with_history(mut state: State, interpreter: &Interpreter) -> State {
    let machine = interpreter.machine;
    let threads = state.threads.len();
    if machine.has_history() {
        let mut clocks = Clocks::new(Rules::Jmm, threads);
        clocks.asks_for_memory = asks_for_memory(interpreter.program);
        clocks.path = (machine == Machine::JmmOver).then(|| Path::new(threads));
        state.history = Some(Rc::new(clocks));
    }
    state
}

fn run_alone(
    interpreter: &mut Interpreter,
    state: &mut State,
    thread: usize,
    choices: &mut Choices,
) -> Result<(), Stop> {
    for _ in 0..interpreter.longest {
        interpreter.instruction(state, thread, choices, &mut Nobody)?;
        match state.threads[thread].status {
            Status::Ended if state.monitors.is_empty() => return Ok(()),
            Status::Ended => {
                let message = "the setup ends while it holds a monitor".into();
                return Err(Stop::Failed(Fault { assertion: None, message, span: None }));
            }
            Status::Running => {}
            _ => return Err(Stop::Waits(Waiting::Condition)),
        }
    }
    Err(Stop::Limit(format!("the setup did not end within {} instructions", interpreter.longest)))
}
