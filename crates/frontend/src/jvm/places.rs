//! Where the parts of a class stand: in the source text if there is one, else in a listing made of names and line numbers.

use program::{FileId, Sources, Span};
use rustc_hash::FxHashMap;

use super::class::Class;

/// A method: the index of its class, and its index there.
pub type MethodId = (usize, usize);

/// The texts that spans point into.
#[derive(Default)]
pub struct Places {
    /// All of them.
    pub sources: Sources,
    classes: Vec<Text>,
}

/// What spans of one class point into.
enum Text {
    /// The source.
    Source(FileId),
    /// Where each method and line stands that has code, in a listing.
    Listing(FxHashMap<(usize, u32), Span>),
}

/// A listing that is written.
#[derive(Default)]
struct Listing {
    text: String,
    places: Vec<((usize, u32), (usize, usize))>,
}

impl Listing {
    /// Writes a line for what methods have on one line of the source, which all of these name; `name` is that of the class.
    fn line(&mut self, class: &Class, name: &str, methods: &[(u32, usize)]) {
        let number = methods.first().map_or(0, |(line, _)| *line).to_string();
        for (place, &(line, index)) in methods.iter().enumerate() {
            self.text.push_str(if place == 0 { "" } else { "  " });
            let start = self.text.len();
            self.text.extend([name, ".", class.methods[index].name, ":", &number]);
            self.places.push(((index, line), (start, self.text.len())));
        }
        self.text.push('\n');
    }

    fn placed(&self, file: FileId) -> FxHashMap<(usize, u32), Span> {
        self.places.iter().map(|&(key, (start, end))| (key, Span::new(file, start, end))).collect()
    }
}

impl Places {
    /// Adds the next class, with the name and text of its source if there is one.
    pub fn add(&mut self, class: &Class, source: Option<&(String, String)>) {
        let text = match source {
            Some((name, text)) => Text::Source(self.source(name, text)),
            None => self.listing(class),
        };
        self.classes.push(text);
    }

    /// The file with this name and text, which several classes may share.
    fn source(&mut self, name: &str, text: &str) -> FileId {
        let known = self.classes.iter().find_map(|class| match class {
            Text::Source(file) if self.sources.name(*file) == name && self.sources.text(*file) == text => Some(*file),
            _ => None,
        });
        known.unwrap_or_else(|| self.sources.add(name, text))
    }

    /// Texts that stand for a source that is not there: one with `Class.method:line` on each line that has code, and one for
    /// code without a line. Locations in them are those of the source.
    fn listing(&mut self, class: &Class) -> Text {
        let mut lines: Vec<(u32, usize)> = Vec::new();
        for (index, method) in class.methods.iter().enumerate() {
            lines.push((0, index));
            lines.extend(method.body.iter().flat_map(|body| body.lines()).map(|line| (line, index)));
        }
        lines.sort_unstable();
        lines.dedup();
        let (unplaced, placed) = lines.split_at(lines.partition_point(|(line, _)| *line == 0));
        let shown = shown(class.name);
        let folder = class.name.rfind('/').map_or("", |end| &class.name[..=end]);
        let name = match class.source {
            Some(source) => format!("{folder}{source}"),
            None => format!("{shown}.class"),
        };
        let mut listing = Listing::default();
        let mut next = 1;
        for methods in placed.chunk_by(|(a, _), (b, _)| a == b) {
            let line = methods[0].0;
            (next..line).for_each(|_| listing.text.push('\n'));
            listing.line(class, &shown, methods);
            next = line + 1;
        }
        let mut places = listing.placed(self.sources.add_listing(&name, &listing.text, true));
        let mut listing = Listing::default();
        listing.line(class, &shown, unplaced);
        places.extend(listing.placed(self.sources.add_listing(&name, &listing.text, false)));
        Text::Listing(places)
    }

    /// The statement on a line of a method.
    pub fn statement(&self, (class, method): MethodId, line: u32) -> Span {
        match &self.classes[class] {
            Text::Source(file) => {
                let (start, end) = statement_on(self.sources.text(*file), line).unwrap_or((0, 0));
                Span::new(*file, start, end)
            }
            Text::Listing(places) => {
                let known = places.get(&(method, line)).or_else(|| places.get(&(method, 0)));
                known.copied().unwrap_or(Span::new(FileId(0), 0, 0))
            }
        }
    }

    /// The source line of a span.
    pub fn line(&self, span: Span) -> u32 {
        let is_source = self.classes.iter().any(|class| matches!(class, Text::Source(file) if *file == span.file));
        if is_source {
            return self.sources.location(span).line as u32;
        }
        self.sources.snippet(span).rsplit_once(':').and_then(|(_, line)| line.parse().ok()).unwrap_or(0)
    }

    /// The condition of an assertion that starts on a line, as the source writes it; of several, that of this index.
    pub fn assertion(&self, class: usize, line: u32, index: usize) -> Option<String> {
        let Text::Source(file) = &self.classes[class] else { return None };
        let text = self.sources.text(*file);
        let (start, _) = statement_on(text, line)?;
        let after = assertions(&text[start..]).nth(index)?;
        let condition = &after[..end_of_condition(after)];
        Some(condition.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The declaration of a static field: the first line of the source that names it together with `static`.
    pub fn static_field(&self, class: usize, field: &str) -> Option<Span> {
        let Text::Source(file) = &self.classes[class] else { return None };
        let text = self.sources.text(*file);
        let has = |line: &str, word: &str| line.split(|c: char| !is_part_of_name(c)).any(|part| part == word);
        let line = text.lines().position(|line| has(line, "static") && has(line, field) && !line.contains('('))?;
        let (start, end) = statement_on(text, line as u32 + 1)?;
        Some(Span::new(*file, start, end))
    }
}

/// What follows each word `assert`.
fn assertions(text: &str) -> impl Iterator<Item = &str> {
    const WORD: &str = "assert";
    text.match_indices(WORD).filter_map(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + WORD.len()..]);
        (!before.ends_with(is_part_of_name) && !after.starts_with(is_part_of_name)).then_some(after)
    })
}

/// Where the condition of an assertion ends: at the `:` before its message, else at the `;`.
fn end_of_condition(text: &str) -> usize {
    let (mut quoted, mut depth, mut choices) = (false, 0i32, 0);
    for (index, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '?' if depth == 0 => choices += 1,
            ':' if depth == 0 && choices > 0 => choices -= 1,
            ':' | ';' if depth == 0 => return index,
            _ => {}
        }
    }
    text.len()
}

/// A binary name as Java writes it.
pub fn shown(name: &str) -> String {
    name.replace('/', ".")
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The bytes of a line without what surrounds the statement: blanks, a brace, the final `;`, a comment.
fn statement_on(text: &str, line: u32) -> Option<(usize, usize)> {
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    let whole = text.split('\n').nth(index)?;
    let start = whole.as_ptr() as usize - text.as_ptr() as usize;
    let kept = without_comment(whole).trim_end();
    let kept = kept.strip_suffix([';', '{']).unwrap_or(kept).trim_end();
    let inner = kept.trim_start();
    let inner = inner.strip_prefix('}').unwrap_or(inner).trim_start();
    let start = start + (kept.len() - inner.len());
    Some((start, start + inner.len()))
}

/// The line up to a comment to its end.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    for (index, c) in line.char_indices() {
        quoted ^= c == '"';
        if !quoted && line[index..].starts_with("//") {
            return &line[..index];
        }
    }
    line
}
