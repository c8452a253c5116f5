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
    for engine in ["operational", "mcr"] {
        for command in ["check", "outcomes"] {
            let (code, said, message) = run(&folder, &[command, "broken.c", "--engine", engine]);
            assert_eq!((code, said.as_str()), (2, ""), "{message}");
            for part in ["rc11", "--engine axiomatic", "sc, tso, pso"] {
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
        assert!(code == 2 && message.contains("jmm-revised") && message.contains("--engine axiomatic"), "{message}");
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
    refused(&["check", "broken.c", "--engine", "mcr", "--model", "ps0"], &["did you mean pso?"]);
    refused(&["fences", "broken.c", "--model", "rc12"], &["did you mean rc11?"]);
    refused(&["compare", "scc", "tso", "broken.c"], &["did you mean sc?"]);
}
