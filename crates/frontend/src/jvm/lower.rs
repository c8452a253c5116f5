//! Bytecode to code: the operand stack is interpreted away, methods are put in place of their calls.
//!
//! An entry of the operand stack is an operand: a constant, a temporary, or the register of a local variable. Where several
//! paths meet with values on the stack, each path copies them to the registers of their depth. A local variable has one
//! register; a parameter that is never assigned has none and stands for its argument.

use std::collections::HashMap;

use cafebabe::bytecode::Opcode;
use program::{
    BlockId, Diagnostic, Function, InstructionKind, Operand, Operator, RegisterId, Span, Unsupported, Value,
};

use super::blocks::Blocks;
use super::class::{Body, Kind};
use super::code::Code;
use super::handlers;
use super::places::MethodId;
use super::refusals;
use super::webs::{Web, Webs};
use super::world::{Shape, World};

/// A result, or why there is none.
pub type Result<T> = std::result::Result<T, Diagnostic>;

/// Methods that call each other deeper than this are refused.
const DEPTH: usize = 64;
/// How deep a method is put in place within itself.
const RECURSION: usize = 6;
/// Code that grows to more bytecode instructions than this when methods are put in place of their calls is refused.
const INSTRUCTIONS: usize = 20_000;

/// What runs a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A thread.
    Thread,
    /// A class initialiser, which is run before the program begins.
    Initializer,
    /// `main`, whose first part is run before the program begins and which may start threads.
    Main,
}

/// A value on the operand stack or in a local variable.
#[derive(Clone, Debug)]
pub struct Entry {
    pub operand: Operand,
    pub kind: Kind,
    /// What is known of the object, if it is a reference.
    pub shape: Option<Shape>,
}

impl Entry {
    /// An `int`.
    pub fn int(operand: Operand) -> Entry {
        Entry { operand, kind: Kind::Int, shape: None }
    }

    /// A constant of a kind.
    pub fn constant(value: Value, kind: Kind) -> Entry {
        Entry { operand: Operand::Constant(value), kind, shape: None }
    }
}

/// The function of a method with all that it calls in place. The receiver and the arguments are its parameters; `shapes` is
/// what is known of each of them.
pub fn lower(world: &mut World, id: MethodId, role: Role, shapes: Vec<Option<Shape>>) -> Result<Function> {
    let method = world.method(id);
    let mut kinds = method.parameters.clone();
    if !method.is_static {
        kinds.insert(0, Kind::Reference);
    }
    let names: Vec<String> = parameter_names(method.body.as_ref(), &kinds);
    let line = method.body.as_ref().map_or(0, |body| body.line(0));
    let span = world.places.statement(id, line);
    let mut code = Code::new(world.method_name(id), Some(span));
    let parameter = |((kind, name), shape): ((&Kind, &String), Option<Shape>)| {
        let operand = Operand::Register(code.parameter(name));
        Entry { operand, kind: *kind, shape }
    };
    let shapes = shapes.into_iter().chain(std::iter::repeat(None));
    let arguments: Vec<Entry> = kinds.iter().zip(&names).zip(shapes).map(parameter).collect();
    let (calls, refused, held) = (Vec::new(), Vec::new(), Vec::new());
    let mut lowering = Lowering { world, code, role, calls, instructions: 0, refused, held };
    let at = Site { method: id, line, span };
    let done = lowering.inline(id, arguments, at);
    let mut refused = lowering.refused.into_iter().chain(done.err());
    match refused.next() {
        None => Ok(lowering.code.finish()),
        Some(first) => {
            lowering.world.refused.extend(refused);
            Err(first)
        }
    }
}

fn parameter_names(body: Option<&Body>, kinds: &[Kind]) -> Vec<String> {
    let mut slot = 0;
    let mut names = Vec::new();
    for kind in kinds {
        let named = body.and_then(|body| body.variable(slot, 0)).map(|(name, _)| name);
        names.push(named.map_or_else(|| format!("p{slot}"), str::to_string));
        slot += kind.slots();
    }
    names
}

/// Where in the source something stands.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    pub method: MethodId,
    pub line: u32,
    pub span: Span,
}

