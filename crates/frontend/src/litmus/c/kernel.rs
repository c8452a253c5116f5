//! The primitives of the Linux kernel, as the kernel's own definitions for herd7 (`linux-kernel.def`) give them: plain accesses and
//! fences with tags, which mean what a model with the kernel's bell file makes of them.
//!
//! - A read-modify-write is a read and a write, both tagged `rmw`, and each with the tag of its own; fully ordered ones stand between
//!   two `mb` fences.
//! - A compare-exchange that fails is a read tagged `once`. So the fully ordered one, which has its fences only where it succeeds, is
//!   refused: no instruction here is a fence or not by what comes after it.
//!
//! Refused besides: locks, RCU, and `atomic_fetch_*`, which C11 has with other arguments.

use program::{Access, Diagnostic, InstructionKind, Operand, Operator, Span, Unsupported, Update, Value};

use super::atomics::no_value;
use super::lower::Lowering;
use super::place::{Place, access};
use super::syntax::Expression;
use super::typed::{Into, Typed};
use crate::litmus::types::{INT, Type};

/// What a function does. Its arguments stand in the kernel's order.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Primitive {
    /// `f(object)` of an object with this tag.
    Load(Object, &'static str),
    /// `f(object, value)`, with an `mb` fence behind it if so.
    Store(Object, &'static str, Behind),
    Fence(&'static str),
    /// `f(pointer, value)`.
    Exchange(Strength),
    /// `f(pointer, expected, desired)`.
    CompareExchange(Strength),
    /// `f(operand, pointer)`, or `f(pointer)` where the operand is 1.
    Update {
        operator: Operator,
        by_one: bool,
        gives: Gives,
        strength: Strength,
    },
}

/// How the first argument names what is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Object {
    /// By itself: `*x`.
    Itself,
    /// By its address: `x`.
    Address,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    Nothing,
    Fence,
}

/// What a read-modify-write is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    Nothing,
    New,
    /// Whether the new value is 0.
    IsZero,
}

/// How a read-modify-write is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strength {
    /// One that gives no value.
    Noreturn,
    Relaxed,
    Acquire,
    Release,
    Full,
}

impl Strength {
    /// Splits a name at its end: `xchg_acquire` is `xchg` and `Acquire`.
    fn split(name: &str) -> (&str, Strength) {
        let all = [("_relaxed", Strength::Relaxed), ("_acquire", Strength::Acquire), ("_release", Strength::Release)];
        let found = all.into_iter().find_map(|(end, strength)| Some((name.strip_suffix(end)?, strength)));
        found.unwrap_or((name, Strength::Full))
    }

    /// The access of a read-modify-write: its read and its write have tags of their own.
    fn access(self) -> Access {
        let (read, write) = match self {
            Strength::Noreturn => ("R'noreturn", "W'once"),
            Strength::Relaxed | Strength::Full => ("R'once", "W'once"),
            Strength::Acquire => ("R'acquire", "W'once"),
            Strength::Release => ("R'once", "W'release"),
        };
        Access::plain().tagged(Access::KERNEL_UPDATE).tagged(read).tagged(write)
    }
}

impl Primitive {
    fn named(name: &str) -> Option<Primitive> {
        use Object::{Address, Itself};
        use Primitive::{CompareExchange, Exchange, Fence, Load, Store};
        Some(match name {
            "READ_ONCE" | "rcu_dereference" => Load(Itself, "'once"),
            "atomic_read" => Load(Address, "'once"),
            "smp_load_acquire" | "atomic_read_acquire" => Load(Address, "'acquire"),
            "WRITE_ONCE" => Store(Itself, "'once", Behind::Nothing),
            "smp_store_mb" => Store(Itself, "'once", Behind::Fence),
            "atomic_set" => Store(Address, "'once", Behind::Nothing),
            "rcu_assign_pointer" => Store(Itself, "'release", Behind::Nothing),
            "smp_store_release" | "atomic_set_release" => Store(Address, "'release", Behind::Nothing),
            "smp_mb" => Fence("'mb"),
            "smp_rmb" => Fence("'rmb"),
            "smp_wmb" => Fence("'wmb"),
            "smp_mb__before_atomic" => Fence("'before-atomic"),
            "smp_mb__after_atomic" => Fence("'after-atomic"),
            "barrier" => Fence("'barrier"),
            _ => match Strength::split(name) {
                ("xchg" | "atomic_xchg", strength) => Exchange(strength),
                ("cmpxchg" | "atomic_cmpxchg", strength) => CompareExchange(strength),
                (stem, strength) => return Primitive::update(stem, strength),
            },
        })
    }

