//! Where an execution leaves program order: the heart of the explanation of a failed test.
//!
//! An execution is sequentially consistent just if program order, reads-from, coherence and from-read together have no cycle
//! when each atomic block counts as one step (Shasha and Snir 1988). [`reordering`] finds a shortest such cycle, and an order
//! of all events in which memory may have seen them: it contains reads-from (but for loads that see a store of their own
//! thread), coherence and from-read, keeps atomic blocks together, and leaves program order only where nothing else is
//! possible. For a sequentially consistent execution it is an interleaving of the threads.
//!
//! Which way it errs: a cycle is always real. Which of its program-order steps were turned round only the model knows. Where
//! the model shows an order that contains all communication, `order` is one that the model allows ([`Reordering::is_models`]).
//! Otherwise it is *an* order that explains every load; among several it prefers one that no fence speaks against.

mod cycle;
mod units;

use std::collections::{BTreeMap, BTreeSet};

use program::outcome::Step;
use program::{Event, EventId, EventKind, Execution, ThreadId};

use units::Units;

/// Where an execution leaves program order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reordering {
    /// All events of threads, in an order in which memory may have seen them.
    pub order: Vec<EventId>,
    /// Whether `order` contains an order that the model itself gives.
    pub is_models: bool,
    /// A shortest cycle of `po`, `rf`, `co`, `fr` and steps within atomic blocks (`atomic`); empty if there is none.
    pub cycle: Vec<Step>,
    /// The program-order steps of the cycle that `order` turns round: earlier and later in the program.
    pub turned: Vec<(EventId, EventId)>,
    /// The fewest events whose moving makes program order of `order`, and where they stand.
    pub moved: BTreeMap<EventId, Moved>,
    /// Whether monitors are used. Their order is no part of an execution, so that without a cycle it remains open whether
    /// the execution is an interleaving.
    pub has_monitors: bool,
}

/// Where an event stands that left program order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// Before events that precede it in the program.
    Early,
    /// After events that follow it in the program.
    Late,
}

impl Reordering {
    /// Whether the execution is known to be an interleaving of its threads.
    pub fn is_interleaving(&self) -> bool {
        self.cycle.is_empty() && !self.has_monitors
    }
}

/// Finds where an execution leaves program order.
pub fn reordering(execution: &Execution) -> Reordering {
    let communication = communication(execution);
    let models = models_order(execution, &communication);
    let is_models = models.is_some();
    let mut hard: Pairs = communication.iter().map(|&(from, to, _)| (from, to)).collect();
    hard.extend(models.into_iter().flatten());
    let (whole, singles) = (Units::of(execution), Units::singles(execution));
    let units = if whole.is_acyclic(&hard) { &whole } else { &singles };
    let order = linearize(execution, units, &hard);
    let at = positions(execution, &order);
    // An order that keeps blocks together, and all of program order and communication, shows that there is no cycle.
    let is_interleaving = std::ptr::eq(units, &whole) && keeps_all(execution, &communication, &order, &at);
    let mut cycle = if is_interleaving { Vec::new() } else { cycle::shortest(execution, &whole, &communication, &at) };
    if cycle.is_empty() && !is_interleaving {
        // Within an atomic block something may be against program order, too.
        cycle = cycle::shortest(execution, &singles, &communication, &at);
    }
    let is_turned = |step: &&Step| step.relation == "po" && at[step.to.0 as usize] < at[step.from.0 as usize];
    Reordering {
        turned: cycle.iter().filter(is_turned).map(|step| (step.from, step.to)).collect(),
        moved: moved(execution, &order),
        has_monitors: execution.events.iter().any(|event| matches!(event.kind, EventKind::Lock | EventKind::Unlock)),
        order,
        is_models,
        cycle,
    }
}

type Pairs = BTreeSet<(EventId, EventId)>;

