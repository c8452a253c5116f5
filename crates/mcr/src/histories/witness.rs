//! From an execution over histories to a schedule that can be run again.
//!
//! The two differ in numbers only: here threads and blocks of memory have names, there they are numbered as they start and
//! as they are found ([`operational::canonical`]), and a choice among free blocks is a place in a list. So the execution happens
//! once more, on the interpreter's states.

use program::Span;
use rustc_hash::FxHashMap;

use operational::choices::Choices;
use operational::interpret::Stop;
use operational::limits::Limits;
use operational::observer::Observer;
use operational::schedule::{Move, Schedule};
use operational::search::{Reduction, Runner};
use operational::state::{State, Status};
use operational::turn::{Action, Halt, setup_once};

use super::history::{Forest, Op};
use super::id::{NodeId, ThreadId};
use super::machine::{Configuration, GIVEN};

/// The schedule of an execution, to be run operation by operation ([`Reduction::Own`]); it ends where a thread fails.
/// `None` if the execution does not happen again.
pub fn schedule(forest: &Forest, setup: &[u32], moves: &[Move], limits: &Limits) -> Option<Schedule> {
    Some(Running::along(forest, setup, moves, limits)?.schedule)
}

/// The schedule of an execution in which a thread fails, if one does: also where that is an operation that cannot be done.
pub fn schedule_to_failure(forest: &Forest, setup: &[u32], last: &Configuration, limits: &Limits) -> Option<Schedule> {
    let mut running = Running::along(forest, setup, &last.moves, limits)?;
    let is_failed = |node: &NodeId| *node != NodeId::NONE && matches!(forest.node(*node).op, Op::Failed(_));
    if let (false, Some(thread)) = (running.has_failed, last.at.iter().position(is_failed)) {
        let thread = running.names.number(thread)?;
        // Errors may be held back until it is known that the execution counts.
        if running.state.threads[thread].status != Status::Failed {
            running.go(Action::Step(thread), Vec::new())?;
        }
    }
    Some(running.schedule)
}

/// An execution that happens once more.
struct Running<'a> {
    runner: Runner<'a>,
    state: State,
    names: Names,
    blocks: Blocks,
    schedule: Schedule,
    has_failed: bool,
}

impl<'a> Running<'a> {
    fn along(forest: &Forest<'a>, setup: &[u32], moves: &[Move], limits: &Limits) -> Option<Running<'a>> {
        let mut runner = Runner::new(forest.program, forest.machine, Reduction::Own, limits);
        let state = setup_once(&mut runner.interpreter, &mut Choices::given(setup.to_vec())).ok()?;
        let (names, blocks) = (Names::new(state.threads.len()), Blocks::new(state.heap.len()));
        let schedule = Schedule { setup: setup.to_vec(), ..Schedule::default() };
        let mut running = Running { runner, state, names, blocks, schedule, has_failed: false };
        running.advance(None, Vec::new())?;
        for Move { action, choices } in moves {
            if running.has_failed {
                break;
            }
            let action = match action {
                Action::Flush(thread, place) => Action::Flush(running.names.number(*thread)?, *place),
                Action::Step(thread) => Action::Step(running.names.number(*thread)?),
            };
            let choices = match choices.iter().any(|choice| choice & GIVEN != 0) {
                true => running.blocks.choices(&mut running.runner, &running.state, action, choices)?,
                false => choices.clone(),
            };
            let before = running.state.threads.len();
            running.go(action, choices)?;
            if let (true, Action::Step(starter)) = (running.state.threads.len() > before, action) {
                running.names.start(forest, starter)?;
            }
        }
        Some(running)
    }

    fn go(&mut self, action: Action, choices: Vec<u32>) -> Option<()> {
        self.schedule.moves.push(Move { action, choices: choices.clone() });
        self.advance(Some(action), choices)
    }

    fn advance(&mut self, action: Option<Action>, choices: Vec<u32>) -> Option<()> {
        match self.runner.advance(&mut self.state, action, &mut Choices::given(choices), &mut self.blocks) {
            Ok(()) => {}
            Err(Halt { stop: Stop::Failed(_), .. }) => self.has_failed = true,
            Err(_) => return None,
        }
        Some(())
    }
}

/// Which block has which number.
#[derive(Clone)]
struct Blocks {
    /// The number of each block of the forest that is known here.
    numbers: FxHashMap<u32, u32>,
    /// The blocks of the forest that the step allocates, the last one first.
    expected: Vec<u32>,
    /// Whether it was given others.
    differs: bool,
}

/// So many ways are tried in which an atomic block could be given what it is given.
const MOST_TRIED: usize = 10_000;

impl Blocks {
    fn new(count: usize) -> Blocks {
        let numbers = (0..count as u32).map(|block| (block, block)).collect();
        Blocks { numbers, expected: Vec::new(), differs: false }
    }

