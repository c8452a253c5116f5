//! `main` as threads: what it does before the first start is the initial state, the threads it starts run in the order that
//! `start` and `join` give, and so do the parts of `main` between them.
//!
//! `main` is run as far as what it needs is known. Once a thread has started, memory that the threads can reach is not, and
//! what `main` does with it is kept as the code of a thread of its own; each start or join begins another such part. A value
//! that one part reads from shared memory cannot be handed to the next, nor decide which threads are started: such programs
//! are refused. An object that `main` makes after the first start must not be stored where threads can find it, because
//! what was written to it would then count as initial.

use std::collections::{BTreeSet, HashMap, HashSet};

use program::tidy::compact;
use program::{
    AssertSort, Block, BlockId, Flow, Function, Instruction, InstructionKind, Operand, Operator, Pointer, RegisterId,
    Span, Terminator, Value,
};

use super::call::lambda_body;
use super::field::{BOUND_TAG, LENGTH, LENGTH_TAG, RUNNABLE, hidden};
use super::lower::{Result, Role, lower};
use super::run::{Next, Run};
use super::world::{Found, Shape, World};

/// The threads of `main`.
#[derive(Default)]
pub struct Split {
    /// Name, code and arguments of each.
    pub threads: Vec<(String, Function, Vec<Value>)>,
    /// Which ends before which starts, by index.
    pub order: Vec<(usize, usize)>,
    /// The thread of each thread object that was started.
    started: HashMap<Pointer, usize>,
    /// The threads that end before whatever comes next in `main` starts.
    before: Vec<usize>,
    /// What the current part of `main` does.
    part: Vec<Instruction>,
    /// Registers that a finished part gave an unknown value.
    lost: HashSet<RegisterId>,
    /// Objects made or written to after the first start.
    young: HashSet<u32>,
    parts: usize,
}

/// Splits `main`.
pub fn split(world: &mut World, main: &Function) -> Result<Split> {
    let reaches = reaches_threads(main);
    let mut run = Run::new(main);
    let mut split = Split::default();
    loop {
        let (block, next) = run.position();
        let rest = &main.blocks[block].instructions[next..];
        let leads_on = main.blocks[block].terminator.successors().iter().any(|b| reaches[b.0 as usize]);
        if !leads_on && !rest.iter().any(|instruction| is_about_threads(&instruction.kind)) {
            split.tail(world, &run)?;
            return Ok(split);
        }
        match run.next() {
            Next::Instruction(instruction) => {
                split.instruction(world, &mut run, instruction)?;
                run.advance(world, instruction.span)?;
            }
            Next::Terminator(Terminator::Jump(next)) => run.go_to(world, *next, None)?,
            Next::Terminator(Terminator::Branch { condition, then, otherwise, span, .. }) => {
                let Some(truth) = run.value(condition).and_then(|value| value.truth()) else {
                    let what = "a start or join of threads that depends on what other threads do";
                    return Err(run.refuse(world, what, *span));
                };
                run.go_to(world, if truth { *then } else { *otherwise }, *span)?;
            }
            Next::Terminator(Terminator::Return(_)) => return Ok(split),
        }
    }
}

impl Split {
    fn instruction(&mut self, world: &mut World, run: &mut Run, instruction: &Instruction) -> Result<()> {
        let span = instruction.span;
        match &instruction.kind {
            InstructionKind::Spawn { arguments, .. } => self.start(world, run, arguments, span),
            InstructionKind::Join { thread } => {
                let Some(thread) = run.pointer(thread) else {
                    return Err(run.refuse(world, "`join` of a thread that is not known", span));
                };
                self.close();
                // A thread that was not started is not waited for.
                self.before.extend(self.started.get(&thread));
                Ok(())
            }
            kind if self.may_perform(world, run, kind) && run.perform(world, kind) => {
                self.note_young(run, kind);
                Ok(())
            }
            InstructionKind::Load { target, .. } if has_tag(&instruction.kind, BOUND_TAG) => {
                let (block, next) = run.position();
                let index = index_after(&run.function.blocks[block].instructions[next..]);
                let index = index.and_then(|index| run.value(index));
                require_within(world, run, index, span)?;
                run.set(*target, Some(longest()));
                Ok(())
            }
            kind => self.keep(world, run, kind, span),
        }
    }

