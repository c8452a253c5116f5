//! What a thread that starts others keeps to itself: which memory nobody else accesses, and whether it tells anybody the numbers
//! of the threads that it has started.
//!
//! In which direction this errs: what is kept here is kept in every execution, and more may be.

use std::collections::BTreeSet;

use program::{Function, FunctionId, InstructionKind, Operand, Operator, Program, Value};

/// Memory that may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// A global.
    Global(u32),
    /// All blocks that the thread allocates.
    Allocated,
}

/// What a register may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Held {
    /// Pointers into this memory, of that which may be kept.
    kept: BTreeSet<Kept>,
    /// The number of a thread.
    number: bool,
    /// A pointer into something else.
    other: bool,
}

impl Held {
    fn add(&mut self, more: &Held) {
        self.kept.extend(&more.kept);
        self.number |= more.number;
        self.other |= more.other;
    }
}

/// The memory that a function alone accesses, and only by addresses that it tells nobody; nothing if the numbers of threads that it
/// starts may be used for more than to wait for these threads.
pub fn kept(program: &Program, function: FunctionId) -> Option<BTreeSet<Kept>> {
    let mut kept = named_here_alone(program, function);
    kept.insert(Kept::Allocated);
    loop {
        let leaked = Leaks::of(program.function(function), &kept);
        if leaked.numbers {
            return None;
        }
        if leaked.memory.is_empty() {
            return Some(kept);
        }
        kept.retain(|memory| !leaked.memory.contains(memory));
    }
}

/// The globals that no other function names, and no initial memory.
fn named_here_alone(program: &Program, function: FunctionId) -> BTreeSet<Kept> {
    let mut kept: BTreeSet<Kept> = (0..program.globals.len() as u32).map(Kept::Global).collect();
    let mut loses = |value: &Value| {
        pointers(value, &mut |global| {
            kept.remove(&Kept::Global(global));
        });
    };
    program.globals.iter().for_each(|global| {
        global.cells.iter().for_each(|(_, value)| loses(value));
        loses(&global.default);
    });
    for (number, other) in program.functions.iter().enumerate() {
        if number != function.0 as usize {
            operands(other).for_each(|operand| {
                if let Operand::Constant(value) = operand {
                    loses(value)
                }
            });
        }
    }
    program.threads.iter().flat_map(|thread| &thread.arguments).for_each(loses);
    kept
}

fn operands(function: &Function) -> impl Iterator<Item = &Operand> {
    let instructions = function.instructions().flat_map(|instruction| instruction.kind.operands());
    instructions.chain(function.blocks.iter().flat_map(|block| block.terminator.operands()))
}

fn pointers(value: &Value, found: &mut dyn FnMut(u32)) {
    match value {
        Value::Pointer(pointer) => found(pointer.allocation),
        Value::Composite(_, fields) => fields.iter().for_each(|field| pointers(field, found)),
        Value::Undefined | Value::Int(_) => {}
    }
}

/// What gets out of a function.
#[derive(Default)]
struct Leaks {
    memory: BTreeSet<Kept>,
    numbers: bool,
}

impl Leaks {
    fn of(function: &Function, kept: &BTreeSet<Kept>) -> Leaks {
        let mut registers = vec![Held::default(); function.registers.len()];
        for parameter in &function.parameters {
            registers[parameter.0 as usize].other = true;
        }
        let mut in_memory = false;
        loop {
            let known = (registers.clone(), in_memory);
            let mut leaks = Leaks::default();
            for block in &function.blocks {
                for instruction in &block.instructions {
                    leaks.pass(&instruction.kind, kept, &mut registers, &mut in_memory);
                }
                for operand in block.terminator.operands() {
                    leaks.numbers |= held(operand, kept, &registers).number;
                }
            }
            if known == (registers.clone(), in_memory) {
                return leaks;
            }
        }
    }

    /// What an instruction makes of registers; `in_memory` says whether globals that are kept may hold numbers of threads.
    fn pass(&mut self, kind: &InstructionKind, kept: &BTreeSet<Kept>, registers: &mut [Held], in_memory: &mut bool) {
        let of = |operand: &Operand| held(operand, kept, registers);
        let mut result = Held { other: true, ..Held::default() };
        match kind {
            InstructionKind::Assign { operator: Operator::IsDefined, .. } => result = Held::default(),
            InstructionKind::Assign { operands, .. } => {
                result = Held::default();
                operands.iter().for_each(|operand| result.add(&of(operand)));
            }
            InstructionKind::Load { address, .. } => result.number = *in_memory && !of(address).kept.is_empty(),
            InstructionKind::Store { address, value, .. } => {
                let (address, value) = (of(address), of(value));
                let stays = !address.kept.is_empty() && !address.other;
                *in_memory |= value.number && stays;
                self.numbers |= value.number && !stays;
                self.memory.extend(value.kept);
            }
            InstructionKind::Spawn { arguments, .. } => {
                arguments.iter().for_each(|argument| self.lose(of(argument)));
                result = Held { number: true, ..Held::default() };
            }
            InstructionKind::Allocate { .. } if kept.contains(&Kept::Allocated) => {
                result = Held { kept: [Kept::Allocated].into(), ..Held::default() };
            }
            InstructionKind::Join { .. } => {}
            // An address of which nothing but the access is asked.
            InstructionKind::End { .. } | InstructionKind::Live { .. } => {}
            InstructionKind::Assert { condition, .. } => self.numbers |= of(condition).number,
            _ => kind.operands().into_iter().for_each(|operand| self.lose(of(operand))),
        }
        for target in kind.targets() {
            registers[target.0 as usize].add(&result);
        }
    }

    fn lose(&mut self, held: Held) {
        self.memory.extend(held.kept);
        self.numbers |= held.number;
    }
}

fn held(operand: &Operand, kept: &BTreeSet<Kept>, registers: &[Held]) -> Held {
    let value = match operand {
        Operand::Register(register) => return registers[register.0 as usize].clone(),
        Operand::Constant(value) => value,
    };
    let mut result = Held::default();
    pointers(value, &mut |global| match kept.get(&Kept::Global(global)) {
        Some(memory) => {
            result.kept.insert(*memory);
        }
        None => result.other = true,
    });
    result
}
