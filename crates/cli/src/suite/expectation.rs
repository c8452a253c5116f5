//! One row of a suite, and how workers get it.

use std::path::PathBuf;
use std::time::Duration;

use palisade::suite::{Expected, How, Stated, grammar};
use palisade::{MemoryOrders, Property};
use serde_json::{Value as Json, json};

use crate::files;

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
            "path": files::path_to_json(&self.path),
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
            path: files::path_from_json(&unit["path"])?,
            shown: text("shown")?,
            model: text("model"),
            answer,
            property: if unit["possible"] == true { Property::Possible } else { Property::Always },
            how,
        })
    }
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
}
