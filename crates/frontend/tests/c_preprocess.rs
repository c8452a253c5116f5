//! The C preprocessor: the same tokens as gcc's, messages with positions, places of tokens, and no input that it cannot bear.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use frontend::c::preprocess::{EMBEDDED, Preprocessed, preprocess};
use program::Sources;

/// Preprocesses `text` as `main.c`; `files` can be included.
fn run(text: &str, files: &[(&str, &str)]) -> (Result<Preprocessed, String>, Sources) {
    let files: HashMap<&str, &str> = files.iter().copied().collect();
    let mut include = |name: &str, _: &str| files.get(name).map(|text| (name.to_string(), text.to_string()));
    let mut sources = Sources::new();
    let result = preprocess("main.c", text, &mut include, &[], &mut sources).map_err(|wrong| wrong.to_string());
    (result, sources)
}

fn text_of(text: &str) -> String {
    run(text, &[]).0.expect("preprocesses").text
}

fn message_of(text: &str) -> String {
    run(text, &[]).0.expect_err("is wrong")
}

/// The tokens of a text, found without the code under test.
fn words(text: &str) -> Vec<String> {
    const LONG: &[&str] = &[
        "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=", "/=", "%=", "+=",
        "-=", "&=", "^=", "|=", "##",
    ];
    let mut rest = text.trim_start();
    let mut words = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' || first == '\'' {
            quoted(rest, first)
        } else if first.is_alphanumeric() || first == '_' {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(rest.len());
            if first.is_ascii_digit() { length } else { rest[..length].find('.').unwrap_or(length) }
        } else {
            LONG.iter().find(|long| rest.starts_with(**long)).map_or(first.len_utf8(), |long| long.len())
        };
        words.push(rest[..length].to_string());
        rest = rest[length..].trim_start();
    }
    words
}

fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (index, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// What [`gcc`] says of a text with errors.
const REJECTED: &str = "(gcc rejects this)";

/// What gcc makes of `text`; `None` without gcc.
fn gcc(text: &str, options: &[&str]) -> Option<String> {
    let mut child = Command::new("gcc")
        .args(["-std=gnu11", "-E", "-P", "-w", "-x", "c"])
        .args(options)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let text = if output.status.success() { String::from_utf8_lossy(&output.stdout) } else { REJECTED.into() };
    Some(text.into_owned())
}

fn headers() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/c/headers")
}