    /// Whether an instruction touches nothing that another thread could.
    fn may_perform(&self, world: &World, run: &Run, kind: &InstructionKind) -> bool {
        if self.threads.is_empty() {
            return true;
        }
        match kind {
            InstructionKind::Assign { .. } | InstructionKind::Allocate { .. } | InstructionKind::Freeze { .. } => true,
            // Lengths never change.
            kind if has_tag(kind, BOUND_TAG) || has_tag(kind, LENGTH_TAG) => true,
            InstructionKind::Load { address, .. } | InstructionKind::Store { address, .. } => {
                let cell = run.pointer(address);
                cell.is_some_and(|cell| !self.shared(world).contains(&cell.allocation))
            }
            _ => false,
        }
    }

    /// The memory that threads can reach: static fields, what threads were started with, and all that these lead to.
    fn shared(&self, world: &World) -> HashSet<u32> {
        let mut shared: HashSet<u32> = world.memory.statics().map(|(_, global)| global).collect();
        let given = self.threads.iter().flat_map(|(_, _, arguments)| arguments);
        let mut open: Vec<u32> = shared.iter().copied().chain(given.filter_map(allocation)).collect();
        while let Some(global) = open.pop() {
            shared.insert(global);
            let global = &world.memory.globals[global as usize];
            let held = global.cells.iter().map(|(_, value)| value).chain([&global.default]);
            open.extend(held.filter_map(allocation).filter(|next| !shared.contains(next)));
        }
        shared
    }

    fn note_young(&mut self, run: &Run, kind: &InstructionKind) {
        if self.threads.is_empty() {
            return;
        }
        let changed = match kind {
            InstructionKind::Allocate { target, .. } => run.pointer(&Operand::Register(*target)),
            InstructionKind::Store { address, .. } => run.pointer(address),
            _ => None,
        };
        self.young.extend(changed.map(|pointer| pointer.allocation));
    }

    /// Keeps an instruction for the thread of this part of `main`.
    fn keep(&mut self, world: &World, run: &mut Run, kind: &InstructionKind, span: Option<Span>) -> Result<()> {
        if self.threads.is_empty() && !matches!(kind, InstructionKind::Observe { .. } | InstructionKind::Assert { .. })
        {
            return Err(run.refuse(world, "what cannot be run before the first thread starts", span));
        }
        if has_tag(kind, LENGTH_TAG) {
            return Err(run.refuse(world, "the length of an array that is not constant", span));
        }
        let mut kept = kind.clone();
        for operand in operands(&mut kept) {
            if let Some(value) = run.value(operand) {
                *operand = Operand::Constant(value);
            } else if matches!(operand, Operand::Register(register) if self.lost.contains(register)) {
                return Err(run.refuse(world, "a value that `main` read before it started or joined a thread", span));
            }
        }
        if let InstructionKind::Assert { condition: Operand::Constant(truth), sort: AssertSort::Exception, .. } = &kept
            && truth.truth() == Some(true)
        {
            return Ok(());
        }
        if let InstructionKind::Store { value: Operand::Constant(value), .. } = &kept
            && allocation(value).is_some_and(|global| self.young.contains(&global))
        {
            return Err(run.refuse(world, "sharing an object that `main` made after it started a thread", span));
        }
        for register in kept.targets() {
            run.set(register, None);
            self.lost.remove(&register);
        }
        self.part.push(Instruction { kind: kept, span });
        Ok(())
    }

    /// Ends the current part of `main`.
    fn close(&mut self) {
        if self.part.is_empty() {
            return;
        }
        let instructions = std::mem::take(&mut self.part);
        self.lost.extend(instructions.iter().flat_map(|instruction| instruction.kind.targets()));
        let terminator = Terminator::Return(Vec::new());
        let block = Block { instructions, terminator, span: None };
        self.add_part(vec![block], Vec::new(), None);
    }

