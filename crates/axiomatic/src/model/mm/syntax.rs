//! A model as written: what the parser makes and the elaborator reads.

use std::sync::Arc;

use program::Span;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: Arc<str>,
    pub(super) span: Span,
}

/// A whole model.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) name: Option<Name>,
    /// Whether it has the line `executions`.
    pub(super) executions: bool,
    pub(super) predefined: Vec<Declaration>,
    pub(super) define: Vec<Definition>,
    pub(super) exists: Vec<Existing>,
    /// Variables with what they range over.
    pub(super) forall: Vec<(Name, Term)>,
    pub(super) axioms: Vec<Labelled>,
    /// Definitions that witnesses show.
    pub(super) show: Vec<Name>,
}

/// An axiom: its label, what it says, and where that stands.
#[derive(Debug)]
pub(super) struct Labelled {
    pub(super) label: Name,
    pub(super) formula: Syntax,
    pub(super) statement: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Set,
    Predicate,
    Relation,
}

/// `relation seed(load, store)`, or the family `predicate committed[execution](action)`.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) sort: Sort,
    pub(super) name: Name,
    /// The sorts of a family's indices.
    pub(super) indices: Vec<Name>,
    pub(super) arguments: Vec<Name>,
}

/// `relation hb[E] = (program_order[E] | sw[E])^+`.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) sort: Sort,
    pub(super) name: Name,
    /// Index variables.
    pub(super) indices: Vec<Name>,
    pub(super) term: Term,
}

/// What a model quantifies.
#[derive(Debug)]
pub(super) enum Existing {
    Relation(Declaration),
    /// `order so[E] on synchronisation[E] containing ends_before[E]`.
    Order {
        name: Name,
        indices: Vec<Name>,
        on: Term,
        containing: Option<Term>,
    },
}

/// A symbol, perhaps a member of a family: `po`, `po[I]`.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub(super) name: Name,
    pub(super) indices: Vec<Index>,
}

/// Which member of a family: a variable, `last` or `main`; `I-1`; or `0`.
#[derive(Clone, Debug)]
pub(super) enum Index {
    Name(Name),
    Before(Name),
    Zero(Span),
}

impl Index {
    /// As it is written.
    pub(super) fn text(&self) -> String {
        match self {
            Index::Name(name) => name.text.to_string(),
            Index::Before(name) => format!("{}-1", name.text),
            Index::Zero(_) => "0".to_string(),
        }
    }

    pub(super) fn span(&self) -> Span {
        match self {
            Index::Name(name) | Index::Before(name) => name.span,
            Index::Zero(span) => *span,
        }
    }
}

/// A set or relation as written.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) node: TermNode,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum TermNode {
    /// `0`.
    Empty,
    Symbol(Reference),
    /// `[S]`.
    Identity(Box<Term>),
    Domain(Box<Term>),
    Range(Box<Term>),
    /// `image(S, r)`: what `r` relates members of `S` to.
    Image(Box<Term>, Box<Term>),
    /// `{X : S | f}`, `{X, Y : S | f}`, `{X : S, Y : T | f}`.
    Comprehension {
        variables: Vec<(Name, Term)>,
        body: Box<Syntax>,
    },
    /// Two or more operands, from left to right.
    Chain(Operator, Vec<Term>),
    /// An operand and what follows it, from left to right.
    Postfix(Box<Term>, Vec<Postfix>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Union,
    Sequence,
    Difference,
    Intersection,
    Product,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Postfix {
    Closure,
    ReflexiveClosure,
    Inverse,
    Optional,
}

/// A formula as written.
#[derive(Clone, Debug)]
pub(super) enum Syntax {
    Constant(bool),
    Not(Box<Syntax>),
    And(Vec<Syntax>),
    Or(Vec<Syntax>),
    Implies(Box<Syntax>, Box<Syntax>),
    Equivalent(Box<Syntax>, Box<Syntax>),
    Same(Name, Name),
    Atom(Reference, Vec<Name>),
    Check(Check, Term),
    /// `#r <= 2`.
    Count(Term, Comparison, u32),
    /// `V(X) = V(Y)`, `l(X) = l(Y)`, `m(X) = m(Y)`, perhaps in an execution: `V[E](X) = V[E](Y)`.
    SameOf(Function, Vec<Index>, [Name; 2]),
    /// `V(X) = 3`.
    HasValue(Vec<Index>, Name, i64),
    /// `r <= s`; between two execution variables, their order.
    Within(Term, Term),
    Quantified {
        universal: bool,
        variables: Vec<Name>,
        set: Term,
        body: Box<Syntax>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    Acyclic,
    Irreflexive,
    Empty,
    /// Something is in it.
    Some,
    /// Exactly one thing.
    One,
    /// At most one thing.
    Lone,
}

/// What an action has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Value,
    Location,
    Monitor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    AtMost,
    AtLeast,
    Exactly,
}

impl Term {
    /// The name that this term is, if it is nothing else.
    pub(super) fn plain(&self) -> Option<&Name> {
        match &self.node {
            TermNode::Symbol(Reference { name, indices }) if indices.is_empty() => Some(name),
            _ => None,
        }
    }
}
