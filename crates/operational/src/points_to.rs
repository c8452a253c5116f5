//! Which code may still run from a state on, and which cells it may access.
//!
//! A points-to analysis by inclusion (Andersen, "Program analysis and specialization for the C programming language", 1994) that
//! starts from a state: registers of active calls, memory and buffers hold what they hold, and from there on the order of
//! instructions counts only as far as blocks that cannot come any more are left out. A function is looked at once for every
//! tuple of what its arguments may point to, so that the start of one thread object is not taken for that of another. Blocks that exist
//! are told apart; those that are still to be made are one for each instruction that makes them.
//!
//! In which direction this errs: what is pointed to, called and accessed in some execution from the state on is among what is found here, and
//! more may be. It rests on that pointers come from pointers only, never from numbers; programs that free memory are not looked
//! at, because a block can come back there as another.

use std::collections::BTreeSet;
use std::rc::Rc;

use program::{
    BlockId, FunctionId, InstructionKind, Operand, Operator, Pointer, Program, RegisterId, Terminator, Update, Value,
};
use rustc_hash::FxHashMap;

use crate::effect::{Code, Effect, Sort, Target};
use crate::interpret::Interpreter;
use crate::state::{Frame, State};
use crate::word::{Address, Word};

/// More tuples of function and arguments than this are not looked at.
const MOST_INSTANCES: usize = 256;
/// Bytes farther from the start of their block are any byte of it.
const FARTHEST: i64 = 512;
/// Paths with more offsets are any path of their block.
const LONGEST_PATH: usize = 4;

/// A block of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Block {
    /// One that exists.
    Existing(u32),
    /// One that is still to be made, by the instruction at this place of a block of a function.
    Made(FunctionId, BlockId, usize),
}

/// What a pointer may point to: a cell, or any cell of a block.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Place {
    block: Block,
    path: Option<Vec<i64>>,
}

type Places = BTreeSet<Place>;

/// A function with what its arguments may point to, or the rest of an active call.
struct Instance {
    function: FunctionId,
    /// The block it is in, and the next instruction.
    from: (BlockId, usize),
    /// The registers that get the results of the call that is active in it, and the instance of that.
    active: Option<(Vec<RegisterId>, usize)>,
    registers: Vec<Places>,
    results: Vec<Places>,
    /// The blocks that can come after the one it is in.
    later: Rc<Vec<bool>>,
}

/// The code that may still run, and for each thread the numbers of the codes of its active calls, outermost first.
pub(crate) struct Rest {
    pub codes: Vec<Code>,
    pub active: Vec<Vec<usize>>,
}

/// What may still run from a state on, and what it may access; `None` if that takes too long to find out. `later` says which blocks can
/// come after a block.
pub(crate) fn rest(
    interpreter: &Interpreter,
    state: &State,
    later: &mut dyn FnMut(FunctionId, BlockId) -> Rc<Vec<bool>>,
) -> Option<Rest> {
    let (instances, known, memory) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
    let mut analysis = Analysis { interpreter, state, later, instances, known, memory, has_changed: true };
    let active = (0..state.threads.len()).map(|thread| analysis.active_calls(thread)).collect();
    while std::mem::take(&mut analysis.has_changed) {
        let mut number = 0;
        while number < analysis.instances.len() {
            analysis.look_at(number);
            number += 1;
        }
        if analysis.instances.len() > MOST_INSTANCES {
            return None;
        }
    }
    let codes = (0..analysis.instances.len()).map(|number| analysis.code(number)).collect();
    Some(Rest { codes, active })
}

struct Analysis<'s, 'a> {
    interpreter: &'s Interpreter<'a>,
    state: &'s State,
    later: &'s mut dyn FnMut(FunctionId, BlockId) -> Rc<Vec<bool>>,
    instances: Vec<Instance>,
    /// The instances that are no active calls.
    known: FxHashMap<(FunctionId, Vec<Places>), usize>,
    /// What may be stored in blocks, besides what is in them.
    memory: FxHashMap<Block, FxHashMap<Option<Vec<i64>>, Places>>,
    has_changed: bool,
}