    /// `atomic_inc`, `atomic_add_return`, `atomic_dec_and_test` and their like.
    fn update(stem: &str, strength: Strength) -> Option<Primitive> {
        let rest = stem.strip_prefix("atomic_")?;
        let (operation, gives) = match (rest.strip_suffix("_return"), rest.strip_suffix("_and_test")) {
            (Some(operation), _) => (operation, Gives::New),
            (_, Some(operation)) if strength == Strength::Full => (operation, Gives::IsZero),
            (None, None) if strength == Strength::Full => (rest, Gives::Nothing),
            _ => return None,
        };
        let (operator, by_one) = match operation {
            "add" => (Operator::Add, false),
            "sub" => (Operator::Sub, false),
            "inc" => (Operator::Add, true),
            "dec" => (Operator::Sub, true),
            _ => return None,
        };
        let strength = if gives == Gives::Nothing { Strength::Noreturn } else { strength };
        Some(Primitive::Update { operator, by_one, gives, strength })
    }

    fn arguments(&self) -> usize {
        match self {
            Primitive::Fence(_) => 0,
            Primitive::Load(..) | Primitive::Update { by_one: true, .. } => 1,
            Primitive::Store(..) | Primitive::Exchange(_) | Primitive::Update { .. } => 2,
            Primitive::CompareExchange(_) => 3,
        }
    }
}

