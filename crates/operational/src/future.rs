//! Which writes may still come, as far as the code says, and which stores in a buffer make no difference therefore.
//!
//! A thread that writes in a loop can fill its buffer without end, and with it the list of states. But a store that gets to
//! memory where its value already is changes nothing. [`Future::essential`] leaves such stores out:
//!
//! - If no other thread writes the cell any more, a store is without effect if the thread's store to the cell before it, or
//!   memory if there is none in the buffer, has the same value.
//! - If other threads write the cell at most `n` times more, then of stores of one value to the cell that get to memory one after the
//!   other only `n + 1` can have an effect: those that are the first after such a write, or after none.
//! - If other threads read the cell at most `n` times more, then of such stores only `n + 1` can have an effect: those that are seen, and
//!   the last one, which the thread itself sees until it is in memory.
//!
//! What is left out neither changes what anybody reads (the thread itself sees the same value in its buffer or in memory) nor what can
//! happen: so two states of which this leaves the same are equal, up to steps in which such stores get to memory. These steps must not be
//! taken for a return to a known state; they are taken at once ([`Future::without_effect`]). In which direction this errs: reads and writes are
//! counted too often rather than too seldom, by what stands in the code that a thread can still come to. First by what the code
//! says alone; where that gives no bound, by what it can come to from the state ([`crate::points_to`]).

use std::rc::Rc;

use program::{
    BlockId, Function, FunctionId, Instruction, InstructionKind, Operand, Operator, Pointer, Program, RegisterId,
    Terminator, Value,
};
use rustc_hash::FxHashMap;

use crate::effect::{Code, Effect, Sort, Target};
use crate::interpret::Interpreter;
use crate::memory::Machine;
use crate::points_to::{Rest, rest};
use crate::state::{Buffered, State, Thread};
use crate::word::Address;

#[cfg(test)]
mod tests;

/// Code, and what may be accessed by it.
struct Codes {
    codes: Vec<Code>,
    /// By code: what it and all that it calls or starts may access.
    accessed: Vec<Vec<(Sort, Target)>>,
}

/// What is counted.
struct Counted {
    sort: Sort,
    cell: Pointer,
    /// Whether a pointer to the cell may be anywhere but in the code.
    is_exposed: bool,
}

/// The code that may still run from a state on.
struct Run {
    codes: Codes,
    /// By thread: the codes of its active calls, outermost first.
    active: Vec<Vec<usize>>,
}

/// After so many states in a row without a bound what can be come to from a state is not looked for any more: that takes long, all the
/// more where a loop allocates, and the search would not get to what is near the start.
const FRUITLESS: u32 = 50;

/// Calls within calls are followed so deep to count what they write.
const DEEPEST_CALL: usize = 8;

/// What the code of a program may still access.
pub(crate) struct Future<'a> {
    machine: Machine,
    /// By function, as far as the code alone says.
    codes: Codes,
    /// By global: whether a register or a cell may hold a pointer to it.
    is_exposed: Vec<bool>,
    /// Whether blocks stay what they are: none is freed, and no life ends.
    keeps_blocks: bool,
    /// How many stores a buffer has at most that counts as short.
    long_buffer: usize,
    /// How many states in a row were looked at from which what can be come to gave no bound.
    fruitless: u32,
    blocks: Blocks<'a>,
}

/// Which blocks of functions can come after which.
struct Blocks<'a> {
    program: &'a Program,
    later: FxHashMap<(FunctionId, BlockId), Rc<Vec<bool>>>,
}

