//! Threads that wait in loops, in the engine of classes: iterations without effect are left out, and nothing is lost.

use mcr::histories::explore::{Alone, Budget};
use operational::{Limits, Machine, Rules, replay};
use program::{Verdict, Verified, verify};
use testing::effort::programs;
use testing::random::Random;

const MACHINES: [Machine; 3] = [Machine::Sc, Machine::Tso, Machine::Pso];

fn program(text: &str) -> Verified {
    let text = format!("program test\nlanguage IR\n{text}");
    let program = program::text::parse("test.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}\n{text}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"))
}

/// What is wrong with the answer of the classes, given that of the search over all states; whether there was one to compare.
fn compare(program: &Verified, machine: Machine, solver: bool) -> Result<bool, String> {
    let limits = Limits { states: 30_000, ..Limits::default() };
    let options = operational::Options { limits, ..Default::default() };
    let ask = if program.question.is_some() { operational::outcomes } else { operational::check };
    let searched = ask(program, machine, &options).map_err(|what| format!("{what:?}"))?;
    if searched.explored.incomplete.is_some() {
        return Ok(false);
    }
    let ask = if program.question.is_some() { mcr::outcomes } else { mcr::check };
    let solver = solver.then(Default::default);
    let budget = Budget { executions: 600, solver, ..Budget::default() };
    let options = mcr::Options { budget, ..Default::default() };
    let found = ask(program, machine, &options).map_err(|what| format!("{what:?}"))?;
    if found.figures.redundant > 0 || found.figures.lost > 0 {
        return Err(format!("{:?}", found.figures));
    }
    if let Verdict::Unknown(reason) = &found.outcome.verdict
        && (reason.contains("executions") || reason.contains("steps"))
    {
        return Ok(false);
    }
    if found.outcome.verdict != searched.outcome.verdict {
        return Err(format!("{:?}, not {:?}", found.outcome.verdict, searched.outcome.verdict));
    }
    let states = |outcome: &program::Outcome| -> Vec<program::State> {
        outcome.states.iter().flatten().map(|(state, _)| state.clone()).collect()
    };
    let (mine, all) = (states(&found.outcome), states(&searched.outcome));
    if mine != all {
        return Err(format!("{} final states of {}", mine.len(), all.len()));
    }
    match (&found.schedule, program.question.is_some()) {
        (Some((schedule, reduction)), false) => {
            let again = replay(program, machine, *reduction, schedule, &Limits::default());
            let end = again.map_err(|what| format!("{what:?}"))?.end;
            matches!(end, program::End::Failed(_)).then_some(true).ok_or(format!("replayed: {end:?}"))
        }
        _ => Ok(true),
    }
}

fn agree(seed: u64, programs: u32, solver: bool, recycles: bool) -> u32 {
    let mut random = Random(seed);
    let mut compared = 0;
    for iteration in 0..programs {
        let text =
            testing::waiting::with_blocks(&mut random, 2 + u64::from(iteration % 3), iteration % 2 == 0, recycles);
        let program = program(&text);
        for machine in MACHINES {
            match compare(&program, machine, solver) {
                Ok(is_compared) => compared += u32::from(is_compared),
                Err(wrong) => {
                    let fails = |program: &Verified| compare(program, machine, solver).is_err();
                    panic!("on {machine:?}: {wrong}\n{}", testing::shrink::shrink(&program, &fails));
                }
            }
        }
    }
    compared
}

#[test]
fn random_programs_that_wait_end_as_in_the_search_over_all_states() {
    let compared = agree(3, programs(400), false, false);
    assert!(compared > programs::<u32>(600), "{compared}");
}

#[test]
fn random_programs_that_wait_and_give_memory_back_end_so_too() {
    let compared = agree(10, programs(200), false, true);
    assert!(compared > programs::<u32>(400), "{compared}");
}

#[test]
fn the_solver_finds_the_same() {
    let compared = agree(4, programs(40), true, false) + agree(5, programs(30), true, true);
    assert!(compared > programs::<u32>(90), "{compared}");
}

