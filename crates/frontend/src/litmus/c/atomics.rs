//! Calls of the C11 atomics.

use program::{
    Access, Diagnostic, InstructionKind, Operand, Operator, Order, RegisterId, Span, Terminator, Unsupported, Update,
    Value,
};

use super::lower::{Lowering, Variable};
use super::place::access;
use super::syntax::{Expression, ExpressionKind};
use super::typed::{Into, Typed, VOID};
use crate::litmus::types::{INT, Type};

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Atomic {
    Load,
    Store,
    Init,
    Exchange,
    Fetch(&'static str),
    CompareExchange { weak: bool },
    TestAndSet,
    Clear,
    Fence,
}

impl Atomic {
    /// The function of that name, without `_explicit`.
    fn named(name: &str) -> Option<Atomic> {
        Some(match name {
            "atomic_load" => Atomic::Load,
            "atomic_store" => Atomic::Store,
            "atomic_init" => Atomic::Init,
            "atomic_exchange" => Atomic::Exchange,
            "atomic_fetch_add" => Atomic::Fetch("+"),
            "atomic_fetch_sub" => Atomic::Fetch("-"),
            "atomic_fetch_or" => Atomic::Fetch("|"),
            "atomic_fetch_xor" => Atomic::Fetch("^"),
            "atomic_fetch_and" => Atomic::Fetch("&"),
            "atomic_compare_exchange_strong" => Atomic::CompareExchange { weak: false },
            "atomic_compare_exchange_weak" => Atomic::CompareExchange { weak: true },
            "atomic_flag_test_and_set" => Atomic::TestAndSet,
            "atomic_flag_clear" => Atomic::Clear,
            "atomic_thread_fence" => Atomic::Fence,
            _ => return None,
        })
    }

    /// Number of arguments before the memory orders.
    fn operands(self) -> usize {
        match self {
            Atomic::Fence => 0,
            Atomic::Load | Atomic::TestAndSet | Atomic::Clear => 1,
            Atomic::Store | Atomic::Init | Atomic::Exchange | Atomic::Fetch(_) => 2,
            Atomic::CompareExchange { .. } => 3,
        }
    }

    /// Number of memory orders of the explicit form.
    fn orders(self) -> usize {
        match self {
            Atomic::Init => 0,
            Atomic::CompareExchange { .. } => 2,
            _ => 1,
        }
    }
}

impl Lowering<'_> {
    /// A call.
    pub fn call(&mut self, name: &str, arguments: &[Expression], into: Into, span: Span) -> Result<Typed, Diagnostic> {
        let (stem, explicit) = name.strip_suffix("_explicit").map_or((name, false), |stem| (stem, true));
        let Some(atomic) = Atomic::named(stem) else {
            return self.kernel_call(name, arguments, into, span).unwrap_or_else(|| Err(unknown(name, span)));
        };
        let explicit = explicit || atomic == Atomic::Fence;
        let orders = if explicit { atomic.orders() } else { 0 };
        if arguments.len() != atomic.operands() + orders {
            let expected = atomic.operands() + orders;
            let message = format!("`{name}` takes {expected} arguments, here are {}", arguments.len());
            return Err(Diagnostic::error(message, span));
        }
        let (operands, orders) = arguments.split_at(atomic.operands());
        let orders: Vec<Order> = orders.iter().map(memory_order).collect::<Result<_, _>>()?;
        let order = orders.first().copied().unwrap_or(Order::SeqCst);
        self.check_order(atomic, order, orders.get(1).copied(), span);
        match (atomic, operands) {
            (Atomic::Load, [object]) => self.load(object, order, into),
            (Atomic::Store, [object, value]) => self.store(object, Some(value), Access::ordered(order)),
            (Atomic::Init, [object, value]) => self.store(object, Some(value), Access::plain()),
            (Atomic::Clear, [object]) => self.store(object, None, Access::ordered(order)),
            (Atomic::Exchange, [object, value]) => self.exchange(object, Some(value), order, into),
            (Atomic::TestAndSet, [object]) => self.exchange(object, None, order, into),
            (Atomic::Fetch(operator), [object, value]) => self.fetch(operator, object, value, order, into),
            (Atomic::CompareExchange { weak }, [object, expected, desired]) => {
                let failure = orders.get(1).copied().unwrap_or(order);
                self.compare_exchange(object, expected, desired, (order, failure, weak), into)
            }
            _ => {
                self.code.emit(InstructionKind::Fence { access: Access::ordered(order) }, self.span);
                Ok(no_value())
            }
        }
    }

    /// Warns of orders that C11 leaves undefined. Models say what they mean all the same.
    fn check_order(&mut self, atomic: Atomic, order: Order, failure: Option<Order>, span: Span) {
        let releases = |order| matches!(order, Order::Release | Order::AcquireRelease);
        let acquires = |order| matches!(order, Order::Acquire | Order::Consume | Order::AcquireRelease);
        let undefined = match atomic {
            Atomic::Load => releases(order),
            Atomic::Store | Atomic::Clear => acquires(order),
            _ => failure.is_some_and(releases),
        };
        if undefined {
            self.messages.push(Diagnostic::warning("C11 does not define this operation with this memory order", span));
        }
    }

    fn load(&mut self, object: &Expression, order: Order, into: Into) -> Result<Typed, Diagnostic> {
        let object = self.pointer(object)?;
        let declared = object.declared.pointee();
        let target = self.target(into, declared);
        let access = access(Access::ordered(order), declared);
        self.code.emit(InstructionKind::Load { target, address: object.operand, access }, self.span);
        Ok(Typed { operand: Operand::Register(target), declared })
    }

    /// Stores a value, or 0.
    fn store(&mut self, object: &Expression, value: Option<&Expression>, how: Access) -> Result<Typed, Diagnostic> {
        let object = self.pointer(object)?;
        let declared = object.declared.pointee();
        let value = self.operand(value, declared, 0)?;
        let access = access(how, declared);
        self.code.emit(InstructionKind::Store { address: object.operand, value, access }, self.span);
        Ok(no_value())
    }

    /// Exchanges with a value, or with 1.
    fn exchange(
        &mut self,
        object: &Expression,
        value: Option<&Expression>,
        order: Order,
        into: Into,
    ) -> Result<Typed, Diagnostic> {
        let object = self.pointer(object)?;
        let declared = object.declared.pointee();
        let value = self.operand(value, declared, 1)?;
        Ok(self.read_modify_write(object, Update::Exchange(value), order, into))
    }

    fn fetch(
        &mut self,
        operator: &str,
        object: &Expression,
        value: &Expression,
        order: Order,
        into: Into,
    ) -> Result<Typed, Diagnostic> {
        let object = self.pointer(object)?;
        let declared = object.declared.pointee();
        if declared.is_pointer() {
            return Err(Unsupported::new("atomic arithmetic on a pointer", Some(self.span)).into());
        }
        let value = self.operand(Some(value), declared, 0)?;
        let operator = match operator {
            "+" => Operator::Add,
            "-" => Operator::Sub,
            "|" => Operator::Or,
            "^" => Operator::Xor,
            _ => Operator::And,
        };
        Ok(self.read_modify_write(object, Update::Apply(operator, value), order, into))
    }

    /// A compare-and-exchange; its value is 1 on success and 0 on failure.
    fn compare_exchange(
        &mut self,
        object: &Expression,
        expected: &Expression,
        desired: &Expression,
        (order, failure, weak): (Order, Order, bool),
        into: Into,
    ) -> Result<Typed, Diagnostic> {
        let object = self.pointer(object)?;
        let declared = object.declared.pointee();
        let expected = self.expected(expected)?;
        let old = match &expected {
            Expected::Variable(register, of) => Typed { operand: Operand::Register(*register), declared: *of },
            Expected::Memory(pointer) => {
                let declared = pointer.declared.pointee();
                let target = self.code.temporary();
                let (address, access) = (pointer.operand.clone(), access(Access::plain(), declared));
                self.code.emit(InstructionKind::Load { target, address, access }, self.span);
                Typed { operand: Operand::Register(target), declared }
            }
        };
        let old = self.convert(old, declared)?;
        let desired = self.operand(Some(desired), declared, 0)?;
        // The value seen is written back to the expected variable: success must survive that.
        let is_expected = |&(register, _): &(RegisterId, Type)| expected.is_variable(register);
        let success = self.target(into.filter(|into| !is_expected(into)), INT);
        let failure = access(Access::ordered(failure), declared);
        let update = Update::CompareExchange { expected: old, desired, success, weak, failure };
        let seen = self.read_modify_write(object, update, order, None);
        self.write_back(&expected, seen, success)?;
        Ok(Typed { operand: Operand::Register(success), declared: INT })
    }

    /// What the second argument of a compare-and-exchange points to.
    fn expected(&mut self, expression: &Expression) -> Result<Expected, Diagnostic> {
        if let ExpressionKind::Address(inner) = &expression.kind
            && let ExpressionKind::Name(name) = &inner.kind
        {
            return match self.variable_or_closed(name, inner.span) {
                Some(Variable { home: Operand::Register(register), declared }) => {
                    Ok(Expected::Variable(register, declared))
                }
                _ => Err(Diagnostic::error(format!("the variable `{name}` is not declared"), inner.span)),
            };
        }
        self.pointer(expression).map(Expected::Memory)
    }

    /// Gives the expected value's place the value that was seen. On success the two are equal, so a variable may be
    /// written in either case; memory is written on failure only.
    fn write_back(&mut self, expected: &Expected, seen: Typed, success: RegisterId) -> Result<(), Diagnostic> {
        match expected {
            Expected::Variable(register, declared) => {
                let seen = self.convert(seen, *declared)?;
                self.code.assign(*register, Operator::Copy, vec![seen], self.span);
            }
            Expected::Memory(pointer) => {
                let declared = pointer.declared.pointee();
                let (failed, behind) = (self.code.block(None), self.code.block(None));
                self.branch(Operand::Register(success), behind, failed, Some(behind));
                self.code.write_in(failed);
                let value = self.convert(seen, declared)?;
                let (address, access) = (pointer.operand.clone(), access(Access::plain(), declared));
                self.code.emit(InstructionKind::Store { address, value, access }, self.span);
                self.code.end(Terminator::Jump(behind));
                self.code.write_in(behind);
            }
        }
        Ok(())
    }

    fn read_modify_write(&mut self, object: Typed, update: Update, order: Order, into: Into) -> Typed {
        let declared = object.declared.pointee();
        let target = self.target(into, declared);
        let access = access(Access::ordered(order), declared);
        self.code.emit(InstructionKind::ReadModifyWrite { target, address: object.operand, update, access }, self.span);
        Typed { operand: Operand::Register(target), declared }
    }

    /// The value of an argument as one of a type; `default` if there is no argument.
    fn operand(&mut self, argument: Option<&Expression>, declared: Type, default: i64) -> Result<Operand, Diagnostic> {
        match argument {
            Some(argument) => {
                let value = self.value(argument, None)?;
                self.convert(value, declared)
            }
            None => Ok(Operand::Constant(Value::int(default, declared.width))),
        }
    }
}

