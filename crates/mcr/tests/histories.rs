//! Executions of maximal causality reduction: one for each class, and all classes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use testing::effort::programs;
use testing::found::{Found, found};
use testing::generate::{Size, late_accesses, recycling, synchronizing};

use mcr::histories::encode::Form;
use mcr::histories::explore::{self, Alone, Budget, Executed, Exploration, Next, Workers, setups};
use mcr::histories::graph::{self, Goal};
use mcr::histories::history::Forest;
use mcr::histories::history::iteration::Iterations;
use mcr::histories::trace::Trace;
use mcr::histories::witness;
use operational::shorten::{shorten, switches};
use operational::{Limits, Machine, Reduction, Rules, Schedule, replay, schedule};
use program::{Verdict, Verified, verify};
use testing::oracle::{Brute, Class, Ending, Steps, brute};
use testing::random::{Random, Shape};

/// Programs that brute force is quick with.
const SMALL: Size = Size { threads: 3, pieces: 3 };

const MACHINES: [Machine; 3] = [Machine::Sc, Machine::Tso, Machine::Pso];

fn program(text: &str) -> Verified {
    let text = format!("program test\nlanguage IR\n{text}");
    let program = program::text::parse("test.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}"))
}

/// What a comparison with brute force comes to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compared {
    /// Both find so many classes.
    Classes(u64),
    /// There is too much for brute force.
    TooMany,
    /// Both meet something that is not modelled.
    Refused,
}

/// An error if the exploration does not find what brute force finds, or runs something twice.
fn compare(program: &Verified, machine: Machine, budget: &Budget) -> Result<Compared, String> {
    let all = brute(program, machine, Steps::Private, 40_000);
    if matches!(all, Brute::TooMany) {
        return Ok(Compared::TooMany);
    }
    let Found { classes, figures, incomplete, is_refused } = found(program, machine, budget);
    let all = match all {
        Brute::Classes(all) if !is_refused => all,
        Brute::Refused(_) if is_refused => return Ok(Compared::Refused),
        _ => return Err(format!("refused: {is_refused}, but not by brute force")),
    };
    // After how many steps a thread waits for ever says no more than what it read before.
    let without_steps = |class: &Class| -> Class {
        let ending = |ending: &Ending| if let Ending::Blocked(_) = ending { Ending::Blocked(0) } else { *ending };
        class.iter().map(|(name, (history, end))| (name.clone(), (history.clone(), ending(end)))).collect()
    };
    let expected: BTreeSet<Class> = all.iter().map(without_steps).collect();
    let wrong = match (figures.classes, incomplete) {
        (_, Some(reason)) => reason,
        (count, _) if count != all.len() as u64 => format!("{count} classes of {}", all.len()),
        _ if classes != expected => "as many classes, but others".into(),
        _ if figures.redundant > 0 || figures.lost > 0 => format!("{figures:?}"),
        (count, _) => return Ok(Compared::Classes(count)),
    };
    Err(wrong)
}

/// Checks the classes on sc, tso and pso against brute force; gives their numbers.
fn check(program: &Verified) -> Option<[u64; 3]> {
    let mut counts = [0; 3];
    for (machine, count) in MACHINES.into_iter().zip(&mut counts) {
        *count = check_on(program, machine, &Budget::default())?;
    }
    Some(counts)
}

fn check_on(program: &Verified, machine: Machine, budget: &Budget) -> Option<u64> {
    let compared = compare(program, machine, budget).unwrap_or_else(|wrong| {
        let fails = |program: &Verified| compare(program, machine, budget).is_err();
        panic!("on {machine:?}: {wrong}\n{}", testing::shrink::shrink(program, &fails));
    });
    if let Compared::Classes(count) = compared { Some(count) } else { None }
}

/// Whether a program is refused on some machine.
fn is_refused(program: &Verified) -> bool {
    MACHINES.iter().any(|machine| compare(program, *machine, &Budget::default()) == Ok(Compared::Refused))
}

/// The final states, and whether something is found, are those of the search over all states; what is found happens again.
fn same_answers(program: &Verified) {
    for machine in MACHINES {
        let options =
            operational::Options { limits: Limits { states: 40_000, ..Limits::default() }, ..Default::default() };
        let ask = if program.question.is_some() { operational::outcomes } else { operational::check };
        let searched = ask(program, machine, &options).unwrap_or_else(|what| panic!("{what:?}"));
        if searched.explored.incomplete.is_some() {
            return;
        }
        let ask = if program.question.is_some() { mcr::outcomes } else { mcr::check };
        let found = ask(program, machine, &mcr::Options::default()).unwrap_or_else(|what| panic!("{what:?}"));
        let text = || format!("on {machine:?}: {}", program::text::print(program));
        assert_eq!(found.outcome.verdict, searched.outcome.verdict, "{}", text());
        assert_eq!(found.outcome.states, searched.outcome.states, "{}", text());
        assert_eq!(found.failure.is_some(), searched.failure.is_some(), "{}", text());
        if let Some((_, reduction)) = &found.schedule {
            assert_eq!(*reduction, Reduction::Own, "{}", text());
        }
    }
}

