//! Optimal stateless exploration of execution graphs (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly stateless,
//! optimal dynamic partial order reduction", POPL 2022).
//!
//! A graph grows by the next event of some thread: a read branches over the writes that it may read from, a write over its
//! places in coherence order. A new write also *revisits* reads that were added before it: the graph then keeps what was there
//! before the read, and the write with its past in program order and reads-from; the read reads from the write. A read is
//! revisited only if it and everything that is thrown away was added in the one *maximal* way, reading the last write
//! and put last (`is_maximal`). So every graph is made exactly once, and none needs to be remembered.
//!
//! Deviations:
//!
//! 1. A read of which a value would end an iteration without effect ([`super::without_effect`]) does not read that value. The thread waits
//!    until there is another one; its maximal choice is the last write that leads on. A read that waits at the end is
//!    no event.
//! 2. A read-modify-write may read from a write that another one has already read from, since its write may revisit that
//!    other one; nothing else follows from such a graph. A thread with no other choice waits, and makes it when no
//!    thread can go on. If the other one would have to wait with what is written now, then it is sent back to before its
//!    read, and may read from writes that come after the one that sent it back, in program order and reads-from; that one
//!    is never thrown away. This is argued and not proved: random programs that compete for locks were compared with brute force.
//!    No graph was missing; in about one of two thousand a graph was made twice.
//! 3. Executions in which a thread waits for ever although it had a chance to go on, and missed it, are no graphs that are explored:
//!    they are looked for in those in which it took its chance ([`super::missed`]).

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use operational::interpret::Fault;
use operational::word::Word;
use program::{Extent, Unsupported};

use super::consistent::{is_taken, oldest};
use super::event::{Event, Kind};
use super::graph::{Graph, GraphThread};
use super::local::{Lead, Local, Op, Poised};
use super::memo::Led;
use super::missed::{Cut, missed, waiting};
use super::number::{EventId, LocationId, Strength, ThreadNumber};
use super::race::{is_allocated, race};
use super::recognise::Axioms;
use super::reuse;
use super::share::{Come, Done, Place, Share};
use super::symmetry::{Symmetry, Wish};
use super::without_effect::{Attempt, is_needless};

/// How to explore.
#[derive(Clone, Debug)]
pub struct Setting {
    /// What keeps graphs consistent.
    pub axioms: Axioms,
    /// Whether threads that wait for ever are looked for.
    pub looks_for_waiting: bool,
    /// Whether of executions that differ by the exchange of threads alone only one is made.
    pub exchanges_threads: bool,
    /// How many instructions a thread is followed without an event.
    pub stretch: u64,
    /// How many events an execution may have.
    pub events: usize,
    /// How many events a thread may have before the others go on without it. Only executions that go wrong can be told from an
    /// exploration in which a thread was left behind.
    pub thread_events: usize,
    /// How many executions may be made, blocked ones included.
    pub executions: u64,
    /// Once this is set the exploration ends soon.
    pub interrupt: Arc<AtomicBool>,
    /// Set when another worker has found what is looked for.
    pub is_found: Arc<AtomicBool>,
    /// What of the exploration is to be done.
    pub share: Share,
    /// How far all workers have come.
    pub done: Arc<Done>,
}

/// How an exploration went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Executions that came to their end: one for each class.
    pub executions: u64,
    /// Graphs in which some thread waits at the end.
    pub blocked: u64,
    /// Events added.
    pub events: u64,
    /// Reads that were revisited.
    pub revisits: u64,
    /// Threads that could be exchanged with others: of executions that differ by that alone only one was made.
    pub exchanged: u64,
}

impl Figures {
    /// What two workers did together.
    #[must_use]
    pub fn and(&self, other: &Figures) -> Figures {
        Figures {
            executions: self.executions + other.executions,
            blocked: self.blocked + other.blocked,
            events: self.events + other.events,
            revisits: self.revisits + other.revisits,
            exchanged: self.exchanged.max(other.exchanged),
        }
    }
}

/// How a graph ends that cannot grow.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// All threads have come to their end.
    Finished,
    /// A thread has run into an error.
    Failed(ThreadNumber, Fault),
    /// Threads wait for ever.
    Waiting(Vec<ThreadNumber>),
    /// Two accesses race.
    Race(EventId, EventId),
    /// A thread comes to an access that nothing orders after the allocation of its memory.
    Unallocated(ThreadNumber, Fault),
}

/// Whether the exploration goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It does.
    Continue,
    /// It ends.
    Finish,
}

