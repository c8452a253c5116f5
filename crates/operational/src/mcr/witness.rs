//! From an execution over histories to a schedule that can be run again.
//!
//! The execution happens once more, on the interpreter's states, instruction by instruction; then what need not be said is
//! left out of the schedule: steps that are taken at once, see [`crate::turn`].

use rustc_hash::FxHashMap;

use program::{InstructionKind, Verified};

use crate::choices::Choices;
use crate::interpret::{Interpreter, Stop};
use crate::limits::Limits;
use crate::memory::Machine;
use crate::observer::Nobody;
use crate::schedule::{Move, Schedule};
use crate::search::{Reduction, Runner};
use crate::state::{State, Status};
use crate::turn::{Action, Halt, setup_once};

use super::history::{Forest, Order, order_of};

/// The schedule of an execution, and how it is to be run; `None` if the execution does not happen again.
pub fn schedule(forest: &Forest, setup: &[u32], moves: &[Move], limits: &Limits) -> Option<(Schedule, Reduction)> {
    let (program, machine) = (forest.program, forest.machine);
    let steps = Retrace::new(program, machine, setup, limits)?.run(forest, moves)?;
    match condense(program, machine, setup, &steps, limits) {
        Some(schedule) => Some((schedule, Reduction::Persistent)),
        None => {
            let moves = steps;
            Some((Schedule { setup: setup.to_vec(), start: Vec::new(), moves, ..Schedule::default() }, Reduction::None))
        }
    }
}

/// Runs an execution again.
struct Retrace<'a> {
    interpreter: Interpreter<'a>,
    state: State,
    steps: Vec<Move>,
    /// The interpreter's number of each thread of the forest.
    numbers: FxHashMap<u32, usize>,
    /// How many threads each has started.
    started: Vec<u32>,
}

/// Whether an execution goes on.
#[derive(PartialEq, Eq)]
enum Goes {
    On,
    /// It stopped at an error.
    Failed,
}

