//! The exploration: one execution for each class.
//!
//! A class is taken from the queue; for each of its events that could get something else than it does in the class,
//! [`super::graph`] lists how far executions of the class can come before. Where no known class goes the same way, the program is run
//! that way and on to its end, which gives a new class. When the queue is empty every class is known: take an execution of a
//! class that is not, and its longest prefix that some known class has; its next step is an event that gets something else
//! than in that class, and there a new class would have been found.
//!
//! An event needs no look if an earlier class does the same in all that can happen before it: what is found there is the same.

use program::{Observable, Unsupported, Verified};

use crate::choices::Choices;
use crate::interpret::{Interpreter, Stop};
use crate::limits::Limits;
use crate::memory::Machine;
use crate::turn::{Halt, run_setup};

use super::classes::{ClassId, Classes};
use super::graph::{self, Awaited, EndState, Found, Goal, Walk};
use super::history::{FAILED, Forest, NONE, NodeId, Op};
use super::machine::Configuration;
use super::project::{Alternatives, Keep, Projection, alternatives, project};
use super::trace::{End, Escape, Kind, Step, Trace};

/// Figures of an exploration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Runs of the program.
    pub executions: u64,
    /// Distinct classes among them, without those that do not count.
    pub classes: u64,
    /// Runs that gave a class that was known.
    pub redundant: u64,
    /// Runs that do not count: an assumption was false.
    pub dropped: u64,
    /// How often was asked what else an event could get.
    pub queries: u64,
    /// States looked at to answer.
    pub states: u64,
    /// Instructions interpreted.
    pub instructions: u64,
}

impl Figures {
    /// Adds the figures of another exploration.
    pub fn add(&mut self, other: &Figures) {
        self.executions += other.executions;
        self.classes += other.classes;
        self.redundant += other.redundant;
        self.dropped += other.dropped;
        self.queries += other.queries;
        self.states += other.states;
        self.instructions += other.instructions;
    }
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All threads are over.
    Finished,
    /// A thread stopped at an error.
    Failed,
    /// Threads wait for each other for ever.
    Stuck,
    /// It does not count.
    Dropped,
    /// It could not be followed to its end.
    Cut,
}

/// What an exploration is told to do after a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Go on.
    Continue,
    /// Stop: the answer is known.
    Finish,
}

/// How far an exploration may go.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Executions.
    pub executions: u64,
    /// States for one question.
    pub states: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { executions: u64::MAX, states: 1_000_000 }
    }
}

/// An exploration of all classes of a program on a machine.
pub struct Exploration<'a> {
    forest: Forest<'a>,
    roots: Vec<NodeId>,
    classes: Classes,
    limits: Limits,
    budget: Budget,
    /// Cells whose last values are asked for.
    observed: Vec<u32>,
    figures: Figures,
    walk: Walk,
    /// Why not all classes were found, if so.
    incomplete: Option<String>,
}

/// What the visitor of an exploration is called with.
pub type Visit<'v> = &'v mut dyn FnMut(&Forest, &Executed) -> Next;

/// An execution that gave a new class.
pub struct Executed {
    /// How it ended.
    pub ending: Ending,
    /// Its last configuration, with its steps.
    pub configuration: Configuration,
    /// If all threads are over and there is a question about memory: executions of the same class for all that memory may
    /// hold at the end, this one or another like it included.
    pub others: Vec<Configuration>,
}

/// The ways in which the setup can choose.
pub fn setups(program: &Verified, limits: &Limits) -> Result<Vec<Vec<u32>>, Halt> {
    let mut interpreter = Interpreter::new(program, Machine::Sc);
    interpreter.longest = limits.stretch;
    Ok(run_setup(&mut interpreter)?.into_iter().map(|(setup, _)| setup).collect())
}

