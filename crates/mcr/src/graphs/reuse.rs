//! Memory that is freed is not reused here. That makes a difference only where pointers to two blocks are compared, of which one may
//! have taken the place of the other: it was freed, and the comparison is not certain to come before that. Executions with such a
//! comparison show errors, but not that there are none.
//!
//! As long as there is no such comparison, a use of freed memory in an execution with reuse is one in an execution without.

use operational::memory::WHETHER_FREE;
use operational::word::{Address, Word};
use program::{InstructionKind, Operator, Storage};

use super::graph::Graph;
use super::local::Local;
use super::number::EventId;

/// Why nothing follows from not finding an error.
pub const REASON: &str =
    "pointers are compared that could be equal if freed memory were reused, which this engine does not do";

impl Local<'_> {
    /// Takes note of the comparison that a thread makes next, if it is one of pointers to different blocks that may be freed.
    pub(super) fn note_comparison(&mut self, at: usize) {
        if !self.interpreter.frees {
            return;
        }
        let Some(next) = self.interpreter.next_instruction(&self.memory.threads[at]) else { return };
        let InstructionKind::Assign { operator: Operator::Eq | Operator::Ne, operands, .. } = &next.kind else {
            return;
        };
        if let [left, right] = &operands[..] {
            let (left, right) = (self.word(at, left), self.word(at, right));
            self.note_compared(left, right);
        }
    }

    /// Takes note of a comparison of two words.
    pub(super) fn note_compared(&mut self, left: Word, right: Word) {
        let (Word::Pointer(left), Word::Pointer(right)) = (left, right) else { return };
        let is_block = |address: Address| address.allocation as usize >= self.memory.heap.len();
        if !self.interpreter.frees || left.allocation == right.allocation || !is_block(left) || !is_block(right) {
            return;
        }
        let kind = |address: Address| {
            let name = self.locations.name(&self.memory, address.allocation)?;
            self.interpreter.size_named(name).filter(|(_, storage)| matches!(storage, Storage::Heap | Storage::Pool))
        };
        if kind(left).map(|(size, _)| size) == kind(right).map(|(size, _)| size) && kind(left).is_some() {
            self.compared.push((left.allocation, right.allocation));
        }
    }

    /// Whether reuse could make a difference to an execution.
    pub fn reuse_matters(&self, graph: &Graph) -> bool {
        self.interpreter.frees
            && graph.threads.iter().any(|thread| {
                let events = thread.events.iter().map(|id| (&graph.event(*id).before.compared, Some(*id)));
                let mut segments = events.chain([(&thread.now.compared, None)]);
                segments.any(|(pairs, next)| pairs.iter().any(|pair| self.may_be_one(graph, *pair, next)))
            })
    }

    /// Whether one of two blocks may be freed before an event that comes after a comparison of them.
    fn may_be_one(&self, graph: &Graph, (left, right): (u32, u32), next: Option<EventId>) -> bool {
        let frees = |block: u32| {
            let location = self.locations.known(Address { allocation: block, path: WHETHER_FREE })?;
            graph.locations.get(location.index())?.writes.iter().find(|write| graph.event(**write).is_exclusive())
        };
        let is_before = |free: &EventId| next.is_some_and(|next| next == *free || graph.is_in_past(next, *free));
        [left, right].into_iter().filter_map(frees).any(|free| !is_before(free))
    }
}
