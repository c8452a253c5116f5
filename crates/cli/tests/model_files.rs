//! Which model a name means: a file that is there wins over a shipped model of its name, and answers name its path.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SB: &str = "X86 SB
(* expect tso allowed *)
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
";

const SB_IN_C: &str = "C SB
{ x=0; y=0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r = atomic_load_explicit(y, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int r = atomic_load_explicit(x, memory_order_relaxed);
}
exists (0:r=0 /\\ 1:r=0)
";

const SB_IN_WHOLE_C: &str = "#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
atomic_int x, y;
int a, b;
void *first(void *p) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  a = atomic_load_explicit(&y, memory_order_relaxed);
  return 0;
}
void *second(void *p) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  b = atomic_load_explicit(&x, memory_order_relaxed);
  return 0;
}
int main() {
  pthread_t s, t;
  pthread_create(&s, 0, first, 0);
  pthread_create(&t, 0, second, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(a + b > 0);
  return 0;
}
";

/// Stronger than the shipped models that it is called like: it forbids SB.
const STRONG: &str = "strong\nacyclic po | rf | co | fr as all\n";
/// Weaker than the shipped models that it is called like: it allows SB.
const WEAK: &str = "weak\nacyclic po-loc | rf | co | fr as each\n";
/// Where only seq_cst fences keep accesses in order.
const FENCED: &str =
    "fenced\nacyclic po-loc | rf | co | fr as each\nacyclic po; [F & SC]; po | rf | co | fr as fenced\n";

/// A folder of its own for each test, with the files given.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("model_files").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in [("SB.litmus", SB), ("SBc.litmus", SB_IN_C), ("sb.c", SB_IN_WHOLE_C)].iter().chain(files) {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(path, text).expect("the file can be written");
    }
    folder
}

fn palisade(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    command.output().expect("the binary runs")
}

/// What the command prints has all these parts.
fn says(folder: &Path, arguments: &[&str], parts: &[&str]) {
    let output = palisade(folder, arguments);
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for part in parts {
        assert!(text.contains(part), "{arguments:?}: `{part}` is missing in\n{text}");
    }
}

#[test]
fn a_file_wins_over_the_shipped_model_of_its_name() {
    let folder =
        folder("wins", &[("tso.cat", STRONG), ("rc11.cat", STRONG), ("sc.cat", WEAK), ("models/tso.cat", STRONG)]);
    says(
        &folder,
        &["check", "SB.litmus", "--model", "tso.cat"],
        &["under ./tso.cat?", "Forbidden", "all (tso.cat:2:1)"],
    );
    says(&folder, &["check", "SB.litmus", "--model", "sc.cat"], &["under ./sc.cat?", "Allowed"]);
    says(&folder, &["check", "SB.litmus", "--model", "models/tso.cat"], &["under models/tso.cat?", "Forbidden"]);
    says(&folder, &["check", "SBc.litmus", "--model", "rc11.cat"], &["under ./rc11.cat?", "Forbidden"]);
    says(&folder, &["check", "sb.c", "--model", "rc11.cat"], &["under ./rc11.cat", "Holds"]);
    says(&folder, &["outcomes", "SB.litmus", "-m", "tso.cat"], &["./tso.cat"]);
    says(&folder, &["check", "SB.litmus", "-m", "tso.cat", "--format", "json"], &["\"model\":\"./tso.cat\""]);
    // The stem alone means the shipped model, as does no model at all.
    says(&folder, &["check", "SB.litmus", "--model", "tso"], &["under tso?", "Allowed"]);
    says(&folder, &["check", "SB.litmus"], &["under tso?", "Allowed"]);
}

#[test]
fn a_shipped_model_is_found_by_its_file_name_where_there_is_no_such_file() {
    let folder = folder("shipped", &[]);
    says(&folder, &["check", "SB.litmus", "--model", "tso.cat"], &["under tso.cat?", "Allowed"]);
    says(&folder, &["check", "SB.litmus", "--model", "sc.mm"], &["under sc.mm?", "Forbidden"]);
    says(&folder, &["check", "SB.litmus", "--model", "./tso.cat"], &["./tso.cat: cannot be read"]);
}

