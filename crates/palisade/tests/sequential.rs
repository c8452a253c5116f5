//! Where no accesses race but seq_cst ones, rc11 and rc20 have the verdicts of sc; and what goes wrong on sc goes wrong there.

use operational::{Limits as SearchLimits, adjacent};
use palisade::{Engine, Limits, Model, Options, Request, Task, Verdict};
use program::verify;
use testing::campaign::{Tally, asked, run, soon};
use testing::concurrent_c::disciplined;
use testing::random::Random;

fn verdict(task: &Task, model: &str, engine: Engine) -> Option<Verdict> {
    let model = Model::named(model).unwrap_or_else(|refusal| panic!("{refusal}"));
    let answer = soon(|interrupt| {
        let options = Options { limits: Limits { interrupt, ..Limits::default() }, ..Options::default() };
        Request { engine, options, ..Request::new(task, &model) }.answer()
    });
    answer.ok().map(|answer| answer.outcome.verdict)
}

fn task(text: &str) -> Task {
    Task::c("random.c", text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"))
}

/// Whether only seq_cst accesses race.
fn is_sequential(task: &Task) -> bool {
    let program = verify(task.program().clone()).unwrap_or_else(|messages| panic!("{messages:?}"));
    let found = soon(|interrupt| adjacent(&program, &SearchLimits { interrupt, ..SearchLimits::default() }));
    found.is_ok_and(|found| found.why_not_sequential().is_none())
}

fn as_on_sc(random: &mut Random, tally: &mut Tally) {
    let text = disciplined(random);
    let task = task(&text);
    let on_sc = verdict(&task, "sc", Engine::Operational);
    let expected = match on_sc {
        Some(Verdict::Violated) => Verdict::Violated,
        Some(Verdict::Holds) if is_sequential(&task) => Verdict::Holds,
        _ => return tally.count("sc does not decide"),
    };
    for (model, engine) in [("rc11", Engine::Mcr), ("rc20", Engine::Mcr), ("rc11", Engine::Axiomatic)] {
        match verdict(&task, model, engine) {
            Some(found @ (Verdict::Holds | Verdict::Violated)) => {
                assert_eq!(found, expected, "{model} by {}\n{text}", engine.name());
                tally.count(&format!("{expected:?}"));
            }
            _ => tally.count("undecided"),
        }
    }
}

#[test]
fn what_races_on_seq_cst_accesses_alone_is_as_on_sc() {
    let tally = run(1, 40, as_on_sc);
    assert!(tally.of("Holds") > 10 && tally.of("Violated") > 10, "{tally:?}");
}

#[test]
#[ignore = "takes minutes: SEED and TIMES say which programs"]
fn many_programs_that_race_on_seq_cst_accesses_alone_are_as_on_sc() {
    let (first, times) = asked(2_000);
    run(first, times, as_on_sc);
}

/// Who tries a lock without success learns that it is held, but does not come before who releases it: nothing orders the two writes.
#[test]
fn a_failed_try_of_a_lock_races_with_its_release() {
    let of = |take: &str| {
        format!(
            "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint z;\n\
             void *t(void *p) {{ pthread_mutex_lock(&m); z = 1; pthread_mutex_unlock(&m); return 0; }}\n\
             void *u(void *p) {{ {take} return 0; }}\n\
             int main(void) {{ pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, u, 0);\n\
             pthread_join(a, 0); pthread_join(b, 0); return 0; }}\n"
        )
    };
    assert!(is_sequential(&task(&of("pthread_mutex_lock(&m); z = 2; pthread_mutex_unlock(&m);"))));
    assert!(!is_sequential(&task(&of("if (!pthread_mutex_trylock(&m)) { z = 2; pthread_mutex_unlock(&m); }"))));
}

/// Models of C do not keep together what an atomic block does to several locations.
#[test]
fn an_atomic_block_of_two_locations_is_not_left_to_sc() {
    let of = |other: &str| {
        format!(
            "#include <pthread.h>\nextern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\n\
             _Atomic int x, y;\n\
             void *t(void *p) {{ __VERIFIER_atomic_begin(); x++; {other}++; __VERIFIER_atomic_end(); return 0; }}\n\
             int main(void) {{ pthread_t a; pthread_create(&a, 0, t, 0); x = 2; pthread_join(a, 0); return 0; }}\n"
        )
    };
    assert!(is_sequential(&task(&of("x"))));
    assert!(!is_sequential(&task(&of("y"))));
}
