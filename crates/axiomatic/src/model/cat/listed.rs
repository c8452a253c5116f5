//! Sets given by their elements, and what goes through elements one by one: `match`, `forall`, recursion over them.
//!
//! A model is expanded before any program is known, so this can be done for sets whose elements stand in the model: those of
//! tags, of relations, of sets of events. The events themselves differ from execution to execution: to take one of them out
//! of a set is refused. Whether a set of events is empty, or two are equal, is decided in each execution.

use std::rc::Rc;
use std::sync::Arc;

use program::{Access, Span};
use relation::formula::{Expr as R, ExprId};

use super::elaborate::Elaborator;
use super::syntax::{Case, Clause, Condition, Expr, Infix, Name, Statement};
use super::value::{Scope, Value, describe, is_same};

impl Elaborator<'_> {
    // Statements.

    pub(super) fn enumeration(&mut self, name: &Name, tags: &[Name], scope: &mut Scope) {
        for tag in tags {
            if !self.tags.insert(tag.text.clone()) {
                self.wrong(format!("there is a tag `'{}` already", tag.text), tag.span);
            }
        }
        let tags = tags.iter().map(|tag| Value::Tag(tag.text.clone())).collect();
        let value = listed(tags);
        self.define(scope, &name.text, value, name.span);
    }

    /// Which tags events of a kind may have. Each names the set of the events that have it, `Once` for `'once`.
    pub(super) fn instructions(&mut self, events: &Name, tags: &[Expr], scope: &mut Scope) {
        for expr in tags {
            let value = self.eval(expr, scope);
            let Some(members) = self.members(&value, expr.span) else { return };
            for member in members.iter() {
                let Value::Tag(tag) = member else {
                    self.mismatch("tags", member, expr.span);
                    return;
                };
                let set = self.tagged(tag);
                let name: String =
                    tag.chars().take(1).flat_map(char::to_uppercase).chain(tag.chars().skip(1)).collect();
                self.define(scope, &name.into(), set, events.span);
            }
        }
    }

    /// The events with a tag: bell files have spelt the tags of the kernel in small letters, and in capitals. What no program here can
    /// have is the empty set; what would have it is refused in programs.
    pub(super) fn tagged(&mut self, tag: &str) -> Value {
        let annotation = tag.to_ascii_lowercase();
        match Access::ANNOTATIONS.contains(&&*annotation) {
            true => Value::Set(self.model.formulas.base(&format!("'{annotation}"))),
            false => Value::Set(self.expr(R::Empty)),
        }
    }

    /// The statements, once for each element.
    pub(super) fn for_all(&mut self, name: &Name, within: &Expr, body: &Arc<[Statement]>, scope: &Scope) {
        let elements = match self.eval(within, scope) {
            Value::Listed(elements) => elements,
            Value::Nothing => Rc::default(),
            Value::Wrong => return,
            other => {
                match self.families(&other) {
                    Some(families) => self.for_all_unknown(name, &families, body, scope),
                    None => {
                        self.mismatch("a set", &other, within.span);
                    }
                }
                return;
            }
        };
        for element in elements.iter() {
            if !self.enter(name.span) {
                return;
            }
            let mut inner = scope.clone();
            self.define(&mut inner, &name.text, element.clone(), name.span);
            self.statements(body, &mut inner);
            self.depth -= 1;
        }
    }

    // Expressions.

    pub(super) fn tag(&mut self, tag: &Arc<str>, span: Span) -> Value {
        if self.tags.contains(tag) {
            return Value::Tag(tag.clone());
        }
        self.wrong(format!("no enumeration has the tag `'{tag}`"), span)
    }

    pub(super) fn elements(&mut self, elements: &[Expr], scope: &Scope) -> Value {
        let values: Vec<Value> = elements.iter().map(|element| self.eval(element, scope)).collect();
        if values.iter().any(|value| matches!(value, Value::Wrong)) {
            return Value::Wrong;
        }
        self.set_of_events(&values).unwrap_or_else(|| listed(values))
    }

    /// `a ++ b ++ S`.
    pub(super) fn add(&mut self, values: &[Value], operands: &[Expr]) -> Value {
        let (Some((set, elements)), Some(last)) = (values.split_last(), operands.last()) else { return Value::Wrong };
        if values.iter().any(|value| matches!(value, Value::Wrong)) {
            return Value::Wrong;
        }
        if Self::is_gathered(set) {
            return self.gather_elements(elements, set, last.span);
        }
        if let Some(events) = self.set_of_events(elements).filter(|events| !matches!(events, Value::Nothing)) {
            return match (&events, set) {
                (Value::Set(_), _) => self.boolean(&[events, set.clone()], [last.span; 2].into_iter(), R::Union),
                (_, Value::Set(_)) => self.mismatch("a relation", set, last.span),
                _ => self.boolean(&[events, set.clone()], [last.span; 2].into_iter(), R::Union),
            };
        }
        match self.members(set, last.span) {
            Some(rest) => listed(elements.iter().chain(rest.iter()).cloned().collect()),
            None => Value::Wrong,
        }
    }

    /// Union, intersection and difference of sets given by their elements.
    pub(super) fn listed_boolean(&mut self, operator: Infix, values: &[Value], operands: &[Expr]) -> Value {
        let mut result: Option<Vec<Value>> = None;
        for (value, operand) in values.iter().zip(operands) {
            let Some(members) = self.members(value, operand.span) else { return Value::Wrong };
            if operator != Infix::Union && members.iter().any(|member| !matches!(member, Value::Tag(_))) {
                // Whether two relations are one and the same depends on the execution.
                return self.unsupported("an intersection or difference of sets of anything but tags", operand.span);
            }
            let among = |member: &Value| members.iter().any(|other| is_same(member, other));
            result = Some(match (result, operator) {
                (None, _) => members.to_vec(),
                (Some(before), Infix::Intersection) => before.into_iter().filter(among).collect(),
                (Some(before), Infix::Difference) => before.into_iter().filter(|member| !among(member)).collect(),
                (Some(before), _) => before.into_iter().chain(members.iter().cloned()).collect(),
            });
        }
        listed(result.unwrap_or_default())
    }

    /// The elements of a set that is given by them; reports one that is not.
    fn members(&mut self, value: &Value, span: Span) -> Option<Rc<[Value]>> {
        match value {
            Value::Listed(members) => Some(members.clone()),
            Value::Nothing => Some(Rc::default()),
            Value::Wrong => None,
            Value::Set(_) | Value::Relation(_) | Value::Everything => {
                self.unsupported("a set of events among sets given by their elements", span);
                None
            }
            Value::Family(_) => {
                self.unsupported("a set of sets that are known in executions only, here", span);
                None
            }
            other => {
                self.mismatch("a set given by its elements", other, span);
                None
            }
        }
    }

    pub(super) fn matched(&mut self, matched: &Expr, clauses: &[Clause], scope: &Scope) -> Value {
        let value = self.eval(matched, scope);
        match &value {
            Value::Wrong => Value::Wrong,
            Value::Tag(tag) => {
                let is_for = |case: &Case| matches!(case, Case::Tag(name) if name.text == *tag);
                self.clause(clauses, is_for, matched, &value, |_, _, _| {}, scope)
            }
            Value::Nothing => {
                let is_for = |case: &Case| matches!(case, Case::Empty);
                self.clause(clauses, is_for, matched, &value, |_, _, _| {}, scope)
            }
            Value::Listed(members) => {
                let is_for = |case: &Case| matches!(case, Case::Element(..));
                let parts = members.split_first().map(|(first, rest)| (first.clone(), listed(rest.to_vec())));
                let bind = |this: &mut Self, case: &Case, inner: &mut Scope| {
                    let (Case::Element(first, rest), Some((element, others))) = (case, parts) else { return };
                    for (name, value) in [(first, element), (rest, others)] {
                        if let Some(name) = name {
                            this.define(inner, &name.text, value, name.span);
                        }
                    }
                };
                self.clause(clauses, is_for, matched, &value, bind, scope)
            }
            Value::Set(_) | Value::Relation(_) | Value::Everything | Value::Family(_) => {
                self.matched_unknown(&value, matched, clauses, scope)
            }
            Value::Orders(_) => self.unsupported("taking one out of a set of orders", matched.span),
            other => self.mismatch("a tag or a set", other, matched.span),
        }
    }

    /// The value of the clause for a case, or of `_`.
    fn clause(
        &mut self,
        clauses: &[Clause],
        is_for: impl Fn(&Case) -> bool,
        matched: &Expr,
        value: &Value,
        bind: impl FnOnce(&mut Self, &Case, &mut Scope),
        scope: &Scope,
    ) -> Value {
        let Some(clause) = clauses.iter().find(|clause| is_for(&clause.case) || matches!(clause.case, Case::Any))
        else {
            return self.wrong(format!("no clause is for {}", describe(value)), matched.span);
        };
        let mut inner = scope.clone();
        bind(self, &clause.case, &mut inner);
        self.eval(&clause.value, &inner)
    }

    pub(super) fn conditional(&mut self, condition: &Condition, yes: &Expr, no: &Expr, scope: &Scope) -> Value {
        let (Condition::Equal(left, right) | Condition::Subset(left, right) | Condition::In(left, right)) = condition;
        let values = (self.eval(left, scope), self.eval(right, scope));
        if let (Value::Wrong, _) | (_, Value::Wrong) = values {
            return Value::Wrong;
        }
        if let Some(holds) = decided(condition, &values.0, &values.1) {
            return self.eval(if holds { yes } else { no }, scope);
        }
        let is_of_events = |value: &Value| {
            matches!(value, Value::Set(_) | Value::Event(_) | Value::Relation(_) | Value::Nothing | Value::Everything)
        };
        let is_among = matches!(condition, Condition::In(..)) && !matches!(values.0, Value::Event(_));
        if is_among || !is_of_events(&values.0) || !is_of_events(&values.1) {
            return self.unsupported("this condition", left.span.to(right.span));
        }
        let is_set = |value: &Value| matches!(value, Value::Set(_) | Value::Event(_));
        let sets = is_set(&values.0) || is_set(&values.1);
        let read = |this: &mut Self, value: &Value, span| {
            if sets { this.set(value, span) } else { this.relation(value, span) }
        };
        let (Some(one), Some(other)) = (read(self, &values.0, left.span), read(self, &values.1, right.span)) else {
            return Value::Wrong;
        };
        let mut apart = self.expr(R::Difference(one, other));
        if let Condition::Equal(..) = condition {
            let back = self.expr(R::Difference(other, one));
            apart = self.expr(R::Union(apart, back));
        }
        let (of_yes, of_no) = (self.eval(yes, scope), self.eval(no, scope));
        self.choose(apart, (&of_no, no.span), (&of_yes, yes.span))
    }

    /// The first value in executions where the relation has a pair, else the second.
    pub(super) fn choose(&mut self, relation: ExprId, some: (&Value, Span), none: (&Value, Span)) -> Value {
        if let (Value::Wrong, _) | (_, Value::Wrong) = (some.0, none.0) {
            return Value::Wrong;
        }
        if is_same(some.0, none.0) {
            return some.0.clone();
        }
        let is_set = |value: &Value| matches!(value, Value::Set(_) | Value::Event(_));
        let sets = is_set(some.0) || is_set(none.0);
        let read = |this: &mut Self, (value, span): (&Value, Span)| {
            if sets { this.set(value, span) } else { this.relation(value, span) }
        };
        let (Some(of_some), Some(of_none)) = (read(self, some), read(self, none)) else { return Value::Wrong };
        // All pairs where the relation has one, else none.
        let all = self.expr(R::Universe);
        let left = self.expr(R::Sequence(all, relation));
        let whether = self.expr(R::Sequence(left, all));
        let first = self.expr(R::Intersection(of_some, whether));
        let second = self.expr(R::Difference(of_none, whether));
        let both = self.expr(R::Union(first, second));
        if sets { Value::Set(both) } else { Value::Relation(both) }
    }
}

