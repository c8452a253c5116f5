//! Random C programs with errors of memory: all engines have the same verdict, and that of programs with one thread is what gcc's
//! sanitizers find when the program runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use palisade::{Answer, Engine, Model, Request, Task};
use program::Verdict;
use testing::campaign::{self, Tally};
use testing::random::Random;

const HEAD: &str =
    "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n";

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
    std::fs::write(&path, text).expect("written");
    path
}

/// Whether the binary says that a program has an error; `None` if that is not known.
fn is_wrong(path: &Path, options: &[&str]) -> Option<bool> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    let output = command.args(["check", "--timeout", "20"]).args(options).arg(path).output().expect("palisade runs");
    match output.status.code() {
        Some(0) => Some(false),
        Some(1) => Some(true),
        Some(3) => None,
        Some(2) if String::from_utf8_lossy(&output.stderr).contains("is not supported") => None,
        _ => panic!("{options:?}: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// What each engine says of a program, under a model each: many are asked of one program, so that it is read once. The binary is not
/// started, which would take longer than most answers.
fn answers(name: &str, text: &str, asked: &[(&str, &str)], limit: Duration) -> Vec<Result<Answer, String>> {
    let task = match Task::c(&format!("{name}.c"), text) {
        Ok(task) => task,
        Err(refusal) => return asked.iter().map(|_| Err(refusal.to_string())).collect(),
    };
    let answer = |(engine, model): &(&str, &str)| {
        let model = Model::named(model).expect("a model");
        let mut request = Request::new(&task, &model);
        request.engine = Engine::REAL.into_iter().find(|one| one.name() == *engine).unwrap_or_default();
        campaign::within(limit, |interrupt| {
            request.options.limits.interrupt = interrupt;
            request.answer().map_err(|refusal| refusal.to_string())
        })
    };
    campaign::with_room(|| asked.iter().map(answer).collect())
}

/// Whether each engine says that a program has an error; `None` if that is not known.
fn verdicts(name: &str, text: &str, asked: &[(&str, &str)]) -> Vec<Option<bool>> {
    let of = |(answer, asked): (Result<Answer, String>, &(&str, &str))| match answer {
        Ok(answer) => match answer.outcome.verdict {
            Verdict::Holds => Some(false),
            Verdict::Violated => Some(true),
            _ => None,
        },
        Err(refusal) if refusal.contains("is not supported") => None,
        Err(refusal) => panic!("{asked:?}: {refusal}"),
    };
    answers(name, text, asked, Duration::from_secs(20)).into_iter().zip(asked).map(of).collect()
}

/// All engines say of a program that it holds (`None`), or which error it has, and where.
#[track_caller]
fn all_say(name: &str, text: &str, asked: &[(&str, &str)], expected: Option<&str>) {
    let wanted = if expected.is_some() { Verdict::Violated } else { Verdict::Holds };
    for (answer, asked) in answers(name, text, asked, Duration::MAX).into_iter().zip(asked) {
        let answer = answer.unwrap_or_else(|refusal| panic!("{asked:?}: {refusal}\n{text}"));
        let said = report::json::answer(&answer.shown(name));
        assert_eq!(answer.outcome.verdict, wanted, "{asked:?}: {said}\n{text}");
        assert!(expected.is_none_or(|expected| said.contains(expected)), "{asked:?}: {said}\n{text}");
    }
}

/// What gcc's sanitizers look for, besides their defaults.
const ASAN: &str = "detect_leaks=0:detect_stack_use_after_return=1";

/// What gcc's sanitizers say; `None` where they are not installed.
fn sanitized(path: &Path) -> Option<bool> {
    let binary = path.with_extension("exe");
    let mut gcc = Command::new("gcc");
    let flags = ["-w", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-pthread", "-o"];
    let made = gcc.args(flags).arg(&binary).arg(path).stderr(Stdio::null()).status().ok()?;
    let run = made.success().then(|| Command::new(&binary).env("ASAN_OPTIONS", ASAN).output())?.ok()?;
    let _ = std::fs::remove_file(&binary);
    Some(!run.status.success())
}

/// A program under way: its statements, and whether it is known to be wrong, as what it does in one thread is plain to see.
#[derive(Default)]
struct Draft {
    statements: Vec<String>,
    is_wrong: bool,
    /// Which elements of `z` were written.
    written: [bool; 3],
    lock: Lock,
}

/// What a mutex is.
#[derive(Clone, Copy, Default, PartialEq)]
enum Lock {
    #[default]
    Free,
    Made,
    Held,
    HeldMade,
    Destroyed,
}

impl Draft {
    fn add(&mut self, random: &mut Random) {
        let text = match random.below(26) {
            20 => self.element(random),
            21 | 22 => self.lock(random),
            23 => {
                let offset = [0, 4, 8, 12, 2, 6, 9][random.below(7) as usize];
                self.is_wrong |= offset % 4 != 0;
                format!("atomic_store((atomic_int *)((char *)b + {offset}), {});", random.below(3))
            }
            24 => {
                let label = self.statements.len();
                let pointer = ["p", "q", "r"][random.below(3) as usize];
                format!(
                    "{{ int x = 1; {pointer} = &x; if (n < {}) goto l{label}; {pointer} = 0; }} l{label}:;",
                    random.below(4)
                )
            }
            25 => format!("k = k << {};", [1, 2, 15, 31][random.below(4) as usize]),
            _ => statement(random),
        };
        self.statements.push(text);
    }

    /// An element of `z`, which holds nothing at first, is written or read.
    fn element(&mut self, random: &mut Random) -> String {
        let index = random.below(3) as usize;
        if random.below(2) == 0 {
            self.written[index] = true;
            return format!("z[{index}] = {};", random.below(4));
        }
        self.is_wrong |= !self.written[index];
        format!("n = z[{index}];")
    }

    fn lock(&mut self, random: &mut Random) -> String {
        use Lock::{Destroyed, Free, Held, HeldMade, Made};
        let held = matches!(self.lock, Held | HeldMade);
        let (call, is_wrong, after) = match random.below(6) {
            0 | 1 if !held => ("lock(&m)", self.lock == Destroyed, if self.lock == Made { HeldMade } else { Held }),
            2 => ("destroy(&m)", held || self.lock == Destroyed, Destroyed),
            3 => ("init(&m, 0)", matches!(self.lock, Made | HeldMade), Made),
            4 => ("trylock(&m)", self.lock == Destroyed, if self.lock == Made { HeldMade } else { Held }),
            _ => ("unlock(&m)", !held, if self.lock == HeldMade { Made } else { Free }),
        };
        self.is_wrong |= is_wrong;
        self.lock = if call.starts_with("trylock") && held { self.lock } else { after };
        format!("pthread_mutex_{call};")
    }
}

/// A statement on blocks of memory, which stays in bounds more often than not.
fn statement(random: &mut Random) -> String {
    let pointer = ["p", "q", "r"][random.below(3) as usize];
    let other = ["p", "q", "r"][random.below(3) as usize];
    let index = if random.below(8) == 0 { random.below(5) } else { random.below(3) };
    match random.below(19) {
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
        13 => format!("{{ int x = {index}; {pointer} = &x; }}"),
        14 => format!("{pointer} = leak({index});"),
        15 => format!("k = k * {};", ["-3", "30000", "46341"][random.below(3) as usize]),
        16 => ["k += k;", "k = -k;", "k -= 2147483640;", "--k;", "k++;"][random.below(5) as usize].into(),
        17 => "k = k / 3 + n;".into(),
        _ => "n = (n + 1) & 3;".to_string(),
    }
}

/// A program with one thread, and whether it is known to be wrong.
fn sequential(random: &mut Random) -> (String, bool) {
    let mut draft = Draft::default();
    (0..4 + random.below(8)).for_each(|_| draft.add(random));
    let text = format!(
        "{HEAD}static int a[4], b[4]; static struct {{ long before; int in[3]; char after; }} s;\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         static int *leak(int v) {{ int x = v; int *q = &x; return q; }}\n\
         int main(void) {{ int *p = 0, *q = 0, *r = 0; int n = 0, k = 1; int *z = malloc(3 * sizeof(int));\n{}\nreturn 0; }}\n",
        draft.statements.join("\n")
    );
    (text, draft.is_wrong)
}

fn compare_sequential(random: &mut Random, tally: &mut Tally) {
    let (text, is_wrong) = sequential(random);
    let path = file(&format!("sequential_{}", random.below(1 << 40)), &text);
    let engines = [("axiomatic", "sc"), ("operational", "sc"), ("mcr", "tso"), ("axiomatic", "rc11"), ("mcr", "rc11")];
    let found = verdicts("sequential", &text, &engines);
    count_undecided(&engines, &found, tally);
    let first = found_of(&found);
    assert!(found.iter().flatten().all(|found| Some(*found) == first), "{found:?}\n{text}");
    tally.count_if(first == Some(true), "wrong");
    tally.count_if(found.iter().all(Option::is_some), "decided by all");
    tally.count_if(first.is_none(), "decided by none");
    if is_wrong {
        assert_ne!(first, Some(false), "the program is wrong\n{text}");
        tally.count_if(true, "known");
    } else if let (Some(sanitized), Some(found)) = (sanitized(&path), first) {
        assert_eq!(found, sanitized, "gcc's sanitizers say otherwise\n{text}");
        tally.count_if(true, "run");
    }
    let _ = std::fs::remove_file(path);
}

/// Counts who did not decide.
fn count_undecided(engines: &[(&str, &str)], found: &[Option<bool>], tally: &mut Tally) {
    for ((engine, model), found) in engines.iter().zip(found) {
        tally.count_if(found.is_none(), &format!("undecided by {engine} on {model}"));
    }
}

/// What the first engine that knows says.
fn found_of(found: &[Option<bool>]) -> Option<bool> {
    found.iter().flatten().next().copied()
}

/// A statement of a thread.
fn shared(random: &mut Random) -> &'static str {
    const STATEMENTS: [&str; 26] = [
        "{ int w = 1; atomic_store(&x, &w); }",
        "{ int w = 1; q = atomic_exchange(&x, &w); if (q) v = *q; atomic_store(&x, 0); }",
        "q = atomic_load(&x); if (q) *q = 1;",
        "q = atomic_load(&x); if (q) v = *q;",
        "q = atomic_exchange(&x, 0); if (q) free(q);",
        "q = malloc(sizeof(int)); *q = 2; q = atomic_exchange(&x, q); if (q) free(q);",
        "q = atomic_load(&x); if (q && atomic_load(&f) == 0) *q = 3;",
        "atomic_store(&f, 1); q = atomic_load(&x); atomic_store(&x, 0); if (q) free(q);",
        "pthread_mutex_lock(&m); q = x; if (q) *q = 4; pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); q = x; x = 0; if (q) free(q); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); atomic_store(&f, 1); pthread_mutex_unlock(&m);",
        "if (atomic_load(&f)) pthread_mutex_unlock(&m);",
        "if (!pthread_mutex_trylock(&m)) { atomic_store(&f, 1); pthread_mutex_unlock(&m); }",
        "pthread_rwlock_rdlock(&l); if (atomic_load(&f) == 2) pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l);",
        "pthread_rwlock_wrlock(&l); atomic_store(&f, 2); pthread_rwlock_unlock(&l);",
        "if (atomic_load(&f) == 2 && !pthread_rwlock_trywrlock(&l)) { atomic_store(&f, 0); pthread_rwlock_unlock(&l); }",
        "{ int w = 1; atomic_store(&x, &w); if (atomic_load(&f)) goto LABEL; atomic_store(&x, 0); } LABEL:;",
        "q = malloc(sizeof(int)); q = atomic_exchange(&x, q); if (q) v = *q;",
        "own = 1; atomic_store(&x, &own);",
        "v = atomic_load(&f); atomic_fetch_add((atomic_int *)((char *)buffer + 2 * v), 1);",
        "q = atomic_load(&x); if (q) *q = 5; atomic_store_explicit(&g, 1, memory_order_relaxed);",
        "if (atomic_load_explicit(&g, memory_order_relaxed)) { q = atomic_exchange(&x, 0); if (q) free(q); }",
        "q = atomic_load(&x); if (q) *q = 6; atomic_store_explicit(&g, 1, memory_order_release);",
        "if (atomic_load_explicit(&g, memory_order_acquire)) { q = atomic_exchange(&x, 0); if (q) free(q); }",
        "{ unsigned long n = 1 + atomic_load(&f); q = malloc(n * sizeof(int)); *q = 2; q = atomic_exchange(&x, q); if (q) free(q); }",
        "q = atomic_load(&x); if (q) q[1] = 1;",
    ];
    STATEMENTS[random.below(STATEMENTS.len() as u64) as usize]
}

/// Engines, each with a model that threads are run on.
const THREADED: [(&str, &str); 11] = [
    ("axiomatic", "sc"),
    ("operational", "sc"),
    ("mcr", "sc"),
    ("axiomatic", "tso"),
    ("operational", "tso"),
    ("mcr", "tso"),
    ("axiomatic", "pso"),
    ("operational", "pso"),
    ("mcr", "pso"),
    ("axiomatic", "rc11"),
    ("mcr", "rc11"),
];

fn threaded(random: &mut Random) -> String {
    let mut count = 0;
    let mut statement = |random: &mut Random| {
        count += 1;
        shared(random).replace("LABEL", &format!("l{count}"))
    };
    let mut body = || (0..1 + random.below(2)).map(|_| statement(random)).collect::<Vec<_>>().join(" ");
    let (first, second) = (body(), body());
    format!(
        "{HEAD}static int *_Atomic x; static atomic_int f, g; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; static _Thread_local int own; static long buffer[2];\n\
         static void *t1(void *p) {{ int *q, v; {first} return 0; }}\nstatic void *t2(void *p) {{ int *q, v; {second} return 0; }}\n\
         int main(void) {{ pthread_t a, b; int *q = malloc(sizeof(int)); *q = 0; x = q; pthread_create(&a, 0, t1, 0);\n\
         pthread_create(&b, 0, t2, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }}\n"
    )
}

fn compare_threads(random: &mut Random, tally: &mut Tally) {
    let text = threaded(random);
    let found = verdicts("threads", &text, &THREADED);
    count_undecided(&THREADED, &found, tally);
    for model in ["sc", "tso", "pso", "rc11"] {
        let of_model = THREADED.iter().zip(&found).filter(|((_, other), _)| *other == model);
        let found: Vec<Option<bool>> = of_model.map(|(_, found)| *found).collect();
        let first = found_of(&found);
        assert!(found.iter().flatten().all(|found| Some(*found) == first), "{model}: {found:?}\n{text}");
        tally.count_if(found.iter().all(Option::is_some), "decided by all");
        tally.count_if(first.is_none(), "decided by none");
        tally.count_if(first == Some(true), "wrong");
    }
}

/// What every engine says of a program: that it holds (`None`), or which error it has.
#[track_caller]
fn check(name: &str, text: &str, expected: Option<&str>) {
    all_say(name, &format!("{HEAD}{text}"), &ENGINES, expected);
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
        ("shift", "n = 31; int x = 1 << n; (void)x;", "a shift"),
        ("shift_negative", "n = -1; int x = n << 1; (void)x;", "a shift"),
        ("shift_compound", "l = 3; long x = LONG_MAX; x <<= l;", "a shift"),
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
             assert(i * i == 2147395600); n = -32768; i = n; assert(i * 65536 == INT_MIN);\n\
             n = 30; assert((1 << n) == 1073741824); n = 0; assert((n << 31) == 0 && (INT_MAX << n) == INT_MAX); n = 31;\n\
             v = 1; v <<= n; assert(v == 0x80000000u); return 0; }}"
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
fn variables_are_not_used_after_their_scope() {
    let spawn = "pthread_t t; pthread_create(&t, 0, f, 0);";
    for (name, text) in [
        ("block", "int main(void) { int *p; { int x = 1; p = &x; } return *p; }".to_string()),
        ("block_write", "int main(void) { int *p; { int x; p = &x; } *p = 1; return 0; }".into()),
        ("returned", "static int *f(void) { int x = 1; int *p = &x; return p; }\nint main(void) { return *f(); }".into()),
        ("parameter", "static int *f(int x) { int *p = &x; return p; }\nint main(void) { return *f(0); }".into()),
        (
            "stored",
            "static int *p; static void f(void) { int x = 1; p = &x; }\nint main(void) { f(); *p = 2; return 0; }".into(),
        ),
        (
            "member",
            "struct s { long a; int *p; }; static void f(struct s *s) { int x[2] = {1, 2}; s->p = x; }\n\
             int main(void) { struct s s; f(&s); return s.p[1] - 2; }"
                .into(),
        ),
        (
            "passed_on",
            "static int g(int *p) { return *p; }\nint main(void) { int *p; { int x = 0; p = &x; } return g(p); }".into(),
        ),
        (
            "iteration",
            "int main(void) { int *p = 0; for (int i = 0; i < 2; i++) { int x = i; if (p) *p = 3; p = &x; } return 0; }"
                .into(),
        ),
        ("leave", "int main(void) { int *p = 0; while (1) { int x = 1; p = &x; if (x) break; } return *p; }".into()),
        ("goto", "int main(void) { int *p = 0; { int x = 1; p = &x; goto out; } out: return *p; }".into()),
        (
            "goto_back",
            "int main(void) { int *p = 0; int n = 0; again: if (p) *p = 2; if (n++ == 0) { int x = 1; p = &x; goto again; } return 0; }"
                .into(),
        ),
        ("expression", "int main(void) { int *p = 0; int v = ({ int x = 1; p = &x; x; }); return *p + v; }".into()),
        (
            "main",
            "static int *_Atomic p; static void *f(void *a) { int *q = atomic_load(&p); int v = *q; (void)v; return 0; }\n\
             int main(void) { int x = 1; pthread_t t; atomic_store(&p, &x); pthread_create(&t, 0, f, 0); pthread_exit(0); }"
                .into(),
        ),
        (
            "thread_local",
            format!(
                "static _Thread_local int x; static int *_Atomic p; static void *f(void *a) {{ x = 1; atomic_store(&p, &x); return 0; }}\n\
                 int main(void) {{ {spawn} pthread_join(t, 0); int *q = atomic_load(&p); return *q - 1; }}"
            ),
        ),
        (
            "argument",
            "static void *f(void *p) { int v = *(int *)p; (void)v; return 0; }\n\
             int main(void) { pthread_t t; { int x = 1; pthread_create(&t, 0, f, &x); } pthread_join(t, 0); return 0; }"
                .into(),
        ),
        (
            "thread",
            format!(
                "static int *_Atomic p; static void *f(void *a) {{ int x = 1; atomic_store(&p, &x); return 0; }}\n\
                 int main(void) {{ {spawn} int *q = atomic_load(&p); if (q) {{ int v = *q; (void)v; }} pthread_join(t, 0);\n\
                 return 0; }}"
            ),
        ),
        (
            "thread_joined",
            format!(
                "static int *_Atomic p; static void *f(void *a) {{ int x = 1; atomic_store(&p, &x); return 0; }}\n\
                 int main(void) {{ {spawn} pthread_join(t, 0); return *p; }}"
            ),
        ),
    ] {
        check(&format!("scope_{name}"), &text, Some("a use after scope: `"));
        let path = file(&format!("scope_ignored_{name}"), &format!("{HEAD}{text}"));
        let options = ["--model", "sc", "--ignore", "use-after-scope", "--format", "json"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
        let said = command.arg("check").args(options).arg(&path).output().expect("palisade runs").stdout;
        assert!(!String::from_utf8_lossy(&said).contains("after scope"), "{text}");
    }
}

#[test]
fn variables_are_used_within_their_scope() {
    for (name, text) in [
        (
            "loop",
            "static void g(int *p) { *p += 1; }\nint main(void) { int s = 0; for (int i = 0; i < 3; i++) { int x = i; g(&x); s += x;\n\
             int *p = &x; *p = 0; } assert(s == 6); return 0; }",
        ),
        (
            "waits",
            "static int *_Atomic p; static atomic_int done; static void *f(void *a) { int x = 1; atomic_store(&p, &x);\n\
             while (!atomic_load(&done)); assert(x == 2); return 0; }\n\
             int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int *q; while (!(q = atomic_load(&p))); *q = 2;\n\
             atomic_store(&done, 1); pthread_join(t, 0); return 0; }",
        ),
        (
            "given_back",
            "static int *f(int *p) { return p + 1; }\nstatic int g(void) { int x[2] = {1, 2}; int *p = f(x); return *p; }\n\
             int main(void) { assert(g() == 2 && g() == 2); return 0; }",
        ),
        (
            "joined",
            "static void *f(void *p) { *(int *)p = 2; return 0; }\nstatic int g(void) { pthread_t t; int x = 1;\n\
             pthread_create(&t, 0, f, &x); pthread_join(t, 0); return x; }\nint main(void) { assert(g() == 2); return 0; }",
        ),
        (
            "main",
            "static int *p; static void *f(void *a) { *p = 2; return 0; }\nint main(void) { int x = 1; pthread_t t; p = &x;\n\
             pthread_create(&t, 0, f, 0); pthread_join(t, 0); assert(x == 2); return 0; }",
        ),
        (
            "goto",
            "static void f(int *p) { *p = 2; }\n\
             int main(void) { int x = 1; { int y = 0; again: f(&y); if (y == 2) { y = 3; int z = 1; f(&z); goto more; } more: f(&x);\n\
             if (x == 2 && y == 3) goto end; goto again; } end: assert(x == 2); return 0; }",
        ),
        (
            "thread_local",
            "static _Thread_local int x; static int *_Atomic p; static atomic_int d; static void g(int *q) { *q += 1; x += 1; }\n\
             static void *f(void *a) { x = 1; g(&x); assert(x == 3); atomic_store(&p, &x); while (!atomic_load(&d));\n\
             assert(x == 5); return 0; }\n\
             int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int *q; while (!(q = atomic_load(&p))); *q = 5;\n\
             atomic_store(&d, 1); pthread_join(t, 0); x = 4; g(&x); assert(x == 6); return 0; }",
        ),
        (
            "switch",
            "static int *p; int main(void) { for (int i = 0; i < 2; i++) { switch (i) { case 0:; int x = 1; p = &x; *p = 2; break;\n\
             default: continue; } assert(i == 0); } return 0; }",
        ),
    ] {
        check(&format!("scope_fine_{name}"), text, None);
    }
}

#[test]
fn objects_of_synchronisation_are_not_used_after_their_end() {
    let thread = "pthread_t t; pthread_create(&t, 0, f, 0);";
    let m = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n";
    for (name, text, error) in [
        (
            "held",
            format!("{m}int main(void) {{ pthread_mutex_lock(&m); pthread_mutex_destroy(&m); return 0; }}"),
            "a lock is destroyed while it is held",
        ),
        (
            "held_by_other",
            format!(
                "{m}static void *f(void *p) {{ pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }}\n\
                 int main(void) {{ {thread} pthread_mutex_destroy(&m); pthread_join(t, 0); return 0; }}"
            ),
            "a lock",
        ),
        (
            "lock",
            format!("{m}int main(void) {{ pthread_mutex_destroy(&m); pthread_mutex_lock(&m); return 0; }}"),
            "a use of a lock that was destroyed",
        ),
        (
            "trylock",
            format!("{m}int main(void) {{ pthread_mutex_destroy(&m); return pthread_mutex_trylock(&m); }}"),
            "a use of a lock that was destroyed",
        ),
        (
            "twice",
            format!("{m}int main(void) {{ pthread_mutex_destroy(&m); pthread_mutex_destroy(&m); return 0; }}"),
            "a lock is destroyed twice",
        ),
        (
            "unlocked",
            format!("{m}int main(void) {{ pthread_mutex_unlock(&m); pthread_mutex_destroy(&m); return 0; }}"),
            "unlock of a lock that is not held",
        ),
        (
            "wait_without",
            format!(
                "{m}static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
                 int main(void) {{ pthread_cond_wait(&c, &m); return 0; }}"
            ),
            "unlock of a lock that is not held",
        ),
        (
            "c11",
            "#include <threads.h>\nstatic mtx_t m; int main(void) { mtx_init(&m, mtx_plain); mtx_destroy(&m); mtx_lock(&m); return 0; }"
                .into(),
            "a use of a lock that was destroyed",
        ),
        (
            "rwlock",
            "static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\n\
             int main(void) { pthread_rwlock_rdlock(&l); pthread_rwlock_destroy(&l); return 0; }"
                .into(),
            "a lock is destroyed while it is held",
        ),
        (
            "condition",
            "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
             int main(void) { pthread_cond_destroy(&c); pthread_cond_signal(&c); return 0; }"
                .into(),
            "a use of a condition variable that was destroyed",
        ),
        (
            "semaphore",
            "#include <semaphore.h>\nstatic sem_t s; int main(void) { sem_init(&s, 0, 1); sem_destroy(&s); sem_wait(&s); return 0; }"
                .into(),
            "a use of a semaphore that was destroyed",
        ),
        (
            "barrier",
            format!(
                "static pthread_barrier_t b; static void *f(void *p) {{ pthread_barrier_wait(&b); return 0; }}\n\
                 int main(void) {{ pthread_barrier_init(&b, 0, 2); {thread} pthread_barrier_destroy(&b); return 0; }}"
            ),
            "a barrier",
        ),
    ] {
        check(&format!("destroyed_{name}"), &text, Some(error));
    }
    check(
        "destroyed_fine",
        &format!(
            "{m}static pthread_barrier_t b; static int n; static void *f(void *p) {{ pthread_barrier_wait(&b); pthread_mutex_lock(&m);\n\
             n++; pthread_mutex_unlock(&m); return 0; }}\n\
             int main(void) {{ pthread_barrier_init(&b, 0, 2); {thread} pthread_barrier_wait(&b); pthread_mutex_lock(&m); n++;\n\
             pthread_mutex_unlock(&m); pthread_join(t, 0); pthread_mutex_destroy(&m); pthread_barrier_destroy(&b);\n\
             pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); assert(n == 2); pthread_mutex_unlock(&m); return 0; }}"
        ),
        None,
    );
}

/// What a thread and `main` share in the tests of locks, and `main` until the thread is joined.
fn with_thread(objects: &str, thread: &str, main: &str) -> String {
    format!(
        "{objects} static atomic_int f;\nstatic void *t(void *p) {{ {thread} return 0; }}\n\
         int main(void) {{ pthread_t a; pthread_create(&a, 0, t, 0); {main} pthread_join(a, 0); return 0; }}"
    )
}

#[test]
fn locks_are_unlocked_by_who_holds_them() {
    let m = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
    let l = "static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;";
    let others = "unlock of a lock that another thread holds";
    for (name, objects, thread, main) in [
        ("mutex", m, "if (f) pthread_mutex_unlock(&m);", "pthread_mutex_lock(&m); f = 1;"),
        ("trylock", m, "if (f) pthread_mutex_unlock(&m);", "if (!pthread_mutex_trylock(&m)) f = 1;"),
        ("spin", "static pthread_spinlock_t s;", "if (f) pthread_spin_unlock(&s);", "pthread_spin_lock(&s); f = 1;"),
        ("reader", l, "if (f) pthread_rwlock_unlock(&l);", "pthread_rwlock_rdlock(&l); f = 1;"),
        ("writer", l, "if (f) pthread_rwlock_unlock(&l);", "pthread_rwlock_wrlock(&l); f = 1;"),
        (
            "readers",
            l,
            "pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); if (f) pthread_rwlock_unlock(&l);",
            "pthread_rwlock_rdlock(&l); f = 1;",
        ),
        ("c11", "#include <threads.h>\nstatic mtx_t m;", "if (f) mtx_unlock(&m);", "mtx_lock(&m); f = 1;"),
    ] {
        check(&format!("unlocked_{name}"), &with_thread(objects, thread, main), Some(others));
    }
    let c = format!("{m} static pthread_cond_t c = PTHREAD_COND_INITIALIZER;");
    let wait = with_thread(
        &c,
        "if (f) pthread_cond_wait(&c, &m);",
        "pthread_mutex_lock(&m); f = 1; pthread_mutex_unlock(&m);",
    );
    check("unlocked_by_wait", &wait, Some("unlock of a lock that"));
    check(
        "unlocked_fine",
        "static pthread_mutex_t m; static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; static int x;\n\
         static void *t(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); pthread_rwlock_rdlock(&l);\n\
         if (!pthread_rwlock_tryrdlock(&l)) pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l); return 0; }\n\
         int main(void) { pthread_t a, b; pthread_mutex_init(&m, 0); pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0);\n\
         pthread_join(a, 0); pthread_join(b, 0); pthread_rwlock_wrlock(&l); assert(x == 2); pthread_rwlock_unlock(&l); return 0; }",
        None,
    );
    check(
        "unlocked_recursive",
        "static pthread_mutex_t m; static int x;\n\
         static void *t(void *p) { assert(pthread_mutex_unlock(&m)); pthread_mutex_lock(&m); pthread_mutex_lock(&m); x++;\n\
         pthread_mutex_unlock(&m); x++; pthread_mutex_unlock(&m); return 0; }\n\
         int main(void) { pthread_t a; pthread_mutexattr_t k; pthread_mutexattr_init(&k);\n\
         pthread_mutexattr_settype(&k, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m, &k); pthread_create(&a, 0, t, 0);\n\
         pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); pthread_join(a, 0); assert(x == 3); return 0; }",
        None,
    );
}

#[test]
fn objects_of_synchronisation_are_initialised_once() {
    for (name, of, call) in [
        ("mutex", "pthread_mutex_t", "pthread_mutex_init(O, 0)"),
        ("spin", "pthread_spinlock_t", "pthread_spin_init(O, 0)"),
        ("rwlock", "pthread_rwlock_t", "pthread_rwlock_init(O, 0)"),
        ("condition", "pthread_cond_t", "pthread_cond_init(O, 0)"),
        ("barrier", "pthread_barrier_t", "pthread_barrier_init(O, 0, 2)"),
        ("semaphore", "sem_t", "sem_init(O, 0, 1)"),
    ] {
        let head = "#include <semaphore.h>\n";
        let object = |to: &str| call.replace('O', to);
        let global = format!("{head}static {of} o; int main(void) {{ {0}; {0}; return 0; }}", object("&o"));
        check(&format!("twice_{name}"), &global, Some("is initialised twice"));
        let member = format!(
            "{head}struct s {{ int a; {of} o; }}; static void init(struct s *s) {{ s->a = 1; {}; }}\n",
            object("&s->o")
        );
        let local = format!("{member}int main(void) {{ struct s s; init(&s); init(&s); return 0; }}");
        check(&format!("twice_local_{name}"), &local, Some("is initialised twice"));
        let heap = format!(
            "{member}int main(void) {{ struct s *s = malloc(sizeof *s); init(s); free(s); s = malloc(sizeof *s); init(s); free(s);\n\
             return 0; }}"
        );
        check(&format!("twice_fine_{name}"), &heap, None);
    }
    let never = "static pthread_barrier_t b; int main(void) { pthread_barrier_wait(&b); return 0; }";
    check("never_initialised", never, Some("a use of a barrier that was destroyed or never initialised"));
}

#[test]
fn what_was_never_written_is_not_read() {
    for (name, text) in [
        ("heap", "int main(void) { int *p = malloc(8); int v = p[1]; (void)v; return 0; }"),
        ("variable", "static void f(int *p) { int v = *p; (void)v; }\nint main(void) { int x; f(&x); return 0; }"),
        ("register", "int main(void) { int x; int y = x; (void)y; return 0; }"),
        ("path", "static atomic_int c; int main(void) { int x; if (c) x = 1; int y = x; (void)y; return 0; }"),
        (
            "iteration",
            "int main(void) { for (int i = 0; i < 2; i++) { int x; if (i == 0) x = 1; int y = x; (void)y; } return 0; }",
        ),
        (
            "copy",
            "struct s { int a, b; }; int main(void) { struct s s, t; s.a = 1; t = s; int v = t.b; (void)v; return 0; }",
        ),
        (
            "exchange",
            "int main(void) { _Atomic(int) *p = malloc(4); int v = atomic_exchange(p, 1); (void)v; return 0; }",
        ),
        (
            "array",
            "int main(void) { int a[3]; a[0] = 1; a[2] = 2; for (int i = 0; i < 3; i++) { int v = a[i]; (void)v; } return 0; }",
        ),
    ] {
        check(&format!("unwritten_{name}"), text, Some("a read of memory or of a variable that was never written"));
        let path = file(&format!("unwritten_ignored_{name}"), &format!("{HEAD}{text}"));
        assert_eq!(is_wrong(&path, &["--model", "sc", "--ignore", "uninitialised"]), Some(false), "{text}");
    }
    check(
        "unwritten_fine",
        "struct s { int a, b; }; static struct s make(void) { struct s s; s.a = 1; return s; } static atomic_int c;\n\
         int main(void) { int x; if (c) x = 1; else x = 2; int y = x; struct s s = make(), t = s; assert(t.a == 1 && y == 2);\n\
         int *p = malloc(8), *q = malloc(8); p[0] = 3; memcpy(q, p, 8); assert(q[0] == 3); int k;\n\
         for (int i = 0; i < 2; i++) { if (i == 0) k = 5; assert(k == 5); } char b[4]; memset(b, 1, 4); assert(b[3] == 1);\n\
         free(p); free(q); int z[2] = {1}; assert(z[1] == 0); return 0; }",
        None,
    );
}

#[test]
fn atomic_accesses_are_aligned() {
    for (name, text) in [
        ("constant", "static char b[16]; int main(void) { atomic_int *p = (atomic_int *)(b + 1); *p = 1; return 0; }"),
        (
            "computed",
            "static long b[2]; static atomic_int n;\n\
             int main(void) { n = 2; atomic_int *p = (atomic_int *)((char *)b + n); atomic_fetch_add(p, 1); return 0; }",
        ),
        (
            "heap",
            "int main(void) { char *b = malloc(16); memset(b, 0, 16); short v = atomic_load((_Atomic short *)(b + 3)); (void)v;\n\
             free(b); return 0; }",
        ),
    ] {
        check(&format!("aligned_{name}"), text, Some("a misaligned atomic access"));
    }
    check(
        "aligned_fine",
        "static long b[2] = {0x500000003, 7}; static atomic_int n;\n\
         int main(void) { n = 4; atomic_int *p = (atomic_int *)((char *)b + n); assert(*p == 5); atomic_fetch_add(p, 1);\n\
         assert(*p == 6); return 0; }",
        None,
    );
}

/// All engines under C11 models find an error; on machines with stronger accesses there is none.
#[track_caller]
fn check_c11(name: &str, text: &str, expected: Option<&str>) {
    let text = format!("{HEAD}{text}");
    all_say(name, &text, &[("axiomatic", "rc11"), ("mcr", "rc11"), ("axiomatic", "rc20"), ("mcr", "rc20")], expected);
    all_say(name, &text, &[("auto", "sc")], None);
}

#[test]
fn relaxed_accesses_do_not_order_an_access_and_a_free() {
    let flag = |store: &str, load: &str, access: &str| {
        format!(
            "static _Atomic(int) *p; static atomic_int f;\n\
             static void *t(void *a) {{ {access} atomic_store_explicit(&f, 1, memory_order_{store}); return 0; }}\n\
             int main(void) {{ p = malloc(4); atomic_init(p, 0); pthread_t a; pthread_create(&a, 0, t, 0);\n\
             if (atomic_load_explicit(&f, memory_order_{load})) free((void *)p); pthread_join(a, 0); return 0; }}"
        )
    };
    let write = "atomic_store_explicit(p, 1, memory_order_relaxed);";
    let read = "int v = atomic_load_explicit(p, memory_order_relaxed); (void)v;";
    for (name, access) in [("write", write), ("read", read)] {
        check_c11(&format!("freed_relaxed_{name}"), &flag("relaxed", "relaxed", access), Some("a use after free: `"));
        check_c11(&format!("freed_half_{name}"), &flag("release", "relaxed", access), Some("a use after free: `"));
        check_c11(&format!("freed_fine_{name}"), &flag("release", "acquire", access), None);
    }
    let stack = |order: &str| {
        format!(
            "static _Atomic(int) *_Atomic p; static atomic_int f; static void *t(void *a) {{ _Atomic(int) x = 0; atomic_store(&p, &x);\n\
             while (!atomic_load_explicit(&f, memory_order_{order})); return 0; }}\n\
             int main(void) {{ pthread_t a; pthread_create(&a, 0, t, 0); _Atomic(int) *q; while (!(q = atomic_load(&p)));\n\
             atomic_store(q, 1); atomic_store(&f, 1); pthread_join(a, 0); return 0; }}"
        )
    };
    check_c11("left_relaxed", &stack("relaxed"), Some("a use after scope: `x`"));
    check_c11("left_fine", &stack("acquire"), None);
    let allocation = |order: &str| {
        format!(
            "static _Atomic(int) *_Atomic p; static void *t(void *a) {{ _Atomic(int) *q = malloc(4);\n\
             atomic_store_explicit(&p, q, memory_order_release); return 0; }}\n\
             int main(void) {{ pthread_t a; pthread_create(&a, 0, t, 0); _Atomic(int) *q = atomic_load_explicit(&p, memory_order_{order});\n\
             if (q) atomic_store(q, 1); pthread_join(a, 0); free((void *)p); return 0; }}"
        )
    };
    check_c11("allocated_relaxed", &allocation("relaxed"), Some("nothing orders"));
    check_c11("allocated_fine", &allocation("acquire"), None);
}

/// Behind the last member nothing but padding may be missing.
#[test]
fn objects_are_set_and_copied_with_their_padding() {
    let with = |text: &str| format!("struct s {{ int number; char letter; }};\nint main(void) {{ {text} return 0; }}");
    let short = "struct s *p = malloc(5);";
    let whole = "struct s *p = malloc(sizeof *p); memset(p, 0, sizeof *p); p->letter = 1;";
    let sum =
        "unsigned char *c = (unsigned char *)p; int n = 0; for (int i = 0; i < 8; i++) n += c[i]; assert(n == 1);";
    let out = Some("out of bounds");
    check("padding_set_short", &with(&format!("{short} memset(p, 0, sizeof *p); free(p);")), out);
    check("padding_to_short", &with(&format!("{short} struct s x = {{1, 2}}; memcpy(p, &x, sizeof x); free(p);")), out);
    let from = "p->number = 1; p->letter = 2; struct s x; memcpy(&x, p, sizeof x); free(p);";
    check("padding_from_short", &with(&format!("{short} {from}")), out);
    check("padding_whole", &with(&format!("{whole} {sum} free(p);")), None);
    let copied = "struct s x = *p; free(p); p = &x;";
    check("padding_copied", &with(&format!("{whole} {copied} {sum}")), None);
    let unwritten = "struct s *p = malloc(sizeof *p); p->number = 0; p->letter = 1;";
    check("padding_unwritten", &with(&format!("{unwritten} {sum} free(p);")), Some("never written"));
}

#[test]
fn the_verdict_claims_only_what_was_looked_for() {
    let text = "static int *p; int main(void) { int *q; { int x = 1; q = &x; *q = 2; } p = malloc(4); *p = 1; free(p); int n = *p;\n\
                (void)n; return 0; }";
    let path = file("claims", &format!("{HEAD}{text}"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    let output =
        command.args(["check", "--model", "sc", "--ignore", "use-after-free"]).arg(&path).output().expect("runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(!said.contains("after it was freed") && said.contains("never written"), "{said}");
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
