//! C programs that start their threads themselves: what the models sc, tso and pso say of their assertions and deadlocks is
//! what the machines of the same names find, on small ones for each construct and on random ones. Those of `suites/c` say
//! themselves what is expected of them.

use std::path::{Path, PathBuf};

use axiomatic::whole::{self, Checked};
use operational::Machine;
use program::{FailureKind, Verdict, Verified, verify};
use testing::effort::programs;
use testing::random::Random;

const MACHINES: [(Machine, &str); 3] = [(Machine::Sc, "sc.cat"), (Machine::Tso, "tso.cat"), (Machine::Pso, "pso.cat")];

fn load(name: &str, text: &str, defines: &[&str]) -> Verified {
    let folder = suite();
    let mut include = |name: &str, _: &str| {
        let path = folder.join(name);
        Some((path.display().to_string(), std::fs::read_to_string(path).ok()?))
    };
    let defines: Vec<(String, String)> = defines.iter().map(|name| (name.to_string(), "1".to_string())).collect();
    let unit = frontend::c::load(name, text, &mut include, &defines).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    let program = unit.program().unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    verify(program).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
}

fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/c")
}

fn checked(program: &Verified, model: &axiomatic::Model) -> Result<Checked, program::Unsupported> {
    let options = axiomatic::Options::default();
    whole::check(program, model, 24, &options, &mut |_| {})
}

/// What the model says; a witness must be an execution that the model allows.
fn verdict(program: &Verified, model: &str, text: &str) -> Verdict {
    let model = testing::model(model);
    let checked = checked(program, &model).unwrap_or_else(|what| panic!("{what:?} under {}\n{text}", model.name));
    if let Some(witness) = &checked.outcome.witness {
        let broken = axiomatic::broken_axioms(witness, &model);
        assert!(broken.is_empty(), "{broken:?} under {}\n{text}", model.name);
    }
    checked.outcome.verdict
}

/// Whether the program is fine, if both engines agree.
fn agreed(text: &str, program: &Verified, machine: Machine, model: &str) -> bool {
    let ours = verdict(program, model, text);
    let answer = operational::check(program, machine, &operational::Options::default());
    let theirs = answer.unwrap_or_else(|what| panic!("{what:?}\n{text}")).outcome.verdict;
    assert_eq!(ours, theirs, "the model and the machine {}\n{text}", machine.name());
    ours == Verdict::Holds
}

/// A program with these globals and functions, and `main`; with what comes of it on sc, tso and pso.
#[track_caller]
fn check(before: &str, main: &str, expected: [bool; 3]) {
    let text = format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         static atomic_int x, y, flag;\nstatic int data, seen;\n\
         static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
         #define GET(v) atomic_load_explicit(&v, memory_order_relaxed)\n\
         #define PUT(v, n) atomic_store_explicit(&v, n, memory_order_relaxed)\n\
         {before}\nint main(void)\n{{\n{main}\nreturn 0;\n}}\n"
    );
    let program = load("test.c", &text, &[]);
    let fine = MACHINES.map(|(machine, model)| agreed(&text, &program, machine, model));
    assert_eq!(fine, expected, "{text}");
}

#[test]
fn what_main_does_before_the_first_start_is_the_initial_memory() {
    let look = "static void *look(void *p) { seen = data + GET(x); return 0; }";
    check(
        look,
        "pthread_t t; data = 2; PUT(x, 3); pthread_create(&t, 0, look, 0); pthread_join(t, 0); assert(seen == 5);",
        [true; 3],
    );
    check(
        look,
        "pthread_t t; data = 2; pthread_create(&t, 0, look, 0); pthread_join(t, 0); assert(seen == 5);",
        [false; 3],
    );
}

#[test]
fn a_weak_compare_exchange_may_fail_also_while_main_is_alone() {
    let try_it = |strength: &str| format!("int e = 0; assert(atomic_compare_exchange_{strength}(&x, &e, 1));");
    check("", &try_it("strong"), [true; 3]);
    check("", &try_it("weak"), [false; 3]);
}

