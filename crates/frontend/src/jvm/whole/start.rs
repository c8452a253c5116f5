//! What functions need that begin executions: calls whose exceptions nobody catches, and the thread of `main`.

use program::{InstructionKind, Operand, Span, Terminator, Value};

use crate::jvm::code::Code;

use super::functions::Question;
use super::world::World;

/// The span of code that stands nowhere.
pub fn nowhere(world: &World) -> Span {
    world.places.statement((0, 0), 0)
}

/// Calls with the exception as result, and fails if there is one.
pub fn call_to_the_end(
    world: &mut World,
    code: &mut Code,
    call: impl FnOnce(&mut World, Vec<program::RegisterId>) -> InstructionKind,
    span: Span,
) {
    let thrown = code.temporary();
    let call = call(world, vec![thrown]);
    code.emit(call, span);
    let [wrong, right] = std::array::from_fn(|_| code.block(Some(span)));
    code.branch(Operand::Register(thrown), wrong, right, span);
    code.write_in(wrong);
    let fail = world.functions.virtual_call(Question::Uncaught, vec![Operand::Register(thrown)], Vec::new());
    code.emit(fail, span);
    code.end(Terminator::Jump(right));
    code.write_in(right);
}

/// The object of the thread that runs `main`.
pub fn main_thread(world: &mut World) -> Value {
    let name = world.memory.literal(&"main".encode_utf16().collect::<Vec<u16>>());
    let cell = |world: &World, name: &str| {
        world.find_field("java/lang/Thread", name, false).map_or(0, |field| world.cell(field))
    };
    let cells = vec![(vec![cell(world, "name")], name), (vec![cell(world, "begun")], Value::int(1, 32))];
    Value::Pointer(program::Pointer::to(world.memory.object("main thread".into(), "java/lang/Thread", || cells)))
}
