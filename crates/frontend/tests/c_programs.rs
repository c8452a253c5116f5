//! C programs with one thread compute what gcc's do, and data types what their references do.

mod sequential;

use std::path::{Path, PathBuf};
use std::process::Command;

use frontend::c::{MemoryError, Options};
use program::{FunctionId, Program, Value};
use sequential::Machine;

/// Signed integers wrap, as they do in the programs that gcc is asked to make.
fn load(text: &str) -> frontend::c::Unit {
    let options = Options { ignored: vec![MemoryError::Overflow], ..Options::default() };
    match frontend::c::load_with("test.c", text, &mut |_, _| None, &[], &options) {
        Ok(unit) => unit,
        Err(messages) => panic!("{messages}\n{text}"),
    }
}

fn function(program: &Program, name: &str) -> FunctionId {
    let index = program.functions.iter().rposition(|function| function.name == name);
    FunctionId(index.unwrap_or_else(|| panic!("no function {name}")) as u32)
}

/// What `int test(void)` of a text returns when it is lowered.
fn lowered(text: &str) -> i64 {
    let program = load(text).test("(test)").unwrap_or_else(|messages| panic!("{messages}\n{text}"));
    let program = program::verify(program).expect("lawful").into_program();
    // The operation of a test shows the result; the function itself comes first.
    let index = program.functions.iter().position(|function| function.name == "test").expect("test");
    match Machine::new(&program).call(FunctionId(index as u32), Vec::new()) {
        Ok(values) => match values.as_slice() {
            [Value::Int(int)] => int.signed(),
            other => panic!("{other:?} from\n{text}\n{}", program::text::print(&program)),
        },
        Err(wrong) => panic!("{wrong} in\n{text}\n{}", program::text::print(&program)),
    }
}

fn has_gcc() -> bool {
    let found = Command::new("gcc").arg("--version").output().is_ok();
    if !found {
        println!("skipped: no gcc");
    }
    found
}

/// What gcc's program prints for `int test(void)` of each text.
fn compiled(name: &str, texts: &[String]) -> Vec<i64> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("folder");
    let mut results = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let (source, binary) = (folder.join(format!("{index}.c")), folder.join(format!("{index}.out")));
        let main = "\nextern int printf(const char *, ...);\nint main(void) { printf(\"%d\\n\", test()); return 0; }\n";
        std::fs::write(&source, format!("{text}{main}")).expect("written");
        let arguments = ["-std=gnu11", "-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-o"];
        let done = Command::new("gcc").args(arguments).arg(&binary).arg(&source).arg("-latomic").output().expect("gcc");
        assert!(done.status.success(), "{}\n{text}", String::from_utf8_lossy(&done.stderr));
        let output = Command::new(&binary).output().expect("runs");
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        results.push(output.trim().parse().unwrap_or_else(|_| panic!("{output:?} from\n{text}")));
    }
    results
}

/// Each text computes what gcc's program does.
fn agrees(name: &str, texts: &[&str]) {
    let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
    agree(name, &texts);
}

fn agree(name: &str, texts: &[String]) {
    let ours: Vec<i64> = texts.iter().map(|text| lowered(text)).collect();
    if has_gcc() {
        for ((text, ours), theirs) in texts.iter().zip(ours).zip(compiled(name, texts)) {
            assert_eq!(ours, theirs, "{text}");
        }
    }
}

/// The body of a `test` as a text.
fn body(body: &str) -> String {
    format!("int test(void) {{ {body} }}")
}

