//! Symbolic values: circuits for everything a [`Value`] can be, and operators on them.
//!
//! The operators follow [`Operator::apply`]; a test compares the two on random operands.

use program::{Int, Operator, Pointer, Value};
use relation::{Bit, Circuit, Valuation};

use crate::values::{ValueSet, indexes, tries_all};

/// A symbolic value. In every solution exactly one holds: it is an integer, it is one of the atoms, or it is undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbolic {
    /// It is an integer.
    pub integer: Bit,
    /// The integer's bits, least first; their number is its width. Empty if it is never an integer.
    pub bits: Vec<Bit>,
    /// It is this pointer or packed word.
    pub atoms: Vec<(Value, Bit)>,
    /// It is undefined.
    pub undefined: Bit,
}

impl Symbolic {
    /// A constant.
    pub fn constant(value: &Value) -> Symbolic {
        let nothing = Symbolic { integer: Bit::FALSE, bits: Vec::new(), atoms: Vec::new(), undefined: Bit::FALSE };
        match value {
            Value::Undefined => Symbolic { undefined: Bit::TRUE, ..nothing },
            Value::Int(int) => Symbolic { integer: Bit::TRUE, bits: constant_bits(*int), ..nothing },
            Value::Pointer(_) | Value::Composite(..) => Symbolic { atoms: vec![(value.clone(), Bit::TRUE)], ..nothing },
        }
    }

    /// The undefined value.
    pub fn undefined() -> Symbolic {
        Symbolic::constant(&Value::Undefined)
    }

    /// An unknown value of the set. Bits in which all its integers agree are constant, and neighbours that are equal in each of
    /// them are one: the sign of small numbers. The choice of the kind is not constrained: the caller ties the value to
    /// what it comes from. What comes from nowhere, since its read is an error, is undefined.
    pub fn of_set(set: &ValueSet, circuit: &mut Circuit) -> Symbolic {
        if let (None, 1, Some(only)) = (set.any, set.values.len(), set.values.first()) {
            return Symbolic::constant(only);
        }
        let integers: Vec<Int> =
            set.values.iter().filter_map(|v| if let Value::Int(int) = v { Some(*int) } else { None }).collect();
        let width = set.width().unwrap_or(0);
        let bits = match set.any {
            Some(_) => (0..width).map(|_| circuit.fresh()).collect(),
            None => bits_of(&integers, width, circuit),
        };
        let undefined = set.values.contains(&Value::Undefined) || (set.values.is_empty() && set.any.is_none());
        let kinds = usize::from(width > 0) + set.atoms().count() + usize::from(undefined);
        let mut kind = |there: bool| match (there, kinds) {
            (false, _) => Bit::FALSE,
            (true, 1) => Bit::TRUE,
            (true, _) => circuit.fresh(),
        };
        Symbolic {
            integer: kind(width > 0),
            atoms: set.atoms().map(|atom| (atom.clone(), kind(true))).collect(),
            undefined: kind(undefined),
            bits,
        }
    }

    /// Requires that exactly one kind holds.
    pub fn require_one_kind(&self, circuit: &mut Circuit) {
        let kinds: Vec<Bit> = self.atoms.iter().map(|&(_, bit)| bit).chain([self.integer, self.undefined]).collect();
        circuit.clause(&kinds);
        for (index, &a) in kinds.iter().enumerate() {
            for &b in &kinds[index + 1..] {
                circuit.clause(&[!a, !b]);
            }
        }
    }

    /// Its value in a solution.
    pub fn value(&self, valuation: &Valuation) -> Value {
        if valuation.get(self.integer) && !self.bits.is_empty() {
            let word = self.bits.iter().rev().fold(0u64, |word, &bit| word << 1 | u64::from(valuation.get(bit)));
            return Value::int(word as i64, self.bits.len() as u8);
        }
        let atom = self.atoms.iter().find(|&&(_, bit)| valuation.get(bit));
        atom.map_or(Value::Undefined, |(atom, _)| atom.clone())
    }

    /// The value if it is constant.
    pub fn as_constant(&self) -> Option<Value> {
        if self.undefined == Bit::TRUE {
            return Some(Value::Undefined);
        }
        if let Some((atom, _)) = self.atoms.iter().find(|(_, bit)| *bit == Bit::TRUE) {
            return Some(atom.clone());
        }
        if self.integer != Bit::TRUE || !self.bits.iter().all(|bit| bit.is_constant()) {
            return None;
        }
        let word = self.bits.iter().rev().fold(0u64, |word, &bit| word << 1 | u64::from(bit == Bit::TRUE));
        Some(Value::int(word as i64, self.bits.len() as u8))
    }

    /// When it counts as true.
    pub fn truth(&self, circuit: &mut Circuit) -> Bit {
        let nonzero = circuit.or(&self.bits);
        let number = circuit.and(&[self.integer, nonzero]);
        let cases: Vec<Bit> = self.pointers().map(|(_, bit)| bit).chain([number]).collect();
        circuit.or(&cases)
    }

    /// When it has a truth value: when it is an integer or a pointer.
    pub fn has_truth(&self, circuit: &mut Circuit) -> Bit {
        let cases: Vec<Bit> = self.pointers().map(|(_, bit)| bit).chain([self.integer]).collect();
        if self.undefined == Bit::FALSE && cases.len() == self.atoms.len() + 1 { Bit::TRUE } else { circuit.or(&cases) }
    }

