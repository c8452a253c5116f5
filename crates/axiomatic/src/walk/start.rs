//! How `main` of a whole program starts and joins threads, how these begin and end, and where threads wait for ever.
//!
//! Before the first start and after all threads have been joined `main` is alone: its accesses are no events. In between,
//! a message says that a thread started, or ended, where some access depends on it: a release write to a cell of its own
//! that an acquire read sees, with full fences around for models of machines.

use program::{
    Access, EventKind, Instruction, InstructionKind, Operand, Operator, Order, Pointer, RegisterId, Span, ThreadId,
    Unsupported, Value,
};

use super::whole::{Mark, Whole};
use super::{Decision, Domain, Memory, State, Walk, set};
use crate::unroll::code;

/// How a thread begins.
pub struct Beginning<D: Domain> {
    guard: D::Guard,
    arguments: Vec<D::Value>,
    span: Option<Span>,
}

impl<'a, D: Domain> Walk<'a, D> {
    /// How this thread starts the others, if it is `main` of a whole program.
    pub(super) fn main(&self) -> Option<&'a Whole> {
        self.whole.filter(|_| self.unrolled.thread == Whole::MAIN)
    }

    /// How this thread was started, if it is another one of a whole program.
    fn of_whole(&self) -> Option<&'a Whole> {
        self.whole.filter(|_| self.unrolled.thread != Whole::MAIN)
    }

    /// Whether an access of this place is one of the thread's own memory, and no event.
    pub(super) fn is_own(&self, node: usize, state: &State<D>) -> bool {
        state.alone || self.main().is_some_and(|whole| whole.is_own((node, self.position)))
    }

    /// Whether `main` never goes this way; the domain gets the way as an argument.
    pub(super) fn is_dead(&mut self, (node, successor): (usize, usize), state: &State<D>) -> bool {
        let Some(whole) = self.main() else { return false };
        self.domain.edge(node, successor, &state.guard);
        whole.is_dead((node, successor))
    }

    /// Whether the thread is alone where two paths meet: it must be on both, or on none.
    pub(super) fn same_company(&self, first: &State<D>, second: &State<D>) -> Result<bool, Unsupported> {
        let is_same = first.alone == second.alone && first.memory.is_last == second.memory.is_last;
        if is_same || self.main().is_some_and(Whole::is_scouting) {
            return Ok(first.alone && second.alone);
        }
        let span = code(self.program, self.unrolled.thread).and_then(|function| function.span);
        Err(Unsupported::new("threads that are started or joined on some paths only, in this engine", span))
    }

    /// The state in which a thread ends, whichever way. Nothing depends on the memory of `main` any more.
    pub(super) fn join_ends(&mut self, mut first: State<D>, mut second: State<D>) -> Result<State<D>, Unsupported> {
        if self.main().is_some() {
            for state in [&mut first, &mut second] {
                (state.alone, state.memory) = (true, Memory { cells: Default::default(), is_last: false });
            }
        }
        self.join(first, second)
    }

    /// Gives a thread that `main` starts its arguments.
    pub(super) fn begin(&mut self, parameters: &[RegisterId], state: &mut State<D>) -> Result<(), Unsupported> {
        let Some(whole) = self.of_whole() else { return Ok(()) };
        let thread = self.unrolled.thread;
        let Some(beginning) = self.started.get(&thread) else {
            state.guard = self.domain.truth(false);
            return Ok(());
        };
        state.guard = beginning.guard.clone();
        for (parameter, argument) in parameters.iter().zip(&beginning.arguments) {
            state.registers[parameter.index()].0 = argument.clone();
        }
        let span = beginning.span;
        if whole.announces_start(thread) {
            self.receive(0, whole.start_cell(thread), span, state)?;
        }
        Ok(())
    }

    /// Says that a thread that `main` started has ended.
    pub(super) fn end(&mut self, node: usize, state: &State<D>) -> Result<(), Unsupported> {
        let thread = self.unrolled.thread;
        match self.of_whole() {
            Some(whole) if whole.announces_end(thread) => self.send(node, whole.end_cell(thread), None, state),
            _ => Ok(()),
        }
    }

    /// A `spawn` or `join` of `main`.
    pub(super) fn start_or_join(
        &mut self,
        node: usize,
        instruction: &Instruction,
        state: &mut State<D>,
    ) -> Result<(), Unsupported> {
        let Some(whole) = self.main() else { return Ok(()) };
        match &instruction.kind {
            InstructionKind::Spawn { target, arguments, .. } => {
                self.start(whole, node, (*target, arguments), instruction.span, state)
            }
            InstructionKind::Join { thread } => self.join_thread(whole, node, thread, instruction.span, state),
            _ => Ok(()),
        }
    }

    fn start(
        &mut self,
        whole: &Whole,
        node: usize,
        (target, arguments): (RegisterId, &[Operand]),
        span: Option<Span>,
        state: &mut State<D>,
    ) -> Result<(), Unsupported> {
        let Some(thread) = whole.started_at((node, self.position)) else {
            return Err(Unsupported::new("a thread that is started here, in this engine", span));
        };
        let arguments = arguments.iter().map(|argument| self.operand(argument, state).0).collect();
        if state.alone {
            if !self.started.is_empty() && !whole.is_scouting() {
                let what = "a thread that is the first to be started on some paths only, in this engine";
                return Err(Unsupported::new(what, span));
            }
            self.domain.initial(state.memory.cells.clone());
            state.memory.cells.retain(|cell, _| !whole.is_shared(cell));
            state.alone = false;
        }
        self.domain.mark(node, Mark::Start(thread));
        if whole.announces_start(thread) {
            self.send(node, whole.start_cell(thread), span, state)?;
        }
        self.started.insert(thread, Beginning { guard: state.guard.clone(), arguments, span });
        state.running.insert(thread);
        let handle = self.domain.constant(&Value::int(i64::from(thread.0), 64));
        set(state, target, handle, Vec::new());
        Ok(())
    }

    fn join_thread(
        &mut self,
        whole: &Whole,
        node: usize,
        handle: &Operand,
        span: Option<Span>,
        state: &mut State<D>,
    ) -> Result<(), Unsupported> {
        let at = (node, self.position);
        let handle = self.operand(handle, state).0;
        let Some(thread) = whole.joined_at(at).or_else(|| self.one_thread(&handle)) else {
            if whole.is_scouting() {
                return Ok(());
            }
            let what = "a join of a thread that is not the same in every execution, or of none, in this engine";
            return Err(Unsupported::new(what, span));
        };
        self.domain.mark(node, Mark::Join(at, thread));
        let named = self.domain.constant(&Value::int(i64::from(thread.0), 64));
        let refuse = |what: String| Unsupported::new(what, span);
        let is_named = self.domain.apply(&Operator::Eq, &[handle, named]).map_err(refuse)?;
        let decision = Decision { thread: self.unrolled.thread, span: None, read: false };
        let (is_named, _) = self.domain.decide(&is_named, decision);
        self.domain.check(&state.guard, &is_named, "what names no thread is joined", span);
        if self.extras.deadlocks {
            let ended = self.domain.ended(thread);
            state.guard = self.domain.both(&state.guard, &ended);
        }
        if whole.announces_end(thread) {
            self.receive(node, whole.end_cell(thread), span, state)?;
        }
        state.running.remove(&thread);
        if !state.alone && state.running.is_empty() && !whole.starts_after(at) {
            (state.alone, state.memory.is_last) = (true, true);
        }
        Ok(())
    }

    /// The one thread that a handle may name.
    fn one_thread(&mut self, handle: &D::Value) -> Option<ThreadId> {
        let numbers = self.domain.numbers(handle)?;
        let [number] = numbers[..] else { return None };
        let thread = ThreadId(u32::try_from(number).ok()?);
        self.started.contains_key(&thread).then_some(thread)
    }

    /// Full fence, then a release write: what came before is before all that comes after [`Walk::receive`].
    fn send(&mut self, node: usize, cell: Pointer, span: Option<Span>, state: &State<D>) -> Result<(), Unsupported> {
        self.full_fence(node, span, state)?;
        let always = self.domain.truth(true);
        let mut site = self.site(node, EventKind::Write, span, vec![(Access::ordered(Order::Release), always)], state);
        site.address = Some(self.domain.constant(&Value::Pointer(cell)));
        site.value = Some(self.domain.constant(&Value::int(1, 32)));
        self.domain.event(site).map_err(|what| Unsupported::new(what, span))?;
        Ok(())
    }

    /// An acquire read that sees the message, then a full fence.
    fn receive(&mut self, node: usize, cell: Pointer, span: Option<Span>, state: &State<D>) -> Result<(), Unsupported> {
        let refuse = |what: String| Unsupported::new(what, span);
        let always = self.domain.truth(true);
        let mut site = self.site(node, EventKind::Read, span, vec![(Access::ordered(Order::Acquire), always)], state);
        site.address = Some(self.domain.constant(&Value::Pointer(cell)));
        let (_, received) = self.domain.event(site).map_err(refuse)?;
        let one = self.domain.constant(&Value::int(1, 32));
        let received = received.unwrap_or_else(|| self.domain.constant(&Value::Undefined));
        let received = self.domain.apply(&Operator::Eq, &[received, one]).map_err(refuse)?;
        let decision = Decision { thread: self.unrolled.thread, span: None, read: true };
        let (received, _) = self.domain.decide(&received, decision);
        self.domain.assume(&state.guard, &received);
        self.full_fence(node, span, state)
    }

    fn full_fence(&mut self, node: usize, span: Option<Span>, state: &State<D>) -> Result<(), Unsupported> {
        let always = self.domain.truth(true);
        let full = Access::plain().tagged("MFENCE");
        let site = self.site(node, EventKind::Fence, span, vec![(full, always)], state);
        self.domain.event(site).map_err(|what| Unsupported::new(what, span))?;
        Ok(())
    }

    /// The end of a constructor that has set a final field: a fence that names the field.
    pub(super) fn freeze(
        &mut self,
        node: usize,
        field: &Operand,
        span: Option<Span>,
        state: &State<D>,
    ) -> Result<(), String> {
        let always = self.domain.truth(true);
        let mut site = self.site(node, EventKind::Fence, span, vec![(Access::freeze(), always)], state);
        site.address = self.address(field, state).0;
        self.domain.event(site).map(|_| ())
    }

    /// Where an atomic block begins that awaits something: the thread waits there for ever, or goes on. It waits if what
    /// it waits for is not so in the memory that all threads leave. `rest` is what follows in the block.
    pub(super) fn wait_or_go_on(
        &mut self,
        node: usize,
        rest: &[Instruction],
        state: &mut State<D>,
    ) -> Result<(), Unsupported> {
        let ends = rest.iter().position(|i| matches!(i.kind, InstructionKind::AtomicEnd)).unwrap_or(rest.len());
        let awaits = |i: &Instruction| matches!(i.kind, InstructionKind::Await { .. });
        let Some(awaited) = rest[..ends].iter().position(awaits) else { return Ok(()) };
        let InstructionKind::Await { condition } = &rest[awaited].kind else { return Ok(()) };
        let mut waiting = state.clone();
        [waiting.guard, state.guard] = self.domain.part(&state.guard);
        if !waiting.alone {
            (waiting.alone, waiting.memory.is_last) = (true, true);
        }
        for instruction in &rest[..awaited] {
            if !matches!(instruction.kind, InstructionKind::Load { .. } | InstructionKind::Assign { .. }) {
                let what = "waiting for something that is not just read, in this engine";
                return Err(Unsupported::new(what, instruction.span));
            }
            self.instruction(node, instruction, &mut waiting)?;
        }
        let (value, _) = self.operand(condition, &waiting);
        let (_, waits) = self.truth(&value, true, rest[awaited].span, &waiting.guard);
        self.domain.stuck(self.unrolled.thread, &waiting.guard, &waits, rest[awaited].span);
        Ok(())
    }
}
