//! Answers for scripts: schema 1, one object per answer, on one line, keys in this order.
//!
//! | key | value |
//! |---|---|
//! | `schema` | 1 |
//! | `file`, `model`, `engine` | strings |
//! | `question` | in plain words |
//! | `verdict` | `allowed`, `forbidden` (litmus questions), `holds`, `violated` (properties), `unknown` |
//! | `reason` | only with `unknown`: why |
//! | `guarantee` | `exact`, `under` (may miss executions), `over` (may find too many) |
//! | `witness` | an execution, or null |
//! | `core` | a list of `{"kind":"axiom"\|"program"\|"assertion","name","span"}`, program lines with `thread`, axioms with `formula`; or null |
//! | `outcomes` | only when all final states were asked for: `[{"state":{name:value},"witness"?}]` |
//! | `bounds` | `{"unroll":n\|null,"exceeded":[span],"loops":[{"location":span,"rounds":n}]}`; `loops` where each loop has a bound of its own: how often it went round at most |
//! | `stats` | name to number |
//! | `claim` | `validated`, `refuted`, `undecided`: what has become of the test's quantifier |
//! | `flags`, `vacuous` | names of raised flags; whether there is no execution at all |
//! | `endless` | true where in every execution some thread waits or runs for ever; else absent |
//! | `warnings` | sentences: what of the program means nothing under the model |
//! | `incomplete` | only where the verdict is decided, but all executions were to be counted and were not: why |
//! | `violation` | `{"axiom","cycle":[{"from","to","relation"}],"execution"}`, or null |
//! | `test` | only of a bounded test: `{"notation","observations":n\|null,"reference":file\|null}`; `observations` counts what serial executions show |
//! | `failure` | only where a property is violated in a known way: `{"kind":"assertion"\|"exception"\|"exit"\|"error"\|"deadlock"\|"lost wake-up"\|"observation","message","span","thread"?,"waiting"?}`, the span null if there is no place; `thread` if a single one is at fault; of threads that wait for ever `waiting`: `[{"thread","for","span"}]` |
//! | `schedule` | only where a program was run and the witness can be run again: the text of the schedule file |
//! | `observation` | only of a bounded test with a witness: `[{"thread":name\|null,"operations":[{"operation","values":{label:value}}]}]`, the setup (null) first |
//! | `reordering` | only of a bounded test with a witness: `{"interleaving":bool,"order":[id],"is_models":bool,"cycle":[{"from","to","relation"}],"turned":[[id,id]]}`, see below |
//!
//! Events of bounded tests also have `operation` (its number in the thread, from 0) and `atomic` (the number of the atomic
//! block) where they are part of one. `reordering` says whether the witness is an interleaving of the threads; an order in
//! which memory may have seen its events; whether that is an order that the model gave; a shortest cycle of `po`, `rf`, `co`,
//! `fr` (and `atomic`, from one event to another of the same atomic block); and which of its steps of program order the
//! order turns round.
//!
//! A span is `{"file","line","column","text"}`, both numbers from 1; 0 is what is not known of a Java class without its source. An execution has `events` (`id`, `name` as in the
//! other reports, `thread`, `kind`, `location`, `value`, `order`, `tags`, `span`), the relations `rf`, `co`, `fr`, `rmw`,
//! `addr`, `data`, `ctrl` and those of the model under `named`, all as lists of pairs of ids, and `state`. Program order is
//! the order of the events of a thread. Under a model of speculation each event has its `action`, a number that means the
//! same in all executions, and the execution has its `justification`: `[{"execution","sets":{name:[id]}}]`, the executions
//! `E_1..E_k`, each with the sets of its events that the model chose, such as `committed`; its `named` are the others. Integers are numbers; other values are strings, an undefined value is null.
//! Keys may be added within a schema, never removed or changed.

use program::outcome::Step;
use program::{
    Bounds, Core, CoreMember, CoreMemberKind, EventId, EventKind, Execution, Failure, FailureKind, Guarantee, Location,
    Observation, Program, Shown, Span, State, ThreadId, Value, Verdict, Violation,
};
use serde_json::{Map, Value as Json, json};

