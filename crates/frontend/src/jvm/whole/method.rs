//! One method: the operand stack is interpreted away, exceptions become jumps and results.
//!
//! An entry of the operand stack is an operand: a constant, a temporary, or the register of a local variable. Where a
//! bytecode block begins with values on the stack, each path to it copies them to the registers of their depths. A slot of
//! local variables has one register.

use cafebabe::attributes::ExceptionTableEntry;
use cafebabe::bytecode::Opcode;
use program::{
    Access, AssertSort, BlockId, Diagnostic, Function, InstructionKind, Operand, Operator, RegisterId, Terminator,
    Unsupported, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::jvm::blocks::{Blocks, falls_through};
use crate::jvm::class::{Body, Kind};
use crate::jvm::code::Code;
use crate::jvm::places::MethodId;
use crate::jvm::refusals;

use super::functions::Question;
use super::terms::{Site, zero};
use super::world::World;

/// A result, or why there is none.
pub type Result<T> = std::result::Result<T, Diagnostic>;

/// A value on the operand stack.
#[derive(Clone, Debug)]
pub struct Entry {
    pub operand: Operand,
    pub kind: Kind,
    /// Whether it is known not to be null.
    pub is_object: bool,
}

impl Entry {
    pub fn new(operand: Operand, kind: Kind) -> Entry {
        Entry { operand, kind, is_object: false }
    }

    pub fn constant(value: Value, kind: Kind) -> Entry {
        let is_object = matches!(value, Value::Pointer(_));
        Entry { operand: Operand::Constant(value), kind, is_object }
    }

    /// A reference that is not null.
    pub fn object(operand: Operand) -> Entry {
        Entry { operand, kind: Kind::Reference, is_object: true }
    }
}

/// A method while it is lowered.
pub struct Lowering<'w, 'a> {
    pub world: &'w mut World<'a>,
    pub code: Code,
    pub id: MethodId,
    pub opcodes: &'a [(usize, Opcode<'a>)],
    handlers: &'a [ExceptionTableEntry<'a>],
    /// Its basic blocks; none for a native method.
    blocks: Option<Blocks>,
    locals: Vec<RegisterId>,
    pub stack: Vec<Entry>,
    /// Written block and kinds of the stack at the start of each bytecode block that is arrived at.
    starts: FxHashMap<usize, (BlockId, Vec<Kind>)>,
    /// Bytecode blocks that are arrived at and not lowered.
    open: Vec<usize>,
    /// The registers of stack depths.
    depths: Vec<RegisterId>,
    /// Holds the exception on the way to its handler.
    thrown: Option<RegisterId>,
    /// Where exceptions go that the handlers of these numbers may catch, and which of these blocks are not written.
    catches: FxHashMap<Vec<usize>, BlockId>,
    open_catches: Vec<Vec<usize>>,
    /// Blocks that throw an exception, by its maker, the handlers and the line.
    throwers: FxHashMap<(&'static str, Vec<usize>, u32), BlockId>,
    /// Registers that are known not to hold null, since the start of the block.
    pub(super) objects: FxHashSet<RegisterId>,
    /// What is held while the method runs.
    monitor: Option<Operand>,
    /// The current thread, if the program wants to know it.
    pub current: Option<Operand>,
    /// What it gives besides the exception.
    result: Option<Kind>,
    /// The cells of the final fields that a constructor sets; they are frozen when it ends.
    frozen: Vec<i64>,
    /// The class whose initialiser it is.
    pub initializes: Option<usize>,
    /// Blocks that throw the error of an assertion, with its text.
    failures: FxHashMap<usize, String>,
    /// Of the block that is lowered: what the assertion says whose error it throws at its end.
    failing: Option<String>,
    /// Whether slot 0 always holds the receiver.
    has_receiver: bool,
    /// Offset of the instruction that is lowered.
    offset: usize,
    /// What is not modelled and was replaced by placeholders.
    refused: Vec<Diagnostic>,
    pub site: Site,
}

/// The function of a method that has code.
pub fn lower(world: &mut World, id: MethodId) -> Result<Function> {
    let mut lowering = Lowering::new(world, id)?;
    let done = lowering.body();
    let mut refused = std::mem::take(&mut lowering.refused).into_iter().chain(done.err());
    match refused.next() {
        None => lowering.finish(),
        Some(first) => {
            lowering.world.refused.extend(refused);
            Err(first)
        }
    }
}

