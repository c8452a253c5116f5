//! Atomic accesses of C that are of several cells, as those of a union whose parts are accessed, too: which models have them.
//!
//! On the machine sc they happen in one step. On tso and pso such a step is a locked instruction, as a read-modify-write is, and a
//! seq_cst store, which is compiled to an exchange; a load, or another store, waits for no buffer, so that it is refused. Models of C11
//! say nothing of accesses of different sizes.

use operational::Machine;
use program::{Access, Instruction, InstructionKind, Order, Program, Unsupported};

use crate::model::Model;
use crate::orders::{self, MemoryOrders};
use crate::refusal::Refusal;

/// Refuses an access that the model does not have.
pub fn check(program: &Program, model: &Model, orders: Option<MemoryOrders>) -> Result<(), Refusal> {
    if model.machine() == Some(Machine::Sc) && !model.is_of_file() {
        return Ok(());
    }
    let is_machine = orders::target(model, program.language).is_some();
    let is_compiled = orders != Some(MemoryOrders::Ignored);
    let mut blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let refused = blocks.find_map(|block| match is_machine {
        true => steps(&block.instructions).into_iter().find(|step| !is_locked(step, is_compiled))?.first().copied(),
        false => block.instructions.iter().find(|instruction| is_part(instruction)),
    });
    match refused {
        Some(Instruction { span, .. }) => {
            let what =
                format!("an atomic access of memory that is accessed in parts under {} (sc has it)", model.name());
            Err(Refusal::unsupported(program, Unsupported::new(what, *span)))
        }
        None => Ok(()),
    }
}

/// The accesses of each atomic block that is one such access and nothing else.
fn steps(instructions: &[Instruction]) -> Vec<Vec<&Instruction>> {
    let mut found = Vec::new();
    let mut open: Option<Vec<&Instruction>> = None;
    for instruction in instructions {
        match (&instruction.kind, &mut open) {
            (InstructionKind::AtomicBegin, _) => open = Some(Vec::new()),
            (InstructionKind::AtomicEnd, _) => found.extend(open.take()),
            (_, Some(accesses)) if access(instruction).is_some() => accesses.push(instruction),
            _ => {}
        }
    }
    found.retain(|accesses| !accesses.is_empty() && accesses.iter().all(|access| is_part(access)));
    found
}

/// Whether a step is a locked instruction.
fn is_locked(step: &[&Instruction], is_compiled: bool) -> bool {
    let reads = step.iter().any(|part| matches!(part.kind, InstructionKind::Load { .. }));
    let writes = step.iter().any(|part| matches!(part.kind, InstructionKind::Store { .. }));
    let is_fenced = is_compiled && step.iter().all(|part| access(part).is_some_and(|it| it.order == Order::SeqCst));
    writes && (reads || is_fenced)
}

fn is_part(instruction: &Instruction) -> bool {
    access(instruction).is_some_and(|access| access.has(Access::STEP))
}

fn access(instruction: &Instruction) -> Option<&Access> {
    match &instruction.kind {
        InstructionKind::Load { access, .. } | InstructionKind::Store { access, .. } => Some(access),
        _ => None,
    }
}
