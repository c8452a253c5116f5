//! When to give up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far a search may go. What is not covered makes the answer unknown, never wrong. Time is the caller's business: it
/// sets the flag.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many states may be kept.
    pub states: u64,
    /// How many steps an execution may have. Every execution of at most so many is looked at.
    pub depth: usize,
    /// How many instructions a thread may take at a stretch, without meeting shared memory.
    pub stretch: u64,
    /// About how many bytes the search may take.
    pub bytes: u64,
    /// Stores that make no difference are looked for in buffers with more stores than this. It changes no answer.
    pub buffer: usize,
    /// Makes the search stop soon after it becomes true.
    pub interrupt: Arc<AtomicBool>,
}

/// More threads than this are not started: a thread that starts itself would go on for ever.
pub const MOST_THREADS: usize = 1_024;

/// What is said where [`MOST_THREADS`] do not suffice.
pub fn too_many_threads() -> String {
    format!("more than {MOST_THREADS} threads are started")
}

/// Buffers of programs without loops of stores seldom have more stores than this.
const LONG_BUFFER: usize = 8;

/// A bound on the depth that is no more than a guard against endless executions.
const DEEPEST: usize = 1_000_000;

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            states: u64::MAX,
            depth: DEEPEST,
            stretch: 1_000_000,
            bytes: 4 << 30,
            buffer: LONG_BUFFER,
            interrupt: Arc::default(),
        }
    }
}

impl Limits {
    /// Whether only executions up to some depth are wanted: then a state counts again when it is met earlier.
    pub fn bounds_depth(&self) -> bool {
        self.depth < DEEPEST
    }

    /// Why a search of this size must stop, if so.
    pub fn exceeded(&self, states: u64, bytes: u64) -> Option<String> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(format!("the search was stopped after {states} states"));
        }
        if states >= self.states {
            return Some(format!("the search was ended after {states} states"));
        }
        (bytes >= self.bytes).then(|| format!("the search was out of memory after {states} states"))
    }
}
