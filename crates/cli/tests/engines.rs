//! Without `--engine` the best of the engines that have the model answers, and says who decided.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_palisade")).args(arguments).current_dir(root()).output();
    let output = output.expect("the binary runs");
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// The engine that answered, and its verdict.
fn answer(arguments: &[&str]) -> (String, String) {
    let said = text(&[arguments, &["--format", "json"]].concat());
    let json: Json = serde_json::from_str(said.lines().next().unwrap_or_default())
        .unwrap_or_else(|error| panic!("{arguments:?}: {error} in {said}"));
    let word = |key: &str| json[key].as_str().unwrap_or_default().to_string();
    (word("engine"), word("verdict"))
}

fn scratch(name: &str, content: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("written");
    path.display().to_string()
}

#[test]
fn the_engine_follows_the_question_and_the_model() {
    for (arguments, engine) in [
        (&["check", "suites/tour/SB.litmus"][..], "axiomatic"),
        (&["check", "suites/c/spinlock.c"], "mcr"),
        (&["check", "suites/c/spinlock.c", "--model", "tso"], "operational"),
        (&["check", "suites/c/msn.c", "--test", "(e|d)", "--model", "sc"], "axiomatic"),
        (&["check", "suites/java/jpr/Hash.class", "--model", "jmm_over"], "operational"),
        (&["check", "suites/java/TC01.class"], "axiomatic"),
    ] {
        assert_eq!(answer(arguments).0, engine, "{arguments:?}");
    }
}

#[test]
fn all_engines_and_their_choice_say_the_same() {
    for (file, options) in [
        ("suites/c/peterson.c", &["--model", "tso"][..]),
        ("suites/c/peterson.c", &["--model", "tso", "-D", "BROKEN"]),
        ("suites/c/ticket_lock.c", &["--model", "pso"]),
        ("suites/java/mcr/Dekker.class", &["--model", "sc"]),
        ("suites/java/mcr/Dekker.class", &["--model", "tso"]),
    ] {
        let arguments = [&["check", file], options].concat();
        let (_, chosen) = answer(&arguments);
        for engine in ["operational", "mcr"] {
            let (who, verdict) = answer(&[&arguments[..], &["--engine", engine]].concat());
            assert_eq!((who.as_str(), &verdict), (engine, &chosen), "{arguments:?}");
        }
    }
}

#[test]
fn who_does_not_decide_gives_way_to_the_next() {
    let file = scratch(
        "counts.litmus",
        "C counts\n{ x=0; }\nP0 (atomic_int* x) {\n  int r = 0;\n  while (r < 9) { r = r + 1; }\n  atomic_store(x, r);\n}\n\
         P1 (atomic_int* x) { int s = atomic_load(x); }\nexists (1:s=9)\n",
    );
    let solved = answer(&["check", &file, "--model", "tso", "--engine", "axiomatic"]);
    assert_eq!(solved, ("axiomatic".into(), "unknown".into()));
    assert_eq!(answer(&["check", &file, "--model", "tso"]), ("operational".into(), "allowed".into()));
}

#[test]
fn the_answer_names_who_decided() {
    let said = text(&["check", "suites/c/spinlock.c", "--model", "tso"]);
    assert!(said.contains("Decided by the engine operational: "), "{said}");
    let said = text(&["check", "suites/c/spinlock.c", "--model", "tso", "--engine", "mcr"]);
    assert!(said.contains("Explored: ") && !said.contains("Decided by"), "{said}");
}

#[test]
fn no_engine_changes_the_question() {
    let said = text(&["check", "suites/java/jpr/Hash.class"]);
    // The exact model leaves the loop open; what holds from above holds.
    assert!(said.contains("under jmm?\nHolds: ") && said.contains("on jmm_over: "), "{said}");
    let said = text(&["check", "suites/c/spinlock.c", "--engine", "operational"]);
    assert!(said.contains("does not have the model rc11") && said.contains("--engine axiomatic"), "{said}");
}
