//! Java's memory model in small programs, each with what to expect of every model that can run it: monitors with several
//! exits, final fields, torn `long` and `double` variables.
//!
//! `// expect <model> <pass|fail|unknown> [--tearing]` in the head of a program of `suites/java/memory` is one row.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn palisade(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(root().join("suites/java/memory")).args(arguments).output().expect("the binary runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

fn sources() -> Vec<(String, String)> {
    let entries = std::fs::read_dir(root().join("suites/java/memory")).expect("the programs");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut sources: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "java")).collect();
    sources.sort();
    let name = |path: &PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    sources.iter().map(|path| (name(path), std::fs::read_to_string(path).expect("a source"))).collect()
}

/// The engines that run a program under a model.
fn engines(model: &str) -> &'static [&'static str] {
    match model {
        "jmm_under" | "jmm_over" => &["operational"],
        "sc" | "tso" | "pso" => &["operational", "mcr"],
        _ => &["axiomatic"],
    }
}

fn check_rows(wanted: fn(&str) -> bool) -> u32 {
    let mut rows = 0;
    for (name, source) in sources().into_iter().filter(|(name, _)| wanted(name)) {
        for line in source.lines() {
            let ["//", "expect", model, expected, options @ ..] = &line.split_whitespace().collect::<Vec<_>>()[..]
            else {
                continue;
            };
            for engine in engines(model) {
                let class = format!("{name}.class");
                let fixed = ["check", &class, "--engine", engine, "--model", model, "--no-explain"];
                let arguments = [&fixed[..], options].concat();
                let output = palisade(&arguments);
                let said = text(&output);
                // From below no program holds, from above none is violated.
                let is_right = match (*model, *expected) {
                    ("jmm_under", "pass") => said.contains("Unknown: not found"),
                    ("jmm_over", "fail") => said.contains("Unknown: found"),
                    (_, "pass") => output.status.code() == Some(0),
                    (_, "unknown") => output.status.code() == Some(3) && said.contains("Unknown: threads may wait"),
                    _ => output.status.code() == Some(1),
                };
                assert!(is_right, "{arguments:?}, expected {expected}: {said}");
                rows += 1;
            }
        }
    }
    rows
}

fn is_about_final_fields(name: &str) -> bool {
    ["Final", "Plain", "Lazy", "Started"].iter().any(|start| name.starts_with(start))
}

fn is_about_tearing(name: &str) -> bool {
    name.contains("Torn")
}

#[test]
fn sections_are_exclusive_whichever_exit_is_taken() {
    let rows = check_rows(|name| !is_about_final_fields(name) && !is_about_tearing(name));
    assert!(rows >= 10, "only {rows} rows");
}

#[test]
fn final_fields_have_one_meaning_on_all_engines() {
    let rows = check_rows(is_about_final_fields);
    assert!(rows >= 50, "only {rows} rows");
}

#[test]
fn plain_long_and_double_variables_tear_if_that_is_looked_for() {
    let rows = check_rows(is_about_tearing);
    assert!(rows >= 15, "only {rows} rows");
}

#[test]
fn the_race_on_a_lazily_computed_hash_code_is_benign() {
    for (name, code, word) in
        [("LazyHash", 0, "Benign"), ("StartedHash", 0, "Benign"), ("LazyHashAgain", 1, "Not shown to be benign")]
    {
        let output = palisade(&["races", &format!("{name}.class")]);
        let said = text(&output);
        assert!(output.status.code() == Some(code) && said.contains(word), "{name}: {said}");
    }
}

#[test]
fn answers_say_whether_tearing_is_looked_for() {
    for (options, line, field) in [
        (&[][..], "Tearing is not looked for", "\"tearing\":false"),
        (&["--tearing"][..], "Tearing is looked for", "\"tearing\":true"),
    ] {
        for engine in ["axiomatic", "operational", "mcr"] {
            let asked = [&["check", "Torn.class", "--engine", engine, "--model", "sc"][..], options].concat();
            let said = text(&palisade(&asked));
            assert!(said.contains(line), "{asked:?}: {said}");
            let asked = [&asked[..], &["--format", "json"]].concat();
            let said = text(&palisade(&asked)).replace(' ', "");
            assert!(said.contains(field), "{asked:?}: {said}");
        }
        let said = text(&palisade(&[&["races", "Torn.class"][..], options].concat()));
        assert!(said.contains(line), "{said}");
    }
    let silent = text(&palisade(&["check", "FinalPublished.class", "--model", "jmm-revised"]));
    assert!(!silent.contains("earing"), "{silent}");
    for file in ["../../tour/SB.litmus", "../../c/dekker.c"] {
        let output = palisade(&["check", file, "--tearing"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output).contains("--tearing is for Java programs"), "{}", text(&output));
    }
}

/// Class files are those that `javac` makes of the sources.
#[test]
fn class_files_belong_to_their_sources() {
    let folder = std::env::temp_dir().join(format!("palisade-memory-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let script = root().join("suites/java/memory/compile.sh");
    let has_javac = Command::new("javac").arg("-version").output().is_ok();
    if !has_javac {
        println!("skipped: no JDK");
        return;
    }
    let output = Command::new("sh").arg(script).arg(&folder).output().expect("a shell");
    assert!(output.status.success(), "{}", text(&output));
    for entry in std::fs::read_dir(&folder).expect("the class files") {
        let path = entry.expect("an entry").path();
        let kept = root().join("suites/java/memory").join(path.file_name().expect("a name"));
        assert!(kept.is_file(), "{} is missing", kept.display());
    }
    std::fs::remove_dir_all(folder).expect("the folder is there");
}
