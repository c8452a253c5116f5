//! Atomic structs: an object of one cell, which holds a composite of the values of all members. It is read, written and compared as
//! a whole; a value of it is a struct as any other. Members of an atomic object cannot be accessed alone, so no access meets a part.
//!
//! What a compare-and-exchange does with bytes between members is not modelled: a struct that has such is refused.

use lang_c::ast::Expression;
use lang_c::span::Node;
use program::{Access, InstructionKind, Operand, Operator, Order, Terminator, Update, Value};

use super::atomics::Atomic;
use super::lower::{Bytes, Lowered, Lowering, Typed};
use super::place::Place;
use super::types::Type;

/// The most bytes that are accessed at once.
const LARGEST: u64 = 16;

impl Lowering<'_> {
    /// The scalar members of a struct that can be atomic, with where they start.
    fn packed_members(&self, of: &Type, at: Bytes) -> Lowered<Vec<(u64, Type)>> {
        let plain = of.unqualified();
        let size = self.records.size(&plain).map_or(0, |(size, _)| size);
        let mut members = Vec::new();
        for (path, part) in self.cells(&plain, at)? {
            members.push((self.records.byte(&plain, &path).unwrap_or(0), part));
        }
        let held: u64 = members.iter().filter_map(|(_, part)| part.width()).map(|width| u64::from(width) / 8).sum();
        let is_whole = held == size && members.iter().all(|(_, part)| part.is_scalar() && !part.atomic);
        if !is_whole || !size.is_power_of_two() || size > LARGEST || !of.is_record() {
            let note = "it has 1, 2, 4, 8 or 16 bytes, all of them in members";
            return Err(self.unsupported("this atomic struct or array", at).note(note));
        }
        Ok(members)
    }

    /// Refuses an atomic struct that cannot be one cell.
    pub fn check_atomic_struct(&self, of: &Type, at: Bytes) -> Lowered<()> {
        self.packed_members(of, at).map(|_| ())
    }

    /// The zero of a cell.
    pub fn zero_of(&self, of: &Type, at: Bytes) -> Lowered<Value> {
        if of.is_scalar() {
            return Ok(of.zero().unwrap_or(Value::Undefined));
        }
        let zeros = self.packed_members(of, at)?.iter().filter_map(|(_, part)| part.zero()).collect();
        Ok(Value::Composite(self.tag(of), zeros))
    }

    /// An initial value made of those of members, by where they start.
    pub fn initial_struct(&self, of: &Type, given: &[(u64, Value)], at: Bytes) -> Lowered<Value> {
        let members = self.packed_members(of, at)?;
        let value = |(start, part): &(u64, Type)| {
            let given = given.iter().rev().find(|(at, _)| at == start).map(|(_, value)| value.clone());
            given.or(part.zero()).unwrap_or(Value::Undefined)
        };
        Ok(Value::Composite(self.tag(of), members.iter().map(value).collect()))
    }

    fn tag(&self, of: &Type) -> std::sync::Arc<str> {
        self.records.name(of).into()
    }

    /// How an atomic struct is accessed.
    pub fn struct_access(&self, of: &Type, order: Order) -> Access {
        let size = self.records.size(of).and_then(|(size, _)| u8::try_from(size).ok());
        Access::ordered(order).of_bytes(size.unwrap_or(0))
    }

    /// Reads an atomic struct: a struct of its own.
    pub fn load_struct(&mut self, address: Operand, of: &Type, access: Access) -> Typed {
        let target = self.code.temporary();
        self.code.emit(InstructionKind::Load { target, address, access }, self.here);
        self.unpacked(Operand::Register(target), of)
    }

    /// A struct of the members of a composite.
    fn unpacked(&mut self, whole: Operand, of: &Type) -> Typed {
        let target = self.code.temporary();
        let plain = of.unqualified();
        let name = self.records.name(&plain);
        self.emit_value_block(target, &name, &plain);
        let at = Bytes::none();
        let address = Operand::Register(target);
        self.unpack_to(whole, of, &address, at);
        Typed { operand: address, of: plain }
    }

    fn unpack_to(&mut self, whole: Operand, of: &Type, to: &Operand, at: Bytes) {
        for (number, (start, part)) in self.packed_members(of, at).unwrap_or_default().into_iter().enumerate() {
            let get = Operator::Get(self.tag(of), number as u8);
            let operand = self.code.compute(get, vec![whole.clone()], self.here);
            let address = self.bytes_after(to.clone(), start);
            let access = Access::plain().of_bytes(part.width().unwrap_or(0) / 8);
            self.code.emit(InstructionKind::Store { address, value: operand, access }, self.here);
        }
    }

    /// The composite of the members of a struct.
    fn packed(&mut self, from: &Operand, of: &Type, at: Bytes) -> Lowered<Operand> {
        let mut values = Vec::new();
        for (start, part) in self.packed_members(of, at)? {
            let address = self.bytes_after(from.clone(), start);
            values.push(self.load(Place::Memory(address, part.unqualified())).operand);
        }
        let make = Operator::Make(self.tag(of), values.len() as u8);
        Ok(self.code.compute(make, values, self.here))
    }

    /// Writes a struct to an atomic one.
    pub fn store_struct(
        &mut self,
        address: Operand,
        of: &Type,
        value: &Typed,
        access: Access,
        at: Bytes,
    ) -> Lowered<()> {
        let value = self.packed(&value.operand, of, at)?;
        self.code.emit(InstructionKind::Store { address, value, access }, self.here);
        Ok(())
    }

    /// An atomic operation on an atomic struct.
    pub fn atomic_struct(
        &mut self,
        atomic: Atomic,
        (address, of): (Operand, Type),
        arguments: &[Node<Expression>],
        order: Order,
        at: Bytes,
    ) -> Lowered<Typed> {
        let access = self.struct_access(&of, order);
        match (atomic, arguments) {
            (Atomic::Load, _) => Ok(self.load_struct(address, &of, access)),
            (Atomic::Store | Atomic::Init, [_, value, ..]) => {
                let value = self.value(value)?;
                let value = self.convert(value, &of, at)?;
                let order = if atomic == Atomic::Init { Order::Plain } else { order };
                let access = self.struct_access(&of, order);
                self.store_struct(address, &of, &value, access, at)?;
                Ok(Typed::void())
            }
            (Atomic::Exchange, [_, value, ..]) => {
                let value = self.value(value)?;
                let value = self.convert(value, &of, at)?;
                let value = self.packed(&value.operand, &of, at)?;
                let target = self.code.temporary();
                let update = Update::Exchange(value);
                self.code.emit(InstructionKind::ReadModifyWrite { target, address, update, access }, self.here);
                Ok(self.unpacked(Operand::Register(target), &of))
            }
            _ => Err(self.unsupported("this operation on an atomic struct", at)),
        }
    }

    /// A compare-and-exchange of an atomic struct.
    pub fn compare_exchange_struct(
        &mut self,
        (address, of): (Operand, Type),
        arguments: &[Node<Expression>],
        weak: bool,
        (order, failure): (Order, Order),
        at: Bytes,
    ) -> Lowered<Typed> {
        let expected_at = self.value(&arguments[1])?.operand;
        let desired = self.value(&arguments[2])?;
        let desired = self.convert(desired, &of, at)?;
        let expected = self.packed(&expected_at, &of, at)?;
        let desired = self.packed(&desired.operand, &of, at)?;
        let access = self.struct_access(&of, order);
        let failure = self.struct_access(&of, failure);
        let (success, target) = (self.code.temporary(), self.code.temporary());
        let update = Update::CompareExchange { expected, desired, success, weak, failure };
        self.code.emit(InstructionKind::ReadModifyWrite { target, address, update, access }, self.here);
        let (failed, behind) = (self.code.block(None), self.code.block(None));
        let branch = self.branch_to(Operand::Register(success), behind, failed, Some(behind));
        self.code.end_and_go_on(branch, failed);
        self.unpack_to(Operand::Register(target), &of, &expected_at, at);
        self.code.end_and_go_on(Terminator::Jump(behind), behind);
        let flag = Typed { operand: Operand::Register(success), of: Type::int() };
        self.convert(flag, &Type::boolean(), at)
    }

    /// The atomic struct that a pointer points to, if it does.
    pub fn struct_at(&self, pointer: &Typed) -> Option<(Operand, Type)> {
        let of = pointer.of.pointee().filter(|of| of.is_record() && of.atomic)?;
        Some((pointer.operand.clone(), of.clone()))
    }
}
