//! The encoding of a class against all executions of it, one by one.

use std::collections::{BTreeSet, HashSet};

use mcr::histories::block::{self, Stores};
use mcr::histories::encode::{Block, Form, Proposal, encode};
use mcr::histories::graph::{self, Goal, Walk};
use mcr::histories::id::{NodeId, ThreadId, TraceCell, TraceMonitor, ValueId};
use mcr::histories::project::Alternatives;
use mcr::histories::trace::{Access, End, Escape, Event, Kind, Step, Thread, Trace};
use operational::Machine;
use sat::Budget;

const MACHINES: [Machine; 3] = [Machine::Sc, Machine::Tso, Machine::Pso];

/// A small generator of numbers (xorshift); the seed must not be 0.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Store {
    cell: TraceCell,
    value: ValueId,
    after_fence: bool,
    before_load: bool,
}

/// An execution of a trace so far.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Run {
    at: Vec<usize>,
    started: Vec<bool>,
    memory: Vec<ValueId>,
    buffers: Vec<Vec<Store>>,
    fenced: Vec<bool>,
    monitors: Vec<Option<(usize, u32)>>,
    notified: Vec<bool>,
    permits: Vec<bool>,
}

/// What an event would result in now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Now {
    /// It cannot happen.
    Waits,
    /// What the class says.
    Same,
    /// Something else.
    Other(u32),
}

impl Run {
    fn new(trace: &Trace) -> Run {
        let threads = trace.threads.len();
        Run {
            at: vec![0; threads],
            started: trace.threads.iter().map(|thread| thread.is_initial).collect(),
            memory: trace.initial.clone(),
            buffers: vec![Vec::new(); threads],
            fenced: vec![false; threads],
            monitors: vec![None; trace.monitors as usize],
            notified: vec![false; threads],
            permits: vec![false; threads],
        }
    }

    fn sees(&self, thread: usize, cell: TraceCell) -> ValueId {
        let own = self.buffers[thread].iter().rev().find(|store| store.cell == cell);
        own.map_or(self.memory[cell.index()], |store| store.value)
    }

    fn is_over(&self, trace: &Trace, thread: usize) -> bool {
        let own = &trace.threads[thread];
        let is_done = self.at[thread] == own.events.len() && own.end == End::Over;
        self.started[thread] && is_done && self.buffers[thread].is_empty()
    }

    fn is_free(&self, monitor: TraceMonitor, thread: usize) -> bool {
        self.monitors[monitor.index()].is_none_or(|(owner, _)| owner == thread)
    }

    /// The threads that wait at the monitor, by number.
    fn asleep(&self, trace: &Trace, monitor: TraceMonitor) -> Vec<usize> {
        let sleeps = |thread: &usize| {
            let next = trace.threads[*thread].events.get(self.at[*thread]).map(|event| &event.kind);
            matches!(next, Some(Kind::Resume(other, _)) if *other == monitor) && !self.notified[*thread]
        };
        (0..self.at.len()).filter(sleeps).collect()
    }

    fn result(&self, trace: &Trace, thread: usize) -> Now {
        let Some(event) = trace.threads[thread].events.get(self.at[thread]).filter(|_| self.started[thread]) else {
            return Now::Waits;
        };
        if event.kind.drains() && !self.buffers[thread].is_empty() {
            return Now::Waits;
        }
        let compare = |cell: TraceCell, value: ValueId| match self.sees(thread, cell) {
            seen if seen == value => Now::Same,
            seen => Now::Other(seen.0),
        };
        let unless = |waits: bool| if waits { Now::Waits } else { Now::Same };
        match &event.kind {
            Kind::Read { cell, value } => match self.buffers[thread].iter().any(|store| store.before_load) {
                true => Now::Waits,
                false => compare(*cell, *value),
            },
            Kind::Update { cell, value, .. } => compare(*cell, *value),
            Kind::Atomic(accesses) => self.result_in_block(thread, accesses),
            Kind::Lock(monitor) => unless(!self.is_free(*monitor, thread)),
            Kind::Resume(monitor, _) => unless(!self.notified[thread] || !self.is_free(*monitor, thread)),
            Kind::Park => unless(!self.permits[thread]),
            Kind::Notify { monitor, all: false, picked } => {
                match (self.asleep(trace, *monitor).len() as u32, *picked) {
                    (0 | 1, 0) => Now::Same,
                    (0 | 1, _) => Now::Other(0),
                    (asleep, picked) if (1..=asleep).contains(&picked) => Now::Same,
                    _ => Now::Other(1),
                }
            }
            Kind::Join(other) => unless(!self.is_over(trace, other.index())),
            Kind::Turn(others) => unless(others.iter().any(|other| !self.is_over(trace, other.index()))),
            _ => Now::Same,
        }
    }

