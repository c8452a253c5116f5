//! The primitives of the Linux kernel in litmus tests, under a model with a bell file: one in our own words, in the way of the
//! kernel's own (happens-before, propagation; without locks and RCU).

use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernel").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernel");
    for file in ["kernel.cfg", "kernel.bell", "kernel.cat"] {
        std::fs::copy(kept.join(file), folder.join(file)).expect("a model");
    }
    folder
}

/// A test of threads, each with its parameters and statements, and a question.
fn write(folder: &Path, threads: &[&str], question: &str) {
    let thread = |(number, text): (usize, &&str)| format!("P{number}{text}\n");
    let threads: String = threads.iter().enumerate().map(thread).collect();
    std::fs::write(folder.join("t.litmus"), format!("C t\n{{ }}\n{threads}{question}\n")).expect("a test");
}

fn palisade(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    let output = command.args(arguments).current_dir(folder).output().expect("it runs");
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (output.status.code(), said.concat())
}

const XY: &str = "(int *x, int *y)";

/// Two threads that each have `x` and `y`, the question, and what becomes of it.
const TESTS: &[(&str, &str, &str, &str)] = &[
    // Store buffering.
    ("WRITE_ONCE(*x, 1); smp_mb(); int r = READ_ONCE(*y);", SB, "0:r=0 /\\ 1:r=0", "Forbidden"),
    ("WRITE_ONCE(*x, 1); int r = READ_ONCE(*y);", SB, "0:r=0 /\\ 1:r=0", "Allowed"),
    ("WRITE_ONCE(*x, 1); smp_wmb(); int r = READ_ONCE(*y);", SB, "0:r=0 /\\ 1:r=0", "Allowed"),
    ("smp_store_mb(*x, 1); int r = READ_ONCE(*y);", SB, "0:r=0 /\\ 1:r=0", "Forbidden"),
    // A fully ordered update has fences around it; of one that acquires the write does not.
    ("int q = xchg(x, 1); int r = READ_ONCE(*y);", SB, "0:r=0 /\\ 1:r=0", "Forbidden"),
    ("int q = xchg_relaxed(x, 1); int r = READ_ONCE(*y);", SB, "0:r=0 /\\ 1:r=0", "Allowed"),
    ("int q = xchg_acquire(x, 1); int r = READ_ONCE(*y);", SB, "0:r=0 /\\ 1:r=0", "Allowed"),
    ("atomic_inc(x); smp_mb__after_atomic(); int r = READ_ONCE(*y);", SB, "0:r=0 /\\ 1:r=0", "Forbidden"),
    ("atomic_inc(x); int r = READ_ONCE(*y);", SB, "0:r=0 /\\ 1:r=0", "Allowed"),
    // Message passing.
    (
        "WRITE_ONCE(*x, 1); smp_wmb(); WRITE_ONCE(*y, 1);",
        "int q = READ_ONCE(*y); smp_rmb(); int r = READ_ONCE(*x);",
        MP,
        "Forbidden",
    ),
    (
        "WRITE_ONCE(*x, 1); smp_wmb(); WRITE_ONCE(*y, 1);",
        "int q = READ_ONCE(*y); int r = READ_ONCE(*x);",
        MP,
        "Allowed",
    ),
    (
        "WRITE_ONCE(*x, 1); smp_store_release(y, 1);",
        "int q = smp_load_acquire(y); int r = READ_ONCE(*x);",
        MP,
        "Forbidden",
    ),
    ("WRITE_ONCE(*x, 1); WRITE_ONCE(*y, 1);", "int q = smp_load_acquire(y); int r = READ_ONCE(*x);", MP, "Allowed"),
    (
        "WRITE_ONCE(*x, 1); int p = xchg_release(y, 1);",
        "int q = xchg_acquire(y, 0); int r = READ_ONCE(*x);",
        MP,
        "Forbidden",
    ),
    (
        "WRITE_ONCE(*x, 1); int p = xchg_acquire(y, 1);",
        "int q = xchg_acquire(y, 0); int r = READ_ONCE(*x);",
        MP,
        "Allowed",
    ),
    // A read of an update without a value is not ordered by smp_rmb().
    (
        "WRITE_ONCE(*x, 1); smp_wmb(); WRITE_ONCE(*y, 1);",
        "atomic_add(2, y); smp_rmb(); int r = READ_ONCE(*x);",
        "y=3 /\\ 1:r=0",
        "Allowed",
    ),
    // Load buffering.
    (
        "int q = READ_ONCE(*x); WRITE_ONCE(*y, 1);",
        "int q = READ_ONCE(*y); WRITE_ONCE(*x, 1);",
        "0:q=1 /\\ 1:q=1",
        "Allowed",
    ),
    (
        "int q = READ_ONCE(*x); WRITE_ONCE(*y, q);",
        "int q = READ_ONCE(*y); smp_store_release(x, 1);",
        "0:q=1 /\\ 1:q=1",
        "Forbidden",
    ),
    // Updates are atomic, and worth what the kernel's are worth.
    (
        "int q = atomic_add_return_relaxed(2, x);",
        "int q = atomic_sub_return(1, x);",
        "x=2 \\/ x=-1 \\/ 0:q=0 \\/ 1:q=0",
        "Forbidden",
    ),
    ("int q = cmpxchg_relaxed(x, 0, 1);", "int q = cmpxchg_acquire(x, 0, 2);", "0:q=0 /\\ 1:q=0", "Forbidden"),
    ("int q = cmpxchg_relaxed(x, 7, 1);", "", "not (x=0 /\\ 0:q=0)", "Forbidden"),
    (
        "atomic_set(x, 2); int q = atomic_dec_and_test(x);",
        "int q = atomic_read(y);",
        "not (x=1 /\\ 0:q=0)",
        "Forbidden",
    ),
];

