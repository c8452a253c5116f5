//! How often loops go round.

use std::collections::BTreeMap;

use program::{BlockId, Flow, Function, FunctionId, Program};

/// A loop of a function.
struct Loop {
    head: BlockId,
    body: Vec<bool>,
    /// Whether the head decides if the body runs (a `while`), or is part of it (a `do`).
    tests_first: bool,
}

/// Counts the rounds of loops while functions run: how often the body begins each time the loop is entered.
pub struct Rounds {
    loops: Vec<Vec<Loop>>,
    /// For each active call its function and the round of each of its loops.
    active: Vec<(FunctionId, Vec<u32>)>,
    most: BTreeMap<(FunctionId, BlockId), u32>,
}

impl Rounds {
    /// No round yet.
    pub fn new(program: &Program) -> Rounds {
        Rounds { loops: program.functions.iter().map(find_loops).collect(), active: Vec::new(), most: BTreeMap::new() }
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
        let Some((function, rounds)) = self.active.last_mut() else { return };
        for (l, round) in self.loops[function.0 as usize].iter().zip(rounds) {
            let (comes_in, goes_to) = (!l.body[from.0 as usize], l.body[to.0 as usize]);
            if comes_in && l.head == to {
                *round = 0;
            }
            let begins = if l.tests_first { l.head == from && goes_to } else { l.head == to };
            if begins {
                *round += 1;
                let most = self.most.entry((*function, l.head)).or_default();
                *most = (*most).max(*round);
            }
        }
    }

    /// The most rounds that each loop went in one go: function, head, rounds. Loops that nothing entered go 0 rounds.
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

fn find_loops(function: &Function) -> Vec<Loop> {
    let flow = Flow::of(function);
    let successors: Vec<Vec<BlockId>> = function.blocks.iter().map(|block| block.terminator.successors()).collect();
    let to_loop = |head: BlockId| {
        let mut body = vec![false; successors.len()];
        body[head.0 as usize] = true;
        let mut open: Vec<usize> =
            flow.retreating().iter().filter(|(_, to)| *to == head).map(|(from, _)| from.0 as usize).collect();
        while let Some(block) = open.pop() {
            if !body[block] {
                body[block] = true;
                let leads_here = |other: &usize| successors[*other].iter().any(|next| next.0 as usize == block);
                open.extend((0..successors.len()).filter(leads_here));
            }
        }
        let tests_first = successors[head.0 as usize].iter().any(|next| !body[next.0 as usize]);
        Loop { head, body, tests_first }
    };
    flow.loop_heads().into_iter().map(to_loop).collect()
}