    fn result_in_block(&self, thread: usize, accesses: &[Access]) -> Now {
        let waits = waits(accesses);
        for (place, access) in accesses.iter().enumerate() {
            let Access::Read { cell, value } = access else { return Now::Same };
            let seen = self.sees(thread, *cell);
            if place == 0 && waits && seen == ValueId(0) {
                return Now::Waits;
            }
            if seen != *value {
                return Now::Other(block_label(place, seen.0));
            }
        }
        Now::Same
    }

    fn happen(&mut self, trace: &Trace, machine: Machine, thread: usize) {
        let event = &trace.threads[thread].events[self.at[thread]];
        self.at[thread] += 1;
        match &event.kind {
            kind @ Kind::Write { cell, value, .. } if kind.is_buffered(machine) => {
                let (cell, value, after_fence) = (*cell, *value, self.fenced[thread]);
                self.buffers[thread].push(Store { cell, value, after_fence, before_load: false });
                self.fenced[thread] = false;
            }
            Kind::Write { cell, value, .. } | Kind::Update { cell, written: Some(value), .. } => {
                self.memory[cell.index()] = *value;
            }
            Kind::Atomic(accesses) => {
                for access in accesses {
                    if let Access::Write { cell, value } = access {
                        self.memory[cell.index()] = *value;
                    }
                }
            }
            Kind::StoreFence => self.fenced[thread] = machine == Machine::Pso && !self.buffers[thread].is_empty(),
            Kind::LoadFence if machine == Machine::Pso => {
                self.buffers[thread].iter_mut().for_each(|store| store.before_load = true);
            }
            Kind::Lock(monitor) => {
                let held = &mut self.monitors[monitor.index()];
                *held = Some((thread, held.map_or(1, |(_, count)| count + 1)));
            }
            Kind::Unlock(monitor) => {
                let held = &mut self.monitors[monitor.index()];
                *held = held.filter(|(_, count)| *count > 1).map(|(owner, count)| (owner, count - 1));
            }
            Kind::Release(monitor) => self.monitors[monitor.index()] = None,
            Kind::Resume(monitor, times) => {
                self.notified[thread] = false;
                self.monitors[monitor.index()] = Some((thread, *times));
            }
            Kind::Notify { monitor, all, picked } => {
                let asleep = self.asleep(trace, *monitor);
                let first = if *all { 0 } else { picked.saturating_sub(1) as usize };
                let most = if *all { asleep.len() } else { 1 };
                asleep.iter().skip(first).take(most).for_each(|thread| self.notified[*thread] = true);
            }
            Kind::Park => self.permits[thread] = false,
            Kind::Unpark(other) => self.permits[other.index()] = true,
            Kind::Spawn(other) => self.started[other.index()] = true,
            _ => {}
        }
    }

    fn flushable(&self, machine: Machine, thread: usize) -> Vec<usize> {
        let buffer = &self.buffers[thread];
        let may = |index: &usize| match machine {
            Machine::Tso => *index == 0,
            _ => {
                let is_fenced = buffer[..=*index].iter().any(|store| store.after_fence);
                !is_fenced && buffer[..*index].iter().all(|store| store.cell != buffer[*index].cell)
            }
        };
        (0..buffer.len()).filter(may).collect()
    }

