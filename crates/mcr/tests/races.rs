//! Races against a brute force that writes happens-before down as a relation.

use std::collections::BTreeSet;

use mcr::histories::explore::Alone;
use operational::{Limits, Machine, Rules, races, replay};
use program::{Verified, verify};

fn program(text: &str) -> Verified {
    let text = format!("program test\nlanguage IR\n{text}");
    let program = program::text::parse("test.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}"))
}

/// The races, each as the texts of its two statements.
fn found(text: &str, rules: Rules) -> BTreeSet<[String; 2]> {
    let program = program(text);
    let races = races(&program, Machine::Sc, rules, &Limits::default()).unwrap_or_else(|what| panic!("{what:?}"));
    assert_eq!(races.incomplete, None);
    let words = |span: Option<program::Span>| program.sources.words(span.expect("a span"));
    let mut all = BTreeSet::new();
    for race in &races.races {
        let mut pair = [words(race.first.span), words(race.second.span)];
        pair.sort();
        all.insert(pair);
        let (machine, reduction) = (Machine::Sc, operational::Reduction::Persistent);
        replay(&program, machine, reduction, &race.schedule, &Limits::default()).expect("the schedule runs");
    }
    all
}

/// The pairs of accesses that race, found class by class.
fn found_by_class(text: &str, rules: Rules) -> BTreeSet<[String; 2]> {
    let program = program(text);
    let found = mcr::histories::race::races(&program, Machine::Sc, rules, &mcr::Options::default(), &Alone::default());
    let races = found.unwrap_or_else(|what| panic!("{what:?}")).races;
    assert_eq!(races.incomplete, None, "{text}");
    let words = |span: Option<program::Span>| program.sources.words(span.expect("a span"));
    let mut all = BTreeSet::new();
    for race in &races.races {
        let mut pair = [words(race.first.span), words(race.second.span)];
        pair.sort();
        all.insert(pair);
        replay(&program, Machine::Sc, race.reduction, &race.schedule, &Limits::default()).expect("the schedule runs");
    }
    all
}

fn message_passing(store: &str, load: &str) -> String {
    format!(
        "global x = 0:i32 global f = 0:i32
function P0() {{ b0: store &x, 1:i32 plain store &f, 1:i32 {store} return }}
function P1() {{ registers r, s b0: %r := load &f {load} branch %r, b1, b2 b1: %s := load &x plain return b2: return }}
thread P0 = @P0()
thread P1 = @P1()
"
    )
}

#[test]
fn a_flag_orders_the_data_if_it_synchronizes() {
    let count = |store: &str, load: &str, rules: Rules| {
        let text = message_passing(store, load);
        assert_eq!(found(&text, rules), found_by_class(&text, rules), "{rules:?} {store} {load}");
        found(&text, rules).len()
    };
    for rules in [Rules::Jmm, Rules::C11] {
        assert_eq!(count("plain", "plain", rules), 2);
        assert_eq!(count("relaxed", "relaxed", rules), 1);
        assert_eq!(count("release", "relaxed", rules), 1);
        assert_eq!(count("release", "acquire", rules), 0);
        assert_eq!(count("seq_cst", "seq_cst", rules), 0);
    }
}

/// Two threads that take a lock made of an atomic block, write, and give it back by `release`.
fn spin_lock(release: &str) -> String {
    let thread = |name: &str| {
        format!(
            "function {name}() {{ registers r, c b0: atomic_begin %r := load &l plain %c := is_false %r await %c
             store &l, 1:i32 plain atomic_end store &x, 1:i32 plain {release} return }}\n"
        )
    };
    format!("global x = 0:i32 global l = 0:i32\n{}{}thread P0 = @P0()\nthread P1 = @P1()\n", thread("P0"), thread("P1"))
}

