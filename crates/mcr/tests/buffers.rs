//! Long store buffers: what is left out of them changes no outcome.

use operational::{Limits, Machine, outcomes};
use program::{State, Verified, verify};
use testing::random::Random;

fn program(text: &str) -> Verified {
    let text = format!("program test\nlanguage IR\n{text}");
    let program = program::text::parse("test.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}\n{text}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"))
}

/// A thread that stores many times, now and then with a fence, and then loads; and one that does a little.
fn text(random: &mut Random) -> String {
    let mut writer = String::new();
    let cells = 1 + random.below(3);
    let places = ["&x", "&y", "&z"];
    let place = |random: &mut Random| places[random.below(cells) as usize];
    for _ in 0..9 + random.below(4) {
        let (cell, value) = (place(random), 1 + random.below(2));
        writer += &format!("store {cell}, {value}:i32 plain ");
        if random.below(12) == 0 {
            writer += "fence plain{SS} ";
        }
        if random.below(24) == 0 {
            writer += "fence plain{SL} ";
        }
    }
    for register in ["a", "b"] {
        writer += &format!("%{register} := load {} plain ", place(random));
    }
    let mut other = String::new();
    for register in ["c", "d", "e"] {
        let cell = place(random);
        match random.below(3) {
            0 => other += &format!("store {cell}, {}:i32 plain ", 1 + random.below(3)),
            _ => other += &format!("%{register} := load {cell} plain "),
        }
    }
    format!(
        "global x = 0:i32\nglobal y = 0:i32\nglobal z = 0:i32\n\
         function w() {{ registers a, b b0: {writer} return }}\n\
         function o() {{ registers c, d, e b0: {other} return }}\n\
         thread w = @w()\nthread o = @o()\n\
         exists true observed 0:%a, 0:%b, 1:%c, 1:%d, 1:%e, x, y, z\n"
    )
}

/// A thread that stores many times, and others that access the same cells in methods: called, or run by threads that are started, of objects
/// that are found in a cell which is written meanwhile. One of the classes seems to stay in a loop for ever.
fn text_with_methods(random: &mut Random) -> String {
    let places = ["&x", "&y"];
    let cells = 1 + u64::from(random.below(4) == 0);
    let place = |random: &mut Random| places[random.below(cells) as usize];
    let mut writer = String::new();
    let mut value = 1;
    for _ in 0..4 + random.below(3) {
        if random.below(24) == 0 {
            value = 3 - value;
        }
        writer += &format!("store {}, {value}:i32 plain ", place(random));
    }
    writer += &format!("%a := load {} plain %b := load {} plain ", place(random), place(random));
    let access = |random: &mut Random, through: &str| match random.below(4) {
        0 => format!("store {through}, {}:i32 plain %r := copy 7:i32 ", 1 + random.below(3)),
        1 | 2 => format!("%r := load {through} plain store {through}, 3:i32 plain "),
        _ => format!("%r := load {through} plain "),
    };
    let method = |random: &mut Random| match random.below(2) {
        0 => {
            let through = place(random);
            access(random, through)
        }
        _ => format!("%p := offset %this, 1:i32 %q := load %p plain {}", access(random, "%q")),
    };
    let (first, second, spun) = (method(random), method(random), place(random));
    let object = |random: &mut Random| ["&A", "&B", "&C"][(random.below(9) / 4) as usize];
    let made = |random: &mut Random| match random.below(4) {
        0 => format!(
            "%o := allocate {} = 0:i32 %f := offset %o, 1:i32 store %f, {} plain store &pick, %o plain ",
            ["A", "B"][random.below(2) as usize],
            place(random)
        ),
        1 => String::new(),
        _ => format!("store &pick, {} plain ", object(random)),
    };
    let call = "call_virtual { A: @first, B: @second, C: @spin }(%o)";
    let mut other = made(random);
    for register in ["c", "d"] {
        match random.below(5) {
            0 => other += "%o := load &pick plain %t := spawn @started(%o) ",
            1 => other += "%t := spawn @starter() ",
            2 => other += &format!("%{register} := load {} plain ", place(random)),
            _ => other += &format!("%o := load &pick plain %{register} := {call} "),
        }
    }
    let third = match random.below(2) {
        0 => format!("store &pick, {} plain ", object(random)),
        _ => String::new(),
    };
    let (one, two, initial) = (place(random), place(random), object(random));
    format!(
        "global x = 0:i32\nglobal y = 0:i32\nglobal never = 0:i32\nglobal pick = {initial}\n\
         global A = 0:i32 {{ [1] = {one} }}\nglobal B = 0:i32 {{ [1] = {two} }}\nglobal C = 0:i32 {{ [1] = &x }}\n\
         function first(%this) -> 1 {{ registers this, p, q, r b0: {first} return %r }}\n\
         function second(%this) -> 1 {{ registers this, p, q, r b0: {second} return %r }}\n\
         function spin(%this) -> 1 {{ registers this, r b0: jump b1\n\
           b1: %r := load &never plain branch %r, b2, b3\n\
           b2: store {spun}, 1:i32 plain %r := load {spun} plain jump b1\n\
           b3: %r := load {spun} plain return %r }}\n\
         function started(%o) {{ registers o, r b0: %r := {call} return }}\n\
         function starter() {{ registers o, t b0: %o := load &pick plain %t := spawn @started(%o) return }}\n\
         function w() {{ registers a, b b0: {writer} return }}\n\
         function o() {{ registers c, d, o, f, t b0: {other} return }}\n\
         function p() {{ b0: {third} return }}\n\
         thread w = @w()\nthread o = @o()\nthread p = @p()\n\
         exists true observed 0:%a, 0:%b, 1:%c, 1:%d, x, y\n"
    )
}

