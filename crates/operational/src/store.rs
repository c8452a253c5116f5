//! The states seen so far, kept small.
//!
//! Threads, blocks of memory and lists of monitors are kept once each and numbered; a state is the list of their numbers
//! (collapse compression, Holzmann, "State compression in SPIN", 1997). Where there are more blocks than one chunk has, the numbers
//! of a chunk are such a list themselves (as in tree compression, Laarman, van de Pol, Weber, "Parallel recursive state compression for free",
//! 2011). States are compared in full: no two are mixed up.

use std::hash::{BuildHasher, Hash};
use std::mem::size_of;
use std::rc::Rc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::happens_before::Clocks;
use crate::heap::{Allocation, CHUNK, Chunk, Heap};
use crate::state::{Buffered, Frame, Monitor, State, Thread};
use crate::word::{PathId, Word};

/// Numbers things of one sort.
struct Table<T> {
    ids: FxHashMap<Rc<T>, u32>,
    bytes: u64,
}

impl<T: Hash + Eq> Table<T> {
    fn new() -> Table<T> {
        Table { ids: FxHashMap::default(), bytes: 0 }
    }

    fn id(&mut self, thing: &Rc<T>, bytes: impl Fn(&T) -> usize) -> u32 {
        if let Some(id) = self.ids.get(thing) {
            return *id;
        }
        let id = self.ids.len() as u32;
        self.ids.insert(thing.clone(), id);
        self.bytes += (bytes(thing) + 32) as u64;
        id
    }
}

/// Number of a state, in the order in which they were first seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// A set of states.
pub struct Store {
    threads: Table<Thread>,
    allocations: Table<Allocation>,
    /// Chunks of large memories: the numbers of their blocks,
    chunks: Table<Vec<u32>>,
    /// by number of the chunk.
    blocks: Vec<Rc<Vec<u32>>>,
    monitors: Table<Vec<Monitor>>,
    histories: Table<Clocks>,
    /// The lists of numbers, one after the other.
    lists: Vec<u32>,
    /// Where the list of each state ends.
    ends: Vec<u32>,
    /// An open-addressing table of state numbers plus one; 0 is empty. Its length is a power of two.
    slots: Vec<u32>,
    scratch: Vec<u32>,
}

impl Default for Store {
    fn default() -> Store {
        Store::new()
    }
}

impl Store {
    /// An empty set.
    pub fn new() -> Store {
        Store {
            threads: Table::new(),
            allocations: Table::new(),
            chunks: Table::new(),
            blocks: Vec::new(),
            monitors: Table::new(),
            histories: Table::new(),
            lists: Vec::new(),
            ends: Vec::new(),
            slots: vec![0; 1024],
            scratch: Vec::new(),
        }
    }

    /// The number of a state, and whether it is new.
    pub fn insert(&mut self, state: &State) -> (StateId, bool) {
        self.insert_after(state, None)
    }

    /// The number of a state that comes after one with a number, and whether it is new: what they share need not be looked up again.
    pub fn insert_after(&mut self, state: &State, before: Option<(&State, StateId)>) -> (StateId, bool) {
        let mut list = std::mem::take(&mut self.scratch);
        self.collapse(state, before, &mut list);
        let found = self.insert_list(&list);
        self.scratch = list;
        found
    }

    fn collapse(&mut self, state: &State, before: Option<(&State, StateId)>, list: &mut Vec<u32>) {
        list.clear();
        list.push(state.threads.len() as u32);
        list.push(self.monitors.id(&state.monitors, |monitors| size_of::<Monitor>() * monitors.len() + 24));
        if let Some(history) = &state.history {
            list.push(self.histories.id(history, |history| 8 * history.key().len()));
        }
        let first = list.len();
        for (index, thread) in state.threads.iter().enumerate() {
            let known = before.and_then(|(before, id)| {
                let is_same = Rc::ptr_eq(before.threads.get(index)?, thread);
                is_same.then(|| self.list(id.0)[first + index])
            });
            list.push(known.unwrap_or_else(|| self.threads.id(thread, thread_bytes)));
        }
        let before = before.map(|(before, id)| (&before.heap, id, first + before.threads.len()));
        if state.heap.len() <= CHUNK {
            self.collapse_small(&state.heap, before, list);
        } else {
            self.collapse_large(&state.heap, before, list);
        }
    }

