//! Calls to code in place: what the engine unrolls and walks has none.
//!
//! Every thread's entry and the setup become functions without calls. Registers of a callee get places of their own for
//! each call; those that it may read before it assigns them are set to undefined where it starts, as at any start of a
//! function. Where the entry of a thread is a sequence of operations (see [`program::observation`]), each block knows
//! the operation that it belongs to.
//!
//! Of bounded tests, functions that call themselves are put in place so often as [`DEEPEST`] says (CheckFence thesis, section 4.5.1).
//! A call that is deeper becomes a loop without end, which nobody takes for one that waits: who comes there can go on further than is
//! looked at.

use std::borrow::Cow;
use std::collections::BTreeSet;

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
    /// The blocks of entries that stand for calls that are too deep.
    pub too_deep: BTreeSet<(FunctionId, BlockId)>,
}

/// How often a function may call itself before it is looked at no further.
pub const DEEPEST: usize = 6;

/// More blocks than this in one function are refused.
const BLOCKS: usize = 100_000;

/// Puts the code of every function in place of its calls; none may call itself.
pub fn inline(program: &Verified) -> Result<Inlined<'_>, Unsupported> {
    inline_to(program, 0)
}

/// Puts the code of every function in place of its calls, of those that call themselves up to [`DEEPEST`] times.
pub fn inline_recursive(program: &Verified) -> Result<Inlined<'_>, Unsupported> {
    inline_to(program, DEEPEST)
}

fn inline_to(program: &Verified, deepest: usize) -> Result<Inlined<'_>, Unsupported> {
    let instructions = program.instructions();
    let changes =
        |kind: &InstructionKind| matches!(kind, InstructionKind::Call { .. } | InstructionKind::Allocate { .. });
    if !instructions.clone().any(|instruction| changes(&instruction.kind)) {
        let (operations, too_deep) = (Vec::new(), BTreeSet::new());
        return Ok(Inlined { program: Cow::Borrowed(program), operations, too_deep });
    }
    let mut result = Program::clone(program);
    let mut operations: Vec<Vec<Option<u32>>> = program.functions.iter().map(|f| vec![None; f.blocks.len()]).collect();
    let entries: BTreeSet<FunctionId> =
        program.threads.iter().map(|thread| thread.entry).chain(program.setup).collect();
    let done = vec![None; program.functions.len()];
    let mut expander = Expander { program, deepest, recursive: recursive(program), done, open: Vec::new() };
    let mut too_deep = BTreeSet::new();
    for entry in entries {
        let code = expander.expand(entry, None)?;
        let index = entry.0 as usize;
        too_deep.extend(code.too_deep.iter().map(|block| (entry, *block)));
        result.functions[index] = promote(code.function);
        operations[index] = code.operations;
    }
    // What only calls reached is not needed any more, but ids stay as they are.
    match program::verify(result) {
        Ok(program) => Ok(Inlined { program: Cow::Owned(program), operations, too_deep }),
        Err(breaches) => {
            let first = breaches.first();
            let what = first.map_or("a program".into(), |breach| breach.message.clone());
            Err(Unsupported::new(format!("{what} (after calls were put in place)"), first.and_then(|b| b.span)))
        }
    }
}

/// A function without calls.
#[derive(Clone)]
struct Code {
    function: Function,
    operations: Vec<Option<u32>>,
    too_deep: Vec<BlockId>,
}

/// For each function whether it calls itself, perhaps through others.
fn recursive(program: &Program) -> Vec<bool> {
    let mut calls = relation::Pairs::empty(program.functions.len());
    for (caller, function) in program.functions.iter().enumerate() {
        for instruction in function.instructions() {
            if let InstructionKind::Call { function, .. } = instruction.kind {
                calls.insert(caller, function.index());
            }
        }
    }
    let calls = calls.closure();
    (0..program.functions.len()).map(|function| calls.contains(function, function)).collect()
}

