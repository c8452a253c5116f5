//! The first execution of an exploration: thread after thread, by chance, or along a schedule. Which classes are found does not
//! depend on it, only which is found first.

use operational::choices::Choices;
use operational::schedule::{Move, Schedule};
use operational::turn::Action;

use super::history::{Forest, Op};
use super::id::{NodeId, ThreadId};
use super::machine::Configuration;

/// How the first execution goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum First {
    /// Thread by thread, each as far as it gets, stores at once.
    #[default]
    InTurn,
    /// At each step who goes is left to chance, from this seed.
    Random(u64),
    /// Along a schedule that is run operation by operation, then thread by thread.
    Along(Schedule),
}

/// Steps that are left to chance at most: an execution may be endless.
const MOST_RANDOM: usize = 1_000;

impl First {
    /// Whether the execution is one after this setup.
    pub fn is_after(&self, setup: &[u32]) -> bool {
        match self {
            First::Along(schedule) => schedule.setup == setup,
            First::InTurn | First::Random(_) => true,
        }
    }

    /// Takes the first steps; gives how many moves of the schedule were followed, if there is one.
    pub fn take(&self, configuration: &mut Configuration, forest: &mut Forest) -> Option<usize> {
        match self {
            First::InTurn => None,
            First::Random(seed) => {
                by_chance(configuration, forest, *seed);
                None
            }
            First::Along(schedule) => Some(along(configuration, forest, &schedule.moves)),
        }
    }
}

fn by_chance(configuration: &mut Configuration, forest: &mut Forest, seed: u64) {
    let mut chance = seed.wrapping_mul(2).wrapping_add(1);
    while configuration.moves.len() < MOST_RANDOM {
        let mut actions = configuration.actions(forest.machine);
        shuffle(&mut actions, &mut chance);
        if !actions.into_iter().any(|action| configuration.act(forest, action)) {
            return;
        }
    }
}

/// Another order of the actions, by chance (xorshift).
fn shuffle(actions: &mut [Action], chance: &mut u64) {
    for last in (1..actions.len()).rev() {
        *chance ^= *chance << 13;
        *chance ^= *chance >> 7;
        *chance ^= *chance << 17;
        actions.swap(last, (*chance % (last as u64 + 1)) as usize);
    }
}

/// Follows a schedule as far as it can be followed; gives how many moves that are. Iterations without effect are no steps here,
/// so that a schedule with many of them leads to the first.
fn along(configuration: &mut Configuration, forest: &mut Forest, moves: &[Move]) -> usize {
    // Schedules number threads as they start.
    let mut threads: Vec<ThreadId> = (0..configuration.at.len()).map(ThreadId::at).collect();
    let goes = |Move { action, choices }: &Move| match *action {
        Action::Flush(thread, place) => {
            threads.get(thread).is_some_and(|thread| configuration.flush_at(forest.machine, *thread, place))
        }
        Action::Step(thread) => {
            let Some(thread) = threads.get(thread).copied() else { return false };
            let node = configuration.at[thread.index()];
            let op = (node != NodeId::NONE).then(|| forest.node(node).op.clone());
            // What is free is numbered in another way there.
            let is_reused = matches!(op, Some(Op::Allocate(_))) && choices.iter().any(|choice| *choice != 0);
            if let Some(Op::Spawn(started, _)) = op {
                threads.push(started);
            }
            !is_reused && configuration.step(forest, thread, &mut Choices::given(choices.clone())).is_some()
        }
    };
    moves.iter().map(goes).take_while(|goes| *goes).count()
}
