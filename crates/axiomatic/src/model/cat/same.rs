//! Whether two functions of cat are the same text but for the names that they bind: then they are the same function.

use std::rc::Rc;
use std::sync::Arc;

use super::syntax::{Binding, Case, Clause, Condition, Expr, ExprKind, Infix, Name, Pattern};
use super::value::{Body, Function, Scope, Value, is_same};

/// Expressions that are compared at most.
const STEPS: usize = 10_000;

/// Whether two functions are the same but for names. What they call is compared as well; false if that takes too long.
pub(super) fn is_same_text(one: &Function, other: &Function) -> bool {
    let mut comparison = Comparison { steps: 0 };
    comparison.functions(one, other)
}

/// The name that is bound, if one is.
type Text = Option<Arc<str>>;

struct Comparison {
    steps: usize,
}

/// Two expressions are compared in two scopes, under the names that were bound around both.
struct Names<'a> {
    scopes: (&'a Scope, &'a Scope),
    /// What both bind in the same place, outermost first; nothing where `_` stands.
    bound: Vec<(Text, Text)>,
}

impl Names<'_> {
    fn bind(&mut self, one: Option<&Name>, other: Option<&Name>) {
        let text = |name: Option<&Name>| name.map(|name| name.text.clone());
        self.bound.push((text(one), text(other)));
    }

    /// Binds the names of two patterns; false if these do not take the same values apart.
    fn bind_pattern(&mut self, one: &Pattern, other: &Pattern) -> bool {
        let (ones, others) = match (one, other) {
            (Pattern::One(one), Pattern::One(other)) => (std::slice::from_ref(one), std::slice::from_ref(other)),
            (Pattern::Tuple(ones), Pattern::Tuple(others)) if ones.len() == others.len() => (&ones[..], &others[..]),
            _ => return false,
        };
        ones.iter().zip(others).for_each(|(one, other)| self.bind(one.as_ref(), other.as_ref()));
        true
    }
}

