//! The command `fences`: what it finds suffices, costs least, and the patch it prints applies.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A message and a flag. Fences may stand where the letters are.
const MESSAGE: &str = "#include \"lsl_protos.h\"
int data;
int flag;
void s(void)
{
    data = 1;
    //A
    flag = 1;
}
void r(void)
{
    int f = flag;
    //B
    int d = data;
    lsl_observe_output(\"f\", f);
    if (f)
        lsl_observe_output(\"d\", d);
}
";

/// Each thread writes one variable and reads the other.
const BUFFERS: &str = "#include \"lsl_protos.h\"
int x;
int y;
void s(void)
{
    x = 1;
    //A
    lsl_observe_output(\"y\", y);
}
void r(void)
{
    y = 1;
    //B
    lsl_observe_output(\"x\", x);
}
";

/// What the buffers may show: anything but that nobody sees the other.
const ANYTHING_BUT_ZEROS: &str = "#include \"lsl_protos.h\"
int taken;
static int value(void)
{
    int value = lsl_nondet(0, 1);
    if (value == 0) {
        lsl_assume(taken == 0);
        taken = 1;
    }
    return value;
}
void s(void)
{
    lsl_observe_output(\"y\", value());
}
void r(void)
{
    lsl_observe_output(\"x\", value());
}
";

/// What the message may show.
const NEWS_OR_NOTHING: &str = "#include \"lsl_protos.h\"
int sent;
void s(void)
{
    sent = 1;
}
void r(void)
{
    lsl_observe_output(\"f\", sent);
    if (sent)
        lsl_observe_output(\"d\", 1);
}
";

/// The message with C11 atomics, stronger than needed.
const ATOMIC: &str = "#include \"lsl_protos.h\"
#include <stdatomic.h>
int data;
atomic_int flag;
void s(void)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_seq_cst);
}
void r(void)
{
    int f = atomic_load_explicit(&flag, memory_order_seq_cst);
    lsl_observe_output(\"f\", f);
    if (f)
        lsl_observe_output(\"d\", data);
}
";

fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/c")
}

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
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

/// What the command prints; it ends with this code.
fn prints(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = palisade(folder, arguments);
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{text}{errors}");
    text.into_owned()
}

/// The members of the set, as `line kind`.
fn members(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("  "));
    let lines = lines.filter_map(|line| line.split_once(".c:")?.1.split_once(": "));
    lines.filter_map(|(line, rest)| Some(format!("{line} {}", rest.split_once(',')?.0))).collect()
}

/// Applies the patch at the end of an answer, strictly.
fn patched(old: &str, answer: &str) -> String {
    let old: Vec<&str> = old.lines().collect();
    let (mut new, mut at) = (Vec::new(), 0);
    let start = answer.find("--- a/").expect("a patch");
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

#[test]
fn a_message_needs_one_fence_on_each_side() {
    let with_fences =
        MESSAGE.replace("//A", "lsl_fence(\"store-store\"); /* why */").replace("//B", "lsl_fence(\"load-load\");");
    let folder = folder("fences_message", &[("bare.c", MESSAGE), ("fenced.c", &with_fences)]);
    let bare = prints(&folder, &["fences", "bare.c", "--test", "(s|r)", "--model", "relaxed"], 0);
    assert_eq!(members(&bare), ["8 store-store", "14 load-load"], "{bare}");
    let kept = prints(&folder, &["fences", "fenced.c", "--test", "(s|r)", "--model", "relaxed"], 0);
    assert!(kept.contains("no fences are needed"), "{kept}");
    let removed = prints(&folder, &["fences", "fenced.c", "--test", "(s|r)", "--model", "relaxed", "--remove"], 0);
    assert_eq!(members(&removed), ["7 store-store", "13 load-load"], "{removed}");
    assert!(!removed.contains("--- a/"), "what was there is found again: {removed}");
    std::fs::write(folder.join("new.c"), patched(MESSAGE, &bare)).expect("the file can be written");
    prints(&folder, &["check", "bare.c", "--test", "(s|r)", "--model", "relaxed"], 1);
    prints(&folder, &["check", "new.c", "--test", "(s|r)", "--model", "relaxed"], 0);
}

/// The least cost of fences at the letters with which `check` finds that the test passes.
fn least(folder: &Path, program: &str, kinds: &[(&str, u32)]) -> Option<u32> {
    let size = 2 * kinds.len();
    let chosen = |bits: usize| (0..size).filter(move |index| bits >> index & 1 == 1);
    let cost = |bits: usize| chosen(bits).map(|index| kinds[index / 2].1).sum::<u32>();
    let passes = |bits: &usize| {
        let mut text = program.to_string();
        for index in chosen(*bits) {
            let letter = ["//A", "//B"][index % 2];
            text = text.replace(letter, &format!("lsl_fence(\"{}\"); {letter}", kinds[index / 2].0));
        }
        std::fs::write(folder.join("subset.c"), text).expect("the file can be written");
        let output = palisade(
            folder,
            &["check", "subset.c", "--test", "(s|r)", "--model", "relaxed", "--reference", "reference.c"],
        );
        output.status.code() == Some(0)
    };
    (0..1usize << size).filter(passes).map(cost).min()
}

#[test]
fn no_set_is_cheaper_than_the_one_found() {
    let folder = folder("fences_brute_force", &[("message.c", MESSAGE), ("buffers.c", BUFFERS)]);
    let references = [NEWS_OR_NOTHING, ANYTHING_BUT_ZEROS];
    let kinds = [("load-load", 3), ("store-store", 5), ("store-load", 7)];
    let costs: Vec<String> = kinds.iter().map(|(kind, cost)| format!("{kind}={cost}")).collect();
    for ((file, program), reference) in [("message.c", MESSAGE), ("buffers.c", BUFFERS)].into_iter().zip(references) {
        std::fs::write(folder.join("reference.c"), reference).expect("the file can be written");
        let mut arguments = vec!["fences", file, "--test", "(s|r)", "--model", "relaxed", "--reference", "reference.c"];
        // Kinds that are not tried one by one are too dear to be of use.
        let others = ["load-store=1000", "aliased-loads=1000", "data-dependent-loads=1000"];
        for cost in costs.iter().map(String::as_str).chain(others) {
            arguments.extend(["--cost", cost]);
        }
        let found = prints(&folder, &arguments, 0);
        let least = least(&folder, program, &kinds).expect("all of them suffice");
        assert!(found.contains(&format!("(cost {least})")), "{file} costs {least}: {found}");
    }
}

#[test]
fn the_patched_queue_passes() {
    let harness = std::fs::read_to_string(suite().join("queue_harness.h")).expect("the harness");
    let queue = std::fs::read_to_string(suite().join("msn.c")).expect("the queue");
    let folder = folder("fences_queue", &[("queue_harness.h", &harness), ("msn.c", &queue)]);
    let found = prints(&folder, &["fences", "msn.c", "--remove", "--test", "(e|d)", "--model", "relaxed"], 0);
    assert!(members(&found).len() <= 9, "{found}");
    std::fs::write(folder.join("new.c"), patched(&queue, &found)).expect("the file can be written");
    prints(&folder, &["check", "new.c", "--test", "(e|d)", "--model", "relaxed"], 0);
}

#[test]
fn memory_orders_become_as_weak_as_they_can_be() {
    let folder = folder("fences_orders", &[("atomic.c", ATOMIC)]);
    let found = prints(&folder, &["fences", "atomic.c", "--orders", "--test", "(s|r)"], 0);
    assert_eq!(members(&found), ["8 release", "12 acquire"], "{found}");
    let new = patched(ATOMIC, &found);
    assert!(new.contains("1, memory_order_release") && new.contains("&flag, memory_order_acquire"), "{new}");
    std::fs::write(folder.join("new.c"), new).expect("the file can be written");
    prints(&folder, &["check", "new.c", "--test", "(s|r)"], 0);
}

#[test]
fn relaxed_atomics_get_fences_of_c11() {
    let relaxed = ATOMIC.replace("memory_order_seq_cst", "memory_order_relaxed");
    let folder = folder("fences_atomic", &[("relaxed.c", &relaxed)]);
    let found = prints(&folder, &["fences", "relaxed.c", "--test", "(s|r)", "--model", "rc11"], 0);
    assert_eq!(members(&found), ["8 release", "13 acquire"], "{found}");
    std::fs::write(folder.join("new.c"), patched(&relaxed, &found)).expect("the file can be written");
    prints(&folder, &["check", "relaxed.c", "--test", "(s|r)"], 1);
    prints(&folder, &["check", "new.c", "--test", "(s|r)"], 0);
}

#[test]
fn several_sets_of_one_cost_are_different() {
    let files = [("buffers.c", BUFFERS), ("message.c", MESSAGE), ("reference.c", ANYTHING_BUT_ZEROS)];
    let folder = folder("fences_several", &files);
    let sets = |arguments: &[&str]| {
        let common = ["--test", "(s|r)", "--model", "relaxed", "--all", "9", "--format", "json"];
        let found = prints(&folder, &[&["fences"], arguments, &common].concat(), 0);
        let sets: Vec<String> = found.split("{\"cost\":").skip(1).map(String::from).collect();
        let different: std::collections::BTreeSet<&String> = sets.iter().collect();
        assert_eq!(different.len(), sets.len(), "{found}");
        sets.len()
    };
    assert_eq!(sets(&["buffers.c", "--reference", "reference.c"]), 1);
    assert_eq!(sets(&["message.c"]), 1);
    // A third access between the others makes two places on the writer's side.
    let longer = MESSAGE.replace("//A", "extra = 1;").replace("int data;", "int data;\nint extra;");
    std::fs::write(folder.join("longer.c"), longer).expect("the file can be written");
    assert_eq!(sets(&["longer.c"]), 2);
}

#[test]
fn an_error_that_no_fence_mends_is_shown() {
    let wrong = "int x;\nint s(void) { int old = x; x = old + 1; return old; }\n";
    let folder = folder("fences_hopeless", &[("wrong.c", wrong)]);
    let found = prints(&folder, &["fences", "wrong.c", "--test", "(s|s)", "--model", "relaxed"], 1);
    assert!(found.contains("no set of fences suffices: (s|s) fails with all of them"), "{found}");
}

#[test]
fn wrong_costs_and_files_are_refused() {
    let folder = folder("fences_wrong", &[("message.c", MESSAGE), ("x.litmus", "")]);
    for arguments in [
        &["fences", "message.c", "--test", "(s|r)", "--cost", "mfence=1"][..],
        &["fences", "message.c", "--test", "(s|r)", "--cost", "load-load=0"],
        &["fences", "message.c", "--test", "(s|q)"],
        &["fences", "message.c", "--orders", "--test", "(s|r)"],
        &["fences", "x.litmus", "--test", "(s|r)"],
        &["fences", "message.c", "--test", "(s|r)", "--model", "jmm-revised"],
    ] {
        let output = palisade(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        assert!(!output.stderr.is_empty());
    }
}
