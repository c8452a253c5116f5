//! What the CheckFence thesis does on its command line: tests by name, observations that are kept, programs as text; and the formulas
//! of maximal causality reduction.

use std::process::{Command, Output};

/// The command, run in the folder of the repository.
fn palisade(arguments: &[&str]) -> Output {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(root).args(arguments).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn several_tests_are_answered_by_their_names() {
    let output = palisade(&["check", "suites/c/ms2.c", "--test", "T0,Ti*", "--model", "relaxed", "--no-explain"]);
    let printed = text(&output.stdout);
    for test in ["(e|d)", "e(ed|de)", "e(de|dde)"] {
        assert!(printed.contains(&format!("Does every execution of {test} of suites/c/ms2.c")), "{printed}");
    }
    assert_eq!(printed.matches("\nHolds: ").count(), 3, "{printed}");
    assert_eq!(output.status.code(), Some(0));
    let output = palisade(&["compare", "sc", "relaxed", "suites/c/ms2.c", "--test", "T0"]);
    assert!(text(&output.stdout).contains("suites/c/ms2.c (e|d)"), "{}", text(&output.stdout));
    let output = palisade(&["races", "suites/c/ms2.c", "--test", "T0,T1"]);
    assert!(text(&output.stderr).contains("--test T0,T1 names 2 tests"), "{}", text(&output.stderr));
    let output = palisade(&["check", "suites/c/ms2.c", "--test", "Tx", "--model", "relaxed"]);
    assert!(text(&output.stderr).contains("no test of the catalogue is called Tx"), "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_catalogue_of_ones_own_names_tests() {
    let folder = tempfile();
    let file = folder.join("own.tests");
    std::fs::write(&file, "# mine\nboth (e|e)\n").expect("a file is written");
    let file = file.display().to_string();
    let arguments =
        ["check", "suites/c/ms2.c", "--test", "both", "--catalogue", &file, "--model", "sc", "--no-explain"];
    let output = palisade(&arguments);
    assert!(text(&output.stdout).contains("Does every execution of (e|e) of"), "{}", text(&output.stdout));
}

#[test]
fn observations_are_printed_kept_and_used() {
    let folder = tempfile();
    let file = folder.join("queue.obs").display().to_string();
    let output = palisade(&["observations", "suites/c/queue_ref.c", "--test", "T0", "--output", &file]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let kept = std::fs::read_to_string(&file).expect("the file was written");
    assert!(kept.starts_with("test (e|d)\n") && kept.lines().count() == 5, "{kept}");
    let check = |observations: &str, test: &str| {
        let arguments =
            ["check", "suites/c/ms2.c", "--test", test, "--model", "relaxed", "--observations", observations];
        palisade(&arguments)
    };
    let holds = check(&file, "(e|d)");
    assert!(text(&holds.stdout).contains("Holds: every execution shows one of the 4 observations"), "{holds:?}");
    // What a queue may show is less than what it shows: the rest is found wrong.
    let less = folder.join("less.obs").display().to_string();
    let some: String = kept.lines().filter(|line| !line.contains("res=0")).map(|line| format!("{line}\n")).collect();
    std::fs::write(&less, some).expect("a file is written");
    let violated = check(&less, "(e|d)");
    assert!(text(&violated.stdout).contains("Violated: some execution shows what no serial one shows"), "{violated:?}");
    let other = check(&file, "e(ed|de)");
    assert!(text(&other.stderr).contains("these are the observations of (e|d), not of e(ed|de)"), "{other:?}");
    assert_eq!(other.status.code(), Some(2));
}

#[test]
fn what_is_lowered_is_a_program_again_with_the_same_answer() {
    let folder = tempfile();
    for (file, arguments) in
        [("suites/c/ms2.c", vec!["--test", "T0"]), ("suites/c/peterson.c", vec![]), ("suites/tour/SB.litmus", vec![])]
    {
        let lowered = folder.join("lowered.lsl").display().to_string();
        let output = palisade(&[&["lower", file, "--output", &lowered], &arguments[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let first = palisade(&[&["check", file, "--model", "tso", "--no-explain"], &arguments[..]].concat());
        let second = palisade(&["check", &lowered, "--model", "tso", "--no-explain"]);
        let verdict = |output: &Output| text(&output.stdout).lines().nth(1).unwrap_or_default().to_string();
        assert_eq!(verdict(&first), verdict(&second), "{file} {second:?}");
        assert_eq!(first.status.code(), second.status.code(), "{file}");
    }
}

#[test]
fn text_that_is_no_program_is_refused_with_its_place() {
    let folder = tempfile();
    let file = folder.join("wrong.lsl");
    std::fs::write(&file, "program p\nlanguage IR\nfunction f() {\n  b0:\n    jump b7\n}\nthread T = @f()\n")
        .expect("a file");
    let output = palisade(&["check", &file.display().to_string(), "--model", "sc"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("function `f` has no block 7") && text(&output.stderr).contains("wrong.lsl:4"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn the_formula_of_figure_7_is_printed_for_each_machine() {
    let formula = |model: &str| {
        let output = palisade(&["constraints", "suites/lsl/mcr_fig6.lsl", "--model", model]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let line = |text: &str| text.lines().find(|line| line.starts_with("mhb")).unwrap_or_default().to_string();
    let in_order = "mhb       O1 < O2  O2 < O3  O3 < O4  O4 < O5  O5 < O6  O7 < O8  O8 < O9";
    assert_eq!([line(&formula("sc")), line(&formula("tso"))], [in_order, in_order]);
    let pso = formula("pso");
    assert_eq!(line(&pso), "mhb       O1 < O6  O2 < O4  O3 < O5  O7 < O8  O8 < O9");
    let of_read = "\nO8 gets 0: mhb & lock & atomic & validity & state\nvalidity  O6 < O7 & (O1 < O6 | O7 < O1)\n\
                   state     O2 < O8 & (O4 < O2 | O8 < O4)\n";
    assert!(pso.contains(of_read), "{pso}");
    let smt = palisade(&["constraints", "suites/lsl/mcr_fig6.lsl", "--model", "pso", "--smt"]);
    assert!(text(&smt.stdout).contains("(assert (and (< O2 O8) (or (< O4 O2) (< O8 O4))))"), "{}", text(&smt.stdout));
}

/// A folder of its own for each test that writes files.
fn tempfile() -> std::path::PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("thesis{number}"));
    std::fs::create_dir_all(&folder).expect("a folder is made");
    folder
}

#[test]
fn formulas_order_the_events_of_threads_that_are_started_and_joined() {
    let text = "#include <pthread.h>\nint x;\nvoid *one(void *p) { x = 1; return 0; }\n\
                int main(void) { pthread_t t; x = 5; pthread_create(&t, 0, one, 0); int r = x; pthread_join(t, 0); return r + x; }\n";
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("started.c");
    std::fs::write(&path, text).expect("the file is written");
    for model in ["sc", "tso", "pso"] {
        let output = palisade(&["constraints", &path.display().to_string(), "--model", model]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let event = |what: &str| {
            let line = said.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}: {said}"));
            line.split_whitespace().next().map(str::to_string).expect("a variable")
        };
        let formula = said.lines().find(|line| line.starts_with("mhb")).expect("a formula");
        let [before, by_thread, after] = ["main: W x = 5", "thread 1: W x = 1", "main: R x = 1"].map(event);
        assert!(formula.contains(&format!("{before} < {by_thread}")), "{model}: {said}");
        assert!(formula.contains(&format!("{by_thread} < {after}")), "{model}: {said}");
        // What is read between the start and the join may be either, what is read after it may not.
        let between = event("main: R x = 5");
        assert!(said.contains(&format!("{between} gets 1")), "{said}");
        assert!(!formula.contains(&format!("{by_thread} < {between}")), "{said}");
    }
}
