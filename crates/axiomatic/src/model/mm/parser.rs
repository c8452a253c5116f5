//! From the words of a model to its declarations and axioms: recursive descent.
//!
//! After an error reading goes on at the next line (in `require`: at the next label), so that the first error does not hide
//! the second. A further kind of declaration is a case in [`Parser::section`], a further kind of formula one in
//! [`Parser::simple`], a further operator of sets and relations one in [`OPERATORS`] or [`POSTFIX`].
//!
//! Formulas and terms start alike: `(a | b) <= c` and `(p(X) | q(X))`. Where a formula may start, a term followed by `<=` is
//! tried first. No text is both, so a term that was read without success is soon a wrong formula too, and reading stays fast.

use program::{Diagnostic, FileId, Span};

use super::lexer::{Kind, Token, tokens};
use super::syntax::{
    Check, Comparison, Declaration, Definition, Existing, File, Function, Index, Labelled, Name, Operator, Postfix,
    Reference, Sort, Syntax, Term, TermNode,
};

/// How deep formulas may nest.
const DEPTH: usize = 64;

/// How many names and operators the terms of one model may have.
const OPERATIONS: usize = 4_000;

/// Reads a file. What is wrong is added to `messages`; the rest is what could be read.
pub(super) fn parse(file: FileId, text: &str, messages: &mut Vec<Diagnostic>) -> File {
    let tokens = tokens(file, text, messages);
    let mut parser = Parser { tokens, at: 0, depth: 0, operators: 0, messages };
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
    /// Names and operators of terms so far.
    operators: usize,
    messages: &'m mut Vec<Diagnostic>,
}

const SECTIONS: &[&str] = &["predefined", "define", "exists", "forall", "require", "show", "end"];

/// Operators of terms, from the loosest to the tightest; all group to the left. As in cat.
const OPERATORS: &[(&str, Operator)] = &[
    ("|", Operator::Union),
    (";", Operator::Sequence),
    ("\\", Operator::Difference),
    ("&", Operator::Intersection),
    ("*", Operator::Product),
];

const POSTFIX: &[(&str, Postfix)] =
    &[("^+", Postfix::Closure), ("^*", Postfix::ReflexiveClosure), ("^-1", Postfix::Inverse), ("?", Postfix::Optional)];

const CHECKS: &[(&str, Check)] = &[
    ("acyclic", Check::Acyclic),
    ("irreflexive", Check::Irreflexive),
    ("empty", Check::Empty),
    ("no", Check::Empty),
    ("some", Check::Some),
    ("one", Check::One),
    ("lone", Check::Lone),
];

/// What an action has, as formulas compare it.
const FUNCTIONS: &[(&str, Function)] = &[("V", Function::Value), ("l", Function::Location), ("m", Function::Monitor)];

