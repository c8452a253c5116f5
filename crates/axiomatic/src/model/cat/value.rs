//! What names stand for while a model is elaborated, and the names in sight.

use std::rc::Rc;
use std::sync::Arc;

use relation::formula::{ExprId, Variable};

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
    /// A single event, as the set of it.
    Event(ExprId),
    /// A set of which the elements are known in executions only.
    Family(Rc<[Family]>),
    /// What `match` has left of such a set, by a number.
    Rest(usize),
    /// What a recursive function makes of that, or has in an argument, and what is added to it.
    Gathered(Rc<Gathered>),
    /// `map f`.
    Mapping(Rc<Value>),
    Function(Rc<Function>),
    Native(Native),
    Orders(Orders),
    Procedure(Rc<Procedure>),
    /// Something that was reported already; nothing more is said about it.
    Wrong,
}

/// An element for each choice of some events.
#[derive(Clone)]
pub(super) struct Family {
    /// The variables that stand for the events, each with the set it ranges over, which may speak of those before it.
    pub(super) over: Vec<(Variable, ExprId)>,
    pub(super) element: Value,
    /// The classes that the elements are, or of which they were made.
    pub(super) classes: Option<Classes>,
}

/// The classes of an equivalence.
#[derive(Clone, Copy)]
pub(super) struct Classes {
    /// All their members.
    pub(super) on: ExprId,
    pub(super) by: ExprId,
    /// The class of the event that the variable stands for.
    pub(super) class: ExprId,
}

/// Something that is not known yet, and what is added to it.
pub(super) struct Gathered {
    pub(super) source: Source,
    /// A set.
    pub(super) added: Value,
}

/// What is not known yet.
#[derive(Clone)]
pub(super) enum Source {
    /// The value of a recursive function for what is left of a set, and its arguments.
    Again { rest: usize, others: Rc<[Value]> },
    /// An argument of such a function.
    Argument { rest: usize, place: usize },
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

/// A recursive function that is being applied.
pub(super) struct Call {
    pub(super) function: Rc<Function>,
    pub(super) argument: Value,
}

/// A `match` with which a recursive function begins.
pub(super) struct Matching {
    /// The number of what is left of the set.
    pub(super) rest: usize,
    pub(super) function: Rc<Function>,
    pub(super) argument: Value,
    /// The place of the set among several arguments.
    pub(super) position: Option<usize>,
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
    Classes,
    Partition,
    Map,
    Cross,
    TagToEvents,
}

/// Sets of orders.
#[derive(Clone, Copy)]
pub(super) enum Orders {
    /// Strict total orders of a set that contain a relation.
    Linearisations { on: ExprId, contains: ExprId },
    /// One such order for each location, of a set of writes.
    PerLocation { on: ExprId, contains: ExprId },
    /// One such order for each class of an equivalence, all together.
    PerClass { on: ExprId, by: ExprId, contains: ExprId },
}

/// Whether a value is a set given by its elements.
pub(super) fn is_listed(value: &Value) -> bool {
    matches!(value, Value::Listed(_))
}

/// Whether two values are the same thing, as far as their definitions tell. Two expressions may have the same pairs in every
/// execution and not be known as the same.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Event(one), Value::Event(other))
        | (Value::Set(one), Value::Set(other))
        | (Value::Relation(one), Value::Relation(other)) => one == other,
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
        Value::Event(_) => "an event".into(),
        Value::Family(_) => "a set of sets".into(),
        Value::Rest(_) => "what is left of a set".into(),
        Value::Gathered(_) => "what a recursive function gathers".into(),
        Value::Function(_) | Value::Native(_) | Value::Mapping(_) => "a function".into(),
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
