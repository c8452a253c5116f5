//! `assert`, recognised in the form that javac gives it: a test of `$assertionsDisabled`, the condition, and an
//! `AssertionError` that is thrown where it is false. Assertions are enabled, so the test vanishes.
//!
//! A condition that reads no memory once it has begun to branch becomes one value and an assertion of it; any other one
//! keeps its branches, and the place where the error is thrown becomes a failing assertion. Either way the thread goes on
//! after it, as every `assert` of the representation does.

use std::collections::HashMap;

use cafebabe::bytecode::Opcode;
use cafebabe::constant_pool::MemberRef;
use program::{InstructionKind, Operand, Operator, Value};

use super::lower::{Frame, Lowering, Result};
use super::whole::index_on_line;
use super::world::ASSERTIONS_DISABLED;

/// Conditions of more blocks than this keep their branches.
const BLOCKS: usize = 64;

impl<'a> Lowering<'_, 'a> {
    /// Whether an assertion starts here.
    pub fn is_assertion(&self, frame: &Frame<'a>, at: usize, member: &MemberRef) -> bool {
        member.name_and_type.name == ASSERTIONS_DISABLED
            && matches!(frame.opcodes.get(at + 1), Some((_, Opcode::Ifne(_))))
    }

    /// Lowers the assertion whose test of `$assertionsDisabled` ends `block`.
    pub fn assertion(&mut self, frame: &mut Frame<'a>, block: usize) -> Result<()> {
        let [after, start] = frame.blocks.successors[block][..] else {
            return Err(self.malformed("an assertion has no condition", frame.site));
        };
        let line = frame.site.line;
        let test = frame.blocks.ranges[block].1.saturating_sub(2);
        let body = self.world.method(frame.id).body.as_ref();
        let index = body.map_or(0, |body| index_on_line(body, test));
        let text = self.world.places.assertion(frame.id.0, line, index);
        let text = text.unwrap_or_else(|| format!("{}:{line}", self.world.method_name(frame.id)));
        let region = region(frame, start, after);
        if self.is_value(frame, start, &region) {
            let condition = self.truth_of(frame, start, after, &mut HashMap::new())?;
            let kind = InstructionKind::assertion(condition, text);
            self.code.emit(kind, frame.site.span);
            return self.flow_to(frame, after);
        }
        let failing: Vec<usize> = region.into_iter().filter(|&block| throws(frame, block)).collect();
        frame.failures.extend(failing.into_iter().map(|block| (block, (text.clone(), after))));
        self.flow_to(frame, start)
    }

    /// Whether the condition can be computed without branches: no memory after the first block, nothing left on the stack
    /// between blocks, no way back.
    fn is_value(&self, frame: &Frame<'a>, start: usize, region: &[usize]) -> bool {
        let tests = || region.iter().copied().filter(|&block| !throws(frame, block));
        region.len() <= BLOCKS
            && tests().all(|block| {
                let (first, end) = frame.blocks.ranges[block];
                let (body, last) = (&frame.opcodes[first..end - 1], &frame.opcodes[end - 1].1);
                let ends_well = is_test(last) || matches!(last, Opcode::Goto(_));
                let forward = frame.blocks.successors[block].iter().all(|&next| next > block);
                let height = body.iter().try_fold(0, |height, (_, opcode)| change(opcode).map(|by| height + by));
                let wanted = if matches!(last, Opcode::Goto(_)) { 0 } else { operands(last) };
                let is_pure = height == Some(wanted);
                ends_well && forward && (is_pure || (block == start && is_test(last) && self.is_straight(body)))
            })
    }

    /// Whether the first block of a condition leaves nothing on the stack: it is all evaluated before the first branch, so
    /// any instruction may stand in it, if its height can be trusted to javac.
    fn is_straight(&self, body: &[(usize, Opcode)]) -> bool {
        !body.iter().any(|(_, opcode)| matches!(opcode, Opcode::Getstatic(member) if member.name_and_type.name == ASSERTIONS_DISABLED))
    }

    /// The value of the condition from a block on: 0 where the error is thrown, 1 after the assertion.
    fn truth_of(
        &mut self,
        frame: &mut Frame<'a>,
        block: usize,
        after: usize,
        known: &mut HashMap<usize, Operand>,
    ) -> Result<Operand> {
        let flag = |truth: bool| Operand::Constant(Value::int(truth.into(), 32));
        if block == after {
            return Ok(flag(true));
        }
        if throws(frame, block) {
            return Ok(flag(false));
        }
        if let Some(operand) = known.get(&block) {
            return Ok(operand.clone());
        }
        let (first, end) = frame.blocks.ranges[block];
        let stack = frame.stack.len();
        for at in first..end - 1 {
            self.opcode(frame, at, block)?;
        }
        let last = &frame.opcodes[end - 1].1;
        let next = frame.blocks.successors[block].clone();
        let operand = match next[..] {
            [target] => self.truth_of(frame, target, after, known)?,
            [target, fall] => {
                let (condition, jumps_if) = self.condition(frame, last)?;
                let (target, fall) =
                    (self.truth_of(frame, target, after, known)?, self.truth_of(frame, fall, after, known)?);
                let (then, otherwise) = if jumps_if { (target, fall) } else { (fall, target) };
                self.choose(frame, condition, then, otherwise)
            }
            _ => return Err(self.malformed("an assertion has no condition", frame.site)),
        };
        if frame.stack.len() != stack {
            return Err(self.refuse("a condition of this form in an assertion", frame.site));
        }
        known.insert(block, operand.clone());
        Ok(operand)
    }

    /// What is true where `condition ? then : otherwise` is.
    fn choose(&mut self, frame: &Frame<'a>, condition: Operand, then: Operand, otherwise: Operand) -> Operand {
        let is = |operand: &Operand, number: i64| *operand == Operand::Constant(Value::int(number, 32));
        if is(&then, 1) && is(&otherwise, 0) {
            return condition;
        }
        if is(&then, 0) && is(&otherwise, 1) {
            return self.code.compute(Operator::IsFalse, vec![condition], frame.site.span);
        }
        self.code.compute(Operator::Select, vec![condition, then, otherwise], frame.site.span)
    }
}

