//! Java's memory model from below, from above and exactly: what `jmm_under` finds `jmm-revised` allows, and what that allows
//! `jmm_over` finds. And the published tables about the two machines.

#[path = "../../axiomatic/tests/common/mod.rs"]
mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::random::Random;
use operational::{Assertions, Machine, Options, Reduction};
use program::{State, Verdict, Verified, verify};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn palisade(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(root()).args(arguments).output().expect("the binary runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

#[test]
fn the_published_tables_agree() {
    for table in ["opmm-1", "jpr-14"] {
        let output = palisade(&["repro", table]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    }
}

fn java_tests() -> Vec<(String, String, Verified)> {
    use frontend::jvm::{self, ClassFile};
    let mut tests = Vec::new();
    for entry in std::fs::read_dir(root().join("suites/java")).expect("the tests") {
        let path = entry.expect("an entry").path();
        let Ok(source) = std::fs::read_to_string(path.with_extension("java")) else { continue };
        if path.extension().is_none_or(|extension| extension != "class") {
            continue;
        }
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).expect("the class file");
        let file = ClassFile { name: name.clone(), bytes, source: Some((name.clone(), source.clone())) };
        let Ok(parsed) = jvm::load(&[file], &jvm::Options::default()) else { continue };
        tests.push((name, source, verify(parsed.program).expect("the law is kept")));
    }
    tests
}

#[test]
fn jmm_over_finds_what_java_allows() {
    let (mut allowed, mut forbidden) = (0, 0);
    for (name, source, program) in java_tests() {
        let options = Options { assertions: Assertions::Possible, ..Options::default() };
        let Ok(answer) = operational::check(&program, Machine::JmmOver, &options) else { continue };
        if source.contains("// expect jmm-revised allowed") {
            allowed += 1;
            assert!(answer.explored.found, "{name}: {:?}", answer.outcome.verdict);
        }
        assert!(answer.outcome.verdict != Verdict::Allowed, "{name}: an over-approximation allows nothing");
        forbidden += u32::from(answer.outcome.verdict == Verdict::Forbidden);
    }
    println!("{allowed} allowed outcomes found, {forbidden} shown to be forbidden");
    assert!(allowed > 15 && forbidden > 5, "{allowed} {forbidden}");
}

/// The heads of whole programs say what to expect of each machine.
#[test]
fn whole_programs_behave_as_expected() {
    let mut rows = 0;
    for folder in ["opmm", "jpr", "mcr"] {
        for entry in std::fs::read_dir(root().join("suites/java").join(folder)).expect("the programs") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|extension| extension != "java") {
                continue;
            }
            let source = std::fs::read_to_string(&path).expect("the source");
            let class = path.with_extension("class").display().to_string();
            for line in source.lines() {
                let ["//", "expect", machine, expected] = line.split_whitespace().collect::<Vec<_>>()[..] else {
                    continue;
                };
                let output = palisade(&["check", &class, "--engine", "operational", "--model", machine]);
                let (said, code) = (text(&output), output.status.code());
                // From below no program holds, from above none is violated.
                let is_right = match (machine, expected) {
                    ("jmm_under", "pass") => said.contains("Unknown: not found"),
                    ("jmm_over", "fail") => said.contains("Unknown: found"),
                    (_, "pass") => code == Some(0),
                    _ => code == Some(1),
                };
                assert!(is_right, "{class} on {machine}, expected {expected}: {said}");
                rows += 1;
            }
        }
    }
    assert!(rows > 80, "only {rows} expectations");
}

/// Threads of plain and volatile accesses, some under a lock, with values that depend on what was read.
fn random_program(random: &mut Random, threads: u64, length: u64) -> Verified {
    let mut text = String::from(
        "program random\nlanguage IR\nglobal x = 0:i32\nglobal y = 0:i32\nglobal v = 0:i32\nglobal m = 0:i32\n",
    );
    let mut observed = Vec::new();
    for thread in 0..threads {
        let (mut code, mut reads) = (String::new(), 0);
        let mut access = |random: &mut Random, code: &mut String| {
            let (cell, order) =
                [("x", "plain"), ("y", "plain"), ("x", "plain"), ("y", "plain"), ("v", "seq_cst{volatile}")]
                    [random.below(5) as usize];
            if random.below(2) == 0 {
                let value = match random.below(3) {
                    0 if reads > 0 => format!("%r{}", reads - 1),
                    _ => format!("{}:i32", 1 + random.below(2)),
                };
                code.push_str(&format!("    store &{cell}, {value} {order}\n"));
            } else {
                code.push_str(&format!("    %r{reads} := load &{cell} {order}\n"));
                observed.push(format!("{thread}:%r{reads}"));
                reads += 1;
            }
        };
        for _ in 0..length {
            if random.below(6) == 0 {
                code.push_str("    lock &m\n");
                access(random, &mut code);
                code.push_str("    unlock &m\n");
            } else {
                access(random, &mut code);
            }
        }
        let registers: Vec<String> = (0..reads.max(1)).map(|read| format!("r{read}")).collect();
        let registers = registers.join(", ");
        text.push_str(&format!("function P{thread}() {{\n  registers {registers}\n  b0:\n{code}    return\n}}\n"));
    }
    (0..threads).for_each(|thread| text.push_str(&format!("thread P{thread} = @P{thread}()\n")));
    if observed.is_empty() {
        observed.push("0:%r0".into());
    }
    text.push_str(&format!("exists true observed {}\n", observed.join(", ")));
    common::program(&text)
}

