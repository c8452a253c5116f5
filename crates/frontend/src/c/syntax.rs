//! Parsing, by the crate `lang-c`. What it cannot read inside of a function makes that function unreadable, not the file: the
//! body is blanked out, byte for byte, so that places stay what they are, and the rest is parsed again.

use std::ops::Range;

use lang_c::ast;
use lang_c::driver::{Config, Flavor, SyntaxError};
use program::{Diagnostic, Severity, Unsupported};

use super::guard;
use super::preprocess::Preprocessed;

/// How many functions of a file may be unreadable.
const MOST_UNREADABLE: usize = 64;

/// A file that is parsed.
pub struct Parsed {
    /// The parts that can be read.
    pub unit: ast::TranslationUnit,
    /// The bodies of functions that cannot, with what is wrong in each.
    pub unreadable: Vec<(Range<usize>, Diagnostic)>,
}

/// Parses a preprocessed text.
pub fn parse(preprocessed: &Preprocessed) -> Result<Parsed, Vec<Diagnostic>> {
    let mut text = preprocessed.text.clone();
    let mut unreadable = Vec::new();
    loop {
        let wrong = match parse_once(&text) {
            Ok(unit) => return Ok(Parsed { unit, unreadable }),
            Err(wrong) => wrong,
        };
        let at = wrong.bytes.start;
        let message = wrong.diagnostic(preprocessed);
        let body = body_around(&text, at).filter(|_| unreadable.len() < MOST_UNREADABLE);
        let Some(body) = body else {
            let before = unreadable.into_iter().map(|(_, message)| message);
            return Err(before.chain([message]).collect());
        };
        text.replace_range(body.clone(), &" ".repeat(body.len()));
        unreadable.push((body, message));
    }
}

/// What is wrong in a text, and where.
struct Wrong {
    message: &'static str,
    expected: Option<String>,
    /// What right C the parser does not know.
    unsupported: Option<&'static str>,
    bytes: Range<usize>,
}

impl Wrong {
    fn diagnostic(self, preprocessed: &Preprocessed) -> Diagnostic {
        let span = preprocessed.origins.span(self.bytes);
        if let Some(what) = self.unsupported {
            return Unsupported::new(what, span).into();
        }
        let message = Diagnostic::new(Severity::Error, self.message.into(), span);
        match self.expected {
            Some(expected) => message.note(expected),
            None => message,
        }
    }
}

fn parse_once(text: &str) -> Result<ast::TranslationUnit, Wrong> {
    if let Some((message, bytes)) = guard::too_deep(text) {
        return Err(Wrong { message, expected: None, unsupported: None, bytes });
    }
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    let parsed = lang_c::driver::parse_preprocessed(&config, text.to_string());
    parsed.map(|parsed| parsed.unit).map_err(|wrong| {
        let offset = wrong.offset.min(text.len());
        let length = text[offset..].chars().next().map_or(0, char::len_utf8);
        let unsupported = unsupported(&text[..offset], &text[offset..]);
        Wrong { message: "a syntax error", expected: expectation(&wrong), unsupported, bytes: offset..offset + length }
    })
}

/// What right C stands where the parser cannot read on: GNU C's labels as values.
fn unsupported(before: &str, behind: &str) -> Option<&'static str> {
    let named = behind.strip_prefix("&&").map(str::trim_start);
    if named.is_some_and(|label| label.starts_with(|first: char| first.is_alphabetic() || first == '_')) {
        return Some("the address of a label");
    }
    let is_goto = behind.starts_with('*') && before.trim_end().ends_with("goto");
    is_goto.then_some("`goto` to a computed label")
}

/// What the parser expected, if that is a short list.
fn expectation(wrong: &SyntaxError) -> Option<String> {
    let mut words: Vec<&str> = wrong.expected.iter().copied().filter(|word| !word.starts_with('<')).collect();
    words.sort();
    (1..=6).contains(&words.len()).then(|| format!("expected {}", words.join(" or ")))
}

/// The inside of the outermost braces around an offset, if they are the body of a function: they follow a `)` and nothing
/// that could go on with the declaration follows them.
fn body_around(text: &str, offset: usize) -> Option<Range<usize>> {
    let (mut depth, mut open, mut last) = (0usize, None, b' ');
    for (start, token) in guard::tokens(text) {
        match token {
            "{" => {
                if depth == 0 {
                    open = Some(start + 1).filter(|_| last == b')');
                }
                depth += 1;
            }
            "}" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && start >= offset {
                    return open.filter(|open| *open <= offset && *open < start).map(|open| open..start);
                }
            }
            _ => {}
        }
        last = token.as_bytes().last().copied().unwrap_or(b' ');
    }
    None
}
