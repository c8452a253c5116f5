//! A search that runs out of time or memory, or that is interrupted, says what it has explored and ends with exit code 3.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Two threads that count: more states than any limit of these tests allows.
const LONG: &str = "#include <pthread.h>\nint x;\n\
    void *count(void *p) { for (int i = 0; i < 100000; i++) x++; return 0; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, count, 0); count(0); pthread_join(t, 0); return 0; }\n";

/// A program in a file of its own, which is removed in the end.
struct Program(PathBuf);

impl Program {
    fn long(name: &str) -> Program {
        Program::with(name, LONG)
    }

    fn with(name: &str, text: &str) -> Program {
        let path = std::env::temp_dir().join(format!("palisade-{name}-{}.c", std::process::id()));
        std::fs::write(&path, text).expect("the program is written");
        Program(path)
    }

    fn command(&self, command: &str, options: &[&str]) -> Command {
        let mut palisade = Command::new(env!("CARGO_BIN_EXE_palisade"));
        palisade.arg(command).arg(&self.0).args(options);
        palisade
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

const RUN: [&str; 4] = ["--engine", "operational", "--model", "tso"];

#[test]
fn a_time_limit_gives_unknown() {
    let program = Program::long("time");
    let output = program.command("check", &[&RUN[..], &["--timeout", "0.1"]].concat()).output().expect("it runs");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("the time limit of 0.1 s was reached") && said.contains("Explored: "), "{said}");
}

#[test]
fn a_memory_limit_gives_unknown() {
    let program = Program::long("memory");
    let options = [&RUN[..], &["--memory", "80"]].concat();
    let output = program.command("check", &options).output().expect("it runs");
    let said = text(&output);
    if said.contains("not available on this system") {
        println!("skipped: the system does not say how much memory is in use");
        return;
    }
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("memory") && said.contains("Explored: "), "{said}");
}

#[test]
fn a_limit_is_said_in_json_too() {
    let program = Program::long("json");
    let options = [&RUN[..], &["--timeout", "0.1", "--format", "json"]].concat();
    let output = program.command("check", &options).output().expect("it runs");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let object: serde_json::Value = serde_json::from_str(&said).expect("an object");
    assert_eq!(object["verdict"], "unknown");
    assert_eq!(object["reason"], "the time limit of 0.1 s was reached");
    assert!(object["stats"]["states"].as_u64() > Some(0), "{said}");
}

#[test]
fn races_end_at_a_time_limit_too() {
    let program = Program::long("races");
    let output = program.command("races", &["--timeout", "0.1"]).output().expect("it runs");
    let said = text(&output);
    // Whether the race was found until then is a matter of luck.
    assert!(matches!(output.status.code(), Some(1 | 3)), "{said}");
    assert!(said.contains("Not all executions were looked at: the time limit"), "{said}");
}

#[test]
fn a_table_is_under_one_time_limit() {
    let start = Instant::now();
    let mut palisade = Command::new(env!("CARGO_BIN_EXE_palisade"));
    let output =
        palisade.args(["repro", "checkfence-8.4", "--jobs", "1", "--timeout", "0.5"]).output().expect("it runs");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("the time limit of 0.5 s was reached"), "{said}");
    assert!(start.elapsed() < Duration::from_secs(10), "{said}");
}

/// Hundredths of a second of processor time that the process and those that it has started have used, no end of them if it is over;
/// `None` where the system does not say.
fn used(process: u32) -> Option<u64> {
    let stat = |process: u32| -> Option<(u32, u64, bool)> {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name, in parentheses, may hold blanks; behind it come the state, the parent, and much more.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let time = fields[11].parse::<u64>().ok()? + fields[12].parse::<u64>().ok()?;
        Some((fields[1].parse().ok()?, time, fields[0] == "Z"))
    };
    let (_, own, is_over) = stat(process)?;
    if is_over {
        return Some(u64::MAX);
    }
    let all = std::fs::read_dir("/proc").ok()?.flatten();
    let others = all.filter_map(|entry| stat(entry.file_name().to_str()?.parse().ok()?));
    Some(own + others.filter(|(parent, ..)| *parent == process).map(|(_, time, _)| time).sum::<u64>())
}

/// Sends a signal once the process is at work: when so many hundredths of a second of processor time were used.
fn signal(child: &Child, name: &str, hundredths: u64) -> bool {
    let start = Instant::now();
    while start.elapsed() < SOON && used(child.id()).is_some_and(|used| used < hundredths) {
        std::thread::sleep(Duration::from_millis(5));
    }
    if used(child.id()).is_none() {
        std::thread::sleep(Duration::from_millis(1500));
    }
    let kill = Command::new("kill").args([name, &child.id().to_string()]).status();
    kill.is_ok_and(|status| status.success())
}

