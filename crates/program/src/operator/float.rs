//! Floating-point operators on integers of 32 or 64 bits that are read as IEEE 754 numbers.
//!
//! The host computes them: Rust's arithmetic is that of IEEE 754 with rounding to the nearest. Which bits a result that is
//! not a number has is left open there, so it gets the usual quiet one here.

use super::{Operator, bit};
use crate::value::Int;

/// An operator on two floating-point numbers of equal width; `None` for other widths and operators.
pub fn compute(operator: &Operator, a: Int, b: Int) -> Option<Int> {
    match (a.width(), b.width()) {
        (32, 32) => {
            let (a, b) = (single(a), single(b));
            Some(match operator {
                Operator::FloatAdd => from_single(a + b),
                Operator::FloatSub => from_single(a - b),
                Operator::FloatMul => from_single(a * b),
                Operator::FloatDiv => from_single(a / b),
                Operator::FloatRem => from_single(a % b),
                // Widening keeps order and equality.
                _ => return compare(operator, a.into(), b.into()),
            })
        }
        (64, 64) => {
            let (a, b) = (double(a), double(b));
            Some(match operator {
                Operator::FloatAdd => from_double(a + b),
                Operator::FloatSub => from_double(a - b),
                Operator::FloatMul => from_double(a * b),
                Operator::FloatDiv => from_double(a / b),
                Operator::FloatRem => from_double(a % b),
                _ => return compare(operator, a, b),
            })
        }
        _ => None,
    }
}

fn compare(operator: &Operator, a: f64, b: f64) -> Option<Int> {
    match operator {
        Operator::FloatEq => Some(bit(a == b)),
        Operator::FloatLt => Some(bit(a < b)),
        Operator::FloatLe => Some(bit(a <= b)),
        _ => None,
    }
}

/// A conversion; `None` for other widths and operators.
pub fn convert(operator: &Operator, a: Int) -> Option<Int> {
    match (operator, a.width()) {
        (Operator::IntToFloat32, _) => Some(from_single(a.signed() as f32)),
        (Operator::IntToFloat64, _) => Some(from_double(a.signed() as f64)),
        (Operator::FloatToInt32, 32) => Some(Int::new((single(a) as i32).into(), 32)),
        (Operator::FloatToInt32, 64) => Some(Int::new((double(a) as i32).into(), 32)),
        (Operator::FloatToInt64, 32) => Some(Int::new(single(a) as i64, 64)),
        (Operator::FloatToInt64, 64) => Some(Int::new(double(a) as i64, 64)),
        (Operator::FloatTo32, 32) => Some(from_single(single(a))),
        (Operator::FloatTo32, 64) => Some(from_single(double(a) as f32)),
        (Operator::FloatTo64, 32) => Some(from_double(single(a).into())),
        (Operator::FloatTo64, 64) => Some(from_double(double(a))),
        _ => None,
    }
}

fn single(a: Int) -> f32 {
    f32::from_bits(a.unsigned() as u32)
}

fn double(a: Int) -> f64 {
    f64::from_bits(a.unsigned())
}

fn from_single(number: f32) -> Int {
    let bits = if number.is_nan() { 0x7fc0_0000 } else { number.to_bits() };
    Int::new(bits.into(), 32)
}

fn from_double(number: f64) -> Int {
    let bits = if number.is_nan() { 0x7ff8_0000_0000_0000 } else { number.to_bits() };
    Int::new(bits as i64, 64)
}
