//! The tables of the CheckFence thesis (Burckhardt, Memory model sensitive analysis of concurrent data types, 2007,
//! chapter 8): five concurrent data types, checked by bounded tests.

pub mod figures;
pub mod issues;
pub mod statistics;

use frontend::c::Unit;
use palisade::{Answer, Engine, Limits, Model, Options, Refusal, Request, Task, Test};
use program::Verdict;
use serde_json::{Value as Json, json};

use crate::bench::Bench;
use crate::data::{rows, summary};
use crate::programs;
use crate::table::round;

/// A row of figure 8.4: a bounded test of a data type, and the thesis's figures.
struct Entry {
    data_type: String,
    test: String,
    notation: String,
    /// Loads and stores in the unrolled test of the thesis.
    loads: u64,
    stores: u64,
    /// Variables and clauses of its SAT problem.
    variables: u64,
    clauses: u64,
    /// Its time.
    seconds: f64,
}

/// Figure 8.4 in the order of the thesis.
fn entries() -> Result<Vec<Entry>, Refusal> {
    let file = "checkfence/figure8-4.tsv";
    rows(file, programs::figures(file)?, entry)
}

fn entry(fields: &[&str]) -> Option<Entry> {
    let [data_type, test, notation, loads, stores, variables, clauses, seconds] = *fields else { return None };
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

/// A data type, in the variant that a macro makes of it.
fn unit(data_type: &str, define: Option<&str>) -> Result<Unit, Refusal> {
    let defines: Vec<(String, String)> = define.iter().map(|name| (name.to_string(), "1".into())).collect();
    programs::c(&format!("{data_type}.c"), &defines)
}

/// A test as it stands in its file.
fn test_of(data_type: &str, define: Option<&str>, notation: &str) -> Result<Test, Refusal> {
    Test::of(&unit(data_type, define)?, notation, None)
}

/// Our figures for a bounded test.
#[derive(Clone, Debug, Default, PartialEq)]
struct Checked {
    /// `pass`, `fail` or `unknown`; `-` if there is none.
    verdict: String,
    /// What fails, or why there is no verdict.
    reason: Option<String>,
    /// Whether there is none because some loop can have more iterations than are tried.
    unbounded: bool,
    /// Events that are possible in the unrolled test.
    events: u64,
    /// Variables and clauses of our SAT problem.
    variables: u64,
    clauses: u64,
    /// How many observations the serial executions show.
    observations: u64,
    /// Processor time, from the source to the verdict.
    seconds: f64,
}

impl Checked {
    fn missing(reason: String) -> Checked {
        Checked { verdict: "-".into(), reason: Some(reason), ..Checked::default() }
    }

    /// `verdict`, `reason` if there is one, `events`, `variables`, `clauses`, `observations`, `seconds`.
    fn json(&self) -> Json {
        let mut object = json!({ "verdict": self.verdict });
        if let Some(reason) = &self.reason {
            object["reason"] = json!(reason);
        }
        object["events"] = json!(self.events);
        object["variables"] = json!(self.variables);
        object["clauses"] = json!(self.clauses);
        object["observations"] = json!(self.observations);
        object["seconds"] = json!(round(self.seconds));
        object
    }
}

/// Reads and checks a bounded test, and measures all of it: reading, running serially, unrolling, solving.
fn check<B: Bench>(
    test: impl FnOnce() -> Result<Test, Refusal>,
    model: &Model,
    conflicts: Option<u64>,
    bench: &B,
) -> Checked {
    let (answer, seconds) = bench.timed(|| answer(test()?, model, conflicts, bench));
    let checked = match answer {
        Ok(answer) => checked(&answer),
        Err(refusal) => Checked::missing(summary(&refusal)),
    };
    Checked { seconds, ..checked }
}

/// The answer for a test, its serial executions being the specification.
fn answer<B: Bench>(test: Test, model: &Model, conflicts: Option<u64>, bench: &B) -> Result<Answer, Refusal> {
    let task = Task::Test(test);
    let (answer, ended) = bench.search(|limits| {
        let limits = Limits { conflicts, ..limits };
        let options = Options { explain: false, limits, ..Options::default() };
        Request { task: &task, model, engine: Engine::Axiomatic, options }.answer()
    });
    Ok(answer?.ended_because(ended))
}

fn checked(answer: &Answer) -> Checked {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_8_4_is_whole_and_its_tests_can_be_read() {
        let entries = entries().unwrap_or_else(|refusal| panic!("{refusal}"));
        assert_eq!(entries.len(), 41);
        for entry in &entries {
            let test = test_of(&entry.data_type, None, &entry.notation);
            let test = test.unwrap_or_else(|refusal| panic!("{}: {refusal}", entry.data_type));
            let threads = entry.notation.matches('|').count() + 1;
            assert_eq!(test.program.threads.len(), threads, "{}", entry.notation);
        }
    }
}