/// Whether an order has the events of each thread in program order, and all communication forwards.
fn keeps_all(
    execution: &Execution,
    communication: &[(EventId, EventId, &'static str)],
    order: &[EventId],
    at: &[usize],
) -> bool {
    let mut last: BTreeMap<ThreadId, EventId> = BTreeMap::new();
    let in_program_order = order.iter().all(|&id| {
        let thread = execution.event(id).thread;
        thread.and_then(|thread| last.insert(thread, id)).is_none_or(|before| before < id)
    });
    in_program_order && communication.iter().all(|(from, to, _)| at[from.0 as usize] < at[to.0 as usize])
}

/// Reads-from, coherence and from-read between events of threads, by name, and what the program says about threads. A load
/// that sees an earlier store of its own thread may see it before memory does: that is no part of it.
fn communication(execution: &Execution) -> Vec<(EventId, EventId, &'static str)> {
    let mut all = Vec::new();
    let rf: Vec<_> = execution.rf.iter().copied().filter(|&(write, read)| !execution.po(write, read)).collect();
    let relations = [("rf", rf), ("co", execution.co.clone()), ("fr", execution.fr())];
    for (name, pairs) in relations {
        all.extend(pairs.into_iter().map(|(from, to)| (from, to, name)));
    }
    all.extend(execution.ends_before.iter().map(|&(from, to)| (from, to, "threads")));
    let is_own = |id: EventId| execution.event(id).thread.is_some();
    all.retain(|&(from, to, _)| from != to && is_own(from) && is_own(to));
    all
}

/// A relation that the model shows and that contains all communication without having a cycle: part of the order in which
/// memory sees events.
fn models_order(execution: &Execution, communication: &[(EventId, EventId, &'static str)]) -> Option<Pairs> {
    let is_own = |id: EventId| execution.event(id).thread.is_some();
    let candidates = execution.named.iter().map(|(_, pairs)| -> Pairs {
        pairs.iter().copied().filter(|&(from, to)| is_own(from) && is_own(to)).collect()
    });
    let contains = |pairs: &Pairs| {
        let mut needed = communication.iter().filter(|(.., name)| *name != "threads");
        needed.all(|&(from, to, _)| pairs.contains(&(from, to)))
    };
    let is_order = |pairs: &Pairs| !pairs.is_empty() && contains(pairs) && Units::of(execution).is_acyclic(pairs);
    candidates.into_iter().find(is_order)
}

/// An order of the events of threads that contains `hard`, as far as it has no cycle, and program order where possible.
fn linearize(execution: &Execution, units: &Units, hard: &Pairs) -> Vec<EventId> {
    let mut queues = Queues::new(execution, units, hard);
    let mut order = Vec::new();
    let mut thread = None;
    while let Some((unit, of)) = queues.next(thread) {
        thread = Some(of);
        queues.take(unit, of);
        order.extend(&units.members[unit]);
    }
    order
}

/// What of each thread has no place yet.
struct Queues<'a> {
    execution: &'a Execution,
    units: &'a Units,
    /// Units of each thread in program order, without those that have a place.
    waiting: BTreeMap<ThreadId, Vec<usize>>,
    /// The units that must come before each unit.
    before: Vec<BTreeSet<usize>>,
    placed: Vec<bool>,
}

impl<'a> Queues<'a> {
    fn new(execution: &'a Execution, units: &'a Units, hard: &Pairs) -> Queues<'a> {
        let mut waiting: BTreeMap<ThreadId, Vec<usize>> = BTreeMap::new();
        for (unit, members) in units.members.iter().enumerate() {
            let thread = members.first().and_then(|&id| execution.event(id).thread);
            thread.into_iter().for_each(|thread| waiting.entry(thread).or_default().push(unit));
        }
        let before = units.predecessors(hard);
        Queues { execution, units, waiting, before, placed: vec![false; units.members.len()] }
    }

    fn is_ready(&self, unit: usize) -> bool {
        self.before[unit].iter().all(|&earlier| self.placed[earlier])
    }

    /// The unit to place next, with its thread: the next one of the same thread, or of another, or else the one that has to
    /// overtake the least.
    fn next(&self, current: Option<ThreadId>) -> Option<(usize, ThreadId)> {
        let head = |thread: ThreadId| self.waiting.get(&thread)?.first().map(|&unit| (unit, thread));
        let ready = |found: &(usize, ThreadId)| self.is_ready(found.0);
        let stay = current.and_then(head).filter(ready);
        let heads = || self.waiting.keys().filter_map(|&thread| head(thread));
        stay.or_else(|| heads().find(ready)).or_else(|| self.overtaking()).or_else(|| heads().next())
    }

    /// When every thread waits: of what could come next and something waits for, what has to overtake the least.
    fn overtaking(&self) -> Option<(usize, ThreadId)> {
        let mut needed: Vec<usize> = self.waiting.values().filter_map(|units| units.first().copied()).collect();
        let mut seen: BTreeSet<usize> = needed.iter().copied().collect();
        while let Some(unit) = needed.pop() {
            let unplaced = self.before[unit].iter().copied().filter(|&earlier| !self.placed[earlier]);
            let new: Vec<usize> = unplaced.filter(|&earlier| seen.insert(earlier)).collect();
            needed.extend(new);
        }
        let candidates = self.waiting.iter().flat_map(|(&thread, units)| units.iter().map(move |&unit| (unit, thread)));
        let possible = candidates.filter(|&(unit, _)| seen.contains(&unit) && self.is_ready(unit));
        let (unit, thread) =
            possible.min_by_key(|&(unit, thread)| self.alone(unit, thread).min(self.together(unit, thread)))?;
        if self.together(unit, thread) > self.alone(unit, thread) {
            return Some((unit, thread));
        }
        let first = self.overtaken(unit, thread).find(|&earlier| self.is_ready(earlier));
        Some((first.unwrap_or(unit), thread))
    }

    /// What of its thread has no place yet and comes before a unit.
    fn overtaken(&self, unit: usize, thread: ThreadId) -> impl Iterator<Item = usize> + use<'_> {
        self.waiting[&thread].iter().copied().take_while(move |&earlier| earlier != unit)
    }

    /// How much speaks against placing a unit before all that it has to overtake.
    fn alone(&self, unit: usize, thread: ThreadId) -> usize {
        self.overtaken(unit, thread).map(|earlier| self.cost(earlier, unit)).sum()
    }

    /// How much speaks against placing it together with all before it that have nothing to wait for: only the others come
    /// late then.
    fn together(&self, unit: usize, thread: ThreadId) -> usize {
        let mut late: Vec<usize> = Vec::new();
        let mut cost = 0;
        for next in self.overtaken(unit, thread).chain([unit]) {
            match self.is_ready(next) {
                true => cost += late.iter().map(|&earlier| self.cost(earlier, next)).sum::<usize>(),
                false => late.push(next),
            }
        }
        cost
    }

    /// How much speaks against turning round two units.
    fn cost(&self, earlier: usize, later: usize) -> usize {
        let members = |unit: usize| self.units.members[unit].iter().copied();
        let pairs = members(earlier).flat_map(|earlier| members(later).map(move |later| (earlier, later)));
        pairs.map(|(earlier, later)| reluctance(self.execution, earlier, later)).sum()
    }

    fn take(&mut self, unit: usize, thread: ThreadId) {
        self.placed[unit] = true;
        self.waiting.entry(thread).or_default().retain(|&other| other != unit);
    }
}

/// How much speaks against turning round two events of a thread: a hint for choosing among orders, no rule of a model.
fn reluctance(execution: &Execution, earlier: EventId, later: EventId) -> usize {
    let is_access = |id: EventId| matches!(execution.event(id).kind, EventKind::Read | EventKind::Write);
    if !is_access(earlier) || !is_access(later) {
        return 0;
    }
    let depends = [&execution.addr, &execution.data].iter().any(|pairs| pairs.contains(&(earlier, later)));
    let fenced = fences_between(execution, earlier, later).any(|fence| separates(execution, fence, earlier, later));
    1 + if depends { 2 } else { 0 } + if fenced { 100 } else { 0 }
}

/// The fences between two events of a thread.
pub fn fences_between(
    execution: &Execution,
    earlier: EventId,
    later: EventId,
) -> impl Iterator<Item = EventId> + use<'_> {
    let is_between = move |id: EventId| execution.po(earlier, id) && execution.po(id, later);
    execution.ids().filter(move |&id| execution.event(id).kind == EventKind::Fence && is_between(id))
}

