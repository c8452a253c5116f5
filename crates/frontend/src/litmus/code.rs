//! The function of one thread while it is written.

use std::collections::{HashMap, HashSet};

use program::{
    Block, BlockId, Flow, Function, Instruction, InstructionKind, Operand, Operator, RegisterId, Span, Terminator,
    Value,
};

/// A thread's function, written block by block. There is always a current block, to which instructions are added; after
/// a jump it is one that nothing leads to.
#[derive(Debug)]
pub struct Code {
    name: String,
    /// Names of registers; those of temporaries are made distinct at the end.
    registers: Vec<String>,
    temporaries: HashSet<RegisterId>,
    /// Registers with the values that they start with.
    parameters: Vec<(RegisterId, Value)>,
    by_name: HashMap<String, RegisterId>,
    blocks: Vec<Draft>,
    current: BlockId,
    span: Option<Span>,
}

#[derive(Debug, Default)]
struct Draft {
    instructions: Vec<Instruction>,
    /// `None` while the block is written; at the end that means a return.
    terminator: Option<Terminator>,
    span: Option<Span>,
}

impl Code {
    /// An empty function.
    pub fn new(name: String, span: Option<Span>) -> Code {
        Code {
            name,
            registers: Vec::new(),
            temporaries: HashSet::new(),
            parameters: Vec::new(),
            by_name: HashMap::new(),
            blocks: vec![Draft::default()],
            current: BlockId(0),
            span,
        }
    }

    /// The register of that name, if there is one.
    pub fn named(&self, name: &str) -> Option<RegisterId> {
        self.by_name.get(name).copied()
    }

    /// The register of that name; a new one starts with `value`.
    pub fn named_or(&mut self, name: &str, value: Value) -> RegisterId {
        if let Some(register) = self.named(name) {
            return register;
        }
        let register = self.add_register(name.to_string());
        self.by_name.insert(name.to_string(), register);
        self.parameters.push((register, value));
        register
    }

    /// A fresh register that starts with `value`; its name is `name` with a number.
    pub fn another(&mut self, name: &str, value: Value) -> RegisterId {
        let fresh = (2..).map(|number| format!("{name}_{number}")).find(|fresh| !self.by_name.contains_key(fresh));
        self.named_or(&fresh.unwrap_or_default(), value)
    }

    /// A fresh register that the source does not name and that starts undefined.
    pub fn temporary(&mut self) -> RegisterId {
        let register = self.add_register(format!("_{}", self.temporaries.len()));
        self.temporaries.insert(register);
        register
    }

    fn add_register(&mut self, name: String) -> RegisterId {
        self.registers.push(name);
        RegisterId(self.registers.len() as u32 - 1)
    }

    /// Adds an instruction.
    pub fn emit(&mut self, kind: InstructionKind, span: Span) {
        self.draft().instructions.push(Instruction { kind, span: Some(span) });
    }

    /// Adds `target := operator(operands)`.
    pub fn assign(&mut self, target: RegisterId, operator: Operator, operands: Vec<Operand>, span: Span) {
        self.emit(InstructionKind::Assign { target, operator, operands }, span);
    }

    /// Adds `t := operator(operands)` for a fresh `t`.
    pub fn compute(&mut self, operator: Operator, operands: Vec<Operand>, span: Span) -> Operand {
        let target = self.temporary();
        self.assign(target, operator, operands, span);
        Operand::Register(target)
    }

    /// A new block, not yet reachable.
    pub fn block(&mut self, span: Option<Span>) -> BlockId {
        self.blocks.push(Draft { span, ..Draft::default() });
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Goes on in `block`: the current block jumps there unless it has ended.
    pub fn continue_in(&mut self, block: BlockId) {
        self.draft().terminator.get_or_insert(Terminator::Jump(block));
        self.current = block;
    }

    /// Ends the current block.
    pub fn end(&mut self, terminator: Terminator) {
        self.draft().terminator.get_or_insert(terminator);
        self.current = self.block(None);
    }

    /// Ends the current block and writes on in `block`.
    pub fn end_and_go_on(&mut self, terminator: Terminator, block: BlockId) {
        self.draft().terminator.get_or_insert(terminator);
        self.current = block;
    }

    /// Writes on in `block`. The current block must have ended.
    pub fn write_in(&mut self, block: BlockId) {
        self.current = block;
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.blocks[self.current.0 as usize]
    }

    /// Adds instructions at every end of the function. The function must be complete.
    pub fn at_return(&mut self, kind: &InstructionKind) {
        for draft in &mut self.blocks {
            if matches!(draft.terminator, None | Some(Terminator::Return(_))) {
                draft.instructions.push(Instruction { kind: kind.clone(), span: None });
            }
        }
    }

    /// The function and the values of its parameters. Blocks that cannot be reached or do nothing are dropped, the others
    /// stand in the order of [`Flow`].
    pub fn finish(mut self) -> (Function, Vec<Value>) {
        self.rename_temporaries();
        let blocks: Vec<Block> = self.blocks.into_iter().map(Draft::finish).collect();
        let (parameters, arguments) = self.parameters.into_iter().unzip();
        let Code { name, registers, span, .. } = self;
        let mut function = Function { name, parameters, registers, results: 0, blocks, span };
        tidy(&mut function);
        (function, arguments)
    }

    fn rename_temporaries(&mut self) {
        for &register in &self.temporaries {
            let name = &mut self.registers[register.0 as usize];
            while self.by_name.contains_key(name) {
                name.push('_');
            }
        }
    }
}

impl Draft {
    fn finish(self) -> Block {
        let terminator = self.terminator.unwrap_or(Terminator::Return(Vec::new()));
        Block { instructions: self.instructions, terminator, span: self.span }
    }
}

/// Drops the blocks that cannot be reached or do nothing; the others stand in the order of [`Flow`].
pub(crate) fn tidy(function: &mut Function) {
    skip_empty(&mut function.blocks);
    put_in_order(function);
}

/// Leads every jump past the blocks that do nothing but jump on. A block that the source names stays.
fn skip_empty(blocks: &mut [Block]) {
    let next = |block: &Block| match block.terminator {
        Terminator::Jump(next) if block.instructions.is_empty() && block.span.is_none() => Some(next),
        _ => None,
    };
    let onward: Vec<Option<BlockId>> = blocks.iter().map(next).collect();
    let last = |start: BlockId| {
        // No more steps than blocks, in case that empty blocks form a circle.
        let steps = std::iter::successors(Some(start), |block| onward[block.0 as usize]).take(onward.len());
        steps.last().unwrap_or(start)
    };
    blocks.iter_mut().for_each(|block| redirect(&mut block.terminator, |target| Some(last(target))));
}

/// Puts the blocks that can be reached in the order of the control flow and numbers them anew; drops the others.
fn put_in_order(function: &mut Function) {
    let flow = Flow::of(function);
    let mut numbers = vec![None; function.blocks.len()];
    for (number, block) in flow.order().iter().enumerate() {
        numbers[block.0 as usize] = Some(BlockId(number as u32));
    }
    let mut blocks: Vec<(BlockId, Block)> = Vec::new();
    for (old, mut block) in std::mem::take(&mut function.blocks).into_iter().enumerate() {
        if let Some(number) = numbers[old] {
            redirect(&mut block.terminator, |target| numbers[target.0 as usize]);
            blocks.push((number, block));
        }
    }
    blocks.sort_by_key(|(number, _)| *number);
    function.blocks = blocks.into_iter().map(|(_, block)| block).collect();
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
