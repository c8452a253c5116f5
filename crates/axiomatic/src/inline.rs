//! Calls to code in place: what the engine unrolls and walks has none.
//!
//! Every thread's entry and the setup become functions without calls. Registers of a callee get places of their own for
//! each call; those that it may read before it assigns them are set to undefined where it starts, as at any start of a
//! function. Where the entry of a thread is a sequence of operations (see [`program::observation`]), each block knows
//! the operation that it belongs to.
//!
//! A function that calls itself, perhaps through others, is put in place of its calls as deep as [`DEPTHS`] and [`BLOCKS_OF_RECURSION`]
//! allow. Where it would go deeper stands a loop without an end, at the place of the call: a bound that an execution may exceed,
//! as that of any loop.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::liveness::live_at_start;
use program::{
    Block, BlockId, Function, FunctionId, Instruction, InstructionKind, Operand, Operator, Program, RegisterId, Span,
    Terminator, Unsupported, Value, Verified,
};

use crate::promote::promote;

/// A program without calls.
pub struct Inlined<'a> {
    /// The program: each thread's entry and the setup have no calls.
    pub program: Cow<'a, Verified>,
    /// By function: which call of the entry each block comes from, counted from 0; `None` outside of calls.
    pub operations: Vec<Vec<Option<u32>>>,
}

/// More blocks than this in one function are refused.
const BLOCKS: usize = 100_000;

/// How deep calls of a function within itself are put in place: the first of these that makes no more blocks than
/// [`BLOCKS_OF_RECURSION`], or the last.
const DEPTHS: [usize; 6] = [24, 12, 8, 6, 4, 3];
const BLOCKS_OF_RECURSION: usize = 1_000;

/// Puts the code of every function in place of its calls.
pub fn inline(program: &Verified) -> Result<Inlined<'_>, Unsupported> {
    let instructions = program.instructions();
    let changes =
        |kind: &InstructionKind| matches!(kind, InstructionKind::Call { .. } | InstructionKind::Allocate { .. });
    if !instructions.clone().any(|instruction| changes(&instruction.kind)) {
        return Ok(Inlined { program: Cow::Borrowed(program), operations: Vec::new() });
    }
    let mut result = Program::clone(program);
    let mut operations: Vec<Vec<Option<u32>>> = program.functions.iter().map(|f| vec![None; f.blocks.len()]).collect();
    let entries: BTreeSet<FunctionId> =
        program.threads.iter().map(|thread| thread.entry).chain(program.setup).collect();
    let recursive = recursive(program);
    let mut expander = Expander { program, recursive, deepest: 1, done: BTreeMap::new(), open: Vec::new() };
    for entry in entries {
        let code = expander.expand_deep(entry)?;
        let index = entry.0 as usize;
        result.functions[index] = promote(code.function.clone());
        operations[index] = code.operations.clone();
    }
    // What only calls reached is not needed any more, but ids stay as they are.
    match program::verify(result) {
        Ok(program) => Ok(Inlined { program: Cow::Owned(program), operations }),
        Err(breaches) => {
            let first = breaches.first();
            let what = first.map_or("a program".into(), |breach| breach.message.clone());
            Err(Unsupported::new(format!("{what} (after calls were put in place)"), first.and_then(|b| b.span)))
        }
    }
}

/// A function without calls.
struct Code {
    function: Function,
    operations: Vec<Option<u32>>,
    /// What it may read before it assigns it.
    unassigned: Vec<RegisterId>,
}

struct Expander<'a> {
    program: &'a Program,
    /// The functions that call themselves, perhaps through others.
    recursive: BTreeSet<FunctionId>,
    /// How often one of them may be open.
    deepest: usize,
    /// By function, and those open around it that are recursive, once its calls are in place.
    done: BTreeMap<(FunctionId, Vec<FunctionId>), Rc<Code>>,
    /// The functions that are being expanded, outermost first.
    open: Vec<FunctionId>,
}

