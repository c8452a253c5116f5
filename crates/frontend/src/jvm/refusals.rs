//! What is not modelled is listed as a whole: behind a refused instruction lowering goes on with placeholders, so that what
//! else is refused is found, too. What was lowered so is never run.

use cafebabe::bytecode::Opcode;
use program::Diagnostic;

use super::class::{Kind, signature};

/// How many refusals are listed.
pub const MOST: usize = 20;

/// What an instruction takes from the operand stack, the last on top, and what it leaves there. Only for instructions that
/// may be refused and behind which lowering can go on.
pub fn effect(opcode: &Opcode) -> Option<(Vec<Kind>, Option<Kind>)> {
    let with_receiver = |descriptor: &str| {
        let (mut taken, left) = signature(descriptor)?;
        taken.insert(0, Kind::Reference);
        Some((taken, left))
    };
    let of_field = |descriptor: &str| signature(&format!("(){descriptor}"))?.1;
    match opcode {
        Opcode::Invokestatic(member) => signature(&member.name_and_type.descriptor),
        Opcode::Invokespecial(member) | Opcode::Invokevirtual(member) | Opcode::Invokeinterface(member, _) => {
            with_receiver(&member.name_and_type.descriptor)
        }
        Opcode::Invokedynamic(call) => signature(&call.name_and_type.descriptor),
        Opcode::New(_) => Some((Vec::new(), Some(Kind::Reference))),
        Opcode::Getstatic(member) => Some((Vec::new(), Some(of_field(&member.name_and_type.descriptor)?))),
        Opcode::Getfield(member) => Some((vec![Kind::Reference], Some(of_field(&member.name_and_type.descriptor)?))),
        Opcode::Putstatic(member) => Some((vec![of_field(&member.name_and_type.descriptor)?], None)),
        Opcode::Putfield(member) => Some((vec![Kind::Reference, of_field(&member.name_and_type.descriptor)?], None)),
        _ => None,
    }
}

/// Whether a message says that something is not modelled, and not that it is wrong.
pub fn is_refusal(message: &Diagnostic) -> bool {
    message.is_unsupported
}

/// The messages in the order of the sources, each once. That the constructor of a class is refused whose objects are is no news.
pub fn sorted(mut messages: Vec<Diagnostic>) -> Vec<Diagnostic> {
    messages.sort_by_key(|message| message.span.map(|span| (span.file, span.start)));
    let mut kept: Vec<Diagnostic> = Vec::new();
    for message in messages {
        let is_known = |other: &Diagnostic| {
            other.span == message.span && (other.message == message.message || message.message.contains(".<init>"))
        };
        if kept.len() < MOST && !kept.iter().any(is_known) {
            kept.push(message);
        }
    }
    kept
}
