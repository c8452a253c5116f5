//! Runs the binary: what is asked is what is answered. No engine changes the model, and what means nothing is said or refused.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own for each test, with the files given.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("questions").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("the file can be written");
    }
    folder
}

fn palisade(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    command.output().expect("the binary runs")
}

/// Exit code, standard output, standard error.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = palisade(folder, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
}

/// Violated under rc11, whose relaxed loads may see old values; on sc it holds.
const BROKEN: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int ready, data;
void *producer(void *p) {
    atomic_store_explicit(&data, 7, memory_order_relaxed);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return 0;
}
void *consumer(void *p) {
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 7);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

const SB64: &str = "X86_64 stores
{ uint64_t p=0; uint64_t q=0; }
 P0            | P1            ;
 movq $1,(p)   | movq $1,(q)   ;
 movq (q),%rax | movq (p),%rax ;
exists (0:rax=0 /\\ 1:rax=0)
";

#[test]
fn an_engine_never_changes_the_model() {
    let folder = folder("engines", &[("broken.c", BROKEN), ("stores.litmus", SB64)]);
    let (code, said, _) = run(&folder, &["check", "broken.c"]);
    assert!(code == 1 && said.contains("under rc11"), "{said}");
    let (code, said, message) = run(&folder, &["check", "broken.c", "--engine", "operational"]);
    assert!(code == 2 && said.is_empty() && message.contains("rc11"), "{said}{message}");
    for (engine, model) in [("operational", "rc11"), ("mcr", "c11")] {
        for command in ["check", "outcomes"] {
            let (code, said, message) = run(&folder, &[command, "broken.c", "--engine", engine, "--model", model]);
            assert_eq!((code, said.as_str()), (2, ""), "{message}");
            for part in [model, "--engine axiomatic", "sc, tso, pso"] {
                assert!(message.contains(part), "{message}");
            }
        }
        let (code, said, message) = run(&folder, &["check", "stores.litmus", "--engine", engine]);
        assert!(code == 0 && said.contains("under tso"), "{said}{message}");
        let (code, said, _) = run(&folder, &["check", "broken.c", "--engine", engine, "--model", "sc"]);
        assert!(code == 0 && said.contains("under sc"), "{said}");
    }
    let java = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/java/jpr/Hash.class");
    let java = java.to_str().expect("a name");
    for engine in ["operational", "mcr"] {
        let (code, _, message) = run(&folder, &["check", java, "--engine", engine]);
        assert!(code == 2 && message.contains("model jmm:") && message.contains("--engine axiomatic"), "{message}");
    }
}

#[test]
fn a_model_that_an_engine_does_not_have_is_refused_with_those_that_have_it() {
    let folder = folder("lacking", &[("broken.c", BROKEN)]);
    let refused = |arguments: &[&str], parts: &[&str]| {
        let (code, _, message) = run(&folder, arguments);
        assert_eq!(code, 2, "{arguments:?}: {message}");
        parts.iter().for_each(|part| assert!(message.contains(part), "{arguments:?}: {part} is missing in {message}"));
    };
    refused(&["check", "broken.c", "--model", "jmm_over"], &["--engine operational"]);
    refused(&["check", "broken.c", "--engine", "mcr", "--model", "c11"], &["--engine axiomatic", "sc, tso, pso"]);
    refused(&["check", "broken.c", "--model", "tos"], &["did you mean tso?"]);
    refused(&["models", "tos"], &["did you mean tso?"]);
    refused(&["models", "jmm_over"], &["jmm_over is a machine alone"]);
    refused(&["check", "broken.c", "--engine", "mcr", "--model", "ps0"], &["did you mean pso?"]);
    refused(&["fences", "broken.c", "--model", "rc12"], &["did you mean rc11?"]);
    refused(&["compare", "scc", "tso", "broken.c"], &["did you mean sc?"]);
}

/// Peterson's algorithm with C11's default order, and with relaxed stores that a buffer may keep.
fn peterson(store: &str) -> String {
    let side = |name: &str, own: &str, other: &str, turn: i32| {
        format!(
            "void *{name}(void *p) {{ STORE({own}, 1); STORE(last, {turn});
              while (atomic_load(&{other}) && atomic_load(&last) == {turn}) ;
              assert(users == 0); users = 1; users = 0; STORE({own}, 0); return 0; }}\n"
        )
    };
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#define STORE(x, v) {store}\n\
         atomic_int left, right, last; int users;\n{}{}int main(void) {{ pthread_t a, b; pthread_create(&a, 0, one, 0); \
         pthread_create(&b, 0, two, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }}\n",
        side("one", "left", "right", 0),
        side("two", "right", "left", 1),
    )
}