/// The function of a native method that virtual calls may reach.
pub fn lower_native(world: &mut World, id: MethodId) -> Result<Function> {
    let mut lowering = Lowering::new(world, id)?;
    let arguments = lowering.stack.clone();
    lowering.stack.clear();
    if !lowering.native(id, arguments)? {
        let what = format!("the native method `{}`", lowering.world.method_name(id));
        return Err(lowering.refuse(what));
    }
    let result = lowering.stack.pop();
    lowering.leave(result.map(|entry| entry.operand), zero());
    lowering.finish()
}

impl<'w, 'a> Lowering<'w, 'a> {
    /// The frame of a method with its arguments in registers. For a native method they are on the stack.
    fn new(world: &'w mut World<'a>, id: MethodId) -> Result<Lowering<'w, 'a>> {
        let method = world.method(id);
        let line = method.body.as_ref().map_or(0, |body| body.line(0));
        let site = Site { method: id, line, span: world.places.statement(id, line) };
        let mut kinds = method.parameters.clone();
        if !method.is_static {
            kinds.insert(0, Kind::Reference);
        }
        let is_static = method.is_static;
        let (opcodes, handlers, slots) =
            method.body.as_ref().map_or((&[][..], &[][..], 0), |body| (body.opcodes, body.handlers, body.locals));
        let names: Vec<String> =
            (0..slots.max(kinds.len())).map(|slot| slot_name(method.body.as_ref(), slot)).collect();
        let blocks = method.body.as_ref().and_then(Blocks::with_handlers);
        if blocks.is_none() && !opcodes.is_empty() {
            return Err(malformed(world, site, "a jump leads nowhere"));
        }
        let needed: usize = kinds.iter().map(|kind| kind.slots()).sum();
        if !opcodes.is_empty() && needed > slots {
            return Err(malformed(world, site, "an argument has no local variable"));
        }
        let mut code = Code::new(world.method_name(id), Some(site.span));
        let mut locals = Vec::new();
        let mut stack = Vec::new();
        for (number, kind) in kinds.iter().enumerate() {
            let register = code.parameter(&names[if opcodes.is_empty() { number } else { locals.len() }]);
            let is_object = number == 0 && !is_static;
            stack.push(Entry { operand: Operand::Register(register), kind: *kind, is_object });
            locals.push(register);
            if kind.slots() == 2 {
                locals.push(register);
            }
        }
        while locals.len() < slots {
            locals.push(code.register(&names[locals.len()]));
        }
        let assigns_receiver = opcodes.iter().any(|(_, opcode)| matches!(opcode, Opcode::Astore(0)));
        if !opcodes.is_empty() {
            stack.clear();
        }
        let method = world.method(id);
        let set = world.classes[id.0].final_fields_set(method);
        let frozen = set.into_iter().map(|field| world.cell((id.0, field))).collect();
        let initializes = (method.name == "<clinit>").then_some(id.0);
        let result = method.result;
        let bare = Lowering::bare(world, code, site, result);
        let has_receiver = !is_static && !assigns_receiver;
        Ok(Lowering { opcodes, handlers, blocks, locals, stack, frozen, initializes, has_receiver, ..bare })
    }

    /// A function without bytecode, which messages place at a site. The parameters are there but for the current thread.
    pub fn bare(world: &'w mut World<'a>, mut code: Code, site: Site, result: Option<Kind>) -> Lowering<'w, 'a> {
        let current = world.facts.current.then(|| Operand::Register(code.parameter("thread")));
        Lowering {
            world,
            code,
            id: site.method,
            opcodes: &[],
            handlers: &[],
            blocks: None,
            locals: Vec::new(),
            stack: Vec::new(),
            starts: FxHashMap::default(),
            open: Vec::new(),
            depths: Vec::new(),
            thrown: None,
            catches: FxHashMap::default(),
            open_catches: Vec::new(),
            throwers: FxHashMap::default(),
            objects: FxHashSet::default(),
            monitor: None,
            current,
            result,
            frozen: Vec::new(),
            initializes: None,
            failures: FxHashMap::default(),
            failing: None,
            has_receiver: false,
            offset: 0,
            refused: Vec::new(),
            site,
        }
    }

    /// The function, once its code is written.
    pub fn finish(mut self) -> Result<Function> {
        while let Some(handlers) = self.open_catches.pop() {
            self.catch(&handlers)?;
        }
        let results = 1 + usize::from(self.result.is_some());
        Ok(self.code.finish_with(results))
    }

