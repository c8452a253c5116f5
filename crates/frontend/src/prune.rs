//! Drops the functions that nothing calls and the globals that nothing leads to.

use program::{FunctionId, Global, InstructionKind, Operand, Program, Terminator, Value};
use rustc_hash::FxHashMap;

/// Keeps the functions that the threads and the setup reach.
pub fn functions(program: &mut Program) {
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

/// Keeps the globals that code leads to, and those that are kept in any case, by their numbers.
pub fn globals(program: &mut Program, is_kept: impl Fn(usize, &Global) -> bool) {
    let kept = program.globals.iter().enumerate().filter(|(number, global)| is_kept(*number, global));
    let mut open: Vec<u32> = kept.map(|(number, _)| number as u32).collect();
    each_value(program, &mut |value| each_pointer(value, &mut |allocation| open.push(*allocation)));
    let mut reached = vec![false; program.globals.len()];
    while let Some(global) = open.pop() {
        if !std::mem::replace(&mut reached[global as usize], true) {
            let global = &mut program.globals[global as usize];
            let held = global.cells.iter_mut().map(|(_, value)| value).chain([&mut global.default]);
            held.for_each(|value| each_pointer(value, &mut |allocation| open.push(*allocation)));
        }
    }
    let numbers = numbers(&reached);
    let mut number = 0;
    program.globals.retain(|_| {
        number += 1;
        reached[number - 1]
    });
    let mut renumber = |value: &mut Value| each_pointer(value, &mut |allocation| *allocation = numbers[allocation]);
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

/// The number of every global that a value points to.
fn each_pointer(value: &mut Value, each: &mut impl FnMut(&mut u32)) {
    match value {
        Value::Pointer(pointer) => each(&mut pointer.allocation),
        Value::Composite(_, parts) => parts.iter_mut().for_each(|part| each_pointer(part, each)),
        _ => {}
    }
}

/// Every constant of the code, what threads are given, and what new memory holds.
fn each_value(program: &mut Program, each: &mut impl FnMut(&mut Value)) {
    program.threads.iter_mut().flat_map(|thread| &mut thread.arguments).for_each(&mut *each);
    for block in program.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        for instruction in &mut block.instructions {
            if let InstructionKind::Allocate { default, .. } = &mut instruction.kind {
                each(default);
            }
            instruction.kind.operands_mut().into_iter().for_each(|operand| each_constant(operand, each));
        }
        match &mut block.terminator {
            Terminator::Branch { condition, .. } => each_constant(condition, each),
            Terminator::Return(values) => values.iter_mut().for_each(|value| each_constant(value, each)),
            Terminator::Jump(_) => {}
        }
    }
}

fn each_constant(operand: &mut Operand, each: &mut impl FnMut(&mut Value)) {
    if let Operand::Constant(value) = operand {
        each(value);
    }
}
