//! Many random programs on which engines are compared. Each has a number, so that one that fails can be run alone; a
//! campaign does not end with the first that fails.
//!
//! `SEED=n TIMES=1` runs program n alone; `SLOW=ms` prints the number of each program that takes longer than that.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::random::Random;

/// How many programs were decided by whom, and the like.
#[derive(Debug, Default)]
pub struct Tally(BTreeMap<String, u64>);

impl Tally {
    /// One more program of which this is true.
    pub fn count(&mut self, what: &str) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    /// One more, if this is so.
    pub fn count_if(&mut self, is_so: bool, what: &str) {
        if is_so {
            self.count(what);
        }
    }

    /// Of how many programs this is true.
    pub fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or_default()
    }
}

/// Compares the programs with these numbers; fails if one of them fails, after all were tried.
pub fn run(first: u64, times: u64, mut compare: impl FnMut(&mut Random, &mut Tally) + Send) -> Tally {
    run_numbered(first, times, |number, tally| compare(&mut Random::numbered(number), tally))
}

/// The stack on which programs are compared: explorations of graphs go as deep as executions are long, and the stack of a thread of
/// tests is small.
const STACK: usize = 256 << 20;

/// As [`run`], for programs that are made from their numbers alone.
pub fn run_numbered(first: u64, times: u64, compare: impl FnMut(u64, &mut Tally) + Send) -> Tally {
    with_room(|| all_numbered(first, times, compare))
}

/// Does some work where the stack has room for it.
pub fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let started = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).expect("a thread");
        started.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

fn all_numbered(first: u64, times: u64, mut compare: impl FnMut(u64, &mut Tally)) -> Tally {
    let slow = variable("SLOW").map(Duration::from_millis);
    let mut tally = Tally::default();
    let mut fails = |number: u64| {
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| compare(number, &mut tally)));
        let taken = start.elapsed();
        if slow.is_some_and(|slow| taken > slow) {
            println!("program {number} takes {} ms", taken.as_millis());
        }
        if result.is_err() {
            println!("program {number} fails");
        }
        result.is_err()
    };
    let failing: Vec<u64> = (first..first + times).filter(|&number| fails(number)).collect();
    println!("{times} programs from number {first} on: {:?}", tally.0);
    assert!(failing.is_empty(), "{} programs fail: {failing:?}", failing.len());
    tally
}

/// Asks an engine with a flag that makes it stop: after some seconds, since few programs take longer and many are tried.
pub fn soon<T>(ask: impl FnOnce(Arc<AtomicBool>) -> T) -> T {
    within(Duration::from_secs(2), ask)
}

/// Asks an engine with a flag that makes it stop when this time is over.
pub fn within<T>(limit: Duration, ask: impl FnOnce(Arc<AtomicBool>) -> T) -> T {
    let interrupt = Arc::new(AtomicBool::new(false));
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let watched = interrupt.clone();
        scope.spawn(move || {
            let late = is_done.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            watched.store(late, Ordering::Relaxed);
        });
        let answer = ask(interrupt);
        drop(done);
        answer
    })
}

/// The programs that the environment asks for, as a first number and how many.
pub fn asked(times: u64) -> (u64, u64) {
    (variable("SEED").unwrap_or(1), variable("TIMES").unwrap_or(times))
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
