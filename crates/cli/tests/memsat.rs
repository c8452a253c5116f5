//! The programs of MemSAT: every witness is legal by evaluation alone, every core is minimal by solving again.

use std::path::{Path, PathBuf};

use axiomatic::internals::{Plan, Setting, allows, inline};
use axiomatic::model::{Shape, load, shipped};
use axiomatic::{Iterations, Model, Options, Reasons, broken_axioms, check};
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
    let options =
        Options { property: Property::Possible, iterations: Iterations::of_each(unroll), ..Options::default() };
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
                let options = Options {
                    property,
                    iterations: Iterations::of_each(1),
                    explain: false,
                    executions,
                    ..Options::default()
                };
                let outcome = check(&program, &model, &options).expect("supported");
                outcome.verdict == Verdict::Allowed
            };
            let inlined = inline(&program).expect("supported");
            let options = Options { iterations: Iterations::of_each(1), ..Options::default() };
            let setting = Setting::new(&inlined, &model, &Plan::new(&options), &[]);
            let enough = setting.unwrap_or_else(|what| panic!("{what:?}")).executions;
            let (found, more) = (verdict(None), verdict(Some(enough + 2)));
            assert_eq!(found, more, "{} under {name}", source.display());
        }
    }
}

fn answer(name: &str, model: &Model, reasons: Reasons) -> (Verified, Options, Outcome) {
    let source = programs().into_iter().find(|path| path.file_stem().is_some_and(|stem| stem == name));
    let source = source.expect("a program of that name");
    let text = std::fs::read_to_string(&source).expect("a source");
    let program = program(&source, &text);
    let options = Options { property: Property::Possible, reasons, ..Options::default() };
    let outcome = check(&program, model, &options).expect("supported");
    (program, options, outcome)
}

fn member_names(outcome: &Outcome) -> Vec<&str> {
    outcome.core.as_ref().expect("a core").members.iter().map(|member| &*member.name).collect()
}

#[test]
fn a_core_has_initial_writes_and_tells_the_axioms_of_an_order_apart() {
    let (_, text) = shipped().iter().find(|(file, _)| *file == "sc.mm").expect("a shipped model");
    let model = load("sc.mm", text, &|_| None).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    let (program, options, outcome) = answer("Nemos02", &model, Reasons::Minimal);
    assert_eq!(
        member_names(&outcome),
        [
            "T1",
            "T2",
            "M1",
            "v1",
            "initially a = 0",
            "initially b = 0",
            "int r1 = b",
            "int r2 = a",
            "r1 == 1",
            "r2 == 1"
        ]
    );
    assert_eq!(evidence(&program, &model, &options, &outcome), Ok(()));
    let core = outcome.core.expect("a core");
    assert_eq!(core.members[1].formula.as_deref(), Some("~memory_order(X, X)"));
}

#[test]
fn any_core_may_have_more_members_than_a_minimal_one() {
    let model = model("sc");
    let (_, _, minimal) = answer("Nemos02", &model, Reasons::Minimal);
    let (_, _, any) = answer("Nemos02", &model, Reasons::Any);
    assert!(minimal.core.as_ref().is_some_and(|core| core.minimal));
    assert!(any.core.as_ref().is_some_and(|core| !core.minimal));
    assert!(member_names(&any).len() >= member_names(&minimal).len());
}

/// A model with a mistake that the paper tells of.
fn mistaken(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples").join(name);
    let text = std::fs::read_to_string(&path).expect("an example");
    load(name, &text, &|_| None).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

#[test]
fn a_core_shows_why_processor_consistency_as_published_is_too_strong() {
    let (_, _, outcome) = answer("Nemos02", &mistaken("nemos-pc.mm"), Reasons::Minimal);
    assert_eq!(outcome.verdict, Verdict::Forbidden);
    assert!(member_names(&outcome).contains(&"map-constraints"), "{:?}", member_names(&outcome));
    assert_eq!(answer("Nemos02", &model("pc"), Reasons::Minimal).2.verdict, Verdict::Allowed);
}

#[test]
fn a_core_shows_why_a_program_has_no_execution_at_all() {
    let (_, _, outcome) = answer("TC01", &mistaken("jmm-without-edges.mm"), Reasons::Minimal);
    assert!(outcome.vacuous);
    let names = member_names(&outcome);
    assert!(names.iter().any(|name| name.starts_with("jmm-rule-6")), "{names:?}");
    assert!(names.iter().all(|name| !name.contains("==")), "nothing is asked for: {names:?}");
}

#[test]
fn a_witness_shows_happens_before_and_commits_something_in_each_stage() {
    let (_, _, outcome) = answer("TC17", &model("jmm-revised"), Reasons::Minimal);
    let witness = outcome.witness.expect("a witness");
    let mut before = 0;
    for run in &witness.justification {
        let named = |wanted: &str| run.named.iter().find(|(name, _)| name == wanted).map(|(_, pairs)| pairs.len());
        assert!(named("hb").is_some() && named("sw").is_some());
        let committed = named("committed").expect("a set of committed actions");
        assert!(committed > before, "{committed} after {before}");
        before = committed;
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
