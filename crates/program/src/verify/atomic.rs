//! The rules about atomic blocks.

use super::Law;
use crate::flow::Flow;
use crate::ir::{Function, FunctionId, InstructionKind, Terminator};
use crate::source::Span;

impl Law<'_> {
    /// Rule 14. Walks the blocks in reverse postorder; each block but the first has a predecessor that was walked before.
    pub(super) fn balanced(&mut self, function: &Function, flow: &Flow) {
        let inside = entered_inside(function, flow);
        for block in flow.order() {
            let code = &function[*block];
            let mut within = inside[block.0 as usize] == Some(true);
            for instruction in &code.instructions {
                match instruction.kind {
                    InstructionKind::AtomicBegin if within => {
                        self.breach(14, "an atomic block starts inside of another", instruction.span);
                    }
                    InstructionKind::AtomicEnd if !within => {
                        self.breach(14, "an atomic block ends that has not started", instruction.span);
                    }
                    _ => {}
                }
                within = after(&instruction.kind, within);
            }
            let span = code.span.or(function.span);
            if within && matches!(code.terminator, Terminator::Return(_)) {
                self.breach(14, format!("`{}` returns inside of an atomic block", function.name), span);
            }
            for next in code.terminator.successors() {
                if inside[next.0 as usize] != Some(within) {
                    let message = format!(
                        "b{} of `{}` is entered both inside and outside of an atomic block",
                        next.0, function.name
                    );
                    self.breach(14, message, function[next].span.or(function.span));
                }
            }
        }
    }

    /// Rule 15, for all functions at once, because it looks through calls.
    pub(super) fn atomic_calls(&mut self) {
        let unfit = unfit_functions(&self.program.functions);
        for function in &self.program.functions {
            let flow = Flow::of(function);
            let inside = entered_inside(function, &flow);
            for block in flow.order() {
                let mut within = inside[block.0 as usize] == Some(true);
                for instruction in &function[*block].instructions {
                    if !within && matches!(instruction.kind, InstructionKind::Await { .. }) {
                        self.breach(19, "`await` outside of an atomic block", instruction.span);
                    }
                    if within {
                        self.inside(&instruction.kind, &unfit, instruction.span);
                    }
                    within = after(&instruction.kind, within);
                }
            }
        }
    }

    /// An instruction inside of an atomic block.
    fn inside(&mut self, kind: &InstructionKind, unfit: &[bool], span: Option<Span>) {
        if kind.synchronizes() {
            return self.breach(15, "an atomic block waits for, wakes or starts a thread", span);
        }
        for FunctionId(callee) in kind.callees() {
            if unfit.get(callee as usize) == Some(&true) {
                let name = &self.program.functions[callee as usize].name;
                let message =
                    format!("an atomic block calls `{name}`, which synchronizes or has an atomic block of its own");
                self.breach(15, message, span);
            }
        }
    }
}

/// Whether control is inside of an atomic block after the instruction.
fn after(kind: &InstructionKind, within: bool) -> bool {
    match kind {
        InstructionKind::AtomicBegin => true,
        InstructionKind::AtomicEnd => false,
        _ => within,
    }
}

/// For each reached block whether it is entered inside of an atomic block, along one path; `None` for the others.
fn entered_inside(function: &Function, flow: &Flow) -> Vec<Option<bool>> {
    let mut inside = vec![None; function.blocks.len()];
    if let Some(first) = inside.first_mut() {
        *first = Some(false);
    }
    for block in flow.order() {
        let code = &function[*block];
        let entered = inside[block.0 as usize].unwrap_or(false);
        let left = code.instructions.iter().fold(entered, |within, i| after(&i.kind, within));
        for next in code.terminator.successors() {
            if let Some(next) = inside.get_mut(next.0 as usize) {
                next.get_or_insert(left);
            }
        }
    }
    inside
}

/// For each function whether it, or one that it calls, synchronizes or has an atomic block.
fn unfit_functions(functions: &[Function]) -> Vec<bool> {
    let own = |kind: &InstructionKind| kind.synchronizes() || matches!(kind, InstructionKind::AtomicBegin);
    let mut unfit: Vec<bool> = functions.iter().map(|f| kinds(f).any(own)).collect();
    let mut callers = vec![Vec::new(); functions.len()];
    for (caller, function) in functions.iter().enumerate() {
        for FunctionId(callee) in kinds(function).flat_map(|kind| kind.callees()) {
            if let Some(callers) = callers.get_mut(callee as usize) {
                callers.push(caller);
            }
        }
    }
    let mut pending: Vec<usize> = (0..functions.len()).filter(|&f| unfit[f]).collect();
    while let Some(callee) = pending.pop() {
        for &caller in &callers[callee] {
            if !std::mem::replace(&mut unfit[caller], true) {
                pending.push(caller);
            }
        }
    }
    unfit
}

fn kinds(function: &Function) -> impl Iterator<Item = &InstructionKind> {
    function.instructions().map(|instruction| &instruction.kind)
}