impl Lowering<'_> {
    /// A call of a primitive of the kernel; `None` if it is none that is known.
    pub fn kernel_call(
        &mut self,
        name: &str,
        arguments: &[Expression],
        into: Into,
        span: Span,
    ) -> Option<Result<Typed, Diagnostic>> {
        let primitive = Primitive::named(name)?;
        if arguments.len() != primitive.arguments() {
            let message = format!("`{name}` takes {} arguments, here are {}", primitive.arguments(), arguments.len());
            return Some(Err(Diagnostic::error(message, span)));
        }
        let behind = span.start as usize + name.len();
        let parts = [(span.start as usize, behind), (behind, span.end as usize)];
        let parts = parts.map(|(start, end)| Span::new(span.file, start, end));
        Some(self.primitive(primitive, arguments, into, (span, parts)))
    }

    /// `parts` are the name of the call and the rest of it.
    fn primitive(
        &mut self,
        primitive: Primitive,
        arguments: &[Expression],
        into: Into,
        (span, parts): (Span, [Span; 2]),
    ) -> Result<Typed, Diagnostic> {
        match (primitive, arguments) {
            (Primitive::Load(object, tag), [of]) => {
                let (address, declared) = self.accessed(object, of)?;
                let target = self.target(into, declared);
                let access = access(Access::plain().tagged(tag), declared);
                self.code.emit(InstructionKind::Load { target, address, access }, self.span);
                Ok(Typed { operand: Operand::Register(target), declared })
            }
            (Primitive::Store(object, tag, behind), [of, value]) => {
                let (address, declared) = self.accessed(object, of)?;
                let value = self.as_value(value, declared)?;
                let access = access(Access::plain().tagged(tag), declared);
                self.code.emit(InstructionKind::Store { address, value, access }, self.span);
                if behind == Behind::Fence {
                    self.kernel_fence("'mb", parts[1]);
                }
                Ok(no_value())
            }
            (Primitive::Exchange(strength), [object, value]) => {
                let (address, declared) = self.accessed(Object::Address, object)?;
                let update = Update::Exchange(self.as_value(value, declared)?);
                Ok(self.kernel_update((address, declared), update, strength, (into, parts)))
            }
            (Primitive::CompareExchange(Strength::Full), _) => {
                let what = "a fully ordered compare-exchange of the kernel, which is a fence only where it succeeds,";
                Err(Unsupported::new(what, Some(span)).into())
            }
            (Primitive::CompareExchange(strength), [object, expected, desired]) => {
                let (address, declared) = self.accessed(Object::Address, object)?;
                let (expected, desired) = (self.as_value(expected, declared)?, self.as_value(desired, declared)?);
                let success = self.code.temporary();
                let failure = Strength::Relaxed.access();
                let update = Update::CompareExchange { expected, desired, success, weak: false, failure };
                Ok(self.kernel_update((address, declared), update, strength, (into, parts)))
            }
            (Primitive::Update { operator, gives, strength, .. }, [others @ .., object]) => {
                let operand = match others {
                    [operand, ..] => self.as_value(operand, INT)?,
                    [] => Operand::Constant(Value::int(1, INT.width)),
                };
                let (address, declared) = self.accessed(Object::Address, object)?;
                let update = Update::Apply(operator.clone(), operand.clone());
                let old = self.kernel_update((address, declared), update, strength, (None, parts));
                let new = |this: &mut Self| this.code.compute(operator, vec![old.operand, operand], this.span);
                let operand = match gives {
                    Gives::Nothing => return Ok(no_value()),
                    Gives::New => new(self),
                    Gives::IsZero => {
                        let zero = Operand::Constant(Value::int(0, INT.width));
                        let new = new(self);
                        self.code.compute(Operator::Eq, vec![new, zero], self.span)
                    }
                };
                Ok(Typed { operand, declared: INT })
            }
            (Primitive::Fence(tag), _) => {
                self.kernel_fence(tag, self.span);
                Ok(no_value())
            }
            // The arguments were counted.
            _ => Err(Diagnostic::error("an argument is missing", span)),
        }
    }

    /// The address of what an argument names, and its type.
    fn accessed(&mut self, object: Object, argument: &Expression) -> Result<(Operand, Type), Diagnostic> {
        match object {
            Object::Address => {
                let pointer = self.pointer(argument)?;
                Ok((pointer.operand, pointer.declared.pointee()))
            }
            Object::Itself => match self.place(argument)? {
                Place::Memory(address, declared) => Ok((address, declared)),
                Place::Variable(..) => Err(Diagnostic::error("this is no location of memory", argument.span)),
            },
        }
    }

    fn as_value(&mut self, argument: &Expression, declared: Type) -> Result<Operand, Diagnostic> {
        let value = self.value(argument, None)?;
        self.convert(value, declared)
    }

    /// A read-modify-write, between fences if it is fully ordered. herd7 has these in program order with it, so that they are
    /// statements of their own to a model: their spans are parts of the call's.
    fn kernel_update(
        &mut self,
        (address, declared): (Operand, Type),
        update: Update,
        strength: Strength,
        (into, [before, behind]): (Into, [Span; 2]),
    ) -> Typed {
        let is_full = strength == Strength::Full;
        if is_full {
            self.kernel_fence("'mb", before);
        }
        let target = self.target(into, declared);
        let access = access(strength.access(), declared);
        self.code.emit(InstructionKind::ReadModifyWrite { target, address, update, access }, self.span);
        if is_full {
            self.kernel_fence("'mb", behind);
        }
        Typed { operand: Operand::Register(target), declared }
    }

    fn kernel_fence(&mut self, tag: &str, span: Span) {
        self.code.emit(InstructionKind::Fence { access: Access::plain().tagged(tag) }, span);
    }
}
