//! C programs, and bounded tests of data types written in C.
//!
//! [`load`] preprocesses, parses (by the crate `lang-c`) and lowers a file. Then [`Unit::program`] is the program that
//! starts at `main`, and [`Unit::test`] a bounded test of its functions, as in the CheckFence thesis (sections 4.4 and
//! 7.2). Memory has bytes: pointers are an allocation and a byte offset, accesses have a width. Scalar locals whose address is not taken are registers.
//!
//! - `declare`, `types`: declarations become types; `variables`, `initialize`: variables and their initial values.
//! - `expression`, `operators`, `place`, `literal`: values and places; `statement`, `function`: control flow and calls.
//! - `library`, `memory`, `packed`, `atomics`, `threads`, `synchronize`: the functions that are known by name.
//! - `harness`: the notation of bounded tests; `preprocess`: macros and includes; `guard`: what the parser cannot take;
//!   `refusals`: listing all that is wrong or not modelled.
//!
//! What is not modelled is refused with its place: floating point, bit-fields, arrays of variable length, inline
//! assembly, variadic functions, casts between pointers to types of different sizes, unions of different sizes.

mod atomics;
mod code;
mod declare;
mod expression;
mod function;
mod guard;
mod harness;
mod initialize;
mod library;
mod literal;
mod lower;
mod memory;
mod operators;
mod packed;
mod place;
pub mod preprocess;
mod refusals;
mod refused;
mod statement;
mod synchronize;
mod threads;
mod types;
mod variables;

use std::collections::HashSet;
use std::sync::Arc;

use lang_c::ast;
use lang_c::driver::{Config, Flavor, SyntaxError};
use lang_c::span::Node;
use program::{
    Diagnostic, Diagnostics, Function, FunctionId, Global, InstructionKind, Language, Layout, Operand, Program,
    Severity, Sources, Terminator, Thread, Unsupported, Value,
};

use harness::Notation;
use lower::Lowering;
use preprocess::{Include, Preprocessed};
use types::{Shape, Signature, Type};

/// A C file with all that it includes, lowered, without threads yet.
#[derive(Clone, Debug)]
pub struct Unit {
    name: String,
    sources: Sources,
    globals: Vec<Global>,
    /// Functions with bodies; those of packed words have empty ones, which nothing calls.
    functions: Vec<Function>,
    /// Their types.
    signatures: Vec<Arc<Signature>>,
}

/// Reads a C file. `include` gives the path and text of an included file, `defines` are macros.
///
/// Never panics, whatever the text. At most twenty messages are given back.
///
/// ```
/// let text = "int x; void w(void) { x = 1; } int r(void) { return x; }";
/// let unit = frontend::c::load("x.c", text, &mut |_, _| None, &[]).unwrap();
/// assert_eq!(unit.operations(), ["w", "r"]);
/// let program = unit.test("(w|r r)").unwrap();
/// assert_eq!(program.threads.len(), 2);
/// ```
pub fn load(path: &str, text: &str, include: &mut Include, defines: &[(String, String)]) -> Result<Unit, Diagnostics> {
    lowered(path, text, include, defines, false)
}

/// Reads a C file as [`load`] does, and marks each place where a statement could be put in: before each statement of a
/// block, and at the block's end. A mark is a fence with the access [`program::Access::place`], whose span is empty and
/// stands at the place.
pub fn load_with_places(
    path: &str,
    text: &str,
    include: &mut Include,
    defines: &[(String, String)],
) -> Result<Unit, Diagnostics> {
    lowered(path, text, include, defines, true)
}

