//! Failures that are not far from the start are found, whatever else runs for ever; and a budget is no verdict.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use operational::early::Early;
use operational::races::{Race, Rules};
use operational::serial::observations;
use operational::{Limits, Machine, replay};
use program::{FailureKind, Property, Verdict, Verified, verify};

const MACHINES: [Machine; 3] = [Machine::Sc, Machine::Tso, Machine::Pso];

/// What every program begins with.
const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
    static int data, turns;\nstatic atomic_int flag, word;\n\
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
    #define GET(v) atomic_load_explicit(&v, memory_order_relaxed)\n\
    #define PUT(v, n) atomic_store_explicit(&v, n, memory_order_relaxed)\n\
    #define THREAD(name) static void *name(void *p)\n";

fn load(text: &str) -> Verified {
    let text = format!("{HEAD}{text}\n");
    let unit = frontend::c::load("test.c", &text, &mut |_, _| None, &[]);
    let program = unit.and_then(|unit| unit.program()).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    verify(program).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
}

/// A program of two threads that `main` starts and waits for.
fn two(first: &str, second: &str) -> Verified {
    load(&format!(
        "THREAD(f) {{ {first} return 0; }}\nTHREAD(g) {{ {second} return 0; }}\n\
         int main(void) {{ pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); return 0; }}"
    ))
}

/// What a thread keeps in memory of its own is part of where it stands: whoever has found another value there tries something else next.
#[test]
fn a_thread_that_has_written_in_its_own_memory_is_not_where_it_was() {
    let program = load(
        "#include <stdlib.h>\nstruct node { struct node *next; };\n_Atomic(struct node *) top;\n\
         THREAD(f) { struct node *n = malloc(sizeof *n), *t; n->next = top;\n\
         while (!atomic_compare_exchange_weak(&top, &n->next, n)) ;\n\
         t = top; while (t && !atomic_compare_exchange_weak(&top, &t, t->next)) ; return 0; }\n\
         int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); return 0; }",
    );
    let mut early = Early::new(&program, Machine::Sc, Property::Always, &limits());
    let found = early.go_on(&limits(), 1 << 14);
    assert!(found.is_none(), "a thread that tries again was said to wait for ever: {found:?}");
}

/// The program of a class that stands in `java/Until.java`.
fn java(class: &str) -> Verified {
    use frontend::jvm::{ClassFile, program};
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
    let source = std::fs::read_to_string(folder.join("Until.java")).expect("the source");
    let entries = std::fs::read_dir(&folder).expect("the class files").map(|entry| entry.expect("an entry").path());
    let names = entries.filter_map(|path| Some(path.file_name()?.to_str()?.to_string()));
    let mut names: Vec<String> = names.filter(|name| name.starts_with("Until") && name.ends_with(".class")).collect();
    names.sort();
    let read = |name: String| ClassFile {
        bytes: std::fs::read(folder.join(&name)).expect("a class file"),
        source: Some(("Until.java".to_string(), source.clone())),
        name,
    };
    let files: Vec<ClassFile> = names.into_iter().map(read).collect();
    let program = program(&files, &format!("Until${class}")).unwrap_or_else(|wrong| panic!("{wrong}"));
    verify(program).unwrap_or_else(|wrong| panic!("{wrong:?}"))
}

/// A search that would go on for ever is to end with the test.
fn limits() -> Limits {
    Limits { states: 200_000, bytes: 1 << 30, stretch: 1 << 16, ..Limits::default() }
}

/// The program goes wrong on all machines, by search and by reduction, and does so again when it is replayed. A failure of another
/// kind may be found first where there is one.
fn goes_wrong(program: &Verified, kinds: &[FailureKind]) {
    let is_expected = |failure: Option<program::Failure>| failure.is_some_and(|found| kinds.contains(&found.kind));
    for machine in MACHINES {
        let options = operational::Options { limits: limits(), ..operational::Options::default() };
        let searched = operational::check(program, machine, &options).expect("modelled");
        assert_eq!(searched.outcome.verdict, Verdict::Violated, "search on {}", machine.name());
        assert!(is_expected(searched.failure), "search on {}", machine.name());
        let schedule = searched.schedule.expect("a schedule");
        let again = replay(program, machine, options.reduction, &schedule, &limits());
        assert!(again.is_ok(), "search on {}: {:?}", machine.name(), again.err());
        let options = mcr::Options { limits: limits(), shorten: true, ..mcr::Options::default() };
        let reduced = mcr::check(program, machine, &options).expect("modelled");
        assert_eq!(reduced.outcome.verdict, Verdict::Violated, "reduction on {}", machine.name());
        assert!(is_expected(reduced.failure), "reduction on {}", machine.name());
        assert_eq!(reduced.figures.lost, 0, "reduction on {}", machine.name());
    }
}

