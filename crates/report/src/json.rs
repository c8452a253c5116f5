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
//! | `bounds` | `{"unroll":n\|null,"exceeded":[span],"loops":[{"location":span,"iterations":n}]}`; `loops` where each loop has a bound of its own: how many iterations it had at most |
//! | `stats` | name to number |
//! | `claim` | `validated`, `refuted`, `undecided`: what has become of the test's quantifier |
//! | `flags`, `vacuous` | names of raised flags; whether there is no execution at all |
//! | `endless` | true where in every execution some thread waits or runs for ever; else absent |
//! | `warnings` | sentences: what of the program means nothing under the model |
//! | `incomplete` | only where the verdict is decided, but all executions were to be counted and were not: why |
//! | `violation` | `{"axiom","cycle":[{"from","to","relation"}],"execution"}`, or null |
//! | `test` | only of a bounded test: `{"notation","observations":n\|null,"reference":file\|null,"linearizable"?:true}`; `observations` counts what serial executions show |
//! | `failure` | only where a property is violated in a known way: `{"kind":"assertion"\|"exception"\|"exit"\|"error"\|"deadlock"\|"lost wake-up"\|"observation","message","span","thread"?,"waiting"?}`, the span null if there is no place; `thread` if a single one is at fault; of threads that wait for ever `waiting`: `[{"thread","for","span"}]` |
//! | `schedule` | only where a program was run and the witness can be run again: the text of the schedule file |
//! | `writes` | only where it was asked for (`--show-writes`): `[{"cell","thread","number","value","needs"}]`; what a cell holds at first has no thread |
//! | `listed` | only where executions were to be listed (`--list-classes`, `--all-failures`): `[{"what","schedule"}]` |
//! | `observation` | only of a bounded test with a witness: `[{"thread":name\|null,"operations":[{"operation","values":{label:value}}]}]`, the setup (null) first |
//! | `reordering` | only of a bounded test with a witness: `{"interleaving":bool,"order":[id],"is_models":bool,"cycle":[{"from","to","relation"}],"turned":[[id,id]]}`, see below |
//!
//! Events of operations of locks and the like, and those that begin or end the life of a block, also say under `does` what they are part of:
//! `lock(m)`, `allocate node1`. A failure that is about two events of the witness, which nothing orders, names them under `events`;
//! `order` ends with the one that fails.
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

mod document;

use program::outcome::Step;
use program::{
    Bounds, Core, CoreMember, CoreMemberKind, EventId, EventKind, Execution, Failure, FailureKind, Guarantee,
    KnownWrite, Listed, Location, Observation, Part, Program, Shown, Simplification, Span, State, ThreadId, Value,
    Verdict, Violation, WaitingThread,
};
use serde_json::{Map, Value as Json, json};

use crate::Test;
use crate::answer::{Answer, Claim, verdict_word};
use crate::drawing::reduced;
use crate::justification::is_set_throughout;
use crate::names::{Names, line_text, order_word, source_text, thread_name};
use crate::reordering::reordering;
use crate::synchronization;
use crate::trace::order;

/// The object of an answer, with a line end.
pub fn answer(answer: &Answer) -> String {
    value(answer).to_string() + "\n"
}

/// The object of an answer, to be put into a larger one.
pub fn value(answer: &Answer) -> Json {
    to_json(document(answer))
}

/// What is made of strings, numbers, lists and maps with strings as keys always has a JSON value.
fn to_json(document: impl serde::Serialize) -> Json {
    serde_json::to_value(document).unwrap_or_default()
}

