//! Running the program along steps of a class.

use operational::choices::Choices;

use super::history::{FAILED, Forest, Label, Op};
use super::id::{NodeId, ThreadId};
use super::machine::Configuration;
use super::project::Projection;
use super::trace::{Escape, Event, Kind, Step, Trace, waited_for};

/// Takes an execution along the steps of a trace, and checks that it goes where the class goes.
pub(super) struct Follower<'p> {
    /// Where the execution stands.
    pub configuration: Configuration,
    projection: &'p Projection,
    /// Where the threads of the class stand at its end.
    ends: &'p [NodeId],
    /// How many events of the trace each thread did.
    done: Vec<u32>,
    /// The thread that has left the class, if one has. It stands still.
    gone: Option<ThreadId>,
    /// Whether threads do nothing before they have to.
    is_lazy: bool,
}

impl<'p> Follower<'p> {
    /// The start of an execution.
    pub fn new(
        roots: &[NodeId],
        (projection, ends): (&'p Projection, &'p [NodeId]),
        forest: &mut Forest,
    ) -> Follower<'p> {
        let mut follower = Follower::lazy(roots, (projection, ends));
        follower.is_lazy = false;
        (0..roots.len()).map(ThreadId::at).for_each(|thread| follower.advance(forest, thread));
        follower
    }

    /// The start of an execution in which threads do nothing before they have to, so that none fails before it has to.
    pub fn lazy(roots: &[NodeId], (projection, ends): (&'p Projection, &'p [NodeId])) -> Follower<'p> {
        let done = vec![0; projection.trace.threads.len()];
        Follower { configuration: Configuration::new(roots), projection, ends, done, gone: None, is_lazy: true }
    }

    /// A thread does at once what it can.
    fn advance(&mut self, forest: &mut Forest, thread: ThreadId) {
        if self.gone != Some(thread) && !self.is_lazy {
            self.catch_up(forest, thread);
        }
    }

    /// A thread does what comes before its next event of the trace, or before its end in the class: where the class was cut,
    /// the thread could go on.
    fn catch_up(&mut self, forest: &mut Forest, thread: ThreadId) {
        let configuration = &mut self.configuration;
        let events = &self.projection.trace.threads[thread.index()].events;
        let end = self.ends.get(thread.index()).copied().unwrap_or(NodeId::NONE);
        let next = events.get(self.done[thread.index()] as usize).map_or(end, |event| event.node);
        while configuration.at[thread.index()] != next
            && configuration.step(forest, thread, &mut Choices::default()).is_some()
        {}
        configuration.flush_others(forest.machine, thread, &self.projection.cells);
    }

    /// Takes the steps; whether all were possible, and every event got what it gets in the class.
    pub fn steps(&mut self, forest: &mut Forest, steps: &[Step]) -> bool {
        steps.iter().all(|step| match step {
            Step::Flush(thread, cell) => {
                let cell = self.projection.cells[cell.index()];
                if self.is_lazy {
                    self.configuration.flush_others(forest.machine, *thread, &self.projection.cells);
                }
                let happens = self.configuration.flush_cell(forest.machine, *thread, cell);
                // A load may have waited for it.
                self.advance(forest, *thread);
                happens
            }
            Step::Event(thread) => self.next(forest, *thread),
        })
    }

    /// A thread does its next event as in the class; whether it could.
    fn next(&mut self, forest: &mut Forest, thread: ThreadId) -> bool {
        let (index, event) = (thread.index(), self.done[thread.index()]);
        let Some(what) = self.projection.trace.threads[index].events.get(event as usize) else { return false };
        if self.is_lazy {
            [thread].iter().chain(waited_for(&what.kind)).for_each(|thread| self.catch_up(forest, *thread));
        }
        let after = self.projection.after[index][event as usize];
        let given = taken(forest, what, after);
        let happens = self.happen(forest, thread, event, &mut Choices::given(given)).is_some();
        if !happens || self.configuration.at[index] != after {
            return false;
        }
        self.done[index] += 1;
        self.advance(forest, thread);
        if let Kind::Spawn(started) = what.kind {
            self.advance(forest, started);
        }
        true
    }

    /// A thread leaves the class at an event of the trace; gives what the event got, `None` if it could not happen.
    pub fn leave(&mut self, forest: &mut Forest, thread: ThreadId, event: u32, choices: &mut Choices) -> Option<Label> {
        self.gone = Some(thread);
        self.happen(forest, thread, event, choices)
    }

    /// A thread does an event of the trace, if it can.
    fn happen(&mut self, forest: &mut Forest, thread: ThreadId, event: u32, choices: &mut Choices) -> Option<Label> {
        let event = self.projection.trace.threads[thread.index()].events.get(event as usize)?;
        let configuration = &mut self.configuration;
        if configuration.at.get(thread.index()) != Some(&event.node) {
            return None;
        }
        if forest.node(event.node).op == Op::Begin {
            // Whether it waits for stores depends on what it reads: those that had to be in memory are.
            configuration.flush_others(forest.machine, thread, &self.projection.cells);
        } else if event.kind.drains() {
            configuration.flush_all(thread);
        } else if matches!(event.kind, Kind::Read { .. }) {
            configuration.flush_before_load(thread);
        }
        configuration.step(forest, thread, choices)
    }
}

/// The choices with which an event goes where it goes in its class.
pub(super) fn taken(forest: &Forest, event: &Event, after: NodeId) -> Vec<u32> {
    match &event.kind {
        _ if forest.node(event.node).op == Op::Begin => picks(forest, event.node, after),
        _ if matches!(forest.node(event.node).op, Op::Allocate(_)) => vec![forest.node(after).label],
        Kind::Choice { picked, .. } => vec![*picked],
        Kind::Notify { picked, .. } => picked.checked_sub(1).into_iter().collect(),
        Kind::Update { picked, .. } => picked.iter().copied().collect(),
        _ => Vec::new(),
    }
}

/// The choices with which an atomic block goes from one node to another.
fn picks(forest: &Forest, begin: NodeId, after: NodeId) -> Vec<u32> {
    let mut picked = Vec::new();
    let mut node = after;
    while node != NodeId::NONE && node != begin {
        let (last, parent) = (forest.node(node), forest.node(node).parent);
        match parent {
            NodeId::NONE => {}
            _ if matches!(forest.node(parent).op, Op::Choose(_) | Op::Allocate(_)) => picked.push(last.label),
            _ if last.picked => picked.push(u32::from(last.label & FAILED != 0)),
            _ => {}
        }
        node = parent;
    }
    picked.reverse();
    picked
}

/// The choices that make the target get its label.
pub(super) fn given(forest: &Forest, trace: &Trace, escape: &Escape) -> Vec<u32> {
    let label = escape.label;
    let event = &trace.threads[escape.thread.index()].events[escape.event as usize];
    match event.kind {
        _ if matches!(forest.node(event.node).op, Op::Allocate(_)) => vec![label],
        Kind::Choice { .. } => vec![label],
        Kind::Notify { .. } => label.checked_sub(1).into_iter().collect(),
        Kind::Update { .. } if label & FAILED != 0 => vec![1],
        _ => Vec::new(),
    }
}
