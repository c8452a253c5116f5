//! Another question for a test.

use program::{Diagnostics, Program};

use super::{Parsed, parse};

/// Reads a litmus test as [`parse`] does, with the question whether this condition can become true in place of its own.
pub fn parse_asking(name: &str, text: &str, condition: &str) -> Result<Parsed, Diagnostics> {
    let parsed = parse(name, text)?;
    parse(name, &replace_question(text, &parsed.program, condition))
}

/// The text of a test with another question: all places before the question stay where they are.
fn replace_question(text: &str, program: &Program, condition: &str) -> String {
    let question = format!("exists ({})", litmus_condition(condition));
    let span = program.question.as_ref().and_then(|question| question.span);
    match span.map(|span| (span.start as usize, span.end as usize)) {
        Some((start, end)) if end <= text.len() => format!("{}{question}{}", &text[..start], &text[end..]),
        _ => format!("{}\n{question}\n", text.trim_end()),
    }
}

/// A condition as litmus tests write it: `&&` and `||` become `/\` and `\/`; the rest is understood as it is. Line ends
/// become blanks.
fn litmus_condition(condition: &str) -> String {
    condition.replace("&&", "/\\").replace("||", "\\/").replace(['\n', '\r'], " ")
}
