//! What is the same for every language: header, initial state, condition.

mod support;

use support::{messages, read};

/// The line of the question in the text form of a test whose code is `NOP` in two threads.
fn question(after_code: &str) -> String {
    let program = read(&format!("X86 t\n{{ int a[2]; }}\nP0 | P1 ;\nNOP | NOP ;\n{after_code}"));
    let text = program::text::print(&program);
    text.lines().skip_while(|line| !line.starts_with("thread P1")).skip(2).collect::<Vec<_>>().join("; ")
}

/// The globals of a test in the text form.
fn globals(init: &str) -> String {
    let program = read(&format!("X86 t\n{{ {init} }}\nP0 ;\nNOP ;\n"));
    let text = program::text::print(&program);
    text.lines().filter(|line| line.starts_with("global")).collect::<Vec<_>>().join("; ")
}

/// The values that the registers of thread 0 start with.
fn registers(init: &str) -> String {
    let program = read(&format!("X86 t\n{{ {init} }}\nP0 ;\nNOP ;\n"));
    let text = program::text::print(&program);
    text.lines().find(|line| line.starts_with("thread P0")).unwrap_or("").to_string()
}

#[test]
fn the_header_may_hold_texts_and_keys_that_mean_nothing() {
    for header in [
        "X86 n/1.a+b (nOne) \"a { quoted } text\"\n",
        "X86 n/1.a+b\r\n\"text\"\r\nCycle=Rfe {PodRR} Fre\r\nRelax=\r\n",
        "(* before *) X86 n/1.a+b\n(* after (* nested { *) *)\nCom=Rf Fr\n\"one\" \"two\"\n",
        "\u{feff}X86\n n/1.a+b\t// comment {\n/* { */\n",
    ] {
        let program = read(&format!("{header}{{}}\nP0 ;\nNOP ;\nexists (x=0)\n"));
        assert_eq!(program.name, "n/1.a+b", "{header}");
    }
}

#[test]
fn locations_of_the_initial_state() {
    assert_eq!(
        globals("x=1; [y] = -2; int z = 0x10; w;"),
        "global x = 1:i32; global y = -2:i32; global z = 16:i32; global w = 0:i32"
    );
    assert_eq!(
        globals("uint64_t x = 3; char c; unsigned long l=1; _Atomic(int) a=1;"),
        "global x = 3:i64; global c = 0:i8; global l = 1:i64; global a = 1:i32"
    );
    assert_eq!(globals("x = y; int* p = &x; *q = x;"), "global x = &y; global p = &x; global q = &x; global y = 0:i32");
    assert_eq!(
        globals("int t[3]={1,2}; u = t; v = t[2]"),
        "global t = 0:i32 { [0] = 1:i32, [1] = 2:i32 }; global u = &t[0]; global v = &t[2]"
    );
    assert_eq!(globals("atomic_int x = ATOMIC_INIT(1); ; ;"), "global x = 1:i32");
}

#[test]
fn registers_of_the_initial_state() {
    assert_eq!(registers("0:EAX=1; P0:EBX = x; int 0:ECX=-1; x=0;"), "thread P0 = @P0(1:i32, &x, -1:i32)");
}

#[test]
fn conditions() {
    assert_eq!(question("exists (0:EAX=1 /\\ x=2)"), "exists 0:%EAX == 1:i64 and x == 2:i64");
    assert_eq!(question("~exists (P0:EAX = 1);"), "~exists 0:%EAX == 1:i64");
    assert_eq!(question("~exists x != 1 \\/ ~ [y]=-1"), "~exists x != 1:i64 or not (y == -1:i64)");
    assert_eq!(question("forall ( ~(x=1 \\/ y=2) /\\ true )"), "forall not (x == 1:i64 or y == 2:i64) and true");
    assert_eq!(question("exists x=1 /\\ y=1 => z=1"), "exists x == 1:i64 and (not (y == 1:i64) or z == 1:i64)");
    assert_eq!(question("final x=1 with tso: ~exists; cc: exists; << nothing | of (this >>"), "exists x == 1:i64");
    assert_eq!(question("exists x=y /\\ 0:EAX=&y /\\ x==1:EBX"), "exists x == &y and 0:%EAX == &y and x == 1:%EBX");
    assert_eq!(question("exists x<1 /\\ x>=2 /\\ a[1]=3"), "exists x < 1:i64 and 2:i64 <= x and a[1] == 3:i64");
    assert_eq!(question("exists a={1,2}"), "exists a[0] == 1:i64 and a[1] == 2:i64");
    assert_eq!(question("(x=1)"), "exists x == 1:i64");
    assert_eq!(question(""), "forall true");
}