#[test]
fn threads_get_their_arguments() {
    let functions = "static int out[3];\n\
        static void *store(void *p) { int *cell = p; *cell = *cell + 1; return 0; }\n\
        static void *number(void *p) { out[(long)p] = (int)(long)p + 10; return 0; }";
    check(
        functions,
        "pthread_t t, u; int mine = 4; pthread_create(&t, 0, store, &mine); pthread_create(&u, 0, store, &data);\n\
         pthread_join(t, 0); pthread_join(u, 0); assert(mine == 5 && data == 1);",
        [true; 3],
    );
    check(
        functions,
        "pthread_t t[3]; for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, number, (void *)i);\n\
         for (int i = 0; i < 3; i++) pthread_join(t[i], 0); for (int i = 0; i < 3; i++) assert(out[i] == i + 10);",
        [true; 3],
    );
}

#[test]
fn a_start_and_a_join_order_what_main_does_around_them() {
    let threads = "static void *add(void *p) { data = data + 1; return 0; }\n\
        static void *look(void *p) { seen = data; return 0; }";
    // A start after an access, and an access after a join while another thread runs.
    check(
        threads,
        "pthread_t t, u; pthread_create(&u, 0, look, 0); data = 1; pthread_create(&t, 0, add, 0); pthread_join(t, 0);\n\
         assert(data == 2); pthread_join(u, 0); assert(seen <= 2);",
        [true; 3],
    );
    // One thread after the other, with nothing in between.
    check(
        threads,
        "pthread_t t; pthread_create(&t, 0, add, 0); pthread_join(t, 0); pthread_create(&t, 0, add, 0);\n\
         pthread_join(t, 0); assert(data == 2);",
        [true; 3],
    );
    check(
        threads,
        "pthread_t t, u; pthread_create(&t, 0, add, 0); pthread_create(&u, 0, add, 0); pthread_join(t, 0);\n\
         pthread_join(u, 0); assert(data == 2);",
        [false; 3],
    );
}

#[test]
fn main_is_a_thread_while_others_run() {
    let thread = "static void *other(void *p) { PUT(x, 1); seen = GET(y); return 0; }";
    check(
        thread,
        "pthread_t t; int mine; pthread_create(&t, 0, other, 0); PUT(y, 1); mine = GET(x); pthread_join(t, 0);\n\
         assert(mine == 1 || seen == 1);",
        [true, false, false],
    );
    let writer = "static void *other(void *p) { data = 1; PUT(flag, 1); return 0; }";
    check(
        writer,
        "pthread_t t; pthread_create(&t, 0, other, 0); if (GET(flag)) assert(data == 1); pthread_join(t, 0);",
        [true, true, false],
    );
}

#[test]
fn locks_taken_in_opposite_orders_are_a_deadlock() {
    let function = |name: &str, first: &str, second: &str| {
        format!(
            "static void *{name}(void *p) {{ pthread_mutex_lock(&{first}); pthread_mutex_lock(&{second}); data++;\n\
             pthread_mutex_unlock(&{second}); pthread_mutex_unlock(&{first}); return 0; }}\n"
        )
    };
    let main = "pthread_t t, u; pthread_create(&t, 0, one, 0); pthread_create(&u, 0, two, 0); pthread_join(t, 0);\n\
        pthread_join(u, 0); assert(data == 2);";
    check(&(function("one", "a", "b") + &function("two", "b", "a")), main, [false; 3]);
    check(&(function("one", "a", "b") + &function("two", "a", "b")), main, [true; 3]);
    // Main holds what the thread waits for, and waits for the thread.
    let held = "pthread_t t; pthread_mutex_lock(&a); pthread_create(&t, 0, one, 0); pthread_join(t, 0);";
    check(&function("one", "a", "b"), held, [false; 3]);
    // A lock that is taken twice.
    check("", "pthread_mutex_lock(&a); pthread_mutex_lock(&a);", [false; 3]);
}

#[test]
fn a_deadlock_is_named_with_the_threads_that_wait() {
    let text = "#include <pthread.h>\nstatic pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\n\
        static void *run(void *p)\n{\n    pthread_mutex_lock(&a);\n    pthread_mutex_lock(&a);\n    return 0;\n}\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); return 0; }\n";
    for model in ["sc.cat", "relaxed.cat", "rc11.cat", "c11.cat"] {
        let outcome = checked(&load("twice.c", text, &[]), &testing::model(model)).expect("supported").outcome;
        let failure = outcome.failure.unwrap_or_else(|| panic!("no failure under {model}"));
        assert_eq!(failure.kind, FailureKind::Deadlock);
        assert_eq!(failure.message, "run waits for ever at line 6");
        assert!(outcome.witness.is_some());
    }
}

