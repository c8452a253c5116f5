//! Words compute what values compute.

use operational::word::Words;
use program::{Operator, Value};

const OPERATORS: [&str; 36] = [
    "offset",
    "advance",
    "base",
    "int_to_f64",
    "float_to_i32",
    "distance",
    "copy",
    "not",
    "neg",
    "is_false",
    "add",
    "sub",
    "mul",
    "sdiv",
    "udiv",
    "srem",
    "urem",
    "and",
    "or",
    "xor",
    "shl",
    "ushr",
    "sshr",
    "eq",
    "ne",
    "slt",
    "sle",
    "ult",
    "ule",
    "fadd",
    "fsub",
    "fmul",
    "fdiv",
    "flt",
    "fle",
    "feq",
];

fn values() -> Vec<Value> {
    let numbers = [0, 1, -1, 2, 7, 31, 32, 63, 64, i64::from(i32::MIN), i64::from(i32::MAX), i64::MIN, i64::MAX];
    let widths = [1, 8, 32, 64];
    let mut values: Vec<Value> =
        numbers.into_iter().flat_map(|number| widths.map(|width| Value::int(number, width))).collect();
    values.extend([Value::Undefined, Value::Pointer(program::Pointer::to(3))]);
    values.push(Value::Composite("pair".into(), vec![Value::int(1, 32), Value::Undefined]));
    values
}

#[test]
fn operators_on_words_give_what_they_give_on_values() {
    let mut known = 0;
    let mut words = Words::new();
    for operator in OPERATORS.into_iter().filter_map(Operator::named) {
        known += 1;
        for a in values() {
            for b in values() {
                let operands = [a.clone(), b.clone()];
                let operands = &operands[..operator.arity()];
                let given: Vec<_> = operands.iter().map(|value| words.word(value)).collect();
                let result = words.apply(&operator, &given);
                assert_eq!(words.value(result), operator.apply(operands), "{operator} of {operands:?}");
            }
        }
    }
    assert!(known == OPERATORS.len(), "only {known} operators have these names");
}
