//! Variables that may be read before they are written: reads of variables without an initial value are checked
//! ([`Operator::Defined`]), unless every path to the read has written the variable.

use std::collections::BTreeSet;

use program::{Function, InstructionKind, Operand, Operator, RegisterId, Value};

/// Drops the checks of registers that every path has written.
pub fn drop_certain_checks(function: &mut Function) {
    let checked: BTreeSet<RegisterId> =
        function.instructions().filter_map(|instruction| checked(&instruction.kind)).collect();
    if checked.is_empty() {
        return;
    }
    let starts = unwritten(function, checked);
    for (block, start) in function.blocks.iter_mut().zip(starts) {
        let mut empty = start.unwrap_or_default();
        block.instructions.retain(|instruction| {
            let is_certain = self::checked(&instruction.kind).is_some_and(|register| !empty.contains(&register));
            write(&mut empty, &instruction.kind);
            !is_certain
        });
    }
}

/// The register that a check checks.
fn checked(kind: &InstructionKind) -> Option<RegisterId> {
    match kind {
        InstructionKind::Assign { target, operator: Operator::Defined, .. } => Some(*target),
        _ => None,
    }
}

/// Which of the registers may not have been written at the start of each block; `None` for blocks that are not reached.
fn unwritten(function: &Function, all: BTreeSet<RegisterId>) -> Vec<Option<BTreeSet<RegisterId>>> {
    let mut starts: Vec<Option<BTreeSet<RegisterId>>> = vec![None; function.blocks.len()];
    let mut open = vec![(0, all)];
    while let Some((block, before)) = open.pop() {
        let start = match &mut starts[block] {
            Some(start) if before.is_subset(start) => continue,
            Some(start) => {
                start.extend(before);
                start
            }
            start => start.insert(before),
        };
        let mut after = start.clone();
        let code = &function.blocks[block];
        code.instructions.iter().for_each(|instruction| write(&mut after, &instruction.kind));
        open.extend(code.terminator.successors().into_iter().map(|next| (next.index(), after.clone())));
    }
    starts
}

/// What an instruction leaves unwritten. A register that was checked holds something.
fn write(empty: &mut BTreeSet<RegisterId>, kind: &InstructionKind) {
    let clears = |operands: &[Operand]| operands == [Operand::Constant(Value::Undefined)];
    match kind {
        InstructionKind::Assign { target, operator: Operator::Copy, operands } if clears(operands) => {
            empty.insert(*target);
        }
        _ => kind.targets().iter().for_each(|target| _ = empty.remove(target)),
    }
}
