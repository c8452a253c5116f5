//! The table of a test of jcstress: each outcome, whether sequential consistency, x86 and Java have it, and what the test says.
//!
//! What Java allows is bounded from below and from above (`jmm_under`, `jmm_over`): an outcome that one has is allowed, one that the
//! other lacks is forbidden, and of one in between nothing is known.

use std::collections::BTreeSet;
use std::fmt::Write;

use frontend::jvm::{Opinion, StressTest};
use palisade::{Engine, Model, Options, Request, Task, Verdict};
use program::{Program, Value};

use crate::failure::{Exit, Failure};

/// The outcomes under one model.
struct Listed {
    outcomes: BTreeSet<String>,
    /// Whether no other outcome is possible.
    is_complete: bool,
    /// Why there is no list.
    refused: Option<String>,
}

impl Listed {
    /// Whether an outcome is there: as far as is known.
    fn has(&self, outcome: &str) -> &'static str {
        match (self.outcomes.contains(outcome), self.is_complete) {
            (true, _) => "yes",
            (false, true) => "no",
            (false, false) => "?",
        }
    }
}

/// The table, and an exit code: 1 if the test says something else than Java, 3 if that is not known.
pub fn table(file: &str, task: &Task, test: &StressTest, options: &Options) -> Result<(String, Exit), Failure> {
    let [sc, tso, under, over] =
        ["sc", "tso", "jmm_under", "jmm_over"].map(|name| listed(task, name, &test.letters, options));
    let [sc, tso, under, over] = [sc?, tso?, under?, over?];
    let lists = [&sc, &tso, &under, &over];
    let mut rows: BTreeSet<String> = lists.iter().flat_map(|list| list.outcomes.clone()).collect();
    let named = test.opinions.iter().flat_map(|opinion| &opinion.outcomes);
    rows.extend(named.filter(|id| !id.contains(['.', '*', '[', '\\', '('])).cloned());
    let mut text = format!("{file}: every outcome, and whether it is possible\n\n");
    let _ = writeln!(
        text,
        "{:<16} {:<4} {:<4} {:<10} {:<24} {:<10} description",
        "result", "sc", "x86", "Java", "expected", ""
    );
    let mut exit = Exit::Validated;
    for row in &rows {
        let java = match (under.outcomes.contains(row), over.has(row)) {
            (true, _) => "allowed",
            (false, "no") => "forbidden",
            _ => "unknown",
        };
        let opinion = opinion(&test.opinions, row);
        let expected = opinion.map_or("", |opinion| &opinion.expectation);
        let grade = grade(expected, java);
        match grade {
            "DIFFERS" => exit = Exit::Refuted,
            "?" if exit == Exit::Validated => exit = Exit::Unknown,
            _ => {}
        }
        let description = opinion.map_or("", |opinion| &opinion.description);
        let line = format!(
            "{row:<16} {:<4} {:<4} {java:<10} {expected:<24} {grade:<10} {description}",
            sc.has(row),
            tso.has(row)
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for (name, list) in [("sc", &sc), ("x86", &tso), ("Java from below", &under), ("Java from above", &over)] {
        if let Some(why) = &list.refused {
            let _ = writeln!(text, "\n{name}: {why}");
        }
    }
    Ok((text, exit))
}

/// What a test's opinion comes to against what Java says.
fn grade(expected: &str, java: &str) -> &'static str {
    match (expected, java) {
        ("FORBIDDEN", "allowed") => "DIFFERS",
        ("FORBIDDEN", "forbidden") | ("ACCEPTABLE" | "ACCEPTABLE_INTERESTING", "allowed") => "agrees",
        ("ACCEPTABLE" | "ACCEPTABLE_INTERESTING", "forbidden") => "never",
        _ => "?",
    }
}

/// All outcomes under a model.
fn listed(task: &Task, name: &str, letters: &str, options: &Options) -> Result<Listed, Failure> {
    let model = Model::named(name)?;
    let options = Options { explain: false, ..options.clone() };
    let request = Request { task, model: &model, engine: Engine::Operational, options };
    Ok(match request.answer() {
        Ok(answer) => {
            let states = answer.outcome.states.unwrap_or_default();
            let shown = states.iter().map(|(state, _)| {
                let values = state.iter().map(|(_, value)| value).zip(letters.chars());
                values.map(|(value, letter)| shown(task.program(), value, letter)).collect::<Vec<_>>().join(", ")
            });
            let is_complete = !matches!(answer.outcome.verdict, Verdict::Unknown(_)) && name != "jmm_under";
            Listed { outcomes: shown.collect(), is_complete, refused: None }
        }
        Err(refusal) => Listed { outcomes: BTreeSet::new(), is_complete: false, refused: Some(refusal.to_string()) },
    })
}

/// A value as jcstress writes one of a type.
fn shown(program: &Program, value: &Value, letter: char) -> String {
    match (value, letter) {
        (Value::Int(number), 'Z') => (number.signed() != 0).to_string(),
        (Value::Int(number), 'L') if number.signed() == 0 => "null".into(),
        (Value::Int(number), 'C') => char::from_u32(number.unsigned() as u32).unwrap_or('?').to_string(),
        (Value::Int(number), _) => number.signed().to_string(),
        (Value::Pointer(pointer), _) => {
            let name = program.globals.get(pointer.allocation as usize).map(|global| global.name.trim_matches('"'));
            name.unwrap_or("object").to_string()
        }
        _ => "?".into(),
    }
}

/// What a test says of an outcome: the first opinion that names it, else the one that names none.
fn opinion<'a>(opinions: &'a [Opinion], outcome: &str) -> Option<&'a Opinion> {
    let names = |opinion: &&Opinion| opinion.outcomes.iter().any(|id| fits(id.as_bytes(), outcome.as_bytes()));
    opinions.iter().find(names).or_else(|| opinions.iter().find(|opinion| opinion.outcomes.is_empty()))
}

/// Whether a text fits a pattern: letters, `.` for any, `\\d` for a digit, each perhaps with `*` or `+`. What else regular
/// expressions have stands for itself.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (atom, rest) = match pattern {
        [] => return text.is_empty(),
        [b'\\', _, rest @ ..] => (&pattern[..2], rest),
        [_, rest @ ..] => (&pattern[..1], rest),
    };
    let one = |byte: u8| match atom {
        [b'.'] => true,
        [b'\\', b'd'] => byte.is_ascii_digit(),
        [b'\\', own] => *own == byte,
        [own, ..] => *own == byte,
        [] => false,
    };
    let begins = |text: &[u8]| text.first().is_some_and(|&byte| one(byte));
    match rest {
        [b'*', rest @ ..] => fits(rest, text) || begins(text) && fits(pattern, &text[1..]),
        [b'+', rest @ ..] => {
            let again = [atom, b"*", rest].concat();
            begins(text) && fits(&again, &text[1..])
        }
        rest => begins(text) && fits(rest, &text[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_outcomes() {
        for (pattern, text, expected) in [
            ("0, 1", "0, 1", true),
            ("0, 1", "0, 10", false),
            (".*", "-1, 2", true),
            ("1, .*", "1, 0", true),
            ("1, .*", "0, 1", false),
            ("\\d+, -1", "42, -1", true),
            ("\\d+, -1", ", -1", false),
        ] {
            assert_eq!(fits(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
        }
    }
}
