//! Programs as they are explored: without calls where that is possible, and with local memory in registers.

use program::{FunctionId, InstructionKind, Observable, Program, Thread, Unsupported, Value, Verified};

/// The program with the functions of all threads without calls, and with local memory in registers. Where calls cannot be put
/// in place, because a function calls itself, the program stays as it is.
pub fn prepare(program: &Verified) -> Result<Verified, Unsupported> {
    refuse(program)?;
    if observes_registers(program) {
        return Ok(program.clone());
    }
    let mut all = Program::clone(program);
    let known = all.threads.len();
    for entry in started(program) {
        let arguments = vec![Value::Undefined; program.function(entry).parameters.len()];
        all.threads.push(Thread { name: program.function(entry).name.clone(), entry, arguments });
    }
    let Ok(all) = program::verify(all) else { return Ok(program.clone()) };
    let Ok(inlined) = axiomatic::internals::inline(&all) else { return Ok(program.clone()) };
    let mut result = Program::clone(&inlined.program);
    result.threads.truncate(known);
    Ok(program::verify(result).unwrap_or_else(|_| program.clone()))
}

/// The program with a thread for each one that some execution starts, as reports name them.
pub fn with_threads(program: &Verified, started: &[FunctionId]) -> Verified {
    let mut all = Program::clone(program);
    let known = all.threads.len();
    for entry in started {
        let name = &program.function(*entry).name;
        let same = started.iter().filter(|other| *other == entry).count();
        let number = all.threads[known..].iter().filter(|thread| thread.entry == *entry).count() + 1;
        let is_main = program.threads.iter().any(|thread| thread.name == *name);
        let name = if same == 1 && !is_main { name.clone() } else { format!("{name}#{number}") };
        let arguments = vec![Value::Undefined; program.function(*entry).parameters.len()];
        all.threads.push(Thread { name, entry: *entry, arguments });
    }
    program::verify(all).unwrap_or_else(|_| program.clone())
}

/// Whether registers are asked for, which would be others if calls were put in place.
fn observes_registers(program: &Verified) -> bool {
    let mut observed = program.question.iter().flat_map(|question| &question.observed);
    observed.any(|observable| matches!(observable, Observable::Register(..)))
}

fn refuse(program: &Verified) -> Result<(), Unsupported> {
    if program.setup.is_some() {
        return Err(Unsupported::new("a program with a setup, under this model in the engine mcr", None));
    }
    if !program.thread_order.is_empty() {
        return Err(Unsupported::new("threads that end before others start, under this model in the engine mcr", None));
    }
    Ok(())
}

/// The functions that threads are started with, each once.
fn started(program: &Program) -> Vec<FunctionId> {
    let entries: Vec<FunctionId> = program.threads.iter().map(|thread| thread.entry).collect();
    let mut found: Vec<FunctionId> = Vec::new();
    for instruction in program.instructions() {
        if let InstructionKind::Spawn { function, .. } = instruction.kind
            && !found.contains(&function)
            && !entries.contains(&function)
        {
            found.push(function);
        }
    }
    found
}
