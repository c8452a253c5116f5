//! What the tests of this crate share: shown programs, and a run of one thread on a memory of its own.

#![allow(dead_code)]

use std::collections::HashMap;

use program::{InstructionKind, Operand, Pointer, Program, RegisterId, Terminator, Update, Value};

/// Reads a test that must be right, and keep the law of the representation.
pub fn read(text: &str) -> Program {
    let parsed = frontend::litmus::parse("test", text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    program::verify(parsed.program).unwrap_or_else(|breaches| panic!("{breaches:?}\n{text}")).into_program()
}

/// Compares with what is expected, blank lines and indentation at the start aside.
pub fn compare(shown: &str, expected: &str) {
    let trim = |text: &str| {
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let indent = |line: &&str| line.len() - line.trim_start().len();
        let least = lines.iter().map(indent).min().unwrap_or(0);
        lines.iter().map(|line| line[least..].trim_end()).collect::<Vec<_>>().join("\n")
    };
    let (shown, expected) = (trim(shown), trim(expected));
    assert!(shown == expected, "shown:\n{shown}\n\nexpected:\n{expected}");
}

/// The code of the first thread as text, without its first lines.
pub fn code(program: &Program) -> String {
    let text = program::text::print(program);
    let body = text.split("function P0").nth(1).unwrap_or("").split("\n}").next().unwrap_or("");
    let lines = body.lines().skip(1).filter(|line| !line.trim_start().starts_with("registers "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The messages of a test that must be wrong, or the warnings of one that is right.
pub fn messages(text: &str) -> String {
    match frontend::litmus::parse("test", text) {
        Err(errors) => errors.to_string(),
        Ok(parsed) => {
            let sources = parsed.program.sources.clone();
            program::Diagnostics { sources, messages: parsed.warnings }.to_string()
        }
    }
}

/// Runs the first thread alone; gives what the question observes, as `name=value` in order.
pub fn run(text: &str) -> String {
    let program = read(text);
    let mut machine = Machine { memory: HashMap::new(), registers: Vec::new(), program: &program };
    machine.run();
    let question = program.question.as_ref().unwrap();
    let shown = question.observed.iter().map(|observable| {
        let value = match observable {
            program::Observable::Register(_, register) => machine.registers[register.0 as usize].clone(),
            program::Observable::Memory(cell) => machine.load(cell),
        };
        format!("{}={}", program.observable_name(observable), program.value_name(&value))
    });
    shown.collect::<Vec<_>>().join(" ")
}

struct Machine<'p> {
    program: &'p Program,
    memory: HashMap<Pointer, Value>,
    registers: Vec<Value>,
}

impl Machine<'_> {
    fn run(&mut self) {
        let thread = &self.program.threads[0];
        let function = self.program.function(thread.entry);
        self.registers = vec![Value::Undefined; function.registers.len()];
        for (parameter, value) in function.parameters.iter().zip(&thread.arguments) {
            self.set(*parameter, value.clone());
        }
        let mut block = 0;
        for _ in 0..10_000 {
            let current = &function.blocks[block];
            current.instructions.iter().for_each(|instruction| self.step(&instruction.kind));
            block = match &current.terminator {
                Terminator::Return(_) => return,
                Terminator::Jump(next) => next.0 as usize,
                Terminator::Branch { condition, then, otherwise, .. } => {
                    let taken = self.get(condition).truth().expect("a condition without truth value");
                    if taken { then.0 as usize } else { otherwise.0 as usize }
                }
            };
        }
        panic!("the thread does not end");
    }

    fn step(&mut self, kind: &InstructionKind) {
        match kind {
            InstructionKind::Assign { target, operator, operands } => {
                let operands: Vec<Value> = operands.iter().map(|operand| self.get(operand)).collect();
                self.set(*target, operator.apply(&operands));
            }
            InstructionKind::Load { target, address, .. } => {
                let value = self.load(&self.address(address));
                self.set(*target, value);
            }
            InstructionKind::Store { address, value, .. } => {
                let (address, value) = (self.address(address), self.get(value));
                self.store(address, value);
            }
            InstructionKind::ReadModifyWrite { target, address, update, .. } => {
                let address = self.address(address);
                let old = self.load(&address);
                let new = match update {
                    Update::Exchange(value) => Some(self.get(value)),
                    Update::Apply(operator, value) => Some(operator.apply(&[old.clone(), self.get(value)])),
                    Update::CompareExchange { expected, desired, success, .. } => {
                        let equal = self.get(expected) == old;
                        let desired = self.get(desired);
                        self.set(*success, Value::int(i64::from(equal), 32));
                        equal.then_some(desired)
                    }
                };
                if let Some(new) = new {
                    self.store(address, new);
                }
                self.set(*target, old);
            }
            InstructionKind::Fence { .. } | InstructionKind::Freeze { .. } => {}
            other => panic!("unexpected {other:?}"),
        }
    }

    fn get(&self, operand: &Operand) -> Value {
        match operand {
            Operand::Register(register) => self.registers[register.0 as usize].clone(),
            Operand::Constant(value) => value.clone(),
        }
    }

    fn set(&mut self, register: RegisterId, value: Value) {
        self.registers[register.0 as usize] = value;
    }

    fn address(&self, operand: &Operand) -> Pointer {
        match self.get(operand) {
            Value::Pointer(pointer) => pointer,
            other => panic!("{other:?} is not an address"),
        }
    }

    fn load(&self, cell: &Pointer) -> Value {
        let global = &self.program.globals[cell.allocation as usize];
        let initial = global.cells.iter().find(|(path, _)| *path == cell.path);
        self.memory.get(cell).cloned().unwrap_or_else(|| initial.map_or(&global.default, |(_, value)| value).clone())
    }

    /// Every cell keeps the width that it starts with.
    fn store(&mut self, cell: Pointer, value: Value) {
        if let (Value::Int(old), Value::Int(new)) = (self.load(&cell), &value) {
            assert_eq!(old.width(), new.width(), "a store of another width to {}", self.program.cell_name(&cell));
        }
        self.memory.insert(cell, value);
    }
}
