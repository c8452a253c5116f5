//! Memory with bytes: views of other types, unions, tags, copies and bounds, with every engine.

use std::path::Path;
use std::process::Command;

/// What `palisade check` says of a program: `holds`, `violated`, or what it refuses.
fn verdict(name: &str, text: &str, options: &[&str]) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
    std::fs::write(&path, text).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_palisade"))
        .arg("check")
        .args(options)
        .arg(&path)
        .output()
        .expect("palisade runs");
    let all = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => "holds".into(),
        Some(1) => format!("violated: {all}"),
        _ => format!("refused: {all}"),
    }
}

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stddef.h>\n#include <stdint.h>\n\
    #include <stdlib.h>\n#include <string.h>\n";

/// All engines say the same of a program.
#[track_caller]
fn check(name: &str, text: &str, expected: &str) {
    for options in [
        &["--engine", "axiomatic", "--model", "sc"][..],
        &["--engine", "operational", "--model", "sc"],
        &["--engine", "mcr", "--model", "tso"],
        &["--engine", "operational", "--model", "pso"],
        &["--engine", "axiomatic", "--model", "rc11"],
    ] {
        let said = verdict(name, &format!("{HEAD}{text}"), options);
        assert!(said.contains(expected), "{options:?}: {said}\n{text}");
    }
}

#[test]
fn bytes_of_integers_are_cut_and_joined_exactly() {
    check(
        "union",
        "union word { uint32_t all; uint16_t half[2]; uint8_t byte[4]; }; union word w = { 0x11223344 };\n\
         int main(void) { assert(w.byte[0] == 0x44 && w.byte[3] == 0x11 && w.half[1] == 0x1122); w.byte[1] = 0xff;\n\
         assert(w.all == 0x1122ff44); w.half[0] = 1; assert(w.all == 0x11220001); return 0; }",
        "holds",
    );
    check(
        "view",
        "int main(void) { long x = 0x0102030405060708; unsigned char *p = (unsigned char *)&x; int sum = 0, i;\n\
         for (i = 0; i < 8; i++) sum += p[i]; assert(sum == 36); p[7] = 0; assert(x == 0x02030405060708); return 0; }",
        "holds",
    );
    check(
        "view_wrong",
        "int main(void) { int x = 256; char *p = (char *)&x; assert(p[1] == 0); return 0; }",
        "violated",
    );
}

#[test]
fn a_cut_access_of_another_thread_is_seen_byte_by_byte() {
    check(
        "thread_view",
        "static uint16_t x; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         static void *low(void *p) { pthread_mutex_lock(&m); ((uint8_t *)&x)[0] = 1; pthread_mutex_unlock(&m); return 0; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, low, 0); pthread_mutex_lock(&m); ((uint8_t *)&x)[1] = 2;\n\
         pthread_mutex_unlock(&m); pthread_join(t, 0); assert(x == 0x0201); return 0; }",
        "holds",
    );
}

#[test]
fn containers_are_found_from_members() {
    check(
        "container",
        "struct list { struct list *next; }; struct item { int key; struct list link; };\n\
         #define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))\n\
         int main(void) { struct item a = { 7, { 0 } }; struct list *l = &a.link;\n\
         assert(container_of(l, struct item, link)->key == 7 && offsetof(struct item, link) == 8); return 0; }",
        "holds",
    );
}

#[test]
fn tags_in_pointers_come_off_again() {
    check(
        "tags",
        "struct node { struct node *next; int key; }; static struct node a = { 0, 1 }, b = { &a, 2 };\n\
         int main(void) { uintptr_t p = (uintptr_t)&b | 1; assert((p & 1) == 1); assert((p & 3) == 1);\n\
         struct node *q = (struct node *)(p & ~(uintptr_t)1); assert(q == &b && q->next->key == 1);\n\
         assert((void *)p != (void *)q); return 0; }",
        "holds",
    );
    check("tag_access", "static int x; int main(void) { int *p = (int *)((uintptr_t)&x | 2); return *p; }", "violated");
}

