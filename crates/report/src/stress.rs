//! The table of a test of jcstress: each outcome, whether it is possible, and what the test says of it.

use std::fmt::Write;

use program::{Event, EventKind, Execution, Program};

use crate::answer::Claim;
use crate::cells::Cells;
use crate::xml::escape;

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The file of the test.
    pub file: String,
    /// One row for each outcome.
    pub rows: Vec<Row>,
    /// Models under which nothing is known, with the reason.
    pub refused: Vec<(&'static str, String)>,
}

/// An outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// As jcstress writes it.
    pub outcome: String,
    /// Whether sequential consistency and x86 have it.
    pub on_machines: [Possible; 2],
    /// What Java says of it.
    pub java: Java,
    /// What the test expects, in the words of jcstress.
    pub expected: String,
    /// How the two compare.
    pub grade: Grade,
    /// What the test says besides.
    pub description: String,
    /// An execution that ends so, if one was found.
    pub witness: Option<Witness>,
}

/// The steps of an execution, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Under which model it was found.
    pub on: &'static str,
    /// Who did what: an actor and an access of what others access too, in order.
    pub steps: Vec<(String, String)>,
}

/// What actors do to what others access too, in the order in which it meets memory, where the execution has one; `actors` names the
/// threads from the one of number `first` on.
pub fn steps(program: &Program, execution: &Execution, actors: &[String], first: usize) -> Vec<(String, String)> {
    let cells = Cells::of(program, execution);
    let actor = |event: &Event| actors.get((event.thread?.0 as usize).checked_sub(first)?);
    let is_shared = |event: &Event| {
        let uses = |other: &&Event| other.cell == event.cell && actor(other).is_some() && actor(other) != actor(event);
        let matters = |other: &Event| event.kind != EventKind::Read || other.kind != EventKind::Read;
        execution.events.iter().filter(uses).any(matters)
    };
    let events = in_order(execution).into_iter().map(|number| &execution.events[number]);
    let shared = events.filter(|event| event.cell.is_some() && is_shared(event));
    shared
        .filter_map(|event| {
            let who = actor(event)?.clone();
            let cell = cells.cell(program, event.cell.as_ref()?);
            let value = event.value.as_ref().map(|value| cells.value_in(program, event.cell.as_ref(), value));
            let value = value.map_or(String::new(), |value| format!(" = {value}"));
            Some(match event.kind {
                EventKind::Read => (who, format!("read {cell}{value}")),
                EventKind::Write => (who, format!("write {cell}{value}")),
                EventKind::Lock => (who, format!("acquire {cell}")),
                EventKind::Unlock => (who, format!("release {cell}")),
                _ => return None,
            })
        })
        .collect()
}

/// What machines call the order in which accesses meet memory.
const MEMORY_ORDER: &str = "memory order";

/// The events in the order in which they meet memory; those of which that is not known after what their thread did before.
fn in_order(execution: &Execution) -> Vec<usize> {
    let pairs = execution.named.iter().find(|(name, _)| name == MEMORY_ORDER).map_or(&[][..], |(_, pairs)| pairs);
    let mut place = vec![None; execution.events.len()];
    for (number, (before, after)) in pairs.iter().enumerate() {
        place[before.0 as usize].get_or_insert(number);
        place[after.0 as usize] = Some(number + 1);
    }
    let mut keys: Vec<(usize, usize)> = Vec::new();
    for (number, event) in execution.events.iter().enumerate() {
        let before = (0..number).rev().find(|&other| execution.events[other].thread == event.thread);
        let own: Option<usize> = place[number];
        keys.push((own.or(before.map(|before| keys[before].0)).unwrap_or(0), number));
    }
    keys.sort_unstable();
    keys.into_iter().map(|(_, number)| number).collect()
}

/// Whether a machine has an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Possible {
    /// It has.
    Yes,
    /// It has not.
    No,
    /// That is not known.
    Unknown,
}

impl Possible {
    fn word(self) -> &'static str {
        match self {
            Possible::Yes => "yes",
            Possible::No => "no",
            Possible::Unknown => "?",
        }
    }
}

/// What Java says of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Java {
    /// It is among those that are allowed for certain.
    Allowed,
    /// It is not among those that may be allowed.
    Forbidden,
    /// It is in between.
    Unknown,
}

impl Java {
    fn word(self) -> &'static str {
        match self {
            Java::Allowed => "allowed",
            Java::Forbidden => "forbidden",
            Java::Unknown => "unknown",
        }
    }
}

/// How what a test expects compares with what Java says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Both say the same.
    Agrees,
    /// It is allowed, and the test says that it is forbidden.
    Differs,
    /// It may happen as far as the test is concerned, and never does.
    Never,
    /// Not known, or the test says nothing.
    Unknown,
}

