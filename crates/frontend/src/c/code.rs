//! One function while it is written, block by block.

use std::collections::HashMap;

use program::{
    Block, BlockId, Flow, Function, Instruction, InstructionKind, Operand, Operator, RegisterId, Span, Terminator,
    Value,
};

use crate::litmus::code::tidy;

/// A function under way. There is always a current block; after a jump it is one that nothing leads to.
#[derive(Debug)]
pub struct Code {
    registers: Vec<String>,
    temporaries: usize,
    blocks: Vec<Draft>,
    current: BlockId,
}

/// Why a function cannot be finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    /// A jump leads into the middle of a loop, so that the loop has no head.
    LoopWithoutHead,
    /// A jump leads past the declaration of this variable, so that it has no memory.
    NoMemory(String),
}

#[derive(Debug, Default)]
struct Draft {
    instructions: Vec<Instruction>,
    /// `None` while the block is written.
    terminator: Option<Terminator>,
    span: Option<Span>,
}

impl Code {
    /// An empty function.
    pub fn new() -> Code {
        Code { registers: Vec::new(), temporaries: 0, blocks: vec![Draft::default()], current: BlockId(0) }
    }

    /// A fresh register with a name of the source. It starts undefined.
    pub fn register(&mut self, name: &str) -> RegisterId {
        self.registers.push(name.to_string());
        RegisterId(self.registers.len() as u32 - 1)
    }

    /// A fresh register without a name of the source.
    pub fn temporary(&mut self) -> RegisterId {
        self.temporaries += 1;
        self.register(&format!("_{}", self.temporaries))
    }

    /// Adds an instruction.
    pub fn emit(&mut self, kind: InstructionKind, span: Option<Span>) {
        self.draft().instructions.push(Instruction { kind, span });
    }

    /// Adds `target := operator(operands)`.
    pub fn assign(&mut self, target: RegisterId, operator: Operator, operands: Vec<Operand>, span: Option<Span>) {
        self.emit(InstructionKind::Assign { target, operator, operands }, span);
    }

    /// Gives a register a value where the function starts.
    pub fn start_with(&mut self, target: RegisterId, value: Value) {
        let kind =
            InstructionKind::Assign { target, operator: Operator::Copy, operands: vec![Operand::Constant(value)] };
        self.blocks[0].instructions.insert(0, Instruction { kind, span: None });
    }

    /// The result of an operator: a constant if all operands are and it is defined on them, else a fresh register.
    pub fn compute(&mut self, operator: Operator, operands: Vec<Operand>, span: Option<Span>) -> Operand {
        if let Some(value) = fold(&operator, &operands) {
            return Operand::Constant(value);
        }
        let target = self.temporary();
        self.assign(target, operator, operands, span);
        Operand::Register(target)
    }

    /// A new block, not yet reachable.
    pub fn block(&mut self, span: Option<Span>) -> BlockId {
        self.blocks.push(Draft { span, ..Draft::default() });
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// The block that is written.
    pub fn current(&self) -> BlockId {
        self.current
    }

    /// Goes on in `block`: the current block jumps there unless it has ended.
    pub fn continue_in(&mut self, block: BlockId) {
        self.draft().terminator.get_or_insert(Terminator::Jump(block));
        self.current = block;
    }

    /// Ends the current block and writes on in one that nothing leads to.
    pub fn end(&mut self, terminator: Terminator) {
        self.draft().terminator.get_or_insert(terminator);
        self.current = self.block(None);
    }

    /// Ends the current block and writes on in `block`.
    pub fn end_and_go_on(&mut self, terminator: Terminator, block: BlockId) {
        self.draft().terminator.get_or_insert(terminator);
        self.current = block;
    }

    /// Writes on in `block`.
    pub fn write_in(&mut self, block: BlockId) {
        self.current = block;
    }

    /// Whether nothing was written: what was lowered is a constant.
    pub fn is_empty(&self) -> bool {
        self.current == BlockId(0) && self.blocks[0].instructions.is_empty() && self.blocks[0].terminator.is_none()
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.blocks[self.current.0 as usize]
    }

    /// The function; blocks that have not ended return what `fallback` says.
    pub fn finish(
        self,
        name: &str,
        parameters: Vec<RegisterId>,
        fallback: Vec<Operand>,
        span: Option<Span>,
    ) -> Result<Function, Defect> {
        let finish = |draft: Draft| Block {
            instructions: draft.instructions,
            terminator: draft.terminator.unwrap_or_else(|| Terminator::Return(fallback.clone())),
            span: draft.span,
        };
        let blocks = self.blocks.into_iter().map(finish).collect();
        let (name, results) = (name.to_string(), fallback.len());
        let mut function = Function { name, parameters, registers: self.registers, results, blocks, span };
        // Also those in blocks that nothing reaches, which are dropped.
        let mut homes: HashMap<RegisterId, Option<BlockId>> = homes(&function).map(|(home, _)| (home, None)).collect();
        tidy(&mut function);
        homes.extend(self::homes(&function).map(|(register, block)| (register, Some(block))));
        let flow = Flow::of(&function);
        let reducible = flow.retreating().iter().all(|&(from, to)| flow.dominates(to, from));
        if !reducible {
            return Err(Defect::LoopWithoutHead);
        }
        match bypassed(&function, &flow, &homes) {
            Some(register) => Err(Defect::NoMemory(function.registers[register.0 as usize].clone())),
            None => Ok(function),
        }
    }
}

/// The registers that get memory, and where.
fn homes(function: &Function) -> impl Iterator<Item = (RegisterId, BlockId)> {
    let blocks = function.blocks.iter().enumerate();
    blocks.flat_map(|(index, block)| {
        block.instructions.iter().filter_map(move |instruction| match instruction.kind {
            InstructionKind::Allocate { target, .. } => Some((target, BlockId(index as u32))),
            _ => None,
        })
    })
}

/// A register that gets memory by an `allocate` which some path to a use of it does not pass.
fn bypassed(function: &Function, flow: &Flow, homes: &HashMap<RegisterId, Option<BlockId>>) -> Option<RegisterId> {
    let is_bypassed = |id: BlockId, operand: &Operand| match operand {
        Operand::Register(register) => {
            let home = homes.get(register)?;
            (!home.is_some_and(|home| flow.dominates(home, id))).then_some(*register)
        }
        Operand::Constant(_) => None,
    };
    let blocks = function.blocks.iter().enumerate().map(|(index, block)| (BlockId(index as u32), block));
    for (id, block) in blocks {
        let operands = block.instructions.iter().flat_map(|instruction| instruction.kind.operands());
        let found = operands.chain(block.terminator.operands()).find_map(|operand| is_bypassed(id, operand));
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The value of an operator on constants, where it is defined.
fn fold(operator: &Operator, operands: &[Operand]) -> Option<Value> {
    let values: Option<Vec<Value>> = operands.iter().map(constant).collect();
    Some(operator.apply(&values?)).filter(|value| *value != Value::Undefined)
}

fn constant(operand: &Operand) -> Option<Value> {
    match operand {
        Operand::Constant(value) => Some(value.clone()),
        Operand::Register(_) => None,
    }
}
