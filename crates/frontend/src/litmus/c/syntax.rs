//! The syntax tree of a thread's function.

use std::collections::HashSet;

use program::Span;

use crate::litmus::types::Type;

/// How a thread's code accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// By the atomics of C11: litmus tests in C.
    Atomics,
    /// By methods of `VarHandle`: litmus tests in Java.
    Handles,
}

/// A thread's function.
#[derive(Debug)]
pub struct Function {
    /// How it accesses memory.
    pub calls: Calls,
    /// Number of the thread.
    pub number: u32,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its statements.
    pub body: Vec<Statement>,
    /// Names of variables that are assigned somewhere.
    pub assigned: HashSet<String>,
    /// The first line, up to the parameters.
    pub span: Span,
}

/// A parameter.
#[derive(Debug)]
pub struct Parameter {
    /// Its name and that of the location that it points to.
    pub name: String,
    /// Its type.
    pub declared: Type,
    /// Where it stands.
    pub span: Span,
}

/// A statement.
#[derive(Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Its text without the final `;`; of an `if` or a loop only the part with the condition.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Debug)]
pub enum StatementKind {
    /// `int a = 1, *b;`
    Declare(Vec<Declarator>),
    /// An expression, or nothing.
    Evaluate(Option<Expression>),
    /// `if (condition) then else otherwise`.
    If(Expression, Box<Statement>, Option<Box<Statement>>),
    /// `while (condition) body`.
    While(Expression, Box<Statement>),
    /// `do body while (condition)`.
    DoWhile(Box<Statement>, Expression),
    /// `for (first; condition; step) body`.
    For(Box<Statement>, Option<Expression>, Option<Expression>, Box<Statement>),
    /// `{ ... }`.
    Block(Vec<Statement>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Option<Expression>),
}

/// One variable of a declaration.
#[derive(Debug)]
pub struct Declarator {
    /// Its name.
    pub name: String,
    /// Its type.
    pub declared: Type,
    /// Its first value.
    pub value: Option<Expression>,
    /// Where the name stands.
    pub span: Span,
}

/// How a statement may leave what it stands in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leaves {
    /// By `break` or `continue` of a loop around it.
    pub the_loop: bool,
    /// By `return`.
    pub the_function: bool,
}

impl Leaves {
    fn or(self, other: Leaves) -> Leaves {
        Leaves { the_loop: self.the_loop || other.the_loop, the_function: self.the_function || other.the_function }
    }
}

impl Statement {
    /// How it may leave what it stands in.
    pub fn leaves(&self) -> Leaves {
        match &self.kind {
            StatementKind::Declare(_) | StatementKind::Evaluate(_) => Leaves::default(),
            StatementKind::If(_, then, otherwise) => {
                then.leaves().or(otherwise.as_ref().map_or(Leaves::default(), |otherwise| otherwise.leaves()))
            }
            StatementKind::While(_, body) | StatementKind::DoWhile(body, _) | StatementKind::For(_, _, _, body) => {
                Leaves { the_loop: false, ..body.leaves() }
            }
            StatementKind::Block(statements) => {
                statements.iter().fold(Leaves::default(), |leaves, statement| leaves.or(statement.leaves()))
            }
            StatementKind::Break | StatementKind::Continue => Leaves { the_loop: true, the_function: false },
            StatementKind::Return(_) => Leaves { the_loop: false, the_function: true },
        }
    }
}

/// An expression.
#[derive(Debug)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Its text.
    pub span: Span,
    /// How deep it is nested; at most [`DEEPEST`].
    pub depth: usize,
}

/// How deep expressions and statements may be nested.
pub const DEEPEST: usize = 200;

/// The kinds of expressions.
#[derive(Debug)]
pub enum ExpressionKind {
    /// A number.
    Number(i64, Type),
    /// A variable, parameter or memory order.
    Name(String),
    /// `-a`, `~a`, `!a`, `+a`.
    Unary(&'static str, Box<Expression>),
    /// Arithmetic, shifts, bits and comparisons.
    Binary(&'static str, Box<Expression>, Box<Expression>),
    /// `a && b`, `a || b`.
    Logical(&'static str, Box<Expression>, Box<Expression>),
    /// `a ? b : c`.
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `a = b`, or `a += b` with its operator.
    Assign(Option<&'static str>, Box<Expression>, Box<Expression>),
    /// `a++`, `--a`: whether 1 is added, and whether the old value is meant.
    Step {
        /// What is changed.
        target: Box<Expression>,
        /// Whether it grows.
        up: bool,
        /// Whether the value of the expression is the old one.
        old: bool,
    },
    /// `(type) a`.
    Cast(Type, Box<Expression>),
    /// `*a`.
    Dereference(Box<Expression>),
    /// `a[b]`.
    Index(Box<Expression>, Box<Expression>),
    /// `&a`.
    Address(Box<Expression>),
    /// `f(a, b)`.
    Call(String, Vec<Expression>),
    /// `X.f(a, b)`, for a receiver that is a name.
    Method(String, String, Vec<Expression>),
    /// `a, b`.
    Sequence(Box<Expression>, Box<Expression>),
}

impl Expression {
    /// Whether it may be evaluated or not without a difference: it touches no memory, changes no variable and is defined
    /// whenever its variables are.
    pub fn is_pure(&self) -> bool {
        match &self.kind {
            ExpressionKind::Number(..) | ExpressionKind::Name(_) => true,
            ExpressionKind::Unary(_, inner) | ExpressionKind::Cast(_, inner) => inner.is_pure(),
            ExpressionKind::Binary("/" | "%", ..) => false,
            ExpressionKind::Binary(_, left, right) | ExpressionKind::Logical(_, left, right) => {
                left.is_pure() && right.is_pure()
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                condition.is_pure() && then.is_pure() && otherwise.is_pure()
            }
            _ => false,
        }
    }
}
