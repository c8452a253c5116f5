//! Bounded tests: the notation, what setup and threads call, what operations show, and where things stand.

use frontend::c::Unit;
use program::{InstructionKind, Program};

fn unit(text: &str) -> Unit {
    frontend::c::load("test.c", text, &mut |_, _| None, &[]).unwrap_or_else(|messages| panic!("{messages}"))
}

const QUEUE: &str = "int x; void i(void) { x = 0; } void e(void) { x++; } void d(void) { x--; } void ed_n(void) { } void a_n(void) { } \
                     void a(void) { } int get(int k, _Bool b) { return k + b; } void p(int *q) { }";

/// The functions that a function calls, in order.
fn calls(program: &Program, name: &str) -> Vec<String> {
    let function = program.functions.iter().find(|function| function.name == name).expect("function");
    assert_eq!(function.blocks.len(), 1);
    let called = function.blocks[0].instructions.iter().map(|instruction| match &instruction.kind {
        InstructionKind::Call { function, .. } => program.function(*function).name.clone(),
        other => panic!("{other:?} is no call"),
    });
    called.collect()
}

#[test]
fn setup_and_threads_are_nothing_but_calls() {
    let program = unit(QUEUE).test("e(ed|de)").expect("right");
    assert_eq!(calls(&program, "setup"), ["i", "e"]);
    assert_eq!(calls(&program, "T1"), ["e", "d"]);
    assert_eq!(calls(&program, "T2"), ["d", "e"]);
    assert_eq!(program.setup.map(|id| program.function(id).name.clone()).as_deref(), Some("setup"));
    assert_eq!(program.question, None);
}

#[test]
fn names_blanks_primes_and_repetitions_are_read() {
    let cases: &[(&str, &[&[&str]])] = &[
        ("(e|d)", &[&["e"], &["d"]]),
        ("( e  d | d )", &[&["e", "d"], &["d"]]),
        ("(a'a)", &[&["a_n", "a"]]),
        ("(e^3|d*2 e)", &[&["e", "e", "e"], &["d", "d", "e"]]),
        ("(ed_n|eded)", &[&["ed_n"], &["e", "d", "e", "d"]]),
        ("(get e)", &[&["get", "e"]]),
    ];
    for (notation, threads) in cases {
        let program = unit(QUEUE).test(notation).unwrap_or_else(|messages| panic!("{notation}: {messages}"));
        assert_eq!(program.threads.len(), threads.len(), "{notation}");
        for (index, thread) in threads.iter().enumerate() {
            assert_eq!(calls(&program, &format!("T{}", index + 1)), *thread, "{notation}");
        }
    }
}

#[test]
fn errors_in_the_notation_have_a_place_in_it() {
    let cases = [
        ("e", "test:1:2: error: expected `(`"),
        ("(e|)", "test:1:4: error: a thread without operations"),
        ("(e|d", "test:1:5: error: expected an operation, `|` or `)`"),
        ("(e) d", "test:1:5: error: nothing may follow"),
        ("(x)", "test:1:2: error: there is no operation `x`"),
        ("(d'|e)", "test:1:2: error: `d'` names the function `d_n`, which does not exist"),
        ("(e^0)", "test:1:4: error: a number from 1 to 100"),
        ("(e|p)", "test:1:4: error: `p` cannot be an operation"),
        ("", "test:1:1: error: expected `(`"),
        ("(é|d)", "test:1:2: error: there is no operation `é`"),
        ("(e^99999999999999999999)", "error: a number from 1 to 100"),
    ];
    for (notation, expected) in cases {
        let message = unit(QUEUE).test(notation).expect_err(notation).to_string();
        assert!(message.contains(expected), "{notation}: {message}");
        assert!(message.contains("the operations are e, d, ed_n, a_n, a, get"), "{message}");
    }
}