fn states(answer: Option<Vec<(State, Option<program::Execution>)>>) -> Vec<State> {
    let mut states: Vec<State> = answer.unwrap_or_default().into_iter().map(|(state, _)| state).collect();
    states.sort();
    states
}

/// The final states by searching all states are those by reduction, which keeps every store.
fn compare(text: &str, name: &str) {
    let program = program(text);
    for machine in [Machine::Tso, Machine::Pso] {
        // All buffers are looked at, so that one access that is not counted is found.
        let limits = Limits { buffer: 0, ..Limits::default() };
        let options = operational::Options { limits, ..operational::Options::default() };
        let searched = outcomes(&program, machine, &options).expect("modelled");
        let reduced = mcr::outcomes(&program, machine, &mcr::Options::default()).expect("modelled");
        let (searched, reduced) = (states(searched.outcome.states), states(reduced.outcome.states));
        assert_eq!(searched, reduced, "{name} on {}:\n{text}", machine.name());
    }
}

fn compare_random(text: fn(&mut Random) -> String, seed: u64) {
    let text = text(&mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1));
    compare(&text, &format!("SEED={seed}"));
}

#[test]
fn long_buffers_have_the_outcomes_of_all_their_stores() {
    (0..60).for_each(|seed| compare_random(text, seed));
}

#[test]
fn methods_that_may_be_called_are_those_of_objects_that_may_be_met() {
    (0..8).for_each(|seed| compare_random(text_with_methods, seed));
}

/// A thread does something once `y` is seen to be 1, after the first store of 1 to `x`; the second still waits in the buffer. If
/// what is done reads 1 in `x` and then writes 3, yet 1 may be there in the end. `first` does that; `spin` makes the code alone give no bound.
fn compare_once_seen(does: &str) {
    let call = "call_virtual { A: @first, B: @nothing, C: @spin }(%o)";
    let text = format!(
        "global x = 0:i32\nglobal y = 0:i32\nglobal z = 0:i32\nglobal never = 0:i32\n\
         global A = 0:i32\nglobal B = 0:i32\nglobal C = 0:i32\nglobal pick = &B\n\
         function first(%this) {{ registers this, r b0: %r := load &x plain store &z, %r plain store &x, 3:i32 plain return }}\n\
         function nothing(%this) {{ registers this b0: return }}\n\
         function spin(%this) {{ registers this, r b0: jump b1\n b1: %r := load &never plain branch %r, b2, b3\n\
           b2: store &x, 1:i32 plain %r := load &x plain jump b1\n b3: return }}\n\
         function calls(%o) {{ registers o b0: {call} return }}\n\
         function w() {{ b0: store &x, 1:i32 plain store &y, 1:i32 plain store &x, 1:i32 plain return }}\n\
         function o() {{ registers r, o, p, t b0: %r := load &y plain branch %r, b1, b2\n b1: {does} jump b2\n b2: return }}\n\
         thread w = @w()\nthread o = @o()\nexists true observed x, z\n"
    );
    compare(&text, does);
}

#[test]
fn what_a_started_thread_accesses_is_counted() {
    compare_once_seen("%t := spawn @calls(&A)");
}

#[test]
fn what_is_called_on_an_object_that_is_still_to_be_stored_is_counted() {
    compare_once_seen("store &pick, &A plain %o := load &pick plain call @calls(%o)");
}

#[test]
fn what_is_accessed_through_the_first_content_of_a_block_is_counted() {
    compare_once_seen(
        "%o := allocate block = &x %p := load %o plain %r := load %p plain store &z, %r plain store %p, 3:i32 plain",
    );
}

/// `SEED` and `TIMES` say which programs.
#[test]
#[ignore = "long"]
fn long_buffers_have_the_outcomes_of_all_their_stores_in_many_programs() {
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let seed = number("SEED", 1_000);
    for seed in seed..seed + number("TIMES", 2_000) {
        compare_random(text, seed);
        compare_random(text_with_methods, seed);
    }
}
