//! The text form of programs: [`print()`] and [`parse()`] are inverse, up to spans and sources.
//!
//! ```
//! let text = "\
//! program SB
//! language X86
//!
//! global x = 0:i32
//! global y = 0:i32
//!
//! function P0() {
//!   registers EAX
//!   b0:
//!     store &x, 1:i32 plain
//!     %EAX := load &y plain
//!     return
//! }
//!
//! function P1() {
//!   registers EAX
//!   b0:
//!     store &y, 1:i32 plain
//!     %EAX := load &x plain
//!     return
//! }
//!
//! thread P0 = @P0()
//! thread P1 = @P1()
//!
//! exists 0:%EAX == 0:i32 and 1:%EAX == 0:i32
//! ";
//! let program = program::text::parse("SB.ir", text).unwrap();
//! assert_eq!(program::text::print(&program), text);
//! program::verify(program).unwrap();
//! ```
//!
//! A comment runs from `;` to the end of the line. Line breaks mean nothing. `name` is a word of letters, digits, `_`, `.`
//! and `$` that does not start with a digit and is not reserved, or any text in double quotes with the escapes `\"`, `\\`
//! and `\u{hex}`. Every program can be written, also one that breaks the law of [`mod@crate::verify`]: `ref` is a name that
//! is unique among its kind, or a number from 0 as in `#3`, which may be out of range.
//!
//! ```text
//! program   = 'program' name 'language' name { global | function | setup | thread | order | ends } [ question ]
//! global    = 'global' name '=' value [ '{' path '=' value, ... '}' ] [ extent ]    the default; single cells
//! extent    = storage operand 'align' number                                the size in bytes, and the alignment
//! storage   = 'static' | 'thread_local' | 'read_only' | 'code' | 'stack' | 'heap' | 'pool'
//! path      = '[]' | { '[' integer ']' }                                    '[]' is the allocation itself
//! function  = 'function' name '(' register, ... ')' [ '->' number of results ]
//!             '{' [ 'registers' name, ... ] { block } '}'
//! block     = 'bN' ':' { instruction } terminator                           N counts from 0 without gaps
//! setup     = 'setup' '@' ref '()'                                          at most one
//! thread    = 'thread' name '=' '@' ref '(' value, ... ')'
//! order     = 'order' thread number 'before' thread number                  the first ends before the second starts
//! ends      = 'ends_with_main'                                              it is over once the first thread is
//! left out  = 'wakes_rarely' | 'few_hash_codes' | 'few_times' | 'two_processors'   fewer executions than the language allows
//!
//! register  = '%' ref
//! value     = 'undefined' | integer ':iW' | '&' ref { '[' integer ']' } | name '(' value, ... ')'
//! operand   = register | value
//! access    = order [ '{' tag, ... '}' ] [ ':' number of bytes ]
//! order     = 'plain' | 'relaxed' | 'consume' | 'acquire' | 'release' | 'acq_rel' | 'seq_cst'
//! operator  = 'copy' | 'add' | ... | 'resize' '[' ('s'|'u')W ']' | 'step' '[' bytes ']'
//!             | ('element'|'element_or_end') '[' bytes, count ']' | ('make'|'get'|'set') '[' tag, number ']'
//!
//! instruction =
//!     register ':=' operator (operand, ... | '()')
//!   | register ':=' 'load' operand access
//!   | 'store' address, value access
//!   | register ':=' 'exchange' address, value access
//!   | register ':=' 'update' address, operator value access
//!   | register, success ':=' ('compare_exchange' | 'compare_exchange_weak') address, expected, desired access 'else' access
//!   | 'fence' access
//!   | 'freeze' operand
//!   | ('lock' | 'unlock' | 'wait' | 'notify' | 'notify_all') monitor
//!   | register ':=' 'allocate' name '=' value [ 'reuse' ] [ extent ]
//!   | 'free' operand
//!   | 'end' operand
//!   | 'live' operand
//!   | [ register, ... ':=' ] 'call' '@' ref '(' operand, ... ')'
//!   | [ register, ... ':=' ] 'call_virtual' '{' class ':' '@' ref, ... '}' '(' operand, ... ')'
//!   | register ':=' 'spawn' '@' ref '(' operand, ... ')'
//!   | ('join' | 'unpark') thread
//!   | 'park' | 'atomic_begin' | 'atomic_end'
//!   | 'assert' operand, message [ 'exception' | 'exit' | 'error' ] [ 'text' operand ]
//!   | ('assume' | 'await') operand
//!   | 'observe' label, operand
//!   | register ':=' 'identify'
//!   | register ':=' 'choose' integer '..' integer ':iW'
//! terminator  = 'jump' bN | 'branch' operand, bN, bN [ 'join' bN ] | 'return' operand, ...
//!
//! question    = ('exists' | '~exists' | 'forall') proposition [ 'filter' proposition ] [ 'observed' observable, ... ]
//! observable  = thread number ':' register | global { '[' integer ']' }     global is a ref
//! proposition = 'true' | 'false' | term ('==' | '!=' | '<' | '<=') term | 'not' proposition | '(' proposition ')'
//!             | proposition 'and' ... | proposition 'or' ... | ('all' | 'any') '(' proposition, ... ')'
//! term        = observable | value
//! ```
//!
//! `not` binds tightest, then `and`, then `or`. Without `observed`, the observables of the proposition are observed. Values
//! and propositions may nest 100 deep.