    fn flush(&mut self, thread: usize, index: usize) {
        let store = self.buffers[thread].remove(index);
        self.memory[store.cell.index()] = store.value;
        match self.buffers[thread].first_mut() {
            Some(oldest) => oldest.after_fence = false,
            None => self.fenced[thread] = false,
        }
    }

    /// All states one step from here; `None` if no thread can do anything, other than leave the class.
    fn next(&self, trace: &Trace, machine: Machine) -> Vec<Run> {
        let mut found = Vec::new();
        for thread in 0..self.at.len() {
            let is_last = self.at[thread] + 1 == trace.threads[thread].events.len();
            let is_blocked = is_last && trace.threads[thread].end == End::Blocked;
            if self.result(trace, thread) == Now::Same && !is_blocked {
                let mut next = self.clone();
                next.happen(trace, machine, thread);
                found.push(next);
            }
            for index in self.flushable(machine, thread) {
                let mut next = self.clone();
                next.flush(thread, index);
                found.push(next);
            }
        }
        found
    }

    /// The ways out of the class from here.
    fn ways_out(&self, trace: &Trace) -> Vec<(ThreadId, u32, u32)> {
        let mut found = Vec::new();
        for thread in 0..self.at.len() {
            let event = self.at[thread];
            let is_last = event + 1 == trace.threads[thread].events.len();
            let is_blocked = is_last && trace.threads[thread].end == End::Blocked;
            let kind = trace.threads[thread].events.get(event).map(|event| &event.kind);
            let (thread_, event_) = (ThreadId::at(thread), event as u32);
            match (self.result(trace, thread), kind) {
                (Now::Same | Now::Other(_), Some(Kind::Notify { monitor, all: false, picked })) => {
                    let asleep = self.asleep(trace, *monitor).len() as u32;
                    let labels = if asleep < 2 { 0..1 } else { 1..asleep + 1 };
                    found.extend(labels.filter(|label| label != picked).map(|label| (thread_, event_, label)));
                }
                (Now::Other(label), _) => found.push((thread_, event_, label)),
                (Now::Same, Some(Kind::Choice { picked, ways })) => {
                    found.extend((0..*ways).filter(|way| way != picked).map(|way| (thread_, event_, way)));
                }
                (Now::Same, Some(Kind::Update { value, picked: Some(picked), .. })) => {
                    found.push((thread_, event_, value.0 | ((1 - picked) << 31)));
                }
                (Now::Same, Some(_)) if is_blocked => found.push((thread_, event_, 0)),
                _ => {}
            }
        }
        found
    }

    fn positions(&self) -> Vec<u32> {
        self.at.iter().map(|at| *at as u32).collect()
    }
}

type Way = (Vec<u32>, (ThreadId, u32, u32));

/// All ways out with the positions before, and all positions at which nothing goes on.
fn by_hand(trace: &Trace, machine: Machine) -> (BTreeSet<Way>, BTreeSet<Vec<u32>>) {
    let (mut ways, mut stuck) = (BTreeSet::new(), BTreeSet::new());
    let mut seen = HashSet::new();
    let mut open = vec![Run::new(trace)];
    while let Some(run) = open.pop() {
        if !seen.insert(run.clone()) {
            continue;
        }
        let out = run.ways_out(trace);
        let next = run.next(trace, machine);
        if out.is_empty() && next.is_empty() {
            stuck.insert(run.positions());
        }
        for way in out {
            let reached = if is_read(trace, way) { after(&run, trace, machine, way.0) } else { vec![run.positions()] };
            ways.extend(reached.into_iter().map(|positions| (positions, way)));
        }
        open.extend(next);
    }
    (ways, stuck)
}

fn is_read(trace: &Trace, (thread, event, _): (ThreadId, u32, u32)) -> bool {
    matches!(trace.threads[thread.index()].events[event as usize].kind, Kind::Read { .. })
}

