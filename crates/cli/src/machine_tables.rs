//! Published tables about the machines jmm_under and jmm_over, with our figures beside them.

use std::time::Instant;

use cpu_time::ThreadTime;
use frontend::jvm::{self, ClassFile};
use operational::{Machine, Options};
use palisade::Refusal;
use palisade::task::verified;
use program::{Diagnostics, Property, Verified};
use report::table::{Align, render};
use serde_json::{Value as Json, json};

use crate::arguments::{self, Repro, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::limits::{Guard, is_interrupted, watched};
use crate::parallel;
use crate::repro::{PROGRAMS, embedded};

/// A whole program that is part of the binary: its classes, the one with `main` first.
struct Whole {
    name: &'static str,
    classes: &'static [(&'static str, &'static [u8])],
    source: &'static str,
}

macro_rules! programs {
    ($($folder:literal $main:literal : $($inner:literal)*;)*) => {
        &[$(Whole {
            name: concat!($folder, "/", $main),
            classes: &[
                ($main, include_bytes!(concat!("../../../suites/java/", $folder, "/", $main, ".class"))),
                $((
                    concat!($main, "$", $inner),
                    include_bytes!(concat!("../../../suites/java/", $folder, "/", $main, "$", $inner, ".class")),
                )),*
            ],
            source: include_str!(concat!("../../../suites/java/", $folder, "/", $main, ".java")),
        }),*]
    };
}

/// The whole programs that the tables speak of.
const WHOLE: &[Whole] = programs! {
    "opmm" "Dcl": "Client" "Helper";
    "opmm" "DclVol": "Client" "Helper";
    "opmm" "Singleton": "Client";
    "opmm" "Peterson": "First" "Second";
    "opmm" "Dekker": "First" "Second";
    "jpr" "Hash": "Client" "Text";
    "jpr" "Hash4": "Client" "Text";
    "jpr" "Hash2": "Client" "Text";
    "jpr" "IsPrime": "Client";
    "jpr" "Dcl": "Client" "Helper";
    "jpr" "Peterson": "Client";
    "jpr" "Dekker": "Client";
    "mcr" "Dekker": "First" "Second";
    "mcr" "Lamport": "First" "Second";
    "mcr" "Bakery": "Customer";
    "mcr" "Peterson": "First" "Second";
    "mcr" "StackUnsafe": "Popper";
    "mcr" "RVExample": "First" "Second";
    "mcr" "Example1": "Reader";
    "mcr" "Example2": "Reader";
    "mcr" "Example3": "Reader";
    "mcr" "Example4": "Reader";
    "mcr" "ElectronMicroscope": "Point" "Reader";
    "mcr" "Account": "Clerk";
    "mcr" "Airline":;
    "mcr" "Allocation": "AllocationVector" "User";
    "mcr" "PingPong": "Player" "Table";
    "mcr" "StringBuf": "Appender" "Buffer" "Eraser";
};

/// A table.
pub struct Table {
    name: &'static str,
    title: &'static str,
    machine: Machine,
    data: &'static str,
}

/// The table, if it is one about machines.
pub fn named(table: arguments::Table) -> Option<Table> {
    match table {
        arguments::Table::Opmm1 => Some(Table {
            name: "opmm-1",
            title: "OpMM (De, Roychoudhury, D'Souza, PASTE 2008), Table 1: violations that jmm_under finds.",
            machine: Machine::JmmUnder,
            data: include_str!("../../../repro/opmm/table1.tsv"),
        }),
        arguments::Table::Jpr14 => Some(Table {
            name: "jpr-14",
            title: "Java Path Relaxer (Jin, Yavuz-Kahveci, Sanders), Fig. 14: outcomes and violations that jmm_over finds.",
            machine: Machine::JmmOver,
            data: include_str!("../../../repro/jpr/figure14.tsv"),
        }),
        _ => None,
    }
}

/// A figure of the paper, and what ours must be, if it is compared.
#[derive(Clone, Copy)]
struct Figure {
    paper: u64,
    ours: Option<u64>,
}

/// A row of a table's file.
struct Entry {
    test: String,
    program: String,
    property: Property,
    /// Whether the paper found what is asked about.
    found: bool,
    iterations: Option<Figure>,
    writes: Option<Figure>,
}

/// Our figures for a row.
#[derive(Default)]
struct Ours {
    found: Option<bool>,
    reason: Option<String>,
    iterations: u64,
    writes: u64,
    states: u64,
    seconds: f64,
}

/// The command `repro` for a table about machines. Exit code 0 only if all rows agree.
pub fn repro(arguments: &Repro, table: &Table) -> Result<Exit, Failure> {
    let _guard = Guard::start(arguments.limits)?;
    let start = Instant::now();
    let mut entries =
        entries(table.data).map_err(|what| Failure::Message(format!("the table {}: {what}", table.name)))?;
    if let Some(part) = &arguments.only {
        let is_named = entries.iter().any(|entry| entry.test == *part);
        entries.retain(|entry| if is_named { entry.test == *part } else { entry.test.contains(part) });
    }
    if entries.is_empty() {
        return Err(Failure::Message("the table has no such row".into()));
    }
    let work = |entry: &Entry| solve(entry, table.machine, arguments);
    let found = parallel::map(&entries, arguments.jobs, "rows", work)?;
    let interrupted = || Ours { reason: Some("interrupted".into()), ..Ours::default() };
    let rows: Vec<(Entry, Ours)> =
        entries.into_iter().zip(found.into_iter().map(|ours| ours.unwrap_or_else(interrupted))).collect();
    let seconds = start.elapsed().as_secs_f64();
    let output = match arguments.format {
        TableFormat::Text => as_text(table, &rows, seconds),
        TableFormat::Json => format!("{}\n", as_json(table, &rows, seconds)),
    };
    write(arguments.output.as_deref(), &output)?;
    Ok(match rows.iter().all(|(entry, ours)| agrees(entry, ours)) {
        true => Exit::Validated,
        false if is_interrupted() => Exit::Unknown,
        false => Exit::Refuted,
    })
}

fn entries(data: &str) -> Result<Vec<Entry>, String> {
    let lines = data.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines.map(|(index, line)| entry(line).ok_or_else(|| format!("line {} is not a row", index + 1))).collect()
}

fn entry(line: &str) -> Option<Entry> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [test, program, question, found, iterations, writes] = fields[..] else { return None };
    let property = match question {
        "always" => Property::Always,
        "possible" => Property::Possible,
        _ => return None,
    };
    let found = match found {
        "found" => true,
        "none" => false,
        _ => return None,
    };
    let (iterations, writes) = (figure(iterations)?, figure(writes)?);
    Some(Entry { test: test.into(), program: program.into(), property, found, iterations, writes })
}

