//! Executions of maximal causality reduction: one for each class, and all classes.

#[path = "../../axiomatic/tests/common/random.rs"]
#[allow(dead_code)]
mod random;

mod oracle;

use std::collections::BTreeSet;

use operational::mcr;
use operational::mcr::encode::Form;
use operational::mcr::explore::{Alone, Budget, Ending, Executed, Exploration, Figures, Next, setups};
use operational::mcr::history::Forest;
use operational::mcr::witness;
use operational::shorten::{shorten, switches};
use operational::{Limits, Machine, Reduction, Rules, Schedule, replay, schedule};
use oracle::{Steps, classes};
use program::{Verdict, Verified, verify};
use random::{Random, Shape};

const MACHINES: [Machine; 3] = [Machine::Sc, Machine::Tso, Machine::Pso];

fn program(text: &str) -> Verified {
    let text = format!("program test\nlanguage IR\n{text}");
    let program = program::text::parse("test.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}"))
}

/// The figures of a whole exploration.
fn explored(program: &Verified, machine: Machine) -> Figures {
    let (sum, incomplete) = explored_within(program, machine, &Budget::default());
    assert_eq!(incomplete, None, "on {machine:?}: {}", program::text::print(program));
    sum
}

/// The figures, and why they are not those of a whole exploration.
fn explored_within(program: &Verified, machine: Machine, budget: &Budget) -> (Figures, Option<String>) {
    let limits = Limits::default();
    let (mut sum, mut incomplete) = (Figures::default(), None);
    for setup in setups(program, &limits).expect("the setup runs") {
        let exploration = Exploration::new(program, machine, &setup, &limits, budget);
        let mut exploration = exploration.unwrap_or_else(|stop| panic!("{stop:?}"));
        exploration.run(&mut |_, _| Next::Continue, &Alone::default());
        incomplete = incomplete.or(exploration.incomplete());
        let figures = exploration.figures();
        sum.classes += figures.classes;
        sum.executions += figures.executions;
        sum.redundant += figures.redundant;
        sum.dropped += figures.dropped;
    }
    (sum, incomplete)
}

/// Checks the number of classes on sc, tso and pso against brute force.
fn check(program: &Verified) -> Option<[u64; 3]> {
    let mut counts = [0; 3];
    for (machine, count) in MACHINES.into_iter().zip(&mut counts) {
        let all = classes(program, machine, Steps::Private, 40_000)?;
        let figures = explored(program, machine);
        assert_eq!(figures.classes, all.len() as u64, "on {machine:?}: {}", program::text::print(program));
        assert_eq!(figures.redundant, 0, "on {machine:?}: {}", program::text::print(program));
        *count = figures.classes;
    }
    Some(counts)
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
    for round in 0..300 {
        let shape = Shape { rich: round % 2 == 0, ..Shape::PLAIN };
        let program = random::program(&mut random, shape);
        compared += u32::from(check(&program).is_some());
        same_answers(&program);
    }
    assert!(compared > 200, "{compared}");
}

/// A body of a thread that synchronizes.
fn body(random: &mut Random, length: u64) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(length) {
        let cell = ["x", "y", "z"][random.below(3) as usize];
        let monitor = ["m", "n"][random.below(2) as usize];
        let value = random.below(3);
        let access = || format!("store &{cell}, {value}:i32 plain %r := load &{cell} plain ");
        text += &match random.below(13) {
            0 | 1 => format!("store &{cell}, {value}:i32 plain "),
            2 | 3 => format!("%r := load &{cell} plain "),
            4 => format!("lock &{monitor} %r := load &{cell} plain unlock &{monitor} "),
            5 => format!("lock &{monitor} {} unlock &{monitor} ", access()),
            6 => format!("lock &{monitor} lock &n store &{cell}, {value}:i32 plain unlock &n unlock &{monitor} "),
            7 => format!("lock &m wait &m %r := load &{cell} plain unlock &m "),
            8 => format!("lock &m {} &m unlock &m ", ["notify", "notify_all"][random.below(2) as usize]),
            9 => {
                let other = ["x", "y", "z"][random.below(3) as usize];
                match random.below(4) {
                    0 => format!("atomic_begin %r := load &{cell} plain %r := load &{other} plain atomic_end "),
                    1 => {
                        format!("atomic_begin %r := load &{cell} plain await %r %r := load &{other} plain atomic_end ")
                    }
                    _ => format!("atomic_begin %r := load &{cell} plain await %r atomic_end "),
                }
            }
            10 => {
                let other = ["x", "y", "z"][random.below(3) as usize];
                format!("atomic_begin %r := load &{cell} plain await %r store &{other}, {value}:i32 plain atomic_end ")
            }
            11 => format!("%r := update &{cell}, add 1:i32 plain "),
            _ => ["park ", "fence plain{MFENCE} ", "fence plain{SS} ", "fence plain{SL} "][random.below(4) as usize]
                .into(),
        };
    }
    text
}

