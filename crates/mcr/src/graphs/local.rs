//! Threads between events: the interpreter of [`operational`] takes instructions up to the next one that a memory model
//! speaks of, and is told what reads find.
//!
//! What a thread does up to its next event depends on its own past alone, so a thread that stands before an event is kept
//! with that event and never run again.

use std::cell::RefCell;
use std::rc::Rc;

use operational::Machine;
use operational::choices::Choices;
use operational::forget::Forgetting;
use operational::interpret::{Fault, Interpreter, Reach, Stop, contains};
use operational::memory::WHETHER_FREE;
use operational::observer::Nobody;
use operational::state::{State, Thread};
use operational::word::{Address, Word};
use program::{
    Access, Block, BlockId, Extent, Function, FunctionId, InstructionKind, Operand, Order, Program, RegisterId, Span,
    Storage, Unsupported, Update, Verified,
};
use rustc_hash::FxHashMap;

use super::address::{IN_USE, Locations, OVER, TO_COME, fault};
use super::atoms::Label;
use super::machine;
use super::memo::Memo;
use super::number::{LocationId, Strength, ThreadNumber};
use super::poised::{CHOICE, UPDATE};
pub use super::poised::{Op, Poised};

/// What follows a read that finds a value.
#[derive(Clone, Debug)]
pub enum Lead {
    /// The thread goes on; `writes` if it is the read of a read-modify-write that writes.
    On {
        /// The thread after the read.
        after: Rc<Poised>,
        /// Whether its next event is the write of the same read-modify-write.
        writes: bool,
        /// How strong the read is.
        strength: Strength,
    },
    /// It has to wait for another value.
    Waits,
}

/// A block that a thread has allocated.
pub struct Made {
    /// The thread.
    pub thread: ThreadNumber,
    /// How many it had allocated before.
    pub number: u32,
    /// The number of the block.
    pub allocation: u32,
}

/// Runs threads from event to event.
pub struct Local<'a> {
    /// The program.
    pub program: &'a Verified,
    /// The interpreter.
    pub interpreter: Interpreter<'a>,
    /// All locations.
    pub locations: Locations,
    /// Initial memory; its threads are those that are being run.
    pub memory: State,
    /// What is known of the histories of threads.
    pub memo: Memo,
    /// By function and block: whether a thread may come back to it without an event that others notice, if they notice all stores.
    loops: Vec<Vec<bool>>,
    /// The same, if they do not notice some plain stores.
    loops_that_store: Vec<Vec<bool>>,
    /// Whether nobody sees stores to a block that are overwritten before others learn of it: data races are errors, or the machine
    /// keeps stores in order.
    pub hides_private_stores: bool,
    /// Whether nobody sees plain stores to global variables either that are overwritten with nothing but reads in between: data races
    /// are errors.
    pub hides_plain_stores: bool,
    /// Whether a read was left out for the reason that nobody sees such stores.
    pub has_hidden: bool,
    /// Whether accesses must be ordered after the allocation of heap memory.
    pub asks_for_allocations: bool,
    /// The machine on which the program runs; none under models of C11.
    machine: Option<Machine>,
    forgetting: Forgetting,
    /// The numbers of threads that others start: by who starts them, and after how many others.
    children: FxHashMap<(ThreadNumber, usize), ThreadNumber>,
    /// The comparisons of pointers to different blocks since the last event of the thread that is run.
    pub(super) compared: Vec<(u32, u32)>,
    /// Whether accesses ask whether their memory is there.
    has_lives: bool,
    /// Whether an iteration was left out in which such pointers are compared.
    pub is_unsure: bool,
    /// How many instructions a thread is followed without an event.
    stretch: u64,
    /// Whether a model judges graphs by what it says: then orders mean nothing here, and all fences are events.
    pub by_model: bool,
    /// What events are to that model, by the address of their instruction and what they are of it.
    pub labels: RefCell<FxHashMap<(usize, u8), Label>>,
    /// The stores of atomic blocks, by the address of the load with which the block begins.
    pub stores_of_blocks: FxHashMap<usize, Access>,
}