impl<'a> Retrace<'a> {
    fn new(program: &'a Verified, machine: Machine, setup: &[u32], limits: &Limits) -> Option<Retrace<'a>> {
        let mut interpreter = Runner::new(program, machine, Reduction::None, limits).interpreter;
        let state = setup_once(&mut interpreter, &mut Choices::given(setup.to_vec())).ok()?;
        let count = state.threads.len();
        let numbers = (0..count).map(|thread| (thread as u32, thread)).collect();
        Some(Retrace { interpreter, state, steps: Vec::new(), numbers, started: vec![0; count] })
    }

    fn run(mut self, forest: &Forest, moves: &[Move]) -> Option<Vec<Move>> {
        for thread in 0..self.state.threads.len() {
            if self.private_steps(thread)? == Goes::Failed {
                return Some(self.steps);
            }
        }
        for Move { action, choices } in moves {
            let goes = match action {
                Action::Flush(thread, index) => {
                    let number = *self.numbers.get(&(*thread as u32))?;
                    self.act(Action::Flush(number, *index), Vec::new())?
                }
                Action::Step(thread) => self.step(forest, *thread as u32, choices.clone())?,
            };
            if goes == Goes::Failed {
                break;
            }
        }
        Some(self.steps)
    }

    /// A thread's next operation, and what follows it that nobody notices.
    fn step(&mut self, forest: &Forest, thread: u32, choices: Vec<u32>) -> Option<Goes> {
        let number = *self.numbers.get(&thread)?;
        let before = self.state.threads.len();
        if self.act(Action::Step(number), choices)? == Goes::Failed || self.private_steps(number)? == Goes::Failed {
            return Some(Goes::Failed);
        }
        if self.state.threads.len() > before {
            let started = forest.started(thread, self.started[number])?;
            self.started[number] += 1;
            self.started.push(0);
            self.numbers.insert(started, before);
            return self.private_steps(before);
        }
        Some(Goes::On)
    }

    fn act(&mut self, action: Action, choices: Vec<u32>) -> Option<Goes> {
        let mut given = Choices::given(choices);
        let result = self.interpreter.act(&mut self.state, action, &mut given, &mut Nobody);
        let goes = match result {
            Ok(()) => Goes::On,
            Err(Halt { stop: Stop::Failed(_), .. }) => Goes::Failed,
            Err(_) => return None,
        };
        self.steps.push(Move { action, choices: given.taken().to_vec() });
        Some(goes)
    }

    /// What a thread does until its next operation.
    fn private_steps(&mut self, thread: usize) -> Option<Goes> {
        while self.is_private(thread) {
            if self.act(Action::Step(thread), Vec::new())? == Goes::Failed {
                return Some(Goes::Failed);
            }
        }
        Some(Goes::On)
    }

    /// Whether the thread's next instruction is none that [`Forest`] makes a node of.
    fn is_private(&self, thread: usize) -> bool {
        let machine = self.interpreter.machine;
        match self.state.threads[thread].status {
            Status::New => {
                let mut order = self.interpreter.program.thread_order.iter();
                order.all(|(_, second)| second.0 as usize != thread)
            }
            Status::Running => {
                let next = self.interpreter.next_instruction(&self.state.threads[thread]).map(|next| &next.kind);
                next.is_none_or(|kind| is_private(kind, machine))
            }
            _ => false,
        }
    }
}

fn is_private(kind: &InstructionKind, machine: Machine) -> bool {
    use InstructionKind::*;
    match kind {
        Assign { .. } | Call { .. } | CallVirtual { .. } | Assert { .. } | Assume { .. } | Observe { .. } => true,
        Allocate { reuse, .. } => !reuse || !machine.has_buffers(),
        Choose { low, high, .. } => *high as i128 - (*low as i128) < 1,
        Fence { access } => order_of(machine, access) == Some(Order::Nothing),
        _ => false,
    }
}

/// The same execution with what is taken at once left out; `None` if it does not go that way.
fn condense(program: &Verified, machine: Machine, setup: &[u32], steps: &[Move], limits: &Limits) -> Option<Schedule> {
    let mut runner = Runner::new(program, machine, Reduction::Persistent, limits);
    let mut state = setup_once(&mut runner.interpreter, &mut Choices::given(setup.to_vec())).ok()?;
    // What each turn of each thread chose.
    let mut chosen: Vec<Vec<&[u32]>> = vec![Vec::new(); state.threads.len()];
    for Move { action, choices } in steps {
        if let Action::Step(thread) = action {
            chosen.resize(chosen.len().max(*thread + 1), Vec::new());
            chosen[*thread].push(choices);
        }
    }
    let mut turns = vec![0; chosen.len()];
    let mut seen = vec![0; chosen.len()];
    let mut schedule = Schedule { setup: setup.to_vec(), ..Schedule::default() };
    let (start, goes) = settle(&mut runner, &mut state, &chosen, &mut turns)?;
    schedule.start = start;
    if goes == Goes::Failed {
        return Some(schedule);
    }
    for Move { action, choices } in steps {
        let mut taken = Vec::new();
        if let Action::Step(thread) = action {
            seen[*thread] += 1;
            if turns[*thread] >= seen[*thread] {
                continue;
            }
            turns[*thread] += 1;
            taken.clone_from(choices);
        }
        let mut given = Choices::given(taken.clone());
        let result = runner.interpreter.act(&mut state, *action, &mut given, &mut Nobody);
        let failed = matches!(result, Err(Halt { stop: Stop::Failed(_), .. }));
        if result.is_err() && !failed {
            return None;
        }
        let goes = match failed {
            true => Goes::Failed,
            false => {
                let (more, goes) = settle(&mut runner, &mut state, &chosen, &mut turns)?;
                taken.extend(more);
                goes
            }
        };
        schedule.moves.push(Move { action: *action, choices: taken });
        if goes == Goes::Failed {
            break;
        }
    }
    Some(schedule)
}

/// [`Interpreter::settle`] with the choices of an execution; gives them in the order in which they are made.
fn settle(
    runner: &mut Runner,
    state: &mut State,
    chosen: &[Vec<&[u32]>],
    turns: &mut [usize],
) -> Option<(Vec<u32>, Goes)> {
    let interpreter = &mut runner.interpreter;
    let mut taken = Vec::new();
    let mut thread = 0;
    while thread < state.threads.len() {
        let mut moved = false;
        while interpreter.is_unseen(state, thread) {
            let of = chosen.get(thread).and_then(|chosen| chosen.get(turns[thread]));
            let mut choices = Choices::given(of.map_or(Vec::new(), |choices| choices.to_vec()));
            let result = interpreter.act(state, Action::Step(thread), &mut choices, &mut Nobody);
            taken.extend_from_slice(choices.taken());
            *turns.get_mut(thread)? += 1;
            moved = true;
            match result {
                Ok(()) => {}
                Err(Halt { stop: Stop::Failed(_), .. }) => return Some((taken, Goes::Failed)),
                Err(_) => return None,
            }
        }
        thread = if moved && state.is_over(thread) { 0 } else { thread + 1 };
    }
    Some((taken, Goes::On))
}
