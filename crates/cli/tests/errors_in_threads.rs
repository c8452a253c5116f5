//! Programs and bounded tests whose threads run into errors (null pointers, failing assertions, divisions by 0, double
//! frees), race, wait for ever and are not joined: all engines come to the same verdict.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axiomatic::whole;
use mcr::graphs::{self, share::Single};
use mcr::histories::explore::{Alone, Budget};
use operational::{Limits, Machine, Rules};
use program::{Failure, FailureKind, Outcome, Verdict, Verified, verify};
use testing::campaign::{self, Tally};
use testing::random::Random;

const MACHINES: [(Machine, &str); 3] = [(Machine::Sc, "sc.cat"), (Machine::Tso, "tso.cat"), (Machine::Pso, "pso.cat")];

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n\
    #include <stdlib.h>\n\
    struct node { int value; atomic_int count; struct node *next; };\n\
    static struct node second = { 2, 0, 0 }, first = { 1, 0, &second };\n\
    static _Atomic(struct node *) p = &first, q, h;\n\
    static atomic_int x, y, never;\nstatic int data, other, r1, r2, r3;\nstatic sem_t s;\n\
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
    static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n";

fn load(text: &str) -> Verified {
    let text = format!("{HEAD}{text}");
    let unit = frontend::c::load("test.c", &text, &mut |_, _| None, &[]);
    let program = unit.and_then(|unit| unit.program()).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    verify(program).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
}

/// Whether the program is fine; `None` if that is not known.
fn fine(verdict: &Verdict, what: &str) -> Option<bool> {
    match verdict {
        Verdict::Holds => Some(true),
        Verdict::Violated => Some(false),
        Verdict::Unknown(_) => None,
        other => panic!("{other:?} of {what}"),
    }
}

/// Under a model, if it can say. An execution that it finds must keep the axioms.
fn modelled(program: &Verified, model: &str) -> Option<Outcome> {
    let model = testing::model(model);
    let checked = campaign::soon(|interrupt| {
        let budget = sat::Budget { interrupt, ..sat::Budget::default() };
        let options = axiomatic::Options { budget, ..axiomatic::Options::default() };
        whole::check(program, &model, 4, &options, &mut |_| {})
    });
    let outcome = checked.ok()?.outcome;
    if let (Verdict::Violated, Some(witness)) = (&outcome.verdict, &outcome.witness) {
        let broken = axiomatic::broken_axioms(witness, &model);
        assert!(broken.is_empty(), "{broken:?} of {} are broken by {witness:?}", model.name);
    }
    Some(outcome)
}

/// Enough for nearly all of these programs.
fn limits(interrupt: Arc<AtomicBool>) -> Limits {
    Limits { states: 20_000, stretch: 2_000, interrupt, ..Limits::default() }
}

fn one_for_each_class(interrupt: Arc<AtomicBool>) -> mcr::Options {
    let budget = Budget { executions: 300, ..Budget::default() };
    let limits = Limits { depth: 500, ..limits(interrupt) };
    mcr::Options { budget, limits, ..mcr::Options::default() }
}

fn searched(program: &Verified, machine: Machine) -> Option<bool> {
    let answer = campaign::soon(|interrupt| {
        let options = operational::Options { limits: limits(interrupt), ..operational::Options::default() };
        operational::check(program, machine, &options)
    });
    let verdict = answer.map(|answer| answer.outcome.verdict);
    fine(&verdict.unwrap_or_else(|what| panic!("{what:?}")), "the search")
}

fn reduced(program: &Verified, machine: Machine) -> Option<bool> {
    let answer = campaign::soon(|interrupt| mcr::check(program, machine, &one_for_each_class(interrupt)));
    let verdict = answer.map(|answer| answer.outcome.verdict);
    fine(&verdict.unwrap_or_else(|what| panic!("{what:?}")), "mcr")
}

/// By execution graphs under rc11; nothing if they do not model the program.
fn explored(program: &Verified) -> Option<bool> {
    let answer = campaign::soon(|interrupt| {
        let options = graphs::Options { limits: limits(interrupt), executions: 20_000, ..graphs::Options::default() };
        graphs::answer(program, &testing::model("rc11.cat"), &options, false, &Single)
    });
    answer.ok().and_then(|answer| fine(&answer.outcome.verdict, "execution graphs"))
}

fn pick<'a>(random: &mut Random, list: &[&'a str]) -> &'a str {
    list[random.below(list.len() as u64) as usize]
}

