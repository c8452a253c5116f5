//! A trace, prepared for listing its states.

use crate::histories::history::Label;
use crate::histories::id::{ThreadId, TraceCell};
use crate::histories::project::Alternatives;
use crate::histories::trace::{Access, End, Kind, Trace, Value};
use operational::memory::Machine;

use super::layout::{Layout, Words};
use super::{Awaited, Goal, Mask};

/// Stores of one thread that get to memory in the order of the program.
pub(super) struct Queue {
    pub thread: usize,
    pub stores: Vec<Store>,
}

pub(super) struct Store {
    pub event: u32,
    pub cell: TraceCell,
    pub value: Value,
    /// Stores of the thread before this event have to be in memory first.
    pub after: u32,
}

/// A trace, prepared.
pub(super) struct Plan<'t> {
    pub(super) trace: &'t Trace,
    pub(super) machine: Machine,
    /// How many events each thread may do as in the class.
    pub(super) limits: Vec<u32>,
    pub(super) target: Option<(ThreadId, u32)>,
    pub(super) alternatives: Alternatives,
    pub(super) wanted: Option<Vec<Label>>,
    pub(super) bounds: &'t [u32],
    pub(super) keeps_memory: bool,
    /// Cells that the target may write when it gets something else. What they hold then is not known, so nobody may use
    /// them after it.
    pub(super) touched: Vec<bool>,
    pub(super) awaited: &'t [Awaited],
    pub(super) queues: Vec<Queue>,
    /// The queues of each thread.
    pub(super) own: Vec<Vec<usize>>,
    /// By thread and cell: 1 plus the last event that reads or may read it.
    pub(super) last_read: Vec<u32>,
    /// By thread and cell: 1 plus the last event that writes it at once, without a buffer.
    pub(super) last_write: Vec<u32>,
    /// By queue and cell: 1 plus the last store.
    pub(super) last_store: Vec<u32>,
    /// By cell: the threads that read it or may.
    pub(super) readers: Vec<Mask>,
    /// By cell: the agents that write it, threads at once and queues.
    pub(super) writers: Vec<Mask>,
    /// By thread and monitor.
    pub(super) last_use: Vec<u32>,
    /// By thread and thread: the last `unpark`.
    pub(super) last_unpark: Vec<u32>,
    pub(super) last_park: Vec<u32>,
    /// Who starts each thread.
    pub(super) starters: Vec<Option<usize>>,
    /// For each thread its load fences.
    pub(super) load_fences: Vec<Vec<u32>>,
    pub(super) cells: usize,
    pub(super) monitors: usize,
    pub(super) threads: usize,
    /// Where what stands in a state.
    pub(super) layout: Layout,
}