    /// `first` under `when`, else `second`.
    pub fn select(when: Bit, first: &Symbolic, second: &Symbolic, circuit: &mut Circuit) -> Result<Symbolic, String> {
        match when {
            _ if first == second => return Ok(first.clone()),
            Bit::TRUE => return Ok(first.clone()),
            Bit::FALSE => return Ok(second.clone()),
            _ => {}
        }
        if !first.bits.is_empty() && !second.bits.is_empty() && first.bits.len() != second.bits.len() {
            return Err("one register or cell with integers of different widths".into());
        }
        let width = first.bits.len().max(second.bits.len());
        let bit = |value: &Symbolic, index: usize| value.bits.get(index).copied();
        let bits = (0..width).map(|index| match (bit(first, index), bit(second, index)) {
            (Some(a), Some(b)) => circuit.ite(when, a, b),
            // A value that is never an integer does not care.
            (a, b) => a.or(b).unwrap_or(Bit::FALSE),
        });
        let bits = bits.collect();
        let mut atoms: Vec<(Value, Bit)> = Vec::new();
        for (atom, _) in first.atoms.iter().chain(&second.atoms) {
            if !atoms.iter().any(|(other, _)| other == atom) {
                let bit = circuit.ite(when, first.is_atom(atom), second.is_atom(atom));
                atoms.push((atom.clone(), bit));
            }
        }
        Ok(Symbolic {
            integer: circuit.ite(when, first.integer, second.integer),
            undefined: circuit.ite(when, first.undefined, second.undefined),
            bits,
            atoms,
        })
    }

    /// When it is this pointer or packed word.
    pub fn is_atom(&self, atom: &Value) -> Bit {
        self.atoms.iter().find(|(other, _)| other == atom).map_or(Bit::FALSE, |&(_, bit)| bit)
    }

    /// The pointers that it may be, with when.
    pub fn pointers(&self) -> impl Iterator<Item = (&Pointer, Bit)> {
        self.atoms
            .iter()
            .filter_map(|(atom, bit)| if let Value::Pointer(pointer) = atom { Some((pointer, *bit)) } else { None })
    }

    /// When it is a pointer at all.
    pub fn is_any_pointer(&self, circuit: &mut Circuit) -> Bit {
        let bits: Vec<Bit> = self.pointers().map(|(_, bit)| bit).collect();
        circuit.or(&bits)
    }

    /// When it is undefined, or a packed word with something undefined in it: what cannot be compared.
    pub fn is_incomparable(&self, circuit: &mut Circuit) -> Bit {
        fn undefined_within(value: &Value) -> bool {
            match value {
                Value::Undefined => true,
                Value::Composite(_, fields) => fields.iter().any(undefined_within),
                _ => false,
            }
        }
        let partly = self.atoms.iter().filter(|(atom, _)| undefined_within(atom)).map(|&(_, bit)| bit);
        let cases: Vec<Bit> = partly.chain([self.undefined]).collect();
        circuit.or(&cases)
    }

    /// When both are the same value; two undefined values are the same. Integers of different widths are compared after
    /// extension by sign.
    pub fn same(&self, other: &Symbolic, circuit: &mut Circuit) -> Bit {
        let both_undefined = circuit.and(&[self.undefined, other.undefined]);
        let equal = self.equal(other, circuit);
        circuit.or(&[both_undefined, equal])
    }

    /// When both are defined and equal.
    fn equal(&self, other: &Symbolic, circuit: &mut Circuit) -> Bit {
        let mut cases = Vec::new();
        for (atom, bit) in &self.atoms {
            if let Value::Pointer(_) = atom {
                cases.push(circuit.and(&[*bit, other.is_atom(atom)]));
                continue;
            }
            // Packed words are equal when their fields are, whatever the widths of these.
            for (word, there) in &other.atoms {
                if Operator::Eq.apply(&[atom.clone(), word.clone()]).truth() == Some(true) {
                    cases.push(circuit.and(&[*bit, *there]));
                }
            }
        }
        if !self.bits.is_empty() && !other.bits.is_empty() {
            let width = self.bits.len().max(other.bits.len());
            let mut parts = vec![self.integer, other.integer];
            for index in 0..width {
                parts.push(circuit.iff(sign_extended(&self.bits, index), sign_extended(&other.bits, index)));
            }
            cases.push(circuit.and(&parts));
        }
        circuit.or(&cases)
    }

    /// When it equals a constant, as conditions compare: an integer is truncated to this value's width.
    pub fn is_value(&self, value: &Value, circuit: &mut Circuit) -> Bit {
        match value {
            Value::Undefined => self.undefined,
            Value::Pointer(_) | Value::Composite(..) => self.is_atom(value),
            Value::Int(int) => {
                let mut parts = vec![self.integer];
                let word = int.signed();
                for (index, &bit) in self.bits.iter().enumerate() {
                    parts.push(if word >> index & 1 == 1 { bit } else { !bit });
                }
                if self.bits.is_empty() { Bit::FALSE } else { circuit.and(&parts) }
            }
        }
    }

    fn truth_value(bit: Bit, defined: Bit, circuit: &mut Circuit) -> Symbolic {
        let mut bits = vec![Bit::FALSE; 32];
        bits[0] = circuit.and(&[bit, defined]);
        Symbolic { integer: defined, bits, atoms: Vec::new(), undefined: !defined }
    }