/// How far threads can come from here while one of them does nothing.
fn after(run: &Run, trace: &Trace, machine: Machine, still: ThreadId) -> Vec<Vec<u32>> {
    let mut seen = HashSet::new();
    let mut open = vec![run.clone()];
    while let Some(run) = open.pop() {
        let is_still = |next: &Run| next.at[still.index()] == run.at[still.index()];
        if seen.insert(run.clone()) {
            open.extend(run.next(trace, machine).into_iter().filter(is_still));
        }
    }
    seen.iter().map(Run::positions).collect()
}

/// Runs the steps.
fn assert_runs(mut run: Run, trace: &Trace, machine: Machine, steps: &[Step]) -> Run {
    for step in steps {
        match step {
            Step::Event(thread) => {
                assert_eq!(run.result(trace, thread.index()), Now::Same, "{steps:?}\n{trace:?}");
                run.happen(trace, machine, thread.index());
            }
            Step::Flush(thread, cell) => {
                let thread = thread.index();
                let place = run.buffers[thread].iter().position(|store| store.cell == *cell).expect("a store");
                assert!(run.flushable(machine, thread).contains(&place), "{steps:?}\n{trace:?}");
                run.flush(thread, place);
            }
        }
    }
    run
}

/// Runs the steps before, sees that the event goes the other way, and runs the steps of others after it.
fn assert_leaves(trace: &Trace, machine: Machine, escape: &Escape) -> Way {
    let run = assert_runs(Run::new(trace), trace, machine, &escape.steps);
    let way = (escape.thread, escape.event, escape.label);
    assert!(run.ways_out(trace).contains(&way), "{escape:?}\n{trace:?}");
    assert!(!escape.after.contains(&Step::Event(escape.thread)));
    (assert_runs(run, trace, machine, &escape.after).positions(), way)
}

fn event(kind: Kind) -> Event {
    Event { kind, node: NodeId(0) }
}

/// Something that a thread may do; what is read is filled in later.
fn random_event(random: &mut Random, thread: usize) -> Kind {
    let cell = TraceCell(random.below(2) as u32);
    let value = ValueId(1 + random.below(2) as u32);
    match random.below(20) {
        0..7 => Kind::Read { cell, value: ValueId(0) },
        7..13 => Kind::Write { cell, value, direct: false },
        13 => Kind::Write { cell, value, direct: true },
        14 => Kind::Update { cell, value: ValueId(0), written: Some(value), picked: None },
        15 => Kind::Update { cell, value: ValueId(0), written: Some(value), picked: (thread == 0).then_some(0) },
        16 => [Kind::Drain, Kind::StoreFence, Kind::LoadFence][random.below(3) as usize].clone(),
        17 => Kind::Choice { picked: random.below(2) as u32, ways: 2 },
        _ => {
            let other = TraceCell(1 - cell.0);
            Kind::Atomic(vec![
                Access::Read { cell, value: ValueId(0) },
                Access::Read { cell: other, value: ValueId(0) },
                Access::Write { cell, value },
            ])
        }
    }
}

/// What threads do with a monitor that they hold; mostly they wait and notify.
fn random_section(random: &mut Random, thread: usize, monitor: TraceMonitor) -> Vec<Kind> {
    match random.below(6) {
        0 | 1 => vec![Kind::Release(monitor), Kind::Resume(monitor, 1)],
        2 | 3 => vec![Kind::Notify { monitor, all: random.below(2) == 0, picked: 0 }],
        4 => vec![Kind::Notify { monitor, all: false, picked: 0 }, random_event(random, thread)],
        _ => vec![Kind::Release(monitor), Kind::Resume(monitor, 1), Kind::Notify { monitor, all: false, picked: 0 }],
    }
}

/// Threads that wait for each other.
fn waiting_code(random: &mut Random, threads: usize, length: u64) -> Trace {
    let mut trace = Trace { threads: Vec::new(), initial: vec![ValueId(0); 2], monitors: 1 };
    for thread in 0..threads {
        let mut events: Vec<Event> = Vec::new();
        for _ in 0..1 + random.below(length) {
            match random.below(8) {
                0..4 => {
                    events.push(event(Kind::Lock(TraceMonitor(0))));
                    events.extend(random_section(random, thread, TraceMonitor(0)).into_iter().map(event));
                    events.push(event(Kind::Unlock(TraceMonitor(0))));
                }
                4 => events.push(event(Kind::Park)),
                5 | 6 => events.push(event(Kind::Unpark(ThreadId(random.below(threads as u64) as u32)))),
                _ => events.push(event(random_event(random, thread))),
            }
        }
        trace.threads.push(Thread { events, end: End::Over, is_initial: true });
    }
    trace
}