#[test]
fn integers_are_promoted_and_converted_as_c_says() {
    let bodies = [
        "signed char a = -1; unsigned char b = 255; return (a == b) * 10 + ((unsigned char)a == b);",
        "unsigned short a = 65535, b = 65535; return a + b == 131070;",
        "unsigned a = 1; int b = -1; return (a < b) * 2 + (b < a);",
        "long a = -1; unsigned b = 1; return (a < b) * 2 + ((long)b > a);",
        "unsigned long a = 1; long b = -1; return (b < a) * 2 + (b > a);",
        "int a = -7; return a / 2 * 100 + a % 3;",
        "unsigned a = -7; return (int)(a / 2) + (int)(a % 10);",
        "int a = -8; return (a >> 1) * 10 + (int)((unsigned)a >> 28);",
        "unsigned char a = 200; return (a << 1) + (unsigned char)(a << 1);",
        "char c = 'a' + 1; return c == 'b' ? c : -c;",
        "unsigned a = 0; a--; return a == 4294967295u;",
        "unsigned long a = 0; a -= 1; return (int)(a >> 32) + (a > 5);",
        "short s = 32767; s++; return s;",
        "unsigned char c = 255; c += 2; return c;",
        "int x = 5; return ~x + -x + +x + !x + !!x;",
        "_Bool b = 256; b += 5; return b + sizeof(b);",
        "long long x = 1LL << 40; return (int)(x >> 38) + (x > 1);",
        "return 0x80000000 > 0 ? 1 : 2;",
        "return (2147483648 > 0) + (int)(sizeof 2147483648) * 10 + (int)(sizeof 0x80000000) * 100;",
        "return 017 + 0xff + 0b101;",
        "return (char)300 + (signed char)200 + (short)70000;",
        "int i = 3; int j = i++ + 10; int k = ++i * 2; return i * 10000 + j * 100 + k;",
        "int i = 3; int j = i-- - --i; return i * 10 + (j != 0);",
        "int x = 6; x *= 7; x -= 2; x /= 3; x %= 8; x <<= 3; x >>= 1; x |= 3; x &= 0x1e; x ^= 5; return x;",
        "char c = 100; c *= 3; return c;",
        "enum e { A, B = 5, C } e = C; enum n { N = -1 } n = N; return e * 10 + (n < 0) + (e - 7 < 0);",
        "return '\\n' + '\\x41' + '\\101' + '\\0' + '\\\\';",
        "return 1 ? 2 : 3 / 1;",
        "unsigned u = 3; int i = -2; return (1 ? i : u) > 0;",
        "int a = 1, b = 2, c; c = (a++, b += a, b * 2); return c * 10 + a;",
        "return sizeof(int) + sizeof(char) * 10 + sizeof(long) * 100 + sizeof(void *) * 1000 + sizeof(short[3]) * 10000;",
        "struct s { char a; int b; char c; long d; } x; return sizeof x + sizeof(struct s *) + _Alignof(struct s);",
        "int x = 1 << 31; return x < 0;",
        "unsigned long long x = 18446744073709551615ull; return (x == -1) + (int)(x % 1000);",
        "short a = -3; unsigned short b = a; int c = b; return c;",
        "int a = 7; return (a & 3) == 3 && (a | 8) == 15 && (a ^ 5) == 2;",
    ];
    let texts: Vec<String> = bodies.iter().map(|text| body(text)).collect();
    agree("integers", &texts);
}

#[test]
fn control_flow_goes_where_c_says() {
    let bodies = [
        "int s = 0; for (int i = 0; i < 10; i++) { if (i == 3) continue; if (i == 7) break; s += i; } return s;",
        "int s = 0, i = 5; while (i) s += i--; do s++; while (s < 20); return s;",
        "int n = 0; for (;;) { if (++n > 4) break; } return n;",
        "int s = 0; for (int i = 0; i < 6; i++) switch (i) { case 0: s += 1; case 1: s += 10; break; case 3: case 4: s += 100; \
         break; default: s += 1000; } return s;",
        "int x = 3; switch (x) { default: return 9; case 1 ... 3: x = 7; } return x;",
        "switch ((char)65) { case 'A': return 1; } return 0;",
        "int x = 2, s = 0; switch (x) { case 1: { s = 1; case 2: s += 5; } case 3: s *= 2; } return s;",
        "int s = 0; switch (9) { case 1: s = 1; } return s;",
        "int i = 0, s = 0; again: s += i; if (++i < 5) goto again; return s;",
        "int i = 0; if (i) goto end; i = 5; end: return i + 1;",
        "int x = 0; if (0 && (x = 1)) x = 2; if (1 || (x = 3)) x += 10; return x;",
        "int x = 0, y = 4; return (x && 1 / x) + (y || 1 / x) * 2 + (y && 3) * 4;",
        "int x = 5; return x > 3 ? x < 10 ? 1 : 2 : 3;",
        "int i, j, n = 0; for (i = 0; i < 4; i++) for (j = i; j < 4; j++) { if (j == 2) continue; n += j; } return n;",
        "int x = ({ int y = 3; y * 2; }) + 1; return x;",
        "int n = 0; for (int i = 0; i < 3; i++) { int x = 0; x++; n += x; } return n;",
        "int i = 0; do { if (i == 2) continue; } while (++i < 4); return i;",
        "int x = 1; { int x = 2; { int x = 3; } x++; } return x;",
        "if (1) if (0) return 1; else return 2; return 3;",
        "int i = 3, n = 0; switch (i) { for (; i > 0; i--) { case 3: n++; } } return n;",
        "_Static_assert(sizeof(int) == 4, \"int\"); return 4;",
        "unsigned x = 4000000000u; switch (x) { case 4000000000u: return 1; case -1: return 2; } return 0;",
    ];
    let texts: Vec<String> = bodies.iter().map(|text| body(text)).collect();
    agree("control", &texts);
}

