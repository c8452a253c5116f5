//! The tables of "Maximal causality reduction for TSO and PSO" (Huang and Huang, 2016), and families of programs that grow.
//!
//! The paper's programs are not published as they were run, so its counts stand beside ours and are not judged. A row is right if
//! the number of classes and the verdict are those that the table's file demands, and every execution gave a class of its own.

use std::time::Instant;

use cpu_time::ThreadTime;
use operational::mcr::explore::{Alone, Budget};
use operational::mcr::{self, Options};
use operational::{Machine, Rules};
use palisade::Refusal;
use palisade::task::verified;
use program::{Unsupported, Verdict, Verified};
use report::table::{Align, render};
use serde_json::{Map, Value as Json, json};

use super::{Printed, keep_only, print};
use crate::arguments::{Repro, Table};
use crate::failure::Failure;
use crate::limits::{Guard, Watch, watched};
use crate::{machine_tables, parallel};

/// The programs in C that the tables speak of.
const PROGRAMS: &[(&str, &str)] = &[
    ("readers", include_str!("../../../../suites/c/mcr/readers.c")),
    ("lastzero", include_str!("../../../../suites/c/mcr/lastzero.c")),
    ("sigma", include_str!("../../../../suites/c/mcr/sigma.c")),
    ("fib", include_str!("../../../../suites/c/mcr/fib.c")),
    ("ainc", include_str!("../../../../suites/c/mcr/ainc.c")),
    ("lock", include_str!("../../../../suites/c/mcr/lock.c")),
];

/// More executions than this are not run for a row.
const MOST_EXECUTIONS: u64 = 50_000;

/// A table's file.
struct Data {
    name: &'static str,
    title: &'static str,
    text: &'static str,
}

fn data(table: Table) -> Data {
    let (name, title, text) = match table {
        Table::Mcr1 => (
            "mcr-1",
            "MCR for TSO and PSO, Table 1: its example with 1 to 4 rounds.",
            include_str!("../../../../repro/mcr/table1.tsv"),
        ),
        Table::Mcr4 => (
            "mcr-4",
            "MCR for TSO and PSO, Table 4: executions until a failure is met.",
            include_str!("../../../../repro/mcr/table4.tsv"),
        ),
        Table::Mcr5 => (
            "mcr-5",
            "MCR for TSO and PSO, Table 5: executions and data races of real programs.",
            include_str!("../../../../repro/mcr/table5.tsv"),
        ),
        Table::McrGrowth => (
            "mcr-growth",
            "Families of programs that grow: executions of other reductions, and ours.",
            include_str!("../../../../repro/mcr/growth.tsv"),
        ),
        _ => (
            "mcr-3",
            "MCR for TSO and PSO, Table 3: executions of seven small programs.",
            include_str!("../../../../repro/mcr/table3.tsv"),
        ),
    };
    Data { name, title, text }
}

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
}

/// What a table consists of.
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
    /// Data races found, and whether there are no others.
    races: Option<(usize, bool)>,
    /// Processor time of finding all classes.
    seconds: f64,
    reason: Option<String>,
}

/// A table with our figures.
struct Filled {
    data: Data,
    headers: Vec<String>,
    rows: Vec<(Entry, Ours)>,
    seconds: f64,
}

/// The table, printed.
pub fn table(arguments: &Repro) -> Result<Printed, Failure> {
    let data = data(arguments.table);
    let _guard = Guard::start(arguments.limits)?;
    let start = Instant::now();
    let wrong = |what: String| Failure::Message(format!("the table {}: {what}", data.name));
    let Entries { headers, mut rows } = entries(data.text).map_err(wrong)?;
    if let Some(part) = &arguments.only {
        keep_only(&mut rows, part, |row| vec![row.test.clone(), row.program.clone(), row.machine.name().into()])?;
    }
    let looks_for_races = headers.iter().any(|header| header == "races");
    let work = |entry: &Entry| solve(entry, looks_for_races, arguments);
    let found = parallel::map(&rows, arguments.jobs, "rows", work)?;
    let interrupted = || Ours { reason: Some("interrupted".into()), ..Ours::default() };
    let found = found.into_iter().map(|ours| ours.unwrap_or_else(interrupted));
    let rows: Vec<(Entry, Ours)> = rows.into_iter().zip(found).collect();
    let all_agree = rows.iter().all(|(entry, ours)| agrees(entry, ours));
    let filled = Filled { data, headers, rows, seconds: start.elapsed().as_secs_f64() };
    let text = print(arguments.format, &filled, as_text, |filled| format!("{}\n", as_json(filled)));
    Ok(Printed { text, all_agree })
}

