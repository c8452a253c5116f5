//! Programs with a setup: it is run by a thread that then starts the others, so that all it does happens before all that they
//! do. In what is shown, memory as it leaves it is initial memory again.

use std::collections::BTreeMap;

use program::{
    Builder, EventId, EventKind, Execution, Function, FunctionId, InstructionKind, Observable, Operand, Outcome,
    Program, Thread, ThreadId, Unsupported, Update, Verified, verify,
};

/// The program in which a thread runs the setup and starts the others; nothing if there is no setup.
pub fn in_a_thread(program: &Verified) -> Result<Option<Verified>, Unsupported> {
    let Some(setup) = program.setup else { return Ok(None) };
    let observed = program.question.iter().flat_map(|question| &question.observed);
    if observed.into_iter().any(|observable| matches!(observable, Observable::Register(..))) {
        return Err(Unsupported::new("registers observed in a program with a setup, in execution graphs", None));
    }
    let mut all = Program { setup: None, threads: Vec::new(), ..Program::clone(program) };
    let setup = without_spurious_failures(&mut all, setup, &mut BTreeMap::new());
    let mut main = Builder::new(None);
    main.emit(InstructionKind::Call { function: setup, arguments: Vec::new(), targets: Vec::new() }, None);
    for thread in &program.threads {
        let target = main.add_register(thread.name.clone());
        // Threads that are started are called as their functions are.
        let function = add(&mut all, Function { name: thread.name.clone(), ..program[thread.entry].clone() });
        let arguments = thread.arguments.iter().cloned().map(Operand::Constant).collect();
        main.emit(InstructionKind::Spawn { target, function, arguments }, None);
    }
    let entry = add(&mut all, main.finish(NAME.into(), Vec::new(), &[], None));
    all.threads.push(Thread { name: NAME.into(), entry, arguments: Vec::new() });
    let breach = |_| Unsupported::new("a setup that a thread could not run", None);
    verify(all).map(Some).map_err(breach)
}

/// A copy of a function, and of those that it calls, in which no compare-exchange fails spuriously: a setup would only try again.
fn without_spurious_failures(
    program: &mut Program,
    function: FunctionId,
    copies: &mut BTreeMap<FunctionId, FunctionId>,
) -> FunctionId {
    if let Some(copy) = copies.get(&function) {
        return *copy;
    }
    let mut body = program[function].clone();
    let copy = add(program, body.clone());
    copies.insert(function, copy);
    for instruction in body.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        match &mut instruction.kind {
            InstructionKind::Call { function, .. } => *function = without_spurious_failures(program, *function, copies),
            InstructionKind::CallVirtual { table, .. } => {
                table
                    .iter_mut()
                    .for_each(|(_, function)| *function = without_spurious_failures(program, *function, copies));
            }
            InstructionKind::ReadModifyWrite { update: Update::CompareExchange { weak, .. }, .. } => *weak = false,
            _ => {}
        }
    }
    program[copy] = body;
    copy
}

fn add(program: &mut Program, function: Function) -> FunctionId {
    program.functions.push(function);
    FunctionId(program.functions.len() as u32 - 1)
}

/// How the thread is called that runs the setup.
const NAME: &str = "setup";

/// What was found, without the thread that runs the setup.
pub fn left_out(outcome: Outcome) -> Outcome {
    let states = outcome.states.map(|states| {
        states.into_iter().map(|(state, execution)| (state, execution.as_ref().map(without_first_thread))).collect()
    });
    Outcome { witness: outcome.witness.as_ref().map(without_first_thread), states, ..outcome }
}

/// The execution of the other threads. What they read of the first one is the last that it wrote, as it ended before they began.
fn without_first_thread(execution: &Execution) -> Execution {
    let is_of_first = |id: EventId| execution.event(id).thread == Some(ThreadId(0));
    let last = |initial: EventId| -> EventId {
        let of_first = execution.co.iter().filter(|(earlier, later)| *earlier == initial && is_of_first(*later));
        let is_overwritten = |write: EventId| execution.co.iter().any(|&(a, b)| a == write && is_of_first(b));
        of_first.map(|(_, later)| *later).find(|write| !is_overwritten(*write)).unwrap_or(initial)
    };
    let mut result =
        Execution { state: execution.state.clone(), blocks: execution.blocks.clone(), ..Execution::default() };
    let mut ids: BTreeMap<EventId, EventId> = BTreeMap::new();
    for id in execution.ids().filter(|id| !is_of_first(*id)) {
        let mut event = execution.event(id).clone();
        let new = EventId(result.events.len() as u32);
        ids.insert(id, new);
        match event.thread {
            Some(thread) => event.thread = Some(ThreadId(thread.0 - 1)),
            None if event.kind == EventKind::Write => {
                event.value.clone_from(&execution.event(last(id)).value);
                ids.insert(last(id), new);
            }
            None => {}
        }
        result.events.push(event);
    }
    let kept = |pairs: &[(EventId, EventId)]| -> Vec<(EventId, EventId)> {
        let pair = |(x, y): &(EventId, EventId)| Some((*ids.get(x)?, *ids.get(y)?));
        let mut pairs: Vec<_> = pairs.iter().filter_map(pair).filter(|(x, y)| x != y).collect();
        pairs.sort();
        pairs.dedup();
        pairs
    };
    result.rf = kept(&execution.rf);
    result.co = kept(&execution.co);
    result.rmw = kept(&execution.rmw);
    result.computed = kept(&execution.computed);
    result
}
