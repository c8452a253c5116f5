//! From the words of a model to its declarations and axioms: recursive descent.
//!
//! After an error reading goes on at the next line (in `require`: at the next label), so that the first error does not hide
//! the second. A further kind of declaration is a case in [`Parser::section`], a further kind of formula one in
//! [`Parser::simple`].

use std::sync::Arc;

use program::{Diagnostic, FileId, Span};

use super::lexer::{Kind, Token, tokens};

/// How deep formulas may nest.
const DEPTH: usize = 64;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: Arc<str>,
    pub(super) span: Span,
}

/// A whole model.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) name: Option<Name>,
    pub(super) predefined: Vec<Declaration>,
    pub(super) exists: Vec<Declaration>,
    /// Variables with the set they range over.
    pub(super) forall: Vec<(Name, Name)>,
    pub(super) axioms: Vec<(Name, Syntax)>,
}

/// What a declaration declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Set,
    Predicate,
    Relation,
}

/// `relation seed(load, store)`.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) sort: Sort,
    pub(super) name: Name,
    pub(super) arguments: Vec<Name>,
}

/// A formula as written.
#[derive(Debug)]
pub(super) enum Syntax {
    Constant(bool),
    Not(Box<Syntax>),
    And(Vec<Syntax>),
    Or(Vec<Syntax>),
    Implies(Box<Syntax>, Box<Syntax>),
    Equivalent(Box<Syntax>, Box<Syntax>),
    Same(Name, Name),
    Atom(Name, Vec<Name>),
    Quantified { universal: bool, variables: Vec<Name>, set: Name, body: Box<Syntax> },
}

