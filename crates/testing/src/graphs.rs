//! Execution graphs by brute force: every way to add the next event of every thread, with a set of graphs that were seen.
//!
//! It shares with the exploration how threads run and what keeps a graph consistent, and nothing of what makes the exploration
//! visit each graph once: no revisits, no maximal events, no read-modify-writes that are sent back. Which reads have no effect is
//! the exploration's if graphs are compared ([`Effectless::Known`]); if what they come to is compared, then only iterations that lead
//! back to where the thread was are left out ([`Effectless::Back`]), so that the other rules are judged.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use mcr::graphs::consistent::{is_taken, keeps_seq_cst, oldest};
use mcr::graphs::event::{Event, Kind};
use mcr::graphs::explore::{Ending, Exploration, Figures, Next, Setting, Visitor};
use mcr::graphs::graph::{Graph, GraphThread, Sequences};
use mcr::graphs::judge::Judge;
use mcr::graphs::local::{Lead, Local, Op, Poised};
use mcr::graphs::missed::{Cut, waiting};
use mcr::graphs::number::{EventId, LocationId, ThreadNumber};
use mcr::graphs::prepare::prepare;
use mcr::graphs::race::race;
use mcr::graphs::recognise::Axioms;
use mcr::graphs::share::Share;
use mcr::graphs::without_effect::{Attempt, is_needless};
use operational::word::Word;
use program::{Unsupported, Verified};

/// A graph up to the order in which its events were added: where reads read from, what was chosen, and coherence.
pub type Class = Vec<u32>;

/// As many instructions a thread may take without an event.
const STRETCH: u64 = 10_000;
/// As many threads there may be.
const WIDTH: usize = 6;
/// As many events a graph may have.
const EVENTS: usize = 200;

/// The class of a graph. Fences do not count: some models have fences as events that others do not know.
pub fn class(graph: &Graph) -> Class {
    let threads: Vec<usize> = (0..graph.threads.len()).collect();
    class_of(graph, &threads)
}

/// The least class of those of a graph and of what it becomes if the threads of a group are exchanged.
pub fn orbit(graph: &Graph, group: &[usize]) -> Class {
    let orders = permutations(group);
    let classes = orders.iter().map(|order| {
        let mut threads: Vec<usize> = (0..graph.threads.len()).collect();
        group.iter().zip(order).for_each(|(from, to)| threads[*from] = *to);
        class_of(graph, &threads)
    });
    classes.min().unwrap_or_default()
}

fn permutations(of: &[usize]) -> Vec<Vec<usize>> {
    let [first, rest @ ..] = of else { return vec![Vec::new()] };
    let longer = |shorter: Vec<usize>| {
        (0..=shorter.len()).map(move |at| {
            let mut order = shorter.clone();
            order.insert(at, *first);
            order
        })
    };
    permutations(rest).into_iter().flat_map(longer).collect()
}

/// The class of a graph in which each thread has another number.
fn class_of(graph: &Graph, numbers: &[usize]) -> Class {
    let mut class = Vec::new();
    let counts = |id: &&EventId| graph.event(**id).kind != Kind::Fence;
    let place = |id: EventId| match id {
        EventId::INITIAL => u32::MAX,
        id => {
            let event = graph.event(id);
            let before = graph.threads[event.thread.index()].events[..event.index as usize].iter().filter(counts);
            ((numbers[event.thread.index()] as u32) << 16) + before.count() as u32
        }
    };
    let mut threads: Vec<(&usize, &GraphThread)> = numbers.iter().zip(&graph.threads).collect();
    threads.sort_by_key(|(number, _)| **number);
    for (_, thread) in threads {
        class.push(thread.events.iter().filter(counts).count() as u32);
        for id in &thread.events {
            match graph.event(*id).kind {
                Kind::Read { source, spurious, .. } => class.extend([place(source), u32::from(spurious)]),
                Kind::Choose { .. } => class.push(chosen(graph.event(*id).value)),
                _ => {}
            }
        }
    }
    let orders = graph.locations.iter().map(|at| at.writes.iter().map(|id| place(*id)).collect());
    let mut orders: Vec<Vec<u32>> = orders.filter(|order: &Vec<u32>| order.len() > 1).collect();
    orders.sort();
    for order in orders {
        class.push(u32::MAX);
        class.extend(order);
    }
    class
}

