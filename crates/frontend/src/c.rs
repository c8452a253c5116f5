//! C programs, and bounded tests of data types written in C.
//!
//! [`load`] preprocesses, parses (by the crate `lang-c`) and lowers a file. Then [`Unit::program`] is the program that
//! starts at `main`, and [`Unit::test`] a bounded test of its functions, as in the CheckFence thesis (sections 4.4 and
//! 7.2). Memory has bytes: pointers are an allocation and a byte offset, accesses have a width. Scalar locals whose address is not taken are registers.
//!
//! - `declare`, `types`: declarations become types; `variables`, `initialize`: variables and their initial values.
//! - `specialize`: functions whose parameters are memory orders.
//! - `expression`, `operators`, `place`, `literal`: values and places; `statement`, `function`: control flow and calls; `written`: reads of
//!   variables that may not have been written.
//! - `library`, `memory`, `packed`, `atomics`, `atomic_struct`, `wide_atomics`, `builtins`, `threads`, `synchronize`: the functions that are known by name;
//!   others of the standard library are written in C, in `headers/`; `variadic`: variable arguments. `bit_field`: bit-fields; `int128`: integers of two words. `assembly`: what inline assembly may be.
//! - `harness`: the notation of bounded tests; `preprocess`: macros and includes; `syntax`, `guard`: the parser, and what it
//!   cannot take; `reach`: what is lowered at all; `refusals`: listing all that is wrong or not modelled.
//!
//! What is not modelled is refused with its place, if the program can come to it: floating point, arrays of
//! variable length in other types, most inline assembly, pointers and atomic objects that are accessed in parts (`crate::cells`).

mod assembly;
mod atomic_struct;
mod atomics;
mod bit_field;
mod builtins;
mod code;
mod declare;
mod expression;
mod float;
mod function;
mod guard;
mod harness;
mod ignore;
mod ignored;
mod initialize;
mod int128;
mod library;
mod literal;
mod lower;
mod memory;
mod nested;
mod operators;
mod own;
mod packed;
mod padding;
mod place;
pub mod preprocess;
mod reach;
mod reallocate;
mod refusals;
mod refused;
mod specialize;
mod statement;
mod synchronize;
mod syntax;
mod thread_local;
mod threads;
mod types;
mod uses;
mod variables;
mod variadic;
mod views;
mod wide_atomics;
mod written;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use lang_c::ast;
use lang_c::span::Node;
use program::{
    Diagnostic, Diagnostics, Extent, Function, FunctionId, Global, InstructionKind, Language, Layout, Operand, Order,
    Pointer, Program, Severity, Simplification, Sources, Storage, Terminator, Thread, Unsupported, Value,
};

use crate::prune;
use harness::{Notation, Numbers, Start};
use lower::{Lowered, Lowering};
use preprocess::Include;
pub use preprocess::{IncludeFor, SourceFile};
use reach::{Reached, name_of};
use syntax::Parsed;
use types::{Shape, Signature, Type};

pub use ignore::MemoryError;

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
    /// Functions that the entry does not come to, which have empty bodies too, and those of built-in headers: no test may name
    /// them.
    left_out: HashSet<String>,
    /// What makes the variables of a thread's own.
    start: Start,
    /// Whether memory may be accessed as different types.
    has_views: bool,
    /// Errors of memory that are not looked for.
    ignored: Vec<MemoryError>,
    /// Whether waits at conditions end without a signal at most once in each call of a function.
    simplified: BTreeSet<Simplification>,
}

/// Reads a C file. `include` gives the path and text of an included file, `defines` are macros.
///
/// Never panics, whatever the text. At most twenty messages are returned.
///
/// ```
/// let text = "int x; void w(void) { x = 1; } int r(void) { return x; }";
/// let unit = frontend::c::load("x.c", text, &mut |_, _| None, &[]).unwrap();
/// assert_eq!(unit.operations(), ["w", "r"]);
/// let program = unit.test("(w|r r)").unwrap();
/// assert_eq!(program.threads.len(), 2);
/// ```
pub fn load(path: &str, text: &str, include: &mut Include, defines: &[(String, String)]) -> Result<Unit, Diagnostics> {
    load_with(path, text, include, defines, &Options::default())
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
    load_with(path, text, include, defines, &Options { marks_places: true, ..Options::default() })
}

