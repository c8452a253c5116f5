//! One exploration shared by several workers.
//!
//! Explorations are trees: each way to add an event but the last begins a branch, and branches know nothing of each other. Every
//! worker walks through the part of the tree above some depth, which is the same for all of them, numbers the branches that
//! begin at that depth, and explores those that it is the first to take. What is met above that depth is counted by the first
//! worker alone.
//!
//! Workers that cannot talk to each other get a [`Cube`]: subtrees that were listed before, and walk no other ways than those
//! to these, so that little is done twice. For them the tree is binary: each branch is taken or passed by. Subtrees are cut off after so
//! many decisions: a branch that is taken then, or all that is left of one in which a branch was passed by then.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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

/// The way to a subtree: which of the branches that begin on it is taken, from the root on. The last number of what is left of a branch is
/// that of the first branch that begins there.
pub type Way = Vec<u32>;

/// Where in the tree of an exploration something is.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The way to the branch at hand.
    pub way: Way,
    /// How many branches were begun on the way to it, at each depth, and in it.
    pub begun: Vec<u32>,
    /// How many branches were taken or passed by.
    pub decisions: u32,
    /// Whether it is in a subtree that belongs to the cube.
    pub is_within: bool,
}

impl Place {
    /// The way to what is left of the branch at hand.
    fn rest(&self) -> Way {
        let next = self.begun.last().copied().unwrap_or_default();
        self.way.iter().copied().chain([next]).collect()
    }
}

/// A part of an exploration that was divided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cube {
    /// After how many decisions subtrees were cut off.
    pub decisions: u32,
    /// The ways to its subtrees, in order.
    pub subtrees: Vec<Way>,
    /// Whether what is met above all subtrees belongs to it.
    pub has_top: bool,
}

impl Cube {
    /// Whether a branch leads to some subtree of the cube, is one or is in one.
    fn takes(&self, place: &mut Place) -> bool {
        if place.decisions == self.decisions {
            place.is_within |= self.first_from(&place.way) == place.way;
        }
        let is_above = place.decisions < self.decisions;
        place.is_within || is_above && (self.has_top || self.first_from(&place.way).starts_with(&place.way))
    }

    /// A branch was passed by: what is left may be a subtree of the cube.
    fn passes(&self, place: &mut Place) {
        if place.decisions == self.decisions {
            let rest = place.rest();
            place.is_within |= self.first_from(&rest) == rest;
        }
    }

    /// Whether nothing that is left of the branch at hand belongs to the cube.
    fn is_over(&self, place: &Place) -> bool {
        let is_above = place.decisions < self.decisions;
        let leads_on = || is_above && (self.has_top || self.first_from(&place.rest()).starts_with(&place.way));
        !place.is_within && !leads_on()
    }

    /// The first way that does not come before this one; an empty one if there is none.
    fn first_from(&self, way: &[u32]) -> &[u32] {
        let place = self.subtrees.partition_point(|subtree| &subtree[..] < way);
        self.subtrees.get(place).map_or(&[], Vec::as_slice)
    }
}

/// The ways to subtrees.
pub type Listed = Arc<Mutex<Vec<Way>>>;

/// Parts of an exploration whose subtrees are these, in order. Neighbours stay together, so that each part walks few ways to its
/// subtrees. How large a subtree is cannot be told before, so that all parts have as many.
pub fn divided(decisions: u32, listed: Vec<Way>, parts: usize) -> Vec<Cube> {
    let (count, parts) = (listed.len(), parts.max(1));
    let empty = |number: usize| Cube { decisions, subtrees: Vec::new(), has_top: number == 0 };
    let mut cubes: Vec<Cube> = (0..parts).map(empty).collect();
    for (number, way) in listed.into_iter().enumerate() {
        cubes[number * parts / count].subtrees.push(way);
    }
    cubes
}

