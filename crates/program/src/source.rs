//! Source texts and positions in them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::layout::Layout;
use crate::value::Pointer;

/// One file of a [`Sources`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A stretch of bytes of one source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just past the last byte.
    pub end: u32,
}

impl Span {
    /// The stretch from `start` to `end` of `file`. Offsets past 4 GiB are clamped: no source we read is that long.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span { file, start: clamp(start), end: clamp(end.max(start)) }
    }

    /// The smallest span that covers both; `other` must be of the same file, else `self` is returned.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A position as people write it: both numbers count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// Name of the file as the user gave it.
    pub file: String,
    /// Line, from 1; 0 if it is not known.
    pub line: usize,
    /// Column in characters, from 1; 0 if it is not known.
    pub column: usize,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, self.column) {
            (0, _) => write!(f, "{}", self.file),
            (line, 0) => write!(f, "{}:{line}", self.file),
            (line, column) => write!(f, "{}:{line}:{column}", self.file),
        }
    }
}

/// What a cell holds that is not written as an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A floating-point number.
    Float,
    /// A reference to an object, or null.
    Reference,
    /// A truth value.
    Boolean,
}

/// The texts that spans point into. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    files: Vec<Arc<SourceFile>>,
    /// What the source calls the fields of its types: by type, then by number.
    fields: Arc<BTreeMap<String, BTreeMap<i64, String>>>,
    /// Where the parts of objects lie that have bytes: by type, or by the name of a global after `&`.
    layouts: Arc<BTreeMap<String, Layout>>,
    /// What cells hold that is not written as an integer: by type and field, or by the name of a global alone.
    kinds: Arc<BTreeMap<(String, Option<i64>), Kind>>,
    /// The files that are not the user's.
    library: Arc<BTreeSet<FileId>>,
}

/// What a text tells of where its parts stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precision {
    /// It is the source.
    Characters,
    /// It stands for a source that is not there: each line has what is known of that line of the source.
    Lines,
    /// It stands for a source of which no line is known.
    Nothing,
}

#[derive(Debug, PartialEq, Eq)]
struct SourceFile {
    name: String,
    text: String,
    precision: Precision,
    /// Invariant: offset of the first byte of each line, ascending, never empty.
    line_starts: Vec<u32>,
}

impl Sources {
    /// An empty table.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.add_file(name.into(), text.into(), Precision::Characters)
    }

    /// Adds what stands for a file that is not there: each line has what is known of that line, or none is known.
    pub fn add_listing(&mut self, name: impl Into<String>, text: impl Into<String>, has_lines: bool) -> FileId {
        let precision = if has_lines { Precision::Lines } else { Precision::Nothing };
        self.add_file(name.into(), text.into(), precision)
    }

    fn add_file(&mut self, name: String, text: String, precision: Precision) -> FileId {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1));
        self.files.push(Arc::new(SourceFile { name, text, precision, line_starts }));
        FileId(self.files.len() as u32 - 1)
    }

    /// Notes that a file belongs to a library, not to the user.
    pub fn note_library(&mut self, file: FileId) {
        Arc::make_mut(&mut self.library).insert(file);
    }

    /// Whether a file belongs to a library.
    pub fn is_library(&self, file: FileId) -> bool {
        self.library.contains(&file)
    }

    /// Notes what the source calls a field: `of` is the type, as allocations of it are named, and `number` the field's path.
    pub fn name_field(&mut self, of: &str, number: i64, name: &str) {
        let fields = Arc::make_mut(&mut self.fields);
        fields.entry(of.to_string()).or_default().insert(number, name.to_string());
    }

    /// What the source calls a field, if that was noted.
    pub fn field(&self, of: &str, number: i64) -> Option<&str> {
        self.fields.get(of)?.get(&number).map(String::as_str)
    }

    /// Notes where the parts of an object lie: `of` is the type, as allocations of it are named, or `&` and the name of a global.
    pub fn name_parts(&mut self, of: &str, layout: Layout) {
        Arc::make_mut(&mut self.layouts).insert(of.to_string(), layout);
    }

    /// What the source calls the cell of an object with bytes, after the name of the object; `None` if the layout of the
    /// object was not noted.
    pub fn part_name(&self, of: &str, cell: &Pointer) -> Option<String> {
        let offset = u64::try_from(cell.bytes()?).ok()?;
        self.layouts.get(of).map(|layout| layout.part(offset))
    }

    /// Notes what a field of a type, or a global, holds.
    pub fn note_kind(&mut self, of: &str, number: Option<i64>, kind: Kind) {
        Arc::make_mut(&mut self.kinds).insert((of.to_string(), number), kind);
    }

    /// What a field of a type, or a global, holds, if that was noted.
    pub fn kind(&self, of: &str, number: Option<i64>) -> Option<Kind> {
        (!self.kinds.is_empty()).then(|| self.kinds.get(&(of.to_string(), number)).copied()).flatten()
    }

    /// What a cell of an object of a type holds, if that was noted or says it itself.
    pub fn kind_in(&self, of: &str, path: &[i64]) -> Option<Kind> {
        match (of, path) {
            ("double[]" | "float[]", _) => Some(Kind::Float),
            ("boolean[]", _) => Some(Kind::Boolean),
            (_, [field]) => self.kind(of, Some(*field)),
            _ => None,
        }
    }

    /// All files.
    pub fn files(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files.len() as u32).map(FileId)
    }

    /// Whether a file only stands for one that is not there.
    pub fn is_listing(&self, file: FileId) -> bool {
        self.files.get(file.0 as usize).is_some_and(|file| file.precision != Precision::Characters)
    }

    /// The name of a file, as given to [`Sources::add`].
    pub fn name(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("?", |f| &f.name)
    }

    /// The whole text of a file; empty for an unknown file.
    pub fn text(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |f| &f.text)
    }

    /// The text under a span; empty when the span does not fit the file.
    pub fn snippet(&self, span: Span) -> &str {
        self.text(span.file).get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The text under a span on one line: each stretch of white space becomes a blank.
    pub fn words(&self, span: Span) -> String {
        self.snippet(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Where a span starts.
    pub fn location(&self, span: Span) -> Location {
        let Some(file) = self.files.get(span.file.0 as usize) else {
            return Location { file: "?".into(), line: 0, column: 0 };
        };
        let line = file.line_starts.partition_point(|&start| start <= span.start) - 1;
        let from = file.line_starts[line] as usize;
        let upto = (span.start as usize).min(file.text.len());
        let column = file.text.get(from..upto).map_or(upto - from, |text| text.chars().count());
        let (line, column) = match file.precision {
            Precision::Characters => (line + 1, column + 1),
            Precision::Lines => (line + 1, 0),
            Precision::Nothing => (0, 0),
        };
        Location { file: file.name.clone(), line, column }
    }
}
