//! Peterson's filter lock for N threads: states, time and memory of the search, with and without the reduction.
//!
//! `cargo bench -p palisade-operational` for the machine sc and up to 4 threads, `cargo bench -p palisade-operational -- tso 3` for others.
//! Times are the best of ten runs, of one if that takes long. Nothing here asserts a time. Without the reduction 4 threads take half a minute and 2 GB.

use std::time::Instant;

use operational::{Answer, Machine, Options, Reduction, check};
use program::{Verified, verify};

/// The filter lock: thread `i` climbs the levels 1..N; at each it waits while it was the last to come and another thread is
/// at that level or above. In the critical section a counter is checked.
fn filter_lock(threads: usize) -> Verified {
    let mut text = String::from(
        "program filter_lock\nlanguage IR\nglobal inside = 0:i32\nglobal level = 0:i32\nglobal last = 0:i32\n",
    );
    for me in 0..threads {
        text.push_str(&thread(me, threads));
    }
    (0..threads).for_each(|me| text.push_str(&format!("thread P{me} = @P{me}()\n")));
    let program = program::text::parse("filter.ir", &text).unwrap_or_else(|wrong| panic!("{wrong}"));
    verify(program).unwrap_or_else(|wrong| panic!("{wrong:?}"))
}

fn thread(me: usize, threads: usize) -> String {
    let mut blocks: Vec<String> = Vec::new();
    // Levels are laid out one after the other: enter, then for each other thread test its level, then who came last.
    for level in 1..threads {
        let first = blocks.len();
        let others: Vec<usize> = (0..threads).filter(|&other| other != me).collect();
        let next_level = first + 1 + 2 * others.len();
        blocks.push(format!(
            "store &level[{me}], {level}:i32 plain store &last[{level}], {me}:i32 plain jump b{}",
            first + 1
        ));
        for (index, other) in others.iter().enumerate() {
            let here = first + 1 + 2 * index;
            let next = if index + 1 == others.len() { next_level } else { here + 2 };
            blocks.push(format!(
                "%r := load &level[{other}] plain %c := sle {level}:i32, %r branch %c, b{}, b{next}",
                here + 1
            ));
            blocks.push(format!(
                "%r := load &last[{level}] plain %c := eq %r, {me}:i32 branch %c, b{}, b{next_level}",
                first + 1
            ));
        }
    }
    blocks.push(format!(
        "%r := load &inside plain %c := eq %r, 0:i32 assert %c, \"alone\" store &inside, 1:i32 plain \
         store &inside, 0:i32 plain store &level[{me}], 0:i32 plain return"
    ));
    let blocks: String = blocks.iter().enumerate().map(|(index, block)| format!("  b{index}: {block}\n")).collect();
    format!("function P{me}() {{\n  registers r, c\n{blocks}}}\n")
}

/// The best of several runs, unless one takes long.
fn best(run: &dyn Fn() -> Answer) -> (Answer, f64) {
    let timed = || {
        let started = Instant::now();
        let answer = run();
        (answer, started.elapsed().as_secs_f64())
    };
    let mut best = timed();
    for _ in 0..if best.1 < 2.0 { 9 } else { 0 } {
        let again = timed();
        best = if again.1 < best.1 { again } else { best };
    }
    best
}

fn main() {
    // Cargo passes `--bench`.
    let arguments: Vec<String> = std::env::args().filter(|argument| argument != "--bench").collect();
    let machine = arguments.get(1).and_then(|name| Machine::named(name)).unwrap_or(Machine::Sc);
    let most: usize = arguments.get(2).and_then(|most| most.parse().ok()).unwrap_or(4);
    println!("machine {}", machine.name());
    println!(
        "threads  reduction   verdict      states        steps   seconds  states/s  instructions/s  bytes/state  shared"
    );
    for threads in 2..=most {
        for reduction in [Reduction::Persistent, Reduction::None] {
            let program = filter_lock(threads);
            let options = Options { reduction, ..Options::default() };
            let (answer, seconds) =
                best(&|| check(&program, machine, &options).unwrap_or_else(|what| panic!("{what:?}")));
            let explored = answer.explored;
            println!(
                "{threads:7}  {:10}  {:10?}  {:10}  {:10}  {seconds:8.3}  {:8.0}  {:14.0}  {:11.1}  {:6}",
                format!("{reduction:?}"),
                answer.outcome.verdict,
                explored.states,
                explored.steps,
                explored.states as f64 / seconds,
                explored.instructions as f64 / seconds,
                explored.state_bytes as f64 / explored.states as f64,
                explored.shared_bytes,
            );
        }
    }
}
