//! Execution graphs on sc, tso and pso: verdicts about random whole programs in C are those of the search over all states.

use mcr::graphs::recognise::Axioms;
use mcr::graphs::share::Single;
use mcr::graphs::{Options as GraphOptions, answer_on};
use operational::{Limits as SearchLimits, Machine};
use palisade::orders::{MemoryOrders, compiled};
use palisade::{Engine, Limits, Model, Options, Request, Task, Verdict};
use program::verify;
use testing::campaign::{Tally, asked, run, soon};
use testing::concurrent_c::{concurrent, disciplined, retries, rivals};
use testing::graphs::explored_under;
use testing::random::Random;

/// The verdict of the search over all states.
fn searched(task: &Task, model: &Model, orders: Option<MemoryOrders>) -> Option<Verdict> {
    let answer = soon(|interrupt| {
        let limits = Limits { interrupt, ..Limits::default() };
        let options = Options { limits, memory_orders: orders, ..Options::default() };
        Request { engine: Engine::Operational, options, ..Request::new(task, model) }.answer()
    });
    answer.ok().map(|answer| answer.outcome.verdict)
}

/// The verdict of execution graphs.
fn explored(task: &Task, model: &Model, machine: Machine, orders: Option<MemoryOrders>) -> Option<Verdict> {
    let program = verify(task.program().clone()).unwrap_or_else(|messages| panic!("{messages:?}"));
    let program = compiled(program, model, orders).unwrap_or_else(|refusal| panic!("{refusal}"));
    let answer = soon(|interrupt| {
        let limits = SearchLimits { interrupt, ..SearchLimits::default() };
        answer_on(&program, machine, &GraphOptions { limits, ..GraphOptions::default() }, false, &Single)
    });
    answer.ok().map(|answer| answer.outcome.verdict)
}

fn same_verdicts(machines: &[Machine], text: &str, tally: &mut Tally) {
    let task = Task::c("random.c", text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    for &machine in machines {
        let model = Model::named(machine.name()).unwrap_or_else(|refusal| panic!("{refusal}"));
        for orders in
            [None, Some(MemoryOrders::Ignored)].into_iter().filter(|it| it.is_none() || machine != Machine::Sc)
        {
            match (searched(&task, &model, orders), explored(&task, &model, machine, orders)) {
                (Some(a @ (Verdict::Holds | Verdict::Violated)), Some(b @ (Verdict::Holds | Verdict::Violated))) => {
                    assert_eq!(a, b, "all states and graphs on {}, orders {orders:?}\n{text}", machine.name());
                    tally.count(&format!("{a:?}"));
                }
                (Some(Verdict::Holds | Verdict::Violated), _) => tally.count("not explored"),
                _ => tally.count("not searched"),
            }
        }
    }
}

const MACHINES: [Machine; 3] = [Machine::Sc, Machine::Tso, Machine::Pso];

/// What is stored in global variables before each try has no end on machines, nor what is stored in new blocks on pso.
fn tries(random: &mut Random, tally: &mut Tally) {
    same_verdicts(&MACHINES[..2], &retries(random), tally);
}

fn all_sorts(random: &mut Random, tally: &mut Tally) {
    for make in [concurrent, rivals, disciplined] {
        same_verdicts(&MACHINES, &make(random), tally);
    }
}

/// Classes by values on sc, tso and pso, as brute force counts them (`crates/cli/tests/mcr_classes.rs`).
#[test]
fn graphs_show_as_many_combinations_of_values_as_there_are_classes() {
    let rows = [
        ("readers", 3, [8, 8, 8]),
        ("lastzero", 3, [12, 12, 12]),
        ("lastzero", 4, [28, 28, 28]),
        ("sigma", 3, [6, 6, 6]),
        ("fib", 2, [19, 20, 20]),
        ("fib", 3, [141, 175, 175]),
        ("fib", 4, [1107, 1764, 1764]),
        ("ainc", 4, [24, 24, 24]),
    ];
    for (name, size, expected) in rows {
        let path = format!("{}/../../suites/c/mcr/{name}.c", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let task = Task::c("row.c", &format!("#define N {size}\n{text}")).unwrap_or_else(|refusal| panic!("{refusal}"));
        let program = verify(task.program().clone()).unwrap_or_else(|messages| panic!("{messages:?}"));
        for (machine, expected) in [Machine::Sc, Machine::Tso, Machine::Pso].into_iter().zip(expected) {
            let found = explored_under(&program, Axioms::Machine(machine)).unwrap_or_else(|what| panic!("{what:?}"));
            let values = found.map(|found| found.values.len());
            assert_eq!(values, Some(expected), "{name} {size} on {}", machine.name());
        }
    }
}

#[test]
fn graphs_on_machines_have_the_verdicts_of_all_states() {
    let tally = run(1, 15, all_sorts);
    assert!(tally.of("Holds") > 20 && tally.of("Violated") > 20, "{tally:?}");
}

#[test]
#[ignore = "takes minutes: SEED and TIMES say which programs"]
fn many_graphs_on_machines_have_the_verdicts_of_all_states() {
    let (first, times) = asked(1_000);
    run(first, times, all_sorts);
    run(first, times, tries);
}
