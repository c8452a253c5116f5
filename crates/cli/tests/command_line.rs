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

/// The Java programs of the repository: sources, with their class files beside them.
fn java() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/java")
}

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

#[test]
fn java_programs_are_asked_about_their_assertions() {
    let possible = palisade(&java(), &["check", "TC01.class", "--question", "possible"]);
    assert_eq!(code(&possible), 0, "{}", stderr(&possible));
    let question = "Is there an execution of TC01 in which all assertions hold, under jmm?\nAllowed:";
    assert!(stdout(&possible).starts_with(question), "{}", stdout(&possible));
    let always = palisade(&java(), &["check", "TC01.class"]);
    assert_eq!(code(&always), 1, "{}", stderr(&always));
    let question = "Do all assertions of TC01 hold in every execution, under jmm?\nViolated:";
    assert!(stdout(&always).starts_with(question), "{}", stdout(&always));
    let forbidden = palisade(&java(), &["check", "Nemos11.class", "-m", "sc", "--question", "possible"]);
    assert_eq!(code(&forbidden), 1, "{}", stderr(&forbidden));
    assert!(stdout(&forbidden).contains("\n    line 19: r1 == 0\n"), "{}", stdout(&forbidden));
    assert!(!stdout(&forbidden).contains("claim"), "{}", stdout(&forbidden));
    let bounded = palisade(&java(), &["check", "TC01.class", "--question", "possible", "--executions", "1"]);
    // Fewer executions than the program may need decide nothing.
    assert_eq!(code(&bounded), 3, "{}", stdout(&bounded));
}

