//! The C files of `suites/c`: they parse, gcc accepts them, their fences are those that are counted in the literature, and run
//! one operation at a time the data types answer as their references do.

use std::path::{Path, PathBuf};
use std::process::Command;

use frontend::c::preprocess::preprocess;
use program::Sources;

/// Each data type, its reference, and the operations of its harness.
const DATA_TYPES: &[(&str, &str, &[&str])] = &[
    ("ms2", "queue_ref", &["e", "d"]),
    ("msn", "queue_ref", &["e", "d"]),
    ("lazylist", "set_ref", &["a", "c", "r", "a_n", "c_n", "r_n"]),
    ("harris", "set_ref", &["a", "c", "r", "a_n", "c_n", "r_n"]),
    ("snark", "deque_ref", &["al", "ar", "rl", "rr", "al_n", "ar_n", "rl_n", "rr_n"]),
    ("snark_published", "deque_ref", &["al", "ar", "rl", "rr", "al_n", "ar_n", "rl_n", "rr_n"]),
    ("treiber", "stack_ref", &["p", "o", "p_n", "o_n"]),
    ("chase_lev", "steal_ref", &["p", "t", "s", "s_n"]),
];

/// Macros that choose a variant of a file.
const VARIANTS: &[&str] = &["REUSE", "PUBLISHED", "BROKEN", "THESIS"];

/// Figure 8.3 of the CheckFence thesis: load-load, store-store, aliased-loads, data-dependent-loads.
const FENCES: &[(&str, [usize; 4])] = &[
    ("ms2", [0, 1, 0, 1]),
    ("msn", [4, 2, 2, 1]),
    ("lazylist", [0, 1, 0, 3]),
    ("harris", [0, 1, 3, 2]),
    ("snark", [2, 4, 6, 4]),
];

fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/c")
}

fn headers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/c/headers")
}

/// The C files of the suite.
fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(suite()).expect("folder").map(|entry| entry.expect("entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "c")).collect();
    files.sort();
    files
}

fn preprocessed(path: &Path, defines: &[(String, String)]) -> String {
    let text = std::fs::read_to_string(path).expect("file");
    let mut include = |name: &str, _: &str| Some((name.to_string(), std::fs::read_to_string(suite().join(name)).ok()?));
    match preprocess(&path.to_string_lossy(), &text, &mut include, defines, &mut Sources::new()) {
        Ok(result) => result.text,
        Err(wrong) => panic!("{wrong}"),
    }
}

fn has_gcc() -> bool {
    let found = Command::new("gcc").arg("--version").output().is_ok();
    if !found {
        println!("skipped: no gcc");
    }
    found
}

/// Runs gcc; what it writes to standard output.
fn gcc(arguments: &[&str], paths: &[&Path]) -> String {
    let output = Command::new("gcc").arg("-std=gnu11").args(arguments).args(paths).output().expect("gcc runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{arguments:?} {paths:?}\n{said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_file_parses_in_all_its_variants() {
    let config = lang_c::driver::Config { flavor: lang_c::driver::Flavor::GnuC11, ..lang_c::driver::Config::default() };
    assert!(files().len() >= 18);
    for path in files() {
        let variants = VARIANTS.iter().map(|name| vec![(name.to_string(), "1".to_string())]);
        for defines in std::iter::once(Vec::new()).chain(variants) {
            let text = preprocessed(&path, &defines);
            if let Err(wrong) = lang_c::driver::parse_preprocessed(&config, text) {
                panic!("{} {defines:?}: {wrong}", path.display());
            }
        }
    }
}

#[test]
fn every_file_has_the_tokens_that_gcc_finds() {
    if !has_gcc() {
        return;
    }
    let (folder, predefined) = (headers(), headers().join("predefined.h"));
    let options = ["-E", "-P", "-w", "-nostdinc", "-undef", "-imacros", predefined.to_str().expect("text"), "-I"];
    for path in files() {
        let theirs = gcc(&options, &[&folder, &path]);
        let squeeze = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(squeeze(&preprocessed(&path, &[])), squeeze(&theirs), "{}", path.display());
    }
}

#[test]
fn gcc_accepts_every_file_without_a_warning() {
    if !has_gcc() {
        return;
    }
    for path in files() {
        // First with the system's own headers, then with ours alone; ours have no generic atomic functions.
        gcc(&["-fsyntax-only", "-Wall", "-idirafter"], &[&headers(), &path]);
        let text = std::fs::read_to_string(&path).expect("file");
        if !text.contains("stdatomic.h") {
            gcc(&["-fsyntax-only", "-Wall", "-Wno-strict-prototypes", "-nostdinc", "-I"], &[&headers(), &path]);
        }
    }
}

#[test]
fn fences_are_those_of_the_thesis() {
    for (name, expected) in FENCES {
        let thesis = [("THESIS".to_string(), "1".to_string())];
        let text = preprocessed(&suite().join(format!("{name}.c")), &thesis);
        let count = |kind: &str| text.matches(&format!("lsl_fence ( \"{kind}\" )")).count();
        let found = ["load-load", "store-store", "aliased-loads", "data-dependent-loads"].map(count);
        assert_eq!(found, *expected, "{name}");
        assert_eq!(text.matches("lsl_fence ( \"").count(), expected.iter().sum::<usize>(), "{name}");
    }
}

/// The library for one thread. Blocks are poisoned when they come and when they go.
const LIBRARY: &str = r#"
#include "lsl_protos.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long state = 88172645463325252ULL;
unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % below);
}
static void fail(const char *why) { printf("%s\n", why); exit(1); }
void *lsl_malloc(size_t size) { void *block = malloc(size); memset(block, 0x5a, size); return block; }
void lsl_free(void *block) { free(block); }
void *lsl_malloc_noreuse(size_t size) { return lsl_malloc(size); }
void lsl_free_noreuse(void *block) { }
void lsl_assert(boolean_t condition) { if (!condition) fail("assertion"); }
void lsl_assume(boolean_t condition) { if (!condition) fail("a retry without another thread"); }
void lsl_initlock(lsl_lock_t *lock) { *lock = 0; }
void lsl_lock(lsl_lock_t *lock) { if (*lock != 0) fail("deadlock"); *lock = 1; }
void lsl_unlock(lsl_lock_t *lock) { if (*lock != 1) fail("unlock"); *lock = 0; }
void lsl_fence(const char *kind) { }
void lsl_observe_label(const char *operation) { printf("\n%s", operation); }
void lsl_observe_input(const char *name, int value) { printf(" %s=%d", name, value); }
void lsl_observe_output(const char *name, int value) { printf(" %s:%d", name, value); }
int lsl_nondet(int least, int greatest) { return least + (int)draw(greatest - least + 1); }
boolean_t lsl_cas_32(void *place, uint32 expected, uint32 desired)
{
    uint32 *word = place;
    if (*word != expected) return false;
    *word = desired;
    return true;
}
boolean_t lsl_cas_ptr(void *place, void *expected, void *desired)
{
    void **word = place;
    if (*word != expected) return false;
    *word = desired;
    return true;
}
boolean_t lsl_dcas_ptr(void *place1, void *place2, void *expected1, void *expected2, void *desired1, void *desired2)
{
    void **word1 = place1, **word2 = place2;
    if (*word1 != expected1 || *word2 != expected2) return false;
    *word1 = desired1;
    *word2 = desired2;
    return true;
}
"#;