fn document<'a>(answer: &'a Answer) -> document::Answer<'a> {
    let (program, outcome) = (answer.program, answer.outcome);
    let figures = outcome.statistics.figures.iter();
    let steps_shown = outcome.witness.as_ref().filter(|_| answer.is_shown_by_steps());
    document::Answer {
        schema: 1,
        file: answer.file,
        model: answer.model,
        engine: answer.engine,
        question: answer.question(),
        verdict: verdict_word(&outcome.verdict),
        reason: match &outcome.verdict {
            Verdict::Unknown(reason) => Some(reason),
            _ => None,
        },
        guarantee: guarantee(outcome.guarantee),
        witness: outcome.witness.as_ref().map(|witness| execution(program, witness)),
        core: outcome.core.as_ref().map(core),
        outcomes: outcome.states.as_ref().map(|states| final_states(program, states)),
        bounds: bounds(program, &outcome.bounds),
        stats: figures.map(|(name, number)| (name.replace(' ', "_"), json!(number))).collect(),
        claim: claim(answer.claim()),
        flags: &outcome.flags,
        warnings: &outcome.warnings,
        tearing: program.looks_for_tearing(),
        spurious_wakeups: program.simplified.contains(&Simplification::RareWakeUps).then_some(1),
        vacuous: outcome.vacuous,
        cube: outcome.part.as_ref().map(cube),
        endless: outcome.endless,
        incomplete: outcome.incomplete.as_deref(),
        violation: outcome.violation.as_ref().map(|broken| violation(program, broken)),
        test: answer.test().map(test),
        failure: outcome.failure.as_ref().map(|wrong| failure(program, wrong)),
        schedule: outcome.schedule.as_deref(),
        listed: (!outcome.listed.is_empty()).then(|| outcome.listed.iter().map(listed).collect()),
        writes: (!outcome.writes.is_empty()).then(|| outcome.writes.iter().map(known_write).collect()),
        observation: steps_shown
            .zip(outcome.observation.as_ref())
            .map(|(witness, shown)| observation(program, shown, &Names::of(program, witness))),
        reordering: steps_shown.map(|witness| reordered(program, witness, outcome.failure.as_ref())),
    }
}

fn known_write(KnownWrite { cell, thread, number, value, needs }: &KnownWrite) -> document::KnownWrite<'_> {
    document::KnownWrite { cell, thread: thread.as_deref(), number: *number, value, needs }
}

fn listed(Listed { what, course: _, schedule }: &Listed) -> document::Listed<'_> {
    document::Listed { what, schedule: schedule.as_deref() }
}

fn cube(Part { index, of, question, is_complete }: &Part) -> document::Cube<'_> {
    document::Cube { index: *index, of: *of, question, complete: *is_complete }
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

fn test(Test { notation, observations, reference, linearizable, .. }: &Test) -> document::Test<'_> {
    let linearizable = *linearizable;
    document::Test { notation, observations: *observations, reference: reference.as_deref(), linearizable }
}

/// Final states as a list, to be put into a larger object.
pub(crate) fn outcomes(program: &Program, states: &[(State, Option<Execution>)]) -> Json {
    to_json(final_states(program, states))
}

fn final_states(program: &Program, states: &[(State, Option<Execution>)]) -> Vec<document::FinalState> {
    let one = |(values, witness): &(State, Option<Execution>)| document::FinalState {
        state: state(program, values),
        witness: witness.as_ref().map(|witness| execution(program, witness)),
    };
    states.iter().map(one).collect()
}

fn core(core: &Core) -> Vec<document::CoreMember<'_>> {
    core.members.iter().map(core_member).collect()
}

fn core_member(member: &CoreMember) -> document::CoreMember<'_> {
    document::CoreMember {
        kind: match member.kind {
            CoreMemberKind::Axiom => "axiom",
            CoreMemberKind::Program => "program",
            CoreMemberKind::Assertion => "assertion",
        },
        name: &member.name,
        span: member.location.as_ref().map(|at| location(at, &member.name)),
        thread: member.thread.as_deref(),
        formula: member.formula.as_deref(),
    }
}