/// Things that preprocessors get wrong, each with the same result as gcc's.
const TRICKY: &[&str] = &[
    // The examples of C11 6.10.3.5.
    "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n\
     #define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n\
     #define str(x) # x\nf(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
     p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };",
    "#define str(s) # s\n#define xstr(s) str(s)\n#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", x ## s, x ## t)\n\
     #define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n#define HIGHLOW \"hello\"\n\
     #define LOW LOW \", world\"\ndebug(1, 2);\nfputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4')\n== 0) str(: @\\n), s);\n\
     xstr(INCFILE(2).h)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)",
    "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n#define join(c, d) in_between(c hash_hash d)\n\
     char p[] = join(x, y);",
    "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,),\nt(10,,), t(,11,), t(,,12), t(,,) };",
    "#define debug(...) fprintf(stderr, __VA_ARGS__)\n#define showlist(...) puts(#__VA_ARGS__)\n\
     #define report(test, ...) ((test)?puts(#test):\\\nprintf(__VA_ARGS__))\ndebug(\"Flag\");\ndebug(\"X = %d\\n\", x);\n\
     showlist(The first, second, and third items.);\nreport(x>y, \"x is %d but y is %d\", x, y);",
    // Rescanning and hide sets.
    "#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)",
    "#define foo foo + bar\n#define bar foo\nfoo bar",
    "#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)",
    "#define f(x) x f\nf(f)(1)(2)",
    "#define a b\n#define b c\n#define c a\na b c",
    "#define AA BB\n#define BB(x) [x]\nAA(1) AA (2) AA\n(3) BB AA",
    "#define EMPTY\n#define f(x) <x>\nf EMPTY (1) f(EMPTY) EMPTY f(2)",
    "#define LPAREN (\n#define f(x) [x]\nf LPAREN 1) f(LPAREN)",
    "#define f(x, y) x + y\nf((1, 2), {3}) f(f(1, 2), f(3, 4)) f(,)",
    "#define c(x) x,x\n#define d(x, y) y-x\n#define e(x) d(x)\nd(c(1), 2) e(c(3) )",
    "#define q(x) #x\nq() q( a  b ) q(\"a\\n\" 'b\\'' \\d) q(a/* c */b) q(a\n b) q((a, b))",
    "#define xs(x) s(x)\n#define s(x) #x\n#define E\n#define F()\nxs(-E-) xs(a E b) xs(a F()b) xs(E a) xs(+ +) xs(x E)",
    // Pasting.
    "#define cat(a, b) a##b\n#define xcat(a, b) cat(a, b)\ncat(x, 1) cat(1, e) cat(+, +) cat(-, >) cat(<, <=) cat(., 5) cat(L, 'a') cat(u8, \"x\")\n\
     xcat(cat(a, b), c) xcat(__LINE__, x) cat(1.5e, +) cat(, a) cat(a, ) a cat(,) b",
    "#define cat3(a, b, c) a ## b ## c\n#define k(a) a ## _ ## a\ncat3(x, y, z) cat3(1, , 2) k(q) k()",
    "#define obj a ## b\n#define ab 7\nobj",
    // gcc's comma.
    "#define p(f, ...) printf(f, ## __VA_ARGS__)\np(1) p(1, 2) p(1, 2, 3) p(1, )",
    "#define p(f, args...) printf(f, ## args) [args]\np(1) p(1, 2) p(1, 2, 3)",
    "#define v(...) <__VA_ARGS__>\nv() v(1) v(1, 2) v((1, 2), 3)",
    "#define v(...) (x, ## __VA_ARGS__) #__VA_ARGS__\nv() v(1) v( ) v(,)",
    "#define y 5\n#define p(f, ...) (f, ## __VA_ARGS__, #__VA_ARGS__)\np(y, y) p(y)",
    // Conditions.
    "#if 1 + 2 * 3 == 7 && (4 >> 1 << 3) == 16 && 7 % 4 == 3\nyes\n#else\nno\n#endif",
    "#if -1 > 0u\nyes\n#endif\n#if -1 < 0\nsigned\n#endif\n#if (0 ? 1u : -1) > 0\nunsigned\n#endif",
    "#if 0x7fffffffffffffff + 0 > 0 && 0xffffffffffffffff > 0 && 010 == 8 && 0b11 == 3 && 10UL == 10ll\nyes\n#endif",
    "#if 'a' == 97 && '\\n' == 10 && '\\x41' == 'A' && '\\101' == 65 && '\\377' < 0 && 'ab' == 24930 && L'a' == 97\nyes\n#endif",
    "#if 0 && (1 / 0)\nno\n#elif 1 || (1 % 0)\nyes\n#else\nno\n#endif",
    "#if (1 ? 2 : 1 / 0) == 2 && (2, 3) == 3 && ~0 == -1 && !undefined_name && -(-1) == +1 && !!2 == 1\nyes\n#endif",
    "#define A\n#define B 0\n#if defined A && defined(B) && !defined C && !B\nyes\n#endif\n#ifdef B\nB\n#endif\n#ifndef C\nnoC\n#endif",
    "#define HAS defined(A) && !defined B\n#define A 1\n#if HAS\nyes\n#endif",
    "#define f(x) ((x) + 1)\n#if f(1) == 2 && f\nno\n#elif f(f(0)) == 2\nyes\n#endif",
    "#if 1\na\n#if 0\nb\n#elif 1\nc\n#elif 1\nd\n#else\ne\n#endif\nf\n#else\n#if 1\ng\n#else\nh\n#endif\n#endif i",
    "#if 0\nit's skipped \"\n#bad\n#if junk (\n#elif\n#else junk\n#endif\n#error no\n#else\nyes\n#endif",
    "#if 1 << 63 < 0 && -1 >> 70 == -1 && 1 << 64 == 0 && 4 << -1 == 2\nyes\n#endif",
    "#if -9223372036854775807 - 1 < 0 && 18446744073709551615u == -1\nyes\n#endif",
    "#define f(x) x\nf(\n#if 1\n1\n#else\n2\n#endif\n)",
    // Lines, comments, strings.
    "a\\\nb c/* x\n#define no\n*/d // e \\\nf\n\"g//h /* i */\" 'j' \"k\\\"l\" /**/ m /* // */ n",
    "#/* */define /* \n */ A /* x */ 1 // 2\n  #  define B(x) x /*\n*/ + 1\nA B(2)\n#\n",
    "#define A(x, \\\n  y) x \\\n  y\nA(1,\n2) \\\n3",
    "int a = 1 / 2; /* unterminated? no **/ b /*/ c */ d",
    "x+++y x---y x->y a<<=b ... a.b .5.5 1.e+5 0x1p-3 1..2 a?b:c %",
    "__LINE__ x\n__LINE__\n#line 100 \"other.c\"\n__LINE__ __FILE__\n__LINE__\n# 7 \"third.c\"\n__LINE__ __FILE__",
    "__COUNTER__ __COUNTER__\n#define c __COUNTER__\nc c",
    "#define f(x) x\n#define l __LINE__\n\n\nl f(__LINE__) f(l)",
    "#undef never\n#define a 1\n#undef a\na\n#define a 2\na\n#define a 3\na",
    "#define defined_later later\n#define f() defined_later\n#undef defined_later\n#define defined_later now\nf()",
    "#ident \"x\"\n#pragma once\n#pragma STDC FP_CONTRACT ON\na\n",
];

