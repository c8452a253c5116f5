//! The programs of MemSAT: every witness is legal by evaluation alone, every core is minimal by solving again.

use std::path::{Path, PathBuf};

use axiomatic::internals::{Plan, Setting, allows, inline};
use axiomatic::model::{Shape, load, shipped};
use axiomatic::{Model, Options, Rounds, broken_axioms, check};
use program::{CoreMember, Execution, Outcome, Property, Verdict, Verified, verify};

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/java");
    let entries = folder.read_dir().expect("suites/java").map(|entry| entry.expect("an entry").path());
    let mut sources: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "java")).collect();
    sources.sort();
    sources
}

fn program(source: &Path, text: &str) -> Verified {
    let name = source.display().to_string();
    let bytes = std::fs::read(source.with_extension("class")).expect("a class file beside the source");
    let file = frontend::jvm::ClassFile { name: name.clone(), bytes, source: Some((name, text.into())) };
    let parsed = frontend::jvm::load(&[file], &frontend::jvm::Options::default());
    verify(parsed.unwrap_or_else(|d| panic!("{d}")).program).unwrap_or_else(|messages| panic!("{messages:?}"))
}

fn model(name: &str) -> Model {
    let files = [format!("{name}.cat"), format!("{name}.mm")];
    let (file, text) = shipped().iter().find(|(file, _)| files.iter().any(|f| f == file)).expect("a shipped model");
    load(file, text, &|_| None).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

/// The axioms that a witness breaks, judged without a solver.
fn broken(witness: &Execution, program: &Verified, model: &Model) -> Vec<String> {
    let locations = witness.events.iter().filter(|event| event.thread.is_none()).count();
    let shape = Shape { threads: program.threads.len(), locations, executions: witness.justification.len() };
    broken_axioms(witness, &model.instantiate(shape))
}

/// Checks one expectation of a program: the verdict, and the evidence for it.
fn check_cell(program: &Verified, name: &str, answer: &str, unroll: u32) -> Result<(), String> {
    let model = model(name);
    let options = Options { property: Property::Possible, rounds: Rounds::of_each(unroll), ..Options::default() };
    let outcome = check(program, &model, &options).map_err(|unsupported| format!("{unsupported:?}"))?;
    let verdict = match (&outcome.verdict, answer) {
        (Verdict::Allowed, "allowed") | (Verdict::Forbidden, "forbidden") => true,
        // Tests 14 and 15 wait in a loop: the paper's answer, forbidden, is that of the executions within its bound.
        (Verdict::Unknown(_), "unknown") => !outcome.bounds.exceeded.is_empty() && outcome.witness.is_none(),
        _ => false,
    };
    if !verdict {
        return Err(format!("expected {answer}, found {:?}", outcome.verdict));
    }
    evidence(program, &model, &options, &outcome)
}

fn evidence(program: &Verified, model: &Model, options: &Options, outcome: &Outcome) -> Result<(), String> {
    if let Some(witness) = &outcome.witness {
        let broken = broken(witness, program, model);
        return if broken.is_empty() { Ok(()) } else { Err(format!("the witness breaks {broken:?}")) };
    }
    let core = outcome.core.as_ref().ok_or("neither witness nor core")?;
    let allows = |members: &[CoreMember]| {
        allows(program, model, options, members).map_err(|unsupported| format!("{unsupported:?}"))
    };
    if allows(&core.members)? != Some(false) {
        return Err("the core does not exclude the outcome".into());
    }
    for (index, member) in core.members.iter().enumerate() {
        let mut others = core.members.clone();
        others.remove(index);
        if allows(&others)? != Some(true) {
            return Err(format!("the core does not need {member:?}"));
        }
    }
    Ok(())
}

/// All cells of the models whose name contains `part`.
fn check_models(part: &[&str]) -> usize {
    let mut cells = 0;
    let mut failures = Vec::new();
    for source in programs() {
        let text = std::fs::read_to_string(&source).expect("a source");
        let program = program(&source, &text);
        for line in text.lines().filter_map(|line| line.strip_prefix("// expect ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name, answer, ref keys @ ..] = words[..] else { panic!("{line}") };
            if !part.contains(&name) {
                continue;
            }
            let unroll =
                keys.iter().find_map(|key| key.strip_prefix("unroll=")).map_or(3, |n| n.parse().expect("a bound"));
            cells += 1;
            if let Err(what) = check_cell(&program, name, answer, unroll) {
                failures.push(format!("{} under {name}: {what}", source.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    cells
}

#[test]
fn more_executions_than_are_enough_justify_nothing_more() {
    for source in programs() {
        let text = std::fs::read_to_string(&source).expect("a source");
        let program = program(&source, &text);
        for name in ["jmm-original", "jmm-revised"] {
            let model = model(name);
            let verdict = |executions| {
                let property = Property::Possible;
                let options =
                    Options { property, rounds: Rounds::of_each(1), explain: false, executions, ..Options::default() };
                let outcome = check(&program, &model, &options).expect("supported");
                outcome.verdict == Verdict::Allowed
            };
            let inlined = inline(&program).expect("supported");
            let options = Options { rounds: Rounds::of_each(1), ..Options::default() };
            let setting = Setting::new(&inlined, &model, &Plan::new(&options), &[]);
            let enough = setting.unwrap_or_else(|what| panic!("{what:?}")).executions;
            let (found, more) = (verdict(None), verdict(Some(enough + 2)));
            assert_eq!(found, more, "{} under {name}", source.display());
        }
    }
}

#[test]
fn the_classic_models_answer_as_the_paper_found_with_evidence() {
    assert!(check_models(&["sc", "coherence", "pram", "causal", "pc"]) >= 75);
}

#[test]
fn the_java_memory_models_answer_as_the_paper_found_with_evidence() {
    assert!(check_models(&["jmm-original", "jmm-revised"]) >= 60);
}