fn interrupted(mut command: Command) -> Option<(Output, Duration)> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    if !signal(&child, "-INT", 50) {
        println!("skipped: no command kill");
        child.kill().and_then(|()| child.wait()).expect("it ends");
        return None;
    }
    let start = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    Some((output, start.elapsed()))
}

#[test]
fn an_interrupt_gives_unknown_with_what_was_explored() {
    let program = Program::long("interrupt");
    for machine in ["sc", "pso", "jmm_under"] {
        let options = ["--engine", "operational", "--model", machine];
        let Some((output, took)) = interrupted(program.command("check", &options)) else { return };
        let said = text(&output);
        assert_eq!(output.status.code(), Some(3), "{machine}: {said}");
        assert!(said.contains("Unknown: interrupted") && said.contains("Explored: "), "{machine}: {said}");
        assert!(took < Duration::from_secs(20), "it took {took:?} to end");
    }
}

#[test]
fn jmm_over_can_be_interrupted() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/java/mcr/Airline.class");
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.arg("check").arg(file).args(["--engine", "operational", "--model", "jmm_over"]);
    let Some((output, _)) = interrupted(command) else { return };
    let said = text(&output);
    // It may have come to its end before, on a fast machine.
    let is_answer = said.contains("Unknown: ") || said.contains("Holds: ");
    assert!(is_answer && said.contains("Explored: "), "{said}");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{said}");
}

/// One reader among writers of one variable: a single question about a class has more states than can be listed in the time.
fn crowd() -> String {
    let threads = 14;
    let mut text = String::from("#include <pthread.h>\n#include <assert.h>\nint x;\n");
    for number in 1..=threads {
        text.push_str(&format!("void *w{number}(void *p) {{ x = {number}; x = {}; return 0; }}\n", 100 + number));
    }
    text.push_str("int main(void) {\n");
    for number in 1..=threads {
        text.push_str(&format!("  pthread_t t{number}; pthread_create(&t{number}, 0, w{number}, 0);\n"));
    }
    text.push_str("  int a = x, b = x, c = x; assert(a != 1 || b != 2 || c != 99);\n  return 0;\n}\n");
    text
}

#[test]
fn maximal_causality_reduction_ends_at_a_time_limit() {
    let program = Program::with("mcr-crowd", &crowd());
    for how in ["states", "solver"] {
        let start = Instant::now();
        let options = ["--engine", "mcr", "--model", "pso", "--ways-out", how, "--timeout", "0.5"];
        let output = program.command("check", &options).output().expect("it runs");
        let said = text(&output);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("the time limit of 0.5 s was reached") && said.contains("Explored: "), "{said}");
        assert!(start.elapsed() < Duration::from_secs(20), "it took {:?} to end", start.elapsed());
    }
}

#[test]
fn races_by_class_end_at_a_time_limit() {
    let program = Program::with("race-crowd", &crowd());
    let output = program.command("races", &["--engine", "mcr", "--timeout", "0.5"]).output().expect("it runs");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("Not all executions were looked at: the time limit"), "{said}");
}

#[test]
fn maximal_causality_reduction_can_be_interrupted() {
    let program = Program::with("mcr-interrupt", &crowd());
    let Some((output, took)) = interrupted(program.command("check", &["--engine", "mcr", "--model", "tso"])) else {
        return;
    };
    let said = text(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("Unknown: interrupted"), "{said}");
    assert!(took < Duration::from_secs(20), "it took {took:?} to end");
}

/// A litmus test in which each of two threads stores so often.
fn stores(count: usize) -> String {
    let mut text = String::from("X86 stores\n{ x=0; y=0; }\n P0 | P1 ;\n");
    (1..=count).for_each(|value| text.push_str(&format!(" MOV [x],${value} | MOV [y],${value} ;\n")));
    text + " MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n"
}

