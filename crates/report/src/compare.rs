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
    /// Why not all programs were tried, if so.
    pub interrupted: Option<String>,
}

/// A program under both models, as it is printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Whether the models differ: known to, known not to, or not known.
    pub differs: Option<bool>,
    /// Its line of the table.
    cells: Vec<String>,
    /// The states that only one model allows, line by line.
    only: String,
    /// Its object.
    object: Json,
}

impl Row {
    /// The row of a program, from its file as the user gave it and what came of it.
    pub fn new(file: &str, result: &Result<Difference, String>, models: &[String; 2]) -> Row {
        let differs = result.as_ref().ok().and_then(Difference::differs);
        let only = result.as_ref().map_or_else(|_| String::new(), |found| only(file, found, models));
        Row { differs, cells: cells(file, result, models), only, object: object(file, result, models) }
    }

    /// The row of a program about which nothing was found out, and why.
    pub fn unknown(file: &str, reason: &str, models: &[String; 2]) -> Row {
        let found = Difference {
            program: Program::default(),
            verdicts: Vec::new(),
            states: [Vec::new(), Vec::new()],
            incomplete: Some(reason.into()),
            warnings: Vec::new(),
        };
        Row::new(file, &Ok(found), models)
    }

    /// The row for another process.
    pub fn to_json(&self) -> Json {
        json!({ "differs": self.differs, "cells": self.cells, "only": self.only, "object": self.object })
    }

    /// A row from another process.
    pub fn from_json(row: &Json) -> Option<Row> {
        let cells = row["cells"].as_array()?.iter().map(|cell| cell.as_str().map(str::to_string));
        Some(Row {
            differs: row["differs"].as_bool(),
            cells: cells.collect::<Option<_>>()?,
            only: row["only"].as_str()?.to_string(),
            object: row["object"].clone(),
        })
    }
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
    /// What of the program means nothing under one of the models.
    pub warnings: Vec<String>,
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
        self.rows.iter().filter(|row| row.differs == Some(true)).count()
    }
}

/// A table of programs, and the states that tell the models apart.
pub fn text(comparison: &Comparison) -> String {
    let [first, second] = &comparison.models;
    let headers =
        [("", Align::Left), ("file", Align::Left), (first, Align::Left), (second, Align::Left), ("", Align::Left)];
    let rows: Vec<Vec<String>> = comparison.rows.iter().map(|row| row.cells.clone()).collect();
    let mut text = render(&headers, &rows);
    text.extend(comparison.rows.iter().map(|row| row.only.as_str()));
    let (differing, all) = (comparison.differing(), comparison.rows.len());
    let verb = if differing == 1 { "tells" } else { "tell" };
    text.push_str(&format!("\n{differing} of {all} programs {verb} {first} and {second} apart.\n"));
    if let Some(reason) = &comparison.interrupted {
        text.push_str(&format!("Not all programs were compared: {reason}.\n"));
    }
    text
}

/// The states that only one model allows, what means nothing under one, and whether torn variables were looked for.
fn only(file: &str, found: &Difference, models: &[String; 2]) -> String {
    let mut text = String::new();
    for (model, states) in models.iter().zip(&found.states).filter(|(_, states)| !states.is_empty()) {
        text.push_str(&format!("\n{file}: only {model} allows\n"));
        let line = |(state, _): &(State, Option<Execution>)| format!("  {}\n", words::state(&found.program, state));
        text.extend(states.iter().map(line));
    }
    text.extend(found.warnings.iter().map(|warning| format!("\nWarning: {file}: {warning}.\n")));
    text.extend(words::tearing(&found.program).map(|line| format!("\n{file}: {line}\n")));
    text
}

fn cells(file: &str, result: &Result<Difference, String>, models: &[String; 2]) -> Vec<String> {
    let found = match result {
        Ok(found) => found,
        Err(reason) => {
            let reason = crate::xml::shorten(reason.lines().next().unwrap_or_default(), 100);
            return vec!["error".into(), file.into(), "-".into(), "-".into(), reason];
        }
    };
    let mark = match found.differs() {
        Some(true) => "differs",
        Some(false) => "same",
        None => "unknown",
    };
    let words = |model: usize| {
        let verdicts: Vec<&str> = found.verdicts.iter().map(|(_, words)| words[model].as_str()).collect();
        if verdicts.is_empty() { "-".into() } else { verdicts.join(", ") }
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
    vec![mark.into(), file.into(), words(0), words(1), notes.join("; ")]
}

/// One object, schema 1: `models`; `rows` with `file`, `differs` (true, false, or null if not known), `answers` (`question`,
/// `verdicts` by model), `only` (by model, `[{"state","witness"}]`), `incomplete`, `warnings`, or `error`; `differing`;
/// `interrupted`: why not all programs were compared, or null.
pub fn json(comparison: &Comparison) -> String {
    let object = json!({
        "schema": 1,
        "models": comparison.models,
        "rows": comparison.rows.iter().map(|row| row.object.clone()).collect::<Json>(),
        "differing": comparison.differing(),
        "interrupted": comparison.interrupted,
    });
    object.to_string() + "\n"
}

fn object(file: &str, result: &Result<Difference, String>, models: &[String; 2]) -> Json {
    let found = match result {
        Ok(found) => found,
        Err(reason) => return json!({ "file": file, "differs": null, "error": reason }),
    };
    let by_model = |values: [Json; 2]| models.iter().cloned().zip(values).collect::<Map<String, Json>>();
    let answer = |(question, words): &(String, [String; 2])| json!({ "question": question, "verdicts": by_model([json!(words[0]), json!(words[1])]) });
    let states = |states: &Vec<_>| json::outcomes(&found.program, states);
    let mut object = json!({
        "file": file,
        "differs": found.differs(),
        "answers": found.verdicts.iter().map(answer).collect::<Json>(),
        "only": by_model([states(&found.states[0]), states(&found.states[1])]),
        "incomplete": found.incomplete,
        "warnings": found.warnings,
    });
    if let Some(looked_for) = found.program.looks_for_tearing() {
        object["tearing"] = json!(looked_for);
    }
    object
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
        let found =
            Difference { program, verdicts, states: [Vec::new(), weak], incomplete: None, warnings: Vec::new() };
        let models = ["sc".into(), "tso".into()];
        let rows = vec![
            Row::new("SB.litmus", &Ok(found), &models),
            Row::new("bad.litmus", &Err("bad.litmus:1:1: wrong".into()), &models),
        ];
        Comparison { models, rows, interrupted: None }
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

    #[test]
    fn rows_go_from_process_to_process() {
        for row in example().rows.into_iter().chain([Row::unknown("a", "no time", &["sc".into(), "tso".into()])]) {
            assert_eq!(Row::from_json(&row.to_json()), Some(row));
        }
    }

    #[test]
    fn what_was_not_compared_is_said() {
        let interrupted = Comparison { interrupted: Some("interrupted".into()), ..example() };
        assert!(text(&interrupted).ends_with("Not all programs were compared: interrupted.\n"));
        let object: Json = serde_json::from_str(&json(&interrupted)).expect("JSON");
        assert_eq!(object["interrupted"], "interrupted");
    }
}