impl Grade {
    fn word(self) -> &'static str {
        match self {
            Grade::Agrees => "agrees",
            Grade::Differs => "DIFFERS",
            Grade::Never => "never",
            Grade::Unknown => "?",
        }
    }
}

impl Table {
    /// What becomes of what the test says: refuted by one outcome, undecided if one is not known.
    pub fn claim(&self) -> Claim {
        let has = |grade: Grade| self.rows.iter().any(|row| row.grade == grade);
        match () {
            () if has(Grade::Differs) => Claim::Refuted,
            () if has(Grade::Unknown) => Claim::Undecided,
            () => Claim::Validated,
        }
    }
}

/// The table as text.
pub fn text(table: &Table) -> String {
    let mut text = format!("{}: every outcome, and whether it is possible\n\n", table.file);
    let _ = writeln!(
        text,
        "{:<16} {:<4} {:<4} {:<10} {:<24} {:<10} description",
        "result", "sc", "x86", "Java", "expected", ""
    );
    for row in &table.rows {
        let [sc, tso] = row.on_machines.map(Possible::word);
        let line = format!(
            "{:<16} {sc:<4} {tso:<4} {:<10} {:<24} {:<10} {}",
            row.outcome,
            row.java.word(),
            row.expected,
            row.grade.word(),
            row.description
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for (name, why) in &table.refused {
        let _ = writeln!(text, "\n{name}: {why}");
    }
    text.push_str(&witnesses(table));
    text
}

/// An execution for each outcome for which one was found.
fn witnesses(table: &Table) -> String {
    let mut text = String::new();
    for row in &table.rows {
        let Some(Witness { on, steps }) = row.witness.as_ref().filter(|witness| !witness.steps.is_empty()) else {
            continue;
        };
        let _ = writeln!(text, "\n{} ({on}):", row.outcome);
        let width = steps.iter().map(|(actor, _)| actor.chars().count()).max().unwrap_or(0);
        for (actor, step) in steps {
            let _ = writeln!(text, "  {actor:<width$}  {step}");
        }
    }
    if text.is_empty() {
        text
    } else {
        format!("\nAn execution for each outcome that was found, accesses of what several actors use:\n{text}")
    }
}

/// The table as a page that opens offline: well-formed XML.
pub fn html(table: &Table) -> String {
    let title = escape(&table.file);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>{title}</title>\n<style>\n{STYLE}\n</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n<table>\n<tr><th>result</th><th>sc</th><th>x86</th><th>Java</th><th>expected</th><th></th>\
         <th>description</th></tr>\n"
    );
    for row in &table.rows {
        let [sc, tso] = row.on_machines.map(Possible::word);
        let cells = [&row.outcome, sc, tso, row.java.word(), &row.expected, row.grade.word(), &row.description];
        let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
        let _ = writeln!(page, "<tr class=\"{}\">{cells}</tr>", row.java.word());
    }
    page.push_str("</table>\n");
    for (name, why) in &table.refused {
        let _ = writeln!(page, "<p>{}: {}</p>", escape(name), escape(why));
    }
    let witnesses = witnesses(table);
    if !witnesses.is_empty() {
        let _ = writeln!(page, "<h2>Executions</h2>\n<pre>{}</pre>", escape(witnesses.trim()));
    }
    page.push_str("</body>\n</html>\n");
    page
}

const STYLE: &str = "\
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2328; max-width: 75em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2em .8em; border-bottom: 1px solid #d8dee4; }
.forbidden td { color: #7a828c; } .unknown td { background: #fff8e6; }
pre { background: #f6f8fa; border: 1px solid #d8dee4; border-radius: .4em; padding: .7em 1em; overflow-x: auto; }";

/// The table for continuous integration: one case for each outcome, which fails where Java allows what the test forbids.
pub fn junit(table: &Table) -> String {
    let has = |grade: Grade| table.rows.iter().filter(|row| row.grade == grade).count();
    let file = escape(&table.file);
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{file}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
        table.rows.len(),
        has(Grade::Differs),
        has(Grade::Unknown)
    );
    for row in &table.rows {
        let case = format!("<testcase classname=\"{file}\" name=\"{}\"", escape(&row.outcome));
        let said = escape(&format!("Java: {}, the test: {}", row.java.word(), row.expected));
        let _ = match row.grade {
            Grade::Differs => writeln!(xml, "  {case}><failure message=\"{said}\"/></testcase>"),
            Grade::Unknown => writeln!(xml, "  {case}><skipped message=\"{said}\"/></testcase>"),
            Grade::Agrees | Grade::Never => writeln!(xml, "  {case}/>"),
        };
    }
    xml.push_str("</testsuite>\n");
    xml
}
