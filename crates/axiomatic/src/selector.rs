//! What may be left open while a core is sought: statements, single accesses of a line that has several, initial values.
//!
//! Each has a selector. While that is false, what the statement gives is arbitrary; so leaving out selectors only adds
//! executions.

use std::collections::{BTreeMap, BTreeSet};

use program::{InstructionKind, Operand, Pointer, Program, Span, ThreadId, Value};
use relation::{Bit, Circuit};

/// Whether statements bind always, or only while their selector is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statements {
    /// Always.
    Fixed,
    /// Only while selected: else what the statement gives (the value it writes, puts in a register, or branches on;
    /// for a fence, whether it is there) is arbitrary.
    Selected,
}

/// What makes parts of a program bind.
pub struct Selector {
    /// While it is true they bind.
    pub bit: Bit,
    /// One part; or, of threads that can be exchanged, the same part of each.
    pub parts: Vec<Part>,
}

/// A part of a program that can be left open.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What a cell holds initially, by index of the cell.
    Initial(usize),
    /// A statement of a thread. Where several accesses share its text: one of them, or what is computed besides.
    Statement(ThreadId, Span, Option<Accessed>),
}

/// An access, as one tells it from others in the same line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Accessed {
    /// `read`, `write` or `update`.
    pub verb: &'static str,
    /// The cell, if the instruction names it.
    pub cell: Option<Pointer>,
}

/// The access that an instruction is.
fn accessed(instruction: &InstructionKind) -> Option<Accessed> {
    let (verb, address) = match instruction {
        InstructionKind::Load { address, .. } => ("read", address),
        InstructionKind::Store { address, .. } => ("write", address),
        InstructionKind::ReadModifyWrite { address, .. } => ("update", address),
        _ => return None,
    };
    let cell = match address {
        Operand::Constant(Value::Pointer(cell)) => Some(cell.clone()),
        _ => None,
    };
    Some(Accessed { verb, cell })
}

/// The selectors of a program; shared by all its executions.
pub struct Selectors {
    /// All of them.
    pub list: Vec<Selector>,
    /// The statements of each thread met so far, in order: what stands at the same place in two threads of a group is
    /// the same statement.
    statements: Vec<Vec<(Span, Option<Accessed>)>>,
    /// Index of the selector of a group's (or single thread's) statement at a place.
    by_place: BTreeMap<(ThreadId, usize), usize>,
    /// Index of the selector of a cell's initial value.
    by_cell: BTreeMap<usize, usize>,
    /// The text of statements with several accesses.
    shared: BTreeSet<Span>,
}

impl Selectors {
    /// None yet, for so many threads of the program.
    pub fn new(program: &Program, threads: usize) -> Selectors {
        Selectors {
            list: Vec::new(),
            statements: vec![Vec::new(); threads],
            by_place: BTreeMap::new(),
            by_cell: BTreeMap::new(),
            shared: spans_of_several_accesses(program),
        }
    }

    /// Whether statements of the thread have selectors: those of a setup have none.
    pub fn has(&self, thread: ThreadId) -> bool {
        (thread.0 as usize) < self.statements.len()
    }

    /// The selector of what an instruction (or a decision) of a statement gives.
    pub fn statement(
        &mut self,
        thread: ThreadId,
        (span, instruction): (Span, Option<&InstructionKind>),
        symmetry: &[Vec<ThreadId>],
        circuit: &mut Circuit,
    ) -> Bit {
        let access = instruction.filter(|_| self.shared.contains(&span)).and_then(accessed);
        let statements = &mut self.statements[thread.0 as usize];
        let known = statements.iter().position(|(other, part)| *other == span && *part == access);
        let place = known.unwrap_or(statements.len());
        let group = symmetry.iter().find(|group| group.contains(&thread));
        let first = group.map_or(thread, |group| group[0]);
        let list = &mut self.list;
        let index = *self.by_place.entry((first, place)).or_insert_with(|| {
            list.push(Selector { bit: circuit.fresh(), parts: Vec::new() });
            list.len() - 1
        });
        if known.is_none() {
            statements.push((span, access.clone()));
            list[index].parts.push(Part::Statement(thread, span, access));
        }
        list[index].bit
    }

    /// The selector of what a cell holds initially.
    pub fn initial(&mut self, cell: usize, circuit: &mut Circuit) -> Bit {
        let list = &mut self.list;
        let index = *self.by_cell.entry(cell).or_insert_with(|| {
            list.push(Selector { bit: circuit.fresh(), parts: vec![Part::Initial(cell)] });
            list.len() - 1
        });
        list[index].bit
    }
}

fn spans_of_several_accesses(program: &Program) -> BTreeSet<Span> {
    let mut accesses: BTreeMap<Span, BTreeSet<Accessed>> = BTreeMap::new();
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    for instruction in blocks.flat_map(|block| &block.instructions) {
        if let (Some(span), Some(access)) = (instruction.span, accessed(&instruction.kind)) {
            accesses.entry(span).or_default().insert(access);
        }
    }
    accesses.into_iter().filter(|(_, accesses)| accesses.len() > 1).map(|(span, _)| span).collect()
}
