//! Variable arguments. Who calls puts them into a block of slots of eight bytes, which integers fill, and passes its address as one
//! parameter more; a `va_list` is the address of the next slot. So no slot is accessed in parts, whatever the function asks for.

use lang_c::ast::{self, Expression};
use lang_c::span::Node;
use program::{Extent, InstructionKind, Operand, Operator, RegisterId, Storage, Value};

use super::lower::{Bytes, Lowered, Lowering, Typed};
use super::place::Place;
use super::types::Type;

/// The bytes of a slot.
const SLOT: u64 = 8;

impl Lowering<'_> {
    /// The block of what `...` stands for in a call.
    pub fn pack_arguments(&mut self, arguments: &[Node<Expression>]) -> Lowered<Operand> {
        let mut values = Vec::new();
        for argument in arguments {
            let value = self.value(argument)?;
            values.push(match value.of.as_integer() {
                Some(integer) => self.convert(value, &Type::integer(64, integer.signed), argument.span)?,
                None if value.of.as_float().is_some() => self.convert(value, &Type::float(64), argument.span)?,
                None => value,
            });
        }
        if values.is_empty() {
            return Ok(Operand::Constant(Value::int(0, 64)));
        }
        let target = self.code.temporary();
        let extent = Some(Extent::of(SLOT * values.len() as u64, 16, Storage::Static));
        let (default, name) = (Value::Undefined, "arguments".into());
        self.code.emit(InstructionKind::Allocate { target, default, name, reuse: false, extent }, self.here);
        for (number, (value, argument)) in values.into_iter().zip(arguments).enumerate() {
            if !value.of.is_scalar() {
                return Err(self.unsupported("a struct as one of variable arguments", argument.span));
            }
            let address = self.bytes_after(Operand::Register(target), SLOT * number as u64);
            self.store(&Place::Memory(address, value.of.clone()), value, argument.span)?;
        }
        Ok(Operand::Register(target))
    }

    /// The parameter of a function with variable arguments that is their block.
    pub fn declare_variadic(&mut self, variadic: bool) -> Option<RegisterId> {
        let block = variadic.then(|| self.code.register("arguments"));
        self.frame.variadic = block;
        block
    }

    /// `va_start`, `va_end` and `va_copy`; `None` for other names.
    pub fn variadic_call(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Option<Lowered<Typed>> {
        Some(match (name, arguments) {
            ("__builtin_va_start", [list, ..]) => self.start_list(list, at),
            ("__builtin_va_copy", [to, from]) => self.copy_list(to, from, at),
            ("__builtin_va_end", [list]) => self.value(list).map(|_| Typed::void()),
            _ => return None,
        })
    }

    fn start_list(&mut self, list: &Node<Expression>, at: Bytes) -> Lowered<Typed> {
        let Some(block) = self.frame.variadic else {
            return Err(self.error("`va_start` in a function without variable arguments", at));
        };
        let place = self.place(list)?;
        let value = Typed { operand: Operand::Register(block), of: Type::void().pointer() };
        self.store(&place, value, at).map(|_| Typed::void())
    }

    fn copy_list(&mut self, to: &Node<Expression>, from: &Node<Expression>, at: Bytes) -> Lowered<Typed> {
        let place = self.place(to)?;
        let value = self.value(from)?;
        self.store(&place, value, at).map(|_| Typed::void())
    }

    /// The next argument.
    pub fn next_argument(&mut self, argument: &ast::VaArgExpression, at: Bytes) -> Lowered<Typed> {
        let of = self.type_name(&argument.type_name)?;
        if !of.is_scalar() {
            return Err(self.unsupported("a struct as one of variable arguments", at));
        }
        let list = self.place(&argument.va_list)?;
        let here = self.load(list.clone());
        let held = of.as_integer().map_or(of.unqualified(), |integer| Type::integer(64, integer.signed));
        let value = self.load(Place::Memory(here.operand.clone(), held));
        let value = self.convert(value, &of.unqualified(), at)?;
        let one = Operand::Constant(Value::int(1, 64));
        let next = self.code.compute(Operator::Step(SLOT as u32), vec![here.operand, one], self.here);
        self.store(&list, Typed { operand: next, of: here.of }, at)?;
        Ok(value)
    }
}