fn entries(text: &str) -> Result<Entries, String> {
    let header = text.lines().find_map(|line| line.strip_prefix("# test\t")).ok_or("there is no line of headers")?;
    let headers: Vec<&str> = header.split('\t').collect();
    let ["program", "machine", published @ .., demand, "failure"] = &headers[..] else {
        return Err("the line of headers is not understood".into());
    };
    let is_row = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let row = |line: &str| entry(line, demand).ok_or_else(|| format!("`{line}` is not a row"));
    let rows: Result<Vec<Entry>, String> = text.lines().filter(is_row).map(row).collect();
    Ok(Entries { headers: published.iter().map(ToString::to_string).collect(), rows: rows? })
}

fn entry(line: &str, demanded: &str) -> Option<Entry> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [test, program, machine, published @ .., demand, failure] = &fields[..] else { return None };
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
    })
}

/// The program `java/Name`, or `c/name NAME=VALUE ...`.
fn program(name: &str) -> Result<Verified, Failure> {
    if let Some(name) = name.strip_prefix("java/") {
        return machine_tables::program(&format!("mcr/{name}"));
    }
    let mut words = name.strip_prefix("c/").unwrap_or(name).split(' ');
    let file = words.next().unwrap_or_default();
    let known = PROGRAMS.iter().find(|(known, _)| *known == file);
    let (_, text) = known.ok_or_else(|| Failure::Message(format!("there is no {name}")))?;
    let define = |word: &str| word.split_once('=').map(|(name, value)| (name.to_string(), value.to_string()));
    let defines: Vec<(String, String)> = words.filter_map(define).collect();
    let unit = frontend::c::load(&format!("{file}.c"), text, &mut |_, _| None, &defines)?;
    Ok(verified(unit.program()?)?)
}

/// Our figures: once until a failure is met, once for all classes.
fn solve(entry: &Entry, looks_for_races: bool, arguments: &Repro) -> Ours {
    let figures = program(&entry.program).and_then(|program| {
        let unsupported = |what: Unsupported| Failure::from(Refusal::unsupported(&program, what));
        let mut ours = explore(&program, entry.machine, arguments).map_err(unsupported)?;
        if looks_for_races {
            let found = watched(|watch| {
                let limits = watch.limits(arguments.limits).of_search();
                let workers = Alone::until(limits.interrupt.clone());
                let budget = Budget { executions: MOST_EXECUTIONS, ..Budget::default() };
                let options = Options { limits, budget, ..Options::default() };
                mcr::race::races(&program, Rules::Jmm, &options, &workers)
            });
            ours.races = found.ok().map(|found| (found.races.races.len(), found.races.incomplete.is_none()));
        }
        Ok(ours)
    });
    figures.unwrap_or_else(|failure| Ours { reason: Some(failure.summary()), ..Ours::default() })
}

