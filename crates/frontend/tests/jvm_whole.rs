//! Whole Java programs: lowered, verified, run in one schedule by a small interpreter, and compared with `java`.

#[path = "support/java.rs"]
mod java;
#[path = "support/machine.rs"]
mod machine;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

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

/// Compiles a folder again by its script and compares, if the compiler is the one that was used.
fn recompile(folder: &Path, arguments: impl Fn(&Path) -> Vec<PathBuf>) {
    static IS_SAME: LazyLock<bool> = LazyLock::new(|| {
        let version = Command::new("javac").arg("-version").output();
        version.is_ok_and(|version| String::from_utf8_lossy(&version.stdout).starts_with("javac 17"))
    });
    if !*IS_SAME {
        println!("skipped: no JDK 17");
        return;
    }
    let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
    let made = std::env::temp_dir().join(format!("palisade-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&made).expect("a folder");
    let status = Command::new("sh").arg(folder.join("compile.sh")).args(arguments(&made)).status().expect("a shell");
    assert!(status.success());
    let mut compared = 0;
    for path in class_files(&made) {
        let old = folder.join(path.strip_prefix(&made).expect("a path below"));
        let is_equal = std::fs::read(&old).ok() == std::fs::read(&path).ok();
        assert!(is_equal, "{} is not what javac makes of its source", old.display());
        compared += 1;
    }
    assert_eq!(compared, class_files(folder).len(), "{name} has class files without sources");
    std::fs::remove_dir_all(&made).expect("the folder is removed");
}

/// All class files below a folder.
fn class_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(class_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "class") {
            found.push(path);
        }
    }
    found
}

#[test]
fn the_library_is_what_javac_makes_of_its_sources() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/jvm/library");
    recompile(&folder, |made| vec![made.to_path_buf()]);
}

#[test]
fn the_programs_are_what_javac_makes_of_their_sources() {
    recompile(&programs(), |made| vec![made.to_path_buf()]);
}

#[test]
fn the_programs_of_the_tables_are_what_javac_makes_of_their_sources() {
    for folder in ["opmm", "jpr", "mcr", "features"] {
        recompile(&suite().join(folder), |made| vec![made.to_path_buf()]);
    }
}

/// The first message about a program that is refused.
fn refused(class: &str) -> String {
    let folder = classes();
    let errors = program(&files(&folder, class), class).expect_err("a message");
    errors.to_string().lines().next().unwrap_or_default().to_string()
}

#[test]
fn what_is_not_modelled_is_refused_with_class_method_and_line() {
    let folder = programs().join("refused");
    for class in sources(&folder) {
        let files = files(&folder, &class);
        let text = files[0].source.clone().expect("a source").1;
        let expected = text.lines().find_map(|line| line.strip_prefix("// expect error ")).expect("an expectation");
        let errors = program(&files, &class).expect_err("a message").to_string();
        assert!(errors.contains(expected), "{class}: {errors}");
    }
}

#[test]
fn failures_have_the_text_of_their_assertions_and_exceptions_their_class() {
    let found = ran(&programs(), "Exceptions");
    assert_eq!(found.failures, ["depth < 0"]);
    let found = ran(&programs(), "Threads");
    assert_eq!(found.failures, ["uncaught java.lang.IllegalStateException"]);
}

#[test]
fn turns_of_any_length_give_the_same_output() {
    let lowered = lowered(&programs(), "Threads");
    for turn in [1, 2, 3, 7, 50, 100_000] {
        let found = run(&lowered, turn);
        assert_eq!((found.stuck, found.output), (None, ran(&programs(), "Threads").output), "{turn}");
    }
}

#[test]
fn constructors_of_final_fields_end_with_a_freeze() {
    let lowered = lowered(&suite().join("jpr"), "Hash");
    let made = lowered.functions.iter().find(|function| function.name == "Hash$Text.<init>").expect("a constructor");
    let last = made.blocks.iter().rev().find_map(|block| block.instructions.last()).expect("an instruction");
    assert!(matches!(&last.kind, program::InstructionKind::Freeze { .. }));
    let plain = program::text::print(&lowered);
    assert!(plain.contains("plain{final}"));
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
