//! Small litmus programs, and their candidate executions with herd's events, by brute force.
//!
//! Nothing here is shared with the engine, the front ends included: a program is made here, written as a litmus test for the
//! engine, and enumerated from its own form. As in herd, every way through the threads gives events whose values are unknown at
//! first; each read is given each write of its location, and values are found by following data from the constants on. Where
//! some value is not found there is no execution.

use std::collections::BTreeMap;

/// The cells of all programs.
pub const CELLS: [&str; 3] = ["x", "y", "z"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    X86,
    C,
}

/// Memory orders of C; of x86 all accesses are plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Plain,
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SeqCst,
}

impl Order {
    pub fn name(self) -> &'static str {
        match self {
            Order::Plain => "",
            Order::Relaxed => "memory_order_relaxed",
            Order::Acquire => "memory_order_acquire",
            Order::Release => "memory_order_release",
            Order::AcquireRelease => "memory_order_acq_rel",
            Order::SeqCst => "memory_order_seq_cst",
        }
    }
}

#[derive(Clone, Debug)]
pub enum Operand {
    Constant(i64),
    Register(String),
}

/// What the second argument of a compare-exchange of C points to.
#[derive(Clone, Debug)]
pub enum Expected {
    /// A local variable of its own, with this value.
    Local(String, i64),
    /// A cell.
    Cell(usize),
}

/// One statement of C, or one instruction of x86.
#[derive(Clone, Debug)]
pub enum Step {
    Load {
        into: String,
        cell: usize,
        order: Order,
    },
    Store {
        cell: usize,
        value: Operand,
        order: Order,
    },
    /// A load and a store in one statement.
    Copy {
        to: usize,
        from: usize,
        orders: [Order; 2],
    },
    /// Of x86 the register is exchanged with the cell.
    Exchange {
        register: String,
        cell: usize,
        value: Operand,
        order: Order,
    },
    /// Of x86 `xadd`, the register being what is added too.
    FetchAdd {
        register: String,
        cell: usize,
        value: Operand,
        order: Order,
    },
    /// x86: `inc`, locked or not.
    Increment {
        cell: usize,
        locked: bool,
    },
    /// C: a strong compare-exchange.
    Cas {
        flag: String,
        cell: usize,
        expected: Expected,
        desired: Operand,
        success: Order,
        failure: Order,
    },
    /// x86: `lock cmpxchg`, which compares with EAX and leaves there what it read.
    CmpXchg {
        cell: usize,
        register: String,
    },
    /// Of x86 the fence's name, of C its order.
    Fence(&'static str, Order),
    /// C: runs the step if the register is not zero.
    If(String, Box<Step>),
}

pub struct Program {
    pub language: Language,
    pub threads: Vec<Vec<Step>>,
    pub initial: [i64; 3],
    /// Registers of each thread, with what they start with.
    pub registers: Vec<Vec<(String, i64)>>,
}

/// A sum: reads of the same thread (by place in it) and a constant.
#[derive(Clone, Debug, Default)]
struct Sum {
    reads: Vec<usize>,
    constant: i64,
}

impl Sum {
    fn constant(constant: i64) -> Sum {
        Sum { reads: Vec::new(), constant }
    }

    fn of(read: usize) -> Sum {
        Sum { reads: vec![read], constant: 0 }
    }

    fn plus(mut self, other: &Sum) -> Sum {
        self.reads.extend(&other.reads);
        self.constant += other.constant;
        self
    }

    fn moved(mut self, by: usize) -> Sum {
        self.reads.iter_mut().for_each(|read| *read += by);
        self
    }

