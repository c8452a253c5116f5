//! Classes as the rest of the front end sees them: names, fields and methods picked out of the class file.

use cafebabe::attributes::{
    Annotation, AnnotationElementValue, AttributeData, AttributeInfo, BootstrapMethodEntry, CodeData,
    ExceptionTableEntry,
};
use cafebabe::bytecode::Opcode;
use cafebabe::constant_pool::LiteralConstant;
use cafebabe::descriptors::{FieldDescriptor, FieldType, ReturnDescriptor};
use cafebabe::{ClassAccessFlags, FieldAccessFlags, MethodAccessFlags};
use program::Value;

/// The annotation of a thread's method.
const THREAD: &str = "palisade/ThreadBody";
/// The annotation of a method whose calls are external actions.
const SPECIAL: &str = "palisade/Special";

/// What a value of a type is on the operand stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `int`, and the types that the virtual machine computes with as with `int`.
    Int,
    /// `long`: two slots.
    Long,
    /// An object or array, or null.
    Reference,
    /// `float`, not modelled.
    Float,
    /// `double`, not modelled: two slots.
    Double,
}

/// The least and the greatest number that a method may give, and their width; `None` if it gives no number.
pub fn given_numbers(descriptor: &str) -> Option<(i64, i64, u8)> {
    let (_, result) = descriptor.split_once(')')?;
    let of = |bits: u32| (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1, 32);
    match result {
        "Z" => Some((0, 1, 32)),
        "B" => Some(of(8)),
        "S" => Some(of(16)),
        "C" => Some((0, 0xffff, 32)),
        "I" => Some(of(32)),
        "J" => Some((i64::MIN, i64::MAX, 64)),
        _ => None,
    }
}

impl Kind {
    fn of(descriptor: &FieldDescriptor) -> Kind {
        match &descriptor.field_type {
            _ if descriptor.dimensions > 0 => Kind::Reference,
            FieldType::Object(_) => Kind::Reference,
            FieldType::Long => Kind::Long,
            FieldType::Float => Kind::Float,
            FieldType::Double => Kind::Double,
            _ => Kind::Int,
        }
    }

    /// How many slots of the stack or of the local variables it takes.
    pub fn slots(self) -> usize {
        if matches!(self, Kind::Long | Kind::Double) { 2 } else { 1 }
    }

    /// Its width in bits where all types are modelled.
    pub fn width(self) -> u8 {
        if self.slots() == 2 { 64 } else { 32 }
    }

    /// What a field or element of the kind holds at first. Null is the integer 0.
    pub fn default(self) -> Value {
        Value::int(0, if self == Kind::Long { 64 } else { 32 })
    }

    /// The name of a type that is not modelled.
    pub fn refused(self) -> Option<&'static str> {
        match self {
            Kind::Float => Some("the type `float`"),
            Kind::Double => Some("the type `double`"),
            _ => None,
        }
    }
}

/// A class of the program.
pub struct Class<'a> {
    /// Its binary name: `java/lang/Thread`, `Test$1`.
    pub name: &'a str,
    /// The class it extends.
    pub parent: Option<&'a str>,
    /// The interfaces it implements or extends.
    pub interfaces: Vec<&'a str>,
    /// Whether it has no instances of its own: an interface or an abstract class.
    pub is_abstract: bool,
    /// Its own fields, in order of declaration.
    pub fields: Vec<Field<'a>>,
    /// Its own methods, in order of declaration.
    pub methods: Vec<Method<'a>>,
    /// The name of the source file, if the class file has it.
    pub source: Option<&'a str>,
}

/// A field.
pub struct Field<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it holds.
    pub kind: Kind,
    /// Whether that is a `boolean`.
    pub is_boolean: bool,
    /// Whether it belongs to the class, not to its objects.
    pub is_static: bool,
    /// Whether it is volatile.
    pub is_volatile: bool,
    /// Whether it is final.
    pub is_final: bool,
    /// The constant it is initialised with, if the class file has one.
    pub constant: Option<Value>,
}

/// A method.
pub struct Method<'a> {
    /// Its name; `<init>` for constructors, `<clinit>` for the class initialiser.
    pub name: &'a str,
    /// Types of parameters and result as the class file writes them.
    pub descriptor: String,
    /// Its parameters, without the receiver.
    pub parameters: Vec<Kind>,
    /// Its result, if any.
    pub result: Option<Kind>,
    /// Whether it has no receiver.
    pub is_static: bool,
    /// Whether only its class may call it, so that nothing overrides it.
    pub is_private: bool,
    /// Whether the virtual machine provides it.
    pub is_native: bool,
    /// Whether it holds the monitor of its receiver or class while it runs.
    pub is_synchronized: bool,
    /// Its code, unless it is abstract or native.
    pub body: Option<Body<'a>>,
    /// For the body of a thread: the threads that end before it starts.
    pub thread: Option<Vec<&'a str>>,
    /// Whether its calls are external actions.
    pub is_special: bool,
    /// What its `invokedynamic` instructions refer to.
    pub bootstraps: &'a [BootstrapMethodEntry<'a>],
}