fn explore(program: &Verified, machine: Machine, arguments: &Repro) -> Result<Ours, Unsupported> {
    let options = |watch: &Watch, exhaustive: bool| Options {
        limits: watch.limits(arguments.limits).of_search(),
        budget: Budget { executions: MOST_EXECUTIONS, ..Budget::default() },
        exhaustive,
        ..Options::default()
    };
    let first = watched(|watch| mcr::check(program, machine, &options(watch, false)))?;
    let start = ThreadTime::now();
    let (all, reason) = watched(|watch| {
        let all = mcr::check(program, machine, &options(watch, true));
        all.map(|all| (all, watch.reason()))
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let fails = match first.outcome.verdict {
        Verdict::Violated => Some(true),
        Verdict::Holds => Some(false),
        _ => None,
    };
    let figures = all.figures;
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

fn agrees(entry: &Entry, ours: &Ours) -> bool {
    let meets_demand = match entry.demand {
        Demand::Classes(classes) => ours.is_whole && ours.classes == classes,
        Demand::Until(most) => !entry.fails || ours.until.is_some_and(|until| until <= most),
        Demand::Nothing => true,
    };
    meets_demand && ours.fails == Some(entry.fails) && ours.redundant == 0
}

fn as_text(filled: &Filled) -> String {
    let Filled { data, headers, rows, seconds } = filled;
    let mut columns: Vec<(&str, Align)> = vec![("test", Align::Left), ("machine", Align::Left)];
    columns.extend(headers.iter().map(|header| (header.as_str(), Align::Right)));
    let own = ["to failure", "executions", "classes", "redundant", "queries"];
    columns.extend(own.map(|header| (header, Align::Right)));
    let has_races = headers.iter().any(|header| header == "races");
    if has_races {
        columns.push(("races", Align::Right));
    }
    columns.extend([("ms", Align::Right), ("", Align::Left)]);
    let cells: Vec<Vec<String>> = rows.iter().map(|(entry, ours)| cells(entry, ours, has_races)).collect();
    let agreeing = rows.iter().filter(|(entry, ours)| agrees(entry, ours)).count();
    let mut text = format!("{}\n\n{}\n", data.title, render(&columns, &cells));
    let total = rows.len();
    text.push_str(&format!("{agreeing} of {total} rows are as expected. Wall time {seconds:.2} s.\n"));
    text.push_str(
        "From `to failure` on the figures are ours; published programs may be larger or smaller than ours.\n",
    );
    for (entry, ours) in rows {
        if let Some(reason) = &ours.reason {
            text.push_str(&format!("{} on {}: {reason}\n", entry.test, entry.machine.name()));
        }
    }
    text
}

fn cells(entry: &Entry, ours: &Ours, has_races: bool) -> Vec<String> {
    let mut cells = vec![entry.test.clone(), entry.machine.name().into()];
    cells.extend(entry.published.iter().cloned());
    let until = match (ours.until, ours.fails) {
        (Some(until), _) => until.to_string(),
        (None, Some(false)) => "none".into(),
        (None, _) => "-".into(),
    };
    let at_least = if ours.is_whole { "" } else { ">=" };
    cells.extend([
        until,
        format!("{at_least}{}", ours.executions),
        format!("{at_least}{}", ours.classes),
        ours.redundant.to_string(),
        ours.queries.to_string(),
    ]);
    if has_races {
        let at_least = |is_whole: bool| if is_whole { "" } else { ">=" };
        cells.push(ours.races.map_or("-".into(), |(races, is_whole)| format!("{}{races}", at_least(is_whole))));
    }
    let mark = if agrees(entry, ours) { "" } else { "differs" };
    cells.extend([format!("{:.1}", ours.seconds * 1e3), mark.into()]);
    cells
}

fn as_json(filled: &Filled) -> Json {
    let row = |(entry, ours): &(Entry, Ours)| {
        let published = filled.headers.iter().cloned().zip(entry.published.iter().map(|figure| json!(figure)));
        json!({
            "test": entry.test,
            "program": entry.program,
            "machine": entry.machine.name(),
            "published": published.collect::<Map<String, Json>>(),
            "ours": {
                "fails": ours.fails,
                "executions_until_failure": ours.until,
                "complete": ours.is_whole,
                "executions": ours.executions,
                "classes": ours.classes,
                "redundant": ours.redundant,
                "queries": ours.queries,
                "races": ours.races.map(|(races, _)| races),
                "all_races": ours.races.map(|(_, is_whole)| is_whole),
                "seconds": ours.seconds,
                "reason": ours.reason,
            },
            "agrees": agrees(entry, ours),
        })
    };
    let rows: Vec<Json> = filled.rows.iter().map(row).collect();
    json!({ "schema": 1, "table": filled.data.name, "rows": rows, "wall_seconds": filled.seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_whole() {
        let tables =
            [(Table::Mcr1, 12), (Table::Mcr3, 30), (Table::Mcr4, 27), (Table::Mcr5, 15), (Table::McrGrowth, 29)];
        for (table, count) in tables {
            let data = data(table);
            let Entries { headers, rows } = entries(data.text).unwrap_or_else(|what| panic!("{}: {what}", data.name));
            assert_eq!(rows.len(), count, "{}", data.name);
            for row in rows {
                assert_eq!(row.published.len(), headers.len(), "{}", row.test);
                program(&row.program).unwrap_or_else(|failure| panic!("{}", failure.summary()));
            }
        }
    }
}
