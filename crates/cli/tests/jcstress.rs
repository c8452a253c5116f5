//! Tests of jcstress in `suites/java/jcstress`: the first lines of each say which outcomes each model has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/java/jcstress")
}

fn outcomes(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(folder()).arg("outcomes").args(arguments).output().expect("the binary runs")
}

fn has_jdk() -> bool {
    Command::new("java").arg("-version").output().is_ok_and(|output| output.status.success())
}

/// Class and text of each test.
fn tests() -> Vec<(String, String)> {
    let paths = std::fs::read_dir(folder()).expect("a folder").flatten().map(|entry| entry.path());
    let sources = paths.filter(|path| path.extension().is_some_and(|extension| extension == "java"));
    let read = |path: PathBuf| {
        let class = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (class, std::fs::read_to_string(&path).expect("a source"))
    };
    let mut found: Vec<(String, String)> = sources.map(read).collect();
    found.sort();
    found
}

/// The outcomes of a table whose column has this word.
fn listed(table: &str, column: usize, word: &str) -> BTreeSet<String> {
    let rows = table.lines().skip(3).take_while(|line| !line.is_empty());
    let row = |line: &str| {
        let (outcome, rest) = line.split_at(17);
        let found = rest.split_whitespace().nth(column) == Some(word);
        found.then(|| outcome.trim_end().to_string())
    };
    rows.filter_map(row).collect()
}

#[test]
fn tables_have_the_outcomes_of_each_model() {
    if !has_jdk() {
        println!("skipped: no JDK");
        return;
    }
    let tests = tests();
    assert!(tests.len() >= 12, "{}", tests.len());
    for (class, text) in tests {
        let output = outcomes(&[&format!("{class}.class")]);
        let table = String::from_utf8_lossy(&output.stdout).into_owned();
        for line in text.lines().filter_map(|line| line.strip_prefix("// outcomes ")) {
            let (model, expected) = line.split_once(": ").expect("a model");
            let expected: BTreeSet<String> = expected.split(" | ").map(str::to_string).collect();
            let found = match model {
                "sc" => listed(&table, 0, "yes"),
                "tso" => listed(&table, 1, "yes"),
                "java" => listed(&table, 2, "allowed"),
                _ => continue,
            };
            assert_eq!(found, expected, "{class} under {model}: {table}");
        }
        assert!(class == "Wrong" || !table.contains("DIFFERS"), "{class}: {table}");
    }
}

/// A test that forbids what Java allows is told so, and the exit code says it.
#[test]
fn an_opinion_that_java_does_not_share_is_shown() {
    let output = outcomes(&["SbVolatile.class"]);
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    let row = table.lines().find(|line| line.starts_with("0, 0")).unwrap_or_default();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(words[2..7], ["no", "no", "forbidden", "FORBIDDEN", "agrees"], "{table}");
    assert_eq!(output.status.code(), Some(0), "{table}");
    let output = outcomes(&["Wrong.class"]);
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && table.contains("DIFFERS"), "{table}");
}

/// Each outcome that is found has an execution: on x86 both reads of store buffering come before the writes.
#[test]
fn outcomes_have_executions() {
    let output = outcomes(&["SbPlain.class"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let (_, executions) = text.split_once("An execution for each outcome").expect("executions");
    let of =
        |head: &str| executions.split(head).nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or("").to_string();
    let steps = of("0, 0 (x86):\n");
    let place = |step: &str| steps.find(step).unwrap_or_else(|| panic!("`{step}` is missing in\n{text}"));
    assert!(place("read SbPlain1.y = 0") < place("write SbPlain1.x = 1"), "{text}");
    for outcome in ["0, 1 (sc):\n", "1, 0 (sc):\n", "1, 1 (sc):\n"] {
        assert_eq!(of(outcome).lines().count(), 4, "{outcome}: {text}");
    }
    let loads = outcomes(&["LbPlain.class"]);
    assert!(String::from_utf8_lossy(&loads.stdout).contains("1, 1 (Java, by axioms):"));
}

#[test]
fn tables_are_pages_and_suites_of_junit_too() {
    let page = outcomes(&["Wrong.class", "--format", "html"]);
    let page = String::from_utf8_lossy(&page.stdout).into_owned();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<td>DIFFERS</td>"), "{page}");
    let suite = outcomes(&["Wrong.class", "--format", "junit"]);
    let suite = String::from_utf8_lossy(&suite.stdout).into_owned();
    assert!(suite.contains("<testsuite ") && suite.contains("<failure message=\"Java: allowed"), "{suite}");
}

/// Of a result whose text its own class makes no outcome is known.
#[test]
fn a_result_of_the_tests_own_is_refused() {
    if !has_jdk() {
        println!("skipped: no JDK");
        return;
    }
    let output = outcomes(&["OwnResult.class"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("the result class `OwnResult$Pair` of the test's own"), "{said}");
}