#[test]
fn loops_that_only_wait_do_not_keep_the_answer_from_being_found() {
    let main = "pthread_t t, u; pthread_create(&t, 0, one, 0); pthread_create(&u, 0, two, 0); pthread_join(t, 0);\n\
        pthread_join(u, 0);";
    let wait = "static void *one(void *p) { data = 1; PUT(flag, 1); return 0; }\n\
        static void *two(void *p) { while (GET(flag) == 0) ; seen = data; return 0; }";
    check(wait, &format!("{main} assert(seen == 1);"), [true, true, false]);
    let increment = |lock: &str| {
        let of = |name: &str| {
            format!("static void *{name}(void *p) {{ {lock} data++; atomic_store(&flag, 0); return 0; }}\n")
        };
        of("one") + &of("two")
    };
    for lock in [
        "while (atomic_exchange(&flag, 1) != 0) ;",
        "int none; do none = 0; while (!atomic_compare_exchange_strong(&flag, &none, 1));",
        "int none; do none = 0; while (!atomic_compare_exchange_weak(&flag, &none, 1));",
    ] {
        check(&increment(lock), &format!("{main} assert(data == 2);"), [true, true, false]);
        check(&increment(lock), &format!("{main} assert(data == 1);"), [false; 3]);
    }
}

#[test]
fn a_loop_that_waits_in_vain_is_a_deadlock() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int flag;\n\
        static void *run(void *p) { while (atomic_load(&flag) == 0) ; return 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); return 0; }\n";
    let outcome = checked(&load("vain.c", text, &[]), &testing::model("rc11.cat")).expect("supported").outcome;
    assert_eq!(outcome.failure.map(|failure| failure.kind), Some(FailureKind::Deadlock));
}

#[test]
fn a_thread_that_waits_does_not_hide_that_another_has_more_rounds_to_go() {
    // How many iterations the loop has is not known before anything is asked.
    let threads = "static void *one(void *p) { int iterations = GET(x); while (iterations-- > 0) data++; PUT(flag, 1); return 0; }\n\
        static void *two(void *p) { while (GET(flag) == 0) ; seen = data; return 0; }";
    let main = "pthread_t t, u; PUT(x, 3); pthread_create(&t, 0, one, 0); pthread_create(&u, 0, two, 0);\n\
        pthread_join(t, 0); pthread_join(u, 0);";
    check(threads, &format!("{main} assert(seen == 3);"), [true, true, false]);
    check(threads, &format!("{main} assert(seen == 2);"), [false; 3]);
    let held = "static void *one(void *p) { int iterations = GET(x); while (iterations-- > 0) data++; return 0; }\n";
    let main = "pthread_t t, u; pthread_create(&u, 0, two, 0); pthread_create(&t, 0, one, 0); pthread_join(t, 0);\n\
        PUT(y, data); pthread_join(u, 0);";
    let raise = format!("{held}static void *two(void *p) {{ PUT(x, 3); seen = GET(y); return 0; }}");
    check(&raise, &format!("{main} assert(data != 3);"), [false; 3]);
    check(&raise, &format!("{main} assert(seen != 3);"), [false; 3]);
    check(&raise, &format!("{main} assert(data == 3 || data == 0);"), [true; 3]);
}

#[test]
fn an_exchange_that_changes_the_cell_each_round_is_no_mere_waiting() {
    // A failing iteration turns 2 into 1, which the other thread looks for.
    let threads = "static void *one(void *p) { while (atomic_exchange(&flag, 1) != 0) ; return 0; }\n\
        static void *two(void *p) { seen = GET(flag) == 1; PUT(flag, 0); return 0; }";
    let text = format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int flag;\nstatic int seen;\n\
         #define GET(v) atomic_load_explicit(&v, memory_order_relaxed)\n\
         #define PUT(v, n) atomic_store_explicit(&v, n, memory_order_relaxed)\n{threads}\n\
         int main(void) {{ pthread_t t, u; atomic_init(&flag, 2); pthread_create(&t, 0, one, 0);\n\
         pthread_create(&u, 0, two, 0); pthread_join(t, 0); pthread_join(u, 0); assert(!seen); return 0; }}\n"
    );
    assert_eq!(verdict(&load("two.c", &text, &[]), "sc.cat", &text), Verdict::Violated);
}

