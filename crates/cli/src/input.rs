//! Reading programs.

use std::io::Read;
use std::path::Path;

use program::{Diagnostics, Program, Verified, verify};

use crate::failure::{Failure, show};

/// A file's text, and the name by which messages speak of it.
pub struct Text {
    /// The path as the user gave it.
    pub name: String,
    /// Its content. Bytes that are not UTF-8 are replaced: they can only be wrong, and the message says where.
    pub text: String,
}

/// Larger files are refused: they are not tests.
const LARGEST: u64 = 64 << 20;

/// Reads a file; `-` is standard input.
pub fn read(path: &Path) -> Result<Text, Failure> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let read = std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes);
        read.map_err(|error| Failure::Message(format!("standard input cannot be read: {error}")))?;
    } else {
        if path.is_dir() {
            return Err(Failure::file(path, "is a folder, not a file (`palisade suite` takes folders)"));
        }
        let file =
            std::fs::File::open(path).map_err(|error| Failure::file(path, format!("cannot be read: {error}")))?;
        let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
        read.map_err(|error| Failure::file(path, format!("cannot be read: {error}")))?;
    }
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::file(path, format!("is longer than {} MB", LARGEST >> 20)));
    }
    let name = if path == Path::new("-") { "<stdin>".into() } else { path.display().to_string() };
    Ok(Text { name, text: String::from_utf8_lossy(&bytes).into_owned() })
}

/// Reads a litmus test, asking for `condition` instead of the test's own question if there is one. Warnings are printed.
pub fn program(text: &Text, condition: Option<&str>) -> Result<Verified, Failure> {
    let mut parsed = frontend::litmus::parse(&text.name, &text.text)?;
    if let Some(condition) = condition {
        let asked = replace_question(&text.text, &parsed.program, condition);
        parsed = frontend::litmus::parse(&text.name, &asked)?;
    }
    if !parsed.warnings.is_empty() {
        show(&Diagnostics { sources: parsed.program.sources.clone(), messages: parsed.warnings });
    }
    verified(parsed.program)
}

/// The same with the test's own question, and without printing warnings.
pub fn quiet_program(text: &Text) -> Result<Verified, Failure> {
    verified(frontend::litmus::parse(&text.name, &text.text)?.program)
}

/// The program with its law checked. A breach is an error of the front end, shown like any other.
fn verified(program: Program) -> Result<Verified, Failure> {
    let sources = program.sources.clone();
    verify(program).map_err(|messages| Diagnostics { sources, messages }.into())
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

#[cfg(test)]
mod tests {
    use super::*;

    const SB: &str = "X86 SB\n{}\nP0 | P1 ;\nMOV [x],$1 | MOV [y],$1 ;\nMOV EAX,[y] | MOV EAX,[x] ;\n\
                      exists (0:EAX=0 /\\ 1:EAX=0)\n";

    #[test]
    fn another_condition_takes_the_place_of_the_question() {
        let text = Text { name: "SB.litmus".into(), text: SB.into() };
        let program = program(&text, Some("0:EAX==1 && (x!=1 || !(1:EAX==0))")).unwrap_or_else(|failure| {
            panic!("{}", failure.summary());
        });
        let question = program.question.as_ref().expect("a question");
        let words = report::words::herd_question(&program, question);
        assert_eq!(words, "exists (0:EAX=1 /\\ ([x]!=1 \\/ 1:EAX!=0))");
    }
}