/// A statement of a thread that may go wrong, or make another one go wrong; `own` is a variable of its own.
fn risky(random: &mut Random, own: &str) -> String {
    let pointer = pick(random, &["p", "q"]);
    let flag = pick(random, &["x", "y"]);
    let number = 1 + random.below(2);
    match random.below(21) {
        0 => format!("{pointer} = 0;"),
        1 => format!("{pointer} = &{};", pick(random, &["first", "second"])),
        2 => format!("q = {pointer};"),
        3 => format!("if ({pointer}) {own} = {pointer}->value;"),
        4 => format!("{{ struct node *l = {pointer}; if (l) {own} = l->value; }}"),
        5 => format!("{{ struct node *l = {pointer}; if (l) p = l->next; }}"),
        6 => format!("if ({pointer}) {pointer}->count = {number};"),
        7 => format!("if ({pointer} != 0) atomic_fetch_add(&{pointer}->count, 1);"),
        8 => {
            format!("if ({pointer}) {{ int e = 0; atomic_compare_exchange_strong(&{pointer}->count, &e, {number}); }}")
        }
        9 => format!("{flag} = {number};"),
        10 => format!("{flag} = {number}; {flag} = 0;"),
        11 => format!("{own} = {flag};"),
        12 => format!("if ({flag} != 0) {own} = 6 / {flag};"),
        13 => format!("{own} = {own} + 6 % ({flag} + {});", random.below(2)),
        14 => format!("assert({flag} != {number});"),
        15 => format!("if ({flag} == {number}) assert({own} == 0);"),
        16 => format!("while ({flag} == 0) ;"),
        17 => format!("pthread_mutex_lock(&m); {own} = {pointer} ? {pointer}->value : 0; pthread_mutex_unlock(&m);"),
        18 => format!("pthread_mutex_lock(&m); {pointer} = 0; pthread_mutex_unlock(&m);"),
        19 => format!("{own} = {pointer}->value;"),
        _ => pick(random, &["free(atomic_exchange(&h, 0));", "free(h);", "if (h) { free(h); h = 0; }"]).into(),
    }
}

/// A statement of a thread that may race, or wait for ever.
fn racy(random: &mut Random, own: &str) -> String {
    let plain = pick(random, &["data", "other"]);
    let flag = pick(random, &["x", "y"]);
    let number = 1 + random.below(2);
    match random.below(33) {
        0..=3 => format!("{plain} = {number};"),
        4 | 5 => format!("{own} = {plain};"),
        6 | 7 => format!("pthread_mutex_lock(&m); {plain}++; pthread_mutex_unlock(&m);"),
        8 | 9 => format!("{plain} = {number}; {flag} = 1;"),
        10 | 11 => format!("while ({flag} == 0) ; {plain}++;"),
        12 | 13 => format!("if ({flag}) {plain} = {number};"),
        14 | 15 => "while (never == 0) ;".into(),
        16 | 17 => "sem_wait(&s);".into(),
        18 | 19 => "sem_post(&s);".into(),
        20 | 21 => "pthread_mutex_lock(&m);".into(),
        22 | 23 => format!("{flag} = {number};"),
        24..=26 => format!("assert({flag} != {number});"),
        27..=29 => format!("{own} = atomic_exchange(&{flag}, {number});"),
        30 => format!("while (1) {flag} = {number};"),
        31 => {
            format!("pthread_mutex_lock(&m); while ({plain} == 0) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);")
        }
        _ => format!("pthread_mutex_lock(&m); {plain} = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);"),
    }
}

/// A program of two or three threads; `main` joins all of them, some, or none.
fn program(random: &mut Random, statement: fn(&mut Random, &str) -> String, most: u64) -> String {
    let threads = 2 + random.below(2);
    let mut text = String::new();
    let body = |random: &mut Random, own: &str| {
        let count = 1 + random.below(if threads == 2 { most } else { 2 });
        (0..count).map(|_| format!("    {}\n", statement(random, own))).collect::<String>()
    };
    for thread in 1..=threads {
        let code = body(random, &format!("r{thread}"));
        text.push_str(&format!("static void *t{thread}(void *a)\n{{\n{code}    return 0;\n}}\n"));
    }
    let mut main = String::from("    h = malloc(sizeof(struct node));\n    sem_init(&s, 0, 0);\n    pthread_t t[4];\n");
    for thread in 1..=threads {
        main.push_str(&format!("    pthread_create(&t[{thread}], 0, t{thread}, 0);\n"));
    }
    if random.below(3) == 0 {
        main.push_str(&format!("    {}\n", statement(random, "r1")));
    }
    let joined = random.below(threads + 1);
    for thread in (1..=threads).filter(|&thread| joined == threads || thread == joined) {
        main.push_str(&format!("    pthread_join(t[{thread}], 0);\n"));
    }
    if joined == threads && random.below(2) == 0 {
        main.push_str("    assert(r1 + r2 != 3);\n");
    }
    text + &format!("int main(void)\n{{\n{main}    return 0;\n}}\n")
}

