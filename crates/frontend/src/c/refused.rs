//! What was refused so far while a C file is lowered; `refusals` says what follows from it.

use lang_c::ast::Expression;
use lang_c::span::Node;

/// What was refused so far.
#[derive(Debug, Default)]
pub struct Refused {
    /// Names whose declarations failed.
    pub names: Vec<String>,
    /// The expression that could not be lowered, until its error is noted.
    pub failed: Option<Node<Expression>>,
    /// How many expressions are being lowered, one in another.
    pub depth: usize,
}