#[test]
fn c_means_what_it_is_compiled_to_on_machines_with_buffers() {
    let sc = peterson("atomic_store(&x, v)");
    let relaxed = peterson("atomic_store_explicit(&x, v, memory_order_relaxed)");
    let folder = folder("compiled", &[("sc.c", &sc), ("relaxed.c", &relaxed), ("data.c", MAILBOX)]);
    for model in ["tso", "pso"] {
        for engine in ["axiomatic", "operational", "mcr"] {
            let code = |arguments: &[&str]| {
                let options = ["--model", model, "--engine", engine, "--no-explain"];
                let (code, said, message) = run(&folder, &[arguments, &options].concat());
                (code, format!("{arguments:?} {model} {engine}: {said}{message}"))
            };
            let expect = |expected: i32, (code, said): (i32, String)| assert_eq!(code, expected, "{said}");
            expect(0, code(&["check", "sc.c"]));
            expect(1, code(&["check", "sc.c", "--memory-orders", "ignored"]));
            expect(1, code(&["check", "relaxed.c"]));
            expect(0, code(&["check", "data.c", "--test", "(p|t)"]));
            let ignored = if model == "pso" { 1 } else { 0 };
            expect(ignored, code(&["check", "data.c", "--test", "(p|t)", "--memory-orders", "ignored"]));
        }
    }
    let (code, _, message) = run(&folder, &["check", "sc.c", "--memory-orders", "ignored"]);
    assert!(code == 2 && message.contains("under tso and pso"), "{message}");
    let (code, _, message) = run(&folder, &["fences", "sc.c", "--model", "tso", "--orders"]);
    assert!(code == 2 && message.contains("rc11"), "{message}");
}

/// A mailbox of one message: put, take.
const MAILBOX: &str = "#include <stdatomic.h>
int letter; atomic_int full;
void i(void) { letter = 0; atomic_init(&full, 0); }
void p(void) { letter = 5; atomic_store_explicit(&full, 1, memory_order_release); }
int t(void) { return atomic_load_explicit(&full, memory_order_acquire) ? letter : -1; }
";

#[test]
fn litmus_tests_in_c_mean_what_they_are_compiled_to_and_files_see_orders() {
    let own = "let fence = po; [W & SC]; po\nacyclic po-loc | rf | co | fr\nacyclic fence | fr | rfe | co";
    let folder = folder("litmus", &[("dekker.litmus", DEKKER), ("tso.cat", own)]);
    for (options, expected) in [
        (vec!["--model", "tso"], "Forbidden"),
        (vec!["--model", "tso", "--memory-orders", "ignored"], "Allowed"),
        (vec!["--model", "pso", "--engine", "mcr"], "Forbidden"),
        (vec!["--model", "pso", "--engine", "operational", "--memory-orders", "ignored"], "Allowed"),
        (vec!["--model", "./tso.cat"], "Allowed"),
    ] {
        let (_, said, message) = run(&folder, &[&["check", "dekker.litmus", "--no-explain"], &options[..]].concat());
        assert!(said.contains(expected), "{options:?}: {said}{message}");
    }
    let (code, said, _) = run(&folder, &["compare", "tso", "rc11", "dekker.litmus"]);
    assert!(code == 0, "{said}");
    let (code, said, _) = run(&folder, &["compare", "tso", "rc11", "dekker.litmus", "--memory-orders", "ignored"]);
    assert!(code == 1, "{said}");
    let (_, said, _) = run(&folder, &["suite", "dekker.litmus", "--model", "pso", "--format", "json"]);
    assert!(said.contains("\"answer\":\"forbidden\""), "{said}");
}

const DEKKER: &str = "C dekker
{ a=0; b=0; }
P0 (atomic_int* a, atomic_int* b) { atomic_store(a, 1); int seen = atomic_load(b); }
P1 (atomic_int* a, atomic_int* b) { atomic_store(b, 1); int seen = atomic_load(a); }
exists (0:seen=0 /\\ 1:seen=0)
";

