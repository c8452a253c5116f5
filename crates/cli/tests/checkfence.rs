//! The data types of the CheckFence thesis: small rows of its tables, with every witness judged without a solver, and the
//! observations of both engines compared.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use axiomatic::internals::{Encoding, Plan, Setting, Source, Statements, Unseen, encode, inline, unseen};
use axiomatic::model::{Shape, load, shipped};
use axiomatic::{Model, Options, Specification, broken_axioms, consistency};
use operational::choices::Choices;
use operational::interpret::Stop;
use operational::observer::Observer;
use operational::search::{Reduction, Runner};
use operational::serial::{Mined, observations};
use operational::state::{State, Status};
use operational::store::Store;
use operational::turn::{Action, run_setup};
use operational::word::{Word, Words};
use operational::{Limits, Machine};
use program::{
    Event, EventKind, Execution, FailureKind, FunctionId, Observation, Outcome, Program, Shown, Value, Verdict,
    Verified, verify,
};

/// Rows of figure 8.4 that took the thesis longer than this are left to `palisade repro`.
const SMALL: f64 = 7.0;

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

fn test(name: &str, define: Option<&str>, notation: &str) -> Verified {
    changed_test(name, define, notation, &|text| text)
}

/// A test of a data type whose text, that of its own headers included, is changed.
fn changed_test(name: &str, define: Option<&str>, notation: &str, change: &dyn Fn(String) -> String) -> Verified {
    let folder = root().join("suites/c");
    let text = change(read(&folder.join(format!("{name}.c"))).expect("a data type"));
    let mut include = |name: &str, _: &str| Some((name.to_string(), change(read(&folder.join(name))?)));
    let defines: Vec<(String, String)> = define.iter().map(|name| (name.to_string(), "1".into())).collect();
    let unit = frontend::c::load(name, &text, &mut include, &defines).unwrap_or_else(|d| panic!("{d}"));
    let program = unit.test(notation).unwrap_or_else(|d| panic!("{d}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}"))
}

fn model(name: &str) -> Model {
    let file = format!("{name}.cat");
    let (file, text) = shipped().iter().find(|(own, _)| *own == file).expect("a shipped model");
    load(file, text, &|_| None).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

fn mine(program: &Verified) -> Mined {
    let mined = observations(program, &Limits::default()).expect("supported");
    assert_eq!(mined.incomplete, None);
    mined
}

/// Looks for an execution that shows something else than `expected`.
fn check(program: &Verified, model: &Model, mined: &Mined, expected: &BTreeSet<Observation>) -> Outcome {
    let specification =
        Specification { observations: Some(expected), iterations: &mined.iterations, most_iterations: 24 };
    let options = Options { explain: false, ..Options::default() };
    consistency(program, model, &specification, &options, &mut |_| {}).expect("supported")
}

/// The axioms that a witness breaks, judged without a solver.
fn broken(witness: &Execution, program: &Verified, model: &Model) -> Vec<String> {
    let locations = witness.events.iter().filter(|event| event.thread.is_none()).count();
    let shape = Shape { threads: program.threads.len(), locations, executions: 0 };
    broken_axioms(witness, &model.instantiate(shape))
}

/// Checks a test, and judges what the answer rests on.
fn judged(program: &Verified, model: &Model, what: &str) -> (Verdict, Option<FailureKind>) {
    let mined = mine(program);
    if mined.failure.is_some() {
        return (Verdict::Violated, Some(FailureKind::Error));
    }
    let outcome = check(program, model, &mined, &mined.observations);
    let witness = outcome.witness.as_ref().unwrap_or_else(|| panic!("{what}: no witness"));
    let shown = outcome.observation.as_ref().unwrap_or_else(|| panic!("{what}: nothing is shown"));
    let kind = outcome.failure.as_ref().map(|failure| failure.kind);
    let mut broken = broken(witness, program, model);
    // An access through what is no pointer sees nothing; that is the error.
    if kind == Some(FailureKind::Error) && witness.events.iter().any(is_without_cell) {
        broken.retain(|axiom| axiom != "well-formed");
    }
    assert_eq!(broken, Vec::<String>::new(), "{what}: the witness is not legal");
    match kind {
        None => assert!(mined.observations.contains(shown), "{what}: the witness shows what no serial execution does"),
        Some(FailureKind::Observation) => assert!(!mined.observations.contains(shown), "{what}: this is explained"),
        Some(_) => {}
    }
    (outcome.verdict, kind)
}

fn is_without_cell(event: &Event) -> bool {
    event.kind == EventKind::Read && event.cell.is_none()
}

/// Type, test, notation and seconds of the rows of figure 8.4.
fn rows() -> Vec<(String, String, String, f64)> {
    let text = read(&root().join("repro/checkfence/figure8-4.tsv")).expect("the table");
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let seconds = fields[7].parse().expect("seconds");
        (fields[0].to_string(), fields[1].to_string(), fields[2].to_string(), seconds)
    };
    text.lines().filter(|line| !line.starts_with('#')).map(row).collect()
}

