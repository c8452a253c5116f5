//! The interpreter: takes one instruction of one thread after the other.
//!
//! What an instruction does is said in `program::ir`; [`crate::memory`] says how accesses meet memory on each machine,
//! [`crate::synchronize`] how threads wait for each other. What the representation leaves to engines:
//!
//! - **Errors** end a run: a failed or undefined assertion; an access through what is no pointer; an
//!   operator outside of its domain or on an undefined operand; a branch on what has no truth value; the comparison of a
//!   pointer with a number other than 0. Undefined values may be carried: by `copy`, `make`, `set`, `get` and `select`, by
//!   loads and stores, calls and returns.
//! - **Freed blocks** keep their content, also when they are reused, and may still be accessed: the program may
//!   guard against that itself (CheckFence thesis, section 4.6). To free any other block is an error.
//! - **`choose`**, a weak compare-exchange, which freed block is reused and which waiting thread is notified are
//!   picked from [`Choices`].

pub mod console;
mod jmm_over;

use std::rc::Rc;
use std::sync::Arc;

use program::{
    Access, AssertSort, BlockId, EventKind, Extent, FunctionId, Global, Instruction, InstructionKind, Language,
    Operand, Operator, Pointer, Program, RegisterId, Span, Storage, Terminator, Update, Value,
};

use crate::choices::Choices;
use crate::happens_before::is_moded;
use crate::heap::Allocation;
use crate::machine::Machine;
use crate::observer::{MemoryEvent, Observer, Sync, Via};
use crate::relax::Relaxed;
use crate::state::{Frame, State, Status, Thread};
use crate::word::{Address, Word, Words};

pub(crate) use crate::stop::fault;
pub use crate::stop::{Fault, Stop, Waiting, unsupported};

/// A read-modify-write.
pub(crate) struct Modification<'a> {
    pub target: RegisterId,
    pub address: &'a Operand,
    pub update: &'a Update,
    pub access: &'a Access,
    pub span: Option<Span>,
}

/// The name of allocations that are globals.
const GLOBAL: u32 = u32::MAX;
/// How many values one `choose` may choose from.
const WIDEST_CHOICE: u64 = 1 << 16;

/// Longer texts of assertions and exceptions are cut off.
const LONGEST_TEXT: usize = 200;
/// The class of blocks that are strings of Java.
const STRING: &str = "java.lang.String";

/// What an access touches.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// How many bytes; 0 where memory has none.
    pub bytes: u8,
    /// Whether it writes.
    pub writes: bool,
}

impl Reach {
    /// A read.
    pub fn read(access: &Access) -> Reach {
        Reach { bytes: access.bytes, writes: false }
    }

    /// A write, or what reads and writes.
    pub fn write(access: &Access) -> Reach {
        Reach { bytes: access.bytes, writes: true }
    }
}

/// A step of a thread: the state that it changes, where it stands in the source, and who watches.
pub(crate) struct Step<'s, O> {
    pub state: &'s mut State,
    pub thread: usize,
    pub span: Option<Span>,
    pub observer: &'s mut O,
}

/// An interpreter of one program.
pub struct Interpreter<'a> {
    /// The program.
    pub program: &'a Program,
    /// How stores get to memory.
    pub machine: Machine,
    /// Values.
    pub words: Words,
    /// Instructions taken so far.
    pub instructions: u64,
    /// How many instructions may be taken at a stretch.
    pub longest: u64,
    /// How many calls may be active in a thread.
    pub deepest: usize,
    /// Whether a failed assertion is passed over: a question about final states does not ask about assertions.
    pub passes_assertions: bool,
    /// Whether the texts of assertions and exceptions are read from memory.
    pub(crate) reads_texts: bool,
    /// Whether errors are held back until the execution comes to its end: only there it is known whether it counts.
    pub holds_errors: bool,
    /// The errors held back so far, each with its thread.
    pub held: Vec<(usize, Fault)>,
    /// Why some thread is not followed any further, if one is not.
    pub endless: Option<String>,
    /// By function and block: whether it may lie in a loop. Computed when it is first asked for.
    pub(crate) may_return: Option<Vec<Vec<bool>>>,
    /// By function: whether it writes final fields of objects that others may have; found out when it is asked first.
    pub(crate) writers_of_finals: Option<Vec<bool>>,
    /// Accesses meet memory at once, whatever the machine: in the setup, in serial runs and in locked blocks.
    pub(crate) direct: bool,
    /// Whether weak compare-exchanges succeed wherever they can: in the setup, which would only try again.
    pub(crate) never_spurious: bool,
    /// Whether the program frees memory.
    pub frees: bool,
    /// Whether all fresh blocks that may be reused hold the same.
    pub(crate) alike: bool,
    /// What holds for all executions on the machine jmm_over.
    pub(crate) relaxed: Option<Relaxed>,
    /// The global that keeps what is printed, if one does.
    pub(crate) console: Option<u32>,
    /// The numbers of the names of blocks that are numbered behind those of a state, if somebody else keeps what they hold.
    pub elsewhere: Vec<u32>,
    names: Vec<Arc<str>>,
    /// By name: how many bytes blocks of that name have, and what memory they are, if they have bytes.
    sizes: Vec<Option<(u64, Storage)>>,
    /// How many bytes each global has; the largest number for those without bytes.
    global_sizes: Vec<u64>,
    /// For each global whether it may not be written; empty if there is no such.
    constants: Vec<bool>,
}