fn lowered(
    path: &str,
    text: &str,
    include: &mut Include,
    defines: &[(String, String)],
    marks_places: bool,
) -> Result<Unit, Diagnostics> {
    let mut sources = Sources::new();
    let preprocessed = preprocess::preprocess(path, text, include, defines, &mut sources)?;
    let unit = match parse(&preprocessed) {
        Ok(unit) => unit,
        Err(message) => return Err(Diagnostics { sources, messages: vec![message] }),
    };
    let mut lowering = Lowering::new(&preprocessed.text, &preprocessed.origins, &sources);
    lowering.marks_places = marks_places;
    lower_unit(&mut lowering, &unit);
    if lowering.messages.any_error() {
        let messages = std::mem::take(&mut lowering.messages).into_vec();
        return Err(Diagnostics { sources, messages });
    }
    let signatures = lowering.bodies.iter().filter_map(|name| lowering.functions.get(name));
    let signatures = signatures.map(|declared| declared.signature.clone()).collect();
    let functions = std::mem::take(&mut lowering.lowered).into_iter().flatten().collect();
    let globals = std::mem::take(&mut lowering.globals);
    let layouts = layouts(&lowering);
    layouts.into_iter().for_each(|(of, layout)| sources.name_parts(&of, layout));
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix(".c").unwrap_or(name).to_string();
    Ok(Unit { name, sources, globals, functions, signatures })
}

/// Where the parts of objects lie: of blocks by their type, of variables by their names. Of variables that share a name one is
/// taken for all: layouts only serve reports.
fn layouts(lowering: &Lowering) -> Vec<(String, Layout)> {
    let types = lowering.records.ids().map(|id| {
        let of = Type::new(Shape::Record(id));
        let name = lowering.records.name(&of);
        (name.strip_prefix("struct ").unwrap_or(&name).to_string(), lowering.records.layout(&of))
    });
    let scalars = [8, 16, 32, 64].into_iter().flat_map(|width| [true, false].map(|signed| (width, signed)));
    let scalars = scalars.map(|(width, signed)| {
        let of = Type::integer(width, signed);
        (lowering.records.name(&of), lowering.records.layout(&of))
    });
    lowering.layouts.iter().cloned().chain(scalars).chain(types).collect()
}

/// Parses a preprocessed text.
fn parse(preprocessed: &Preprocessed) -> Result<ast::TranslationUnit, Diagnostic> {
    let error = |message: String, bytes: std::ops::Range<usize>| {
        let span = preprocessed.origins.span(bytes);
        Diagnostic::new(Severity::Error, message, span)
    };
    if let Some((message, bytes)) = guard::too_deep(&preprocessed.text) {
        return Err(error(message.into(), bytes));
    }
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    let parsed = lang_c::driver::parse_preprocessed(&config, preprocessed.text.clone());
    parsed.map(|parsed| parsed.unit).map_err(|wrong| {
        let offset = wrong.offset.min(preprocessed.text.len());
        let length = preprocessed.text[offset..].chars().next().map_or(0, char::len_utf8);
        let message = error("a syntax error".into(), offset..offset + length);
        match expectation(&wrong) {
            Some(expected) => message.note(expected),
            None => message,
        }
    })
}

/// What the parser expected, if that is a short list.
fn expectation(wrong: &SyntaxError) -> Option<String> {
    let mut words: Vec<&str> = wrong.expected.iter().copied().filter(|word| !word.starts_with('<')).collect();
    words.sort();
    (1..=6).contains(&words.len()).then(|| format!("expected {}", words.join(" or ")))
}

/// Declares everything, then lowers the bodies.
fn lower_unit(lowering: &mut Lowering, unit: &ast::TranslationUnit) {
    lowering.uses = function::uses(unit);
    let mut definitions: Vec<&Node<ast::FunctionDefinition>> = Vec::new();
    for declaration in &unit.0 {
        let done = match &declaration.node {
            ast::ExternalDeclaration::Declaration(declaration) => {
                let done = lowering.file_declaration(declaration);
                if lowering.note(done).is_none() {
                    lowering.refuse_declaration(&declaration.node);
                }
                Ok(())
            }
            ast::ExternalDeclaration::StaticAssert(assertion) => lowering.static_assert(assertion),
            ast::ExternalDeclaration::FunctionDefinition(definition) => {
                let known = lowering.bodies.len();
                let done = lowering.define_function(definition);
                if lowering.bodies.len() > known {
                    definitions.push(definition);
                }
                if lowering.note(done).is_none() {
                    lowering.refuse_declarator(&definition.node.declarator.node);
                }
                Ok(())
            }
        };
        lowering.note(done);
    }
    lowering.find_packed();
    for (index, definition) in definitions.into_iter().enumerate() {
        let name = lowering.bodies[index].clone();
        let body = if lowering.is_packed(&name) { Ok(empty(&name)) } else { lowering.function_body(&name, definition) };
        lowering.lowered[index] = lowering.note(body);
    }
}

