//! What C programs wait at: condition variables, semaphores, barriers, locks for readers and writers, what runs once, and
//! the end of `main`. Each verdict follows from what POSIX and C say; the machines by search and by maximal causality
//! reduction, and the models, come to it.

use axiomatic::whole;
use operational::Machine;
use program::{FailureKind, Unsupported, Verdict, Verified, verify};

const MACHINES: [(Machine, &str); 3] = [(Machine::Sc, "sc.cat"), (Machine::Tso, "tso.cat"), (Machine::Pso, "pso.cat")];

/// What every program begins with.
const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n\
    #include <stdlib.h>\n#include <threads.h>\n\
    static int data, seen, ready, inside;\nstatic atomic_int x, y;\n\
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
    #define GET(v) atomic_load_explicit(&v, memory_order_relaxed)\n\
    #define PUT(v, n) atomic_store_explicit(&v, n, memory_order_relaxed)\n\
    #define LOCK pthread_mutex_lock(&m)\n#define UNLOCK pthread_mutex_unlock(&m)\n\
    #define THREAD(name) static void *name(void *p)\n\
    #define START(t, f) pthread_create(&t, 0, f, 0)\n#define JOIN(t) pthread_join(t, 0)\n\
    #define BOTH(f, g) pthread_t t, u; START(t, f); START(u, g); JOIN(t); JOIN(u)\n";

fn load(text: &str) -> Verified {
    let text = format!("{HEAD}{text}\n");
    let unit = frontend::c::load("test.c", &text, &mut |_, _| None, &[]);
    let program = unit.and_then(|unit| unit.program()).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    verify(program).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
}

fn searched(program: &Verified, machine: Machine) -> Result<Verdict, Unsupported> {
    operational::check(program, machine, &operational::Options::default()).map(|answer| answer.outcome.verdict)
}

fn reduced(program: &Verified, machine: Machine) -> Result<Verdict, Unsupported> {
    mcr::check(program, machine, &mcr::Options::default()).map(|answer| answer.outcome.verdict)
}

fn modelled(program: &Verified, model: &str) -> Result<program::Outcome, Unsupported> {
    let options = axiomatic::Options::default();
    let model = testing::model(model);
    let checked = whole::check(program, &model, 24, &options, &mut |_| {})?;
    if let Some(witness) = &checked.outcome.witness {
        let broken = axiomatic::broken_axioms(witness, &model);
        assert!(broken.is_empty(), "{broken:?} under {}", model.name);
    }
    Ok(checked.outcome)
}

fn expected(holds: bool) -> Result<Verdict, Unsupported> {
    Ok(if holds { Verdict::Holds } else { Verdict::Violated })
}

/// Whether the program is fine on the machines, by both engines.
#[track_caller]
fn runs(text: &str, holds: bool) {
    let program = load(text);
    for (machine, _) in MACHINES {
        assert_eq!(searched(&program, machine), expected(holds), "search on {}\n{text}", machine.name());
        assert_eq!(reduced(&program, machine), expected(holds), "mcr on {}\n{text}", machine.name());
    }
}

/// Whether the program is fine on the machines and under these models.
#[track_caller]
fn check_under(text: &str, models: &[&str], holds: bool) {
    runs(text, holds);
    let program = load(text);
    for model in models {
        let verdict = modelled(&program, model).map(|outcome| outcome.verdict);
        assert_eq!(verdict, expected(holds), "model {model}\n{text}");
    }
}

/// Whether the program is fine everywhere: where everything is synchronised, models do not differ.
#[track_caller]
fn check(text: &str, holds: bool) {
    check_under(text, &["sc.cat", "tso.cat", "pso.cat", "relaxed.cat", "rc11.cat", "c11.cat"], holds);
}

const GIVE: &str = "THREAD(give) { LOCK; data = 1; ready = 1; pthread_cond_signal(&c); UNLOCK; return 0; }\n";

#[test]
fn who_waits_in_a_loop_finds_what_it_waits_for() {
    let take = "THREAD(take) { LOCK; while (!ready) pthread_cond_wait(&c, &m); seen = data; UNLOCK; return 0; }\n";
    check(&format!("{GIVE}{take}int main(void) {{ BOTH(give, take); assert(seen == 1); }}"), true);
    check(&format!("{GIVE}{take}int main(void) {{ BOTH(give, take); assert(seen == 0); }}"), false);
}

