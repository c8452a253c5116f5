//! Indexes that are computed from what was loaded, from counters or from any number; and loops with many iterations: the models
//! come to the verdict of the machine, or say that they do not know.

use axiomatic::whole;
use operational::Machine;
use program::{Verdict, Verified, verify};
use testing::campaign::{self, Tally};
use testing::random::Random;

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
    int __VERIFIER_nondet_int(void);\n\
    static int a[40], b[100], i, j;\nstatic atomic_int n;\n";

fn load(first: &str, second: &str, last: &str) -> Verified {
    let text = format!(
        "{HEAD}static void *f(void *p) {{ {first} return 0; }}\nstatic void *g(void *p) {{ {second} return 0; }}\n\
         int main(void) {{ pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); {last} return 0; }}\n"
    );
    let unit = frontend::c::load("test.c", &text, &mut |_, _| None, &[]);
    let program = unit.and_then(|unit| unit.program()).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    verify(program).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
}

fn modelled(program: &Verified, most_iterations: u32) -> Verdict {
    let options = axiomatic::Options::default();
    let checked = whole::check(program, &testing::model("sc.cat"), most_iterations, &options, &mut |_| {});
    checked.unwrap_or_else(|what| panic!("{what:?}")).outcome.verdict
}

fn searched(program: &Verified) -> Verdict {
    let answer = operational::check(program, Machine::Sc, &operational::Options::default());
    answer.unwrap_or_else(|what| panic!("{what:?}")).outcome.verdict
}

#[test]
fn an_index_may_be_what_was_counted() {
    let count = "for (int k = 0; k < 3; k++) a[atomic_fetch_add(&n, 1)] = 1;";
    let all = "int s = 0; for (int k = 0; k < 6; k++) s += a[k]; assert(s == 6);";
    let program = load(count, count, all);
    assert_eq!((modelled(&program, 24), searched(&program)), (Verdict::Holds, Verdict::Holds));
    let program = load("for (int k = 0; k < 3; k++) { a[i] = 1; i = i + 1; }", "a[i] = 1; i++;", "assert(a[3] == 1);");
    assert_eq!((modelled(&program, 24), searched(&program)), (Verdict::Violated, Verdict::Violated));
}

#[test]
fn an_index_may_be_any_number_within_what_is_asked() {
    let any = "int k = __VERIFIER_nondet_int();";
    let holds = load(&format!("{any} if (k >= 0 && k < 8) {{ a[k] = 1; assert(a[k] == 1); }}"), "", "");
    assert_eq!(modelled(&holds, 24), Verdict::Holds);
    let fails = load(&format!("{any} if (k >= 0 && k < 8) a[k] = 1;"), "", "assert(a[5] == 0);");
    assert_eq!(modelled(&fails, 24), Verdict::Violated);
    let outside = load(&format!("{any} a[k] = 1;"), "", "");
    assert_eq!(modelled(&outside, 24), Verdict::Violated);
    let unknown = load(&format!("{any} if (k >= 0 && k < 100) b[k] = 1;"), "", "assert(b[5] == 0 || b[5] == 1);");
    match modelled(&unknown, 24) {
        Verdict::Unknown(reason) => assert!(reason.contains("from 0 to 63"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn how_many_iterations_are_tried_can_be_said() {
    let program = load("for (int k = 0; k < i; k++) j = k;", "i = 30;", "assert(j < 30);");
    assert_eq!((modelled(&program, 40), searched(&program)), (Verdict::Holds, Verdict::Holds));
    match modelled(&program, 24) {
        Verdict::Unknown(reason) => assert!(reason.contains("more iterations than are tried"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

/// A few statements in which indexes are computed.
fn statements(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(3) {
        text += match random.below(9) {
            0 => "i = i + 1; ",
            1 => "a[i] = 2; ",
            2 => "j = a[i]; ",
            3 => "a[a[j]] = 1; ",
            4 => "a[atomic_fetch_add(&n, 1)] = 3; ",
            5 => "if (i > 1) i = 0; else i += 2; ",
            6 => "a[i + j] = i; ",
            7 => "j = (i * 5 + 1) % 4; ",
            _ => "for (int k = 0; k < 2; k++) a[j + k] = j + 1; ",
        };
    }
    text
}

/// The model sc and the machine sc have the same verdict, where both have one.
fn compare(random: &mut Random, tally: &mut Tally) {
    let (first, second) = (statements(random), statements(random));
    let last = format!("assert(a[{}] != {});", random.below(4), 1 + random.below(3));
    let program = load(&first, &second, &last);
    let (modelled, searched) = (modelled(&program, 24), searched(&program));
    let [model_knows, search_knows] = [&modelled, &searched].map(|verdict| !matches!(verdict, Verdict::Unknown(_)));
    let agree = !model_knows || !search_knows || modelled == searched;
    assert!(agree, "{modelled:?}, {searched:?}\n{first}\n{second}\n{last}");
    tally.count_if(model_knows, "model");
    tally.count_if(search_knows, "search");
    tally.count_if(model_knows && search_knows, "decided by all");
    tally.count_if(searched == Verdict::Violated, "failing");
}

#[test]
fn computed_indexes_have_the_verdict_of_the_machine() {
    let tally = campaign::run(1, 30, compare);
    assert!(tally.of("decided by all") > 25, "{tally:?}");
}

/// `SEED` and `TIMES` say which programs.
#[test]
#[ignore = "long"]
fn computed_indexes_have_the_verdict_of_the_machine_in_many_programs() {
    let (first, times) = campaign::asked(2_500);
    campaign::run(first, times, compare);
}
