//! Random programs in C whose threads share atomic variables, arrays, members of structs, locks and a stack.

use std::fmt::Write;

use super::random::Random;

fn of<'a>(random: &mut Random, list: &[&'a str]) -> &'a str {
    list[random.below(list.len() as u64) as usize]
}

fn order(random: &mut Random, list: &[&str]) -> String {
    format!("memory_order_{}", of(random, list))
}

const LOADS: [&str; 4] = ["relaxed", "acquire", "seq_cst", "relaxed"];
const STORES: [&str; 4] = ["relaxed", "release", "seq_cst", "relaxed"];
const UPDATES: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
const FENCES: [&str; 4] = ["acquire", "release", "acq_rel", "seq_cst"];

/// An atomic location: a variable, a member of a struct, an entry of an array by a constant or by what was read.
fn place<'a>(random: &mut Random) -> &'a str {
    of(random, &["x", "x", "y", "y", "s.low", "a[0]", "a[1]", "a[r & 1]"])
}

/// A statement of a thread; `r` is what it read last, `e` what a compare-exchange expects.
fn statement(random: &mut Random, depth: u32) -> String {
    let at = place(random);
    let (load, store) = (order(random, &LOADS), order(random, &STORES));
    let (update, failure) = (order(random, &UPDATES), order(random, &["relaxed", "acquire", "relaxed"]));
    let value = 1 + random.below(2);
    let expected = random.below(2);
    let weak = of(random, &["strong", "weak"]);
    match random.below(35) {
        0..=4 => format!("r = atomic_load_explicit(&{at}, {load});"),
        5..=8 => format!("atomic_store_explicit(&{at}, {value}, {store});"),
        9 => format!("atomic_store_explicit(&{at}, r + 1, {store});"),
        10 | 11 => format!("r = atomic_fetch_add_explicit(&{at}, 1, {update});"),
        12 => format!("r = atomic_exchange_explicit(&{at}, {value}, {update});"),
        13 => format!("r = atomic_fetch_or_explicit(&{at}, {value}, {update});"),
        14 | 15 => format!(
            "e = {expected}; r = atomic_compare_exchange_{weak}_explicit(&{at}, &e, {}, {update}, {failure});",
            value + 1
        ),
        16 => format!("e = r; atomic_compare_exchange_{weak}_explicit(&{at}, &e, e + 1, {update}, {failure}); r = e;"),
        17 | 18 => format!("atomic_thread_fence({});", order(random, &FENCES)),
        19 => of(random, &["z = 1;", "r = z;", "z = z + 1;"]).to_string(),
        20 if depth < 1 => format!("if (r == {expected}) {{ {} }}", statement(random, depth + 1)),
        21 if depth < 1 => {
            format!("for (int i = 0; i < 2; i++) {{ {} }}", statement(random, depth + 1).replace("a[r & 1]", "a[i]"))
        }
        22 | 23 => format!("while (atomic_load_explicit(&{at}, {load}) == {expected}) ;"),
        24 => format!(
            "do e = atomic_load_explicit(&{at}, {load}); while (!atomic_compare_exchange_{weak}_explicit(&{at}, &e, e + 1, \
             {update}, {failure}));"
        ),
        25 | 26 => format!(
            "e = atomic_load_explicit(&{at}, {load}); while (!atomic_compare_exchange_{weak}_explicit(&{at}, &e, e + 1, \
             {update}, {failure})) ; r = e;"
        ),
        27 => format!(
            "while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) ; z = z + {value}; \
             atomic_store_explicit(&lock, 0, {store});"
        ),
        28 => format!(
            "e = 0; while (!atomic_compare_exchange_{weak}_explicit(&lock, &e, 1, memory_order_acquire, {failure})) e = 0; \
             z = z + 1; atomic_store_explicit(&lock, 0, memory_order_release);"
        ),
        29 => "pthread_mutex_lock(&m); z = z + 1; pthread_mutex_unlock(&m);".into(),
        30 => "if (!pthread_mutex_trylock(&m)) { z = z + 2; pthread_mutex_unlock(&m); }".into(),
        31 => {
            let push = order(random, &["release", "release", "relaxed", "acq_rel"]);
            format!(
                "struct node *n = malloc(sizeof(struct node)); struct node *t = atomic_load_explicit(&top, {load}); \
                 do {{ n->next = t; }} while (!atomic_compare_exchange_{weak}_explicit(&top, &t, n, {push}, {failure}));"
            )
        }
        32 => {
            let pop = order(random, &["acquire", "acquire", "relaxed", "acq_rel"]);
            format!(
                "struct node *h; do {{ h = atomic_load_explicit(&top, {pop}); if (!h) break; }} while \
                 (!atomic_compare_exchange_{weak}_explicit(&top, &h, h->next, {pop}, {failure}));"
            )
        }
        33 => {
            let push = order(random, &["release", "release", "relaxed"]);
            format!(
                "struct node *n = &own[(long)p]; struct node *t = atomic_load_explicit(&top, {load}); \
                 do {{ n->next = t; }} while (!atomic_compare_exchange_{weak}_explicit(&top, &t, n, {push}, {failure}));"
            )
        }
        _ => format!("atomic_fetch_sub_explicit(&{at}, 1, {update});"),
    }
}

