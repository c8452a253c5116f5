//! What is refused says what and where; and no text, however nested, breaks the parser.

use std::time::{Duration, Instant};

/// The first message about a text, with its place.
fn message(text: &str) -> String {
    match frontend::c::load("test.c", text, &mut |_, _| None, &[]) {
        Ok(unit) => match unit.program() {
            Ok(_) => "accepted".into(),
            Err(messages) => messages.to_string().lines().next().unwrap_or_default().to_string(),
        },
        Err(messages) => messages.to_string().lines().next().unwrap_or_default().to_string(),
    }
}

#[test]
fn what_is_not_modelled_is_refused_with_its_place() {
    let cases = [
        ("long double f;", "test.c:1:1: error: `long double` is not supported"),
        ("int main(void) { return 1.5L > 1; }", "test.c:1:25: error: `long double` is not supported"),
        ("struct s { int a : 33; };", "test.c:1:20: error: a width that a bit-field of this type cannot have"),
        ("struct s { int a : 3; } x; int *f(void) { return &x.a; }", "test.c:1:50: error: the address of `x.a`"),
        ("int f(int n) { int a[n][n]; return 0; }", "test.c:1:22: error: an array of variable length is not supported"),
        ("int f(int n) { int (*a)[n]; return 0; }", "an array of variable length in another type is not supported"),
        ("int f(int n) { return sizeof(int[n]); }", "the size of an array whose length is not constant is not"),
        ("int f(long n) { return _Generic(n, long: 1, long long: 2); }", "types that are alike here is not supported"),
        ("int f(int n) { return _Generic(n, long: 1, char *: 2); }", "no type of this `_Generic` fits"),
        ("void f(int n) { void *l; __builtin_va_start(l); }", "`va_start` in a function without variable arguments"),
        (
            "int f(int n, ...) { __builtin_va_list v; return __builtin_va_arg(v, int); } int main(void) { return f(1, 2); }",
            "error",
        ),
        ("void f(void) { asm(\"cpuid\"); }", "test.c:1:16: error: the inline assembly `cpuid` is not supported"),
        (
            "void f(int *p) { __asm__ volatile(\"lock; xaddl %0, %1\" : \"+r\"(*p)); }",
            "the inline assembly `lock xaddl %0, %1` is not supported",
        ),
        (
            "void f(void) { int x; asm(\"\" : \"=r\"(x)); }",
            "error: inline assembly that gives a value is not supported",
        ),
        ("int f(void) { return g(); }", "test.c:1:22: error: the function `g` is not declared"),
        ("int g(void); int f(void) { return g(); }", "test.c:1:35: error: the function `g` has no body"),
        ("int f(void) { return y; }", "test.c:1:22: error: `y` is not declared"),
        ("extern int y; int f(void) { return y; }", "error: the variable `y` is declared but defined nowhere"),
        ("int f(void) { break; }", "error: `break` outside of a loop"),
        ("void f(void) { goto l; }", "error: there is no label `l`"),
        ("struct s *p; int f(void) { return p->x; }", "error: `struct s` is not defined"),
        ("struct s { int a; } s; int f(void) { return s.b; }", "error: `struct s` has no member `b`"),
        ("int a = b;", "error: `b` is not declared"),
        ("int b; int a = b;", "the initial value `b` is not constant"),
        ("int f(void) { return 1 + ; }", "test.c:1:26: error: a syntax error"),
        (
            "int f(int n) { if (n) goto in; while (n < 9) { n += 2; in: n++; } return n; }",
            "error: `goto` into a loop in the function `f` is not supported",
        ),
        (
            "int f(int n) { switch (n) { int x; case 1: { int *p = &x; *p = 2; return x; } } return n; }",
            "error: a jump past the declaration of `x` in the function `f` is not supported",
        ),
        ("void lsl_fence(char *); void f(void) { lsl_fence(\"all\"); }", "error: there is no fence \"all\""),
        (
            "long double __VERIFIER_nondet_ldouble(void); int f(void) { return 1; }",
            "test.c:1:1: error: `long double` is not supported",
        ),
        (
            "int __VERIFIER_nondet_pointer(void); int f(void) { return __VERIFIER_nondet_pointer(); }",
            "`__VERIFIER_nondet_pointer` is not supported",
        ),
        (
            "#include <string.h>\nint *a[4]; void f(int n) { memset(a, n, sizeof a); }",
            "test.c:2:28: error: a `int *` made of bytes that are not 0 is not supported",
        ),
        (
            "#include <string.h>\nint *a; void f(void) { memset(&a, 1, sizeof a); }",
            "error: a `int *` made of bytes that are not 0 is not supported",
        ),
        (
            "void f(void) __attribute__((constructor)); int main(void) { return 0; }",
            "test.c:1:29: error: the attribute `constructor` is not supported",
        ),
        ("struct s { int a; } __attribute__ ((packed)); int main(void) { return 0; }", "accepted"),
        ("typedef int wide __attribute__((aligned(32)));", "the attribute `aligned` of a type's name is not supported"),
        ("_Atomic struct { char a; int b; } x;", "error: this atomic struct or array is not supported"),
        (
            "_Atomic struct { int a, b; } x; int f(void) { return x.a; }",
            "error: the member `a` of an atomic struct is not supported",
        ),
        ("struct s { int a, b __attribute__((aligned(32))); };", "an attribute of several members is not supported"),
        ("struct s { int a __attribute__((aligned(3))); };", "an alignment that is no power of two"),
        ("#pragma pack(2)\nstruct s { char a; int b; };", "`#pragma pack(2)` is not supported"),
        (
            "extern void f(int) __attribute__ ((__nothrow__ , __leaf__)) __attribute__((format(printf, 1, 2))); int main(void) { return 0; }",
            "accepted",
        ),
        ("int x __attribute__", "error: `__attribute__` without its parentheses"),
        (
            "#include <stdlib.h>\nvoid f(void) { exit(0); } int main(void) { f(); return 0; }",
            "test.c:2:16: error: `exit` in another function than main is not supported",
        ),
        (
            "#include <pthread.h>\nvoid f(pthread_t t) { pthread_cancel(t); }",
            "test.c:2:23: error: `pthread_cancel` is not supported",
        ),
        (
            "int main(void) { void *p = &&out; out: return p != 0; }",
            "test.c:1:28: error: the address of a label is not supported",
        ),
        ("int main(void) { void *p = 0; goto *p; }", "test.c:1:36: error: `goto` to a computed label is not supported"),
        ("int f(int n) { return lsl_nondet(0, n); }", "error: `n` is not constant"),
        ("_Static_assert(1 == 2, \"no\");", "error: this static assertion does not hold"),
        ("int x; long x;", "`x`"),
        ("int f(void) { return 0; } int f(void) { return 1; }", "error: the function `f` is defined twice"),
        ("struct s { struct s s; };", "error: an object of the type `struct s`"),
        ("int f(int x) { return f(1, x); }", "error: 1 arguments are expected, here are 2"),
        ("int f(void) { int a[3]; int b[3]; a = b; return 0; }", "cannot be assigned"),
        ("int f(void) { return 5(); }", "error: `5` is not a function"),
        ("int f(void) { int x; x(); return *x; }", "error: `x` is not a function"),
        ("int f(void) { 5 = 3; return 0; }", "error: `5` is not a place in memory"),
        ("int main(int c) { return c; }", "accepted"),
        ("int f(void) { return 0; }", "error: there is no function `main`"),
        (
            "#include <pthread.h>\nvoid f(void) { pthread_exit(0); } int main(void) { f(); return 0; }",
            "test.c:2:16: error: `pthread_exit` in a function that is called is not supported",
        ),
        (
            "#include <pthread.h>\nvoid *w(void *p) { pthread_exit(0); } int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); return 0; }",
            "accepted",
        ),
        ("int x; void f(void) { lsl_observe_output(\"x\", &x); }", "error: a pointer that an operation shows is not"),
        (
            "#include <pthread.h>\nvoid (*w)(int); int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); return 0; }",
            "error: a thread whose function is not known here is not supported",
        ),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let message = message(text);
        if !message.contains(expected) {
            wrong.push(format!("{text}\n  gives {message}\n  not   {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The first message about a program that starts at `main`.
fn message_from_main(text: &str) -> String {
    let options = frontend::c::Options { entry: frontend::c::Entry::Main, ..Default::default() };
    let loaded = frontend::c::load_with("test.c", text, &mut |_, _| None, &[], &options);
    match loaded.and_then(|unit| unit.program()) {
        Ok(_) => "accepted".into(),
        Err(messages) => messages.to_string().lines().next().unwrap_or_default().to_string(),
    }
}

#[test]
fn functions_that_nobody_calls_may_contain_anything() {
    let main = "int main(void) { return 0; }";
    for text in [
        "long double half(long double x) { return x / 2; }",
        "int f(int n) { int a[n]; return a[0]; }",
        "int f(void) { void *l = &&there; there: return 0; }",
        "int f(void) { int g(int x) { return x; } return g(1); }",
        "union u { int a; long double b; } u; int f(void) { return u.a; }",
        "typedef struct { long double x; } point; point origin; long double f(point *p) { return p->x; }",
        "int f(void) { return not_declared(); }",
        "int f(int n) { __asm__(\"cpuid\"); return n; }",
        "long double table[] = { 1.5L }; long double f(void) { return table[0]; }",
    ] {
        assert_eq!(message_from_main(&format!("{text}\n{main}")), "accepted", "{text}");
        let called = "int main(void) { f(); return 0; }";
        let called = if text.contains(" f(") { called.to_string() } else { called.replace("f()", "half(1)") };
        assert_ne!(message_from_main(&format!("{text}\n{called}")), "accepted", "{text}");
    }
}

#[test]
fn what_is_mentioned_only_by_name_is_refused_where_it_is_reached() {
    for (text, expected) in [
        ("long double d; int main(void) { return sizeof d; }", "test.c:1:1: error: `long double` is not supported"),
        (
            "struct s { long double d; }; struct s *p; int main(void) { return p != 0; }",
            "test.c:1:12: error: `long double` is not supported",
        ),
        ("int (*f)(int) = g; int main(void) { return f(1); }", "error: `g` is not declared"),
        (
            "long double h(void) { return 1.5; } long double (*f)(void) = h; int main(void) { return f != 0; }",
            "error: `long double` is not supported",
        ),
        (
            "int f(void) { return &&l == 0; l: return 1; } int (*g)(void) = f; int main(void) { return g(); }",
            "error: the address of a label is not supported",
        ),
    ] {
        let message = message_from_main(text);
        assert!(message.contains(expected), "{text}\n{message}");
    }
}

#[test]
fn several_errors_are_all_reported() {
    let text = "int f(void) { return a; }\nint g(void) { b = 1; c = 2; return 0; }\n";
    let messages = frontend::c::load("test.c", text, &mut |_, _| None, &[]).expect_err("wrong").to_string();
    let lines: Vec<&str> = messages.lines().collect();
    assert_eq!(lines.len(), 3, "{messages}");
    assert!(lines[0].starts_with("test.c:1:22:") && lines[2].starts_with("test.c:2:22:"), "{messages}");
}

#[test]
fn nesting_of_any_depth_is_survived_in_time() {
    let pieces = [
        ("(", ")"),
        ("{", "}"),
        ("[", "]"),
        ("-", ""),
        ("!", ""),
        ("*", ""),
        ("&", ""),
        ("x + ", ""),
        ("x ? x : ", ""),
        ("x = ", ""),
        ("(int)", ""),
        ("if (x) ", ""),
        ("if (x) x; else ", ""),
        ("while (x) ", ""),
        ("do ", " while (x);"),
        ("l: ", ""),
        ("f(", ")"),
        ("({", ";})"),
        ("sizeof ", ""),
        ("(int[]){", "}"),
        ("x && ", ""),
        ("x, ", ""),
        ("++", ""),
        ("*--", ""),
        ("x++ + ", ""),
    ];
    for (open, close) in pieces {
        for count in [10, 40, 48, 90, 130, 390, 5000] {
            let nested = format!("{}x{}", open.repeat(count), close.repeat(count));
            for text in [
                format!("int f(int x) {{ {nested}; return x; }}"),
                format!("int f(int x) {{ return {nested}; }}"),
                format!("int f(int x) {{ {nested} }}"),
                format!("int x; int y[] = {nested};"),
                format!("int {nested};"),
                format!("int g(int {nested});"),
                format!("int f(int x) {{ {} return x; }}", open.repeat(count)),
            ] {
                let start = Instant::now();
                let _ = frontend::c::load("test.c", &text, &mut |_, _| None, &[]);
                let taken = start.elapsed();
                assert!(taken < Duration::from_secs(10), "{taken:?} for {count} times {open}");
            }
        }
    }
}
