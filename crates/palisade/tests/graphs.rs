//! Execution graphs against the solver and against brute force: random litmus tests have the same final states and the same
//! flags under the engines axiomatic and mcr, and as many executions are explored as there are pairs of reads-from and
//! coherence that the model allows.

use std::collections::BTreeSet;
use std::fmt::Write;

use axiomatic::broken_axioms;
use palisade::{Engine, Mcr, Model, Options, Request, Task, Verdict, Wanted};
use program::{Access, Event, EventId, EventKind, Execution, Order, Pointer, ThreadId, Value};

/// Numbers that look random, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// A statement of a random litmus test. Locations are 0 (`x`), 1 (`y`) and 2 (`z`, which is plain).
#[derive(Clone, Copy, Debug)]
enum Statement {
    Load(u32, Order),
    Store(u32, i64, Order),
    Add(u32, Order),
    Exchange(u32, i64, Order),
    CompareExchange(u32, i64, i64, Order, Order),
    Fence(Order),
}

use Order::{Acquire, AcquireRelease, Plain, Relaxed, Release, SeqCst};
use Statement::{Add, CompareExchange, Exchange, Fence, Load, Store};

fn statement(random: &mut Random, plain: bool) -> Statement {
    let location = random.below(2) as u32;
    let value = 1 + random.below(2) as i64;
    let update = random.of(&[Relaxed, Acquire, Release, AcquireRelease, SeqCst]);
    match random.below(if plain { 14 } else { 11 }) {
        0..=2 => Load(location, random.of(&[Relaxed, Acquire, SeqCst])),
        3..=5 => Store(location, value, random.of(&[Relaxed, Release, SeqCst])),
        6 => Add(location, update),
        7 => Exchange(location, value, update),
        8 | 9 => {
            let expected = random.below(2) as i64;
            CompareExchange(location, expected, value + 2, update, random.of(&[Relaxed, Acquire, SeqCst]))
        }
        10 => Fence(random.of(&[Acquire, Release, AcquireRelease, SeqCst])),
        11 => Load(2, Plain),
        _ => Store(2, value, Plain),
    }
}

