//! The table of machine code: a row of thread names, then rows of instructions.
//!
//! ```text
//!  P0         | P1          ;
//!  MOV [x],$1 | MOV EAX,[x] ;
//! ```

use program::Diagnostic;

use super::lexer::{Tokens, thread_number};
use super::messages::Messages;

/// The words that start what follows the code.
pub const AFTER_CODE: &[&str] =
    &["locations", "filter", "exists", "~", "not", "forall", "final", "observed", "with", "<<", "("];

/// Reads the table; gives for each thread its cells from top to bottom, without the empty ones.
pub fn parse<'a>(tokens: &mut Tokens<'a>, messages: &mut Messages) -> Option<Vec<Vec<Tokens<'a>>>> {
    while tokens.accept(";") {}
    let heads = messages.note(row(tokens))?;
    for (number, head) in heads.iter().enumerate() {
        let mut head = head.clone();
        let name = head.next();
        let named = thread_number(head.text(name)) == Some(number as u32) && head.at_end();
        if !named {
            let message = format!("expected the name of thread P{number}");
            messages
                .push(Diagnostic::error(message, head.all()).note("threads are named P0, P1, ... from left to right"));
            return None;
        }
    }
    let mut threads: Vec<Vec<Tokens<'a>>> = heads.iter().map(|_| Vec::new()).collect();
    while !tokens.at_end() && !AFTER_CODE.contains(&tokens.text(tokens.peek())) && !messages.enough() {
        let cells = messages.note(row(tokens))?;
        for (column, cell) in cells.into_iter().enumerate() {
            match threads.get_mut(column) {
                _ if cell.at_end() => {}
                Some(thread) => thread.push(cell),
                None => messages.push(Diagnostic::error("this instruction belongs to no thread", cell.all())),
            }
        }
    }
    Some(threads)
}

/// Reads the cells of one row, up to and including its `;`.
fn row<'a>(tokens: &mut Tokens<'a>) -> Result<Vec<Tokens<'a>>, Diagnostic> {
    let mut cells = Vec::new();
    let mut start = tokens.position();
    loop {
        if tokens.at_end() {
            return Err(tokens.unexpected("`;` at the end of this row"));
        }
        let separator = tokens.is("|") || tokens.is(";");
        if separator {
            cells.push(tokens.between(start, tokens.position()));
        }
        let last = tokens.is(";");
        tokens.next();
        if last {
            return Ok(cells);
        }
        if separator {
            start = tokens.position();
        }
    }
}
