//! Progress on the terminal: on standard error, only if that is a terminal, and only after a second.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// Progress of an exploration that finds its own work: classes are looked at, and new ones are found on the way.
struct Exploring {
    start: Instant,
    is_terminal: bool,
    shown: Mutex<Shown>,
}

/// What was shown last, and what the estimate rests on.
#[derive(Default)]
struct Shown {
    at: Duration,
    bar: Option<ProgressBar>,
    pace: Pace,
}

/// How fast an exploration has been lately.
#[derive(Default)]
struct Pace {
    /// When, how many classes were known, and how many of them looked at: the oldest first.
    samples: VecDeque<(Duration, u64, u64)>,
}

/// How often progress is shown anew.
const TICK: Duration = Duration::from_millis(200);
/// How many samples are kept: those of the last minute.
const SAMPLES: usize = 300;
/// So many classes at least an estimate rests on, if there are as many.
const ENOUGH: u64 = 100;

impl Exploring {
    /// Nothing is shown yet.
    fn new() -> Exploring {
        let is_terminal = std::io::stderr().is_terminal();
        Exploring { start: Instant::now(), is_terminal, shown: Mutex::default() }
    }

    /// So many executions gave so many classes, of which some were looked at.
    fn at(&self, executions: u64, classes: u64, looked_at: u64) {
        self.show(|pace, elapsed| {
            pace.add(elapsed, classes, looked_at);
            let (left, waiting) = (pace.left(), classes.saturating_sub(looked_at));
            format!("{executions} executions, {waiting} classes to look at, {left}")
        });
    }

    /// So many execution graphs came to their end, of about so many in all.
    fn graphs(&self, executions: u64, blocked: u64, estimate: u64) {
        let blocked = if blocked > 0 { format!(", {blocked} blocked") } else { String::new() };
        self.show(|_, _| format!("{executions} executions of about {estimate}{blocked}"));
    }

    /// Shows a text, if it is time to.
    fn show(&self, text: impl FnOnce(&mut Pace, Duration) -> String) {
        if !self.is_terminal {
            return;
        }
        let elapsed = self.start.elapsed();
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if elapsed < shown.at + TICK {
            return;
        }
        shown.at = elapsed;
        let text = text(&mut shown.pace, elapsed);
        if elapsed >= QUIET {
            shown.bar.get_or_insert_with(|| spinner(elapsed)).set_message(text);
        }
    }
}

impl Drop for Exploring {
    fn drop(&mut self) {
        if let Some(bar) = self.shown.lock().unwrap_or_else(PoisonError::into_inner).bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Pace {
    fn add(&mut self, at: Duration, classes: u64, looked_at: u64) {
        self.samples.push_back((at, classes, looked_at));
        if self.samples.len() > SAMPLES {
            self.samples.pop_front();
        }
    }

    /// What is left, in words. Each class that is looked at gives some new ones: as long as these are one or more, the end is
    /// not in sight; else those that wait, those they will give, and so on, are a geometric series.
    fn left(&self) -> String {
        let Some((now, known, done)) = self.samples.back() else { return String::new() };
        // What was long ago says little; but it takes some classes to say anything.
        let is_enough = |(start, _, first): &&(Duration, u64, u64)| *now - *start >= QUIET && done - first >= ENOUGH;
        let start = self.samples.iter().rev().find(is_enough).or(self.samples.front());
        let Some((start, first_known, first_done)) = start else { return String::new() };
        let seconds = (*now - *start).as_secs_f64();
        let looked_at = (done - first_done) as f64;
        if seconds <= 0.0 || looked_at <= 0.0 {
            return "no rate yet".into();
        }
        let rate = looked_at / seconds;
        let new = (known - first_known) as f64 / looked_at;
        let waiting = (known - done) as f64;
        if new > 0.95 {
            return format!("{rate:.0}/s, no end in sight yet");
        }
        let left = waiting / (1.0 - new);
        format!("{rate:.0}/s, about {} ({}) left", rounded(left), in_time(left / rate))
    }
}

/// Two digits: an estimate knows no more.
fn rounded(number: f64) -> u64 {
    let unit = 10f64.powf((number.max(1.0).log10().floor() - 1.0).max(0.0));
    ((number / unit).round() * unit) as u64
}

/// A duration in words.
fn in_time(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 90.0 => format!("{seconds:.0} s"),
        seconds if seconds < 5400.0 => format!("{:.0} min", seconds / 60.0),
        seconds if seconds < 1e7 => format!("{:.0} h", seconds / 3600.0),
        _ => "months".into(),
    }
}

/// A line that shows that the process is alive, also while nothing new is known.
fn spinner(elapsed: Duration) -> ProgressBar {
    let mut bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_elapsed(elapsed);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed}  {wide_msg}") {
        bar = bar.with_style(style);
    }
    // Shown only now: what is drawn before would look otherwise.
    bar.set_draw_target(ProgressDrawTarget::stderr());
    bar.enable_steady_tick(TICK);
    bar
}

