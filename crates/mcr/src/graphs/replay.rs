//! A graph that grows by a schedule, event by event: each step is judged by the model again, so that what is shown is an execution.

use std::rc::Rc;
use std::sync::atomic::Ordering;

use axiomatic::Model;
use operational::Machine;
use operational::word::Word;
use program::{End, EventKind, Failure, Property, Replay, StepKind, Unsupported, Verified};

use super::answer::{MOST_THREADS, Options, on, threads};
use super::consistent::{is_taken, oldest};
use super::event::{Event, Kind};
use super::explore::{places, unallocated};
use super::failure::{deadlock, name, race as racing, started};
use super::graph::{Graph, GraphThread};
use super::local::{Lead, Local};
use super::missed::{Cut, waiting};
use super::number::{EventId, LocationId, ThreadNumber};
use super::poised::{Op, Poised};
use super::prepare::{prepare, with_threads};
use super::race::race;
use super::recognise::{RACE, Recognised, recognise};
use super::schedule::{Place, Schedule, Step};
use super::witness::execution;

/// What happened when a schedule was run.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The program, with a thread for each one that was started.
    pub program: Verified,
    /// What happened.
    pub replay: Replay,
}

/// Why a schedule cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The step of this number, from 1 on, is not possible.
    Step(usize, String),
    /// Something is not modelled.
    Unsupported(Unsupported),
    /// A limit was reached.
    Limit,
}

impl From<Unsupported> for Mismatch {
    fn from(unsupported: Unsupported) -> Mismatch {
        Mismatch::Unsupported(unsupported)
    }
}

/// Runs a schedule under a model.
pub fn replay(program: &Verified, model: &Model, schedule: &Schedule, options: &Options) -> Result<Replayed, Mismatch> {
    run(program, &recognise(model)?, schedule, options)
}

/// Runs a schedule on one of the machines sc, tso and pso.
pub fn replay_on(
    program: &Verified,
    machine: Machine,
    schedule: &Schedule,
    options: &Options,
) -> Result<Replayed, Mismatch> {
    run(program, &on(machine)?, schedule, options)
}

fn run(
    program: &Verified,
    recognised: &Recognised,
    schedule: &Schedule,
    options: &Options,
) -> Result<Replayed, Mismatch> {
    let prepared = prepare(program)?;
    let asks_about_errors = program.question.is_none() && options.property == Property::Always;
    let mut local = threads(&prepared, recognised, options.limits.stretch, (asks_about_errors, asks_about_errors))?;
    let first = local.start()?;
    let started = |(thread, step): &(ThreadNumber, Step)| match step {
        Step::Start(started) => started.index().max(thread.index()) + 1,
        _ => thread.index() + 1,
    };
    let width = schedule.steps.iter().map(started).fold(first.len().max(1), usize::max).min(MOST_THREADS);
    let graph = Graph::new(first, width, recognised.axioms.sequences());
    let mut growing = Growing { recognised, local, graph, is_older: Vec::new(), race: None };
    for (number, (thread, step)) in schedule.steps.iter().enumerate() {
        if options.limits.interrupt.load(Ordering::Relaxed) {
            return Err(Mismatch::Limit);
        }
        growing.add(*thread, *step).map_err(|wrong| wrong.at(number + 1))?;
    }
    growing.finish(program, asks_about_errors)
}

/// Why a step is not possible.
enum Wrong {
    What(&'static str),
    Unsupported(Unsupported),
}

impl Wrong {
    fn at(self, number: usize) -> Mismatch {
        match self {
            Wrong::What(what) => Mismatch::Step(number, what.into()),
            Wrong::Unsupported(unsupported) => Mismatch::Unsupported(unsupported),
        }
    }
}

impl From<Unsupported> for Wrong {
    fn from(unsupported: Unsupported) -> Wrong {
        Wrong::Unsupported(unsupported)
    }
}

const OTHER: &str = "the thread does something else";
const FORBIDDEN: &str = "the model forbids this";

/// A graph on its way.
struct Growing<'r, 'a> {
    recognised: &'r Recognised,
    local: Local<'a>,
    graph: Graph,
    /// By event: whether it reads what was overwritten, or writes what does not come last.
    is_older: Vec<bool>,
    /// The first two accesses that race.
    race: Option<(EventId, EventId)>,
}

impl Growing<'_, '_> {
    fn add(&mut self, thread: ThreadNumber, step: Step) -> Result<(), Wrong> {
        let of = self.graph.threads.get(thread.index()).filter(|of| of.is_born());
        let now = of.map(|of| of.now.clone()).ok_or(Wrong::What("there is no such thread"))?;
        match (step, &now.op) {
            (Step::Next, Op::Fence(strength)) => {
                let fence = Event { strength: *strength, ..Event::new(thread, &now, Kind::Fence) };
                let after = self.local.next(thread, &now)?;
                self.push(fence, after, false);
            }
            (Step::Next, Op::Join(other)) => self.join(thread, &now, *other)?,
            (Step::Start(started), Op::Spawn(..)) => self.start(thread, &now, started)?,
            (Step::Choose(way), Op::Choose(target, low, ways, width)) if way < *ways => {
                let value = Word::int(low.wrapping_add(way as i64), *width);
                let after = self.local.after(thread, &now, &[(*target, value)])?;
                let chosen = Event { value, ..Event::new(thread, &now, Kind::Choose { first: way == 0 }) };
                self.push(chosen, after, false);
            }
            (Step::Read { from, fails }, op) if op.reads().is_some() => self.read(thread, &now, from, fails)?,
            (Step::Write { after }, Op::Write(..)) => self.write(thread, &now, after)?,
            _ => return Err(Wrong::What(OTHER)),
        }
        Ok(())
    }

