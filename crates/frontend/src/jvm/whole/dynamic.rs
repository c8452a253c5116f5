//! `invokedynamic`: lambdas, method references and string concatenation.

use cafebabe::constant_pool::{BootstrapArgument, InvokeDynamic, LiteralConstant, MethodHandle, ReferenceKind};
use program::{Access, Function, InstructionKind, Operand, Operator, Terminator, Value};

use crate::jvm::class::{Kind, signature};
use crate::jvm::code::Code;
use crate::jvm::places::shown;

use super::functions::{Key, Lambda, Question};
use super::memory::modified_utf8;
use super::method::{Entry, Lowering, Result, Site, refuse};
use super::world::World;

/// What makes the objects of lambdas.
const METAFACTORY: (&str, &str) = ("java/lang/invoke/LambdaMetafactory", "metafactory");
/// What concatenates strings.
const CONCATENATION: (&str, &str) = ("java/lang/invoke/StringConcatFactory", "makeConcatWithConstants");
/// In the recipe of a concatenation: the next argument, the next constant.
const ARGUMENT: u16 = 1;
const CONSTANT: u16 = 2;

impl<'a> Lowering<'_, 'a> {
    pub fn invoke_dynamic(&mut self, call: &InvokeDynamic) -> Result<()> {
        let bootstrap = self.world.classes[self.id.0].bootstraps.get(usize::from(call.attr_index));
        let Some(bootstrap) = bootstrap else { return Err(self.malformed("`invokedynamic` refers to nothing")) };
        let maker = (&*bootstrap.method.class_name, &*bootstrap.method.member_ref.name);
        match (maker, &bootstrap.arguments[..]) {
            (METAFACTORY, [BootstrapArgument::MethodType(method), BootstrapArgument::MethodHandle(body), _]) => {
                self.lambda(call, method, body)
            }
            (CONCATENATION, [BootstrapArgument::LiteralConstant(recipe), constants @ ..]) => {
                let recipe = text(recipe);
                self.concatenate(call, &recipe, constants)
            }
            ((class, name), _) => Err(self.refuse(format!("`invokedynamic` to `{}.{name}`", shown(class)))),
        }
    }

    /// Pushes an object whose cells hold what the lambda captures.
    fn lambda(&mut self, call: &InvokeDynamic, method: &str, body: &MethodHandle) -> Result<()> {
        let descriptor = &*call.name_and_type.descriptor;
        let interface = descriptor.rsplit_once(")L").and_then(|(_, result)| result.strip_suffix(';'));
        let (Some((captured, _)), Some(interface)) = (signature(descriptor), interface) else {
            return Err(self.malformed("a lambda has no interface"));
        };
        let number = self.world.functions.lambdas.len();
        let name = format!("{}$$Lambda${number}", self.world.classes[self.id.0].name);
        let mut values = Vec::new();
        for &kind in captured.iter().rev() {
            values.push(self.pop_kind(kind)?);
        }
        values.reverse();
        let binds = matches!(body.kind, ReferenceKind::InvokeVirtual | ReferenceKind::InvokeInterface);
        if let (true, Some(receiver)) = (binds, values.first()) {
            self.require_object(&receiver.clone())?;
        }
        let member = &body.member_ref;
        self.world.functions.lambdas.push(Lambda {
            name: name.clone(),
            interface: interface.to_string(),
            method: (call.name_and_type.name.to_string(), method.to_string()),
            captured,
            body: (body.class_name.to_string(), member.name.to_string(), member.descriptor.to_string()),
            kind: body.kind,
            site: self.site,
        });
        let object = self.allocate(&name, Value::int(0, 32));
        for (cell, value) in values.into_iter().enumerate() {
            let cell = Operand::Constant(Value::int(cell as i64, 32));
            let address = self.compute(Operator::Offset, vec![object.clone(), cell]);
            self.store(address, value.operand, Access::plain().tagged("final"));
        }
        self.emit(InstructionKind::Fence { access: Access::plain().tagged("freeze") });
        self.stack.push(Entry::object(object));
        Ok(())
    }

    /// Appends to a `StringBuilder` what the recipe says; pushes the string.
    fn concatenate(&mut self, call: &InvokeDynamic, recipe: &[u16], constants: &[BootstrapArgument]) -> Result<()> {
        let types = parameter_types(&call.name_and_type.descriptor);
        let Some((kinds, _)) = signature(&call.name_and_type.descriptor) else {
            return Err(self.malformed("a concatenation has no descriptor"));
        };
        let mut values = Vec::new();
        for &kind in kinds.iter().rev() {
            values.push(self.pop_kind(kind)?);
        }
        let mut values = values.into_iter().rev().zip(types);
        let mut constants = constants.iter();
        self.new_object("java/lang/StringBuilder")?;
        let builder = self.pop()?;
        self.call_builder("<init>", "()V", vec![builder.clone()])?;
        let mut pending = Vec::new();
        for &unit in recipe {
            match unit {
                ARGUMENT => {
                    self.append_text(&builder, &mut pending)?;
                    let Some((value, descriptor)) = values.next() else {
                        return Err(self.malformed("a concatenation has too few arguments"));
                    };
                    self.append(&builder, value, append_descriptor(descriptor))?;
                }
                CONSTANT => match constants.next() {
                    Some(BootstrapArgument::LiteralConstant(constant)) => pending.extend(text(constant)),
                    _ => return Err(self.refuse("a constant of this kind in a concatenation")),
                },
                unit => pending.push(unit),
            }
        }
        self.append_text(&builder, &mut pending)?;
        self.call_builder("toString", "()Ljava/lang/String;", vec![builder])
    }

    fn append_text(&mut self, builder: &Entry, pending: &mut Vec<u16>) -> Result<()> {
        if pending.is_empty() {
            return Ok(());
        }
        self.push_text(pending);
        pending.clear();
        let text = self.pop()?;
        self.append(builder, text, "Ljava/lang/String;")
    }

    fn append(&mut self, builder: &Entry, value: Entry, descriptor: &str) -> Result<()> {
        let descriptor = format!("({descriptor})Ljava/lang/StringBuilder;");
        self.call_builder("append", &descriptor, vec![builder.clone(), value])?;
        self.pop().map(|_| ())
    }

    fn call_builder(&mut self, name: &str, descriptor: &str, arguments: Vec<Entry>) -> Result<()> {
        match self.world.resolve("java/lang/StringBuilder", name, descriptor) {
            Some(id) => self.call_method(id, arguments),
            None => Err(self.refuse(format!("a concatenation by `StringBuilder.{name}{descriptor}`"))),
        }
    }
}

