//! States of a running program. A clone shares everything; what changes is copied when it changes.

use std::rc::Rc;

use program::{BlockId, FunctionId, Program, RegisterId};

use crate::happens_before::Clocks;
use crate::heap::Heap;
use crate::word::{Address, Word};

/// A state: threads, memory and monitors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The threads of the program in order, then those started since.
    pub threads: Vec<Rc<Thread>>,
    /// Memory by allocation.
    pub heap: Heap,
    /// The monitors that are held, by address.
    pub monitors: Rc<Vec<Monitor>>,
    /// What happened before what, and the writes that reads may see, on machines that need it.
    pub history: Option<Rc<Clocks>>,
}

/// A thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Where it is in its life.
    pub status: Status,
    /// Active calls, outermost first.
    pub frames: Vec<Frame>,
    /// The registers of all active calls; of an ended thread of the program those of its entry function.
    pub registers: Vec<Word>,
    /// Stores that are not in memory yet, oldest first.
    pub buffer: Vec<Buffered>,
    /// Whether a store fence stands after the last buffered store. Invariant: false while the buffer is empty.
    pub fenced: bool,
    /// Whether it may pass its next `park`.
    pub permit: bool,
}

/// Where a thread is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Status {
    /// It has not started.
    #[default]
    New,
    /// It runs, or waits at its next instruction.
    Running,
    /// It waits to be notified; then it takes the monitor again as often as it held it.
    Waiting(Address, u32),
    /// It was notified, and waits for the monitor.
    Notified(Address, u32),
    /// It came to its end.
    Ended,
    /// It stopped at an error.
    Failed,
    /// It runs on without meeting shared memory, for ever as far as it was followed, and is not followed any further. Its active
    /// calls say where it was, its registers are forgotten.
    Endless,
}

/// An active call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// What is called.
    pub function: FunctionId,
    /// The block it is in.
    pub block: BlockId,
    /// The next instruction; the number of instructions stands for the terminator.
    pub next: u32,
    /// Where its registers start.
    pub base: u32,
}

/// A store in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buffered {
    /// The cell.
    pub cell: Address,
    /// The value.
    pub value: Word,
    /// Whether a store fence stands between the store before this one and this one. Invariant: false for the oldest.
    pub after_fence: bool,
    /// Whether it must be in memory before the thread's next load.
    pub before_load: bool,
}

/// A monitor that a thread holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Monitor {
    /// What identifies it.
    pub address: Address,
    /// Who holds it.
    pub owner: u32,
    /// How many times.
    pub count: u32,
}

impl State {
    /// The thread, to be changed.
    pub fn thread(&mut self, thread: usize) -> &mut Thread {
        Rc::make_mut(&mut self.threads[thread])
    }

    /// What a cell holds in memory; `None` if there is no such allocation.
    pub fn held(&self, cell: Address) -> Option<Word> {
        self.heap.get(cell.allocation as usize).map(|allocation| allocation.get(cell.path))
    }

    /// Puts a value in memory.
    pub fn put(&mut self, cell: Address, value: Word) {
        self.heap.put(cell, value);
    }

    /// The monitor, if it is held.
    pub fn monitor(&self, address: Address) -> Option<Monitor> {
        self.monitors.iter().find(|monitor| monitor.address == address).copied()
    }

    /// Makes the monitor be held by `owner` so many times; 0 releases it.
    pub fn hold(&mut self, address: Address, owner: u32, count: u32) {
        let monitors = Rc::make_mut(&mut self.monitors);
        monitors.retain(|monitor| monitor.address != address);
        if count > 0 {
            monitors.push(Monitor { address, owner, count });
            monitors.sort_unstable();
        }
    }

    /// The threads that still run, or may.
    pub fn live(&self) -> Vec<usize> {
        let is_live = |thread: &usize| !self.is_over(*thread) && self.threads[*thread].status != Status::Failed;
        (0..self.threads.len()).filter(is_live).collect()
    }

    /// The history, to be changed.
    pub fn history(&mut self) -> Option<&mut Clocks> {
        self.history.as_mut().map(Rc::make_mut)
    }

    /// Whether the program is over although threads wait: its first thread has come to its end, and none has failed.
    pub fn has_ended(&self, program: &Program) -> bool {
        let has_failed = self.threads.iter().any(|thread| thread.status == Status::Failed);
        program.ends_with_main && !has_failed && !self.threads.is_empty() && self.is_over(0)
    }

    /// Whether some thread is not followed any further.
    pub fn has_endless(&self) -> bool {
        self.threads.iter().any(|thread| thread.status == Status::Endless)
    }

    /// Whether a thread has come to its end and all its stores are in memory.
    pub fn is_over(&self, thread: usize) -> bool {
        self.threads[thread].status == Status::Ended && self.threads[thread].buffer.is_empty()
    }
}

impl Thread {
    /// A register of the innermost active call.
    pub fn register(&self, register: RegisterId) -> Word {
        let base = self.frames.last().map_or(0, |frame| frame.base);
        self.registers.get((base + register.0) as usize).copied().unwrap_or(Word::Undefined)
    }

    /// Sets a register of the innermost active call.
    pub fn set(&mut self, register: RegisterId, value: Word) {
        let base = self.frames.last().map_or(0, |frame| frame.base);
        if let Some(place) = self.registers.get_mut((base + register.0) as usize) {
            *place = value;
        }
    }
}
