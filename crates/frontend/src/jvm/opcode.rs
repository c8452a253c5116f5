//! One bytecode instruction at a time.

use cafebabe::bytecode::{Opcode, PrimitiveArrayType};
use cafebabe::constant_pool::{LiteralConstant, Loadable, ObjectArrayType};
use program::{AssertSort, Diagnostic, InstructionKind, Operand, Operator, Value};

use super::class::Kind;
use super::lower::{Entry, Frame, Lowering, Result};
use super::places::shown;
use super::world::Shape;

impl<'a> Lowering<'_, 'a> {
    /// Lowers the instruction at an index, which stands in `block`. Whether it ended the block.
    pub fn opcode(&mut self, frame: &mut Frame<'a>, at: usize, block: usize) -> Result<bool> {
        use Opcode::*;
        let opcodes = frame.opcodes;
        let opcode = &opcodes[at].1;
        match opcode {
            Nop => {}
            AconstNull => frame.stack.push(Entry::constant(Value::int(0, 32), Kind::Reference)),
            IconstM1 => push_int(frame, -1),
            Iconst0 => push_int(frame, 0),
            Iconst1 => push_int(frame, 1),
            Iconst2 => push_int(frame, 2),
            Iconst3 => push_int(frame, 3),
            Iconst4 => push_int(frame, 4),
            Iconst5 => push_int(frame, 5),
            Bipush(value) => push_int(frame, (*value).into()),
            Sipush(value) => push_int(frame, (*value).into()),
            Lconst0 => frame.stack.push(Entry::constant(Value::int(0, 64), Kind::Long)),
            Lconst1 => frame.stack.push(Entry::constant(Value::int(1, 64), Kind::Long)),
            Ldc(value) | LdcW(value) | Ldc2W(value) => self.load_constant(frame, value)?,

            Iload(_) => self.push_local(frame, at, Kind::Int)?,
            Lload(_) => self.push_local(frame, at, Kind::Long)?,
            Aload(_) => self.push_local(frame, at, Kind::Reference)?,
            Istore(_) => self.pop_local(frame, at, Kind::Int)?,
            Lstore(_) => self.pop_local(frame, at, Kind::Long)?,
            Astore(_) => self.pop_local(frame, at, Kind::Reference)?,
            Iinc(_, by) => self.increment(frame, at, (*by).into())?,

            Pop | Pop2 | Dup | DupX1 | DupX2 | Dup2 | Dup2X1 | Dup2X2 | Swap => self.rearrange(frame, opcode)?,

            Iadd | Isub | Imul | Iand | Ior | Ixor => self.binary(frame, opcode, Kind::Int)?,
            Ladd | Lsub | Lmul | Land | Lor | Lxor => self.binary(frame, opcode, Kind::Long)?,
            Idiv | Irem => self.divide(frame, opcode, Kind::Int)?,
            Ldiv | Lrem => self.divide(frame, opcode, Kind::Long)?,
            Ishl | Ishr | Iushr => self.shift(frame, opcode, Kind::Int)?,
            Lshl | Lshr | Lushr => self.shift(frame, opcode, Kind::Long)?,
            Ineg => self.convert(frame, Kind::Int, Kind::Int, &[Operator::Neg])?,
            Lneg => self.convert(frame, Kind::Long, Kind::Long, &[Operator::Neg])?,
            I2l => self.convert(frame, Kind::Int, Kind::Long, &[resize(64, true)])?,
            L2i => self.convert(frame, Kind::Long, Kind::Int, &[resize(32, true)])?,
            I2b => self.convert(frame, Kind::Int, Kind::Int, &[resize(8, true), resize(32, true)])?,
            I2s => self.convert(frame, Kind::Int, Kind::Int, &[resize(16, true), resize(32, true)])?,
            I2c => self.convert(frame, Kind::Int, Kind::Int, &[resize(16, false), resize(32, false)])?,
            Lcmp => self.compare_long(frame, at)?,

            Getstatic(member) => {
                if self.is_assertion(frame, at, member) {
                    self.assertion(frame, block)?;
                    return Ok(true);
                }
                self.get_static(frame, member)?;
            }
            Putstatic(member) => self.put_static(frame, member)?,
            Getfield(member) => self.get_field(frame, member)?,
            Putfield(member) => self.put_field(frame, member)?,
            Iaload | Baload | Caload | Saload => self.load_element(frame, Kind::Int)?,
            Laload => self.load_element(frame, Kind::Long)?,
            Aaload => self.load_element(frame, Kind::Reference)?,
            Iastore | Bastore | Castore | Sastore => self.store_element(frame, Kind::Int)?,
            Lastore => self.store_element(frame, Kind::Long)?,
            Aastore => self.store_element(frame, Kind::Reference)?,
            Arraylength => self.array_length(frame)?,

            New(class) => self.new_object(frame, class)?,
            Newarray(element) => self.new_array(frame, primitive(*element))?,
            Anewarray(element) => {
                let name = match element {
                    ObjectArrayType::BinaryName(class) => shown(class),
                    ObjectArrayType::ArrayType(_) => return Err(self.refuse("an array of arrays", frame.site)),
                };
                self.new_array(frame, (&name, Kind::Reference))?;
            }
            Monitorenter => {
                let entry = self.pop_kind(frame, Kind::Reference)?;
                self.require_object(frame, &entry);
                let monitor = entry.operand;
                self.code.keep(&monitor);
                frame.held.push(monitor.clone());
                self.code.emit(InstructionKind::Lock { monitor }, frame.site.span);
            }
            Monitorexit => {
                let monitor = self.pop_kind(frame, Kind::Reference)?.operand;
                frame.held.pop();
                self.code.emit(InstructionKind::Unlock { monitor }, frame.site.span);
            }
            Checkcast(class) => self.cast(frame, class)?,

            Invokestatic(member) => self.invoke_static(frame, member)?,
            Invokespecial(member) => self.invoke_special(frame, member)?,
            Invokevirtual(member) | Invokeinterface(member, _) => self.invoke_virtual(frame, member)?,
            Invokedynamic(call) => self.invoke_dynamic(frame, call)?,

            Goto(_) => {
                let next = self.target(frame, block, 0)?;
                self.flow_to(frame, next)?;
                return Ok(true);
            }
            Ifeq(_) | Ifne(_) | Iflt(_) | Ifge(_) | Ifgt(_) | Ifle(_) | Ifnull(_) | Ifnonnull(_) | IfIcmpeq(_)
            | IfIcmpne(_) | IfIcmplt(_) | IfIcmpge(_) | IfIcmpgt(_) | IfIcmple(_) | IfAcmpeq(_) | IfAcmpne(_) => {
                let (condition, jumps_if) = self.condition(frame, opcode)?;
                self.branch(frame, block, condition, jumps_if)?;
                return Ok(true);
            }
            Tableswitch(table) => {
                let cases = (0..table.jumps.len()).map(|n| table.low.wrapping_add(n as i32)).collect();
                self.switch(frame, block, cases)?;
                return Ok(true);
            }
            Lookupswitch(table) => {
                self.switch(frame, block, table.match_offsets.iter().map(|(case, _)| *case).collect())?;
                return Ok(true);
            }
            Return => {
                self.return_from(frame, None);
                return Ok(true);
            }
            Ireturn | Lreturn | Areturn => {
                let result = self.world.method(frame.id).result;
                let Some(kind) = result else { return Err(self.malformed("a value is returned", frame.site)) };
                let entry = self.pop_kind(frame, kind)?;
                self.return_from(frame, Some(entry));
                return Ok(true);
            }
            Athrow => return Err(self.refuse("`throw`", frame.site)),
            other => return Err(self.refuse(refused(other), frame.site)),
        }
        Ok(false)
    }

    fn target(&self, frame: &Frame<'a>, block: usize, edge: usize) -> Result<usize> {
        let next = frame.blocks.successors[block].get(edge).copied();
        next.ok_or_else(|| self.malformed("a jump leads nowhere", frame.site))
    }

    fn load_constant(&mut self, frame: &mut Frame<'a>, value: &Loadable) -> Result<()> {
        let entry = match value {
            Loadable::LiteralConstant(LiteralConstant::Integer(value)) => {
                Entry::constant(Value::int((*value).into(), 32), Kind::Int)
            }
            Loadable::LiteralConstant(LiteralConstant::Long(value)) => {
                Entry::constant(Value::int(*value, 64), Kind::Long)
            }
            Loadable::LiteralConstant(LiteralConstant::String(text)) => {
                let pointer = self.world.memory.literal(&format!("{text:?}"), "java/lang/String");
                Entry::constant(Value::Pointer(pointer), Kind::Reference)
            }
            Loadable::ClassInfo(class) => {
                Entry { operand: self.class_object(class), kind: Kind::Reference, shape: None }
            }
            Loadable::LiteralConstant(LiteralConstant::Float(_)) => return Err(self.float(frame, "float")),
            Loadable::LiteralConstant(LiteralConstant::Double(_)) => return Err(self.float(frame, "double")),
            _ => return Err(self.refuse("a constant of this kind", frame.site)),
        };
        frame.stack.push(entry);
        Ok(())
    }

    fn float(&self, frame: &Frame<'a>, name: &str) -> Diagnostic {
        self.refuse(format!("the type `{name}`"), frame.site)
    }

    fn push_local(&mut self, frame: &mut Frame<'a>, at: usize, kind: Kind) -> Result<()> {
        let entry = self.local(frame, at, kind)?;
        frame.stack.push(entry);
        Ok(())
    }

    fn pop_local(&mut self, frame: &mut Frame<'a>, at: usize, kind: Kind) -> Result<()> {
        let entry = self.pop_kind(frame, kind)?;
        self.set_local(frame, at, entry)
    }

    /// The instructions that only move what is on the stack. They count in slots, of which a `long` takes two.
    fn rearrange(&mut self, frame: &mut Frame<'a>, opcode: &Opcode) -> Result<()> {
        use Opcode::*;
        let first = self.pop_slots(frame, if matches!(opcode, Pop2 | Dup2 | Dup2X1 | Dup2X2) { 2 } else { 1 })?;
        let below = match opcode {
            DupX1 | Dup2X1 | Swap => 1,
            DupX2 | Dup2X2 => 2,
            _ => 0,
        };
        let second = self.pop_slots(frame, below)?;
        match opcode {
            Pop | Pop2 => {}
            Swap => frame.stack.extend(first.into_iter().chain(second)),
            _ => frame.stack.extend(first.clone().into_iter().chain(second).chain(first)),
        }
        Ok(())
    }

    /// Takes entries that fill this many slots, in the order in which they lie.
    fn pop_slots(&mut self, frame: &mut Frame<'a>, slots: usize) -> Result<Vec<Entry>> {
        let mut taken = Vec::new();
        let mut filled = 0;
        while filled < slots {
            let entry = self.pop(frame)?;
            filled += entry.kind.slots();
            taken.push(entry);
        }
        if filled > slots {
            return Err(self.malformed("a long is split", frame.site));
        }
        taken.reverse();
        Ok(taken)
    }

    fn binary(&mut self, frame: &mut Frame<'a>, opcode: &Opcode, kind: Kind) -> Result<()> {
        let right = self.pop_kind(frame, kind)?.operand;
        let left = self.pop_kind(frame, kind)?.operand;
        let operand = self.code.compute(operator(opcode), vec![left, right], frame.site.span);
        frame.stack.push(Entry { operand, kind, shape: None });
        Ok(())
    }

    /// Division. For a divisor 0 an exception ends the thread.
    fn divide(&mut self, frame: &mut Frame<'a>, opcode: &Opcode, kind: Kind) -> Result<()> {
        let divisor = frame.stack.last().map(|entry| entry.operand.clone());
        if let Some(divisor) = divisor.filter(|divisor| divisor.constant().and_then(Value::truth) != Some(true)) {
            let zero = Operand::Constant(Value::int(0, kind.width()));
            let is_fine = self.code.compute(Operator::Ne, vec![divisor, zero], frame.site.span);
            self.require(frame, is_fine, "java.lang.ArithmeticException: / by zero");
        }
        self.binary(frame, opcode, kind)
    }

    /// A cast. One that may fail is refused.
    fn cast(&mut self, frame: &mut Frame<'a>, class: &ObjectArrayType) -> Result<()> {
        let entry = self.pop_kind(frame, Kind::Reference)?;
        let is_known = match (class, self.shape_of(&entry)) {
            (ObjectArrayType::BinaryName(class), Some(shape)) => self.world.is_subtype(&shape.class, class),
            (ObjectArrayType::BinaryName(class), None) => *class == "java/lang/Object",
            (ObjectArrayType::ArrayType(_), _) => false,
        };
        let is_null = matches!(entry.operand.constant(), Some(Value::Int(_)));
        if !is_known && !is_null {
            return Err(self.refuse("a cast that may fail", frame.site));
        }
        frame.stack.push(entry);
        Ok(())
    }

    /// Ends the thread with an exception, which nothing catches, if the condition is false.
    pub fn require(&mut self, frame: &Frame<'a>, condition: Operand, exception: &str) {
        let claim = InstructionKind::claim(AssertSort::Exception, condition, format!("uncaught {exception}"));
        self.code.emit(claim, frame.site.span);
    }

    /// Shifts use the low 5 or 6 bits of the amount.
    fn shift(&mut self, frame: &mut Frame<'a>, opcode: &Opcode, kind: Kind) -> Result<()> {
        let amount = self.pop_kind(frame, Kind::Int)?.operand;
        let value = self.pop_kind(frame, kind)?.operand;
        let mask = Operand::Constant(Value::int(if kind == Kind::Long { 63 } else { 31 }, 32));
        let amount = self.code.compute(Operator::And, vec![amount, mask], frame.site.span);
        let operand = self.code.compute(operator(opcode), vec![value, amount], frame.site.span);
        frame.stack.push(Entry { operand, kind, shape: None });
        Ok(())
    }

    fn convert(&mut self, frame: &mut Frame<'a>, from: Kind, to: Kind, operators: &[Operator]) -> Result<()> {
        let mut operand = self.pop_kind(frame, from)?.operand;
        for operator in operators {
            operand = self.code.compute(operator.clone(), vec![operand], frame.site.span);
        }
        frame.stack.push(Entry { operand, kind: to, shape: None });
        Ok(())
    }

    /// -1, 0 or 1. Where a comparison with 0 comes next, as javac writes it, that one compares the two longs instead.
    fn compare_long(&mut self, frame: &mut Frame<'a>, at: usize) -> Result<()> {
        use Opcode::*;
        let right = self.pop_kind(frame, Kind::Long)?.operand;
        let left = self.pop_kind(frame, Kind::Long)?.operand;
        let span = frame.site.span;
        if let Some((_, Ifeq(_) | Ifne(_) | Iflt(_) | Ifge(_) | Ifgt(_) | Ifle(_))) = frame.opcodes.get(at + 1) {
            frame.compared = Some((left, right));
            push_int(frame, 0);
            return Ok(());
        }
        let greater = self.code.compute(Operator::LtSigned, vec![right.clone(), left.clone()], span);
        let less = self.code.compute(Operator::LtSigned, vec![left, right], span);
        let operand = self.code.compute(Operator::Sub, vec![greater, less], span);
        frame.stack.push(Entry::int(operand));
        Ok(())
    }

    /// The condition of a jump, and whether the jump is taken if it is true.
    pub fn condition(&mut self, frame: &mut Frame<'a>, opcode: &Opcode) -> Result<(Operand, bool)> {
        use Opcode::*;
        let kind = match opcode {
            Ifnull(_) | Ifnonnull(_) | IfAcmpeq(_) | IfAcmpne(_) => Kind::Reference,
            _ => Kind::Int,
        };
        let right = match opcode {
            IfIcmpeq(_) | IfIcmpne(_) | IfIcmplt(_) | IfIcmpge(_) | IfIcmpgt(_) | IfIcmple(_) | IfAcmpeq(_)
            | IfAcmpne(_) => self.pop_kind(frame, kind)?.operand,
            _ => Operand::Constant(Value::int(0, 32)),
        };
        let left = self.pop_kind(frame, kind)?.operand;
        let compared = frame.compared.take();
        let is_compared = compared.is_some();
        let (left, right) = compared.unwrap_or((left, right));
        let mut compute = |operator, left, right| self.code.compute(operator, vec![left, right], frame.site.span);
        Ok(match opcode {
            Ifne(_) if is_compared => (compute(Operator::Ne, left, right), true),
            Ifeq(_) if is_compared => (compute(Operator::Eq, left, right), true),
            Ifne(_) | Ifnonnull(_) => (left, true),
            Ifeq(_) | Ifnull(_) => (left, false),
            IfIcmpeq(_) | IfAcmpeq(_) => (compute(Operator::Eq, left, right), true),
            IfIcmpne(_) | IfAcmpne(_) => (compute(Operator::Ne, left, right), true),
            Iflt(_) | IfIcmplt(_) => (compute(Operator::LtSigned, left, right), true),
            Ifge(_) | IfIcmpge(_) => (compute(Operator::LeSigned, right, left), true),
            Ifgt(_) | IfIcmpgt(_) => (compute(Operator::LtSigned, right, left), true),
            _ => (compute(Operator::LeSigned, left, right), true),
        })
    }

    /// Ends the block: to its jump's target if the condition is `jumps_if`, else to the next block.
    fn branch(&mut self, frame: &mut Frame<'a>, block: usize, condition: Operand, jumps_if: bool) -> Result<()> {
        let (target, next) = (self.target(frame, block, 0)?, self.target(frame, block, 1)?);
        let decided = condition.constant().and_then(Value::truth);
        if let Some(truth) = decided {
            return self.flow_to(frame, if truth == jumps_if { target } else { next });
        }
        let condition = self.safe_condition(frame, condition);
        let (then, otherwise) = if jumps_if { (target, next) } else { (next, target) };
        let (then, otherwise) = (self.arrive(frame, then)?, self.arrive(frame, otherwise)?);
        self.code.branch(condition, then, otherwise, frame.site.span);
        Ok(())
    }

    /// A chain of branches, one for each case, in order.
    fn switch(&mut self, frame: &mut Frame<'a>, block: usize, cases: Vec<i32>) -> Result<()> {
        let value = self.pop_kind(frame, Kind::Int)?.operand;
        let value = self.safe_condition(frame, value);
        self.spill_stack(frame);
        for (edge, case) in cases.iter().enumerate() {
            let target = self.target(frame, block, edge)?;
            let case = Operand::Constant(Value::int((*case).into(), 32));
            let equal = self.code.compute(Operator::Eq, vec![value.clone(), case], frame.site.span);
            let target = self.arrive(frame, target)?;
            let next = self.code.block(None);
            self.code.branch(equal, target, next, frame.site.span);
            self.code.write_in(next);
        }
        let default = self.target(frame, block, cases.len())?;
        self.flow_to(frame, default)
    }

    /// The shape of what an operand points to, if it is known.
    pub fn shape_of(&self, entry: &Entry) -> Option<Shape> {
        let known = match entry.operand.constant() {
            Some(Value::Pointer(pointer)) => self.world.memory.shape(pointer).cloned(),
            _ => None,
        };
        known.or_else(|| entry.shape.clone())
    }
}

