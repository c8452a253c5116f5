//! Printing.

use std::collections::HashMap;
use std::fmt::{self, Write};

use super::{STORAGES, name};
use crate::condition::{Comparator, Observable, Proposition, Quantifier, Question, Term};
use crate::ir::*;
use crate::operator::Operator;
use crate::value::{Pointer, Value};

/// The text form of a program.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = Printer::new(program).program(program, &mut out);
    out
}

/// How often each name stands in a table: only unique ones can be referred to by name.
type Names<'a> = HashMap<&'a str, usize>;

/// The names that may be used.
pub(super) struct Printer<'a> {
    program: &'a Program,
    globals: Names<'a>,
    functions: Names<'a>,
    /// By function.
    registers: Vec<Names<'a>>,
}

fn names<'a>(table: impl Iterator<Item = &'a String>) -> Names<'a> {
    let mut names = Names::new();
    table.for_each(|name| *names.entry(name).or_default() += 1);
    names
}

/// A name if it is unique, else the number.
fn reference(index: u32, text: Option<&String>, names: Option<&Names>) -> String {
    match (text, names) {
        (Some(text), Some(names)) if names.get(text.as_str()) == Some(&1) => name(text),
        _ => format!("#{index}"),
    }
}

pub(super) fn list<T>(items: &[T], item: impl Fn(&T) -> String) -> String {
    items.iter().map(item).collect::<Vec<_>>().join(", ")
}

