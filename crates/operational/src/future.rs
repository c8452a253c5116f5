//! Which writes may still come, as far as the code says, and which stores in a buffer make no difference therefore.
//!
//! A thread that writes in a loop can fill its buffer without end, and with it the list of states. But a store that gets to
//! memory where its value already is changes nothing. [`Future::essential`] leaves such stores out:
//!
//! - If no other thread writes the cell any more, a store is without effect if the thread's store to the cell before it, or
//!   memory if there is none in the buffer, has the same value.
//! - If other threads write the cell at most `n` times more, then of stores of one value to the cell that get to memory one after the
//!   other only `n + 1` can have an effect: those that are the first after such a write, or after none.
//!
//! What is left out neither changes what anybody reads (the thread itself sees the same value in its buffer or in memory) nor what can
//! happen: so two states of which this leaves the same are equal, up to steps in which such stores get to memory. These steps must not be
//! taken for a return to a known state; they are taken at once ([`Future::without_effect`]). In which direction this errs: writes are counted too often rather
//! than too seldom, by what stands in the code that a thread can still come to.

use std::rc::Rc;

use program::{
    BlockId, Function, FunctionId, Instruction, InstructionKind, Operand, Operator, Pointer, Program, RegisterId, Value,
};
use rustc_hash::FxHashMap;

use crate::memory::Machine;
use crate::state::{Buffered, State, Thread};
use crate::word::{Address, Words};

/// What an instruction may write to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// This cell.
    Cell(Pointer),
    /// Some cell with this last offset.
    Last(i64),
    /// Some cell.
    Some,
}

/// What an instruction does to memory, sooner or later.
enum Effect {
    /// It writes.
    Write(Target),
    /// It calls or starts functions.
    Calls(Vec<FunctionId>),
}

/// Calls within calls are followed so deep to count what they write.
const DEEPEST_CALL: usize = 8;

/// What the code of a program may still write.
pub(crate) struct Future<'a> {
    program: &'a Program,
    machine: Machine,
    /// By function and block: the instructions with an effect, by place.
    effects: Vec<Vec<Vec<(usize, Effect)>>>,
    /// By function: what it and all that it calls or starts may write.
    written: Vec<Vec<Target>>,
    /// By global: whether a register or a cell may hold a pointer to it.
    is_exposed: Vec<bool>,
    /// The blocks that can come after a block.
    later: FxHashMap<(FunctionId, BlockId), Rc<Vec<bool>>>,
}

impl<'a> Future<'a> {
    /// Looks at the code of a program, to be run on a machine.
    pub fn of(program: &'a Program, machine: Machine) -> Future<'a> {
        let effects: Vec<Vec<Vec<(usize, Effect)>>> = program.functions.iter().map(effects).collect();
        let written = (0..effects.len()).map(|function| written(&effects, function)).collect();
        Future { program, machine, effects, written, is_exposed: exposed(program), later: FxHashMap::default() }
    }

    /// The state without the stores that make no difference, if some buffer has more than `most` stores and some of them make none.
    pub fn essential(&mut self, state: &State, most: usize, words: &Words) -> Option<State> {
        if !self.machine.has_buffers() {
            return None;
        }
        let mut essential: Option<State> = None;
        for thread in 0..state.threads.len() {
            if state.threads[thread].buffer.len() <= most {
                continue;
            }
            if let Some(shorter) = self.shorter(state, thread, words) {
                essential.get_or_insert_with(|| state.clone()).threads[thread] = Rc::new(shorter);
            }
        }
        essential
    }

    /// One of these stores of a thread, by its place in the buffer, that can get to memory now without that it makes a difference.
    pub fn without_effect(&mut self, state: &State, thread: usize, among: &[usize], words: &Words) -> Option<usize> {
        let me = &state.threads[thread];
        among.iter().copied().find(|&place| {
            let store = me.buffer[place];
            state.held(store.cell) == Some(store.value)
                && match self.foreign_writes(state, thread, store.cell, words) {
                    None => false,
                    Some(0) => true,
                    // So many must be left that each of the others' writes can still be followed by one.
                    Some(limit) => is_plain(me) && self.run(me.buffer[place..].iter(), &store) > limit + 1,
                }
        })
    }

    /// How many stores that get to memory one after the other are the same as this one.
    fn run<'b>(&self, stores: impl Iterator<Item = &'b Buffered>, store: &Buffered) -> usize {
        // On tso stores get to memory in the order of the buffer, on pso in that of the cell.
        let is_between = |other: &&Buffered| self.machine == Machine::Tso || other.cell == store.cell;
        let is_same = |other: &&Buffered| other.cell == store.cell && other.value == store.value;
        stores.filter(is_between).take_while(is_same).count()
    }