fn chosen(word: Word) -> u32 {
    word.as_int().map_or(0, |int| int.signed() as u32)
}

/// What the complete graphs of a program come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// What global variables hold in the end.
    pub states: BTreeSet<Vec<(String, String)>>,
    /// Whether some thread runs into an error.
    pub fails: bool,
    /// Whether two accesses race.
    pub races: bool,
    /// Whether threads may wait for ever.
    pub waits: bool,
}

/// What global variables hold at the end of a graph.
fn state(graph: &Graph, local: &Local) -> Vec<(String, String)> {
    let mut state = Vec::new();
    for (index, at) in graph.locations.iter().enumerate() {
        let pointer = local.locations.pointer(&local.interpreter, LocationId(index as u32));
        let Some(last) = at.writes.last().filter(|_| (pointer.allocation as usize) < local.memory.heap.len()) else {
            continue;
        };
        let value = match graph.event(*last).value {
            Word::Pointer(_) => "a pointer".to_string(),
            word => format!("{:?}", local.interpreter.words.value(word)),
        };
        state.push((format!("{pointer:?}"), value));
    }
    state.sort();
    state
}

/// What was found of a program.
#[derive(Clone, Debug, Default)]
pub struct ExploredGraphs {
    /// The complete graphs, each as often as it was made.
    pub classes: Vec<Class>,
    /// What the reads of each thread get in them.
    pub values: BTreeSet<Vec<Vec<Word>>>,
    /// What they come to.
    pub ends: Ends,
    /// Threads that can be exchanged: then classes are those of [`orbit`].
    pub group: Vec<usize>,
    /// How many threads the exploration itself has found that can be exchanged.
    pub exchanged: u64,
}

/// What the reads of each thread get.
fn values(graph: &Graph) -> Vec<Vec<Word>> {
    let reads = |id: &EventId| Some(graph.event(*id)).filter(|event| event.is_read()).map(|event| event.value);
    graph.threads.iter().map(|thread| thread.events.iter().filter_map(reads).collect()).collect()
}

impl Visitor for ExploredGraphs {
    fn sees_race(&mut self) {
        self.ends.races = true;
    }

    fn ends(&mut self, graph: &Graph, local: &mut Local, ending: Ending) -> Next {
        match ending {
            Ending::Finished => {
                self.classes.push(orbit(graph, &self.group));
                self.values.insert(values(graph));
                self.ends.states.insert(state(graph, local));
            }
            Ending::Failed(..) => self.ends.fails = true,
            Ending::Waiting(_) => self.ends.waits = true,
            Ending::Race(..) | Ending::Unallocated(..) => {}
        }
        Next::Continue
    }
}

/// What the exploration finds under a model of C11; nothing if it gave up.
pub fn explored(program: &Verified, sequences: Sequences) -> Result<Option<ExploredGraphs>, Unsupported> {
    explored_under(program, Axioms::C11(sequences))
}

/// What the exploration finds; nothing if it gave up.
pub fn explored_under(program: &Verified, axioms: Axioms) -> Result<Option<ExploredGraphs>, Unsupported> {
    explored_within(program, axioms, (200_000, EVENTS))
}

/// What the exploration finds with so many executions of so many events; nothing if it gave up.
pub fn explored_within(
    program: &Verified,
    axioms: Axioms,
    limits: (u64, usize),
) -> Result<Option<ExploredGraphs>, Unsupported> {
    let mut found = ExploredGraphs::default();
    let figures = visited(program, axioms, limits, false, &mut found)?;
    Ok(figures.map(|_| found))
}

