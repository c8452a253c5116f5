//! What serial executions show, against brute force.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use operational::Limits;
use operational::serial::{Mined, observations};
use program::{Observation, Shown, Value, Verified, verify};

fn program(text: &str) -> Verified {
    let program = program::text::parse("test.ir", text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}"))
}

fn mine(text: &str) -> Mined {
    observations(&program(text), &Limits::default()).unwrap_or_else(|what| panic!("{what:?}"))
}

/// A queue of linked nodes: `head` points to a node before the first element, `tail` to the last one.
const QUEUE: &str = "program queue
language IR
global head = 0:i32
global tail = 0:i32
function make() {
  registers n
  b0:
    %n := allocate node = 0:i32
    store &head, %n plain
    store &tail, %n plain
    return
}
function init() { registers n b0: call @make() return }
function enq() {
  registers v, n, field, last
  b0:
    %v := choose 0..1:i32
    observe v, %v
    %n := allocate node = 0:i32
    %field := offset %n, 0:i32
    store %field, %v plain
    %last := load &tail plain
    %field := offset %last, 1:i32
    store %field, %n plain
    store &tail, %n plain
    return
}
function deq() -> 1 {
  registers first, field, next, v
  b0:
    %first := load &head plain
    %field := offset %first, 1:i32
    %next := load %field plain
    branch %next, b1, b2
  b1:
    store &head, %next plain
    %field := offset %next, 0:i32
    %v := load %field plain
    observe r, %v
    return %v
  b2:
    observe r, 9:i32
    return 9:i32
}
";

fn queue(threads: &[&[&str]]) -> String {
    let mut text = QUEUE.to_string();
    for (index, operations) in threads.iter().enumerate() {
        let calls = operations.iter().map(|operation| match *operation {
            "deq" => "    %r := call @deq()\n".to_string(),
            other => format!("    call @{other}()\n"),
        });
        let calls: String = calls.collect();
        text.push_str(&format!("function T{index}() {{ registers r\n b0:\n{calls}    return\n}}\n"));
    }
    text.push_str("setup @init()\n");
    (0..threads.len()).for_each(|index| text.push_str(&format!("thread T{index} = @T{index}()\n")));
    text
}

fn shown(operation: &str, label: &str, value: i64) -> Shown {
    Shown { operation: operation.into(), values: vec![(Arc::from(label), Value::int(value, 32))] }
}

/// All observations of the queue, by a queue of the host and all interleavings one by one.
fn brute_force(threads: &[&[&str]]) -> (BTreeSet<Observation>, u64) {
    fn go(
        threads: &[&[&str]],
        at: &mut Vec<usize>,
        queue: VecDeque<i64>,
        seen: &mut Observation,
        all: &mut BTreeSet<Observation>,
        count: &mut u64,
    ) {
        if at.iter().zip(threads).all(|(at, thread)| *at == thread.len()) {
            all.insert(seen.clone());
            *count += 1;
            return;
        }
        for thread in 0..threads.len() {
            let Some(operation) = threads[thread].get(at[thread]) else { continue };
            at[thread] += 1;
            let values: &[i64] = if *operation == "enq" { &[0, 1] } else { &[0] };
            for value in values {
                let mut queue = queue.clone();
                seen[thread + 1].push(if *operation == "enq" {
                    queue.push_back(*value);
                    shown("enq", "v", *value)
                } else {
                    shown("deq", "r", queue.pop_front().unwrap_or(9))
                });
                go(threads, at, queue, seen, all, count);
                seen[thread + 1].pop();
            }
            at[thread] -= 1;
        }
    }
    let mut seen: Observation = vec![Vec::new(); threads.len() + 1];
    seen[0] = vec![Shown { operation: "make".into(), values: Vec::new() }];
    let (mut all, mut count) = (BTreeSet::new(), 0);
    go(threads, &mut vec![0; threads.len()], VecDeque::new(), &mut seen, &mut all, &mut count);
    (all, count)
}