#[test]
fn atomic_blocks_are_atomic_and_order_what_they_pass_on() {
    for rules in [Rules::Jmm, Rules::C11] {
        let in_block = "atomic_begin store &l, 0:i32 plain atomic_end";
        assert_eq!(found(&spin_lock(in_block), rules), BTreeSet::new());
        assert_eq!(found_by_class(&spin_lock(in_block), rules), BTreeSet::new());
        // A plain release races with the block's accesses of the lock, and passes nothing on.
        let races = found(&spin_lock("store &l, 0:i32 plain"), rules);
        assert_eq!(races.len(), 4, "{races:?}");
        let mixed = "global x = 0:i32
function P0() { b0: atomic_begin store &x, 1:i32 plain atomic_end return }
function P1() { registers r b0: %r := load &x plain return }
thread P0 = @P0()
thread P1 = @P1()
";
        assert_eq!(found(mixed, rules).len(), 1);
    }
}

#[test]
fn call_stacks_lead_to_the_accesses() {
    let text = "global x = 0:i32
function set() { b0: store &x, 1:i32 plain return }
function twice() { b0: call @set() call @set() return }
thread P0 = @twice()
thread P1 = @set()
";
    let program = program(text);
    let races = races(&program, Machine::Sc, Rules::C11, &Limits::default()).expect("supported").races;
    assert_eq!(races.len(), 1);
    let (first, second) = (&races[0].first, &races[0].second);
    let outer = if first.thread == "P0" { first } else { second };
    let names: Vec<&str> = outer.stack.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((outer.thread.as_str(), names), ("P0", vec!["set", "twice"]));
    assert_eq!(races[0].cell, "x");
    assert!(outer.stack[0].1.is_some() && outer.stack[1].1.is_none());
}

#[test]
fn starting_and_joining_a_thread_orders() {
    let text = |join: &str| {
        format!(
            "global x = 0:i32
function child() {{ registers r b0: %r := load &x plain store &x, 2:i32 plain return }}
function main() {{ registers t b0: store &x, 1:i32 plain %t := spawn @child() {join} store &x, 3:i32 plain return }}
thread main = @main()
"
        )
    };
    assert_eq!(found(&text("join %t"), Rules::Jmm).len(), 0);
    assert_eq!(found(&text(""), Rules::Jmm).len(), 2);
}

#[test]
fn who_gives_memory_back_comes_before_its_next_owner() {
    let text = |gives: &str, looks: &str| {
        format!(
            "global p = 0:i32 global x = 0:i32
function prepare() {{ registers a b0: %a := allocate block = 0:i32 reuse store &p, %a plain return }}
function P0() {{ registers a b0: %a := load &p relaxed store &x, 1:i32 plain store %a, 1:i32 plain {gives} return }}
function P1() {{ registers a, b, c, r
  b0: %a := allocate block = 0:i32 reuse store %a, 2:i32 plain %b := load &p relaxed %c := {looks} branch %c, b1, b2
  b1: %r := load &x plain return
  b2: return }}
setup @prepare()
thread P0 = @P0()
thread P1 = @P1()
"
        )
    };
    let count = |gives: &str, looks: &str| {
        let text = text(gives, looks);
        for rules in [Rules::Jmm, Rules::C11] {
            assert_eq!(found(&text, rules), found_by_class(&text, rules), "{rules:?} {text}");
        }
        found(&text, Rules::C11).len()
    };
    // Who has the block that was freed comes after all that came before that, and after nothing else.
    assert_eq!(count("free %a", "eq %a, %b"), 0);
    assert_eq!(count("free %a", "copy 1:i32"), 1);
    assert_eq!(count("free %a store %a, 3:i32 plain", "eq %a, %b"), 1);
    assert_eq!(count("free %a store &x, 2:i32 plain", "eq %a, %b"), 1);
}

#[test]
fn loops_have_finitely_many_clocks() {
    let text = "global x = 0:i32 global m = 0:i32
function P() { registers r b0: jump b1 b1: lock &m %r := load &x plain %r := sub 1:i32, %r store &x, %r plain unlock &m jump b1 }
thread P = @P()
thread Q = @P()
";
    assert_eq!(found(text, Rules::Jmm).len(), 0);
    assert_eq!(found(&text.replace("unlock &m", "").replace("lock &m", ""), Rules::Jmm).len(), 2);
}

/// A small generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Load,
    Store,
    Exchange,
    Fence,
    Lock,
    Unlock,
}