impl Expander<'_> {
    /// An entry with all calls in place, recursive ones as deep as they may be.
    fn expand_deep(&mut self, entry: FunctionId) -> Result<Rc<Code>, Unsupported> {
        if self.recursive.is_empty() {
            return self.expand(entry);
        }
        let fits = |depth: &usize| {
            let mut open = Vec::new();
            self.count(entry, *depth, &mut open, &mut BTreeMap::new()) <= BLOCKS_OF_RECURSION
        };
        let deepest = DEPTHS.into_iter().find(fits).unwrap_or(DEPTHS[DEPTHS.len() - 1]);
        (self.deepest, self.done) = (deepest, BTreeMap::new());
        self.expand(entry)
    }

    /// How many blocks a function has with its calls in place, recursive ones up to a depth; at most a few more than are allowed.
    fn count(
        &self,
        id: FunctionId,
        depth: usize,
        open: &mut Vec<FunctionId>,
        known: &mut BTreeMap<(FunctionId, Vec<FunctionId>), usize>,
    ) -> usize {
        let key = (id, self.around(open));
        if let Some(count) = known.get(&key) {
            return *count;
        }
        let function = self.program.function(id);
        let mut count = function.blocks.len();
        open.push(id);
        for callee in function.instructions().filter_map(callee_of) {
            let is_cut = self.recursive.contains(&callee) && open.iter().filter(|f| **f == callee).count() >= depth;
            if count <= BLOCKS_OF_RECURSION {
                count += if is_cut { 3 } else { 1 + self.count(callee, depth, open, known) };
            }
        }
        open.pop();
        known.insert(key, count);
        count
    }

    /// The recursive functions among those that are open.
    fn around(&self, open: &[FunctionId]) -> Vec<FunctionId> {
        let mut around: Vec<FunctionId> = open.iter().copied().filter(|f| self.recursive.contains(f)).collect();
        around.sort();
        around
    }

    fn expand(&mut self, id: FunctionId) -> Result<Rc<Code>, Unsupported> {
        let key = (id, self.around(&self.open));
        if let Some(code) = self.done.get(&key) {
            return Ok(code.clone());
        }
        let function = self.program.function(id);
        self.open.push(id);
        let operations = vec![None; function.blocks.len()];
        // What is put in place of a call assigns what it reads and what the call gives, as the call does.
        let mut code = Code { function: function.clone(), operations, unassigned: read_before_assigned(function) };
        code.function.blocks = Vec::new();
        // Own blocks keep their numbers; the rest of a block after a call, and the code of callees, come behind them.
        let own = function.blocks.len();
        code.function.blocks.resize_with(own, || Block {
            instructions: Vec::new(),
            terminator: Terminator::Return(Vec::new()),
            span: None,
        });
        let mut calls = 0;
        for (index, block) in function.blocks.iter().enumerate() {
            self.block(index, block, &mut calls, &mut code)?;
        }
        self.open.pop();
        let code = Rc::new(code);
        self.done.insert(key, code.clone());
        Ok(code)
    }

    /// The code of a callee: a loop without an end if it would be too deep.
    fn callee(&mut self, id: FunctionId, call: Option<Span>) -> Result<Rc<Code>, Unsupported> {
        let depth = self.open.iter().filter(|open| **open == id).count();
        if depth < self.deepest || !self.recursive.contains(&id) {
            return self.expand(id);
        }
        let mut function = self.program.function(id).clone();
        function.blocks = endless(&mut function.registers, call);
        Ok(Rc::new(Code { function, operations: vec![None; 2], unassigned: Vec::new() }))
    }

    fn block(&mut self, index: usize, block: &Block, calls: &mut u32, code: &mut Code) -> Result<(), Unsupported> {
        let mut at = index;
        code.function.blocks[at].span = block.span;
        for instruction in &block.instructions {
            let InstructionKind::Call { function, arguments, targets } = &instruction.kind else {
                code.function.blocks[at].instructions.push(instruction.clone());
                continue;
            };
            let callee = self.callee(*function, instruction.span)?;
            let operation = *calls;
            *calls += 1;
            at = splice(code, at, &callee, (arguments, targets, instruction.span), operation)?;
        }
        code.function.blocks[at].terminator = block.terminator.clone();
        Ok(())
    }
}

/// Blocks that count for ever.
fn endless(registers: &mut Vec<String>, span: Option<Span>) -> Vec<Block> {
    registers.push("depth".into());
    let target = RegisterId(registers.len() as u32 - 1);
    let number = |value: i64| Operand::Constant(Value::int(value, 64));
    let block = |operator: Operator, operands: Vec<Operand>| Block {
        instructions: vec![Instruction { kind: InstructionKind::Assign { target, operator, operands }, span }],
        terminator: Terminator::Jump(BlockId(1)),
        span,
    };
    let count = block(Operator::Add, vec![Operand::Register(target), number(1)]);
    vec![block(Operator::Copy, vec![number(0)]), count]
}