impl<'a> Exploration<'a> {
    /// An exploration after the setup chose so.
    pub fn new(
        program: &'a Verified,
        machine: Machine,
        setup: &[u32],
        limits: &Limits,
        budget: &Budget,
    ) -> Result<Exploration<'a>, Stop> {
        let mut forest = Forest::new(program, machine, setup, limits)?;
        let observed = observed(&mut forest);
        let roots = forest.initial_nodes();
        Ok(Exploration {
            forest,
            roots,
            classes: Classes::new(),
            limits: limits.clone(),
            budget: budget.clone(),
            observed,
            figures: Figures::default(),
            walk: Walk::default(),
            incomplete: None,
        })
    }

    /// Finds all classes; each new one is shown.
    pub fn run(&mut self, visit: Visit) -> Next {
        let mut first = Configuration::new(&self.roots);
        let ended = first.go_on(&mut self.forest, self.limits.depth);
        if self.executed(first, ended, visit) == Next::Finish {
            return Next::Finish;
        }
        let mut class = 0;
        while (class as usize) < self.classes.len() {
            if self.is_exhausted() {
                break;
            }
            if self.process(class, visit) == Next::Finish {
                return Next::Finish;
            }
            class += 1;
        }
        Next::Continue
    }

    /// The figures.
    pub fn figures(&self) -> Figures {
        Figures { instructions: self.forest.instructions(), ..self.figures.clone() }
    }

    /// Why not all classes were found, if so.
    pub fn incomplete(&self) -> Option<String> {
        self.incomplete.clone().or_else(|| self.forest.cut.clone())
    }

    /// What is not modelled, if something was met.
    pub fn unsupported(&self) -> Option<&Unsupported> {
        self.forest.unsupported.as_ref()
    }

    fn is_exhausted(&mut self) -> bool {
        let done = self.figures.executions;
        let interrupted = self.limits.interrupt.load(std::sync::atomic::Ordering::Relaxed);
        if interrupted {
            self.incomplete.get_or_insert(format!("the exploration was stopped after {done} executions"));
        } else if done >= self.budget.executions {
            self.incomplete.get_or_insert(format!("the exploration was ended after {done} executions"));
        }
        interrupted || done >= self.budget.executions || self.forest.unsupported.is_some()
    }

    /// An execution came to its end.
    fn executed(&mut self, configuration: Configuration, ended: bool, visit: Visit) -> Next {
        self.figures.executions += 1;
        if !ended {
            let depth = self.limits.depth;
            self.incomplete.get_or_insert(format!("an execution has more than {depth} steps"));
        }
        let Some(class) = self.classes.insert(&configuration.at, &self.forest) else {
            self.figures.redundant += 1;
            return Next::Continue;
        };
        let ending = if ended { self.ending(class) } else { Ending::Cut };
        match ending {
            Ending::Dropped => self.figures.dropped += 1,
            _ => self.figures.classes += 1,
        }
        let others = match ending {
            Ending::Finished if !self.observed.is_empty() => self.variants(class),
            _ => Vec::new(),
        };
        visit(&self.forest, &Executed { ending, configuration, others })
    }

    fn ending(&self, class: ClassId) -> Ending {
        let ends = self.classes.ends(class).iter().filter(|end| **end != NONE);
        let ops: Vec<&Op> = ends.map(|end| &self.forest.node(*end).op).collect();
        let any = |sort: &dyn Fn(&Op) -> bool| ops.iter().any(|op| sort(op));
        match () {
            () if any(&|op| matches!(op, Op::Dropped)) => Ending::Dropped,
            () if any(&|op| matches!(op, Op::Failed(_))) => Ending::Failed,
            () if any(&|op| matches!(op, Op::Cut)) => Ending::Cut,
            () if any(&|op| !matches!(op, Op::End)) => Ending::Stuck,
            () => Ending::Finished,
        }
    }

    /// Executions of a class for all that memory may hold at the end.
    fn variants(&mut self, class: ClassId) -> Vec<Configuration> {
        let projection = project(&self.forest, self.classes.ends(class), Keep::And(&self.observed));
        let goal = Goal::Ends { memory: true, awaited: Vec::new() };
        let Some(found) = self.ask(&projection.trace, &goal) else { return Vec::new() };
        let mut variants = Vec::new();
        for end in &found.ends {
            let mut threads = projection.trace.threads.iter().zip(&end.positions);
            if !threads.all(|(thread, at)| *at == NONE || *at as usize == thread.events.len()) {
                continue;
            }
            let mut follower = Follower::new(&self.roots, &projection, &mut self.forest);
            match follower.steps(&mut self.forest, &found.escape(end).steps) {
                true => variants.push(follower.configuration),
                false => {
                    self.lost();
                }
            }
        }
        variants
    }

    fn ask(&mut self, trace: &Trace, goal: &Goal) -> Option<Found> {
        self.figures.queries += 1;
        let found = graph::explore(trace, self.forest.machine, goal, self.budget.states, &mut self.walk);
        match &found {
            Some(found) => self.figures.states += found.states,
            None => {
                let most = self.budget.states;
                self.incomplete.get_or_insert(format!("a class has more than {most} states"));
            }
        }
        found
    }

    /// Looks for ways out of a class.
    fn process(&mut self, class: ClassId, visit: Visit) -> Next {
        let ends: Vec<NodeId> = self.classes.ends(class).to_vec();
        let projection = project(&self.forest, &ends, Keep::Shared);
        for thread in 0..projection.trace.threads.len() {
            // From the last on: a short way from what is known meets errors earlier.
            for event in (0..projection.trace.threads[thread].events.len()).rev() {
                let target = (thread as u32, event as u32);
                let mut more = Vec::new();
                let Some(alternatives) = self.alternatives(&projection, target, &mut more) else { continue };
                let Some(goal) = self.goal(&projection, &ends, target, class, alternatives.clone()) else { continue };
                let keep = match alternatives {
                    Alternatives::Everything => Some(Keep::All),
                    _ => (!more.is_empty()).then_some(Keep::Also(&more)),
                };
                let next = match keep {
                    Some(keep) => self.follow_in(
                        class,
                        keep,
                        &ends,
                        (thread as u32, projection.trace.threads[thread].events[event].node),
                        visit,
                    ),
                    None => self.follow(&projection, &ends, &goal, visit),
                };
                if next == Next::Finish || self.is_exhausted() {
                    return next;
                }
            }
        }
        self.find_deadlocks(&projection, &ends, visit)
    }

    /// Follows a target whose alternatives concern more cells than the class shares.
    fn follow_in(
        &mut self,
        class: ClassId,
        keep: Keep,
        ends: &[NodeId],
        (thread, node): (u32, NodeId),
        visit: Visit,
    ) -> Next {
        let projection = project(&self.forest, ends, keep);
        let events = &projection.trace.threads[thread as usize].events;
        let Some(event) = events.iter().position(|event| event.node == node) else { return Next::Continue };
        let target = (thread, event as u32);
        let Some(alternatives) = self.alternatives(&projection, target, &mut Vec::new()) else { return Next::Continue };
        match self.goal(&projection, ends, target, class, alternatives) {
            Some(goal) => self.follow(&projection, ends, &goal, visit),
            None => Next::Continue,
        }
    }

    /// What an event could get instead; `None` if nothing. See [`alternatives`] for `more`.
    fn alternatives(
        &mut self,
        projection: &Projection,
        (thread, event): (u32, u32),
        more: &mut Vec<u32>,
    ) -> Option<Alternatives> {
        let of = &projection.trace.threads[thread as usize];
        let is_blocked = of.end == End::Blocked && event as usize + 1 == of.events.len();
        let event = &of.events[event as usize];
        if self.forest.node(event.node).op == Op::Begin {
            let reads = match &event.kind {
                Kind::Read { .. } | Kind::Atomic(_) => true,
                Kind::Update { .. } => true,
                _ => false,
            };
            let alternatives = reads.then(|| alternatives(&mut self.forest, projection, event.node, more));
            return alternatives.filter(|found| *found != Alternatives::Listed(Vec::new()));
        }
        let varies = |cell: u32| projection.values[cell as usize].len() > 1;
        let can_differ = match &event.kind {
            Kind::Read { cell, .. } => varies(*cell),
            Kind::Update { cell, picked, .. } => varies(*cell) || picked.is_some(),
            Kind::Choice { .. } | Kind::Notify { all: false, .. } => true,
            _ => is_blocked,
        };
        can_differ.then_some(Alternatives::Any)
    }

    /// What there is to ask about a target; `None` if nothing: if an earlier class does the same in all that can happen
    /// before it, or if known classes do all that and get every other value.
    fn goal(
        &self,
        projection: &Projection,
        ends: &[NodeId],
        (thread, event): (u32, u32),
        class: ClassId,
        alternatives: Alternatives,
    ) -> Option<Goal> {
        let trace = &projection.trace;
        let limits = limits_of(trace, (thread, event));
        let nodes = limits.iter().enumerate().map(|(thread, limit)| match limit {
            Some(NONE) => NONE,
            Some(limit) => trace.threads[thread].events[*limit as usize].node,
            None => ends[thread],
        });
        let mut nodes: Vec<NodeId> = nodes.collect();
        let target = &trace.threads[thread as usize].events[event as usize];
        // Who got another value did not know that there would be two ways with this one.
        let has_picked = matches!(target.kind, Kind::Update { picked: Some(_), .. });
        if !has_picked && self.classes.some_passes(nodes.iter().copied(), class) {
            return None;
        }
        let mut wanted = match (&alternatives, &target.kind) {
            (Alternatives::Listed(listed), _) => Some(listed.iter().map(|other| other.value).collect()),
            (Alternatives::Any, Kind::Read { cell, .. }) => Some(projection.values[*cell as usize].clone()),
            (Alternatives::Any, Kind::Update { cell, picked: None, .. }) => {
                Some(projection.values[*cell as usize].clone())
            }
            _ => None,
        };
        let own = match &target.kind {
            Kind::Read { value, .. } | Kind::Update { value, .. } => Some(*value),
            _ => None,
        };
        if let Some(wanted) = &mut wanted {
            wanted.retain(|value| Some(*value) != own);
            wanted.retain(|value| {
                let Some(child) = self.after(target.node, &alternatives, *value) else {
                    return true;
                };
                nodes[thread as usize] = child;
                !self.classes.some_passes(nodes.iter().copied(), ClassId::MAX)
            });
            if wanted.is_empty() {
                return None;
            }
        }
        let bounds = limits.iter().enumerate().map(|(thread, limit)| {
            let of = &trace.threads[thread];
            match limit {
                _ if ends[thread] == NONE => NONE,
                Some(limit) => *limit,
                None => of.events.len() as u32 - u32::from(of.end == End::Blocked),
            }
        });
        Some(Goal::Escape { thread, event, alternatives, wanted, bounds: bounds.collect() })
    }

    /// Where a thread stands after an event that gets this label, if some execution went there.
    fn after(&self, node: NodeId, alternatives: &Alternatives, label: u32) -> Option<NodeId> {
        match alternatives {
            Alternatives::Any => self.forest.known_child(node, label),
            Alternatives::Listed(listed) => listed.iter().find(|other| other.value == label).map(|other| other.node),
            Alternatives::Everything => None,
        }
    }

    /// Runs the program wherever the target can get something that no known class has.
    fn follow(&mut self, projection: &Projection, ends: &[NodeId], goal: &Goal, visit: Visit) -> Next {
        let Goal::Escape { thread, event, ref alternatives, .. } = *goal else { return Next::Continue };
        let node = projection.trace.threads[thread as usize].events[event as usize].node;
        let is_block = self.forest.node(node).op == Op::Begin;
        let Some(found) = self.ask(&projection.trace, goal) else { return Next::Continue };
        for end in &found.ends {
            if self.is_exhausted() {
                return Next::Continue;
            }
            let after = self.after(node, alternatives, end.label);
            let nodes = after.map(|after| self.nodes(projection, ends, end, thread, after));
            if nodes.is_some_and(|nodes| self.classes.some_passes(nodes.into_iter(), ClassId::MAX)) {
                continue;
            }
            let escape = found.escape(end);
            if self.take(projection, ends, end, &escape, is_block, visit) == Next::Finish {
                return Next::Finish;
            }
        }
        Next::Continue
    }

    /// Where each thread stands in an end state.
    fn nodes(
        &self,
        projection: &Projection,
        ends: &[NodeId],
        end: &EndState,
        target: u32,
        child: NodeId,
    ) -> Vec<NodeId> {
        let threads = projection.trace.threads.iter().zip(&end.positions).enumerate();
        let at = threads.map(|(thread, (of, position))| match of.events.get(*position as usize) {
            _ if thread == target as usize => child,
            _ if *position == NONE => NONE,
            Some(event) => event.node,
            None => ends[thread],
        });
        at.collect()
    }

    /// Runs the program along an escape, and on to its end.
    fn take(
        &mut self,
        projection: &Projection,
        ends: &[NodeId],
        end: &EndState,
        escape: &Escape,
        is_block: bool,
        visit: Visit,
    ) -> Next {
        let mut choices = Choices::given(given(escape.label, &projection.trace, escape));
        loop {
            let mut follower = Follower::new(&self.roots, projection, &mut self.forest);
            let goes = follower.steps(&mut self.forest, &escape.steps);
            if !goes {
                return self.lost();
            }
            choices.rewind();
            let happens = follower.target(&mut self.forest, escape.thread, escape.event, &mut choices);
            if !happens && !is_block {
                return self.lost();
            }
            if happens && !(is_block && self.is_old(projection, ends, end, &follower, escape.thread)) {
                if !follower.steps(&mut self.forest, &escape.after) {
                    return self.lost();
                }
                let mut configuration = follower.configuration;
                let ended = configuration.go_on(&mut self.forest, self.limits.depth);
                if self.executed(configuration, ended, visit) == Next::Finish {
                    return Next::Finish;
                }
            }
            if !is_block || !choices.next_combination() {
                return Next::Continue;
            }
        }
    }

    /// Whether a known class goes where an atomic block went.
    fn is_old(
        &self,
        projection: &Projection,
        ends: &[NodeId],
        end: &EndState,
        follower: &Follower,
        thread: u32,
    ) -> bool {
        let child = follower.configuration.at[thread as usize];
        let nodes = self.nodes(projection, ends, end, thread, child);
        self.classes.some_passes(nodes.into_iter(), ClassId::MAX)
    }

    /// The program did not go as foreseen. That would be an error here, and makes the answer unknown.
    fn lost(&mut self) -> Next {
        self.incomplete.get_or_insert("an execution that should be possible could not be run".into());
        Next::Continue
    }

    /// Looks for executions of a class that end early because threads wait for each other.
    fn find_deadlocks(&mut self, projection: &Projection, ends: &[NodeId], visit: Visit) -> Next {
        let mut awaited = Vec::new();
        let mut may_wait = false;
        for (thread, of) in projection.trace.threads.iter().enumerate() {
            let mut held = 0i64;
            for (place, event) in of.events.iter().enumerate() {
                let is_block = self.forest.node(event.node).op == Op::Begin;
                match &event.kind {
                    Kind::Read { .. } | Kind::Atomic(_) if is_block => {
                        let mut more = Vec::new();
                        let alternatives = alternatives(&mut self.forest, projection, event.node, &mut more);
                        let is_blocked = of.end == End::Blocked && place + 1 == of.events.len();
                        let waits = is_blocked || self.may_wait(projection, event, &alternatives);
                        may_wait |= waits;
                        if waits {
                            awaited.push(Awaited { thread: thread as u32, event: place as u32, alternatives });
                        }
                    }
                    Kind::Lock(_) => {
                        may_wait |= held > 0;
                        held += 1;
                    }
                    Kind::Unlock(_) => held -= 1,
                    Kind::Join(_) | Kind::Turn(_) => may_wait |= held > 0,
                    Kind::Resume(..) | Kind::Park => may_wait = true,
                    _ => {}
                }
            }
        }
        if !may_wait {
            return Next::Continue;
        }
        let goal = Goal::Ends { memory: false, awaited };
        let Some(found) = self.ask(&projection.trace, &goal) else { return Next::Continue };
        for end in &found.ends {
            let nodes = self.nodes(projection, ends, end, NONE, NONE);
            if self.classes.contains(&nodes) {
                continue;
            }
            let escape = found.escape(end);
            let mut follower = Follower::new(&self.roots, projection, &mut self.forest);
            if !follower.steps(&mut self.forest, &escape.steps) {
                return self.lost();
            }
            let mut configuration = follower.configuration;
            let ended = configuration.go_on(&mut self.forest, self.limits.depth);
            if self.executed(configuration, ended, visit) == Next::Finish || self.is_exhausted() {
                return Next::Finish;
            }
        }
        Next::Continue
    }

    fn may_wait(&self, projection: &Projection, event: &super::trace::Event, alternatives: &Alternatives) -> bool {
        let Alternatives::Listed(listed) = alternatives else { return true };
        let cell = match &event.kind {
            Kind::Read { cell, .. } => *cell,
            Kind::Atomic(accesses) => match accesses.first() {
                Some(super::trace::Access::Read { cell, .. }) => *cell,
                _ => return false,
            },
            _ => return false,
        };
        projection.values[cell as usize].iter().any(|value| !listed.iter().any(|other| other.value == *value))
    }
}

