//! Atomic accesses of C that are of several cells, as those of a union whose parts are accessed, too: which models have them.
//!
//! On the machine sc they happen in one step. On tso and pso such a step is a locked instruction, as a read-modify-write is, and a
//! seq_cst store, which is compiled to an exchange. A load waits for no buffer, which the search over states alone knows; another store
//! is refused, since its parts leave the buffer one by one. Models of C11 say nothing of accesses of different sizes.

use operational::Machine;
use program::{Access, Instruction, InstructionKind, Order, Program, Unsupported};

use crate::engine::Engine;
use crate::model::Model;
use crate::orders::{self, MemoryOrders};
use crate::refusal::Refusal;

/// Refuses a load that an engine does not know, where the model has buffers.
pub fn check_loads(program: &Program, model: &Model, engine: Engine) -> Result<(), Refusal> {
    if engine == Engine::Operational || orders::target(model, program.language).is_none() {
        return Ok(());
    }
    let mut blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let load =
        blocks.find_map(|block| steps(&block.instructions).into_iter().find(|step| is_load(step))?.first().copied());
    match load {
        Some(Instruction { span, .. }) => {
            let what = "an atomic load of memory that is accessed in parts, in this engine";
            Err(Refusal::unsupported(program, Unsupported::new(what, *span)))
        }
        None => Ok(()),
    }
}

/// Refuses an access that the model does not have.
pub fn check(program: &Program, model: &Model, orders: Option<MemoryOrders>) -> Result<(), Refusal> {
    if model.machine() == Some(Machine::Sc) && !model.is_of_file() {
        return Ok(());
    }
    let is_machine = orders::target(model, program.language).is_some();
    let is_compiled = orders != Some(MemoryOrders::Ignored);
    let mut blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let refused = blocks.find_map(|block| match is_machine {
        true => steps(&block.instructions).into_iter().find(|step| !is_step(step, is_compiled))?.first().copied(),
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

/// Whether a machine with buffers makes an access in one step.
fn is_step(parts: &[&Instruction], is_compiled: bool) -> bool {
    let reads = parts.iter().any(|part| matches!(part.kind, InstructionKind::Load { .. }));
    let is_fenced = is_compiled && parts.iter().all(|part| access(part).is_some_and(|it| it.order == Order::SeqCst));
    reads || is_fenced
}

fn is_load(parts: &[&Instruction]) -> bool {
    parts.iter().all(|part| matches!(part.kind, InstructionKind::Load { .. }))
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
