//! The tables of the CheckFence thesis (Burckhardt, Memory model sensitive analysis of concurrent data types, 2007,
//! chapter 8): five concurrent data types, checked by bounded tests.

pub mod issues;
pub mod statistics;

use cpu_time::ThreadTime;
use frontend::c::Unit;
use palisade::{Answer, Engine, Limits, Model, Options, Request, Task, Test};
use program::Verdict;
use report::repro::Checked;

use crate::answer::with_reason;
use crate::failure::Failure;
use crate::limits::watched;

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../../suites/c/", $name)))),*]
    };
}

/// The data types, and what they include.
const FILES: &[(&str, &str)] = files! {
    "ms2.c" "msn.c" "lazylist.c" "harris.c" "snark.c" "snark_published.c" "snark_push.h"
    "queue_harness.h" "set_harness.h" "deque_harness.h"
};

fn file(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(own, _)| *own == name).map(|(_, text)| *text)
}

/// A data type that is part of the binary.
fn unit(data_type: &str, define: Option<&str>) -> Result<Unit, Failure> {
    let name = format!("{data_type}.c");
    let text = file(&name).ok_or_else(|| Failure::Message(format!("there is no {name}")))?;
    let mut include = |name: &str, _: &str| Some((name.to_string(), file(name)?.to_string()));
    let defines: Vec<(String, String)> = define.iter().map(|name| (name.to_string(), "1".into())).collect();
    Ok(frontend::c::load(&name, text, &mut include, &defines)?)
}

/// A row of figure 8.4: a bounded test of a data type, and the thesis's figures.
struct Entry {
    data_type: String,
    test: String,
    notation: String,
    loads: u64,
    stores: u64,
    variables: u64,
    clauses: u64,
    seconds: f64,
}

/// Figure 8.4 in the order of the thesis.
fn entries() -> Result<Vec<Entry>, Failure> {
    let data = include_str!("../../../../repro/checkfence/figure8-4.tsv");
    lines(data).map(|(number, line)| entry(line).ok_or_else(|| no_row("figure8-4.tsv", number))).collect()
}

fn entry(line: &str) -> Option<Entry> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [data_type, test, notation, loads, stores, variables, clauses, seconds] = fields[..] else { return None };
    Some(Entry {
        data_type: data_type.into(),
        test: test.into(),
        notation: notation.into(),
        loads: loads.parse().ok()?,
        stores: stores.parse().ok()?,
        variables: variables.parse().ok()?,
        clauses: clauses.parse().ok()?,
        seconds: seconds.parse().ok()?,
    })
}

/// The lines of a table's file that are rows, with their numbers.
fn lines(data: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = data.lines().enumerate().map(|(index, line)| (index + 1, line));
    numbered.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

fn no_row(file: &str, number: usize) -> Failure {
    Failure::Message(format!("{file}: line {number} is not a row"))
}

/// Reads and checks a bounded test, and measures all of it: reading, running serially, unrolling, solving.
fn check(test: impl FnOnce() -> Result<Test, Failure>, model: &Model, conflicts: Option<u64>) -> Checked {
    let start = ThreadTime::now();
    let answer = test().and_then(|test| answer(test, model, conflicts));
    let mut checked = match answer {
        Ok(answer) => figures(&answer),
        Err(failure) => no_verdict(failure.summary()),
    };
    checked.seconds = start.elapsed().as_secs_f64();
    checked
}

/// The answer for a test, its serial executions being the specification.
fn answer(test: Test, model: &Model, conflicts: Option<u64>) -> Result<Answer, Failure> {
    let task = Task::Test(test);
    let answered = watched(|watch| {
        let limits = Limits { interrupt: watch.interrupt.clone(), conflicts, ..Limits::default() };
        let options = Options { explain: false, limits, ..Options::default() };
        let request = Request { task: &task, model, engine: Engine::Axiomatic, options };
        request.answer().map(|answer| with_reason(answer, watch))
    });
    Ok(answered?)
}

fn figures(answer: &Answer) -> Checked {
    let outcome = &answer.outcome;
    let observations = answer.shown("").test().and_then(|test| test.observations).unwrap_or_default();
    let figure = |name: &str| outcome.statistics.figures.iter().find(|(own, _)| own == name).map_or(0, |(_, n)| *n);
    let (verdict, reason) = match &outcome.verdict {
        Verdict::Holds if outcome.vacuous || outcome.endless => {
            ("unknown", Some("the test has no execution".to_string()))
        }
        Verdict::Holds => ("pass", None),
        Verdict::Violated => ("fail", outcome.failure.as_ref().map(|failure| failure.message.clone())),
        Verdict::Unknown(reason) => ("unknown", Some(reason.clone())),
        Verdict::Allowed | Verdict::Forbidden => ("unknown", Some("no answer about a bounded test".to_string())),
    };
    Checked {
        verdict: verdict.into(),
        reason,
        unbounded: !outcome.bounds.exceeded.is_empty(),
        events: figure("events"),
        variables: figure("variables"),
        clauses: figure("clauses"),
        observations: observations as u64,
        seconds: 0.0,
    }
}

fn no_verdict(reason: String) -> Checked {
    Checked { verdict: "-".into(), reason: Some(reason), ..Checked::default() }
}

/// A test as it stands in its file.
fn test_of(data_type: &str, define: Option<&str>, notation: &str) -> Result<Test, Failure> {
    Ok(Test::of(&unit(data_type, define)?, notation, None)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_8_4_is_whole_and_its_tests_can_be_read() {
        let entries = entries().unwrap_or_else(|failure| panic!("{}", failure.summary()));
        assert_eq!(entries.len(), 41);
        for entry in &entries {
            let test = test_of(&entry.data_type, None, &entry.notation);
            let test = test.unwrap_or_else(|failure| panic!("{}: {}", entry.data_type, failure.summary()));
            let threads = entry.notation.matches('|').count() + 1;
            assert_eq!(test.program.threads.len(), threads, "{}", entry.notation);
        }
    }
}
