//! Programs whose threads access the same bytes in different sizes, and all that they can come to by brute force: a machine whose
//! memory is bytes, and whose buffers hold stretches of bytes. It shares nothing with the engines.
//!
//! A plain access that meets others in a part of its bytes may tear: it is as many accesses, from the lowest address on, as the
//! smallest access that its bytes are shared with has place in it (`Mixed::unit`). Other accesses, atomic ones among them, are made
//! in one step.

use std::collections::{BTreeSet, HashSet};

use operational::Machine;

use crate::random::Random;

/// How many bytes a buffer has.
const SIZE: usize = 8;
/// Programs with more states than this are left out.
const MOST_STATES: usize = 20_000;

/// How an access is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Plain,
    /// A seq_cst load or store.
    Atomic,
    /// Writes, and reads what was there before.
    Exchange,
}

/// An access of some bytes of one of two buffers; what it writes, or else it reads.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Which buffer.
    buffer: usize,
    /// Its first byte: a multiple of its size.
    offset: usize,
    /// 1, 2, 4 or 8.
    bytes: usize,
    /// What it writes.
    writes: Option<u64>,
    /// How it is spelt.
    spelling: u64,
    way: Way,
    /// In how many bytes it is made at once, once all accesses are known.
    unit: usize,
}

/// A statement of a thread.
#[derive(Clone, Copy, Debug)]
enum Step {
    Access(Access),
    /// Waits until the thread's stores are in memory.
    Fence,
}

/// A program: threads that access two buffers, which `main` perhaps reads as a whole at the end.
#[derive(Clone, Debug)]
pub struct Mixed {
    initial: [u64; 2],
    threads: Vec<Vec<Step>>,
    last: [bool; 2],
}

/// What reads find, thread after thread, and what `main` reads at the end.
pub type Outcome = Vec<u64>;

/// A store on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Stretch {
    buffer: usize,
    offset: usize,
    bytes: usize,
    value: u64,
}

impl Stretch {
    fn covers(&self, buffer: usize, byte: usize) -> bool {
        self.buffer == buffer && (self.offset..self.offset + self.bytes).contains(&byte)
    }
}

/// The machine in some state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    memory: [[u8; SIZE]; 2],
    threads: Vec<Running>,
}

/// A thread in some state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Running {
    next: usize,
    /// How many bytes of the next access were made.
    done: usize,
    /// What the reads found, the last one perhaps in part.
    found: Vec<u64>,
    stores: Vec<Stretch>,
}

impl Mixed {
    /// A program of two or three threads.
    pub fn random(random: &mut Random) -> Mixed {
        let threads = (0..2 + random.below(6) / 5).map(|thread| {
            let count = 2 + random.below(2);
            (0..count).map(|number| step(random, 1 + 4 * thread + number)).collect()
        });
        let threads = threads.collect();
        let last = [random.below(2) == 0, random.below(3) == 0];
        let mut program = Mixed { initial: [0, 0xa0a1_a2a3_a4a5_a6a7], threads, last };
        let whole = program.clone();
        for step in program.threads.iter_mut().flatten() {
            match step {
                Step::Access(access) if access.way == Way::Plain => access.unit = whole.unit(*access),
                _ => {}
            }
        }
        program
    }

    /// Whether some atomic load shares a part of its bytes.
    pub fn loads_parts(&self) -> bool {
        let loads = |access: &Access| access.way == Way::Atomic && access.writes.is_none();
        self.accesses().into_iter().any(|access| loads(&access) && self.unit(access) < access.bytes)
    }

    /// All accesses, those of `main` included.
    fn accesses(&self) -> Vec<Access> {
        let of_threads = self.threads.iter().flatten().filter_map(|step| match step {
            Step::Access(access) => Some(*access),
            Step::Fence => None,
        });
        let whole = |buffer: usize| Access {
            buffer,
            offset: 0,
            bytes: SIZE,
            writes: None,
            spelling: 0,
            way: Way::Plain,
            unit: SIZE,
        };
        of_threads.chain((0..2).filter(|buffer| self.last[*buffer]).map(whole)).collect()
    }

    /// In how many bytes an access is made at once: the size of the smallest access that it shares bytes with, directly or through
    /// others.
    fn unit(&self, access: Access) -> usize {
        let all = self.accesses();
        let meets = |a: &Access, b: &Access| {
            a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes
        };
        let mut group = vec![access];
        loop {
            let more: Vec<Access> =
                all.iter().filter(|one| group.iter().any(|known| meets(known, one))).copied().collect();
            if more.len() <= group.len() {
                return more.iter().map(|one| one.bytes).min().unwrap_or(access.bytes);
            }
            group = more;
        }
    }