/// How a C file is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether places are marked where a statement could be put in, see [`load_with_places`].
    pub marks_places: bool,
    /// Where the program starts.
    pub entry: Entry,
    /// Whether accesses of `volatile` objects are relaxed atomics, as those who wrote programs before C11 mean them; else they
    /// are plain accesses, which race.
    pub volatile_is_relaxed: bool,
    /// Errors of memory that are not looked for.
    pub ignored: Vec<MemoryError>,
}

/// Where a program starts. What it does not come to from there may contain anything: it is neither lowered nor refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Entry {
    /// At any function.
    #[default]
    Any,
    /// At `main`, if there is one.
    Main,
    /// At the operations of a test in this notation.
    Test(String),
}

/// Reads a C file as [`load`] does, with options.
pub fn load_with(
    path: &str,
    text: &str,
    include: &mut Include,
    defines: &[(String, String)],
    options: &Options,
) -> Result<Unit, Diagnostics> {
    let mut sources = Sources::new();
    let preprocessed = preprocess::preprocess_needed(path, text, include, defines, &mut sources)?;
    lowered(path, preprocessed, sources, options)
}

/// Reads the C files of one program, each with its own macros: what one declares and another defines is the same, and what is static in a
/// file is its own. The program is named after the first.
pub fn load_all(files: &[SourceFile], include: &mut IncludeFor, options: &Options) -> Result<Unit, Diagnostics> {
    let mut sources = Sources::new();
    let preprocessed = preprocess::preprocess_all(files, include, &mut sources)?;
    lowered(files.first().map_or("", |file| file.path), preprocessed, sources, options)
}

/// Parses and lowers what was preprocessed.
fn lowered(
    path: &str,
    preprocessed: preprocess::Preprocessed,
    mut sources: Sources,
    options: &Options,
) -> Result<Unit, Diagnostics> {
    let parsed = match syntax::parse(&preprocessed) {
        Ok(parsed) => parsed,
        Err(messages) => return Err(Diagnostics { sources, messages }),
    };
    let mut lowering = Lowering::new(&preprocessed.text, &preprocessed.origins, &sources);
    lowering.marks_places = options.marks_places;
    lowering.reached = reached(&lowering, &parsed.unit, &options.entry);
    lower_unit(&mut lowering, &parsed);
    if lowering.messages.any_error() {
        let messages = std::mem::take(&mut lowering.messages).into_vec();
        return Err(Diagnostics { sources, messages });
    }
    let signatures = lowering.bodies.iter().filter_map(|name| lowering.functions.get(name));
    let signatures = signatures.map(|declared| declared.signature.clone()).collect();
    let mut functions: Vec<Function> = std::mem::take(&mut lowering.lowered).into_iter().flatten().collect();
    if options.volatile_is_relaxed {
        functions.iter_mut().for_each(relax_volatile);
    }
    let globals = std::mem::take(&mut lowering.globals);
    let layouts = layouts(&lowering);
    let is_left_out = |name: &&String| !lowering.reached.contains(name) || lowering.built_in.contains(*name);
    let left_out = lowering.bodies.iter().filter(is_left_out).cloned().collect();
    let (has_views, simplified) = (lowering.views.any(), std::mem::take(&mut lowering.simplified));
    let (function, count) = (lowering.own.start, lowering.own.count());
    let start = Start { function, count, is_numbered: lowering.own.is_numbered };
    layouts.into_iter().for_each(|(of, layout)| sources.name_parts(&of, layout));
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix(".c").unwrap_or(name).to_string();
    Ok(Unit {
        name,
        sources,
        globals,
        functions,
        signatures,
        left_out,
        start,
        has_views,
        ignored: options.ignored.clone(),
        simplified,
    })
}

