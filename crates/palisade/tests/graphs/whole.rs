//! Execution graphs of random whole programs in C: each complete graph is made once, and those that brute force finds are
//! made; verdicts are those of the solver.

use std::collections::BTreeSet;

use mcr::graphs::graph::Sequences;
use mcr::graphs::recognise::Axioms;
use operational::Machine;
use palisade::{Model, Task};
use program::{Verified, verify};
use testing::campaign::{Tally, asked, run};
use testing::concurrent_c::{alike, concurrent, retries, rivals};
use testing::graphs::{
    Class, Effectless, Ends, ExploredGraphs, by_brute_force, explored, explored_orbits, orbits_by_brute_force,
};
use testing::random::Random;

use super::common::same_verdict;

/// Each complete graph is made once, and all that brute force finds are; they come to what all graphs come to.
fn same_graphs(text: &str, program: &Verified, tally: &mut Tally) {
    for sequences in [Sequences::OfThread, Sequences::OfUpdates] {
        let refused = |what| -> Option<ExploredGraphs> { panic!("{what:?}\n{text}") };
        let brute = |effectless| by_brute_force(program, sequences, effectless, 2_000).unwrap_or_else(refused);
        // Brute force gives up first.
        let there_are = brute(Effectless::Known);
        let made = there_are.as_ref().and_then(|_| explored(program, sequences).unwrap_or_else(refused));
        let (Some(made), Some(there_are)) = (made, there_are) else {
            tally.count("too large");
            continue;
        };
        let different: BTreeSet<Class> = made.classes.iter().cloned().collect();
        assert_eq!(different.len(), made.classes.len(), "a graph is made twice\n{text}");
        let there_are: BTreeSet<Class> = there_are.classes.into_iter().collect();
        let missing = there_are.difference(&different).count();
        let added = different.difference(&there_are).count();
        assert!(missing == 0 && added == 0, "{missing} graphs are not made, {added} are wrong\n{text}");
        tally.count("same graphs");
        if let Some(all) = brute(Effectless::Back) {
            same_ends(text, &made.ends, &all.ends);
            tally.count("same ends");
        }
    }
}

/// Final states are those of all graphs, and threads wait for ever or not; where there is a race there need be no more than that
/// race, and where a thread fails nobody asks who waits.
fn same_ends(text: &str, made: &Ends, all: &Ends) {
    assert_eq!(made.races, all.races, "races\n{text}");
    let made = Ends { waits: if all.fails { all.waits } else { made.waits }, ..made.clone() };
    if !all.races {
        assert_eq!(&made, all, "final states, errors and threads that wait\n{text}");
    }
}

fn graphs(random: &mut Random, tally: &mut Tally) {
    let text = concurrent(random);
    same_graphs_of(&text, tally);
}

fn graphs_of_rivals(random: &mut Random, tally: &mut Tally) {
    let text = rivals(random);
    same_graphs_of(&text, tally);
}

fn graphs_of_retries(random: &mut Random, tally: &mut Tally) {
    let text = retries(random);
    same_graphs_of(&text, tally);
}

