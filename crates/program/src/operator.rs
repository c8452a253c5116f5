//! Operators: what each computes is defined here once; the symbolic evaluator of the axiomatic engine follows it.
//!
//! The doc comment of each operator is its definition; [`Operator::apply`] is the concrete evaluator.

use std::sync::Arc;

use crate::value::{Int, Pointer, Value};

mod address;
mod float;

/// An operator on values. Operators are total: outside its domain, and on a wrong number of operands, the result is
/// [`Value::Undefined`].
///
/// Unless said otherwise integer operators want integers of equal width and give that width, wrapping around; the
/// comparisons want equal widths too and give 32 bits. An undefined operand makes the result undefined, except for
/// `IsDefined`, for `Copy`, `Make` and `Set`, which carry it along, and the operand that `Select` does not choose.
///
/// A pointer with a byte offset is also an integer of 64 bits, of which the bits 4 to 46 are not known: allocations start at
/// multiples of 16 below 2^47. `Add`, `Sub`, `And`, `Or`, `Xor` and `ShrUnsigned` act on the offset where that decides the
/// result, and keep the allocation: tags in the low four and in the upper bits can be set, read and taken off again. The
/// comparisons compare the offsets of pointers into one allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Its operand, whatever it is.
    Copy,
    /// Its operand, which must be defined: what C calls the use of a value.
    Defined,
    /// 1 or 0 (of 32 bits): whether its operand is defined.
    IsDefined,
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
    /// Negation of a signed integer; undefined where the result does not fit in its width.
    NegSigned,
    /// Sum of signed integers; undefined where it does not fit in their width. On pointers it is `Add`.
    AddSigned,
    /// Difference of signed integers; undefined where it does not fit in their width. On pointers it is `Sub`.
    SubSigned,
    /// Product of signed integers; undefined where it does not fit in their width.
    MulSigned,
    /// Signed quotient, rounded towards zero; undefined for divisor 0. The least integer divided by -1 is itself.
    DivSigned,
    /// Unsigned quotient; undefined for divisor 0.
    DivUnsigned,
    /// Signed remainder with the dividend's sign; undefined for divisor 0. The least integer modulo -1 is 0.
    RemSigned,
    /// Unsigned remainder; undefined for divisor 0.
    RemUnsigned,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// `Shl(a, n)`: left shift; gives the width of `a`. The amount may have any width, is read as unsigned, and from the
    /// width of `a` on gives 0.
    Shl,
    /// Left shift of a signed integer; undefined for an integer below 0, where the result does not fit in its width, and from an
    /// amount of the width on.
    ShlSigned,
    /// Logical right shift; the amount as for `Shl`.
    ShrUnsigned,
    /// Arithmetic right shift; the amount as for `Shl`, from the width on all sign bits.
    ShrSigned,
    /// 1 or 0 (of 32 bits): equal. Defined on any two values but undefined ones; a composite with an undefined value in
    /// it counts as undefined. Values of different kinds differ. Integers of any widths are equal when they are as
    /// signed numbers, pointers when allocation and path are, composites when tag, number of fields and each field are.
    Eq,
    /// The opposite of `Eq`; undefined where `Eq` is.
    Ne,
    /// 1 or 0 (of 32 bits): signed less.
    LtSigned,
    /// 1 or 0 (of 32 bits): signed less or equal.
    LeSigned,
    /// 1 or 0 (of 32 bits): unsigned less.
    LtUnsigned,
    /// 1 or 0 (of 32 bits): unsigned less or equal.
    LeUnsigned,
    /// 1 or 0 (of 32 bits): whether the operand is false in the sense of [`Value::truth`]; undefined for what has no
    /// truth value.
    IsFalse,
    /// `Select(c, a, b)`: `a` if `c` is true in the sense of [`Value::truth`], `b` if it is false; undefined if `c` has no
    /// truth value, even where `a` equals `b`.
    Select,
    /// An integer cut or extended to the width. Cutting keeps the low bits.
    Resize {
        /// Width of the result, 1 to 64.
        width: u8,
        /// Whether an extension repeats the sign bit.
        signed: bool,
    },
    /// `Offset(p, n)`: the pointer with the signed number `n`, of any width, appended to its path: field or element `n`
    /// of `*p`.
    Offset,
    /// `Advance(p, n)`: the pointer with the signed number `n`, of any width, added to the last offset: `p + n` in an
    /// array. A pointer without offsets can only be advanced by 0; an offset that leaves 64 bits is undefined.
    Advance,
    /// `Step(p, n)`: the pointer with `n` times so many bytes, `n` signed and of any width, added to its byte offset; undefined
    /// for a path of more than one element, and where the offset leaves 64 bits. A null pointer, or another integer in the place of
    /// a pointer, moves as a number of 64 bits.
    Step(u32),
    /// `Element(p, n)`: element `n`, signed and of any width, of an array that starts at `p`; undefined if the array has none of
    /// that number, and where `Step` is.
    Element {
        /// How many bytes an element has.
        size: u32,
        /// How many elements the array has, or [`Operator::ANY_COUNT`].
        count: u32,
        /// Whether the place after the last element counts as one, as where only an address is computed.
        past: bool,
    },
    /// `Distance(p, q)`: the last offset of `p` minus that of `q` (64 bits), for two pointers that agree in all else: same
    /// allocation, paths of equal length. For byte offsets, also that of the start, it is the number of bytes between them;
    /// undefined if it leaves 64 bits.
    Distance,
    /// The pointer without its last offset; undefined for one without offsets.
    Base,
    /// The last offset of a pointer (64 bits); undefined for one without offsets.
    LastOffset,
    /// Sum of two floating-point numbers, both of 32 or both of 64 bits: integers whose bits are read as IEEE 754 says.
    /// Like all floating-point operators it rounds to the nearest, and a result that is not a number always has the same
    /// bits.
    FloatAdd,
    /// Difference of floating-point numbers.
    FloatSub,
    /// Product of floating-point numbers.
    FloatMul,
    /// Quotient of floating-point numbers.
    FloatDiv,
    /// Remainder of a floating-point division that rounds towards zero; it has the dividend's sign.
    FloatRem,
    /// 1 or 0 (of 32 bits): equal floating-point numbers. Not a number is equal to nothing.
    FloatEq,
    /// 1 or 0 (of 32 bits): less; 0 if one is not a number.
    FloatLt,
    /// 1 or 0 (of 32 bits): less or equal; 0 if one is not a number.
    FloatLe,
    /// A signed integer as the nearest floating-point number of 32 bits.
    IntToFloat32,
    /// A signed integer as the nearest floating-point number of 64 bits.
    IntToFloat64,
    /// A floating-point number rounded towards zero to a signed integer of 32 bits; the nearest of those where it is too
    /// large, 0 for not a number.
    FloatToInt32,
    /// A floating-point number rounded towards zero to a signed integer of 64 bits, likewise.
    FloatToInt64,
    /// The nearest floating-point number of 32 bits.
    FloatTo32,
    /// The same floating-point number with 64 bits.
    FloatTo64,
    /// A composite with the tag `.0` and `.1` fields; takes as many operands, of any kind.
    Make(Arc<str>, u8),
    /// Field number `.1`, from 0, of a composite with the tag `.0`; undefined for another tag or too few fields.
    Get(Arc<str>, u8),
    /// `Set(c, v)`: the composite `c` of the tag `.0` with field number `.1` replaced by `v`, of any kind; its domain is
    /// that of `Get`.
    Set(Arc<str>, u8),
}