/// Calls operations at random: rounds of a few, each after setting up anew.
fn driver(operations: &[&str]) -> String {
    let declared: String = operations.iter().map(|name| format!("void {name}(void);\n")).collect();
    format!(
        "{declared}void i(void);\nunsigned draw(unsigned);\nstatic void (*operation[])(void) = {{ {} }};\n\
         int main(void)\n{{\n    for (int round = 0; round < 2000; round++) {{\n        i();\n\
         for (int step = draw(9); step > 0; step--)\n            operation[draw({})]();\n    }}\n    return 0;\n}}\n",
        operations.join(", "),
        operations.len()
    )
}

#[test]
fn one_operation_at_a_time_data_types_answer_as_their_references() {
    if !has_gcc() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("palisade-suites-c-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("folder");
    let library = folder.join("library.c");
    std::fs::write(&library, LIBRARY).expect("written");
    for (name, reference, operations) in DATA_TYPES {
        let main = folder.join("main.c");
        std::fs::write(&main, driver(operations)).expect("written");
        let answers = |name: &str, define: &str| {
            let program = folder.join("program");
            let source = suite().join(format!("{name}.c"));
            let options = ["-O1", define, "-fno-builtin", "-o", program.to_str().expect("text"), "-idirafter"];
            gcc(&options, &[&headers(), &library, &main, &source]);
            let output = Command::new(&program).output().expect("runs");
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let last = said.lines().last().unwrap_or_default();
            assert!(output.status.success(), "{name}: {last}");
            said
        };
        let expected = answers(reference, "-DREFERENCE");
        assert!(expected.lines().count() > 4_000, "{reference}");
        assert!(expected.contains(":0") && expected.contains(":1"), "{reference}");
        for define in ["-DPLAIN", "-DREUSE"] {
            assert!(answers(name, define) == expected, "{name} {define} does not answer as {reference}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}