/// What the three engines say on the machines and under the models of the same names, where they know. Gives what execution graphs
/// say under rc11.
fn same_errors(text: &str, tally: &mut Tally) -> Option<bool> {
    let program = load(text);
    let mut on_sc = None;
    let mut all_know = true;
    for (machine, model) in MACHINES {
        let solved = modelled(&program, model).and_then(|outcome| fine(&outcome.verdict, model));
        let answers = [solved, searched(&program, machine), reduced(&program, machine)];
        let known: Vec<bool> = answers.into_iter().flatten().collect();
        let agree = known.windows(2).all(|pair| pair[0] == pair[1]);
        assert!(agree, "model, search and mcr say {answers:?} on {}\n{HEAD}{text}", machine.name());
        for (who, answer) in ["model", "search", "mcr"].into_iter().zip(answers) {
            tally.count_if(answer.is_some(), &format!("{who} {}", machine.name()));
        }
        all_know &= known.len() == answers.len();
        on_sc = if machine == Machine::Sc { known.first().copied() } else { on_sc };
    }
    tally.count_if(all_know, "decided by all");
    tally.count_if(on_sc == Some(false), "failing");
    let by_model = modelled(&program, "rc11.cat").and_then(|outcome| fine(&outcome.verdict, "rc11"));
    let by_graphs = explored(&program);
    tally.count_if(by_graphs.is_some(), "graphs rc11");
    let is_same = by_model.is_none() || by_graphs.is_none() || by_model == by_graphs;
    assert!(is_same, "rc11: model {by_model:?}, graphs {by_graphs:?}\n{HEAD}{text}");
    // What an interleaving shows every weaker model shows.
    let is_shown = by_model.or(by_graphs) != Some(true);
    assert!(on_sc != Some(false) || is_shown, "rc11 holds\n{HEAD}{text}");
    by_graphs
}

/// Under a C11 model a program without weak atomics is wrong just if an interleaving goes wrong or races.
/// `by_graphs` is what execution graphs say.
fn same_races(text: &str, by_graphs: Option<bool>, tally: &mut Tally) {
    let program = load(text);
    let by_search =
        campaign::soon(|interrupt| operational::races(&program, Machine::Sc, Rules::C11, &limits(interrupt)));
    let by_mcr = campaign::soon(|interrupt| {
        mcr::histories::race::races(
            &program,
            Machine::Sc,
            Rules::C11,
            &one_for_each_class(interrupt),
            &Alone::default(),
        )
    });
    let (by_search, by_mcr) = (by_search.expect("supported"), by_mcr.expect("supported").races);
    let is_racy = |races: &operational::Races| match races.incomplete {
        None => Some(!races.races.is_empty()),
        Some(_) => Some(true).filter(|_| !races.races.is_empty()),
    };
    let (racy, also) = (is_racy(&by_search), is_racy(&by_mcr));
    assert!(racy.is_none() || also.is_none() || racy == also, "races: {racy:?} and by mcr {also:?}\n{HEAD}{text}");
    tally.count_if(racy.is_some(), "races by search");
    tally.count_if(also.is_some(), "races by mcr");
    let wrong = match (racy.or(also), searched(&program, Machine::Sc)) {
        (Some(true), _) | (_, Some(false)) => true,
        (Some(false), Some(true)) => false,
        _ => return,
    };
    let mut all_know = true;
    for model in ["rc11.cat", "c11.cat"] {
        let outcome = modelled(&program, model);
        let found = outcome.as_ref().and_then(|outcome| fine(&outcome.verdict, model));
        all_know &= found.is_some();
        let (Some(outcome), Some(found)) = (outcome, found) else { continue };
        tally.count(model);
        assert_eq!(!found, wrong, "{model}: {:?}, races: {racy:?} {also:?}\n{HEAD}{text}", outcome.failure);
    }
    assert!(
        by_graphs.is_none_or(|fine| fine != wrong),
        "graphs: {by_graphs:?}, races: {racy:?} {also:?}\n{HEAD}{text}"
    );
    tally.count_if(all_know && racy.is_some() && also.is_some(), "races decided by all");
    tally.count_if(racy.or(also) == Some(true), "racing");
}

