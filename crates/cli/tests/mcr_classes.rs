//! How many execution classes the programs of maximal causality reduction have, by brute force.

#[path = "../../operational/tests/oracle/mod.rs"]
mod oracle;

use std::path::{Path, PathBuf};

use operational::Machine;
use oracle::{Steps, classes};
use program::{Verified, verify};

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

/// The number of classes on sc, tso and pso.
fn counts(program: &Verified) -> [usize; 3] {
    counts_within(program, usize::MAX).map(|count| count.expect("all states"))
}

/// The same; `None` if there are more states than that.
fn counts_within(program: &Verified, most: usize) -> [Option<usize>; 3] {
    MACHINES.map(|machine| classes(program, machine, Steps::Private, most).map(|found| found.len()))
}

#[test]
fn the_small_programs_have_the_classes_that_the_paper_counts_or_more() {
    let rows: [(&str, &[(&str, u32)], [usize; 3]); 12] = [
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
        assert_eq!(counts(&c_program(name, defines)), expected, "{name} {defines:?}");
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

/// More states than the other tests have time for; prints what it finds.
#[test]
#[ignore = "takes minutes"]
fn print_classes() {
    for spins in [1, 2] {
        for name in ["dekker", "lamport", "bakery", "peterson"] {
            println!("{name} SPINS={spins} {:?}", counts_within(&c_program(name, &[("SPINS", spins)]), 1_000_000));
        }
    }
    for n in 1..5 {
        for name in ["example", "readers", "lastzero", "sigma", "fib", "ainc"] {
            println!("{name} N={n} {:?}", counts_within(&c_program(name, &[("N", n)]), 1_000_000));
        }
    }
    for class in ["ElectronMicroscope", "Account", "Airline", "StringBuf", "Allocation", "PingPong"] {
        println!("{class} {:?}", counts_within(&java_program(class), 1_000_000));
    }
}
