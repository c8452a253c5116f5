//! The machines: how stores get to memory, in which direction each errs, and which accesses are special to them.

use program::{Access, Guarantee};

/// How stores get to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Machine {
    /// At once.
    Sc,
    /// Through one buffer for each thread.
    Tso,
    /// Through one buffer for each thread and cell.
    Pso,
    /// At once; but a plain read may see any past write that happens-before does not hide.
    JmmUnder,
    /// As with `JmmUnder`, and a plain read may also see a write that is still to come.
    JmmOver,
}

impl Machine {
    /// All machines.
    pub const ALL: [Machine; 5] = [Machine::Sc, Machine::Tso, Machine::Pso, Machine::JmmUnder, Machine::JmmOver];

    /// The machine with this name; `-` may stand for `_`.
    pub fn named(name: &str) -> Option<Machine> {
        Machine::ALL.into_iter().find(|machine| machine.name() == name.replace('-', "_"))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Machine::Sc => "sc",
            Machine::Tso => "tso",
            Machine::Pso => "pso",
            Machine::JmmUnder => "jmm_under",
            Machine::JmmOver => "jmm_over",
        }
    }

    /// In which direction it errs.
    pub fn guarantee(self) -> Guarantee {
        match self {
            Machine::Sc | Machine::Tso | Machine::Pso => Guarantee::Exact,
            Machine::JmmUnder => Guarantee::Under,
            Machine::JmmOver => Guarantee::Over,
        }
    }

    /// Whether stores go through buffers.
    pub fn has_buffers(self) -> bool {
        match self {
            Machine::Tso | Machine::Pso => true,
            Machine::Sc | Machine::JmmUnder | Machine::JmmOver => false,
        }
    }

    /// Whether the stores of a thread get to memory in their order, also those to different cells.
    pub fn keeps_stores_in_order(self) -> bool {
        match self {
            Machine::Sc | Machine::Tso | Machine::JmmUnder | Machine::JmmOver => true,
            Machine::Pso => false,
        }
    }

    /// Whether a state knows what happened before, since reads may see other writes than the last.
    pub fn has_history(self) -> bool {
        match self {
            Machine::JmmUnder | Machine::JmmOver => true,
            Machine::Sc | Machine::Tso | Machine::Pso => false,
        }
    }
}

/// Whether the access is one of what an object is identified by, which is no variable of the program and orders nothing.
pub fn is_identity(access: &Access) -> bool {
    access.tags.iter().any(|tag| &**tag == "identity")
}

/// Whether the access is one of a final field.
pub(crate) fn is_final(access: &Access) -> bool {
    access.tags.iter().any(|tag| &**tag == "final")
}
