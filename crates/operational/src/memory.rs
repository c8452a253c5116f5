//! Memory machines: how loads, stores, fences and read-modify-writes meet memory.
//!
//! The first three are exact: they have the same executions as the models of the same names in `models/` (a test compares
//! them).
//!
//! - [`Machine::Sc`]: every access meets memory at once.
//! - [`Machine::Tso`]: stores wait in a first-in-first-out buffer of their thread and get to memory at any time; loads look
//!   into their own thread's buffer first. A store-load fence waits until the buffer is empty.
//! - [`Machine::Pso`]: as with [`Machine::Tso`], but stores to different cells may leave the buffer in any order, unless a store-store
//!   fence stands between them.
//!
//! - [`Machine::JmmUnder`]: OpMM, an under-approximation of the Java memory model (De, Roychoudhury, D'Souza, "Java memory
//!   model aware software verification"). Actions are interleaved; a plain read sees any *past* write that no other write
//!   comes between in happens-before. Every execution found is allowed by Java's model; some allowed ones are not found, so
//!   this machine can show that a behaviour is allowed, never that it is forbidden. Their algorithm Mask&Read gives exactly
//!   that set, which is computed from vector clocks here. Deviations: initial writes come before everything; volatile reads
//!   acquire in every thread's view (their text, not their figure 4); reads that are neither plain nor volatile see the
//!   last write, as do read-modify-writes. Who reads a final field comes after the end of the constructor, if that has been:
//!   Java orders only what is reached through the field (JLS 17.5), so this leaves out executions and adds none. Final values
//!   of memory are not defined and may not be asked for.
//!
//! - [`Machine::JmmOver`]: JPR, an over-approximation of the same model; see [`crate::relax`].
//!
//! As in `models/tso.cat` and `models/pso.cat` the memory orders of C11 accesses mean nothing here: programs in C are compiled for
//! a machine before ([`mod@program::compile`]). A volatile store of Java is locked, as below. Fences of C11 count by what they order. Read-modify-writes and atomic blocks of more than one event are locked:
//! they wait until the buffer is empty and meet memory at once. So do locks, unlocks, and whatever else synchronizes, and so
//! do the freeing of a block and the allocation of one that may have been freed, which count as events of atomic
//! blocks.

use std::rc::Rc;

use program::{Access, EventKind, Extent, Operand, Operator, Order, RegisterId, Span, Storage, Update, Value};

use crate::choices::Choices;
use crate::fence::{FenceOrder, fence_order};
use crate::heap::Allocation;
use crate::interpret::{Interpreter, Modification, Reach, Stop, Waiting, fault, unsupported};
pub use crate::machine::Machine;
pub(crate) use crate::machine::is_final;
pub use crate::machine::is_identity;
use crate::observer::{MemoryEvent, Observer, Via};
use crate::state::{Buffered, State, Thread};
use crate::word::{Address, PathId, Word};

/// The path of a cell of every block that no access reaches: whether it is free.
pub const WHETHER_FREE: PathId = PathId(u32::MAX);

/// Whether a store waits for the buffer and meets memory at once: a volatile one of Java.
pub fn is_locked(access: &Access) -> bool {
    access.order == Order::SeqCst && access.tags.iter().any(|tag| matches!(&**tag, "V" | "volatile"))
}

