//! An execution: events, the relations between them, and the final state.

use crate::condition::Observable;
use crate::ir::{Access, ThreadId};
use crate::source::Span;
use crate::value::{Pointer, Value};

/// Index of an event in [`Execution::events`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub u32);

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventKind {
    /// Reads a cell.
    Read,
    /// Writes a cell.
    Write,
    /// A fence.
    Fence,
    /// Acquires a monitor.
    Lock,
    /// Releases a monitor.
    Unlock,
    /// A thread starts.
    Start,
    /// A thread ends.
    End,
    /// Something that the outside world sees, such as output.
    Special,
}

/// An executed event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The thread; `None` for the initial write of a cell.
    pub thread: Option<ThreadId>,
    /// What it does.
    pub kind: EventKind,
    /// The cell it accesses, or the monitor it acquires or releases; `None` for others.
    pub cell: Option<Pointer>,
    /// The value read, written or shown; `None` for others.
    pub value: Option<Value>,
    /// How the memory model sees it.
    pub access: Access,
    /// The source statement it comes from; `None` for initial writes.
    pub span: Option<Span>,
    /// The atomic block or read-modify-write that it is part of, numbered within the execution.
    pub atomic: Option<u32>,
    /// In a bounded test: which operation of its thread it is part of, counted from 0.
    pub operation: Option<u32>,
}

/// The final state: what each observed register and cell holds, in the order of the question's `observed` list.
pub type State = Vec<(Observable, Value)>;

/// An execution. Event ids index `events`. Events of a thread stand in program order; initial writes stand first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    /// The executed events.
    pub events: Vec<Event>,
    /// Which write each read sees.
    pub rf: Vec<(EventId, EventId)>,
    /// Coherence: for each two writes of a cell, earlier and later. Transitive.
    pub co: Vec<(EventId, EventId)>,
    /// Read and write of one read-modify-write.
    pub rmw: Vec<(EventId, EventId)>,
    /// The part of `rmw` whose write is computed from what was read: additions, but no exchanges.
    pub computed: Vec<(EventId, EventId)>,
    /// By event: the instance of the instruction, or of the statement of a litmus test, that it comes from; empty if that is
    /// not known.
    pub instances: Vec<u32>,
    /// Address dependencies, from a read.
    pub addr: Vec<(EventId, EventId)>,
    /// Data dependencies, from a read to a write.
    pub data: Vec<(EventId, EventId)>,
    /// Control dependencies, from a read.
    pub ctrl: Vec<(EventId, EventId)>,
    /// The end of a thread to the start of one that the program orders after it.
    pub ends_before: Vec<(EventId, EventId)>,
    /// Relations that the model chose or that explain the answer, by the name the model gives them: a memory order `S`,
    /// a happens-before. In the order in which a report should show them.
    pub named: Vec<(String, Vec<(EventId, EventId)>)>,
    /// The types of blocks that were made at run time, by allocation, as far as they are known.
    pub blocks: Vec<(u32, String)>,
    /// What was observed at the end.
    pub state: State,
    /// Under a model of speculation: which action each event performs, by event. Executions that justify each other share
    /// actions, not events. Empty otherwise.
    pub actions: Vec<u32>,
    /// Under a model of speculation: the executions `E_1..E_k` that justify this one, in order. Sets that the model chose
    /// for each (its committed actions) are among its `named` relations, as pairs of an event with itself.
    pub justification: Vec<Execution>,
}

impl Execution {
    /// The event with this id.
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.0 as usize]
    }

    /// All event ids.
    pub fn ids(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.events.len() as u32).map(EventId)
    }

    /// Whether `earlier` precedes `later` in program order: same thread, earlier in the list.
    pub fn po(&self, earlier: EventId, later: EventId) -> bool {
        let thread = self.event(earlier).thread;
        earlier < later && thread.is_some() && thread == self.event(later).thread
    }

    /// From-read: each read to the writes that overwrite what it saw.
    pub fn fr(&self) -> Vec<(EventId, EventId)> {
        let mut pairs = Vec::new();
        for &(write, read) in &self.rf {
            pairs.extend(self.co.iter().filter(|&&(w, _)| w == write).map(|&(_, later)| (read, later)));
        }
        pairs.sort();
        pairs.dedup();
        pairs
    }

    /// Coherence without the pairs that follow by transitivity: each write to the next one of its cell.
    pub fn co_steps(&self) -> Vec<(EventId, EventId)> {
        // By event, as bits: those after it, and those before it.
        let words = self.events.len().div_ceil(64);
        let mut after = vec![0u64; words * self.events.len()];
        let mut before = after.clone();
        let row = |event: EventId| event.0 as usize * words..(event.0 as usize + 1) * words;
        for &(a, b) in &self.co {
            after[row(a)][b.0 as usize / 64] |= 1 << (b.0 % 64);
            before[row(b)][a.0 as usize / 64] |= 1 << (a.0 % 64);
        }
        let is_step = |a, b| after[row(a)].iter().zip(&before[row(b)]).all(|(after, before)| after & before == 0);
        self.co.iter().copied().filter(|&(a, b)| is_step(a, b)).collect()
    }
}
