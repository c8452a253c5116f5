//! The lines of a thread, lowered to blocks.

use std::collections::{BTreeSet, HashMap};

use program::{
    Access, BlockId, Diagnostic, InstructionKind, Operand, Operator, RegisterId, Span, Terminator, Unsupported, Update,
    Value,
};

use super::Machine;
use super::flags::{self, Computed, Condition, Flag};
use super::instruction::{Base, Cell, Instruction, Line, Operand as Written, Operation};
use super::register::{Register, accumulator};
use crate::litmus::code::Code;
use crate::litmus::memory::Memory;
use crate::litmus::messages::Messages;

/// Lowers all lines of a thread into `code`.
pub fn lower(machine: Machine, lines: &[Line], code: &mut Code, memory: &mut Memory, messages: &mut Messages) {
    let labels = labels(lines, code, messages);
    let used = flags_used(lines);
    for line in lines {
        match line {
            Line::Label(name, _) => code.continue_in(labels[name]),
            Line::Instruction(instruction) => {
                let span = instruction.span;
                let mut step = Step { machine, code, memory, labels: &labels, used: &used, span };
                messages.note(step.instruction(instruction));
            }
        }
    }
}

/// A block for every label.
fn labels(lines: &[Line], code: &mut Code, messages: &mut Messages) -> HashMap<String, BlockId> {
    let mut labels = HashMap::new();
    for line in lines {
        if let Line::Label(name, span) = line
            && labels.insert(name.clone(), code.block(Some(*span))).is_some()
        {
            messages.push(Diagnostic::error(format!("the label `{name}` stands here again"), *span));
        }
    }
    labels
}

/// The flags that some instruction looks at.
fn flags_used(lines: &[Line]) -> BTreeSet<Flag> {
    let condition = |line: &Line| match line {
        Line::Instruction(instruction) => match instruction.operation {
            Operation::JumpIf(condition) | Operation::SetIf(condition) | Operation::MoveIf(condition) => {
                Some(condition)
            }
            _ => None,
        },
        Line::Label(..) => None,
    };
    lines.iter().filter_map(condition).flat_map(Condition::flags).copied().collect()
}

/// The lowering of one instruction.
pub(super) struct Step<'s> {
    pub machine: Machine,
    pub code: &'s mut Code,
    pub memory: &'s mut Memory,
    labels: &'s HashMap<String, BlockId>,
    used: &'s BTreeSet<Flag>,
    pub span: Span,
}

