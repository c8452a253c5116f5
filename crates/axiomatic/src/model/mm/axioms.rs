//! Axioms: formulas as written to formulas that engines read, one for each choice of the indices.

use std::collections::HashSet;
use std::sync::Arc;

use program::{Diagnostic, Span};
use relation::formula::{Expr, Formula, Variable};

use super::super::{Axiom, AxiomKind};
use super::elaborate::{Elaborator, INDICES, Meaning, Symbol};
use super::free::free_indices;
use super::index::{IndexSort, Indices, Member, Parameter, suffix};
use super::predefined::{is_reversed, kinds};
use super::relational::at_most;
use super::scope::{Bound, Free};
use super::syntax::{Check, Labelled, Name, Sort, Syntax, Term};
use super::terms::Kind;

impl Elaborator<'_> {
    pub(super) fn axioms(&mut self, axioms: &[Labelled]) {
        let mut labels = HashSet::new();
        for Labelled { label, formula, statement } in axioms {
            if !labels.insert(label.text.clone()) {
                self.wrong(format!("the label `<{}>` is used twice", label.text), label.span);
            }
            let formula = self.instances(formula, label.span);
            if self.nodes > self.limit {
                return self.wrong("the axioms up to this one are too large when `<=>` is expanded", label.span);
            }
            self.model.axioms.push(Axiom {
                name: label.text.to_string(),
                kind: AxiomKind::Require,
                formula,
                span: label.span,
                statement: Some(*statement),
                parts: Vec::new(),
            });
        }
    }

    /// An axiom for every choice of its index variables.
    fn instances(&mut self, syntax: &Syntax, span: Span) -> Formula {
        let found = free_indices(syntax, &self.index_variables, &self.variables);
        if found.is_empty() {
            return self.closed(syntax, Indices::new());
        }
        if found.len() > INDICES {
            self.wrong(format!("an axiom may use at most {INDICES} index variables"), span);
            return Formula::Constant(true);
        }
        let names: Vec<Name> = found.into_iter().map(|text| Name { text, span }).collect();
        let sorts: Vec<_> = names.iter().filter_map(|name| self.index_variables.get(&name.text)).collect();
        let parameters: Vec<Parameter> = sorts.into_iter().copied().map(Parameter::Over).collect();
        let environments = self.environments(&names, &parameters);
        let parts = environments.into_iter().map(|environment| self.closed(syntax, environment));
        simplify(Formula::And(parts.collect()))
    }

    fn closed(&mut self, syntax: &Syntax, indices: Indices) -> Formula {
        let mut bound = Bound { outer: indices.len(), indices, ..Bound::default() };
        let mut formula = self.formula(syntax, &mut bound);
        for free in bound.free.iter().rev() {
            formula = Formula::ForAll(free.variable, free.set, Box::new(formula));
        }
        formula
    }

    pub(super) fn formula(&mut self, syntax: &Syntax, bound: &mut Bound) -> Formula {
        self.nodes += 1;
        if self.nodes > self.limit {
            return Formula::Constant(true);
        }
        match syntax {
            Syntax::Constant(value) => Formula::Constant(*value),
            Syntax::Not(inner) => Formula::Not(Box::new(self.formula(inner, bound))),
            Syntax::And(parts) => Formula::And(parts.iter().map(|part| self.formula(part, bound)).collect()),
            Syntax::Or(parts) => Formula::Or(parts.iter().map(|part| self.formula(part, bound)).collect()),
            Syntax::Implies(left, right) => {
                let left = self.formula(left, bound);
                implies(left, self.formula(right, bound))
            }
            Syntax::Equivalent(left, right) => {
                let before = self.nodes;
                let (left, right) = (self.formula(left, bound), self.formula(right, bound));
                self.nodes += self.nodes - before;
                if self.nodes > self.limit {
                    return Formula::Constant(true);
                }
                Formula::And(vec![implies(left.clone(), right.clone()), implies(right, left)])
            }
            Syntax::Same(left, right) => self.same(left, right, bound),
            Syntax::Atom(reference, arguments) => {
                let resolved = self.resolve(reference, &bound.indices);
                self.atom(&reference.name, resolved, arguments, bound)
            }
            Syntax::Check(check, term) => self.check(*check, term, bound),
            Syntax::Count(term, comparison, number) => self.count(term, *comparison, *number, bound),
            Syntax::SameOf(function, indices, names) => self.same_of(*function, indices, names, bound),
            Syntax::HasValue(indices, name, number) => self.has_value(indices, name, *number, bound),
            Syntax::Within(left, right) => self.within(left, right, bound),
            Syntax::Quantified { universal, variables, set, body } => {
                match set.plain().and_then(|set| IndexSort::named(&set.text)) {
                    Some(sort) => {
                        if sort.is_speculative() {
                            self.needs_executions(set.span);
                        }
                        for variable in variables {
                            self.capitalised(variable);
                        }
                        self.over_indices(*universal, variables, sort, body, bound)
                    }
                    None => self.quantified(*universal, variables, set, body, bound),
                }
            }
        }
    }

    fn quantified(
        &mut self,
        universal: bool,
        variables: &[Name],
        set: &Term,
        body: &Syntax,
        bound: &mut Bound,
    ) -> Formula {
        let range = self.range(set, bound);
        let (range, set_name) = range.unwrap_or_else(|| (self.model.formulas.expr(Expr::Empty), "action".into()));
        let outer = bound.quantified.len();
        for variable in variables {
            self.capitalised(variable);
            let fresh = self.fresh();
            bound.quantified.push((variable.text.clone(), fresh, set_name.clone()));
        }
        let mut formula = self.formula(body, bound);
        for (_, variable, _) in bound.quantified.drain(outer..).rev() {
            let body = Box::new(formula);
            formula =
                if universal { Formula::ForAll(variable, range, body) } else { Formula::Exists(variable, range, body) };
        }
        formula
    }

    /// A quantifier over indices: the body for each.
    fn over_indices(
        &mut self,
        universal: bool,
        variables: &[Name],
        sort: IndexSort,
        body: &Syntax,
        bound: &mut Bound,
    ) -> Formula {
        let Some((first, rest)) = variables.split_first() else { return self.formula(body, bound) };
        if bound.indices.len() >= INDICES {
            self.wrong(format!("an axiom may use at most {INDICES} index variables"), first.span);
            return Formula::Constant(true);
        }
        let mut parts = Vec::new();
        for member in sort.members(self.shape) {
            bound.indices.push((first.text.clone(), sort, member));
            parts.push(self.over_indices(universal, rest, sort, body, bound));
            bound.indices.pop();
        }
        simplify(if universal { Formula::And(parts) } else { Formula::Or(parts) })
    }

    /// What an index variable in sight stands for. Variables of actions hide indices of the same name.
    pub(super) fn index_in_sight(&self, name: &Name, bound: &Bound) -> Option<(IndexSort, Member)> {
        let (_, sort, member) = bound.indices.iter().rev().find(|(known, ..)| *known == name.text)?;
        (!bound.quantified.iter().any(|(known, ..)| *known == name.text)).then_some((*sort, *member))
    }

    fn same(&mut self, left: &Name, right: &Name, bound: &mut Bound) -> Formula {
        match (self.index_in_sight(left, bound), self.index_in_sight(right, bound)) {
            (Some((left, a)), Some((right, b))) if left == right || left.is_speculative() && right.is_speculative() => {
                return Formula::Constant(a == b);
            }
            (Some((a, _)), Some((b, _))) => {
                self.wrong(format!("`{}` is {}, `{}` {}", left.text, a.one(), right.text, b.one()), right.span);
                return Formula::Constant(true);
            }
            _ => {}
        }
        match (self.use_of(left, bound), self.use_of(right, bound)) {
            (Some((left, _)), Some((right, _))) => Formula::Same(left, right),
            _ => Formula::Constant(true),
        }
    }

    fn check(&mut self, check: Check, term: &Term, bound: &mut Bound) -> Formula {
        let found = match check {
            Check::Acyclic | Check::Irreflexive => {
                self.typed(term, Kind::Relation, bound).map(|id| (id, Kind::Relation))
            }
            _ => self.term(term, bound),
        };
        let Some((id, _)) = found else { return Formula::Constant(true) };
        let some = || Formula::Not(Box::new(Formula::Empty(id)));
        match check {
            Check::Acyclic => Formula::Acyclic(id),
            Check::Irreflexive => Formula::Irreflexive(id),
            Check::Empty => Formula::Empty(id),
            Check::Some => some(),
            Check::Lone => at_most(1, id),
            Check::One => Formula::And(vec![some(), at_most(1, id)]),
        }
    }

    /// `left <= right`: containment, or the order of two executions.
    fn within(&mut self, left: &Term, right: &Term, bound: &mut Bound) -> Formula {
        let index = |term: &Term| self.index_in_sight(term.plain()?, bound);
        if let (Some((a, first)), Some((b, second))) = (index(left), index(right)) {
            if a == IndexSort::Execution && b == IndexSort::Execution {
                return Formula::Constant(first <= second);
            }
            self.wrong("only executions come one after the other", left.span.to(right.span));
            return Formula::Constant(true);
        }
        let (left_term, right_term) = (self.term(left, bound), self.term(right, bound));
        let (Some((inner, kind)), Some((outer, other))) = (left_term, right_term) else {
            return Formula::Constant(true);
        };
        if kind != other && kind != Kind::Either && other != Kind::Either {
            self.typed(right, kind, bound);
            return Formula::Constant(true);
        }
        Formula::Empty(self.model.formulas.expr(Expr::Difference(inner, outer)))
    }

    fn atom(
        &mut self,
        name: &Name,
        resolved: Option<(Symbol, Vec<Member>)>,
        arguments: &[Name],
        bound: &mut Bound,
    ) -> Formula {
        let uses: Vec<_> = arguments.iter().map(|argument| self.use_of(argument, bound)).collect();
        let Some((symbol, members)) = resolved else { return Formula::Constant(true) };
        let wanted = if symbol.sort == Sort::Set { 1 } else { symbol.arguments.len() };
        if wanted != arguments.len() {
            let plural = if wanted == 1 { "" } else { "s" };
            let verb = if arguments.len() == 1 { "is" } else { "are" };
            let count = arguments.len();
            let message = format!("`{}` has {wanted} argument{plural}, but {count} {verb} given", name.text);
            self.wrong(message, name.span);
            return Formula::Constant(true);
        }
        let uses: Option<Vec<_>> = uses.into_iter().collect();
        let Some(uses) = uses else { return Formula::Constant(true) };
        for (place, ((argument, (_, set)), domain)) in arguments.iter().zip(&uses).zip(&symbol.arguments).enumerate() {
            if kinds(set) & kinds(domain) == 0 {
                let place = place + 1;
                let message =
                    format!("argument {place} of `{}` is a {domain}, but `{}` is a {set}", name.text, argument.text);
                self.wrong(message, argument.span);
            }
        }
        let variables: Vec<Variable> = uses.iter().map(|(variable, _)| *variable).collect();
        if let Meaning::Free(free) = &symbol.meaning {
            let member = format!("{free}{}", suffix(&symbol.parameters, &members));
            return Formula::Free(member.into(), variables);
        }
        let reversed = matches!(symbol.meaning, Meaning::Predefined) && is_reversed(&name.text);
        match (self.expr_of(name, &symbol, &members), &*variables) {
            (Some(id), [x]) => Formula::Member(id, *x, *x),
            (Some(id), [x, y]) if reversed => Formula::Member(id, *y, *x),
            (Some(id), [x, y]) => Formula::Member(id, *x, *y),
            _ => Formula::Constant(true),
        }
    }

    /// The variable that a name means here, and the name of its set.
    pub(super) fn use_of(&mut self, name: &Name, bound: &mut Bound) -> Option<(Variable, Arc<str>)> {
        if !self.capitalised(name) {
            return None;
        }
        if let Some((_, variable, set)) = bound.quantified.iter().rev().find(|(known, ..)| *known == name.text) {
            return Some((*variable, set.clone()));
        }
        let index = self.index_in_sight(name, bound).map(|(sort, _)| sort);
        if let Some(sort) = index.or(self.index_variables.get(&name.text).copied()) {
            self.wrong(format!("`{}` stands for {}, not for an action", name.text, sort.one()), name.span);
            return None;
        }
        if let Some(free) = bound.free.iter().find(|free| free.name == name.text) {
            return Some((free.variable, free.set_name.clone()));
        }
        if bound.closed {
            let error = Diagnostic::error(format!("`{}` is no variable of this comprehension", name.text), name.span);
            self.messages.push(error.note("variables from outside are for axioms, which have quantifiers around them"));
            return None;
        }
        let Some(set) = self.variables.get(&name.text).cloned() else {
            self.wrong(format!("the variable `{}` is not declared", name.text), name.span);
            return None;
        };
        let outer = bound.indices[..bound.outer].to_vec();
        let (set, set_name) = self.range(&set, &mut Bound::of_definition(outer))?;
        let variable = self.fresh();
        bound.free.push(Free { name: name.text.clone(), variable, set, set_name: set_name.clone() });
        Some((variable, set_name))
    }
}

