//! Bounded tests of data types in execution graphs: random operations show what they show for the solver, and on machines what they
//! show in all states.

use std::fmt::Write;

use palisade::request::Classes;
use palisade::{Engine, Limits, Mcr, Model, Options, Request, Task, Verdict};
use testing::campaign::{Tally, asked, run, soon};
use testing::random::Random;

fn of<'a>(random: &mut Random, list: &[&'a str]) -> &'a str {
    list[random.below(list.len() as u64) as usize]
}

/// A statement of an operation, which may have to wait or to try again; `r` is what the operation gives.
fn statement(random: &mut Random, may_wait: bool) -> String {
    let at = of(random, &["x", "y"]);
    let load = of(random, &["relaxed", "acquire", "seq_cst"]);
    let store = of(random, &["relaxed", "release", "seq_cst"]);
    let update = of(random, &["relaxed", "acquire", "release", "acq_rel", "seq_cst"]);
    let (value, expected) = (1 + random.below(2), random.below(2));
    let weak = of(random, &["strong", "weak"]);
    match random.below(if may_wait { 23 } else { 16 }) {
        0..=3 => format!("r = atomic_load_explicit(&{at}, memory_order_{load});"),
        4..=6 => format!("atomic_store_explicit(&{at}, {value}, memory_order_{store});"),
        7 | 8 => format!("r = atomic_fetch_add_explicit(&{at}, 1, memory_order_{update});"),
        9 => format!("r = atomic_exchange_explicit(&{at}, {value}, memory_order_{update});"),
        10 => format!(
            "e = {expected}; r = atomic_compare_exchange_{weak}_explicit(&{at}, &e, {value}, memory_order_{update}, memory_order_relaxed);"
        ),
        16 | 17 => format!(
            "e = atomic_load_explicit(&{at}, memory_order_relaxed); while (!atomic_compare_exchange_{weak}_explicit(&{at}, &e, e + 1, \
             memory_order_{update}, memory_order_relaxed)) ; r = e;"
        ),
        11 => format!("if (r == {expected}) atomic_store_explicit(&{at}, {value}, memory_order_{store});"),
        18 => "while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) ; r = z; z = r + 1; \
               atomic_store_explicit(&lock, 0, memory_order_release);"
            .into(),
        12 => of(random, &["r = z;", "z = 1;"]).into(),
        19 => format!("while (atomic_load_explicit(&{at}, memory_order_{load}) == 0) ;"),
        20 | 21 => format!(
            "struct node *n = malloc(sizeof *n); n->value = {value}; n->next = atomic_load_explicit(&top, memory_order_relaxed); \
             while (!atomic_compare_exchange_{weak}_explicit(&top, &n->next, n, memory_order_release, memory_order_relaxed)) ;"
        ),
        22 => "struct node *n = atomic_load_explicit(&top, memory_order_acquire); while (n && \
               !atomic_compare_exchange_weak_explicit(&top, &n, n->next, memory_order_acquire, memory_order_acquire)) ; r = n ? n->value : 0;"
            .into(),
        13 => format!("atomic_thread_fence(memory_order_{});", of(random, &["acquire", "release", "seq_cst"])),
        14 => format!("assert(atomic_load_explicit(&{at}, memory_order_{load}) != {value} + 1);"),
        _ => format!(
            "struct node *n = malloc(sizeof *n); n->value = {value}; n->next = 0; n = atomic_exchange_explicit(&top, n, memory_order_acq_rel); \
             r = n ? n->value : 0;"
        ),
    }
}

/// The operations of a data type, and a test of them.
fn operations(random: &mut Random, may_wait: bool) -> (String, String) {
    let mut text = String::from(
        "#include <assert.h>\n#include <stdatomic.h>\n#include <stdlib.h>\natomic_int x, y, lock;\nint z;\n\
         struct node { int value; struct node *next; };\n_Atomic(struct node *) top;\nvoid i(void) { z = 0; x = 0; }\n",
    );
    for name in ["a", "b", "c"] {
        let _ = writeln!(text, "int {name}(void) {{\n    int r = 0, e = 0;");
        for _ in 0..1 + random.below(2) {
            let _ = writeln!(text, "    {{ {} }}", statement(random, may_wait));
        }
        text.push_str("    return r;\n}\n");
    }
    let mut thread =
        |most: u64| -> String { (0..1 + random.below(most)).map(|_| of(random, &["a", "b", "c"])).collect() };
    let (one, other) = (thread(2), thread(2));
    let test = match thread(3).len() {
        1 => format!("i({one}|{other})"),
        2 => format!("({one}|{other})"),
        _ => format!("ib({one}|{other})"),
    };
    (text, test)
}