#[test]
fn memory_holds_what_c_says() {
    agrees(
        "memory",
        &[
            "int test(void) { int a[5] = {1, 2, 3}; int *p = a; p += 2; return *p * 100 + p[-1] * 10 + a[4] + (p - a); }",
            "int test(void) { int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; int (*p)[3] = a + 1; return a[1][2] * 10 + (*p)[0] + p[-1][1]; }",
            "int test(void) { int a[2][2] = {1, 2, 3}; int s = 0; for (int i = 0; i < 4; i++) s = s * 10 + a[i / 2][i % 2]; return s; }",
            "struct p { int x, y; }; int test(void) { struct p a = {1, 2}, b; b = a; b.x = 5; return a.x * 100 + b.x * 10 + b.y; }",
            "struct p { int x; struct { int y; char z[3]; } in; }; int test(void) { struct p a = {1, {2, {3, 4, 5}}}, b = a; \
             b.in.z[1] = 9; return a.in.z[1] * 100 + b.in.z[1] * 10 + b.in.y; }",
            "struct p { int x, y; }; struct p make(int x) { struct p r = {x, x + 1}; return r; } int test(void) { return make(3).y + make(5).x; }",
            "struct p { int x, y; }; int f(struct p a) { a.x = 100; return a.x + a.y; } int test(void) { struct p a = {1, 2}; int r = f(a); return r * 10 + a.x; }",
            "struct p { int x, y; } g[2] = {{1, 2}, {3, 4}}; int test(void) { struct p *p = g; p++; return p->x * 10 + (p - g) + g[0].y; }",
            "int g = 7; int *gp = &g; int arr[3] = {1, 2, 3}; int *ap = &arr[1]; int test(void) { *gp = 8; return g * 10 + *ap + ap[1]; }",
            "int test(void) { int x = 5; int *p = &x; int **q = &p; **q = 9; return x + (p == &x) + (*q != 0) + p[0]; }",
            "void set(int *p, int v) { *p = v; } int test(void) { int x; set(&x, 4); int a[3]; set(a + 1, 5); return x + a[1]; }",
            "char s[] = \"hello\"; int test(void) { int n = 0; while (s[n]) n++; return n * 1000 + s[1] + sizeof s; }",
            "int test(void) { const char *s = \"ab\" \"c\\n\"; return s[2] + s[3] + s[4]; }",
            "struct s { int a, b, c; char d[4]; } x = {.b = 2, .d = {[2] = 7}, .a = 1}; int test(void) { return x.a * 1000 + x.b * 100 + x.c + x.d[2] + x.d[0]; }",
            "int a[] = {[3] = 4, 5, [1] = 2}; int test(void) { return sizeof a / sizeof a[0] * 100 + a[3] * 10 + a[4] + a[1] + a[0]; }",
            "union u { long w; void *p; }; int test(void) { union u a; int x; a.p = &x; union u b = a; b.w = 5; return (a.p == &x) * 10 + b.w; }",
            "union u { long all; int half[2]; char byte[8]; }; union u g = {.half = {1, 2}}; int test(void) { g.byte[1] = 3; return g.all / 1000000 + g.half[0] + g.byte[4]; }",
            "int test(void) { int x = 0x01020304; char *p = (char *)&x; p[1] = 9; short *h = (short *)&x; return x / 7 + h[1] * 10 + p[3]; }",
            "#include <stddef.h>\nstruct s { char c; long l; short h[3]; }; int test(void) { struct s s = {1, 2, {3, 4, 5}}; long *l = &s.l; \
             struct s *back = (struct s *)((char *)l - offsetof(struct s, l)); return back->h[1] * 100 + offsetof(struct s, h[2]) + back->c; }",
            "#include <stdint.h>\nint test(void) { long a[2] = {5, 6}; uintptr_t p = (uintptr_t)&a[1] | 1; return (p & 7) * 100 + *(long *)(p & ~(uintptr_t)1) * 10 + (p - (uintptr_t)a); }",
            "#include <string.h>\nstruct s { int a; char t[5]; }; int test(void) { struct s x = {7, \"abc\"}, y; memcpy(&y, &x, sizeof x); char b[4]; memcpy(b, &x.a, 4); \
             return y.t[2] + b[0] + (memcmp(x.t, \"abd\", 4) < 0) * 1000 + memcmp(&x, &y, 4); }",
            "union u { int i; unsigned u; }; union u g = {.u = 4294967295u}; int test(void) { return g.i; }",
            "int test(void) { struct { int a; union { int b; unsigned c; }; } x = {1, {2}}; x.c++; return x.a * 10 + x.b; }",
            "struct n { struct n *next; int v; }; int test(void) { struct n c = {0, 3}, b = {&c, 2}, a = {&b, 1}; int s = 0; \
             for (struct n *p = &a; p; p = p->next) s = s * 10 + p->v; return s; }",
            "#include <stdlib.h>\nstruct n { struct n *next; int v; }; int test(void) { struct n *l = 0; for (int i = 0; i < 4; i++) { struct n *n = malloc(sizeof *n); \
             n->v = i; n->next = l; l = n; } int s = 0; while (l) { s = s * 10 + l->v; struct n *d = l; l = l->next; free(d); } return s; }",
            "#include <stdlib.h>\nint test(void) { int *a = malloc(4 * sizeof(int)); for (int i = 0; i < 4; i++) a[i] = i * i; int s = 0; \
             for (int *p = a; p < a + 4; p++) s += *p; free(a); free(0); return s; }",
            "#include <stdlib.h>\nint test(void) { long *a = calloc(3, sizeof(long)); a[1] += 4; return a[0] + a[1] * 10 + a[2]; }",
            "int count(void) { static int n = 10; return ++n; } int test(void) { count(); count(); return count(); }",
            "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); } int test(void) { return f(10); }",
            "int test(void) { int *p = (int[]){1, 2, 3}; struct { int a, b; } s; s.b = p[2]; return s.b + p[0]; }",
            "#include <stdint.h>\nint test(void) { int x; uintptr_t w = (uintptr_t)&x; int *p = (int *)w; *p = 3; return x + (w != 0) + (w == (uintptr_t)p); }",
            "int test(void) { int a[3] = {}; a[1]++; struct { int a; long b; } s = {}; return a[0] + a[1] * 10 + a[2] + s.a + s.b; }",
            "struct s { int a; long b; char c; }; int test(void) { struct s x = {.b = 3}; return x.a + x.b * 10 + x.c; }",
            "int test(void) { int a[3] = {1, 2, 3}; int i = 0; a[i++] += 10; return a[0] * 10 + i; }",
            "int x = 3; int test(void) { int y = x; { extern int x; y += x; } return y; }",
            "typedef struct t T; struct t { int v; T *self; }; T g = {4, &g}; int test(void) { return g.self->self->v; }",
            "int test(void) { volatile int v = 3; v += 2; return v++ * 10 + v; }",
            "struct s { int v[2]; }; struct s g[2] = {1, 2, 3, 4}; int test(void) { return g[1].v[0] * 10 + g[0].v[1]; }",
            "struct in { int x; }; struct out { struct in in; int y; }; int test(void) { struct out o = {{1}, 2}; struct in *i = (struct in *)&o; \
             i->x = 7; struct out *back = (struct out *)i; return back->y * 10 + o.in.x; }",
            "int n; int *f(void) { n++; return &n; } int test(void) { *f() += 5; (*f())++; return n; }",
            "int test(void) { char buffer[4] = \"abc\"; char *end = buffer + 3; return *end + end[-1] + (end > buffer); }",
        ],
    );
}

