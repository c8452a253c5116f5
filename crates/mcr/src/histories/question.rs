//! What to ask about a class: for each of its events what it could get instead, and where its threads could wait for each
//! other.

use std::cell::OnceCell;
use std::rc::Rc;

use operational::memory::Machine;
use rustc_hash::FxHashSet;

use super::classes::Classes;
use super::graph::{Awaited, EndState, Goal};
use super::history::{Forest, Label, NONE, Op};
use super::id::{CellId, ClassId, NodeId, ThreadId, TraceCell, ValueId};
use super::must_happen_before::{Order, order};
use super::project::{Alternatives, Keep, Projection, alternatives, other_blocks, project};
use super::sections::Sections;
use super::trace::{Access, End, Event, Kind, Source, Thread, Trace, Value, first_read, sources};

/// A class that is looked at.
#[derive(Debug)]
pub struct Viewed {
    /// Which.
    pub class: ClassId,
    /// The last histories of its threads.
    pub ends: Vec<NodeId>,
    /// Its trace.
    pub projection: Projection,
    sources: Vec<Vec<Source>>,
    hinges: Hinges,
    /// What must come before its events, and where threads hold monitors, once that was asked.
    order: OnceCell<(Order, Sections)>,
}

/// What is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// An event of a thread.
    Event(ThreadId, u32),
    /// Threads that wait for each other for ever.
    Deadlocks,
}

/// A question about a class.
#[derive(Debug)]
pub struct Question {
    /// The class.
    pub viewed: Rc<Viewed>,
    /// What is asked.
    pub goal: Goal,
}

impl Viewed {
    /// A class, with its trace.
    pub fn new(forest: &Forest, classes: &Classes, class: ClassId, keep: Keep) -> Viewed {
        let ends = classes.ends(class).to_vec();
        let projection = project(forest, &ends, keep);
        let sources = sources(&projection.trace);
        let hinges = Hinges::of(&projection.trace);
        Viewed { class, ends, projection, sources, hinges, order: OnceCell::new() }
    }

    /// Whether a value is one that an event may find in a cell, as far as that follows from what must come before it.
    fn may_find(&self, machine: Machine, target: (ThreadId, u32), cell: TraceCell, value: Value) -> bool {
        let trace = &self.projection.trace;
        let (order, sections) = self.order.get_or_init(|| {
            let sections = Sections::of(trace, machine);
            (order(trace, &self.sources, &sections, machine), sections)
        });
        let (initial, sources) = (trace.initial[cell.index()], &self.sources[cell.index()]);
        let is_excluded = |source: &Source| sections.excludes(trace, &self.sources, target, source);
        order.may_find(initial, sources, target, value, &is_excluded)
    }

    /// Everything that may be worth asking about.
    pub fn targets(&self) -> impl Iterator<Item = Target> {
        let threads = self.projection.trace.threads.iter().enumerate();
        // From the last event on: a short way from what is known meets errors earlier.
        let events = threads.flat_map(|(thread, of)| {
            (0..of.events.len()).rev().map(move |event| Target::Event(ThreadId::at(thread), event as u32))
        });
        events.chain([Target::Deadlocks])
    }
}

/// The question about a target; `None` if there is nothing to ask.
pub fn question(forest: &mut Forest, classes: &Classes, viewed: &Rc<Viewed>, target: Target) -> Option<Question> {
    let Target::Event(thread, event) = target else {
        let goal = deadlocks(forest, &viewed.projection)?;
        return Some(Question { viewed: viewed.clone(), goal });
    };
    let mut more = Vec::new();
    let alternatives = alternatives_of(forest, &viewed.projection, (thread, event), &mut more)?;
    let keep = match alternatives {
        Alternatives::Everything => Keep::All,
        _ if more.is_empty() => {
            let goal = goal(forest, classes, viewed, (thread, event), alternatives)?;
            return Some(Question { viewed: viewed.clone(), goal });
        }
        _ => Keep::Also(&more),
    };
    // The alternatives concern more cells than the class shares.
    let node = viewed.projection.trace.threads[thread.index()].events[event as usize].node;
    let viewed = Rc::new(Viewed::new(forest, classes, viewed.class, keep));
    let event = viewed.projection.trace.threads[thread.index()].events.iter().position(|event| event.node == node)?;
    let target = (thread, event as u32);
    let alternatives = alternatives_of(forest, &viewed.projection, target, &mut Vec::new())?;
    let goal = goal(forest, classes, &viewed, target, alternatives)?;
    Some(Question { viewed, goal })
}

