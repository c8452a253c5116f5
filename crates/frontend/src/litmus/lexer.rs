//! Words, numbers and symbols, with their positions.
//!
//! One lexer serves all parts of a test. Where they disagree, a [`Dialect`] decides: inside the braces of C code `(*` is
//! a parenthesis and a star, everywhere else it opens a comment.

use program::{Diagnostic, FileId, Span};

/// The text of the file that is read.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Its id.
    pub file: FileId,
    /// Its content.
    pub text: &'a str,
}

impl Source<'_> {
    /// A span of this file.
    pub fn span(self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }
}

/// Which part of a test is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Initial state, tables of machine code, conditions.
    Litmus,
    /// C functions and the condition after them.
    C,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A letter or underscore, then letters, digits, underscores, and (outside C) dots.
    Word,
    /// A digit, then letters and digits.
    Number,
    /// One of the symbols below, or any other single character.
    Symbol,
    /// The start of a comment that is never closed.
    Unclosed,
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    start: u32,
    end: u32,
}

/// Symbols of more than one character; a longer one stands before its prefixes.
const LITMUS_SYMBOLS: &[&str] = &["/\\", "\\/", "=>", "==", "!=", "<=", ">=", "<>", "<<", ">>"];

/// Symbols of more than one character of C and of the condition after it.
const C_SYMBOLS: &[&str] = &[
    "<<=", ">>=", "/\\", "\\/", "=>", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "++", "--", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=", "->",
];

/// Cuts the text into tokens, one at a time.
struct Lexer<'a> {
    text: &'a str,
    at: usize,
    dialect: Dialect,
    /// Number of braces open.
    depth: usize,
}

impl Lexer<'_> {
    fn next(&mut self) -> Token {
        if let Err(start) = self.skip_blanks() {
            self.at = self.text.len();
            return token(Kind::Unclosed, start, start + 2);
        }
        let start = self.at;
        let bytes = self.text.as_bytes();
        let Some(&first) = bytes.get(start) else { return token(Kind::End, start, start) };
        if first.is_ascii_alphabetic() || first == b'_' {
            let dot = self.dialect == Dialect::Litmus;
            self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || dot && byte == b'.');
            return token(Kind::Word, start, self.at);
        }
        if first.is_ascii_digit() {
            self.take_while(|byte| byte.is_ascii_alphanumeric());
            return token(Kind::Number, start, self.at);
        }
        self.at += self.symbol_length(first);
        match first {
            b'{' => self.depth += 1,
            b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        token(Kind::Symbol, start, self.at)
    }

    /// The length of the symbol that starts here with the byte `first`.
    fn symbol_length(&self, first: u8) -> usize {
        if b"(){}[];:,~?.$".contains(&first) {
            return 1;
        }
        let symbols = if self.dialect == Dialect::C { C_SYMBOLS } else { LITMUS_SYMBOLS };
        let rest = &self.text[self.at..];
        let known = symbols.iter().find(|symbol| rest.starts_with(**symbol)).map(|symbol| symbol.len());
        known.unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8))
    }

    fn take_while(&mut self, accept: impl Fn(u8) -> bool) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|&byte| accept(byte)) {
            self.at += 1;
        }
    }

    /// Skips white space and comments; gives the start of a comment that is not closed.
    fn skip_blanks(&mut self) -> Result<(), usize> {
        loop {
            self.take_while(|byte| byte.is_ascii_whitespace());
            let rest = &self.text.as_bytes()[self.at..];
            let in_code = self.dialect == Dialect::C && self.depth > 0;
            self.at = if rest.starts_with(b"(*") && !in_code {
                skip_comment(self.text, self.at).ok_or(self.at)?
            } else if rest.starts_with(b"//") {
                rest.iter().position(|&byte| byte == b'\n').map_or(self.text.len(), |length| self.at + length)
            } else if rest.starts_with(b"/*") {
                let length = self.text[self.at + 2..].find("*/").ok_or(self.at)?;
                self.at + 2 + length + 2
            } else {
                return Ok(());
            };
        }
    }
}

/// The offset just past the comment `(* ... *)` that starts at `start`; comments nest.
pub fn skip_comment(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = start;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"(*" => (depth, at) = (depth + 1, at + 2),
            b"*)" => {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => at += 1,
        }
    }
    None
}

fn token(kind: Kind, start: usize, end: usize) -> Token {
    let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Token { kind, start: clamp(start), end: clamp(end) }
}