#[test]
fn calls_through_pointers_find_the_function() {
    agrees(
        "pointers",
        &[
            "int inc(int x) { return x + 1; } int dbl(int x) { return x * 2; } int (*f)(int) = inc; \
             int test(void) { int a = f(3); f = &dbl; return a * 100 + f(4) * 10 + (*f)(1) + (f == dbl); }",
            "int add(int a, int b) { return a + b; } int mul(int a, int b) { return a * b; } \
             typedef int (*op)(int, int); op table[] = {add, mul}; int run(op o, int a) { return o(a, 3); } \
             int test(void) { return table[0](1, 2) * 100 + table[1](2, 3) * 10 + run(mul, 2); }",
            "struct v { void (*set)(int *, int); }; void s(int *p, int v) { *p = v; } int test(void) { struct v x = {s}; int r; x.set(&r, 6); return r + (x.set != 0); }",
        ],
    );
}

#[test]
fn atomics_compute_what_gcc_says() {
    let header = "#include <stdatomic.h>\n";
    let texts = [
        "atomic_int x = 3; int test(void) { int a = x++; int b = ++x; x += 10; x -= 1; x *= 2; return a * 1000 + b * 100 + x; }",
        "atomic_int x; int test(void) { atomic_store(&x, 4); int a = atomic_fetch_add(&x, 3); int b = atomic_exchange_explicit(&x, 9, memory_order_acquire); \
         return a * 100 + b * 10 + atomic_load_explicit(&x, memory_order_relaxed); }",
        "atomic_int x = 5; int test(void) { int e = 4; int a = atomic_compare_exchange_strong(&x, &e, 8); int b = atomic_compare_exchange_strong(&x, &e, 8); return a * 100 + b * 10 + e + x; }",
        "int x = 1; int test(void) { int e = 1; int *p = &e; int r = __atomic_compare_exchange_n(&x, p, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED); \
         r += __atomic_compare_exchange_n(&x, p, 6, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED); return r * 100 + e * 10 + __atomic_load_n(&x, __ATOMIC_ACQUIRE); }",
        "int x = 12; int test(void) { return __atomic_add_fetch(&x, 3, 5) + __atomic_fetch_or(&x, 16, 5) + __sync_fetch_and_sub(&x, 1) + __sync_and_and_fetch(&x, 7); }",
        "int x = 2; int test(void) { int a = __sync_bool_compare_and_swap(&x, 2, 6); int b = __sync_val_compare_and_swap(&x, 2, 9); __sync_synchronize(); return a * 100 + b * 10 + x; }",
        "atomic_flag f = ATOMIC_FLAG_INIT; int test(void) { int a = atomic_flag_test_and_set(&f); int b = atomic_flag_test_and_set(&f); atomic_flag_clear(&f); return a * 100 + b * 10 + atomic_flag_test_and_set(&f); }",
        "unsigned char c = 250; int test(void) { int a = __atomic_fetch_add(&c, 10, 0); return a * 10 + c; }",
        "int a[3] = {1, 2, 3}; int *_Atomic p = a; int test(void) { p++; p += 1; return *p * 10 + *--p; }",
        "int x = 4, y, z = 7; int test(void) { __atomic_load(&x, &y, 5); __atomic_store(&x, &z, 5); return x * 10 + y; }",
        "int l; int test(void) { int a = __sync_lock_test_and_set(&l, 1); int b = l; __sync_lock_release(&l); return a * 100 + b * 10 + l; }",
        "_Atomic unsigned u = 20; int test(void) { u /= 3; u <<= 2; u %= 10; return u; }",
        "atomic_int x; int test(void) { atomic_init(&x, 3); atomic_thread_fence(memory_order_seq_cst); int y = x = 5; return x + y; }",
    ];
    let texts: Vec<String> = texts.iter().map(|text| format!("{header}{text}")).collect();
    agree("atomics", &texts);
}

