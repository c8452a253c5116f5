//! Values: undefined, integers of a declared width, pointers as allocation and offset, composite words.

use std::fmt;
use std::sync::Arc;

/// A two's-complement integer of 1 to 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Int {
    /// Invariant: bits at and above `width` are zero.
    bits: u64,
    /// Invariant: 1 to 64.
    width: u8,
}

impl Int {
    /// `value` truncated to `width` bits; a width outside 1 to 64 is clamped.
    pub fn new(value: i64, width: u8) -> Int {
        let width = width.clamp(1, 64);
        Int { bits: (value as u64) & Int::mask(width), width }
    }

    /// All ones of a width.
    fn mask(width: u8) -> u64 {
        u64::MAX >> (64 - u32::from(width))
    }

    /// The width in bits.
    pub fn width(self) -> u8 {
        self.width
    }

    /// The value read as unsigned.
    pub fn unsigned(self) -> u64 {
        self.bits
    }

    /// The value read as signed.
    pub fn signed(self) -> i64 {
        let shift = 64 - u32::from(self.width);
        ((self.bits << shift) as i64) >> shift
    }

    /// The floating-point number that has its bits, in words. What was never written is 0 of any width.
    pub fn floating(self) -> String {
        match self.width {
            _ if self.bits == 0 => "0.0".into(),
            64 => format!("{:?}", f64::from_bits(self.bits)),
            _ => format!("{:?}", f32::from_bits(self.bits as u32)),
        }
    }

    /// Whether it counts as true.
    pub fn is_true(self) -> bool {
        self.bits != 0
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:i{}", self.signed(), self.width)
    }
}

/// A pointer: an allocation and where in it. Two pointers are equal when both parts are.
///
/// Memory of languages with bytes (C) is addressed by a byte offset: the path has one element, and none at all for offset 0,
/// so that the pointer to the first member is the pointer to the whole ([`Pointer::bytes`]). In languages without bytes (Java)
/// a path of field and element numbers leads to a cell, as in the load-store language of the CheckFence thesis (section
/// 4.2.2): `x.f[2]` of the allocation `x` is the path `[f, 2]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer {
    /// The allocation: a global (its index in the program), or a block made at run time (numbered after the globals).
    pub allocation: u32,
    /// The byte offset, or numbers of fields and elements, outermost first.
    pub path: Vec<i64>,
}

impl Pointer {
    /// The integers that may be addresses of allocations. Others, as 0, 1 and -1, stand for no object, and a pointer may be
    /// compared with them.
    pub const ADDRESSES: std::ops::Range<u64> = 4096..1 << 47;

    /// The allocation itself, without offsets.
    pub fn to(allocation: u32) -> Pointer {
        Pointer { allocation, path: Vec::new() }
    }

    /// So many bytes from the start of an allocation.
    pub fn at_byte(allocation: u32, offset: i64) -> Pointer {
        Pointer { allocation, path: Pointer::byte_path(offset) }
    }

    /// The path of a byte offset: none for 0.
    pub fn byte_path(offset: i64) -> Vec<i64> {
        if offset == 0 { Vec::new() } else { vec![offset] }
    }

    /// The byte offset, if the path is one.
    pub fn bytes(&self) -> Option<i64> {
        match self.path[..] {
            [] => Some(0),
            [offset] => Some(offset),
            _ => None,
        }
    }
}

/// A value of a register or memory cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// Never assigned, or the result of an operator outside its domain.
    Undefined,
    /// An integer.
    Int(Int),
    /// A pointer. There is no null pointer value: null is the integer 0.
    Pointer(Pointer),
    /// A packed word: a tag and the values of its fields (CheckFence thesis, section 4.6.3).
    Composite(Arc<str>, Vec<Value>),
}

impl Value {
    /// The integer `value` of `width` bits.
    pub fn int(value: i64, width: u8) -> Value {
        Value::Int(Int::new(value, width))
    }

    /// Whether a branch on this value is taken: a non-zero integer or any pointer. `None` for what has no truth value.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Value::Int(int) => Some(int.is_true()),
            Value::Pointer(_) => Some(true),
            Value::Undefined | Value::Composite(..) => None,
        }
    }
}
