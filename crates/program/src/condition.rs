//! The question that a program brings along: a proposition about final states, with a quantifier over executions.

use crate::id::{RegisterId, ThreadId};
use crate::source::Span;
use crate::value::{Pointer, Value};

/// Something that can be looked at when all threads have ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Observable {
    /// A register of a thread's entry function.
    Register(ThreadId, RegisterId),
    /// A memory cell: the value of its coherence-last write.
    Memory(Pointer),
}

/// A side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// What an observable holds at the end.
    Observable(Observable),
    /// A constant. An integer is cut or extended by sign to the width of the observable it is compared with.
    Value(Value),
}

/// How two terms are compared. The orders compare signed numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// Equal.
    Eq,
    /// Different.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
}

/// A proposition about a final state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Proposition {
    /// A constant.
    Constant(bool),
    /// A comparison.
    Compare(Comparator, Term, Term),
    /// Negation.
    Not(Box<Proposition>),
    /// All hold; true when empty.
    And(Vec<Proposition>),
    /// At least one holds; false when empty.
    Or(Vec<Proposition>),
}

/// What is claimed about the executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// Some execution ends in such a state.
    Exists,
    /// No execution ends in such a state.
    NotExists,
    /// Every execution ends in such a state.
    Forall,
}

/// The question of a litmus test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The quantifier.
    pub quantifier: Quantifier,
    /// The proposition.
    pub proposition: Proposition,
    /// Only executions that end in such a state count (herd's `filter`).
    pub filter: Option<Proposition>,
    /// What to list of each final state: the observables of the proposition in order of appearance, then those that
    /// the test lists besides (herd's `locations`). No duplicates.
    pub observed: Vec<Observable>,
    /// Where the question stands.
    pub span: Option<Span>,
}

impl Proposition {
    /// Calls `visit` on every observable, in order of appearance.
    pub fn observables<'a>(&'a self, visit: &mut dyn FnMut(&'a Observable)) {
        match self {
            Proposition::Constant(_) => {}
            Proposition::Compare(_, left, right) => {
                for term in [left, right] {
                    if let Term::Observable(observable) = term {
                        visit(observable);
                    }
                }
            }
            Proposition::Not(inner) => inner.observables(visit),
            Proposition::And(parts) | Proposition::Or(parts) => parts.iter().for_each(|p| p.observables(visit)),
        }
    }

    /// Calls `visit` on every constant.
    pub fn constants<'a>(&'a self, visit: &mut dyn FnMut(&'a Value)) {
        match self {
            Proposition::Constant(_) => {}
            Proposition::Compare(_, left, right) => {
                for term in [left, right] {
                    if let Term::Value(value) = term {
                        visit(value);
                    }
                }
            }
            Proposition::Not(inner) => inner.constants(visit),
            Proposition::And(parts) | Proposition::Or(parts) => parts.iter().for_each(|p| p.constants(visit)),
        }
    }

    /// Whether the proposition holds, given what each observable holds at the end.
    pub fn holds(&self, state: &dyn Fn(&Observable) -> Value) -> bool {
        match self {
            Proposition::Constant(truth) => *truth,
            Proposition::Compare(comparator, left, right) => {
                let value = |term: &Term, other: &Term| match (term, other) {
                    (Term::Observable(observable), _) => state(observable),
                    (Term::Value(value), Term::Observable(other)) => fit(value, &state(other)),
                    (Term::Value(value), Term::Value(_)) => value.clone(),
                };
                compare(*comparator, &value(left, right), &value(right, left))
            }
            Proposition::Not(inner) => !inner.holds(state),
            Proposition::And(parts) => parts.iter().all(|p| p.holds(state)),
            Proposition::Or(parts) => parts.iter().any(|p| p.holds(state)),
        }
    }
}

/// A constant cut or extended by sign to the width of the value it is compared with.
fn fit(constant: &Value, other: &Value) -> Value {
    match (constant, other) {
        (Value::Int(constant), Value::Int(other)) => Value::int(constant.signed(), other.width()),
        _ => constant.clone(),
    }
}

/// Compares two values as conditions do: integers as signed numbers, values of different kinds are different and
/// unordered.
pub fn compare(comparator: Comparator, left: &Value, right: &Value) -> bool {
    let ordering = match (left, right) {
        (Value::Int(a), Value::Int(b)) => Some(a.signed().cmp(&b.signed())),
        _ if left == right => Some(std::cmp::Ordering::Equal),
        _ => None,
    };
    match comparator {
        Comparator::Eq => ordering == Some(std::cmp::Ordering::Equal),
        Comparator::Ne => ordering != Some(std::cmp::Ordering::Equal),
        Comparator::Lt => ordering == Some(std::cmp::Ordering::Less),
        Comparator::Le => ordering.is_some_and(|o| o != std::cmp::Ordering::Greater),
    }
}
