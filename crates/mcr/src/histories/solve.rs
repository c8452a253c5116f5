//! Untried branches of a class by solving, for classes with too many states to list, or as a second opinion.

use sat::Budget;

use operational::memory::Machine;

use super::block::{Way, ways, ways_to_allocate};
use super::classes::Classes;
use super::encode::{Block, Encoding, Form, Proposal, encode};
use super::graph::EndState;
use super::history::{Forest, NONE, Op};
use super::id::{CellId, ClassId, NodeId, ThreadId};
use super::project::{Keep, Projection};
use super::question::{Viewed, nodes};
use super::trace::{Escape, Kind, Step};

/// A class as a problem for the solver.
pub struct Solving<'v> {
    viewed: &'v Viewed,
    blocks: &'v [Block],
    encoding: Encoding<'v>,
}

/// A class with all cells that its atomic blocks could read, and the ways through these; the error says why that cannot be
/// solved.
pub fn view(forest: &mut Forest, classes: &Classes, class: ClassId) -> Result<(Viewed, Vec<Block>), &'static str> {
    let mut kept: Vec<CellId> = Vec::new();
    loop {
        let viewed = Viewed::new(forest, classes, class, Keep::Also(&kept));
        let mut more = Vec::new();
        let blocks = blocks(forest, &viewed, &mut more).ok_or("has an atomic block with too many ways through it")?;
        more.retain(|cell| !kept.contains(cell));
        if more.is_empty() {
            return Ok((viewed, blocks));
        }
        kept.extend(more);
    }
}

fn blocks(forest: &mut Forest, viewed: &Viewed, more: &mut Vec<CellId>) -> Option<Vec<Block>> {
    let Projection { trace, after, .. } = &viewed.projection;
    let mut blocks = Vec::new();
    for (thread, of) in trace.threads.iter().enumerate() {
        for (event, what) in of.events.iter().enumerate() {
            let op = forest.node(what.node).op.clone();
            if matches!(op, Op::Begin | Op::Allocate(_)) {
                let ways = match op {
                    Op::Allocate(_) => ways_to_allocate(forest, &viewed.projection, what.node),
                    _ => ways(forest, &viewed.projection, what.node, more)?,
                };
                let is_taken = |way: &&Way| way.after == Some(after[thread][event]);
                let taken = ways.iter().find(is_taken).map(|way| way.label);
                blocks.push(Block { thread: ThreadId::at(thread), event: event as u32, ways, taken });
            }
        }
    }
    Some(blocks)
}

/// What the solver found.
pub enum Solved {
    /// An untried branch that no known class takes.
    Escape(EndState, Escape),
    /// Steps after which threads wait for each other, as in no known class.
    Stuck(Vec<Step>),
    /// Nothing: there is none.
    Nothing,
    /// It was interrupted.
    Interrupted,
}

impl<'v> Solving<'v> {
    /// The problem of a class.
    pub fn new(viewed: &'v Viewed, blocks: &'v [Block], machine: Machine, form: Form) -> Solving<'v> {
        let encoding = encode(&viewed.projection.trace, blocks, machine, form);
        Solving { viewed, blocks, encoding }
    }

    /// How often the solver was asked.
    pub fn queries(&self) -> u64 {
        self.encoding.queries()
    }

    /// The next untried branch.
    pub fn next(&mut self, forest: &Forest, classes: &Classes, budget: &Budget) -> Solved {
        let Solving { viewed, blocks, encoding } = self;
        let mut last = EndState::at(Vec::new(), 0);
        let mut known = |proposal: Proposal| {
            last = EndState::at(positions(viewed, proposal.positions), proposal.label);
            let target = (proposal.thread, proposal.event);
            let node = viewed.projection.trace.threads[target.0.index()].events[target.1 as usize].node;
            let block = blocks.iter().find(|block| (block.thread, block.event) == target);
            let child = match block {
                Some(block) => block.ways.iter().find(|way| way.label == proposal.label)?.after?,
                None => forest.known_child(node, proposal.label)?,
            };
            let nodes = nodes(&viewed.projection, &viewed.ends, &last, proposal.thread, child);
            let class = classes.passing(nodes.into_iter(), ClassId::NONE)?;
            Some(leaving(forest, classes, viewed, class))
        };
        match encoding.escape(&mut known, budget) {
            Err(_) => return Solved::Interrupted,
            Ok(Some(escape)) => return Solved::Escape(last, escape),
            Ok(None) => {}
        }
        let mut known = |at: &[u32]| {
            let end = EndState::at(positions(viewed, at), 0);
            classes.contains(&nodes(&viewed.projection, &viewed.ends, &end, ThreadId::NONE, NodeId::NONE))
        };
        match encoding.stuck(&mut known, budget) {
            Err(_) => Solved::Interrupted,
            Ok(Some(steps)) => Solved::Stuck(steps),
            Ok(None) => Solved::Nothing,
        }
    }
}

/// How far each thread came; [`NodeId::NONE`] if it has not started.
fn positions(viewed: &Viewed, positions: &[u32]) -> Vec<u32> {
    let trace = &viewed.projection.trace;
    let mut started: Vec<bool> = trace.threads.iter().map(|thread| thread.is_initial).collect();
    for (thread, done) in trace.threads.iter().zip(positions) {
        for event in &thread.events[..*done as usize] {
            if let Kind::Spawn(other) = event.kind {
                started[other.index()] = true;
            }
        }
    }
    positions.iter().zip(started).map(|(done, started)| if started { *done } else { NONE }).collect()
}

/// At which event of each thread another class leaves the one that is viewed; the number of events if it does not.
fn leaving(forest: &Forest, classes: &Classes, viewed: &Viewed, class: ClassId) -> Vec<u32> {
    let threads = viewed.projection.trace.threads.iter().enumerate();
    let leaves = threads.map(|(thread, of)| {
        let other = classes.ends(class).get(thread).copied().unwrap_or(NodeId::NONE);
        let after = |event: usize| of.events.get(event + 1).map_or(viewed.ends[thread], |next| next.node);
        let stays = |event: &usize| is_before(forest, after(*event), other);
        (0..of.events.len()).find(|event| !stays(event)).unwrap_or(of.events.len()) as u32
    });
    leaves.collect()
}

/// Whether a history is the start of another.
fn is_before(forest: &Forest, start: NodeId, of: NodeId) -> bool {
    let mut node = of;
    while node != NodeId::NONE && node != start {
        node = forest.node(node).parent;
    }
    node == start
}