/// A statement that competes with others for two words: locks of several kinds, single tries, and what decides who comes.
fn rival(random: &mut Random, depth: u32) -> String {
    let word = of(random, &["x", "y"]);
    let expected = random.below(2);
    match random.below(14) {
        0..=2 => format!(
            "while (atomic_exchange_explicit(&{word}, 1, memory_order_acquire)) ; {} \
             atomic_store_explicit(&{word}, 0, memory_order_release);",
            inside(random)
        ),
        3 => format!(
            "e = 0; while (!atomic_compare_exchange_strong_explicit(&{word}, &e, 1, memory_order_acquire, memory_order_relaxed)) \
             e = 0; {} atomic_store_explicit(&{word}, 0, memory_order_release);",
            inside(random)
        ),
        4 => format!(
            "e = 0; if (atomic_compare_exchange_strong_explicit(&{word}, &e, 1, memory_order_acquire, memory_order_relaxed)) \
             {{ {} atomic_store_explicit(&{word}, 0, memory_order_release); }}",
            inside(random)
        ),
        5 => format!("pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m);", inside(random)),
        6 => format!("if (!pthread_mutex_trylock(&m)) {{ {} pthread_mutex_unlock(&m); }}", inside(random)),
        7 => format!("r = atomic_exchange_explicit(&{word}, {expected}, memory_order_acq_rel);"),
        8 => format!("r = atomic_fetch_add_explicit(&{word}, 1, memory_order_relaxed);"),
        9 => format!("atomic_store_explicit(&{word}, {expected}, memory_order_release);"),
        10 => format!("while (atomic_load_explicit(&{word}, memory_order_acquire) == {expected}) ;"),
        11 => "r = atomic_load_explicit(&s.low, memory_order_relaxed);".into(),
        12 if depth < 1 => format!(
            "if (atomic_load_explicit(&s.low, memory_order_relaxed) == {expected}) {{ {} }}",
            rival(random, depth + 1)
        ),
        _ => format!("r = atomic_load_explicit(&{word}, memory_order_acquire);"),
    }
}

/// What is done under a lock.
fn inside(random: &mut Random) -> &'static str {
    of(
        random,
        &[
            "",
            "atomic_store_explicit(&s.low, 1, memory_order_relaxed);",
            "r = atomic_load_explicit(&s.low, memory_order_relaxed);",
            "atomic_store_explicit(&s.low, atomic_load_explicit(&s.low, memory_order_relaxed) + 1, memory_order_relaxed);",
        ],
    )
}

/// A program in C whose threads compete for locks.
pub fn rivals(random: &mut Random) -> String {
    program(random, rival)
}

