//! Programs whose first thread makes objects, starts threads and waits for all of them, as threads that run from the start: for
//! engines that solve.
//!
//! What comes before the first start is run, and memory as it is then is the initial memory. What comes after the end of all
//! threads is a thread of its own that starts when they have ended. Both are exact under every model in which starting a thread
//! and waiting for its end order what comes before and after. The threads are [specialised](crate::specialise).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use program::{
    BlockId, Function, FunctionId, Global, Instruction, InstructionKind, Language, Observable, Operand, Operator,
    Order, Pointer, Program, Question, RegisterId, Terminator, Thread, ThreadId, Unsupported, Value, Verified,
};

use crate::choices::Choices;
use crate::interpret::Interpreter;
use crate::machine::Machine;
use crate::monitors::{self, Leaving};
use crate::observer::Nobody;
use crate::specialise::{Contents, Specialiser, class_of, hold};
use crate::state::{Frame, State, Status};
use crate::turn::setup_once;
use crate::word::Address;

/// The program with its threads from the start. Nothing if it has another form.
pub fn unfold(program: &Verified) -> Result<Verified, Unsupported> {
    let refused = |what: &str| Unsupported::new(what, None);
    if program.threads.len() != 1 || program.language != Language::Java {
        return Err(refused("a program that does not start at one thread"));
    }
    let mut interpreter = Interpreter::new(program, Machine::Sc);
    let state =
        run_to_first_start(&mut interpreter).ok_or_else(|| refused("a program whose beginning is not known"))?;
    let Some(&[frame]) = state.threads.first().map(|thread| &thread.frames[..]) else {
        return Err(refused("a thread that is started by a called function"));
    };
    let started = started(&mut interpreter, &state, frame);
    let last = last_part(&interpreter, &state, frame, started.len());
    let mut whole = Program::clone(program);
    let last_id = FunctionId(whole.functions.len() as u32);
    whole.functions.push(last);
    let mut interpreter = Interpreter::new(&whole, Machine::Sc);
    let state =
        run_to_first_start(&mut interpreter).ok_or_else(|| refused("a program whose beginning is not known"))?;
    let classes = classes(&interpreter, &state);
    let mut constant = unescaped(program);
    let at_start = held_at_start(&interpreter, &state, &classes);
    let mut held = Some(at_start.clone());
    let mut passes = 0;
    loop {
        let mut specialiser = Specialiser::new(&mut interpreter, &state, &classes, &constant, held.as_ref());
        let mut entries = Vec::new();
        for (function, arguments) in &started {
            entries.push(specialiser.call_with(*function, arguments.clone())?);
        }
        entries.push(specialiser.call_with(last_id, Vec::new())?);
        let Specialiser { functions, stored, scatters, refused, .. } = specialiser;
        let written = written(&functions, &constant);
        let is_known = held.as_ref().is_none_or(|held| !scatters && is_held(held, &stored));
        if written.is_empty() && is_known {
            if let Some(refused) = refused {
                return Err(refused);
            }
            return finish(program, &interpreter, &state, functions, &entries, &started);
        }
        constant.retain(|global| !written.contains(global));
        passes += 1;
        if !is_known {
            held = held.and_then(|held| held_next(&held, &at_start, stored)).filter(|_| passes < MOST_PASSES);
        }
    }
}

/// So often it is tried to find out what cells hold.
const MOST_PASSES: u32 = 16;

/// Whether all that is written is among what cells hold.
fn is_held(held: &Contents, stored: &Contents) -> bool {
    stored.iter().all(|(place, class)| held.get(place).is_some_and(|known| known == class || known.is_none()))
}

/// What cells hold as far as a pass shows; nothing if that is nothing else than before.
fn held_next(held: &Contents, at_start: &Contents, stored: Contents) -> Option<Contents> {
    let mut next = at_start.clone();
    for (place, class) in stored {
        hold(&mut next, place, class);
    }
    (next != *held).then_some(next)
}