/// The choices that make the target get its label.
fn given(label: u32, trace: &Trace, escape: &Escape) -> Vec<u32> {
    match trace.threads[escape.thread as usize].events[escape.event as usize].kind {
        Kind::Choice { .. } => vec![label],
        Kind::Notify { .. } => label.checked_sub(1).into_iter().collect(),
        Kind::Update { .. } if label & FAILED != 0 => vec![1],
        _ => Vec::new(),
    }
}

/// How far each thread can come before the target happens; `None` if to its end, [`NONE`] if it cannot start. Only what
/// follows from starts and joins.
fn limits_of(trace: &Trace, (thread, event): (u32, u32)) -> Vec<Option<u32>> {
    let mut limits: Vec<Option<u32>> = vec![None; trace.threads.len()];
    limits[thread as usize] = Some(event);
    loop {
        let mut changed = false;
        for other in 0..limits.len() {
            let count = trace.threads[other].events.len();
            let until = limits[other].map_or(count, |limit| count.min(limit as usize));
            let waits = |event: &super::trace::Event| match &event.kind {
                Kind::Join(of) => limits[*of as usize].is_some(),
                Kind::Turn(of) => of.iter().any(|of| limits[*of as usize].is_some()),
                _ => false,
            };
            if let Some(place) = trace.threads[other].events[..until].iter().position(waits) {
                if limits[other] != Some(NONE) {
                    limits[other] = Some(place as u32);
                    changed = true;
                }
            }
        }
        for other in 0..limits.len() {
            let Some(limit) = limits[other] else { continue };
            let limit = if limit == NONE { 0 } else { limit as usize };
            for event in &trace.threads[other].events[limit..] {
                if let Kind::Spawn(started) = event.kind
                    && limits[started as usize] != Some(NONE)
                {
                    limits[started as usize] = Some(NONE);
                    changed = true;
                }
            }
        }
        if !changed {
            return limits;
        }
    }
}

