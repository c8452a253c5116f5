//! The tables of "Maximal causality reduction for TSO and PSO" (Huang and Huang, 2016), and families of programs that grow.
//!
//! The paper's programs are not published as they were run, so its counts stand beside ours and are not judged. A row is right if
//! the number of classes and the verdict are those that the table's file demands, and every execution gave a class of its own.

pub mod programs;

use mcr::Options;
use mcr::histories::explore::{Alone, Budget};
use operational::{Machine, Rules};
use palisade::task::verified;
use palisade::{Limits, Refusal};
use program::{Unsupported, Verdict, Verified};
use serde_json::{Value as Json, json};

use crate::bench::{Bench, INTERRUPTED, fill};
use crate::data::{keep_only, rows, summary};
use crate::table::{Columns, Part, Row, Table, mark, round};
use crate::{Published, programs as embedded};

/// More executions than this are not run for a row.
const MOST_EXECUTIONS: u64 = 50_000;

/// What a row demands of our figures besides the verdict.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Demand {
    /// So many classes.
    Classes(u64),
    /// A failure within so many executions.
    Until(u64),
    Nothing,
}

/// A row of a table's file.
struct Entry {
    test: String,
    program: String,
    machine: Machine,
    /// The published figures, as they stand there.
    published: Vec<String>,
    demand: Demand,
    /// Whether some execution fails.
    fails: bool,
    /// Whether the program was given in place of ours.
    is_given: bool,
}

/// Programs that are given in place of ours, by their names in the table; `None` is ours.
pub type Given<'g> = dyn Fn(&str) -> Option<Result<Verified, Refusal>> + Sync + 'g;

/// What a table's file consists of.
struct Entries {
    /// The names of the published figures.
    headers: Vec<String>,
    rows: Vec<Entry>,
}

/// Our figures for a row.
#[derive(Clone, Default)]
struct Ours {
    /// Executions until a failure was met.
    until: Option<u64>,
    fails: Option<bool>,
    /// Whether all classes were found.
    is_whole: bool,
    executions: u64,
    classes: u64,
    redundant: u64,
    queries: u64,
    races: Option<Races>,
    /// Processor time of finding all classes.
    seconds: f64,
    reason: Option<String>,
}

/// Data races.
#[derive(Clone, Copy)]
struct Races {
    found: usize,
    /// Whether there are no others.
    are_all: bool,
}

type Filled = (Entry, Ours);

/// A table of the paper, or the families of programs.
pub fn table<B: Bench>(published: &Published, only: Option<&str>, given: &Given, bench: &B) -> Result<Table, Refusal> {
    let Entries { headers, mut rows } = entries(published)?;
    keep_only(&mut rows, only, |row| vec![row.test.clone(), row.program.clone(), row.machine.name().into()])?;
    rows.iter_mut().for_each(|row| row.is_given = given(&row.program).is_some());
    let missing = || Ours { reason: Some(INTERRUPTED.into()), ..Ours::default() };
    let looks_for_races = has_races(&headers);
    let filled = fill(bench, rows, |entry| solve(entry, looks_for_races, given, bench), missing)?;
    Ok(shown(published, &headers, &filled))
}

fn has_races(headers: &[String]) -> bool {
    headers.iter().any(|header| header == "races")
}

fn entries(published: &Published) -> Result<Entries, Refusal> {
    let (file, text) = (published.file, embedded::figures(published.file)?);
    let wrong = |what: &str| Refusal::Question(format!("{file}: {what}"));
    let header = text.lines().find_map(|line| line.strip_prefix("# test\t"));
    let headers: Vec<&str> = header.ok_or_else(|| wrong("there is no line of headers"))?.split('\t').collect();
    let ["program", "machine", shown @ .., demand, "failure"] = &headers[..] else {
        return Err(wrong("the line of headers is not understood"));
    };
    let rows = rows(file, text, |fields| entry(fields, demand))?;
    Ok(Entries { headers: shown.iter().map(ToString::to_string).collect(), rows })
}

fn entry(fields: &[&str], demanded: &str) -> Option<Entry> {
    let [test, program, machine, published @ .., demand, failure] = fields else { return None };
    let demand = match (demanded, *demand) {
        (_, "-") => Demand::Nothing,
        ("classes", figure) => Demand::Classes(figure.parse().ok()?),
        ("until", figure) => Demand::Until(figure.parse().ok()?),
        _ => return None,
    };
    let fails = match *failure {
        "found" => true,
        "none" => false,
        _ => return None,
    };
    Some(Entry {
        test: test.to_string(),
        program: program.to_string(),
        machine: Machine::named(machine)?,
        published: published.iter().map(ToString::to_string).collect(),
        demand,
        fails,
        is_given: false,
    })
}

