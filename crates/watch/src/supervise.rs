//! Work in processes of its own, under one watch: reading, solving, printing, whatever they do.
//!
//! A search that is asked to stop stops by itself ([`crate::limits`]) and says what it has found. But not every phase can be
//! asked, and a stack that overflows or memory that cannot be had ends a process without a word. So the binary starts
//! itself a second time for what was asked, and this process watches that one: it ends it when it is over its limits, and
//! then answers "unknown" with the reason in the format asked for. The worker leaves that answer here beforehand, see
//! [`offer`]: first what can be said before anything is read, then what can be said of the program.
//!
//! `suite` and `compare` give many units of work to a few workers, [`mod@units`]: a test that takes all memory costs only itself.

pub mod units;

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::failure::{Exit, Failure};
use crate::limits::Limits;
use crate::limits::{INTERRUPTION, Memory, TICK, is_interrupted, memory, out_of_time, resident};
use crate::signals;

/// Says to the binary that it is a worker: `unit N`, or `units`.
const WORKER: &str = "PALISADE_WORKER";
/// How long a worker may take to notice that its time is over.
const GRACE: Duration = Duration::from_millis(1_400);
/// How long a worker may take to notice Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(700);
/// When workers and this process use this share of the memory limit, in percent, and so many megabytes more than the limit, a
/// worker is ended: it has not ended by itself at the limit.
const HARD: (u64, u64) = (114, 32);
/// Stands for the reason in the answer that a worker leaves.
const REASON: &str = "@palisade-reason@";
/// What is before such an answer.
const OFFER: u8 = 1;
/// Each worker's stack: deeply nested programs and formulas are walked recursively. Only what is used is taken.
const STACK: usize = 1 << 30;

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The command for one of its files, the only one for most commands.
    Unit(usize),
    /// Units of work as they come, one on each line of standard input.
    Units,
}

/// What this process does as a worker; `None` if it is not one.
pub fn role() -> Option<Role> {
    static ROLE: OnceLock<Option<Role>> = OnceLock::new();
    *ROLE.get_or_init(|| match std::env::var(WORKER).ok()?.split_once(' ') {
        Some((_, number)) => Some(Role::Unit(number.parse().ok()?)),
        None => Some(Role::Units),
    })
}

/// Runs `work` with room for deep recursion.
pub fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let work = Mutex::new(Some(work));
    let run = || work.lock().unwrap_or_else(PoisonError::into_inner).take().map(|work| work());
    let done = std::thread::scope(|scope| {
        // Where address space is scarce, a smaller stack must do.
        let start = |size| std::thread::Builder::new().stack_size(size).spawn_scoped(scope, run).ok();
        let thread = start(STACK).or_else(|| start(STACK / 16))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    match done {
        Some(done) => done,
        None => match run() {
            Some(done) => done,
            // Either a thread or this one has taken it.
            None => std::process::exit(Exit::Unknown.code().into()),
        },
    }
}

/// Leaves the answer to be given if this process is ended before it has one. `print` prints it for a reason.
pub fn offer(print: impl FnOnce(&str) -> String) {
    if matches!(role(), Some(Role::Unit(_))) {
        let answer = print(REASON);
        let mut output = std::io::stdout().lock();
        let _ = output.write_all(&[OFFER]);
        let _ = output.write_all(format!("{}\n{answer}", answer.len()).as_bytes());
        let _ = output.flush();
    }
}

/// The exit code of a worker that cannot do the command at all, whatever the file.
pub const REFUSED: u8 = 4;

/// What came of a unit.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// What the worker printed, and the exit code that it asks for.
    Finished(String, Exit),
    /// The command cannot be done; the worker said why.
    Refused,
    /// The worker was ended for this reason; the answer to be printed, if there is one.
    Stopped(Option<String>, String),
}

/// Does one unit of the command in a worker.
pub fn unit(number: usize, limits: Limits) -> Result<Ended, Failure> {
    let watch = Hard { timeout: limits.timeout, memory: memory(limits)? };
    let mut command = this_again(&format!("unit {number}"));
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| cannot_start(&error))?;
    let (mut printed, output) = (Vec::new(), child.stdout.take());
    let (ending, ended) = channel::<()>();
    let reason = std::thread::scope(|scope| {
        let process = child.id();
        let monitor = scope.spawn(move || watch.unit(process, &ended));
        let _ = output.map(|mut output| output.read_to_end(&mut printed));
        drop(ending);
        monitor.join().unwrap_or_default()
    });
    let status = child.wait().map_err(|error| cannot_start(&error))?;
    let (offered, printed) = without_offers(&printed);
    Ok(match (reason, exit(status)) {
        (None, Some(exit)) => Ended::Finished(printed, exit),
        (None, None) if status.code() == Some(REFUSED.into()) => Ended::Refused,
        (reason, _) => {
            clear_line();
            let reason = reason.unwrap_or_else(|| in_words(status));
            Ended::Stopped(offered.map(|answer| answer.replace(REASON, &reason)), reason)
        }
    })
}

