//! Ending what takes too long: time limits, a memory limit, and the first Ctrl-C.
//!
//! Each ends a search by setting its interrupt flag, and leaves the reason, which becomes the reason of the verdict
//! "unknown". What was found until then is printed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::arguments::Limits;
use crate::failure::Failure;

/// How often limits are looked at.
const TICK: Duration = Duration::from_millis(10);
/// How long a search may take to notice that it should stop.
const GRACE: Duration = Duration::from_secs(2);

/// One search that can be ended.
#[derive(Debug)]
pub struct Watch {
    /// Set when the search should stop.
    pub interrupt: Arc<AtomicBool>,
    start: Instant,
    reason: Mutex<Option<String>>,
}

impl Watch {
    fn stop(&self, reason: &str) {
        let mut own = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        own.get_or_insert_with(|| reason.to_string());
        self.interrupt.store(true, Ordering::Relaxed);
    }

    /// Why the search was ended, if it was.
    pub fn reason(&self) -> Option<String> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The searches that are running. There is one list per process, because there is one Ctrl-C.
static RUNNING: Mutex<Vec<Arc<Watch>>> = Mutex::new(Vec::new());
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

fn running() -> std::sync::MutexGuard<'static, Vec<Arc<Watch>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `search` under the watch of Ctrl-C and of every [`Guard`].
pub fn watched<T>(search: impl FnOnce(&Watch) -> T) -> T {
    let watch = Arc::new(Watch { interrupt: Arc::default(), start: Instant::now(), reason: Mutex::new(None) });
    running().push(watch.clone());
    if is_interrupted() {
        watch.stop("interrupted");
    }
    let result = search(&watch);
    running().retain(|other| !Arc::ptr_eq(other, &watch));
    result
}

/// Whether Ctrl-C was pressed.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Makes the first Ctrl-C end all searches; the second ends the process.
pub fn on_ctrl_c() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        // Without a handler Ctrl-C ends the process, which is right too.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(3);
            }
            running().iter().for_each(|watch| watch.stop("interrupted"));
        });
    });
}

/// Keeps to the limits while it lives.
pub struct Guard {
    /// Dropping it wakes and ends the thread.
    ending: Option<Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Guard {
    /// Starts to keep the limits; does nothing if there are none. `overrun` is called when a search has not ended
    /// although it should have: it may end the process.
    pub fn start(limits: Limits, overrun: Option<Box<dyn FnOnce(String) + Send>>) -> Result<Guard, Failure> {
        if limits.memory.is_some() && resident_megabytes().is_none() {
            return Err(Failure::Message(
                "--memory is not available on this system: it needs /proc/self/status".into(),
            ));
        }
        if limits.timeout.is_none() && limits.memory.is_none() {
            return Ok(Guard { ending: None, thread: None });
        }
        let (ending, ended) = channel();
        let thread = std::thread::spawn(move || keep(limits, &ended, overrun));
        Ok(Guard { ending: Some(ending), thread: Some(thread) })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.ending = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn keep(limits: Limits, ended: &Receiver<()>, mut overrun: Option<Box<dyn FnOnce(String) + Send>>) {
    let mut over_since: Option<(Instant, String)> = None;
    while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        let watches = running().clone();
        if let Some(timeout) = limits.timeout {
            for watch in watches.iter().filter(|watch| watch.start.elapsed() >= timeout) {
                watch.stop(&format!("the time limit of {} s was reached", timeout.as_secs_f64()));
            }
        }
        let used = limits.memory.and_then(|limit| resident_megabytes().filter(|used| *used > limit).map(|_| limit));
        if let Some(limit) = used {
            watches.iter().for_each(|watch| watch.stop(&format!("the memory limit of {limit} MB was reached")));
        }
        let reason = watches.iter().find_map(|watch| watch.reason());
        over_since = match (over_since, reason) {
            (Some(since), Some(_)) => Some(since),
            (_, reason) => reason.map(|reason| (Instant::now(), reason)),
        };
        if let Some((since, reason)) = &over_since
            && since.elapsed() >= GRACE
            && let Some(overrun) = overrun.take()
        {
            overrun(reason.clone());
        }
    }
}

/// Memory that the process has in use, where the system says it.
fn resident_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_limit_ends_a_search_and_says_why() {
        let limits = Limits { timeout: Some(Duration::from_millis(20)), memory: None };
        let _guard = Guard::start(limits, None).unwrap_or_else(|failure| panic!("{}", failure.summary()));
        let reason = watched(|watch| {
            while !watch.interrupt.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            watch.reason()
        });
        assert_eq!(reason.as_deref(), Some("the time limit of 0.02 s was reached"));
    }
}
