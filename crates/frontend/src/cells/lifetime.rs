//! Memory that ends: before an access that may reach memory that is freed somewhere stands a `live`, which is an error if it was.
//!
//! What a function has allocated itself, and nobody else knows yet, needs none. Memory of a pool ([`Storage::Pool`]) may be accessed
//! after it was freed.
//!
//! In which direction this errs: an access in an atomic block whose address is computed inside of the block has no `live`, so that
//! engines that do not look at every access themselves do not notice that its memory was freed.

use std::collections::{BTreeMap, BTreeSet};

use program::{Function, Instruction, InstructionKind, Operand, Operator, Program, RegisterId, Storage, Update};

use super::places::{Site, Values};

/// Puts a `live` before accesses of memory that may have been freed.
pub(super) fn guard(program: &mut Program, values: &Values) {
    let freed = freed(program, values);
    if freed.is_empty() {
        return;
    }
    for function in 0..program.functions.len() {
        let private = Private::of(&program.functions[function]);
        let may_be_freed =
            |address: &Operand| values.of(function, address).places.iter().any(|class| freed.contains(&class.site));
        let code = &mut program.functions[function];
        for (block, code) in code.blocks.iter_mut().enumerate() {
            let mut known = private.at_start(block);
            let mut guarded: Vec<Instruction> = Vec::with_capacity(code.instructions.len());
            for (number, instruction) in std::mem::take(&mut code.instructions).into_iter().enumerate() {
                let address = accessed(&instruction.kind);
                let is_private = |address: &Operand| register(address).is_some_and(|it| known.contains_key(&it));
                if let Some(address) = address.filter(|address| !is_private(address) && may_be_freed(address)) {
                    let live = InstructionKind::Live { address: address.clone() };
                    put(&mut guarded, Instruction { kind: live, span: instruction.span });
                }
                follow(&mut known, (block, number), &instruction.kind);
                guarded.push(instruction);
            }
            code.instructions = guarded;
        }
    }
}

/// Adds a `live`: in an atomic block before the block, if its address is known there.
fn put(code: &mut Vec<Instruction>, live: Instruction) {
    let is_end = |kind: &InstructionKind| matches!(kind, InstructionKind::AtomicEnd);
    let begin = code.iter().rposition(|instruction| matches!(instruction.kind, InstructionKind::AtomicBegin));
    let begin = begin.filter(|begin| !code[*begin..].iter().any(|instruction| is_end(&instruction.kind)));
    let Some(begin) = begin else {
        code.push(live);
        return;
    };
    let address = accessed_by_live(&live.kind).and_then(register);
    let is_known = address.is_none_or(|address| !code[begin..].iter().any(|it| it.kind.targets().contains(&address)));
    if is_known && !code[..begin].last().is_some_and(|before| before.kind == live.kind) {
        code.insert(begin, live);
    }
}

fn accessed_by_live(kind: &InstructionKind) -> Option<&Operand> {
    if let InstructionKind::Live { address } = kind { Some(address) } else { None }
}

/// The address of an access.
fn accessed(kind: &InstructionKind) -> Option<&Operand> {
    match kind {
        InstructionKind::Load { address, .. }
        | InstructionKind::Store { address, .. }
        | InstructionKind::ReadModifyWrite { address, .. } => Some(address),
        _ => None,
    }
}

fn register(operand: &Operand) -> Option<RegisterId> {
    if let Operand::Register(register) = operand { Some(*register) } else { None }
}

/// The sites of memory that some `free` may free.
fn freed(program: &Program, values: &Values) -> BTreeSet<Site> {
    let mut freed = BTreeSet::new();
    for (function, code) in program.functions.iter().enumerate() {
        for instruction in code.blocks.iter().flat_map(|block| &block.instructions) {
            let InstructionKind::Free { address } = &instruction.kind else { continue };
            freed.extend(values.of(function, address).places.iter().map(|class| class.site));
        }
    }
    let is_heap = |site: &Site| match values.instruction(program, *site) {
        Some(InstructionKind::Allocate { extent: Some(extent), .. }) => extent.storage == Storage::Heap,
        _ => false,
    };
    freed.retain(is_heap);
    freed
}

/// Which registers point into blocks that the function has allocated and that nobody else knows: with the place that allocated
/// the block.
type Known = BTreeMap<RegisterId, (usize, usize)>;

/// What is private to a function at the start of each block; `None` for a block that is not reached.
struct Private(Vec<Option<Known>>);

impl Private {
    fn of(function: &Function) -> Private {
        let mut starts: Vec<Option<Known>> = vec![None; function.blocks.len()];
        let mut open = vec![(0, Known::new())];
        while let Some((block, known)) = open.pop() {
            let before = &mut starts[block];
            let mut both = known.clone();
            if let Some(before) = before {
                both.retain(|register, made| before.get(register) == Some(made));
            }
            if before.as_ref() == Some(&both) {
                continue;
            }
            *before = Some(both.clone());
            let code = &function.blocks[block];
            for (number, instruction) in code.instructions.iter().enumerate() {
                follow(&mut both, (block, number), &instruction.kind);
            }
            open.extend(code.terminator.successors().into_iter().map(|next| (next.0 as usize, both.clone())));
        }
        Private(starts)
    }

    fn at_start(&self, block: usize) -> Known {
        self.0.get(block).cloned().flatten().unwrap_or_default()
    }
}

/// What is private after an instruction.
fn follow(known: &mut Known, at: (usize, usize), kind: &InstructionKind) {
    let derived = match kind {
        InstructionKind::Assign { operator, operands, .. } => match (operator, &operands[..]) {
            (Operator::Copy | Operator::Step(_) | Operator::Element { .. }, [from, ..]) => {
                register(from).and_then(|from| known.get(&from).copied())
            }
            _ => None,
        },
        InstructionKind::Allocate { .. } => Some(at),
        _ => None,
    };
    for operand in leaking(kind) {
        if let Some(made) = register(operand).and_then(|register| known.get(&register).copied()) {
            known.retain(|_, other| *other != made);
        }
    }
    for target in kind.targets() {
        match derived {
            // The same place may allocate once more, in a loop.
            Some(made) if made == at => known.retain(|_, other| *other != made),
            _ => {}
        }
        match derived {
            Some(made) => known.insert(target, made),
            None => known.remove(&target),
        };
    }
}

/// The operands that others may know from an instruction on.
fn leaking(kind: &InstructionKind) -> Vec<&Operand> {
    match kind {
        InstructionKind::Load { .. } | InstructionKind::Live { .. } => Vec::new(),
        InstructionKind::Store { value, .. } => vec![value],
        InstructionKind::ReadModifyWrite { update, .. } => match update {
            Update::Exchange(value) | Update::Apply(_, value) => vec![value],
            Update::CompareExchange { desired, .. } => vec![desired],
        },
        InstructionKind::Assign { operator, operands, .. } => match operator {
            Operator::Copy | Operator::Step(_) | Operator::Element { .. } => Vec::new(),
            Operator::Eq | Operator::Ne | Operator::IsFalse => Vec::new(),
            _ => operands.iter().collect(),
        },
        other => other.operands(),
    }
}