use crate::Test;
use crate::answer::{Answer, Claim, verdict_word};
use crate::drawing::reduced;
use crate::justification::is_set_throughout;
use crate::names::{Names, line_text, order_word, source_text, thread_name};
use crate::reordering::reordering;

/// The object of an answer, with a line end.
pub fn answer(answer: &Answer) -> String {
    value(answer).to_string() + "\n"
}

/// The object of an answer, to be put into a larger one.
pub fn value(answer: &Answer) -> Json {
    let (program, outcome) = (answer.program, answer.outcome);
    let mut object = Map::new();
    let mut put = |key: &str, value: Json| object.insert(key.into(), value);
    put("schema", json!(1));
    put("file", json!(answer.file));
    put("model", json!(answer.model));
    put("engine", json!(answer.engine));
    put("question", json!(answer.question()));
    put("verdict", json!(verdict_word(&outcome.verdict)));
    if let Verdict::Unknown(reason) = &outcome.verdict {
        put("reason", json!(reason));
    }
    put("guarantee", json!(guarantee(outcome.guarantee)));
    put("witness", outcome.witness.as_ref().map_or(Json::Null, |witness| execution(program, witness)));
    put("core", outcome.core.as_ref().map_or(Json::Null, core));
    if let Some(states) = &outcome.states {
        put("outcomes", outcomes(program, states));
    }
    put("bounds", bounds(program, &outcome.bounds));
    put(
        "stats",
        outcome.statistics.figures.iter().map(|(name, number)| (name.replace(' ', "_"), json!(number))).collect(),
    );
    put("claim", json!(claim(answer.claim())));
    put("flags", json!(outcome.flags));
    put("warnings", json!(outcome.warnings));
    if let Some(looked_for) = program.looks_for_tearing() {
        put("tearing", json!(looked_for));
    }
    put("vacuous", json!(outcome.vacuous));
    if outcome.endless {
        put("endless", json!(true));
    }
    if let Some(reason) = &outcome.incomplete {
        put("incomplete", json!(reason));
    }
    put("violation", outcome.violation.as_ref().map_or(Json::Null, |broken| violation(program, broken)));
    if let Some(Test { notation, observations, reference }) = answer.test() {
        put("test", json!({ "notation": notation, "observations": observations, "reference": reference }));
    }
    if let Some(wrong) = &outcome.failure {
        put("failure", failure(program, wrong));
    }
    if let Some(schedule) = &outcome.schedule {
        put("schedule", json!(schedule));
    }
    if answer.is_shown_by_steps()
        && let Some(witness) = &outcome.witness
    {
        if let Some(shown) = &outcome.observation {
            put("observation", observation(program, shown, &Names::of(program, witness)));
        }
        put("reordering", reordered(witness));
    }
    Json::Object(object)
}

fn guarantee(guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::Exact => "exact",
        Guarantee::Under => "under",
        Guarantee::Over => "over",
    }
}

fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::Validated => "validated",
        Claim::Refuted => "refuted",
        Claim::Undecided => "undecided",
    }
}

pub(crate) fn outcomes(program: &Program, states: &[(State, Option<Execution>)]) -> Json {
    let one = |(values, witness): &(State, Option<Execution>)| {
        let mut object = json!({ "state": state(program, values) });
        if let Some(witness) = witness {
            object["witness"] = execution(program, witness);
        }
        object
    };
    states.iter().map(one).collect()
}

fn core(core: &Core) -> Json {
    let member = |member: &CoreMember| {
        let kind = match member.kind {
            CoreMemberKind::Axiom => "axiom",
            CoreMemberKind::Program => "program",
            CoreMemberKind::Assertion => "assertion",
        };
        let span = member.location.as_ref().map_or(Json::Null, |at| location(at, &member.name));
        let mut object = json!({ "kind": kind, "name": member.name, "span": span });
        if let Some(thread) = &member.thread {
            object["thread"] = json!(thread);
        }
        if let Some(formula) = &member.formula {
            object["formula"] = json!(formula);
        }
        object
    };
    core.members.iter().map(member).collect()
}

