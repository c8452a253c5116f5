//! Progress on the terminal: on standard error, only if that is a terminal, and only after a second.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long nothing is shown.
const QUIET: Duration = Duration::from_secs(1);

/// Progress of something that may take longer. Cleared when dropped.
pub struct Progress {
    start: Instant,
    is_terminal: bool,
    total: Option<u64>,
    unit: &'static str,
    bar: Mutex<Option<ProgressBar>>,
}

impl Progress {
    /// Progress towards `total` things called `unit`; without a total they are merely counted.
    pub fn new(total: Option<u64>, unit: &'static str) -> Progress {
        let is_terminal = std::io::stderr().is_terminal();
        Progress { start: Instant::now(), is_terminal, total, unit, bar: Mutex::new(None) }
    }

    /// Shows that `done` things are done.
    pub fn at(&self, done: u64) {
        if !self.is_terminal || self.start.elapsed() < QUIET {
            return;
        }
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        bar.get_or_insert_with(|| self.bar()).set_position(done);
    }

    /// Shows that `done` of at least `known` things are done: more may come.
    pub fn of(&self, done: u64, known: u64) {
        if !self.is_terminal || self.start.elapsed() < QUIET {
            return;
        }
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = bar.get_or_insert_with(|| self.open_bar());
        bar.set_length(known);
        bar.set_position(done);
    }

    fn open_bar(&self) -> ProgressBar {
        let template =
            format!("{{bar:40}} {{pos}} of at least {{len}} {}  {{elapsed}} (at least {{eta}} left)", self.unit);
        let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr());
        match ProgressStyle::with_template(&template) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }

    fn bar(&self) -> ProgressBar {
        let template = match self.total {
            Some(_) => format!("{{bar:40}} {{pos}}/{{len}} {}  {{elapsed}} (about {{eta}} left)", self.unit),
            None => format!("{{spinner}} {{pos}} {}  {{elapsed}}", self.unit),
        };
        let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::stderr());
        match ProgressStyle::with_template(&template) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.lock().unwrap_or_else(PoisonError::into_inner).take() {
            bar.finish_and_clear();
        }
    }
}

/// Runs something that says nothing on its way, with a sign of life on the terminal.
pub fn with_spinner<T>(work: impl FnOnce() -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    let (ending, ended) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let progress = Progress::new(None, "s of solving");
            let start = Instant::now();
            while ended.recv_timeout(Duration::from_millis(200)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                progress.at(start.elapsed().as_secs());
            }
        });
        let result = work();
        drop(ending);
        result
    })
}
