//! What the serial executions of a bounded test show, as text that is kept and used again (CheckFence thesis, sections 6.5 and
//! 8.3.2: "observation sets need not be recomputed after each change to the implementation").
//!
//! ```text
//! test (e|d)
//! T1: e(val=0:i32); T2: d(res=0:i32)
//! T1: e(val=0:i32); T2: d(res=1:i32, val=0:i32)
//! ```
//!
//! A line for each observation: what runs before the threads (`setup`, if there is any), then the threads, each with its operations in
//! order, with what they show and its width in bits. `#` begins a comment at the start of a line.

use std::collections::BTreeSet;
use std::sync::Arc;

use program::{Diagnostic, Diagnostics, Observation, Shown, Sources, Span, Value};

use crate::expected::{Serial, expected};
use crate::refusal::Refusal;
use crate::request::{Bounds, Limits};
use crate::task::{Reference, Test};

/// What came of running the operations of a test one after another.
pub enum Observed {
    /// What they show, as text.
    All(String),
    /// Already they go wrong: how.
    Trouble(String),
    /// They could not all be run: why.
    Unfinished(String),
}

/// What the serial executions of a test show, those of its reference if it has one.
pub fn observed(test: &Test, bounds: Bounds, limits: &Limits) -> Result<Observed, Refusal> {
    let serial = expected(test, bounds, limits);
    let serial = serial.map_err(|unsupported| Refusal::unsupported(&test.program, unsupported))?;
    Ok(match serial {
        Serial::Expected(expected) => Observed::All(print(&test.notation, &names(test), &expected.observations)?),
        Serial::Trouble(outcome) => match (&outcome.failure, &outcome.verdict) {
            (Some(failure), _) => Observed::Trouble(failure.message.clone()),
            (None, program::Verdict::Unknown(reason)) => Observed::Unfinished(reason.clone()),
            (None, _) => Observed::Unfinished("the serial executions could not all be run".into()),
        },
    })
}

impl Test {
    /// The same test, which may show what was written down.
    pub fn with_observations(self, file: &str, text: &str) -> Result<Test, Refusal> {
        let observations = parse(file, text, &self)?;
        Ok(Test { reference: Some((file.into(), Reference::Observations(observations.into()))), ..self })
    }
}

/// Reads what a test may show, as [`observed`] wrote it; `file` is its name in messages.
fn parse(file: &str, text: &str, test: &Test) -> Result<BTreeSet<Observation>, Refusal> {
    let mut sources = Sources::new();
    let id = sources.add(file, text);
    let (mut found, mut messages, mut start) = (BTreeSet::new(), Vec::new(), 0);
    let (names, mut is_named) = (names(test), false);
    for line in text.split_inclusive('\n') {
        let span = Span::new(id, start, start + line.trim_end().len());
        start += line.len();
        let line = line.trim();
        let read = match line.strip_prefix("test ") {
            _ if line.is_empty() || line.starts_with('#') => Ok(()),
            Some(notation) if notation.trim() == test.notation => {
                is_named = true;
                Ok(())
            }
            Some(notation) => Err(format!("these are the observations of {notation}, not of {}", test.notation)),
            None => observation(line, &names).map(|observation| _ = found.insert(observation)),
        };
        if let Err(what) = read {
            messages.push(Diagnostic::error(what, span));
            break;
        }
    }
    if messages.is_empty() && !is_named {
        messages.push(Diagnostic::error("the line `test NOTATION` is missing", Span::new(id, 0, 0)));
    }
    if messages.is_empty() { Ok(found) } else { Err(Diagnostics { sources, messages }.into()) }
}

/// The names of all that runs: what comes before the threads, if something does, and the threads. With their operations.
fn names(test: &Test) -> Vec<(String, Vec<String>)> {
    let program = &test.program;
    let operations =
        |entry| program::observation::operations(program, entry).iter().map(|name| name.to_string()).collect();
    let setup = program.setup.map_or_else(Vec::new, operations);
    let threads = program.threads.iter().map(|thread| (thread.name.clone(), operations(thread.entry)));
    std::iter::once(("setup".to_string(), setup)).chain(threads).collect()
}

fn print(notation: &str, names: &[(String, Vec<String>)], all: &BTreeSet<Observation>) -> Result<String, Refusal> {
    let mut text = format!("test {notation}\n");
    for observation in all {
        let mut parts = Vec::new();
        for ((name, _), operations) in names.iter().zip(observation).filter(|(_, operations)| !operations.is_empty()) {
            let operations = operations.iter().map(operation).collect::<Result<Vec<_>, Refusal>>()?;
            parts.push(format!("{name}: {}", operations.join(" ")));
        }
        text.push_str(&format!("{}\n", parts.join("; ")));
    }
    Ok(text)
}

fn operation(shown: &Shown) -> Result<String, Refusal> {
    let value = |(label, value): &(Arc<str>, Value)| Ok(format!("{label}={}", word(label, value)?));
    let values = shown.values.iter().map(value).collect::<Result<Vec<String>, Refusal>>()?;
    Ok(format!("{}({})", shown.operation, values.join(", ")))
}

