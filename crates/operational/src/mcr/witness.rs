//! From an execution over histories to a schedule that can be run again.
//!
//! The two differ in the numbers of threads only: here they are names, there threads are numbered as they start. So the
//! execution happens once more, on the interpreter's states.

use rustc_hash::FxHashMap;

use crate::choices::Choices;
use crate::interpret::Stop;
use crate::limits::Limits;
use crate::observer::Nobody;
use crate::schedule::{Move, Schedule};
use crate::search::{Reduction, Runner};
use crate::turn::{Action, Halt, setup_once};

use super::history::Forest;

/// The schedule of an execution, to be run operation by operation ([`Reduction::Own`]); it ends where a thread fails.
/// `None` if the execution does not happen again.
pub fn schedule(forest: &Forest, setup: &[u32], moves: &[Move], limits: &Limits) -> Option<Schedule> {
    let mut runner = Runner::new(forest.program, forest.machine, Reduction::Own, limits);
    let mut state = setup_once(&mut runner.interpreter, &mut Choices::given(setup.to_vec())).ok()?;
    let mut names = Names::new(state.threads.len());
    let mut schedule = Schedule { setup: setup.to_vec(), ..Schedule::default() };
    match runner.advance(&mut state, None, &mut Choices::default(), &mut Nobody) {
        Ok(()) => {}
        Err(Halt { stop: Stop::Failed(_), .. }) => return Some(schedule),
        Err(_) => return None,
    }
    for Move { action, choices } in moves {
        let action = match action {
            Action::Flush(thread, place) => Action::Flush(names.number(*thread)?, *place),
            Action::Step(thread) => Action::Step(names.number(*thread)?),
        };
        schedule.moves.push(Move { action, choices: choices.clone() });
        let before = state.threads.len();
        match runner.advance(&mut state, Some(action), &mut Choices::given(choices.clone()), &mut Nobody) {
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