    fn number(bits: Vec<Bit>, defined: Bit) -> Symbolic {
        Symbolic { integer: defined, bits, atoms: Vec::new(), undefined: !defined }
    }
}

/// When, of two operands, one is a pointer and the other a number that may be an address: what cannot be meant.
pub fn pointer_against_number(operands: &[Symbolic], circuit: &mut Circuit) -> Bit {
    let [a, b] = operands else { return Bit::FALSE };
    let mut mixed = |pointer: &Symbolic, number: &Symbolic| {
        let is_pointer = pointer.is_any_pointer(circuit);
        let bits = |range: std::ops::Range<usize>| number.bits.get(range.start..range.end.min(number.bits.len()));
        let above = circuit.or(bits(12..47).unwrap_or_default());
        let beyond = circuit.or(bits(47..64).unwrap_or_default());
        circuit.and(&[is_pointer, number.integer, above, !beyond])
    };
    let cases = [mixed(a, b), mixed(b, a)];
    circuit.or(&cases)
}

fn constant_bits(int: Int) -> Vec<Bit> {
    (0..int.width()).map(|bit| Bit::constant(int.unsigned() >> bit & 1 == 1)).collect()
}

fn sign_extended(bits: &[Bit], index: usize) -> Bit {
    bits[index.min(bits.len() - 1)]
}

/// What the operator gives.
pub fn apply(operator: &Operator, operands: &[Symbolic], circuit: &mut Circuit) -> Result<Symbolic, String> {
    let constants: Option<Vec<Value>> = operands.iter().map(Symbolic::as_constant).collect();
    if let Some(constants) = constants {
        return Ok(Symbolic::constant(&operator.apply(&constants)));
    }
    match (operator, operands) {
        (Operator::Copy | Operator::Defined, [a]) => Ok(a.clone()),
        (Operator::IsDefined, [a]) => {
            let undefined = a.is_incomparable(circuit);
            Ok(Symbolic::truth_value(!undefined, Bit::TRUE, circuit))
        }
        (Operator::Select, [condition, a, b]) => {
            let when = condition.truth(circuit);
            let selected = Symbolic::select(when, a, b, circuit)?;
            let undefined = Symbolic::undefined();
            let decides = condition.has_truth(circuit);
            Symbolic::select(decides, &selected, &undefined, circuit)
        }
        (Operator::IsFalse, [a]) => {
            let (truth, decides) = (a.truth(circuit), a.has_truth(circuit));
            Ok(Symbolic::truth_value(!truth, decides, circuit))
        }
        (Operator::Eq | Operator::Ne, [a, b]) => {
            let equal = a.equal(b, circuit);
            let (undefined, other) = (a.is_incomparable(circuit), b.is_incomparable(circuit));
            let defined = circuit.and(&[!undefined, !other]);
            let bit = if *operator == Operator::Eq { equal } else { !equal };
            Ok(Symbolic::truth_value(bit, defined, circuit))
        }
        (Operator::Resize { width, signed }, [a]) => {
            let fill = if *signed { a.bits.last().copied().unwrap_or(Bit::FALSE) } else { Bit::FALSE };
            let bits = (0..usize::from(*width)).map(|index| a.bits.get(index).copied().unwrap_or(fill)).collect();
            let mut result = Symbolic::number(bits, a.integer);
            for (pointer, when) in a.pointers() {
                let case = Symbolic::constant(&operator.apply(&[Value::Pointer(pointer.clone())]));
                result = Symbolic::select(when, &case, &result, circuit)?;
            }
            Ok(result)
        }
        (Operator::Not, [a]) => Ok(Symbolic::number(a.bits.iter().map(|&bit| !bit).collect(), a.integer)),
        (Operator::Neg, [a]) => {
            let zero = vec![Bit::FALSE; a.bits.len()];
            Ok(Symbolic::number(subtract(&zero, &a.bits, circuit).0, a.integer))
        }
        (Operator::Distance | Operator::Base | Operator::LastOffset, _) => by_cases(operator, operands, circuit),
        _ if operator.is_index() => by_cases(operator, operands, circuit),
        (Operator::Make(..) | Operator::Get(..) | Operator::Set(..), _) => by_cases(operator, operands, circuit),
        (_, [a, b]) if is_on_addresses(operator, a, b) => on_addresses(operator, a, b, circuit),
        (Operator::Shl | Operator::ShrUnsigned | Operator::ShrSigned, [a, b]) => {
            let defined = circuit.and(&[a.integer, b.integer]);
            Ok(Symbolic::number(shift(operator, &a.bits, &b.bits, circuit), defined))
        }
        _ if is_float(operator) => Err("floating-point arithmetic in this engine".into()),
        (_, [a, b]) => binary(operator, a, b, circuit),
        _ => Err(format!("the operator {operator:?} with {} operands", operands.len())),
    }
}

