//! Litmus tests in Java, as herd7 writes them: statements as in C, memory through `VarHandle`s.
//!
//! ```text
//! Java MP
//! { x = 0; y = 0; 0:X=x; 0:Y=y; 1:X=x; 1:Y=y; }
//! Thread0 { X.set(1); Y.setRelease(1); }
//! Thread1 { int r1 = Y.getAcquire(); int r2 = X.get(); }
//! exists (1:r1=1 /\ 1:r2=0)
//! ```
//!
//! A register of the initial state that holds the address of a location is a handle of it, and its methods are the accesses.
//! Fences are calls without a receiver, or of `VarHandle`. Variables are of type `int`. Volatile accesses and full fences are of
//! the set `V`.
//!
//! Where herd7 and Java part ways, we follow herd7: both sides of `&&` and `||` are evaluated, what one statement reads is not in
//! program order, and `loadLoadFence` and `storeStoreFence` are an acquire and a release fence.

use program::{Access, Diagnostic, InstructionKind, Operand, Operator, Order, Span, Unsupported, Update};

use super::lower::Lowering;
use super::syntax::Expression;
use super::typed::{Into, Typed, VOID};
use super::value::number;
use crate::litmus::init::Constant;
use crate::litmus::types::INT;

/// An access mode of the Java documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Plain,
    Opaque,
    Acquire,
    Release,
    Volatile,
}

impl Mode {
    /// Splits a name at its mode: `getAndAddAcquire` is `getAndAdd` and `Acquire`; `usual` if the name ends without one.
    fn split(method: &str, usual: Mode) -> (&str, Mode) {
        use Mode::*;
        let suffixes =
            [("Plain", Plain), ("Opaque", Opaque), ("Acquire", Acquire), ("Release", Release), ("Volatile", Volatile)];
        let found = suffixes.into_iter().find_map(|(suffix, mode)| Some((method.strip_suffix(suffix)?, mode)));
        found.unwrap_or((method, usual))
    }

    fn access(self) -> Access {
        match self {
            Mode::Plain => Access::plain(),
            Mode::Opaque => Access::ordered(Order::Relaxed),
            Mode::Acquire => Access::ordered(Order::Acquire),
            Mode::Release => Access::ordered(Order::Release),
            Mode::Volatile => Access::ordered(Order::SeqCst).tagged("volatile"),
        }
    }

    /// The access of a read-modify-write, which is at least opaque: it is one event.
    fn update(self) -> Access {
        if self == Mode::Plain { Mode::Opaque.access() } else { self.access() }
    }

    /// The access of a compare-and-set that fails, and only reads.
    fn failure(self) -> Access {
        if self == Mode::Release { Access::plain() } else { self.access() }
    }
}

/// What a method does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Method {
    Get(Mode),
    Set(Mode),
    CompareAndSet { mode: Mode, weak: bool },
    CompareAndExchange(Mode),
    GetAndSet(Mode),
    GetAndUpdate(Operator, Mode),
}

impl Method {
    /// The method of that name.
    fn named(name: &str) -> Option<Method> {
        use Mode::*;
        // Accesses are plain unless their name says otherwise, updates are volatile.
        match Mode::split(name, Plain) {
            ("get", mode @ (Plain | Opaque | Acquire | Volatile)) => return Some(Method::Get(mode)),
            ("set", mode @ (Plain | Opaque | Release | Volatile)) => return Some(Method::Set(mode)),
            _ => {}
        }
        let (stem, mode) = Mode::split(name, Volatile);
        let update = |operator| (mode != Plain && mode != Opaque).then_some(Method::GetAndUpdate(operator, mode));
        match stem {
            "compareAndSet" if name == stem => Some(Method::CompareAndSet { mode, weak: false }),
            "weakCompareAndSet" if mode != Opaque => Some(Method::CompareAndSet { mode, weak: true }),
            "compareAndExchange" if mode != Plain && mode != Opaque => Some(Method::CompareAndExchange(mode)),
            "getAndSet" if mode != Plain && mode != Opaque => Some(Method::GetAndSet(mode)),
            "getAndAdd" => update(Operator::Add),
            "getAndBitwiseOr" => update(Operator::Or),
            "getAndBitwiseAnd" => update(Operator::And),
            "getAndBitwiseXor" => update(Operator::Xor),
            _ => None,
        }
    }

