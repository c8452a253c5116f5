//! Ways out of a class by solving, for classes with too many states to list, or as a second opinion.

use sat::Budget;

use crate::memory::Machine;

use super::classes::{ClassId, Classes};
use super::encode::{Encoding, Form, Proposal, encode};
use super::graph::EndState;
use super::history::{Forest, NONE, NodeId, Op};
use super::project::Alternatives;
use super::question::{Viewed, after, alternatives_of, nodes};
use super::trace::{Escape, Kind, Step};

/// A class as a problem for the solver.
pub struct Solving<'v> {
    viewed: &'v Viewed,
    encoding: Encoding<'v>,
    /// For each event that is an atomic block what it could do instead.
    alternatives: Vec<Listed>,
}

/// An event and what it could do instead.
pub type Listed = ((u32, u32), Alternatives);

/// What the atomic blocks of a class could do instead; the error says why that cannot be solved.
pub fn blocks(forest: &mut Forest, viewed: &Viewed) -> Result<Vec<Listed>, &'static str> {
    let mut listed = Vec::new();
    for (thread, of) in viewed.projection.trace.threads.iter().enumerate() {
        for (event, what) in of.events.iter().enumerate() {
            if forest.node(what.node).op != Op::Begin {
                continue;
            }
            let (target, mut more) = ((thread as u32, event as u32), Vec::new());
            let alternatives = alternatives_of(forest, &viewed.projection, target, &mut more);
            // The problem does not know that such a read is more than a read, nor when a block waits without reading.
            let is_read = match &what.kind {
                Kind::Read { .. } => true,
                Kind::Atomic(accesses) => accesses.is_empty(),
                _ => false,
            };
            if !more.is_empty() || is_read || alternatives == Some(Alternatives::Everything) {
                return Err("has an atomic block of a sort that is not solved");
            }
            listed.extend(alternatives.map(|alternatives| (target, alternatives)));
        }
    }
    Ok(listed)
}

/// What the solver found.
pub enum Solved {
    /// A way out that no known class takes.
    Escape(EndState, Escape),
    /// Steps after which threads wait for each other, as in no known class.
    Stuck(Vec<Step>),
    /// Nothing: there is none.
    Nothing,
    /// It was told to stop.
    Interrupted,
}

impl<'v> Solving<'v> {
    /// The problem of a class.
    pub fn new(viewed: &'v Viewed, machine: Machine, form: Form, alternatives: Vec<Listed>) -> Solving<'v> {
        let encoding = encode(&viewed.projection.trace, machine, form);
        Solving { viewed, encoding, alternatives }
    }

    /// How often the solver was asked.
    pub fn queries(&self) -> u64 {
        self.encoding.queries()
    }

    /// The next way out.
    pub fn next(&mut self, forest: &Forest, classes: &Classes, budget: &Budget) -> Solved {
        let Solving { viewed, encoding, alternatives } = self;
        let mut last = EndState::at(Vec::new(), 0);
        let mut known = |proposal: Proposal| {
            last = EndState::at(positions(viewed, proposal.positions), proposal.label);
            let target = (proposal.thread, proposal.event);
            let node = viewed.projection.trace.threads[target.0 as usize].events[target.1 as usize].node;
            let listed = alternatives.iter().find(|(other, _)| *other == target).map(|(_, listed)| listed);
            let child = after(forest, node, listed.unwrap_or(&Alternatives::Any), proposal.label)?;
            let nodes = nodes(&viewed.projection, &viewed.ends, &last, proposal.thread, child);
            let class = classes.passing(nodes.into_iter(), ClassId::MAX)?;
            Some(leaving(forest, classes, viewed, class))
        };
        match encoding.escape(&mut known, budget) {
            Err(_) => return Solved::Interrupted,
            Ok(Some(escape)) => return Solved::Escape(last, escape),
            Ok(None) => {}
        }
        let mut known = |at: &[u32]| {
            let end = EndState::at(positions(viewed, at), 0);
            classes.contains(&nodes(&viewed.projection, &viewed.ends, &end, NONE, NONE))
        };
        match encoding.stuck(&mut known, budget) {
            Err(_) => Solved::Interrupted,
            Ok(Some(steps)) => Solved::Stuck(steps),
            Ok(None) => Solved::Nothing,
        }
    }
}

/// How far each thread came; [`NONE`] if it has not started.
fn positions(viewed: &Viewed, positions: &[u32]) -> Vec<u32> {
    let trace = &viewed.projection.trace;
    let mut started: Vec<bool> = trace.threads.iter().map(|thread| thread.is_initial).collect();
    for (thread, done) in trace.threads.iter().zip(positions) {
        for event in &thread.events[..*done as usize] {
            if let Kind::Spawn(other) = event.kind {
                started[other as usize] = true;
            }
        }
    }
    positions.iter().zip(started).map(|(done, started)| if started { *done } else { NONE }).collect()
}

/// At which event of each thread another class leaves the one that is viewed; the number of events if it does not.
fn leaving(forest: &Forest, classes: &Classes, viewed: &Viewed, class: ClassId) -> Vec<u32> {
    let threads = viewed.projection.trace.threads.iter().enumerate();
    let leaves = threads.map(|(thread, of)| {
        let other = classes.ends(class).get(thread).copied().unwrap_or(NONE);
        let after = |event: usize| of.events.get(event + 1).map_or(viewed.ends[thread], |next| next.node);
        let stays = |event: &usize| is_before(forest, after(*event), other);
        (0..of.events.len()).find(|event| !stays(event)).unwrap_or(of.events.len()) as u32
    });
    leaves.collect()
}

/// Whether a history is the start of another.
fn is_before(forest: &Forest, start: NodeId, of: NodeId) -> bool {
    let mut node = of;
    while node != NONE && node != start {
        node = forest.node(node).parent;
    }
    node == start
}
