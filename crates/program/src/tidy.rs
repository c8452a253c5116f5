//! Putting a function in order once it is written: blocks that do nothing are left out, the others stand in the order of the
//! control flow.
//!
//! [`tidy`] keeps the blocks and registers that the source names. [`compact`] is for code without structure, such as bytecode: it
//! merges blocks, drops registers, and finds out where control dependencies end.

use std::collections::{HashMap, HashSet};

use crate::flow::{Flow, post_dominators};
use crate::ir::{Block, BlockId, Function, Operand, RegisterId, Terminator};

/// Drops the blocks that cannot be reached or do nothing; the others stand in the order of [`Flow`].
pub fn tidy(function: &mut Function) {
    // A block that the source names stays.
    skip_empty(&mut function.blocks, |block| block.span.is_none());
    put_in_order(function);
}

/// Drops what cannot be reached or does nothing, puts the blocks in order, drops registers that nothing uses, and says
/// where each control dependency ends.
pub fn compact(function: &mut Function) {
    skip_empty(&mut function.blocks, |_| true);
    drop_equal_branches(&mut function.blocks);
    put_in_order(function);
    merge(function);
    put_in_order(function);
    drop_registers(function);
    set_joins(&mut function.blocks);
}

/// Leads every jump past the blocks that do nothing but jump on and that may be left out.
fn skip_empty(blocks: &mut [Block], may_skip: fn(&Block) -> bool) {
    let next = |block: &Block| match block.terminator {
        Terminator::Jump(next) if block.instructions.is_empty() && may_skip(block) => Some(next),
        _ => None,
    };
    let onward: Vec<Option<BlockId>> = blocks.iter().map(next).collect();
    let last = |start: BlockId| {
        // No more steps than blocks, in case that empty blocks form a circle.
        let steps = std::iter::successors(Some(start), |block| onward[block.index()]).take(onward.len());
        steps.last().unwrap_or(start)
    };
    blocks.iter_mut().for_each(|block| redirect(&mut block.terminator, |target| Some(last(target))));
}

/// A branch that leads to one block either way is a jump.
fn drop_equal_branches(blocks: &mut [Block]) {
    for block in blocks {
        if let Terminator::Branch { then, otherwise, .. } = block.terminator
            && then == otherwise
        {
            block.terminator = Terminator::Jump(then);
        }
    }
}

/// Puts the blocks that can be reached in the order of the control flow and numbers them anew; drops the others.
fn put_in_order(function: &mut Function) {
    let flow = Flow::of(function);
    let mut numbers = vec![None; function.blocks.len()];
    for (number, block) in flow.order().iter().enumerate() {
        numbers[block.index()] = Some(BlockId::at(number));
    }
    let mut old: Vec<Option<Block>> = std::mem::take(&mut function.blocks).into_iter().map(Some).collect();
    function.blocks = flow.order().iter().filter_map(|block| old[block.index()].take()).collect();
    for block in &mut function.blocks {
        redirect(&mut block.terminator, |target| numbers[target.index()]);
    }
}

/// Gives a terminator new targets. One that is gone can only be a join, whose branches then never meet.
fn redirect(terminator: &mut Terminator, new: impl Fn(BlockId) -> Option<BlockId>) {
    match terminator {
        Terminator::Jump(next) => *next = new(*next).unwrap_or(*next),
        Terminator::Branch { then, otherwise, join, .. } => {
            *then = new(*then).unwrap_or(*then);
            *otherwise = new(*otherwise).unwrap_or(*otherwise);
            *join = join.and_then(new);
        }
        Terminator::Return(_) => {}
    }
}

/// Appends to each block the one that it alone leads to.
fn merge(function: &mut Function) {
    let mut arriving = vec![0usize; function.blocks.len()];
    for next in function.blocks.iter().flat_map(|block| block.terminator.successors()) {
        arriving[next.index()] += 1;
    }
    for block in function.block_ids() {
        while let Terminator::Jump(next) = function[block].terminator
            && next != BlockId(0)
            && next != block
            && arriving[next.index()] == 1
        {
            let next = &mut function[next];
            let instructions = std::mem::take(&mut next.instructions);
            let terminator = std::mem::replace(&mut next.terminator, Terminator::Return(Vec::new()));
            function[block].instructions.extend(instructions);
            function[block].terminator = terminator;
        }
    }
}

/// Drops the registers that no instruction names, but for parameters, and numbers the others anew.
fn drop_registers(function: &mut Function) {
    let mut used: HashSet<RegisterId> = function.parameters.iter().copied().collect();
    each_register(function, &mut |register| {
        used.insert(*register);
    });
    let mut numbers = HashMap::new();
    let mut names = Vec::new();
    for (index, name) in std::mem::take(&mut function.registers).into_iter().enumerate() {
        let old = RegisterId::at(index);
        if used.contains(&old) {
            numbers.insert(old, RegisterId::at(names.len()));
            names.push(name);
        }
    }
    function.registers = names;
    let mut renumber = |register: &mut RegisterId| *register = numbers[register];
    function.parameters.iter_mut().for_each(&mut renumber);
    each_register(function, &mut renumber);
}

/// Every register that an instruction or the end of a block names.
fn each_register(function: &mut Function, each: &mut impl FnMut(&mut RegisterId)) {
    for block in &mut function.blocks {
        block.instructions.iter_mut().for_each(|instruction| instruction.kind.each_register_mut(each));
        for operand in block.terminator.operands_mut() {
            if let Operand::Register(register) = operand {
                each(register);
            }
        }
    }
}

/// A control dependency ends at the branch's immediate post-dominator, if it has one.
fn set_joins(blocks: &mut [Block]) {
    let joins = post_dominators(blocks);
    for (block, found) in blocks.iter_mut().zip(joins) {
        if let Terminator::Branch { join, .. } = &mut block.terminator {
            *join = found;
        }
    }
}
