//! The threads that `main` starts, as threads of the program.

use std::collections::{BTreeMap, BTreeSet};

use program::liveness::live_at_start;
use program::{
    BlockId, Function, FunctionId, Global, InstructionKind, Operand, Program, RegisterId, Span, Thread, Unsupported,
    Value, Verified,
};
use relation::{Bit, Circuit};

use super::without_calls;
use crate::events::{Events, events};
use crate::idle;
use crate::model::Model;
use crate::selector::{Selectors, Statements};
use crate::setting::{Plan, Setting};
use crate::unroll::{Iterations, LoopCopy, code, loop_body, unroll};
use crate::walk::whole::{Whole, starts};

/// More threads than this are refused.
const THREADS: usize = 64;

/// Loops with a constant bound may have so many iterations before anything is asked.
const CERTAIN_ROUNDS: u32 = 1000;

/// A program ready to be checked.
pub(super) struct Prepared {
    /// The program with its threads.
    pub program: Verified,
    /// How many iterations loops have in every execution.
    pub iterations: Iterations,
    /// Where the first message between threads is needed, if any is.
    pub messages: Option<Option<Span>>,
    /// Whether loops that wait by exchanges are awaits.
    pub exchanges: bool,
}

/// Unrolls loops as far as every execution goes, and those that start threads as far as any may go; makes a thread of each
/// start.
pub(super) fn prepare(
    program: &Verified,
    model: &Model,
    most_iterations: u32,
    plan: &Plan,
) -> Result<Prepared, Unsupported> {
    refuse_other_starts(program)?;
    let mut iterations = Iterations::of_each(1);
    let mut exchanges = true;
    loop {
        let prepared = with_threads(program, &iterations, exchanges)?;
        let (inlined, spins) = without_calls(&prepared, exchanges)?;
        let plan = Plan { iterations: iterations.clone(), ..plan.clone() };
        let mut setting = Setting::new(&inlined, model, &plan, &[])?;
        setting.loops = idle::loops(&inlined.program);
        if !spins.keep(&inlined.program, &setting.unrolling, &setting.values) {
            exchanges = false;
            continue;
        }
        let mut raised = false;
        for Cut { copy, when, is_stalled } in cut_loops(&setting)? {
            let starts_threads = copy.thread == Whole::MAIN && starts_threads(&inlined.program, &copy);
            // What is certain of a loop without an exit, or without progress, is perhaps only that it never ends.
            let may_end = !is_stalled && may_end(&inlined.program, &copy);
            let is_certain = when == Bit::TRUE && (starts_threads || may_end);
            let most = if is_certain { CERTAIN_ROUNDS } else { most_iterations };
            let next = iterations.of(&copy) + 1;
            let is_wanted = is_certain || (starts_threads && when != Bit::FALSE);
            if is_wanted && next > most && starts_threads {
                let span = code(&inlined.program, copy.thread).and_then(|f| f[copy.head].span);
                return Err(Unsupported::new("threads that are started or joined in a loop without a bound", span));
            }
            if is_wanted && next <= most {
                iterations.raised.insert(copy, next);
                raised = true;
            }
        }
        if raised {
            continue;
        }
        let sends = setting.whole.as_ref().is_some_and(Whole::sends_messages);
        let messages = sends.then(|| first_start(&inlined.program));
        drop(setting);
        drop(inlined);
        return Ok(Prepared { program: prepared, iterations, messages, exchanges });
    }
}

/// Where executions leave a loop by force.
struct Cut {
    copy: LoopCopy,
    when: Bit,
    /// Whether the last iteration leaves all registers as it found them.
    is_stalled: bool,
}

fn cut_loops(setting: &Setting) -> Result<Vec<Cut>, Unsupported> {
    let mut selectors = Selectors::new(setting.program, setting.unrolling.threads.len());
    let Events { pruned, iterations, .. } = events(setting, Statements::Fixed, &mut selectors, &mut Circuit::new())?;
    let stalls = |copy: &LoopCopy| iterations.iter().any(|r| r.is_last && r.copy == *copy && r.same == Bit::TRUE);
    Ok(pruned.into_iter().map(|(copy, when)| Cut { is_stalled: stalls(&copy), copy, when }).collect())
}

/// Whether a loop of `main` starts or joins threads.
fn starts_threads(program: &Verified, copy: &LoopCopy) -> bool {
    let Some(function) = code(program, copy.thread) else { return false };
    loop_body(function, copy.head).iter().any(|block| {
        let instructions = &function[*block].instructions;
        let is_one =
            |kind: &InstructionKind| matches!(kind, InstructionKind::Spawn { .. } | InstructionKind::Join { .. });
        instructions.iter().any(|instruction| is_one(&instruction.kind))
    })
}

/// Whether a loop can be left, and by what it does itself. A thread that looks at memory only, which others do not write, until it
/// changes never ends; `main` alone, unless it waits, runs with a memory that its own stores change at once.
fn may_end(program: &Verified, copy: &LoopCopy) -> bool {
    let Some(function) = code(program, copy.thread) else { return false };
    let body = loop_body(function, copy.head);
    let is_exit = |block: &&BlockId| {
        let successors = function[**block].terminator.successors();
        successors.iter().any(|next| !body.contains(next))
    };
    let mut exits = body.iter().filter(is_exit).peekable();
    let waits = instructions(function, &body).any(|kind| matches!(kind, InstructionKind::Await { .. }));
    if copy.thread == Whole::MAIN && !waits {
        return exits.peek().is_some();
    }
    let carried = carried(function, copy.head, &body);
    let mut conditions = exits.flat_map(|block| function[*block].terminator.operands());
    conditions.any(|condition| matches!(condition, Operand::Register(register) if carried.contains(register)))
}