fn bounds(program: &Program, bounds: &Bounds) -> document::Bounds {
    let place = |at: &Location| line(program, at);
    let of_loop = |(at, iterations): &(Location, u32)| document::Loop { location: place(at), iterations: *iterations };
    document::Bounds {
        unroll: bounds.unroll,
        exceeded: bounds.exceeded.iter().map(place).collect(),
        loops: bounds.loops.iter().map(of_loop).collect(),
    }
}

fn failure<'a>(program: &Program, failure: &'a Failure) -> document::Failure<'a> {
    let kind = match failure.kind {
        FailureKind::Assertion => "assertion",
        FailureKind::Exception => "exception",
        FailureKind::Exit => "exit",
        FailureKind::Error => "error",
        FailureKind::Deadlock => "deadlock",
        FailureKind::StaleLoop => "stale loop",
        FailureKind::LostWakeup => "lost wake-up",
        FailureKind::Observation => "observation",
    };
    let place = |at: &Location| line(program, at);
    let waiting = |thread: &'a WaitingThread| document::Waiting {
        thread: &thread.thread,
        what: &thread.what,
        span: thread.location.as_ref().map(place),
    };
    document::Failure {
        kind,
        message: &failure.message,
        span: failure.location.as_ref().map(place),
        thread: failure.thread.as_deref(),
        waiting: failure.waiting.iter().map(waiting).collect(),
        events: failure.events.iter().map(|id| id.0).collect(),
    }
}

fn observation(program: &Program, observation: &Observation, names: &Names) -> Vec<document::Sequence> {
    let operation = |shown: &Shown| {
        let values = shown.values.iter().map(|(label, value)| (label.to_string(), constant(program, value, names)));
        document::Operation { operation: shown.operation.to_string(), values: values.collect() }
    };
    let sequence = |(index, shown): (usize, &Vec<Shown>)| document::Sequence {
        thread: index.checked_sub(1).map(|thread| thread_name(program, ThreadId(thread as u32)).to_string()),
        operations: shown.iter().map(operation).collect(),
    };
    observation.iter().enumerate().map(sequence).collect()
}

fn reordered(program: &Program, witness: &Execution, failure: Option<&Failure>) -> document::Reordering<'static> {
    let found = reordering(witness);
    document::Reordering {
        interleaving: found.is_interleaving(),
        order: order(program, witness, &found, failure).0.iter().map(|id| id.0).collect(),
        is_models: found.is_models,
        cycle: found.cycle.iter().map(owned_step).collect(),
        turned: pairs(&found.turned),
    }
}

fn violation<'a>(program: &Program, violation: &'a Violation) -> document::Violation<'a> {
    document::Violation {
        axiom: &violation.axiom,
        cycle: violation.cycle.iter().map(step).collect(),
        execution: execution(program, &violation.execution),
    }
}

fn step(step: &Step) -> document::Step<'_> {
    document::Step { from: step.from.0, to: step.to.0, relation: step.relation.as_str().into() }
}

fn owned_step(step: &Step) -> document::Step<'static> {
    document::Step { from: step.from.0, to: step.to.0, relation: step.relation.clone().into() }
}

/// An execution with its justification.
fn execution(program: &Program, execution: &Execution) -> document::Execution {
    let mut document = run(program, execution, &Names::of(program, execution), &|_| true);
    if !execution.justification.is_empty() {
        let names = Names::of_stages(program, execution);
        let stages = execution.justification.iter().zip(names);
        document.justification = stages.map(|(stage, names)| justifying(program, execution, stage, &names)).collect();
    }
    document
}

/// One of the executions that justify `main`.
fn justifying(program: &Program, main: &Execution, stage: &Execution, names: &Names) -> document::Justifying {
    let is_set = |name: &str| is_set_throughout(main, name);
    let set = |(name, pairs): &(String, Vec<(EventId, EventId)>)| {
        (name.clone(), pairs.iter().map(|(id, _)| json!(id.0)).collect::<Json>())
    };
    let sets = stage.named.iter().filter(|(name, _)| is_set(name)).map(set).collect();
    document::Justifying { execution: run(program, stage, names, &|name| !is_set(name)), sets }
}

