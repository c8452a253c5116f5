//! Answers about parts of the executions of a program, put together.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

/// What was answered about one part, and the name by which messages speak of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The file that it was read from.
    pub name: String,
    index: usize,
    of: usize,
    is_complete: bool,
    answer: Json,
}

impl Part {
    /// Reads what [`crate::json::answer`] wrote about a part; `None` if it is no such answer.
    pub fn parse(name: &str, text: &str) -> Option<Part> {
        let answer: Json = serde_json::from_str(text).ok()?;
        let number = |key: &str| usize::try_from(answer["cube"][key].as_u64()?).ok();
        let (index, of) = (number("index")?, number("of")?);
        let is_complete = answer["cube"]["complete"].as_bool()?;
        Some(Part { name: name.into(), index, of, is_complete, answer })
    }

    fn is_of_same_question(&self, other: &Part) -> bool {
        let key = |part: &Part| (part.of, part.answer["cube"]["question"].clone(), part.answer["question"].clone());
        key(self) == key(other)
    }

    fn is_violated(&self) -> bool {
        self.answer["verdict"] == "violated"
    }
}

/// The answer of all parts together.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole {
    /// The question.
    pub question: String,
    /// `holds`, `violated` or `unknown`.
    pub verdict: &'static str,
    /// What goes wrong and in which part; or why it is not known.
    pub reason: Option<String>,
    /// What was counted in all parts.
    pub figures: BTreeMap<String, u64>,
    /// The answer about the part in which something goes wrong.
    violated: Option<Json>,
}

/// Puts parts of one question together, each of which may be there once. What goes wrong in one goes wrong; that nothing does is known if all
/// parts are there and complete.
pub fn merge(parts: &[Part]) -> Result<Whole, String> {
    let Some(first) = parts.first() else { return Err("there is nothing to merge".into()) };
    if let Some(other) = parts.iter().find(|part| !part.is_of_same_question(first)) {
        return Err(format!("{} and {} are not parts of the same question", first.name, other.name));
    }
    let of = |index: usize| parts.iter().filter(move |part| part.index == index);
    if let Some(twice) = (1..=first.of).find(|index| of(*index).count() > 1) {
        let names: Vec<&str> = of(twice).map(|part| part.name.as_str()).collect();
        return Err(format!("part {twice} is there more than once: {}", names.join(", ")));
    }
    let open: Vec<String> = (1..=first.of)
        .filter(|index| !of(*index).any(|part| part.is_complete))
        .map(|index| index.to_string())
        .collect();
    let violated = parts.iter().find(|part| part.is_violated());
    let (verdict, reason) = match violated {
        Some(part) => {
            let message = part.answer["failure"]["message"].as_str().unwrap_or("something goes wrong");
            ("violated", Some(format!("{message} (part {} of {}, {})", part.index, part.of, part.name)))
        }
        None if open.is_empty() => ("holds", None),
        None => ("unknown", Some(format!("not explored to the end: {} of {}", open.join(", "), first.of))),
    };
    let mut figures = BTreeMap::new();
    for (name, number) in parts.iter().filter_map(|part| part.answer["stats"].as_object()).flatten() {
        *figures.entry(name.clone()).or_default() += number.as_u64().unwrap_or_default();
    }
    let question = first.answer["question"].as_str().unwrap_or_default().to_string();
    Ok(Whole { question, verdict, reason, figures, violated: violated.map(|part| part.answer.clone()) })
}

/// The answer as text.
pub fn text(whole: &Whole) -> String {
    let verdict = match (whole.verdict, &whole.reason) {
        ("violated", reason) => format!("Violated: {}.", reason.as_deref().unwrap_or_default()),
        ("holds", _) => "Holds: nothing goes wrong in any part.".to_string(),
        (_, reason) => format!("Unknown: {}.", reason.as_deref().unwrap_or_default()),
    };
    let figures = whole.figures.iter().filter(|(_, number)| **number > 0);
    let figures: Vec<String> = figures.map(|(name, number)| format!("{number} {}", name.replace('_', " "))).collect();
    format!("{}\n{verdict}\n\nExplored: {}.\n", whole.question, figures.join(", "))
}

/// The answer as JSON: that of the part in which something goes wrong, else one that says so much.
pub fn json(whole: &Whole) -> String {
    let mut document = whole.violated.clone().unwrap_or_else(|| json!({ "schema": 1, "question": whole.question }));
    document["verdict"] = json!(whole.verdict);
    document["stats"] = json!(whole.figures);
    if whole.verdict == "unknown" {
        document["reason"] = json!(whole.reason);
    }
    format!("{document}\n")
}
