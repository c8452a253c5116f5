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

/// Sends the signal of Ctrl-C once the process is at work.
fn interrupt(child: &Child) -> bool {
    std::thread::sleep(Duration::from_millis(400));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    kill.is_ok_and(|status| status.success())
}

fn interrupted(mut command: Command) -> Option<(Output, Duration)> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    if !interrupt(&child) {
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
