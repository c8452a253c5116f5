//! What is asked: untried branches of a class, and prefixes after which no thread can go on.

use sat::Lit;

use super::{Block, Encoding, WayOut, Write, events, failed, sections, waited_for};
use crate::histories::block::{Stores, Way};
use crate::histories::id::{TraceCell, TraceMonitor};
use crate::histories::trace::{End, Kind, Value};

impl Encoding<'_> {
    pub(super) fn ways_out(&mut self) {
        let trace = self.trace;
        for (thread, event, kind) in events(trace) {
            let is_blocked = trace.threads[thread].end == End::Blocked && event + 1 == self.within[thread].len();
            if let Some(block) = self.block(thread, event) {
                self.ways_out_of_block(block);
                continue;
            }
            match kind {
                Kind::Read { cell, value } => self.other_reads(thread, event, *cell, *value),
                Kind::Update { cell, value, picked, .. } => {
                    for other in self.values_of(*cell).into_iter().filter(|other| other != value) {
                        self.way_with(thread, event, other.0, *cell, other);
                    }
                    if let Some(picked) = picked {
                        self.way_with(thread, event, value.0 | failed(1 - *picked), *cell, *value);
                    }
                }
                Kind::Choice { picked, ways } => {
                    for label in (0..*ways).filter(|label| label != picked) {
                        let taken = self.way_out(thread, event);
                        self.ways_out.push(WayOut { thread, event, label, taken, node: None });
                    }
                }
                Kind::Lock(monitor) if is_blocked => {
                    self.way_by_free_monitor(thread, event, *monitor);
                }
                Kind::Resume(monitor, _) if is_blocked => self.way_by_notification(thread, event, *monitor),
                Kind::Notify { monitor, all: false, picked } => {
                    self.ways_out_of_notify(thread, event, (*monitor, *picked));
                }
                Kind::Park if is_blocked => self.way_by_permit(thread, event),
                Kind::Join(_) | Kind::Turn(_) if is_blocked => self.way_by_ends(thread, event, kind),
                _ => {}
            }
        }
        let clause: Vec<Lit> = std::iter::once(!self.leaves).chain(self.ways_out.iter().map(|way| way.taken)).collect();
        self.solver.clause(&clause);
    }

    /// A literal that says that the thread is before this event, which could happen as far as its own stores go.
    pub(super) fn way_out(&mut self, thread: usize, event: usize) -> Lit {
        let taken = self.solver.fresh();
        self.stands_before(taken, thread, event);
        for write in self.buffered[thread].clone() {
            if self.writes[write].event < event && self.needs(write, event) {
                self.implies(taken, self.writes[write].there);
            }
        }
        taken
    }

    fn stands_before(&mut self, condition: Lit, thread: usize, event: usize) {
        let next = self.within[thread][event];
        self.implies(condition, !next);
        let last = match event.checked_sub(1) {
            Some(last) => Some(self.within[thread][last]),
            None => self.started_by[thread].map(|(starter, start)| self.within[starter][start]),
        };
        if let Some(last) = last {
            self.implies(condition, last);
        }
    }

    /// A read gets any other value of the cell. It changes nothing, so others may go on after it.
    fn other_reads(&mut self, thread: usize, event: usize, cell: TraceCell, value: Value) {
        for label in self.values_of(cell).into_iter().filter(|other| *other != value) {
            let taken = self.way_out(thread, event);
            let mut clause = vec![!taken];
            self.sources(thread, event, (cell, label), &mut clause);
            self.solver.clause(&clause);
            let node = Some(self.node(thread, event));
            self.ways_out.push(WayOut { thread, event, label: label.0, taken, node });
        }
    }

    fn values_of(&self, cell: TraceCell) -> Vec<Value> {
        let written = self.by_cell[cell.index()].iter().map(|write| self.writes[*write].value);
        let mut values: Vec<Value> = written.chain([self.trace.initial[cell.index()]]).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The event goes another way when it finds the value in the cell.
    fn way_with(&mut self, thread: usize, event: usize, label: u32, cell: TraceCell, value: Value) {
        let taken = self.way_out(thread, event);
        self.finds(taken, thread, event, cell, value);
        self.ways_out.push(WayOut { thread, event, label, taken, node: None });
    }

    /// At the end of the prefix the thread would find the value in the cell.
    fn finds(&mut self, condition: Lit, thread: usize, event: usize, cell: TraceCell, value: Value) {
        let own = self.own_store(thread, event, cell);
        let writes = self.by_cell[cell.index()].clone();
        let mut clause = vec![!condition];
        for source in self.with_value(&writes, value) {
            let seen = self.solver.fresh();
            clause.push(seen);
            let (from, there) = (self.writes[source].node, self.writes[source].there);
            self.implies(seen, there);
            if let Some(own) = own {
                self.implies(seen, self.writes[own].there);
            }
            for other in writes.iter().copied().filter(|other| *other != source) {
                let (other, there) = (self.writes[other].node, self.writes[other].there);
                let earlier = self.before(other, from);
                self.solver.clause(&[!seen, !there, earlier]);
            }
        }
        match own {
            Some(own) if self.writes[own].is_buffered && self.writes[own].value == value => {
                // Its newest store is in the buffer still.
                clause.push(!self.writes[own].there);
            }
            None if self.trace.initial[cell.index()] == value => {
                let initial = self.solver.fresh();
                clause.push(initial);
                for write in writes {
                    self.implies(initial, !self.writes[write].there);
                }
            }
            _ => {}
        }
        self.solver.clause(&clause);
    }

    /// A block goes another way through than in the class.
    fn ways_out_of_block(&mut self, block: &Block) {
        let (thread, event) = (block.thread.index(), block.event as usize);
        for way in block.ways.iter().filter(|way| way.after.is_some() && Some(way.label) != block.taken) {
            let taken = self.solver.fresh();
            self.stands_before(taken, thread, event);
            for write in self.buffered[thread].clone() {
                if self.writes[write].event < event && self.waits_for(way, write, event) {
                    self.implies(taken, self.writes[write].there);
                }
            }
            for (cell, value) in way.reads.iter().copied() {
                let found = self.found(thread, event, cell, value);
                self.implies(taken, found);
            }
            self.ways_out.push(WayOut { thread, event, label: way.label, taken, node: None });
        }
    }

    /// Whether a way through a block waits for a store of the thread before it.
    fn waits_for(&self, way: &Way, write: usize, event: usize) -> bool {
        match way.waits_for {
            Stores::None => false,
            Stores::BeforeLoad => way.reads.iter().any(|(cell, _)| self.is_before_load(write, event, *cell)),
            Stores::All => true,
        }
    }

    /// What says that at the end of the prefix the event would find the value in the cell.
    fn found(&mut self, thread: usize, event: usize, cell: TraceCell, value: Value) -> Lit {
        let key = (self.node(thread, event), cell, value);
        if let Some(found) = self.found.get(&key) {
            return *found;
        }
        let found = self.solver.fresh();
        self.finds(found, thread, event, cell, value);
        self.found.insert(key, found);
        found
    }

    /// A thread that waits for a monitor for ever in the class gets it.
    pub(super) fn way_by_free_monitor(&mut self, thread: usize, event: usize, monitor: TraceMonitor) -> Lit {
        let taken = self.way_out(thread, event);
        for section in sections(self.trace, monitor).iter().filter(|section| section.thread != thread) {
            let entered = self.within[section.thread][section.taken];
            let left = section.released.map(|released| self.within[section.thread][released]);
            let clause: Vec<Lit> = [!taken, !entered].into_iter().chain(left).collect();
            self.solver.clause(&clause);
        }
        self.ways_out.push(WayOut { thread, event, label: 0, taken, node: None });
        taken
    }

    /// A thread that waits for others for ever in the class sees their ends.
    fn way_by_ends(&mut self, thread: usize, event: usize, kind: &Kind) {
        let taken = self.way_out(thread, event);
        for other in waited_for(kind) {
            match self.over(other.index()) {
                None => self.solver.clause(&[!taken]),
                Some(conditions) => conditions.into_iter().for_each(|condition| self.implies(taken, condition)),
            }
        }
        self.ways_out.push(WayOut { thread, event, label: 0, taken, node: None });
    }

    /// When no thread can go on: all stores are in memory, and every thread is at its end or at an event that has to wait.
    pub(super) fn dead_ends(&mut self) {
        let is_stuck = self.is_stuck;
        for write in 0..self.writes.len() {
            let Write { thread, event, there, is_buffered, .. } = self.writes[write];
            if is_buffered {
                self.solver.clause(&[!is_stuck, !self.within[thread][event], there]);
            }
        }
        let trace = self.trace;
        for (thread, event, kind) in events(trace) {
            let stands = self.solver.fresh();
            let last = match event.checked_sub(1) {
                Some(last) => Some(self.within[thread][last]),
                None => self.started_by[thread].map(|(starter, start)| self.within[starter][start]),
            };
            let is_elsewhere = last.map(|last| !last).into_iter().chain([self.within[thread][event], stands]);
            let clause: Vec<Lit> = std::iter::once(!is_stuck).chain(is_elsewhere).collect();
            self.solver.clause(&clause);
            self.has_to_wait(stands, (thread, event), kind);
        }
    }

    /// The event cannot happen at the end of the prefix, where all stores are in memory.
    fn has_to_wait(&mut self, condition: Lit, (thread, event): (usize, usize), kind: &Kind) {
        if let Some(block) = self.block(thread, event) {
            return self.block_waits(condition, block);
        }
        let mut clause = vec![!condition];
        match kind {
            Kind::Lock(monitor) => self.held_by_others(thread, *monitor, &mut clause),
            Kind::Resume(monitor, _) => {
                self.held_by_others(thread, *monitor, &mut clause);
                self.sleeps_on(thread, event, &mut clause);
            }
            Kind::Park => return self.lacks_permit(condition, thread, event),
            Kind::Join(_) | Kind::Turn(_) => {
                for other in waited_for(kind) {
                    match self.over(other.index()) {
                        None => return,
                        Some(conditions) => clause.extend(conditions.into_iter().map(|lit| !lit)),
                    }
                }
            }
            _ => {}
        }
        self.solver.clause(&clause);
    }

    /// A block waits if on each way on which it happens it would have to find another value than there is.
    fn block_waits(&mut self, condition: Lit, block: &Block) {
        let (thread, event) = (block.thread.index(), block.event as usize);
        for way in block.ways.iter().filter(|way| way.after.is_some()) {
            let mut clause = vec![!condition];
            for (cell, value) in way.reads.iter().copied() {
                for other in self.values_of(cell).into_iter().filter(|other| *other != value) {
                    clause.push(self.found(thread, event, cell, other));
                }
            }
            self.solver.clause(&clause);
        }
    }
}
