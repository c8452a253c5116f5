//! The maximal causal model of a class as a problem for the solver: all executions whose threads follow prefixes of the
//! class, and its untried branches.
//!
//! Huang and Huang, "Maximal causality reduction for TSO and PSO" (2016), sections 2.3 and 4.1, with these deviations:
//!
//! - Which events are in the prefix is part of the problem, so that one call of the solver looks for any untried branch at all,
//!   instead of one call for each read and value.
//! - A store is two events where the machine has buffers: it is issued, and gets to memory. A read may come before the
//!   thread's own store to the cell is in memory, and sees it. The paper orders the two (its formula for addresses), which
//!   forbids what its own machine does; [`Form::Printed`] does so, too.
//! - Initial values, read-modify-writes, atomic blocks, fences, sections of monitors that are still open, `wait` and `notify`,
//!   permits, starts and ends of threads are there; the paper leaves them out or does not say.
//!
//! The order is a graph that the order theory of the solver keeps acyclic, not integers. An event has one node for when it
//! happens, a buffered store another for when it gets to memory. Events that are not in the prefix have nodes, too;
//! they can always be put after all others, so orders between them and others mean nothing.
//!
//! The answers are exact in the exact form. The printed form misses executions.

mod leave;
mod prefix;
mod race;
mod wake;

use std::collections::HashMap;

pub use race::{Candidate, Passing, Question, Races};
use sat::{Answer, Budget, GraphId, Interrupted, Lit, Solver};

use super::block::Way;
use super::id::{ThreadId, TraceCell, TraceMonitor};
use super::trace::{Access, Escape, Event, Kind, Step, Trace, Value, reads, waited_for};
use operational::memory::Machine;

/// Which encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The machine, exactly.
    #[default]
    Exact,
    /// As printed in the paper: a thread reads a cell only after its own stores to it are in memory.
    Printed,
}

/// An untried branch that the solver proposes.
#[derive(Clone, Copy, Debug)]
pub struct Proposal<'a> {
    /// How many events of each thread come before.
    pub positions: &'a [u32],
    /// Whose event goes another way.
    pub thread: ThreadId,
    /// Its place among the thread's events.
    pub event: u32,
    /// What it gets.
    pub label: u32,
}

/// An event of a trace that is an atomic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Whose.
    pub thread: ThreadId,
    /// Its place among the thread's events.
    pub event: u32,
    /// The ways through it.
    pub ways: Vec<Way>,
    /// The label of the way that it goes in the class, if it happens there.
    pub taken: Option<u32>,
}

/// The problem for one trace.
pub struct Encoding<'t> {
    trace: &'t Trace,
    blocks: &'t [Block],
    machine: Machine,
    form: Form,
    solver: Solver,
    graph: GraphId,
    /// Whether each event is in the prefix, by thread.
    within: Vec<Vec<Lit>>,
    /// The node of each thread's first event.
    first_node: Vec<u32>,
    /// Where each thread is started, if by an event.
    started_by: Vec<Option<(usize, usize)>>,
    writes: Vec<Write>,
    /// Numbers of the writes to each cell.
    by_cell: Vec<Vec<usize>>,
    /// Numbers of the buffered stores of each thread, in order.
    buffered: Vec<Vec<usize>>,
    /// By thread and event: how many events before it keep stores from being overtaken, and how many keep loads behind stores.
    fences: Vec<Vec<[u32; 2]>>,
    /// The literal that says that the first node comes before the second; the first is the smaller one.
    orders: HashMap<(u32, u32), Lit>,
    /// Edges for good, and edges that hang on a literal.
    edges: Vec<(u32, u32, Option<Lit>)>,
    /// Whether a notification wakes a thread, by the nodes of the notification and of the thread's `wait`.
    wakes: HashMap<(u32, u32), Lit>,
    /// Whether it finds that thread waiting.
    asleep: HashMap<(u32, u32), Lit>,
    /// What says that an event (by its node) would find a value in a cell at the end of the prefix.
    found: HashMap<(u32, TraceCell, Value), Lit>,
    ways_out: Vec<WayOut>,
    /// Assumed for an untried branch; without it any prefix is a model.
    leaves: Lit,
    /// Assumed for a prefix after which no thread can go on.
    is_stuck: Lit,
    queries: u64,
}

