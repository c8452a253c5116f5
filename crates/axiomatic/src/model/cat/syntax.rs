//! The syntax of cat: what a file says, before names mean anything.
//!
//! Chains of operators are kept flat, so that the depth of a tree is the depth of its brackets, which the parser bounds.

use std::sync::Arc;

use program::Span;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: Arc<str>,
    pub(super) span: Span,
}

/// One instruction of a model.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    /// `let a = e and b = e`, `let rec ..`.
    Let { bindings: Vec<Binding>, recursive: bool },
    /// `acyclic e as name` and the like.
    Check(Check),
    /// `show e as name`, `show a, b`; the name is absent where the expression is a name itself.
    Show(Vec<(Expr, Name)>),
    /// `unshow a, b`.
    Unshow(Vec<Name>),
    /// `include "file"`.
    Include { file: Arc<str>, span: Span },
    /// `procedure p(x, y) = .. end`, `procedure rec ..`.
    Procedure { name: Name, parameters: Pattern, body: Arc<[Statement]>, recursive: bool },
    /// `call p(e) as name`.
    Call { procedure: Name, argument: Expr, name: Option<Name> },
    /// `with x from e`.
    With { name: Name, from: Expr },
    /// `enum name = 'a || 'b`.
    Enumeration { name: Name, tags: Vec<Name> },
    /// `instructions R[e, ..]`.
    Instructions { events: Name, tags: Vec<Expr> },
    /// `forall x in e do .. end`.
    ForAll { name: Name, within: Expr, body: Arc<[Statement]> },
    /// Something that was refused; the names that it would have bound are known, so that their uses are no new errors.
    Broken(Vec<Name>),
}

/// `pattern = value`, or `name parameters = value`.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) pattern: Pattern,
    /// Of a function, its curried parameters.
    pub(super) parameters: Vec<Pattern>,
    pub(super) value: Arc<Expr>,
}

/// What a binding or a parameter binds; `None` is `_`.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    One(Option<Name>),
    Tuple(Vec<Option<Name>>),
}

impl Pattern {
    /// The names it binds.
    pub(super) fn names(&self) -> impl Iterator<Item = &Name> {
        match self {
            Pattern::One(name) => std::slice::from_ref(name),
            Pattern::Tuple(names) => names,
        }
        .iter()
        .flatten()
    }
}

/// What is asked of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    Acyclic,
    Irreflexive,
    Empty,
}

/// What a check is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Require,
    Flag,
    UndefinedUnless,
}

/// `[flag] [~] acyclic e [as name]`.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) purpose: Purpose,
    pub(super) negated: bool,
    pub(super) property: Property,
    pub(super) expr: Expr,
    pub(super) name: Option<Name>,
    pub(super) span: Span,
}

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
}

/// Infix operators that are kept flat. All but the difference and the addition may be read in any grouping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Infix {
    Union,
    /// `e ++ S`: an element is added to a set; groups to the right.
    Add,
    Sequence,
    Difference,
    Intersection,
    Product,
}

/// Postfix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Postfix {
    Closure,
    ReflexiveClosure,
    Optional,
    Inverse,
}

/// The kinds of expression.
#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Name(Arc<str>),
    /// `0` and `{}`.
    Empty,
    /// `_`: all events.
    Events,
    /// `[S]`.
    Identity(Box<Expr>),
    /// `(a, b)`, `()`.
    Tuple(Vec<Expr>),
    Infix(Infix, Vec<Expr>),
    Postfix(Box<Expr>, Vec<Postfix>),
    Complement(Box<Expr>),
    /// `f a b`: the function, then its arguments one by one.
    Apply(Box<Expr>, Vec<Expr>),
    Function(Pattern, Arc<Expr>),
    Let {
        bindings: Vec<Binding>,
        recursive: bool,
        body: Box<Expr>,
    },
    Try(Box<Expr>, Box<Expr>),
    /// `'name`.
    Tag(Arc<str>),
    /// `{a, b}`: a set given by its elements, of which there is at least one.
    Elements(Vec<Expr>),
    Match(Box<Expr>, Vec<Clause>),
    If(Box<Condition>, Box<Expr>, Box<Expr>),
}

/// `case -> value` of a `match`.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) case: Case,
    pub(super) value: Expr,
}

/// What a clause of a `match` is for.
#[derive(Clone, Debug)]
pub(super) enum Case {
    /// `{}`: the set without elements.
    Empty,
    /// `e ++ S`: an element and the other ones; `None` is `_`.
    Element(Option<Name>, Option<Name>),
    /// `'name`.
    Tag(Name),
    /// `_`: everything else.
    Any,
}

/// A condition on values; those on herd's variants are decided while a file is read.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// `a = b`.
    Equal(Expr, Expr),
    /// `a subset b`.
    Subset(Expr, Expr),
    /// `a in b`: among the elements of a set that is given by them.
    In(Expr, Expr),
}