#[test]
fn what_is_not_modelled_is_refused_with_its_place() {
    let refused = |text: &str, model: &str| {
        let program = load("refused.c", text, &[]);
        let unsupported =
            checked(&program, &testing::model(model)).err().unwrap_or_else(|| panic!("an answer: {text}"));
        let line = unsupported.span.map(|span| program.sources.location(span).line);
        (unsupported.what, line)
    };
    let head = "#include <pthread.h>\nstatic int x; static void *leaf(void *p) { x = 1; return 0; }\n";
    let (what, line) = refused(
        &format!(
            "{head}static void *run(void *p)\n{{ pthread_t t; pthread_create(&t, 0, leaf, 0); return 0; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, run, 0); return 0; }}\n"
        ),
        "sc.cat",
    );
    assert!(what.contains("other than main") && line == Some(4), "{what} {line:?}");
    let (what, line) = refused(
        &format!(
            "{head}int main(void) {{ pthread_t t; pthread_create(&t, 0, leaf, 0); x = 2;\n\
             pthread_create(&t, 0, leaf, 0); return 0; }}\n"
        ),
        "coherence.mm",
    );
    assert!(what.contains("does not order it") && line == Some(3), "{what} {line:?}");
    let (what, _) = refused(
        &format!("{head}int main(void) {{ pthread_t t; pthread_create(&t, 0, leaf, 0); return 0; }}\n"),
        "jmm-revised.mm",
    );
    assert!(what.contains("starts threads"), "{what}");
}