    fn push(&mut self, event: Event, after: Rc<Poised>, is_older: bool) -> EventId {
        let id = self.graph.push(event, after);
        self.is_older.push(is_older);
        if self.graph.event(id).location.is_some() && self.race.is_none() {
            self.race = race(&self.graph, id).map(|other| (other, id));
        }
        id
    }

    fn join(&mut self, thread: ThreadNumber, now: &Rc<Poised>, other: ThreadNumber) -> Result<(), Wrong> {
        let is_over = self.graph.threads.get(other.index()).is_some_and(|other| matches!(other.now.op, Op::End));
        if !is_over {
            return Err(Wrong::What("the other thread has not come to its end"));
        }
        let after = self.local.next(thread, now)?;
        self.push(Event::new(thread, now, Kind::Join(other)), after, false);
        Ok(())
    }

    fn start(&mut self, thread: ThreadNumber, now: &Rc<Poised>, started: ThreadNumber) -> Result<(), Wrong> {
        let is_there = self.graph.threads.get(started.index()).is_some_and(GraphThread::is_born);
        if is_there || started.index() >= self.graph.width() {
            return Err(Wrong::What("no thread of this number can be started"));
        }
        let (new, after) = self.local.spawn(thread, now, started)?;
        let id = self.push(Event::new(thread, now, Kind::Spawn(started)), after, false);
        self.graph.add_thread(started, GraphThread::new(new, Some(id)));
        Ok(())
    }

    /// The place in coherence order of a write of a location; the initial one is at 0.
    fn position(&self, location: LocationId, write: Option<Place>) -> Result<usize, Wrong> {
        let Some((thread, number)) = write else { return Ok(0) };
        let events = self.graph.threads.get(thread.index()).map(|of| &of.events);
        let id = events.and_then(|events| events.get(number as usize)).copied();
        let is_write = |id: &EventId| {
            let event = self.graph.event(*id);
            event.is_write() && event.location == Some(location)
        };
        let write = id.filter(is_write).ok_or(Wrong::What("there is no such write of this location"))?;
        Ok(self.graph.position(location, write))
    }

    /// Adds a read, and the write of a read-modify-write.
    fn read(&mut self, thread: ThreadNumber, now: &Rc<Poised>, from: Option<Place>, fails: bool) -> Result<(), Wrong> {
        let Some((location, _)) = now.op.reads() else { return Err(Wrong::What(OTHER)) };
        let position = self.position(location, from)?;
        if position < oldest(&self.graph, location, self.graph.last(thread)) {
            return Err(Wrong::What(FORBIDDEN));
        }
        let source = self.graph.write_at(location, position);
        let value = match source {
            EventId::INITIAL => self.local.locations.initial(location),
            source => self.graph.event(source).value,
        };
        if fails && !self.local.may_fail(thread, now, value) {
            return Err(Wrong::What("nothing fails here that could succeed"));
        }
        let Lead::On { after, writes, strength } = self.local.finds(thread, now, value, fails)? else {
            return Err(Wrong::What("the thread waits for another value"));
        };
        if writes && is_taken(&self.graph, location, position) {
            return Err(Wrong::What(FORBIDDEN));
        }
        let is_older = position < self.graph.location(location).writes.len();
        let kind = Kind::Read { source, exclusive: writes, spurious: fails };
        let read = Event { strength, location: Some(location), value, ..Event::new(thread, now, kind) };
        self.push(read, after.clone(), is_older);
        if let (true, Op::Rest(_, value, strength, rest)) = (writes, &after.op) {
            let kind = Kind::Write { exclusive: true };
            let write = Event {
                strength: *strength,
                location: Some(location),
                value: *value,
                ..Event::new(thread, &after, kind)
            };
            let id = self.push(write, rest.clone(), is_older);
            self.graph.insert(id, position);
        }
        self.check(is_older)
    }