/// A statement of threads that write plain variables before each try to publish something, and read what others have published.
fn retrying(random: &mut Random, _: u32) -> String {
    let (first, again) =
        (order(random, &["relaxed", "relaxed", "acquire"]), order(random, &["relaxed", "relaxed", "acquire"]));
    let update = order(random, &["release", "release", "relaxed", "acq_rel"]);
    let weak = of(random, &["strong", "strong", "weak"]);
    let fence = of(
        random,
        &["", "", "", "atomic_thread_fence(memory_order_release);", "atomic_thread_fence(memory_order_acquire);"],
    );
    let expected = random.below(2);
    let node = of(random, &["&own[(long)p]", "malloc(sizeof(struct node))"]);
    match random.below(13) {
        12 => format!("z = {expected}; r = z; r = r + z;"),
        // What is expected is kept where a failed try writes what it found.
        9 | 10 => format!(
            "struct node *n = {node}; n->next = atomic_load_explicit(&top, {first}); \
             while (!atomic_compare_exchange_{weak}_explicit(&top, &n->next, n, {update}, {again})) {{ {fence} }}"
        ),
        11 => format!(
            "struct node *n = malloc(sizeof(struct node)); n->next = NULL; \
             while (!atomic_compare_exchange_{weak}_explicit(&top, &n->next, n, {update}, {again})) n->next = NULL;"
        ),
        0..=2 => format!(
            "struct node *n = &own[(long)p]; struct node *t = atomic_load_explicit(&top, {first}); do {{ n->next = t; {fence} }} \
             while (!atomic_compare_exchange_{weak}_explicit(&top, &t, n, {update}, {again}));"
        ),
        3 | 4 => format!(
            "e = atomic_load_explicit(&x, {first}); do {{ out[(long)p] = e; z = e; {fence} }} \
             while (!atomic_compare_exchange_{weak}_explicit(&x, &e, e + 1, {update}, {again})); r = e;"
        ),
        5 => format!("struct node *t = atomic_load_explicit(&top, {again}); if (t && t->next) r = 1;"),
        6 => format!("if (atomic_load_explicit(&x, {again}) == {expected}) r = z;"),
        7 => format!("atomic_store_explicit(&x, {expected}, memory_order_release);"),
        _ => "if (atomic_load_explicit(&x, memory_order_acquire) == 0) z = 2;".into(),
    }
}

/// A program in C whose threads retry to publish what plain variables hold.
pub fn retries(random: &mut Random) -> String {
    program(random, retrying)
}

/// A statement as of a programmer who uses locks and seq_cst accesses alone, but for a slip now and then.
fn disciplined_statement(random: &mut Random, depth: u32) -> String {
    let at = place(random);
    let (value, expected) = (1 + random.below(2), random.below(2));
    match random.below(20) {
        0..=2 => format!("r = {at};"),
        3..=5 => format!("{at} = {value};"),
        6 => format!("r = {at}++;"),
        7 => format!("e = {expected}; r = atomic_compare_exchange_strong(&{at}, &e, {});", value + 1),
        8 | 9 => format!("pthread_mutex_lock(&m); z = z + {value}; pthread_mutex_unlock(&m);"),
        10 => "pthread_mutex_lock(&m); r = z; pthread_mutex_unlock(&m);".into(),
        11 => format!("pthread_mutex_lock(&m); if (z == {expected}) {at} = {value}; pthread_mutex_unlock(&m);"),
        12 => format!("while ({at} == {expected}) ;"),
        13 => "while (atomic_exchange(&lock, 1)) ; z = z + 1; lock = 0;".into(),
        14 if depth < 1 => format!("if (r == {expected}) {{ {} }}", disciplined_statement(random, depth + 1)),
        15 => format!("if ({at} == {value}) {{ pthread_mutex_lock(&m); r = z; pthread_mutex_unlock(&m); }}"),
        16 => of(random, &["z = 1;", "r = z;", "z = z + 1;"]).to_string(),
        17 => "if (!pthread_mutex_trylock(&m)) { z = z + 2; pthread_mutex_unlock(&m); } else r = 1;".into(),
        18 => statement(random, 1),
        _ => format!("r = {at}; if (r) z = r;"),
    }
}