impl<'a> Future<'a> {
    /// Looks at the code of a program, to be run on a machine.
    pub fn of(program: &'a Program, machine: Machine, long_buffer: usize) -> Future<'a> {
        let functions = program.functions.iter().enumerate();
        let code = |(number, function)| Code { function: FunctionId(number as u32), effects: effects(function) };
        let codes = Codes::new(functions.map(code).collect());
        let mut instructions = program.instructions();
        let ends = |kind: &InstructionKind| matches!(kind, InstructionKind::Free { .. } | InstructionKind::End { .. });
        let keeps_blocks = !instructions.any(|instruction| ends(&instruction.kind));
        let blocks = Blocks { program, later: FxHashMap::default() };
        Future { machine, codes, is_exposed: exposed(program), keeps_blocks, long_buffer, fruitless: 0, blocks }
    }

    /// The state without the stores that make no difference, if some buffer has more than `most` stores and some of them make none.
    pub fn essential(&mut self, state: &State, most: usize, interpreter: &Interpreter) -> Option<State> {
        if !self.machine.has_buffers() {
            return None;
        }
        let mut essential: Option<State> = None;
        let mut limits = Limits::new(state);
        for thread in 0..state.threads.len() {
            if state.threads[thread].buffer.len() <= most {
                continue;
            }
            if let Some(shorter) = self.shorter(thread, &mut limits, interpreter) {
                essential.get_or_insert_with(|| state.clone()).threads[thread] = Rc::new(shorter);
            }
        }
        essential
    }

    /// One of these stores of a thread, by its place in the buffer, that can get to memory now without that it makes a difference.
    pub fn without_effect(
        &mut self,
        state: &State,
        thread: usize,
        among: &[usize],
        interpreter: &Interpreter,
    ) -> Option<usize> {
        let me = &state.threads[thread];
        let mut limits = Limits::new(state);
        among.iter().copied().find(|&place| {
            let store = me.buffer[place];
            state.held(store.cell) == Some(store.value)
                && match self.limit(&mut limits, thread, store.cell, interpreter) {
                    None => false,
                    Some(0) => true,
                    // So many must be left that each of the others' accesses can still be preceded by one.
                    Some(limit) => is_plain(me) && self.run(me.buffer[place..].iter(), &store) > limit + 1,
                }
        })
    }

    /// Whether some of these threads, or those that they start, may change a cell from a state on.
    pub fn may_write(&mut self, state: &State, threads: &[usize], cell: Address, interpreter: &Interpreter) -> bool {
        let is_buffered = |thread: &usize| state.threads[*thread].buffer.iter().any(|store| store.cell == cell);
        if threads.iter().any(is_buffered) {
            return true;
        }
        let pointer = interpreter.words.pointer(cell);
        let is_global = (pointer.allocation as usize) < self.is_exposed.len();
        let ends_life =
            |kind: &InstructionKind| matches!(kind, InstructionKind::Free { .. } | InstructionKind::End { .. });
        if !is_global && self.may_come_to(state, threads, &ends_life) {
            return true;
        }
        let is_exposed = self.is_exposed.get(pointer.allocation as usize).copied().unwrap_or(true);
        let counted = Counted { sort: Sort::Write, cell: pointer, is_exposed };
        if self.accesses(state, threads.iter().copied(), &counted, None) == Some(0) {
            return false;
        }
        if !self.keeps_blocks || state.has_endless() || self.fruitless >= FRUITLESS {
            return true;
        }
        self.fruitless += 1;
        let Some(run) = self.remaining(state, interpreter) else { return true };
        let writes = self.accesses(state, threads.iter().copied(), &counted, Some(&run)) != Some(0);
        if !writes {
            self.fruitless = 0;
        }
        writes
    }

    /// Whether some of these threads, or those that they start, may come to an instruction of a kind.
    pub fn may_come_to(
        &mut self,
        state: &State,
        threads: &[usize],
        is_meant: &dyn Fn(&InstructionKind) -> bool,
    ) -> bool {
        let program = self.blocks.program;
        let mut is_open = vec![false; program.functions.len()];
        let mut open: Vec<FunctionId> = Vec::new();
        let mut is_met = |instructions: &[Instruction], open: &mut Vec<FunctionId>| {
            for callee in instructions.iter().flat_map(|instruction| instruction.kind.callees()) {
                if !std::mem::replace(&mut is_open[callee.0 as usize], true) {
                    open.push(callee);
                }
            }
            instructions.iter().any(|instruction| is_meant(&instruction.kind))
        };
        for frame in threads.iter().flat_map(|thread| &state.threads[*thread].frames) {
            let function = program.function(frame.function);
            let rest = &function[frame.block].instructions;
            let later = self.blocks.later(frame.function, frame.block);
            let later = function.blocks.iter().zip(later.iter()).filter(|(_, comes)| **comes);
            let rest = rest.get(frame.next as usize..).unwrap_or_default();
            if is_met(rest, &mut open) || later.into_iter().any(|(block, _)| is_met(&block.instructions, &mut open)) {
                return true;
            }
        }
        while let Some(function) = open.pop() {
            let blocks = &program.function(function).blocks;
            if blocks.iter().any(|block| is_met(&block.instructions, &mut open)) {
                return true;
            }
        }
        false
    }

    /// Whether a thread may come to its end, as far as jumps say: all its active calls can return.
    pub fn may_end(&mut self, state: &State, thread: usize) -> bool {
        let program = self.blocks.program;
        state.threads[thread].frames.iter().all(|frame| {
            let function = program.function(frame.function);
            let returns = |block: &program::Block| matches!(block.terminator, Terminator::Return(_));
            let later = self.blocks.later(frame.function, frame.block);
            returns(&function[frame.block])
                || function.blocks.iter().zip(later.iter()).any(|(block, comes)| *comes && returns(block))
        })
    }

    /// How many stores that get to memory one after the other are the same as this one.
    fn run<'b>(&self, stores: impl Iterator<Item = &'b Buffered>, store: &Buffered) -> usize {
        // Stores get to memory in the order of the buffer, or in that of the cell.
        let is_between = |other: &&Buffered| self.machine.keeps_stores_in_order() || other.cell == store.cell;
        let is_same = |other: &&Buffered| other.cell == store.cell && other.value == store.value;
        stores.filter(is_between).take_while(is_same).count()
    }

