//! What a program prints, as part of its final states: a global that nothing else accesses keeps it, an entry for each number, string constant
//! or character. Text that goes to either stream stands in the order in which it is printed, as on a terminal. Printing orders nothing.

use program::{Global, InstructionKind, Program, Value};

use super::Interpreter;
use crate::state::State;
use crate::word::{Address, Word};

/// What the global's cells hold at first, by which it is known.
const NOTHING: &str = "nothing printed";
/// More is not kept: then the text ends with dots.
const LONGEST: usize = 4096;

/// The labels of what is printed, but for `out` or `err` before them, and what a value stands for under each.
const KINDS: [&str; 4] = ["", ".char", ".double", ".float"];

/// Whether a program prints something.
pub fn prints(program: &Program) -> bool {
    program
        .instructions()
        .any(|one| matches!(&one.kind, InstructionKind::Observe { label, .. } if kind(label).is_some()))
}

/// Which of [`KINDS`] a label is.
fn kind(label: &str) -> Option<i64> {
    let rest = label.strip_prefix("out").or(label.strip_prefix("err"))?;
    (0..).zip(KINDS).find(|(_, kind)| *kind == rest).map(|(number, _)| number)
}

/// Adds the global that keeps what is printed; its number.
pub fn add(program: &mut Program) -> u32 {
    let default = Value::Composite(NOTHING.into(), Vec::new());
    program.globals.push(Global { name: "printed".into(), cells: Vec::new(), default, extent: None, span: None });
    program.globals.len() as u32 - 1
}

/// The global that keeps what is printed; `None` in programs where nothing does.
pub(crate) fn of(program: &Program) -> Option<u32> {
    let is_console =
        |global: &Global| matches!(&global.default, Value::Composite(tag, of) if **tag == *NOTHING && of.is_empty());
    program.globals.last().filter(|last| is_console(last)).map(|_| program.globals.len() as u32 - 1)
}

impl Interpreter<'_> {
    /// Whether an instruction prints something that is kept.
    pub(crate) fn prints(&self, instruction: &InstructionKind) -> bool {
        self.console.is_some() && matches!(instruction, InstructionKind::Observe { label, .. } if kind(label).is_some())
    }

    /// Keeps what is printed.
    pub(crate) fn print(&mut self, state: &mut State, label: &str, value: Word) {
        let (Some(console), Some(kind)) = (self.console, kind(label)) else { return };
        let Some(block) = state.heap.get(console as usize) else { return };
        let count = block.cells.len();
        if count <= LONGEST {
            let path = self.words.path(&[count as i64, kind]);
            state.put(Address { allocation: console, path }, value);
        }
    }

    /// What was printed.
    pub(crate) fn printed(&self, state: &State, console: u32) -> String {
        let Some(block) = state.heap.get(console as usize) else { return String::new() };
        let entry = |(path, value): &(crate::word::PathId, Word)| {
            let path = self.words.pointer(Address { allocation: console, path: *path }).path;
            (path, *value)
        };
        let mut entries: Vec<(Vec<i64>, Word)> = block.cells.iter().map(entry).collect();
        entries.sort();
        let dots = if entries.len() > LONGEST { "..." } else { "" };
        let said = entries.iter().map(|(path, value)| self.entry(path.last().copied().unwrap_or(0), *value));
        said.collect::<String>() + dots
    }

    fn entry(&self, kind: i64, value: Word) -> String {
        match (kind, value.as_int()) {
            (1, Some(unit)) => String::from_utf16_lossy(&[unit.unsigned() as u16]),
            (2, Some(bits)) => format!("{:?}", f64::from_bits(bits.unsigned())),
            (3, Some(bits)) => format!("{:?}", f32::from_bits(bits.unsigned() as u32)),
            (_, Some(number)) => number.signed().to_string(),
            (_, None) => self.constant_text(value),
        }
    }

    /// A string constant is a global that is named as Java writes it.
    fn constant_text(&self, value: Word) -> String {
        let value = self.words.value(value);
        let Value::Pointer(pointer) = &value else { return self.program.value_name(&value) };
        let cells = self.program.globals.get(pointer.allocation as usize).map_or(&[][..], |global| &global.cells);
        let unit = |(path, value): &(Vec<i64>, Value)| match value {
            Value::Int(unit) => Some((*path.last()?, unit.unsigned() as u16)),
            _ => None,
        };
        let mut characters: Vec<(i64, u16)> = cells.iter().filter_map(unit).collect();
        characters.sort_unstable();
        let units: Vec<u16> = characters.into_iter().map(|(_, unit)| unit).collect();
        String::from_utf16_lossy(&units)
    }
}
