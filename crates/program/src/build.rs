//! Writing a function block by block: the control flow that all front ends share.
//!
//! A [`Builder`] has a current block, to which instructions are added, and blocks that are not yet reached. How registers
//! are named, and what else a language wants of a function, is the front ends' own: each wraps a builder.

use std::collections::HashSet;

use crate::ir::{Block, BlockId, Function, Instruction, InstructionKind, Operand, RegisterId, Terminator};
use crate::operator::Operator;
use crate::source::Span;
use crate::value::Value;

/// A function while it is written.
#[derive(Clone, Debug)]
pub struct Builder {
    /// Names of registers.
    registers: Vec<String>,
    /// Invariant: not empty; execution starts at the first.
    blocks: Vec<Draft>,
    /// Invariant: one of `blocks`.
    current: BlockId,
}

#[derive(Clone, Debug, Default)]
struct Draft {
    instructions: Vec<Instruction>,
    /// `None` while the block is written; at the end that means a return.
    terminator: Option<Terminator>,
    span: Option<Span>,
}

impl Builder {
    /// A function without registers and instructions, whose first block stands at a place.
    pub fn new(span: Option<Span>) -> Builder {
        Builder { registers: Vec::new(), blocks: vec![Draft { span, ..Draft::default() }], current: BlockId(0) }
    }

    /// A fresh register. It starts undefined.
    pub fn add_register(&mut self, name: String) -> RegisterId {
        self.registers.push(name);
        RegisterId(self.registers.len() as u32 - 1)
    }

    /// The name of a register, to change.
    pub fn register_name_mut(&mut self, register: RegisterId) -> &mut String {
        &mut self.registers[register.index()]
    }

    /// Adds an instruction to the current block.
    pub fn emit(&mut self, kind: InstructionKind, span: Option<Span>) {
        self.draft().instructions.push(Instruction { kind, span });
    }

    /// Adds `target := operator(operands)`.
    pub fn assign(&mut self, target: RegisterId, operator: Operator, operands: Vec<Operand>, span: Option<Span>) {
        self.emit(InstructionKind::Assign { target, operator, operands }, span);
    }

    /// Gives a register a value where the function starts.
    pub fn start_with(&mut self, target: RegisterId, value: Value) {
        let operands = vec![Operand::Constant(value)];
        let kind = InstructionKind::Assign { target, operator: Operator::Copy, operands };
        self.blocks[0].instructions.insert(0, Instruction { kind, span: None });
    }

    /// The last instruction of the current block, to change.
    pub fn last_mut(&mut self) -> Option<&mut InstructionKind> {
        self.draft().instructions.last_mut().map(|instruction| &mut instruction.kind)
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

    /// Writes on in `block`.
    pub fn write_in(&mut self, block: BlockId) {
        self.current = block;
    }

    /// Ends the current block, unless it has ended, and stays there.
    pub fn terminate(&mut self, terminator: Terminator) {
        self.draft().terminator.get_or_insert(terminator);
    }

    /// Ends the current block and writes on in one that nothing leads to.
    pub fn end(&mut self, terminator: Terminator) {
        self.terminate(terminator);
        self.current = self.block(None);
    }

    /// Ends the current block and writes on in `block`.
    pub fn end_and_go_on(&mut self, terminator: Terminator, block: BlockId) {
        self.terminate(terminator);
        self.current = block;
    }

    /// Goes on in `block`: the current block jumps there unless it has ended.
    pub fn continue_in(&mut self, block: BlockId) {
        self.end_and_go_on(Terminator::Jump(block), block);
    }

    /// Whether nothing was written: what was lowered is a constant.
    pub fn is_empty(&self) -> bool {
        let first = &self.blocks[0];
        self.current == BlockId(0) && first.instructions.is_empty() && first.terminator.is_none()
    }

    /// The blocks that some execution may come to: branches on constants are decided.
    pub fn reached(&self) -> HashSet<BlockId> {
        let (mut reached, mut open) = (HashSet::new(), vec![BlockId(0)]);
        while let Some(block) = open.pop() {
            if reached.insert(block) {
                open.extend(self.blocks[block.index()].terminator.iter().flat_map(next_blocks));
            }
        }
        reached
    }

    /// Adds an instruction at every end of the function. The function must be complete.
    pub fn at_return(&mut self, kind: &InstructionKind) {
        for draft in &mut self.blocks {
            if matches!(draft.terminator, None | Some(Terminator::Return(_))) {
                draft.instructions.push(Instruction { kind: kind.clone(), span: None });
            }
        }
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.blocks[self.current.index()]
    }

    /// The function as it was written; blocks that have not ended return `fallback`.
    pub fn finish(
        self,
        name: String,
        parameters: Vec<RegisterId>,
        fallback: &[Operand],
        span: Option<Span>,
    ) -> Function {
        let finish = |draft: Draft| Block {
            instructions: draft.instructions,
            terminator: draft.terminator.unwrap_or_else(|| Terminator::Return(fallback.to_vec())),
            span: draft.span,
        };
        let blocks = self.blocks.into_iter().map(finish).collect();
        Function { name, parameters, registers: self.registers, results: fallback.len(), blocks, span }
    }
}

/// The value of an operator on constants, where it is defined.
pub fn fold(operator: &Operator, operands: &[Operand]) -> Option<Value> {
    let values: Option<Vec<Value>> = operands.iter().map(|operand| operand.constant().cloned()).collect();
    Some(operator.apply(&values?)).filter(|value| *value != Value::Undefined)
}

/// Where a block may go on.
fn next_blocks(terminator: &Terminator) -> Vec<BlockId> {
    match terminator {
        Terminator::Branch { condition: Operand::Constant(value), then, otherwise, .. } => match value.truth() {
            Some(true) => vec![*then],
            Some(false) => vec![*otherwise],
            None => vec![*then, *otherwise],
        },
        other => other.successors(),
    }
}
