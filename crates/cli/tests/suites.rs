//! Suites: what is expected of tests in comments and in the `palisade.toml` of a tree, shards and their merging; and the public
//! litmus tests with known answers, where they are present next to the project.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use axiomatic::Options;
use palisade::suite::comments;
use palisade::suite::manifest::Manifest;
use program::{Quantifier, Verdict, Verified, verify};
use serde_json::Value as Json;
use testing::judge::checked;

fn suites() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites");
    let present = folder.join("expected.tsv").is_file();
    if !present {
        println!("skipped: no public suites");
    }
    present.then_some(folder)
}

fn read(path: &Path) -> Result<Verified, String> {
    let text = std::fs::read(path).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let parsed = frontend::litmus::parse(&path.display().to_string(), &text).map_err(|errors| errors.to_string())?;
    verify(parsed.program).map_err(|messages| format!("{messages:?}"))
}

/// Whether the verdict validates the test's condition; `None` if it does not say.
fn validates(program: &Verified, verdict: &Verdict) -> Option<bool> {
    let quantifier = program.question.as_ref().map_or(Quantifier::Forall, |question| question.quantifier);
    match (quantifier, verdict) {
        (_, Verdict::Unknown(_)) => None,
        (Quantifier::Exists, verdict) => Some(*verdict == Verdict::Allowed),
        (Quantifier::NotExists, verdict) => Some(*verdict == Verdict::Forbidden),
        (Quantifier::Forall, verdict) => Some(*verdict == Verdict::Holds),
    }
}

/// Runs all rows of the table in a folder; every answer must be right and withstand its checks.
fn all_rows_are_right(language: &str, models: &[&str]) {
    let Some(folder) = suites() else { return };
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("the table");
    let mut wrong = Vec::new();
    let mut rows = 0;
    for line in table.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, model, answer] = fields[..] else { continue };
        if !file.starts_with(&format!("litmus/{language}/")) || !models.contains(&model) {
            continue;
        }
        rows += 1;
        let program = match read(&folder.join(file)) {
            Ok(program) => program,
            Err(message) => {
                wrong.push(format!("{file} is not read: {message}"));
                continue;
            }
        };
        let outcome = checked(&program, &testing::model(&format!("{model}.cat")), &Options::default());
        if validates(&program, &outcome.verdict) != Some(answer == "Ok") {
            wrong.push(format!("{file} under {model}: {:?}, but {answer} is expected", outcome.verdict));
        }
    }
    assert!(rows > 0, "no rows for {language}");
    assert!(wrong.is_empty(), "{} of {rows} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_public_x86_row_is_right() {
    all_rows_are_right("X86", &["tso"]);
}

#[test]
fn every_public_c11_row_is_right() {
    all_rows_are_right("C11", &["c11", "rc11"]);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder of its own for each test, with the files given.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("suites-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(path, text).expect("the file can be written");
    }
    folder
}

/// Runs the binary in a folder: its exit code, what it prints, and what it says on standard error.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    let output = command.current_dir(folder).args(arguments).stdin(Stdio::null()).output().expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
}

/// The rows of a suite: file, model, options, engine, answer, grade.
fn rows(folder: &Path, arguments: &[&str]) -> Vec<[String; 6]> {
    let (_, said, wrong) = run(folder, &[&["suite"], arguments, &["--format", "json"]].concat());
    let json: Json = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}{wrong}"));
    let field = |row: &Json, key: &str| row[key].as_str().unwrap_or("-").to_string();
    let row = |row: &Json| ["file", "model", "options", "engine", "answer", "grade"].map(|key| field(row, key));
    json["rows"].as_array().expect("rows").iter().map(row).collect()
}

const SB: &str = "X86 SB\n(* expect tso allowed *)\n(* expect sc forbidden engine=operational *)\n{ x=0; y=0; }\n\
    P0 | P1 ;\nMOV [x],$1 | MOV [y],$1 ;\nMOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";

