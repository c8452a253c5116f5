//! The flags: which an instruction looks at, and what each instruction makes of them.

use std::collections::BTreeSet;

use program::{Operand, Operator, RegisterId, Span, Value};

use crate::litmus::code::Code;

/// A flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flag {
    /// The result was 0.
    Zero,
    /// The result was negative.
    Sign,
    /// The unsigned operation went over the edge.
    Carry,
    /// The signed operation went over the edge.
    Overflow,
}

impl Flag {
    /// Its register, which holds 0 or 1.
    pub fn register(self, code: &mut Code) -> RegisterId {
        let name = match self {
            Flag::Zero => "ZF",
            Flag::Sign => "SF",
            Flag::Carry => "CF",
            Flag::Overflow => "OF",
        };
        code.named_or(name, Value::int(0, 32))
    }
}

/// A condition on flags, as the letters behind `J`, `SET` and `CMOV` say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    test: Test,
    /// Whether the test must fail.
    negated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    Flag(Flag),
    /// Carry or zero: unsigned less or equal.
    BelowOrEqual,
    /// Sign differs from overflow: signed less.
    Less,
    /// Less or zero.
    LessOrEqual,
}

impl Condition {
    /// The condition that these lower-case letters stand for.
    pub fn parse(letters: &str) -> Option<Condition> {
        let (test, negated) = match letters {
            "e" | "z" => (Test::Flag(Flag::Zero), false),
            "ne" | "nz" => (Test::Flag(Flag::Zero), true),
            "s" => (Test::Flag(Flag::Sign), false),
            "ns" => (Test::Flag(Flag::Sign), true),
            "o" => (Test::Flag(Flag::Overflow), false),
            "no" => (Test::Flag(Flag::Overflow), true),
            "b" | "c" | "nae" => (Test::Flag(Flag::Carry), false),
            "ae" | "nb" | "nc" => (Test::Flag(Flag::Carry), true),
            "be" | "na" => (Test::BelowOrEqual, false),
            "a" | "nbe" => (Test::BelowOrEqual, true),
            "l" | "nge" => (Test::Less, false),
            "ge" | "nl" => (Test::Less, true),
            "le" | "ng" => (Test::LessOrEqual, false),
            "g" | "nle" => (Test::LessOrEqual, true),
            _ => return None,
        };
        Some(Condition { test, negated })
    }

    /// The flags that it looks at.
    pub fn flags(self) -> &'static [Flag] {
        match self.test {
            Test::Flag(Flag::Zero) => &[Flag::Zero],
            Test::Flag(Flag::Sign) => &[Flag::Sign],
            Test::Flag(Flag::Carry) => &[Flag::Carry],
            Test::Flag(Flag::Overflow) => &[Flag::Overflow],
            Test::BelowOrEqual => &[Flag::Carry, Flag::Zero],
            Test::Less => &[Flag::Sign, Flag::Overflow],
            Test::LessOrEqual => &[Flag::Sign, Flag::Overflow, Flag::Zero],
        }
    }

    /// Computes the test; gives its result, and whether the condition is the opposite of it.
    pub fn test(self, code: &mut Code, span: Span) -> (Operand, bool) {
        let flag = |flag: Flag, code: &mut Code| Operand::Register(flag.register(code));
        let result = match self.test {
            Test::Flag(one) => flag(one, code),
            Test::BelowOrEqual => {
                let operands = vec![flag(Flag::Carry, code), flag(Flag::Zero, code)];
                code.compute(Operator::Or, operands, span)
            }
            Test::Less | Test::LessOrEqual => {
                let operands = vec![flag(Flag::Sign, code), flag(Flag::Overflow, code)];
                let less = code.compute(Operator::Xor, operands, span);
                match self.test {
                    Test::LessOrEqual => {
                        let operands = vec![less, flag(Flag::Zero, code)];
                        code.compute(Operator::Or, operands, span)
                    }
                    _ => less,
                }
            }
        };
        (result, self.negated)
    }
}

