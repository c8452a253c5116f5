//! One rejecting program, at least, for every rule of the law, and programs that are legal on purpose.

use std::collections::BTreeSet;

use program::{BlockId, Flow, text, verify};

/// Verifies the text form; gives `line: message (rule)` for each breach.
fn breaches(text: &str) -> Vec<String> {
    let program = text::parse("test", text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let sources = program.sources.clone();
    let Err(breaches) = verify(program) else { return Vec::new() };
    let show = |breach: &program::Diagnostic| {
        let line = breach.span.map_or("-".into(), |span| sources.location(span).line.to_string());
        let rule = breach.notes[0].strip_suffix(" of the program representation").unwrap();
        format!("{line}: {} ({rule})", breach.message)
    };
    breaches.iter().map(show).collect()
}

/// The globals `x` and `y` on the first line, then the items.
fn with(items: &str) -> String {
    format!("program t language IR global x = 0:i32 global y = 0:i32\n{items}")
}

/// A function `f` with the registers `a`, `b`, `c` whose only block has these instructions, from the third line on.
fn body(instructions: &str) -> String {
    with(&format!("function f() {{ registers a, b, c b0:\n{instructions}\n return }}\n{G}"))
}

/// A function of one parameter and one result.
const G: &str = "function g(%p) -> 1 { registers p b0: return %p }";

fn cases() -> Vec<(u8, String, &'static str)> {
    let control = |blocks: &str| with(&format!("function f() {{ registers a\n{blocks} }}"));
    let question =
        |question: &str| with(&format!("function f() {{ registers a b0: return }} thread T = @f()\n{question}"));
    vec![
        (1, body("%#3 := copy %a"), "3: function `f` has no register 3"),
        (1, body("assume %#9"), "3: function `f` has no register 9"),
        (1, with("function f(%#0) { b0: return }"), "2: function `f` has no register 0"),
        (1, control("b0:\njump b1"), "3: function `f` has no block 1"),
        (1, control("b0: branch %a, b0, b0\njoin b7"), "3: function `f` has no block 7"),
        (1, control("b0: assume %a\n branch %a, b0, b4"), "4: function `f` has no block 4"),
        (1, body("call @#7()"), "3: a call: there is no function 7"),
        (1, body("%a := spawn @#7()"), "3: a call: there is no function 7"),
        (1, with("thread T = @#0()"), "-: thread `T`: there is no function 0"),
        (1, question("exists 1:%#0 == 0:i32"), "3: there is no thread 1"),
        (1, question("exists 0:%#1 == 0:i32"), "3: function `f` has no register 1"),
        (2, body("store &#2, 0:i32 plain"), "3: there is no global 2 to point to"),
        (2, body("%a := copy T(&#5[1])"), "3: there is no global 5 to point to"),
        (2, body("%a := allocate A = &#5"), "3: there is no global 5 to point to"),
        (2, with("global z = &#5"), "2: there is no global 5 to point to"),
        (2, with("global z = 0:i8 { [1] = &#5 }"), "2: there is no global 5 to point to"),
        (2, with(&format!("{G} thread T = @g(&#5)")), "-: there is no global 5 to point to"),
        (2, question("exists true filter #2[0] == 0:i32"), "3: there is no global 2 to point to"),
        (2, question("exists x == &#2"), "3: there is no global 2 to point to"),
        (2, question("exists true observed #2"), "3: there is no global 2 to point to"),
        (3, with("global z = 0:i8 { [1] = 1:i8, [1] = 2:i8 }"), "2: cell [1] of `z` has two initial values"),
        (18, with(&format!("{G} setup @g()")), "2: the setup gives 0 arguments, but `g` takes 1"),
        (1, with("setup @#9()"), "-: the setup: there is no function 9"),
        (19, body("await %a"), "3: `await` outside of an atomic block"),
        (4, with("global x = 0:i8"), "2: two globals are named `x`"),
        (4, question("thread T = @f()"), "-: two threads are named `T`"),
        (5, with("function f() { }"), "2: function `f` has no blocks"),
        (6, body("%a := add %b"), "3: `add` takes 2 operands, but gets 1"),
        (6, body("%a := not ()"), "3: `not` takes 1 operand, but gets 0"),
        (6, body("%a := update &x, neg 1:i32 plain"), "3: `neg` takes 1 operand, but gets 2"),
        (7, body("%a := call @g()"), "3: a call gives 0 arguments, but `g` takes 1"),
        (7, body("call @g(%a)"), "3: a call takes 0 results, but `g` gives 1"),
        (7, body("%a := spawn @g()"), "3: a call gives 0 arguments, but `g` takes 1"),
        (7, with(&format!("{G} thread T = @g()")), "2: thread `T` gives 0 arguments, but `g` takes 1"),
        (7, with("function f() -> 2 { b0:\nreturn 1:i8 }"), "2: a return gives 1 value, but `f` gives 2"),
        (8, body("%a := call_virtual { }(%b)"), "3: a virtual call lists no class"),
        (8, body("call_virtual { A: @f }()"), "3: a virtual call has no receiver"),
        (8, body("%a := call_virtual { A: @g, A: @g }(%b)"), "3: a virtual call lists the class `A` twice"),
        (8, body("%a := call_virtual { A: @g, B: @f }(%b)"), "3: a call gives 1 argument, but `f` takes 0"),
        (8, body("call_virtual { A: @g }(%b)"), "3: a call takes 0 results, but `g` gives 1"),
        (9, with("function f(%a, %a) { registers a b0: return }"), "2: a register stands twice among the parameters"),
        (
            9,
            body("%a, %a := compare_exchange &x, %b, %c plain else plain"),
            "3: a register stands twice among the targets",
        ),
        (10, body("%a := resize[s0] %b"), "3: a width of 0 bits is not in 1 to 64"),
        (10, body("%a := resize[u65] %b"), "3: a width of 65 bits is not in 1 to 64"),
        (10, body("%a := choose 0..0:i0"), "3: a width of 0 bits is not in 1 to 64"),
        (11, body("%a := choose 3..2:i8"), "3: nothing to choose from 3 to 2"),
        (11, body("%a := choose 0..256:i8"), "3: 0 to 256 are not integers of 8 bits"),
        (11, body("%a := choose -1..128:i8"), "3: -1 to 128 are not integers of 8 bits"),
        (12, body("%a := make[M, 1] %b\n%a := copy M(1:i8, 2:i8)"), "4: a composite `M` has 2 fields, another has 1"),
        (12, body("%a := get[M, 1] %b\n%a := make[M, 1] %b"), "3: field 1 of a composite `M`, which has 1 field"),
        (12, body("%a := update &x, set[M, 2] M(1:i8) plain"), "3: field 2 of a composite `M`, which has 1 field"),
        (
            13,
            control("b0: branch %a, b1, b2\nb1: jump b2\nb2: jump b1"),
            ": irreducible control flow in `f`: the cycle through b",
        ),
        (14, body("atomic_end"), "3: an atomic block ends that has not started"),
        (14, body("atomic_begin"), "2: `f` returns inside of an atomic block"),
        (14, body("atomic_begin\natomic_begin\natomic_end"), "4: an atomic block starts inside of another"),
        (
            14,
            control("b0: branch %a, b1, b2\nb1: atomic_begin jump b2\nb2: return"),
            "5: b2 of `f` is entered both inside and outside of an atomic block",
        ),
        (
            14,
            control("b0: jump b1\nb1: atomic_begin branch %a, b1, b2\nb2: atomic_end return"),
            "4: b1 of `f` is entered both inside and outside of an atomic block",
        ),
        (15, body("atomic_begin\nlock &x\natomic_end"), "4: an atomic block waits for, wakes or starts a thread"),
        (15, body("atomic_begin\npark\natomic_end"), "4: an atomic block waits for, wakes or starts a thread"),
        (
            15,
            body("atomic_begin\ncall @h()\natomic_end")
                + "function h() { b0: call @k() return } function k() { b0: park return }",
            "4: an atomic block calls `h`, which synchronizes or has an atomic block of its own",
        ),
        (
            15,
            body("atomic_begin\ncall @h()\natomic_end") + "function h() { b0: atomic_begin atomic_end return }",
            "4: an atomic block calls `h`, which synchronizes or has an atomic block of its own",
        ),
        (
            16,
            question("exists x == 0:i32 and y == 0:i32 observed y, x"),
            "3: what is observed does not begin with what the proposition speaks of",
        ),
        (17, with("order 0 before 1"), "-: the order of threads names a thread that does not exist"),
        (17, question("thread U = @f() order 0 before 1 order 1 before 0"), "-: the order of threads goes in a circle"),
        (16, question("exists x == 0:i32 observed x, y, y"), "3: something is observed twice"),
    ]
}

#[test]
fn every_rule_rejects_what_breaks_it() {
    let mut rules = BTreeSet::new();
    let mut wrong = Vec::new();
    for (rule, text, message) in cases() {
        let found = breaches(&text);
        let suffix = format!("(rule {rule})");
        let only_this_rule = found.iter().all(|b| b.ends_with(&suffix));
        if !only_this_rule || !found.iter().any(|b| b.contains(message)) {
            wrong.push(format!("rule {rule}, expected {message:?}, found {found:?}\n{text}"));
        }
        rules.insert(rule);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert_eq!(rules, (1..=19).collect(), "every rule has a rejecting test");
}

#[test]
fn one_breach_does_not_hide_the_next() {
    let found = breaches(&body("%a := add %b\n%a := resize[s0] %#7"));
    assert_eq!(
        found,
        [
            "3: `add` takes 2 operands, but gets 1 (rule 6)",
            "4: function `f` has no register 7 (rule 1)",
            "4: a width of 0 bits is not in 1 to 64 (rule 10)",
        ]
    );
}

#[test]
fn what_is_legal_on_purpose_passes() {
    let legal = [
        // Registers that no path assigns; a tag that nothing makes; an access of any order.
        body("%a := add %b, %c\n%b := get[M, 7] %a\n%c := load &x release\nstore &x[4][-1], %a acquire"),
        // Recursion, also through another function, and shared names of functions and registers.
        body("call @f()")
            + "function h() { registers r, r b0: call @k() return } function k() { b0: call @h() return }",
        body("") + "function g() { b0: return }",
        // Blocks that nothing reaches may be irreducible and unbalanced.
        with("function f() { registers a b0: return b1: atomic_end branch %a, b2, b3 b2: jump b3 b3: jump b2 }"),
        // Nested loops, a loop of one block, two back edges to one head.
        with(
            "function f() { registers a b0: jump b1 b1: branch %a, b2, b5 b2: branch %a, b3, b1
             b3: branch %a, b3, b4 b4: branch %a, b2, b1 b5: return }",
        ),
        // An atomic block over several basic blocks, with a loop, an assumption and a call inside, left on two ways.
        with(
            "function f() { registers a b0: atomic_begin assume %a jump b1 b1: call @h() branch %a, b1, b2
             b2: branch %a, b3, b4 b3: atomic_end return b4: atomic_end jump b5 b5: park return }
             function h() { b0: call @h() return }",
        ),
        body("%a := choose -128..127:i8\n%a := choose 0..255:i8\n%a := choose 0..9223372036854775807:i64"),
        "program t language IR".into(),
    ];
    for text in legal {
        assert_eq!(breaches(&text), [""; 0], "{text}");
    }
}

