//! Integers of 128 bits: structs of two words, so that each word keeps what it holds, a pointer too. A value of such a type is, as
//! that of any struct, memory of its own.
//!
//! They can be copied, converted, compared, added and subtracted, shifted, and combined bit by bit; atomic operations on them are those of
//! structs of two words (`wide_atomics`). Multiplication and division are refused.

use lang_c::ast::BinaryOperator;
use program::{Operand, Operator, Value};

use super::lower::{Bytes, Lowered, Lowering, Typed};
use super::place::Place;
use super::types::{Members, Record, Shape, Type, Wish};

/// The low word and the high one.
type Words = [Operand; 2];

impl Lowering<'_> {
    /// The type of integers of 128 bits.
    pub fn int128(&mut self, is_signed: bool) -> Type {
        let known = self.records.ids().find(|id| self.records.get(*id).number == Some(is_signed));
        let id = known.unwrap_or_else(|| {
            let name = if is_signed { "__int128" } else { "unsigned __int128" };
            let record = Record { name: name.into(), number: Some(is_signed), ..Record::default() };
            let id = self.records.add(record);
            let word = |name: &str| (Some(name.to_string()), Type::integer(64, false));
            let wish = Wish { aligned: 16, ..Wish::default() };
            self.records.complete(id, Members { fields: vec![word("low"), word("high")], wish, ..Members::default() });
            id
        });
        Type::new(Shape::Record(id))
    }

    /// Whether a type is one of integers of 128 bits: whether these are signed.
    pub fn is_int128(&self, of: &Type) -> Option<bool> {
        match of.shape {
            Shape::Record(id) => self.records.get(id).number,
            _ => None,
        }
    }

    /// A number or pointer as an integer of 128 bits.
    pub fn widened(&mut self, value: Typed, of: &Type, at: Bytes) -> Lowered<Operand> {
        let from = value.of.as_integer();
        let is_signed = from.is_some_and(|from| from.signed);
        let low = match from {
            Some(_) => self.convert(value, &Type::integer(64, is_signed), at)?.operand,
            None => value.operand,
        };
        let high = match is_signed {
            true => self.code.compute(Operator::ShrSigned, vec![low.clone(), number(63)], self.here),
            false => number(0),
        };
        self.made([low, high], of, at)
    }

    /// The low word of an integer of 128 bits.
    pub fn low_word(&mut self, value: &Typed) -> Typed {
        let [low, _] = self.words_of(value);
        Typed { operand: low, of: Type::integer(64, false) }
    }

    /// An operator of which an operand is such an integer.
    pub fn binary128(&mut self, operator: &BinaryOperator, left: Typed, right: Typed, at: Bytes) -> Lowered<Typed> {
        if matches!(operator, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight) {
            return self.shift128(operator, left, right, at);
        }
        let signs = [self.is_int128(&left.of), self.is_int128(&right.of)];
        let is_signed = signs.into_iter().flatten().all(|is_signed| is_signed);
        let of = self.int128(is_signed);
        let (left, right) = (self.convert(left, &of, at)?, self.convert(right, &of, at)?);
        let (a, b) = (self.words_of(&left), self.words_of(&right));
        let words = match operator {
            BinaryOperator::BitwiseAnd => self.each(Operator::And, a, b),
            BinaryOperator::BitwiseOr => self.each(Operator::Or, a, b),
            BinaryOperator::BitwiseXor => self.each(Operator::Xor, a, b),
            BinaryOperator::Plus => self.sum128(a, b),
            BinaryOperator::Minus => self.difference128(a, b),
            BinaryOperator::Equals | BinaryOperator::NotEquals => {
                let equal = self.equal128(&a, &b);
                return Ok(self.flag128(equal, *operator == BinaryOperator::NotEquals));
            }
            BinaryOperator::Less | BinaryOperator::GreaterOrEqual => {
                let less = self.less128(&a, &b, is_signed);
                return Ok(self.flag128(less, *operator == BinaryOperator::GreaterOrEqual));
            }
            BinaryOperator::Greater | BinaryOperator::LessOrEqual => {
                let less = self.less128(&b, &a, is_signed);
                return Ok(self.flag128(less, *operator == BinaryOperator::LessOrEqual));
            }
            _ => return Err(self.unsupported("this operator on integers of 128 bits", at)),
        };
        Ok(Typed { operand: self.made(words, &of, at)?, of })
    }

    fn flag128(&mut self, truth: Operand, is_negated: bool) -> Typed {
        let operand = match is_negated {
            true => self.code.compute(Operator::IsFalse, vec![truth], self.here),
            false => truth,
        };
        Typed { operand, of: Type::int() }
    }

    fn each(&mut self, operator: Operator, [a, b]: Words, [c, d]: Words) -> Words {
        [self.of_two(operator.clone(), &a, &c), self.of_two(operator, &b, &d)]
    }

    fn sum128(&mut self, [a, b]: Words, [c, d]: Words) -> Words {
        let low = self.of_two(Operator::Add, &a, &c);
        let carry = self.of_two(Operator::LtUnsigned, &low, &a);
        let carry = self.code.compute(Operator::Resize { width: 64, signed: false }, vec![carry], self.here);
        let high = self.of_two(Operator::Add, &b, &d);
        [low, self.of_two(Operator::Add, &high, &carry)]
    }

    fn difference128(&mut self, [a, b]: Words, [c, d]: Words) -> Words {
        let borrow = self.of_two(Operator::LtUnsigned, &a, &c);
        let borrow = self.code.compute(Operator::Resize { width: 64, signed: false }, vec![borrow], self.here);
        let high = self.of_two(Operator::Sub, &b, &d);
        [self.of_two(Operator::Sub, &a, &c), self.of_two(Operator::Sub, &high, &borrow)]
    }

    fn equal128(&mut self, [a, b]: &Words, [c, d]: &Words) -> Operand {
        let (low, high) = (self.of_two(Operator::Eq, a, c), self.of_two(Operator::Eq, b, d));
        self.of_two(Operator::And, &low, &high)
    }

    fn less128(&mut self, [a, b]: &Words, [c, d]: &Words, is_signed: bool) -> Operand {
        let less = if is_signed { Operator::LtSigned } else { Operator::LtUnsigned };
        let (high, low) = (self.of_two(less, b, d), self.of_two(Operator::LtUnsigned, a, c));
        let same = self.of_two(Operator::Eq, b, d);
        let low = self.of_two(Operator::And, &same, &low);
        self.of_two(Operator::Or, &high, &low)
    }

    /// A shift by a constant.
    fn shift128(&mut self, operator: &BinaryOperator, left: Typed, right: Typed, at: Bytes) -> Lowered<Typed> {
        let Some(is_signed) = self.is_int128(&left.of) else {
            return Err(self.unsupported("a shift by an integer of 128 bits", at));
        };
        let Some(amount) = right.known().map(|amount| amount.signed()).filter(|amount| (0..128).contains(amount))
        else {
            return Err(self.unsupported("a shift of an integer of 128 bits by an amount that is not constant", at));
        };
        let [low, high] = self.words_of(&left);
        let left_shift = *operator == BinaryOperator::ShiftLeft;
        let down = if is_signed { Operator::ShrSigned } else { Operator::ShrUnsigned };
        let words = match (left_shift, amount) {
            (_, 0) => [low, high],
            (true, 64..) => [number(0), self.moved(Operator::Shl, low, amount - 64)],
            (true, _) => {
                let from_low = self.moved(Operator::ShrUnsigned, low.clone(), 64 - amount);
                let kept = self.moved(Operator::Shl, high, amount);
                [self.moved(Operator::Shl, low, amount), self.of_two(Operator::Or, &kept, &from_low)]
            }
            (false, 64..) => {
                let top = if is_signed { self.moved(Operator::ShrSigned, high.clone(), 63) } else { number(0) };
                [self.moved(down, high, amount - 64), top]
            }
            (false, _) => {
                let from_high = self.moved(Operator::Shl, high.clone(), 64 - amount);
                let kept = self.moved(Operator::ShrUnsigned, low, amount);
                [self.of_two(Operator::Or, &kept, &from_high), self.moved(down, high, amount)]
            }
        };
        Ok(Typed { operand: self.made(words, &left.of, at)?, of: left.of })
    }

    fn moved(&mut self, operator: Operator, word: Operand, amount: i64) -> Operand {
        if amount == 0 { word } else { self.of_two(operator, &word, &number(amount)) }
    }

    fn of_two(&mut self, operator: Operator, a: &Operand, b: &Operand) -> Operand {
        // A word that is a pointer stays one.
        match (&operator, a, b) {
            (Operator::Or | Operator::Xor | Operator::Add, Operand::Constant(zero), other)
            | (Operator::Or | Operator::Xor | Operator::Add, other, Operand::Constant(zero))
                if *zero == Value::int(0, 64) =>
            {
                other.clone()
            }
            _ => self.code.compute(operator, vec![a.clone(), b.clone()], self.here),
        }
    }

    fn words_of(&mut self, value: &Typed) -> Words {
        [0, 8].map(|start| {
            let address = self.bytes_after(value.operand.clone(), start);
            self.load(Place::Memory(address, Type::integer(64, false))).operand
        })
    }

    fn made(&mut self, words: Words, of: &Type, at: Bytes) -> Lowered<Operand> {
        let target = self.code.temporary();
        let name = self.records.name(of);
        self.emit_value_block(target, &name, &of.unqualified());
        for (word, start) in words.into_iter().zip([0, 8]) {
            let address = self.bytes_after(Operand::Register(target), start);
            let place = Place::Memory(address, Type::integer(64, false));
            self.store(&place, Typed { operand: word, of: Type::integer(64, false) }, at)?;
        }
        Ok(Operand::Register(target))
    }
}

fn number(value: i64) -> Operand {
    Operand::Constant(Value::int(value, 64))
}
