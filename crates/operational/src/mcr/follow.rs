//! Running the program along steps of a class.

use crate::choices::Choices;

use super::history::{FAILED, Forest, NONE, NodeId};
use super::machine::Configuration;
use super::project::Projection;
use super::trace::{Access, Escape, Kind, Step, Trace};

/// Takes an execution along the steps of a trace.
pub(super) struct Follower<'p> {
    /// Where the execution stands.
    pub configuration: Configuration,
    projection: &'p Projection,
    /// How many events of the trace each thread did.
    done: Vec<u32>,
}

impl<'p> Follower<'p> {
    /// The start of an execution.
    pub fn new(roots: &[NodeId], projection: &'p Projection, forest: &mut Forest) -> Follower<'p> {
        let done = vec![0; projection.trace.threads.len()];
        let mut follower = Follower { configuration: Configuration::new(roots), projection, done };
        (0..roots.len() as u32).for_each(|thread| follower.advance(forest, thread));
        follower
    }

    /// A thread does what comes before its next event of the trace.
    fn advance(&mut self, forest: &mut Forest, thread: u32) {
        let configuration = &mut self.configuration;
        let events = &self.projection.trace.threads[thread as usize].events;
        let next = events.get(self.done[thread as usize] as usize).map_or(NONE, |event| event.node);
        while configuration.at[thread as usize] != next
            && configuration.step(forest, thread, &mut Choices::default()).is_some()
        {}
        configuration.flush_others(forest.machine, thread, &self.projection.cells);
    }

    /// Takes the steps; whether all were possible.
    pub fn steps(&mut self, forest: &mut Forest, steps: &[Step]) -> bool {
        steps.iter().all(|step| match step {
            Step::Flush(thread, cell) => {
                let cell = self.projection.cells[*cell as usize];
                let happens = self.configuration.flush_cell(forest.machine, *thread, cell);
                // A load may have waited for it.
                self.advance(forest, *thread);
                happens
            }
            Step::Event(thread) => {
                let event = self.done[*thread as usize];
                let events = &self.projection.trace.threads[*thread as usize].events;
                let Some(kind) = events.get(event as usize).map(|event| &event.kind) else { return false };
                let given = match kind {
                    Kind::Choice { picked, .. } => vec![*picked],
                    Kind::Notify { picked, .. } => picked.checked_sub(1).into_iter().collect(),
                    Kind::Update { picked, .. } => picked.iter().copied().collect(),
                    Kind::Atomic(accesses) => picks(accesses),
                    _ => Vec::new(),
                };
                let happens = self.target(forest, *thread, event, &mut Choices::given(given));
                self.done[*thread as usize] += 1;
                self.advance(forest, *thread);
                if let Kind::Spawn(started) = kind {
                    self.advance(forest, *started);
                }
                happens
            }
        })
    }

    /// A thread does what comes before an event of the trace, and the event; whether that was possible.
    pub fn target(&mut self, forest: &mut Forest, thread: u32, event: u32, choices: &mut Choices) -> bool {
        let Some(event) = self.projection.trace.threads[thread as usize].events.get(event as usize) else {
            return false;
        };
        let configuration = &mut self.configuration;
        if configuration.at.get(thread as usize) != Some(&event.node) {
            return false;
        }
        if event.kind.drains() {
            configuration.flush_all(thread);
        } else if matches!(event.kind, Kind::Read { .. }) {
            configuration.flush_before_load(thread);
        }
        configuration.step(forest, thread, choices).is_some()
    }
}

fn picks(accesses: &[Access]) -> Vec<u32> {
    let picked = accesses.iter().filter_map(|access| match access {
        Access::Choice { picked, .. } => Some(*picked),
        _ => None,
    });
    picked.collect()
}

/// The choices that make the target get its label.
pub(super) fn given(trace: &Trace, escape: &Escape) -> Vec<u32> {
    let label = escape.label;
    match trace.threads[escape.thread as usize].events[escape.event as usize].kind {
        Kind::Choice { .. } => vec![label],
        Kind::Notify { .. } => label.checked_sub(1).into_iter().collect(),
        Kind::Update { .. } if label & FAILED != 0 => vec![1],
        _ => Vec::new(),
    }
}