fn text(constant: &LiteralConstant) -> Vec<u16> {
    match constant {
        LiteralConstant::String(text) => text.encode_utf16().collect(),
        LiteralConstant::StringBytes(bytes) => modified_utf8(bytes),
        LiteralConstant::Integer(value) => value.to_string().encode_utf16().collect(),
        LiteralConstant::Long(value) => value.to_string().encode_utf16().collect(),
        _ => Vec::new(),
    }
}

/// The descriptors of a method's parameters.
fn parameter_types(descriptor: &str) -> Vec<&str> {
    let mut rest = descriptor.strip_prefix('(').unwrap_or_default();
    let mut types = Vec::new();
    while !rest.is_empty() && !rest.starts_with(')') {
        let element = rest.trim_start_matches('[');
        let end = if element.starts_with('L') { element.find(';').map_or(element.len(), |at| at + 1) } else { 1 };
        let length = (rest.len() - element.len() + end).min(rest.len());
        types.push(&rest[..length]);
        rest = &rest[length..];
    }
    types
}

/// The type for which `StringBuilder.append` takes a value of another one.
fn append_descriptor(descriptor: &str) -> &str {
    match descriptor {
        "B" | "S" => "I",
        "Ljava/lang/String;" | "C" | "Z" | "I" | "J" | "F" | "D" => descriptor,
        _ => "Ljava/lang/Object;",
    }
}

/// The function of the only method of a lambda's object: it calls the body with what was captured and its own arguments.
pub fn lower_lambda(world: &mut World, index: usize) -> Result<Function> {
    let lambda = world.functions.lambdas[index].clone();
    let mut adapter = Adapter { code: Code::new(lambda.name.replace('/', "."), Some(lambda.site.span)), world, lambda };
    adapter.write()?;
    let results = 1 + usize::from(adapter.results()?.is_some());
    Ok(adapter.code.finish_with(results))
}

