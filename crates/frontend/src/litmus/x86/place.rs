//! Operands: how their values are read and written.

use program::{Access, Diagnostic, InstructionKind, Operand, Operator, RegisterId, Unsupported, Update, Value};

use super::instruction::{Base, Cell, Operand as Written};
use super::lower::Step;
use super::register::Register;
use crate::litmus::init::Constant;

impl Step<'_> {
    /// The value of an operand.
    pub fn value(&mut self, operand: &Written, width: u8) -> Result<Operand, Diagnostic> {
        match operand {
            Written::Register(register) => Ok(self.read(*register)),
            Written::Number(number) => Ok(Operand::Constant(Value::int(*number, width))),
            Written::Address(name) => self.address_of(name),
            Written::Memory(cell) => {
                let loaded = self.code.temporary();
                self.load(loaded, cell, width)?;
                Ok(Operand::Register(loaded))
            }
            Written::Label(..) => Err(Diagnostic::error("a label is not a value", self.span)),
        }
    }

    /// Writes a value to an operand.
    pub fn set(&mut self, operand: &Written, value: Operand, width: u8) -> Result<(), Diagnostic> {
        match operand {
            Written::Register(register) => self.write(*register, value),
            Written::Memory(cell) => {
                let address = self.address(cell, width)?;
                self.code.emit(InstructionKind::Store { address, value, access: Access::plain() }, self.span);
            }
            _ => return Err(Diagnostic::error("the target must be a register or a memory cell", self.span)),
        }
        Ok(())
    }

    /// The register that holds all bits.
    fn full(&mut self, register: Register) -> RegisterId {
        self.code.named_or(register.full_name(self.machine), Value::int(0, self.machine.word()))
    }

    pub fn read(&mut self, register: Register) -> Operand {
        let full = Operand::Register(self.full(register));
        if register.width == self.machine.word() {
            return full;
        }
        self.code.compute(Operator::Resize { width: register.width, signed: false }, vec![full], self.span)
    }

    pub fn write(&mut self, register: Register, value: Operand) {
        let full = self.full(register);
        let word = self.machine.word();
        let extend = Operator::Resize { width: word, signed: false };
        if register.width == word {
            return self.code.assign(full, Operator::Copy, vec![value], self.span);
        }
        if register.width == 32 {
            return self.code.assign(full, extend, vec![value], self.span);
        }
        let above = Operand::Constant(Value::int(-1 << register.width, word));
        let kept = self.code.compute(Operator::And, vec![Operand::Register(full), above], self.span);
        let value = self.code.compute(extend, vec![value], self.span);
        self.code.assign(full, Operator::Or, vec![kept, value], self.span);
    }

    /// A register to compute a value into; [`Step::complete`] then brings it where it belongs.
    pub fn target(&mut self, register: Register) -> RegisterId {
        if register.width == self.machine.word() { self.full(register) } else { self.code.temporary() }
    }

    pub fn complete(&mut self, register: Register, computed: RegisterId) {
        if register.width != self.machine.word() {
            self.write(register, Operand::Register(computed));
        }
    }

    pub fn load(&mut self, target: RegisterId, cell: &Cell, width: u8) -> Result<(), Diagnostic> {
        let address = self.address(cell, width)?;
        self.code.emit(InstructionKind::Load { target, address, access: Access::plain() }, self.span);
        Ok(())
    }

    pub fn read_modify_write(
        &mut self,
        target: RegisterId,
        cell: &Cell,
        update: Update,
        width: u8,
    ) -> Result<(), Diagnostic> {
        let address = self.address(cell, width)?;
        let access = Access::plain().tagged("X");
        self.code.emit(InstructionKind::ReadModifyWrite { target, address, update, access }, self.span);
        Ok(())
    }

    pub fn address_of(&mut self, name: &str) -> Result<Operand, Diagnostic> {
        self.memory
            .value(&Constant::Address(name.to_string(), 0), self.machine.word(), self.span)
            .map(Operand::Constant)
    }

    /// The address of a memory cell that is accessed with `width` bits.
    fn address(&mut self, cell: &Cell, width: u8) -> Result<Operand, Diagnostic> {
        let bytes = i64::from(width / 8);
        if cell.displacement % bytes != 0 || cell.index.is_some_and(|(_, scale)| scale != bytes) {
            return Err(Unsupported::new("an address between two elements", Some(self.span)).into());
        }
        let elements = cell.displacement / bytes;
        let start = match &cell.base {
            Base::Location(name) => {
                let id = self.memory.global(name);
                self.memory.access(id, width, self.span)?;
                Operand::Constant(Value::Pointer(self.memory.pointer(name, elements, self.span)?))
            }
            Base::Register(register) if register.width == self.machine.word() => {
                self.memory.access_anywhere(width, self.span)?;
                let start = self.read(*register);
                if elements == 0 {
                    start
                } else {
                    let elements = Operand::Constant(Value::int(elements, 64));
                    self.code.compute(Operator::Advance, vec![start, elements], self.span)
                }
            }
            Base::Register(_) => {
                return Err(Unsupported::new("an address in a part of a register", Some(self.span)).into());
            }
        };
        match cell.index {
            None => Ok(start),
            Some((index, _)) => {
                let index = self.read(index);
                Ok(self.code.compute(Operator::Advance, vec![start, index], self.span))
            }
        }
    }
}
