//! Locations: the one place that knows how addresses are represented.
//!
//! Blocks that threads allocate are numbered by thread and by how many the thread has allocated before, so that a block has
//! the same number in every execution in which the thread did the same.

use operational::interpret::{Fault, Interpreter, Stop};
use operational::memory::WHETHER_FREE;
use operational::state::State;
use operational::word::{Address, PathId, Word};
use program::{Pointer, Span};
use rustc_hash::FxHashMap;

use super::number::{LocationId, ThreadNumber};

/// What the cell of a block holds that says whether it is free ([`WHETHER_FREE`]).
pub const IN_USE: Word = Word::Int { width: 8, bits: 0 };
/// What it holds before the block was allocated, if it may be freed.
pub const TO_COME: Word = Word::Int { width: 8, bits: 2 };
/// What it holds once the block was freed, or its life has ended.
pub const OVER: Word = Word::Int { width: 8, bits: 1 };

/// A block that a thread allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Block {
    thread: ThreadNumber,
    /// How many the thread had allocated before.
    number: u32,
    /// The number of its name.
    name: u32,
    /// What its cells hold first.
    default: Word,
    /// What the cell holds first that says whether it is free.
    life: Word,
}

/// All locations that some execution has accessed.
#[derive(Default)]
pub struct Locations {
    ids: FxHashMap<Address, LocationId>,
    addresses: Vec<Address>,
    initial: Vec<Word>,
    blocks: Vec<Block>,
    block_ids: FxHashMap<Block, u32>,
}

impl Locations {
    /// The location that a word points to; `memory` is the initial memory of globals.
    pub fn location(&mut self, memory: &State, word: Word, span: Option<Span>) -> Result<LocationId, Stop> {
        let address = match word {
            Word::Pointer(address) => address,
            Word::Int { bits: 0, .. } => return fault("an access through a null pointer", span),
            Word::Undefined => return fault("an access through an undefined pointer", span),
            Word::Int { .. } | Word::Composite(_) => return fault("an access through what is no pointer", span),
        };
        if let Some(id) = self.ids.get(&address) {
            return Ok(*id);
        }
        let global = memory.held(address).filter(|_| address.path != WHETHER_FREE);
        let made = (address.allocation as usize).checked_sub(memory.heap.len()).and_then(|at| self.blocks.get(at));
        let made = made.map(|block| if address.path == WHETHER_FREE { block.life } else { block.default });
        let Some(initial) = global.or(made) else {
            return fault("an access to memory that does not exist", span);
        };
        let id = LocationId(self.addresses.len() as u32);
        self.ids.insert(address, id);
        self.addresses.push(address);
        self.initial.push(initial);
        Ok(id)
    }

    /// The location of a cell, if it was ever accessed.
    pub fn known(&self, address: Address) -> Option<LocationId> {
        self.ids.get(&address).copied()
    }

    /// What a location holds first.
    pub fn initial(&self, location: LocationId) -> Word {
        self.initial[location.index()]
    }

    /// A pointer to the block that a thread allocates next.
    pub fn allocate(
        &mut self,
        memory: &State,
        (thread, number): (ThreadNumber, u32),
        name: u32,
        default: Word,
        life: Word,
    ) -> Word {
        let block = Block { thread, number, name, default, life };
        let next = (memory.heap.len() + self.blocks.len()) as u32;
        let allocation = *self.block_ids.entry(block).or_insert(next);
        if allocation == next {
            self.blocks.push(block);
        }
        Word::Pointer(Address { allocation, path: PathId(0) })
    }

    /// A pointer to the start of the block that a location is in.
    pub fn start(&self, location: LocationId) -> Word {
        Word::Pointer(Address { allocation: self.addresses[location.index()].allocation, path: PathId(0) })
    }

    /// Whether a location says whether a block is free.
    pub fn is_life(&self, location: LocationId) -> bool {
        self.addresses[location.index()].path == WHETHER_FREE
    }

    /// The block that a location is in, if this thread has allocated it.
    pub fn block(&self, memory: &State, location: LocationId, thread: ThreadNumber) -> Option<u32> {
        let allocation = self.addresses[location.index()].allocation;
        let block = self.blocks.get((allocation as usize).checked_sub(memory.heap.len())?)?;
        (block.thread == thread).then_some(allocation)
    }

    /// The block that a location is in, if a thread has allocated it: with the thread, and how many it had allocated before.
    pub fn maker(&self, memory: &State, location: LocationId) -> Option<(u32, ThreadNumber, u32)> {
        let allocation = self.addresses[location.index()].allocation;
        let block = self.blocks.get((allocation as usize).checked_sub(memory.heap.len())?)?;
        Some((allocation, block.thread, block.number))
    }

    /// The global that a location is in, if it is in one.
    pub fn global(&self, memory: &State, location: LocationId) -> Option<u32> {
        let allocation = self.addresses[location.index()].allocation;
        ((allocation as usize) < memory.heap.len()).then_some(allocation)
    }

    /// Where in the blocks of a thread a location is, if this thread has allocated its block: how many it had allocated before, and
    /// which cell it is.
    pub fn own_cell(&self, memory: &State, location: LocationId, thread: ThreadNumber) -> Option<(u32, PathId)> {
        let (_, maker, number) = self.maker(memory, location)?;
        (maker == thread).then(|| (number, self.addresses[location.index()].path))
    }

    /// The pointer to a location, as reports show it.
    pub fn pointer(&self, interpreter: &Interpreter, location: LocationId) -> Pointer {
        interpreter.words.pointer(self.addresses[location.index()])
    }

    /// The numbers of the names of blocks made at run time that are numbered behind so many others.
    pub fn names_from(&self, known: usize) -> impl Iterator<Item = u32> {
        self.blocks[known.min(self.blocks.len())..].iter().map(|block| block.name)
    }

    /// The number of the name of a block made at run time.
    pub fn name(&self, memory: &State, allocation: u32) -> Option<u32> {
        let at = (allocation as usize).checked_sub(memory.heap.len())?;
        self.blocks.get(at).map(|block| block.name)
    }
}

/// An error at a place.
pub fn fault<T>(message: &str, span: Option<Span>) -> Result<T, Stop> {
    Err(Stop::Failed(Fault { assertion: None, message: message.to_string(), span }))
}
