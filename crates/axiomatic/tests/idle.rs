//! Iterations that make no difference are left out: nothing is lost by that.

use std::collections::BTreeSet;

use axiomatic::Iterations;
use axiomatic::{Model, Options, Specification, consistency, outcomes};
use program::{FailureKind, Outcome, State, Verdict, Verified};
use testing::judge::check_witness;
use testing::random::Random;
use testing::{model, program};

fn run(program: &Verified, model: &Model, iterations: u32, leave_out_idle_iterations: bool) -> Outcome {
    let options =
        Options { iterations: Iterations::of_each(iterations), leave_out_idle_iterations, ..Options::default() };
    outcomes(program, model, &options, &mut |_| {}).unwrap_or_else(|what| panic!("{what:?}"))
}

fn states(outcome: &Outcome) -> BTreeSet<State> {
    outcome.states.iter().flatten().map(|(state, _)| state.clone()).collect()
}

/// What a loop or the code after it does.
fn instruction(random: &mut Random, thread: u64, register: &mut u64, c11: bool) -> String {
    let cell = |random: &mut Random| ["x", "y", "z"][random.below(3) as usize];
    let orders =
        |random: &mut Random, list: [&'static str; 3]| if c11 { list[random.below(3) as usize] } else { "plain" };
    let known = *register;
    let mut next = || {
        *register += 1;
        *register - 1
    };
    match random.below(9) {
        0..4 => {
            let order = orders(random, ["relaxed", "acquire", "seq_cst"]);
            format!("%r{} := load &{} {order}", next(), cell(random))
        }
        4 => {
            let order = orders(random, ["relaxed", "release", "seq_cst"]);
            format!("store &{}, {}:i32 {order}", cell(random), 1 + random.below(2))
        }
        // As if to a block of memory of its own that is given away later.
        5 if known > 0 => format!("store &own{thread}, %r{} plain", random.below(known)),
        6 => format!("%r{} := load &own{} plain", next(), 1 - thread),
        7 => {
            let order = if c11 { "acq_rel" } else { "plain" };
            let (expected, desired) = (random.below(2), 1 + random.below(2));
            let (old, success) = (next(), next());
            format!(
                "%r{old}, %r{success} := compare_exchange &{}, {expected}:i32, {desired}:i32 {order} else relaxed",
                cell(random)
            )
        }
        _ if c11 => "fence seq_cst".into(),
        _ => format!("fence plain{{{}}}", ["SL", "LL", "SS", "AL"][random.below(4) as usize]),
    }
}

/// Two threads; each has code, a loop that is left when something read in it is what it should be, and code after it.
fn looping(random: &mut Random, c11: bool) -> Verified {
    let mut text = String::from("program looping\nlanguage IR\n");
    for cell in ["x", "y", "z", "own0", "own1"] {
        text += &format!("global {cell} = 0:i32\n");
    }
    let mut observed = vec!["x".to_string(), "y".into(), "own0".into(), "own1".into()];
    let mut threads = String::new();
    for thread in 0..2 {
        let mut register = 0;
        let part = |random: &mut Random, register: &mut u64, least: u64| {
            let count = least + random.below(3 - least);
            (0..count).map(|_| instruction(random, thread, register, c11)).collect::<Vec<_>>().join("\n    ")
        };
        let before = part(random, &mut register, 0);
        let first = part(random, &mut register, 1);
        let cell = ["x", "y", "z"][random.below(3) as usize];
        let order = if c11 { "acquire" } else { "plain" };
        let read = register;
        let test = format!(
            "%r{read} := load &{cell} {order} %c := {} %r{read}, {}:i32",
            ["eq", "ne"][random.below(2) as usize],
            random.below(2)
        );
        register += 1;
        let second = part(random, &mut register, 0);
        let body = match random.below(3) {
            0 => {
                format!("b1: {first}\n    {second}\n    {test} branch %c, b4, b1 join b4\n  b2: jump b4\n  b3: jump b4")
            }
            1 => format!("b1: {first}\n    {test} jump b2\n  b2: {second} branch %c, b4, b3 join b4\n  b3: jump b1"),
            // What comes after the test is skipped in the last iteration.
            _ => format!("b1: {test} branch %c, b4, b2 join b4\n  b2: {first}\n    {second} jump b3\n  b3: jump b1"),
        };
        let after = part(random, &mut register, 0);
        let registers: Vec<String> = (0..register).map(|number| format!("r{number}")).collect();
        // Registers are undefined as long as nothing was read.
        let zeros: Vec<String> = registers.iter().map(|name| format!("%{name} := copy 0:i32")).collect();
        text += &format!(
            "function P{thread}() {{\n  registers {}, c\n  b0: {}\n    {before} jump b1\n  {body}\n  b4: {after} return\n}}\n",
            registers.join(", "),
            zeros.join(" ")
        );
        threads += &format!("thread P{thread} = @P{thread}()\n");
        let seen = registers.iter().filter(|_| random.below(3) > 0);
        observed.extend(seen.map(|name| format!("{thread}:%{name}")));
    }
    program(&format!("{text}{threads}exists true\nobserved {}\n", observed.join(", ")))
}

fn nothing_is_lost(file: &str, seed: u64, programs: u32) {
    let model = model(file);
    let mut random = Random(seed);
    // `TIMES=50 cargo test ..` looks at more programs.
    let times = std::env::var("TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let programs = programs * times;
    let (mut settled, mut gained) = (0, 0);
    for _ in 0..programs {
        let program = looping(&mut random, file == "rc11.cat");
        let lean = run(&program, &model, 2, true);
        let full = run(&program, &model, 4, false);
        if matches!(lean.verdict, Verdict::Unknown(_)) {
            continue;
        }
        settled += 1;
        gained += u32::from(matches!(full.verdict, Verdict::Unknown(_)));
        let (kept, all) = (states(&lean), states(&full));
        let lost: Vec<_> = all.difference(&kept).collect();
        assert!(lost.is_empty(), "{}\nunder {file}: {lost:?}", program::text::print(&program));
        for (_, witness) in lean.states.iter().flatten() {
            check_witness(&program, &model, witness.as_ref().expect("a witness"));
        }
    }
    assert!(settled > programs / 4 && gained > programs / 20, "{settled} settled, {gained} that were not before");
}

#[test]
fn nothing_is_lost_under_sc() {
    nothing_is_lost("sc.cat", 3, 40);
}

#[test]
fn nothing_is_lost_under_tso_and_pso() {
    nothing_is_lost("tso.cat", 5, 40);
    nothing_is_lost("pso.cat", 7, 40);
}

#[test]
fn nothing_is_lost_under_relaxed() {
    nothing_is_lost("relaxed.cat", 11, 80);
}

#[test]
fn nothing_is_lost_under_rc11() {
    nothing_is_lost("rc11.cat", 13, 40);
}

/// A thread that writes `x` as often as it finds `y` to be 0, and another one that writes `y`.
const WRITES_WHILE_WAITING: &str = "program writes_while_waiting
language IR
global x = 0:i32
global y = 0:i32
function P0() {
  registers r, c
  b0: jump b1
  b1: %r := load &y plain %c := eq %r, 1:i32 branch %c, b3, b2 join b3
  b2: store &x, 1:i32 plain jump b1
  b3: return
}
function P1() {
  b0: store &y, 1:i32 plain return
}
thread P0 = @P0()
thread P1 = @P1()
exists true
observed x
";

#[test]
fn what_a_round_leaves_in_memory_makes_a_difference() {
    let program = program(WRITES_WHILE_WAITING);
    for file in ["sc.cat", "tso.cat", "relaxed.cat", "rc11.cat"] {
        let outcome = run(&program, &model(file), 2, true);
        assert!(!matches!(outcome.verdict, Verdict::Unknown(_)), "{file}: {:?}", outcome.verdict);
        assert_eq!(states(&outcome).len(), 2, "{file}: {:?}", outcome.states);
    }
}

/// A thread that tries to change `x` from 1 to 2 until it succeeds, and another one that writes `x`.
fn trying(written: u32, weakly: &str) -> Verified {
    program(&format!(
        "program trying
language IR
global x = 0:i32
function P0() {{
  registers r, c
  b0: jump b1
  b1: %r, %c := compare_exchange{weakly} &x, 1:i32, 2:i32 plain else plain jump b2
  b2: branch %c, b3, b1 join b3
  b3: return
}}
function P1() {{
  b0: store &x, {written}:i32 plain return
}}
thread P0 = @P0()
thread P1 = @P1()
"
    ))
}

#[test]
fn a_thread_that_goes_round_for_ever_is_found() {
    let specification = Specification { observations: None, iterations: &[], most_iterations: 6 };
    for file in ["sc.cat", "tso.cat", "pso.cat", "relaxed.cat"] {
        let answer = |written: u32, weakly: &str| {
            consistency(&trying(written, weakly), &model(file), &specification, &Options::default(), &mut |_| {})
                .unwrap_or_else(|what| panic!("{what:?}"))
        };
        assert_eq!(answer(1, "").verdict, Verdict::Holds, "{file}");
        // No compare-exchange fails spuriously for ever.
        assert_eq!(answer(1, "_weak").verdict, Verdict::Holds, "{file}");
        let stuck = answer(3, "");
        assert_eq!(stuck.verdict, Verdict::Violated, "{file}");
        let failure = stuck.failure.expect("a failure");
        assert_eq!(failure.kind, FailureKind::Deadlock);
        assert!(failure.message.contains("P0 stays in a loop for ever"), "{}", failure.message);
    }
}

/// A thread that tests `x` before each iteration, and goes on while it is not 1; with and without something to do in an iteration.
fn testing(written: u32, iteration: &str) -> Verified {
    program(&format!(
        "program testing
language IR
global x = 0:i32
global y = 0:i32
function P0() {{
  registers r, s, c
  b0: jump b1
  b1: %r := load &x plain %c := eq %r, 1:i32 branch %c, b3, b2 join b3
  b2: {iteration} jump b1
  b3: return
}}
function P1() {{
  b0: store &x, {written}:i32 plain return
}}
thread P0 = @P0()
thread P1 = @P1()
"
    ))
}

#[test]
fn a_thread_that_tests_for_ever_is_found() {
    let specification = Specification { observations: None, iterations: &[], most_iterations: 6 };
    for file in ["sc.cat", "tso.cat", "relaxed.cat"] {
        for iteration in ["", "%s := load &y plain", "store &y, 1:i32 plain"] {
            let answer = |written: u32| {
                let program = testing(written, iteration);
                consistency(&program, &model(file), &specification, &Options::default(), &mut |_| {})
                    .unwrap_or_else(|what| panic!("{what:?}"))
            };
            assert_eq!(answer(1).verdict, Verdict::Holds, "{file} {iteration}");
            let stuck = answer(3);
            assert_eq!(stuck.verdict, Verdict::Violated, "{file} {iteration}");
            assert_eq!(stuck.failure.map(|failure| failure.kind), Some(FailureKind::Deadlock));
        }
    }
}