const SB: &str = "WRITE_ONCE(*y, 1); smp_mb(); int r = READ_ONCE(*x);";
const MP: &str = "1:q=1 /\\ 1:r=0";

#[test]
fn primitives_of_the_kernel_mean_what_the_bell_file_and_the_model_say() {
    let folder = folder("tests");
    for (first, second, question, expected) in TESTS {
        let threads = [first, second].map(|body| format!("{XY} {{ {body} }}"));
        write(&folder, &[&threads[0], &threads[1]], &format!("exists ({question})"));
        let (_, said) = palisade(&folder, &["check", "t.litmus", "--model", "kernel.cfg", "--no-explain"]);
        assert!(said.contains(&format!("\n{expected}: ")), "{first} | {second}: {said}");
    }
}

#[test]
fn an_address_that_is_read_orders_what_is_behind_it() {
    let folder = folder("address");
    let text = "C t\n{ int *p=&z; z=0; u=0; }\nP0(int *u, int **p) { WRITE_ONCE(*u, 1); rcu_assign_pointer(*p, u); }\n\
                P1(int **p) { int *q = rcu_dereference(*p); int r = READ_ONCE(*q); }\nexists (1:q=u /\\ 1:r=0)\n";
    std::fs::write(folder.join("t.litmus"), text).expect("a test");
    let (_, said) = palisade(&folder, &["check", "t.litmus", "--model", "kernel.cfg", "--no-explain"]);
    assert!(said.contains("\nForbidden: "), "{said}");
}

/// Under a model that does not know their tags the primitives mean nothing; machines and execution graphs never do.
#[test]
fn primitives_of_the_kernel_are_refused_where_nobody_knows_their_tags() {
    let folder = folder("refused");
    write(&folder, &["(int *x) { WRITE_ONCE(*x, 1); }"], "exists (x=1)");
    for options in [
        &[][..],
        &["--model", "sc"],
        &["--model", "tso", "--engine", "operational"],
        &["--model", "kernel.cfg", "--engine", "mcr"],
        &["--model", "kernel.cfg", "--engine", "operational"],
    ] {
        let (code, said) = palisade(&folder, &[&["check", "t.litmus"], options].concat());
        assert_eq!(code, Some(2), "{options:?}: {said}");
        assert!(said.contains("kernel") || said.contains("model files are for"), "{options:?}: {said}");
    }
    for command in [&["races"][..], &["races", "--engine", "mcr"], &["constraints", "--model", "sc"]] {
        let (code, said) = palisade(&folder, &[command, &["t.litmus"]].concat());
        assert!(code == Some(2) && said.contains("a primitive of the Linux kernel in"), "{command:?}: {said}");
    }
    for (body, part) in [
        ("rcu_read_lock();", "rcu_read_lock"),
        ("spin_lock(x);", "spin_lock"),
        ("int q = cmpxchg(x, 0, 1);", "compare-exchange"),
        ("WRITE_ONCE(*x);", "takes 2 arguments"),
        ("int q = 0; WRITE_ONCE(q, 1);", "no location"),
    ] {
        write(&folder, &[&format!("(int *x) {{ {body} }}")], "exists (x=1)");
        let (code, said) = palisade(&folder, &["check", "t.litmus", "--model", "kernel.cfg"]);
        assert!(code == Some(2) && said.contains(part) && said.contains("t.litmus:3:"), "{body}: {said}");
    }
}