fn errors(random: &mut Random, tally: &mut Tally) {
    same_errors(&program(random, risky, 3), tally);
}

fn races(random: &mut Random, tally: &mut Tally) {
    let text = program(random, racy, 2);
    let by_graphs = same_errors(&text, tally);
    same_races(&text, by_graphs, tally);
}

#[test]
fn all_engines_find_the_errors_of_threads() {
    let tally = campaign::run(1, 40, errors);
    assert!(tally.of("decided by all") > 30 && tally.of("graphs rc11") > 20, "{tally:?}");
}

#[test]
fn all_engines_find_the_races_of_threads_that_wait() {
    let tally = campaign::run(1, 25, races);
    assert!(tally.of("decided by all") > 10 && tally.of("races decided by all") > 10, "{tally:?}");
    assert!(tally.of("graphs rc11") > 10, "{tally:?}");
}

#[test]
fn all_engines_find_the_errors_of_operations() {
    let tally = campaign::run(1, 12, operations);
    assert!(tally.of("decided by all") > 10, "{tally:?}");
}

#[test]
fn a_deadlock_near_the_start_is_found_beside_a_loop_without_end() {
    let locks = |first: &str, second: &str| {
        format!(
            "pthread_mutex_lock(&{first}); pthread_mutex_lock(&{second}); r1++; \
             pthread_mutex_unlock(&{second}); pthread_mutex_unlock(&{first});"
        )
    };
    let text = format!(
        "static void *one(void *a) {{ for (;;) {{ {} }} return 0; }}\nstatic void *two(void *a) {{ {} return 0; }}\n{JOINED}",
        locks("m", "n"),
        locks("n", "m")
    );
    for model in ["sc.cat", "pso.cat", "rc11.cat", "c11.cat"] {
        assert_eq!(failure(&text, model).kind, FailureKind::Deadlock, "under {model}");
    }
}

/// `SEED=7 TIMES=2000 cargo test -p palisade-cli --test errors_in_threads -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn all_engines_find_the_errors_of_threads_in_many_programs() {
    let (first, times) = campaign::asked(2_500);
    campaign::run(first, times, errors);
}

/// `SEED=7 TIMES=2000 cargo test -p palisade-cli --test errors_in_threads -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn all_engines_find_the_races_of_threads_that_wait_in_many_programs() {
    let (first, times) = campaign::asked(2_500);
    campaign::run(first, times, races);
}

/// `SEED=7 TIMES=2000 cargo test -p palisade-cli --test errors_in_threads -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn all_engines_find_the_errors_of_operations_in_many_tests() {
    let (first, times) = campaign::asked(2_500);
    campaign::run(first, times, operations);
}

/// The verdict of the command line on a bounded test, and what goes wrong.
fn bounded(file: &Path, test: &str, engine: &str, model: &str) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.arg("check").arg(file).args(["--test", test, "--engine", engine, "--model", model, "--format", "json"]);
    let output = command.stdin(Stdio::null()).output().expect("the binary runs");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        panic!("{test} with {engine} under {model}: {}\n{text}", String::from_utf8_lossy(&output.stderr))
    });
    let part = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
    (part(&json["verdict"]), part(&json["failure"]["kind"]))
}

/// Operations of a data type that is not made for several threads; their results are what they show.
const OPERATIONS: &str = "#include <assert.h>\n\
    struct node { int value; struct node *next; };\n\
    struct node second = { 2, 0 }, first = { 1, &second };\nstruct node *top; int count;\n\
    void i(void) { top = &first; count = 2; first.next = &second; }\n";

fn operation(random: &mut Random, name: &str) -> String {
    let empty = pick(random, &["if (top == 0) return -1;", "if (!top) return -1;", "if (count == 0) return -1;", ""]);
    let body = match random.below(8) {
        0 => format!("{empty} return top->value;"),
        1 => format!("{empty} struct node *n = top; top = n->next; return n->value;"),
        2 => format!("{empty} top = top->next; count = count - 1; return 1;"),
        3 => "top = 0; count = 0; return 0;".into(),
        4 => "second.next = top; top = &second; count = count + 1; return 2;".into(),
        5 => format!("{empty} return 6 / count;"),
        6 => format!("{empty} assert(count != 0); return count;"),
        _ => format!("{empty} struct node *n = top->next; return n ? n->value : 0;"),
    };
    format!("int {name}(void) {{ {body} }}\n")
}