/// A folder of its own, which is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("palisade-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the folder is made");
        Folder(path)
    }

    fn with(self, name: &str, text: &str) -> Folder {
        std::fs::write(self.0.join(name), text).expect("the file is written");
        self
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut palisade = Command::new(env!("CARGO_BIN_EXE_palisade"));
        palisade.args(words).current_dir(&self.0).stdin(Stdio::null());
        palisade
    }

    fn run(&self, words: &[&str]) -> (Option<i32>, String, Duration) {
        let start = Instant::now();
        let output = self.command(words).output().expect("it runs");
        (output.status.code(), text(&output), start.elapsed())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Far more than any of this takes, on a machine that does much else; without a limit it takes minutes, or for ever.
const SOON: Duration = Duration::from_secs(30);

#[test]
fn building_an_encoding_ends_at_its_limit() {
    let folder = Folder::new("encoding").with("stores.litmus", &stores(10_000)).with("small.litmus", &stores(1));
    let (code, said, took) = folder.run(&["check", "stores.litmus", "small.litmus", "--timeout", "1"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("Unknown: the time limit of 1 s was reached.") && said.contains("validated"), "{said}");
    assert!(took < SOON, "it took {took:?}");
    let (_, said, _) = folder.run(&["check", "stores.litmus", "--timeout", "0.5", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(answer["verdict"], "unknown", "{said}");
    assert_eq!(answer["reason"], "the time limit of 0.5 s was reached", "{said}");
}

#[test]
fn a_test_that_takes_all_memory_costs_only_itself() {
    let folder = Folder::new("suite").with("a.litmus", &stores(1)).with("b.litmus", &stores(40_000));
    let folder = folder.with("c.litmus", &stores(1));
    for limits in [["--memory", "90"], ["--timeout", "1"]] {
        let (code, said, took) = folder.run(&[&["suite", ".", "--format", "json"], &limits[..]].concat());
        assert_eq!(code, Some(0), "{said}");
        assert!(took < SOON, "it took {took:?}");
        let suite: serde_json::Value = serde_json::from_str(&said).expect("JSON");
        let answers: Vec<&str> = (0..3).filter_map(|row| suite["rows"][row]["answer"].as_str()).collect();
        assert_eq!(answers, ["allowed", "unknown", "allowed"], "{said}");
        assert!(suite["rows"][1]["reason"].as_str().is_some_and(|reason| reason.contains("limit")), "{said}");
        let (code, said, _) = folder.run(&[&["compare", "sc", "tso", "."], &limits[..]].concat());
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("2 of 3 programs tell sc and tso apart."), "{said}");
    }
}

#[test]
fn reading_is_under_the_limits() {
    let mut text = String::from("#define A0 x+x+x+x+x+x+x+x\n");
    (1..12).for_each(|index| {
        text.push_str(&format!("#define A{index} {}\n", vec![format!("A{}", index - 1); 8].join("+")))
    });
    (1..14).for_each(|index| text.push_str(&format!("#define F{index}(a) F{}(a a a a a a a a)\n", index - 1)));
    let program = |line: &str| format!("{text}#define F0(a) a\nint x;\nint main(void) {{ {line} return 0; }}\n");
    let folder = Folder::new("reading").with("a.c", &program("x = A11;")).with("b.c", &program("F13(x = 1;)"));
    let folder = folder.with("zero.cat", "\"m\"\ninclude \"/dev/zero\"\n").with("zero.c", "#include \"/dev/zero\"\n");
    let folder = folder.with("small.litmus", &stores(1));
    for file in ["a.c", "b.c"] {
        let (code, said, _) = folder.run(&["check", file, "--memory", "400"]);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("includes and macros make more than 16 MiB of text"), "{said}");
    }
    for words in [&["check", "zero.c"][..], &["check", "small.litmus", "--model", "zero.cat"]] {
        let (code, said, _) = folder.run(&[words, &["--memory", "200"]].concat());
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("/dev/zero"), "{said}");
    }
}

#[test]
fn a_pipe_to_which_nobody_writes_does_not_block() {
    let folder = Folder::new("pipe");
    let made = Command::new("mkfifo").arg(folder.0.join("p.litmus")).status();
    if !made.is_ok_and(|status| status.success()) {
        println!("skipped: no command mkfifo");
        return;
    }
    let (code, said, took) = folder.run(&["check", "p.litmus", "--timeout", "1"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("the time limit of 1 s was reached") && took < SOON, "{said}");
    let (code, said, took) = folder.run(&["check", "p.litmus"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("is a pipe to which nobody writes") && took < SOON, "{said}");
    let (code, said, _) = folder.run(&["suite", "p.litmus"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("is neither a file nor a folder"), "{said}");
    let (code, said, _) = folder.run(&["suite", "."]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("there is no test to run"), "{said}");
}

#[test]
fn a_thread_that_starts_itself_is_noticed() {
    let start = "pthread_t t; pthread_create(&t, 0, a, 0);";
    let own = format!(
        "#include <pthread.h>\nint x;\nvoid *a(void *p) {{ {start} return 0; }}\nint main(void) {{ {start} return 0; }}\n"
    );
    let other = own.replace("{ pthread_t t; pthread_create(&t, 0, a, 0); return 0; }\nint", "{ pthread_t t; x = x + 1; pthread_create(&t, 0, b, 0); pthread_join(t, 0); return 0; }\nvoid *b(void *p) { pthread_t t; pthread_create(&t, 0, a, 0); pthread_join(t, 0); return 0; }\nint");
    let other = other.replace("void *a(", "void *b(void *p);\nvoid *a(");
    let folder = Folder::new("self").with("own.c", &own).with("other.c", &other);
    for file in ["own.c", "other.c"] {
        for engine in ["operational", "mcr"] {
            for command in [&["check", "--model", "sc"][..], &["races"]] {
                let seconds = if file == "own.c" { "60" } else { "1" };
                let (code, said, _) =
                    folder.run(&[command, &[file, "--engine", engine, "--timeout", seconds]].concat());
                assert_eq!(code, Some(3), "{file} {engine}: {said}");
                // With accesses between, there are too many executions to see them all.
                let is_said = said.contains("more than 1024 threads are started");
                assert!(is_said || file == "other.c" && said.contains("limit of 1 s"), "{file} {engine}: {said}");
            }
        }
    }
}

/// What is printed after a signal that comes once the process is at work.
fn signalled(folder: &Folder, name: &str, words: &[&str]) -> Option<(Option<i32>, String, Duration)> {
    let mut child = folder.command(words).stdout(Stdio::piped()).spawn().expect("it starts");
    if !signal(&child, name, 50) {
        println!("skipped: no command kill");
        child.kill().and_then(|()| child.wait()).expect("it ends");
        return None;
    }
    let start = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    Some((output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), start.elapsed()))
}

#[test]
fn signals_end_a_suite_and_a_comparison_with_what_is_there() {
    let folder = Folder::new("signals").with("a.litmus", &stores(1));
    let folder = (0..8).fold(folder, |folder, number| folder.with(&format!("b{number}.litmus"), &stores(10_000)));
    for signal in ["-TERM", "-INT"] {
        let Some((code, said, took)) = signalled(&folder, signal, &["suite", ".", "--format", "json"]) else { return };
        assert_eq!(code, Some(3), "{said}");
        let suite: serde_json::Value = serde_json::from_str(&said).expect("JSON");
        assert_eq!(suite["interrupted"], "interrupted", "{said}");
        assert_eq!(suite["rows"][0]["answer"], "allowed", "{said}");
        assert_eq!(suite["rows"][1]["reason"], "interrupted", "{said}");
        assert!(took < Duration::from_secs(10), "it took {took:?} to end");
        let Some((code, said, _)) = signalled(&folder, signal, &["compare", "sc", "tso", "."]) else { return };
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains("Not all programs were compared: interrupted."), "{said}");
    }
    let Some((code, said, _)) = signalled(&folder, "-TERM", &["suite", ".", "--format", "junit"]) else { return };
    assert_eq!(code, Some(3), "{said}");
    assert!(said.starts_with("<?xml") && said.trim_end().ends_with("</testsuites>"), "{said}");
}

#[test]
fn signals_end_every_phase() {
    let lines: String = (0..30_000).map(|value| format!("x={value}; y=x;\n")).collect();
    let text = format!(
        "#include <pthread.h>\n_Atomic int x, y;\nvoid *t(void *p) {{ {lines} return 0; }}\nint main(void) {{ pthread_t a; pthread_create(&a, 0, t, 0); t(0); return 0; }}\n"
    );
    let folder = Folder::new("phases").with("a.c", &text).with("b.litmus", &stores(20_000));
    let json = ["--format", "json"];
    let commands: [&[&str]; 5] = [
        &["check", "a.c"],
        &["check", "a.c", "--engine", "operational", "--model", "sc"],
        &["races", "a.c"],
        &["fences", "a.c"],
        &["outcomes", "b.litmus"],
    ];
    for command in commands {
        let Some((code, said, took)) = signalled(&folder, "-TERM", &[command, &json].concat()) else { return };
        assert_eq!(code, Some(3), "{command:?}: {said}");
        assert!(serde_json::from_str::<serde_json::Value>(&said).is_ok(), "{command:?}: {said}");
        assert!(said.contains("interrupted"), "{command:?}: {said}");
        assert!(took < Duration::from_secs(10), "{command:?} took {took:?} to end");
    }
}