#[test]
fn a_loop_of_stores_hides_no_failure() {
    let wrong = &[FailureKind::Assertion, FailureKind::Deadlock];
    goes_wrong(&two("while (1) data = 1;", "assert(data == 0);"), wrong);
    goes_wrong(&two("assert(data == 0);", "for (;;) { data = 1; turns = 2; }"), wrong);
    goes_wrong(
        &two("while (GET(flag) == 0) PUT(word, 1);", "PUT(word, 2); PUT(flag, 1); assert(GET(word) == 1);"),
        wrong,
    );
    goes_wrong(&two("while (GET(flag) == 0) data = turns++;", "if (data == 3) { PUT(flag, 1); assert(0); }"), wrong);
    goes_wrong(
        &two("do data++; while (!GET(flag));", "do turns++; while (data < 2); assert(turns < 2); PUT(flag, 1);"),
        wrong,
    );
}

#[test]
fn a_thread_that_never_meets_memory_hides_no_failure() {
    let wrong = &[FailureKind::Assertion];
    goes_wrong(&two("while (1);", "data = 1; assert(data == 0);"), wrong);
    goes_wrong(&two("unsigned i = 0; while (1) i++;", "assert(0);"), wrong);
    for machine in MACHINES {
        let program = two("while (1);", "data = 1; assert(data == 1);");
        let options = operational::Options { limits: limits(), ..operational::Options::default() };
        let verdict = operational::check(&program, machine, &options).expect("modelled").outcome.verdict;
        assert_eq!(verdict, Verdict::Unknown("a thread runs for ever without meeting shared memory".into()));
    }
}

#[test]
fn a_thread_that_counts_while_it_waits_for_ever_is_in_a_deadlock() {
    let stuck = &[FailureKind::Deadlock];
    // Read after the loop, read by nobody, and counted by a call in the loop.
    goes_wrong(&two("unsigned k = 0; while (GET(flag) != 3) k++; PUT(word, k);", "PUT(flag, 2);"), stuck);
    goes_wrong(&two("int k = 0; while (GET(flag) != 3) k++;", "PUT(flag, 2);"), stuck);
    goes_wrong(
        &two("long k = 0; do k += 2; while (!pthread_mutex_trylock(&m) + GET(flag) < 9); turns = k;", ""),
        stuck,
    );
    // What is counted decides something: it ends.
    let program = two("unsigned k = 0; while (GET(flag) != 3 && k < 5) k++; PUT(word, k);", "PUT(flag, 2);");
    for machine in MACHINES {
        let options = operational::Options { limits: limits(), ..operational::Options::default() };
        let verdict = operational::check(&program, machine, &options).expect("modelled").outcome.verdict;
        assert_eq!(verdict, Verdict::Holds, "{}", machine.name());
    }
}

/// It gives up after some tries: what it counts decides something, although the other thread is never done.
#[test]
fn a_thread_that_counts_its_tries_does_not_wait_for_ever() {
    let tries = "THREAD(f) { while (1) PUT(word, GET(word) + 1); return 0; }\n\
        THREAD(g) { unsigned k = 0; while (GET(flag) != 3 && k < 300) k++; return 0; }\n\
        int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(u, 0); return 0; }";
    let program = load(tries);
    let options =
        operational::Options { limits: Limits { states: 20_000, ..limits() }, ..operational::Options::default() };
    let verdict = operational::check(&program, Machine::Sc, &options).expect("modelled").outcome.verdict;
    assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
}

#[test]
fn a_signed_count_overflows_unless_it_only_counts_how_often_a_thread_looks() {
    let wrong = &[FailureKind::Error];
    goes_wrong(&two("int k = 2147483646; for (int i = 0; i < 2; i++) k++;", ""), wrong);
    goes_wrong(&two("int k = 2147483646; while (data < 2) { data++; k++; }", ""), wrong);
    goes_wrong(&two("int k = 1; k = 2147483647; k++;", ""), wrong);
}