/// Bodies that gcc takes for these functions, for one thread.
const LSL_BODIES: &str = "
int lsl_cas_32(void *p, unsigned a, unsigned b) { if (*(unsigned *)p != a) return 0; *(unsigned *)p = b; return 1; }
int lsl_cas_ptr(void *p, void *a, void *b) { if (*(void **)p != a) return 0; *(void **)p = b; return 1; }
int lsl_dcas_32(void *p, void *q, unsigned a, unsigned c, unsigned b, unsigned d) {
  if (*(unsigned *)p != a || *(unsigned *)q != c) return 0; *(unsigned *)p = b; *(unsigned *)q = d; return 1; }
void lsl_lock(unsigned *l) { *l = 1; }
void lsl_unlock(unsigned *l) { *l = 0; }
void lsl_initlock(unsigned *l) { *l = 0; }
";

#[test]
fn the_library_of_the_thesis_computes_what_its_c_bodies_do() {
    let prototypes = "
int lsl_cas_32(void *, unsigned, unsigned); int lsl_cas_ptr(void *, void *, void *);
int lsl_dcas_32(void *, void *, unsigned, unsigned, unsigned, unsigned);
void lsl_lock(unsigned *); void lsl_unlock(unsigned *); void lsl_initlock(unsigned *);
";
    let tests = [
        "int x = 3; int test(void) { int a = lsl_cas_32(&x, 3, 4), b = lsl_cas_32(&x, 3, 5); return a * 100 + b * 10 + x; }",
        "int v, w; int *p = &v; int test(void) { int a = lsl_cas_ptr(&p, &w, 0), b = lsl_cas_ptr(&p, &v, &w); return a * 100 + b * 10 + (p == &w); }",
        "int x = 1, y = 2; int test(void) { int a = lsl_dcas_32(&x, &y, 1, 3, 8, 9), b = lsl_dcas_32(&x, &y, 1, 2, 5, 6); return a * 1000 + b * 100 + x * 10 + y; }",
        "unsigned l; int test(void) { lsl_initlock(&l); lsl_lock(&l); int a = l; lsl_unlock(&l); return a * 10 + l; }",
    ];
    let ours: Vec<i64> = tests.iter().map(|text| lowered(&format!("{prototypes}{text}"))).collect();
    if has_gcc() {
        let texts: Vec<String> = tests.iter().map(|text| format!("{LSL_BODIES}{text}")).collect();
        assert_eq!(ours, compiled("lsl", &texts));
    }
}