impl Interpreter<'_> {
    /// Whether stores go to memory at once.
    fn is_direct(&self) -> bool {
        self.direct || !self.machine.has_buffers()
    }

    /// Waits until the thread's stores are in memory.
    pub(crate) fn drained(&self, state: &State, thread: usize) -> Result<(), Stop> {
        if state.threads[thread].buffer.is_empty() { Ok(()) } else { Err(Stop::Waits(Waiting::Buffer)) }
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn load<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        target: RegisterId,
        address: &Operand,
        access: &Access,
        span: Option<Span>,
        (choices, observer): (&mut Choices, &mut O),
    ) -> Result<(), Stop> {
        let address = self.operand(state, thread, address);
        let cell = self.accessed(state, address, Reach::read(access), span)?;
        let buffer = &state.threads[thread].buffer;
        if buffer.iter().any(|store| store.before_load) {
            return Err(Stop::Waits(Waiting::Buffer));
        }
        let own = buffer.iter().rev().find(|store| store.cell == cell).map(|store| store.value);
        let held = own.or_else(|| state.held(cell)).unwrap_or(Word::Undefined);
        let value = match self.is_relaxed(cell, access, span)? {
            true => {
                let (value, seen) = self.relaxed_read(state, thread, (cell, access), held, choices)?;
                seen.into_iter().for_each(|(writer, number)| observer.foresees(thread, writer, number));
                self.note_read(state, thread, (cell, access, true), value, seen)?;
                value
            }
            false => {
                let value = self.seen(state, thread, cell, access, held, choices);
                self.note_read(state, thread, (cell, access, false), value, None)?;
                value
            }
        };
        let via = if own.is_some() { Via::Buffer } else { Via::Memory };
        let event =
            MemoryEvent { thread, kind: EventKind::Read, cell: Some(cell), value: Some(value), access, span, via };
        self.event(state, event, observer);
        state.thread(thread).set(target, value);
        Ok(())
    }

    /// The value that a load sees: what the cell holds, or one of those that happens-before does not hide.
    fn seen(
        &self,
        state: &mut State,
        thread: usize,
        cell: Address,
        access: &Access,
        held: Word,
        choices: &mut Choices,
    ) -> Word {
        let may_choose = self.machine == Machine::JmmUnder && access.order == Order::Plain;
        if may_choose && is_final(access) {
            state.history().into_iter().for_each(|history| history.reads_final(thread, cell.allocation));
        }
        let Some(history) = state.history.as_ref().filter(|_| may_choose) else { return held };
        let values = history.visible(thread, cell, held);
        if values.len() == 1 { values[0] } else { values[choices.pick(values.len() as u32) as usize] }
    }

    /// Keeps a write for those who may see it.
    fn remember(&self, state: &mut State, thread: usize, cell: Address, held: Word, value: Word) {
        if let Some(history) = state.history().filter(|_| self.machine == Machine::JmmUnder) {
            history.written(thread, cell, held, value, false);
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn store<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        address: &Operand,
        value: &Operand,
        access: &Access,
        span: Option<Span>,
        observer: &mut O,
    ) -> Result<(), Stop> {
        let address = self.operand(state, thread, address);
        let cell = self.accessed(state, address, Reach::write(access), span)?;
        let value = self.operand(state, thread, value);
        let direct = self.is_direct() || is_locked(access);
        if direct {
            self.drained(state, thread)?;
        }
        let via = if direct { Via::Memory } else { Via::Buffer };
        let event =
            MemoryEvent { thread, kind: EventKind::Write, cell: Some(cell), value: Some(value), access, span, via };
        let held = state.held(cell).unwrap_or(Word::Undefined);
        match self.is_relaxed(cell, access, span)? {
            true => self.relaxed_write(state, thread, (cell, access), held, value)?,
            false => self.remember(state, thread, cell, held, value),
        }
        self.event(state, event, observer);
        if direct {
            state.put(cell, value);
        } else {
            let me = state.thread(thread);
            me.buffer.push(Buffered { cell, value, after_fence: me.fenced, before_load: false });
            me.fenced = false;
        }
        Ok(())
    }

    pub(crate) fn read_modify_write<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        modification: Modification,
        choices: &mut Choices,
        observer: &mut O,
    ) -> Result<(), Stop> {
        let Modification { target, address, update, access, span } = modification;
        let address = self.operand(state, thread, address);
        let cell = self.accessed(state, address, Reach::write(access), span)?;
        if !is_identity(access) {
            self.drained(state, thread)?;
        }
        if self.is_relaxed(cell, access, span)? {
            return unsupported("a read-modify-write that is not volatile on the machine jmm_over", span);
        }
        let old = state.held(cell).unwrap_or(Word::Undefined);
        let mut read_access = access;
        let new = match update {
            Update::Exchange(value) => Some(self.operand(state, thread, value)),
            Update::Apply(operator, value) => {
                let value = self.operand(state, thread, value);
                Some(self.compute(operator, &[old, value], span)?)
            }
            Update::CompareExchange { expected, desired, success, weak, failure } => {
                let expected = self.operand(state, thread, expected);
                let equal = self.compute(&Operator::Eq, &[old, expected], span)?.truth() == Some(true);
                let may_fail = *weak && !self.never_spurious;
                let succeeds = equal && !(may_fail && choices.pick(2) == 1);
                let desired = self.operand(state, thread, desired);
                state.thread(thread).set(*success, Word::int(i64::from(succeeds), 32));
                if !succeeds {
                    read_access = failure;
                }
                succeeds.then_some(desired)
            }
        };
        let (cell_, via) = (Some(cell), Via::Exclusive);
        let read = MemoryEvent {
            thread,
            kind: EventKind::Read,
            cell: cell_,
            value: Some(old),
            access: read_access,
            span,
            via,
        };
        self.event(state, read, observer);
        self.note_read(state, thread, (cell, access, false), old, None)?;
        if let Some(new) = new {
            let via = Via::Update;
            let write =
                MemoryEvent { thread, kind: EventKind::Write, cell: cell_, value: Some(new), access, span, via };
            self.remember(state, thread, cell, old, new);
            self.event(state, write, observer);
            state.put(cell, new);
        }
        state.thread(thread).set(target, old);
        Ok(())
    }

    pub(crate) fn fence<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        access: &Access,
        span: Option<Span>,
        observer: &mut O,
    ) -> Result<(), Stop> {
        if self.machine == Machine::JmmUnder && access.order == Order::SeqCst {
            // Clocks do not know what two full fences order.
            return unsupported("a full fence on the machine jmm_under", span);
        }
        if !self.is_direct() {
            match fence_order(self.machine, access) {
                None => return unsupported(&format!("this fence on the machine {}", self.machine.name()), span),
                Some(FenceOrder::Full) => self.drained(state, thread)?,
                Some(_) if state.threads[thread].buffer.is_empty() => {}
                Some(order) => {
                    let me = state.thread(thread);
                    me.fenced |= order == FenceOrder::Stores;
                    me.buffer.iter_mut().for_each(|store| store.before_load |= order == FenceOrder::Loads);
                }
            }
        }
        let via = Via::Memory;
        self.event(
            state,
            MemoryEvent { thread, kind: EventKind::Fence, cell: None, value: None, access, span, via },
            observer,
        );
        Ok(())
    }

    /// The end of a constructor that has set a final field.
    pub(crate) fn freeze<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        field: &Operand,
        span: Option<Span>,
        observer: &mut O,
    ) -> Result<(), Stop> {
        self.fence(state, thread, &Access::freeze(), span, observer)?;
        if self.machine == Machine::JmmUnder
            && let Word::Pointer(field) = self.operand(state, thread, field)
        {
            state.history().into_iter().for_each(|history| history.freeze(thread, field.allocation));
        }
        self.freeze_field(state, thread, field)
    }

    /// Which buffered stores of a thread may get to memory now.
    pub fn flushable(&self, state: &State, thread: usize) -> Vec<usize> {
        let buffer = &state.threads[thread].buffer;
        if self.machine.keeps_stores_in_order() {
            return (0..buffer.len().min(1)).collect();
        }
        let stays_behind = |index: usize| buffer[..index].iter().any(|store| store.cell == buffer[index].cell);
        let until = buffer.iter().position(|store| store.after_fence).unwrap_or(buffer.len());
        (0..until).filter(|&index| !stays_behind(index)).collect()
    }

    /// Puts a buffered store in memory.
    pub fn flush<O: Observer>(&mut self, state: &mut State, thread: usize, index: usize, observer: &mut O) {
        if index >= state.threads[thread].buffer.len() {
            return;
        }
        observer.flush(thread, index, state);
        let me = state.thread(thread);
        let store = me.buffer.remove(index);
        match me.buffer.first_mut() {
            Some(oldest) => oldest.after_fence = false,
            None => me.fenced = false,
        }
        state.put(store.cell, store.value);
    }

    pub(crate) fn allocate(
        &mut self,
        state: &mut State,
        thread: usize,
        target: RegisterId,
        (default, name, reuse): (&Value, u32, bool),
        span: Option<Span>,
        (choices, observer): (&mut Choices, &mut impl Observer),
    ) -> Result<(), Stop> {
        if reuse && !self.direct {
            self.drained(state, thread)?;
        }
        let default = self.words.word(default);
        let path = self.words.path(&[]);
        if let Some(allocation) = self.relaxed_object(state, thread, (name, default)) {
            observer.allocated(allocation);
            state.thread(thread).set(target, Word::Pointer(Address { allocation, path }));
            return Ok(());
        }
        let fresh = Allocation { name, default, cells: Vec::new(), freed: false, reuse };
        let size = |name: u32| self.size_named(name);
        let is_free = |allocation: &Rc<Allocation>| {
            reuse && allocation.freed && allocation.reuse && size(allocation.name) == size(name)
        };
        let free: Vec<usize> = (0..state.heap.len()).filter(|&index| is_free(&state.heap[index])).collect();
        let picked = if free.is_empty() { 0 } else { choices.pick(free.len() as u32 + 1) as usize };
        let allocation = match picked.checked_sub(1) {
            Some(picked) => {
                // It keeps what it held, and stores to it may still be on their way.
                state.heap.set_freed(free[picked], false);
                self.passes_block_on(EventKind::Lock, state, thread, free[picked] as u32);
                free[picked]
            }
            None => {
                state.heap.push(fresh);
                let allocation = state.heap.len() - 1;
                if let Some(history) = state.history() {
                    history.allocated(allocation as u32);
                }
                observer.allocated(allocation as u32);
                allocation
            }
        };
        if reuse {
            observer.given(thread, allocation as u32, picked == 0, span);
        }
        let pointer = Word::Pointer(Address { allocation: allocation as u32, path });
        state.thread(thread).set(target, pointer);
        Ok(())
    }

    pub(crate) fn free(
        &mut self,
        state: &mut State,
        thread: usize,
        address: &Operand,
        span: Option<Span>,
        observer: &mut impl Observer,
    ) -> Result<(), Stop> {
        let pointer = self.operand(state, thread, address);
        let Word::Pointer(address) = pointer else {
            return fault("what is no pointer is freed", span);
        };
        let globals = self.program.globals.len() as u32;
        if address.path != self.words.path(&[]) || address.allocation < globals {
            return fault("a pointer is freed that is not the start of an allocated block", span);
        }
        if state.heap.get(address.allocation as usize).is_some_and(|allocation| !allocation.reuse) {
            return fault("a block is freed that was not allocated to be freed", span);
        }
        if !self.direct {
            self.drained(state, thread)?;
        }
        let block = state.heap.get(address.allocation as usize);
        if block.is_none_or(|allocation| allocation.freed) {
            let name = block.and_then(|allocation| self.name(allocation)).map_or("a block", |name| name);
            return fault(&Extent::freed_twice(name), span);
        }
        self.end_block(state, thread, address.allocation, span)?;
        self.passes_block_on(EventKind::Unlock, state, thread, address.allocation);
        observer.freed(thread, address.allocation, span);
        Ok(())
    }

    /// A block is freed, or its life ends: stores of others to it must be in memory, but for that of a pool.
    pub(crate) fn end_block(
        &self,
        state: &mut State,
        thread: usize,
        allocation: u32,
        span: Option<Span>,
    ) -> Result<(), Stop> {
        let is_late = |(other, thread_of): (usize, &Rc<Thread>)| {
            other != thread && thread_of.buffer.iter().any(|store| store.cell.allocation == allocation)
        };
        let Some(block) = state.heap.get(allocation as usize) else { return Ok(()) };
        if state.threads.iter().enumerate().any(is_late) {
            let name = self.name(block).map_or("a block", |name| name);
            match self.size_named(block.name) {
                Some((_, Storage::Heap)) => return fault(&Extent::late(name), span),
                Some((_, storage)) if storage.is_left() => return fault(&Extent::late_in_scope(name), span),
                _ => {}
            }
        }
        state.heap.set_freed(allocation as usize, true);
        Ok(())
    }

    /// Who gives a block back comes before who gets it next: as if the block had a monitor for that.
    fn passes_block_on(&self, kind: EventKind, state: &mut State, thread: usize, allocation: u32) {
        let cell = Some(Address { allocation, path: WHETHER_FREE });
        if let Some(history) = state.history().filter(|_| !self.direct) {
            history.event(thread, kind, cell, &Access::plain(), Via::Memory);
        }
    }
}