fn synchronizing(random: &mut Random) -> String {
    let [first, second, third] = [3, 3, 2].map(|length| body(random, length));
    let unpark = ["", "unpark %a ", "unpark %b "][random.below(3) as usize];
    let check = ["", "%c := eq %r, 1:i32 assert %c, \"one\" "][random.below(2) as usize];
    let joins = ["join %a join %b ", "join %b "][random.below(2) as usize];
    format!(
        "global x = 0:i32 global y = 0:i32 global z = 0:i32 global m = 0:i32 global n = 0:i32
function first() {{ registers r b0: {first} return }}
function second() {{ registers r, c b0: {second} {check} return }}
function main() {{ registers a, b, r b0: %a := spawn @first() %b := spawn @second() {third} {unpark} {joins} %r := load &x plain return }}
thread main = @main()
"
    )
}

#[test]
fn programs_that_synchronize_have_the_classes_of_brute_force() {
    let mut random = Random(5);
    let mut compared = 0;
    for _ in 0..400 {
        let program = program(&synchronizing(&mut random));
        compared += u32::from(check(&program).is_some());
        same_answers(&program);
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn the_solver_finds_the_same_classes() {
    let mut random = Random(23);
    let mut compared = 0;
    for round in 0..60 {
        let program = match round % 2 {
            0 => program(&synchronizing(&mut random)),
            _ => random::program(&mut random, Shape { rich: true, ..Shape::PLAIN }),
        };
        for machine in MACHINES {
            let listed = explored(&program, machine);
            if listed.classes > 60 {
                continue;
            }
            let (solved, incomplete) =
                explored_within(&program, machine, &Budget { solver: Some(Form::Exact), ..Budget::default() });
            if incomplete.as_ref().is_some_and(|reason| reason.contains("atomic block")) {
                continue;
            }
            assert_eq!(incomplete, None);
            let text = || format!("on {machine:?}: {}", program::text::print(&program));
            assert_eq!((solved.classes, solved.redundant), (listed.classes, 0), "{}", text());
            compared += 1;
        }
    }
    assert!(compared > 80, "{compared}");
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
            "global x = 0:i32
function first() {{ registers r b0: %r := load &x plain {check} return }}
function second() {{ registers r b0: jump b1 b1: %r := load &x plain branch %r, b2, b1 b2: return }}
thread first = @first() thread second = @second()"
        )
    };
    assert!(matches!(verdict(&text("")), Verdict::Unknown(reason) if reason.contains("steps")));
    assert_eq!(verdict(&text("assert %r, \"set\"")), Verdict::Violated);
}

