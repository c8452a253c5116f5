//! Daemon threads: the program is over once all other threads have ended, whatever daemons do then.
//!
//! To the engines a program may end with its first thread. So that thread waits, when `main` has ended, until no other thread is left that
//! is not a daemon; these are counted. The count is no variable of the program, and orders nothing.

use program::{Access, InstructionKind, Operand, Operator, Order, Span, Update, Value};

use crate::jvm::code::Code;

use super::terms::zero;
use super::world::World;

/// What the count is called.
const COUNT: &str = "threads that are not daemons";

fn uncounted() -> Access {
    Access::ordered(Order::Relaxed).tagged("identity")
}

/// The instruction that counts a thread when it starts, or when it has ended; none if there are no daemons.
pub fn count(world: &mut World, code: &mut Code, thread: Operand, starts: bool, span: Span) -> Option<InstructionKind> {
    let field = world.find_field("java/lang/Thread", "daemon", false).filter(|_| world.facts.daemons)?;
    let cell = Operand::Constant(Value::int(world.cell(field), 32));
    let address = code.compute(Operator::Offset, vec![thread, cell], span);
    let is_daemon = code.temporary();
    code.emit(InstructionKind::Load { target: is_daemon, address, access: uncounted() }, span);
    let (is_daemon, one) = (Operand::Register(is_daemon), Operand::Constant(Value::int(1, 32)));
    let operands = if starts { vec![one, is_daemon] } else { vec![is_daemon, one] };
    let by = code.compute(Operator::Sub, operands, span);
    let address = Operand::Constant(world.memory.word(COUNT.into()));
    let update = Update::Apply(Operator::Add, by);
    Some(InstructionKind::ReadModifyWrite { target: code.temporary(), address, update, access: uncounted() })
}

/// Waits until all threads have ended that are not daemons, if there are any.
pub fn await_others(world: &mut World, code: &mut Code, span: Span) {
    if !world.facts.daemons {
        return;
    }
    let address = Operand::Constant(world.memory.word(COUNT.into()));
    let left = code.temporary();
    code.emit(InstructionKind::AtomicBegin, span);
    code.emit(InstructionKind::Load { target: left, address, access: uncounted() }, span);
    let condition = code.compute(Operator::Eq, vec![Operand::Register(left), zero()], span);
    code.emit(InstructionKind::Await { condition }, span);
    code.emit(InstructionKind::AtomicEnd, span);
}