#[test]
fn what_means_nothing_under_the_model_is_said_in_every_format() {
    let fenced = SB64.replace("movq (q)", "mfence | mfence ;\n movq (q)");
    let lsl = "#include \"lsl_protos.h\"\nint x; void i(void) { x = 0; }\n#define BARRIER lsl_fence(\"store-store\")\n\
               void a(void) { x = 1; BARRIER; x = 2; }\nint b(void) { return x; }\n";
    let locks = "#include <pthread.h>\npthread_mutex_t m; int n;\nvoid *t(void *p) { pthread_mutex_lock(&m); n++; \
                 pthread_mutex_unlock(&m); return 0; }\nint main(void) { pthread_t a; pthread_mutex_init(&m, 0); \
                 pthread_create(&a, 0, t, 0); pthread_join(a, 0); return 0; }\n";
    let unnamed = "#include <stdatomic.h>\natomic_int f; void s(void) { f = 1; }\nint w(void) { return f; }\n";
    let files =
        [("f.litmus", fenced.as_str()), ("lsl.c", lsl), ("c11.c", BROKEN), ("locks.c", locks), ("unnamed.c", unnamed)];
    let folder = folder("warnings", &files);
    let all = |arguments: &[&str]| {
        let (_, said, message) = run(&folder, arguments);
        said + &message
    };
    for format in ["text", "json", "html", "svg", "dot", "herd"] {
        let said = all(&["check", "f.litmus", "--model", "rc11", "--format", format]);
        assert!(said.contains("(MFENCE) mean nothing under rc11"), "{format}: {said}");
    }
    for format in ["text", "json", "junit", "herd"] {
        let said = all(&["suite", "f.litmus", "--model", "rc11", "--format", format]);
        assert!(said.contains("(MFENCE) mean nothing under rc11"), "{format}: {said}");
    }
    for format in ["text", "json"] {
        let said = all(&["compare", "tso", "c11", "f.litmus", "--format", format]);
        assert!(said.contains("(MFENCE) mean nothing under c11"), "{format}: {said}");
    }
    let said = all(&["check", "lsl.c", "--test", "(a|b)", "--model", "rc11", "--no-explain"]);
    assert!(said.contains("(store-store) mean nothing under rc11"), "{said}");
    for engine in ["axiomatic", "operational", "mcr"] {
        let said = all(&["check", "c11.c", "--model", "sc", "--engine", engine]);
        assert!(said.contains("memory orders of this program mean nothing under sc"), "{said}");
        let said = all(&["check", "c11.c", "--model", "tso", "--engine", engine, "--memory-orders", "ignored"]);
        assert!(said.contains("memory orders of this program mean nothing under tso"), "{said}");
        let said = all(&["check", "c11.c", "--model", "tso", "--engine", engine]);
        assert!(!said.contains("mean nothing"), "{said}");
    }
    // An atomic access without a named order is seq_cst: sc gives that, what is weaker and has no orders does not.
    let unnamed = all(&["check", "unnamed.c", "--test", "(s|w)", "--model", "relaxed"]);
    assert!(unnamed.contains("memory orders of this program mean nothing under relaxed"), "{unnamed}");
    // What locks bring along is not the program's own, and what a model knows means something.
    for arguments in [
        &["check", "locks.c"][..],
        &["check", "locks.c", "--model", "relaxed"],
        &["check", "unnamed.c", "--test", "(s|w)", "--model", "sc"],
        &["check", "c11.c"],
        &["check", "f.litmus"],
        &["check", "lsl.c", "--test", "(a|b)", "--model", "relaxed"],
    ] {
        let said = all(arguments);
        assert!(!said.contains("mean nothing"), "{arguments:?}: {said}");
    }
}

#[test]
fn flags_do_not_depend_on_explanations_and_no_race_is_not_malign() {
    let racy = "C racy\n{ d=0; }\nP0 (int* d) { *d = 1; }\nP1 (int* d) { int seen = *d; }\nexists (1:seen=1)\n";
    let calm = "#include <pthread.h>\nint n; void *t(void *p) { n = 1; return 0; }\nint main(void) { pthread_t a; \
                pthread_create(&a, 0, t, 0); pthread_join(a, 0); return n - 1; }\n";
    let folder = folder("flags", &[("racy.litmus", racy), ("calm.c", calm)]);
    for command in ["check", "outcomes"] {
        for options in [&[][..], &["--no-explain"], &["--no-explain", "--format", "json"]] {
            let (_, said, _) = run(&folder, &[&[command, "racy.litmus"], options].concat());
            assert!(said.contains("data-race"), "{command} {options:?}: {said}");
        }
    }
    let (code, said, _) = run(&folder, &["check", "racy.litmus", "--no-explain", "--format", "junit"]);
    assert!(code == 0 && said.contains("<system-out>Flag: some execution raises `data-race`"), "{said}");
    for engine in ["operational", "mcr"] {
        let (code, said, _) = run(&folder, &["races", "calm.c", "--engine", engine, "--format", "json"]);
        assert!(code == 0 && said.contains("\"benign\":null"), "{said}");
    }
}

