//! The initial state: `{ x=1; int y[2]={1,2}; int* p=&x; 0:EAX=1; uint64_t 1:rbx; }`.

use program::{Diagnostic, Span, Unsupported};

use super::lexer::{Kind, Source, Tokens, thread_number};
use super::messages::Messages;
use super::types::{self, Type};

/// What the initial state says, in its order.
#[derive(Debug, Default)]
pub struct Init {
    /// Locations.
    pub locations: Vec<LocationEntry>,
    /// Registers.
    pub registers: Vec<RegisterEntry>,
}

/// One location.
#[derive(Debug)]
pub struct LocationEntry {
    /// Its name.
    pub name: String,
    /// Its type, if it is given.
    pub declared: Option<Type>,
    /// Number of elements, for an array.
    pub length: Option<usize>,
    /// The first values; all others are 0.
    pub values: Vec<Constant>,
    /// The entry.
    pub span: Span,
}

/// One register.
#[derive(Debug)]
pub struct RegisterEntry {
    /// Number of the thread.
    pub thread: u32,
    /// Name of the register.
    pub name: String,
    /// Its value.
    pub value: Constant,
    /// The entry.
    pub span: Span,
}

/// A value of an initial state or a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    /// A number.
    Int(i64),
    /// The address of a location, or of an element of an array.
    Address(String, i64),
}

/// Reads the initial state that starts at the offset `start`; gives it and the offset just past it.
pub fn parse(source: Source<'_>, start: usize, messages: &mut Messages) -> Result<(Init, usize), Diagnostic> {
    let unclosed = || Diagnostic::error("the initial state is not closed by `}`", source.span(start, start + 1));
    let (mut tokens, end) = Tokens::block(source, start).ok_or_else(unclosed)?;
    let mut init = Init::default();
    while !tokens.at_end() && !messages.enough() {
        if tokens.accept(";") {
            continue;
        }
        if let Err(error) = entry(&mut tokens, &mut init) {
            messages.push(error);
            while !tokens.at_end() && !tokens.is(";") {
                tokens.next();
            }
        }
    }
    Ok((init, end))
}

/// Reads one entry.
fn entry(tokens: &mut Tokens<'_>, init: &mut Init) -> Result<(), Diagnostic> {
    let start = tokens.here();
    let declared = declared_type(tokens)?;
    if let Some(thread) = register_prefix(tokens)? {
        let name = register_name(tokens)?;
        let value = if tokens.accept("=") { constant(tokens)? } else { Constant::Int(0) };
        init.registers.push(RegisterEntry { thread, name, value, span: tokens.since(start) });
        return end_of_entry(tokens);
    }
    let bracketed = tokens.accept("[");
    let (name, _) = tokens.word("a location or a register")?;
    if bracketed {
        tokens.expect("]")?;
    }
    let length = if tokens.accept("[") { Some(array_length(tokens)?) } else { None };
    let values = match (tokens.accept("="), length) {
        (false, _) => Vec::new(),
        (true, None) => vec![constant(tokens)?],
        (true, Some(_)) => array_values(tokens)?,
    };
    let length = length.map(|given| given.unwrap_or(values.len()));
    if length.is_some_and(|length| values.len() > length) {
        return Err(Diagnostic::error(format!("more values than elements of `{name}`"), tokens.since(start)));
    }
    let span = tokens.since(start);
    init.locations.push(LocationEntry { name: name.to_string(), declared, length, values, span });
    end_of_entry(tokens)
}

fn end_of_entry(tokens: &Tokens<'_>) -> Result<(), Diagnostic> {
    if tokens.at_end() || tokens.is(";") { Ok(()) } else { Err(tokens.unexpected("`;`")) }
}

/// Reads a type if one stands before the location.
fn declared_type(tokens: &mut Tokens<'_>) -> Result<Option<Type>, Diagnostic> {
    if tokens.accept("*") {
        return Ok(Some(types::INT.pointer()));
    }
    let next = tokens.peek_at(1);
    let names_type = tokens.peek().kind == Kind::Word
        && (next.kind == Kind::Word || next.kind == Kind::Number || ["*", "("].contains(&tokens.text(next)));
    let typed_bracket = types::is_type_word(tokens.text(tokens.peek())) && tokens.is_at(1, "[");
    if !names_type && !typed_bracket {
        return Ok(None);
    }
    let (word, span) = (tokens.text(tokens.peek()), tokens.here());
    if !types::is_type_word(word) {
        return Err(Unsupported::new(format!("the type `{word}`"), Some(span)).into());
    }
    types::parse(tokens).map(Some)
}

/// Reads `0:` or `P0:`, if it stands here.
pub fn register_prefix(tokens: &mut Tokens<'_>) -> Result<Option<u32>, Diagnostic> {
    if !tokens.is_at(1, ":") {
        return Ok(None);
    }
    let (text, kind) = (tokens.text(tokens.peek()), tokens.peek().kind);
    let thread = if kind == Kind::Number { text.parse().ok() } else { thread_number(text) };
    let thread = thread.ok_or_else(|| tokens.unexpected("a thread"))?;
    tokens.next();
    tokens.next();
    Ok(Some(thread))
}

/// Reads the name of a register after its thread.
pub fn register_name(tokens: &mut Tokens<'_>) -> Result<String, Diagnostic> {
    tokens.accept("%");
    Ok(tokens.word("a register")?.0.to_string())
}

/// Reads `3]` or `]` of an array.
fn array_length(tokens: &mut Tokens<'_>) -> Result<Option<usize>, Diagnostic> {
    if tokens.accept("]") {
        return Ok(None);
    }
    let span = tokens.here();
    let length = tokens.integer("the number of elements")?;
    tokens.expect("]")?;
    match usize::try_from(length) {
        Ok(length) if length > 0 => Ok(Some(length)),
        _ => Err(Diagnostic::error("an array has at least one element", span)),
    }
}

/// Reads `{1, 2, 3}`.
pub fn array_values(tokens: &mut Tokens<'_>) -> Result<Vec<Constant>, Diagnostic> {
    tokens.expect("{")?;
    let mut values = Vec::new();
    while !tokens.accept("}") {
        values.push(constant(tokens)?);
        if !tokens.is("}") {
            tokens.expect(",")?;
        }
    }
    Ok(values)
}

/// Reads a number or the address of a location: `1`, `-1`, `0x10`, `x`, `&x`, `x[2]`.
pub fn constant(tokens: &mut Tokens<'_>) -> Result<Constant, Diagnostic> {
    let ampersand = tokens.accept("&");
    if !ampersand && tokens.peek().kind != Kind::Word {
        return tokens.integer("a number or a location").map(Constant::Int);
    }
    let (name, span) = tokens.word("a location")?;
    if ["ATOMIC_INIT", "ATOMIC_VAR_INIT"].contains(&name) && tokens.accept("(") {
        let value = tokens.integer("a number").map(Constant::Int)?;
        tokens.expect(")")?;
        return Ok(value);
    }
    if tokens.is("(") {
        return Err(Unsupported::new(format!("the initialiser `{name}`"), Some(span)).into());
    }
    let index = if tokens.accept("[") {
        let index = tokens.integer("an index")?;
        tokens.expect("]")?;
        index
    } else {
        0
    };
    Ok(Constant::Address(name.to_string(), index))
}