/// Looks at graphs.
pub trait Visitor {
    /// Two accesses race in some execution.
    fn sees_race(&mut self);
    /// A graph that ends so.
    fn ends(&mut self, graph: &Graph, local: &mut Local, ending: Ending) -> Next;
    /// A graph that cannot grow, and in which nothing has gone wrong and nobody was left behind.
    fn grown(&mut self, graph: &Graph, local: &Local) -> Next {
        let _ = (graph, local);
        Next::Continue
    }
    /// Hears how far the exploration has come.
    fn progress(&mut self, come: Come) {
        let _ = come;
    }
}

/// Why an exploration ended before everything was explored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The visitor had seen enough.
    Finished,
    /// There are more threads than the clocks have room for.
    MoreThreads,
    /// Something is not modelled.
    Unsupported(Unsupported),
    /// A limit.
    Limit(String),
}

impl From<Unsupported> for Ended {
    fn from(unsupported: Unsupported) -> Ended {
        Ended::Unsupported(unsupported)
    }
}

/// An exploration.
pub struct Exploration<'a, 'v> {
    /// The threads.
    pub local: Local<'a>,
    /// What was done so far.
    pub figures: Figures,
    /// Why something may not have been explored although the exploration came to its end.
    pub incomplete: Option<String>,
    setting: Setting,
    symmetry: Symmetry,
    visitor: &'v mut dyn Visitor,
    /// Whether executions may turn out not to count, so that errors are looked at in the end.
    holds_errors: bool,
    /// Graphs that are not in use.
    spare: Vec<Graph>,
    /// How many branches begin at each depth.
    pub branches: Vec<u64>,
    place: Place,
    /// How many branches there were at the depth at which they are shared.
    numbered: u64,
    /// Which part of the whole exploration is left in the branch at hand.
    part: f64,
    /// Which part was done, and how many graphs came to an end, since others heard of it.
    news: (f64, u64, u64),
}

/// After so many graphs that cannot grow others hear how far the exploration has come.
const NEWS: u64 = 4_096;

/// A way in which a read may go on.
struct Choice {
    source: EventId,
    position: usize,
    value: Word,
    spurious: bool,
    after: Rc<Poised>,
    writes: bool,
    strength: Strength,
    /// Whether another read-modify-write has read from the same write.
    taken: bool,
}

impl<'a, 'v> Exploration<'a, 'v> {
    /// An exploration of a program.
    pub fn new(
        local: Local<'a>,
        setting: Setting,
        holds_errors: bool,
        visitor: &'v mut dyn Visitor,
    ) -> Exploration<'a, 'v> {
        Exploration {
            local,
            figures: Figures::default(),
            incomplete: None,
            setting,
            symmetry: Symmetry::default(),
            visitor,
            holds_errors,
            spare: Vec::new(),
            branches: Vec::new(),
            place: Place { begun: vec![0], ..Place::default() },
            numbered: 0,
            part: 1.0,
            news: (0.0, 0, 0),
        }
    }

    /// Explores all graphs with at most `width` threads.
    pub fn run(&mut self, width: usize) -> Result<(), Ended> {
        let threads = self.local.start()?;
        if threads.len() > width {
            return Err(Ended::MoreThreads);
        }
        if self.setting.exchanges_threads {
            self.symmetry = Symmetry::of(&mut self.local, &threads)?;
            self.figures.exchanged = self.symmetry.threads();
        }
        let mut graph = Graph::new(threads, width, self.setting.axioms.sequences());
        for thread in 0..graph.threads.len() {
            self.look(&graph, ThreadNumber(thread as u16))?;
        }
        self.visit(&mut graph)
    }

    /// Explores all graphs that this one grows into; leaves it as it was. It is one of so many branches that are left here.
    fn branch(&mut self, graph: &mut Graph, left: usize) -> Result<(), Ended> {
        let all = self.part;
        self.part = all / left.max(1) as f64;
        let rest = all - self.part;
        let (decisions, is_within) = (self.place.decisions + 1, self.place.is_within);
        if self.takes_branch() {
            self.visit(graph)?;
        }
        self.place.way.pop();
        self.place.begun.pop();
        (self.place.decisions, self.place.is_within) = (decisions, is_within);
        self.setting.share.passes(&mut self.place);
        self.part = rest;
        Ok(())
    }

    /// Begins a branch, and says whether it is to be explored here.
    fn takes_branch(&mut self) -> bool {
        let depth = self.place.way.len();
        if self.branches.len() <= depth {
            self.branches.resize(depth + 1, 0);
        }
        self.branches[depth] += 1;
        let Place { way, begun, decisions, .. } = &mut self.place;
        way.push(begun[depth]);
        begun[depth] += 1;
        begun.push(0);
        *decisions += 1;
        self.setting.share.takes(&mut self.place, &mut self.numbered)
    }