/// Which of two threads does the signal wake?
const SIGNAL: &str = "#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int full;
void *waits(void *p) { pthread_mutex_lock(&m); while (!full) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, waits, 0);
  pthread_create(&b, 0, waits, 0);
  pthread_mutex_lock(&m);
  full = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return 0;
}
";

#[test]
fn files_of_no_kind_are_told_in_rows() {
    let folder = folder("rows_of_no_kind", &[("notes.md", "# Notes\n"), ("s.litmus", SB64)]);
    let (code, said, _) = run(&folder, &["suite", "notes.md", "s.litmus"]);
    assert!(code == 1 && said.contains("notes.md: unknown kind of file"), "{said}");
    let (code, said, _) = run(&folder, &["compare", "sc", "tso", "notes.md", "s.litmus", "--format", "json"]);
    assert!(code != 0 && said.contains("notes.md: unknown kind of file"), "{said}");
}

#[test]
fn rows_that_are_refused_name_their_model() {
    let kernel = "C kernel\n{}\nP0 (int* x) { WRITE_ONCE(*x, 1); }\nexists (x=1)\n";
    let folder = folder("refused_rows", &[("kernel.litmus", kernel)]);
    let (_, said, _) = run(&folder, &["suite", "kernel.litmus"]);
    assert!(said.contains("unsupported  kernel.litmus  rc11"), "{said}");
}

