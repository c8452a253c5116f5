//! The lines before the initial state: `LANGUAGE name`, then any of a text in parentheses, quoted texts, comments and
//! `Key=value` lines, none of which has a meaning for the test.

use program::Diagnostic;

use super::lexer::{Source, skip_comment};

/// What the header says.
#[derive(Debug)]
pub struct Header<'a> {
    /// The language of the code.
    pub language: &'a str,
    /// Offset of that word.
    pub language_start: usize,
    /// The name of the test.
    pub name: &'a str,
    /// Offset of the brace that opens the initial state.
    pub init: usize,
}

/// Reads the header.
pub fn parse(source: Source<'_>) -> Result<Header<'_>, Diagnostic> {
    let text = source.text;
    let language_start = skip_blanks(source, usize::from(text.starts_with('\u{feff}')) * 3)?;
    let language = word(text, language_start);
    let plausible = language.starts_with(|first: char| first.is_ascii_alphabetic())
        && language.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'+');
    if !plausible {
        let span = source.span(language_start, language_start + language.len().min(1));
        return Err(Diagnostic::error("a litmus test starts with its language and its name", span));
    }
    let name_start = language_start + language.len();
    let name_start = name_start + text[name_start..].len() - text[name_start..].trim_start().len();
    let name = word(text, name_start);
    if name.is_empty() {
        return Err(Diagnostic::error("the test has no name", source.span(name_start, name_start)));
    }
    let init = find_init(source, name_start + name.len())?;
    Ok(Header { language, language_start, name, init })
}

/// The offset of the first `{` that stands at the start of a line or after quoted text and the like.
fn find_init(source: Source<'_>, mut at: usize) -> Result<usize, Diagnostic> {
    let text = source.text;
    loop {
        at = skip_blanks(source, at)?;
        let rest = &text[at..];
        match rest.as_bytes().first() {
            None => return Err(Diagnostic::error("the initial state `{ ... }` is missing", source.span(at, at))),
            Some(b'{') => return Ok(at),
            Some(b'"') => {
                let length = rest[1..]
                    .find('"')
                    .ok_or_else(|| Diagnostic::error("this quoted text is not closed", source.span(at, at + 1)))?;
                at += length + 2;
            }
            Some(b'(') => {
                let length = rest.find([')', '\n']).unwrap_or(rest.len() - 1);
                at += length + 1;
            }
            Some(_) => at += rest.find('\n').unwrap_or(rest.len()),
        }
    }
}

/// Skips white space and comments.
fn skip_blanks(source: Source<'_>, mut at: usize) -> Result<usize, Diagnostic> {
    let text = source.text;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let unclosed = || Diagnostic::error("this comment is not closed", source.span(at, at + 2));
        at = if rest.starts_with("(*") {
            skip_comment(text, at).ok_or_else(unclosed)?
        } else if let Some(comment) = rest.strip_prefix("/*") {
            at + 2 + comment.find("*/").ok_or_else(unclosed)? + 2
        } else if rest.starts_with("//") {
            at + rest.find('\n').unwrap_or(rest.len())
        } else {
            return Ok(at);
        };
    }
}

/// The characters from `at` to the next white space.
fn word(text: &str, at: usize) -> &str {
    text[at..].split(char::is_whitespace).next().unwrap_or("")
}
