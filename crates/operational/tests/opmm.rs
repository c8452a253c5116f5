//! The machine jmm_under against OpMM by definition: interleavings in which a plain read sees any past write that no other
//! write comes between in happens-before, which is written down as a relation here.

use std::collections::BTreeSet;

use operational::{Machine, Options, Reduction, check, outcomes};
use program::{EventKind, Property, Value, Verdict, Verified, verify};

fn program(text: &str) -> Verified {
    let text = format!("program test\nlanguage IR\n{text}");
    let program = program::text::parse("test.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}"))
}

fn verdict(text: &str) -> Verdict {
    let options = Options { property: Property::Always, ..Options::default() };
    check(&program(text), Machine::JmmUnder, &options).unwrap_or_else(|what| panic!("{what:?}")).outcome.verdict
}

fn two(first: &str, second: &str, question: &str) -> String {
    format!(
        "global x = 0:i32 global y = 0:i32 global m = 0:i32
function P0() {{ registers r, s b0: {first} return }}
function P1() {{ registers r, s b0: {second} return }}
thread P0 = @P0()
thread P1 = @P1()
exists {question}
"
    )
}

#[test]
fn what_java_allows_is_found_unless_it_needs_the_future() {
    let passing = |flag: &str| {
        let reader = format!("%r := load &y {flag} %s := load &x plain");
        two(&format!("store &x, 1:i32 plain store &y, 1:i32 {flag}"), &reader, "1:%r == 1:i32 and 1:%s == 0:i32")
    };
    assert_eq!(verdict(&passing("plain")), Verdict::Allowed);
    // An under-approximation never says forbidden.
    assert!(matches!(verdict(&passing("seq_cst")), Verdict::Unknown(_)));
    let store_buffer = |order: &str| {
        let thread = |mine: &str, other: &str| format!("store &{mine}, 1:i32 {order} %r := load &{other} {order}");
        two(&thread("x", "y"), &thread("y", "x"), "0:%r == 0:i32 and 1:%r == 0:i32")
    };
    assert_eq!(verdict(&store_buffer("plain")), Verdict::Allowed);
    assert!(matches!(verdict(&store_buffer("seq_cst")), Verdict::Unknown(_)));
    let back =
        two("store &x, 1:i32 plain", "%r := load &x plain %s := load &x plain", "1:%r == 1:i32 and 1:%s == 0:i32");
    assert_eq!(verdict(&back), Verdict::Allowed);
    let own = two("store &x, 1:i32 plain %r := load &x plain", "", "0:%r == 0:i32");
    assert!(matches!(verdict(&own), Verdict::Unknown(_)));
    let future = two(
        "%r := load &x plain store &y, 1:i32 plain",
        "%r := load &y plain store &x, 1:i32 plain",
        "0:%r == 1:i32 and 1:%r == 1:i32",
    );
    assert!(matches!(verdict(&future), Verdict::Unknown(_)));
}

fn peterson(order: &str) -> String {
    let thread = |me: usize, other: usize| {
        format!(
            "function P{me}() {{ registers r, c
  b0: store &flag[{me}], 1:i32 {order} store &turn, {other}:i32 {order} jump b1
  b1: %r := load &flag[{other}] {order} branch %r, b2, b3
  b2: %r := load &turn {order} %c := eq %r, {other}:i32 branch %c, b1, b3
  b3: %r := load &inside seq_cst %c := eq %r, 0:i32 assert %c, \"alone\" store &inside, 1:i32 seq_cst
    store &inside, 0:i32 seq_cst store &flag[{me}], 0:i32 {order} return
}}
"
        )
    };
    format!(
        "global flag = 0:i32 global turn = 0:i32 global inside = 0:i32\n{}{}thread P0 = @P0()\nthread P1 = @P1()\n",
        thread(0, 1),
        thread(1, 0)
    )
}

