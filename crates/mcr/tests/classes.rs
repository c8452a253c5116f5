//! How many execution classes small programs have, by brute force.

use operational::Machine;
use program::{Verified, verify};
use testing::oracle::{Ending, Steps, classes};
use testing::random::{Random, Shape};

const MACHINES: [Machine; 3] = [Machine::Sc, Machine::Tso, Machine::Pso];

fn program(text: &str) -> Verified {
    let text = format!("program test\nlanguage IR\n{text}");
    let program = program::text::parse("test.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}"))
}

/// The number of classes on sc, tso and pso.
fn counts(text: &str) -> [usize; 3] {
    let program = program(text);
    MACHINES.map(|machine| {
        let found = classes(&program, machine, Steps::Single, usize::MAX).expect("all");
        assert_eq!(Some(&found), classes(&program, machine, Steps::Private, usize::MAX).as_ref());
        found.len()
    })
}

#[test]
fn store_buffering_has_four_classes_where_stores_wait() {
    let text = "global x = 0:i32 global y = 0:i32
function first() { registers r b0: store &x, 1:i32 plain %r := load &y plain return }
function second() { registers r b0: store &y, 1:i32 plain %r := load &x plain return }
thread first = @first() thread second = @second()";
    assert_eq!(counts(text), [3, 4, 4]);
}

#[test]
fn store_buffering_with_own_reads_has_a_fourth_class_where_stores_are_forwarded() {
    let text = "global x = 0:i32 global y = 0:i32
function first() { registers r, s b0: store &x, 1:i32 plain %r := load &x plain %s := load &y plain return }
function second() { registers r, s b0: store &y, 1:i32 plain %r := load &y plain %s := load &x plain return }
thread first = @first() thread second = @second()";
    assert_eq!(counts(text), [3, 4, 4]);
}

#[test]
fn message_passing_has_a_fourth_class_where_stores_overtake() {
    let text = "global x = 0:i32 global y = 0:i32
function first() { registers r b0: store &x, 1:i32 plain store &y, 1:i32 plain return }
function second() { registers r, s b0: %r := load &y plain %s := load &x plain return }
thread first = @first() thread second = @second()";
    assert_eq!(counts(text), [3, 3, 4]);
}

#[test]
fn a_deadlock_is_a_class_of_its_own() {
    let text = "global x = 0:i32 global y = 0:i32
function first() { registers r b0: lock &x lock &y unlock &y unlock &x return }
function second() { registers r b0: lock &y lock &x unlock &x unlock &y return }
thread first = @first() thread second = @second()";
    assert_eq!(counts(text), [2, 2, 2]);
    let found = classes(&program(text), Machine::Sc, Steps::Single, usize::MAX).expect("all");
    let is_stuck =
        |class: &testing::oracle::Class| class.values().all(|(_, ending)| matches!(ending, Ending::Blocked(_)));
    assert_eq!(found.iter().filter(|class| is_stuck(class)).count(), 1);
}

#[test]
fn steps_that_nobody_sees_make_no_classes() {
    let mut random = Random(4711);
    let mut compared = 0;
    for _ in 0..60 {
        let shape = Shape { rich: true, ..Shape::PLAIN };
        let program = testing::random::program(&mut random, shape);
        for machine in MACHINES {
            let Some(all) = classes(&program, machine, Steps::Single, 40_000) else { continue };
            assert_eq!(Some(all), classes(&program, machine, Steps::Private, usize::MAX));
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}