/// The code of a method.
pub struct Body<'a> {
    /// Number of slots for local variables.
    pub locals: usize,
    /// Instructions by offset, ascending.
    pub opcodes: &'a [(usize, Opcode<'a>)],
    /// Exception handlers.
    pub handlers: &'a [ExceptionTableEntry<'a>],
    /// Source lines by the offset at which each starts, ascending.
    lines: Vec<(usize, u32)>,
    /// Local variables: slot, the offsets between which it is in use, name.
    variables: Vec<(usize, std::ops::Range<usize>, &'a str)>,
}

impl<'a> Body<'a> {
    /// The name of the variable that is in a slot before the instruction at an offset, and from which offset on it is there, if the
    /// class file says.
    pub fn variable(&self, slot: usize, offset: usize) -> Option<(&'a str, usize)> {
        let found = self.variables.iter().find(|(s, range, _)| *s == slot && range.contains(&offset));
        found.map(|(_, range, name)| (*name, range.start))
    }

    /// The names of the variables that use a slot, each once.
    pub fn names(&self, slot: usize) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.variables.iter().filter(|(s, ..)| *s == slot).map(|(_, _, n)| *n).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The source line of the instruction at an offset; 0 if the class file does not say.
    pub fn line(&self, offset: usize) -> u32 {
        let after = self.lines.partition_point(|&(start, _)| start <= offset);
        after.checked_sub(1).map_or(0, |index| self.lines[index].1)
    }

    /// The lines that the code comes from.
    pub fn lines(&self) -> impl Iterator<Item = u32> {
        self.lines.iter().map(|&(_, line)| line)
    }
}

impl<'a> Class<'a> {
    /// The class in a class file.
    pub fn of(file: &'a cafebabe::ClassFile<'a>) -> Class<'a> {
        let bootstraps = file.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::BootstrapMethods(methods) => Some(methods.as_slice()),
            _ => None,
        });
        let source = file.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::SourceFile(name) => Some(&**name),
            _ => None,
        });
        Class {
            source,
            name: &file.this_class,
            parent: file.super_class.as_deref(),
            interfaces: file.interfaces.iter().map(|name| &**name).collect(),
            is_abstract: file.access_flags.intersects(ClassAccessFlags::INTERFACE | ClassAccessFlags::ABSTRACT),
            fields: file.fields.iter().map(Field::of).collect(),
            methods: file.methods.iter().map(|info| Method::of(info, bootstraps.unwrap_or_default())).collect(),
        }
    }

    /// Takes what it lacks from another version of the class: methods, and static fields.
    pub fn extend(&mut self, other: Class<'a>) {
        let fields = other.fields.into_iter().filter(|field| field.is_static);
        let missing: Vec<Field> =
            fields.filter(|field| !self.fields.iter().any(|own| own.name == field.name)).collect();
        self.fields.extend(missing);
        let lacks = |method: &Method| self.method(method.name, &method.descriptor).is_none();
        let missing: Vec<Method> = other.methods.into_iter().filter(lacks).collect();
        self.methods.extend(missing);
    }

    /// The own final fields that a method sets, by index, if it is a constructor: they are frozen when it ends. A
    /// constructor that leaves that to another one of its class sets none.
    pub fn final_fields_set(&self, method: &Method) -> Vec<usize> {
        let body = method.body.as_ref().filter(|_| method.name == "<init>");
        let opcodes = body.map_or(&[][..], |body| body.opcodes);
        let is_set = |field: &Field| {
            opcodes.iter().any(|(_, opcode)| match opcode {
                Opcode::Putfield(member) => member.class_name == self.name && member.name_and_type.name == field.name,
                _ => false,
            })
        };
        let fields = self.fields.iter().enumerate();
        fields
            .filter(|(_, field)| field.is_final && !field.is_static && is_set(field))
            .map(|(index, _)| index)
            .collect()
    }

    /// The own method of that name and descriptor.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<usize> {
        self.methods.iter().position(|method| method.name == name && method.descriptor == descriptor)
    }
}

impl<'a> Field<'a> {
    fn of(info: &'a cafebabe::FieldInfo<'a>) -> Field<'a> {
        let constant = info.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::ConstantValue(LiteralConstant::Integer(value)) => Some(Value::int((*value).into(), 32)),
            AttributeData::ConstantValue(LiteralConstant::Long(value)) => Some(Value::int(*value, 64)),
            _ => None,
        });
        Field {
            name: &info.name,
            kind: Kind::of(&info.descriptor),
            is_boolean: info.descriptor.dimensions == 0 && info.descriptor.field_type == FieldType::Boolean,
            is_static: info.access_flags.contains(FieldAccessFlags::STATIC),
            is_volatile: info.access_flags.contains(FieldAccessFlags::VOLATILE),
            is_final: info.access_flags.contains(FieldAccessFlags::FINAL),
            constant,
        }
    }
}

