//! Exception handlers. Exceptions are not modelled, so a handler may be left out only if nothing that is modelled can lead
//! to it, or if it does no more than end the thread cleanly.

use cafebabe::attributes::ExceptionTableEntry;
use cafebabe::bytecode::Opcode;

use super::class::Body;

/// Offset and description of the first handler that cannot be left out.
pub fn refused(body: &Body) -> Option<(usize, String)> {
    let kept = body.handlers.iter().find(|handler| !releases_monitor(body, handler) && !is_interrupt(handler))?;
    let caught = kept.catch_type.as_deref().map(super::places::shown);
    let what = caught.map_or("`finally`".to_string(), |class| format!("`catch ({class})`"));
    Some((kept.handler_pc.into(), what))
}

/// What javac adds to `synchronized`: on any exception release the monitor and throw the exception again.
fn releases_monitor(body: &Body, handler: &ExceptionTableEntry) -> bool {
    let start = body.opcodes.partition_point(|(offset, _)| *offset < usize::from(handler.handler_pc));
    let code: Vec<&Opcode> = body.opcodes[start..].iter().take(5).map(|(_, opcode)| opcode).collect();
    handler.catch_type.is_none()
        && matches!(code[..], [Opcode::Astore(caught), Opcode::Aload(_), Opcode::Monitorexit, Opcode::Aload(thrown), Opcode::Athrow] if caught == thrown)
}

/// Nothing that is modelled interrupts a thread.
fn is_interrupt(handler: &ExceptionTableEntry) -> bool {
    handler.catch_type.as_deref() == Some("java/lang/InterruptedException")
}
