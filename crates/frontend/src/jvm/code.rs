//! A function while it is written, and its finish: blocks merged and in order, with the ends of control dependencies.

use std::collections::{HashMap, HashSet};

use program::{
    Block, BlockId, Flow, Function, Instruction, InstructionKind, Operand, Operator, RegisterId, Span, Terminator,
    Value,
};

/// A function, written block by block.
pub struct Code {
    name: String,
    registers: Vec<String>,
    /// How often each name was asked for.
    names: HashMap<String, usize>,
    /// Registers that hold what an instruction computed and nothing refers to but the operand stack.
    temporaries: HashSet<RegisterId>,
    /// How many temporaries there were.
    counted: usize,
    parameters: Vec<RegisterId>,
    blocks: Vec<Block>,
    /// Whether each block has its terminator.
    ended: Vec<bool>,
    current: BlockId,
    span: Option<Span>,
}

impl Code {
    /// An empty function.
    pub fn new(name: String, span: Option<Span>) -> Code {
        let mut code = Code {
            name,
            registers: Vec::new(),
            names: HashMap::new(),
            temporaries: HashSet::new(),
            counted: 0,
            parameters: Vec::new(),
            blocks: Vec::new(),
            ended: Vec::new(),
            current: BlockId(0),
            span,
        };
        code.block(span);
        code
    }

    /// A fresh register; its name gets a number if it was used before.
    pub fn register(&mut self, name: &str) -> RegisterId {
        let uses = self.names.entry(name.to_string()).or_default();
        *uses += 1;
        let name = if *uses == 1 { name.to_string() } else { format!("{name}#{uses}") };
        self.registers.push(name);
        RegisterId(self.registers.len() as u32 - 1)
    }

    /// A fresh parameter.
    pub fn parameter(&mut self, name: &str) -> RegisterId {
        let register = self.register(name);
        self.parameters.push(register);
        register
    }

    /// Whether an operand always has the same value: a constant or a parameter, which is never assigned.
    pub fn is_fixed(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Constant(_) => true,
            Operand::Register(register) => self.parameters.contains(register),
        }
    }

    /// A fresh register that only the operand stack refers to.
    pub fn temporary(&mut self) -> RegisterId {
        let register = self.register(&format!("_{}", self.counted));
        self.counted += 1;
        self.temporaries.insert(register);
        register
    }

    /// From now on other places than the operand stack refer to the operand.
    pub fn keep(&mut self, operand: &Operand) {
        if let Operand::Register(register) = operand {
            self.temporaries.remove(register);
        }
    }

    /// Adds an instruction to the current block.
    pub fn emit(&mut self, kind: InstructionKind, span: Span) {
        self.blocks[self.current.0 as usize].instructions.push(Instruction { kind, span: Some(span) });
    }

    /// Adds an instruction that stands nowhere in the source.
    pub fn emit_nowhere(&mut self, kind: InstructionKind) {
        self.blocks[self.current.0 as usize].instructions.push(Instruction { kind, span: None });
    }

    /// Adds `target := operand`.
    pub fn copy(&mut self, target: RegisterId, operand: Operand, span: Span) {
        self.emit(InstructionKind::Assign { target, operator: Operator::Copy, operands: vec![operand] }, span);
    }

    /// The result of the operator: a constant if it can be computed now, else a temporary.
    pub fn compute(&mut self, operator: Operator, operands: Vec<Operand>, span: Span) -> Operand {
        let constants: Option<Vec<Value>> = operands.iter().map(|operand| constant(operand).cloned()).collect();
        if let Some(value) = constants.map(|constants| operator.apply(&constants))
            && value != Value::Undefined
        {
            return Operand::Constant(value);
        }
        let target = self.temporary();
        self.emit(InstructionKind::Assign { target, operator, operands }, span);
        Operand::Register(target)
    }

    /// Lets the last instruction give its result to `target` instead of the temporary `operand`, if it is the one that
    /// computes it. Nothing else may refer to the operand.
    pub fn retarget(&mut self, operand: &Operand, new: RegisterId) -> bool {
        let Operand::Register(old) = operand else { return false };
        let last = self.blocks[self.current.0 as usize].instructions.last_mut();
        match last.map(|instruction| &mut instruction.kind) {
            Some(
                InstructionKind::Assign { target, .. }
                | InstructionKind::Load { target, .. }
                | InstructionKind::Allocate { target, .. },
            ) if target == old && self.temporaries.contains(old) => {
                *target = new;
                true
            }
            _ => false,
        }
    }

    /// A new block.
    pub fn block(&mut self, span: Option<Span>) -> BlockId {
        let terminator = Terminator::Return(Vec::new());
        self.blocks.push(Block { instructions: Vec::new(), terminator, span });
        self.ended.push(false);
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// The block that is being written.
    pub fn current(&self) -> BlockId {
        self.current
    }

    /// Ends the current block, unless it has ended.
    pub fn end(&mut self, terminator: Terminator) {
        let index = self.current.0 as usize;
        if !std::mem::replace(&mut self.ended[index], true) {
            self.blocks[index].terminator = terminator;
        }
    }

    /// Ends the current block with a branch; one whose condition is constant is a jump.
    pub fn branch(&mut self, condition: Operand, then: BlockId, otherwise: BlockId, span: Span) {
        let truth = constant(&condition).and_then(Value::truth);
        self.end(match truth {
            Some(true) => Terminator::Jump(then),
            Some(false) => Terminator::Jump(otherwise),
            None if then == otherwise => Terminator::Jump(then),
            None => Terminator::Branch { condition, then, otherwise, join: None, span: Some(span) },
        });
    }

    /// Writes on in another block.
    pub fn write_in(&mut self, block: BlockId) {
        self.current = block;
    }

    /// The function, which gives no results.
    pub fn finish(self) -> Function {
        self.finish_with(0)
    }

    /// The function, which gives that many results.
    pub fn finish_with(self, results: usize) -> Function {
        let Code { name, registers, parameters, blocks, span, .. } = self;
        let mut function = Function { name, parameters, registers, results, blocks, span };
        tidy(&mut function);
        function
    }
}

