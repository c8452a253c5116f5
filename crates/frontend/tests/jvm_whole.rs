//! Whole Java programs: lowered, verified, run in one schedule by a small interpreter, and compared with `java`.

#[path = "support/java.rs"]
mod java;
#[path = "support/machine.rs"]
mod machine;

use std::path::{Path, PathBuf};
use std::process::Command;

use frontend::jvm::{ClassFile, program};
use java::{classes, files, names, suite};
use machine::{Run, run};
use program::Program;

/// Where the programs are whose output is compared with Java's.
fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// Lowers a program that must be right.
fn lowered(folder: &Path, class: &str) -> Program {
    let lowered = program(&files(folder, class), class).unwrap_or_else(|errors| panic!("{class}: {errors}"));
    program::verify(lowered.clone()).unwrap_or_else(|breaches| panic!("{class}: {breaches:?}"));
    lowered
}

fn ran(folder: &Path, class: &str) -> Run {
    run(&lowered(folder, class), 1000)
}

/// The classes with a source in a folder.
fn sources(folder: &Path) -> Vec<String> {
    names(folder, "java").iter().map(|name| name.trim_end_matches(".java").to_string()).collect()
}

/// What `java` prints, if there is one.
fn java_prints(folder: &Path, class: &str) -> Option<String> {
    let output = Command::new("java").args(["-ea", "-Xshare:auto", "-cp"]).arg(folder).arg(class).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn programs_print_what_java_prints() {
    let folder = programs();
    for class in sources(&folder) {
        let found = ran(&folder, &class);
        assert_eq!(found.stuck, None, "{class}: {found:?}");
        match java_prints(&folder, &class) {
            Some(expected) => assert_eq!(found.output, expected, "{class}"),
            None => println!("skipped: no JDK"),
        }
    }
}

#[test]
fn every_program_of_the_tables_is_lowered_and_runs() {
    for folder in ["opmm", "jpr", "mcr"] {
        let folder = suite().join(folder);
        for class in sources(&folder) {
            let lowered = lowered(&folder, &class);
            let found = run(&lowered, 10_000);
            assert_eq!(found.stuck, None, "{class}: {found:?}");
            println!("{class}: {} functions, {} steps", lowered.functions.len(), found.steps);
        }
    }
}

/// The first message about a program that is refused.
fn refused(class: &str) -> String {
    let folder = classes();
    let errors = program(&files(&folder, class), class).expect_err("a message");
    errors.to_string().lines().next().unwrap_or_default().to_string()
}

#[test]
fn a_class_without_main_is_refused() {
    assert_eq!(refused("Fields"), "error: `Fields` has no `static void main(String[])`");
}

#[test]
fn a_class_that_is_not_there_is_refused() {
    let errors = program(&[], "Test").expect_err("a message");
    assert_eq!(errors.to_string(), "error: there is no class `Test`");
    let broken = ClassFile { name: "Test.class".into(), bytes: vec![1, 2, 3], source: None };
    assert!(program(&[broken], "Test").is_err());
}