fn path(offsets: &[i64]) -> String {
    offsets.iter().map(|offset| format!("[{offset}]")).collect()
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program) -> Printer<'a> {
        Printer {
            program,
            globals: names(program.globals.iter().map(|g| &g.name)),
            functions: names(program.functions.iter().map(|f| &f.name)),
            registers: program.functions.iter().map(|f| names(f.registers.iter())).collect(),
        }
    }

    fn program(&self, program: &Program, out: &mut String) -> fmt::Result {
        writeln!(out, "program {}\nlanguage {}", name(&program.name), program.language)?;
        for (index, global) in program.globals.iter().enumerate() {
            let gap = if index == 0 { "\n" } else { "" };
            write!(out, "{gap}global {} = {}", name(&global.name), self.value(&global.default))?;
            if !global.cells.is_empty() {
                let cell = |(offsets, value): &(Vec<i64>, Value)| {
                    let path = if offsets.is_empty() { "[]".into() } else { path(offsets) };
                    format!("{path} = {}", self.value(value))
                };
                write!(out, " {{ {} }}", list(&global.cells, cell))?;
            }
            if let Some(extent) = &global.extent {
                // A global belongs to no function, so that registers could only be written by number.
                write!(out, " {}", self.extent(FunctionId(u32::MAX), extent))?;
            }
            writeln!(out)?;
        }
        for (index, function) in program.functions.iter().enumerate() {
            let at = FunctionId(index as u32);
            self.function(at, function, out)?;
        }
        if let Some(setup) = program.setup {
            writeln!(out, "\nsetup {}()", self.callee(setup))?;
        }
        for (index, thread) in program.threads.iter().enumerate() {
            let gap = if index == 0 { "\n" } else { "" };
            let arguments = list(&thread.arguments, |value| self.value(value));
            writeln!(out, "{gap}thread {} = {}({arguments})", name(&thread.name), self.callee(thread.entry))?;
        }
        for (first, second) in &program.thread_order {
            writeln!(out, "order {} before {}", first.0, second.0)?;
        }
        if program.ends_with_main {
            writeln!(out, "ends_with_main")?;
        }
        for simplification in &program.simplified {
            writeln!(out, "{}", simplification.name())?;
        }
        program.question.as_ref().map_or(Ok(()), |question| self.question(question, out))
    }

    fn function(&self, at: FunctionId, function: &Function, out: &mut String) -> fmt::Result {
        let parameters = list(&function.parameters, |register| self.register(at, *register));
        write!(out, "\nfunction {}({parameters})", name(&function.name))?;
        if function.results != 0 {
            write!(out, " -> {}", function.results)?;
        }
        writeln!(out, " {{")?;
        if !function.registers.is_empty() {
            writeln!(out, "  registers {}", list(&function.registers, |register| name(register)))?;
        }
        for (index, block) in function.blocks.iter().enumerate() {
            writeln!(out, "  b{index}:")?;
            for instruction in &block.instructions {
                writeln!(out, "    {}", self.instruction(at, &instruction.kind))?;
            }
            writeln!(out, "    {}", self.terminator(at, &block.terminator))?;
        }
        writeln!(out, "}}")
    }

    fn instruction(&self, at: FunctionId, kind: &InstructionKind) -> String {
        let targets = kind.targets();
        let action = self.action(at, kind);
        if targets.is_empty() {
            return action;
        }
        format!("{} := {action}", list(&targets, |register| self.register(at, *register)))
    }

    pub(super) fn extent(&self, at: FunctionId, extent: &Extent) -> String {
        let storage = STORAGES.iter().find(|(storage, _)| *storage == extent.storage).map_or("?", |(_, word)| word);
        format!("{storage} {} align {}", self.operand(at, &extent.size), extent.align)
    }

    fn terminator(&self, at: FunctionId, terminator: &Terminator) -> String {
        match terminator {
            Terminator::Jump(next) => format!("jump b{}", next.0),
            Terminator::Branch { condition, then, otherwise, join, .. } => {
                let join = join.map_or(String::new(), |join| format!(" join b{}", join.0));
                format!("branch {}, b{}, b{}{join}", self.operand(at, condition), then.0, otherwise.0)
            }
            Terminator::Return(values) => {
                format!("return {}", list(values, |value| self.operand(at, value))).trim_end().into()
            }
        }
    }

    pub(super) fn operand(&self, at: FunctionId, operand: &Operand) -> String {
        match operand {
            Operand::Register(register) => self.register(at, *register),
            Operand::Constant(value) => self.value(value),
        }
    }

    fn register(&self, at: FunctionId, register: RegisterId) -> String {
        let index = at.0 as usize;
        let text = self.program.functions.get(index).and_then(|f| f.registers.get(register.0 as usize));
        format!("%{}", reference(register.0, text, self.registers.get(index)))
    }

    pub(super) fn callee(&self, function: FunctionId) -> String {
        let text = self.program.functions.get(function.0 as usize).map(|f| &f.name);
        format!("@{}", reference(function.0, text, Some(&self.functions)))
    }

    fn cell(&self, cell: &Pointer) -> String {
        let text = self.program.globals.get(cell.allocation as usize).map(|g| &g.name);
        reference(cell.allocation, text, Some(&self.globals)) + &path(&cell.path)
    }

    pub(super) fn value(&self, value: &Value) -> String {
        match value {
            Value::Undefined => "undefined".into(),
            Value::Int(int) => format!("{int:?}"),
            Value::Pointer(pointer) => format!("&{}", self.cell(pointer)),
            Value::Composite(tag, fields) => format!("{}({})", name(tag), list(fields, |field| self.value(field))),
        }
    }

    fn question(&self, question: &Question, out: &mut String) -> fmt::Result {
        let quantifier = match question.quantifier {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::Forall => "forall",
        };
        writeln!(out, "\n{quantifier} {}", self.proposition(&question.proposition))?;
        if let Some(filter) = &question.filter {
            writeln!(out, "filter {}", self.proposition(filter))?;
        }
        if question.observed != super::question::observables(&question.proposition) {
            writeln!(out, "observed {}", list(&question.observed, |o| self.observable(o)).trim_end())?;
        }
        Ok(())
    }

    fn proposition(&self, proposition: &Proposition) -> String {
        let each = |parts: &[Proposition]| parts.iter().map(|part| self.part(part)).collect::<Vec<_>>();
        match proposition {
            Proposition::Constant(truth) => truth.to_string(),
            Proposition::Compare(comparator, left, right) => {
                let comparator = match comparator {
                    Comparator::Eq => "==",
                    Comparator::Ne => "!=",
                    Comparator::Lt => "<",
                    Comparator::Le => "<=",
                };
                format!("{} {comparator} {}", self.term(left), self.term(right))
            }
            Proposition::Not(inner) => match **inner {
                Proposition::Compare(..) => format!("not ({})", self.proposition(inner)),
                _ => format!("not {}", self.part(inner)),
            },
            Proposition::And(parts) if parts.len() > 1 => each(parts).join(" and "),
            Proposition::Or(parts) if parts.len() > 1 => each(parts).join(" or "),
            Proposition::And(parts) => format!("all({})", list(parts, |part| self.proposition(part))),
            Proposition::Or(parts) => format!("any({})", list(parts, |part| self.proposition(part))),
        }
    }

    /// A part of a conjunction or disjunction, in parentheses if it is one itself.
    fn part(&self, part: &Proposition) -> String {
        match part {
            Proposition::And(parts) | Proposition::Or(parts) if parts.len() > 1 => {
                format!("({})", self.proposition(part))
            }
            _ => self.proposition(part),
        }
    }

    fn term(&self, term: &Term) -> String {
        match term {
            Term::Observable(observable) => self.observable(observable),
            Term::Value(value) => self.value(value),
        }
    }

    fn observable(&self, observable: &Observable) -> String {
        match observable {
            Observable::Memory(cell) => self.cell(cell),
            Observable::Register(thread, register) => {
                // A thread that does not exist has no function: its registers go by number.
                let entry = self.program.threads.get(thread.0 as usize).map_or(FunctionId(u32::MAX), |t| t.entry);
                format!("{}:{}", thread.0, self.register(entry, *register))
            }
        }
    }
}

/// The text form: the name, and the parameters of those that have some: `resize[s8]`, `make[Mark, 2]`.
impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operator::Resize { width, signed } => write!(f, "resize[{}{width}]", if *signed { 's' } else { 'u' }),
            Operator::Step(size) => write!(f, "step[{size}]"),
            Operator::Element { size, count, .. } => write!(f, "{}[{size}, {count}]", self.name()),
            Operator::Make(tag, number) | Operator::Get(tag, number) | Operator::Set(tag, number) => {
                write!(f, "{}[{}, {number}]", self.name(), name(tag))
            }
            _ => f.write_str(self.name()),
        }
    }
}