#[test]
fn a_name_without_ending_is_a_file_only_if_that_holds_a_model() {
    let folder = folder("bare", &[("tso", STRONG), ("sc", "to do: buy milk\n"), ("pso/readme", ""), ("own", STRONG)]);
    says(&folder, &["check", "SB.litmus", "--model", "tso"], &["under ./tso?", "Forbidden"]);
    says(&folder, &["check", "SB.litmus", "--model", "sc"], &["under sc?", "Forbidden"]);
    says(&folder, &["check", "SB.litmus", "--model", "pso"], &["under pso?", "Allowed"]);
    says(&folder, &["check", "SB.litmus", "--model", "own"], &["under own?", "Forbidden"]);
    // What is meant without --model does not depend on the folder.
    says(&folder, &["check", "SB.litmus"], &["under tso?", "Allowed"]);
    says(&folder, &["suite", "SB.litmus", "--format", "json"], &["\"grade\":\"right\""]);
}

#[test]
fn compare_suite_and_fences_take_the_file_too() {
    let folder = folder("commands", &[("tso.cat", STRONG), ("rc11.cat", FENCED)]);
    says(&folder, &["compare", "tso.cat", "tso", "SB.litmus"], &["./tso.cat", "forbidden", "allowed"]);
    says(&folder, &["compare", "tso", "tso.cat", "SB.litmus", "--format", "json"], &["\"./tso.cat\"", "\"tso\""]);
    let wrong = &["\"model\":\"./tso.cat\"", "\"grade\":\"wrong\""];
    says(&folder, &["suite", "SB.litmus", "-m", "tso.cat", "--format", "json"], wrong);
    says(
        &folder,
        &["suite", "SB.litmus", "-m", "tso", "--format", "json"],
        &["\"model\":\"tso\"", "\"grade\":\"right\""],
    );
    says(&folder, &["fences", "sb.c", "-m", "rc11.cat"], &["./rc11.cat", "atomic_thread_fence"]);
}

#[test]
fn what_a_model_of_a_file_lacks_is_told_of_that_file() {
    let folder = folder("lacks", &[("rc11.cat", WEAK)]);
    says(
        &folder,
        &["fences", "sb.c", "-m", "rc11.cat"],
        &["under ./rc11.cat, a model that speaks of no kind of fence"],
    );
}

/// herd's own file, in short: it lists orders, which no model here does.
const CROSS: &str = "Cross
let generate_cos(pco) =
  let rec all wss = match wss with
  || {} -> {}
  || ws ++ wss -> linearisations(ws, pco) ++ all wss
  end in all (partition W)
";

/// Two exchanges that see each other's value.
const EXCHANGES: &str = "X86 exchanges
{ 0:EAX=1; 1:EAX=2; }
 P0           | P1           ;
 XCHG [x],EAX | XCHG [x],EAX ;
exists (0:EAX=2 /\\ 1:EAX=1)
";

/// Two increments that see the same value.
const INCREMENTS: &str = "C increments
{}
P0 (atomic_int* n) { int r = atomic_fetch_add_explicit(n, 1, memory_order_relaxed); }
P1 (atomic_int* n) { int r = atomic_fetch_add_explicit(n, 1, memory_order_relaxed); }
exists (0:r=0 /\\ 1:r=0)
";