    /// Whether what is met now is met by this worker alone, or by the first of them.
    fn counts(&self) -> bool {
        self.setting.share.counts(&self.place)
    }

    /// Explores all graphs that this one grows into; leaves it as it was.
    fn visit(&mut self, graph: &mut Graph) -> Result<(), Ended> {
        let start = graph.size();
        while self.grow(graph)? && !self.setting.share.is_over(&self.place) {}
        graph.truncate(start);
        if self.counts() {
            self.news.0 += self.part;
        }
        Ok(())
    }

    fn check_limits(&mut self, graph: &Graph) -> Result<bool, Ended> {
        if self.setting.interrupt.load(Ordering::Relaxed) {
            return Err(Ended::Limit("the exploration was stopped".into()));
        }
        if self.setting.is_found.load(Ordering::Relaxed) {
            return Err(Ended::Finished);
        }
        if self.figures.executions + self.figures.blocked >= self.setting.executions {
            return Err(Ended::Limit(format!(
                "the exploration was ended after {} executions",
                self.setting.executions
            )));
        }
        if graph.size() >= self.setting.events {
            let reason = format!("some execution has more than {} events", self.setting.events);
            self.incomplete.get_or_insert(reason);
            return Ok(false);
        }
        Ok(true)
    }

    /// Adds the next event. Explores all ways to do so but one, which is left in the graph; false if there is none.
    fn grow(&mut self, graph: &mut Graph) -> Result<bool, Ended> {
        if !self.check_limits(graph)? {
            return Ok(false);
        }
        let threads = (0..graph.threads.len() as u16).map(ThreadNumber);
        let in_update = threads.clone().find(|thread| matches!(graph.threads[thread.index()].now.op, Op::Rest(..)));
        if let Some(thread) = in_update {
            return self.write(graph, thread);
        }
        let mut last_resort = Vec::new();
        for thread in threads {
            let now = graph.threads[thread.index()].now.clone();
            match &now.op {
                op if op.is_last() => continue,
                _ if self.is_left_behind(graph, thread) => {
                    self.incomplete.get_or_insert_with(|| "a thread was left behind".into());
                }
                Op::Join(other) => match graph.threads.get(other.index()).map(|other| &other.now.op) {
                    Some(Op::End) => {
                        let joined = Event::new(thread, &now, Kind::Join(*other));
                        let after = self.local.next(thread, &now)?;
                        self.push(graph, joined, after)?;
                        return Ok(true);
                    }
                    Some(_) => continue,
                    None => return Err(Unsupported::new("what names no thread is joined", now.span).into()),
                },
                Op::Spawn(..) => return self.spawn(graph, thread, &now),
                Op::Choose(..) => return self.choose(graph, thread, &now),
                Op::Fence(strength) => {
                    let fence = Event { strength: *strength, ..Event::new(thread, &now, Kind::Fence) };
                    let after = self.local.next(thread, &now)?;
                    self.push(graph, fence, after)?;
                    return Ok(true);
                }
                Op::Write(..) => return self.write(graph, thread),
                _ => {
                    let choices = self.choices(graph, thread, &now)?;
                    if choices.iter().any(|choice| !choice.taken) {
                        return self.read(graph, thread, &now, choices);
                    }
                    last_resort.extend(choices.into_iter().map(|choice| (thread, now.clone(), choice)));
                }
            }
        }
        for (thread, now, choice) in last_resort {
            self.read_taken(graph, thread, &now, choice)?;
        }
        self.end(graph)?;
        Ok(false)
    }

    /// Whether the others go on without a thread that could go on.
    fn is_left_behind(&self, graph: &Graph, thread: ThreadNumber) -> bool {
        let of = &graph.threads[thread.index()];
        of.events.len() >= self.setting.thread_events && !of.now.op.is_last()
    }

    /// Adds an event, and looks at what its thread comes to.
    fn push(&mut self, graph: &mut Graph, event: Event, after: Rc<Poised>) -> Result<EventId, Ended> {
        self.figures.events += u64::from(self.counts());
        let thread = event.thread;
        let is_access = event.location.is_some();
        let id = graph.push(event, after);
        let race = if is_access { race(graph, id) } else { None };
        self.look_both(graph, thread, race.map(|other| (other, id)))?;
        Ok(id)
    }

    /// Looks at what a thread came to, and at a race. A failed assertion says more than the race that made it fail.
    fn look_both(
        &mut self,
        graph: &Graph,
        thread: ThreadNumber,
        race: Option<(EventId, EventId)>,
    ) -> Result<(), Ended> {
        if race.is_some() && self.counts() {
            self.visitor.sees_race();
        }
        self.look(graph, thread)?;
        race.map_or(Ok(()), |(first, second)| self.tell(graph, Ending::Race(first, second)))
    }