fn random_code(random: &mut Random, threads: usize, length: u64) -> Trace {
    if random.below(3) == 0 {
        let one_more = random.below(2) as usize;
        return waiting_code(random, threads + one_more, length);
    }
    let mut trace = Trace { threads: Vec::new(), initial: vec![ValueId(0); 2], monitors: 2 };
    let spawns = random.below(3) == 0;
    let seldom = 2 + random.below(6);
    for thread in 0..threads {
        let mut events: Vec<Event> = Vec::new();
        for _ in 0..1 + random.below(length) {
            if random.below(seldom) == 0 {
                let monitor = TraceMonitor(random.below(2) as u32);
                let inner = random_event(random, thread);
                events.extend([Kind::Lock(monitor), inner].map(event));
                if random.below(2) == 0 {
                    let other = TraceMonitor(1 - monitor.0);
                    events.extend([Kind::Lock(other), Kind::Unlock(other)].map(event));
                }
                events.push(event(Kind::Unlock(monitor)));
            } else {
                events.push(event(random_event(random, thread)));
            }
        }
        let is_initial = !spawns || thread == 0;
        trace.threads.push(Thread { events, end: End::Over, is_initial });
    }
    if spawns {
        let place = random.below(trace.threads[0].events.len() as u64) as usize;
        let starts = (1..threads).map(|other| event(Kind::Spawn(ThreadId::at(other))));
        trace.threads[0].events.splice(place..place, starts);
        trace.threads[0].events.push(event(Kind::Join(ThreadId(1))));
        trace.threads[0].events.push(event(random_event(random, 0)));
    } else if random.below(4) == 0 {
        let last = trace.threads.len() - 1;
        trace.threads[last].events.insert(0, event(Kind::Turn(vec![ThreadId(0)])));
    }
    trace
}

/// Runs the code in some order and writes down what is read: a class that has an execution.
fn random_trace(random: &mut Random, machine: Machine, threads: usize, length: u64) -> Trace {
    let mut trace = random_code(random, threads, length);
    let threads = trace.threads.len();
    let mut run = Run::new(&trace);
    loop {
        let mut steps: Vec<(usize, Option<usize>)> = Vec::new();
        for thread in 0..threads {
            fill_in(random, &mut trace, &run, thread);
            if run.result(&trace, thread) == Now::Same {
                steps.push((thread, None));
            }
            steps.extend(run.flushable(machine, thread).into_iter().map(|index| (thread, Some(index))));
        }
        if steps.is_empty() {
            break;
        }
        match steps[random.below(steps.len() as u64) as usize] {
            (thread, None) => run.happen(&trace, machine, thread),
            (thread, Some(index)) => run.flush(thread, index),
        }
    }
    for thread in 0..threads {
        let own = &mut trace.threads[thread];
        if !run.started[thread] {
            own.events.clear();
        } else if run.at[thread] < own.events.len() {
            own.events.truncate(run.at[thread] + 1);
            own.end = End::Blocked;
        }
    }
    trace
}

/// The next event of the thread reads what it would read now.
fn fill_in(random: &mut Random, trace: &mut Trace, run: &Run, thread: usize) {
    let next = trace.threads[thread].events.get(run.at[thread]).map(|event| &event.kind);
    let asleep = match next {
        Some(Kind::Notify { monitor, .. }) => run.asleep(trace, *monitor).len() as u64,
        _ => 0,
    };
    let Some(event) = trace.threads[thread].events.get_mut(run.at[thread]) else { return };
    match &mut event.kind {
        Kind::Notify { all: false, picked, .. } => {
            *picked = if asleep < 2 { 0 } else { 1 + random.below(asleep) as u32 };
        }
        Kind::Read { cell, value } | Kind::Update { cell, value, .. } => *value = run.sees(thread, *cell),
        Kind::Atomic(accesses) => {
            for access in accesses {
                if let Access::Read { cell, value } = access {
                    *value = run.sees(thread, *cell);
                }
            }
        }
        _ => {}
    }
}

