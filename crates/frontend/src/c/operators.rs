//! Conversions and binary operators.

use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::Node;
use program::{AssertSort, InstructionKind, Operand, Operator, Value};

use super::lower::{Bytes, Lowered, Lowering, Typed};
use super::place::Place;
use super::types::{Integer, Shape, Type};

impl Lowering<'_> {
    /// A value converted as by assignment or cast.
    pub fn convert(&mut self, value: Typed, to: &Type, at: Bytes) -> Lowered<Typed> {
        let of = to.unqualified();
        let is_truth = of.as_integer().is_some_and(|integer| integer.boolean);
        if !is_truth && let Some(operand) = self.convert_float(&value, &of) {
            return Ok(Typed { operand, of });
        }
        let operand = match (&value.of.shape, &of.shape) {
            (_, Shape::Void) => value.operand,
            (Shape::Integer(_) | Shape::Pointer(_), Shape::Integer(integer)) if integer.boolean => {
                self.truth_as_boolean(value.operand, &value.of)
            }
            (Shape::Float(_), Shape::Integer(integer)) if integer.boolean => {
                let flag = self.as_condition(value, at)?;
                self.truth_as_boolean(flag.operand, &flag.of)
            }
            (Shape::Integer(from), Shape::Integer(to)) => self.resize(value.operand, *from, to.width),
            (Shape::Integer(from), Shape::Pointer(to)) => {
                if !matches!(value.operand, Operand::Constant(_)) {
                    self.views.comes_from_anything(to);
                }
                self.resize(value.operand, *from, 64)
            }
            // A pointer keeps its value in an integer of its size; a narrower integer cannot hold it.
            (Shape::Pointer(from), Shape::Integer(to)) if to.width == 64 => {
                self.views.becomes_anything(from);
                value.operand
            }
            (Shape::Pointer(_), Shape::Integer(to)) => {
                let operator = Operator::Resize { width: to.width, signed: false };
                self.code.compute(operator, vec![value.operand], self.here)
            }
            (Shape::Pointer(from), Shape::Pointer(to)) => {
                self.views.repoint(from, to);
                value.operand
            }
            (Shape::Record(a), Shape::Record(b)) if a == b => value.operand,
            (Shape::Record(_), Shape::Record(_))
                if self.is_int128(&value.of).is_some() && self.is_int128(&of).is_some() =>
            {
                value.operand
            }
            (Shape::Integer(_) | Shape::Pointer(_), Shape::Record(_)) if self.is_int128(&of).is_some() => {
                self.widened(value, &of, at)?
            }
            (Shape::Record(_), Shape::Integer(integer)) if integer.boolean && self.is_int128(&value.of).is_some() => {
                let truth = self.binary(&BinaryOperator::NotEquals, value, Typed::int(0), at)?;
                return self.convert(truth, &of, at);
            }
            (Shape::Record(_), Shape::Integer(_) | Shape::Pointer(_)) if self.is_int128(&value.of).is_some() => {
                let low = self.low_word(&value);
                return self.convert(low, &of, at);
            }
            (Shape::Integer(_) | Shape::Pointer(_), Shape::Record(id)) if self.records.get(*id).wish.transparent => {
                self.in_union(value, &of, at)?
            }
            _ => {
                let (is, wanted) = (self.records.name(&value.of), self.records.name(&of));
                return Err(self.error(format!("a `{is}` where a `{wanted}` is expected"), at));
            }
        };
        Ok(Typed { operand, of })
    }

    /// A union that holds a value.
    fn in_union(&mut self, value: Typed, of: &Type, at: Bytes) -> Lowered<Operand> {
        let target = self.code.temporary();
        let name = self.records.name(of);
        self.emit_value_block(target, &name, of);
        let place = Place::Memory(Operand::Register(target), value.of.unqualified());
        self.store(&place, value, at)?;
        Ok(Operand::Register(target))
    }

    fn resize(&mut self, operand: Operand, from: Integer, width: u8) -> Operand {
        if from.width == width {
            return operand;
        }
        let operator = Operator::Resize { width, signed: from.signed };
        self.code.compute(operator, vec![operand], self.here)
    }

    fn truth_as_boolean(&mut self, operand: Operand, from: &Type) -> Operand {
        if from.as_integer().is_some_and(|integer| integer.boolean) {
            return operand;
        }
        let negated = self.code.compute(Operator::IsFalse, vec![operand], self.here);
        let flag = self.code.compute(Operator::IsFalse, vec![negated], self.here);
        self.code.compute(Operator::Resize { width: 8, signed: false }, vec![flag], self.here)
    }

    /// The integer promotions.
    pub fn promote(&mut self, value: Typed, at: Bytes) -> Lowered<Typed> {
        match value.of.as_integer() {
            Some(integer) => self.convert(value, &Type::new(Shape::Integer(integer.promoted())), at),
            None => Err(self.error(format!("a `{}` where a number is expected", self.records.name(&value.of)), at)),
        }
    }

    /// The value of a cast.
    pub fn cast(&mut self, to: &Type, expression: &Node<Expression>, at: Bytes) -> Lowered<Typed> {
        if to.is_void() {
            self.value(expression)?;
            return Ok(Typed::void());
        }
        let value = self.value_for(to, expression)?;
        let is_number = |of: &Type| of.is_scalar() || self.is_int128(of).is_some();
        if !is_number(&value.of) || !is_number(to) {
            let (is, wanted) = (self.records.name(&value.of), self.records.name(to));
            return Err(self.error(format!("a cast of a `{is}` to a `{wanted}`"), at));
        }
        self.convert(value, to, at)
    }

    /// A binary operator that evaluates both operands and assigns nothing.
    pub fn binary(&mut self, operator: &BinaryOperator, left: Typed, right: Typed, at: Bytes) -> Lowered<Typed> {
        if self.is_int128(&left.of).is_some() || self.is_int128(&right.of).is_some() {
            return self.binary128(operator, left, right, at);
        }
        self.check_scalar(&left, at)?;
        self.check_scalar(&right, at)?;
        if left.of.is_pointer() || right.of.is_pointer() {
            return self.on_pointers(operator, left, right, at);
        }
        if left.of.as_float().is_some() || right.of.as_float().is_some() {
            return self.on_floats(operator, left, right, at);
        }
        let (Some(a), Some(b)) = (left.of.as_integer(), right.of.as_integer()) else {
            return Err(self.error("operands that are not numbers", at));
        };
        if matches!(operator, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight) {
            let (left, right) = (self.promote(left, at)?, self.promote(right, at)?);
            let ir = match (operator, a.promoted().signed) {
                // A constant is what compilers make of it: `1 << 31` sets the sign.
                (BinaryOperator::ShiftLeft, true) if left.known().is_none() || right.known().is_none() => {
                    Operator::ShlSigned
                }
                (BinaryOperator::ShiftLeft, _) => Operator::Shl,
                (_, true) => Operator::ShrSigned,
                (_, false) => Operator::ShrUnsigned,
            };
            self.check_shift(&left, &right);
            let operand = self.code.compute(ir, vec![left.operand, right.operand], self.here);
            return Ok(Typed { operand, of: left.of });
        }
        let common = a.common(b);
        let of = Type::new(Shape::Integer(common));
        let (left, right) = (self.convert(left, &of, at)?, self.convert(right, &of, at)?);
        let Some((ir, swapped, comparison)) = arithmetic(operator, common.signed) else {
            return Err(self.error("an operator that is not for numbers", at));
        };
        if matches!(ir, Operator::DivSigned | Operator::RemSigned) {
            self.check_quotient(&left.operand, &right.operand, common.width);
        }
        let ir = if common.signed { by_sign(ir, bits_of(&left, a), bits_of(&right, b), common.width) } else { ir };
        let operands = if swapped { vec![right.operand, left.operand] } else { vec![left.operand, right.operand] };
        let operand = self.code.compute(ir, operands, self.here);
        Ok(Typed { operand, of: if comparison { Type::int() } else { of } })
    }

    /// A shift is by less than the width of what is shifted, and not by less than 0.
    fn check_shift(&mut self, shifted: &Typed, amount: &Typed) {
        let (Some(width), Some(amounts)) = (shifted.of.width(), amount.of.width()) else { return };
        if is_constant(&amount.operand, |amount| amount.unsigned() < u64::from(width)) {
            return;
        }
        let most = Operand::Constant(Value::int(i64::from(width), amounts));
        let fits = self.code.compute(Operator::LtUnsigned, vec![amount.operand.clone(), most], self.here);
        let what = format!("a shift of {width} bits by an amount that is not from 0 to {}", width - 1);
        self.code.emit(InstructionKind::claim(AssertSort::Error, fits, what), self.here);
    }

    /// The least integer is not divided by -1: the quotient does not fit.
    fn check_quotient(&mut self, dividend: &Operand, divisor: &Operand, width: u8) {
        if is_constant(divisor, |divisor| divisor.signed() != -1)
            || is_constant(dividend, |it| it.signed() > i64::from(i32::MIN))
        {
            return;
        }
        let equals = |number: i64| Operand::Constant(Value::int(number, width));
        let least = equals(i64::MIN >> (64 - width));
        let is_least = self.code.compute(Operator::Eq, vec![dividend.clone(), least], self.here);
        let is_negated = self.code.compute(Operator::Eq, vec![divisor.clone(), equals(-1)], self.here);
        let both = self.code.compute(Operator::And, vec![is_least, is_negated], self.here);
        let fits = self.code.compute(Operator::IsFalse, vec![both], self.here);
        let what = "the least integer is divided by -1";
        self.code.emit(InstructionKind::claim(AssertSort::Error, fits, what), self.here);
    }

    fn on_pointers(&mut self, operator: &BinaryOperator, left: Typed, right: Typed, at: Bytes) -> Lowered<Typed> {
        let both = left.of.is_pointer() && right.of.is_pointer();
        match operator {
            BinaryOperator::Equals | BinaryOperator::NotEquals => self.pointers_equal(operator, left, right, at),
            BinaryOperator::Plus if !both => {
                let (pointer, number) = if left.of.is_pointer() { (left, right) } else { (right, left) };
                let number = self.index(number, at)?;
                self.advance(pointer, number, at)
            }
            BinaryOperator::Minus if left.of.is_pointer() && !both => {
                let number = self.index(right, at)?;
                let number = self.code.compute(Operator::Neg, vec![number], self.here);
                self.advance(left, number, at)
            }
            BinaryOperator::Minus if both => {
                let size = left.of.pointee().and_then(|of| self.records.size(of)).map_or(1, |(size, _)| size.max(1));
                let bytes = self.code.compute(Operator::Distance, vec![left.operand, right.operand], self.here);
                let size = Operand::Constant(Value::int(size as i64, 64));
                let operand = self.code.compute(Operator::DivSigned, vec![bytes, size], self.here);
                Ok(Typed { operand, of: Type::integer(64, true) })
            }
            // Which of two objects comes first is not known: engines refuse that.
            _ => match arithmetic(operator, false) {
                Some((ir, swapped, true)) if both => {
                    let (left, right) = (left.operand, right.operand);
                    let operands = if swapped { vec![right, left] } else { vec![left, right] };
                    Ok(Typed { operand: self.code.compute(ir, operands, self.here), of: Type::int() })
                }
                _ => Err(self.error("an operator that is not for pointers", at)),
            },
        }
    }

    /// The pointer moved by a number of elements.
    fn advance(&mut self, pointer: Typed, number: Operand, at: Bytes) -> Lowered<Typed> {
        let Some(of) = pointer.of.pointee() else { return Err(self.error("not a pointer", at)) };
        let step = self.step_over(of, at)?;
        let operand = self.code.compute(step, vec![pointer.operand, number], self.here);
        Ok(Typed { operand, of: pointer.of })
    }

    fn pointers_equal(&mut self, operator: &BinaryOperator, left: Typed, right: Typed, at: Bytes) -> Lowered<Typed> {
        let of = if left.of.is_pointer() { left.of.clone() } else { right.of.clone() };
        let right = self.convert(right, &of, at)?;
        let left = self.convert(left, &of, at)?;
        let ir = if *operator == BinaryOperator::Equals { Operator::Eq } else { Operator::Ne };
        let operand = self.code.compute(ir, vec![left.operand, right.operand], self.here);
        Ok(Typed { operand, of: Type::int() })
    }
}