    /// The thread without stores that make no difference, if there are any.
    fn shorter(&mut self, thread: usize, limits: &mut Limits, interpreter: &Interpreter) -> Option<Thread> {
        let state = limits.state;
        let before = &state.threads[thread];
        let is_plain = is_plain(before);
        let mut kept: Vec<Buffered> = Vec::with_capacity(before.buffer.len());
        let mut is_fenced = false;
        for store in &before.buffer {
            let last = kept.iter().rev().find(|other| other.cell == store.cell).map(|other| other.value);
            let is_same = last.or_else(|| state.held(store.cell)) == Some(store.value);
            let is_without_effect = is_same
                && match self.limit(limits, thread, store.cell, interpreter) {
                    None => false,
                    Some(0) => true,
                    Some(limit) => is_plain && self.run(kept.iter().rev(), store) > limit,
                };
            if is_without_effect {
                is_fenced |= store.after_fence;
            } else {
                let after_fence = (store.after_fence || is_fenced) && !kept.is_empty();
                kept.push(Buffered { after_fence, ..*store });
                is_fenced = false;
            }
        }
        (kept.len() < before.buffer.len()).then(|| {
            let fenced = (before.fenced || is_fenced) && !kept.is_empty();
            Thread { buffer: kept, fenced, ..(**before).clone() }
        })
    }

    /// How many accesses of other threads at most can tell stores of one value to a cell apart; 0 only if no other thread
    /// writes it, `None` if there is no bound.
    fn limit(&mut self, limits: &mut Limits, thread: usize, cell: Address, interpreter: &Interpreter) -> Option<usize> {
        if let Some(known) = limits.known.get(&(thread, cell)) {
            return *known;
        }
        let state = limits.state;
        let pointer = interpreter.words.pointer(cell);
        // Who frees a block finds out whether a store to it is still on its way.
        if !self.keeps_blocks && cell.allocation as usize >= self.is_exposed.len() {
            return None;
        }
        let mut limit = self.least(state, (thread, cell, &pointer), None);
        // What can be come to from a state takes long to find out, and pays only where buffers fill.
        let is_long = state.threads[thread].buffer.len() > self.long_buffer;
        if limit.is_none() && self.keeps_blocks && is_long && self.fruitless < FRUITLESS {
            if limits.run.is_none() {
                limits.run = Some(self.remaining(state, interpreter));
                self.fruitless += 1;
            }
            let run = limits.run.as_ref().and_then(Option::as_ref);
            limit = run.and_then(|run| self.least(state, (thread, cell, &pointer), Some(run)));
            if limit.is_some() {
                self.fruitless = 0;
            }
        }
        limits.known.insert((thread, cell), limit);
        limit
    }