/// The figures on sc, tso and pso, and how each exploration ends.
fn explored(text: &str) -> [(u64, u64, Verdict); 3] {
    let program = program(text);
    MACHINES.map(|machine| {
        compare(&program, machine, false).unwrap_or_else(|wrong| panic!("on {machine:?}: {wrong}"));
        let options = mcr::Options { exhaustive: true, ..Default::default() };
        let found = mcr::check(&program, machine, &options).unwrap_or_else(|what| panic!("{what:?}"));
        (found.figures.classes, found.figures.abandoned, found.outcome.verdict)
    })
}

/// Two threads that count, after something and before something.
fn counting(before: &str, after: &str) -> String {
    let body = |name: &str| {
        format!(
            "function {name}() {{ registers r, c b0: {before} %r := load &count plain %r := add %r, 1:i32 store &count, %r plain {after} return }} "
        )
    };
    let (first, second) = (body("first"), body("second"));
    format!(
        "global lock = 0:i32 global count = 0:i32 {first} {second} thread first = @first() thread second = @second()"
    )
}

#[test]
fn a_lock_that_spins_has_a_class_for_each_order_of_its_owners() {
    let exchange = "jump b1 b1: %r := exchange &lock, 1:i32 plain branch %r, b1, b2 b2:";
    let compare = "jump b1 b1: %r, %c := compare_exchange &lock, 0:i32, 1:i32 plain else plain branch %c, b2, b1 b2:";
    let weak = "jump b1 b1: %r, %c := compare_exchange_weak &lock, 0:i32, 1:i32 plain else plain branch %c, b2, b1 b2:";
    let fenced = "jump b1 b1: %r := exchange &lock, 1:i32 plain branch %r, b3, b2 b2: jump b4 b3: fence plain{MFENCE} jump b1 b4:";
    for before in [exchange, compare, weak, fenced] {
        let [sc, tso, pso] = explored(&counting(before, "store &lock, 0:i32 plain"));
        assert_eq!([sc, tso], [(2, 0, Verdict::Holds), (2, 0, Verdict::Holds)], "{before}");
        // The lock may be seen free before the count is seen: both count from 0.
        assert_eq!(pso, (3, 0, Verdict::Holds), "{before}");
    }
}

#[test]
fn who_waits_for_a_lock_that_stays_taken_waits_for_ever() {
    let before = "jump b1 b1: %r := exchange &lock, 1:i32 plain branch %r, b1, b2 b2:";
    for (classes, abandoned, verdict) in explored(&counting(before, "")) {
        assert_eq!((classes, abandoned, verdict), (2, 0, Verdict::Violated));
    }
}

#[test]
fn an_iteration_of_two_reads_may_be_cut_short_but_is_no_deadlock() {
    // The second read is never 1; but once x is 1 the loop ends with the first.
    let text = "global x = 0:i32 global y = 0:i32
function first() { registers r b0: jump b1 b1: %r := load &x plain branch %r, b3, b2 b2: %r := load &y plain branch %r, b3, b1 b3: return }
function second() { b0: store &x, 1:i32 plain return }
thread first = @first() thread second = @second()";
    for figures in explored(text) {
        assert_eq!(figures, (1, 1, Verdict::Holds));
    }
    // Where x goes back to 0 it may come too late.
    let text = text.replace("store &x, 1:i32 plain return", "store &x, 1:i32 plain store &x, 0:i32 plain return");
    for (_, _, verdict) in explored(&text) {
        assert_eq!(verdict, Verdict::Violated);
    }
}

#[test]
fn who_fails_to_exchange_and_tries_again_has_no_effect() {
    let retry = "jump b1 b1: %r := load &count plain %c := add %r, 1:i32 %r, %c := compare_exchange &count, %r, %c plain else plain branch %c, b2, b1 b2: return ";
    let text = format!(
        "global count = 0:i32 function first() {{ registers r, c b0: {retry} }} function second() {{ registers r, c b0: {retry} }}
thread first = @first() thread second = @second()"
    );
    // One comes after the other. Who has read too early will not exchange, but may read again.
    for figures in explored(&text) {
        assert_eq!(figures, (2, 2, Verdict::Holds));
    }
}