#[test]
fn a_wait_may_end_without_a_signal() {
    let take = "THREAD(take) { LOCK; if (!ready) pthread_cond_wait(&c, &m); seen = data; UNLOCK; return 0; }\n";
    check(&format!("{GIVE}{take}int main(void) {{ BOTH(give, take); assert(seen == 1); }}"), false);
    check(&format!("{GIVE}{take}int main(void) {{ BOTH(give, take); assert(seen <= 1); }}"), true);
}

#[test]
fn a_signal_that_nobody_waits_for_is_lost() {
    let threads = "THREAD(give) { LOCK; pthread_cond_signal(&c); UNLOCK; return 0; }\n\
        THREAD(take) { LOCK; pthread_cond_wait(&c, &m); UNLOCK; return 0; }\n";
    let text = format!("{threads}int main(void) {{ BOTH(give, take); }}");
    check(&text, false);
    for model in ["sc.cat", "rc11.cat"] {
        let failure = modelled(&load(&text), model).expect("supported").failure.expect("a failure");
        assert_eq!(failure.kind, FailureKind::Deadlock, "{failure:?}");
        assert!(failure.message.contains("take waits for ever"), "{failure:?}");
    }
}

#[test]
fn a_signal_wakes_one_and_a_broadcast_all() {
    let waiters = "THREAD(one) { LOCK; while (!ready) pthread_cond_wait(&c, &m); UNLOCK; return 0; }\n\
        THREAD(two) { LOCK; while (!ready) pthread_cond_wait(&c, &m); UNLOCK; return 0; }\n";
    let main = |wake: &str| {
        format!(
            "{waiters}int main(void) {{ pthread_t t, u; START(t, one); START(u, two); LOCK; ready = 1; {wake}(&c); UNLOCK;\n\
             JOIN(t); JOIN(u); }}"
        )
    };
    check_under(&main("pthread_cond_signal"), &["sc.cat", "rc11.cat"], false);
    check_under(&main("pthread_cond_broadcast"), &["sc.cat"], true);
}

#[test]
fn any_of_those_who_wait_may_be_woken_and_nobody_who_comes_later() {
    // Both wait; one signal comes. Either may be the one.
    let both = "static int waiting, woken;\n\
        THREAD(one) { LOCK; waiting++; pthread_cond_wait(&c, &m); woken = woken * 10 + 1; UNLOCK; return 0; }\n\
        THREAD(two) { LOCK; waiting++; pthread_cond_wait(&c, &m); woken = woken * 10 + 2; UNLOCK; return 0; }\n\
        int main(void) { pthread_t t, u; START(t, one); START(u, two);\n\
        LOCK; if (waiting == 2) { pthread_cond_signal(&c); UNLOCK; LOCK; assert(woken != ONE); } UNLOCK; return 0; }";
    for one in ["1", "2", "12"] {
        runs(&both.replace("ONE", one), false);
    }
    runs(&both.replace("ONE", "11"), true);
    // The signal is for the first, who was waiting; the second waits only after it.
    let late = "static int waiting, given;\n\
        THREAD(first) { LOCK; waiting = 1; pthread_cond_wait(&c, &m); UNLOCK; return 0; }\n\
        THREAD(second) { LOCK; if (given) pthread_cond_wait(&c, &m); UNLOCK; return 0; }\n\
        int main(void) { pthread_t t, u; START(t, first); START(u, second);\n\
        LOCK; int goes = waiting; if (goes) { pthread_cond_signal(&c); given = 1; } UNLOCK;\n\
        if (goes) JOIN(t); return 0; }";
    runs(late, true);
}

#[test]
fn a_wait_with_a_time_limit_may_be_late() {
    let take = |assertion: &str| {
        format!(
            "THREAD(take) {{ LOCK; int late = pthread_cond_timedwait(&c, &m, 0); {assertion} UNLOCK; return 0; }}\n\
             int main(void) {{ pthread_t t; START(t, take); LOCK; pthread_cond_signal(&c); UNLOCK; JOIN(t); }}"
        )
    };
    check_under(&take("assert(late == 0);"), &["sc.cat", "rc11.cat"], false);
    check_under(&take("assert(late == 110);"), &["sc.cat", "rc11.cat"], false);
}