impl<'a> Interpreter<'a> {
    /// An interpreter of the program on the machine.
    pub fn new(program: &'a Program, machine: Machine) -> Interpreter<'a> {
        Interpreter {
            program,
            machine,
            words: Words::new(),
            instructions: 0,
            longest: 1_000_000,
            deepest: 1_000,
            passes_assertions: false,
            reads_texts: false,
            holds_errors: false,
            held: Vec::new(),
            endless: None,
            may_return: None,
            writers_of_finals: None,
            direct: false,
            never_spurious: false,
            frees: contains(program, |kind| matches!(kind, InstructionKind::Free { .. })),
            alike: are_alike(program),
            relaxed: None,
            console: console::of(program),
            elsewhere: Vec::new(),
            names: Vec::new(),
            sizes: Vec::new(),
            global_sizes: program.globals.iter().map(size_of_global).collect(),
            constants: constants(program),
        }
    }

    /// The state before the setup has run and before any thread has started.
    pub fn initial(&mut self) -> State {
        let heap = self.program.globals.iter().map(|global| {
            let mut allocation = Allocation {
                name: GLOBAL,
                default: self.words.word(&global.default),
                cells: Vec::new(),
                freed: false,
                reuse: false,
            };
            for (path, value) in &global.cells {
                let (path, value) = (self.words.path(path), self.words.word(value));
                allocation.set(path, value);
            }
            Rc::new(allocation)
        });
        let heap = heap.collect();
        let program = self.program;
        let threads = program.threads.iter().map(|thread| {
            let arguments: Vec<Word> = thread.arguments.iter().map(|value| self.words.word(value)).collect();
            Rc::new(self.new_thread(thread.entry, &arguments))
        });
        State { threads: threads.collect(), heap, monitors: Rc::default(), history: None }
    }

    /// A thread that is about to run a function.
    pub fn new_thread(&self, function: FunctionId, arguments: &[Word]) -> Thread {
        let mut thread = Thread {
            status: Status::New,
            frames: Vec::new(),
            registers: Vec::new(),
            buffer: Vec::new(),
            fenced: false,
            permit: false,
        };
        self.push_frame(&mut thread, function, arguments);
        thread
    }

    fn push_frame(&self, thread: &mut Thread, function: FunctionId, arguments: &[Word]) {
        let base = thread.registers.len();
        let code = self.program.function(function);
        thread.registers.resize(base + code.registers.len(), Word::Undefined);
        for (parameter, argument) in code.parameters.iter().zip(arguments) {
            thread.registers[base + parameter.0 as usize] = *argument;
        }
        thread.frames.push(Frame { function, block: BlockId(0), next: 0, base: base as u32 });
    }

    /// The name of an allocation: its class or type; `None` for a global.
    pub fn name(&self, allocation: &Allocation) -> Option<&Arc<str>> {
        self.names.get(allocation.name as usize)
    }

    /// A name by its number; `None` for that of globals.
    pub fn name_of(&self, id: u32) -> Option<&Arc<str>> {
        self.names.get(id as usize)
    }

    /// A cell in words: its variable, or the field of its class; `of` is the number of its block's name.
    pub(crate) fn cell_in_words(&self, cell: Address, of: u32) -> String {
        let pointer = self.words.pointer(cell);
        let sources = &self.program.sources;
        let global = self.program.globals.get(cell.allocation as usize).map(|global| &global.name);
        let Some(of) = self.name_of(of).filter(|_| global.is_none()) else {
            return self.program.cell_name(&pointer);
        };
        if let Some(part) = sources.part_name(of, &pointer) {
            return format!("{of}{part}");
        }
        match &pointer.path[..] {
            [] => of.to_string(),
            [.., index] if of.ends_with("[]") => format!("{}[{index}]", of.trim_end_matches("[]")),
            [.., number] if sources.field(of, *number).is_some() && pointer.path.len() <= 2 => {
                format!("{of}.{}", sources.field(of, *number).unwrap_or_default())
            }
            path => of.to_string() + &path.iter().map(|offset| format!("[{offset}]")).collect::<String>(),
        }
    }

    /// A value as final states show it: of an object of Java its class, since the number of its block says nothing, and of a string its
    /// text.
    pub(crate) fn value_in_words(&self, state: &State, word: Word) -> Value {
        let is_made = |address: &Address| address.allocation as usize >= self.program.globals.len();
        let Word::Pointer(address) = word else { return self.words.value(word) };
        if self.program.language != Language::Java {
            return self.words.value(word);
        }
        if !is_made(&address) {
            let constant = &self.program.globals[address.allocation as usize].name;
            let is_text = constant.starts_with('"');
            return if is_text {
                Value::Composite(constant.as_str().into(), Vec::new())
            } else {
                self.words.value(word)
            };
        }
        let name = state.heap.get(address.allocation as usize).and_then(|block| self.name(block));
        let text = name.filter(|name| ***name == *STRING).and_then(|_| self.text_of(state, address));
        let class = || name.map_or("object".into(), |name| name.to_string());
        Value::Composite(text.map_or_else(class, |text| format!("{text:?}")).into(), Vec::new())
    }

    /// The characters of a string that an execution has made.
    fn text_of(&self, state: &State, string: Address) -> Option<String> {
        let pointer = self.words.pointer(string);
        let length = *pointer.path.last()?;
        let unit = |at: i64| {
            let path = [&pointer.path[..], &[at]].concat();
            let cell = self.words.known_address(&Pointer { path, ..pointer.clone() });
            let word = cell.and_then(|cell| state.held(cell));
            word.and_then(Word::as_int).map_or(0, |unit| unit.unsigned() as u16)
        };
        let length = length.min(LONGEST_TEXT as i64);
        Some(String::from_utf16_lossy(&(0..length).map(unit).collect::<Vec<u16>>()))
    }

    /// The number of the name of a block of so many bytes.
    pub fn name_id(&mut self, name: &Arc<str>, size: Option<(u64, Storage)>) -> u32 {
        let known = self.names.iter().zip(&self.sizes).position(|(other, bytes)| other == name && *bytes == size);
        known.unwrap_or_else(|| {
            self.names.push(name.clone());
            self.sizes.push(size);
            self.names.len() - 1
        }) as u32
    }

    /// How many bytes a thread is about to allocate, if memory has bytes.
    pub fn size(&mut self, state: &State, thread: usize, extent: Option<&Extent>) -> Option<(u64, Storage)> {
        let size = self.operand(state, thread, &extent?.size).as_int()?;
        Some((size.unsigned(), extent?.storage))
    }

    /// Memory that was freed may not be accessed, but for that of a pool.
    fn check_alive(&self, state: &State, address: Address, span: Option<Span>) -> Result<(), Stop> {
        let Some(block) = state.heap.get(address.allocation as usize).filter(|block| block.freed) else {
            return Ok(());
        };
        match self.size_named(block.name) {
            Some((_, Storage::Heap)) => {
                let name = self.name(block).map_or("a block", |name| name);
                fault(&Extent::ended(name), span)
            }
            Some((_, storage)) if storage.is_left() => {
                fault(&Extent::left(self.name(block).map_or("a variable", |name| name)), span)
            }
            _ => Ok(()),
        }
    }

    /// How many bytes blocks of a name have, and what memory they are.
    pub fn size_named(&self, name: u32) -> Option<(u64, Storage)> {
        self.sizes.get(name as usize).copied().flatten()
    }

    /// The cell of an access of so many bytes.
    pub fn accessed(&self, state: &State, word: Word, reach: Reach, span: Option<Span>) -> Result<Address, Stop> {
        let address = self.cell(state, word, span)?;
        if reach.bytes == 0 {
            return Ok(address);
        }
        let named = state.heap.get(address.allocation as usize).map(|block| block.name);
        self.check_bounds(address, named, reach, span)?;
        Ok(address)
    }

    /// An access of so many bytes must lie within its block, whose name has this number if it is no global.
    pub fn check_bounds(
        &self,
        address: Address,
        named: Option<u32>,
        Reach { bytes, writes }: Reach,
        span: Option<Span>,
    ) -> Result<(), Stop> {
        if writes && self.constants.get(address.allocation as usize).copied().unwrap_or_default() {
            return fault(&Extent::constant(&self.program.allocation_name(address.allocation)), span);
        }
        let size = match self.global_sizes.get(address.allocation as usize) {
            Some(size) => *size,
            None => named.and_then(|name| self.size_named(name)).map_or(u64::MAX, |(size, _)| size),
        };
        let Some(offset) = self.words.byte(address.path).filter(|_| bytes > 0) else { return Ok(()) };
        // An offset below 0 is larger than any size.
        if size == u64::MAX || (offset as u64).saturating_add(u64::from(bytes)) <= size {
            return Ok(());
        }
        let name = named.and_then(|name| self.name_of(name)).map(|name| name.to_string());
        let name = name.unwrap_or_else(|| self.program.allocation_name(address.allocation));
        fault(&Extent::trespass(&name, size, offset, bytes).unwrap_or_default(), span)
    }

    /// The instruction that a thread takes next; `None` at a terminator or past the end.
    pub fn next_instruction(&self, thread: &Thread) -> Option<&'a Instruction> {
        let frame = thread.frames.last()?;
        let block = &self.program[frame.function][frame.block];
        block.instructions.get(frame.next as usize)
    }