/// Whether a block waits when its first read gets 0: those that write 1 do.
fn waits(accesses: &[Access]) -> bool {
    matches!(accesses.last(), Some(Access::Write { value: ValueId(1), .. }))
}

/// What a block is said to get when one of its reads gets another value than in the class, and those before do not.
fn block_label(place: usize, value: u32) -> u32 {
    10 * place as u32 + value
}

/// The ways through the atomic blocks of a trace.
fn blocks(trace: &Trace) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (thread, of) in trace.threads.iter().enumerate() {
        for (event, what) in of.events.iter().enumerate() {
            let Kind::Atomic(accesses) = &what.kind else { continue };
            let is_last = event + 1 == of.events.len();
            let taken = (!(is_last && of.end == End::Blocked)).then_some(TAKEN);
            blocks.push(Block { thread: ThreadId::at(thread), event: event as u32, ways: ways(accesses), taken });
        }
    }
    blocks
}

/// The label of the way that a block goes in the class.
const TAKEN: u32 = 100;

fn ways(accesses: &[Access]) -> Vec<block::Way> {
    let mut reads: Vec<(TraceCell, ValueId)> = Vec::new();
    let mut found = Vec::new();
    let way = |label: u32, reads: Vec<(TraceCell, ValueId)>| {
        let after = (reads[0].1 > ValueId(0) || !waits(accesses)).then_some(NodeId(0));
        block::Way { label, reads, waits_for: Stores::All, after }
    };
    for (place, access) in accesses.iter().enumerate() {
        let Access::Read { cell, value } = access else { continue };
        for other in (0..3).map(ValueId).filter(|other| other != value) {
            let reads = [&reads[..], &[(*cell, other)]].concat();
            found.push(way(block_label(place, other.0), reads));
        }
        reads.push((*cell, *value));
    }
    found.push(way(TAKEN, reads));
    found
}

/// Where no known class leaves this one.
fn nowhere(trace: &Trace) -> Vec<u32> {
    trace.threads.iter().map(|thread| thread.events.len() as u32).collect()
}

/// The ways out that the encoding has, whatever comes before.
fn solved(trace: &Trace, machine: Machine, form: Form) -> BTreeSet<(ThreadId, u32, u32)> {
    let blocks = blocks(trace);
    let mut encoding = encode(trace, &blocks, machine, form);
    let mut found = BTreeSet::new();
    loop {
        let mut known = |proposal: Proposal| {
            let way = (proposal.thread, proposal.event, proposal.label);
            found.contains(&way).then(|| nowhere(trace))
        };
        match encoding.escape(&mut known, &Budget::default()).expect("no budget") {
            Some(escape) => assert!(found.insert(assert_leaves(trace, machine, &escape).1)),
            None => return found,
        }
    }
}

fn traces(seed: u64, count: usize) -> impl Iterator<Item = (Machine, Trace)> {
    let mut random = Random(seed);
    (0..count).map(move |iteration| {
        let machine = MACHINES[iteration % 3];
        let (threads, length) = [(2, 5), (3, 3)][random.below(2) as usize];
        (machine, random_trace(&mut random, machine, threads, length))
    })
}

#[test]
fn the_solver_finds_the_ways_out_that_there_are() {
    let mut found = 0;
    for (machine, trace) in traces(11, 1500) {
        let (ways, _) = by_hand(&trace, machine);
        let expected: BTreeSet<_> = ways.iter().map(|(_, way)| *way).collect();
        assert_eq!(solved(&trace, machine, Form::Exact), expected, "{machine:?}\n{trace:#?}");
        found += expected.len();
    }
    assert!(found > 1000, "{found}");
}

