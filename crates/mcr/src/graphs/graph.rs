//! Execution graphs: events in the order in which they were added, where reads read from, and coherence by location.
//!
//! Each event has three vector clocks, which never change once it is there, as its past never changes: what happens before
//! it, its past in program order and reads-from, and what a read that acquires gets from it. A graph is undone event by
//! event, and copied only where a read is revisited.

use std::rc::Rc;

use super::event::{Event, Kind};
use super::local::{Op, Poised};
use super::number::{EventId, LocationId, ThreadNumber};

/// How release sequences go on after their head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequences {
    /// With later writes of the same thread to the same location, and read-modify-writes (C11).
    OfThread,
    /// With read-modify-writes alone (C++20).
    OfUpdates,
}

/// The clocks of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    /// What happens before it, itself included.
    HappensBefore,
    /// Its past in program order and reads-from, itself included.
    Past,
    /// What a read that reads from it and acquires comes after; empty if nothing.
    Released,
}

const CLOCKS: usize = 3;

/// A thread of a graph.
#[derive(Clone, Debug)]
pub struct GraphThread {
    /// Its events in program order.
    pub events: Vec<EventId>,
    /// Where it stands.
    pub now: Rc<Poised>,
    /// The event that started it.
    pub started_by: Option<EventId>,
    /// The places of reads that were sent back, each with the write that did so: they read from writes that are added later.
    pub sent_back: Vec<(u32, EventId)>,
}

impl GraphThread {
    /// A thread without events.
    pub fn new(now: Rc<Poised>, started_by: Option<EventId>) -> GraphThread {
        GraphThread { events: Vec::new(), now, started_by, sent_back: Vec::new() }
    }

    /// A thread that another one would start; it keeps the number.
    fn unborn() -> GraphThread {
        let now = Poised {
            thread: Rc::default(),
            allocated: 0,
            in_block: false,
            op: Op::Unborn,
            span: None,
            history: None,
            compared: Vec::new(),
        };
        GraphThread::new(Rc::new(now), None)
    }

    /// Whether it was started, or is there from the beginning.
    pub fn is_born(&self) -> bool {
        !matches!(self.now.op, Op::Unborn)
    }

    /// The write after which a write must have been added to be read at this place of the thread, if there is such.
    pub fn floor(&self, place: u32) -> Option<EventId> {
        self.sent_back.iter().find(|(at, _)| *at == place).map(|(_, write)| *write)
    }

    /// The read at this place is sent back by a write; what was known of later places is of another past.
    pub fn send_back(&mut self, place: u32, write: EventId) {
        self.sent_back.retain(|(at, _)| *at < place);
        self.sent_back.push((place, write));
    }
}

/// A location of a graph.
#[derive(Clone, Debug, Default)]
pub struct GraphLocation {
    /// Its writes in coherence order, without the initial one.
    pub writes: Vec<EventId>,
    /// Its reads in the order in which they were added.
    pub reads: Vec<EventId>,
    /// How many plain accesses there are.
    pub plain: u32,
}

/// An execution graph.
#[derive(Clone, Debug)]
pub struct Graph {
    /// All events in the order in which they were added.
    pub events: Vec<Event>,
    /// The threads.
    pub threads: Vec<GraphThread>,
    /// By location.
    pub locations: Vec<GraphLocation>,
    /// How many events are sequentially consistent.
    pub seq_cst: u32,
    /// How many of these are fences.
    pub seq_cst_fences: u32,
    clocks: Vec<u16>,
    /// How many threads there may be.
    width: usize,
    sequences: Sequences,
}

impl Graph {
    /// The empty graph of these threads; there may be `width` of them in all.
    pub fn new(threads: Vec<Rc<Poised>>, width: usize, sequences: Sequences) -> Graph {
        let threads = threads.into_iter().map(|now| GraphThread::new(now, None)).collect();
        Graph {
            events: Vec::new(),
            threads,
            locations: Vec::new(),
            seq_cst: 0,
            seq_cst_fences: 0,
            clocks: Vec::new(),
            width,
            sequences,
        }
    }

    /// How many events there are.
    #[inline]
    pub fn size(&self) -> usize {
        self.events.len()
    }