/// The program `java/Name`, or `c/name NAME=VALUE ...`.
fn program(name: &str) -> Result<Verified, Refusal> {
    if let Some(name) = name.strip_prefix("java/") {
        return embedded::java(&format!("mcr/{name}"));
    }
    let mut words = name.strip_prefix("c/").unwrap_or(name).split(' ');
    let file = words.next().unwrap_or_default();
    let define = |word: &str| word.split_once('=').map(|(name, value)| (name.to_string(), value.to_string()));
    let defines: Vec<(String, String)> = words.filter_map(define).collect();
    verified(embedded::c(&format!("mcr/{file}.c"), &defines)?.program()?)
}

fn solve<B: Bench>(entry: &Entry, looks_for_races: bool, given: &Given, bench: &B) -> Ours {
    let figures = given(&entry.program).unwrap_or_else(|| program(&entry.program)).and_then(|program| {
        let ours = explore(&program, entry.machine, bench);
        let ours = ours.map_err(|unsupported| Refusal::unsupported(&program, unsupported))?;
        Ok(Ours { races: if looks_for_races { races(&program, entry.machine, bench) } else { None }, ..ours })
    });
    figures.unwrap_or_else(|refusal| Ours { reason: Some(summary(&refusal)), ..Ours::default() })
}

fn options(limits: &Limits, exhaustive: bool) -> Options {
    let budget = Budget { executions: MOST_EXECUTIONS, ..Budget::default() };
    Options { limits: limits.of_search(), budget, exhaustive, ..Options::default() }
}

/// Our figures: once until a failure is met, once for all classes.
fn explore<B: Bench>(program: &Verified, machine: Machine, bench: &B) -> Result<Ours, Unsupported> {
    let (first, _) = bench.search(|limits| mcr::check(program, machine, &options(&limits, false)));
    let first = first?;
    let all = || bench.search(|limits| mcr::check(program, machine, &options(&limits, true)));
    let ((all, reason), seconds) = bench.timed(all);
    let figures = all?.figures;
    let fails = match first.outcome.verdict {
        Verdict::Violated => Some(true),
        Verdict::Holds => Some(false),
        _ => None,
    };
    Ok(Ours {
        until: (fails == Some(true)).then_some(first.figures.executions),
        fails,
        is_whole: reason.is_none() && figures.executions < MOST_EXECUTIONS && fails.is_some(),
        executions: figures.executions,
        classes: figures.classes,
        redundant: figures.redundant,
        queries: figures.queries,
        races: None,
        seconds,
        reason,
    })
}

fn races<B: Bench>(program: &Verified, machine: Machine, bench: &B) -> Option<Races> {
    let (found, _) = bench.search(|limits| {
        let workers = Alone::until(limits.interrupt.clone());
        mcr::histories::race::races(program, machine, Rules::Jmm, &options(&limits, false), &workers)
    });
    let found = found.ok()?.races;
    Some(Races { found: found.races.len(), are_all: found.incomplete.is_none() })
}

fn agrees((entry, ours): &Filled) -> bool {
    if entry.is_given {
        return ours.fails.is_some() && ours.redundant == 0;
    }
    let meets_demand = match entry.demand {
        Demand::Classes(classes) => ours.is_whole && ours.classes == classes,
        Demand::Until(most) => !entry.fails || ours.until.is_some_and(|until| until <= most),
        Demand::Nothing => true,
    };
    meets_demand && ours.fails == Some(entry.fails) && ours.redundant == 0
}

fn shown(published: &Published, headers: &[String], filled: &[Filled]) -> Table {
    let mut columns = Columns::<Filled>::new()
        .left("test", |(entry, _)| format!("{}{}", entry.test, if entry.is_given { " (given)" } else { "" }))
        .left("machine", |(entry, _)| entry.machine.name().into());
    for (index, header) in headers.iter().enumerate() {
        columns = columns.right(header, move |(entry, _)| entry.published.get(index).cloned().unwrap_or_default());
    }
    columns = columns
        .right("to failure", |(_, ours)| match (ours.until, ours.fails) {
            (Some(until), _) => until.to_string(),
            (None, Some(false)) => "none".into(),
            (None, _) => "-".into(),
        })
        .right("executions", |(_, ours)| at_least(ours.executions, ours.is_whole))
        .right("classes", |(_, ours)| at_least(ours.classes, ours.is_whole))
        .right("redundant", |(_, ours)| ours.redundant.to_string())
        .right("queries", |(_, ours)| ours.queries.to_string());
    if has_races(headers) {
        let races = |races: Races| at_least(races.found as u64, races.are_all);
        columns = columns.right("races", move |(_, ours)| ours.races.map_or("-".into(), races));
    }
    columns = columns.right("ms", |(_, ours)| format!("{:.1}", ours.seconds * 1e3)).left("", |row| mark(agrees(row)));
    let part = Part::of(None, columns, filled, |filled| row(headers, filled));
    Table {
        agreement: "rows are as expected",
        remarks: vec![
            "From `to failure` on the figures are ours; published programs may be larger or smaller than ours.",
        ],
        paper_key: "published",
        ..Table::new(published, vec![part])
    }
}

