//! The tables of MemSAT (Torlak, Vaziri, Dolby, PLDI 2010).

use std::collections::BTreeMap;

use palisade::{Engine, Model, Options, Property, Refusal, Request, Task};
use program::{Outcome, Verdict};
use report::answer::verdict_word;
use serde_json::json;

use crate::bench::{Bench, INTERRUPTED, fill};
use crate::data::{keep_only, rows, summary};
use crate::table::{Columns, Part, Row, Sums, Table, mark, round};
use crate::{Published, programs};

/// A row of a table's file: a test under a model.
struct Entry {
    /// The test as the paper names it.
    test: String,
    /// Name of our program.
    program: String,
    /// Name of our model.
    model: String,
    /// The verdict that the tests' authors expect.
    expected: String,
    /// The verdict that the paper found.
    verdict: String,
    /// Its time.
    seconds: u64,
    /// Variables and clauses of its SAT problem.
    variables: u64,
    clauses: u64,
    /// How often loops are unrolled.
    unroll: Option<u32>,
}

/// Our figures.
#[derive(Clone, Default)]
struct Ours {
    /// The verdict; `-` if there is none.
    verdict: String,
    /// Why there is no verdict.
    reason: Option<String>,
    /// If the verdict is about executions in which loops have at most so many iterations: how many.
    iterations: Option<u32>,
    evidence: Option<Evidence>,
    /// Processor time, from the class file to the evidence.
    seconds: f64,
    /// Variables and clauses of our SAT problem.
    variables: u64,
    clauses: u64,
}

/// What a verdict rests on.
#[derive(Clone, Copy)]
enum Evidence {
    Witness,
    /// A core with so many members.
    Core(usize),
}

type Filled = (Entry, Ours);

/// A table of the paper.
pub fn table<B: Bench>(published: &Published, only: Option<&str>, bench: &B) -> Result<Table, Refusal> {
    let mut entries = entries(published)?;
    keep_only(&mut entries, only, |entry| vec![entry.test.clone(), entry.model.clone(), entry.program.clone()])?;
    let models = models_of(&entries)?;
    let work = |entry: &Entry| solve(entry, &models, bench);
    let filled = fill(bench, entries, work, || missing(INTERRUPTED.into()))?;
    Ok(shown(published, &filled))
}

fn entries(published: &Published) -> Result<Vec<Entry>, Refusal> {
    rows(published.file, programs::figures(published.file)?, entry)
}

fn entry(fields: &[&str]) -> Option<Entry> {
    let [test, program, model, expected, verdict, seconds, variables, clauses, unroll] = *fields else { return None };
    let is_verdict = |word: &str| word == "allowed" || word == "forbidden";
    if !is_verdict(expected) || !is_verdict(verdict) {
        return None;
    }
    Some(Entry {
        test: test.into(),
        program: program.into(),
        model: model.into(),
        expected: expected.into(),
        verdict: verdict.into(),
        seconds: seconds.parse().ok()?,
        variables: variables.parse().ok()?,
        clauses: clauses.parse().ok()?,
        unroll: if unroll == "-" { None } else { Some(unroll.parse().ok()?) },
    })
}

fn models_of(entries: &[Entry]) -> Result<BTreeMap<String, Model>, Refusal> {
    let mut loaded = BTreeMap::new();
    for Entry { model, .. } in entries {
        if !loaded.contains_key(model) {
            loaded.insert(model.clone(), Model::named(model)?);
        }
    }
    Ok(loaded)
}

/// Our figures for a row: the verdict on MemSAT's question, with the evidence.
fn solve<B: Bench>(entry: &Entry, models: &BTreeMap<String, Model>, bench: &B) -> Ours {
    let (outcome, seconds) = bench.timed(|| outcome(entry, models, bench));
    let ours = match outcome {
        Ok(outcome) => figures(&outcome, entry.unroll),
        Err(refusal) => missing(summary(&refusal)),
    };
    Ours { seconds, ..ours }
}

fn outcome<B: Bench>(entry: &Entry, models: &BTreeMap<String, Model>, bench: &B) -> Result<Outcome, Refusal> {
    let lacks = || Refusal::Question(format!("there is no {}", entry.model));
    let model = models.get(&entry.model).ok_or_else(lacks)?;
    let task = Task::Litmus(programs::java(&entry.program)?, Property::Possible);
    let (answer, ended) = bench.search(|limits| {
        let default = Options::default();
        let unroll = entry.unroll.unwrap_or(default.unroll);
        let options = Options { unroll, limits, ..default };
        Request { task: &task, model, engine: Engine::Axiomatic, options }.answer()
    });
    Ok(answer?.ended_because(ended).outcome)
}