#[test]
fn every_format_can_show_a_program_without_a_question() {
    for (format, part) in [
        ("text", "Allowed:"),
        ("json", "\"verdict\":\"allowed\""),
        ("html", "<html"),
        ("dot", "digraph"),
        ("svg", "<svg"),
        ("herd", "Observation Nemos11 Sometimes 1 0"),
    ] {
        let arguments = ["check", "Nemos11.class", "-m", "pram", "--question", "possible", "--format", format];
        let output = palisade(&java(), &arguments);
        assert_eq!(code(&output), 0, "{format}: {}", stderr(&output));
        assert!(stdout(&output).contains(part), "{format}: {}", stdout(&output));
    }
    let states = palisade(&java(), &["outcomes", "Nemos11.class", "-m", "sc", "--format", "json"]);
    let states: serde_json::Value = serde_json::from_str(&stdout(&states)).expect("JSON");
    assert_eq!(states["outcomes"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_question_is_asked_only_where_there_is_none() {
    let folder = folder("questions", &[("SB.litmus", SB)]);
    refused(&folder, &["check", "SB.litmus", "--question", "always"], "brings its own question");
    refused(&java(), &["check", "TC01.class", "--exists", "x=1"], "--exists is for litmus tests");
    refused(&java(), &["outcomes", "TC01.class", "--question", "always"], "asks no question");
}

#[test]
fn class_files_that_cannot_be_used_are_refused_with_the_place() {
    let folder = folder("wrong_classes", &[]);
    let whole = std::fs::read(java().join("TC01.class")).expect("a class file");
    for length in [0, 3, 9, 100, whole.len() - 1] {
        std::fs::write(folder.join("Cut.class"), &whole[..length]).expect("the file can be written");
        refused(&folder, &["check", "Cut.class"], "Cut.class");
    }
    let unsupported = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
    refused(&unsupported, &["check", "Unsupported.class"], "`double` in Unsupported.half, line 8 is not supported");
    refused(&unsupported, &["check", "Unsupported.class"], "Unsupported.java:8:");
}

/// Whether there is a Java compiler here.
fn has_javac() -> bool {
    Command::new("javac").arg("-version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn java_sources_are_compiled() {
    let main = "package p;\nimport palisade.ThreadBody;\nclass Main {\n    static int x;\n    @ThreadBody\n    static void one() {\n\
                        x = Other.one();\n    }\n    @ThreadBody\n    static void two() {\n        int r = x;\n        assert r == 0;\n    }\n}\n";
    let other = "package p;\nclass Other {\n    static int one() {\n        return 1;\n    }\n}\n";
    let folder = folder("sources", &[("Wrong.java", "class Wrong {\n")]);
    std::fs::create_dir_all(folder.join("p")).expect("the folder can be made");
    std::fs::write(folder.join("p/Main.java"), main).expect("the file can be written");
    std::fs::write(folder.join("p/Other.java"), other).expect("the file can be written");
    let mut without = Command::new(env!("CARGO_BIN_EXE_palisade"));
    let without = without.current_dir(&folder).env("PATH", "").args(["check", "p/Main.java"]).output();
    let without = without.expect("the binary runs");
    assert_eq!(code(&without), 2);
    assert!(
        stderr(&without).contains("p/Main.java: needs javac; give the .class file instead"),
        "{}",
        stderr(&without)
    );
    if !has_javac() {
        return;
    }
    let output = palisade(&folder, &["check", "p/Main.java", "-m", "sc"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stdout(&output).contains("int r = x"), "{}", stdout(&output));
    refused(&folder, &["check", "Wrong.java"], "Wrong.java:1: error:");
    let inside = folder.join("p");
    let output = palisade(&inside, &["check", "Main.java", "-m", "sc"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let library = java().join("lib");
    let mut javac = Command::new("javac");
    javac.current_dir(&folder).args(["-g", "-d", ".", "p/Main.java", "p/Other.java", "-cp"]).arg(&library);
    assert!(javac.args(["-implicit:none"]).status().is_ok_and(|status| status.success()));
    for (folder, file) in [(&folder, "p/Main.class"), (&inside, "Main.class"), (&inside, "../p/Main.class")] {
        let output = palisade(folder, &["check", file, "-m", "sc"]);
        assert_eq!(code(&output), 1, "{file}: {}", stderr(&output));
    }
}

#[test]
fn a_suite_of_java_programs_needs_no_compiler() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(java()).env("PATH", "").args(["suite", ".", "--only", "Nemos", "--format", "json"]);
    let output = command.output().expect("the binary runs");
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let suite: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let rows = suite["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 75);
    assert!(rows.iter().all(|row| row["grade"] == "right"), "{}", stdout(&output));
}

#[test]
fn programs_tell_models_apart() {
    let folder = folder("compare", &[("SB.litmus", SB), ("cut.litmus", &SB[..40])]);
    let output = palisade(&folder, &["compare", "sc", "tso", "SB.litmus", "--format", "json"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let found: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(found["rows"][0]["differs"], true);
    assert_eq!(found["rows"][0]["answers"][0]["verdicts"]["sc"], "forbidden");
    assert_eq!(found["rows"][0]["only"]["sc"].as_array().map(Vec::len), Some(0));
    assert_eq!(found["rows"][0]["only"]["tso"][0]["state"]["0:EAX"], 0);
    assert!(found["rows"][0]["only"]["tso"][0]["witness"]["events"].is_array());
    let same = palisade(&folder, &["compare", "tso", "tso.cat", "SB.litmus"]);
    assert_eq!(code(&same), 0, "{}{}", stdout(&same), stderr(&same));
    refused(&folder, &["compare", "sc", "tso", "SB.litmus", "cut.litmus"], "cut.litmus:");
    refused(&folder, &["compare", "sc", "tsoo", "SB.litmus"], "there is no model `tsoo`");
    let java = palisade(&java(), &["compare", "pram", "pc", "Nemos06.class", "Nemos01.java"]);
    assert_eq!(code(&java), 1, "{}", stderr(&java));
    assert!(stdout(&java).contains("1 of 2 programs tells pram and pc apart."), "{}", stdout(&java));
}

/// Whole programs and bounded tests tell models apart by what goes wrong.
#[test]
fn programs_and_bounded_tests_in_c_are_compared() {
    let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/c");
    let models = ["compare", "sc", "tso", "--memory-orders", "ignored", "--format", "json"];
    let compared = |more: &[&str]| {
        let output = palisade(&suites, &[&models[..], more].concat());
        let document: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        let rows = document["rows"].as_array().expect("rows").clone();
        rows.into_iter().map(|row| (row["file"].clone(), row["differs"].clone())).collect::<Vec<_>>()
    };
    let programs = [
        (serde_json::json!("peterson.c"), serde_json::json!(true)),
        (serde_json::json!("mutex_counter.c"), serde_json::json!(false)),
    ];
    assert_eq!(compared(&["peterson.c", "mutex_counter.c"]), programs);
    let tests = [
        (serde_json::json!("msn.c e(e|d)"), serde_json::json!(false)),
        (serde_json::json!("msn.c (e|d)"), serde_json::json!(false)),
    ];
    assert_eq!(compared(&["msn.c", "--test", "e(e|d)", "--test", "(e|d)"]), tests);
    // Its C11 orders mean nothing to the weakest model.
    let output = palisade(&suites, &["compare", "tso", "relaxed", "chase_lev.c", "--test", "(pt|s)"]);
    assert!(stdout(&output).contains("differs  chase_lev.c (pt|s)  holds  violated"), "{}", stdout(&output));
    refused(&suites, &["compare", "sc", "tso", "../tour/SB.litmus", "--test", "(e|d)"], "--test is for C files");
    refused(&suites, &["compare", "sc", "tso", "msn.c", "--reference", "queue_ref.c"], "--test");
    // In a folder the files with `main` are programs, the others data types.
    let folder = std::env::temp_dir().join(format!("palisade-compared-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for file in ["peterson.c", "ms2.c", "queue_harness.h"] {
        std::fs::copy(suites.join(file), folder.join(file)).expect("copied");
    }
    for (more, row) in [(&[][..], "peterson.c"), (&["--test", "(e|d)"], "ms2.c (e|d)")] {
        let output = palisade(&folder, &[&["compare", "sc", "tso", "."], more].concat());
        let rows: Vec<String> =
            stdout(&output).lines().filter(|line| line.starts_with("same")).map(str::to_string).collect();
        assert!(matches!(&rows[..], [only] if only.contains(row)), "{}{}", stdout(&output), stderr(&output));
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn published_tables_are_reproduced() {
    for (table, rows) in [("memsat-1", 75), ("memsat-2", 60)] {
        let output = palisade(Path::new("."), &["repro", table, "--format", "json"]);
        assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
        let found: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert_eq!(found["table"], table);
        let all = found["rows"].as_array().expect("rows");
        assert_eq!(all.len(), rows);
        for row in all {
            assert_eq!(row["agrees"], true, "{row}");
            assert!(row["ours"]["evidence"].is_string(), "{row}");
        }
    }
    refused(Path::new("."), &["repro", "memsat-3"], "memsat-3");
    refused(Path::new("."), &["repro", "memsat-1", "--only", "nothing"], "no such row");
}

/// What is asked of execution graphs has no steps, and no values that reads could get besides.
#[test]
fn options_about_machines_are_refused_where_execution_graphs_are_explored() {
    let root = java().join("../..");
    let options = [["--depth", "7"], ["--max-steps", "7"], ["--random", "7"], ["--ways-out", "solver"]];
    for option in options {
        let wanted = format!("{} means nothing here", option[0]);
        let check = ["check", "suites/c/peterson.c", "--engine", "mcr"];
        let of = |more: &[&'static str]| check.iter().chain(more).chain(&option).copied().collect::<Vec<_>>();
        refused(&root, &of(&[]), &wanted);
        refused(&root, &of(&["--model", "tso", "--classes", "mazurkiewicz"]), &wanted);
        let on_machine = palisade(&root, &of(&["--model", "tso"]));
        assert!(!stderr(&on_machine).contains("means nothing here"), "{}", stderr(&on_machine));
    }
}

#[test]
fn observations_that_could_not_all_be_found_are_unknown() {
    let long = "int w(void) { unsigned i = 0; while (i < 10000000) i++; return 0; }";
    let wrong = "int *p; int w(void) { return *p; }";
    let folder = folder("observations", &[("long.c", long), ("wrong.c", wrong)]);
    let of = |file| palisade(&folder, &["observations", file, "--test", "(w|w)"]);
    assert_eq!(code(&of("long.c")), 3, "{}", stderr(&of("long.c")));
    assert_eq!(code(&of("wrong.c")), 1, "{}", stderr(&of("wrong.c")));
}

/// The first long word of each line of the help of a command that begins so.
fn listed(command: &[&str], list: &str, is_entry: fn(&str) -> bool) -> Vec<String> {
    let help = stdout(&palisade(&java(), &[command, &["--help"]].concat()));
    let is_short = |word: &str| word.starts_with('-') && !word.starts_with("--");
    let first = |line: &str| line.split_whitespace().find(|word| !is_short(word)).map(str::to_string);
    let lines = help.lines().skip_while(|line| *line != list).skip(1);
    lines
        .take_while(|line| line.is_empty() || line.starts_with(' '))
        .filter_map(first)
        .filter(|word| is_entry(word))
        .collect()
}

#[test]
fn the_guide_names_every_command_and_every_option() {
    let guide = std::fs::read_to_string(java().join("../../docs/guide.md")).expect("the guide");
    let named = |text: &str| guide.split(|c: char| !(c.is_alphanumeric() || c == '-')).any(|word| word == text);
    let commands = listed(&[], "Commands:", |_| true);
    assert!(commands.len() > 10, "{commands:?}");
    for command in commands.iter().filter(|command| *command != "help") {
        assert!(guide.contains(&format!("`palisade {command}")), "the guide does not name {command}");
        let options = listed(&[command], "Options:", |word| word.starts_with("--"));
        assert!(options.iter().any(|option| option == "--help"), "{command}: {options:?}");
        for option in options.iter().filter(|option| *option != "--help") {
            assert!(named(option), "the guide does not name {option} of {command}");
        }
    }
}

#[test]
fn a_test_of_jcstress_is_a_table_or_has_the_final_states_of_one_model() {
    let outcomes = |more: &[&str]| palisade(&java(), &[&["outcomes", "jcstress/SbPlain.class"], more].concat());
    refused(&java(), &["outcomes", "jcstress/SbPlain.class", "--format", "json"], "printed as text, html or junit");
    let under_tso = stdout(&outcomes(&["--model", "tso"]));
    assert!(
        under_tso.starts_with("Has SbPlain any execution, under tso?") && under_tso.contains("4 final states:"),
        "{under_tso}"
    );
    let as_json = outcomes(&["--model", "tso", "--format", "json"]);
    assert_eq!(code(&as_json), 0, "{}", stderr(&as_json));
}
