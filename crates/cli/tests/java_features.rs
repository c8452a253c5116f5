//! Java programs that print the same in every execution, run by the operational engine's interpreter: they print what `java`
//! prints, on every machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use frontend::jvm::{self, ClassFile};
use operational::choices::Choices;
use operational::interpret::Stop;
use operational::observer::Observer;
use operational::search::{Reduction, Runner};
use operational::turn::{Action, Halt, setup_once};
use operational::word::{Word, Words};
use operational::{Limits, Machine};
use program::{Pointer, Program, Value, Verified, verify};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The programs: a folder and a class each.
fn programs() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for folder in ["suites/java/features", "crates/frontend/tests/programs"] {
        let folder = root().join(folder);
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "java") {
                found.push((folder.clone(), path.file_stem().expect("a name").to_string_lossy().into_owned()));
            }
        }
    }
    found.sort();
    found
}

fn read(folder: &Path, class: &str) -> Verified {
    let source = std::fs::read_to_string(folder.join(format!("{class}.java"))).expect("a source");
    let belongs = |name: &str| name == format!("{class}.class") || name.starts_with(&format!("{class}$"));
    let entries = std::fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".class") && belongs(name)).collect();
    names.sort_by_key(|name| (name.contains('$'), name.clone()));
    let file = |name: String| ClassFile {
        bytes: std::fs::read(folder.join(&name)).expect("a class file"),
        source: Some((format!("{class}.java"), source.clone())),
        name,
    };
    let files: Vec<ClassFile> = names.into_iter().map(file).collect();
    let program = jvm::program(&files, class).unwrap_or_else(|wrong| panic!("{class}: {wrong}"));
    verify(program).unwrap_or_else(|wrong| panic!("{class}: {wrong:?}"))
}

/// Collects what a program prints.
struct Printed<'a> {
    program: &'a Program,
    text: String,
}

impl Observer for Printed<'_> {
    fn shows(&mut self, _: usize, label: &Arc<str>, value: Word, words: &Words) {
        let text = match (&**label, words.value(value)) {
            ("out.char", Value::Int(c)) => String::from_utf16_lossy(&[c.unsigned() as u16]),
            ("out", Value::Int(number)) => number.signed().to_string(),
            ("out.double", Value::Int(bits)) => as_java(f64::from_bits(bits.unsigned()), false),
            ("out.float", Value::Int(bits)) => as_java(f64::from(f32::from_bits(bits.unsigned() as u32)), true),
            ("out", Value::Pointer(constant)) => characters(self.program, &constant),
            _ => String::new(),
        };
        self.text.push_str(&text);
    }
}

/// The characters of a string constant.
fn characters(program: &Program, constant: &Pointer) -> String {
    let length = *constant.path.last().expect("a string");
    let cells = &program.globals[constant.allocation as usize].cells;
    let unit = |index: i64| match cells.iter().find(|(path, _)| *path == [length, index]) {
        Some((_, Value::Int(c))) => c.unsigned() as u16,
        _ => 0,
    };
    String::from_utf16_lossy(&(0..length).map(unit).collect::<Vec<u16>>())
}

/// A number as `Double.toString` and `Float.toString` write it.
fn as_java(number: f64, is_float: bool) -> String {
    if number.is_nan() || number.is_infinite() {
        return format!("{number:?}").replace("inf", "Infinity");
    }
    let exponential = if is_float { format!("{:e}", number as f32) } else { format!("{number:e}") };
    let (digits, exponent) = exponential.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    if number == 0.0 || (-3..7).contains(&exponent) {
        return if is_float { format!("{:?}", number as f32) } else { format!("{number:?}") };
    }
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}E{exponent}")
}

