//! Floating-point numbers: `float` and `double`, as IEEE 754 has them, rounded to the nearest.
//!
//! A value is the integer that has its bits. What a conversion to an integer type that cannot hold the number gives is undefined
//! (C11 6.3.1.4): that is an error. `long double` is refused.

use lang_c::ast::{self, BinaryOperator, FloatBase, FloatFormat};
use program::{AssertSort, InstructionKind, Operand, Operator, Value};

use super::lower::{Bytes, Lowered, Lowering, Typed};
use super::types::{Integer, Shape, Type};

impl Lowering<'_> {
    /// A constant as the source writes it.
    pub fn float_literal(&self, float: &ast::Float, at: Bytes) -> Lowered<Typed> {
        let width = match &float.suffix.format {
            _ if float.suffix.imaginary => return Err(self.unsupported("a complex number", at)),
            FloatFormat::Float => 32,
            FloatFormat::Double => 64,
            FloatFormat::LongDouble => return Err(self.unsupported("`long double`", at)),
            FloatFormat::TS18661Format(_) => return Err(self.unsupported("this floating-point format", at)),
        };
        let bits = match (&float.base, width) {
            (FloatBase::Hexadecimal, _) => hexadecimal(&float.number).map(|number| bits_of(number, width)),
            (FloatBase::Decimal, 32) => float.number.parse().ok().map(|number: f32| i64::from(number.to_bits())),
            (FloatBase::Decimal, _) => float.number.parse().ok().map(|number: f64| number.to_bits() as i64),
        };
        let bits = bits.ok_or_else(|| self.unsupported(format!("the number {}", float.number), at))?;
        Ok(Typed { operand: Operand::Constant(Value::int(bits, width)), of: Type::float(width) })
    }

    /// A value for which it is asked whether it is 0: a floating-point number is compared, as `-0.0` is 0 too.
    pub fn as_condition(&mut self, value: Typed, at: Bytes) -> Lowered<Typed> {
        self.check_scalar(&value, at)?;
        let Some(width) = value.of.as_float() else { return Ok(value) };
        let is_zero = self.code.compute(Operator::FloatEq, vec![value.operand, constant(0.0, width)], self.here);
        let operand = self.code.compute(Operator::IsFalse, vec![is_zero], self.here);
        Ok(Typed { operand, of: Type::int() })
    }

    /// A number converted from or to a floating-point type; `None` if neither is one, or the other is no number.
    pub fn convert_float(&mut self, value: &Typed, to: &Type) -> Option<Operand> {
        match (&value.of.shape, &to.shape) {
            (Shape::Float(from), Shape::Float(to)) => Some(self.with_width(value.operand.clone(), *from, *to)),
            (Shape::Integer(from), Shape::Float(to)) => Some(self.integer_to_float(&value.operand, *from, *to)),
            (Shape::Float(from), Shape::Integer(to)) => Some(self.float_to_integer(&value.operand, *from, *to)),
            _ => None,
        }
    }

    fn with_width(&mut self, operand: Operand, from: u8, to: u8) -> Operand {
        match (from, to) {
            (32, 64) => self.computed(Operator::FloatTo64, [operand]),
            (64, 32) => self.computed(Operator::FloatTo32, [operand]),
            _ => operand,
        }
    }

    fn integer_to_float(&mut self, operand: &Operand, from: Integer, to: u8) -> Operand {
        let convert = if to == 32 { Operator::IntToFloat32 } else { Operator::IntToFloat64 };
        let wide = self.computed(Operator::Resize { width: 64, signed: from.signed }, [operand.clone()]);
        let converted = self.computed(convert.clone(), [wide.clone()]);
        if from.signed || from.width < 64 {
            return converted;
        }
        // From 2^63 on: half of it, of which the last bit stands for all that follow, twice.
        let half = self.computed(Operator::ShrUnsigned, [wide.clone(), number(1, 64)]);
        let last = self.computed(Operator::And, [wide.clone(), number(1, 64)]);
        let half = self.computed(Operator::Or, [half, last]);
        let half = self.computed(convert, [half]);
        let twice = self.computed(Operator::FloatAdd, [half.clone(), half]);
        let is_large = self.computed(Operator::LtSigned, [wide, number(0, 64)]);
        self.computed(Operator::Select, [is_large, twice, converted])
    }

    fn float_to_integer(&mut self, operand: &Operand, from: u8, to: Integer) -> Operand {
        let double = self.with_width(operand.clone(), from, 64);
        let range = Range::of(to);
        let above = self.computed(
            if range.is_open { Operator::FloatLt } else { Operator::FloatLe },
            [constant(range.below, 64), double.clone()],
        );
        let under = self.computed(Operator::FloatLt, [double.clone(), constant(range.above, 64)]);
        let fits = self.computed(Operator::And, [above, under]);
        let what = "a floating-point number becomes an integer of a type that cannot hold it";
        self.code.emit(InstructionKind::claim(AssertSort::Error, fits, what), self.here);
        let small = self.computed(Operator::FloatToInt64, [double.clone()]);
        let whole = if to.signed || to.width < 64 {
            small
        } else {
            let middle = constant(MIDDLE, 64);
            let rest = self.computed(Operator::FloatSub, [double.clone(), middle.clone()]);
            let rest = self.computed(Operator::FloatToInt64, [rest]);
            let large = self.computed(Operator::Xor, [rest, number(i64::MIN, 64)]);
            let is_small = self.computed(Operator::FloatLt, [double, middle]);
            self.computed(Operator::Select, [is_small, small, large])
        };
        self.computed(Operator::Resize { width: to.width, signed: to.signed }, [whole])
    }

    /// The number with the other sign.
    pub fn negated_float(&mut self, value: Typed, width: u8) -> Typed {
        let sign = number(i64::MIN >> (64 - width), width);
        Typed { operand: self.computed(Operator::Xor, [value.operand, sign]), of: value.of }
    }

    /// A binary operator, of whose operands one is a floating-point number.
    pub fn on_floats(&mut self, operator: &BinaryOperator, left: Typed, right: Typed, at: Bytes) -> Lowered<Typed> {
        let of = common(&left.of, &right.of).ok_or_else(|| self.error("operands that are not numbers", at))?;
        let (left, right) = (self.convert(left, &of, at)?.operand, self.convert(right, &of, at)?.operand);
        let (ir, operands) = match operator {
            BinaryOperator::Plus => (Operator::FloatAdd, [left, right]),
            BinaryOperator::Minus => (Operator::FloatSub, [left, right]),
            BinaryOperator::Multiply => (Operator::FloatMul, [left, right]),
            BinaryOperator::Divide => (Operator::FloatDiv, [left, right]),
            BinaryOperator::Equals | BinaryOperator::NotEquals => (Operator::FloatEq, [left, right]),
            BinaryOperator::Less => (Operator::FloatLt, [left, right]),
            BinaryOperator::LessOrEqual => (Operator::FloatLe, [left, right]),
            BinaryOperator::Greater => (Operator::FloatLt, [right, left]),
            BinaryOperator::GreaterOrEqual => (Operator::FloatLe, [right, left]),
            _ => return Err(self.error("an operator that is not for floating-point numbers", at)),
        };
        let compares = matches!(ir, Operator::FloatEq | Operator::FloatLt | Operator::FloatLe);
        let mut operand = self.computed(ir, operands);
        if *operator == BinaryOperator::NotEquals {
            operand = self.computed(Operator::IsFalse, [operand]);
        }
        Ok(Typed { operand, of: if compares { Type::int() } else { of } })
    }

    fn computed<const N: usize>(&mut self, operator: Operator, operands: [Operand; N]) -> Operand {
        self.code.compute(operator, operands.to_vec(), self.here)
    }
}