/// An operator on pointers as on the integers that they are: on each pointer by cases, on integers as usual.
fn on_addresses(operator: &Operator, a: &Symbolic, b: &Symbolic, circuit: &mut Circuit) -> Result<Symbolic, String> {
    let integers = |value: &Symbolic| Symbolic { atoms: Vec::new(), ..value.clone() };
    let mut result = apply(operator, &[integers(a), integers(b)], circuit)?;
    let mut combined: Vec<([Value; 2], Bit)> = Vec::new();
    for (pointer, when) in a.pointers() {
        for (value, here) in cases(b, circuit)? {
            combined.push(([Value::Pointer(pointer.clone()), value], circuit.and(&[when, here])));
        }
    }
    for (pointer, when) in b.pointers() {
        for (value, here) in cases(&integers(a), circuit)? {
            combined.push(([value, Value::Pointer(pointer.clone())], circuit.and(&[when, here])));
        }
    }
    for (values, when) in combined {
        let case = Symbolic::constant(&operator.apply(&values));
        result = Symbolic::select(when, &case, &result, circuit)?;
    }
    Ok(result)
}

/// Whether it computes with pointers as with the integers that they are.
fn is_on_addresses(operator: &Operator, a: &Symbolic, b: &Symbolic) -> bool {
    use Operator::*;
    let has_pointers = |value: &Symbolic| value.pointers().next().is_some();
    matches!(operator, Add | Sub | And | Or | Xor | ShrUnsigned | LtUnsigned | LeUnsigned | LtSigned | LeSigned)
        && (has_pointers(a) || has_pointers(b))
}

/// Whether it computes with floating-point numbers, for which there are no circuits.
fn is_float(operator: &Operator) -> bool {
    use Operator::*;
    matches!(operator, FloatAdd | FloatSub | FloatMul | FloatDiv | FloatRem | FloatEq | FloatLt | FloatLe)
        || matches!(operator, IntToFloat32 | IntToFloat64 | FloatToInt32 | FloatToInt64 | FloatTo32 | FloatTo64)
}

/// Operators on two integers of equal width.
fn binary(operator: &Operator, a: &Symbolic, b: &Symbolic, circuit: &mut Circuit) -> Result<Symbolic, String> {
    if a.bits.len() != b.bits.len() || a.bits.is_empty() {
        return Ok(Symbolic::number(Vec::new(), Bit::FALSE));
    }
    let defined = circuit.and(&[a.integer, b.integer]);
    let mut bitwise = |gate: fn(&mut Circuit, Bit, Bit) -> Bit| -> Vec<Bit> {
        a.bits.iter().zip(&b.bits).map(|(&x, &y)| gate(circuit, x, y)).collect()
    };
    let bits = match operator {
        Operator::And => bitwise(|circuit, x, y| circuit.and(&[x, y])),
        Operator::Or => bitwise(|circuit, x, y| circuit.or(&[x, y])),
        Operator::Xor => bitwise(|circuit, x, y| !circuit.iff(x, y)),
        Operator::Add => add(&a.bits, &b.bits, Bit::FALSE, circuit).0,
        Operator::Sub => subtract(&a.bits, &b.bits, circuit).0,
        Operator::Mul => multiply(&a.bits, &b.bits, circuit),
        Operator::LtUnsigned | Operator::LeUnsigned | Operator::LtSigned | Operator::LeSigned => {
            let bit = compare(operator, &a.bits, &b.bits, circuit);
            return Ok(Symbolic::truth_value(bit, defined, circuit));
        }
        Operator::DivUnsigned | Operator::RemUnsigned | Operator::DivSigned | Operator::RemSigned => {
            let nonzero = circuit.or(&b.bits);
            let defined = circuit.and(&[defined, nonzero]);
            return Ok(Symbolic::number(divide(operator, &a.bits, &b.bits, circuit), defined));
        }
        other => return Err(format!("the operator {other:?} in this engine")),
    };
    Ok(Symbolic::number(bits, defined))
}

/// When what an operator on signed integers gives fits in their width, where the operands are integers. `result` is what it gives
/// modulo two to the power of it.
pub fn fits(operator: &Operator, operands: &[Symbolic], result: &Symbolic, circuit: &mut Circuit) -> Bit {
    let sign = |value: &Symbolic| value.bits.last().copied().unwrap_or(Bit::FALSE);
    let integers: Vec<Bit> = operands.iter().map(|operand| operand.integer).collect();
    let leaves = match (operator, operands) {
        (Operator::NegSigned, [a]) => circuit.and(&[sign(a), sign(result)]),
        (Operator::AddSigned, [a, b]) => {
            let (alike, turned) = (circuit.iff(sign(a), sign(b)), !circuit.iff(sign(a), sign(result)));
            circuit.and(&[alike, turned])
        }
        (Operator::SubSigned, [a, b]) => {
            let (differ, turned) = (!circuit.iff(sign(a), sign(b)), !circuit.iff(sign(a), sign(result)));
            circuit.and(&[differ, turned])
        }
        (Operator::MulSigned, [a, b]) if significant(&a.bits) + significant(&b.bits) > a.bits.len() => {
            let width = a.bits.len();
            let wide = |bits: &[Bit]| (0..2 * width).map(|index| sign_extended(bits, index)).collect::<Vec<Bit>>();
            let product = match a.bits.is_empty() || b.bits.is_empty() {
                true => Vec::new(),
                false => multiply(&wide(&a.bits), &wide(&b.bits), circuit),
            };
            let top: Vec<Bit> = product.iter().skip(width).map(|&bit| !circuit.iff(bit, product[width - 1])).collect();
            circuit.or(&top)
        }
        // Neither the sign nor a bit that is lost is set.
        (Operator::ShlSigned, [a, b]) => {
            let back = shift(&Operator::ShrUnsigned, &result.bits, &b.bits, circuit);
            let changed: Vec<Bit> = a.bits.iter().zip(&back).map(|(&x, &y)| !circuit.iff(x, y)).collect();
            let changed = circuit.or(&changed);
            circuit.or(&[changed, sign(a), sign(result)])
        }
        _ => Bit::FALSE,
    };
    let there = circuit.and(&integers);
    !circuit.and(&[there, leaves])
}