#[test]
fn tokens_are_those_of_gcc() {
    if gcc("", &[]).is_none() {
        println!("skipped: no gcc");
        return;
    }
    for text in TRICKY {
        let expected = words(&without_pragmas(&gcc(text, &[]).expect("gcc runs")));
        assert_eq!(words(&text_of(text)), expected, "in\n{text}");
    }
}

/// Macros of random text: `A`, `B`, `C` take no arguments, `F` takes one, `G` two, `H` one and any further.
fn random_macros(next: &mut impl FnMut(usize) -> usize) -> String {
    const WORDS: &[&str] = &[
        "A", "B", "C", "F", "G", "H", "F(", "G(", "H(", "(", ")", ")", ",", "x", "y", "x", "1", "+", "-", "F(x)",
        "G(x,A)",
    ];
    let mut body = |operators: &[&str], count: usize| {
        let words = (0..next(count) + 1).map(|_| match next(8) {
            0 => operators[next(operators.len())],
            _ => WORDS[next(WORDS.len())],
        });
        words.map(|word| format!("{word} ")).collect::<String>()
    };
    let mut text = String::new();
    for name in ["A", "B", "C"] {
        text += &format!("#define {name} {}\n", body(&["x", "a ## b"], 4));
    }
    text += &format!("#define F(x) {}\n", body(&["#x", "x ## 1", "x ## x", "a ## x"], 5));
    text += &format!("#define G(x, y) {}\n", body(&["#y", "x ## y", "y", "x ## a ## y"], 5));
    text += &format!("#define H(x, ...) {}\n", body(&["#__VA_ARGS__", "__VA_ARGS__", "(x, ## __VA_ARGS__)"], 5));
    for _ in 0..6 {
        text += &format!("{};\n", body(&["A", "F(A)", "G(F(1), (2, 3))", "H(1)", "H(B, C)"], 7));
    }
    text + "))))))))))))\n"
}