/// Runs a program, one thread after the other for a step each, and gives what it prints.
fn run(program: &Verified, machine: Machine) -> Result<String, String> {
    let mut runner = Runner::new(program, machine, Reduction::Persistent, &Limits::default());
    let mut state = setup_once(&mut runner.interpreter, &mut Choices::default()).map_err(|stop| format!("{stop:?}"))?;
    let mut printed = Printed { program, text: String::new() };
    let advance = |runner: &mut Runner, state: &mut _, action, printed: &mut Printed| {
        runner.advance(state, action, &mut Choices::default(), printed)
    };
    advance(&mut runner, &mut state, None, &mut printed).map_err(|halt| format!("{halt:?}"))?;
    let mut last = 0;
    loop {
        let mut actions = runner.interpreter.actions(&state);
        if actions.is_empty() {
            return Ok(printed.text);
        }
        actions.sort_by_key(|action| match *action {
            Action::Flush(..) => 0,
            Action::Step(thread) => 1 + (thread + state.threads.len() - last - 1) % state.threads.len(),
        });
        let mut moved = false;
        for action in actions {
            let (mut next, said) = (state.clone(), printed.text.len());
            match advance(&mut runner, &mut next, Some(action), &mut printed) {
                Ok(()) => {
                    state = next;
                    last = if let Action::Step(thread) = action { thread } else { last };
                    moved = true;
                    break;
                }
                Err(Halt { stop: Stop::Waits(_), .. }) => printed.text.truncate(said),
                // A failed assertion of a program that tests assertions ends its run.
                Err(Halt { stop: Stop::Failed(fault), .. }) if fault.assertion.is_some() => return Err(fault.message),
                Err(halt) => return Err(format!("{halt:?}")),
            }
        }
        if !moved {
            return Err("no thread can go on".into());
        }
    }
}

/// Everything that a program prints on sc, whichever thread goes first: what `java` prints is one of these.
fn all_texts(program: &Verified) -> BTreeSet<String> {
    let mut runner = Runner::new(program, Machine::Sc, Reduction::Persistent, &Limits::default());
    let start = setup_once(&mut runner.interpreter, &mut Choices::default()).expect("a setup that ends");
    let mut texts = BTreeSet::new();
    let mut open = vec![(start, None, String::new())];
    while let Some((mut state, action, text)) = open.pop() {
        let mut printed = Printed { program, text };
        if runner.advance(&mut state, action, &mut Choices::default(), &mut printed).is_err() {
            continue;
        }
        let actions = runner.interpreter.actions(&state);
        if actions.is_empty() {
            texts.insert(printed.text);
        } else {
            open.extend(actions.into_iter().map(|action| (state.clone(), Some(action), printed.text.clone())));
        }
    }
    texts
}

/// What `java` prints, if there is one.
fn java_prints(folder: &Path, class: &str) -> Option<String> {
    let output = Command::new("java").args(["-ea", "-cp"]).arg(folder).arg(class).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Programs that end in a failing assertion or exception on purpose.
const FAILING: [&str; 2] = ["Exceptions", "Threads"];

#[test]
fn programs_print_what_java_prints() {
    let mut compared = 0;
    for (folder, class) in programs() {
        let program = read(&folder, &class);
        for machine in [Machine::Sc, Machine::Tso, Machine::Pso, Machine::JmmUnder] {
            let printed = match run(&program, machine) {
                Ok(printed) => printed,
                Err(_) if FAILING.contains(&class.as_str()) => continue,
                Err(wrong) => panic!("{class} on {}: {wrong}", machine.name()),
            };
            match java_prints(&folder, &class).filter(|_| machine == Machine::Sc) {
                Some(expected) => {
                    let is_one = printed == expected || all_texts(&program).contains(&expected);
                    assert!(is_one, "{class} prints {printed:?}, java {expected:?}, and no schedule that");
                    compared += 1;
                }
                None => assert!(!printed.is_empty(), "{class}"),
            }
        }
    }
    match java_prints(&root(), "none") {
        Some(_) => assert!(compared >= 12, "only {compared} programs were compared"),
        None => println!("skipped: no JDK"),
    }
}

#[test]
fn numbers_are_written_as_java_writes_them() {
    let cases = [(1e10, "1.0E10"), (1e7, "1.0E7"), (123456.789, "123456.789"), (0.001, "0.001"), (1e-5, "1.0E-5")];
    cases.into_iter().for_each(|(number, text)| assert_eq!(as_java(number, false), text));
    assert_eq!(as_java(-0.0, false), "-0.0");
    assert_eq!(as_java(f64::NEG_INFINITY, false), "-Infinity");
    assert_eq!(as_java(f64::from(1.1f32), true), "1.1");
}

/// Nobody sees when the stores of a single thread get to memory.
#[test]
fn a_program_of_one_thread_has_one_execution_on_every_machine() {
    let program = read(&root().join("suites/java/features"), "Inners");
    for machine in [Machine::Sc, Machine::Tso, Machine::Pso] {
        let answer = operational::check(&program, machine, &operational::Options::default()).expect("supported");
        assert_eq!(answer.outcome.verdict, program::Verdict::Holds);
        assert_eq!(answer.explored.states, answer.explored.steps, "{}", machine.name());
    }
}