/// What cells hold when the threads start.
fn held_at_start(interpreter: &Interpreter, state: &State, classes: &[Arc<str>]) -> Contents {
    let mut contents = Contents::new();
    for (block, class) in state.heap.iter().zip(classes) {
        for (path, word) in &block.cells {
            let content = match interpreter.words.value(*word) {
                Value::Pointer(pointer) => class_of(&pointer, classes),
                Value::Composite(..) => None,
                Value::Int(_) | Value::Undefined => continue,
            };
            let Pointer { path, .. } = interpreter.words.pointer(Address { allocation: 0, path: *path });
            hold(&mut contents, (class.clone(), path), content);
        }
    }
    contents
}

/// An [unfolded](unfold) program without the thread that looks at what the others left, asked about memory instead, and with
/// updates in place of monitors: for models that know neither an order of threads nor monitors. Nothing if that thread
/// does more than look.
pub fn without_last_thread(program: &Verified) -> Result<Verified, Unsupported> {
    let refused = || Unsupported::new("what comes after the end of all threads", None);
    let mut result = Program::clone(program);
    let last = result.threads.pop().ok_or_else(refused)?;
    let end = &program[last.entry];
    let [block] = &end.blocks[..] else { return Err(refused()) };
    let mut cells: BTreeMap<RegisterId, Pointer> = BTreeMap::new();
    for instruction in &block.instructions {
        let (target, cell) = match &instruction.kind {
            InstructionKind::Load { target, address: Operand::Constant(Value::Pointer(cell)), .. } => {
                (target, cell.clone())
            }
            InstructionKind::Assign { target, operator: Operator::Copy | Operator::Resize { .. }, operands } => {
                match operands.first() {
                    Some(Operand::Register(from)) => (target, cells.get(from).cloned().ok_or_else(refused)?),
                    _ => continue,
                }
            }
            _ => return Err(refused()),
        };
        cells.insert(*target, cell);
    }
    result.thread_order.clear();
    monitors::replace(&mut result, Leaving::Write)?;
    // Models that do not order threads are herd's, to whom the parts of a statement are not ordered. A line of Java is no statement.
    let instructions = result.functions.iter_mut().flat_map(Function::instructions_mut);
    for instruction in instructions {
        instruction.span = None;
        if let InstructionKind::Fence { access } = &mut instruction.kind
            && access.order == Order::SeqCst
        {
            // So they call a full fence.
            *access = access.clone().tagged("V");
        }
    }
    let question = result.question.as_mut().ok_or_else(refused)?;
    for observable in &mut question.observed {
        let Observable::Register(_, register) = observable else { return Err(refused()) };
        *observable = Observable::Memory(cells.get(register).cloned().ok_or_else(refused)?);
    }
    program::verify(result).map_err(|_| refused())
}

/// Runs the setup and the first thread, up to where that starts another; if that takes no choices.
fn run_to_first_start(interpreter: &mut Interpreter) -> Option<State> {
    let mut choices = Choices::default();
    let mut state = setup_once(interpreter, &mut choices).ok()?;
    state.thread(0).status = Status::Running;
    for _ in 0..interpreter.longest {
        if !choices.taken().is_empty() || state.threads[0].status != Status::Running {
            return None;
        }
        let next = interpreter.next_instruction(&state.threads[0]);
        if next.is_some_and(|instruction| matches!(instruction.kind, InstructionKind::Spawn { .. })) {
            return Some(state);
        }
        interpreter.instruction(&mut state, 0, &mut choices, &mut Nobody).ok()?;
    }
    None
}

/// The functions that are started next, with their arguments.
fn started(interpreter: &mut Interpreter, state: &State, frame: Frame) -> Vec<(FunctionId, Vec<Value>)> {
    let block = &interpreter.program[frame.function][frame.block];
    let mut found = Vec::new();
    for instruction in &block.instructions[frame.next as usize..] {
        let InstructionKind::Spawn { function, arguments, .. } = &instruction.kind else { break };
        let arguments: Vec<_> = arguments.iter().map(|argument| interpreter.operand(state, 0, argument)).collect();
        found.push((*function, arguments.into_iter().map(|word| interpreter.words.value(word)).collect()));
    }
    found
}