/// What an event could get instead; `None` if nothing. See [`alternatives()`] for `more`.
fn alternatives_of(
    forest: &mut Forest,
    projection: &Projection,
    (thread, event): (ThreadId, u32),
    more: &mut Vec<CellId>,
) -> Option<Alternatives> {
    let of = &projection.trace.threads[thread.index()];
    let is_blocked = of.end == End::Blocked && event as usize + 1 == of.events.len();
    let after = projection.after[thread.index()][event as usize];
    let event = &of.events[event as usize];
    if let Op::Allocate(_) = forest.node(event.node).op {
        let label = (after != NodeId::NONE).then(|| forest.node(after).label);
        return other_blocks(forest, projection, event.node, label);
    }
    if forest.node(event.node).op == Op::Begin {
        let reads = matches!(event.kind, Kind::Read { .. } | Kind::Atomic(_) | Kind::Update { .. });
        let may_differ = reads || has_choices(forest, event.node);
        let alternatives = may_differ.then(|| alternatives(forest, projection, event.node, more));
        return alternatives.filter(|found| *found != Alternatives::Listed(Vec::new()));
    }
    let varies = |cell: TraceCell| projection.values[cell.index()].len() > 1;
    let can_differ = match &event.kind {
        Kind::Read { cell, .. } => varies(*cell),
        Kind::Update { cell, picked, .. } => varies(*cell) || picked.is_some(),
        Kind::Choice { .. } | Kind::Notify { all: false, .. } => true,
        _ => is_blocked,
    };
    can_differ.then_some(Alternatives::Any)
}

/// Whether an atomic block chooses something, as far as executions went.
fn has_choices(forest: &Forest, begin: NodeId) -> bool {
    forest.children(begin).any(|(_, child)| {
        let node = forest.node(child);
        node.in_block && (matches!(node.op, Op::Choose(_) | Op::Allocate(_)) || has_choices(forest, child))
    })
}

/// What there is to ask about a target; `None` if nothing: if an earlier class does the same in all that can happen
/// before it, or if known classes do all that and get every other value.
fn goal(
    forest: &Forest,
    classes: &Classes,
    viewed: &Viewed,
    (thread, event): (ThreadId, u32),
    alternatives: Alternatives,
) -> Option<Goal> {
    let Viewed { class, ends, projection, sources, hinges, .. } = viewed;
    let trace = &projection.trace;
    let target = &trace.threads[thread.index()].events[event as usize];
    let mut wanted = wanted(forest.machine, viewed, (thread, event), &alternatives);
    if wanted.as_ref().is_some_and(Vec::is_empty) {
        return None;
    }
    let limits = limits_of(trace, (sources, hinges), (thread, event));
    let nodes = limits.iter().enumerate().map(|(thread, limit)| match limit {
        Some(NONE) => NodeId::NONE,
        Some(limit) => trace.threads[thread].events[*limit as usize].node,
        None => ends[thread],
    });
    let mut nodes: Vec<NodeId> = nodes.collect();
    // Who got another value did not know that there would be two ways with this one.
    let has_picked = matches!(target.kind, Kind::Update { picked: Some(_), .. });
    if !has_picked && classes.some_passes(nodes.iter().copied(), *class) {
        return None;
    }
    if let Some(wanted) = &mut wanted {
        let reach = Reach { trace, sources, hinges, limits: limits.clone() };
        match (&alternatives, &target.kind) {
            (Alternatives::Blocks { free, listed }, _) => {
                let can_be_given =
                    |cell: Option<TraceCell>| cell.is_none_or(|cell| reach.can_hold(thread, event, cell, *free));
                wanted.retain(|label| listed.iter().any(|(other, cell)| other == label && can_be_given(*cell)));
            }
            (_, Kind::Read { cell, .. } | Kind::Update { cell, .. }) => {
                wanted.retain(|value| reach.can_hold(thread, event, *cell, ValueId(*value)));
            }
            _ => {}
        }
        wanted.retain(|value| {
            let Some(child) = after(forest, target.node, &alternatives, *value) else {
                return true;
            };
            nodes[thread.index()] = child;
            !classes.some_passes(nodes.iter().copied(), ClassId::NONE)
        });
        if wanted.is_empty() {
            return None;
        }
    }
    let bounds = limits.iter().enumerate().map(|(thread, limit)| {
        let of = &trace.threads[thread];
        match limit {
            _ if ends[thread] == NodeId::NONE => NONE,
            Some(limit) => *limit,
            None => of.events.len() as u32 - u32::from(of.end == End::Blocked),
        }
    });
    Some(Goal::Escape { thread, event, alternatives, wanted, bounds: bounds.collect() })
}