/// What comes of a bounded test of these operations.
fn bounded(path: &str, text: &str, notation: &str, model: &str) -> program::Outcome {
    let folder = suite();
    let mut include = |name: &str, _: &str| {
        let path = folder.join(name);
        Some((path.display().to_string(), std::fs::read_to_string(path).ok()?))
    };
    let unit = frontend::c::load(path, text, &mut include, &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
    let program = verify(unit.test(notation).unwrap_or_else(|wrong| panic!("{wrong}"))).expect("a program");
    let mined = operational::serial::observations(&program, &operational::Limits::default()).expect("supported");
    let specification = axiomatic::Specification {
        observations: Some(&mined.observations),
        iterations: &mined.iterations,
        most_iterations: 24,
    };
    let options = axiomatic::Options::default();
    axiomatic::consistency(&program, &testing::model(model), &specification, &options, &mut |_| {}).expect("supported")
}

#[test]
fn operations_that_take_locks_in_opposite_orders_are_a_deadlock() {
    let text = "#include \"lsl_protos.h\"\nlsl_lock_t a, b; int x;\n\
        void i(void) { lsl_initlock(&a); lsl_initlock(&b); x = 0; }\n\
        int f(void) { int r; lsl_lock(&a); lsl_lock(&b); r = x++; lsl_unlock(&b); lsl_unlock(&a); return r; }\n\
        int g(void) { int r; lsl_lock(&b); lsl_lock(&a); r = x++; lsl_unlock(&a); lsl_unlock(&b); return r; }\n";
    for model in ["sc.cat", "tso.cat", "relaxed.cat", "rc11.cat"] {
        let outcome = bounded("locks.c", text, "(f|g)", model);
        assert_eq!(outcome.failure.map(|failure| failure.kind), Some(FailureKind::Deadlock), "{model}");
        assert_eq!(bounded("locks.c", text, "(f|f|f)", model).verdict, Verdict::Holds, "{model}");
        assert_eq!(bounded("locks.c", text, "(ff|f)", model).verdict, Verdict::Holds, "{model}");
    }
}

#[test]
fn without_its_fence_the_work_stealing_deque_gives_an_element_twice() {
    let text = std::fs::read_to_string(suite().join("chase_lev.c")).expect("the deque");
    // Without the fence of a taking owner, an element is taken and stolen.
    let weaker = text.replacen("atomic_thread_fence(memory_order_seq_cst); /* announce", "/* announce", 1);
    assert_ne!(weaker, text);
    assert_eq!(bounded("chase_lev.c", &weaker, "pp(tt|ss)", "rc11.cat").verdict, Verdict::Violated);
}

/// Statements of a thread; `own` names a variable of its own that it may write.
fn statements(random: &mut Random, count: u64, own: &str) -> String {
    let mut text = String::new();
    for _ in 0..count {
        let cell = ["x", "y"][random.below(2) as usize];
        let other = ["y", "x"][random.below(2) as usize];
        let number = 1 + random.below(2);
        let statement = match random.below(12) {
            0 | 1 => format!("PUT({cell}, {number});"),
            2 | 3 => format!("{own} = {own} * 3 + GET({cell});"),
            4 => format!("atomic_fetch_add(&{cell}, {number});"),
            5 => "atomic_thread_fence(memory_order_seq_cst);".into(),
            6 => format!("if (GET({cell}) == {number}) PUT({other}, 2); else {own} = 1;"),
            7 => format!("lock(); shared = shared + {number}; unlock();"),
            8 => format!("for (int i = 0; i < 2; i++) PUT({cell}, GET({other}) + i);"),
            9 => format!("while (GET({cell}) == 0) ;"),
            10 => format!("sem_post(&s); PUT({cell}, {number}); sem_wait(&s);"),
            _ => format!("PUT({cell}, 1); {own} = {own} * 3 + GET({other});"),
        };
        text.push_str(&format!("    {statement}\n"));
    }
    text
}

fn random_text(random: &mut Random) -> String {
    let locks = [
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         static void lock(void) { pthread_mutex_lock(&m); }\nstatic void unlock(void) { pthread_mutex_unlock(&m); }\n",
        "static atomic_int m;\nstatic void lock(void) { while (atomic_exchange(&m, 1) != 0) ; }\n\
         static void unlock(void) { atomic_thread_fence(memory_order_seq_cst); atomic_store(&m, 0); }\n",
    ];
    let mut text = String::from(
        "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n\
         static sem_t s;\nstatic atomic_int x, y;\nstatic int shared, r1, r2, r0;\n\
         #define GET(v) atomic_load_explicit(&v, memory_order_relaxed)\n\
         #define PUT(v, n) atomic_store_explicit(&v, n, memory_order_relaxed)\n",
    );
    text.push_str(locks[random.below(2) as usize]);
    for thread in 1..=2 {
        let count = 1 + random.below(2);
        let code = statements(random, count, &format!("r{thread}"));
        text.push_str(&format!("static void *t{thread}(void *p)\n{{\n{code}    return 0;\n}}\n"));
    }
    let mut main = String::from("    pthread_t a, b;\n");
    let some = |random: &mut Random, main: &mut String| {
        let count = random.below(2);
        main.push_str(&statements(random, count, "r0"));
    };
    let orders: [&[&str]; 4] =
        [&["sa", "sb", "ja", "jb"], &["sa", "sb", "jb", "ja"], &["sa", "ja", "sb", "jb"], &["sa", "ja"]];
    some(random, &mut main);
    let steps = orders[random.below(4) as usize];
    for step in steps {
        main.push_str(match *step {
            "sa" => "    pthread_create(&a, 0, t1, 0);\n",
            "sb" => "    pthread_create(&b, 0, t2, 0);\n",
            "ja" => "    pthread_join(a, 0);\n",
            _ => "    pthread_join(b, 0);\n",
        });
        some(random, &mut main);
    }
    let conditions = [
        "GET(x) + GET(y) != 3",
        "r1 + r2 != 0",
        "r1 != 1 || r2 != 1",
        "shared != 3",
        "r0 + r1 != 0",
        "GET(x) != 2",
        "r1 == r2 || GET(y) != 2",
        "r0 != 1 || r1 != 0",
    ];
    let condition = conditions[random.below(conditions.len() as u64) as usize];
    text + &format!("int main(void)\n{{\n{main}    assert({condition});\n    return 0;\n}}\n")
}

#[test]
fn random_programs_come_to_the_same() {
    let mut random = Random(20_26);
    let (mut fine, mut wrong) = (0, 0);
    for _ in 0..programs::<u64>(150) {
        let text = random_text(&mut random);
        let program = load("random.c", &text, &[]);
        let answers = MACHINES.map(|(machine, model)| agreed(&text, &program, machine, model));
        // What an interleaving shows every weaker model shows.
        if !answers[0] {
            for model in ["relaxed.cat", "rc11.cat", "relaxed.mm"] {
                assert_eq!(verdict(&program, model, &text), Verdict::Violated, "{model}\n{text}");
            }
        }
        fine += answers.iter().filter(|&&fine| fine).count();
        wrong += answers.iter().filter(|&&fine| !fine).count();
    }
    assert!(fine > programs::<usize>(100) && wrong > programs::<usize>(100), "{fine} fine, {wrong} wrong");
}