fn push_int(frame: &mut Frame, value: i64) {
    frame.stack.push(Entry::constant(Value::int(value, 32), Kind::Int));
}

fn resize(width: u8, signed: bool) -> Operator {
    Operator::Resize { width, signed }
}

/// The operator of an arithmetic instruction.
fn operator(opcode: &Opcode) -> Operator {
    use Opcode::*;
    match opcode {
        Iadd | Ladd => Operator::Add,
        Isub | Lsub => Operator::Sub,
        Imul | Lmul => Operator::Mul,
        Idiv | Ldiv => Operator::DivSigned,
        Irem | Lrem => Operator::RemSigned,
        Iand | Land => Operator::And,
        Ior | Lor => Operator::Or,
        Ixor | Lxor => Operator::Xor,
        Ishl | Lshl => Operator::Shl,
        Ishr | Lshr => Operator::ShrSigned,
        _ => Operator::ShrUnsigned,
    }
}

fn primitive(element: PrimitiveArrayType) -> (&'static str, Kind) {
    match element {
        PrimitiveArrayType::Boolean => ("boolean", Kind::Int),
        PrimitiveArrayType::Char => ("char", Kind::Int),
        PrimitiveArrayType::Byte => ("byte", Kind::Int),
        PrimitiveArrayType::Short => ("short", Kind::Int),
        PrimitiveArrayType::Int => ("int", Kind::Int),
        PrimitiveArrayType::Long => ("long", Kind::Long),
        PrimitiveArrayType::Float => ("float", Kind::Float),
        PrimitiveArrayType::Double => ("double", Kind::Double),
    }
}

/// How an instruction that is not modelled is called.
fn refused(opcode: &Opcode) -> String {
    use Opcode::*;
    match opcode {
        Fconst0 | Fconst1 | Fconst2 | Fload(_) | Fstore(_) | Faload | Fastore | Fadd | Fsub | Fmul | Fdiv | Frem
        | Fneg | Fcmpg | Fcmpl | Freturn | F2i | F2l | F2d | I2f | L2f => "the type `float`".into(),
        Dconst0 | Dconst1 | Dload(_) | Dstore(_) | Daload | Dastore | Dadd | Dsub | Dmul | Ddiv | Drem | Dneg
        | Dcmpg | Dcmpl | Dreturn | D2i | D2l | D2f | I2d | L2d => "the type `double`".into(),
        Instanceof(_) => "`instanceof`".into(),
        Multianewarray(..) => "an array of arrays".into(),
        other => {
            let text = format!("{other:?}");
            let name = text.split(['(', ' ']).next().unwrap_or_default();
            format!("the instruction `{}`", name.to_lowercase())
        }
    }
}