    /// The code that may still run from a state on, in a program that frees no blocks; `None` if that takes too long to find out.
    fn remaining(&mut self, state: &State, interpreter: &Interpreter) -> Option<Run> {
        let rest = rest(interpreter, state, &mut |function, block| self.blocks.later(function, block));
        rest.map(|Rest { codes, active }| Run { codes: Codes::new(codes), active })
    }

    /// The lesser of the bounds by writes and by reads.
    fn least(&mut self, state: &State, of: (usize, Address, &Pointer), run: Option<&Run>) -> Option<usize> {
        match self.bound(state, of, Sort::Write, run) {
            Some(0) => Some(0),
            writes => {
                let reads = self.bound(state, of, Sort::Read, run);
                writes.into_iter().chain(reads.map(|reads| reads + 1)).min()
            }
        }
    }

    /// How often at most, from a state on, a cell is read by other threads than this one, or written by them so that it gets to
    /// memory; `None` if there is no bound. Threads that this one starts do not count: until then all that is in its buffer
    /// has got to memory.
    fn bound(
        &mut self,
        state: &State,
        (thread, cell, pointer): (usize, Address, &Pointer),
        sort: Sort,
        run: Option<&Run>,
    ) -> Option<usize> {
        let is_exposed = self.is_exposed.get(pointer.allocation as usize).copied().unwrap_or(true);
        let counted = Counted { sort, cell: pointer.clone(), is_exposed };
        let others = state.threads.iter().enumerate().filter(|(other, _)| *other != thread);
        let buffered = others.flat_map(|(_, other)| &other.buffer).filter(|store| store.cell == cell);
        let begun = if sort == Sort::Write { buffered.count() } else { 0 };
        let others = (0..state.threads.len()).filter(|other| *other != thread);
        Some(begun + self.accesses(state, others, &counted, run)?)
    }

    /// How often at most threads access a cell from here on; `None` if there is no bound.
    fn accesses(
        &mut self,
        state: &State,
        threads: impl Iterator<Item = usize>,
        counted: &Counted,
        run: Option<&Run>,
    ) -> Option<usize> {
        let mut count = 0;
        for other in threads {
            let frames = &state.threads[other].frames;
            for (depth, frame) in frames.iter().enumerate() {
                // A call that is active is looked at where it is.
                let next = frame.next as usize + usize::from(depth + 1 < frames.len());
                let (codes, code) = match run {
                    Some(run) => (&run.codes, run.active[other][depth]),
                    None => (&self.codes, frame.function.0 as usize),
                };
                count += codes.after((code, frame.block, next), counted, DEEPEST_CALL, &mut self.blocks)?;
            }
        }
        Some(count)
    }
}

/// What was found out about a state.
struct Limits<'s> {
    state: &'s State,
    known: FxHashMap<(usize, Address), Option<usize>>,
    /// The code that may still run, once that was asked, if it was found out.
    run: Option<Option<Run>>,
}

impl<'s> Limits<'s> {
    fn new(state: &'s State) -> Limits<'s> {
        Limits { state, known: FxHashMap::default(), run: None }
    }
}

impl Codes {
    fn new(codes: Vec<Code>) -> Codes {
        let accessed = (0..codes.len()).map(|code| accessed(&codes, code)).collect();
        Codes { codes, accessed }
    }

