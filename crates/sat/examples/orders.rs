//! Measures the ways to keep graphs acyclic, on problems like those of memory models:
//!
//! ```text
//! cargo run --release -p palisade-sat --example orders [family]
//! ```
//!
//! * `tiny`: 20 nodes and 40 edges, thousands of them, each with a solver of its own, as a litmus suite has them;
//! * `execution`: threads of reads and writes of few values; is there an interleaving in which every read sees the value
//!   that it is known to see? Total: one literal orders each pair of events; partial: only pairs that are asked about;
//! * `random`: disjunctions of random precedences over a total order;
//! * `sparse`: a large graph with few edges per node.
//!
//! Times are wall-clock milliseconds per problem, for building and solving; the other columns are sums.

use std::time::{Duration, Instant};

use sat::{Acyclicity, Answer, Budget, Lit, Solver};

const WAYS: [Acyclicity; 2] = [Acyclicity::Propagator, Acyclicity::Elimination];

/// When to give up on one problem.
const LIMIT: Duration = Duration::from_secs(20);

fn main() {
    let family = std::env::args().nth(1).unwrap_or_default();
    println!(
        "{:<46} {:<12} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "problem", "way", "ms", "conflicts", "cycles", "props", "clauses"
    );
    if "tiny".contains(&family) {
        for nodes in [6, 10, 20, 40, 80] {
            measure(&format!("tiny {nodes} nodes, x2000"), 2000, &WAYS, |solver, seed| tiny(solver, nodes, seed));
        }
    }
    if "execution".contains(&family) {
        for (threads, length) in [(3, 4), (4, 8), (4, 16), (4, 32), (8, 50)] {
            for total in [false, true] {
                let nodes = threads * length;
                let kind = if total { "total" } else { "partial" };
                let name = format!("execution {threads}x{length}, {kind}, x6");
                measure(&name, 6, ways(total, nodes, 128), |solver, seed| {
                    execution(solver, threads, length, total, seed)
                });
            }
        }
    }
    if "random".contains(&family) {
        for (nodes, ratio) in [(20, 14), (30, 10), (30, 14), (40, 10), (80, 6), (80, 8), (150, 5)] {
            measure(&format!("random {nodes} nodes, ratio {ratio}, x3"), 3, &WAYS, |solver, seed| {
                random(solver, nodes, ratio, seed)
            });
        }
    }
    if "sparse".contains(&family) {
        for nodes in [200, 500, 1000, 2000, 5000] {
            measure(&format!("sparse {nodes} nodes"), 1, ways(true, nodes, 1000), |solver, seed| {
                sparse(solver, nodes, seed)
            });
        }
    }
}

/// Both ways, or the theory alone if elimination would make tens of millions of clauses.
fn ways(dense: bool, nodes: usize, most: usize) -> &'static [Acyclicity] {
    if dense && nodes > most { &WAYS[..1] } else { &WAYS }
}

