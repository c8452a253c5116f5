//! Threads with sections that hold a monitor, or a cell that is used as one: no class is lost by what is not asked about them, and long
//! sections are explored soon.

use std::collections::BTreeSet;

use operational::{Limits, Machine};
use program::{State, Verified, verify};
use testing::effort::programs;
use testing::random::Random;

const MACHINES: [Machine; 3] = [Machine::Sc, Machine::Tso, Machine::Pso];

fn program(text: &str) -> Verified {
    let text = format!("program test\nlanguage IR\n{text}");
    let program = program::text::parse("test.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}\n{text}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"))
}

/// Ways to take a lock and to release it.
const LOCKS: [[&str; 2]; 5] = [
    ["lock &m", "unlock &m"],
    [
        "atomic_begin %l := load &c plain %b := eq %l, 0:i32 await %b store &c, 1:i32 plain atomic_end",
        "store &c, 0:i32 plain",
    ],
    [
        "atomic_begin %l := load &c plain %b := eq %l, 0:i32 await %b store &c, 2:i32 plain atomic_end",
        "atomic_begin %l := load &c plain store &c, 0:i32 plain atomic_end",
    ],
    // The last store of the section may be overtaken, on pso at least.
    ["%l, %b := compare_exchange &c, 0:i32, 1:i32 plain else plain assume %b", "store &c, 0:i32 plain"],
    ["", ""],
];

/// Threads of a few accesses, some in sections; the question observes what they read, so that final states are classes.
fn sections(random: &mut Random) -> String {
    let lock = |random: &mut Random| LOCKS[(random.below(8) as usize).min(LOCKS.len() - 1)];
    // Most programs use one way only.
    let usual = lock(random);
    let mut text = String::from("global x = 0:i32 global y = 0:i32 global m = 0:i32 global c = 0:i32\n");
    let (mut observed, threads) = (String::new(), 2 + random.below(2));
    for thread in 0..threads {
        let (mut body, mut reads) = (String::new(), 0);
        for _ in 0..1 + random.below(2) {
            let [take, release] = if random.below(6) == 0 { lock(random) } else { usual };
            body += &format!(" {take}");
            for _ in 0..1 + random.below(3) {
                let cell = ["x", "y"][random.below(2) as usize];
                if random.below(2) == 0 {
                    body += &format!(" %r{reads} := load &{cell} plain");
                    reads += 1;
                } else {
                    body += &format!(" store &{cell}, {}:i32 plain", random.below(3));
                }
            }
            body += &format!(" {release}");
        }
        let registers: String = (0..reads).map(|read| format!(", r{read}")).collect();
        text += &format!("function P{thread}() {{ registers l, b{registers} b0: {body} return }}\n");
        observed += &(0..reads).map(|read| format!("{thread}:%r{read}, ")).collect::<String>();
    }
    let threads: String = (0..threads).map(|thread| format!("thread P{thread} = @P{thread}()\n")).collect();
    let observed = observed.trim_end_matches(", ");
    let observed = if observed.is_empty() { String::new() } else { format!("observed {observed}") };
    format!("{text}{threads}exists true {observed}\n")
}

fn states(outcome: &program::Outcome) -> BTreeSet<State> {
    outcome.states.iter().flatten().map(|(state, _)| state.clone()).collect()
}

#[test]
fn no_class_of_threads_with_sections_is_lost() {
    let (mut random, mut with_several) = (Random(77), 0);
    for _ in 0..programs::<u32>(1_200) {
        let text = sections(&mut random);
        let program = program(&text);
        for machine in MACHINES {
            let searched = operational::outcomes(&program, machine, &operational::Options::default());
            let searched = searched.unwrap_or_else(|what| panic!("{what:?}\n{text}"));
            let found = mcr::outcomes(&program, machine, &mcr::Options::default());
            let found = found.unwrap_or_else(|what| panic!("{what:?}\n{text}"));
            assert_eq!(states(&found.outcome), states(&searched.outcome), "{machine:?}\n{text}");
            assert_eq!((found.figures.redundant, found.figures.lost), (0, 0), "{machine:?}\n{text}");
            with_several += u32::from(found.figures.classes > 2);
        }
    }
    assert!(with_several > programs::<u32>(1_200), "{with_several}");
}

