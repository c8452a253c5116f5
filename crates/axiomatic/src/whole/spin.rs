//! Loops that only wait become awaits.
//!
//! If the iterations of a loop but the last change nothing, an execution without them is an execution of the program too, and one
//! with the same outcome: what is left out only read, or wrote back what it read. So only the last iteration is looked at
//! (CheckFence thesis, section 7.2.3), and the thread waits until it can be the last one. An iteration changes nothing if its
//! one access is
//!
//! - a load, or a compare-exchange that fails whenever the loop goes on,
//! - an exchange that then has read what it writes. This depends on what the cell may hold, so it is a promise that
//!   [`Spins::keep`] checks once that is known,
//!
//! and if nothing that an iteration computes is used by the next one.

use std::collections::HashMap;

use program::liveness::live_at_start;
use program::{
    BlockId, Flow, Function, Instruction, InstructionKind, Operand, Operator, Program, RegisterId, Terminator,
    ThreadId, Update, Value, Verified,
};

use crate::unroll::{Unrolling, code, loop_body};
use crate::values::Values;
use crate::walk::exclusive;

/// The loops that became awaits under a promise.
#[derive(Clone, Debug, Default)]
pub(super) struct Spins {
    /// By function and block: the position of the load, what is written, and how it is decided whether to go on.
    promises: Vec<(FunctionPlace, Value, Iteration)>,
}

/// An instruction: the entry function of its thread, its block, its position there.
type FunctionPlace = (usize, BlockId, usize);

/// What an iteration of a waiting loop does.
#[derive(Clone, Debug)]
struct Iteration {
    block: BlockId,
    /// Which instruction of the block is the access.
    position: usize,
    /// What is computed from what it gives, until the loop is left or goes on.
    computed: Vec<(RegisterId, Operator, Vec<Operand>)>,
    /// Decides about that,
    condition: Operand,
    /// and must have this truth value for the loop to be left.
    leaves_if: bool,
}

/// The program with awaits for the loops that only wait; those with exchanges only if wanted.
pub(super) fn with_awaits(program: &Verified, exchanges: bool) -> (Option<Verified>, Spins) {
    let mut result = Program::clone(program);
    let mut spins = Spins::default();
    let mut entries: Vec<usize> = program.threads.iter().map(|thread| thread.entry.0 as usize).collect();
    entries.sort_unstable();
    entries.dedup();
    let mut changed = false;
    for entry in entries {
        let function = &program.functions[entry];
        let mut iterations: Vec<Iteration> =
            Flow::of(function).loop_heads().into_iter().filter_map(|head| waiting_iteration(function, head)).collect();
        // From the back, so that positions stay.
        iterations.sort_by_key(|iteration| (iteration.block, std::cmp::Reverse(iteration.position)));
        for iteration in iterations {
            let exchanged = exchanged(function, &iteration);
            if exchanged.is_some() && !exchanges {
                continue;
            }
            let at = put_await(&mut result.functions[entry], &iteration);
            changed = true;
            spins.promises.extend(exchanged.map(|value| ((entry, iteration.block, at), value, iteration)));
        }
    }
    // What would break the law of programs stays as it was.
    let verified = if changed { program::verify(result).ok() } else { None };
    if verified.is_none() {
        spins.promises.clear();
    }
    (verified, spins)
}

/// Takes out the marks of places in loops of threads that only wait.
pub(super) fn remove_marks(program: &mut Program) {
    let entries: Vec<usize> = program.threads.iter().map(|thread| thread.entry.0 as usize).collect();
    for entry in entries {
        let function = &program.functions[entry];
        let heads = Flow::of(function).loop_heads().into_iter();
        let waiting = heads.filter(|head| waiting_iteration(function, *head).is_some());
        let blocks: Vec<BlockId> = waiting.flat_map(|head| loop_body(function, head)).collect();
        for block in blocks {
            let instructions = &mut program.functions[entry].blocks[block.index()].instructions;
            instructions.retain(|instruction| !is_mark(&instruction.kind));
        }
    }
}

fn is_mark(kind: &InstructionKind) -> bool {
    matches!(kind, InstructionKind::Fence { access } if access.is_place())
}

