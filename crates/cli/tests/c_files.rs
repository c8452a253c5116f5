//! Programs of several C files.

use std::path::Path;
use std::process::Command;

/// What `palisade check` says, with the exit code.
fn check(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_palisade"))
        .arg("check")
        .args(arguments)
        .args(["--timeout", "60"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c_files"))
        .output()
        .expect("palisade runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

#[test]
fn files_are_linked_and_what_is_static_is_a_files_own() {
    for options in [&["--model", "rc11"][..], &["--model", "tso", "--engine", "operational"], &["--model", "sc"]] {
        let (code, text) = check(&[&["main.c", "-D", "LIMIT=4", "--with", "queue.c"], options].concat());
        assert_eq!(code, Some(0), "{text}");
    }
}

#[test]
fn a_compilation_database_says_how_each_file_is_compiled() {
    let (code, text) = check(&["compile_commands.json", "--model", "rc11"]);
    assert_eq!(code, Some(0), "{text}");
    // The macro is defined for one of the files only.
    let (code, text) = check(&["main.c", "--with", "queue.c"]);
    assert!(code == Some(2) && text.contains("`LIMIT` is not declared"), "{text}");
}

#[test]
fn without_the_other_file_its_functions_are_missing() {
    let (code, text) = check(&["main.c", "-D", "LIMIT=4"]);
    assert!(code == Some(2) && text.contains("the function `queue_push` has no body"), "{text}");
    assert!(text.contains("--with FILE"), "{text}");
}

#[test]
fn a_static_variable_of_a_header_that_two_files_include_is_refused() {
    let (code, text) = check(&["shared.c", "--with", "sharing.c"]);
    assert!(code == Some(2) && text.contains("a static variable in what several files include"), "{text}");
}

#[test]
fn what_goes_wrong_is_placed_in_its_file() {
    let (code, text) = check(&["main.c", "-D", "LIMIT=4", "-D", "FAILS", "--with", "queue.c", "--model", "rc11"]);
    assert!(code == Some(1) && text.contains("queue.c:"), "{text}");
}