    /// Adds the thread of a part of `main`. `names` are those of its registers, or none if they do not matter.
    fn add_part(&mut self, blocks: Vec<Block>, names: Vec<String>, span: Option<Span>) {
        self.parts += 1;
        let name = if self.parts == 1 { "main".to_string() } else { format!("main.{}", self.parts) };
        let highest = blocks.iter().flat_map(|block| &block.instructions).flat_map(|i| mentioned(&i.kind)).max();
        let mut registers = names;
        let wanted = highest.map_or(0, |register| register.0 as usize + 1);
        (registers.len()..wanted).for_each(|index| registers.push(format!("_{index}")));
        let parameters = Vec::new();
        let mut function = Function { name: name.clone(), parameters, registers, results: 0, blocks, span };
        compact(&mut function);
        let index = self.add(name, function, Vec::new());
        self.before = vec![index];
    }

    /// Adds a thread that starts after those that must have ended.
    fn add(&mut self, name: String, function: Function, arguments: Vec<Value>) -> usize {
        let index = self.threads.len();
        self.order.extend(self.before.iter().map(|&first| (first, index)));
        self.threads.push((name, function, arguments));
        index
    }

    fn start(&mut self, world: &mut World, run: &Run, arguments: &[Operand], span: Option<Span>) -> Result<()> {
        let Some(object) = arguments.first().and_then(|thread| run.pointer(thread)) else {
            return Err(run.refuse(world, "`start` of a thread that is not known", span));
        };
        if !run.holds_nothing() {
            return Err(run.refuse(world, "`start` inside of `synchronized`", span));
        }
        if self.started.contains_key(&object) {
            return Err(run.refuse(world, "a thread that is started twice", span));
        }
        self.close();
        let body = body(world, &object).filter(|(id, arguments)| world.method(*id).arity() == arguments.len());
        let Some((method, arguments)) = body else {
            return Err(run.refuse(world, "a thread whose code is not known", span));
        };
        let shapes: Vec<Option<Shape>> = arguments.iter().map(|value| shape(world, value)).collect();
        let function = lower(world, method, Role::Thread, shapes)?;
        let name = format!("Thread-{}", self.started.len());
        let index = self.add(name, function, arguments);
        self.started.insert(object, index);
        Ok(())
    }

    /// The rest of `main`, in which threads are neither started nor joined, is its last part, whatever its control flow.
    fn tail(&mut self, world: &mut World, run: &Run) -> Result<()> {
        let mut rest = rest(run);
        let flow = Flow::of(&rest);
        replace_bounds(world, run, &mut rest, flow.order())?;
        let reached = || flow.order().iter().map(|block| &rest[*block]);
        if let Some(found) = reached().flat_map(|block| &block.instructions).find(|i| has_tag(&i.kind, LENGTH_TAG)) {
            return Err(run.refuse(world, "the length of an array that is not constant", found.span));
        }
        let read: BTreeSet<RegisterId> = reached().flat_map(reads).collect();
        let mut first = std::mem::take(&mut self.part);
        for register in read {
            match run.value(&Operand::Register(register)) {
                Some(Value::Undefined) => {}
                Some(value) => {
                    let operands = vec![Operand::Constant(value)];
                    let kind = InstructionKind::Assign { target: register, operator: Operator::Copy, operands };
                    first.push(Instruction { kind, span: None });
                }
                None if self.lost.contains(&register) => {
                    let what = "a value that `main` read before it started or joined a thread";
                    let used = reached().flat_map(|block| &block.instructions);
                    let mut used = used.filter(|i| i.kind.operands().contains(&&Operand::Register(register)));
                    return Err(run.refuse(world, what, used.next().and_then(|instruction| instruction.span)));
                }
                None => {}
            }
        }
        let acts = |block: &Block| block.instructions.iter().any(|i| !matches!(i.kind, InstructionKind::Assign { .. }));
        if reached().any(acts) || first.iter().any(|i| !matches!(i.kind, InstructionKind::Assign { .. })) {
            rest.blocks[0].instructions = first;
            self.add_part(rest.blocks, rest.registers, rest.span);
        }
        Ok(())
    }
}

