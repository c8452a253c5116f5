//! Threads and locks: the locks of the CheckFence thesis, POSIX threads and C11 threads.
//!
//! A lock is a cell that is 0 while it is free, or [`DESTROYED`] in programs that destroy some. Else it is the number of the thread
//! that holds it, plus one; a lock of the thesis is 1 then. Waiting for it is the last iteration of a spin loop (thesis, figure 3.9
//! and section 7.2.3): an atomic block that awaits 0 and writes another number. The fences around keep the critical section in, for
//! the models of the thesis; the orders acquire and release do so for C11.
//!
//! What was initialised by a call has a second cell, [`MADE`] bytes behind its first, which is 1 until it is destroyed.

use lang_c::ast::{Expression, UnaryOperator};
use lang_c::span::Node;
use program::{
    Access, AssertSort, Extent, FunctionId, Global, InstructionKind, Operand, Operator, Order, Pointer, RegisterId,
    Storage, Terminator, Value,
};

use super::atomics::flag;
use super::code::Code;
use super::function::callable;
use super::ignored::IGNORED;
use super::lower::{Bytes, Declared, Lowered, Lowering, Typed};
use super::place::Place;
use super::thread_local::start_call;
use super::types::{Shape, Type};
use crate::cells::{COPY_TAG, MADE_TAG};

/// What `pthread_mutex_trylock` returns if the lock is held (Linux).
pub const EBUSY: i64 = 16;
/// What `mtx_trylock` returns if the lock is held: `thrd_busy` of glibc.
const THRD_BUSY: i64 = 1;

/// The word of a lock that was destroyed.
const DESTROYED: i64 = -1;
/// How far behind an object of synchronisation stands the cell that says whether a call has initialised it: outside of every
/// object.
const MADE: u64 = 1 << 40;
/// What initialises objects of synchronisation.
const INITIALIZERS: [&str; 8] = [
    "pthread_mutex_init",
    "mtx_init",
    "pthread_spin_init",
    "pthread_cond_init",
    "cnd_init",
    "pthread_rwlock_init",
    "pthread_barrier_init",
    "sem_init",
];
/// What destroys locks.
const DESTROYERS: [&str; 3] = ["pthread_mutex_destroy", "mtx_destroy", "pthread_spin_destroy"];

/// The lock that all atomic sections share.
pub const SECTION: &str = "atomic section";

/// In the block of a thread: its number.
const NUMBER: u64 = 0;
/// In the block of a thread: its result.
const RESULT: u64 = 8;

