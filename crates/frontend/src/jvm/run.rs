//! Running code before the program begins: class initialisers, and `main` up to the first start of a thread. Nothing else
//! runs then, so what such code does is known, and the memory it leaves behind is the initial state.

use std::collections::HashMap;

use program::{
    Block, Diagnostic, Function, Instruction, InstructionKind, Operand, Operator, Pointer, RegisterId, Span,
    Terminator, Unsupported, Value,
};

use super::field::{LENGTH, array_length, hidden};
use super::lower::Result;
use super::world::{Shape, World};

/// Code that takes more steps than this is refused.
const STEPS: usize = 100_000;

/// A run of a function.
pub struct Run<'f> {
    /// What is run.
    pub function: &'f Function,
    /// What each register holds, where it is known.
    values: Vec<Option<Value>>,
    /// The block and the instruction in it that come next.
    block: usize,
    next: usize,
    /// How often each monitor is held.
    held: HashMap<Pointer, usize>,
    steps: usize,
}

/// What comes next in a run.
pub enum Next<'f> {
    /// An instruction.
    Instruction(&'f Instruction),
    /// The end of a block.
    Terminator(&'f Terminator),
}

impl<'f> Run<'f> {
    /// A run from the start. Arguments are null.
    pub fn new(function: &'f Function) -> Run<'f> {
        let mut values = vec![Some(Value::Undefined); function.registers.len()];
        function.parameters.iter().for_each(|register| values[register.0 as usize] = Some(Value::int(0, 32)));
        Run { function, values, block: 0, next: 0, held: HashMap::new(), steps: 0 }
    }

    /// What comes next.
    pub fn next(&self) -> Next<'f> {
        let block = self.here();
        match block.instructions.get(self.next) {
            Some(instruction) => Next::Instruction(instruction),
            None => Next::Terminator(&block.terminator),
        }
    }

    /// The block that is run, and the index of the next instruction in it.
    pub fn position(&self) -> (usize, usize) {
        (self.block, self.next)
    }

    fn here(&self) -> &'f Block {
        &self.function.blocks[self.block]
    }

    /// Goes past the next instruction; refuses runs without end.
    pub fn advance(&mut self, world: &World, span: Option<Span>) -> Result<()> {
        self.next += 1;
        self.count(world, span)
    }

    fn count(&mut self, world: &World, span: Option<Span>) -> Result<()> {
        self.steps += 1;
        let what = format!("code that takes more than {STEPS} steps before the threads start");
        if self.steps > STEPS { Err(self.refuse(world, what, span)) } else { Ok(()) }
    }

    /// Goes on in another block.
    pub fn go_to(&mut self, world: &World, block: program::BlockId, span: Option<Span>) -> Result<()> {
        (self.block, self.next) = (block.0 as usize, 0);
        self.count(world, span)
    }

    /// What is known of an operand.
    pub fn value(&self, operand: &Operand) -> Option<Value> {
        match operand {
            Operand::Constant(value) => Some(value.clone()),
            Operand::Register(register) => self.values[register.0 as usize].clone(),
        }
    }

    /// The pointer that an operand is known to be.
    pub fn pointer(&self, operand: &Operand) -> Option<Pointer> {
        match self.value(operand)? {
            Value::Pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    /// Says what a register holds; `None` if that is not known.
    pub fn set(&mut self, register: RegisterId, value: Option<Value>) {
        self.values[register.0 as usize] = value;
    }

    /// Whether no monitor is held.
    pub fn holds_nothing(&self) -> bool {
        self.held.values().all(|&count| count == 0)
    }

    /// Does what an instruction says, if all it needs is known and it is an effect on memory and registers alone.
    pub fn perform(&mut self, world: &mut World, kind: &InstructionKind) -> bool {
        self.attempt(world, kind).is_some()
    }

    fn attempt(&mut self, world: &mut World, kind: &InstructionKind) -> Option<()> {
        match kind {
            InstructionKind::Assign { target, operator, operands } => {
                let operands: Vec<Value> = operands.iter().map(|operand| self.value(operand)).collect::<Option<_>>()?;
                let result = operator.apply(&operands);
                // An exception would be thrown, or a value is read that nothing gave.
                if result == Value::Undefined && *operator != Operator::Copy {
                    return None;
                }
                self.set(*target, Some(result));
            }
            InstructionKind::Load { target, address, .. } => {
                let value = world.memory.load(&self.pointer(address)?)?;
                self.set(*target, Some(value));
            }
            InstructionKind::Store { address, value, .. } => {
                world.memory.store(&self.pointer(address)?, self.value(value)?)?;
            }
            InstructionKind::Allocate { target, default, name, .. } => {
                let length = array_length(name);
                let odd = if length.is_some() { Vec::new() } else { world.odd_fields(name) };
                let object = world.memory.object(Shape { class: name.clone(), length }, default.clone(), odd);
                if let Some(length) = length {
                    world.memory.store(&hidden(&object, LENGTH), Value::int(length, 32));
                }
                self.set(*target, Some(Value::Pointer(object)));
            }
            // No other thread runs yet.
            InstructionKind::Freeze { .. } => {}
            InstructionKind::Lock { monitor } => *self.held.entry(self.pointer(monitor)?).or_default() += 1,
            InstructionKind::Unlock { monitor } => {
                let count = self.held.get_mut(&self.pointer(monitor)?)?;
                *count = count.checked_sub(1)?;
            }
            InstructionKind::Assert { condition, .. } => {
                self.value(condition)?.truth().filter(|truth| *truth)?;
            }
            _ => return None,
        }
        Some(())
    }

    /// What is not modelled, with the place in the function.
    pub fn refuse(&self, world: &World, what: impl std::fmt::Display, span: Option<Span>) -> Diagnostic {
        let line = span.map_or(0, |span| world.places.line(span));
        let line = if line == 0 { String::new() } else { format!(", line {line}") };
        Unsupported::new(format!("{what} in {}{line}", self.function.name), span).into()
    }
}

/// Runs a function to its end.
pub fn to_the_end(world: &mut World, function: &Function) -> Result<()> {
    let mut run = Run::new(function);
    loop {
        match run.next() {
            Next::Instruction(instruction) => {
                if !run.perform(world, &instruction.kind) {
                    let what = format!("{} that runs before the threads start", words(&instruction.kind));
                    return Err(run.refuse(world, what, instruction.span));
                }
                run.advance(world, instruction.span)?;
            }
            Next::Terminator(Terminator::Return(_)) => return Ok(()),
            Next::Terminator(Terminator::Jump(next)) => run.go_to(world, *next, None)?,
            Next::Terminator(Terminator::Branch { condition, then, otherwise, span, .. }) => {
                let Some(truth) = run.value(condition).and_then(|value| value.truth()) else {
                    return Err(run.refuse(world, "a branch on an undefined value", *span));
                };
                run.go_to(world, if truth { *then } else { *otherwise }, *span)?;
            }
        }
    }
}

/// What an instruction is called that cannot run before the threads start.
fn words(kind: &InstructionKind) -> &'static str {
    match kind {
        InstructionKind::Observe { .. } => "an external action",
        InstructionKind::Assert { .. } => "an assertion that fails",
        InstructionKind::Load { .. } | InstructionKind::Store { .. } => "an access through null",
        InstructionKind::Wait { .. } | InstructionKind::Notify { .. } => "`wait` or `notify`",
        InstructionKind::Assign { .. } => "an operation without result",
        _ => "an instruction",
    }
}