#[test]
fn packed_words_are_made_read_and_changed() {
    let text = "
typedef unsigned long word; typedef struct node { word next; int key; } node_t; node_t n;
word lsl_make_mark(node_t *ptr, int marked) { return (word)ptr | marked; }
node_t *lsl_get_mark_ptr(word w) { return (node_t *)(w & ~1ul); }
int lsl_get_mark_marked(word w) { return w & 1; }
word lsl_set_mark_marked(word w, int marked) { return (w & ~1ul) | marked; }
int test(void) {
  n.key = 6;
  word a = lsl_make_mark(&n, 0), b = lsl_set_mark_marked(a, 1);
  n.next = b;
  return lsl_get_mark_marked(n.next) * 1000 + lsl_get_mark_marked(a) * 100 + (a == b) * 10 + lsl_get_mark_ptr(n.next)->key
    + (lsl_set_mark_marked(b, 0) == a) * 20;
}";
    agrees("packed", &[text]);
    let program = load(text).test("(test)").expect("lowered");
    assert!(!program.functions.iter().any(|function| function.name.starts_with("lsl_")));
}

fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/c")
}

fn suite_unit(name: &str, defines: &[(String, String)]) -> frontend::c::Unit {
    let path = suite().join(format!("{name}.c"));
    let text = std::fs::read_to_string(&path).expect("file");
    let mut include = |name: &str, _: &str| Some((name.to_string(), std::fs::read_to_string(suite().join(name)).ok()?));
    frontend::c::load(&path.to_string_lossy(), &text, &mut include, defines)
        .unwrap_or_else(|messages| panic!("{name}: {messages}"))
}