/// The place of a function that nothing calls.
fn empty(name: &str) -> Function {
    harness::calls(name, &[])
}

impl Unit {
    /// The functions that a test may name: those whose parameters, if any, are integers.
    pub fn operations(&self) -> Vec<String> {
        let names = self.functions.iter().zip(&self.signatures).filter(|(_, signature)| is_operation(signature));
        let names = names.map(|(function, _)| function.name.clone());
        names.filter(|name| name != "main" && !is_library(name) && Some(name) != self.init_name().as_ref()).collect()
    }

    /// The function that runs before a test: `i`, else `init`, if it has no parameters.
    fn init_name(&self) -> Option<String> {
        let has = |name: &&str| self.find(name).is_some_and(|id| self.signatures[id.0 as usize].parameters.is_empty());
        ["i", "init"].iter().copied().find(has).map(String::from)
    }

    fn find(&self, name: &str) -> Option<FunctionId> {
        self.functions.iter().position(|function| function.name == name).map(|index| FunctionId(index as u32))
    }

    /// A bounded test in the notation of the CheckFence thesis: `e(ed|de)` runs `e`, then two threads of two operations
    /// each. The function `i`, or else `init`, runs before everything if it exists and has no parameters. The arguments of
    /// an operation are 0 or 1 each, and are shown under the names of the parameters, an integer result as `result`.
    pub fn test(&self, notation: &str) -> Result<Program, Diagnostics> {
        let mut sources = self.sources.clone();
        let file = sources.add("test", notation);
        let wrong = |message: String, place: std::ops::Range<usize>| {
            let span = program::Span::new(file, place.start, place.end);
            let known = format!("the operations are {}", self.operations().join(", "));
            Diagnostics { sources: sources.clone(), messages: vec![Diagnostic::error(message, span).note(known)] }
        };
        let names: Vec<String> = self.functions.iter().map(|function| function.name.clone()).collect();
        let operations = self.operations();
        let read = harness::read(notation, &operations).or_else(|_| harness::read(notation, &names));
        let read = read.map_err(|(message, place)| wrong(message, place))?;
        for (name, place) in read.initial.iter().chain(read.threads.iter().flatten()) {
            let id = self.find(name).ok_or_else(|| wrong(format!("there is no operation `{name}`"), place.clone()))?;
            if !is_operation(&self.signatures[id.0 as usize]) {
                let message = format!("`{name}` cannot be an operation: its parameters are not all integers");
                return Err(wrong(message, place.clone()));
            }
        }
        let program = self.assemble(&read, sources.clone(), file);
        checked(program)
    }

    /// The program of a test whose operations are known to be right.
    fn assemble(&self, notation: &Notation, sources: Sources, file: program::FileId) -> Program {
        let mut program = self.without_threads(sources);
        let mut callable = std::collections::HashMap::new();
        let mut calls = |program: &mut Program, operations: &[(String, std::ops::Range<usize>)]| {
            let mut list = Vec::new();
            for (name, place) in operations {
                let Some(id) = self.find(name) else { continue };
                let entry = callable.entry(id);
                let (function, results) = *entry.or_insert_with(|| self.operation(id, program));
                list.push((function, results, Some(program::Span::new(file, place.start, place.end))));
            }
            list
        };
        let mut first: Vec<_> = self
            .init_name()
            .and_then(|name| self.find(&name))
            .into_iter()
            .map(|id| (id, self.functions[id.0 as usize].results, self.functions[id.0 as usize].span))
            .collect();
        first.extend(calls(&mut program, &notation.initial));
        if !first.is_empty() {
            program.functions.push(harness::calls("setup", &first));
            program.setup = Some(FunctionId(program.functions.len() as u32 - 1));
        }
        for (index, operations) in notation.threads.iter().enumerate() {
            let name = format!("T{}", index + 1);
            let list = calls(&mut program, operations);
            program.functions.push(harness::calls(&name, &list));
            let entry = FunctionId(program.functions.len() as u32 - 1);
            program.threads.push(Thread { name, entry, arguments: Vec::new() });
        }
        program
    }

