//! The tour: every file answers as its comments expect, every answer withstands its checks, and the store-buffer machines
//! reach the same final states as their models allow.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use axiomatic::Iterations;
use axiomatic::{Model, Options, outcomes};
use program::{State, Verdict, Verified, verify};
use testing::explorer::{Machine, explore};
use testing::judge::{check_witness, checked};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/tour");
    let entries = std::fs::read_dir(&folder).expect("the tour");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "litmus"));
    files.sort();
    assert!(!files.is_empty());
    files
}

fn read(path: &Path) -> (String, Verified) {
    let text = std::fs::read_to_string(path).expect("a test");
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).expect("a name");
    let parsed = frontend::litmus::parse(&name, &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    (text, verify(parsed.program).unwrap_or_else(|messages| panic!("{messages:?}")))
}

/// Model, verdict and bound of each `expect` line.
fn expectations(text: &str) -> Vec<(String, String, Option<u32>)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim().trim_start_matches("(*").trim_end_matches("*)").trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["expect", model, verdict, ref keys @ ..] = words[..] {
            let unroll = keys.iter().find_map(|key| key.strip_prefix("unroll=")).map(|n| n.parse().expect("a bound"));
            found.push((model.to_string(), verdict.to_string(), unroll));
        }
    }
    found
}

/// The first shipped model with this stem.
fn model(stem: &str) -> Model {
    let has_stem = |file: &&str| file.split('.').next() == Some(stem);
    let file = axiomatic::model::shipped().iter().map(|(file, _)| *file).find(has_stem);
    testing::model(file.unwrap_or_else(|| panic!("no model {stem}")))
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allowed => "allowed",
        Verdict::Forbidden => "forbidden",
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::Unknown(_) => "unknown",
    }
}

#[test]
fn every_file_of_the_tour_answers_as_it_expects() {
    for path in files() {
        let (text, program) = read(&path);
        let expectations = expectations(&text);
        assert!(!expectations.is_empty(), "{} expects nothing", path.display());
        for (name, expected, unroll) in expectations {
            let default = Options::default();
            let iterations = unroll.map_or(default.iterations.clone(), Iterations::of_each);
            let options = Options { iterations, ..default };
            let outcome = checked(&program, &model(&name), &options);
            assert_eq!(word(&outcome.verdict), expected, "{} under {name}", path.display());
            assert!(!outcome.vacuous, "{} under {name}", path.display());
            if expected == "unknown" {
                assert!(!outcome.bounds.exceeded.is_empty(), "{} under {name} names no loop", path.display());
            }
        }
    }
}

#[test]
fn a_forbidden_outcome_of_the_tour_is_explained_by_a_cycle() {
    for path in files() {
        let (text, program) = read(&path);
        for (name, _, _) in expectations(&text).into_iter().filter(|(_, expected, _)| expected == "forbidden") {
            let outcome = checked(&program, &model(&name), &Options::default());
            let core = outcome.core.expect("a core");
            assert!(core.members.iter().all(|member| member.location.is_some()), "{}: {core:?}", path.display());
            let violation =
                outcome.violation.unwrap_or_else(|| panic!("{} under {name}: no violation", path.display()));
            assert!(!violation.cycle.is_empty(), "{} under {name}", path.display());
        }
    }
}

/// The engine's states, each witness checked, and whether a loop bound may hide others.
fn states(program: &Verified, model: &Model) -> (BTreeSet<State>, bool) {
    let outcome = outcomes(program, model, &Options::default(), &mut |_| {}).expect("supported");
    let mut states = BTreeSet::new();
    for (state, witness) in outcome.states.expect("states") {
        check_witness(program, model, &witness.expect("a witness"));
        states.insert(state);
    }
    (states, !outcome.bounds.exceeded.is_empty())
}

fn machine_agrees(name: &str, machine: Machine) {
    let model = model(name);
    for path in files() {
        let (_, program) = read(&path);
        let (found, bounded) = states(&program, &model);
        let expected = explore(&program, machine);
        let text = || format!("{} under {name}: {found:#?}\nthe machine: {expected:#?}", path.display());
        assert!(found.is_subset(&expected), "{}", text());
        assert!(bounded || found == expected, "{}", text());
    }
}

#[test]
fn sc_reaches_the_states_of_interleavings_on_the_tour() {
    machine_agrees("sc", Machine::Sc);
}

#[test]
fn tso_reaches_the_states_of_a_store_buffer_on_the_tour() {
    machine_agrees("tso", Machine::Tso);
}

#[test]
fn pso_reaches_the_states_of_a_store_buffer_for_each_cell_on_the_tour() {
    machine_agrees("pso", Machine::Pso);
}

#[test]
fn a_weaker_model_allows_more_on_the_tour() {
    let models = ["sc", "tso", "pso", "rmo", "relaxed"].map(model);
    for path in files() {
        let (_, program) = read(&path);
        let sets: Vec<BTreeSet<State>> = models.iter().map(|model| states(&program, model).0).collect();
        for (index, pair) in sets.windows(2).enumerate() {
            let missing = pair[0].difference(&pair[1]).next();
            let (strong, weak) = (&models[index].name, &models[index + 1].name);
            assert!(missing.is_none(), "{}: {strong} allows {missing:?}, {weak} does not", path.display());
        }
    }
}

#[test]
fn both_forms_of_sc_allow_the_same_on_the_tour() {
    let forms = ["sc.cat", "sc.mm"].map(testing::model);
    for path in files() {
        let (_, program) = read(&path);
        let [left, right] = forms.each_ref().map(|model| states(&program, model).0);
        assert_eq!(left, right, "{}", path.display());
    }
}
