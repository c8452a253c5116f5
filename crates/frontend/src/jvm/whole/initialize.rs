//! When classes are initialised.
//!
//! Java initialises a class when it is first used. If nobody can tell the difference, that is done before the program
//! begins, by the setup: the initialiser and all that it calls read and write nothing but the statics of the class and
//! objects that they make, constants of other classes, and do not synchronise or print. Otherwise each use calls a function
//! that follows the procedure of the Java language specification (12.4.2), with a volatile state and a monitor for each
//! class; it holds the monitor while the initialiser runs.
//!
//! An initialiser that is likely to throw waits for the first use too. Should one throw in the setup after all, an assertion
//! says so.

use std::collections::HashSet;

use cafebabe::bytecode::Opcode;
use cafebabe::constant_pool::{BootstrapArgument, MemberRef};
use program::{Function, InstructionKind, Operand, Operator, Pointer, Terminator, Value};

use crate::jvm::class::Kind;
use crate::jvm::code::Code;
use crate::jvm::places::{MethodId, shown};

use super::functions::Key;
use super::terms::{Initialization, volatile, zero};
use super::world::World;

/// The states of a class that is initialised on first use.
const UNDER_WAY: i64 = 1;
const DONE: i64 = 2;
const FAILED: i64 = 3;

/// Whether uses of a class must initialise it. What the setup does for it is noted.
pub fn is_lazy(world: &mut World, class: usize) -> bool {
    decide(world, class) == Initialization::Lazy
}

fn decide(world: &mut World, class: usize) -> Initialization {
    if let Some(&known) = world.initialization.get(&class) {
        return known;
    }
    if world.has_jdk && class >= world.own {
        return decide_library(world, class);
    }
    world.initialization.insert(class, Initialization::Open);
    let parent = world.classes[class].parent.and_then(|name| world.class(name));
    let is_early = parent.is_none_or(|parent| decide(world, parent) == Initialization::Early)
        && initializer(world, class).is_none_or(|id| Effects::of(world, class, id));
    let decided = if is_early { Initialization::Early } else { Initialization::Lazy };
    world.initialization.insert(class, decided);
    if is_early && initializer(world, class).is_some() {
        world.setup.push(class);
    }
    decided
}

/// Classes of the library are initialised by the setup, each after those that its initialiser uses as far as can be told.
fn decide_library(world: &mut World, class: usize) -> Initialization {
    world.initialization.insert(class, Initialization::Early);
    if let Some(parent) = world.classes[class].parent.and_then(|name| world.class(name)) {
        decide(world, parent);
    }
    let Some(id) = initializer(world, class) else { return Initialization::Early };
    let mut seen = HashSet::from([id]);
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        let opcodes = world.method(id).body.as_ref().map_or(&[][..], |body| body.opcodes);
        for (_, opcode) in opcodes {
            let (used, called) = library_use(world, id, opcode);
            if let Some(used) = used.filter(|&used| used != class) {
                decide(world, used);
            }
            open.extend(called.filter(|&called| seen.insert(called)));
        }
    }
    world.setup.push(class);
    Initialization::Early
}

/// The class that an instruction initialises, and the method that it calls as far as that is known without the object.
fn library_use(world: &World, id: MethodId, opcode: &Opcode) -> (Option<usize>, Option<MethodId>) {
    use Opcode::*;
    match opcode {
        Getstatic(member) | Putstatic(member) => (world.class(&member.class_name), None),
        New(name) => (world.class(name), None),
        Invokestatic(member) | Invokespecial(member) | Invokevirtual(member) | Invokeinterface(member, _) => {
            let (name, descriptor) = (&*member.name_and_type.name, &*member.name_and_type.descriptor);
            if super::border::is_known(&member.class_name, name) {
                return (None, None);
            }
            let called = world.resolve(&member.class_name, name, descriptor);
            let used = called.filter(|&id| world.method(id).is_static).map(|id| id.0);
            (used, called)
        }
        // A lambda may be run at once.
        Invokedynamic(call) => {
            let bootstrap = world.method(id).bootstraps.get(usize::from(call.attr_index));
            let called = bootstrap.and_then(|bootstrap| match bootstrap.arguments.get(1)? {
                BootstrapArgument::MethodHandle(body) => {
                    world.resolve(&body.class_name, &body.member_ref.name, &body.member_ref.descriptor)
                }
                _ => None,
            });
            (None, called)
        }
        _ => (None, None),
    }
}

/// The class initialiser, unless it only keeps whether assertions are disabled.
pub fn initializer(world: &World, class: usize) -> Option<MethodId> {
    let id = (class, world.classes[class].method("<clinit>", "()V")?);
    let opcodes = world.method(id).body.as_ref().map_or(&[][..], |body| body.opcodes);
    let is_assertion = |opcode: &Opcode| matches!(opcode, Opcode::Putstatic(member) if member.name_and_type.name == super::terms::DISABLED);
    let only_asserts = matches!(
        opcodes,
        [(_, Opcode::Ldc(_) | Opcode::LdcW(_)), (_, Opcode::Invokevirtual(_)), _, _, _, _, (_, put), (_, Opcode::Return)]
            if is_assertion(put)
    );
    (!only_asserts).then_some(id)
}