    /// The function that a test calls for an operation, and the number of its results: the function itself, or one that
    /// chooses arguments and shows them and the result.
    fn operation(&self, id: FunctionId, program: &mut Program) -> (FunctionId, usize) {
        let signature = &self.signatures[id.0 as usize];
        let function = &self.functions[id.0 as usize];
        let show_result = signature.result.as_integer().is_some() && !self.shows_result(id);
        if signature.parameters.is_empty() && !show_result {
            return (id, function.results);
        }
        program.functions.push(harness::wrapper(&function.name, id, signature, show_result, function.span));
        (FunctionId(program.functions.len() as u32 - 1), 0)
    }

    /// Whether a function, or one that it calls, shows something as `result` itself.
    fn shows_result(&self, id: FunctionId) -> bool {
        let (mut todo, mut seen) = (vec![id], HashSet::new());
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            let function = &self.functions[id.0 as usize];
            let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
            if instructions.any(|i| matches!(&i.kind, InstructionKind::Observe { label, .. } if &**label == "result")) {
                return true;
            }
            todo.extend(harness::callees(function));
        }
        false
    }

    /// The whole program, which starts at `main`.
    pub fn program(&self) -> Result<Program, Diagnostics> {
        let Some(entry) = self.find("main") else {
            let message = "there is no function `main`".to_string();
            let notes = vec!["name the operations of a test, as in (e|d)".into()];
            let messages = vec![Diagnostic { notes, ..Diagnostic::new(Severity::Error, message, None) }];
            return Err(Diagnostics { sources: self.sources.clone(), messages });
        };
        let mut program = self.without_threads(self.sources.clone());
        let parameters = &self.signatures[entry.0 as usize].parameters;
        let arguments = parameters.iter().map(|_| Value::Undefined).collect();
        program.threads.push(Thread { name: "main".into(), entry, arguments });
        program.ends_with_main = self.ends_with_main(entry)?;
        checked(program)
    }

    /// Whether `main` returns, which ends the program, and does not end as a thread does, by `pthread_exit`.
    fn ends_with_main(&self, main: FunctionId) -> Result<bool, Diagnostics> {
        let main = &self.functions[main.0 as usize];
        let returns = main.blocks.iter().filter_map(|block| match &block.terminator {
            Terminator::Return(values) => Some(values.as_slice() == [Operand::Constant(Value::Undefined)]),
            _ => None,
        });
        let (exits, returns): (Vec<bool>, Vec<bool>) = returns.partition(|exits| *exits);
        if exits.is_empty() || returns.is_empty() {
            return Ok(exits.is_empty());
        }
        let what = "a `main` that returns on one path and ends as a thread on another";
        let messages = vec![Unsupported::new(what, main.span).into()];
        Err(Diagnostics { sources: self.sources.clone(), messages })
    }

    fn without_threads(&self, sources: Sources) -> Program {
        Program {
            name: self.name.clone(),
            language: Language::C,
            sources,
            globals: self.globals.clone(),
            functions: self.functions.clone(),
            threads: Vec::new(),
            setup: None,
            thread_order: Vec::new(),
            ends_with_main: false,
            question: None,
        }
    }
}

/// The program without what it does not use, if it keeps the law of programs.
fn checked(mut program: Program) -> Result<Program, Diagnostics> {
    harness::keep_reachable(&mut program);
    let sources = program.sources.clone();
    let verified = program::verify(program).map_err(|messages| Diagnostics { sources, messages })?;
    Ok(verified.into_program())
}

/// Whether a test may name a function of this type.
fn is_operation(signature: &Signature) -> bool {
    signature.parameters.iter().all(|(_, of)| of.as_integer().is_some())
}

fn is_library(name: &str) -> bool {
    name.starts_with("lsl_") || name.starts_with("__VERIFIER_")
}