#[test]
fn store_buffering_takes_as_many_executions_as_it_has_classes() {
    let text = "global x = 0:i32 global y = 0:i32
function first() { registers r b0: store &x, 1:i32 plain %r := load &y plain return }
function second() { registers r b0: store &y, 1:i32 plain %r := load &x plain return }
thread first = @first() thread second = @second()";
    assert_eq!(check(&program(text)), Some([3, 4, 4]));
}

#[test]
fn random_programs_have_the_classes_of_brute_force() {
    let mut random = Random(11);
    let mut compared = 0;
    for iteration in 0..programs::<u64>(300) {
        let shape = Shape { rich: iteration % 2 == 0, ..Shape::PLAIN };
        let program = testing::random::program(&mut random, shape);
        compared += u32::from(check(&program).is_some());
        same_answers(&program);
    }
    assert!(compared > programs::<u32>(200), "{compared}");
}

#[test]
fn programs_that_synchronize_have_the_classes_of_brute_force() {
    let mut random = Random(5);
    let mut compared = 0;
    for _ in 0..programs::<u64>(400) {
        let program = program(&synchronizing(&mut random, SMALL));
        compared += u32::from(check(&program).is_some());
        same_answers(&program);
    }
    assert!(compared > programs::<u32>(300), "{compared}");
}

#[test]
fn the_solver_finds_the_same_classes() {
    let mut random = Random(23);
    let mut compared = 0;
    for iteration in 0..programs::<usize>(90) {
        let program = match iteration % 3 {
            2 => program(&recycling(&mut random, Size { threads: 2 + iteration % 2, pieces: 4 })),
            0 => program(&synchronizing(&mut random, SMALL)),
            _ => testing::random::program(&mut random, Shape { rich: true, ..Shape::PLAIN }),
        };
        compared += solve(&program);
    }
    assert!(compared > programs::<u32>(120), "{compared}");
}

/// On how many machines the solver finds what brute force finds. Programs with many classes are left out.
fn solve(program: &Verified) -> u32 {
    let budget = Budget { solver: Some(Form::Exact), ..Budget::default() };
    let few = Budget { executions: 60, ..Budget::default() };
    let mut compared = 0;
    for machine in MACHINES {
        if found(program, machine, &few).incomplete.is_none() {
            compared += u32::from(check_on(program, machine, &budget).is_some());
        }
    }
    compared
}

/// On how many machines the solver finds the classes that listing states finds, in programs too large for brute force.
fn second_opinion(program: &Verified) -> u32 {
    let differ = |program: &Verified, machine: Machine| {
        let listed = found(program, machine, &Budget { executions: 300, ..Budget::default() });
        if listed.incomplete.is_some() {
            return None;
        }
        let solved = found(program, machine, &Budget { solver: Some(Form::Exact), ..Budget::default() });
        match [listed.is_refused, solved.is_refused] {
            [true, true] => None,
            [false, false] => Some(solved.classes != listed.classes || solved.incomplete.is_some()),
            _ => Some(true),
        }
    };
    let mut compared = 0;
    for machine in MACHINES {
        let fails = |program: &Verified| differ(program, machine) == Some(true);
        match differ(program, machine) {
            Some(true) => panic!("on {machine:?}: {}", testing::shrink::shrink(program, &fails)),
            found => compared += u32::from(found.is_some()),
        }
    }
    compared
}

#[test]
fn on_larger_programs_the_solver_agrees() {
    let mut random = Random(31);
    let large = (0..programs::<u64>(24)).map(|_| program(&synchronizing(&mut random, Size { threads: 4, pieces: 4 })));
    let compared: u32 = large.map(|program| second_opinion(&program)).sum();
    assert!(compared > programs::<u32>(20), "{compared}");
}

/// The verdict on sc.
fn verdict(text: &str) -> Verdict {
    let answer = mcr::check(&program(text), Machine::Sc, &mcr::Options::default());
    answer.unwrap_or_else(|what| panic!("{what:?}")).outcome.verdict
}