/// What of an exploration is to be done.
#[derive(Clone, Debug)]
pub enum Share {
    /// All of it.
    Whole,
    /// A part of it.
    OfCube(Arc<Cube>),
    /// The subtrees after so many decisions are only listed.
    Listing {
        /// After how many.
        decisions: u32,
        /// The subtrees so far.
        listed: Listed,
    },
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
    /// Whether the branch at hand, which has just begun, is to be explored here; so many branches at its depth were begun before.
    pub fn takes(&self, place: &mut Place, numbered: &mut u64) -> bool {
        match self {
            Share::Whole => true,
            Share::OfCube(cube) => cube.takes(place),
            Share::Listing { decisions, listed } => {
                list(*decisions, place.decisions, listed, || place.way.clone());
                place.decisions < *decisions
            }
            Share::OfWorkers { depth, .. } if *depth as usize != place.way.len() => true,
            Share::OfWorkers { index, workers, taken, .. } => {
                *numbered += 1;
                let number = *numbered - 1;
                taken.take(number).unwrap_or_else(|| number % workers == *index)
            }
        }
    }

    /// A branch that begins in the one at hand was explored or left.
    pub fn passes(&self, place: &mut Place) {
        match self {
            Share::Whole | Share::OfWorkers { .. } => {}
            Share::OfCube(cube) => cube.passes(place),
            Share::Listing { decisions, listed } => list(*decisions, place.decisions, listed, || place.rest()),
        }
    }

    /// Whether nothing else of the branch at hand is to be explored here.
    pub fn is_over(&self, place: &Place) -> bool {
        match self {
            Share::Whole | Share::OfWorkers { .. } => false,
            Share::OfCube(cube) => cube.is_over(place),
            Share::Listing { decisions, .. } => place.decisions >= *decisions,
        }
    }

    /// Whether what is met at a place counts here.
    pub fn counts(&self, place: &Place) -> bool {
        match self {
            Share::Whole => true,
            Share::OfCube(cube) => place.is_within || cube.has_top && place.decisions < cube.decisions,
            Share::Listing { .. } => false,
            Share::OfWorkers { depth, index, .. } => place.way.len() >= *depth as usize || *index == 0,
        }
    }
}

/// Lists a subtree if it is to be cut off after so many decisions.
fn list(cut_off: u32, decisions: u32, listed: &Listed, way: impl FnOnce() -> Way) {
    if decisions == cut_off {
        listed.lock().unwrap_or_else(PoisonError::into_inner).push(way());
    }
}

/// Explore together.
pub trait Workers: Sync {
    /// How many there are.
    fn count(&self) -> usize;
    /// Lets each of them work, with its number.
    fn run(&self, work: &(dyn Fn(usize) + Sync));
    /// Hears how far they have come.
    fn progress(&self, come: Come) {
        let _ = come;
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

/// How far an exploration has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Come {
    /// Executions that came to their end.
    pub executions: u64,
    /// Graphs in which some thread waits at the end.
    pub blocked: u64,
    /// How many executions there are in all, as it seems.
    pub estimate: u64,
}

/// How far all workers together have come.
#[derive(Debug, Default)]
pub struct Done {
    executions: AtomicU64,
    blocked: AtomicU64,
    /// The part of the exploration that is done, in parts of [`WHOLE`].
    parts: AtomicU64,
}

/// An exploration in the smallest parts that are counted.
const WHOLE: f64 = (1u64 << 60) as f64;

impl Done {
    /// Adds executions, blocked graphs and a part of the whole; gives how far all have come.
    pub fn add(&self, (executions, blocked): (u64, u64), part: f64) -> Come {
        let add = |to: &AtomicU64, more: u64| to.fetch_add(more, Ordering::Relaxed) + more;
        let done = add(&self.parts, (part * WHOLE) as u64) as f64 / WHOLE;
        let (executions, blocked) = (add(&self.executions, executions), add(&self.blocked, blocked));
        let estimate = if done > 0.0 { executions as f64 / done } else { 0.0 };
        Come { executions, blocked, estimate: estimate.max(executions as f64) as u64 }
    }
}