/// What an instruction computed, as far as the flags care. All operands have the same width.
#[derive(Clone, Debug)]
pub enum Computed {
    /// `result = left + right`.
    Sum(Operand, Operand, Operand),
    /// `result = left - right`; the result is only needed for the sign and overflow flags.
    Difference(Operand, Operand, Operand),
    /// `result`, with carry and overflow clear.
    Bits(Operand),
    /// `result = old + 1`; the carry flag stays.
    Increment(Operand),
    /// `result = old - 1`; the carry flag stays.
    Decrement(Operand),
    /// `result`, shifted; the carry flag is the bit shifted out last, the overflow flag is not defined.
    Shifted(Operand, Operand),
}

/// Sets those flags that the thread looks at.
pub fn set(code: &mut Code, used: &BTreeSet<Flag>, computed: &Computed, width: u8, span: Span) {
    for &flag in used {
        set_one(code, flag, computed, width, span);
    }
}

fn set_one(code: &mut Code, flag: Flag, computed: &Computed, width: u8, span: Span) {
    let target = flag.register(code);
    let number = |value: i64| Operand::Constant(Value::int(value, width));
    let least = number(i64::MIN >> (64 - u32::from(width)));
    let (operator, operands) = match (flag, computed) {
        // Pointers have no difference but may be compared.
        (Flag::Zero, Computed::Difference(left, right, _)) => (Operator::Eq, vec![left.clone(), right.clone()]),
        (Flag::Zero, _) => (Operator::IsFalse, vec![result(computed)]),
        (Flag::Sign, _) => (Operator::LtSigned, vec![result(computed), number(0)]),
        (Flag::Carry, Computed::Sum(left, _, result)) => (Operator::LtUnsigned, vec![result.clone(), left.clone()]),
        (Flag::Carry, Computed::Difference(left, right, _)) => {
            (Operator::LtUnsigned, vec![left.clone(), right.clone()])
        }
        (Flag::Carry, Computed::Shifted(_, carry)) => {
            (Operator::Resize { width: 32, signed: false }, vec![carry.clone()])
        }
        (Flag::Carry, Computed::Increment(_) | Computed::Decrement(_)) => return,
        (Flag::Carry | Flag::Overflow, Computed::Bits(_)) => {
            (Operator::Copy, vec![Operand::Constant(Value::int(0, 32))])
        }
        (Flag::Overflow, Computed::Sum(left, right, result)) => {
            let overflow = signs(code, [(left, result), (right, result)], span);
            (Operator::LtSigned, vec![overflow, number(0)])
        }
        (Flag::Overflow, Computed::Difference(left, right, result)) => {
            let overflow = signs(code, [(left, right), (left, result)], span);
            (Operator::LtSigned, vec![overflow, number(0)])
        }
        (Flag::Overflow, Computed::Increment(result)) => (Operator::Eq, vec![result.clone(), least]),
        (Flag::Overflow, Computed::Decrement(result)) => {
            let most = number(!(i64::MIN >> (64 - u32::from(width))));
            (Operator::Eq, vec![result.clone(), most])
        }
        (Flag::Overflow, Computed::Shifted(..)) => (Operator::Copy, vec![Operand::Constant(Value::Undefined)]),
    };
    code.assign(target, operator, operands, span);
}

fn result(computed: &Computed) -> Operand {
    match computed {
        Computed::Sum(_, _, result) | Computed::Difference(_, _, result) | Computed::Shifted(result, _) => {
            result.clone()
        }
        Computed::Bits(result) | Computed::Increment(result) | Computed::Decrement(result) => result.clone(),
    }
}

/// A number that is negative when both pairs differ in sign.
fn signs(code: &mut Code, pairs: [(&Operand, &Operand); 2], span: Span) -> Operand {
    let differences = pairs.map(|(a, b)| code.compute(Operator::Xor, vec![a.clone(), b.clone()], span));
    code.compute(Operator::And, differences.to_vec(), span)
}