/// The cells of memory that the question asks for.
fn observed(forest: &mut Forest) -> Vec<u32> {
    let Some(question) = &forest.program.question else { return Vec::new() };
    let mut pointers = Vec::new();
    let mut look = |observable: &Observable| {
        if let Observable::Memory(pointer) = observable {
            pointers.push(pointer.clone());
        }
    };
    question.observed.iter().for_each(&mut look);
    question.proposition.observables(&mut look);
    question.filter.iter().for_each(|filter| filter.observables(&mut look));
    pointers.iter().map(|pointer| forest.cell_of(pointer)).collect()
}

/// Takes an execution along the steps of a trace.
struct Follower<'p> {
    configuration: Configuration,
    projection: &'p Projection,
    /// How many events of the trace each thread did.
    done: Vec<u32>,
}

impl<'p> Follower<'p> {
    fn new(roots: &[NodeId], projection: &'p Projection, forest: &mut Forest) -> Follower<'p> {
        let done = vec![0; projection.trace.threads.len()];
        let mut follower = Follower { configuration: Configuration::new(roots), projection, done };
        (0..roots.len() as u32).for_each(|thread| follower.advance(forest, thread));
        follower
    }

    /// A thread does what comes before its next event of the trace.
    fn advance(&mut self, forest: &mut Forest, thread: u32) {
        let configuration = &mut self.configuration;
        let events = &self.projection.trace.threads[thread as usize].events;
        let next = events.get(self.done[thread as usize] as usize).map_or(NONE, |event| event.node);
        while configuration.at[thread as usize] != next
            && configuration.step(forest, thread, &mut Choices::default()).is_some()
        {}
        configuration.flush_others(forest.machine, thread, &self.projection.cells);
    }

    /// Takes the steps; whether all were possible.
    fn steps(&mut self, forest: &mut Forest, steps: &[Step]) -> bool {
        steps.iter().all(|step| match step {
            Step::Flush(thread, cell) => {
                let cell = self.projection.cells[*cell as usize];
                let happens = self.configuration.flush_cell(forest.machine, *thread, cell);
                self.configuration.flush_others(forest.machine, *thread, &self.projection.cells);
                happens
            }
            Step::Event(thread) => {
                let event = self.done[*thread as usize];
                let kind = &self.projection.trace.threads[*thread as usize].events[event as usize].kind;
                let given = match kind {
                    Kind::Choice { picked, .. } => vec![*picked],
                    Kind::Notify { picked, .. } => picked.checked_sub(1).into_iter().collect(),
                    Kind::Update { picked, .. } => picked.iter().copied().collect(),
                    Kind::Atomic(accesses) => picks(accesses),
                    _ => Vec::new(),
                };
                let happens = self.target(forest, *thread, event, &mut Choices::given(given));
                self.done[*thread as usize] += 1;
                self.advance(forest, *thread);
                if let Kind::Spawn(started) = kind {
                    self.advance(forest, *started);
                }
                happens
            }
        })
    }

    /// A thread does what comes before an event of the trace, and the event; whether that was possible.
    fn target(&mut self, forest: &mut Forest, thread: u32, event: u32, choices: &mut Choices) -> bool {
        let Some(event) = self.projection.trace.threads[thread as usize].events.get(event as usize) else {
            return false;
        };
        let configuration = &mut self.configuration;
        if configuration.at.get(thread as usize) != Some(&event.node) {
            return false;
        }
        if event.kind.drains() {
            configuration.flush_all(thread);
        } else if matches!(event.kind, Kind::Read { .. }) {
            configuration.flush_before_load(thread);
        }
        configuration.step(forest, thread, choices).is_some()
    }
}

fn picks(accesses: &[super::trace::Access]) -> Vec<u32> {
    let picked = accesses.iter().filter_map(|access| match access {
        super::trace::Access::Choice { picked, .. } => Some(*picked),
        _ => None,
    });
    picked.collect()
}