fn same_graphs_of(text: &str, tally: &mut Tally) {
    let task = Task::c("random.c", text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    let whole = verify(task.program().clone()).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"));
    same_graphs(text, &whole, tally);
}

/// Of graphs that differ by the exchange of threads alone one is made, of each that brute force finds; they come to what all
/// graphs come to.
fn orbits(random: &mut Random, tally: &mut Tally) {
    let (text, group) = alike(random);
    same_orbits(&text, &whole(&text), &group, tally);
}

fn whole(text: &str) -> Verified {
    let task = Task::c("random.c", text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    verify(task.program().clone()).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"))
}

fn same_orbits(text: &str, program: &Verified, group: &[usize], tally: &mut Tally) {
    for sequences in [Sequences::OfThread, Sequences::OfUpdates] {
        let refused = |what| -> Option<ExploredGraphs> { panic!("{what:?}\n{text}") };
        let brute = |effectless| {
            orbits_by_brute_force(program, sequences, effectless, 4_000, group.to_vec()).unwrap_or_else(refused)
        };
        let Some(there_are) = brute(Effectless::Known) else {
            tally.count("too large");
            continue;
        };
        let made = explored_orbits(program, Axioms::C11(sequences), group.to_vec(), true).unwrap_or_else(refused);
        let Some(made) = made else {
            tally.count("too large");
            continue;
        };
        let different: BTreeSet<Class> = made.classes.iter().cloned().collect();
        let there_are: BTreeSet<Class> = there_are.classes.into_iter().collect();
        let missing = there_are.difference(&different).count();
        let added = different.difference(&there_are).count();
        assert!(missing == 0 && added == 0, "{missing} orbits are not met, {added} are wrong\n{text}");
        tally.count(if made.exchanged > 0 { "same orbits" } else { "threads told apart" });
        if made.exchanged > 0 && different.len() == made.classes.len() {
            tally.count("each once");
        }
        if let Some(all) = brute(Effectless::Back) {
            same_ends(text, &made.ends, &all.ends);
            tally.count("same ends");
        }
    }
}

/// On machines as many orbits are met as without exchanging threads.
fn orbits_everywhere(random: &mut Random, tally: &mut Tally) {
    let (text, group) = alike(random);
    let program = whole(&text);
    same_orbits(&text, &program, &group, tally);
    for machine in [Machine::Sc, Machine::Tso, Machine::Pso] {
        let explored = |exchanges| explored_orbits(&program, Axioms::Machine(machine), group.clone(), exchanges);
        let (Ok(Some(made)), Ok(Some(all))) = (explored(true), explored(false)) else { continue };
        let different = |graphs: &ExploredGraphs| graphs.classes.iter().cloned().collect::<BTreeSet<Class>>();
        assert_eq!(different(&made), different(&all), "orbits on {}\n{text}", machine.name());
        assert_eq!(made.ends, all.ends, "what orbits come to on {}\n{text}", machine.name());
        tally.count("same on a machine");
    }
}

fn verdicts(random: &mut Random, tally: &mut Tally) {
    let text = concurrent(random);
    let task = Task::c("random.c", &text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    let models = ["rc11", "rc20"].map(|name| Model::named(name).unwrap_or_else(|refusal| panic!("{refusal}")));
    same_verdict(&models, &text, &task, tally);
}

#[test]
fn whole_programs_have_the_graphs_that_brute_force_finds_each_once() {
    let tally = run(1, 60, graphs);
    assert!(tally.of("same graphs") > 90, "{tally:?}");
    let tally = run(1, 60, graphs_of_rivals);
    assert!(tally.of("same graphs") > 90, "{tally:?}");
    let tally = run(1, 60, graphs_of_retries);
    assert!(tally.of("same ends") > 30, "{tally:?}");
}

/// One of two threads skips the first lock if it sees what the other has written under it. Then it takes the second lock before or
/// after the other: where it stood before the first lock says nothing of the second.
#[test]
fn who_was_sent_back_from_a_lock_that_it_then_skips_may_take_the_next_one_first() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int seen, lock, m;\n\
        void *t(void *p) {\n    if (atomic_load_explicit(&seen, memory_order_relaxed) == 0) {\n\
        \x20       while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) ;\n\
        \x20       atomic_store_explicit(&seen, 1, memory_order_relaxed);\n\
        \x20       atomic_store_explicit(&lock, 0, memory_order_release);\n    }\n\
        \x20   while (atomic_exchange_explicit(&m, 1, memory_order_acquire)) ;\n\
        \x20   atomic_store_explicit(&m, 0, memory_order_release);\n    return 0;\n}\n\
        int main(void) {\n    pthread_t a, b;\n    pthread_create(&a, 0, t, 0);\n    pthread_create(&b, 0, t, 0);\n\
        \x20   pthread_join(a, 0);\n    pthread_join(b, 0);\n    return 0;\n}\n";
    let task = Task::c("skip.c", text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    let whole = verify(task.program().clone()).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"));
    let mut tally = Tally::default();
    same_graphs(text, &whole, &mut tally);
    assert_eq!(tally.of("same graphs"), 2);
}

/// The node of a thread is a global variable, and a weak compare-exchange may fail as often as it likes.
#[test]
fn a_plain_store_before_each_try_makes_no_graph_for_each_spurious_failure() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>\nstruct node { struct node *next; } own[2];\n\
        _Atomic(struct node *) top;\nvoid *t(void *p) {\n    struct node *n = p, *t = atomic_load_explicit(&top, memory_order_relaxed);\n\
        \x20   do n->next = t; while (!atomic_compare_exchange_weak_explicit(&top, &t, n, memory_order_release, memory_order_relaxed));\n\
        \x20   return 0;\n}\nint main(void) {\n    pthread_t a, b;\n    pthread_create(&a, 0, t, &own[0]);\n\
        \x20   pthread_create(&b, 0, t, &own[1]);\n    pthread_join(a, 0);\n    pthread_join(b, 0);\n    return 0;\n}\n";
    let task = Task::c("push.c", text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    let whole = verify(task.program().clone()).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"));
    let made = explored(&whole, Sequences::OfThread).unwrap_or_else(|what| panic!("{what:?}"));
    assert_eq!(made.map(|made| made.classes.len()), Some(2));
}

#[test]
fn whole_programs_have_the_verdicts_of_the_solver() {
    let tally = run(1, 20, verdicts);
    assert!(tally.of("holds") > 3 && tally.of("violated") > 3, "{tally:?}");
}

#[test]
fn of_graphs_that_differ_by_the_exchange_of_threads_one_is_made() {
    let tally = run(1, 60, orbits);
    assert!(tally.of("same orbits") > 60, "{tally:?}");
}

#[test]
#[ignore = "takes minutes: SEED and TIMES say which programs"]
fn of_many_graphs_that_differ_by_the_exchange_of_threads_one_is_made() {
    let (first, times) = asked(2_000);
    run(first, times, orbits_everywhere);
}

#[test]
#[ignore = "takes minutes: SEED and TIMES say which programs"]
fn many_whole_programs_have_the_graphs_that_brute_force_finds_each_once() {
    let (first, times) = asked(2_000);
    run(first, times, graphs);
    run(first, times, graphs_of_rivals);
    run(first, times, graphs_of_retries);
}

#[test]
#[ignore = "takes minutes: SEED and TIMES say which programs"]
fn many_whole_programs_have_the_verdicts_of_the_solver() {
    let (first, times) = asked(500);
    run(first, times, verdicts);
}
