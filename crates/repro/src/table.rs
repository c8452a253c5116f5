//! A published table with our figures beside it.

use report::table::Align;
use serde_json::Value as Json;

use crate::Published;

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Its parts, at least one.
    pub parts: Vec<Part>,
    /// Sums over its rows.
    pub sums: Option<Sums>,
    /// What is said of the rows that agree: `verdicts agree`.
    pub agreement: &'static str,
    /// Something else that is counted.
    pub tally: Option<Tally>,
    /// How the columns are to be read.
    pub remarks: Vec<&'static str>,
    /// What JSON calls the published figures: `paper`, or `published` where they are given word for word.
    pub paper_key: &'static str,
}

/// A part of a table: rows with the same columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its heading.
    pub heading: Option<&'static str>,
    /// Headers and how their cells stand.
    pub columns: Vec<(String, Align)>,
    /// In the order of the paper.
    pub rows: Vec<Row>,
}

/// A row: what was published, and ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What it is about: names and values.
    pub about: Vec<(&'static str, Json)>,
    /// The published figures, an object.
    pub paper: Json,
    /// Ours, an object.
    pub ours: Json,
    /// Whether ours are as they must be.
    pub agrees: bool,
    /// Processor time of our figures.
    pub seconds: f64,
    /// What must be known beyond the cells, one sentence that says what it is about.
    pub note: Option<String>,
    /// What stands in the columns.
    pub cells: Vec<String>,
}

/// Sums over rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Sums {
    /// Their heading.
    pub heading: Option<&'static str>,
    /// Headers and how their cells stand.
    pub columns: Vec<(String, Align)>,
    /// What stands in them.
    pub lines: Vec<Vec<String>>,
}

/// How many rows have a property besides agreeing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Its name in JSON.
    pub name: &'static str,
    /// What is counted, in words.
    pub what: &'static str,
    /// How many have it.
    pub count: usize,
}

impl Table {
    /// A table without sums, tally and remarks, whose rows agree.
    pub(crate) fn new(published: &Published, parts: Vec<Part>) -> Table {
        Table {
            name: published.name,
            title: published.title,
            parts,
            sums: None,
            agreement: "rows agree",
            tally: None,
            remarks: Vec::new(),
            paper_key: "paper",
        }
    }

    /// All rows, part by part.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.parts.iter().flat_map(|part| &part.rows)
    }

    /// How many rows agree.
    pub fn agreeing(&self) -> usize {
        self.rows().filter(|row| row.agrees).count()
    }

    /// Whether all do.
    pub fn all_agree(&self) -> bool {
        self.rows().all(|row| row.agrees)
    }
}

impl Part {
    /// A part with these rows. `row` makes all of a row but its cells.
    pub(crate) fn of<'r, R: 'r>(
        heading: Option<&'static str>,
        columns: Columns<R>,
        rows: impl IntoIterator<Item = &'r R>,
        row: impl Fn(&R) -> Row,
    ) -> Part {
        let rows = rows.into_iter().map(|data| Row { cells: columns.cells(data), ..row(data) }).collect();
        Part { heading, columns: columns.headers(), rows }
    }
}

impl Sums {
    /// Sums with a line for each of these.
    pub(crate) fn of<R>(heading: Option<&'static str>, columns: Columns<R>, lines: &[R]) -> Sums {
        let lines = lines.iter().map(|line| columns.cells(line)).collect();
        Sums { heading, columns: columns.headers(), lines }
    }
}

/// Columns: headers, and what stands below them.
pub(crate) struct Columns<'a, R>(Vec<Column<'a, R>>);

struct Column<'a, R> {
    header: String,
    align: Align,
    cell: Box<dyn Fn(&R) -> String + 'a>,
}

impl<'a, R> Columns<'a, R> {
    /// No columns.
    pub(crate) fn new() -> Columns<'a, R> {
        Columns(Vec::new())
    }

    /// One more, of text.
    pub(crate) fn left(self, header: impl Into<String>, cell: impl Fn(&R) -> String + 'a) -> Columns<'a, R> {
        self.with(header.into(), Align::Left, Box::new(cell))
    }

    /// One more, of numbers.
    pub(crate) fn right(self, header: impl Into<String>, cell: impl Fn(&R) -> String + 'a) -> Columns<'a, R> {
        self.with(header.into(), Align::Right, Box::new(cell))
    }

    /// One more with our figures, behind one of the paper, if there are some.
    pub(crate) fn after(self, own: Option<impl Fn(&R) -> String + 'a>) -> Columns<'a, R> {
        match own {
            Some(cell) => self.right("ours", cell),
            None => self,
        }
    }

    fn with(mut self, header: String, align: Align, cell: Box<dyn Fn(&R) -> String + 'a>) -> Columns<'a, R> {
        self.0.push(Column { header, align, cell });
        self
    }

    fn cells(&self, row: &R) -> Vec<String> {
        self.0.iter().map(|column| (column.cell)(row)).collect()
    }

    fn headers(self) -> Vec<(String, Align)> {
        self.0.into_iter().map(|column| (column.header, column.align)).collect()
    }
}

/// The word for a row that agrees or does not.
pub(crate) fn mark(agrees: bool) -> String {
    if agrees { "agrees".into() } else { "DIFFERS".into() }
}

/// To microseconds.
pub(crate) fn round(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
