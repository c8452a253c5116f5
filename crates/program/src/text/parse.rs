//! Parsing: the items of a program. Errors name every wrong reference and the first wrong token of every item.

use std::collections::BTreeSet;

use super::cursor::{Cursor, Names, Parsed};
use super::lexer::{Kind, lex};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::*;
use crate::language::Language;
use crate::operator::Operator;
use crate::simplification::Simplification;
use crate::source::{FileId, Sources};
use crate::value::Value;

/// Reads the text form. `name` is the file's name, for messages; the spans of the program point into `text`.
pub fn parse(name: &str, text: &str) -> Result<Program, Diagnostics> {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let (tokens, errors) = lex(file, text);
    let mut cursor = Cursor::new(tokens, errors);
    let program = program(&mut cursor, sources.clone());
    if cursor.errors.is_empty() { Ok(program) } else { Err(Diagnostics { sources, messages: cursor.errors }) }
}

impl Operator {
    /// Reads what `Display` prints: `add`, `resize[s8]`, `make[Mark, 2]`.
    pub fn parse(text: &str) -> Option<Operator> {
        let (tokens, errors) = lex(FileId(0), text);
        let mut cursor = Cursor::new(tokens, errors);
        let operator = cursor.operator().ok()?;
        (cursor.errors.is_empty() && *cursor.peek() == Kind::End).then_some(operator)
    }
}

/// Reads all it can; what it cannot is noted in the cursor.
fn program(cursor: &mut Cursor, sources: Sources) -> Program {
    let mut program = Program {
        name: String::new(),
        language: Language::default(),
        sources,
        globals: Vec::new(),
        functions: Vec::new(),
        threads: Vec::new(),
        setup: None,
        thread_order: Vec::new(),
        ends_with_main: false,
        simplified: BTreeSet::new(),
        question: None,
    };
    if let Err(error) = header(cursor, &mut program) {
        cursor.errors.push(error);
        cursor.recover(usize::MAX);
    }
    while *cursor.peek() != Kind::End {
        let start = cursor.position();
        if let Err(error) = item(cursor, &mut program) {
            cursor.errors.push(error);
            cursor.recover(start);
        }
    }
    program
}

fn header(cursor: &mut Cursor, program: &mut Program) -> Parsed<()> {
    cursor.word("program")?;
    program.name = cursor.name()?;
    cursor.word("language")?;
    program.language = cursor.language()?;
    Ok(())
}

fn item(cursor: &mut Cursor, program: &mut Program) -> Parsed<()> {
    if program.question.is_some() {
        return cursor.expected("the end of the text after the question");
    }
    match cursor.peek() {
        Kind::Word(word) if word == "global" => program.globals.push(global(cursor)?),
        Kind::Word(word) if word == "function" => program.functions.push(function(cursor)?),
        Kind::Word(word) if word == "thread" => program.threads.push(thread(cursor)?),
        Kind::Word(word) if word == "setup" && program.setup.is_none() => program.setup = Some(setup(cursor)?),
        Kind::Word(word) if word == "order" => program.thread_order.push(order(cursor)?),
        Kind::Word(word) if word == "ends_with_main" => {
            cursor.word("ends_with_main")?;
            program.ends_with_main = true;
        }
        Kind::Word(word) if Simplification::named(word).is_some() => {
            program.simplified.extend(Simplification::named(word));
            cursor.advance();
        }
        Kind::Word(word) if word == "exists" || word == "forall" => program.question = Some(question(cursor, program)?),
        Kind::Mark("~") => program.question = Some(question(cursor, program)?),
        _ => {
            return cursor.expected(
                "`global`, `function`, `setup`, `thread`, `order`, `ends_with_main`, `wakes_rarely`, `few_hash_codes`, `few_times`, `two_processors`, \
                 `exists`, `~exists` or `forall`",
            );
        }
    }
    Ok(())
}