/// `-`, or a number, after `~` if it is only to be shown; `8=6+2` if ours must be 6.
fn figure(text: &str) -> Option<Option<Figure>> {
    if text == "-" {
        return Some(None);
    }
    if let Some(shown) = text.strip_prefix('~') {
        return Some(Some(Figure { paper: shown.parse().ok()?, ours: None }));
    }
    let (paper, parts) = text.split_once('=').unwrap_or((text, text));
    let (ours, rest) = parts.split_once('+').unwrap_or((parts, "0"));
    let (paper, ours, rest): (u64, u64, u64) = (paper.parse().ok()?, ours.parse().ok()?, rest.parse().ok()?);
    (paper == ours + rest).then_some(Some(Figure { paper, ours: Some(ours) }))
}

/// A Java program that is part of the binary.
pub fn program(name: &str) -> Result<Verified, Failure> {
    if let Some(known) = PROGRAMS.iter().find(|program| program.name == name) {
        return embedded(known.name, known.class, known.source);
    }
    let known = WHOLE.iter().find(|program| program.name == name);
    let known = known.ok_or_else(|| Failure::Message(format!("there is no {name}")))?;
    Ok(verified(whole(known)?)?)
}

fn whole(known: &Whole) -> Result<program::Program, Diagnostics> {
    let file = |(class, bytes): &(&str, &[u8])| ClassFile {
        name: format!("{class}.class"),
        bytes: bytes.to_vec(),
        source: Some((format!("{}.java", known.name), known.source.to_string())),
    };
    let files: Vec<ClassFile> = known.classes.iter().map(file).collect();
    jvm::program(&files, known.classes.first().map_or("", |(class, _)| class))
}

/// Our figures: processor time from the class files to the answer.
fn solve(entry: &Entry, machine: Machine, arguments: &Repro) -> Ours {
    let start = ThreadTime::now();
    let answered = program(&entry.program).and_then(|program| {
        let answered = watched(|watch| {
            let limits = watch.limits(arguments.limits).of_search();
            let options = Options { limits, property: entry.property, ..Options::default() };
            // The causality tests are searched to the end, as in the paper; other searches end at a violation.
            match entry.property {
                Property::Possible => operational::outcomes(&program, machine, &options),
                Property::Always => operational::check(&program, machine, &options),
            }
        });
        answered.map_err(|unsupported| Refusal::unsupported(&program, unsupported).into())
    });
    let seconds = start.elapsed().as_secs_f64();
    let answered = match answered {
        Ok(answered) => answered,
        Err(failure) => return Ours { reason: Some(failure.summary()), seconds, ..Ours::default() },
    };
    let explored = &answered.explored;
    let found = explored.found || answered.schedule.is_some();
    Ours {
        found: (found || explored.incomplete.is_none()).then_some(found),
        reason: explored.incomplete.clone().filter(|_| !found),
        iterations: explored.passes,
        writes: explored.writes,
        states: explored.states,
        seconds,
    }
}