mod cursor;
mod instruction;
mod lexer;
mod parse;
mod print;
mod question;

/// A hash of a program's text (FNV-1a, 64 bits) that tells it from others, its question aside: that does not change what is run.
pub fn fingerprint(program: &Program) -> String {
    let text = print(&Program { question: None, ..program.clone() });
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, hash))
}

pub use parse::parse;
pub use print::print;

use crate::ir::{Program, Terminator};
use crate::source::Sources;

/// The words that are no bare names, because something else may stand where a name does.
const RESERVED: [&str; 25] = [
    "program",
    "language",
    "global",
    "function",
    "setup",
    "thread",
    "order",
    "ends_with_main",
    "wakes_rarely",
    "few_hash_codes",
    "few_times",
    "two_processors",
    "exists",
    "forall",
    "filter",
    "observed",
    "registers",
    "undefined",
    "true",
    "false",
    "not",
    "and",
    "or",
    "all",
    "any",
];

/// The kinds of memory and their words.
const STORAGES: [(crate::Storage, &str); 7] = [
    (crate::Storage::Static, "static"),
    (crate::Storage::ThreadLocal, "thread_local"),
    (crate::Storage::ReadOnly, "read_only"),
    (crate::Storage::Function, "code"),
    (crate::Storage::Stack, "stack"),
    (crate::Storage::Heap, "heap"),
    (crate::Storage::Pool, "pool"),
];

/// The memory orders and their words.
const ORDERS: [(crate::Order, &str); 7] = [
    (crate::Order::Plain, "plain"),
    (crate::Order::Relaxed, "relaxed"),
    (crate::Order::Consume, "consume"),
    (crate::Order::Acquire, "acquire"),
    (crate::Order::Release, "release"),
    (crate::Order::AcquireRelease, "acq_rel"),
    (crate::Order::SeqCst, "seq_cst"),
];

/// The program without spans and sources: what the text form keeps.
pub fn without_spans(mut program: Program) -> Program {
    program.sources = Sources::new();
    program.globals.iter_mut().for_each(|global| global.span = None);
    for function in &mut program.functions {
        function.span = None;
        for block in &mut function.blocks {
            block.span = None;
            block.instructions.iter_mut().for_each(|instruction| instruction.span = None);
            if let Terminator::Branch { span, .. } = &mut block.terminator {
                *span = None;
            }
        }
    }
    if let Some(question) = &mut program.question {
        question.span = None;
    }
    program
}

/// A name as the text form writes it: bare if it can be, else quoted.
fn name(text: &str) -> String {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    let is_word = text.starts_with(starts) && text.chars().all(lexer::is_word);
    if is_word && !RESERVED.contains(&text) {
        return text.into();
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