impl<'a> Local<'a> {
    /// Threads of a program on a machine, or under a model of C11 if none is given.
    pub fn on(program: &'a Verified, machine: Option<Machine>, stretch: u64) -> Result<Local<'a>, Unsupported> {
        let local = Local { machine, ..Local::new(program, stretch) };
        if machine.is_some() && local.interpreter.frees {
            return Err(Unsupported::new("memory that is freed, in execution graphs on a machine", None));
        }
        Ok(local)
    }

    /// Threads of a program under a model that judges graphs by what it says.
    pub fn by_model(program: &'a Verified, stretch: u64) -> Result<Local<'a>, Unsupported> {
        let local = Local { by_model: true, ..Local::new(program, stretch) };
        if local.interpreter.frees || local.has_lives {
            return Err(Unsupported::new("memory that ends, in execution graphs of a model that is given", None));
        }
        Ok(local)
    }

    /// Threads of a program under a model of C11.
    pub fn new(program: &'a Verified, stretch: u64) -> Local<'a> {
        let mut interpreter = Interpreter::new(program, Machine::Sc);
        interpreter.passes_assertions = program.question.is_some();
        let memory = interpreter.initial();
        let forgetting = Forgetting::of(program);
        let (locations, memo, hides_private_stores) = (Locations::default(), Memo::default(), false);
        let loops = |is_quiet| program.functions.iter().map(|function| in_quiet_loops(function, is_quiet)).collect();
        let (loops, loops_that_store) = (loops(is_quiet), loops(is_quiet_or_stores));
        let machine = None;
        let lives =
            |kind: &InstructionKind| matches!(kind, InstructionKind::Live { .. } | InstructionKind::Free { .. });
        let has_lives = contains(program, lives);
        Local {
            program,
            interpreter,
            locations,
            memory,
            memo,
            loops,
            loops_that_store,
            hides_private_stores,
            hides_plain_stores: false,
            has_hidden: false,
            asks_for_allocations: false,
            machine,
            forgetting,
            children: FxHashMap::default(),
            compared: Vec::new(),
            is_unsure: false,
            has_lives,
            stretch,
            by_model: false,
            labels: RefCell::default(),
            stores_of_blocks: FxHashMap::default(),
        }
    }

    /// How strong an access is.
    fn strength(&self, access: &Access) -> Strength {
        match self.machine {
            Some(machine) => machine::strength(machine, access),
            None if self.by_model => Strength::of_nothing(access),
            None => Strength::of(access),
        }
    }

    /// How strong an access of a read-modify-write is.
    fn strength_of_update(&self, access: &Access) -> Strength {
        match self.machine {
            Some(machine) => machine::locked(machine, access),
            None => self.strength(access),
        }
    }

    /// How strong a fence is; nothing if it orders nothing.
    fn strength_of_fence(&self, access: &Access) -> Option<Strength> {
        match self.machine {
            Some(machine) => machine::fence(machine, access),
            None if self.by_model => Some(Strength { atomic: true, ..Strength::of_nothing(access) }),
            None => Some(Strength::of(access)).filter(|strength| strength.acquires || strength.releases),
        }
    }

    /// Whether a thread that stands here may come here again, or waits in an atomic block.
    pub fn may_wait(&self, poised: &Poised) -> bool {
        let loops = if self.hides_private_stores { &self.loops_that_store } else { &self.loops };
        let in_loop = |function: FunctionId, block: BlockId| {
            let blocks = loops.get(function.0 as usize);
            blocks.and_then(|blocks| blocks.get(block.0 as usize)).is_none_or(|in_loop| *in_loop)
        };
        let frames = &poised.thread.frames;
        // A function that was not put in place of its call may call itself.
        let calls = frames.len() > 1;
        matches!(poised.op, Op::Block(..)) || calls || frames.iter().any(|frame| in_loop(frame.function, frame.block))
    }

    /// The threads of the program, before their first events.
    pub fn start(&mut self) -> Result<Vec<Rc<Poised>>, Unsupported> {
        let program: &Program = self.program;
        let mut started = Vec::new();
        for (number, thread) in program.threads.iter().enumerate() {
            let arguments: Vec<Word> =
                thread.arguments.iter().map(|value| self.interpreter.words.word(value)).collect();
            started.push(self.started(ThreadNumber(number as u16), thread.entry, &arguments)?);
        }
        Ok(started)
    }

    /// The number of the thread that another one starts after so many others: the same in all graphs.
    pub fn child(&mut self, parent: ThreadNumber, before: usize) -> ThreadNumber {
        let next = ThreadNumber((self.program.threads.len() + self.children.len()) as u16);
        *self.children.entry((parent, before)).or_insert(next)
    }

    /// A thread that starts to run a function.
    pub fn started(
        &mut self,
        number: ThreadNumber,
        function: FunctionId,
        arguments: &[Word],
    ) -> Result<Rc<Poised>, Unsupported> {
        let thread = Rc::new(self.interpreter.running_thread(function, arguments));
        self.advance(number, thread, 0, false)
    }

    /// Runs a thread up to its next event.
    pub fn advance(
        &mut self,
        number: ThreadNumber,
        thread: Rc<Thread>,
        mut allocated: u32,
        mut in_block: bool,
    ) -> Result<Rc<Poised>, Unsupported> {
        let at = number.index();
        while self.memory.threads.len() <= at {
            let spare = Rc::new(self.interpreter.running_thread(FunctionId(0), &[]));
            self.memory.threads.push(spare);
        }
        self.memory.threads[at] = thread;
        let mut left = self.stretch;
        let (op, span) = loop {
            if left == 0 {
                break (Op::Endless(format!("a thread takes {} instructions without an event", self.stretch)), None);
            }
            left -= 1;
            let thread = &self.memory.threads[at];
            if thread.frames.is_empty() {
                break (Op::End, None);
            }
            let Some(instruction) = self.interpreter.next_instruction(thread) else {
                match self.step(at)? {
                    Some(op) => break (op, None),
                    None => continue,
                }
            };
            let span = instruction.span;
            match self.op(at, &instruction.kind, span, allocated) {
                Ok(Next::Op(op)) => {
                    let is_modelled = match op {
                        Op::Read(..) | Op::Failed(_) | Op::Dropped => true,
                        Op::Write(..) => self.machine.is_none(),
                        _ => false,
                    };
                    if in_block && !is_modelled {
                        return Err(not_in_blocks(op.kind(), span));
                    }
                    let op = match op {
                        Op::Read(location, strength) if in_block => Op::Block(location, strength),
                        op => op,
                    };
                    break (op, span);
                }
                Ok(Next::Begins(_)) if in_block => {
                    return Err(Unsupported::new("an allocation in an atomic block, in this engine", span));
                }
                Ok(Next::Begins(op)) => {
                    allocated += 1;
                    break (op, span);
                }
                Ok(Next::Allocated) => allocated += 1,
                Ok(Next::Passed) => self.pass(at, &[]),
                Ok(Next::Block(inside)) => {
                    in_block = inside;
                    self.pass(at, &[]);
                }
                Ok(Next::Local) => {
                    if let Some(op) = self.step(at)? {
                        break (op, span);
                    }
                }
                Err(Stop::Failed(fault)) => break (Op::Failed(fault), span),
                Err(Stop::Unsupported(unsupported)) => return Err(unsupported),
                Err(stop) => return Err(Unsupported::new(format!("{stop:?}"), span)),
            }
        };
        Ok(Rc::new(self.poised(at, allocated, in_block, op, span)))
    }

    fn poised(&mut self, at: usize, allocated: u32, in_block: bool, op: Op, span: Option<Span>) -> Poised {
        if !op.is_last() {
            self.forgetting.forget_in_frames(&mut self.memory.threads[at], self.program);
        }
        let history = self.memo.number(self.memory.threads[at].registers.len());
        let compared = std::mem::take(&mut self.compared);
        Poised { thread: self.memory.threads[at].clone(), allocated, in_block, op, span, history, compared }
    }

    /// Takes one instruction that memory models do not speak of; gives how the thread ends, if it does.
    fn step(&mut self, at: usize) -> Result<Option<Op>, Unsupported> {
        self.note_comparison(at);
        let taken = self.interpreter.instruction(&mut self.memory, at, &mut Choices::default(), &mut Nobody);
        match taken {
            Ok(()) => Ok(None),
            Err(Stop::Failed(fault)) => Ok(Some(Op::Failed(fault))),
            Err(Stop::Dropped) => Ok(Some(Op::Dropped)),
            Err(Stop::Limit(reason)) => Ok(Some(Op::Endless(reason))),
            Err(Stop::Unsupported(unsupported)) => Err(unsupported),
            Err(Stop::Waits(_)) => Err(Unsupported::new("this way of waiting, in this engine", None)),
        }
    }

    fn pass(&mut self, at: usize, values: &[(RegisterId, Word)]) {
        self.interpreter.pass(&mut self.memory.threads[at], values);
    }

    pub(super) fn word(&mut self, at: usize, operand: &Operand) -> Word {
        self.interpreter.value_of(&self.memory, at, operand)
    }

    fn place(&mut self, at: usize, address: &Operand, reach: Reach, span: Option<Span>) -> Result<LocationId, Stop> {
        let word = self.word(at, address);
        let location = self.locations.location(&self.memory, word, span)?;
        if let Word::Pointer(address) = word {
            let named = self.locations.name(&self.memory, address.allocation);
            self.interpreter.check_bounds(address, named, reach, span)?;
        }
        Ok(location)
    }

    /// The location that says whether the block that an operand points into is over, and how the block is called; `None` for what
    /// does not end.
    fn life(
        &mut self,
        at: usize,
        address: &Operand,
        span: Option<Span>,
    ) -> Result<Option<(LocationId, Option<Storage>)>, Stop> {
        let word = self.word(at, address);
        self.life_of(word, span)
    }

    fn life_of(&mut self, word: Word, span: Option<Span>) -> Result<Option<(LocationId, Option<Storage>)>, Stop> {
        let Word::Pointer(address) = word else { return Ok(None) };
        if (address.allocation as usize) < self.memory.heap.len() {
            return Ok(None);
        }
        let storage = self.storage(address.allocation);
        let cell = Word::Pointer(Address { allocation: address.allocation, path: WHETHER_FREE });
        self.locations.location(&self.memory, cell, span).map(|location| Some((location, storage)))
    }

    fn storage(&self, allocation: u32) -> Option<Storage> {
        let name = self.locations.name(&self.memory, allocation)?;
        self.interpreter.size_named(name).map(|(_, storage)| storage)
    }

    /// Who has allocated the heap memory that a location is in.
    pub fn heap_block(&self, location: LocationId) -> Option<Made> {
        let (allocation, thread, number) = self.locations.maker(&self.memory, location)?;
        if self.locations.is_life(location) || self.storage(allocation) != Some(Storage::Heap) {
            return None;
        }
        Some(Made { thread, number, allocation })
    }

    /// How a block is called.
    pub fn block_name(&self, allocation: u32) -> &str {
        let name = self.locations.name(&self.memory, allocation);
        name.and_then(|name| self.interpreter.name_of(name)).map_or("a block", |name| name)
    }

    /// The location that says whether a block is free that is freed now; an error if there is nothing to free.
    fn freed(&mut self, word: Word, span: Option<Span>) -> Result<LocationId, Stop> {
        let Word::Pointer(address) = word else { return fault("what is no pointer is freed", span) };
        let is_start = address.path == self.interpreter.words.path(&[]);
        if !is_start || (address.allocation as usize) < self.memory.heap.len() {
            return fault("a pointer is freed that is not the start of an allocated block", span);
        }
        if !matches!(self.storage(address.allocation), Some(Storage::Heap | Storage::Pool)) {
            return fault("a block is freed that was not allocated to be freed", span);
        }
        let cell = Word::Pointer(Address { allocation: address.allocation, path: WHETHER_FREE });
        self.locations.location(&self.memory, cell, span)
    }

    /// A thread that stands before an access finds its block in use or over.
    fn lives(
        &mut self,
        number: ThreadNumber,
        before: &Poised,
        address: &Operand,
        found: Word,
    ) -> Result<Lead, Unsupported> {
        let strength = Strength::of(&Access::plain());
        if found == IN_USE {
            let after = self.after(number, before, &[])?;
            return Ok(Lead::On { after, writes: false, strength });
        }
        self.memory.threads[number.index()] = before.thread.clone();
        let word = self.word(number.index(), address);
        let allocation = if let Word::Pointer(address) = word { address.allocation } else { 0 };
        let named = self.block_name(allocation);
        let message = match self.storage(allocation) {
            _ if found == TO_COME => Extent::before(named),
            Some(storage) if storage.is_left() => Extent::left(named),
            _ => Extent::ended(named),
        };
        Ok(Lead::On { after: failed(before, message), writes: false, strength })
    }

    /// What an instruction is to a memory model.
    fn op(&mut self, at: usize, kind: &InstructionKind, span: Option<Span>, allocated: u32) -> Result<Next, Stop> {
        use InstructionKind::*;
        let op = match kind {
            Load { address, access, .. } => {
                Op::Read(self.place(at, address, Reach::read(access), span)?, self.strength(access))
            }
            Store { address, value, access } => {
                let location = self.place(at, address, Reach::write(access), span)?;
                Op::Write(location, self.word(at, value), self.strength(access))
            }
            ReadModifyWrite { address, update, access, .. } => {
                let strength = self.strength_of_update(access);
                let failure = match update {
                    Update::CompareExchange { failure, .. } => self.strength_of_update(failure),
                    _ => strength,
                };
                Op::Update(self.place(at, address, Reach::write(access), span)?, strength, failure)
            }
            Fence { access } => {
                let Some(strength) = self.strength_of_fence(access) else { return Ok(Next::Passed) };
                Op::Fence(strength)
            }
            Allocate { target, default, name, extent, reuse } => {
                let name = self.interpreter.number_of_name(&self.memory, at, name, extent.as_ref());
                let default = self.interpreter.words.word(default);
                let thread = ThreadNumber(at as u16);
                let may_end = *reuse && self.has_lives;
                let life = if may_end { TO_COME } else { IN_USE };
                let pointer = self.locations.allocate(&self.memory, (thread, allocated), name, default, life);
                let elsewhere = &mut self.interpreter.elsewhere;
                elsewhere.extend(self.locations.names_from(elsewhere.len()));
                if may_end {
                    let acquire = Strength::of(&Access::ordered(Order::Acquire));
                    let Some((location, _)) = self.life_of(pointer, span)? else { return Ok(Next::Passed) };
                    return Ok(Next::Begins(Op::Write(location, IN_USE, acquire)));
                }
                self.pass(at, &[(*target, pointer)]);
                return Ok(Next::Allocated);
            }
            Spawn { target, function, arguments } => {
                let arguments = arguments.iter().map(|argument| self.word(at, argument)).collect();
                Op::Spawn(*function, arguments, *target)
            }
            Join { thread } => match self.word(at, thread).as_int().and_then(|int| u16::try_from(int.signed()).ok()) {
                Some(other) => Op::Join(ThreadNumber(other)),
                None => return fault("what names no thread is joined or unparked", span),
            },
            Choose { target, low, high, width } => {
                let ways = (*high as i128 - *low as i128 + 1) as u64;
                Op::Choose(*target, *low, ways, *width)
            }
            AtomicBegin => return Ok(Next::Block(true)),
            AtomicEnd => return Ok(Next::Block(false)),
            Assign { .. } | Call { .. } | CallVirtual { .. } | Assert { .. } | Assume { .. } | Identify { .. } => {
                return Ok(Next::Local);
            }
            Free { address } => {
                let word = self.word(at, address);
                let release = Strength::of(&Access::ordered(Order::Release));
                let relaxed = Strength::of(&Access::ordered(Order::Relaxed));
                Op::Update(self.freed(word, span)?, release, relaxed)
            }
            End { address } => match self.life(at, address, span)? {
                Some((location, _)) => Op::Write(location, OVER, Strength::of(&Access::ordered(Order::Relaxed))),
                None => return Ok(Next::Passed),
            },
            Live { address } => match self.life(at, address, span)? {
                // A plain read: where races are errors, it must come before the end and after the beginning of the block.
                Some((location, _)) => Op::Read(location, Strength::of(&Access::plain())),
                None => return Ok(Next::Passed),
            },
            Freeze { .. } => return unsupported("a final field", span),
            Lock { .. } | Unlock { .. } | Wait { .. } | Notify { .. } => return unsupported("a monitor", span),
            Park | Unpark { .. } => return unsupported("a permit", span),
            Observe { .. } => return unsupported("what a test shows", span),
            Await { .. } => return unsupported("waiting for what was not read before", span),
        };
        Ok(Next::Op(op))
    }

    /// The thread after an event that reads nothing and gives these registers their values.
    pub fn after(
        &mut self,
        number: ThreadNumber,
        before: &Poised,
        values: &[(RegisterId, Word)],
    ) -> Result<Rc<Poised>, Unsupported> {
        let mut thread = before.thread.clone();
        self.interpreter.pass(&mut thread, values);
        self.advance(number, thread, before.allocated, before.in_block)
    }

    /// The thread after its next event, which reads nothing and gives no register a value.
    pub fn next(&mut self, number: ThreadNumber, before: &Poised) -> Result<Rc<Poised>, Unsupported> {
        if let Some(next) = self.memo.next(before.history) {
            return Ok(next);
        }
        let values = match (self.instruction(before), &before.op) {
            (Some(InstructionKind::Allocate { target, .. }), Op::Write(location, ..)) => {
                vec![(*target, self.locations.start(*location))]
            }
            _ => Vec::new(),
        };
        let next = self.after(number, before, &values)?;
        self.memo.set_next(before.history, &next);
        Ok(next)
    }

    /// The thread that the next event of a thread starts, and that thread after the start.
    pub fn spawn(
        &mut self,
        number: ThreadNumber,
        before: &Poised,
        started: ThreadNumber,
    ) -> Result<(Rc<Poised>, Rc<Poised>), Unsupported> {
        if let (Some(new), Some(next)) = (self.memo.started(before.history), self.memo.next(before.history)) {
            return Ok((new, next));
        }
        let Op::Spawn(function, arguments, target) = &before.op else {
            return Err(Unsupported::new("a start of a thread that is none", before.span));
        };
        let new = self.started(started, *function, arguments)?;
        let handle = Word::int(i64::from(started.0), 64);
        let next = self.after(number, before, &[(*target, handle)])?;
        self.memo.set_started(before.history, &new);
        self.memo.set_next(before.history, &next);
        Ok((new, next))
    }

    /// What follows if the read that a thread stands before finds this value.
    pub fn finds(
        &mut self,
        number: ThreadNumber,
        before: &Poised,
        value: Word,
        spurious: bool,
    ) -> Result<Lead, Unsupported> {
        self.compared.clear();
        match &before.op {
            Op::Read(_, strength) => {
                let strength = *strength;
                let target = match self.instruction(before) {
                    Some(InstructionKind::Load { target, .. }) => *target,
                    Some(InstructionKind::Live { address }) => return self.lives(number, before, address, value),
                    _ => return Err(Unsupported::new("a load that is none", before.span)),
                };
                let after = self.after(number, before, &[(target, value)])?;
                Ok(Lead::On { after, writes: false, strength })
            }
            Op::Update(..) => self.updates(number, before, value, spurious),
            Op::Block(..) => self.runs_block(number, before, value),
            _ => Err(Unsupported::new("a read that is none", before.span)),
        }
    }

    /// Whether a weak compare-exchange that finds this value may fail although it could succeed.
    pub fn may_fail(&mut self, number: ThreadNumber, before: &Poised, value: Word) -> bool {
        let Some(InstructionKind::ReadModifyWrite { update, .. }) = self.instruction(before) else { return false };
        let Update::CompareExchange { weak: true, .. } = update else { return false };
        self.memory.threads[number.index()] = before.thread.clone();
        let updated = self.interpreter.update(&self.memory, number.index(), update, value, before.span);
        updated.is_ok_and(|updated| updated.equal)
    }

    /// Whether a thread stands before the question whether a block is alive.
    pub fn asks_whether_alive(&self, poised: &Poised) -> bool {
        matches!(poised.op, Op::Read(..)) && matches!(self.instruction(poised), Some(InstructionKind::Live { .. }))
    }

    fn instruction(&self, poised: &Poised) -> Option<&'a InstructionKind> {
        self.interpreter.next_instruction(&poised.thread).map(|instruction| &instruction.kind)
    }

    fn updates(
        &mut self,
        number: ThreadNumber,
        before: &Poised,
        value: Word,
        spurious: bool,
    ) -> Result<Lead, Unsupported> {
        let Op::Update(location, strength, failure) = before.op else {
            return Err(Unsupported::new("an update that is none", before.span));
        };
        if let Some(InstructionKind::Free { .. }) = self.instruction(before) {
            if value != IN_USE {
                let block = self.locations.maker(&self.memory, location).map(|(allocation, ..)| allocation);
                let name = block.map_or("a block", |block| self.block_name(block));
                let what = match value == OVER {
                    true => Extent::freed_twice(name),
                    false => "memory is freed that nothing orders after its allocation".into(),
                };
                return Ok(Lead::On { after: failed(before, what), writes: false, strength: failure });
            }
            let after = self.after(number, before, &[])?;
            return Ok(Lead::On { after: rest(before, location, OVER, strength, after), writes: true, strength });
        }
        let Some(InstructionKind::ReadModifyWrite { target, update, .. }) = self.instruction(before) else {
            return Err(Unsupported::new("an update that is none", before.span));
        };
        self.memory.threads[number.index()] = before.thread.clone();
        if let Update::CompareExchange { expected, .. } = update {
            let expected = self.word(number.index(), expected);
            self.note_compared(value, expected);
        }
        let updated = match self.interpreter.update(&self.memory, number.index(), update, value, before.span) {
            Ok(updated) => updated,
            Err(Stop::Failed(fault)) => {
                let after = Rc::new(Poised {
                    thread: before.thread.clone(),
                    allocated: before.allocated,
                    in_block: false,
                    op: Op::Failed(fault),
                    span: before.span,
                    history: None,
                    compared: Vec::new(),
                });
                return Ok(Lead::On { after, writes: false, strength });
            }
            Err(stop) => return Err(Unsupported::new(format!("{stop:?}"), before.span)),
        };
        let written = updated.written.filter(|_| !spurious);
        let mut values = vec![(*target, value)];
        let mut read = strength;
        if let Update::CompareExchange { success, .. } = update {
            values.push((*success, Word::int(i64::from(written.is_some()), 32)));
            if written.is_none() {
                read = failure;
            }
        }
        let after = self.after(number, before, &values)?;
        Ok(match written {
            Some(written) => {
                Lead::On { after: rest(before, location, written, strength, after), writes: true, strength }
            }
            None => Lead::On { after, writes: false, strength: read },
        })
    }

    /// Runs an atomic block whose load finds a value: it may store to the same location, load it again, and wait.
    fn runs_block(&mut self, number: ThreadNumber, before: &Poised, value: Word) -> Result<Lead, Unsupported> {
        let Op::Block(location, strength) = before.op else {
            return Err(Unsupported::new("an atomic block that is none", before.span));
        };
        let at = number.index();
        self.memory.threads[at] = before.thread.clone();
        let mut written: Option<(Word, Strength)> = None;
        let mut loads = 0;
        let mut left = self.stretch;
        let end = loop {
            left = left.saturating_sub(1);
            let thread = &self.memory.threads[at];
            let next = self.interpreter.next_instruction(thread);
            let (kind, span) = match next {
                Some(instruction) if left > 0 => (&instruction.kind, instruction.span),
                _ if left == 0 || thread.frames.is_empty() => break Some(Op::Endless("an atomic block".into())),
                _ => match self.step(at)? {
                    Some(op) => break Some(op),
                    None => continue,
                },
            };
            match kind {
                InstructionKind::AtomicEnd => {
                    self.pass(at, &[]);
                    break None;
                }
                InstructionKind::Load { target, address, .. } => {
                    self.same(at, address, location, span)?;
                    loads += 1;
                    let found = written.map_or(value, |(word, _)| word);
                    self.pass(at, &[(*target, found)]);
                }
                InstructionKind::Store { address, value, access } => {
                    self.same(at, address, location, span)?;
                    if written.is_some() {
                        return Err(Unsupported::new("an atomic block with several stores, in this engine", span));
                    }
                    let first = self.interpreter.next_instruction(&before.thread).map(|first| &first.kind);
                    let key = first.map_or(0, |first| std::ptr::from_ref(first).addr());
                    let known = self.stores_of_blocks.entry(key).or_insert_with(|| access.clone());
                    if self.by_model && known != access {
                        return Err(Unsupported::new("an atomic block with different stores, in this engine", span));
                    }
                    written = Some((self.word(at, value), self.strength(access)));
                    self.pass(at, &[]);
                }
                InstructionKind::Await { condition } => match self.word(at, condition).truth() {
                    Some(true) => self.pass(at, &[]),
                    Some(false) => return Ok(Lead::Waits),
                    None => {
                        let message = "a thread waits on an undefined condition".to_string();
                        break Some(Op::Failed(Fault { assertion: None, message, span }));
                    }
                },
                InstructionKind::Fence { access } => {
                    let strength = Strength::of(access);
                    if strength.acquires || strength.releases || self.machine.is_some() || self.by_model {
                        return Err(Unsupported::new("a fence in an atomic block, in this engine", span));
                    }
                    self.pass(at, &[]);
                }
                InstructionKind::Assign { .. }
                | InstructionKind::Identify { .. }
                | InstructionKind::Assert { .. }
                | InstructionKind::Assume { .. } => {
                    if let Some(op) = self.step(at)? {
                        break Some(op);
                    }
                }
                InstructionKind::Choose { .. } => return Err(not_in_blocks(CHOICE, span)),
                InstructionKind::ReadModifyWrite { .. } => return Err(not_in_blocks(UPDATE, span)),
                _ => return Err(not_in_blocks("this", span)),
            }
        };
        if self.by_model && loads > 1 {
            let what = "an atomic block of several loads, in execution graphs of a model that is given";
            return Err(Unsupported::new(what, before.span));
        }
        if self.machine.is_some() && loads > 1 && written.is_none() {
            let what = "an atomic block of several loads, in execution graphs on a machine";
            return Err(Unsupported::new(what, before.span));
        }
        let after = match end {
            Some(op) => Rc::new(self.poised(at, before.allocated, true, op, before.span)),
            None => {
                let thread = self.memory.threads[at].clone();
                self.advance(number, thread, before.allocated, false)?
            }
        };
        Ok(match written {
            Some((word, store)) => {
                Lead::On { after: rest(before, location, word, store, after), writes: true, strength }
            }
            None => Lead::On { after, writes: false, strength },
        })
    }

    /// Refuses an atomic block that accesses another location than its first.
    fn same(
        &mut self,
        at: usize,
        address: &Operand,
        location: LocationId,
        span: Option<Span>,
    ) -> Result<(), Unsupported> {
        match self.place(at, address, Reach { bytes: 0, writes: false }, span) {
            Ok(other) if other == location => Ok(()),
            _ => Err(Unsupported::new("an atomic step of several cells, in this engine", span)),
        }
    }
}

/// By block: whether a thread may come back to it without an event that others notice.
fn in_quiet_loops(function: &Function, is_quiet: fn(&InstructionKind) -> bool) -> Vec<bool> {
    let is_quiet = |block: &Block| block.instructions.iter().all(|instruction| is_quiet(&instruction.kind));
    let quiet: Vec<bool> = function.blocks.iter().map(is_quiet).collect();
    let successors =
        |block: usize| function.blocks[block].terminator.successors().into_iter().map(|next| next.0 as usize);
    let comes_back = |start: usize| {
        let mut seen = vec![false; quiet.len()];
        let mut open: Vec<usize> = if quiet[start] { vec![start] } else { Vec::new() };
        while let Some(block) = open.pop() {
            for next in successors(block).filter(|next| quiet[*next]) {
                if !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        seen[start]
    };
    (0..quiet.len()).map(comes_back).collect()
}

/// Whether an iteration with this instruction may be without effect; a read-modify-write may write what it found.
fn is_quiet(kind: &InstructionKind) -> bool {
    use InstructionKind::*;
    !matches!(
        kind,
        Store { .. } | Spawn { .. } | Join { .. } | Choose { .. } | Allocate { .. } | Free { .. } | End { .. }
    )
}

/// The same, where a plain store may be to memory that nobody else sees.
fn is_quiet_or_stores(kind: &InstructionKind) -> bool {
    matches!(kind, InstructionKind::Store { access, .. } if access.order == Order::Plain) || is_quiet(kind)
}

/// A thread that ends with an error where it stands.
fn failed(before: &Poised, message: String) -> Rc<Poised> {
    let fault = Fault { assertion: None, message, span: before.span };
    Rc::new(Poised {
        thread: before.thread.clone(),
        allocated: before.allocated,
        in_block: false,
        op: Op::Failed(fault),
        span: before.span,
        history: None,
        compared: Vec::new(),
    })
}

/// A thread before the write of a read-modify-write.
fn rest(before: &Poised, location: LocationId, word: Word, strength: Strength, after: Rc<Poised>) -> Rc<Poised> {
    Rc::new(Poised {
        thread: before.thread.clone(),
        allocated: before.allocated,
        in_block: false,
        op: Op::Rest(location, word, strength, after),
        span: before.span,
        history: None,
        compared: Vec::new(),
    })
}

/// What an instruction is.
enum Next {
    /// Something that a memory model speaks of.
    Op(Op),
    /// A block was allocated.
    Allocated,
    /// A block is allocated that may be freed: others notice when its life begins.
    Begins(Op),
    /// Nothing.
    Passed,
    /// The begin or end of an atomic block.
    Block(bool),
    /// Something that only the thread itself notices.
    Local,
}

fn not_in_blocks(what: &str, span: Option<Span>) -> Unsupported {
    Unsupported::new(format!("{what} in an atomic block, in this engine"), span)
}

fn unsupported<T>(what: &str, span: Option<Span>) -> Result<T, Stop> {
    Err(Stop::Unsupported(Unsupported::new(format!("{what}, under this model in the engine mcr"), span)))
}