fn threads(random: &mut Random, most: u64) -> Vec<Vec<Statement>> {
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
fn litmus(threads: &[Vec<Statement>]) -> String {
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

fn model(name: &str) -> Model {
    Model::named(name).unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// Final states, flags and the number of executions.
fn outcomes(text: &str, model: &Model, engine: Engine) -> (BTreeSet<String>, Vec<String>, u64) {
    let task = Task::litmus("random.litmus", text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    let options = Options { wanted: Wanted::States, explain: false, ..Options::default() };
    let request = Request { engine, options, ..Request::new(&task, model) };
    let answer = request.answer().unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    let states = answer.outcome.states.iter().flatten().map(|(state, _)| format!("{state:?}")).collect();
    let figures = &answer.outcome.statistics.figures;
    let executions = figures.iter().find(|(name, _)| name == "executions").map_or(0, |(_, count)| *count);
    (states, answer.outcome.flags, executions)
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

/// How many pairs of reads-from and coherence the model allows.
fn brute_force(threads: &[Vec<Statement>], model: &axiomatic::Model) -> u64 {
    let slots: Vec<Slot> = threads
        .iter()
        .enumerate()
        .flat_map(|(thread, of)| of.iter().map(move |&statement| Slot { thread: thread as u32, statement }))
        .collect();
    let readers: Vec<usize> = (0..slots.len()).filter(|slot| reads(slots[*slot].statement)).collect();
    let mut sources: Vec<Option<usize>> = vec![None; slots.len()];
    let mut count = 0;
    each_source(&slots, &readers, &mut sources, &mut |sources| {
        let Some(values) = values(&slots, sources) else { return };
        each_coherence(&slots, &values, &mut |orders| {
            count += u64::from(broken_axioms(&execution(&slots, sources, &values, orders), model).is_empty());
        });
    });
    count
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
    let event = |thread: Option<u32>, kind, cell: Option<u32>, value: Option<i64>, order, atomic| Event {
        thread: thread.map(ThreadId),
        kind,
        cell: cell.map(Pointer::to),
        value: value.map(|value| Value::int(value, 32)),
        access: Access::ordered(order),
        span: None,
        atomic,
        operation: None,
    };
    for at in 0..3 {
        made.events.push(event(None, EventKind::Write, Some(at), Some(0), Plain, None));
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
            made.events.push(event(Some(of.thread), kind, at, value, order, atomic));
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

fn agree(seed: u64, count: u64, most: u64) {
    let mut random = Random(seed);
    for number in 0..count {
        let threads = threads(&mut random, most);
        let text = litmus(&threads);
        for model in [model("rc11"), model("rc20")] {
            let solved = outcomes(&text, &model, Engine::Axiomatic);
            let explored = outcomes(&text, &model, Engine::Mcr);
            assert_eq!(solved.0, explored.0, "final states of test {number} under {}\n{text}", model.name());
            assert_eq!(solved.1, explored.1, "flags of test {number} under {}\n{text}", model.name());
            let statements: usize = threads.iter().map(Vec::len).sum();
            if let Some(axioms) = model.axioms().filter(|_| statements <= 6) {
                let there_are = brute_force(&threads, axioms);
                assert_eq!(explored.2, there_are, "executions of test {number} under {}\n{text}", model.name());
            }
        }
    }
}

#[test]
fn random_litmus_tests_have_the_same_final_states_and_as_many_executions_as_by_brute_force() {
    agree(1, 20, 3);
}

/// How many executions of a program of `suites/c/graphs` come to their end, with this many threads, and whether all goes well.
fn executions(file: &str, threads: u32) -> (u64, Verdict) {
    executions_by(file, threads, 1)
}

/// The same, explored by so many workers.
fn executions_by(file: &str, threads: u32, workers: usize) -> (u64, Verdict) {
    let path = format!("{}/../../suites/c/graphs/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let text = format!("#define N {threads}\n{text}");
    let task = Task::c(file, &text).unwrap_or_else(|refusal| panic!("{refusal}"));
    let model = model("rc11");
    let options = Options { mcr: Mcr { jobs: Some(workers), ..Mcr::default() }, ..Options::default() };
    let request = Request { engine: Engine::Mcr, options, ..Request::new(&task, &model) };
    let answer = request.answer().unwrap_or_else(|refusal| panic!("{refusal}"));
    let figures = &answer.outcome.statistics.figures;
    let count = figures.iter().find(|(name, _)| name == "executions").map_or(0, |(_, count)| *count);
    (count, answer.outcome.verdict)
}

#[test]
fn each_order_of_the_owners_of_a_lock_is_one_execution() {
    for (threads, orders) in [(2, 2), (3, 6), (4, 24)] {
        for file in ["spinlock.c", "ticket.c", "clh.c", "lockinc.c", "ainc.c"] {
            assert_eq!(executions(file, threads), (orders, Verdict::Holds), "{file} with {threads} threads");
        }
    }
}

/// The figures are those of GenMC 0.11 for the same algorithms and sizes. Of a queue lock it makes 66 executions: it
/// tells apart whether the owner sees its successor at once or in the loop after the failed compare-exchange.
#[test]
fn programs_have_no_more_executions_than_another_explorer_makes() {
    let others = [("ttas.c", 4, 576), ("treiber.c", 3, 270), ("msqueue.c", 3, 1368), ("indexer.c", 14, 512)];
    for (file, size, count) in others {
        assert_eq!(executions(file, size), (count, Verdict::Holds), "{file} with N = {size}");
    }
    assert_eq!(executions("mcs.c", 3), (24, Verdict::Holds));
}

/// The figures are our own: they may change with a reason.
#[test]
fn the_executions_of_programs_are_counted_by_reads_from_and_coherence() {
    for (file, size, count) in [("fib.c", 4, 1764), ("lastzero.c", 10, 3328), ("casinc.c", 4, 24)] {
        assert_eq!(executions(file, size), (count, Verdict::Holds), "{file} with N = {size}");
    }
}

/// These have more graphs than one worker makes before it asks for help.
#[test]
fn several_workers_make_each_graph_once() {
    for (file, size, count) in [("ainc.c", 7, 5040), ("sigma.c", 6, 10395), ("casrot.c", 10, 38486)] {
        for workers in [2, 3] {
            let made = executions_by(file, size, workers);
            assert_eq!(made, (count, Verdict::Holds), "{file} with N = {size} by {workers} workers");
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn many_random_litmus_tests_agree() {
    agree(2, 2_000, 4);
}
