//! All states of a program, each looked at once, for searches that look at single states and not at executions.

use program::Unsupported;

use crate::choices::Choices;
use crate::interpret::Stop;
use crate::limits::Limits;
use crate::observer::Observer;
use crate::search::Runner;
use crate::state::State;
use crate::store::{StateId, Store};
use crate::turn::{Action, run_setup};

/// About how many bytes a state takes that waits to be looked at.
const BYTES_OF_OPEN_STATE: u64 = 512;
/// After so many states limits are looked at.
const BETWEEN_LIMITS: u64 = 64;

/// The states that are known, and those that are still to be looked at.
pub(crate) struct Frontier<'a> {
    /// Runs the program.
    pub runner: Runner<'a>,
    limits: &'a Limits,
    store: Store,
    open: Vec<(StateId, State)>,
    /// The number of the state that was given last.
    at: Option<StateId>,
    looked_at: u64,
    /// Why not all states were looked at, if so.
    pub incomplete: Option<String>,
    /// Whether some step ends in an error.
    pub has_errors: bool,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It leads to a state.
    On,
    /// It ends in an error or at a limit.
    Ended,
    /// It cannot be taken, or does not count.
    Waits,
}

impl<'a> Frontier<'a> {
    /// No state is known yet.
    pub fn new(runner: Runner<'a>, limits: &'a Limits) -> Frontier<'a> {
        let (store, open) = (Store::new(), Vec::new());
        Frontier { runner, limits, store, open, at: None, looked_at: 0, incomplete: None, has_errors: false }
    }

    /// How many states are known.
    pub fn states(&self) -> u64 {
        self.store.len() as u64
    }

    /// The states after the setup; none if that does not come to its end.
    pub fn starts(&mut self) -> Result<Vec<State>, Unsupported> {
        match run_setup(&mut self.runner.interpreter) {
            Ok(starts) => Ok(starts.into_iter().map(|(_, state)| state).collect()),
            Err(halt) => self.halted(halt.stop).map(|_| Vec::new()),
        }
    }

    /// The next state to look at, unless a limit is reached.
    pub fn next(&mut self) -> Option<State> {
        let (id, state) = self.open.pop()?;
        self.at = Some(id);
        self.looked_at += 1;
        let is_over = self.looked_at.is_multiple_of(BETWEEN_LIMITS) && self.is_exhausted();
        (!is_over).then_some(state)
    }

    /// Takes a step from the state that [`Frontier::next`] gave last, without an action that of a start, in the way that the choices
    /// say. Where it leads is looked at later.
    pub fn take<O: Observer>(
        &mut self,
        state: &State,
        action: Option<Action>,
        choices: &mut Choices,
        observer: &mut O,
    ) -> Result<Taken, Unsupported> {
        let mut next = state.clone();
        match self.runner.advance(&mut next, action, choices, observer) {
            Ok(()) => {
                let (id, is_new) = self.store.insert_after(&next, self.at.map(|id| (state, id)));
                if is_new {
                    self.open.push((id, next));
                }
                Ok(Taken::On)
            }
            Err(halt) => self.halted(halt.stop),
        }
    }

    fn halted(&mut self, stop: Stop) -> Result<Taken, Unsupported> {
        match stop {
            Stop::Unsupported(unsupported) => return Err(unsupported),
            Stop::Limit(reason) => self.incomplete = Some(reason),
            Stop::Failed(_) => self.has_errors = true,
            Stop::Waits(_) | Stop::Dropped => return Ok(Taken::Waits),
        }
        Ok(Taken::Ended)
    }

    fn is_exhausted(&mut self) -> bool {
        let bytes = self.store.state_bytes() + self.store.shared_bytes();
        let bytes = if self.store.is_full() { u64::MAX } else { bytes + BYTES_OF_OPEN_STATE * self.open.len() as u64 };
        let reason = self.limits.exceeded(self.states(), bytes);
        let is_exhausted = reason.is_some();
        self.incomplete = reason.or(self.incomplete.take());
        is_exhausted
    }
}
