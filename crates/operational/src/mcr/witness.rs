//! From an execution over histories to a schedule that can be run again.
//!
//! The two differ in numbers only: here threads and blocks of memory have names, there they are numbered as they start and
//! as they are found ([`crate::canonical`]), and a choice among free blocks is a place in a list. So the execution happens
//! once more, on the interpreter's states.

use rustc_hash::FxHashMap;

use crate::choices::Choices;
use crate::interpret::Stop;
use crate::limits::Limits;
use crate::observer::Observer;
use crate::schedule::{Move, Schedule};
use crate::search::{Reduction, Runner};
use crate::state::State;
use crate::turn::{Action, Halt, setup_once};

use super::history::Forest;

/// The schedule of an execution, to be run operation by operation ([`Reduction::Own`]); it ends where a thread fails.
/// `None` if the execution does not happen again.
pub fn schedule(forest: &Forest, setup: &[u32], moves: &[Move], limits: &Limits) -> Option<Schedule> {
    let mut runner = Runner::new(forest.program, forest.machine, Reduction::Own, limits);
    let mut state = setup_once(&mut runner.interpreter, &mut Choices::given(setup.to_vec())).ok()?;
    let mut names = Names::new(state.threads.len());
    let mut blocks = Blocks::new(state.heap.len());
    let mut schedule = Schedule { setup: setup.to_vec(), ..Schedule::default() };
    match runner.advance(&mut state, None, &mut Choices::default(), &mut blocks) {
        Ok(()) => {}
        Err(Halt { stop: Stop::Failed(_), .. }) => return Some(schedule),
        Err(_) => return None,
    }
    for Move { action, choices } in moves {
        let action = match action {
            Action::Flush(thread, place) => Action::Flush(names.number(*thread)?, *place),
            Action::Step(thread) => Action::Step(names.number(*thread)?),
        };
        let choices = match action {
            Action::Step(thread) if runner.interpreter.may_recycle(&state.threads[thread]) => {
                blocks.choices(&state, *choices.first()?)?
            }
            _ => choices.clone(),
        };
        schedule.moves.push(Move { action, choices: choices.clone() });
        let before = state.threads.len();
        match runner.advance(&mut state, Some(action), &mut Choices::given(choices), &mut blocks) {
            Ok(()) => {}
            Err(Halt { stop: Stop::Failed(_), .. }) => return Some(schedule),
            Err(_) => return None,
        }
        if let (true, Action::Step(starter)) = (state.threads.len() > before, action) {
            names.start(forest, starter)?;
        }
    }
    Some(schedule)
}

/// Which block has which number.
struct Blocks {
    /// The number of each block of the forest that is known here.
    numbers: FxHashMap<u32, u32>,
    /// The block of the forest that is given out next, if it is new here.
    next: Option<u32>,
}

impl Blocks {
    fn new(count: usize) -> Blocks {
        Blocks { numbers: (0..count as u32).map(|block| (block, block)).collect(), next: None }
    }

    /// The choices with which an allocation is given a block of the forest; `None` if it is not free. One that was dropped
    /// because it held nothing is as good as new.
    fn choices(&mut self, state: &State, block: u32) -> Option<Vec<u32>> {
        let free = state.heap.iter().enumerate().filter(|(_, block)| block.freed && block.reuse);
        let free: Vec<u32> = free.map(|(number, _)| number as u32).collect();
        let Some(number) = self.numbers.get(&block) else {
            self.next = Some(block);
            return Some(if free.is_empty() { Vec::new() } else { vec![0] });
        };
        let place = free.iter().position(|other| other == number)?;
        Some(vec![place as u32 + 1])
    }
}

impl Observer for Blocks {
    fn allocated(&mut self, allocation: u32) {
        if let Some(block) = self.next.take() {
            self.numbers.insert(block, allocation);
        }
    }

    fn renumbered(&mut self, numbers: &[u32]) {
        self.numbers.retain(|_, number| {
            *number = numbers.get(*number as usize).copied().unwrap_or(*number);
            (*number as usize) < numbers.len()
        });
    }
}

/// Which thread has which number.
struct Names {
    /// The number of each thread of the forest.
    numbers: FxHashMap<u32, usize>,
    /// By number: the thread's name in the forest, and how many threads it has started.
    threads: Vec<(u32, u32)>,
}

impl Names {
    fn new(count: usize) -> Names {
        let numbers = (0..count).map(|thread| (thread as u32, thread)).collect();
        Names { numbers, threads: (0..count as u32).map(|thread| (thread, 0)).collect() }
    }

    fn number(&self, thread: usize) -> Option<usize> {
        self.numbers.get(&(thread as u32)).copied()
    }

    /// The thread with this number has started another.
    fn start(&mut self, forest: &Forest, starter: usize) -> Option<()> {
        let (name, started) = self.threads.get_mut(starter)?;
        let other = forest.started(*name, *started)?;
        *started += 1;
        self.numbers.insert(other, self.threads.len());
        self.threads.push((other, 0));
        Some(())
    }
}
