//! Bounded tests of data types: the engines that run programs agree with the one that solves, and with each other.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn suites() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/c")
}

fn palisade(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(suites()).args(arguments).stdin(Stdio::null());
    command.output().expect("the binary runs")
}

/// The verdict of an engine, and what is wrong if something is.
fn verdict(file: &str, test: &str, engine: &str, model: &str, more: &[&str]) -> (String, String) {
    let mut arguments = vec!["check", file, "--test", test, "--engine", engine, "--model", model, "--format", "json"];
    arguments.extend_from_slice(more);
    let output = palisade(&arguments);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{file} {test} {engine} {model}: {}", String::from_utf8_lossy(&output.stderr)));
    let part = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
    (part(&json["verdict"]), part(&json["failure"]["kind"]))
}

/// Asserts that all engines say the same of a test on all machines; gives the verdicts.
fn same(file: &str, test: &str, more: &[&str]) -> [String; 3] {
    ["sc", "tso", "pso"].map(|model| {
        let solved = verdict(file, test, "axiomatic", model, more);
        for engine in ["operational", "mcr"] {
            let ran = verdict(file, test, engine, model, more);
            assert_eq!(ran, solved, "{file} {test} with {engine} under {model}");
        }
        solved.0
    })
}

const HOLD: [&str; 3] = ["holds", "holds", "holds"];

#[test]
fn data_types_pass_their_tests_with_every_engine() {
    let tests = [
        ("msn.c", "(e|d)"),
        ("msn.c", "(ee|dd)"),
        ("harris.c", "(a|c)"),
        ("harris.c", "(a|r)"),
        ("lazylist.c", "(a|c|r)"),
        ("treiber.c", "p(po|op)"),
        ("snark.c", "al al(rr rr|rl rl)"),
    ];
    for (file, test) in tests {
        assert_eq!(same(file, test, &[]), HOLD, "{file} {test}");
    }
    // It orders its stores by C11's orders, which are nothing to pso.
    assert_eq!(same("chase_lev.c", "p(t|s)", &[])[..2], HOLD[..2]);
}

#[test]
fn wrong_data_types_fail_with_every_engine() {
    assert_eq!(same("snark_published.c", "(al rr|ar rl)", &[]), ["violated", "violated", "violated"]);
    assert_eq!(same("lazylist.c", "(a|c)", &["-D", "PUBLISHED"]), ["violated", "violated", "violated"]);
}

#[test]
fn memory_that_comes_back_breaks_data_types_with_every_engine() {
    let reuse = ["-D", "REUSE"];
    assert_eq!(same("treiber.c", "p(po|op)", &reuse), HOLD);
    assert_eq!(same("treiber.c", "pp(oo|op)", &reuse), HOLD);
    assert_eq!(same("treiber.c", "pp(oo|oop)", &reuse), ["violated", "violated", "violated"]);
    assert_eq!(same("msn.c", "e(d|ded)", &reuse), ["violated", "violated", "violated"]);
}

/// A copy of a data type, beside the files that it includes, without the fences of a kind.
fn without_fences(file: &str, kind: &str) -> PathBuf {
    let text = std::fs::read_to_string(suites().join(file)).expect("the file");
    let fence = format!("lsl_fence(\"{kind}\")");
    assert!(text.contains(&fence), "{file} has such a fence");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bounded");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(file);
    std::fs::write(&path, text.replace(&fence, "(void)0")).expect("the file can be written");
    path
}

#[test]
fn without_its_store_fence_a_list_fails_on_pso_alone() {
    let file = without_fences("lazylist.c", "store-store");
    let file = file.to_str().expect("a name");
    assert_eq!(same(file, "(a|c)", &["-I", "."]), ["holds", "holds", "violated"]);
    // Compare and swap waits for the stores before it.
    let file = without_fences("msn.c", "store-store");
    let file = file.to_str().expect("a name");
    assert_eq!(same(file, "(e|d)", &["-I", "."]), HOLD);
}

#[test]
fn what_a_test_shows_is_shown_again() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bounded_schedules");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let (file, test) = ("snark_published.c", "(al rr|ar rl)");
    for (engine, model) in [("operational", "sc"), ("operational", "tso"), ("mcr", "sc"), ("mcr", "pso")] {
        let schedule = folder.join(format!("{engine}.{model}"));
        let schedule = schedule.to_str().expect("a name");
        let found =
            palisade(&["check", file, "--test", test, "--engine", engine, "--model", model, "--schedule", schedule]);
        let said = String::from_utf8_lossy(&found.stdout);
        assert_eq!(found.status.code(), Some(1), "{said}");
        assert!(said.contains("What the operations showed"), "{said}");
        let again = palisade(&["replay", file, schedule, "--test", test]);
        let said = String::from_utf8_lossy(&again.stdout);
        assert_eq!(again.status.code(), Some(1), "{said}");
        assert!(said.contains("No serial execution shows this.") && !said.contains("shown["), "{said}");
    }
}