fn agrees(entry: &Entry, ours: &Ours) -> bool {
    let is_same =
        |figure: Option<Figure>, own: u64| figure.and_then(|figure| figure.ours).is_none_or(|ours| ours == own);
    ours.found == Some(entry.found) && is_same(entry.iterations, ours.iterations) && is_same(entry.writes, ours.writes)
}

fn word(found: Option<bool>) -> &'static str {
    match found {
        Some(true) => "found",
        Some(false) => "none",
        None => "-",
    }
}

fn as_text(table: &Table, rows: &[(Entry, Ours)], seconds: f64) -> String {
    let has_passes = rows.iter().any(|(entry, _)| entry.iterations.is_some());
    let mut headers =
        vec![("test", Align::Left), ("asks for", Align::Left), ("paper", Align::Left), ("ours", Align::Left)];
    if has_passes {
        headers.extend([
            ("iterations", Align::Right),
            ("ours", Align::Right),
            ("writes", Align::Right),
            ("ours", Align::Right),
        ]);
    }
    headers.extend([("states", Align::Right), ("ms", Align::Right), ("", Align::Left)]);
    let figure = |figure: Option<Figure>| match figure {
        Some(Figure { paper, ours: None }) => format!("~{paper}"),
        Some(Figure { paper, ours: Some(ours) }) if ours != paper => format!("{paper}={ours}+{}", paper - ours),
        Some(Figure { paper, .. }) => paper.to_string(),
        None => "-".into(),
    };
    let row = |(entry, ours): &(Entry, Ours)| {
        let asks = if entry.property == Property::Possible { "outcome" } else { "violation" };
        let mut cells = vec![entry.test.clone(), asks.into(), word(Some(entry.found)).into(), word(ours.found).into()];
        if has_passes {
            let (iterations, writes) = (ours.iterations.to_string(), ours.writes.to_string());
            cells.extend([figure(entry.iterations), iterations, figure(entry.writes), writes]);
        }
        let mark = if agrees(entry, ours) { "" } else { "differs" };
        cells.extend([ours.states.to_string(), format!("{:.1}", ours.seconds * 1e3), mark.into()]);
        cells
    };
    let cells: Vec<Vec<String>> = rows.iter().map(row).collect();
    let agreeing = rows.iter().filter(|(entry, ours)| agrees(entry, ours)).count();
    let mut text = format!("{}\n\n{}\n{agreeing} of {} rows agree.", table.title, render(&headers, &cells), rows.len());
    text.push_str(&format!(" Wall time {seconds:.2} s.\n"));
    if has_passes {
        text.push_str("Figures after ~ are of programs that are not published in full, and are not compared.\n");
        text.push_str("8=6+2: of the paper's 8 writes 2 are of cells that our program does not have or meet.\n");
    }
    for (entry, ours) in rows {
        if let Some(reason) = &ours.reason {
            text.push_str(&format!("{}: {reason}\n", entry.test));
        }
    }
    text
}

fn as_json(table: &Table, rows: &[(Entry, Ours)], seconds: f64) -> Json {
    let row = |(entry, ours): &(Entry, Ours)| {
        json!({
            "test": entry.test,
            "machine": table.machine.name(),
            "paper": {
                "found": entry.found,
                "iterations": entry.iterations.map(|figure| figure.paper),
                "writes": entry.writes.map(|figure| figure.paper),
            },
            "ours": {
                "found": ours.found,
                "iterations": ours.iterations,
                "writes": ours.writes,
                "states": ours.states,
                "seconds": ours.seconds,
                "reason": ours.reason,
            },
            "agrees": agrees(entry, ours),
        })
    };
    let rows: Vec<Json> = rows.iter().map(row).collect();
    json!({ "schema": 1, "table": table.name, "rows": rows, "wall_seconds": seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_whole() {
        for (table, rows) in [(arguments::Table::Opmm1, 5), (arguments::Table::Jpr14, 26)] {
            let table = named(table).expect("a table about machines");
            let entries = entries(table.data).unwrap_or_else(|what| panic!("{}: {what}", table.name));
            assert_eq!(entries.len(), rows, "{}", table.name);
            for entry in &entries {
                program(&entry.program).unwrap_or_else(|failure| panic!("{}", failure.summary()));
            }
        }
    }
}
