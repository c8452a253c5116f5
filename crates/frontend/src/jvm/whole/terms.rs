//! Small things that all parts of a whole program speak of: names, numbers and constants.

use std::sync::Arc;

use program::{Access, Operand, Order, Span, Value};

use crate::jvm::class::Kind;
use crate::jvm::places::{MethodId, shown};

/// The static field in which javac keeps whether assertions are disabled.
pub const DISABLED: &str = "$assertionsDisabled";

/// A field: the index of its class, and its index there.
pub type FieldId = (usize, usize);

/// Where in the source something stands.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    pub method: MethodId,
    pub line: u32,
    pub span: Span,
}

/// How a class is initialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initialization {
    /// It is being found out: the initialisers of classes use each other.
    Open,
    /// By the setup, or there is nothing to do.
    Early,
    /// On first use.
    Lazy,
}

/// A test of jcstress whose classes are known.
#[derive(Clone, Debug)]
pub struct Stress {
    /// Its class.
    pub test: usize,
    /// The classes of the objects that its methods take.
    pub taken: Vec<usize>,
    /// The methods that run at the same time.
    pub actors: Vec<MethodId>,
    /// Those that run afterwards.
    pub arbiters: Vec<MethodId>,
}

/// The integer 0: null, false, no exception.
pub fn zero() -> Operand {
    Operand::Constant(Value::int(0, 32))
}

/// A volatile access.
pub fn volatile() -> Access {
    Access::ordered(Order::SeqCst).tagged("volatile")
}

/// The descriptor of an array whose elements have this type (a binary name or an array's descriptor).
pub fn array_of(element: &str) -> String {
    if element.starts_with('[') { format!("[{element}") } else { format!("[L{element};") }
}

/// The type that an array's element descriptor names; `None` for primitive types.
pub fn named(descriptor: &str) -> Option<&str> {
    match descriptor.strip_prefix('L') {
        Some(name) => name.strip_suffix(';'),
        None => descriptor.starts_with('[').then_some(descriptor),
    }
}

/// The kind of the elements of an array.
pub fn element_kind(array: &str) -> Kind {
    match &array[1..] {
        "J" => Kind::Long,
        "D" => Kind::Double,
        "F" => Kind::Float,
        "Z" | "B" | "C" | "S" | "I" => Kind::Int,
        _ => Kind::Reference,
    }
}

/// The primitive types: what descriptors and what Java write for them.
const PRIMITIVES: [(&str, &str); 8] = [
    ("Z", "boolean"),
    ("B", "byte"),
    ("C", "char"),
    ("S", "short"),
    ("I", "int"),
    ("J", "long"),
    ("F", "float"),
    ("D", "double"),
];

/// The name of the primitive type with this descriptor; empty if there is none.
pub fn primitive_name(descriptor: &str) -> &'static str {
    PRIMITIVES.iter().find(|(letter, _)| *letter == descriptor).map_or("", |(_, name)| name)
}

/// The descriptor of the primitive type with this name.
pub fn primitive_descriptor(name: &str) -> Option<&'static str> {
    PRIMITIVES.iter().find(|(_, own)| *own == name).map(|(letter, _)| *letter)
}

/// A type as Java writes it; the name of its objects' allocations.
pub fn tag(name: &str) -> Arc<str> {
    let Some(element) = name.strip_prefix('[') else { return shown(name).into() };
    let primitive = primitive_name(element);
    if !primitive.is_empty() {
        return format!("{primitive}[]").into();
    }
    format!("{}[]", named(element).map_or("?".into(), tag)).into()
}