/// A function while its code is written.
pub struct Lowering<'w, 'a> {
    pub world: &'w mut World<'a>,
    pub code: Code,
    pub role: Role,
    /// The methods whose bodies are under way, outermost first.
    pub calls: Vec<MethodId>,
    /// How many bytecode instructions were lowered.
    instructions: usize,
    /// What is not modelled and was replaced by placeholders.
    refused: Vec<Diagnostic>,
    /// The monitors that the callers hold, outermost first.
    pub held: Vec<Operand>,
}

/// The body of a method while it is lowered.
pub struct Frame<'a> {
    pub id: MethodId,
    pub blocks: Blocks,
    pub opcodes: &'a [(usize, Opcode<'a>)],
    pub webs: Webs,
    /// Local variables by their number in `webs`.
    pub locals: Vec<Local>,
    /// The operand stack.
    pub stack: Vec<Entry>,
    /// Written block and operand stack at the start of each bytecode block that was arrived at.
    starts: HashMap<usize, (BlockId, Vec<Entry>)>,
    /// The registers of stack depths.
    pub depths: Vec<RegisterId>,
    /// Blocks that throw the error of an assertion: the assertion's text and the block after it.
    pub failures: HashMap<usize, (String, usize)>,
    exit: Exit,
    /// Names in front of those of registers: the methods that are called.
    pub prefix: String,
    /// What is held while the method runs.
    monitor: Option<Operand>,
    /// The monitors that the method's own sections hold at present, outermost first.
    pub held: Vec<Operand>,
    /// The monitors held at the start of each bytecode block that was arrived at.
    helds: HashMap<usize, Vec<Operand>>,
    /// The final fields that a constructor sets: the object and the cell. They are frozen when it ends.
    frozen: Vec<(Operand, i64)>,
    /// The two longs whose comparison is on top of the stack, for the jump that comes next.
    pub compared: Option<(Operand, Operand)>,
    pub site: Site,
}

/// A local variable.
#[derive(Clone, Debug, Default)]
pub struct Local {
    /// Where its value is; `None` before it is first used.
    pub register: Option<RegisterId>,
    /// Its value, where it is known: a parameter that is never assigned again, or a variable that is assigned once, and
    /// that something which never changes.
    pub known: Option<Entry>,
    /// What is known of the object, for a variable that is assigned once.
    pub shape: Option<Shape>,
    /// Its name in the source, if it has one.
    pub name: Option<String>,
}

/// How a body is left.
enum Exit {
    /// By one `return`: the block in which it stands and the result, once it was seen.
    Once(Option<(BlockId, Option<Entry>)>),
    /// By several: they go on here, with the result in the register.
    Several(BlockId, Option<RegisterId>),
}