/// The operators without parameters and their names in the text form.
static NAMES: [(Operator, &str); 50] = [
    (Operator::Copy, "copy"),
    (Operator::Defined, "defined"),
    (Operator::IsDefined, "is_defined"),
    (Operator::Not, "not"),
    (Operator::Neg, "neg"),
    (Operator::Add, "add"),
    (Operator::Sub, "sub"),
    (Operator::Mul, "mul"),
    (Operator::NegSigned, "sneg"),
    (Operator::AddSigned, "sadd"),
    (Operator::SubSigned, "ssub"),
    (Operator::MulSigned, "smul"),
    (Operator::DivSigned, "sdiv"),
    (Operator::DivUnsigned, "udiv"),
    (Operator::RemSigned, "srem"),
    (Operator::RemUnsigned, "urem"),
    (Operator::And, "and"),
    (Operator::Or, "or"),
    (Operator::Xor, "xor"),
    (Operator::Shl, "shl"),
    (Operator::ShlSigned, "sshl"),
    (Operator::ShrUnsigned, "ushr"),
    (Operator::ShrSigned, "sshr"),
    (Operator::Eq, "eq"),
    (Operator::Ne, "ne"),
    (Operator::LtSigned, "slt"),
    (Operator::LeSigned, "sle"),
    (Operator::LtUnsigned, "ult"),
    (Operator::LeUnsigned, "ule"),
    (Operator::IsFalse, "is_false"),
    (Operator::Select, "select"),
    (Operator::Offset, "offset"),
    (Operator::Advance, "advance"),
    (Operator::Distance, "distance"),
    (Operator::Base, "base"),
    (Operator::LastOffset, "last_offset"),
    (Operator::FloatAdd, "fadd"),
    (Operator::FloatSub, "fsub"),
    (Operator::FloatMul, "fmul"),
    (Operator::FloatDiv, "fdiv"),
    (Operator::FloatRem, "frem"),
    (Operator::FloatEq, "feq"),
    (Operator::FloatLt, "flt"),
    (Operator::FloatLe, "fle"),
    (Operator::IntToFloat32, "int_to_f32"),
    (Operator::IntToFloat64, "int_to_f64"),
    (Operator::FloatToInt32, "float_to_i32"),
    (Operator::FloatToInt64, "float_to_i64"),
    (Operator::FloatTo32, "float_to_f32"),
    (Operator::FloatTo64, "float_to_f64"),
];

