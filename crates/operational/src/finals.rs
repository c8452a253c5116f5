//! Final fields that nobody writes any more.
//!
//! A final field is written by constructors of its object alone (Java virtual machine specification, `putfield`). Other threads can
//! have the object before, if its constructor gave it away; after that the field never changes, and a load of it depends on nothing
//! that others do. So such a load needs no alternatives, unless another thread is inside of a function that writes final fields of
//! objects it did not just make. What the frontend makes in place (objects of lambdas, handles) gets its fields before
//! anything else is done with it.

use std::collections::HashSet;

use program::{Block, Function, InstructionKind, Operand, Operator, Program, RegisterId};

use crate::machine::is_final;
use crate::state::State;

/// By function: whether it writes final fields of objects that others may have.
pub(crate) fn writers(program: &Program) -> Vec<bool> {
    program.functions.iter().map(|function| function.blocks.iter().any(|block| writes(function, block))).collect()
}

/// Whether final fields of objects that a thread has are not written any more: no other thread is inside of a function that does.
pub(crate) fn are_settled(state: &State, thread: usize, writers: &[bool]) -> bool {
    let others = state.threads.iter().enumerate().filter(|(other, _)| *other != thread);
    let writes = |function: usize| writers.get(function).is_none_or(|writes| *writes);
    others.flat_map(|(_, other)| &other.frames).all(|frame| !writes(frame.function.0 as usize))
}

/// Whether a block writes a final field of an object that was not made in it, or with which something else was done since.
fn writes(function: &Function, block: &Block) -> bool {
    // The registers that hold a new object, or the address of a field of it.
    let mut fresh: HashSet<RegisterId> = HashSet::new();
    block.instructions.iter().any(|instruction| {
        let is_fresh = |operand: &Operand| matches!(operand, Operand::Register(register) if fresh.contains(register));
        let (mut gets, mut gives_away, mut writes) = (None, Vec::new(), false);
        match &instruction.kind {
            InstructionKind::Allocate { target, .. } => gets = Some(*target),
            InstructionKind::Assign { target, operator: Operator::Offset, operands } => {
                gets = operands.first().filter(|base| is_fresh(base)).map(|_| *target);
            }
            InstructionKind::Freeze { .. } => {}
            InstructionKind::Store { address, value, access } => {
                writes = is_final(access) && !is_fresh(address);
                gives_away.push(value);
            }
            kind => gives_away = kind.operands(),
        }
        let is_given = gives_away.into_iter().any(is_fresh);
        for target in instruction.kind.targets() {
            fresh.remove(&target);
        }
        if is_given {
            fresh.clear();
        }
        fresh.extend(gets.filter(|target| !function.parameters.contains(target)));
        writes
    })
}