#[test]
fn small_rows_answer_as_in_the_thesis_with_evidence() {
    let model = model("relaxed");
    let mut checked = 0;
    for (data_type, name, notation, _) in rows().into_iter().filter(|(.., seconds)| *seconds <= SMALL) {
        let what = format!("{data_type} {name}");
        let (verdict, _) = judged(&test(&data_type, None, &notation), &model, &what);
        assert_eq!(verdict, Verdict::Holds, "{what}");
        checked += 1;
    }
    assert!(checked >= 15, "{checked}");
}

#[test]
fn published_errors_are_found() {
    let bugs = [
        ("lazylist", Some("PUBLISHED"), "(a|c)", "sc", FailureKind::Error),
        ("lazylist", Some("PUBLISHED"), "(a|r)", "sc", FailureKind::Error),
        ("snark_published", None, "(al rr|ar rl)", "sc", FailureKind::Observation),
        ("snark_published", None, "(al'|al'|ar'|ar'|rl'|rl'|rr'|rr')", "sc", FailureKind::Observation),
        // The ABA error: a dequeue sleeps while others dequeue, enqueue and dequeue; then its old head is the head again,
        // but with no node behind it.
        ("msn", Some("REUSE"), "e(d|ded)", "sc", FailureKind::Error),
        ("msn", Some("REUSE"), "e(ed|de)", "relaxed", FailureKind::Observation),
    ];
    for (name, define, notation, memory, kind) in bugs {
        let what = format!("{name} {notation} on {memory}");
        let found = judged(&test(name, define, notation), &model(memory), &what);
        assert_eq!(found, (Verdict::Violated, Some(kind)), "{what}");
    }
}

#[test]
fn without_the_cause_the_errors_are_gone() {
    for (name, notation) in [("lazylist", "(a|c)"), ("snark", "(al rr|ar rl)"), ("msn", "e(d|ded)")] {
        let found = judged(&test(name, None, notation), &model("sc"), name);
        assert_eq!(found, (Verdict::Holds, None), "{name}");
    }
}

/// Without these fences threads may read old values in iteration after iteration.
fn without_fences_of_retries(text: String) -> String {
    let is_kept = |line: &&str| !line.contains("the next round does not read older values");
    text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect()
}

#[test]
fn rounds_that_read_old_values_make_no_difference() {
    let relaxed = model("relaxed");
    for (name, notation) in [("harris", "(a|a)"), ("snark", "al al(rr rr|rl rl)"), ("snark", "(al rr|ar rl)")] {
        let program = changed_test(name, None, notation, &without_fences_of_retries);
        let mined = mine(&program);
        let outcome = check(&program, &relaxed, &mined, &mined.observations);
        assert_eq!(outcome.verdict, Verdict::Holds, "{name} {notation}");
        // With all iterations the loops have no bound, and nothing goes wrong within a few.
        let specification = Specification {
            observations: Some(&mined.observations),
            iterations: &mined.iterations,
            most_iterations: 3,
        };
        let options = Options { explain: false, leave_out_idle_iterations: false, ..Options::default() };
        let outcome = consistency(&program, &relaxed, &specification, &options, &mut |_| {}).expect("supported");
        assert!(matches!(outcome.verdict, Verdict::Unknown(_)), "{name} {notation}: {:?}", outcome.verdict);
    }
}

