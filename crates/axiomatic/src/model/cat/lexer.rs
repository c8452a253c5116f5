//! Words of the cat language.

use program::{Diagnostic, FileId, Span};

/// What sort of word it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier: letters, digits, `_`, `.`, `-`, perhaps one final prime.
    Name,
    /// A reserved word.
    Keyword,
    /// `'name`; the text is without the prime.
    Tag,
    /// `"text"`; the text is without the quotes.
    String,
    /// An operator or a bracket.
    Symbol,
    /// The end of the file, once.
    End,
}

/// A word and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) span: Span,
    /// Whether it is the first of its line; statements that follow an error are looked for there.
    pub(super) first: bool,
}

const KEYWORDS: &[&str] = &[
    "let",
    "rec",
    "and",
    "when",
    "in",
    "fun",
    "try",
    "with",
    "from",
    "if",
    "then",
    "else",
    "match",
    "begin",
    "end",
    "do",
    "acyclic",
    "irreflexive",
    "empty",
    "as",
    "flag",
    "undefined_unless",
    "assert",
    "subset",
    "show",
    "unshow",
    "include",
    "procedure",
    "call",
    "forall",
    "enum",
    "debug",
    "yield",
    "instructions",
    "default",
    "compat",
];

/// Longest first, so that a prefix does not win.
const SYMBOLS: &[&str] = &[
    "||", "&&", "++", "->", "-1", "|", "+", "&", "*", "~", "^", "\\", "?", "=", ";", ",", "(", ")", "{", "}", "[", "]",
    "_", "0",
];

/// Splits a text into words; the last is [`Kind::End`]. What is no word is reported and skipped.
pub(super) fn tokens<'a>(file: FileId, text: &'a str, messages: &mut Vec<Diagnostic>) -> Vec<Token<'a>> {
    let mut tokens = Vec::new();
    let (mut at, mut first) = (0, true);
    while at < text.len() && messages.len() < super::MESSAGES {
        let rest = &text[at..];
        let (length, kind) = next(rest);
        let span = Span::new(file, at, at + length);
        let word = &rest[..length];
        match kind {
            Found::Blank => first |= word.contains('\n'),
            Found::Token(kind) => {
                let text = match kind {
                    Kind::Tag => &word[1..],
                    Kind::String => &word[1..length - 1],
                    _ => word,
                };
                tokens.push(Token { kind, text, span, first });
                first = false;
            }
            Found::Wrong(message) => {
                messages.push(Diagnostic::error(message, Span::new(file, at, at + length.min(2))));
            }
        }
        at += length;
    }
    tokens.push(Token { kind: Kind::End, text: "", span: Span::new(file, text.len(), text.len()), first: true });
    tokens
}

enum Found {
    Blank,
    Token(Kind),
    Wrong(&'static str),
}

/// The length of the first word of `rest`, which is not empty, and what it is.
fn next(rest: &str) -> (usize, Found) {
    let bytes = rest.as_bytes();
    if rest.starts_with("(*") {
        return match comment(bytes) {
            Some(length) => (length, Found::Blank),
            None => (rest.len(), Found::Wrong("this comment is not closed")),
        };
    }
    if rest.starts_with("/*") {
        return match rest.find("*/") {
            Some(length) => (length + 2, Found::Blank),
            None => (rest.len(), Found::Wrong("this comment is not closed")),
        };
    }
    if rest.starts_with("//") || bytes[0] == b'#' {
        return (rest.find('\n').unwrap_or(rest.len()), Found::Blank);
    }
    if bytes[0] == b'"' {
        return match rest[1..].find('"') {
            Some(length) => (length + 2, Found::Token(Kind::String)),
            None => (rest.len(), Found::Wrong("this string is not closed")),
        };
    }
    if let Some(length) = name(rest) {
        let keyword = KEYWORDS.contains(&&rest[..length]);
        return (length, Found::Token(if keyword { Kind::Keyword } else { Kind::Name }));
    }
    if bytes[0] == b'\'' {
        return match name(&rest[1..]) {
            Some(length) => (length + 1, Found::Token(Kind::Tag)),
            None => (1, Found::Wrong("a tag has a name after the prime")),
        };
    }
    if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        return (symbol.len(), Found::Token(Kind::Symbol));
    }
    let stretch = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
    match stretch(char::is_whitespace) {
        0 => (stretch(strange).max(1), Found::Wrong("this is no word of the cat language")),
        length => (length, Found::Blank),
    }
}

/// Whether no word starts with it. Runs of such characters are reported once.
fn strange(c: char) -> bool {
    !c.is_whitespace() && !c.is_ascii_alphanumeric() && !"'\"#/(){}[]|+-&*~^\\?=;,_".contains(c)
        || ('1'..='9').contains(&c)
        || c == '-'
        || c == '/'
}

/// The length of the comment at the start; comments nest.
fn comment(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (2, 1);
    while depth > 0 {
        match bytes.get(at..at + 2)? {
            b"(*" => (depth, at) = (depth + 1, at + 2),
            b"*)" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    Some(at)
}

/// The length of the name at the start.
fn name(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    let mut at = match bytes.first()? {
        b'_' if letter(1) => 2,
        _ if letter(0) => 1,
        _ => return None,
    };
    while let Some(&byte) = bytes.get(at) {
        let part = byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        if !part || rest[at..].starts_with("->") {
            break;
        }
        at += 1;
    }
    Some(if bytes.get(at) == Some(&b'\'') { at + 1 } else { at })
}