    /// The thread without stores that make no difference, if there are any.
    fn shorter(&mut self, state: &State, thread: usize, words: &Words) -> Option<Thread> {
        let before = &state.threads[thread];
        let is_plain = is_plain(before);
        let mut limits: FxHashMap<Address, Option<usize>> = FxHashMap::default();
        let mut kept: Vec<Buffered> = Vec::with_capacity(before.buffer.len());
        let mut is_fenced = false;
        for store in &before.buffer {
            let limit =
                *limits.entry(store.cell).or_insert_with(|| self.foreign_writes(state, thread, store.cell, words));
            if self.is_without_effect(store, &kept, limit, is_plain, state) {
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

    /// Whether a store makes no difference after those before it, where others write the cell at most so often.
    fn is_without_effect(
        &self,
        store: &Buffered,
        kept: &[Buffered],
        limit: Option<usize>,
        is_plain: bool,
        state: &State,
    ) -> bool {
        let same_cell = |other: &&Buffered| other.cell == store.cell;
        match limit {
            None => false,
            Some(0) => {
                let last = kept.iter().rev().find(same_cell).map(|other| other.value);
                last.or_else(|| state.held(store.cell)) == Some(store.value)
            }
            Some(limit) => is_plain && self.run(kept.iter().rev(), store) > limit,
        }
    }

    /// How often at most other threads write a cell from here on; `None` if there is no bound.
    fn foreign_writes(&mut self, state: &State, thread: usize, cell: Address, words: &Words) -> Option<usize> {
        let pointer = words.pointer(cell);
        let mut count = 0;
        for other in (0..state.threads.len()).filter(|other| *other != thread) {
            let other = state.threads[other].clone();
            count += other.buffer.iter().filter(|store| store.cell == cell).count();
            for (depth, frame) in other.frames.iter().enumerate() {
                // A call that is active is looked at where it is.
                let next = frame.next as usize + usize::from(depth + 1 < other.frames.len());
                count += self.writes_after((frame.function, frame.block, next), &pointer, DEEPEST_CALL)?;
            }
        }
        Some(count)
    }

    /// How often at most a function writes a cell from an instruction on; `None` if there is no bound. Calls within calls are
    /// followed so deep.
    fn writes_after(
        &mut self,
        (function, block, next): (FunctionId, BlockId, usize),
        cell: &Pointer,
        deep: usize,
    ) -> Option<usize> {
        let later = self.later(function, block);
        let mut count = self.writes_in(function, block, next, cell, (later[block.0 as usize], deep))?;
        for block in (0..later.len()).filter(|block| later[*block]).map(|block| BlockId(block as u32)) {
            let is_loop = self.later(function, block)[block.0 as usize];
            count += self.writes_in(function, block, 0, cell, (is_loop, deep))?;
        }
        Some(count)
    }

    fn writes_in(
        &mut self,
        function: FunctionId,
        block: BlockId,
        next: usize,
        cell: &Pointer,
        (is_loop, deep): (bool, usize),
    ) -> Option<usize> {
        let mut count = 0;
        let mut called: Vec<FunctionId> = Vec::new();
        for (place, effect) in &self.effects[function.0 as usize][block.0 as usize] {
            match effect {
                _ if *place < next => {}
                Effect::Write(target) => count += usize::from(self.may_be(target, cell)),
                Effect::Calls(functions) => {
                    let writes = |function: &&FunctionId| {
                        self.written[function.0 as usize].iter().any(|target| self.may_be(target, cell))
                    };
                    called.extend(functions.iter().filter(writes));
                }
            }
        }
        for function in called {
            count += self.writes_after((function, BlockId(0), 0), cell, deep.checked_sub(1)?)?;
        }
        (count == 0 || !is_loop).then_some(count)
    }

    /// The blocks that can come after a block, itself if it is in a loop.
    fn later(&mut self, function: FunctionId, block: BlockId) -> Rc<Vec<bool>> {
        let code = self.program.function(function);
        let find = || {
            let mut later = vec![false; code.blocks.len()];
            let mut open = vec![block];
            while let Some(block) = open.pop() {
                for next in code.blocks[block.0 as usize].terminator.successors() {
                    if !std::mem::replace(&mut later[next.0 as usize], true) {
                        open.push(next);
                    }
                }
            }
            Rc::new(later)
        };
        self.later.entry((function, block)).or_insert_with(find).clone()
    }

    /// Whether a write may be one of the cell.
    fn may_be(&self, target: &Target, cell: &Pointer) -> bool {
        let is_exposed = self.is_exposed.get(cell.allocation as usize).copied().unwrap_or(true);
        match target {
            Target::Cell(other) => other == cell,
            Target::Last(offset) => is_exposed && cell.path.last() == Some(offset),
            Target::Some => is_exposed,
        }
    }
}

/// Whether no fence stands between the stores of a thread, or after them.
fn is_plain(thread: &Thread) -> bool {
    !thread.fenced && thread.buffer.iter().all(|store| !store.after_fence && !store.before_load)
}

fn effects(function: &Function) -> Vec<Vec<(usize, Effect)>> {
    let computed = computed(function);
    let effect = |instruction: &Instruction| match &instruction.kind {
        InstructionKind::Store { address, .. } | InstructionKind::ReadModifyWrite { address, .. } => {
            Some(Effect::Write(target(&computed, address)))
        }
        kind => Some(kind.callees()).filter(|callees| !callees.is_empty()).map(Effect::Calls),
    };
    let in_block = |instructions: &[Instruction]| {
        let found = instructions.iter().enumerate();
        found.filter_map(|(place, instruction)| effect(instruction).map(|effect| (place, effect))).collect()
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
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
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

/// What a function and all that it calls or starts may write.
fn written(effects: &[Vec<Vec<(usize, Effect)>>], function: usize) -> Vec<Target> {
    let mut seen = vec![false; effects.len()];
    let mut open = vec![function];
    let mut targets = Vec::new();
    seen[function] = true;
    while let Some(function) = open.pop() {
        for (_, effect) in effects[function].iter().flatten() {
            match effect {
                Effect::Write(target) if targets.contains(target) => {}
                Effect::Write(target) => targets.push(target.clone()),
                Effect::Calls(functions) => {
                    let new = functions.iter().map(|function| function.0 as usize);
                    open.extend(new.filter(|function| !std::mem::replace(&mut seen[*function], true)));
                }
            }
        }
    }
    targets
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
