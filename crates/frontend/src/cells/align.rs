//! Atomic accesses that do not start at a multiple of their size, which C does not allow and machines do not make in one step.
//!
//! Blocks of memory start at multiples of 16, whatever their type says: only the distance from the start of the block counts here.
//! Plain accesses may start anywhere, as in packed objects.

use program::{
    AssertSort, Block, Instruction, InstructionKind, Operand, Operator, Order, Program, RegisterId, Update, Value,
};

use super::places::{Class, Values, gcd};

const MESSAGE: &str = "a misaligned atomic access";

/// Puts a check before atomic accesses that may be misaligned, and one that fails in the place of those that are.
pub(super) fn guard(program: &mut Program, values: &Values) {
    for (function, code) in program.functions.iter_mut().enumerate() {
        for Block { instructions, .. } in &mut code.blocks {
            let mut guarded = Vec::with_capacity(instructions.len());
            for instruction in std::mem::take(instructions) {
                let span = instruction.span;
                let kinds = match access(&instruction.kind) {
                    Some((address, bytes)) => {
                        let classes = values.of(function, address).places;
                        if classes.iter().all(|class| is_aligned(class, bytes)) {
                            vec![instruction.kind]
                        } else if classes.iter().any(|class| may_be_aligned(class, bytes)) {
                            let check = check(address, bytes, &mut code.registers);
                            check.into_iter().chain([instruction.kind]).collect()
                        } else {
                            failing(&instruction.kind)
                        }
                    }
                    None => vec![instruction.kind],
                };
                guarded.extend(kinds.into_iter().map(|kind| Instruction { kind, span }));
            }
            *instructions = guarded;
        }
    }
}

/// The address and the size of an atomic access.
fn access(kind: &InstructionKind) -> Option<(&Operand, i64)> {
    let (address, access, is_update) = match kind {
        InstructionKind::Load { address, access, .. } | InstructionKind::Store { address, access, .. } => {
            (address, access, false)
        }
        InstructionKind::ReadModifyWrite { address, access, .. } => (address, access, true),
        _ => return None,
    };
    let is_atomic = is_update || access.order != Order::Plain;
    (is_atomic && access.bytes > 1).then_some((address, i64::from(access.bytes)))
}

/// Whether all bytes of a class are multiples of the size.
fn is_aligned(class: &Class, bytes: i64) -> bool {
    class.modulus % bytes == 0 && class.residue % bytes == 0
}

/// Whether some byte of a class is a multiple of the size.
fn may_be_aligned(class: &Class, bytes: i64) -> bool {
    class.residue % gcd(class.modulus, bytes) == 0
}

/// Those bytes of a class that are multiples of the size: of an atomic access the others are an error. None, if there are none.
pub(super) fn aligned(class: Class, bytes: i64) -> Option<Class> {
    let common = gcd(class.modulus, bytes);
    let steps = (0..bytes / common.max(1)).map(|step| class.residue.checked_add(step.checked_mul(class.modulus)?));
    let residue = steps.flatten().find(|byte| byte % bytes == 0)?;
    let modulus = if class.modulus == 0 { 0 } else { (class.modulus / common).checked_mul(bytes)? };
    Some(Class { within: class.within, ..Class::new(class.site, residue, modulus) })
}

/// An error if an address is no multiple of the size.
fn check(address: &Operand, bytes: i64, registers: &mut Vec<String>) -> Vec<InstructionKind> {
    let mut compute = |operator: Operator, operands: Vec<Operand>| {
        registers.push("aligned".into());
        let target = RegisterId(registers.len() as u32 - 1);
        (InstructionKind::Assign { target, operator, operands }, Operand::Register(target))
    };
    let number = |value: i64| Operand::Constant(Value::int(value, 64));
    let (low, bits) = compute(Operator::And, vec![address.clone(), number(bytes - 1)]);
    let (test, fits) = compute(Operator::Eq, vec![bits, number(0)]);
    vec![low, test, InstructionKind::claim(AssertSort::Error, fits, MESSAGE)]
}

/// What stands in the place of an access that cannot be made.
fn failing(kind: &InstructionKind) -> Vec<InstructionKind> {
    let never = Operand::Constant(Value::int(0, 32));
    let mut code = vec![InstructionKind::claim(AssertSort::Error, never.clone(), MESSAGE)];
    let mut set = |target: RegisterId, value: Operand| {
        code.push(InstructionKind::Assign { target, operator: Operator::Copy, operands: vec![value] });
    };
    if let InstructionKind::ReadModifyWrite { update: Update::CompareExchange { success, .. }, .. } = kind {
        set(*success, never);
    }
    if let InstructionKind::Load { target, .. } | InstructionKind::ReadModifyWrite { target, .. } = kind {
        set(*target, Operand::Constant(Value::Undefined));
    }
    code
}