impl<'a> Analysis<'_, 'a> {
    fn program(&self) -> &'a Program {
        self.interpreter.program
    }

    /// Makes the instances of a thread's active calls.
    fn active_calls(&mut self, thread: usize) -> Vec<usize> {
        let thread = self.state.threads[thread].clone();
        let first = self.instances.len();
        let depth = thread.frames.len();
        for (at, frame) in thread.frames.iter().enumerate() {
            let code = self.program().function(frame.function);
            let words = thread.registers.iter().skip(frame.base as usize).take(code.registers.len());
            let mut registers: Vec<Places> = words.map(|word| self.of_word(*word)).collect();
            registers.resize(code.registers.len(), Places::new());
            let active = (at + 1 < depth).then(|| (self.awaited(frame), first + at + 1));
            let from = (frame.block, frame.next as usize + usize::from(active.is_some()));
            let later = (self.later)(frame.function, frame.block);
            let results = vec![Places::new(); code.results];
            self.instances.push(Instance { function: frame.function, from, active, registers, results, later });
        }
        (first..self.instances.len()).collect()
    }

    /// The registers that get what the call returns at which a frame stands.
    fn awaited(&self, frame: &Frame) -> Vec<RegisterId> {
        let block = &self.program()[frame.function][frame.block];
        block.instructions.get(frame.next as usize).map(|call| call.kind.targets()).unwrap_or_default()
    }

    /// The instance of a function with these arguments.
    fn instance(&mut self, function: FunctionId, arguments: Vec<Places>) -> usize {
        if let Some(known) = self.known.get(&(function, arguments.clone())) {
            return *known;
        }
        if self.instances.len() > MOST_INSTANCES {
            // The answer is given up.
            return 0;
        }
        let code = self.program().function(function);
        let mut registers = vec![Places::new(); code.registers.len()];
        for (parameter, argument) in code.parameters.iter().zip(&arguments) {
            registers[parameter.index()].extend(argument.iter().cloned());
        }
        let later = (self.later)(function, BlockId(0));
        let results = vec![Places::new(); code.results];
        let number = self.instances.len();
        self.instances.push(Instance { function, from: (BlockId(0), 0), active: None, registers, results, later });
        self.known.insert((function, arguments), number);
        self.has_changed = true;
        number
    }

    /// The blocks of an instance that may still run, each with the first instruction that may.
    fn blocks(&self, number: usize) -> Vec<(BlockId, usize)> {
        let Instance { from: (block, next), later, .. } = &self.instances[number];
        let whole = (0..later.len()).filter(|block| later[*block]).map(|block| (BlockId(block as u32), 0));
        let begun = (!later[block.0 as usize]).then_some((*block, *next));
        begun.into_iter().chain(whole).collect()
    }

    /// Takes all instructions of an instance once.
    fn look_at(&mut self, number: usize) {
        if let Some((targets, callee)) = self.instances[number].active.clone() {
            let results = self.instances[callee].results.clone();
            targets.into_iter().zip(results).for_each(|(target, result)| self.assign(number, target, result));
        }
        let function = self.instances[number].function;
        let code = self.program().function(function);
        for (block, next) in self.blocks(number) {
            let blocks = &code[block];
            for (place, instruction) in blocks.instructions.iter().enumerate().skip(next) {
                self.take(number, Block::Made(function, block, place), &instruction.kind);
            }
            if let Terminator::Return(values) = &blocks.terminator {
                for (result, value) in values.iter().enumerate() {
                    let value = self.operand(number, value);
                    self.returned(number, result, value);
                }
            }
        }
    }

    /// Takes an instruction of an instance, which may make a block.
    fn take(&mut self, number: usize, made: Block, kind: &InstructionKind) {
        match kind {
            InstructionKind::Assign { target, operator, operands } => {
                let value = self.computed(number, operator, operands);
                self.assign(number, *target, value);
            }
            InstructionKind::Load { target, address, .. } => {
                let value = self.loaded(number, address);
                self.assign(number, *target, value);
            }
            InstructionKind::Store { address, value, .. } => {
                let value = self.operand(number, value);
                self.store(number, address, value);
            }
            InstructionKind::ReadModifyWrite { target, address, update, .. } => {
                let old = self.loaded(number, address);
                self.assign(number, *target, old.clone());
                let value = match update {
                    Update::Exchange(value) => self.operand(number, value),
                    Update::CompareExchange { desired, .. } => self.operand(number, desired),
                    Update::Apply(_, value) => {
                        old.into_iter().chain(self.operand(number, value)).map(anywhere).collect()
                    }
                };
                self.store(number, address, value);
            }
            InstructionKind::Allocate { target, default, .. } => {
                let mut held = Places::new();
                of_value(default, &mut held);
                self.put(made, None, held);
                let place = Place { block: made, path: Some(Vec::new()) };
                self.assign(number, *target, [place].into());
            }
            InstructionKind::Call { targets, .. } | InstructionKind::CallVirtual { targets, .. } => {
                for callee in self.callees(number, kind) {
                    let results = self.instances[callee].results.clone();
                    targets.iter().zip(results).for_each(|(target, result)| self.assign(number, *target, result));
                }
            }
            InstructionKind::Spawn { .. } => {
                self.callees(number, kind);
            }
            // What any other puts in its registers comes from what it reads.
            _ => {
                for target in kind.targets() {
                    let read: Vec<Places> = kind.operands().iter().map(|from| self.operand(number, from)).collect();
                    self.assign(number, target, read.into_iter().flatten().map(anywhere).collect());
                }
            }
        }
    }

    /// The instances that an instruction of an instance may call or start.
    fn callees(&mut self, number: usize, kind: &InstructionKind) -> Vec<usize> {
        let (functions, arguments): (BTreeSet<FunctionId>, &[Operand]) = match kind {
            InstructionKind::Call { function, arguments, .. } | InstructionKind::Spawn { function, arguments, .. } => {
                ([*function].into(), arguments)
            }
            InstructionKind::CallVirtual { table, arguments, .. } => {
                let receivers = arguments.first().map(|receiver| self.operand(number, receiver)).unwrap_or_default();
                let classes: BTreeSet<&str> = receivers.iter().filter_map(|place| self.class(place.block)).collect();
                let methods = table.iter().filter(|(class, _)| classes.contains(&**class));
                (methods.map(|(_, function)| *function).collect(), arguments)
            }
            _ => return Vec::new(),
        };
        let arguments: Vec<Places> = arguments.iter().map(|argument| self.operand(number, argument)).collect();
        functions.into_iter().map(|function| self.instance(function, arguments.clone())).collect()
    }

    /// The class that the method of a receiver is looked up by.
    fn class(&self, block: Block) -> Option<&str> {
        match block {
            Block::Existing(allocation) => {
                let global = self.program().globals.get(allocation as usize).map(|global| global.name.as_str());
                let made = || self.state.heap.get(allocation as usize).and_then(|made| self.interpreter.name(made));
                global.or_else(|| made().map(|name| &**name))
            }
            Block::Made(function, block, place) => {
                let block = &self.program()[function][block];
                match block.instructions.get(place).map(|instruction| &instruction.kind) {
                    Some(InstructionKind::Allocate { name, .. }) => Some(name),
                    _ => None,
                }
            }
        }
    }

    fn assign(&mut self, number: usize, target: RegisterId, value: Places) {
        self.has_changed |= add(&mut self.instances[number].registers[target.index()], value);
    }

    fn returned(&mut self, number: usize, result: usize, value: Places) {
        if let Some(known) = self.instances[number].results.get_mut(result) {
            self.has_changed |= add(known, value);
        }
    }

    fn store(&mut self, number: usize, address: &Operand, value: Places) {
        for Place { block, path } in self.operand(number, address) {
            self.put(block, path, value.clone());
        }
    }

    fn put(&mut self, block: Block, path: Option<Vec<i64>>, value: Places) {
        if !value.is_empty() {
            self.has_changed |= add(self.memory.entry(block).or_default().entry(path).or_default(), value);
        }
    }

    fn operand(&self, number: usize, operand: &Operand) -> Places {
        match operand {
            Operand::Register(register) => self.instances[number].registers[register.index()].clone(),
            Operand::Constant(value) => {
                let mut places = Places::new();
                of_value(value, &mut places);
                places
            }
        }
    }

    fn computed(&self, number: usize, operator: &Operator, operands: &[Operand]) -> Places {
        let all = || operands.iter().flat_map(|operand| self.operand(number, operand));
        match (operator, operands) {
            (Operator::Copy | Operator::Defined | Operator::Select, _) => all().collect(),
            (Operator::Make(..) | Operator::Get(..) | Operator::Set(..), _) => all().collect(),
            (Operator::Offset, [pointer, Operand::Constant(Value::Int(offset))]) => {
                let offset = offset.signed();
                self.operand(number, pointer).into_iter().map(|place| deeper(place, offset)).collect()
            }
            (
                Operator::Step(size) | Operator::Element { size, .. },
                [pointer, Operand::Constant(Value::Int(count))],
            ) => {
                let distance = count.signed().checked_mul(i64::from(*size));
                self.operand(number, pointer).into_iter().map(|place| farther(place, distance)).collect()
            }
            _ => all().map(anywhere).collect(),
        }
    }

    /// What a load may give.
    fn loaded(&self, number: usize, address: &Operand) -> Places {
        let mut loaded = Places::new();
        for place in self.operand(number, address) {
            let stored = self.memory.get(&place.block).into_iter().flatten();
            let meets = |path: &Option<Vec<i64>>| path.is_none() || place.path.is_none() || *path == place.path;
            loaded.extend(stored.filter(|(path, _)| meets(path)).flat_map(|(_, places)| places.iter().cloned()));
            if let Block::Existing(allocation) = place.block {
                self.held(allocation, place.path.as_ref(), &mut loaded);
            }
        }
        loaded
    }

    /// What a cell of a block holds now, in memory or in a buffer; or all its cells do.
    fn held(&self, allocation: u32, path: Option<&Vec<i64>>, places: &mut Places) {
        let Some(block) = self.state.heap.get(allocation as usize) else { return };
        let words = &self.interpreter.words;
        let cell = path.map(|path| words.known_address(&Pointer { allocation, path: path.clone() }));
        // A path that no word has is one of a cell that nobody has written.
        let is_meant = |other: Address| other.allocation == allocation && cell.is_none_or(|cell| cell == Some(other));
        let cells = block.cells.iter().map(|(path, word)| (Address { allocation, path: *path }, *word));
        let stores = self.state.threads.iter().flat_map(|thread| &thread.buffer).map(|store| (store.cell, store.value));
        for (_, word) in cells.chain(stores).filter(|(cell, _)| is_meant(*cell)) {
            places.extend(self.of_word(word));
        }
        places.extend(self.of_word(block.default));
    }

    fn of_word(&self, word: Word) -> Places {
        let mut places = Places::new();
        if !matches!(word, Word::Undefined | Word::Int { .. }) {
            of_value(&self.interpreter.words.value(word), &mut places);
        }
        places
    }

    /// What an instance accesses, calls and starts.
    fn code(&mut self, number: usize) -> Code {
        let function = self.instances[number].function;
        let code = self.program().function(function);
        let mut effects: Vec<Vec<(usize, Effect)>> = code.blocks.iter().map(|_| Vec::new()).collect();
        for (block, next) in self.blocks(number) {
            let instructions = code[block].instructions.iter().enumerate().skip(next);
            for (place, instruction) in instructions {
                let found = self.effects(number, &instruction.kind);
                effects[block.0 as usize].extend(found.into_iter().map(|effect| (place, effect)));
            }
        }
        Code { function, effects }
    }

    fn effects(&mut self, number: usize, kind: &InstructionKind) -> Vec<Effect> {
        let target = |address: &Operand| {
            // No block that is still to be made is one that exists.
            let existing = |place: Place| match place.block {
                Block::Existing(allocation) => Some((allocation, place.path)),
                Block::Made(..) => None,
            };
            Target::OneOf(self.operand(number, address).into_iter().filter_map(existing).collect())
        };
        let accesses = Effect::accesses(kind, &target);
        let callees = self.callees(number, kind);
        let calls = (!callees.is_empty()).then_some(Effect::Calls(callees));
        accesses.into_iter().chain(calls).collect()
    }
}

