//! Stubborn sets: which agents have to be tried in a state.

use crate::histories::id::{TraceCell, TraceMonitor};
use crate::histories::project::Alternatives;
use crate::histories::trace::{Access, Kind};

use super::layout::Words;
use super::plan::{Plan, agents};
use super::{MOST_AGENTS, Mask};

impl Plan<'_> {
    pub(super) fn agent_of_queue(&self, queue: usize) -> Mask {
        1 << (self.threads + queue)
    }

    /// Agents of other threads that may still write a cell.
    pub(super) fn writers(&self, state: &Words, thread: usize, cell: TraceCell) -> Mask {
        let is_open = |agent: &usize| match agent.checked_sub(self.threads) {
            None => {
                *agent != thread
                    && self.last_write[agent * self.cells + cell.index()] > self.layout.position(state, *agent)
            }
            Some(queue) => {
                let flushed = self.layout.flushed(state, queue);
                self.queues[queue].thread != thread && self.last_store[queue * self.cells + cell.index()] > flushed
            }
        };
        agents(self.writers[cell.index()]).filter(is_open).fold(0, |mask, agent| mask | 1 << agent)
    }

    /// Agents for which it matters whether the thread's write to a cell has happened.
    pub(super) fn write_dependents(&self, state: &Words, thread: usize, cell: TraceCell) -> Mask {
        let is_open = |other: &usize| *other != thread && self.reads(state, *other, cell);
        let mut mask = agents(self.readers[cell.index()]).filter(is_open).fold(0, |mask, other| mask | 1 << other);
        if mask != 0 || self.keeps_memory || self.reads(state, thread, cell) {
            mask |= self.writers(state, thread, cell);
        }
        mask
    }

    /// Agents that may interfere with the thread's next event, which can happen.
    pub(super) fn dependents(&self, state: &Words, thread: usize, kind: &Kind) -> Mask {
        match kind {
            Kind::Read { cell, .. } => {
                let own = self.own[thread].iter().fold(0, |mask, queue| mask | self.agent_of_queue(*queue));
                own | self.writers(state, thread, *cell)
            }
            Kind::Write { cell, .. } => self.write_dependents(state, thread, *cell),
            Kind::Update { cell, .. } => {
                self.write_dependents(state, thread, *cell) | self.writers(state, thread, *cell)
            }
            Kind::Atomic(accesses) => accesses.iter().fold(0, |mask, access| {
                mask | match access {
                    Access::Read { cell, .. } => self.writers(state, thread, *cell),
                    Access::Write { cell, .. } => self.write_dependents(state, thread, *cell),
                    Access::Choice { .. } => 0,
                }
            }),
            Kind::Lock(monitor) | Kind::Resume(monitor, _) => self.users(state, thread, *monitor),
            Kind::Park => self.unparkers(state, thread),
            Kind::Unpark(other) if self.last_park[other.index()] > self.layout.position(state, other.index()) => {
                1 << other.index()
            }
            _ => 0,
        }
    }

    pub(super) fn users(&self, state: &Words, thread: usize, monitor: TraceMonitor) -> Mask {
        if monitor.index() >= self.monitors {
            return 0;
        }
        let uses = |other: &usize| {
            self.last_use[other * self.monitors + monitor.index()] > self.layout.position(state, *other)
        };
        (0..self.threads).filter(|other| *other != thread).filter(uses).fold(0, |mask, other| mask | 1 << other)
    }

    pub(super) fn unparkers(&self, state: &Words, thread: usize) -> Mask {
        let unparks =
            |other: &usize| self.last_unpark[other * self.threads + thread] > self.layout.position(state, *other);
        (0..self.threads).filter(unparks).fold(0, |mask, other| mask | 1 << other)
    }

    /// Agents that may interfere with what the target gets.
    pub(super) fn target_dependents(&self, state: &Words, thread: usize, kind: &Kind) -> Mask {
        if self.alternatives == Alternatives::Everything {
            return self.all();
        }
        let mut own = self.own[thread].iter().fold(0, |mask, queue| mask | self.agent_of_queue(*queue));
        for cell in (0..self.cells).filter(|cell| self.touched[*cell]) {
            own |= self.write_dependents(state, thread, TraceCell::at(cell))
                | self.writers(state, thread, TraceCell::at(cell));
        }
        match kind {
            _ if matches!(self.alternatives, Alternatives::Blocks { .. }) => own,
            Kind::Read { cell, .. } | Kind::Update { cell, .. } => own | self.writers(state, thread, *cell),
            Kind::Atomic(accesses) => accesses.iter().fold(own, |mask, access| match access {
                Access::Read { cell, .. } => mask | self.writers(state, thread, *cell),
                _ => mask,
            }),
            Kind::Lock(monitor) | Kind::Resume(monitor, _) => self.users(state, thread, *monitor),
            Kind::Park => self.unparkers(state, thread),
            _ => 0,
        }
    }

    pub(super) fn all(&self) -> Mask {
        let agents = self.threads + self.queues.len();
        if agents >= MOST_AGENTS { Mask::MAX } else { (1 << agents) - 1 }
    }

    /// Agents one of which has to act before the thread can do its next event.
    pub(super) fn needed(&self, state: &Words, thread: usize) -> Mask {
        if !self.layout.is_started(state, thread) {
            return self.starters[thread].map_or(0, |starter| 1 << starter);
        }
        let is_target = self.at_target(state, thread);
        let events = &self.trace.threads[thread].events;
        let Some(event) = events
            .get(self.layout.position(state, thread) as usize)
            .filter(|_| is_target || self.layout.position(state, thread) < self.limits[thread])
        else {
            return 0;
        };
        if is_target {
            return self.target_dependents(state, thread, &event.kind) | self.needed_for(state, thread, &event.kind);
        }
        self.needed_for(state, thread, &event.kind)
    }

    pub(super) fn needed_for(&self, state: &Words, thread: usize, kind: &Kind) -> Mask {
        let load_fence = if matches!(kind, Kind::Read { .. }) { self.load_fence(state, thread) } else { 0 };
        let until = if kind.drains() { u32::MAX } else { load_fence };
        let mut behind =
            self.own[thread].iter().filter(|queue| self.head(state, **queue).is_some_and(|store| store.event < until));
        if let Some(queue) = behind.next() {
            return self.agent_of_queue(*queue);
        }
        match kind {
            Kind::Lock(monitor) if !self.may_lock(state, thread, *monitor) => self.holder(state, *monitor),
            Kind::Resume(monitor, _) if !self.layout.is_notified(state, thread) => self.users(state, thread, *monitor),
            Kind::Resume(monitor, _) => self.holder(state, *monitor),
            Kind::Join(other) => self.end_of(state, other.index()),
            Kind::Turn(others) => {
                let open = others.iter().find(|other| !self.is_over(state, other.index()));
                open.map_or(0, |other| self.end_of(state, other.index()))
            }
            Kind::Park => self.unparkers(state, thread),
            Kind::Read { cell, .. } => match self.pending(state, thread, *cell) {
                Some((queue, _)) => self.agent_of_queue(queue),
                None => self.writers(state, thread, *cell),
            },
            kind => match self.mismatch(state, thread, kind) {
                Some(TraceCell::NONE) | None => 0,
                Some(cell) => self.writers(state, thread, cell),
            },
        }
    }

    pub(super) fn holder(&self, state: &Words, monitor: TraceMonitor) -> Mask {
        self.layout.holder(state, monitor).map_or(0, |holder| 1 << holder)
    }

    pub(super) fn end_of(&self, state: &Words, thread: usize) -> Mask {
        let Some(of) = self.trace.threads.get(thread) else { return 0 };
        if (self.layout.position(state, thread) as usize) < of.events.len() {
            return 1 << thread;
        }
        let mut open = self.own[thread].iter().filter(|queue| self.head(state, **queue).is_some());
        open.next().map_or(1 << thread, |queue| self.agent_of_queue(*queue))
    }

    /// Agents that can act now.
    pub(super) fn enabled(&self, state: &Words) -> Mask {
        let mut mask = 0;
        for thread in 0..self.threads {
            let can = match self.next(state, thread) {
                Some(kind) => self.is_enabled(state, thread, kind),
                None => self.at_target(state, thread) && !self.labels(state, thread).is_empty(),
            };
            mask |= Mask::from(can) << thread;
        }
        for queue in 0..self.queues.len() {
            mask |= Mask::from(self.may_flush(state, queue)) << (self.threads + queue);
        }
        mask
    }

    /// A stubborn set that contains the agent, given which agents can act.
    pub(super) fn closure(&self, state: &Words, seed: usize, enabled: Mask) -> Mask {
        let mut set: Mask = 1 << seed;
        let mut open = set;
        while open != 0 {
            let agent = open.trailing_zeros() as usize;
            open &= open - 1;
            let can = enabled >> agent & 1 == 1;
            let more = if agent >= self.threads {
                self.beside_queue(state, agent - self.threads, can)
            } else if !can {
                self.needed(state, agent)
            } else if let Some(kind) = self.next(state, agent) {
                self.dependents(state, agent, kind)
            } else {
                let event = &self.trace.threads[agent].events[self.layout.position(state, agent) as usize];
                self.target_dependents(state, agent, &event.kind)
            };
            open |= more & !set;
            set |= more;
        }
        set
    }

    pub(super) fn beside_queue(&self, state: &Words, queue: usize, can: bool) -> Mask {
        let thread = self.queues[queue].thread;
        match self.head(state, queue) {
            Some(store) if can => self.write_dependents(state, thread, store.cell),
            Some(store) => {
                let is_behind =
                    |other: &&usize| self.head(state, **other).is_some_and(|behind| behind.event < store.after);
                self.own[thread].iter().find(is_behind).map_or(0, |other| self.agent_of_queue(*other))
            }
            None if (self.layout.flushed(state, queue) as usize) < self.queues[queue].stores.len() => 1 << thread,
            None => 0,
        }
    }

    /// The agents whose steps are tried.
    pub(super) fn tried(&self, state: &Words, enabled: Mask) -> Mask {
        let mut best = enabled;
        let mut open = enabled;
        while open != 0 && best.count_ones() > 1 {
            let seed = open.trailing_zeros() as usize;
            open &= open - 1;
            let set = self.closure(state, seed, enabled) & enabled;
            if set.count_ones() < best.count_ones() {
                best = set;
            }
        }
        best
    }
}