impl Spins {
    /// Whether every exchange writes back what it read whenever its loop goes on.
    pub(super) fn keep(&self, program: &Verified, unrolling: &Unrolling, values: &Values) -> bool {
        let place = |thread: ThreadId, (node, position): (usize, usize)| -> Option<FunctionPlace> {
            let entry = program.threads.get(thread.0 as usize)?.entry.0 as usize;
            let block = unrolling.threads[thread.index()].nodes[node].block;
            code(program, thread).map(|_| (entry, block, position))
        };
        self.promises.iter().all(|(promised, written, iteration)| {
            let reads = values.course.touches.iter().zip(&values.reads);
            let mut of_place = reads.filter(|(touch, _)| place(touch.thread, touch.at).as_ref() == Some(promised));
            of_place.all(|(_, read)| {
                let fine = |value: &Value| value == written || iteration.leaves(&[(iteration.target(), value.clone())]);
                read.any.is_none() && read.values.iter().all(fine)
            })
        })
    }
}

impl Iteration {
    /// The register that gets what is read; in a compare-exchange that of the success.
    fn target(&self) -> RegisterId {
        self.computed.first().map_or(RegisterId(u32::MAX), |(target, ..)| *target)
    }

    /// Whether the loop is left for certain if these registers hold these values.
    fn leaves(&self, known: &[(RegisterId, Value)]) -> bool {
        let mut held: HashMap<RegisterId, Value> = known.iter().cloned().collect();
        let value = |operand: &Operand, held: &HashMap<RegisterId, Value>| match operand {
            Operand::Constant(value) => Some(value.clone()),
            Operand::Register(register) => held.get(register).cloned(),
        };
        for (target, operator, operands) in self.computed.iter().skip(1) {
            let operands: Option<Vec<Value>> = operands.iter().map(|operand| value(operand, &held)).collect();
            match operands {
                Some(operands) => held.insert(*target, operator.apply(&operands)),
                None => held.remove(target),
            };
        }
        value(&self.condition, &held).and_then(|value| value.truth()) == Some(self.leaves_if)
    }
}

/// The iteration of a loop that only waits.
fn waiting_iteration(function: &Function, head: BlockId) -> Option<Iteration> {
    let body = loop_body(function, head);
    let block = |id: BlockId| &function[id];
    let is_inside = |id: &BlockId| body.contains(id);
    // One access; all else only computes.
    let mut accesses = Vec::new();
    let mut assigned: Vec<RegisterId> = Vec::new();
    for &id in &body {
        for (position, instruction) in block(id).instructions.iter().enumerate() {
            match &instruction.kind {
                InstructionKind::Assign { .. } | InstructionKind::Live { .. } => {}
                mark if is_mark(mark) => {}
                InstructionKind::Load { .. } | InstructionKind::ReadModifyWrite { .. } => accesses.push((id, position)),
                _ => return None,
            }
            assigned.extend(instruction.kind.targets());
        }
    }
    let [(at, position)] = accesses[..] else { return None };
    // One way out, and no value from one iteration to the next.
    let leaving = |id: &BlockId| block(*id).terminator.successors().iter().filter(|next| !is_inside(next)).count();
    if body.iter().map(leaving).sum::<usize>() != 1 || body.iter().any(|&id| is_return(block(id))) {
        return None;
    }
    let live = live_at_start(function);
    if assigned.iter().any(|register| live[head.0 as usize].contains(register.0 as usize)) {
        return None;
    }
    // Nothing decides before the access.
    let mut before = head;
    while before != at {
        let Terminator::Jump(next) = block(before).terminator else { return None };
        before = next;
    }
    let iteration = decision(function, &body, (at, position))?;
    let instruction = &block(at).instructions[position].kind;
    match instruction {
        InstructionKind::Load { .. } => Some(iteration),
        InstructionKind::ReadModifyWrite { update: Update::Exchange(Operand::Constant(_)), .. } => Some(iteration),
        InstructionKind::ReadModifyWrite { update: Update::CompareExchange { success, .. }, .. } => {
            iteration.leaves(&[(*success, Value::int(1, 32))]).then_some(iteration)
        }
        _ => None,
    }
}

fn is_return(block: &program::Block) -> bool {
    matches!(block.terminator, Terminator::Return(_))
}