impl Lowering<'_> {
    /// A call of a function of threads or locks; `None` if the name is of none.
    pub fn thread_call(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Option<Lowered<Typed>> {
        if let Some(done) = self.synchronization_call(name, arguments, at) {
            return Some(done);
        }
        if IGNORED.contains(&name) {
            return None;
        }
        if let Some(done) = self.mutex_of_kind(name, arguments, at) {
            return Some(done);
        }
        Some(match name {
            "lsl_initlock" => self.init_lock(name, arguments, 1, at),
            "pthread_mutex_init" | "mtx_init" | "pthread_spin_init" => self.init_lock(name, arguments, 2, at),
            "lsl_lock" | "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock" => self.lock(name, arguments, at),
            "lsl_unlock" | "pthread_mutex_unlock" | "mtx_unlock" | "pthread_spin_unlock" => {
                self.unlock(name, arguments, at)
            }
            "pthread_mutex_trylock" | "pthread_spin_trylock" => self.try_lock(name, arguments, EBUSY, at),
            "mtx_trylock" => self.try_lock(name, arguments, THRD_BUSY, at),
            "pthread_mutex_destroy" | "mtx_destroy" | "pthread_spin_destroy" => {
                self.exactly(arguments, 1, name, at).and_then(|()| self.destroy_lock(&arguments[0]))
            }
            "pthread_create" => self.exactly(arguments, 4, name, at).and_then(|()| {
                // Attributes that would matter are refused where they are set.
                self.value(&arguments[1])?;
                self.spawn(&arguments[0], &arguments[2], &arguments[3], at)
            }),
            "pthread_detach" | "thrd_detach" => self.without_effect(arguments),
            _ if is_without_effect(name) => self.without_effect(arguments),
            "pthread_self" | "thrd_current" => self.exactly(arguments, 0, name, at).and_then(|()| self.this_thread(at)),
            "pthread_equal" | "thrd_equal" => self.same_thread(name, arguments, at),
            "thrd_create" => self
                .exactly(arguments, 3, name, at)
                .and_then(|()| self.spawn(&arguments[0], &arguments[1], &arguments[2], at)),
            "pthread_join" | "thrd_join" => self.join(name, arguments, at),
            "pthread_exit" | "thrd_exit" => self.exit_thread(name, arguments, at),
            _ if name.starts_with("pthread_") || name.starts_with("mtx_") || name.starts_with("cnd_") => {
                Err(self.unsupported(format!("`{name}`"), at))
            }
            _ if name.starts_with("sem_") || name.starts_with("thrd_") => {
                Err(self.unsupported(format!("`{name}`"), at))
            }
            _ => return None,
        })
    }

    fn init_lock(&mut self, name: &str, arguments: &[Node<Expression>], count: usize, at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, count, name, at)?;
        let lock = self.lock_place(&arguments[0])?;
        if name == "pthread_mutex_init" {
            self.value(&arguments[1])?;
        }
        if name == "mtx_init" {
            self.value(&arguments[1])?;
        }
        if name != "lsl_initlock" {
            self.make_object(&lock.0, "a lock");
        }
        self.write_lock(&lock, number_of(&lock, 0), Access::plain());
        Ok(Typed::int(0))
    }

    /// An error if an object of synchronisation was initialised before; from now on it was.
    pub fn make_object(&mut self, object: &Operand, what: &str) {
        let (target, address) = (self.code.temporary(), self.bytes_after(object.clone(), MADE));
        let access = Access::plain().tagged(MADE_TAG);
        self.code.emit(InstructionKind::Load { target, address, access }, self.here);
        let made = Operand::Register(target);
        let is_known = self.code.compute(Operator::IsDefined, vec![made.clone()], self.here);
        let made = self.code.compute(Operator::Select, vec![is_known, made, flag(false)], self.here);
        self.must_not_be(made, &format!("{what} is initialised twice"));
        self.set_made(object, true);
    }

    /// Whether an object of synchronisation was initialised, in programs that initialise some.
    pub fn set_made(&mut self, object: &Operand, made: bool) {
        if INITIALIZERS.iter().any(|name| self.uses.called.contains(*name)) {
            let address = self.bytes_after(object.clone(), MADE);
            let (value, access) = (flag(made), Access::plain().tagged(MADE_TAG));
            self.code.emit(InstructionKind::Store { address, value, access }, self.here);
        }
    }

    /// The number of the thread that runs, in so many bits.
    pub fn thread_number(&mut self, width: u8) -> Operand {
        let target = self.code.temporary();
        self.code.emit(InstructionKind::Identify { target }, self.here);
        match width {
            32 => Operand::Register(target),
            _ => {
                let operator = Operator::Resize { width, signed: false };
                self.code.compute(operator, vec![Operand::Register(target)], self.here)
            }
        }
    }

    /// What the word of a lock is while this thread holds it.
    fn holder(&mut self, lock: &(Operand, Type), held_by: HeldBy) -> Operand {
        match held_by {
            HeldBy::Anybody => number_of(lock, 1),
            HeldBy::Thread => {
                let number = self.thread_number(lock.1.width().unwrap_or(32));
                self.code.compute(Operator::Add, vec![number, number_of(lock, 1)], self.here)
            }
        }
    }

    /// The cell of a lock.
    pub fn lock_place(&mut self, argument: &Node<Expression>) -> Lowered<(Operand, Type)> {
        let pointer = self.followed(argument)?;
        match self.scalar_at(pointer, argument.span)? {
            Place::Memory(address, of) => Ok((address, of)),
            Place::Register(..) | Place::Bits(..) => Err(self.error("a lock must be in memory", argument.span)),
        }
    }

    fn write_lock(&mut self, (address, of): &(Operand, Type), value: Operand, access: Access) {
        let access = access.of_bytes(of.width().unwrap_or(0) / 8);
        self.code.emit(InstructionKind::Store { address: address.clone(), value, access }, self.here);
    }

    /// Reads a lock.
    fn read_lock(&mut self, (address, of): &(Operand, Type), order: Order) -> Operand {
        let target = self.code.temporary();
        let access = Access::ordered(order).of_bytes(of.width().unwrap_or(0) / 8);
        self.code.emit(InstructionKind::Load { target, address: address.clone(), access }, self.here);
        Operand::Register(target)
    }

    /// Whether the word of a lock is this one.
    fn lock_is(&mut self, word: &Operand, lock: &(Operand, Type), value: i64) -> Operand {
        self.code.compute(Operator::Eq, vec![word.clone(), number_of(lock, value)], self.here)
    }

    /// Whether a lock was destroyed; nothing in a program that destroys none.
    fn lock_is_destroyed(&mut self, word: &Operand, lock: &(Operand, Type)) -> Option<Operand> {
        let destroys = DESTROYERS.iter().any(|name| self.uses.called.contains(*name));
        destroys.then(|| self.lock_is(word, lock, DESTROYED))
    }

    /// An error if this is true.
    pub fn must_not_be(&mut self, wrong: Operand, message: &str) {
        let condition = self.code.compute(Operator::IsFalse, vec![wrong], self.here);
        self.code.emit(InstructionKind::claim(AssertSort::Error, condition, message), self.here);
    }

    fn destroy_lock(&mut self, argument: &Node<Expression>) -> Lowered<Typed> {
        let lock = self.lock_place(argument)?;
        self.emit_fence("LS");
        self.emit_fence("SS");
        self.code.emit(InstructionKind::AtomicBegin, self.here);
        let word = self.read_lock(&lock, Order::Acquire);
        let destroyed = self.lock_is(&word, &lock, DESTROYED);
        self.must_not_be(destroyed, "a lock is destroyed twice");
        let held = self.code.compute(Operator::Ne, vec![word, number_of(&lock, 0)], self.here);
        self.must_not_be(held, "a lock is destroyed while it is held");
        self.write_lock(&lock, number_of(&lock, DESTROYED), Access::ordered(Order::Release));
        self.code.emit(InstructionKind::AtomicEnd, self.here);
        self.set_made(&lock.0, false);
        Ok(Typed::int(0))
    }

    fn lock(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 1, name, at)?;
        let lock = self.lock_place(&arguments[0])?;
        self.take_lock(&lock, HeldBy::of(name));
        Ok(Typed::int(0))
    }

    /// Waits until a lock is free, and takes it.
    pub fn take_lock(&mut self, lock: &(Operand, Type), held_by: HeldBy) {
        let holder = self.holder(lock, held_by);
        self.code.emit(InstructionKind::AtomicBegin, self.here);
        let word = self.read_lock(lock, Order::Acquire);
        let free = self.lock_is(&word, lock, 0);
        let destroyed = self.lock_is_destroyed(&word, lock);
        let condition = match &destroyed {
            Some(destroyed) => self.code.compute(Operator::Or, vec![free, destroyed.clone()], self.here),
            None => free,
        };
        self.code.emit(InstructionKind::Await { condition }, self.here);
        if let Some(destroyed) = destroyed {
            self.must_not_be(destroyed, "a use of a lock that was destroyed");
        }
        self.write_lock(lock, holder, Access::ordered(Order::Relaxed));
        self.code.emit(InstructionKind::AtomicEnd, self.here);
        self.emit_fence("LL");
        self.emit_fence("LS");
    }

    fn unlock(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 1, name, at)?;
        let lock = self.lock_place(&arguments[0])?;
        self.release_lock(&lock, HeldBy::of(name));
        Ok(Typed::int(0))
    }

    /// Gives a lock back.
    pub fn release_lock(&mut self, lock: &(Operand, Type), held_by: HeldBy) {
        let holder = self.holder(lock, held_by);
        self.emit_fence("LS");
        self.emit_fence("SS");
        self.code.emit(InstructionKind::AtomicBegin, self.here);
        let word = self.read_lock(lock, Order::Relaxed);
        if let Some(destroyed) = self.lock_is_destroyed(&word, lock) {
            self.must_not_be(destroyed, "a use of a lock that was destroyed");
        }
        let free = self.lock_is(&word, lock, 0);
        self.must_not_be(free, "unlock of a lock that is not held");
        if let HeldBy::Thread = held_by {
            let others = self.code.compute(Operator::Ne, vec![word, holder], self.here);
            self.must_not_be(others, "unlock of a lock that another thread holds");
        }
        self.write_lock(lock, number_of(lock, 0), Access::ordered(Order::Release));
        self.code.emit(InstructionKind::AtomicEnd, self.here);
    }

    fn try_lock(&mut self, name: &str, arguments: &[Node<Expression>], busy: i64, at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 1, name, at)?;
        let lock = self.lock_place(&arguments[0])?;
        let holder = self.holder(&lock, HeldBy::of(name));
        self.code.emit(InstructionKind::AtomicBegin, self.here);
        let word = self.read_lock(&lock, Order::Acquire);
        if let Some(destroyed) = self.lock_is_destroyed(&word, &lock) {
            self.must_not_be(destroyed, "a use of a lock that was destroyed");
        }
        let free = self.lock_is(&word, &lock, 0);
        let (taking, behind) = (self.code.block(None), self.code.block(None));
        let branch = self.branch_to(free.clone(), taking, behind, Some(behind));
        self.code.end_and_go_on(branch, taking);
        self.write_lock(&lock, holder, Access::ordered(Order::Relaxed));
        self.code.end_and_go_on(Terminator::Jump(behind), behind);
        self.code.emit(InstructionKind::AtomicEnd, self.here);
        self.emit_fence("LL");
        self.emit_fence("LS");
        let held = Operand::Constant(Value::int(busy, 32));
        let operand = self.code.compute(Operator::Select, vec![free, flag(false), held], self.here);
        Ok(Typed { operand, of: Type::int() })
    }

    fn spawn(
        &mut self,
        handle: &Node<Expression>,
        function: &Node<Expression>,
        argument: &Node<Expression>,
        at: Bytes,
    ) -> Lowered<Typed> {
        let handle_pointer = self.value(handle)?;
        let handle_place = self.pointed(handle_pointer, handle.span)?;
        let (function_id, declared, arguments) = self.thread_function(function, argument)?;
        let thread = match self.uses.asks_results {
            true => self.spawn_with_result(function_id, &declared, arguments),
            false => self.emit_spawn(function_id, arguments),
        };
        match handle_place {
            Place::Memory(address, of) if of.is_scalar() => {
                let access = Access::plain().of_bytes(of.width().unwrap_or(0) / 8);
                self.code.emit(InstructionKind::Store { address, value: thread, access }, self.here);
                Ok(Typed::int(0))
            }
            _ => Err(self.error("a thread's handle is expected", at)),
        }
    }

    /// What a thread runs, with its arguments.
    fn thread_function(
        &mut self,
        function: &Node<Expression>,
        argument: &Node<Expression>,
    ) -> Lowered<(FunctionId, Declared, Vec<Operand>)> {
        let known = function_name(function).and_then(|name| self.functions.get(name)).cloned();
        let Some((id, declared)) = known.and_then(|declared| declared.id.map(|id| (id, declared))) else {
            return self.computed_function(function, argument);
        };
        let value = self.value(argument)?;
        let arguments = match declared.signature.parameters.as_slice() {
            [] => Vec::new(),
            [(_, of)] => vec![self.convert(value, of, argument.span)?.operand],
            _ => return Err(self.error("the function of a thread takes one argument", function.span)),
        };
        Ok((id, declared, arguments))
    }

    /// A thread whose function is only known when it starts runs one that calls it.
    fn computed_function(
        &mut self,
        function: &Node<Expression>,
        argument: &Node<Expression>,
    ) -> Lowered<(FunctionId, Declared, Vec<Operand>)> {
        let pointer = self.value(function)?;
        let value = self.value(argument)?;
        for runner in ["palisade_run", "palisade_run_int"] {
            let Some(declared) = self.functions.get(runner).cloned() else { continue };
            let (Some(id), [(_, of), (_, argument_of)]) = (declared.id, &declared.signature.parameters[..]) else {
                continue;
            };
            let (Some(Shape::Function(is)), Some(Shape::Function(wanted))) =
                (pointer.of.pointee().map(|to| &to.shape), of.pointee().map(|to| &to.shape))
            else {
                continue;
            };
            if !callable(is, wanted) {
                continue;
            }
            let value = self.convert(value, argument_of, argument.span)?.operand;
            return Ok((id, declared.clone(), vec![pointer.operand, value]));
        }
        let note = "name the function that the thread runs, and give it a body";
        Err(self.unsupported("a thread whose function is not known here", function.span).note(note))
    }

    fn emit_spawn(&mut self, function: FunctionId, arguments: Vec<Operand>) -> Operand {
        let target = self.code.temporary();
        self.code.emit(InstructionKind::Spawn { target, function, arguments }, self.here);
        Operand::Register(target)
    }

    /// Starts a thread whose result is kept: its handle points to a block with its number and its result.
    fn spawn_with_result(&mut self, function: FunctionId, declared: &Declared, arguments: Vec<Operand>) -> Operand {
        let Some(keeper) = self.keeper(function, declared) else { return self.emit_spawn(function, arguments) };
        let block = self.code.temporary();
        let default = Value::Undefined;
        let extent = Some(Extent::of(16, 8, Storage::Heap));
        let kind = InstructionKind::Allocate { target: block, default, name: "thread".into(), reuse: false, extent };
        self.code.emit(kind, self.here);
        let block = Operand::Register(block);
        let address = self.bytes_after(block.clone(), NUMBER);
        let arguments = [block.clone()].into_iter().chain(arguments).collect();
        let value = self.emit_spawn(keeper, arguments);
        let access = Access::plain().of_bytes(8);
        self.code.emit(InstructionKind::Store { address, value, access }, self.here);
        block
    }

    /// A function that calls another and keeps its result in a block, which is its first argument.
    fn keeper(&mut self, function: FunctionId, declared: &Declared) -> Option<FunctionId> {
        let called = self.bodies.get(function.0 as usize)?.clone();
        let name = format!("thread {called}");
        if let Some(known) = self.functions.get(&name) {
            return known.id;
        }
        let mut code = Code::new();
        let block = code.register("thread");
        let parameters = declared.signature.parameters.iter().map(|_| code.register("argument"));
        let parameters: Vec<RegisterId> = parameters.collect();
        let mut arguments: Vec<Operand> = parameters.iter().map(|parameter| Operand::Register(*parameter)).collect();
        let own = self.own_of_new_thread(&mut code, block);
        arguments.splice(0..0, own.iter().cloned());
        let result = (!declared.signature.result.is_void()).then(|| code.temporary());
        code.emit(InstructionKind::Call { function, arguments, targets: result.into_iter().collect() }, self.here);
        if let Some(result) = result {
            let place = vec![Operand::Register(block), Operand::Constant(Value::int(RESULT as i64, 64))];
            let address = code.compute(Operator::Step(1), place, self.here);
            let (value, access) = (Operand::Register(result), Access::plain().of_bytes(8));
            code.emit(InstructionKind::Store { address, value, access }, self.here);
        }
        if let Some(function) = self.functions.get("palisade_thread_ends").and_then(|declared| declared.id)
            && self.reached.contains("palisade_thread_ends")
        {
            code.emit(InstructionKind::Call { function, arguments: own.clone(), targets: Vec::new() }, self.here);
        }
        for address in own.into_iter().skip(1) {
            code.emit(InstructionKind::End { address }, self.here);
        }
        let parameters = [block].into_iter().chain(parameters).collect();
        let keeper = code.finish(&called, parameters, Vec::new(), self.here).ok()?;
        let id = FunctionId(self.bodies.len() as u32);
        let block = (Some("thread".to_string()), Type::void().pointer());
        let mut signature = (*declared.signature).clone();
        signature.parameters.insert(0, block);
        signature.result = Type::void();
        self.functions.insert(name.clone(), Declared { signature: signature.into(), id: Some(id), address: None });
        self.bodies.push(name);
        self.lowered.push(Some(keeper));
        Some(id)
    }

    /// What the first function of a thread is given besides its own arguments; the block of its handle is its identity.
    fn own_of_new_thread(&self, code: &mut Code, block: RegisterId) -> Vec<Operand> {
        let Some(start) = self.own.start else { return self.own.unnumbered() };
        let (targets, call) = start_call(code, start, &self.own);
        code.emit(call, self.here);
        let variables = targets.into_iter().skip(1).map(Operand::Register);
        std::iter::once(Operand::Register(block)).chain(variables).chain(self.own.unnumbered()).collect()
    }

    /// An atomic section, as the verification competition has them. Sections do not race with each other: one holds a lock that all
    /// share, but for those of functions that are built in.
    pub fn begin_section(&mut self, is_built_in: bool) {
        if !is_built_in {
            let lock = self.section_lock();
            self.take_lock(&lock, HeldBy::Anybody);
        }
        self.code.emit(InstructionKind::AtomicBegin, self.here);
    }

    /// The end of an atomic section.
    pub fn end_section(&mut self, is_built_in: bool) {
        self.code.emit(InstructionKind::AtomicEnd, self.here);
        if !is_built_in {
            let lock = self.section_lock();
            self.release_lock(&lock, HeldBy::Anybody);
        }
    }

    /// The lock that all atomic sections share.
    fn section_lock(&mut self) -> (Operand, Type) {
        let id = match self.globals.iter().position(|global| global.name == SECTION) {
            Some(index) => index as u32,
            None => {
                let extent = Some(Extent::of(4, 4, Storage::Static));
                let default = Value::int(0, 32);
                self.add_global(Global { name: SECTION.into(), cells: Vec::new(), default, extent, span: None }).0
            }
        };
        (Operand::Constant(Value::Pointer(Pointer::to(id))), Type::int())
    }

    /// What has no effect on what threads do.
    fn without_effect(&mut self, arguments: &[Node<Expression>]) -> Lowered<Typed> {
        for argument in arguments {
            self.value(argument)?;
        }
        Ok(Typed::int(0))
    }

    /// In a program with mutexes that know who holds them, what happens to a mutex is written in C, in `headers/pthread.h`.
    fn mutex_of_kind(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Option<Lowered<Typed>> {
        let function = match name {
            "pthread_mutex_lock" | "mtx_lock" => "palisade_mutex_lock",
            "pthread_mutex_unlock" | "mtx_unlock" => "palisade_mutex_unlock",
            "pthread_mutex_trylock" | "mtx_trylock" => "palisade_mutex_trylock",
            "pthread_mutex_init" | "mtx_init" => "palisade_mutex_init",
            _ => return None,
        };
        if !self.reached.contains(function) || self.frame.name.starts_with("palisade_") {
            return None;
        }
        let declared = self.functions.get(function).cloned()?;
        let id = declared.id?;
        Some(self.mutex_call(name, id, &declared, arguments, at))
    }

    fn mutex_call(
        &mut self,
        name: &str,
        function: FunctionId,
        declared: &Declared,
        arguments: &[Node<Expression>],
        at: Bytes,
    ) -> Lowered<Typed> {
        let parameters = declared.signature.parameters.clone();
        self.exactly(arguments, parameters.len(), name, at)?;
        let mut values = Vec::new();
        for (argument, (_, of)) in arguments.iter().zip(&parameters) {
            let mut value = self.value(argument)?;
            // A null pointer to attributes is the kind 0; of C11's kinds one bit says that it is recursive.
            if name == "pthread_mutex_init" && of.as_integer().is_some() {
                value = match value.known() {
                    Some(null) if !null.is_true() => Typed::int(0),
                    _ => {
                        let attributes = self.scalar_at(value, argument.span)?;
                        self.load(attributes)
                    }
                };
            }
            if name == "mtx_init" && of.as_integer().is_some() {
                let operands = vec![value.operand, Operand::Constant(Value::int(1, 32))];
                value = Typed { operand: self.code.compute(Operator::And, operands, self.here), of: Type::int() };
            }
            values.push(self.convert(value, of, argument.span)?.operand);
        }
        Ok(self.call_function(function, values, &declared.signature.result.clone()))
    }

    fn same_thread(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 2, name, at)?;
        let operands = vec![self.value(&arguments[0])?.operand, self.value(&arguments[1])?.operand];
        Ok(Typed { operand: self.code.compute(Operator::Eq, operands, self.here), of: Type::int() })
    }

    /// Ends the thread: a return, in a function that only threads run.
    fn exit_thread(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 1, name, at)?;
        let value = self.value(&arguments[0])?;
        if self.frame.name == "main" && !self.uses.called.contains("main") && !self.frame.result.is_void() {
            self.end_variables(1);
            self.end_own();
            // Which return this is shows by its value.
            self.code.end(Terminator::Return(vec![Operand::Constant(Value::Undefined)]));
            return Ok(Typed::void());
        }
        let is_entry = self.uses.taken.contains(&self.frame.name) && !self.uses.called.contains(&self.frame.name);
        if !is_entry {
            let note = "call it in the function that the thread starts with";
            return Err(self.unsupported(format!("`{name}` in a function that is called"), at).note(note));
        }
        let result = self.frame.result.clone();
        let values = if result.is_void() { Vec::new() } else { vec![self.convert(value, &result, at)?.operand] };
        self.end_scopes(1);
        self.code.end(Terminator::Return(values));
        Ok(Typed::void())
    }

    fn join(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 2, name, at)?;
        let mut thread = self.value(&arguments[0])?.operand;
        let block = thread.clone();
        if self.uses.asks_results {
            thread = self.of_block(&block, NUMBER);
        }
        let to = self.value(&arguments[1])?;
        self.code.emit(InstructionKind::Join { thread }, self.here);
        if to.known().is_none_or(|to| to.is_true()) {
            let place = self.scalar_at(to, arguments[1].span)?;
            let value = self.of_block(&block, RESULT);
            let access = Access::plain().of_bytes(place.of().width().unwrap_or(0) / 8);
            if let Place::Memory(address, _) = place {
                self.code.emit(InstructionKind::Store { address, value, access }, self.here);
            }
        }
        Ok(Typed::int(0))
    }

    /// What stands in the block of a thread.
    fn of_block(&mut self, block: &Operand, part: u64) -> Operand {
        let address = self.bytes_after(block.clone(), part);
        let (target, access) = (self.code.temporary(), Access::plain().of_bytes(8).tagged(COPY_TAG));
        self.code.emit(InstructionKind::Load { target, address, access }, self.here);
        Operand::Register(target)
    }
}

