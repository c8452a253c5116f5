//! Small rewritings of tokens that let the parser read what it has no grammar for:
//!
//! | written | read as |
//! |---|---|
//! | `__thread` | `_Thread_local` |
//! | `__extension__`, `_Alignas(...)` of a variable | nothing |
//! | `a ?: b` | `a ? __palisade_condition : b`, which the lowering knows |
//! | `__builtin_types_compatible_p(T, U)` | the same of `sizeof(T)` and `sizeof(U)`: only their types count |
//! | `__auto_type x = e` | `__typeof__(({ e; })) x = e` |
//! | `__int128` and its kind | `_Decimal128`, which the lowering takes for it: no program has that |
//! | `f(...) {` at the start of a declaration | `int f(...) {` |

use super::token::{Kind, Token};

/// What is known of the tokens before.
#[derive(Clone, Debug, Default)]
pub(super) struct Rewriter {
    /// How many braces, brackets and parentheses are open.
    depth: usize,
    /// Whether a token of an outermost declaration comes next, and none of it was seen.
    inside: bool,
}

impl Rewriter {
    /// What stands for the first tokens, and how many tokens that is; at least one if there are any.
    pub fn next(&mut self, tokens: &[Token]) -> (Vec<Token>, usize) {
        let Some(first) = tokens.first() else { return (Vec::new(), 0) };
        let name = |text: &str| vec![Token { text: text.into(), ..first.clone() }];
        let (made, length) = match &*first.text {
            _ if first.kind == Kind::Quoted => (vec![first.clone()], 1),
            "__thread" => (name("_Thread_local"), 1),
            "__extension__" => return (Vec::new(), 1),
            "_Alignas" => return (Vec::new(), 1 + in_parentheses(&tokens[1..]).unwrap_or(0)),
            "__int128" | "__int128_t" => (name("_Decimal128"), 1),
            "__uint128_t" => ([name("unsigned"), name("_Decimal128")].concat(), 1),
            "?" if tokens.get(1).is_some_and(|next| next.is(":")) => {
                let middle = Token::made(Kind::Identifier, super::CONDITION, first.place);
                (vec![first.clone(), middle], 1)
            }
            "__builtin_types_compatible_p" => sizes(tokens),
            "__auto_type" => (type_of_value(tokens).unwrap_or_else(|| name("__auto_type")), 1),
            _ if self.lacks_type(tokens) => {
                let int = Token { text: "int".into(), ..first.clone() };
                (vec![int, Token { first: false, ..first.clone() }], 1)
            }
            _ => (vec![first.clone()], 1),
        };
        made.iter().for_each(|token| self.pass(token));
        (made, length)
    }

    fn pass(&mut self, token: &Token) {
        self.inside = true;
        match &*token.text {
            _ if token.kind != Kind::Punctuator => {}
            "{" | "(" | "[" => self.depth += 1,
            "}" | ")" | "]" => {
                self.depth = self.depth.saturating_sub(1);
                self.inside = self.depth > 0 || !token.is("}");
            }
            ";" => self.inside = self.depth > 0,
            _ => {}
        }
    }

    /// Whether a function is defined here without a type.
    fn lacks_type(&self, tokens: &[Token]) -> bool {
        let [first, rest @ ..] = tokens else { return false };
        let is_name = first.kind == Kind::Identifier && !self.inside && self.depth == 0;
        is_name
            && in_parentheses(rest).and_then(|length| rest.get(length)).is_some_and(|next| next.is("{"))
            && !matches!(&*first.text, "_Static_assert" | "asm" | "__asm__" | "__asm" | "__typeof__" | "typeof")
    }
}

/// The type of the initial value that follows.
fn type_of_value(tokens: &[Token]) -> Option<Vec<Token>> {
    let [first, _, equals, value @ ..] = tokens else { return None };
    let mut depth = 0usize;
    let length = value.iter().position(|token| {
        match &*token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (token.is(";") || token.is(","))
    });
    let value = value.get(..length?).filter(|_| equals.is("="))?;
    let mark = |text: &str| Token::made(Kind::Punctuator, text, first.place);
    let mut written = vec![Token { text: "__typeof__".into(), ..first.clone() }, mark("("), mark("("), mark("{")];
    written.extend(value.iter().cloned());
    written.extend([mark(";"), mark("}"), mark(")"), mark(")")]);
    Some(written)
}

/// `name(T, U)` as `name(sizeof(T), sizeof(U))`, and how many tokens that is.
fn sizes(tokens: &[Token]) -> (Vec<Token>, usize) {
    let first = &tokens[0];
    let Some(length) = in_parentheses(&tokens[1..]) else { return (vec![first.clone()], 1) };
    let made = |kind: Kind, text: &str| Token::made(kind, text, first.place);
    let size = || [made(Kind::Identifier, "sizeof"), made(Kind::Punctuator, "(")];
    let mut written = vec![first.clone(), tokens[1].clone()];
    written.extend(size());
    let mut depth = 0usize;
    for token in &tokens[2..length] {
        match &*token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                written.extend([made(Kind::Punctuator, ")"), token.clone()]);
                written.extend(size());
                continue;
            }
            _ => {}
        }
        written.push(token.clone());
    }
    written.extend([made(Kind::Punctuator, ")"), tokens[length].clone()]);
    (written, 1 + length)
}

/// The length of what stands in parentheses at the start.
pub(super) fn in_parentheses(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate() {
        match () {
            () if token.is("(") => depth += 1,
            () if token.is(")") => depth -= 1,
            () => {}
        }
        if depth == 0 {
            return (index > 0).then_some(index + 1);
        }
    }
    None
}