impl Operator {
    /// How many operands it takes.
    pub fn arity(&self) -> usize {
        use Operator::*;
        match self {
            Copy
            | Defined
            | IsDefined
            | Not
            | Neg
            | NegSigned
            | IsFalse
            | Resize { .. }
            | Base
            | LastOffset
            | Get(..) => 1,
            Add | Sub | Mul | AddSigned | SubSigned | MulSigned => 2,
            DivSigned | DivUnsigned | RemSigned | RemUnsigned | And | Or | Xor => 2,
            Shl | ShlSigned | ShrUnsigned | ShrSigned | Eq | Ne | LtSigned | LeSigned | LtUnsigned | LeUnsigned => 2,
            Offset | Advance | Step(_) | Element { .. } | Distance | Set(..) => 2,
            FloatAdd | FloatSub | FloatMul | FloatDiv | FloatRem | FloatEq | FloatLt | FloatLe => 2,
            IntToFloat32 | IntToFloat64 | FloatToInt32 | FloatToInt64 | FloatTo32 | FloatTo64 => 1,
            Select => 3,
            Make(_, fields) => usize::from(*fields),
        }
    }

    /// Whether it moves a pointer, its first operand, by a number.
    pub fn is_index(&self) -> bool {
        matches!(self, Operator::Offset | Operator::Advance | Operator::Step(_) | Operator::Element { .. })
    }

    /// The operator that takes the result modulo two to the power of the width where this one is undefined because it does not fit;
    /// itself, if there is no such.
    pub fn wrapping(&self) -> &Operator {
        match self {
            Operator::NegSigned => &Operator::Neg,
            Operator::AddSigned => &Operator::Add,
            Operator::SubSigned => &Operator::Sub,
            Operator::MulSigned => &Operator::Mul,
            Operator::ShlSigned => &Operator::Shl,
            _ => self,
        }
    }

    /// What it computes.
    pub fn apply(&self, operands: &[Value]) -> Value {
        self.result(operands).unwrap_or(Value::Undefined)
    }

