//! Which registers can still be read.

use std::sync::OnceLock;

use crate::condition::Observable;
use crate::ir::{Block, BlockId, Function, FunctionId, Operand, Program, RegisterId};

/// A set of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers(Vec<u64>);

impl Registers {
    fn none(count: usize) -> Registers {
        Registers(vec![0; count.div_ceil(64)])
    }

    /// Whether the register of this number is in the set.
    pub fn contains(&self, register: usize) -> bool {
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

/// For each place of a program the registers whose value may still be read from there on. A function is looked at when it is
/// first asked about: of a library few functions ever run.
pub struct Liveness {
    /// By function, block and instruction; the number of instructions stands for the terminator.
    live: Vec<OnceLock<Vec<Vec<Registers>>>>,
    /// By function: registers that are looked at when a thread that runs it has ended.
    observed: Vec<Registers>,
}

impl Liveness {
    /// The live registers of all functions of this program.
    pub fn of(program: &Program) -> Liveness {
        let live = program.functions.iter().map(|_| OnceLock::new()).collect();
        Liveness { live, observed: observed(program) }
    }

    /// What is live before an instruction of a block; the number of instructions stands for the terminator. `program` is the
    /// one that this was made for.
    pub fn before(&self, program: &Program, function: FunctionId, block: BlockId, instruction: usize) -> &Registers {
        let index = function.0 as usize;
        let live = self.live[index].get_or_init(|| places(&program[function], &self.observed[index]));
        &live[block.0 as usize][instruction]
    }

    /// What the question looks at when a thread that runs the function has ended.
    pub fn at_end(&self, function: FunctionId) -> &Registers {
        &self.observed[function.0 as usize]
    }
}

/// The registers that the question looks at, by the function of their thread.
fn observed(program: &Program) -> Vec<Registers> {
    let mut observed: Vec<Registers> =
        program.functions.iter().map(|function| Registers::none(function.registers.len())).collect();
    let Some(question) = &program.question else { return observed };
    let mut add = |observable: &Observable| {
        if let Observable::Register(thread, register) = observable {
            let entry = program[*thread].entry;
            observed[entry.0 as usize].insert(*register);
        }
    };
    question.observed.iter().for_each(&mut add);
    question.proposition.observables(&mut add);
    question.filter.iter().for_each(|filter| filter.observables(&mut add));
    observed
}

/// By block, the registers that some path from its start reads before it sets them.
pub fn live_at_start(function: &Function) -> Vec<Registers> {
    starts(function, &Registers::none(function.registers.len()))
}

fn starts(function: &Function, at_return: &Registers) -> Vec<Registers> {
    let none = Registers::none(function.registers.len());
    let effects: Vec<Effect> = function.blocks.iter().map(|block| Effect::of(block, &none)).collect();
    let mut at_start: Vec<Registers> = vec![none.clone(); function.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (index, effect) in effects.iter().enumerate().rev() {
            let mut live = at_end(&function.blocks[index], &at_start, at_return, &none);
            effect.apply(&mut live);
            if live != at_start[index] {
                at_start[index] = live;
                changed = true;
            }
        }
    }
    at_start
}

/// What a block as a whole does to the set of live registers, from its end to its start.
struct Effect {
    /// It reads these before it sets them.
    reads: Registers,
    /// It sets these.
    sets: Registers,
}

impl Effect {
    fn of(block: &Block, none: &Registers) -> Effect {
        let mut effect = Effect { reads: none.clone(), sets: none.clone() };
        read(&mut effect.reads, block.terminator.operands());
        for instruction in block.instructions.iter().rev() {
            for target in instruction.kind.targets() {
                effect.reads.remove(target);
                effect.sets.insert(target);
            }
            read(&mut effect.reads, instruction.kind.operands());
        }
        effect
    }

    fn apply(&self, live: &mut Registers) {
        for ((live, reads), sets) in live.0.iter_mut().zip(&self.reads.0).zip(&self.sets.0) {
            *live = (*live & !sets) | reads;
        }
    }
}

/// The live registers behind the terminator of a block.
fn at_end(block: &Block, at_start: &[Registers], at_return: &Registers, none: &Registers) -> Registers {
    let successors = block.terminator.successors();
    let mut live = if successors.is_empty() { at_return.clone() } else { none.clone() };
    successors.iter().for_each(|next| live.add(&at_start[next.0 as usize]));
    live
}

/// The live registers before each instruction and terminator of a function.
fn places(function: &Function, at_return: &Registers) -> Vec<Vec<Registers>> {
    let at_start = starts(function, at_return);
    let none = Registers::none(function.registers.len());
    let ends = function.blocks.iter().map(|block| (block, at_end(block, &at_start, at_return, &none)));
    ends.map(|(block, live)| block_places(block, live)).collect()
}

/// The live registers before each instruction and the terminator of a block, behind which `live` are.
fn block_places(block: &Block, mut live: Registers) -> Vec<Registers> {
    read(&mut live, block.terminator.operands());
    let mut places = Vec::with_capacity(block.instructions.len() + 1);
    places.push(live.clone());
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
