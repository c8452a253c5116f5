//! What can be assigned, and the conversions on the way there.

use program::{Access, Diagnostic, InstructionKind, Operand, Operator, RegisterId, Unsupported, Value};

use super::lower::{Lowering, Variable};
use super::syntax::{Expression, ExpressionKind};
use super::typed::{Into, Typed, VOID};
use crate::litmus::types::Type;

/// What can be assigned.
pub(super) enum Place {
    /// A variable, with its type.
    Variable(RegisterId, Type),
    /// An address, and the type of what is there.
    Memory(Operand, Type),
}

impl Lowering<'_> {
    /// What an expression names, if it can be assigned.
    pub fn place(&mut self, expression: &Expression) -> Result<Place, Diagnostic> {
        match &expression.kind {
            ExpressionKind::Name(name) => match self.variable_or_closed(name, expression.span) {
                Some(Variable { home: Operand::Register(register), declared }) => {
                    Ok(Place::Variable(register, declared))
                }
                _ => Err(Diagnostic::error(format!("the variable `{name}` is not declared"), expression.span)),
            },
            ExpressionKind::Dereference(pointer) => {
                let pointer = self.pointer(pointer)?;
                Ok(Place::Memory(pointer.operand, pointer.declared.pointee()))
            }
            ExpressionKind::Index(pointer, index) => {
                let pointer = self.pointer(pointer)?;
                let index = self.value(index, None)?;
                let element = self.advance(pointer, index.operand, None);
                Ok(Place::Memory(element.operand, element.declared.pointee()))
            }
            _ => Err(Diagnostic::error("this cannot be assigned", expression.span)),
        }
    }

    /// A value that is used as a pointer.
    pub fn pointer(&mut self, expression: &Expression) -> Result<Typed, Diagnostic> {
        let value = self.value(expression, None)?;
        if value.declared.pointee() == VOID {
            return Err(Diagnostic::error("the type of what is pointed to is not known", expression.span));
        }
        if let Operand::Constant(Value::Int(_)) = value.operand {
            return Err(Diagnostic::error("this is not a pointer", expression.span));
        }
        if !value.declared.is_pointer() {
            self.messages.push(Diagnostic::warning("an integer is used as a pointer to `int`", expression.span));
        }
        Ok(value)
    }

    pub fn read(&mut self, place: &Place, into: Into) -> Typed {
        match place {
            Place::Variable(register, declared) => Typed { operand: Operand::Register(*register), declared: *declared },
            Place::Memory(address, declared) => {
                let target = self.target(into, *declared);
                let (address, access) = (address.clone(), access(Access::plain(), *declared));
                self.code.emit(InstructionKind::Load { target, address, access }, self.span);
                Typed { operand: Operand::Register(target), declared: *declared }
            }
        }
    }

    pub fn write(&mut self, place: &Place, value: Typed) -> Result<Typed, Diagnostic> {
        match place {
            Place::Variable(register, declared) => {
                let value = self.convert(value, *declared)?;
                self.code.assign(*register, Operator::Copy, vec![value], self.span);
                Ok(Typed { operand: Operand::Register(*register), declared: *declared })
            }
            Place::Memory(address, declared) => {
                let value = self.convert(value, *declared)?;
                let (address, access) = (address.clone(), access(Access::plain(), *declared));
                self.code.emit(InstructionKind::Store { address, value: value.clone(), access }, self.span);
                Ok(Typed { operand: value, declared: *declared })
            }
        }
    }

    /// `&a`.
    pub fn address(&mut self, inner: &Expression) -> Result<Typed, Diagnostic> {
        match &inner.kind {
            ExpressionKind::Dereference(_) | ExpressionKind::Index(..) => match self.place(inner)? {
                Place::Memory(operand, declared) => Ok(Typed { operand, declared: declared.pointer() }),
                Place::Variable(..) => Err(Diagnostic::error("this has no address", inner.span)),
            },
            ExpressionKind::Name(_) => {
                let what = "the address of a local variable, except as an expected value,";
                Err(Unsupported::new(what, Some(inner.span)).into())
            }
            _ => Err(Diagnostic::error("this has no address", inner.span)),
        }
    }

    /// The value as one of another type.
    pub fn convert(&mut self, value: Typed, to: Type) -> Result<Operand, Diagnostic> {
        let from = value.declared;
        if from.is_pointer() && to.is_pointer() {
            let (a, b) = (from.width, to.width);
            if from.stars == 1 && to.stars == 1 && a != b && a != 0 && b != 0 {
                let what = format!("access of {b} bits through a pointer to {a} bits");
                return Err(Unsupported::new(what, Some(self.span)).into());
            }
        }
        if to.boolean && from.is_pointer() {
            return Ok(self.truth_of(&value, to.width));
        }
        if from.same_values(to) || to == VOID {
            return Ok(value.operand);
        }
        if to.boolean {
            return Ok(self.truth_of(&value, to.width));
        }
        if let Operand::Constant(Value::Int(int)) = value.operand {
            let number = if from.signed { int.signed() } else { int.unsigned() as i64 };
            return Ok(Operand::Constant(Value::int(number, to.width)));
        }
        let operator = Operator::Resize { width: to.width, signed: from.signed };
        Ok(self.code.compute(operator, vec![value.operand], self.span))
    }

    /// 1 if the value is true, else 0, of `width` bits.
    pub fn truth_of(&mut self, value: &Typed, width: u8) -> Operand {
        let zero = Operand::Constant(Value::int(0, value.declared.width.max(1)));
        let truth = self.code.compute(Operator::Ne, vec![value.operand.clone(), zero], self.span);
        if width == 32 {
            return truth;
        }
        self.code.compute(Operator::Resize { width, signed: false }, vec![truth], self.span)
    }
}

/// An access of an object of that type.
pub(super) fn access(access: Access, declared: Type) -> Access {
    if declared.volatile && !declared.is_pointer() { access.tagged("V") } else { access }
}
