//! Values with their types.

use program::{Operand, RegisterId};

use crate::litmus::types::{INT, Type};

/// A value with its type.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    /// The value.
    pub operand: Operand,
    /// Its type; `void` for what has no value.
    pub declared: Type,
}

/// A register of a type that the last instruction of an expression may write its result to.
pub(super) type Into = Option<(RegisterId, Type)>;

/// The type of what has no value.
pub(super) const VOID: Type = Type { width: 0, ..INT };