    /// What the program can come to on a machine; `None` if that has too many states.
    pub fn outcomes(&self, machine: Machine) -> Option<BTreeSet<Outcome>> {
        let memory = self.initial.map(u64::to_le_bytes);
        let threads = vec![Running::default(); self.threads.len()];
        let mut open = vec![State { memory, threads }];
        let mut seen: HashSet<State> = open.iter().cloned().collect();
        let mut outcomes = BTreeSet::new();
        while let Some(state) = open.pop() {
            if seen.len() > MOST_STATES {
                return None;
            }
            let next = self.successors(&state, machine);
            if next.is_empty() {
                outcomes.insert(self.outcome(&state));
            }
            open.extend(next.into_iter().filter(|next| seen.insert(next.clone())));
        }
        Some(outcomes)
    }

    fn outcome(&self, state: &State) -> Outcome {
        let read = state.threads.iter().flat_map(|thread| thread.found.iter().copied());
        let last = (0..2).filter(|buffer| self.last[*buffer]);
        read.chain(last.map(|buffer| u64::from_le_bytes(state.memory[buffer]))).collect()
    }

    fn successors(&self, state: &State, machine: Machine) -> Vec<State> {
        let mut next = Vec::new();
        for thread in 0..self.threads.len() {
            next.extend(self.step(state, thread, machine));
            let stores = &state.threads[thread].stores;
            for place in 0..stores.len() {
                let meets = |other: &Stretch| {
                    (0..SIZE).any(|byte| stores[place].covers(other.buffer, byte) && other.covers(other.buffer, byte))
                };
                let may_leave = place == 0 || machine == Machine::Pso && !stores[..place].iter().any(meets);
                if may_leave {
                    let mut after = state.clone();
                    let store = after.threads[thread].stores.remove(place);
                    put(&mut after.memory, store);
                    next.push(after);
                }
            }
        }
        next
    }

    /// The next step of a thread, if it can take one.
    fn step(&self, state: &State, thread: usize, machine: Machine) -> Option<State> {
        let running = &state.threads[thread];
        let step = *self.threads[thread].get(running.next)?;
        let mut after = state.clone();
        let Step::Access(access) = step else {
            after.threads[thread].next += 1;
            return running.stores.is_empty().then_some(after);
        };
        let (unit, offset) = (access.unit, access.offset + running.done);
        let is_locked = access.way != Way::Plain && access.writes.is_some();
        if is_locked && !running.stores.is_empty() {
            return None;
        }
        if access.way == Way::Exchange {
            let old = (offset..offset + unit).rev().map(|byte| u64::from(state.memory[access.buffer][byte]));
            after.threads[thread].found.push(old.fold(0, |value, byte| value << 8 | byte));
        }
        let moved = &mut after.threads[thread];
        match access.writes {
            Some(value) => {
                let part = Stretch { buffer: access.buffer, offset, bytes: unit, value: value >> (8 * running.done) };
                match machine {
                    _ if is_locked || machine == Machine::Sc => put(&mut after.memory, part),
                    _ => moved.stores.push(part),
                }
            }
            None => {
                if running.done == 0 {
                    moved.found.push(0);
                }
                for byte in offset..offset + unit {
                    let value = u64::from(seen(state, running, access.buffer, byte));
                    *moved.found.last_mut().expect("a read under way") |= value << (8 * (byte - access.offset));
                }
            }
        }
        let moved = &mut after.threads[thread];
        moved.done += unit;
        if moved.done == access.bytes {
            (moved.next, moved.done) = (moved.next + 1, 0);
        }
        Some(after)
    }