/// How many bits, with that of the sign, a signed integer needs as far as is known.
fn significant(bits: &[Bit]) -> usize {
    let sign = bits.last();
    bits.len() - bits.iter().rev().skip(1).take_while(|bit| Some(*bit) == sign).count()
}

/// Sum and carry.
fn add(a: &[Bit], b: &[Bit], carry: Bit, circuit: &mut Circuit) -> (Vec<Bit>, Bit) {
    let mut carry = carry;
    let mut sum = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let differ = !circuit.iff(x, y);
        sum.push(!circuit.iff(differ, carry));
        let both = circuit.and(&[x, y]);
        let passed = circuit.and(&[differ, carry]);
        carry = circuit.or(&[both, passed]);
    }
    (sum, carry)
}

/// Difference, and whether nothing was borrowed.
fn subtract(a: &[Bit], b: &[Bit], circuit: &mut Circuit) -> (Vec<Bit>, Bit) {
    let complement: Vec<Bit> = b.iter().map(|&bit| !bit).collect();
    add(a, &complement, Bit::TRUE, circuit)
}

fn multiply(a: &[Bit], b: &[Bit], circuit: &mut Circuit) -> Vec<Bit> {
    let mut sum = vec![Bit::FALSE; a.len()];
    for (index, &bit) in b.iter().enumerate().filter(|&(_, &bit)| bit != Bit::FALSE) {
        let mut row = vec![Bit::FALSE; index];
        row.extend(a[..a.len() - index].iter().map(|&x| circuit.and(&[x, bit])));
        sum = add(&sum, &row, Bit::FALSE, circuit).0;
    }
    sum
}

fn compare(operator: &Operator, a: &[Bit], b: &[Bit], circuit: &mut Circuit) -> Bit {
    // Signed numbers compare like unsigned ones with the sign bit turned over.
    let signed = matches!(operator, Operator::LtSigned | Operator::LeSigned);
    let turn = |bits: &[Bit]| {
        let mut bits = bits.to_vec();
        if let (true, Some(sign)) = (signed, bits.last_mut()) {
            *sign = !*sign;
        }
        bits
    };
    let (a, b) = (turn(a), turn(b));
    match operator {
        Operator::LtSigned | Operator::LtUnsigned => !subtract(&a, &b, circuit).1,
        _ => subtract(&b, &a, circuit).1,
    }
}

fn shift(operator: &Operator, a: &[Bit], amount: &[Bit], circuit: &mut Circuit) -> Vec<Bit> {
    let width = a.len();
    let fill = match operator {
        Operator::ShrSigned => a.last().copied().unwrap_or(Bit::FALSE),
        _ => Bit::FALSE,
    };
    let mut bits = a.to_vec();
    for (stage, &bit) in amount.iter().enumerate() {
        let distance = 1usize.checked_shl(stage as u32).filter(|&d| d < width).unwrap_or(width);
        let moved: Vec<Bit> = (0..width)
            .map(|index| match operator {
                Operator::Shl => index.checked_sub(distance).map_or(fill, |from| bits[from]),
                _ => bits.get(index + distance).copied().unwrap_or(fill),
            })
            .collect();
        bits = bits.iter().zip(&moved).map(|(&stay, &go)| circuit.ite(bit, go, stay)).collect();
    }
    bits
}

/// The bits of an unknown one of these integers.
fn bits_of(integers: &[Int], width: u8, circuit: &mut Circuit) -> Vec<Bit> {
    let column = |index: u8| -> Vec<bool> { integers.iter().map(|int| int.unsigned() >> index & 1 == 1).collect() };
    let mut bits: Vec<Bit> = Vec::new();
    for index in 0..width {
        let here = column(index);
        let first = here.first().copied().unwrap_or(false);
        bits.push(match bits.last() {
            _ if here.iter().all(|&bit| bit == first) => Bit::constant(first),
            Some(&before) if column(index - 1) == here => before,
            _ => circuit.fresh(),
        });
    }
    bits
}

/// How many bits the remainder of a division by this needs, if it is constant.
fn remainder_bits(divisor: &[Bit]) -> Option<usize> {
    let constant = divisor.iter().all(|bit| bit.is_constant());
    let word = divisor.iter().enumerate().fold(0u64, |word, (i, &bit)| word | u64::from(bit == Bit::TRUE) << i);
    constant.then(|| 64 - word.saturating_sub(1).leading_zeros() as usize)
}