/// What an initialiser and the methods that it calls do.
struct Effects {
    /// The class that is initialised.
    class: usize,
    seen: HashSet<MethodId>,
    open: Vec<MethodId>,
    /// Whether an object of another class's static field is at hand.
    has_foreign: bool,
    /// Whether a field or element that may change is read, or one is written.
    uses_objects: bool,
}

impl Effects {
    /// Whether nobody can tell when the initialiser runs.
    fn of(world: &mut World, class: usize, id: MethodId) -> bool {
        let mut effects =
            Effects { class, seen: HashSet::from([id]), open: vec![id], has_foreign: false, uses_objects: false };
        while let Some(id) = effects.open.pop() {
            let method = world.method(id);
            let Some(body) = &method.body else {
                if effects.is_pure_native(world, id) {
                    continue;
                }
                return false;
            };
            let opcodes = body.opcodes;
            let is_synchronized = method.is_synchronized;
            if is_synchronized || throws(opcodes, id.0 < world.own) {
                return false;
            }
            if !opcodes.iter().all(|(_, opcode)| effects.allows(world, id, opcode)) {
                return false;
            }
        }
        !(effects.has_foreign && effects.uses_objects)
    }

    fn is_pure_native(&self, world: &World, id: MethodId) -> bool {
        let (class, name) = (world.classes[id.0].name, world.method(id).name);
        match class {
            "java/lang/String" | "java/lang/Integer" | "java/lang/Long" | "java/lang/Character" => true,
            "java/lang/Double" | "java/lang/Float" => true,
            "java/lang/Object" => matches!(name, "getClass" | "hashCode" | "clone"),
            "palisade/Machine" => {
                let pure = [
                    "length",
                    "cell",
                    "setCell",
                    "mayHold",
                    "isInstance",
                    "holdsReferences",
                    "sameClass",
                    "enumOf",
                    "className",
                ];
                pure.contains(&name) || name == "names" || name == "interrupts"
            }
            _ => false,
        }
    }

    fn allows(&mut self, world: &mut World, id: MethodId, opcode: &Opcode) -> bool {
        use Opcode::*;
        match opcode {
            Getstatic(member) => self.allows_static(world, member),
            Putstatic(member) => {
                let field = world.find_field(&member.class_name, &member.name_and_type.name, true);
                field.is_some_and(|field| field.0 == self.class)
            }
            Getfield(member) => {
                let field = world.find_field(&member.class_name, &member.name_and_type.name, false);
                self.uses_objects |= field.is_none_or(|field| !world.field(field).is_final);
                true
            }
            Putfield(_) | Iaload | Baload | Caload | Saload | Laload | Faload | Daload | Aaload | Iastore | Bastore
            | Castore | Sastore | Lastore | Fastore | Dastore | Aastore => {
                self.uses_objects = true;
                true
            }
            New(name) => world.class(name).is_some_and(|class| self.triggers(world, class)),
            Monitorenter | Monitorexit => false,
            Invokestatic(member) | Invokespecial(member) => self.calls(world, member, false),
            Invokevirtual(member) | Invokeinterface(member, _) => {
                member.class_name.starts_with('[') || self.calls(world, member, true)
            }
            // A lambda is made, not run; a concatenation appends to a builder.
            Invokedynamic(call) => {
                let bootstrap = world.method(id).bootstraps.get(usize::from(call.attr_index));
                bootstrap.is_some_and(|bootstrap| bootstrap.method.member_ref.name == "metafactory")
            }
            _ => true,
        }
    }

    fn allows_static(&mut self, world: &mut World, member: &MemberRef) -> bool {
        if member.name_and_type.name == super::terms::DISABLED {
            return true;
        }
        let Some(id) = world.find_field(&member.class_name, &member.name_and_type.name, true) else { return false };
        if id.0 == self.class {
            return true;
        }
        self.has_foreign |= world.field(id).kind == Kind::Reference;
        world.field(id).is_final && self.triggers(world, id.0)
    }

    /// Whether a class that is used can be initialised before.
    fn triggers(&self, world: &mut World, class: usize) -> bool {
        class == self.class || decide(world, class) == Initialization::Early
    }

    /// Whether all methods that a call may run are harmless; they are looked at later.
    fn calls(&mut self, world: &mut World, member: &MemberRef, is_virtual: bool) -> bool {
        let (name, descriptor) = (&*member.name_and_type.name, &*member.name_and_type.descriptor);
        let Some(id) = world.resolve(&member.class_name, name, descriptor) else { return false };
        if world.method(id).is_static && !self.triggers(world, id.0) {
            return false;
        }
        let mut found = vec![id];
        if is_virtual {
            let is_below = |&class: &usize| world.is_subtype(world.classes[class].name, &member.class_name);
            let below: Vec<usize> = (0..world.classes.len()).filter(is_below).collect();
            found = below.into_iter().filter_map(|class| world.select(class, name, descriptor)).collect();
        }
        for id in found {
            if self.seen.insert(id) {
                self.open.push(id);
            }
        }
        true
    }
}

