//! Source texts and positions in them.

use std::collections::BTreeMap;
use std::sync::Arc;

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
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The texts that spans point into. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    files: Vec<Arc<SourceFile>>,
    /// What the source calls the fields of its types: by type, then by number.
    fields: Arc<BTreeMap<String, BTreeMap<i64, String>>>,
}

#[derive(Debug, PartialEq, Eq)]
struct SourceFile {
    name: String,
    text: String,
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
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1));
        self.files.push(Arc::new(SourceFile { name: name.into(), text, line_starts }));
        FileId(self.files.len() as u32 - 1)
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
        Location { file: file.name.clone(), line: line + 1, column: column + 1 }
    }
}
