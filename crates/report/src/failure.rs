//! What goes wrong in an execution, in words.

use program::{Failure, FailureKind, Location};

/// `An assertion fails in T2: Test.java:8:5: x == 1`, and a line for each thread that waits.
pub fn lines(failure: &Failure) -> String {
    let what = match failure.kind {
        FailureKind::Assertion => "An assertion fails",
        FailureKind::Exception => "An exception is not caught",
        FailureKind::Exit => "The program ends itself",
        FailureKind::Error => "An error",
        FailureKind::Deadlock => "A deadlock",
        FailureKind::StaleLoop => "A loop that may never see a write",
        FailureKind::LostWakeup => "A lost wake-up",
        FailureKind::Observation => "An observation that no serial execution explains",
    };
    let who = failure.thread.as_ref().map_or(String::new(), |thread| format!(" in {thread}"));
    let place = failure.location.as_ref().map_or(String::new(), |at| format!("{at}: "));
    let mut text = format!("{what}{who}: {place}{}\n", failure.message);
    for waiting in &failure.waiting {
        let at = waiting.location.as_ref().map_or(String::new(), |at: &Location| format!(" ({at})"));
        text.push_str(&format!("  {} waits for {}{at}\n", waiting.thread, waiting.what));
    }
    text
}

/// Where a thread stops in an execution that goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The thread's name.
    pub thread: String,
    /// What it does there: `fails`, `waits`.
    pub what: &'static str,
    /// Where it is.
    pub location: Option<Location>,
}

/// Where threads fail, or wait for ever.
pub fn stops(failure: &Failure) -> Vec<Stop> {
    let stop = |thread: &str, what, location: &Option<Location>| Stop {
        thread: thread.into(),
        what,
        location: location.clone(),
    };
    let fails = failure.thread.iter().map(|thread| stop(thread, "fails", &failure.location));
    let waits = failure.waiting.iter().map(|waiting| stop(&waiting.thread, "waits", &waiting.location));
    fails.chain(waits).collect()
}

/// The verdict that a property is violated, by what goes wrong.
pub fn verdict(failure: Option<&Failure>) -> &'static str {
    match failure.map(|failure| failure.kind) {
        Some(FailureKind::Exception) => "Violated: an exception can end a thread.",
        Some(FailureKind::Exit) => "Violated: the program can end itself with an error.",
        Some(FailureKind::Error) => "Violated: some execution runs into an error.",
        Some(FailureKind::Deadlock) => "Violated: threads can wait for ever.",
        Some(FailureKind::StaleLoop) => "Violated: a loop may never see what another thread writes.",
        Some(FailureKind::LostWakeup) => "Violated: a wake-up can be lost.",
        Some(FailureKind::Assertion | FailureKind::Observation) | None => "Violated: an assertion can fail.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::WaitingThread;

    #[test]
    fn threads_that_wait_are_listed() {
        let at = |line| Some(Location { file: "Test.java".into(), line, column: 5 });
        let waits = |thread: &str, what: &str, line| WaitingThread {
            thread: thread.into(),
            what: what.into(),
            location: at(line),
        };
        let waiting = vec![waits("T1", "the monitor b", 8), waits("T2", "the monitor a", 12)];
        let failure = Failure { waiting, ..Failure::new(FailureKind::Deadlock, "no thread can go on", None) };
        let expected = "A deadlock: no thread can go on\n  T1 waits for the monitor b (Test.java:8:5)\n  \
                        T2 waits for the monitor a (Test.java:12:5)\n";
        assert_eq!(lines(&failure), expected);
        assert_eq!(verdict(Some(&failure)), "Violated: threads can wait for ever.");
    }

    #[test]
    fn a_failure_of_one_thread_has_its_name_and_place() {
        let at = Some(Location { file: "Test.java".into(), line: 3, column: 1 });
        let failure = Failure { thread: Some("T1".into()), ..Failure::new(FailureKind::Assertion, "x == 1", at) };
        assert_eq!(lines(&failure), "An assertion fails in T1: Test.java:3:1: x == 1\n");
    }
}