fn operations(random: &mut Random, tally: &mut Tally) {
    let text = format!("{OPERATIONS}{}{}", operation(random, "f"), operation(random, "g"));
    let test = pick(random, &["i(f|g)", "i(ff|g)", "i(f|g|g)", "i(fg|f)"]);
    let model = pick(random, &["sc", "tso", "pso"]);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("errors_in_threads");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let file = folder.join(format!("operations_{}_{:?}.c", std::process::id(), std::thread::current().id()));
    std::fs::write(&file, &text).expect("the file can be written");
    let solved = bounded(&file, test, "axiomatic", model);
    let mut all_know = solved.0 != "unknown";
    for engine in ["operational", "mcr"] {
        let ran = bounded(&file, test, engine, model);
        let open = ran.0 == "unknown" || solved.0 == "unknown";
        assert!(open || ran.0 == solved.0, "{test} under {model}: {engine} says {ran:?}, axiomatic {solved:?}\n{text}");
        tally.count_if(!open, engine);
        all_know &= !open;
    }
    tally.count_if(all_know, "decided by all");
    tally.count_if(solved.0 == "violated", "failing");
    // Campaigns that run side by side have files of their own, which nobody needs afterwards.
    std::fs::remove_file(&file).expect("the file is there");
}

#[track_caller]
fn failure(text: &str, model: &str) -> Failure {
    let outcome = modelled(&load(text), model).expect("supported");
    outcome.failure.unwrap_or_else(|| panic!("{:?} under {model}\n{text}", outcome.verdict))
}

const UNJOINED: &str =
    "int main(void) { pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0); }\n";
const JOINED: &str = "int main(void) { pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);\n\
    pthread_join(a, 0); pthread_join(b, 0); }\n";

#[test]
fn an_access_through_null_is_found_where_there_is_one_write_to_see() {
    let uses = [
        "if (p != 0) r1 = p->value;",
        "struct node *l = p; r1 = l->value;",
        "if (p) atomic_fetch_add(&p->count, 1);",
        "if (p) r1 = atomic_load(&p->count);",
        "if (p) r1 = atomic_exchange(&p->count, 1);",
        "if (p) { int e = 5; atomic_compare_exchange_strong(&p->count, &e, 1); }",
        "if (p) p->count = 1;",
        "if (p) r1 = p->next->value;",
    ];
    for used in uses {
        let text = format!(
            "static void *one(void *a) {{ p = 0; return 0; }}\nstatic void *two(void *a) {{ {used} return 0; }}\n{JOINED}"
        );
        for model in ["sc.cat", "tso.cat", "pso.cat", "relaxed.cat", "rc11.cat", "c11.cat"] {
            assert_eq!(failure(&text, model).kind, FailureKind::Error, "{used} under {model}");
        }
        let mut tally = Tally::default();
        same_errors(&text, &mut tally);
        assert_eq!(tally.of("decided by all"), 1, "{used}");
    }
}

/// What such a load gives is undefined, and whoever must see where it was stored goes on with that.
#[test]
fn an_access_that_goes_through_null_in_every_execution_is_found() {
    for used in
        ["r1 = q->value;", "r1 = q->next->value;", "r1 = atomic_load(&q->count);", "struct node *l = 0; r1 = l->value;"]
    {
        for look in ["if (r1 > 100) y = 3;", "assert(r1 < 100);", "r2 = r1; assert(r2 == 0);", ""] {
            let joined = JOINED.replace("pthread_join(b, 0);", &format!("pthread_join(b, 0); {look}"));
            let text = format!(
                "static void *one(void *a) {{ x = 1; return 0; }}\nstatic void *two(void *a) {{ {used} return 0; }}\n{joined}"
            );
            for model in ["sc.cat", "rc11.cat"] {
                assert_eq!(failure(&text, model).kind, FailureKind::Error, "{used} {look} under {model}");
            }
        }
    }
}