    /// Memory of one chunk: the numbers of its blocks. `before` is a memory, the number of its state, and where it begins there.
    fn collapse_small(&mut self, heap: &Heap, before: Option<(&Heap, StateId, usize)>, list: &mut Vec<u32>) {
        let before = before.filter(|(before, ..)| before.len() <= CHUNK);
        for (index, allocation) in heap.iter().enumerate() {
            let known = before.and_then(|(before, id, start)| {
                let is_same = Rc::ptr_eq(before.get(index)?, allocation);
                is_same.then(|| self.list(id.0)[start + index])
            });
            list.push(known.unwrap_or_else(|| self.allocations.id(allocation, allocation_bytes)));
        }
    }

    /// Memory of several chunks: their numbers, after what no number of a block is.
    fn collapse_large(&mut self, heap: &Heap, before: Option<(&Heap, StateId, usize)>, list: &mut Vec<u32>) {
        list.push(u32::MAX);
        let before = before.filter(|(before, ..)| before.len() > CHUNK);
        for (index, chunk) in heap.chunks().iter().enumerate() {
            let earlier = before.and_then(|(before, id, start)| {
                Some((before.chunks().get(index)?, *self.list(id.0).get(start + 1 + index)?))
            });
            let known = earlier.filter(|(earlier, _)| Rc::ptr_eq(earlier, chunk)).map(|(_, number)| number);
            list.push(known.unwrap_or_else(|| self.chunk(chunk, earlier)));
        }
    }

    /// The number of a chunk; `earlier` is one that may have some blocks in the same places, and its number.
    fn chunk(&mut self, chunk: &Chunk, earlier: Option<(&Rc<Chunk>, u32)>) -> u32 {
        let known = |index: usize, block: &Rc<Allocation>| {
            let (earlier, number) = earlier?;
            let is_same = Rc::ptr_eq(earlier.get(index)?, block);
            is_same.then(|| self.blocks.get(number as usize)?.get(index).copied()).flatten()
        };
        let known: Vec<Option<u32>> = chunk.iter().enumerate().map(|(index, block)| known(index, block)).collect();
        let numbers = chunk.iter().zip(known);
        let numbers =
            numbers.map(|(block, known)| known.unwrap_or_else(|| self.allocations.id(block, allocation_bytes)));
        let numbers = Rc::new(numbers.collect::<Vec<u32>>());
        let number = self.chunks.id(&numbers, |numbers| 4 * numbers.len() + 32);
        if number as usize == self.blocks.len() {
            self.blocks.push(numbers);
        }
        number
    }

    fn insert_list(&mut self, list: &[u32]) -> (StateId, bool) {
        let mask = self.slots.len() - 1;
        let mut slot = FxBuildHasher.hash_one(list) as usize;
        // The high bits are the well-mixed ones.
        slot = (slot >> 20) & mask;
        loop {
            match self.slots[slot].checked_sub(1) {
                None => break,
                Some(id) if self.list(id) == list => return (StateId(id), false),
                Some(_) => slot = (slot + 1) & mask,
            }
        }
        let id = self.ends.len() as u32;
        self.lists.extend_from_slice(list);
        self.ends.push(self.lists.len() as u32);
        self.slots[slot] = id + 1;
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        (StateId(id), true)
    }

    fn list(&self, id: u32) -> &[u32] {
        let start = if id == 0 { 0 } else { self.ends[id as usize - 1] };
        &self.lists[start as usize..self.ends[id as usize] as usize]
    }

    fn grow(&mut self) {
        let length = self.slots.len() * 2;
        let mut slots = vec![0; length];
        for id in 0..self.ends.len() as u32 {
            let mut slot = ((FxBuildHasher.hash_one(self.list(id)) as usize) >> 20) & (length - 1);
            while slots[slot] != 0 {
                slot = (slot + 1) & (length - 1);
            }
            slots[slot] = id + 1;
        }
        self.slots = slots;
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Whether no more states can be numbered.
    pub fn is_full(&self) -> bool {
        self.lists.len() > (u32::MAX - (1 << 24)) as usize
    }

    /// About how many bytes the lists of the states take.
    pub fn state_bytes(&self) -> u64 {
        4 * (self.lists.len() + self.ends.len() + self.slots.len()) as u64
    }

    /// About how many bytes the structure takes that states share.
    pub fn shared_bytes(&self) -> u64 {
        self.threads.bytes + self.allocations.bytes + self.chunks.bytes + self.monitors.bytes + self.histories.bytes
    }
}

fn allocation_bytes(allocation: &Allocation) -> usize {
    size_of::<Allocation>() + allocation.cells.len() * size_of::<(PathId, Word)>()
}

fn thread_bytes(thread: &Thread) -> usize {
    size_of::<Thread>()
        + thread.frames.len() * size_of::<Frame>()
        + thread.registers.len() * size_of::<Word>()
        + thread.buffer.len() * size_of::<Buffered>()
}
