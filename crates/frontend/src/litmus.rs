//! Litmus tests in herd's format, lowered to [`Program`].
//!
//! Everything around the code (header, initial state, `locations`, `filter`, condition) is read in the same way for every
//! language; the code itself by [`x86`] or [`c`], which reads Java too. A test in another language is refused by name.
//!
//! herd7 is the reference for what a file means. Where it and the language's standard part ways, we follow herd7,
//! because the published answers come from it, and say so: see the documentation of [`c`].
//!
//! What the rest of the system may rely on:
//! - Every register that the source names is a parameter of its thread's function, so it has a value (0 unless the
//!   initial state says otherwise) even when the code never assigns it.
//! - A location that is used but not initialised holds 0.
//! - All accesses of one location have the same width; a test that mixes widths is refused.
//! - A test without a condition asks `forall true`, as herd7 does.

mod asking;
pub mod c;
pub(crate) mod code;
mod header;
mod init;
mod lexer;
mod memory;
pub(crate) mod messages;
mod question;
mod table;
mod types;
pub mod x86;

use program::{Diagnostic, Diagnostics, Flow, Function, FunctionId, Language, Program, Sources, Thread, Unsupported};

pub use asking::parse_asking;
use code::Code;
use header::Header;
use init::Init;
use lexer::{Dialect, Source, Tokens};
use memory::Memory;
use messages::Messages;
use question::Scope;

/// A test that could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The test.
    pub program: Program,
    /// What the user should know about it all the same. Never an error.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a litmus test. `name` is the file's name as the user gave it, `text` its content.
///
/// Never panics, whatever the text. At most twenty messages are returned.
///
/// ```
/// let text = "X86 SB\n{}\nP0 | P1 ;\nMOV [x],$1 | MOV [y],$1 ;\nMOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)";
/// let parsed = frontend::litmus::parse("SB.litmus", text).unwrap();
/// assert_eq!(parsed.program.threads.len(), 2);
/// ```
pub fn parse(name: &str, text: &str) -> Result<Parsed, Diagnostics> {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let mut messages = Messages::default();
    let read = read(Source { file, text }, &mut messages);
    match read {
        Some(program) if !messages.any_error() => {
            Ok(Parsed { program: Program { sources, ..program }, warnings: messages.into_vec() })
        }
        _ => Err(Diagnostics { sources, messages: messages.into_vec() }),
    }
}

/// The whole way from text to program; `None` when reading cannot go on. The sources are filled in by [`parse`].
fn read(source: Source<'_>, messages: &mut Messages) -> Option<Program> {
    let header = messages.note(header::parse(source))?;
    let reader = messages.note(Reader::of(&header, source))?;
    let init = init::parse(source, header.init, messages);
    let (init, body) = messages.note(init)?;
    let mut memory = Memory::new(&init, messages);
    let mut tokens = Tokens::rest(source, body, reader.dialect());
    let mut threads = reader.threads(&mut tokens, &init, &mut memory, messages)?;
    let mut scope = Scope { memory: &mut memory, threads: &mut threads, observe: reader.observe(), messages };
    let question = question::parse(&mut tokens, &mut scope);
    let question = messages.note(question)?;
    let program = assemble((&header, reader.language()), memory, threads, question);
    program.functions.iter().for_each(|function| check_loops(function, messages));
    Some(program)
}

/// Puts the parts together.
fn assemble(
    (header, language): (&Header<'_>, Language),
    memory: Memory,
    threads: Vec<Code>,
    question: program::Question,
) -> Program {
    let mut program = Program {
        name: header.name.to_string(),
        language,
        sources: Sources::new(),
        globals: memory.finish(),
        functions: Vec::new(),
        threads: Vec::new(),
        setup: None,
        thread_order: Vec::new(),
        ends_with_main: false,
        simplified: Default::default(),
        question: Some(question),
    };
    for code in threads {
        let (function, arguments) = code.finish();
        let entry = FunctionId(program.functions.len() as u32);
        program.threads.push(Thread { name: function.name.clone(), entry, arguments });
        program.functions.push(function);
    }
    program
}

/// Refuses loops that are entered at two places, which only machine code has: engines unroll loops by their heads.
fn check_loops(function: &Function, messages: &mut Messages) {
    let flow = Flow::of(function);
    for &(from, to) in flow.retreating() {
        if !flow.dominates(to, from) {
            let span = function[to].span.or(function.span);
            messages.push(Unsupported::new("a loop that is entered at two places", span).into());
        }
    }
}

/// The languages that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    X86(x86::Machine),
    C,
    Java,
}

impl Reader {
    /// The language that the header names.
    fn of(header: &Header<'_>, source: Source<'_>) -> Result<Reader, Diagnostic> {
        match header.language {
            "X86" => Ok(Reader::X86(x86::Machine::X86)),
            "X86_64" => Ok(Reader::X86(x86::Machine::X86_64)),
            "C" => Ok(Reader::C),
            "Java" => Ok(Reader::Java),
            other => {
                let shown: String = other.chars().take(40).collect();
                let span = source.span(header.language_start, header.language_start + other.len());
                Err(Unsupported::new(format!("the language {shown}"), Some(span)).into())
            }
        }
    }

    /// The language, as the program names it.
    fn language(self) -> Language {
        match self {
            Reader::X86(x86::Machine::X86) => Language::X86,
            Reader::X86(x86::Machine::X86_64) => Language::X86_64,
            Reader::C => Language::C,
            Reader::Java => Language::JavaLitmus,
        }
    }

    fn dialect(self) -> Dialect {
        match self {
            Reader::X86(_) => Dialect::Litmus,
            Reader::C | Reader::Java => Dialect::C,
        }
    }

    /// Reads the code of all threads; `None` when what follows it cannot be understood without it.
    fn threads(
        self,
        tokens: &mut Tokens<'_>,
        init: &Init,
        memory: &mut Memory,
        messages: &mut Messages,
    ) -> Option<Vec<Code>> {
        match self {
            Reader::X86(machine) => x86::threads(machine, tokens, init, memory, messages),
            Reader::C => c::threads(c::Calls::Atomics, tokens, init, memory, messages),
            Reader::Java => c::threads(c::Calls::Handles, tokens, init, memory, messages),
        }
    }

    /// How a register of this language is looked up at the end of a thread.
    fn observe(self) -> question::Observe {
        match self {
            Reader::X86(x86::Machine::X86) => x86::observe_x86,
            Reader::X86(x86::Machine::X86_64) => x86::observe_x86_64,
            Reader::C | Reader::Java => c::observe,
        }
    }
}

/// The languages that a litmus test's first word may name; most are refused by name later.
const LANGUAGES: &[&str] = &[
    "X86", "X86_64", "C", "AArch64", "ARM", "PPC", "POWER", "RISCV", "MIPS", "LISA", "Bell", "JAVA", "Java", "LK",
    "BPF", "ASL",
];

/// Whether the first word of a text is a language that a litmus test may name.
pub fn begins_like_a_test(text: &str) -> bool {
    let is_comment = |line: &&str| line.is_empty() || line.starts_with("(*") || line.starts_with("//");
    let first = text.lines().map(str::trim).find(|line| !is_comment(line));
    first.and_then(|line| line.split_whitespace().next()).is_some_and(|word| LANGUAGES.contains(&word))
}