#[derive(Clone, Copy, Debug)]
struct Statement {
    thread: usize,
    number: usize,
    kind: Kind,
    cell: usize,
    order: &'static str,
}

const CELLS: [&str; 2] = ["x", "y"];

impl Statement {
    /// Every statement has a text of its own.
    fn text(&self) -> String {
        let (name, order) = (CELLS[self.cell], self.order);
        let number = 10 * self.thread + self.number;
        match self.kind {
            Kind::Load => format!("%r{number} := load &{name} {order}"),
            Kind::Store => format!("store &{name}, {number}:i32 {order}"),
            Kind::Exchange => format!("%r{number} := exchange &{name}, {number}:i32 {order}"),
            Kind::Fence => format!("fence {order}"),
            Kind::Lock => "lock &m".into(),
            Kind::Unlock => "unlock &m".into(),
        }
    }

    fn acquires(&self) -> bool {
        ["acquire", "acq_rel", "seq_cst"].contains(&self.order)
    }

    fn releases(&self) -> bool {
        ["release", "acq_rel", "seq_cst"].contains(&self.order)
    }

    fn reads(&self) -> bool {
        matches!(self.kind, Kind::Load | Kind::Exchange)
    }

    fn writes(&self) -> bool {
        matches!(self.kind, Kind::Store | Kind::Exchange)
    }

    fn is_atomic(&self) -> bool {
        self.order != "plain" || self.kind == Kind::Exchange
    }
}

fn random_threads(random: &mut Random) -> Vec<Vec<Statement>> {
    let threads = 2 + random.below(2);
    let length = if threads == 2 { 4 } else { 3 };
    let mut all = Vec::new();
    for thread in 0..threads {
        let mut statements: Vec<Statement> = Vec::new();
        let mut add = |kind: Kind, cell: usize, order: &'static str| {
            let number = statements.len();
            statements.push(Statement { thread, number, kind, cell, order });
        };
        let locks = random.below(4) == 0;
        if locks {
            add(Kind::Lock, 0, "plain");
        }
        for _ in 0..length - 2 * usize::from(locks) {
            let cell = random.below(2);
            let pick = |random: &mut Random, orders: &[&'static str]| orders[random.below(orders.len())];
            match random.below(8) {
                0..=2 => add(Kind::Load, cell, pick(random, &["plain", "plain", "relaxed", "acquire", "seq_cst"])),
                3..=5 => add(Kind::Store, cell, pick(random, &["plain", "plain", "relaxed", "release", "seq_cst"])),
                6 => add(Kind::Exchange, cell, pick(random, &["relaxed", "acquire", "release", "acq_rel", "seq_cst"])),
                _ => add(Kind::Fence, 0, pick(random, &["acquire", "release", "acq_rel", "seq_cst"])),
            }
        }
        if locks {
            add(Kind::Unlock, 0, "plain");
        }
        all.push(statements);
    }
    all
}

fn text_of(threads: &[Vec<Statement>]) -> String {
    let mut text = String::from("global x = 0:i32 global y = 0:i32 global m = 0:i32\n");
    for (index, statements) in threads.iter().enumerate() {
        let registers: Vec<String> = (0..5).map(|number| format!("r{}", 10 * index + number)).collect();
        let code: Vec<String> = statements.iter().map(Statement::text).collect();
        text.push_str(&format!("function P{index}() {{\n  registers {}\n  b0:\n    ", registers.join(", ")));
        text.push_str(&format!("{}\n    return\n}}\n", code.join("\n    ")));
    }
    (0..threads.len()).for_each(|index| text.push_str(&format!("thread P{index} = @P{index}()\n")));
    text
}