    /// The program in C; it asserts that this is not what it comes to.
    pub fn text(&self, excluded: &[u64]) -> String {
        let mut text = String::from(
            "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdint.h>\n\
             union u { uint8_t b[8]; uint16_t h[4]; uint32_t w[2]; uint64_t d; };\n",
        );
        for (buffer, initial) in self.initial.iter().enumerate() {
            text += &format!("static union u x{buffer} = {{ .d = {initial}u }};\n");
        }
        let mut reads = 0;
        for (number, thread) in self.threads.iter().enumerate() {
            let mut body = String::new();
            for step in thread {
                body += &match step {
                    Step::Fence => "atomic_thread_fence(memory_order_seq_cst); ".to_string(),
                    Step::Access(access) => {
                        if access.writes.is_none() || access.way == Way::Exchange {
                            text += &format!("static uint64_t r{reads};\n");
                            reads += 1;
                        }
                        access.statement(&format!("r{}", reads.max(1) - 1))
                    }
                };
            }
            text += &format!("static void *t{number}(void *p) {{ {body}return 0; }}\n");
        }
        let last = (0..2).filter(|buffer| self.last[*buffer]).map(|buffer| format!("x{buffer}.d"));
        let names = (0..reads).map(|read| format!("r{read}")).chain(last);
        let equal: Vec<String> = names.zip(excluded).map(|(name, value)| format!("{name} == {value}u")).collect();
        let threads = 0..self.threads.len();
        let create: String = threads.clone().map(|n| format!("pthread_create(&t[{n}], 0, t{n}, 0); ")).collect();
        let join: String = threads.map(|n| format!("pthread_join(t[{n}], 0); ")).collect();
        let count = self.threads.len();
        let condition = if equal.is_empty() { "1".into() } else { equal.join(" && ") };
        text + &format!("int main(void) {{ pthread_t t[{count}]; {create}{join}assert(!({condition})); return 0; }}\n")
    }
}

impl Access {
    /// The statement that makes it; what it reads goes to a variable.
    fn statement(&self, variable: &str) -> String {
        let (place, order) = (self.spelt(), "__ATOMIC_SEQ_CST");
        let value = self.writes.map(|value| format!("{}u", cut(value, self.bytes)));
        match (self.way, value) {
            (Way::Plain, Some(value)) => format!("{place} = {value}; "),
            (Way::Plain, None) => format!("{variable} = {place}; "),
            (Way::Exchange, Some(value)) => format!("{variable} = __atomic_exchange_n(&{place}, {value}, {order}); "),
            (_, Some(value)) => format!("__atomic_store_n(&{place}, {value}, {order}); "),
            (_, None) => format!("{variable} = __atomic_load_n(&{place}, {order}); "),
        }
    }

    /// How its place is written in C.
    fn spelt(&self) -> String {
        let Access { buffer, offset, bytes, spelling, .. } = *self;
        let index = offset / bytes;
        let member = match bytes {
            1 => format!("x{buffer}.b[{index}]"),
            2 => format!("x{buffer}.h[{index}]"),
            4 => format!("x{buffer}.w[{index}]"),
            _ => format!("x{buffer}.d"),
        };
        match spelling {
            0 => format!("*(uint{}_t *)((char *)&x{buffer} + {offset})", 8 * bytes),
            _ => member,
        }
    }
}

fn step(random: &mut Random, number: u64) -> Step {
    if random.below(10) == 0 {
        return Step::Fence;
    }
    let bytes = [1, 2, 2, 4, 4, 8][random.below(6) as usize];
    // The lower half is met more often.
    let places = (SIZE / bytes) as u64;
    let places = if random.below(3) == 0 { places } else { places.div_ceil(2) };
    let offset = bytes * random.below(places) as usize;
    let value = (0..8).fold(0, |value, byte| value << 8 | (number << 4 | byte));
    let writes = (random.below(2) == 0).then_some(cut(value, bytes));
    let way = match (random.below(4), writes) {
        (0, _) => Way::Atomic,
        (1, Some(_)) => Way::Exchange,
        _ => Way::Plain,
    };
    Step::Access(Access {
        buffer: usize::from(random.below(5) == 0),
        offset,
        bytes,
        writes,
        spelling: random.below(3),
        way,
        unit: bytes,
    })
}

fn cut(value: u64, bytes: usize) -> u64 {
    if bytes == SIZE { value } else { value & ((1 << (8 * bytes)) - 1) }
}

fn put(memory: &mut [[u8; SIZE]; 2], store: Stretch) {
    for byte in 0..store.bytes {
        memory[store.buffer][store.offset + byte] = (store.value >> (8 * byte)) as u8;
    }
}

/// What a thread sees in a byte: its own latest store on its way, or what memory holds.
fn seen(state: &State, running: &Running, buffer: usize, byte: usize) -> u8 {
    match running.stores.iter().rev().find(|store| store.covers(buffer, byte)) {
        Some(store) => (store.value >> (8 * (byte - store.offset))) as u8,
        None => state.memory[buffer][byte],
    }
}
