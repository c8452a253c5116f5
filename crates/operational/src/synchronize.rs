//! Monitors, threads that start and end, permits. On machines with buffers each of these waits until the thread's stores
//! are in memory. A thread waits until it is notified: that a wait may end otherwise is a choice which the
//! front ends write before it.

use std::rc::Rc;

use program::{Access, EventKind, FunctionId, InstructionKind, Operand, RegisterId};

use crate::choices::Choices;
use crate::interpret::{Interpreter, Step, Stop, Waiting, fault, step_over};
use crate::limits::{MOST_THREADS, too_many_threads};
use crate::observer::{MemoryEvent, Observer, Sync, Via};
use crate::state::{State, Status};
use crate::word::{Address, Word};

impl Interpreter<'_> {
    /// Does an instruction that synchronizes, but for `wait`, after which the thread does not go on.
    pub(crate) fn synchronize<O: Observer>(
        &mut self,
        kind: &InstructionKind,
        step: &mut Step<O>,
        choices: &mut Choices,
    ) -> Result<(), Stop> {
        use InstructionKind::*;
        match kind {
            Lock { monitor } => self.lock(step, monitor),
            Unlock { monitor } => self.unlock(step, monitor),
            Notify { monitor, all } => self.notify(step, monitor, *all, choices),
            Spawn { target, function, arguments } => self.spawn(step, *target, *function, arguments),
            Join { thread } => self.join(step, thread),
            Park => self.park(step),
            Unpark { thread } => self.unpark(step, thread),
            _ => Ok(()),
        }
    }

    fn monitor<O>(&mut self, step: &Step<O>, monitor: &Operand) -> Result<Address, Stop> {
        let monitor = self.operand(step.state, step.thread, monitor);
        self.cell(step.state, monitor, step.span)
    }

    fn lock<O: Observer>(&mut self, step: &mut Step<O>, monitor: &Operand) -> Result<(), Stop> {
        let address = self.monitor(step, monitor)?;
        self.drained(step.state, step.thread)?;
        self.acquire(step, address, 1)
    }

    /// Takes a monitor `times` times, if no other thread holds it.
    fn acquire<O: Observer>(&mut self, step: &mut Step<O>, address: Address, times: u32) -> Result<(), Stop> {
        let held = match step.state.monitor(address) {
            Some(held) if held.owner as usize != step.thread => return Err(Stop::Waits(Waiting::Monitor(address))),
            Some(held) => held.count,
            None => 0,
        };
        self.on_monitor(EventKind::Lock, step, address);
        step.state.hold(address, step.thread as u32, held + times);
        Ok(())
    }

    fn unlock<O: Observer>(&mut self, step: &mut Step<O>, monitor: &Operand) -> Result<(), Stop> {
        let (address, held) = self.released(step, monitor)?;
        step.state.hold(address, step.thread as u32, held - 1);
        Ok(())
    }

    /// A monitor that the thread releases, and how many times it held it.
    fn released<O: Observer>(&mut self, step: &mut Step<O>, monitor: &Operand) -> Result<(Address, u32), Stop> {
        let address = self.monitor(step, monitor)?;
        let held = held_by(step, address)?;
        self.drained(step.state, step.thread)?;
        self.on_monitor(EventKind::Unlock, step, address);
        Ok((address, held))
    }

    pub(crate) fn wait<O: Observer>(&mut self, step: &mut Step<O>, monitor: &Operand) -> Result<(), Stop> {
        let (address, held) = self.released(step, monitor)?;
        step.state.hold(address, step.thread as u32, 0);
        step.state.thread(step.thread).status = Status::Waiting(address, held);
        Ok(())
    }

    /// A notified thread takes its monitor again and goes on after its `wait`.
    pub fn resume<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        (address, times): (Address, u32),
        observer: &mut O,
    ) -> Result<(), Stop> {
        let span = self.span(&state.threads[thread]);
        self.acquire(&mut Step { state: &mut *state, thread, span, observer }, address, times)?;
        let me = state.thread(thread);
        me.status = Status::Running;
        step_over(me);
        Ok(())
    }

    fn notify<O: Observer>(
        &mut self,
        step: &mut Step<O>,
        monitor: &Operand,
        all: bool,
        choices: &mut Choices,
    ) -> Result<(), Stop> {
        let address = self.monitor(step, monitor)?;
        held_by(step, address)?;
        self.drained(step.state, step.thread)?;
        let threads = &step.state.threads;
        let waits = |index: &usize| matches!(threads[*index].status, Status::Waiting(at, _) if at == address);
        let mut waiting: Vec<usize> = (0..threads.len()).filter(waits).collect();
        if !all && waiting.len() > 1 {
            let picked = choices.pick(waiting.len() as u32) as usize;
            waiting = vec![waiting[picked]];
        }
        step.observer.notified(address, waiting.len());
        for index in waiting {
            let other = step.state.thread(index);
            if let Status::Waiting(at, times) = other.status {
                other.status = Status::Notified(at, times);
            }
        }
        Ok(())
    }

    fn spawn<O: Observer>(
        &mut self,
        step: &mut Step<O>,
        target: RegisterId,
        function: FunctionId,
        arguments: &[Operand],
    ) -> Result<(), Stop> {
        if self.direct {
            return crate::interpret::unsupported("a thread that starts in the setup or in a serial run", step.span);
        }
        let Step { state, thread, .. } = step;
        self.drained(state, *thread)?;
        let arguments: Vec<Word> = arguments.iter().map(|argument| self.operand(state, *thread, argument)).collect();
        let started = state.threads.len();
        if started >= MOST_THREADS {
            return Err(Stop::Limit(too_many_threads()));
        }
        state.threads.push(Rc::new(self.new_thread(function, &arguments)));
        self.relaxed_start(state, *thread, step.span)?;
        self.order(state, Sync::Start(*thread, started), step.observer);
        state.thread(*thread).set(target, Word::int(started as i64, 64));
        Ok(())
    }

    /// The thread that a handle names.
    fn handle<O>(&mut self, step: &Step<O>, handle: &Operand) -> Result<usize, Stop> {
        let handle = self.operand(step.state, step.thread, handle).as_int();
        let index = handle.and_then(|int| usize::try_from(int.signed()).ok());
        match index.filter(|&index| index < step.state.threads.len()) {
            Some(index) => Ok(index),
            None => fault("what names no thread is joined or unparked", step.span),
        }
    }

    fn join<O: Observer>(&mut self, step: &mut Step<O>, other: &Operand) -> Result<(), Stop> {
        let other = self.handle(step, other)?;
        self.drained(step.state, step.thread)?;
        if !step.state.is_over(other) {
            return Err(Stop::Waits(Waiting::End(other)));
        }
        self.order(step.state, Sync::Join(step.thread, other), step.observer);
        Ok(())
    }

    fn park<O: Observer>(&mut self, step: &mut Step<O>) -> Result<(), Stop> {
        self.drained(step.state, step.thread)?;
        if !step.state.threads[step.thread].permit {
            return Err(Stop::Waits(Waiting::Permit));
        }
        self.order(step.state, Sync::Park(step.thread), step.observer);
        step.state.thread(step.thread).permit = false;
        Ok(())
    }

    fn unpark<O: Observer>(&mut self, step: &mut Step<O>, other: &Operand) -> Result<(), Stop> {
        let other = self.handle(step, other)?;
        self.drained(step.state, step.thread)?;
        self.order(step.state, Sync::Unpark(step.thread, other), step.observer);
        step.state.thread(other).permit = true;
        Ok(())
    }

    fn on_monitor<O: Observer>(&self, kind: EventKind, step: &mut Step<O>, address: Address) {
        let (access, via) = (&Access::plain(), Via::Memory);
        let (thread, span) = (step.thread, step.span);
        let event = MemoryEvent { thread, kind, cell: Some(address), value: None, access, span, via };
        self.event(step.state, event, step.observer);
    }
}

/// How many times the thread holds the monitor; an error if it does not.
fn held_by<O>(step: &Step<O>, address: Address) -> Result<u32, Stop> {
    match step.state.monitor(address) {
        Some(held) if held.owner as usize == step.thread => Ok(held.count),
        _ => fault("the thread does not hold the monitor", step.span),
    }
}