    /// As the number of elements of an array at the end of an object, as long as the memory behind it: only indexes below 0 are none of
    /// its elements.
    pub const ANY_COUNT: u32 = u32::MAX;

    /// The elements that an array has, for [`Operator::Element`].
    pub fn elements(&self) -> Option<std::ops::Range<i64>> {
        match self {
            Operator::Element { count, past, .. } => Some(0..i64::from(*count) + i64::from(*past)),
            _ => None,
        }
    }

    /// Its name in the text form, without the parameters that `resize`, `step`, `element`, `make`, `get` and `set` have there.
    pub fn name(&self) -> &'static str {
        match self {
            Operator::Resize { .. } => "resize",
            Operator::Step(_) => "step",
            Operator::Element { past: false, .. } => "element",
            Operator::Element { past: true, .. } => "element_or_end",
            Operator::Make(..) => "make",
            Operator::Get(..) => "get",
            Operator::Set(..) => "set",
            _ => NAMES.iter().find(|(operator, _)| operator == self).map_or("?", |(_, name)| name),
        }
    }

    /// The operator without parameters that has this name.
    pub fn named(name: &str) -> Option<Operator> {
        NAMES.iter().find(|(_, n)| *n == name).map(|(operator, _)| operator.clone())
    }

    /// What it computes; `None` outside its domain.
    fn result(&self, operands: &[Value]) -> Option<Value> {
        use Operator::*;
        if operands.len() != self.arity() {
            return None;
        }
        let value = match (self, operands) {
            (Copy | Defined, [a]) => a.clone(),
            (IsDefined, [a]) => flag(is_defined(a)),
            (IsFalse, [a]) => flag(!a.truth()?),
            (Select, [c, a, b]) => (if c.truth()? { a } else { b }).clone(),
            (Eq, [a, b]) => flag(equal(a, b)?),
            (Ne, [a, b]) => flag(!equal(a, b)?),
            (Make(tag, _), fields) => Value::Composite(tag.clone(), fields.to_vec()),
            (Get(tag, field), [Value::Composite(t, fields)]) if t == tag => fields.get(usize::from(*field))?.clone(),
            (Set(tag, field), [Value::Composite(t, fields), new]) if t == tag => {
                let mut fields = fields.clone();
                *fields.get_mut(usize::from(*field))? = new.clone();
                Value::Composite(t.clone(), fields)
            }
            (Element { size, .. }, [_, Value::Int(n)]) => {
                self.elements().filter(|elements| elements.contains(&n.signed()))?;
                return Step(*size).result(operands);
            }
            (Step(size), [Value::Int(a), Value::Int(n)]) => {
                Value::int(a.signed().wrapping_add(n.signed().wrapping_mul(i64::from(*size))), 64)
            }
            (_, [Value::Int(a)]) => Value::Int(self.on_integer(*a)?),
            (_, [Value::Int(a), Value::Int(b)]) => Value::Int(self.on_integers(*a, *b)?),
            (_, [Value::Pointer(p), rest @ ..]) => self.wrapping().on_pointer(p, rest)?,
            (_, [Value::Int(n), Value::Pointer(p)]) => address::with_pointer_second(self.wrapping(), *n, p)?,
            _ => return None,
        };
        Some(value)
    }

    fn on_integer(&self, a: Int) -> Option<Int> {
        match self {
            Operator::Not => Some(Int::new(!a.signed(), a.width())),
            Operator::Neg => Some(Int::new(a.signed().wrapping_neg(), a.width())),
            Operator::NegSigned => fitting(a.signed().checked_neg(), a.width()),
            Operator::Resize { width: width @ 1..=64, signed: true } => Some(Int::new(a.signed(), *width)),
            Operator::Resize { width: width @ 1..=64, signed: false } => Some(Int::new(a.unsigned() as i64, *width)),
            _ => float::convert(self, a),
        }
    }

    /// What an operator on two integers computes of them; `None` for others, for `eq` and `ne`, and outside its domain.
    pub fn on_integers(&self, a: Int, b: Int) -> Option<Int> {
        use Operator::*;
        let width = a.width();
        // An amount from the width on, and only such a one, shifts everything out.
        let amount = u32::try_from(b.unsigned()).ok().filter(|&n| n < u32::from(width));
        let (sa, sb, ua, ub) = (a.signed(), b.signed(), a.unsigned(), b.unsigned());
        let shifted = match self {
            Shl => Some(amount.map_or(0, |n| ua << n) as i64),
            ShlSigned => {
                return amount.filter(|n| ua >> (u32::from(width) - 1 - n) == 0).map(|n| Int::new(sa << n, width));
            }
            ShrUnsigned => Some(amount.map_or(0, |n| ua >> n) as i64),
            ShrSigned => Some(sa >> amount.unwrap_or(63)),
            _ => None,
        };
        if let Some(bits) = shifted {
            return Some(Int::new(bits, width));
        }
        if b.width() != width {
            return None;
        }
        let bits = match self {
            Add => sa.wrapping_add(sb),
            Sub => sa.wrapping_sub(sb),
            Mul => sa.wrapping_mul(sb),
            AddSigned => return fitting(sa.checked_add(sb), width),
            SubSigned => return fitting(sa.checked_sub(sb), width),
            MulSigned => return fitting(sa.checked_mul(sb), width),
            DivSigned if sb != 0 => sa.wrapping_div(sb),
            DivUnsigned => ua.checked_div(ub)? as i64,
            RemSigned if sb != 0 => sa.wrapping_rem(sb),
            RemUnsigned => ua.checked_rem(ub)? as i64,
            And => sa & sb,
            Or => sa | sb,
            Xor => sa ^ sb,
            LtSigned => return Some(bit(sa < sb)),
            LeSigned => return Some(bit(sa <= sb)),
            LtUnsigned => return Some(bit(ua < ub)),
            LeUnsigned => return Some(bit(ua <= ub)),
            _ => return float::compute(self, a, b),
        };
        Some(Int::new(bits, width))
    }

    fn on_pointer(&self, pointer: &Pointer, rest: &[Value]) -> Option<Value> {
        let split = |p: &Pointer| p.path.split_last().map(|(last, outer)| (*last, outer.to_vec()));
        let with_path = |path: Vec<i64>| Value::Pointer(Pointer { allocation: pointer.allocation, path });
        match (self, rest) {
            (Operator::Offset, [Value::Int(n)]) => {
                let mut path = pointer.path.clone();
                path.push(n.signed());
                Some(with_path(path))
            }
            (Operator::Advance, [Value::Int(n)]) if n.signed() == 0 => Some(Value::Pointer(pointer.clone())),
            (Operator::Advance, [Value::Int(n)]) => {
                let (last, mut path) = split(pointer)?;
                path.push(last.checked_add(n.signed())?);
                Some(with_path(path))
            }
            (Operator::Step(size), [Value::Int(n)]) => {
                let distance = n.signed().checked_mul(i64::from(*size))?;
                Some(with_path(Pointer::byte_path(pointer.bytes()?.checked_add(distance)?)))
            }
            (Operator::Distance, [Value::Pointer(other)]) if other == pointer => Some(Value::int(0, 64)),
            (Operator::Distance, [Value::Pointer(other)])
                if other.allocation == pointer.allocation && other.path.len().min(pointer.path.len()) == 0 =>
            {
                Some(Value::int(pointer.bytes()?.checked_sub(other.bytes()?)?, 64))
            }
            (Operator::Distance, [Value::Pointer(other)]) if other.allocation == pointer.allocation => {
                let ((a, outer), (b, other_outer)) = (split(pointer)?, split(other)?);
                let distance = a.checked_sub(b).filter(|_| outer == other_outer)?;
                Some(Value::int(distance, 64))
            }
            (Operator::Base, []) => split(pointer).map(|(_, outer)| with_path(outer)),
            (Operator::LastOffset, []) => split(pointer).map(|(last, _)| Value::int(last, 64)),
            _ => address::with_pointer_first(self, pointer, rest),
        }
    }
}