    /// How often at most code makes an access from an instruction on; `None` if there is no bound. Calls within calls are
    /// followed so deep.
    fn after(
        &self,
        (code, block, next): (usize, BlockId, usize),
        counted: &Counted,
        deep: usize,
        blocks: &mut Blocks,
    ) -> Option<usize> {
        let function = self.codes[code].function;
        let later = blocks.later(function, block);
        let mut count = self.within((code, block, next), counted, (later[block.0 as usize], deep), blocks)?;
        for block in (0..later.len()).filter(|block| later[*block]).map(|block| BlockId(block as u32)) {
            let is_loop = blocks.later(function, block)[block.0 as usize];
            count += self.within((code, block, 0), counted, (is_loop, deep), blocks)?;
        }
        Some(count)
    }

    /// How often at most the rest of a block makes an access.
    fn within(
        &self,
        (code, block, next): (usize, BlockId, usize),
        counted: &Counted,
        (is_loop, deep): (bool, usize),
        blocks: &mut Blocks,
    ) -> Option<usize> {
        let mut count = 0;
        for (place, effect) in &self.codes[code].effects[block.0 as usize] {
            match effect {
                _ if *place < next => {}
                Effect::Access(sort, target) => count += usize::from(counted.may_be(*sort, target)),
                Effect::Calls(codes) => {
                    let accesses = |code: &&usize| {
                        self.accessed[**code].iter().any(|(sort, target)| counted.may_be(*sort, target))
                    };
                    for &code in codes.iter().filter(accesses) {
                        count += self.after((code, BlockId(0), 0), counted, deep.checked_sub(1)?, blocks)?;
                    }
                }
            }
        }
        (count == 0 || !is_loop).then_some(count)
    }
}

impl Blocks<'_> {
    /// The blocks that can come after a block, itself if it is in a loop.
    fn later(&mut self, function: FunctionId, block: BlockId) -> Rc<Vec<bool>> {
        let code = self.program.function(function);
        let find = || {
            let mut later = vec![false; code.blocks.len()];
            let mut open = vec![block];
            while let Some(block) = open.pop() {
                for next in code[block].terminator.successors() {
                    if !std::mem::replace(&mut later[next.0 as usize], true) {
                        open.push(next);
                    }
                }
            }
            Rc::new(later)
        };
        self.later.entry((function, block)).or_insert_with(find).clone()
    }
}

impl Counted {
    /// Whether an access may be one of those that are counted.
    fn may_be(&self, sort: Sort, target: &Target) -> bool {
        let Counted { cell, is_exposed, .. } = self;
        sort == self.sort
            && match target {
                Target::Cell(other) => other == cell,
                Target::Last(offset) => *is_exposed && cell.path.last() == Some(offset),
                Target::Some => *is_exposed,
                Target::OneOf(places) => places.iter().any(|(allocation, path)| {
                    *allocation == cell.allocation && path.as_ref().is_none_or(|path| *path == cell.path)
                }),
            }
    }
}

/// Whether no fence stands between the stores of a thread, or after them.
fn is_plain(thread: &Thread) -> bool {
    !thread.fenced && thread.buffer.iter().all(|store| !store.after_fence && !store.before_load)
}

fn effects(function: &Function) -> Vec<Vec<(usize, Effect)>> {
    let computed = computed(function);
    let effects = |kind: &InstructionKind| {
        let callees: Vec<usize> = kind.callees().iter().map(|function| function.0 as usize).collect();
        let calls = (!callees.is_empty()).then_some(Effect::Calls(callees));
        Effect::accesses(kind, &|address| target(&computed, address)).into_iter().chain(calls)
    };
    let in_block = |instructions: &[Instruction]| {
        let found = instructions.iter().enumerate();
        let found =
            found.flat_map(|(place, instruction)| effects(&instruction.kind).map(move |effect| (place, effect)));
        found.collect()
    };
    function.blocks.iter().map(|block| in_block(&block.instructions)).collect()
}