/// An answer's figures. The paper's verdict on a test with a loop is about executions within its bound; so is ours then,
/// although the loop can have more iterations, which leaves the question as such open.
fn figures(outcome: &Outcome, bound: Option<u32>) -> Ours {
    let figure = |name: &str| outcome.statistics.figures.iter().find(|(own, _)| own == name).map_or(0, |(_, n)| *n);
    let core = outcome.core.as_ref().map(|core| Evidence::Core(core.members.len()));
    let iterations = bound.filter(|_| core.is_some() && !outcome.bounds.exceeded.is_empty());
    Ours {
        verdict: if iterations.is_some() { "forbidden" } else { verdict_word(&outcome.verdict) }.into(),
        reason: match &outcome.verdict {
            Verdict::Unknown(reason) if iterations.is_none() => Some(reason.clone()),
            _ => None,
        },
        iterations,
        evidence: outcome.witness.as_ref().map(|_| Evidence::Witness).or(core),
        variables: figure("variables"),
        clauses: figure("clauses"),
        seconds: 0.0,
    }
}

fn missing(reason: String) -> Ours {
    Ours { verdict: "-".into(), reason: Some(reason), ..Ours::default() }
}

fn agrees((entry, ours): &Filled) -> bool {
    entry.verdict == ours.verdict
}

/// The table: the paper's figures and ours in turn, and sums by model.
fn shown(published: &Published, filled: &[Filled]) -> Table {
    let columns = Columns::<Filled>::new()
        .left("test", |(entry, _)| entry.test.clone())
        .left("model", |(entry, _)| entry.model.clone())
        .left("paper", |(entry, _)| {
            let surprise = if entry.expected == entry.verdict { "" } else { " (*)" };
            format!("{}{surprise}", entry.verdict)
        })
        .left("ours", |(_, ours)| ours.verdict.clone())
        .left("by", |(_, ours)| match ours.evidence {
            Some(Evidence::Core(members)) => format!("core of {members}"),
            Some(Evidence::Witness) => "witness".into(),
            None => "-".into(),
        })
        .right("s", |(entry, _)| entry.seconds.to_string())
        .right("ours", |(_, ours)| format!("{:.3}", ours.seconds))
        .right("variables", |(entry, _)| entry.variables.to_string())
        .right("ours", |(_, ours)| ours.variables.to_string())
        .right("clauses", |(entry, _)| entry.clauses.to_string())
        .right("ours", |(_, ours)| ours.clauses.to_string())
        .left("", |row| mark(agrees(row)));
    let part = Part::of(None, columns, filled, row);
    Table { sums: Some(sums(filled)), agreement: "verdicts agree", ..Table::new(published, vec![part]) }
}

/// Sums by model, in the order of the table.
fn sums(filled: &[Filled]) -> Sums {
    let mut models: Vec<(&str, Vec<&Filled>)> = Vec::new();
    for row in filled {
        match models.iter_mut().find(|(model, _)| *model == row.0.model) {
            Some((_, rows)) => rows.push(row),
            None => models.push((&row.0.model, vec![row])),
        }
    }
    type Of<'r> = (&'r str, Vec<&'r Filled>);
    let total = |of: fn(&Filled) -> u64| move |(_, rows): &Of| rows.iter().map(|row| of(row)).sum::<u64>().to_string();
    let columns = Columns::<Of>::new()
        .left("model", |(model, _)| model.to_string())
        .right("agree", |(_, rows)| format!("{}/{}", rows.iter().filter(|row| agrees(row)).count(), rows.len()))
        .right("s", total(|(entry, _)| entry.seconds))
        .right("ours", |(_, rows)| format!("{:.3}", rows.iter().map(|(_, ours)| ours.seconds).sum::<f64>()))
        .right("slowest", |(_, rows)| format!("{:.3}", rows.iter().map(|(_, ours)| ours.seconds).fold(0.0, f64::max)))
        .right("variables", total(|(entry, _)| entry.variables))
        .right("ours", total(|(_, ours)| ours.variables))
        .right("clauses", total(|(entry, _)| entry.clauses))
        .right("ours", total(|(_, ours)| ours.clauses));
    let is_surprising = filled.iter().any(|(entry, _)| entry.expected != entry.verdict);
    Sums::of(is_surprising.then_some("(*) The tests' authors expect otherwise."), columns, &models)
}