#[test]
fn random_macros_expand_as_in_gcc() {
    if gcc("", &[]).is_none() {
        println!("skipped: no gcc");
        return;
    }
    let mut next = random(0x2545_f491_4f6c_dd1d);
    let mut compared = 0;
    for _ in 0..400 {
        let text = random_macros(&mut next);
        let theirs = gcc(&text, &[]).expect("gcc runs");
        let ours = run(&text, &[]).0;
        assert_eq!(ours.is_err(), theirs == REJECTED, "{text}{ours:?}");
        if let Ok(ours) = ours {
            assert_eq!(words(&ours.text), words(&theirs), "in\n{text}");
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}

/// Random numbers below a given one.
fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    }
}

fn without_pragmas(text: &str) -> String {
    text.lines()
        .filter(|line| !line.starts_with("#pragma") && !line.starts_with("#ident"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn every_header_has_the_tokens_that_gcc_finds_and_parses() {
    let folder = headers();
    let predefined = folder.join("predefined.h");
    let options =
        ["-nostdinc", "-undef", "-imacros", predefined.to_str().expect("text"), "-I", folder.to_str().expect("text")];
    for (name, _) in EMBEDDED {
        let text = format!("#include <{name}>\n#include \"{name}\"\n");
        let ours = text_of(&text);
        if let Some(theirs) = gcc(&text, &options) {
            assert_eq!(words(&ours), words(&theirs), "{name}");
        }
        parse(&ours, name);
    }
}

#[test]
fn all_headers_go_together() {
    let text: String = EMBEDDED.iter().map(|(name, _)| format!("#include <{name}>\n")).collect();
    parse(&text_of(&text), "all");
    let text: String = EMBEDDED.iter().rev().map(|(name, _)| format!("#include <{name}>\n")).collect();
    parse(&text_of(&text), "all, backwards");
}

fn parse(text: &str, name: &str) {
    let config = lang_c::driver::Config { flavor: lang_c::driver::Flavor::GnuC11, ..lang_c::driver::Config::default() };
    if let Err(wrong) = lang_c::driver::parse_preprocessed(&config, text.to_string()) {
        panic!("{name}: {wrong}\n{text}");
    }
}

#[test]
fn every_embedded_header_is_a_file_of_the_folder_and_the_other_way_round() {
    let names_in = |folder: &str| {
        let entries = std::fs::read_dir(headers().join(folder)).expect("folder");
        let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        entries.map(|entry| name(entry.expect("entry"))).collect::<Vec<_>>()
    };
    let outer = names_in("").into_iter().filter(|name| name.ends_with(".h"));
    // What every program is read with is not included by name.
    let mut files: Vec<String> = outer.filter(|name| name != "predefined.h" && name != "builtins.h").collect();
    for folder in ["asm", "linux", "sys"] {
        files.extend(names_in(folder).into_iter().map(|name| format!("{folder}/{name}")));
    }
    files.sort();
    let names: Vec<&str> = EMBEDDED.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, files);
}

#[test]
fn includes_come_from_the_user_first_and_then_from_the_built_in_headers() {
    let files = [
        ("a.h", "#pragma once\nint a;\n#include \"b.h\"\n"),
        ("b.h", "#include \"a.h\"\nint b;\n"),
        ("stdbool.h", "mine\n"),
    ];
    let (result, _) =
        run("#include \"a.h\"\n#include <a.h>\n#include <stdbool.h>\n#define H <stddef.h>\n#include H\n", &files);
    let text = result.expect("preprocesses").text;
    assert!(text.starts_with("int a ;\nint b ;\nmine\ntypedef unsigned long size_t ;"), "{text}");
    // What a built-in header includes is built in, whatever files the user has.
    let (result, _) = run("#include <lsl_protos.h>\n", &[("stddef.h", "mine\n")]);
    assert!(result.expect("preprocesses").text.starts_with("typedef"));
}

#[test]
fn macros_of_the_command_line_are_defined() {
    let define = |name: &str, text: &str| (name.to_string(), text.to_string());
    let defines = [define("A", "1"), define("twice(x)", "x x"), define("EMPTY", "")];
    let mut sources = Sources::new();
    let result =
        preprocess("m.c", "A twice(b) EMPTY c", &mut |_, _| None, &defines, &mut sources).expect("preprocesses");
    assert_eq!(result.text, "1 b b c");
    for wrong in [define("1", "x"), define("", ""), define("a", "\n#define b"), define("defined", "1")] {
        assert!(preprocess("m.c", "", &mut |_, _| None, &[wrong], &mut Sources::new()).is_err());
    }
}

/// For each word in `text`, the source text that its place covers.
fn places(text: &str, files: &[(&str, &str)]) -> Vec<(String, String)> {
    let (result, sources) = run(text, files);
    let Preprocessed { text, origins } = result.expect("preprocesses");
    let mut places = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive([' ', '\n']) {
        let trimmed = word.trim_end();
        let span = origins.span(at..at + trimmed.len()).expect("has a place");
        places.push((trimmed.to_string(), format!("{}: {}", sources.location(span), sources.snippet(span))));
        at += word.len();
    }
    places
}

#[test]
fn an_expansion_stands_where_its_macro_is_used() {
    let text = "#include \"h.h\"\n#define two(x) (x + 1)\nint \\\n  a = two(b) ; N\n";
    let expected = [
        ("h", "h.h:1:1: h"),
        ("int", "main.c:3:1: int"),
        ("a", "main.c:4:3: a"),
        ("=", "main.c:4:5: ="),
        ("(", "main.c:4:7: two(b)"),
        ("b", "main.c:4:11: b"),
        ("+", "main.c:4:7: two(b)"),
        ("1", "main.c:4:7: two(b)"),
        (")", "main.c:4:7: two(b)"),
        (";", "main.c:4:14: ;"),
        ("7", "main.c:4:16: N"),
    ];
    let found = places(text, &[("h.h", "h\n#define N 7\n")]);
    let found: Vec<(&str, &str)> = found.iter().map(|(word, place)| (word.as_str(), place.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_range_stands_from_its_first_to_its_last_token() {
    let (result, sources) = run("#include \"h.h\"\n#define P +\na P b\nc", &[("h.h", "x y\n")]);
    let Preprocessed { text, origins } = result.expect("preprocesses");
    assert_eq!(text, "x y\na + b\nc");
    let place = |range| origins.span(range).map(|span| sources.snippet(span).to_string());
    assert_eq!(place(4..9).as_deref(), Some("a P b"));
    assert_eq!(place(6..9).as_deref(), Some("P b"));
    assert_eq!(place(6..11).as_deref(), Some("P b\nc"));
    assert_eq!(place(0..3).as_deref(), Some("x y"));
    assert_eq!(place(2..5).as_deref(), Some("y"), "two files: the first token");
    assert_eq!(place(5..6).as_deref(), Some("P"), "no token: the next one");
    assert_eq!(place(11..11).as_deref(), Some("c"), "past the end: the last one");
    let empty = run("", &[]).0.expect("preprocesses");
    assert_eq!(empty.origins.span(0..0), None);
}

#[test]
fn conditions_may_ask_what_there_is() {
    for (condition, holds) in [
        ("__has_include(<stdatomic.h>)", true),
        ("__has_include(\"no.h\")", false),
        ("defined(__has_include) && defined __has_builtin", true),
        ("__has_builtin(__builtin_clz) && __has_builtin(__atomic_load_n)", true),
        ("__has_builtin(__builtin_frob)", false),
        ("__has_attribute(noinline)", true),
        ("__has_attribute(__cleanup__)", false),
        ("defined(__GNUC__) && defined(__x86_64__) && __SIZEOF_POINTER__ == 8", true),
    ] {
        let text = text_of(&format!("#if {condition}\nyes\n#else\nno\n#endif\n"));
        assert_eq!(text, if holds { "yes" } else { "no" }, "{condition}");
    }
}

#[test]
fn what_the_parser_has_no_grammar_for_is_rewritten() {
    for (text, expected) in [
        ("__thread int x;", "_Thread_local int x ;"),
        ("__extension__ typedef int t;", "typedef int t ;"),
        (
            "struct s { _Alignas(64) int a; };",
            "struct s { int a ; _Static_assert ( sizeof ( 64 ) , \"palisade member aligned\" ) ; } ;",
        ),
        ("_Alignas(64) int a;", "int a ;"),
        ("int x = a ?: b;", "int x = a ? __palisade_condition : b ;"),
        (
            "int x = __builtin_types_compatible_p(int *, f(a, b));",
            "int x = __builtin_types_compatible_p ( sizeof ( int * ) , sizeof ( f ( a , b ) ) ) ;",
        ),
        ("main() { f(x); }", "int main ( ) { f ( x ) ; }"),
        ("static f(void); int g(x) { h(x); { x; } }", "static f ( void ) ; int g ( x ) { h ( x ) ; { x ; } }"),
    ] {
        assert!(text_of(text).starts_with(expected), "{}", text_of(text));
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, message) in [
        (
            "a\n#include \"no.h\"\n",
            "main.c:2:2: error: the file `no.h` is not found\n  note: these headers are built in: alloca.h, asm/types.h, ",
        ),
        ("#if 1\n#else\n#else\n#endif\n", "main.c:3:2: error: `#else` after `#else`"),
        ("\n#if 1\n", "main.c:2:2: error: this conditional has no `#endif`"),
        ("#endif\n", "main.c:1:2: error: `#endif` without `#if`"),
        ("#if 1 / 0\n#endif\n", "main.c:1:9: error: division by zero in this condition"),
        ("#if 1.0\n#endif\n", "main.c:1:5: error: `1.0` has no meaning in a condition"),
        ("#if\n#endif\n", "main.c:1:2: error: this condition is not complete"),
        ("#if (1\n#endif\n", "main.c:1:6: error: `)` is missing in this condition"),
        ("#if __has_feature(x)\n#endif\n", "main.c:1:18: error: `(` is not expected in this condition"),
        ("#error do not use\n", "main.c:1:2: error: #error do not use"),
        ("#frob\n", "main.c:1:2: error: there is no directive `#frob`"),
        ("#include_next <a.h>\n", "main.c:1:2: error: the directive `#include_next` is not supported"),
        ("#pragma omp parallel for\n", "main.c:1:2: error: `#pragma omp parallel for` is not supported"),
        ("_Pragma(\"omp parallel\") x", "main.c:1:1: error: `_Pragma(\"omp parallel\")` is not supported"),
        ("_Pragma(x)", "main.c:1:1: error: `_Pragma` wants one string in parentheses"),
        ("#define f(x) x\nf(1, 2)\n", "main.c:2:1: error: the macro `f` takes one argument"),
        ("#define f(x, y, ...) x\nf(1)\n", "main.c:2:1: error: the macro `f` takes at least 2 arguments"),
        ("#define f(x) x\nf(1\n#define y\n)\n", "main.c:2:1: error: the arguments of the macro `f` have no end"),
        (
            "#define f(x) x\na f\n#define y\n(1)\n",
            "main.c:2:3: error: between the name of the macro `f` and its arguments stands a directive",
        ),
        ("#define c(x, y) x ## y\nc(+, a)\n", "main.c:2:1: error: pasting `+` and `a` does not give a token"),
        ("#define c(x, y) x ## y\nc(/, /)\n", "main.c:2:1: error: pasting `/` and `/` does not give a token"),
        ("#define f(x) #y\n", "main.c:1:14: error: `#` must be followed by a parameter of the macro"),
        ("#define f x ##\n", "main.c:1:13: error: `##` cannot stand at an end of a macro's replacement"),
        ("#define f(x, x) x\n", "main.c:1:14: error: the parameter `x` is named twice"),
        ("#define f(x y\n", "main.c:1:9: error: the parameters of the macro `f` are not well formed"),
        ("#define f(...) __VA_OPT__(x)\n", "main.c:1:16: error: `__VA_OPT__` is not supported"),
        ("a /* b", "main.c:1:3: error: this comment has no end"),
        (
            "a 'b\nc \"",
            "main.c:1:3: error: this quote has no partner on its line\nmain.c:2:3: error: this quote has no partner on its line",
        ),
        ("#include\n", "main.c:1:2: error: `#include` wants \"FILE\" or <FILE>"),
        ("#define 3\n", "main.c:1:9: error: `3` cannot be the name of a macro"),
        ("#line x\n", "main.c:1:2: error: `#line` wants a number"),
    ] {
        let found = message_of(text);
        assert!(found.starts_with(message), "{text}\n{found}");
    }
}

#[test]
fn macros_that_double_their_text_end_with_a_message() {
    let mut doubling = String::from("#define a0 x x\n");
    let mut calls = String::from("#define f0(x) x x\n");
    let mut pasting = String::from("#define cat(a, b) a ## b\n#define p0(x) cat(x, x)\n");
    let mut strings = String::from("#define s(x) #x\n#define t(x) s(x x)\n");
    for level in 1..60 {
        let before = level - 1;
        doubling += &format!("#define a{level} a{before} a{before}\n");
        calls += &format!("#define f{level}(x) f{before}(x x) f{before}(x)\n");
        pasting += &format!("#define p{level}(x) p{before}(cat(x, x))\n");
        strings += &format!("#define t{level}(x) t{before}(t(x))\n");
    }
    let texts = [doubling + "a59", calls + "f59(1)", pasting + "p59(y)", strings.replace("t0", "t") + "t59(\"\\\\\")"];
    for text in texts {
        let found = message_of(&text);
        assert!(found.contains("includes and macros make more than 16 MiB of text"), "{found}");
    }
    // A file that includes itself twice.
    let (result, _) = run("#include \"a.h\"\n", &[("a.h", "#include \"a.h\"\n#include \"a.h\"\n")]);
    assert!(result.expect_err("is too deep").contains("files include files more than 64 deep"));
    let deep = format!("#define f(x) x\n{}1{}\n", "f(".repeat(10_000), ")".repeat(10_000));
    assert!(message_of(&deep).contains("macros are nested too deeply in arguments of macros"));
    let deep = format!("#if {}1{}\n#endif\n", "(".repeat(10_000), ")".repeat(10_000));
    assert!(message_of(&deep).contains("this condition is nested too deeply"));
    let minus = format!("#if {}1\nyes\n#endif\n", "- ".repeat(100_000));
    assert_eq!(text_of(&minus), "yes");
}

#[test]
fn no_mutation_of_a_text_makes_it_panic() {
    let alphabet = [
        "#",
        "##",
        "\\\n",
        "\n",
        "(",
        ")",
        ",",
        "\"",
        "'",
        "/*",
        "*/",
        "//",
        "f",
        "__VA_ARGS__",
        "...",
        "#define ",
        "#if ",
        "#endif\n",
        "defined",
        "é",
        "\u{feff}",
        "\0",
        "?",
        ":",
        "%:",
        "1",
        "<",
        ">",
        "#include ",
        "_Pragma(",
    ];
    let mut next = random(0x9e37_79b9_7f4a_7c15);
    for round in 0..6_000 {
        let mut text: Vec<char> = TRICKY[round % TRICKY.len()].chars().collect();
        for _ in 0..1 + next(4) {
            let at = next(text.len() + 1);
            match next(3) {
                0 => drop(text.drain(at..(at + next(5)).min(text.len()))),
                1 => drop(text.splice(at..at, alphabet[next(alphabet.len())].chars())),
                _ => {
                    let piece: Vec<char> = text[at..(at + next(20)).min(text.len())].to_vec();
                    let to = next(text.len() + 1);
                    text.splice(to..to, piece);
                }
            }
        }
        let text: String = text.into_iter().collect();
        if let (Ok(result), sources) = run(&text, &[]) {
            let end = result.text.len();
            for at in 0..=end {
                if let Some(span) = result.origins.span(at..(at + next(9)).min(end)) {
                    assert!(span.end as usize <= sources.text(span.file).len());
                    assert!(sources.text(span.file).get(span.start as usize..span.end as usize).is_some(), "{text}");
                }
            }
        }
    }
}