impl Effect {
    /// What an instruction accesses itself.
    pub fn accesses(kind: &InstructionKind, target: &dyn Fn(&Operand) -> Target) -> Vec<Effect> {
        match kind {
            InstructionKind::Load { address, .. } => vec![Effect::Access(Sort::Read, target(address))],
            InstructionKind::Store { address, .. } => vec![Effect::Access(Sort::Write, target(address))],
            InstructionKind::ReadModifyWrite { address, .. } => {
                [Sort::Read, Sort::Write].map(|sort| Effect::Access(sort, target(address))).into()
            }
            _ => Vec::new(),
        }
    }
}

/// Adds places, and says whether some were new.
fn add(known: &mut Places, more: Places) -> bool {
    let before = known.len();
    known.extend(more);
    known.len() > before
}

/// Any cell of the same block.
fn anywhere(place: Place) -> Place {
    Place { path: None, ..place }
}

/// The place at an offset of another.
fn deeper(Place { block, path }: Place, offset: i64) -> Place {
    let path = path.filter(|path| path.len() < LONGEST_PATH).map(|path| [&path[..], &[offset]].concat());
    Place { block, path }
}

/// The place so many bytes from another. One that moves on in a loop is any place of its block, in the end.
fn farther(Place { block, path }: Place, distance: Option<i64>) -> Place {
    let start = path.and_then(|path| match path[..] {
        [] => Some(0),
        [offset] => Some(offset),
        _ => None,
    });
    let offset = start.zip(distance).and_then(|(start, distance)| start.checked_add(distance));
    Place { block, path: offset.filter(|offset| (0..FARTHEST).contains(offset)).map(Pointer::byte_path) }
}

fn of_value(value: &Value, places: &mut Places) {
    match value {
        Value::Pointer(Pointer { allocation, path }) => {
            places.insert(Place { block: Block::Existing(*allocation), path: Some(path.clone()) });
        }
        Value::Composite(_, fields) => fields.iter().for_each(|field| of_value(field, places)),
        Value::Undefined | Value::Int(_) => {}
    }
}