/// The value of a constant operand.
pub fn constant(operand: &Operand) -> Option<&Value> {
    match operand {
        Operand::Constant(value) => Some(value),
        Operand::Register(_) => None,
    }
}

/// Drops what cannot be reached or does nothing, puts the blocks in order, drops registers that nothing uses, and says
/// where each control dependency ends.
pub fn tidy(function: &mut Function) {
    skip_empty(&mut function.blocks);
    put_in_order(function);
    merge(function);
    put_in_order(function);
    drop_registers(function);
    set_joins(&mut function.blocks);
}

/// Leads every jump past the blocks that do nothing but jump on.
fn skip_empty(blocks: &mut [Block]) {
    let onward: Vec<Option<BlockId>> = blocks
        .iter()
        .map(|block| match block.terminator {
            Terminator::Jump(next) if block.instructions.is_empty() => Some(next),
            _ => None,
        })
        .collect();
    let last = |start: BlockId| {
        // No more steps than blocks, in case that empty blocks form a circle.
        let steps = std::iter::successors(Some(start), |block| onward[block.0 as usize]).take(onward.len());
        steps.last().unwrap_or(start)
    };
    for block in blocks {
        redirect(&mut block.terminator, last);
        if let Terminator::Branch { then, otherwise, .. } = block.terminator
            && then == otherwise
        {
            block.terminator = Terminator::Jump(then);
        }
    }
}

/// Appends to each block the one that it alone leads to.
fn merge(function: &mut Function) {
    let mut arriving = vec![0usize; function.blocks.len()];
    for next in function.blocks.iter().flat_map(|block| block.terminator.successors()) {
        arriving[next.0 as usize] += 1;
    }
    for index in 0..function.blocks.len() {
        while let Terminator::Jump(next) = function.blocks[index].terminator
            && next.0 != 0
            && next.0 as usize != index
            && arriving[next.0 as usize] == 1
        {
            let next = &mut function.blocks[next.0 as usize];
            let instructions = std::mem::take(&mut next.instructions);
            let terminator = std::mem::replace(&mut next.terminator, Terminator::Return(Vec::new()));
            function.blocks[index].instructions.extend(instructions);
            function.blocks[index].terminator = terminator;
        }
    }
}

/// Puts the blocks that can be reached in the order of the control flow and numbers them anew; drops the others.
fn put_in_order(function: &mut Function) {
    let order = Flow::of(function).order().to_vec();
    let mut numbers = vec![BlockId(0); function.blocks.len()];
    for (number, block) in order.iter().enumerate() {
        numbers[block.0 as usize] = BlockId(number as u32);
    }
    let mut old: Vec<Option<Block>> = std::mem::take(&mut function.blocks).into_iter().map(Some).collect();
    function.blocks = order.iter().filter_map(|block| old[block.0 as usize].take()).collect();
    for block in &mut function.blocks {
        redirect(&mut block.terminator, |target| numbers[target.0 as usize]);
    }
}

