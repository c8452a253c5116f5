//! A small interpreter of the program representation: one schedule, sequentially consistent memory. Threads take turns of a
//! fixed number of steps, so that a spinning thread lets the others go on.

#![allow(dead_code)]

use std::collections::HashMap;

use program::{
    BlockId, FunctionId, InstructionKind, Operand, Operator, Pointer, Program, RegisterId, Terminator, Update, Value,
};

/// How a run ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// What was printed on `System.out`.
    pub output: String,
    /// Messages of assertions that failed, in order. The thread goes on.
    pub failures: Vec<String>,
    /// Why it stopped before all threads ended.
    pub stuck: Option<String>,
    /// How many instructions were run.
    pub steps: usize,
}

/// Runs a program with turns of so many steps.
pub fn run(program: &Program, turn: usize) -> Run {
    let mut machine = Machine::new(program);
    if let Some(setup) = program.setup {
        machine.start(setup, Vec::new());
        machine.run_all(usize::MAX);
    }
    for thread in &program.threads {
        machine.start(thread.entry, thread.arguments.clone());
    }
    machine.run_all(turn);
    machine.result
}

struct Frame {
    function: FunctionId,
    block: BlockId,
    next: usize,
    registers: Vec<Value>,
}

#[derive(Default)]
struct Thread {
    frames: Vec<Frame>,
    /// The monitor on which it waits to be woken, and how often it held that.
    waits: Option<(Value, usize)>,
}

struct Machine<'a> {
    program: &'a Program,
    heap: Vec<(String, HashMap<Vec<i64>, Value>, Value)>,
    threads: Vec<Thread>,
    /// Who holds a monitor, and how often.
    monitors: HashMap<Value, (usize, usize)>,
    result: Run,
}

/// What a step leads to.
enum Step {
    Done,
    Waits,
}

const LIMIT: usize = 20_000_000;

impl<'a> Machine<'a> {
    fn new(program: &'a Program) -> Machine<'a> {
        let block = |global: &program::Global| {
            (global.name.clone(), global.cells.iter().cloned().collect(), global.default.clone())
        };
        let heap = program.globals.iter().map(block).collect();
        Machine { program, heap, threads: Vec::new(), monitors: HashMap::new(), result: Run::default() }
    }

    fn start(&mut self, function: FunctionId, arguments: Vec<Value>) -> usize {
        let frame = self.frame(function, arguments);
        self.threads.push(Thread { frames: vec![frame], waits: None });
        self.threads.len() - 1
    }

    fn frame(&self, id: FunctionId, arguments: Vec<Value>) -> Frame {
        let function = self.program.function(id);
        let mut registers = vec![Value::Undefined; function.registers.len()];
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            registers[parameter.0 as usize] = argument;
        }
        Frame { function: id, block: BlockId(0), next: 0, registers }
    }

    fn run_all(&mut self, turn: usize) {
        loop {
            let mut moved = false;
            for thread in 0..self.threads.len() {
                for _ in 0..turn {
                    if self.threads[thread].frames.is_empty() {
                        break;
                    }
                    match self.step(thread) {
                        Ok(Step::Done) => moved = true,
                        Ok(Step::Waits) => break,
                        Err(why) => {
                            self.result.stuck = Some(why);
                            return;
                        }
                    }
                    self.result.steps += 1;
                    if self.result.steps > LIMIT {
                        self.result.stuck = Some("too many steps".into());
                        return;
                    }
                }
            }
            if !moved {
                if self.threads.iter().any(|thread| !thread.frames.is_empty()) {
                    self.result.stuck = Some("deadlock".into());
                }
                return;
            }
        }
    }

    fn value(&self, thread: usize, operand: &Operand) -> Value {
        match operand {
            Operand::Constant(value) => value.clone(),
            Operand::Register(register) => {
                let frame = self.threads[thread].frames.last().expect("a frame");
                frame.registers[register.0 as usize].clone()
            }
        }
    }

    fn set(&mut self, thread: usize, register: RegisterId, value: Value) {
        let frame = self.threads[thread].frames.last_mut().expect("a frame");
        frame.registers[register.0 as usize] = value;
    }

    fn pointer(&self, thread: usize, operand: &Operand) -> Result<Pointer, String> {
        match self.value(thread, operand) {
            Value::Pointer(pointer) => Ok(pointer),
            other => Err(format!("an access through {other:?} in {}", self.place(thread))),
        }
    }

    fn place(&self, thread: usize) -> String {
        let frame = self.threads[thread].frames.last().expect("a frame");
        let function = self.program.function(frame.function);
        format!("{} b{} {}", function.name, frame.block.0, frame.next)
    }

