//! Declarations: what the names of a model stand for.

use std::sync::Arc;

use program::{Diagnostic, Span};
use relation::formula::{Expr, ExprId};

use super::super::{Existential, Range};
use super::elaborate::{Elaborator, INDICES, Meaning, SMALLEST, Symbol, reaches};
use super::index::{IndexSort, Indices, Member, Parameter, choices, suffix};
use super::predefined::{PREDEFINED, indices, is_reversed, signature, within};
use super::scope::Bound;
use super::syntax::{Declaration, Definition, Name, Sort, Term, TermNode};
use super::terms::Kind;
use crate::vocabulary;

/// Relations that one model may quantify.
const EXISTENTIALS: usize = 1_000;

impl Elaborator<'_> {
    pub(super) fn predefined(&mut self, declaration: &Declaration) {
        let name = &declaration.name;
        let Some((_, sort, arguments)) = PREDEFINED.iter().find(|(known, ..)| **known == *name.text) else {
            let known: Vec<&str> = PREDEFINED.iter().map(|(name, ..)| *name).collect();
            let error = Diagnostic::error(format!("there is no predefined symbol `{}`", name.text), name.span);
            self.messages.push(error.note(format!("there are {}", known.join(", "))));
            return self.declare(name, declaration, Vec::new(), Meaning::Wrong);
        };
        let expected = signature(&name.text, *sort, arguments);
        let families = indices(&name.text);
        let given: Vec<_> = declaration.indices.iter().map(|index| IndexSort::named(&index.text)).collect();
        let same_family = given.iter().copied().eq(families.iter().copied().map(Some));
        if *sort != declaration.sort || arguments.len() != declaration.arguments.len() || !same_family {
            self.wrong(format!("`{}` is predefined as `{expected}`", name.text), name.span);
            return self.declare(name, declaration, Vec::new(), Meaning::Wrong);
        }
        if families.contains(&IndexSort::Execution) {
            self.needs_executions(declaration.indices[0].span);
        }
        for (given, wanted) in declaration.arguments.iter().zip(*arguments) {
            self.known_set(given);
            if self.symbols.contains_key(&given.text) && !within(wanted, &given.text) {
                let message = format!("`{}` is predefined as `{expected}`, not on `{}`", name.text, given.text);
                self.wrong(message, given.span);
            }
        }
        let mut parameters: Vec<Parameter> = families.iter().copied().map(Parameter::Over).collect();
        if self.speculative && !families.contains(&IndexSort::Execution) {
            parameters.push(Parameter::Over(IndexSort::Run));
        }
        if families.is_empty() && !is_reversed(&name.text) {
            let id = self.set(&name.text);
            self.give_name(name.text.to_string(), id);
        }
        let arguments = arguments.iter().map(|argument| (*argument).into()).collect();
        self.insert(name, Symbol { sort: *sort, arguments, parameters, meaning: Meaning::Predefined });
    }

    pub(super) fn existential(&mut self, declaration: &Declaration) {
        let name = &declaration.name;
        if declaration.sort == Sort::Set {
            return self.wrong("a set cannot be declared here, only predicates and relations", name.span);
        }
        if self.is_checking() && self.model.existentials.len() >= EXISTENTIALS {
            return self.wrong("this model has too many relations", name.span);
        }
        if declaration.sort == Sort::Predicate && declaration.arguments.len() != 1 {
            self.wrong(format!("a predicate has one argument; `{}` is a relation", name.text), name.span);
        }
        let parameters = self.stages(&declaration.indices);
        let known: Vec<bool> = declaration.arguments.iter().map(|argument| self.known_set(argument)).collect();
        let (Some(parameters), true) = (parameters, known.iter().all(|known| *known)) else {
            return self.declare(name, declaration, Vec::new(), Meaning::Wrong);
        };
        let sets: Vec<ExprId> = declaration.arguments.iter().map(|argument| self.set(&argument.text)).collect();
        let binary = sets.len() <= 2;
        let free = self.free_name(name);
        self.exist(name, &free, &parameters, Range::Relation(sets), binary);
        let meaning = if binary { Meaning::Base(free) } else { Meaning::Free(free) };
        self.declare(name, declaration, parameters, meaning);
    }

    /// Adds one existential for each member of a family.
    fn exist(&mut self, name: &Name, free: &str, parameters: &[Parameter], range: Range, binary: bool) {
        let lists: Vec<_> = parameters.iter().map(|parameter| parameter.members(self.shape)).collect();
        for members in choices(&lists) {
            let suffix = suffix(parameters, &members);
            let member: Arc<str> = format!("{free}{suffix}").into();
            if binary {
                let id = self.model.formulas.base(&member);
                self.give_name(format!("{}{suffix}", name.text), id);
            }
            self.model.existentials.push(Existential { name: member, range: range.clone(), span: name.span });
        }
    }

    /// A name that neither the vocabulary nor another existential has.
    fn free_name(&self, name: &Name) -> Arc<str> {
        let lists = [vocabulary::ACTION_SETS, vocabulary::ACTION_RELATIONS, vocabulary::ACTION_FAMILIES];
        let taken = lists.iter().any(|list| list.iter().any(|(known, _)| **known == *name.text));
        let wanted = if taken { format!("{}#", name.text) } else { name.text.to_string() };
        super::super::free_name(&wanted, &self.model.existentials)
    }

    /// The parameters of a quantified relation, from the names of sorts.
    fn stages(&mut self, indices: &[Name]) -> Option<Vec<Parameter>> {
        let sorts: Vec<_> = indices.iter().map(|index| self.index_sort(index)).collect();
        self.few_indices(indices)?;
        let stage = |sort| if sort == IndexSort::Execution { Parameter::Stage } else { Parameter::Over(sort) };
        sorts.into_iter().map(|sort| Some(stage(sort?))).collect()
    }

    fn index_sort(&mut self, name: &Name) -> Option<IndexSort> {
        let sort = IndexSort::named(&name.text);
        match sort {
            None => {
                let message = format!("`{}` is not what a family can be over", name.text);
                let error = Diagnostic::error(message, name.span);
                self.messages.push(error.note("families are over thread, location, execution or run"));
            }
            Some(sort) if sort.is_speculative() => self.needs_executions(name.span),
            Some(_) => {}
        }
        sort
    }

    pub(super) fn needs_executions(&mut self, span: Span) {
        if !self.speculative {
            let error = Diagnostic::error("this model does not speak of several executions", span);
            self.messages.push(error.note("say so by the line `executions` after the model's name"));
        }
    }

    fn few_indices(&mut self, indices: &[Name]) -> Option<()> {
        if let Some(excess) = indices.get(INDICES) {
            self.wrong(format!("a family has at most {INDICES} indices"), excess.span);
            return None;
        }
        Some(())
    }

    /// The parameters of a definition or order, from its index variables.
    fn parameters(&mut self, indices: &[Name]) -> Option<Vec<Parameter>> {
        self.few_indices(indices)?;
        let mut parameters = Vec::new();
        for (place, index) in indices.iter().enumerate() {
            match self.index_variables.get(&index.text) {
                Some(_) if indices[..place].iter().any(|other| other.text == index.text) => {
                    self.wrong(format!("the index `{}` is there twice", index.text), index.span);
                }
                Some(sort) => parameters.push(Parameter::Over(*sort)),
                None => {
                    let message = format!("the index variable `{}` is not declared", index.text);
                    let error = Diagnostic::error(message, index.span);
                    self.messages.push(error.note("declare it in the forall section: `P : thread`"));
                }
            }
        }
        (parameters.len() == indices.len()).then_some(parameters)
    }

    /// Every way to choose what these index variables stand for.
    pub(super) fn environments(&self, indices: &[Name], parameters: &[Parameter]) -> Vec<Indices> {
        let lists: Vec<_> = parameters.iter().map(|parameter| parameter.members(self.shape)).collect();
        let environment = |members: Vec<Member>| {
            let named = indices.iter().zip(parameters).zip(members);
            named.map(|((name, parameter), member)| (name.text.clone(), parameter.sort(), member)).collect()
        };
        choices(&lists).into_iter().map(environment).collect()
    }

    pub(super) fn order(&mut self, name: &Name, indices: &[Name]) {
        if self.is_checking() && self.model.existentials.len() >= EXISTENTIALS {
            return self.wrong("this model has too many relations", name.span);
        }
        let arguments = vec!["action".into(), "action".into()];
        let Some(parameters) = self.parameters(indices) else {
            return self.insert(
                name,
                Symbol { sort: Sort::Relation, arguments, parameters: Vec::new(), meaning: Meaning::Wrong },
            );
        };
        let free = self.free_name(name);
        let empty = self.model.formulas.expr(Expr::Empty);
        // What it orders is known only when definitions are: see `order_range`.
        let range = Range::Linearisation { on: empty, contains: empty };
        self.exist(name, &free, &parameters, range, true);
        self.insert(name, Symbol { sort: Sort::Relation, arguments, parameters, meaning: Meaning::Base(free) });
    }

    pub(super) fn order_range(&mut self, name: &Name, indices: &[Name], on: &Term, containing: Option<&Term>) {
        let Some(Symbol { parameters, meaning: Meaning::Base(free), .. }) = self.symbols.get(&name.text).cloned()
        else {
            return;
        };
        if parameters.len() != indices.len() {
            return;
        }
        for environment in self.environments(indices, &parameters) {
            let members: Vec<Member> = environment.iter().map(|(_, _, member)| *member).collect();
            let mut bound = Bound::of_definition(environment);
            let on = self.typed(on, Kind::Set, &mut bound);
            let contains = match containing {
                Some(term) => self.typed(term, Kind::Relation, &mut bound),
                None => Some(self.model.formulas.expr(Expr::Empty)),
            };
            let (Some(on), Some(contains)) = (on, contains) else { continue };
            let member = format!("{free}{}", suffix(&parameters, &members));
            let place = self.model.existentials.iter().position(|existential| *existential.name == *member);
            let Some(place) = place else { continue };
            let later = self.model.existentials[place..].iter().find(|later| {
                let base = Expr::Base(later.name.clone());
                [on, contains].iter().any(|id| reaches(&self.model.formulas, *id, &base))
            });
            if let Some(later) = later {
                let message =
                    format!("what `{}` orders depends on `{}`, which is not there before it", name.text, later.name);
                self.wrong(message, name.span);
            }
            self.model.existentials[place].range = Range::Linearisation { on, contains };
        }
    }

    pub(super) fn definition(&mut self, place: usize, definition: &Definition) {
        let (name, sort) = (&definition.name, definition.sort);
        let kind = if sort == Sort::Set { Kind::Set } else { Kind::Relation };
        let arguments = vec!["action".into(); if sort == Sort::Set { 1 } else { 2 }];
        let parameters = self.parameters(&definition.indices);
        let mut meaning = if parameters.is_some() { Meaning::Defined(place) } else { Meaning::Wrong };
        let parameters = parameters.unwrap_or_default();
        for environment in self.environments(&definition.indices[..parameters.len()], &parameters) {
            let members: Vec<Member> = environment.iter().map(|(_, _, member)| *member).collect();
            match self.typed(&definition.term, kind, &mut Bound::of_definition(environment)) {
                Some(id) => {
                    self.give_name(format!("{}{}", name.text, suffix(&parameters, &members)), id);
                    self.defined.insert((place, members), id);
                }
                None => meaning = Meaning::Wrong,
            }
        }
        self.insert(name, Symbol { sort, arguments, parameters, meaning });
    }

    /// Lets witnesses show a definition: of a family over runs, each execution its own.
    pub(super) fn show(&mut self, name: &Name) {
        let Some(Symbol { parameters, meaning: Meaning::Defined(place), .. }) = self.symbols.get(&name.text).cloned()
        else {
            return self.wrong(format!("`{}` is no definition, so that it cannot be shown", name.text), name.span);
        };
        if !parameters.iter().all(|parameter| parameter.sort().is_speculative()) || parameters.len() > 1 {
            return self.wrong(format!("`{}` has one member for each thread or location", name.text), name.span);
        }
        let members = choices(&parameters.iter().map(|parameter| parameter.members(self.shape)).collect::<Vec<_>>());
        for members in members {
            if let Some(&id) = self.defined.get(&(place, members.clone())) {
                self.model.shown.push((format!("{}{}", name.text, suffix(&parameters, &members)), id));
            }
        }
    }

    fn declare(&mut self, name: &Name, declaration: &Declaration, parameters: Vec<Parameter>, meaning: Meaning) {
        let arguments = declaration.arguments.iter().map(|argument| argument.text.clone()).collect();
        self.insert(name, Symbol { sort: declaration.sort, arguments, parameters, meaning });
    }

    fn insert(&mut self, name: &Name, symbol: Symbol) {
        if self.symbols.insert(name.text.clone(), symbol).is_some() {
            self.wrong(format!("`{}` is declared twice", name.text), name.span);
        }
    }

    /// Notes an index variable.
    pub(super) fn index(&mut self, name: &Name, set: &Term) {
        let Some((sort, set)) = set.plain().and_then(|set| Some((IndexSort::named(&set.text)?, set))) else { return };
        self.capitalised(name);
        if sort.is_speculative() {
            self.needs_executions(set.span);
        }
        if self.index_variables.insert(name.text.clone(), sort).is_some() {
            self.wrong(format!("the variable `{}` is declared twice", name.text), name.span);
        }
    }

    /// Notes a variable that is no index.
    pub(super) fn variable(&mut self, name: &Name, set: &Term) {
        if set.plain().is_some_and(|set| IndexSort::named(&set.text).is_some()) {
            return;
        }
        self.capitalised(name);
        if self.is_checking() {
            let some = |sort: IndexSort| sort.members(SMALLEST)[0];
            let variables = self.index_variables.iter();
            let indices = variables.map(|(name, sort)| (name.clone(), *sort, some(*sort))).collect();
            self.range(set, &mut Bound::of_definition(indices));
        }
        let twice = self.index_variables.contains_key(&name.text);
        if self.variables.insert(name.text.clone(), set.clone()).is_some() || twice {
            self.wrong(format!("the variable `{}` is declared twice", name.text), name.span);
        }
    }

    /// The set that a variable ranges over and its name; reports what is no set.
    pub(super) fn range(&mut self, set: &Term, bound: &mut Bound) -> Option<(ExprId, Arc<str>)> {
        if let Some(name) = set.plain() {
            let predefined = self
                .symbols
                .get(&name.text)
                .is_none_or(|symbol| matches!(symbol.meaning, Meaning::Predefined | Meaning::Wrong));
            if predefined {
                return self.known_set(name).then(|| (self.set(&name.text), name.text.clone()));
            }
        }
        let name = match &set.node {
            TermNode::Symbol(reference) if PREDEFINED.iter().any(|(known, ..)| **known == *reference.name.text) => {
                reference.name.text.clone()
            }
            _ => "action".into(),
        };
        Some((self.typed(set, Kind::Set, bound)?, name))
    }

    pub(super) fn capitalised(&mut self, name: &Name) -> bool {
        let fits = name.text.starts_with(|c: char| c.is_ascii_uppercase());
        if !fits {
            self.wrong(format!("a variable starts with a capital letter, unlike `{}`", name.text), name.span);
        }
        fits
    }

    /// Whether the name is that of a declared predefined set or predicate; reports one that is not.
    pub(super) fn known_set(&mut self, name: &Name) -> bool {
        let declared = self.symbols.get(&name.text);
        let predefined = PREDEFINED.iter().find(|(known, ..)| **known == *name.text);
        match (declared, predefined) {
            (Some(_), Some(_)) if !indices(&name.text).is_empty() => {
                self.wrong(format!("`{}` is a family, it needs an index", name.text), name.span);
                false
            }
            (Some(symbol), Some((_, sort, _))) if *sort != Sort::Relation && symbol.sort != Sort::Relation => true,
            (None, Some((_, sort, arguments))) if *sort != Sort::Relation => {
                let message = Diagnostic::error(format!("the set `{}` is not declared", name.text), name.span);
                let signature = signature(&name.text, *sort, arguments);
                self.messages
                    .push(message.note(format!("add `{signature}` to the predefined section, before its use")));
                false
            }
            _ => {
                self.wrong(format!("`{}` is no set", name.text), name.span);
                false
            }
        }
    }
}