/// Two threads that each read one array and write another, as a whole.
fn arrays(elements: u32, [take, release]: [&str; 2]) -> String {
    let copy = |thread: usize, from: &str, to: &str| {
        let each = (0..elements)
            .map(|at| format!(" %v := load &{from}[{at}] plain %v := add %v, 1:i32 store &{to}[{at}], %v plain"));
        format!(
            "function P{thread}() {{ registers l, b, v b0: {take} {} {release} return }}\n",
            each.collect::<String>()
        )
    };
    let cells = "global x = 0:i32 global y = 0:i32 global m = 0:i32 global c = 0:i32\n";
    format!("{cells}{}{}thread P0 = @P0()\nthread P1 = @P1()\n", copy(0, "x", "y"), copy(1, "y", "x"))
}

#[test]
fn long_sections_take_few_questions() {
    for (machine, lock, most) in [
        (Machine::Sc, LOCKS[0], 40),
        (Machine::Tso, LOCKS[0], 40),
        (Machine::Pso, LOCKS[0], 40),
        (Machine::Sc, LOCKS[1], 40),
        (Machine::Tso, LOCKS[2], 40),
    ] {
        let program = program(&arrays(500, lock));
        let options = mcr::Options { exhaustive: true, limits: Limits::default(), ..mcr::Options::default() };
        let found = mcr::check(&program, machine, &options).expect("supported");
        assert_eq!(found.figures.classes, 2, "{machine:?}");
        let questions = found.figures.queries + found.figures.solver_queries;
        assert!(questions < most, "{questions} on {machine:?}");
    }
}

#[test]
fn a_long_execution_that_ends_is_no_reason_to_search_all_states() {
    for machine in [Machine::Sc, Machine::Tso, Machine::Pso] {
        let program = program(&arrays(500, LOCKS[0]));
        let found = mcr::check(&program, machine, &mcr::Options::default()).expect("supported");
        assert_eq!((found.figures.executions, found.figures.classes), (2, 2), "{machine:?}");
    }
}

/// Two threads with sections of one monitor, so many of each: they add to a cell and, if it is not the thread's own, read what others did.
fn additions(numbers: [u32; 2], cells: [&str; 2]) -> String {
    let [take, release] = LOCKS[0];
    let addition =
        |cell: &str| format!("{take} %v := load &{cell} plain %v := add %v, 1:i32 store &{cell}, %v plain {release} ");
    let thread = |index: usize| {
        let body = addition(cells[index]).repeat(numbers[index] as usize);
        format!("function P{index}() {{ registers v b0: {body} return }}\nthread P{index} = @P{index}()\n")
    };
    format!("global x = 0:i32 global y = 0:i32 global m = 0:i32\n{}{}", thread(0), thread(1))
}

#[test]
fn sections_are_one_class_where_each_reads_the_same_in_any_order_and_else_have_one_for_each_order() {
    let options = mcr::Options { exhaustive: true, ..mcr::Options::default() };
    for machine in MACHINES {
        let classes = |text: &str| {
            let found = mcr::check(&program(text), machine, &options).expect("supported");
            assert_eq!(found.figures.executions, found.figures.classes, "{machine:?}");
            found.figures.classes
        };
        // Before each of the first thread's additions so many of the other's came: what it reads says how many, and each order says another.
        for (numbers, orders) in [([3, 2], 10), ([8, 2], 45), ([4, 4], 70), ([9, 3], 220)] {
            assert_eq!(classes(&additions(numbers, ["x", "x"])), orders, "{numbers:?} on {machine:?}");
            assert_eq!(classes(&additions(numbers, ["x", "y"])), 1, "{numbers:?} on {machine:?}");
        }
    }
}
