//! Atomic sections of built-in functions that access several cells, as those of futexes, under models that do not speak of atomic blocks:
//! they take a lock that all of them share, as the kernel does.
//!
//! That is as good, since what they read and write is theirs, but for one word of the program, which they only read: who has changed it
//! before his own section is seen, and who has not yet will come to his section later. Sections of users are left as they are: others may
//! access what they access.

use std::collections::BTreeSet;

use program::{
    Access, Extent, FileId, Function, Global, Instruction, InstructionKind, Operand, Operator, Order, Pointer, Program,
    RegisterId, Span, Storage, Value,
};

/// The name of the lock.
const LOCK: &str = "kernel";

/// The program with locks instead of such sections.
pub fn as_locks(mut program: Program) -> Program {
    let files = files_with_wide_sections(&program);
    if files.is_empty() {
        return program;
    }
    let lock = Operand::Constant(Value::Pointer(Pointer::to(program.globals.len() as u32)));
    let (extent, default) = (Some(Extent::of(4, 4, Storage::Static)), Value::int(0, 32));
    program.globals.push(Global { name: LOCK.into(), cells: Vec::new(), default, extent, span: None });
    program.functions.iter_mut().for_each(|function| lock_sections(function, &lock, &files));
    program
}

/// The built-in files with sections of several cells: all sections of such a file share what they access.
fn files_with_wide_sections(program: &Program) -> BTreeSet<FileId> {
    let sections = program.functions.iter().filter_map(wide_section);
    sections.map(|span| span.file).filter(|file| program.sources.is_library(*file)).collect()
}

/// Where a section of a function begins that accesses several cells, as far as the addresses say, or calls another function.
fn wide_section(function: &Function) -> Option<Span> {
    let mut section: Option<(Option<Span>, Vec<&Operand>)> = None;
    for instruction in function.instructions() {
        match (&instruction.kind, &mut section) {
            (InstructionKind::AtomicBegin, _) => section = Some((instruction.span, Vec::new())),
            (InstructionKind::AtomicEnd, _) => section = None,
            (InstructionKind::Call { .. }, Some((begin, _))) if begin.is_some() => return *begin,
            (
                InstructionKind::Load { address, .. }
                | InstructionKind::Store { address, .. }
                | InstructionKind::ReadModifyWrite { address, .. },
                Some((begin, addresses)),
            ) => {
                addresses.push(address);
                if begin.is_some() && addresses.iter().any(|other| *other != address) {
                    return *begin;
                }
            }
            _ => {}
        }
    }
    None
}

/// Takes the lock at the begin of each section that does not wait, and gives it back at the end.
fn lock_sections(function: &mut Function, lock: &Operand, files: &BTreeSet<FileId>) {
    let waits: Vec<bool> = function.blocks.iter().map(|block| begins_with_waiting(&block.instructions)).collect();
    let mut is_open = false;
    for (block, waits) in function.blocks.iter_mut().zip(waits) {
        let mut code = Vec::with_capacity(block.instructions.len());
        for instruction in std::mem::take(&mut block.instructions) {
            let span = instruction.span;
            let is_ours = span.is_some_and(|span| files.contains(&span.file));
            match instruction.kind {
                InstructionKind::AtomicBegin if is_ours && !waits => {
                    is_open = true;
                    code.extend(taken(&mut function.registers, lock, span));
                }
                InstructionKind::AtomicEnd if is_ours && is_open => {
                    is_open = false;
                    let (value, access) = (Operand::Constant(Value::int(0, 32)), access(Order::Release));
                    code.push(Instruction {
                        kind: InstructionKind::Store { address: lock.clone(), value, access },
                        span,
                    });
                }
                kind => code.push(Instruction { kind, span }),
            }
        }
        block.instructions = code;
    }
}

/// Whether a section of these instructions waits: it is of one cell.
fn begins_with_waiting(instructions: &[Instruction]) -> bool {
    instructions.iter().any(|instruction| matches!(instruction.kind, InstructionKind::Await { .. }))
}

fn access(order: Order) -> Access {
    Access::ordered(order).of_bytes(4)
}

/// Waits until the lock is free, and takes it, in one step.
fn taken(registers: &mut Vec<String>, lock: &Operand, span: Option<Span>) -> Vec<Instruction> {
    let mut register = |name: &str| {
        registers.push(name.into());
        RegisterId(registers.len() as u32 - 1)
    };
    let (held, free) = (register("held"), register("free"));
    let number = |value: i64| Operand::Constant(Value::int(value, 32));
    let kinds = [
        InstructionKind::AtomicBegin,
        InstructionKind::Load { target: held, address: lock.clone(), access: access(Order::Acquire) },
        InstructionKind::Assign {
            target: free,
            operator: Operator::Eq,
            operands: vec![Operand::Register(held), number(0)],
        },
        InstructionKind::Await { condition: Operand::Register(free) },
        InstructionKind::Store { address: lock.clone(), value: number(1), access: access(Order::Relaxed) },
        InstructionKind::AtomicEnd,
    ];
    kinds.into_iter().map(|kind| Instruction { kind, span }).collect()
}