#[test]
fn polling_with_a_monitor_comes_to_an_end() {
    let text = "global x = 0:i32 global m = 0:i32
function first() { registers r b0: jump b1 b1: lock &m %r := load &x plain unlock &m branch %r, b2, b1 b2: return }
function second() { b0: lock &m store &x, 1:i32 plain unlock &m return }
thread first = @first() thread second = @second()";
    for figures in explored(text) {
        assert_eq!(figures, (1, 1, Verdict::Holds));
    }
}

#[test]
fn an_iteration_after_which_a_monitor_is_held_once_more_has_an_effect() {
    // Who had two iterations gives the monitor back once, and keeps it.
    let text = "global x = 0:i32 global m = 0:i32
function first() { registers r b0: jump b1 b1: lock &m %r := load &x plain branch %r, b2, b1 b2: unlock &m return }
function second() { b0: store &x, 1:i32 plain lock &m unlock &m return }
thread second = @second() thread first = @first()";
    let options = mcr::Options { budget: Budget { executions: 50, ..Budget::default() }, ..Default::default() };
    let found = mcr::check(&program(text), Machine::Sc, &options).expect("supported");
    assert_eq!(found.outcome.verdict, Verdict::Violated);
}

#[test]
fn who_gives_a_monitor_back_while_it_waits_lets_others_in() {
    let text = |set: &str| {
        format!(
            "global x = 0:i32 global m = 0:i32
function first() {{ registers r b0: lock &m jump b1
 b1: %r := load &x plain branch %r, b3, b2 b2: unlock &m lock &m jump b1 b3: unlock &m return }}
function second() {{ b0: lock &m store &x, {set}:i32 plain unlock &m return }}
thread first = @first() thread second = @second()"
        )
    };
    for (classes, _, verdict) in explored(&text("1")) {
        assert_eq!((classes, verdict), (2, Verdict::Holds));
    }
    for (_, _, verdict) in explored(&text("0")) {
        assert_eq!(verdict, Verdict::Violated);
    }
}

#[test]
fn who_keeps_a_monitor_while_it_waits_keeps_others_out() {
    // It takes the monitor again in each iteration, and gives that back.
    let text = "global x = 0:i32 global m = 0:i32
function first() { registers r b0: lock &m jump b1 b1: lock &m %r := load &x plain unlock &m branch %r, b2, b1 b2: unlock &m return }
function second() { b0: lock &m store &x, 1:i32 plain unlock &m return }
thread first = @first() thread second = @second()";
    for (_, _, verdict) in explored(text) {
        assert_eq!(verdict, Verdict::Violated);
    }
}

#[test]
fn the_search_for_races_ends_where_threads_poll_with_a_monitor() {
    let text = "global x = 0:i32 global y = 0:i32 global m = 0:i32
function first() { registers r b0: jump b1 b1: lock &m %r := load &x plain unlock &m branch %r, b2, b1 b2: store &y, 1:i32 plain return }
function second() { b0: lock &m store &x, 1:i32 plain unlock &m store &y, 2:i32 plain return }
thread first = @first() thread second = @second()";
    let options = mcr::Options { budget: Budget { executions: 50, ..Budget::default() }, ..Default::default() };
    let found = mcr::histories::race::races(&program(text), Machine::Sc, Rules::Jmm, &options, &Alone::default())
        .expect("supported")
        .races;
    assert_eq!((found.incomplete, found.races.len()), (None, 1));
}

/// For the night: `SEED=7 SEEDS=10 cargo test -p palisade-mcr --test waiting -- --ignored`.
#[test]
#[ignore]
fn many_more_programs_that_wait_end_as_in_the_search_over_all_states() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let (first, seeds) = (number("SEED").unwrap_or(1), number("SEEDS").unwrap_or(1));
    for seed in first..first + seeds {
        println!("seed {seed}: {} compared", agree(seed, 2_000, false, false) + agree(seed, 2_000, false, true));
        println!("seed {seed}: {} solved", agree(seed, 100, true, false) + agree(seed, 100, true, true));
    }
}