/// How many bits a value needs as a signed number; it had this type before it was converted.
fn bits_of(value: &Typed, from: Integer) -> u8 {
    match &value.operand {
        Operand::Constant(Value::Int(int)) => {
            let number = int.signed();
            let leading = if number < 0 { number.leading_ones() } else { number.leading_zeros() };
            65 - leading as u8
        }
        _ => from.signed_bits(),
    }
}

/// The operator on signed integers of a width that need so many bits, with the sign: one that is undefined where the result does
/// not fit, unless it always does.
fn by_sign(operator: Operator, left: u8, right: u8, width: u8) -> Operator {
    match operator {
        Operator::Add if left.max(right) >= width => Operator::AddSigned,
        Operator::Sub if left.max(right) >= width => Operator::SubSigned,
        Operator::Mul if left + right > width => Operator::MulSigned,
        operator => operator,
    }
}

/// Whether an operand is a constant of which this is true.
fn is_constant(operand: &Operand, holds: impl Fn(program::Int) -> bool) -> bool {
    matches!(operand, Operand::Constant(Value::Int(int)) if holds(*int))
}

/// The operator of the representation, whether its operands are exchanged, and whether it compares.
fn arithmetic(operator: &BinaryOperator, signed: bool) -> Option<(Operator, bool, bool)> {
    let by_sign = |with: Operator, without: Operator| if signed { with } else { without };
    let less = by_sign(Operator::LtSigned, Operator::LtUnsigned);
    let less_or_equal = by_sign(Operator::LeSigned, Operator::LeUnsigned);
    Some(match operator {
        BinaryOperator::Multiply => (Operator::Mul, false, false),
        BinaryOperator::Divide => (by_sign(Operator::DivSigned, Operator::DivUnsigned), false, false),
        BinaryOperator::Modulo => (by_sign(Operator::RemSigned, Operator::RemUnsigned), false, false),
        BinaryOperator::Plus => (Operator::Add, false, false),
        BinaryOperator::Minus => (Operator::Sub, false, false),
        BinaryOperator::BitwiseAnd => (Operator::And, false, false),
        BinaryOperator::BitwiseOr => (Operator::Or, false, false),
        BinaryOperator::BitwiseXor => (Operator::Xor, false, false),
        BinaryOperator::Less => (less, false, true),
        BinaryOperator::Greater => (less, true, true),
        BinaryOperator::LessOrEqual => (less_or_equal, false, true),
        BinaryOperator::GreaterOrEqual => (less_or_equal, true, true),
        BinaryOperator::Equals => (Operator::Eq, false, true),
        BinaryOperator::NotEquals => (Operator::Ne, false, true),
        _ => return None,
    })
}