/// Which values or blocks a target could get instead, as far as these can be listed.
fn wanted(
    machine: Machine,
    viewed: &Viewed,
    (thread, event): (ThreadId, u32),
    alternatives: &Alternatives,
) -> Option<Vec<Label>> {
    let Projection { trace, values, .. } = &viewed.projection;
    let kind = &trace.threads[thread.index()].events[event as usize].kind;
    let may_find = |cell: TraceCell, value: Value| viewed.may_find(machine, (thread, event), cell, value);
    let mut wanted: Vec<Value> = match (alternatives, kind) {
        (Alternatives::Blocks { free, listed }, _) => {
            let may_be_given = listed.iter().filter(|(_, cell)| cell.is_none_or(|cell| may_find(cell, *free)));
            return Some(may_be_given.map(|(label, _)| *label).collect());
        }
        (Alternatives::Listed(listed), _) => listed.iter().map(|other| other.value).collect(),
        (Alternatives::Any, Kind::Read { cell, .. }) => values[cell.index()].clone(),
        (Alternatives::Any, Kind::Update { cell, picked: None, .. }) => values[cell.index()].clone(),
        _ => return None,
    };
    if let Kind::Read { cell, value: own } | Kind::Update { cell, value: own, .. } = kind {
        wanted.retain(|value| value != own && may_find(*cell, *value));
    }
    Some(wanted.into_iter().map(|value| value.0).collect())
}

/// Where a thread stands after an event that gets this label, if some execution went there.
pub fn after(forest: &Forest, node: NodeId, alternatives: &Alternatives, label: u32) -> Option<NodeId> {
    match alternatives {
        Alternatives::Any | Alternatives::Blocks { .. } => forest.known_child(node, label),
        Alternatives::Listed(listed) => listed.iter().find(|other| other.value.0 == label).map(|other| other.node),
        Alternatives::Everything => None,
    }
}

/// Where each thread stands in an end state; the target's thread stands at `child`.
pub fn nodes(projection: &Projection, ends: &[NodeId], end: &EndState, target: ThreadId, child: NodeId) -> Vec<NodeId> {
    let threads = projection.trace.threads.iter().zip(&end.positions).enumerate();
    let at = threads.map(|(thread, (of, position))| match of.events.get(*position as usize) {
        _ if thread == target.index() => child,
        _ if *position == NONE => NodeId::NONE,
        Some(event) => event.node,
        None => ends[thread],
    });
    at.collect()
}

/// Executions of a class that end early because threads wait for each other; `None` if that cannot be.
fn deadlocks(forest: &mut Forest, projection: &Projection) -> Option<Goal> {
    let awaited = awaited(forest, projection);
    let may_wait = !awaited.is_empty() || projection.trace.threads.iter().any(may_block);
    may_wait.then_some(Goal::Ends { memory: false, awaited })
}