/// What a search tells on its way, on the terminal.
struct Live {
    exploring: Exploring,
    states: Progress,
    sets: Progress,
    clients: Progress,
    /// Whether it has told anything: then there is no need of another sign of life.
    has_told: AtomicBool,
}

impl palisade::Progress for Live {
    fn states(&self, found: u64) {
        self.has_told.store(true, Ordering::Relaxed);
        self.states.at(found);
    }

    fn classes(&self, executions: u64, classes: u64, looked_at: u64) {
        self.has_told.store(true, Ordering::Relaxed);
        self.exploring.at(executions, classes, looked_at);
    }

    fn graphs(&self, executions: u64, blocked: u64, estimate: u64) {
        self.has_told.store(true, Ordering::Relaxed);
        self.exploring.graphs(executions, blocked, estimate);
    }

    fn sets(&self, tried: u64) {
        self.has_told.store(true, Ordering::Relaxed);
        self.sets.at(tried);
    }

    fn clients(&self, tried: u64, _: u64) {
        self.has_told.store(true, Ordering::Relaxed);
        self.clients.at(tried);
    }
}

/// Runs a search with a sign of life on the terminal: what it tells on its way, else the time that it takes.
pub fn live<T>(work: impl FnOnce(&dyn palisade::Progress) -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return work(&palisade::Silent);
    }
    let live = Live {
        exploring: Exploring::new(),
        states: Progress::new(None, "final states"),
        sets: Progress::new(None, "sets tried"),
        clients: Progress::new(None, "clients tried"),
        has_told: AtomicBool::new(false),
    };
    let (ending, ended) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let has_told = &live.has_told;
        scope.spawn(move || {
            let progress = Progress::new(None, "s of solving");
            let start = Instant::now();
            while !has_told.load(Ordering::Relaxed)
                && ended.recv_timeout(TICK) == Err(std::sync::mpsc::RecvTimeoutError::Timeout)
            {
                progress.at(start.elapsed().as_secs());
            }
        });
        let result = work(&live);
        drop(ending);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(samples: &[(u64, u64, u64)]) -> Pace {
        let mut pace = Pace::default();
        samples.iter().for_each(|(second, known, done)| pace.add(Duration::from_secs(*second), *known, *done));
        pace
    }

    #[test]
    fn the_estimate_counts_what_is_still_to_be_found() {
        // A hundred were looked at and gave fifty: of 200 that wait come 100, of these 50, and so on.
        assert_eq!(pace(&[(0, 250, 0), (1, 300, 100)]).left(), "100/s, about 400 (4 s) left");
    }

    #[test]
    fn the_estimate_rests_on_what_was_last() {
        let late = pace(&[(0, 1, 0), (8, 900, 300), (9, 950, 700)]);
        assert_eq!(late.left(), "400/s, about 290 (1 s) left");
        let slow = pace(&[(0, 40, 0), (5, 45, 10), (10, 50, 20)]);
        assert_eq!(slow.left(), "2/s, about 60 (30 s) left");
    }

    #[test]
    fn there_is_no_estimate_while_more_come_than_go() {
        assert_eq!(pace(&[(0, 1, 0), (1, 300, 100)]).left(), "100/s, no end in sight yet");
        assert_eq!(pace(&[(0, 1, 0)]).left(), "no rate yet");
    }
}