/// The pairs of positions in a trace such that the first synchronizes with the second.
fn synchronizes(trace: &[Statement], rules: Rules) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (b, second) in trace.iter().enumerate() {
        for (a, first) in trace[..b].iter().enumerate() {
            let monitors = first.kind == Kind::Unlock && second.kind == Kind::Lock;
            let same = first.cell == second.cell && first.order == "seq_cst" && second.order == "seq_cst";
            let volatiles = rules == Rules::Jmm && same && first.writes() && second.reads();
            if monitors || volatiles {
                pairs.push((a, b));
            }
        }
        if !second.reads() || !second.is_atomic() {
            continue;
        }
        let writes: Vec<usize> = (0..b).filter(|&w| trace[w].writes() && trace[w].cell == second.cell).collect();
        // Walk the release sequence back from the write that is read.
        for (place, &head) in writes.iter().enumerate() {
            let continues = |w: &usize| trace[*w].thread == trace[head].thread || trace[*w].kind == Kind::Exchange;
            if !trace[head].is_atomic() || !writes[place + 1..].iter().all(continues) {
                continue;
            }
            let is_fence = |f: &usize, thread: usize| trace[*f].kind == Kind::Fence && trace[*f].thread == thread;
            let fences = (0..head).filter(|f| is_fence(f, trace[head].thread) && trace[*f].releases());
            let sources: Vec<usize> = fences.chain(trace[head].releases().then_some(head)).collect();
            let fences = (b..trace.len()).filter(|f| is_fence(f, second.thread) && trace[*f].acquires());
            let targets: Vec<usize> = fences.chain(second.acquires().then_some(b)).collect();
            pairs.extend(sources.iter().flat_map(|&s| targets.iter().map(move |&t| (s, t))));
        }
    }
    pairs
}

fn races_of_trace(trace: &[Statement], rules: Rules, all: &mut BTreeSet<[String; 2]>) {
    let size = trace.len();
    let mut before = vec![vec![false; size]; size];
    for b in 0..size {
        (0..b).filter(|&a| trace[a].thread == trace[b].thread).for_each(|a| before[a][b] = true);
    }
    synchronizes(trace, rules).into_iter().for_each(|(a, b)| before[a][b] = true);
    for k in 0..size {
        for a in 0..size {
            for b in 0..size {
                before[a][b] |= before[a][k] && before[k][b];
            }
        }
    }
    for b in 0..size {
        for a in 0..b {
            let (first, second) = (&trace[a], &trace[b]);
            let is_access = |s: &Statement| s.reads() || s.writes();
            let conflict = is_access(first) && is_access(second) && first.cell == second.cell;
            let conflict = conflict && (first.writes() || second.writes()) && first.thread != second.thread;
            if conflict && !(first.is_atomic() && second.is_atomic()) && !before[a][b] {
                let mut pair = [first.text(), second.text()];
                pair.sort();
                all.insert(pair);
            }
        }
    }
}

fn interleave(
    threads: &[Vec<Statement>],
    at: &mut Vec<usize>,
    trace: &mut Vec<Statement>,
    visit: &mut dyn FnMut(&[Statement]),
) {
    let mut is_end = true;
    for thread in 0..threads.len() {
        let Some(next) = threads[thread].get(at[thread]) else { continue };
        let held = trace.iter().filter(|s| s.kind == Kind::Lock).count()
            > trace.iter().filter(|s| s.kind == Kind::Unlock).count();
        if next.kind == Kind::Lock && held {
            continue;
        }
        is_end = false;
        at[thread] += 1;
        trace.push(*next);
        interleave(threads, at, trace, visit);
        trace.pop();
        at[thread] -= 1;
    }
    if is_end {
        visit(trace);
    }
}

#[test]
fn races_are_those_of_the_relation() {
    let mut random = Random(99);
    let (mut with, mut without) = (0, 0);
    for _ in 0..150 {
        let threads = random_threads(&mut random);
        for rules in [Rules::Jmm, Rules::C11] {
            let mut expected = BTreeSet::new();
            let visit = &mut |trace: &[Statement]| races_of_trace(trace, rules, &mut expected);
            interleave(&threads, &mut vec![0; threads.len()], &mut Vec::new(), visit);
            let text = text_of(&threads);
            assert_eq!(found(&text, rules), expected, "{rules:?}\n{text}");
            assert_eq!(found_by_class(&text, rules), expected, "by class, {rules:?}\n{text}");
            if expected.is_empty() { without += 1 } else { with += 1 }
        }
    }
    assert!(with > 20 && without > 20, "{with} with races, {without} without");
}
