//! The executions whose threads follow prefixes of a class.

use sat::Lit;

use super::{Encoding, Form, Section, Write, events, reads, sections, waited_for};
use crate::histories::id::{TraceCell, TraceMonitor};
use crate::histories::trace::{End, Kind, Value};
use operational::memory::Machine;

impl Encoding<'_> {
    /// Prefixes are prefixes, in program order; events that never happened are in none.
    pub(super) fn prefixes(&mut self) {
        for thread in 0..self.within.len() {
            for event in 1..self.within[thread].len() {
                let (this, last) = (self.within[thread][event], self.within[thread][event - 1]);
                self.implies(this, last);
                let node = self.node(thread, event);
                self.fixed_edge(node - 1, node);
            }
            if let (End::Blocked, Some(last)) = (self.trace.threads[thread].end, self.within[thread].last()) {
                self.solver.clause(&[!*last]);
            }
        }
    }

    /// Threads begin after they are started; who waits for their end comes after it.
    pub(super) fn threads(&mut self) {
        for thread in 0..self.within.len() {
            if let (Some(first), Some((starter, event))) =
                (self.within[thread].first().copied(), self.started_by[thread])
            {
                self.implies(first, self.within[starter][event]);
                let (from, to) = (self.node(starter, event), self.node(thread, 0));
                self.fixed_edge(from, to);
            }
        }
        let trace = self.trace;
        for (thread, event, kind) in events(trace) {
            for other in waited_for(kind) {
                self.follows_the_end(thread, event, other.index());
            }
        }
    }

    fn follows_the_end(&mut self, thread: usize, event: usize, other: usize) {
        let this = self.within[thread][event];
        let node = self.node(thread, event);
        match self.over(other) {
            None => self.solver.clause(&[!this]),
            Some(conditions) => conditions.into_iter().for_each(|condition| self.implies(this, condition)),
        }
        if let Some((starter, start)) = self.started_by[other] {
            let from = self.node(starter, start);
            self.fixed_edge(from, node);
        }
        if let Some(last) = self.within[other].len().checked_sub(1) {
            let from = self.node(other, last);
            self.fixed_edge(from, node);
        }
        for write in self.buffered[other].clone() {
            self.fixed_edge(self.writes[write].node, node);
        }
    }

    /// What says that a thread is over; `None` if it never is.
    pub(super) fn over(&self, thread: usize) -> Option<Vec<Lit>> {
        let end = self.trace.threads.get(thread).map(|thread| (thread.end, thread.is_initial));
        let has_started = match (end, self.started_by.get(thread).copied().flatten()) {
            (Some((End::Over, true)), _) => None,
            (Some((End::Over, false)), Some((starter, event))) => Some(self.within[starter][event]),
            _ => return None,
        };
        let stores = self.buffered[thread].iter().map(|write| self.writes[*write].there);
        Some(self.within[thread].last().copied().into_iter().chain(has_started).chain(stores).collect())
    }

    /// Stores get to memory after they were issued, in the order of the machine, and before what waits for them.
    pub(super) fn buffers(&mut self) {
        for thread in 0..self.within.len() {
            let own = self.buffered[thread].clone();
            for (index, write) in own.iter().copied().enumerate() {
                let Write { event, node, there, .. } = self.writes[write];
                self.implies(there, self.within[thread][event]);
                let issued = self.node(thread, event);
                self.fixed_edge(issued, node);
                for earlier in own[..index].iter().copied() {
                    if self.stays_behind(earlier, write) {
                        self.implies(there, self.writes[earlier].there);
                        self.fixed_edge(self.writes[earlier].node, node);
                    }
                }
                for waiting in self.waiting_for(write) {
                    let this = self.within[thread][waiting];
                    self.implies(this, there);
                    let to = self.node(thread, waiting);
                    self.fixed_edge(node, to);
                }
            }
        }
    }

    /// Whether the second of two stores of a thread may not overtake the first.
    fn stays_behind(&self, first: usize, second: usize) -> bool {
        let (first, second) = (&self.writes[first], &self.writes[second]);
        let fences = &self.fences[first.thread];
        let is_fenced = fences[second.event][0] > fences[first.event][0];
        self.machine == Machine::Tso || first.cell == second.cell || is_fenced
    }

    /// The events of its thread that a store must be in memory for: the next one that waits for all stores, which all later ones come
    /// after, and before it loads after a fence for loads; in the printed form every load of the cell.
    fn waiting_for(&self, write: usize) -> Vec<usize> {
        let Write { thread, event, .. } = self.writes[write];
        let events = &self.trace.threads[thread].events;
        let last = (event + 1..events.len()).find(|later| events[*later].kind.drains());
        let until = last.map_or(events.len(), |last| last + 1);
        (event + 1..until).filter(|later| self.needs(write, *later)).collect()
    }

    /// Whether a later event of its thread waits for a store.
    pub(super) fn needs(&self, write: usize, later: usize) -> bool {
        let events = &self.trace.threads[self.writes[write].thread].events;
        match &events[later].kind {
            Kind::Read { cell: read, .. } => self.is_before_load(write, later, *read),
            kind => kind.drains(),
        }
    }

    /// Whether a store has to be in memory before a later load of a cell by its thread.
    pub(super) fn is_before_load(&self, write: usize, later: usize, read: TraceCell) -> bool {
        let Write { thread, event, cell, .. } = self.writes[write];
        let fences = &self.fences[thread];
        let is_fenced = !self.machine.keeps_stores_in_order() && fences[later][1] > fences[event + 1][1];
        is_fenced || self.form == Form::Printed && read == cell
    }

    /// Who holds a monitor keeps others out.
    pub(super) fn monitors(&mut self) {
        for monitor in (0..self.trace.monitors).map(TraceMonitor) {
            let sections = sections(self.trace, monitor);
            for (index, first) in sections.iter().enumerate() {
                for second in sections[index + 1..].iter().filter(|second| second.thread != first.thread) {
                    self.exclude(first, second);
                }
            }
        }
    }

    fn exclude(&mut self, first: &Section, second: &Section) {
        let is_first = self.solver.fresh();
        for (one, other, order) in [(first, second, is_first), (second, first, !is_first)] {
            let both = [!self.within[one.thread][one.taken], !self.within[other.thread][other.taken], !order];
            match one.released {
                None => self.solver.clause(&both),
                Some(released) => {
                    let [a, b, c] = both;
                    self.solver.clause(&[a, b, c, self.within[one.thread][released]]);
                    let (from, to) = (self.node(one.thread, released), self.node(other.thread, other.taken));
                    self.guarded_edge(from, to, order);
                }
            }
        }
    }

    /// Every read of the prefix gets what it got in the class.
    pub(super) fn reads(&mut self) {
        let trace = self.trace;
        for (thread, event, kind) in events(trace) {
            for (cell, value) in reads(kind) {
                let mut clause = vec![!self.within[thread][event]];
                self.sources(thread, event, (cell, value), &mut clause);
                self.solver.clause(&clause);
            }
        }
    }

    /// Adds to the clause what says that an event finds the value in the cell.
    pub(super) fn sources(
        &mut self,
        thread: usize,
        event: usize,
        (cell, value): (TraceCell, Value),
        clause: &mut Vec<Lit>,
    ) {
        let node = self.node(thread, event);
        let own = self.own_store(thread, event, cell);
        let is_other = |write: &Write| (write.thread, write.event) != (thread, event);
        let mut writes = self.by_cell[cell.index()].clone();
        writes.retain(|write| is_other(&self.writes[*write]));
        for source in self.with_value(&writes, value) {
            let seen = self.solver.fresh();
            clause.push(seen);
            let (from, there) = (self.writes[source].node, self.writes[source].there);
            self.implies(seen, there);
            let comes_first = self.before(from, node);
            self.implies(seen, comes_first);
            if let Some(own) = own.filter(|own| *own != source) {
                self.implies(seen, self.writes[own].there);
                let hidden = self.before(self.writes[own].node, from);
                self.implies(seen, hidden);
            }
            for other in writes.iter().copied().filter(|other| *other != source) {
                let (other, there) = (self.writes[other].node, self.writes[other].there);
                let (earlier, later) = (self.before(other, from), self.before(node, other));
                self.solver.clause(&[!seen, !there, earlier, later]);
            }
        }
        self.sources_beside_memory((node, own), (cell, value), &writes, clause);
    }

    pub(super) fn with_value(&self, writes: &[usize], value: Value) -> Vec<usize> {
        writes.iter().copied().filter(|write| self.writes[*write].value == value).collect()
    }

    /// The thread's own store that is still on its way, and the initial value.
    fn sources_beside_memory(
        &mut self,
        (node, own): (u32, Option<usize>),
        (cell, value): (TraceCell, Value),
        writes: &[usize],
        clause: &mut Vec<Lit>,
    ) {
        match own {
            Some(own) if self.writes[own].is_buffered && self.writes[own].value == value => {
                let forwarded = self.solver.fresh();
                clause.push(forwarded);
                let there = self.writes[own].there;
                let later = self.before(node, self.writes[own].node);
                self.solver.clause(&[!forwarded, !there, later]);
            }
            None if self.trace.initial[cell.index()] == value => {
                let initial = self.solver.fresh();
                clause.push(initial);
                for write in writes {
                    let (other, there) = (self.writes[*write].node, self.writes[*write].there);
                    let later = self.before(node, other);
                    self.solver.clause(&[!initial, !there, later]);
                }
            }
            _ => {}
        }
    }

    /// The thread's last store to the cell before the event.
    pub(super) fn own_store(&self, thread: usize, event: usize, cell: TraceCell) -> Option<usize> {
        let is_own = |write: &usize| self.writes[*write].thread == thread && self.writes[*write].event < event;
        self.by_cell[cell.index()].iter().copied().filter(is_own).max_by_key(|write| self.writes[*write].event)
    }
}