impl Step<'_> {
    fn instruction(&mut self, instruction: &Instruction) -> Result<(), Diagnostic> {
        if instruction.locked {
            self.check_lock(instruction)?;
        }
        let operands = instruction.operands.as_slice();
        match (instruction.operation, operands) {
            (Operation::Nop, _) => Ok(()),
            (Operation::Fence(name), []) => {
                self.code.emit(InstructionKind::Fence { access: Access::plain().tagged(name) }, self.span);
                Ok(())
            }
            (Operation::Jump, [target]) => {
                let target = self.label(target)?;
                self.code.end(Terminator::Jump(target));
                Ok(())
            }
            (Operation::JumpIf(condition), [target]) => self.jump_if(condition, target),
            (Operation::SetIf(condition), [target]) => self.set_if(condition, target),
            (Operation::Lea, [Written::Register(target), Written::Memory(cell)]) => self.lea(*target, cell),
            (Operation::Shl | Operation::Shr | Operation::Sar, [target]) => self.shift(instruction, target, 1),
            (Operation::Shl | Operation::Shr | Operation::Sar, [target, Written::Number(count)]) => {
                self.shift(instruction, target, *count)
            }
            (Operation::Shl | Operation::Shr | Operation::Sar, [_, Written::Register(_)]) => {
                Err(Unsupported::new("a shift by a register", Some(self.span)).into())
            }
            (Operation::Inc | Operation::Dec | Operation::Neg | Operation::Not, [target]) => {
                let width = self.width(instruction)?;
                self.arithmetic(instruction, target, None, width)
            }
            (_, [target, source]) => self.with_source(instruction, target, source),
            _ => Err(Diagnostic::error("this instruction does not take such operands", self.span)),
        }
    }

    /// Instructions with a target and a source of the same width.
    fn with_source(&mut self, instruction: &Instruction, target: &Written, source: &Written) -> Result<(), Diagnostic> {
        let width = self.width(instruction)?;
        match (instruction.operation, target, source) {
            (_, Written::Memory(_), Written::Memory(_)) => {
                Err(Diagnostic::error("an instruction has at most one memory operand", self.span))
            }
            (Operation::Mov, ..) => self.mov(target, source, width),
            (Operation::MoveIf(condition), Written::Register(target), _) => {
                self.move_if(condition, *target, source, width)
            }
            (Operation::Xchg, ..) => self.xchg(target, source, width),
            (Operation::Xadd, _, Written::Register(source)) => self.xadd(instruction.locked, target, *source, width),
            (Operation::Cmpxchg, _, Written::Register(source)) => {
                self.cmpxchg(instruction.locked, target, *source, width)
            }
            (Operation::Cmp, ..) => self.cmp(target, source, width),
            (Operation::Test, ..) => self.test(target, source, width),
            (Operation::Add | Operation::Sub | Operation::And | Operation::Or | Operation::Xor, ..) => {
                self.arithmetic(instruction, target, Some(source), width)
            }
            _ => Err(Diagnostic::error("this instruction does not take such operands", self.span)),
        }
    }

    /// `LOCK` stands before instructions that read and write memory only.
    fn check_lock(&self, instruction: &Instruction) -> Result<(), Diagnostic> {
        let lockable = matches!(
            instruction.operation,
            Operation::Xchg
                | Operation::Xadd
                | Operation::Cmpxchg
                | Operation::Add
                | Operation::Sub
                | Operation::And
                | Operation::Or
                | Operation::Xor
                | Operation::Inc
                | Operation::Dec
                | Operation::Neg
                | Operation::Not
        );
        let exchange = instruction.operation == Operation::Xchg;
        let operands = if exchange { instruction.operands.len() } else { 1 };
        let memory = instruction.operands.iter().take(operands).any(|operand| matches!(operand, Written::Memory(_)));
        if lockable && memory {
            return Ok(());
        }
        Err(Diagnostic::error("`LOCK` needs an instruction that reads and writes memory", self.span))
    }

    /// The width of the operation: the suffix, the registers, or in X86 32 bits.
    fn width(&self, instruction: &Instruction) -> Result<u8, Diagnostic> {
        let mut width = instruction.width;
        for operand in &instruction.operands {
            if let Written::Register(register) = operand
                && *width.get_or_insert(register.width) != register.width
            {
                return Err(Diagnostic::error("the operands have different widths", self.span));
            }
        }
        match (width, self.machine) {
            (Some(width), _) if width <= self.machine.word() => Ok(width),
            (Some(_), _) => Err(Unsupported::new("an access of 64 bits in X86", Some(self.span)).into()),
            (None, Machine::X86) => Ok(32),
            (None, Machine::X86_64) => Err(Diagnostic::error("the width of this access is not given", self.span)
                .note("a suffix gives it: `movl` for 32 bits, `movq` for 64")),
        }
    }

    fn mov(&mut self, target: &Written, source: &Written, width: u8) -> Result<(), Diagnostic> {
        if let (Written::Register(register), Written::Memory(cell)) = (target, source) {
            let loaded = self.target(*register);
            self.load(loaded, cell, width)?;
            self.complete(*register, loaded);
            return Ok(());
        }
        let value = self.value(source, width)?;
        self.set(target, value, width)
    }

    fn move_if(
        &mut self,
        condition: Condition,
        target: Register,
        source: &Written,
        width: u8,
    ) -> Result<(), Diagnostic> {
        let moved = self.value(source, width)?;
        let kept = self.read(target);
        let (test, negated) = condition.test(self.code, self.span);
        let (then, otherwise) = if negated { (kept, moved) } else { (moved, kept) };
        let value = self.code.compute(Operator::Select, vec![test, then, otherwise], self.span);
        self.write(target, value);
        Ok(())
    }

    fn set_if(&mut self, condition: Condition, target: &Written) -> Result<(), Diagnostic> {
        let width = if let Written::Register(register) = target { register.width } else { 8 };
        let (mut test, negated) = condition.test(self.code, self.span);
        if negated {
            test = self.code.compute(Operator::IsFalse, vec![test], self.span);
        }
        if width != 32 {
            test = self.code.compute(Operator::Resize { width, signed: false }, vec![test], self.span);
        }
        self.set(target, test, width)
    }

    fn jump_if(&mut self, condition: Condition, target: &Written) -> Result<(), Diagnostic> {
        let target = self.label(target)?;
        let (test, negated) = condition.test(self.code, self.span);
        let next = self.code.block(None);
        let (then, otherwise) = if negated { (next, target) } else { (target, next) };
        let branch = Terminator::Branch { condition: test, then, otherwise, join: None, span: Some(self.span) };
        self.code.end_and_go_on(branch, next);
        Ok(())
    }

    fn label(&self, operand: &Written) -> Result<BlockId, Diagnostic> {
        let Written::Label(name, span) = operand else {
            return Err(Diagnostic::error("a jump goes to a label", self.span));
        };
        let block = self.labels.get(name).copied();
        block.ok_or_else(|| Diagnostic::error(format!("there is no label `{name}` in this thread"), *span))
    }

    fn lea(&mut self, target: Register, cell: &Cell) -> Result<(), Diagnostic> {
        if target.width != self.machine.word() || cell.displacement != 0 || cell.index.is_some() {
            return Err(Unsupported::new("the computation of an address by `LEA`", Some(self.span)).into());
        }
        let address = match &cell.base {
            Base::Location(name) => self.address_of(name)?,
            Base::Register(register) => self.read(*register),
        };
        self.write(target, address);
        Ok(())
    }

    fn xchg(&mut self, left: &Written, right: &Written, width: u8) -> Result<(), Diagnostic> {
        match (left, right) {
            (Written::Memory(cell), Written::Register(register))
            | (Written::Register(register), Written::Memory(cell)) => {
                let value = self.read(*register);
                let old = self.target(*register);
                self.read_modify_write(old, cell, Update::Exchange(value), width)?;
                self.complete(*register, old);
                Ok(())
            }
            (Written::Register(left), Written::Register(right)) => {
                let old = self.read(*left);
                let old = self.code.compute(Operator::Copy, vec![old], self.span);
                let new = self.read(*right);
                self.write(*left, new);
                self.write(*right, old);
                Ok(())
            }
            _ => Err(Diagnostic::error("this instruction does not take such operands", self.span)),
        }
    }

    fn xadd(&mut self, locked: bool, target: &Written, source: Register, width: u8) -> Result<(), Diagnostic> {
        let added = self.read(source);
        let old = self.code.temporary();
        match target {
            Written::Memory(cell) if locked => {
                self.read_modify_write(old, cell, Update::Apply(Operator::Add, added.clone()), width)?;
            }
            Written::Memory(cell) => self.load(old, cell, width)?,
            other => {
                let value = self.value(other, width)?;
                self.code.assign(old, Operator::Copy, vec![value], self.span);
            }
        }
        let old = Operand::Register(old);
        let unlocked = !locked;
        if unlocked || !self.used.is_empty() {
            let sum = self.code.compute(Operator::Add, vec![old.clone(), added.clone()], self.span);
            self.set_flags(&Computed::Sum(old.clone(), added, sum.clone()), width);
            self.write(source, old);
            return if unlocked { self.set(target, sum, width) } else { Ok(()) };
        }
        self.write(source, old);
        Ok(())
    }

    fn cmpxchg(&mut self, locked: bool, target: &Written, source: Register, width: u8) -> Result<(), Diagnostic> {
        let expected = self.read(accumulator(width));
        let desired = self.read(source);
        let seen = self.code.temporary();
        let success = self.code.temporary();
        match target {
            Written::Memory(cell) if locked => {
                let failure = Access::plain().tagged("X");
                let (expected, weak) = (expected.clone(), false);
                let update = Update::CompareExchange { expected, desired: desired.clone(), success, weak, failure };
                self.read_modify_write(seen, cell, update, width)?;
            }
            Written::Memory(cell) => self.load(seen, cell, width)?,
            other => {
                let value = self.value(other, width)?;
                self.code.assign(seen, Operator::Copy, vec![value], self.span);
            }
        }
        let seen = Operand::Register(seen);
        self.compare(&expected, &seen, width);
        if !locked {
            self.code.assign(success, Operator::Eq, vec![expected, seen.clone()], self.span);
        }
        self.write(accumulator(width), seen);
        if locked { Ok(()) } else { self.set_when(success, target, desired, width) }
    }

    /// Writes a value to an operand if `condition` holds.
    fn set_when(
        &mut self,
        condition: RegisterId,
        target: &Written,
        value: Operand,
        width: u8,
    ) -> Result<(), Diagnostic> {
        let (then, next) = (self.code.block(None), self.code.block(None));
        let condition = Operand::Register(condition);
        let branch = Terminator::Branch { condition, then, otherwise: next, join: Some(next), span: Some(self.span) };
        self.code.end_and_go_on(branch, then);
        self.set(target, value, width)?;
        self.code.continue_in(next);
        Ok(())
    }

    fn cmp(&mut self, left: &Written, right: &Written, width: u8) -> Result<(), Diagnostic> {
        let left = self.value(left, width)?;
        let right = self.value(right, width)?;
        self.compare(&left, &right, width);
        Ok(())
    }

    /// Sets the flags as `CMP` does.
    fn compare(&mut self, left: &Operand, right: &Operand, width: u8) {
        let needs_difference = self.used.contains(&Flag::Sign) || self.used.contains(&Flag::Overflow);
        let difference = if needs_difference {
            self.code.compute(Operator::Sub, vec![left.clone(), right.clone()], self.span)
        } else {
            left.clone()
        };
        self.set_flags(&Computed::Difference(left.clone(), right.clone(), difference), width);
    }

    fn test(&mut self, left: &Written, right: &Written, width: u8) -> Result<(), Diagnostic> {
        let left = self.value(left, width)?;
        let right = self.value(right, width)?;
        if !self.used.is_empty() {
            // `TEST EAX,EAX` asks whether EAX is 0, of an address too.
            let same = left == right;
            let bits = if same { left } else { self.code.compute(Operator::And, vec![left, right], self.span) };
            self.set_flags(&Computed::Bits(bits), width);
        }
        Ok(())
    }

    fn shift(&mut self, instruction: &Instruction, target: &Written, count: i64) -> Result<(), Diagnostic> {
        let width = self.width(&Instruction { operands: vec![target.clone()], ..*instruction })?;
        let count = count & if width == 64 { 63 } else { 31 };
        let number = |value: i64| Operand::Constant(Value::int(value, width));
        let old = self.value(target, width)?;
        let (operator, last_bit) = match instruction.operation {
            Operation::Shl => (Operator::Shl, i64::from(width) - count),
            Operation::Shr => (Operator::ShrUnsigned, count - 1),
            _ => (Operator::ShrSigned, count - 1),
        };
        let result = self.code.compute(operator.clone(), vec![old.clone(), number(count)], self.span);
        if count > 0 && self.used.contains(&Flag::Carry) {
            let right = if operator == Operator::Shl { Operator::ShrUnsigned } else { operator };
            let in_range = if (0..i64::from(width)).contains(&last_bit) { last_bit } else { i64::from(width) - 1 };
            let carry = self.code.compute(right, vec![old, number(in_range)], self.span);
            let carry = self.code.compute(Operator::And, vec![carry, number(1)], self.span);
            self.set_flags(&Computed::Shifted(result.clone(), carry), width);
        } else if count > 0 {
            self.set_flags(&Computed::Shifted(result.clone(), number(0)), width);
        }
        self.set(target, result, width)
    }

    /// Instructions that compute a new value of their target from the old one.
    fn arithmetic(
        &mut self,
        instruction: &Instruction,
        target: &Written,
        source: Option<&Written>,
        width: u8,
    ) -> Result<(), Diagnostic> {
        let number = |value: i64| Operand::Constant(Value::int(value, width));
        let given = match source {
            Some(source) => self.value(source, width)?,
            None => number(1),
        };
        let (operator, right) = match instruction.operation {
            Operation::Add | Operation::Inc => (Operator::Add, given),
            Operation::Sub | Operation::Dec => (Operator::Sub, given),
            Operation::And => (Operator::And, given),
            Operation::Or => (Operator::Or, given),
            Operation::Xor => (Operator::Xor, given),
            Operation::Not => (Operator::Xor, number(-1)),
            // The product with -1, so that the locked form is an operator on the old value and an operand.
            _ => (Operator::Mul, number(-1)),
        };
        let looked_at = !self.used.is_empty() && instruction.operation != Operation::Not;
        let old = match target {
            Written::Memory(cell) if instruction.locked => {
                let old = self.code.temporary();
                self.read_modify_write(old, cell, Update::Apply(operator.clone(), right.clone()), width)?;
                if !looked_at {
                    return Ok(());
                }
                Operand::Register(old)
            }
            Written::Register(register) if !looked_at && register.width == self.machine.word() => {
                let (left, result) = (self.read(*register), self.target(*register));
                self.code.assign(result, operator, vec![left, right], self.span);
                return Ok(());
            }
            other => self.value(other, width)?,
        };
        let result = self.code.compute(operator, vec![old.clone(), right.clone()], self.span);
        let computed = match instruction.operation {
            Operation::Add => Computed::Sum(old, right, result.clone()),
            Operation::Sub => Computed::Difference(old, right, result.clone()),
            Operation::Inc => Computed::Increment(result.clone()),
            Operation::Dec => Computed::Decrement(result.clone()),
            Operation::Neg => Computed::Difference(number(0), old, result.clone()),
            _ => Computed::Bits(result.clone()),
        };
        if looked_at {
            self.set_flags(&computed, width);
        }
        if instruction.locked { Ok(()) } else { self.set(target, result, width) }
    }

    fn set_flags(&mut self, computed: &Computed, width: u8) {
        flags::set(self.code, self.used, computed, width, self.span);
    }
}