/// A program in C most of whose accesses are seq_cst, or under a lock.
pub fn disciplined(random: &mut Random) -> String {
    program(random, disciplined_statement)
}

/// A program in C with two or three threads, some of them alike.
pub fn concurrent(random: &mut Random) -> String {
    program(random, statement)
}

/// A program in C with two or three threads that all do the same, and maybe another one that is started between or after them;
/// and the numbers of those that do the same.
pub fn alike(random: &mut Random) -> (String, Vec<usize>) {
    let statement: Statement = match random.below(4) {
        0 => rival,
        1 => retrying,
        _ => statement,
    };
    let count = 2 + random.below(2) as usize;
    let other = (random.below(2) == 0).then(|| random.below(count as u64 + 1) as usize);
    let longest = if count == 3 || other.is_some() { 2 } else { 3 };
    let mut text = String::from(GLOBALS);
    for body in 0..=usize::from(other.is_some()) {
        let _ = writeln!(text, "void *t{body}(void *p) {{\n    int r = 0, e = 0;");
        for _ in 0..1 + random.below(longest) {
            let _ = writeln!(text, "    {{ {} }}", statement(random, 0).replace("out[(long)p]", "out[0]"));
        }
        if random.below(4) == 0 {
            let _ = writeln!(text, "    assert(r != {});", random.below(3));
        }
        text.push_str("    return 0;\n}\n");
    }
    text.push_str("int main(void) {\n    pthread_t t[4];\n");
    let threads = count + usize::from(other.is_some());
    for thread in 0..threads {
        let body = usize::from(other == Some(thread));
        let _ = writeln!(text, "    pthread_create(&t[{thread}], 0, t{body}, 0);");
    }
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_join(t[{thread}], 0);");
    }
    let cell = of(random, &["x", "y", "s.low", "a[0]", "a[1]", "z"]);
    let _ = writeln!(text, "    assert({cell} != {});\n    return 0;\n}}", 1 + random.below(4));
    (text, (0..threads).filter(|thread| other != Some(*thread)).map(|thread| thread + 1).collect())
}

type Statement = fn(&mut Random, u32) -> String;

const GLOBALS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
    atomic_int x, y, a[2], lock;\nstruct { int pad; atomic_int low; } s;\nint z, out[3];\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstruct node { struct node *next; } own[3];\n_Atomic(struct node *) top;\n";

fn program(random: &mut Random, statement: Statement) -> String {
    let mut text = String::from(GLOBALS);
    let bodies = 1 + random.below(3);
    let count = if bodies == 1 { 2 } else { bodies };
    let longest = if count == 3 { 2 } else { 3 };
    for body in 0..bodies {
        let _ = writeln!(text, "void *t{body}(void *p) {{\n    int r = 0, e = 0;");
        for _ in 0..1 + random.below(longest) {
            let _ = writeln!(text, "    {{ {} }}", statement(random, 0));
        }
        if random.below(4) == 0 {
            let _ = writeln!(text, "    assert(r != {});", random.below(3));
        }
        text.push_str("    out[(long)p] = r;\n    return 0;\n}\n");
    }
    text.push_str("int main(void) {\n    pthread_t t[3];\n");
    for thread in 0..count {
        let _ = writeln!(text, "    pthread_create(&t[{thread}], 0, t{}, (void *){thread});", thread % bodies);
    }
    for thread in 0..count {
        let _ = writeln!(text, "    pthread_join(t[{thread}], 0);");
    }
    let (first, second) = (random.below(count), random.below(3));
    let (one, other) = (random.below(3), random.below(3));
    let cell = of(random, &["x", "y", "s.low", "a[0]", "a[1]", "z"]);
    let _ = writeln!(text, "    assert(!(out[{first}] == {one} && out[{}] == {other}));", second % count);
    let _ = writeln!(text, "    assert({cell} != {});\n    return 0;\n}}", 1 + random.below(4));
    text
}
