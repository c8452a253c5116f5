//! How many execution classes the programs of maximal causality reduction have, by brute force.

#[path = "../../operational/tests/oracle/mod.rs"]
mod oracle;

use std::path::{Path, PathBuf};

use operational::mcr::explore::{Alone, Budget, Ending, Exploration, Figures, Next, setups};
use operational::{Limits, Machine};
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

/// What the engine finds, and after how many executions it met the first that goes wrong.
fn explored(program: &Verified, machine: Machine) -> (Figures, Option<u64>) {
    let limits = Limits::default();
    let most = std::env::var("MOST").ok().and_then(|most| most.parse().ok()).unwrap_or(u64::MAX);
    let setup = setups(program, &limits).expect("the setup runs").remove(0);
    let exploration =
        Exploration::new(program, machine, &setup, &limits, &Budget { executions: most, ..Budget::default() });
    let mut exploration = exploration.unwrap_or_else(|stop| panic!("{stop:?}"));
    let (mut runs, mut first) = (0, None);
    let mut visit = |_: &operational::mcr::history::Forest, executed: &operational::mcr::explore::Executed| {
        runs += 1;
        if matches!(executed.ending, Ending::Failed | Ending::Stuck) {
            first.get_or_insert(runs);
        }
        Next::Continue
    };
    exploration.run(&mut visit, &Alone::default());
    if let Some(reason) = exploration.incomplete() {
        print!("INCOMPLETE {reason} ");
    }
    (exploration.figures(), first)
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
    let wanted = std::env::var("WANTED").unwrap_or_default();
    let brute = std::env::var("BRUTE").is_ok();
    let show = |name: &str, program: Verified| {
        if !name.contains(&wanted) {
            return;
        }
        for machine in MACHINES {
            let start = std::time::Instant::now();
            let (figures, first) = explored(&program, machine);
            let seconds = start.elapsed().as_secs_f64();
            let Figures { executions, classes: found, redundant, queries, states, .. } = figures;
            print!(
                "{name:20} {:4} executions {executions} classes {found} redundant {redundant} queries {queries} states {states} first {first:?} {seconds:.3} s {:.0}/s",
                machine.name(),
                executions as f64 / seconds
            );
            if brute {
                let all = classes(&program, machine, Steps::Private, 1_000_000).map(|all| all.len());
                print!(" brute {all:?} {}", if all.is_some_and(|all| all as u64 != found) { "DIFFERS" } else { "" });
            }
            println!();
        }
    };
    for spins in [0, 1, 2] {
        for name in ["dekker", "lamport", "bakery", "peterson"] {
            show(&format!("{name} {spins}"), c_program(name, &[("SPINS", spins)]));
        }
    }
    show("stack", c_program("stack_unsafe", &[]));
    show("rv", c_program("rv_example", &[]));
    for n in 1..5 {
        for name in ["readers", "lastzero", "sigma", "fib", "ainc", "example"] {
            show(&format!("{name} {n}"), c_program(name, &[("N", n)]));
        }
    }
    for class in ["ElectronMicroscope", "Account", "Airline", "StringBuf", "Allocation", "PingPong"] {
        show(class, java_program(class));
    }
}
