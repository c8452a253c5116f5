//! Plain `long` and `double` variables in two halves (Java language specification, 17.7).
//!
//! A write of such a variable may be two writes, of 32 bits each, and a read two reads. [`tear`] makes them so: a variable
//! has the low half in its cell 0 and the high half in its cell 1. The accesses that it splits are those tagged [`Access::WIDE`];
//! afterwards they are tagged [`Access::HALF`]. Volatile variables and those of library classes stay whole. The specification
//! only allows tearing, so both programs are right for what they look for: the one as it was read has fewer executions.

use std::sync::Arc;

use program::{
    Access, Function, Instruction, InstructionKind, Operand, Operator, Program, RegisterId, Span, Unsupported, Value,
};

/// The tag of an access of an element of an array whose type the code does not say.
pub(super) const ELEMENT: &str = "element";

const LOW: i64 = 0;
const HIGH: i64 = 1;

/// How the memory model sees the plain access of a variable that is so wide.
pub(super) fn wide(access: Access, width: u8) -> Access {
    let is_plain = access.order == program::Order::Plain && !access.has("volatile");
    if is_plain && width == 64 { access.tagged(Access::WIDE) } else { access }
}

/// The program with its plain `long` and `double` variables in halves.
pub fn tear(mut program: Program) -> Result<Program, Unsupported> {
    if program.looks_for_tearing() != Some(false) {
        return Ok(program);
    }
    let copies = accesses(&program).find(|(access, _)| access.has(ELEMENT));
    if let Some((_, span)) = copies {
        return Err(Unsupported::new("System.arraycopy with --tearing", span));
    }
    for global in &mut program.globals {
        let mut halves = Vec::new();
        for (path, value) in &global.cells {
            if let Value::Int(int) = value
                && int.width() == 64
            {
                let half = |number: i64, bits: u64| {
                    (path.iter().copied().chain([number]).collect(), Value::int(bits as i64, 64))
                };
                halves.push(half(LOW, int.unsigned() & 0xffff_ffff));
                halves.push(half(HIGH, int.unsigned() >> 32));
            }
        }
        global.cells.extend(halves);
        global.cells.sort_by(|a, b| a.0.cmp(&b.0));
    }
    program.functions.iter_mut().for_each(tear_function);
    Ok(program)
}

fn accesses(program: &Program) -> impl Iterator<Item = (&Access, Option<Span>)> {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    blocks.flat_map(|block| &block.instructions).filter_map(|instruction| match &instruction.kind {
        InstructionKind::Load { access, .. } | InstructionKind::Store { access, .. } => {
            Some((access, instruction.span))
        }
        _ => None,
    })
}

fn tear_function(function: &mut Function) {
    let mut blocks = std::mem::take(&mut function.blocks);
    for block in &mut blocks {
        let old = std::mem::take(&mut block.instructions);
        let mut torn = Torn { registers: &mut function.registers, code: Vec::with_capacity(old.len()), span: None };
        for instruction in old {
            torn.span = instruction.span;
            match instruction.kind {
                InstructionKind::Load { target, address, access } if access.has(Access::WIDE) => {
                    torn.load(target, &address, &of_half(access));
                }
                InstructionKind::Store { address, value, access } if access.has(Access::WIDE) => {
                    torn.store(&address, &value, &of_half(access));
                }
                InstructionKind::Freeze { address } => torn.freeze(address),
                kind => torn.emit(kind),
            }
        }
        block.instructions = torn.code;
    }
    function.blocks = blocks;
}

/// The access of one half, as the model sees it.
fn of_half(mut access: Access) -> Access {
    access.tags.iter_mut().filter(|tag| &***tag == Access::WIDE).for_each(|tag| *tag = Arc::from(Access::HALF));
    access
}

/// The code of a block while it is written.
struct Torn<'f> {
    registers: &'f mut Vec<String>,
    code: Vec<Instruction>,
    span: Option<Span>,
}

impl Torn<'_> {
    fn emit(&mut self, kind: InstructionKind) {
        self.code.push(Instruction { kind, span: self.span });
    }

    fn register(&mut self) -> RegisterId {
        let number = self.registers.len();
        self.registers.push(format!("_half{number}"));
        RegisterId(number as u32)
    }

    fn compute(&mut self, operator: Operator, operands: Vec<Operand>) -> Operand {
        let target = self.register();
        self.emit(InstructionKind::Assign { target, operator, operands });
        Operand::Register(target)
    }

    fn half(&mut self, address: &Operand, half: i64) -> Operand {
        if let Operand::Constant(Value::Pointer(pointer)) = address {
            let mut pointer = pointer.clone();
            pointer.path.push(half);
            return Operand::Constant(Value::Pointer(pointer));
        }
        self.compute(Operator::Offset, vec![address.clone(), Operand::Constant(Value::int(half, 32))])
    }

    fn load(&mut self, target: RegisterId, address: &Operand, access: &Access) {
        let [low, high] = [LOW, HIGH].map(|half| {
            let address = self.half(address, half);
            let read = self.register();
            self.emit(InstructionKind::Load { target: read, address, access: access.clone() });
            // Cells of objects begin as 0 of 32 bits.
            self.compute(Operator::Resize { width: 64, signed: false }, vec![Operand::Register(read)])
        });
        let high = self.compute(Operator::Shl, vec![high, Operand::Constant(Value::int(32, 32))]);
        self.emit(InstructionKind::Assign { target, operator: Operator::Or, operands: vec![high, low] });
    }

    fn store(&mut self, address: &Operand, value: &Operand, access: &Access) {
        let low = self.compute(Operator::And, vec![value.clone(), Operand::Constant(Value::int(0xffff_ffff, 64))]);
        let high = self.compute(Operator::ShrUnsigned, vec![value.clone(), Operand::Constant(Value::int(32, 32))]);
        for (half, value) in [(LOW, low), (HIGH, high)] {
            let address = self.half(address, half);
            self.emit(InstructionKind::Store { address, value, access: access.clone() });
        }
    }

    /// What is frozen may be a field in halves.
    fn freeze(&mut self, address: Operand) {
        for half in [LOW, HIGH] {
            let address = self.half(&address, half);
            self.emit(InstructionKind::Freeze { address });
        }
        self.emit(InstructionKind::Freeze { address });
    }
}
