//! One bytecode instruction at a time.

use cafebabe::bytecode::{Opcode, PrimitiveArrayType};
use cafebabe::constant_pool::{LiteralConstant, Loadable, ObjectArrayType};
use program::{BlockId, Operand, Operator, Value};

use crate::jvm::class::Kind;

use super::functions::Question;
use super::memory::modified_utf8;
use super::method::{Entry, Lowering, Result};
use super::terms::{array_of, zero};

impl<'a> Lowering<'_, 'a> {
    /// Lowers the instruction at an index. Whether it ended its block.
    pub fn opcode(&mut self, at: usize) -> Result<bool> {
        use Opcode::*;
        let opcodes = self.opcodes;
        let (offset, opcode) = &opcodes[at];
        match opcode {
            Nop => {}
            AconstNull => self.push(zero(), Kind::Reference),
            IconstM1 => self.push_int(-1),
            Iconst0 => self.push_int(0),
            Iconst1 => self.push_int(1),
            Iconst2 => self.push_int(2),
            Iconst3 => self.push_int(3),
            Iconst4 => self.push_int(4),
            Iconst5 => self.push_int(5),
            Bipush(value) => self.push_int((*value).into()),
            Sipush(value) => self.push_int((*value).into()),
            Lconst0 => self.push_constant(Value::int(0, 64), Kind::Long),
            Lconst1 => self.push_constant(Value::int(1, 64), Kind::Long),
            Fconst0 => self.push_float(0.0),
            Fconst1 => self.push_float(1.0),
            Fconst2 => self.push_float(2.0),
            Dconst0 => self.push_double(0.0),
            Dconst1 => self.push_double(1.0),
            Ldc(value) | LdcW(value) | Ldc2W(value) => self.load_constant(value)?,

            Iload(slot) => self.push_local(*slot, Kind::Int)?,
            Lload(slot) => self.push_local(*slot, Kind::Long)?,
            Fload(slot) => self.push_local(*slot, Kind::Float)?,
            Dload(slot) => self.push_local(*slot, Kind::Double)?,
            Aload(slot) => self.push_local(*slot, Kind::Reference)?,
            Istore(slot) => self.pop_local(*slot, Kind::Int)?,
            Lstore(slot) => self.pop_local(*slot, Kind::Long)?,
            Fstore(slot) => self.pop_local(*slot, Kind::Float)?,
            Dstore(slot) => self.pop_local(*slot, Kind::Double)?,
            Astore(slot) => self.pop_local(*slot, Kind::Reference)?,
            Iinc(slot, by) => self.increment(*slot, (*by).into())?,

            Pop | Pop2 | Dup | DupX1 | DupX2 | Dup2 | Dup2X1 | Dup2X2 | Swap => self.rearrange(opcode)?,

            Iadd | Isub | Imul | Iand | Ior | Ixor => self.binary(operator(opcode), Kind::Int)?,
            Ladd | Lsub | Lmul | Land | Lor | Lxor => self.binary(operator(opcode), Kind::Long)?,
            Fadd | Fsub | Fmul | Fdiv | Frem => self.binary(operator(opcode), Kind::Float)?,
            Dadd | Dsub | Dmul | Ddiv | Drem => self.binary(operator(opcode), Kind::Double)?,
            Idiv | Irem => self.divide(operator(opcode), Kind::Int)?,
            Ldiv | Lrem => self.divide(operator(opcode), Kind::Long)?,
            Ishl | Ishr | Iushr => self.shift(operator(opcode), Kind::Int)?,
            Lshl | Lshr | Lushr => self.shift(operator(opcode), Kind::Long)?,
            Ineg => self.convert(Kind::Int, Kind::Int, &[Operator::Neg])?,
            Lneg => self.convert(Kind::Long, Kind::Long, &[Operator::Neg])?,
            Fneg => self.negate_float(Kind::Float)?,
            Dneg => self.negate_float(Kind::Double)?,
            I2l => self.convert(Kind::Int, Kind::Long, &[resize(64, true)])?,
            L2i => self.convert(Kind::Long, Kind::Int, &[resize(32, true)])?,
            I2b => self.convert(Kind::Int, Kind::Int, &[resize(8, true), resize(32, true)])?,
            I2s => self.convert(Kind::Int, Kind::Int, &[resize(16, true), resize(32, true)])?,
            I2c => self.convert(Kind::Int, Kind::Int, &[resize(16, false), resize(32, false)])?,
            I2f => self.convert(Kind::Int, Kind::Float, &[Operator::IntToFloat32])?,
            I2d => self.convert(Kind::Int, Kind::Double, &[Operator::IntToFloat64])?,
            L2f => self.convert(Kind::Long, Kind::Float, &[Operator::IntToFloat32])?,
            L2d => self.convert(Kind::Long, Kind::Double, &[Operator::IntToFloat64])?,
            F2i => self.convert(Kind::Float, Kind::Int, &[Operator::FloatToInt32])?,
            F2l => self.convert(Kind::Float, Kind::Long, &[Operator::FloatToInt64])?,
            F2d => self.convert(Kind::Float, Kind::Double, &[Operator::FloatTo64])?,
            D2i => self.convert(Kind::Double, Kind::Int, &[Operator::FloatToInt32])?,
            D2l => self.convert(Kind::Double, Kind::Long, &[Operator::FloatToInt64])?,
            D2f => self.convert(Kind::Double, Kind::Float, &[Operator::FloatTo32])?,
            Lcmp => self.compare(Operator::LtSigned, Kind::Long, true)?,
            // The two differ in what they give for not a number: it counts as greater, or as less.
            Fcmpg => self.compare(Operator::FloatLe, Kind::Float, true)?,
            Fcmpl => self.compare(Operator::FloatLe, Kind::Float, false)?,
            Dcmpg => self.compare(Operator::FloatLe, Kind::Double, true)?,
            Dcmpl => self.compare(Operator::FloatLe, Kind::Double, false)?,

            Getstatic(member) => self.get_static(member)?,
            Putstatic(member) => self.put_static(member)?,
            Getfield(member) => self.get_field(member)?,
            Putfield(member) => self.put_field(member)?,
            Iaload | Baload | Caload | Saload => self.load_element(Kind::Int)?,
            Laload => self.load_element(Kind::Long)?,
            Faload => self.load_element(Kind::Float)?,
            Daload => self.load_element(Kind::Double)?,
            Aaload => self.load_element(Kind::Reference)?,
            Iastore | Bastore | Castore | Sastore => self.store_element(Kind::Int)?,
            Lastore => self.store_element(Kind::Long)?,
            Fastore => self.store_element(Kind::Float)?,
            Dastore => self.store_element(Kind::Double)?,
            Aastore => self.store_element(Kind::Reference)?,
            Arraylength => self.array_length()?,

            New(class) => self.new_object(class)?,
            Newarray(element) => self.new_array(&format!("[{}", primitive(*element)))?,
            Anewarray(element) => self.new_array(&array_of(&type_name(element)))?,
            Multianewarray(array, dimensions) => self.new_arrays(&type_name(array), (*dimensions).into())?,
            Checkcast(class) => self.check_cast(&type_name(class))?,
            Instanceof(class) => self.instance_of(&type_name(class))?,
            Monitorenter => {
                let monitor = self.pop_kind(Kind::Reference)?;
                self.require_object(&monitor)?;
                self.monitor(monitor.operand, true);
            }
            // Compilers release only what they acquired, so nothing is thrown here.
            Monitorexit => {
                let monitor = self.pop_kind(Kind::Reference)?.operand;
                self.monitor(monitor, false);
            }

            Invokestatic(member) => self.invoke_static(member)?,
            Invokespecial(member) => self.invoke_special(member)?,
            Invokevirtual(member) | Invokeinterface(member, _) => self.invoke_virtual(member)?,
            Invokedynamic(call) => self.invoke_dynamic(call)?,

            Goto(distance) => {
                self.flow_to(target(*offset, *distance))?;
                return Ok(true);
            }
            Ifeq(d) | Ifne(d) | Iflt(d) | Ifge(d) | Ifgt(d) | Ifle(d) | Ifnull(d) | Ifnonnull(d) | IfIcmpeq(d)
            | IfIcmpne(d) | IfIcmplt(d) | IfIcmpge(d) | IfIcmpgt(d) | IfIcmple(d) | IfAcmpeq(d) | IfAcmpne(d) => {
                let (condition, jumps_if) = self.condition(opcode)?;
                let next = opcodes.get(at + 1).map(|(offset, _)| *offset);
                let Some(next) = next else { return Err(self.malformed("control runs off the end")) };
                if let Some(truth) = condition.constant().and_then(Value::truth) {
                    self.flow_to(if truth == jumps_if { target(*offset, *d) } else { next })?;
                    return Ok(true);
                }
                let (jump, next) = (self.arrive_at(target(*offset, *d))?, self.arrive_at(next)?);
                let (then, otherwise) = if jumps_if { (jump, next) } else { (next, jump) };
                self.branch(condition, then, otherwise);
                return Ok(true);
            }
            Tableswitch(table) => {
                let case = |(n, d): (usize, &i32)| (table.low.wrapping_add(n as i32), target(*offset, *d));
                let cases: Vec<(i32, usize)> = table.jumps.iter().enumerate().map(case).collect();
                self.switch(&cases, target(*offset, table.default))?;
                return Ok(true);
            }
            Lookupswitch(table) => {
                let cases: Vec<(i32, usize)> =
                    table.match_offsets.iter().map(|(case, d)| (*case, target(*offset, *d))).collect();
                self.switch(&cases, target(*offset, table.default))?;
                return Ok(true);
            }
            Return => {
                self.leave(None, zero());
                return Ok(true);
            }
            Ireturn | Lreturn | Freturn | Dreturn | Areturn => {
                let Some(kind) = self.world.method(self.id).result else {
                    return Err(self.malformed("a value is returned"));
                };
                let result = self.pop_kind(kind)?.operand;
                self.leave(Some(result), zero());
                return Ok(true);
            }
            Athrow => {
                let exception = self.pop_kind(Kind::Reference)?;
                self.require_object(&exception)?;
                self.fail_assertion(&exception.operand);
                self.throw(exception.operand);
                return Ok(true);
            }
            Jsr(_) | Ret(_) => return Err(self.refuse("a subroutine of an old compiler")),
            Breakpoint | Impdep1 | Impdep2 => return Err(self.malformed("a reserved instruction")),
        }
        Ok(false)
    }

    pub fn push_constant(&mut self, value: Value, kind: Kind) {
        self.stack.push(Entry::constant(value, kind));
    }

    pub fn push_int(&mut self, value: i64) {
        self.push_constant(Value::int(value, 32), Kind::Int);
    }

    fn push_float(&mut self, value: f32) {
        self.push_constant(Value::int(value.to_bits().into(), 32), Kind::Float);
    }

    fn push_double(&mut self, value: f64) {
        self.push_constant(Value::int(value.to_bits() as i64, 64), Kind::Double);
    }

    fn load_constant(&mut self, value: &Loadable) -> Result<()> {
        match value {
            Loadable::LiteralConstant(LiteralConstant::Integer(value)) => self.push_int((*value).into()),
            Loadable::LiteralConstant(LiteralConstant::Long(value)) => {
                self.push_constant(Value::int(*value, 64), Kind::Long);
            }
            Loadable::LiteralConstant(LiteralConstant::Float(value)) => self.push_float(*value),
            Loadable::LiteralConstant(LiteralConstant::Double(value)) => self.push_double(*value),
            Loadable::LiteralConstant(LiteralConstant::String(text)) => {
                self.push_text(&text.encode_utf16().collect::<Vec<u16>>());
            }
            Loadable::LiteralConstant(LiteralConstant::StringBytes(bytes)) => self.push_text(&modified_utf8(bytes)),
            Loadable::ClassInfo(class) => {
                let object = self.world.memory.class_object(class);
                self.push_constant(object, Kind::Reference);
            }
            _ => return Err(self.refuse("a constant of this kind")),
        }
        Ok(())
    }

    /// Pushes a string constant.
    pub fn push_text(&mut self, chars: &[u16]) {
        let text = self.world.memory.literal(chars);
        self.push_constant(text, Kind::Reference);
    }

    fn increment(&mut self, slot: u16, by: i64) -> Result<()> {
        let register = self.local(slot)?;
        let by = Operand::Constant(Value::int(by, 32));
        let sum = self.compute(Operator::Add, vec![Operand::Register(register), by]);
        self.assign_local(register, sum);
        Ok(())
    }

    /// The instructions that only move what is on the stack. They count in slots, of which a `long` takes two.
    fn rearrange(&mut self, opcode: &Opcode) -> Result<()> {
        use Opcode::*;
        let first = self.pop_slots(if matches!(opcode, Pop2 | Dup2 | Dup2X1 | Dup2X2) { 2 } else { 1 })?;
        let below = match opcode {
            DupX1 | Dup2X1 | Swap => 1,
            DupX2 | Dup2X2 => 2,
            _ => 0,
        };
        let second = self.pop_slots(below)?;
        match opcode {
            Pop | Pop2 => {}
            Swap => self.stack.extend(first.into_iter().chain(second)),
            _ => self.stack.extend(first.clone().into_iter().chain(second).chain(first)),
        }
        Ok(())
    }

    /// Takes entries that fill this many slots, in the order in which they lie.
    fn pop_slots(&mut self, slots: usize) -> Result<Vec<Entry>> {
        let mut taken = Vec::new();
        let mut filled = 0;
        while filled < slots {
            let entry = self.pop()?;
            filled += entry.kind.slots();
            taken.push(entry);
        }
        if filled > slots {
            return Err(self.malformed("a long is split"));
        }
        taken.reverse();
        Ok(taken)
    }

    fn binary(&mut self, operator: Operator, kind: Kind) -> Result<()> {
        let right = self.pop_kind(kind)?.operand;
        let left = self.pop_kind(kind)?.operand;
        let result = self.compute(operator, vec![left, right]);
        self.push(result, kind);
        Ok(())
    }

    fn divide(&mut self, operator: Operator, kind: Kind) -> Result<()> {
        let Some(divisor) = self.stack.last().map(|entry| entry.operand.clone()) else {
            return Err(self.malformed("the stack is empty"));
        };
        self.require(divisor, "division", Vec::new())?;
        self.binary(operator, kind)
    }

    /// Shifts use the low 5 or 6 bits of the amount.
    fn shift(&mut self, operator: Operator, kind: Kind) -> Result<()> {
        let amount = self.pop_kind(Kind::Int)?.operand;
        let value = self.pop_kind(kind)?.operand;
        let mask = Operand::Constant(Value::int(i64::from(kind.width()) - 1, 32));
        let amount = self.compute(Operator::And, vec![amount, mask]);
        let result = self.compute(operator, vec![value, amount]);
        self.push(result, kind);
        Ok(())
    }

    fn convert(&mut self, from: Kind, to: Kind, operators: &[Operator]) -> Result<()> {
        let mut operand = self.pop_kind(from)?.operand;
        for operator in operators {
            operand = self.compute(operator.clone(), vec![operand]);
        }
        self.push(operand, to);
        Ok(())
    }

    /// Turns the sign bit round.
    fn negate_float(&mut self, kind: Kind) -> Result<()> {
        let value = self.pop_kind(kind)?.operand;
        let sign = Operand::Constant(Value::int(i64::MIN >> (64 - kind.width()), kind.width()));
        let result = self.compute(Operator::Xor, vec![value, sign]);
        self.push(result, kind);
        Ok(())
    }

    /// -1, 0 or 1. For floating-point numbers `less` is `FloatLe`, from which both directions follow also where one is not
    /// a number.
    fn compare(&mut self, less: Operator, kind: Kind, is_greater: bool) -> Result<()> {
        let right = self.pop_kind(kind)?.operand;
        let left = self.pop_kind(kind)?.operand;
        let (above, below) = (vec![right.clone(), left.clone()], vec![left, right]);
        let (greater, smaller) = if less == Operator::LtSigned {
            (self.compute(Operator::LtSigned, above), self.compute(Operator::LtSigned, below))
        } else if is_greater {
            let at_most = self.compute(Operator::FloatLe, below.clone());
            (self.compute(Operator::IsFalse, vec![at_most]), self.compute(Operator::FloatLt, below))
        } else {
            let at_least = self.compute(Operator::FloatLe, above.clone());
            (self.compute(Operator::FloatLt, above), self.compute(Operator::IsFalse, vec![at_least]))
        };
        let result = self.compute(Operator::Sub, vec![greater, smaller]);
        self.push(result, Kind::Int);
        Ok(())
    }

    /// The condition of a jump, and whether the jump is taken if it is true.
    fn condition(&mut self, opcode: &Opcode) -> Result<(Operand, bool)> {
        use Opcode::*;
        let kind = match opcode {
            Ifnull(_) | Ifnonnull(_) | IfAcmpeq(_) | IfAcmpne(_) => Kind::Reference,
            _ => Kind::Int,
        };
        let is_binary = matches!(
            opcode,
            IfIcmpeq(_)
                | IfIcmpne(_)
                | IfIcmplt(_)
                | IfIcmpge(_)
                | IfIcmpgt(_)
                | IfIcmple(_)
                | IfAcmpeq(_)
                | IfAcmpne(_)
        );
        let right = if is_binary { self.pop_kind(kind)?.operand } else { zero() };
        let left = self.pop_kind(kind)?.operand;
        let mut compute = |operator, left, right| self.compute(operator, vec![left, right]);
        Ok(match opcode {
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

    /// A chain of branches, one for each case, in order.
    fn switch(&mut self, cases: &[(i32, usize)], default: usize) -> Result<()> {
        let value = self.pop_kind(Kind::Int)?.operand;
        for &(case, offset) in cases {
            let case = Operand::Constant(Value::int(case.into(), 32));
            let equal = self.compute(Operator::Eq, vec![value.clone(), case]);
            let taken = self.arrive_at(offset)?;
            let next = self.fresh();
            self.branch(equal, taken, next);
            self.code.write_in(next);
        }
        self.flow_to(default)
    }

    fn check_cast(&mut self, name: &str) -> Result<()> {
        let entry = self.pop_kind(Kind::Reference)?;
        let is_null = entry.operand.constant().and_then(Value::truth) == Some(false);
        if name != "java/lang/Object" && !is_null {
            let (test, next) = (self.fresh(), self.fresh());
            self.branch(entry.operand.clone(), test, next);
            self.code.write_in(test);
            let fits = self.ask(Question::Instance(name.to_string()), vec![entry.operand.clone()]);
            self.require(fits, "cast", Vec::new())?;
            self.jump(next);
        }
        self.stack.push(entry);
        Ok(())
    }

    fn instance_of(&mut self, name: &str) -> Result<()> {
        let entry = self.pop_kind(Kind::Reference)?;
        let result = self.code.register("is");
        self.code.copy(result, zero(), self.site.span);
        let (test, next) = (self.fresh(), self.fresh());
        self.branch(entry.operand.clone(), test, next);
        self.code.write_in(test);
        let fits = self.ask(Question::Instance(name.to_string()), vec![entry.operand]);
        self.code.copy(result, fits, self.site.span);
        self.jump(next);
        self.push(Operand::Register(result), Kind::Int);
        Ok(())
    }

    /// Ends the current block with a jump to a written one and goes on there.
    pub fn jump(&mut self, next: BlockId) {
        self.code.end(program::Terminator::Jump(next));
        self.code.write_in(next);
    }
}

/// Where a jump leads. One before the start leads nowhere.
fn target(offset: usize, distance: i32) -> usize {
    isize::try_from(distance).ok().and_then(|distance| offset.checked_add_signed(distance)).unwrap_or(usize::MAX)
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
        Fadd | Dadd => Operator::FloatAdd,
        Fsub | Dsub => Operator::FloatSub,
        Fmul | Dmul => Operator::FloatMul,
        Fdiv | Ddiv => Operator::FloatDiv,
        Frem | Drem => Operator::FloatRem,
        _ => Operator::ShrUnsigned,
    }
}

/// The type that an instruction names: a binary name, or the descriptor of an array.
fn type_name(class: &ObjectArrayType) -> String {
    match class {
        ObjectArrayType::BinaryName(name) => name.to_string(),
        ObjectArrayType::ArrayType(descriptor) => descriptor.to_string(),
    }
}

fn primitive(element: PrimitiveArrayType) -> char {
    match element {
        PrimitiveArrayType::Boolean => 'Z',
        PrimitiveArrayType::Char => 'C',
        PrimitiveArrayType::Byte => 'B',
        PrimitiveArrayType::Short => 'S',
        PrimitiveArrayType::Int => 'I',
        PrimitiveArrayType::Long => 'J',
        PrimitiveArrayType::Float => 'F',
        PrimitiveArrayType::Double => 'D',
    }
}