/// Where a class leaves this one that is not there, but as good as any.
fn random_places(random: &mut Random, trace: &Trace) -> Vec<u32> {
    trace.threads.iter().map(|thread| random.below(thread.events.len() as u64 + 1) as u32).collect()
}

/// A class that goes along up to these positions and with whatever this thread does then.
fn class_along(all: &[Vec<u32>], positions: &[u32], thread: ThreadId) -> Option<Vec<u32>> {
    let goes_along = |class: &&Vec<u32>| {
        let mut places = class.iter().zip(positions).enumerate();
        places.all(|(other, (leaves, at))| other == thread.index() || at <= leaves)
    };
    all.iter().find(goes_along).cloned()
}

#[test]
fn the_solver_goes_past_known_classes() {
    let mut random = Random(5);
    let (mut left, mut closed) = (0, 0);
    for (machine, trace) in traces(12, 1000) {
        let (ways, _) = by_hand(&trace, machine);
        let all: Vec<Vec<u32>> = (0..1 + random.below(4)).map(|_| random_places(&mut random, &trace)).collect();
        let is_new = |(positions, (thread, ..)): &Way| class_along(&all, positions, *thread).is_none();
        let expected = ways.iter().any(is_new);
        let mut known = |proposal: Proposal| class_along(&all, proposal.positions, proposal.thread);
        let blocks = blocks(&trace);
        let mut encoding = encode(&trace, &blocks, machine, Form::Exact);
        let escape = encoding.escape(&mut known, &Budget::default()).expect("no budget");
        assert_eq!(escape.is_some(), expected, "{machine:?}\n{all:?}\n{trace:#?}");
        if let Some(escape) = &escape {
            assert!(is_new(&assert_leaves(&trace, machine, escape)));
        }
        left += u32::from(expected);
        closed += u32::from(!expected && !ways.is_empty());
    }
    assert!(left > 100 && closed > 100, "{left} {closed}");
}

#[test]
fn the_solver_finds_where_nothing_goes_on() {
    let mut several = 0;
    for (machine, trace) in traces(13, 1500) {
        let (_, expected) = by_hand(&trace, machine);
        let blocks = blocks(&trace);
        let mut encoding = encode(&trace, &blocks, machine, Form::Exact);
        let mut found = BTreeSet::new();
        while let Some(steps) =
            encoding.stuck(&mut |positions| found.contains(positions), &Budget::default()).expect("no budget")
        {
            assert!(found.insert(assert_runs(Run::new(&trace), &trace, machine, &steps).positions()));
        }
        assert_eq!(found, expected, "{machine:?}\n{trace:#?}");
        several += u32::from(expected.len() > 1);
    }
    assert!(several > 10, "{several}");
}

/// Whether an event has other labels that the graph can list without knowing the program.
fn can_differ(trace: &Trace, thread: usize, event: usize) -> bool {
    let own = &trace.threads[thread];
    let is_blocked = own.end == End::Blocked && event + 1 == own.events.len();
    match own.events[event].kind {
        Kind::Read { .. } | Kind::Update { .. } | Kind::Choice { .. } | Kind::Notify { all: false, .. } => true,
        _ => is_blocked,
    }
}

/// The ways out that listing states finds, each with how far the threads can come.
fn listed(trace: &Trace, machine: Machine, walk: &mut Walk) -> Vec<Way> {
    let mut ways = Vec::new();
    for thread in 0..trace.threads.len() {
        for event in (0..trace.threads[thread].events.len()).filter(|event| can_differ(trace, thread, *event)) {
            let (thread, event) = (ThreadId::at(thread), event as u32);
            let goal =
                Goal::Escape { thread, event, alternatives: Alternatives::Any, wanted: None, bounds: Vec::new() };
            let found = graph::explore(trace, machine, &goal, usize::MAX, walk).expect("all states");
            let started = |position: &u32| if *position == u32::MAX { 0 } else { *position };
            ways.extend(
                found.ends.iter().map(|end| (end.positions.iter().map(started).collect(), (thread, event, end.label))),
            );
        }
    }
    ways
}

