//! The command `fences` for programs that start at `main`: what it finds suffices, nothing in it is superfluous, and no
//! choice is cheaper, by trying all of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use program::{Verdict, verify};

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include \"lsl_protos.h\"\n\
    static int x, y, one, two;\nstatic atomic_int p, q, turn;\n";
const MAIN: &str = "int main(void)\n{\n    pthread_t t, u;\n    pthread_create(&t, 0, f, 0);\n    pthread_create(&u, 0, g, 0);\n\
    \x20   pthread_join(t, 0);\n    pthread_join(u, 0);\n    assert(CLAIM);\n    return 0;\n}\n";

/// A program with two threads.
fn text(f: &[&str], g: &[&str], claim: &str) -> String {
    let thread = |name: &str, lines: &[&str]| {
        format!("static void *{name}(void *a)\n{{\n    {}\n    return 0;\n}}\n", lines.join("\n    "))
    };
    format!("{HEAD}{}{}{}", thread("f", f), thread("g", g), MAIN.replace("CLAIM", claim))
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// Runs the command on a program.
fn fences(name: &str, text: &str, arguments: &[&str]) -> Output {
    let folder = folder("fences_whole");
    std::fs::write(folder.join(format!("{name}.c")), text).expect("the file can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(folder).args(["fences", &format!("{name}.c")]).args(arguments).stdin(Stdio::null());
    command.output().expect("the binary runs")
}

/// What it prints when it finds a set.
fn found(name: &str, text: &str, arguments: &[&str]) -> String {
    let output = fences(name, text, arguments);
    let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{printed}{errors}\n{text}");
    printed.into_owned()
}

/// The members of the set, as `line kind`.
fn members(printed: &str) -> Vec<String> {
    let lines = printed.lines().filter_map(|line| line.strip_prefix("  "));
    let lines = lines.filter_map(|line| line.split_once(".c:")?.1.split_once(": "));
    lines.filter_map(|(line, rest)| Some(format!("{line} {}", rest.split_once(',')?.0))).collect()
}

/// The cost of the set; 0 if nothing is needed.
fn cost(printed: &str) -> u32 {
    let number = printed.split_once("(cost ").and_then(|(_, rest)| rest.split_once(')')).map(|(number, _)| number);
    number.map_or(0, |number| number.parse().expect("a number"))
}

/// Whether a program holds under a model, checked on its own.
fn holds(text: &str, model: &str) -> bool {
    let unit =
        frontend::c::load("test.c", text, &mut |_, _| None, &[]).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    let program = verify(unit.program().expect("a program")).expect("lawful");
    let options = axiomatic::Options::default();
    let checked = axiomatic::whole::check(&program, &testing::model(model), 24, &options, &mut |_| {});
    match checked.expect("supported").outcome.verdict {
        Verdict::Holds => true,
        Verdict::Violated => false,
        other => panic!("{other:?}\n{text}"),
    }
}

/// The patch at the end of an answer, applied strictly.
fn patched(old: &str, answer: &str) -> String {
    let Some(start) = answer.find("--- a/") else { return old.into() };
    let old: Vec<&str> = old.lines().collect();
    let (mut new, mut at) = (Vec::new(), 0);
    for line in answer[start..].lines().skip(2) {
        if let Some(header) = line.strip_prefix("@@ -") {
            let first: usize = header.split(',').next().and_then(|n| n.parse().ok()).expect("a line number");
            new.extend_from_slice(&old[at..first - 1]);
            at = first - 1;
        } else if let Some(added) = line.strip_prefix('+') {
            new.push(added);
        } else {
            assert_eq!(old[at], &line[1..], "the patch does not fit");
            if line.starts_with(' ') {
                new.push(old[at]);
            }
            at += 1;
        }
    }
    new.extend_from_slice(&old[at..]);
    new.join("\n") + "\n"
}

/// All ways to pick one of some choices for each of so many places, with their cost.
fn ways<'a>(choices: &[&[(&'a str, u32)]]) -> Vec<(Vec<&'a str>, u32)> {
    let mut ways = vec![(Vec::new(), 0)];
    for choices in choices {
        let longer = |(taken, cost): &(Vec<&'a str>, u32)| {
            let more = |&(choice, more): &(&'a str, u32)| ([taken.as_slice(), &[choice]].concat(), cost + more);
            choices.iter().map(more).collect::<Vec<_>>()
        };
        ways = ways.iter().flat_map(longer).collect();
    }
    ways
}

/// The program with these texts in the places `@0`, `@1` and so on.
fn filled(text: &str, taken: &[&str]) -> String {
    taken.iter().enumerate().fold(text.to_string(), |text, (place, what)| text.replace(&format!("@{place}"), what))
}

/// The least cost of what makes the program hold, by trying everything, cheapest first.
fn least(text: &str, choices: &[&[(&str, u32)]], model: &str) -> Option<u32> {
    let mut ways = ways(choices);
    ways.sort_by_key(|(_, cost)| *cost);
    ways.iter().find(|(taken, _)| holds(&filled(text, taken), model)).map(|(_, cost)| *cost)
}

const FENCES: &[(&str, u32)] = &[
    ("", 0),
    ("lsl_fence(\"load-load\");", 2),
    ("lsl_fence(\"store-store\");", 2),
    ("lsl_fence(\"load-store\");", 2),
    ("lsl_fence(\"store-load\");", 4),
];

#[test]
fn fences_are_the_cheapest_by_brute_force() {
    let cases = [
        ("buffers", text(&["x = 1;", "@0", "one = y;"], &["y = 1;", "@1", "two = x;"], "one || two"), 2),
        ("message", text(&["x = 1;", "@0", "y = 1;"], &["one = y;", "@1", "two = x;"], "!one || two"), 2),
        ("loads", text(&["one = x;", "@0", "y = 1;"], &["two = y;", "@1", "x = 1;"], "!one || !two"), 2),
        ("nothing", text(&["x = 1;", "@0"], &["one = x;", "@1"], "one <= 1"), 2),
    ];
    for (name, text, places) in cases {
        let bare = filled(&text, &vec![""; places]);
        let printed = found(name, &bare, &["--model", "relaxed"]);
        let least = least(&text, &vec![FENCES; places], "relaxed.cat");
        assert_eq!(Some(cost(&printed)), least, "{name}\n{printed}");
        assert!(holds(&patched(&bare, &printed), "relaxed.cat"), "{name}\n{printed}");
    }
}

const OF_STORES: &[(&str, u32)] =
    &[("memory_order_relaxed", 0), ("memory_order_release", 2), ("memory_order_seq_cst", 8)];
const OF_LOADS: &[(&str, u32)] =
    &[("memory_order_relaxed", 0), ("memory_order_acquire", 2), ("memory_order_seq_cst", 8)];

fn put(cell: &str, value: &str, place: usize) -> String {
    format!("atomic_store_explicit(&{cell}, {value}, @{place});")
}

fn get(target: &str, cell: &str, place: usize) -> String {
    format!("{target} = atomic_load_explicit(&{cell}, @{place});")
}

#[test]
fn orders_are_the_weakest_by_brute_force() {
    let buffers =
        text(&[&put("p", "1", 0), &get("one", "q", 1)], &[&put("q", "1", 2), &get("two", "p", 3)], "one || two");
    let message = text(&["x = 1;", &put("p", "1", 0)], &[&get("one", "p", 1), "two = one ? x : 1;"], "two == 1");
    // Nothing is asserted: what is wrong without the orders is the race alone.
    let race = text(&["x = 1;", &put("p", "1", 0)], &[&get("one", "p", 1), "if (one) {", "    two = x;", "}"], "1");
    let waits = text(
        &["x = 1;", &put("p", "1", 0)],
        &["while (atomic_load_explicit(&p, @1) == 0) {", "}", "two = x;"],
        "two == 1",
    );
    let both: &[&[(&str, u32)]] = &[OF_STORES, OF_LOADS, OF_STORES, OF_LOADS];
    let cases = [
        ("buffers_o", buffers, both),
        ("message_o", message, &both[..2]),
        ("race_o", race, &both[..2]),
        ("waits_o", waits, &both[..2]),
    ];
    for (name, text, choices) in cases {
        let strong = filled(&text, &vec!["memory_order_seq_cst"; choices.len()]);
        let printed = found(name, &strong, &["--orders"]);
        assert_eq!(Some(cost(&printed)), least(&text, choices, "rc11.cat"), "{name}\n{printed}");
        assert!(holds(&patched(&strong, &printed), "rc11.cat"), "{name}\n{printed}");
    }
}

/// Without any one of its orders the patched program fails.
fn no_order_is_superfluous(new: &str, model: &str) {
    let is_stronger = |word: &&str| *word != "memory_order_relaxed";
    let words: Vec<usize> = new.match_indices("memory_order_").map(|(at, _)| at).collect();
    for at in words {
        let end = at + new[at..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
        if is_stronger(&&new[at..end]) {
            let weaker = format!("{}memory_order_relaxed{}", &new[..at], &new[end..]);
            assert!(!holds(&weaker, model), "superfluous:\n{weaker}");
        }
    }
}

#[test]
fn orders_of_mutual_exclusion_suffice_and_are_all_needed() {
    let peterson = |me: &str, other: &str, turn: &str| {
        [
            format!("atomic_store_explicit(&{me}, 1, memory_order_seq_cst);"),
            format!("atomic_store_explicit(&turn, {turn}, memory_order_seq_cst);"),
            format!("if (!atomic_load_explicit(&{other}, memory_order_seq_cst) ||"),
            format!("    atomic_load_explicit(&turn, memory_order_seq_cst) != {turn}) {{"),
            "    x = x + 1;".to_string(),
            "    ONE = 1;".to_string(),
            "}".to_string(),
        ]
    };
    let named = |lines: [String; 7], own: &str| lines.map(|line| line.replace("ONE", own));
    let (f, g) = (named(peterson("p", "q", "1"), "one"), named(peterson("q", "p", "0"), "two"));
    let lines = |lines: &[String; 7]| lines.iter().map(String::as_str).map(String::from).collect::<Vec<_>>();
    let (f, g) = (lines(&f), lines(&g));
    let f: Vec<&str> = f.iter().map(String::as_str).collect();
    let g: Vec<&str> = g.iter().map(String::as_str).collect();
    let strong = text(&f, &g, "!(one && two)");
    let printed = found("peterson", &strong, &["--orders"]);
    let new = patched(&strong, &printed);
    assert!(holds(&new, "rc11.cat"), "{printed}");
    assert!(!members(&printed).is_empty());
    no_order_is_superfluous(&new, "rc11.cat");
    let seqlock = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/c/seqlock.c"));
    let seqlock = seqlock.expect("the program").replace("memory_order_relaxed", "memory_order_seq_cst");
    let printed = found("seqlock", &seqlock, &["--orders"]);
    let new = patched(&seqlock, &printed);
    assert!(holds(&new, "rc11.cat"), "{printed}");
    no_order_is_superfluous(&new, "rc11.cat");
}

#[test]
fn a_fence_stands_behind_a_loop_that_waits_and_not_in_it() {
    let program = text(&["x = 1;", "y = 1;"], &["while (y == 0) {", "}", "two = x;"], "two == 1");
    let printed = found("waiting", &program, &["--model", "relaxed"]);
    assert_eq!(members(&printed), ["10 store-store", "17 load-load"], "{printed}");
    assert!(holds(&patched(&program, &printed), "relaxed.cat"));
}

#[test]
fn the_orders_of_locks_are_not_the_users() {
    let program =
        text(&["x = 1;"], &["one = x;"], "1").replace("static int x", "static pthread_mutex_t m;\nstatic int x");
    let program = program.replace("x = 1;", "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);");
    let program = program.replace("one = x;", "pthread_mutex_lock(&m); one = x; pthread_mutex_unlock(&m);");
    let output = fences("locks", &program, &["--orders"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no atomic access"));
}

#[test]
fn what_no_fence_mends_is_shown_with_the_threads_of_the_program() {
    let program = text(&["x = x + 1;"], &["x = x + 1;"], "x == 2");
    let output = fences("hopeless", &program, &["--model", "relaxed"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("no set of fences suffices: main fails with all of them"), "{printed}");
    assert!(printed.contains("x == 2"), "{printed}");
    let output = fences("no_main", "int x; void f(void) { x = 1; }\n", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no function `main`"));
}
