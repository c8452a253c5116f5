//! Calls: methods of the program are put in place, a few of the library are known, all others are refused.

use cafebabe::constant_pool::{BootstrapArgument, InvokeDynamic, MemberRef, MethodHandle, ReferenceKind};
use program::{FunctionId, InstructionKind, Operand, Operator, Simplification, Span, Terminator, Value};

use super::class::{Kind, given_numbers, signature};
use super::field::RUNNABLE;
use super::lower::{Entry, Frame, Lowering, Result, Role};
use super::places::{MethodId, shown};
use super::world::Found;

/// The class of a lambda's object starts with this; `Class.method(descriptor)` of its body follows.
const LAMBDA: &str = "lambda ";

/// What makes lambdas.
const METAFACTORY: (&str, &str) = ("java/lang/invoke/LambdaMetafactory", "metafactory");

impl<'a> Lowering<'_, 'a> {
    pub fn invoke_static(&mut self, frame: &mut Frame<'a>, member: &MemberRef) -> Result<()> {
        let arguments = self.arguments(frame, member, false)?;
        match self.world.find_method(&member.class_name, &member.name_and_type.name, &member.name_and_type.descriptor) {
            Found::Method(id) if self.world.method(id).is_static => self.call(frame, id, arguments),
            Found::Method(_) => Err(self.malformed("a method with a receiver is called without one", frame.site)),
            Found::Library(class) => self.library(frame, &class, member, arguments),
        }
    }

    /// A call of exactly the method named: a constructor, a private method, or one of the parent.
    pub fn invoke_special(&mut self, frame: &mut Frame<'a>, member: &MemberRef) -> Result<()> {
        let arguments = self.arguments(frame, member, true)?;
        match self.world.find_method(&member.class_name, &member.name_and_type.name, &member.name_and_type.descriptor) {
            Found::Method(id) => self.call(frame, id, arguments),
            Found::Library(class) => self.library(frame, &class, member, arguments),
        }
    }

    /// A call that the receiver's class decides.
    pub fn invoke_virtual(&mut self, frame: &mut Frame<'a>, member: &MemberRef) -> Result<()> {
        let arguments = self.arguments(frame, member, true)?;
        let (name, descriptor) = (&*member.name_and_type.name, &*member.name_and_type.descriptor);
        if let Some(receiver) = arguments.first() {
            self.require_object(frame, receiver);
        }
        let exact = arguments.first().and_then(|receiver| self.shape_of(receiver)).map(|shape| shape.class);
        if let Some(class) = exact.filter(|class| self.world.class(class).is_some()) {
            return match self.world.find_method(&class, name, descriptor) {
                Found::Method(id) => self.call(frame, id, arguments),
                Found::Library(library) => self.library(frame, &library, member, arguments),
            };
        }
        let candidates = self.world.implementations(&member.class_name, name, descriptor);
        match candidates[..] {
            [] => {
                let found = self.world.find_method(&member.class_name, name, descriptor);
                let Found::Library(class) = found else {
                    return Err(self.refuse(self.called(member, "which nothing implements"), frame.site));
                };
                self.library(frame, &class, member, arguments)
            }
            _ if self.world.has_lambdas(&member.class_name) => {
                Err(self.refuse(self.called(member, "which a lambda may implement"), frame.site))
            }
            [id] => self.call(frame, id, arguments),
            _ if self.role == Role::Thread && self.world.is_made_before_threads(&member.class_name) => {
                self.dispatch(frame, member, arguments)
            }
            _ => {
                let names: Vec<String> = candidates.iter().map(|&id| self.world.method_name(id)).collect();
                let which = format!("which may be {}", names.join(" or "));
                Err(self.refuse(self.called(member, &which), frame.site))
            }
        }
    }

    /// A call of a method that several classes implement, all of whose objects were made before the threads start: the receiver is compared with
    /// each of them.
    fn dispatch(&mut self, frame: &mut Frame<'a>, member: &MemberRef, arguments: Vec<Entry>) -> Result<()> {
        let (name, descriptor, span) =
            (&*member.name_and_type.name, &*member.name_and_type.descriptor, frame.site.span);
        let [receiver, others @ ..] = &arguments[..] else {
            return Err(self.malformed("a call without a receiver", frame.site));
        };
        arguments.iter().chain(&frame.stack).for_each(|entry| self.code.keep(&entry.operand));
        let result = signature(descriptor).and_then(|(_, result)| result);
        let register = result.map(|_| self.code.register("chosen"));
        let next = self.code.block(None);
        for (shape, objects) in self.world.memory.objects(&|class| self.world.is_subtype(class, &member.class_name)) {
            let Found::Method(id) = self.world.find_method(&shape.class, name, descriptor) else { continue };
            let here = self.code.block(Some(span));
            for object in objects {
                let operands = vec![receiver.operand.clone(), Operand::Constant(Value::Pointer(object))];
                let is_this = self.code.compute(Operator::Eq, operands, span);
                let other = self.code.block(Some(span));
                self.code.branch(is_this, here, other, span);
                self.code.write_in(other);
            }
            let rest = self.code.current();
            self.code.write_in(here);
            let known = Entry { shape: Some(shape), ..receiver.clone() };
            self.call(frame, id, [&[known], others].concat())?;
            if let Some(register) = register {
                let given = self.pop(frame)?;
                self.code.copy(register, given.operand, span);
            }
            self.code.end(Terminator::Jump(next));
            self.code.write_in(rest);
        }
        // There is no other object.
        self.code.end(Terminator::Jump(next));
        self.code.write_in(next);
        if let (Some(register), Some(kind)) = (register, result) {
            frame.stack.push(Entry { operand: Operand::Register(register), kind, shape: None });
        }
        Ok(())
    }

    fn called(&self, member: &MemberRef, which: &str) -> String {
        format!("the call of `{}.{}`, {which},", shown(&member.class_name), member.name_and_type.name)
    }

    /// Takes the arguments of a call, the receiver first.
    fn arguments(&mut self, frame: &mut Frame<'a>, member: &MemberRef, has_receiver: bool) -> Result<Vec<Entry>> {
        let Some((mut kinds, _)) = signature(&member.name_and_type.descriptor) else {
            return Err(self.malformed("a method has no descriptor", frame.site));
        };
        if let Some(what) = kinds.iter().find_map(|kind| kind.refused()) {
            let name = format!("{}.{}", shown(&member.class_name), member.name_and_type.name);
            return Err(self.refuse(format!("{what} in a call of `{name}`"), frame.site));
        }
        if has_receiver {
            kinds.insert(0, Kind::Reference);
        }
        let mut arguments = Vec::new();
        for &kind in kinds.iter().rev() {
            arguments.push(self.pop_kind(frame, kind)?);
        }
        arguments.reverse();
        Ok(arguments)
    }

    /// Calls a method of the program.
    fn call(&mut self, frame: &mut Frame<'a>, id: MethodId, arguments: Vec<Entry>) -> Result<()> {
        let method = self.world.method(id);
        if method.is_special {
            let skipped = usize::from(!method.is_static);
            let (name, is_empty, result) = (method.name, method.is_empty(), method.result);
            let arguments = arguments[skipped.min(arguments.len())..].to_vec();
            if let Some(kind) = result.filter(|_| method.is_native) {
                return self.take_in(frame, id, kind, arguments);
            }
            if !is_empty || result.is_some() {
                let name = self.world.method_name(id);
                let what = format!("the special method `{name}`, which is neither empty nor native,");
                return Err(self.refuse(what, frame.site));
            }
            self.observe(frame, name, &arguments);
            return Ok(());
        }
        // What the callee leaves on its own stack is no concern of ours; what lies on ours it cannot reach.
        let outside = self.held.len();
        self.held.extend(frame.held.iter().cloned());
        let result = self.inline(id, arguments, frame.site);
        self.held.truncate(outside);
        let result = result?;
        frame.stack.extend(result);
        Ok(())
    }

    /// An external action with a result, which may be any number of its type: it is observed after the arguments.
    fn take_in(&mut self, frame: &mut Frame<'a>, id: MethodId, kind: Kind, mut arguments: Vec<Entry>) -> Result<()> {
        let method = self.world.method(id);
        let name = method.name;
        let Some((low, high, width)) = given_numbers(&method.descriptor) else {
            let name = self.world.method_name(id);
            return Err(self.refuse(format!("the special method `{name}`, which gives no number,"), frame.site));
        };
        let target = self.code.temporary();
        self.code.emit(InstructionKind::Choose { target, low, high, width }, frame.site.span);
        let result = Entry { operand: Operand::Register(target), kind, shape: None };
        arguments.push(result.clone());
        self.observe(frame, name, &arguments);
        frame.stack.push(result);
        Ok(())
    }

    /// Waits at a monitor, or gives it up and takes it again: that a wait ends without a notification is a choice.
    fn wait(&mut self, monitor: Operand, span: Span) {
        self.world.simplified.insert(Simplification::RareWakeUps);
        let ends = self.code.ends_without_notification(span);
        let [woken, waits, next] = [(); 3].map(|()| self.code.block(Some(span)));
        self.code.branch(ends, woken, waits, span);
        self.code.write_in(woken);
        self.code.emit(InstructionKind::Unlock { monitor: monitor.clone() }, span);
        self.code.emit(InstructionKind::Lock { monitor: monitor.clone() }, span);
        self.code.end(Terminator::Jump(next));
        self.code.write_in(waits);
        self.code.emit(InstructionKind::Wait { monitor }, span);
        self.code.end(Terminator::Jump(next));
        self.code.write_in(next);
    }

    /// An external action: one observation for each argument, or one of 0 if there is none.
    fn observe(&mut self, frame: &Frame<'a>, name: &str, arguments: &[Entry]) {
        let nothing = [Entry::constant(Value::int(0, 32), Kind::Int)];
        let arguments = if arguments.is_empty() { &nothing[..] } else { arguments };
        for argument in arguments {
            let kind = InstructionKind::Observe { label: name.into(), value: argument.operand.clone() };
            self.code.emit(kind, frame.site.span);
        }
    }

    /// Calls a method of a class that was not given.
    fn library(&mut self, frame: &mut Frame<'a>, class: &str, member: &MemberRef, arguments: Vec<Entry>) -> Result<()> {
        let span = frame.site.span;
        let (name, descriptor) = (&*member.name_and_type.name, &*member.name_and_type.descriptor);
        let receiver = arguments.first().cloned();
        match (class, name, descriptor, receiver) {
            ("java/lang/Object", "<init>", "()V", _) => {}
            ("java/lang/Class", "desiredAssertionStatus", "()Z", _) => {
                frame.stack.push(Entry::constant(Value::int(1, 32), Kind::Int));
            }
            ("java/lang/Object", "wait", "()V", Some(monitor)) => self.wait(monitor.operand, span),
            ("java/lang/Object", "notify" | "notifyAll", "()V", Some(monitor)) => {
                let all = name == "notifyAll";
                self.code.emit(InstructionKind::Notify { monitor: monitor.operand, all }, span);
            }
            ("java/lang/Thread", "<init>", "()V" | "(Ljava/lang/String;)V", _) => {}
            (
                "java/lang/Thread",
                "<init>",
                "(Ljava/lang/Runnable;)V" | "(Ljava/lang/Runnable;Ljava/lang/String;)V",
                Some(thread),
            ) => self.store_hidden(frame, thread, RUNNABLE, arguments[1].operand.clone()),
            // These promise nothing about memory (Java language specification, 17.3).
            ("java/lang/Thread", "yield" | "onSpinWait", "()V", _) | ("java/lang/Thread", "sleep", "(J)V", _) => {}
            ("java/lang/Thread", "start" | "join", "()V", Some(thread)) => self.start_or_join(frame, name, thread)?,
            // What javac adds to a reference to a method of an object.
            ("java/util/Objects", "requireNonNull", "(Ljava/lang/Object;)Ljava/lang/Object;", Some(object)) => {
                frame.stack.push(object);
            }
            ("java/io/PrintStream", "println" | "print", _, _) => self.observe(frame, name, &arguments[1..]),
            _ => {
                let what = format!("the call of `{}.{name}`", shown(class));
                return Err(self.refuse(what, frame.site));
            }
        }
        Ok(())
    }

    /// Threads are started and joined in `main`; which thread and what it runs is found when `main` is run.
    fn start_or_join(&mut self, frame: &Frame<'a>, name: &str, thread: Entry) -> Result<()> {
        if self.role != Role::Main {
            return Err(self.refuse(format!("`Thread.{name}` outside of `main`"), frame.site));
        }
        let thread = thread.operand;
        let kind = if name == "start" {
            let target = self.code.temporary();
            InstructionKind::Spawn { target, function: FunctionId(u32::MAX), arguments: vec![thread] }
        } else {
            InstructionKind::Join { thread }
        };
        self.code.emit(kind, frame.site.span);
        Ok(())
    }

    /// A lambda or method reference: an object whose class names the body and whose cells hold what it captured.
    pub fn invoke_dynamic(&mut self, frame: &mut Frame<'a>, call: &InvokeDynamic) -> Result<()> {
        let bootstrap = self.world.method(frame.id).bootstraps.get(usize::from(call.attr_index));
        let Some(bootstrap) = bootstrap else {
            return Err(self.malformed("`invokedynamic` refers to nothing", frame.site));
        };
        let maker = &bootstrap.method;
        let body = match &bootstrap.arguments[..] {
            [_, BootstrapArgument::MethodHandle(body), _]
                if (&*maker.class_name, &*maker.member_ref.name) == METAFACTORY =>
            {
                body
            }
            _ => {
                let maker = format!("{}.{}", shown(&maker.class_name), maker.member_ref.name);
                return Err(self.refuse(format!("`invokedynamic` to `{maker}`"), frame.site));
            }
        };
        let Some(class) = lambda_class(body) else {
            return Err(self.refuse("a reference to a constructor", frame.site));
        };
        let Some((kinds, _)) = signature(&call.name_and_type.descriptor) else {
            return Err(self.malformed("`invokedynamic` has no descriptor", frame.site));
        };
        let mut captured = Vec::new();
        for &kind in kinds.iter().rev() {
            captured.push(self.pop_kind(frame, kind)?.operand);
        }
        captured.reverse();
        self.allocate(frame, &class, None, Kind::Int.default());
        let Some(object) = frame.stack.last().cloned() else { return Ok(()) };
        for (number, value) in captured.into_iter().enumerate() {
            self.store_hidden(frame, object.clone(), number as i64, Operand::clone(&value));
        }
        Ok(())
    }
}

/// The class of the objects that a lambda with this body makes.
fn lambda_class(body: &MethodHandle) -> Option<String> {
    let is_method = !matches!(body.kind, ReferenceKind::NewInvokeSpecial);
    is_method.then(|| format!("{LAMBDA}{}.{}{}", body.class_name, body.member_ref.name, body.member_ref.descriptor))
}

/// Class, name and descriptor of the body of a lambda whose class has this name.
pub fn lambda_body(class: &str) -> Option<(&str, &str, &str)> {
    let body = class.strip_prefix(LAMBDA)?;
    let (name, _) = body.split_once('(')?;
    let (class, method) = name.rsplit_once('.')?;
    Some((class, method, &body[name.len()..]))
}
