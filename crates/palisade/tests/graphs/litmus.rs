//! Execution graphs against the solver and against brute force: random litmus tests have the same final states and the same
//! flags under the engines axiomatic and mcr, and as many executions are explored as there are pairs of reads-from and
//! coherence that the model allows.

use palisade::{Engine, Mcr, Model, Options, Request, Task, Verdict};
use testing::campaign::{asked, run};

use super::common::agree;

fn model(name: &str) -> Model {
    Model::named(name).unwrap_or_else(|refusal| panic!("{refusal}"))
}

#[test]
fn random_litmus_tests_have_the_same_final_states_and_as_many_executions_as_by_brute_force() {
    let tally = run(1, 20, |random, tally| agree(&[model("rc11"), model("rc20")], random, 3, tally));
    assert!(tally.of("by brute force") > 20, "{tally:?}");
}

/// How many executions of a program of `suites/c/graphs` come to their end, with this many threads, and whether all goes well.
fn executions(file: &str, threads: u32) -> (u64, Verdict) {
    executions_by(file, threads, Mcr { jobs: Some(1), exhaustive: true, ..Mcr::default() })
}

/// How many executions of a program come to their end if they are explored so, and whether all goes well.
fn executions_by(file: &str, threads: u32, mcr: Mcr) -> (u64, Verdict) {
    let path = format!("{}/../../suites/c/graphs/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let text = format!("#define N {threads}\n{text}");
    let task = Task::c(file, &text).unwrap_or_else(|refusal| panic!("{refusal}"));
    let model = model("rc11");
    let options = Options { mcr, ..Options::default() };
    let request = Request { engine: Engine::Mcr, options, ..Request::new(&task, &model) };
    let answer = request.answer().unwrap_or_else(|refusal| panic!("{refusal}"));
    let figures = &answer.outcome.statistics.figures;
    let count = figures.iter().find(|(name, _)| name == "executions").map_or(0, |(_, count)| *count);
    (count, answer.outcome.verdict)
}

#[test]
fn each_order_of_the_owners_of_a_lock_is_one_execution() {
    for (threads, orders) in [(2, 2), (3, 6), (4, 24)] {
        for file in ["spinlock.c", "ticket.c", "clh.c", "lockinc.c", "ainc.c"] {
            assert_eq!(executions(file, threads), (orders, Verdict::Holds), "{file} with {threads} threads");
        }
    }
}

/// The figures are those of GenMC 0.11 for the same algorithms and sizes. Of a queue lock it makes 66 executions: it
/// tells apart whether the owner sees its successor at once or in the loop after the failed compare-exchange.
#[test]
fn programs_have_no_more_executions_than_another_explorer_makes() {
    let others = [("ttas.c", 4, 576), ("treiber.c", 3, 270), ("msqueue.c", 3, 1368), ("indexer.c", 14, 512)];
    for (file, size, count) in others {
        assert_eq!(executions(file, size), (count, Verdict::Holds), "{file} with N = {size}");
    }
    assert_eq!(executions("mcs.c", 3), (24, Verdict::Holds));
}

/// Whoever comes first is as good as any other who does the same.
#[test]
fn threads_that_do_the_same_own_a_lock_in_one_order() {
    for (file, threads) in [("spinlock.c", 4), ("ticket.c", 5), ("ainc.c", 8), ("casinc.c", 4)] {
        let made = executions_by(file, threads, Mcr { jobs: Some(1), ..Mcr::default() });
        assert_eq!(made, (1, Verdict::Holds), "{file} with {threads} threads");
    }
}

/// The figures are our own: they may change with a reason.
#[test]
fn the_executions_of_programs_are_counted_by_reads_from_and_coherence() {
    for (file, size, count) in [("fib.c", 4, 1764), ("lastzero.c", 10, 3328), ("casinc.c", 4, 24)] {
        assert_eq!(executions(file, size), (count, Verdict::Holds), "{file} with N = {size}");
    }
}

/// These have more graphs than one worker makes before it asks for help.
#[test]
fn several_workers_make_each_graph_once() {
    for (file, size, count) in [("ainc.c", 7, 5040), ("sigma.c", 6, 10395), ("casrot.c", 10, 38486)] {
        for workers in [2, 3] {
            let made = executions_by(file, size, Mcr { jobs: Some(workers), exhaustive: true, ..Mcr::default() });
            assert_eq!(made, (count, Verdict::Holds), "{file} with N = {size} by {workers} workers");
        }
    }
}

#[test]
#[ignore = "takes minutes: SEED and TIMES say which programs"]
fn many_random_litmus_tests_agree() {
    let (first, times) = asked(2_000);
    run(first, times, |random, tally| agree(&[model("rc11"), model("rc20")], random, 4, tally));
}