#[test]
fn a_race_is_one_although_a_thread_then_waits_for_ever() {
    let waits = [
        "while (never == 0) ;",
        "sem_wait(&s);",
        "pthread_mutex_lock(&m); pthread_mutex_lock(&m);",
        "pthread_mutex_lock(&m); while (other == 0) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
        "while (never == 0) y = r1++;",
        "while (1) y = 1;",
        "for (;;) { r1 = y; if (r1 == 7) break; }",
    ];
    for wait in waits {
        let text = format!(
            "static void *one(void *a) {{ data = 1; {wait} return 0; }}\n\
             static void *two(void *a) {{ data = 2; return 0; }}\n{UNJOINED}"
        );
        for model in ["rc11.cat", "c11.cat"] {
            let failure = failure(&text, model);
            assert!(failure.message.contains("a data race on data"), "{wait} under {model}: {failure:?}");
        }
        // What is ordered does not race, whoever waits.
        let text = text.replace("data = 1;", "data = 1; x = 1;").replace("data = 2;", "if (x) data = 2;");
        for model in ["rc11.cat", "c11.cat"] {
            let outcome = modelled(&load(&text), model).expect("supported");
            assert_eq!(outcome.failure, None, "{wait} under {model}");
            assert_ne!(outcome.verdict, Verdict::Violated, "{wait} under {model}");
        }
    }
}

#[test]
fn an_error_is_one_although_another_thread_never_ends() {
    let text = |wait: &str| {
        format!(
            "static void *one(void *a) {{ x = 1; {wait} return 0; }}\n\
             static void *two(void *a) {{ assert(x == 0); return 0; }}\n{UNJOINED}"
        )
    };
    for wait in ["while (never == 0) ;", "while (1) y = 1;", "while (1) x = 1;", "while (1) y++;", "sem_wait(&s);"] {
        for model in ["sc.cat", "tso.cat", "rc11.cat", "c11.cat"] {
            assert_eq!(failure(&text(wait), model).kind, FailureKind::Assertion, "{wait} under {model}");
        }
    }
}

#[test]
fn a_program_in_which_every_execution_waits_is_not_without_executions() {
    let text = format!(
        "static void *one(void *a) {{ while (never == 0) ; return 0; }}\n\
         static void *two(void *a) {{ x = 1; return 0; }}\n{UNJOINED}"
    );
    for model in ["sc.cat", "pso.cat", "rc11.cat", "c11.cat"] {
        let outcome = modelled(&load(&text), model).expect("supported");
        let found = (outcome.verdict, outcome.vacuous, outcome.endless);
        assert_eq!(found, (Verdict::Holds, false, true), "{model}");
    }
    let ends = text.replace("never == 0", "never != 0");
    let outcome = modelled(&load(&ends), "rc11.cat").expect("supported");
    assert_eq!((outcome.verdict, outcome.vacuous, outcome.endless), (Verdict::Holds, false, false));
}

#[test]
fn a_litmus_test_that_waits_for_ever_is_not_without_executions() {
    let text = "C test\n{ }\nP0 (int *x, atomic_int *y) { *x = 1; while (atomic_load(y) == 0) ; }\n\
        P1 (int *x) { *x = 2; }\nexists (x=1)\n";
    let parsed = frontend::litmus::parse("test.litmus", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let program = verify(parsed.program).expect("a program");
    let outcome =
        axiomatic::check(&program, &testing::model("rc11.cat"), &axiomatic::Options::default()).expect("supported");
    assert_eq!((outcome.vacuous, outcome.endless), (false, true));
    assert_eq!(outcome.flags, ["data-race"]);
    let outcome =
        operational::check(&program, Machine::Sc, &operational::Options::default()).expect("supported").outcome;
    assert_eq!((outcome.vacuous, outcome.endless), (false, true));
    let outcome = mcr::check(&program, Machine::Sc, &mcr::Options::default()).expect("supported").outcome;
    assert_eq!((outcome.vacuous, outcome.endless), (false, true));
}

#[test]
fn a_stack_may_become_empty_between_a_test_and_a_load() {
    let text = format!(
        "{OPERATIONS}int peek(void) {{ if (top == 0) return -1; return top->value; }}\n\
         int pop(void) {{ struct node *n = top; top = 0; return n ? n->value : -1; }}\n"
    );
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peek.c");
    std::fs::write(&file, text).expect("the file can be written");
    for model in ["sc", "tso", "pso", "relaxed", "rc11"] {
        let found = bounded(&file, "i(peek|pop)", "axiomatic", model);
        assert_eq!(found, ("violated".into(), "error".into()), "{model}");
    }
}
