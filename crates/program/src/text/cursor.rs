//! The parser's place in the tokens, and what stands everywhere: names, references, values.

use std::collections::HashMap;
use std::sync::Arc;

use super::lexer::{Kind, Token};
use crate::diagnostic::Diagnostic;
use crate::language::Language;
use crate::source::Span;
use crate::value::{Pointer, Value};

/// What was read, or why it could not be.
pub(super) type Parsed<T> = Result<T, Diagnostic>;

/// How deep values and propositions may nest: far more than anyone writes, far less than the host's stack.
const DEPTH: u32 = 100;

/// A table of names; `None` for one that stands for several things.
#[derive(Default)]
pub(super) struct Names(HashMap<String, Option<u32>>);

impl Names {
    /// Gives the name the next number.
    pub fn add(&mut self, name: &str, number: usize) {
        self.0.entry(name.into()).and_modify(|known| *known = None).or_insert(Some(number as u32));
    }
}

/// A name or number that stands for something, and where it was written.
pub(super) struct Reference {
    text: Result<String, u32>,
    span: Span,
}

/// The parser.
pub(super) struct Cursor {
    /// Invariant: not empty, the last one is `End`.
    tokens: Vec<Token>,
    /// Invariant: an index of `tokens`.
    at: usize,
    /// How many values and propositions are being read.
    depth: u32,
    /// Errors after which reading went on.
    pub errors: Vec<Diagnostic>,
    pub globals: Names,
    pub functions: Names,
    /// Of the function being read.
    pub registers: Names,
}

impl Cursor {
    /// Before the first token. The last token is `End`.
    pub fn new(tokens: Vec<Token>, errors: Vec<Diagnostic>) -> Cursor {
        let (globals, functions) = (named(&tokens, "global"), named(&tokens, "function"));
        Cursor { tokens, at: 0, depth: 0, errors, globals, functions, registers: Names::default() }
    }

    pub fn peek(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    /// The token after the next one.
    pub fn peek_second(&self) -> &Kind {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    /// Whether a thread's register comes next, as in `0:%r`.
    pub fn at_register(&self) -> bool {
        let kind = |ahead: usize| self.tokens.get(self.at + ahead).map(|token| &token.kind);
        matches!((kind(0), kind(1), kind(2)), (Some(Kind::Number(_)), Some(Kind::Mark(":")), Some(Kind::Mark("%"))))
    }

    /// Where the next token stands.
    pub fn here(&self) -> Span {
        self.tokens[self.at].span
    }

    /// From `start` to the last token read.
    pub fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    pub fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// An error at the next token: `expected` says what should stand there.
    pub fn expected<T>(&self, expected: &str) -> Parsed<T> {
        let found = match self.peek() {
            Kind::Word(word) => format!("`{word}`"),
            Kind::Quoted(_) => "a quoted text".into(),
            Kind::Number(number) => format!("`{number}`"),
            Kind::Mark(mark) => format!("`{mark}`"),
            Kind::End => "the end of the text".into(),
        };
        Err(Diagnostic::error(format!("expected {expected}, found {found}"), self.here()))
    }

    pub fn is_mark(&self, mark: &str) -> bool {
        matches!(self.peek(), Kind::Mark(m) if *m == mark)
    }

    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Kind::Word(w) if w == word)
    }

    /// Whether the mark came next; then it is read.
    pub fn eat(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        if found {
            self.advance();
        }
        found
    }

    /// Whether the word came next; then it is read.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub fn mark(&mut self, mark: &str) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    pub fn word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// Items separated by commas; at least one.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Cursor) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Items separated by commas between two marks; perhaps none.
    pub fn enclosed<T>(
        &mut self,
        open: &str,
        close: &str,
        item: impl FnMut(&mut Cursor) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.mark(open)?;
        if self.eat(close) {
            return Ok(Vec::new());
        }
        let items = self.list(item)?;
        self.mark(close)?;
        Ok(items)
    }

