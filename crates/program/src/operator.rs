//! Operators: what each computes is defined here once; the symbolic evaluator of the axiomatic engine follows it.

use std::sync::Arc;

/// An operator on values. Outside its domain the result is [`crate::Value::Undefined`].
///
/// Unless said otherwise integer operators want integers of equal width and give that width, wrapping around.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Its operand, whatever it is.
    Copy,
    /// Bitwise complement.
    Not,
    /// Two's-complement negation.
    Neg,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Signed quotient, rounded towards zero; undefined for divisor 0. The least integer divided by -1 is itself.
    DivSigned,
    /// Unsigned quotient; undefined for divisor 0.
    DivUnsigned,
    /// Signed remainder with the dividend's sign; undefined for divisor 0.
    RemSigned,
    /// Unsigned remainder; undefined for divisor 0.
    RemUnsigned,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Left shift; the amount may have any width, is read as unsigned, and from the width on gives 0.
    Shl,
    /// Logical right shift; the amount as for `Shl`.
    ShrUnsigned,
    /// Arithmetic right shift; the amount as for `Shl`, from the width on all sign bits.
    ShrSigned,
    /// 1 or 0 (of 32 bits): equal. Defined on any two values but undefined ones; values of different kinds differ, and
    /// so do integers of different widths that differ as signed numbers.
    Eq,
    /// The opposite of `Eq`.
    Ne,
    /// 1 or 0 (of 32 bits): signed less.
    LtSigned,
    /// 1 or 0 (of 32 bits): signed less or equal.
    LeSigned,
    /// 1 or 0 (of 32 bits): unsigned less.
    LtUnsigned,
    /// 1 or 0 (of 32 bits): unsigned less or equal.
    LeUnsigned,
    /// 1 or 0 (of 32 bits): whether the operand is not true in the sense of [`crate::Value::truth`].
    IsFalse,
    /// `Select(c, a, b)`: `a` if `c` is true, else `b`.
    Select,
    /// An integer cut or extended to the width.
    Resize {
        /// Width of the result.
        width: u8,
        /// Whether an extension repeats the sign bit.
        signed: bool,
    },
    /// `Offset(p, n)`: the pointer with the signed number appended to its path: field or element `n` of `*p`.
    Offset,
    /// `Advance(p, n)`: the pointer with the signed number added to the last offset: `p + n` in an array. A pointer
    /// without offsets can only be advanced by 0.
    Advance,
    /// `Distance(p, q)`: the difference of the last offsets (64 bits) of two pointers that agree in all else.
    Distance,
    /// The pointer without its last offset.
    Base,
    /// The last offset of a pointer (64 bits).
    LastOffset,
    /// A composite of the tag; takes as many operands as it has fields.
    Make(Arc<str>, u8),
    /// Field number `.1` of a composite with the tag `.0`.
    Get(Arc<str>, u8),
    /// `Set(c, v)`: the composite `c` of the tag `.0` with field number `.1` replaced.
    Set(Arc<str>, u8),
}
