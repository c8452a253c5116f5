//! What is known while a function is parsed.

use std::collections::HashSet;

use crate::litmus::lexer::Tokens;
use crate::litmus::messages::Messages;

/// What parsing a function needs to know.
pub struct Parser<'p, 'a> {
    /// The tokens.
    pub tokens: &'p mut Tokens<'a>,
    /// Names of variables that were assigned so far.
    pub assigned: HashSet<String>,
    /// Where errors in statements go.
    pub messages: &'p mut Messages,
}