/// See [`Encoding`].
fn fences(events: &[Event]) -> Vec<[u32; 2]> {
    let mut counts = vec![[0, 0]];
    for event in events {
        let [mut stores, mut loads] = counts.last().copied().unwrap_or_default();
        stores += u32::from(matches!(event.kind, Kind::StoreFence) || event.kind.drains());
        loads += u32::from(matches!(event.kind, Kind::LoadFence));
        counts.push([stores, loads]);
    }
    counts
}

/// Something that gets to memory.
struct Write {
    thread: usize,
    event: usize,
    cell: TraceCell,
    value: Value,
    /// Where it gets to memory.
    node: u32,
    /// Whether it does so within the prefix.
    there: Lit,
    is_buffered: bool,
}

/// An event that may go another way.
struct WayOut {
    thread: usize,
    event: usize,
    label: u32,
    taken: Lit,
    /// Where it happens, if it need not be after all else.
    node: Option<u32>,
}

/// From taking a monitor to giving it back.
struct Section {
    thread: usize,
    taken: usize,
    released: Option<usize>,
}

/// Encodes a trace, all of whose events that are atomic blocks are listed.
pub fn encode<'t>(trace: &'t Trace, blocks: &'t [Block], machine: Machine, form: Form) -> Encoding<'t> {
    let mut encoding = prefixes(trace, blocks, machine, form);
    encoding.ways_out();
    encoding.dead_ends();
    encoding
}

/// Encodes only the executions whose threads follow prefixes of the trace, without its untried branches.
pub fn encode_prefixes(trace: &Trace, machine: Machine, form: Form) -> Encoding<'_> {
    prefixes(trace, &[], machine, form)
}

fn prefixes<'t>(trace: &'t Trace, blocks: &'t [Block], machine: Machine, form: Form) -> Encoding<'t> {
    let mut encoding = Encoding::new(trace, blocks, machine, form);
    encoding.prefixes();
    encoding.threads();
    encoding.buffers();
    encoding.monitors();
    encoding.notifications();
    encoding.permits();
    encoding.reads();
    encoding
}

impl<'t> Encoding<'t> {
    /// An untried branch of the class that no known class takes. `known` is asked about each proposal: if a known class goes that
    /// way, it says for each thread at which event that class leaves this one (their number if it does not).
    pub fn escape(
        &mut self,
        known: &mut dyn FnMut(Proposal) -> Option<Vec<u32>>,
        budget: &Budget,
    ) -> Result<Option<Escape>, Interrupted> {
        loop {
            if !self.ask(&[self.leaves], budget)? {
                return Ok(None);
            }
            let Some(way) = self.ways_out.iter().position(|way| self.solver.value(way.taken)) else { return Ok(None) };
            let positions = self.positions();
            let WayOut { thread, event, label, taken, node } = self.ways_out[way];
            let (thread, event) = (ThreadId::at(thread), event as u32);
            match known(Proposal { positions: &positions, thread, event, label }) {
                None => {
                    let (steps, after) = self.steps(node);
                    return Ok(Some(Escape { steps, thread, event, label, after }));
                }
                Some(leaving) => self.go_past(!taken, thread.index(), &leaving),
            }
        }
    }

    /// Steps after which no thread can go on, other than those of the class itself and of known ones: `known` says whether
    /// one ends at these positions.
    pub fn stuck(
        &mut self,
        known: &mut dyn FnMut(&[u32]) -> bool,
        budget: &Budget,
    ) -> Result<Option<Vec<Step>>, Interrupted> {
        loop {
            if !self.ask(&[self.is_stuck], budget)? {
                return Ok(None);
            }
            let positions = self.positions();
            if !known(&positions) {
                return Ok(Some(self.steps(None).0));
            }
            let elsewhere: Vec<Lit> = self.boundaries(&positions).collect();
            let clause: Vec<Lit> = std::iter::once(!self.is_stuck).chain(elsewhere.iter().map(|lit| !*lit)).collect();
            self.solver.clause(&clause);
        }
    }

    /// How often the solver was asked.
    pub fn queries(&self) -> u64 {
        self.queries
    }

