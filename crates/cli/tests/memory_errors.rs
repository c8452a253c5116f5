//! Random C programs with errors of memory: all engines have the same verdict, and that of programs with one thread is what gcc's
//! sanitizers find when the program runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use testing::campaign::{self, Tally};
use testing::random::Random;

const HEAD: &str =
    "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n";

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
    std::fs::write(&path, text).expect("written");
    path
}

/// Whether a program has an error; `None` if that is not known.
fn is_wrong(path: &Path, options: &[&str]) -> Option<bool> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    let output = command.args(["check", "--timeout", "20"]).args(options).arg(path).output().expect("palisade runs");
    match output.status.code() {
        Some(0) => Some(false),
        Some(1) => Some(true),
        Some(3) => None,
        _ => panic!("{options:?}: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// What gcc's sanitizers say; `None` where they are not installed.
fn sanitized(path: &Path) -> Option<bool> {
    let binary = path.with_extension("exe");
    let mut gcc = Command::new("gcc");
    let flags = ["-w", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-pthread", "-o"];
    let made = gcc.args(flags).arg(&binary).arg(path).stderr(Stdio::null()).status().ok()?;
    let run = made.success().then(|| Command::new(&binary).env("ASAN_OPTIONS", "detect_leaks=0").output())?.ok()?;
    let _ = std::fs::remove_file(&binary);
    Some(!run.status.success())
}

/// A statement on blocks of memory, which stays in bounds more often than not.
fn statement(random: &mut Random) -> String {
    let pointer = ["p", "q", "r"][random.below(3) as usize];
    let other = ["p", "q", "r"][random.below(3) as usize];
    let index = if random.below(8) == 0 { random.below(5) } else { random.below(3) };
    match random.below(14) {
        0 | 1 => format!("{pointer} = calloc(3, sizeof(int));"),
        2 => format!("if ({pointer} == {other}) free({pointer});"),
        3 => format!("free({pointer});"),
        4 => format!("free({pointer}); {pointer} = 0;"),
        5 | 6 => format!("if ({pointer}) {pointer}[{index}] = {};", random.below(4)),
        7 => format!("if ({pointer}) n = {pointer}[{index}] & 3;"),
        8 => format!("{pointer} = {other};"),
        9 => format!("{pointer} = a;"),
        10 => format!("a[n] = {index};"),
        11 => format!("s.in[{index}] = n;"),
        12 => format!("if ({pointer}) {pointer}[n] = 1;"),
        _ => "n = (n + 1) & 3;".to_string(),
    }
}

fn sequential(random: &mut Random) -> String {
    let statements: Vec<String> = (0..4 + random.below(8)).map(|_| statement(random)).collect();
    format!(
        "{HEAD}static int a[4]; static struct {{ long before; int in[3]; char after; }} s;\n\
         int main(void) {{ int *p = 0, *q = 0, *r = 0; int n = 0;\n{}\nreturn 0; }}\n",
        statements.join("\n")
    )
}

fn compare_sequential(random: &mut Random, tally: &mut Tally) {
    let text = sequential(random);
    let path = file(&format!("sequential_{}", random.below(1 << 40)), &text);
    let engines = [("axiomatic", "sc"), ("operational", "sc"), ("mcr", "tso"), ("axiomatic", "rc11")];
    let found = engines.map(|(engine, model)| is_wrong(&path, &["--engine", engine, "--model", model]));
    assert!(found.iter().all(|one| *one == found[0]), "{found:?}\n{text}");
    tally.count_if(found[0] == Some(true), "wrong");
    if let (Some(sanitized), Some(found)) = (sanitized(&path), found[0]) {
        assert_eq!(found, sanitized, "gcc's sanitizers say otherwise\n{text}");
        tally.count_if(true, "run");
    }
    let _ = std::fs::remove_file(path);
}

/// What the first engine that knows says.
fn found_of(found: &[Option<bool>]) -> Option<bool> {
    found.iter().flatten().next().copied()
}

/// A statement of a thread.
fn shared(random: &mut Random) -> &'static str {
    [
        "q = atomic_load(&x); if (q) *q = 1;",
        "q = atomic_load(&x); if (q) v = *q;",
        "q = atomic_exchange(&x, 0); if (q) free(q);",
        "q = malloc(sizeof(int)); *q = 2; q = atomic_exchange(&x, q); if (q) free(q);",
        "q = atomic_load(&x); if (q && atomic_load(&f) == 0) *q = 3;",
        "atomic_store(&f, 1); q = atomic_load(&x); atomic_store(&x, 0); if (q) free(q);",
        "pthread_mutex_lock(&m); q = x; if (q) *q = 4; pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); q = x; x = 0; if (q) free(q); pthread_mutex_unlock(&m);",
    ][random.below(8) as usize]
}

fn compare_threads(random: &mut Random, tally: &mut Tally) {
    let mut body = || (0..1 + random.below(2)).map(|_| shared(random)).collect::<Vec<_>>().join(" ");
    let (first, second) = (body(), body());
    let text = format!(
        "{HEAD}static int *_Atomic x; static atomic_int f; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         static void *t1(void *p) {{ int *q, v; {first} return 0; }}\nstatic void *t2(void *p) {{ int *q, v; {second} return 0; }}\n\
         int main(void) {{ pthread_t a, b; int *q = malloc(sizeof(int)); *q = 0; x = q; pthread_create(&a, 0, t1, 0);\n\
         pthread_create(&b, 0, t2, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }}\n"
    );
    let path = file(&format!("threads_{}", random.below(1 << 40)), &text);
    for model in ["sc", "tso", "pso"] {
        let found =
            ["axiomatic", "operational", "mcr"].map(|engine| is_wrong(&path, &["--engine", engine, "--model", model]));
        let first = found_of(&found);
        assert!(found.iter().flatten().all(|found| Some(*found) == first), "{model}: {found:?}\n{text}");
        tally.count_if(found.iter().all(Option::is_some), "decided by all");
        tally.count_if(first == Some(true), "wrong");
    }
    let _ = std::fs::remove_file(path);
}

/// All engines say of a program that it holds (`None`), or which error it has, and where.
#[track_caller]
fn check(name: &str, text: &str, expected: Option<&str>) {
    let path = file(name, &format!("{HEAD}{text}"));
    for (engine, model) in ENGINES {
        let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
        let options = ["check", "--engine", engine, "--model", model, "--format", "json"];
        let output = command.args(options).arg(&path).output().expect("palisade runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        match expected {
            None => assert_eq!(output.status.code(), Some(0), "{engine} {model}: {said}\n{text}"),
            Some(error) => {
                assert_eq!(output.status.code(), Some(1), "{engine} {model}: {said}\n{text}");
                assert!(said.contains(error), "{engine} {model}: {said}\n{text}");
            }
        }
    }
}

/// Every engine, with models of machines and of C11.
const ENGINES: [(&str, &str); 8] = [
    ("axiomatic", "sc"),
    ("operational", "sc"),
    ("operational", "pso"),
    ("mcr", "sc"),
    ("mcr", "tso"),
    ("axiomatic", "rc11"),
    ("mcr", "rc11"),
    ("mcr", "rc20"),
];

#[test]
fn signed_integers_do_not_overflow() {
    let head = "#include <limits.h>\nstatic atomic_int n; static atomic_long l; static int g;\n";
    for (name, statement, what) in [
        ("add", "n = INT_MAX; int x = n; x = x + 1;", "an addition"),
        ("sub", "n = INT_MIN; int x = n - 1; (void)x;", "a subtraction"),
        ("mul", "n = 46341; int x = n; x = x * x;", "a multiplication"),
        ("mul_negative", "n = INT_MIN; int x = n * -1; (void)x;", "a multiplication"),
        ("neg", "n = INT_MIN; int x = -n; (void)x;", "a negation"),
        ("increment", "g = INT_MAX; g++;", "an addition"),
        ("decrement", "int x = INT_MIN; --x;", "a subtraction"),
        ("compound", "g = 1 << 30; g += g;", "an addition"),
        ("compound_mul", "g = 65536; g *= 65536;", "a multiplication"),
        ("long", "l = LONG_MAX; long x = l + 1; (void)x;", "an addition"),
        ("long_mul", "l = 4294967296; long x = l * l; (void)x;", "a multiplication"),
        ("short", "unsigned short s = 65535; n = s; unsigned x = s * s; (void)x;", "a multiplication"),
        ("loop", "n = INT_MAX - 2; for (int i = n; i > 0; i++) g = 1;", "an addition"),
    ] {
        let text = format!("{head}int main(void) {{ {statement} return 0; }}");
        check(&format!("overflow_{name}"), &text, Some(&format!("a signed overflow: the result of {what}")));
        let path = file(&format!("overflow_ignored_{name}"), &format!("{HEAD}{text}"));
        assert_eq!(is_wrong(&path, &["--model", "sc", "--ignore", "overflow"]), Some(false), "{text}");
    }
    check(
        "overflow_fine",
        &format!(
            "{head}static atomic_uint u = UINT_MAX; static signed char c = 127; static short s = SHRT_MAX; static unsigned v;\n\
             int main(void) {{ n = INT_MAX; atomic_fetch_add(&n, 1); assert(n == INT_MIN); u++; assert(u == 0); c++;\n\
             assert(c == -128); s += 1; v--; assert(v == UINT_MAX); l = INT_MAX; long k = l + 1; assert(k == 2147483648);\n\
             n = INT_MAX - 1; int i = n; i++; assert(i == INT_MAX); i = -i; i--; assert(i == INT_MIN); n = 46340; i = n;\n\
             assert(i * i == 2147395600); n = -32768; i = n; assert(i * 65536 == INT_MIN); return 0; }}"
        ),
        None,
    );
}

#[test]
fn what_overflows_in_some_interleaving_is_found() {
    let text = |most: &str| {
        format!(
            "#include <limits.h>\nstatic atomic_int x = INT_MAX - 2;\n\
             static void *t(void *p) {{ int v = x; x = v + 1; return 0; }}\n\
             int main(void) {{ pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); {most}\n\
             pthread_join(a, 0); pthread_join(b, 0); int v = x; assert(v >= INT_MAX - 1); return 0; }}"
        )
    };
    check("overflow_threads_fine", &text(""), None);
    check("overflow_threads", &text("int v = x; x = v + 1;"), Some("a signed overflow"));
}

#[test]
fn programs_with_one_thread_have_the_errors_that_sanitizers_find() {
    let tally = campaign::run(1, 40, compare_sequential);
    assert!(tally.of("wrong") > 5 && tally.of("wrong") < 35, "{tally:?}");
}

#[test]
fn engines_find_the_same_errors_of_threads() {
    let tally = campaign::run(1, 15, compare_threads);
    assert!(tally.of("wrong") > 5 && tally.of("decided by all") > 30, "{tally:?}");
}

/// `SEED` and `TIMES` say which programs.
#[test]
#[ignore = "long"]
fn many_programs_with_one_thread_have_the_errors_that_sanitizers_find() {
    let (first, times) = campaign::asked(2_000);
    campaign::run(first, times, compare_sequential);
}

/// `SEED` and `TIMES` say which programs.
#[test]
#[ignore = "long"]
fn engines_find_the_same_errors_of_threads_in_many_programs() {
    let (first, times) = campaign::asked(2_000);
    campaign::run(first, times, compare_threads);
}
