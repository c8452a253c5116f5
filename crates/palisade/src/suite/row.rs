//! One row of a suite, which rows are kept, and how workers get them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use program::Property;
use serde_json::{Value as Json, json};

use super::{Expected, How, Stated, grammar};
use crate::orders::MemoryOrders;

/// One test under one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The file to read.
    pub path: PathBuf,
    /// The file as shown: relative to the table, or as given.
    pub shown: String,
    /// The model; without one, that which the test's language is meant for.
    pub model: Option<String>,
    /// What is expected.
    pub answer: Option<Expected>,
    /// What to ask of a program with assertions.
    pub property: Property,
    /// How it is answered.
    pub how: How,
}

impl Expectation {
    /// What is stated of a file.
    pub fn new(path: PathBuf, shown: String, stated: Stated) -> Expectation {
        let property = stated.property();
        let Stated { model, answer, how } = stated;
        Expectation { path, shown, model, answer, property, how }
    }

    /// What tells it from the other rows of a suite.
    pub fn key(&self) -> [String; 4] {
        let expected = self.answer.as_ref().map(Expected::text).unwrap_or_default();
        [self.shown.clone(), self.model.clone().unwrap_or_default(), expected, self.how.text()]
    }

    /// As a unit of work for another process.
    pub fn to_json(&self) -> Json {
        let answer = match &self.answer {
            Some(Expected::Error(part)) => json!({ "error": part }),
            answer => json!(answer.as_ref().map(Expected::text)),
        };
        let How { engine, question: _, test, reference, defines, unroll, memory_orders, tearing, timeout } = &self.how;
        json!({
            "path": path_to_json(&self.path),
            "shown": self.shown,
            "model": self.model,
            "answer": answer,
            "possible": self.property == Property::Possible,
            "engine": engine.map(|engine| engine.name()),
            "test": test,
            "reference": reference,
            "defines": defines,
            "unroll": unroll,
            "memory_orders": memory_orders.map(MemoryOrders::name),
            "tearing": tearing,
            "timeout": timeout.map(|timeout| timeout.as_secs_f64()),
        })
    }

    /// A unit of work.
    pub fn from_json(unit: &Json) -> Option<Expectation> {
        let answer = match &unit["answer"] {
            Json::Null => None,
            Json::String(word) => Some(Expected::parse(word)?),
            object => Some(Expected::Error(object["error"].as_str()?.to_string())),
        };
        let text = |key: &str| unit[key].as_str().map(str::to_string);
        let defines = unit["defines"].as_array()?.iter();
        let how = How {
            engine: text("engine").and_then(|name| grammar::engine(&name).ok()),
            // The property says it.
            question: None,
            test: text("test"),
            reference: text("reference"),
            defines: defines.map(|define| define.as_str().map(str::to_string)).collect::<Option<_>>()?,
            unroll: unit["unroll"].as_u64().and_then(|bound| u32::try_from(bound).ok()),
            memory_orders: text("memory_orders").and_then(|name| MemoryOrders::named(&name)),
            tearing: unit["tearing"] == true,
            timeout: unit["timeout"].as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        };
        Some(Expectation {
            path: path_from_json(&unit["path"])?,
            shown: text("shown")?,
            model: text("model"),
            answer,
            property: if unit["possible"] == true { Property::Possible } else { Property::Always },
            how,
        })
    }
}

/// Keeps the tests in folders or under models of this name; if there are none, those whose path or model contains it.
pub fn keep_only(expectations: &mut Vec<Expectation>, part: &str) {
    let is_named = |row: &Expectation| {
        row.model.as_deref() == Some(part) || Path::new(&row.shown).components().any(|c| c.as_os_str() == part)
    };
    let contains =
        |row: &Expectation| row.shown.contains(part) || row.model.as_deref().is_some_and(|model| model.contains(part));
    if expectations.iter().any(is_named) {
        expectations.retain(is_named);
    } else {
        expectations.retain(contains);
    }
}

/// Keeps what is expected under one model; tests that say nothing about it are run all the same.
pub fn restrict(expectations: &mut Vec<Expectation>, model: &str) {
    let all = std::mem::take(expectations);
    for rows in all.chunk_by(|a, b| a.path == b.path) {
        let own: Vec<Expectation> = rows.iter().filter(|row| row.model.as_deref() == Some(model)).cloned().collect();
        match rows.first() {
            Some(first) if own.is_empty() && !matches!(first.answer, Some(Expected::Error(_))) => {
                let how = How { engine: None, ..first.how.clone() };
                expectations.push(Expectation { model: Some(model.into()), answer: None, how, ..first.clone() });
            }
            _ => expectations.extend(own),
        }
    }
}

/// A line of a table of expectations: the file, and what is expected of it.
pub fn table_row(line: &str) -> Result<(String, Stated), String> {
    let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
    let [file, model, answer, ..] = fields[..] else {
        return Err("expected three fields with tabs between: file, model, answer".into());
    };
    let answer = Expected::parse(answer).ok_or_else(|| format!("`{answer}` is not an answer"))?;
    Ok((file.into(), Stated { model: Some(model.into()), answer: Some(answer), how: How::default() }))
}

/// A path as another process of ours gets it: its bytes, which need not be UTF-8.
pub fn path_to_json(path: &Path) -> Json {
    Json::from(path.as_os_str().as_encoded_bytes())
}

/// A path that another process of ours gave.
pub fn path_from_json(bytes: &Json) -> Option<PathBuf> {
    let bytes = bytes.as_array()?.iter().map(|byte| u8::try_from(byte.as_u64()?).ok());
    let bytes: Vec<u8> = bytes.collect::<Option<_>>()?;
    #[cfg(unix)]
    let path: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    #[cfg(not(unix))]
    let path = std::ffi::OsString::from(String::from_utf8(bytes).ok()?);
    Some(PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_get_what_was_expected() {
        for line in [
            "relaxed holds test='(al rr|ar rl)' -D A=1 engine=mcr memory-orders=ignored timeout=2.5 reference=r.c",
            "rc11 forbidden unroll=5 --tearing",
            "error no such thing",
            "pass",
        ] {
            let stated = grammar::parse(line).expect(line).remove(0);
            let row = Expectation::new("a/b.c".into(), "b.c".into(), stated);
            assert_eq!(Expectation::from_json(&row.to_json()), Some(row), "{line}");
        }
    }

    #[test]
    fn a_name_of_a_folder_or_model_keeps_only_that() {
        let row = |shown: &str, model: &str| {
            let stated = Stated { model: Some(model.into()), answer: None, how: How::default() };
            Expectation::new(shown.into(), shown.into(), stated)
        };
        let all = vec![row("l/C11/a.litmus", "rc11"), row("l/ARM/C11-A.litmus", "arm"), row("l/X/b.litmus", "c11")];
        let kept = |part: &str| {
            let mut rows = all.clone();
            keep_only(&mut rows, part);
            rows.into_iter().map(|row| row.shown).collect::<Vec<_>>()
        };
        assert_eq!(kept("C11"), ["l/C11/a.litmus"]);
        assert_eq!(kept("C11-"), ["l/ARM/C11-A.litmus"]);
        assert_eq!(kept("c11"), ["l/X/b.litmus"]);
        assert_eq!(kept("1"), ["l/C11/a.litmus", "l/ARM/C11-A.litmus", "l/X/b.litmus"]);
    }

    #[test]
    fn a_row_of_a_table_needs_three_fields() {
        assert!(table_row("a.litmus\ttso\tOk").is_ok());
        assert!(table_row("a.litmus tso Ok").is_err());
        assert!(table_row("a.litmus\ttso\tperhaps").is_err());
    }
}
