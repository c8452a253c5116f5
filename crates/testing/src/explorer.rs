//! All final states of a program on a store-buffer machine, by brute force over interleavings.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use program::{
    Access, InstructionKind, Observable, Operand, Operator, Order, Pointer, State, Terminator, Update, Value, Verified,
};

/// Which machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    /// Stores take effect at once.
    Sc,
    /// One first-in-first-out buffer a thread.
    Tso,
    /// One such buffer a thread and cell; a store fence separates what may be exchanged.
    Pso,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread {
    block: usize,
    instruction: usize,
    ended: bool,
    registers: Vec<Value>,
    /// Buffered stores, oldest first, each with the number of store fences before it.
    buffer: Vec<(Pointer, Value, u32)>,
    fences: u32,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Configuration {
    threads: Vec<Thread>,
    memory: BTreeMap<Pointer, Value>,
}

/// The final states over the question's observables.
pub fn explore(program: &Verified, machine: Machine) -> BTreeSet<State> {
    explore_up_to(program, machine, usize::MAX).expect("as many states as there are")
}

/// The final states over the question's observables, if the machine has at most so many states.
pub fn explore_up_to(program: &Verified, machine: Machine, most: usize) -> Option<BTreeSet<State>> {
    let thread = |thread: &program::Thread| Thread {
        block: 0,
        instruction: 0,
        ended: false,
        registers: arguments(program, thread),
        buffer: Vec::new(),
        fences: 0,
    };
    let start = Configuration { threads: program.threads.iter().map(thread).collect(), memory: BTreeMap::new() };
    let mut seen = HashSet::new();
    let mut open = vec![start];
    let mut states = BTreeSet::new();
    while let Some(configuration) = open.pop() {
        if !seen.insert(configuration.clone()) {
            continue;
        }
        if seen.len() > most {
            return None;
        }
        if configuration.threads.iter().all(|thread| thread.ended && thread.buffer.is_empty()) {
            states.insert(final_state(program, &configuration));
        }
        for index in 0..configuration.threads.len() {
            open.extend(flushes(&configuration, index, machine));
            open.extend(steps(program, &configuration, index, machine));
        }
    }
    Some(states)
}

/// The registers at the start: parameters hold the arguments.
fn arguments(program: &Verified, thread: &program::Thread) -> Vec<Value> {
    let function = program.function(thread.entry);
    let mut registers = vec![Value::Undefined; function.registers.len()];
    for (parameter, argument) in function.parameters.iter().zip(&thread.arguments) {
        registers[parameter.index()] = argument.clone();
    }
    registers
}

fn final_state(program: &Verified, configuration: &Configuration) -> State {
    let observed = &program.question.as_ref().expect("a question").observed;
    let value = |observable: &Observable| match observable {
        Observable::Register(thread, register) => {
            configuration.threads[thread.index()].registers[register.index()].clone()
        }
        Observable::Memory(cell) => held(program, configuration, cell),
    };
    observed.iter().map(|observable| (observable.clone(), value(observable))).collect()
}

fn held(program: &Verified, configuration: &Configuration, cell: &Pointer) -> Value {
    let global = &program.globals[cell.allocation as usize];
    let initial = global.cells.iter().find(|(path, _)| *path == cell.path).map(|(_, value)| value);
    configuration.memory.get(cell).or(initial).unwrap_or(&global.default).clone()
}

/// Each buffered store that may take effect now.
fn flushes(configuration: &Configuration, index: usize, machine: Machine) -> Vec<Configuration> {
    let buffer = &configuration.threads[index].buffer;
    let may_go = |position: usize| {
        let (cell, _, fences) = &buffer[position];
        buffer[..position]
            .iter()
            .all(|(earlier, _, before)| machine == Machine::Pso && earlier != cell && before == fences)
    };
    let flush = |position: usize| {
        let mut next = configuration.clone();
        let (cell, value, _) = next.threads[index].buffer.remove(position);
        next.memory.insert(cell, value);
        next
    };
    (0..buffer.len()).filter(|&position| may_go(position)).map(flush).collect()
}

/// Each way the thread may take its next instruction.
fn steps(program: &Verified, configuration: &Configuration, index: usize, machine: Machine) -> Vec<Configuration> {
    let thread = &configuration.threads[index];
    if thread.ended {
        return Vec::new();
    }
    let function = program.function(program.threads[index].entry);
    let block = &function.blocks[thread.block];
    let operand = |operand: &Operand| match operand {
        Operand::Register(register) => thread.registers[register.index()].clone(),
        Operand::Constant(value) => value.clone(),
    };
    let pointer = |address: &Operand| match operand(address) {
        Value::Pointer(pointer) => pointer,
        other => panic!("not a pointer: {other:?}"),
    };
    let mut next = configuration.clone();
    let Some(instruction) = block.instructions.get(thread.instruction) else {
        let me = &mut next.threads[index];
        me.instruction = 0;
        match &block.terminator {
            Terminator::Jump(target) => me.block = target.0 as usize,
            Terminator::Branch { condition, then, otherwise, .. } => {
                let taken = operand(condition).truth() == Some(true);
                me.block = if taken { then.0 } else { otherwise.0 } as usize;
            }
            Terminator::Return(_) => me.ended = true,
        }
        return vec![next];
    };
    let me = &mut next.threads[index];
    me.instruction += 1;
    match &instruction.kind {
        InstructionKind::Assign { target, operator, operands } => {
            let values: Vec<Value> = operands.iter().map(operand).collect();
            me.registers[target.index()] = operator.apply(&values);
        }
        InstructionKind::Load { target, address, .. } => {
            let cell = pointer(address);
            let own = thread.buffer.iter().rev().find(|(other, ..)| *other == cell);
            let value = own.map_or_else(|| held(program, configuration, &cell), |(_, value, _)| value.clone());
            me.registers[target.index()] = value;
        }
        InstructionKind::Store { address, value, .. } => {
            let (cell, value) = (pointer(address), operand(value));
            if machine == Machine::Sc {
                next.memory.insert(cell, value);
            } else {
                me.buffer.push((cell, value, thread.fences));
            }
        }
        InstructionKind::Fence { access } => {
            if is_full(access) && !thread.buffer.is_empty() {
                return Vec::new();
            }
            me.fences += u32::from(orders_stores(access) && !thread.buffer.is_empty());
        }
        InstructionKind::ReadModifyWrite { target, address, update, .. } => {
            if !thread.buffer.is_empty() {
                return Vec::new();
            }
            return atomically(program, configuration, &mut next, index, *target, &pointer(address), update, &operand);
        }
        other => panic!("not explored: {other:?}"),
    }
    vec![next]
}

#[allow(clippy::too_many_arguments)]
fn atomically(
    program: &Verified,
    configuration: &Configuration,
    next: &mut Configuration,
    index: usize,
    target: program::RegisterId,
    cell: &Pointer,
    update: &Update,
    operand: &dyn Fn(&Operand) -> Value,
) -> Vec<Configuration> {
    let old = held(program, configuration, cell);
    let me = &mut next.threads[index];
    match update {
        Update::Exchange(value) => {
            next.memory.insert(cell.clone(), operand(value));
        }
        Update::Apply(operator, value) => {
            next.memory.insert(cell.clone(), operator.apply(&[old.clone(), operand(value)]));
        }
        Update::CompareExchange { expected, desired, success, weak, .. } => {
            let equal = Operator::Eq.apply(&[old.clone(), operand(expected)]).truth() == Some(true);
            me.registers[success.index()] = Value::int(0, 32);
            me.registers[target.index()] = old.clone();
            let mut ways = Vec::new();
            if *weak || !equal {
                ways.push(next.clone());
            }
            if equal {
                next.threads[index].registers[success.index()] = Value::int(1, 32);
                next.memory.insert(cell.clone(), operand(desired));
                ways.push(next.clone());
            }
            return ways;
        }
    }
    next.threads[index].registers[target.index()] = old;
    vec![next.clone()]
}

fn is_full(access: &Access) -> bool {
    access.order == Order::SeqCst || access.tags.iter().any(|tag| &**tag == "MFENCE")
}

fn orders_stores(access: &Access) -> bool {
    matches!(access.order, Order::Release | Order::AcquireRelease) || access.tags.iter().any(|tag| &**tag == "SFENCE")
}
