//! The tables of MemSAT (Torlak, Vaziri, Dolby, PLDI 2010).

use std::collections::BTreeMap;
use std::time::Instant;

use cpu_time::ThreadTime;
use frontend::jvm::{self, ClassFile};
use palisade::task::verified;
use palisade::{Engine, Model, Options, Property, Request, Task};
use program::{Outcome, Verdict, Verified};
use report::answer::verdict_word;
use report::repro::{Ours, Published, Row, Table, json, text};

use super::{Printed, keep_only, print};
use crate::answer::with_reason;
use crate::arguments::{self, Repro};
use crate::failure::Failure;
use crate::limits::{Guard, watched};
use crate::parallel;

/// A program that is part of the binary.
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// Its class file.
    pub class: &'static [u8],
    /// Its source.
    pub source: &'static str,
}

macro_rules! programs {
    ($($name:literal)*) => {
        &[$(Program {
            name: $name,
            class: include_bytes!(concat!("../../../../suites/java/", $name, ".class")),
            source: include_str!(concat!("../../../../suites/java/", $name, ".java")),
        }),*]
    };
}

/// The programs that the tables speak of.
pub const PROGRAMS: &[Program] = programs! {
    "Nemos01" "Nemos02" "Nemos03" "Nemos04" "Nemos05" "Nemos06" "Nemos07" "Nemos08" "Nemos09" "Nemos10"
    "Nemos11" "Nemos12" "Nemos13" "Nemos14" "Nemos15"
    "TC01" "TC02" "TC03" "TC04" "TC05" "TC06" "TC07" "TC08" "TC09" "TC09a" "TC10"
    "TC11" "TC12" "TC13" "TC14" "TC15" "TC16" "TC17" "TC18" "TC19" "TC20"
    "T1" "T1t" "T2" "T2t" "T3" "T3t" "T4" "T4t" "T5" "T5t"
};

/// A row of a table's file.
struct Entry {
    paper: Published,
    /// Name of our program.
    program: String,
    /// How often its loops are unrolled.
    unroll: Option<u32>,
}

/// A table of the paper.
pub fn table(arguments: &Repro) -> Result<Printed, Failure> {
    let _guard = Guard::start(arguments.limits)?;
    let start = Instant::now();
    let (name, title, data) = data(arguments.table);
    let mut entries = entries(data).map_err(|what| Failure::Message(format!("the table {name}: {what}")))?;
    if let Some(part) = &arguments.only {
        let names = |entry: &Entry| vec![entry.paper.test.clone(), entry.paper.model.clone(), entry.program.clone()];
        keep_only(&mut entries, part, names)?;
    }
    let models = models_of(&entries)?;
    let work = |entry: &Entry| solve(entry, &models, arguments);
    let found = parallel::map(&entries, arguments.jobs, "rows", work)?;
    let ours = found.into_iter().map(|ours| ours.unwrap_or_else(|| missing("interrupted".into())));
    let rows: Vec<Row> = entries.into_iter().zip(ours).map(|(entry, ours)| Row { paper: entry.paper, ours }).collect();
    let all_agree = rows.iter().all(Row::agrees);
    let wall_seconds = start.elapsed().as_secs_f64();
    let table = Table { name: name.into(), title: title.into(), rows, wall_seconds };
    Ok(Printed { text: print(arguments.format, &table, text, json), all_agree })
}

/// A table's name, what it is, and its file.
fn data(table: arguments::Table) -> (&'static str, &'static str, &'static str) {
    if table == arguments::Table::Memsat1 {
        return (
            "memsat-1",
            "MemSAT (Torlak, Vaziri, Dolby, PLDI 2010), Table 1: five classic memory models on the Nemos tests.",
            include_str!("../../../../repro/memsat/table1.tsv"),
        );
    }
    (
        "memsat-2",
        "MemSAT (Torlak, Vaziri, Dolby, PLDI 2010), Table 2: the original and the revised Java memory model.",
        include_str!("../../../../repro/memsat/table2.tsv"),
    )
}

fn entries(data: &str) -> Result<Vec<Entry>, String> {
    let lines = data.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines.map(|(index, line)| entry(line).ok_or_else(|| format!("line {} is not a row", index + 1))).collect()
}

fn entry(line: &str) -> Option<Entry> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [test, program, model, expected, verdict, seconds, variables, clauses, unroll] = fields[..] else {
        return None;
    };
    let is_verdict = |word: &str| word == "allowed" || word == "forbidden";
    if !is_verdict(expected) || !is_verdict(verdict) {
        return None;
    }
    let paper = Published {
        test: test.into(),
        model: model.into(),
        expected: expected.into(),
        verdict: verdict.into(),
        seconds: seconds.parse().ok()?,
        variables: variables.parse().ok()?,
        clauses: clauses.parse().ok()?,
    };
    let unroll = if unroll == "-" { None } else { Some(unroll.parse().ok()?) };
    Some(Entry { paper, program: program.into(), unroll })
}