/// The usual arithmetic conversions where one type is a floating-point type (C11 6.3.1.8): the wider of these.
pub fn common(one: &Type, other: &Type) -> Option<Type> {
    match (one.as_float(), other.as_float()) {
        (Some(a), Some(b)) => Some(Type::float(a.max(b))),
        (Some(width), None) if other.as_integer().is_some() => Some(Type::float(width)),
        (None, Some(width)) if one.as_integer().is_some() => Some(Type::float(width)),
        _ => None,
    }
}

/// 2^63.
const MIDDLE: f64 = 9_223_372_036_854_775_808.0;

/// Which numbers an integer type holds once their fraction is cut off.
struct Range {
    below: f64,
    /// Whether `below` itself is none of them.
    is_open: bool,
    /// The first that is too large.
    above: f64,
}

impl Range {
    fn of(to: Integer) -> Range {
        let power = |exponent: u8| 2f64.powi(i32::from(exponent));
        match (to.signed, to.width) {
            (true, 64) => Range { below: -MIDDLE, is_open: false, above: MIDDLE },
            (true, width) => Range { below: -power(width - 1) - 1.0, is_open: true, above: power(width - 1) },
            (false, width) => Range { below: -1.0, is_open: true, above: power(width) },
        }
    }
}

fn number(number: i64, width: u8) -> Operand {
    Operand::Constant(Value::int(number, width))
}

fn constant(number: f64, width: u8) -> Operand {
    Operand::Constant(Value::int(bits_of(number, width), width))
}

fn bits_of(number: f64, width: u8) -> i64 {
    if width == 32 { i64::from((number as f32).to_bits()) } else { number.to_bits() as i64 }
}

/// A hexadecimal number whose digits fit into the fraction of a `double`, so that it is exact.
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let mantissa = u64::from_str_radix(&all, 16).ok().filter(|mantissa| *mantissa < 1 << 53)?;
    let exponent: i32 = exponent.parse().ok()?;
    let exponent = exponent.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    (-1000..=960).contains(&exponent).then(|| mantissa as f64 * 2f64.powi(exponent))
}
