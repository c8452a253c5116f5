//! What can be watched while a program runs.

use std::sync::Arc;

use program::{Access, BlockId, EventKind, FunctionId, Span};

use crate::state::State;
use crate::word::{Address, Word, Words};

pub use crate::happens_before::{Sync, Via};

/// Something a thread did that a memory model speaks of.
pub struct MemoryEvent<'a> {
    /// Who.
    pub thread: usize,
    /// What.
    pub kind: EventKind,
    /// The cell or monitor.
    pub cell: Option<Address>,
    /// The value read, written or shown.
    pub value: Option<Word>,
    /// How a memory model sees it.
    pub access: &'a Access,
    /// The statement.
    pub span: Option<Span>,
    /// How it meets memory.
    pub via: Via,
}

/// Watches a run. Every method does nothing unless it is overridden.
pub trait Observer {
    /// A thread did something that a memory model speaks of; `state` is the one just before.
    fn event(&mut self, event: MemoryEvent, state: &State, words: &Words) {
        let _ = (event, state, words);
    }

    /// The read that a thread does next sees a write that is still to come: that of the thread with this name, after so many
    /// others of it to the cell. Only on the machine jmm_over.
    fn foresees(&mut self, thread: usize, writer: u32, number: u32) {
        let _ = (thread, writer, number);
    }

    /// The buffered store number `index` of a thread goes to memory; `state` is the one just before.
    fn flush(&mut self, thread: usize, index: usize, state: &State) {
        let _ = (thread, index, state);
    }

    /// A thread frees a block.
    fn freed(&mut self, thread: usize, allocation: u32, span: Option<Span>) {
        let _ = (thread, allocation, span);
    }

    /// A thread is given a block that may be reused, a new one or one that was freed.
    fn given(&mut self, thread: usize, allocation: u32, is_new: bool, span: Option<Span>) {
        let _ = (thread, allocation, is_new, span);
    }

    /// A new block is allocated.
    fn allocated(&mut self, allocation: u32) {
        let _ = allocation;
    }

    /// The allocations have new numbers: each its place here; those with a number past the end are dropped.
    fn renumbered(&mut self, numbers: &[u32]) {
        let _ = numbers;
    }

    /// So many threads were notified.
    fn notified(&mut self, monitor: Address, woken: usize) {
        let _ = (monitor, woken);
    }

    /// Threads are ordered.
    fn sync(&mut self, sync: Sync) {
        let _ = sync;
    }

    /// A value is shown.
    fn shows(&mut self, thread: usize, label: &Arc<str>, value: Word, words: &Words) {
        let _ = (thread, label, value, words);
    }

    /// A function is entered.
    fn enters(&mut self, thread: usize, function: FunctionId) {
        let _ = (thread, function);
    }

    /// A function was entered: the state just after.
    fn entered(&mut self, thread: usize, function: FunctionId, state: &State) {
        let _ = (thread, function, state);
    }

    /// A function goes from one block to another.
    fn jumps(&mut self, thread: usize, function: FunctionId, from: BlockId, to: BlockId) {
        let _ = (thread, function, from, to);
    }

    /// An atomic block of a thread begins (`true`) or ends.
    fn atomic(&mut self, thread: usize, begins: bool) {
        let _ = (thread, begins);
    }

    /// The innermost call of a thread returns.
    fn returns(&mut self, thread: usize) {
        let _ = thread;
    }
}

/// Watches nothing.
pub struct Nobody;

impl Observer for Nobody {}
