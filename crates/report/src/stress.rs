//! The table of a test of jcstress: each outcome, whether it is possible, and what the test says of it.

use std::fmt::Write;

use crate::answer::Claim;

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
    text
}