    /// Looks at what a thread came to.
    fn look(&mut self, graph: &Graph, thread: ThreadNumber) -> Result<(), Ended> {
        match &graph.threads[thread.index()].now.op {
            Op::Failed(fault) if !self.holds_errors => {
                let fault = fault.clone();
                self.tell(graph, Ending::Failed(thread, fault))
            }
            Op::Endless(reason) => {
                self.incomplete.get_or_insert(reason.clone());
                Ok(())
            }
            _ if self.local.asks_for_allocations => self.look_for_allocation(graph, thread),
            _ => Ok(()),
        }
    }

    /// Looks at the allocation of what a thread accesses next. Whatever it reads there: if nothing orders it after the allocation before
    /// it reads, it may read what was there first.
    fn look_for_allocation(&mut self, graph: &Graph, thread: ThreadNumber) -> Result<(), Ended> {
        match unallocated(graph, &self.local, thread) {
            Some(fault) => self.tell(graph, Ending::Unallocated(thread, fault)),
            None => Ok(()),
        }
    }

    fn tell(&mut self, graph: &Graph, ending: Ending) -> Result<(), Ended> {
        if !self.counts() {
            return Ok(());
        }
        match self.visitor.ends(graph, &mut self.local, ending) {
            Next::Continue => Ok(()),
            Next::Finish => Err(Ended::Finished),
        }
    }

    fn spawn(&mut self, graph: &mut Graph, thread: ThreadNumber, now: &Rc<Poised>) -> Result<bool, Ended> {
        let events = graph.threads[thread.index()].events.iter();
        let before = events.filter(|id| matches!(graph.event(**id).kind, Kind::Spawn(_))).count();
        let number = self.local.child(thread, before);
        if number.index() >= graph.width() {
            return Err(Ended::MoreThreads);
        }
        let (started, after) = self.local.spawn(thread, now, number)?;
        let event = Event::new(thread, now, Kind::Spawn(number));
        self.figures.events += u64::from(self.counts());
        let id = graph.push(event, after);
        graph.add_thread(number, GraphThread::new(started, Some(id)));
        self.look(graph, thread)?;
        self.look(graph, number)?;
        Ok(true)
    }

    fn choose(&mut self, graph: &mut Graph, thread: ThreadNumber, now: &Rc<Poised>) -> Result<bool, Ended> {
        let Op::Choose(target, low, ways, width) = now.op else { return Ok(false) };
        for way in (0..ways).rev() {
            let value = Word::int(low.wrapping_add(way as i64), width);
            let event = Event { value, ..Event::new(thread, now, Kind::Choose { first: way == 0 }) };
            let after = self.local.after(thread, now, &[(target, value)])?;
            self.push(graph, event, after)?;
            if way > 0 {
                self.branch(graph, way as usize + 1)?;
                graph.pop();
            }
        }
        Ok(true)
    }

    /// Whether something was left out since nobody sees stores that are overwritten at once.
    pub fn has_hidden(&self) -> bool {
        self.local.has_hidden
    }

    /// What a location holds after its write at a place in coherence order.
    fn value(&self, graph: &Graph, location: LocationId, write: EventId) -> Word {
        if write == EventId::INITIAL { self.local.locations.initial(location) } else { graph.event(write).value }
    }

    /// What follows if a read that comes after so many events of its thread finds a value; nothing if it would have to wait, or
    /// if it cannot fail spuriously although it should.
    fn leads_on(
        &mut self,
        graph: &Graph,
        (thread, events): (ThreadNumber, usize),
        before: &Poised,
        value: Word,
        spurious: bool,
    ) -> Result<Option<Led>, Ended> {
        if let Some(led) = self.local.memo.lead(before.history, value, spurious) {
            return Ok(led.clone());
        }
        let led = self.leads_first(graph, (thread, events), before, value, spurious)?;
        self.local.memo.set_lead(before.history, value, spurious, &led);
        Ok(led)
    }

    /// What follows such a read of which nothing is known yet.
    fn leads_first(
        &mut self,
        graph: &Graph,
        (thread, events): (ThreadNumber, usize),
        before: &Poised,
        value: Word,
        spurious: bool,
    ) -> Result<Option<Led>, Ended> {
        if spurious && !self.local.may_fail(thread, before, value) {
            return Ok(None);
        }
        if let Lead::On { after, writes, strength } = self.local.finds(thread, before, value, spurious)? {
            let attempt = Attempt { thread, events, before, after: &after, value, strength };
            if !is_needless(&mut self.local, graph, attempt)? {
                return Ok(Some(Led { after, writes, strength }));
            }
        }
        Ok(None)
    }