    fn value(&self, reads: &[Option<i64>]) -> Option<i64> {
        let known: Option<Vec<i64>> = self.reads.iter().map(|&read| reads[read]).collect();
        Some(known?.into_iter().sum::<i64>() + self.constant)
    }
}

/// An event: a read, a write, both (a read-modify-write of C), or a fence.
#[derive(Clone, Debug)]
pub struct Event {
    /// `None` for an initial write.
    pub thread: Option<usize>,
    /// Which statement or instruction of its thread it comes from.
    pub step: usize,
    pub cell: Option<usize>,
    pub reads: bool,
    pub writes: bool,
    pub fence: &'static str,
    pub order: Order,
    /// Of a locked instruction.
    pub locked: bool,
    /// What a compare-exchange that succeeds has read, known without looking at any write.
    known: Option<Sum>,
    /// What is written.
    value: Option<Sum>,
}

/// One way through a thread.
#[derive(Clone, Debug, Default)]
struct Way {
    events: Vec<Event>,
    rmw: Vec<(usize, usize)>,
    /// Reads, each with a write of the same instruction that is computed from it.
    computed: Vec<(usize, usize)>,
    registers: BTreeMap<String, Sum>,
    /// Sums that must be equal (true) or different.
    conditions: Vec<(Sum, Sum, bool)>,
}

/// A candidate execution.
pub struct Candidate {
    pub events: Vec<Event>,
    pub rf: Vec<(usize, usize)>,
    pub co: Vec<(usize, usize)>,
    pub rmw: Vec<(usize, usize)>,
    pub computed: Vec<(usize, usize)>,
}

/// What registers (`0:r1`) and cells hold at the end.
pub type Final = BTreeMap<String, i64>;

impl Program {
    /// Calls `visit` with each candidate execution and its final state; `false` if there are too many.
    pub fn candidates(&self, visit: &mut dyn FnMut(&Candidate, Final)) -> bool {
        let ways: Vec<Vec<Way>> = (0..self.threads.len()).map(|thread| self.ways(thread)).collect();
        let mut left = 200_000usize;
        let mut chosen = Vec::new();
        self.choose_ways(&ways, &mut chosen, &mut left, visit);
        left > 0
    }

    fn choose_ways<'w>(
        &self,
        ways: &'w [Vec<Way>],
        chosen: &mut Vec<&'w Way>,
        left: &mut usize,
        visit: &mut dyn FnMut(&Candidate, Final),
    ) {
        match ways.get(chosen.len()) {
            None => self.executions(chosen, left, visit),
            Some(of_thread) => {
                for way in of_thread {
                    chosen.push(way);
                    self.choose_ways(ways, chosen, left, visit);
                    chosen.pop();
                }
            }
        }
    }

    fn ways(&self, thread: usize) -> Vec<Way> {
        let registers = self.registers[thread].iter();
        let registers = registers.map(|(name, value)| (name.clone(), Sum::constant(*value))).collect();
        let mut ways = vec![Way { registers, ..Way::default() }];
        for (number, step) in self.threads[thread].iter().enumerate() {
            // A condition is a statement of its own.
            ways = ways.into_iter().flat_map(|way| self.step(way, thread, 2 * number, step)).collect();
        }
        ways
    }

    fn step(&self, mut way: Way, thread: usize, at: usize, step: &Step) -> Vec<Way> {
        let event = |cell: Option<usize>, order: Order| Event {
            thread: Some(thread),
            step: at,
            cell,
            reads: false,
            writes: false,
            fence: "",
            order,
            locked: false,
            known: None,
            value: None,
        };
        let read = |cell: usize, order: Order| Event { reads: true, ..event(Some(cell), order) };
        let write = |cell: usize, order: Order, value: Sum| Event {
            writes: true,
            value: Some(value),
            ..event(Some(cell), order)
        };
        let is_c = self.language == Language::C;
        let next = way.events.len();
        match step {
            Step::Load { into, cell, order } => {
                way.events.push(read(*cell, *order));
                way.registers.insert(into.clone(), Sum::of(next));
            }
            Step::Store { cell, value, order } => {
                let value = way.operand(value);
                way.events.push(write(*cell, *order, value));
            }
            Step::Copy { to, from, orders } => {
                way.events.push(read(*from, orders[0]));
                way.events.push(write(*to, orders[1], Sum::of(next)));
                way.computed.push((next, next + 1));
            }
            Step::Exchange { register, cell, value, order } => {
                let value = way.operand(value);
                way.update(is_c, read(*cell, *order), value, false);
                way.registers.insert(register.clone(), Sum::of(next));
            }
            Step::FetchAdd { register, cell, value, order } => {
                let sum = way.operand(value).plus(&Sum::of(next));
                way.update(is_c, read(*cell, *order), sum, true);
                way.registers.insert(register.clone(), Sum::of(next));
            }
            Step::Increment { cell, locked } => {
                let sum = Sum::constant(1).plus(&Sum::of(next));
                if *locked {
                    way.update(false, read(*cell, Order::Plain), sum, true);
                } else {
                    way.events.push(read(*cell, Order::Plain));
                    way.events.push(write(*cell, Order::Plain, sum));
                    way.computed.push((next, next + 1));
                }
            }
            Step::Cas { flag, cell, expected, desired, success, failure } => {
                let mut next = next;
                let (expected_value, place) = match expected {
                    Expected::Local(_, value) => (Sum::constant(*value), None),
                    Expected::Cell(place) => {
                        way.events.push(read(*place, Order::Plain));
                        next += 1;
                        (Sum::of(next - 1), Some(*place))
                    }
                };
                let mut fails = way.clone();
                let desired = way.operand(desired);
                let both = Event { reads: true, writes: true, ..event(Some(*cell), *success) };
                way.events.push(Event { known: Some(expected_value.clone()), value: Some(desired), ..both });
                way.registers.insert(flag.clone(), Sum::constant(1));
                way.conditions.push((Sum::of(next), expected_value.clone(), true));
                fails.events.push(read(*cell, *failure));
                fails.conditions.push((Sum::of(next), expected_value, false));
                if let Some(place) = place {
                    fails.events.push(write(place, Order::Plain, Sum::of(next)));
                    fails.computed.push((next, next + 1));
                }
                fails.registers.insert(flag.clone(), Sum::constant(0));
                return vec![way, fails];
            }
            Step::CmpXchg { cell, register } => {
                let (accumulator, value) = (way.registers["EAX"].clone(), way.registers[register].clone());
                let mut fails = way.clone();
                way.update(false, read(*cell, Order::Plain), value, false);
                way.conditions.push((Sum::of(next), accumulator.clone(), true));
                way.registers.insert("EAX".into(), Sum::of(next));
                fails.events.push(Event { locked: true, ..read(*cell, Order::Plain) });
                fails.conditions.push((Sum::of(next), accumulator, false));
                fails.registers.insert("EAX".into(), Sum::of(next));
                return vec![way, fails];
            }
            Step::Fence(name, order) => way.events.push(Event { fence: name, ..event(None, *order) }),
            Step::If(register, inner) => {
                let condition = way.registers[register].clone();
                let mut not_taken = way.clone();
                not_taken.conditions.push((condition.clone(), Sum::constant(0), true));
                way.conditions.push((condition, Sum::constant(0), false));
                let mut ways = self.step(way, thread, at + 1, inner);
                ways.push(not_taken);
                return ways;
            }
        }
        vec![way]
    }