fn bounds(program: &Program, bounds: &Bounds) -> Json {
    let place = |at: &Location| location(at, line_text(&program.sources, at).unwrap_or_default());
    let rounds = |(at, rounds): &(Location, u32)| json!({ "location": place(at), "rounds": rounds });
    json!({
        "unroll": bounds.unroll,
        "exceeded": bounds.exceeded.iter().map(place).collect::<Json>(),
        "loops": bounds.loops.iter().map(rounds).collect::<Json>(),
    })
}

fn failure(program: &Program, failure: &Failure) -> Json {
    let kind = match failure.kind {
        FailureKind::Assertion => "assertion",
        FailureKind::Exception => "exception",
        FailureKind::Exit => "exit",
        FailureKind::Error => "error",
        FailureKind::Deadlock => "deadlock",
        FailureKind::LostWakeup => "lost wake-up",
        FailureKind::Observation => "observation",
    };
    let place = |at: &Location| location(at, line_text(&program.sources, at).unwrap_or_default());
    let mut object = json!({ "kind": kind, "message": failure.message, "span": failure.location.as_ref().map(place) });
    if let Some(thread) = &failure.thread {
        object["thread"] = json!(thread);
    }
    if !failure.waiting.is_empty() {
        let waiting = failure.waiting.iter().map(|waiting| {
            json!({ "thread": waiting.thread, "for": waiting.what, "span": waiting.location.as_ref().map(place) })
        });
        object["waiting"] = waiting.collect();
    }
    object
}

fn observation(program: &Program, observation: &Observation, names: &Names) -> Json {
    let operation = |shown: &Shown| {
        let values = shown.values.iter().map(|(label, value)| (label.to_string(), constant(program, value, names)));
        json!({ "operation": &*shown.operation, "values": values.collect::<Map<_, _>>() })
    };
    let sequence = |(index, shown): (usize, &Vec<Shown>)| {
        let thread = index.checked_sub(1).map(|thread| thread_name(program, ThreadId(thread as u32)));
        json!({ "thread": thread, "operations": shown.iter().map(operation).collect::<Json>() })
    };
    observation.iter().enumerate().map(sequence).collect()
}

fn reordered(witness: &Execution) -> Json {
    let found = reordering(witness);
    json!({
        "interleaving": found.is_interleaving(),
        "order": found.order.iter().map(|id| json!(id.0)).collect::<Json>(),
        "is_models": found.is_models,
        "cycle": steps(&found.cycle),
        "turned": pairs(&found.turned),
    })
}

fn violation(program: &Program, violation: &Violation) -> Json {
    json!({
        "axiom": violation.axiom,
        "cycle": steps(&violation.cycle),
        "execution": execution(program, &violation.execution),
    })
}

fn steps(cycle: &[Step]) -> Json {
    let step = |step: &Step| json!({ "from": step.from.0, "to": step.to.0, "relation": step.relation });
    cycle.iter().map(step).collect()
}

/// An execution with its justification.
fn execution(program: &Program, execution: &Execution) -> Json {
    let mut object = run(program, execution, &Names::of(program, execution), &|_| true);
    if !execution.justification.is_empty() {
        let names = Names::of_stages(program, execution);
        let stages = execution.justification.iter().zip(names);
        object["justification"] = stages.map(|(stage, names)| justifying(program, execution, stage, &names)).collect();
    }
    object
}

/// One of the executions that justify `main`.
fn justifying(program: &Program, main: &Execution, stage: &Execution, names: &Names) -> Json {
    let is_set = |name: &str| is_set_throughout(main, name);
    let set = |(name, pairs): &(String, Vec<(EventId, EventId)>)| {
        (name.clone(), pairs.iter().map(|(id, _)| json!(id.0)).collect::<Json>())
    };
    let sets: Map<_, _> = stage.named.iter().filter(|(name, _)| is_set(name)).map(set).collect();
    json!({ "execution": run(program, stage, names, &|name| !is_set(name)), "sets": sets })
}

