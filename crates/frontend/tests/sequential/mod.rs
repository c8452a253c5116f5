//! A tiny interpreter of programs with one thread, for tests: calls, memory and operators, each choice the lowest value.

use std::collections::HashMap;

use program::{
    FunctionId, InstructionKind, Operand, Operator, Pointer, Program, RegisterId, Terminator, Update, Value,
};

/// What a run did besides returning.
pub struct Machine<'a> {
    program: &'a Program,
    cells: HashMap<(u32, Vec<i64>), Value>,
    defaults: HashMap<u32, Value>,
    freed: Vec<u32>,
    steps: usize,
    /// What `observe` showed.
    pub shown: Vec<(String, Value)>,
    /// Values for `choose`, taken from the front; then the lowest value.
    pub choices: Vec<i64>,
}

/// More steps than any test needs.
const MOST_STEPS: usize = 2_000_000;

impl<'a> Machine<'a> {
    pub fn new(program: &'a Program) -> Machine<'a> {
        let mut machine = Machine {
            program,
            cells: HashMap::new(),
            defaults: HashMap::new(),
            freed: Vec::new(),
            steps: 0,
            shown: Vec::new(),
            choices: Vec::new(),
        };
        for (index, global) in program.globals.iter().enumerate() {
            machine.defaults.insert(index as u32, global.default.clone());
            for (path, value) in &global.cells {
                machine.cells.insert((index as u32, path.clone()), value.clone());
            }
        }
        machine
    }

    /// Calls a function; what it returns, or what went wrong.
    pub fn call(&mut self, id: FunctionId, arguments: Vec<Value>) -> Result<Vec<Value>, String> {
        let program = self.program;
        let function = program.function(id);
        let mut registers = vec![Value::Undefined; function.registers.len()];
        for (register, value) in function.parameters.iter().zip(arguments) {
            registers[register.0 as usize] = value;
        }
        let mut block = 0;
        loop {
            for instruction in &function.blocks[block].instructions {
                self.step(&instruction.kind, &mut registers)?;
            }
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return Err("too many steps".into());
            }
            match &function.blocks[block].terminator {
                Terminator::Jump(next) => block = next.0 as usize,
                Terminator::Branch { condition, then, otherwise, .. } => {
                    let truth = read(condition, &registers).truth().ok_or("a branch on an undefined value")?;
                    block = if truth { then.0 } else { otherwise.0 } as usize;
                }
                Terminator::Return(values) => return Ok(values.iter().map(|value| read(value, &registers)).collect()),
            }
        }
    }

    fn step(&mut self, kind: &InstructionKind, registers: &mut [Value]) -> Result<(), String> {
        let mut set = |target: &RegisterId, value: Value| registers[target.0 as usize] = value;
        match kind {
            InstructionKind::Assign { target, operator, operands } => {
                let operands: Vec<Value> = operands.iter().map(|operand| read(operand, registers)).collect();
                registers[target.0 as usize] = operator.apply(&operands);
            }
            InstructionKind::Load { target, address, .. } => {
                let value = self.load(&read(address, registers))?;
                registers[target.0 as usize] = value;
            }
            InstructionKind::Store { address, value, .. } => {
                let value = read(value, registers);
                self.store(&read(address, registers), value)?;
            }
            InstructionKind::ReadModifyWrite { target, address, update, .. } => {
                let address = read(address, registers);
                let old = self.load(&address)?;
                match update {
                    Update::Exchange(new) => self.store(&address, read(new, registers))?,
                    Update::Apply(operator, value) => {
                        self.store(&address, operator.apply(&[old.clone(), read(value, registers)]))?;
                    }
                    Update::CompareExchange { expected, desired, success, .. } => {
                        let equal = Operator::Eq.apply(&[old.clone(), read(expected, registers)]);
                        if equal.truth().ok_or("a comparison of undefined values")? {
                            self.store(&address, read(desired, registers))?;
                        }
                        registers[success.0 as usize] = equal;
                    }
                }
                registers[target.0 as usize] = old;
            }
            InstructionKind::Allocate { target, default, .. } => {
                let id = self.defaults.len() as u32;
                self.defaults.insert(id, default.clone());
                set(target, Value::Pointer(Pointer::to(id)));
            }
            InstructionKind::Free { address } => match read(address, registers) {
                Value::Pointer(pointer) if pointer.path.is_empty() && !self.freed.contains(&pointer.allocation) => {
                    self.freed.push(pointer.allocation);
                }
                other => return Err(format!("free of {other:?}")),
            },
            InstructionKind::End { address } => {
                if let Value::Pointer(pointer) = read(address, registers) {
                    self.freed.push(pointer.allocation);
                }
            }
            InstructionKind::Live { address } => match read(address, registers) {
                Value::Pointer(pointer) if self.freed.contains(&pointer.allocation) => {
                    return Err(format!("an access of {pointer:?}, which is freed"));
                }
                _ => {}
            },
            InstructionKind::Call { function, arguments, targets } => {
                let arguments = arguments.iter().map(|operand| read(operand, registers)).collect();
                let results = self.call(*function, arguments)?;
                for (target, value) in targets.iter().zip(results) {
                    registers[target.0 as usize] = value;
                }
            }
            InstructionKind::Assert { condition, message, .. } => {
                if read(condition, registers).truth() != Some(true) {
                    return Err(format!("assertion: {message}"));
                }
            }
            InstructionKind::Assume { condition } | InstructionKind::Await { condition } => {
                if read(condition, registers).truth() != Some(true) {
                    return Err("an assumption that does not hold".into());
                }
            }
            InstructionKind::Observe { label, value } => self.shown.push((label.to_string(), read(value, registers))),
            InstructionKind::Choose { target, low, width, .. } => {
                let value = if self.choices.is_empty() { *low } else { self.choices.remove(0) };
                set(target, Value::int(value, *width));
            }
            InstructionKind::Fence { .. }
            | InstructionKind::Freeze { .. }
            | InstructionKind::AtomicBegin
            | InstructionKind::AtomicEnd => {}
            other => return Err(format!("{other:?} is not for one thread")),
        }
        Ok(())
    }

    fn cell(&self, address: &Value) -> Result<(u32, Vec<i64>), String> {
        match address {
            Value::Pointer(pointer) if self.freed.contains(&pointer.allocation) => Err("use after free".into()),
            Value::Pointer(pointer) => Ok((pointer.allocation, pointer.path.clone())),
            other => Err(format!("an access of {other:?}")),
        }
    }

    fn load(&self, address: &Value) -> Result<Value, String> {
        let cell = self.cell(address)?;
        Ok(self.cells.get(&cell).unwrap_or(&self.defaults[&cell.0]).clone())
    }

    fn store(&mut self, address: &Value, value: Value) -> Result<(), String> {
        let cell = self.cell(address)?;
        self.cells.insert(cell, value);
        Ok(())
    }
}

fn read(operand: &Operand, registers: &[Value]) -> Value {
    match operand {
        Operand::Register(register) => registers[register.0 as usize].clone(),
        Operand::Constant(value) => value.clone(),
    }
}