    /// All executions that go these ways: every write for every read, every order of the writes of a cell.
    fn executions(&self, ways: &[&Way], left: &mut usize, visit: &mut dyn FnMut(&Candidate, Final)) {
        let mut events: Vec<Event> = Vec::new();
        for (cell, &value) in self.initial.iter().enumerate().filter(|&(cell, _)| self.touches(cell)) {
            let value = Some(Sum::constant(value));
            events.push(Event {
                thread: None,
                step: 0,
                cell: Some(cell),
                reads: false,
                writes: true,
                fence: "",
                order: Order::Plain,
                locked: false,
                known: None,
                value,
            });
        }
        let (mut conditions, mut registers) = (Vec::new(), BTreeMap::new());
        let (mut rmw, mut computed) = (Vec::new(), Vec::new());
        for (thread, way) in ways.iter().enumerate() {
            let first = events.len();
            let moved = |pairs: &[(usize, usize)]| -> Vec<_> {
                pairs.iter().map(|&(read, write)| (read + first, write + first)).collect()
            };
            rmw.extend(moved(&way.rmw));
            computed.extend(moved(&way.computed));
            let move_sum = |sum: &Sum| sum.clone().moved(first);
            conditions.extend(way.conditions.iter().map(|(a, b, equal)| (move_sum(a), move_sum(b), *equal)));
            registers.extend(way.registers.iter().map(|(name, sum)| (format!("{thread}:{name}"), move_sum(sum))));
            events.extend(way.events.iter().map(|event| Event {
                known: event.known.as_ref().map(move_sum),
                value: event.value.as_ref().map(move_sum),
                ..event.clone()
            }));
        }
        let reads: Vec<usize> = (0..events.len()).filter(|&event| events[event].reads).collect();
        let sources = |read: usize| -> Vec<usize> {
            let feeds =
                |&write: &usize| events[write].writes && events[write].cell == events[read].cell && write != read;
            (0..events.len()).filter(feeds).collect()
        };
        let sources: Vec<Vec<usize>> = reads.iter().map(|&read| sources(read)).collect();
        let orders = self.orders(&events);
        for choice in product(&sources) {
            let rf: Vec<(usize, usize)> = choice.into_iter().zip(reads.iter().copied()).collect();
            let Some(values) = solve(&events, &rf) else { continue };
            let meets = |(a, b, equal): &(Sum, Sum, bool)| (a.value(&values) == b.value(&values)) == *equal;
            if !conditions.iter().all(meets) {
                continue;
            }
            let written = |write: usize| events[write].value.as_ref().and_then(|sum| sum.value(&values));
            if rf.iter().any(|&(write, read)| written(write) != values[read]) {
                continue;
            }
            for order in product_of_lists(&orders) {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    return;
                }
                let mut state: Final = BTreeMap::new();
                for (name, sum) in &registers {
                    state.insert(name.clone(), sum.value(&values).expect("values are known"));
                }
                let mut co = Vec::new();
                for writes in &order {
                    let last = *writes.last().expect("an initial write");
                    let cell = events[last].cell.expect("a cell");
                    state.insert(CELLS[cell].into(), written(last).expect("values are known"));
                    for (place, &first) in writes.iter().enumerate() {
                        co.extend(writes[place + 1..].iter().map(|&second| (first, second)));
                    }
                }
                let (rf, rmw, computed) = (rf.clone(), rmw.clone(), computed.clone());
                visit(&Candidate { events: events.clone(), rf, co, rmw, computed }, state);
            }
        }
    }

    /// For each cell all orders of its writes, the initial one first.
    fn orders(&self, events: &[Event]) -> Vec<Vec<Vec<usize>>> {
        let of_cell = |cell: usize| {
            let is_here = |&event: &usize| events[event].writes && events[event].cell == Some(cell);
            let writes: Vec<usize> = (0..events.len()).filter(is_here).collect();
            let (initial, others) = writes.split_first().expect("an initial write");
            permutations(others).into_iter().map(|order| [vec![*initial], order].concat()).collect()
        };
        (0..CELLS.len()).filter(|&cell| self.touches(cell)).map(of_cell).collect()
    }

    /// Whether the text of some thread accesses the cell.
    pub fn touches(&self, cell: usize) -> bool {
        fn is_in(step: &Step, wanted: usize) -> bool {
            match step {
                Step::Load { cell, .. }
                | Step::Store { cell, .. }
                | Step::Exchange { cell, .. }
                | Step::FetchAdd { cell, .. }
                | Step::Increment { cell, .. }
                | Step::CmpXchg { cell, .. } => *cell == wanted,
                Step::Copy { to, from, .. } => *to == wanted || *from == wanted,
                Step::Cas { cell, expected, .. } => {
                    *cell == wanted || matches!(expected, Expected::Cell(place) if *place == wanted)
                }
                Step::Fence(..) => false,
                Step::If(_, inner) => is_in(inner, wanted),
            }
        }
        self.threads.iter().flatten().any(|step| is_in(step, cell))
    }
}