/// Solves `count` problems in each way and prints a line per way; the answers must agree.
fn measure(name: &str, count: u64, ways: &[Acyclicity], build: impl Fn(&mut Solver, u64)) {
    let mut answers: Vec<Vec<Answer>> = Vec::new();
    for &way in ways {
        let mut total = Duration::ZERO;
        let mut found = Vec::new();
        let mut sums = [0; 4];
        for seed in 0..count {
            let budget = Budget::default();
            let stop = (count < 100).then(|| stop_later(&budget));
            let start = Instant::now();
            let mut solver = Solver::with_acyclicity(way);
            build(&mut solver, seed);
            found.push(solver.solve(&[], &budget));
            total += start.elapsed();
            drop(stop);
            let statistics = solver.statistics();
            let numbers =
                [statistics.conflicts, statistics.theory_conflicts, statistics.theory_propagations, statistics.clauses];
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
        let satisfiable = found.iter().filter(|&&answer| answer == Answer::Satisfiable).count();
        let unknown = found.iter().filter(|&&answer| answer == Answer::Unknown).count();
        let title = format!("{name} ({satisfiable} sat, {unknown} unknown)");
        let milliseconds = total.as_secs_f64() * 1e3 / count as f64;
        let [conflicts, cycles, props, clauses] = sums;
        println!(
            "{title:<46} {:<12} {milliseconds:>9.3} {conflicts:>9} {cycles:>9} {props:>9} {clauses:>9}",
            format!("{way:?}")
        );
        answers.push(found);
    }
    for pair in answers.windows(2) {
        for (one, other) in pair[0].iter().zip(&pair[1]) {
            assert!(one == other || [*one, *other].contains(&Answer::Unknown), "{name}: the answers differ");
        }
    }
}

/// Interrupts the solver when the limit has passed, unless the result is dropped before.
fn stop_later(budget: &Budget) -> std::sync::mpsc::Sender<()> {
    let (sender, receiver) = std::sync::mpsc::channel();
    let flag = budget.interrupt.clone();
    std::thread::spawn(move || {
        if receiver.recv_timeout(LIMIT) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            flag.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    });
    sender
}

/// Two edges per node with literals of their own, some of them fixed, and a clause for every fourth literal.
fn tiny(solver: &mut Solver, nodes: usize, seed: u64) {
    let random = &mut Random::new(seed);
    let graph = solver.graph(nodes);
    let lits: Vec<Lit> = (0..2 * nodes).map(|_| solver.fresh()).collect();
    for &lit in &lits {
        let (from, to) = (random.below(nodes) as u32, random.below(nodes) as u32);
        if random.below(4) == 0 && from < to {
            solver.fixed_edge(graph, from, to);
        } else if from != to {
            solver.edge(graph, from, to, lit);
        }
    }
    for _ in 0..nodes {
        let clause: Vec<Lit> = (0..2).map(|_| lits[random.below(lits.len())]).collect();
        solver.clause(&clause);
    }
}

/// One literal per pair: true when the first comes before the second.
struct TotalOrder {
    nodes: usize,
    lits: Vec<Lit>,
}

impl TotalOrder {
    fn new(solver: &mut Solver, nodes: usize) -> TotalOrder {
        let graph = solver.graph(nodes);
        let mut lits = Vec::new();
        for a in 0..nodes as u32 {
            for b in 0..nodes as u32 {
                let lit = solver.fresh();
                lits.push(lit);
                if a < b {
                    solver.edge(graph, a, b, lit);
                    solver.edge(graph, b, a, !lit);
                }
            }
        }
        TotalOrder { nodes, lits }
    }

    fn before(&self, a: usize, b: usize) -> Lit {
        if a < b { self.lits[a * self.nodes + b] } else { !self.lits[b * self.nodes + a] }
    }
}

fn random(solver: &mut Solver, nodes: usize, ratio: usize, seed: u64) {
    let random = &mut Random::new(seed);
    let order = TotalOrder::new(solver, nodes);
    for _ in 0..nodes * ratio {
        let pair = |random: &mut Random| {
            let a = random.below(nodes);
            let b = (a + 1 + random.below(nodes - 1)) % nodes;
            order.before(a, b)
        };
        let clause: Vec<Lit> = (0..3).map(|_| pair(random)).collect();
        solver.clause(&clause);
    }
}

/// A read or write of a value at a location.
#[derive(Clone, Copy)]
struct Event {
    is_write: bool,
    location: usize,
    value: usize,
}

/// Threads that ran in some random interleaving; every second time one read is then changed to see another value.
fn history(random: &mut Random, threads: usize, length: usize, spoilt: bool) -> Vec<Event> {
    let nodes = threads * length;
    let locations = 2 + nodes / 12;
    let mut memory = vec![0; locations];
    let mut events = vec![Event { is_write: true, location: 0, value: 0 }; nodes];
    let mut done = vec![0; threads];
    for _ in 0..nodes {
        let mut thread = random.below(threads);
        while done[thread] == length {
            thread = (thread + 1) % threads;
        }
        let (is_write, location) = (random.below(2) == 0, random.below(locations));
        if is_write {
            memory[location] = 1 + random.below(4);
        }
        events[thread * length + done[thread]] = Event { is_write, location, value: memory[location] };
        done[thread] += 1;
    }
    let last = events.iter_mut().rev().find(|event| !event.is_write && event.value != 0);
    if let (true, Some(read)) = (spoilt, last) {
        read.value = 1 + read.value % 4;
    }
    events
}

/// Asks whether a history is sequentially consistent.
fn execution(solver: &mut Solver, threads: usize, length: usize, total: bool, seed: u64) {
    let random = &mut Random::new(seed);
    let events = history(random, threads, length, seed % 2 == 1);
    let nodes = events.len();
    let order = if total { Some(TotalOrder::new(solver, nodes)) } else { None };
    let graph = solver.graph(nodes);
    let mut before = std::collections::HashMap::new();
    let mut precedes = |solver: &mut Solver, a: usize, b: usize| match &order {
        Some(order) => order.before(a, b),
        None => {
            let (low, high) = (a.min(b), a.max(b));
            let lit = *before.entry((low, high)).or_insert_with(|| {
                let lit = solver.fresh();
                solver.edge(graph, low as u32, high as u32, lit);
                solver.edge(graph, high as u32, low as u32, !lit);
                lit
            });
            if a == low { lit } else { !lit }
        }
    };
    for event in (0..nodes).filter(|event| event % length != 0) {
        if total {
            let lit = precedes(solver, event - 1, event);
            solver.clause(&[lit]);
        } else {
            solver.fixed_edge(graph, event as u32 - 1, event as u32);
        }
    }
    for read in (0..nodes).filter(|&read| !events[read].is_write) {
        let Event { location, value, .. } = events[read];
        let writes: Vec<usize> =
            (0..nodes).filter(|&write| events[write].is_write && events[write].location == location).collect();
        let mut sources = Vec::new();
        for &write in writes.iter().filter(|&&write| events[write].value == value) {
            let rf = solver.fresh();
            sources.push(rf);
            let lit = precedes(solver, write, read);
            solver.clause(&[!rf, lit]);
            for &other in writes.iter().filter(|&&other| other != write) {
                let (earlier, later) = (precedes(solver, other, write), precedes(solver, read, other));
                solver.clause(&[!rf, earlier, later]);
            }
        }
        if value != 0 {
            solver.clause(&sources);
        } else {
            for &write in &writes {
                let lit = precedes(solver, read, write);
                solver.clause(&[lit]);
            }
        }
    }
}

/// Four candidate edges per node, mostly between near nodes, and clauses that demand many of them.
fn sparse(solver: &mut Solver, nodes: usize, seed: u64) {
    let random = &mut Random::new(seed);
    let graph = solver.graph(nodes);
    let mut lits = Vec::new();
    for node in 0..nodes {
        for _ in 0..4 {
            let lit = solver.fresh();
            let other = if random.below(10) == 0 { random.below(nodes) } else { (node + 1 + random.below(20)) % nodes };
            if other != node {
                let (from, to) = if random.below(2) == 0 { (node, other) } else { (other, node) };
                solver.edge(graph, from as u32, to as u32, lit);
                lits.push(lit);
            }
        }
    }
    for _ in 0..4 * nodes {
        let clause: Vec<Lit> = (0..2).map(|_| lits[random.below(lits.len())]).collect();
        solver.clause(&clause);
    }
}

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % bound as u64) as usize
    }
}