/// The blocks between the start of a condition and what follows the assertion, up to where the error is thrown.
fn region(frame: &Frame, start: usize, after: usize) -> Vec<usize> {
    let mut found = vec![start];
    let mut next = 0;
    while let Some(&block) = found.get(next) {
        next += 1;
        if throws(frame, block) {
            continue;
        }
        for &successor in &frame.blocks.successors[block] {
            if successor != after && !found.contains(&successor) {
                found.push(successor);
            }
        }
    }
    found
}

/// Whether the block makes the error of an assertion.
fn throws(frame: &Frame, block: usize) -> bool {
    let (first, _) = frame.blocks.ranges[block];
    matches!(&frame.opcodes[first].1, Opcode::New(class) if class == "java/lang/AssertionError")
}

fn is_test(opcode: &Opcode) -> bool {
    operands(opcode) > 0
}

/// How many operands a conditional jump takes; 0 for what is none.
fn operands(opcode: &Opcode) -> i32 {
    use Opcode::*;
    match opcode {
        Ifeq(_) | Ifne(_) | Iflt(_) | Ifge(_) | Ifgt(_) | Ifle(_) | Ifnull(_) | Ifnonnull(_) => 1,
        IfIcmpeq(_) | IfIcmpne(_) | IfIcmplt(_) | IfIcmpge(_) | IfIcmpgt(_) | IfIcmple(_) | IfAcmpeq(_)
        | IfAcmpne(_) => 2,
        _ => 0,
    }
}

/// By how many entries an instruction lets the stack grow; `None` if it does more than compute.
fn change(opcode: &Opcode) -> Option<i32> {
    use Opcode::*;
    match opcode {
        AconstNull | IconstM1 | Iconst0 | Iconst1 | Iconst2 | Iconst3 | Iconst4 | Iconst5 | Bipush(_) | Sipush(_)
        | Lconst0 | Lconst1 | Ldc(_) | LdcW(_) | Ldc2W(_) | Iload(_) | Lload(_) | Aload(_) => Some(1),
        Ineg | Lneg | I2l | L2i | I2b | I2s | I2c | Nop => Some(0),
        Iadd | Isub | Imul | Iand | Ior | Ixor | Ladd | Lsub | Lmul | Land | Lor | Lxor | Ishl | Ishr | Iushr
        | Lshl | Lshr | Lushr | Lcmp => Some(-1),
        _ => None,
    }
}
