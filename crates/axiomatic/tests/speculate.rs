//! Models of several executions on small programs.

use axiomatic::{Options, check};
use program::Property;
use program::Verdict;
use testing::{model, program};

/// Whether all assertions hold in some execution, under both Java memory models.
fn possible(text: &str) -> [Verdict; 2] {
    let options = Options { property: Property::Possible, ..Options::default() };
    ["jmm-original.mm", "jmm-revised.mm"]
        .map(|file| check(&program(text), &model(file), &options).expect("supported").verdict)
}

/// A writer and a reader of `x`, both with this access; the reader asserts the condition on what it saw.
fn read_once(access: &str, condition: &str) -> String {
    format!(
        "program once language Java
global x = 0:i32
function writer() {{ b0: store &x, 1:i32 {access} return }}
function reader() {{ registers r, c b0:
    %r := load &x {access}
    %c := eq %r, {condition}
    assert %c, \"r\"
    return }}
thread writer = @writer()
thread reader = @reader()
"
    )
}

#[test]
fn a_program_without_races_has_executions() {
    for value in ["0:i32", "1:i32"] {
        assert_eq!(possible(&read_once("seq_cst{volatile}", value)), [Verdict::Allowed, Verdict::Allowed], "{value}");
    }
    assert_eq!(possible(&read_once("seq_cst{volatile}", "2:i32")), [Verdict::Forbidden, Verdict::Forbidden]);
}

#[test]
fn too_few_executions_leave_the_question_open() {
    let text = read_once("seq_cst{volatile}", "1:i32");
    let options = Options { property: Property::Possible, executions: Some(1), ..Options::default() };
    let outcome = check(&program(&text), &model("jmm-revised.mm"), &options).expect("supported");
    assert!(matches!(outcome.verdict, Verdict::Unknown(_)), "{:?}", outcome.verdict);
}

#[test]
fn a_model_that_says_nothing_of_the_order_of_writes_is_not_asked_for_final_values() {
    let text = "program last language IR
global x = 0:i32
function f() { b0: store &x, 1:i32 plain return }
thread f = @f()
exists x == 1:i32
";
    assert!(check(&program(text), &model("pram.mm"), &Options::default()).is_err());
    assert!(check(&program(text), &model("pc.mm"), &Options::default()).is_ok());
}

#[test]
fn a_racy_read_sees_either_write() {
    for value in ["0:i32", "1:i32"] {
        assert_eq!(possible(&read_once("plain", value)), [Verdict::Allowed, Verdict::Allowed], "{value}");
    }
}

#[test]
fn a_thread_reads_back_what_it_wrote() {
    let text = "program alone language Java
global x = 0:i32
function f() { registers r, c b0:
    store &x, 1:i32 plain
    %r := load &x plain
    %c := eq %r, 1:i32
    assert %c, \"r\"
    return }
thread f = @f()
";
    assert_eq!(possible(text), [Verdict::Allowed, Verdict::Allowed]);
}

#[test]
fn store_buffering_needs_plain_accesses() {
    let text = |access: &str| {
        let thread = |name: &str, own: &str, other: &str| {
            format!(
                "function {name}() {{ registers r, c b0:
    store &{own}, 1:i32 {access}
    %r := load &{other} {access}
    %c := eq %r, 0:i32
    assert %c, \"r\"
    return }}
"
            )
        };
        let (one, two) = (thread("one", "x", "y"), thread("two", "y", "x"));
        format!(
            "program sb language Java\nglobal x = 0:i32\nglobal y = 0:i32\n{one}{two}thread one = @one()\nthread two = @two()\n"
        )
    };
    assert_eq!(possible(&text("plain")), [Verdict::Allowed, Verdict::Allowed]);
    assert_eq!(possible(&text("seq_cst{volatile}")), [Verdict::Forbidden, Verdict::Forbidden]);
}

/// A model of several executions with a total order of the actions of the main one.
const TURNS: &str = "model turns executions
predefined
  set action
  predicate read(action)
  predicate write(action)
  relation sees(read, write)
exists
  relation turn(action, action)
  predicate committed[execution](action)
forall
  X, Y, Z : action
  R : read
  W : write
require
  <T1> turn(X, Y) & turn(Y, Z) => turn(X, Z)
  <T2> ~turn(X, X)
  <T3> turn(X, Y) | turn(Y, X) | X = Y
  <sees> sees(R, W) => turn(W, R)
end model
";

#[test]
fn a_total_order_of_a_model_of_several_executions_is_one_in_the_witness() {
    let turns = axiomatic::model::load("turns.mm", TURNS, &|_| None).unwrap_or_else(|errors| panic!("{errors}"));
    let options = Options { property: Property::Possible, ..Options::default() };
    // A thread between the two that has nothing to do with them.
    let other = "global y = 0:i32\nfunction other() { b0: store &y, 1:i32 plain return }\nfunction reader";
    let text = read_once("plain", "1:i32").replace("function reader", other);
    let text = text.replace("thread reader", "thread other = @other()\nthread reader");
    let found = check(&program(&text), &turns, &options).expect("supported");
    assert_eq!(found.verdict, Verdict::Allowed);
    let witness = found.witness.expect("an execution");
    let named = |name: &str| witness.named.iter().find(|(known, _)| known == name).map(|(_, pairs)| pairs);
    let turn = named("turn").expect("the order");
    let before = |x, y| turn.contains(&(x, y));
    assert!(turn.iter().all(|&(x, y)| x != y && !before(y, x)), "{turn:?}");
    assert!(turn.iter().all(|&(x, y)| turn.iter().all(|&(v, w)| y != v || before(x, w))), "{turn:?}");
    let members: std::collections::BTreeSet<_> = turn.iter().flat_map(|&(x, y)| [x, y]).collect();
    assert_eq!(turn.len(), members.len() * (members.len() - 1) / 2, "{turn:?}");
}