/// An execution by itself, with those of the model's relations that `keep` names.
fn run(program: &Program, execution: &Execution, names: &Names, keep: &dyn Fn(&str) -> bool) -> Json {
    let named = execution.named.iter().filter(|(name, _)| keep(name));
    let named = named.map(|(name, relation)| (name.clone(), pairs(&reduced(relation))));
    json!({
        "events": execution.ids().map(|id| event(program, execution, id, names)).collect::<Json>(),
        "rf": pairs(&execution.rf),
        "co": pairs(&execution.co),
        "fr": pairs(&execution.fr()),
        "rmw": pairs(&execution.rmw),
        "addr": pairs(&execution.addr),
        "data": pairs(&execution.data),
        "ctrl": pairs(&execution.ctrl),
        "named": named.collect::<Map<_, _>>(),
        "state": state(program, &execution.state),
    })
}

fn event(program: &Program, execution: &Execution, id: EventId, names: &Names) -> Json {
    let event = execution.event(id);
    let kind = match event.kind {
        EventKind::Read => "read",
        EventKind::Write => "write",
        EventKind::Fence => "fence",
        EventKind::Lock => "lock",
        EventKind::Unlock => "unlock",
        EventKind::Start => "start",
        EventKind::End => "end",
        EventKind::Special => "special",
    };
    let mut object = json!({
        "id": id.0,
        "name": names.get(id),
        "thread": event.thread.map(|thread| thread_name(program, thread)),
        "kind": kind,
        "location": event.cell.as_ref().map(|cell| names.cells.cell(program, cell)),
        "value": event.value.as_ref().map_or(Json::Null, |value| match (&event.cell, value) {
            (Some(cell), Value::Int(int)) if names.cells.is_float(program, cell) => json!(crate::cells::float(*int)),
            _ => constant(program, value, names),
        }),
        "order": order_word(event.access.order).unwrap_or("plain"),
        "tags": event.access.tags.iter().map(|tag| json!(&**tag)).collect::<Json>(),
        "span": event.span.map_or(Json::Null, |at| span(program, at)),
    });
    if let Some(action) = execution.actions.get(id.0 as usize) {
        object["action"] = json!(action);
    }
    for (key, number) in [("operation", event.operation), ("atomic", event.atomic)] {
        if let Some(number) = number.filter(|_| event.operation.is_some()) {
            object[key] = json!(number);
        }
    }
    object
}

fn pairs(pairs: &[(EventId, EventId)]) -> Json {
    pairs.iter().map(|(from, to)| json!([from.0, to.0])).collect()
}

fn state(program: &Program, state: &State) -> Json {
    let entry = |(observable, value): &(program::Observable, Value)| {
        (program.observable_name(observable), constant(program, value, &Names::default()))
    };
    Json::Object(state.iter().map(entry).collect())
}

fn constant(program: &Program, value: &Value, names: &Names) -> Json {
    match value {
        Value::Undefined => Json::Null,
        Value::Int(int) => json!(int.signed()),
        Value::Pointer(_) | Value::Composite(..) => json!(names.cells.value(program, value)),
    }
}

fn span(program: &Program, span: Span) -> Json {
    location(&program.sources.location(span), &source_text(&program.sources, Some(span)))
}

