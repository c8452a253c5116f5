//! Many things at once: as many as there are processors, in threads with room for deep recursion.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::failure::Failure;
use crate::limits::is_interrupted;
use crate::progress::Progress;

/// Each worker's stack: deeply nested formulas are walked recursively.
const STACK: usize = 64 << 20;
/// How often progress is shown anew.
const TICK: Duration = Duration::from_millis(200);

/// Does `work` for each item, at most `jobs` at a time (by default as many as there are processors); results in the order
/// of the items. After Ctrl-C nothing new is begun, and what was not begun is missing.
pub fn map<T: Sync, R: Send>(
    items: &[T],
    jobs: Option<usize>,
    unit: &'static str,
    work: impl Fn(&T) -> R + Sync,
) -> Result<Vec<Option<R>>, Failure> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = jobs.unwrap_or(processors).clamp(1, items.len().max(1));
    let results: Mutex<Vec<Option<R>>> = Mutex::new(items.iter().map(|_| None).collect());
    let (next, finished) = (AtomicUsize::new(0), AtomicU64::new(0));
    let progress = Progress::new(Some(items.len() as u64), unit);
    let worker = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index).filter(|_| !is_interrupted()) else { break };
            let result = work(item);
            results.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(result);
            progress.at(finished.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    let (ending, ended) = channel::<()>();
    std::thread::scope(|scope| {
        // What is being worked on may take long: the time shown goes on meanwhile.
        let (progress, finished) = (&progress, &finished);
        scope.spawn(move || {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                progress.at(finished.load(Ordering::Relaxed));
            }
        });
        let started: Result<Vec<_>, _> =
            (0..jobs).map(|_| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker)).collect();
        let started = started.map_err(|error| Failure::Message(format!("a thread cannot be started: {error}")))?;
        for worker in started {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
        drop(ending);
        Ok::<(), Failure>(())
    })?;
    Ok(results.into_inner().unwrap_or_else(PoisonError::into_inner))
}
