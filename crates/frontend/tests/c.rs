//! C code, as the program it becomes and as the final state that it leads to.

mod support;

use support::{code, compare, messages, read, run};

/// One thread with parameters and body.
fn test(init: &str, parameters: &str, body: &str, observed: &str) -> String {
    format!("C test\n{{ {init} }}\nP0 ({parameters}) {{\n{body}\n}}\nlocations [{observed}]\n")
}

fn check(parameters: &str, body: &str, expected: &str) {
    compare(&code(&read(&test("", parameters, body, ""))), expected);
}

fn check_run(init: &str, parameters: &str, body: &str, observed: &str, expected: &str) {
    assert_eq!(run(&test(init, parameters, body, observed)), expected, "{body}");
}

/// Runs a body without memory.
fn check_value(body: &str, observed: &str, expected: &str) {
    check_run("", "", body, observed, expected);
}

fn check_messages(parameters: &str, body: &str, expected: &str) {
    assert_eq!(messages(&test("", parameters, body, "")), expected, "{body}");
}

#[test]
fn atomics_carry_their_orders() {
    check(
        "atomic_int* x, volatile int* y, int* z",
        "int r0 = atomic_load_explicit(x, memory_order_acquire);
         atomic_store(x, 2);
         *y = *z;
         int r1 = atomic_exchange_explicit(x, r0, memory_order_acq_rel);
         atomic_fetch_sub_explicit(x, 1, memory_order_relaxed);
         int r2 = atomic_fetch_or(x, 4) + 1;
         atomic_thread_fence(memory_order_seq_cst);
         r2 = atomic_flag_test_and_set(x);
         atomic_flag_clear_explicit(x, memory_order_release);
         atomic_init(x, 3);
         r0 = atomic_load_explicit(x, memory_order_consume);",
        "
        b0:
          %r0 := load &x acquire
          store &x, 2:i32 seq_cst
          %_0 := load &z plain
          store &y, %_0 plain{V}
          %r1 := exchange &x, %r0 acq_rel
          %_1 := update &x, sub 1:i32 relaxed
          %_2 := update &x, or 4:i32 seq_cst
          %r2 := add %_2, 1:i32
          fence seq_cst
          %r2 := exchange &x, 1:i32 seq_cst
          store &x, 0:i32 release
          store &x, 3:i32 plain
          %r0 := load &x consume
          return
        ",
    );
}

#[test]
fn a_plain_access_of_an_atomic_object_is_plain_as_in_herd() {
    check(
        "atomic_int* x",
        "int r = *x; *x = r + 1;",
        "
        b0:
          %r := load &x plain
          %_0 := add %r, 1:i32
          store &x, %_0 plain
          return
    ",
    );
}

#[test]
fn an_if_ends_its_control_dependency_behind_it() {
    check(
        "atomic_int* x, atomic_int* y",
        "int r = atomic_load_explicit(x, memory_order_relaxed);
         if (r == 1) atomic_store_explicit(y, 1, memory_order_relaxed);
         else { atomic_store_explicit(y, 2, memory_order_relaxed); }
         atomic_store_explicit(x, 3, memory_order_relaxed);",
        "
        b0:
          %r := load &x relaxed
          %_0 := eq %r, 1:i32
          branch %_0, b1, b2 join b3
        b1:
          store &y, 1:i32 relaxed
          jump b3
        b2:
          store &y, 2:i32 relaxed
          jump b3
        b3:
          store &x, 3:i32 relaxed
          return
        ",
    );
}

#[test]
fn an_if_that_leaves_never_ends_its_control_dependency() {
    check(
        "int* x",
        "if (*x) return; *x = 1;",
        "
        b0:
          %_0 := load &x plain
          branch %_0, b1, b2
        b1:
          return
        b2:
          store &x, 1:i32 plain
          return
    ",
    );
}