/// Follows an iteration from its access to where it is decided whether the loop is left. Of a compare-exchange the way after its
/// success is followed.
fn decision(function: &Function, body: &[BlockId], (at, position): (BlockId, usize)) -> Option<Iteration> {
    let access = &function[at].instructions[position].kind;
    let (target, success) = match access {
        InstructionKind::ReadModifyWrite { update: Update::CompareExchange { success, .. }, .. } => {
            (*success, Some(*success))
        }
        other => (*other.targets().first()?, None),
    };
    let mut computed = vec![(target, Operator::Copy, Vec::new())];
    let (mut block, mut first) = (at, position + 1);
    // Longer than the loop would be a second iteration.
    for _ in 0..=body.len() {
        let code = &function[block];
        for instruction in &code.instructions[first..] {
            if let InstructionKind::Assign { target, operator, operands } = &instruction.kind {
                computed.push((*target, operator.clone(), operands.clone()));
            }
        }
        first = 0;
        block = match &code.terminator {
            Terminator::Jump(next) => *next,
            Terminator::Branch { condition, then, otherwise, .. } => {
                match (body.contains(then), body.contains(otherwise)) {
                    (true, false) | (false, true) => {
                        let leaves_if = !body.contains(then);
                        return Some(Iteration {
                            block: at,
                            position,
                            computed,
                            condition: condition.clone(),
                            leaves_if,
                        });
                    }
                    (true, true) if success.is_some() && *condition == Operand::Register(success?) => *then,
                    _ => return None,
                }
            }
            Terminator::Return(_) => return None,
        };
    }
    None
}

/// What an exchange writes.
fn exchanged(function: &Function, iteration: &Iteration) -> Option<Value> {
    match &function[iteration.block].instructions[iteration.position].kind {
        InstructionKind::ReadModifyWrite { update: Update::Exchange(Operand::Constant(value)), .. } => {
            Some(value.clone())
        }
        _ => None,
    }
}

/// Puts an atomic block that awaits the end of the loop in the place of the access; gives the position of its load.
fn put_await(function: &mut Function, iteration: &Iteration) -> usize {
    let block = iteration.block.0 as usize;
    let Instruction { kind, span } = function.blocks[block].instructions[iteration.position].clone();
    let mut code = vec![InstructionKind::AtomicBegin];
    let assign = |target, operator, operands| InstructionKind::Assign { target, operator, operands };
    match kind {
        InstructionKind::Load { target, address, access } => {
            code.push(InstructionKind::Load { target, address, access });
            let condition = exit_condition(function, iteration, &mut code);
            code.push(InstructionKind::Await { condition });
            code.push(InstructionKind::AtomicEnd);
        }
        InstructionKind::ReadModifyWrite { target, address, update, access } => {
            let access = exclusive(&access);
            code.push(InstructionKind::Load { target, address: address.clone(), access: access.clone() });
            match update {
                Update::CompareExchange { expected, desired, success, .. } => {
                    let is_expected = fresh(function, "is_expected");
                    code.push(assign(is_expected, Operator::Eq, vec![Operand::Register(target), expected]));
                    code.push(InstructionKind::Await { condition: Operand::Register(is_expected) });
                    code.push(InstructionKind::Store { address, value: desired, access });
                    code.push(InstructionKind::AtomicEnd);
                    code.push(assign(success, Operator::Copy, vec![Operand::Constant(Value::int(1, 32))]));
                }
                Update::Exchange(value) | Update::Apply(_, value) => {
                    let condition = exit_condition(function, iteration, &mut code);
                    code.push(InstructionKind::Await { condition });
                    code.push(InstructionKind::Store { address, value, access });
                    code.push(InstructionKind::AtomicEnd);
                }
            }
        }
        other => code = vec![other],
    }
    let code = code.into_iter().map(|kind| Instruction { kind, span });
    function.blocks[block].instructions.splice(iteration.position..=iteration.position, code);
    iteration.position + 1
}

/// Computes, in registers of its own, whether the loop is left.
fn exit_condition(function: &mut Function, iteration: &Iteration, code: &mut Vec<InstructionKind>) -> Operand {
    let mut renamed: HashMap<RegisterId, RegisterId> = HashMap::new();
    let own = |operand: &Operand, renamed: &HashMap<RegisterId, RegisterId>| match operand {
        Operand::Register(register) => Operand::Register(*renamed.get(register).unwrap_or(register)),
        constant => constant.clone(),
    };
    for (target, operator, operands) in iteration.computed.iter().skip(1) {
        let operands = operands.iter().map(|operand| own(operand, &renamed)).collect();
        let copy = fresh(function, "leaves");
        code.push(InstructionKind::Assign { target: copy, operator: operator.clone(), operands });
        renamed.insert(*target, copy);
    }
    let condition = own(&iteration.condition, &renamed);
    if iteration.leaves_if {
        return condition;
    }
    let leaves = fresh(function, "leaves");
    let (operator, operands) = (Operator::IsFalse, vec![condition]);
    code.push(InstructionKind::Assign { target: leaves, operator, operands });
    Operand::Register(leaves)
}

fn fresh(function: &mut Function, name: &str) -> RegisterId {
    function.registers.push(name.into());
    RegisterId(function.registers.len() as u32 - 1)
}