fn setup(cursor: &mut Cursor) -> Parsed<FunctionId> {
    cursor.word("setup")?;
    let function = cursor.callee()?;
    cursor.mark("(")?;
    cursor.mark(")")?;
    Ok(function)
}

fn question(cursor: &mut Cursor, program: &Program) -> Parsed<crate::condition::Question> {
    let registers = |thread: &Thread| {
        let mut names = Names::default();
        let entry = program.functions.get(thread.entry.0 as usize);
        let all = entry.into_iter().flat_map(|function| &function.registers);
        all.enumerate().for_each(|(number, name)| names.add(name, number));
        names
    };
    cursor.question(&program.threads.iter().map(registers).collect::<Vec<_>>())
}

fn global(cursor: &mut Cursor) -> Parsed<Global> {
    let start = cursor.here();
    cursor.word("global")?;
    let name = cursor.name()?;
    cursor.mark("=")?;
    let default = cursor.value()?;
    let cells = if cursor.is_mark("{") { cursor.enclosed("{", "}", cell)? } else { Vec::new() };
    let extent = cursor.extent()?;
    Ok(Global { name, cells, default, extent, span: Some(cursor.since(start)) })
}

fn cell(cursor: &mut Cursor) -> Parsed<(Vec<i64>, Value)> {
    let path = match (cursor.peek(), cursor.peek_second()) {
        (Kind::Mark("["), Kind::Mark("]")) => {
            cursor.advance();
            cursor.advance();
            Vec::new()
        }
        (Kind::Mark("["), _) => cursor.path()?,
        _ => return cursor.expected("the path of a cell, such as `[0]` or `[]`"),
    };
    cursor.mark("=")?;
    Ok((path, cursor.value()?))
}

fn thread(cursor: &mut Cursor) -> Parsed<Thread> {
    cursor.word("thread")?;
    let name = cursor.name()?;
    cursor.mark("=")?;
    let entry = FunctionId(cursor.function()?);
    Ok(Thread { name, entry, arguments: cursor.enclosed("(", ")", Cursor::value)? })
}

fn order(cursor: &mut Cursor) -> Parsed<(ThreadId, ThreadId)> {
    cursor.word("order")?;
    let first = ThreadId(cursor.number("the number of a thread")?);
    cursor.word("before")?;
    Ok((first, ThreadId(cursor.number("the number of a thread")?)))
}

fn function(cursor: &mut Cursor) -> Parsed<Function> {
    let start = cursor.here();
    cursor.word("function")?;
    let name = cursor.name()?;
    let parameters = cursor.enclosed("(", ")", Cursor::register_reference)?;
    let results = if cursor.eat("->") { cursor.number("a number of results")? } else { 0 };
    let span = Some(cursor.since(start));
    cursor.mark("{")?;
    let registers = if cursor.eat_word("registers") { cursor.list(Cursor::name)? } else { Vec::new() };
    cursor.registers = Names::default();
    for (number, name) in registers.iter().enumerate() {
        cursor.registers.add(name, number);
    }
    let parameters = parameters.iter().map(|p| RegisterId(cursor.resolve_register(p))).collect();
    let mut blocks = Vec::new();
    while !cursor.eat("}") {
        blocks.push(block(cursor, blocks.len())?);
    }
    Ok(Function { name, parameters, registers, results, blocks, span })
}

fn block(cursor: &mut Cursor, number: usize) -> Parsed<Block> {
    let start = cursor.here();
    let label: usize = cursor.lettered('b', &format!("the block `b{number}:` or `}}`"))?;
    if label != number {
        return Err(Diagnostic::error(format!("the blocks are not in order: expected `b{number}`"), start));
    }
    cursor.mark(":")?;
    let span = Some(cursor.since(start));
    let mut instructions = Vec::new();
    loop {
        if let Some(terminator) = cursor.terminator()? {
            return Ok(Block { instructions, terminator, span });
        }
        instructions.push(cursor.instruction()?);
    }
}
