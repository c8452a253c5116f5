//! What tells two memory models apart.

use program::{Execution, Program, State};
use serde_json::{Map, Value as Json, json};

use crate::table::{Align, render};
use crate::{json, words};

/// Two models and the programs that were tried.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Names of the models.
    pub models: [String; 2],
    /// One for each program, in order.
    pub rows: Vec<Row>,
}

/// A program under both models.
#[derive(Clone, Debug)]
pub struct Row {
    /// The file as the user gave it.
    pub file: String,
    /// What came of it.
    pub result: Result<Difference, String>,
}

/// How a program behaves under both models.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The program.
    pub program: Program,
    /// Each question in plain words, with the verdict under each model.
    pub verdicts: Vec<(String, [String; 2])>,
    /// The final states that only one model allows, with an execution each: those of the first, those of the second.
    pub states: [Vec<(State, Option<Execution>)>; 2],
    /// Why a difference may have been missed, if so.
    pub incomplete: Option<String>,
}

impl Difference {
    /// Whether the models differ: known to, known not to, or not known.
    pub fn differs(&self) -> Option<bool> {
        let decided = |words: &[String; 2]| words.iter().all(|word| word != "unknown");
        let by_verdict = self.verdicts.iter().any(|(_, words)| decided(words) && words[0] != words[1]);
        if by_verdict || self.states.iter().any(|states| !states.is_empty()) {
            return Some(true);
        }
        self.incomplete.is_none().then_some(false)
    }
}

impl Comparison {
    /// How many programs tell the models apart.
    pub fn differing(&self) -> usize {
        self.rows.iter().filter(|row| matches!(&row.result, Ok(found) if found.differs() == Some(true))).count()
    }
}

/// A table of programs, and the states that tell the models apart.
pub fn text(comparison: &Comparison) -> String {
    let [first, second] = &comparison.models;
    let headers =
        [("", Align::Left), ("file", Align::Left), (first, Align::Left), (second, Align::Left), ("", Align::Left)];
    let rows: Vec<Vec<String>> = comparison.rows.iter().map(|row| cells(row, &comparison.models)).collect();
    let mut text = render(&headers, &rows);
    for row in &comparison.rows {
        let Ok(found) = &row.result else { continue };
        for (model, states) in comparison.models.iter().zip(&found.states).filter(|(_, states)| !states.is_empty()) {
            text.push_str(&format!("\n{}: only {model} allows\n", row.file));
            let line = |(state, _): &(State, Option<Execution>)| format!("  {}\n", words::state(&found.program, state));
            text.extend(states.iter().map(line));
        }
    }
    let (differing, all) = (comparison.differing(), comparison.rows.len());
    let verb = if differing == 1 { "tells" } else { "tell" };
    text.push_str(&format!("\n{differing} of {all} programs {verb} {first} and {second} apart.\n"));
    text
}

fn cells(row: &Row, models: &[String; 2]) -> Vec<String> {
    let found = match &row.result {
        Ok(found) => found,
        Err(reason) => {
            let reason = crate::xml::shorten(reason.lines().next().unwrap_or_default(), 100);
            return vec!["error".into(), row.file.clone(), "-".into(), "-".into(), reason];
        }
    };
    let mark = match found.differs() {
        Some(true) => "differs",
        Some(false) => "same",
        None => "unknown",
    };
    let words = |model: usize| {
        let verdicts: Vec<&str> = found.verdicts.iter().map(|(_, words)| words[model].as_str()).collect();
        verdicts.join(", ")
    };
    let mut notes: Vec<String> = models
        .iter()
        .zip(&found.states)
        .filter(|(_, states)| !states.is_empty())
        .map(|(model, states)| {
            format!("{} state{} only under {model}", states.len(), if states.len() == 1 { "" } else { "s" })
        })
        .collect();
    notes.extend(found.incomplete.clone());
    vec![mark.into(), row.file.clone(), words(0), words(1), notes.join("; ")]
}

/// One object, schema 1: `models`; `rows` with `file`, `differs` (true, false, or null if not known), `answers` (`question`,
/// `verdicts` by model), `only` (by model, `[{"state","witness"}]`), `incomplete`, or `error`; `differing`.
pub fn json(comparison: &Comparison) -> String {
    let models = &comparison.models;
    let object = json!({
        "schema": 1,
        "models": models,
        "rows": comparison.rows.iter().map(|row| self::row(row, models)).collect::<Json>(),
        "differing": comparison.differing(),
    });
    object.to_string() + "\n"
}

fn row(row: &Row, models: &[String; 2]) -> Json {
    let found = match &row.result {
        Ok(found) => found,
        Err(reason) => return json!({ "file": row.file, "differs": null, "error": reason }),
    };
    let by_model = |values: [Json; 2]| models.iter().cloned().zip(values).collect::<Map<String, Json>>();
    let answer = |(question, words): &(String, [String; 2])| json!({ "question": question, "verdicts": by_model([json!(words[0]), json!(words[1])]) });
    let states = |states: &Vec<_>| json::outcomes(&found.program, states);
    json!({
        "file": row.file,
        "differs": found.differs(),
        "answers": found.verdicts.iter().map(answer).collect::<Json>(),
        "only": by_model([states(&found.states[0]), states(&found.states[1])]),
        "incomplete": found.incomplete,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;
    use expect_test::expect;

    fn example() -> Comparison {
        let (program, outcome) = examples::outcomes();
        let weak = outcome.states.into_iter().flatten().filter(|(_, witness)| witness.is_some()).collect();
        let verdicts = vec![("Can it?".into(), ["forbidden".into(), "allowed".into()])];
        let found = Difference { program, verdicts, states: [Vec::new(), weak], incomplete: None };
        let rows = vec![
            Row { file: "SB.litmus".into(), result: Ok(found) },
            Row { file: "bad.litmus".into(), result: Err("bad.litmus:1:1: wrong".into()) },
        ];
        Comparison { models: ["sc".into(), "tso".into()], rows }
    }

    #[test]
    fn states_of_one_model_alone_are_listed() {
        expect![[r#"
                     file        sc         tso
            -------  ----------  ---------  -------  ----------------------
            differs  SB.litmus   forbidden  allowed  1 state only under tso
            error    bad.litmus  -          -        bad.litmus:1:1: wrong

            SB.litmus: only tso allows
              0:EAX=0; 1:EAX=0;

            1 of 2 programs tells sc and tso apart.
        "#]]
        .assert_eq(&text(&example()));
    }

    #[test]
    fn scripts_get_a_witness_of_each_state() {
        let object: Json = serde_json::from_str(&json(&example())).expect("JSON");
        assert_eq!(object["differing"], 1);
        assert_eq!(object["rows"][0]["only"]["tso"][0]["state"]["0:EAX"], 0);
        assert!(object["rows"][0]["only"]["tso"][0]["witness"].is_object());
        assert_eq!(object["rows"][1]["error"], "bad.litmus:1:1: wrong");
    }
}
