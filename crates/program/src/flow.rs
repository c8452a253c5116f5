//! Control flow of a function: which blocks are reached, in which order, and which dominate which.
//!
//! Dominators by the iteration of Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm" (2001).

use crate::ir::{Block, BlockId, Function, Terminator};

/// The control flow of one function. Blocks that no path from block 0 reaches play no part in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Invariant: the reached blocks, each once, block 0 first; every edge that is not retreating leads forward.
    order: Vec<BlockId>,
    /// Invariant: for each block of the function its place in `order`, `None` if it is not reached.
    place: Vec<Option<usize>>,
    /// Invariant: for each place in `order` the place of the immediate dominator; block 0 is its own.
    dominator: Vec<usize>,
    /// The edges of the reached blocks that lead back in `order`, by their source's place.
    retreating: Vec<(BlockId, BlockId)>,
}

impl Flow {
    /// The control flow of a function. Edges to blocks that do not exist are left out.
    pub fn of(function: &Function) -> Flow {
        let order = reverse_postorder(function);
        let mut place = vec![None; function.blocks.len()];
        for (index, block) in order.iter().enumerate() {
            place[block.0 as usize] = Some(index);
        }
        let mut flow = Flow { order, place, dominator: Vec::new(), retreating: Vec::new() };
        let edges = flow.edges(function);
        flow.dominator = dominators(flow.order.len(), &edges);
        let retreating = edges.iter().filter(|(from, to)| to <= from);
        flow.retreating = retreating.map(|&(from, to)| (flow.order[from], flow.order[to])).collect();
        flow
    }

    /// The reached blocks in reverse postorder: block 0 first, every block before those it dominates.
    pub fn order(&self) -> &[BlockId] {
        &self.order
    }

    /// Whether some path from block 0 leads to the block.
    pub fn reaches(&self, block: BlockId) -> bool {
        self.place.get(block.0 as usize).is_some_and(|place| place.is_some())
    }

    /// Whether every path from block 0 to `block` passes `dominator`; false unless both are reached. A block dominates
    /// itself.
    pub fn dominates(&self, dominator: BlockId, block: BlockId) -> bool {
        let place = |block: BlockId| self.place.get(block.0 as usize).copied().flatten();
        let (Some(target), Some(mut at)) = (place(dominator), place(block)) else {
            return false;
        };
        while at > target {
            at = self.dominator[at];
        }
        at == target
    }

    /// The edges that close a cycle: to a block that stands at or before the source in the order. In a reducible
    /// function, and so in every verified one, each goes to the head of a loop, which dominates its source.
    pub fn retreating(&self) -> &[(BlockId, BlockId)] {
        &self.retreating
    }

    /// The heads of the loops, in order, each once.
    pub fn loop_heads(&self) -> Vec<BlockId> {
        let heads = self.order.iter().filter(|head| self.retreating.iter().any(|(_, to)| to == *head));
        heads.copied().collect()
    }

    /// All edges between reached blocks, by places in the order.
    fn edges(&self, function: &Function) -> Vec<(usize, usize)> {
        let mut edges = Vec::new();
        for (from, block) in self.order.iter().enumerate() {
            for next in function[*block].terminator.successors() {
                if let Some(Some(to)) = self.place.get(next.0 as usize) {
                    edges.push((from, *to));
                }
            }
        }
        edges
    }
}

/// A natural loop of a function. The law of the representation gives each cycle one head that dominates it.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The block through which it is entered.
    pub head: BlockId,
    /// By block: whether it is part of the loop.
    pub body: Vec<bool>,
    /// Whether the head decides if the body runs (a `while`), or is part of it (a `do`).
    pub tests_first: bool,
}

impl Loop {
    /// Whether a block is part of the loop.
    pub fn contains(&self, block: BlockId) -> bool {
        self.body.get(block.0 as usize).is_some_and(|is_inside| *is_inside)
    }
}

/// The loops of a function, in the order of their heads.
pub fn find_loops(function: &Function) -> Vec<Loop> {
    let flow = Flow::of(function);
    let successors: Vec<Vec<BlockId>> = function.blocks.iter().map(|block| block.terminator.successors()).collect();
    let to_loop = |head: BlockId| {
        let mut body = vec![false; successors.len()];
        body[head.0 as usize] = true;
        let back = flow.retreating().iter().filter(|(_, to)| *to == head).map(|(from, _)| from.0 as usize);
        add_what_reaches(&successors, back.collect(), &mut body);
        let tests_first = successors[head.0 as usize].iter().any(|next| !body[next.0 as usize]);
        Loop { head, body, tests_first }
    };
    flow.loop_heads().into_iter().map(to_loop).collect()
}