/// What the first thread does once all others have ended. If it does something else first, it is found to start or join threads.
fn last_part(interpreter: &Interpreter, state: &State, frame: Frame, started: usize) -> Function {
    let mut last = interpreter.program[frame.function].clone();
    let instructions = &last[frame.block].instructions[frame.next as usize + started..];
    let is_join = |instruction: &&Instruction| matches!(instruction.kind, InstructionKind::Join { .. });
    let joins = instructions.iter().take_while(is_join).count().min(started);
    let rest = if joins == started { &instructions[joins..] } else { instructions };
    let held = |register: usize| interpreter.words.value(state.threads[0].register(RegisterId(register as u32)));
    let assign = |register: usize| Instruction {
        kind: InstructionKind::Assign {
            target: RegisterId(register as u32),
            operator: Operator::Copy,
            operands: vec![Operand::Constant(held(register))],
        },
        span: None,
    };
    let known = (0..last.registers.len()).filter(|register| held(*register) != Value::Undefined).map(assign);
    let instructions = known.chain(rest.iter().cloned()).collect();
    let begin = program::Block { instructions, ..last[frame.block].clone() };
    // The thread begins where the first one was; the block there may still be come to otherwise, which is then refused.
    last.blocks.push(begin);
    let end = last.blocks.len() - 1;
    last.blocks.swap(0, end);
    last.blocks.iter_mut().for_each(|block| lead_past_start(&mut block.terminator, BlockId(end as u32)));
    last.parameters.clear();
    last
}

/// What leads to the first block leads to another.
fn lead_past_start(terminator: &mut Terminator, other: BlockId) {
    let lead = |block: &mut BlockId| {
        if *block == BlockId(0) {
            *block = other;
        }
    };
    match terminator {
        Terminator::Jump(next) => lead(next),
        Terminator::Branch { then, otherwise, join, .. } => {
            [then, otherwise].into_iter().chain(join).for_each(lead);
        }
        Terminator::Return(_) => {}
    }
}

fn classes(interpreter: &Interpreter, state: &State) -> Vec<Arc<str>> {
    let class = |(index, block): (usize, &std::rc::Rc<crate::heap::Allocation>)| {
        let global = interpreter.program.globals.get(index).map(|global| Arc::from(global.name.as_str()));
        global.or_else(|| interpreter.name(block).cloned()).unwrap_or_else(|| Arc::from(""))
    };
    state.heap.iter().enumerate().map(class).collect()
}

/// The globals whose addresses are nowhere but in accesses.
fn unescaped(program: &Program) -> BTreeSet<u32> {
    let mut found: BTreeSet<u32> = (0..program.globals.len() as u32).collect();
    let mut escapes = |value: &Value| {
        if let Value::Pointer(pointer) = value {
            found.remove(&pointer.allocation);
        }
    };
    for global in &program.globals {
        global.cells.iter().for_each(|(_, value)| escapes(value));
    }
    for function in &program.functions {
        for instruction in function.instructions() {
            let address = match &instruction.kind {
                InstructionKind::Lock { monitor } | InstructionKind::Unlock { monitor } => Some(monitor),
                kind => accessed(kind),
            };
            let others = instruction.kind.operands().into_iter().filter(|operand| Some(*operand) != address);
            others.filter_map(Operand::constant).for_each(&mut escapes);
        }
        let ends = function.blocks.iter().flat_map(|block| block.terminator.operands());
        ends.filter_map(Operand::constant).for_each(&mut escapes);
    }
    found
}

/// The address that an instruction accesses.
fn accessed(kind: &InstructionKind) -> Option<&Operand> {
    match kind {
        InstructionKind::Load { address, .. }
        | InstructionKind::Store { address, .. }
        | InstructionKind::ReadModifyWrite { address, .. } => Some(address),
        _ => None,
    }
}

/// Which of these globals the functions write.
fn written(functions: &[Function], globals: &BTreeSet<u32>) -> BTreeSet<u32> {
    let writes = functions.iter().flat_map(Function::instructions).filter(|instruction| {
        matches!(instruction.kind, InstructionKind::Store { .. } | InstructionKind::ReadModifyWrite { .. })
    });
    let addresses = writes.filter_map(|instruction| accessed(&instruction.kind)?.constant());
    let allocations = addresses.filter_map(|value| match value {
        Value::Pointer(pointer) => Some(pointer.allocation),
        _ => None,
    });
    allocations.filter(|allocation| globals.contains(allocation)).collect()
}

