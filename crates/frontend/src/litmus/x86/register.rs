//! Registers and their views.

use program::{Diagnostic, Span, Unsupported};

use super::Machine;

/// A register or a view of its low bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Index in [`NAMES`].
    number: usize,
    /// How many of its bits are meant.
    pub width: u8,
}

/// Names by width: of 64, 32, 16 and 8 bits.
const NAMES: [[&str; 4]; 16] = [
    ["rax", "eax", "ax", "al"],
    ["rbx", "ebx", "bx", "bl"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rsi", "esi", "si", "sil"],
    ["rdi", "edi", "di", "dil"],
    ["rbp", "ebp", "bp", "bpl"],
    ["rsp", "esp", "sp", "spl"],
    ["r8", "r8d", "r8w", "r8b"],
    ["r9", "r9d", "r9w", "r9b"],
    ["r10", "r10d", "r10w", "r10b"],
    ["r11", "r11d", "r11w", "r11b"],
    ["r12", "r12d", "r12w", "r12b"],
    ["r13", "r13d", "r13w", "r13b"],
    ["r14", "r14d", "r14w", "r14b"],
    ["r15", "r15d", "r15w", "r15b"],
];

/// Names of the registers of X86, as herd7 shows them.
const NAMES_32: [&str; 8] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP", "ESP"];

/// Names that are registers but not modelled.
const FOREIGN: &[&str] = &["ah", "bh", "ch", "dh", "rip", "eip", "ip", "cs", "ds", "es", "fs", "gs", "ss"];

/// The accumulator of that width.
pub fn accumulator(width: u8) -> Register {
    Register { number: 0, width }
}

impl Register {
    /// The register of that name, in upper or lower case; `None` for any other word.
    pub fn find(machine: Machine, name: &str) -> Option<Register> {
        let name = name.to_ascii_lowercase();
        for (number, names) in NAMES.iter().enumerate() {
            if let Some(column) = names.iter().position(|&other| other == name) {
                let width = [64, 32, 16, 8][column];
                let exists = machine == Machine::X86_64 || width < 64 && number < NAMES_32.len();
                return exists.then_some(Register { number, width });
            }
        }
        None
    }

    /// The register of that name, which must be one.
    pub fn named(machine: Machine, name: &str, span: Span) -> Result<Register, Diagnostic> {
        match Register::find(machine, name) {
            Some(register) => Ok(register),
            None if Register::is_foreign(name) => {
                Err(Unsupported::new(format!("the register `{name}`"), Some(span)).into())
            }
            None => Err(Diagnostic::error(format!("`{name}` is not a register"), span)),
        }
    }

    /// Whether the word names a register that is not modelled.
    pub fn is_foreign(name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        FOREIGN.contains(&name.as_str()) || name.starts_with("xmm") || name.starts_with("ymm")
    }

    /// The name of the whole register.
    pub fn full_name(self, machine: Machine) -> &'static str {
        match machine {
            Machine::X86 => NAMES_32[self.number.min(NAMES_32.len() - 1)],
            Machine::X86_64 => NAMES[self.number][0],
        }
    }
}