#[test]
fn executions_that_do_not_count_violate_nothing() {
    let text = |assumed: &str| {
        format!(
            "global x = 0:i32
function first() {{ registers r b0: %r := load &x plain %r := ne %r, 1:i32 assert %r, \"unset\" return }}
function second() {{ b0: store &x, 1:i32 plain assume {assumed} return }}
thread first = @first() thread second = @second()"
        )
    };
    same_answers(&program(&text("1:i32")));
    same_answers(&program(&text("0:i32")));
    assert_eq!(verdict(&text("1:i32")), Verdict::Violated);
    assert_eq!(verdict(&text("0:i32")), Verdict::Holds);
}

#[test]
fn a_thread_that_never_ends_makes_the_answer_unknown() {
    let text = |check: &str| {
        format!(
            "global x = 0:i32 global y = 0:i32
function first() {{ registers r b0: %r := load &x plain {check} return }}
function second() {{ registers r b0: %r := copy 0:i32 jump b1 b1: %r := add %r, 1:i32 store &y, %r plain jump b1 }}
thread first = @first() thread second = @second()"
        )
    };
    assert!(matches!(verdict(&text("")), Verdict::Unknown(reason) if reason.contains("steps")));
    assert_eq!(verdict(&text("assert %r, \"set\"")), Verdict::Violated);
}

/// Stops an exploration when it asks for work.
struct Stopping {
    alone: Alone,
    interrupt: Arc<AtomicBool>,
}

impl Workers for Stopping {
    fn at_once(&self) -> usize {
        self.interrupt.store(true, Ordering::Relaxed);
        1
    }

    fn answer(
        &self,
        questions: &[(&Trace, &Goal)],
        machine: Machine,
        most: usize,
    ) -> Vec<Option<graph::ExploredClass>> {
        self.alone.answer(questions, machine, most)
    }
}

#[test]
fn an_exploration_that_is_stopped_decides_nothing() {
    let text = "global x = 0:i32 global y = 0:i32
function first() { registers r b0: store &x, 1:i32 plain %r := load &y plain return }
function second() { registers r b0: store &y, 1:i32 plain %r := load &x plain return }
thread first = @first() thread second = @second()";
    let interrupt = Arc::new(AtomicBool::new(false));
    let options =
        mcr::Options { limits: Limits { interrupt: interrupt.clone(), ..Limits::default() }, ..Default::default() };
    let workers = Stopping { alone: Alone::default(), interrupt };
    let answer = mcr::answer(&program(text), Machine::Sc, &options, false, &workers).expect("supported");
    assert!(matches!(answer.outcome.verdict, Verdict::Unknown(_)), "{:?}", answer.outcome.verdict);
}

#[test]
fn blocks_that_were_not_made_for_it_cannot_be_given_back() {
    let text = "function first() { registers r b0: %r := allocate block = 0:i32 free %r return }
thread first = @first()";
    let found = mcr::check(&program(text), Machine::Sc, &mcr::Options::default()).expect("supported");
    let message = found.failure.map(|failure| failure.message);
    assert_eq!(message.as_deref(), Some("a block is freed that was not allocated to be freed"));
    same_answers(&program(text));
}

/// Two threads that deal with a block that both can reach, and with blocks of their own.
fn with_block(first: &str, second: &str) -> Verified {
    program(&format!(
        "global p = 0:i32
function prepare() {{ registers a b0: %a := allocate block = 0:i32 reuse store &p, %a plain return }}
function first() {{ registers a, b, c, r b0: {first} return }}
function second() {{ registers a, b, c, r b0: {second} return }}
setup @prepare()
thread first = @first() thread second = @second()"
    ))
}

#[test]
fn a_block_that_was_freed_is_allocated_again_or_not() {
    let takes = "%a := allocate block = 0:i32 reuse ";
    let (gives, gives_own) = ("%a := load &p plain free %a ", "%a := allocate block = 0:i32 reuse free %a ");
    // Only what is freed before can be had.
    assert_eq!(check(&with_block(gives, takes)), Some([2, 2, 2]));
    assert_eq!(check(&with_block(gives, &[takes, "%b := allocate block = 0:i32 reuse "].concat())), Some([3, 3, 3]));
    // Either thread may get the other's block, but not both; or each has its own.
    assert_eq!(check(&with_block(gives_own, gives_own)), Some([3, 3, 3]));
    // Its own block it may get again.
    assert_eq!(check(&with_block(&[gives_own, takes].concat(), "")), Some([2, 2, 2]));
}

#[test]
fn who_gives_a_block_back_that_is_free_fails() {
    let gives = "%a := load &p plain free %a ";
    // One of the two does.
    assert_eq!(check(&with_block(gives, gives)), Some([2, 2, 2]));
    // The second time it is right if the other thread was given the block in between, and wrong if it gets it later or not.
    let twice = "%a := load &p plain free %a free %a ";
    assert_eq!(check(&with_block(twice, "%b := allocate block = 0:i32 reuse ")), Some([3, 3, 3]));
    let wrong = "%a := copy &p free %a ";
    assert_eq!(check(&with_block(wrong, "free 0:i32 ")), Some([1, 1, 1]));
}

#[test]
fn an_atomic_block_may_give_memory_back_and_get_some() {
    let changes = "%a := load &p plain atomic_begin free %a %b := allocate block = 0:i32 reuse atomic_end ";
    let takes = "%a := allocate block = 0:i32 reuse ";
    // Who has just given the block back gets it again, and nobody else can; or not, and then the other may.
    assert_eq!(check(&with_block(changes, takes)), Some([3, 3, 3]));
    let takes_two = "atomic_begin %a := allocate block = 0:i32 reuse %b := allocate block = 0:i32 reuse atomic_end ";
    assert_eq!(check(&with_block(changes, takes_two)), Some([4, 4, 4]));
    let fails = with_block(&[changes, "%r := eq %a, %b assert %r, \"another\" "].concat(), takes);
    for machine in MACHINES {
        let found = mcr::check(&fails, machine, &mcr::Options::default()).expect("supported");
        assert_eq!(found.failure.map(|failure| failure.message).as_deref(), Some("another"), "{machine:?}");
    }
}

#[test]
fn a_block_keeps_what_it_held() {
    let gives = "%a := load &p plain store %a, 7:i32 plain free %a ";
    let takes = "%a := allocate block = 0:i32 reuse %r := load %a plain ";
    // A new one holds 0.
    assert_eq!(check(&with_block(gives, takes)), Some([2, 2, 2]));
    // Who has given it back may still write to it.
    assert_eq!(check(&with_block(&[gives, "store %a, 8:i32 plain "].concat(), takes)), Some([3, 3, 3]));
}

#[test]
fn an_exchange_does_not_see_that_a_block_was_freed_and_allocated_again() {
    let exchanges = "%a := load &p plain %r, %c := compare_exchange &p, %a, 0:i32 plain else plain ";
    let passes_on = "%a := exchange &p, 0:i32 plain free %a %b := allocate block = 0:i32 reuse store &p, %b plain ";
    // The load gets the block before or after it was passed on, 0, or the fresh one; the exchange then succeeds, or finds 0, or
    // finds the fresh one where the block was.
    assert_eq!(check(&with_block(exchanges, passes_on)), Some([10, 10, 10]));
}

#[test]
fn a_schedule_says_which_block_is_given_out() {
    let block = |value: u32| format!("%a := allocate block = 0:i32 reuse store %a, {value}:i32 plain free %a ");
    for value in 0..4 {
        let text = format!(
            "function prepare() {{ registers a, b, c b0: %a := allocate block = 0:i32 reuse store %a, 1:i32 plain
  %b := allocate block = 0:i32 reuse store %b, 2:i32 plain free %b free %a return }}
function first() {{ registers a b0: {} return }}
function second() {{ registers a, r, c b0: %a := allocate block = 0:i32 reuse %r := load %a plain
  %c := ne %r, {value}:i32 assert %c, \"another\" return }}
setup @prepare()
thread first = @first() thread second = @second()",
            block(3)
        );
        for machine in MACHINES {
            let found = mcr::check(&program(&text), machine, &mcr::Options::default()).expect("supported");
            // It is the failure of the schedule, run again.
            assert_eq!(found.failure.map(|failure| failure.message).as_deref(), Some("another"), "{value} {machine:?}");
        }
    }
}

#[test]
fn programs_that_give_memory_back_have_the_classes_of_brute_force() {
    let mut random = Random(41);
    let (mut compared, mut classes) = (0, 0);
    for iteration in 0..programs::<u64>(400) {
        let size = Size { threads: 2 + usize::from(iteration % 3 == 0), pieces: 3 + iteration % 3 };
        let program = program(&recycling(&mut random, size));
        let found = check(&program);
        compared += u32::from(found.is_some());
        classes += found.map_or(0, |found| found.iter().sum());
        same_answers(&program);
    }
    assert!(compared > programs::<u32>(300) && classes > programs::<u64>(3_000), "{compared} {classes}");
}

#[test]
fn choices_and_weak_exchanges_go_every_way() {
    let text = "global x = 0:i32
function first() { registers r, s b0: %r := choose 0..1:i32 store &x, %r plain return }
function second() { registers r, s b0: %r, %s := compare_exchange_weak &x, 0:i32, 5:i32 plain else plain return }
thread first = @first() thread second = @second()";
    // 0 is read after either choice, and exchanged or not; 1 is read after one.
    assert_eq!(check(&program(text)), Some([5, 5, 5]));
}

/// For the night: `SEED=7 cargo test -p palisade-mcr --test histories -- --ignored`.
#[test]
#[ignore]
fn many_more_programs_have_the_classes_of_brute_force() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let (first, seeds) = (number("SEED").unwrap_or(1), number("SEEDS").unwrap_or(1));
    for seed in first..first + seeds {
        let mut random = Random(seed);
        let (mut compared, mut refused) = (0, 0);
        for iteration in 0..1_000 {
            let size = Size { threads: 3 + (iteration % 5 == 4) as usize, pieces: 2 + iteration % 3 };
            let plain = testing::random::program(&mut random, shape(iteration));
            for program in [program(&synchronizing(&mut random, size)), plain] {
                let is_compared = check(&program).is_some();
                compared += u32::from(is_compared);
                refused += u32::from(!is_compared && is_refused(&program));
            }
            if iteration % 4 == 0 {
                solve(&program(&synchronizing(&mut random, Size { pieces: 2, ..size })));
                solve(&testing::random::program(&mut random, shape(iteration)));
                second_opinion(&program(&synchronizing(&mut random, Size { threads: 4, pieces: 4 })));
                second_opinion(&testing::random::program(
                    &mut random,
                    Shape { threads: 4, instructions: 6, ..shape(iteration) },
                ));
            }
        }
        println!("seed {seed}: {compared} programs compared, {refused} refused");
        assert!(compared > 1_800 && refused < 100, "seed {seed}: {compared} {refused}");
    }
}

/// For the night, as above.
#[test]
#[ignore]
fn many_more_programs_that_give_memory_back_have_the_classes_of_brute_force() {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = Random(seed);
    let mut compared = 0;
    for iteration in 0..3_000 {
        let size =
            Size { threads: 2 + (iteration % 2) as usize + (iteration % 11 == 0) as usize, pieces: 3 + iteration % 5 };
        let program = program(&recycling(&mut random, size));
        compared += u32::from(check(&program).is_some());
        same_answers(&program);
        if iteration % 4 == 0 {
            same_races(&program, &MACHINES, &mut Tally::default());
            solve(&program);
            second_opinion(&program);
        }
    }
    println!("seed {seed}: {compared} programs compared");
}

/// The shapes of programs without synchronization, in turn.
fn shape(iteration: u64) -> Shape {
    let every = |number: u64| iteration.is_multiple_of(number);
    Shape {
        threads: 3 + u64::from(every(11)),
        rich: every(2),
        pointers: every(3),
        c11: every(5),
        twins: every(7),
        arithmetic: every(4),
        instructions: 3 + iteration % 3,
        ..Shape::PLAIN
    }
}

#[test]
fn atomic_blocks_of_two_reads_take_no_more_executions_than_there_are_classes() {
    let text = "global x = 0:i32 global y = 0:i32
function P0() { registers r0, r1, r2, r3, r4 b0: atomic_begin %r0 := load &x plain %r1 := load &y plain atomic_end return }
function P1() { registers r0 b0: store &x, 1:i32 plain store &y, 2:i32 plain return }
thread P0 = @P0() thread P1 = @P1()";
    assert_eq!(check(&program(text)), Some([3, 3, 4]));
}

#[test]
fn a_thread_that_fails_with_a_monitor_keeps_others_waiting() {
    let text = "global y = 0:i32 global m = 0:i32
function first() { registers r b0: lock &m %r := load &y plain unlock &m return }
function second() {
  registers r, c
  b0: %r := load &y plain lock &m %c := ne %r, 1:i32 assert %c, \"not 1\" unlock &m return
}
function third() { registers r b0: store &y, 1:i32 plain %r := choose 0..1:i32 return }
thread first = @first() thread second = @second() thread third = @third()";
    assert_eq!(check(&program(text)), Some([10, 10, 10]));
}

#[test]
fn a_load_of_what_nobody_writes_still_waits_for_stores() {
    let text = "global x = 0:i32 global y = 0:i32 global z = 0:i32
function P0() { registers r b0: store &x, 1:i32 plain fence plain{SL} %r := load &y plain store &z, 1:i32 plain return }
function P1() { registers r, s b0: %r := load &z plain %s := load &x plain return }
thread P0 = @P0() thread P1 = @P1()";
    assert_eq!(check(&program(text)), Some([3, 3, 3]));
}

#[test]
fn atomic_blocks_whose_reads_are_not_all_shared() {
    let text = |first: &str, second: &str| {
        format!(
            "global x = 0:i32 global y = 0:i32
function P0() {{ registers r, s, t b0: store &x, 1:i32 plain
  atomic_begin %r := load &{first} plain %s := load &{second} plain atomic_end %t := load &x plain return }}
function P1() {{ b0: store &x, 2:i32 plain return }}
thread P0 = @P0() thread P1 = @P1()"
        )
    };
    assert!(check(&program(&text("x", "y"))).is_some());
    assert!(check(&program(&text("y", "x"))).is_some());
}

#[test]
fn a_step_that_waits_leaves_buffered_stores_where_they_are() {
    let text = "global x = 0:i32 global y = 0:i32 global z = 0:i32
function first() { registers r b0: store &z, 0:i32 plain atomic_begin %r := load &x plain await %r atomic_end return }
function second() { registers r, c b0: store &x, 1:i32 plain %r := load &z plain store &z, 1:i32 plain return }
function main() { registers a, b, r b0: %a := spawn @first() %b := spawn @second()
 atomic_begin %r := load &z plain await %r store &x, 0:i32 plain atomic_end join %a join %b %r := load &x plain return }
thread main = @main()";
    assert!(check(&program(text)).is_some());
}

#[test]
fn who_has_left_the_class_stands_still_while_its_stores_get_to_memory() {
    let text = "global x = 0:i32 global y = 0:i32
function first() { registers r, s b0: %r, %s := compare_exchange &y, 0:i32, 2:i32 plain else plain return }
function second() { registers r b0: store &x, 2:i32 plain store &y, 3:i32 plain %r := load &y plain return }
function third() {
  registers r, s
  b0: store &y, 1:i32 plain %r := load &x plain %s := update &y, add 2:i32 plain return
}
thread first = @first() thread second = @second() thread third = @third()";
    assert_eq!(check(&program(text)), Some([25, 28, 28]));
}

#[test]
fn choices_of_many_ways_are_told_apart() {
    let text = "global x = 0:i32
function first() { registers r b0: %r := choose 0..4:i32 return }
function second() { registers r b0: atomic_begin %r := choose 0..2:i32 store &x, %r plain atomic_end return }
function third() { registers r b0: %r := load &x plain return }
thread first = @first() thread second = @second() thread third = @third()";
    // The load gets 0, or what was chosen unless that is 0.
    assert_eq!(check(&program(text)), Some([25, 25, 25]));
}

/// Why races are not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skipped {
    TooLong,
    /// Both searches meet something that is not modelled.
    Refused,
}

