//! Threads that wait for ever although others go on.
//!
//! A deadlock of some threads is no state without steps where another thread counts for ever, and there may be no end of such
//! states. It is seen at once from what the rest of the program can still do. Let `D` be threads that cannot get on by
//! themselves: alone, each comes to an instruction that waits or stays in a loop that changes nothing. If nothing that they look at
//! or wait for can be changed by a thread outside of `D`, they stay there in every continuation. `D` is found as a greatest fixed
//! point: first all threads that cannot get on alone; then those are left out that a thread outside may help, until
//! all are left for good.
//!
//! A thread that counts how often it looked is never in the same state twice. It stays in its loop all the same if nothing
//! in the loop depends on what it counts; [`Stay`] compares its states without that. (If the counter overflows one day, that
//! is a failure, too.)
//!
//! In which direction this errs: what others may write is found by [`crate::future`], which finds too much rather than too
//! little. So threads that are found here wait for ever; others may, too.

use std::collections::{BTreeSet, HashSet};

use program::counter::unheeded;
use program::flow::{Loop, find_loops};
use program::{EventKind, InstructionKind, Program, RegisterId};

use crate::choices::Choices;
use crate::interpret::{Stop, Waiting};
use crate::observer::{MemoryEvent, Observer};
use crate::search::Runner;
use crate::state::{State, Status, Thread};
use crate::turn::{Action, Halt};
use crate::word::{Address, Words};

/// A thread that is in more states than this before it is back is taken to get on.
const MOST_STATES_ALONE: usize = 64;

/// A thread that waits for ever.
pub(crate) struct Starved {
    /// Which.
    pub thread: usize,
    /// What for.
    pub waiting: Waiting,
    /// The cell that it read last.
    pub read: Option<Address>,
}

/// A thread that cannot get on alone.
struct Halted {
    starved: Starved,
    /// The cells it reads while it tries.
    reads: BTreeSet<Address>,
    /// The instructions at which it waits.
    waits: Vec<Waiting>,
    /// Whether it is never in the same state twice.
    counts: bool,
}

/// How the states of a thread are compared while it stays in a loop.
struct Stay {
    /// The active call that is in the loop,
    depth: usize,
    /// the loop,
    inside: Loop,
    /// and the registers of that call that make no difference there.
    unheeded: HashSet<RegisterId>,
}

impl Stay {
    /// The innermost loop that a thread is in, if something in it makes no difference.
    fn of(program: &Program, thread: &Thread) -> Option<Stay> {
        (0..thread.frames.len()).rev().find_map(|depth| {
            let frame = &thread.frames[depth];
            let function = &program[frame.function];
            let around = find_loops(function).into_iter().filter(|one| one.contains(frame.block));
            let inside = around.min_by_key(|one| one.body.iter().filter(|is_inside| **is_inside).count())?;
            let unheeded = unheeded(function, &inside);
            Some(Stay { depth, inside, unheeded })
        })
    }

    /// Whether the thread is still in the loop.
    fn holds(&self, thread: &Thread) -> bool {
        thread.frames.get(self.depth).is_some_and(|frame| self.inside.contains(frame.block))
    }

    /// Whether two states of the thread are the same but for what makes no difference.
    fn same(&self, a: &Thread, b: &Thread) -> bool {
        let Some(base) = a.frames.get(self.depth).map(|frame| frame.base as usize) else { return false };
        let is_unheeded = |place: usize| {
            place >= base && a.frames.get(self.depth + 1).is_none_or(|next| place < next.base as usize) && {
                self.unheeded.contains(&RegisterId::at(place - base))
            }
        };
        let mut registers = a.registers.iter().zip(&b.registers).enumerate();
        same_but_registers(a, b) && registers.all(|(place, (a, b))| a == b || is_unheeded(place))
    }
}

/// Whether two states of a thread differ at most in what registers hold.
fn same_but_registers(a: &Thread, b: &Thread) -> bool {
    a.frames == b.frames
        && a.registers.len() == b.registers.len()
        && (a.status, &a.buffer, a.fenced, a.permit) == (b.status, &b.buffer, b.fenced, b.permit)
}

/// The threads that wait for ever, whatever the others do. None where no other goes on and none counts (that all threads stay in
/// loops is for [`crate::component`] to see then), where the program may be over before that matters, or where executions may turn out not to count.
pub(crate) fn starved(runner: &mut Runner, state: &State) -> Vec<Starved> {
    if runner.interpreter.holds_errors || state.threads.iter().any(|thread| thread.status == Status::Failed) {
        return Vec::new();
    }
    let mut halted: Vec<Halted> =
        (0..state.threads.len()).filter_map(|thread| cannot_get_on(runner, state, thread)).collect();
    loop {
        let stays = |thread: usize| halted.iter().any(|halted| halted.starved.thread == thread);
        let others: Vec<usize> =
            (0..state.threads.len()).filter(|thread| !state.is_over(*thread) && !stays(*thread)).collect();
        let is_helped: Vec<bool> = halted.iter().map(|halted| may_help(runner, state, &others, halted)).collect();
        if !is_helped.contains(&true) {
            // Who only waits for the end of a thread that runs for ever on purpose is not starved.
            let is_cause = |halted: &Halted| !matches!(halted.starved.waiting, Waiting::End(_));
            let may_be_over = runner.interpreter.program.ends_with_main && !stays(0);
            let is_unseen = !others.is_empty() || halted.iter().any(|halted| halted.counts);
            return if is_unseen && halted.iter().any(is_cause) && !may_be_over {
                halted.into_iter().map(|halted| halted.starved).collect()
            } else {
                Vec::new()
            };
        }
        let mut is_helped = is_helped.into_iter();
        halted.retain(|_| is_helped.next() == Some(false));
    }
}

