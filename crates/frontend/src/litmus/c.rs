//! C with C11 atomics: one function per thread.
//!
//! ```text
//! P0 (atomic_int* x, int* y) {
//!   *y = 1;
//!   atomic_store_explicit(x, 1, memory_order_release);
//! }
//! ```
//!
//! A parameter is a pointer to the location of its name. Where herd7 and ISO C part ways, we follow herd7:
//! - `*x` and `*x = 1` are plain, non-atomic accesses whatever the type of `x`; in ISO C they would be seq_cst accesses if
//!   `x` pointed to an atomic type.
//! - The expected value of a compare-and-exchange may be any location; it is read plainly, and written plainly when the
//!   exchange fails. The address of a local variable means that variable itself.
//! - A variable that is assigned but not declared is an `int` (with a warning). A pointer may be kept in an integer
//!   variable and dereferenced.
//! - A local variable is a register for the whole thread: blocks that do not enclose one another share the variables of
//!   the same name, so that a condition can speak of them; it starts with 0, and may be used outside of its block (with a
//!   warning).
//!
//! Accesses of volatile objects are of the set `V`. The result of an `int` is 32 bits wide, with C's promotions and
//! conversions between widths.
//!
//! A control dependency of an `if` ends behind it, unless one of its branches leaves the loop or the function: then it
//! never ends. Likewise that of a loop.
//!
//! The primitives of the Linux kernel have tags, for models with a bell file: see `kernel`.
//!
//! Refused: locks and RCU, calls of other functions, `goto`, `switch`, labels, structures,
//! arrays and addresses of local variables, and accesses of one location with different widths. So is
//! `atomic_signal_fence`: it orders accesses against a signal handler, of which a litmus test has none, and what it does
//! to a compiler is in no model.

mod atomics;
mod expression;
mod handles;
mod kernel;
mod lower;
mod parser;
mod place;
mod statement;
mod syntax;
mod typed;
mod value;

use program::{Diagnostic, RegisterId, Span, Value};

use super::code::Code;
use super::init::Init;
use super::lexer::Tokens;
use super::memory::Memory;
use super::messages::Messages;
use super::table::AFTER_CODE;
use syntax::Function;

pub(super) use syntax::Calls;

/// Reads the functions and lowers them.
pub(super) fn threads(
    calls: Calls,
    tokens: &mut Tokens<'_>,
    init: &Init,
    memory: &mut Memory,
    messages: &mut Messages,
) -> Option<Vec<Code>> {
    let functions = functions(calls, tokens, messages)?;
    if messages.any_error() {
        // What could not be read leaves gaps. What else is refused is so all the same.
        let mut found = Messages::default();
        functions.iter().enumerate().for_each(|(number, function)| {
            lower::lower(number, function, init, memory, &mut found);
        });
        found.into_refusals().into_iter().for_each(|message| messages.push(message));
        return None;
    }
    let lower = |(number, function): (usize, &Function)| lower::lower(number, function, init, memory, messages);
    let threads: Vec<Code> = functions.iter().enumerate().map(lower).collect();
    for entry in init.registers.iter().filter(|entry| entry.thread as usize >= threads.len()) {
        messages.push(Diagnostic::warning(format!("there is no thread P{}", entry.thread), entry.span));
    }
    Some(threads)
}

/// Reads all functions, in the order of their numbers; `None` if one cannot be read at all. Statements that cannot be read
/// are missing.
fn functions(calls: Calls, tokens: &mut Tokens<'_>, messages: &mut Messages) -> Option<Vec<Function>> {
    let mut functions: Vec<Function> = Vec::new();
    loop {
        while tokens.accept(";") {}
        if tokens.at_end() || AFTER_CODE.contains(&tokens.text(tokens.peek())) {
            break;
        }
        let function = statement::function(calls, tokens, messages);
        functions.push(messages.note(function)?);
        if messages.enough() {
            return None;
        }
    }
    if functions.is_empty() {
        let wanted = match calls {
            Calls::Atomics => "a thread `P0 (...) { ... }`",
            Calls::Handles => "a thread `Thread0 { ... }`",
        };
        messages.push(tokens.unexpected(wanted));
    }
    functions.sort_by_key(|function| function.number);
    for (number, function) in functions.iter().enumerate() {
        if function.number as usize != number {
            let message = format!("expected a thread P{number}, found P{}", function.number);
            messages.push(Diagnostic::error(message, function.span).note("threads are numbered from 0 without gaps"));
            return None;
        }
    }
    Some(functions)
}

/// The register of a local variable. One that does not exist reads as 0.
pub(super) fn observe(
    code: &mut Code,
    name: &str,
    span: Span,
    messages: &mut Messages,
) -> Result<RegisterId, Diagnostic> {
    if code.named(name).is_none() {
        messages.push(Diagnostic::warning(format!("the thread has no variable `{name}`, which reads as 0"), span));
    }
    Ok(code.named_or(name, Value::int(0, 32)))
}
