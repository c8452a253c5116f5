//! Execution graphs of locks and lock-free data under rc11, beside the figures of another explorer.
//!
//! The other explorer's programs are of the same algorithms and sizes, not of the same text. So its figures stand beside ours and
//! are not judged: a row is right if all goes well and the number of executions is the one that the table's file demands.

use mcr::graphs::share::Single;
use mcr::graphs::{self, Figures, Options};
use palisade::task::verified;
use palisade::{Model, Refusal};
use program::{Verdict, Verified};
use serde_json::json;

use crate::bench::{Bench, INTERRUPTED, fill};
use crate::data::{keep_only, rows, summary};
use crate::table::{Columns, Part, Row, Table, mark, round};
use crate::{Published, programs};

/// A row of the table's file.
struct Entry {
    test: String,
    program: String,
    /// Seconds, complete and blocked executions of the other explorer, as they stand there.
    published: [String; 3],
    /// The executions that must come out.
    executions: u64,
}

/// Our figures for a row.
#[derive(Clone, Default)]
struct Ours {
    holds: bool,
    figures: Figures,
    /// Processor time, with that of reading the program.
    seconds: f64,
    reason: Option<String>,
}

type Filled = (Entry, Ours);

/// The table.
pub fn table<B: Bench>(published: &Published, only: Option<&str>, bench: &B) -> Result<Table, Refusal> {
    let mut rows = rows(published.file, programs::figures(published.file)?, entry)?;
    keep_only(&mut rows, only, |row| vec![row.test.clone(), row.program.clone()])?;
    let missing = || Ours { reason: Some(INTERRUPTED.into()), ..Ours::default() };
    let model = Model::named("rc11")?;
    let filled = fill(bench, rows, |entry| solve(entry, &model, bench), missing)?;
    Ok(shown(published, &filled))
}

fn entry(fields: &[&str]) -> Option<Entry> {
    let [test, program, seconds, executions, blocked, demanded] = fields else { return None };
    Some(Entry {
        test: test.to_string(),
        program: program.to_string(),
        published: [seconds.to_string(), executions.to_string(), blocked.to_string()],
        executions: demanded.parse().ok()?,
    })
}

/// The program `folder/name NAME=VALUE ...`.
fn program(name: &str) -> Result<Verified, Refusal> {
    let mut words = name.split(' ');
    let file = words.next().unwrap_or_default();
    let define = |word: &str| word.split_once('=').map(|(name, value)| (name.to_string(), value.to_string()));
    let defines: Vec<(String, String)> = words.filter_map(define).collect();
    verified(programs::c(&format!("{file}.c"), &defines)?.program()?)
}

fn solve<B: Bench>(entry: &Entry, model: &Model, bench: &B) -> Ours {
    let (ours, seconds) = bench.timed(|| explore(entry, model, bench));
    let ours = ours.unwrap_or_else(|refusal| Ours { reason: Some(summary(&refusal)), ..Ours::default() });
    Ours { seconds, ..ours }
}

fn explore<B: Bench>(entry: &Entry, model: &Model, bench: &B) -> Result<Ours, Refusal> {
    let program = program(&entry.program)?;
    let axioms = model.axioms().ok_or_else(|| Refusal::Question("the model has no axioms".into()))?;
    let (answer, reason) = bench.search(|limits| {
        let options = Options { limits: limits.of_search(), ..Options::default() };
        graphs::answer(&program, axioms, &options, false, &Single)
    });
    let answer = answer.map_err(|unsupported| Refusal::unsupported(&program, unsupported))?;
    let holds = answer.outcome.verdict == Verdict::Holds;
    Ok(Ours { holds, figures: answer.figures, seconds: 0.0, reason })
}

fn agrees((entry, ours): &Filled) -> bool {
    ours.holds && ours.figures.executions == entry.executions
}

fn shown(published: &Published, filled: &[Filled]) -> Table {
    let columns = Columns::<Filled>::new()
        .left("test", |(entry, _)| entry.test.clone())
        .right("GenMC s", |(entry, _)| entry.published[0].clone())
        .right("executions", |(entry, _)| entry.published[1].clone())
        .right("blocked", |(entry, _)| entry.published[2].clone())
        .right("ours s", |(_, ours)| format!("{:.2}", ours.seconds))
        .right("executions", |(_, ours)| ours.figures.executions.to_string())
        .right("blocked", |(_, ours)| ours.figures.blocked.to_string())
        .right("per second", |(_, ours)| per_second(ours))
        .left("", |row| mark(agrees(row)));
    let part = Part::of(None, columns, filled, row);
    Table {
        agreement: "rows are as expected",
        remarks: vec![
            "Blocked executions end with a thread that waits. GenMC's seconds have 0.05 for its start.",
            "Its programs are of the same algorithms and sizes, not of the same text.",
        ],
        paper_key: "published",
        ..Table::new(published, vec![part])
    }
}

/// Executions, blocked ones included, for each second of processor time; nothing if that is too short to say.
fn per_second(ours: &Ours) -> String {
    let count = ours.figures.executions + ours.figures.blocked;
    if ours.seconds < 0.05 { "-".into() } else { format!("{:.0}", count as f64 / ours.seconds) }
}

/// `published` has `seconds`, `executions` and `blocked`; `ours` has `holds`, `executions`, `blocked`, `seconds` and `reason`.
fn row(filled: &Filled) -> Row {
    let (entry, ours) = filled;
    let [seconds, executions, blocked] = &entry.published;
    Row {
        name: entry.test.clone(),
        about: vec![("test", json!(entry.test)), ("program", json!(entry.program))],
        paper: json!({ "seconds": seconds, "executions": executions, "blocked": blocked }),
        ours: json!({
            "holds": ours.holds,
            "executions": ours.figures.executions,
            "blocked": ours.figures.blocked,
            "seconds": round(ours.seconds),
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

    #[test]
    fn every_row_of_a_few_executions_is_as_expected() {
        let published = crate::named("graphs").expect("a table");
        let text = programs::figures(published.file).unwrap_or_else(|refusal| panic!("{refusal}"));
        let rows = rows(published.file, text, entry).unwrap_or_else(|refusal| panic!("{refusal}"));
        let few = rows.iter().filter(|row| row.executions <= 600);
        let names: Vec<&str> = few.map(|row| row.test.as_str()).collect();
        assert!(names.len() > 30, "{names:?}");
        for name in names {
            let table = published.compute(Some(name), &Plain).unwrap_or_else(|refusal| panic!("{refusal}"));
            assert!(table.all_agree(), "{}", table.text(0.0));
        }
    }
}
