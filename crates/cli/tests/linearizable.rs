//! Linearisability of bounded tests: stronger than what the tests ask otherwise, the same with both engines that run programs, and as
//! small programs have it by definition.

use std::process::{Command, Output};

fn palisade(arguments: &[&str]) -> Output {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    Command::new(env!("CARGO_BIN_EXE_palisade")).args(arguments).current_dir(root).output().expect("the binary runs")
}

const CACHE: &str = "suites/c/features/stale_cache.c";
const VARIABLE: &str = "suites/c/features/stale_cache_ref.c";

/// The exit code about a test of the variable with copies.
fn asked(test: &str, more: &[&str]) -> Option<i32> {
    let output = palisade(&[&["check", CACHE, "--test", test, "--reference", VARIABLE][..], more].concat());
    output.status.code()
}

#[test]
fn who_looks_after_an_operation_has_returned_must_see_it() {
    for model in ["sc", "tso"] {
        for engine in ["operational", "mcr", "auto"] {
            let on = ["--model", model, "--engine", engine];
            let linearizable = [&on[..], &["--linearizable"]].concat();
            let strict = [&linearizable[..], &["-D", "STRICT"]].concat();
            for test in ["(w|r)", "(w|rr)", "(w|r|r)"] {
                assert_eq!(asked(test, &on), Some(0), "{test} {on:?}");
                assert_eq!(asked(test, &linearizable), Some(1), "{test} {on:?}");
                assert_eq!(asked(test, &strict), Some(0), "{test} {on:?}");
            }
            // Here nothing orders the operations but their threads: those of one thread keep their order in any case.
            assert_eq!(asked("(r|r)", &linearizable), Some(0), "{on:?}");
        }
    }
}

#[test]
fn data_types_with_locks_and_without_are_linearizable_on_tso() {
    for (file, test) in [("suites/c/ms2.c", "(e|d)"), ("suites/c/msn.c", "(e|d)"), ("suites/c/lazylist.c", "(a|c)")] {
        for model in ["sc", "tso"] {
            let output = palisade(&["check", file, "--test", test, "--model", model, "--linearizable"]);
            assert_eq!(output.status.code(), Some(0), "{file} {model}: {}", String::from_utf8_lossy(&output.stdout));
        }
    }
}

#[test]
fn what_no_serial_execution_shows_at_all_is_said_as_before() {
    let arguments =
        ["check", "suites/c/snark_published.c", "--test", "(al rl|al rr)", "--model", "sc", "--linearizable"];
    let output = palisade(&arguments);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("some execution shows what no serial one shows"), "{said}");
}

#[test]
fn an_execution_that_is_not_linearizable_is_shown_again() {
    let schedule = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("linearizable.schedule");
    let schedule = schedule.display().to_string();
    let on = ["--model", "tso", "--engine", "mcr", "--linearizable", "--schedule", &schedule];
    assert_eq!(asked("(w|r)", &on), Some(1));
    let output = palisade(&["replay", CACHE, &schedule, "--test", "(w|r)", "--reference", VARIABLE, "--linearizable"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.ends_with("but none that keeps the order of operations which do not overlap.\n"), "{said}");
}

#[test]
fn it_is_refused_where_it_is_not_said_when_operations_return() {
    for more in [["--model", "pso"], ["--model", "relaxed"], ["--model", "rc11"]] {
        assert_eq!(asked("(w|r)", &[&more[..], &["--linearizable"]].concat()), Some(2), "{more:?}");
    }
}

#[test]
fn the_smallest_client_that_is_not_linearizable_is_found() {
    let output = palisade(&["clients", CACHE, "--reference", VARIABLE, "--model", "sc", "--linearizable"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("The smallest client that fails: (w|r)\n"), "{said}");
}