/// What the exploration finds where the threads of this group can be exchanged, and whether it is to make use of that; nothing if it
/// gave up.
pub fn explored_orbits(
    program: &Verified,
    axioms: Axioms,
    group: Vec<usize>,
    exchanges_threads: bool,
) -> Result<Option<ExploredGraphs>, Unsupported> {
    let mut found = ExploredGraphs { group, ..ExploredGraphs::default() };
    let figures = visited(program, axioms, (2_000, EVENTS), exchanges_threads, &mut found)?;
    Ok(figures.map(|figures| ExploredGraphs { exchanged: figures.exchanged, ..found }))
}

/// What a model says of the graphs that an exploration makes.
pub struct Judged<'j> {
    judge: &'j Judge,
    /// Complete graphs that the model allows, and others.
    pub kept: u64,
    pub broken: u64,
}

impl Visitor for Judged<'_> {
    fn sees_race(&mut self) {}

    fn ends(&mut self, graph: &Graph, local: &mut Local, ending: Ending) -> Next {
        if ending == Ending::Finished {
            let keeps = self.judge.keeps(graph, local);
            self.kept += u64::from(keeps);
            self.broken += u64::from(!keeps);
        }
        Next::Continue
    }
}

/// Which of the graphs that an exploration makes, within limits, a model allows by what it says.
pub fn judged_graphs<'j>(
    program: &Verified,
    axioms: Axioms,
    judge: &'j Judge,
    limits: (u64, usize),
) -> Result<Judged<'j>, Unsupported> {
    let mut judged = Judged { judge, kept: 0, broken: 0 };
    visited(program, axioms, limits, false, &mut judged)?;
    Ok(judged)
}

/// Explores within limits; nothing if that came to no end.
fn visited(
    program: &Verified,
    axioms: Axioms,
    (executions, events): (u64, usize),
    exchanges_threads: bool,
    visitor: &mut dyn Visitor,
) -> Result<Option<Figures>, Unsupported> {
    let prepared = prepare(program)?;
    let setting = Setting {
        axioms: axioms.clone(),
        looks_for_waiting: true,
        exchanges_threads,
        stretch: STRETCH,
        events,
        thread_events: usize::MAX,
        executions,
        interrupt: Arc::default(),
        is_found: Arc::default(),
        share: Share::Whole,
        done: Arc::default(),
    };
    let mut local = axioms.threads(&prepared, STRETCH)?;
    local.hides_private_stores = !local.by_model;
    local.hides_plain_stores = matches!(axioms, Axioms::C11(_));
    let mut exploration = Exploration::new(local, setting, false, visitor);
    let ended = exploration.run(WIDTH);
    let is_complete = ended.is_ok() && exploration.incomplete.is_none();
    Ok(is_complete.then_some(exploration.figures))
}

/// Which reads are not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effectless {
    /// Those that the exploration does not make.
    Known,
    /// Those after which a thread is where it was, with nothing done in between but reads and fences.
    Back,
}

/// What there is by brute force; nothing if more than `most` graphs would have to be looked at.
pub fn by_brute_force(
    program: &Verified,
    sequences: Sequences,
    effectless: Effectless,
    most: usize,
) -> Result<Option<ExploredGraphs>, Unsupported> {
    orbits_by_brute_force(program, sequences, effectless, most, Vec::new())
}

/// What there is by brute force, where the threads of a group can be exchanged.
pub fn orbits_by_brute_force(
    program: &Verified,
    sequences: Sequences,
    effectless: Effectless,
    most: usize,
    group: Vec<usize>,
) -> Result<Option<ExploredGraphs>, Unsupported> {
    let prepared = prepare(program)?;
    let mut local = Local::new(&prepared, STRETCH);
    (local.hides_private_stores, local.hides_plain_stores) = (true, true);
    let threads = local.start()?;
    let mut graph = Graph::new(threads, WIDTH, sequences);
    let (seen, complete) = (BTreeSet::new(), BTreeSet::new());
    let mut brute = Brute { local, seen, complete, ends: Ends::default(), group, effectless, most };
    let is_complete = brute.visit(&mut graph)?;
    let found =
        ExploredGraphs { classes: brute.complete.into_iter().collect(), ends: brute.ends, ..ExploredGraphs::default() };
    Ok(is_complete.then_some(found))
}

