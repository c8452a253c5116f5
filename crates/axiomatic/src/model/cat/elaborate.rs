//! From statements to formulas: what names mean.
//!
//! A value is a set, a relation, a function, a tuple, or the orders that `with .. from` chooses from. Functions are
//! expanded where they are called. Sets are identity relations in [`relation::formula`]; here they are kept apart, as in
//! herd: a set where a relation is wanted is an error, and only `0` and `{}` are both.
//!
//! No input makes this run long or deep: steps, nested calls, definitions and includes are bounded, and the bound that
//! was hit is reported.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use program::{Diagnostic, Diagnostics, Sources, Span, Unsupported};
use relation::formula::{Expr as R, ExprId, Formula, Formulas, Recursive, Variable};

use super::super::{Axiom, AxiomKind, EventView, Existential, Model, Range};
use super::syntax::{Binding, Check, Expr, ExprKind, Name, Pattern, Property, Purpose, Statement};
use super::value::{
    Body, Call, Definition, Function, Matching, Orders, Procedure, Scope, Value, arguments, describe, given,
};
use super::{MESSAGES, library, parser};

/// Definitions visible at one place.
const DEFINITIONS: usize = 10_000;
/// Included files of one model.
const INCLUDES: usize = 1_000;
/// Files that include each other in a chain.
const INCLUDE_DEPTH: usize = 32;

/// Reads and elaborates a model; see [`super::load`].
pub(super) fn elaborate(
    name: &str,
    text: &str,
    include: &dyn Fn(&str) -> Option<String>,
) -> Result<Model, Diagnostics> {
    let mut elaborator = Elaborator {
        include,
        model: Model {
            name: super::super::stem(name).to_string(),
            sources: Sources::new(),
            formulas: Formulas::new(),
            axioms: Vec::new(),
            existentials: Vec::new(),
            names: Vec::new(),
            view: EventView::Herd,
            shown: Vec::new(),
            template: None,
        },
        messages: Vec::new(),
        including: Vec::new(),
        includes: 0,
        included: HashSet::new(),
        steps: 0,
        depth: 0,
        stopped: false,
        depths: Vec::new(),
        unbound: 0,
        attempts: 0,
        unnamed: 0,
        called: None,
        tags: HashSet::new(),
        variables: 0,
        rests: 0,
        calls: Vec::new(),
        matching: Vec::new(),
        over: Vec::new(),
    };
    let mut scope = Scope::default();
    elaborator.file("the predefined names", library::PRELUDE, &mut scope);
    elaborator.file(name, text, &mut scope);
    let Elaborator { model, mut messages, .. } = elaborator;
    messages.sort_by_key(|message| message.span);
    if messages.is_empty() { Ok(model) } else { Err(Diagnostics { sources: model.sources, messages }) }
}

/// A model in the making.
pub(super) struct Elaborator<'a> {
    include: &'a dyn Fn(&str) -> Option<String>,
    pub(super) model: Model,
    pub(super) messages: Vec<Diagnostic>,
    /// The includes that led to the file at hand, outermost first.
    including: Vec<(Arc<str>, Span)>,
    includes: usize,
    /// Files that have been included.
    included: HashSet<Arc<str>>,
    pub(super) steps: usize,
    pub(super) depth: usize,
    /// A bound was hit and reported: nothing more is evaluated.
    pub(super) stopped: bool,
    /// How deep each expression is, by its number; those behind the end have no operands.
    pub(super) depths: Vec<usize>,
    /// How often an undefined name was met; `try` compares before and after.
    pub(super) unbound: usize,
    /// How many evaluations are under way whose messages may be dropped; the bound on messages waits for their end.
    attempts: usize,
    /// How many checks had no name.
    unnamed: usize,
    /// The name that `call .. as name` gives to the checks inside.
    called: Option<Arc<str>>,
    /// The tags of all enumerations so far.
    pub(super) tags: HashSet<Arc<str>>,
    /// How many variables stand for events.
    pub(super) variables: u32,
    /// How often a `match` has left a set of unknown elements.
    pub(super) rests: usize,
    /// The recursive functions that are being applied, outermost first,
    pub(super) calls: Vec<Call>,
    /// and those that take elements out of a set.
    pub(super) matching: Vec<Matching>,
    /// The events for all of which the statements at hand are meant, each with its set.
    pub(super) over: Vec<(Variable, ExprId)>,
}