/// What the operations of a one-thread test show.
fn shown(name: &str, test: &str, choices: &[i64]) -> Vec<(String, i64)> {
    let program = suite_unit(name, &[]).test(test).unwrap_or_else(|messages| panic!("{name}: {messages}"));
    let mut machine = Machine::new(&program);
    machine.choices = choices.to_vec();
    if let Some(setup) = program.setup {
        machine.call(setup, Vec::new()).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
    }
    machine.call(function(&program, "T1"), Vec::new()).unwrap_or_else(|wrong| panic!("{name} {test}: {wrong}"));
    let value = |value: &Value| match value {
        Value::Int(int) => int.signed(),
        other => panic!("{name} shows {other:?}"),
    };
    machine.shown.iter().map(|(label, shown)| (label.clone(), value(shown))).collect()
}

/// Data types, their reference, their operations, and the values that these choose from.
type Case = (&'static [&'static str], &'static str, &'static [&'static str], [i64; 2]);

#[test]
fn data_types_do_what_their_references_do() {
    let cases: &[Case] = &[
        (&["ms2", "msn"], "queue_ref", &["e", "d"], [0, 1]),
        (&["lazylist", "harris"], "set_ref", &["a", "c", "r"], [2, 3]),
        (&["snark", "snark_published"], "deque_ref", &["al", "ar", "rl", "rr"], [0, 1]),
        (&["treiber"], "stack_ref", &["p", "o"], [0, 1]),
        (&["chase_lev"], "steal_ref", &["p", "t", "s"], [0, 1]),
    ];
    let mut state = 7u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for (types, reference, operations, values) in cases {
        for _ in 0..40 {
            let test: Vec<&str> = (0..6).map(|_| operations[next(operations.len())]).collect();
            let test = format!("({})", test.join(" "));
            let choices: Vec<i64> = (0..6).map(|_| values[next(2)]).collect();
            let expected = shown(reference, &test, &choices);
            for name in *types {
                assert_eq!(shown(name, &test, &choices), expected, "{name} {test}");
            }
        }
    }
}

#[test]
fn whole_programs_are_lowered() {
    for name in ["spinlock", "dekker", "seqlock", "mutex_counter", "message_passing"] {
        for defines in [vec![], vec![("BROKEN".to_string(), "1".to_string())]] {
            let program = suite_unit(name, &defines).program().unwrap_or_else(|messages| panic!("{name}: {messages}"));
            assert_eq!(program.threads.len(), 1);
            assert_eq!(program.threads[0].name, "main");
            let text = program::text::print(&program);
            assert!(text.contains("spawn") && text.contains("assert"), "{text}");
        }
    }
}

/// A random expression over variables `v0` to `v7` of different types. Divisors are positive and shifts small.
fn expression(depth: usize, next: &mut impl FnMut(usize) -> usize) -> String {
    const TYPES: [&str; 9] =
        ["char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "_Bool"];
    const CONSTANTS: [&str; 10] =
        ["0", "1", "-1", "127", "255u", "40000", "0x80000000", "-2147483648", "5L", "0xffffffffffffffff"];
    if depth == 0 {
        return match next(3) {
            0 => CONSTANTS[next(CONSTANTS.len())].to_string(),
            _ => format!("v{}", next(8)),
        };
    }
    let mut part = || expression(depth - 1 - next(depth.min(2)), next);
    let (a, b, c) = (part(), part(), part());
    match next(14) {
        0 => format!("({a} / (({b} & 15) + 1))"),
        1 => format!("({a} % (({b} & 7) + 2))"),
        2 => format!("({a} << ({b} & 7))"),
        3 => format!("({a} >> ({b} & 7))"),
        4 => format!("({a} ? {b} : {c})"),
        5 => format!("(({}){a})", TYPES[next(TYPES.len())]),
        6 => format!("({}({a}))", ["-", "~", "!", "+"][next(4)]),
        7 => {
            let operator = ["+", "-", "*", "&", "|", "^"][next(6)];
            format!("({{ {} t = {a}; t {operator}= {b}; t++; t; }})", TYPES[next(TYPES.len())])
        }
        8 => format!("({a} {} {b})", ["&&", "||"][next(2)]),
        9 => format!("({a} {} {b})", ["<", "<=", ">", ">=", "==", "!="][next(6)]),
        _ => format!("({a} {} {b})", ["+", "-", "*", "&", "|", "^"][next(6)]),
    }
}

#[test]
fn random_expressions_agree_with_gcc() {
    let mut state = 11u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let types = ["char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "_Bool"];
    let mut texts = Vec::new();
    for _ in 0..12 {
        let mut text = String::new();
        for number in 0..25 {
            text.push_str(&format!("int part{number}(void) {{\n"));
            for (index, of) in types.iter().enumerate() {
                let value = [0i64, 1, -1, 77, 200, -30000, 65535, 2147483647, -2147483648][next(9)];
                text.push_str(&format!("  {of} v{index} = ({of}){value}L;\n"));
            }
            let value = expression(4, &mut next);
            text.push_str(&format!("  long r = {value};\n  return (int)(r ^ (r >> 32));\n}}\n"));
        }
        let parts: Vec<String> = (0..25).map(|number| format!("  r = r * 31 + part{number}();\n")).collect();
        text.push_str(&format!("int test(void) {{\n  unsigned r = 0;\n{}  return r;\n}}\n", parts.concat()));
        texts.push(text);
    }
    agree("random", &texts);
}

#[test]
fn blocks_of_memory_are_set_and_copied() {
    let head = "#include <string.h>\n#include <stdlib.h>\nstruct p { int a; long b; struct p *next; _Bool c; };\n\
        struct q { int v[3]; struct p ps[2]; };\nstatic struct q g, h;\nstatic int a[6], b[6];\n";
    let bodies = [
        "memset(a, 0, sizeof a); memset(a, -1, 2 * sizeof(int)); return a[0] + a[1] * 10 + a[2] * 100;",
        "memset(&a[2], 1, 8); return a[1] + a[2] + a[3] - a[4];",
        "memset((void *)&g, 0, sizeof g); return g.ps[1].next == 0 && g.ps[0].b == 0 && !g.ps[1].c;",
        "for (int i = 0; i < 6; i++) a[i] = i + 1; memcpy(b, a, sizeof(a)); return b[0] * 10 + b[5];",
        "for (int i = 0; i < 6; i++) a[i] = i + 1; memmove(&a[1], a, 5 * sizeof *a); return a[0] * 1000 + a[1] * 100 + a[5];",
        "for (int i = 0; i < 6; i++) a[i] = i + 1; memmove(a, a + 2, 4 * sizeof *a); return a[0] * 1000 + a[3] * 100 + a[4];",
        "g.ps[1].b = 7; g.v[2] = 5; g.ps[0].next = &g.ps[1]; memcpy(&h, &g, sizeof(struct q)); return h.ps[0].next->b + h.v[2];",
        "struct p x = { 1, 2, 0, 1 }, y; memcpy(&y, &x, sizeof y); x.b = 9; return y.a + y.b * 10 + y.c * 100;",
        "struct p *z = calloc(3, sizeof *z); z[1].b = 4; return z[2].a + z[1].b + (z[0].next == 0) + z[2].c;",
        "struct p *z = calloc(2, sizeof(struct p)); z->next = z + 1; return z->next->c + (z->next->next == 0);",
        "char s[4] = \"abc\"; memset(s, 'x', 2); return s[0] + s[2];",
        "short s[2]; memset(s, 3, sizeof s); return s[1];",
        "return memcpy(b, a, 4) == b;",
        "struct p s[3]; return sizeof s / sizeof s[0] * 10 + sizeof(struct q) + sizeof g.ps[0];",
    ];
    let texts: Vec<String> = bodies.iter().map(|code| format!("{head}{}", body(code))).collect();
    agree("memory", &texts);
}