    /// What comes next in a thread, to the end of its basic block.
    pub fn instructions_from(&self, thread: &Thread) -> &'a [Instruction] {
        let Some(frame) = thread.frames.last() else { return &[] };
        let block = &self.program[frame.function][frame.block];
        block.instructions.get(frame.next as usize..).unwrap_or(&[])
    }

    /// Where a thread is in the source: the next instruction or branch.
    pub fn span(&self, thread: &Thread) -> Option<Span> {
        let frame = thread.frames.last()?;
        let function = self.program.function(frame.function);
        let block = &function[frame.block];
        match (block.instructions.get(frame.next as usize), &block.terminator) {
            (Some(instruction), _) => instruction.span,
            (None, Terminator::Branch { span, .. }) => *span,
            (None, _) => block.span.or(function.span),
        }
    }

    /// What becomes of an execution in which an assumption does not hold. One that ends a thread after an error is held back
    /// as that error is.
    fn given_up(&self, state: &State, thread: usize) -> Stop {
        let held = state.history.as_ref().and_then(|history| history.fault());
        let held = held.and_then(|number| self.relaxed.as_ref()?.faults.get(number));
        let frame = state.threads[thread].frames.last();
        let is_end = frame.is_some_and(|frame| {
            let block = &self.program[frame.function][frame.block];
            !is_assumption(&block.instructions, frame.next as usize)
        });
        match held.filter(|_| is_end) {
            Some((_, fault)) => Stop::Failed(fault.clone()),
            None => Stop::Dropped,
        }
    }

    /// Takes the next instruction or terminator of a running thread. When it stops the state may be half changed, unless it
    /// waits.
    pub fn instruction<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        choices: &mut Choices,
        observer: &mut O,
    ) -> Result<(), Stop> {
        self.instructions += 1;
        let Some(instruction) = self.next_instruction(&state.threads[thread]) else {
            return self.terminator(state, thread, observer);
        };
        let span = instruction.span;
        use InstructionKind::*;
        match &instruction.kind {
            Assign { target, operator, operands } => self.assign(state, thread, *target, operator, operands, span)?,
            Load { target, address, access } => {
                self.load(state, thread, *target, address, access, span, (choices, observer))?;
            }
            Store { address, value, access } => self.store(state, thread, address, value, access, span, observer)?,
            ReadModifyWrite { target, address, update, access } => {
                let update = Modification { target: *target, address, update, access, span };
                self.read_modify_write(state, thread, update, choices, observer)?;
            }
            Fence { access } => self.fence(state, thread, access, span, observer)?,
            Freeze { address } => self.freeze(state, thread, address, span, observer)?,
            Allocate { target, default, name, reuse, extent } => {
                let size = self.size(state, thread, extent.as_ref());
                let name = self.name_id(name, size);
                self.allocate(state, thread, *target, (default, name, *reuse), span, (choices, observer))?;
            }
            Free { address } => self.free(state, thread, address, span, observer)?,
            End { address } => {
                if let Word::Pointer(address) = self.operand(state, thread, address) {
                    self.end_block(state, thread, address.allocation, span)?;
                }
            }
            Live { address } => {
                if let Word::Pointer(address) = self.operand(state, thread, address) {
                    self.check_alive(state, address, span)?;
                }
            }
            Call { function, arguments, .. } => return self.call(state, thread, *function, arguments, observer),
            CallVirtual { table, arguments, .. } => {
                let function = self.method(state, thread, table, arguments, span)?;
                return self.call(state, thread, function, arguments, observer);
            }
            Wait { monitor } => return self.wait(&mut Step { state, thread, span, observer }, monitor),
            Lock { .. } | Unlock { .. } | Notify { .. } | Spawn { .. } | Join { .. } | Park | Unpark { .. } => {
                let step = &mut Step { state: &mut *state, thread, span, observer: &mut *observer };
                self.synchronize(&instruction.kind, step, choices)?;
            }
            Assert { condition, message, sort: AssertSort::Unsupported, .. } => {
                if self.operand(state, thread, condition).truth() != Some(true) {
                    return unsupported(message, span);
                }
            }
            Assert { condition, message, sort, text } => {
                if self.operand(state, thread, condition).truth() != Some(true) && !self.passes_assertions {
                    let message = self.with_text(state, thread, message, text.as_ref());
                    let fault = Fault { assertion: Some(*sort), message, span };
                    if !self.relaxed_fault(state, thread, &fault) {
                        return Err(Stop::Failed(fault));
                    }
                }
            }
            Assume { condition } => match self.operand(state, thread, condition).truth() {
                Some(true) => {}
                Some(false) => return Err(self.given_up(state, thread)),
                None => return fault("an assumption about an undefined value", span),
            },
            Await { condition } => match self.operand(state, thread, condition).truth() {
                Some(true) => {}
                Some(false) => return Err(Stop::Waits(Waiting::Condition)),
                None => return fault("a thread waits on an undefined condition", span),
            },
            Observe { label, value } => {
                let value = self.operand(state, thread, value);
                observer.shows(thread, label, value, &self.words);
                self.print(state, label, value);
                self.special(state, thread, value, span, observer);
            }
            Choose { target, low, high, width } => {
                let ways = (*high as i128 - *low as i128 + 1) as u64;
                if ways > WIDEST_CHOICE {
                    return unsupported("a choice among more than 65536 values", span);
                }
                let picked = low + i64::from(choices.pick(ways as u32));
                state.thread(thread).set(*target, Word::int(picked, *width));
            }
            Identify { target } => state.thread(thread).set(*target, Word::int(thread as i64, 32)),
            AtomicBegin | AtomicEnd => {}
        }
        step_over(state.thread(thread));
        Ok(())
    }

    fn terminator<O: Observer>(&mut self, state: &mut State, thread: usize, observer: &mut O) -> Result<(), Stop> {
        let Some(frame) = state.threads[thread].frames.last().copied() else {
            return Ok(());
        };
        let block = &self.program[frame.function][frame.block];
        let target = match &block.terminator {
            Terminator::Jump(target) => *target,
            Terminator::Branch { condition, then, otherwise, span, .. } => {
                match self.operand(state, thread, condition).truth() {
                    Some(true) => *then,
                    Some(false) => *otherwise,
                    None => return fault("a branch on an undefined value", *span),
                }
            }
            Terminator::Return(values) => {
                self.leave(state, thread, values, observer);
                return Ok(());
            }
        };
        observer.jumps(thread, frame.function, frame.block, target);
        if let Some(frame) = state.thread(thread).frames.last_mut() {
            (frame.block, frame.next) = (target, 0);
        }
        Ok(())
    }

    fn leave<O: Observer>(&mut self, state: &mut State, thread: usize, values: &[Operand], observer: &mut O) {
        let is_named = thread < self.program.threads.len();
        self.give(state, thread, values);
        let running = state.thread(thread);
        let Some(left) = running.frames.pop() else { return };
        observer.returns(thread);
        if running.frames.is_empty() {
            running.status = Status::Ended;
            if !is_named {
                running.registers.clear();
            }
            return;
        }
        running.registers.truncate(left.base as usize);
        step_over(running);
    }

    /// Puts what a function returns in the registers of its caller, which stands at its call.
    fn give(&mut self, state: &mut State, thread: usize, values: &[Operand]) {
        let frames = &state.threads[thread].frames;
        let Some(caller) = frames.len().checked_sub(2).map(|place| frames[place]) else { return };
        let block = &self.program[caller.function][caller.block];
        let targets = match block.instructions.get(caller.next as usize).map(|call| &call.kind) {
            Some(InstructionKind::Call { targets, .. } | InstructionKind::CallVirtual { targets, .. }) => &targets[..],
            _ => &[],
        };
        for (target, value) in targets.iter().zip(values) {
            let value = self.operand(state, thread, value);
            if let Some(place) = state.thread(thread).registers.get_mut((caller.base + target.0) as usize) {
                *place = value;
            }
        }
    }

    fn call<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        function: FunctionId,
        arguments: &[Operand],
        observer: &mut O,
    ) -> Result<(), Stop> {
        if state.threads[thread].frames.len() >= self.deepest {
            return Err(Stop::Limit(format!("more than {} calls are active in a thread", self.deepest)));
        }
        let code = self.program.function(function);
        let base = state.threads[thread].registers.len();
        state.thread(thread).registers.resize(base + code.registers.len(), Word::Undefined);
        for (parameter, argument) in code.parameters.iter().zip(arguments) {
            let argument = self.operand(state, thread, argument);
            state.thread(thread).registers[base + parameter.0 as usize] = argument;
        }
        state.thread(thread).frames.push(Frame { function, block: BlockId(0), next: 0, base: base as u32 });
        observer.enters(thread, function);
        observer.entered(thread, function, state);
        Ok(())
    }

    fn method(
        &mut self,
        state: &State,
        thread: usize,
        table: &[(Arc<str>, FunctionId)],
        arguments: &[Operand],
        span: Option<Span>,
    ) -> Result<FunctionId, Stop> {
        let receiver = arguments.first().map_or(Word::Undefined, |receiver| self.operand(state, thread, receiver));
        let class = match receiver {
            Word::Pointer(Address { allocation, .. }) if allocation as usize >= state.heap.len() => {
                let name = self.elsewhere.get(allocation as usize - state.heap.len());
                name.and_then(|name| self.names.get(*name as usize)).map(|name| &**name)
            }
            _ => {
                let cell = self.cell(state, receiver, span)?;
                let global = self.program.globals.get(cell.allocation as usize).map(|global| global.name.as_str());
                let made = state.heap.get(cell.allocation as usize).and_then(|allocation| self.name(allocation));
                global.or(made.map(|name| &**name))
            }
        };
        let method = class.and_then(|class| table.iter().find(|(name, _)| **name == *class));
        match (method, class) {
            (Some((_, function)), _) => Ok(*function),
            (None, Some(class)) => fault(&format!("the class {class} has no such method"), span),
            (None, None) => fault("a method is called on what is no object", span),
        }
    }

    fn assign(
        &mut self,
        state: &mut State,
        thread: usize,
        target: RegisterId,
        operator: &Operator,
        operands: &[Operand],
        span: Option<Span>,
    ) -> Result<(), Stop> {
        let value = match operands {
            [a] => {
                let a = self.operand(state, thread, a);
                self.compute(operator, &[a], span)?
            }
            [a, b] => {
                let (a, b) = (self.operand(state, thread, a), self.operand(state, thread, b));
                self.compute(operator, &[a, b], span)?
            }
            _ => {
                let words: Vec<Word> = operands.iter().map(|operand| self.operand(state, thread, operand)).collect();
                self.compute(operator, &words, span)?
            }
        };
        state.thread(thread).set(target, value);
        Ok(())
    }

    /// An operator's result; an error where it is undefined but for an undefined value that is carried along.
    pub(crate) fn compute(&mut self, operator: &Operator, operands: &[Word], span: Option<Span>) -> Result<Word, Stop> {
        if let (Operator::Eq | Operator::Ne, [a, b]) = (operator, operands) {
            match (a, b) {
                (Word::Pointer(_), Word::Int { bits, .. }) | (Word::Int { bits, .. }, Word::Pointer(_))
                    if Pointer::ADDRESSES.contains(bits) =>
                {
                    return fault("a pointer is compared with a number that may be an address", span);
                }
                _ => {}
            }
        }
        let result = self.words.apply(operator, operands);
        if result == Word::Undefined && !self.carries(operator, operands) {
            let of_undefined = operands.contains(&Word::Undefined);
            let values: Vec<Value> = operands.iter().map(|operand| self.words.value(*operand)).collect();
            if operator.asks_for_unknown_bits(&values) {
                return unsupported(Operator::UNKNOWN_BITS, span);
            }
            return fault(&operator.misuse(of_undefined), span);
        }
        Ok(result)
    }

    /// Whether the operator hands an undefined value on that it was given.
    fn carries(&self, operator: &Operator, operands: &[Word]) -> bool {
        match (operator, operands) {
            (Operator::Copy, _) => true,
            (Operator::Select, [condition, ..]) => condition.truth().is_some(),
            (Operator::Get(tag, field), [word]) => match self.words.value(*word) {
                Value::Composite(other, fields) => other == *tag && usize::from(*field) < fields.len(),
                _ => false,
            },
            _ => false,
        }
    }

    /// What an assertion says; where executions are run to be shown, with the text that the program gives it.
    fn with_text(&mut self, state: &State, thread: usize, message: &str, text: Option<&Operand>) -> String {
        let text = text.filter(|_| self.reads_texts).and_then(|text| self.text(state, thread, text));
        text.map_or(message.to_string(), |text| format!("{message}: {text}"))
    }

    fn text(&mut self, state: &State, thread: usize, cell: &Operand) -> Option<String> {
        let cell = self.operand_address(state, thread, cell)?;
        let Word::Pointer(text) = self.own_view(state, thread, cell) else { return None };
        let pointer = self.words.pointer(text);
        let length = usize::try_from(*pointer.path.last()?).ok()?.min(LONGEST_TEXT);
        let mut units = Vec::new();
        for at in 0..length {
            let mut character = pointer.clone();
            character.path.push(at as i64);
            let cell = self.words.address(&character);
            units.push(self.own_view(state, thread, cell).as_int()?.unsigned() as u16);
        }
        Some(String::from_utf16_lossy(&units))
    }

    fn operand_address(&mut self, state: &State, thread: usize, operand: &Operand) -> Option<Address> {
        match self.operand(state, thread, operand) {
            Word::Pointer(address) => Some(address),
            _ => None,
        }
    }

    /// What a thread sees that has just written a cell.
    fn own_view(&self, state: &State, thread: usize, cell: Address) -> Word {
        let buffered = state.threads[thread].buffer.iter().rev().find(|store| store.cell == cell);
        buffered.map(|store| store.value).or_else(|| state.held(cell)).unwrap_or(Word::Undefined)
    }

    /// The value of an operand.
    pub fn operand(&mut self, state: &State, thread: usize, operand: &Operand) -> Word {
        match operand {
            Operand::Register(register) => state.threads[thread].register(*register),
            Operand::Constant(value) => self.words.word(value),
        }
    }

    /// The live cell that a pointer points to.
    pub fn cell(&self, state: &State, word: Word, span: Option<Span>) -> Result<Address, Stop> {
        match word {
            Word::Pointer(address) => match state.heap.get(address.allocation as usize) {
                Some(_) => Ok(address),
                None => fault("an access to memory that does not exist", span),
            },
            Word::Int { bits: 0, .. } => fault("an access through a null pointer", span),
            Word::Undefined => fault("an access through an undefined pointer", span),
            Word::Int { .. } | Word::Composite(_) => fault("an access through what is no pointer", span),
        }
    }

    fn special<O: Observer>(
        &self,
        state: &mut State,
        thread: usize,
        value: Word,
        span: Option<Span>,
        observer: &mut O,
    ) {
        let (kind, access, via) = (EventKind::Special, &Access::plain(), Via::Memory);
        self.event(state, MemoryEvent { thread, kind, cell: None, value: Some(value), access, span, via }, observer);
    }

    /// Threads are ordered.
    pub(crate) fn order<O: Observer>(&self, state: &mut State, sync: Sync, observer: &mut O) {
        if let Some(history) = state.history() {
            history.sync(sync);
        }
        observer.sync(sync);
    }

    /// A thread does something that a memory model speaks of.
    pub(crate) fn event<O: Observer>(&self, state: &mut State, event: MemoryEvent, observer: &mut O) {
        let MemoryEvent { thread, kind, cell, access, via, .. } = event;
        // On jmm_over reads choose what they see, and acquire that.
        let (plain, has_mode) = (Access::plain(), self.relaxed.is_some() && is_moded(access));
        if let Some(history) = state.history() {
            history.event(thread, kind, cell, if has_mode { &plain } else { access }, via);
        }
        observer.event(event, state, &self.words);
    }

    /// Whether all threads are over that are ordered before this one.
    pub(crate) fn is_its_turn(&self, state: &State, thread: usize) -> bool {
        let mut order = self.program.thread_order.iter();
        order.all(|(first, second)| second.0 as usize != thread || state.is_over(first.0 as usize))
    }

    /// Makes a new thread run, if its turn has come.
    pub(crate) fn start<O: Observer>(
        &mut self,
        state: &mut State,
        thread: usize,
        observer: &mut O,
    ) -> Result<(), Stop> {
        if !self.is_its_turn(state, thread) {
            return Err(Stop::Waits(Waiting::Turn));
        }
        for (first, second) in &self.program.thread_order {
            if second.0 as usize == thread {
                self.order(state, Sync::Order(first.0 as usize, thread), observer);
            }
        }
        state.thread(thread).status = Status::Running;
        Ok(())
    }
}

