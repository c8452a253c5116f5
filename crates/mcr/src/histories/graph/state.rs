//! States of a trace: what can happen in them, and what becomes of them.

use crate::histories::history::{FAILED, NONE};
use crate::histories::project::{Alternative, Alternatives};
use crate::histories::trace::{Access, Cell, End, Kind, Step, Value, first_read};

use super::plan::{NOTIFIED, PERMIT, Plan, Queue, STARTED, Store, agents};

impl<'t> Plan<'t> {
    /// The thread's next event, if it may do one as in the class.
    pub(super) fn next(&self, state: &[u32], thread: usize) -> Option<&'t Kind> {
        let at = state[thread];
        let may = at < self.limits[thread] && state[self.flags(thread)] & STARTED != 0;
        may.then(|| &self.trace.threads[thread].events[at as usize].kind)
    }

    /// Whether the thread stands at the target.
    pub(super) fn at_target(&self, state: &[u32], thread: usize) -> bool {
        let is_there = self.target.is_some_and(|(other, event)| other as usize == thread && state[thread] == event);
        is_there && state[self.taken()] == 0 && state[self.flags(thread)] & STARTED != 0
    }

    /// The next store of a queue that is not in memory, if the thread has come to it.
    pub(super) fn head(&self, state: &[u32], queue: usize) -> Option<&Store> {
        let Queue { thread, stores } = &self.queues[queue];
        stores.get(state[self.flushed(queue)] as usize).filter(|store| store.event < state[*thread])
    }

    pub(super) fn is_drained(&self, state: &[u32], thread: usize) -> bool {
        self.own[thread].iter().all(|queue| self.head(state, *queue).is_none())
    }

    /// Whether all stores of the thread before an event are in memory.
    pub(super) fn is_flushed_before(&self, state: &[u32], thread: usize, event: u32) -> bool {
        let is_behind = |queue: &usize| self.head(state, *queue).is_some_and(|store| store.event < event);
        !self.own[thread].iter().any(is_behind)
    }

    pub(super) fn may_flush(&self, state: &[u32], queue: usize) -> bool {
        let Some(store) = self.head(state, queue) else { return false };
        !self.is_touched(state, store.cell) && self.is_flushed_before(state, self.queues[queue].thread, store.after)
    }

    /// The thread's own newest store to a cell that is not in memory.
    pub(super) fn pending(&self, state: &[u32], thread: usize, cell: Cell) -> Option<(usize, Value)> {
        self.own[thread].iter().find_map(|queue| {
            let stores = &self.queues[*queue].stores[state[self.flushed(*queue)] as usize..];
            let issued = stores.iter().take_while(|store| store.event < state[thread]);
            issued.filter(|store| store.cell == cell).last().map(|store| (*queue, store.value))
        })
    }

    pub(super) fn held(&self, state: &[u32], cell: Cell) -> Value {
        state[self.memory() + cell as usize]
    }

    pub(super) fn seen(&self, state: &[u32], thread: usize, cell: Cell) -> Value {
        self.pending(state, thread, cell).map_or_else(|| self.held(state, cell), |(_, value)| value)
    }

    /// The event up to which stores have to be in memory before the thread can load.
    pub(super) fn load_fence(&self, state: &[u32], thread: usize) -> u32 {
        let fences = &self.load_fences[thread];
        fences.iter().rev().find(|fence| **fence <= state[thread]).copied().unwrap_or(0)
    }

    pub(super) fn is_over(&self, state: &[u32], thread: usize) -> bool {
        let Some(of) = self.trace.threads.get(thread) else { return false };
        let is_at_end = state[thread] as usize == of.events.len() && of.end == End::Over;
        is_at_end && state[self.flags(thread)] & STARTED != 0 && self.is_drained(state, thread)
    }

    /// How many threads wait at a monitor and were not notified.
    pub(super) fn waiting(&self, state: &[u32], monitor: u32) -> Vec<usize> {
        let waits = |thread: &usize| {
            let event = self.trace.threads[*thread].events.get(state[*thread] as usize).map(|event| &event.kind);
            let is_there = matches!(event, Some(Kind::Resume(other, _)) if *other == monitor);
            is_there && state[self.flags(*thread)] & (STARTED | NOTIFIED) == STARTED
        };
        (0..self.threads).filter(waits).collect()
    }

    pub(super) fn may_lock(&self, state: &[u32], thread: usize, monitor: u32) -> bool {
        let holder = if (monitor as usize) < self.monitors { state[self.monitor(monitor)] >> 16 } else { 0 };
        holder == 0 || holder == thread as u32 + 1
    }

    /// Whether the event can happen but for what it reads.
    pub(super) fn is_free(&self, state: &[u32], thread: usize, kind: &Kind) -> bool {
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
                state[self.flags(thread)] & NOTIFIED != 0 && self.may_lock(state, thread, *monitor)
            }
            Kind::Join(other) => self.is_over(state, *other as usize),
            Kind::Turn(others) => others.iter().all(|other| self.is_over(state, *other as usize)),
            Kind::Park => state[self.flags(thread)] & PERMIT != 0,
            _ => true,
        }
    }

    /// Whether the event can happen now as it does in the class.
    pub(super) fn is_enabled(&self, state: &[u32], thread: usize, kind: &Kind) -> bool {
        self.is_free(state, thread, kind) && self.mismatch(state, thread, kind).is_none()
    }

    /// The first cell whose value is not as in the class; [`NONE`] for something else that cannot change any more.
    pub(super) fn mismatch(&self, state: &[u32], thread: usize, kind: &Kind) -> Option<Cell> {
        match kind {
            Kind::Read { cell, value } => (self.seen(state, thread, *cell) != *value).then_some(*cell),
            Kind::Update { cell, value, .. } => (self.held(state, *cell) != *value).then_some(*cell),
            Kind::Atomic(accesses) => {
                let mut written: Vec<(Cell, Value)> = Vec::new();
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
                (!fits).then_some(NONE)
            }
            _ => None,
        }
    }

    /// Whether the event, if it can happen, may as well happen at once.
    pub(super) fn is_unnoticed(&self, state: &[u32], thread: usize, kind: &Kind) -> bool {
        match kind {
            // It could also come too late, and wait for ever.
            Kind::Read { .. } | Kind::Update { .. } | Kind::Atomic(_) if self.awaits(state, thread).is_some() => false,
            Kind::Write { direct: false, .. } if self.machine.has_buffers() => true,
            Kind::Write { cell, .. } => self.write_dependents(state, thread, *cell) == 0,
            Kind::Update { cell, written, .. } => {
                written.is_none() || (written.is_some() && !self.concerns_others(state, thread, *cell))
            }
            Kind::Atomic(accesses) => !accesses.iter().any(|access| matches!(access, Access::Write { .. })),
            Kind::Lock(monitor) => state[self.monitor(*monitor)] >> 16 == thread as u32 + 1,
            Kind::Resume(..) | Kind::Park | Kind::Unpark(_) => false,
            _ => true,
        }
    }

    /// Whether another thread may still read or write the cell.
    pub(super) fn concerns_others(&self, state: &[u32], thread: usize, cell: Cell) -> bool {
        self.write_dependents(state, thread, cell) != 0 || self.writers(state, thread, cell) != 0
    }

    /// Does all that may as well happen at once; what cells hold that nobody will read is forgotten.
    pub(super) fn settle(&self, state: &mut [u32], steps: &mut Vec<Step>) {
        loop {
            let mut moved = false;
            for thread in 0..self.threads {
                while let Some(kind) = self.next(state, thread) {
                    if !self.is_unnoticed(state, thread, kind) || !self.is_enabled(state, thread, kind) {
                        break;
                    }
                    self.happen(state, thread, kind);
                    steps.push(Step::Event(thread as u32));
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
                    steps.push(Step::Flush(thread as u32, cell));
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        if !self.keeps_memory {
            for cell in 0..self.cells {
                if !self.is_live(state, cell as Cell) {
                    state[self.memory() + cell] = 0;
                }
            }
        }
    }

    /// Whether somebody may still read what a cell holds.
    pub(super) fn is_live(&self, state: &[u32], cell: Cell) -> bool {
        self.keeps_memory || agents(self.readers[cell as usize]).any(|thread| self.reads(state, thread, cell))
    }

    pub(super) fn reads(&self, state: &[u32], thread: usize, cell: Cell) -> bool {
        let is_done = self.target.is_some_and(|(other, _)| other as usize == thread) && state[self.taken()] != 0;
        !is_done && self.last_read[thread * self.cells + cell as usize] > state[thread]
    }

    /// Does the thread's next event as in the class.
    pub(super) fn happen(&self, state: &mut [u32], thread: usize, kind: &Kind) {
        let memory = self.memory();
        match kind {
            Kind::Write { cell, value, direct } if *direct || !self.machine.has_buffers() => {
                state[memory + *cell as usize] = *value;
            }
            Kind::Update { cell, written: Some(written), .. } => state[memory + *cell as usize] = *written,
            Kind::Atomic(accesses) => {
                for access in accesses {
                    if let Access::Write { cell, value } = access {
                        state[memory + *cell as usize] = *value;
                    }
                }
            }
            Kind::Lock(monitor) => self.hold(state, thread, *monitor, 1),
            Kind::Resume(monitor, times) => {
                state[self.flags(thread)] &= !NOTIFIED;
                self.hold(state, thread, *monitor, *times);
            }
            Kind::Unlock(monitor) => {
                let held = &mut state[self.monitor(*monitor)];
                *held -= 1;
                if *held & 0xffff == 0 {
                    *held = 0;
                }
            }
            Kind::Release(monitor) => state[self.monitor(*monitor)] = 0,
            Kind::Notify { monitor, all, picked } => self.wake(state, *monitor, *all, *picked),
            Kind::Spawn(started) => state[self.flags(*started as usize)] |= STARTED,
            Kind::Park => state[self.flags(thread)] &= !PERMIT,
            Kind::Unpark(other) => state[self.flags(*other as usize)] |= PERMIT,
            _ => {}
        }
        state[thread] += 1;
    }

    /// The target gets something else than in the class. What it then does to memory is not known, see `touched`.
    pub(super) fn happen_otherwise(&self, state: &mut [u32], thread: usize, label: u32) {
        let taken = self.taken();
        state[taken] = label.wrapping_add(1).max(1);
        match &self.trace.threads[thread].events[state[thread] as usize].kind {
            Kind::Lock(monitor) => self.hold(state, thread, *monitor, 1),
            Kind::Resume(monitor, times) => {
                state[self.flags(thread)] &= !NOTIFIED;
                self.hold(state, thread, *monitor, *times);
            }
            Kind::Notify { monitor, .. } => self.wake(state, *monitor, false, label),
            Kind::Park => state[self.flags(thread)] &= !PERMIT,
            _ => {}
        }
    }

    pub(super) fn wake(&self, state: &mut [u32], monitor: u32, all: bool, picked: u32) {
        let waiting = self.waiting(state, monitor);
        let first = picked.saturating_sub(1) as usize;
        let woken = if all { &waiting[..] } else { waiting.get(first..=first).unwrap_or_default() };
        woken.iter().for_each(|woken| state[self.flags(*woken)] |= NOTIFIED);
    }

    pub(super) fn hold(&self, state: &mut [u32], thread: usize, monitor: u32, times: u32) {
        if (monitor as usize) < self.monitors {
            let held = &mut state[self.monitor(monitor)];
            *held = ((thread as u32 + 1) << 16) | ((*held & 0xffff) + times);
        }
    }

    pub(super) fn flush(&self, state: &mut [u32], queue: usize) {
        if let Some(Store { cell, value, .. }) = self.head(state, queue) {
            state[self.memory() + *cell as usize] = *value;
            state[self.flushed(queue)] += 1;
        }
    }

    /// What the target could get now instead of what it gets in the class.
    pub(super) fn labels(&self, state: &[u32], thread: usize) -> Vec<u32> {
        let Some(event) = self.trace.threads[thread].events.get(state[thread] as usize) else { return Vec::new() };
        let is_blocked = self.trace.threads[thread].end == End::Blocked
            && state[thread] as usize + 1 == self.trace.threads[thread].events.len();
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
            let is_free = |cell: Option<Cell>| cell.is_none_or(|cell| self.held(state, cell) == *free);
            return listed.iter().filter(|(_, cell)| is_free(*cell)).map(|(label, _)| *label).collect();
        }
        match kind {
            _ if is_blocked => vec![0],
            Kind::Read { cell, value } => {
                let seen = self.seen(state, thread, *cell);
                if seen == *value { Vec::new() } else { vec![seen] }
            }
            Kind::Update { cell, value, picked, .. } => {
                let seen = self.held(state, *cell);
                match picked {
                    _ if seen != *value => vec![seen],
                    Some(0) => vec![seen | FAILED],
                    Some(_) => vec![seen],
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

    pub(super) fn listed(&self, state: &[u32], thread: usize, kind: &Kind, listed: &[Alternative]) -> Vec<u32> {
        let Some((cell, value)) = first_read(kind) else { return Vec::new() };
        if !self.is_flushed_before(state, thread, self.load_fence(state, thread)) {
            return Vec::new();
        }
        let seen = self.seen(state, thread, cell);
        let alternative = listed.iter().find(|other| other.value == seen && seen != value);
        match alternative {
            Some(Alternative { waits, .. }) if !waits || self.is_drained(state, thread) => vec![seen],
            _ => Vec::new(),
        }
    }
}
