//! Memory that was never written: behind a read of memory that holds nothing at first stands a [`Operator::Defined`], which is an
//! error if the read finds nothing, whatever becomes of the value.
//!
//! Copies of whole objects, and of bytes to bytes ([`COPY_TAG`]), may copy what was never written: C gives that no value, but lets it be
//! copied.
//!
//! In which direction this errs: memory that was freed keeps what it held until it is allocated again, and may be taken again for a
//! new block; but each new block may also be a fresh one, so that no error is lost. What only says whether an object was initialised
//! ([`MADE_TAG`]) is not asked where memory is freed, as the next object there is another one.

use program::{Instruction, InstructionKind, Operand, Operator, Program, RegisterId, Storage, Value};

use super::places::{Site, Values};
use super::{COPY_TAG, MADE_TAG, lifetime};

/// Puts a check behind reads that may find what was never written, if these are looked for.
pub(super) fn guard(program: &mut Program, is_sought: bool) {
    let has_holes = program.instructions().any(|instruction| is_empty_at_first(&instruction.kind));
    let makes = program.instructions().any(|instruction| is_tagged(&instruction.kind, MADE_TAG));
    if !(has_holes && is_sought || makes && lifetime::frees(program)) {
        return;
    }
    let values = &super::places::values(program);
    let freed = lifetime::freed(program, values);
    for function in 0..program.functions.len() {
        let reaches = |address: &Operand, is_so: &dyn Fn(Site) -> bool| {
            values.of(function, address).places.iter().any(|class| is_so(class.site))
        };
        let mut rewritten: Vec<Vec<Instruction>> = Vec::new();
        for block in &program.functions[function].blocks {
            let mut code = Vec::with_capacity(block.instructions.len());
            for instruction in &block.instructions {
                let check = match &instruction.kind {
                    InstructionKind::Load { address, target, access } if access.has(MADE_TAG) => {
                        let is_freed = reaches(address, &|site| freed.contains(&site));
                        is_freed.then(|| assign(*target, Operator::Copy, Operand::Constant(Value::int(0, 32))))
                    }
                    kind => read(kind).filter(|_| is_sought).and_then(|(target, address)| {
                        let may_be_empty = reaches(address, &|site| holds_nothing(program, values, site));
                        may_be_empty.then(|| assign(target, Operator::Defined, Operand::Register(target)))
                    }),
                };
                code.push(instruction.clone());
                code.extend(check.map(|kind| Instruction { kind, span: instruction.span }));
            }
            rewritten.push(code);
        }
        for (block, code) in program.functions[function].blocks.iter_mut().zip(rewritten) {
            block.instructions = code;
        }
    }
}

fn assign(target: RegisterId, operator: Operator, operand: Operand) -> InstructionKind {
    InstructionKind::Assign { target, operator, operands: vec![operand] }
}

/// The register and the address of a read whose value counts as used.
fn read(kind: &InstructionKind) -> Option<(RegisterId, &Operand)> {
    match kind {
        InstructionKind::Load { target, address, .. } | InstructionKind::ReadModifyWrite { target, address, .. } => {
            (!is_tagged(kind, COPY_TAG)).then_some((*target, address))
        }
        _ => None,
    }
}

fn is_tagged(kind: &InstructionKind, tag: &str) -> bool {
    matches!(kind, InstructionKind::Load { access, .. } if access.has(tag))
}

/// Whether an instruction makes memory that holds nothing at first.
fn is_empty_at_first(kind: &InstructionKind) -> bool {
    let InstructionKind::Allocate { default: Value::Undefined, extent: Some(extent), .. } = kind else { return false };
    extent.storage != Storage::Pool
}

/// Whether the memory that is made there holds nothing at first.
pub(super) fn holds_nothing(program: &Program, values: &Values, site: Site) -> bool {
    values.instruction(program, site).is_some_and(is_empty_at_first)
}
