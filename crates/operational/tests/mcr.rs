//! Executions of maximal causality reduction: one for each class, and all classes.

#[path = "../../axiomatic/tests/common/random.rs"]
#[allow(dead_code)]
mod random;

mod oracle;

use operational::mcr::explore::{Budget, Exploration, Figures, Next, setups};
use operational::{Limits, Machine};
use oracle::{Steps, classes};
use program::{Verified, verify};
use random::{Random, Shape};

const MACHINES: [Machine; 3] = [Machine::Sc, Machine::Tso, Machine::Pso];

fn program(text: &str) -> Verified {
    let text = format!("program test\nlanguage IR\n{text}");
    let program = program::text::parse("test.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}"))
}

/// The figures of a whole exploration.
fn explored(program: &Verified, machine: Machine) -> Figures {
    let limits = Limits::default();
    let mut sum = Figures::default();
    for setup in setups(program, &limits).expect("the setup runs") {
        let exploration = Exploration::new(program, machine, &setup, &limits, &Budget::default());
        let mut exploration = exploration.unwrap_or_else(|stop| panic!("{stop:?}"));
        exploration.run(&mut |_, _| Next::Continue);
        assert_eq!(exploration.incomplete(), None, "on {machine:?}: {}", program::text::print(program));
        let figures = exploration.figures();
        sum.classes += figures.classes;
        sum.executions += figures.executions;
        sum.redundant += figures.redundant;
        sum.dropped += figures.dropped;
    }
    sum
}

/// Checks the number of classes on sc, tso and pso against brute force.
fn check(program: &Verified) -> Option<[u64; 3]> {
    let mut counts = [0; 3];
    for (machine, count) in MACHINES.into_iter().zip(&mut counts) {
        let all = classes(program, machine, Steps::Private, 40_000)?;
        let figures = explored(program, machine);
        assert_eq!(figures.classes, all.len() as u64, "on {machine:?}: {}", program::text::print(program));
        assert_eq!(figures.redundant, 0);
        *count = figures.classes;
    }
    Some(counts)
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
    }
    assert!(compared > 200, "{compared}");
}