/// The same binary with the same arguments as a worker.
fn this_again(role: &str) -> Command {
    let deleted = || PathBuf::from("/proc/self/exe");
    let own = std::env::current_exe().ok().filter(|path| path.is_file()).unwrap_or_else(deleted);
    let mut command = Command::new(own);
    command.args(std::env::args_os().skip(1).collect::<Vec<OsString>>()).env(WORKER, role);
    command
}

fn cannot_start(error: &std::io::Error) -> Failure {
    Failure::Message(format!("a second process cannot be started: {error}"))
}

/// The last answer that was left, and what was printed after.
fn without_offers(mut printed: &[u8]) -> (Option<String>, String) {
    let mut offered = None;
    while let Some((&OFFER, rest)) = printed.split_first() {
        let Some(line) = rest.iter().position(|byte| *byte == b'\n') else { return (offered, String::new()) };
        let length = std::str::from_utf8(&rest[..line]).ok().and_then(|number| number.parse::<usize>().ok());
        let Some(answer) = length.and_then(|length| rest.get(line + 1..line + 1 + length)) else {
            return (offered, String::new());
        };
        printed = &rest[line + 1 + answer.len()..];
        offered = Some(String::from_utf8_lossy(answer).into_owned());
    }
    (offered, String::from_utf8_lossy(printed).into_owned())
}

/// The exit code of a process that came to its own end.
fn exit(status: ExitStatus) -> Option<Exit> {
    let all = [Exit::Validated, Exit::Refuted, Exit::WrongInput, Exit::Unknown];
    all.into_iter().find(|exit| status.code() == Some(exit.code().into()))
}

/// How a process ended that did not come to its own end.
fn in_words(status: ExitStatus) -> String {
    match signals::of(status) {
        Some(6 | 7 | 11) => "Palisade needed more room than there is, on its stack or in memory".into(),
        Some(9) => "Palisade was killed".into(),
        Some(number) => format!("Palisade was ended by signal {number}"),
        None => "Palisade failed, which is an error of its own".into(),
    }
}

/// Takes the progress of a worker that was ended off the terminal.
fn clear_line() {
    if std::io::stderr().is_terminal() {
        eprint!("\r\u{1b}[2K");
    }
}

/// What a worker is ended for.
#[derive(Clone, Copy)]
struct Hard {
    timeout: Option<Duration>,
    memory: Option<Memory>,
}

impl Hard {
    /// Watches one worker until it has ended; why it was killed, if it was.
    fn unit(&self, process: u32, ended: &Receiver<()>) -> Option<String> {
        let (start, mut interrupted) = (Instant::now(), None);
        while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            let reason = self.reason(start.elapsed(), process).or_else(|| ask_to_stop(&mut interrupted, [process]));
            if let Some(reason) = reason {
                kill(process);
                return Some(reason);
            }
        }
        None
    }

    fn out_of_time(&self, elapsed: Duration) -> Option<String> {
        self.timeout.filter(|timeout| elapsed >= *timeout + GRACE).map(out_of_time)
    }

    fn reason(&self, elapsed: Duration, process: u32) -> Option<String> {
        let used = || Some(resident(Some(process))? + resident(None)?);
        let is_over = |limit: &Memory| used().is_some_and(|used| is_over(limit, used));
        self.out_of_time(elapsed).or_else(|| self.memory.filter(is_over).map(|limit| limit.reason()))
    }
}

fn is_over(limit: &Memory, megabytes: u64) -> bool {
    let (percent, more) = HARD;
    let hard = (limit.megabytes / 100).saturating_mul(percent).max(limit.megabytes.saturating_add(more));
    megabytes > hard
}

/// Once this process was interrupted, asks workers to stop, and says when they have had time enough.
fn ask_to_stop(asked: &mut Option<Instant>, workers: impl IntoIterator<Item = u32>) -> Option<String> {
    if !is_interrupted() {
        return None;
    }
    let since = *asked.get_or_insert_with(|| {
        workers.into_iter().for_each(signals::terminate);
        Instant::now()
    });
    (since.elapsed() >= PATIENCE).then(|| INTERRUPTION.to_string())
}

/// Ends a worker and what it has started.
fn kill(process: u32) {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let started = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let started: Vec<u32> = started
        .flat_map(|line| line.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>())
        .collect();
    signals::kill(process);
    started.into_iter().for_each(signals::kill);
}
