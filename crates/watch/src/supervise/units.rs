//! Many units of work for a few workers, which take one after the other.
//!
//! The memory limit is for all workers together. If they are over it, the largest is ended; its unit is done once more in
//! the end, alone, unless it is over the limit by itself.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::{Hard, ask_to_stop, cannot_start, clear_line, in_words, is_over, kill, this_again};
use crate::failure::Failure;
use crate::limits::Limits;
use crate::limits::{TICK, begin, interrupt, is_interrupted, memory, resident};
use crate::progress::Progress;

/// A worker that has kept more than one part in so many of the limit is replaced before its next unit.
const LEFT_OVER: u64 = 8;

/// What came of a unit.
#[derive(Debug, PartialEq)]
pub enum Reply {
    /// What the worker answered.
    Done(Json),
    /// The worker was ended for this reason.
    Stopped(String),
}

/// Does each unit in a worker, at most `jobs` at a time (by default as many as there are processors); replies in the order of
/// the units. After Ctrl-C nothing new is begun, and what was not begun is missing.
pub fn map(
    units: &[Json],
    jobs: Option<usize>,
    limits: Limits,
    word: &'static str,
) -> Result<Vec<Option<Reply>>, Failure> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = jobs.unwrap_or(processors).clamp(1, units.len().max(1));
    let crew = Crew {
        hard: Hard { timeout: limits.timeout, memory: memory(limits)? },
        units,
        slots: (0..jobs).map(|_| Mutex::default()).collect(),
        replies: Mutex::new(units.iter().map(|_| None).collect()),
        crowded: Mutex::default(),
        finished: AtomicU64::new(0),
        progress: Progress::new(Some(units.len() as u64), word),
    };
    crew.run(&(0..units.len()).collect::<Vec<usize>>(), jobs)?;
    let crowded = std::mem::take(&mut *locked(&crew.crowded));
    crew.run(&crowded, 1)?;
    Ok(crew.replies.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The workers and their work.
struct Crew<'a> {
    hard: Hard,
    units: &'a [Json],
    /// One for each worker.
    slots: Vec<Mutex<Slot>>,
    replies: Mutex<Vec<Option<Reply>>>,
    /// The units to be done alone.
    crowded: Mutex<Vec<usize>>,
    finished: AtomicU64,
    progress: Progress,
}

/// A worker as the watch sees it.
#[derive(Default)]
struct Slot {
    process: Option<u32>,
    /// When its unit was begun; `None` while it has none.
    since: Option<Instant>,
    /// The time limit of its unit, if that has one of its own.
    timeout: Option<Duration>,
    /// Why it was ended.
    stopped: Option<Stop>,
}

#[derive(Clone)]
enum Stop {
    For(String),
    /// All workers together were over the memory limit.
    Crowded,
}

