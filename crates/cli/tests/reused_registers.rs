//! Litmus tests in C that use few local variables again and again, with loops and all sorts of read-modify-writes: the
//! models sc, tso and pso, the machines of the same names by search and by maximal causality reduction, and a brute-force
//! machine have the same final states; of tests with one thread gcc is the judge.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use operational::{Limits, Machine};
use program::{State, Verdict, Verified, verify};
use testing::campaign::{self, Tally};
use testing::explorer::{self, explore_up_to};
use testing::random::Random;

const MACHINES: [(Machine, explorer::Machine, &str); 3] = [
    (Machine::Sc, explorer::Machine::Sc, "sc.cat"),
    (Machine::Tso, explorer::Machine::Tso, "tso.cat"),
    (Machine::Pso, explorer::Machine::Pso, "pso.cat"),
];

const LOCALS: [&str; 3] = ["a", "b", "c"];

fn pick<'a>(random: &mut Random, list: &[&'a str]) -> &'a str {
    list[random.below(list.len() as u64) as usize]
}

/// A local variable, a small number, or something computed from the two.
fn expression(random: &mut Random) -> String {
    let (local, other) = (pick(random, &LOCALS), pick(random, &LOCALS));
    match random.below(7) {
        0 | 1 => local.into(),
        2 => random.below(3).to_string(),
        3 => format!("{local} + {}", 1 + random.below(2)),
        4 => format!("({local} == {other})"),
        5 => format!("!{local}"),
        _ => format!("({local} ? {other} : {})", random.below(3)),
    }
}

fn compare_exchange(random: &mut Random, place: &str) -> String {
    let strength = if random.below(4) == 0 { "weak" } else { "strong" };
    let (expected, desired) = (pick(random, &LOCALS), expression(random));
    match random.below(3) {
        0 => format!(
            "atomic_compare_exchange_{strength}_explicit({place}, &{expected}, {desired}, memory_order_acq_rel, \
             memory_order_relaxed)"
        ),
        _ => format!("atomic_compare_exchange_{strength}({place}, &{expected}, {desired})"),
    }
}

/// Which statements may occur.
#[derive(Clone, Copy)]
struct Kinds {
    /// Statements that wait for another thread.
    waits: bool,
    /// How deep statements may be nested.
    depth: u32,
}

fn statement(random: &mut Random, kinds: Kinds) -> String {
    let (place, local) = (pick(random, &["x", "y"]), pick(random, &LOCALS));
    let inner = Kinds { depth: kinds.depth.saturating_sub(1), ..kinds };
    match random.below(18) {
        0 | 1 => format!("{local} = atomic_load_explicit({place}, memory_order_relaxed);"),
        2 | 3 => format!("atomic_store_explicit({place}, {}, memory_order_relaxed);", expression(random)),
        4 => format!("{local} = atomic_exchange({place}, {});", expression(random)),
        5 => {
            let change = pick(random, &["add", "sub", "or", "xor", "and"]);
            format!("{local} = atomic_fetch_{change}({place}, {});", expression(random))
        }
        6..=9 => format!("{local} = {};", compare_exchange(random, place)),
        10 => format!("{};", compare_exchange(random, place)),
        11 => format!("{local} = {} && {};", pick(random, &LOCALS), compare_exchange(random, place)),
        12 => format!("{local} = {} ? {local} : 2;", compare_exchange(random, place)),
        13 => format!("{local} += {};", expression(random)),
        14 if kinds.depth > 0 => {
            let condition = match random.below(2) {
                0 => expression(random),
                _ => compare_exchange(random, place),
            };
            format!("if ({condition}) {{ {} }} else {{ {} }}", statement(random, inner), statement(random, inner))
        }
        15 if kinds.depth > 0 => {
            format!("for (i = 0; i < 2; i++) {{ {} }}", statement(random, Kinds { depth: 0, ..kinds }))
        }
        16 => {
            let success = pick(random, &LOCALS);
            let expected = if success == local { LOCALS[usize::from(local == "a")] } else { local };
            format!(
                "do {{ {expected} = atomic_load({place}); {success} = atomic_compare_exchange_strong({place}, &{expected}, \
                 {expected} + 1); }} while (!{success});"
            )
        }
        17 if kinds.waits => format!("while (atomic_load({place}) == 0) ;"),
        _ => format!("{local} = {};", expression(random)),
    }
}

fn statements(random: &mut Random, count: u64, kinds: Kinds) -> String {
    (0..count).map(|_| format!("  {}\n", statement(random, kinds))).collect()
}

const HEAD: &str = "  int a = 0;\n  int b = 1;\n  int c = 2;\n  int i = 0;\n";

