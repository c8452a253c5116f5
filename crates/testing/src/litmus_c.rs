//! Random litmus tests in C, and all their executions by brute force: every choice of reads-from and of coherence is judged by
//! the axioms of a model alone, without any engine.

use std::collections::BTreeSet;
use std::fmt::Write;

use axiomatic::broken_axioms;
use axiomatic::model::AxiomKind;
use program::{Access, Event, EventId, EventKind, Execution, Order, Pointer, ThreadId, Value};

use crate::random::Random;

fn one_of<T: Copy>(random: &mut Random, choices: &[T]) -> T {
    choices[random.below(choices.len() as u64) as usize]
}

/// A statement of a random litmus test. Locations are 0 (`x`), 1 (`y`) and 2 (`z`, which is plain).
#[derive(Clone, Copy, Debug)]
pub enum Statement {
    /// A load from a location.
    Load(u32, Order),
    /// A store of a number.
    Store(u32, i64, Order),
    /// An addition of one.
    Add(u32, Order),
    /// An exchange.
    Exchange(u32, i64, Order),
    /// A compare-exchange: what is expected, what is written, and the orders if it succeeds and if it fails.
    CompareExchange(u32, i64, i64, Order, Order),
    /// A fence.
    Fence(Order),
}

use Order::{Acquire, AcquireRelease, Plain, Relaxed, Release, SeqCst};
use Statement::{Add, CompareExchange, Exchange, Fence, Load, Store};

fn statement(random: &mut Random, plain: bool) -> Statement {
    let location = random.below(2) as u32;
    let value = 1 + random.below(2) as i64;
    let update = one_of(random, &[Relaxed, Acquire, Release, AcquireRelease, SeqCst]);
    match random.below(if plain { 14 } else { 11 }) {
        0..=2 => Load(location, one_of(random, &[Relaxed, Acquire, SeqCst])),
        3..=5 => Store(location, value, one_of(random, &[Relaxed, Release, SeqCst])),
        6 => Add(location, update),
        7 => Exchange(location, value, update),
        8 | 9 => {
            let expected = random.below(2) as i64;
            CompareExchange(location, expected, value + 2, update, one_of(random, &[Relaxed, Acquire, SeqCst]))
        }
        10 => Fence(one_of(random, &[Acquire, Release, AcquireRelease, SeqCst])),
        11 => Load(2, Plain),
        _ => Store(2, value, Plain),
    }
}

/// The threads of a random litmus test, with so many statements each at most.
pub fn threads(random: &mut Random, most: u64) -> Vec<Vec<Statement>> {
    let plain = random.below(3) == 0;
    let count = 2 + random.below(2);
    (0..count).map(|_| (0..1 + random.below(most)).map(|_| statement(random, plain)).collect()).collect()
}

fn name(location: u32) -> &'static str {
    ["x", "y", "z"][location as usize]
}

fn spelt(order: Order) -> &'static str {
    match order {
        Acquire => "memory_order_acquire",
        Release => "memory_order_release",
        AcquireRelease => "memory_order_acq_rel",
        SeqCst => "memory_order_seq_cst",
        _ => "memory_order_relaxed",
    }
}

/// The test as text, with all registers and locations observed.
pub fn litmus(threads: &[Vec<Statement>]) -> String {
    let mut text = String::from("C random\n{}\n");
    let mut observed = vec!["x".to_string(), "y".into(), "z".into()];
    for (thread, statements) in threads.iter().enumerate() {
        let _ = writeln!(text, "P{thread} (atomic_int* x, atomic_int* y, int* z) {{");
        for (number, statement) in statements.iter().enumerate() {
            let register = format!("r{number}");
            let line = match *statement {
                Load(2, _) => format!("int {register} = *z;"),
                Load(at, order) => {
                    format!("int {register} = atomic_load_explicit({}, {});", name(at), spelt(order))
                }
                Store(2, value, _) => format!("*z = {value};"),
                Store(at, value, order) => {
                    format!("atomic_store_explicit({}, {value}, {});", name(at), spelt(order))
                }
                Add(at, order) => {
                    format!("int {register} = atomic_fetch_add_explicit({}, 1, {});", name(at), spelt(order))
                }
                Exchange(at, value, order) => {
                    format!("int {register} = atomic_exchange_explicit({}, {value}, {});", name(at), spelt(order))
                }
                CompareExchange(at, expected, desired, order, failure) => format!(
                    "int e{number} = {expected}; int {register} = atomic_compare_exchange_strong_explicit({}, &e{number}, \
                     {desired}, {}, {});",
                    name(at),
                    spelt(order),
                    spelt(failure)
                ),
                Fence(order) => format!("atomic_thread_fence({});", spelt(order)),
            };
            let _ = writeln!(text, "  {line}");
            if !matches!(statement, Store(..) | Fence(_)) {
                observed.push(format!("{thread}:{register}"));
            }
        }
        text.push_str("}\n");
    }
    let _ = writeln!(text, "locations [{};]\nexists (x=1)", observed.join(";"));
    text
}

