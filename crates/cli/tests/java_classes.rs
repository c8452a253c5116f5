//! Classes come from where Java finds them: jars, folders and jars of the class path, packages; tests of JUnit.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/java/build")
}

fn palisade(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(folder()).args(arguments).output().expect("the binary runs")
}

/// Exit code and what was printed, the words of the answers one after the other.
fn said(arguments: &[&str]) -> (Option<i32>, String) {
    let output = palisade(arguments);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

/// The questions and verdicts of answers, in pairs.
fn verdicts(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let asked = |line: &str| Some(line.strip_prefix("Do all assertions of ")?.split(' ').next()?.to_string());
    let pairs =
        lines.windows(2).filter_map(|pair| Some((asked(pair[0])?, pair[1].split([':', ' ']).next()?.to_string())));
    pairs.collect()
}

#[test]
fn a_program_is_found_in_a_jar_a_folder_and_by_its_name() {
    for arguments in [
        &["check", "app.jar"][..],
        &["check", "app.jar!/bank/Main.class"],
        &["check", "classes/bank/Main.class"],
        &["check", "-cp", "classes", "bank.Main"],
        &["check", "--classpath", "app.jar", "bank.Main"],
    ] {
        let (code, text) = said(arguments);
        assert_eq!(code, Some(1), "{arguments:?}\n{text}");
        assert!(text.contains("IllegalStateException: the balance is 5"), "{arguments:?}\n{text}");
    }
}

#[test]
fn tests_of_junit_run_as_the_build_left_them() {
    let expected = [
        ("bank.AccountTest$Opened.hasWhatItBeganWith", "Holds"),
        ("bank.AccountTest.depositsInTurn", "Holds"),
        ("bank.AccountTest.depositsAtOnce", "Violated"),
        ("bank.AccountTest.refuses", "Holds"),
        ("bank.OldTest.divides", "Holds"),
        ("bank.OldTest.doesNotDivide", "Violated"),
    ];
    let expected: Vec<(String, String)> = expected.map(|(name, verdict)| (name.into(), verdict.into())).into();
    for arguments in [
        &["check", "--junit", "test-classes", "--classpath", "classes"][..],
        &["check", "--junit", "tests.jar", "--classpath", "app.jar"],
    ] {
        let (code, text) = said(arguments);
        let mut found = verdicts(&text);
        found.sort();
        let mut expected = expected.clone();
        expected.sort();
        assert_eq!((found, code), (expected, Some(1)), "{text}");
        assert!(text.contains("no deposit is lost ==> expected: <10> but was: <5>"), "{text}");
    }
}

#[test]
fn one_test_is_asked_for_by_its_name() {
    let (code, text) = said(&["check", "test-classes/bank/OldTest.class#divides", "--classpath", "classes"]);
    assert_eq!((code, verdicts(&text).len()), (Some(0), 1), "{text}");
    let (code, text) = said(&["check", "test-classes/bank/OldTest.class#nothing", "--classpath", "classes"]);
    assert!(code == Some(2) && text.contains("there is no test `bank.OldTest.nothing`"), "{text}");
}

/// Everything that cannot be used is said, with exit code 2.
#[test]
fn what_is_missing_or_broken_is_said() {
    let broken = std::env::temp_dir().join(format!("palisade-jar-{}", std::process::id()));
    std::fs::create_dir_all(&broken).expect("a folder");
    let jar = std::fs::read(folder().join("app.jar")).expect("a jar");
    let path = |name: &str| broken.join(name).display().to_string();
    std::fs::write(path("cut.jar"), &jar[..jar.len() / 2]).expect("written");
    let mut changed = jar.clone();
    let at = jar
        .windows(17)
        .position(|part| part == b"bank/Account.class")
        .or_else(|| jar.windows(18).position(|part| part == b"bank/Account.class"));
    changed[at.expect("an entry") + 40] ^= 0xff;
    std::fs::write(path("changed.jar"), &changed).expect("written");
    for (arguments, part) in [
        (vec!["check".into(), path("cut.jar")], "is no jar"),
        (vec!["check".into(), path("changed.jar")], "the entry `bank/Account.class` is broken"),
        (vec!["check".into(), "tests.jar".into()], "has no class with `main` and no test of jcstress"),
        (vec!["check".into(), "--junit".into(), "classes".into()], "has no tests of JUnit"),
        (vec!["check".into(), "-cp".into(), "classes".into(), "bank.Nobody".into()], "nor a class on the class path"),
        (vec!["check".into(), "-cp".into(), "nowhere".into(), "bank.Main".into()], "no such folder or jar"),
        (vec!["check".into(), "test-classes/bank/OldTest.class#divides".into()], "bank.Account"),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, text) = said(&arguments);
        assert!(code == Some(2) && text.contains(part), "{arguments:?} {code:?}\n{text}");
    }
    let _ = std::fs::remove_dir_all(&broken);
}

/// What goes wrong is told in Java's words: the exception's stack, threads by name, calls under each other, switches.
#[test]
fn violations_are_told_in_the_words_of_java() {
    let (_, text) = said(&["check", "app.jar"]);
    for part in [
        "the balance is 5\n    at bank.Main.main(Main.java:12)\n",
        "Thread-0",
        "start Thread-0",
        "Account.deposit()",
        "  read Account1.balance = 0",
        "bank.Account.deposit(Account.java:8)",
        "\n> ",
    ] {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
    assert!(!text.contains("StringBuilder") && !text.contains("Lambda1"), "{text}");
}
