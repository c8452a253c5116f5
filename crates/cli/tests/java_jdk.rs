//! Programs that use the library of an installed JDK, in `suites/java/ordinary`: each says in its head what is expected.

use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/java/ordinary")
}

/// Whether there is a JDK, as far as `java` on the path says.
fn has_jdk() -> bool {
    Command::new("java").arg("-version").output().is_ok_and(|output| output.status.success())
}

/// Class, model and expected answer of each program.
fn rows() -> Vec<(String, String, String)> {
    let mut rows = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("a folder").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "java") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source");
        let class = path.file_stem().expect("a name").to_string_lossy().into_owned();
        for line in text.lines().filter_map(|line| line.strip_prefix("// expect ")) {
            let mut words = line.split(' ').map(str::to_string);
            rows.push((class.clone(), words.next().expect("a model"), words.next().expect("an answer")));
        }
    }
    rows.sort();
    rows
}

#[test]
fn programs_on_the_jdks_own_classes_are_answered_as_expected() {
    if !has_jdk() {
        println!("skipped: no JDK");
        return;
    }
    let rows = rows();
    assert!(rows.len() >= 26, "{rows:?}");
    for (class, model, expected) in rows {
        let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
        let file = format!("{class}.class");
        // What must be refused is refused under every model.
        let model = if model == "error" { "sc" } else { &model };
        let output = command.current_dir(folder()).args(["check", &file, "--model", model]).output().expect("runs");
        let wanted = match &*expected {
            "pass" => 0,
            "fail" => 1,
            "unknown" => 3,
            _ => 2,
        };
        let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned();
        assert_eq!(output.status.code(), Some(wanted), "{class} under {model}: {said}");
    }
}

#[test]
fn what_only_the_machine_from_above_finds_is_possible_and_not_confirmed() {
    if !has_jdk() {
        println!("skipped: no JDK");
        return;
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    let output = command.current_dir(folder()).args(["check", "SeenEarly.class"]).output().expect("runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("under jmm?\nUnknown: possible, not confirmed: "), "{said}");
}

/// Without a JDK the answer says what would help.
#[test]
fn without_a_jdk_the_refusal_says_so() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    let command = command.current_dir(folder()).args(["check", "MapMerge.class", "--model", "sc"]);
    let output = command.env("JAVA_HOME", "").env("PATH", "").output().expect("runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("JAVA_HOME"), "{said}");
}