/// The function of a lambda's method under way.
struct Adapter<'w, 'a> {
    world: &'w mut World<'a>,
    code: Code,
    lambda: Lambda,
}

impl Adapter<'_, '_> {
    fn site(&self) -> Site {
        self.lambda.site
    }

    fn results(&self) -> Result<Option<Kind>> {
        signature(&self.lambda.method.1)
            .map(|(_, result)| result)
            .ok_or_else(|| self.refused("a method without descriptor"))
    }

    fn refused(&self, what: &str) -> program::Diagnostic {
        refuse(self.world, self.site(), what)
    }

    fn write(&mut self) -> Result<()> {
        let Some((kinds, result)) = signature(&self.lambda.method.1) else {
            return Err(self.refused("a method without descriptor"));
        };
        let span = self.site().span;
        let this = Operand::Register(self.code.parameter("this"));
        let given: Vec<Operand> =
            (0..kinds.len()).map(|n| Operand::Register(self.code.parameter(&format!("p{n}")))).collect();
        let current = self.world.facts.current.then(|| Operand::Register(self.code.parameter("thread")));
        let mut arguments: Vec<(Operand, Kind)> = Vec::new();
        for (cell, kind) in self.lambda.captured.clone().into_iter().enumerate() {
            let cell = Operand::Constant(Value::int(cell as i64, 32));
            let address = self.code.compute(Operator::Offset, vec![this.clone(), cell], span);
            let target = self.code.temporary();
            let access = Access::plain().tagged("final");
            self.code.emit(InstructionKind::Load { target, address, access }, span);
            arguments.push((Operand::Register(target), kind));
        }
        arguments.extend(given.into_iter().zip(kinds));
        let (value, thrown) = self.call(arguments, result, current)?;
        let results = value.into_iter().chain([thrown]).collect();
        self.code.end(Terminator::Return(results));
        Ok(())
    }

    /// Calls the body; gives its result as the lambda's method wants it, and the exception.
    fn call(
        &mut self,
        arguments: Vec<(Operand, Kind)>,
        wanted: Option<Kind>,
        current: Option<Operand>,
    ) -> Result<(Option<Operand>, Operand)> {
        let (class, name, descriptor) = self.lambda.body.clone();
        let Some(id) = self.world.resolve(&class, &name, &descriptor) else {
            return Err(self.refused(&format!("a reference to `{}.{name}`", shown(&class))));
        };
        let method = self.world.method(id);
        let (is_native, is_static, result) =
            (method.is_native && method.body.is_none(), method.is_static, method.result);
        let is_lazy = super::initialize::is_lazy(self.world, id.0);
        if is_native || is_lazy || name == "<init>" {
            return Err(self.refused(&format!("a reference to `{}.{name}`", shown(&class))));
        }
        let parameters =
            (!is_static).then_some(Kind::Reference).into_iter().chain(self.world.method(id).parameters.clone());
        let parameters: Vec<Kind> = parameters.collect();
        let agrees = parameters.len() == arguments.len()
            && parameters.iter().zip(&arguments).all(|(wanted, (_, given))| wanted == given)
            && (wanted.is_none() || wanted == result);
        if !agrees {
            return Err(self.refused("a method reference whose arguments or result are boxed or unboxed"));
        }
        let span = self.site().span;
        let mut arguments: Vec<Operand> = arguments.into_iter().map(|(operand, _)| operand).collect();
        arguments.extend(current);
        let value = result.map(|_| self.code.temporary());
        let thrown = self.code.temporary();
        let targets: Vec<_> = value.into_iter().chain([thrown]).collect();
        let is_direct =
            is_static || self.world.method(id).is_private || matches!(self.lambda.kind, ReferenceKind::InvokeSpecial);
        let call = if is_direct {
            let function = self.world.functions.ask(Key::Method(id));
            InstructionKind::Call { function, arguments, targets }
        } else {
            self.world.functions.virtual_call(Question::Method(class, name, descriptor), arguments, targets)
        };
        self.code.emit(call, span);
        let value = value.filter(|_| wanted.is_some()).map(Operand::Register);
        Ok((value, Operand::Register(thrown)))
    }
}
