//! Litmus tests of any size.

/// A family of litmus tests.
pub struct Family {
    /// What it is.
    pub name: &'static str,
    /// The model's file.
    pub model: &'static str,
    /// Sizes to measure.
    pub sizes: &'static [usize],
    /// The test of a size.
    pub text: fn(usize) -> String,
    /// CPU milliseconds of herd7 at some sizes.
    pub herd: &'static [(usize, &'static str)],
}

/// All families: the sizes at which herd7 gives up, and beyond.
pub fn families() -> Vec<Family> {
    let ring = &[(10, "900"), (12, "4400"), (14, "37000")];
    vec![
        Family {
            name: "store-buffering ring, tso",
            model: "tso.cat",
            sizes: &[10, 12, 14, 20, 30],
            text: ring_plain,
            herd: ring,
        },
        Family {
            name: "the same with fences",
            model: "tso.cat",
            sizes: &[10, 14, 20, 30],
            text: ring_fenced,
            herd: &[],
        },
        Family {
            name: "stores and loads of one location, tso",
            model: "tso.cat",
            sizes: &[4, 5, 6],
            text: one_location,
            herd: &[(5, "10700"), (6, ">20000")],
        },
        Family {
            name: "stores of two threads to two locations, tso",
            model: "tso.cat",
            sizes: &[4, 8, 16, 24],
            text: two_locations,
            herd: &[(8, ">60000")],
        },
        Family {
            name: "fetch_add of one location, none lost, rc11",
            model: "rc11.cat",
            sizes: &[4, 5, 6, 8, 12],
            text: increments,
            herd: &[(5, "5100"), (6, ">20000")],
        },
        Family {
            name: "fetch_add of different numbers, rc11",
            model: "rc11.cat",
            sizes: &[4, 5, 6],
            text: different_increments,
            herd: &[],
        },
        Family {
            name: "CAS loop in two threads, one lost, rc11",
            model: "rc11.cat",
            sizes: &[2],
            text: compare_exchange_lost,
            herd: &[(2, ">60000")],
        },
        Family {
            name: "CAS loop, none lost, rc11",
            model: "rc11.cat",
            sizes: &[2, 3],
            text: compare_exchange,
            herd: &[(2, ">60000")],
        },
        Family {
            name: "test-and-set lock in two threads, rc11",
            model: "rc11.cat",
            sizes: &[2, 3],
            text: test_and_set,
            herd: &[(2, ">60000")],
        },
    ]
}

fn x86(name: &str, threads: &[Vec<String>], condition: &str) -> String {
    let rows = threads.iter().map(Vec::len).max().unwrap_or(0);
    let header: Vec<String> = (0..threads.len()).map(|index| format!("P{index}")).collect();
    let mut text = format!("X86 {name}\n{{ }}\n{} ;\n", header.join(" | "));
    for row in 0..rows {
        let cells: Vec<&str> = threads.iter().map(|thread| thread.get(row).map_or("", |cell| cell)).collect();
        text.push_str(&format!("{} ;\n", cells.join(" | ")));
    }
    text.push_str(&format!("exists ({condition})\n"));
    text
}

fn ring(size: usize, fence: &[&str]) -> String {
    let thread = |index: usize| {
        let mut thread = vec![format!("MOV [x{index}],$1")];
        thread.extend(fence.iter().map(|fence| fence.to_string()));
        thread.push(format!("MOV EAX,[x{}]", (index + 1) % size));
        thread
    };
    let threads: Vec<Vec<String>> = (0..size).map(thread).collect();
    let condition: Vec<String> = (0..size).map(|index| format!("{index}:EAX=0")).collect();
    x86("ring", &threads, &condition.join(" /\\ "))
}

fn ring_plain(size: usize) -> String {
    ring(size, &[])
}

fn ring_fenced(size: usize) -> String {
    ring(size, &["MFENCE"])
}

const REGISTERS: [&str; 6] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI"];

/// One thread stores 1 to n, one loads n times and sees a number, then a smaller one.
fn one_location(size: usize) -> String {
    let stores = (1..=size).map(|value| format!("MOV [x],${value}")).collect();
    let loads = REGISTERS[..size].iter().map(|register| format!("MOV {register},[x]")).collect();
    let condition = format!("1:{}={size} /\\ 1:{}=1", REGISTERS[size - 2], REGISTERS[size - 1]);
    x86("one-location", &[stores, loads], &condition)
}

/// Two threads store to x and y in turns; each location keeps the value that the other's last store overtook.
fn two_locations(size: usize) -> String {
    let stores = |first: usize, cells: [&str; 2]| {
        (0..size).map(|index| format!("MOV [{}],${}", cells[index % 2], first + index)).collect::<Vec<_>>()
    };
    let condition = format!("x={} /\\ y={}", size - 1, 2 * size - 1);
    x86("two-locations", &[stores(1, ["x", "y"]), stores(size + 1, ["y", "x"])], &condition)
}

fn threads(size: usize, parameters: &str, body: &dyn Fn(usize) -> String) -> String {
    (0..size).map(|index| format!("P{index} ({parameters}) {{\n{}}}\n", body(index))).collect()
}

fn increments(size: usize) -> String {
    let body = |_: usize| "  int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);\n".into();
    format!("C increments\n{{ }}\n{}exists (x={})\n", threads(size, "atomic_int* x", &body), size - 1)
}

fn different_increments(size: usize) -> String {
    let body =
        |index: usize| format!("  int r0 = atomic_fetch_add_explicit(x, {}, memory_order_relaxed);\n", 1 << index);
    format!("C different\n{{ }}\n{}exists (x={})\n", threads(size, "atomic_int* x", &body), (1 << size) - 2)
}

fn compare_exchange_loop(size: usize, result: usize) -> String {
    let body = |_: usize| {
        "  int done = 0;\n  while (done == 0) {\n    int old = atomic_load_explicit(x, memory_order_relaxed);\n    \
         done = atomic_compare_exchange_strong_explicit(x, &old, old + 1, memory_order_acq_rel, \
         memory_order_relaxed);\n  }\n"
            .into()
    };
    format!("C loop\n{{ }}\n{}exists (x={result})\n", threads(size, "atomic_int* x", &body))
}

fn compare_exchange_lost(size: usize) -> String {
    compare_exchange_loop(size, size - 1)
}

fn compare_exchange(size: usize) -> String {
    compare_exchange_loop(size, size)
}

fn test_and_set(size: usize) -> String {
    let body = |_: usize| {
        "  int r = 1;\n  while (r == 1) {\n    r = atomic_exchange_explicit(l, 1, memory_order_acquire);\n  }\n  \
         int t = *x;\n  *x = t + 1;\n  atomic_store_explicit(l, 0, memory_order_release);\n"
            .into()
    };
    format!("C lock\n{{ }}\n{}exists (x={size})\n", threads(size, "atomic_int* l, int* x", &body))
}