    fn ask(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<bool, Interrupted> {
        self.queries += 1;
        match self.solver.solve(assumptions, budget) {
            Answer::Satisfiable => Ok(true),
            Answer::Unsatisfiable => Ok(false),
            Answer::Unknown => Err(Interrupted),
        }
    }

    /// Demands that a thread other than this one gets to where a known class does something else.
    fn go_past(&mut self, condition: Lit, thread: usize, leaving: &[u32]) {
        let mut clause = vec![condition];
        for (other, within) in self.within.iter().enumerate().filter(|(other, _)| *other != thread) {
            let place = leaving.get(other).map_or(usize::MAX, |place| *place as usize);
            clause.extend(within.get(place));
        }
        self.solver.clause(&clause);
    }

    /// The literals that say that the threads are at these places exactly.
    fn boundaries<'s>(&'s self, positions: &'s [u32]) -> impl Iterator<Item = Lit> + 's {
        self.within.iter().zip(positions).flat_map(|(within, position)| {
            let place = *position as usize;
            let last = place.checked_sub(1).map(|last| within[last]);
            last.into_iter().chain(within.get(place).map(|next| !*next))
        })
    }

    fn positions(&self) -> Vec<u32> {
        let count = |within: &Vec<Lit>| within.iter().filter(|lit| self.solver.value(**lit)).count() as u32;
        self.within.iter().map(count).collect()
    }

    /// The steps of the prefix in an order that the machine can follow: those before and after the given node.
    fn steps(&self, target: Option<u32>) -> (Vec<Step>, Vec<Step>) {
        let happens = self.nodes_of_prefix();
        let target = target.map(|node| node as usize);
        let is_part = |node: usize| happens[node].is_some() || Some(node) == target;
        let mut waits_for: Vec<u32> = vec![0; happens.len()];
        let mut followers: Vec<Vec<usize>> = vec![Vec::new(); happens.len()];
        for (from, to, guard) in &self.edges {
            let (from, to) = (*from as usize, *to as usize);
            let is_there = guard.is_none_or(|guard| self.solver.value(guard));
            if is_there && is_part(from) && is_part(to) {
                waits_for[to] += 1;
                followers[from].push(to);
            }
        }
        let mut ready: Vec<usize> = (0..happens.len()).filter(|node| is_part(*node) && waits_for[*node] == 0).collect();
        let mut order = Vec::new();
        while let Some(node) = ready.pop() {
            order.push(node);
            for follower in followers[node].iter().copied() {
                waits_for[follower] -= 1;
                if waits_for[follower] == 0 {
                    ready.push(follower);
                }
            }
        }
        let place = order.iter().position(|node| Some(*node) == target).unwrap_or(order.len());
        let steps = |nodes: &[usize]| nodes.iter().filter_map(|node| happens[*node]).collect();
        (steps(&order[..place]), steps(&order[place..]))
    }

    /// The step of each node that is in the prefix.
    fn nodes_of_prefix(&self) -> Vec<Option<Step>> {
        let mut happens = Vec::new();
        for (thread, within) in self.within.iter().enumerate() {
            let step = Step::Event(ThreadId::at(thread));
            happens.extend(within.iter().map(|lit| self.solver.value(*lit).then_some(step)));
        }
        for write in self.writes.iter().filter(|write| write.is_buffered) {
            let flush = Step::Flush(ThreadId::at(write.thread), write.cell);
            happens.push(self.solver.value(write.there).then_some(flush));
        }
        happens
    }
}

impl<'t> Encoding<'t> {
    fn new(trace: &'t Trace, blocks: &'t [Block], machine: Machine, form: Form) -> Encoding<'t> {
        let mut solver = Solver::new();
        let mut first_node = Vec::new();
        let mut nodes = 0;
        for thread in &trace.threads {
            first_node.push(nodes);
            nodes += thread.events.len() as u32;
        }
        let is_flushed = |kind: &Kind| kind.is_buffered(machine);
        let events = || trace.threads.iter().flat_map(|thread| &thread.events);
        let flushes = events().filter(|event| is_flushed(&event.kind)).count() as u32;
        let graph = solver.graph((nodes + flushes) as usize);
        let within =
            trace.threads.iter().map(|thread| thread.events.iter().map(|_| solver.fresh()).collect()).collect();
        let (leaves, is_stuck) = (solver.fresh(), solver.fresh());
        let mut encoding = Encoding {
            trace,
            blocks,
            machine,
            form,
            solver,
            graph,
            within,
            first_node,
            started_by: vec![None; trace.threads.len()],
            writes: Vec::new(),
            by_cell: vec![Vec::new(); trace.initial.len()],
            buffered: vec![Vec::new(); trace.threads.len()],
            fences: trace.threads.iter().map(|thread| fences(&thread.events)).collect(),
            orders: HashMap::new(),
            edges: Vec::new(),
            wakes: HashMap::new(),
            asleep: HashMap::new(),
            found: HashMap::new(),
            ways_out: Vec::new(),
            leaves,
            is_stuck,
            queries: 0,
        };
        encoding.find_writes(nodes);
        encoding
    }