/// Whether a test holds, if that is known.
fn holds(task: &Task, model: &Model, engine: Engine, classes: Classes) -> Result<Option<bool>, palisade::Refusal> {
    let answer = soon(|interrupt| {
        let limits = Limits { interrupt, ..Limits::default() };
        let options = Options { limits, mcr: Mcr { classes, ..Mcr::default() }, ..Options::default() };
        Request { engine, options, ..Request::new(task, model) }.answer()
    });
    Ok(match answer?.outcome.verdict {
        Verdict::Holds => Some(true),
        Verdict::Violated => Some(false),
        _ => None,
    })
}

/// Under rc11 and rc20 the solver is the judge, for tests without loops: it unrolls them.
fn same_verdicts(random: &mut Random, tally: &mut Tally) {
    let may_wait = random.below(2) == 0;
    let (text, notation) = operations(random, may_wait);
    let task = Task::test("random.c", &text, &notation).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    let judges = match may_wait {
        true => [("sc", Engine::Operational), ("tso", Engine::Operational), ("pso", Engine::Operational)],
        false => [("rc11", Engine::Axiomatic), ("rc20", Engine::Axiomatic), ("tso", Engine::Operational)],
    };
    // On pso others may see what a thread stores in a new block before each try: there is no end of tries.
    let is_in_place = text.contains("&n->next, n,");
    for (name, judge) in judges.into_iter().filter(|(name, _)| *name != "pso" || !is_in_place) {
        let model = Model::named(name).unwrap_or_else(|refusal| panic!("{refusal}"));
        let known = |engine, classes| {
            holds(&task, &model, engine, classes)
                .unwrap_or_else(|refusal| panic!("{name}: {refusal}\n{notation} {text}"))
        };
        let explored = known(Engine::Mcr, Classes::Mazurkiewicz);
        let judged = known(judge, Classes::default());
        if let (Some(explored), Some(judged)) = (explored, judged) {
            assert_eq!(explored, judged, "graphs and {} about {notation} under {name}\n{text}", judge.name());
            tally.count(if judged { "holds" } else { "violated" });
        } else {
            tally.count(if explored.is_none() { "not explored" } else { "not judged" });
        }
    }
}

/// Each of them could fail as often as it likes.
#[test]
fn compare_exchanges_of_a_setup_do_not_fail_spuriously() {
    let text = "#include <stdatomic.h>\natomic_int x;\nint i(void) { int e = 0; while (!atomic_compare_exchange_weak(&x, &e, e + 1)) ; return e; }\n\
        int g(void) { int e = 7; return atomic_compare_exchange_weak(&x, &e, 1) + atomic_load(&x); }\n";
    let task = Task::test("setup.c", text, "iii(g|i)").unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    for (name, engine) in [("sc", Engine::Operational), ("sc", Engine::Mcr), ("rc11", Engine::Mcr)] {
        let model = Model::named(name).unwrap_or_else(|refusal| panic!("{refusal}"));
        let is_fine = holds(&task, &model, engine, Classes::default()).unwrap_or_else(|refusal| panic!("{refusal}"));
        assert_eq!(is_fine, Some(true), "{name} by {}", engine.name());
    }
}

/// A race is no error of a bounded test: who waits may see either value.
#[test]
fn who_writes_a_global_while_it_waits_may_help_others() {
    let text = "#include <stdatomic.h>\natomic_int f; int z;\nvoid i(void) { atomic_store(&f, 0); z = 1; }\n\
        void a(void) { while (!atomic_load(&f)) { z = 1; z = 2; } }\nvoid b(void) { while (z != 1) ; atomic_store(&f, 1); }\n";
    let task = Task::test("alternates.c", text, "i(a|b)").unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    let model = Model::named("rc11").unwrap_or_else(|refusal| panic!("{refusal}"));
    let found = holds(&task, &model, Engine::Mcr, Classes::default()).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_ne!(found, Some(false));
}

#[test]
fn bounded_tests_have_the_verdicts_of_the_solver_and_of_all_states() {
    let tally = run(1, 40, same_verdicts);
    assert!(tally.of("holds") > 5 && tally.of("violated") > 5, "{tally:?}");
}

#[test]
#[ignore = "takes minutes: SEED and TIMES say which tests"]
fn many_bounded_tests_have_the_verdicts_of_the_solver_and_of_all_states() {
    let (first, times) = asked(2_000);
    run(first, times, same_verdicts);
}
