//! Annotations of accesses and fences, which only the axioms of some models know: the primitives of the Linux kernel.

use program::{Diagnostic, Instruction, InstructionKind, Program, Unsupported};

use crate::refusal::Refusal;

/// Refuses a program with annotations, at the first of them, where they would mean nothing: `here` says where that is.
pub(crate) fn refuse(program: &Program, here: &str) -> Result<(), Refusal> {
    let is_annotated = |instruction: &&Instruction| match &instruction.kind {
        InstructionKind::Load { access, .. }
        | InstructionKind::Store { access, .. }
        | InstructionKind::Fence { access }
        | InstructionKind::ReadModifyWrite { access, .. } => access.is_annotated(),
        _ => false,
    };
    let Some(first) = program.instructions().find(is_annotated) else { return Ok(()) };
    let what = format!("a primitive of the Linux kernel {here}");
    let note = "it needs the axiomatic engine and a model with the kernel's bell file: --model linux-kernel.cfg";
    Err(Refusal::about(program, vec![Diagnostic::from(Unsupported::new(what, first.span)).note(note)]))
}
