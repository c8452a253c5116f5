//! Registers that cannot be read any more. Forgetting them makes more states equal.

use std::rc::Rc;

use program::{InstructionKind, Liveness, Program, RegisterId};

use crate::state::{Frame, State, Status, Thread};
use crate::word::Word;

/// What of a program's states does not matter any more.
pub struct Forgetting {
    live: Liveness,
}

impl Forgetting {
    /// What does not matter in states of this program.
    pub fn of(program: &Program) -> Forgetting {
        Forgetting { live: Liveness::of(program) }
    }

    /// Makes every register undefined that is not read any more. A thread that the state shares with the one before it has not
    /// changed since, and is passed over.
    pub fn forget(&self, state: &mut State, program: &Program) {
        let changed = state.threads.iter_mut().enumerate().filter(|(_, thread)| Rc::strong_count(thread) == 1);
        for (index, thread) in changed {
            let is_over = matches!(thread.status, Status::Ended | Status::Failed | Status::Endless);
            let entry = program.threads.get(index).map(|thread| thread.entry);
            match entry {
                Some(entry) if is_over => {
                    let live = self.live.at_end(entry);
                    let end = thread.registers.len();
                    forget_between(thread, 0, end, |register| live.contains(register));
                }
                _ if is_over => {}
                _ => self.forget_in_frames(thread, program),
            }
        }
    }

    /// Forgets the registers that a running thread does not read any more.
    pub fn forget_in_frames(&self, thread: &mut Rc<Thread>, program: &Program) {
        for depth in 0..thread.frames.len() {
            let frame = thread.frames[depth];
            let live_before = |next: u32| self.live.before(program, frame.function, frame.block, next as usize);
            if depth + 1 == thread.frames.len() {
                let live = live_before(frame.next);
                forget_frame(thread, depth, |register| live.contains(register));
            } else {
                // The call has read its arguments, and will set its targets.
                let live = live_before(frame.next + 1);
                let targets = call_targets(program, &frame);
                let is_target = |register: usize| targets.iter().any(|target| target.0 as usize == register);
                forget_frame(thread, depth, |register| live.contains(register) && !is_target(register));
            }
        }
    }
}

fn call_targets<'a>(program: &'a Program, frame: &Frame) -> &'a [RegisterId] {
    let block = &program[frame.function][frame.block];
    match block.instructions.get(frame.next as usize).map(|instruction| &instruction.kind) {
        Some(InstructionKind::Call { targets, .. } | InstructionKind::CallVirtual { targets, .. }) => targets,
        _ => &[],
    }
}

fn forget_frame(thread: &mut Rc<Thread>, depth: usize, live: impl Fn(usize) -> bool) {
    let base = thread.frames[depth].base as usize;
    let end = thread.frames.get(depth + 1).map_or(thread.registers.len(), |frame| frame.base as usize);
    forget_between(thread, base, end, live);
}

/// Forgets those of the registers from `base` to `end`, which count from 0, that are not live.
fn forget_between(thread: &mut Rc<Thread>, base: usize, end: usize, live: impl Fn(usize) -> bool) {
    let is_dead =
        |thread: &Thread, register: usize| thread.registers[register] != Word::Undefined && !live(register - base);
    let Some(first) = (base..end).find(|&register| is_dead(thread, register)) else { return };
    let thread = Rc::make_mut(thread);
    for register in first..end {
        if is_dead(thread, register) {
            thread.registers[register] = Word::Undefined;
        }
    }
}