    /// Reads with `inner`, unless that would nest too deeply.
    pub fn nested<T>(&mut self, inner: impl FnOnce(&mut Cursor) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            return Err(Diagnostic::error(format!("nested more than {DEPTH} deep"), self.here()));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// A name, bare or quoted.
    pub fn name(&mut self) -> Parsed<String> {
        let name = match self.peek() {
            Kind::Word(word) if !super::RESERVED.contains(&word.as_str()) => word.clone(),
            Kind::Quoted(text) => text.clone(),
            _ => return self.expected("a name"),
        };
        self.advance();
        Ok(name)
    }

    pub fn language(&mut self) -> Parsed<Language> {
        let known = match self.peek() {
            Kind::Word(word) => Language::named(word),
            _ => None,
        };
        let Some(language) = known else { return self.expected("a language") };
        self.advance();
        Ok(language)
    }

    pub fn shared_name(&mut self) -> Parsed<Arc<str>> {
        self.name().map(Arc::from)
    }

    /// An integer that fits the type.
    pub fn number<N: TryFrom<i128>>(&mut self, what: &str) -> Parsed<N> {
        let Kind::Number(number) = *self.peek() else {
            return self.expected(what);
        };
        let Ok(fitting) = N::try_from(number) else {
            return Err(Diagnostic::error(format!("`{number}` is out of range for {what}"), self.here()));
        };
        self.advance();
        Ok(fitting)
    }

    /// A number behind a letter, as one word: the `32` of `i32`, the `0` of `b0`.
    pub fn lettered<N: std::str::FromStr>(&mut self, letter: char, what: &str) -> Parsed<N> {
        let digits = match self.peek() {
            Kind::Word(word) => word.strip_prefix(letter).filter(|digits| digits.bytes().all(|b| b.is_ascii_digit())),
            _ => None,
        };
        match digits.and_then(|digits| digits.parse().ok()) {
            Some(number) => {
                self.advance();
                Ok(number)
            }
            None => self.expected(what),
        }
    }

    /// `name` or `#number`.
    pub fn reference(&mut self) -> Parsed<Reference> {
        let start = self.here();
        let text = if self.eat("#") { Err(self.number("a number")?) } else { Ok(self.name()?) };
        Ok(Reference { text, span: self.since(start) })
    }

    pub fn global(&mut self) -> Parsed<u32> {
        let reference = self.reference()?;
        Ok(resolve(&reference, &self.globals, "global", &mut self.errors))
    }

    pub fn function(&mut self) -> Parsed<u32> {
        self.mark("@")?;
        let reference = self.reference()?;
        Ok(resolve(&reference, &self.functions, "function", &mut self.errors))
    }

    pub fn register(&mut self) -> Parsed<u32> {
        let reference = self.register_reference()?;
        Ok(resolve(&reference, &self.registers, "register", &mut self.errors))
    }

    /// A register that is looked up later, when its function's registers are known.
    pub fn register_reference(&mut self) -> Parsed<Reference> {
        self.mark("%")?;
        self.reference()
    }

    /// What a register of the function being read stands for.
    pub fn resolve_register(&mut self, reference: &Reference) -> u32 {
        resolve(reference, &self.registers, "register", &mut self.errors)
    }

    /// What a register stands for among the given ones.
    pub fn resolve_among(&mut self, reference: &Reference, registers: &Names) -> u32 {
        resolve(reference, registers, "register", &mut self.errors)
    }

    pub fn path(&mut self) -> Parsed<Vec<i64>> {
        let mut path = Vec::new();
        while self.eat("[") {
            path.push(self.number("an offset")?);
            self.mark("]")?;
        }
        Ok(path)
    }

    /// Whether a value comes next.
    pub fn at_value(&self) -> bool {
        match self.peek() {
            Kind::Number(_) => true,
            Kind::Mark(mark) => *mark == "&",
            Kind::Word(word) => word == "undefined" || matches!(self.peek_second(), Kind::Mark("(")),
            Kind::Quoted(_) => matches!(self.peek_second(), Kind::Mark("(")),
            Kind::End => false,
        }
    }

    pub fn value(&mut self) -> Parsed<Value> {
        match self.peek() {
            Kind::Number(_) => self.integer(),
            Kind::Mark("&") => {
                self.advance();
                let allocation = self.global()?;
                Ok(Value::Pointer(Pointer { allocation, path: self.path()? }))
            }
            Kind::Word(word) if word == "undefined" => {
                self.advance();
                Ok(Value::Undefined)
            }
            Kind::Word(_) | Kind::Quoted(_) => self.nested(|cursor| {
                let tag = cursor.shared_name()?;
                Ok(Value::Composite(tag, cursor.enclosed("(", ")", Cursor::value)?))
            }),
            _ => self.expected("a value"),
        }
    }

    fn integer(&mut self) -> Parsed<Value> {
        let start = self.here();
        let number: i128 = self.number("an integer")?;
        self.mark(":")?;
        let width: u8 = self.lettered('i', "a width such as `i32`")?;
        let span = self.since(start);
        if !(1..=64).contains(&width) {
            return Err(Diagnostic::error("integers have 1 to 64 bits", span));
        }
        if number < -(1 << (width - 1)) || number >= 1 << width {
            return Err(Diagnostic::error(format!("`{number}` does not fit in {width} bits"), span));
        }
        Ok(Value::int(number as i64, width))
    }

    /// How many tokens are read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// After an error in what began at the position `start`: goes on to where an item of the program starts, or to the end,
    /// and always past `start`.
    pub fn recover(&mut self, start: usize) {
        const STARTS: [&str; 5] = ["global", "function", "thread", "exists", "forall"];
        let starts_item = |kind: &Kind| match kind {
            Kind::End | Kind::Mark("~") => true,
            Kind::Word(word) => STARTS.contains(&word.as_str()),
            _ => false,
        };
        if self.at == start {
            self.advance();
        }
        while !starts_item(self.peek()) {
            self.advance();
        }
    }
}

/// The names that stand after a keyword, numbered in order.
fn named(tokens: &[Token], keyword: &str) -> Names {
    let mut names = Names::default();
    let pairs = tokens.windows(2).filter(|pair| pair[0].kind == Kind::Word(keyword.into()));
    for (number, pair) in pairs.enumerate() {
        if let Kind::Word(name) | Kind::Quoted(name) = &pair[1].kind {
            names.add(name, number);
        }
    }
    names
}

/// The number that a reference stands for; a wrong one is noted and gives 0, so that reading goes on.
fn resolve(reference: &Reference, names: &Names, what: &str, errors: &mut Vec<Diagnostic>) -> u32 {
    let name = match &reference.text {
        Err(number) => return *number,
        Ok(name) => name,
    };
    match names.0.get(name) {
        Some(Some(number)) => return *number,
        Some(None) => {
            let error = Diagnostic::error(format!("several {what}s are named `{name}`"), reference.span);
            errors.push(error.note("refer to it by its number, as in `#0`"));
        }
        None => errors.push(Diagnostic::error(format!("there is no {what} `{name}`"), reference.span)),
    }
    0
}