impl Comparison {
    fn values(&mut self, one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::Function(one), Value::Function(other)) => self.functions(one, other),
            (one, other) => is_same(one, other),
        }
    }

    fn functions(&mut self, one: &Function, other: &Function) -> bool {
        let mut names = Names { scopes: (&one.scope, &other.scope), bound: Vec::new() };
        let (parameters, body) = parts(one);
        let (other_parameters, other_body) = parts(other);
        self.groups(&one.group, &other.group, &mut names)
            && parameters.len() == other_parameters.len()
            && parameters.iter().zip(&other_parameters).all(|(one, other)| names.bind_pattern(one, other))
            && self.exprs(body, other_body, &mut names)
    }

    /// Functions that are defined together.
    fn groups(&mut self, one: &Rc<[Binding]>, other: &Rc<[Binding]>, names: &mut Names<'_>) -> bool {
        one.is_empty() && other.is_empty() || self.bindings((one, true), (other, true), names)
    }

    /// Binds the names of definitions that are the same.
    fn bindings(
        &mut self,
        (ones, one_recursive): (&[Binding], bool),
        (others, other_recursive): (&[Binding], bool),
        names: &mut Names<'_>,
    ) -> bool {
        if ones.len() != others.len() || one_recursive != other_recursive {
            return false;
        }
        let pairs = || ones.iter().zip(others);
        let bind = |names: &mut Names<'_>| pairs().all(|(one, other)| names.bind_pattern(&one.pattern, &other.pattern));
        if one_recursive && !bind(names) {
            return false;
        }
        let are_same = pairs().all(|(one, other)| {
            let inside = names.bound.len();
            let is_same = one.parameters.len() == other.parameters.len()
                && one.parameters.iter().zip(&other.parameters).all(|(one, other)| names.bind_pattern(one, other))
                && self.exprs(&one.value, &other.value, names);
            names.bound.truncate(inside);
            is_same
        });
        are_same && (one_recursive || bind(names))
    }

    fn exprs(&mut self, one: &Expr, other: &Expr, names: &mut Names<'_>) -> bool {
        self.steps += 1;
        if self.steps > STEPS {
            return false;
        }
        let inside = names.bound.len();
        let is_same = self.kinds(&one.kind, &other.kind, names);
        names.bound.truncate(inside);
        is_same
    }

    fn all(&mut self, ones: &[Expr], others: &[Expr], names: &mut Names<'_>) -> bool {
        ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| self.exprs(one, other, names))
    }

    fn kinds(&mut self, one: &ExprKind, other: &ExprKind, names: &mut Names<'_>) -> bool {
        use ExprKind::*;
        match (one, other) {
            (Name(one), Name(other)) => self.names(one, other, names),
            (Empty, Empty) | (Events, Events) => true,
            (Identity(one), Identity(other)) | (Complement(one), Complement(other)) => self.exprs(one, other, names),
            (Tuple(ones), Tuple(others)) | (Elements(ones), Elements(others)) => self.all(ones, others, names),
            (Infix(one, ones), Infix(two, others)) if one == two => {
                // A union has no order.
                let is_union = *one == self::Infix::Union && ones.len() == 2 && others.len() == 2;
                self.all(ones, others, names)
                    || is_union && self.exprs(&ones[0], &others[1], names) && self.exprs(&ones[1], &others[0], names)
            }
            (Postfix(one, ones), Postfix(other, others)) => ones == others && self.exprs(one, other, names),
            (Apply(one, ones), Apply(other, others)) => self.exprs(one, other, names) && self.all(ones, others, names),
            (Function(one, body), Function(other, other_body)) => {
                names.bind_pattern(one, other) && self.exprs(body, other_body, names)
            }
            (
                Let { bindings: ones, recursive: one, body },
                Let { bindings: others, recursive: other, body: other_body },
            ) => self.bindings((ones, *one), (others, *other), names) && self.exprs(body, other_body, names),
            (Try(one, otherwise), Try(other, other_otherwise)) => {
                self.exprs(one, other, names) && self.exprs(otherwise, other_otherwise, names)
            }
            (Tag(one), Tag(other)) => one == other,
            (Match(one, clauses), Match(other, others)) => {
                let are_same = self.exprs(one, other, names) && clauses.len() == others.len();
                are_same && clauses.iter().zip(others).all(|(one, other)| self.clauses(one, other, names))
            }
            (If(one, yes, no), If(other, other_yes, other_no)) => {
                let is_same = self.conditions(one, other, names);
                is_same && self.exprs(yes, other_yes, names) && self.exprs(no, other_no, names)
            }
            _ => false,
        }
    }

    /// A name is bound by both in the same place, or by neither: then it is that of the same value.
    fn names(&mut self, one: &str, other: &str, names: &Names<'_>) -> bool {
        let bound = (
            names.bound.iter().rposition(|(bound, _)| bound.as_deref() == Some(one)),
            names.bound.iter().rposition(|(_, bound)| bound.as_deref() == Some(other)),
        );
        match bound {
            (Some(one), Some(other)) => one == other,
            (None, None) => match (names.scopes.0.find(one), names.scopes.1.find(other)) {
                (Some(one), Some(other)) => self.values(&one.clone(), &other.clone()),
                (None, None) => one == other,
                _ => false,
            },
            _ => false,
        }
    }

    fn clauses(&mut self, one: &Clause, other: &Clause, names: &mut Names<'_>) -> bool {
        let inside = names.bound.len();
        let is_same_case = match (&one.case, &other.case) {
            (Case::Empty, Case::Empty) | (Case::Any, Case::Any) => true,
            (Case::Tag(one), Case::Tag(other)) => one.text == other.text,
            (Case::Element(one, ones), Case::Element(other, others)) => {
                names.bind(one.as_ref(), other.as_ref());
                names.bind(ones.as_ref(), others.as_ref());
                true
            }
            _ => false,
        };
        let is_same = is_same_case && self.exprs(&one.value, &other.value, names);
        names.bound.truncate(inside);
        is_same
    }

    fn conditions(&mut self, one: &Condition, other: &Condition, names: &mut Names<'_>) -> bool {
        use Condition::*;
        match (one, other) {
            (Equal(one, two), Equal(three, four))
            | (Subset(one, two), Subset(three, four))
            | (In(one, two), In(three, four)) => self.exprs(one, three, names) && self.exprs(two, four, names),
            _ => false,
        }
    }
}

/// The parameters of a function, one after the other, and its body. `fun x -> fun y -> e` is `fun x y -> e`.
fn parts(function: &Function) -> (Vec<&Pattern>, &Expr) {
    let mut parameters = vec![&function.parameter];
    let mut body: &Expr = match &function.body {
        Body::Expr(body) => body,
        Body::Function(more, body) => {
            parameters.extend(more.iter());
            body
        }
    };
    while let ExprKind::Function(parameter, inner) = &body.kind {
        parameters.push(parameter);
        body = inner;
    }
    (parameters, body)
}
