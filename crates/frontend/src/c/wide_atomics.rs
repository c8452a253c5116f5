//! GCC's generic atomic operations (`__atomic_load(p, to, order)` and its kin) on structs that are not declared atomic, and its
//! others on integers of 128 bits.
//!
//! A struct of a word is accessed as an integer of its size. One of two words is accessed member by member in one atomic step, with
//! full fences around it, as the instruction `cmpxchg16b` is, by which GCC's library does it. Models that do not speak of steps with
//! several cells refuse that.

use lang_c::ast::Expression;
use lang_c::span::Node;
use program::{Access, InstructionKind, Operand, Operator, Order, RegisterId, Value};

use super::atomics::Atomic;
use super::lower::{Bytes, Lowered, Lowering, Typed};
use super::place::Place;
use super::types::Type;

/// The most bytes that are accessed at once.
const LARGEST: u64 = 16;

/// A struct in memory, by its members.
struct Wide {
    /// Its address.
    address: Operand,
    /// Where each member starts, and its type.
    members: Vec<(u64, Type)>,
}

impl Lowering<'_> {
    /// What a pointer points to, as one number or pointer: a struct of a word is an integer of its size.
    pub fn word_at(&mut self, pointer: Typed, at: Bytes) -> Lowered<Place> {
        let of = pointer.of.pointee().filter(|of| of.is_record()).cloned();
        let size = of.as_ref().and_then(|of| self.records.size(of)).map(|(size, _)| size);
        let place = self.scalar_at(pointer.clone(), at)?;
        match size {
            Some(size @ (1 | 2 | 4 | 8)) if place.of().width().map(u64::from) != Some(8 * size) => {
                self.views.add();
                Ok(Place::Memory(pointer.operand, Type::integer(8 * size as u8, false)))
            }
            Some(size) if place.of().width().map(u64::from) != Some(8 * size) => {
                let what = format!("an atomic operation on a struct of {size} bytes");
                Err(self.unsupported(what, at))
            }
            _ => Ok(place),
        }
    }

    /// Whether a pointer is to a struct of two words that is not declared atomic.
    pub fn is_wide(&self, pointer: &Typed) -> bool {
        let of = pointer.of.pointee().filter(|of| of.is_record() && !of.atomic);
        of.and_then(|of| self.records.size(of)).is_some_and(|(size, _)| size == LARGEST)
    }

    /// An atomic operation on a struct of two words, whose other operands are behind pointers.
    pub fn wide_atomic(
        &mut self,
        atomic: Atomic,
        pointer: Typed,
        others: &[Node<Expression>],
        at: Bytes,
    ) -> Lowered<Typed> {
        let of = pointer.of.pointee().cloned().unwrap_or(Type::void()).unqualified();
        let object = self.wide(pointer, at)?;
        let mut pointers = Vec::new();
        for other in others {
            let pointer = self.value(other)?;
            // A struct that is a value is in memory too.
            let pointer = if pointer.of.is_pointer() { pointer } else { self.convert(pointer, &of, at)? };
            pointers.push(Wide { address: pointer.operand, members: object.members.clone() });
        }
        self.views.add();
        let result = self.code.temporary();
        let block = Wide { address: Operand::Register(result), members: object.members.clone() };
        let whole = Typed { operand: Operand::Register(result), of: of.clone() };
        let name = self.records.name(&of);
        match (atomic, &pointers[..]) {
            (Atomic::Load, []) => {
                self.emit_value_block(result, &name, &of);
                let seen = self.in_one_step(|this| this.get_members(&object, Order::Relaxed));
                self.set_members(&block, &seen, Order::Plain);
                return Ok(whole);
            }
            (Atomic::Exchange, [from]) => {
                self.emit_value_block(result, &name, &of);
                let new = self.get_members(from, Order::Plain);
                let seen = self.in_one_step(|this| {
                    let seen = this.get_members(&object, Order::Relaxed);
                    this.set_members(&object, &new, Order::Relaxed);
                    seen
                });
                self.set_members(&block, &seen, Order::Plain);
                return Ok(whole);
            }
            (Atomic::SyncCompare { success }, [expected, from]) => {
                self.emit_value_block(result, &name, &of);
                let old = self.get_members(expected, Order::Plain);
                self.set_members(&block, &old, Order::Plain);
                let swapped = self.wide_compare(&object, &block, from, at)?;
                return Ok(if success { swapped } else { whole });
            }
            (Atomic::LoadTo, [to]) => {
                let seen = self.in_one_step(|this| this.get_members(&object, Order::Relaxed));
                self.set_members(to, &seen, Order::Plain);
            }
            (Atomic::StoreFrom | Atomic::Store, [from]) => {
                let new = self.get_members(from, Order::Plain);
                self.in_one_step(|this| this.set_members(&object, &new, Order::Relaxed));
            }
            (Atomic::ExchangeFromTo, [from, to]) => {
                let new = self.get_members(from, Order::Plain);
                let seen = self.in_one_step(|this| {
                    let seen = this.get_members(&object, Order::Relaxed);
                    this.set_members(&object, &new, Order::Relaxed);
                    seen
                });
                self.set_members(to, &seen, Order::Plain);
            }
            (Atomic::CompareExchangeFrom | Atomic::CompareExchange { .. }, [expected, from]) => {
                return self.wide_compare(&object, expected, from, at);
            }
            _ => return Err(self.unsupported("this atomic operation on a struct", at)),
        }
        Ok(Typed::void())
    }

    fn wide_compare(&mut self, object: &Wide, expected: &Wide, from: &Wide, at: Bytes) -> Lowered<Typed> {
        let (old, new) = (self.get_members(expected, Order::Plain), self.get_members(from, Order::Plain));
        let (seen, success) = self.in_one_step(|this| {
            let seen = this.get_members(object, Order::Relaxed);
            let mut success = Operand::Constant(Value::int(1, 32));
            for (seen, old) in seen.iter().zip(&old) {
                let equal = this.code.compute(Operator::Eq, vec![seen.clone(), old.clone()], this.here);
                success = this.code.compute(Operator::And, vec![success, equal], this.here);
            }
            this.if_true(success.clone(), |this| this.set_members(object, &new, Order::Relaxed));
            (seen, success)
        });
        let failed = self.code.compute(Operator::IsFalse, vec![success.clone()], self.here);
        self.if_true(failed, |this| this.set_members(expected, &seen, Order::Plain));
        self.convert(Typed { operand: success, of: Type::int() }, &Type::boolean(), at)
    }

    fn wide(&self, pointer: Typed, at: Bytes) -> Lowered<Wide> {
        let of = pointer.of.pointee().cloned().unwrap_or(Type::void()).unqualified();
        let cells = self.cells(&of, at)?;
        if cells.iter().any(|(_, part)| !part.is_scalar()) {
            return Err(self.unsupported("an atomic operation on this struct", at));
        }
        let start = |path: &[i64]| self.records.byte(&of, path).unwrap_or(0);
        let members = cells.iter().map(|(path, part)| (start(path), part.unqualified())).collect();
        Ok(Wide { address: pointer.operand, members })
    }

    /// Code that happens at once, with full fences around it.
    fn in_one_step<T>(&mut self, code: impl FnOnce(&mut Self) -> T) -> T {
        let fence = InstructionKind::Fence { access: Access::ordered(Order::SeqCst) };
        self.code.emit(fence.clone(), self.here);
        self.code.emit(InstructionKind::AtomicBegin, self.here);
        let result = code(self);
        self.code.emit(InstructionKind::AtomicEnd, self.here);
        self.code.emit(fence, self.here);
        result
    }

    fn if_true(&mut self, condition: Operand, code: impl FnOnce(&mut Self)) {
        let (inside, behind) = (self.code.block(None), self.code.block(None));
        let branch = self.branch_to(condition, inside, behind, Some(behind));
        self.code.end_and_go_on(branch, inside);
        code(self);
        self.code.continue_in(behind);
    }

    fn get_members(&mut self, of: &Wide, order: Order) -> Vec<Operand> {
        let mut values = Vec::new();
        for (start, part) in &of.members {
            let address = self.bytes_after(of.address.clone(), *start);
            let target: RegisterId = self.code.temporary();
            let access = Access { order, ..Access::plain() }.of_bytes(part.width().unwrap_or(0) / 8);
            self.code.emit(InstructionKind::Load { target, address, access }, self.here);
            values.push(Operand::Register(target));
        }
        values
    }

    fn set_members(&mut self, of: &Wide, values: &[Operand], order: Order) {
        for ((start, part), value) in of.members.iter().zip(values) {
            let address = self.bytes_after(of.address.clone(), *start);
            let access = Access { order, ..Access::plain() }.of_bytes(part.width().unwrap_or(0) / 8);
            self.code.emit(InstructionKind::Store { address, value: value.clone(), access }, self.here);
        }
    }
}
