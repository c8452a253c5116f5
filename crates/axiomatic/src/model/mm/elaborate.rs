//! From declarations and axioms to formulas: what names mean.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use program::{Diagnostic, Sources, Span};
use relation::formula::{Expr, ExprId, Formula, Formulas, Variable};

use super::super::{Axiom, AxiomKind, Existential, Model, Range};
use super::order::{Part, part};
use super::parser::{Declaration, File, Name, Sort, Syntax};
use super::predefined::{PREDEFINED, kinds, meaning, signature, within};

/// Relations that one model may quantify.
const EXISTENTIALS: usize = 1_000;

/// Nodes of one model's formulas; `<=>` doubles its sides.
const NODES: usize = 100_000;

/// Gives names their meaning. What is wrong is added to `messages`; the model is of use only if nothing was.
pub(super) fn elaborate(name: &str, file: File, sources: Sources, messages: &mut Vec<Diagnostic>) -> Model {
    let model_name = match &file.name {
        Some(name) => name.text.to_string(),
        None => super::super::stem(name).to_string(),
    };
    let mut elaborator = Elaborator {
        model: Model {
            name: model_name,
            sources,
            formulas: Formulas::new(),
            axioms: Vec::new(),
            existentials: Vec::new(),
            names: Vec::new(),
            shown: Vec::new(),
        },
        symbols: HashMap::new(),
        variables: HashMap::new(),
        fresh: 0,
        nodes: 0,
        messages,
    };
    file.predefined.iter().for_each(|declaration| elaborator.predefined(declaration));
    file.exists.iter().for_each(|declaration| elaborator.existential(declaration));
    file.forall.iter().for_each(|(name, set)| elaborator.variable(name, set));
    elaborator.axioms(&file.axioms);
    let orders = elaborator.total_orders();
    elaborator.coherence(&orders);
    elaborator.model
}

/// A symbol that axioms may use.
#[derive(Clone)]
struct Symbol {
    sort: Sort,
    /// The sets of its arguments, by name.
    arguments: Vec<Arc<str>>,
    meaning: Meaning,
}

#[derive(Clone)]
enum Meaning {
    /// A set, or a binary relation.
    Expr(ExprId),
    /// A binary relation the other way round.
    Reversed(ExprId),
    /// An existential relation of three or more arguments.
    Free(Arc<str>),
    /// Something that was reported already.
    Wrong,
}

struct Elaborator<'m> {
    model: Model,
    symbols: HashMap<Arc<str>, Symbol>,
    /// Declared variables with the names of their sets.
    variables: HashMap<Arc<str>, Arc<str>>,
    fresh: u32,
    nodes: usize,
    messages: &'m mut Vec<Diagnostic>,
}

/// Variables in sight within one axiom.
#[derive(Default)]
struct Bound {
    /// Innermost last: name, variable, name of its set.
    quantified: Vec<(Arc<str>, Variable, Arc<str>)>,
    /// Those that no quantifier binds, in order of first use.
    free: Vec<(Arc<str>, Variable, Arc<str>)>,
}

