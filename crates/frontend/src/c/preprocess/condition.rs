//! The conditions of `#if` and `#elif` (C11 6.10.1): integer expressions of 64 bits, in which names that are no macros are 0.

use program::{Diagnostic, Span};

use super::token::{Kind, Token};

/// Whether the condition holds. Its macros are expanded already; `place` is the directive's.
pub(super) fn holds(tokens: &[Token], place: Span) -> Result<bool, Diagnostic> {
    let mut reader = Reader { tokens, at: 0, place, depth: 0 };
    let value = reader.comma(true)?;
    match reader.tokens.get(reader.at) {
        Some(token) => {
            Err(Diagnostic::error(format!("`{}` is not expected in this condition", token.text), token.place))
        }
        None => Ok(value.bits != 0),
    }
}

/// How deeply a condition may be nested.
const DEEPEST: usize = 200;

/// An integer of 64 bits.
#[derive(Clone, Copy)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn signed(number: i64) -> Value {
        Value { bits: number as u64, unsigned: false }
    }

    fn truth(holds: bool) -> Value {
        Value::signed(i64::from(holds))
    }
}

/// Binary operators, from those that bind least.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    place: Span,
    depth: usize,
}

/// In each method, `counts` is false where C does not evaluate: after `0 &&`, in the branch not taken.
impl<'t> Reader<'t> {
    fn here(&self) -> Span {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(self.place, |token| token.place)
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, Diagnostic> {
        Err(Diagnostic::error(message, self.here()))
    }

    fn accept(&mut self, punctuator: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|token| token.is(punctuator));
        self.at += usize::from(found);
        found
    }

    fn comma(&mut self, counts: bool) -> Result<Value, Diagnostic> {
        let mut value = self.conditional(counts)?;
        while self.accept(",") {
            value = self.conditional(counts)?;
        }
        Ok(value)
    }