/// Adds all blocks that reach the open ones without passing one that is added already.
fn add_what_reaches(successors: &[Vec<BlockId>], mut open: Vec<usize>, body: &mut [bool]) {
    while let Some(block) = open.pop() {
        if !body[block] {
            body[block] = true;
            let leads_here = |other: &usize| successors[*other].iter().any(|next| next.0 as usize == block);
            open.extend((0..successors.len()).filter(leads_here));
        }
    }
}

/// Depth-first, with a stack of its own: a function may have more blocks than the host's stack has frames.
fn reverse_postorder(function: &Function) -> Vec<BlockId> {
    let successors = |block: usize| function.blocks[block].terminator.successors();
    let mut seen = vec![false; function.blocks.len()];
    let mut postorder = Vec::new();
    let mut stack = Vec::new();
    if let Some(first) = seen.first_mut() {
        *first = true;
        stack.push((0, successors(0)));
    }
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop().map(|next| next.0 as usize) {
            Some(next) if next < seen.len() && !seen[next] => {
                seen[next] = true;
                stack.push((next, successors(next)));
            }
            Some(_) => {}
            None => {
                postorder.push(BlockId(*block as u32));
                stack.pop();
            }
        }
    }
    postorder.reverse();
    postorder
}

/// Immediate dominators of `count` places in reverse postorder.
fn dominators(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut predecessors = vec![Vec::new(); count];
    for &(from, to) in edges {
        predecessors[to].push(from);
    }
    let mut dominator: Vec<Option<usize>> = vec![None; count];
    if let Some(first) = dominator.first_mut() {
        *first = Some(0);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for place in 1..count {
            let known = predecessors[place].iter().copied().filter(|&p| dominator[p].is_some());
            let new = known.reduce(|a, b| common(&dominator, a, b));
            changed |= new != dominator[place];
            dominator[place] = new;
        }
    }
    dominator.into_iter().map(|d| d.unwrap_or(0)).collect()
}

/// The nearest place that dominates both.
fn common(dominator: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = dominator[a].unwrap_or(0);
        } else {
            b = dominator[b].unwrap_or(0);
        }
    }
    a
}

/// The immediate post-dominator of each block: the first block through which every path to the end leads. `None` where
/// there is none but the end itself, and where the end cannot be reached. These are the dominators of the reversed graph, in
/// which the end comes first.
pub fn post_dominators(blocks: &[Block]) -> Vec<Option<BlockId>> {
    let end = blocks.len();
    let mut predecessors = vec![Vec::new(); end + 1];
    for (block, own) in blocks.iter().enumerate() {
        match &own.terminator {
            Terminator::Return(_) => predecessors[end].push(block),
            other => other.successors().iter().for_each(|next| predecessors[next.index()].push(block)),
        }
    }
    let order = reverse_postorder_from(end, &predecessors);
    let mut place = vec![0; end + 1];
    order.iter().enumerate().for_each(|(index, &block)| place[block] = index);
    // What leads to a block that reaches the end reaches it, too.
    let leading = |(from, &block): (usize, &usize)| predecessors[block].iter().map(move |&to| (from, to));
    let edges: Vec<(usize, usize)> =
        order.iter().enumerate().flat_map(leading).map(|(from, to)| (from, place[to])).collect();
    let dominator = dominators(order.len(), &edges);
    let mut found = vec![None; end];
    for (index, &block) in order.iter().enumerate().skip(1) {
        let next = order[dominator[index]];
        found[block] = (next != end).then(|| BlockId::at(next));
    }
    found
}

/// What is reached from `start`, in reverse postorder; with a stack of its own.
fn reverse_postorder_from(start: usize, next: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; next.len()];
    seen[start] = true;
    let mut stack = vec![(start, 0)];
    let mut order = Vec::new();
    while let Some((block, edge)) = stack.pop() {
        match next[block].get(edge) {
            None => order.push(block),
            Some(&to) => {
                stack.push((block, edge + 1));
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
        }
    }
    order.reverse();
    order
}
