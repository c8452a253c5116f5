//! What C11's memory orders become on machines with store buffers: fences around the stores.
//!
//! | C11 | total store order (x86) | partial store order (SPARC) |
//! |---|---|---|
//! | load, of any order | load | load |
//! | relaxed store | store | store |
//! | release store | store | store-store fence, store |
//! | seq_cst store | store, full fence | store-store fence, store, full fence |
//! | read-modify-write, of any order | locked instruction | the same: a full fence, as `models/pso.cat` says |
//! | fence | what it orders | what it orders |
//!
//! These are the usual mappings: on both machines loads stay before whatever follows them, so that an acquire is free, and a
//! release only has to keep earlier stores before its own. Every outcome of the compiled program is one that C11 (rc11)
//! allows, which a test checks; it does not have all of them. The orders stay on the accesses, for those who look for races;
//! the fences say that they are none of the program's, so that nothing happens before anything because of them.

use crate::ir::{Access, Block, Instruction, InstructionKind, Order, Program};

/// A machine that programs are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Stores get to memory in order, later than the loads behind them.
    TotalStoreOrder,
    /// Stores to different cells get to memory in any order.
    PartialStoreOrder,
}

/// The program with a fence wherever the order of an atomic store needs one.
#[must_use]
pub fn compile_orders(mut program: Program, target: Target) -> Program {
    for block in program.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        compile_block(block, target);
    }
    program
}

fn compile_block(block: &mut Block, target: Target) {
    let atomic = atomic_blocks(&block.instructions);
    let mut compiled = Vec::with_capacity(block.instructions.len());
    for (index, instruction) in std::mem::take(&mut block.instructions).into_iter().enumerate() {
        let order = match &instruction.kind {
            InstructionKind::Store { access, .. } if !atomic.iter().any(|locked| locked.contains(&index)) => {
                access.order
            }
            _ => Order::Relaxed,
        };
        let fence = |access: Access| Instruction { kind: InstructionKind::Fence { access }, span: instruction.span };
        let releases = matches!(order, Order::Release | Order::AcquireRelease | Order::SeqCst);
        if releases && target == Target::PartialStoreOrder {
            compiled.push(fence(Access::plain().tagged("SS")));
        }
        let after = (order == Order::SeqCst).then(|| fence(Access::ordered(Order::SeqCst).tagged(Access::COMPILED)));
        compiled.push(instruction);
        compiled.extend(after);
    }
    block.instructions = compiled;
}

/// The atomic blocks of more than one access that begin and end in this list: each is one locked step, and needs no fences.
fn atomic_blocks(instructions: &[Instruction]) -> Vec<std::ops::Range<usize>> {
    use InstructionKind::*;
    let (mut found, mut begin) = (Vec::new(), None);
    for (index, instruction) in instructions.iter().enumerate() {
        match (&instruction.kind, begin) {
            (AtomicBegin, _) => begin = Some(index),
            (AtomicEnd, Some(start)) => {
                let is_access =
                    |inside: &&Instruction| matches!(inside.kind, Load { .. } | Store { .. } | ReadModifyWrite { .. });
                if instructions[start..index].iter().filter(is_access).count() > 1 {
                    found.push(start..index);
                }
                begin = None;
            }
            _ => {}
        }
    }
    found
}