impl Operator {
    /// Why an engine cannot go on where an operator is asked for bits of an address that are not known.
    pub const UNKNOWN_BITS: &str = "arithmetic on an address that depends on where memory lies";

    /// Whether an operator that is undefined on these operands asks for bits of an address that are not known, as a real machine
    /// does: that is no error of the program.
    pub fn asks_for_unknown_bits(&self, operands: &[Value]) -> bool {
        use Operator::*;
        let computes = matches!(self.wrapping(), Not | Neg | Mul | DivSigned | DivUnsigned | RemSigned | RemUnsigned)
            || matches!(self, And | Or | Xor | Shl | ShrUnsigned | ShrSigned | Resize { .. })
            || matches!(self, LtSigned | LeSigned | LtUnsigned | LeUnsigned);
        let is_divided_by_zero = self.divides() && matches!(operands, [_, Value::Int(n)] if !n.is_true());
        computes
            && !is_divided_by_zero
            && operands.iter().any(|operand| matches!(operand, Value::Pointer(p) if p.bytes().is_some()))
            && operands.iter().all(|operand| matches!(operand, Value::Pointer(_) | Value::Int(_)))
            && self.apply(operands) == Value::Undefined
    }

    /// Whether it is a quotient or a remainder.
    pub fn divides(&self) -> bool {
        matches!(self, Operator::DivSigned | Operator::DivUnsigned | Operator::RemSigned | Operator::RemUnsigned)
    }

