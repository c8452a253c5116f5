//! `invokedynamic`: lambdas, method references and string concatenation.

use cafebabe::constant_pool::{BootstrapArgument, InvokeDynamic, LiteralConstant, MethodHandle, ReferenceKind};
use program::{Access, Function, InstructionKind, Operand, Operator, Value};

use crate::jvm::class::{Kind, signature};
use crate::jvm::code::Code;
use crate::jvm::places::{MethodId, shown};

use super::functions::{Lambda, Question};
use super::memory::modified_utf8;
use super::method::{Entry, Lowering, Result, refuse};
use super::terms::zero;
use super::world::World;

/// What makes the objects of lambdas.
const METAFACTORY: (&str, &str) = ("java/lang/invoke/LambdaMetafactory", "metafactory");
/// What makes those that can be serialised.
const ALTERNATIVE: (&str, &str) = ("java/lang/invoke/LambdaMetafactory", "altMetafactory");
/// What makes the methods of records.
const RECORDS: (&str, &str) = ("java/lang/runtime/ObjectMethods", "bootstrap");
/// What concatenates strings.
const CONCATENATION: (&str, &str) = ("java/lang/invoke/StringConcatFactory", "makeConcatWithConstants");
/// In the recipe of a concatenation: the next argument, the next constant.
const ARGUMENT: u16 = 1;
const CONSTANT: u16 = 2;

