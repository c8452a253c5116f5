//! Ending what takes too long: time limits, a memory limit, the first Ctrl-C, and SIGTERM.
//!
//! Each ends a search by setting its interrupt flag, and leaves the reason, which becomes the reason of the verdict
//! "unknown". What was found until then is printed. What does not notice the flag, such as reading a program, is ended by
//! [`crate::supervise`] together with its process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;

use crate::failure::Failure;

/// How often limits are looked at.
pub const TICK: Duration = Duration::from_millis(10);
/// Without `--memory`, this share of the machine's memory is the limit.
const SHARE: (u64, u64) = (3, 4);

/// When to give up with the answer "unknown".
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Limits {
    /// Give up after this time: on each file, for `repro` on the whole table
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Give up when more memory than this is in use [default: three quarters of the machine's]
    #[arg(long, value_name = "MB")]
    pub memory: Option<u64>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

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

    /// What the search may spend.
    pub fn limits(&self, given: Limits) -> palisade::Limits {
        let bytes = given.memory.map(|megabytes| megabytes.saturating_mul(1 << 20));
        palisade::Limits { interrupt: self.interrupt.clone(), bytes, ..palisade::Limits::default() }
    }

    /// Why the search was ended, if it was.
    pub fn reason(&self) -> Option<String> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The searches that are running. There is one list per process, because there is one Ctrl-C.
static RUNNING: Mutex<Vec<Arc<Watch>>> = Mutex::new(Vec::new());
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// When the work began that the time limit is for, where that is more than a search.
static BEGUN: Mutex<Option<Instant>> = Mutex::new(None);

fn running() -> std::sync::MutexGuard<'static, Vec<Arc<Watch>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on the time limit counts from here: reading, every search and printing are under one limit.
pub fn begin() {
    *BEGUN.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

/// Whether this time has passed since the work began.
pub fn is_over(timeout: Option<Duration>) -> bool {
    let begun = *BEGUN.lock().unwrap_or_else(PoisonError::into_inner);
    begun.zip(timeout).is_some_and(|(begun, timeout)| begun.elapsed() >= timeout)
}

/// Runs `search` under the watch of Ctrl-C and of every [`Guard`].
pub fn watched<T>(search: impl FnOnce(&Watch) -> T) -> T {
    let start = BEGUN.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(Instant::now);
    let watch = Arc::new(Watch { interrupt: Arc::default(), start, reason: Mutex::new(None) });
    running().push(watch.clone());
    if is_interrupted() {
        watch.stop(INTERRUPTION);
    }
    let result = search(&watch);
    running().retain(|other| !Arc::ptr_eq(other, &watch));
    result
}

/// Why a search ends after Ctrl-C or SIGTERM.
pub const INTERRUPTION: &str = "interrupted";

/// Whether Ctrl-C was pressed, or SIGTERM came.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Ends all searches, as Ctrl-C does.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
    running().iter().for_each(|watch| watch.stop(INTERRUPTION));
}

/// Makes the first Ctrl-C or SIGTERM end all searches; the second calls `again`.
pub fn on_interrupt(again: impl Fn() + Send + 'static) {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        // Without a handler these signals end the process, which is right too.
        let _ = ctrlc::set_handler(move || {
            if is_interrupted() {
                again();
            }
            interrupt();
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
    /// Starts to keep the limits; does nothing if there are none.
    pub fn start(limits: Limits) -> Result<Guard, Failure> {
        let memory = memory(limits)?;
        if limits.timeout.is_none() && memory.is_none() {
            return Ok(Guard { ending: None, thread: None });
        }
        let (ending, ended) = channel();
        let thread = std::thread::spawn(move || keep(limits.timeout, memory.as_ref(), &ended));
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

fn keep(timeout: Option<Duration>, memory: Option<&Memory>, ended: &Receiver<()>) {
    while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        let watches = running().clone();
        if let Some(timeout) = timeout {
            let is_over = |watch: &&Arc<Watch>| watch.start.elapsed() >= timeout;
            watches.iter().filter(is_over).for_each(|watch| watch.stop(&out_of_time(timeout)));
        }
        if let Some(memory) = memory.filter(|memory| resident(None).is_some_and(|used| used > memory.megabytes)) {
            watches.iter().for_each(|watch| watch.stop(&memory.reason()));
        }
    }
}

/// Why a search ends at its time limit.
pub fn out_of_time(timeout: Duration) -> String {
    format!("the time limit of {} s was reached", timeout.as_secs_f64())
}

/// How much memory may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// So much.
    pub megabytes: u64,
    /// Whether the user said so.
    is_given: bool,
}

impl Memory {
    /// Why a search ends at this limit.
    pub fn reason(&self) -> String {
        let Memory { megabytes, is_given } = self;
        match is_given {
            true => format!("the memory limit of {megabytes} MB was reached"),
            false => {
                let what = "three quarters of the machine's memory";
                format!("the memory limit of {megabytes} MB was reached, {what}: --memory gives another")
            }
        }
    }
}

/// The memory limit that was given, else a share of the machine's memory where that is known.
pub fn memory(limits: Limits) -> Result<Option<Memory>, Failure> {
    if limits.memory.is_some() && resident(None).is_none() {
        return Err(Failure::Message("--memory is not available on this system: it needs /proc/self/status".into()));
    }
    Ok(match limits.memory {
        Some(megabytes) => Some(Memory { megabytes, is_given: true }),
        None => machine().map(|all| Memory { megabytes: all / SHARE.1 * SHARE.0, is_given: false }),
    })
}

/// Megabytes of memory that a process has in use, this one if none is named, where the system says it.
pub fn resident(process: Option<u32>) -> Option<u64> {
    let process = process.map_or_else(|| "self".into(), |process| process.to_string());
    in_megabytes(&std::fs::read_to_string(format!("/proc/{process}/status")).ok()?, "VmRSS:")
}

/// Megabytes of memory that there are, for the machine or for the group of processes that this one belongs to.
fn machine() -> Option<u64> {
    let all = in_megabytes(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")?;
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|text| text.trim().parse::<u64>().ok()).map(|bytes| bytes >> 20);
    Some(group.map_or(all, |group| group.min(all)))
}

/// The figure of a line `name: 123 kB`.
fn in_megabytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_limit_ends_a_search_and_says_why() {
        let limits = Limits { timeout: Some(Duration::from_millis(20)), memory: None };
        let _guard = Guard::start(limits).unwrap_or_else(|failure| panic!("{}", failure.summary()));
        let reason = watched(|watch| {
            while !watch.interrupt.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            watch.reason()
        });
        assert_eq!(reason.as_deref(), Some("the time limit of 0.02 s was reached"));
    }
}