#[test]
fn options_and_files_that_mean_nothing_are_refused() {
    let files = [
        ("broken.c", BROKEN),
        ("s.litmus", SB64),
        ("data.c", MAILBOX),
        ("signal.c", SIGNAL),
        ("notes.md", "# Notes\n"),
        ("x.cpp", "int main() {}\n"),
        ("empty.cat", ""),
    ];
    let folder = folder("usage", &files);
    std::fs::write(folder.join("a.zip"), b"PK\x03\x04\0\0").expect("written");
    std::fs::write(folder.join("program"), b"\x7fELF\x02\x01\x01\0").expect("written");
    std::fs::hard_link(folder.join("s.litmus"), folder.join("hard.litmus")).expect("linked");
    for (arguments, part) in [
        (&["check", "data.c", "--test", "(p|t)", "--exists", "x=1"][..], "--exists"),
        (&["check", "s.litmus", "-D", "N=1"], "--define"),
        (&["check", "s.litmus", "--test", "(p|t)"], "--test"),
        (&["outcomes", "s.litmus", "-I", "."], "--include"),
        (&["check", "broken.c", "--executions", "2"], "--executions"),
        (&["check", "broken.c", "--unroll", "2"], "--unroll"),
        (&["check", "s.litmus", "--unroll", "2", "--engine", "mcr"], "--unroll"),
        (&["check", "data.c", "--test", "(p|t)", "--question", "possible"], "--question"),
        (&["outcomes", "s.litmus", "--question", "possible"], "--question"),
        (&["check", "s.litmus", "--executions", "2"], "several executions"),
        (&["check", "s.litmus", "-I", ".", "--model", "tso"], "--include"),
        (&["check", "s.litmus", "--depth", "3"], "--depth is for --engine operational"),
        (&["check", "s.litmus", "--schedule", "s.txt"], "--schedule"),
        (&["check", "s.litmus", "broken.c", "--schedule", "s.txt", "--engine", "mcr", "-m", "sc"], "one file"),
        (&["check", "s.litmus", "--max-executions", "3"], "--max-executions is for --engine mcr"),
        (&["check", "s.litmus", "--exhaustive"], "--exhaustive is for --engine mcr"),
        (&["check", "s.litmus", "--ways-out", "states"], "--ways-out is for --engine mcr"),
        (&["check", "s.litmus", "--jobs", "2"], "--jobs is for --engine mcr"),
        (&["outcomes", "s.litmus", "--engine", "mcr", "--exhaustive"], "--exhaustive is for `check`"),
        (&["check", "s.litmus", "--max-iterations", "3"], "--max-iterations is for C"),
        (
            &["check", "broken.c", "--max-iterations", "3", "--engine", "mcr", "-m", "sc"],
            "--max-iterations is for C with the axiomatic",
        ),
        (&["check", "broken.c", "--max-instructions", "3"], "--max-instructions"),
        (&["check", "s.litmus", "--tearing"], "--tearing is for Java"),
        (&["check", "broken.c", "--source-path", "."], "--source-path is for Java class files"),
        (&["check", "s.litmus", "--memory-orders", "compiled"], "--memory-orders is for C"),
        (&["races", "broken.c", "--jobs", "2"], "--jobs is for --engine mcr"),
        (&["races", "data.c", "--test", "(p|t)", "--reference", "data.c"], "--reference"),
        (&["compare", "sc", "tso", "s.litmus", "-I", "."], "--include is for C files and model files"),
        (&["compare", "sc", "tso", "s.litmus", "--executions", "2"], "not for sc and tso"),
        (&["compare", "sc", "rc11", "s.litmus", "--memory-orders", "ignored"], "--memory-orders is for C"),
        (&["compare", "sc", "tso", "s.litmus", "--tearing"], "--tearing is for Java"),
        (&["suite", "s.litmus", "--tearing"], "--tearing is for Java"),
        (&["suite", "s.litmus", "-I", ".", "--model", "tso"], "--include is for model files"),
        (&["suite", "s.litmus", "--max-iterations", "3"], "--max-iterations is for C files"),
        (&["suite", "broken.c", "--unroll", "3"], "--unroll is for litmus tests and Java"),
        (&["fences", "s.litmus", "--orders"], "`fences` is for C files"),
        (&["fences", "broken.c", "--max-instructions", "9"], "--max-instructions is for bounded tests"),
        (&["fences", "broken.c", "--model", "relaxed", "--cost", "acquire=3"], "the fences under relaxed are"),
        (&["fences", "broken.c", "--orders", "--cost", "store-load=3"], "the memory orders under rc11 are acquire"),
        (&["check", "broken.c", "-I", "nowhere"], "nowhere"),
        (&["fences", "broken.c", "-I", "nowhere"], "nowhere"),
        (&["races", "s.litmus", "-D", "N=1"], "--define"),
        (&["check", "notes.md"], "unknown kind of file"),
        (&["check", "x.cpp"], "unknown kind of file"),
        (&["check", "a.zip"], "unknown kind of file"),
        (&["races", "program"], "unknown kind of file"),
        (&["check", "s.litmus", "--model", "./empty.cat"], "holds no model"),
        (&["check", "s.litmus", "-o", "./s.litmus"], "is an input"),
        (&["check", "s.litmus", "-o", "hard.litmus"], "is an input"),
        (&["suite", ".", "-o", "s.litmus"], "s.litmus: is a program or a model"),
        (&["compare", "sc", "tso", ".", "-o", "broken.c"], "broken.c: is a program or a model"),
        (&["check", "broken.c", "--with", "data.c", "-o", "data.c"], "data.c: is a program or a model"),
        (&["check", "signal.c", "--engine", "mcr"], "a choice (such as which of several threads a signal wakes)"),
        (&["compare", "sc", "tso", "s.litmus", "-o", "s.litmus"], "is an input"),
        (&["fences", "broken.c", "-o", "broken.c"], "is an input"),
        (&["check", "no\u{1b}[1mfile.litmus"], "no\\u{1b}[1mfile"),
    ] {
        let (code, _, message) = run(&folder, arguments);
        assert_eq!(code, 2, "{arguments:?}: {message}");
        assert!(message.contains(part), "{arguments:?}: `{part}` is missing in {message}");
    }
    assert_eq!(std::fs::read_to_string(folder.join("s.litmus")).expect("still there"), SB64);
    for arguments in [
        &["check", "s.litmus", "--unroll", "2"][..],
        &["check", "data.c", "--test", "(p|t)", "--max-instructions", "9999", "--max-iterations", "9"],
        &["suite", "broken.c", "--max-iterations", "9"],
    ] {
        let (code, said, message) = run(&folder, arguments);
        assert_eq!(code, 0, "{arguments:?}: {said}{message}");
    }
}