/// Whether a fence is, by its name, about such a pair.
fn separates(execution: &Execution, fence: EventId, earlier: EventId, later: EventId) -> bool {
    let (earlier, later) = (execution.event(earlier), execution.event(later));
    let kinds = |first, second| earlier.kind == first && later.kind == second;
    let by_name = |tag: &str| match tag {
        "LL" | "LFENCE" => kinds(EventKind::Read, EventKind::Read),
        "LS" => kinds(EventKind::Read, EventKind::Write),
        "SL" => kinds(EventKind::Write, EventKind::Read),
        "SS" | "SFENCE" => kinds(EventKind::Write, EventKind::Write),
        "AL" => kinds(EventKind::Read, EventKind::Read) && earlier.cell == later.cell,
        "DDL" => kinds(EventKind::Read, EventKind::Read),
        "CD" => earlier.kind == EventKind::Read,
        _ => true,
    };
    let tags = &execution.event(fence).access.tags;
    tags.is_empty() || tags.iter().any(|tag| by_name(tag))
}

/// The place of each event in an order; of events without a place, the end.
pub fn positions(execution: &Execution, order: &[EventId]) -> Vec<usize> {
    let mut at = vec![usize::MAX; execution.events.len()];
    order.iter().enumerate().for_each(|(index, id)| at[id.0 as usize] = index);
    at
}