#[test]
fn a_deadlock_is_found_beside_threads_that_run_for_ever() {
    let locks = "static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
        #define WITH(p, q) pthread_mutex_lock(&p); pthread_mutex_lock(&q); turns++; pthread_mutex_unlock(&q); pthread_mutex_unlock(&p);\n\
        THREAD(f) { while (1) { WITH(a, b) } return 0; }\nTHREAD(g) { while (1) { WITH(b, a) } return 0; }\n\
        int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); return 0; }";
    goes_wrong(&load(locks), &[FailureKind::Deadlock]);
    // Two threads wait for each other, and the third one is never done.
    let beside = "static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
        THREAD(f) { while (1) PUT(word, 1); return 0; }\n\
        THREAD(g) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); return 0; }\n\
        THREAD(h) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return 0; }\n\
        int main(void) { pthread_t t, u, v; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_create(&v, 0, h, 0);\n\
        pthread_join(u, 0); pthread_join(v, 0); return 0; }";
    goes_wrong(&load(beside), &[FailureKind::Deadlock]);
}

#[test]
fn a_bounded_buffer_of_four_and_four_threads_deadlocks_soon() {
    let buffer = "static int count;\n\
        THREAD(put) { while (1) { pthread_mutex_lock(&m); while (count == 1) pthread_cond_wait(&c, &m);\n\
          count = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); } return 0; }\n\
        THREAD(take) { while (1) { pthread_mutex_lock(&m); while (count == 0) pthread_cond_wait(&c, &m);\n\
          count = 0; pthread_cond_signal(&c); pthread_mutex_unlock(&m); } return 0; }\n\
        int main(void) { pthread_t t[8]; for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, put, 0);\n\
          for (int i = 4; i < 8; i++) pthread_create(&t[i], 0, take, 0);\n\
          for (int i = 0; i < 8; i++) pthread_join(t[i], 0); return 0; }";
    let program = load(buffer);
    let options = operational::Options { limits: limits(), ..operational::Options::default() };
    let found = operational::check(&program, Machine::Sc, &options).expect("modelled");
    assert_eq!(found.outcome.verdict, Verdict::Violated);
    assert!(found.explored.states < 60_000, "{} states", found.explored.states);
}

#[test]
fn what_is_written_until_a_flag_is_set_has_few_states() {
    let holds = |program: &Verified, machine: Machine| {
        let options = operational::Options { limits: limits(), ..operational::Options::default() };
        let answer = operational::check(program, machine, &options).expect("modelled");
        assert_eq!(answer.outcome.verdict, Verdict::Holds, "on {}: {:?}", machine.name(), answer.failure);
        assert!(answer.explored.states < 20_000, "{} states on {}", answer.explored.states, machine.name());
    };
    for machine in MACHINES {
        holds(&two("while (!GET(flag)) data = 1;", "PUT(flag, 1);"), machine);
        holds(&two("while (!GET(flag)) data = 1;", "int r = data; PUT(flag, 1); assert(r == 0 || r == 1);"), machine);
        holds(&two("while (!GET(flag)) { data = 1; turns = 5; }", "PUT(flag, 1);"), machine);
        holds(&two("while (!GET(flag)) PUT(word, 1);", "PUT(word, 2); PUT(flag, 1);"), machine);
    }
}

#[test]
fn what_java_writes_until_a_flag_is_set_has_few_states() {
    for machine in [Machine::Tso, Machine::Pso] {
        for class in ["Lambda", "Lambdas", "Runnables", "Subclasses", "Called", "Two"] {
            let options = operational::Options { limits: limits(), ..operational::Options::default() };
            let answer = operational::check(&java(class), machine, &options).expect("modelled");
            let (verdict, states) = (answer.outcome.verdict, answer.explored.states);
            assert_eq!(verdict, Verdict::Holds, "{class} on {}: {:?}", machine.name(), answer.failure);
            assert!(states < 5_000, "{class} on {}: {states} states", machine.name());
        }
    }
    goes_wrong(&java("Wrong"), &[FailureKind::Assertion]);
    // Each iteration makes another object, so that no two states are the same.
    let options = operational::Options { limits: limits(), ..operational::Options::default() };
    let answer = operational::check(&java("Allocating"), Machine::Tso, &options).expect("modelled");
    assert_eq!(answer.failure.map(|failure| failure.kind), Some(FailureKind::Assertion));
}

/// What the command says of a program, by its exit code.
fn exit_code(file: &str, text: &str, arguments: &[&str]) -> Option<i32> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fair");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join(file), format!("{HEAD}{text}\n")).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(folder).args(["check", file, "--timeout", "60"]).args(arguments);
    command.output().expect("the binary runs").status.code()
}

