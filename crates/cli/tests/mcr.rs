//! `--engine mcr` from outside: verdicts, figures, schedules that replay, and limits.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn suites() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites")
}

fn palisade(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(suites()).args(arguments).stdin(Stdio::null());
    command.output().expect("the binary runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Checks with this engine.
fn check(engine: &str, file: &str, machine: &str, more: &[&str]) -> Output {
    let mut arguments = vec!["check", file, "--engine", engine, "--model", machine];
    arguments.extend_from_slice(more);
    palisade(&arguments)
}

const PROGRAMS: [&str; 6] = [
    "java/mcr/Example1.class",
    "java/mcr/Dekker.class",
    "java/mcr/RVExample.class",
    "java/mcr/ElectronMicroscope.class",
    "c/mutex_counter.c",
    "c/mcr/stack_unsafe.c",
];

#[test]
fn verdicts_are_those_of_the_search_and_schedules_replay() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcr_schedules");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for (number, file) in PROGRAMS.into_iter().enumerate() {
        for machine in ["sc", "tso", "pso"] {
            let schedule = folder.join(format!("{number}.{machine}"));
            let schedule = schedule.to_str().expect("a name");
            let found = check("mcr", file, machine, &["--schedule", schedule]);
            let searched = check("operational", file, machine, &[]);
            assert_eq!(code(&found), code(&searched), "{file} on {machine}: {}", stdout(&found));
            if code(&found) == 1 {
                let replayed = palisade(&["replay", file, schedule]);
                assert_eq!(code(&replayed), 1, "{file} on {machine}: {}", stdout(&replayed));
            }
        }
    }
}

#[test]
fn the_electron_microscope_fails_on_pso_only_and_soon() {
    let file = "java/mcr/ElectronMicroscope.class";
    for machine in ["sc", "tso"] {
        assert_eq!(code(&check("mcr", file, machine, &[])), 0, "on {machine}");
    }
    let found = check("mcr", file, "pso", &["--max-executions", "3"]);
    assert_eq!(code(&found), 1, "{}", stdout(&found));
}

#[test]
fn the_number_of_processors_makes_no_difference() {
    let figures = |jobs: &str, how: &str| {
        let more = ["--exhaustive", "--jobs", jobs, "--ways-out", how];
        let text = stdout(&check("mcr", "java/mcr/Example2.class", "pso", &more));
        let line = text.lines().find(|line| line.starts_with("Explored")).map(str::to_string);
        let line = line.unwrap_or_else(|| panic!("no figures in {text}"));
        line.split(';').next().unwrap_or_default().to_string()
    };
    let expected = "Explored: 188 executions of 188 classes (0 redundant)";
    assert_eq!(figures("1", "states"), expected);
    assert_eq!(figures("3", "states"), expected);
    assert_eq!(figures("1", "solver"), expected);
}

#[test]
fn a_limit_makes_the_answer_unknown() {
    let found = check("mcr", "java/mcr/Peterson.class", "sc", &["--max-executions", "2", "--question", "possible"]);
    assert!(matches!(code(&found), 0 | 1), "an execution without failed assertions is found at once");
    let found = check("mcr", "java/mcr/Example1.class", "sc", &["--max-executions", "1"]);
    assert_eq!(code(&found), 3, "{}", stdout(&found));
    assert!(stdout(&found).contains("1 executions"), "{}", stdout(&found));
}

#[test]
fn the_figures_are_in_the_json() {
    let found = check("mcr", "java/mcr/Example1.class", "pso", &["--exhaustive", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let text = json.to_string();
    for part in ["\"engine\":\"mcr\"", "\"classes\":10", "\"executions\":10", "\"redundant_executions\":0"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn machines_of_java_are_refused() {
    let found = check("mcr", "java/mcr/Example1.class", "jmm_under", &[]);
    assert_eq!(code(&found), 2);
    assert!(String::from_utf8_lossy(&found.stderr).contains("engine mcr"));
}
