//! Arithmetic on pointers as on the integers that they are on a machine.
//!
//! An allocation starts at a multiple of 16 below 2^47, of which no more is known. So of the address of a byte the low four
//! bits and those from 47 on are known, where its offset is small; and what is computed of an address is known if it depends
//! on these alone, or is again such an address in the same allocation.

use super::Operator;
use crate::value::{Int, Pointer, Value};

/// The bits of an address that are not known: 4 to 46.
const UNKNOWN: u64 = (1 << 47) - 16;

/// `operator(p, rest)`, where it is known.
pub(super) fn with_pointer_first(operator: &Operator, p: &Pointer, rest: &[Value]) -> Option<Value> {
    let offset = p.bytes()?;
    match (operator, rest) {
        (Operator::Resize { width: 64, .. }, []) => Some(Value::Pointer(p.clone())),
        (Operator::Resize { width: width @ 1..=4, .. }, []) => Some(Value::int(offset, *width)),
        (Operator::ShrUnsigned, [Value::Int(n)]) if (47..64).contains(&n.unsigned()) && !is_negative(offset) => {
            Some(Value::int((offset as u64 >> n.unsigned()) as i64, 64))
        }
        (Operator::Sub, [Value::Int(n)]) if n.width() == 64 => at(p, offset.wrapping_sub(n.signed())),
        (Operator::Sub, [Value::Pointer(q)]) if q.allocation == p.allocation => {
            Some(Value::int(offset.wrapping_sub(q.bytes()?), 64))
        }
        (Operator::LtSigned | Operator::LtUnsigned, [Value::Pointer(q)]) if q.allocation == p.allocation => {
            Some(super::flag(offset < q.bytes()?))
        }
        (Operator::LeSigned | Operator::LeUnsigned, [Value::Pointer(q)]) if q.allocation == p.allocation => {
            Some(super::flag(offset <= q.bytes()?))
        }
        // The remainder by a power of two are the low bits.
        (Operator::RemUnsigned, [Value::Int(n)]) if n.unsigned().is_power_of_two() => {
            commutative(&Operator::And, p, offset, Int::new(n.signed().wrapping_sub(1), n.width()))
        }
        (_, [Value::Int(n)]) => commutative(operator, p, offset, *n),
        _ => None,
    }
}

/// `operator(n, p)`, where it is known.
pub(super) fn with_pointer_second(operator: &Operator, n: Int, p: &Pointer) -> Option<Value> {
    commutative(operator, p, p.bytes()?, n)
}

/// Operators whose operands may be exchanged.
fn commutative(operator: &Operator, p: &Pointer, offset: i64, n: Int) -> Option<Value> {
    if n.width() != 64 {
        return None;
    }
    let bits = n.unsigned();
    match operator {
        Operator::Add => at(p, offset.wrapping_add(n.signed())),
        Operator::And if bits & UNKNOWN == UNKNOWN && keeps_upper(offset, bits) => at(p, offset & n.signed()),
        Operator::And if bits & UNKNOWN == 0 && keeps_upper(offset, !bits) => Some(Value::int(offset & n.signed(), 64)),
        Operator::Or if bits & UNKNOWN == 0 && keeps_upper(offset, !bits) => at(p, offset | n.signed()),
        Operator::Xor if bits & UNKNOWN == 0 && keeps_upper(offset, !bits) => at(p, offset ^ n.signed()),
        _ => None,
    }
}

/// Whether the upper bits of an address are those of its offset, or the mask leaves them as they are.
fn keeps_upper(offset: i64, mask: u64) -> bool {
    !is_negative(offset) || mask >> 47 == u64::MAX >> 47
}

/// Whether the offset borrows from the upper bits of the address.
fn is_negative(offset: i64) -> bool {
    offset << 17 < 0
}

fn at(p: &Pointer, offset: i64) -> Option<Value> {
    Some(Value::Pointer(Pointer::at_byte(p.allocation, offset)))
}