/// An execution by itself, with those of the model's relations that `keep` names.
fn run(program: &Program, execution: &Execution, names: &Names, keep: &dyn Fn(&str) -> bool) -> document::Execution {
    let named = execution.named.iter().filter(|(name, _)| keep(name));
    let named = named.map(|(name, relation)| (name.clone(), json!(pairs(&reduced(relation)))));
    document::Execution {
        events: execution.ids().map(|id| event(program, execution, id, names)).collect(),
        rf: pairs(&execution.rf),
        co: pairs(&execution.co),
        fr: pairs(&execution.fr()),
        rmw: pairs(&execution.rmw),
        addr: pairs(&execution.addr),
        data: pairs(&execution.data),
        ctrl: pairs(&execution.ctrl),
        named: named.collect(),
        state: state(program, &execution.state),
        justification: Vec::new(),
    }
}

fn event(program: &Program, execution: &Execution, id: EventId, names: &Names) -> document::Event {
    let event = execution.event(id);
    let in_operation = |number: Option<u32>| number.filter(|_| event.operation.is_some());
    document::Event {
        id: id.0,
        name: names.get(id).to_string(),
        thread: event.thread.map(|thread| thread_name(program, thread).to_string()),
        kind: match event.kind {
            EventKind::Read => "read",
            EventKind::Write => "write",
            EventKind::Fence => "fence",
            EventKind::Lock => "lock",
            EventKind::Unlock => "unlock",
            EventKind::Start => "start",
            EventKind::End => "end",
            EventKind::Special => "special",
        },
        location: event.cell.as_ref().map(|cell| names.cells.cell(program, cell)),
        value: event.value.as_ref().map_or(Json::Null, |value| match (&event.cell, value) {
            (Some(cell), Value::Int(int)) if names.cells.is_float(program, cell) => json!(int.floating()),
            _ => constant(program, value, names),
        }),
        order: order_word(event.access.order).unwrap_or("plain"),
        tags: event.access.tags.iter().map(|tag| tag.to_string()).collect(),
        span: event.span.map(|at| span(program, at)),
        action: execution.actions.get(id.0 as usize).copied(),
        operation: event.operation,
        does: event
            .thread
            .and_then(|_| names.cells.life(program, event).or_else(|| synchronization::operation(program, event))),
        atomic: in_operation(event.atomic),
    }
}

fn pairs(pairs: &[(EventId, EventId)]) -> document::Pairs {
    pairs.iter().map(|(from, to)| [from.0, to.0]).collect()
}

fn state(program: &Program, state: &State) -> Map<String, Json> {
    let entry = |(observable, value): &(program::Observable, Value)| {
        let shown = crate::cells::final_float(program, observable, value).map(Json::String);
        (program.observable_name(observable), shown.unwrap_or_else(|| constant(program, value, &Names::default())))
    };
    state.iter().map(entry).collect()
}

fn constant(program: &Program, value: &Value, names: &Names) -> Json {
    match value {
        Value::Undefined => Json::Null,
        Value::Int(int) => json!(int.signed()),
        Value::Pointer(_) | Value::Composite(..) => json!(names.cells.value(program, value)),
    }
}

fn span(program: &Program, span: Span) -> document::Span {
    location(&program.sources.location(span), &source_text(&program.sources, Some(span)))
}

/// A place with the line that it is in.
fn line(program: &Program, at: &Location) -> document::Span {
    location(at, line_text(&program.sources, at).unwrap_or_default())
}

fn location(location: &Location, text: &str) -> document::Span {
    document::Span { file: location.file.clone(), line: location.line, column: location.column, text: text.into() }
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
        assert_eq!(object["bounds"]["loops"][0]["iterations"], json!(2));
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