/// `paper` and `ours` have `verdict`, `seconds`, `variables`, `clauses`; `paper` also `expected`, `ours` also `evidence`,
/// `core_members`, `reason` and `within_rounds`.
fn row(filled: &Filled) -> Row {
    let (entry, ours) = filled;
    let evidence = ours.evidence.map(|evidence| match evidence {
        Evidence::Witness => "witness",
        Evidence::Core(_) => "core",
    });
    let mut own = json!({
        "verdict": ours.verdict,
        "seconds": round(ours.seconds),
        "variables": ours.variables,
        "clauses": ours.clauses,
        "evidence": evidence,
    });
    if let Some(Evidence::Core(members)) = ours.evidence {
        own["core_members"] = json!(members);
    }
    if let Some(iterations) = ours.iterations {
        own["within_rounds"] = json!(iterations);
    }
    if let Some(reason) = &ours.reason {
        own["reason"] = json!(reason);
    }
    Row {
        name: format!("{} {}", entry.test, entry.model),
        about: vec![("test", json!(entry.test)), ("model", json!(entry.model))],
        paper: json!({
            "verdict": entry.verdict,
            "expected": entry.expected,
            "seconds": entry.seconds,
            "variables": entry.variables,
            "clauses": entry.clauses,
        }),
        ours: own,
        agrees: agrees(filled),
        seconds: ours.seconds,
        note: note(ours).map(|note| format!("{} under {}: {note}", entry.test, entry.model)),
        cells: Vec::new(),
    }
}

/// What must be known about a row beyond its cells.
fn note(ours: &Ours) -> Option<String> {
    let bound = ours.iterations.map(|iterations| {
        let iterations = if iterations == 1 { "1 iteration".into() } else { format!("{iterations} iterations") };
        format!("within {iterations} of each loop, as in the paper; the loop can have more iterations")
    });
    ours.reason.clone().or(bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn of_table(name: &str) -> &'static Published {
        crate::named(name).expect("a table")
    }

    #[test]
    fn the_tables_are_whole() {
        for (name, rows, surprises) in [("memsat-1", 75, 4), ("memsat-2", 60, 3)] {
            let entries = entries(of_table(name)).unwrap_or_else(|refusal| panic!("{refusal}"));
            assert_eq!(entries.len(), rows, "{name}");
            let surprising = |entry: &&Entry| entry.expected != entry.verdict;
            assert_eq!(entries.iter().filter(surprising).count(), surprises, "{name}");
            for entry in &entries {
                assert!(programs::java(&entry.program).is_ok(), "{}", entry.program);
                assert!(Model::named(&entry.model).is_ok(), "{}", entry.model);
            }
        }
    }

    fn example() -> Table {
        let entry = |test: &str, expected: &str| Entry {
            test: test.into(),
            program: String::new(),
            model: "causal".into(),
            expected: expected.into(),
            verdict: "allowed".into(),
            seconds: 2,
            variables: 1030,
            clauses: 1649,
            unroll: None,
        };
        let ours = Ours {
            verdict: "allowed".into(),
            evidence: Some(Evidence::Witness),
            seconds: 0.0125,
            variables: 100,
            clauses: 300,
            reason: None,
            iterations: Some(1),
        };
        let other = Ours {
            verdict: "unknown".into(),
            reason: Some("the time limit of 1 s was reached".into()),
            ..Ours::default()
        };
        let published = Published { title: "Table 1", ..*of_table("memsat-1") };
        shown(&published, &[(entry("1", "allowed"), ours), (entry("11", "forbidden"), other)])
    }

    #[test]
    fn figures_stand_beside_each_other() {
        expect![[r#"
            Table 1

            test  model   paper        ours     by       s   ours  variables  ours  clauses  ours
            ----  ------  -----------  -------  -------  -  -----  ---------  ----  -------  ----  -------
            1     causal  allowed      allowed  witness  2  0.013       1030   100     1649   300  agrees
            11    causal  allowed (*)  unknown  -        2  0.000       1030     0     1649     0  DIFFERS

            (*) The tests' authors expect otherwise.

            model   agree  s   ours  slowest  variables  ours  clauses  ours
            ------  -----  -  -----  -------  ---------  ----  -------  ----
            causal    1/2  4  0.013    0.013       2060   100     3298   300

            1 of 2 verdicts agree.
            Processor time 0.01 s, wall time 0.50 s.
            1 under causal: within 1 iteration of each loop, as in the paper; the loop can have more iterations
            11 under causal: the time limit of 1 s was reached
        "#]]
        .assert_eq(&example().text(0.5));
    }

    #[test]
    fn scripts_get_every_row() {
        expect![[r#"
            {"schema":1,"table":"memsat-1","title":"Table 1","rows":[{"row":"1 causal","test":"1","model":"causal","paper":{"verdict":"allowed","expected":"allowed","seconds":2,"variables":1030,"clauses":1649},"ours":{"verdict":"allowed","seconds":0.0125,"variables":100,"clauses":300,"evidence":"witness","within_rounds":1},"agrees":true},{"row":"11 causal","test":"11","model":"causal","paper":{"verdict":"allowed","expected":"forbidden","seconds":2,"variables":1030,"clauses":1649},"ours":{"verdict":"unknown","seconds":0.0,"variables":0,"clauses":0,"evidence":null,"reason":"the time limit of 1 s was reached"},"agrees":false}],"agree":1,"total":2,"wall_seconds":0.5}
        "#]].assert_eq(&example().json(0.5));
    }
}