/// A program of two threads that `main` starts and waits for, with an assertion in the end.
fn until(first: &str, second: &str, last: &str) -> String {
    format!(
        "THREAD(f) {{ {first} return 0; }}\nTHREAD(g) {{ {second} return 0; }}\n\
         int main(void) {{ pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); {last} return 0; }}"
    )
}

#[test]
fn what_is_written_until_a_flag_is_set_is_decided_under_rc11() {
    let stop = "PUT(flag, 1);";
    let raised = "atomic_store(&flag, 1);";
    let programs = [
        // Iterations without effect are left out, whether or not there could be races.
        (until("while (!GET(flag)) PUT(word, 1);", stop, "assert(GET(word) <= 1);"), 0),
        (until("while (!GET(flag)) PUT(word, 1);", stop, "assert(GET(word) == 1);"), 1),
        (until("while (!atomic_load(&flag)) data = 1;", raised, "assert(data <= 1);"), 0),
        (until("while (!atomic_load(&flag)) data = 1;", raised, "assert(data == 1);"), 1),
        (until("while (!GET(flag)) PUT(word, 1);", "int r = GET(word); PUT(flag, 1); assert(r < 2);", ""), 0),
        // A race with an iteration that makes no other difference is one.
        (until("while (!GET(flag)) data = 1;", "int r = data; PUT(flag, 1);", ""), 1),
        (until("while (!GET(flag)) { int r = data; }", "data = 1; PUT(flag, 1);", ""), 1),
        (until("while (!GET(flag)) PUT(word, 1);", "int r = *(int *)&word; PUT(flag, 1);", ""), 1),
        (until("while (!GET(flag)) { int r = data; }", "int r = data; PUT(flag, 1);", ""), 0),
    ];
    for (at, (text, expected)) in programs.iter().enumerate() {
        for engine in ["axiomatic", "auto", "mcr"] {
            let said = exit_code(&format!("until{at}.c"), text, &["--engine", engine]);
            assert_eq!(said, Some(*expected), "{engine} on\n{text}");
        }
    }
}

#[test]
fn failures_near_the_start_are_found_by_the_exploration_of_graphs() {
    let programs = [
        until("while (!GET(flag)) PUT(word, 1);", "PUT(word, 2); PUT(flag, 1); assert(GET(word) == 2);", ""),
        until("while (!GET(flag)) PUT(word, 1);", "PUT(flag, 1);", "assert(GET(word) == 1);"),
        until("while (!GET(flag)) atomic_fetch_add(&word, 1);", "PUT(flag, 1);", "assert(GET(word) < 3);"),
        until("while (1) PUT(word, GET(word) + 1);", "assert(GET(word) != 2);", ""),
        until("while (1) { PUT(word, 1); data = 1; }", "while (1) { PUT(word, 2); if (GET(word) == 1) data = 2; }", ""),
    ];
    for (at, text) in programs.iter().enumerate() {
        let said = exit_code(&format!("near{at}.c"), text, &["--engine", "mcr", "--model", "rc11"]);
        assert_eq!(said, Some(1), "{text}");
    }
}

#[test]
fn one_execution_of_each_class_is_not_all_that_endless_writers_are_asked_for() {
    for machine in MACHINES {
        for program in [
            two("while (!GET(flag)) data = 1;", "PUT(flag, 1);"),
            two("while (!GET(flag)) PUT(word, 1);", "PUT(word, 2); PUT(flag, 1);"),
            java("Lambda"),
            java("Subclasses"),
        ] {
            let options = mcr::Options { limits: limits(), ..mcr::Options::default() };
            let answer = mcr::check(&program, machine, &options).expect("modelled");
            assert_eq!(answer.outcome.verdict, Verdict::Holds, "on {}: {:?}", machine.name(), answer.failure);
        }
    }
}

#[test]
fn java_without_races_has_the_executions_of_sc_however_often_it_writes() {
    let options = operational::Options { limits: limits(), ..operational::Options::default() };
    for class in ["Lambda", "Lambdas", "Runnables", "Subclasses", "Called"] {
        let verdict = operational::check(&java(class), Machine::JmmOver, &options).expect("modelled").outcome.verdict;
        assert_eq!(verdict, Verdict::Holds, "{class}");
    }
    // In the second one two writes race, and each of three reads after both may see another one.
    for class in ["Wrong", "Two"] {
        let verdict = operational::check(&java(class), Machine::JmmOver, &options).expect("modelled").outcome.verdict;
        assert!(matches!(verdict, Verdict::Unknown(_)), "{class}: {verdict:?}");
    }
}

