//! Atomic blocks inside of atomic blocks: all but the outermost are redundant (CheckFence thesis, section 4.6.2).
//!
//! The inner ones are taken away. Of a function with atomic blocks that is called inside of one, a second form without them is
//! made. Where an inner block waits the program stays as it is, and the law of programs refuses it.

use std::collections::HashMap;

use program::{Function, FunctionId, InstructionKind, Program};

use super::harness::callees;
use super::threads::SECTION;

/// Takes inner atomic blocks away.
pub fn flatten(program: &mut Program) {
    // Sections of the verification competition hold a lock, which a thread does not take twice.
    if program.globals.iter().any(|global| global.name == SECTION) {
        return;
    }
    let has_blocks = with_blocks(&program.functions);
    let mut flat = Flat { has_blocks, made: HashMap::new(), functions: program.functions.clone() };
    for index in 0..program.functions.len() {
        let Some(function) = flat.function(&program.functions, FunctionId(index as u32), 0) else { return };
        flat.functions[index] = function;
    }
    program.functions = flat.functions;
}

struct Flat {
    /// For each function whether it, or one that it calls, has atomic blocks.
    has_blocks: Vec<bool>,
    /// The second forms of functions, by the number of the first.
    made: HashMap<FunctionId, FunctionId>,
    /// All functions, second forms behind first ones.
    functions: Vec<Function>,
}

impl Flat {
    /// A function as it is called inside of so many atomic blocks, without redundant ones; `None` if one of those waits.
    fn function(&mut self, all: &[Function], id: FunctionId, outside: usize) -> Option<Function> {
        let mut function = all[id.index()].clone();
        let depths = depths(&function, outside);
        for (block, entered) in function.blocks.iter_mut().zip(depths) {
            let mut depth = entered;
            let mut kept = Vec::new();
            for mut instruction in std::mem::take(&mut block.instructions) {
                let is_redundant = match &mut instruction.kind {
                    InstructionKind::AtomicBegin => {
                        depth += 1;
                        depth > 1
                    }
                    InstructionKind::AtomicEnd => {
                        depth = depth.saturating_sub(1);
                        depth > 0
                    }
                    InstructionKind::Await { .. } if depth > 1 => return None,
                    InstructionKind::Call { function, .. } if depth > 0 => {
                        *function = self.inside(all, *function)?;
                        false
                    }
                    InstructionKind::CallVirtual { table, .. } if depth > 0 => {
                        for (_, function) in table {
                            *function = self.inside(all, *function)?;
                        }
                        false
                    }
                    _ => false,
                };
                if !is_redundant {
                    kept.push(instruction);
                }
            }
            block.instructions = kept;
        }
        Some(function)
    }

    /// The form of a function that is called inside of an atomic block: itself, if it has none and calls none that has.
    fn inside(&mut self, all: &[Function], id: FunctionId) -> Option<FunctionId> {
        if !self.has_blocks[id.index()] {
            return Some(id);
        }
        if let Some(made) = self.made.get(&id) {
            return Some(*made);
        }
        let second = FunctionId(self.functions.len() as u32);
        self.made.insert(id, second);
        self.functions.push(all[id.index()].clone());
        self.functions[second.index()] = self.function(all, id, 1)?;
        Some(second)
    }
}

/// For each function whether it, or one that it calls, has atomic blocks.
fn with_blocks(functions: &[Function]) -> Vec<bool> {
    let has_own = |function: &Function| function.instructions().any(|i| matches!(i.kind, InstructionKind::AtomicBegin));
    let mut found: Vec<bool> = functions.iter().map(has_own).collect();
    loop {
        let calls_one = |function: &Function| callees(function).iter().any(|callee| found[callee.index()]);
        let next: Vec<bool> = functions.iter().zip(&found).map(|(function, has)| *has || calls_one(function)).collect();
        if next == found {
            return found;
        }
        found = next;
    }
}

/// In how many atomic blocks each block of a function is entered, along one path; the law of programs compares all paths.
fn depths(function: &Function, outside: usize) -> Vec<usize> {
    let mut depths = vec![None; function.blocks.len()];
    let mut todo = vec![(0, outside)];
    while let Some((index, entered)) = todo.pop() {
        if depths.get(index).is_none_or(|known: &Option<usize>| known.is_some()) {
            continue;
        }
        depths[index] = Some(entered);
        let block = &function.blocks[index];
        let left = block.instructions.iter().fold(entered, |depth, instruction| match instruction.kind {
            InstructionKind::AtomicBegin => depth + 1,
            InstructionKind::AtomicEnd => depth.saturating_sub(1),
            _ => depth,
        });
        todo.extend(block.terminator.successors().into_iter().map(|next| (next.index(), left)));
    }
    depths.into_iter().map(|depth| depth.unwrap_or(outside)).collect()
}