/// The races that classes have, and those of the search over all states; each as its two places.
fn races_both_ways(program: &Verified, machine: Machine, rules: Rules) -> Result<[BTreeSet<String>; 2], Skipped> {
    let limits = Limits { states: 100_000, ..Limits::default() };
    let searched = operational::races(program, machine, rules, &limits);
    let budget = Budget { executions: 1_000, ..Budget::default() };
    let limits = Limits { depth: 1_000, ..Limits::default() };
    let options = mcr::Options { budget, limits, ..mcr::Options::default() };
    let by_class = mcr::histories::race::races(program, machine, rules, &options, &Alone::default());
    let by_class = by_class.map(|found| found.races);
    if searched.is_err() && by_class.is_err() {
        return Err(Skipped::Refused);
    }
    let is_too_long = |reason: &String| reason.contains("steps") || reason.contains("executions");
    let is_cut = |found: &operational::Races| found.incomplete.as_ref().is_some_and(is_too_long);
    if searched.as_ref().is_ok_and(|found| found.incomplete.is_some()) || by_class.as_ref().is_ok_and(is_cut) {
        return Err(Skipped::TooLong);
    }
    let [searched, by_class] =
        [searched, by_class].map(|found| found.unwrap_or_else(|what| panic!("one refuses: {what:?}")));
    assert_eq!(by_class.incomplete, None, "{} {rules:?} {}", machine.name(), program::text::print(program));
    let all = [searched, by_class].map(|found| {
        let place = |access: &operational::RacyAccess| {
            let at = access.span.map(|span| program.sources.location(span).to_string());
            format!("{} {}", at.unwrap_or_else(|| access.thread.clone()), access.writes)
        };
        let names = found.races.iter().map(|race| {
            let mut places = [place(&race.first), place(&race.second)];
            places.sort();
            places.join(" and ")
        });
        names.collect()
    });
    Ok(all)
}