impl Elaborator<'_> {
    fn wrong(&mut self, message: impl Into<String>, span: Span) {
        self.messages.push(Diagnostic::error(message, span));
    }

    // Declarations.

    fn predefined(&mut self, declaration: &Declaration) {
        let name = &declaration.name;
        let Some((_, sort, arguments)) = PREDEFINED.iter().find(|(known, ..)| **known == *name.text) else {
            let known: Vec<&str> = PREDEFINED.iter().map(|(name, ..)| *name).collect();
            let error = Diagnostic::error(format!("there is no predefined symbol `{}`", name.text), name.span);
            self.messages.push(error.note(format!("there are {}", known.join(", "))));
            return self.declare(name, declaration, Meaning::Wrong);
        };
        let expected = signature(&name.text, *sort, arguments);
        if *sort != declaration.sort || arguments.len() != declaration.arguments.len() {
            self.wrong(format!("`{}` is predefined as `{expected}`", name.text), name.span);
            return self.declare(name, declaration, Meaning::Wrong);
        }
        for (given, wanted) in declaration.arguments.iter().zip(*arguments) {
            self.known_set(given);
            if self.symbols.contains_key(&given.text) && !within(wanted, &given.text) {
                let message = format!("`{}` is predefined as `{expected}`, not on `{}`", name.text, given.text);
                self.wrong(message, given.span);
            }
        }
        let id = meaning(&name.text, &mut self.model.formulas);
        let meaning = if *name.text == *"seed" { Meaning::Reversed(id) } else { Meaning::Expr(id) };
        if let Meaning::Expr(id) = meaning {
            self.model.names.push((name.text.to_string(), id));
        }
        let arguments = arguments.iter().map(|argument| (*argument).into()).collect();
        self.insert(name, Symbol { sort: *sort, arguments, meaning });
    }

    fn existential(&mut self, declaration: &Declaration) {
        let name = &declaration.name;
        if declaration.sort == Sort::Set {
            return self.wrong("a set cannot be declared here, only predicates and relations", name.span);
        }
        if self.model.existentials.len() >= EXISTENTIALS {
            return self.wrong("this model has too many relations", name.span);
        }
        if declaration.sort == Sort::Predicate && declaration.arguments.len() != 1 {
            self.wrong(format!("a predicate has one argument; `{}` is a relation", name.text), name.span);
        }
        let mut sets = Vec::new();
        for argument in &declaration.arguments {
            if self.known_set(argument)
                && let Some(Symbol { meaning: Meaning::Expr(id), .. }) = self.symbols.get(&argument.text)
            {
                sets.push(*id);
            }
        }
        if sets.len() != declaration.arguments.len() {
            return self.declare(name, declaration, Meaning::Wrong);
        }
        let binary = sets.len() <= 2;
        let free = super::super::free_name(&name.text, &self.model.existentials);
        let meaning = if binary {
            let id = self.model.formulas.base(&free);
            self.model.names.push((name.text.to_string(), id));
            Meaning::Expr(id)
        } else {
            Meaning::Free(free.clone())
        };
        let existential = Existential { name: free, range: Range::Relation(sets), span: name.span };
        self.model.existentials.push(existential);
        self.declare(name, declaration, meaning);
    }

    fn declare(&mut self, name: &Name, declaration: &Declaration, meaning: Meaning) {
        let arguments = declaration.arguments.iter().map(|argument| argument.text.clone()).collect();
        self.insert(name, Symbol { sort: declaration.sort, arguments, meaning });
    }

    fn insert(&mut self, name: &Name, symbol: Symbol) {
        if self.symbols.insert(name.text.clone(), symbol).is_some() {
            self.wrong(format!("`{}` is declared twice", name.text), name.span);
        }
    }

    fn variable(&mut self, name: &Name, set: &Name) {
        self.capitalised(name);
        self.known_set(set);
        if self.variables.insert(name.text.clone(), set.text.clone()).is_some() {
            self.wrong(format!("the variable `{}` is declared twice", name.text), name.span);
        }
    }

    fn capitalised(&mut self, name: &Name) -> bool {
        let fits = name.text.starts_with(|c: char| c.is_ascii_uppercase());
        if !fits {
            self.wrong(format!("a variable starts with a capital letter, unlike `{}`", name.text), name.span);
        }
        fits
    }

    /// Whether the name is that of a declared predefined set or predicate; reports one that is not.
    fn known_set(&mut self, name: &Name) -> bool {
        let declared = self.symbols.get(&name.text);
        let predefined = PREDEFINED.iter().find(|(known, ..)| **known == *name.text);
        match (declared, predefined) {
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

    // Axioms.

    fn axioms(&mut self, axioms: &[(Name, Syntax)]) {
        let mut labels = HashSet::new();
        for (label, syntax) in axioms {
            if !labels.insert(label.text.clone()) {
                self.wrong(format!("the label `<{}>` is used twice", label.text), label.span);
            }
            let mut bound = Bound::default();
            let mut formula = self.formula(syntax, &mut bound);
            for (_, variable, set) in bound.free.iter().rev() {
                formula = Formula::ForAll(*variable, self.set(set), Box::new(formula));
            }
            if self.nodes > NODES {
                return self.wrong("the axioms up to this one are too large when `<=>` is expanded", label.span);
            }
            let axiom = Axiom { name: label.text.to_string(), kind: AxiomKind::Require, formula, span: label.span };
            self.model.axioms.push(axiom);
        }
    }

    /// The set of that name; it was checked where it is declared.
    fn set(&mut self, name: &str) -> ExprId {
        meaning(name, &mut self.model.formulas)
    }

    fn formula(&mut self, syntax: &Syntax, bound: &mut Bound) -> Formula {
        self.nodes += 1;
        if self.nodes > NODES {
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
                if self.nodes > NODES {
                    return Formula::Constant(true);
                }
                Formula::And(vec![implies(left.clone(), right.clone()), implies(right, left)])
            }
            Syntax::Same(left, right) => match (self.use_of(left, bound), self.use_of(right, bound)) {
                (Some((left, _)), Some((right, _))) => Formula::Same(left, right),
                _ => Formula::Constant(true),
            },
            Syntax::Atom(name, arguments) => self.atom(name, arguments, bound),
            Syntax::Quantified { universal, variables, set, body } => {
                let known = self.known_set(set);
                let outer = bound.quantified.len();
                for variable in variables {
                    self.capitalised(variable);
                    let fresh = self.fresh();
                    bound.quantified.push((variable.text.clone(), fresh, set.text.clone()));
                }
                let mut formula = self.formula(body, bound);
                let range = if known { self.set(&set.text) } else { self.model.formulas.expr(Expr::Empty) };
                for (_, variable, _) in bound.quantified.drain(outer..).rev() {
                    let body = Box::new(formula);
                    formula = if *universal {
                        Formula::ForAll(variable, range, body)
                    } else {
                        Formula::Exists(variable, range, body)
                    };
                }
                formula
            }
        }
    }

    fn atom(&mut self, name: &Name, arguments: &[Name], bound: &mut Bound) -> Formula {
        let symbol = self.symbol(name);
        let uses: Vec<_> = arguments.iter().map(|argument| self.use_of(argument, bound)).collect();
        let Some(symbol) = symbol else { return Formula::Constant(true) };
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
        match (symbol.meaning, &*variables) {
            (Meaning::Expr(id), [x]) => Formula::Member(id, *x, *x),
            (Meaning::Expr(id), [x, y]) => Formula::Member(id, *x, *y),
            (Meaning::Reversed(id), [x, y]) => Formula::Member(id, *y, *x),
            (Meaning::Free(name), _) => Formula::Free(name, variables),
            _ => Formula::Constant(true),
        }
    }

    fn symbol(&mut self, name: &Name) -> Option<Symbol> {
        if let Some(symbol) = self.symbols.get(&name.text) {
            return Some(symbol.clone());
        }
        let message = Diagnostic::error(format!("`{}` is not declared", name.text), name.span);
        let predefined = PREDEFINED.iter().find(|(known, ..)| **known == *name.text);
        self.messages.push(match predefined {
            Some((_, sort, arguments)) => {
                message.note(format!("add `{}` to the predefined section", signature(&name.text, *sort, arguments)))
            }
            None => message,
        });
        None
    }

    /// The variable that a name means here, and the name of its set.
    fn use_of(&mut self, name: &Name, bound: &mut Bound) -> Option<(Variable, Arc<str>)> {
        if !self.capitalised(name) {
            return None;
        }
        let known = bound.quantified.iter().rev().chain(&bound.free).find(|(known, ..)| *known == name.text);
        if let Some((_, variable, set)) = known {
            return Some((*variable, set.clone()));
        }
        let Some(set) = self.variables.get(&name.text).cloned() else {
            self.wrong(format!("the variable `{}` is not declared", name.text), name.span);
            return None;
        };
        let variable = self.fresh();
        bound.free.push((name.text.clone(), variable, set.clone()));
        Some((variable, set))
    }

    fn fresh(&mut self) -> Variable {
        self.fresh += 1;
        Variable(self.fresh - 1)
    }

    // What is done on the user's behalf.

    /// Replaces the three axioms of each total order by one; gives the orders found and the names of their sets.
    fn total_orders(&mut self) -> Vec<(ExprId, Arc<str>)> {
        let mut orders = Vec::new();
        for existential in self.model.existentials.clone() {
            let Range::Relation(sets) = &existential.range else { continue };
            let [on, same] = sets[..] else { continue };
            if on != same {
                continue;
            }
            let order = self.model.formulas.base(&existential.name);
            let find =
                |wanted| self.model.axioms.iter().position(|axiom| part(&axiom.formula, order, on) == Some(wanted));
            let places = [Part::Transitive, Part::Irreflexive, Part::Total].map(find);
            let [Some(a), Some(b), Some(c)] = places else { continue };
            let mut places = [a, b, c];
            places.sort();
            let names: Vec<String> = places.iter().map(|place| self.model.axioms[*place].name.clone()).collect();
            let merged = Axiom {
                name: names.join(", "),
                kind: AxiomKind::Require,
                formula: Formula::TotalOrder { order, on },
                span: self.model.axioms[places[0]].span,
            };
            self.model.axioms.remove(places[2]);
            self.model.axioms.remove(places[1]);
            self.model.axioms[places[0]] = merged;
            let domain = PREDEFINED
                .iter()
                .filter(|(_, sort, _)| *sort != Sort::Relation)
                .find(|(name, ..)| meaning(name, &mut self.model.formulas) == on);
            orders.push((order, domain.map_or("", |(name, ..)| *name).into()));
        }
        orders
    }

    /// Ties the only total order of stores to coherence, in a model that does not say how.
    fn coherence(&mut self, orders: &[(ExprId, Arc<str>)]) {
        let coherence = self.model.formulas.base("co");
        if self.model.axioms.iter().any(|axiom| mentions(&axiom.formula, coherence)) {
            return;
        }
        let [(order, domain)] = orders else { return };
        if !within("store", domain) {
            return;
        }
        let (x, y) = (self.fresh(), self.fresh());
        let stores = self.set("store");
        let body = implies(Formula::Member(coherence, x, y), Formula::Member(*order, x, y));
        let inner = Formula::ForAll(y, stores, Box::new(body));
        let formula = Formula::ForAll(x, stores, Box::new(inner));
        let span = self.model.existentials.iter().find(
            |existential| matches!(self.model.formulas.node(*order), Expr::Base(name) if *name == existential.name),
        );
        let Some(span) = span.map(|existential| existential.span) else { return };
        self.model.axioms.push(Axiom { name: "coherence".into(), kind: AxiomKind::Require, formula, span });
    }
}

fn implies(left: Formula, right: Formula) -> Formula {
    Formula::Or(vec![Formula::Not(Box::new(left)), right])
}

fn mentions(formula: &Formula, relation: ExprId) -> bool {
    match formula {
        Formula::Member(found, ..) => *found == relation,
        Formula::ForAll(_, _, inner) | Formula::Exists(_, _, inner) | Formula::Not(inner) => mentions(inner, relation),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| mentions(part, relation)),
        _ => false,
    }
}