    fn load(&self, pointer: &Pointer) -> Value {
        let (_, cells, default) = &self.heap[pointer.allocation as usize];
        cells.get(&pointer.path).unwrap_or(default).clone()
    }

    fn store(&mut self, pointer: Pointer, value: Value) {
        self.heap[pointer.allocation as usize].1.insert(pointer.path, value);
    }

    fn step(&mut self, thread: usize) -> Result<Step, String> {
        let program = self.program;
        if let Some((monitor, count)) = self.threads[thread].waits.clone() {
            let is_asleep = matches!(monitor, Value::Composite(..));
            if is_asleep || self.monitors.contains_key(&monitor) {
                return Ok(Step::Waits);
            }
            self.monitors.insert(monitor, (thread, count));
            self.threads[thread].waits = None;
        }
        let frame = self.threads[thread].frames.last().expect("a frame");
        let block = &program.function(frame.function).blocks[frame.block.0 as usize];
        match block.instructions.get(frame.next) {
            None => self.terminate(thread, &block.terminator)?,
            Some(instruction) => {
                let depth = self.threads[thread].frames.len();
                if let Step::Waits = self.instruction(thread, &instruction.kind)? {
                    return Ok(Step::Waits);
                }
                self.threads[thread].frames[depth - 1].next += 1;
            }
        }
        Ok(Step::Done)
    }

    fn terminate(&mut self, thread: usize, terminator: &Terminator) -> Result<(), String> {
        let next = match terminator {
            Terminator::Jump(next) => *next,
            Terminator::Branch { condition, then, otherwise, .. } => {
                let truth = self.value(thread, condition).truth();
                match truth {
                    Some(true) => *then,
                    Some(false) => *otherwise,
                    None => return Err(format!("a branch on what has no truth in {}", self.place(thread))),
                }
            }
            Terminator::Return(values) => {
                let values: Vec<Value> = values.iter().map(|value| self.value(thread, value)).collect();
                self.threads[thread].frames.pop();
                self.give(thread, values);
                return Ok(());
            }
        };
        let frame = self.threads[thread].frames.last_mut().expect("a frame");
        (frame.block, frame.next) = (next, 0);
        Ok(())
    }

    /// Gives results to the call before the next instruction of the caller.
    fn give(&mut self, thread: usize, values: Vec<Value>) {
        let Some(frame) = self.threads[thread].frames.last() else { return };
        let block = &self.program.function(frame.function).blocks[frame.block.0 as usize];
        if let InstructionKind::Call { targets, .. } | InstructionKind::CallVirtual { targets, .. } =
            &block.instructions[frame.next - 1].kind
        {
            for (target, value) in targets.iter().zip(values) {
                self.set(thread, *target, value);
            }
        }
    }

    fn instruction(&mut self, thread: usize, kind: &InstructionKind) -> Result<Step, String> {
        use InstructionKind::*;
        match kind {
            Assign { target, operator, operands } => {
                let operands: Vec<Value> = operands.iter().map(|operand| self.value(thread, operand)).collect();
                let value = operator.apply(&operands);
                if value == Value::Undefined {
                    return Err(format!("{operator} of {operands:?} is undefined in {}", self.place(thread)));
                }
                self.set(thread, *target, value);
            }
            Load { target, address, .. } => {
                let pointer = self.pointer(thread, address)?;
                let value = self.load(&pointer);
                self.set(thread, *target, value);
            }
            Store { address, value, .. } => {
                let pointer = self.pointer(thread, address)?;
                let value = self.value(thread, value);
                self.store(pointer, value);
            }
            ReadModifyWrite { target, address, update, .. } => {
                let pointer = self.pointer(thread, address)?;
                let old = self.load(&pointer);
                match update {
                    Update::Exchange(value) => {
                        let value = self.value(thread, value);
                        self.store(pointer, value);
                    }
                    Update::Apply(operator, value) => {
                        let value = operator.apply(&[old.clone(), self.value(thread, value)]);
                        self.store(pointer, value);
                    }
                    Update::CompareExchange { expected, desired, success, .. } => {
                        let equal = Operator::Eq.apply(&[old.clone(), self.value(thread, expected)]);
                        if equal.truth() == Some(true) {
                            let value = self.value(thread, desired);
                            self.store(pointer, value);
                        }
                        self.set(thread, *success, equal);
                    }
                }
                self.set(thread, *target, old);
            }
            Fence { .. } | Freeze { .. } => {}
            Allocate { target, default, name, .. } => {
                let pointer = Value::Pointer(Pointer::to(self.heap.len() as u32));
                self.heap.push((name.to_string(), HashMap::new(), default.clone()));
                self.set(thread, *target, pointer);
            }
            Call { function, arguments, .. } => self.call(thread, *function, arguments),
            CallVirtual { table, arguments, .. } => {
                let receiver = self.pointer(thread, &arguments[0])?;
                let name = &self.heap[receiver.allocation as usize].0;
                let found = table.iter().find(|(tag, _)| **tag == **name).map(|(_, function)| *function);
                let Some(function) = found else {
                    return Err(format!("no method for {name} in {}", self.place(thread)));
                };
                self.call(thread, function, arguments);
            }
            Assert { condition, message, .. } => {
                if self.value(thread, condition).truth() != Some(true) {
                    self.result.failures.push(message.to_string());
                }
            }
            Observe { label, value } => {
                let value = self.value(thread, value);
                self.observe(label, &value);
            }
            _ => return self.synchronize(thread, kind),
        }
        Ok(Step::Done)
    }