impl<'a> Lowering<'_, 'a> {
    /// Puts a method in place and writes on after it; gives its result.
    pub fn inline(&mut self, id: MethodId, arguments: Vec<Entry>, caller: Site) -> Result<Option<Entry>> {
        if self.calls.iter().filter(|&&other| other == id).count() >= RECURSION {
            return Ok(self.beyond(id, caller));
        }
        if self.calls.len() >= DEPTH {
            return Err(self.refuse(format!("a chain of more than {DEPTH} calls"), caller));
        }
        let mut frame = self.frame(id, arguments, caller)?;
        self.calls.push(id);
        let outside = self.held.len();
        if let Some(monitor) = frame.monitor.clone() {
            self.code.keep(&monitor);
            self.held.push(monitor.clone());
            self.code.emit(InstructionKind::Lock { monitor }, frame.site.span);
        }
        self.flow_to(&mut frame, 0)?;
        for block in frame.blocks.order.clone() {
            self.block(&mut frame, block)?;
        }
        self.calls.pop();
        self.held.truncate(outside);
        Ok(self.leave(frame))
    }

    /// A call that goes deeper than calls are put in place: a loop without an end, which an execution may exceed the bound of as that of any
    /// loop.
    fn beyond(&mut self, id: MethodId, caller: Site) -> Option<Entry> {
        let (endless, next) = (self.code.block(Some(caller.span)), self.code.block(None));
        self.code.end(program::Terminator::Jump(endless));
        self.code.write_in(endless);
        self.code.end(program::Terminator::Jump(endless));
        self.code.write_in(next);
        self.world.method(id).result.map(|kind| Entry::constant(kind.default(), kind))
    }

    /// The frame of a call, with the arguments in the local variables.
    fn frame(&mut self, id: MethodId, arguments: Vec<Entry>, caller: Site) -> Result<Frame<'a>> {
        let name = self.world.method_name(id);
        let method = self.world.method(id);
        if arguments.len() != method.arity() {
            return Err(self.malformed("a method is called with a wrong number of arguments", caller));
        }
        let kinds = method.parameters.iter().chain(&method.result);
        if let Some(what) = kinds.clone().find_map(|kind| kind.refused()) {
            return Err(self.refuse(format!("{what} in a call of `{name}`"), caller));
        }
        let Some(body) = &method.body else {
            return Err(self.refuse(format!("the call of `{name}`, which has no code"), caller));
        };
        let line = body.opcodes.first().map_or(0, |(offset, _)| body.line(*offset));
        let site = Site { method: id, line, span: self.world.places.statement(id, line) };
        let Some(blocks) = Blocks::of(body) else {
            return Err(self.malformed("control runs off the end", site));
        };
        let opcodes = body.opcodes;
        if let Some((offset, what)) = handlers::refused(body) {
            let line = body.line(offset);
            let site = Site { line, span: self.world.places.statement(id, line), ..site };
            return Err(self.refuse(what, site));
        }
        let mut starts = Vec::new();
        let mut slot = 0;
        for argument in &arguments {
            starts.push(slot);
            slot += argument.kind.slots();
        }
        if slot > body.locals {
            return Err(self.malformed("an argument has no local variable", site));
        }
        let Some(webs) = Webs::of(body, &blocks, &starts) else {
            return Err(self.refuse("a method of this size", site));
        };
        let named = |web: Web| Local { name: webs.names.get(&web).cloned(), ..Local::default() };
        let mut locals: Vec<Local> = (0..webs.count).map(named).collect();
        let reached = |block: &usize| opcodes[blocks.ranges[*block].0..blocks.ranges[*block].1].iter();
        let returns = blocks.order.iter().flat_map(reached).filter(|(_, opcode)| is_return(opcode)).count();
        let (result, is_synchronized, is_static) = (method.result, method.is_synchronized, method.is_static);
        let prefix = if self.calls.is_empty() { String::new() } else { format!("{}.", method.name) };
        let monitor = is_synchronized.then(|| match arguments.first() {
            Some(receiver) if !is_static => receiver.operand.clone(),
            _ => self.class_object(self.world.classes[id.0].name),
        });
        let frozen = self.frozen_fields(id, arguments.first());
        for (slot, argument) in starts.into_iter().zip(arguments) {
            let web = webs.parameters[&slot];
            if webs.assigned[web] == 1 {
                self.code.keep(&argument.operand);
                locals[web].known = Some(argument);
            } else {
                let name = locals[web].name.clone().unwrap_or_else(|| format!("p{slot}"));
                let register = self.code.register(&format!("{prefix}{name}"));
                locals[web].register = Some(register);
                self.code.copy(register, argument.operand, site.span);
            }
        }
        let exit = if returns == 1 {
            Exit::Once(None)
        } else {
            let result = result.map(|_| self.code.register(&format!("{prefix}result")));
            Exit::Several(self.code.block(None), result)
        };
        Ok(Frame {
            id,
            blocks,
            opcodes,
            webs,
            locals,
            stack: Vec::new(),
            starts: HashMap::new(),
            depths: Vec::new(),
            failures: HashMap::new(),
            exit,
            prefix,
            monitor,
            held: Vec::new(),
            helds: HashMap::new(),
            frozen,
            compared: None,
            site,
        })
    }

    /// The final fields that a constructor sets in its object.
    fn frozen_fields(&mut self, id: MethodId, receiver: Option<&Entry>) -> Vec<(Operand, i64)> {
        let Some(receiver) = receiver else { return Vec::new() };
        let set = self.world.classes[id.0].final_fields_set(self.world.method(id));
        if !set.is_empty() {
            self.code.keep(&receiver.operand);
        }
        let cells = set.into_iter().map(|field| self.world.field_number((id.0, field)));
        cells.map(|cell| (receiver.operand.clone(), cell)).collect()
    }

    /// Lowers a bytecode block, if control arrives there.
    fn block(&mut self, frame: &mut Frame<'a>, block: usize) -> Result<()> {
        let Some((written, stack)) = frame.starts.get(&block).cloned() else { return Ok(()) };
        self.code.write_in(written);
        frame.stack = stack;
        frame.held = frame.helds.get(&block).cloned().unwrap_or_default();
        let (start, end) = frame.blocks.ranges[block];
        if let Some((text, after)) = frame.failures.get(&block).cloned() {
            self.set_site(frame, start);
            let condition = Operand::Constant(Value::int(0, 32));
            self.code.emit(InstructionKind::assertion(condition, text), frame.site.span);
            return self.flow_to(frame, after);
        }
        for at in start..end {
            self.set_site(frame, at);
            self.instructions += 1;
            if self.instructions > INSTRUCTIONS {
                let what = format!("code of more than {INSTRUCTIONS} instructions, calls put in place,");
                return Err(self.refuse(what, frame.site));
            }
            let (before, calls) = (frame.stack.clone(), self.calls.len());
            match self.opcode(frame, at, block) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(message) => {
                    self.calls.truncate(calls);
                    frame.stack = before;
                    self.go_on_behind(frame, at, message)?;
                }
            }
        }
        match frame.blocks.successors[block].last() {
            Some(&next) => self.flow_to(frame, next),
            None => Err(self.malformed("control runs off the end", frame.site)),
        }
    }

    /// Notes that an instruction is refused and goes on behind it, if that can be done, with a placeholder for its result.
    fn go_on_behind(&mut self, frame: &mut Frame<'a>, at: usize, message: Diagnostic) -> Result<()> {
        let can_go_on = refusals::is_refusal(&message) && self.instructions <= INSTRUCTIONS;
        let effect = refusals::effect(&frame.opcodes[at].1).filter(|_| can_go_on);
        let Some((taken, left)) = effect.filter(|_| self.refused.len() < refusals::MOST) else { return Err(message) };
        let Some(rest) = frame.stack.len().checked_sub(taken.len()) else { return Err(message) };
        frame.stack.truncate(rest);
        frame.stack.extend(left.map(|kind| Entry::constant(kind.default(), kind)));
        self.refused.push(message);
        let next = self.code.block(None);
        self.code.write_in(next);
        Ok(())
    }

    fn set_site(&mut self, frame: &mut Frame<'a>, at: usize) {
        let line = self.world.method(frame.id).body.as_ref().map_or(0, |body| body.line(frame.opcodes[at].0));
        if line != frame.site.line {
            frame.site = Site { line, span: self.world.places.statement(frame.id, line), ..frame.site };
        }
    }

    /// An access of an object: if that is null an exception, which nothing catches, ends the thread. It leaves the monitors that the thread holds.
    pub fn require_object(&mut self, frame: &Frame<'a>, object: &Entry) {
        let is_receiver = || {
            let this = frame.webs.parameters.get(&0).and_then(|web| frame.locals[*web].known.as_ref());
            !self.world.method(frame.id).is_static && this.is_some_and(|this| this.operand == object.operand)
        };
        let is_known =
            self.shape_of(object).is_some() || matches!(object.operand, Operand::Constant(Value::Pointer(_)));
        if self.role != Role::Thread || is_known || is_receiver() {
            return;
        }
        let span = frame.site.span;
        let (next, ends) = (self.code.block(Some(span)), self.code.block(Some(span)));
        self.code.keep(&object.operand);
        self.code.branch(object.operand.clone(), next, ends, span);
        self.code.write_in(ends);
        let held: Vec<Operand> = self.held.iter().chain(&frame.held).rev().cloned().collect();
        for monitor in held {
            self.code.emit(InstructionKind::Unlock { monitor }, span);
        }
        self.require(frame, Operand::Constant(Value::int(0, 32)), "java.lang.NullPointerException");
        self.code.end(program::Terminator::Return(Vec::new()));
        self.code.write_in(next);
    }

    /// Ends the current block with a jump to a bytecode block.
    pub fn flow_to(&mut self, frame: &mut Frame<'a>, block: usize) -> Result<()> {
        let written = self.arrive(frame, block)?;
        self.code.end(program::Terminator::Jump(written));
        Ok(())
    }

    /// The written block of a bytecode block to which control flows from here: its stack is set, or agreed with.
    pub fn arrive(&mut self, frame: &mut Frame<'a>, block: usize) -> Result<BlockId> {
        let meets = frame.blocks.arriving[block] > 1;
        if meets {
            self.spill_stack(frame);
        }
        if let Some((written, stack)) = frame.starts.get(&block) {
            let kinds = |stack: &[Entry]| stack.iter().map(|entry| entry.kind).collect::<Vec<_>>();
            if kinds(stack) != kinds(&frame.stack) {
                return Err(self.malformed("paths meet with different stacks", frame.site));
            }
            return Ok(*written);
        }
        let offset = frame.opcodes[frame.blocks.ranges[block].0].0;
        let line = self.world.method(frame.id).body.as_ref().map_or(0, |body| body.line(offset));
        let written = self.code.block(Some(self.world.places.statement(frame.id, line)));
        frame.starts.insert(block, (written, frame.stack.clone()));
        frame.helds.insert(block, frame.held.clone());
        Ok(written)
    }

    /// Returns from the frame's method.
    pub fn return_from(&mut self, frame: &mut Frame<'a>, result: Option<Entry>) {
        let span = frame.site.span;
        for (object, cell) in frame.frozen.clone() {
            let operands = vec![object, Operand::Constant(Value::int(cell, 32))];
            let address = self.code.compute(Operator::Offset, operands, span);
            self.code.emit(InstructionKind::Freeze { address }, span);
        }
        if let Some(monitor) = frame.monitor.clone() {
            self.code.emit(InstructionKind::Unlock { monitor }, span);
        }
        match &mut frame.exit {
            Exit::Once(left) => *left = Some((self.code.current(), result)),
            Exit::Several(block, register) => {
                let (block, register) = (*block, *register);
                if let (Some(register), Some(result)) = (register, result) {
                    self.assign(frame, register, result.operand);
                }
                self.code.end(program::Terminator::Jump(block));
            }
        }
    }

    /// Writes on after a method; gives its result.
    fn leave(&mut self, frame: Frame<'a>) -> Option<Entry> {
        let kind = self.world.method(frame.id).result;
        match frame.exit {
            Exit::Once(Some((block, result))) => {
                self.code.write_in(block);
                result
            }
            Exit::Several(block, register) => {
                self.code.write_in(block);
                let operand = Operand::Register(register?);
                Some(Entry { operand, kind: kind?, shape: None })
            }
            // It never returns, so what follows is never reached.
            Exit::Once(None) => {
                let block = self.code.block(None);
                self.code.write_in(block);
                kind.map(|kind| Entry::constant(kind.default(), kind))
            }
        }
    }

    /// The object of a class, which static synchronized methods lock.
    pub fn class_object(&mut self, class: &str) -> Operand {
        let text = format!("{}.class", super::places::shown(class));
        Operand::Constant(Value::Pointer(self.world.memory.literal(&text, "java/lang/Class")))
    }

    /// What is right but not modelled: `what` in a method, on a line.
    pub fn refuse(&self, what: impl std::fmt::Display, site: Site) -> Diagnostic {
        let place = self.place(site);
        Unsupported::new(format!("{what} in {place}"), Some(site.span)).into()
    }

    /// What no compiler writes.
    pub fn malformed(&self, what: &str, site: Site) -> Diagnostic {
        Diagnostic::error(format!("the bytecode of {} is malformed: {what}", self.place(site)), site.span)
    }

    /// `Class.method, line 3`.
    pub fn place(&self, site: Site) -> String {
        place(self.world, site)
    }
}

/// `Class.method, line 3`.
pub fn place(world: &World, site: Site) -> String {
    let name = world.method_name(site.method);
    if site.line == 0 { name } else { format!("{name}, line {}", site.line) }
}

fn is_return(opcode: &Opcode) -> bool {
    matches!(opcode, Opcode::Return | Opcode::Ireturn | Opcode::Lreturn | Opcode::Areturn)
}