#[test]
fn locations_and_filter() {
    let program = read(
        "X86 t\n{ int a[2]; }\nP0 ;\nNOP ;\nlocations [x; 0:EBX int; a; y]\nfilter x=1\nexists (y=1 /\\ 0:EAX=2)\n",
    );
    let question = program.question.clone().unwrap();
    let observed: Vec<String> = question.observed.iter().map(|o| program.observable_name(o)).collect();
    assert_eq!(observed, ["y", "0:EAX", "x", "0:EBX", "a[0]", "a[1]"]);
    assert!(question.filter.is_some());
    assert_eq!(program.sources.snippet(question.span.unwrap()), "exists (y=1 /\\ 0:EAX=2)");
}

#[test]
fn wrong_texts_are_reported_with_their_places() {
    let check = |text: &str, expected: &str| assert_eq!(messages(text), expected, "{text:?}");
    check("", "test:1:1: error: a litmus test starts with its language and its name");
    check("{}", "test:1:1: error: a litmus test starts with its language and its name");
    check("X86", "test:1:4: error: the test has no name");
    check("X86 t", "test:1:6: error: the initial state `{ ... }` is missing");
    check("X86 t \"doc", "test:1:7: error: this quoted text is not closed");
    check("X86 t\n(* open", "test:2:1: error: this comment is not closed");
    check("X86 t\n{ x=1", "test:2:1: error: the initial state is not closed by `}`");
    check("LISA t\n{}\n", "test:1:1: error: the language LISA is not supported");
    check("X86 t\n{}\n", "test:3:1: error: expected `;` at the end of this row, found the end");
    check(
        "X86 t\n{}\nP0 | P2 ;\n",
        "test:3:6: error: expected the name of thread P1\n  note: threads are named P0, P1, ... from left to right",
    );
    check("X86 t\n{}\nP0 ;\nNOP | NOP ;\n", "test:4:7: error: this instruction belongs to no thread");
    check("X86 t\n{}\nP0 ;\nNOP ;\nexists (1:EAX=0)", "test:5:9: error: there is no thread P1");
    check("X86 t\n{}\nP0 ;\nNOP ;\nexists (0:r1=0)", "test:5:9: error: `r1` is not a register");
    check("X86 t\n{}\nP0 ;\nNOP ;\nexists (0:EAX=)", "test:5:15: error: expected a number or a location, found `)`");
    check("X86 t\n{}\nP0 ;\nNOP ;\nexists (0:EAX=1", "test:5:16: error: expected `)`, found the end");
    check(
        "X86 t\n{}\nP0 ;\nNOP ;\nexists x=1 y=1",
        "test:5:8: warning: nothing but the condition uses `x`\ntest:5:12: error: expected the end of the condition, found `y`",
    );
    check(
        "X86 t\n{ x==1; y 2; z=1; float f; int t[1]={1,2}; int v[2]; u=v[4] }\nP0 ;\nNOP ;",
        "\
test:2:4: error: expected `;`, found `==`
test:2:9: error: the type `y` is not supported
test:2:19: error: the type `float` is not supported
test:2:28: error: more values than elements of `t`
test:2:54: error: `v` has no element 4",
    );
    check("C t\n{}\n", "test:3:1: error: expected a thread `P0 (...) { ... }`, found the end");
    check("C t\n{}\nP0 (int* x) { *x = 1;", "test:3:13: error: this block is not closed by `}`");
    check(
        "C t\n{}\nP0 (int x) { }",
        "test:3:9: error: the parameter `x` is not a pointer\n  note: a parameter points to the location of its name",
    );
}