    /// What is wrong where the result is undefined: an operand is, or the operator is applied outside of its domain.
    pub fn misuse(&self, of_undefined: bool) -> String {
        use Operator::*;
        let what = match self {
            DivSigned | DivUnsigned => "a division".into(),
            RemSigned | RemUnsigned => "a remainder".into(),
            Add | AddSigned => "an addition".into(),
            Sub | SubSigned => "a subtraction".into(),
            Mul | MulSigned => "a multiplication".into(),
            NegSigned => "a negation".into(),
            Shl | ShlSigned | ShrSigned | ShrUnsigned => "a shift".into(),
            Eq | Ne | LtSigned | LeSigned | LtUnsigned | LeUnsigned => "a comparison".into(),
            Step(_) | Element { .. } => "an index".into(),
            _ => format!("the operation `{self}`"),
        };
        match (self, of_undefined) {
            (Element { count: Operator::ANY_COUNT, .. }, false) => "an index before the start of an array".into(),
            (Element { count, .. }, false) => format!("an index out of bounds of an array of {count}"),
            (Defined, _) => "a read of memory or of a variable that was never written".into(),
            (_, true) => format!("an undefined value in {what}"),
            (_, false) if self.divides() => "division by zero".into(),
            (_, false) if self.wrapping() != self => {
                format!("a signed overflow: the result of {what} does not fit in its type")
            }
            (_, false) => format!("{what} of values that it is not defined for"),
        }
    }
}

/// The integer, if it fits in so many bits with its sign.
fn fitting(result: Option<i64>, width: u8) -> Option<Int> {
    let int = Int::new(result?, width);
    (Some(int.signed()) == result).then_some(int)
}

/// 1 or 0 of 32 bits.
fn bit(truth: bool) -> Int {
    Int::new(i64::from(truth), 32)
}

fn flag(truth: bool) -> Value {
    Value::Int(bit(truth))
}

/// Equality in the sense of [`Operator::Eq`]; `None` if a value is undefined or contains an undefined one.
fn equal(a: &Value, b: &Value) -> Option<bool> {
    if !is_defined(a) || !is_defined(b) {
        return None;
    }
    Some(match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.signed() == b.signed(),
        (Value::Composite(t, xs), Value::Composite(u, ys)) => {
            t == u && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| equal(x, y) == Some(true))
        }
        _ => a == b,
    })
}

fn is_defined(value: &Value) -> bool {
    match value {
        Value::Undefined => false,
        Value::Int(_) | Value::Pointer(_) => true,
        Value::Composite(_, fields) => fields.iter().all(is_defined),
    }
}