    fn write(&mut self, thread: ThreadNumber, now: &Rc<Poised>, after: Option<Place>) -> Result<(), Wrong> {
        let Op::Write(location, value, strength) = now.op else { return Err(Wrong::What(OTHER)) };
        let position = self.position(location, after)?;
        let next = self.local.next(thread, now)?;
        let kind = Kind::Write { exclusive: false };
        let write = Event { strength, location: Some(location), value, ..Event::new(thread, now, kind) };
        let is_older = position < self.graph.location(location).writes.len();
        let id = self.push(write, next, is_older);
        if !places(&self.graph, id, location).contains(&position) {
            return Err(Wrong::What(FORBIDDEN));
        }
        self.graph.insert(id, position);
        self.check(is_older)
    }

    /// The model allows whatever reads the last write, and writes that come last.
    fn check(&self, is_older: bool) -> Result<(), Wrong> {
        match is_older && !self.recognised.axioms.keep(&self.graph, &self.local) {
            true => Err(Wrong::What(FORBIDDEN)),
            false => Ok(()),
        }
    }

    fn finish(mut self, program: &Verified, asks_about_errors: bool) -> Result<Replayed, Mismatch> {
        let failure = if asks_about_errors { self.failure(program)? } else { None };
        let ends = |thread: &GraphThread| matches!(thread.now.op, Op::End | Op::Unborn);
        let end = match failure {
            Some(failure) => End::Failed(failure),
            None if self.graph.threads.iter().all(ends) => End::Finished,
            None => End::Unfinished,
        };
        let execution = execution(&self.graph, &self.local);
        let program = with_threads(program, &started(&self.graph));
        let (between_threads, thrown) = (Vec::new(), Vec::new());
        let replay = Replay { steps: self.steps(&program), execution, between_threads, end, thrown };
        Ok(Replayed { program, replay })
    }

    /// What goes wrong: a thread that fails, a race, an access before its allocation, or threads that wait for ever.
    fn failure(&mut self, program: &Verified) -> Result<Option<Failure>, Unsupported> {
        let graph = &self.graph;
        let numbers = || (0..graph.threads.len() as u16).map(ThreadNumber);
        let fault = |thread: ThreadNumber| match &graph.threads[thread.index()].now.op {
            Op::Failed(fault) => Some(fault.clone()),
            _ if self.local.asks_for_allocations => unallocated(graph, &self.local, thread),
            _ => None,
        };
        if let Some((thread, fault)) = numbers().find_map(|thread| fault(thread).map(|fault| (thread, fault))) {
            let name = name(program, graph, thread);
            return Ok(Some(operational::replay::failure(program, &fault, &name)));
        }
        let judge = self.recognised.axioms.judge();
        let flagged = judge.map(|judge| judge.flagged(graph, &self.local)).into_iter().flatten();
        let flagged = flagged.filter(|(name, _)| *name == RACE).find_map(|(_, pair)| pair);
        let race = self.race.filter(|_| self.recognised.flags_races && judge.is_none()).or(flagged);
        if let Some(pair) = race {
            return Ok(Some(racing(program, graph, &self.local, pair)));
        }
        let waiting = waiting(&mut self.local, &Cut::none(graph))?;
        Ok(waiting.map(|waiting| deadlock(program, graph, &waiting)))
    }

    /// The events in order.
    fn steps(&self, program: &Verified) -> Vec<program::Step> {
        let step = |(event, is_older): (&Event, &bool)| {
            let kind = match event.kind {
                Kind::Read { .. } => EventKind::Read,
                Kind::Write { .. } => EventKind::Write,
                Kind::Fence => EventKind::Fence,
                Kind::Spawn(_) | Kind::Join(_) | Kind::Choose { .. } => return None,
            };
            let interpreter = &self.local.interpreter;
            let thread = program.threads.get(event.thread.index()).map(|thread| thread.name.clone());
            Some(program::Step {
                thread: thread.unwrap_or_default(),
                kind: StepKind::Event(kind),
                cell: event.location.map(|location| self.local.locations.pointer(interpreter, location)),
                value: event.location.map(|_| interpreter.words.value(event.value)),
                span: event.span,
                foresees: false,
                is_older: *is_older,
                calls: Vec::new(),
            })
        };
        self.graph.events.iter().zip(&self.is_older).filter_map(step).collect()
    }
}