/// Class files are those that `javac` makes of the source.
#[test]
fn class_files_belong_to_their_source() {
    if Command::new("javac").arg("-version").output().is_err() {
        println!("skipped: no JDK");
        return;
    }
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
    let folder = std::env::temp_dir().join(format!("palisade-until-{}", std::process::id()));
    let mut javac = Command::new("javac");
    javac.args(["--release", "8", "-g", "-Xlint:-options", "-d"]).arg(&folder).arg(kept.join("Until.java"));
    assert!(javac.status().expect("javac runs").success());
    let names = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = entries.filter_map(|name| name.into_string().ok()).collect();
        names.retain(|name| name.starts_with("Until") && name.ends_with(".class"));
        names.sort();
        names
    };
    assert_eq!(names(&folder), names(&kept));
    std::fs::remove_dir_all(folder).expect("the folder is there");
}

#[test]
fn a_thread_that_counts_for_ever_hides_no_failure() {
    let wrong = &[FailureKind::Assertion];
    goes_wrong(&two("while (1) turns++;", "data = 1; assert(turns < 2);"), wrong);
    goes_wrong(&java("Counting"), wrong);
}

#[test]
fn a_thread_that_counts_for_ever_hides_no_race() {
    let few = Limits { states: 5_000, ..limits() };
    let on = |races: &[Race], cell: &str| races.iter().filter(|race| race.cell == cell).count();
    let count = "while (1) atomic_fetch_add(&flag, 1);";
    let programs = [
        (two(count, "data = 1;"), "data", 0, Rules::C11),
        (two(&format!("data = 2; {count}"), "data = 1;"), "data", 1, Rules::C11),
        (two(&format!("data = 2; {count}"), &format!("int r = data; {count}")), "data", 1, Rules::C11),
        (two("while (1) turns++;", "turns = 0; data = 1;"), "turns", 2, Rules::C11),
        (java("Counting"), "x", 1, Rules::Jmm),
    ];
    for (at, (program, cell, number, rules)) in programs.iter().enumerate() {
        let found = operational::races::races(program, Machine::Sc, *rules, &few).expect("modelled");
        assert_eq!(on(&found.races, cell), *number, "program {at}: {:?}", found.races);
        assert!(found.incomplete.is_some(), "program {at}");
    }
}

#[test]
fn a_thread_that_counts_in_memory_of_its_own_comes_to_its_end() {
    let program = java("Owning");
    let limits = Limits { states: 3_000, depth: 300, ..limits() };
    for machine in MACHINES {
        let options = operational::Options { limits: limits.clone(), ..operational::Options::default() };
        let searched = operational::check(&program, machine, &options).expect("modelled").outcome.verdict;
        assert!(matches!(searched, Verdict::Unknown(_)), "{searched:?} on {}", machine.name());
        let budget = mcr::histories::explore::Budget { executions: 2, ..mcr::histories::explore::Budget::default() };
        let options = mcr::Options { limits: limits.clone(), budget, ..mcr::Options::default() };
        let reduced = mcr::check(&program, machine, &options).expect("modelled").outcome.verdict;
        assert!(matches!(reduced, Verdict::Unknown(_)), "{reduced:?} on {}", machine.name());
    }
}

#[test]
fn a_thread_that_writes_the_same_for_ever_waits_in_vain_on_all_machines() {
    let program = two("while (!GET(flag)) data = 1;", "data = 0;");
    for machine in MACHINES {
        let options = operational::Options { limits: limits(), ..operational::Options::default() };
        let answer = operational::check(&program, machine, &options).expect("modelled");
        assert_eq!(answer.outcome.verdict, Verdict::Violated, "on {}", machine.name());
    }
}

#[test]
fn a_bound_on_steps_does_not_prove_that_no_thread_waits_for_ever() {
    let program = two("while (1) PUT(word, 2);", "while (!GET(flag));");
    for depth in [20, 500] {
        let limits = Limits { depth, states: 2_000, ..limits() };
        let options = operational::Options { limits: limits.clone(), ..operational::Options::default() };
        let searched = operational::check(&program, Machine::Sc, &options).expect("modelled").outcome.verdict;
        assert!(matches!(searched, Verdict::Unknown(_)), "{searched:?} within {depth} steps");
        let budget = mcr::histories::explore::Budget { executions: 2, ..mcr::histories::explore::Budget::default() };
        let options = mcr::Options { limits, budget, ..mcr::Options::default() };
        let reduced = mcr::check(&program, Machine::Sc, &options).expect("modelled").outcome.verdict;
        assert_ne!(reduced, Verdict::Holds, "within {depth} steps");
    }
}

