//! Words of the axiom format.

use program::{Diagnostic, FileId, Span};

/// What sort of word it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or keyword: letters, digits, `_`, then primes.
    Word,
    /// `<label>`; the text is without the brackets.
    Label,
    /// An operator or a bracket.
    Symbol,
    /// A number of two digits or more, or from 2 on: `0` and `1` are symbols.
    Number,
    /// The end of the file, once.
    End,
}

/// A word and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) span: Span,
    /// Whether it is the first of its line; reading goes on there after an error.
    pub(super) first: bool,
}

/// Longest first, so that a prefix does not win.
const SYMBOLS: &[&str] = &[
    "<=>", "<=", ">=", "=>", "=", "#", "{", "}", "&", "|", "~", "(", ")", "[", "]", ",", ":", ".", ";", "\\", "*",
    "^-1", "^+", "^*", "?", "-", "0", "1",
];

/// Splits a text into words; the last is [`Kind::End`]. What is no word is reported and skipped.
pub(super) fn tokens<'a>(file: FileId, text: &'a str, messages: &mut Vec<Diagnostic>) -> Vec<Token<'a>> {
    let mut tokens = Vec::new();
    let (mut at, mut first) = (0, true);
    while at < text.len() && messages.len() < super::MESSAGES {
        let rest = &text[at..];
        let (length, found) = next(rest);
        let span = Span::new(file, at, at + length);
        match found {
            Found::Blank => first |= rest[..length].contains('\n'),
            Found::Token(kind) => {
                let word = &rest[..length];
                let text = if kind == Kind::Label { word[1..length - 1].trim() } else { word };
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
    let stretch = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
    if rest.starts_with("(*") {
        return match rest.find("*)") {
            Some(end) => (end + 2, Found::Blank),
            None => (rest.len(), Found::Wrong("this comment is not closed")),
        };
    }
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), Found::Blank);
    }
    let digits = stretch(|c| c.is_ascii_digit());
    if digits > 1 || rest.starts_with(|c: char| ('2'..='9').contains(&c)) {
        return (digits, Found::Token(Kind::Number));
    }
    if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        return (symbol.len(), Found::Token(Kind::Symbol));
    }
    if let Some(label) = rest.strip_prefix('<') {
        return match label.find(['<', '>', '\n']) {
            Some(end) if label.as_bytes()[end] == b'>' => (end + 2, Found::Token(Kind::Label)),
            _ => (1, Found::Wrong("this label is not closed by `>`")),
        };
    }
    if rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        let name = stretch(|c| c.is_ascii_alphanumeric() || c == '_');
        let primes = rest[name..].bytes().take_while(|byte| *byte == b'\'').count();
        return (name + primes, Found::Token(Kind::Word));
    }
    match stretch(char::is_whitespace) {
        0 => {
            let strange = |c: char| {
                !c.is_whitespace()
                    && !c.is_ascii_alphabetic()
                    && !"<>=&|~()[]{},:./_;\\*^?-#".contains(c)
                    && !c.is_ascii_digit()
            };
            let first = rest.chars().next().map_or(1, char::len_utf8);
            (stretch(strange).max(first), Found::Wrong("this is no word of the model language"))
        }
        length => (length, Found::Blank),
    }
}