#[test]
fn flow_knows_order_dominators_and_loops() {
    let text = with(
        "function f() { registers a b0: jump b2 b1: return b2: branch %a, b3, b4 b3: branch %a, b5, b6 b4: jump b7
         b5: jump b6 b6: jump b2 b7: branch %a, b7, b1 b8: jump b2 }",
    );
    let program = verify(text::parse("test", &text).unwrap()).unwrap().into_program();
    let flow = Flow::of(&program.functions[0]);
    assert_eq!(flow.order().first(), Some(&BlockId(0)));
    assert_eq!(flow.order().len(), 8);
    assert_eq!(flow.loop_heads(), [BlockId(2), BlockId(7)]);
    let mut back = flow.retreating().to_vec();
    back.sort();
    assert_eq!(back, [(BlockId(6), BlockId(2)), (BlockId(7), BlockId(7))]);
    for (dominator, block, expected) in
        [(2, 1, true), (3, 6, true), (5, 6, false), (4, 1, true), (3, 1, false), (8, 2, false)]
    {
        assert_eq!(flow.dominates(BlockId(dominator), BlockId(block)), expected, "b{dominator} b{block}");
    }
    assert!(!flow.reaches(BlockId(8)) && !flow.reaches(BlockId(9)) && flow.reaches(BlockId(1)));
}