/// What an address may be.
fn target(computed: &FxHashMap<RegisterId, Target>, address: &Operand) -> Target {
    match address {
        Operand::Constant(Value::Pointer(pointer)) => Target::Cell(pointer.clone()),
        Operand::Constant(_) => Target::Some,
        Operand::Register(register) => computed.get(register).cloned().unwrap_or(Target::Some),
    }
}

/// What registers may hold as addresses, by the instructions that set them.
fn computed(function: &Function) -> FxHashMap<RegisterId, Target> {
    let mut computed: FxHashMap<RegisterId, Target> = FxHashMap::default();
    function.parameters.iter().for_each(|parameter| {
        computed.insert(*parameter, Target::Some);
    });
    for instruction in function.instructions() {
        let one = assigned(&instruction.kind);
        for register in instruction.kind.targets() {
            let known = computed.entry(register).or_insert_with(|| one.clone());
            if *known != one {
                *known = Target::Some;
            }
        }
    }
    computed
}

/// What an instruction puts in its register, as an address.
fn assigned(kind: &InstructionKind) -> Target {
    let InstructionKind::Assign { operator, operands, .. } = kind else { return Target::Some };
    match (operator, &operands[..]) {
        (Operator::Offset, [_, Operand::Constant(Value::Int(offset))]) => Target::Last(offset.signed()),
        (Operator::Copy, [Operand::Constant(Value::Pointer(pointer))]) => Target::Cell(pointer.clone()),
        _ => Target::Some,
    }
}

/// What code and all that it calls or starts may access.
fn accessed(codes: &[Code], code: usize) -> Vec<(Sort, Target)> {
    let mut seen = vec![false; codes.len()];
    let mut open = vec![code];
    let mut accessed = Vec::new();
    seen[code] = true;
    while let Some(code) = open.pop() {
        for (_, effect) in codes[code].effects.iter().flatten() {
            match effect {
                Effect::Access(sort, target) => {
                    let access = (*sort, target.clone());
                    if !accessed.contains(&access) {
                        accessed.push(access);
                    }
                }
                Effect::Calls(called) => {
                    let new = called.iter().copied();
                    open.extend(new.filter(|code| !std::mem::replace(&mut seen[*code], true)));
                }
            }
        }
    }
    accessed
}

/// By global: whether a pointer to it stands where it is not an address that is accessed.
fn exposed(program: &Program) -> Vec<bool> {
    let mut exposed = vec![false; program.globals.len()];
    let mut note = |value: &Value| expose(value, &mut exposed);
    program.globals.iter().for_each(|global| {
        note(&global.default);
        global.cells.iter().for_each(|(_, value)| note(value));
    });
    program.threads.iter().flat_map(|thread| &thread.arguments).for_each(&mut note);
    for block in program.functions.iter().flat_map(|function| &function.blocks) {
        for instruction in &block.instructions {
            for operand in held(&instruction.kind) {
                if let Operand::Constant(value) = operand {
                    note(value);
                }
            }
            if let InstructionKind::Allocate { default, .. } = &instruction.kind {
                note(default);
            }
        }
        for operand in block.terminator.operands() {
            if let Operand::Constant(value) = operand {
                note(value);
            }
        }
    }
    exposed
}

/// The operands whose values an instruction passes on.
fn held(kind: &InstructionKind) -> Vec<&Operand> {
    let operands = kind.operands();
    match kind {
        InstructionKind::Load { .. } => Vec::new(),
        InstructionKind::Store { .. } | InstructionKind::ReadModifyWrite { .. } => operands[1..].to_vec(),
        _ => operands,
    }
}

fn expose(value: &Value, exposed: &mut [bool]) {
    match value {
        Value::Pointer(pointer) => {
            if let Some(global) = exposed.get_mut(pointer.allocation as usize) {
                *global = true;
            }
        }
        Value::Composite(_, fields) => fields.iter().for_each(|field| expose(field, exposed)),
        _ => {}
    }
}