fn states(program: &Verified, machine: Machine, reduction: Reduction) -> BTreeSet<State> {
    let options = Options { reduction, ..Options::default() };
    let answer = operational::outcomes(program, machine, &options).unwrap_or_else(|what| panic!("{what:?}"));
    assert_eq!(answer.explored.incomplete, None, "{}", program::text::print(program));
    answer.outcome.states.expect("states").into_iter().map(|(state, _)| state).collect()
}

#[test]
fn under_is_part_of_over_on_random_programs() {
    let mut random = Random(90125);
    let mut more = 0;
    for round in 0..300 {
        let program = random_program(&mut random, 2 + u64::from(round % 3 == 0), 3);
        let under = states(&program, Machine::JmmUnder, Reduction::Persistent);
        let over = states(&program, Machine::JmmOver, Reduction::Persistent);
        let missing = under.difference(&over).next();
        assert!(missing.is_none(), "{}\njmm_over misses {missing:?}", program::text::print(&program));
        let all = states(&program, Machine::JmmOver, Reduction::None);
        assert_eq!(all, over, "{}\nthe reduction makes a difference", program::text::print(&program));
        more += u32::from(over.len() > under.len());
    }
    assert!(more > 10, "the future made a difference in {more} programs only");
}

#[test]
fn the_exact_model_lies_between_on_random_programs() {
    let mut random = Random(5150);
    let model = common::model("jmm-revised.mm");
    let mut compared = 0;
    for _ in 0..25 {
        let program = random_program(&mut random, 2, 2);
        let options = axiomatic::Options { explain: false, ..axiomatic::Options::default() };
        let Ok(outcome) = axiomatic::outcomes(&program, &model, &options, &mut |_| {}) else { continue };
        if matches!(outcome.verdict, Verdict::Unknown(_)) {
            continue;
        }
        let exact: BTreeSet<State> = outcome.states.expect("states").into_iter().map(|(state, _)| state).collect();
        let under = states(&program, Machine::JmmUnder, Reduction::Persistent);
        let over = states(&program, Machine::JmmOver, Reduction::Persistent);
        let text = || program::text::print(&program);
        let extra = under.difference(&exact).next();
        assert!(extra.is_none(), "{}\njmm_under finds {extra:?}", text());
        let missing = exact.difference(&over).next();
        assert!(missing.is_none(), "{}\njmm_over misses {missing:?}", text());
        compared += 1;
    }
    assert!(compared > 10, "only {compared} were compared");
}

#[test]
fn a_failure_is_written_as_a_schedule_and_replayed() {
    let path = std::env::temp_dir().join(format!("palisade-schedule-{}", std::process::id()));
    let schedule = path.display().to_string();
    let file = "suites/java/opmm/Dekker.class";
    let checked =
        palisade(&["check", file, "--engine", "operational", "--model", "jmm_under", "--schedule", &schedule]);
    assert_eq!(checked.status.code(), Some(1), "{}", text(&checked));
    let replayed = palisade(&["replay", file, &schedule]);
    let said = text(&replayed);
    assert_eq!(replayed.status.code(), Some(1), "{said}");
    assert!(said.contains("An assertion fails"), "{said}");
    let other = palisade(&["replay", "suites/java/opmm/Singleton.class", &schedule]);
    assert!(matches!(other.status.code(), Some(2 | 3)), "{}", text(&other));
    std::fs::remove_file(path).expect("the schedule is there");
}

#[test]
fn machines_have_names_and_others_are_refused() {
    let output = palisade(&["check", "suites/tour/SB.litmus", "--engine", "operational", "--model", "rc11"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("sc, tso, pso, jmm_under, jmm_over"), "{}", text(&output));
    let output = palisade(&["check", "suites/tour/SB.litmus", "--engine", "operational", "--machine", "sc"]);
    assert!(text(&output).contains("Forbidden"), "{}", text(&output));
    let output = palisade(&["check", "suites/c/dekker.c", "--engine", "operational"]);
    assert!(text(&output).contains("Holds") || text(&output).contains("Violated"), "{}", text(&output));
}

#[test]
fn races_are_benign_when_assertions_hold_from_above() {
    let hash = palisade(&["races", "suites/java/jpr/Hash.class"]);
    assert_eq!(hash.status.code(), Some(0), "{}", text(&hash));
    assert!(text(&hash).contains("Benign") && text(&hash).contains("Hash.java:"), "{}", text(&hash));
    let hash2 = palisade(&["races", "suites/java/jpr/Hash2.class"]);
    assert_eq!(hash2.status.code(), Some(1), "{}", text(&hash2));
    let none = palisade(&["races", "suites/java/opmm/DclVol.class", "--format", "json"]);
    assert_eq!(none.status.code(), Some(0), "{}", text(&none));
    assert!(text(&none).contains("\"races\":[]"), "{}", text(&none));
}

#[test]
fn a_time_limit_gives_unknown() {
    let path = std::env::temp_dir().join(format!("palisade-long-{}.c", std::process::id()));
    let code = "#include <pthread.h>\nint x;\nvoid *count(void *p) { for (int i = 0; i < 100000; i++) x++; return 0; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, count, 0); count(0); pthread_join(t, 0); return 0; }\n";
    std::fs::write(&path, code).expect("the program is written");
    let file = path.display().to_string();
    let output = palisade(&["check", &file, "--engine", "operational", "--timeout", "0.1"]);
    let said = text(&output);
    std::fs::remove_file(path).expect("the program is there");
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("the time limit") && said.contains("Explored:"), "{said}");
}