#[test]
fn peterson_needs_volatile_variables() {
    assert_eq!(verdict(&peterson("plain")), Verdict::Violated);
    let answer = check(&program(&peterson("seq_cst")), Machine::JmmUnder, &Options::default()).expect("supported");
    assert!(matches!(answer.outcome.verdict, Verdict::Unknown(_)));
    assert_eq!(answer.explored.incomplete, None);
}

#[test]
fn an_object_published_without_synchronization_may_show_its_default() {
    let text = |order: &str| {
        format!(
            "global shared = 0:i32
function P0() {{ registers p, f b0: %p := allocate Box = 0:i32 %f := offset %p, 0:i32 store %f, 42:i32 plain store &shared, %p {order} return }}
function P1() {{ registers p, f, v, c b0: %p := load &shared {order} branch %p, b1, b2
  b1: %f := offset %p, 0:i32 %v := load %f plain %c := eq %v, 42:i32 assert %c, \"whole\" return
  b2: return }}
thread P0 = @P0()
thread P1 = @P1()
"
        )
    };
    assert_eq!(verdict(&text("plain")), Verdict::Violated);
    assert!(matches!(verdict(&text("seq_cst")), Verdict::Unknown(_)));
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Load,
    Store,
    Lock,
    Unlock,
}

#[derive(Clone, Copy)]
struct Action {
    thread: usize,
    number: usize,
    kind: Kind,
    cell: usize,
    volatile: bool,
    value: i64,
}

fn random_threads(random: &mut Random) -> Vec<Vec<Action>> {
    let threads = 2 + random.below(2);
    let mut all = Vec::new();
    for thread in 0..threads {
        let mut actions: Vec<Action> = Vec::new();
        let mut add = |kind: Kind, cell: usize, value: i64| {
            actions.push(Action { thread, number: actions.len(), kind, cell, volatile: cell == 2, value });
        };
        let locks = random.below(3) == 0;
        if locks {
            add(Kind::Lock, 0, 0);
        }
        for _ in 0..if threads == 2 { 4 } else { 3 } - usize::from(locks) {
            let kind = if random.below(2) == 0 { Kind::Load } else { Kind::Store };
            add(kind, random.below(3), 1 + random.below(2) as i64);
        }
        if locks {
            add(Kind::Unlock, 0, 0);
        }
        all.push(actions);
    }
    all
}

const CELLS: [&str; 3] = ["x", "y", "v"];

fn text_of(threads: &[Vec<Action>]) -> String {
    let mut text = String::from("global x = 0:i32 global y = 0:i32 global v = 0:i32 global m = 0:i32\n");
    let mut observed = Vec::new();
    for (index, actions) in threads.iter().enumerate() {
        let mut code = String::new();
        for action in actions {
            let (cell, order) = (CELLS[action.cell], if action.volatile { "seq_cst" } else { "plain" });
            code.push_str(&match action.kind {
                Kind::Load => {
                    observed.push(format!("{index}:%r{}", action.number));
                    format!("%r{} := load &{cell} {order} ", action.number)
                }
                Kind::Store => format!("store &{cell}, {}:i32 {order} ", action.value),
                Kind::Lock => "lock &m ".into(),
                Kind::Unlock => "unlock &m ".into(),
            });
        }
        let registers: Vec<String> = (0..6).map(|number| format!("r{number}")).collect();
        text.push_str(&format!("function P{index}() {{ registers {} b0: {code} return }}\n", registers.join(", ")));
    }
    (0..threads.len()).for_each(|index| text.push_str(&format!("thread P{index} = @P{index}()\n")));
    let observed = if observed.is_empty() { String::new() } else { format!("observed {}", observed.join(", ")) };
    format!("{text}exists true {observed}\n")
}

/// An action and the value it read or wrote.
type Trace = Vec<(Action, i64)>;

