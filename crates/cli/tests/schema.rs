//! Answers as JSON are as `crates/report/schema/answer.schema.json` says: of every engine, of every kind of question.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The words of a schema that are understood here; with another one in it nothing would be known.
const UNDERSTOOD: &[&str] = &[
    "$schema",
    "$defs",
    "$ref",
    "title",
    "description",
    "type",
    "format",
    "minimum",
    "default",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "enum",
    "const",
    "anyOf",
    "oneOf",
];

/// What is wrong with a value, and where. Keys that the schema does not name are wrong, too: they would not be documented.
fn wrong(schema: &Json, of: &Json, value: &Json, at: &str) -> Vec<String> {
    if schema == &Json::Bool(true) {
        return Vec::new();
    }
    let Some(words) = schema.as_object() else { return vec![format!("{at}: {schema} is no schema")] };
    if let Some(word) = words.keys().find(|word| !UNDERSTOOD.contains(&word.as_str())) {
        return vec![format!("{at}: the word {word} is not understood")];
    }
    let mut found = Vec::new();
    if let Some(name) = schema["$ref"].as_str() {
        let target = name.trim_start_matches("#/$defs/");
        found.extend(wrong(&of["$defs"][target], of, value, at));
    }
    if let Some(types) = words.get("type") {
        let is_one = |name: &Json| has_type(value, name.as_str().unwrap_or_default());
        let fits = types.as_array().map_or_else(|| is_one(types), |types| types.iter().any(is_one));
        if !fits {
            found.push(format!("{at}: {value} is not of type {types}"));
        }
    }
    let listed = schema["enum"].as_array();
    if listed.is_some_and(|listed| !listed.contains(value)) || words.get("const").is_some_and(|only| only != value) {
        found.push(format!("{at}: {value} is none of {schema}"));
    }
    for key in ["anyOf", "oneOf"] {
        let ways = schema[key].as_array();
        if ways.is_some_and(|ways| !ways.iter().any(|way| wrong(way, of, value, at).is_empty())) {
            found.push(format!("{at}: {value} is as none of {}", schema[key]));
        }
    }
    match value {
        Json::Object(entries) => {
            for name in schema["required"].as_array().into_iter().flatten() {
                if !entries.contains_key(name.as_str().unwrap_or_default()) {
                    found.push(format!("{at}: {name} is missing"));
                }
            }
            for (key, entry) in entries {
                let more = words.get("additionalProperties");
                match words.get("properties").and_then(|properties| properties.get(key)).or(more) {
                    Some(schema) => found.extend(wrong(schema, of, entry, &format!("{at}.{key}"))),
                    None if words.contains_key("properties") => found.push(format!("{at}.{key} is not in the schema")),
                    None => {}
                }
            }
        }
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                if let Some(schema) = words.get("items") {
                    found.extend(wrong(schema, of, item, &format!("{at}[{index}]")));
                }
            }
        }
        _ => {}
    }
    found
}

fn has_type(value: &Json, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

fn schema() -> Json {
    let text = std::fs::read_to_string(root().join("crates/report/schema/answer.schema.json")).expect("the schema");
    serde_json::from_str(&text).expect("the schema is JSON")
}

/// The objects that a command prints, one in each line.
fn answers(command: &str) -> Vec<Json> {
    let arguments = command.split_whitespace().chain(["--format", "json"]);
    let output = Command::new(env!("CARGO_BIN_EXE_palisade")).args(arguments).current_dir(root()).output();
    let text = String::from_utf8(output.expect("it runs").stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn answers_are_as_the_schema_says() {
    let schema = schema();
    let mut keys: Vec<String> = Vec::new();
    for command in [
        "check suites/tour/SB.litmus suites/tour/MP.litmus",
        "check suites/tour/SB.litmus --model sc",
        "check suites/tour/SB.litmus --model sc --engine operational",
        "check suites/tour/SB.litmus --model tso --engine mcr",
        "outcomes suites/tour/SB.litmus",
        "outcomes suites/tour/SB.litmus --engine operational --model pso",
        "check suites/c/mcr/stack_unsafe.c --model sc --engine mcr --exhaustive",
        "check suites/c/mcr/stack_unsafe.c --model tso --engine operational",
        "check suites/c/mcr/stack_unsafe.c --model sc --engine mcr --list-classes",
        "check suites/java/mcr/Example1.class --model jmm_under --engine operational",
        "check suites/c/ms2.c --test e(e|d) --model relaxed -D NO_FENCES",
    ] {
        let answers = answers(command);
        assert!(!answers.is_empty(), "{command} prints nothing");
        for answer in answers {
            let found = wrong(&schema, &schema, &answer, "answer");
            assert!(found.is_empty(), "palisade {command}:\n{}", found.join("\n"));
            keys.extend(answer.as_object().into_iter().flat_map(|entries| entries.keys().cloned()));
        }
    }
    for key in ["witness", "core", "outcomes", "violation", "test", "failure", "schedule", "observation", "reordering"]
    {
        assert!(keys.iter().any(|other| other == key), "no answer has the key {key}");
    }
}

#[test]
fn what_is_not_as_the_schema_says_is_found() {
    let schema = schema();
    let [answer] = &answers("check suites/tour/SB.litmus")[..] else { panic!("one answer") };
    let broken = |change: &dyn Fn(&mut Json)| {
        let mut answer = answer.clone();
        change(&mut answer);
        wrong(&schema, &schema, &answer, "answer")
    };
    assert!(broken(&|_| {}).is_empty());
    assert!(!broken(&|answer| answer["verdict"] = "perhaps".into()).is_empty());
    assert!(!broken(&|answer| answer["schema"] = "1".into()).is_empty());
    assert!(!broken(&|answer| answer["more"] = 1.into()).is_empty());
    assert!(!broken(&|answer| answer["witness"]["events"][0]["kind"] = "guess".into()).is_empty());
    assert!(!broken(&|answer| answer["witness"]["rf"][0] = "0 1".into()).is_empty());
    let without = broken(&|answer| drop(answer.as_object_mut().map(|entries| entries.remove("bounds"))));
    assert_eq!(without, ["answer: \"bounds\" is missing"]);
}
