//! Which registers can still be read.

use crate::condition::Observable;
use crate::ir::{BlockId, Function, FunctionId, Operand, Program, RegisterId};

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

    /// What is live before an instruction of a block; the number of instructions stands for the terminator.
    pub fn before(&self, function: FunctionId, block: BlockId, instruction: usize) -> &Registers {
        &self.live[function.0 as usize][block.0 as usize][instruction]
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
    let mut at_start: Vec<Registers> = vec![Registers::none(function.registers.len()); function.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..function.blocks.len()).rev() {
            let first = block_places(function, block, &at_start, at_return).swap_remove(0);
            if first != at_start[block] {
                at_start[block] = first;
                changed = true;
            }
        }
    }
    at_start
}

/// The live registers before each instruction and terminator of a function.
fn places(function: &Function, at_return: &Registers) -> Vec<Vec<Registers>> {
    let at_start = starts(function, at_return);
    (0..function.blocks.len()).map(|block| block_places(function, block, &at_start, at_return)).collect()
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