/// The program of these functions, whose last entry runs when all others have ended.
fn finish(
    program: &Verified,
    interpreter: &Interpreter,
    state: &State,
    functions: Vec<Function>,
    entries: &[FunctionId],
    started: &[(FunctionId, Vec<Value>)],
) -> Result<Verified, Unsupported> {
    let starts = |instruction: &&Instruction| {
        matches!(instruction.kind, InstructionKind::Spawn { .. } | InstructionKind::Join { .. })
    };
    if let Some(other) = functions.iter().flat_map(Function::instructions).find(starts) {
        return Err(Unsupported::new("threads that are not all started and joined together", other.span));
    }
    let thread = |(index, entry): (usize, &FunctionId)| {
        let (name, arguments) = match started.get(index) {
            Some((function, arguments)) => (program[*function].name.clone(), arguments.clone()),
            None => ("after all".to_string(), Vec::new()),
        };
        Thread { name, entry: *entry, arguments }
    };
    let threads: Vec<Thread> = entries.iter().enumerate().map(thread).collect();
    let last = ThreadId(started.len() as u32);
    let end = &functions[entries[started.len()].index()];
    let observed = program.question.as_ref().map(|question| observed(program, question, end, last)).transpose()?;
    let question = program.question.clone().zip(observed).map(|(question, observed)| Question { observed, ..question });
    let result = Program {
        globals: globals(interpreter, state),
        functions,
        threads,
        setup: None,
        thread_order: (0..last.0).map(|thread| (ThreadId(thread), last)).collect(),
        question,
        ..Program::clone(program)
    };
    program::verify(result).map_err(|breaches| {
        let breach = breaches.into_iter().next();
        Unsupported::new(breach.map_or("a program".into(), |breach| breach.message), None)
    })
}

/// What a question lists, as registers of the last thread.
fn observed(
    program: &Program,
    question: &Question,
    end: &Function,
    last: ThreadId,
) -> Result<Vec<Observable>, Unsupported> {
    let main = &program[program.threads[0].entry];
    let place = |observable: &Observable| match observable {
        Observable::Register(_, register) => {
            let name = main.register_name(*register);
            let place = end.registers.iter().position(|other| other == name)?;
            Some(Observable::Register(last, RegisterId(place as u32)))
        }
        Observable::Memory(_) => None,
    };
    let found: Option<Vec<Observable>> = question.observed.iter().map(place).collect();
    found.ok_or_else(|| Unsupported::new("a question about registers that are gone", None))
}

/// All that is in memory.
fn globals(interpreter: &Interpreter, state: &State) -> Vec<Global> {
    let global = |(index, block): (usize, &std::rc::Rc<crate::heap::Allocation>)| {
        let known = interpreter.program.globals.get(index);
        let path = |path| interpreter.words.pointer(Address { allocation: 0, path }).path;
        let made = || format!("{}#{index}", interpreter.name(block).map_or("object", |name| name));
        Global {
            name: known.map_or_else(made, |global| global.name.clone()),
            cells: block.cells.iter().map(|(at, word)| (path(*at), interpreter.words.value(*word))).collect(),
            default: interpreter.words.value(block.default),
            extent: None,
            span: known.and_then(|global| global.span),
        }
    };
    state.heap.iter().enumerate().map(global).collect()
}

/// How many accesses the threads of an unfolded program make at most, each loop once.
pub fn accesses(program: &Program) -> usize {
    let mut sizes = vec![None; program.functions.len()];
    program.threads.iter().map(|thread| accesses_of(program, thread.entry, &mut sizes)).fold(0, usize::saturating_add)
}

fn accesses_of(program: &Program, id: FunctionId, sizes: &mut Vec<Option<usize>>) -> usize {
    if let Some(size) = sizes[id.0 as usize] {
        return size;
    }
    let size = |instruction: &Instruction| match &instruction.kind {
        InstructionKind::Call { function, .. } => accesses_of(program, *function, sizes),
        kind => usize::from(accessed(kind).is_some() || matches!(kind, InstructionKind::Lock { .. })),
    };
    let size = program[id].instructions().map(size).fold(0, usize::saturating_add);
    sizes[id.0 as usize] = Some(size);
    size
}