    /// The event.
    #[inline]
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }

    /// How many threads there may be.
    pub fn width(&self) -> usize {
        self.width
    }

    /// A location; an empty one if nothing has accessed it.
    pub fn location(&mut self, location: LocationId) -> &mut GraphLocation {
        if self.locations.len() <= location.index() {
            self.locations.resize_with(location.index() + 1, GraphLocation::default);
        }
        &mut self.locations[location.index()]
    }

    #[inline]
    fn clock(&self, id: EventId, clock: Clock) -> &[u16] {
        let from = (id.index() * CLOCKS + clock as usize) * self.width;
        &self.clocks[from..from + self.width]
    }

    fn join(&mut self, id: EventId, clock: Clock, (other, of): (EventId, Clock)) {
        let to = (id.index() * CLOCKS + clock as usize) * self.width;
        let from = (other.index() * CLOCKS + of as usize) * self.width;
        for at in 0..self.width {
            let joined = self.clocks[to + at].max(self.clocks[from + at]);
            self.clocks[to + at] = joined;
        }
    }

    /// The event after which the next event of a thread comes: its last one, or the one that started it.
    pub fn last(&self, thread: ThreadNumber) -> Option<EventId> {
        let thread = &self.threads[thread.index()];
        thread.events.last().copied().or(thread.started_by)
    }

    /// Whether an event happens before another, or is it.
    #[inline]
    pub fn happens_before(&self, earlier: EventId, later: EventId) -> bool {
        let event = self.event(earlier);
        u32::from(self.clock(later, Clock::HappensBefore)[event.thread.index()]) > event.index
    }

    /// Whether an event happens before another one.
    #[inline]
    pub fn is_before(&self, earlier: EventId, later: EventId) -> bool {
        earlier != later && self.happens_before(earlier, later)
    }

    /// Whether an event is in the past of another in program order and reads-from, or is it.
    #[inline]
    pub fn is_in_past(&self, earlier: EventId, later: EventId) -> bool {
        let event = self.event(earlier);
        u32::from(self.clock(later, Clock::Past)[event.thread.index()]) > event.index
    }

    /// The place of a write in coherence order; the initial write is at 0.
    pub fn position(&self, location: LocationId, write: EventId) -> usize {
        if write == EventId::INITIAL {
            return 0;
        }
        let writes = self.locations.get(location.index()).map_or(&[][..], |location| &location.writes[..]);
        writes.iter().rposition(|other| *other == write).map_or(0, |at| at + 1)
    }

    /// The write at a place in coherence order.
    pub fn write_at(&self, location: LocationId, position: usize) -> EventId {
        match position.checked_sub(1) {
            None => EventId::INITIAL,
            Some(at) => self.locations[location.index()].writes[at],
        }
    }

    /// Adds an event of a thread at its end. A write is not in coherence order yet.
    pub fn push(&mut self, mut event: Event, now: Rc<Poised>) -> EventId {
        let id = EventId(self.events.len() as u32);
        let thread = event.thread;
        let before = self.last(thread);
        event.index = self.threads[thread.index()].events.len() as u32;
        event.release_fence = match event.kind {
            Kind::Fence if event.strength.releases => Some(id),
            _ => self.threads[thread.index()].events.last().and_then(|last| self.event(*last).release_fence),
        };
        if let Some(location) = event.location {
            let plain = u32::from(!event.strength.atomic);
            let is_read = event.is_read();
            let location = self.location(location);
            location.plain += plain;
            if is_read {
                location.reads.push(id);
            }
        }
        self.count(&event, 1);
        self.events.push(event);
        self.clocks.resize(self.clocks.len() + CLOCKS * self.width, 0);
        self.threads[thread.index()].events.push(id);
        self.threads[thread.index()].now = now;
        self.set_clocks(id, before);
        id
    }

    fn count(&mut self, event: &Event, by: i32) {
        if event.strength.seq_cst {
            self.seq_cst = self.seq_cst.wrapping_add_signed(by);
            if event.kind == Kind::Fence {
                self.seq_cst_fences = self.seq_cst_fences.wrapping_add_signed(by);
            }
        }
    }

    /// Computes the clocks of the last event of a thread; `before` is the event that it comes after in program order.
    fn set_clocks(&mut self, id: EventId, before: Option<EventId>) {
        let from = id.index() * CLOCKS * self.width;
        self.clocks[from..from + CLOCKS * self.width].fill(0);
        if let Some(before) = before {
            self.join(id, Clock::HappensBefore, (before, Clock::HappensBefore));
            self.join(id, Clock::Past, (before, Clock::Past));
        }
        let (thread, index) = (self.event(id).thread.index(), self.event(id).index);
        for clock in [Clock::HappensBefore, Clock::Past] {
            self.clocks[from + clock as usize * self.width + thread] = (index + 1) as u16;
        }
        match self.event(id).kind {
            Kind::Read { source, .. } if source != EventId::INITIAL => {
                self.join(id, Clock::Past, (source, Clock::Past));
                let Event { strength, .. } = self.event(id);
                if strength.acquires {
                    self.join(id, Clock::HappensBefore, (source, Clock::Released));
                }
            }
            Kind::Fence if self.event(id).strength.acquires => self.acquire_by_fence(id),
            Kind::Join(other) => {
                if let Some(last) = self.last(other) {
                    self.join(id, Clock::HappensBefore, (last, Clock::HappensBefore));
                    self.join(id, Clock::Past, (last, Clock::Past));
                }
            }
            Kind::Write { exclusive } if self.event(id).strength.may_release() => self.set_released(id, exclusive),
            _ => {}
        }
    }

    /// A fence that acquires comes after what atomic reads before it read from.
    fn acquire_by_fence(&mut self, fence: EventId) {
        let Event { thread, index, .. } = *self.event(fence);
        for at in 0..index as usize {
            let read = self.event(self.threads[thread.index()].events[at]);
            if let Some(source) = read.source().filter(|source| *source != EventId::INITIAL && read.strength.atomic) {
                self.join(fence, Clock::HappensBefore, (source, Clock::Released));
            }
        }
    }

    /// What an atomic write hands to reads that acquire.
    fn set_released(&mut self, write: EventId, exclusive: bool) {
        let event = self.event(write);
        let (thread, index, location) = (event.thread, event.index, event.location);
        let (releases, fence) = (event.strength.releases, event.release_fence);
        if releases {
            self.join(write, Clock::Released, (write, Clock::HappensBefore));
        }
        if let Some(fence) = fence {
            self.join(write, Clock::Released, (fence, Clock::HappensBefore));
        }
        if self.sequences == Sequences::OfThread && !releases {
            let earlier = self.threads[thread.index()].events[..index as usize].iter().rev().copied();
            let head = earlier.into_iter().find(|id| {
                let event = self.event(*id);
                event.is_write() && event.location == location && event.strength.releases
            });
            if let Some(head) = head {
                self.join(write, Clock::Released, (head, Clock::HappensBefore));
            }
        }
        if exclusive && index > 0 {
            let read = self.threads[thread.index()].events[index as usize - 1];
            if let Some(source) = self.event(read).source().filter(|source| *source != EventId::INITIAL) {
                self.join(write, Clock::Released, (source, Clock::Released));
            }
        }
    }

    /// Puts a write at a place in coherence order: after so many others, without the initial one.
    pub fn insert(&mut self, write: EventId, after: usize) {
        if let Some(location) = self.event(write).location {
            self.location(location).writes.insert(after, write);
        }
    }

    /// Takes a write out of coherence order again.
    pub fn take_out(&mut self, write: EventId) {
        if let Some(location) = self.event(write).location {
            let writes = &mut self.location(location).writes;
            if let Some(at) = writes.iter().rposition(|other| *other == write) {
                writes.remove(at);
            }
        }
    }

    /// Removes the event that was added last.
    pub fn pop(&mut self) {
        let Some(event) = self.events.pop() else { return };
        let id = EventId(self.events.len() as u32);
        self.clocks.truncate(self.events.len() * CLOCKS * self.width);
        if let Some(location) = event.location {
            let (is_read, plain) = (event.is_read(), u32::from(!event.strength.atomic));
            let location = self.location(location);
            location.plain -= plain;
            if is_read {
                location.reads.pop();
            } else if let Some(at) = location.writes.iter().rposition(|other| *other == id) {
                location.writes.remove(at);
            }
        }
        self.count(&event, -1);
        if let Kind::Spawn(started) = event.kind {
            self.threads[started.index()] = GraphThread::unborn();
            self.forget_unborn();
        }
        let thread = &mut self.threads[event.thread.index()];
        thread.events.pop();
        thread.now = event.before;
    }

    /// A thread is there from now on; the numbers below it may be those of threads that are not there yet.
    pub fn add_thread(&mut self, number: ThreadNumber, thread: GraphThread) {
        if self.threads.len() <= number.index() {
            self.threads.resize_with(number.index() + 1, GraphThread::unborn);
        }
        self.threads[number.index()] = thread;
    }

    fn forget_unborn(&mut self) {
        while self.threads.last().is_some_and(|last| !last.is_born()) {
            self.threads.pop();
        }
    }

    /// Removes events until there are so many.
    pub fn truncate(&mut self, len: usize) {
        while self.events.len() > len {
            self.pop();
        }
    }

    /// The graph of the events that `keep` says, written into another one: with each event all of its past in program order
    /// and reads-from. Gives the new place of an event.
    pub fn restrict(&self, keep: impl Fn(EventId) -> bool, to: &mut Graph) -> Vec<EventId> {
        to.events.clear();
        to.clocks.clear();
        to.threads.clear();
        for location in &mut to.locations {
            location.writes.clear();
            location.reads.clear();
            location.plain = 0;
        }
        if to.locations.len() < self.locations.len() {
            to.locations.resize_with(self.locations.len(), GraphLocation::default);
        }
        (to.width, to.sequences, to.seq_cst, to.seq_cst_fences) = (self.width, self.sequences, 0, 0);
        let mut places = vec![EventId::INITIAL; self.events.len()];
        for (index, event) in self.events.iter().enumerate() {
            let old = EventId(index as u32);
            if !keep(old) {
                continue;
            }
            let new = EventId(to.events.len() as u32);
            places[index] = new;
            let place = |id: EventId| if id == EventId::INITIAL { id } else { places[id.index()] };
            // A read that was revisited reads from a later event, whose place is not known yet.
            let event = Event { release_fence: event.release_fence.map(place), ..event.clone() };
            to.count(&event, 1);
            if let Some(location) = event.location {
                to.locations[location.index()].plain += u32::from(!event.strength.atomic);
            }
            to.events.push(event);
            let from = index * CLOCKS * self.width;
            to.clocks.extend_from_slice(&self.clocks[from..from + CLOCKS * self.width]);
        }
        for event in &mut to.events {
            if let Kind::Read { source, .. } = &mut event.kind
                && *source != EventId::INITIAL
            {
                *source = places[source.index()];
            }
        }
        let moved = |ids: &[EventId], into: &mut Vec<EventId>| {
            into.extend(ids.iter().map(|id| places[id.index()]).filter(|id| *id != EventId::INITIAL));
        };
        for (from, into) in self.locations.iter().zip(&mut to.locations) {
            moved(&from.writes, &mut into.writes);
            moved(&from.reads, &mut into.reads);
        }
        for thread in &self.threads {
            let started_by = thread.started_by.map(|id| places[id.index()]);
            if !thread.is_born() || started_by == Some(EventId::INITIAL) {
                to.threads.push(GraphThread::unborn());
                continue;
            }
            let kept = thread.events.iter().take_while(|id| places[id.index()] != EventId::INITIAL).count();
            let now = thread.events.get(kept).map_or(&thread.now, |id| &self.event(*id).before);
            let events = thread.events[..kept].iter().map(|id| places[id.index()]).collect();
            let sent_back = thread.sent_back.iter().map(|(place, write)| (*place, places[write.index()]));
            let sent_back =
                sent_back.filter(|(place, write)| *place as usize <= kept && *write != EventId::INITIAL).collect();
            to.threads.push(GraphThread { events, now: now.clone(), started_by, sent_back });
        }
        to.forget_unborn();
        places
    }

    /// Makes the last event of its thread read from another write.
    pub fn read_from(&mut self, read: EventId, kind: Kind, event: impl FnOnce(&mut Event), now: Rc<Poised>) {
        let mut changed = self.events[read.index()].clone();
        self.count(&changed, -1);
        changed.kind = kind;
        event(&mut changed);
        self.count(&changed, 1);
        let (thread, index) = (changed.thread, changed.index as usize);
        self.events[read.index()] = changed;
        self.threads[thread.index()].now = now;
        let thread = &self.threads[thread.index()];
        let before = index.checked_sub(1).map(|at| thread.events[at]).or(thread.started_by);
        self.set_clocks(read, before);
    }
}
