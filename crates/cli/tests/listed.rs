//! Executions that are listed, where explorations begin, and how far they go.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a command prints, and its exit code.
fn run(arguments: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    let output = command.args(arguments).current_dir(root()).output().expect("palisade runs");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (text.concat(), output.status.code())
}

const DEKKER: &str = "suites/java/mcr/Dekker.class";

#[test]
fn every_class_is_listed_with_a_schedule_of_its_own() {
    let (text, _) = run(&["check", DEKKER, "--engine", "mcr", "--model", "sc", "--list-classes", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let listed = answer["listed"].as_array().expect("a list");
    assert_eq!(Some(listed.len() as u64), answer["stats"]["classes"].as_u64());
    let mut reads: Vec<&str> = listed.iter().filter_map(|class| class["what"].as_str()).collect();
    let mut schedules: Vec<&str> = listed.iter().filter_map(|class| class["schedule"].as_str()).collect();
    reads.sort_unstable();
    schedules.sort_unstable();
    reads.dedup();
    schedules.dedup();
    assert_eq!(schedules.len(), listed.len());
    // What threads read is what tells classes apart; executions that go wrong are shown up to there.
    let is_whole = |what: &&str| what.starts_with("comes to its end");
    let ended = listed.iter().filter_map(|class| class["what"].as_str()).filter(is_whole).count();
    assert!(ended > 50 && reads.into_iter().filter(is_whole).count() == ended, "{text}");
}

#[test]
fn the_first_execution_does_not_change_which_classes_there_are() {
    let classes = |more: &[&str]| {
        let mut arguments =
            vec!["check", DEKKER, "--engine", "mcr", "--model", "tso", "--exhaustive", "--format", "json"];
        arguments.extend(more);
        let answer: serde_json::Value = serde_json::from_str(&run(&arguments).0).expect("JSON");
        (answer["stats"]["classes"].clone(), answer["verdict"].clone())
    };
    let usual = classes(&[]);
    for seed in ["1", "2", "20161031"] {
        assert_eq!(classes(&["--random", seed]), usual, "from {seed}");
    }
}

#[test]
fn an_exploration_goes_on_from_a_schedule() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dekker.schedule");
    let file = file.to_str().expect("a name");
    let on_tso = ["check", DEKKER, "--engine", "mcr", "--model", "tso"];
    run(&[&on_tso[..], &["--schedule", file]].concat());
    let (text, code) = run(&[&on_tso[..], &["--seed", file]].concat());
    assert!(text.contains("1 executions of 1 classes") && code == Some(1), "{text}");
    let (text, code) = run(&["check", DEKKER, "--engine", "mcr", "--model", "sc", "--seed", file]);
    assert!(text.contains("the schedule is one of tso, not of sc") && code == Some(2), "{text}");
}

#[test]
fn what_never_ends_is_answered_within_a_bound() {
    let endless = "docs/examples/EndlessMicroscope.class";
    let within = |model: &str| run(&["check", endless, "--engine", "mcr", "--model", model, "--depth", "60"]);
    let (text, code) = within("pso");
    assert!(text.contains("System.exit(1)") && code == Some(1), "{text}");
    let (text, code) = run(&["check", endless, "--engine", "mcr", "--model", "tso", "--depth", "30"]);
    assert!(text.contains("no more than 30 operations of a thread were followed") && code == Some(3), "{text}");
}

#[test]
fn every_failure_is_listed() {
    for engine in [&["--all-failures"][..], &["--all-failures", "--model", "pso", "--engine", "mcr"]] {
        let (text, code) = run(&[&["check", "suites/java/opmm/Dcl.class"][..], engine].concat());
        let is_last = |what: &str| text.rsplit("listed, each").next().is_some_and(|listed| listed.contains(what));
        assert!(is_last("found.number == 42") && code == Some(1), "{text}");
    }
    let (text, _) = run(&["check", "suites/java/opmm/Dcl.class", "--all-failures"]);
    assert!(text.contains("2 listed") && text.contains("2. uncaught java.lang.NullPointerException"), "{text}");
    let (text, code) = run(&["check", "suites/c/peterson.c", "--all-failures", "--model", "rc11"]);
    assert!(text.contains("all failures are listed where a program is run") && code == Some(2), "{text}");
}
