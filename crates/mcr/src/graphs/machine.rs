//! Consistency on sc, tso and pso, as `models/sc.cat`, `models/tso.cat` and `models/pso.cat` say it.
//!
//! Coherence and atomicity are those of [`super::consistent`]. What is left is one order of all events as memory sees them, which
//! [`keeps_order`] looks for: of program order what the machine keeps, reads-from between threads, coherence and from-reads.
//! A read-modify-write is one node of it. A thread that starts or joins another one waits until its own stores are in
//! memory, so that a start and a join are fences.
//!
//! Only edges from which the others follow are made: on sc from each event to the next, on tso from each read and write to the next
//! read and write that it stays before, and so on. A new event that reads the last write, or is put last, has no
//! successors and breaks nothing.

use operational::Machine;
use operational::fence::{FenceOrder, fence_order};
use program::{Access, Order};

use super::event::{Event, Kind};
use super::graph::Graph;
use super::number::{EventId, Strength};

/// What an access is on a machine. On sc and tso reads-from orders as acquire and release do; on pso it does not, since an earlier
/// store may still be on its way.
pub fn strength(machine: Machine, access: &Access) -> Strength {
    let orders = machine.keeps_stores_in_order();
    Strength { atomic: access.order != Order::Plain, acquires: orders, releases: orders, seq_cst: false }
}

/// What the read or write of a locked instruction is on a machine.
pub fn locked(machine: Machine, access: &Access) -> Strength {
    Strength { seq_cst: true, ..strength(machine, access) }
}

/// What a fence is on a machine: `seq_cst` if it keeps stores before later loads, `releases` if it keeps them before later stores;
/// nothing if it means nothing there, or something that is not known.
pub fn fence(machine: Machine, access: &Access) -> Option<Strength> {
    let (seq_cst, releases) = match fence_order(machine, access)? {
        FenceOrder::Nothing => return None,
        FenceOrder::Full => (true, true),
        FenceOrder::Stores => (false, true),
        FenceOrder::Loads => (true, false),
    };
    Some(Strength { atomic: true, acquires: false, releases, seq_cst })
}

/// Whether memory can see the events of a graph in one order.
pub fn keeps_order(graph: &Graph, machine: Machine) -> bool {
    let mut edges = Edges { graph, machine, list: Vec::with_capacity(4 * graph.size()) };
    let ends: Vec<Kept> = (0..graph.threads.len()).map(|thread| edges.program_order(thread)).collect();
    edges.joins(&ends);
    edges.accesses();
    is_acyclic(graph.size(), &edges.list)
}

/// The events of a thread that a later one may have to come after.
#[derive(Clone, Default)]
struct Kept {
    /// The last read, and the last write; on sc the last event is both.
    read: Option<EventId>,
    write: Option<EventId>,
    /// What all that follows comes after: a full fence, the start of the thread.
    full: Option<EventId>,
    /// The last fence between stores, and that between stores and loads.
    stores: Option<EventId>,
    loads: Option<EventId>,
    /// On pso: the writes since the last full fence, and how many of them a fence between stores has.
    writes: Vec<EventId>,
    fenced: usize,
}

struct Edges<'g> {
    graph: &'g Graph,
    machine: Machine,
    list: Vec<(u32, u32)>,
}