/// A test with these bodies of threads that observes everything.
fn litmus(bodies: &[String]) -> String {
    let threads = bodies.iter().enumerate();
    let threads: String =
        threads.map(|(index, body)| format!("P{index} (atomic_int *x, atomic_int *y) {{\n{HEAD}{body}}}\n")).collect();
    let locals = (0..bodies.len()).flat_map(|thread| LOCALS.map(|local| format!("{thread}:{local};")));
    format!("C test\n{{ x = 1; }}\n{threads}locations [x; y; {}]\nexists (x=0)\n", locals.collect::<String>())
}

fn load(text: &str) -> Verified {
    let parsed = frontend::litmus::parse("test.litmus", text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    verify(parsed.program).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
}

type States = BTreeSet<State>;

fn modelled(program: &Verified, model: &str) -> Option<States> {
    let outcome = campaign::soon(|interrupt| {
        let budget = sat::Budget { interrupt, ..sat::Budget::default() };
        let options = axiomatic::Options { explain: false, budget, ..axiomatic::Options::default() };
        axiomatic::outcomes(program, &testing::model(model), &options, &mut |_| {})
    });
    states(outcome.expect("supported"))
}

fn searched(program: &Verified, machine: Machine) -> Option<States> {
    let answer = campaign::soon(|interrupt| {
        let limits = Limits { interrupt, ..Limits::default() };
        let options = operational::Options { limits, explain: false, ..operational::Options::default() };
        operational::outcomes(program, machine, &options)
    });
    states(answer.expect("supported").outcome)
}

fn reduced(program: &Verified, machine: Machine) -> Option<States> {
    let answer = campaign::soon(|interrupt| {
        let limits = Limits { interrupt, ..Limits::default() };
        mcr::outcomes(program, machine, &mcr::Options { limits, ..mcr::Options::default() })
    });
    states(answer.expect("supported").outcome)
}

/// The final states, if they are all.
fn states(outcome: program::Outcome) -> Option<States> {
    let is_known = !matches!(outcome.verdict, Verdict::Unknown(_));
    is_known.then(|| outcome.states.into_iter().flatten().map(|(state, _)| state).collect())
}

/// Each engine has the final states of brute force, where it has all of its own.
fn compare(text: &str, tally: &mut Tally) {
    let program = load(text);
    let mut all_know = true;
    for (machine, brute, model) in MACHINES {
        let Some(expected) = explore_up_to(&program, brute, 100_000) else {
            all_know = false;
            continue;
        };
        tally.count(&format!("brute force {}", machine.name()));
        let answers = [
            ("model", modelled(&program, model)),
            ("search", searched(&program, machine)),
            ("mcr", reduced(&program, machine)),
        ];
        for (who, found) in answers {
            all_know &= found.is_some();
            let Some(found) = found else { continue };
            tally.count(&format!("{who} {}", machine.name()));
            let missing = expected.difference(&found).next();
            let extra = found.difference(&expected).next();
            assert!(missing.is_none(), "{who} misses {missing:?} on {}\n{text}", machine.name());
            assert!(extra.is_none(), "{who} invents {extra:?} on {}\n{text}", machine.name());
        }
    }
    tally.count_if(all_know, "decided by all");
}

fn several_threads(random: &mut Random) -> String {
    let threads = 2 + random.below(2);
    let most = if threads == 2 { 3 } else { 2 };
    let bodies = (0..threads).map(|_| {
        let count = 1 + random.below(most);
        statements(random, count, Kinds { waits: true, depth: 1 })
    });
    litmus(&bodies.collect::<Vec<_>>())
}

fn reuse(random: &mut Random, tally: &mut Tally) {
    compare(&several_threads(random), tally);
}

#[test]
fn all_engines_have_the_final_states_of_brute_force() {
    let tally = campaign::run(1, 30, reuse);
    assert!(tally.of("decided by all") > 20, "{tally:?}");
}

/// `SEED=7 TIMES=2000 cargo test -p palisade-cli --test reused_registers -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn all_engines_have_the_final_states_of_brute_force_on_many_programs() {
    let (first, times) = campaign::asked(2_500);
    campaign::run(first, times, reuse);
}