#[test]
fn memory_that_is_given_back_is_refused() {
    let text = "function first() { registers r b0: %r := allocate block = 0:i32 free %r return }
thread first = @first()";
    let refused = mcr::check(&program(text), Machine::Sc, &mcr::Options::default());
    assert!(refused.is_err_and(|what| what.what.contains("given back")));
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

/// For the night: `SEED=7 cargo test -p operational --test mcr -- --ignored`.
#[test]
#[ignore]
fn many_more_programs_have_the_classes_of_brute_force() {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = Random(seed);
    for round in 0..3_000 {
        check(&program(&synchronizing(&mut random)));
        let shape = Shape {
            rich: round % 2 == 0,
            pointers: round % 3 == 0,
            c11: round % 5 == 0,
            twins: round % 7 == 0,
            arithmetic: round % 4 == 0,
            instructions: 3 + round % 3,
            ..Shape::PLAIN
        };
        check(&random::program(&mut random, shape));
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

/// The races that classes have, and those of the search over all states; each as its two places.
fn races_both_ways(program: &Verified, rules: Rules) -> Option<[BTreeSet<String>; 2]> {
    let limits = Limits { states: 100_000, ..Limits::default() };
    let searched = operational::races(program, rules, &limits).unwrap_or_else(|what| panic!("{what:?}"));
    let by_class = mcr::race::races(program, rules, &mcr::Options::default(), &Alone::default());
    let by_class = by_class.unwrap_or_else(|what| panic!("{what:?}")).races;
    if searched.incomplete.is_some() {
        return None;
    }
    assert_eq!(by_class.incomplete, None, "{}", program::text::print(program));
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
    Some(all)
}

/// Whether an execution ends in an error.
fn fails(program: &Verified) -> bool {
    let found = mcr::check(program, Machine::Sc, &mcr::Options::default()).unwrap_or_else(|what| panic!("{what:?}"));
    found.failure.is_some_and(|failure| !failure.thread.is_empty())
}

fn same_races(program: &Verified) -> usize {
    let mut count = 0;
    for rules in [Rules::Jmm, Rules::C11] {
        if let Some([searched, by_class]) = races_both_ways(program, rules) {
            // Which steps an error ends together with its own is not the same in both.
            let is_same = if fails(program) { searched.is_subset(&by_class) } else { searched == by_class };
            assert!(is_same, "{searched:?} {by_class:?} {rules:?} {}", program::text::print(program));
            count += searched.len();
        }
    }
    count
}

#[test]
fn random_programs_have_the_races_of_the_search_over_all_states() {
    let mut random = Random(71);
    let mut count = 0;
    for round in 0..200 {
        count += same_races(&program(&synchronizing(&mut random)));
        let shape = Shape {
            rich: round % 2 == 0,
            pointers: round % 3 == 0,
            c11: round % 4 != 0,
            twins: round % 7 == 0,
            arithmetic: round % 5 == 0,
            ..Shape::PLAIN
        };
        count += same_races(&random::program(&mut random, shape));
    }
    assert!(count > 300, "{count}");
}

/// For the night, as above.
#[test]
#[ignore]
fn many_more_programs_have_the_races_of_the_search_over_all_states() {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = Random(seed);
    for round in 0..3_000 {
        same_races(&program(&synchronizing(&mut random)));
        let shape = Shape {
            rich: round % 2 == 0,
            pointers: round % 3 == 0,
            c11: round % 4 != 0,
            twins: round % 7 == 0,
            arithmetic: round % 5 == 0,
            instructions: 3 + round % 3,
            ..Shape::PLAIN
        };
        same_races(&random::program(&mut random, shape));
    }
}

/// Failures that classes show, each with its schedule before and after it was made shorter.
fn shortened(program: &Verified, machine: Machine) -> Vec<[Schedule; 2]> {
    let (limits, mut all) = (Limits::default(), Vec::new());
    for setup in setups(program, &limits).expect("the setup runs") {
        let exploration = Exploration::new(program, machine, &setup, &limits, &Budget::default());
        let mut exploration = exploration.unwrap_or_else(|stop| panic!("{stop:?}"));
        let visit = &mut |forest: &mut Forest, executed: &Executed| {
            if matches!(executed.ending, Ending::Failed | Ending::Stuck) && all.len() < 5 {
                let before = witness::schedule(forest, &setup, &executed.configuration.moves, &limits);
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
    for _ in 0..150 {
        let program = program(&synchronizing(&mut random));
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
    assert!(count > 100 && moves[1] < moves[0] && changes[1] < changes[0], "{count} {moves:?} {changes:?}");
}
