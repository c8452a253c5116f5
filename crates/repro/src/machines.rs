//! Tables about the machines jmm_under and jmm_over: OpMM (De, Roychoudhury, D'Souza) and Java Path Relaxer (Jin, Yavuz-Kahveci,
//! Sanders).

use operational::turn::Action;
use operational::{Machine, Options};
use palisade::Refusal;
use program::{Property, Verified};
use serde_json::json;

use crate::bench::{Bench, INTERRUPTED, fill};
use crate::data::{keep_only, rows, summary};
use crate::table::{Columns, Part, Row, Table, mark, round};
use crate::{Published, programs};

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
    /// The other columns as they are printed.
    printed: Vec<String>,
}

/// The other columns of OpMM's table.
const OPMM: [&str; 4] = ["bytecodes", "threads", "time", "states"];
/// Those of JPR's figure; the last marks outcomes that Java forbids.
const JPR: [&str; 10] =
    ["threads", "time", "1st", "ave", "states", "mem", "JPF time", "JPF states", "JPF mem", "forbidden"];

/// The names of the other columns of a table, if there are so many.
fn other_columns(count: usize) -> Option<&'static [&'static str]> {
    [&OPMM[..], &JPR[..]].into_iter().find(|columns| columns.len() == count)
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
    /// Instructions of the program.
    instructions: usize,
    /// Threads that it starts, or that start with it.
    threads: usize,
    /// About how much the states take.
    bytes: u64,
    /// The same question on sc, as JPF answers it: states, and processor time.
    sc: (u64, f64),
    /// How long the first iteration takes.
    first: f64,
}

type Filled = (Entry, Ours);

/// A table about a machine.
pub fn table<B: Bench>(
    published: &Published,
    machine: Machine,
    only: Option<&str>,
    bench: &B,
) -> Result<Table, Refusal> {
    let mut entries = entries(published)?;
    keep_only(&mut entries, only, |entry| vec![entry.test.clone(), entry.program.clone()])?;
    let missing = || Ours { reason: Some(INTERRUPTED.into()), ..Ours::default() };
    let filled = fill(bench, entries, |entry| solve(entry, machine, bench), missing)?;
    Ok(shown(published, machine, &filled))
}

fn entries(published: &Published) -> Result<Vec<Entry>, Refusal> {
    rows(published.file, programs::figures(published.file)?, entry)
}

