//! What filling a table needs of the outside world.

use palisade::{Limits, Refusal};

/// Runs rows and searches, and measures them. Without methods of its own it runs rows one after the other, without limits,
/// and measures nothing.
pub trait Bench: Sync {
    /// Does `work` for each item; results in the order of the items. What was not begun, after an interruption, is `None`.
    fn map<T: Sync, R: Send>(&self, items: &[T], work: impl Fn(&T) -> R + Sync) -> Result<Vec<Option<R>>, Refusal> {
        Ok(items.iter().map(|item| Some(work(item))).collect())
    }

    /// Runs a search within limits: what it gives, and why it was ended, if it was.
    fn search<T>(&self, search: impl FnOnce(Limits) -> T) -> (T, Option<String>) {
        (search(Limits::default()), None)
    }

    /// Does `work`: what it gives, and the processor time of this thread in seconds.
    fn timed<T>(&self, work: impl FnOnce() -> T) -> (T, f64) {
        (work(), 0.0)
    }

    /// Processor time of this thread so far, in seconds.
    fn clock(&self) -> f64 {
        0.0
    }

    /// Whether the user wants an end.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Runs rows one after the other, without limits, and measures nothing.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Bench for Plain {}

/// Why a row has no figures after an interruption.
pub const INTERRUPTED: &str = "interrupted";

/// Each item with its result; `missing` stands for what was not begun.
pub fn fill<B: Bench, T: Sync, R: Send>(
    bench: &B,
    items: Vec<T>,
    work: impl Fn(&T) -> R + Sync,
    missing: impl Fn() -> R,
) -> Result<Vec<(T, R)>, Refusal> {
    let found = bench.map(&items, work)?;
    Ok(items.into_iter().zip(found.into_iter().map(|result| result.unwrap_or_else(&missing))).collect())
}