#[test]
fn a_wait_without_the_lock_is_an_error() {
    let text = "int main(void) { pthread_cond_wait(&c, &m); return 0; }";
    let failure = modelled(&load(text), "sc.cat").expect("supported").failure.expect("a failure");
    assert_eq!(failure.message, "unlock of a lock that is not held");
    runs(text, false);
}

#[test]
fn threads_of_c11_have_the_same() {
    let text = |again: &str| {
        format!(
            "static mtx_t lock; static cnd_t there; static once_flag once = ONCE_FLAG_INIT;\n\
             static void make(void) {{ data = data + 1; }}\n\
             static int give(void *p) {{ call_once(&once, make); mtx_lock(&lock); ready = 1; cnd_signal(&there);\n\
             mtx_unlock(&lock); return 0; }}\n\
             static int take(void *p) {{ call_once(&once, make); mtx_lock(&lock); {again} (!ready) cnd_wait(&there, &lock);\n\
             seen = ready; mtx_unlock(&lock); return 0; }}\n\
             int main(void) {{ thrd_t t, u; mtx_init(&lock, mtx_plain); cnd_init(&there); thrd_create(&t, give, 0);\n\
             thrd_create(&u, take, 0); thrd_join(t, 0); thrd_join(u, 0); assert(seen == 1 && data == 1); return 0; }}"
        )
    };
    check(&text("while"), true);
    check_under(&text("if"), &["sc.cat", "rc11.cat"], false);
}

#[test]
fn a_semaphore_lets_in_as_many_as_it_says() {
    let add = "static sem_t s; THREAD(add) { sem_wait(&s); data = data + 1; sem_post(&s); return 0; }\n";
    let main =
        |count: u32| format!("{add}int main(void) {{ sem_init(&s, 0, {count}); BOTH(add, add); assert(data == 2); }}");
    check(&main(1), true);
    check_under(&main(2), &["sc.cat", "rc11.cat"], false);
    check_under(&main(0), &["sc.cat", "rc11.cat"], false);
}

#[test]
fn a_semaphore_tells_what_was_done_before() {
    let threads = "static sem_t s; THREAD(give) { data = 1; sem_post(&s); return 0; }\n\
        THREAD(take) { sem_wait(&s); seen = data; return 0; }\n";
    check(&format!("{threads}int main(void) {{ sem_init(&s, 0, 0); BOTH(give, take); assert(seen == 1); }}"), true);
    let asks = threads.replace("sem_wait(&s); seen = data;", "seen = sem_trywait(&s) == 0 ? data : 2;");
    check(&format!("{asks}int main(void) {{ sem_init(&s, 0, 0); BOTH(give, take); assert(seen > 0); }}"), true);
    check(&format!("{asks}int main(void) {{ sem_init(&s, 0, 0); BOTH(give, take); assert(seen == 1); }}"), false);
    let value = "static sem_t s; int main(void) { int v; sem_init(&s, 0, 3); sem_wait(&s); sem_getvalue(&s, &v); assert(v == 2); }";
    check(value, true);
}

#[test]
fn a_barrier_keeps_what_comes_before_in_front() {
    let threads = |barrier: &str| {
        format!(
            "static pthread_barrier_t b; static int one, two;\n\
             THREAD(f) {{ PUT(x, 1); {barrier} one = GET(y); return 0; }}\n\
             THREAD(g) {{ PUT(y, 1); {barrier} two = GET(x); return 0; }}\n\
             int main(void) {{ pthread_barrier_init(&b, 0, 2); BOTH(f, g); assert(one == 1 && two == 1); }}"
        )
    };
    check(&threads("pthread_barrier_wait(&b);"), true);
    check(&threads("pthread_barrier_wait(&b); pthread_barrier_wait(&b);"), true);
    check_under(&threads(""), &["sc.cat", "rc11.cat"], false);
    // One thread too few.
    let lonely =
        "static pthread_barrier_t b; int main(void) { pthread_barrier_init(&b, 0, 2); pthread_barrier_wait(&b); }";
    check_under(lonely, &["sc.cat", "rc11.cat"], false);
}