impl<'a> Lowering<'_, 'a> {
    pub fn invoke_dynamic(&mut self, call: &InvokeDynamic) -> Result<()> {
        let bootstrap = self.world.method(self.id).bootstraps.get(usize::from(call.attr_index));
        let Some(bootstrap) = bootstrap else { return Err(self.malformed("`invokedynamic` refers to nothing")) };
        let maker = (&*bootstrap.method.class_name, &*bootstrap.method.member_ref.name);
        match (maker, &bootstrap.arguments[..]) {
            (
                METAFACTORY | ALTERNATIVE,
                [
                    BootstrapArgument::MethodType(method),
                    BootstrapArgument::MethodHandle(body),
                    BootstrapArgument::MethodType(exact),
                    ..,
                ],
            ) => self.lambda(call, (method, exact), body),
            (CONCATENATION, [BootstrapArgument::LiteralConstant(recipe), constants @ ..]) => {
                let recipe = text(recipe);
                self.concatenate(call, &recipe, constants)
            }
            (RECORDS, [_, BootstrapArgument::LiteralConstant(names), getters @ ..]) => {
                let names = String::from_utf16_lossy(&text(names));
                self.record_method(call, &names, getters)
            }
            ((class, name), _) => Err(self.refuse(format!("`invokedynamic` to `{}.{name}`", shown(class)))),
        }
    }

    /// Pushes an object whose cells hold what the lambda captures.
    fn lambda(&mut self, call: &InvokeDynamic, (method, exact): (&str, &str), body: &MethodHandle) -> Result<()> {
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
            exact: exact.to_string(),
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
        self.emit(InstructionKind::Freeze { address: object.clone() });
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
        let builder = self.new_builder()?;
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

    pub(super) fn new_builder(&mut self) -> Result<Entry> {
        self.new_object("java/lang/StringBuilder")?;
        let builder = self.pop()?;
        self.call_builder("<init>", "()V", vec![builder.clone()])?;
        Ok(builder)
    }

    pub(super) fn append_text(&mut self, builder: &Entry, pending: &mut Vec<u16>) -> Result<()> {
        if pending.is_empty() {
            return Ok(());
        }
        self.push_text(pending);
        pending.clear();
        let text = self.pop()?;
        self.append(builder, text, "Ljava/lang/String;")
    }

    pub(super) fn append(&mut self, builder: &Entry, value: Entry, descriptor: &str) -> Result<()> {
        let descriptor = format!("({descriptor})Ljava/lang/StringBuilder;");
        self.call_builder("append", &descriptor, vec![builder.clone(), value])?;
        self.pop().map(|_| ())
    }

    pub(super) fn call_builder(&mut self, name: &str, descriptor: &str, arguments: Vec<Entry>) -> Result<()> {
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
pub(super) fn parameter_types(descriptor: &str) -> Vec<&str> {
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
pub(super) fn append_descriptor(descriptor: &str) -> &str {
    match descriptor {
        "B" | "S" => "I",
        "Ljava/lang/String;" | "C" | "Z" | "I" | "J" | "F" | "D" => descriptor,
        _ => "Ljava/lang/Object;",
    }
}

/// The function of the only method of a lambda's object: it calls the body with what was captured and its own arguments.
pub fn lower_lambda(world: &mut World, index: usize) -> Result<Function> {
    let lambda = world.functions.lambdas[index].clone();
    let site = lambda.site;
    let Some((kinds, result)) = signature(&lambda.method.1) else {
        return Err(refuse(world, site, "a method without descriptor"));
    };
    let mut code = Code::new(shown(&lambda.name), Some(site.span));
    let this = Operand::Register(code.parameter("this"));
    let given: Vec<Entry> = kinds
        .iter()
        .enumerate()
        .map(|(number, &kind)| Entry::new(Operand::Register(code.parameter(&format!("p{number}"))), kind))
        .collect();
    let mut lowering = Lowering::bare(world, code, site, result);
    let captured: Vec<Entry> =
        lambda.captured.iter().enumerate().map(|(cell, &kind)| lowering.captured(&this, cell, kind)).collect();
    lowering.call_body(&lambda, captured, given)?;
    let value = match result {
        Some(_) => Some(lowering.pop()?.operand),
        None => None,
    };
    lowering.leave(value, zero());
    lowering.finish()
}

impl<'a> Lowering<'_, 'a> {
    /// What a lambda's object holds in a cell.
    fn captured(&mut self, this: &Operand, cell: usize, kind: Kind) -> Entry {
        let cell = Operand::Constant(Value::int(cell as i64, 32));
        let address = self.compute(Operator::Offset, vec![this.clone(), cell]);
        let value = self.load(address, Access::plain().tagged("final"));
        Entry::new(value, kind)
    }

    /// Calls what a lambda stands for; leaves the result that its method gives on the stack.
    fn call_body(&mut self, lambda: &Lambda, captured: Vec<Entry>, given: Vec<Entry>) -> Result<()> {
        let (class, name, descriptor) = &lambda.body;
        let Some(id) = self.world.resolve(class, name, descriptor) else {
            return Err(self.refuse(format!("a reference to `{}.{name}`", shown(class))));
        };
        let makes = matches!(lambda.kind, ReferenceKind::NewInvokeSpecial);
        let is_static = self.world.method(id).is_static;
        let wanted: Vec<&str> = parameter_types(descriptor);
        // Captured arguments have the right types; of the others the first may be the receiver.
        let bound = captured.len();
        let receivers = usize::from(!is_static && !makes);
        let exact = parameter_types(&lambda.exact);
        let mut arguments = captured;
        for (number, entry) in given.into_iter().enumerate() {
            let place = (bound + number).checked_sub(receivers);
            let to = place.and_then(|place| wanted.get(place)).copied();
            let from = exact.get(number).copied().unwrap_or("Ljava/lang/Object;");
            arguments.push(match to {
                Some(to) => self.adapt(entry, from, to)?,
                None => entry,
            });
        }
        if arguments.len() != wanted.len() + receivers {
            return Err(self.malformed("a lambda's body has another number of arguments"));
        }
        let gives = if makes {
            self.new_object(class)?;
            let object = self.pop()?;
            arguments.insert(0, object.clone());
            self.call_method(id, arguments)?;
            self.stack.push(object);
            "Ljava/lang/Object;".to_string()
        } else {
            self.call_selected(lambda, id, arguments)?;
            result_type(descriptor).to_string()
        };
        match (result_type(&lambda.exact), &gives[..]) {
            ("V", "V") => Ok(()),
            ("V", _) => self.pop().map(|_| ()),
            (to, from) => {
                let value = self.pop()?;
                let value = self.adapt(value, from, to)?;
                self.stack.push(value);
                Ok(())
            }
        }
    }

    fn call_selected(&mut self, lambda: &Lambda, id: MethodId, arguments: Vec<Entry>) -> Result<()> {
        let method = self.world.method(id);
        let (is_static, is_private, result) = (method.is_static, method.is_private, method.result);
        if is_static {
            self.initialize(id.0)?;
            return self.call_method(id, arguments);
        }
        self.require_object(&arguments[0])?;
        if is_private || matches!(lambda.kind, ReferenceKind::InvokeSpecial) {
            return self.call_method(id, arguments);
        }
        let (class, name, descriptor) = lambda.body.clone();
        self.call_virtual(Question::Method(class, name, descriptor), arguments, result);
        Ok(())
    }

    /// Boxes, unboxes or widens a value of one type so that it is one of another.
    fn adapt(&mut self, entry: Entry, from: &str, to: &str) -> Result<Entry> {
        let is_reference = |name: &str| name.starts_with(['L', '[']);
        if from == to || (is_reference(from) && is_reference(to)) {
            return Ok(entry);
        }
        if is_reference(to) {
            let Some((class, _)) = boxes(from) else { return Err(self.refuse("a conversion of a lambda's result")) };
            return self.convert_by(class, "valueOf", &format!("({from})L{class};"), entry);
        }
        if is_reference(from) {
            let Some((class, method)) = boxes(to).filter(|(class, _)| from == format!("L{class};")) else {
                return Err(self.refuse("a conversion of a lambda's argument"));
            };
            self.require_object(&entry)?;
            return self.convert_by(class, method, &format!("(){to}"), entry);
        }
        let (operator, kind) = match (from, to) {
            ("B" | "S" | "C", "I") | ("B", "S") => return Ok(entry),
            ("B" | "S" | "C" | "I", "J") => (Operator::Resize { width: 64, signed: true }, Kind::Long),
            ("B" | "S" | "C" | "I" | "J", "D") => (Operator::IntToFloat64, Kind::Double),
            _ => return Err(self.refuse("a conversion of a lambda's argument")),
        };
        let value = self.compute(operator, vec![entry.operand]);
        Ok(Entry::new(value, kind))
    }

    fn convert_by(&mut self, class: &str, name: &str, descriptor: &str, entry: Entry) -> Result<Entry> {
        let Some(id) = self.world.resolve(class, name, descriptor) else {
            return Err(self.refuse(format!("a conversion by `{}.{name}`", shown(class))));
        };
        self.initialize(id.0)?;
        self.call_method(id, vec![entry])?;
        self.pop()
    }
}

/// The class that boxes a primitive type, and its method that unboxes.
fn boxes(primitive: &str) -> Option<(&'static str, &'static str)> {
    Some(match primitive {
        "I" => ("java/lang/Integer", "intValue"),
        "J" => ("java/lang/Long", "longValue"),
        "D" => ("java/lang/Double", "doubleValue"),
        "Z" => ("java/lang/Boolean", "booleanValue"),
        "C" => ("java/lang/Character", "charValue"),
        _ => return None,
    })
}

/// The descriptor of a method's result.
fn result_type(descriptor: &str) -> &str {
    descriptor.rsplit_once(')').map_or("V", |(_, result)| result)
}