#[test]
fn everything_that_is_not_modelled_is_listed_at_once() {
    let c = "struct real { long double few; };\nint x;\nlong double half(int v) { return v; }\nint main(void) {\n  asm(\"cpuid\");\n  \
             long double z = 1;\n  z = z + 2;\n  x = one(x) + two(x);\n  struct real b;\n  b.few = 1;\n  half(3);\n  return 0;\n}\n";
    let litmus = "C refused\n{}\nP0 (atomic_int* x) {\n  goto l;\n  spin_lock(x);\n}\nP1 (atomic_int* x) {\n  int r[3];\n  \
                  atomic_signal_fence(memory_order_seq_cst);\n}\nexists (x=1)\n";
    let folder = folder("at_once", &[("c.c", c), ("c.litmus", litmus)]);
    let places = |file: &str, message: &str| -> Vec<String> {
        let start = format!("{file}:");
        let lines = message.lines().filter_map(|line| line.trim().strip_prefix("--> ")?.strip_prefix(&start));
        lines.filter_map(|place| Some(place.split(':').next()?.to_string())).collect()
    };
    let (code, _, message) = run(&folder, &["check", "c.c"]);
    assert_eq!(
        (code, places("c.c", &message)),
        (2, ["1", "3", "5", "6", "8", "8"].map(String::from).to_vec()),
        "{message}"
    );
    assert!(message.contains("`one`") && message.contains("`two`"), "{message}");
    let (code, _, message) = run(&folder, &["check", "c.litmus"]);
    assert_eq!((code, places("c.litmus", &message)), (2, ["4", "5", "8", "9"].map(String::from).to_vec()), "{message}");
}

#[test]
fn a_refusal_names_the_command_of_an_engine_that_runs_the_program() {
    let nested = "#include <pthread.h>\nint n; void *inner(void *p) { n = 1; return 0; }\nvoid *outer(void *p) { pthread_t b; \
                  pthread_create(&b, 0, inner, 0); pthread_join(b, 0); return 0; }\nint main(void) { pthread_t a; \
                  pthread_create(&a, 0, outer, 0); pthread_join(a, 0); return 0; }\n";
    let folder = folder("other", &[("nested.c", nested)]);
    // Without races of other accesses than seq_cst ones, sc says what rc11 says.
    assert_eq!(run(&folder, &["check", "nested.c"]).0, 0);
    let weak = nested.replace("int n;", "_Atomic int n;").replace("n = 1;", "__atomic_store_n(&n, 1, 0);");
    let weak = weak
        .replace("pthread_t a; ", "pthread_t a; __atomic_load_n(&n, 0); ")
        .replace("outer, 0); ", "outer, 0); __atomic_load_n(&n, 0); ");
    std::fs::write(folder.join("nested.c"), weak).expect("written");
    assert_eq!(run(&folder, &["check", "nested.c"]).0, 0);
    let (code, _, message) = run(&folder, &["check", "nested.c", "--engine", "axiomatic"]);
    let command = "palisade check nested.c --engine operational --model sc";
    assert!(code == 2 && message.contains(command), "{message}");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    assert_eq!(run(&folder, &words).0, 0);
}

#[test]
fn a_schedule_is_replayed_only_with_the_program_it_was_written_for() {
    let other = BROKEN.replace("== 7", "== 6 + N");
    let folder = folder("schedules", &[("broken.c", BROKEN), ("other.c", &other)]);
    let check = ["check", "broken.c", "--model", "pso", "--engine", "mcr", "--schedule", "s.txt"];
    assert_eq!(run(&folder, &check).0, 1);
    let (exit, shown, _) = run(&folder, &["replay", "broken.c", "s.txt"]);
    assert!(exit == 1 && shown.contains("ssertion fails"), "{shown}");
    let (exit, _, said) = run(&folder, &["replay", "broken.c", "s.txt", "-D", "N=2"]);
    assert!(exit == 2 && said.contains("it was written without -D N=2, which has no effect"), "{said}");
    let (exit, _, said) = run(&folder, &["replay", "other.c", "s.txt", "-D", "N=2"]);
    assert!(exit == 2 && said.contains("it was written for another program: broken.c without options"), "{said}");
    let check = [
        "check",
        "other.c",
        "-D",
        "N=1",
        "--model",
        "pso",
        "--engine",
        "operational",
        "--memory-orders",
        "ignored",
        "--schedule",
        "t.txt",
    ];
    assert_eq!(run(&folder, &check).0, 1);
    let (exit, _, said) = run(&folder, &["replay", "other.c", "t.txt", "-D", "N=2"]);
    assert!(exit == 2 && said.contains("other.c with -D N=1 --memory-orders ignored"), "{said}");
    let same = ["replay", "other.c", "t.txt", "-D", "N=1", "--memory-orders", "ignored"];
    assert_eq!(run(&folder, &same).0, 1);
}