#[test]
fn copies_of_any_length_keep_values_and_pointers() {
    check(
        "copies",
        "struct item { int key; char name[3]; struct item *next; }; static struct item a = { 1, \"ab\", &a }, b;\n\
         int main(void) { void *from = &a; memcpy(&b, from, sizeof b); assert(b.key == 1 && b.name[1] == 'b' && b.next == &a);\n\
         assert(memcmp(a.name, b.name, 3) == 0); memset(&b, 0, sizeof b); assert(b.next == 0 && b.name[0] == 0);\n\
         char text[4] = \"xyz\", copy[4]; memcpy(copy, text, 4); assert(copy[2] == 'z'); return 0; }",
        "holds",
    );
}

#[test]
fn accesses_out_of_bounds_are_found() {
    for (name, text) in [
        ("after", "int a[2]; int main(void) { int i = 2; a[i] = 1; return 0; }"),
        ("before", "int a[2]; int main(void) { int i = -1; return a[i]; }"),
        ("heap", "int main(void) { int *p = malloc(2 * sizeof(int)); p[2] = 1; return 0; }"),
        ("stack", "int main(void) { int a[2], *p = a; p += 2; *p = 1; return 0; }"),
        ("struct", "struct s { int a; }; int main(void) { struct s *p = malloc(1); p->a = 1; return 0; }"),
        (
            "flexible",
            "struct s { int n; int d[]; }; int main(void) { struct s *p = malloc(sizeof *p + 4); p->d[1] = 1; return 0; }",
        ),
    ] {
        check(&format!("bounds_{name}"), text, "out of bounds");
    }
    check(
        "bounds_fine",
        "struct s { int n; int d[]; }; int main(void) { struct s *p = malloc(sizeof *p + 8); p->d[1] = 1;\n\
         assert(p->d[1] == 1); int a[2], *q = a + 2; assert(q - a == 2); free(p); return 0; }",
        "holds",
    );
}

#[test]
fn indexes_of_arrays_in_structs_stay_among_their_elements() {
    let head = "struct queue { atomic_long top; int count; int buffer[4]; char name[3]; void *owner; }; static struct queue q;\n\
                static atomic_int given; static void *other(void *p) { atomic_store(&given, 3); return 0; }\n";
    let body = |then: &str| {
        format!(
            "{head}int main(void) {{ pthread_t t; pthread_create(&t, 0, other, 0); q.owner = &q; atomic_store(&q.top, 1);\n\
             int i = atomic_load(&given); {then} pthread_join(t, 0); return 0; }}"
        )
    };
    let fine = "q.buffer[i] = 5; q.name[i % 3] = 'x'; int *p = &q.buffer[i + 1]; assert(p - q.buffer <= 4); assert(q.top == 1);\n\
                assert(q.owner == &q && q.count == 0 && q.buffer[i] == 5);";
    check("member_index", &body(fine), "holds");
    check("member_index_wrong", &body("q.buffer[i + 1] = 5;"), "an index out of bounds of an array of 4");
    check("member_name_wrong", &body("q.name[i] = 'x';"), "an index out of bounds of an array of 3");
    check("member_below", &body("q.buffer[i - 1] = 5;"), "an index out of bounds of an array of 4");
}