fn models_of(entries: &[Entry]) -> Result<BTreeMap<String, Model>, Failure> {
    let mut loaded = BTreeMap::new();
    for entry in entries {
        let name = &entry.paper.model;
        if !loaded.contains_key(name) {
            loaded.insert(name.clone(), Model::named(name)?);
        }
    }
    Ok(loaded)
}

/// A program that the binary carries with it: its class file and its source.
pub fn embedded(name: &str, bytes: &[u8], source: &str) -> Result<Verified, Failure> {
    let file = ClassFile {
        name: format!("{name}.class"),
        bytes: bytes.to_vec(),
        source: Some((format!("{name}.java"), source.to_string())),
    };
    Ok(verified(jvm::load(&[file], &jvm::Options { class: Some(name.into()) })?.program)?)
}

/// Our figures for a row: the verdict on MemSAT's question, with the evidence.
fn solve(entry: &Entry, models: &BTreeMap<String, Model>, arguments: &Repro) -> Ours {
    let start = ThreadTime::now();
    let mut ours = match outcome(entry, models, arguments) {
        Ok(outcome) => figures(&outcome, entry.unroll),
        Err(failure) => missing(failure.summary()),
    };
    ours.seconds = start.elapsed().as_secs_f64();
    ours
}

fn outcome(entry: &Entry, models: &BTreeMap<String, Model>, arguments: &Repro) -> Result<Outcome, Failure> {
    let lacks = |what: &str| Failure::Message(format!("there is no {what}"));
    let model = models.get(&entry.paper.model).ok_or_else(|| lacks(&entry.paper.model))?;
    let known = PROGRAMS.iter().find(|program| program.name == entry.program);
    let Program { name, class, source } = known.ok_or_else(|| lacks(&entry.program))?;
    let task = Task::Litmus(embedded(name, class, source)?, Property::Possible);
    let answered = watched(|watch| {
        let default = Options::default();
        let unroll = entry.unroll.unwrap_or(default.unroll);
        let options = Options { unroll, limits: watch.limits(arguments.limits), ..default };
        let request = Request { task: &task, model, engine: Engine::Axiomatic, options };
        request.answer().map(|answer| with_reason(answer, watch))
    });
    Ok(answered?.outcome)
}

/// An answer's figures. The paper's verdict on a test with a loop is about executions within its bound; so is ours then,
/// although the loop can go round more often, which leaves the question as such open.
fn figures(outcome: &Outcome, bound: Option<u32>) -> Ours {
    let figure = |name: &str| outcome.statistics.figures.iter().find(|(own, _)| own == name).map_or(0, |(_, n)| *n);
    let witness = outcome.witness.as_ref().map(|witness| ("witness", witness.events.len()));
    let core = outcome.core.as_ref().map(|core| ("core", core.members.len()));
    let rounds = bound.filter(|_| core.is_some() && !outcome.bounds.exceeded.is_empty());
    Ours {
        verdict: if rounds.is_some() { "forbidden" } else { verdict_word(&outcome.verdict) }.into(),
        reason: match &outcome.verdict {
            Verdict::Unknown(reason) if rounds.is_none() => Some(reason.clone()),
            _ => None,
        },
        rounds,
        evidence: witness.or(core),
        variables: figure("variables"),
        clauses: figure("clauses"),
        seconds: 0.0,
    }
}

fn missing(reason: String) -> Ours {
    Ours { verdict: "-".into(), reason: Some(reason), ..Ours::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Table;

    #[test]
    fn the_tables_are_whole() {
        for (table, rows, surprises) in [(Table::Memsat1, 75, 4), (Table::Memsat2, 60, 3)] {
            let (name, _, data) = data(table);
            let entries = entries(data).unwrap_or_else(|what| panic!("{name}: {what}"));
            assert_eq!(entries.len(), rows, "{name}");
            let surprising = |entry: &&Entry| entry.paper.expected != entry.paper.verdict;
            assert_eq!(entries.iter().filter(surprising).count(), surprises, "{name}");
            for entry in &entries {
                assert!(PROGRAMS.iter().any(|program| program.name == entry.program), "{}", entry.program);
                assert!(Model::named(&entry.paper.model).is_ok(), "{}", entry.paper.model);
            }
        }
    }
}