/// What is left of a run as a function. Block 0 is empty, block 1 the rest of the current one.
fn rest(run: &Run) -> Function {
    let (block, next) = run.position();
    let mut current = run.function.blocks[block].clone();
    current.instructions.drain(..next);
    let first = Block { instructions: Vec::new(), terminator: Terminator::Jump(BlockId(1)), span: None };
    let mut blocks = vec![first, current];
    blocks.extend(run.function.blocks.iter().cloned());
    for block in &mut blocks[1..] {
        match &mut block.terminator {
            Terminator::Jump(next) => next.0 += 2,
            Terminator::Branch { then, otherwise, join, .. } => {
                then.0 += 2;
                otherwise.0 += 2;
                *join = None;
            }
            Terminator::Return(_) => {}
        }
    }
    Function { blocks, parameters: Vec::new(), ..run.function.clone() }
}

/// The method that a thread object runs, and its arguments.
fn body(world: &World, thread: &Pointer) -> Option<((usize, usize), Vec<Value>)> {
    let class = world.memory.shape(thread)?.class.clone();
    match world.find_method(&class, "run", "()V") {
        Found::Method(id) => Some((id, vec![Value::Pointer(thread.clone())])),
        Found::Library(_) => match world.memory.load(&hidden(thread, RUNNABLE))? {
            Value::Pointer(runnable) => runnable_body(world, &runnable),
            _ => None,
        },
    }
}

/// The method that a `Runnable` runs, and its arguments.
fn runnable_body(world: &World, runnable: &Pointer) -> Option<((usize, usize), Vec<Value>)> {
    let class = world.memory.shape(runnable)?.class.clone();
    let Some((class, name, descriptor)) = lambda_body(&class) else {
        let Found::Method(id) = world.find_method(&class, "run", "()V") else { return None };
        return Some((id, vec![Value::Pointer(runnable.clone())]));
    };
    let Found::Method(mut id) = world.find_method(class, name, descriptor) else { return None };
    let method = world.method(id);
    let count = method.arity();
    let captured = |number: usize| world.memory.load(&hidden(runnable, number as i64));
    let arguments: Vec<Value> = (0..count).map(captured).collect::<Option<_>>()?;
    if !method.is_static {
        let class = shape(world, arguments.first()?)?.class;
        let Found::Method(exact) = world.find_method(&class, name, descriptor) else { return None };
        id = exact;
    }
    Some((id, arguments))
}

fn shape(world: &World, value: &Value) -> Option<Shape> {
    match value {
        Value::Pointer(pointer) => world.memory.shape(pointer).cloned(),
        _ => None,
    }
}

fn allocation(value: &Value) -> Option<u32> {
    match value {
        Value::Pointer(pointer) => Some(pointer.allocation),
        _ => None,
    }
}

fn is_about_threads(kind: &InstructionKind) -> bool {
    matches!(kind, InstructionKind::Spawn { .. } | InstructionKind::Join { .. })
}

/// Whether an instruction is a load that is marked so.
fn has_tag(kind: &InstructionKind, tag: &str) -> bool {
    matches!(kind, InstructionKind::Load { access, .. } if access.tags.iter().any(|own| &**own == tag))
}

/// The length of the longest array.
fn longest() -> Value {
    Value::int(i32::MAX.into(), 32)
}

/// The index that is compared with the length that the first of these instructions loads.
fn index_after(instructions: &[Instruction]) -> Option<&Operand> {
    match instructions.get(1).map(|instruction| &instruction.kind) {
        Some(InstructionKind::Assign { operator: Operator::LtUnsigned, operands, .. }) => operands.first(),
        _ => None,
    }
}

/// Requires an index into an array that is not known to be within the bounds of all arrays there are.
fn require_within(world: &mut World, run: &Run, index: Option<Value>, span: Option<Span>) -> Result<()> {
    let Some(Value::Int(index)) = index else {
        return Err(run.refuse(world, "an index into an array of which the length is not known", span));
    };
    let refused = run.refuse(world, "an index that is out of bounds of some array", span);
    world.indexes.push((index.signed(), refused));
    Ok(())
}

