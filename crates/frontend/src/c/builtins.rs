//! Functions of gcc's that are neither atomic nor written in C in `headers/builtins.h`: hints, questions about types and
//! constants, what must not be reached, and arithmetic that says whether it overflows.

use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::Node;
use program::{AssertSort, InstructionKind, Operand, Operator, Value};

use super::atomics::flag;
use super::lower::{Bytes, Lowered, Lowering, Typed};
use super::types::{Integer, Type};

impl Lowering<'_> {
    /// A call of such a function; `None` if the name is of none.
    pub fn builtin_call(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Option<Lowered<Typed>> {
        if let Some(operator) = overflowing(name) {
            let counted = self.exactly(arguments, 3, name, at);
            return Some(counted.and_then(|()| self.overflow(operator, arguments, at)));
        }
        let counted = match name {
            "__builtin_unreachable" => self.exactly(arguments, 0, name, at),
            "__builtin_constant_p" | "__palisade_error" | "__palisade_unsupported" => {
                self.exactly(arguments, 1, name, at)
            }
            "__builtin_types_compatible_p" => self.exactly(arguments, 2, name, at),
            "__builtin_choose_expr" => self.exactly(arguments, 3, name, at),
            "__builtin_assume_aligned" if arguments.is_empty() => self.exactly(arguments, 2, name, at),
            "__builtin_assume_aligned" => Ok(()),
            _ => return None,
        };
        Some(counted.and_then(|()| self.builtin(name, arguments)))
    }

    fn builtin(&mut self, name: &str, arguments: &[Node<Expression>]) -> Lowered<Typed> {
        match name {
            "__builtin_unreachable" => Ok(self.wrong("__builtin_unreachable() is reached")),
            "__palisade_error" => {
                let message = self.text_argument(&arguments[0])?;
                Ok(self.wrong(&message))
            }
            "__palisade_unsupported" => {
                let message = self.text_argument(&arguments[0])?;
                let kind = InstructionKind::claim(AssertSort::Unsupported, flag(false), message);
                self.code.emit(kind, self.here);
                Ok(Typed::void())
            }
            "__builtin_constant_p" => {
                let (value, constant) = self.aside(|lowering| lowering.value(&arguments[0]));
                let known = value.is_ok_and(|value| matches!(value.operand, Operand::Constant(_)));
                Ok(Typed::int(i64::from(constant && known)))
            }
            "__builtin_types_compatible_p" => {
                let [left, right] = [self.measured(&arguments[0])?, self.measured(&arguments[1])?];
                Ok(Typed::int(i64::from(left.unqualified() == right.unqualified())))
            }
            "__builtin_choose_expr" => {
                let chosen = self.constant_integer(&arguments[0])? != 0;
                self.value(&arguments[if chosen { 1 } else { 2 }])
            }
            _ => {
                let pointer = self.value(&arguments[0])?;
                for argument in &arguments[1..] {
                    self.value(argument)?;
                }
                Ok(pointer)
            }
        }
    }

    /// What must not happen, and does.
    fn wrong(&mut self, message: &str) -> Typed {
        let kind = InstructionKind::claim(AssertSort::Error, flag(false), message);
        self.code.emit(kind, self.here);
        Typed::void()
    }

    /// The type in `sizeof(T)`.
    fn measured(&mut self, argument: &Node<Expression>) -> Lowered<Type> {
        match &argument.node {
            Expression::SizeOfTy(of) => self.type_name(&of.node.0),
            Expression::SizeOfVal(of) => self.type_of(&of.node.0),
            _ => Err(self.error("a type is expected", argument.span)),
        }
    }

    /// `__builtin_add_overflow` and its kind: the sum as if numbers had no limit, what remains of it in the type of the
    /// result, and whether these differ.
    fn overflow(&mut self, operator: BinaryOperator, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        let [left, right] = [self.value(&arguments[0])?, self.value(&arguments[1])?];
        let pointer = self.value(&arguments[2])?;
        let place = self.scalar_at(pointer, arguments[2].span)?;
        let (Some(a), Some(b), Some(to)) = (left.of.as_integer(), right.of.as_integer(), place.of().as_integer())
        else {
            return Err(self.error("integers are expected", at));
        };
        let (value, wrong) = match () {
            () if a.width <= 32 && b.width <= 32 => self.narrow_overflow(operator, left, right, to, at)?,
            () if a == b && b == to => self.wide_overflow(operator, left.operand, right.operand, to),
            () => {
                let note = "give both operands and the result one type";
                return Err(self.unsupported("overflow of numbers of 64 bits and other types", at).note(note));
            }
        };
        self.store(&place, Typed { operand: value, of: Type::integer(to.width, to.signed) }, at)?;
        let wrong = self.compute2(Operator::Ne, wrong, flag(false));
        Ok(Typed { operand: wrong, of: Type::boolean() }).and_then(|flag| self.convert(flag, &Type::boolean(), at))
    }

    /// Operands of at most 32 bits: the result fits into 64, signed unless both are unsigned and multiplied.
    fn narrow_overflow(
        &mut self,
        operator: BinaryOperator,
        left: Typed,
        right: Typed,
        to: Integer,
        at: Bytes,
    ) -> Lowered<(Operand, Operand)> {
        let unsigned = |value: &Typed| value.of.as_integer().is_some_and(|integer| !integer.signed);
        let is_signed = !(operator == BinaryOperator::Multiply && unsigned(&left) && unsigned(&right));
        let wide = Type::integer(64, is_signed);
        let [left, right] = [self.convert(left, &wide, at)?.operand, self.convert(right, &wide, at)?.operand];
        let exact = self.compute2(ir(&operator), left, right);
        let cut = Operator::Resize { width: to.width, signed: to.signed };
        let value = self.code.compute(cut, vec![exact.clone()], self.here);
        let back = Operator::Resize { width: 64, signed: to.signed };
        let back = self.code.compute(back, vec![value.clone()], self.here);
        let differs = self.compute2(Operator::Ne, back, exact.clone());
        let zero = Operand::Constant(Value::int(0, 64));
        // Of 64 bits the sign is what may be lost.
        let sign_lost = match is_signed == to.signed || to.width < 64 {
            true => flag(false),
            false => self.compute2(Operator::LtSigned, exact, zero),
        };
        let wrong = self.compute2(Operator::Or, differs, sign_lost);
        Ok((value, wrong))
    }

    /// Operands and result of one type of 64 bits.
    fn wide_overflow(&mut self, operator: BinaryOperator, a: Operand, b: Operand, to: Integer) -> (Operand, Operand) {
        let zero = || Operand::Constant(Value::int(0, to.width));
        let value = self.compute2(ir(&operator), a.clone(), b.clone());
        let wrong = match (operator, to.signed) {
            (BinaryOperator::Plus, false) => self.compute2(Operator::LtUnsigned, value.clone(), a),
            (BinaryOperator::Minus, false) => self.compute2(Operator::LtUnsigned, a, b),
            (BinaryOperator::Plus, true) => {
                let [left, right] = [a, b].map(|side| self.compute2(Operator::Xor, side, value.clone()));
                let both = self.compute2(Operator::And, left, right);
                self.compute2(Operator::LtSigned, both, zero())
            }
            (BinaryOperator::Minus, true) => {
                let sides = self.compute2(Operator::Xor, a.clone(), b);
                let left = self.compute2(Operator::Xor, a, value.clone());
                let both = self.compute2(Operator::And, sides, left);
                self.compute2(Operator::LtSigned, both, zero())
            }
            (_, signed) => self.product_overflow(a, b, &value, signed),
        };
        (value, wrong)
    }

    /// Whether dividing a product by one factor does not give the other. The least number by -1 is the one exception.
    fn product_overflow(&mut self, a: Operand, b: Operand, product: &Operand, signed: bool) -> Operand {
        let number = |value: i64| Operand::Constant(Value::int(value, 64));
        let is_zero = self.compute2(Operator::Eq, a.clone(), number(0));
        let is_minus_one = self.compute2(Operator::Eq, a.clone(), number(-1));
        let special = if signed { self.compute2(Operator::Or, is_zero.clone(), is_minus_one.clone()) } else { is_zero };
        let divisor = vec![special.clone(), number(1), a];
        let divisor = self.code.compute(Operator::Select, divisor, self.here);
        let division = if signed { Operator::DivSigned } else { Operator::DivUnsigned };
        let quotient = self.compute2(division, product.clone(), divisor);
        let differs = self.compute2(Operator::Ne, quotient, b.clone());
        let is_least = self.compute2(Operator::Eq, b, number(i64::MIN));
        let least = if signed { self.compute2(Operator::And, is_minus_one, is_least) } else { flag(false) };
        self.code.compute(Operator::Select, vec![special, least, differs], self.here)
    }

    fn compute2(&mut self, operator: Operator, left: Operand, right: Operand) -> Operand {
        self.code.compute(operator, vec![left, right], self.here)
    }
}

/// The operator of a function that says whether it overflows.
fn overflowing(name: &str) -> Option<BinaryOperator> {
    let rest = name.strip_prefix("__builtin_")?.strip_suffix("_overflow")?;
    // Also `sadd`, `uaddl` and so on, whose types are those of their operands.
    Some(match rest {
        _ if rest.contains("add") => BinaryOperator::Plus,
        _ if rest.contains("sub") => BinaryOperator::Minus,
        _ if rest.contains("mul") => BinaryOperator::Multiply,
        _ => return None,
    })
}

fn ir(operator: &BinaryOperator) -> Operator {
    match operator {
        BinaryOperator::Plus => Operator::Add,
        BinaryOperator::Minus => Operator::Sub,
        _ => Operator::Mul,
    }
}