impl Elaborator<'_> {
    // Messages.

    pub(super) fn report(&mut self, mut message: Diagnostic) {
        if self.stopped {
            return;
        }
        for (file, span) in self.including.iter().rev() {
            let place = self.model.sources.location(*span);
            message = message.note(format!("in `{file}`, included at {place}"));
        }
        self.messages.push(message);
        self.stopped = self.attempts == 0 && self.messages.len() >= MESSAGES;
    }

    pub(super) fn wrong(&mut self, message: impl Into<String>, span: Span) -> Value {
        self.report(Diagnostic::error(message, span));
        Value::Wrong
    }

    /// Reports a value that is not what is expected; what no value is known for is not supported instead.
    pub(super) fn mismatch(&mut self, expected: &str, found: &Value, span: Span) -> Value {
        match found {
            Value::Wrong => Value::Wrong,
            Value::Rest(_) => self.unsupported("anything but a recursive call for the other elements of a set", span),
            Value::Gathered(_) => self
                .unsupported("anything but a union with what a recursive function makes of the other elements", span),
            other => self.wrong(format!("expected {expected}, found {}", describe(other)), span),
        }
    }

    pub(super) fn unsupported(&mut self, what: impl Into<String>, span: Span) -> Value {
        self.report(Unsupported::new(what, Some(span)).into());
        Value::Wrong
    }

    /// Reports a bound and ends the evaluation.
    pub(super) fn stop(&mut self, message: &str, span: Span) {
        // Within `try` the report must outlive the attempt, so it is the bound, not the attempt, that ends.
        self.report(Diagnostic::error(message, span));
        self.stopped = true;
    }

    /// Evaluates something whose messages are dropped if `drop` says so.
    pub(super) fn attempt<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> T,
        drop: impl FnOnce(&Self, &T) -> bool,
    ) -> Result<T, T> {
        let before = self.messages.len();
        self.attempts += 1;
        let result = run(self);
        self.attempts -= 1;
        if !self.stopped && drop(self, &result) {
            self.messages.truncate(before);
            return Err(result);
        }
        self.stopped |= self.attempts == 0 && self.messages.len() >= MESSAGES;
        Ok(result)
    }

    // Files and statements.

    fn file(&mut self, name: &str, text: &str, scope: &mut Scope) {
        let file = self.model.sources.add(name, text);
        let mut messages = Vec::new();
        let statements = parser::parse(file, text, &mut messages);
        for message in messages {
            self.report(message);
        }
        self.statements(&statements, scope);
    }

    pub(super) fn statements(&mut self, statements: &[Statement], scope: &mut Scope) {
        for statement in statements {
            if self.stopped {
                break;
            }
            self.statement(statement, scope);
        }
    }

    fn statement(&mut self, statement: &Statement, scope: &mut Scope) {
        match statement {
            Statement::Let { bindings, recursive } => {
                let inner = self.bindings(bindings, *recursive, scope);
                let outer = std::mem::replace(scope, inner);
                drop(outer);
                for name in bindings.iter().flat_map(|binding| binding.pattern.names()) {
                    if let (Some(Value::Relation(id)), true) = (scope.find(&name.text), self.over.is_empty()) {
                        self.model.names.push((name.text.to_string(), *id));
                    }
                }
            }
            Statement::Check(check) => self.check(check, scope),
            Statement::Show(shown) => shown.iter().for_each(|(expr, name)| self.show(expr, name, scope)),
            Statement::Unshow(names) => {
                self.model.shown.retain(|(shown, _)| names.iter().all(|name| *name.text != **shown));
            }
            Statement::Include { file, span } => self.include(file, *span, scope),
            Statement::Procedure { name, parameters, body, recursive } => {
                let (parameter, body) = (parameters.clone(), body.clone());
                let own = recursive.then(|| name.clone());
                let procedure = Procedure { parameter, body, scope: scope.clone(), own };
                self.define(scope, &name.text, Value::Procedure(Rc::new(procedure)), name.span);
            }
            Statement::Call { procedure, argument, name } => self.call(procedure, argument, name.as_ref(), scope),
            Statement::With { name, from } => {
                let value = self.chosen(name, from, scope);
                self.define(scope, &name.text, value, name.span);
            }
            Statement::Enumeration { name, tags } => self.enumeration(name, tags, scope),
            Statement::Instructions { events, tags } => self.instructions(events, tags, scope),
            Statement::ForAll { name, within, body } => self.for_all(name, within, body, scope),
            Statement::Broken(names) => {
                for name in names {
                    self.define(scope, &name.text, Value::Wrong, name.span);
                }
            }
        }
    }

    pub(super) fn define(&mut self, scope: &mut Scope, name: &Arc<str>, value: Value, span: Span) {
        let count = scope.count() + 1;
        if count > DEFINITIONS {
            return self.stop("this model has too many definitions", span);
        }
        let outer = std::mem::take(scope);
        *scope = Scope(Some(Rc::new(Definition { name: name.clone(), value, outer, count })));
    }

    fn include(&mut self, file: &Arc<str>, span: Span, scope: &mut Scope) {
        if self.including.iter().any(|(open, _)| open == file) || **file == *self.model.sources.name(program::FileId(1))
        {
            self.wrong(format!("`{file}` includes itself"), span);
            return;
        }
        // Once is enough, as in herd.
        if !self.included.insert(file.clone()) {
            return;
        }
        if **file == *library::PARTS {
            self.model.view = EventView::Parts;
        }
        self.includes += 1;
        if self.includes > INCLUDES || self.including.len() >= INCLUDE_DEPTH {
            return self.stop("this model has too many includes", span);
        }
        let built_in = library::file(file);
        let given = if built_in.is_none() { (self.include)(file) } else { None };
        let Some(text) = built_in.or(given.as_deref()) else {
            self.wrong(format!("there is no file `{file}` to include"), span);
            return;
        };
        self.including.push((file.clone(), span));
        self.file(file, text, scope);
        self.including.pop();
    }

    fn check(&mut self, check: &Check, scope: &Scope) {
        let value = self.eval(&check.expr, scope);
        let id = match (check.property, &value) {
            (Property::Empty, Value::Set(id) | Value::Event(id)) => Some(*id),
            (Property::Empty, Value::Everything) => Some(self.expr(R::Universe)),
            _ => self.relation(&value, check.expr.span),
        };
        let Some(id) = id else { return };
        // A flag is raised when the formula holds; what is undefined unless the check holds is flagged when it does not.
        let negated = check.negated != (check.purpose == Purpose::UndefinedUnless);
        let formula = self.quantified(check.property, negated, id, check.purpose != Purpose::Require);
        let kind = if check.purpose == Purpose::Require { AxiomKind::Require } else { AxiomKind::Flag };
        let name = self.check_name(check);
        let (span, statement) = (check.span, Some(check.span));
        self.model.axioms.push(Axiom { name, kind, formula, span, statement, parts: Vec::new() });
    }

    /// The name after `as`, else that of the call, else the checked name if it is free, else the property with a number.
    fn check_name(&mut self, check: &Check) -> String {
        if let Some(name) = &check.name {
            return name.text.to_string();
        }
        if let Some(name) = &self.called {
            return name.to_string();
        }
        self.unnamed += 1;
        if let ExprKind::Name(name) = &check.expr.kind
            && !self.model.axioms.iter().any(|axiom| axiom.name == **name)
        {
            return name.to_string();
        }
        let property = match check.property {
            Property::Acyclic => "acyclic",
            Property::Irreflexive => "irreflexive",
            Property::Empty => "empty",
        };
        format!("{property}-{}", self.unnamed)
    }

    /// Shows a relation. What is no relation, or has no meaning for this program's language, is not shown: `show` decides
    /// nothing, and herd's users list names there that only some machines have.
    fn show(&mut self, expr: &Expr, name: &Name, scope: &Scope) {
        let unbound = self.unbound;
        let evaluated = self.attempt(|this| this.eval(expr, scope), |this, _| this.unbound > unbound);
        if let Ok(Value::Relation(id)) = evaluated {
            self.model.shown.retain(|(shown, _)| **shown != *name.text);
            self.model.shown.push((name.text.to_string(), id));
        }
    }

    fn call(&mut self, name: &Name, argument: &Expr, label: Option<&Name>, scope: &Scope) {
        let procedure = match self.lookup(&name.text, name.span, scope) {
            Value::Procedure(procedure) => procedure,
            Value::Wrong => return,
            other => {
                self.wrong(format!("expected a procedure, found {}", describe(&other)), name.span);
                return;
            }
        };
        let argument_value = self.eval(argument, scope);
        let mut inner = procedure.scope.clone();
        if let Some(own) = &procedure.own {
            self.define(&mut inner, &own.text, Value::Procedure(procedure.clone()), own.span);
        }
        if !self.bind(&procedure.parameter, argument_value, argument.span, Some(&name.text), &mut inner) {
            return;
        }
        if !self.enter(name.span) {
            return;
        }
        let outer = self.called.clone();
        if let Some(label) = label {
            self.called = Some(label.text.clone());
        }
        self.statements(&procedure.body, &mut inner);
        self.called = outer;
        self.depth -= 1;
    }

    // Choices.

    fn chosen(&mut self, name: &Name, from: &Expr, scope: &Scope) -> Value {
        if !self.over.is_empty() {
            return self.unsupported("a choice for each element", from.span);
        }
        match self.eval(from, scope) {
            Value::Orders(Orders::Linearisations { on, contains }) => {
                // Pairs may follow from others that lead out of the set.
                let contains = if self.is_closed(contains) { contains } else { self.expr(R::Closure(contains)) };
                let id = self.linearisation(name, on, contains);
                self.model.names.push((name.text.to_string(), id));
                Value::Relation(id)
            }
            Value::Orders(Orders::PerClass { on, by, contains }) => {
                // Orders of the classes have an order of all in common, since no class has members of another.
                let closed = self.expr(R::Closure(contains));
                let within = self.expr(R::Intersection(closed, by));
                let all = self.linearisation(name, on, within);
                let id = self.expr(R::Intersection(all, by));
                self.model.names.push((name.text.to_string(), id));
                Value::Relation(id)
            }
            Value::Orders(Orders::PerLocation { on, contains }) => self.per_location(name, on, contains, from.span),
            Value::Wrong => Value::Wrong,
            _ => self.unsupported("a choice from anything but orders", from.span),
        }
    }

    /// A total order of a set that contains a relation, of which the execution chooses one.
    fn linearisation(&mut self, name: &Name, on: ExprId, contains: ExprId) -> ExprId {
        let free = self.free_name(&name.text);
        let range = Range::Linearisation { on, contains };
        self.model.existentials.push(Existential { name: free.clone(), range, span: name.span });
        self.model.formulas.base(&free)
    }

    /// Whether a relation is transitive by its meaning: an order of the vocabulary, one that was chosen, or a closure.
    fn is_closed(&self, relation: ExprId) -> bool {
        match self.model.formulas.node(relation) {
            R::Closure(_) => true,
            R::Base(name) => {
                ["po", "co"].contains(&&**name) || self.model.existentials.iter().any(|order| order.name == *name)
            }
            _ => false,
        }
    }

    /// A strict total order of some writes for each location: coherence, cut to them.
    fn per_location(&mut self, name: &Name, on: ExprId, contains: ExprId, span: Span) -> Value {
        if !self.writes(on) {
            return self.unsupported("an order for each location of anything but writes", span);
        }
        let (co, all) = (self.model.formulas.base("co"), self.model.formulas.base("W"));
        let id = if on == all { co } else { self.restrict(on, co) };
        // Coherence contains `co0` by its meaning; anything else is a condition.
        let given = self.named("co0");
        if given != Some(contains) && *self.model.formulas.node(contains) != R::Empty {
            let loc = self.model.formulas.base("loc");
            let wanted = self.restrict(on, contains);
            let wanted = self.expr(R::Intersection(wanted, loc));
            let missing = self.expr(R::Difference(wanted, id));
            let axiom = Axiom {
                name: name.text.to_string(),
                kind: AxiomKind::Require,
                formula: Formula::Empty(missing),
                span: name.span.to(span),
                statement: Some(name.span.to(span)),
                parts: Vec::new(),
            };
            self.model.axioms.push(axiom);
        }
        self.model.names.push((name.text.to_string(), id));
        Value::Relation(id)
    }

    /// What the prelude calls by this name.
    fn named(&self, name: &str) -> Option<ExprId> {
        self.model.names.iter().find(|(known, _)| known == name).map(|(_, id)| *id)
    }

    fn restrict(&mut self, set: ExprId, relation: ExprId) -> ExprId {
        let left = self.expr(R::Sequence(set, relation));
        self.expr(R::Sequence(left, set))
    }

    /// Whether a set has writes only, as far as its definition tells.
    pub(super) fn writes(&self, set: ExprId) -> bool {
        let mut pending = vec![set];
        let mut seen = HashSet::new();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.model.formulas.node(id) {
                R::Empty => {}
                _ if self.writes_here(id) => {}
                R::Difference(left, _) => pending.push(*left),
                R::Union(left, right) => pending.extend([*left, *right]),
                R::Intersection(left, right) if self.writes_here(*left) || self.writes_here(*right) => {}
                R::Intersection(left, _) => pending.push(*left),
                _ => return false,
            }
        }
        true
    }

    fn writes_here(&self, set: ExprId) -> bool {
        matches!(self.model.formulas.node(set), R::Base(name) if ["W", "IW", "FW"].contains(&&**name))
            // To herd a read-modify-write that succeeds is one event, and writes.
            || !self.is_parts() && self.is_base(set, "RMW")
    }

    /// A name that neither the vocabulary nor another existential has.
    fn free_name(&self, name: &str) -> Arc<str> {
        super::super::free_name(name, &self.model.existentials)
    }

    // Bindings.

    /// The scope with the bindings in it.
    pub(super) fn bindings(&mut self, bindings: &[Binding], recursive: bool, scope: &Scope) -> Scope {
        let mut inner = scope.clone();
        if recursive && bindings.iter().all(is_function) {
            self.define_group(&bindings.into(), scope, &mut inner);
            return inner;
        }
        if recursive {
            self.recursive(bindings, scope, &mut inner);
            return inner;
        }
        for binding in bindings {
            let value = self.binding_value(binding, scope, &Rc::default());
            self.bind(&binding.pattern, value, binding.value.span, None, &mut inner);
        }
        inner
    }

    /// Binds the names of functions that may call each other.
    pub(super) fn define_group(&mut self, group: &Rc<[Binding]>, scope: &Scope, inner: &mut Scope) {
        for binding in &**group {
            let value = self.binding_value(binding, scope, group);
            self.bind(&binding.pattern, value, binding.value.span, None, inner);
        }
    }

    /// The value of a binding. `group` has the functions that it is defined with by recursion.
    fn binding_value(&mut self, binding: &Binding, scope: &Scope, group: &Rc<[Binding]>) -> Value {
        let (scope, group) = (scope.clone(), group.clone());
        match (binding.parameters.split_first(), &binding.value.kind) {
            (Some((first, rest)), _) => {
                let body = match rest {
                    [] => Body::Expr(binding.value.clone()),
                    rest => Body::Function(rest.into(), binding.value.clone()),
                };
                Value::Function(Rc::new(Function { parameter: first.clone(), body, scope, group }))
            }
            (None, ExprKind::Function(parameter, body)) => {
                let body = Body::Expr(body.clone());
                Value::Function(Rc::new(Function { parameter: parameter.clone(), body, scope, group }))
            }
            (None, _) => self.eval(&binding.value, &scope),
        }
    }

    /// A group of recursive equations: a least fixpoint.
    fn recursive(&mut self, bindings: &[Binding], scope: &Scope, inner: &mut Scope) {
        let mut names = Vec::new();
        for binding in bindings {
            match (&binding.pattern, binding.parameters.is_empty()) {
                (Pattern::One(Some(name)), true) if !is_function(binding) => names.push(name),
                (pattern, _) => {
                    let span = pattern.names().next().map_or(binding.value.span, |name| name.span);
                    self.unsupported("a recursive function beside recursive relations, or a recursive tuple", span);
                    for name in bindings.iter().flat_map(|binding| binding.pattern.names()) {
                        self.define(inner, &name.text, Value::Wrong, name.span);
                    }
                    return;
                }
            }
        }
        let sets = self.recursive_kinds(bindings, &names, scope);
        let mut members: Vec<(Recursive, ExprId)> = Vec::new();
        for (name, set) in names.iter().zip(&sets) {
            let (member, id) = self.model.formulas.recursive();
            members.push((member, id));
            self.define(inner, &name.text, if *set { Value::Set(id) } else { Value::Relation(id) }, name.span);
        }
        let mut is_empty = vec![false; names.len()];
        loop {
            let messages = self.messages.len();
            let values = self.right_sides(bindings, &sets, inner);
            let nothing = self.expr(R::Empty);
            let mut found_more = false;
            for (place, (member, own)) in members.iter().enumerate() {
                // `r = r` has nothing in it, either.
                let id = if values[place] == *own { nothing } else { values[place] };
                self.model.formulas.define(*member, id);
                if id == nothing && !std::mem::replace(&mut is_empty[place], true) {
                    found_more = true;
                    let value = if sets[place] { Value::Set(nothing) } else { Value::Relation(nothing) };
                    self.define(inner, &names[place].text, value, names[place].span);
                }
            }
            // Of what is always empty the others may speak in any way.
            if !found_more || self.stopped || self.messages.len() > messages {
                break;
            }
        }
        self.monotone(&names, &members);
    }

    /// The right sides of recursive equations.
    fn right_sides(&mut self, bindings: &[Binding], sets: &[bool], scope: &Scope) -> Vec<ExprId> {
        let mut sides = Vec::new();
        for (binding, is_set) in bindings.iter().zip(sets) {
            let value = self.eval(&binding.value, scope);
            let span = binding.value.span;
            let id = if *is_set { self.set(&value, span) } else { self.relation(&value, span) };
            sides.push(id.unwrap_or_else(|| self.expr(R::Empty)));
        }
        sides
    }

    /// Which of the equations define sets: their right sides are evaluated with nothing for the unknowns, which says of some what they
    /// are, and then of those that are made of these.
    fn recursive_kinds(&mut self, bindings: &[Binding], names: &[&Name], scope: &Scope) -> Vec<bool> {
        let nothing = self.expr(R::Empty);
        let mut kinds = vec![Value::Nothing; names.len()];
        loop {
            let mut trial = scope.clone();
            for (name, kind) in names.iter().zip(&kinds) {
                self.define(&mut trial, &name.text, kind.clone(), name.span);
            }
            let evaluate = |this: &mut Self| -> Vec<Value> {
                bindings.iter().map(|binding| this.eval(&binding.value, &trial)).collect()
            };
            let unbound = self.unbound;
            let (Ok(values) | Err(values)) = self.attempt(evaluate, |_, _| true);
            self.unbound = unbound;
            let mut found_more = false;
            for (kind, value) in kinds.iter_mut().zip(values) {
                let found = match value {
                    Value::Set(_) => Value::Set(nothing),
                    Value::Relation(_) => Value::Relation(nothing),
                    _ => continue,
                };
                found_more |= matches!(std::mem::replace(kind, found), Value::Nothing);
            }
            if !found_more || self.stopped {
                return kinds.iter().map(|kind| matches!(kind, Value::Set(_))).collect();
            }
        }
    }

    /// Refuses unknowns on the right of a difference: there might be no least fixpoint.
    fn monotone(&mut self, names: &[&Name], members: &[(Recursive, ExprId)]) {
        let mut refused = HashSet::new();
        let mut seen = HashSet::new();
        let mut pending: Vec<(ExprId, bool)> = members
            .iter()
            .filter_map(|(member, _)| self.model.formulas.definition(*member))
            .map(|definition| (definition, true))
            .collect();
        while let Some((id, positive)) = pending.pop() {
            if !seen.insert((id, positive)) {
                continue;
            }
            match self.model.formulas.node(id) {
                R::Recursive(found) => {
                    let place = members.iter().position(|(member, _)| member == found);
                    match place {
                        Some(place) if !positive => drop(refused.insert(place)),
                        Some(_) => {}
                        // A group inside the definition of this one may speak of it.
                        None => pending.extend(self.model.formulas.definition(*found).map(|inner| (inner, positive))),
                    }
                }
                R::Difference(left, right) => pending.extend([(*left, positive), (*right, !positive)]),
                other => pending.extend(other.operands().into_iter().map(|operand| (operand, positive))),
            }
        }
        for (place, name) in names.iter().enumerate() {
            if refused.contains(&place) {
                self.unsupported(format!("recursion of `{}` through a complement or difference", name.text), name.span);
            }
        }
    }

    /// Binds the names of a pattern; false if the value does not fit, which was then reported.
    pub(super) fn bind(
        &mut self,
        pattern: &Pattern,
        value: Value,
        span: Span,
        function: Option<&str>,
        scope: &mut Scope,
    ) -> bool {
        let names = match pattern {
            Pattern::One(name) => {
                if let Some(name) = name {
                    self.define(scope, &name.text, value, name.span);
                }
                return true;
            }
            Pattern::Tuple(names) => names,
        };
        let values: &[Value] = match &value {
            Value::Tuple(values) => values,
            Value::Wrong => &vec![Value::Wrong; names.len()],
            other => std::slice::from_ref(other),
        };
        if values.len() != names.len() {
            let message = match function {
                Some(function) => {
                    format!("`{function}` takes {}, but {} given", arguments(names.len()), given(values.len()))
                }
                None => format!("{} names cannot be bound to {}", names.len(), describe(&value)),
            };
            self.wrong(message, span);
            for name in names.iter().flatten() {
                self.define(scope, &name.text, Value::Wrong, name.span);
            }
            return false;
        }
        for (name, value) in names.iter().zip(values) {
            if let Some(name) = name {
                self.define(scope, &name.text, value.clone(), name.span);
            }
        }
        true
    }
}

/// Whether a binding defines a function.
fn is_function(binding: &Binding) -> bool {
    let named = matches!(binding.pattern, Pattern::One(Some(_)));
    named && (!binding.parameters.is_empty() || matches!(binding.value.kind, ExprKind::Function(..)))
}