#[test]
fn freed_memory_is_not_accessed() {
    let wrong = [
        ("read", "int main(void) { int *p = malloc(4); *p = 1; free(p); return *p; }"),
        ("write", "int main(void) { int *p = malloc(4); *p = 1; free(p); *p = 2; return 0; }"),
        (
            "member",
            "struct s { int a; long b; }; int main(void) { struct s *p = calloc(1, sizeof *p); free(p); p->b = 2; return 0; }",
        ),
        (
            "race_read",
            "static int *_Atomic p; static void *f(void *a) { int *q = atomic_load(&p); if (q) { int v = *q; (void)v; } return 0; }\n\
             int main(void) { pthread_t t; int *q = malloc(4); *q = 1; atomic_store(&p, q); pthread_create(&t, 0, f, 0);\n\
             atomic_store(&p, 0); free(q); pthread_join(t, 0); return 0; }",
        ),
        (
            "race_write",
            "static int *_Atomic p; static void *f(void *a) { int *q = atomic_load(&p); if (q) *q = 1; return 0; }\n\
             int main(void) { pthread_t t; int *q = malloc(4); *q = 1; atomic_store(&p, q); pthread_create(&t, 0, f, 0);\n\
             atomic_store(&p, 0); free(q); pthread_join(t, 0); return 0; }",
        ),
        (
            "mutex",
            "int main(void) { pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0); free(m); pthread_mutex_lock(m);\n\
             return 0; }",
        ),
    ];
    for (name, text) in wrong {
        check(&format!("freed_{name}"), text, "a use after free");
        let said = verdict(
            &format!("ignored_{name}"),
            &format!("{HEAD}{text}"),
            &["--model", "sc", "--ignore", "use-after-free"],
        );
        assert!(!said.contains("a use after free"), "{said}");
    }
    check(
        "freed_fine",
        "static int *_Atomic p; static void *f(void *a) { int *q = atomic_exchange(&p, 0); if (q) { *q = 2; free(q); } return 0; }\n\
         int main(void) { pthread_t t; int *q = malloc(4); *q = 1; atomic_store(&p, q); pthread_create(&t, 0, f, 0);\n\
         q = atomic_exchange(&p, 0); if (q) { assert(*q == 1); free(q); } pthread_join(t, 0); q = malloc(4); *q = 3; assert(*q == 3);\n\
         free(q); return 0; }",
        "holds",
    );
}

#[test]
fn constants_are_not_written() {
    for (name, text) in [
        ("string", "int main(void) { char *p = \"abc\"; p[1] = 'x'; return 0; }"),
        ("global", "static const int x = 1; int main(void) { int *p = (int *)&x; *p = 2; return 0; }"),
        ("array", "static const int a[2] = {1, 2}; int main(void) { int *p = (int *)a; p[1] = 2; return 0; }"),
        ("exchange", "const int x = 1; int main(void) { return __sync_fetch_and_add((int *)&x, 1); }"),
    ] {
        check(&format!("constant_{name}"), text, "a write to a constant");
        let said = verdict(
            &format!("constant_ignored_{name}"),
            &format!("{HEAD}{text}"),
            &["--model", "sc", "--ignore", "const"],
        );
        assert_eq!(said, "holds", "{text}");
    }
    check(
        "constant_fine",
        "static const int x = 1; static int y = 2; static const int *p = &x; int main(void) { char s[] = \"ab\"; s[0] = 'x';\n\
         p = &y; y = 3; assert(*p == 3 && x == 1); return 0; }",
        "holds",
    );
}

#[test]
fn the_index_of_an_array_of_one_element_may_come_from_another_thread() {
    let body = |bound: &str| {
        format!(
            "static int table[1] = {{ 9 }}; static atomic_int where; static int got;\n\
             static void *moves(void *p) {{ where = 1; return 0; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, moves, 0); int at = where; if (at < {bound}) got = table[at];\n\
             pthread_join(t, 0); assert(got == 9 || got == 0); return 0; }}"
        )
    };
    check("only_element", &body("1"), "holds");
    check("only_element_wrong", &body("2"), "an index out of bounds of an array of 1");
}

