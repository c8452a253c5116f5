//! Monitors, threads that start and end, permits. On machines with buffers each of these waits until the thread's stores
//! are in memory. A thread waits until it is notified: that a wait may end otherwise is a choice which the
//! front ends write before it.

use std::rc::Rc;

use program::{Access, EventKind, FunctionId, Operand, RegisterId, Span};

use crate::choices::Choices;
use crate::interpret::{Interpreter, Stop, Waiting, fault, step_over};
use crate::limits::{MOST_THREADS, too_many_threads};
use crate::observer::{MemoryEvent, Observer, Sync, Via};
use crate::state::{State, Status};
use crate::word::{Address, Word};

impl Interpreter<'_> {
    fn monitor(
        &mut self,
        state: &State,
        thread: usize,
        monitor: &Operand,
        span: Option<Span>,
    ) -> Result<Address, Stop> {
        let monitor = self.operand(state, thread, monitor);
        self.cell(state, monitor, span)
    }

    pub(crate) fn lock<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        monitor: &Operand,
        span: Option<Span>,
        observer: &mut O,
    ) -> Result<(), Stop> {
        let address = self.monitor(state, thread, monitor, span)?;
        self.drained(state, thread)?;
        self.acquire(state, thread, address, 1, span, observer)
    }

    /// Takes a monitor `times` times, if no other thread holds it.
    fn acquire<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        address: Address,
        times: u32,
        span: Option<Span>,
        observer: &mut O,
    ) -> Result<(), Stop> {
        let held = match state.monitor(address) {
            Some(held) if held.owner as usize != thread => return Err(Stop::Waits(Waiting::Monitor(address))),
            Some(held) => held.count,
            None => 0,
        };
        self.on_monitor(EventKind::Lock, state, thread, address, span, observer);
        state.hold(address, thread as u32, held + times);
        Ok(())
    }

    pub(crate) fn unlock<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        monitor: &Operand,
        span: Option<Span>,
        observer: &mut O,
    ) -> Result<(), Stop> {
        let address = self.monitor(state, thread, monitor, span)?;
        let held = self.held_by(state, thread, address, span)?;
        self.drained(state, thread)?;
        self.on_monitor(EventKind::Unlock, state, thread, address, span, observer);
        state.hold(address, thread as u32, held - 1);
        Ok(())
    }

    /// How many times the thread holds the monitor; an error if it does not.
    fn held_by(&self, state: &State, thread: usize, address: Address, span: Option<Span>) -> Result<u32, Stop> {
        match state.monitor(address) {
            Some(held) if held.owner as usize == thread => Ok(held.count),
            _ => fault("the thread does not hold the monitor", span),
        }
    }

    pub(crate) fn wait<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        monitor: &Operand,
        span: Option<Span>,
        observer: &mut O,
    ) -> Result<(), Stop> {
        let address = self.monitor(state, thread, monitor, span)?;
        let held = self.held_by(state, thread, address, span)?;
        self.drained(state, thread)?;
        self.on_monitor(EventKind::Unlock, state, thread, address, span, observer);
        state.hold(address, thread as u32, 0);
        state.thread(thread).status = Status::Waiting(address, held);
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
        self.acquire(state, thread, address, times, span, observer)?;
        let me = state.thread(thread);
        me.status = Status::Running;
        step_over(me);
        Ok(())
    }

    pub(crate) fn notify<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        (monitor, all): (&Operand, bool),
        span: Option<Span>,
        choices: &mut Choices,
        observer: &mut O,
    ) -> Result<(), Stop> {
        let address = self.monitor(state, thread, monitor, span)?;
        self.held_by(state, thread, address, span)?;
        self.drained(state, thread)?;
        let waits = |index: &usize| matches!(state.threads[*index].status, Status::Waiting(at, _) if at == address);
        let mut waiting: Vec<usize> = (0..state.threads.len()).filter(waits).collect();
        if !all && waiting.len() > 1 {
            let picked = choices.pick(waiting.len() as u32) as usize;
            waiting = vec![waiting[picked]];
        }
        observer.notified(address, waiting.len());
        for index in waiting {
            let other = state.thread(index);
            if let Status::Waiting(at, times) = other.status {
                other.status = Status::Notified(at, times);
            }
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn spawn<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        target: RegisterId,
        function: FunctionId,
        arguments: &[Operand],
        span: Option<Span>,
        observer: &mut O,
    ) -> Result<(), Stop> {
        if self.direct {
            return crate::interpret::unsupported("a thread that starts in the setup or in a serial run", span);
        }
        self.drained(state, thread)?;
        let arguments: Vec<Word> = arguments.iter().map(|argument| self.operand(state, thread, argument)).collect();
        let started = state.threads.len();
        if started >= MOST_THREADS {
            return Err(Stop::Limit(too_many_threads()));
        }
        state.threads.push(Rc::new(self.new_thread(function, &arguments)));
        self.relaxed_start(state, thread, span)?;
        self.order(state, Sync::Start(thread, started), observer);
        state.thread(thread).set(target, Word::int(started as i64, 64));
        Ok(())
    }

    /// The thread that a handle names.
    fn handle(&mut self, state: &State, thread: usize, handle: &Operand, span: Option<Span>) -> Result<usize, Stop> {
        let handle = self.operand(state, thread, handle).as_int();
        let index = handle.and_then(|int| usize::try_from(int.signed()).ok());
        match index.filter(|&index| index < state.threads.len()) {
            Some(index) => Ok(index),
            None => fault("what names no thread is joined or unparked", span),
        }
    }

    pub(crate) fn join<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        other: &Operand,
        span: Option<Span>,
        observer: &mut O,
    ) -> Result<(), Stop> {
        let other = self.handle(state, thread, other, span)?;
        self.drained(state, thread)?;
        if !state.is_over(other) {
            return Err(Stop::Waits(Waiting::End(other)));
        }
        self.order(state, Sync::Join(thread, other), observer);
        Ok(())
    }

    pub(crate) fn park<O: Observer>(&mut self, state: &mut State, thread: usize, observer: &mut O) -> Result<(), Stop> {
        self.drained(state, thread)?;
        if !state.threads[thread].permit {
            return Err(Stop::Waits(Waiting::Permit));
        }
        self.order(state, Sync::Park(thread), observer);
        state.thread(thread).permit = false;
        Ok(())
    }

    pub(crate) fn unpark<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        other: &Operand,
        span: Option<Span>,
        observer: &mut O,
    ) -> Result<(), Stop> {
        let other = self.handle(state, thread, other, span)?;
        self.drained(state, thread)?;
        self.order(state, Sync::Unpark(thread, other), observer);
        state.thread(other).permit = true;
        Ok(())
    }

    fn on_monitor<O: Observer>(
        &self,
        kind: EventKind,
        state: &mut State,
        thread: usize,
        address: Address,
        span: Option<Span>,
        observer: &mut O,
    ) {
        let (access, via) = (&Access::plain(), Via::Memory);
        let event = MemoryEvent { thread, kind, cell: Some(address), value: None, access, span, via };
        self.event(state, event, observer);
    }
}