impl Way {
    fn operand(&self, operand: &Operand) -> Sum {
        match operand {
            Operand::Constant(value) => Sum::constant(*value),
            Operand::Register(name) => self.registers[name].clone(),
        }
    }

    /// A read-modify-write: of C one event, of x86 two.
    fn update(&mut self, one: bool, read: Event, value: Sum, computes: bool) {
        let at = self.events.len();
        if one {
            self.events.push(Event { writes: true, value: Some(value), ..read });
            return;
        }
        let read = Event { locked: true, ..read };
        let write = Event { reads: false, writes: true, value: Some(value), ..read.clone() };
        self.events.extend([read, write]);
        self.rmw.push((at, at + 1));
        if computes {
            self.computed.push((at, at + 1));
        }
    }
}

/// What each read has read, if that is found by following data.
fn solve(events: &[Event], rf: &[(usize, usize)]) -> Option<Vec<Option<i64>>> {
    let mut values = vec![None; events.len()];
    for _ in 0..=events.len() {
        for &(write, read) in rf {
            let sum = events[read].known.as_ref().or(events[write].value.as_ref());
            values[read] = sum.and_then(|sum| sum.value(&values));
        }
    }
    rf.iter().all(|&(_, read)| values[read].is_some()).then_some(values)
}

/// One member of each list, in all ways.
fn product(lists: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let start = vec![Vec::new()];
    lists.iter().fold(start, |found, list| {
        let with = |chosen: &Vec<usize>| -> Vec<Vec<usize>> {
            list.iter().map(|member| [chosen.clone(), vec![*member]].concat()).collect()
        };
        found.iter().flat_map(with).collect()
    })
}

fn product_of_lists(lists: &[Vec<Vec<usize>>]) -> Vec<Vec<Vec<usize>>> {
    lists.iter().fold(vec![Vec::new()], |found, list| {
        let with = |chosen: &Vec<Vec<usize>>| -> Vec<Vec<Vec<usize>>> {
            list.iter().map(|member| [chosen.clone(), vec![member.clone()]].concat()).collect()
        };
        found.iter().flat_map(with).collect()
    })
}

fn permutations(list: &[usize]) -> Vec<Vec<usize>> {
    let Some((first, others)) = list.split_first() else { return vec![Vec::new()] };
    let put = |order: Vec<usize>| -> Vec<Vec<usize>> {
        (0..=order.len()).map(|at| [&order[..at], &[*first], &order[at..]].concat()).collect()
    };
    permutations(others).into_iter().flat_map(put).collect()
}