/// What gcc's code leaves in x, y, a, b and c, one line for each body; `None` without gcc.
fn run_by_gcc(bodies: &[String], name: &str) -> Option<Vec<Vec<i64>>> {
    let mut text = String::from("#include <stdatomic.h>\n#include <stdio.h>\n");
    for (index, body) in bodies.iter().enumerate() {
        text.push_str(&format!(
            "static void f{index}(void) {{\n  atomic_int gx = 1, gy = 0, *x = &gx, *y = &gy;\n{HEAD}{body}\
             \x20 printf(\"%d %d %d %d %d\\n\", gx, gy, a, b, c); (void)i;\n}}\n"
        ));
    }
    let calls: String = (0..bodies.len()).map(|index| format!("  f{index}();\n")).collect();
    text.push_str(&format!("int main(void) {{\n{calls}  return 0;\n}}\n"));
    let folder = std::env::temp_dir();
    let stem = format!("palisade_{name}_{}", std::process::id());
    let (source, binary) = (folder.join(format!("{stem}.c")), folder.join(&stem));
    std::fs::write(&source, text).expect("a file");
    let compiled = Command::new("gcc").args(["-O0", "-w", "-o"]).arg(&binary).arg(&source).status();
    let output = compiled.is_ok_and(|status| status.success()).then(|| Command::new(&binary).output());
    let _ = (std::fs::remove_file(&source), std::fs::remove_file(&binary));
    let output = String::from_utf8(output?.expect("a run").stdout).expect("text");
    let line = |line: &str| line.split(' ').map(|word| word.parse().expect("a number")).collect();
    Some(output.lines().map(line).collect())
}

fn sequential(seed: u64, times: u64) {
    let mut random = Random(seed);
    let bodies: Vec<String> = (0..times)
        .map(|_| {
            let count = 2 + random.below(4);
            statements(&mut random, count, Kinds { waits: false, depth: 2 }).replace("weak", "strong")
        })
        .collect();
    let Some(results) = run_by_gcc(&bodies, &format!("registers{seed}")) else {
        println!("skipped: no gcc");
        return;
    };
    for (body, expected) in bodies.iter().zip(&results) {
        let text = litmus(std::slice::from_ref(body));
        let program = load(&text);
        for model in ["sc.cat", "rc11.cat", "c11.cat"] {
            if let Some(found) = modelled(&program, model) {
                assert_eq!(numbers(&program, &found), std::slice::from_ref(expected), "{model}\n{text}");
            }
        }
        for found in [searched(&program, Machine::Tso), reduced(&program, Machine::Sc)].into_iter().flatten() {
            assert_eq!(numbers(&program, &found), std::slice::from_ref(expected), "a machine\n{text}");
        }
    }
    println!("{times} programs");
}

/// What x, y, a, b and c hold in each state.
fn numbers(program: &Verified, states: &States) -> Vec<Vec<i64>> {
    let row = |state: &State| {
        let named: BTreeMap<String, i64> = state
            .iter()
            .map(|(observable, value)| {
                let program::Value::Int(int) = value else { panic!("{value:?}") };
                (program.observable_name(observable), int.signed())
            })
            .collect();
        ["x", "y", "0:a", "0:b", "0:c"].map(|name| named[name]).to_vec()
    };
    states.iter().map(row).collect()
}

#[test]
fn one_thread_does_what_gcc_makes_of_it() {
    sequential(77, 60);
}

/// `SEED=7 TIMES=2000 cargo test -p palisade-cli --test reused_registers -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn one_thread_does_what_gcc_makes_of_it_in_many_programs() {
    let (seed, times) = campaign::asked(2_000);
    sequential(seed, times);
}

#[track_caller]
fn ends_with(body: &str, expected: [i64; 5]) {
    let text = litmus(&[format!("  {body}\n")]);
    let program = load(&text);
    let answers = [
        modelled(&program, "sc.cat"),
        modelled(&program, "rc11.cat"),
        searched(&program, Machine::Sc),
        reduced(&program, Machine::Pso),
    ];
    for found in answers {
        assert_eq!(numbers(&program, &found.expect("all states")), [expected.to_vec()], "{body}");
    }
}

#[test]
fn the_desired_value_is_read_before_success_is_known() {
    ends_with("a = atomic_compare_exchange_strong(x, &b, a);", [0, 0, 1, 1, 2]);
    ends_with(
        "c = atomic_compare_exchange_weak(y, &b, c) || atomic_compare_exchange_strong(y, &b, c);",
        [1, 2, 0, 0, 1],
    );
    ends_with(
        "c = atomic_compare_exchange_strong_explicit(x, &b, c, memory_order_relaxed, memory_order_relaxed);",
        [2, 0, 0, 1, 1],
    );
}

#[test]
fn success_is_kept_where_the_expected_variable_gets_it() {
    ends_with("c = atomic_compare_exchange_strong(x, &c, c);", [1, 0, 0, 1, 0]);
    ends_with("b = atomic_compare_exchange_strong(x, &b, c);", [2, 0, 0, 1, 2]);
    ends_with("b = atomic_compare_exchange_strong(y, &b, b);", [1, 0, 0, 0, 2]);
}

#[test]
fn an_exchange_gives_its_register_the_old_value() {
    ends_with("c = atomic_exchange(x, c);", [2, 0, 0, 1, 1]);
    ends_with("c = atomic_fetch_add(x, c);", [3, 0, 0, 1, 1]);
    ends_with("a = b = atomic_fetch_sub(x, b);", [0, 0, 1, 1, 2]);
}
