//! Which reads decide whether something goes wrong: those whose values a condition depends on that leads to an error.
//!
//! This directs explorations and says nothing about verdicts: what is found here may be too much or too little. A block *fails* if
//! every path from it comes to an assertion that is always false, or to an exception that nobody catches, as far as blocks and calls
//! tell. A read is a *check* if its value flows, through registers, calls and returns, into an assertion's condition or into a branch of
//! which one way fails and another does not.

use program::{
    AssertSort, BlockId, Function, FunctionId, InstructionKind, Operand, Program, RegisterId, Terminator, Value,
};
use rustc_hash::FxHashSet;

/// The place of an instruction: function, block, index.
pub type Place = (FunctionId, BlockId, u32);

/// The reads that decide whether something goes wrong.
#[derive(Debug, Default)]
pub struct Checks {
    reads: FxHashSet<Place>,
}

impl Checks {
    /// The checks of a program.
    pub fn of(program: &Program) -> Checks {
        let failing = Failing::of(program);
        let mut deciding = Deciding { program, registers: FxHashSet::default(), results: FxHashSet::default() };
        deciding.conditions(&failing);
        while deciding.spread() {}
        Checks { reads: deciding.reads() }
    }

    /// Whether the instruction at a place is a read that decides whether something goes wrong.
    pub fn has(&self, place: Option<Place>) -> bool {
        place.is_some_and(|place| self.reads.contains(&place))
    }
}

/// Functions and blocks, each with its number.
fn functions(program: &Program) -> impl Iterator<Item = (FunctionId, &Function)> {
    (0..).map(FunctionId).zip(&program.functions)
}

/// What always goes wrong.
#[derive(Default, PartialEq, Eq)]
struct Failing {
    blocks: FxHashSet<(FunctionId, BlockId)>,
    functions: FxHashSet<FunctionId>,
    /// Names of blocks of memory, exceptions, that are an error once a thread ends with them.
    exceptions: FxHashSet<std::sync::Arc<str>>,
}

impl Failing {
    fn of(program: &Program) -> Failing {
        let mut failing = Failing::default();
        while failing.grow(program) {}
        failing
    }

    /// Adds what follows from what is known; whether something did.
    fn grow(&mut self, program: &Program) -> bool {
        let before = (self.blocks.len(), self.functions.len(), self.exceptions.len());
        for (id, function) in functions(program) {
            for (block, content) in (0..).map(BlockId).zip(&function.blocks) {
                let successors = content.terminator.successors();
                let fails_later =
                    !successors.is_empty() && successors.iter().all(|next| self.blocks.contains(&(id, *next)));
                if fails_later || content.instructions.iter().any(|instruction| self.is_failure(&instruction.kind)) {
                    self.blocks.insert((id, block));
                }
                content.instructions.iter().for_each(|instruction| self.note_handlers(&instruction.kind));
            }
            if self.blocks.contains(&(id, BlockId(0))) {
                self.functions.insert(id);
            }
        }
        before != (self.blocks.len(), self.functions.len(), self.exceptions.len())
    }

    fn is_failure(&self, kind: &InstructionKind) -> bool {
        match kind {
            InstructionKind::Assert { condition: Operand::Constant(value), sort, .. } => {
                is_meant(*sort) && is_false(value)
            }
            InstructionKind::Call { function, .. } => self.functions.contains(function),
            InstructionKind::Allocate { name, .. } => self.exceptions.contains(name),
            _ => false,
        }
    }

    /// An object for which a function is called that always fails, by its class, is an exception that nobody catches.
    fn note_handlers(&mut self, kind: &InstructionKind) {
        let InstructionKind::CallVirtual { table, .. } = kind else { return };
        let failing = table.iter().filter(|(_, function)| self.functions.contains(function));
        self.exceptions.extend(failing.map(|(name, _)| name.clone()));
    }
}

/// Whether a program says itself that something is wrong. What it may not do could go wrong nearly everywhere.
fn is_meant(sort: AssertSort) -> bool {
    !matches!(sort, AssertSort::Error | AssertSort::Unsupported)
}

fn is_false(value: &Value) -> bool {
    matches!(value, Value::Int(int) if int.signed() == 0)
}

/// Registers whose values decide whether something goes wrong.
struct Deciding<'p> {
    program: &'p Program,
    registers: FxHashSet<(FunctionId, RegisterId)>,
    /// Functions and which of their results.
    results: FxHashSet<(FunctionId, usize)>,
}

impl Deciding<'_> {
    /// Begins with the conditions of assertions and branches.
    fn conditions(&mut self, failing: &Failing) {
        for (id, function) in functions(self.program) {
            for block in &function.blocks {
                for instruction in &block.instructions {
                    match &instruction.kind {
                        InstructionKind::Assert { condition, sort, .. } if is_meant(*sort) => self.add(id, condition),
                        _ => false,
                    };
                }
                let fails = |next: &BlockId| failing.blocks.contains(&(id, *next));
                let successors = block.terminator.successors();
                if successors.iter().any(fails) && !successors.iter().all(fails) {
                    block.terminator.operands().into_iter().for_each(|condition| _ = self.add(id, condition));
                }
            }
        }
    }

    fn add(&mut self, function: FunctionId, operand: &Operand) -> bool {
        match operand {
            Operand::Register(register) => self.registers.insert((function, *register)),
            Operand::Constant(_) => false,
        }
    }

    /// Adds what flows into what is known; whether something did.
    fn spread(&mut self) -> bool {
        let mut grows = false;
        for (id, function) in functions(self.program) {
            for block in &function.blocks {
                for instruction in &block.instructions {
                    grows |= self.flows(id, &instruction.kind);
                }
                if let Terminator::Return(values) = &block.terminator {
                    for (place, value) in values.iter().enumerate() {
                        grows |= self.results.contains(&(id, place)) && self.add(id, value);
                    }
                }
            }
        }
        grows
    }

    fn flows(&mut self, id: FunctionId, kind: &InstructionKind) -> bool {
        let mut grows = false;
        match kind {
            InstructionKind::Assign { target, operands, .. } if self.registers.contains(&(id, *target)) => {
                for operand in operands {
                    grows |= self.add(id, operand);
                }
            }
            InstructionKind::Call { function, arguments, targets } => {
                for (place, target) in targets.iter().enumerate() {
                    grows |= self.registers.contains(&(id, *target)) && self.results.insert((*function, place));
                }
                let parameters = self.program.function(*function).parameters.iter();
                for (parameter, argument) in parameters.zip(arguments) {
                    grows |= self.registers.contains(&(*function, *parameter)) && self.add(id, argument);
                }
            }
            _ => {}
        }
        grows
    }

    /// The reads that give such registers their values.
    fn reads(&self) -> FxHashSet<Place> {
        let mut reads = FxHashSet::default();
        for (id, function) in functions(self.program) {
            for (block, content) in (0..).map(BlockId).zip(&function.blocks) {
                for (index, instruction) in (0..).zip(&content.instructions) {
                    if let InstructionKind::Load { target, .. } = &instruction.kind
                        && self.registers.contains(&(id, *target))
                    {
                        reads.insert((id, block, index));
                    }
                }
            }
        }
        reads
    }
}