#[test]
fn a_loop_is_named_by_its_header() {
    let body =
        "int r = 0;\n while (r == 0) {\n r = *x;\n }\n do r++; while (r < 5);\n for (int i = 0; i < 3; i++) *x = i;";
    let program = read(&test("", "int* x", body, ""));
    let function = &program.functions[0];
    let heads: Vec<&str> = program::Flow::of(function)
        .loop_heads()
        .iter()
        .map(|head| program.sources.snippet(function.blocks[head.0 as usize].span.unwrap()))
        .collect();
    assert_eq!(heads, ["while (r == 0)", "while (r < 5)", "for (int i = 0; i < 3; i++)"]);
}

#[test]
fn spans_are_the_text_of_the_statement() {
    let body = "  int r1 =  atomic_load_explicit(x,\n memory_order_acquire) ;\n if (r1 && *x == 2) { *x  = 1 ; }";
    let program = read(&test("", "atomic_int* x", body, ""));
    let mut shown = Vec::new();
    for block in &program.functions[0].blocks {
        shown.extend(block.instructions.iter().map(|instruction| program.sources.snippet(instruction.span.unwrap())));
    }
    shown.dedup();
    let expected = ["int r1 =  atomic_load_explicit(x,\n memory_order_acquire)", "if (r1 && *x == 2)", "*x  = 1"];
    assert_eq!(shown, expected);
}

#[test]
fn the_right_side_of_a_logical_operator_is_read_only_if_it_matters() {
    check(
        "int* x",
        "int r = *x && *x;",
        "
        b0:
          %_0 := load &x plain
          %_1 := ne %_0, 0:i32
          %_2 := copy %_1
          branch %_2, b1, b2 join b2
        b1:
          %_3 := load &x plain
          %_4 := ne %_3, 0:i32
          %_2 := copy %_4
          jump b2
        b2:
          %r := copy %_2
          return
    ",
    );
    check(
        "int* x",
        "int a = *x; int r = a == 1 || a;",
        "
        b0:
          %a := load &x plain
          %_0 := eq %a, 1:i32
          %_1 := ne %a, 0:i32
          %_2 := or %_0, %_1
          %r := copy %_2
          return
    ",
    );
}

#[test]
fn the_expected_value_of_an_exchange_is_a_variable_or_a_location() {
    check(
        "atomic_int* x",
        "int e = 1; int r = atomic_compare_exchange_weak_explicit(x, &e, 2, memory_order_acq_rel, memory_order_relaxed);",
        "
        b0:
          %e := copy 1:i32
          %_0, %r := compare_exchange_weak &x, %e, 2:i32 acq_rel else relaxed
          %e := copy %_0
          return
        ",
    );
    check(
        "atomic_int* x, int* e",
        "atomic_compare_exchange_strong(x, e, 2);",
        "
        b0:
          %_0 := load &e plain
          %_2, %_1 := compare_exchange &x, %_0, 2:i32 seq_cst else seq_cst
          branch %_1, b2, b1 join b2
        b1:
          store &e, %_2 plain
          jump b2
        b2:
          return
    ",
    );
}

#[test]
fn exchanges_write_back_what_they_saw() {
    let body = "int e = 1; int r = atomic_compare_exchange_strong(x, &e, 2);";
    check_run("x=1", "atomic_int* x", body, "0:r; 0:e; x", "0:r=1 0:e=1 x=2");
    check_run("x=5", "atomic_int* x", body, "0:r; 0:e; x", "0:r=0 0:e=5 x=5");
    let body = "int r = atomic_compare_exchange_strong(x, e, 2);";
    check_run("x=1; e=1", "atomic_int* x, int* e", body, "0:r; e; x", "0:r=1 e=1 x=2");
    check_run("x=5; e=1", "atomic_int* x, int* e", body, "0:r; e; x", "0:r=0 e=5 x=5");
}