    fn conditional(&mut self, counts: bool) -> Result<Value, Diagnostic> {
        if self.depth == DEEPEST {
            return self.error("this condition is nested too deeply");
        }
        self.depth += 1;
        let mut value = self.binary(0, counts)?;
        if self.accept("?") {
            let chosen = value.bits != 0;
            let yes = self.comma(counts && chosen)?;
            if !self.accept(":") {
                return self.error("`:` is missing in this condition");
            }
            let no = self.conditional(counts && !chosen)?;
            value = Value { bits: if chosen { yes.bits } else { no.bits }, unsigned: yes.unsigned || no.unsigned };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, level: usize, counts: bool) -> Result<Value, Diagnostic> {
        let Some(operators) = LEVELS.get(level) else { return self.unary(counts) };
        let mut left = self.binary(level + 1, counts)?;
        while let Some(operator) = operators.iter().copied().find(|operator| self.accept(operator)) {
            let decided = match operator {
                "||" => left.bits != 0,
                "&&" => left.bits == 0,
                _ => false,
            };
            let right = self.binary(level + 1, counts && !decided)?;
            left = match apply(operator, left, right) {
                Some(value) => value,
                None if counts => return self.error("division by zero in this condition"),
                None => Value { bits: 0, unsigned: left.unsigned || right.unsigned },
            };
        }
        Ok(left)
    }

    fn unary(&mut self, counts: bool) -> Result<Value, Diagnostic> {
        let start = self.at;
        while ["!", "~", "-", "+"].iter().any(|operator| self.accept(operator)) {}
        let end = self.at;
        let mut value = self.primary(counts)?;
        for operator in self.tokens[start..end].iter().rev() {
            value = match &*operator.text {
                "!" => Value::truth(value.bits == 0),
                "~" => Value { bits: !value.bits, ..value },
                "-" => Value { bits: value.bits.wrapping_neg(), ..value },
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self, counts: bool) -> Result<Value, Diagnostic> {
        if self.accept("(") {
            let value = self.comma(counts)?;
            return if self.accept(")") { Ok(value) } else { self.error("`)` is missing in this condition") };
        }
        let Some(token) = self.tokens.get(self.at) else { return self.error("this condition is not complete") };
        self.at += 1;
        let value = match token.kind {
            Kind::Identifier if token.is_name("defined") => None,
            Kind::Identifier => Some(Value::signed(0)),
            Kind::Number => number(&token.text),
            Kind::Quoted => character(&token.text),
            _ => None,
        };
        let message = || Diagnostic::error(format!("`{}` has no meaning in a condition", token.text), token.place);
        value.ok_or_else(message)
    }
}

/// The operator's result; `None` for a division by zero.
fn apply(operator: &str, left: Value, right: Value) -> Option<Value> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let arithmetic = |bits| Some(Value { bits, unsigned });
    let less = |a: u64, b: u64| if unsigned { a < b } else { (a as i64) < b as i64 };
    match operator {
        "||" => Some(Value::truth(a != 0 || b != 0)),
        "&&" => Some(Value::truth(a != 0 && b != 0)),
        "|" => arithmetic(a | b),
        "^" => arithmetic(a ^ b),
        "&" => arithmetic(a & b),
        "==" => Some(Value::truth(a == b)),
        "!=" => Some(Value::truth(a != b)),
        "<" => Some(Value::truth(less(a, b))),
        ">" => Some(Value::truth(less(b, a))),
        "<=" => Some(Value::truth(!less(b, a))),
        ">=" => Some(Value::truth(!less(a, b))),
        "<<" => Some(shift(left, right, false)),
        ">>" => Some(shift(left, right, true)),
        "+" => arithmetic(a.wrapping_add(b)),
        "-" => arithmetic(a.wrapping_sub(b)),
        "*" => arithmetic(a.wrapping_mul(b)),
        "/" if b != 0 && unsigned => arithmetic(a / b),
        "/" if b != 0 => arithmetic((a as i64).wrapping_div(b as i64) as u64),
        "%" if b != 0 && unsigned => arithmetic(a % b),
        "%" if b != 0 => arithmetic((a as i64).wrapping_rem(b as i64) as u64),
        _ => None,
    }
}

/// A shift as gcc's preprocessor does it: by a negative number in the other direction, and out of the word if far enough.
fn shift(left: Value, right: Value, to_the_right: bool) -> Value {
    let negative = !right.unsigned && (right.bits as i64) < 0;
    let count = if negative { right.bits.wrapping_neg() } else { right.bits };
    let bits = if to_the_right == negative {
        if count < 64 { left.bits << count } else { 0 }
    } else if left.unsigned {
        if count < 64 { left.bits >> count } else { 0 }
    } else {
        ((left.bits as i64) >> count.min(63)) as u64
    };
    Value { bits, unsigned: left.unsigned }
}

/// The value of an integer constant.
fn number(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', ..] => (8, &lower[..]),
        _ => (10, &lower[..]),
    };
    let length = digits.bytes().take_while(|byte| char::from(*byte).is_digit(radix.max(10))).count();
    let (digits, suffix) = digits.split_at(length);
    let unsigned = match suffix {
        "" | "l" | "ll" => false,
        "u" | "ul" | "ull" | "lu" | "llu" => true,
        _ => return None,
    };
    let bits = u64::from_str_radix(digits, radix).ok()?;
    Some(Value { bits, unsigned: unsigned || i64::try_from(bits).is_err() })
}

/// The value of a character constant; as in gcc several characters are the bytes of one number.
fn character(text: &str) -> Option<Value> {
    let open = text.find('\'')?;
    let (prefix, inner) = (&text[..open], text.get(open + 1..text.len().checked_sub(1)?)?);
    let wide = !prefix.is_empty();
    if prefix.contains('"') || inner.is_empty() || !(wide || inner.is_ascii()) {
        return None;
    }
    let units = units(inner)?;
    match (prefix, &units[..]) {
        ("", [unit]) if *unit < 256 => Some(Value::signed(i64::from(*unit as u8 as i8))),
        ("", units) if units.len() <= 4 && units.iter().all(|unit| *unit < 256) => {
            let word = units.iter().fold(0u32, |word, unit| word << 8 | unit);
            Some(Value::signed(i64::from(word as i32)))
        }
        ("L", [unit]) => Some(Value::signed(i64::from(*unit as i32))),
        ("u" | "U", [unit]) => Some(Value { bits: u64::from(*unit), unsigned: true }),
        _ => None,
    }
}

/// The characters of a constant with escapes resolved.
fn units(inner: &str) -> Option<Vec<u32>> {
    let mut rest = inner.chars().peekable();
    let mut units = Vec::new();
    while let Some(character) = rest.next() {
        if character != '\\' {
            units.push(u32::from(character));
            continue;
        }
        let escape = rest.next()?;
        units.push(match escape {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'v' => 11,
            'f' => 12,
            'e' => 27,
            '\\' | '\'' | '"' | '?' => u32::from(escape),
            '0'..='7' => {
                let mut value = escape.to_digit(8)?;
                for _ in 0..2 {
                    let Some(digit) = rest.peek().and_then(|next| next.to_digit(8)) else { break };
                    value = value * 8 + digit;
                    rest.next();
                }
                value
            }
            'x' => {
                let mut value = rest.next()?.to_digit(16)?;
                while let Some(digit) = rest.peek().and_then(|next| next.to_digit(16)) {
                    value = value.checked_mul(16)?.checked_add(digit)?;
                    rest.next();
                }
                value
            }
            _ => return None,
        });
    }
    Some(units)
}
