//! Expectations in the comments of a program: lines that begin with the word `expect`.

use program::{Diagnostic, Diagnostics, FileId, Sources, Span};

use super::Stated;
use super::grammar::{Wrong, parse};

/// What opens a comment, or goes on with one.
const OPENINGS: &[&str] = &["(*", "/*", "//", "#", ";", "*"];

/// The expectations in the comments of a file.
pub fn read(name: &str, text: &str) -> Result<Vec<Stated>, Diagnostics> {
    let mut rows = Vec::new();
    for (start, line) in lines(name, text) {
        rows.extend(parse(line).map_err(|wrong| diagnostics(name, text, start, &wrong))?);
    }
    Ok(rows)
}

/// Whether a file says what it expects.
pub fn are_there(name: &str, text: &str) -> bool {
    lines(name, text).next().is_some()
}

/// What is wrong with an expectation that begins at this byte of a file.
pub fn diagnostics(name: &str, text: &str, start: usize, wrong: &Wrong) -> Diagnostics {
    let mut sources = Sources::new();
    let file: FileId = sources.add(name, text);
    let span = Span::new(file, start + wrong.at.start, start + wrong.at.end);
    Diagnostics { sources, messages: vec![Diagnostic::error(wrong.message.clone(), span)] }
}

/// What follows the word `expect` in each line of a comment that begins with it, with its place.
fn lines<'t>(name: &'t str, text: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
    // No litmus test has a line that begins with that word outside of a comment.
    let is_code = name.ends_with(".c") || name.ends_with(".java");
    let with_places = text.split_inclusive('\n').scan(0, |place, line| {
        let start = *place;
        *place += line.len();
        Some((start, line))
    });
    with_places.filter_map(move |(start, line)| {
        let (place, inner, opened) = inner(line);
        let rest =
            inner.strip_prefix("expect").filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))?;
        let is_comment = !is_code || opened || is_in_comment(&text[..start]);
        is_comment.then_some((start + place + "expect".len(), rest))
    })
}

/// What a line says without what opens or closes a comment around it, where that begins, and whether it opens one.
fn inner(line: &str) -> (usize, &str, bool) {
    let trimmed = line.trim_start();
    let opening = OPENINGS.iter().find(|opening| trimmed.starts_with(**opening));
    let inner = opening.map_or(trimmed, |opening| &trimmed[opening.len()..]).trim_start();
    let place = line.len() - inner.len();
    let inner = inner.trim_end();
    let inner = inner.trim_end_matches("*)").trim_end_matches("*/").trim_end();
    (place, inner, opening.is_some_and(|opening| *opening != "*"))
}

/// Whether a comment of several lines is open at the end of a text in C or Java.
fn is_in_comment(before: &str) -> bool {
    match (before.rfind("/*"), before.rfind("*/")) {
        (Some(opened), Some(closed)) => opened > closed,
        (opened, _) => opened.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(name: &str, text: &str) -> Vec<String> {
        let rows = read(name, text).unwrap_or_else(|wrong| panic!("{wrong}"));
        let shown = |row: &Stated| {
            let answer = row.answer.as_ref().map(super::super::Expected::text).unwrap_or_default();
            format!("{} {answer} {}", row.model.as_deref().unwrap_or("-"), row.how.text()).trim_end().to_string()
        };
        rows.iter().map(shown).collect()
    }

    #[test]
    fn comments_expect_answers() {
        let text =
            "C test\n(* A test.\n   expect rc11 forbidden unroll=5 *)\n// expect tso Ok\n(* expected nothing *)\n";
        assert_eq!(rows("t.litmus", text), ["rc11 forbidden unroll=5", "tso Ok"]);
    }

    #[test]
    fn code_is_no_comment() {
        let text = "/* A queue.\n   expect relaxed holds test='(e|d)'\n * expect rc11 holds -D A */\nint expect;\nvoid f(void) {\n    \
                    expect = 1;\n}\n// expect sc,tso holds\n";
        assert_eq!(rows("q.c", text), ["relaxed holds test='(e|d)'", "rc11 holds -D A", "sc holds", "tso holds"]);
        assert!(!are_there("q.c", "int expect;\nvoid f(void) {\n  expect = 1; }\n"));
    }

    #[test]
    fn what_is_wrong_is_told_with_line_and_column() {
        let wrong = read("q.c", "/* A queue.\n   expect relaxed hold */\n").expect_err("wrong");
        assert_eq!(wrong.to_string(), "q.c:2:19: error: `hold` is not an answer");
        let wrong = read("t.litmus", "X86 t\n(* expect tso Ok depth=3 *)\n").expect_err("wrong");
        assert!(wrong.to_string().starts_with("t.litmus:2:18: error: `depth=3`"), "{wrong}");
    }
}