#[test]
fn shifts_and_quotients_fit() {
    let shift = "a shift of 32 bits by an amount that is not from 0 to 31";
    check(
        "shift_far",
        "static atomic_int n; int main(void) { n = 32; unsigned x = 1u << n; (void)x; return 0; }",
        shift,
    );
    check("shift_signed", "static atomic_int n; int main(void) { n = 40; int x = 1 << n; (void)x; return 0; }", shift);
    check("shift_back", "static atomic_int n; int main(void) { n = -1; int x = 1 >> n; (void)x; return 0; }", shift);
    check(
        "shift_fine",
        "static atomic_int n; int main(void) { n = 31; assert(1u << n == 0x80000000u && 8L << n); return 0; }",
        "holds",
    );
    let quotient = "the least integer is divided by -1";
    check(
        "quotient",
        "static atomic_int n; int main(void) { n = -1; int x = -2147483647 - 1; x = x / n; return 0; }",
        quotient,
    );
    check(
        "remainder",
        "static atomic_int n, m; int main(void) { m = -2147483647 - 1; n = -1; return (m % n) != 0; }",
        quotient,
    );
    check(
        "quotient_fine",
        "static atomic_int n; int main(void) { n = -1; assert(6 / n == -6 && -7 % n == 0); return 0; }",
        "holds",
    );
}

#[test]
fn what_cannot_be_cut_is_refused_with_both_places() {
    let text = "union u { void *p; char c[8]; }; static union u x; static int y;\n\
                int main(void) { x.p = &y; return x.c[0]; }";
    let said = verdict("cut_pointer", &format!("{HEAD}{text}"), &["--model", "sc"]);
    assert!(said.starts_with("refused") && said.contains("a pointer that is accessed in parts, at"), "{said}");
}

/// A ticket lock whose halves are counted alone, and which is read and swapped as a whole.
const TICKET: &str = "union lock { _Atomic uint32_t whole; struct { _Atomic uint16_t owner, next; } half; };\n\
    static union lock l; static int held;\n\
    static int try(void) { uint32_t seen = l.whole, free = seen & 0xffff;\n\
    return seen >> 16 == free && atomic_compare_exchange_WAY(&l.whole, &seen, seen + 0x10000); }\n\
    static void *other(void *p) { if (try()) { held++; l.half.owner++; } return p; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); uint16_t mine = l.half.next++;\n\
    while (l.half.owner != mine) ; held++; ASSERT; l.half.owner++; pthread_join(t, 0);\n\
    assert((l.whole >> 16) == (l.whole & 0xffff)); return 0; }";

#[test]
fn an_atomic_access_of_several_cells_is_one_step() {
    let text = |way: &str, claim: &str| {
        format!("{HEAD}{}", TICKET.replace("WAY", way).replace("ASSERT", &format!("assert({claim})")))
    };
    for (engine, way) in
        [("axiomatic", "strong"), ("operational", "strong"), ("mcr", "strong"), ("operational", "weak")]
    {
        let options = ["--model", "sc", "--engine", engine];
        let said = verdict("ticket", &text(way, "held == 1 || held == 2"), &options);
        assert!(said == "holds", "{engine} {way}: {said}");
        let said = verdict("ticket_wrong", &text(way, "held == 1"), &options);
        assert!(said.starts_with("violated"), "{engine} {way}: {said}");
    }
}

#[test]
fn models_that_lack_an_atomic_access_of_several_cells_refuse_it() {
    let wide = |access: &str| {
        format!(
            "{HEAD}union u {{ _Atomic uint32_t whole; _Atomic uint16_t half[2]; }}; static union u x;\n\
             int main(void) {{ x.half[0] = 1; uint32_t r = {access}; return r != 1; }}"
        )
    };
    let refused = "an atomic access of memory that is accessed in parts under";
    for (access, holds) in [
        ("x.whole", true),
        ("(atomic_store_explicit(&x.whole, 1, memory_order_release), 1)", false),
        ("(x.whole = 1)", true),
        ("atomic_fetch_add(&x.whole, 0)", true),
    ] {
        for model in ["sc", "tso", "pso", "rc11"] {
            let said = verdict("wide", &wide(access), &["--model", model]);
            let expected = if model == "sc" || holds && model != "rc11" { "holds" } else { refused };
            assert!(said.contains(expected), "{access} under {model}: {said}");
        }
    }
}