impl<'t> Plan<'t> {
    pub(super) fn new(trace: &'t Trace, machine: Machine, goal: &'t Goal) -> Plan<'t> {
        let threads = trace.threads.len();
        let (cells, monitors) = (trace.initial.len(), trace.monitors as usize);
        let (target, alternatives, wanted, bounds) = match goal {
            Goal::Escape { thread, event, alternatives, wanted, bounds } => {
                (Some((*thread, *event)), alternatives.clone(), wanted.clone(), &bounds[..])
            }
            Goal::Ends { .. } => (None, Alternatives::Any, None, &[][..]),
        };
        // Where the target depends on several cells, what they hold says what it gets.
        let keeps_memory = matches!(goal, Goal::Ends { memory: true, .. }) || alternatives == Alternatives::Everything;
        let limit = |thread: usize| {
            let own = &trace.threads[thread];
            let count = own.events.len() as u32 - u32::from(own.end == End::Blocked);
            target.filter(|(other, _)| other.index() == thread).map_or(count, |(_, event)| event.min(count))
        };
        let mut plan = Plan {
            trace,
            machine,
            limits: (0..threads).map(limit).collect(),
            target,
            alternatives,
            wanted,
            bounds,
            keeps_memory,
            touched: vec![false; cells],
            awaited: if let Goal::Ends { awaited, .. } = goal { awaited } else { &[] },
            queues: Vec::new(),
            own: vec![Vec::new(); threads],
            last_read: vec![0; threads * cells],
            last_write: vec![0; threads * cells],
            last_store: Vec::new(),
            readers: vec![0; cells],
            writers: vec![0; cells],
            last_use: vec![0; threads * monitors],
            last_unpark: vec![0; threads * threads],
            last_park: vec![0; threads],
            starters: vec![None; threads],
            load_fences: vec![Vec::new(); threads],
            cells,
            monitors,
            threads,
            layout: Layout::default(),
        };
        (0..threads).for_each(|thread| plan.look(thread));
        plan.note_touched();
        plan.layout = Layout { threads, queues: plan.queues.len(), cells, monitors };
        plan
    }

    /// Notes what a thread does.
    pub(super) fn look(&mut self, thread: usize) {
        let trace = self.trace;
        let count = self.limits[thread] as usize;
        let has_target = self.target.is_some_and(|(other, _)| other.index() == thread);
        // Whether a thread can go on that waits at the end of the class is looked at in every end state.
        let looks_on = has_target || self.target.is_none();
        let considered = (count + usize::from(looks_on)).min(trace.threads[thread].events.len());
        let mut fence = 0;
        for (index, event) in trace.threads[thread].events[..considered].iter().enumerate() {
            let place = index as u32 + 1;
            let is_target = index == count;
            match &event.kind {
                Kind::StoreFence if !is_target => fence = place,
                Kind::LoadFence if !is_target => self.load_fences[thread].push(place),
                Kind::Write { cell, value, direct: false } if self.machine.has_buffers() && !is_target => {
                    self.enqueue(thread, Store { event: index as u32, cell: *cell, value: *value, after: fence });
                }
                kind => self.note(thread, place, kind, is_target),
            }
        }
        if has_target && self.alternatives == Alternatives::Everything {
            let place = count as u32 + 1;
            (0..self.cells).for_each(|cell| self.note_read(thread, place, TraceCell::at(cell)));
        }
        if let (true, Alternatives::Blocks { listed, .. }) = (has_target, self.alternatives.clone()) {
            let place = count as u32 + 1;
            listed.iter().filter_map(|(_, cell)| *cell).for_each(|cell| self.note_read(thread, place, cell));
        }
    }

    pub(super) fn note_touched(&mut self) {
        let Some((thread, event)) = self.target else { return };
        let kind = self.trace.threads[thread.index()].events.get(event as usize).map(|event| &event.kind);
        match (&self.alternatives, kind) {
            (Alternatives::Everything, _) => self.touched.fill(true),
            (Alternatives::Listed(listed), _) => {
                let writes = listed.iter().flat_map(|other| &other.writes);
                writes.for_each(|cell| self.touched[cell.index()] = true);
            }
            (Alternatives::Blocks { listed, .. }, _) => {
                let cells = listed.iter().filter_map(|(_, cell)| *cell);
                cells.for_each(|cell| self.touched[cell.index()] = true);
            }
            (Alternatives::Any, Some(Kind::Update { cell, .. })) => self.touched[cell.index()] = true,
            _ => {}
        }
    }

    /// Whether what a cell holds is not known.
    pub(super) fn is_touched(&self, state: &Words, cell: TraceCell) -> bool {
        self.touched[cell.index()] && self.layout.taken(state).is_some()
    }

    pub(super) fn note(&mut self, thread: usize, place: u32, kind: &Kind, is_target: bool) {
        let monitors = self.monitors;
        match kind {
            Kind::Read { cell, .. } => self.note_read(thread, place, *cell),
            Kind::Write { cell, .. } => self.note_write(thread, place, *cell),
            Kind::Update { cell, written, .. } => {
                self.note_read(thread, place, *cell);
                if written.is_some() && !is_target {
                    self.note_write(thread, place, *cell);
                }
            }
            Kind::Atomic(accesses) => {
                for access in accesses {
                    match access {
                        Access::Read { cell, .. } => self.note_read(thread, place, *cell),
                        Access::Write { cell, .. } if !is_target => self.note_write(thread, place, *cell),
                        _ => {}
                    }
                }
            }
            Kind::Lock(monitor) | Kind::Unlock(monitor) | Kind::Release(monitor) | Kind::Resume(monitor, _)
                if monitor.index() < monitors =>
            {
                self.last_use[thread * monitors + monitor.index()] = place;
            }
            Kind::Notify { monitor, .. } => self.last_use[thread * monitors + monitor.index()] = place,
            Kind::Spawn(started) if !is_target => self.starters[started.index()] = Some(thread),
            Kind::Unpark(other) => self.last_unpark[thread * self.threads + other.index()] = place,
            Kind::Park => self.last_park[thread] = place,
            _ => {}
        }
    }

    fn note_read(&mut self, thread: usize, place: u32, cell: TraceCell) {
        self.last_read[thread * self.cells + cell.index()] = place;
        self.readers[cell.index()] |= agent(thread);
    }

    fn note_write(&mut self, thread: usize, place: u32, cell: TraceCell) {
        self.last_write[thread * self.cells + cell.index()] = place;
        self.writers[cell.index()] |= agent(thread);
    }

    pub(super) fn enqueue(&mut self, thread: usize, store: Store) {
        let in_order = self.machine.keeps_stores_in_order();
        let own = self.own[thread].iter().copied();
        let queue = own.into_iter().find(|queue| in_order || self.queues[*queue].stores[0].cell == store.cell);
        let queue = queue.unwrap_or_else(|| {
            self.queues.push(Queue { thread, stores: Vec::new() });
            self.own[thread].push(self.queues.len() - 1);
            self.last_store.resize(self.queues.len() * self.cells, 0);
            self.queues.len() - 1
        });
        let cell = store.cell.index();
        self.queues[queue].stores.push(store);
        self.last_store[queue * self.cells + cell] = self.queues[queue].stores.len() as u32;
        self.writers[cell] |= agent(self.threads + queue);
    }

    pub(super) fn start(&self, state: &mut Vec<u32>) {
        self.layout.start(state, &self.trace.initial);
        let initial = self.trace.threads.iter().enumerate().filter(|(_, of)| of.is_initial);
        initial.for_each(|(thread, _)| self.layout.spawn(state, thread));
    }
}

/// The set of one agent. There may be too many for a set: then nothing is listed.
fn agent(number: usize) -> Mask {
    Mask::from(1u8).checked_shl(number as u32).unwrap_or(0)
}

/// The agents of a set.
pub(super) fn agents(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let number = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(number)
    })
}
