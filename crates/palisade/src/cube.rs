//! A part of an exploration, as a file.

use std::sync::Arc;

use mcr::graphs;
use serde_json::{Value as Json, json};

/// A part of the executions of a program under a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cube {
    /// Which it is, from 1 on.
    pub index: usize,
    /// How many there are.
    pub of: usize,
    /// What tells the question from others.
    pub question: String,
    /// What is explored.
    pub subtrees: Arc<graphs::Cube>,
}

impl Cube {
    /// The text of its file.
    pub fn to_json(&self) -> String {
        let graphs::Cube { decisions, subtrees, has_top } = &*self.subtrees;
        let document = json!({
            "schema": 1, "cube": self.index, "of": self.of, "question": self.question,
            "decisions": decisions, "top": has_top, "subtrees": subtrees,
        });
        format!("{document}\n")
    }

    /// Reads the text of a file; `None` if it is none.
    pub fn parse(text: &str) -> Option<Cube> {
        let document: Json = serde_json::from_str(text).ok()?;
        let number = |key: &str| usize::try_from(document[key].as_u64()?).ok();
        let step = |step: &Json| u32::try_from(step.as_u64()?).ok();
        let way = |way: &Json| way.as_array()?.iter().map(step).collect::<Option<Vec<u32>>>();
        let mut subtrees = document["subtrees"].as_array()?.iter().map(way).collect::<Option<Vec<_>>>()?;
        subtrees.sort();
        let decisions = step(&document["decisions"])?;
        let subtrees = Arc::new(graphs::Cube { decisions, subtrees, has_top: document["top"].as_bool()? });
        let (index, of) = (number("cube")?, number("of")?);
        let question = document["question"].as_str()?.to_string();
        (1..=of).contains(&index).then_some(Cube { index, of, question, subtrees })
    }
}
