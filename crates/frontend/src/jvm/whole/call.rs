//! Calls of methods.

use cafebabe::constant_pool::MemberRef;
use program::{InstructionKind, Operand, Simplification, Value};

use crate::jvm::class::{Kind, given_numbers, signature};
use crate::jvm::places::{MethodId, shown};

use super::functions::{Key, Question};
use super::method::{Entry, Lowering, Result};
use super::world::World;

impl<'a> Lowering<'_, 'a> {
    pub fn invoke_static(&mut self, member: &MemberRef) -> Result<()> {
        self.note_few_values(member);
        if self.border(member, false)? {
            return Ok(());
        }
        let id = self.find_method(member)?;
        let arguments = self.arguments(member, false)?;
        self.initialize(id.0)?;
        self.call_that_may_wait(id, arguments, |this, arguments| this.call_method(id, arguments))
    }

    /// Constructors, methods of the parent, private methods: the method is known.
    pub fn invoke_special(&mut self, member: &MemberRef) -> Result<()> {
        let id = self.find_method(member)?;
        let arguments = self.arguments(member, true)?;
        if is_empty_constructor(self.world, id) {
            return Ok(());
        }
        self.require_object(&arguments[0])?;
        self.call_method(id, arguments)
    }

    pub fn invoke_virtual(&mut self, member: &MemberRef) -> Result<()> {
        self.note_few_values(member);
        let (name, descriptor) = (&*member.name_and_type.name, &*member.name_and_type.descriptor);
        if member.class_name.starts_with('[') && name == "clone" {
            let array = self.pop_kind(Kind::Reference)?;
            self.require_object(&array)?;
            let copy = self.ask(Question::Clone, vec![array.operand]);
            self.stack.push(Entry::object(copy));
            return Ok(());
        }
        if self.border(member, true)? {
            return Ok(());
        }
        let id = self.find_method(member)?;
        let arguments = self.arguments(member, true)?;
        if self.prints_constant(member, &arguments) {
            return Ok(());
        }
        self.require_object(&arguments[0])?;
        let method = self.world.method(id);
        let is_object = self.world.classes[id.0].name == "java/lang/Object";
        let is_final = method.is_private || (is_object && !OVERRIDABLE.contains(&name));
        if is_final || self.world.classes[id.0].name == "java/lang/String" {
            return self.call_that_may_wait(id, arguments, |this, arguments| this.call_method(id, arguments));
        }
        let class = if member.class_name.starts_with('[') { "java/lang/Object" } else { &*member.class_name };
        let question = Question::Method(class.to_string(), name.to_string(), descriptor.to_string());
        let result = method.result;
        self.call_that_may_wait(id, arguments, |this, arguments| {
            this.call_virtual(question, arguments, result);
            Ok(())
        })
    }

    /// The method that a reference means.
    fn find_method(&mut self, member: &MemberRef) -> Result<MethodId> {
        let (name, descriptor) = (&*member.name_and_type.name, &*member.name_and_type.descriptor);
        let class = if member.class_name.starts_with('[') { "java/lang/Object" } else { &*member.class_name };
        match self.world.resolve(class, name, descriptor) {
            Some(id) => Ok(id),
            None => Err(self.refuse(format!("the call of `{}.{name}{descriptor}`", shown(&member.class_name)))),
        }
    }

    /// Takes the arguments, the receiver first.
    pub(super) fn arguments(&mut self, member: &MemberRef, has_receiver: bool) -> Result<Vec<Entry>> {
        let Some((kinds, _)) = signature(&member.name_and_type.descriptor) else {
            return Err(self.malformed("a method has no descriptor"));
        };
        let mut arguments = Vec::new();
        for &kind in kinds.iter().rev() {
            arguments.push(self.pop_kind(kind)?);
        }
        if has_receiver {
            arguments.push(self.pop_kind(Kind::Reference)?);
        }
        arguments.reverse();
        Ok(arguments)
    }

    /// Notes that a call of the user's gives one of few values where Java has many. What the classes of the JDK ask for decides
    /// only how long they wait, which may be any time, and where in a table something is.
    fn note_few_values(&mut self, member: &MemberRef) {
        if self.id.0 >= self.world.own {
            return;
        }
        let is_of_objects = || {
            let id = self.world.resolve(&member.class_name, "hashCode", "()I");
            id.is_some_and(|id| self.world.classes[id.0].name == "java/lang/Object")
        };
        let simplification = match (&*member.class_name, &*member.name_and_type.name) {
            ("java/lang/System", "nanoTime" | "currentTimeMillis") => Simplification::FewTimes,
            (class, "now") if class.starts_with("java/time/") => Simplification::FewTimes,
            ("java/lang/Runtime", "availableProcessors") => Simplification::TwoProcessors,
            ("java/lang/System", "identityHashCode") | ("java/util/Objects", "hash" | "hashCode") => {
                Simplification::FewHashCodes
            }
            (_, "hashCode") if is_of_objects() => Simplification::FewHashCodes,
            _ => return,
        };
        self.world.simplified.insert(simplification);
    }

    /// Calls a method that is known; pushes its result.
    pub fn call_method(&mut self, id: MethodId, arguments: Vec<Entry>) -> Result<()> {
        let method = self.world.method(id);
        if method.arity() != arguments.len() {
            return Err(self.malformed("a method is called with a wrong number of arguments"));
        }
        if method.is_special {
            let (name, result) = (method.name.to_string(), method.result);
            let mut arguments = arguments[usize::from(!method.is_static)..].to_vec();
            let Some(kind) = result else {
                self.observe_all(&name, &arguments);
                return Ok(());
            };
            // Its result may be any number of its type.
            let Some((low, high, width)) = given_numbers(&method.descriptor).filter(|_| method.is_native) else {
                let what = "which is not native or gives no number,";
                return Err(self.refuse(format!("the special method `{}`, {what}", self.world.method_name(id))));
            };
            let target = self.code.temporary();
            self.emit(InstructionKind::Choose { target, low, high, width });
            arguments.push(Entry::new(Operand::Register(target), kind));
            self.observe_all(&name, &arguments);
            self.push(Operand::Register(target), kind);
            return Ok(());
        }
        let (result, has_body, is_native) = (method.result, method.body.is_some(), method.is_native);
        if is_native && self.native(id, arguments.clone())? {
            return Ok(());
        }
        if !has_body {
            return Err(self.refuse(format!("the call of `{}`, which has no code,", self.world.method_name(id))));
        }
        let function = self.world.functions.ask(Key::Method(id));
        let mut arguments: Vec<Operand> = arguments.into_iter().map(|entry| entry.operand).collect();
        arguments.extend(self.current.clone());
        let value = result.map(|_| self.code.temporary());
        let thrown = self.code.temporary();
        let targets = value.into_iter().chain([thrown]).collect();
        self.emit(InstructionKind::Call { function, arguments, targets });
        self.rethrow(thrown);
        if let (Some(value), Some(kind)) = (value, result) {
            self.push(Operand::Register(value), kind);
        }
        Ok(())
    }

    /// Calls the method that the receiver's class gives; pushes its result.
    pub fn call_virtual(&mut self, question: Question, arguments: Vec<Entry>, result: Option<Kind>) {
        let mut arguments: Vec<Operand> = arguments.into_iter().map(|entry| entry.operand).collect();
        arguments.extend(self.current.clone());
        let value = result.map(|_| self.code.temporary());
        let thrown = self.code.temporary();
        let targets = value.into_iter().chain([thrown]).collect();
        let call = self.world.functions.virtual_call(question, arguments, targets);
        self.emit(call);
        self.rethrow(thrown);
        if let (Some(value), Some(kind)) = (value, result) {
            self.push(Operand::Register(value), kind);
        }
    }

    /// An external action: each argument is observed; without arguments 0 is.
    fn observe_all(&mut self, label: &str, arguments: &[Entry]) {
        let nothing = Operand::Constant(Value::int(0, 32));
        let mut values: Vec<Operand> = arguments.iter().map(|entry| entry.operand.clone()).collect();
        if values.is_empty() {
            values.push(nothing);
        }
        for value in values {
            self.emit(InstructionKind::Observe { label: label.into(), value });
        }
    }

    /// Prints a string constant as a whole. Whether the call was such.
    fn prints_constant(&mut self, member: &MemberRef, arguments: &[Entry]) -> bool {
        let is_print = &*member.name_and_type.descriptor == "(Ljava/lang/String;)V"
            && member.class_name == "java/io/PrintStream"
            && matches!(&*member.name_and_type.name, "print" | "println");
        let [stream, text] = arguments else { return false };
        if !is_print || !stream.is_object || !matches!(text.operand.constant(), Some(Value::Pointer(_))) {
            return false;
        }
        self.observe(stream, "", text.operand.clone());
        if member.name_and_type.name == "println" {
            self.observe(stream, ".char", Operand::Constant(Value::int(10, 32)));
        }
        true
    }

    /// Observes what goes to a stream.
    pub fn observe(&mut self, stream: &Entry, suffix: &str, value: Operand) {
        let out = self.world.memory.single("System.out", "java/io/PrintStream");
        let label = |stream: &str| format!("{stream}{suffix}").into();
        if let Some(known) = stream.operand.constant() {
            let label = label(if *known == out { "out" } else { "err" });
            self.emit(InstructionKind::Observe { label, value });
            return;
        }
        let is_out = self.compute(program::Operator::Eq, vec![stream.operand.clone(), Operand::Constant(out)]);
        let (to_out, to_err, next) = (self.fresh(), self.fresh(), self.fresh());
        self.branch(is_out, to_out, to_err);
        for (block, name) in [(to_out, "out"), (to_err, "err")] {
            self.code.write_in(block);
            self.emit(InstructionKind::Observe { label: label(name), value: value.clone() });
            self.code.end(program::Terminator::Jump(next));
        }
        self.code.write_in(next);
    }
}

/// The methods of `Object` that classes may override.
const OVERRIDABLE: [&str; 5] = ["hashCode", "equals", "toString", "clone", "finalize"];

/// Whether a constructor does nothing but call such a one.
fn is_empty_constructor(world: &World, id: MethodId) -> bool {
    use cafebabe::bytecode::Opcode::{Aload, Invokespecial, Return};
    let method = world.method(id);
    if method.name != "<init>" {
        return false;
    }
    let Some(body) = &method.body else { return false };
    let opcodes: Vec<_> = body.opcodes.iter().map(|(_, opcode)| opcode).collect();
    match opcodes[..] {
        [Return] => true,
        [Aload(0), Invokespecial(member), Return] if member.name_and_type.name == "<init>" => {
            let parent = world.resolve(&member.class_name, "<init>", &member.name_and_type.descriptor);
            let freezes = world.classes[id.0].fields.iter().any(|field| field.is_final && !field.is_static);
            // A constructor that calls itself would be asked for ever.
            !freezes && parent.is_some_and(|parent| parent.0 != id.0 && is_empty_constructor(world, parent))
        }
        _ => false,
    }
}
