//! Memory by allocation.
//!
//! Programs that use the classes of a JDK have hundreds of blocks, of which a step changes one or two. So blocks are kept in chunks
//! that states share: a clone, a comparison and a number for the whole ([`crate::store`]) take a step for each chunk. Canonical forms
//! ([`crate::canonical`]) and ownership (`owned`) ask which blocks globals lead to. That rarely changes, so that the
//! answer is kept with memory.

use std::ops::Index;
use std::rc::Rc;

use crate::word::{Address, PathId, Word};

/// A block of memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Allocation {
    /// Number of its name in the interpreter's table.
    pub name: u32,
    /// What every cell holds that is not in `cells`.
    pub default: Word,
    /// Invariant: ascending by path, and no value is the default.
    pub cells: Vec<(PathId, Word)>,
    /// Whether it was freed.
    pub freed: bool,
    /// Whether it may be reused once it was freed.
    pub reuse: bool,
}

/// So many blocks are one chunk.
pub(crate) const CHUNK: usize = 32;

/// Blocks that follow each other: [`CHUNK`] of them, but for the last chunk.
pub(crate) type Chunk = Vec<Rc<Allocation>>;

/// The globals in order, then the blocks made at run time. A clone shares them.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    chunks: Vec<Rc<Chunk>>,
    len: usize,
    /// How many blocks globals lead to, the globals included, if that is known. Invariant: those are the first ones then, in the
    /// order in which a walk from the globals finds them.
    rooted: Option<usize>,
}

impl PartialEq for Heap {
    fn eq(&self, other: &Heap) -> bool {
        self.chunks == other.chunks
    }
}

impl Eq for Heap {}

impl Index<usize> for Heap {
    type Output = Rc<Allocation>;

    fn index(&self, block: usize) -> &Rc<Allocation> {
        &self.chunks[block / CHUNK][block % CHUNK]
    }
}

impl FromIterator<Rc<Allocation>> for Heap {
    fn from_iter<I: IntoIterator<Item = Rc<Allocation>>>(blocks: I) -> Heap {
        let mut heap = Heap::default();
        heap.extend(blocks);
        heap
    }
}

impl Extend<Rc<Allocation>> for Heap {
    /// Adds blocks that nothing here points to.
    fn extend<I: IntoIterator<Item = Rc<Allocation>>>(&mut self, blocks: I) {
        for block in blocks {
            if self.len.is_multiple_of(CHUNK) {
                self.chunks.push(Rc::new(Chunk::with_capacity(CHUNK)));
            }
            self.len += 1;
            if let Some(last) = self.chunks.last_mut() {
                Rc::make_mut(last).push(block);
            }
        }
    }
}

impl Heap {
    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The block with a number, if there is one.
    pub fn get(&self, block: usize) -> Option<&Rc<Allocation>> {
        self.chunks.get(block / CHUNK)?.get(block % CHUNK)
    }

    /// All blocks, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Rc<Allocation>> + Clone {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// The chunks, in order.
    pub(crate) fn chunks(&self) -> &[Rc<Chunk>] {
        &self.chunks
    }

    /// How many blocks globals lead to, if that is known; they are the first ones then.
    pub(crate) fn rooted(&self) -> Option<usize> {
        self.rooted
    }

    /// Notes that globals lead to so many blocks, which are the first ones in the order of a walk.
    pub(crate) fn set_rooted(&mut self, rooted: usize) {
        self.rooted = Some(rooted);
    }

    /// Memory with other blocks from a place on, of which all that globals lead to are the first `rooted`.
    pub(crate) fn replaced(&self, from: usize, blocks: Vec<Rc<Allocation>>, rooted: usize) -> Heap {
        let kept = from / CHUNK;
        let mut chunks = self.chunks[..kept].to_vec();
        let len = from + blocks.len();
        let mut blocks = self.iter().skip(kept * CHUNK).take(from - kept * CHUNK).cloned().chain(blocks);
        while chunks.len() * CHUNK < len {
            let chunk: Chunk = blocks.by_ref().take(CHUNK).collect();
            let before = self.chunks.get(chunks.len()).filter(|before| is_same(before, &chunk));
            chunks.push(before.cloned().unwrap_or_else(|| Rc::new(chunk)));
        }
        Heap { chunks, len, rooted: Some(rooted) }
    }

    /// Adds a block that nothing points to yet.
    pub fn push(&mut self, block: Allocation) {
        self.extend([Rc::new(block)]);
    }

    /// Changes what a cell holds, if there is such an allocation.
    pub(crate) fn put(&mut self, cell: Address, value: Word) {
        let block = cell.allocation as usize;
        let Some(before) = self.get(block).map(|held| held.get(cell.path)) else { return };
        if before == value {
            return;
        }
        if leads(before) || leads(value) {
            self.rooted = self.rooted.filter(|rooted| block >= *rooted);
        }
        if let Some(block) = self.changed(block) {
            block.set(cell.path, value);
        }
    }

    /// Says whether a block is freed.
    pub fn set_freed(&mut self, block: usize, freed: bool) {
        if let Some(block) = self.changed(block) {
            block.freed = freed;
        }
    }

    /// A block that is about to change.
    fn changed(&mut self, block: usize) -> Option<&mut Allocation> {
        let chunk = Rc::make_mut(self.chunks.get_mut(block / CHUNK)?);
        chunk.get_mut(block % CHUNK).map(Rc::make_mut)
    }
}

/// Whether two chunks are made of the same blocks, and not only of equal ones.
fn is_same(one: &Chunk, other: &Chunk) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| Rc::ptr_eq(one, other))
}

impl Allocation {
    /// What a cell holds.
    pub fn get(&self, path: PathId) -> Word {
        match self.cells.binary_search_by_key(&path, |(path, _)| *path) {
            Ok(place) => self.cells[place].1,
            Err(_) => self.default,
        }
    }

    /// Changes what a cell holds.
    pub fn set(&mut self, path: PathId, value: Word) {
        let is_default = value == self.default;
        match self.cells.binary_search_by_key(&path, |(path, _)| *path) {
            Ok(place) if is_default => {
                self.cells.remove(place);
            }
            Ok(place) => self.cells[place].1 = value,
            Err(_) if is_default => {}
            Err(place) => self.cells.insert(place, (path, value)),
        }
    }
}

/// Whether a value may lead to blocks.
fn leads(word: Word) -> bool {
    matches!(word, Word::Pointer(_) | Word::Composite(_))
}