/// Whether some instruction of the program is of this sort.
pub fn contains(program: &Program, sort: impl Fn(&InstructionKind) -> bool) -> bool {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    blocks.flat_map(|block| &block.instructions).any(|instruction| sort(&instruction.kind))
}

/// Whether the program leaves executions out. What follows an assertion that always fails only ends its thread.
pub fn has_assumptions(program: &Program) -> bool {
    let mut blocks = program.functions.iter().flat_map(|function| &function.blocks);
    blocks.any(|block| (0..block.instructions.len()).any(|at| is_assumption(&block.instructions, at)))
}

fn is_assumption(instructions: &[Instruction], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| &instructions[before].kind);
    let is_end = matches!(before, Some(InstructionKind::Assert { condition: Operand::Constant(value), .. }) if value.truth() == Some(false));
    matches!(instructions[at].kind, InstructionKind::Assume { .. }) && !is_end
}

/// For each global whether it may not be written; empty if there is no such.
fn constants(program: &Program) -> Vec<bool> {
    let is_constant = |global: &Global| matches!(&global.extent, Some(extent) if extent.storage == Storage::ReadOnly);
    let constants: Vec<bool> = program.globals.iter().map(is_constant).collect();
    if constants.contains(&true) { constants } else { Vec::new() }
}

/// How many bytes a global has; the largest number for one without bytes.
fn size_of_global(global: &Global) -> u64 {
    global.extent.as_ref().and_then(Extent::known_size).unwrap_or(u64::MAX)
}

/// Whether all blocks of the program that may be reused hold the same when they are fresh.
fn are_alike(program: &Program) -> bool {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let mut defaults = blocks.flat_map(|block| &block.instructions).filter_map(|instruction| match &instruction.kind {
        InstructionKind::Allocate { default, reuse: true, .. } => Some(default),
        _ => None,
    });
    let first = defaults.next();
    defaults.all(|default| Some(default) == first)
}

/// Goes to the next instruction of the block.
pub fn step_over(thread: &mut Thread) {
    if let Some(frame) = thread.frames.last_mut() {
        frame.next += 1;
    }
}