/// Where the expected value of a compare-and-exchange is.
enum Expected {
    Variable(RegisterId, Type),
    Memory(Typed),
}

impl Expected {
    fn is_variable(&self, register: RegisterId) -> bool {
        matches!(self, Expected::Variable(variable, _) if *variable == register)
    }
}

/// What a call is worth that gives no value.
pub(super) fn no_value() -> Typed {
    Typed { operand: Operand::Constant(Value::int(0, 32)), declared: VOID }
}

fn memory_order(expression: &Expression) -> Result<Order, Diagnostic> {
    let name = match &expression.kind {
        ExpressionKind::Name(name) => name.as_str(),
        _ => return Err(Diagnostic::error("expected a memory order", expression.span)),
    };
    Ok(match name {
        "memory_order_relaxed" => Order::Relaxed,
        "memory_order_consume" => Order::Consume,
        "memory_order_acquire" => Order::Acquire,
        "memory_order_release" => Order::Release,
        "memory_order_acq_rel" => Order::AcquireRelease,
        "memory_order_seq_cst" => Order::SeqCst,
        _ => return Err(Diagnostic::error(format!("unknown memory order `{name}`"), expression.span)),
    })
}

/// Names that begin the primitives of the Linux kernel.
const LINUX: &[&str] = &[
    "READ_ONCE",
    "WRITE_ONCE",
    "ACCESS_ONCE",
    "smp_",
    "rcu_",
    "srcu_",
    "synchronize_",
    "spin_",
    "xchg",
    "cmpxchg",
    "atomic_read",
    "atomic_set",
    "atomic_add",
    "atomic_sub",
    "atomic_inc",
    "atomic_dec",
    "atomic_xchg",
    "atomic_cmpxchg",
    "atomic_fetch_",
    "barrier",
    "__",
    "down_",
    "up_",
    "call_rcu",
    "rw_",
];

/// The error for a function that is not an atomic of C11.
fn unknown(name: &str, span: Span) -> Diagnostic {
    let what = match name {
        "atomic_signal_fence" => format!("`{name}`"),
        "lock" | "unlock" | "mtx_lock" | "mtx_unlock" | "WCAS" | "SCAS" => format!("the primitive `{name}`"),
        _ if LINUX.iter().any(|prefix| name.starts_with(prefix)) => format!("the Linux-kernel primitive `{name}`"),
        _ => return Diagnostic::error(format!("unknown function `{name}`"), span),
    };
    Unsupported::new(what, Some(span)).into()
}