/// The fewest events, thread by thread, that stand out of program order: all but a longest stretch that keeps it.
fn moved(execution: &Execution, order: &[EventId]) -> BTreeMap<EventId, Moved> {
    let mut threads: BTreeMap<ThreadId, Vec<EventId>> = BTreeMap::new();
    for &id in order.iter().filter(|&&id| is_visible(execution.event(id))) {
        let thread = execution.event(id).thread;
        thread.into_iter().for_each(|thread| threads.entry(thread).or_default().push(id));
    }
    let mut moved = BTreeMap::new();
    for sequence in threads.values() {
        let kept = longest_ascent(sequence);
        for (index, &id) in sequence.iter().enumerate().filter(|(_, id)| !kept.contains(id)) {
            let is_early = sequence[index..].iter().any(|&later| later < id && kept.contains(&later));
            moved.insert(id, if is_early { Moved::Early } else { Moved::Late });
        }
    }
    moved
}

/// Whether the place of an event in an order means something: fences and bounds of threads are just passed.
fn is_visible(event: &Event) -> bool {
    !matches!(event.kind, EventKind::Fence | EventKind::Start | EventKind::End)
}

/// A longest part of a sequence that ascends.
fn longest_ascent(sequence: &[EventId]) -> BTreeSet<EventId> {
    // For each place the length of the longest ascent that ends there, and the place before it.
    let mut best: Vec<(usize, Option<usize>)> = Vec::new();
    for (index, id) in sequence.iter().enumerate() {
        let before = (0..index).filter(|&earlier| sequence[earlier] < *id).max_by_key(|&earlier| best[earlier].0);
        best.push((before.map_or(0, |before| best[before].0) + 1, before));
    }
    let mut at = (0..best.len()).max_by_key(|&index| best[index].0);
    let mut kept = BTreeSet::new();
    while let Some(index) = at {
        kept.insert(sequence[index]);
        at = best[index].1;
    }
    kept
}

#[cfg(test)]
mod tests;
