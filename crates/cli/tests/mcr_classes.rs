//! How many execution classes the programs of maximal causality reduction have, by brute force and as the engine finds them.

#[path = "../../operational/tests/oracle/mod.rs"]
mod oracle;

use std::path::{Path, PathBuf};

use operational::mcr::encode::Form;
use operational::mcr::explore::{Alone, Budget, Exploration, Figures, Next, setups};
use operational::{Limits, Machine};
use oracle::{Steps, classes};
use program::{Verified, verify};

/// A program in C, its macros, and how many classes it has on sc, tso and pso.
type Row = (&'static str, &'static [(&'static str, u32)], [usize; 3]);

const MACHINES: [Machine; 3] = [Machine::Sc, Machine::Tso, Machine::Pso];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn c_program(name: &str, defines: &[(&str, u32)]) -> Verified {
    let path = root().join("suites/c/mcr").join(format!("{name}.c"));
    let text = std::fs::read_to_string(&path).expect("the program");
    let defines: Vec<(String, String)> =
        defines.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let unit = frontend::c::load(name, &text, &mut |_, _| None, &defines);
    let program = unit.and_then(|unit| unit.program()).unwrap_or_else(|errors| panic!("{errors}"));
    verify(program).unwrap_or_else(|breaches| panic!("{breaches:?}"))
}

fn java_program(class: &str) -> Verified {
    let folder = root().join("suites/java/mcr");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_own = stem == class || stem.starts_with(&format!("{class}$"));
        if is_own && path.extension().is_some_and(|extension| extension == "class") {
            let bytes = std::fs::read(&path).expect("a class file");
            files.push(frontend::jvm::ClassFile { name: path.display().to_string(), bytes, source: None });
        }
    }
    let program = frontend::jvm::program(&files, class).unwrap_or_else(|errors| panic!("{errors}"));
    verify(program).unwrap_or_else(|breaches| panic!("{breaches:?}"))
}

/// The number of classes on sc, tso and pso, by brute force.
fn counts(program: &Verified) -> [usize; 3] {
    MACHINES.map(|machine| classes(program, machine, Steps::Private, usize::MAX).expect("all states").len())
}

/// What the engine finds.
fn explored(program: &Verified, machine: Machine, solver: Option<Form>) -> Figures {
    let limits = Limits::default();
    let setup = setups(program, &limits).expect("the setup runs").remove(0);
    let budget = Budget { solver, ..Budget::default() };
    let exploration = Exploration::new(program, machine, &setup, &limits, &budget);
    let mut exploration = exploration.unwrap_or_else(|stop| panic!("{stop:?}"));
    exploration.run(&mut |_, _| Next::Continue, &Alone::default());
    let leaves_out = solver == Some(Form::Printed) && machine.has_buffers();
    assert_eq!(exploration.incomplete().is_some(), leaves_out, "{:?}", exploration.incomplete());
    exploration.figures()
}

/// One execution for each of so many classes on sc, tso and pso.
fn assert_explored(program: &Verified, expected: [usize; 3], name: &str) {
    for (machine, classes) in MACHINES.into_iter().zip(expected) {
        let figures = explored(program, machine, None);
        let found = (figures.executions, figures.classes, figures.redundant);
        assert_eq!(found, (classes as u64, classes as u64, 0), "{name} on {}", machine.name());
    }
}

#[test]
fn small_programs_have_the_classes_of_brute_force_and_as_many_executions() {
    let rows: [Row; 12] = [
        ("example", &[("N", 1)], [2, 2, 10]),
        ("dekker", &[("SPINS", 0)], [14, 16, 20]),
        ("dekker", &[("SPINS", 1)], [42, 44, 73]),
        ("peterson", &[("SPINS", 0)], [18, 24, 24]),
        ("peterson", &[("SPINS", 1)], [34, 44, 52]),
        ("stack_unsafe", &[], [34, 34, 34]),
        ("rv_example", &[], [105, 105, 135]),
        ("readers", &[("N", 3)], [8, 8, 8]),
        ("lastzero", &[("N", 3)], [12, 12, 12]),
        ("sigma", &[("N", 3)], [6, 6, 6]),
        ("fib", &[("N", 2)], [19, 20, 20]),
        ("ainc", &[("N", 3)], [6, 6, 6]),
    ];
    for (name, defines, expected) in rows {
        let program = c_program(name, defines);
        assert_eq!(counts(&program), expected, "{name} {defines:?}");
        assert_explored(&program, expected, name);
    }
}

#[test]
fn the_solver_finds_the_same_classes() {
    let rows: [(&str, &[(&str, u32)]); 6] = [
        ("example", &[("N", 2)]),
        ("dekker", &[("SPINS", 1)]),
        ("peterson", &[("SPINS", 1)]),
        ("stack_unsafe", &[]),
        ("rv_example", &[]),
        ("lastzero", &[("N", 4)]),
    ];
    for (name, defines) in rows {
        let program = c_program(name, defines);
        for machine in MACHINES {
            let listed = explored(&program, machine, None);
            let solved = explored(&program, machine, Some(Form::Exact));
            let figures = |figures: &Figures| (figures.executions, figures.classes, figures.redundant);
            assert_eq!(figures(&solved), figures(&listed), "{name} on {}", machine.name());
        }
    }
}

#[test]
fn the_printed_encoding_leaves_classes_out_where_stores_are_forwarded() {
    let program = c_program("fib", &[("N", 3)]);
    let found = MACHINES.map(|machine| explored(&program, machine, Some(Form::Printed)).classes);
    assert_eq!(found, [141, 141, 141]);
    let found = MACHINES.map(|machine| explored(&program, machine, Some(Form::Exact)).classes);
    assert_eq!(found, [141, 175, 175]);
}

#[test]
fn the_published_tables_come_out_as_expected() {
    for table in ["mcr-1", "mcr-3", "mcr-4"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_palisade"));
        // The rows with four rounds take seconds each.
        let rows = if table == "mcr-4" { "Fig. 1" } else { "N=2" };
        let output = command.args(["repro", table, "--only", rows]).output().expect("the binary runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{said}");
    }
}

#[test]
fn java_programs_have_the_classes_of_their_c_programs() {
    for (class, name, defines) in
        [("Example1", "example", 1), ("StackUnsafe", "stack_unsafe", 1), ("RVExample", "rv_example", 1)]
    {
        let (java, c) = (counts(&java_program(class)), counts(&c_program(name, &[("N", defines)])));
        assert_eq!(java, c, "{class}");
    }
}

/// Programs that brute force takes minutes for were counted once.
#[test]
fn larger_programs_have_the_classes_that_were_counted() {
    let rows: [Row; 6] = [
        ("dekker", &[("SPINS", 2)], [116, 118, 218]),
        ("peterson", &[("SPINS", 2)], [54, 68, 88]),
        ("lamport", &[("SPINS", 1)], [141, 143, 427]),
        ("bakery", &[("SPINS", 2)], [322, 884, 1920]),
        ("example", &[("N", 2)], [52, 52, 188]),
        ("fib", &[("N", 4)], [1107, 1764, 1764]),
    ];
    for (name, defines, expected) in rows {
        assert_explored(&c_program(name, defines), expected, name);
    }
}

#[test]
#[ignore = "takes minutes"]
fn larger_programs_have_the_classes_of_brute_force() {
    for (name, define) in [("lamport", "SPINS"), ("bakery", "SPINS"), ("example", "N"), ("fib", "N")] {
        for number in [1, 2] {
            let program = c_program(name, &[(define, number)]);
            assert_explored(&program, counts(&program), name);
        }
    }
    for class in ["ElectronMicroscope", "StringBuf", "Allocation"] {
        let program = java_program(class);
        assert_explored(&program, counts(&program), class);
    }
}