pub(super) fn implies(left: Formula, right: Formula) -> Formula {
    Formula::Or(vec![Formula::Not(Box::new(left)), right])
}

/// The formula without the constants that indices leave behind.
fn simplify(formula: Formula) -> Formula {
    match formula {
        Formula::Not(inner) => match simplify(*inner) {
            Formula::Constant(value) => Formula::Constant(!value),
            inner => Formula::Not(Box::new(inner)),
        },
        Formula::And(parts) => simplify_parts(parts, true),
        Formula::Or(parts) => simplify_parts(parts, false),
        Formula::ForAll(variable, set, inner) => match simplify(*inner) {
            Formula::Constant(true) => Formula::Constant(true),
            inner => Formula::ForAll(variable, set, Box::new(inner)),
        },
        Formula::Exists(variable, set, inner) => match simplify(*inner) {
            Formula::Constant(false) => Formula::Constant(false),
            inner => Formula::Exists(variable, set, Box::new(inner)),
        },
        other => other,
    }
}

/// A conjunction or disjunction, without its neutral parts.
fn simplify_parts(parts: Vec<Formula>, conjunction: bool) -> Formula {
    let mut left = Vec::new();
    for part in parts {
        match simplify(part) {
            Formula::Constant(value) if value == conjunction => {}
            Formula::Constant(value) => return Formula::Constant(value),
            Formula::And(inner) if conjunction => left.extend(inner),
            Formula::Or(inner) if !conjunction => left.extend(inner),
            other => left.push(other),
        }
    }
    match left.len() {
        0 => Formula::Constant(conjunction),
        1 => left.remove(0),
        _ if conjunction => Formula::And(left),
        _ => Formula::Or(left),
    }
}
