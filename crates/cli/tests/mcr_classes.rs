//! How many execution classes the programs of maximal causality reduction have, by brute force and as the engine finds them.

use std::path::{Path, PathBuf};

use mcr::histories::encode::Form;
use mcr::histories::explore::{Alone, Budget, Exploration, Figures, Next, setups};
use mcr::histories::history::iteration::Iterations;
use operational::{Limits, Machine};
use program::{Verified, verify};
use testing::oracle::{Steps, classes};

/// A program: that in C with these macros, or the class in Java; how many execution classes it has on sc, tso and pso; and on how
/// many of the machines brute force counts them within seconds.
type Row = (&'static str, [usize; 3], usize);

/// All programs of `suites/c/mcr` and `suites/java/mcr`. Where brute force takes minutes it was run once; the counts that it
/// does not come to an end for are only those of this engine: marked so.
const ROWS: &[Row] = &[
    ("example N=1", [2, 2, 10], 3),
    ("example N=2", [52, 52, 188], 2),
    ("dekker SPINS=0", [14, 16, 20], 3),
    ("dekker SPINS=1", [42, 44, 73], 3),
    ("dekker SPINS=2", [116, 118, 218], 2),
    ("peterson SPINS=0", [18, 24, 24], 3),
    ("peterson SPINS=1", [34, 44, 52], 3),
    ("peterson SPINS=2", [54, 68, 88], 3),
    ("lamport SPINS=0", [49, 51, 81], 2),
    ("lamport SPINS=1", [141, 143, 427], 1),
    // Only ours on pso.
    ("lamport SPINS=2", [287, 289, 1157], 1),
    ("bakery SPINS=0", [102, 176, 256], 2),
    ("bakery SPINS=1", [198, 442, 828], 1),
    ("bakery SPINS=2", [322, 884, 1920], 1),
    ("stack_unsafe", [34, 34, 34], 3),
    ("rv_example", [105, 105, 135], 3),
    ("readers N=3", [8, 8, 8], 3),
    ("lastzero N=3", [12, 12, 12], 3),
    ("lastzero N=4", [28, 28, 28], 1),
    ("sigma N=3", [6, 6, 6], 3),
    ("sigma N=4", [24, 24, 24], 1),
    ("fib N=2", [19, 20, 20], 3),
    ("fib N=3", [141, 175, 175], 3),
    ("fib N=4", [1107, 1764, 1764], 0),
    ("ainc N=3", [6, 6, 6], 3),
    ("ainc N=4", [24, 24, 24], 3),
    // By formula on sc and tso, only ours on pso: threads may wait for ever.
    ("lock N=3", [6, 6, 16], 0),
    ("lock N=3 TICKET=1", [6, 6, 30], 0),
    ("lock N=3 LOOK=1", [6, 6, 16], 0),
    // By formula.
    ("readers N=12", [4096, 4096, 4096], 0),
    ("lastzero N=10", [3328, 3328, 3328], 0),
    ("sigma N=7", [5040, 5040, 5040], 0),
    ("ainc N=7", [5040, 5040, 5040], 0),
    ("Example1", [2, 2, 10], 3),
    ("Example2", [52, 52, 188], 2),
    // Only ours.
    ("Example3", [1016, 1016, 2728], 0),
    ("Dekker", [116, 118, 218], 2),
    ("Peterson", [54, 68, 88], 3),
    // Only ours on pso.
    ("Lamport", [287, 289, 1157], 1),
    // On pso only that of the program in C was counted.
    ("Bakery", [322, 884, 1920], 0),
    ("StackUnsafe", [34, 34, 34], 3),
    ("RVExample", [105, 105, 135], 2),
    ("ElectronMicroscope", [6, 6, 46], 2),
    // Only ours on pso.
    ("StringBuf", [3, 3, 3], 1),
    // Only ours.
    ("Allocation", [29, 29, 29], 0),
    ("PingPong", [2131, 2131, 2131], 0),
    ("Account", [1075, 1347, 1730], 0),
];

const MACHINES: [Machine; 3] = [Machine::Sc, Machine::Tso, Machine::Pso];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The program of a row.
fn named(name: &str) -> Verified {
    if name.starts_with(char::is_uppercase) {
        return java_program(name);
    }
    let mut words = name.split(' ');
    let file = words.next().unwrap_or_default();
    let defines: Vec<(&str, &str)> = words.filter_map(|word| word.split_once('=')).collect();
    c_program(file, &defines)
}

fn c_program(name: &str, defines: &[(&str, &str)]) -> Verified {
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

/// The number of classes, by brute force.
fn count(program: &Verified, machine: Machine) -> usize {
    classes(program, machine, Steps::Private, usize::MAX).expect("all states").len()
}

/// What the engine finds.
fn explored(program: &Verified, machine: Machine, solver: Option<Form>) -> Figures {
    let limits = Limits::default();
    let setup = setups(program, &limits).expect("the setup runs").remove(0);
    let budget = Budget { solver, ..Budget::default() };
    let exploration = Exploration::new(program, machine, &setup, &limits, &budget, Iterations::Wait);
    let mut exploration = exploration.unwrap_or_else(|stop| panic!("{stop:?}"));
    exploration.run(&mut |_, _| Next::Continue, &Alone::default());
    let leaves_out = solver == Some(Form::Printed) && machine.has_buffers();
    assert_eq!(exploration.incomplete().is_some(), leaves_out, "{:?}", exploration.incomplete());
    exploration.figures()
}

/// One execution for each of so many classes.
fn assert_explored(program: &Verified, machine: Machine, solver: Option<Form>, classes: usize, name: &str) {
    let figures = explored(program, machine, solver);
    let found = (figures.executions, figures.classes, figures.redundant, figures.lost);
    assert_eq!(found, (classes as u64, classes as u64, 0, 0), "{name} on {}", machine.name());
}

fn assert_counted(rows: impl Iterator<Item = &'static Row>) {
    for (name, expected, brute) in rows {
        let program = named(name);
        for (machine, classes) in MACHINES.into_iter().zip(expected).take(*brute) {
            assert_eq!(count(&program, machine), *classes, "{name} on {}", machine.name());
        }
    }
}

fn is_java(row: &&Row) -> bool {
    row.0.starts_with(char::is_uppercase)
}

#[test]
fn brute_force_counts_the_classes_of_programs_in_c() {
    assert_counted(ROWS.iter().filter(|row| !is_java(row)));
}

#[test]
fn brute_force_counts_the_classes_of_programs_in_java() {
    assert_counted(ROWS.iter().filter(is_java));
}

#[test]
fn every_class_takes_one_execution() {
    for (name, expected, _) in ROWS {
        let program = named(name);
        for (machine, classes) in MACHINES.into_iter().zip(expected) {
            assert_explored(&program, machine, None, *classes, name);
        }
    }
}

#[test]
fn with_the_solver_every_class_takes_one_execution() {
    const MOST: usize = 200;
    for (name, expected, _) in ROWS {
        let program = named(name);
        for (machine, classes) in MACHINES.into_iter().zip(expected).filter(|(_, classes)| **classes <= MOST) {
            assert_explored(&program, machine, Some(Form::Exact), *classes, name);
        }
    }
}

#[test]
fn every_program_has_a_row() {
    for (folder, ending) in [("c", "c"), ("java", "java")] {
        for entry in std::fs::read_dir(root().join("suites").join(folder).join("mcr")).expect("the folder") {
            let path = entry.expect("an entry").path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.extension().is_some_and(|extension| extension == ending) {
                let has_row = ROWS.iter().any(|(name, ..)| name.split(' ').next() == Some(&stem));
                // They take seconds: `palisade repro mcr-1` and `mcr-5` check them.
                let is_large = ["Airline", "Example4"].contains(&&*stem);
                assert!(has_row || is_large, "{stem}");
            }
        }
    }
}

/// `cargo test --release -p palisade-cli --test mcr_classes -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn larger_programs_have_the_classes_of_brute_force() {
    let endless =
        ["lamport SPINS=2", "Example3", "Lamport", "Bakery", "StringBuf", "Allocation", "PingPong", "Account"];
    let by_formula = ["readers N=12", "lastzero N=10", "sigma N=7", "ainc N=7"];
    let is_left_out = |name: &str| endless.contains(&name) || by_formula.contains(&name) || name.starts_with("lock");
    for (name, expected, brute) in ROWS.iter().filter(|row| !is_left_out(row.0)) {
        let program = named(name);
        for (machine, classes) in MACHINES.into_iter().zip(expected).skip(*brute) {
            assert_eq!(count(&program, machine), *classes, "{name} on {}", machine.name());
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn with_the_solver_every_class_of_larger_programs_takes_one_execution() {
    const MOST: usize = 2_000;
    for (name, expected, _) in ROWS {
        let program = named(name);
        for (machine, classes) in MACHINES.into_iter().zip(expected).filter(|(_, classes)| **classes <= MOST) {
            assert_explored(&program, machine, Some(Form::Exact), *classes, name);
        }
    }
}

#[test]
fn the_printed_encoding_leaves_classes_out_where_stores_are_forwarded() {
    let program = named("fib N=3");
    let found = MACHINES.map(|machine| explored(&program, machine, Some(Form::Printed)).classes);
    assert_eq!(found, [141, 141, 141]);
    let found = MACHINES.map(|machine| explored(&program, machine, Some(Form::Exact)).classes);
    assert_eq!(found, [141, 175, 175]);
}

#[test]
fn failures_are_met_within_the_executions_that_were_published() {
    for program in ["Dekker", "Lamport", "Bakery", "Peterson", "StackUnsafe", "RVExample"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_palisade"));
        let output = command.args(["repro", "mcr-4", "--only", program]).output().expect("the binary runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("3 of 3 rows"), "{said}");
        // Program, machine, DPOR, SATCheck, MCR, and ours.
        for row in said.lines().filter(|line| line.starts_with(program)) {
            let numbers = row.split_whitespace().skip(4).map(|word| word.parse::<u32>().ok());
            let [Some(published), Some(ours)] = numbers.take(2).collect::<Vec<_>>()[..] else { panic!("{row}") };
            assert!(ours <= published, "{row}");
        }
    }
}

/// The output of `repro` with classes that a user has.
fn repro_with(table: &str, only: &str, folder: &Path) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_palisade"));
    let output =
        command.args(["repro", table, "--only", only, "--classes"]).arg(folder).output().expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn classes_that_a_user_has_take_the_place_of_ours() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("given");
    std::fs::create_dir_all(&folder).expect("a folder");
    let suites = concat!(env!("CARGO_MANIFEST_DIR"), "/../../suites/java/mcr");
    for class in ["Peterson", "Peterson$First", "Peterson$Second"] {
        let name = format!("{class}.class");
        std::fs::copy(format!("{suites}/{name}"), folder.join(&name)).expect("the class is copied");
    }
    std::fs::write(folder.join("programs.tsv"), "# name\tclass\nDekker\tPeterson\nLamport\tMissing\n").expect("a list");
    for (program, classes) in [("Peterson", [54, 68, 88]), ("Dekker", [54, 68, 88])] {
        let (code, said) = repro_with("mcr-3", program, &folder);
        assert_eq!(code, Some(0), "{said}");
        let given = format!("{program} (given)");
        for (line, classes) in said.lines().filter(|line| line.starts_with(&given)).zip(classes) {
            assert!(line.split_whitespace().any(|word| word == classes.to_string()), "{line}");
        }
        assert_eq!(said.matches(&given).count(), 3, "{said}");
    }
    let (code, said) = repro_with("mcr-3", "Lamport", &folder);
    assert!(code == Some(1) && said.contains("Missing.class"), "{said}");
    let (code, said) = repro_with("mcr-2", "Peterson", &folder);
    assert!(code == Some(0) && said.contains("Peterson (given)"), "{said}");
    let (code, said) = repro_with("opmm-1", "peterson", &folder);
    assert!(code == Some(2) && said.contains("--classes is for mcr-1 to mcr-5"), "{said}");
}

#[test]
fn the_published_tables_come_out_as_expected() {
    for table in ["mcr-1", "mcr-3", "mcr-4"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_palisade"));
        // The rows with four iterations take seconds each.
        let rows = if table == "mcr-4" { "Fig. 1" } else { "N=2" };
        let output = command.args(["repro", table, "--only", rows]).output().expect("the binary runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{said}");
    }
}