/// An access or fence before it is known what it reads.
#[derive(Clone, Copy)]
struct Slot {
    thread: u32,
    statement: Statement,
}

fn location(statement: Statement) -> Option<u32> {
    match statement {
        Load(at, _) | Store(at, ..) | Add(at, _) | Exchange(at, ..) | CompareExchange(at, ..) => Some(at),
        Fence(_) => None,
    }
}

fn reads(statement: Statement) -> bool {
    !matches!(statement, Store(..) | Fence(_))
}

/// What a statement writes that has read a value.
fn written(statement: Statement, read: i64) -> Option<i64> {
    match statement {
        Store(_, value, _) | Exchange(_, value, _) => Some(value),
        Add(..) => Some(read + 1),
        CompareExchange(_, expected, desired, ..) => (read == expected).then_some(desired),
        Load(..) | Fence(_) => None,
    }
}

/// What there is by brute force.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct There {
    /// How many pairs of reads-from and coherence the model allows.
    pub executions: u64,
    /// What slots read and what locations hold in the end: one of each for each final state that is observed.
    pub states: BTreeSet<(Vec<i64>, Vec<i64>)>,
    /// Whether the model flags some of them.
    pub is_flagged: bool,
}

/// At most as many pairs of reads-from and coherence brute force would look at.
pub fn candidates(threads: &[Vec<Statement>]) -> u64 {
    let at = |place: u32| threads.iter().flatten().filter(move |statement| location(**statement) == Some(place));
    let of_location = |place: u32| {
        let writes = at(place).filter(|statement| !matches!(statement, Load(..))).count() as u64;
        let sources = |statement: &Statement| if matches!(statement, Load(..)) { writes + 1 } else { writes };
        let reads = at(place).filter(|statement| reads(**statement)).map(sources);
        (1..=writes).chain(reads).fold(1, u64::saturating_mul)
    };
    (0..3).map(of_location).fold(1, u64::saturating_mul)
}

/// All pairs of reads-from and coherence that the model allows, judged by its axioms alone.
pub fn brute_force(threads: &[Vec<Statement>], model: &axiomatic::Model) -> There {
    let slots: Vec<Slot> = threads
        .iter()
        .enumerate()
        .flat_map(|(thread, of)| of.iter().map(move |&statement| Slot { thread: thread as u32, statement }))
        .collect();
    // A flag that were an axiom would be broken by the executions that are not flagged.
    let mut judge = model.clone();
    judge.axioms.iter_mut().for_each(|axiom| axiom.kind = AxiomKind::Require);
    let is_flag = |name: &String| model.axioms.iter().any(|axiom| axiom.kind == AxiomKind::Flag && axiom.name == *name);
    let flags = model.axioms.iter().filter(|axiom| axiom.kind == AxiomKind::Flag).count();
    let readers: Vec<usize> = (0..slots.len()).filter(|slot| reads(slots[*slot].statement)).collect();
    let mut sources: Vec<Option<usize>> = vec![None; slots.len()];
    let mut there = There::default();
    each_source(&slots, &readers, &mut sources, &mut |sources| {
        let Some(values) = values(&slots, sources) else { return };
        each_coherence(&slots, &values, &mut |orders| {
            let broken = broken_axioms(&execution(&slots, sources, &values, orders), &judge);
            if broken.iter().all(is_flag) {
                there.executions += 1;
                there.is_flagged |= broken.len() < flags;
                there.states.insert(final_state(&slots, &values, orders));
            }
        });
    });
    there
}

/// What is observed: the register of a compare-exchange says whether it succeeds.
fn final_state(slots: &[Slot], values: &[(i64, Option<i64>)], orders: &[Vec<usize>]) -> (Vec<i64>, Vec<i64>) {
    let register = |(slot, (read, written)): (&Slot, &(i64, Option<i64>))| match slot.statement {
        CompareExchange(..) => Some(i64::from(written.is_some())),
        statement => reads(statement).then_some(*read),
    };
    let last = |order: &Vec<usize>| order.last().and_then(|slot| values[*slot].1).unwrap_or(0);
    (slots.iter().zip(values).filter_map(register).collect(), orders.iter().map(last).collect())
}

fn each_source(
    slots: &[Slot],
    readers: &[usize],
    sources: &mut Vec<Option<usize>>,
    visit: &mut dyn FnMut(&[Option<usize>]),
) {
    let Some((reader, rest)) = readers.split_first() else { return visit(sources) };
    let at = location(slots[*reader].statement);
    sources[*reader] = None;
    each_source(slots, rest, sources, visit);
    for (slot, of) in slots.iter().enumerate() {
        let writes = !matches!(of.statement, Load(..)) && location(of.statement) == at;
        if slot != *reader && writes {
            sources[*reader] = Some(slot);
            each_source(slots, rest, sources, visit);
        }
    }
    sources[*reader] = None;
}

