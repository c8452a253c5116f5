//! Errors of memory that are not looked for.

use program::{Access, Function, InstructionKind, Operator, Program, Storage};

/// A kind of error of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryError {
    /// An access out of the bounds of its object, or an index out of those of its array.
    OutOfBounds,
    /// An access of memory that was freed.
    UseAfterFree,
    /// An access of a variable after the end of its block, function or thread.
    UseAfterScope,
    /// A write to a constant.
    WriteToConstant,
    /// A read of memory, or of a variable, that was never written, whatever becomes of the value.
    Uninitialised,
    /// A result of arithmetic on signed integers that does not fit in their type.
    Overflow,
}

/// Makes a program without what notices these errors. What it does then is what the engines make of it: memory that was freed holds
/// what it held until it is allocated again, and cells beside an object are undefined.
pub(super) fn ignore(program: &mut Program, errors: &[MemoryError]) {
    for error in errors {
        match error {
            MemoryError::OutOfBounds => forget_bounds(program),
            MemoryError::UseAfterFree => keep_freed(program),
            // Nothing was put in that notices these.
            MemoryError::UseAfterScope => {}
            MemoryError::WriteToConstant => forget_constants(program),
            MemoryError::Uninitialised => forget_reads(program),
            MemoryError::Overflow => forget_overflows(program),
        }
    }
}

fn forget_bounds(program: &mut Program) {
    let unbounded = |access: &mut Access| access.bytes = 0;
    let blocks = program.functions.iter_mut().flat_map(|function| &mut function.blocks);
    for instruction in blocks.flat_map(|block| &mut block.instructions) {
        match &mut instruction.kind {
            InstructionKind::Load { access, .. }
            | InstructionKind::Store { access, .. }
            | InstructionKind::ReadModifyWrite { access, .. } => unbounded(access),
            InstructionKind::Assign { operator, .. } => {
                if let Operator::Element { size, .. } = operator {
                    *operator = Operator::Step(*size);
                }
            }
            _ => {}
        }
    }
}

/// Memory that is freed may still be accessed.
fn keep_freed(program: &mut Program) {
    for instruction in program.functions.iter_mut().flat_map(Function::instructions_mut) {
        if let InstructionKind::Allocate { extent: Some(extent), .. } = &mut instruction.kind
            && extent.storage == Storage::Heap
        {
            extent.storage = Storage::Pool;
        }
    }
}

fn forget_reads(program: &mut Program) {
    for block in program.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        let is_check =
            |kind: &InstructionKind| matches!(kind, InstructionKind::Assign { operator: Operator::Defined, .. });
        block.instructions.retain(|instruction| !is_check(&instruction.kind));
    }
}

fn forget_overflows(program: &mut Program) {
    let instructions = program.functions.iter_mut().flat_map(Function::instructions_mut);
    for instruction in instructions {
        if let InstructionKind::Assign { operator, .. } = &mut instruction.kind {
            *operator = operator.wrapping().clone();
        }
    }
}

fn forget_constants(program: &mut Program) {
    let extents = program.globals.iter_mut().filter_map(|global| global.extent.as_mut());
    extents.filter(|extent| extent.storage == Storage::ReadOnly).for_each(|extent| extent.storage = Storage::Static);
}
