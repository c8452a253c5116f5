//! Annotations of accesses and fences, which only the axioms of some models know: the primitives of the Linux kernel.

use std::collections::BTreeSet;
use std::sync::Arc;

use axiomatic::Model;
use program::{Access, Diagnostic, Instruction, InstructionKind, Program, Unsupported};

use crate::refusal::Refusal;

/// Refuses a program with a primitive whose tag the bell file of a model does not name: nothing says what it means there.
pub(crate) fn refuse_unnamed(program: &Program, model: &Model) -> Result<(), Refusal> {
    let names: BTreeSet<Arc<str>> = model.base_names().into_iter().collect();
    for instruction in program.instructions() {
        let tags = access(instruction).into_iter().flat_map(|access| &access.tags);
        let known = |tag: &str| tag == Access::KERNEL_UPDATE || names.contains(tag);
        let annotations = tags.map(|tag| tag.trim_start_matches(['R', 'W'])).filter(|tag| tag.starts_with('\''));
        if let Some(unnamed) = annotations.into_iter().find(|tag| !known(tag)) {
            let what = format!(
                "a primitive of the Linux kernel with the tag `{unnamed}`, which {} does not name,",
                model.name
            );
            return Err(Refusal::unsupported(program, Unsupported::new(what, instruction.span)));
        }
    }
    Ok(())
}

/// Refuses a program with annotations, at the first of them, where they would mean nothing: `here` says where that is.
pub(crate) fn refuse(program: &Program, here: &str) -> Result<(), Refusal> {
    let is_annotated = |instruction: &&Instruction| access(instruction).is_some_and(Access::is_annotated);
    let Some(first) = program.instructions().find(is_annotated) else { return Ok(()) };
    let what = format!("a primitive of the Linux kernel {here}");
    let note = "it needs the axiomatic engine and a model with the kernel's bell file: --model linux-kernel.cfg";
    Err(Refusal::about(program, vec![Diagnostic::from(Unsupported::new(what, first.span)).note(note)]))
}

/// How an instruction accesses memory, or orders accesses.
fn access(instruction: &Instruction) -> Option<&Access> {
    match &instruction.kind {
        InstructionKind::Load { access, .. }
        | InstructionKind::Store { access, .. }
        | InstructionKind::Fence { access }
        | InstructionKind::ReadModifyWrite { access, .. } => Some(access),
        _ => None,
    }
}
