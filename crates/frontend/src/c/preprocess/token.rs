//! Preprocessing tokens, and the lexer that finds them: translation phases 1 to 3 of C11 (5.1.1.2).
//!
//! As gcc's GNU mode we know no trigraphs, allow `$` in identifiers, and allow blanks between a backslash and the end of
//! the line that it continues. A quote without its partner is a token of its own, so that text which is skipped may
//! contain one; it is an error where it is used.

use std::collections::BTreeSet;
use std::rc::Rc;

use program::{Diagnostic, FileId, Span};

/// What kind of token it is, as far as the preprocessor cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Identifier,
    Number,
    /// A string or character constant with its prefix and quotes.
    Quoted,
    /// The name in an `#include` with its delimiters.
    HeaderName,
    Punctuator,
    /// A character that begins no token.
    Other,
    /// The end of a line.
    Newline,
    /// Nothing: an empty argument next to `##`.
    Placemarker,
}

/// The names of macros that a token may no longer be expanded as (Prosser's hide set); `None` is the empty set.
pub(super) type Hidden = Option<Rc<BTreeSet<Rc<str>>>>;

/// One token.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub text: Rc<str>,
    /// Where it stands; for a token of a macro's body, where the macro was used.
    pub place: Span,
    /// White space comes before it.
    pub spaced: bool,
    /// It is the first one of its line.
    pub first: bool,
    pub hidden: Hidden,
}

impl Token {
    /// A token that is not in any source text, at a place that is.
    pub fn made(kind: Kind, text: &str, place: Span) -> Token {
        Token { kind, text: text.into(), place, spaced: false, first: false, hidden: None }
    }

    /// Whether it is the punctuator `text`.
    pub fn is(&self, text: &str) -> bool {
        self.kind == Kind::Punctuator && &*self.text == text
    }

    /// Whether it is the identifier `name`.
    pub fn is_name(&self, name: &str) -> bool {
        self.kind == Kind::Identifier && &*self.text == name
    }

    /// Whether it may not be expanded as the macro `name`.
    pub fn hides(&self, name: &str) -> bool {
        self.hidden.as_ref().is_some_and(|names| names.contains(name))
    }
}

/// The tokens of a file, with a [`Kind::Newline`] at the end of each line that holds any.
pub(super) fn tokens(text: &str, file: FileId) -> (Vec<Token>, Vec<Diagnostic>) {
    let spliced = splice(text);
    let mut lexer = Lexer {
        text: &spliced.text,
        spliced: &spliced,
        file,
        at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 },
        found: Vec::new(),
        wrong: Vec::new(),
    };
    lexer.run();
    (lexer.found, lexer.wrong)
}

/// The token that `text` is when it is exactly one.
pub(super) fn single(text: &str, place: Span) -> Option<Token> {
    let (found, wrong) = tokens(text, place.file);
    match &found[..] {
        [token, end] if wrong.is_empty() && end.kind == Kind::Newline && token.text.len() == text.len() => {
            Some(Token { place, spaced: false, first: false, ..token.clone() })
        }
        _ => None,
    }
}

/// A text in which lines that end with a backslash are joined with the next.
struct Spliced {
    text: String,
    /// Invariant: ascending; from this offset of `text` on, so many bytes were left out before.
    cuts: Vec<(usize, usize)>,
}

impl Spliced {
    /// The offset in the original text of an offset in the joined one.
    fn original(&self, offset: usize) -> usize {
        let index = self.cuts.partition_point(|&(from, _)| from <= offset);
        offset + index.checked_sub(1).map_or(0, |last| self.cuts[last].1)
    }

    /// The offset in the original text just past the byte before `offset`.
    fn original_end(&self, offset: usize) -> usize {
        offset.checked_sub(1).map_or(0, |last| self.original(last) + 1)
    }
}

/// Joins lines (phase 2).
fn splice(text: &str) -> Spliced {
    let mut spliced = Spliced { text: String::with_capacity(text.len()), cuts: Vec::new() };
    let mut copied = 0;
    let mut removed = 0;
    for (backslash, _) in text.match_indices('\\') {
        if backslash < copied {
            continue;
        }
        let Some(length) = line_end(&text[backslash + 1..]) else { continue };
        spliced.text.push_str(&text[copied..backslash]);
        copied = backslash + 1 + length;
        removed += 1 + length;
        spliced.cuts.push((spliced.text.len(), removed));
    }
    spliced.text.push_str(&text[copied..]);
    spliced
}

/// The length of the blanks and the line end at the start of `text`, if that is what stands there.
fn line_end(text: &str) -> Option<usize> {
    let blanks = text.bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)).count();
    text[blanks..].starts_with('\n').then_some(blanks + 1)
}

/// The length of the longest punctuator that `text` starts with; 0 if it starts with none.
fn length_of_punctuator(text: &[u8]) -> usize {
    match text {
        [b'%', b':', b'%', b':', ..] => 4,
        [b'.', b'.', b'.', ..] | [b'<', b'<', b'=', ..] | [b'>', b'>', b'=', ..] => 3,
        [b'-', b'>' | b'-' | b'=', ..]
        | [b'+', b'+' | b'=', ..]
        | [b'&', b'&' | b'=', ..]
        | [b'|', b'|' | b'=', ..] => 2,
        [b'<', b'<' | b'=' | b':' | b'%', ..] | [b'>', b'>' | b'=', ..] | [b'%', b'=' | b'>' | b':', ..] => 2,
        [b'=' | b'!' | b'*' | b'/' | b'^', b'=', ..] | [b'#', b'#', ..] | [b':', b'>', ..] => 2,
        [b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'.' | b'&' | b'*' | b'+' | b'-' | b'~' | b'!' | b'/', ..] => 1,
        [b'%' | b'<' | b'>' | b'^' | b'|' | b'?' | b':' | b';' | b'=' | b',' | b'#', ..] => 1,
        _ => 0,
    }
}