fn happens_before(trace: &[(Action, i64)]) -> Vec<Vec<bool>> {
    let size = trace.len();
    let mut before = vec![vec![false; size]; size];
    for b in 0..size {
        for a in 0..b {
            let (first, second) = (&trace[a].0, &trace[b].0);
            let volatile = first.volatile && second.volatile && first.kind == Kind::Store && second.kind == Kind::Load;
            let monitor = first.kind == Kind::Unlock && second.kind == Kind::Lock;
            before[a][b] = first.thread == second.thread || volatile || monitor;
        }
    }
    for k in 0..size {
        for a in 0..size {
            for b in 0..size {
                before[a][b] |= before[a][k] && before[k][b];
            }
        }
    }
    before
}

/// The values that the last action of the trace, a load, may see.
fn visible(trace: &[(Action, i64)]) -> BTreeSet<i64> {
    let read = trace.len() - 1;
    let cell = trace[read].0.cell;
    let writes: Vec<usize> = (0..read).filter(|&w| trace[w].0.kind == Kind::Store && trace[w].0.cell == cell).collect();
    if trace[read].0.volatile {
        return [writes.last().map_or(0, |&w| trace[w].1)].into();
    }
    let before = happens_before(trace);
    let is_hidden = |w: usize| writes.iter().any(|&other| before[w][other] && before[other][read]);
    let mut values: BTreeSet<i64> = writes.iter().filter(|&&w| !is_hidden(w)).map(|&w| trace[w].1).collect();
    if !writes.iter().any(|&w| before[w][read]) {
        values.insert(0);
    }
    values
}

fn enumerate(threads: &[Vec<Action>], at: &mut Vec<usize>, trace: &mut Trace, all: &mut BTreeSet<Vec<i64>>) {
    if at.iter().zip(threads).all(|(at, thread)| *at == thread.len()) {
        let mut reads: Vec<(usize, usize, i64)> = trace
            .iter()
            .filter(|(action, _)| action.kind == Kind::Load)
            .map(|(action, value)| (action.thread, action.number, *value))
            .collect();
        reads.sort();
        all.insert(reads.into_iter().map(|(_, _, value)| value).collect());
        return;
    }
    for thread in 0..threads.len() {
        let Some(next) = threads[thread].get(at[thread]).copied() else { continue };
        let count = |kind: Kind| trace.iter().filter(|(action, _)| action.kind == kind).count();
        if next.kind == Kind::Lock && count(Kind::Lock) > count(Kind::Unlock) {
            continue;
        }
        at[thread] += 1;
        trace.push((next, next.value));
        let values = if next.kind == Kind::Load { visible(trace) } else { [next.value].into() };
        for value in values {
            trace.last_mut().expect("the action").1 = value;
            enumerate(threads, at, trace, all);
        }
        trace.pop();
        at[thread] -= 1;
    }
}

#[test]
fn reads_see_what_the_definition_says() {
    let mut random = Random(5);
    for _ in 0..60 {
        let threads = random_threads(&mut random);
        let mut expected = BTreeSet::new();
        enumerate(&threads, &mut vec![0; threads.len()], &mut Vec::new(), &mut expected);
        let program = program(&text_of(&threads));
        for reduction in [Reduction::Persistent, Reduction::None] {
            let options = Options { reduction, explain: true, ..Options::default() };
            let answer = outcomes(&program, Machine::JmmUnder, &options).unwrap_or_else(|what| panic!("{what:?}"));
            let states = answer.outcome.states.expect("states");
            let mut found = BTreeSet::new();
            for (state, witness) in states {
                let number = |value: &Value| if let Value::Int(int) = value { int.signed() } else { -1 };
                found.insert(state.iter().map(|(_, value)| number(value)).collect::<Vec<i64>>());
                let witness = witness.expect("a witness");
                // Each read has one source, and its value.
                let reads = witness.ids().filter(|id| witness.event(*id).kind == EventKind::Read);
                for read in reads {
                    let sources: Vec<_> = witness.rf.iter().filter(|(_, r)| *r == read).collect();
                    assert_eq!(sources.len(), 1);
                    assert_eq!(witness.event(sources[0].0).value, witness.event(read).value);
                }
            }
            assert_eq!(found, expected, "{reduction:?}\n{}", text_of(&threads));
        }
    }
}
