//! The processors that answer the questions of maximal causality reduction.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use operational::Machine;
use operational::mcr::explore::{Alone, Workers};
use operational::mcr::graph::{Found, Goal, Walk, explore};
use operational::mcr::trace::Trace;

use crate::progress::Progress;

/// How many questions each processor gets at once: enough to be worth the start of a thread.
const SHARE: usize = 64;
/// Questions are answered without starting threads if there are fewer than this, or if those before had fewer states.
const FEW: usize = 16;
const SMALL: u64 = 10_000;

/// Answers questions on several processors.
pub struct Processors {
    count: usize,
    alone: Alone,
    progress: Progress,
    shown: AtomicU64,
    /// How many states the last questions had.
    states: AtomicU64,
}

impl Processors {
    /// So many processors; all by default.
    pub fn new(count: Option<usize>) -> Processors {
        let available = std::thread::available_parallelism().map_or(1, usize::from);
        let progress = Progress::new(None, "classes looked at");
        let count = count.unwrap_or(available).max(1);
        Processors { count, alone: Alone::default(), progress, shown: AtomicU64::new(0), states: AtomicU64::new(0) }
    }
}

impl Workers for Processors {
    fn at_once(&self) -> usize {
        if self.count == 1 { 1 } else { self.count * SHARE }
    }

    fn answer(&self, questions: &[(&Trace, &Goal)], machine: Machine, most: usize) -> Vec<Option<Found>> {
        let is_small = questions.len() < FEW || self.states.load(Ordering::Relaxed) < SMALL;
        let answers = match self.count == 1 || is_small {
            true => self.alone.answer(questions, machine, most),
            false => self.share(questions, machine, most),
        };
        let states = answers.iter().map(|found| found.as_ref().map_or(SMALL, |found| found.states)).sum();
        self.states.store(states, Ordering::Relaxed);
        answers
    }

    /// Every class is looked at once: those that wait are an estimate from below of what is left.
    fn progress(&self, executions: u64, looked_at: u64) {
        if looked_at >= self.shown.load(Ordering::Relaxed) + 64 {
            self.shown.store(looked_at, Ordering::Relaxed);
            self.progress.of(looked_at, executions);
        }
    }
}

impl Processors {
    fn share(&self, questions: &[(&Trace, &Goal)], machine: Machine, most: usize) -> Vec<Option<Found>> {
        let answers: Mutex<Vec<Option<Found>>> = Mutex::new(questions.iter().map(|_| None).collect());
        let next = AtomicUsize::new(0);
        let work = || {
            let mut walk = Walk::default();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some((trace, goal)) = questions.get(index) else { break };
                let found = explore(trace, machine, goal, most, &mut walk);
                answers.lock().unwrap_or_else(PoisonError::into_inner)[index] = found;
            }
        };
        std::thread::scope(|scope| {
            (1..self.count).for_each(|_| {
                scope.spawn(work);
            });
            work();
        });
        answers.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
