//! What names stand for while a model is elaborated, and the names in sight.

use std::rc::Rc;
use std::sync::Arc;

use relation::formula::ExprId;

use super::syntax::{Binding, Expr, Name, Pattern, Statement};

/// What a name stands for.
#[derive(Clone)]
pub(super) enum Value {
    Set(ExprId),
    Relation(ExprId),
    /// `0`, `{}`: a set or a relation, as needed.
    Nothing,
    /// The complement of that.
    Everything,
    Tuple(Rc<[Value]>),
    /// A tag of an enumeration.
    Tag(Arc<str>),
    /// A set given by its elements, of which there is at least one and none twice.
    Listed(Rc<[Value]>),
    Function(Rc<Function>),
    Native(Native),
    Orders(Orders),
    Procedure(Rc<Procedure>),
    /// Something that was reported already; nothing more is said about it.
    Wrong,
}

pub(super) struct Function {
    pub(super) parameter: Pattern,
    pub(super) body: Body,
    pub(super) scope: Scope,
    /// The functions that it is defined with by recursion, itself included; else empty. Their names are bound anew at each
    /// call: were they in `scope`, values would own themselves.
    pub(super) group: Rc<[Binding]>,
}

#[derive(Clone)]
pub(super) enum Body {
    Expr(Arc<Expr>),
    /// The other parameters of a curried function, then its body.
    Function(Arc<[Pattern]>, Arc<Expr>),
}

pub(super) struct Procedure {
    pub(super) parameter: Pattern,
    pub(super) body: Arc<[Statement]>,
    pub(super) scope: Scope,
    /// Its own name, if it may call itself.
    pub(super) own: Option<Name>,
}

/// Functions that are not written in cat.
#[derive(Clone, Copy)]
pub(super) enum Native {
    Domain,
    Range,
    Linearisations,
    GenerateOrders,
    GenerateCos,
}

/// Sets of orders.
#[derive(Clone, Copy)]
pub(super) enum Orders {
    /// Strict total orders of a set that contain a relation.
    Linearisations { on: ExprId, contains: ExprId },
    /// One such order for each location, of a set of writes.
    PerLocation { on: ExprId, contains: ExprId },
}

/// Whether a value is a set given by its elements.
pub(super) fn is_listed(value: &Value) -> bool {
    matches!(value, Value::Listed(_))
}

/// Whether two values are the same thing, as far as their definitions tell. Two expressions may have the same pairs in every
/// execution and not be known as the same.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Set(one), Value::Set(other)) | (Value::Relation(one), Value::Relation(other)) => one == other,
        (Value::Nothing, Value::Nothing) | (Value::Everything, Value::Everything) => true,
        (Value::Tag(one), Value::Tag(other)) => one == other,
        (Value::Tuple(one), Value::Tuple(other)) => {
            one.len() == other.len() && one.iter().zip(other.iter()).all(|(one, other)| is_same(one, other))
        }
        (Value::Listed(one), Value::Listed(other)) => {
            one.len() == other.len() && one.iter().all(|one| other.iter().any(|other| is_same(one, other)))
        }
        _ => false,
    }
}

/// Names in sight, innermost first.
#[derive(Clone, Default)]
pub(super) struct Scope(pub(super) Option<Rc<Definition>>);

pub(super) struct Definition {
    pub(super) name: Arc<str>,
    pub(super) value: Value,
    pub(super) outer: Scope,
    /// How many there are, this one included.
    pub(super) count: usize,
}

impl Scope {
    pub(super) fn find(&self, name: &str) -> Option<&Value> {
        let mut scope = self;
        while let Some(definition) = &scope.0 {
            if &*definition.name == name {
                return Some(&definition.value);
            }
            scope = &definition.outer;
        }
        None
    }

    pub(super) fn count(&self) -> usize {
        self.0.as_ref().map_or(0, |definition| definition.count)
    }
}

impl Drop for Scope {
    /// Long chains are taken apart in a loop: the drop that the compiler writes would recurse.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(definition) = next {
            next = Rc::try_unwrap(definition).ok().and_then(|mut definition| definition.outer.0.take());
        }
    }
}

/// What a value is, in words.
pub(super) fn describe(value: &Value) -> String {
    match value {
        Value::Set(_) => "a set".into(),
        Value::Relation(_) => "a relation".into(),
        Value::Nothing | Value::Everything => "a set or relation".into(),
        Value::Tuple(values) => format!("a tuple of {}", values.len()),
        Value::Tag(tag) => format!("the tag `'{tag}`"),
        Value::Listed(_) => "a set given by its elements".into(),
        Value::Function(_) | Value::Native(_) => "a function".into(),
        Value::Orders(_) => "a set of orders".into(),
        Value::Procedure(_) => "a procedure".into(),
        Value::Wrong => "an error".into(),
    }
}

pub(super) fn arguments(count: usize) -> String {
    if count == 1 { "1 argument".into() } else { format!("{count} arguments") }
}

pub(super) fn given(count: usize) -> String {
    if count == 1 { "1 is".into() } else { format!("{count} are") }
}