struct Expander<'a> {
    program: &'a Program,
    /// How often a function may call itself.
    deepest: usize,
    /// By function, whether it calls itself.
    recursive: Vec<bool>,
    /// By function, once its calls are in place.
    done: Vec<Option<Code>>,
    /// The functions that are being expanded, outermost first.
    open: Vec<FunctionId>,
}

impl Expander<'_> {
    fn expand(&mut self, id: FunctionId, call: Option<Span>) -> Result<Code, Unsupported> {
        if let Some(code) = &self.done[id.0 as usize] {
            return Ok(code.clone());
        }
        let function = self.program.function(id);
        let depth = self.open.iter().filter(|open| **open == id).count();
        if depth > self.deepest {
            let what = format!("recursion (`{}` calls itself) in this engine", function.name);
            let refused = Unsupported::new(what, call.or(function.span));
            return if self.deepest == 0 { Err(refused) } else { Ok(too_deep(function, call)) };
        }
        self.open.push(id);
        let operations = vec![None; function.blocks.len()];
        let mut code = Code { function: function.clone(), operations, too_deep: Vec::new() };
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
        if !self.recursive[id.index()] {
            self.done[id.0 as usize] = Some(code.clone());
        }
        Ok(code)
    }

    fn block(&mut self, index: usize, block: &Block, calls: &mut u32, code: &mut Code) -> Result<(), Unsupported> {
        let mut at = index;
        code.function.blocks[at].span = block.span;
        for instruction in &block.instructions {
            let InstructionKind::Call { function, arguments, targets } = &instruction.kind else {
                code.function.blocks[at].instructions.push(instruction.clone());
                continue;
            };
            let callee = self.expand(*function, instruction.span)?;
            let operation = *calls;
            *calls += 1;
            at = splice(code, at, &callee, (arguments, targets, instruction.span), operation)?;
        }
        code.function.blocks[at].terminator = block.terminator.clone();
        Ok(())
    }
}

/// A function whose call is too deep: it chooses for ever, which no loop that waits does.
fn too_deep(function: &Function, call: Option<Span>) -> Code {
    let target = RegisterId(function.registers.len() as u32);
    let kind = InstructionKind::Choose { target, low: 0, high: 1, width: 32 };
    let instructions = vec![Instruction { kind, span: call }];
    let block = Block { instructions, terminator: Terminator::Jump(BlockId(0)), span: call };
    let mut function = Function { blocks: vec![block], ..function.clone() };
    function.registers.push("_".into());
    Code { function, operations: vec![None], too_deep: vec![BlockId(0)] }
}

/// Puts a callee's code behind block `at`; gives the block where the caller goes on.
fn splice(
    code: &mut Code,
    at: usize,
    callee: &Code,
    (arguments, targets, span): (&[Operand], &[RegisterId], Option<Span>),
    operation: u32,
) -> Result<usize, Unsupported> {
    let Code { function: callee, too_deep, .. } = callee;
    let first_register = code.function.registers.len() as u32;
    let first_block = code.function.blocks.len();
    let after = first_block + callee.blocks.len();
    if after > BLOCKS {
        return Err(Unsupported::new(format!("a function of more than {BLOCKS} blocks with its calls in place"), span));
    }
    code.function.registers.extend(callee.registers.iter().cloned());
    let register = |r: RegisterId| RegisterId(r.0 + first_register);
    let block = |b: BlockId| BlockId(b.0 + first_block as u32);
    code.too_deep.extend(too_deep.iter().copied().map(block));
    let assign = |target: RegisterId, value: Operand| Instruction {
        kind: InstructionKind::Assign { target, operator: Operator::Copy, operands: vec![value] },
        span: None,
    };
    let entry = &mut code.function.blocks[at];
    for (&parameter, argument) in callee.parameters.iter().zip(arguments) {
        entry.instructions.push(assign(register(parameter), argument.clone()));
    }
    for unassigned in read_before_assigned(callee) {
        entry.instructions.push(assign(register(unassigned), Operand::Constant(Value::Undefined)));
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
