//! Literals.

use std::fmt;
use std::ops::Not;

/// A variable or its negation; `!lit` negates.
///
/// Literals come from [`Solver::fresh`](crate::Solver::fresh). Their order is that of the numbers that DIMACS writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(
    /// Invariant: neither 0 nor `i32::MIN`.
    i32,
);

impl Lit {
    /// The literal written `number` in DIMACS: the variable `|number|`, negated if `number` is negative.
    ///
    /// # Panics
    ///
    /// If `number` is 0 or `i32::MIN`, which DIMACS has no literal for.
    pub fn from_dimacs(number: i32) -> Lit {
        assert!(number != 0 && number != i32::MIN, "{number} is not a literal");
        Lit(number)
    }

    /// The number that DIMACS writes for this literal.
    pub fn dimacs(self) -> i32 {
        self.0
    }

    /// The index of the variable, from 1.
    pub fn index(self) -> u32 {
        self.0.unsigned_abs()
    }

    /// Whether this is the negative literal of its variable.
    pub fn is_negated(self) -> bool {
        self.0 < 0
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
