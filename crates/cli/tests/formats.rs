//! Formats for other tools: logs as herd7 prints them, lists of tests, and graphs for Graphviz.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn palisade(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.args(words).current_dir(folder).stdin(Stdio::null()).output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder of its own, which is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("palisade-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("inner")).expect("the folder is made");
        Folder(path)
    }

    fn with(self, name: &str, text: &str) -> Folder {
        std::fs::write(self.0.join(name), text).expect("the file is written");
        self
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn buffering(name: &str) -> String {
    format!(
        "X86 {name}\n{{}}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
         exists (0:EAX=0 /\\ 1:EAX=0)\n"
    )
}

#[test]
fn a_log_of_many_models_says_which_is_which() {
    let test = buffering("two").replace("X86 two\n", "X86 two\n(* expect sc forbidden\n   expect tso allowed *)\n");
    let folder = Folder::new("log").with("two.litmus", &test).with("bad.litmus", "X86 bad\n{\n");
    let output = palisade(&folder.0, &["suite", "two.litmus", "bad.litmus", "--format", "herd"]);
    let said = text(&output.stdout);
    let blocks: Vec<&str> = said.trim().split("\n\n").collect();
    assert_eq!(blocks.len(), 2, "{said}");
    assert!(blocks[0].starts_with("Test two Allowed\nStates 3\n") && blocks[0].ends_with("\nModel sc"), "{said}");
    assert!(blocks[1].starts_with("Test two Allowed\nStates 4\n") && blocks[1].ends_with("\nModel tso"), "{said}");
    // What has no answer is not passed over in silence.
    assert!(text(&output.stderr).contains("bad.litmus under -: wrong: "), "{}", text(&output.stderr));
}

#[test]
fn lists_of_tests_are_read() {
    let folder = Folder::new("lists").with("a.litmus", &buffering("a")).with("inner/b.litmus", &buffering("b"));
    let folder = folder.with("@all", "# all tests\na.litmus\n\ninner/@all  # and more\n");
    let folder = folder.with("inner/@all", "b.litmus\n").with("plain", "inner\n").with("@round", "@round\n");
    let count = |words: &[&str]| {
        let output = palisade(&folder.0, &[words, &["--format", "json"]].concat());
        let suite: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        suite["rows"].as_array().map(Vec::len)
    };
    assert_eq!(count(&["suite", "@all"]), Some(2));
    assert_eq!(count(&["suite", "inner/@all", "a.litmus"]), Some(2));
    assert_eq!(count(&["suite", "@plain"]), Some(1));
    assert_eq!(count(&["compare", "sc", "tso", "@all"]), Some(2));
    let output = palisade(&folder.0, &["check", "@all", "--format", "json"]);
    assert_eq!(text(&output.stdout).lines().count(), 2);
    let output = palisade(&folder.0, &["suite", "@round"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("lists of files are nested too deeply"), "{}", text(&output.stderr));
    assert_eq!(palisade(&folder.0, &["suite", "@nowhere"]).status.code(), Some(2));
}

/// The graphs that Graphviz could not place, and some others. Without Graphviz only that there are graphs is checked.
#[test]
fn graphviz_accepts_the_graphs() {
    let files = [
        "suites/java/jpr/Dcl.class",
        "suites/java/opmm/DclVol.class",
        "suites/c/mutex_counter.c",
        "suites/c/ticket_lock.c",
        "suites/c/mcr/stack_unsafe.c",
        "suites/tour/SB.litmus",
    ];
    let folder = Folder::new("graphs");
    for file in files {
        if !root().join(file).exists() {
            continue;
        }
        let output = palisade(&root(), &["check", file, "--format", "dot"]);
        let graph = folder.0.join("graph.dot");
        std::fs::write(&graph, &output.stdout).expect("the graph is written");
        assert!(text(&output.stdout).starts_with("digraph "), "{file}: {}", text(&output.stderr));
        match Command::new("dot").args(["-Tsvg", "-o"]).arg(folder.0.join("graph.svg")).arg(&graph).output() {
            Ok(dot) => {
                assert!(dot.status.success(), "{file}: {}", text(&dot.stderr).lines().next().unwrap_or_default())
            }
            Err(_) => println!("skipped: no Graphviz"),
        }
    }
}