impl Edges<'_> {
    /// The place of an event in the order: a read-modify-write is where its read is.
    fn node(&self, id: EventId) -> EventId {
        let event = self.graph.event(id);
        match event.kind {
            Kind::Write { exclusive: true } => {
                self.graph.threads[event.thread.index()].events[event.index as usize - 1]
            }
            _ => id,
        }
    }

    fn edge(&mut self, from: impl IntoIterator<Item = EventId>, to: EventId) {
        let to = self.node(to);
        for from in from {
            let from = self.node(from);
            if from != to {
                self.list.push((from.0, to.0));
            }
        }
    }

    /// What the machine keeps of the program order of a thread; gives what a join of it comes after.
    fn program_order(&mut self, thread: usize) -> Kept {
        let of = &self.graph.threads[thread];
        let mut kept = Kept { full: of.started_by, ..Kept::default() };
        for id in &of.events {
            self.event(*id, &mut kept);
        }
        kept
    }

    fn event(&mut self, id: EventId, kept: &mut Kept) {
        let Event { kind, strength, .. } = *self.graph.event(id);
        match kind {
            Kind::Choose { .. } => {}
            Kind::Spawn(_) | Kind::Join(_) => self.full_fence(id, kept),
            Kind::Fence if strength.seq_cst && strength.releases => self.full_fence(id, kept),
            _ if self.machine == Machine::Sc => {
                self.edge(kept.read.or(kept.full), id);
                kept.read = Some(id);
            }
            Kind::Fence => self.half_fence(id, strength, kept),
            Kind::Read { exclusive, .. } => self.read(id, exclusive || strength.seq_cst, kept),
            Kind::Write { exclusive } => self.write(id, exclusive, kept),
        }
    }

    /// What came before it comes before what follows.
    fn full_fence(&mut self, id: EventId, kept: &mut Kept) {
        self.after_writes(id, kept);
        self.edge([kept.read, kept.full, kept.stores, kept.loads].into_iter().flatten(), id);
        *kept = Kept { full: Some(id), ..Kept::default() };
    }

    fn half_fence(&mut self, id: EventId, strength: Strength, kept: &mut Kept) {
        if strength.seq_cst {
            self.after_writes(id, kept);
            self.edge([kept.full, kept.loads].into_iter().flatten(), id);
            kept.loads = Some(id);
        } else {
            let unfenced = kept.writes[kept.fenced..].to_vec();
            self.edge(unfenced.into_iter().chain(kept.full).chain(kept.stores), id);
            (kept.stores, kept.fenced) = (Some(id), kept.writes.len());
        }
    }

    fn read(&mut self, id: EventId, is_locked: bool, kept: &mut Kept) {
        if is_locked {
            self.after_writes(id, kept);
        }
        self.edge([kept.read, kept.full, kept.loads].into_iter().flatten(), id);
        kept.read = Some(id);
    }

    fn write(&mut self, id: EventId, is_locked: bool, kept: &mut Kept) {
        if is_locked {
            // Its read is the same step, and comes after all that came before.
            *kept = Kept { full: Some(id), ..Kept::default() };
            return;
        }
        self.edge([kept.read, kept.full, kept.stores].into_iter().flatten(), id);
        if self.machine.keeps_stores_in_order() {
            self.edge(kept.write, id);
            kept.write = Some(id);
        } else {
            kept.writes.push(id);
        }
    }

    /// Puts an event after the earlier writes of its thread.
    fn after_writes(&mut self, id: EventId, kept: &Kept) {
        self.edge(kept.writes.iter().copied().chain(kept.write), id);
    }

    /// A join comes after all that the thread did.
    fn joins(&mut self, ends: &[Kept]) {
        for (index, event) in self.graph.events.iter().enumerate() {
            let Kind::Join(thread) = event.kind else { continue };
            let Some(Kept { read, write, full, stores, loads, writes, .. }) = ends.get(thread.index()) else {
                continue;
            };
            let last = [*read, *write, *full, *stores, *loads].into_iter().flatten();
            self.edge(last.chain(writes.iter().copied()), EventId(index as u32));
        }
    }

    /// Reads-from between threads, coherence, from-reads.
    fn accesses(&mut self) {
        let graph = self.graph;
        for at in &graph.locations {
            for pair in at.writes.windows(2) {
                self.edge([pair[0]], pair[1]);
            }
            for read in &at.reads {
                let event = graph.event(*read);
                let Some(source) = event.source() else { continue };
                let next = match source {
                    EventId::INITIAL => 0,
                    source => {
                        if graph.event(source).thread != event.thread {
                            self.edge([source], *read);
                        }
                        at.writes.iter().rposition(|write| *write == source).map_or(0, |place| place + 1)
                    }
                };
                if let Some(next) = at.writes.get(next) {
                    self.edge([*read], *next);
                }
            }
        }
    }
}

/// Whether edges between so many nodes make no cycle.
fn is_acyclic(nodes: usize, edges: &[(u32, u32)]) -> bool {
    let mut first = vec![0u32; nodes + 1];
    let mut incoming = vec![0u32; nodes];
    for (from, to) in edges {
        first[*from as usize + 1] += 1;
        incoming[*to as usize] += 1;
    }
    for node in 0..nodes {
        first[node + 1] += first[node];
    }
    let mut place = first.clone();
    let mut successors = vec![0u32; edges.len()];
    for (from, to) in edges {
        let at = &mut place[*from as usize];
        successors[*at as usize] = *to;
        *at += 1;
    }
    let mut free: Vec<usize> = (0..nodes).filter(|node| incoming[*node] == 0).collect();
    let mut removed = 0;
    while let Some(node) = free.pop() {
        removed += 1;
        for to in &successors[first[node] as usize..first[node + 1] as usize] {
            incoming[*to as usize] -= 1;
            if incoming[*to as usize] == 0 {
                free.push(*to as usize);
            }
        }
    }
    removed == nodes
}
