//! Sets and relations: what a term means, and which member of a family.

use program::{Diagnostic, Span};
use relation::formula::{Expr, ExprId};

use super::elaborate::{Elaborator, Meaning, Symbol};
use super::index::{IndexSort, Indices, Member, Parameter, suffix};
use super::predefined::{PREDEFINED, View, is_reversed, meaning, signature};
use super::scope::Bound;
use super::syntax::{Index, Name, Operator, Postfix, Reference, Sort, Term, TermNode};

/// What a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Set,
    Relation,
    /// `0` is either.
    Either,
}

impl Kind {
    fn name(self) -> &'static str {
        if self == Kind::Set { "set" } else { "relation" }
    }
}

impl Elaborator<'_> {
    /// The expression of a term; `None` if something in it is wrong, which is reported.
    pub(super) fn term(&mut self, term: &Term, bound: &mut Bound) -> Option<(ExprId, Kind)> {
        let (expr, kind) = match &term.node {
            TermNode::Empty => (Expr::Empty, Kind::Either),
            TermNode::Symbol(reference) => return self.symbol_term(reference, bound),
            TermNode::Identity(inner) => return Some((self.typed(inner, Kind::Set, bound)?, Kind::Relation)),
            TermNode::Domain(inner) => (Expr::Domain(self.typed(inner, Kind::Relation, bound)?), Kind::Set),
            TermNode::Range(inner) => (Expr::Range(self.typed(inner, Kind::Relation, bound)?), Kind::Set),
            TermNode::Image(set, relation) => {
                let set = self.typed(set, Kind::Set, bound);
                let (set, relation) = (set?, self.typed(relation, Kind::Relation, bound)?);
                let from = self.model.formulas.expr(Expr::Sequence(set, relation));
                (Expr::Range(from), Kind::Set)
            }
            TermNode::Comprehension { variables, body } => {
                return self.comprehension(variables, body, bound);
            }
            TermNode::Chain(operator, parts) => return self.chain(*operator, parts, bound),
            TermNode::Postfix(inner, follow) => {
                let mut id = self.typed(inner, Kind::Relation, bound)?;
                for postfix in follow {
                    id = self.postfix(*postfix, id);
                }
                return Some((id, Kind::Relation));
            }
        };
        Some((self.model.formulas.expr(expr), kind))
    }

    /// The expression of a term that must be a set or a relation.
    pub(super) fn typed(&mut self, term: &Term, wanted: Kind, bound: &mut Bound) -> Option<ExprId> {
        let (id, kind) = self.term(term, bound)?;
        if kind == wanted || kind == Kind::Either {
            return Some(id);
        }
        let message = format!("expected a {}, found a {}", wanted.name(), kind.name());
        let error = Diagnostic::error(message, term.span);
        self.messages.push(match wanted {
            Kind::Relation => error.note("write `[S]` for the identity on a set `S`"),
            _ => error,
        });
        None
    }

    fn chain(&mut self, operator: Operator, parts: &[Term], bound: &mut Bound) -> Option<(ExprId, Kind)> {
        let (wanted, result) = match operator {
            Operator::Sequence => (Some(Kind::Relation), Kind::Relation),
            Operator::Product => (Some(Kind::Set), Kind::Relation),
            _ => (None, Kind::Either),
        };
        let Some(wanted) = wanted else { return self.boolean(operator, parts, bound) };
        let ids: Vec<_> = parts.iter().map(|part| self.typed(part, wanted, bound)).collect();
        if operator == Operator::Product && parts.len() > 2 {
            self.wrong("a product has two sets", parts[2].span);
            return None;
        }
        Some((self.fold(operator, ids.into_iter().collect::<Option<Vec<_>>>()?), result))
    }

    /// Union, intersection or difference: of sets or of relations, as the first part that is one says.
    fn boolean(&mut self, operator: Operator, parts: &[Term], bound: &mut Bound) -> Option<(ExprId, Kind)> {
        let found: Vec<_> = parts.iter().map(|part| self.term(part, bound)).collect();
        let kind = found.iter().flatten().map(|(_, kind)| *kind).find(|kind| *kind != Kind::Either);
        let kind = kind.unwrap_or(Kind::Either);
        let mut ids = Vec::new();
        for (part, found) in parts.iter().zip(&found) {
            match *found {
                Some((id, own)) if own == kind || own == Kind::Either => ids.push(id),
                Some((_, own)) => {
                    let message = format!("expected a {}, found a {}", kind.name(), own.name());
                    self.wrong(message, part.span);
                }
                None => {}
            }
        }
        (ids.len() == parts.len()).then(|| (self.fold(operator, ids), kind))
    }

    fn fold(&mut self, operator: Operator, ids: Vec<ExprId>) -> ExprId {
        let formulas = &mut self.model.formulas;
        let joined = ids.into_iter().reduce(|left, right| {
            formulas.expr(match operator {
                Operator::Union => Expr::Union(left, right),
                Operator::Sequence => Expr::Sequence(left, right),
                Operator::Difference => Expr::Difference(left, right),
                Operator::Intersection => Expr::Intersection(left, right),
                Operator::Product => Expr::Product(left, right),
            })
        });
        joined.unwrap_or_else(|| self.model.formulas.expr(Expr::Empty))
    }

    fn postfix(&mut self, postfix: Postfix, inner: ExprId) -> ExprId {
        let formulas = &mut self.model.formulas;
        match postfix {
            Postfix::Closure => formulas.expr(Expr::Closure(inner)),
            Postfix::ReflexiveClosure => formulas.expr(Expr::ReflexiveClosure(inner)),
            Postfix::Inverse => formulas.expr(Expr::Inverse(inner)),
            Postfix::Optional => {
                let identity = formulas.expr(Expr::Identity);
                formulas.expr(Expr::Union(inner, identity))
            }
        }
    }

    fn symbol_term(&mut self, reference: &Reference, bound: &mut Bound) -> Option<(ExprId, Kind)> {
        let (symbol, members) = self.resolve(reference, &bound.indices)?;
        let name = &reference.name;
        let kind = match (symbol.sort, symbol.arguments.len()) {
            (Sort::Relation, 2) => Kind::Relation,
            (Sort::Relation, arguments) => {
                self.wrong(format!("`{}` has {arguments} arguments, a term has two", name.text), name.span);
                return None;
            }
            _ => Kind::Set,
        };
        let mut id = self.expr_of(name, &symbol, &members)?;
        if matches!(symbol.meaning, Meaning::Predefined) && is_reversed(&name.text) {
            id = self.model.formulas.expr(Expr::Inverse(id));
            self.give_name(format!("{}{}", name.text, suffix(&symbol.parameters, &members)), id);
        }
        Some((id, kind))
    }

    /// The expression of a set, or of a relation as the vocabulary has it, of two arguments at most.
    pub(super) fn expr_of(&mut self, name: &Name, symbol: &Symbol, members: &[Member]) -> Option<ExprId> {
        let suffix = suffix(&symbol.parameters, members);
        match &symbol.meaning {
            Meaning::Predefined => {
                let view = View { suffix: &suffix, speculative: self.speculative };
                let id = meaning(&name.text, view, &mut self.model.formulas);
                if !is_reversed(&name.text) {
                    self.give_name(format!("{}{suffix}", name.text), id);
                }
                Some(id)
            }
            Meaning::Base(free) => {
                let id = self.model.formulas.base(&format!("{free}{suffix}"));
                self.give_name(format!("{}{suffix}", name.text), id);
                Some(id)
            }
            Meaning::Defined(place) => self.defined.get(&(*place, members.to_vec())).copied(),
            Meaning::Free(_) | Meaning::Wrong => None,
        }
    }

    // Members of families.

    /// A symbol and which of its members is meant; `None` if that is wrong, which is reported.
    pub(super) fn resolve(&mut self, reference: &Reference, indices: &Indices) -> Option<(Symbol, Vec<Member>)> {
        let symbol = self.symbol(&reference.name)?;
        let members = self.members(reference, &symbol, indices);
        if matches!(symbol.meaning, Meaning::Wrong) { None } else { Some((symbol, members?)) }
    }

    fn members(&mut self, reference: &Reference, symbol: &Symbol, indices: &Indices) -> Option<Vec<Member>> {
        let (name, given, parameters) = (&reference.name, &reference.indices, &symbol.parameters);
        let main_left_out =
            given.len() + 1 == parameters.len() && parameters.last() == Some(&Parameter::Over(IndexSort::Run));
        if given.len() != parameters.len() && !main_left_out {
            self.wrong_count(name, given, symbol);
            return None;
        }
        let members: Vec<_> = given
            .iter()
            .zip(parameters)
            .map(|(index, parameter)| self.member(name, index, *parameter, indices))
            .collect();
        let mut members: Vec<Member> = members.into_iter().collect::<Option<_>>()?;
        if main_left_out {
            members.push(Member::Main);
        }
        Some(members)
    }

    fn wrong_count(&mut self, name: &Name, given: &[Index], symbol: &Symbol) {
        let sorts: Vec<&str> = symbol.parameters.iter().map(|parameter| parameter.sort().name()).collect();
        let span = given.first().map_or(name.span, Index::span);
        let (name, all) = (&name.text, sorts.join(", "));
        let message = match (sorts.len(), given.len()) {
            (0, _) => format!("`{name}` is no family, it has no index"),
            (1, 0) => format!("`{name}` is a family, it needs an index ({all})"),
            (_, 0) => format!("`{name}` is a family, it needs indices ({all})"),
            (_, count) => format!("`{name}` has the indices ({all}), but {count} are given"),
        };
        let error = Diagnostic::error(message, span);
        let single = matches!(symbol.meaning, Meaning::Predefined) && sorts.is_empty() && !self.speculative;
        self.messages.push(if single {
            error.note("a model of several executions has the line `executions` after its name")
        } else {
            error
        });
    }

    fn member(&mut self, family: &Name, index: &Index, parameter: Parameter, indices: &Indices) -> Option<Member> {
        let last = Member::At(self.shape.executions);
        match (index, parameter) {
            (Index::Zero(_), Parameter::Stage) => Some(Member::At(0)),
            (Index::Name(name), Parameter::Stage) if &*name.text == "last" => Some(last),
            (Index::Zero(span), _) => self.no_stage(family, "0", *span),
            (Index::Name(name), _) if &*name.text == "last" => self.no_stage(family, "last", name.span),
            (Index::Name(name), Parameter::Over(IndexSort::Run)) if &*name.text == "main" => Some(Member::Main),
            (Index::Name(name), _) if &*name.text == "main" => {
                self.wrong(format!("`{}` has no member for the main execution", family.text), name.span);
                None
            }
            (Index::Name(name), _) => {
                let (sort, member) = self.index_variable(name, indices)?;
                let wanted = parameter.sort();
                if sort == wanted || sort == IndexSort::Execution && wanted == IndexSort::Run {
                    return Some(member);
                }
                let (given, wanted) = (sort.one(), wanted.name());
                let message =
                    format!("the index `{}` is {given}, but `{}` is a family over {wanted}s", name.text, family.text);
                self.wrong(message, name.span);
                None
            }
            (Index::Before(name), _) => {
                let (sort, member) = self.index_variable(name, indices)?;
                match (sort, member, parameter) {
                    (IndexSort::Execution, Member::At(number), Parameter::Stage) => {
                        Some(Member::At(number.saturating_sub(1)))
                    }
                    (IndexSort::Execution, ..) => self.no_stage(family, &format!("{}-1", name.text), name.span),
                    _ => {
                        let message = format!(
                            "only a variable over executions has one before it, `{}` is {}",
                            name.text,
                            sort.one()
                        );
                        self.wrong(message, name.span);
                        None
                    }
                }
            }
        }
    }

    /// What an index variable stands for; reports one that is not in sight.
    fn index_variable(&mut self, name: &Name, indices: &Indices) -> Option<(IndexSort, Member)> {
        if let Some((_, sort, member)) = indices.iter().rev().find(|(known, ..)| *known == name.text) {
            return Some((*sort, *member));
        }
        let message = match self.index_variables.contains_key(&name.text) {
            true => format!("the index `{}` is not one of this definition", name.text),
            false => format!("the index variable `{}` is not declared", name.text),
        };
        self.wrong(message, name.span);
        None
    }

    fn no_stage<T>(&mut self, family: &Name, index: &str, span: Span) -> Option<T> {
        let error = Diagnostic::error(format!("`{}` may have no member `{index}`", family.text), span);
        let note = "only relations and predicates declared over `execution` in `exists` have a member 0";
        self.messages.push(error.note(note));
        None
    }

    pub(super) fn symbol(&mut self, name: &Name) -> Option<Symbol> {
        if let Some(symbol) = self.symbols.get(&name.text) {
            return Some(symbol.clone());
        }
        if self.index_variables.contains_key(&name.text) {
            self.wrong(format!("`{}` is an index, no set or relation", name.text), name.span);
            return None;
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
}
