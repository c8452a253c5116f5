//! Bit-fields: reads and writes of the units that hold them ([`super::types::BitField`]).
//!
//! A write reads its unit and writes it again. What was never written of a unit counts as zero once a neighbour is written: reading
//! it then is no error here, though C gives it no value.

use program::{Access, InstructionKind, Operand, Operator, Value};

use super::lower::{Lowering, Typed};
use super::place::access;
use super::types::{BitField, Piece, Type, Unit};
use crate::cells::COPY_TAG;

impl Lowering<'_> {
    /// The value of a bit-field of the struct at an address.
    pub fn load_bits(&mut self, address: &Operand, field: &BitField, of: &Type) -> Typed {
        if let Some(unit) = field.location {
            self.load_unit(address, unit, of, true);
        }
        let mut whole: Option<Operand> = None;
        for piece in &field.pieces {
            let unit = self.load_unit(address, piece.unit, of, false);
            let bits = self.bits_of(unit, piece, width_of(of));
            whole = Some(match whole {
                Some(low) => self.code.compute(Operator::Or, vec![low, bits], self.here),
                None => bits,
            });
        }
        let whole = whole.unwrap_or(Operand::Constant(Value::Undefined));
        self.as_value(whole, field, of)
    }

    /// Writes a value of the declared type to a bit-field, and gives what it then holds.
    pub fn store_bits(&mut self, address: &Operand, field: &BitField, of: &Type, value: Operand) -> Typed {
        if let Some(unit) = field.location {
            let old = self.load_unit(address, unit, of, true);
            self.store_unit(address, unit, of, old);
        }
        for piece in &field.pieces {
            let bits = 8 * piece.unit.bytes;
            let amount = number(i64::from(piece.before), width_of(of));
            let new = self.code.compute(Operator::ShrUnsigned, vec![value.clone(), amount], self.here);
            let new = self.code.compute(Operator::Resize { width: bits, signed: false }, vec![new], self.here);
            let new = self.code.compute(Operator::And, vec![new, ones(piece.count, 0, bits)], self.here);
            let new = self.code.compute(Operator::Shl, vec![new, number(i64::from(piece.low), bits)], self.here);
            let new = match piece.count == bits {
                true => new,
                false => {
                    let old = self.load_unit(address, piece.unit, of, true);
                    let old = self.defined_or_zero(old, bits);
                    let others = Operand::Constant(Value::int(!mask(piece.count, piece.low), bits));
                    let old = self.code.compute(Operator::And, vec![old, others], self.here);
                    self.code.compute(Operator::Or, vec![old, new], self.here)
                }
            };
            self.store_unit(address, piece.unit, of, new);
        }
        self.as_value(value, field, of)
    }

    /// The bits of a unit that a piece has, where they stand in the value of the bit-field.
    fn bits_of(&mut self, unit: Operand, piece: &Piece, width: u8) -> Operand {
        let amount = number(i64::from(piece.low), 8 * piece.unit.bytes);
        let bits = self.code.compute(Operator::ShrUnsigned, vec![unit, amount], self.here);
        let bits = self.code.compute(Operator::Resize { width, signed: false }, vec![bits], self.here);
        let bits = self.code.compute(Operator::And, vec![bits, ones(piece.count, 0, width)], self.here);
        self.code.compute(Operator::Shl, vec![bits, number(i64::from(piece.before), width)], self.here)
    }

    /// The low bits of a value of the declared type as the value of a bit-field. It has the type `int` if that has all its values; one
    /// of more than 32 bits has the declared type, as in Clang (in GCC it has one of its own width).
    fn as_value(&mut self, bits: Operand, field: &BitField, of: &Type) -> Typed {
        let (width, is_signed) = (width_of(of), of.as_integer().is_some_and(|integer| integer.signed));
        let amount = number(i64::from(width - field.width.min(width)), width);
        let back = if is_signed { Operator::ShrSigned } else { Operator::ShrUnsigned };
        let high = self.code.compute(Operator::Shl, vec![bits, amount.clone()], self.here);
        let operand = self.code.compute(back, vec![high, amount], self.here);
        let is_truth = of.as_integer().is_some_and(|integer| integer.boolean);
        let result = match field.width {
            _ if is_truth => of.unqualified(),
            0..32 => Type::int(),
            32 => Type::integer(32, is_signed),
            _ => Type::integer(64, is_signed),
        };
        let resize = Operator::Resize { width: width_of(&result), signed: is_signed };
        Typed { operand: self.code.compute(resize, vec![operand], self.here), of: result }
    }

    fn defined_or_zero(&mut self, value: Operand, width: u8) -> Operand {
        let is_there = self.code.compute(Operator::IsDefined, vec![value.clone()], self.here);
        self.code.compute(Operator::Select, vec![is_there, value, number(0, width)], self.here)
    }

    /// Reads a unit, which may never have been written if it is only copied.
    fn load_unit(&mut self, address: &Operand, unit: Unit, of: &Type, is_copied: bool) -> Operand {
        let address = self.bytes_after(address.clone(), unit.byte);
        let target = self.code.temporary();
        let access = unit_access(unit, of);
        let access = if is_copied { access.tagged(COPY_TAG) } else { access };
        self.code.emit(InstructionKind::Load { target, address, access }, self.here);
        Operand::Register(target)
    }

    fn store_unit(&mut self, address: &Operand, unit: Unit, of: &Type, value: Operand) {
        let address = self.bytes_after(address.clone(), unit.byte);
        self.code.emit(InstructionKind::Store { address, value, access: unit_access(unit, of) }, self.here);
    }
}

fn unit_access(unit: Unit, of: &Type) -> Access {
    access(&Type { volatile: of.volatile, ..Type::integer(8 * unit.bytes, false) })
}

fn width_of(of: &Type) -> u8 {
    of.width().unwrap_or(32)
}

fn number(value: i64, width: u8) -> Operand {
    Operand::Constant(Value::int(value, width))
}

/// So many ones from a bit on, as an integer of a width.
fn ones(count: u8, low: u8, width: u8) -> Operand {
    number(mask(count, low), width)
}

fn mask(count: u8, low: u8) -> i64 {
    let ones = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
    (ones << low.min(63)) as i64
}