/// Restoring division; the quotient or remainder, by the operator. The divisor must not be zero.
fn divide(operator: &Operator, a: &[Bit], b: &[Bit], circuit: &mut Circuit) -> Vec<Bit> {
    let signed = matches!(operator, Operator::DivSigned | Operator::RemSigned);
    let negative = |bits: &[Bit]| if signed { bits.last().copied().unwrap_or(Bit::FALSE) } else { Bit::FALSE };
    let (sign_a, sign_b) = (negative(a), negative(b));
    let (dividend, divisor) = (negate_if(sign_a, a, circuit), negate_if(sign_b, b, circuit));
    let width = a.len();
    let most = remainder_bits(&divisor).unwrap_or(width);
    let mut remainder = vec![Bit::FALSE; width + 1];
    let mut quotient = vec![Bit::FALSE; width];
    let mut wide = divisor;
    wide.push(Bit::FALSE);
    for index in (0..width).rev() {
        remainder.pop();
        remainder.insert(0, dividend[index]);
        let (difference, fits) = subtract(&remainder, &wide, circuit);
        remainder = remainder.iter().zip(&difference).map(|(&stay, &less)| circuit.ite(fits, less, stay)).collect();
        // It is less than the divisor.
        remainder.iter_mut().skip(most).for_each(|bit| *bit = Bit::FALSE);
        quotient[index] = fits;
    }
    remainder.pop();
    match operator {
        Operator::DivUnsigned => quotient,
        Operator::RemUnsigned => remainder,
        Operator::DivSigned => {
            let differ = !circuit.iff(sign_a, sign_b);
            negate_if(differ, &quotient, circuit)
        }
        _ => negate_if(sign_a, &remainder, circuit),
    }
}

fn negate_if(when: Bit, bits: &[Bit], circuit: &mut Circuit) -> Vec<Bit> {
    if when == Bit::FALSE {
        return bits.to_vec();
    }
    let zero = vec![Bit::FALSE; bits.len()];
    let negated = subtract(&zero, bits, circuit).0;
    bits.iter().zip(&negated).map(|(&stay, &turned)| circuit.ite(when, turned, stay)).collect()
}

/// Operators on pointers and packed words: for each value that the operands may be.
fn by_cases(operator: &Operator, operands: &[Symbolic], circuit: &mut Circuit) -> Result<Symbolic, String> {
    let mut result = Symbolic::number(Vec::new(), Bit::FALSE);
    let cases: Vec<Vec<(Value, Bit)>> = match operands {
        [pointer, index] if is_open_index(operator, index) => {
            vec![cases(pointer, circuit)?, cases_of_index(operator, index, circuit)]
        }
        _ => operands.iter().map(|operand| cases(operand, circuit)).collect::<Result<_, _>>()?,
    };
    let mut combinations: Vec<(Vec<Value>, Bit)> = vec![(Vec::new(), Bit::TRUE)];
    for operand in &cases {
        let mut longer = Vec::new();
        for (values, when) in &combinations {
            for (value, here) in operand {
                let mut values = values.clone();
                values.push(value.clone());
                longer.push((values, circuit.and(&[*when, *here])));
            }
        }
        combinations = longer;
        if combinations.len() > 4096 {
            return Err("pointer arithmetic with too many cases".into());
        }
    }
    for (values, when) in combinations {
        let case = Symbolic::constant(&operator.apply(&values));
        result = Symbolic::select(when, &case, &result, circuit)?;
    }
    Ok(result)
}

/// Whether an operator computes a pointer from a number that may have too many values to try all.
fn is_open_index(operator: &Operator, index: &Symbolic) -> bool {
    operator.is_index() && index.integer != Bit::FALSE && undecided(index).len() > MOST_UNDECIDED
}

/// The values of an index that are tried, with when; any other counts as undefined.
fn cases_of_index(operator: &Operator, index: &Symbolic, circuit: &mut Circuit) -> Vec<(Value, Bit)> {
    let width = index.bits.len() as u8;
    let mut result: Vec<(Value, Bit)> = index.atoms.clone();
    for value in indexes(operator).map(|number| Value::int(number, width)) {
        let when = index.is_value(&value, circuit);
        result.push((value, when));
    }
    let known: Vec<Bit> = result.iter().map(|&(_, when)| when).collect();
    let known = circuit.or(&known);
    result.push((Value::Undefined, !known));
    result.retain(|&(_, when)| when != Bit::FALSE);
    result
}

/// When a pointer is computed from a number that is not among those that are tried.
pub fn outside(operator: &Operator, operands: &[Symbolic], circuit: &mut Circuit) -> Bit {
    match operands {
        [_, index] if is_open_index(operator, index) && !tries_all(operator) => {
            let cases = indexes(operator).map(|number| Value::int(number, index.bits.len() as u8));
            let tried: Vec<Bit> = cases.map(|value| index.is_value(&value, circuit)).collect();
            let tried = circuit.or(&tried);
            circuit.and(&[index.integer, !tried])
        }
        _ => Bit::FALSE,
    }
}

/// The bits of a number that are not decided: several may be one, or one the opposite of another.
fn undecided(value: &Symbolic) -> Vec<Bit> {
    let mut undecided: Vec<Bit> = Vec::new();
    for &bit in value.bits.iter().filter(|bit| !bit.is_constant()) {
        if !undecided.contains(&bit) && !undecided.contains(&!bit) {
            undecided.push(bit);
        }
    }
    undecided
}

/// All values of integers are tried up to so many undecided bits.
const MOST_UNDECIDED: usize = 8;

