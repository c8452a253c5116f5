//! Table 2: how large the programs are.

use mcr::histories::explore::{Alone, Budget, Exploration, Next};
use mcr::histories::history::iteration::Iterations;
use mcr::histories::project::{Keep, project};
use operational::{Limits, Machine};
use palisade::Refusal;
use program::Verified;
use serde_json::json;

use super::{Given, program};
use crate::Published;
use crate::bench::{Bench, fill};
use crate::data::{keep_only, rows, summary};
use crate::programs as embedded;
use crate::table::{Columns, Part, Row, Table, mark};

/// A row of the table's file.
struct Entry {
    test: String,
    /// The program; `None` where there is none of ours.
    program: Option<String>,
    /// Lines, threads and events, as they stand there.
    published: [String; 3],
    is_given: bool,
}

/// Our figures for a row, or why there are none.
#[derive(Clone)]
struct Ours {
    size: Option<Size>,
    reason: Option<String>,
}

/// How large a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    /// Lines of its source with something in them; `None` where there is no source.
    lines: Option<usize>,
    /// Threads of its first execution.
    threads: usize,
    /// Events of these that concern more than one thread.
    events: usize,
}

/// The table.
pub(crate) fn table<B: Bench>(
    published: &Published,
    only: Option<&str>,
    given: &Given,
    bench: &B,
) -> Result<Table, Refusal> {
    let mut entries = rows(published.file, embedded::figures(published.file)?, entry)?;
    keep_only(&mut entries, only, |entry| vec![entry.test.clone()])?;
    entries.iter_mut().for_each(|entry| {
        entry.is_given = given(entry.program.as_deref().unwrap_or(&format!("java/{}", entry.test))).is_some();
    });
    let missing = || Ours { size: None, reason: Some(crate::bench::INTERRUPTED.into()) };
    let filled = fill(bench, entries, |entry| solve(entry, given), missing)?;
    Ok(shown(published, &filled))
}

fn entry(fields: &[&str]) -> Option<Entry> {
    let [test, program, lines, threads, events] = fields else { return None };
    Some(Entry {
        test: test.to_string(),
        program: (*program != "-").then(|| program.to_string()),
        published: [lines, threads, events].map(|figure| figure.to_string()),
        is_given: false,
    })
}

fn solve(entry: &Entry, given: &Given) -> Ours {
    let name = entry.program.clone().unwrap_or_else(|| format!("java/{}", entry.test));
    let program = match (given(&name), &entry.program) {
        (Some(program), _) => program,
        (None, Some(name)) => program(name),
        (None, None) => return Ours { size: None, reason: None },
    };
    match program.and_then(|program| size(&program)) {
        Ok(size) => Ours { size: Some(size), reason: None },
        Err(refusal) => Ours { size: None, reason: Some(summary(&refusal)) },
    }
}

/// How large a program is in its first execution on sc.
fn size(program: &Verified) -> Result<Size, Refusal> {
    let (limits, budget) = (Limits::default(), Budget::default());
    let wrong = |what: &str| Refusal::Question(what.into());
    let exploration = Exploration::new(program, Machine::Sc, &[], &limits, &budget, Iterations::Wait);
    let mut exploration = exploration.map_err(|_| wrong("the program does not start"))?;
    let mut found = None;
    let mut look = |forest: &mut mcr::histories::history::Forest, executed: &mcr::histories::explore::Executed| {
        let projection = project(forest, &executed.configuration.at, Keep::Shared);
        let threads = projection.trace.threads.iter().filter(|thread| !thread.events.is_empty() || thread.is_initial);
        let events = projection.trace.threads.iter().map(|thread| thread.events.len()).sum();
        found = Some(Size { lines: None, threads: threads.count(), events });
        Next::Finish
    };
    exploration.run(&mut look, &Alone::default());
    let lines = lines(program);
    found.map(|size| Size { lines, ..size }).ok_or_else(|| wrong("the program has no execution"))
}

/// The lines of the program's own file that have something in them.
fn lines(program: &Verified) -> Option<usize> {
    let sources = &program.sources;
    let own = sources.files().find(|file| !sources.is_library(*file) && !sources.is_listing(*file))?;
    Some(sources.text(own).lines().filter(|line| !line.trim().is_empty()).count())
}

fn agrees((entry, ours): &(Entry, Ours)) -> bool {
    ours.size.is_some() || (entry.program.is_none() && !entry.is_given)
}

fn shown(published: &Published, filled: &[(Entry, Ours)]) -> Table {
    let number = |figure: Option<usize>| figure.map_or("-".into(), |figure| figure.to_string());
    let columns = Columns::<(Entry, Ours)>::new()
        .left("program", |(entry, _)| format!("{}{}", entry.test, if entry.is_given { " (given)" } else { "" }))
        .right("LoC", |(entry, _)| entry.published[0].clone())
        .right("#Thrd", |(entry, _)| entry.published[1].clone())
        .right("#Evt", |(entry, _)| entry.published[2].clone())
        .right("lines", move |(_, ours)| number(ours.size.and_then(|size| size.lines)))
        .right("threads", move |(_, ours)| number(ours.size.map(|size| size.threads)))
        .right("events", move |(_, ours)| number(ours.size.map(|size| size.events)))
        .left("", |filled| mark(agrees(filled)));
    let part = Part::of(None, columns, filled, row);
    Table {
        agreement: "programs are there and run, or are left out as the file says",
        remarks: vec![
            "From `lines` on the figures are ours; events are those of one execution that concern more than one thread.",
        ],
        paper_key: "published",
        ..Table::new(published, vec![part])
    }
}

/// `published` has `lines`, `threads` and `events`; so has `ours`, with `reason`.
fn row(filled: &(Entry, Ours)) -> Row {
    let (entry, ours) = filled;
    let [lines, threads, events] = &entry.published;
    Row {
        name: entry.test.clone(),
        about: vec![("program", json!(entry.program)), ("given", json!(entry.is_given))],
        paper: json!({ "lines": lines, "threads": threads, "events": events }),
        ours: json!({
            "lines": ours.size.and_then(|size| size.lines),
            "threads": ours.size.map(|size| size.threads),
            "events": ours.size.map(|size| size.events),
            "reason": ours.reason,
        }),
        agrees: agrees(filled),
        seconds: 0.0,
        note: ours.reason.as_ref().map(|reason| format!("{}: {reason}", entry.test)),
        cells: Vec::new(),
    }
}
