//! Blocks that one thread alone can come to.
//!
//! Pointers come from pointers only, never from numbers. So a block that is reached neither from globals nor from what other threads
//! hold, nor from what was once written where they may still see it, cannot be accessed by these, whatever they do, until its owner has written a pointer to it where they reach it: an access of the
//! owner depends on nothing that others can do before it. Fresh objects are so until they are published (Dwyer, Hatcliff, Robby,
//! Ranganath, "Exploiting object escape and locking information in partial-order reductions for concurrent object-oriented
//! programs", 2004).

use crate::canonical::thread_words;
use crate::state::State;
use crate::word::{Word, Words};

/// Whether a thread alone can come to a block made at run time; the first `globals` allocations are there for all.
pub fn is_owned(state: &State, thread: usize, block: u32, globals: usize, words: &Words) -> bool {
    if (block as usize) < globals || (block as usize) >= state.heap.len() {
        return false;
    }
    let rooted = state.heap.rooted();
    if rooted.is_some_and(|rooted| (block as usize) < rooted) {
        return false;
    }
    // What is known to be reached from globals leads to nothing else.
    let mut is_reached = vec![false; state.heap.len()];
    is_reached.iter_mut().take(rooted.unwrap_or(0)).for_each(|is_reached| *is_reached = true);
    let roots = if rooted.is_some() { 0 } else { globals as u32 };
    let mut reached = Reached { is_reached, open: (0..roots).collect(), words };
    let past = state.history.iter().flat_map(|history| history.past_values());
    past.for_each(|word| reached.add(word));
    let others = state.threads.iter().enumerate().filter(|(other, _)| *other != thread);
    others.flat_map(|(_, other)| thread_words(other)).for_each(|word| reached.add(word));
    while let Some(next) = reached.open.pop() {
        let allocation = &state.heap[next as usize];
        reached.add(allocation.default);
        allocation.cells.iter().for_each(|(_, word)| reached.add(*word));
        if reached.is_reached[block as usize] {
            return false;
        }
    }
    !reached.is_reached[block as usize]
}

/// What was reached so far.
struct Reached<'w> {
    is_reached: Vec<bool>,
    /// What is pointed to from there was not looked at yet.
    open: Vec<u32>,
    words: &'w Words,
}

impl Reached<'_> {
    fn add(&mut self, word: Word) {
        let Reached { is_reached, open, words } = self;
        words.allocations(word, &mut |allocation| {
            if let Some(is_reached) = is_reached.get_mut(allocation as usize).filter(|is_reached| !**is_reached) {
                *is_reached = true;
                open.push(allocation);
            }
        });
    }
}