#[test]
fn expressions_follow_the_precedence_of_c() {
    check_value("int r = 1 + 2 * 3 - 8 / 2 % 3;", "0:r", "0:r=6");
    check_value("int r = 1 << 2 + 1 | 1 ^ 3 & 2;", "0:r", "0:r=11");
    check_value("int r = 1 < 2 == 1 && !(3 >= 4) || 0;", "0:r", "0:r=1");
    check_value(
        "int r = -7 / 2; int s = -7 % 2; int t = ~0; int u = -8 >> 1;",
        "0:r; 0:s; 0:t; 0:u",
        "0:r=-3 0:s=-1 0:t=-1 0:u=-4",
    );
    check_value("int a = 3; int r = a > 2 ? a : 0; int s = (a = 5, a + 1);", "0:r; 0:s", "0:r=3 0:s=6");
    check_value("int r = 0x10 + 010 + 1u;", "0:r", "0:r=25");
}

#[test]
fn steps_and_compound_assignments_change_their_target_once() {
    check_value("int a = 3; int r = a++; int s = ++a; int t = a--;", "0:a; 0:r; 0:s; 0:t", "0:a=4 0:r=3 0:s=5 0:t=5");
    check_run("x=3", "int* x", "int r = (*x)++; *x += 10; *x <<= 1;", "0:r; x", "0:r=3 x=28");
}

#[test]
fn integers_are_converted_between_widths() {
    check_value("char c = 300; unsigned char u = 200; int r = c + u;", "0:c; 0:r", "0:c=44 0:r=244");
    check_value("unsigned u = 0; int r = u - 1 > 0; int s = -1 < 0u;", "0:r; 0:s", "0:r=1 0:s=0");
    check_value("long l = 1; l = l << 40; int r = l; int s = l > 0;", "0:l; 0:r; 0:s", "0:l=1099511627776 0:r=0 0:s=1");
    check_value("int i = -1; long l = i; unsigned u = i; long m = u;", "0:l; 0:m", "0:l=-1 0:m=4294967295");
    check_value("bool b = 4; int r = (bool)2 + (char)257; _Bool d = 0;", "0:b; 0:r; 0:d", "0:b=1 0:r=2 0:d=0");
    check_run("uint64_t x = 5", "atomic_ulong* x", "atomic_fetch_add(x, -6);", "x", "x=-1");
}

#[test]
fn loops_run_with_break_and_continue() {
    let body = "int s = 0; for (int i = 0; i < 10; i++) { if (i == 2) continue; if (i == 5) break; s += i; }";
    check_value(body, "0:s; 0:i", "0:s=8 0:i=5");
    check_value("int n = 0; do { n++; if (n == 3) break; } while (1); while (n < 7) n += 2;", "0:n", "0:n=7");
    check_value("int n = 0; for (;;) { n++; if (n > 4) return; } n = 100;", "0:n", "0:n=5");
}

#[test]
fn blocks_share_variables_unless_one_encloses_the_other() {
    check_value("if (0) { int r = 1; } else { int r = 2; }", "0:r", "0:r=2");
    check_value("int r = 1; { int r = 2; r = 3; } int s = r;", "0:r; 0:s", "0:r=1 0:s=1");
}

#[test]
fn pointers_and_arrays() {
    check_run(
        "x=1; int* p=&x; y=3",
        "int** p, int* y",
        "int* q = *p; *q = 7; *p = y; int r = *p == y;",
        "x; p; 0:q; 0:r",
        "x=7 p=y 0:q=x 0:r=1",
    );
    check_run(
        "int t[3]={1,2,3}",
        "int* t",
        "int r = t[1] + *(t + 2); t[0] = 9; int* p = &t[2]; int d = p - t;",
        "0:r; t[0]; 0:d",
        "0:r=5 t[0]=9 0:d=2",
    );
    check_run("x=2; 0:n=4", "int* x", "int n; int r = n + *x; int* z = NULL; int s = !z;", "0:r; 0:s", "0:r=6 0:s=1");
    check_run("x=y; y=4", "int* x", "int r = *x; int s = *r;", "0:s", "0:s=4");
    check_run("x=1; y=2", "int* x, int* y", "x = y; *x = 5;", "x; y", "x=1 y=5");
}