    fn arguments(&self) -> usize {
        match self {
            Method::Get(_) => 0,
            Method::Set(_) | Method::GetAndSet(_) | Method::GetAndUpdate(..) => 1,
            Method::CompareAndSet { .. } | Method::CompareAndExchange(_) => 2,
        }
    }
}

impl Lowering<'_> {
    /// A call of a method.
    pub fn method(
        &mut self,
        (receiver, name): (&str, &str),
        arguments: &[Expression],
        into: Into,
        span: Span,
    ) -> Result<Typed, Diagnostic> {
        if receiver == "VarHandle" {
            return self.fence(name, arguments, span);
        }
        let Some(method) = Method::named(name) else {
            return Err(Unsupported::new(format!("the method `{name}`"), Some(span)).into());
        };
        if arguments.len() != method.arguments() {
            let (wanted, given) = (method.arguments(), arguments.len());
            return Err(Diagnostic::error(format!("`{name}` takes {wanted} arguments, here are {given}"), span));
        }
        let address = self.handle(receiver, span)?;
        let mut operands = Vec::new();
        for argument in arguments {
            let value = self.value(argument, None)?;
            operands.push(self.convert(value, INT)?);
        }
        let (first, second) = (operands.first().cloned(), operands.get(1).cloned());
        match (method, first, second) {
            (Method::Get(mode), ..) => {
                let target = self.target(into, INT);
                self.code.emit(InstructionKind::Load { target, address, access: mode.access() }, self.span);
                Ok(Typed { operand: Operand::Register(target), declared: INT })
            }
            (Method::Set(mode), Some(value), _) => {
                self.code.emit(InstructionKind::Store { address, value, access: mode.access() }, self.span);
                Ok(Typed { declared: VOID, ..number(0, INT) })
            }
            (Method::GetAndSet(mode), Some(value), _) => Ok(self.update(address, Update::Exchange(value), mode, into)),
            (Method::GetAndUpdate(operator, mode), Some(value), _) => {
                Ok(self.update(address, Update::Apply(operator, value), mode, into))
            }
            (Method::CompareAndSet { mode, weak }, Some(expected), Some(desired)) => {
                let success = self.target(into, INT);
                let update = Update::CompareExchange { expected, desired, success, weak, failure: mode.failure() };
                self.update(address, update, mode, None);
                Ok(Typed { operand: Operand::Register(success), declared: INT })
            }
            (Method::CompareAndExchange(mode), Some(expected), Some(desired)) => {
                let success = self.code.temporary();
                let update =
                    Update::CompareExchange { expected, desired, success, weak: false, failure: mode.failure() };
                Ok(self.update(address, update, mode, into))
            }
            // The number of arguments was compared.
            (_, None, _) | (_, _, None) => Err(Diagnostic::error("an argument is missing", span)),
        }
    }

    /// A read-modify-write; its value is the one that it saw.
    fn update(&mut self, address: Operand, update: Update, mode: Mode, into: Into) -> Typed {
        let target = self.target(into, INT);
        let access = mode.update();
        self.code.emit(InstructionKind::ReadModifyWrite { target, address, update, access }, self.span);
        Typed { operand: Operand::Register(target), declared: INT }
    }

    /// The address that a handle stands for.
    fn handle(&mut self, name: &str, span: Span) -> Result<Operand, Diagnostic> {
        let constant = self.initial_constant(name);
        let Some((Constant::Address(location, index), place)) = constant else {
            let error = Diagnostic::error(format!("`{name}` is not a handle of a location"), span);
            return Err(error.note(format!("the initial state says of which: `0:{name}=x;`")));
        };
        let id = self.memory.global(&location);
        self.memory.access(id, INT.width, span)?;
        self.memory.value(&Constant::Address(location, index), 64, place).map(Operand::Constant)
    }

    /// A call without a receiver: a fence.
    pub fn fence(&mut self, name: &str, arguments: &[Expression], span: Span) -> Result<Typed, Diagnostic> {
        let access = match name {
            "fullFence" => Access::ordered(Order::SeqCst).tagged("V"),
            "acquireFence" | "loadLoadFence" => Access::ordered(Order::Acquire),
            "releaseFence" | "storeStoreFence" => Access::ordered(Order::Release),
            _ => return Err(Diagnostic::error(format!("unknown function `{name}`"), span)),
        };
        if !arguments.is_empty() {
            return Err(Diagnostic::error(format!("`{name}` takes no arguments"), span));
        }
        self.code.emit(InstructionKind::Fence { access }, self.span);
        Ok(Typed { declared: VOID, ..number(0, INT) })
    }
}