    /// The choices with which a step is given the blocks of the forest that stand in its choices; `None` if there are none.
    fn choices(&mut self, runner: &mut Runner, state: &State, action: Action, choices: &[u32]) -> Option<Vec<u32>> {
        self.expected = choices.iter().rev().filter(|choice| *choice & GIVEN != 0).map(|c| c & !GIVEN).collect();
        if let (Action::Step(thread), [choice]) = (action, choices)
            && runner.interpreter.may_recycle(&state.threads[thread])
        {
            return self.place(state, choice & !GIVEN);
        }
        // What is free changes while an atomic block goes on: it is tried which choices are made, and with what success.
        let mut tried = vec![Vec::new()];
        for choice in choices {
            let ways: Vec<Option<u32>> = match choice & GIVEN {
                0 => vec![Some(*choice)],
                _ => std::iter::once(None).chain((0..=state.heap.len() as u32 + 1).map(Some)).collect(),
            };
            let with = |before: &Vec<u32>, way: &Option<u32>| before.iter().copied().chain(*way).collect::<Vec<u32>>();
            tried = tried.iter().flat_map(|before| ways.iter().map(|way| with(before, way))).collect();
            if tried.len() > MOST_TRIED {
                return None;
            }
        }
        tried.into_iter().find(|choices| self.fits(runner, state, action, choices))
    }

    /// The choices with which a single allocation is given a block. One that was dropped because it held nothing is as good as
    /// new.
    fn place(&self, state: &State, block: u32) -> Option<Vec<u32>> {
        let free = state.heap.iter().enumerate().filter(|(_, block)| block.freed && block.reuse);
        let free: Vec<u32> = free.map(|(number, _)| number as u32).collect();
        match self.numbers.get(&block) {
            Some(number) => free.iter().position(|other| other == number).map(|place| vec![place as u32 + 1]),
            None if free.is_empty() => Some(Vec::new()),
            None => Some(vec![0]),
        }
    }

    /// Whether a step makes exactly these choices, and then is given the blocks that are expected.
    fn fits(&self, runner: &mut Runner, state: &State, action: Action, choices: &[u32]) -> bool {
        let (mut blocks, mut taken) = (self.clone(), Choices::given(choices.to_vec()));
        let result = runner.interpreter.act(&mut state.clone(), action, &mut taken, &mut blocks);
        let happens = matches!(result, Ok(()) | Err(Halt { stop: Stop::Failed(_), .. }));
        happens && taken.taken() == choices && blocks.expected.is_empty() && !blocks.differs
    }
}

impl Observer for Blocks {
    fn given(&mut self, _: usize, allocation: u32, is_new: bool, _: Option<Span>) {
        let Some(block) = self.expected.pop() else { return };
        match is_new {
            true => self.differs |= self.numbers.insert(block, allocation).is_some(),
            false => self.differs |= self.numbers.get(&block) != Some(&allocation),
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
    numbers: FxHashMap<ThreadId, usize>,
    /// By number: the thread's name in the forest, and how many threads it has started.
    threads: Vec<(ThreadId, u32)>,
}

impl Names {
    fn new(count: usize) -> Names {
        let numbers = (0..count).map(|thread| (ThreadId::at(thread), thread)).collect();
        Names { numbers, threads: (0..count).map(|thread| (ThreadId::at(thread), 0)).collect() }
    }

    fn number(&self, thread: usize) -> Option<usize> {
        self.numbers.get(&ThreadId::at(thread)).copied()
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
