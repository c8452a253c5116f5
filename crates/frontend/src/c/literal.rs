//! Constants as the source writes them.

use lang_c::ast::{self, IntegerBase, IntegerSize};
use program::{Operand, Value};

use super::lower::{Bytes, Lowered, Lowering, Typed};
use super::types::Type;

impl Lowering<'_> {
    /// A number or character.
    pub fn literal(&self, constant: &ast::Constant, at: Bytes) -> Lowered<Typed> {
        match constant {
            ast::Constant::Integer(integer) => self.integer(integer, at),
            ast::Constant::Float(float) => self.float_literal(float, at),
            ast::Constant::Character(text) => self.character(text, at),
        }
    }

    /// The first type of C's list that holds the number (C11 6.4.4.1).
    fn integer(&self, integer: &ast::Integer, at: Bytes) -> Lowered<Typed> {
        let radix = match integer.base {
            IntegerBase::Decimal => 10,
            IntegerBase::Octal => 8,
            IntegerBase::Hexadecimal => 16,
            IntegerBase::Binary => 2,
        };
        if integer.suffix.imaginary {
            return Err(self.unsupported("a complex number", at));
        }
        let digits = if integer.number.is_empty() { "0" } else { &*integer.number };
        let value = u64::from_str_radix(digits, radix).map_err(|_| self.error("a number of more than 64 bits", at))?;
        let decimal = radix == 10;
        let (unsigned, long) = (integer.suffix.unsigned, integer.suffix.size != IntegerSize::Int);
        let types = [(32, true, 31), (32, false, 32), (64, true, 63), (64, false, 64)];
        let fits = types.iter().find(|(width, signed, bits)| {
            let allowed = if *signed { !unsigned } else { unsigned || !decimal };
            allowed && (*width == 64 || !long) && (*bits == 64 || value >> bits == 0)
        });
        let Some((width, signed, _)) = fits else {
            return Err(self.error("a decimal number of more than 63 bits", at).note("add the suffix u"));
        };
        let operand = Operand::Constant(Value::int(value as i64, *width));
        Ok(Typed { operand, of: Type::integer(*width, *signed) })
    }

    fn character(&self, text: &str, at: Bytes) -> Lowered<Typed> {
        let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
        match inner.and_then(unescape).as_deref() {
            Some([byte]) => Ok(Typed::int(i64::from(*byte as i8))),
            _ => Err(self.unsupported(format!("the character constant {text}"), at)),
        }
    }
}

/// The bytes that a string or character constant stands for. `None` for an escape that C has not.
pub fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let (escape, behind) = rest.split_first()?;
        rest = behind;
        let byte = match escape {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            b'e' => 27,
            b'\\' | b'\'' | b'"' | b'?' => *escape,
            b'x' => {
                let count = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
                let (digits, behind) = rest.split_at(count);
                rest = behind;
                u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
            }
            b'0'..=b'7' => {
                let more = rest.iter().take(2).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
                let (digits, behind) = rest.split_at(more);
                rest = behind;
                let number = digits.iter().fold(u32::from(*escape - b'0'), |n, digit| n * 8 + u32::from(digit - b'0'));
                u8::try_from(number).ok()?
            }
            _ => return None,
        };
        bytes.push(byte);
    }
    Some(bytes)
}
