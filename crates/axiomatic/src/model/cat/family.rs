//! Sets of which the elements are known in executions only: events of sets, pairs of relations, classes of equivalences.
//!
//! What is made of each element is written down once, with a variable that stands for an event ([`Family`]): the classes of a relation
//! `r` are `range([x]; r)` for each `x` of its domain. A statement in `forall` holds for every such event, and a function
//! that calls itself for the other elements of a set gives the union of what it makes of each, if that is all that it does with them: then
//! it makes no difference in which order elements are taken. Anything else is refused with its place.

use std::rc::Rc;
use std::sync::Arc;

use program::Span;
use relation::formula::{Expr as R, ExprId, Formula, Variable};

use super::elaborate::Elaborator;
use super::listed::listed;
use super::syntax::{Case, Clause, Expr, ExprKind, Name, Pattern, Property, Statement};
use super::value::{Body, Call, Classes, Family, Function, Gathered, Matching, Scope, Source, Value};

/// The clauses of a `match` on a set of unknown elements.
struct Split<'a> {
    empty: &'a Clause,
    other: &'a Clause,
    /// The names of an element and of the other ones.
    names: (&'a Option<Name>, &'a Option<Name>),
}

impl Elaborator<'_> {
    /// The elements of a value that are known in executions only; `None` if it is no such set.
    pub(super) fn families(&mut self, value: &Value) -> Option<Rc<[Family]>> {
        match value {
            Value::Family(families) => Some(families.clone()),
            Value::Set(set) => {
                let (variable, event) = self.event();
                Some(Rc::new([Family { over: vec![(variable, *set)], element: Value::Event(event), classes: None }]))
            }
            Value::Everything => {
                let all = self.expr(R::Identity);
                self.families(&Value::Set(all))
            }
            Value::Relation(relation) => {
                let ((first, from), (second, to)) = (self.event(), self.event());
                let starts = self.expr(R::Domain(*relation));
                let row = self.expr(R::Sequence(from, *relation));
                let ends = self.expr(R::Range(row));
                let element = Value::Tuple([Value::Event(from), Value::Event(to)].into());
                Some(Rc::new([Family { over: vec![(first, starts), (second, ends)], element, classes: None }]))
            }
            _ => None,
        }
    }

    /// A new variable, and the event that it stands for.
    fn event(&mut self) -> (Variable, ExprId) {
        let variable = Variable(self.variables);
        self.variables += 1;
        (variable, self.expr(R::Single(variable)))
    }

    /// The classes of an equivalence; of another relation, those of the least one that contains it.
    pub(super) fn classes(&mut self, relation: ExprId) -> Value {
        let back = self.expr(R::Inverse(relation));
        let both = self.expr(R::Union(relation, back));
        let by = self.expr(R::Closure(both));
        let on = self.expr(R::Domain(by));
        self.classes_on(on, by)
    }

    /// The parts of a set of which each belongs to one location.
    pub(super) fn partition(&mut self, on: ExprId) -> Value {
        let by = self.model.formulas.base("loc");
        self.classes_on(on, by)
    }

    fn classes_on(&mut self, on: ExprId, by: ExprId) -> Value {
        let (variable, event) = self.event();
        let row = self.expr(R::Sequence(event, by));
        let related = self.expr(R::Range(row));
        let all = self.expr(R::Union(event, related));
        let class = self.expr(R::Intersection(all, on));
        let classes = Some(Classes { on, by, class });
        Value::Family(Rc::new([Family { over: vec![(variable, on)], element: Value::Set(class), classes }]))
    }

    /// The results of a function for all elements of a set.
    pub(super) fn map(&mut self, function: &Value, set: &Value, called: &Expr, span: Span) -> Value {
        if let Value::Listed(elements) = set {
            let results = elements.iter().map(|element| self.apply(function, element.clone(), called, span));
            return listed(results.collect());
        }
        if let Value::Nothing | Value::Wrong = set {
            return set.clone();
        }
        let Some(families) = self.families(set) else { return self.mismatch("a set", set, span) };
        let mut results = Value::Nothing;
        for family in families.iter() {
            let element = self.apply(function, family.element.clone(), called, span);
            let over = family.over.clone();
            let result = match element {
                Value::Wrong => return Value::Wrong,
                Value::Event(_) | Value::Tuple(_) => {
                    let single = self.single(&element);
                    self.each(&over, &single)
                }
                element => Value::Family(Rc::new([Family { over, element, classes: family.classes }])),
            };
            results = self.unite(&results, &result, span);
        }
        results
    }

    /// A value for each binding of some variables, all together.
    fn each(&mut self, over: &[(Variable, ExprId)], value: &Value) -> Value {
        let mut all =
            |id: ExprId| over.iter().rev().fold(id, |body, &(variable, set)| self.expr(R::Each(variable, set, body)));
        match value {
            Value::Set(id) => Value::Set(all(*id)),
            Value::Relation(id) => Value::Relation(all(*id)),
            Value::Family(families) => {
                let within = |family: &Family| Family { over: [over, &family.over].concat(), ..family.clone() };
                Value::Family(families.iter().map(within).collect())
            }
            Value::Listed(elements) => {
                let family = |element: &Value| Family { over: over.to_vec(), element: element.clone(), classes: None };
                Value::Family(elements.iter().map(family).collect())
            }
            other => other.clone(),
        }
    }

    /// The set with one element.
    fn single(&mut self, element: &Value) -> Value {
        match element {
            Value::Event(event) => Value::Set(*event),
            Value::Tuple(pair) => match &pair[..] {
                [Value::Event(from), Value::Event(to)] => Value::Relation(self.expr(R::Product(*from, *to))),
                _ => listed(vec![element.clone()]),
            },
            _ => listed(vec![element.clone()]),
        }
    }

    /// The set of some elements, if they are events or pairs of events.
    pub(super) fn set_of_events(&mut self, elements: &[Value]) -> Option<Value> {
        let mut all = Value::Nothing;
        for element in elements {
            let single = self.single(element);
            all = match (&all, &single) {
                (Value::Nothing, Value::Set(_) | Value::Relation(_)) => single,
                (Value::Set(one), Value::Set(other)) => Value::Set(self.expr(R::Union(*one, *other))),
                (Value::Relation(one), Value::Relation(other)) => Value::Relation(self.expr(R::Union(*one, *other))),
                _ => return None,
            };
        }
        Some(all)
    }

    pub(super) fn unite_all(&mut self, values: &[Value], operands: &[Expr]) -> Value {
        let all = values.iter().zip(operands);
        all.fold(Value::Nothing, |sum, (value, operand)| self.unite(&sum, value, operand.span))
    }

    fn unite(&mut self, one: &Value, other: &Value, span: Span) -> Value {
        match (one, other) {
            (Value::Wrong, _) | (_, Value::Wrong) => Value::Wrong,
            (Value::Nothing, any) | (any, Value::Nothing) => any.clone(),
            (Value::Set(one), Value::Set(other)) => Value::Set(self.expr(R::Union(*one, *other))),
            (Value::Relation(one), Value::Relation(other)) => Value::Relation(self.expr(R::Union(*one, *other))),
            (Value::Listed(_) | Value::Family(_), Value::Listed(_) | Value::Family(_)) => {
                let families = [one, other].map(|value| self.each(&[], value));
                let all = families.iter().flat_map(|value| match value {
                    Value::Family(families) => families.to_vec(),
                    _ => Vec::new(),
                });
                Value::Family(all.collect())
            }
            (_, other) => self.mismatch("a set of the same kind", other, span),
        }
    }

    // `e ++ S` and unions.

    /// Whether a value is what a recursive function makes of other elements, or gathers.
    pub(super) fn is_gathered(value: &Value) -> bool {
        matches!(value, Value::Gathered(_))
    }

    /// Adds to what is gathered: of these values one is that, the others are sets.
    pub(super) fn gather(&mut self, values: &[Value], span: Span) -> Value {
        let mut gathered = values.iter().filter_map(|value| match value {
            Value::Gathered(gathered) => Some(gathered),
            _ => None,
        });
        let (Some(first), None) = (gathered.next(), gathered.next()) else {
            return self.unsupported("what a recursive function makes of the other elements, used twice,", span);
        };
        let mut added = first.added.clone();
        for value in values.iter().filter(|value| !Self::is_gathered(value)) {
            added = self.unite(&added, value, span);
        }
        match added {
            Value::Wrong => Value::Wrong,
            added => Value::Gathered(Rc::new(Gathered { source: first.source.clone(), added })),
        }
    }

    /// Elements added to what is gathered.
    pub(super) fn gather_elements(&mut self, elements: &[Value], gathered: &Value, span: Span) -> Value {
        let singles: Vec<Value> = elements.iter().map(|element| self.single(element)).collect();
        self.gather(&[&singles[..], std::slice::from_ref(gathered)].concat(), span)
    }

    // Recursion.

    /// Applies a recursive function; to what a `match` has left of a set, its result is not known yet.
    pub(super) fn apply_recursive(
        &mut self,
        function: &Rc<Function>,
        argument: Value,
        run: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        if let Some(result) = self.again(function, &argument) {
            return result;
        }
        self.calls.push(Call { function: function.clone(), argument });
        let result = run(self);
        self.calls.pop();
        result
    }

    fn again(&mut self, function: &Rc<Function>, argument: &Value) -> Option<Value> {
        let matching = self.matching.iter().rev().find(|matching| {
            let is_rest = |value: &Value| matches!(value, Value::Rest(rest) if *rest == matching.rest);
            is_same_function(function, &matching.function)
                && match (matching.position, argument) {
                    (None, argument) => is_rest(argument),
                    (Some(place), Value::Tuple(values)) => values.get(place).is_some_and(is_rest),
                    _ => false,
                }
        })?;
        let others: Rc<[Value]> = match argument {
            Value::Tuple(values) if matching.position.is_some() => values.clone(),
            _ => Rc::default(),
        };
        let source = Source::Again { rest: matching.rest, others };
        Some(Value::Gathered(Rc::new(Gathered { source, added: Value::Nothing })))
    }

    /// A `match` on a set whose elements are known in executions only.
    pub(super) fn matched_unknown(
        &mut self,
        value: &Value,
        matched: &Expr,
        clauses: &[Clause],
        scope: &Scope,
    ) -> Value {
        let empty = clauses.iter().find(|clause| matches!(clause.case, Case::Empty | Case::Any));
        let other = clauses.iter().find(|clause| matches!(clause.case, Case::Element(..) | Case::Any));
        let (Some(empty), Some(other)) = (empty, other) else {
            return self.wrong("one clause is for the empty set, the other for those with elements", matched.span);
        };
        let names = match &other.case {
            Case::Element(first, rest) => (first, rest),
            _ => (&None, &None),
        };
        let split = Split { empty, other, names };
        match names {
            (None, None) => self.choose_by_emptiness(value, &split, scope),
            _ => match self.matching_of(matched, clauses) {
                Some(matching) => self.recursion(value, matching, &split, scope),
                None => self
                    .unsupported("taking an element out of a set but where a recursive function begins", matched.span),
            },
        }
    }

    fn choose_by_emptiness(&mut self, value: &Value, split: &Split<'_>, scope: &Scope) -> Value {
        let some = self.eval(&split.other.value, scope);
        let none = self.eval(&split.empty.value, scope);
        let witness = self.witness(value);
        self.choose(witness, (&some, split.other.value.span), (&none, split.empty.value.span))
    }

    /// A relation that has a pair where a set has an element.
    fn witness(&mut self, value: &Value) -> ExprId {
        if let Value::Set(id) | Value::Relation(id) = value {
            return *id;
        }
        let families = self.families(value).unwrap_or_default();
        let all = self.expr(R::Identity);
        let mut witness = self.expr(R::Empty);
        for family in families.iter() {
            if let Value::Set(some) = self.each(&family.over, &Value::Set(all)) {
                witness = self.expr(R::Union(witness, some));
            }
        }
        witness
    }

    /// The function that begins with these clauses, if the set is one of its arguments.
    fn matching_of(&mut self, matched: &Expr, clauses: &[Clause]) -> Option<Matching> {
        let Call { function, argument } = self.calls.last()?;
        let Body::Expr(body) = &function.body else { return None };
        let is_body = matches!(&body.kind, ExprKind::Match(_, own) if std::ptr::eq(own.as_ptr(), clauses.as_ptr()));
        let ExprKind::Name(set) = &matched.kind else { return None };
        let is_set = |name: &Option<Name>| name.as_ref().is_some_and(|name| name.text == *set);
        let position = match &function.parameter {
            Pattern::One(name) if is_set(name) => None,
            Pattern::Tuple(names) => Some(names.iter().position(is_set)?),
            _ => return None,
        };
        let (function, argument) = (function.clone(), argument.clone());
        let rest = self.rests;
        self.rests += 1;
        is_body.then_some(Matching { rest, function, argument, position })
    }

    /// The value of a recursive function for a set: of that without elements, and what it adds for each.
    fn recursion(&mut self, value: &Value, matching: Matching, split: &Split<'_>, scope: &Scope) -> Value {
        let Some(families) = self.families(value) else { return Value::Wrong };
        let (mut result, mut gathered) = (Value::Nothing, self.arguments_of(&matching));
        let (rest, span) = (matching.rest, split.other.value.span);
        self.matching.push(matching);
        for family in families.iter() {
            let step = self.step(family, rest, split, scope);
            let Some(added) = self.gathered(&step, rest, family, &mut gathered, span) else {
                self.matching.pop();
                return match step {
                    Value::Wrong => Value::Wrong,
                    _ => self.unsupported(
                        "a recursive function that does more than unite what it makes of each element",
                        span,
                    ),
                };
            };
            result = self.unite(&result, &added, span);
        }
        let Some(matching) = self.matching.pop() else { return Value::Wrong };
        let mut inner = scope.clone();
        self.rename(&matching, &mut inner, |place| gathered[place].clone());
        let base = self.eval(&split.empty.value, &inner);
        self.unite(&base, &result, span)
    }

    /// The arguments of the call, of which those beside the set may gather.
    fn arguments_of(&self, matching: &Matching) -> Vec<Value> {
        match (&matching.argument, matching.position) {
            (Value::Tuple(values), Some(_)) => values.to_vec(),
            _ => Vec::new(),
        }
    }

    /// Binds the names of the arguments beside the set.
    fn rename(&mut self, matching: &Matching, inner: &mut Scope, value: impl Fn(usize) -> Value) {
        let Pattern::Tuple(names) = &matching.function.parameter else { return };
        for (place, name) in names.iter().enumerate() {
            if let (Some(name), true) = (name, Some(place) != matching.position) {
                self.define(inner, &name.text, value(place), name.span);
            }
        }
    }

    /// What the function makes of an element, while what it makes of the others is not known.
    fn step(&mut self, family: &Family, rest: usize, split: &Split<'_>, scope: &Scope) -> Value {
        let mut inner = scope.clone();
        let Some(matching) = self.matching.pop() else { return Value::Wrong };
        self.rename(&matching, &mut inner, |place| {
            let source = Source::Argument { rest, place };
            Value::Gathered(Rc::new(Gathered { source, added: Value::Nothing }))
        });
        self.matching.push(matching);
        let (first, others) = split.names;
        for (name, value) in [(first, family.element.clone()), (others, Value::Rest(rest))] {
            if let Some(name) = name {
                self.define(&mut inner, &name.text, value, name.span);
            }
        }
        self.eval(&split.other.value, &inner)
    }

    /// What a step adds to the result, and to the arguments, for all elements; `None` if it does anything else.
    fn gathered(
        &mut self,
        step: &Value,
        rest: usize,
        family: &Family,
        arguments: &mut [Value],
        span: Span,
    ) -> Option<Value> {
        let Value::Gathered(step) = step else { return None };
        let Source::Again { rest: of, others } = &step.source else { return None };
        if *of != rest {
            return None;
        }
        for (place, given) in others.iter().enumerate() {
            let added = match given {
                Value::Rest(given) if *given == rest => continue,
                Value::Gathered(given) => match &given.source {
                    Source::Argument { rest: of, place: own } if (*of, *own) == (rest, place) => &given.added,
                    _ => return None,
                },
                _ => return None,
            };
            let added = self.each(&family.over, added);
            arguments[place] = self.unite(&arguments[place], &added, span);
        }
        Some(self.each(&family.over, &step.added))
    }

    // Statements.

    /// The statements, for every element of a set that is known in executions only.
    pub(super) fn for_all_unknown(&mut self, name: &Name, families: &[Family], body: &Arc<[Statement]>, scope: &Scope) {
        for family in families {
            if !self.enter(name.span) {
                return;
            }
            let outer = self.over.len();
            self.over.extend(family.over.iter().copied());
            let mut inner = scope.clone();
            self.define(&mut inner, &name.text, family.element.clone(), name.span);
            self.statements(body, &mut inner);
            self.over.truncate(outer);
            self.depth -= 1;
        }
    }

    /// A check of an expression, in `forall` for all events of which it may speak: a formula that holds if the check does for all of
    /// them, or if `for_some`, for one of them.
    pub(super) fn quantified(&mut self, property: Property, negated: bool, id: ExprId, for_some: bool) -> Formula {
        if self.over.is_empty() {
            let formula = match property {
                Property::Acyclic => Formula::Acyclic(id),
                Property::Irreflexive => Formula::Irreflexive(id),
                Property::Empty => Formula::Empty(id),
            };
            return if negated { Formula::Not(Box::new(formula)) } else { formula };
        }
        let offence = self.offence(property, id);
        // Where the check holds for an event only if there is an offence, those without one are the exceptions.
        let exceptions = if negated != for_some { self.if_empty(offence) } else { offence };
        let over = self.over.clone();
        let all = over.iter().rev().fold(exceptions, |body, &(variable, set)| self.expr(R::Each(variable, set, body)));
        let formula = Formula::Empty(all);
        if for_some { Formula::Not(Box::new(formula)) } else { formula }
    }

    /// What must have no pair for a property to hold.
    fn offence(&mut self, property: Property, id: ExprId) -> ExprId {
        let identity = self.expr(R::Identity);
        let id = if property == Property::Acyclic { self.expr(R::Closure(id)) } else { id };
        match property {
            Property::Empty => id,
            Property::Acyclic | Property::Irreflexive => self.expr(R::Intersection(id, identity)),
        }
    }

    /// All pairs where a relation has none, else none.
    fn if_empty(&mut self, relation: ExprId) -> ExprId {
        let all = self.expr(R::Universe);
        let left = self.expr(R::Sequence(all, relation));
        let whether = self.expr(R::Sequence(left, all));
        self.expr(R::Difference(all, whether))
    }
}

/// Whether two values of a function come from one definition in one scope.
fn is_same_function(one: &Rc<Function>, other: &Rc<Function>) -> bool {
    let is_same_scope = match (&one.scope.0, &other.scope.0) {
        (Some(one), Some(other)) => Rc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    };
    let is_same_body = match (&one.body, &other.body) {
        (Body::Expr(one), Body::Expr(other)) => Arc::ptr_eq(one, other),
        _ => false,
    };
    is_same_scope && is_same_body
}