/// What a program comes to from its entry. Functions of built-in headers are reached only if something mentions them.
fn reached(lowering: &Lowering, unit: &ast::TranslationUnit, entry: &Entry) -> Reached {
    let functions = reach::definitions(unit);
    let has = |name: &str| functions.iter().any(|own| own == name);
    let roots = match entry {
        Entry::Main if has("main") => Some(vec!["main".to_string()]),
        // Every name that the notation could be read to contain.
        Entry::Test(notation) => {
            let without_retries = |name: &str| name.strip_suffix("_n").is_some_and(|name| notation.contains(name));
            let is_named = |name: &&String| notation.contains(name.as_str()) || without_retries(name);
            Some(functions.iter().filter(is_named).cloned().chain(["i", "init"].map(String::from)).collect())
        }
        _ => None,
    };
    let own = || reach::declarations(unit).filter(|(_, at)| !lowering.is_built_in(*at)).flat_map(|(names, _)| names);
    Reached::from(unit, &roots.unwrap_or_else(|| own().collect()))
}

/// Makes plain accesses of volatile objects relaxed ones.
fn relax_volatile(function: &mut Function) {
    for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        if let InstructionKind::Load { access, .. } | InstructionKind::Store { access, .. } = &mut instruction.kind
            && access.order == Order::Plain
            && access.has("volatile")
        {
            access.order = Order::Relaxed;
        }
    }
}

/// Where the parts of objects lie: of blocks by their type, of variables by their names, which differ if their types do.
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

/// Declares everything, then lowers the bodies of the functions that are reached.
fn lower_unit(lowering: &mut Lowering, parsed: &Parsed) {
    let unit = &parsed.unit;
    lowering.uses = uses::uses(unit, &lowering.reached);
    let mut definitions: Vec<&Node<ast::FunctionDefinition>> = Vec::new();
    for declaration in &unit.0 {
        let known = lowering.bodies.len();
        let done = declare(lowering, &declaration.node);
        if let ast::ExternalDeclaration::FunctionDefinition(definition) = &declaration.node
            && lowering.bodies.len() > known
        {
            definitions.push(definition);
        }
        match done {
            Err(_) if !lowering.reached.declares(&declaration.node) => lowering.refused.failed = None,
            done => _ = lowering.note(done),
        }
    }
    lowering.find_packed();
    lowering.hoist_thread_locals(&definitions);
    lowering.make_thread_start();
    lowering.orders = specialize::order_parameters(unit);
    let by_name: HashMap<String, &Node<ast::FunctionDefinition>> =
        definitions.iter().filter_map(|one| Some((name_of(&one.node.declarator.node)?, *one))).collect();
    for (index, definition) in definitions.into_iter().enumerate() {
        let name = lowering.bodies[index].clone();
        let body = match unreadable(parsed, definition) {
            _ if lowering.is_packed(&name) || !lowering.reached.contains(&name) => Ok(empty(&name)),
            Some(message) => Err(message),
            None => lowering.function_body(&name, definition, &Vec::new()),
        };
        lowering.lowered[index] = lowering.note(body);
    }
    while let Some((id, name, known)) = lowering.instances.pop() {
        let Some(definition) = by_name.get(&name).filter(|one| unreadable(parsed, one).is_none()) else { continue };
        let body = lowering.function_body(&name, definition, &known);
        lowering.lowered[id.0 as usize] = lowering.note(body);
    }
}