#[test]
fn what_a_bell_file_says_beyond_tags_is_refused_with_its_place() {
    let folder = folder("bell");
    write(&folder, &["(int *x) { *x = 1; }"], "exists (x=1)");
    for (text, part) in [
        ("enum t = 'a\ninstructions R[{'a}]\ndefault R['a]", "`default`"),
        ("enum t = 'a\ninstructions Q[{'a}]", "the kind of events `Q`"),
        ("instructions R[{'a}]", "no enumeration has the tag"),
        ("enum t = 'a\ninstructions R[po]", "given by their elements"),
        ("enum t = 'a\nlet s = tag2scope 'a", "scopes"),
    ] {
        std::fs::write(folder.join("m.cat"), format!("bell\n{text}\nacyclic po as po\n")).expect("a model");
        let (code, said) = palisade(&folder, &["check", "t.litmus", "--model", "m.cat"]);
        assert!(code == Some(2) && said.contains(part) && said.contains("m.cat:"), "{text}: {said}");
    }
    // Tags that no program has are sets without events, also where a recursion speaks of them behind a difference.
    let text = "enum t = 'begin || 'end\ninstructions F[t]\nlet s = let rec a = Begin \\ domain(m) and b = End \\ range(m)\n\
                and m = m | ([a]; po; [b] \\ ([a | b]; po; [a | b]; po; [a | b])) in m\n\
                empty s | (tag2events('begin) * _) as none\n";
    std::fs::write(folder.join("m.cat"), format!("bell\n{text}")).expect("a model");
    let (_, said) = palisade(&folder, &["check", "t.litmus", "--model", "m.cat", "--no-explain"]);
    assert!(said.contains("\nAllowed: "), "{said}");
}

#[test]
fn what_the_bell_file_does_not_name_is_refused() {
    let folder = folder("unnamed");
    let bell =
        "bell\nenum t = 'once || 'rmb\ninstructions R[{'once}]\ninstructions W[{'once}]\ninstructions F[{'rmb}]\n";
    let cat = "cat\nacyclic po-loc | rf | co | (rf^-1; co) as coherence\nempty Once \\ M as accesses\n";
    std::fs::write(folder.join("few.bell"), bell).expect("a file");
    std::fs::write(folder.join("few.cat"), cat).expect("a file");
    for (configuration, body, part) in [
        ("bell few.bell\nmodel few.cat\n", "WRITE_ONCE(*x, 1); smp_rmb();", "Allowed"),
        (
            "bell few.bell\nmodel few.cat\n",
            "WRITE_ONCE(*x, 1); smp_mb();",
            "the tag `'mb`, which few.cfg does not name",
        ),
        ("bell few.bell\nmodel few.cat\n", "smp_store_release(x, 1);", "the tag `'release`"),
        ("bell few.bell\nmodel few.cat\nvariant other\n", "WRITE_ONCE(*x, 1);", "few.cfg:3:1"),
        ("include base.cfg\nmodel few.cat\n", "WRITE_ONCE(*x, 1);", "`include` in a configuration"),
    ] {
        std::fs::write(folder.join("few.cfg"), configuration).expect("a file");
        write(&folder, &[&format!("(int *x) {{ {body} }}")], "exists (x=1)");
        let (_, said) = palisade(&folder, &["check", "t.litmus", "--model", "few.cfg"]);
        assert!(said.contains(part), "{body}: {said}");
    }
}