    /// All consistent ways in which a read may go on.
    fn choices(&mut self, graph: &mut Graph, thread: ThreadNumber, now: &Rc<Poised>) -> Result<Vec<Choice>, Ended> {
        let Some((location, _)) = now.op.reads() else { return Ok(Vec::new()) };
        let last = graph.last(thread);
        let count = graph.location(location).writes.len();
        let events = graph.threads[thread.index()].events.len();
        let floor = graph.threads[thread.index()].floor(events as u32);
        let mut choices = Vec::new();
        for position in oldest(graph, location, last)..=count {
            let source = graph.write_at(location, position);
            if !is_above(graph, source, floor) {
                continue;
            }
            let value = self.value(graph, location, source);
            for spurious in [false, true] {
                let led = self.leads_on(graph, (thread, events), now, value, spurious)?;
                let Some(Led { after, writes, strength }) = led else { continue };
                let wish = Wish { location, source: (source, position), spurious };
                if !self.symmetry.may_read(graph, &self.local, (thread, events), wish) {
                    continue;
                }
                let taken = writes && is_taken(graph, location, position);
                let choice = Choice { source, position, value, spurious, after, writes, strength, taken };
                if self.is_consistent(graph, thread, now, location, &choice, count) {
                    choices.push(choice);
                }
            }
        }
        Ok(choices)
    }

    fn is_consistent(
        &self,
        graph: &mut Graph,
        thread: ThreadNumber,
        now: &Rc<Poised>,
        location: LocationId,
        choice: &Choice,
        count: usize,
    ) -> bool {
        if choice.taken {
            // Who has read from the same write must be revisited.
            let other = graph.locations[location.index()].writes[choice.position];
            return graph.last(thread).is_none_or(|last| !graph.is_in_past(other, last));
        }
        let seq_cst = graph.seq_cst + 2 * u32::from(choice.strength.seq_cst);
        if choice.position == count || self.setting.axioms.is_coherence(seq_cst) {
            return true;
        }
        let start = graph.size();
        graph.push(self.read_event(thread, now, location, choice), choice.after.clone());
        if let Op::Rest(_, word, strength, after) = &choice.after.op {
            let write = Event {
                strength: *strength,
                location: Some(location),
                value: *word,
                ..Event::new(thread, &choice.after, Kind::Write { exclusive: true })
            };
            let write = graph.push(write, after.clone());
            graph.insert(write, choice.position);
        }
        let consistent = self.setting.axioms.keep(graph, &self.local);
        graph.truncate(start);
        consistent
    }

    fn read_event(&self, thread: ThreadNumber, now: &Rc<Poised>, location: LocationId, choice: &Choice) -> Event {
        let Choice { source, value, spurious, writes, strength, .. } = *choice;
        let kind = Kind::Read { source, exclusive: writes, spurious };
        Event { strength, location: Some(location), value, ..Event::new(thread, now, kind) }
    }

    fn read(
        &mut self,
        graph: &mut Graph,
        thread: ThreadNumber,
        now: &Rc<Poised>,
        choices: Vec<Choice>,
    ) -> Result<bool, Ended> {
        let Some((location, _)) = now.op.reads() else { return Ok(false) };
        let last = choices.len() - 1;
        for (number, choice) in choices.into_iter().enumerate() {
            let event = self.read_event(thread, now, location, &choice);
            match choice.taken {
                // No execution is like this: only its write is of interest.
                true => {
                    graph.push(event, choice.after);
                }
                false => {
                    self.push(graph, event, choice.after)?;
                }
            }
            if number < last {
                self.branch(graph, last - number + 1)?;
                graph.pop();
            }
        }
        Ok(true)
    }

    /// A read-modify-write that reads what another one has read from: its write may revisit that other one.
    fn read_taken(
        &mut self,
        graph: &mut Graph,
        thread: ThreadNumber,
        now: &Rc<Poised>,
        choice: Choice,
    ) -> Result<(), Ended> {
        let Some((location, _)) = now.op.reads() else { return Ok(()) };
        let event = self.read_event(thread, now, location, &choice);
        let start = graph.size();
        graph.push(event, choice.after);
        self.write(graph, thread)?;
        graph.truncate(start);
        Ok(())
    }