struct Brute<'a> {
    local: Local<'a>,
    seen: BTreeSet<Class>,
    complete: BTreeSet<Class>,
    ends: Ends,
    group: Vec<usize>,
    effectless: Effectless,
    most: usize,
}

impl Brute<'_> {
    /// Looks at all graphs that this one grows into; false if there are too many.
    fn visit(&mut self, graph: &mut Graph) -> Result<bool, Unsupported> {
        let start = graph.size();
        while self.add_local(graph)? {}
        let is_done = self.branch(graph);
        graph.truncate(start);
        is_done
    }

    fn branch(&mut self, graph: &mut Graph) -> Result<bool, Unsupported> {
        if graph.size() >= EVENTS || self.seen.len() >= self.most {
            return Ok(false);
        }
        self.ends.fails |= graph.threads.iter().any(|thread| matches!(thread.now.op, Op::Failed(_)));
        self.ends.waits = self.ends.waits || waiting(&mut self.local, &Cut::none(graph))?.is_some();
        let class = class(graph);
        if graph.threads.iter().all(|thread| matches!(thread.now.op, Op::End)) {
            self.ends.states.insert(state(graph, &self.local));
            self.complete.insert(orbit(graph, &self.group));
            return Ok(true);
        }
        if !self.seen.insert(class) {
            return Ok(true);
        }
        for thread in (0..graph.threads.len() as u16).map(ThreadNumber) {
            let now = graph.threads[thread.index()].now.clone();
            let is_done = match &now.op {
                Op::Write(location, word, strength) => {
                    let after = self.local.after(thread, &now, &[])?;
                    let written = Event {
                        strength: *strength,
                        location: Some(*location),
                        value: *word,
                        ..Event::new(thread, &now, Kind::Write { exclusive: false })
                    };
                    self.write(graph, written, &after)?
                }
                Op::Choose(target, low, ways, width) => {
                    let mut is_done = true;
                    for way in 0..*ways {
                        let value = Word::int(low.wrapping_add(way as i64), *width);
                        let chosen = Event { value, ..Event::new(thread, &now, Kind::Choose { first: way == 0 }) };
                        let after = self.local.after(thread, &now, &[(*target, value)])?;
                        graph.push(chosen, after);
                        is_done &= self.visit(graph)?;
                        graph.pop();
                    }
                    is_done
                }
                op if op.reads().is_some() => self.read(graph, thread, &now)?,
                _ => true,
            };
            if !is_done {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds an event that can only be added in one way and does not depend on what other threads do later.
    fn add_local(&mut self, graph: &mut Graph) -> Result<bool, Unsupported> {
        for thread in (0..graph.threads.len() as u16).map(ThreadNumber) {
            let now = graph.threads[thread.index()].now.clone();
            match &now.op {
                Op::Join(other) if matches!(graph.threads[other.index()].now.op, Op::End) => {
                    let after = self.local.after(thread, &now, &[])?;
                    graph.push(Event::new(thread, &now, Kind::Join(*other)), after);
                }
                Op::Spawn(function, arguments, target) => {
                    let number = ThreadNumber(graph.threads.len() as u16);
                    let started = self.local.started(number, *function, arguments)?;
                    let handle = Word::int(i64::from(number.0), 64);
                    let after = self.local.after(thread, &now, &[(*target, handle)])?;
                    let id = graph.push(Event::new(thread, &now, Kind::Spawn(number)), after);
                    graph.threads.push(GraphThread::new(started, Some(id)));
                }
                Op::Fence(strength) => {
                    let fence = Event { strength: *strength, ..Event::new(thread, &now, Kind::Fence) };
                    let after = self.local.after(thread, &now, &[])?;
                    graph.push(fence, after);
                }
                _ => continue,
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Adds a write at every place in coherence order that the model allows.
    fn write(&mut self, graph: &mut Graph, written: Event, after: &Rc<Poised>) -> Result<bool, Unsupported> {
        let Some(location) = written.location else { return Ok(true) };
        let id = graph.push(written, after.clone());
        self.ends.races |= race(graph, id).is_some();
        let first = oldest(graph, location, Some(id));
        let mut is_done = true;
        for place in first..=graph.location(location).writes.len() {
            if is_taken(graph, location, place) {
                continue;
            }
            graph.insert(id, place);
            if keeps_seq_cst(graph) {
                is_done &= self.visit(graph)?;
            }
            graph.take_out(id);
        }
        graph.pop();
        Ok(is_done)
    }

    /// Adds a read, with the write of its read-modify-write, from every write that the model allows.
    fn read(&mut self, graph: &mut Graph, thread: ThreadNumber, now: &Rc<Poised>) -> Result<bool, Unsupported> {
        let Some((location, _)) = now.op.reads() else { return Ok(true) };
        let events = graph.threads[thread.index()].events.len();
        let first = oldest(graph, location, graph.last(thread));
        let mut is_done = true;
        for position in first..=graph.location(location).writes.len() {
            let source = graph.write_at(location, position);
            let value = match source {
                EventId::INITIAL => self.local.locations.initial(location),
                source => graph.event(source).value,
            };
            for spurious in [false, true] {
                if spurious && !self.local.may_fail(thread, now, value) {
                    continue;
                }
                let Lead::On { after, writes, strength } = self.local.finds(thread, now, value, spurious)? else {
                    continue;
                };
                let attempt = Attempt { thread, events, before: now, after: &after, value, strength };
                let is_needless = match self.effectless {
                    Effectless::Known => is_needless(&mut self.local, graph, attempt)?,
                    Effectless::Back => leads_back(graph, attempt),
                };
                if is_needless {
                    continue;
                }
                if writes && is_taken(graph, location, position) {
                    continue;
                }
                let kind = Kind::Read { source, exclusive: writes, spurious };
                let read = Event { strength, location: Some(location), value, ..Event::new(thread, now, kind) };
                let start = graph.size();
                let id = graph.push(read, after);
                self.ends.races |= race(graph, id).is_some();
                if writes {
                    self.rest(graph, thread, location, position);
                }
                if keeps_seq_cst(graph) {
                    is_done &= self.visit(graph)?;
                }
                graph.truncate(start);
            }
        }
        Ok(is_done)
    }

    /// Adds the write of a read-modify-write right after what its read has read from.
    fn rest(&mut self, graph: &mut Graph, thread: ThreadNumber, location: LocationId, position: usize) {
        let now = graph.threads[thread.index()].now.clone();
        if let Op::Rest(_, value, strength, after) = &now.op {
            let kind = Kind::Write { exclusive: true };
            let write = Event {
                strength: *strength,
                location: Some(location),
                value: *value,
                ..Event::new(thread, &now, kind)
            };
            let id = graph.push(write, after.clone());
            self.ends.races |= race(graph, id).is_some();
            graph.insert(id, position);
        }
    }
}

/// Whether a thread is after a read where it was before, with nothing done in between but reads and fences; a
/// read-modify-write that writes what it has read counts as a read if it is the last of them.
fn leads_back(graph: &Graph, attempt: Attempt) -> bool {
    let after = match &attempt.after.op {
        Op::Rest(_, written, _, after) if *written == attempt.value => after,
        Op::Rest(..) => return false,
        _ => attempt.after,
    };
    let is_same = |earlier: &Poised| {
        earlier.allocated == after.allocated
            && earlier.in_block == after.in_block
            && earlier.thread.frames == after.thread.frames
            && earlier.thread.registers == after.thread.registers
    };
    let is_quiet = |event: &Event| matches!(event.kind, Kind::Read { exclusive: false, .. } | Kind::Fence);
    let events = graph.threads[attempt.thread.index()].events[..attempt.events].iter().rev();
    let quiet = events.map(|id| graph.event(*id)).take_while(|event| is_quiet(event));
    !after.op.is_last() && (is_same(attempt.before) || quiet.into_iter().any(|event| is_same(&event.before)))
}
