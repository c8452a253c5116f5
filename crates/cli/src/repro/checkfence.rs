//! The tables of the CheckFence thesis (Burckhardt, Memory model sensitive analysis of concurrent data types, 2007,
//! chapter 8): five concurrent data types, checked by bounded tests.

pub mod issues;
pub mod statistics;

use axiomatic::{Model, Options};
use cpu_time::ThreadTime;
use frontend::c::Unit;
use program::{Outcome, Verdict};
use report::repro::Checked;

use crate::answer::with_reason;
use crate::arguments::Bounds;
use crate::c::{self, Test};
use crate::failure::Failure;
use crate::input::verified;
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
fn check(test: impl FnOnce() -> Result<Test, Failure>, model: &Model, budget: &sat::Budget) -> Checked {
    let start = ThreadTime::now();
    let outcome = test().and_then(|test| outcome(&test, model, budget));
    let mut checked = match outcome {
        Ok(outcome) => figures(&outcome),
        Err(failure) => no_verdict(failure.summary()),
    };
    checked.seconds = start.elapsed().as_secs_f64();
    checked
}

/// The answer for a test, its serial executions being the specification.
fn outcome(test: &Test, model: &Model, budget: &sat::Budget) -> Result<Outcome, Failure> {
    let outcome = watched(|watch| {
        let budget = sat::Budget { interrupt: watch.interrupt.clone(), ..budget.clone() };
        let options = Options { explain: false, budget, ..Options::default() };
        c::check(test, model, Bounds::default(), &options, watch).map(|outcome| with_reason(outcome, watch))
    });
    outcome.map_err(|unsupported| Failure::unsupported(&test.program, unsupported))
}

fn figures(outcome: &Outcome) -> Checked {
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
        observations: figure("serial observations"),
        seconds: 0.0,
    }
}

fn no_verdict(reason: String) -> Checked {
    Checked { verdict: "-".into(), reason: Some(reason), ..Checked::default() }
}

/// A test as it stands in its file.
fn test_of(data_type: &str, define: Option<&str>, notation: &str) -> Result<Test, Failure> {
    Ok(Test { program: verified(unit(data_type, define)?.test(notation)?)?, reference: None })
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