#[test]
fn both_engines_show_the_same_on_sc() {
    let tests = [
        ("ms2", None, "(e|d)"),
        ("ms2", None, "(e|e|d|d)"),
        ("msn", None, "(e|d)"),
        ("msn", Some("REUSE"), "e(d|de)"),
        // Too few dequeues for the ABA error, on this model.
        ("msn", Some("REUSE"), "e(ed|de)"),
        ("lazylist", None, "(a|c)"),
        ("lazylist", None, "(a|r)"),
        ("harris", None, "(a|c)"),
        ("harris", None, "(a|r)"),
        ("snark_published", None, "(al rr|ar rl)"),
    ];
    for (name, define, notation) in tests {
        let program = test(name, define, notation);
        let solved = all_by_solving(&program, &model("sc"));
        assert!(!solved.is_empty(), "{name} {notation}");
        assert_eq!(solved, all_by_running(&program), "{name} {notation}");
    }
}

/// What the threads show in any execution: the solver is asked for something new until there is nothing.
fn all_by_solving(program: &Verified, model: &Model) -> BTreeSet<Vec<Vec<Shown>>> {
    let mined = mine(program);
    let mut known = mined.observations.clone();
    loop {
        let outcome = check(program, model, &mined, &known);
        match (outcome.verdict, outcome.failure, outcome.observation) {
            (Verdict::Holds, ..) => break,
            (Verdict::Violated, Some(failure), Some(shown)) if failure.kind == FailureKind::Observation => {
                assert!(known.insert(shown), "the same twice");
            }
            other => panic!("{other:?}"),
        }
    }
    known.into_iter().map(|observation| observation[1..].to_vec()).collect()
}

/// What a thread has shown so far.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Past {
    /// Calls that are active below the entry function.
    depth: usize,
    operations: Vec<Shown>,
}

/// Notes what threads show.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Pasts<'p> {
    names: &'p [Arc<str>],
    threads: Vec<Past>,
}

impl Observer for Pasts<'_> {
    fn enters(&mut self, thread: usize, function: FunctionId) {
        let past = &mut self.threads[thread];
        if past.depth == 0 {
            let operation = self.names[function.0 as usize].clone();
            past.operations.push(Shown { operation, values: Vec::new() });
        }
        past.depth += 1;
    }

    fn returns(&mut self, thread: usize) {
        let past = &mut self.threads[thread];
        past.depth = past.depth.saturating_sub(1);
    }

    fn shows(&mut self, thread: usize, label: &Arc<str>, value: Word, words: &Words) {
        let shown = self.threads[thread].operations.last_mut().expect("shown in an operation");
        shown.values.push((label.clone(), words.value(value)));
        shown.values.sort();
    }
}

/// What the threads show in any execution: all interleavings are run; states are equal if their pasts are, too.
fn all_by_running(program: &Verified) -> BTreeSet<Vec<Vec<Shown>>> {
    let names = names(program);
    let mut runner = Runner::new(program, Machine::Sc, Reduction::Persistent, &Limits::default());
    let threads = vec![Past::default(); program.threads.len()];
    let starts = run_setup(&mut runner.interpreter).unwrap_or_else(|halt| panic!("{halt:?}"));
    let (mut store, mut seen, mut found) = (Store::new(), HashSet::new(), BTreeSet::new());
    let mut todo: Vec<(State, Pasts)> = Vec::new();
    for (_, state) in starts {
        todo.extend(successors(&mut runner, &state, None, &Pasts { names: &names, threads: threads.clone() }));
    }
    while let Some((state, pasts)) = todo.pop() {
        let (id, _) = store.insert(&state);
        if !seen.insert((id, pasts.clone())) {
            continue;
        }
        if state.threads.iter().all(|thread| thread.status == Status::Ended) {
            found.insert(pasts.threads.iter().map(|past| past.operations.clone()).collect());
            continue;
        }
        for action in runner.interpreter.actions(&state) {
            todo.extend(successors(&mut runner, &state, Some(action), &pasts));
        }
    }
    found
}