/// Whether an execution ends in an error.
fn fails(program: &Verified, machine: Machine) -> bool {
    let found = mcr::check(program, machine, &mcr::Options::default()).unwrap_or_else(|what| panic!("{what:?}"));
    found.failure.is_some_and(|failure| failure.thread.is_some())
}

/// What comparisons of races come to.
#[derive(Debug, Default)]
struct Tally {
    races: usize,
    compared: u32,
    refused: u32,
}

/// Compares races on machines, each of which has the executions of those before.
fn same_races(program: &Verified, machines: &[Machine], tally: &mut Tally) {
    for rules in [Rules::Jmm, Rules::C11] {
        let mut before: Option<BTreeSet<String>> = None;
        for machine in machines.iter().copied() {
            let [searched, by_class] = match races_both_ways(program, machine, rules) {
                Ok(both) => both,
                Err(skipped) => {
                    tally.refused += u32::from(skipped == Skipped::Refused);
                    continue;
                }
            };
            // Which steps an error ends together with its own is not the same in both.
            let is_same = if fails(program, machine) { searched.is_subset(&by_class) } else { searched == by_class };
            let text = || format!("{} {rules:?} {}", machine.name(), program::text::print(program));
            assert!(is_same, "{searched:?} {by_class:?} {}", text());
            assert!(before.is_none_or(|before| before.is_subset(&by_class)), "{by_class:?} {}", text());
            tally.races += searched.len();
            tally.compared += 1;
            before = Some(by_class);
        }
    }
}

