//! The native methods of the library, written in place of their calls.

use program::{Access, AssertSort, InstructionKind, Operand, Operator, Order, Update, Value};

use crate::jvm::class::Kind;
use crate::jvm::places::MethodId;
use crate::jvm::tear::ELEMENT;

use super::daemon;
use super::functions::{Key, Question};
use super::library;
use super::method::{Entry, Lowering, Result};
use super::terms::{volatile, zero};

/// The tag of what a thread's field holds once it was started.
const STARTED: &str = "started";
/// The cell of an object that holds the hash code it has as an object.
const HASH: i64 = -2;
/// How many different hash codes objects have: one, two, and so on, but the last is the greatest there is.
const MOST_HASHES: i64 = 3;
const GREATEST_HASH: i64 = 0x7fff_ffff;
/// The cell of an object that holds the threads that wait at its monitor.
const WAIT_SET: i64 = -3;
/// The cell of an object that holds how often its monitor is held.
const HOLDS: i64 = -4;
/// The cell of an object whose address is its second monitor.
const SECOND_MONITOR: i64 = -1;

/// An access of what is no variable of the program.
fn identity() -> Access {
    Access::ordered(Order::Relaxed).tagged("identity")
}

impl<'a> Lowering<'_, 'a> {
    /// Writes a native method of the library in place; pushes its result. Whether the method is one.
    pub fn native(&mut self, id: MethodId, arguments: Vec<Entry>) -> Result<bool> {
        if id.0 < self.world.own {
            return Ok(false);
        }
        let class = self.world.classes[id.0].name;
        let name = self.world.method(id).name;
        match class {
            "java/lang/Object" => self.object_method(name, arguments),
            "java/lang/String" => self.string_method(name, arguments),
            "java/lang/Thread" => self.thread_method(name, arguments),
            "palisade/Machine" => {
                let kinds = self.world.method(id).parameters.clone();
                match name {
                    "compareAndSet" | "getAndSet" | "getAndAdd" => self.update(name, kinds[1], arguments),
                    "spawn" | "join" | "lock" | "unlock" | "interrupts" | "names" | "tellsTime" | "daemons" => {
                        self.machine_thread(name, arguments)
                    }
                    "awaitEndOrInterrupt" => self.await_either(arguments),
                    "asksForOwners" => {
                        self.push_int(self.world.facts.owners.into());
                        Ok(true)
                    }
                    "enter" | "exit" => {
                        let monitor = arguments[0].operand.clone();
                        self.emit(match name {
                            "enter" => InstructionKind::Lock { monitor },
                            _ => InstructionKind::Unlock { monitor },
                        });
                        Ok(true)
                    }
                    "holds" | "setHolds" => self.hidden_field(HOLDS, Kind::Int, &arguments),
                    "waitSet" | "setWaitSet" => self.hidden_field(WAIT_SET, Kind::Reference, &arguments),
                    "acquire" => self.acquire(arguments),
                    "acquireUnlessInterrupted" => self.acquire_unless_interrupted(&arguments),
                    "await" => self.await_range(&arguments, None).map(|()| true),
                    "awaitUnlessInterrupted" => self.await_range(&arguments, arguments.last()).map(|()| true),
                    "awaitPermit" => self.await_permit(&arguments[0]).map(|()| true),
                    "refuse" => self.refuse_here(&arguments[0]),
                    "choose" => {
                        let target = self.code.temporary();
                        self.emit(InstructionKind::Choose { target, low: 0, high: 1, width: 32 });
                        self.push(Operand::Register(target), Kind::Int);
                        Ok(true)
                    }
                    _ => self.machine_object(name, arguments),
                }
            }
            "java/io/PrintStream" => {
                let kind = self.world.method(id).parameters[0];
                let is_char = self.world.method(id).descriptor == "(C)V";
                let suffix = match kind {
                    Kind::Double => ".double",
                    Kind::Float => ".float",
                    _ if is_char => ".char",
                    _ => "",
                };
                self.observe(&arguments[0], suffix, arguments[1].operand.clone());
                Ok(true)
            }
            "java/lang/Integer" => self.cached(class, -128, 32, arguments),
            "java/lang/Long" => self.cached(class, -128, 64, arguments),
            "java/lang/Character" => self.cached(class, 0, 32, arguments),
            "java/lang/System" if name == "exit" => self.exit(arguments),
            "java/lang/System" if name == "identityHashCode" => {
                self.identity_hash(arguments[0].operand.clone());
                Ok(true)
            }
            "java/lang/Double" | "java/lang/Float" => {
                let result = self.world.method(id).result.unwrap_or(Kind::Int);
                self.push(arguments[0].operand.clone(), result);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn object_method(&mut self, name: &str, arguments: Vec<Entry>) -> Result<bool> {
        let object = arguments[0].operand.clone();
        match name {
            "hashCode" => self.identity_hash(object),
            "getClass" => {
                let class = self.ask(Question::ClassObject, vec![object]);
                self.stack.push(Entry::object(class));
            }
            "notify" | "notifyAll" => {
                let all = name == "notifyAll";
                if self.world.facts.keeps_waiters {
                    self.wait_set("notify", &object, all)?;
                }
                self.emit(InstructionKind::Notify { monitor: object, all });
            }
            "wait" if self.world.facts.keeps_waiters => self.wait_set("await", &object, false)?,
            "wait" => self.emit(InstructionKind::Wait { monitor: object }),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Calls a method of the class that keeps who waits.
    pub fn wait_set(&mut self, name: &str, monitor: &Operand, flag: bool) -> Result<()> {
        let Some(id) = self.world.resolve(library::WAIT_SETS, name, library::WAIT_SET_METHOD) else {
            return Err(self.malformed("the library has no such method"));
        };
        let flag = Operand::Constant(Value::int(flag.into(), 32));
        self.call_method(id, vec![Entry::object(monitor.clone()), Entry::new(flag, Kind::Int)])
    }

    /// Acquires a monitor, or releases it.
    pub fn monitor(&mut self, monitor: Operand, acquires: bool) {
        let by = if acquires { 1 } else { -1 };
        if acquires {
            self.emit(InstructionKind::Lock { monitor: monitor.clone() });
        }
        if self.world.facts.keeps_waiters {
            let held = self.hidden(&monitor, HOLDS);
            let now = self.compute(Operator::Add, vec![held, Operand::Constant(Value::int(by, 32))]);
            self.set_hidden(&monitor, HOLDS, now);
        }
        if !acquires {
            self.emit(InstructionKind::Unlock { monitor });
        }
    }

    /// Gives or assigns what a hidden cell holds.
    fn hidden_field(&mut self, cell: i64, kind: Kind, arguments: &[Entry]) -> Result<bool> {
        match arguments {
            [object] => {
                let held = self.hidden(&object.operand, cell);
                self.push(held, kind);
            }
            [object, value, ..] => self.set_hidden(&object.operand, cell, value.operand.clone()),
            [] => return Ok(false),
        }
        Ok(true)
    }

    fn hidden_cell(&mut self, object: &Operand, cell: i64) -> Operand {
        self.compute(Operator::Offset, vec![object.clone(), Operand::Constant(Value::int(cell, 32))])
    }

    /// What a cell holds that no variable of the program is.
    fn hidden(&mut self, object: &Operand, cell: i64) -> Operand {
        let address = self.hidden_cell(object, cell);
        self.load(address, identity())
    }

    fn set_hidden(&mut self, object: &Operand, cell: i64, value: Operand) {
        let address = self.hidden_cell(object, cell);
        self.store(address, value, identity());
    }

    /// The hash code of an object as such: any of a few numbers, always the same for one object, 0 for null. It is chosen when
    /// it is first asked for, and nobody learns anything else by it.
    fn identity_hash(&mut self, object: Operand) {
        let result = self.code.register("hash");
        self.code.copy(result, zero(), self.site.span);
        let (test, next) = (self.fresh(), self.fresh());
        self.branch(object.clone(), test, next);
        self.code.write_in(test);
        let address = self.hidden_cell(&object, HASH);
        let known = self.load(address.clone(), identity());
        self.code.copy(result, known.clone(), self.site.span);
        let first = self.fresh();
        self.branch(known, next, first);
        self.code.write_in(first);
        let chosen = self.code.temporary();
        self.emit(InstructionKind::Choose { target: chosen, low: 1, high: MOST_HASHES, width: 32 });
        let last = Operand::Constant(Value::int(MOST_HASHES, 32));
        let is_last = self.compute(Operator::Eq, vec![Operand::Register(chosen), last]);
        let greatest = Operand::Constant(Value::int(GREATEST_HASH, 32));
        let desired = self.compute(Operator::Select, vec![is_last, greatest, Operand::Register(chosen)]);
        let (old, success) = (self.code.temporary(), self.code.temporary());
        let update = Update::CompareExchange {
            expected: zero(),
            desired: desired.clone(),
            success,
            weak: false,
            failure: identity(),
        };
        self.emit(InstructionKind::ReadModifyWrite { target: old, address, update, access: identity() });
        let [success, old] = [success, old].map(Operand::Register);
        let hash = self.compute(Operator::Select, vec![success, desired, old]);
        self.code.copy(result, hash, self.site.span);
        self.jump(next);
        self.push(Operand::Register(result), Kind::Int);
    }

    /// Strings are arrays of characters, without exceptions.
    fn string_method(&mut self, name: &str, arguments: Vec<Entry>) -> Result<bool> {
        let operand = |index: usize| arguments[index].operand.clone();
        let characters = || Access::plain().tagged("final");
        match name {
            "length" => {
                let length = self.length(operand(0));
                self.push(length, Kind::Int);
            }
            "at" => {
                let address = self.compute(Operator::Offset, vec![operand(0), operand(1)]);
                let c = self.load(address, characters());
                self.push(c, Kind::Int);
            }
            "allocate" => {
                let block = self.allocate("java/lang/String", Value::int(0, 32));
                let string = self.compute(Operator::Offset, vec![block, operand(0)]);
                self.stack.push(Entry::object(string));
            }
            "put" => {
                let address = self.compute(Operator::Offset, vec![operand(0), operand(1)]);
                self.store(address, operand(2), characters());
            }
            "freeze" => self.emit(InstructionKind::Freeze { address: operand(0) }),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn thread_method(&mut self, name: &str, arguments: Vec<Entry>) -> Result<bool> {
        match name {
            // These promise nothing about memory (Java language specification, 17.3).
            "yield" | "onSpinWait" => {}
            "currentThread" => {
                let Some(current) = self.current.clone() else {
                    return Err(self.malformed("the current thread is not known"));
                };
                self.stack.push(Entry::object(current));
            }
            "begin" => {
                let Some(field) = self.world.find_field("java/lang/Thread", "begun", false) else {
                    return Err(self.malformed("the library has no such field"));
                };
                let address = self.field_address(arguments[0].operand.clone(), field);
                let success = self.compare_exchange(address, zero(), Operand::Constant(Value::int(1, 32)));
                self.push(success, Kind::Int);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn compare_exchange(&mut self, address: Operand, expected: Operand, desired: Operand) -> Operand {
        let (target, success) = (self.code.temporary(), self.code.temporary());
        let update = Update::CompareExchange { expected, desired, success, weak: false, failure: volatile() };
        self.emit(InstructionKind::ReadModifyWrite { target, address, update, access: volatile() });
        Operand::Register(success)
    }

    /// An atomic operation on the first field of an object.
    fn update(&mut self, name: &str, kind: Kind, arguments: Vec<Entry>) -> Result<bool> {
        let operand = |index: usize| arguments[index].operand.clone();
        self.require_object(&arguments[0])?;
        let address = self.compute(Operator::Offset, vec![operand(0), zero()]);
        if name == "compareAndSet" {
            let success = self.compare_exchange(address, operand(1), operand(2));
            self.push(success, Kind::Int);
            return Ok(true);
        }
        let target = self.code.temporary();
        let update = match name {
            "getAndSet" => Update::Exchange(operand(1)),
            _ => Update::Apply(Operator::Add, operand(1)),
        };
        self.emit(InstructionKind::ReadModifyWrite { target, address, update, access: volatile() });
        self.push(Operand::Register(target), kind);
        Ok(true)
    }

    fn machine_thread(&mut self, name: &str, arguments: Vec<Entry>) -> Result<bool> {
        let operand = |index: usize| arguments[index].operand.clone();
        match name {
            "interrupts" => self.push_int(self.world.facts.interrupts.into()),
            "names" => self.push_int(self.world.facts.names.into()),
            "tellsTime" => self.push_int(self.world.facts.time.into()),
            "daemons" => self.push_int(self.world.facts.daemons.into()),
            "spawn" => {
                if let Some(count) = daemon::count(self.world, &mut self.code, operand(0), true, self.site.span) {
                    self.emit(count);
                }
                let function = self.world.functions.ask(Key::Run);
                let target = self.code.temporary();
                self.emit(InstructionKind::Spawn { target, function, arguments: vec![operand(0)] });
                let handle = self.compute(Operator::Make(STARTED.into(), 1), vec![Operand::Register(target)]);
                self.push(handle, Kind::Reference);
            }
            "join" => {
                let is_started = self.compute(Operator::Ne, vec![operand(0), zero()]);
                let (wait, next) = (self.fresh(), self.fresh());
                self.branch(is_started, wait, next);
                self.code.write_in(wait);
                let thread = self.compute(Operator::Get(STARTED.into(), 0), vec![operand(0)]);
                self.emit(InstructionKind::Join { thread });
                self.jump(next);
            }
            _ => {
                let cell = Operand::Constant(Value::int(SECOND_MONITOR, 32));
                let monitor = self.compute(Operator::Offset, vec![operand(0), cell]);
                self.emit(match name {
                    "lock" => InstructionKind::Lock { monitor },
                    _ => InstructionKind::Unlock { monitor },
                });
            }
        }
        Ok(true)
    }

    /// Waits until a flag of either thread is set.
    fn await_either(&mut self, arguments: Vec<Entry>) -> Result<bool> {
        let ended = self.world.find_field("java/lang/Thread", "ended", false);
        let interrupted = self.world.find_field("java/lang/Thread", "interrupted", false);
        let (Some(ended), Some(interrupted)) = (ended, interrupted) else {
            return Err(self.malformed("the library has no such field"));
        };
        self.emit(InstructionKind::AtomicBegin);
        let address = self.field_address(arguments[0].operand.clone(), ended);
        let ended = self.load(address, volatile());
        let address = self.field_address(arguments[1].operand.clone(), interrupted);
        let interrupted = self.load(address, volatile());
        let condition = self.compute(Operator::Or, vec![ended, interrupted]);
        self.emit(InstructionKind::Await { condition });
        self.emit(InstructionKind::AtomicEnd);
        Ok(true)
    }

    /// Waits until the first field of an object is null, and assigns it.
    fn acquire(&mut self, arguments: Vec<Entry>) -> Result<bool> {
        self.emit(InstructionKind::AtomicBegin);
        let address = self.compute(Operator::Offset, vec![arguments[0].operand.clone(), zero()]);
        let held = self.load(address.clone(), volatile());
        let condition = self.compute(Operator::Eq, vec![held, zero()]);
        self.emit(InstructionKind::Await { condition });
        self.store(address, arguments[1].operand.clone(), volatile());
        self.emit(InstructionKind::AtomicEnd);
        Ok(true)
    }

    /// Waits until the first field of an object is null or the thread is interrupted; whether it was assigned.
    fn acquire_unless_interrupted(&mut self, arguments: &[Entry]) -> Result<bool> {
        let Some(interrupted) = self.world.find_field("java/lang/Thread", "interrupted", false) else {
            return Err(self.malformed("the library has no such field"));
        };
        let prefers = self.code.temporary();
        self.emit(InstructionKind::Choose { target: prefers, low: 0, high: 1, width: 32 });
        let address = self.compute(Operator::Offset, vec![arguments[0].operand.clone(), zero()]);
        let flag = self.field_address(arguments[1].operand.clone(), interrupted);
        self.emit(InstructionKind::AtomicBegin);
        let held = self.load(address.clone(), volatile());
        let is_free = self.compute(Operator::Eq, vec![held, zero()]);
        let flag = self.load(flag, volatile());
        let condition = self.compute(Operator::Or, vec![is_free.clone(), flag.clone()]);
        self.emit(InstructionKind::Await { condition });
        let gives_up = self.compute(Operator::And, vec![flag, Operand::Register(prefers)]);
        let stays = self.compute(Operator::Eq, vec![gives_up, zero()]);
        let taken = self.compute(Operator::And, vec![is_free, stays]);
        let (take, next) = (self.fresh(), self.fresh());
        self.branch(taken.clone(), take, next);
        self.code.write_in(take);
        self.store(address, arguments[1].operand.clone(), volatile());
        self.jump(next);
        self.emit(InstructionKind::AtomicEnd);
        self.push(taken, Kind::Int);
        Ok(true)
    }

    fn machine_object(&mut self, name: &str, arguments: Vec<Entry>) -> Result<bool> {
        let operand = |index: usize| arguments[index].operand.clone();
        match name {
            "length" => {
                let length = self.length(operand(0));
                self.push(length, Kind::Int);
            }
            "cell" => {
                let address = self.compute(Operator::Offset, vec![operand(0), operand(1)]);
                let value = self.load(address, Access::plain().tagged(ELEMENT));
                self.push(value, Kind::Reference);
            }
            "setCell" => {
                let address = self.compute(Operator::Offset, vec![operand(0), operand(1)]);
                self.store(address, operand(2), Access::plain().tagged(ELEMENT));
            }
            "mayHold" => self.may_hold(operand(0), operand(1)),
            "isInstance" => self.ask_unless_null(Question::HasInstance, operand(0), operand(1), false),
            "newArray" => {
                let array = self.ask(Question::NewArray, vec![operand(0), operand(1)]);
                self.stack.push(Entry::object(array));
            }
            "componentType" => {
                let component = self.ask(Question::Component, vec![operand(0)]);
                self.push(component, Kind::Reference);
            }
            "holdsReferences" => {
                let holds = self.ask(Question::HoldsReferences, vec![operand(0)]);
                self.push(holds, Kind::Int);
            }
            "enumOf" => {
                let class = self.ask(Question::EnumObject, vec![operand(0)]);
                self.stack.push(Entry::object(class));
            }
            "sameClass" => {
                let left = self.ask(Question::ClassObject, vec![operand(0)]);
                let right = self.ask(Question::ClassObject, vec![operand(1)]);
                let same = self.compute(Operator::Eq, vec![left, right]);
                self.push(same, Kind::Int);
            }
            "className" => {
                let class = self.ask(Question::ClassObject, vec![operand(0)]);
                let address = self.compute(Operator::Offset, vec![class, zero()]);
                let name = self.load(address, Access::plain().tagged("final"));
                self.stack.push(Entry::object(name));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Ends the execution: the library does not model what comes.
    fn refuse_here(&mut self, what: &Entry) -> Result<bool> {
        let text = what.operand.constant().and_then(|value| match value {
            Value::Pointer(pointer) => self.world.memory.text(pointer.allocation),
            _ => None,
        });
        let what = text.unwrap_or_else(|| "this use of a library class".into());
        self.emit(InstructionKind::claim(AssertSort::Unsupported, zero(), what));
        Ok(true)
    }

    /// Every array of references may hold null.
    fn may_hold(&mut self, array: Operand, value: Operand) {
        self.ask_unless_null(Question::MayHold, array, value, true);
    }

    /// Asks an object a question about a value; if that is null the answer is known.
    fn ask_unless_null(&mut self, question: Question, object: Operand, value: Operand, of_null: bool) {
        let result = self.code.register("holds");
        self.code.copy(result, Operand::Constant(Value::int(of_null.into(), 32)), self.site.span);
        let (test, next) = (self.fresh(), self.fresh());
        self.branch(value.clone(), test, next);
        self.code.write_in(test);
        let holds = self.ask(question, vec![object, value]);
        self.code.copy(result, holds, self.site.span);
        self.jump(next);
        self.push(Operand::Register(result), Kind::Int);
    }

    /// The one object of a small number.
    fn cached(&mut self, class: &str, low: i64, width: u8, arguments: Vec<Entry>) -> Result<bool> {
        let block = Operand::Constant(self.world.memory.cache(class, low, width));
        let object = self.compute(Operator::Offset, vec![block, arguments[0].operand.clone()]);
        self.stack.push(Entry::object(object));
        Ok(true)
    }

    /// A program that ends itself with an error fails. One that ends without an error would have to stop its other threads.
    fn exit(&mut self, arguments: Vec<Entry>) -> Result<bool> {
        match arguments[0].operand.constant().and_then(Value::truth) {
            Some(true) => {
                let status = match &arguments[0].operand {
                    Operand::Constant(Value::Int(status)) => status.signed().to_string(),
                    _ => String::new(),
                };
                let message = format!("System.exit({status})");
                self.emit(InstructionKind::claim(AssertSort::Exit, zero(), message));
                self.emit(InstructionKind::Assume { condition: zero() });
                Ok(true)
            }
            _ => Err(self.refuse("`System.exit` with a status that may be 0")),
        }
    }
}
