//! States of a trace: what can happen in them, and what becomes of them.

use crate::histories::history::FAILED;
use crate::histories::id::{ThreadId, TraceCell, TraceMonitor, ValueId};
use crate::histories::project::{Alternative, Alternatives};
use crate::histories::trace::{Access, End, Kind, Step, Value, first_read};

use super::layout::Words;
use super::plan::{Plan, Queue, Store, agents};

impl<'t> Plan<'t> {
    /// The thread's next event, if it may do one as in the class.
    pub(super) fn next(&self, state: &Words, thread: usize) -> Option<&'t Kind> {
        let at = self.layout.position(state, thread);
        let may = at < self.limits[thread] && self.layout.is_started(state, thread);
        may.then(|| &self.trace.threads[thread].events[at as usize].kind)
    }

    /// Whether the thread stands at the target.
    pub(super) fn at_target(&self, state: &Words, thread: usize) -> bool {
        let is_there = self
            .target
            .is_some_and(|(other, event)| other.index() == thread && self.layout.position(state, thread) == event);
        is_there && self.layout.taken(state).is_none() && self.layout.is_started(state, thread)
    }

    /// The next store of a queue that is not in memory, if the thread has come to it.
    pub(super) fn head(&self, state: &Words, queue: usize) -> Option<&Store> {
        let Queue { thread, stores } = &self.queues[queue];
        stores
            .get(self.layout.flushed(state, queue) as usize)
            .filter(|store| store.event < self.layout.position(state, *thread))
    }

    pub(super) fn is_drained(&self, state: &Words, thread: usize) -> bool {
        self.own[thread].iter().all(|queue| self.head(state, *queue).is_none())
    }

    /// Whether all stores of the thread before an event are in memory.
    pub(super) fn is_flushed_before(&self, state: &Words, thread: usize, event: u32) -> bool {
        let is_behind = |queue: &usize| self.head(state, *queue).is_some_and(|store| store.event < event);
        !self.own[thread].iter().any(is_behind)
    }

    pub(super) fn may_flush(&self, state: &Words, queue: usize) -> bool {
        let Some(store) = self.head(state, queue) else { return false };
        !self.is_touched(state, store.cell) && self.is_flushed_before(state, self.queues[queue].thread, store.after)
    }

    /// The thread's own newest store to a cell that is not in memory.
    pub(super) fn pending(&self, state: &Words, thread: usize, cell: TraceCell) -> Option<(usize, Value)> {
        self.own[thread].iter().find_map(|queue| {
            let stores = &self.queues[*queue].stores[self.layout.flushed(state, *queue) as usize..];
            let issued = stores.iter().take_while(|store| store.event < self.layout.position(state, thread));
            issued.filter(|store| store.cell == cell).last().map(|store| (*queue, store.value))
        })
    }

    pub(super) fn held(&self, state: &Words, cell: TraceCell) -> Value {
        self.layout.held(state, cell)
    }

    pub(super) fn seen(&self, state: &Words, thread: usize, cell: TraceCell) -> Value {
        self.pending(state, thread, cell).map_or_else(|| self.held(state, cell), |(_, value)| value)
    }

    /// The event up to which stores have to be in memory before the thread can load.
    pub(super) fn load_fence(&self, state: &Words, thread: usize) -> u32 {
        let fences = &self.load_fences[thread];
        fences.iter().rev().find(|fence| **fence <= self.layout.position(state, thread)).copied().unwrap_or(0)
    }

    pub(super) fn is_over(&self, state: &Words, thread: usize) -> bool {
        let Some(of) = self.trace.threads.get(thread) else { return false };
        let is_at_end = self.layout.position(state, thread) as usize == of.events.len() && of.end == End::Over;
        is_at_end && self.layout.is_started(state, thread) && self.is_drained(state, thread)
    }

    /// How many threads wait at a monitor and were not notified.
    pub(super) fn waiting(&self, state: &Words, monitor: TraceMonitor) -> Vec<usize> {
        let waits = |thread: &usize| {
            let event = self.trace.threads[*thread]
                .events
                .get(self.layout.position(state, *thread) as usize)
                .map(|event| &event.kind);
            let is_there = matches!(event, Some(Kind::Resume(other, _)) if *other == monitor);
            is_there && self.layout.is_started(state, *thread) && !self.layout.is_notified(state, *thread)
        };
        (0..self.threads).filter(waits).collect()
    }

    pub(super) fn may_lock(&self, state: &Words, thread: usize, monitor: TraceMonitor) -> bool {
        self.layout.holder(state, monitor).is_none_or(|holder| holder == thread)
    }

    /// Whether the event can happen but for what it reads.
    pub(super) fn is_free(&self, state: &Words, thread: usize, kind: &Kind) -> bool {
        if kind.drains() && self.machine.has_buffers() && !self.is_drained(state, thread) {
            return false;
        }
        match kind {
            Kind::Read { cell, .. } => {
                !self.is_touched(state, *cell) && self.is_flushed_before(state, thread, self.load_fence(state, thread))
            }
            Kind::Write { cell, direct, .. } => {
                !self.is_touched(state, *cell) || (self.machine.has_buffers() && !direct)
            }
            Kind::Update { cell, .. } => !self.is_touched(state, *cell),
            Kind::Atomic(accesses) => !accesses.iter().any(|access| match access {
                Access::Read { cell, .. } | Access::Write { cell, .. } => self.is_touched(state, *cell),
                Access::Choice { .. } => false,
            }),
            Kind::Lock(monitor) => self.may_lock(state, thread, *monitor),
            Kind::Resume(monitor, _) => {
                self.layout.is_notified(state, thread) && self.may_lock(state, thread, *monitor)
            }
            Kind::Join(other) => self.is_over(state, other.index()),
            Kind::Turn(others) => others.iter().all(|other| self.is_over(state, other.index())),
            Kind::Park => self.layout.has_permit(state, thread),
            _ => true,
        }
    }

    /// Whether the event can happen now as it does in the class.
    pub(super) fn is_enabled(&self, state: &Words, thread: usize, kind: &Kind) -> bool {
        self.is_free(state, thread, kind) && self.mismatch(state, thread, kind).is_none()
    }

    /// The first cell whose value is not as in the class; [`TraceCell::NONE`] for something else that cannot change any more.
    pub(super) fn mismatch(&self, state: &Words, thread: usize, kind: &Kind) -> Option<TraceCell> {
        match kind {
            Kind::Read { cell, value } => (self.seen(state, thread, *cell) != *value).then_some(*cell),
            Kind::Update { cell, value, .. } => (self.held(state, *cell) != *value).then_some(*cell),
            Kind::Atomic(accesses) => {
                let mut written: Vec<(TraceCell, Value)> = Vec::new();
                accesses.iter().find_map(|access| match access {
                    Access::Read { cell, value, .. } => {
                        let own = written.iter().rev().find(|(other, _)| other == cell).map(|(_, value)| *value);
                        let seen = own.unwrap_or_else(|| self.held(state, *cell));
                        (seen != *value).then_some(*cell)
                    }
                    Access::Write { cell, value } => {
                        written.push((*cell, *value));
                        None
                    }
                    Access::Choice { .. } => None,
                })
            }
            Kind::Notify { monitor, all: false, picked } => {
                let waiting = self.waiting(state, *monitor).len() as u32;
                let fits = if waiting < 2 { *picked == 0 } else { (1..=waiting).contains(picked) };
                (!fits).then_some(TraceCell::NONE)
            }
            _ => None,
        }
    }

    /// Whether the event, if it can happen, may as well happen at once.
    pub(super) fn is_unnoticed(&self, state: &Words, thread: usize, kind: &Kind) -> bool {
        match kind {
            // It could also come too late, and wait for ever.
            Kind::Read { .. } | Kind::Update { .. } | Kind::Atomic(_) if self.awaits(state, thread).is_some() => false,
            Kind::Write { direct: false, .. } if self.machine.has_buffers() => true,
            Kind::Write { cell, .. } => self.write_dependents(state, thread, *cell) == 0,
            Kind::Update { cell, written, .. } => {
                written.is_none() || (written.is_some() && !self.concerns_others(state, thread, *cell))
            }
            Kind::Atomic(accesses) => !accesses.iter().any(|access| matches!(access, Access::Write { .. })),
            Kind::Lock(monitor) => self.layout.holder(state, *monitor) == Some(thread),
            Kind::Resume(..) | Kind::Park | Kind::Unpark(_) => false,
            _ => true,
        }
    }

    /// Whether another thread may still read or write the cell.
    pub(super) fn concerns_others(&self, state: &Words, thread: usize, cell: TraceCell) -> bool {
        self.write_dependents(state, thread, cell) != 0 || self.writers(state, thread, cell) != 0
    }

    /// Does all that may as well happen at once; what cells hold that nobody will read is forgotten.
    pub(super) fn run_unnoticed(&self, state: &mut Words, steps: &mut Vec<Step>) {
        loop {
            let mut moved = false;
            for thread in 0..self.threads {
                while let Some(kind) = self.next(state, thread) {
                    if !self.is_unnoticed(state, thread, kind) || !self.is_enabled(state, thread, kind) {
                        break;
                    }
                    self.happen(state, thread, kind);
                    steps.push(Step::Event(ThreadId::at(thread)));
                    moved = true;
                }
            }
            for queue in 0..self.queues.len() {
                while self.may_flush(state, queue) {
                    let Some(store) = self.head(state, queue) else { break };
                    let (thread, cell) = (self.queues[queue].thread, store.cell);
                    if self.write_dependents(state, thread, cell) != 0 {
                        break;
                    }
                    self.flush(state, queue);
                    steps.push(Step::Flush(ThreadId::at(thread), cell));
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        if !self.keeps_memory {
            for cell in 0..self.cells {
                if !self.is_live(state, TraceCell::at(cell)) {
                    self.layout.put(state, TraceCell::at(cell), ValueId(0));
                }
            }
        }
    }

    /// Whether somebody may still read what a cell holds.
    pub(super) fn is_live(&self, state: &Words, cell: TraceCell) -> bool {
        self.keeps_memory || agents(self.readers[cell.index()]).any(|thread| self.reads(state, thread, cell))
    }

    pub(super) fn reads(&self, state: &Words, thread: usize, cell: TraceCell) -> bool {
        let is_done =
            self.target.is_some_and(|(other, _)| other.index() == thread) && self.layout.taken(state).is_some();
        !is_done && self.last_read[thread * self.cells + cell.index()] > self.layout.position(state, thread)
    }

    /// Does the thread's next event as in the class.
    pub(super) fn happen(&self, state: &mut Words, thread: usize, kind: &Kind) {
        match kind {
            Kind::Write { cell, value, direct } if *direct || !self.machine.has_buffers() => {
                self.layout.put(state, *cell, *value);
            }
            Kind::Update { cell, written: Some(written), .. } => self.layout.put(state, *cell, *written),
            Kind::Atomic(accesses) => {
                for access in accesses {
                    if let Access::Write { cell, value } = access {
                        self.layout.put(state, *cell, *value);
                    }
                }
            }
            Kind::Lock(monitor) => self.layout.lock(state, thread, *monitor, 1),
            Kind::Resume(monitor, times) => {
                self.layout.set_notified(state, thread, false);
                self.layout.lock(state, thread, *monitor, *times);
            }
            Kind::Unlock(monitor) => self.layout.unlock(state, *monitor),
            Kind::Release(monitor) => self.layout.release(state, *monitor),
            Kind::Notify { monitor, all, picked } => self.wake(state, *monitor, *all, *picked),
            Kind::Spawn(started) => self.layout.spawn(state, started.index()),
            Kind::Park => self.layout.set_permit(state, thread, false),
            Kind::Unpark(other) => self.layout.set_permit(state, other.index(), true),
            _ => {}
        }
        self.layout.advance(state, thread);
    }

    /// The target gets something else than in the class. What it then does to memory is not known, see `touched`.
    pub(super) fn happen_otherwise(&self, state: &mut Words, thread: usize, label: u32) {
        self.layout.take(state, label);
        match &self.trace.threads[thread].events[self.layout.position(state, thread) as usize].kind {
            Kind::Lock(monitor) => self.layout.lock(state, thread, *monitor, 1),
            Kind::Resume(monitor, times) => {
                self.layout.set_notified(state, thread, false);
                self.layout.lock(state, thread, *monitor, *times);
            }
            Kind::Notify { monitor, .. } => self.wake(state, *monitor, false, label),
            Kind::Park => self.layout.set_permit(state, thread, false),
            _ => {}
        }
    }

    pub(super) fn wake(&self, state: &mut Words, monitor: TraceMonitor, all: bool, picked: u32) {
        let waiting = self.waiting(state, monitor);
        let first = picked.saturating_sub(1) as usize;
        let woken = if all { &waiting[..] } else { waiting.get(first..=first).unwrap_or_default() };
        woken.iter().for_each(|woken| self.layout.set_notified(state, *woken, true));
    }

    pub(super) fn flush(&self, state: &mut Words, queue: usize) {
        if let Some(Store { cell, value, .. }) = self.head(state, queue) {
            self.layout.put(state, *cell, *value);
            self.layout.note_flush(state, queue);
        }
    }

    /// What the target could get now instead of what it gets in the class.
    pub(super) fn labels(&self, state: &Words, thread: usize) -> Vec<u32> {
        let Some(event) = self.trace.threads[thread].events.get(self.layout.position(state, thread) as usize) else {
            return Vec::new();
        };
        let is_blocked = self.trace.threads[thread].end == End::Blocked
            && self.layout.position(state, thread) as usize + 1 == self.trace.threads[thread].events.len();
        let kind = &event.kind;
        match (&self.alternatives, kind) {
            (Alternatives::Everything, _) => return vec![0],
            (Alternatives::Listed(listed), _) => return self.listed(state, thread, kind, listed),
            _ => {}
        }
        if !self.is_free(state, thread, kind) {
            return Vec::new();
        }
        if let Alternatives::Blocks { free, listed } = &self.alternatives {
            let is_free = |cell: Option<TraceCell>| cell.is_none_or(|cell| self.held(state, cell) == *free);
            return listed.iter().filter(|(_, cell)| is_free(*cell)).map(|(label, _)| *label).collect();
        }
        match kind {
            _ if is_blocked => vec![0],
            Kind::Read { cell, value } => {
                let seen = self.seen(state, thread, *cell);
                if seen == *value { Vec::new() } else { vec![seen.0] }
            }
            Kind::Update { cell, value, picked, .. } => {
                let seen = self.held(state, *cell);
                match picked {
                    _ if seen != *value => vec![seen.0],
                    Some(0) => vec![seen.0 | FAILED],
                    Some(_) => vec![seen.0],
                    None => Vec::new(),
                }
            }
            Kind::Choice { picked, ways } => (0..*ways).filter(|way| way != picked).collect(),
            Kind::Notify { monitor, all: false, picked } => {
                let waiting = self.waiting(state, *monitor).len() as u32;
                let labels = if waiting < 2 { 0..1 } else { 1..waiting + 1 };
                labels.filter(|label| label != picked).collect()
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn listed(&self, state: &Words, thread: usize, kind: &Kind, listed: &[Alternative]) -> Vec<u32> {
        let Some((cell, value)) = first_read(kind) else { return Vec::new() };
        if !self.is_flushed_before(state, thread, self.load_fence(state, thread)) {
            return Vec::new();
        }
        let seen = self.seen(state, thread, cell);
        let alternative = listed.iter().find(|other| other.value == seen && seen != value);
        match alternative {
            Some(Alternative { waits, .. }) if !waits || self.is_drained(state, thread) => vec![seen.0],
            _ => Vec::new(),
        }
    }
}