#[test]
fn random_programs_have_the_races_of_the_search_over_all_states() {
    let mut random = Random(71);
    let mut tally = Tally::default();
    for iteration in 0..programs::<u64>(200) {
        let machines = if iteration % 4 == 0 { &MACHINES[..] } else { &MACHINES[..1] };
        same_races(&program(&synchronizing(&mut random, SMALL)), machines, &mut tally);
        same_races(&program(&recycling(&mut random, SMALL)), machines, &mut tally);
        same_races(&program(&late_accesses(&mut random, SMALL)), machines, &mut tally);
        let shape = Shape {
            rich: iteration % 2 == 0,
            pointers: iteration % 3 == 0,
            c11: iteration % 4 != 0,
            twins: iteration % 7 == 0,
            arithmetic: iteration % 5 == 0,
            ..Shape::PLAIN
        };
        same_races(&testing::random::program(&mut random, shape), machines, &mut tally);
    }
    assert!(tally.races > programs::<usize>(600) && tally.compared > programs::<u32>(1_200), "{tally:?}");
}

#[test]
fn an_allocation_counts_as_an_event_of_its_atomic_block() {
    let thread = |name: &str, own: &str, other: &str| {
        format!(
            "function {name}() {{ registers a, r b0: atomic_begin %a := allocate block = 0:i32 reuse
  store &{own}, 1:i32 plain atomic_end %r := load &{other} plain return }}\n"
        )
    };
    let text = ["global x = 0:i32 global y = 0:i32\n", &thread("P0", "x", "y"), &thread("P1", "y", "x")].concat();
    // With the store it makes two, so that the block waits for no buffer.
    assert_eq!(check(&program(&[&text, "thread P0 = @P0() thread P1 = @P1()"].concat())), Some([3, 3, 3]));
}