#[test]
fn models_of_herd_run_as_they_are() {
    let uniproc = "Uniproc\ninclude \"cos.cat\"\nacyclic po-loc | rf | fr | co as uniproc\n";
    let atomic = "atomic\ninclude \"parts.cat\"\nempty (rf; [RMW]) \\ next as atomicity\n";
    let variants = "\"variants\" /* a comment */
if (not \"x\") && (\"y\" || not variant \"z\")
  include \"cos.cat\"
else
  enum tags = 'a || 'b
end
acyclic po | rf | co | fr | same-instance \\ id & (R * W) | iico | sm \\ id | si \\ id as all
";
    let files = [
        ("uniproc.cat", uniproc),
        ("atomic.cat", atomic),
        ("variants.cat", variants),
        ("own.cat", "own\ninclude \"cross.cat\"\nwith co from generate_cos(co0)\nacyclic po-loc | rf | co as own\n"),
        ("cos.cat", "cos\ninclude \"cross.cat\"\nwith co from generate_cos(co0)\nlet fr = rf^-1; co\n"),
        ("cross.cat", CROSS),
        ("library/parts.cat", "parts\nlet next = co \\ (co; co)\n"),
        ("x.litmus", EXCHANGES),
        ("n.litmus", INCREMENTS),
    ];
    let folder = folder("herd", &files);
    // Program order does not relate the read and the write of one instruction.
    says(&folder, &["check", "x.litmus", "-m", "uniproc.cat"], &["Allowed"]);
    says(&folder, &["check", "x.litmus", "-m", "variants.cat"], &["Forbidden"]);
    says(&folder, &["check", "x.litmus", "-m", "tso"], &["Forbidden"]);
    says(&folder, &["check", "SB.litmus", "-m", "own.cat"], &["Allowed"]);
    // A read-modify-write of C is one event.
    says(&folder, &["check", "n.litmus", "-m", "uniproc.cat"], &["Forbidden"]);
    says(&folder, &["check", "n.litmus", "-m", "atomic.cat"], &["there is no file `parts.cat` to include"]);
    says(&folder, &["check", "n.litmus", "-m", "atomic.cat", "-I", "library"], &["Forbidden"]);
    says(&folder, &["suite", "n.litmus", "-m", "atomic.cat", "-I", "library", "--format", "json"], &["\"forbidden\""]);
    says(&folder, &["compare", "atomic.cat", "uniproc.cat", "n.litmus", "-I", "library"], &["same"]);
}

/// Which accesses stay in order is a table of tags, as in models for several machines.
const TABLE: &str = "table
enum Kept = 'reads || 'writes || 'all
let kept k = match k with
  || 'reads -> [R]; po; [R]
  || 'writes -> [W]; po; [W]
  || _ -> po
end
let rec ppo ks = match ks with
  || {} -> po-loc
  || k ++ ks -> kept k | ppo ks
end
let order = if \"sc\" then ppo Kept else ppo (Kept \\ {'all})
forall r in map (fun s -> s | rf | co | fr) { order, po-loc } do
  acyclic r
end
";

#[test]
fn a_model_may_go_through_tags_and_sets_of_relations() {
    let strong = TABLE.replace("{'all}", "{}");
    let fenced = "fenced\nacyclic rf | co | fr | (match MFENCE with {} -> po-loc || _ ++ _ -> po end) as all\n";
    let with_fence = SB.replace(" MOV EAX,[y]", " MFENCE      |             ;\n MOV EAX,[y]");
    let taken = "taken\nlet rec f ws = match ws with {} -> 0 || w ++ ws -> [w] | f ws end\nacyclic f W | po as all\n";
    let files = [
        ("table.cat", TABLE),
        ("strong.cat", &strong),
        ("fenced.cat", fenced),
        ("taken.cat", taken),
        ("fence.litmus", &with_fence),
    ];
    let folder = folder("elements", &files);
    says(&folder, &["check", "SB.litmus", "-m", "table.cat"], &["Allowed"]);
    says(&folder, &["check", "SB.litmus", "-m", "strong.cat"], &["Forbidden"]);
    says(&folder, &["compare", "table.cat", "strong.cat", "SB.litmus"], &["allowed", "forbidden"]);
    // Which clause is taken depends on the program.
    says(&folder, &["check", "SB.litmus", "-m", "fenced.cat"], &["Allowed"]);
    says(&folder, &["check", "fence.litmus", "-m", "fenced.cat"], &["Forbidden"]);
    says(&folder, &["check", "SB.litmus", "-m", "taken.cat"], &["has no execution at all under taken.cat"]);
}

/// A model of nothing but these axioms, with the symbols that they use.
fn of_axioms(define: &str, axioms: &str) -> String {
    format!(
        "model small\npredefined\n  set action\n  predicate read(action)\n  predicate write(action)\n  \
         predicate initial(write)\n  relation sees(read, write)\n  relation program_order(action, action)\n\
         define\n  set store = write \\ initial\n{define}\nforall\n  R : read\n  W : write\n  X, Y : action\n\
         require\n{axioms}\nend model\n"
    )
}

/// What a model says of store buffering: `allowed`, `forbidden`, or `vacuous` where there is no execution at all.
fn says_of_store_buffering(folder: &Path, define: &str, axioms: &str) -> &'static str {
    std::fs::write(folder.join("small.mm"), of_axioms(define, axioms)).expect("the model can be written");
    let output = palisade(folder, &["check", "SB.litmus", "--model", "small.mm", "--format", "json"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match () {
        () if text.contains("\"vacuous\":true") => "vacuous",
        () if text.contains("\"verdict\":\"allowed\"") => "allowed",
        () if text.contains("\"verdict\":\"forbidden\"") => "forbidden",
        () => panic!("{text}{}", String::from_utf8_lossy(&output.stderr)),
    }
}

#[test]
fn a_model_may_use_the_relational_logic_of_memsat() {
    let folder = folder("relational_logic", &[]);
    // Store buffering has two stores, two loads and two initial writes; it is asked whether both loads read 0.
    for (define, axioms, expected) in [
        ("", "<a> some store & write", "allowed"),
        ("", "<a> no store", "vacuous"),
        ("", "<a> lone store", "vacuous"),
        ("", "<a> one initial", "vacuous"),
        ("", "<a> (one (read \\ read)) | (some read)", "allowed"),
        ("", "<a> #store = 2 & #read >= 2 & #initial <= 2", "allowed"),
        ("", "<a> #store <= 1", "vacuous"),
        ("", "<a> #store >= 3", "vacuous"),
        ("", "<a> #sees = 2", "allowed"),
        ("", "<a> #sees <= 1", "vacuous"),
        ("", "<a> lone sees", "vacuous"),
        ("", "<a> sees(R, W) => V(R) = V(W) & l(R) = l(W)", "allowed"),
        ("", "<a> ~(V(R) = 0)", "forbidden"),
        ("", "<a> V(R) = 0 | V(R) = 1", "allowed"),
        ("", "<a> V(R) = 17", "vacuous"),
        ("", "<a> ~(m(X) = m(Y))", "allowed"),
        ("  set seen = {X : write | exists R : read . sees(R, X)}", "<a> seen <= initial", "allowed"),
        ("  set seen = {X : write | exists R : read . sees(R, X)}", "<a> no seen & initial", "forbidden"),
        ("  relation late = {X, Y : action | store(X) & sees(Y, X)}", "<a> some late", "forbidden"),
        ("  relation late = {X, Y : action | store(X) & sees(Y, X)}", "<a> no late", "allowed"),
        ("  set later = image(store, program_order)", "<a> read <= later", "allowed"),
        ("  set later = image(store, program_order)", "<a> no read & later", "vacuous"),
    ] {
        assert_eq!(says_of_store_buffering(&folder, define, axioms), expected, "{define} {axioms}");
    }
}

#[test]
fn comprehensions_may_use_the_variables_around_them() {
    let folder = folder("outside_variables", &[]);
    for (define, axioms, expected) in [
        ("", "<a> exists R : read . no {Y : write | sees(R, Y)}", "vacuous"),
        // A variable that nothing binds is universal, also where only a comprehension uses it.
        ("", "<a> one {Y : write | sees(R, Y)}", "allowed"),
        ("", "<a> one {Y : read | sees(Y, W)}", "vacuous"),
        ("", "<a> lone {Y : read | sees(Y, W)}", "allowed"),
        ("", "<a> some {Y : read | sees(Y, W)} <=> initial(W)", "allowed"),
        ("", "<a> some {Y : read | sees(Y, W)} <=> store(W)", "forbidden"),
        // Inner and outer variables of one name.
        ("", "<a> exists Y : initial . no {Y : store | initial(Y)}", "allowed"),
        // A set of a quantifier depends on another quantifier.
        ("", "<a> forall R : read . forall Y : {Z : write | sees(R, Z)} . initial(Y)", "allowed"),
        ("", "<a> forall R : read . forall Y : {Z : write | sees(R, Z)} . store(Y)", "forbidden"),
        // Relations, their closures, and what is said of them.
        ("", "<a> forall Y : store . acyclic {X, Z : action | program_order(X, Z) & ~(X = Y)}", "allowed"),
        // From a read of the location to the store and from there to all reads.
        (
            "",
            "<a> exists Y : store . acyclic ({X : read, Z : write | l(X) = l(Y) & Z = Y} | {Z : write, X : read | Z = Y})",
            "vacuous",
        ),
        ("", "<a> ~(irreflexive {X : read, Z : action | l(X) = l(W) & X = Z})", "allowed"),
        ("", "<a> sees(R, W) => #{X : read, Z : write | sees(X, Z) & l(Z) = l(W)} = 1", "allowed"),
        // What is said of whole relations within a comprehension.
        ("  set seen = {X : write | some {Y : read | sees(Y, X)}}", "<a> seen <= initial", "allowed"),
        ("  set seen = {X : write | some {Y : read | sees(Y, X)}}", "<a> no seen & initial", "forbidden"),
        (
            "  set apart = {X : write | acyclic {Y : action, Z : write | sees(Y, Z) & Z = X}}",
            "<a> write <= apart",
            "allowed",
        ),
        ("  set lonely = {X : write | ~(one {Y : read | sees(Y, X)})}", "<a> #lonely = 2", "allowed"),
        ("  set lonely = {X : write | ~(one {Y : read | sees(Y, X)})}", "<a> #lonely >= 3", "vacuous"),
    ] {
        assert_eq!(says_of_store_buffering(&folder, define, axioms), expected, "{define} {axioms}");
    }
}

/// Two threads that have nothing to do with each other.
const APART: &str = "X86 apart
{}
 P0         | P1         ;
 MOV [x],$1 | MOV [y],$1 ;
exists (x=1 /\\ y=1)
";

#[test]
fn a_total_order_is_encoded_only_as_far_as_axioms_speak_of_it() {
    let folder = folder("encoded_orders", &[("apart.litmus", APART)]);
    let edges = |file: &str| {
        let output = palisade(&folder, &["check", file, "--model", "relaxed.mm", "--format", "json"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("\"verdict\":\"allowed\""), "{text}");
        let (_, after) = text.split_once("\"order_edges\":").expect("statistics");
        after.split([',', '}']).next().and_then(|number| number.parse::<u32>().ok()).expect("a number")
    };
    assert_eq!(edges("apart.litmus"), 0);
    assert!(edges("SB.litmus") > 0);
}

#[test]
fn cardinalities_are_compared_with_any_number() {
    let folder = folder("cardinalities", &[]);
    // Six actions, two pairs of program order; each action has three of its location.
    for (axioms, expected) in [
        ("<a> #action = 6", "allowed"),
        ("<a> #action >= 7", "vacuous"),
        ("<a> #action <= 5", "vacuous"),
        ("<a> #(action * action) = 36 & #(action * action) <= 4000000000", "allowed"),
        ("<a> #(action * action) >= 37", "vacuous"),
        ("<a> #{X, Y : action | l(X) = l(Y)} = 18", "allowed"),
        ("<a> ~(#{X, Y : action | l(X) = l(Y)} = 18)", "vacuous"),
        ("<a> #program_order = 2 & #program_order >= 0", "allowed"),
        ("<a> #{Y : action | V(Y) = 0} >= 4", "allowed"),
        ("<a> #{Y : action | V(Y) = 0} <= 3", "forbidden"),
        ("<a> #{Y : action | V(Y) = 0} = 2 | #{Y : action | V(Y) = 1} = 4", "forbidden"),
    ] {
        assert_eq!(says_of_store_buffering(&folder, "", axioms), expected, "{axioms}");
    }
}

#[test]
fn what_is_wrong_with_relational_logic_is_told_with_its_place() {
    let folder = folder("relational_mistakes", &[]);
    for (define, axioms, message) in [
        ("", "<a> #store <= 5000000000", "no relation has so many pairs"),
        ("  set s = {X : write | sees(R, X)}", "", "`R` is no variable of this comprehension"),
        ("  set s = {X, Y, R : write | true}", "", "a comprehension has one variable or two"),
        ("", "<a> no {X : write | initial(Q)}", "the variable `Q` is not declared"),
        ("", "<a> V[main](R) = V(R)", "both sides speak of one execution"),
        ("", "<a> V(R) = l(R)", "expected `V`, found `l`"),
        ("", "<a> V[X](R) = 1", "this is no execution"),
    ] {
        std::fs::write(folder.join("small.mm"), of_axioms(define, axioms)).expect("the model can be written");
        let output = palisade(&folder, &["check", "SB.litmus", "--model", "small.mm"]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{define} {axioms}: {text}");
        assert!(text.contains(message) && text.contains("small.mm:"), "{define} {axioms}: {text}");
    }
}

/// The functions of herd's files that go through sets.
const FOLD: &str = "
let fold f =
  let rec fold_rec (es, y) = match es with || {} -> y || e ++ es -> fold_rec (es, f (e, y)) end in
  fold_rec
let map f = fun es -> fold (fun (e, y) -> f e ++ y) (es, {})
";

/// A message is sent: `y=1` is seen, and the old `x`.
const MESSAGE: &str = "X86 message
{}
 P0          | P1          ;
 MOV [x],$1  | MOV EAX,[y] ;
 MOV [y],$1  | MOV EBX,[x] ;
exists (1:EAX=1 /\\ 1:EBX=0)
";

/// A thread reads its own write.
const OWN: &str = "X86 own
{}
 P0          ;
 MOV [x],$1  ;
 MOV EAX,[x] ;
exists (0:EAX=1)
";

/// Models that go through the elements of an execution, each with what holds of [`MESSAGE`] and [`OWN`], by hand.
const ELEMENTS: [(&str, &str, &str, &str); 12] = [
    // Coherence as herd's own files choose it; then sequential consistency.
    (
        "with co from cross (map (fun s -> linearisations(s, co0)) (partition W))\nacyclic po | rf | co | (rf^-1; co) as sc",
        "Allowed",
        "Forbidden",
        "orders",
    ),
    ("forall w in W do empty rf & ({w} * R) as unread end", "Forbidden", "Forbidden", "no read at all"),
    ("forall w in W \\ IW do ~empty rf & ({w} * R) as read end", "Allowed", "Forbidden", "`x=1` is not read"),
    ("forall a in W do forall b in R do empty ({a} * {b}) & po as apart end end", "Forbidden", "Allowed", "two sets"),
    ("forall c in partition M do acyclic [c]; (po | rf | co | fr); [c] as c end", "Allowed", "Allowed", "coherence"),
    ("forall t in classes (int & (M * M)) do empty [t]; po; [t] as one end", "Forbidden", "Forbidden", "one access"),
    ("forall p in rf do let (w, r) = p\nempty ({w} * {r}) & int as p end", "Forbidden", "Allowed", "only from others"),
    (
        "let before = fold (fun (w, y) -> (po; [{w}]) | y) (W, 0)\nempty before \\ (po; [W]) | (po; [W]) \\ before as same",
        "Allowed",
        "Allowed",
        "a union",
    ),
    (
        "let rec inverse r = match r with || {} -> 0 || p ++ ps -> (let (a, b) = p in (b, a)) ++ inverse ps end\n\
         empty inverse rf \\ rf^-1 | rf^-1 \\ inverse rf as same",
        "Allowed",
        "Allowed",
        "pairs turned",
    ),
    ("let S = map (fun e -> e) W\nempty S \\ W | W \\ S as same", "Allowed", "Allowed", "a copy"),
    ("forall e in M do let r = if e in W then 0 else {e} * R\nempty r & po as r end", "Allowed", "Forbidden", "R R"),
    (
        "with o from cross (map (fun c -> linearisations(c, po)) (classes (int & (M * M))))\n\
         acyclic o | rf | co | fr as sc",
        "Allowed",
        "Forbidden",
        "an order of each thread",
    ),
];

#[test]
fn models_go_through_the_elements_of_an_execution() {
    let folder = folder("of-executions", &[("message.litmus", MESSAGE), ("own.litmus", OWN)]);
    for (text, of_own, of_message, title) in ELEMENTS {
        let fold = if text.contains("fold") || text.contains("map (fun e") { FOLD } else { "" };
        std::fs::write(folder.join("m.cat"), format!("\"{title}\"\n{fold}{text}\n")).expect("a model");
        says(&folder, &["check", "own.litmus", "-m", "m.cat", "--no-explain"], &[&format!("\n{of_own}")]);
        says(&folder, &["check", "message.litmus", "-m", "m.cat", "--no-explain"], &[&format!("\n{of_message}")]);
    }
}

/// Products of sets of orders as models write them themselves: as herd's library does, and by functions of their own.
const PRODUCTS: [&str; 2] = [
    "let each (before, parts) =
  let rec go parts = match parts with || {} -> {} || p ++ ps -> linearisations(p, before) ++ go ps end in
  go parts
let product =
  let rec go (done, y, sets) = match sets with
  || {} -> y ++ done
  || set ++ rest ->
    let rec over (done, set) = match set with || {} -> done || o ++ os -> over (go (done, o | y, rest), os) end in
    over (done, set)
  end in
  fun sets -> go ({}, 0, sets)
with co from product (each (co0, partition W))
",
    "let rec product S = match S with
  || {} -> { 0 }
  || s ++ ss -> let all = product ss in fold (fun (o, r) -> map (fun t -> o | t) all | r) (s, {})
  end
with co from product (map (fun c -> linearisations(c, co0)) (classes (loc & (W * W))))
",
];

#[test]
fn models_may_write_the_product_of_orders_themselves() {
    let folder = folder("products", &[("message.litmus", MESSAGE), ("own.litmus", OWN)]);
    for product in PRODUCTS {
        let model = format!("\"product\"\n{FOLD}{product}acyclic po | rf | co | (rf^-1; co) \\ id as sc\n");
        std::fs::write(folder.join("m.cat"), model).expect("a model");
        says(&folder, &["check", "own.litmus", "-m", "m.cat", "--no-explain"], &["\nAllowed"]);
        says(&folder, &["check", "message.litmus", "-m", "m.cat", "--no-explain"], &["\nForbidden"]);
    }
}

/// What is a product of up to five sets of orders, and nothing for more. `FOLD` and the second product of `PRODUCTS` are before it.
const PRODUCT_OF_FEW: &str = "
let few S = match S with || {} -> product S || a ++ S1 -> match S1 with || {} -> product S || b ++ S2 ->
  match S2 with || {} -> product S || c ++ S3 -> match S3 with || {} -> product S || d ++ S4 ->
  match S4 with || {} -> product S || e ++ S5 -> match S5 with || {} -> product S || _ -> {} end end end end end end
with co from few (map (fun c -> linearisations(c, co0)) (partition W))
acyclic po | rf | co | (rf^-1; co) \\ id as sc
";

#[test]
fn what_is_a_product_of_orders_for_small_sets_only_is_refused() {
    let folder = folder("few", &[("own.litmus", OWN)]);
    let (product, _) = PRODUCTS[1].split_once("with co").expect("a choice");
    std::fs::write(folder.join("m.cat"), format!("few\n{FOLD}{product}{PRODUCT_OF_FEW}")).expect("a model");
    says(&folder, &["check", "own.litmus", "-m", "m.cat"], &["not supported"]);
}

#[test]
fn what_depends_on_the_order_of_elements_is_refused() {
    let folder = folder("order", &[("own.litmus", OWN)]);
    let refused = [
        "let rec first S = match S with || {} -> {} || e ++ es -> {e} end\nempty first W as none",
        "let rec chain S = match S with || {} -> id || e ++ es -> [e]; chain es end\nempty chain W as none",
        "let rec orders S = match S with || {} -> {} || o ++ os -> o | orders os end\nempty orders (linearisations(W, 0)) as none",
        "forall c in partition W do with o from linearisations(c, co) acyclic o as c end",
        // What almost is a product of sets of orders: it leaves out what came before.
        "let rec go (k, y, S) = match S with || {} -> y ++ k || s ++ ss -> (let rec all (k, s) = match s with || {} -> k\n\
         || o ++ os -> all (go (k, o, ss), os) end in all (k, s)) end\n\
         with co from go ({}, 0, map (fun s -> linearisations(s, co0)) (partition W))\nacyclic co as co",
    ];
    for text in refused {
        std::fs::write(folder.join("m.cat"), format!("order\n{text}\n")).expect("a model");
        says(&folder, &["check", "own.litmus", "-m", "m.cat"], &["is not supported", "m.cat:"]);
    }
}
