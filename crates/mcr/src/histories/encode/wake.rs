//! Threads that wait for a notification or a permit.

use sat::Lit;

use super::{Encoding, WayOut, events, sections};
use crate::histories::id::{ThreadId, TraceMonitor};
use crate::histories::trace::{Kind, Trace};

/// A `wait`: the thread gave the monitor back and needs a notification.
#[derive(Clone, Copy)]
struct Sleep {
    thread: usize,
    /// Where it gave the monitor back; the next event takes it again.
    event: usize,
}

/// Notifications and permits.
impl Encoding<'_> {
    pub(super) fn notifications(&mut self) {
        for monitor in (0..self.trace.monitors).map(TraceMonitor) {
            let sleeps = sleeps(self.trace, monitor);
            let notifies = notifies(self.trace, monitor);
            self.literals_of_notifications(&sleeps, &notifies);
            for (thread, event) in notifies.iter().copied() {
                self.notification(thread, event, &sleeps);
            }
            for sleep in sleeps {
                self.wakes_up(sleep, &notifies);
            }
        }
    }

    /// Makes the literals that say that a notification wakes a sleeper, and that it finds one asleep.
    fn literals_of_notifications(&mut self, sleeps: &[Sleep], notifies: &[(usize, usize)]) {
        for sleep in sleeps {
            for (thread, event) in notifies.iter().filter(|(thread, _)| *thread != sleep.thread) {
                let key = (self.node(*thread, *event), self.node(sleep.thread, sleep.event));
                let wakes = self.solver.fresh();
                self.wakes.insert(key, wakes);
            }
        }
        for sleep in sleeps.iter().copied() {
            for (thread, event) in notifies.iter().copied().filter(|(thread, _)| *thread != sleep.thread) {
                self.find_asleep((thread, event), sleep, notifies);
            }
        }
    }

    /// A notification finds a sleeper if it comes after it fell asleep, and after no other that wakes it.
    fn find_asleep(&mut self, (thread, event): (usize, usize), sleep: Sleep, notifies: &[(usize, usize)]) {
        let (own, falls) = (self.node(thread, event), self.node(sleep.thread, sleep.event));
        let asleep = self.solver.fresh();
        self.asleep.insert((own, falls), asleep);
        let after = self.before(falls, own);
        let both = [self.within[thread][event], self.within[sleep.thread][sleep.event], after];
        both.into_iter().for_each(|condition| self.implies(asleep, condition));
        let mut clause: Vec<Lit> = both.map(|condition| !condition).to_vec();
        for other in notifies.iter().filter(|other| **other != (thread, event)) {
            let other = self.node(other.0, other.1);
            let Some(wakes) = self.wakes.get(&(other, falls)).copied() else { continue };
            let earlier = self.before(other, own);
            self.solver.clause(&[!asleep, !wakes, !earlier]);
            let is_awake = self.solver.fresh();
            self.implies(is_awake, wakes);
            self.implies(is_awake, earlier);
            clause.push(is_awake);
        }
        clause.push(asleep);
        self.solver.clause(&clause);
    }

    /// Whom a notification wakes.
    fn notification(&mut self, thread: usize, event: usize, sleeps: &[Sleep]) {
        let Kind::Notify { all, picked, .. } = self.trace.threads[thread].events[event].kind else { return };
        let within = self.within[thread][event];
        let own = self.node(thread, event);
        let found: Vec<(usize, Lit, Lit)> = self.found_by(own, thread, sleeps);
        let counts = self.count(&found.iter().map(|(sleeper, asleep, _)| (*sleeper, *asleep)).collect::<Vec<_>>());
        for (index, (_, asleep, wakes)) in found.iter().copied().enumerate() {
            self.implies(wakes, asleep);
            match (all, picked) {
                (true, _) | (false, 0) => self.implies(asleep, wakes),
                (false, place) => {
                    let is_picked = counts[index].get(place as usize - 1).copied();
                    match is_picked {
                        None => self.solver.clause(&[!wakes]),
                        Some(is_picked) => {
                            self.implies(wakes, is_picked);
                            self.solver.clause(&[!asleep, !is_picked, wakes]);
                        }
                    }
                }
            }
        }
        if !all {
            self.told_number(within, picked, counts.last());
        }
    }

    /// The literals of a notification and each sleeper: the thread that sleeps, whether it is found, whether it is woken.
    fn found_by(&self, notify: u32, thread: usize, sleeps: &[Sleep]) -> Vec<(usize, Lit, Lit)> {
        let others = sleeps.iter().filter(|sleep| sleep.thread != thread);
        let literals = others.filter_map(|sleep| {
            let key = (notify, self.node(sleep.thread, sleep.event));
            Some((sleep.thread, *self.asleep.get(&key)?, *self.wakes.get(&key)?))
        });
        literals.collect()
    }

    /// The result of a notification of one thread is 0 if it found at most one, else which of how many it wakes.
    fn told_number(&mut self, condition: Lit, label: u32, total: Option<&Vec<Lit>>) {
        let Some(total) = total else {
            // There are none to find.
            if label > 0 {
                self.solver.clause(&[!condition]);
            }
            return;
        };
        let fits = |count: usize| if label == 0 { count < 2 } else { count >= 2 && count >= label as usize };
        for (_, is_so) in total.iter().enumerate().filter(|(count, _)| !fits(*count)) {
            self.solver.clause(&[!condition, !*is_so]);
        }
    }

    /// For each place in the list, and past its end, literals that say how many literals before it are true; of one thread
    /// at most one is. The list is sorted by thread.
    fn count(&mut self, found: &[(usize, Lit)]) -> Vec<Vec<Lit>> {
        let always = self.solver.fresh();
        self.solver.clause(&[always]);
        let mut counts = vec![vec![always]];
        for (index, (_, asleep)) in found.iter().enumerate() {
            let before = counts[index].clone();
            let after: Vec<Lit> = (0..index + 2).map(|_| self.solver.fresh()).collect();
            for (number, is_so) in before.iter().enumerate() {
                self.solver.clause(&[!*is_so, *asleep, after[number]]);
                self.solver.clause(&[!*is_so, !*asleep, after[number + 1]]);
            }
            self.exactly_one(&after);
            counts.push(after);
        }
        counts
    }

    fn exactly_one(&mut self, lits: &[Lit]) {
        self.solver.clause(lits);
        for (index, first) in lits.iter().enumerate() {
            for second in &lits[index + 1..] {
                self.solver.clause(&[!*first, !*second]);
            }
        }
    }

    /// A sleeper goes on only after what woke it.
    fn wakes_up(&mut self, sleep: Sleep, notifies: &[(usize, usize)]) {
        let falls = self.node(sleep.thread, sleep.event);
        let Some(resumes) = self.within[sleep.thread].get(sleep.event + 1).copied() else { return };
        let mut clause = vec![!resumes];
        for (thread, event) in notifies.iter().copied() {
            let own = self.node(thread, event);
            let Some(wakes) = self.wakes.get(&(own, falls)).copied() else { continue };
            self.guarded_edge(own, falls + 1, wakes);
            clause.push(wakes);
        }
        self.solver.clause(&clause);
    }

    /// What wakes the thread that stands before this event, which takes the monitor again.
    fn alarms(&self, thread: usize, event: usize) -> Vec<Lit> {
        let falls = self.node(thread, event).wrapping_sub(1);
        self.wakes.iter().filter(|((_, other), _)| *other == falls).map(|(_, wakes)| *wakes).collect()
    }

    /// A notification finds another number of sleepers, or wakes another one.
    pub(super) fn ways_out_of_notify(&mut self, thread: usize, event: usize, (monitor, picked): (TraceMonitor, u32)) {
        let sleeps: Vec<Sleep> = sleeps(self.trace, monitor).into_iter().filter(|s| s.thread != thread).collect();
        let mut found: Vec<(usize, Lit)> = Vec::new();
        for sleep in &sleeps {
            let asleep = self.solver.fresh();
            let alarms = self.alarms(sleep.thread, sleep.event + 1);
            let falls = self.within[sleep.thread][sleep.event];
            self.implies(asleep, falls);
            alarms.iter().for_each(|alarm| self.implies(asleep, !*alarm));
            let clause: Vec<Lit> = [!falls, asleep].into_iter().chain(alarms).collect();
            self.solver.clause(&clause);
            found.push((sleep.thread, asleep));
        }
        let counts = self.count(&found);
        let most = sleeps.iter().map(|sleep| sleep.thread).collect::<std::collections::BTreeSet<_>>().len() as u32;
        let labels = (0..=most).filter(|label| *label != picked && (*label == 0 || most > 1));
        for label in labels {
            let taken = self.way_out(thread, event);
            self.told_number(taken, label, counts.last());
            self.ways_out.push(WayOut { thread, event, label, taken, node: None });
        }
    }

    /// A thread that waits for ever in the class is notified and gets the monitor.
    pub(super) fn way_by_notification(&mut self, thread: usize, event: usize, monitor: TraceMonitor) {
        let taken = self.way_by_free_monitor(thread, event, monitor);
        let alarms = self.alarms(thread, event);
        let clause: Vec<Lit> = std::iter::once(!taken).chain(alarms).collect();
        self.solver.clause(&clause);
    }

    /// Says in the clause that the thread before this event sleeps.
    pub(super) fn sleeps_on(&mut self, thread: usize, event: usize, clause: &mut Vec<Lit>) {
        let asleep = self.solver.fresh();
        for alarm in self.alarms(thread, event) {
            self.implies(asleep, !alarm);
        }
        clause.push(asleep);
    }

    /// A thread uses a permit that it was given after it last used one.
    pub(super) fn permits(&mut self) {
        let trace = self.trace;
        for (thread, event, kind) in events(trace) {
            if *kind == Kind::Park {
                let node = self.node(thread, event);
                let mut clause = vec![!self.within[thread][event]];
                for given in self.permits_for(thread, event) {
                    let used = self.solver.fresh();
                    self.implies(used, given.1);
                    let earlier = self.before(given.0, node);
                    self.implies(used, earlier);
                    if let Some(fresh) = given.2 {
                        self.implies(used, fresh);
                    }
                    clause.push(used);
                }
                self.solver.clause(&clause);
            }
        }
    }

    /// The permits that a thread may be given before this event: the node, whether it is in the prefix, and whether it comes
    /// after the thread's last use of one, if there was one.
    fn permits_for(&mut self, thread: usize, event: usize) -> Vec<(u32, Lit, Option<Lit>)> {
        let trace = self.trace;
        let own = &trace.threads[thread].events;
        let last = own[..event].iter().rposition(|earlier| earlier.kind == Kind::Park);
        let last = last.map(|last| self.node(thread, last));
        let mut given = Vec::new();
        for (giver, event, kind) in events(trace) {
            if *kind == Kind::Unpark(ThreadId::at(thread)) {
                let node = self.node(giver, event);
                let fresh = last.map(|last| self.before(last, node));
                given.push((node, self.within[giver][event], fresh));
            }
        }
        given
    }

    /// A thread that waits for a permit for ever in the class gets one.
    pub(super) fn way_by_permit(&mut self, thread: usize, event: usize) {
        let taken = self.way_out(thread, event);
        let mut clause = vec![!taken];
        for (_, within, fresh) in self.permits_for(thread, event) {
            let given = self.solver.fresh();
            self.implies(given, within);
            if let Some(fresh) = fresh {
                self.implies(given, fresh);
            }
            clause.push(given);
        }
        self.solver.clause(&clause);
        self.ways_out.push(WayOut { thread, event, label: 0, taken, node: None });
    }

    /// The thread before this event has no permit.
    pub(super) fn lacks_permit(&mut self, condition: Lit, thread: usize, event: usize) {
        for (_, within, fresh) in self.permits_for(thread, event) {
            let clause: Vec<Lit> = [!condition, !within].into_iter().chain(fresh.map(|fresh| !fresh)).collect();
            self.solver.clause(&clause);
        }
    }

    /// Adds to the clause that some other thread holds the monitor at the end of the prefix.
    pub(super) fn held_by_others(&mut self, thread: usize, monitor: TraceMonitor, clause: &mut Vec<Lit>) {
        for section in sections(self.trace, monitor).iter().filter(|section| section.thread != thread) {
            let is_open = self.solver.fresh();
            clause.push(is_open);
            self.implies(is_open, self.within[section.thread][section.taken]);
            if let Some(released) = section.released {
                self.implies(is_open, !self.within[section.thread][released]);
            }
        }
    }
}

/// All `wait`s at a monitor, by thread.
fn sleeps(trace: &Trace, monitor: TraceMonitor) -> Vec<Sleep> {
    let is_one = |kind: &Kind| *kind == Kind::Release(monitor);
    events(trace).filter(|(.., kind)| is_one(kind)).map(|(thread, event, _)| Sleep { thread, event }).collect()
}

/// All notifications at a monitor.
fn notifies(trace: &Trace, monitor: TraceMonitor) -> Vec<(usize, usize)> {
    let is_one = |kind: &Kind| matches!(kind, Kind::Notify { monitor: other, .. } if *other == monitor);
    events(trace).filter(|(.., kind)| is_one(kind)).map(|(thread, event, _)| (thread, event)).collect()
}