#[test]
fn a_barrier_tells_any_one_thread() {
    let text = |assertion: &str| {
        format!(
            "static pthread_barrier_t b; static int one, two;\n\
             THREAD(f) {{ one = pthread_barrier_wait(&b); return 0; }}\nTHREAD(g) {{ two = pthread_barrier_wait(&b); return 0; }}\n\
             int main(void) {{ pthread_barrier_init(&b, 0, 2); BOTH(f, g); assert({assertion}); }}"
        )
    };
    check_under(&text("one + two == PTHREAD_BARRIER_SERIAL_THREAD && one * two == 0"), &["sc.cat", "rc11.cat"], true);
    check_under(&text("one == 0"), &["sc.cat", "rc11.cat"], false);
    check_under(&text("two == 0"), &["sc.cat", "rc11.cat"], false);
    // Also who comes first may be told.
    let first = "static pthread_barrier_t b; static int last = 9;\n\
        THREAD(f) { int told = pthread_barrier_wait(&b); if (told) last = GET(x); return 0; }\n\
        int main(void) { pthread_t t; pthread_barrier_init(&b, 0, 2); START(t, f); pthread_barrier_wait(&b); JOIN(t);\n\
        assert(last == 9); }";
    check_under(first, &["sc.cat"], false);
}

#[test]
fn readers_are_together_and_writers_alone() {
    let text = |first: &str, second: &str| {
        let of = |name: &str, mode: &str, other: &str| {
            format!(
                "THREAD({name}) {{ pthread_rwlock_{mode}lock(&l); PUT({name}s, 1); if (GET({other}s)) PUT(x, 1);\n\
                 PUT({name}s, 0); pthread_rwlock_unlock(&l); return 0; }}\n"
            )
        };
        let (one, two) = (of("one", first, "two"), of("two", second, "one"));
        format!(
            "static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; static atomic_int ones, twos;\n{one}{two}\
             int main(void) {{ BOTH(one, two); assert(GET(x) == 0); }}"
        )
    };
    check_under(&text("rd", "rd"), &["sc.cat", "rc11.cat"], false);
    check_under(&text("rd", "wr"), &["sc.cat", "tso.cat", "rc11.cat"], true);
    check_under(&text("wr", "wr"), &["sc.cat", "tso.cat", "rc11.cat"], true);
    let twice = "static pthread_rwlock_t l; int main(void) { pthread_rwlock_init(&l, 0); assert(pthread_rwlock_tryrdlock(&l) == 0);\n\
        assert(pthread_rwlock_tryrdlock(&l) == 0); assert(pthread_rwlock_trywrlock(&l) == 16); pthread_rwlock_unlock(&l);\n\
        pthread_rwlock_unlock(&l); assert(pthread_rwlock_trywrlock(&l) == 0); assert(pthread_rwlock_tryrdlock(&l) == 16);\n\
        pthread_rwlock_unlock(&l); return 0; }";
    check_under(twice, &["sc.cat"], true);
    check_under(&twice.replace("return 0;", "pthread_rwlock_unlock(&l);"), &["sc.cat"], false);
}

#[test]
fn what_runs_once_has_run_for_all() {
    let text = |once: &str| {
        format!(
            "static pthread_once_t o = PTHREAD_ONCE_INIT; static int one, two;\n\
             static void make(void) {{ data = data + 1; }}\n\
             THREAD(f) {{ {once}; one = data; return 0; }}\nTHREAD(g) {{ {once}; two = data; return 0; }}\n\
             int main(void) {{ BOTH(f, g); assert(one == 1 && two == 1); }}"
        )
    };
    check(&text("pthread_once(&o, make)"), true);
    check_under(&text("make()"), &["sc.cat", "rc11.cat"], false);
}

#[test]
fn results_of_threads_are_kept() {
    let text = "THREAD(give) { if (p) pthread_exit((void *)7L); return (void *)(GET(x) + 5L); }\n\
        int main(void) { pthread_t t, u; void *one, *two; PUT(x, 1); pthread_create(&t, 0, give, 0);\n\
        pthread_create(&u, 0, give, &data); pthread_join(t, &one); pthread_join(u, &two);\n\
        assert((long)one == ONE && (long)two == 7); return 0; }";
    check(&text.replace("ONE", "6"), true);
    check_under(&text.replace("ONE", "5"), &["sc.cat", "rc11.cat"], false);
}

