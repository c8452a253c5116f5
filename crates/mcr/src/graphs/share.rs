//! One exploration shared by several workers.
//!
//! Explorations are trees: each way to add an event but the last begins a branch, and branches know nothing of each other. Every
//! worker walks through the part of the tree above some depth, which is the same for all of them, numbers the branches that
//! begin at that depth, and explores those that it is the first to take. What is met above that depth is counted by the first
//! worker alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// As many branches can be taken one by one; of those after them each worker has every so-many-th.
const BRANCHES: u64 = 1 << 20;

/// Which branches some worker has taken.
#[derive(Debug)]
pub struct Taken(Vec<AtomicU64>);

impl Default for Taken {
    fn default() -> Taken {
        Taken((0..BRANCHES / 64).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Taken {
    /// Takes a branch; false if it was taken before, nothing if there is no room for its number.
    fn take(&self, number: u64) -> Option<bool> {
        let word = self.0.get((number / 64) as usize)?;
        let bit = 1 << (number % 64);
        Some(word.fetch_or(bit, Ordering::Relaxed) & bit == 0)
    }
}

/// What of an exploration is to be done.
#[derive(Clone, Debug)]
pub enum Share {
    /// All of it.
    Whole,
    /// The branches at a depth that no other worker takes.
    OfWorkers {
        /// Where the branches begin.
        depth: u32,
        /// Which worker this is.
        index: u64,
        /// How many there are.
        workers: u64,
        /// What they have taken.
        taken: Arc<Taken>,
    },
}

impl Share {
    /// The depth at which branches begin that are taken or left.
    pub fn depth(&self) -> Option<u32> {
        match self {
            Share::Whole => None,
            Share::OfWorkers { depth, .. } => Some(*depth),
        }
    }

    /// Whether the branch of this number is to be explored here.
    pub fn takes(&self, number: u64) -> bool {
        match self {
            Share::Whole => true,
            Share::OfWorkers { index, workers, taken, .. } => {
                taken.take(number).unwrap_or_else(|| number % workers == *index)
            }
        }
    }

    /// Whether what is met above that depth counts here.
    pub fn is_first(&self) -> bool {
        match self {
            Share::Whole => true,
            Share::OfWorkers { index, .. } => *index == 0,
        }
    }
}

/// Explore together.
pub trait Workers: Sync {
    /// How many there are.
    fn count(&self) -> usize;
    /// Lets each of them work, with its number.
    fn run(&self, work: &(dyn Fn(usize) + Sync));
    /// Hears how far they have come: executions so far, and how many there are in all, as it seems.
    fn progress(&self, executions: u64, estimate: u64) {
        let _ = (executions, estimate);
    }
}

/// One worker.
#[derive(Clone, Copy, Debug, Default)]
pub struct Single;

impl Workers for Single {
    fn count(&self) -> usize {
        1
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        work(0);
    }
}

/// How far all workers together have come.
#[derive(Debug, Default)]
pub struct Done {
    executions: AtomicU64,
    /// The part of the exploration that is done, in parts of [`WHOLE`].
    parts: AtomicU64,
}

/// An exploration in the smallest parts that are counted.
const WHOLE: f64 = (1u64 << 60) as f64;

impl Done {
    /// Adds executions and a part of the whole; gives all executions so far and how many there are in all, as it seems.
    pub fn add(&self, executions: u64, part: f64) -> (u64, u64) {
        let parts = (part * WHOLE) as u64;
        let executions = self.executions.fetch_add(executions, Ordering::Relaxed) + executions;
        let done = (self.parts.fetch_add(parts, Ordering::Relaxed) + parts) as f64 / WHOLE;
        let estimate = if done > 0.0 { executions as f64 / done } else { 0.0 };
        (executions, estimate.max(executions as f64) as u64)
    }
}
