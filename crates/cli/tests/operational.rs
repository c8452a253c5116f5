//! The two families of engines against each other: the machines sc, tso and pso have the final states that the models of
//! the same names allow, and what they show as a witness the models allow.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use operational::{Machine, Options, Reduction};
use program::{Property, State, Verdict, Verified, verify};
use testing::effort::programs;
use testing::random::{Random, Shape, program};

const MACHINES: [(Machine, &str); 3] = [(Machine::Sc, "sc.cat"), (Machine::Tso, "tso.cat"), (Machine::Pso, "pso.cat")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn axiomatic_states(program: &Verified, model: &axiomatic::Model) -> Option<BTreeSet<State>> {
    let options = axiomatic::Options { explain: false, ..axiomatic::Options::default() };
    let outcome = axiomatic::outcomes(program, model, &options, &mut |_| {}).ok()?;
    let is_known = !matches!(outcome.verdict, Verdict::Unknown(_));
    is_known.then(|| outcome.states.expect("states").into_iter().map(|(state, _)| state).collect())
}

/// The final states; every witness must be one that the model allows. `None` if some execution ends in an error, such as
/// a division by 0, where the other engine goes on with an undefined value.
fn operational_states(program: &Verified, machine: Machine, model: &axiomatic::Model) -> Option<BTreeSet<State>> {
    let options = Options { explain: true, ..Options::default() };
    let answer = operational::outcomes(program, machine, &options).unwrap_or_else(|what| panic!("{what:?}"));
    if let Some(reason) = &answer.explored.incomplete {
        assert!(reason.contains("ends in an error"), "{reason}");
        return None;
    }
    let states = answer.outcome.states.expect("states");
    for (state, witness) in &states {
        let witness = witness.as_ref().expect("a witness");
        assert_eq!(&witness.state, state);
        let broken = axiomatic::broken_axioms(witness, model);
        assert!(broken.is_empty(), "{broken:?}\n{}\n{witness:?}", program::text::print(program));
    }
    Some(states.into_iter().map(|(state, _)| state).collect())
}

/// Whether the two could be compared.
fn assert_agreement(program: &Verified, machine: Machine, model: &axiomatic::Model) -> bool {
    let Some(expected) = axiomatic_states(program, model) else { return false };
    let Some(found) = operational_states(program, machine, model) else { return false };
    let text = || program::text::print(program);
    let missing = expected.difference(&found).next();
    assert!(missing.is_none(), "{}\nthe machine {} misses {missing:?}", text(), machine.name());
    let extra = found.difference(&expected).next();
    assert!(extra.is_none(), "{}\nthe model {} forbids {extra:?}", text(), machine.name());
    let options = Options { reduction: Reduction::None, ..Options::default() };
    let all = operational::outcomes(program, machine, &options).expect("supported").outcome.states.expect("states");
    let all: BTreeSet<State> = all.into_iter().map(|(state, _)| state).collect();
    assert_eq!(all, found, "{}\nthe reduction makes a difference on {}", text(), machine.name());
    let (of_classes, all) = states_of_classes(program, machine, model);
    let agrees = if all { of_classes == found } else { of_classes.is_subset(&found) };
    assert!(agrees, "{}\nmcr differs on {}: {of_classes:?}", text(), machine.name());
    true
}

/// The final states of one execution for each class, and whether these are all classes. Every witness must be one that the
/// model allows.
fn states_of_classes(program: &Verified, machine: Machine, model: &axiomatic::Model) -> (BTreeSet<State>, bool) {
    let budget = mcr::histories::explore::Budget { executions: 500, ..mcr::histories::explore::Budget::default() };
    let options = mcr::Options { explain: true, budget, ..mcr::Options::default() };
    let answer = mcr::outcomes(program, machine, &options).unwrap_or_else(|what| panic!("{what:?}"));
    assert_eq!(answer.figures.redundant, 0, "{}", program::text::print(program));
    let states = answer.outcome.states.expect("states");
    for (state, witness) in &states {
        let witness = witness.as_ref().expect("a witness");
        assert_eq!(&witness.state, state);
        let broken = axiomatic::broken_axioms(witness, model);
        assert!(broken.is_empty(), "{broken:?}\n{}\n{witness:?}", program::text::print(program));
    }
    let is_all = !matches!(answer.outcome.verdict, Verdict::Unknown(_));
    (states.into_iter().map(|(state, _)| state).collect(), is_all)
}

const PLAIN: Shape = Shape::PLAIN;
const RICH: Shape = Shape { rich: true, ..PLAIN };
const SHAPES: [Shape; 5] = [
    PLAIN,
    RICH,
    Shape { pointers: true, ..RICH },
    Shape { c11: true, ..RICH },
    Shape { instructions: 6, arithmetic: true, ..RICH },
];

#[test]
fn machines_have_the_final_states_of_their_models_on_random_programs() {
    let mut random = Random(77);
    let mut compared = 0;
    for iteration in 0..programs::<usize>(150) {
        let program = program(&mut random, SHAPES[iteration % SHAPES.len()]);
        for (machine, model) in MACHINES {
            compared += u32::from(assert_agreement(&program, machine, &testing::model(model)));
        }
    }
    assert!(compared > programs::<u32>(350), "only {compared} were compared");
}

/// Threads of stores, loads, volatile ones among them, all kinds of fences and atomic blocks of one or two accesses.
fn random_text(random: &mut Random) -> String {
    let mut text = String::from("program random\nlanguage IR\nglobal x = 0:i32\nglobal y = 0:i32\n");
    let threads = 2 + random.below(2);
    let mut observed = vec!["x".to_string(), "y".to_string()];
    for thread in 0..threads {
        let mut code = String::new();
        let mut reads = 0;
        let mut access = |random: &mut Random, code: &mut String| {
            let cell = ["x", "y"][random.below(2) as usize];
            let order = if random.below(5) == 0 { "seq_cst{volatile}" } else { "plain" };
            if random.below(2) == 0 {
                code.push_str(&format!("    store &{cell}, {}:i32 {order}\n", 1 + random.below(2)));
            } else {
                code.push_str(&format!("    %r{reads} := load &{cell} {order}\n"));
                observed.push(format!("{thread}:%r{reads}"));
                reads += 1;
            }
        };
        for _ in 0..3 + random.below(2) {
            match random.below(8) {
                0 => {
                    let fences = ["plain{SL}", "plain{SS}", "plain{MFENCE}", "plain{LFENCE}", "release", "seq_cst"];
                    code.push_str(&format!("    fence {}\n", fences[random.below(6) as usize]));
                }
                1 => {
                    code.push_str("    atomic_begin\n");
                    (0..1 + random.below(2)).for_each(|_| access(random, &mut code));
                    code.push_str("    atomic_end\n");
                }
                _ => access(random, &mut code),
            }
        }
        let registers: Vec<String> = (0..reads.max(1)).map(|read| format!("r{read}")).collect();
        text.push_str(&format!(
            "function P{thread}() {{\n  registers {}\n  b0:\n{code}    return\n}}\n",
            registers.join(", ")
        ));
    }
    (0..threads).for_each(|thread| text.push_str(&format!("thread P{thread} = @P{thread}()\n")));
    if threads == 3 && random.below(3) == 0 {
        text.push_str("order 0 before 2\n");
    }
    text.push_str(&format!("exists true observed {}\n", observed.join(", ")));
    text
}

#[test]
fn fences_and_atomic_blocks_mean_the_same_to_both() {
    let mut random = Random(4711);
    let mut compared = 0;
    for _ in 0..programs::<u64>(200) {
        let program = testing::program(&random_text(&mut random));
        for (machine, model) in MACHINES {
            compared += u32::from(assert_agreement(&program, machine, &testing::model(model)));
        }
    }
    assert!(compared > programs::<u32>(300), "only {compared} were compared");
}

/// Blocks that are reused hold what was last in them; accesses to freed ones are no errors.
#[test]
fn blocks_that_are_given_out_again_mean_the_same_to_all() {
    let thread = |number: u32, code: &str| format!("function P{number}() {{ registers a, r, s b0: {code} return }}\n");
    let takes = "%a := allocate n = 0:i32 reuse";
    let pairs = [
        (
            format!("{takes} store %a, 1:i32 plain free %a"),
            format!("{takes} %r := load %a plain store %a, 2:i32 plain"),
        ),
        (
            format!("{takes} store %a, 1:i32 plain store &x, %a plain %r := load %a plain free %a"),
            format!("%r := load &y plain {takes} %s := load %a plain store %a, 2:i32 plain free %a"),
        ),
        (
            format!("{takes} store %a, 1:i32 plain %r := load &y plain free %a"),
            format!("store &y, 1:i32 plain {takes} %s := load %a plain %r := load &x plain"),
        ),
    ];
    let mut compared = 0;
    for (first, second) in pairs {
        let text = format!(
            "program reuse\nlanguage IR\nglobal x = 0:i32\nglobal y = 0:i32\n{}{}thread P0 = @P0()\nthread P1 = @P1()\n\
             exists true observed 0:%r, 1:%r, 1:%s\n",
            thread(0, &first),
            thread(1, &second)
        );
        let program = testing::program(&text);
        for (machine, model) in MACHINES {
            let expected = axiomatic_states(&program, &testing::model(model));
            let answer = operational::outcomes(&program, machine, &Options::default()).expect("supported");
            let found = answer.outcome.states.expect("states").into_iter().map(|(state, _)| state).collect();
            assert_eq!(expected.as_ref(), Some(&found), "{text}\n{}", machine.name());
            let by_class = mcr::outcomes(&program, machine, &Default::default()).expect("supported");
            let by_class = by_class.outcome.states.expect("states").into_iter().map(|(state, _)| state).collect();
            assert_eq!(found, by_class, "{text}\n{}", machine.name());
            compared += found.len();
        }
    }
    assert!(compared > 12, "only {compared} final states");
}

fn read(path: &Path) -> Option<Verified> {
    let text = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let parsed = frontend::litmus::parse(&path.display().to_string(), &text).ok()?;
    verify(parsed.program).ok()
}

#[test]
fn both_agree_on_the_tour() {
    let folder = root().join("suites/tour");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("the tour") {
        let program = read(&entry.expect("an entry").path()).expect("a litmus test");
        for (machine, model) in MACHINES {
            compared += u32::from(assert_agreement(&program, machine, &testing::model(model)));
        }
    }
    assert!(compared > 60, "only {compared} were compared");
}

#[test]
fn every_public_x86_row_is_right_on_tso() {
    let folder = root().join("../shared/suites");
    let Ok(table) = std::fs::read_to_string(folder.join("expected.tsv")) else {
        println!("skipped: no public suites");
        return;
    };
    let (mut rows, mut wrong) = (0, Vec::new());
    for line in table.lines() {
        let [file, "tso", answer] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
        if !file.starts_with("litmus/X86/") {
            continue;
        }
        rows += 1;
        let program = read(&folder.join(file)).expect("a litmus test");
        let answered = operational::check(&program, Machine::Tso, &Options::default());
        use program::{Quantifier, Verdict};
        let quantifier = program.question.as_ref().map(|question| question.quantifier);
        let validated = match answered.map(|answer| answer.outcome.verdict) {
            Ok(Verdict::Allowed) => quantifier == Some(Quantifier::Exists),
            Ok(Verdict::Forbidden) => quantifier == Some(Quantifier::NotExists),
            Ok(Verdict::Holds) => true,
            Ok(Verdict::Violated) => false,
            other => {
                wrong.push(format!("{file}: {other:?}"));
                continue;
            }
        };
        if validated != (answer == "Ok") {
            wrong.push(format!("{file}: {validated}"));
        }
    }
    assert!(rows > 0 && wrong.is_empty(), "{} of {rows}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What the head of a Java test expects of a model.
fn expected(source: &str, model: &str) -> Option<bool> {
    let words = source.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.into_iter().find_map(|words| match words[..] {
        ["//", "expect", name, answer, ..] if name == model => Some(answer == "allowed"),
        _ => None,
    })
}

/// `jmm_under` finds nothing that Java's model forbids, and all that is sequentially consistent.
#[test]
fn machines_keep_to_what_the_java_tests_expect() {
    use frontend::jvm::{self, ClassFile};
    use program::Verdict;
    let (mut rows, mut found, mut wrong) = (0, 0, Vec::new());
    for entry in std::fs::read_dir(root().join("suites/java")).expect("the tests") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "class") {
            continue;
        }
        let Ok(source) = std::fs::read_to_string(path.with_extension("java")) else { continue };
        let (sc, jmm) = (expected(&source, "sc"), expected(&source, "jmm-revised"));
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).expect("the class file");
        let file = ClassFile { name: name.clone(), bytes, source: Some((name.clone(), source)) };
        let Ok(parsed) = jvm::load(&[file], &jvm::Options::default()) else { continue };
        let program = verify(parsed.program).expect("the law is kept");
        let ask = |machine: Machine| {
            let options = Options { property: Property::Possible, ..Options::default() };
            operational::check(&program, machine, &options).map(|answer| answer.outcome.verdict)
        };
        rows += 1;
        let (on_sc, under) = (ask(Machine::Sc), ask(Machine::JmmUnder));
        let sc_is_right = match &on_sc {
            Ok(Verdict::Allowed) => sc != Some(false) && under == Ok(Verdict::Allowed),
            Ok(Verdict::Forbidden) => sc != Some(true),
            _ => false,
        };
        let under_is_right = match &under {
            Ok(Verdict::Allowed) => jmm != Some(false),
            Ok(Verdict::Unknown(_)) => true,
            _ => false,
        };
        found += u32::from(under == Ok(Verdict::Allowed));
        if !sc_is_right || !under_is_right {
            wrong.push(format!("{name}: sc {on_sc:?} expected {sc:?}, jmm_under {under:?} expected {jmm:?}"));
        }
    }
    println!("{rows} tests, {found} outcomes found by jmm_under");
    assert!(rows > 30 && found > 0 && wrong.is_empty(), "{} of {rows}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every Java test that both engines can answer has the same verdict from both, for both questions.
#[test]
fn both_agree_on_the_java_tests() {
    use frontend::jvm::{self, ClassFile};
    use program::Verdict;
    let mut compared = 0;
    for entry in std::fs::read_dir(root().join("suites/java")).expect("the tests") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "class") {
            continue;
        }
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).expect("the class file");
        let file = ClassFile { name: name.clone(), bytes, source: None };
        let Ok(parsed) = jvm::load(&[file], &jvm::Options::default()) else { continue };
        let program = verify(parsed.program).expect("the law is kept");
        for (machine, model) in MACHINES {
            for property in [Property::Possible, Property::Always] {
                let options = Options { property, ..Options::default() };
                let Ok(found) = operational::check(&program, machine, &options) else { continue };
                let options = axiomatic::Options { property, explain: false, ..axiomatic::Options::default() };
                let Ok(expected) = axiomatic::check(&program, &testing::model(model), &options) else { continue };
                let (found, expected) = (found.outcome.verdict, expected.verdict);
                if matches!(expected, Verdict::Unknown(_)) {
                    continue;
                }
                assert_eq!(found, expected, "{name} on {}, {property:?}", machine.name());
                compared += 1;
            }
        }
    }
    println!("{compared} answers compared");
    assert!(compared > 100, "only {compared} answers were compared");
}
