//! Java programs as the machines take them that look from above.
//!
//! - `java.util.concurrent` is taken at its word: what it promises is what its code does if all its accesses are volatile. So
//!   accesses that are marked as those of a library become volatile. This is an assumption, and whoever answers by it says so.
//! - Opaque accesses in other code become plain, and fences go: each of them only forbids executions that are possible
//!   without it (Bender, Palsberg, "A formalization of Java's concurrent access modes", OOPSLA 2019). So nothing is lost from above.
//!   Accesses in acquire and release mode, and read-modify-writes, stay as they are.

use program::{Access, InstructionKind, Language, Order, Verified, verify};

use crate::happens_before::{is_moded, is_volatile};
use crate::machine::is_identity;
use crate::memory::Machine;

/// The program whose libraries are taken at their word; `None` if that changes nothing.
pub fn trusting(program: &Verified) -> Option<Verified> {
    changed(program, trusted)
}

/// The program as a machine takes it, and whether libraries were taken at their word.
pub fn taken_by(machine: Machine, program: &Verified) -> (Verified, bool) {
    match machine {
        Machine::JmmOver if program.language == Language::Java => from_above(program),
        _ => (program.clone(), false),
    }
}

/// The program as the machine jmm_over takes it, and whether libraries were taken at their word.
fn from_above(program: &Verified) -> (Verified, bool) {
    let trusting = trusting(program);
    let trusts = trusting.is_some();
    let program = trusting.unwrap_or_else(|| program.clone());
    let weakened = changed(&program, weakened);
    (weakened.unwrap_or(program), trusts)
}

/// The program with some of its accesses changed; `None` if none is. Instructions keep their places, so that schedules fit both.
fn changed(program: &Verified, change: impl Fn(&InstructionKind) -> Option<InstructionKind>) -> Option<Verified> {
    let is_changed = program.instructions().any(|instruction| change(&instruction.kind).is_some());
    if !is_changed {
        return None;
    }
    let mut program = program.clone().into_program();
    for instruction in program.functions.iter_mut().flat_map(|function| function.instructions_mut()) {
        if let Some(kind) = change(&instruction.kind) {
            instruction.kind = kind;
        }
    }
    verify(program).ok()
}

/// What an instruction of a library becomes.
fn trusted(kind: &InstructionKind) -> Option<InstructionKind> {
    let mut kind = kind.clone();
    match &mut kind {
        InstructionKind::Load { access, .. }
        | InstructionKind::Store { access, .. }
        | InstructionKind::ReadModifyWrite { access, .. }
            if access.has(Access::LIBRARY) && !is_volatile(access) =>
        {
            access.order = Order::SeqCst;
            access.tags.retain(|tag| &**tag != Access::WIDE);
        }
        InstructionKind::Fence { access } if access.has(Access::LIBRARY) && !orders_nothing(access) => {
            *access = Access::plain();
        }
        _ => return None,
    }
    Some(kind)
}

/// What an access in a weaker mode, or a fence, becomes.
fn weakened(kind: &InstructionKind) -> Option<InstructionKind> {
    let mut kind = kind.clone();
    match &mut kind {
        InstructionKind::Load { access, .. } | InstructionKind::Store { access, .. }
            if access.order != Order::Plain && !is_volatile(access) && !is_moded(access) && !is_identity(access) =>
        {
            access.order = Order::Plain;
        }
        InstructionKind::Fence { access } if !orders_nothing(access) => *access = Access::plain(),
        _ => return None,
    }
    Some(kind)
}

/// Whether a fence is none any more.
pub(crate) fn orders_nothing(access: &Access) -> bool {
    *access == Access::plain()
}
