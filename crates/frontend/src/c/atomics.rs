//! Atomic operations: `<stdatomic.h>`, GCC's `__atomic` and `__sync` builtins, and operators on `_Atomic` objects.

use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::Node;
use program::{Access, AssertSort, InstructionKind, Operand, Operator, Order, Terminator, Update, Value};

use super::lower::{Bytes, Entity, Home, Lowered, Lowering, Typed};
use super::place::{Place, access};
use super::types::Type;
use super::uses::address_of_name;

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    Load,
    Store,
    Init,
    Exchange,
    /// Gives the old value.
    Fetch(Change),
    /// Gives the new value.
    After(Change),
    CompareExchange {
        weak: bool,
    },
    TestAndSet,
    Clear,
    Fence,
    /// GCC's older compare-and-swap: the values themselves, and the old value or success.
    SyncCompare {
        success: bool,
    },
    /// GCC's generic forms, which load and store through pointers.
    LoadTo,
    StoreFrom,
    ExchangeFromTo,
    CompareExchangeFrom,
}

/// How a read-modify-write computes the new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Add,
    Sub,
    And,
    Or,
    Xor,
    /// Of the bits that are set in both, none; of all others, one.
    Nand,
}

/// A function with the number of memory orders that its call has.
struct Known {
    atomic: Atomic,
    /// How many memory orders follow the operands; without any the order is seq_cst.
    orders: usize,
    /// GCC's compare-exchange says by an argument whether it is weak.
    weak_argument: bool,
}

/// Whether a function takes a pointer to the expected value as its second argument.
pub fn is_compare_exchange(name: &str) -> bool {
    let is_exchange = |atomic| matches!(atomic, Atomic::CompareExchange { .. } | Atomic::CompareExchangeFrom);
    known(name).is_some_and(|known| is_exchange(known.atomic))
}

/// Which arguments of a function are memory orders.
pub fn order_arguments(name: &str) -> std::ops::Range<usize> {
    known(name).map_or(0..0, |known| {
        let first = known.atomic.operands() + usize::from(known.weak_argument);
        first..first + known.orders
    })
}

fn change(word: &str) -> Option<Change> {
    Some(match word {
        "add" => Change::Add,
        "sub" => Change::Sub,
        "and" => Change::And,
        "or" => Change::Or,
        "xor" => Change::Xor,
        "nand" => Change::Nand,
        _ => return None,
    })
}

/// The function of a name.
fn known(name: &str) -> Option<Known> {
    let plain = |atomic, orders| Some(Known { atomic, orders, weak_argument: false });
    if let Some(rest) = name.strip_prefix("__sync_") {
        return match rest {
            "synchronize" => plain(Atomic::Fence, 0),
            "bool_compare_and_swap" => plain(Atomic::SyncCompare { success: true }, 0),
            "val_compare_and_swap" => plain(Atomic::SyncCompare { success: false }, 0),
            _ => match (rest.strip_prefix("fetch_and_"), rest.strip_suffix("_and_fetch")) {
                (Some(word), _) => plain(Atomic::Fetch(change(word)?), 0),
                (_, Some(word)) => plain(Atomic::After(change(word)?), 0),
                _ => None,
            },
        };
    }
    if let Some(rest) = name.strip_prefix("__atomic_") {
        let atomic = match rest {
            "load_n" => Atomic::Load,
            "store_n" => Atomic::Store,
            "load" => Atomic::LoadTo,
            "store" => Atomic::StoreFrom,
            "exchange_n" => Atomic::Exchange,
            "test_and_set" => Atomic::TestAndSet,
            "clear" => Atomic::Clear,
            "thread_fence" => Atomic::Fence,
            "exchange" => Atomic::ExchangeFromTo,
            "compare_exchange_n" | "compare_exchange" => {
                let is_plain = rest == "compare_exchange_n";
                let atomic =
                    if is_plain { Atomic::CompareExchange { weak: false } } else { Atomic::CompareExchangeFrom };
                return Some(Known { atomic, orders: 2, weak_argument: true });
            }
            _ => match (rest.strip_prefix("fetch_"), rest.strip_suffix("_fetch")) {
                (Some(word), _) => Atomic::Fetch(change(word)?),
                (_, Some(word)) => Atomic::After(change(word)?),
                _ => return None,
            },
        };
        return plain(atomic, 1);
    }
    let rest = name.strip_prefix("atomic_")?;
    let (rest, explicit) = rest.strip_suffix("_explicit").map_or((rest, false), |rest| (rest, true));
    let atomic = match rest {
        "load" => Atomic::Load,
        "store" => Atomic::Store,
        "init" => Atomic::Init,
        "exchange" => Atomic::Exchange,
        "compare_exchange_strong" => Atomic::CompareExchange { weak: false },
        "compare_exchange_weak" => Atomic::CompareExchange { weak: true },
        "flag_test_and_set" => Atomic::TestAndSet,
        "flag_clear" => Atomic::Clear,
        "thread_fence" => return plain(Atomic::Fence, 1),
        _ => Atomic::Fetch(change(rest.strip_prefix("fetch_")?)?),
    };
    let orders = if matches!(atomic, Atomic::CompareExchange { .. }) { 2 } else { 1 };
    plain(atomic, if explicit { orders } else { 0 })
}