/// What a condition comes to where that is the same in all executions.
fn decided(condition: &Condition, left: &Value, right: &Value) -> Option<bool> {
    let of_tags = |value: &Value| match value {
        Value::Listed(members) => members.iter().all(|member| matches!(member, Value::Tag(_))),
        Value::Nothing | Value::Tag(_) => true,
        _ => false,
    };
    let members = |value: &Value| match value {
        Value::Listed(members) => members.clone(),
        _ => Rc::default(),
    };
    let within = |one: &Value, set: &Value| members(set).iter().any(|other| is_same(one, other));
    match condition {
        Condition::Equal(..) if is_same(left, right) => Some(true),
        _ if !of_tags(left) || !of_tags(right) => None,
        Condition::Equal(..) => Some(false),
        Condition::In(..) => Some(within(left, right)),
        Condition::Subset(..) => Some(members(left).iter().all(|one| within(one, right))),
    }
}

/// The set of these elements.
pub(super) fn listed(elements: Vec<Value>) -> Value {
    let mut kept: Vec<Value> = Vec::new();
    for element in elements {
        if !kept.iter().any(|other| is_same(&element, other)) {
            kept.push(element);
        }
    }
    if kept.is_empty() { Value::Nothing } else { Value::Listed(kept.into()) }
}