/// Who may unlock a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBy {
    /// The thread that has locked it.
    Thread,
    /// Anybody, as in the thesis.
    Anybody,
}

impl HeldBy {
    /// Who may unlock a lock that a function of this name locks or unlocks.
    fn of(name: &str) -> HeldBy {
        if name.starts_with("lsl_") { HeldBy::Anybody } else { HeldBy::Thread }
    }
}

/// A number as wide as the word of a lock.
fn number_of((_, of): &(Operand, Type), value: i64) -> Operand {
    Operand::Constant(Value::int(value, of.width().unwrap_or(32)))
}

/// Attributes and settings that do not change what threads do here: nothing takes time, and there is always memory.
fn is_without_effect(name: &str) -> bool {
    let of_attributes = ["pthread_attr_", "pthread_mutexattr_", "pthread_condattr_", "pthread_rwlockattr_"];
    let is_attribute = of_attributes.iter().chain(&["pthread_barrierattr_"]).any(|prefix| name.starts_with(prefix));
    let changes = ["init", "destroy", "setdetachstate", "setstacksize", "setguardsize", "setscope", "setpshared"];
    let more = ["setinheritsched", "setschedpolicy", "setschedparam", "setclock", "setaffinity_np", "setprotocol"];
    let settings = ["pthread_setname_np", "pthread_setaffinity_np", "pthread_setschedparam", "pthread_testcancel"];
    let cancelling = ["pthread_setcancelstate", "pthread_setcanceltype", "pthread_setconcurrency"];
    is_attribute && changes.iter().chain(&more).any(|change| name.ends_with(&format!("_{change}")))
        || settings.iter().chain(&cancelling).any(|setting| *setting == name)
}

/// The function that an expression names: `f`, `&f`, or either behind a cast.
pub fn function_name(expression: &Node<Expression>) -> Option<&str> {
    match &expression.node {
        Expression::Identifier(name) => Some(&name.node.name),
        Expression::Cast(cast) => function_name(&cast.node.expression),
        Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
            function_name(&unary.node.operand)
        }
        _ => None,
    }
}
