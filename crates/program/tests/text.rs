//! The text form round-trips, points to what is wrong, and never panics.

use program::*;

mod random;

/// A program with every instruction, operator parameter, kind of value and part of a question, as it is printed.
const ALL: &str = r#"program "all of it"
language C

global x = 0:i32
global "a b" = undefined { [] = 1:i64, [0] = &x, [1][-2] = Mark(&"a b"[3], "undefined"(), -1:i1) }
global same = 0:i8
global same = &#3

function main(%p, %#2) -> 2 {
  registers p, t, q, q, "%odd \"name\"", ok, "", "true"
  b0:
    %t := copy undefined
    %t := resize[s8] %p
    %t := resize[u64] %p
    %t := make[Mark, 2] %p, 1:i32
    %t := make["an empty one", 0] ()
    %t := get[Mark, 0] %t
    %t := set[Mark, 1] %t, -9223372036854775808:i64
    %t := select %p, %#2, %#3
    %"%odd \"name\"" := last_offset %""
    %"true" := load &x plain
    %t := load &"a b"[1][-2] acquire{X, "two words"}
    store %p, Mark(1:i32, undefined) release
    %t := exchange &x, 1:i32 seq_cst{A}
    %t := update &x, add 1:i32 relaxed
    %t := update &x, set[Mark, 1] 1:i32 consume
    %t, %ok := compare_exchange &x, 0:i32, %p acq_rel else acquire
    %t, %ok := compare_exchange_weak &#2, 0:i32, %p seq_cst{A, B} else relaxed{C}
    fence plain{MFENCE}
    freeze &x
    lock &x
    wait &x
    notify &x
    notify_all &x
    unlock &x
    %p := allocate Node = undefined
    %p := allocate "struct node *" = 0:i32 reuse
    live %p
    end %p
    free %p
    call @worker()
    %t, %p := call @main(%p, -1:i1)
    call_virtual {  }()
    %t := call_virtual { A: @worker, "B b": @#2 }(%p, 0:i32)
    %t := spawn @main(%p, &x)
    unpark %t
    park
    join %t
    assert %ok, "x < 1\u{a}\\ und größer"
    assume %ok
    await %ok
    observe label, %t
    %t := identify
    %t := choose -1..3:i8
    atomic_begin
    atomic_end
    branch %ok, b1, b2 join b2
  b1:
    jump b0
  b2:
    return %p, return(1:i32), "and"()
}

function worker() {
  b0:
    return
}

function twin() {
}

function twin() {
  registers r
  b0:
    branch &x, b0, b7
}

setup @worker()

thread P0 = @main(&x, Mark(0:i32))
thread "P 1" = @worker()

~exists ((0:%p == 1:i32 and not (x != &x)) or all() or any(not not false)) and 0:%#2 < "a b"[1][-2] and all(1:%#7 <= #2)
filter true or (false and true)
observed 0:%p, x, #2
"#;

fn parse(text: &str) -> Program {
    text::parse("test", text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// Compares line by line, so that a difference is seen at once.
fn assert_same(left: &str, right: &str) {
    for (left, right) in left.lines().zip(right.lines()) {
        assert_eq!(left, right);
    }
    assert_eq!(left.len(), right.len());
}

#[test]
fn a_program_with_everything_prints_as_it_was_read() {
    assert_same(&text::print(&parse(ALL)), ALL);
}

#[test]
fn layout_comments_and_parentheses_do_not_matter() {
    let squeezed = ALL.replace("\n", " ; a comment\n\n").replace(", ", " ,\t");
    assert_same(&text::print(&parse(&squeezed)), ALL);
    let loose = ALL.replace("((0:%p == 1:i32 and not (x != &x)) or", "(0:%p == 1:i32 and (not (x != &x)) or");
    let loose = loose.replace("true or (false and true)", "(true) or false and true");
    assert_same(&text::print(&parse(&loose)), ALL);
}

#[test]
fn spans_point_into_the_text() {
    let program = parse(ALL);
    let snippet = |span: Option<Span>| program.sources.snippet(span.unwrap());
    let main = &program.functions[0];
    assert_eq!(snippet(program.globals[0].span), "global x = 0:i32");
    assert_eq!(snippet(main.span), "function main(%p, %#2) -> 2");
    assert_eq!(snippet(main.blocks[1].span), "b1:");
    assert_eq!(snippet(main.blocks[0].instructions[0].span), "%t := copy undefined");
    let Terminator::Branch { span, .. } = main.blocks[0].terminator else { panic!() };
    assert_eq!(snippet(span), "branch %ok, b1, b2 join b2");
    assert!(snippet(program.question.as_ref().unwrap().span).starts_with("~exists (("));
    assert_eq!(text::without_spans(program.clone()), text::without_spans(parse(&text::print(&program))));
}

#[test]
fn integers_may_be_written_signed_or_unsigned() {
    let value = |text: &str| parse(&format!("program t language IR global x = {text}")).globals[0].default.clone();
    assert_eq!(value("255:i8"), Value::int(-1, 8));
    assert_eq!(value("18446744073709551615:i64"), Value::int(-1, 64));
    assert_eq!(value("1:i1"), Value::int(-1, 1));
}

#[test]
fn without_a_list_the_observables_of_the_proposition_are_observed() {
    let program =
        parse("program t language IR global x = 0:i8 global y = 0:i8 exists y == 0:i8 and x == y filter x < y");
    let question = program.question.unwrap();
    let cells = [1, 0].map(|allocation| Observable::Memory(Pointer::to(allocation)));
    assert_eq!(question.observed, cells);
}

/// Reads what follows the header; the messages, one per line.
fn errors(items: &str) -> String {
    let text = format!("program t language IR\n{items}");
    text::parse("test", &text).map(|program| text::print(&program)).unwrap_err().to_string()
}

#[test]
fn errors_say_where_and_what() {
    let check = |items: &str, expected: &str| assert_eq!(errors(items), expected, "{items}");
    let body = |instruction: &str| format!("function f() {{ registers r b0:\n{instruction}\nreturn }}");
    check("global x", "test:2:9: error: expected `=`, found the end of the text");
    check("global x = 1", "test:2:13: error: expected `:`, found the end of the text");
    check("global x = 1:i65", "test:2:12: error: integers have 1 to 64 bits");
    check("global x = 1:32", "test:2:14: error: expected a width such as `i32`, found `32`");
    check("global x = 256:i8", "test:2:12: error: `256` does not fit in 8 bits");
    check(
        "global x = \"a",
        "test:2:12: error: a quote is not closed on its line\ntest:2:14: error: expected a value, found the end of the text",
    );
    check("global é = 1:i8", "test:2:8: error: unexpected character `é`\ntest:2:10: error: expected a name, found `=`");
    check("global x = &y global y = &z", "test:2:27: error: there is no global `z`");
    check("thread and = @f()", "test:2:8: error: expected a name, found `and`");
    check(
        "hello",
        "test:2:1: error: expected `global`, `function`, `setup`, `thread`, `order`, `ends_with_main`, `wakes_rarely`, `few_hash_codes`, `few_times`, `two_processors`, `exists`, `~exists` or `forall`, found `hello`",
    );
    check("function f() { b1: return }", "test:2:16: error: the blocks are not in order: expected `b0`");
    check(
        &body("%s := copy %t"),
        "test:3:2: error: there is no register `s`\ntest:3:13: error: there is no register `t`",
    );
    check(&body("%r := load &#0"), "test:4:1: error: expected a memory order such as `plain`, found `return`");
    check(&body("copy %r"), "test:3:1: error: `copy` takes one target");
    check(&body("%r := park"), "test:3:7: error: `park` takes no target");
    check(
        &body("%r := compare_exchange"),
        "test:3:7: error: `compare_exchange` takes two targets: the old value and the success",
    );
    check(&body("lok &#0"), "test:3:1: error: expected an instruction, a terminator or an operator, found `lok`");
    check(&body("lock r"), "test:3:6: error: expected a register or a value, found `r`");
    check("exists 0:%r == 1:i8", "test:2:11: error: there is no register `r`");
    check(
        "exists true thread T = @#0()",
        "test:2:13: error: expected the end of the text after the question, found `thread`",
    );
    check(
        "global x = 0:i8 global x = 0:i8 exists x == 0:i8",
        "test:2:40: error: several globals are named `x`\n  note: refer to it by its number, as in `#0`",
    );
}

#[test]
fn an_error_in_one_item_does_not_hide_the_next() {
    let found =
        errors("global x 0:i8\nfunction f() { b0: jmp }\nfunction g( {\nfunction h() { b0: return }\nthread = 1");
    let lines: Vec<&str> = found.lines().map(|line| &line[..8]).collect();
    assert_eq!(lines, ["test:2:1", "test:3:2", "test:4:1", "test:6:8"], "{found}");
}

#[test]
fn nesting_is_limited() {
    for (open, close) in [("(", ")"), ("not ", ""), ("all(", ")"), ("any(not (", "))")] {
        let deep = format!("exists {}true{}", open.repeat(100_000), close.repeat(100_000));
        assert!(errors(&deep).contains("nested more than 100 deep"), "{open}");
    }
    let nested = |depth: usize| format!("global x = {}{}", "A(".repeat(depth), ")".repeat(depth));
    assert!(errors(&nested(100_000)).contains("nested more than 100 deep"));
    parse(&format!("program t language IR {}", nested(100)));
}

/// Whatever the text, it is read or refused; what is read prints and reads again as the same.
fn survives(text: &str) {
    if let Ok(program) = text::parse("test", text) {
        let printed = text::print(&program);
        assert_eq!(text::without_spans(parse(&printed)), text::without_spans(program.clone()), "{text}");
        let _ = verify(program);
    }
}

#[test]
fn no_truncation_or_mutation_makes_the_parser_panic() {
    let bytes = ALL.as_bytes();
    let mut source = random::Random::new(7);
    for at in 0..bytes.len() {
        survives(&String::from_utf8_lossy(&bytes[..at]));
        survives(&String::from_utf8_lossy(&[&bytes[..at], &bytes[at + 1..]].concat()));
        for _ in 0..2 {
            let mut mutated = bytes.to_vec();
            mutated[at] = *source.pick(b"\"\\%&@#()[]{}:;,=<~-.09aiub \n\x00\xff");
            survives(&String::from_utf8_lossy(&mutated));
        }
    }
}

#[test]
fn random_programs_round_trip() {
    for seed in 1..=500 {
        let program = random::program(&mut random::Random::new(seed));
        let printed = text::print(&program);
        let read = parse(&printed);
        assert_eq!(text::print(&read), printed, "seed {seed}");
        assert_eq!(text::without_spans(read), program, "seed {seed}\n{printed}");
        let _ = verify(program);
    }
}