    /// Adds a write: revisits reads, then tries all its places in coherence order.
    fn write(&mut self, graph: &mut Graph, thread: ThreadNumber) -> Result<bool, Ended> {
        let now = graph.threads[thread.index()].now.clone();
        let (location, word, strength, exclusive) = match &now.op {
            Op::Write(location, word, strength) => (*location, *word, *strength, false),
            Op::Rest(location, word, strength, _) => (*location, *word, *strength, true),
            _ => return Ok(false),
        };
        let after = match &now.op {
            Op::Rest(_, _, _, after) => after.clone(),
            _ => self.local.next(thread, &now)?,
        };
        let kind = Kind::Write { exclusive };
        let event = Event { strength, location: Some(location), value: word, ..Event::new(thread, &now, kind) };
        let write = match exclusive && self.source_is_taken(graph, thread, location) {
            true => graph.push(event, after),
            false => self.push(graph, event, after)?,
        };
        self.revisit(graph, write, location)?;
        let places = self.places(graph, write, location);
        let count = graph.location(location).writes.len();
        let (axioms, local) = (&self.setting.axioms, &self.local);
        let mut consistent = places.into_iter().filter(|place| {
            graph.insert(write, *place);
            let keeps = *place == count || axioms.keep(graph, local);
            graph.take_out(write);
            keeps
        });
        // The maximal place comes last, and is left in the graph.
        let places: Vec<usize> = consistent.by_ref().collect();
        for (number, place) in places.iter().enumerate() {
            graph.insert(write, *place);
            if number + 1 < places.len() {
                self.branch(graph, places.len() - number)?;
                graph.take_out(write);
            }
        }
        Ok(!places.is_empty())
    }

    /// The places in coherence order that are left to a write, the last event of its thread.
    fn places(&self, graph: &Graph, write: EventId, location: LocationId) -> Vec<usize> {
        let first = self.symmetry.first_place(graph, &self.local, write, location);
        let mut places = places(graph, write, location);
        places.retain(|place| *place >= first);
        places
    }

    /// Whether the read of a read-modify-write, the last event of its thread, reads from what another one has read from.
    fn source_is_taken(&self, graph: &Graph, thread: ThreadNumber, location: LocationId) -> bool {
        let read = graph.threads[thread.index()].events.last();
        let source = read.and_then(|read| graph.event(*read).source());
        source.is_some_and(|source| is_taken(graph, location, graph.position(location, source)))
    }

    /// Explores the graphs in which reads that are there read from a write that was just added.
    fn revisit(&mut self, graph: &Graph, write: EventId, location: LocationId) -> Result<(), Ended> {
        let reads = graph.locations[location.index()].reads.clone();
        let rival = rival(graph, write, location);
        // As many reads may be revisited, and the graph at hand goes on.
        for (left, read) in reads.into_iter().enumerate().rev() {
            let left = left + 2;
            let Event { thread, index, .. } = *graph.event(read);
            let floor = graph.threads[thread.index()].floor(index);
            let is_excluded = graph.is_in_past(read, write) || !is_above(graph, write, floor);
            let is_excluded = is_excluded || self.symmetry.leaves_out(graph, &self.local, (read, write));
            if is_excluded || !self.may_revisit(graph, read, write)? {
                continue;
            }
            let mut leads_on = false;
            for spurious in [false, true] {
                leads_on |= self.revisit_one(graph, (read, write), spurious, left)?;
            }
            if !leads_on && Some(read) == rival {
                self.send_back(graph, read, write, left)?;
            }
        }
        Ok(())
    }

    /// Explores the graphs in which a read-modify-write waits, since another one has written what it waits for to change.
    fn send_back(&mut self, graph: &Graph, read: EventId, write: EventId, left: usize) -> Result<(), Ended> {
        self.figures.revisits += u64::from(self.counts());
        let mut smaller = self.spare(graph);
        let places = graph.restrict(|id| id < read || graph.is_in_past(id, write), &mut smaller);
        let write = places[write.index()];
        smaller.events[write.index()].stays = true;
        let Event { thread, index, .. } = graph.event(read);
        smaller.threads[thread.index()].send_back(*index, write);
        let result = self.placed(&mut smaller, write, None, left);
        self.spare.push(smaller);
        result
    }

    fn spare(&mut self, graph: &Graph) -> Graph {
        self.spare.pop().unwrap_or_else(|| Graph::new(Vec::new(), graph.width(), self.setting.axioms.sequences()))
    }

