//! How many iterations loops have.

use std::collections::BTreeMap;

use program::flow::{Loop, find_loops};
use program::{BlockId, FunctionId, Program};

/// Counts the iterations of loops while functions run: how often the body begins each time the loop is entered.
pub struct Iterations {
    loops: Vec<Vec<Loop>>,
    /// For each active call its function and the iteration of each of its loops.
    active: Vec<(FunctionId, Vec<u32>)>,
    most: BTreeMap<(FunctionId, BlockId), u32>,
}

impl Iterations {
    /// No iteration yet.
    pub fn new(program: &Program) -> Iterations {
        Iterations {
            loops: program.functions.iter().map(find_loops).collect(),
            active: Vec::new(),
            most: BTreeMap::new(),
        }
    }

    /// A function is entered.
    pub fn enter(&mut self, function: FunctionId) {
        self.active.push((function, vec![0; self.loops[function.0 as usize].len()]));
    }

    /// The function left last is left.
    pub fn leave(&mut self) {
        self.active.pop();
    }

    /// No function is active any more: the run was given up.
    pub fn abandon(&mut self) {
        self.active.clear();
    }

    /// The innermost active function goes from one block to another.
    pub fn jump(&mut self, from: BlockId, to: BlockId) {
        let Some((function, iterations)) = self.active.last_mut() else { return };
        for (l, iteration) in self.loops[function.0 as usize].iter().zip(iterations) {
            let (comes_in, goes_to) = (!l.body[from.0 as usize], l.body[to.0 as usize]);
            if comes_in && l.head == to {
                *iteration = 0;
            }
            let begins = if l.tests_first { l.head == from && goes_to } else { l.head == to };
            if begins {
                *iteration += 1;
                let most = self.most.entry((*function, l.head)).or_default();
                *most = (*most).max(*iteration);
            }
        }
    }

    /// The most iterations that each loop had in one go: function, head, iterations. Loops that nothing entered have 0 iterations.
    pub fn most(&self) -> Vec<(FunctionId, BlockId, u32)> {
        let mut all = Vec::new();
        for (index, loops) in self.loops.iter().enumerate() {
            let function = FunctionId(index as u32);
            let most = |head: BlockId| self.most.get(&(function, head)).copied().unwrap_or(0);
            all.extend(loops.iter().map(|l| (function, l.head, most(l.head))));
        }
        all
    }
}