/// All values that a symbolic value may have, with when; integers only up to eight undecided bits.
fn cases(value: &Symbolic, circuit: &mut Circuit) -> Result<Vec<(Value, Bit)>, String> {
    let mut result: Vec<(Value, Bit)> = vec![(Value::Undefined, value.undefined)];
    result.extend(value.atoms.iter().cloned());
    if value.integer != Bit::FALSE {
        let undecided = undecided(value);
        if undecided.len() > MOST_UNDECIDED {
            return Err("pointer arithmetic with an unbounded number".into());
        }
        for choice in 0..1u64 << undecided.len() {
            let chosen = |bit: Bit| match undecided.iter().position(|&other| other == bit || other == !bit) {
                Some(position) => (choice >> position & 1 == 1) == (undecided[position] == bit),
                None => bit == Bit::TRUE,
            };
            let word = (0..value.bits.len()).fold(0u64, |word, i| word | u64::from(chosen(value.bits[i])) << i);
            let mut parts: Vec<Bit> =
                undecided.iter().enumerate().map(|(i, &bit)| if choice >> i & 1 == 1 { bit } else { !bit }).collect();
            parts.push(value.integer);
            result.push((Value::int(word as i64, value.bits.len() as u8), circuit.and(&parts)));
        }
    }
    result.retain(|&(_, when)| when != Bit::FALSE);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sat::{Answer, Budget};

    /// A small generator of numbers (xorshift).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }

        fn below(&mut self, limit: u64) -> u64 {
            (self.next() >> 11) % limit
        }
    }

    fn operators() -> Vec<Operator> {
        let plain = "copy not neg add sub mul sdiv udiv srem urem and or xor shl ushr sshr eq ne slt sle ult ule is_false \
                     select offset advance distance base last_offset";
        let plain = plain.split_whitespace().map(|name| Operator::named(name).expect("an operator"));
        let plain =
            plain.chain([Operator::Step(1), Operator::Step(12), Operator::Element { size: 4, count: 3, past: false }]);
        let widths = [1, 7, 8, 32, 33, 64];
        let resize = widths.iter().flat_map(|&width| [true, false].map(|signed| Operator::Resize { width, signed }));
        let tag = || "Mark".into();
        let packed =
            [Operator::Make(tag(), 2), Operator::Get(tag(), 0), Operator::Get(tag(), 1), Operator::Set(tag(), 1)];
        plain.chain(resize).chain(packed).collect()
    }

    fn integer(random: &mut Random, width: u8) -> Value {
        let word = match random.below(6) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << (width - 1),
            3 => (1 << (width - 1)) - 1,
            4 => random.below(9),
            _ => random.next(),
        };
        Value::int(word as i64, width)
    }

    fn pointer(random: &mut Random) -> Pointer {
        let path = (0..random.below(3)).map(|_| random.below(3) as i64 - 1).collect();
        Pointer { allocation: random.below(2) as u32, path }
    }

    /// A pointer, or a packed word of two fields.
    fn atom(random: &mut Random) -> Value {
        match random.below(3) {
            0 => {
                let field = |random: &mut Random| match random.below(4) {
                    0 => Value::Undefined,
                    1 => Value::Pointer(pointer(random)),
                    _ => Value::int(random.below(2) as i64, 32),
                };
                Value::Composite("Mark".into(), vec![field(random), field(random)])
            }
            _ => Value::Pointer(pointer(random)),
        }
    }

    fn value(random: &mut Random, width: u8) -> Value {
        match random.below(8) {
            0 => Value::Undefined,
            1 => atom(random),
            2 => {
                let width = 1 + random.below(64) as u8;
                integer(random, width)
            }
            _ => integer(random, width),
        }
    }

    /// Operands that suit the operator more often than not.
    fn operands(random: &mut Random, operator: &Operator, width: u8) -> Vec<Value> {
        let on_pointers = matches!(
            operator,
            Operator::Offset
                | Operator::Advance
                | Operator::Step(_)
                | Operator::Element { .. }
                | Operator::Distance
                | Operator::Base
                | Operator::LastOffset
        );
        let mut values: Vec<Value> = (0..operator.arity()).map(|_| value(random, width)).collect();
        if on_pointers && random.below(4) > 0 {
            values[0] = Value::Pointer(pointer(random));
            if *operator == Operator::Distance {
                values[1] = Value::Pointer(pointer(random));
            }
        }
        values
    }

    /// The value as signals that could be other values too, and assumptions that make them this one.
    fn open(value: &Value, random: &mut Random, circuit: &mut Circuit, fixed: &mut Vec<Bit>) -> Symbolic {
        let width = match value {
            Value::Int(int) => int.width(),
            _ => random.below(9) as u8,
        };
        let mut atoms: Vec<Value> = (0..random.below(3)).map(|_| atom(random)).collect();
        if let Value::Pointer(_) | Value::Composite(..) = value {
            atoms.push(value.clone());
        }
        atoms.sort();
        atoms.dedup();
        let symbolic = Symbolic {
            integer: if width > 0 { circuit.fresh() } else { Bit::FALSE },
            bits: (0..width).map(|_| circuit.fresh()).collect(),
            atoms: atoms.into_iter().map(|atom| (atom, circuit.fresh())).collect(),
            undefined: circuit.fresh(),
        };
        let mut fix = |bit: Bit, truth: bool| {
            if !bit.is_constant() {
                fixed.push(if truth { bit } else { !bit });
            }
        };
        fix(symbolic.integer, matches!(value, Value::Int(_)));
        fix(symbolic.undefined, *value == Value::Undefined);
        for (atom, bit) in &symbolic.atoms {
            fix(*bit, value == atom);
        }
        if let Value::Int(int) = value {
            symbolic.bits.iter().enumerate().for_each(|(index, &bit)| fix(bit, int.unsigned() >> index & 1 == 1));
        }
        symbolic
    }

    /// What is not modelled is refused; these reasons only.
    fn is_refusal(what: &str) -> bool {
        what.contains("different widths") || what.contains("unbounded number") || what.contains("too many cases")
    }

    #[test]
    fn a_remainder_by_a_constant_has_few_cases() {
        let mut circuit = Circuit::new();
        let any = ValueSet { values: Default::default(), any: Some(32) };
        let small = ValueSet { values: (-1..=6).map(|value| Value::int(value, 32)).collect(), any: None };
        for (set, divisor, most) in [(&any, 8, 16), (&any, 6, 16), (&small, 8, 16), (&any, 1, 1)] {
            let value = Symbolic::of_set(set, &mut circuit);
            let divisor = Symbolic::constant(&Value::int(divisor, 32));
            let rest = apply(&Operator::RemSigned, &[value, divisor], &mut circuit).expect("a remainder");
            let few = cases(&rest, &mut circuit).map(|cases| cases.len());
            assert!(few.as_ref().is_ok_and(|&few| few <= most), "{few:?}");
        }
    }

    #[test]
    fn symbolic_operators_compute_what_concrete_ones_do() {
        let mut random = Random(0x9e3779b97f4a7c15);
        let mut refused = 0;
        let mut applied = 0;
        for iteration in 0..testing::effort::programs::<usize>(6000) {
            let operators = operators();
            let operator = &operators[iteration % operators.len()];
            let slow = matches!(
                operator,
                Operator::Mul
                    | Operator::DivSigned
                    | Operator::DivUnsigned
                    | Operator::RemSigned
                    | Operator::RemUnsigned
            );
            let width = 1 + random.below(if slow { 16 } else { 64 }) as u8;
            let values = operands(&mut random, operator, width);
            let expected = operator.apply(&values);
            let mut circuit = Circuit::new();
            let mut fixed = Vec::new();
            let symbolic: Vec<Symbolic> = values
                .iter()
                .map(|value| match random.below(3) {
                    0 => Symbolic::constant(value),
                    _ => open(value, &mut random, &mut circuit, &mut fixed),
                })
                .collect();
            let text = format!("{operator} of {values:?} as {symbolic:?}");
            let result = match apply(operator, &symbolic, &mut circuit) {
                Ok(result) => result,
                Err(what) => {
                    assert!(is_refusal(&what), "{what}: {text}");
                    refused += 1;
                    continue;
                }
            };
            applied += 1;
            // A signal reaches the solver only when it is asked for.
            let kinds: Vec<Bit> =
                result.atoms.iter().map(|&(_, bit)| bit).chain([result.integer, result.undefined]).collect();
            let outside = outside(operator, &symbolic, &mut circuit);
            assert_eq!(circuit.solve(&fixed, &Budget::default()), Answer::Satisfiable, "{text}");
            let valuation = circuit.valuation();
            // An index that is not tried is told apart; nothing follows from its result.
            let expected = if valuation.get(outside) { Value::Undefined } else { expected };
            assert_eq!(kinds.iter().filter(|&&bit| valuation.get(bit)).count(), 1, "{text} gives {result:?}");
            assert_eq!(result.value(&valuation), expected, "{text}");
            let is = result.is_value(&expected, &mut circuit);
            fixed.push(!is);
            assert_eq!(
                circuit.solve(&fixed, &Budget::default()),
                Answer::Unsatisfiable,
                "{text} need not be {expected:?}"
            );
        }
        assert!(applied > 4 * refused, "{refused} refused, {applied} applied");
    }

    #[test]
    fn constant_operands_give_constant_results() {
        let mut random = Random(77);
        for iteration in 0..4000 {
            let operators = operators();
            let operator = &operators[iteration % operators.len()];
            let width = 1 + random.below(64) as u8;
            let values = operands(&mut random, operator, width);
            let symbolic: Vec<Symbolic> = values.iter().map(Symbolic::constant).collect();
            let result = apply(operator, &symbolic, &mut Circuit::new()).expect("constants");
            assert_eq!(result.as_constant(), Some(operator.apply(&values)), "{operator} of {values:?}");
        }
    }

    #[test]
    fn a_selection_is_the_one_or_the_other() {
        let mut random = Random(78);
        for _ in 0..500 {
            let width = 1 + random.below(64) as u8;
            let values = [value(&mut random, width), value(&mut random, width)];
            let mut circuit = Circuit::new();
            let mut fixed = Vec::new();
            let [first, second] = values.each_ref().map(|value| open(value, &mut random, &mut circuit, &mut fixed));
            let when = circuit.fresh();
            let Ok(selected) = Symbolic::select(when, &first, &second, &mut circuit) else { continue };
            for (choice, value) in [(when, &values[0]), (!when, &values[1])] {
                let mut assumptions = fixed.clone();
                assumptions.push(choice);
                assert_eq!(circuit.solve(&assumptions, &Budget::default()), Answer::Satisfiable);
                assert_eq!(selected.value(&circuit.valuation()), *value, "{values:?}");
            }
        }
    }
}