/// What may stand before a string or character constant.
const PREFIXES: &[&str] = &["u8", "L", "u", "U"];

struct Lexer<'a> {
    text: &'a str,
    spliced: &'a Spliced,
    file: FileId,
    /// Invariant: at most the length of `text`, and at the boundary of a character.
    at: usize,
    found: Vec<Token>,
    wrong: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        let mut spaced = false;
        while self.at < self.text.len() {
            let start = self.at;
            if self.skip_blank() {
                spaced = true;
            } else if self.rest().starts_with('\n') {
                self.at += 1;
                self.end_line(start);
                spaced = false;
            } else {
                let kind = self.token();
                self.push(kind, start, spaced);
                spaced = false;
            }
        }
        self.end_line(self.text.len());
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The byte `ahead` bytes further on; 0 past the end.
    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, self.spliced.original(start), self.spliced.original_end(end))
    }

    fn push(&mut self, kind: Kind, start: usize, spaced: bool) {
        let first = self.at_line_start();
        let (text, place) = (self.text[start..self.at].into(), self.span(start, self.at));
        self.found.push(Token { kind, text, place, spaced: spaced || first, first, hidden: None });
    }

    fn at_line_start(&self) -> bool {
        self.found.last().is_none_or(|last| last.kind == Kind::Newline)
    }

    /// Ends a line that holds tokens; empty lines leave no trace.
    fn end_line(&mut self, start: usize) {
        if !self.at_line_start() {
            let place = self.span(start, start);
            self.found.push(Token::made(Kind::Newline, "", place));
        }
    }

    /// Skips one blank or one comment.
    fn skip_blank(&mut self) -> bool {
        let rest = self.rest();
        if matches!(self.byte(0), b' ' | b'\t' | b'\r' | 0x0b | 0x0c) {
            self.at += 1;
        } else if rest.starts_with("//") {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            match comment.find("*/") {
                Some(length) => self.at += length + 4,
                None => {
                    let place = self.span(self.at, self.at + 2);
                    self.wrong.push(Diagnostic::error("this comment has no end", place));
                    self.at = self.text.len();
                }
            }
        } else {
            return false;
        }
        true
    }

    /// Passes one token and says what it is.
    fn token(&mut self) -> Kind {
        if self.in_include() && self.header_name() {
            return Kind::HeaderName;
        }
        if self.quoted() {
            return Kind::Quoted;
        }
        let byte = self.byte(0);
        if is_letter(byte) {
            self.pass_while(|byte| is_letter(byte) || byte.is_ascii_digit());
            return Kind::Identifier;
        }
        if byte.is_ascii_digit() || (byte == b'.' && self.byte(1).is_ascii_digit()) {
            self.number();
            return Kind::Number;
        }
        let length = length_of_punctuator(&self.text.as_bytes()[self.at..]);
        self.at += length.max(1); // an ASCII character: all others are letters
        if length > 0 { Kind::Punctuator } else { Kind::Other }
    }

    fn pass_while(&mut self, holds: impl Fn(u8) -> bool) {
        self.at += self.rest().bytes().take_while(|&byte| holds(byte)).count();
    }

    fn number(&mut self) {
        self.at += 1;
        while self.byte(0) == b'.' || is_letter(self.byte(0)) || self.byte(0).is_ascii_digit() {
            let exponent = matches!(self.byte(0), b'e' | b'E' | b'p' | b'P') && matches!(self.byte(1), b'+' | b'-');
            self.at += if exponent { 2 } else { 1 };
        }
    }

    /// Passes a string or character constant that ends on this line.
    fn quoted(&mut self) -> bool {
        let rest = self.rest();
        let opens = |prefix: &&&str| rest.strip_prefix(**prefix).is_some_and(|after| after.starts_with(['"', '\'']));
        let prefix = PREFIXES.iter().find(opens).map_or(0, |prefix| prefix.len());
        let quote = self.byte(prefix);
        if quote != b'"' && quote != b'\'' {
            return false;
        }
        let mut escaped = false;
        for (index, byte) in rest.bytes().enumerate().skip(prefix + 1) {
            match byte {
                b'\n' => return false,
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                _ if byte == quote => {
                    self.at += index + 1;
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    /// Whether the line so far is `#include` and the like.
    fn in_include(&self) -> bool {
        let [.., hash, word] = &self.found[..] else { return false };
        hash.first
            && (hash.is("#") || hash.is("%:"))
            && word.kind == Kind::Identifier
            && word.text.starts_with("include")
    }

    fn header_name(&mut self) -> bool {
        let close = match self.byte(0) {
            b'<' => '>',
            b'"' => '"',
            _ => return false,
        };
        match self.rest()[1..].find([close, '\n']) {
            Some(length) if self.byte(1 + length) != b'\n' => {
                self.at += length + 2;
                true
            }
            _ => false,
        }
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}