fn names(program: &Program) -> Vec<Arc<str>> {
    program.functions.iter().map(|function| function.name.as_str().into()).collect()
}

/// The states after an action, for each way to choose.
fn successors<'p>(
    runner: &mut Runner,
    from: &State,
    action: Option<Action>,
    pasts: &Pasts<'p>,
) -> Vec<(State, Pasts<'p>)> {
    let (mut choices, mut next) = (Choices::default(), Vec::new());
    loop {
        let (mut state, mut pasts) = (from.clone(), pasts.clone());
        match runner.advance(&mut state, action, &mut choices, &mut pasts) {
            Ok(()) => next.push((state, pasts)),
            Err(halt) if matches!(halt.stop, Stop::Waits(_) | Stop::Dropped) => {}
            Err(halt) => panic!("{halt:?}"),
        }
        if !choices.next_combination() {
            return next;
        }
    }
}

/// What is left out before anything is solved, the solver finds impossible in the whole problem.
#[test]
fn what_is_left_out_is_impossible() {
    let cases = [
        ("msn", "(e|d)", "relaxed"),
        ("msn", "(e|d)", "tso"),
        ("ms2", "(e|d)", "relaxed"),
        ("harris", "(a|r)", "pso"),
        ("harris", "(a|c)", "relaxed"),
        ("lazylist", "(a|r)", "relaxed"),
        ("snark", "(al|rr)", "relaxed"),
        ("treiber", "(p|o)", "rc11"),
        ("treiber", "(p|o)", "sc"),
    ];
    for (name, notation, model_name) in cases {
        let program = test(name, None, notation);
        let model = model(model_name);
        let inlined = inline(&program).expect("supported");
        let options = Options { iterations: axiomatic::Iterations::of_each(2), ..Options::default() };
        let setting = Setting::new(&inlined, &model, &Plan::new(&options), &[]).expect("supported");
        let encode = || encode(&setting, Statements::Fixed).expect("supported");
        let unseen = unseen(&setting, &mut encode()).expect("supported");
        let what = format!("{name} {notation} {model_name}");
        assert!(!unseen.pairs.is_empty(), "{what}: nothing was left out");
        assert_impossible(&what, &unseen, &mut encode());
    }
}

fn assert_impossible(what: &str, unseen: &Unseen, encoding: &mut Encoding) {
    let first = encoding.events.cells.len();
    let place = |source: &Source| match source {
        Source::Event(event) => first + event,
        Source::Initial(cell) => encoding.events.cells.binary_search(cell).expect("a cell"),
    };
    let mut questions: Vec<Vec<relation::Bit>> = Vec::new();
    for (source, read) in &unseen.pairs {
        questions.push(vec![encoding.rf.get(place(source), first + read)]);
    }
    for (source, read, allocation) in &unseen.pointers {
        let write = place(source);
        let value = encoding.events.events[write].value.as_ref().expect("a value");
        let points = |atom: &Value| matches!(atom, Value::Pointer(pointer) if pointer.allocation == *allocation);
        let cases = value.atoms.iter().filter(|(atom, _)| points(atom));
        questions.extend(cases.map(|&(_, when)| vec![encoding.rf.get(write, first + read), when]));
    }
    questions.extend(unseen.absent.iter().map(|event| vec![encoding.events.events[first + event].guard]));
    for question in questions {
        let answer = encoding.circuit.solve(&question, &sat::Budget::default());
        assert_eq!(answer, sat::Answer::Unsatisfiable, "{what}");
    }
}