    /// Whether a read and all that is thrown away when a write revisits it were added in the maximal way.
    fn may_revisit(&mut self, graph: &Graph, read: EventId, write: EventId) -> Result<bool, Ended> {
        for event in (read.0..write.0).map(EventId) {
            let is_lost = event == read || !graph.is_in_past(event, write);
            if is_lost && !self.is_maximal(graph, event, write)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether an event is as it would be if it were added now to what was there before it and the past of a write.
    fn is_maximal(&mut self, graph: &Graph, id: EventId, write: EventId) -> Result<bool, Ended> {
        let event = graph.event(id);
        let is_there = |other: EventId| other <= id || other != write && graph.is_in_past(other, write);
        let Some(location) = event.location else {
            return Ok(!matches!(event.kind, Kind::Choose { first: false }));
        };
        let at = &graph.locations[location.index()];
        match event.kind {
            Kind::Write { .. } if event.stays => Ok(false),
            Kind::Write { exclusive } => {
                let is_read = at.reads.iter().any(|read| is_there(*read) && graph.event(*read).source() == Some(id));
                let position = graph.position(location, id);
                // The place of an exclusive write follows from what its read has read from.
                let is_last = exclusive || at.writes[position..].iter().all(|later| !is_there(*later));
                Ok(!is_read && is_last)
            }
            Kind::Read { source, spurious, .. } => {
                if source != EventId::INITIAL && !is_there(source) {
                    return Ok(false);
                }
                let position = graph.position(location, source);
                let events = (event.thread, event.index as usize);
                if spurious && self.leads_on(graph, events, &event.before, event.value, false)?.is_some() {
                    return Ok(false);
                }
                let floor = graph.threads[event.thread.index()].floor(event.index);
                for place in position..at.writes.len() {
                    let later = at.writes[place];
                    if !is_there(later) || !is_above(graph, later, floor) {
                        continue;
                    }
                    let next = at.writes[place + 1..].iter().find(|next| is_there(**next));
                    // Who took it after this read was added would have been its rival.
                    let is_taken = next.is_some_and(|next| *next < id && graph.event(*next).is_exclusive());
                    let value = graph.event(later).value;
                    for spurious in [false, true] {
                        let lead = self.leads_on(graph, events, &event.before, value, spurious)?;
                        if lead.is_some_and(|led| !(led.writes && is_taken)) {
                            return Ok(false);
                        }
                    }
                }
                Ok(true)
            }
            _ => Ok(true),
        }
    }

    /// Explores the graphs in which a read reads from a new write, and says whether it can.
    fn revisit_one(
        &mut self,
        graph: &Graph,
        (read, write): (EventId, EventId),
        spurious: bool,
        left: usize,
    ) -> Result<bool, Ended> {
        let event = graph.event(read);
        let (thread, value) = (event.thread, graph.event(write).value);
        let events = (thread, event.index as usize);
        let led = self.leads_on(graph, events, &event.before, value, spurious)?;
        let Some(Led { after, writes, strength }) = led else { return Ok(false) };
        self.figures.revisits += u64::from(self.counts());
        let mut smaller = self.spare(graph);
        let places = graph.restrict(|id| id <= read || graph.is_in_past(id, write), &mut smaller);
        let (read, write) = (places[read.index()], places[write.index()]);
        // What comes after the read is another read than the one that was sent back.
        smaller.threads[thread.index()].sent_back.retain(|(place, _)| *place <= event.index);
        let kind = Kind::Read { source: write, exclusive: writes, spurious };
        let change = |event: &mut Event| (event.value, event.strength) = (value, strength);
        smaller.read_from(read, kind, change, after);
        let result = self.placed(&mut smaller, write, Some(read), left);
        self.spare.push(smaller);
        result.map(|()| true)
    }

    /// Tries all places of a write after part of the graph was thrown away; it may have revisited a read.
    fn placed(&mut self, graph: &mut Graph, write: EventId, read: Option<EventId>, left: usize) -> Result<(), Ended> {
        let Some(location) = graph.event(write).location else { return Ok(()) };
        let before = read.and_then(|read| {
            let of = &graph.threads[graph.event(read).thread.index()];
            let first = graph.event(read).index.checked_sub(1);
            first.map(|at| of.events[at as usize]).or(of.started_by)
        });
        let changed = [read, Some(write)];
        let mut is_told = false;
        for place in self.places(graph, write, location) {
            graph.insert(write, place);
            if oldest(graph, location, before) <= place + 1 && self.setting.axioms.keep(graph, &self.local) {
                for id in changed.into_iter().flatten().filter(|_| !is_told) {
                    let race = race(graph, id).map(|other| (other, id));
                    self.look_both(graph, graph.event(id).thread, race)?;
                }
                is_told = true;
                self.branch(graph, left)?;
            }
            graph.take_out(write);
        }
        Ok(())
    }

    fn count_end(&mut self, is_complete: bool) {
        if !self.counts() {
            return;
        }
        self.figures.executions += u64::from(is_complete);
        self.figures.blocked += u64::from(!is_complete);
        self.news.1 += u64::from(is_complete);
        self.news.2 += 1;
        if self.news.2 >= NEWS {
            let (part, executions, all) = std::mem::take(&mut self.news);
            let come = self.setting.done.add((executions, all - executions), part);
            self.visitor.progress(come);
        }
    }

    /// Looks at a graph that cannot grow.
    fn end(&mut self, graph: &Graph) -> Result<(), Ended> {
        let ops = || graph.threads.iter().map(|thread| &thread.now.op);
        let is_complete = ops().all(|op| matches!(op, Op::End | Op::Unborn));
        self.count_end(is_complete);
        if self.local.is_unsure || self.local.reuse_matters(graph) {
            self.incomplete.get_or_insert_with(|| reuse::REASON.into());
        }
        if is_complete {
            self.show(graph)?;
            self.tell(graph, Ending::Finished)?;
            return self.tell_missed(graph);
        }
        if ops().any(|op| matches!(op, Op::Dropped | Op::Endless(_))) {
            return Ok(());
        }
        let numbered = || (0..graph.threads.len() as u16).map(ThreadNumber);
        if numbered().any(|thread| self.is_left_behind(graph, thread)) {
            return Ok(());
        }
        let failed = numbered().find_map(|thread| match &graph.threads[thread.index()].now.op {
            Op::Failed(fault) => Some((thread, fault.clone())),
            _ => None,
        });
        if let Some((thread, fault)) = failed {
            return if self.holds_errors { self.tell(graph, Ending::Failed(thread, fault)) } else { Ok(()) };
        }
        self.show(graph)?;
        if self.setting.looks_for_waiting
            && self.counts()
            && let Some(waiting) = waiting(&mut self.local, &Cut::none(graph))?
        {
            return self.tell(graph, Ending::Waiting(waiting));
        }
        self.tell_missed(graph)
    }

    /// Shows a graph that cannot grow.
    fn show(&mut self, graph: &Graph) -> Result<(), Ended> {
        match self.counts() {
            true if self.visitor.grown(graph, &self.local) == Next::Finish => Err(Ended::Finished),
            _ => Ok(()),
        }
    }

    /// Looks for threads that could have missed their chance to go on and wait for ever.
    fn tell_missed(&mut self, graph: &Graph) -> Result<(), Ended> {
        if !self.setting.looks_for_waiting || !self.counts() {
            return Ok(());
        }
        let Some((cut, waiting)) = missed(&mut self.local, graph)? else { return Ok(()) };
        let mut smaller = self.spare(graph);
        graph.restrict(|id| cut.has(id), &mut smaller);
        let result = self.tell(&smaller, Ending::Waiting(waiting));
        self.spare.push(smaller);
        result
    }
}

/// What is wrong if nothing orders what a thread accesses next after the allocation of its memory.
pub fn unallocated(graph: &Graph, local: &Local, thread: ThreadNumber) -> Option<Fault> {
    let now = &graph.threads[thread.index()].now;
    let (Op::Read(location, ..) | Op::Write(location, ..) | Op::Update(location, ..) | Op::Block(location, ..)) =
        now.op
    else {
        return None;
    };
    let made = local.heap_block(location).filter(|made| made.thread != thread)?;
    let is_made = is_allocated(graph, thread, made.thread, made.number);
    let message = || Extent::before(local.block_name(made.allocation));
    (!is_made).then(|| Fault { assertion: None, message: message(), span: now.span })
}

/// Whether a write comes after the one that sent a read back, if there is one. What does not, would have revisited the read before
/// it was sent back.
fn is_above(graph: &Graph, write: EventId, floor: Option<EventId>) -> bool {
    floor.is_none_or(|floor| write != EventId::INITIAL && write != floor && graph.is_in_past(floor, write))
}

/// The read of another read-modify-write that has read from the same write as this one.
fn rival(graph: &Graph, write: EventId, location: LocationId) -> Option<EventId> {
    let event = graph.event(write);
    let of = |event: &Event| graph.threads[event.thread.index()].events[event.index as usize - 1];
    if event.kind != (Kind::Write { exclusive: true }) {
        return None;
    }
    let source = graph.event(of(event)).source()?;
    let place = graph.position(location, source);
    is_taken(graph, location, place).then(|| of(graph.event(graph.locations[location.index()].writes[place])))
}

/// The places in coherence order, by how many writes come before, that coherence and atomicity leave to a write that is not
/// there yet.
pub fn places(graph: &Graph, write: EventId, location: LocationId) -> Vec<usize> {
    let event = graph.event(write);
    let first = oldest(graph, location, Some(write));
    let count = graph.locations[location.index()].writes.len();
    let free = |place: &usize| !is_taken(graph, location, *place);
    if let Kind::Write { exclusive: true } = event.kind {
        let read = graph.threads[event.thread.index()].events[event.index as usize - 1];
        let source = graph.event(read).source().unwrap_or(EventId::INITIAL);
        let place = graph.position(location, source);
        return [place].into_iter().filter(|place| *place >= first && free(place)).collect();
    }
    (first..=count).filter(free).collect()
}