/// Takes note of what a declaration outside of functions declares.
fn declare(lowering: &mut Lowering, declaration: &ast::ExternalDeclaration) -> Lowered<()> {
    match declaration {
        ast::ExternalDeclaration::Declaration(declaration) => {
            let done = lowering.file_declaration(declaration);
            if done.is_err() {
                lowering.refuse_declaration(&declaration.node);
            }
            done
        }
        ast::ExternalDeclaration::StaticAssert(assertion) => lowering.static_assert(assertion),
        ast::ExternalDeclaration::FunctionDefinition(definition) => {
            let done = lowering.define_function(definition);
            if done.is_err() {
                lowering.refuse_declarator(&definition.node.declarator.node);
            }
            done
        }
    }
}

/// What is wrong in the body of a function that cannot be read.
fn unreadable(parsed: &Parsed, definition: &Node<ast::FunctionDefinition>) -> Option<Diagnostic> {
    let body = definition.node.statement.span;
    let found = parsed.unreadable.iter().find(|(bytes, _)| body.start < bytes.end && bytes.start < body.end);
    found.map(|(_, message)| message.clone())
}

/// The place of a function that nothing calls.
fn empty(name: &str) -> Function {
    harness::calls(name, &[], Start::default(), Numbers::default())
}

impl Unit {
    /// The functions that a test may name: those whose parameters, if any, are integers.
    pub fn operations(&self) -> Vec<String> {
        let all = self.functions.iter().zip(&self.signatures);
        let names = all.filter(|(function, of)| is_operation(of) && !self.left_out.contains(&function.name));
        let names = names.map(|(function, _)| function.name.clone());
        names.filter(|name| name != "main" && !is_library(name) && Some(name) != self.init_name().as_ref()).collect()
    }

    /// The function that runs before a test: `i`, else `init`, if it has no parameters.
    fn init_name(&self) -> Option<String> {
        let has = |name: &&str| self.find(name).is_some_and(|id| self.signatures[id.0 as usize].parameters.is_empty());
        ["i", "init"].iter().copied().find(has).map(String::from)
    }

    fn find(&self, name: &str) -> Option<FunctionId> {
        if self.left_out.contains(name) {
            return None;
        }
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
        self.checked(program)
    }

    /// The program of a test whose operations are known to be right.
    fn assemble(&self, notation: &Notation, sources: Sources, file: program::FileId) -> Program {
        let mut program = self.without_threads(sources);
        let mut callable = HashMap::new();
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
            .map(|id| (id, self.functions[id.index()].results, self.functions[id.index()].span))
            .collect();
        first.extend(calls(&mut program, &notation.initial));
        let threads = notation.threads.len();
        if !first.is_empty() {
            program.functions.push(harness::calls("setup", &first, self.start, Numbers { thread: 0, threads }));
            program.setup = Some(FunctionId(program.functions.len() as u32 - 1));
        }
        for (index, operations) in notation.threads.iter().enumerate() {
            let name = format!("T{}", index + 1);
            let list = calls(&mut program, operations);
            program.functions.push(harness::calls(&name, &list, self.start, Numbers { thread: index, threads }));
            let entry = FunctionId(program.functions.len() as u32 - 1);
            program.threads.push(Thread { name, entry, arguments: Vec::new() });
        }
        program
    }

    /// The function that a test calls for an operation, and the number of its results: the function itself, or one that
    /// chooses arguments and shows them and the result.
    fn operation(&self, id: FunctionId, program: &mut Program) -> (FunctionId, usize) {
        let signature = &self.signatures[id.0 as usize];
        let function = &self.functions[id.index()];
        let show_result = signature.result.as_integer().is_some() && !self.shows_result(id);
        if signature.parameters.is_empty() && !show_result {
            return (id, function.results);
        }
        program.functions.push(harness::wrapper(&function.name, id, signature, show_result, self.start, function.span));
        (FunctionId(program.functions.len() as u32 - 1), 0)
    }

