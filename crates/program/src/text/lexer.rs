//! Words, numbers, quoted texts and marks of the text form.

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A keyword or a bare name.
    Word(String),
    /// A text in quotes, unescaped.
    Quoted(String),
    /// An integer.
    Number(i128),
    /// A mark, one of [`MARKS`].
    Mark(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// The marks, longer ones before their beginnings.
const MARKS: [&str; 21] =
    [":=", "->", "..", "==", "!=", "<=", "<", "=", ":", ",", "(", ")", "[", "]", "{", "}", "%", "&", "@", "#", "~"];

/// Whether the character may stand in a bare name.
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// The tokens of a text, the last one `End`, and what could not be read.
pub(super) fn lex(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut tokens = Vec::new();
    let mut errors = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            ';' => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '"' => quoted_length(rest),
            '-' if !rest.starts_with("->") => 1 + prefix(&rest[1..], |c| c.is_ascii_digit()),
            '0'..='9' => prefix(rest, |c| c.is_ascii_digit()),
            c if is_word(c) && !rest.starts_with("..") => prefix(rest, is_word),
            c => MARKS.iter().find(|mark| rest.starts_with(**mark)).map_or(c.len_utf8(), |mark| mark.len()),
        };
        let span = Span::new(file, at, at + length);
        match token(&rest[..length]) {
            Ok(kind) => tokens.push(Token { kind, span }),
            Err(message) => errors.push(Diagnostic::error(message, span)),
        }
        at += length;
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(file, at, at) });
    (tokens, errors)
}

/// The token that this stretch of text is.
fn token(text: &str) -> Result<Kind, String> {
    match text.chars().next() {
        Some('"') => quoted(text).map(Kind::Quoted),
        Some('-' | '0'..='9') if text != "->" => {
            text.parse().map(Kind::Number).map_err(|_| format!("`{text}` is not a number of at most 128 bits"))
        }
        Some(c) if is_word(c) && text != ".." => Ok(Kind::Word(text.into())),
        _ => match MARKS.iter().find(|mark| **mark == text) {
            Some(mark) => Ok(Kind::Mark(mark)),
            None => Err(format!("unexpected character `{text}`")),
        },
    }
}

/// Length in bytes of the longest beginning whose characters all are as wanted.
fn prefix(text: &str, wanted: impl Fn(char) -> bool) -> usize {
    text.find(|c| !wanted(c)).unwrap_or(text.len())
}

/// Length of a quoted text, with its quotes: to the closing quote, or to the end of the line if that is missing.
fn quoted_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

/// What a quoted text says.
fn quoted(text: &str) -> Result<String, String> {
    const OPEN: &str = "a quote is not closed on its line";
    let mut result = String::new();
    let mut chars = text.chars().skip(1);
    loop {
        match chars.next().ok_or(OPEN)? {
            '"' => return Ok(result),
            '\\' => match chars.next().ok_or(OPEN)? {
                c @ ('"' | '\\') => result.push(c),
                'u' => {
                    let escape: String = chars.by_ref().take_while(|&c| c != '}').collect();
                    let digits = escape.strip_prefix('{').and_then(|hex| u32::from_str_radix(hex, 16).ok());
                    let c = digits.and_then(char::from_u32);
                    result.push(c.ok_or_else(|| format!("`\\u{escape}}}` is not a character"))?);
                }
                c => return Err(format!("unknown escape `\\{c}`")),
            },
            c => result.push(c),
        }
    }
}
