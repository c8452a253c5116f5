//! Java's memory model in the small programs of `suites/java/memory`: races that are benign, and torn variables. What is expected
//! of each program under each model stands in its head.

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