/// The length of the array whose bound is loaded at this place of a block, if the array is known before the block's function
/// begins and stays the same in it.
fn known_length(world: &World, run: &Run, rest: &Function, block: &Block, at: usize) -> Option<Value> {
    let InstructionKind::Assign { operator: Operator::Offset, operands, .. } = &block.instructions[..at].last()?.kind
    else {
        return None;
    };
    let array = operands.first()?;
    let is_set = |instruction: &Instruction| {
        instruction.kind.targets().into_iter().any(|target| Operand::Register(target) == *array)
    };
    let is_fixed = !rest.blocks.iter().flat_map(|block| &block.instructions).any(is_set);
    let array = run.pointer(array).filter(|_| is_fixed)?;
    world.memory.load(&hidden(&array, LENGTH))
}

/// Puts lengths in the place of bounds that are loaded: that of the array if it is known, else that of the longest one, where
/// the index is within the bounds of all of them.
fn replace_bounds(world: &mut World, run: &Run, rest: &mut Function, reached: &[BlockId]) -> Result<()> {
    for number in reached.iter().map(|block| block.0 as usize) {
        let block = &rest.blocks[number];
        let bounds = (0..block.instructions.len()).filter(|&at| has_tag(&block.instructions[at].kind, BOUND_TAG));
        let bounds: Vec<(usize, Option<Value>)> =
            bounds.map(|at| (at, known_length(world, run, rest, block, at))).collect();
        for (at, length) in bounds {
            let instructions = &mut rest.blocks[number].instructions;
            let span = instructions[at].span;
            if length.is_none() {
                let index = index_after(&instructions[at..]).and_then(|index| index.constant().cloned());
                require_within(world, run, index, span)?;
            }
            let operands = vec![Operand::Constant(length.unwrap_or_else(longest))];
            if let InstructionKind::Load { target, .. } = instructions[at].kind {
                instructions[at].kind = InstructionKind::Assign { target, operator: Operator::Copy, operands };
            }
        }
    }
    Ok(())
}

/// From which blocks a start or join can be reached.
fn reaches_threads(main: &Function) -> Vec<bool> {
    let own = |block: &Block| block.instructions.iter().any(|instruction| is_about_threads(&instruction.kind));
    let mut reaches: Vec<bool> = main.blocks.iter().map(own).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (index, block) in main.blocks.iter().enumerate().rev() {
            let leads_on = block.terminator.successors().iter().any(|next| reaches[next.0 as usize]);
            changed |= leads_on && !reaches[index];
            reaches[index] |= leads_on;
        }
    }
    reaches
}

/// The operands of an instruction that a part of `main` may keep.
fn operands(kind: &mut InstructionKind) -> Vec<&mut Operand> {
    match kind {
        InstructionKind::Assign { operands, .. } => operands.iter_mut().collect(),
        InstructionKind::Load { address, .. } => vec![address],
        InstructionKind::Store { address, value, .. } => vec![address, value],
        InstructionKind::Lock { monitor }
        | InstructionKind::Unlock { monitor }
        | InstructionKind::Wait { monitor }
        | InstructionKind::Notify { monitor, .. } => vec![monitor],
        InstructionKind::Assert { condition, .. } => vec![condition],
        InstructionKind::Observe { value, .. } => vec![value],
        _ => vec![],
    }
}

/// The registers that a block reads.
fn reads(block: &Block) -> Vec<RegisterId> {
    let instructions = block.instructions.iter().flat_map(|instruction| instruction.kind.operands());
    let operands = instructions.chain(block.terminator.operands());
    let register = |operand: &Operand| match operand {
        Operand::Register(register) => Some(*register),
        Operand::Constant(_) => None,
    };
    operands.filter_map(register).collect()
}

/// All registers of an instruction.
fn mentioned(kind: &InstructionKind) -> Vec<RegisterId> {
    let mut found = Vec::new();
    kind.clone().each_register_mut(&mut |register| found.push(*register));
    found
}