/// Lets a thread alone take steps, with all choices; `None` if it gets somewhere.
fn cannot_get_on(runner: &mut Runner, state: &State, thread: usize) -> Option<Halted> {
    let me = &state.threads[thread];
    if !me.buffer.is_empty() || matches!(me.status, Status::New | Status::Ended | Status::Failed | Status::Endless) {
        return None;
    }
    let mut reads = Reads::default();
    let mut waits = Vec::new();
    let mut stay = None;
    if let Status::Waiting(monitor, _) = me.status {
        waits.push(Waiting::Notification(monitor));
    } else {
        let mut known = vec![state.clone()];
        let mut next = 0;
        while let Some(from) = known.get(next).cloned() {
            next += 1;
            let mut choices = Choices::default();
            loop {
                let mut to = from.clone();
                reads.numbers = None;
                match runner.advance(&mut to, Some(Action::Step(thread)), &mut choices, &mut reads) {
                    Err(Halt { stop: Stop::Waits(waiting), .. }) => waits.push(waiting),
                    Ok(())
                        if known.len() < MOST_STATES_ALONE
                            && !reads.numbers.as_ref().is_some_and(|numbers| runner.exchanges(&from, numbers))
                            && is_only_elsewhere(runner, &from, &to, thread) =>
                    {
                        let program = runner.interpreter.program;
                        match meets_again(&known, &to, thread, &mut stay, program) {
                            Some(true) => {}
                            Some(false) => known.push(to),
                            None => return None,
                        }
                    }
                    _ => return None,
                }
                if !choices.next_combination() {
                    break;
                }
            }
        }
    }
    let waiting = waits.last().copied().unwrap_or(Waiting::Condition);
    let counts = stay.is_some();
    Some(Halted { starved: Starved { thread, waiting, read: reads.last }, reads: reads.cells, waits, counts })
}

/// Whether a thread is where it was before, as far as that makes a difference, also in memory that is its own; `None` if it leaves the
/// loop in which it counts. How states are compared is decided (`stay`) once it is at the same place with other registers.
fn meets_again(known: &[State], to: &State, thread: usize, stay: &mut Option<Stay>, program: &Program) -> Option<bool> {
    let now = &to.threads[thread];
    let mut before = known.iter().filter(|state| state.heap == to.heap).map(|state| &state.threads[thread]);
    if before.clone().any(|before| before == now) {
        return Some(true);
    }
    if stay.is_none() && before.clone().any(|before| same_but_registers(before, now)) {
        *stay = Stay::of(program, now);
        if !stay.as_ref().is_none_or(|stay| known.iter().all(|state| stay.holds(&state.threads[thread]))) {
            return None;
        }
    }
    match stay {
        Some(stay) if !stay.holds(now) => None,
        Some(stay) => Some(before.any(|before| stay.same(before, now))),
        None => Some(false),
    }
}

/// Whether a step has only moved its thread, and changed what it has for itself: nothing else differs.
fn is_only_elsewhere(runner: &Runner, from: &State, to: &State, thread: usize) -> bool {
    let same_others = || {
        let mut pairs = from.threads.iter().zip(&to.threads).enumerate();
        pairs.all(|(other, (a, b))| other == thread || a == b)
    };
    let goes_on = matches!(to.threads[thread].status, Status::Running);
    goes_on && runner.same_memory(from, to) && from.monitors == to.monitors && same_others()
}

/// Whether some of these threads may change what a thread looks at or waits for.
fn may_help(runner: &mut Runner, state: &State, others: &[usize], halted: &Halted) -> bool {
    let may_write = |cell: &Address| runner.may_write(state, others, *cell);
    if halted.reads.iter().any(may_write) {
        return true;
    }
    halted.waits.iter().any(|waiting| match waiting {
        Waiting::Monitor(monitor) => state.monitor(*monitor).is_none_or(|held| others.contains(&(held.owner as usize))),
        Waiting::End(other) => others.contains(other) && runner.may_end(state, *other),
        Waiting::Condition => false,
        Waiting::Notification(_) => {
            runner.may_come_to(state, others, &|kind| matches!(kind, InstructionKind::Notify { .. }))
        }
        Waiting::Permit => runner.may_come_to(state, others, &|kind| matches!(kind, InstructionKind::Unpark { .. })),
        Waiting::Buffer | Waiting::Turn => true,
    })
}

/// The cells that are read.
#[derive(Default)]
struct Reads {
    cells: BTreeSet<Address>,
    last: Option<Address>,
    /// The numbers that the last step gave to blocks, if it gave some. Those that others can come to keep theirs, as long as the
    /// thread is [`is_only_elsewhere`].
    numbers: Option<Vec<u32>>,
}

impl Observer for Reads {
    fn renumbered(&mut self, numbers: &[u32]) {
        let moved = |cell: &Address| {
            let allocation = *numbers.get(cell.allocation as usize)?;
            ((allocation as usize) < numbers.len()).then_some(Address { allocation, ..*cell })
        };
        self.cells = self.cells.iter().filter_map(moved).collect();
        self.last = self.last.as_ref().and_then(moved);
        self.numbers = Some(numbers.to_vec());
    }

    fn event(&mut self, event: MemoryEvent, _: &State, _: &Words) {
        if let (EventKind::Read, Some(cell)) = (event.kind, event.cell) {
            self.cells.insert(cell);
            self.last = Some(cell);
        }
    }
}