impl<'a> Method<'a> {
    fn of(info: &'a cafebabe::MethodInfo<'a>, bootstraps: &'a [BootstrapMethodEntry<'a>]) -> Method<'a> {
        let code = info.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::Code(code) => Body::of(code),
            _ => None,
        });
        let annotations = || info.attributes.iter().flat_map(annotations);
        Method {
            name: &info.name,
            descriptor: info.descriptor.to_string(),
            parameters: info.descriptor.parameters.iter().map(Kind::of).collect(),
            result: match &info.descriptor.return_type {
                ReturnDescriptor::Return(descriptor) => Some(Kind::of(descriptor)),
                ReturnDescriptor::Void => None,
            },
            is_static: info.access_flags.contains(MethodAccessFlags::STATIC),
            is_private: info.access_flags.contains(MethodAccessFlags::PRIVATE),
            is_native: info.access_flags.contains(MethodAccessFlags::NATIVE),
            is_synchronized: info.access_flags.contains(MethodAccessFlags::SYNCHRONIZED),
            body: code,
            thread: annotations().find(|annotation| is_named(annotation, THREAD)).map(after),
            is_special: annotations().any(|annotation| is_named(annotation, SPECIAL)),
            bootstraps,
        }
    }

    /// How many arguments it takes, the receiver among them.
    pub fn arity(&self) -> usize {
        self.parameters.len() + usize::from(!self.is_static)
    }

    /// Whether it does nothing.
    pub fn is_empty(&self) -> bool {
        self.body.as_ref().is_none_or(|body| matches!(body.opcodes, [(_, Opcode::Return)]))
    }
}

impl<'a> Body<'a> {
    fn of(code: &'a CodeData<'a>) -> Option<Body<'a>> {
        let mut lines = Vec::new();
        let mut variables = Vec::new();
        for attribute in &code.attributes {
            match &attribute.data {
                AttributeData::LineNumberTable(entries) => {
                    lines.extend(entries.iter().map(|e| (usize::from(e.start_pc), u32::from(e.line_number))));
                }
                AttributeData::LocalVariableTable(entries) => {
                    variables.extend(entries.iter().map(|e| {
                        let start = usize::from(e.start_pc);
                        (usize::from(e.index), start..start + usize::from(e.length), &*e.name)
                    }));
                }
                _ => {}
            }
        }
        lines.sort_unstable();
        let opcodes = code.bytecode.as_ref()?.opcodes.as_slice();
        Some(Body { locals: code.max_locals.into(), opcodes, handlers: &code.exception_table, lines, variables })
    }
}

/// Whether a method of a class is annotated as a thread.
pub fn has_threads(class: &cafebabe::ClassFile<'_>) -> bool {
    let attributes = class.methods.iter().flat_map(|method| &method.attributes);
    attributes.flat_map(|attribute| annotations(attribute)).any(|annotation| is_named(annotation, THREAD))
}

fn annotations<'s, 'a>(attribute: &'s AttributeInfo<'a>) -> &'s [Annotation<'a>] {
    match &attribute.data {
        AttributeData::RuntimeInvisibleAnnotations(list) | AttributeData::RuntimeVisibleAnnotations(list) => list,
        _ => &[],
    }
}

fn is_named(annotation: &Annotation, name: &str) -> bool {
    matches!(&annotation.type_descriptor.field_type, FieldType::Object(class) if &**class == name)
}

/// The names in the annotation's element `after`.
fn after<'a>(annotation: &'a Annotation<'a>) -> Vec<&'a str> {
    let element = annotation.elements.iter().find(|element| element.name == "after");
    let texts = |value: &'a AnnotationElementValue<'a>| match value {
        AnnotationElementValue::StringConstant(text) => Some(&**text),
        _ => None,
    };
    match element.map(|element| &element.value) {
        Some(AnnotationElementValue::ArrayValue(values)) => values.iter().filter_map(texts).collect(),
        Some(value) => texts(value).into_iter().collect(),
        None => Vec::new(),
    }
}

/// The kinds of the parameters and of the result that a method descriptor gives; `None` if it is malformed.
pub fn signature(descriptor: &str) -> Option<(Vec<Kind>, Option<Kind>)> {
    let mut rest = descriptor.strip_prefix('(')?;
    let mut parameters = Vec::new();
    while !rest.starts_with(')') {
        let (kind, after) = leading_kind(rest)?;
        parameters.push(kind);
        rest = after;
    }
    let result = &rest[1..];
    let result = if result == "V" { None } else { Some(leading_kind(result)?.0) };
    Some((parameters, result))
}

/// The kind of the type that a descriptor starts with, and what follows it.
fn leading_kind(descriptor: &str) -> Option<(Kind, &str)> {
    let element = descriptor.trim_start_matches('[');
    let (kind, after) = match element.chars().next()? {
        'L' => (Kind::Reference, element.split_once(';')?.1),
        'J' => (Kind::Long, &element[1..]),
        'F' => (Kind::Float, &element[1..]),
        'D' => (Kind::Double, &element[1..]),
        'B' | 'C' | 'I' | 'S' | 'Z' => (Kind::Int, &element[1..]),
        _ => return None,
    };
    Some((if element.len() < descriptor.len() { Kind::Reference } else { kind }, after))
}
