//! Loop bounds, and programs without executions.

use axiomatic::Iterations;
use axiomatic::{Options, outcomes};
use program::{Outcome, Value, Verdict, Verified};
use testing::judge::checked;
use testing::{model, program};

/// A thread that adds 1 to `x` as long as its counter is below `iterations`; a second thread waits for nothing.
fn counting(iterations: u32, question: &str) -> Verified {
    program(&format!(
        "program counting
language IR
global x = 0:i32
function P0() {{
  registers i, c, r
  b0: %i := copy 0:i32 jump b1
  b1: %c := slt %i, {iterations}:i32 branch %c, b2, b3 join b3
  b2: %r := update &x, add 1:i32 relaxed %i := add %i, 1:i32 jump b1
  b3: return
}}
thread P0 = @P0()
{question}
"
    ))
}

/// A thread that reads `x` until it is not 0, at least once; the other thread writes it.
const WAITING: &str = "program waiting
language IR
global x = 0:i32
global y = 0:i32
function P0() {
  b0: store &y, 1:i32 relaxed store &x, 1:i32 release return
}
function P1() {
  registers r, c, s
  b0: jump b1
  b1: %r := load &x acquire %c := is_false %r branch %c, b1, b2 join b2
  b2: %s := load &y relaxed return
}
thread P0 = @P0()
thread P1 = @P1()
";

/// The same, but it counts how often it reads.
const COUNTING: &str = "program waiting
language IR
global x = 0:i32
global y = 0:i32
function P0() {
  b0: store &y, 1:i32 relaxed store &x, 1:i32 release return
}
function P1() {
  registers r, c, s, n
  b0: %n := copy 0:i32 jump b1
  b1: %r := load &x acquire %n := add %n, 1:i32 %c := is_false %r branch %c, b1, b2 join b2
  b2: %s := load &y relaxed return
}
thread P0 = @P0()
thread P1 = @P1()
";

fn bounded(program: &Verified, unroll: u32) -> Outcome {
    checked(program, &model("rc11.cat"), &Options { iterations: Iterations::of_each(unroll), ..Options::default() })
}

#[test]
fn a_bound_that_is_never_exceeded_settles_the_question() {
    for iterations in 0..4 {
        let reached = counting(iterations, &format!("exists x == {iterations}:i32"));
        let outcome = bounded(&reached, iterations);
        assert_eq!(outcome.verdict, Verdict::Allowed, "{iterations} iterations");
        let exceeded = counting(iterations, &format!("exists x == {}:i32", iterations + 1));
        let outcome = bounded(&exceeded, iterations);
        assert_eq!(outcome.verdict, Verdict::Forbidden, "{iterations} iterations");
        assert_eq!((outcome.bounds.unroll, outcome.bounds.exceeded.len()), (Some(iterations), 0));
        assert!(!outcome.vacuous || iterations == 0);
    }
}

#[test]
fn a_bound_that_is_too_small_leaves_the_question_open_and_names_the_loop() {
    for iterations in 1..4 {
        let outcome = bounded(&counting(iterations, "exists x == 0:i32"), iterations - 1);
        assert!(matches!(outcome.verdict, Verdict::Unknown(_)), "{:?}", outcome.verdict);
        assert_eq!(outcome.bounds.exceeded.len(), 1);
        let location = outcome.bounds.exceeded[0].to_string();
        let Verdict::Unknown(reason) = &outcome.verdict else { return };
        assert!(reason.contains(&location), "{reason} does not name {location}");
        assert!(!outcome.vacuous, "there are executions beyond the bound");
    }
}

#[test]
fn a_loop_of_unknown_length_is_unknown_when_nothing_is_found_and_allowed_when_something_is() {
    let forbidden = program(&format!("{COUNTING}exists 1:%s == 0:i32 and 1:%n == 1:i32"));
    let possible = program(&format!("{COUNTING}exists 1:%s == 1:i32 and 1:%n == 1:i32"));
    for unroll in 1..5 {
        let outcome = bounded(&forbidden, unroll);
        assert!(matches!(outcome.verdict, Verdict::Unknown(_)), "{:?}", outcome.verdict);
        assert_eq!(outcome.bounds.exceeded.len(), 1);
        assert_eq!(bounded(&possible, unroll).verdict, Verdict::Allowed);
    }
}