#[test]
fn the_end_of_main_is_the_end_of_all() {
    let waits = "THREAD(waits) { LOCK; return 0; }\n";
    let main = |end: &str| format!("{waits}int main(void) {{ pthread_t t; LOCK; START(t, waits); {end} }}");
    check_under(&main("return 0;"), &["sc.cat", "pso.cat", "rc11.cat"], true);
    check_under(&main("exit(1);"), &["sc.cat", "pso.cat", "rc11.cat"], true);
    check_under(&main("pthread_exit(0);"), &["sc.cat", "pso.cat", "rc11.cat"], false);
    check_under(&main("JOIN(t); return 0;"), &["sc.cat", "pso.cat", "rc11.cat"], false);
    // It does not undo what went wrong before.
    let fails = "THREAD(fails) { PUT(x, 1); assert(GET(y) == 0); return 0; }\n";
    let both = format!(
        "{waits}{fails}int main(void) {{ pthread_t t, u; LOCK; START(t, waits); START(u, fails); PUT(y, 1); return 0; }}"
    );
    check_under(&both, &["sc.cat", "pso.cat", "rc11.cat"], false);
    check_under(&both.replace("GET(y) == 0", "GET(y) <= 1"), &["sc.cat", "pso.cat", "rc11.cat"], true);
    // A loop that waits for ever.
    let spins = "THREAD(spins) { while (GET(x) == 0) ; return 0; }\n";
    let program = load(&format!("{spins}int main(void) {{ pthread_t t; START(t, spins); return 0; }}"));
    assert_eq!(searched(&program, Machine::Tso), expected(true));
    assert_eq!(modelled(&program, "rc11.cat").map(|outcome| outcome.verdict), expected(true));
}

#[test]
fn who_exits_with_a_failure_fails() {
    let text = |wanted: &str| {
        format!(
            "THREAD(take) {{ int *p = malloc(sizeof(int)); if (!p || LOCK) exit(EXIT_FAILURE); if (GET(x) == {wanted}) exit(2);\n\
             UNLOCK; return 0; }}\nint main(void) {{ BOTH(take, take); return 0; }}"
        )
    };
    check_under(&text("0"), &["sc.cat", "rc11.cat"], false);
    check_under(&text("1"), &["sc.cat", "rc11.cat"], true);
}

#[test]
fn main_that_ends_in_both_ways_is_refused() {
    let text = format!("{HEAD}int main(void) {{ if (GET(x)) pthread_exit(0); return 0; }}\n");
    let unit = frontend::c::load("test.c", &text, &mut |_, _| None, &[]).expect("it can be lowered");
    let wrong = unit.program().expect_err("refused").to_string();
    assert!(wrong.contains("returns on one path and ends as a thread on another"), "{wrong}");
}

#[test]
fn any_number_is_chosen_by_models_and_refused_by_machines() {
    let text = "extern int __VERIFIER_nondet_int(void); int main(void) { int n = __VERIFIER_nondet_int();\n\
        if (n > 5) assert(n != 123456789); return 0; }";
    let program = load(text);
    assert_eq!(modelled(&program, "sc.cat").map(|outcome| outcome.verdict), expected(false));
    let fine = load(&text.replace("n != 123456789", "n >= 6"));
    assert_eq!(modelled(&fine, "sc.cat").map(|outcome| outcome.verdict), expected(true));
    for refused in [searched(&program, Machine::Sc), reduced(&program, Machine::Sc)] {
        let refused = refused.expect_err("refused");
        assert!(refused.what.contains("a choice among more than 65536 values"), "{refused:?}");
        assert!(refused.span.is_some());
    }
}

#[test]
fn memory_from_calloc_is_zero_also_if_it_was_used_before() {
    let used = |again: &str, test: &str| {
        format!(
            "int main(void) {{ int *p = malloc(2 * sizeof(int)); p[0] = p[1] = 7; free(p); int *q = {again}; assert({test}); return 0; }}"
        )
    };
    check(&used("calloc(2, sizeof(int))", "q[0] == 0 && q[1] == 0"), true);
    // Without that it may be what it was.
    check(&used("malloc(2 * sizeof(int)); q[0] = 0", "q[0] == 0"), true);
    check(&used("calloc(2, sizeof(int))", "q[1] == 7"), false);
}