#[test]
fn arguments_are_chosen_and_shown_with_the_result() {
    let program = unit(QUEUE).test("(get|get)").expect("right");
    let text = program::text::print(&program);
    let wrapper = "\
function get() {
  registers k, _, b, _, _, result, _
  b0:
    %k := choose 0..1:i32
    %#1 := is_defined %k
    assert %#1, \"what is shown as `k` is undefined\" error
    observe k, %k
    %b := choose 0..1:i8
    %#3 := resize[u32] %b
    %#4 := is_defined %#3
    assert %#4, \"what is shown as `b` is undefined\" error
    observe b, %#3
    %result := call @\"#0\"(%k, %b)
    %#6 := is_defined %result
    assert %#6, \"what is shown as `result` is undefined\" error
    observe result, %result
    return
}
";
    let wrapper = wrapper.replace("@\"#0\"", "@#0");
    assert!(text.contains(&wrapper) || text.contains(&wrapper.replace("@#0", "@#1")), "{text}");
    assert_eq!(text.matches("function get()").count(), 1, "{text}");
}

#[test]
fn a_result_that_is_shown_already_is_not_shown_twice() {
    let text =
        "void lsl_observe_output(const char *, int); int r(void) { lsl_observe_output(\"result\", 1); return 1; }";
    let program = unit(text).test("(r)").expect("right");
    assert_eq!(program::text::print(&program).matches("observe result").count(), 1);
}

#[test]
fn init_is_i_or_else_init_without_parameters() {
    let setup = |text: &str| {
        let program = unit(text).test("(e)").expect("right");
        program.setup.map(|_| calls(&program, "setup"))
    };
    assert_eq!(setup("void init(void) { } void e(void) { }"), Some(vec!["init".to_string()]));
    assert_eq!(setup("void init(int x) { } void e(void) { }"), None);
    assert_eq!(setup("void i() { } void init(void) { } void e() { }"), Some(vec!["i".to_string()]));
}

#[test]
fn instructions_stand_where_their_expressions_do() {
    let text = "struct n { struct n *next; int v; } *head;\nint f(void) {\n  while (head->next)\n    head = head->next;\n  return head->v;\n}\n";
    let program = unit(text).test("(f)").expect("right");
    let function = &program.functions[0];
    let snippet = |span: Option<program::Span>| program.sources.words(span.expect("a place"));
    let mut loads = Vec::new();
    for block in &function.blocks {
        for instruction in &block.instructions {
            match &instruction.kind {
                InstructionKind::Load { .. } => loads.push(snippet(instruction.span)),
                InstructionKind::Store { .. } => assert_eq!(snippet(instruction.span), "head = head->next"),
                _ => {}
            }
        }
    }
    assert_eq!(loads, ["head", "head->next", "head", "head->next", "head", "head->v"]);
    let head = function.blocks.iter().find_map(|block| block.span).expect("a loop");
    assert_eq!(snippet(Some(head)), "while (head->next) head = head->next;");
}

#[test]
fn fences_locks_and_volatile_accesses_carry_their_sets() {
    let text = "#include \"lsl_protos.h\"\nlsl_lock_t l; volatile int v; _Atomic int a; int f(void) { lsl_lock(&l); lsl_fence(\"store-load\"); v = 1; a = 2; \
                lsl_unlock(&l); return a; }";
    let program = unit(text).test("(f)").expect("right");
    let printed = program::text::print(&program);
    let expected = "\
    atomic_begin
    %_1 := load &l acquire:4
    %_2 := eq %_1, 0:i32
    await %_2
    store &l, 1:i32 relaxed:4
    atomic_end
    fence plain{LL}
    fence plain{LS}
    fence plain{SL}
    store &v, 1:i32 plain{volatile}:4
    store &a, 2:i32 seq_cst:4
    fence plain{LS}
    fence plain{SS}
    atomic_begin
    %_3 := load &l relaxed:4
    %_4 := eq %_3, 0:i32
    %_5 := is_false %_4
    assert %_5, \"unlock of a lock that is not held\" error
    store &l, 0:i32 release:4
    atomic_end
    %_6 := load &a seq_cst:4
    return %_6
";
    assert!(printed.contains(expected), "{printed}");
}

#[test]
fn only_what_a_test_reaches_is_kept() {
    let text =
        "void unused(void) { } void used(void) { } void e(void) { used(); } int main(void) { unused(); return 0; }";
    let program = unit(text).test("(e)").expect("right");
    let names: Vec<&str> = program.functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["used", "e", "T1"]);
}
