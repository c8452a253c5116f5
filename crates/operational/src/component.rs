//! States that lead to each other and to nothing else: there threads stay in loops for ever.
//!
//! The search is depth first and numbers states as it meets them, so that Tarjan's algorithm needs a few words for each state
//! on the way (Tarjan, "Depth-first search and linear graph algorithms", 1972). A component that nothing leaves, and in which
//! memory never changes, is a set of threads that wait in loops for what does not come: a deadlock, although each can take a
//! step. Where memory changes threads may run for ever on purpose; whether others wait beside them is asked apart (`search::starved`).

use crate::canonical::shared;
use crate::state::{Buffered, State, Status};
use crate::word::Words;

/// What is known of a state on the way while what comes after it is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Its number.
    id: u32,
    /// The earliest state on the way that it leads to.
    low: u32,
    /// Whether something leads out of its component.
    leaves: bool,
    /// Whether memory changes between states of its component.
    changes: bool,
}

/// What becomes of memory in a component that nothing leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// It stays as it is: all threads wait.
    Stays,
    /// It changes for ever: some threads go on.
    Changes,
}

/// The states that are not known to belong to a finished component.
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// In the order in which they were met.
    open: Vec<u32>,
    /// By state: whether it is among them.
    is_open: Vec<bool>,
}

impl Components {
    /// A state that is met for the first time.
    pub fn meet(&mut self, id: u32) -> Link {
        if self.is_open.len() <= id as usize {
            self.is_open.resize(id as usize + 1, false);
        }
        self.is_open[id as usize] = true;
        self.open.push(id);
        Link { id, low: id, leaves: false, changes: false }
    }

    /// A step from a state on the way to one that is known; whether it changes memory is asked if that matters.
    pub fn lead(&self, link: &mut Link, id: u32, changes: impl FnOnce() -> bool) {
        if self.is_open.get(id as usize) != Some(&true) {
            link.leaves = true;
            return;
        }
        link.low = link.low.min(id);
        link.changes |= link.leaves || changes();
    }

    /// All that comes after a state was looked at; `parent` is the state before it, and whether memory changes between the two is
    /// asked if that matters. If it is the first state of a component that nothing leaves, what becomes of memory in it.
    pub fn close(&mut self, link: Link, parent: Option<&mut Link>, changes: impl FnOnce() -> bool) -> Option<Last> {
        if link.low < link.id {
            if let Some(parent) = parent {
                parent.low = parent.low.min(link.low);
                parent.leaves |= link.leaves;
                parent.changes |= parent.leaves || link.changes || changes();
            }
            return None;
        }
        while let Some(id) = self.open.pop() {
            self.is_open[id as usize] = false;
            if id == link.id {
                break;
            }
        }
        if let Some(parent) = parent {
            parent.leaves = true;
        }
        let last = if link.changes { Last::Changes } else { Last::Stays };
        (!link.leaves).then_some(last)
    }
}

impl Link {
    /// Something else follows the state: an end, an error, or what is not looked at.
    pub fn leave(&mut self) {
        self.leaves = true;
    }
}

/// Whether two states differ only in where threads are, what each has for itself, and which monitors they hold: also what reads may
/// see that happens-before does not hide is the same.
pub fn same_memory(a: &State, b: &State, globals: usize, words: &Words) -> bool {
    let same_writes = || match (&a.history, &b.history) {
        (Some(a), Some(b)) => a.shows_the_same(b),
        _ => true,
    };
    let pairs = || a.threads.iter().zip(&b.threads);
    let same_buffers = || pairs().all(|(a, b)| a.buffer == b.buffer);
    a.threads.len() == b.threads.len()
        && pairs().all(|(a, b)| a.permit == b.permit)
        && (a.heap == b.heap && same_buffers() || same_shared(a, b, globals, words))
        && same_writes()
}

/// Whether the blocks that are not one thread's alone are the same, and the stores to them that are on their way.
fn same_shared(a: &State, b: &State, globals: usize, words: &Words) -> bool {
    let blocks = |state: &State| -> Vec<u32> {
        let is_shared = shared(state, globals, words).into_iter().zip(0..);
        is_shared.filter(|(is_shared, _)| *is_shared).map(|(_, block)| block).collect()
    };
    let of_a = blocks(a);
    let stores = |buffer: &[Buffered]| -> Vec<Buffered> {
        buffer.iter().filter(|store| of_a.contains(&store.cell.allocation)).copied().collect()
    };
    of_a == blocks(b)
        && of_a.iter().all(|block| a.heap[*block as usize] == b.heap[*block as usize])
        && a.threads.iter().zip(&b.threads).all(|(a, b)| stores(&a.buffer) == stores(&b.buffer))
}

/// Whether threads of a state could be said to wait for ever: nothing else has gone wrong, and all are followed.
pub fn can_wait(state: &State) -> bool {
    let is_followed = |status: Status| !matches!(status, Status::Failed | Status::Endless);
    state.threads.iter().all(|thread| is_followed(thread.status))
}
