//! Drops the functions that nothing calls and the globals that nothing leads to.

use program::{FunctionId, InstructionKind, Operand, Program, Terminator, Value};
use rustc_hash::FxHashMap;

/// Keeps what the threads and the setup reach, and the first `kept` globals.
pub fn prune(program: &mut Program, kept: usize) {
    prune_functions(program);
    prune_globals(program, kept);
}

fn prune_functions(program: &mut Program) {
    let mut open: Vec<FunctionId> = program.threads.iter().map(|thread| thread.entry).chain(program.setup).collect();
    let mut reached = vec![false; program.functions.len()];
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut reached[id.0 as usize], true) {
            let instructions = program[id].instructions();
            open.extend(instructions.flat_map(|instruction| instruction.kind.callees()));
        }
    }
    let numbers = numbers(&reached);
    let new = |id: FunctionId| FunctionId(numbers[&id.0]);
    let mut number = 0;
    program.functions.retain(|_| {
        number += 1;
        reached[number - 1]
    });
    program.threads.iter_mut().for_each(|thread| thread.entry = new(thread.entry));
    program.setup = program.setup.map(new);
    let blocks = program.functions.iter_mut().flat_map(|function| &mut function.blocks);
    for instruction in blocks.flat_map(|block| &mut block.instructions) {
        match &mut instruction.kind {
            InstructionKind::Call { function, .. } | InstructionKind::Spawn { function, .. } => {
                *function = new(*function)
            }
            InstructionKind::CallVirtual { table, .. } => table.iter_mut().for_each(|(_, id)| *id = new(*id)),
            _ => {}
        }
    }
}

fn prune_globals(program: &mut Program, kept: usize) {
    let mut open: Vec<u32> = (0..kept as u32).collect();
    each_value(program, &mut |value| open.extend(allocation(value)));
    let mut reached = vec![false; program.globals.len()];
    while let Some(global) = open.pop() {
        if !std::mem::replace(&mut reached[global as usize], true) {
            let global = &program.globals[global as usize];
            let held = global.cells.iter().map(|(_, value)| value).chain([&global.default]);
            open.extend(held.filter_map(allocation));
        }
    }
    let numbers = numbers(&reached);
    let mut number = 0;
    program.globals.retain(|_| {
        number += 1;
        reached[number - 1]
    });
    let mut renumber = |value: &mut Value| {
        if let Value::Pointer(pointer) = value {
            pointer.allocation = numbers[&pointer.allocation];
        }
    };
    for global in &mut program.globals {
        renumber(&mut global.default);
        global.cells.iter_mut().for_each(|(_, value)| renumber(value));
    }
    each_value(program, &mut renumber);
}

/// The new numbers of what is kept.
fn numbers(kept: &[bool]) -> FxHashMap<u32, u32> {
    let kept = (0..kept.len()).filter(|&index| kept[index]);
    kept.enumerate().map(|(new, old)| (old as u32, new as u32)).collect()
}

fn allocation(value: &Value) -> Option<u32> {
    match value {
        Value::Pointer(pointer) => Some(pointer.allocation),
        _ => None,
    }
}

/// Every constant of the code.
fn each_value(program: &mut Program, each: &mut impl FnMut(&mut Value)) {
    let mut operand = |operand: &mut Operand| {
        if let Operand::Constant(value) = operand {
            each(value);
        }
    };
    for block in program.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        for instruction in &mut block.instructions {
            instruction.kind.operands_mut().into_iter().for_each(&mut operand);
        }
        match &mut block.terminator {
            Terminator::Branch { condition, .. } => operand(condition),
            Terminator::Return(values) => values.iter_mut().for_each(&mut operand),
            Terminator::Jump(_) => {}
        }
    }
}
