//! Blocks of memory that threads allocate.

use axiomatic::{Options, broken_axioms, check};
use program::Verdict;
use testing::{model, program};

/// A thread fills a new block and publishes it; another reads through what it finds.
const PUBLISH: &str = "\
program publish language IR
global o = 0:i32
function writer() {
  registers p, f
  b0:
    %p := allocate Box = 0:i32
    %f := offset %p, 0:i64
    store %f, 1:i32 plain
    store &o, %p plain
    return
}
function reader() {
  registers q, f, r
  b0:
    %r := copy 7:i32
    %q := load &o plain
    branch %q, b1, b2 join b2
  b1:
    %f := offset %q, 0:i64
    %r := load %f plain
    jump b2
  b2:
    return
}
thread writer = @writer()
thread reader = @reader()
exists 1:%r == 0:i32
";

#[test]
fn a_published_block_is_seen_filled_where_stores_stay_in_order() {
    for (file, expected) in
        [("sc.cat", Verdict::Forbidden), ("tso.cat", Verdict::Forbidden), ("pso.cat", Verdict::Allowed)]
    {
        let (program, model) = (program(PUBLISH), model(file));
        let outcome = check(&program, &model, &Options::default()).expect("supported");
        assert_eq!(outcome.verdict, expected, "{file}");
        if let Some(witness) = &outcome.witness {
            assert!(broken_axioms(witness, &model).is_empty());
        }
    }
}

#[test]
fn each_round_of_a_loop_allocates_a_block_of_its_own() {
    let text = "\
program iterations language IR
global o = 0:i32
function f() {
  registers i, p, q, same
  b0:
    %i := copy 0:i32
    %q := copy 0:i32
    %same := copy 0:i32
    jump b1
  b1:
    %p := allocate Box = 0:i32
    %same := eq %p, %q
    %q := copy %p
    %i := add %i, 1:i32
    %p := slt %i, 2:i32
    branch %p, b1, b2
  b2:
    return
}
thread f = @f()
exists 0:%same == 1:i32
";
    let outcome = check(&program(text), &model("sc.cat"), &Options::default()).expect("supported");
    assert_eq!(outcome.verdict, Verdict::Forbidden);
}