    fn call(&mut self, thread: usize, function: FunctionId, arguments: &[Operand]) {
        let arguments = arguments.iter().map(|argument| self.value(thread, argument)).collect();
        let frame = self.frame(function, arguments);
        self.threads[thread].frames.push(frame);
    }

    fn synchronize(&mut self, thread: usize, kind: &InstructionKind) -> Result<Step, String> {
        use InstructionKind::*;
        match kind {
            Lock { monitor } => {
                let monitor = Value::Pointer(self.pointer(thread, monitor)?);
                let (holder, count) = self.monitors.get(&monitor).copied().unwrap_or((thread, 0));
                if holder != thread {
                    return Ok(Step::Waits);
                }
                self.monitors.insert(monitor, (thread, count + 1));
            }
            Unlock { monitor } => {
                let monitor = Value::Pointer(self.pointer(thread, monitor)?);
                match self.monitors.get(&monitor).copied() {
                    Some((holder, 1)) if holder == thread => {
                        self.monitors.remove(&monitor);
                    }
                    Some((holder, count)) if holder == thread => {
                        self.monitors.insert(monitor, (thread, count - 1));
                    }
                    _ => return Err(format!("an unlock of what is not held in {}", self.place(thread))),
                }
            }
            Wait { monitor } => {
                let monitor = Value::Pointer(self.pointer(thread, monitor)?);
                let Some((_, count)) = self.monitors.remove(&monitor) else {
                    return Err("a wait without the monitor".into());
                };
                // A notification makes it the monitor itself.
                self.threads[thread].waits = Some((Value::Composite("asleep".into(), vec![monitor]), count));
            }
            Notify { monitor, all } => {
                let monitor = Value::Pointer(self.pointer(thread, monitor)?);
                let asleep = Value::Composite("asleep".into(), vec![monitor.clone()]);
                for other in &mut self.threads {
                    if let Some((on, _)) = &mut other.waits
                        && *on == asleep
                    {
                        *on = monitor.clone();
                        if !all {
                            break;
                        }
                    }
                }
            }
            Spawn { target, function, arguments } => {
                let arguments = arguments.iter().map(|argument| self.value(thread, argument)).collect();
                let started = self.start(*function, arguments);
                self.set(thread, *target, Value::int(started as i64, 64));
            }
            Join { thread: other } => {
                let Value::Int(other) = self.value(thread, other) else { return Err("a join of nothing".into()) };
                if !self.threads[other.unsigned() as usize].frames.is_empty() {
                    return Ok(Step::Waits);
                }
            }
            // One execution is enough: the first value, so that waits end by notifications.
            Choose { target, low, width, .. } => self.set(thread, *target, Value::int(*low, *width)),
            other => return Err(format!("{other:?} is not interpreted")),
        }
        Ok(Step::Done)
    }

    fn observe(&mut self, label: &str, value: &Value) {
        let text = match (label, value) {
            ("out.char", Value::Int(c)) => String::from_utf16_lossy(&[c.unsigned() as u16]),
            ("out", Value::Int(number)) => number.signed().to_string(),
            ("out.double", Value::Int(bits)) => {
                format!("{:?}", f64::from_bits(bits.unsigned())).replace("inf", "Infinity")
            }
            ("out.float", Value::Int(bits)) => format!("{:?}", f32::from_bits(bits.unsigned() as u32)),
            ("out", Value::Pointer(pointer)) => {
                let length = *pointer.path.last().expect("a string");
                let unit = |index: i64| match self
                    .load(&Pointer { allocation: pointer.allocation, path: vec![length, index] })
                {
                    Value::Int(c) => c.unsigned() as u16,
                    _ => u16::from(b'?'),
                };
                String::from_utf16_lossy(&(0..length).map(unit).collect::<Vec<u16>>())
            }
            _ => String::new(),
        };
        self.result.output.push_str(&text);
    }
}