/// Reads a file. What is wrong is added to `messages`; the rest is what could be read.
pub(super) fn parse(file: FileId, text: &str, messages: &mut Vec<Diagnostic>) -> File {
    let tokens = tokens(file, text, messages);
    let mut parser = Parser { tokens, at: 0, depth: 0, messages };
    let mut file = File::default();
    if let Err(error) = parser.file(&mut file) {
        parser.messages.push(*error);
    }
    file
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

struct Parser<'a, 'm> {
    /// Invariant: ends with the only [`Kind::End`].
    tokens: Vec<Token<'a>>,
    /// Invariant: a place in `tokens`.
    at: usize,
    depth: usize,
    messages: &'m mut Vec<Diagnostic>,
}

const SECTIONS: &[&str] = &["predefined", "exists", "forall", "require", "end"];

impl<'a> Parser<'a, '_> {
    // Words.

    fn token(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.token();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is(&self, text: &str) -> bool {
        let token = self.token();
        matches!(token.kind, Kind::Word | Kind::Symbol) && token.text == text
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        let token = self.token();
        let text: String = token.text.chars().take(40).collect();
        let found = match token.kind {
            Kind::End => "the end of the file".to_string(),
            Kind::Label => format!("`<{text}>`"),
            _ => format!("`{text}`"),
        };
        Box::new(Diagnostic::error(format!("expected {expected}, found {found}"), token.span))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.token().kind != Kind::Word {
            return Err(self.unexpected(what));
        }
        let token = self.next();
        Ok(Name { text: token.text.into(), span: token.span })
    }

    fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.eat(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    // Sections.

    fn file(&mut self, file: &mut File) -> Parsed<()> {
        self.expect("model")?;
        file.name = Some(self.name("the model's name")?);
        while !self.is("end") {
            let token = self.token();
            if token.kind == Kind::End || self.messages.len() >= super::MESSAGES {
                return Err(self.unexpected("`end model`"));
            }
            let section = SECTIONS.iter().find(|section| self.is(section));
            let Some(section) = section else {
                let error = self.unexpected("`predefined`, `exists`, `forall`, `require` or `end model`");
                self.messages.push(*error);
                while self.token().kind != Kind::End && !self.section_starts() {
                    self.next();
                }
                continue;
            };
            self.next();
            self.section(section, file);
        }
        self.next();
        self.expect("model")?;
        if self.token().kind != Kind::End { Err(self.unexpected("nothing after `end model`")) } else { Ok(()) }
    }

    /// Whether a section keyword starts here. A quantifier is the same word, but not the first of its line, or followed by
    /// more on it; sections are looked for only where a declaration or an axiom may start.
    fn section_starts(&self) -> bool {
        self.token().first && SECTIONS.iter().any(|section| self.is(section))
    }

    fn section(&mut self, section: &str, file: &mut File) {
        while self.token().kind != Kind::End && !SECTIONS.iter().any(|section| self.is(section)) {
            if self.messages.len() >= super::MESSAGES {
                return;
            }
            let start = self.at;
            let result = match section {
                "predefined" => self.declaration().map(|declaration| file.predefined.push(declaration)),
                "exists" => self.declaration().map(|declaration| file.exists.push(declaration)),
                "forall" => self.variables(&mut file.forall),
                _ => self.axiom().map(|axiom| file.axioms.push(axiom)),
            };
            if let Err(error) = result {
                self.messages.push(*error);
                self.depth = 0;
                self.at = self.at.max(start + 1).min(self.tokens.len() - 1);
                while !self.recovers(section == "require") {
                    self.next();
                }
            }
        }
    }

    /// Whether reading may go on here after an error.
    fn recovers(&self, axioms: bool) -> bool {
        let token = self.token();
        match token.kind {
            Kind::End | Kind::Label => true,
            _ if axioms => token.first && ["predefined", "require", "end"].contains(&token.text),
            _ => token.first,
        }
    }

    fn declaration(&mut self) -> Parsed<Declaration> {
        let sort = match self.token().text {
            "set" => Sort::Set,
            "predicate" => Sort::Predicate,
            "relation" => Sort::Relation,
            _ => return Err(self.unexpected("`set`, `predicate` or `relation`")),
        };
        self.next();
        let name = self.name("a name")?;
        let mut arguments = Vec::new();
        if sort != Sort::Set {
            self.expect("(")?;
            arguments = self.names("a set")?;
            self.expect(")")?;
        }
        Ok(Declaration { sort, name, arguments })
    }

    fn variables(&mut self, forall: &mut Vec<(Name, Name)>) -> Parsed<()> {
        let names = self.names("a variable")?;
        self.expect(":")?;
        let set = self.name("a set")?;
        forall.extend(names.into_iter().map(|name| (name, set.clone())));
        Ok(())
    }

    fn axiom(&mut self) -> Parsed<(Name, Syntax)> {
        let label = self.token();
        if label.kind != Kind::Label {
            return Err(self.unexpected("a label such as `<T1>`"));
        }
        self.next();
        Ok((Name { text: label.text.into(), span: label.span }, self.formula()?))
    }

    // Formulas.

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            return Err(Box::new(Diagnostic::error("this formula nests too deeply", self.token().span)));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn formula(&mut self) -> Parsed<Syntax> {
        let left = self.implication()?;
        if !self.eat("<=>") {
            return Ok(left);
        }
        let right = self.nested(Self::formula)?;
        Ok(Syntax::Equivalent(Box::new(left), Box::new(right)))
    }

    fn implication(&mut self) -> Parsed<Syntax> {
        let left = self.disjunction()?;
        if !self.eat("=>") {
            return Ok(left);
        }
        let right = self.nested(Self::implication)?;
        Ok(Syntax::Implies(Box::new(left), Box::new(right)))
    }

    fn disjunction(&mut self) -> Parsed<Syntax> {
        let mut parts = vec![self.conjunction()?];
        while self.eat("|") {
            parts.push(self.conjunction()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Syntax::Or(parts) })
    }

    fn conjunction(&mut self) -> Parsed<Syntax> {
        let mut parts = vec![self.simple()?];
        while self.eat("&") {
            parts.push(self.simple()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Syntax::And(parts) })
    }

    fn simple(&mut self) -> Parsed<Syntax> {
        if self.eat("~") {
            return Ok(Syntax::Not(Box::new(self.nested(Self::simple)?)));
        }
        if self.eat("(") {
            let inner = self.nested(Self::formula)?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.eat("true") {
            return Ok(Syntax::Constant(true));
        }
        if self.eat("false") {
            return Ok(Syntax::Constant(false));
        }
        if self.is("forall") || self.is("exists") {
            return self.nested(Self::quantified);
        }
        if SECTIONS.iter().any(|section| self.is(section)) {
            return Err(self.unexpected("a formula"));
        }
        let name = self.name("a formula")?;
        if self.eat("=") {
            return Ok(Syntax::Same(name, self.name("a variable")?));
        }
        if !self.eat("(") {
            return Err(self.unexpected("`(` or `=`"));
        }
        let arguments = self.names("a variable")?;
        self.expect(")")?;
        Ok(Syntax::Atom(name, arguments))
    }

    /// `forall X, Y : set . f`, or as the thesis's abstract syntax has it, `forall set X : f`.
    fn quantified(&mut self) -> Parsed<Syntax> {
        let universal = self.next().text == "forall";
        let first = self.name("a variable or a set")?;
        let (variables, set) = if self.is(":") || self.is(",") {
            let mut variables = vec![first];
            while self.eat(",") {
                variables.push(self.name("a variable")?);
            }
            self.expect(":")?;
            let set = self.name("a set")?;
            self.expect(".")?;
            (variables, set)
        } else {
            let variable = self.name("a variable")?;
            self.expect(":")?;
            (vec![variable], first)
        };
        let body = Box::new(self.formula()?);
        Ok(Syntax::Quantified { universal, variables, set, body })
    }
}
