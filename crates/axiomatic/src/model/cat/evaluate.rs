//! Expressions to values: functions are expanded, operators become relations.

use std::rc::Rc;

use program::{Diagnostic, Span};
use relation::formula::{Expr as R, ExprId};

use super::elaborate::Elaborator;
use super::syntax::{Expr, ExprKind, Infix, Postfix};
use super::value::{Body, Function, Native, Orders, Scope, Value, describe, given, is_listed};
use crate::model::EventView;
use crate::vocabulary;

/// Evaluated expressions of one model.
const STEPS: usize = 1_000_000;
/// Expressions inside expressions, through calls.
const DEPTH: usize = 256;
/// Operators inside operators of one relation, names expanded; engines walk them.
const OPERATORS: usize = 1_000;

impl Elaborator<'_> {
    /// Goes one level deeper; false if that is too deep or too much, which was then reported.
    pub(super) fn enter(&mut self, span: Span) -> bool {
        self.steps += 1;
        if self.stopped {
            return false;
        }
        if self.steps > STEPS {
            self.stop("this model takes too many steps to expand", span);
            return false;
        }
        if self.depth >= DEPTH {
            self.stop("calls nest too deeply here", span);
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn eval(&mut self, expr: &Expr, scope: &Scope) -> Value {
        if !self.enter(expr.span) {
            return Value::Wrong;
        }
        let value = match &expr.kind {
            ExprKind::Name(name) => self.lookup(name, expr.span, scope),
            ExprKind::Empty => Value::Nothing,
            ExprKind::Events => Value::Set(self.expr(R::Identity)),
            ExprKind::Identity(inner) => {
                let value = self.eval(inner, scope);
                self.set(&value, inner.span).map_or(Value::Wrong, Value::Relation)
            }
            ExprKind::Tuple(members) => Value::Tuple(members.iter().map(|member| self.eval(member, scope)).collect()),
            ExprKind::Infix(operator, operands) => self.infix(*operator, operands, scope),
            ExprKind::Postfix(operand, operators) => {
                let value = self.eval(operand, scope);
                self.postfix(&value, operators, operand.span)
            }
            ExprKind::Complement(operand) => {
                let value = self.eval(operand, scope);
                self.complement(&value, operand.span)
            }
            ExprKind::Apply(function, arguments) => {
                let mut value = self.eval(function, scope);
                for argument in arguments {
                    let given = self.eval(argument, scope);
                    value = self.apply(&value, given, function, argument.span);
                }
                value
            }
            ExprKind::Function(parameter, body) => {
                let (parameter, body) = (parameter.clone(), Body::Expr(body.clone()));
                Value::Function(Rc::new(Function { parameter, body, scope: scope.clone(), group: Rc::default() }))
            }
            ExprKind::Let { bindings, recursive, body } => {
                let inner = self.bindings(bindings, *recursive, scope);
                self.eval(body, &inner)
            }
            ExprKind::Try(attempt, otherwise) => {
                let unbound = self.unbound;
                match self.attempt(|this| this.eval(attempt, scope), |this, _| this.unbound > unbound) {
                    Ok(value) => value,
                    Err(_) => {
                        self.unbound = unbound;
                        self.eval(otherwise, scope)
                    }
                }
            }
            ExprKind::Tag(tag) => self.tag(tag, expr.span),
            ExprKind::Elements(elements) => self.elements(elements, scope),
            ExprKind::Match(matched, clauses) => self.matched(matched, clauses, scope),
            ExprKind::If(condition, yes, no) => self.conditional(condition, yes, no, scope),
        };
        self.depth -= 1;
        if let Value::Set(id) | Value::Relation(id) = value
            && self.expr_depth(id) > OPERATORS
        {
            self.stop("this expression is too deep when names are expanded", expr.span);
        }
        value
    }

    pub(super) fn lookup(&mut self, name: &str, span: Span, scope: &Scope) -> Value {
        if let Some(value) = scope.find(name) {
            return value.clone();
        }
        if vocabulary::SETS.iter().any(|(set, _)| *set == name) {
            return Value::Set(self.model.formulas.base(name));
        }
        if vocabulary::RELATIONS.iter().any(|(relation, _)| *relation == name) {
            return Value::Relation(self.model.formulas.base(name));
        }
        match name {
            "id" => Value::Relation(self.expr(R::Identity)),
            "domain" => Value::Native(Native::Domain),
            "range" => Value::Native(Native::Range),
            "linearisations" => Value::Native(Native::Linearisations),
            "generate_orders" => Value::Native(Native::GenerateOrders),
            "generate_cos" => Value::Native(Native::GenerateCos),
            "classes" => Value::Native(Native::Classes),
            "classes-loc" | "partition" => Value::Native(Native::Partition),
            "map" => Value::Native(Native::Map),
            "cross" => Value::Native(Native::Cross),
            "tag2events" => Value::Native(Native::TagToEvents),
            "tag2instrs" | "tag2scope" | "tag2level" => {
                self.unsupported(format!("`{name}`, as no program here has scopes,"), span)
            }
            _ => {
                self.unbound += 1;
                self.wrong(format!("`{name}` is not defined"), span)
            }
        }
    }

    pub(super) fn apply(&mut self, function: &Value, argument: Value, called: &Expr, span: Span) -> Value {
        let name = match &called.kind {
            ExprKind::Name(name) => &**name,
            _ => "this function",
        };
        if let Value::Function(function) = function
            && let Some(crossed) = self.own_cross(function, &argument, span)
        {
            return crossed;
        }
        match function {
            Value::Function(function) if !function.group.is_empty() => {
                let given = argument.clone();
                self.apply_recursive(function, given, |this| this.call_function(function, argument, name, span))
            }
            Value::Function(function) => self.call_function(function, argument, name, span),
            Value::Mapping(function) => self.map(function, &argument, called, span),
            Value::Native(native) => self.native(*native, name, &argument, span),
            Value::Wrong => Value::Wrong,
            other => self.wrong(format!("expected a function, found {}", describe(other)), called.span),
        }
    }

    fn call_function(&mut self, function: &Rc<Function>, argument: Value, name: &str, span: Span) -> Value {
        let mut inner = function.scope.clone();
        self.define_group(&function.group, &function.scope, &mut inner);
        if !self.bind(&function.parameter, argument, span, Some(name), &mut inner) {
            return Value::Wrong;
        }
        match &function.body {
            Body::Expr(body) => self.eval(body, &inner),
            Body::Function(parameters, value) => {
                let parameter = parameters[0].clone();
                let body = match &parameters[1..] {
                    [] => Body::Expr(value.clone()),
                    rest => Body::Function(rest.into(), value.clone()),
                };
                Value::Function(Rc::new(Function { parameter, body, scope: inner, group: Rc::default() }))
            }
        }
    }

    fn native(&mut self, native: Native, name: &str, argument: &Value, span: Span) -> Value {
        match native {
            Native::Domain => {
                let id = self.relation(argument, span);
                id.map_or(Value::Wrong, |id| Value::Set(self.expr(R::Domain(id))))
            }
            Native::Range => {
                let id = self.relation(argument, span);
                id.map_or(Value::Wrong, |id| Value::Set(self.expr(R::Range(id))))
            }
            Native::Classes => {
                let relation = self.relation(argument, span);
                relation.map_or(Value::Wrong, |relation| self.classes(relation))
            }
            Native::Partition => {
                let set = self.set(argument, span);
                set.map_or(Value::Wrong, |set| self.partition(set))
            }
            Native::TagToEvents => match argument {
                Value::Tag(tag) => self.tagged(tag),
                other => self.mismatch("a tag", other, span),
            },
            Native::Map => Value::Mapping(Rc::new(argument.clone())),
            Native::Cross => self.cross(argument, span),
            Native::GenerateCos => {
                let contains = self.relation(argument, span);
                let on = self.model.formulas.base("W");
                contains.map_or(Value::Wrong, |contains| Value::Orders(Orders::PerLocation { on, contains }))
            }
            Native::Linearisations | Native::GenerateOrders => {
                let (set, relation) = match argument {
                    Value::Tuple(both) if both.len() == 2 => (&both[0], &both[1]),
                    Value::Wrong => return Value::Wrong,
                    other => {
                        let count = if let Value::Tuple(values) = other { values.len() } else { 1 };
                        return self.wrong(format!("`{name}` takes 2 arguments, but {} given", given(count)), span);
                    }
                };
                let (on, contains) = (self.set(set, span), self.relation(relation, span));
                match (native, on, contains) {
                    (_, None, _) | (_, _, None) => Value::Wrong,
                    (Native::Linearisations, Some(on), Some(contains)) => {
                        Value::Orders(Orders::Linearisations { on, contains })
                    }
                    (_, Some(on), Some(contains)) => Value::Orders(Orders::PerLocation { on, contains }),
                }
            }
        }
    }

    pub(super) fn expr(&mut self, expr: R) -> ExprId {
        match expr {
            // From-read has a name in the vocabulary, and engines may know it better than its definition.
            R::Sequence(left, right) if self.is_parts() && self.is_base(right, "co") && self.is_inverse_rf(left) => {
                self.model.formulas.base("fr")
            }
            // A read is no write: nothing is taken away.
            R::Difference(left, right)
                if self.is_parts() && self.is_base(left, "fr") && *self.model.formulas.node(right) == R::Identity =>
            {
                left
            }
            expr => {
                let depth = expr.operands().into_iter().map(|operand| self.expr_depth(operand)).max().unwrap_or(0) + 1;
                let id = self.model.formulas.expr(expr);
                let number = id.0 as usize;
                if number >= self.depths.len() {
                    self.depths.resize(number + 1, 0);
                }
                self.depths[number] = self.depths[number].max(depth);
                id
            }
        }
    }

    fn expr_depth(&self, id: ExprId) -> usize {
        self.depths.get(id.0 as usize).copied().unwrap_or(0)
    }

    /// Whether no event is both read and write.
    pub(super) fn is_parts(&self) -> bool {
        self.model.view == EventView::Parts
    }

    pub(super) fn is_base(&self, id: ExprId, name: &str) -> bool {
        matches!(self.model.formulas.node(id), R::Base(base) if **base == *name)
    }

    fn is_inverse_rf(&self, id: ExprId) -> bool {
        matches!(self.model.formulas.node(id), R::Inverse(inner) if self.is_base(*inner, "rf"))
    }

    /// The relation that a value is; reports one that is none.
    pub(super) fn relation(&mut self, value: &Value, span: Span) -> Option<ExprId> {
        match value {
            Value::Relation(id) => Some(*id),
            Value::Nothing => Some(self.expr(R::Empty)),
            Value::Everything => Some(self.expr(R::Universe)),
            Value::Wrong => None,
            Value::Rest(_) | Value::Gathered(_) => {
                self.mismatch("a relation", value, span);
                None
            }
            other => {
                let message = format!("expected a relation, found {}", describe(other));
                let mut message = Diagnostic::error(message, span);
                if let Value::Set(_) = other {
                    message = message.note("write `[S]` for the identity on a set `S`");
                }
                self.report(message);
                None
            }
        }
    }

    /// The set that a value is; reports one that is none.
    pub(super) fn set(&mut self, value: &Value, span: Span) -> Option<ExprId> {
        match value {
            Value::Set(id) | Value::Event(id) => Some(*id),
            Value::Nothing => Some(self.expr(R::Empty)),
            Value::Everything => Some(self.expr(R::Identity)),
            Value::Wrong => None,
            other => {
                self.mismatch("a set", other, span);
                None
            }
        }
    }

    fn infix(&mut self, operator: Infix, operands: &[Expr], scope: &Scope) -> Value {
        let values: Vec<Value> = operands.iter().map(|operand| self.eval(operand, scope)).collect();
        let spans = || operands.iter().map(|operand| operand.span);
        match operator {
            Infix::Sequence => {
                let ids: Vec<_> = values.iter().zip(spans()).map(|(value, span)| self.relation(value, span)).collect();
                self.fold(ids, R::Sequence).map_or(Value::Wrong, Value::Relation)
            }
            Infix::Product => {
                if let Some(third) = operands.get(2) {
                    return self.wrong("a product has two sides: use brackets", third.span);
                }
                let ids: Vec<_> = values.iter().zip(spans()).map(|(value, span)| self.set(value, span)).collect();
                self.fold(ids, R::Product).map_or(Value::Wrong, Value::Relation)
            }
            Infix::Add => self.add(&values, operands),
            Infix::Union if values.iter().any(Self::is_gathered) => {
                self.gather(&values, operands[0].span.to(operands[operands.len() - 1].span))
            }
            Infix::Union if values.iter().any(|value| matches!(value, Value::Family(_))) => {
                self.unite_all(&values, operands)
            }
            Infix::Union | Infix::Intersection | Infix::Difference if values.iter().any(is_listed) => {
                self.listed_boolean(operator, &values, operands)
            }
            Infix::Union => self.boolean(&values, spans(), R::Union),
            Infix::Intersection => self.boolean(&values, spans(), R::Intersection),
            Infix::Difference => self.boolean(&values, spans(), R::Difference),
        }
    }

    /// An operator of sets or of relations: the first operand that is either decides which.
    pub(super) fn boolean(
        &mut self,
        values: &[Value],
        spans: impl Iterator<Item = Span>,
        operator: fn(ExprId, ExprId) -> R,
    ) -> Value {
        let set = values.iter().find_map(|value| match value {
            Value::Set(_) | Value::Event(_) => Some(true),
            Value::Relation(_) => Some(false),
            _ => None,
        });
        let neutral = values.iter().all(|value| matches!(value, Value::Nothing));
        if neutral {
            return Value::Nothing;
        }
        let mut ids = Vec::new();
        for (value, span) in values.iter().zip(spans) {
            ids.push(if set == Some(true) { self.set(value, span) } else { self.relation(value, span) });
        }
        match self.fold(ids, operator) {
            None => Value::Wrong,
            Some(id) if set == Some(true) => Value::Set(id),
            Some(id) => Value::Relation(id),
        }
    }

    fn fold(&mut self, ids: Vec<Option<ExprId>>, operator: fn(ExprId, ExprId) -> R) -> Option<ExprId> {
        let ids: Option<Vec<ExprId>> = ids.into_iter().collect();
        let mut ids = ids?.into_iter();
        let first = ids.next()?;
        Some(ids.fold(first, |left, right| self.expr(operator(left, right))))
    }

    fn postfix(&mut self, value: &Value, operators: &[Postfix], span: Span) -> Value {
        let Some(mut id) = self.relation(value, span) else { return Value::Wrong };
        for operator in operators {
            id = match operator {
                Postfix::Closure => self.expr(R::Closure(id)),
                Postfix::ReflexiveClosure => self.expr(R::ReflexiveClosure(id)),
                Postfix::Inverse => self.expr(R::Inverse(id)),
                Postfix::Optional => {
                    let identity = self.expr(R::Identity);
                    self.expr(R::Union(id, identity))
                }
            };
        }
        Value::Relation(id)
    }

    fn complement(&mut self, value: &Value, span: Span) -> Value {
        match value {
            Value::Nothing => Value::Everything,
            Value::Everything => Value::Nothing,
            Value::Set(id) => {
                let all = self.expr(R::Identity);
                Value::Set(self.expr(R::Difference(all, *id)))
            }
            Value::Wrong => Value::Wrong,
            other => {
                let Some(id) = self.relation(other, span) else { return Value::Wrong };
                let all = self.expr(R::Universe);
                Value::Relation(self.expr(R::Difference(all, id)))
            }
        }
    }
}