fn word(label: &str, value: &Value) -> Result<String, Refusal> {
    if label.contains(['=', ',', '(', ')', ';', '\n']) || label.trim() != label {
        return Err(Refusal::Question(format!("what is shown as \"{label}\" cannot be written down under this name")));
    }
    match value {
        Value::Undefined => Ok("undefined".into()),
        Value::Int(int) => Ok(format!("{}:i{}", int.signed(), int.width())),
        _ => Err(Refusal::Question(format!("what is shown as {label} is no number, and cannot be written down"))),
    }
}

/// Reads a line.
fn observation(line: &str, names: &[(String, Vec<String>)]) -> Result<Observation, String> {
    let mut parts = line.split(';').map(str::trim).peekable();
    let mut observation = Vec::new();
    for (name, operations) in names {
        let part = parts.next_if(|part| part.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(':')));
        let rest = part.map_or("", |part| &part[name.len() + 1..]);
        let shown = shown(rest)?;
        let found: Vec<&str> = shown.iter().map(|shown| &*shown.operation).collect();
        if found != *operations {
            return Err(format!("{name} calls {}, not {}", listed(operations), listed(&found)));
        }
        observation.push(shown);
    }
    match parts.next() {
        None => Ok(observation),
        Some(part) => Err(format!("`{part}` is not expected here")),
    }
}

fn listed<T: AsRef<str>>(operations: &[T]) -> String {
    let names: Vec<&str> = operations.iter().map(AsRef::as_ref).collect();
    if names.is_empty() { "nothing".into() } else { names.join(" ") }
}

/// Reads what the operations of a thread show: `e(val=0:i32) d()`.
fn shown(mut rest: &str) -> Result<Vec<Shown>, String> {
    let mut all = Vec::new();
    while let Some((name, behind)) = rest.split_once('(') {
        let (values, behind) = behind.split_once(')').ok_or("a `)` is missing")?;
        let values = values.split(',').map(str::trim).filter(|value| !value.is_empty());
        let mut values = values.map(value).collect::<Result<Vec<_>, String>>()?;
        values.sort();
        all.push(Shown { operation: name.trim().into(), values });
        rest = behind;
    }
    if rest.trim().is_empty() { Ok(all) } else { Err(format!("`{}` is not expected here", rest.trim())) }
}

fn value(text: &str) -> Result<(Arc<str>, Value), String> {
    let wrong = || format!("`{text}` is no value: expected is LABEL=NUMBER:iWIDTH or LABEL=undefined");
    let (label, value) = text.split_once('=').ok_or_else(wrong)?;
    let value = match value.split_once(":i") {
        None if value == "undefined" => Value::Undefined,
        None => return Err(wrong()),
        Some((number, width)) => {
            let width = width.parse::<u8>().ok().filter(|width| (1..=64).contains(width)).ok_or_else(wrong)?;
            Value::int(number.parse().map_err(|_| wrong())?, width)
        }
    };
    Ok((label.into(), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;

    const BOX: &str = "int full; void p(void) { full = 1; } int g(void) { return full; }";

    fn test() -> Test {
        match Task::test("box.c", BOX, "p(p|gg)") {
            Ok(Task::Test(test)) => test,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let test = test();
        let text = match observed(&test, Bounds::default(), &Limits::default()) {
            Ok(Observed::All(text)) => text,
            _ => panic!("no observations"),
        };
        assert_eq!(text, "test p(p|gg)\nsetup: p(); T1: p(); T2: g(result=1:i32) g(result=1:i32)\n");
        let read = parse("box.obs", &text, &test).unwrap_or_else(|refusal| panic!("{refusal}"));
        assert_eq!(print(&test.notation, &names(&test), &read).ok(), Some(text));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_place() {
        for (text, what) in [
            ("setup: p(); T1: p(); T2: g() g()\n", "`test NOTATION` is missing"),
            ("test (p|g)\n", "these are the observations of (p|g), not of p(p|gg)"),
            ("test p(p|gg)\nsetup: p(); T1: p(); T2: g()\n", "T2 calls g g, not g"),
            ("test p(p|gg)\nT1: p(); T2: g() g()\n", "setup calls p, not nothing"),
            ("test p(p|gg)\nsetup: p(); T1: p(); T2: g(r=1) g()\n", "`r=1` is no value"),
            ("test p(p|gg)\nsetup: p(); T1: p(); T2: g(r=1:i99) g()\n", "is no value"),
            ("test p(p|gg)\nsetup: p(); T1: p(); T2: g( g()\n", "is no value"),
            ("test p(p|gg)\nsetup: p(); T1: p(); T2: g() g() x\n", "`x` is not expected"),
            ("test p(p|gg)\nsetup: p(); T1: p(); T2: g() g(); T3: g()\n", "is not expected"),
        ] {
            let refusal = parse("box.obs", text, &test()).err().map(|refusal| refusal.to_string());
            let refusal = refusal.unwrap_or_default();
            assert!(refusal.contains(what) && refusal.contains("box.obs:"), "{text}{refusal}");
        }
    }
}
