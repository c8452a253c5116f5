//! Atomic accesses of several cells: their parts happen in one step, an atomic block.
//!
//! In which direction this errs: on a machine without buffers it is exact. Where there are some, the step is a locked instruction:
//! that is right for what reads and writes, and for a store with a full fence behind it. Who asks about another model is refused for
//! all others, which the tag [`Access::STEP`] shows.

use program::{Access, InstructionKind, Operand, Operator, Order, RegisterId, Update};

use super::{Pieces, number};

impl Pieces<'_> {
    /// Puts the parts of an access into one step if it is atomic and has several.
    pub(super) fn in_step(&mut self, access: &Access, parts: impl FnOnce(&mut Self, &Access)) {
        if access.order == Order::Plain || i64::from(access.bytes) == self.unit {
            return parts(self, access);
        }
        self.code.push(InstructionKind::AtomicBegin);
        parts(self, &access.clone().tagged(Access::STEP));
        self.code.push(InstructionKind::AtomicEnd);
    }

    /// Reads, and writes what comes of it.
    pub(super) fn update(&mut self, target: RegisterId, address: &Operand, update: Update, access: &Access) {
        // A weak comparison may fail although the values are equal.
        let may_swap = match &update {
            Update::CompareExchange { weak: true, .. } => {
                let target = self.register();
                self.code.push(InstructionKind::Choose { target, low: 0, high: 1, width: 32 });
                Some(Operand::Register(target))
            }
            _ => None,
        };
        self.code.push(InstructionKind::AtomicBegin);
        let access = access.clone().tagged(Access::STEP);
        self.load(target, address, &Access { order: of_read(access.order), ..access.clone() });
        let new = self.updated(Operand::Register(target), update, may_swap);
        self.store(address, &new, &Access { order: of_write(access.order), ..access }, false);
        self.code.push(InstructionKind::AtomicEnd);
    }

    /// What an update writes; a comparison that fails writes what it read, as the instruction does.
    fn updated(&mut self, old: Operand, update: Update, may_swap: Option<Operand>) -> Operand {
        match update {
            Update::Exchange(new) => new,
            Update::Apply(operator, operand) => self.compute(operator, vec![old, operand]),
            Update::CompareExchange { expected, desired, success, .. } => {
                let is_equal = self.compute(Operator::Eq, vec![old.clone(), expected]);
                let operands = [Some(is_equal), may_swap].into_iter().flatten();
                let swaps = operands.reduce(|equal, may| self.compute(Operator::And, vec![equal, may]));
                let swaps = swaps.unwrap_or_else(|| number(0, 32));
                let (operator, operands) = (Operator::Copy, vec![swaps.clone()]);
                self.code.push(InstructionKind::Assign { target: success, operator, operands });
                self.compute(Operator::Select, vec![swaps, desired, old])
            }
        }
    }
}

/// The order of the read of a read-modify-write.
fn of_read(order: Order) -> Order {
    match order {
        Order::Plain | Order::Relaxed | Order::Release => Order::Relaxed,
        Order::AcquireRelease => Order::Acquire,
        Order::Consume | Order::Acquire | Order::SeqCst => order,
    }
}

/// The order of the write of a read-modify-write.
fn of_write(order: Order) -> Order {
    match order {
        Order::Plain | Order::Relaxed | Order::Consume | Order::Acquire => Order::Relaxed,
        Order::AcquireRelease => Order::Release,
        Order::Release | Order::SeqCst => order,
    }
}