fn location(location: &Location, text: &str) -> Json {
    json!({ "file": location.file, "line": location.line, "column": location.column, "text": text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;
    use expect_test::{Expect, expect};

    fn check(example: (Program, program::Outcome), expected: Expect) {
        let object = value(&examples::answer(&example.0, &example.1));
        expected.assert_eq(&serde_json::to_string_pretty(&object).expect("a value has a text"));
    }

    #[test]
    fn the_documented_keys_stand_in_order() {
        let (program, outcome) = examples::unknown();
        let object = value(&examples::answer(&program, &outcome));
        let keys: Vec<&str> = object.as_object().expect("an object").keys().map(String::as_str).collect();
        let documented = "schema file model engine question verdict reason guarantee witness core bounds stats \
                          claim flags warnings vacuous violation";
        assert_eq!(keys.join(" "), documented);
    }

    #[test]
    fn an_answer_is_one_line() {
        let (program, outcome) = examples::forbidden();
        let text = answer(&examples::answer(&program, &outcome));
        assert_eq!(text.lines().count(), 1);
        assert!(text.ends_with("}\n"));
    }

    #[test]
    fn an_allowed_outcome_has_a_witness() {
        check(
            examples::allowed(),
            expect![[r#"
                {
                  "schema": 1,
                  "file": "SB.litmus",
                  "model": "tso",
                  "engine": "axiomatic",
                  "question": "Can some execution of SB end with 0:EAX = 0 and 1:EAX = 0, under tso?",
                  "verdict": "allowed",
                  "guarantee": "exact",
                  "witness": {
                    "events": [
                      {
                        "id": 0,
                        "name": "init x",
                        "thread": null,
                        "kind": "write",
                        "location": "x",
                        "value": 0,
                        "order": "plain",
                        "tags": [],
                        "span": null
                      },
                      {
                        "id": 1,
                        "name": "init y",
                        "thread": null,
                        "kind": "write",
                        "location": "y",
                        "value": 0,
                        "order": "plain",
                        "tags": [],
                        "span": null
                      },
                      {
                        "id": 2,
                        "name": "a",
                        "thread": "P0",
                        "kind": "write",
                        "location": "x",
                        "value": 1,
                        "order": "plain",
                        "tags": [],
                        "span": {
                          "file": "SB.litmus",
                          "line": 4,
                          "column": 2,
                          "text": "MOV [x],$1"
                        }
                      },
                      {
                        "id": 3,
                        "name": "b",
                        "thread": "P0",
                        "kind": "read",
                        "location": "y",
                        "value": 0,
                        "order": "plain",
                        "tags": [],
                        "span": {
                          "file": "SB.litmus",
                          "line": 5,
                          "column": 2,
                          "text": "MOV EAX,[y]"
                        }
                      },
                      {
                        "id": 4,
                        "name": "c",
                        "thread": "P1",
                        "kind": "write",
                        "location": "y",
                        "value": 1,
                        "order": "plain",
                        "tags": [],
                        "span": {
                          "file": "SB.litmus",
                          "line": 4,
                          "column": 16,
                          "text": "MOV [y],$1"
                        }
                      },
                      {
                        "id": 5,
                        "name": "d",
                        "thread": "P1",
                        "kind": "read",
                        "location": "x",
                        "value": 0,
                        "order": "plain",
                        "tags": [],
                        "span": {
                          "file": "SB.litmus",
                          "line": 5,
                          "column": 16,
                          "text": "MOV EAX,[x]"
                        }
                      }
                    ],
                    "rf": [
                      [
                        1,
                        3
                      ],
                      [
                        0,
                        5
                      ]
                    ],
                    "co": [
                      [
                        0,
                        2
                      ],
                      [
                        1,
                        4
                      ]
                    ],
                    "fr": [
                      [
                        3,
                        4
                      ],
                      [
                        5,
                        2
                      ]
                    ],
                    "rmw": [],
                    "addr": [],
                    "data": [],
                    "ctrl": [],
                    "named": {},
                    "state": {
                      "0:EAX": 0,
                      "1:EAX": 0
                    }
                  },
                  "core": null,
                  "bounds": {
                    "unroll": null,
                    "exceeded": [],
                    "loops": []
                  },
                  "stats": {
                    "events": 6
                  },
                  "claim": "validated",
                  "flags": [],
                  "warnings": [],
                  "vacuous": false,
                  "violation": null
                }"#]],
        );
    }

    #[test]
    fn a_forbidden_outcome_has_a_core() {
        let (program, outcome) = examples::forbidden();
        let object = value(&examples::answer(&program, &outcome));
        expect![[r#"[{"kind":"axiom","name":"sc","span":{"file":"sc.cat","line":7,"column":1,"text":"sc"},"formula":"acyclic po | com as sc"},{"kind":"program","name":"MOV [x],$1","span":{"file":"SB.litmus","line":4,"column":2,"text":"MOV [x],$1"},"thread":"P0"},{"kind":"program","name":"MOV EAX,[y]","span":{"file":"SB.litmus","line":5,"column":2,"text":"MOV EAX,[y]"},"thread":"P0"},{"kind":"program","name":"MOV [y],$1","span":{"file":"SB.litmus","line":4,"column":16,"text":"MOV [y],$1"},"thread":"P1"},{"kind":"program","name":"MOV EAX,[x]","span":{"file":"SB.litmus","line":5,"column":16,"text":"MOV EAX,[x]"},"thread":"P1"},{"kind":"assertion","name":"exists (0:EAX=0 /\\ 1:EAX=0)","span":{"file":"SB.litmus","line":6,"column":1,"text":"exists (0:EAX=0 /\\ 1:EAX=0)"}}]"#]].assert_eq(&object["core"].to_string());
        expect![[r#"[{"from":2,"to":3,"relation":"po"},{"from":3,"to":4,"relation":"fr"},{"from":4,"to":5,"relation":"po"},{"from":5,"to":2,"relation":"fr"}]"#]].assert_eq(&object["violation"]["cycle"].to_string());
    }

    #[test]
    fn a_bounded_test_has_failure_observation_and_reordering() {
        let (program, test, outcome) = examples::mailbox();
        let object = value(&examples::test_answer(&program, &test, &outcome));
        let expected = json!({ "notation": "(p|gg)", "observations": 6, "reference": "box_ref.c" });
        assert_eq!(object["test"], expected);
        let expected = json!({ "kind": "observation", "message": "no serial execution shows this", "span": null });
        assert_eq!(object["failure"], expected);
        expect![[r#"[{"thread":null,"operations":[]},{"thread":"T1","operations":[{"operation":"p","values":{"val":1}}]},{"thread":"T2","operations":[{"operation":"g","values":{"val":0}},{"operation":"g","values":{"val":1}}]}]"#]].assert_eq(&object["observation"].to_string());
        assert_eq!(object["bounds"]["loops"][0]["rounds"], json!(2));
        assert_eq!(object["bounds"]["loops"][0]["location"]["line"], json!(11));
        assert_eq!(object["reordering"]["interleaving"], json!(false));
        assert_eq!(object["reordering"]["turned"], json!([[2, 3]]));
        let event = &object["witness"]["events"][9];
        let expected = json!(["b6", "node1.0", 1, 1]);
        assert_eq!(json!([event["name"], event["location"], event["value"], event["operation"]]), expected);
    }

    #[test]
    fn all_outcomes_are_listed() {
        let (program, outcome) = examples::outcomes();
        let object = value(&examples::answer(&program, &outcome));
        assert_eq!(object["outcomes"].as_array().map(Vec::len), Some(4));
        assert_eq!(object["outcomes"][0]["state"].to_string(), r#"{"0:EAX":1,"1:EAX":1}"#);
        assert!(object["outcomes"][1]["witness"].is_object());
    }

    #[test]
    fn a_justification_shares_actions_with_what_it_justifies() {
        let (program, outcome) = examples::justified();
        let witness = &value(&examples::answer(&program, &outcome))["witness"];
        assert_eq!(witness["events"][8]["action"], json!(8));
        assert_eq!(witness["justification"].as_array().map(Vec::len), Some(3));
        let first = &witness["justification"][0];
        assert_eq!(first["sets"], json!({ "committed": [0, 1, 2, 4, 6] }));
        assert_eq!(first["execution"]["named"], json!({ "so": [[2, 5], [6, 10]] }));
        let printing = &first["execution"]["events"][9];
        let expected = json!(["special", "e", 10, 0]);
        assert_eq!(json!([printing["kind"], printing["name"], printing["action"], printing["value"]]), expected);
    }
}
