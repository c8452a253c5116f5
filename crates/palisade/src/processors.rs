//! The processors that answer the questions of maximal causality reduction, and those that explore execution graphs together.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use mcr::graphs::share;
use mcr::histories::explore::{Alone, Figures, Workers};
use mcr::histories::graph::{ExploredClass, Goal, Walk, explore};
use mcr::histories::trace::Trace;
use operational::Machine;

use crate::request::Progress;

/// How many questions each processor gets at once: enough to be worth the start of a thread.
const SHARE: usize = 64;
/// Questions are answered without starting threads if there are fewer than this, or if those before had fewer states.
const FEW: usize = 16;
const SMALL: u64 = 10_000;

/// Answers questions on several processors.
pub struct Processors<'a> {
    count: usize,
    alone: Alone,
    progress: &'a dyn Progress,
    interrupt: Arc<AtomicBool>,
    /// How many states the last questions had.
    states: AtomicU64,
}

impl Processors<'_> {
    /// So many processors, all by default; they stop soon after the flag is set.
    pub fn new(count: Option<usize>, interrupt: Arc<AtomicBool>, progress: &dyn Progress) -> Processors<'_> {
        let available = std::thread::available_parallelism().map_or(1, usize::from);
        let count = count.unwrap_or(available).max(1);
        let alone = Alone::until(interrupt.clone());
        Processors { count, alone, progress, interrupt, states: AtomicU64::new(0) }
    }
}

impl Workers for Processors<'_> {
    fn at_once(&self) -> usize {
        if self.count == 1 { 1 } else { self.count * SHARE }
    }

    fn answer(&self, questions: &[(&Trace, &Goal)], machine: Machine, most: usize) -> Vec<Option<ExploredClass>> {
        let is_small = questions.len() < FEW || self.states.load(Ordering::Relaxed) < SMALL;
        let answers = match self.count == 1 || is_small {
            true => self.alone.answer(questions, machine, most),
            false => self.share(questions, machine, most),
        };
        let states = answers.iter().map(|found| found.as_ref().map_or(SMALL, |found| found.states)).sum();
        self.states.store(states, Ordering::Relaxed);
        answers
    }

    fn progress(&self, figures: &Figures, looked_at: u64) {
        self.progress.classes(figures.executions, figures.executions - figures.redundant, looked_at);
    }
}

impl Processors<'_> {
    fn share(&self, questions: &[(&Trace, &Goal)], machine: Machine, most: usize) -> Vec<Option<ExploredClass>> {
        let answers: Mutex<Vec<Option<ExploredClass>>> = Mutex::new(questions.iter().map(|_| None).collect());
        let (next, interrupt) = (AtomicUsize::new(0), &self.interrupt);
        let work = || {
            let mut walk = Walk::until(interrupt.clone());
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

/// Stack of a thread that explores graphs: branches are explored recursively.
const STACK: usize = 256 << 20;

/// Explore execution graphs together.
pub struct Explorers<'a> {
    count: usize,
    progress: &'a dyn Progress,
}

impl Explorers<'_> {
    /// So many processors, all by default.
    pub fn new(count: Option<usize>, progress: &dyn Progress) -> Explorers<'_> {
        let available = std::thread::available_parallelism().map_or(1, usize::from);
        Explorers { count: count.unwrap_or(available).max(1), progress }
    }
}

impl share::Workers for Explorers<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            let begin = |index: usize| {
                let thread = std::thread::Builder::new().stack_size(STACK);
                thread.spawn_scoped(scope, move || work(index)).is_ok()
            };
            let not_begun: Vec<usize> = (1..self.count).filter(|index| !begin(*index)).collect();
            work(0);
            not_begun.into_iter().for_each(work);
        });
    }

    fn progress(&self, share::Come { executions, blocked, estimate }: share::Come) {
        self.progress.graphs(executions, blocked, estimate);
    }
}