const COMPARISONS: &[(&str, Comparison)] =
    &[("<=", Comparison::AtMost), (">=", Comparison::AtLeast), ("=", Comparison::Exactly)];

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

    /// From there to the last word that was read.
    fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
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
        file.name = Some(self.model_name()?);
        file.executions = self.eat("executions");
        while !self.is("end") {
            let token = self.token();
            if token.kind == Kind::End || self.messages.len() >= super::MESSAGES {
                return Err(self.unexpected("`end model`"));
            }
            let section = SECTIONS.iter().find(|section| self.is(section));
            let Some(section) = section else {
                let error =
                    self.unexpected("`predefined`, `define`, `exists`, `forall`, `require`, `show` or `end model`");
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

    /// Words joined by `-`.
    fn model_name(&mut self) -> Parsed<Name> {
        let first = self.name("the model's name")?;
        let mut words = vec![first.text.to_string()];
        while self.eat("-") {
            words.push(self.name("the rest of the model's name")?.text.to_string());
        }
        Ok(Name { text: words.join("-").into(), span: first.span })
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
                "define" => self.definition().map(|definition| file.define.push(definition)),
                "exists" => self.existing().map(|existing| file.exists.push(existing)),
                "forall" => self.variables(&mut file.forall),
                "show" => self.names("the name of a definition").map(|names| file.show.extend(names)),
                _ => self.axiom().map(|axiom| file.axioms.push(axiom)),
            };
            if let Err(error) = result {
                self.messages.push(*error);
                self.depth = 0;
                self.at = self.at.max(start + 1).min(self.tokens.len() - 1);
                while !self.recovers(section) {
                    self.next();
                }
            }
        }
    }

    /// Whether reading may go on here after an error.
    fn recovers(&self, section: &str) -> bool {
        let token = self.token();
        match (token.kind, section) {
            (Kind::End | Kind::Label, _) => true,
            (_, "require") => token.first && ["predefined", "define", "require", "show", "end"].contains(&token.text),
            (_, "define") => self.section_starts() || token.first && ["set", "relation"].contains(&token.text),
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
        let indices = self.index_names("`thread`, `location`, `execution` or `run`")?;
        let mut arguments = Vec::new();
        if sort != Sort::Set {
            self.expect("(")?;
            arguments = self.names("a set")?;
            self.expect(")")?;
        }
        Ok(Declaration { sort, name, indices, arguments })
    }

    fn definition(&mut self) -> Parsed<Definition> {
        let sort = match self.token().text {
            "set" => Sort::Set,
            "relation" => Sort::Relation,
            _ => return Err(self.unexpected("`set` or `relation`")),
        };
        self.next();
        let name = self.name("a name")?;
        let indices = self.index_names("an index variable")?;
        self.expect("=")?;
        Ok(Definition { sort, name, indices, term: self.term()? })
    }

    fn existing(&mut self) -> Parsed<Existing> {
        if !self.eat("order") {
            return self.declaration().map(Existing::Relation);
        }
        let name = self.name("a name")?;
        let indices = self.index_names("an index variable")?;
        self.expect("on")?;
        let on = self.term()?;
        let containing = if self.eat("containing") { Some(self.term()?) } else { None };
        Ok(Existing::Order { name, indices, on, containing })
    }

    fn index_names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        if !self.eat("[") {
            return Ok(Vec::new());
        }
        let names = self.names(what)?;
        self.expect("]")?;
        Ok(names)
    }

    fn variables(&mut self, forall: &mut Vec<(Name, Term)>) -> Parsed<()> {
        let names = self.names("a variable")?;
        self.expect(":")?;
        let set = self.set()?;
        forall.extend(names.into_iter().map(|name| (name, set.clone())));
        Ok(())
    }

    fn axiom(&mut self) -> Parsed<Labelled> {
        let label = self.token();
        if label.kind != Kind::Label {
            return Err(self.unexpected("a label such as `<T1>`"));
        }
        self.next();
        let first = self.token().span;
        let formula = self.formula()?;
        let statement = self.since(first);
        Ok(Labelled { label: Name { text: label.text.into(), span: label.span }, formula, statement })
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
        if self.eat("true") {
            return Ok(Syntax::Constant(true));
        }
        if self.eat("false") {
            return Ok(Syntax::Constant(false));
        }
        if self.is("forall") || self.is("exists") {
            return self.nested(Self::quantified);
        }
        if let Some((_, check)) = CHECKS.iter().find(|(word, _)| self.is(word)) {
            self.next();
            return Ok(Syntax::Check(*check, self.term()?));
        }
        if self.eat("#") {
            return self.count_of();
        }
        if let Some(function) = self.function() {
            return self.same_of(function);
        }
        let start = (self.at, self.operators);
        let tried = self.within();
        if let Ok(formula) = tried {
            return Ok(formula);
        }
        let tried_up_to = self.at;
        (self.at, self.operators) = start;
        match (self.bracket_or_atom(), tried) {
            (Err(_), Err(error)) if tried_up_to > self.at => {
                self.at = tried_up_to;
                Err(error)
            }
            (result, _) => result,
        }
    }

    /// `#r <= 2`, after its first word.
    fn count_of(&mut self) -> Parsed<Syntax> {
        let term = self.postfix()?;
        let Some((_, comparison)) = COMPARISONS.iter().find(|(symbol, _)| self.is(symbol)) else {
            return Err(self.unexpected("`<=`, `>=` or `=`"));
        };
        self.next();
        let span = self.token().span;
        match u32::try_from(self.number()?) {
            Ok(number) => Ok(Syntax::Count(term, *comparison, number)),
            Err(_) => Err(Box::new(Diagnostic::error("no relation has so many pairs", span))),
        }
    }

    fn number(&mut self) -> Parsed<i64> {
        let token = self.token();
        let digits = token.kind == Kind::Number || self.is("0") || self.is("1");
        match token.text.parse() {
            Ok(number) if digits => {
                self.next();
                Ok(number)
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    /// The function that a comparison begins with: `V(X) =`, `l[E](X) =`. A relation may have the same name.
    fn function(&self) -> Option<Function> {
        let (_, function) = FUNCTIONS.iter().find(|(name, _)| self.is(name))?;
        let mut rest = self.tokens[self.at + 1..].iter().map(|token| token.text).peekable();
        if rest.peek() == Some(&"[") {
            rest.by_ref().find(|text| *text == "]")?;
        }
        (rest.next() == Some("(") && rest.nth(1) == Some(")") && rest.next() == Some("=")).then_some(*function)
    }

    /// `V(X) = V(Y)` or `V(X) = 3`.
    fn same_of(&mut self, function: Function) -> Parsed<Syntax> {
        let (indices, left) = self.applied()?;
        self.expect("=")?;
        if function == Function::Value && (self.token().kind == Kind::Number || self.is("0") || self.is("1")) {
            return Ok(Syntax::HasValue(indices, left, self.number()?));
        }
        let wanted = FUNCTIONS.iter().find(|(_, other)| *other == function).map_or("V", |(name, _)| name);
        if !self.is(wanted) {
            return Err(self.unexpected(&format!("`{wanted}`")));
        }
        let span = self.token().span;
        let (others, right) = self.applied()?;
        if !indices.iter().map(Index::text).eq(others.iter().map(Index::text)) {
            return Err(Box::new(Diagnostic::error("both sides speak of one execution", span)));
        }
        Ok(Syntax::SameOf(function, indices, [left, right]))
    }

    /// A function of an action, from its name on.
    fn applied(&mut self) -> Parsed<(Vec<Index>, Name)> {
        self.next();
        let indices = self.indices()?;
        self.expect("(")?;
        let name = self.name("a variable")?;
        self.expect(")")?;
        Ok((indices, name))
    }

    fn within(&mut self) -> Parsed<Syntax> {
        let left = self.term()?;
        self.expect("<=")?;
        Ok(Syntax::Within(left, self.term()?))
    }

    fn bracket_or_atom(&mut self) -> Parsed<Syntax> {
        if self.eat("(") {
            let inner = self.nested(Self::formula)?;
            self.expect(")")?;
            return Ok(inner);
        }
        if SECTIONS.iter().any(|section| self.is(section)) {
            return Err(self.unexpected("a formula"));
        }
        let name = self.name("a formula")?;
        if self.eat("=") {
            return Ok(Syntax::Same(name, self.name("a variable")?));
        }
        let indices = self.indices()?;
        if !self.eat("(") {
            return Err(self.unexpected(if indices.is_empty() { "`(` or `=`" } else { "`(` or `<=`" }));
        }
        let arguments = self.names("a variable")?;
        self.expect(")")?;
        Ok(Syntax::Atom(Reference { name, indices }, arguments))
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
            let set = self.set()?;
            self.expect(".")?;
            (variables, set)
        } else {
            let variable = self.name("a variable")?;
            self.expect(":")?;
            let span = first.span;
            let set = TermNode::Symbol(Reference { name: first, indices: Vec::new() });
            (vec![variable], Term { node: set, span })
        };
        let body = Box::new(self.formula()?);
        Ok(Syntax::Quantified { universal, variables, set, body })
    }

    // Terms.

    /// The set of a quantifier.
    fn set(&mut self) -> Parsed<Term> {
        if self.token().kind != Kind::Word && !self.is("(") && !self.is("{") {
            return Err(self.unexpected("a set"));
        }
        self.term()
    }

    fn term(&mut self) -> Parsed<Term> {
        self.nested(|parser| parser.chain(OPERATORS))
    }

    /// Operands joined by the first of the operators, which are themselves joined by the others.
    fn chain(&mut self, operators: &[(&str, Operator)]) -> Parsed<Term> {
        let Some(((symbol, operator), tighter)) = operators.split_first() else { return self.postfix() };
        let first = self.chain(tighter)?;
        if !self.is(symbol) {
            return Ok(first);
        }
        let start = first.span;
        let mut parts = vec![first];
        while self.eat(symbol) {
            parts.push(self.chain(tighter)?);
        }
        let end = parts.last().map_or(start, |part| part.span);
        Ok(Term { node: TermNode::Chain(*operator, parts), span: start.to(end) })
    }

    fn postfix(&mut self) -> Parsed<Term> {
        let operand = self.primary()?;
        let start = operand.span;
        let mut end = start;
        let mut follow = Vec::new();
        while let Some((_, postfix)) = POSTFIX.iter().find(|(symbol, _)| self.is(symbol)) {
            self.count()?;
            end = self.next().span;
            follow.push(*postfix);
        }
        if follow.is_empty() {
            return Ok(operand);
        }
        Ok(Term { node: TermNode::Postfix(Box::new(operand), follow), span: start.to(end) })
    }

    fn primary(&mut self) -> Parsed<Term> {
        self.count()?;
        let start = self.token().span;
        let node = if self.eat("(") {
            let inner = self.term()?;
            self.expect(")")?;
            return Ok(inner);
        } else if self.eat("[") {
            let inner = Box::new(self.term()?);
            self.expect("]")?;
            TermNode::Identity(inner)
        } else if self.eat("0") {
            TermNode::Empty
        } else if self.eat("{") {
            self.comprehension()?
        } else if self.is("image") && self.tokens[self.at + 1].text == "(" {
            self.at += 2;
            let set = Box::new(self.term()?);
            self.expect(",")?;
            let relation = Box::new(self.term()?);
            self.expect(")")?;
            TermNode::Image(set, relation)
        } else if (self.is("domain") || self.is("range")) && self.tokens[self.at + 1].text == "(" {
            let domain = self.next().text == "domain";
            self.next();
            let inner = Box::new(self.term()?);
            self.expect(")")?;
            if domain { TermNode::Domain(inner) } else { TermNode::Range(inner) }
        } else {
            if self.reserved() {
                return Err(self.unexpected("a set or relation"));
            }
            let name = self.name("a set or relation")?;
            TermNode::Symbol(Reference { name, indices: self.indices()? })
        };
        let end = self.tokens[self.at.saturating_sub(1)].span;
        Ok(Term { node, span: start.to(end) })
    }

    /// `{X, Y : S | f}`, after its first bracket.
    fn comprehension(&mut self) -> Parsed<TermNode> {
        let mut variables = Vec::new();
        loop {
            let names = self.names("a variable")?;
            self.expect(":")?;
            // The bar ends the set: a union needs brackets here.
            let set = self.chain(&OPERATORS[1..])?;
            variables.extend(names.into_iter().map(|name| (name, set.clone())));
            if !self.eat(",") {
                break;
            }
        }
        self.expect("|")?;
        let body = Box::new(self.nested(Self::formula)?);
        self.expect("}")?;
        Ok(TermNode::Comprehension { variables, body })
    }

    /// Whether this word cannot be the name of a set or relation.
    fn reserved(&self) -> bool {
        ["true", "false"].iter().any(|word| self.is(word))
            || SECTIONS.iter().any(|word| self.is(word))
            || CHECKS.iter().any(|(word, _)| self.is(word))
    }

    fn indices(&mut self) -> Parsed<Vec<Index>> {
        let mut indices = Vec::new();
        if !self.eat("[") {
            return Ok(indices);
        }
        loop {
            indices.push(self.index()?);
            if !self.eat(",") {
                self.expect("]")?;
                return Ok(indices);
            }
        }
    }

    fn index(&mut self) -> Parsed<Index> {
        let span = self.token().span;
        if self.eat("0") {
            return Ok(Index::Zero(span));
        }
        let name = self.name("an index variable, `last`, `main` or `0`")?;
        if !self.eat("-") {
            return Ok(Index::Name(name));
        }
        let end = self.token().span;
        self.expect("1")?;
        Ok(Index::Before(Name { span: name.span.to(end), ..name }))
    }

    fn count(&mut self) -> Parsed<()> {
        self.operators += 1;
        if self.operators <= OPERATIONS {
            return Ok(());
        }
        Err(Box::new(Diagnostic::error("the terms up to this one are too large", self.token().span)))
    }
}