    /// Lowers the code of the method.
    fn body(&mut self) -> Result<()> {
        self.enter();
        let first = self.arrive(0)?;
        self.code.end(Terminator::Jump(first));
        loop {
            if let Some(block) = self.open.pop() {
                self.block(block)?;
            } else if let Some(handlers) = self.open_catches.pop() {
                self.catch(&handlers)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Notes that an instruction is refused and goes on behind it, if that can be done, with a placeholder for its result.
    fn go_on_behind(&mut self, at: usize, message: Diagnostic) -> Result<()> {
        let effect = refusals::effect(&self.opcodes[at].1).filter(|_| refusals::is_refusal(&message));
        let Some((taken, left)) = effect.filter(|_| self.refused.len() < refusals::MOST) else { return Err(message) };
        let Some(rest) = self.stack.len().checked_sub(taken.len()) else { return Err(message) };
        self.stack.truncate(rest);
        // The result could be anything, also an object.
        self.stack.extend(left.map(|kind| Entry::new(Operand::Register(self.code.temporary()), kind)));
        self.refused.push(message);
        Ok(())
    }

    /// Ends the block: an execution that gets here is refused.
    fn end_refused(&mut self, message: &Diagnostic) {
        let what = message.message.trim_end_matches(" is not supported").to_string();
        self.emit(InstructionKind::claim(AssertSort::Unsupported, zero(), what));
        let results = self.result.map(|kind| Operand::Constant(Value::int(0, kind.width())));
        self.code.end(Terminator::Return(results.into_iter().chain([zero()]).collect()));
    }

    /// What happens before the first instruction.
    fn enter(&mut self) {
        let method = self.world.method(self.id);
        let (is_synchronized, is_static) = (method.is_synchronized, method.is_static);
        if is_synchronized {
            let class = self.world.classes[self.id.0].name;
            let monitor = if is_static {
                Operand::Constant(self.world.memory.class_object(class))
            } else {
                // The slot may be assigned later.
                let monitor = self.code.register("monitor");
                self.code.copy(monitor, Operand::Register(self.locals[0]), self.site.span);
                Operand::Register(monitor)
            };
            self.monitor(monitor.clone(), true);
            self.monitor = Some(monitor);
        }
        self.failures = super::assertion::failures(self.world, self.id);
    }

    /// An assertion fails where its error is thrown, with the text that was made for it.
    pub(super) fn fail_assertion(&mut self, error: &Operand) {
        let Some(message) = self.failing.take() else { return };
        let field = self.world.find_field("java/lang/Throwable", "message", false);
        let text = field.map(|field| self.field_address(error.clone(), field));
        let message = message.into();
        self.emit(InstructionKind::Assert { condition: zero(), message, sort: AssertSort::Assertion, text });
    }

    fn block(&mut self, block: usize) -> Result<()> {
        let Some((written, kinds)) = self.starts.get(&block).cloned() else { return Ok(()) };
        self.code.write_in(written);
        self.objects.clear();
        self.stack =
            kinds.iter().zip(&self.depths).map(|(&kind, &at)| Entry::new(Operand::Register(at), kind)).collect();
        let Some(&(start, end)) = self.blocks.as_ref().and_then(|blocks| blocks.ranges.get(block)) else {
            return Ok(());
        };
        self.failing = self.failures.get(&block).cloned();
        if !matches!(self.opcodes[end - 1].1, Opcode::Athrow)
            && let Some(text) = self.failing.take()
        {
            self.go_to(start);
            self.emit(InstructionKind::assertion(zero(), text));
        }
        for at in start..end {
            self.go_to(at);
            let before = self.stack.clone();
            match self.opcode(at) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(message) if self.world.has_jdk && self.id.0 >= self.world.own => {
                    self.end_refused(&message);
                    return Ok(());
                }
                Err(message) => {
                    self.stack = before;
                    self.go_on_behind(at, message)?;
                }
            }
        }
        if end >= self.opcodes.len() || !falls_through(&self.opcodes[end - 1].1) {
            return Err(self.malformed("control runs off the end"));
        }
        self.flow_to(self.opcodes[end].0)
    }

    fn line(&self, offset: usize) -> u32 {
        self.world.method(self.id).body.as_ref().map_or(0, |body| body.line(offset))
    }

    fn go_to(&mut self, at: usize) {
        self.offset = self.opcodes[at].0;
        let line = self.line(self.offset);
        if line != self.site.line {
            self.site = Site { line, span: self.world.places.statement(self.id, line), ..self.site };
        }
    }

    /// Ends the current block with a jump to the bytecode at an offset.
    pub fn flow_to(&mut self, offset: usize) -> Result<()> {
        let written = self.arrive_at(offset)?;
        self.code.end(Terminator::Jump(written));
        Ok(())
    }

    /// The written block of the bytecode at an offset, to which control flows from here.
    pub fn arrive_at(&mut self, offset: usize) -> Result<BlockId> {
        match self.blocks.as_ref().and_then(|blocks| blocks.at(offset)) {
            Some(block) => self.arrive(block),
            None => Err(self.malformed("a jump leads nowhere")),
        }
    }

    fn arrive(&mut self, block: usize) -> Result<BlockId> {
        self.spill_stack();
        let kinds: Vec<Kind> = self.stack.iter().map(|entry| entry.kind).collect();
        if let Some((written, known)) = self.starts.get(&block) {
            let written = *written;
            return if *known == kinds { Ok(written) } else { Err(self.malformed("paths meet with different stacks")) };
        }
        let start = self.blocks.as_ref().map_or(0, |blocks| blocks.ranges[block].0);
        let line = self.line(self.opcodes[start].0);
        let span = Some(self.world.places.statement(self.id, line));
        let written = self.code.block(span);
        self.starts.insert(block, (written, kinds));
        self.open.push(block);
        Ok(written)
    }

    /// Puts what is on the stack in the registers of its depths.
    fn spill_stack(&mut self) {
        while self.depths.len() < self.stack.len() {
            let register = self.code.register(&format!("stack{}", self.depths.len()));
            self.depths.push(register);
        }
        let span = self.site.span;
        // What is in the register of another depth would be lost when that one is assigned.
        for depth in 0..self.stack.len() {
            if let Operand::Register(register) = self.stack[depth].operand
                && register != self.depths[depth]
                && self.depths.contains(&register)
            {
                let saved = self.code.temporary();
                self.code.copy(saved, Operand::Register(register), span);
                self.stack[depth].operand = Operand::Register(saved);
            }
        }
        for depth in 0..self.stack.len() {
            let home = self.depths[depth];
            if self.stack[depth].operand != Operand::Register(home) {
                self.code.copy(home, self.stack[depth].operand.clone(), span);
                self.stack[depth].operand = Operand::Register(home);
            }
        }
    }

    pub fn push_local(&mut self, slot: u16, kind: Kind) -> Result<()> {
        let Some(&register) = self.locals.get(usize::from(slot)) else {
            return Err(self.malformed("a local variable is missing"));
        };
        let is_object = (slot == 0 && self.has_receiver) || self.objects.contains(&register);
        self.stack.push(Entry { operand: Operand::Register(register), kind, is_object });
        Ok(())
    }

    pub fn pop_local(&mut self, slot: u16, kind: Kind) -> Result<()> {
        let Some(&register) = self.locals.get(usize::from(slot)) else {
            return Err(self.malformed("a local variable is missing"));
        };
        let entry = self.pop_kind(kind)?;
        self.assign_local(register, entry.operand);
        if entry.is_object {
            self.objects.insert(register);
        }
        Ok(())
    }

    /// Assigns a variable; what the stack has of its old value is kept.
    pub fn assign_local(&mut self, register: RegisterId, value: Operand) {
        let span = self.site.span;
        let old = Operand::Register(register);
        if self.stack.iter().any(|entry| entry.operand == old) {
            let saved = self.code.temporary();
            self.code.copy(saved, old.clone(), span);
            for entry in self.stack.iter_mut().filter(|entry| entry.operand == old) {
                entry.operand = Operand::Register(saved);
            }
            self.code.copy(register, value, span);
        } else if value != old {
            let is_shared = self.stack.iter().any(|entry| entry.operand == value);
            if is_shared || !self.code.retarget(&value, register) {
                self.code.copy(register, value, span);
            }
        }
        self.objects.remove(&register);
    }

    pub fn local(&self, slot: u16) -> Result<RegisterId> {
        self.locals.get(usize::from(slot)).copied().ok_or_else(|| self.malformed("a local variable is missing"))
    }

    pub fn pop(&mut self) -> Result<Entry> {
        match self.stack.pop() {
            Some(entry) => Ok(entry),
            None => Err(self.malformed("the stack is empty")),
        }
    }

    pub fn pop_kind(&mut self, kind: Kind) -> Result<Entry> {
        let entry = self.pop()?;
        if entry.kind == kind { Ok(entry) } else { Err(self.malformed("an operand has a wrong type")) }
    }

    pub fn push(&mut self, operand: Operand, kind: Kind) {
        self.stack.push(Entry::new(operand, kind));
    }

    pub fn emit(&mut self, kind: InstructionKind) {
        self.code.emit(kind, self.site.span);
    }

    pub fn compute(&mut self, operator: Operator, operands: Vec<Operand>) -> Operand {
        self.code.compute(operator, operands, self.site.span)
    }

    pub fn load(&mut self, address: Operand, access: Access) -> Operand {
        let target = self.code.temporary();
        self.emit(InstructionKind::Load { target, address, access });
        Operand::Register(target)
    }

    pub fn store(&mut self, address: Operand, value: Operand, access: Access) {
        self.emit(InstructionKind::Store { address, value, access });
    }

    pub fn branch(&mut self, condition: Operand, then: BlockId, otherwise: BlockId) {
        self.code.branch(condition, then, otherwise, self.site.span);
    }

    /// A new block without a place in the bytecode.
    pub fn fresh(&mut self) -> BlockId {
        self.code.block(Some(self.site.span))
    }

    /// Goes on only if the condition is true, else throws what a method of `palisade.Machine` makes of the arguments.
    pub fn require(&mut self, condition: Operand, maker: &'static str, arguments: Vec<Operand>) -> Result<()> {
        if condition.constant().and_then(Value::truth) == Some(true) {
            return Ok(());
        }
        let fails = self.thrower(maker, arguments)?;
        let next = self.fresh();
        self.branch(condition, next, fails);
        self.code.write_in(next);
        Ok(())
    }

    /// Throws an exception unless the reference is an object.
    pub fn require_object(&mut self, entry: &Entry) -> Result<()> {
        if entry.is_object || matches!(&entry.operand, Operand::Register(at) if self.objects.contains(at)) {
            return Ok(());
        }
        self.require(entry.operand.clone(), "nullPointer", Vec::new())?;
        if let Operand::Register(register) = entry.operand {
            self.objects.insert(register);
        }
        Ok(())
    }

    /// A block that throws. Those without arguments are shared by the instructions of a line.
    fn thrower(&mut self, maker: &'static str, arguments: Vec<Operand>) -> Result<BlockId> {
        let handlers = self.covering();
        let key = (maker, handlers, self.site.line);
        if arguments.is_empty()
            && let Some(&block) = self.throwers.get(&key)
        {
            return Ok(block);
        }
        let here = self.code.current();
        let block = self.fresh();
        self.code.write_in(block);
        let is_shared = arguments.is_empty();
        let exception = self.make_exception(maker, arguments)?;
        self.throw(exception);
        self.code.write_in(here);
        if is_shared {
            self.throwers.insert(key, block);
        }
        Ok(block)
    }

    /// Calls a method of `palisade.Machine` that makes an exception. What the making itself throws is dropped: it throws
    /// nothing.
    pub fn make_exception(&mut self, maker: &str, mut arguments: Vec<Operand>) -> Result<Operand> {
        let Some(class) = self.world.class("palisade/Machine") else {
            return Err(self.malformed("the library has no machine"));
        };
        let method = self.world.classes[class].methods.iter().position(|method| method.name == maker);
        let Some(method) = method else { return Err(self.malformed("the library has no such exception")) };
        let function = self.world.functions.ask(super::functions::Key::Method((class, method)));
        arguments.extend(self.current.clone());
        let (made, thrown) = (self.code.temporary(), self.code.temporary());
        self.emit(InstructionKind::Call { function, arguments, targets: vec![made, thrown] });
        Ok(Operand::Register(made))
    }

    /// Ends the current block by throwing an exception from the current instruction.
    pub fn throw(&mut self, exception: Operand) {
        let name = "thrown";
        let thrown = *self.thrown.get_or_insert_with(|| self.code.register(name));
        self.code.copy(thrown, exception, self.site.span);
        let handlers = self.covering();
        let block = self.catch_block(handlers);
        self.code.end(Terminator::Jump(block));
    }

    /// Goes on if the exception that a call gave is 0, else throws it.
    pub fn rethrow(&mut self, exception: RegisterId) {
        let (raise, next) = (self.fresh(), self.fresh());
        self.branch(Operand::Register(exception), raise, next);
        self.code.write_in(raise);
        self.throw(Operand::Register(exception));
        self.code.write_in(next);
    }

    /// The handlers that cover the current instruction, in their order. Handlers of the same code and class count once.
    fn covering(&self) -> Vec<usize> {
        let covers = |handler: &ExceptionTableEntry| {
            (usize::from(handler.start_pc)..usize::from(handler.end_pc)).contains(&self.offset)
        };
        let same = |a: &ExceptionTableEntry, b: &ExceptionTableEntry| {
            a.handler_pc == b.handler_pc && a.catch_type == b.catch_type
        };
        let first = |number: usize| {
            self.handlers.iter().position(|other| same(other, &self.handlers[number])).unwrap_or(number)
        };
        (0..self.handlers.len()).filter(|&number| covers(&self.handlers[number])).map(first).collect()
    }

    fn catch_block(&mut self, handlers: Vec<usize>) -> BlockId {
        if let Some(&block) = self.catches.get(&handlers) {
            return block;
        }
        let block = self.fresh();
        self.catches.insert(handlers.clone(), block);
        self.open_catches.push(handlers);
        block
    }

    /// Writes the block that finds the handler of an exception, or leaves the method with it.
    fn catch(&mut self, handlers: &[usize]) -> Result<()> {
        let (Some(&block), Some(thrown)) = (self.catches.get(handlers), self.thrown) else { return Ok(()) };
        self.code.write_in(block);
        let line = self.line(0);
        self.site = Site { line, span: self.world.places.statement(self.id, line), ..self.site };
        let exception = Operand::Register(thrown);
        for &number in handlers {
            let handler = &self.handlers[number];
            self.stack = vec![Entry::object(exception.clone())];
            let Some(class) = handler.catch_type.as_deref() else {
                return self.flow_to(handler.handler_pc.into());
            };
            if self.world.class(class).is_none() {
                // No object has a class that is not there.
                continue;
            }
            let catches = self.ask(Question::Instance(class.to_string()), vec![exception.clone()]);
            let (taken, next) = (self.fresh(), self.fresh());
            self.branch(catches, taken, next);
            self.code.write_in(taken);
            self.flow_to(handler.handler_pc.into())?;
            self.code.write_in(next);
        }
        self.leave(None, exception);
        Ok(())
    }

    /// A virtual call that gives one value and throws nothing.
    pub fn ask(&mut self, question: Question, arguments: Vec<Operand>) -> Operand {
        let target = self.code.temporary();
        let call = self.world.functions.virtual_call(question, arguments, vec![target]);
        self.emit(call);
        Operand::Register(target)
    }

    /// Leaves the method with a result or an exception.
    pub fn leave(&mut self, result: Option<Operand>, exception: Operand) {
        for cell in self.frozen.clone() {
            let (object, cell) = (Operand::Register(self.locals[0]), Operand::Constant(Value::int(cell, 32)));
            let address = self.compute(Operator::Offset, vec![object, cell]);
            self.emit(InstructionKind::Freeze { address });
        }
        if let Some(monitor) = self.monitor.clone() {
            self.monitor(monitor, false);
        }
        let absent = self.result.map(|kind| Operand::Constant(Value::int(0, kind.width())));
        let results = result.or(absent).into_iter().chain([exception]).collect();
        self.code.end(Terminator::Return(results));
    }

    /// What is right but not modelled: `what` in a method, on a line.
    pub fn refuse(&self, what: impl std::fmt::Display) -> Diagnostic {
        refuse(self.world, self.site, what)
    }

    /// What no compiler writes.
    pub fn malformed(&self, what: &str) -> Diagnostic {
        malformed(self.world, self.site, what)
    }
}

/// What is right but not modelled.
pub fn refuse(world: &World, site: Site, what: impl std::fmt::Display) -> Diagnostic {
    Unsupported::new(format!("{what} in {}", place(world, site)), Some(site.span)).into()
}

fn malformed(world: &World, site: Site, what: &str) -> Diagnostic {
    Diagnostic::error(format!("the bytecode of {} is malformed: {what}", place(world, site)), site.span)
}

/// `Class.method, line 3`.
fn place(world: &World, site: Site) -> String {
    let name = world.method_name(site.method);
    if site.line == 0 { name } else { format!("{name}, line {}", site.line) }
}

/// The name of the only variable of a slot, else its number.
fn slot_name(body: Option<&Body>, slot: usize) -> String {
    let names = body.map(|body| body.names(slot)).unwrap_or_default();
    match names[..] {
        [name] => name.to_string(),
        _ => format!("local{slot}"),
    }
}
