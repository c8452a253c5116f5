//! Sets given by their elements: enumerations and tags, `match`, `forall`, conditions on values.

use program::Unsupported;

use super::super::lexer::Kind;
use super::super::syntax::{Case, Clause, Condition, ExprKind, Name, Statement};
use super::{Parsed, Parser};

/// The kinds of events that bell files speak of.
const KINDS: &[&str] = &["R", "W", "RMW", "F", "B", "C", "J", "SRCU"];

impl Parser<'_, '_> {
    /// `enum name = 'a || 'b`; a bar may stand before the first as well.
    pub(super) fn enumeration(&mut self) -> Parsed<Statement> {
        self.next();
        let name = self.name()?;
        self.bound.push(name.clone());
        self.expect("=")?;
        self.eat("||");
        let mut tags = vec![self.tag()?];
        while self.eat("||") {
            tags.push(self.tag()?);
        }
        Ok(Statement::Enumeration { name, tags })
    }

    /// `instructions R[e, ..]`: which tags the events of a kind may have.
    pub(super) fn instructions(&mut self) -> Parsed<Statement> {
        self.next();
        let events = self.name()?;
        if !KINDS.contains(&&*events.text) {
            let what = format!("the kind of events `{}` in a bell file", events.text);
            return Err(Box::new(Unsupported::new(what, Some(events.span)).into()));
        }
        self.expect("[")?;
        let mut tags = vec![self.level(0)?];
        while self.eat(",") {
            tags.push(self.level(0)?);
        }
        self.expect("]")?;
        Ok(Statement::Instructions { events, tags })
    }

    /// `forall x in e do .. end`.
    pub(super) fn for_all(&mut self) -> Parsed<Statement> {
        self.next();
        let name = self.name()?;
        self.expect("in")?;
        let within = self.expr()?;
        self.expect("do")?;
        let body = self.statements(&["end"]);
        self.expect("end")?;
        Ok(Statement::ForAll { name, within, body: body.into() })
    }

    /// What follows `{`: elements, or none.
    pub(super) fn elements(&mut self) -> Parsed<ExprKind> {
        if self.eat("}") {
            return Ok(ExprKind::Empty);
        }
        let mut elements = vec![self.level(0)?];
        while self.eat(",") {
            elements.push(self.level(0)?);
        }
        self.expect("}")?;
        Ok(ExprKind::Elements(elements))
    }

    /// `match e with || case -> value || .. end`.
    pub(super) fn cases(&mut self) -> Parsed<ExprKind> {
        self.next();
        let matched = self.expr()?;
        self.expect("with")?;
        self.eat("||");
        let mut clauses = vec![self.clause()?];
        while self.eat("||") {
            clauses.push(self.clause()?);
        }
        self.expect("end")?;
        Ok(ExprKind::Match(Box::new(matched), clauses))
    }

    fn clause(&mut self) -> Parsed<Clause> {
        let case = self.case()?;
        self.expect("->")?;
        Ok(Clause { case, value: self.expr()? })
    }

    fn case(&mut self) -> Parsed<Case> {
        if self.token().kind == Kind::Tag {
            return self.tag().map(Case::Tag);
        }
        if self.eat("{") {
            self.expect("}")?;
            return Ok(Case::Empty);
        }
        let first = self.formal()?;
        if first.is_none() && !self.is("++") {
            return Ok(Case::Any);
        }
        self.expect("++")?;
        let rest = self.formal()?;
        if self.is("++") {
            return Err(self.unsupported("a clause with the elements before and after one"));
        }
        Ok(Case::Element(first, rest))
    }

    fn tag(&mut self) -> Parsed<Name> {
        if self.token().kind != Kind::Tag {
            return Err(self.unexpected("a tag (`'name`)"));
        }
        let token = self.next();
        Ok(Name { text: token.text.into(), span: token.span })
    }

    /// What follows `if` where that is no condition on herd's variants.
    pub(super) fn conditional(&mut self) -> Parsed<ExprKind> {
        let condition = self.comparison()?;
        self.expect("then")?;
        let yes = self.expr()?;
        self.expect("else")?;
        let no = self.expr()?;
        Ok(ExprKind::If(Box::new(condition), Box::new(yes), Box::new(no)))
    }

    fn comparison(&mut self) -> Parsed<Condition> {
        let left = self.level(0)?;
        let of = match self.token().text {
            "=" => Condition::Equal,
            "subset" => Condition::Subset,
            "in" => Condition::In,
            _ => return Err(self.unexpected("`=`, `subset` or `in`")),
        };
        self.next();
        Ok(of(left, self.level(0)?))
    }
}
