//! Stand-in for the preprocessor, to be replaced: inlines `#include` files that the caller knows, drops the others, and
//! replaces object-like macros once.

use std::collections::HashMap;
use std::ops::Range;

use program::{Diagnostics, FileId, Sources, Span};

/// Text for the parser, and where its parts come from.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The text.
    pub text: String,
    /// Where its parts stand in the user's files.
    pub origins: Origins,
}

/// Where the parts of a preprocessed text come from.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// Start in the text, file, start in the file, length in the file if it differs.
    parts: Vec<(usize, FileId, usize, Option<usize>)>,
}

impl Origins {
    /// Where that part of the text stands in the user's files.
    pub fn span(&self, bytes: Range<usize>) -> Option<Span> {
        let at = |offset: usize, end: bool| {
            let index = self.parts.partition_point(|part| part.0 <= offset).checked_sub(1)?;
            let (start, file, from, length) = self.parts[index];
            let inside = match length {
                Some(length) if end => length,
                Some(_) => 0,
                None => offset - start,
            };
            Some((file, from + inside))
        };
        let (file, start) = at(bytes.start, false)?;
        let (other, end) = at(bytes.end.checked_sub(1).unwrap_or(bytes.start), true)?;
        let end = if other == file { end + 1 } else { start };
        Some(Span::new(file, start, end.max(start)))
    }
}

/// Gives the path and text of an included file: takes the name as written and the path of the including file.
pub type Include<'a> = dyn FnMut(&str, &str) -> Option<(String, String)> + 'a;

/// Preprocesses a file.
pub fn preprocess(
    path: &str,
    text: &str,
    include: &mut Include,
    defines: &[(String, String)],
    sources: &mut Sources,
) -> Result<Preprocessed, Diagnostics> {
    let mut out = Preprocessed { text: String::new(), origins: Origins::default() };
    let mut macros: HashMap<String, String> = defines.iter().cloned().collect();
    file(path, text, include, &mut macros, sources, &mut out, 0);
    Ok(out)
}

fn file(
    path: &str,
    text: &str,
    include: &mut Include,
    macros: &mut HashMap<String, String>,
    sources: &mut Sources,
    out: &mut Preprocessed,
    depth: usize,
) {
    let id = sources.add(path, text);
    let text = &blank_comments(text);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if let Some(directive) = trimmed.strip_prefix('#') {
            let directive = directive.trim();
            if let Some(name) = directive.strip_prefix("include") {
                let name = name.trim().trim_matches(['"', '<', '>']);
                if let Some((path, text)) = (depth < 20).then(|| include(name, path)).flatten() {
                    file(&path, &text, include, macros, sources, out, depth + 1);
                }
            } else if let Some(definition) = directive.strip_prefix("define") {
                let definition = definition.trim();
                let (name, value) = definition.split_once(char::is_whitespace).unwrap_or((definition, ""));
                macros.insert(name.into(), value.trim().into());
            }
        } else {
            words(line, start, id, macros, out);
        }
        start += line.len();
    }
}

/// Comments become blanks.
fn blank_comments(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut at = 0;
    while at + 1 < out.len() {
        let end = match &out[at..at + 2] {
            b"//" => text[at..].find('\n').map_or(out.len(), |end| at + end),
            b"/*" => text[at + 2..].find("*/").map_or(out.len(), |end| at + end + 4),
            _ if out[at] == b'"' || out[at] == b'\'' => {
                let quote = out[at];
                at += 1;
                while at < out.len() && out[at] != quote && out[at] != b'\n' {
                    at += 1 + usize::from(out[at] == b'\\');
                }
                at
            }
            _ => {
                at += 1;
                continue;
            }
        };
        if out.get(at) == Some(&b'/') {
            out[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
        at = end.max(at + 1);
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn words(line: &str, start: usize, file: FileId, macros: &HashMap<String, String>, out: &mut Preprocessed) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = line;
    let mut quoted = false;
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (word, behind) = rest.split_at(length);
        quoted ^= word == "\"";
        let replacement = macros.get(word).filter(|_| !quoted);
        let from = start + line.len() - rest.len();
        out.origins.parts.push((out.text.len(), file, from, replacement.map(|_| length - 1)));
        out.text.push_str(replacement.map_or(word, |text| text));
        rest = behind;
    }
}
