//! Registers that count and that nobody asks: `while (load(&y) != 3) k++;`.
//!
//! Such a loop waits, but no two of its states are the same, so that no engine could see it. [`drop_counters`] takes away what
//! only computes itself. [`unheeded`] finds the registers that make no difference as long as a loop goes on, although they
//! are read after it.
//!
//! A signed counter of C overflows in the end, which is an error. A finite execution gets there, but only one in which a thread
//! waits for `MOST / STEP` iterations or more while the others stand still; what waits for the scheduler to be so
//! unfair is not looked for, and answers say so ([`Simplification::UnboundedCounters`]). The check stays where the loop is not
//! one that waits: where anything but counters is carried from iteration to iteration, in registers or in memory.

use std::collections::HashSet;

use crate::flow::{Loop, find_loops};
use crate::ir::{BlockId, Function, FunctionId, InstructionKind, Operand, Program, RegisterId, Update};
use crate::liveness::{Liveness, Registers};
use crate::operator::Operator;
use crate::simplification::Simplification;
use crate::value::Value;

/// What a signed counter may start with, at most,
const MOST: i64 = 1 << 30;
/// and by how much it may change at once.
const STEP: i64 = 1 << 10;

/// Takes the counters away that nobody reads.
pub fn drop_counters(program: &mut Program) {
    let liveness = Liveness::of(program);
    let mut are_checked = false;
    for at in (0..program.functions.len()).filter(|at| may_count(&program.functions[*at])).collect::<Vec<_>>() {
        let id = FunctionId(at as u32);
        let has_checks = program[id].instructions().any(|one| is_checked(&one.kind));
        let waiting = if has_checks { waiting_loops(program, at) } else { Vec::new() };
        let live_at = |head| liveness.before(program, id, head, 0);
        let counters = counters(&program[id], &waiting, &live_at, liveness.at_end(id));
        if !counters.is_empty() {
            are_checked |= take_away(&mut program.functions[at], &counters);
        }
    }
    if are_checked {
        program.simplified.insert(Simplification::UnboundedCounters);
    }
}

/// Whether a function may have counters: it adds or subtracts a number somewhere. Most functions of libraries do not.
fn may_count(function: &Function) -> bool {
    function.instructions().any(|one| match &one.kind {
        InstructionKind::Assign { operator, operands, .. } => {
            let is_sum = matches!(operator, Operator::Add | Operator::Sub);
            (is_sum || is_checked(&one.kind)) && operands.iter().any(|operand| operand.constant().is_some())
        }
        _ => false,
    })
}

/// The registers of a loop that decide nothing while it goes on: no branch, no access, no call, no assertion depends on them.
pub fn unheeded(function: &Function, of: &Loop) -> HashSet<RegisterId> {
    let blocks = || function.block_ids().filter(|block| of.contains(*block)).map(|block| &function[block]);
    let mut heeded: HashSet<RegisterId> = HashSet::new();
    for block in blocks() {
        heeded.extend(registers(block.terminator.operands()));
        let others = block.instructions.iter().filter(|one| !matches!(one.kind, InstructionKind::Assign { .. }));
        heeded.extend(others.flat_map(|one| registers(one.kind.operands())));
    }
    loop {
        let before = heeded.len();
        for instruction in blocks().flat_map(|block| &block.instructions) {
            if let InstructionKind::Assign { target, operands, .. } = &instruction.kind
                && heeded.contains(target)
            {
                heeded.extend(registers(operands.iter().collect()));
            }
        }
        if heeded.len() == before {
            let all = (0..function.registers.len()).map(RegisterId::at);
            return all.filter(|register| !heeded.contains(register)).collect();
        }
    }
}

fn registers(operands: Vec<&Operand>) -> impl Iterator<Item = RegisterId> {
    operands.into_iter().filter_map(|operand| match operand {
        Operand::Register(register) => Some(*register),
        Operand::Constant(_) => None,
    })
}

/// The greatest set of registers that are computed of each other and of integers alone, and that nothing else reads; empty if
/// none of them is computed of itself.
fn counters<'l>(
    function: &Function,
    waiting: &[Loop],
    live_at: &dyn Fn(BlockId) -> &'l Registers,
    observed: &Registers,
) -> HashSet<RegisterId> {
    let is_own =
        |register: &RegisterId| !function.parameters.contains(register) && !observed.contains(register.0 as usize);
    let mut counters: HashSet<RegisterId> = (0..function.registers.len()).map(RegisterId::at).filter(is_own).collect();
    loop {
        let before = counters.len();
        for (id, block) in function.block_ids().zip(&function.blocks) {
            for register in registers(block.terminator.operands()) {
                counters.remove(&register);
            }
            for instruction in &block.instructions {
                if !counts(&instruction.kind, &counters) {
                    instruction.kind.targets().iter().for_each(|target| {
                        counters.remove(target);
                    });
                    registers(instruction.kind.operands()).for_each(|register| {
                        counters.remove(&register);
                    });
                } else if is_checked(&instruction.kind)
                    && !waiting
                        .iter()
                        .any(|of| of.contains(id) && carries_only(function, of, live_at(of.head), &counters))
                {
                    instruction.kind.targets().iter().for_each(|target| {
                        counters.remove(target);
                    });
                }
            }
        }
        if counters.len() == before {
            break;
        }
    }
    if is_circular(function, &counters) { counters } else { HashSet::new() }
}

