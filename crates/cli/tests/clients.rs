//! All bounded clients of a data type: the smallest that fails is found, the same with every engine.

use std::process::{Command, Output};

fn palisade(arguments: &[&str]) -> Output {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    Command::new(env!("CARGO_BIN_EXE_palisade")).args(arguments).current_dir(root).output().expect("the binary runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A counter that loses a step if two threads take it at once, and is right otherwise.
const COUNTER: &str = "int n;\nvoid init(void) { n = 0; }\nint step(void) { int seen = n; n = seen + 1; return seen; }\nint look(void) { return n; }\n";

fn file(name: &str, text: &str) -> std::path::PathBuf {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the file is written");
    path
}

#[test]
fn the_smallest_client_that_fails_is_found_by_every_engine() {
    let path = file("counter.c", COUNTER);
    let path = path.display().to_string();
    for engine in ["auto", "axiomatic", "operational", "mcr"] {
        let found = palisade(&["clients", &path, "--model", "sc", "--most", "3", "--engine", engine]);
        let said = said(&found);
        assert!(said.contains("The smallest client that fails: (step|step)\n"), "{engine}: {said}");
        assert_eq!(found.status.code(), Some(1), "{engine}");
    }
}

#[test]
fn clients_that_all_hold_are_counted() {
    let found = palisade(&["clients", "suites/c/ms2.c", "--operations", "e,d", "--most", "2", "--model", "relaxed"]);
    assert!(said(&found).ends_with("9 in all.\n9 hold.\nNo client fails.\n"), "{}", said(&found));
    assert_eq!(found.status.code(), Some(0));
}

#[test]
fn what_no_engine_decides_in_time_is_unknown() {
    let arguments = ["clients", "suites/c/msn.c", "--operations", "e,d", "--model", "relaxed", "--timeout", "1"];
    let found = palisade(&arguments);
    assert_eq!(found.status.code(), Some(3), "{}", said(&found));
    assert!(said(&found).contains("were not asked about: "), "{}", said(&found));
}

#[test]
fn the_answer_is_an_object() {
    let path = file("counter_json.c", COUNTER);
    let path = path.display().to_string();
    let found = palisade(&["clients", &path, "--model", "sc", "--operations", "step", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&said(&found)).expect("JSON");
    assert_eq!(document["smallest"], "(step|step)");
    assert_eq!(document["answer"]["verdict"], "violated");
    assert_eq!((document["held"].as_u64(), document["undecided"].as_array().map(Vec::len)), (Some(1), Some(0)));
}

#[test]
fn what_is_no_operation_is_refused() {
    let found = palisade(&["clients", "suites/c/ms2.c", "--operations", "e,push"]);
    assert_eq!(found.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&found.stderr).contains("there is no operation `push`"));
    let of_nothing = file("no_operations.c", "int main(void) { return 0; }\n");
    let found = palisade(&["clients", of_nothing.to_str().expect("a path")]);
    assert_eq!(found.status.code(), Some(2), "{}", said(&found));
    assert!(String::from_utf8_lossy(&found.stderr).contains("there is no client: the file has no operation"));
}
