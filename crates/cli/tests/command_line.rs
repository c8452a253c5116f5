//! Runs the binary: exit codes, and what it says about inputs that are wrong.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SB: &str = "X86 SB
(* expect tso allowed *)
(* expect sc forbidden *)
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
";

/// A folder of its own for each test, with the files given.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("the file can be written");
    }
    folder
}

fn palisade(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    command.output().expect("the binary runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The command is refused with exit code 2 and says `part`.
fn refused(folder: &Path, arguments: &[&str], part: &str) {
    let output = palisade(folder, arguments);
    let message = stderr(&output);
    assert_eq!(code(&output), 2, "{arguments:?}: {message}");
    assert!(message.contains(part), "{arguments:?}: `{part}` is missing in\n{message}");
    assert!(!message.contains("panicked"), "{arguments:?}: {message}");
}

#[test]
fn the_exit_code_says_whether_the_claim_is_validated() {
    let folder = folder("exit_codes", &[("SB.litmus", SB)]);
    let allowed = palisade(&folder, &["check", "SB.litmus"]);
    assert_eq!(code(&allowed), 0, "{}", stderr(&allowed));
    let text = stdout(&allowed);
    let question = "Can some execution of SB end with 0:EAX = 0 and 1:EAX = 0, under tso?\nAllowed:";
    assert!(text.starts_with(question), "{text}");
    let forbidden = palisade(&folder, &["check", "SB.litmus", "--model", "sc"]);
    assert_eq!(code(&forbidden), 1);
    assert!(stdout(&forbidden).contains("Forbidden:"), "{}", stdout(&forbidden));
    let another = ["check", "SB.litmus", "--model", "sc", "--exists", "0:EAX==1 && 1:EAX==1"];
    assert_eq!(code(&palisade(&folder, &another)), 0);
    assert_eq!(code(&palisade(&folder, &["check", "SB.litmus", "SB.litmus", "missing.litmus"])), 2);
}

#[test]
fn standard_input_is_read() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_palisade"))
        .args(["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("a pipe").write_all(SB.as_bytes()).expect("the pipe is open");
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(code(&output), 0);
}

#[test]
fn scripts_get_the_documented_objects() {
    let folder = folder("json", &[("SB.litmus", SB)]);
    let answer = palisade(&folder, &["check", "SB.litmus", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&stdout(&answer)).expect("JSON");
    assert_eq!(answer["schema"], 1);
    assert_eq!(answer["verdict"], "allowed");
    assert_eq!(answer["witness"]["state"]["0:EAX"], 0);
    let core = palisade(&folder, &["check", "SB.litmus", "--format", "json", "--model", "sc"]);
    let core: serde_json::Value = serde_json::from_str(&stdout(&core)).expect("JSON");
    let kinds: Vec<&str> =
        core["core"].as_array().expect("a core").iter().filter_map(|member| member["kind"].as_str()).collect();
    assert!(kinds.contains(&"axiom") && kinds.contains(&"program"), "{kinds:?}");
    let outcomes = palisade(&folder, &["outcomes", "SB.litmus", "--format", "json"]);
    assert_eq!(code(&outcomes), 0);
    let outcomes: serde_json::Value = serde_json::from_str(&stdout(&outcomes)).expect("JSON");
    assert_eq!(outcomes["outcomes"].as_array().map(Vec::len), Some(4));
}

#[test]
fn every_format_can_be_written_to_a_file() {
    let folder = folder("formats", &[("SB.litmus", SB)]);
    for (format, part) in [
        ("text", "Allowed:"),
        ("html", "<html"),
        ("dot", "digraph"),
        ("svg", "<svg"),
        ("herd", "Observation SB Sometimes 1 3"),
    ] {
        let output = palisade(&folder, &["check", "SB.litmus", "--format", format, "--output", "answer"]);
        assert_eq!(code(&output), 0, "{format}: {}", stderr(&output));
        let written = std::fs::read_to_string(folder.join("answer")).expect("the file was written");
        assert!(written.contains(part), "{format}: {written}");
    }
}

#[test]
fn a_suite_compares_with_what_is_expected() {
    let table = "# file\tmodel\tanswer\nSB.litmus\ttso\tOk\nSB.litmus\tsc\tNo\nSB.litmus\tarm\tOk\n";
    let wrong = "SB.litmus\tsc\tOk\nmissing.litmus\ttso\tOk\n";
    let files = [("SB.litmus", SB), ("expected.tsv", table), ("wrong.tsv", wrong)];
    let folder = folder("suite", &files);
    let comments = palisade(&folder, &["suite", "."]);
    assert_eq!(code(&comments), 0, "{}{}", stdout(&comments), stderr(&comments));
    let right = palisade(&folder, &["suite", ".", "--expect", "expected.tsv", "--format", "json"]);
    assert_eq!(code(&right), 0, "{}{}", stdout(&right), stderr(&right));
    let right: serde_json::Value = serde_json::from_str(&stdout(&right)).expect("JSON");
    let grades: Vec<&str> =
        right["rows"].as_array().expect("rows").iter().filter_map(|row| row["grade"].as_str()).collect();
    assert_eq!(grades, ["right", "right", "unsupported"]);
    let wrong = palisade(&folder, &["suite", "--expect", "wrong.tsv"]);
    assert_eq!(code(&wrong), 1, "{}", stdout(&wrong));
    assert!(stdout(&wrong).contains("wrong  SB.litmus"), "{}", stdout(&wrong));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = folder("unreadable", &[]);
    refused(&folder, &["check", "missing.litmus"], "missing.litmus: cannot be read");
    refused(&folder, &["check", "."], ".: is a folder");
    refused(&folder, &["suite", "missing"], "missing");
    refused(&folder, &["suite", "."], "no test");
}

#[test]
fn wrong_usage_is_refused() {
    let folder = folder("usage", &[("SB.litmus", SB)]);
    refused(&folder, &[], "Usage");
    refused(&folder, &["check"], "FILE");
    refused(&folder, &["check", "SB.litmus", "--format", "picture"], "picture");
    refused(&folder, &["check", "SB.litmus", "--timeout=-1"], "--timeout");
    refused(&folder, &["check", "SB.litmus", "SB.litmus", "--format", "svg"], "one file");
    refused(&folder, &["check", "SB.litmus", "--model", "tsoo"], "there is no model `tsoo`");
    refused(&folder, &["models", "tsoo"], "there is no model `tsoo`");
    refused(&folder, &["check", "SB.litmus", "--exists", "0:EAX=="], "SB.litmus:8:");
}

#[test]
fn wrong_tests_are_refused_with_the_place() {
    let truncated = &SB[..SB.len() - 12];
    let unknown = SB.replace("MOV EAX,[x]", "FROB EAX   ");
    let noise: String = (0..100_000u32).map(|i| char::from((i.wrapping_mul(2_654_435_761) >> 24) as u8)).collect();
    let files = [("cut.litmus", truncated), ("frob.litmus", &unknown), ("empty.litmus", ""), ("noise.litmus", &noise)];
    let folder = folder("wrong_tests", &files);
    refused(&folder, &["check", "cut.litmus"], "cut.litmus:8:");
    refused(&folder, &["check", "frob.litmus"], "frob.litmus:7:16");
    refused(&folder, &["check", "empty.litmus"], "empty.litmus:1:1");
    refused(&folder, &["check", "noise.litmus"], "noise.litmus:");
}

#[test]
fn wrong_models_are_refused_with_the_place() {
    let files = [
        ("SB.litmus", SB),
        ("a.cat", "a\ninclude \"b.cat\"\nacyclic po as order\n"),
        ("b.cat", "b\ninclude \"a.cat\"\n"),
        ("undefined.cat", "undefined\nacyclic po | hb as order\n"),
        ("arity.cat", "arity\nacyclic W as order\n"),
        ("syntax.cat", "syntax\nlet r = po |\n"),
    ];
    let folder = folder("wrong_models", &files);
    let check = |model| ["check", "SB.litmus", "--model", model];
    refused(&folder, &check("a.cat"), ".cat:2:");
    refused(&folder, &check("undefined.cat"), "undefined.cat:2:14");
    refused(&folder, &check("arity.cat"), "arity.cat:2:");
    refused(&folder, &check("syntax.cat"), "syntax.cat:");
    refused(&folder, &check("./missing.cat"), "missing.cat: cannot be read");
}

#[test]
fn a_model_file_may_include_what_stands_beside_it() {
    let files = [
        ("SB.litmus", SB),
        ("mine.cat", "mine\ninclude \"base.cat\"\nacyclic base as order\n"),
        ("base.cat", "let base = po | rf | co | fr\n"),
    ];
    let folder = folder("own_model", &files);
    let output = palisade(&folder, &["check", "SB.litmus", "--model", "mine.cat"]);
    assert_eq!(code(&output), 1, "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("order (mine.cat:3:1)"), "{}", stdout(&output));
}

#[test]
fn models_are_listed_and_printed() {
    let folder = folder("models", &[]);
    let list = palisade(&folder, &["models"]);
    assert_eq!(code(&list), 0);
    assert!(stdout(&list).contains("tso") && stdout(&list).contains("from-read"));
    let one = palisade(&folder, &["models", "sc.mm"]);
    assert!(stdout(&one).contains("model sc"));
}