#[test]
fn a_loop_whose_rounds_make_no_difference_needs_no_bound() {
    let forbidden = program(&format!("{WAITING}exists 1:%s == 0:i32"));
    let possible = program(&format!("{WAITING}exists 1:%s == 1:i32"));
    for unroll in 1..4 {
        let outcome = bounded(&forbidden, unroll);
        assert_eq!((outcome.verdict, outcome.bounds.exceeded.len()), (Verdict::Forbidden, 0));
        assert_eq!(bounded(&possible, unroll).verdict, Verdict::Allowed);
    }
}

#[test]
fn all_states_of_an_unknown_loop_are_those_within_the_bound() {
    let program = program(&format!("{COUNTING}exists 1:%s == 0:i32 and 1:%n == 1:i32"));
    let outcome = outcomes(&program, &model("sc.cat"), &Options::default(), &mut |_| {}).expect("supported");
    let states = outcome.states.expect("states");
    // One for each number of iterations.
    assert_eq!(states.len(), 4);
    assert!(states.iter().all(|(state, _)| state[0].1 == Value::int(1, 32)));
    assert!(matches!(outcome.verdict, Verdict::Unknown(_)));
    assert_eq!(outcome.bounds.exceeded.len(), 1);
}

const VACUOUS: &str = "program vacuous
language IR
global x = 0:i32
function P0() {
  registers r
  b0: %r := load &x plain assume %r store &x, 1:i32 plain return
}
thread P0 = @P0()
";

#[test]
fn a_program_whose_assumption_fails_has_no_execution() {
    for file in ["sc.cat", "tso.cat", "pso.cat", "rc11.cat"] {
        for question in ["exists x == 1:i32", "~exists x == 1:i32", "forall x == 1:i32"] {
            let program = program(&format!("{VACUOUS}{question}"));
            let outcome = checked(&program, &model(file), &Options::default());
            assert!(outcome.vacuous, "{file}: {question}");
            let all = outcomes(&program, &model(file), &Options::default(), &mut |_| {}).expect("supported");
            assert!(all.vacuous && all.states.is_some_and(|states| states.is_empty()), "{file}: {question}");
        }
    }
}

#[test]
fn a_filter_that_nothing_passes_makes_a_program_vacuous() {
    let text = |question: &str| {
        format!(
            "program filtered
language IR
global x = 0:i32
function P0() {{
  registers r
  b0: store &x, 1:i32 plain %r := load &x plain return
}}
thread P0 = @P0()
{question}
"
        )
    };
    let none = program(&text("exists x == 1:i32 filter 0:%r == 0:i32"));
    let outcome = checked(&none, &model("tso.cat"), &Options::default());
    assert_eq!((outcome.verdict, outcome.vacuous), (Verdict::Forbidden, true));
    let some = program(&text("exists x == 1:i32 filter 0:%r == 1:i32"));
    let outcome = checked(&some, &model("tso.cat"), &Options::default());
    assert_eq!((outcome.verdict, outcome.vacuous), (Verdict::Allowed, false));
    let all = program(&text("forall x == 1:i32 filter 0:%r == 1:i32"));
    let outcome = checked(&all, &model("tso.cat"), &Options::default());
    assert_eq!((outcome.verdict, outcome.vacuous), (Verdict::Holds, false));
}

#[test]
fn a_short_thread_may_come_before_a_long_one() {
    let mut blocks = String::new();
    for block in 0..80 {
        blocks.push_str(&format!("  b{block}: %r := load &x relaxed jump b{}\n", block + 1));
    }
    let program = program(&format!(
        "program uneven
language IR
global x = 0:i32
function P0() {{
  b0: store &x, 1:i32 relaxed return
}}
function P1() {{
  registers r
{blocks}  b80: store &x, 2:i32 relaxed return
}}
thread P0 = @P0()
thread P1 = @P1()
exists x == 1:i32
"
    ));
    assert_eq!(bounded(&program, 1).verdict, Verdict::Allowed);
}
