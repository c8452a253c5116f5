//! Is an execution of a bounded test linearisable? (Herlihy and Wing, "Linearizability: a correctness condition for concurrent objects", 1990)
//!
//! It is if some serial execution shows the same, in which every operation that had returned before another was called comes before it.
//! Serial executions are run again, and followed as far as they show what was shown in an order that is kept.

use program::{Observation, Shown, Unsupported, Verified};
use rustc_hash::FxHashSet;

use super::{End, Miner, refuse_what_is_no_test};
use crate::limits::Limits;
use crate::state::{State, Status};
use crate::store::StateId;

/// Of each thread, and each of its operations: how many operations of each thread had returned when it was called.
pub type Returned = Vec<Vec<Vec<u32>>>;

/// Serial executions of a test, to be compared with others.
pub struct Linear<'a> {
    miner: Miner<'a>,
    /// The states in which threads may start, with what was shown before.
    starts: Vec<(Vec<Shown>, State)>,
}

impl<'a> Linear<'a> {
    /// The serial executions of a test, all of which come to a good end.
    pub fn new(program: &'a Verified, limits: &'a Limits) -> Result<Linear<'a>, Unsupported> {
        refuse_what_is_no_test(program)?;
        let mut miner = Miner::new(program, limits);
        let starts = match miner.setup() {
            Ok(starts) => starts,
            Err(End::Unsupported(unsupported)) => return Err(unsupported),
            Err(End::Failure | End::Incomplete) => Vec::new(),
        };
        Ok(Linear { miner, starts })
    }

    /// Whether some serial execution shows this and keeps the order; `None` if that could not be found out.
    pub fn explains(&mut self, shown: &Observation, returned: &Returned) -> Result<Option<bool>, Unsupported> {
        let Some((before, threads)) = shown.split_first() else { return Ok(Some(true)) };
        let starts: Vec<State> =
            self.starts.iter().filter(|(setup, _)| setup == before).map(|(_, state)| state.clone()).collect();
        for start in starts {
            let done = vec![0; threads.len()];
            let mut following = Following { miner: &mut self.miner, threads, returned, known: FxHashSet::default() };
            match following.goes_on(&start, &done) {
                Ok(true) => return Ok(Some(true)),
                Ok(false) => {}
                Err(End::Unsupported(unsupported)) => return Err(unsupported),
                Err(End::Failure | End::Incomplete) => return Ok(None),
            }
        }
        Ok(Some(false))
    }
}

/// Follows serial executions that show what is wanted.
struct Following<'l, 'a> {
    miner: &'l mut Miner<'a>,
    threads: &'l [Vec<Shown>],
    returned: &'l Returned,
    /// From where it was tried without success, with how many operations each thread had done.
    known: FxHashSet<(StateId, Vec<u32>)>,
}

impl Following<'_, '_> {
    /// Whether the rest can be shown from a state on, in which threads have done so many operations.
    fn goes_on(&mut self, state: &State, done: &[u32]) -> Result<bool, End> {
        let open: Vec<usize> =
            (0..state.threads.len()).filter(|&thread| state.threads[thread].status != Status::Ended).collect();
        if open.is_empty() {
            return Ok(done.iter().zip(self.threads).all(|(done, all)| *done as usize == all.len()));
        }
        let (id, _) = self.miner.store.insert(state);
        if !self.known.insert((id, done.to_vec())) {
            return Ok(false);
        }
        for thread in open {
            if self.goes_on_with(state, done, thread)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether it can be with this thread's next operation.
    fn goes_on_with(&mut self, state: &State, done: &[u32], thread: usize) -> Result<bool, End> {
        let wanted = self.threads.get(thread).and_then(|all| all.get(done[thread] as usize));
        if wanted.is_some() && !self.is_its_turn(done, thread) {
            return Ok(false);
        }
        for mut turn in self.miner.turns(state, thread)?.turns {
            if turn.shown.as_ref() != wanted {
                continue;
            }
            self.miner.canonicalize(&mut turn.next);
            let mut after = done.to_vec();
            after[thread] += u32::from(turn.shown.is_some());
            if self.goes_on(&turn.next, &after)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether all operations are done that had returned before the thread's next one was called.
    fn is_its_turn(&self, done: &[u32], thread: usize) -> bool {
        let before = self.returned.get(thread).and_then(|all| all.get(done[thread] as usize));
        before.is_none_or(|before| before.iter().zip(done).all(|(before, done)| before <= done))
    }
}