#[test]
fn programs_that_wait_in_loops_have_the_races_of_the_search_over_all_states() {
    let mut random = Random(17);
    let (mut count, mut compared) = (0, 0);
    for _ in 0..programs::<u64>(200) {
        let program = program(&testing::waiting::waiting(&mut random, 2, false));
        let mut tally = Tally::default();
        same_races(&program, &MACHINES[..1], &mut tally);
        count += tally.races;
        compared += u32::from(tally.races > 0);
    }
    assert!(count > programs::<usize>(300) && compared > programs::<u32>(80), "{count} {compared}");
}

#[test]
fn an_access_in_a_round_in_vain_may_race() {
    // The load of `data` happens only before the flag is set, and nothing but its race with the store tells.
    let text = "global data = 0:i32 global flag = 0:i32 global go = 0:i32
function first() { registers r
  b0: jump b1
  b1: %r := load &flag seq_cst branch %r, b3, b2
  b2: %r := load &data plain jump b1
  b3: store &go, 1:i32 relaxed return }
function second() { registers r
  b0: store &flag, 1:i32 relaxed %r := load &go relaxed branch %r, b1, b2
  b1: store &data, 1:i32 plain jump b2
  b2: return }
thread first = @first() thread second = @second()";
    let [searched, by_class] = races_both_ways(&program(text), Machine::Sc, Rules::C11).expect("both end");
    assert_eq!(searched, by_class);
    assert_eq!(searched.len(), 1, "{searched:?}");
}

#[test]
fn an_atomic_block_that_writes_a_cell_twice_leaves_the_second_value() {
    let text = "global x = 0:i32
function second() { registers r, s
  b0: %s := copy 0:i32 atomic_begin store &x, %s plain
  %r, %s := compare_exchange &x, 0:i32, 1:i32 plain else plain atomic_end return }
function main() { registers second, r, s
  b0: %second := spawn @second() %s := choose 0..2:i32 store &x, %s plain join %second %r := load &x plain return }
thread main = @main()";
    // 1 is left, or what was chosen.
    assert_eq!(check(&program(text)), Some([5, 5, 5]));
}

/// How many races there are between an access of a thread that has given a block back, and one of another that is perhaps given it.
fn races_of_late_access(late: &str, next: &str) -> usize {
    let text = format!(
        "global x = 0:i32 global y = 0:i32
function first() {{ registers a b0: %a := allocate block = 0:i32 reuse free %a {late} return }}
function second() {{ registers a, r
  b0: {next} return }}
thread first = @first() thread second = @second()"
    );
    let [searched, by_class] = races_both_ways(&program(&text), Machine::Sc, Rules::C11).expect("both end");
    assert_eq!(searched, by_class, "{late} {next}");
    searched.len()
}

#[test]
fn a_late_access_races_with_those_of_the_new_object_only() {
    let takes = "%a := allocate block = 0:i32 reuse %r := load %a plain";
    let takes_at_once = "atomic_begin %a := allocate block = 0:i32 reuse %r := load %a plain atomic_end";
    let takes_later = "%r := load &y relaxed branch %r, b1, b2 b1: %a := allocate block = 0:i32 reuse %r := load %a plain jump b2 b2:";
    for value in 0..2 {
        let late = format!("store %a, {value}:i32 plain ");
        // The block is given to the second thread, and then the first one writes.
        assert_eq!(races_of_late_access(&late, takes), 1, "{value}");
        assert_eq!(races_of_late_access(&late, takes_at_once), 1, "{value}");
        // It can only have written before.
        assert_eq!(races_of_late_access(&format!("{late}store &y, 1:i32 relaxed "), takes_later), 0, "{value}");
    }
    // What the old object released the new one does not pass on.
    let late = "store &x, 1:i32 plain store %a, 1:i32 release store &y, 1:i32 relaxed ";
    let takes_later = "%r := load &y relaxed branch %r, b1, b3
  b1: %a := allocate block = 0:i32 reuse %r := load %a acquire branch %r, b2, b3
  b2: %r := load &x plain jump b3
  b3:";
    assert_eq!(races_of_late_access(late, takes_later), 1);
}

