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
        let mut later: Vec<Vec<EventId>> = vec![Vec::new(); self.events.len()];
        self.co.iter().for_each(|&(write, other)| later[write.0 as usize].push(other));
        let overwriting =
            |&(write, read): &(EventId, EventId)| later[write.0 as usize].iter().map(move |&other| (read, other));
        let mut pairs: Vec<(EventId, EventId)> = self.rf.iter().flat_map(overwriting).collect();
        pairs.sort();
        pairs.dedup();
        pairs
    }

    /// The execution without these events and what comes after them by program order and reads-from, and what its other events are
    /// called in it; `None` if nothing goes, or one of `needed` would. What was observed at the end is no part of it.
    pub fn without(&self, first: &[EventId], needed: &[EventId]) -> Option<(Execution, Vec<Option<EventId>>)> {
        let gone = self.after(first);
        if !gone.contains(&true) || needed.iter().any(|id| gone[id.0 as usize]) || !self.justification.is_empty() {
            return None;
        }
        let mut kept = 0;
        let mut number = |&gone: &bool| {
            kept += u32::from(!gone);
            (!gone).then(|| EventId(kept - 1))
        };
        let ids: Vec<Option<EventId>> = gone.iter().map(&mut number).collect();
        let pairs = |pairs: &[(EventId, EventId)]| -> Vec<(EventId, EventId)> {
            pairs.iter().filter_map(|(a, b)| Some((ids[a.0 as usize]?, ids[b.0 as usize]?))).collect()
        };
        let numbers = |numbers: &[u32]| -> Vec<u32> {
            numbers.iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(number, _)| *number).collect()
        };
        let rest = Execution {
            events: self.events.iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(event, _)| event.clone()).collect(),
            rf: pairs(&self.rf),
            co: pairs(&self.co),
            rmw: pairs(&self.rmw),
            computed: pairs(&self.computed),
            instances: numbers(&self.instances),
            addr: pairs(&self.addr),
            data: pairs(&self.data),
            ctrl: pairs(&self.ctrl),
            ends_before: pairs(&self.ends_before),
            named: self.named.iter().map(|(name, relation)| (name.clone(), pairs(relation))).collect(),
            blocks: self.blocks.clone(),
            state: State::new(),
            actions: numbers(&self.actions),
            justification: Vec::new(),
        };
        Some((rest, ids))
    }

    /// By event: whether it is one of these, or comes after one by program order and reads-from.
    fn after(&self, first: &[EventId]) -> Vec<bool> {
        let mut after = vec![false; self.events.len()];
        let mut open = first.to_vec();
        while let Some(id) = open.pop() {
            if !std::mem::replace(&mut after[id.0 as usize], true) {
                open.extend((id.0 + 1..self.events.len() as u32).map(EventId).find(|&next| self.po(id, next)));
                open.extend(self.rf.iter().filter(|(write, _)| *write == id).map(|&(_, read)| read));
                open.extend(self.ends_before.iter().filter(|(end, _)| *end == id).map(|&(_, start)| start));
            }
        }
        after
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
