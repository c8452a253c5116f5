//! Blocks of memory that are freed, and reused.
//!
//! Whether a block is free is a cell like others, but one that no access reaches ([`WHETHER_FREE`]). Who gives a block back
//! reads and writes it in one step, an [`Op::Update`]; a second time is an error. Who is given a block that was freed
//! does, too, the other way round; which one an [`Op::Allocate`] is given is its result. A fresh block needs
//! no cell: nobody else has it. So threads that deal with different blocks do not get in each other's way.

use std::rc::Rc;

use program::{InstructionKind, Operand};
use rustc_hash::FxHashMap;

use operational::choices::Choices;
use operational::heap::Allocation;
use operational::interpret::{Stop, step_over};
use operational::memory::WHETHER_FREE;
use operational::observer::Nobody;
use operational::word::{Address, Word};

use super::{Arrival, Forest, Label, NodeId, Numbers, Op};
use crate::histories::id::{CellId, ThreadId, ValueId};

/// The blocks that were freed somewhere.
pub(super) struct Recycling {
    /// Whether the program gives memory back.
    pub frees: bool,
    /// For each block that may be reused the cell that says whether it is free. Labels are places here, plus one.
    cells: Vec<CellId>,
    /// What such a cell holds.
    in_use: ValueId,
    free: ValueId,
    /// The blocks that were new for who came to these nodes.
    fresh: FxHashMap<NodeId, u32>,
}

impl Recycling {
    pub fn new(frees: bool, values: &mut Numbers<Word>) -> Recycling {
        let mut value = |value: i64| if frees { ValueId(values.id(Word::int(value, 32))) } else { ValueId::NONE };
        Recycling { frees, cells: Vec::new(), in_use: value(0), free: value(1), fresh: FxHashMap::default() }
    }

    /// A node's thread has just been given a new block.
    pub fn was_given(&mut self, node: NodeId, block: u32) {
        self.fresh.insert(node, block);
    }
}