/// Two threads count; without the lock an increment may get lost.
const COUNTER: &str = "/* A counter.\n   expect sc,tso holds engine=operational,mcr\n   expect rc11 violated -D BROKEN */\n\
    #include <assert.h>\n#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int n;\n\
    #ifdef BROKEN\n#define LOCK\n#define UNLOCK\n#else\n#define LOCK pthread_mutex_lock(&m)\n\
    #define UNLOCK pthread_mutex_unlock(&m)\n#endif\n\
    static void *count(void *p) { LOCK; n = n + 1; UNLOCK; return 0; }\n\
    int main(void) { pthread_t t, u; pthread_create(&t, 0, count, 0); pthread_create(&u, 0, count, 0);\n\
    pthread_join(t, 0); pthread_join(u, 0); assert(n == 2); return 0; }\n";

/// A data type without `main`: a cell that is counted up without a lock.
const TYPE: &str = "#include \"lsl_protos.h\"\nint n;\nvoid c(void) { int seen = n; n = seen + 1; lsl_observe_output(\"seen\", seen); }\n\
    void g(void) { lsl_observe_output(\"n\", n); }\nvoid i(void) { n = 0; }\n\
    // expect sc violated test='(c|c)'\n// expect sc holds test=\"(c | g)\" engine=mcr\n";