/// What each slot reads and writes; nothing if values come out of thin air or a source does not write.
fn values(slots: &[Slot], sources: &[Option<usize>]) -> Option<Vec<(i64, Option<i64>)>> {
    let mut values: Vec<Option<(i64, Option<i64>)>> = vec![None; slots.len()];
    for _ in 0..=slots.len() {
        for (slot, of) in slots.iter().enumerate() {
            let read = match (reads(of.statement), sources[slot]) {
                (true, Some(source)) => match values[source] {
                    Some((_, written)) => written?,
                    None => continue,
                },
                _ => 0,
            };
            values[slot] = Some((read, written(of.statement, read)));
        }
    }
    values.into_iter().collect()
}

fn each_coherence(slots: &[Slot], values: &[(i64, Option<i64>)], visit: &mut dyn FnMut(&[Vec<usize>])) {
    fn permute(rest: &mut Vec<Vec<usize>>, done: &mut Vec<Vec<usize>>, visit: &mut dyn FnMut(&[Vec<usize>])) {
        let at = done.len() - 1;
        if rest[at].is_empty() {
            if done.len() == rest.len() {
                return visit(done);
            }
            done.push(Vec::new());
            permute(rest, done, visit);
            done.pop();
            return;
        }
        for index in 0..rest[at].len() {
            let chosen = rest[at].remove(index);
            done[at].push(chosen);
            permute(rest, done, visit);
            done[at].pop();
            rest[at].insert(index, chosen);
        }
    }
    let writes = |at: u32| {
        (0..slots.len())
            .filter(|slot| location(slots[*slot].statement) == Some(at) && values[*slot].1.is_some())
            .collect()
    };
    permute(&mut (0..3).map(writes).collect(), &mut vec![Vec::new()], visit);
}

/// The execution with these values, sources and coherence orders.
fn execution(
    slots: &[Slot],
    sources: &[Option<usize>],
    values: &[(i64, Option<i64>)],
    orders: &[Vec<usize>],
) -> Execution {
    let mut made = Execution::default();
    let event = |thread: Option<u32>, kind, cell: Option<u32>, value: Option<i64>, access, atomic| Event {
        thread: thread.map(ThreadId),
        kind,
        cell: cell.map(Pointer::to),
        value: value.map(|value| Value::int(value, 32)),
        access,
        span: None,
        atomic,
        operation: None,
    };
    for at in 0..3 {
        made.events.push(event(None, EventKind::Write, Some(at), Some(0), Access::plain(), None));
    }
    let mut ids: Vec<(Option<EventId>, Option<EventId>)> = Vec::new();
    for (slot, of) in slots.iter().enumerate() {
        let (read, write) = values[slot];
        let (order, failure) = match of.statement {
            Load(_, order) | Store(_, _, order) | Add(_, order) | Exchange(_, _, order) | Fence(order) => {
                (order, order)
            }
            CompareExchange(_, _, _, order, failure) => (order, failure),
        };
        let at = location(of.statement);
        let is_update = reads(of.statement) && write.is_some();
        let atomic = is_update.then_some(slot as u32);
        let mut add = |kind, value, order| {
            // Accesses of read-modify-writes are told from others, also if they fail.
            let is_plain_load = !reads(of.statement) || matches!(of.statement, Load(..));
            let access = if is_plain_load { Access::ordered(order) } else { Access::ordered(order).tagged("X") };
            made.events.push(event(Some(of.thread), kind, at, value, access, atomic));
            Some(EventId(made.events.len() as u32 - 1))
        };
        let read_id = match reads(of.statement) {
            true => add(EventKind::Read, Some(read), if write.is_some() { order } else { failure }),
            false => None,
        };
        let write_id = write.and_then(|value| add(EventKind::Write, Some(value), order));
        if at.is_none() {
            add(EventKind::Fence, None, order);
        }
        if let (Some(read), Some(write)) = (read_id, write_id) {
            made.rmw.push((read, write));
        }
        ids.push((read_id, write_id));
    }
    for (slot, of) in slots.iter().enumerate() {
        let (Some(read), Some(at)) = (ids[slot].0, location(of.statement)) else { continue };
        let source = sources[slot].map_or(Some(EventId(at)), |source| ids[source].1);
        made.rf.extend(source.map(|source| (source, read)));
    }
    for (at, order) in orders.iter().enumerate() {
        let writes: Vec<EventId> =
            [EventId(at as u32)].into_iter().chain(order.iter().filter_map(|slot| ids[*slot].1)).collect();
        for (place, earlier) in writes.iter().enumerate() {
            made.co.extend(writes[place + 1..].iter().map(|later| (*earlier, *later)));
        }
    }
    made
}