fn redirect(terminator: &mut Terminator, new: impl Fn(BlockId) -> BlockId) {
    match terminator {
        Terminator::Jump(next) => *next = new(*next),
        Terminator::Branch { then, otherwise, .. } => (*then, *otherwise) = (new(*then), new(*otherwise)),
        Terminator::Return(_) => {}
    }
}

/// Drops the registers that no instruction names, but for parameters, and numbers the others anew.
fn drop_registers(function: &mut Function) {
    let mut used: HashSet<RegisterId> = function.parameters.iter().copied().collect();
    for block in &mut function.blocks {
        for instruction in &mut block.instructions {
            registers(&mut instruction.kind, &mut |register| {
                used.insert(*register);
            });
        }
        operands(&mut block.terminator, &mut |register| {
            used.insert(*register);
        });
    }
    let mut numbers = HashMap::new();
    let mut names = Vec::new();
    for (index, name) in std::mem::take(&mut function.registers).into_iter().enumerate() {
        if used.contains(&RegisterId(index as u32)) {
            numbers.insert(RegisterId(index as u32), RegisterId(names.len() as u32));
            names.push(name);
        }
    }
    function.registers = names;
    let renumber = |register: &mut RegisterId| *register = numbers[register];
    function.parameters.iter_mut().for_each(renumber);
    for block in &mut function.blocks {
        block.instructions.iter_mut().for_each(|instruction| registers(&mut instruction.kind, &mut { renumber }));
        operands(&mut block.terminator, &mut { renumber });
    }
}

/// Every register of an instruction: targets and operands.
pub fn registers(kind: &mut InstructionKind, each: &mut impl FnMut(&mut RegisterId)) {
    for operand in kind.operands_mut() {
        if let Operand::Register(register) = operand {
            each(register);
        }
    }
    kind.targets_mut().into_iter().for_each(each);
}

fn operands(terminator: &mut Terminator, each: &mut impl FnMut(&mut RegisterId)) {
    let read: Vec<&mut Operand> = match terminator {
        Terminator::Branch { condition, .. } => vec![condition],
        Terminator::Return(values) => values.iter_mut().collect(),
        Terminator::Jump(_) => vec![],
    };
    for operand in read {
        if let Operand::Register(register) = operand {
            each(register);
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

/// The immediate post-dominator of each block: the first block through which every path to the end leads. `None` where
/// there is none but the end itself, and where the end cannot be reached. By the iteration of Cooper, Harvey and Kennedy
/// ("A simple, fast dominance algorithm", 2001) on the reversed graph.
fn post_dominators(blocks: &[Block]) -> Vec<Option<BlockId>> {
    let exit = blocks.len();
    let successors = |block: usize| -> Vec<usize> {
        match &blocks[block].terminator {
            Terminator::Return(_) => vec![exit],
            other => other.successors().iter().map(|next| next.0 as usize).collect(),
        }
    };
    let mut predecessors = vec![Vec::new(); exit + 1];
    for block in 0..exit {
        successors(block).into_iter().for_each(|next| predecessors[next].push(block));
    }
    let order = postorder(exit, &predecessors);
    let mut rank = vec![0; exit + 1];
    order.iter().enumerate().for_each(|(index, &block)| rank[block] = index);
    let mut dominator: Vec<Option<usize>> = vec![None; exit + 1];
    dominator[exit] = Some(exit);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().rev().filter(|&&block| block != exit) {
            let known = successors(block).into_iter().filter(|&next| dominator[next].is_some());
            let new = known.reduce(|a, b| nearest(&dominator, &rank, a, b));
            changed |= new != dominator[block];
            dominator[block] = new;
        }
    }
    let found = |block: usize| dominator[block].filter(|&d| d != exit).map(|d| BlockId(d as u32));
    (0..exit).map(found).collect()
}

/// The nearest place that post-dominates both.
fn nearest(dominator: &[Option<usize>], rank: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let behind = if rank[a] < rank[b] { &mut a } else { &mut b };
        *behind = dominator[*behind].unwrap_or(*behind);
    }
    a
}

/// Depth-first from `start`, with a stack of its own.
fn postorder(start: usize, next: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; next.len()];
    seen[start] = true;
    let mut stack = vec![(start, 0)];
    let mut order = Vec::new();
    while let Some((block, edge)) = stack.pop() {
        match next[block].get(edge) {
            None => order.push(block),
            Some(&to) => {
                stack.push((block, edge + 1));
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
        }
    }
    order
}
