//! How states were reached, for searches that do not keep the way to each state.

use crate::schedule::{Move, Schedule};

/// How a state was reached.
pub(crate) enum Arrival {
    /// What the setup chose, and what was chosen before the first step.
    Start { setup: Vec<u32>, start: Vec<u32> },
    /// The number of the state before, and the move from there.
    After(u32, Move),
}

/// By number of a state: how it was reached first.
#[derive(Default)]
pub(crate) struct Arrivals(Vec<Arrival>);

impl Arrivals {
    /// Notes how the next state was reached.
    pub fn push(&mut self, arrival: Arrival) {
        self.0.push(arrival);
    }

    /// About how many bytes they take.
    pub fn bytes(&self) -> u64 {
        64 * self.0.len() as u64
    }

    /// The way to a state.
    pub fn way_to(&self, state: u32) -> Schedule {
        self.0.get(state as usize).map(|arrival| self.schedule(arrival)).unwrap_or_default()
    }

    /// The way to where this leads.
    pub fn schedule(&self, arrival: &Arrival) -> Schedule {
        let mut schedule = Schedule::default();
        let mut arrival = Some(arrival);
        while let Some(last) = arrival {
            arrival = match last {
                Arrival::Start { setup, start } => {
                    schedule.setup.clone_from(setup);
                    schedule.start.clone_from(start);
                    None
                }
                Arrival::After(before, taken) => {
                    schedule.moves.push(taken.clone());
                    self.0.get(*before as usize)
                }
            };
        }
        schedule.moves.reverse();
        schedule
    }
}