#[test]
fn graph_and_solver_agree() {
    let mut random = Random(7);
    let mut walk = Walk::default();
    let (mut compared, mut left) = (0, 0);
    for (machine, trace) in traces(15, 3000) {
        let all_events = || trace.threads.iter().flat_map(|thread| &thread.events);
        if all_events().any(|event| matches!(event.kind, Kind::Atomic(_))) {
            continue;
        }
        let ways = listed(&trace, machine, &mut walk);
        let labels: BTreeSet<_> = ways.iter().map(|(_, way)| *way).collect();
        assert_eq!(solved(&trace, machine, Form::Exact), labels, "{machine:?}\n{trace:#?}");
        let all: Vec<Vec<u32>> = (0..1 + random.below(4)).map(|_| random_places(&mut random, &trace)).collect();
        let is_new = |(positions, (thread, ..)): &Way| class_along(&all, positions, *thread).is_none();
        let mut known = |proposal: Proposal| class_along(&all, proposal.positions, proposal.thread);
        let blocks = blocks(&trace);
        let mut encoding = encode(&trace, &blocks, machine, Form::Exact);
        let escape = encoding.escape(&mut known, &Budget::default()).expect("no budget");
        assert_eq!(escape.is_some(), ways.iter().any(is_new), "{machine:?}\n{all:?}\n{trace:#?}");
        compared += 1;
        left += u32::from(escape.is_some());
    }
    assert!(compared > 1000 && left > 100, "{compared} {left}");
}

/// Two threads that each write, read what they wrote, and read what the other wrote.
fn store_buffering_with_own_reads() -> Trace {
    let code = |own: u32, other: u32, seen: u32| {
        let (own, other) = (TraceCell(own), TraceCell(other));
        let kinds = [
            Kind::Write { cell: own, value: ValueId(1), direct: false },
            Kind::Read { cell: own, value: ValueId(1) },
            Kind::Read { cell: other, value: ValueId(seen) },
        ];
        Thread { events: kinds.map(event).to_vec(), end: End::Over, is_initial: true }
    };
    // The first thread runs to its end, then the second.
    Trace { threads: vec![code(0, 1, 0), code(1, 0, 1)], initial: vec![ValueId(0); 2], monitors: 0 }
}

#[test]
fn the_printed_encoding_forbids_what_the_machine_does() {
    let trace = store_buffering_with_own_reads();
    // The second thread sees nothing of the first although both have written.
    let way = (ThreadId(1), 2, 0);
    let both_wrote = |proposal: Proposal| (proposal.positions[0] < 3).then(|| vec![2, 3]);
    let ask = |machine: Machine, form: Form| {
        let mut encoding = encode(&trace, &[], machine, form);
        let mut known = |proposal: Proposal| match (proposal.thread, proposal.event, proposal.label) == way {
            true => both_wrote(proposal),
            false => Some(nowhere(&trace)),
        };
        encoding.escape(&mut known, &Budget::default()).expect("no budget").is_some()
    };
    assert!(!ask(Machine::Sc, Form::Exact));
    for machine in [Machine::Tso, Machine::Pso] {
        assert!(ask(machine, Form::Exact));
        assert!(!ask(machine, Form::Printed));
    }
}

#[test]
fn the_printed_encoding_allows_nothing_more() {
    let mut random = Random(6);
    for (machine, trace) in traces(14, 1500) {
        let all: Vec<Vec<u32>> = (0..1 + random.below(4)).map(|_| random_places(&mut random, &trace)).collect();
        let ask = |form: Form| {
            let blocks = blocks(&trace);
            let mut encoding = encode(&trace, &blocks, machine, form);
            let mut known = |proposal: Proposal| class_along(&all, proposal.positions, proposal.thread);
            encoding.escape(&mut known, &Budget::default()).expect("no budget").is_some()
        };
        let (printed, exact) = (ask(Form::Printed), ask(Form::Exact));
        assert!(exact || !printed, "{machine:?}\n{trace:#?}");
    }
}