/// For the night, as above; `ROUNDS=100` looks at fewer.
#[test]
#[ignore]
fn many_more_programs_have_the_races_of_the_search_over_all_states() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let (seed, rounds) = (number("SEED").unwrap_or(1), number("ROUNDS").unwrap_or(1_000));
    let mut random = Random(seed);
    let mut tally = Tally::default();
    for iteration in 0..rounds {
        same_races(&program(&synchronizing(&mut random, SMALL)), &MACHINES, &mut tally);
        same_races(&program(&recycling(&mut random, SMALL)), &MACHINES, &mut tally);
        same_races(&program(&late_accesses(&mut random, SMALL)), &MACHINES, &mut tally);
        same_races(&program(&testing::waiting::waiting(&mut random, 2, false)), &MACHINES, &mut tally);
        let shape = Shape {
            rich: iteration % 2 == 0,
            pointers: iteration % 3 == 0,
            c11: iteration % 4 != 0,
            twins: iteration % 7 == 0,
            arithmetic: iteration % 5 == 0,
            instructions: 3 + iteration % 3,
            ..Shape::PLAIN
        };
        same_races(&testing::random::program(&mut random, shape), &MACHINES, &mut tally);
    }
    println!("seed {seed}: {tally:?}");
    // Of five programs in each round, by two rules, on three machines.
    assert!(u64::from(tally.compared) > 24 * rounds && u64::from(tally.refused) < rounds, "{tally:?}");
}

/// Failures that classes show, each with its schedule before and after it was made shorter.
fn shortened(program: &Verified, machine: Machine) -> Vec<[Schedule; 2]> {
    let (limits, mut all) = (Limits::default(), Vec::new());
    for setup in setups(program, &limits).expect("the setup runs") {
        let exploration = Exploration::new(program, machine, &setup, &limits, &Budget::default(), Iterations::Wait);
        let mut exploration = exploration.unwrap_or_else(|stop| panic!("{stop:?}"));
        let visit = &mut |forest: &mut Forest, executed: &Executed| {
            if matches!(executed.ending, explore::Ending::Failed | explore::Ending::Stuck) && all.len() < 5 {
                let before = witness::schedule_to_failure(forest, &setup, &executed.configuration, &limits);
                let before = before.expect("it happens again");
                all.push([before.clone(), shorten(program, machine, &before, &limits)]);
            }
            Next::Continue
        };
        exploration.run(visit, &Alone::default());
    }
    all
}

#[test]
fn shorter_schedules_lead_to_the_same_failure() {
    let mut random = Random(31);
    let (mut count, mut moves, mut changes) = (0, [0, 0], [0, 0]);
    for iteration in 0..programs::<u64>(250) {
        let text =
            if iteration < programs(150) { synchronizing(&mut random, SMALL) } else { recycling(&mut random, SMALL) };
        let program = program(&text);
        for machine in MACHINES {
            for both in shortened(&program, machine) {
                let ends = both.each_ref().map(|schedule| {
                    let replayed = replay(&program, machine, Reduction::Own, schedule, &Limits::default());
                    replayed.expect("the schedule runs").end
                });
                assert_eq!(ends[0], ends[1], "on {machine:?}: {}", program::text::print(&program));
                for (place, schedule) in both.iter().enumerate() {
                    moves[place] += schedule.moves.len();
                    changes[place] += switches(schedule);
                }
                assert!(both[1].moves.len() <= both[0].moves.len() && switches(&both[1]) <= switches(&both[0]));
                let printed = schedule::print(&both[1], machine, Reduction::Own);
                assert_eq!(schedule::parse(&printed), Ok((both[1].clone(), machine, Reduction::Own)), "{printed}");
                count += 1;
            }
        }
    }
    println!("{count} failures: {moves:?} moves, {changes:?} changes of thread");
    assert!(
        count > programs::<u32>(100) && moves[1] < moves[0] && changes[1] < changes[0],
        "{count} {moves:?} {changes:?}"
    );
}
#[test]
fn an_operation_that_cannot_be_done_is_the_last_step() {
    let text = |body: &str| {
        format!(
            "global p = 0:i32 global x = 0:i32
function first() {{ registers r b0: {body} return }}
function second() {{ b0: store &p, &x plain return }}
thread first = @first() thread second = @second()"
        )
    };
    for body in ["%r := load 0:i32 plain", "%r := load &p plain store %r, 1:i32 plain", "unlock &x", "free &x"] {
        let program = program(&text(body));
        same_answers(&program);
        let found = mcr::check(&program, Machine::Tso, &mcr::Options::default()).expect("supported");
        assert!(found.failure.is_some_and(|failure| failure.location.is_some()), "{body}");
    }
}
