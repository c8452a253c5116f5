//! Which functions throw nothing: the tests after their calls go.
//!
//! A function throws if some `return` that it reaches gives an exception. What it reaches depends on which functions that
//! it calls throw. So nothing is taken to throw at first, and functions are added until no more is found: then nothing else
//! throws.

use program::tidy::compact;
use program::{Block, Flow, Function, FunctionId, InstructionKind, Operand, RegisterId, Terminator, Value};

/// Removes the tests of exceptions that are never thrown.
pub fn simplify(functions: &mut [Function]) {
    let mut throws = vec![false; functions.len()];
    loop {
        let found: Vec<usize> =
            (0..functions.len()).filter(|&index| !throws[index] && may_throw(&functions[index], &throws)).collect();
        if found.is_empty() {
            break;
        }
        found.into_iter().for_each(|index| throws[index] = true);
    }
    for function in functions.iter_mut() {
        let mut changed = false;
        for block in &mut function.blocks {
            if let Some(next) = goes_on(block, &throws) {
                block.terminator = Terminator::Jump(next);
                changed = true;
            }
        }
        if changed {
            compact(function);
        }
    }
}

/// Where a block that ends with the test of a call's exception always goes on.
fn goes_on(block: &Block, throws: &[bool]) -> Option<program::BlockId> {
    let Terminator::Branch { condition: Operand::Register(tested), otherwise, .. } = &block.terminator else {
        return None;
    };
    let last = block.instructions.last()?;
    let (callees, targets): (Vec<FunctionId>, &[RegisterId]) = match &last.kind {
        InstructionKind::Call { targets, .. } | InstructionKind::CallVirtual { targets, .. } => {
            (last.kind.callees(), targets)
        }
        _ => return None,
    };
    let is_exception = targets.last() == Some(tested);
    let is_safe = callees.iter().all(|id| throws.get(id.0 as usize) == Some(&false));
    (is_exception && is_safe).then_some(*otherwise)
}

/// Whether a `return` is reached whose last operand is not 0.
fn may_throw(function: &Function, throws: &[bool]) -> bool {
    // Answers of one value that are no exceptions count as thrown; nobody tests them as such.
    let mut function = function.clone();
    for block in &mut function.blocks {
        if let Some(next) = goes_on(block, throws) {
            block.terminator = Terminator::Jump(next);
        }
    }
    let none = Operand::Constant(Value::int(0, 32));
    Flow::of(&function).order().iter().any(|&block| match &function[block].terminator {
        Terminator::Return(values) => {
            values.last().is_some_and(|value| *value != none && !is_never(&function, value, throws))
        }
        _ => false,
    })
}

/// Whether an operand is the exception of calls that throw nothing, handed on without a test.
fn is_never(function: &Function, value: &Operand, throws: &[bool]) -> bool {
    let Operand::Register(register) = value else { return false };
    let mut writers = function
        .blocks
        .iter()
        .flat_map(|block| &block.instructions)
        .filter(|instruction| instruction.kind.targets().contains(register))
        .peekable();
    writers.peek().is_some()
        && writers.all(|instruction| match &instruction.kind {
            InstructionKind::Call { targets, .. } | InstructionKind::CallVirtual { targets, .. } => {
                targets.last() == Some(register)
                    && instruction.kind.callees().iter().all(|id| throws.get(id.0 as usize) == Some(&false))
            }
            _ => false,
        })
}