    fn find_writes(&mut self, mut next_node: u32) {
        let trace = self.trace;
        for (thread, event, kind) in events(trace) {
            if let Kind::Spawn(other) = kind
                && let Some(started_by) = self.started_by.get_mut(other.index())
            {
                *started_by = Some((thread, event));
            }
            let is_buffered = kind.is_buffered(self.machine);
            for (cell, value) in written(kind) {
                let (mut node, mut there) = (self.node(thread, event), self.within[thread][event]);
                if is_buffered {
                    (node, there) = (next_node, self.solver.fresh());
                    next_node += 1;
                    self.buffered[thread].push(self.writes.len());
                }
                self.by_cell[cell.index()].push(self.writes.len());
                self.writes.push(Write { thread, event, cell, value, node, there, is_buffered });
            }
        }
    }

    /// The event as a block, if it is one.
    fn block(&self, thread: usize, event: usize) -> Option<&'t Block> {
        self.blocks.iter().find(|block| (block.thread.index(), block.event as usize) == (thread, event))
    }

    fn node(&self, thread: usize, event: usize) -> u32 {
        self.first_node[thread] + event as u32
    }

    fn fixed_edge(&mut self, from: u32, to: u32) {
        self.solver.fixed_edge(self.graph, from, to);
        self.edges.push((from, to, None));
    }

    fn guarded_edge(&mut self, from: u32, to: u32, guard: Lit) {
        self.solver.edge(self.graph, from, to, guard);
        self.edges.push((from, to, Some(guard)));
    }

    /// Whether the first node comes before the second.
    fn before(&mut self, first: u32, second: u32) -> Lit {
        let pair = (first.min(second), first.max(second));
        let lit = match self.orders.get(&pair) {
            Some(lit) => *lit,
            None => {
                let lit = self.solver.fresh();
                self.guarded_edge(pair.0, pair.1, lit);
                self.guarded_edge(pair.1, pair.0, !lit);
                self.orders.insert(pair, lit);
                lit
            }
        };
        if first < second { lit } else { !lit }
    }

    fn implies(&mut self, condition: Lit, consequence: Lit) {
        self.solver.clause(&[!condition, consequence]);
    }
}

/// All events with their places.
fn events(trace: &Trace) -> impl Iterator<Item = (usize, usize, &Kind)> {
    let threads = trace.threads.iter().enumerate();
    threads
        .flat_map(|(thread, own)| own.events.iter().enumerate().map(move |(event, what)| (thread, event, &what.kind)))
}

/// What an event leaves in its cells.
fn written(kind: &Kind) -> Vec<(TraceCell, Value)> {
    match kind {
        Kind::Write { cell, value, .. } => vec![(*cell, *value)],
        Kind::Update { cell, written: Some(value), .. } => vec![(*cell, *value)],
        Kind::Atomic(accesses) => {
            let mut left: Vec<(TraceCell, Value)> = Vec::new();
            for access in accesses {
                if let Access::Write { cell, value } = access {
                    left.retain(|(other, _)| other != cell);
                    left.push((*cell, *value));
                }
            }
            left
        }
        _ => Vec::new(),
    }
}

/// The outermost sections of a monitor.
fn sections(trace: &Trace, monitor: TraceMonitor) -> Vec<Section> {
    let mut sections = Vec::new();
    for (thread, own) in trace.threads.iter().enumerate() {
        let (mut depth, mut taken) = (0u32, 0);
        for (event, what) in own.events.iter().enumerate() {
            match what.kind {
                Kind::Lock(other) if other == monitor => {
                    taken = if depth == 0 { event } else { taken };
                    depth += 1;
                }
                Kind::Resume(other, times) if other == monitor => (taken, depth) = (event, times),
                Kind::Unlock(other) | Kind::Release(other) if other == monitor => {
                    let gives_all = matches!(what.kind, Kind::Release(_));
                    depth = if gives_all { 0 } else { depth.saturating_sub(1) };
                    if depth == 0 {
                        sections.push(Section { thread, taken, released: Some(event) });
                    }
                }
                _ => {}
            }
        }
        if depth > 0 {
            sections.push(Section { thread, taken, released: None });
        }
    }
    sections
}

/// The part of a label that says whether a compare-exchange failed without reason.
fn failed(picked: u32) -> u32 {
    picked << 31
}