/// A count, which may be too small if it is not of all.
fn at_least(count: u64, is_whole: bool) -> String {
    format!("{}{count}", if is_whole { "" } else { ">=" })
}

/// `published` has the figures by their headers; `ours` has `fails`, `executions_until_failure`, `complete`, `executions`, `classes`,
/// `redundant`, `queries`, `races`, `all_races`, `seconds` and `reason`.
fn row(headers: &[String], filled: &Filled) -> Row {
    let (entry, ours) = filled;
    let machine = entry.machine.name();
    let published = headers.iter().cloned().zip(entry.published.iter().map(|figure| json!(figure)));
    Row {
        name: format!("{} {machine}", entry.test),
        about: vec![
            ("test", json!(entry.test)),
            ("program", json!(entry.program)),
            ("machine", json!(machine)),
            ("given", json!(entry.is_given)),
        ],
        paper: Json::Object(published.collect()),
        ours: json!({
            "fails": ours.fails,
            "executions_until_failure": ours.until,
            "complete": ours.is_whole,
            "executions": ours.executions,
            "classes": ours.classes,
            "redundant": ours.redundant,
            "queries": ours.queries,
            "races": ours.races.map(|races| races.found),
            "all_races": ours.races.map(|races| races.are_all),
            "seconds": round(ours.seconds),
            "reason": ours.reason,
        }),
        agrees: agrees(filled),
        seconds: ours.seconds,
        note: ours.reason.as_ref().map(|reason| format!("{} on {machine}: {reason}", entry.test)),
        cells: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plain;
    use expect_test::expect;

    #[test]
    fn the_tables_are_whole() {
        let tables = [("mcr-1", 12), ("mcr-3", 30), ("mcr-4", 27), ("mcr-5", 15), ("mcr-growth", 29)];
        for (name, count) in tables {
            let published = crate::named(name).expect("a table");
            let Entries { headers, rows } = entries(published).unwrap_or_else(|refusal| panic!("{refusal}"));
            assert_eq!(rows.len(), count, "{name}");
            for row in rows {
                assert_eq!(row.published.len(), headers.len(), "{}", row.test);
                program(&row.program).unwrap_or_else(|refusal| panic!("{refusal}"));
            }
        }
    }

    #[test]
    fn published_counts_stand_beside_ours() {
        let published = crate::named("mcr-1").expect("a table");
        let table = published.compute(Some("N=1"), &Plain).unwrap_or_else(|refusal| panic!("{refusal}"));
        expect![[r#"
            MCR for TSO and PSO, Table 1: its example with 1 to 4 iterations.

            test  machine  DPOR  MCR  to failure  executions  classes  redundant  queries   ms
            ----  -------  ----  ---  ----------  ----------  -------  ---------  -------  ---  ------
            N=1   sc          4    2        none           2        2          0        1  0.0  agrees
            N=1   tso         4    2        none           2        2          0        1  0.0  agrees
            N=1   pso         o   10           2          10       10          0       20  0.0  agrees

            3 of 3 rows are as expected.
            Processor time 0.00 s, wall time 0.00 s.
            From `to failure` on the figures are ours; published programs may be larger or smaller than ours.
        "#]]
        .assert_eq(&table.text(0.0));
    }

    #[test]
    fn too_few_classes_differ() {
        let published = crate::named("mcr-1").expect("a table");
        let entry = || entries(published).ok()?.rows.into_iter().find(|row| row.demand == Demand::Classes(2));
        let entry = || entry().expect("a row with two classes");
        let ours = |classes| Ours { classes, fails: Some(false), is_whole: true, ..Ours::default() };
        assert!(agrees(&(entry(), ours(2))));
        assert!(!agrees(&(entry(), ours(1))));
        assert!(!agrees(&(entry(), Ours { is_whole: false, ..ours(2) })));
        assert!(!agrees(&(entry(), Ours { redundant: 1, ..ours(2) })));
    }
}