#[test]
fn one_file_has_many_rows() {
    let files = [("SB.litmus", SB), ("counter.c", COUNTER), ("type.c", TYPE), ("library.c", "int expect;\n")];
    let found = rows(&folder("many", &files), &["."]);
    let right = |file: &str, model: &str, options: &str, engine: &str, answer: &str| {
        [file, model, options, engine, answer, "right"].map(str::to_string)
    };
    let expected = [
        right("./SB.litmus", "tso", "", "axiomatic", "allowed"),
        right("./SB.litmus", "sc", "engine=operational", "operational", "forbidden"),
        right("./counter.c", "sc", "engine=operational", "operational", "holds"),
        right("./counter.c", "sc", "engine=mcr", "mcr", "holds"),
        right("./counter.c", "tso", "engine=operational", "operational", "holds"),
        right("./counter.c", "tso", "engine=mcr", "mcr", "holds"),
        right("./counter.c", "rc11", "-D BROKEN", "mcr", "violated"),
        right("./type.c", "sc", "test='(c|c)'", "axiomatic", "violated"),
        right("./type.c", "sc", "engine=mcr test='(c | g)'", "mcr", "holds"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_wrong_row_is_named_with_its_options() {
    let wrong = COUNTER.replace("rc11 violated", "rc11 holds");
    let folder = folder("wrong", &[("counter.c", &wrong)]);
    let (code, said, _) = run(&folder, &["suite", "counter.c"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("wrong  counter.c -D BROKEN  rc11   holds     violated"), "{said}");
    let (_, said, _) = run(&folder, &["suite", "counter.c", "--format", "junit"]);
    assert!(said.contains("name=\"counter.c -D BROKEN\""), "{said}");
}

#[test]
fn a_tree_says_what_holds_for_its_tests() {
    let plain = COUNTER.replace("expect", "expected");
    let toml = "models = [\"sc\", \"pso\"]\nengine = \"mcr\"\ndefine = [\"BROKEN\"]\nexclude = [\"lib/**\", \"*_ref.c\"]\n\n\
        [expect]\n\"plain.c\" = [\"violated\", \"rc11 violated engine=axiomatic\"]\n";
    let inner = "exclude = []\n";
    let files = [
        ("palisade.toml", toml),
        ("plain.c", &plain),
        ("lib/any.c", "int x;\n"),
        ("a_ref.c", "int x;\n"),
        ("inner/palisade.toml", inner),
        ("inner/counter.c", COUNTER),
        ("unjudged.c", &plain),
    ];
    let folder = folder("tree", &files);
    let found: Vec<String> = rows(&folder, &["."]).iter().map(|row| row.join(" ")).collect();
    let expected = [
        "./inner/counter.c sc engine=operational operational holds right",
        "./inner/counter.c sc engine=mcr mcr holds right",
        "./inner/counter.c tso engine=operational operational holds right",
        "./inner/counter.c tso engine=mcr mcr holds right",
        "./inner/counter.c rc11 -D BROKEN mcr violated right",
        "./plain.c sc engine=mcr -D BROKEN mcr violated right",
        "./plain.c pso engine=mcr -D BROKEN mcr violated right",
        "./plain.c rc11 engine=axiomatic -D BROKEN axiomatic violated right",
        "./unjudged.c sc engine=mcr -D BROKEN mcr violated unjudged",
        "./unjudged.c pso engine=mcr -D BROKEN mcr violated unjudged",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_time_limit_of_a_tree_is_for_each_row() {
    let spins = "#include <assert.h>\n#include <pthread.h>\nstatic int x[40];\n\
        static void *run(void *p) { for (int i = 0; i < 40; i++) x[i] = x[i] + (long)p + x[39 - i]; return 0; }\n\
        int main(void) { pthread_t t[4]; for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, run, (void *)i);\n\
        for (int i = 0; i < 4; i++) pthread_join(t[i], 0); assert(x[0] >= 0); return 0; }\n\
        // expect pso holds engine=operational\n";
    let folder = folder("time", &[("palisade.toml", "timeout = 1\n"), ("spins.c", spins), ("counter.c", COUNTER)]);
    let (code, said, _) = run(&folder, &["suite", ".", "--jobs", "1"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("unknown  ./spins.c") && said.contains("the time limit of 1 s was reached"), "{said}");
}

#[test]
fn what_is_wrong_with_expectations_is_told_with_its_place() {
    for (name, files, said) in [
        ("word", &[("a.c", "/* A.\n   expect tso hold */\n")][..], "a.c:2:15"),
        ("option", &[("a.litmus", "X86 a\n(* expect tso Ok depth=3 *)\n")], "a.litmus:2:18"),
        ("engine", &[("a.c", "// expect tso holds engine=sat\n")], "there is no engine `sat`"),
        ("for-c", &[("a.litmus", "X86 a\n(* expect tso Ok test='(e|d)' *)\n")], "is for C files"),
        ("toml", &[("palisade.toml", "[expect]\n\"a.c\" = [\"tso hold\"]\n"), ("a.c", "")], "palisade.toml:2:15"),
        ("field", &[("palisade.toml", "timout = 3\n")], "unknown field `timout`"),
        ("missing", &[("palisade.toml", "[expect]\n\"a.c\" = [\"tso holds\"]\n")], "a.c, which is not there"),
    ] {
        let (code, _, wrong) = run(&folder(&format!("refused-{name}"), files), &["suite", "."]);
        assert_eq!(code, 2, "{name}: {wrong}");
        assert!(wrong.contains(said), "{name}: {wrong}");
    }
}

/// Results without what differs from run to run.
fn without_times(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    for line in lines.by_ref().take_while(|line| !line.starts_with("Slowest")) {
        let is_figure = |word: &&str| !word.contains('.') || word.contains('/');
        kept.push_str(&line.split_whitespace().filter(is_figure).collect::<Vec<_>>().join(" "));
        kept.push('\n');
    }
    kept
}

/// All that JSON results say but times.
fn json_without_times(text: &str) -> Json {
    let mut json: Json = serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}"));
    json["wall_seconds"] = Json::Null;
    for list in ["rows", "summary"] {
        let rows = json[list].as_array_mut().expect("a list");
        rows.iter_mut().for_each(|row| row["cpu_seconds"] = Json::Null);
    }
    json
}

#[test]
fn merged_shards_are_the_whole() {
    let wrong = SB.replace("tso allowed", "tso forbidden");
    let files = [("SB.litmus", SB), ("counter.c", COUNTER), ("type.c", TYPE), ("wrong.litmus", &wrong)];
    let folder = folder("shards", &files);
    let (code, whole, _) = run(&folder, &["suite", "."]);
    let (_, whole_json, _) = run(&folder, &["suite", ".", "--format", "json"]);
    assert_eq!(code, 1, "{whole}");
    for count in [1, 3, 20] {
        let names: Vec<String> = (1..=count).map(|index| format!("{index}-of-{count}.json")).collect();
        for (index, name) in (1..=count).zip(&names) {
            let shard = format!("{index}/{count}");
            let arguments = ["suite", ".", "--shard", &shard, "--format", "json", "--output", name];
            let (code, _, said) = run(&folder, &arguments);
            assert!(code < 2, "{said}");
        }
        let names: Vec<&str> = names.iter().rev().map(String::as_str).collect();
        let (code, merged, said) = run(&folder, &[&["merge"], &names[..]].concat());
        assert_eq!((code, without_times(&merged)), (1, without_times(&whole)), "{said}");
        let (_, merged, _) = run(&folder, &[&["merge", "--format", "json"], &names[..]].concat());
        assert_eq!(json_without_times(&merged), json_without_times(&whole_json));
        let (_, merged, _) = run(&folder, &[&["merge", "--format", "junit"], &names[..]].concat());
        assert_eq!(merged.matches("<testcase").count(), 11, "{merged}");
    }
    let refused = |names: &[&str], part: &str| {
        let (code, _, said) = run(&folder, &[&["merge"], names].concat());
        assert!(code == 2 && said.contains(part), "{names:?}: {said}");
    };
    refused(&["1-of-3.json", "3-of-3.json"], "missing: 2/3");
    refused(&["1-of-3.json", "2-of-3.json", "3-of-3.json", "2-of-3.json"], "more than once");
    refused(&["1-of-3.json", "2-of-20.json"], "not parts of the same suite");
    refused(&["SB.litmus"], "no JSON");
    let (_, other, _) = run(&folder, &["suite", "SB.litmus", "--shard", "2/3", "--format", "json"]);
    std::fs::write(folder.join("other.json"), other).expect("it can be written");
    refused(&["1-of-3.json", "other.json", "3-of-3.json"], "not parts of the same suite");
    for shard in ["0/3", "4/3", "1", "1/0"] {
        let (code, _, said) = run(&folder, &["suite", ".", "--shard", shard]);
        assert!(code == 2 && said.contains("--shard"), "{said}");
    }
}

/// The programs under a folder.
fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|own| own == "c" || own == "java" || own == "litmus") {
            found.push(path);
        }
    }
}

/// What the rows come to is found out by `palisade suite suites`, which takes longer than a test.
#[test]
fn every_program_of_the_repository_says_what_is_expected_of_it() {
    let suites = root().join("suites");
    let text = std::fs::read_to_string(suites.join("palisade.toml")).expect("the tree");
    let manifest = Manifest::parse("palisade.toml", &text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let mut found = Vec::new();
    programs(&suites, &mut found);
    found.retain(|path| !manifest.excludes(path.strip_prefix(&suites).expect("within")));
    assert!(found.len() > 150, "{}", found.len());
    for path in found {
        let text = std::fs::read_to_string(&path).expect("a program");
        let rows = comments::read(&path.display().to_string(), &text).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert!(!rows.is_empty(), "{} expects nothing", path.display());
    }
}

/// Every program of the suites is answered as it says itself.
#[test]
fn the_suites_are_right() {
    let output = Command::new(env!("CARGO_BIN_EXE_palisade"))
        .args(["suite", "suites", "--format", "json"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .output()
        .expect("the binary runs");
    let results: Json = serde_json::from_slice(&output.stdout).expect("results as JSON");
    let rows = results["rows"].as_array().expect("rows");
    let not_right: Vec<&Json> = rows.iter().filter(|row| row["grade"] != "right").collect();
    assert!(output.status.success() && rows.len() > 900 && not_right.is_empty(), "{} rows: {not_right:#?}", rows.len());
}
