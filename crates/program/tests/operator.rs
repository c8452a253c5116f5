//! What operators compute at the edges of their domains.

use program::{Operator, Pointer, Value};

/// Applies an operator of the text form to values.
fn apply(operator: &str, operands: &[Value]) -> Value {
    let operator = Operator::parse(operator).expect("an operator");
    operator.apply(operands)
}

fn int(value: i64, width: u8) -> Value {
    Value::int(value, width)
}

fn pointer(allocation: u32, path: &[i64]) -> Value {
    Value::Pointer(Pointer { allocation, path: path.to_vec() })
}

fn composite(tag: &str, fields: &[Value]) -> Value {
    Value::Composite(tag.into(), fields.to_vec())
}

/// Least, greatest and middle integers of a width.
fn edges(width: u8) -> Vec<i64> {
    let least = i64::MIN >> (64 - width);
    vec![least, least.wrapping_add(1), -2, -1, 0, 1, 2, 3, !least - 1, !least]
}

/// The bits of `value` below the width, read as signed.
fn wrapped(value: i128, width: u8) -> Value {
    int(value as i64, width)
}

#[test]
fn arithmetic_agrees_with_wide_integers_at_every_width() {
    for width in 1..=64u8 {
        for (a, b) in edges(width).into_iter().flat_map(|a| edges(width).into_iter().map(move |b| (a, b))) {
            let operands = [int(a, width), int(b, width)];
            let [Value::Int(x), Value::Int(y)] = &operands else { unreachable!() };
            let (sa, sb) = (i128::from(x.signed()), i128::from(y.signed()));
            let (ua, ub) = (i128::from(x.unsigned()), i128::from(y.unsigned()));
            let check = |operator: &str, expected: Value| {
                assert_eq!(apply(operator, &operands), expected, "{operator} {operands:?}");
            };
            check("add", wrapped(sa + sb, width));
            check("sub", wrapped(sa - sb, width));
            check("mul", wrapped(sa * sb, width));
            let divided = |quotient: Option<i128>| quotient.map_or(Value::Undefined, |q| wrapped(q, width));
            check("sdiv", divided(sa.checked_div(sb)));
            check("srem", divided(sa.checked_rem(sb)));
            check("udiv", divided(ua.checked_div(ub)));
            check("urem", divided(ua.checked_rem(ub)));
            check("and", wrapped(sa & sb, width));
            check("or", wrapped(sa | sb, width));
            check("xor", wrapped(sa ^ sb, width));
            let amount = ub.min(64) as u32;
            check("shl", wrapped(ua << amount, width));
            check("ushr", wrapped(ua >> amount, width));
            check("sshr", wrapped(sa >> amount, width));
            for (operator, truth) in [
                ("eq", sa == sb),
                ("ne", sa != sb),
                ("slt", sa < sb),
                ("sle", sa <= sb),
                ("ult", ua < ub),
                ("ule", ua <= ub),
            ] {
                check(operator, int(i64::from(truth), 32));
            }
            assert_eq!(apply("neg", &operands[..1]), wrapped(-sa, width));
            assert_eq!(apply("not", &operands[..1]), wrapped(!sa, width));
            for to in [1, 7, 8, 32, 63, 64] {
                assert_eq!(apply(&format!("resize[s{to}]"), &operands[..1]), wrapped(sa, to));
                assert_eq!(apply(&format!("resize[u{to}]"), &operands[..1]), wrapped(ua, to));
            }
        }
    }
}

#[test]
fn the_least_integer_divided_by_minus_one_is_itself() {
    for width in 1..=64 {
        let least = i64::MIN >> (64 - width);
        assert_eq!(apply("sdiv", &[int(least, width), int(-1, width)]), int(least, width));
        assert_eq!(apply("srem", &[int(least, width), int(-1, width)]), int(0, width));
    }
}

