//! X86 machine code of 32 and 64 bits.
//!
//! - `X86`: operands in Intel's order, target first: `MOV [x],$1`, `mov EAX, [x]`, `XCHG [x],EAX`.
//! - `X86_64`: the order of AT&T, source first: `movl $1,(x)`, `movq (%rax),%rbx`; but as in herd7 the target first in
//!   `cmpxchgl (x),%ebx` and `cmovcl %eax,(x)`. Where a register and a memory cell tell the two orders apart, both are read.
//!
//! Plain moves and arithmetic on memory are plain accesses. Locked instructions, and `XCHG` with memory, which is locked
//! by itself, are read-modify-writes of the set `X`. An instruction that reads and writes memory without a lock is a
//! plain load and a plain store: other threads may write in between. Fences carry their name as a set.
//!
//! Registers are those of full width (`EAX` in X86, `rax` in X86_64); `ax`, `al` and in X86_64 `eax` are views of them:
//! writing 32 bits of a 64-bit register clears its upper half, writing fewer keeps the other bits. The flags ZF, SF, CF
//! and OF are registers; an instruction computes those that some instruction of the thread looks at.
//!
//! A failed `CMPXCHG` does not write. On hardware it writes the old value back, which no other thread can tell.
//!
//! Refused: accesses of one location with different widths, stack instructions, string and vector instructions,
//! non-temporal stores, bit tests, multiplication and division, the parity flag, the second byte of a register (`ah`).

mod flags;
mod instruction;
mod lower;
mod place;
mod register;

use program::{Diagnostic, InstructionKind, Operand, Operator, RegisterId, Span, Value};

use super::code::Code;
use super::init::Init;
use super::lexer::Tokens;
use super::memory::Memory;
use super::messages::Messages;
use super::table;
use instruction::Line;
use register::Register;

/// Which of the two machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// 32 bits, Intel's operand order.
    X86,
    /// 64 bits, AT&T's operand order.
    X86_64,
}

impl Machine {
    /// Width of a register in bits.
    fn word(self) -> u8 {
        match self {
            Machine::X86 => 32,
            Machine::X86_64 => 64,
        }
    }
}

/// Reads the table of code and lowers it, one function per thread.
pub(super) fn threads(
    machine: Machine,
    tokens: &mut Tokens<'_>,
    init: &Init,
    memory: &mut Memory,
    messages: &mut Messages,
) -> Option<Vec<Code>> {
    let columns = table::parse(tokens, messages)?;
    let mut threads = Vec::new();
    for (number, cells) in columns.into_iter().enumerate() {
        let mut code = Code::new(format!("P{number}"), None);
        initialise(machine, &mut code, number, init, memory, messages);
        let mut lines: Vec<Line> = Vec::new();
        for mut cell in cells {
            if !messages.enough() {
                messages.note(instruction::parse(machine, &mut cell, &mut lines));
            }
        }
        lower::lower(machine, &lines, &mut code, memory, messages);
        threads.push(code);
    }
    for entry in init.registers.iter().filter(|entry| entry.thread as usize >= threads.len()) {
        messages.push(Diagnostic::warning(format!("there is no thread P{}", entry.thread), entry.span));
    }
    messages.note(memory.check_widths());
    Some(threads)
}

/// Gives the registers of one thread the values of the initial state.
fn initialise(
    machine: Machine,
    code: &mut Code,
    number: usize,
    init: &Init,
    memory: &mut Memory,
    messages: &mut Messages,
) {
    for entry in init.registers.iter().filter(|entry| entry.thread as usize == number) {
        let Some(register) = messages.note(Register::named(machine, &entry.name, entry.span)) else { continue };
        // A view of a register is initialised with the rest of it clear.
        if let Some(value) = messages.note(memory.value(&entry.value, register.width, entry.span)) {
            let value = match value {
                Value::Int(int) if register.width < machine.word() => Value::int(int.unsigned() as i64, machine.word()),
                value => value,
            };
            code.named_or(register.full_name(machine), value);
        }
    }
}

/// [`observe`] for [`Machine::X86`].
pub(super) fn observe_x86(code: &mut Code, name: &str, at: Span, _: &mut Messages) -> Result<RegisterId, Diagnostic> {
    observe(Machine::X86, code, name, at)
}

/// [`observe`] for [`Machine::X86_64`].
pub(super) fn observe_x86_64(
    code: &mut Code,
    name: &str,
    at: Span,
    _: &mut Messages,
) -> Result<RegisterId, Diagnostic> {
    observe(Machine::X86_64, code, name, at)
}

/// The register to look at for `name` at the end. For a view, a register of its own that is computed last.
fn observe(machine: Machine, code: &mut Code, name: &str, span: Span) -> Result<RegisterId, Diagnostic> {
    let register = Register::named(machine, name, span)?;
    let full = code.named_or(register.full_name(machine), Value::int(0, machine.word()));
    if register.width == machine.word() {
        return Ok(full);
    }
    let name = name.to_ascii_lowercase();
    if let Some(view) = code.named(&name) {
        return Ok(view);
    }
    let view = code.named_or(&name, Value::int(0, register.width));
    let operator = Operator::Resize { width: register.width, signed: false };
    code.at_return(&InstructionKind::Assign { target: view, operator, operands: vec![Operand::Register(full)] });
    Ok(view)
}