#[test]
fn text_is_written_as_the_library_writes_it() {
    let text = "#include <stdio.h>\nstatic char b[24];\n\
         static int put(const char *format, ...) { va_list list; va_start(list, format);\n\
         int n = vsnprintf(b, sizeof b, format, list); va_end(list); return n; }\n\
         int main(void) { assert(put(\"%s-%d|%5.3d|%-4x|%c\", \"t\", -7, 42, 255, 'z') == 17);\n\
         assert(!strcmp(b, \"t--7|  042|ff  |z\")); assert(snprintf(b, 4, \"%08ld\", 5l) == 8 && !strcmp(b, \"000\"));\n\
         return 0; }";
    for (engine, model) in [("operational", "sc"), ("mcr", "tso"), ("mcr", "rc11")] {
        let said = verdict("print", &format!("{HEAD}{text}"), &["--engine", engine, "--model", model]);
        assert!(said == "holds", "{engine} {model}: {said}");
    }
    let text = |number: &str| {
        format!("{HEAD}#include <stdio.h>\nint main(void) {{ char b[9]; sprintf(b, {number}); return b[0] != '1'; }}")
    };
    let said = verdict("print_float", &text("\"%f\", 1.0"), &["--model", "sc"]);
    assert!(said.contains("text of what is no integer, character or string is not supported"), "{said}");
    assert_eq!(verdict("print_integer", &text("\"%u\", 1u"), &["--model", "sc"]), "holds");
}

#[test]
fn limits_of_what_is_modelled_are_no_errors_of_programs() {
    let text = "#include <poll.h>\nint main(void) { struct pollfd f; f.fd = 0; return poll(&f, 1, 0) < 0; }";
    check("poll", text, "waiting for files is not supported");
}

#[test]
fn parts_of_objects_of_one_name_are_named_by_their_own_types() {
    let text = "struct a { int x, y; }; struct b { int head, tail; };\n\
         static int fa(struct a *p) { return p->x; } static int fb(struct b *p) { return p->head + p->tail; }\n\
         static int ma(int n) { struct a s = { n, 2 }; int r = fa(&s); assert(r != 5); return r; }\n\
         static int mb(int n) { struct b s = { n, 2 }; return fb(&s); }\n\
         int main(void) { assert(mb(1) == 3); return ma(4) + ma(5); }";
    let said = verdict("parts", &format!("{HEAD}{text}"), &["--engine", "operational", "--model", "sc"]);
    assert!(said.starts_with("violated") && said.contains(".x = 5") && !said.contains(".head"), "{said}");
}

#[test]
fn what_is_not_modelled_matters_only_where_it_can_be_reached() {
    let text = |condition: &str| {
        format!(
            "static void *f(void *a) {{ return a; }}\n\
             int main(void) {{ pthread_t t; if ({condition}) {{ pthread_cancel(t); return 1; }} pthread_join(t, 0); return 0; }}"
        )
    };
    check("unreached_cancel", &text("pthread_create(&t, 0, f, 0) != 0"), "holds");
    check("reached_cancel", &text("pthread_create(&t, 0, f, 0) == 0"), "`pthread_cancel` is not supported");
}

#[test]
fn arrays_at_the_end_of_objects_have_no_elements_before_their_start() {
    check(
        "before_open_array",
        "struct s { long before; int n; int rest[]; }; int main(void) { struct s *s = malloc(sizeof *s + 8); s->n = 3; int i = s->n - 4;\n\
         s->rest[i] = 1; return 0; }",
        "an index before the start of an array",
    );
}

#[test]
fn a_double_free_names_the_block_and_where_it_was_made_and_freed() {
    let text = "static int *p; static void *f(void *a) { free(p); return a; }\n\
        int main(void) { p = malloc(4); pthread_t t;\n\
        pthread_create(&t, 0, f, 0); pthread_join(t, 0);\n\
        free(p); return 0; }";
    for options in [["--engine", "operational", "--model", "sc"], ["--engine", "mcr", "--model", "rc11"]] {
        let said = verdict("double_free", &format!("{HEAD}{text}"), &options);
        let named = "a double free: `int`; `int` is allocated at line 9 and freed at line 11 or line 8";
        assert!(said.contains(named), "{options:?}: {said}");
    }
}