#[test]
fn a_queue_shows_what_a_queue_of_the_host_shows() {
    let tests: [&[&[&str]]; 4] = [
        &[&["enq"], &["deq"]],
        &[&["enq", "deq"], &["enq", "deq"]],
        &[&["enq", "enq", "enq"], &["deq", "deq"], &["deq"]],
        &[&["enq", "enq", "enq", "enq"], &["deq", "deq", "deq", "deq"]],
    ];
    for threads in tests {
        let mined = mine(&queue(threads));
        let (all, count) = brute_force(threads);
        assert_eq!(mined.observations, all);
        assert_eq!(mined.executions, count);
        assert_eq!((mined.failure, mined.incomplete), (None, None));
    }
}

#[test]
fn many_operations_are_mined_fast() {
    let started = std::time::Instant::now();
    let mined = mine(&queue(&[&["enq"; 6], &["deq"; 6]]));
    assert_eq!(mined.executions, 924 * 64);
    let took = started.elapsed();
    let many = mine(&queue(&[&["enq"], &["enq"], &["enq"], &["enq"], &["deq"], &["deq"], &["deq"], &["deq"]]));
    assert_eq!(many.executions, 40_320 * 16);
    eprintln!(
        "6|6: {} in {took:?}; 8 threads: {} in {:?}",
        mined.observations.len(),
        many.observations.len(),
        started.elapsed() - took
    );
    assert!(started.elapsed().as_secs() < 5);
}

#[test]
fn rounds_of_loops_are_counted() {
    let text = "program loops
language IR
global x = 0:i32
function op() {
  registers n, c
  b0: %n := choose 0..3:i32 jump b1
  b1: branch %n, b2, b3
  b2: %n := sub %n, 1:i32 jump b1
  b3: jump b4
  b4: store &x, 1:i32 plain jump b5
  b5: %c := choose 0..0:i32 branch %c, b4, b6
  b6: return
}
function T() { b0: call @op() return }
thread T = @T()
";
    let iterations: Vec<(u32, u32, u32)> = mine(text).iterations.into_iter().map(|(f, b, n)| (f.0, b.0, n)).collect();
    assert_eq!(iterations, [(0, 1, 3), (0, 4, 1)]);
}

#[test]
fn an_error_in_a_serial_run_is_a_failure_with_its_schedule() {
    let text = "program bad
language IR
global x = 0:i32
function set() { b0: store &x, 1:i32 plain return }
function check() {
  registers r, c
  b0: %r := load &x plain
    %c := eq %r, 0:i32
    assert %c, \"x is 0\"
    return
}
function A() { b0: call @set() return }
function B() { b0: call @check() return }
thread A = @A()
thread B = @B()
";
    let failure = mine(text).failure.expect("a failure");
    assert_eq!(failure.message, "x is 0");
    let names: Vec<&str> = failure.schedule.iter().map(|(_, name)| &**name).collect();
    assert_eq!(names, ["set", "check"]);
}

#[test]
fn an_operation_that_waits_is_run_later_and_one_that_never_can_is_a_failure() {
    let text = |start: &str| {
        format!(
            "program wait
language IR
global x = {start}
function set() {{ b0: store &x, 1:i32 plain return }}
function take() {{
  registers r
  b0: atomic_begin
    %r := load &x plain
    await %r
    store &x, 0:i32 plain
    atomic_end
    observe taken, %r
    return
}}
function A() {{ b0: call @set() return }}
function B() {{ b0: call @take() call @take() return }}
thread A = @A()
thread B = @B()
"
        )
    };
    let mined = mine(&text("1:i32"));
    assert_eq!(
        mined.failure.map(|failure| failure.message),
        Some("no operation can be completed: each waits for another".into())
    );
    let mined = mine(&text("1:i32").replace("call @take() call @take()", "call @take()").replace("x = 1", "x = 0"));
    assert_eq!((mined.observations.len(), mined.executions, mined.failure), (1, 1, None));
}

#[test]
fn a_thread_that_does_more_than_call_is_refused() {
    let text = "program no\nlanguage IR\nglobal x = 0:i32\nfunction A() { b0: store &x, 1:i32 plain return }\nthread A = @A()\n";
    assert!(observations(&program(text), &Limits::default()).is_err());
}