#[test]
fn an_undeclared_variable_may_be_assigned_with_a_warning() {
    let text = test("", "atomic_int* x", "r1 = atomic_load(x); int s = r1;", "0:r1; 0:r9");
    assert_eq!(
        messages(&text),
        "test:4:1: warning: the variable `r1` is not declared
test:6:18: warning: the thread has no variable `r9`, which reads as 0"
    );
}

#[test]
fn a_variable_outlives_its_block_with_a_warning() {
    let text = test("0:z=4", "int* x", "if (1) { int r = 7; }\nint s = r;", "0:s; 0:z");
    assert_eq!(run(&text), "0:s=7 0:z=4");
    assert_eq!(messages(&text), "test:5:9: warning: `r` is used outside of its block");
}

#[test]
fn several_errors_are_reported_with_their_places() {
    check_messages(
        "atomic_int* x",
        "int r = y;
int s = atomic_load(x, memory_order_relaxed);
int t = atomic_load_explicit(x, memory_order_strong);
frobnicate(x);
break;
3 = s;
int u = atomic_store(x, 1);
atomic_load(3);",
        "\
test:4:9: error: the variable `y` is not declared
test:5:9: error: `atomic_load` takes 1 arguments, here are 2
test:6:33: error: unknown memory order `memory_order_strong`
test:7:1: error: unknown function `frobnicate`
test:8:1: error: `break` outside of a loop
test:9:1: error: this cannot be assigned
test:10:9: error: this expression has no value
test:11:13: error: this is not a pointer",
    );
}

#[test]
fn syntax_errors_do_not_hide_one_another() {
    check_messages(
        "int* x",
        "int = 3;
*x = (1 + ;
if (x { *x = 1; }
while 1;
*x = 2",
        "\
test:4:5: error: expected the name of a variable, found `=`
test:5:11: error: expected an expression, found `;`
test:6:7: error: expected `)`, found `{`
test:7:7: error: expected `(`, found `1`
test:9:1: error: expected `;`, found `}`",
    );
}

#[test]
fn what_is_not_modelled_is_refused() {
    let refused = |body: &str, what: &str| {
        let message = messages(&test("", "int* x", body, ""));
        let expected = format!("{what} is not supported");
        assert!(message.contains(&expected), "{body}: {message}");
    };
    refused("spin_lock(x);", "the Linux-kernel primitive `spin_lock`");
    refused("atomic_signal_fence(memory_order_seq_cst);", "`atomic_signal_fence`");
    refused("int r; int* p = &r;", "the address of a local variable, except as an expected value,");
    refused("goto end;", "`goto`");
    refused("end: *x = 1;", "a label");
    refused("int a[3];", "a local array");
    refused("struct s* p;", "the type `struct`");
    refused("long* p = x;", "access of 64 bits through a pointer to 32 bits");
    refused("switch (*x) { }", "`switch`");
    refused("mtx_lock(x);", "the primitive `mtx_lock`");
}

#[test]
fn a_location_has_one_width() {
    let text = "C t\n{}\nP0 (int* x) { *x = 1; }\nP1 (long* x) { *x = 1; }\n";
    assert_eq!(messages(text), "test:4:11: error: the access of `x` with 64 bits, elsewhere 32 bits, is not supported");
}

#[test]
fn threads_are_numbered_from_0() {
    let second = read("C t\n{}\nP1 (int* x) { *x = 1; }\nP0 (int* y) { *y = 1; }\n");
    assert_eq!(second.threads.iter().map(|thread| thread.name.as_str()).collect::<Vec<_>>(), ["P0", "P1"]);
    assert!(messages("C t\n{}\nP1 (int* x) { }\n").contains("expected a thread P0, found P1"));
}