/// The registers that one iteration of a loop gives to the next, and those that depend on them: computed from them, or set in
/// several places in a loop that branches on them.
fn carried(function: &Function, head: BlockId, body: &[BlockId]) -> BTreeSet<RegisterId> {
    let live = &live_at_start(function)[head.0 as usize];
    let assigned: Vec<RegisterId> = instructions(function, body).flat_map(InstructionKind::targets).collect();
    let is_carried = |register: &RegisterId| live.contains(register.0 as usize);
    let mut carried: BTreeSet<RegisterId> = assigned.iter().copied().filter(is_carried).collect();
    loop {
        let before = carried.clone();
        let depends = |operand: &&Operand| matches!(operand, Operand::Register(from) if before.contains(from));
        let computed = instructions(function, body).filter(|kind| kind.operands().iter().any(depends));
        carried.extend(computed.flat_map(InstructionKind::targets));
        let mut branches = body.iter().flat_map(|block| function[*block].terminator.operands());
        if branches.any(|condition| depends(&condition)) {
            let is_set_again = |target: &&RegisterId| assigned.iter().filter(|other| other == target).count() > 1;
            carried.extend(assigned.iter().filter(is_set_again));
        }
        if carried == before {
            return carried;
        }
    }
}

fn instructions<'a>(function: &'a Function, body: &'a [BlockId]) -> impl Iterator<Item = &'a InstructionKind> {
    let blocks = body.iter().map(|block| &function[*block]);
    blocks.flat_map(|block| block.instructions.iter().map(|instruction| &instruction.kind))
}

fn first_start(program: &Verified) -> Option<Span> {
    let main = code(program, Whole::MAIN)?;
    let instructions = main.instructions();
    let mut starts = instructions.filter(|code| matches!(code.kind, InstructionKind::Spawn { .. }));
    starts.next().and_then(|start| start.span)
}

/// The program with a thread for each start that `main` comes to in these iterations of its loops, and with the cells in which
/// they tell that they start and end.
fn with_threads(program: &Verified, iterations: &Iterations, exchanges: bool) -> Result<Verified, Unsupported> {
    let (inlined, _) = without_calls(program, exchanges)?;
    let main = &unroll(&inlined.program, iterations)?.threads[Whole::MAIN.0 as usize];
    let places = starts(&inlined.program, main);
    let Some(function) = code(&inlined.program, Whole::MAIN) else { return Ok(program.clone()) };
    let mut started: Vec<(FunctionId, Option<Span>)> = Vec::new();
    for (node, position) in places {
        let instruction = &function.blocks[main.nodes[node].block.0 as usize].instructions[position];
        if let InstructionKind::Spawn { function, .. } = instruction.kind {
            started.push((function, instruction.span));
        }
    }
    if let Some((_, span)) = started.get(THREADS) {
        return Err(Unsupported::new(format!("more than {THREADS} threads"), *span));
    }
    let mut result = Program::clone(program);
    let names = names(program, &started);
    for (&(entry, _), name) in started.iter().zip(&names) {
        let arguments = vec![Value::Undefined; program.function(entry).parameters.len()];
        result.threads.push(Thread { name: name.clone(), entry, arguments });
        let message = |what: &str| Global {
            name: format!("{name} {what}"),
            cells: vec![(Vec::new(), Value::int(0, 32))],
            default: Value::Undefined,
            extent: None,
            span: None,
        };
        result.globals.extend([message("starts"), message("ends")]);
    }
    program::verify(result).map_err(|breaches| {
        let breach = breaches.into_iter().next();
        let what = breach.as_ref().map_or("a program".into(), |breach| breach.message.clone());
        Unsupported::new(format!("{what} (after its threads were found)"), breach.and_then(|breach| breach.span))
    })
}

/// The functions' names; numbered where several threads run one function.
fn names(program: &Program, started: &[(FunctionId, Option<Span>)]) -> Vec<String> {
    let mut taken: BTreeMap<&str, u32> = BTreeMap::new();
    let name = |&(function, _): &(FunctionId, Option<Span>)| {
        let name = program.function(function).name.as_str();
        let count = taken.entry(name).or_default();
        *count += 1;
        let is_only = started.iter().filter(|(other, _)| *other == function).count() == 1;
        let is_main = program.threads.iter().any(|thread| thread.name == name);
        if is_only && !is_main { name.to_string() } else { format!("{name}#{count}") }
    };
    started.iter().map(name).collect()
}

/// Refuses threads that start or join others.
fn refuse_other_starts(program: &Verified) -> Result<(), Unsupported> {
    if program.threads.len() != 1 || program.setup.is_some() {
        return Err(Unsupported::new("a program whose threads do not all start from main", None));
    }
    let mut run = started_functions(program);
    let mut next = 0;
    while let Some(&function) = run.get(next) {
        next += 1;
        for instruction in program[function].instructions() {
            if matches!(instruction.kind, InstructionKind::Spawn { .. } | InstructionKind::Join { .. }) {
                let what = "a thread other than main that starts or joins threads, in this engine";
                return Err(Unsupported::new(what, instruction.span));
            }
            let more = instruction.kind.callees();
            run.extend(more.into_iter().filter(|callee| !run.contains(callee)).collect::<Vec<_>>());
        }
    }
    Ok(())
}

/// The functions that some thread starts with.
fn started_functions(program: &Verified) -> Vec<FunctionId> {
    let instructions = program.instructions();
    let mut found: Vec<FunctionId> = Vec::new();
    for instruction in instructions {
        if let InstructionKind::Spawn { function, .. } = instruction.kind
            && !found.contains(&function)
        {
            found.push(function);
        }
    }
    found
}