/// A sequence of tokens with a position in it.
#[derive(Clone)]
pub struct Tokens<'a> {
    source: Source<'a>,
    /// Invariant: the last one is of kind `End`, or `Unclosed` and `End`.
    tokens: Vec<Token>,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// All tokens from the offset `start` to the end of the file.
    pub fn rest(source: Source<'a>, start: usize, dialect: Dialect) -> Tokens<'a> {
        let mut lexer = Lexer { text: source.text, at: start, dialect, depth: 0 };
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next();
            tokens.push(token);
            if token.kind == Kind::End {
                return Tokens { source, tokens, at: 0 };
            }
        }
    }

    /// The tokens of the brace block that starts at the offset `start`, without its braces, and the offset just past it.
    /// `None` if the block is not closed.
    pub fn block(source: Source<'a>, start: usize) -> Option<(Tokens<'a>, usize)> {
        let mut lexer = Lexer { text: source.text, at: start, dialect: Dialect::Litmus, depth: 0 };
        let mut tokens = Vec::new();
        lexer.next();
        loop {
            let next = lexer.next();
            if next.kind == Kind::End {
                return None;
            }
            if lexer.depth == 0 {
                tokens.push(token(Kind::End, next.start as usize, next.start as usize));
                return Some((Tokens { source, tokens, at: 0 }, lexer.at));
            }
            tokens.push(next);
        }
    }

    /// The tokens from index `from` to before index `to`.
    pub fn between(&self, from: usize, to: usize) -> Tokens<'a> {
        let mut tokens = self.tokens[from..to].to_vec();
        let end = self.tokens[to].start as usize;
        tokens.push(token(Kind::End, end, end));
        Tokens { source: self.source, tokens, at: 0 }
    }

    /// Index of the next token.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The next token.
    pub fn peek(&self) -> Token {
        self.peek_at(0)
    }

    /// The token `ahead` tokens after the next one.
    pub fn peek_at(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    /// The text of a token.
    pub fn text(&self, token: Token) -> &'a str {
        self.source.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    /// Takes the next token.
    pub fn next(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Whether the next token has this text.
    pub fn is(&self, text: &str) -> bool {
        self.text(self.peek()) == text
    }

    /// Whether the token `ahead` tokens after the next one has this text.
    pub fn is_at(&self, ahead: usize, text: &str) -> bool {
        self.text(self.peek_at(ahead)) == text
    }

    /// Whether no token is left.
    pub fn at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    /// Takes the next token if it has this text.
    pub fn accept(&mut self, text: &str) -> bool {
        let accepted = self.is(text);
        if accepted {
            self.next();
        }
        accepted
    }

    /// Takes the next token, which must have this text.
    pub fn expect(&mut self, text: &str) -> Result<Span, Diagnostic> {
        let span = self.here();
        if self.accept(text) { Ok(span) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    /// Takes a word.
    pub fn word(&mut self, what: &str) -> Result<(&'a str, Span), Diagnostic> {
        let token = self.peek();
        if token.kind != Kind::Word {
            return Err(self.unexpected(what));
        }
        self.next();
        Ok((self.text(token), self.span(token)))
    }

    /// Takes a number, with a minus sign if there is one.
    pub fn integer(&mut self, what: &str) -> Result<i64, Diagnostic> {
        let negative = self.accept("-");
        let token = self.peek();
        if token.kind != Kind::Number {
            return Err(self.unexpected(what));
        }
        let value = integer(self.text(token));
        let value = value.ok_or_else(|| Diagnostic::error("this is not a number of 64 bits", self.span(token)))?;
        self.next();
        Ok(if negative { value.wrapping_neg() } else { value })
    }

    /// The span of a token.
    pub fn span(&self, token: Token) -> Span {
        self.source.span(token.start as usize, token.end as usize)
    }

    /// The span of the next token.
    pub fn here(&self) -> Span {
        self.span(self.peek())
    }

    /// The span from `start` to the end of the token taken last.
    pub fn since(&self, start: Span) -> Span {
        match self.at.checked_sub(1) {
            Some(last) => start.to(self.span(self.tokens[last])),
            None => start,
        }
    }

    /// The span of the last token before the end.
    pub fn last(&self) -> Span {
        self.span(self.tokens[self.tokens.len().saturating_sub(2)])
    }

    /// The span from the first to the last token; empty if there is none.
    pub fn all(&self) -> Span {
        self.span(self.tokens[0]).to(self.last())
    }

    /// The error that `expected` does not stand here.
    pub fn unexpected(&self, expected: &str) -> Diagnostic {
        let token = self.peek();
        let found = match token.kind {
            Kind::Unclosed => return Diagnostic::error("this comment is not closed", self.span(token)),
            Kind::End => "the end".to_string(),
            _ => format!("`{}`", self.text(token).chars().take(40).collect::<String>()),
        };
        Diagnostic::error(format!("expected {expected}, found {found}"), self.span(token))
    }
}

/// The value of a number as C and assemblers write it, without sign: decimal, `0x`, `0b`, with suffixes `u` and `l`.
pub fn integer(text: &str) -> Option<i64> {
    let digits = |radix: u32, digits: &str| u64::from_str_radix(digits, radix).ok().map(|value| value as i64);
    let lower = text.to_ascii_lowercase();
    if let Some(hexadecimal) = lower.strip_prefix("0x") {
        return digits(16, hexadecimal.trim_end_matches(['u', 'l']));
    }
    let plain = lower.trim_end_matches(['u', 'l']);
    match plain.strip_prefix("0b") {
        Some(binary) => digits(2, binary),
        None => digits(10, plain),
    }
}

/// The thread number of a name like `P0`.
pub fn thread_number(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('P')?;
    if digits.is_empty() || digits.len() > 6 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}
