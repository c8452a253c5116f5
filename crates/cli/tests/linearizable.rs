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
    let by_solver = ["--model", "rc11", "--engine", "axiomatic"];
    for more in [&["--model", "pso"][..], &["--model", "relaxed"], &by_solver] {
        assert_eq!(asked("(w|r)", &[more, &["--linearizable"]].concat()), Some(2), "{more:?}");
    }
}

/// The exit code about a test of the counter that says where its operations take effect.
fn counted(test: &str, more: &[&str]) -> Option<i32> {
    let file = "suites/c/features/commit_points.c";
    palisade(&[&["check", file, "--test", test, "--model", "sc"][..], more].concat()).status.code()
}

#[test]
fn operations_come_in_the_order_in_which_they_say_that_they_take_effect() {
    for engine in ["operational", "mcr", "auto"] {
        let plain = ["--engine", engine];
        let asked = ["--engine", engine, "--linearizable"];
        for test in ["(a|a)", "(aa|a)", "(a|g)", "(a|gg)", "(a|a|g)"] {
            assert_eq!(counted(test, &asked), Some(0), "{test} with {engine}");
        }
        // Said too early, it is another order than that of the results; which no other criterion minds.
        let early = [&asked[..], &["-D", "EARLY"]].concat();
        let plain_early = [&plain[..], &["-D", "EARLY"]].concat();
        for test in ["(a|a)", "(a|g)"] {
            assert_eq!(counted(test, &early), Some(1), "{test} with {engine}");
            assert_eq!(counted(test, &plain_early), Some(0), "{test} with {engine}");
        }
        // One thread alone, and operations that change nothing, have no other order to show.
        assert_eq!(counted("(aag)", &early), Some(0), "with {engine}");
        assert_eq!(counted("(g|g)", &early), Some(0), "with {engine}");
        // What is said last counts.
        let twice = [&asked[..], &["-D", "TWICE"]].concat();
        assert_eq!(counted("(a|g)", &twice), Some(0), "with {engine}");
        // An operation that does not say it is ordered by its thread alone.
        let silent = [&asked[..], &["-D", "SILENT"]].concat();
        assert_eq!(counted("(a|gg)", &silent), Some(0), "with {engine}");
    }
}

#[test]
fn who_says_too_early_that_he_took_effect_is_shown_and_shown_again() {
    let schedule = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("commit.schedule");
    let schedule = schedule.display().to_string();
    let of = ["suites/c/features/commit_points.c", "-D", "EARLY", "--test", "(a|a)", "--linearizable"];
    let found =
        palisade(&[&["check"][..], &of, &["--model", "sc", "--engine", "mcr", "--schedule", &schedule]].concat());
    let said = String::from_utf8_lossy(&found.stdout);
    assert!(
        said.contains("no serial execution shows this in which operations come in the order in which they took effect")
    );
    let again = palisade(&[&["replay", of[0], &schedule][..], &of[1..]].concat());
    let said = String::from_utf8_lossy(&again.stdout);
    assert_eq!(again.status.code(), Some(1), "{said}");
    assert!(said.ends_with("but none in which operations come in the order in which they took effect.\n"), "{said}");
    let on_tso = palisade(&[&["check"][..], &of, &["--model", "tso"]].concat());
    assert_eq!(on_tso.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&on_tso.stderr).contains("lsl_commit"));
}

/// The exit code about a test of a file of features, under a model without time.
fn without_time(file: &str, test: &str, more: &[&str]) -> Option<i32> {
    let file = format!("suites/c/features/{file}");
    palisade(&[&["check", &file, "--test", test, "--linearizable"][..], more].concat()).status.code()
}

#[test]
fn where_there_is_no_time_operations_keep_the_order_of_happens_before() {
    let reference = ["--reference", "suites/c/features/published_ref.c"];
    for model in ["rc11", "rc20"] {
        let on = [&reference[..], &["--model", model]].concat();
        // What `w` did is known where its return happens before the call of `l`: by way of `t` after it and `n` before.
        for test in ["(wt|nl)", "(wt|nln)", "(wt|lnl)"] {
            assert_eq!(without_time("published.c", test, &on), Some(1), "{test} {model}");
            for other in ["RELAXED", "STRICT"] {
                let on = [&on[..], &["-D", other]].concat();
                assert_eq!(without_time("published.c", test, &on), Some(0), "{test} {on:?}");
            }
        }
        for test in ["(w|l)", "(wt|l)", "(tw|nl)", "(w|t|nl)", "(wt|n|l)"] {
            assert_eq!(without_time("published.c", test, &on), Some(0), "{test} {model}");
        }
    }
}

#[test]
fn where_there_is_no_time_the_accesses_order_operations_with_which_they_take_effect() {
    for model in ["rc11", "rc20"] {
        for test in ["(a|a)", "(aa|a)", "(a|g)", "(a|gg)", "(aag)"] {
            assert_eq!(without_time("ordering_points.c", test, &["--model", model]), Some(0), "{test} {model}");
            // Where nothing synchronises there is no order to keep.
            let unordered = ["--model", model, "-D", "UNORDERED"];
            assert_eq!(without_time("ordering_points.c", test, &unordered), Some(0), "{test} {model}");
        }
        let elsewhere = ["--model", model, "-D", "ELSEWHERE"];
        for (test, expected) in [("(a|a)", 1), ("(aa|a)", 1), ("(aag)", 0)] {
            assert_eq!(without_time("ordering_points.c", test, &elsewhere), Some(expected), "{test} {model}");
        }
    }
}

#[test]
fn the_smallest_client_that_is_not_linearizable_is_found() {
    let output = palisade(&["clients", CACHE, "--reference", VARIABLE, "--model", "sc", "--linearizable"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("The smallest client that fails: (w|r)\n"), "{said}");
}