/// Whether a thread may have to wait for ever, or make others wait, otherwise than in an atomic step.
fn may_block(thread: &Thread) -> bool {
    let mut held = 0i64;
    for event in &thread.events {
        match &event.kind {
            Kind::Lock(_) if held > 0 => return true,
            Kind::Lock(_) => held += 1,
            Kind::Unlock(_) => held -= 1,
            Kind::Join(_) | Kind::Turn(_) if held > 0 => return true,
            Kind::Resume(..) | Kind::Park => return true,
            _ => {}
        }
    }
    // A thread that fails or ends with a monitor keeps it for ever.
    held > 0
}

/// The atomic steps of a class that may have to wait.
pub(super) fn awaited(forest: &mut Forest, projection: &Projection) -> Vec<Awaited> {
    let mut awaited = Vec::new();
    if !forest.awaits {
        return awaited;
    }
    for (thread, of) in projection.trace.threads.iter().enumerate() {
        for (place, event) in of.events.iter().enumerate() {
            let reads = matches!(event.kind, Kind::Read { .. } | Kind::Update { .. } | Kind::Atomic(_));
            if !reads || forest.node(event.node).op != Op::Begin {
                continue;
            }
            let alternatives = alternatives(forest, projection, event.node, &mut Vec::new());
            let is_blocked = of.end == End::Blocked && place + 1 == of.events.len();
            if is_blocked || waits_with_some_value(projection, event, &alternatives) {
                awaited.push(Awaited { thread: ThreadId::at(thread), event: place as u32, alternatives });
            }
        }
    }
    awaited
}

/// Whether an atomic step waits with some value that its cell may hold.
fn waits_with_some_value(projection: &Projection, event: &Event, alternatives: &Alternatives) -> bool {
    let Alternatives::Listed(listed) = alternatives else { return true };
    let Some((cell, _)) = first_read(&event.kind) else { return false };
    projection.values[cell.index()].iter().any(|value| !listed.iter().any(|other| other.value == *value))
}

/// How far each thread can come before the target happens; `None` if to its end, [`NodeId::NONE`] if it cannot start. What follows
/// from starts and joins, and from which values can be there to be read.
struct Reach<'t> {
    trace: &'t Trace,
    sources: &'t [Vec<Source>],
    hinges: &'t Hinges,
    limits: Vec<Option<u32>>,
}

/// By thread, what limits depend on: in long executions these events are few.
#[derive(Debug)]
pub(super) struct Hinges {
    /// The events that cannot happen unless other threads come far enough.
    dependent: Vec<Vec<u32>>,
    /// The events that start threads.
    spawns: Vec<Vec<u32>>,
}

impl Hinges {
    pub(super) fn of(trace: &Trace) -> Hinges {
        let places = |is_one: &mut dyn FnMut(&Kind) -> bool, thread: &Thread| {
            let events = thread.events.iter().enumerate();
            events.filter(|(_, event)| is_one(&event.kind)).map(|(place, _)| place as u32).collect()
        };
        let dependent = trace.threads.iter().map(|thread| {
            // What the cells held at first, and what the thread itself has written so far.
            let mut own: FxHashSet<(TraceCell, Value)> = FxHashSet::default();
            places(&mut |kind| depends_on_others(trace, kind, &mut own), thread)
        });
        let spawns = trace.threads.iter().map(|thread| places(&mut |kind| matches!(kind, Kind::Spawn(_)), thread));
        Hinges { dependent: dependent.collect(), spawns: spawns.collect() }
    }
}

/// Whether an event can only happen if other threads come far enough: it waits for their end, or reads what the cell did not hold at
/// first and its thread has not written before (`own`, to which its writes are added).
fn depends_on_others(trace: &Trace, kind: &Kind, own: &mut FxHashSet<(TraceCell, Value)>) -> bool {
    let depends = |own: &FxHashSet<(TraceCell, Value)>, cell: TraceCell, value: Value| {
        trace.initial[cell.index()] != value && !own.contains(&(cell, value))
    };
    match kind {
        Kind::Join(_) | Kind::Turn(_) => true,
        Kind::Read { cell, value } => depends(own, *cell, *value),
        Kind::Write { cell, value, .. } => {
            own.insert((*cell, *value));
            false
        }
        Kind::Update { cell, value, written, .. } => {
            let depends = depends(own, *cell, *value);
            own.extend(written.map(|written| (*cell, written)));
            depends
        }
        Kind::Atomic(accesses) => {
            let depends = accesses.first().is_some_and(|access| match access {
                Access::Read { cell, value, .. } => depends(own, *cell, *value),
                _ => false,
            });
            own.extend(accesses.iter().filter_map(|access| match access {
                Access::Write { cell, value } => Some((*cell, *value)),
                _ => None,
            }));
            depends
        }
        _ => false,
    }
}