impl Forest<'_> {
    /// For each block that may be reused, if it was freed somewhere, the cell that says whether it is free.
    /// The label of an [`Op::Allocate`] is 0 for a new block, or 1 plus a place in this list.
    pub fn recyclable(&self) -> &[CellId] {
        &self.recycling.cells
    }

    /// The cell of the block that an [`Op::Allocate`] with this label is given; `None` if that is a new one.
    pub fn recycled(&self, label: Label) -> Option<CellId> {
        self.recycling.cells.get(label.checked_sub(1)? as usize).copied()
    }

    /// Whether the block whose cell this is may be given to who allocates so many bytes.
    pub fn fits(&self, cell: CellId, size: Option<u64>) -> bool {
        let block = self.scratch.heap.get(self.address(cell).allocation as usize);
        let bytes = block.and_then(|block| self.interpreter.size_named(block.name)).map(|(bytes, _)| bytes);
        bytes == size
    }

    /// What such a cell holds if the block is in use, and if it is free.
    pub fn in_use_or_free(&self) -> [ValueId; 2] {
        [self.recycling.in_use, self.recycling.free]
    }

    /// Whether a cell says whether a block is free.
    pub fn is_whether_free(&self, cell: CellId) -> bool {
        self.recycling.frees && self.address(cell).path == WHETHER_FREE
    }

    /// The block that a thread has just been given that came to this node.
    pub fn block_given(&self, node: NodeId) -> Option<u32> {
        match self.node(node).label.checked_sub(1) {
            Some(place) => self.recycling.cells.get(place as usize).map(|cell| self.address(*cell).allocation),
            None => self.recycling.fresh.get(&node).copied(),
        }
    }

    /// Who allocated a block, with its index among the blocks of its own thread; `None` if it was there before all threads.
    pub fn allocator(&self, block: u32) -> Option<(ThreadId, u32)> {
        let found = self.blocks.iter().find(|(_, other)| **other == block);
        found.map(|((thread, number, ..), _)| (*thread, *number))
    }

    /// What a cell holds at the start that says whether a block is free.
    pub(super) fn initially_free(&self, block: u32) -> ValueId {
        let is_free = self.start.heap.get(block as usize).is_some_and(|block| block.freed);
        if is_free { self.recycling.free } else { self.recycling.in_use }
    }

    /// Blocks that the setup freed can be reused from the start.
    pub(super) fn recycle_from_setup(&mut self) {
        let is_free = |(_, block): &(usize, &Rc<Allocation>)| block.freed && block.reuse;
        let blocks = self.start.heap.iter().enumerate().filter(is_free).map(|(number, _)| number as u32);
        for block in blocks.collect::<Vec<u32>>() {
            self.recyclable_cell(block);
        }
    }

    /// The cell that says whether a block is free, which may be reused.
    fn recyclable_cell(&mut self, block: u32) -> CellId {
        let known = self.cells();
        let cell = self.cell(Address { allocation: block, path: WHETHER_FREE });
        if cell.index() == known {
            self.recycling.cells.push(cell);
        }
        cell
    }

    /// The operation that a `free` is; an error if there is nothing to free.
    pub(super) fn giving_back(&mut self, thread: ThreadId, address: &Operand) -> Result<Op, Stop> {
        let (index, globals) = (thread.index(), self.program.globals.len() as u32);
        let start = self.interpreter.words.path(&[]);
        let given = match self.interpreter.operand(&self.scratch, index, address) {
            Word::Pointer(Address { allocation, path }) if path == start && allocation >= globals => {
                let block = self.scratch.heap.get(allocation as usize);
                block.filter(|block| block.reuse).map(|_| allocation)
            }
            _ => None,
        };
        match given {
            Some(block) => Ok(Op::Update(self.recyclable_cell(block))),
            // Nothing can be freed here, whatever others do: the instruction says what is wrong.
            None => {
                self.interpreter.instruction(&mut self.scratch, index, &mut Choices::default(), &mut Nobody)?;
                Err(Stop::Limit("memory is freed in a way that is not understood".into()))
            }
        }
    }

    /// A thread frees a block, and finds it in use or free.
    pub(super) fn free(
        &mut self,
        thread: ThreadId,
        cell: CellId,
        found: Label,
        arrival: &mut Arrival,
    ) -> Result<(), Stop> {
        let block = self.address(cell).allocation as usize;
        let before = self.scratch.heap[block].freed;
        self.scratch.heap.set_freed(block, found == self.recycling.free.0);
        let (index, mut choices) = (thread.index(), Choices::default());
        let result = self.interpreter.instruction(&mut self.scratch, index, &mut choices, &mut Nobody);
        // What is free differs from execution to execution: it is not known here.
        self.scratch.heap.set_freed(block, before);
        arrival.written = result.is_ok().then_some(self.recycling.free);
        result
    }

    /// The cell that says whether the block is free that a pointer points into; `None` if it cannot be freed.
    pub(super) fn life(&mut self, thread: ThreadId, address: &Operand) -> Option<CellId> {
        let Word::Pointer(address) = self.interpreter.operand(&self.scratch, thread.index(), address) else {
            return None;
        };
        let block = self.scratch.heap.get(address.allocation as usize)?;
        if address.allocation < self.program.globals.len() as u32 {
            return None;
        }
        let is_variable = self.interpreter.size_named(block.name).is_some_and(|(_, storage)| storage.is_left());
        match block.reuse {
            true => Some(self.recyclable_cell(address.allocation)),
            // It ends, and is not allocated again.
            false => is_variable.then(|| self.cell(Address { allocation: address.allocation, path: WHETHER_FREE })),
        }
    }

    /// A thread is about to access a block, and finds it in use or free.
    pub(super) fn look_whether_free(&mut self, thread: ThreadId, cell: CellId, found: Label) -> Result<(), Stop> {
        let block = self.address(cell).allocation as usize;
        let before = self.scratch.heap[block].freed;
        self.scratch.heap.set_freed(block, found == self.recycling.free.0);
        let index = thread.index();
        let result = self.interpreter.instruction(&mut self.scratch, index, &mut Choices::default(), &mut Nobody);
        self.scratch.heap.set_freed(block, before);
        result
    }

    /// A thread is given a new block, or one that was freed.
    pub(super) fn take_block(&mut self, thread: ThreadId, label: Label, arrival: &mut Arrival) {
        let Some(place) = label.checked_sub(1) else {
            arrival.block = self.allocate(thread, arrival);
            return;
        };
        let Some(cell) = self.recycling.cells.get(place as usize).copied() else { return };
        let (allocation, index) = (self.address(cell).allocation, thread.index());
        let path = self.interpreter.words.path(&[]);
        let next = self.interpreter.next_instruction(&self.scratch.threads[index]);
        if let Some(InstructionKind::Allocate { target, .. }) = next.map(|next| &next.kind) {
            let me = self.scratch.thread(index);
            me.set(*target, Word::Pointer(Address { allocation, path }));
            step_over(me);
        }
    }
}

/// Whether the life of some variable ends, or is asked for.
pub(super) fn ends(program: &program::Program) -> bool {
    let asks = |kind: &InstructionKind| matches!(kind, InstructionKind::End { .. } | InstructionKind::Live { .. });
    program.instructions().any(|instruction| asks(&instruction.kind))
}
