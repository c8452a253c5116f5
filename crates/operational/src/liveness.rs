//! Which registers can still be read. Forgetting the others makes more states equal.

use std::rc::Rc;

use program::{Function, InstructionKind, Observable, Operand, Program, RegisterId};

use crate::state::{Frame, State, Status, Thread};
use crate::word::Word;

/// A set of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Registers(Vec<u64>);

impl Registers {
    fn none(count: usize) -> Registers {
        Registers(vec![0; count.div_ceil(64)])
    }

    fn contains(&self, register: usize) -> bool {
        self.0.get(register / 64).is_some_and(|word| word >> (register % 64) & 1 == 1)
    }

    fn insert(&mut self, register: RegisterId) {
        let register = register.0 as usize;
        self.0[register / 64] |= 1 << (register % 64);
    }

    fn remove(&mut self, register: RegisterId) {
        let register = register.0 as usize;
        self.0[register / 64] &= !(1 << (register % 64));
    }

    fn add(&mut self, other: &Registers) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
}

/// For each place of a program the registers whose value may still be read from there on.
pub struct Liveness {
    /// By function, block and instruction; the number of instructions stands for the terminator.
    live: Vec<Vec<Vec<Registers>>>,
    /// By function: registers that are looked at when a thread that runs it has ended.
    observed: Vec<Registers>,
}

impl Liveness {
    /// The live registers of all functions.
    pub fn of(program: &Program) -> Liveness {
        let observed = observed(program);
        let functions = program.functions.iter().zip(&observed);
        let live = functions.map(|(function, observed)| places(function, observed)).collect();
        Liveness { live, observed }
    }

    /// Makes every register undefined that is not read any more. A thread that the state shares with the one before it has not
    /// changed since, and is passed over.
    pub fn forget(&self, state: &mut State, program: &Program) {
        let changed = state.threads.iter_mut().enumerate().filter(|(_, thread)| Rc::strong_count(thread) == 1);
        for (index, thread) in changed {
            let is_over = thread.status == Status::Ended || thread.status == Status::Failed;
            let entry = program.threads.get(index).map(|thread| thread.entry);
            match entry {
                Some(entry) if is_over => {
                    let live = &self.observed[entry.0 as usize];
                    let end = thread.registers.len();
                    forget_between(thread, 0, end, |register| live.contains(register));
                }
                _ => self.forget_in_frames(thread, program),
            }
        }
    }

    fn forget_in_frames(&self, thread: &mut Rc<Thread>, program: &Program) {
        for depth in 0..thread.frames.len() {
            let frame = thread.frames[depth];
            let place = &self.live[frame.function.0 as usize][frame.block.0 as usize];
            if depth + 1 == thread.frames.len() {
                let live = &place[frame.next as usize];
                forget_frame(thread, depth, |register| live.contains(register));
            } else {
                // The call has read its arguments, and will set its targets.
                let live = &place[frame.next as usize + 1];
                let targets = call_targets(program, &frame);
                let is_target = |register: usize| targets.iter().any(|target| target.0 as usize == register);
                forget_frame(thread, depth, |register| live.contains(register) && !is_target(register));
            }
        }
    }
}

fn call_targets<'a>(program: &'a Program, frame: &Frame) -> &'a [RegisterId] {
    let block = &program.function(frame.function).blocks[frame.block.0 as usize];
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

/// The same for the registers from `base` to `end`, which count from 0.
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

/// The registers that the question looks at, by the function of their thread.
fn observed(program: &Program) -> Vec<Registers> {
    let mut observed: Vec<Registers> =
        program.functions.iter().map(|function| Registers::none(function.registers.len())).collect();
    let Some(question) = &program.question else { return observed };
    let mut add = |observable: &Observable| {
        if let Observable::Register(thread, register) = observable {
            let entry = program.threads[thread.0 as usize].entry;
            observed[entry.0 as usize].insert(*register);
        }
    };
    question.observed.iter().for_each(&mut add);
    question.proposition.observables(&mut add);
    question.filter.iter().for_each(|filter| filter.observables(&mut add));
    observed
}

/// The live registers before each instruction and terminator of a function.
fn places(function: &Function, at_return: &Registers) -> Vec<Vec<Registers>> {
    let mut at_start: Vec<Registers> = vec![Registers::none(function.registers.len()); function.blocks.len()];
    let mut all: Vec<Vec<Registers>> = vec![Vec::new(); function.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..function.blocks.len()).rev() {
            let places = block_places(function, block, &at_start, at_return);
            if places[0] != at_start[block] {
                at_start[block] = places[0].clone();
                changed = true;
            }
            all[block] = places;
        }
    }
    all
}

fn block_places(function: &Function, block: usize, at_start: &[Registers], at_return: &Registers) -> Vec<Registers> {
    let block = &function.blocks[block];
    let successors = block.terminator.successors();
    let mut live = if successors.is_empty() { at_return.clone() } else { Registers::none(function.registers.len()) };
    successors.iter().for_each(|next| live.add(&at_start[next.0 as usize]));
    read(&mut live, block.terminator.operands());
    let mut places = vec![live.clone()];
    for instruction in block.instructions.iter().rev() {
        instruction.kind.targets().into_iter().for_each(|target| live.remove(target));
        read(&mut live, instruction.kind.operands());
        places.push(live.clone());
    }
    places.reverse();
    places
}

fn read(live: &mut Registers, operands: Vec<&Operand>) {
    for operand in operands {
        if let Operand::Register(register) = operand {
            live.insert(*register);
        }
    }
}