impl Atomic {
    /// Number of arguments before the memory orders.
    fn operands(self) -> usize {
        match self {
            Atomic::Fence => 0,
            Atomic::Load | Atomic::TestAndSet | Atomic::Clear => 1,
            Atomic::CompareExchange { .. } | Atomic::SyncCompare { .. } => 3,
            Atomic::CompareExchangeFrom | Atomic::ExchangeFromTo => 3,
            _ => 2,
        }
    }

    /// The orders that it can have.
    fn orders(self) -> &'static [Order] {
        match self {
            Atomic::Load | Atomic::LoadTo => &[Order::Relaxed, Order::Acquire, Order::SeqCst],
            Atomic::Store | Atomic::StoreFrom | Atomic::Clear => &[Order::Relaxed, Order::Release, Order::SeqCst],
            _ => &ORDERS,
        }
    }
}

/// The memory orders, by their numbers.
const ORDERS: [Order; 6] =
    [Order::Relaxed, Order::Acquire, Order::Acquire, Order::Release, Order::AcquireRelease, Order::SeqCst];

impl Lowering<'_> {
    /// A call of an atomic operation; `None` if the name is of none.
    pub fn atomic_call(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Option<Lowered<Typed>> {
        if matches!(name, "__sync_lock_test_and_set" | "__sync_lock_release") {
            return Some(self.sync_lock(name, arguments, at));
        }
        if name.ends_with("_lock_free") && (name.starts_with("__atomic_") || name.starts_with("atomic_")) {
            return Some(self.lock_free(name, arguments, at));
        }
        let known = known(name)?;
        Some(self.atomic(name, &known, arguments, at))
    }

    fn atomic(&mut self, name: &str, known: &Known, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        let count = known.atomic.operands();
        let weak = usize::from(known.weak_argument);
        self.exactly(arguments, count + weak + known.orders, name, at)?;
        let (operands, orders) = arguments.split_at(count + weak);
        self.with_orders(known, operands, orders, Vec::new(), at)
    }

    /// The operation with the orders that are known so far; an order that is not constant is a choice by its value.
    fn with_orders(
        &mut self,
        known: &Known,
        operands: &[Node<Expression>],
        open: &[Node<Expression>],
        orders: Vec<Order>,
        at: Bytes,
    ) -> Lowered<Typed> {
        let Some((argument, rest)) = open.split_first() else {
            return self.ordered(known, operands, &orders, at);
        };
        if let Some(order) = self.memory_order(argument) {
            return self.with_orders(known, operands, rest, [orders, vec![order]].concat(), at);
        }
        let number = self.value(argument)?;
        let number = self.convert(number, &Type::int(), argument.span)?.operand;
        let (target, behind) = (self.code.temporary(), self.code.block(None));
        let mut of = Type::void();
        let possible = if orders.is_empty() { known.atomic.orders() } else { Atomic::Load.orders() };
        for (order, index) in ORDERS.into_iter().zip(0..).filter(|(order, _)| possible.contains(order)) {
            let constant = Operand::Constant(Value::int(index, 32));
            let equal = self.code.compute(Operator::Eq, vec![number.clone(), constant], self.here);
            let (this, other) = (self.code.block(None), self.code.block(None));
            let branch = self.branch_to(equal, this, other, Some(behind));
            self.code.end_and_go_on(branch, this);
            let chosen = [orders.clone(), vec![order]].concat();
            let value = self.with_orders(known, operands, rest, chosen, at)?;
            of = value.of.clone();
            if !of.is_void() {
                self.code.assign(target, Operator::Copy, vec![value.operand], self.here);
            }
            self.code.continue_in(behind);
            self.code.write_in(other);
        }
        let message = "a memory order that this operation cannot have";
        self.code.emit(InstructionKind::claim(AssertSort::Error, flag(false), message), self.here);
        self.code.continue_in(behind);
        Ok(if of.is_void() { Typed::void() } else { Typed { operand: Operand::Register(target), of } })
    }

    /// The operation with all of its orders.
    fn ordered(
        &mut self,
        known: &Known,
        arguments: &[Node<Expression>],
        orders: &[Order],
        at: Bytes,
    ) -> Lowered<Typed> {
        let count = known.atomic.operands();
        let order = orders.first().copied().unwrap_or(Order::SeqCst);
        let failure = orders.get(1).copied().unwrap_or(order);
        let is_weak = match known.weak_argument {
            true => self.constant_integer(&arguments[count])? != 0,
            false => known.atomic == Atomic::CompareExchange { weak: true },
        };
        match known.atomic {
            Atomic::Fence => {
                self.code.emit(InstructionKind::Fence { access: Access::ordered(order) }, self.here);
                Ok(Typed::void())
            }
            Atomic::CompareExchange { .. } | Atomic::CompareExchangeFrom => {
                let through_pointer = known.atomic == Atomic::CompareExchangeFrom;
                self.compare_exchange(&arguments[..count], through_pointer, is_weak, (order, failure), at)
            }
            Atomic::SyncCompare { success } => self.sync_compare(arguments, success, at),
            atomic => self.simple_atomic(atomic, &arguments[..count], order, at),
        }
    }

    fn simple_atomic(
        &mut self,
        atomic: Atomic,
        arguments: &[Node<Expression>],
        order: Order,
        at: Bytes,
    ) -> Lowered<Typed> {
        let pointer = self.followed(&arguments[0])?;
        if let Some(object) = self.struct_at(&pointer) {
            return self.atomic_struct(atomic, object, arguments, order, at);
        }
        if self.is_wide(&pointer) {
            return self.wide_atomic(atomic, pointer, &arguments[1..], at);
        }
        let place = self.word_at(pointer, arguments[0].span)?;
        let of = place.of().unqualified();
        let how = Access { order, ..access(place.of()) };
        match (atomic, arguments.get(1)) {
            (Atomic::Load, _) => Ok(self.load_as(&place, how)),
            (Atomic::LoadTo, Some(target)) => {
                let target = self.value(target)?;
                let target = self.word_at(target, at)?;
                let value = self.load_as(&place, how);
                self.store(&target, value, at)?;
                Ok(Typed::void())
            }
            (Atomic::StoreFrom, Some(source)) => {
                let source = self.value(source)?;
                let source = self.word_at(source, at)?;
                let value = self.load(source);
                self.store_as(&place, value, how, at)?;
                Ok(Typed::void())
            }
            (Atomic::ExchangeFromTo, Some(source)) => {
                let source = self.value(source)?;
                let source = self.word_at(source, at)?;
                let value = self.load(source);
                let value = self.convert(value, &of, at)?.operand;
                let target = self.value(&arguments[2])?;
                let target = self.word_at(target, at)?;
                let old = self.read_modify_write(&place, Update::Exchange(value), how, &of);
                self.store(&target, old, at)?;
                Ok(Typed::void())
            }
            (Atomic::Fetch(Change::Nand), Some(value)) => {
                let value = self.value(value)?;
                self.nand(&place, value, how, false, at)
            }
            (Atomic::After(Change::Nand), Some(value)) => {
                let value = self.value(value)?;
                self.nand(&place, value, how, true, at)
            }
            (Atomic::Clear, _) => {
                self.store_as(&place, Typed::int(0), how, at)?;
                Ok(Typed::void())
            }
            (Atomic::Store | Atomic::Init, Some(value)) => {
                let value = self.value_for(&of, value)?;
                let how = if atomic == Atomic::Init { Access { order: Order::Plain, ..how } } else { how };
                self.store_as(&place, value, how, at)?;
                Ok(Typed::void())
            }
            (Atomic::TestAndSet, _) => {
                let one = self.convert(Typed::int(1), &of, at)?.operand;
                let old = self.read_modify_write(&place, Update::Exchange(one), how, &of);
                self.convert(old, &Type::boolean(), at)
            }
            (Atomic::Exchange, Some(value)) => {
                let value = self.value_for(&of, value)?;
                let value = self.convert(value, &of, at)?.operand;
                Ok(self.read_modify_write(&place, Update::Exchange(value), how, &of))
            }
            (Atomic::Fetch(change), Some(value)) => {
                let value = self.value(value)?;
                self.fetch(&place, change.operator(), value, how, false, at)
            }
            (Atomic::After(change), Some(value)) => {
                let value = self.value(value)?;
                self.fetch(&place, change.operator(), value, how, true, at)
            }
            _ => Err(self.error("an atomic operation with too few arguments", at)),
        }
    }

    fn load_as(&mut self, place: &Place, access: Access) -> Typed {
        let of = place.of().unqualified();
        match place {
            Place::Register(register, _) => Typed { operand: Operand::Register(*register), of },
            Place::Bits(address, field, of) => self.load_bits(address, field, of),
            Place::Memory(address, _) => {
                let target = self.code.temporary();
                self.code.emit(InstructionKind::Load { target, address: address.clone(), access }, self.here);
                Typed { operand: Operand::Register(target), of }
            }
        }
    }

    fn read_modify_write(&mut self, place: &Place, update: Update, access: Access, of: &Type) -> Typed {
        let target = self.code.temporary();
        if let Place::Memory(address, _) = place {
            let address = address.clone();
            self.code.emit(InstructionKind::ReadModifyWrite { target, address, update, access }, self.here);
        }
        Typed { operand: Operand::Register(target), of: of.clone() }
    }

    /// An update by an operator of the cell's own width.
    fn fetch(
        &mut self,
        place: &Place,
        operator: Operator,
        value: Typed,
        access: Access,
        new: bool,
        at: Bytes,
    ) -> Lowered<Typed> {
        let of = place.of().unqualified();
        let (operator, operand) = match (of.as_integer(), operator) {
            (Some(integer), _) if integer.boolean => {
                return Err(self.unsupported("atomic arithmetic on a _Bool", at));
            }
            (None, _) if of.as_float().is_some() => {
                return Err(self.unsupported("atomic arithmetic on a floating-point number", at));
            }
            (Some(_), operator) => (operator, self.convert(value, &of, at)?.operand),
            (None, Operator::Add) => (self.step_in(&of, at)?, self.index(value, at)?),
            (None, Operator::Sub) => {
                let number = self.index(value, at)?;
                (self.step_in(&of, at)?, self.code.compute(Operator::Neg, vec![number], self.here))
            }
            _ => return Err(self.unsupported("this atomic operation on a pointer", at)),
        };
        let update = Update::Apply(operator.clone(), operand.clone());
        let old = self.read_modify_write(place, update, access, &of);
        if !new {
            return Ok(old);
        }
        Ok(Typed { operand: self.code.compute(operator, vec![old.operand, operand], self.here), of })
    }

    /// The operator that moves a pointer of a type.
    fn step_in(&self, of: &Type, at: Bytes) -> Lowered<Operator> {
        match of.pointee() {
            Some(element) => self.step_over(element, at),
            None => Err(self.error("not a pointer", at)),
        }
    }

    /// The one update that is no operator: a load and a store in an atomic block.
    fn nand(&mut self, place: &Place, value: Typed, access: Access, new: bool, at: Bytes) -> Lowered<Typed> {
        let of = place.of().unqualified();
        let value = self.convert(value, &of, at)?.operand;
        let (reads, writes) = match access.order {
            Order::AcquireRelease => (Order::Acquire, Order::Release),
            Order::Release => (Order::Relaxed, Order::Release),
            Order::Acquire => (access.order, Order::Relaxed),
            order => (order, order),
        };
        self.code.emit(InstructionKind::AtomicBegin, self.here);
        let old = self.load_as(place, Access { order: reads, ..access.clone() });
        let both = self.code.compute(Operator::And, vec![old.operand.clone(), value], self.here);
        let after = Typed { operand: self.code.compute(Operator::Not, vec![both], self.here), of };
        self.store_as(place, after.clone(), Access { order: writes, ..access }, at)?;
        self.code.emit(InstructionKind::AtomicEnd, self.here);
        Ok(if new { after } else { old })
    }

    /// `x += v` and the like on an `_Atomic` object: one seq_cst read-modify-write.
    pub fn atomic_update(
        &mut self,
        place: Place,
        operator: BinaryOperator,
        value: Typed,
        old: bool,
        at: Bytes,
    ) -> Lowered<Typed> {
        let are_integers = place.of().as_float().is_none() && value.of.as_float().is_none();
        let signed = place.of().as_integer().is_some_and(|integer| integer.signed);
        let wide = place.of().width().is_some_and(|width| width >= 32);
        let fits = wide && value.of.width().is_some_and(|width| Some(width) <= place.of().width());
        let same_sign = value.of.as_integer().is_some_and(|integer| integer.signed == signed || integer.width < 32)
            || value.known().is_some_and(|known| known.signed() >= 0);
        let ir = match operator {
            BinaryOperator::Plus if are_integers => Operator::Add,
            BinaryOperator::Minus if are_integers => Operator::Sub,
            BinaryOperator::Multiply if are_integers => Operator::Mul,
            BinaryOperator::BitwiseAnd => Operator::And,
            BinaryOperator::BitwiseOr => Operator::Or,
            BinaryOperator::BitwiseXor => Operator::Xor,
            BinaryOperator::ShiftLeft if wide => Operator::Shl,
            BinaryOperator::ShiftRight if wide && signed => Operator::ShrSigned,
            BinaryOperator::ShiftRight if wide => Operator::ShrUnsigned,
            BinaryOperator::Divide if fits && same_sign && signed => Operator::DivSigned,
            BinaryOperator::Divide if fits && same_sign => Operator::DivUnsigned,
            BinaryOperator::Modulo if fits && same_sign && signed => Operator::RemSigned,
            BinaryOperator::Modulo if fits && same_sign => Operator::RemUnsigned,
            _ => {
                let note = "use a compare-and-exchange in a loop, which is what this stands for";
                return Err(self.unsupported("this operator on this atomic object", at).note(note));
            }
        };
        let how = access(place.of());
        self.fetch(&place, ir, value, how, !old, at)
    }

    fn compare_exchange(
        &mut self,
        arguments: &[Node<Expression>],
        through_pointer: bool,
        weak: bool,
        (order, failure): (Order, Order),
        at: Bytes,
    ) -> Lowered<Typed> {
        let pointer = self.followed(&arguments[0])?;
        if let Some(object) = self.struct_at(&pointer).filter(|_| !through_pointer) {
            return self.compare_exchange_struct(object, arguments, weak, (order, failure), at);
        }
        if self.is_wide(&pointer) {
            return self.wide_atomic(Atomic::CompareExchangeFrom, pointer, &arguments[1..], at);
        }
        let place = self.word_at(pointer, arguments[0].span)?;
        let of = place.of().unqualified();
        let expected_place = self.expected(&arguments[1])?;
        let expected = self.load(expected_place.clone());
        let expected = self.convert(expected, &of, at)?.operand;
        let mut desired = self.value_for(&of, &arguments[2])?;
        if through_pointer {
            let from = self.word_at(desired, arguments[2].span)?;
            desired = self.load(from);
        }
        let desired = self.convert(desired, &of, at)?.operand;
        let how = Access { order, ..access(place.of()) };
        let failure = Access { order: failure, ..access(place.of()) };
        let success = self.code.temporary();
        let update = Update::CompareExchange { expected, desired, success, weak, failure };
        let seen = self.read_modify_write(&place, update, how, &of);
        let (failed, behind) = (self.code.block(None), self.code.block(None));
        let branch = self.branch_to(Operand::Register(success), behind, failed, Some(behind));
        self.code.end_and_go_on(branch, failed);
        self.store(&expected_place, seen, at)?;
        self.code.end_and_go_on(Terminator::Jump(behind), behind);
        let flag = Typed { operand: Operand::Register(success), of: Type::int() };
        self.convert(flag, &Type::boolean(), at)
    }

    /// What the second argument of a compare-and-exchange points to: often a variable in a register.
    fn expected(&mut self, argument: &Node<Expression>) -> Lowered<Place> {
        if let Expression::UnaryOperator(unary) = &argument.node
            && let Some(name) = address_of_name(&unary.node)
            && let Some(Entity::Variable(variable)) = self.find(name)
            && let Home::Register(register) = variable.home
        {
            return Ok(Place::Register(register, variable.of.clone()));
        }
        let pointer = self.value(argument)?;
        self.word_at(pointer, argument.span)
    }

    fn sync_compare(&mut self, arguments: &[Node<Expression>], flag: bool, at: Bytes) -> Lowered<Typed> {
        let pointer = self.followed(&arguments[0])?;
        if self.is_wide(&pointer) {
            return self.wide_atomic(Atomic::SyncCompare { success: flag }, pointer, &arguments[1..], at);
        }
        let place = self.word_at(pointer, arguments[0].span)?;
        let of = place.of().unqualified();
        let expected = self.value(&arguments[1])?;
        let expected = self.convert(expected, &of, at)?.operand;
        let desired = self.value_for(&of, &arguments[2])?;
        let desired = self.convert(desired, &of, at)?.operand;
        let how = Access { order: Order::SeqCst, ..access(place.of()) };
        let success = self.code.temporary();
        let update = Update::CompareExchange { expected, desired, success, weak: false, failure: how.clone() };
        let seen = self.read_modify_write(&place, update, how, &of);
        Ok(if flag { Typed { operand: Operand::Register(success), of: Type::int() } } else { seen })
    }

    /// GCC documents these two as an acquire barrier and a release barrier.
    fn sync_lock(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        if name == "__sync_lock_release" {
            self.exactly(arguments, 1, name, at)?;
            return self.simple_atomic(Atomic::Clear, arguments, Order::Release, at);
        }
        self.exactly(arguments, 2, name, at)?;
        self.simple_atomic(Atomic::Exchange, arguments, Order::Acquire, at)
    }

    /// Whether operations on objects of a size need no lock: those of a word, on x86.
    fn lock_free(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        let is_generic = name == "atomic_is_lock_free";
        self.exactly(arguments, if is_generic { 1 } else { 2 }, name, at)?;
        let bytes = match is_generic {
            true => {
                let of = self.type_of(&arguments[0])?;
                let pointee = of.pointee().cloned().unwrap_or(of);
                self.records.size(&pointee).map_or(0, |(bytes, _)| i64::try_from(bytes).unwrap_or(i64::MAX))
            }
            false => self.constant_integer(&arguments[0])?,
        };
        Ok(Typed::int(i64::from(matches!(bytes, 1 | 2 | 4 | 8))))
    }

    /// A memory order that is constant.
    fn memory_order(&mut self, argument: &Node<Expression>) -> Option<Order> {
        let name = match &argument.node {
            Expression::Identifier(name) if self.find(&name.node.name).is_none() => name.node.name.as_str(),
            _ => "",
        };
        match name {
            "memory_order_relaxed" => Some(Order::Relaxed),
            "memory_order_consume" => Some(Order::Acquire),
            "memory_order_acquire" => Some(Order::Acquire),
            "memory_order_release" => Some(Order::Release),
            "memory_order_acq_rel" => Some(Order::AcquireRelease),
            "memory_order_seq_cst" => Some(Order::SeqCst),
            _ => {
                let number = self.constant_integer(argument).ok()?;
                usize::try_from(number).ok().and_then(|number| ORDERS.get(number).copied())
            }
        }
    }
}

impl Change {
    fn operator(self) -> Operator {
        match self {
            Change::Add => Operator::Add,
            Change::Sub => Operator::Sub,
            Change::Or => Operator::Or,
            // The complement of the other is taken by `nand`.
            Change::And | Change::Nand => Operator::And,
            Change::Xor => Operator::Xor,
        }
    }
}

/// The constant 0 or 1 of 32 bits.
pub fn flag(truth: bool) -> Operand {
    Operand::Constant(Value::int(i64::from(truth), 32))
}