/// What an instruction calls.
fn callee_of(instruction: &Instruction) -> Option<FunctionId> {
    match instruction.kind {
        InstructionKind::Call { function, .. } => Some(function),
        _ => None,
    }
}

/// The functions that call themselves, perhaps through others.
fn recursive(program: &Program) -> BTreeSet<FunctionId> {
    let callees = |id: &FunctionId| program.function(*id).instructions().filter_map(callee_of);
    let reaches_itself = |id: &FunctionId| {
        let mut open: Vec<FunctionId> = callees(id).collect();
        let mut seen: BTreeSet<FunctionId> = open.iter().copied().collect();
        while let Some(next) = open.pop() {
            open.extend(callees(&next).filter(|callee| seen.insert(*callee)));
        }
        seen.contains(id)
    };
    (0..program.functions.len() as u32).map(FunctionId).filter(reaches_itself).collect()
}

/// Puts a callee's code behind block `at`; gives the block where the caller goes on.
fn splice(
    code: &mut Code,
    at: usize,
    Code { function: callee, unassigned, .. }: &Code,
    (arguments, targets, span): (&[Operand], &[RegisterId], Option<Span>),
    operation: u32,
) -> Result<usize, Unsupported> {
    let first_register = code.function.registers.len() as u32;
    let first_block = code.function.blocks.len();
    let after = first_block + callee.blocks.len();
    if after > BLOCKS {
        return Err(Unsupported::new(format!("a function of more than {BLOCKS} blocks with its calls in place"), span));
    }
    code.function.registers.extend(callee.registers.iter().cloned());
    let register = |r: RegisterId| RegisterId(r.0 + first_register);
    let block = |b: BlockId| BlockId(b.0 + first_block as u32);
    let assign = |target: RegisterId, value: Operand| Instruction {
        kind: InstructionKind::Assign { target, operator: Operator::Copy, operands: vec![value] },
        span: None,
    };
    let entry = &mut code.function.blocks[at];
    for (&parameter, argument) in callee.parameters.iter().zip(arguments) {
        entry.instructions.push(assign(register(parameter), argument.clone()));
    }
    for unassigned in unassigned {
        entry.instructions.push(assign(register(*unassigned), Operand::Constant(Value::Undefined)));
    }
    entry.terminator = Terminator::Jump(block(BlockId(0)));
    for copied in &callee.blocks {
        let mut copy = copied.clone();
        copy.instructions.iter_mut().for_each(|i| rename(&mut i.kind, &register));
        copy.terminator = match copied.terminator.clone() {
            Terminator::Return(values) => {
                for (target, value) in targets.iter().zip(values) {
                    copy.instructions.push(assign(*target, renamed(value, &register)));
                }
                Terminator::Jump(BlockId(after as u32))
            }
            Terminator::Jump(next) => Terminator::Jump(block(next)),
            Terminator::Branch { condition, then, otherwise, join, span } => Terminator::Branch {
                condition: renamed(condition, &register),
                then: block(then),
                otherwise: block(otherwise),
                // A control dependency of the callee ends with it at the latest, if it ends at all.
                join: join.map(block),
                span,
            },
        };
        code.function.blocks.push(copy);
        code.operations.push(Some(operation));
    }
    let rest = Block { instructions: Vec::new(), terminator: Terminator::Return(Vec::new()), span: None };
    code.function.blocks.push(rest);
    code.operations.push(None);
    Ok(after)
}

fn renamed(operand: Operand, register: &impl Fn(RegisterId) -> RegisterId) -> Operand {
    match operand {
        Operand::Register(r) => Operand::Register(register(r)),
        constant => constant,
    }
}

/// Renames all registers of an instruction.
fn rename(kind: &mut InstructionKind, register: &impl Fn(RegisterId) -> RegisterId) {
    kind.operands_mut().into_iter().for_each(|operand| *operand = renamed(operand.clone(), register));
    kind.targets_mut().into_iter().for_each(|target| *target = register(*target));
}

/// The registers, but parameters, that some path reads before it assigns them.
fn read_before_assigned(function: &Function) -> Vec<RegisterId> {
    let live_in = live_at_start(function);
    let size = function.registers.len();
    let starts_live = |r: &RegisterId| live_in.first().is_some_and(|live| live.contains(r.0 as usize));
    let all = (0..size as u32).map(RegisterId).filter(|r| !function.parameters.contains(r));
    all.filter(starts_live).collect()
}