fn entry(fields: &[&str]) -> Option<Entry> {
    let [test, program, question, found, iterations, writes, ref printed @ ..] = *fields else { return None };
    other_columns(printed.len())?;
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
    let printed = printed.iter().map(|figure| figure.to_string()).collect();
    Some(Entry { test: test.into(), program: program.into(), property, found, iterations, writes, printed })
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

/// Our figures: processor time from the class files to the answer.
fn solve<B: Bench>(entry: &Entry, machine: Machine, bench: &B) -> Ours {
    let (ours, seconds) = bench.timed(|| searched(entry, machine, bench));
    let ours = ours.unwrap_or_else(|refusal| Ours { reason: Some(summary(&refusal)), ..Ours::default() });
    let Ok(program) = programs::java(&entry.program) else { return Ours { seconds, ..ours } };
    let sc = bench.timed(|| on_sc(&program, entry.property, bench));
    let (instructions, threads) = (program.instructions().count(), threads(&program, bench));
    let first = if machine == Machine::JmmOver { first_iteration(&program, entry.property, bench) } else { 0.0 };
    Ours { seconds, instructions, threads, sc, first, ..ours }
}

/// The time of the first iteration: that of two passes, the first of which is the search on sc, less that of one.
fn first_iteration<B: Bench>(program: &Verified, property: Property, bench: &B) -> f64 {
    let passes = |count: u64| {
        let made = |limits: palisade::Limits| {
            operational::fixpoint::make_passes(program, property, &limits.of_search(), count).unwrap_or(0)
        };
        bench.timed(|| bench.search(made).0).1
    };
    (passes(2) - passes(1)).max(0.0)
}

fn searched<B: Bench>(entry: &Entry, machine: Machine, bench: &B) -> Result<Ours, Refusal> {
    let program = programs::java(&entry.program)?;
    let (answered, _) = bench.search(|limits| {
        let options = Options { limits: limits.of_search(), property: entry.property, ..Options::default() };
        // The causality tests are searched to the end, as in the paper; other searches end at a violation.
        match entry.property {
            Property::Possible => operational::outcomes(&program, machine, &options),
            Property::Always => operational::check(&program, machine, &options),
        }
    });
    let answered = answered.map_err(|unsupported| Refusal::unsupported(&program, unsupported))?;
    let explored = &answered.explored;
    let found = explored.found || answered.schedule.is_some();
    Ok(Ours {
        found: (found || explored.incomplete.is_none()).then_some(found),
        reason: explored.incomplete.clone().filter(|_| !found),
        iterations: explored.passes,
        writes: explored.writes,
        states: explored.states,
        bytes: explored.state_bytes + explored.shared_bytes,
        ..Ours::default()
    })
}

/// How many states the same question takes on sc.
fn on_sc<B: Bench>(program: &Verified, property: Property, bench: &B) -> u64 {
    let (answered, _) = bench.search(|limits| {
        let options = Options { limits: limits.of_search(), property, ..Options::default() };
        match property {
            Property::Possible => operational::outcomes(program, Machine::Sc, &options),
            Property::Always => operational::check(program, Machine::Sc, &options),
        }
    });
    answered.map_or(0, |answered| answered.explored.states)
}

/// How many threads an execution has, beside one that only starts others.
fn threads<B: Bench>(program: &Verified, bench: &B) -> usize {
    let (answered, _) = bench.search(|limits| {
        let options = Options { limits: limits.of_search(), property: Property::Possible, ..Options::default() };
        operational::check(program, Machine::Sc, &options)
    });
    let moves = answered.ok().and_then(|answered| answered.schedule).map_or_else(Vec::new, |found| found.moves);
    let last = moves.iter().map(|taken| match taken.action {
        Action::Step(thread) | Action::Flush(thread, _) => thread,
    });
    match program.threads.len() {
        0 | 1 => last.max().unwrap_or(0),
        threads => threads,
    }
}

fn agrees((entry, ours): &Filled) -> bool {
    let is_same =
        |figure: Option<Figure>, own: u64| figure.and_then(|figure| figure.ours).is_none_or(|ours| ours == own);
    ours.found == Some(entry.found) && is_same(entry.iterations, ours.iterations) && is_same(entry.writes, ours.writes)
}

fn word(found: Option<bool>) -> String {
    match found {
        Some(true) => "found".into(),
        Some(false) => "none".into(),
        None => "-".into(),
    }
}

fn in_words(figure: Option<Figure>) -> String {
    match figure {
        Some(Figure { paper, ours: None }) => format!("~{paper}"),
        Some(Figure { paper, ours: Some(ours) }) if ours != paper => format!("{paper}={ours}+{}", paper - ours),
        Some(Figure { paper, .. }) => paper.to_string(),
        None => "-".into(),
    }
}

fn shown(published: &Published, machine: Machine, filled: &[Filled]) -> Table {
    let has_iterations = filled.iter().any(|(entry, _)| entry.iterations.is_some());
    let mut columns = Columns::<Filled>::new()
        .left("test", |(entry, _)| entry.test.clone())
        .left("asks for", |(entry, _)| match entry.property {
            Property::Possible => "outcome".into(),
            Property::Always => "violation".into(),
        })
        .left("paper", |(entry, _)| word(Some(entry.found)))
        .left("ours", |(_, ours)| word(ours.found));
    if has_iterations {
        columns = columns
            .right("iterations", |(entry, _)| in_words(entry.iterations))
            .right("ours", |(_, ours)| ours.iterations.to_string())
            .right("writes", |(entry, _)| in_words(entry.writes))
            .right("ours", |(_, ours)| ours.writes.to_string());
    }
    let others = filled.first().and_then(|(entry, _)| other_columns(entry.printed.len())).unwrap_or_default();
    for (place, name) in others.iter().enumerate() {
        columns = columns.right(*name, move |(entry, _)| entry.printed[place].replace('-', "")).after(own(name));
    }
    columns = columns.right("ms", |(_, ours)| format!("{:.1}", ours.seconds * 1e3)).left("", |row| mark(agrees(row)));
    let part = Part::of(None, columns, filled, |filled| row(machine, filled));
    let remarks: &[&str] = match has_iterations {
        true => &[
            "Figures after ~ are of programs that are not published in full, and are not compared.",
            "8=6+2: of the paper's 8 writes 2 are of cells that our program does not have or meet.",
            "States of the paper are those of its last iteration, ours of all; beside JPF's columns stand ours on sc.",
            "* in `forbidden`: Java forbids the outcome, which is found from above all the same.",
        ],
        false => &["Beside bytecodes stand the instructions of our representation, library classes included."],
    };
    Table { remarks: remarks.to_vec(), ..Table::new(published, vec![part]) }
}

/// Our column beside one that is printed, if there is one.
fn own(name: &str) -> Option<fn(&Filled) -> String> {
    let column: fn(&Filled) -> String = match name {
        "bytecodes" => |(_, ours)| ours.instructions.to_string(),
        "threads" => |(_, ours)| ours.threads.to_string(),
        "1st" => |(_, ours)| format!("{:.4}s", ours.first),
        "ave" => |(_, ours)| format!("{:.4}s", ours.seconds / ours.iterations.max(1) as f64),
        "states" => |(_, ours)| ours.states.to_string(),
        "mem" => |(_, ours)| format!("{}K", ours.bytes >> 10),
        "JPF time" => |(_, ours)| format!("{:.4}s", ours.sc.1),
        "JPF states" => |(_, ours)| ours.sc.0.to_string(),
        _ => return None,
    };
    Some(column)
}

/// `paper` and `ours` have `found`, `iterations` and `writes`, `ours` also `states`, `seconds` and `reason`.
fn row(machine: Machine, filled: &Filled) -> Row {
    let (entry, ours) = filled;
    Row {
        name: entry.test.clone(),
        about: vec![("test", json!(entry.test)), ("machine", json!(machine.name()))],
        paper: json!({
            "found": entry.found,
            "iterations": entry.iterations.map(|figure| figure.paper),
            "writes": entry.writes.map(|figure| figure.paper),
            "printed": entry.printed,
        }),
        ours: json!({
            "found": ours.found,
            "iterations": ours.iterations,
            "writes": ours.writes,
            "states": ours.states,
            "seconds": round(ours.seconds),
            "instructions": ours.instructions,
            "threads": ours.threads,
            "bytes": ours.bytes,
            "sc_states": ours.sc.0,
            "sc_seconds": round(ours.sc.1),
            "first_seconds": round(ours.first),
            "reason": ours.reason,
        }),
        agrees: agrees(filled),
        seconds: ours.seconds,
        note: ours.reason.as_ref().map(|reason| format!("{}: {reason}", entry.test)),
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
        for (name, rows) in [("opmm-1", 5), ("jpr-14", 26)] {
            let entries =
                entries(crate::named(name).expect("a table")).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
            assert_eq!(entries.len(), rows, "{name}");
            for entry in &entries {
                programs::java(&entry.program).unwrap_or_else(|refusal| panic!("{refusal}"));
            }
        }
    }

    #[test]
    fn a_figure_that_is_compared_must_be_ours() {
        let entry = |writes: &str| {
            let mut fields = vec!["tc1", "TC01", "possible", "found", "3", writes];
            fields.extend(["2"; JPR.len()]);
            entry(&fields)
        };
        let ours = || Ours { found: Some(true), iterations: 3, writes: 6, ..Ours::default() };
        let agrees_with = |writes: &str| entry(writes).map(|entry| agrees(&(entry, ours())));
        assert_eq!(agrees_with("6"), Some(true));
        assert_eq!(agrees_with("8"), Some(false));
        assert_eq!(agrees_with("~8"), Some(true));
        assert_eq!(agrees_with("8=6+2"), Some(true));
        assert_eq!(agrees_with("8=6+1"), None);
    }

    fn check(name: &str, only: &str, expected: expect_test::Expect) {
        let published = crate::named(name).expect("a table");
        let table = published.compute(Some(only), &Plain).unwrap_or_else(|refusal| panic!("{refusal}"));
        expected.assert_eq(&table.text(0.0));
    }

    #[test]
    fn violations_stand_beside_those_of_the_paper() {
        check(
            "opmm-1",
            "dcl-vol",
            expect![[r#"
                OpMM (De, Roychoudhury, D'Souza, PASTE 2008), Table 1: violations that jmm_under finds.

                test     asks for   paper  ours  bytecodes  ours  threads  ours   time  states  ours   ms
                -------  ---------  -----  ----  ---------  ----  -------  ----  -----  ------  ----  ---  ------
                dcl-vol  violation  none   none         70    62        2     2  0.31s     267    80  0.0  agrees

                1 of 1 rows agree.
                Processor time 0.00 s, wall time 0.00 s.
                Beside bytecodes stand the instructions of our representation, library classes included.
            "#]],
        );
    }

    #[test]
    fn iterations_and_writes_are_shown_where_the_paper_has_them() {
        check(
            "jpr-14",
            "tc1",
            expect![[r#"
                Java Path Relaxer (Jin, Yavuz-Kahveci, Sanders), Fig. 14: outcomes and violations that jmm_over finds.

                test  asks for  paper  ours   iterations  ours  writes  ours  threads  ours  time   1st     ours   ave     ours  states  ours  mem  ours  JPF time     ours  JPF states  ours  JPF mem  forbidden   ms
                ----  --------  -----  -----  ----------  ----  ------  ----  -------  ----  ----  ----  -------  ----  -------  ------  ----  ---  ----  --------  -------  ----------  ----  -------  ---------  ---  ------
                tc1   outcome   found  found           3     3       5     5        2     2  1.2s  0.4s  0.0000s  0.4s  0.0000s     105    37  74M    8K      0.4s  0.0000s          40     4      59M             0.0  agrees

                1 of 1 rows agree.
                Processor time 0.00 s, wall time 0.00 s.
                Figures after ~ are of programs that are not published in full, and are not compared.
                8=6+2: of the paper's 8 writes 2 are of cells that our program does not have or meet.
                States of the paper are those of its last iteration, ours of all; beside JPF's columns stand ours on sc.
                * in `forbidden`: Java forbids the outcome, which is found from above all the same.
            "#]],
        );
    }
}