#[test]
fn a_shift_by_the_width_or_more_shifts_everything_out() {
    for amount in [int(8, 8), int(64, 8), int(-1, 64), int(1 << 40, 64), int(32, 7)] {
        assert_eq!(apply("shl", &[int(-1, 8), amount.clone()]), int(0, 8));
        assert_eq!(apply("ushr", &[int(-1, 8), amount.clone()]), int(0, 8));
        assert_eq!(apply("sshr", &[int(-1, 8), amount.clone()]), int(-1, 8));
        assert_eq!(apply("sshr", &[int(127, 8), amount]), int(0, 8));
    }
}

#[test]
fn mixed_widths_are_outside_the_domain_but_for_shifts_and_equality() {
    let names = ["add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "and", "or", "xor", "slt", "sle", "ult", "ule"];
    for name in names {
        assert_eq!(apply(name, &[int(1, 8), int(1, 9)]), Value::Undefined, "{name}");
    }
    assert_eq!(apply("shl", &[int(1, 8), int(3, 32)]), int(8, 8));
    assert_eq!(apply("eq", &[int(-1, 8), int(-1, 64)]), int(1, 32));
    assert_eq!(apply("eq", &[int(-1, 8), int(255, 64)]), int(0, 32));
}

#[test]
fn equality_is_defined_on_all_kinds_but_undefined() {
    let values = [int(0, 32), pointer(0, &[]), pointer(0, &[0]), composite("A", &[]), composite("B", &[])];
    for (i, a) in values.iter().enumerate() {
        for (j, b) in values.iter().enumerate() {
            assert_eq!(apply("eq", &[a.clone(), b.clone()]), int(i64::from(i == j), 32));
            assert_eq!(apply("ne", &[a.clone(), b.clone()]), int(i64::from(i != j), 32));
        }
        assert_eq!(apply("eq", &[a.clone(), Value::Undefined]), Value::Undefined);
    }
    let marked = |value: Value| composite("M", &[pointer(0, &[]), value]);
    assert_eq!(apply("eq", &[marked(int(1, 8)), marked(int(1, 32))]), int(1, 32));
    assert_eq!(apply("eq", &[marked(Value::Undefined), int(1, 32)]), Value::Undefined);
    assert_eq!(apply("ne", &[marked(Value::Undefined), marked(int(1, 8))]), Value::Undefined);
}

#[test]
fn truth_decides_select_and_is_false() {
    let choose = |condition: Value| apply("select", &[condition, int(1, 8), Value::Undefined]);
    assert_eq!(choose(int(-1, 1)), int(1, 8));
    assert_eq!(choose(pointer(3, &[])), int(1, 8));
    assert_eq!(choose(int(0, 64)), Value::Undefined);
    let same = |condition: Value| apply("select", &[condition, int(1, 8), int(1, 8)]);
    assert_eq!(same(Value::Undefined), Value::Undefined);
    assert_eq!(same(composite("A", &[])), Value::Undefined);
    assert_eq!(apply("is_false", &[int(0, 8)]), int(1, 32));
    assert_eq!(apply("is_false", &[pointer(0, &[])]), int(0, 32));
    assert_eq!(apply("is_false", &[composite("A", &[])]), Value::Undefined);
}

#[test]
fn pointers_have_an_arithmetic_of_their_own() {
    let p = pointer(2, &[1, 5]);
    assert_eq!(apply("offset", &[p.clone(), int(-1, 4)]), pointer(2, &[1, 5, -1]));
    assert_eq!(apply("advance", &[p.clone(), int(-7, 8)]), pointer(2, &[1, -2]));
    assert_eq!(apply("advance", &[pointer(2, &[]), int(0, 8)]), pointer(2, &[]));
    assert_eq!(apply("advance", &[pointer(2, &[]), int(1, 8)]), Value::Undefined);
    assert_eq!(apply("advance", &[pointer(2, &[i64::MAX]), int(1, 8)]), Value::Undefined);
    assert_eq!(apply("distance", &[p.clone(), pointer(2, &[1, 7])]), int(-2, 64));
    assert_eq!(apply("distance", &[pointer(2, &[]), pointer(2, &[])]), int(0, 64));
    for other in [pointer(3, &[1, 5]), pointer(2, &[0, 5]), pointer(2, &[1]), pointer(2, &[]), int(5, 64)] {
        assert_eq!(apply("distance", &[p.clone(), other]), Value::Undefined);
    }
    assert_eq!(apply("distance", &[pointer(2, &[i64::MIN]), pointer(2, &[1])]), Value::Undefined);
    assert_eq!(apply("base", std::slice::from_ref(&p)), pointer(2, &[1]));
    assert_eq!(apply("base", &[pointer(2, &[])]), Value::Undefined);
    assert_eq!(apply("last_offset", std::slice::from_ref(&p)), int(5, 64));
    assert_eq!(apply("last_offset", &[pointer(2, &[])]), Value::Undefined);
    assert_eq!(apply("add", &[p.clone(), int(1, 64)]), Value::Undefined);
    assert_eq!(apply("offset", &[p.clone(), p]), Value::Undefined);
}

#[test]
fn bits_of_an_address_that_are_not_known_are_no_error() {
    let (p, q) = (pointer(2, &[5]), pointer(3, &[]));
    assert_eq!(apply("urem", &[p.clone(), int(4, 64)]), int(1, 64));
    assert_eq!(apply("urem", &[p.clone(), int(i64::MIN, 64)]), p);
    for (name, operands) in [
        ("urem", vec![p.clone(), int(64, 64)]),
        ("and", vec![p.clone(), int(63, 64)]),
        ("ult", vec![p.clone(), q]),
        ("resize[s32]", vec![p.clone()]),
    ] {
        let operator = Operator::parse(name).expect("an operator");
        assert!(operator.asks_for_unknown_bits(&operands), "{name}");
    }
    for (name, operands) in [
        ("urem", vec![p.clone(), int(0, 64)]),
        ("and", vec![p.clone(), int(7, 64)]),
        ("and", vec![p.clone(), Value::Undefined]),
        ("ult", vec![p.clone(), pointer(2, &[])]),
        ("distance", vec![p, pointer(3, &[])]),
    ] {
        let operator = Operator::parse(name).expect("an operator");
        assert!(!operator.asks_for_unknown_bits(&operands), "{name}");
    }
}

#[test]
fn composites_carry_undefined_fields_and_check_tags() {
    let c = apply("make[M, 2]", &[Value::Undefined, int(1, 8)]);
    assert_eq!(c, composite("M", &[Value::Undefined, int(1, 8)]));
    assert_eq!(apply("make[M, 0]", &[]), composite("M", &[]));
    assert_eq!(apply("get[M, 1]", std::slice::from_ref(&c)), int(1, 8));
    assert_eq!(apply("get[M, 2]", std::slice::from_ref(&c)), Value::Undefined);
    assert_eq!(apply("get[N, 1]", std::slice::from_ref(&c)), Value::Undefined);
    assert_eq!(apply("set[M, 1]", &[c.clone(), pointer(0, &[])]), composite("M", &[Value::Undefined, pointer(0, &[])]));
    assert_eq!(apply("set[M, 2]", &[c.clone(), int(0, 8)]), Value::Undefined);
    assert_eq!(apply("set[N, 0]", &[c, int(0, 8)]), Value::Undefined);
}

/// Every operator, by its text form.
fn all() -> Vec<Operator> {
    let names = "copy not neg add sub mul sdiv udiv srem urem and or xor shl ushr sshr eq ne slt sle ult ule is_false \
                 select offset advance distance base last_offset resize[s1] resize[u64] make[M,2] make[M,0] get[M,0] set[M,1]";
    names.split_whitespace().map(|name| Operator::parse(name).expect(name)).collect()
}

#[test]
fn names_round_trip() {
    for operator in all() {
        assert_eq!(Operator::parse(&operator.to_string()), Some(operator));
    }
    let odd = Operator::Make("a \"b\", 3]\n".into(), 255);
    assert_eq!(Operator::parse(&odd.to_string()), Some(odd));
    for wrong in ["", "plus", "resize", "resize[x8]", "resize[s256]", "make[M]", "make[M, -1]", "add add", "get[M, 0"] {
        assert_eq!(Operator::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn operators_are_total_on_every_kind_and_number_of_operands() {
    let pointers = [pointer(0, &[]), pointer(1, &[i64::MAX]), pointer(1, &[i64::MIN])];
    let mut values = vec![Value::Undefined, int(0, 1), int(-1, 1), int(i64::MIN, 64), int(-1, 64), int(0, 64)];
    values.extend(pointers);
    values.extend([composite("M", &[]), composite("M", &[int(1, 8), Value::Undefined])]);
    for operator in all() {
        for a in &values {
            for b in &values {
                let many = [a.clone(), b.clone(), a.clone(), b.clone()];
                for number in 0..=many.len() {
                    let result = operator.apply(&many[..number]);
                    assert!(number == operator.arity() || result == Value::Undefined, "{operator} {many:?}");
                }
            }
        }
    }
    assert_eq!(Operator::Resize { width: 0, signed: true }.apply(&[int(1, 8)]), Value::Undefined);
    assert_eq!(Operator::Resize { width: 65, signed: false }.apply(&[int(1, 8)]), Value::Undefined);
}

/// A floating-point number of 64 bits.
fn double(number: f64) -> Value {
    int(number.to_bits() as i64, 64)
}

/// A floating-point number of 32 bits.
fn single(number: f32) -> Value {
    int(number.to_bits().into(), 32)
}

#[test]
fn floating_point_numbers_are_those_of_ieee_754() {
    let not_a_number = double(f64::from_bits(0x7ff8_0000_0000_0000));
    let cases: [(&str, f64, f64, Value); 11] = [
        ("fadd", 0.1, 0.2, double(0.30000000000000004)),
        ("fsub", 1.0, 0.9, double(0.09999999999999998)),
        ("fmul", 1e200, 1e200, double(f64::INFINITY)),
        ("fdiv", 1.0, -0.0, double(f64::NEG_INFINITY)),
        ("fdiv", 0.0, 0.0, not_a_number.clone()),
        ("frem", -5.5, 2.0, double(-1.5)),
        ("feq", 0.0, -0.0, int(1, 32)),
        ("feq", f64::NAN, f64::NAN, int(0, 32)),
        ("flt", 1.0, f64::NAN, int(0, 32)),
        ("fle", 2.0, 2.0, int(1, 32)),
        ("flt", -1.0, 1.0, int(1, 32)),
    ];
    for (operator, a, b, expected) in cases {
        assert_eq!(apply(operator, &[double(a), double(b)]), expected, "{operator} {a} {b}");
    }
    // The bits of what is not a number do not depend on how it came about.
    let negative = f64::from_bits(0xfff8_0000_0000_0001);
    assert_eq!(apply("fadd", &[double(negative), double(1.0)]), not_a_number);
    assert_eq!(apply("fadd", &[single(0.1), single(0.2)]), single(0.3));
    // Widths must agree, and be those of a format.
    assert_eq!(apply("fadd", &[single(1.0), double(1.0)]), Value::Undefined);
    assert_eq!(apply("fadd", &[int(1, 16), int(1, 16)]), Value::Undefined);
}

#[test]
fn conversions_to_integers_round_towards_zero_and_stay_in_range() {
    assert_eq!(apply("float_to_i32", &[double(-2.9)]), int(-2, 32));
    assert_eq!(apply("float_to_i32", &[double(1e20)]), int(i32::MAX.into(), 32));
    assert_eq!(apply("float_to_i64", &[double(-1e30)]), int(i64::MIN, 64));
    assert_eq!(apply("float_to_i64", &[single(f32::NAN)]), int(0, 64));
    assert_eq!(apply("int_to_f64", &[int(-3, 32)]), double(-3.0));
    assert_eq!(apply("int_to_f32", &[int(16_777_217, 64)]), single(16_777_216.0));
    assert_eq!(apply("float_to_f32", &[double(1e-50)]), single(0.0));
    assert_eq!(apply("float_to_f64", &[single(0.5)]), double(0.5));
    assert_eq!(apply("float_to_i32", &[int(1, 8)]), Value::Undefined);
}