    /// Whether a function, or one that it calls, shows something as `result` itself.
    fn shows_result(&self, id: FunctionId) -> bool {
        let (mut todo, mut seen) = (vec![id], HashSet::new());
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            let function = &self.functions[id.index()];
            let mut instructions = function.instructions();
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
        if self.start.is_numbered {
            let what = "the number of a thread (lsl_get_thread_id, lsl_get_number_threads) outside of bounded tests";
            let messages = vec![Unsupported::new(what, self.functions[entry.index()].span).into()];
            return Err(Diagnostics { sources: self.sources.clone(), messages });
        }
        let mut program = self.without_threads(self.sources.clone());
        let parameters = &self.signatures[entry.0 as usize].parameters;
        // As if run without arguments: a number, and if they are looked at the strings.
        let mut arguments: Vec<Value> = parameters.iter().map(|_| Value::Undefined).collect();
        if let [count, strings, ..] = arguments.as_mut_slice() {
            (*count, *strings) = (Value::int(1, 32), command_line(&mut program));
        }
        program.threads.push(Thread { name: "main".into(), entry, arguments });
        program.ends_with_main = self.ends_with_main(entry)?;
        self.checked(program)
    }

    /// Whether `main` returns, which ends the program, and does not end as a thread does, by `pthread_exit`.
    fn ends_with_main(&self, main: FunctionId) -> Result<bool, Diagnostics> {
        let main = &self.functions[main.index()];
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

    /// The program without what it does not use, if it keeps the law of programs.
    fn checked(&self, mut program: Program) -> Result<Program, Diagnostics> {
        prune::functions(&mut program);
        let sources = program.sources.clone();
        let is_sought = |error: MemoryError| !self.ignored.contains(&error);
        let sought = crate::cells::Sought {
            freed: is_sought(MemoryError::UseAfterFree),
            left: is_sought(MemoryError::UseAfterScope),
            unwritten: is_sought(MemoryError::Uninitialised),
        };
        if let Err(refused) = crate::cells::cut(&mut program, self.has_views, sought) {
            return Err(Diagnostics { sources, messages: vec![refused.into()] });
        }
        nested::flatten(&mut program);
        prune::functions(&mut program);
        prune::globals(&mut program, |_, global| !is_function(global));
        ignore::ignore(&mut program, &self.ignored);
        program::counter::drop_counters(&mut program);
        let verified = program::verify(program).map_err(|messages| Diagnostics { sources, messages })?;
        Ok(verified.into_program())
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
            simplified: self.simplified.clone(),
            question: None,
        }
    }
}

/// Whether a global only stands for a function whose address is taken.
fn is_function(global: &Global) -> bool {
    global.extent.as_ref().is_some_and(|extent| extent.storage == Storage::Function)
}

/// The `argv` of a program that is run without arguments: its name, and a null pointer.
fn command_line(program: &mut Program) -> Value {
    let named = |name: &str, cells, size: usize, align| {
        let extent = Some(Extent::of(size as u64, align, Storage::Static));
        Global { name: name.into(), cells, default: Value::Undefined, extent, span: None }
    };
    let bytes = program.name.bytes().chain([0]).zip(0..);
    let text = bytes.map(|(byte, at)| (Pointer::byte_path(at), Value::int((byte as i8).into(), 8))).collect();
    let text = named("argv[0]", text, program.name.len() + 1, 1);
    program.globals.push(text);
    let text = Value::Pointer(Pointer::at_byte(program.globals.len() as u32 - 1, 0));
    let cells = vec![(Pointer::byte_path(0), text), (Pointer::byte_path(8), Value::int(0, 64))];
    program.globals.push(named("argv", cells, 16, 8));
    Value::Pointer(Pointer::at_byte(program.globals.len() as u32 - 1, 0))
}

/// Whether a test may name a function of this type.
fn is_operation(signature: &Signature) -> bool {
    signature.parameters.iter().all(|(_, of)| of.as_integer().is_some())
}

fn is_library(name: &str) -> bool {
    ["lsl_", "__VERIFIER_", "__palisade_"].iter().any(|prefix| name.starts_with(prefix))
}