/// Whether code is likely to throw an exception on purpose: it throws one, casts, or divides by what is no constant. The
/// library throws only what its callers provoke.
fn throws(opcodes: &[(usize, Opcode)], is_own: bool) -> bool {
    use Opcode::*;
    let is_number = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| opcodes.get(before));
        matches!(
            before,
            Some((_, Iconst1 | Iconst2 | Iconst3 | Iconst4 | Iconst5 | Bipush(1..) | Sipush(1..) | Ldc(_) | Ldc2W(_)))
        )
    };
    is_own
        && opcodes.iter().enumerate().any(|(at, (_, opcode))| match opcode {
            Athrow | Checkcast(_) => true,
            Idiv | Irem | Ldiv | Lrem => !is_number(at),
            _ => false,
        })
}

/// The function that initialises a class on first use.
pub fn lower_initialize(world: &mut World, class: usize) -> Function {
    let name = shown(world.classes[class].name);
    let id = (class, 0);
    let span = world.places.statement(id, 0);
    let mut code = Code::new(format!("{name}.<initialize>"), Some(span));
    let current: Vec<Operand> =
        world.facts.current.then(|| Operand::Register(code.parameter("thread"))).into_iter().collect();
    let state = Operand::Constant(world.memory.word(format!("{name}.<state>")));
    let Operand::Constant(Value::Pointer(Pointer { allocation, .. })) = state else {
        return code.finish_with(1);
    };
    let monitor = Operand::Constant(Value::Pointer(Pointer { allocation, path: vec![0] }));
    let number = |value: i64| Operand::Constant(Value::int(value, 32));
    let load = |code: &mut Code| {
        let target = code.temporary();
        code.emit(InstructionKind::Load { target, address: state.clone(), access: volatile() }, span);
        Operand::Register(target)
    };
    let set = |code: &mut Code, value: i64| {
        let kind = InstructionKind::Store { address: state.clone(), value: number(value), access: volatile() };
        code.emit(kind, span);
    };
    let unlock = InstructionKind::Unlock { monitor: monitor.clone() };
    let [done, ask, seen, failed, begun, run] = std::array::from_fn(|_| code.block(Some(span)));
    let now = load(&mut code);
    let is_done = code.compute(Operator::Eq, vec![now, number(DONE)], span);
    code.branch(is_done, done, ask, span);
    code.write_in(done);
    code.end(Terminator::Return(vec![zero()]));

    code.write_in(ask);
    code.emit(InstructionKind::Lock { monitor: monitor.clone() }, span);
    let now = load(&mut code);
    code.branch(now.clone(), seen, run, span);
    code.write_in(seen);
    code.emit(unlock.clone(), span);
    let has_failed = code.compute(Operator::Eq, vec![now, number(FAILED)], span);
    code.branch(has_failed, failed, begun, span);
    code.write_in(begun);
    code.end(Terminator::Return(vec![zero()]));
    code.write_in(failed);
    let error = machine(world, &mut code, "noClass", current.clone(), span);
    code.end(Terminator::Return(vec![error]));

    code.write_in(run);
    set(&mut code, UNDER_WAY);
    let parent = world.classes[class].parent.and_then(|name| world.class(name));
    let parent = parent.filter(|&parent| is_lazy(world, parent)).map(Key::Initialize);
    let own = initializer(world, class).map(Key::Method);
    for key in parent.into_iter().chain(own) {
        let thrown = code.temporary();
        let function = world.functions.ask(key);
        code.emit(InstructionKind::Call { function, arguments: current.clone(), targets: vec![thrown] }, span);
        let [wrong, right] = std::array::from_fn(|_| code.block(Some(span)));
        code.branch(Operand::Register(thrown), wrong, right, span);
        code.write_in(wrong);
        set(&mut code, FAILED);
        code.emit(unlock.clone(), span);
        let arguments = std::iter::once(Operand::Register(thrown)).chain(current.clone()).collect();
        let error = machine(world, &mut code, "initializer", arguments, span);
        code.end(Terminator::Return(vec![error]));
        code.write_in(right);
    }
    set(&mut code, DONE);
    code.emit(unlock, span);
    code.end(Terminator::Return(vec![zero()]));
    code.finish_with(1)
}

/// Calls a method of `palisade.Machine` that makes an exception.
fn machine(world: &mut World, code: &mut Code, name: &str, arguments: Vec<Operand>, span: program::Span) -> Operand {
    let class = world.class("palisade/Machine").unwrap_or(0);
    let method = world.classes[class].methods.iter().position(|method| method.name == name).unwrap_or(0);
    let function = world.functions.ask(Key::Method((class, method)));
    let (made, thrown) = (code.temporary(), code.temporary());
    code.emit(InstructionKind::Call { function, arguments, targets: vec![made, thrown] }, span);
    Operand::Register(made)
}