#[test]
fn as_many_executions_as_there_are_classes_are_enough() {
    let program = two("PUT(flag, 1); int r = GET(word);", "PUT(word, 1); int r = GET(flag);");
    for machine in MACHINES {
        let all = mcr::check(&program, machine, &mcr::Options::default()).expect("modelled");
        assert_eq!(all.outcome.verdict, Verdict::Holds);
        let within = |executions: u64| {
            let budget = mcr::histories::explore::Budget { executions, ..mcr::histories::explore::Budget::default() };
            let options = mcr::Options { budget, ..mcr::Options::default() };
            mcr::check(&program, machine, &options).expect("modelled").outcome.verdict
        };
        assert_eq!(within(all.figures.executions), Verdict::Holds);
        assert!(matches!(within(all.figures.executions - 1), Verdict::Unknown(_)));
    }
}

#[test]
fn counts_that_are_not_complete_are_said_to_be_so() {
    let program = two("PUT(word, 1); assert(!GET(flag));", "PUT(flag, 1); int r = GET(word);");
    let asked = |executions: u64, exhaustive: bool| {
        let budget = mcr::histories::explore::Budget { executions, ..mcr::histories::explore::Budget::default() };
        let options = mcr::Options { budget, exhaustive, ..mcr::Options::default() };
        mcr::check(&program, Machine::Sc, &options).expect("modelled").outcome
    };
    let all = asked(u64::MAX, true);
    assert_eq!((all.verdict, all.incomplete), (Verdict::Violated, None));
    let some = asked(2, true);
    assert_eq!(some.verdict, Verdict::Violated);
    assert_eq!(some.incomplete.as_deref(), Some("the exploration was ended after 2 executions"));
    assert_eq!(asked(2, false).incomplete, None);
}

fn test_of(text: &str, notation: &str) -> Verified {
    let unit = frontend::c::load("test.c", text, &mut |_, _| None, &[]);
    let program = unit.and_then(|unit| unit.test(notation)).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    verify(program).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
}

#[test]
fn an_operation_that_takes_long_is_not_wrong() {
    let text = "static int total;\nvoid a(void) { for (int i = 0; i < 400000; i++) total = i; }\nint b(void) { return total; }\n";
    let mined = observations(&test_of(text, "(a|b)"), &Limits::default()).expect("a test");
    assert_eq!(mined.failure, None);
    let incomplete = mined.incomplete.expect("it did not come to its end");
    assert!(incomplete.starts_with("the operation did not end within 1000000 instructions"), "{incomplete}");
    let enough = Limits { stretch: 1 << 24, ..Limits::default() };
    let mined = observations(&test_of(text, "(a|b)"), &enough).expect("a test");
    assert_eq!((mined.failure, mined.incomplete, mined.executions), (None, None, 2));
}

#[test]
fn an_order_in_which_an_operation_waits_for_ever_is_no_serial_execution() {
    let waits = ["while (flag == 0);", "do seen = 1; while (flag == 0);"];
    for wait in waits {
        let text =
            format!("static int flag, seen;\nvoid s(void) {{ flag = 1; }}\nint w(void) {{ {wait} return flag; }}\n");
        let mined = observations(&test_of(&text, "(s|w)"), &Limits::default()).expect("a test");
        assert_eq!((mined.failure, mined.incomplete), (None, None), "{wait}");
        // Only the order in which the flag is set first comes to its end.
        assert_eq!((mined.executions, mined.observations.len()), (1, 1), "{wait}");
        let mined = observations(&test_of(&text, "(w|w)"), &Limits::default()).expect("a test");
        assert!(mined.failure.is_some_and(|failure| failure.message.contains("each waits for another")), "{wait}");
    }
}

#[test]
fn a_search_that_is_interrupted_says_so() {
    let interrupt = Arc::new(AtomicBool::new(true));
    let options = operational::Options { limits: Limits { interrupt, ..limits() }, ..operational::Options::default() };
    let program = two("while (!GET(flag)) data = turns++;", "data = 1;");
    let verdict = operational::check(&program, Machine::Tso, &options).expect("modelled").outcome.verdict;
    assert!(matches!(verdict, Verdict::Unknown(reason) if reason.contains("stopped")));
}
