//! What is said about the accesses that may still come is compared with those that come, in random executions of random programs.

mod programs;
use program::{EventKind, Program, Verified, verify};
use rustc_hash::FxHashMap;
use testing::random::Random;

use super::{Future, Sort};
use crate::choices::Choices;
use crate::forget::Forgetting;
use crate::interpret::{Interpreter, Stop};
use crate::memory::Machine;
use crate::observer::{MemoryEvent, Observer, Sync, Via};
use crate::state::State;
use crate::turn::Halt;
use crate::word::{Address, Words};

/// An execution is not followed any further after so many steps.
const LONGEST: usize = 200;
/// One state of so many on the way is looked at,
const STRIDE: u64 = 10;
/// and the execution goes on from there so many times.
const CONTINUATIONS: usize = 3;

/// The accesses of a stretch of an execution, each with its thread, and who started whom.
#[derive(Default)]
struct Accesses {
    made: Vec<(usize, Sort, Address)>,
    started: Vec<(usize, usize)>,
}

impl Observer for Accesses {
    fn event(&mut self, event: MemoryEvent, _: &State, _: &Words) {
        let sort = match event.kind {
            EventKind::Read => Sort::Read,
            // What goes to the buffer counts when it gets to memory.
            EventKind::Write if event.via != Via::Buffer => Sort::Write,
            _ => return,
        };
        self.made.extend(event.cell.map(|cell| (event.thread, sort, cell)));
    }

    fn flush(&mut self, thread: usize, index: usize, state: &State) {
        self.made.push((thread, Sort::Write, state.threads[thread].buffer[index].cell));
    }

    fn sync(&mut self, sync: Sync) {
        if let Sync::Start(first, second) = sync {
            self.started.push((first, second));
        }
    }
}

impl Accesses {
    /// How often each cell was accessed by other threads than this one and those that it started.
    fn foreign(&self, thread: usize) -> FxHashMap<(Sort, Address), usize> {
        let mut own = vec![thread];
        for (first, second) in &self.started {
            if own.contains(first) {
                own.push(*second);
            }
        }
        let mut foreign = FxHashMap::default();
        for (_, sort, cell) in self.made.iter().filter(|(thread, ..)| !own.contains(thread)) {
            *foreign.entry((*sort, *cell)).or_default() += 1;
        }
        foreign
    }
}

/// A program that runs at random.
struct Walk<'p> {
    interpreter: Interpreter<'p>,
    forgetting: Forgetting,
    random: Random,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program, machine: Machine, seed: u64) -> Walk<'p> {
        let interpreter = Interpreter::new(program, machine);
        Walk { interpreter, forgetting: Forgetting::of(program), random: seeded(seed) }
    }

    /// Takes a step; false if there is none, or if it goes wrong.
    fn step(&mut self, state: &mut State, accesses: &mut Accesses) -> bool {
        let mut actions = self.interpreter.actions(state);
        while !actions.is_empty() {
            let action = actions.swap_remove(self.random.below(actions.len() as u64) as usize);
            let mut choices = Choices::given((0..4).map(|_| self.random.below(3) as u32).collect());
            let mut next = state.clone();
            match self.interpreter.act(&mut next, action, &mut choices, accesses) {
                Ok(()) => {
                    *state = next;
                    self.forgetting.forget(state, self.interpreter.program);
                    return true;
                }
                Err(Halt { stop: Stop::Waits(_), .. }) => {}
                Err(_) => return false,
            }
        }
        false
    }

    /// What is accessed from a state on.
    fn rest(&mut self, mut state: State) -> Accesses {
        let mut accesses = Accesses::default();
        let _ = (0..LONGEST).all(|_| self.step(&mut state, &mut accesses));
        accesses
    }

    /// The accesses from a state on by other threads, the most of several continuations.
    fn most(&mut self, state: &State) -> FxHashMap<(usize, Sort, Address), usize> {
        let mut most: FxHashMap<(usize, Sort, Address), usize> = FxHashMap::default();
        for _ in 0..CONTINUATIONS {
            let accesses = self.rest(state.clone());
            for thread in 0..state.threads.len() {
                for ((sort, cell), count) in accesses.foreign(thread) {
                    let known = most.entry((thread, sort, cell)).or_default();
                    *known = count.max(*known);
                }
            }
        }
        most.retain(|(_, _, cell), _| (cell.allocation as usize) < state.heap.len());
        most
    }
}

fn seeded(seed: u64) -> Random {
    Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
}

fn parsed(text: &str) -> Verified {
    let program = program::text::parse("test.ir", text).unwrap_or_else(|diagnostics| panic!("{diagnostics}\n{text}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"))
}

/// No thread sees more accesses of others than was said at states on the way.
fn compare(text: &str, seed: u64) {
    let program = parsed(text);
    for machine in [Machine::Sc, Machine::Tso, Machine::Pso] {
        let mut walk = Walk::new(&program, machine, seed);
        let mut future = Future::of(&program, machine, 0);
        let mut state = walk.interpreter.initial();
        for _ in 0..LONGEST {
            if walk.random.below(STRIDE) == 0 {
                let most = walk.most(&state);
                let wrong = too_low(&mut future, &state, &walk.interpreter, &most);
                assert_eq!(wrong, Vec::<String>::new(), "SEED={seed} on {}:\n{text}", machine.name());
            }
            if !walk.step(&mut state, &mut Accesses::default()) {
                break;
            }
        }
    }
}

/// The bounds of a state that are less than what was counted.
fn too_low(
    future: &mut Future,
    state: &State,
    interpreter: &Interpreter,
    most: &FxHashMap<(usize, Sort, Address), usize>,
) -> Vec<String> {
    let run = future.remaining(state, interpreter);
    let mut wrong = Vec::new();
    for ((thread, sort, cell), count) in most {
        let pointer = interpreter.words.pointer(*cell);
        for run in [None, run.as_ref()] {
            let bound = future.bound(state, (*thread, *cell, &pointer), *sort, run);
            if bound.is_some_and(|bound| bound < *count) {
                let name = interpreter.program.cell_name(&pointer);
                let basis = if run.is_some() { "from the state" } else { "by the code alone" };
                wrong.push(format!("{sort:?} of {name} by others than {thread}: {count}, {bound:?} {basis}"));
            }
        }
    }
    wrong.sort();
    wrong
}

#[test]
fn others_access_a_cell_no_more_often_than_counted() {
    (0..60).for_each(|seed| compare(&programs::text(&mut seeded(seed)), seed));
}

/// `SEED` and `TIMES` say which programs.
#[test]
#[ignore = "long"]
fn others_access_a_cell_no_more_often_than_counted_in_many_programs() {
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let seed = number("SEED", 1_000);
    (seed..seed + number("TIMES", 20_000)).for_each(|seed| compare(&programs::text(&mut seeded(seed)), seed));
}