/// How far each thread can come before an event happens; see [`Reach`].
pub(super) fn limits_of(
    trace: &Trace,
    (sources, hinges): (&[Vec<Source>], &Hinges),
    (thread, event): (ThreadId, u32),
) -> Vec<Option<u32>> {
    let mut reach = Reach { trace, sources, hinges, limits: vec![None; trace.threads.len()] };
    reach.limits[thread.index()] = Some(event);
    loop {
        let mut changed = false;
        for other in 0..reach.limits.len() {
            changed |= reach.shorten(other);
        }
        for other in 0..reach.limits.len() {
            changed |= reach.take_back_starts(other);
        }
        if !changed {
            return reach.limits;
        }
    }
}

impl Reach<'_> {
    /// The thread cannot come past an event that cannot happen.
    fn shorten(&mut self, thread: usize) -> bool {
        let events = &self.trace.threads[thread].events;
        let until = self.limits[thread].map_or(events.len(), |limit| events.len().min(limit as usize));
        let mut places = self.hinges.dependent[thread].iter().take_while(|place| (**place as usize) < until);
        let place =
            places.find(|place| !self.can_happen(ThreadId::at(thread), **place, &events[**place as usize].kind));
        let Some(place) = place.filter(|_| self.limits[thread] != Some(NONE)) else { return false };
        self.limits[thread] = Some(*place);
        true
    }

    fn can_happen(&self, thread: ThreadId, place: u32, kind: &Kind) -> bool {
        match kind {
            Kind::Join(of) => self.can_end(*of),
            Kind::Turn(of) => of.iter().all(|of| self.can_end(*of)),
            Kind::Read { cell, value } | Kind::Update { cell, value, .. } => {
                self.can_hold(thread, place, *cell, *value)
            }
            Kind::Atomic(accesses) => {
                let first = accesses.iter().find_map(|access| match access {
                    Access::Read { cell, value, .. } => Some((*cell, *value)),
                    _ => None,
                });
                // It may also read what it wrote itself: only the first access is looked at.
                let is_first = matches!(accesses.first(), Some(Access::Read { .. }));
                let is_blocked = first.is_some_and(|(_, value)| value == ValueId::NONE);
                is_blocked || !is_first || first.is_none_or(|(cell, value)| self.can_hold(thread, place, cell, value))
            }
            _ => true,
        }
    }

    fn can_end(&self, thread: ThreadId) -> bool {
        self.limits.get(thread.index()).is_some_and(|limit| limit.is_none())
    }

    /// Whether a cell may hold a value when this event happens.
    fn can_hold(&self, thread: ThreadId, place: u32, cell: TraceCell, value: Value) -> bool {
        self.trace.initial[cell.index()] == value
            || self.sources[cell.index()].iter().any(|Source { thread: by, event: at, value: written }| {
                let limit = if *by == thread { place } else { self.limits[by.index()].unwrap_or(NONE - 1) };
                *written == value && limit != NONE && *at < limit
            })
    }

    /// What a thread would start after it has stopped does not start.
    fn take_back_starts(&mut self, thread: usize) -> bool {
        let Some(limit) = self.limits[thread] else { return false };
        let limit = if limit == NONE { 0 } else { limit };
        let mut changed = false;
        for place in self.hinges.spawns[thread].iter().filter(|place| **place >= limit) {
            if let Kind::Spawn(started) = self.trace.threads[thread].events[*place as usize].kind
                && self.limits[started.index()] != Some(NONE)
            {
                self.limits[started.index()] = Some(NONE);
                changed = true;
            }
        }
        changed
    }
}