/// Whether an instruction computes a counter of counters and integers.
fn counts(kind: &InstructionKind, counters: &HashSet<RegisterId>) -> bool {
    let InstructionKind::Assign { target, operator, operands } = kind else { return false };
    let of_counter = |operand: &Operand| matches!(operand, Operand::Register(register) if counters.contains(register));
    let number = |operand: &Operand| match operand {
        Operand::Constant(Value::Int(number)) => Some(number.signed()),
        _ => None,
    };
    let is_small =
        |operand: &Operand, most: i64| number(operand).is_some_and(|number| (-most..=most).contains(&number));
    counters.contains(target)
        && match (operator, operands.as_slice()) {
            (Operator::Copy, [operand]) => of_counter(operand) || is_small(operand, MOST),
            (Operator::Resize { .. }, [operand]) => of_counter(operand),
            (Operator::Add | Operator::AddSigned, [a, b]) => {
                of_counter(a) && is_small(b, STEP) || is_small(a, STEP) && of_counter(b)
            }
            (Operator::Sub | Operator::SubSigned, [a, b]) => of_counter(a) && is_small(b, STEP),
            _ => false,
        }
}

/// Whether an instruction notices overflow.
fn is_checked(kind: &InstructionKind) -> bool {
    matches!(kind, InstructionKind::Assign { operator: Operator::AddSigned | Operator::SubSigned, .. })
}

/// Whether an iteration of the loop hands nothing but counters on to the next one.
fn carries_only(function: &Function, of: &Loop, live: &Registers, counters: &HashSet<RegisterId>) -> bool {
    let inside = function.block_ids().filter(|block| of.contains(*block));
    let mut set = inside.flat_map(|block| &function[block].instructions).flat_map(|one| one.kind.targets());
    set.all(|target| counters.contains(&target) || !live.contains(target.0 as usize))
}

/// Whether some register is computed of itself.
fn is_circular(function: &Function, counters: &HashSet<RegisterId>) -> bool {
    let reads: Vec<(RegisterId, RegisterId)> = function
        .instructions()
        .flat_map(|one| one.kind.targets().into_iter().map(move |target| (target, one)))
        .filter(|(target, _)| counters.contains(target))
        .flat_map(|(target, one)| registers(one.kind.operands()).map(move |read| (target, read)))
        .collect();
    counters.iter().any(|counter| {
        let mut reached = HashSet::new();
        let mut open = vec![*counter];
        while let Some(register) = open.pop() {
            let next = reads.iter().filter(|(target, _)| *target == register).map(|(_, read)| *read);
            open.extend(next.filter(|read| reached.insert(*read)));
        }
        reached.contains(counter)
    })
}

/// Takes the instructions away that set counters. Whether one of them would have noticed overflow.
fn take_away(function: &mut Function, counters: &HashSet<RegisterId>) -> bool {
    let mut are_checked = false;
    for block in &mut function.blocks {
        block.instructions.retain(|instruction| {
            let targets = instruction.kind.targets();
            let is_counter = !targets.is_empty() && targets.iter().all(|target| counters.contains(target));
            are_checked |= is_counter && is_checked(&instruction.kind);
            !is_counter
        });
    }
    are_checked
}

/// The loops of a function that hand no number on in memory from iteration to iteration.
fn waiting_loops(program: &Program, at: usize) -> Vec<Loop> {
    let function = &program.functions[at];
    let mut loops = find_loops(function);
    loops.retain(|of| {
        let mut inside = function.block_ids().filter(|block| of.contains(*block));
        inside.all(|block| {
            let is_read_only = |kind| hands_nothing_on(program, function, kind, &mut HashSet::new());
            function[block].instructions.iter().all(|one| is_read_only(&one.kind))
        })
    });
    loops
}

/// Whether an instruction, with all that it calls, writes nothing that was computed.
fn hands_nothing_on(
    program: &Program,
    function: &Function,
    kind: &InstructionKind,
    known: &mut HashSet<FunctionId>,
) -> bool {
    use InstructionKind::*;
    match kind {
        Store { value, .. } | ReadModifyWrite { update: Update::Exchange(value), .. } => is_given(function, value),
        ReadModifyWrite { update: Update::CompareExchange { desired, .. }, .. } => is_given(function, desired),
        ReadModifyWrite { .. } | Allocate { .. } | Free { .. } | End { .. } | Freeze { .. } => false,
        Spawn { .. } | Choose { .. } | Observe { .. } => false,
        Call { .. } | CallVirtual { .. } => kind.callees().into_iter().all(|id| {
            let callee = &program[id];
            !known.insert(id) || callee.instructions().all(|one| hands_nothing_on(program, callee, &one.kind, known))
        }),
        _ => true,
    }
}

/// Whether an operand is a constant or was not computed, but for copies of such.
fn is_given(function: &Function, operand: &Operand) -> bool {
    let Operand::Register(register) = operand else { return true };
    let mut definitions = function.instructions().filter(|one| one.kind.targets().contains(register));
    definitions.all(|one| match &one.kind {
        InstructionKind::Identify { .. } => true,
        InstructionKind::Assign { operator: Operator::Copy, operands, .. } => {
            operands.iter().all(|operand| matches!(operand, Operand::Constant(_)))
        }
        _ => false,
    })
}
