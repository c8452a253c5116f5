//! The ways through an atomic block: what it reads on each, and where it ends. An allocation has ways, too.
//!
//! Which values cells can hold is known for a class, so the ways are followed in the trees of [`super::history`] with all of
//! them.

use super::history::{FAILED, Forest, Label, Op};
use super::id::{CellId, NodeId, TraceCell};
use super::project::{Alternatives, Projection, other_blocks};
use super::trace::Value;
use operational::fence::FenceOrder;

/// A way through an atomic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Names the way among those of the block.
    pub label: u32,
    /// What it finds in cells that it has not written, each once, in order.
    pub reads: Vec<(TraceCell, Value)>,
    /// Which of the thread's stores it waits for.
    pub waits_for: Stores,
    /// Where the thread stands after it; `None` if what it awaits is false, so that the block does not happen.
    pub after: Option<NodeId>,
}

/// Stores of a thread that have to be in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stores {
    /// None.
    None,
    /// Those that have to be there before a load.
    BeforeLoad,
    /// All.
    All,
}

/// All ways through the block that begins at a node. Cells that it reads and that are not in the trace are added to `more`,
/// and taken to hold their initial values. `None` if there are too many ways.
pub fn ways(forest: &mut Forest, projection: &Projection, begin: NodeId, more: &mut Vec<CellId>) -> Option<Vec<Way>> {
    let mut found = Vec::new();
    let mut open = vec![Walk { node: forest.child(begin, 0), ..Walk::default() }];
    while let Some(walk) = open.pop() {
        if found.len() + open.len() > MOST_WAYS {
            return None;
        }
        match forest.node(walk.node).op.clone() {
            Op::Load(cell) => {
                for (value, mut next) in walk.with_values(forest, projection, cell, more) {
                    next.node = forest.child(next.node, value.0);
                    open.push(next.did(Some(Op::Load(cell)), 1));
                }
            }
            Op::Update(cell) => {
                for (value, next) in walk.with_values(forest, projection, cell, more) {
                    open.extend(next.updated(forest, cell, value));
                }
            }
            Op::Choose(ways) => open.extend((0..ways).map(|way| walk.to(forest.child(walk.node, way)))),
            Op::Allocate(size) => open.extend(walk.allocated(forest, projection, size, more)),
            op @ (Op::Store(..) | Op::Fence(_)) => {
                let mut next = walk.to(forest.child(walk.node, 0));
                if let Op::Store(cell, value, _) = op {
                    next.writes.push((cell, value));
                }
                open.push(next.did(Some(op), 1));
            }
            Op::Waits => found.push(walk.ended(found.len(), None)),
            Op::Finish => {
                let after = forest.child(walk.node, 0);
                found.push(walk.ended(found.len(), Some(after)));
            }
            _ => {
                let after = walk.node;
                found.push(walk.ended(found.len(), Some(after)));
            }
        }
    }
    Some(found)
}

/// All ways in which an allocation can go on: with a new block, or with one that was freed.
pub fn ways_to_allocate(forest: &mut Forest, projection: &Projection, node: NodeId) -> Vec<Way> {
    let blocks = other_blocks(forest, projection, node, None);
    let Some(Alternatives::Blocks { free, listed }) = blocks else { return Vec::new() };
    let way = |(label, cell): (Label, Option<TraceCell>)| {
        let reads = cell.map(|cell| (cell, free)).into_iter().collect();
        Way { label, reads, waits_for: Stores::All, after: Some(forest.child(node, label)) }
    };
    listed.into_iter().map(way).collect()
}

/// With more ways than this a block is not looked into.
const MOST_WAYS: usize = 4_096;

/// A way up to some node. Cells in it are those of the forest but for `reads`.
#[derive(Clone, Debug, Default)]
struct Walk {
    node: NodeId,
    reads: Vec<(TraceCell, Value)>,
    /// The cells that were read or written, with what they hold as the block sees it.
    known: Vec<(CellId, Value)>,
    writes: Vec<(CellId, Value)>,
    events: u32,
    /// The last event.
    last: Option<Op>,
}

impl Walk {
    fn to(&self, node: NodeId) -> Walk {
        Walk { node, ..self.clone() }
    }

    fn did(mut self, op: Option<Op>, events: u32) -> Walk {
        self.last = op;
        self.events += events;
        self
    }

    /// The values that the block may see in a cell, each with the way so far.
    fn with_values(
        &self,
        forest: &Forest,
        projection: &Projection,
        cell: CellId,
        more: &mut Vec<CellId>,
    ) -> Vec<(Value, Walk)> {
        let seen = self.writes.iter().rev().chain(&self.known).find(|(other, _)| *other == cell);
        if let Some((_, value)) = seen {
            return vec![(*value, self.clone())];
        }
        let number = projection.cells.iter().position(|other| *other == cell);
        let values = match number {
            Some(number) => projection.values[number].clone(),
            None => {
                more.push(cell);
                vec![forest.initial(cell)]
            }
        };
        let with = |value: Value| {
            let mut next = self.clone();
            next.known.push((cell, value));
            next.reads.extend(number.map(|number| (TraceCell::at(number), value)));
            (value, next)
        };
        values.into_iter().map(with).collect()
    }

    /// What a read-modify-write of a cell does with a value: it may have two ways.
    fn updated(&self, forest: &mut Forest, cell: CellId, value: Value) -> Vec<Walk> {
        let child = forest.child(self.node, value.0);
        let mut children = vec![child];
        if forest.node(child).picked {
            children.push(forest.child(self.node, value.0 | FAILED));
        }
        let walks = children.into_iter().map(|child| {
            let mut next = self.to(child);
            let written = forest.node(child).written;
            next.writes.extend(written.map(|written| (cell, written)));
            next.did(Some(Op::Update(cell)), 1 + u32::from(written.is_some()))
        });
        walks.collect()
    }

    /// What an allocation can be given: a new block, or one that is free.
    fn allocated(
        &self,
        forest: &mut Forest,
        projection: &Projection,
        size: Option<u64>,
        more: &mut Vec<CellId>,
    ) -> Vec<Walk> {
        let [in_use, free] = forest.in_use_or_free();
        let mut walks = vec![self.to(forest.child(self.node, 0)).did(Some(Op::Allocate(size)), 1)];
        for (place, cell) in forest.recyclable().to_vec().into_iter().enumerate() {
            if !forest.fits(cell, size) {
                continue;
            }
            let found = self.with_values(forest, projection, cell, more);
            for (_, next) in found.into_iter().filter(|(value, _)| *value == free) {
                let mut next = next.to(forest.child(self.node, place as Label + 1));
                next.writes.push((cell, in_use));
                walks.push(next.did(Some(Op::Allocate(size)), 1));
            }
        }
        walks
    }

    fn ended(self, label: usize, after: Option<NodeId>) -> Way {
        let waits_for = match (self.events, self.last) {
            (0, _) => Stores::None,
            (1, Some(Op::Load(_))) => Stores::BeforeLoad,
            (1, Some(Op::Store(_, _, false))) => Stores::None,
            (1, Some(Op::Fence(order))) if order != FenceOrder::Full => Stores::None,
            _ => Stores::All,
        };
        Way { label: label as u32, reads: self.reads, waits_for, after }
    }
}