impl Crew<'_> {
    fn run(&self, queue: &[usize], jobs: usize) -> Result<(), Failure> {
        let next = AtomicUsize::new(0);
        let (ending, ended) = channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || self.watch(&ended));
            let work = |slot| self.work(slot, queue, &next);
            let workers: Vec<_> = self.slots.iter().take(jobs).map(|slot| scope.spawn(move || work(slot))).collect();
            let done = workers.into_iter().map(|worker| worker.join().unwrap_or(Ok(())));
            let done = done.collect::<Vec<_>>().into_iter().collect();
            drop(ending);
            done
        })
    }

    /// Has a worker do one unit after the other.
    fn work(&self, slot: &Mutex<Slot>, queue: &[usize], next: &AtomicUsize) -> Result<(), Failure> {
        let mut worker: Option<Worker<'_>> = None;
        while let Some(&index) = queue.get(next.fetch_add(1, Ordering::Relaxed)) {
            if is_interrupted() {
                break;
            }
            let usable = worker.take().filter(|worker| self.is_usable(slot, worker));
            let mut ready = usable.map_or_else(|| Worker::start(slot), Ok)?;
            match ready.ask(&self.units[index]) {
                Some(reply) => {
                    worker = Some(ready);
                    self.reply(index, Reply::Done(reply));
                }
                None => match ready.why() {
                    Stop::For(reason) => self.reply(index, Reply::Stopped(reason)),
                    Stop::Crowded => locked(&self.crowded).push(index),
                },
            }
        }
        Ok(())
    }

    fn reply(&self, index: usize, reply: Reply) {
        locked(&self.replies)[index] = Some(reply);
        self.finished.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether a worker can take another unit: it was not ended meanwhile, and has not kept too much of what it used.
    fn is_usable(&self, slot: &Mutex<Slot>, worker: &Worker) -> bool {
        let used = self.hard.memory.and_then(|limit| Some((resident(Some(worker.child.id()))?, limit.megabytes)));
        locked(slot).stopped.is_none() && used.is_none_or(|(used, limit)| used <= limit / LEFT_OVER)
    }

    /// Ends workers that are over their limits, and shows how far they are.
    fn watch(&self, ended: &Receiver<()>) {
        let mut interrupted = None;
        while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            self.progress.at(self.finished.load(Ordering::Relaxed));
            let workers = self.slots.iter().filter_map(|slot| locked(slot).process);
            if let Some(reason) = ask_to_stop(&mut interrupted, workers) {
                self.slots.iter().for_each(|slot| stop(&mut locked(slot), Stop::For(reason.clone())));
            }
            for slot in &self.slots {
                let mut slot = locked(slot);
                let elapsed = slot.since.map(|since| since.elapsed());
                let hard = Hard { timeout: slot.timeout.or(self.hard.timeout), ..self.hard };
                if let Some(reason) = elapsed.and_then(|elapsed| hard.out_of_time(elapsed)) {
                    stop(&mut slot, Stop::For(reason));
                }
            }
            self.watch_memory();
        }
    }

    fn watch_memory(&self) {
        let Some(limit) = self.hard.memory else { return };
        let used = |slot: &Mutex<Slot>| resident(Some(locked(slot).process?));
        let each: Vec<(u64, &Mutex<Slot>)> =
            self.slots.iter().filter_map(|slot| used(slot).map(|used| (used, slot))).collect();
        let all = each.iter().map(|(used, _)| used).sum::<u64>() + resident(None).unwrap_or(0);
        let is_single = each.len() == 1;
        let Some((largest, slot)) = each.into_iter().max_by_key(|(used, _)| *used) else { return };
        if is_over(&limit, all) {
            let is_alone = is_single || largest > limit.megabytes;
            stop(&mut locked(slot), if is_alone { Stop::For(limit.reason()) } else { Stop::Crowded });
        }
    }
}

/// Ends a worker.
fn stop(slot: &mut Slot, why: Stop) {
    if let Some(process) = slot.process.take() {
        slot.stopped = Some(why);
        kill(process);
    }
}

/// A worker that takes units. It ends when this is dropped.
struct Worker<'a> {
    slot: &'a Mutex<Slot>,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Worker<'_> {
    fn start(slot: &Mutex<Slot>) -> Result<Worker<'_>, Failure> {
        let mut command = this_again("units");
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|error| cannot_start(&error))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let Some(output) = output.map(BufReader::new) else {
            return Err(Failure::Message("a second process has no output".into()));
        };
        *locked(slot) = Slot { process: Some(child.id()), ..Slot::default() };
        Ok(Worker { slot, child, input, output })
    }

    /// The answer to a unit; `None` if the worker has ended without one.
    fn ask(&mut self, unit: &Json) -> Option<Json> {
        let timeout = unit["timeout"].as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let begin = |slot: &mut Slot| (slot.since, slot.timeout) = (Some(Instant::now()), timeout);
        begin(&mut locked(self.slot));
        let mut line = String::new();
        let sent = self.input.as_mut().map(|input| input.write_all(format!("{unit}\n").as_bytes()));
        let read = sent.and_then(|sent| sent.ok()).map(|()| self.output.read_line(&mut line));
        locked(self.slot).since = None;
        read.and_then(|_| serde_json::from_str(&line).ok())
    }

    /// Why it has ended.
    fn why(mut self) -> Stop {
        let status = self.end();
        clear_line();
        let stopped = locked(self.slot).stopped.take();
        stopped.unwrap_or_else(|| Stop::For(status.map_or_else(|error| error.to_string(), in_words)))
    }

    /// Waits until it has ended; nobody may send it signals from now on.
    fn end(&mut self) -> std::io::Result<ExitStatus> {
        locked(self.slot).process = None;
        self.input = None;
        self.child.wait()
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// As a worker, does the units that come on standard input, and answers each on a line.
pub fn serve(mut work: impl FnMut(&Json) -> Json) {
    let (given, units) = channel();
    // When no more can come, because the process that gives them has gone, what is being worked on is of no use.
    std::thread::spawn(move || {
        let lines = std::io::stdin().lines().map_while(Result::ok);
        lines.filter_map(|line| serde_json::from_str(&line).ok()).for_each(|unit: Json| {
            let _ = given.send(unit);
        });
        interrupt();
    });
    for unit in units {
        begin();
        let reply = work(&unit);
        if std::io::stdout().lock().write_all(format!("{reply}\n").as_bytes()).is_err() {
            break;
        }
    }
}
