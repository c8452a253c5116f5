//! One function while it is written, block by block.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

use program::build::fold;
use program::tidy::tidy;
use program::{BlockId, Builder, Flow, Function, InstructionKind, Operand, Operator, RegisterId, Span};

use super::written::drop_certain_checks;

/// A function under way: a [`Builder`] that counts temporaries, and that refuses what C may not do.
#[derive(Debug)]
pub struct Code {
    flow: Builder,
    temporaries: usize,
}

/// Blocks and jumps are written as everywhere.
impl Deref for Code {
    type Target = Builder;

    fn deref(&self) -> &Builder {
        &self.flow
    }
}

impl DerefMut for Code {
    fn deref_mut(&mut self) -> &mut Builder {
        &mut self.flow
    }
}

/// Why a function cannot be finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    /// A jump leads into the middle of a loop, so that the loop has no head.
    LoopWithoutHead,
    /// A jump leads past the declaration of this variable, so that it has no memory.
    NoMemory(String),
}

impl Code {
    /// An empty function.
    pub fn new() -> Code {
        Code { flow: Builder::new(None), temporaries: 0 }
    }

    /// A fresh register with a name of the source. It starts undefined.
    pub fn register(&mut self, name: &str) -> RegisterId {
        self.flow.add_register(name.to_string())
    }

    /// A fresh register without a name of the source.
    pub fn temporary(&mut self) -> RegisterId {
        self.temporaries += 1;
        self.register(&format!("_{}", self.temporaries))
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

    /// The function; blocks that have not ended return what `fallback` says.
    pub fn finish(
        self,
        name: &str,
        parameters: Vec<RegisterId>,
        fallback: Vec<Operand>,
        span: Option<Span>,
    ) -> Result<Function, Defect> {
        let mut function = self.flow.finish(name.to_string(), parameters, &fallback, span);
        // Also those in blocks that nothing reaches, which are dropped.
        let mut homes: HashMap<RegisterId, Option<BlockId>> = homes(&function).map(|(home, _)| (home, None)).collect();
        tidy(&mut function);
        drop_certain_checks(&mut function);
        homes.extend(self::homes(&function).map(|(register, block)| (register, Some(block))));
        let flow = Flow::of(&function);
        forget_bypassed_ends(&mut function, &flow, &homes);
        let reducible = flow.retreating().iter().all(|&(from, to)| flow.dominates(to, from));
        if !reducible {
            return Err(Defect::LoopWithoutHead);
        }
        match bypassed(&function, &flow, &homes) {
            Some(register) => Err(Defect::NoMemory(function.register_name(register).to_string())),
            None => Ok(function),
        }
    }
}

/// The registers that get memory, and where.
fn homes(function: &Function) -> impl Iterator<Item = (RegisterId, BlockId)> {
    function.numbered_blocks().flat_map(|(id, block)| {
        block.instructions.iter().filter_map(move |instruction| match instruction.kind {
            InstructionKind::Allocate { target, .. } => Some((target, id)),
            _ => None,
        })
    })
}

/// A variable that a jump may have gone past has no end.
fn forget_bypassed_ends(function: &mut Function, flow: &Flow, homes: &HashMap<RegisterId, Option<BlockId>>) {
    for id in function.block_ids() {
        function[id].instructions.retain(|instruction| match &instruction.kind {
            InstructionKind::End { address: Operand::Register(register) } => {
                // A variable of the thread was made elsewhere.
                homes.get(register).is_none_or(|home| home.is_some_and(|home| flow.dominates(home, id)))
            }
            _ => true,
        });
    }
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
    for (id, block) in function.numbered_blocks() {
        let operands = block.instructions.iter().flat_map(|instruction| instruction.kind.operands());
        let found = operands.chain(block.terminator.operands()).find_map(|operand| is_bypassed(id, operand));
        if found.is_some() {
            return found;
        }
    }
    None
}
