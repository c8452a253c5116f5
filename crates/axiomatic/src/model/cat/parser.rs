//! From the words of a cat file to its statements: recursive descent.
//!
//! A statement with an error is reported and skipped up to the next line that starts one, so that the first error does
//! not hide the second.

use std::sync::Arc;

use program::{Diagnostic, FileId, Span, Unsupported};

use super::lexer::{Kind, Token, tokens};
use super::syntax::*;

/// How deep brackets may nest.
const DEPTH: usize = 64;

/// Reads a file. What is wrong is added to `messages`; the statements are then those that could be read.
pub(super) fn parse(file: FileId, text: &str, messages: &mut Vec<Diagnostic>) -> Vec<Statement> {
    let tokens = tokens(file, text, messages);
    let mut parser = Parser { tokens, at: 0, depth: 0, bound: Vec::new(), messages };
    parser.title();
    parser.statements(&[])
}

mod elements;

type Parsed<T> = Result<T, Box<Diagnostic>>;

struct Parser<'a, 'm> {
    /// Invariant: ends with the only [`Kind::End`].
    tokens: Vec<Token<'a>>,
    /// Invariant: a place in `tokens`.
    at: usize,
    depth: usize,
    /// Names that the statement being read has bound so far.
    bound: Vec<Name>,
    messages: &'m mut Vec<Diagnostic>,
}

/// Words that start a statement; `~` may as well.
const STARTS: &[&str] = &[
    "let",
    "acyclic",
    "irreflexive",
    "empty",
    "flag",
    "undefined_unless",
    "show",
    "unshow",
    "include",
    "procedure",
    "call",
    "with",
    "if",
    "forall",
    "enum",
    "match",
    "debug",
    "assert",
    "instructions",
    "default",
    "yield",
    "compat",
];

const CHECKS: &[&str] = &["acyclic", "irreflexive", "empty"];

/// Infix operators from the loosest to the tightest.
const LEVELS: &[(&str, Infix)] = &[
    ("|", Infix::Union),
    ("++", Infix::Add),
    (";", Infix::Sequence),
    ("\\", Infix::Difference),
    ("&", Infix::Intersection),
    ("*", Infix::Product),
];

impl<'a> Parser<'a, '_> {
    // Words.

    fn token(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    fn ahead(&self, by: usize) -> Token<'a> {
        self.tokens[(self.at + by).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.token();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Whether the next word is this keyword or symbol.
    fn is(&self, text: &str) -> bool {
        is(self.token(), text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Parsed<Token<'a>> {
        if self.is(text) { Ok(self.next()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        let token = self.token();
        let found = match token.kind {
            Kind::End => "the end of the file".to_string(),
            Kind::String => format!("\"{}\"", short(token.text)),
            Kind::Tag => format!("`'{}`", short(token.text)),
            _ => format!("`{}`", short(token.text)),
        };
        Box::new(Diagnostic::error(format!("expected {expected}, found {found}"), token.span))
    }

    fn unsupported(&self, what: &str) -> Box<Diagnostic> {
        Box::new(Unsupported::new(what, Some(self.token().span)).into())
    }

    /// From `start` to the last word read.
    fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    fn name(&mut self) -> Parsed<Name> {
        if self.token().kind != Kind::Name {
            return Err(self.unexpected("a name"));
        }
        let token = self.next();
        Ok(Name { text: token.text.into(), span: token.span })
    }

    // Statements.

    /// The model's title: one or two words, which mean nothing to us.
    fn title(&mut self) {
        for _ in 0..2 {
            if matches!(self.token().kind, Kind::Name | Kind::String) {
                self.next();
            }
        }
    }

    /// Statements up to one of the words in `ends` or the end of the file.
    fn statements(&mut self, ends: &[&str]) -> Vec<Statement> {
        let mut statements = Vec::new();
        while self.token().kind != Kind::End && !ends.iter().any(|end| self.is(end)) {
            if self.messages.len() >= super::MESSAGES {
                self.at = self.tokens.len() - 1;
                break;
            }
            let start = self.at;
            self.bound.clear();
            let depth = self.depth;
            match self.statement(&mut statements) {
                Ok(()) => {}
                Err(error) => {
                    self.messages.push(*error);
                    self.depth = depth;
                    self.at = self.at.max(start + 1).min(self.tokens.len() - 1);
                    self.skip();
                    statements.push(Statement::Broken(std::mem::take(&mut self.bound)));
                }
            }
        }
        statements
    }

    /// Goes on to the next line that starts a statement.
    fn skip(&mut self) {
        while self.token().kind != Kind::End {
            let token = self.token();
            let starts = STARTS.iter().any(|start| is(token, start));
            if token.first && (starts || is(token, "end") || self.negated_check()) {
                break;
            }
            self.next();
        }
    }

    fn negated_check(&self) -> bool {
        self.is("~") && CHECKS.iter().any(|check| is(self.ahead(1), check))
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            return Err(Box::new(Diagnostic::error("this nests too deeply", self.token().span)));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn statement(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        let token = self.token();
        if token.kind == Kind::Symbol && self.negated_check() {
            statements.push(Statement::Check(self.check()?));
            return Ok(());
        }
        if token.kind != Kind::Keyword {
            return Err(self.unexpected("a statement (`let`, `acyclic`, `include`, ..)"));
        }
        let statement = match token.text {
            "let" => {
                self.next();
                let recursive = self.eat("rec");
                let bindings = self.bindings()?;
                if self.is("when") {
                    return Err(self.unsupported("`when`"));
                }
                self.eat("in");
                Statement::Let { bindings, recursive }
            }
            "acyclic" | "irreflexive" | "empty" | "flag" | "undefined_unless" => Statement::Check(self.check()?),
            "show" => self.show()?,
            "unshow" => {
                self.next();
                let mut names = vec![self.name()?];
                while self.eat(",") {
                    names.push(self.name()?);
                }
                Statement::Unshow(names)
            }
            "include" => {
                self.next();
                let file = self.token();
                if file.kind != Kind::String {
                    return Err(self.unexpected("a file name in quotes"));
                }
                self.next();
                Statement::Include { file: file.text.into(), span: file.span }
            }
            "procedure" => self.nested(Self::procedure)?,
            "call" => {
                self.next();
                let procedure = self.name()?;
                let argument = self.simple()?;
                Statement::Call { procedure, argument, name: self.alias()? }
            }
            "with" => {
                self.next();
                let name = self.name()?;
                self.bound.push(name.clone());
                self.expect("from")?;
                Statement::With { name, from: self.expr()? }
            }
            "if" => return self.nested(|parser| parser.choice(statements)),
            "enum" => self.enumeration()?,
            "forall" => self.nested(Self::for_all)?,
            "debug" => {
                self.next();
                self.expr()?;
                return Ok(());
            }
            "instructions" => self.instructions()?,
            "default" => return Err(self.unsupported("`default`: what stands without a tag has none here, and this")),
            _ => return Err(self.unsupported(&format!("`{}`", token.text))),
        };
        statements.push(statement);
        Ok(())
    }

    /// `if "variant" .. else .. end`: of the two only the one that holds is kept. No variant is ever on.
    fn choice(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        self.next();
        let holds = self.condition()?;
        self.eat("then");
        let yes = self.alternative(&["else", "end"], holds);
        let no = if self.eat("else") { self.alternative(&["end"], !holds) } else { Vec::new() };
        self.expect("end")?;
        statements.extend(if holds { yes } else { no });
        Ok(())
    }

    /// Statements of one side of a choice. What is not supported may stand where it is not taken.
    fn alternative(&mut self, ends: &[&str], taken: bool) -> Vec<Statement> {
        let before = self.messages.len();
        let statements = self.statements(ends);
        if !taken {
            let of_side = self.messages.split_off(before);
            self.messages.extend(of_side.into_iter().filter(|message| !message.is_unsupported));
        }
        statements
    }

    /// A condition on herd's variants: `"name"`, `variant "name"`, `not c`, `~ c`, `c && c`, `c || c`, or with `&` and `|`; `&&`
    /// binds tighter. All variants are off.
    fn condition(&mut self) -> Parsed<bool> {
        let mut holds = self.conjunction()?;
        while self.eat("||") || self.eat("|") {
            holds |= self.conjunction()?;
        }
        Ok(holds)
    }

    fn conjunction(&mut self) -> Parsed<bool> {
        let mut holds = self.variant()?;
        while self.eat("&&") || self.eat("&") {
            holds &= self.variant()?;
        }
        Ok(holds)
    }

    fn variant(&mut self) -> Parsed<bool> {
        if !self.is_about_variants() {
            return Err(self.unsupported("a condition on sets or relations"));
        }
        let token = self.next();
        if token.kind == Kind::String {
            Ok(false)
        } else if token.text == "(" {
            let holds = self.nested(Self::condition)?;
            self.expect(")")?;
            Ok(holds)
        } else if token.text == "variant" {
            self.nested(Self::variant)
        } else {
            Ok(!self.nested(Self::variant)?)
        }
    }

    /// Whether the first operand of what comes is a variant.
    fn is_about_variants(&self) -> bool {
        let is_before = |token: Token<'_>| {
            is(token, "(") || is(token, "~") || token.kind == Kind::Name && ["not", "variant"].contains(&token.text)
        };
        let first = self.tokens[self.at..].iter().find(|token| !is_before(**token));
        first.is_some_and(|token| token.kind == Kind::String)
    }

    fn procedure(&mut self) -> Parsed<Statement> {
        self.next();
        let recursive = self.eat("rec");
        let name = self.name()?;
        let parameters = self.parameter()?;
        self.expect("=")?;
        let body = self.statements(&["end"]);
        self.bound = vec![name.clone()];
        self.expect("end")?;
        Ok(Statement::Procedure { name, parameters, body: body.into(), recursive })
    }

    fn check(&mut self) -> Parsed<Check> {
        let start = self.token().span;
        let purpose = match self.token().text {
            "flag" => Purpose::Flag,
            "undefined_unless" => Purpose::UndefinedUnless,
            _ => Purpose::Require,
        };
        if purpose != Purpose::Require {
            self.next();
        }
        let negated = self.eat("~");
        let property = match self.token().text {
            "acyclic" => Property::Acyclic,
            "irreflexive" => Property::Irreflexive,
            "empty" => Property::Empty,
            _ => return Err(self.unexpected("`acyclic`, `irreflexive` or `empty`")),
        };
        self.next();
        let expr = self.expr()?;
        let name = self.alias()?;
        Ok(Check { purpose, negated, property, expr, name, span: self.since(start) })
    }

    /// `as name`, if there.
    fn alias(&mut self) -> Parsed<Option<Name>> {
        if self.eat("as") { self.name().map(Some) } else { Ok(None) }
    }

    fn show(&mut self) -> Parsed<Statement> {
        self.next();
        let expr = self.level(0)?;
        if self.eat("as") {
            return Ok(Statement::Show(vec![(expr, self.name()?)]));
        }
        let ExprKind::Name(text) = &expr.kind else { return Err(self.unexpected("`as` and a name to show it under")) };
        let name = Name { text: text.clone(), span: expr.span };
        let mut shown = vec![(expr, name)];
        while self.eat(",") {
            let name = self.name()?;
            shown.push((Expr { kind: ExprKind::Name(name.text.clone()), span: name.span }, name));
        }
        Ok(Statement::Show(shown))
    }

    // Bindings.

    fn bindings(&mut self) -> Parsed<Vec<Binding>> {
        let mut bindings = vec![self.binding()?];
        while self.eat("and") {
            bindings.push(self.binding()?);
        }
        Ok(bindings)
    }

    fn binding(&mut self) -> Parsed<Binding> {
        let mut pattern = if self.is("(") { self.parameter()? } else { Pattern::One(self.formal()?) };
        let mut parameters = Vec::new();
        if self.is(",") {
            let mut names = match pattern {
                Pattern::One(name) => vec![name],
                Pattern::Tuple(names) => names,
            };
            while self.eat(",") {
                names.push(self.formal()?);
            }
            pattern = Pattern::Tuple(names);
        } else if let Pattern::One(Some(_)) = pattern {
            while !self.is("=") {
                parameters.push(self.parameter()?);
            }
        }
        self.bound.extend(pattern.names().cloned());
        self.expect("=")?;
        let value = Arc::new(self.expr()?);
        Ok(Binding { pattern, parameters, value })
    }

    /// `x`, `_`, `(x, y)`, `()`.
    fn parameter(&mut self) -> Parsed<Pattern> {
        if !self.eat("(") {
            return self.formal().map(Pattern::One);
        }
        let mut names = Vec::new();
        if !self.is(")") {
            names.push(self.formal()?);
            while self.eat(",") {
                names.push(self.formal()?);
            }
        }
        self.expect(")")?;
        Ok(if names.len() == 1 { Pattern::One(names.remove(0)) } else { Pattern::Tuple(names) })
    }

    fn formal(&mut self) -> Parsed<Option<Name>> {
        if self.eat("_") { Ok(None) } else { self.name().map(Some) }
    }

    // Expressions.

    fn expr(&mut self) -> Parsed<Expr> {
        self.nested(Self::expr_here)
    }

    fn expr_here(&mut self) -> Parsed<Expr> {
        let start = self.token().span;
        let kind = match self.token() {
            token if is(token, "let") => {
                self.next();
                let recursive = self.eat("rec");
                let outer = self.bound.len();
                let bindings = self.bindings()?;
                self.bound.truncate(outer);
                self.expect("in")?;
                ExprKind::Let { bindings, recursive, body: Box::new(self.expr()?) }
            }
            token if is(token, "fun") => {
                self.next();
                let parameter = self.parameter()?;
                self.expect("->")?;
                ExprKind::Function(parameter, Arc::new(self.expr()?))
            }
            token if is(token, "try") => {
                self.next();
                let attempt = self.expr()?;
                self.expect("with")?;
                ExprKind::Try(Box::new(attempt), Box::new(self.expr()?))
            }
            token if is(token, "if") => {
                self.next();
                if !self.is_about_variants() {
                    let kind = self.conditional()?;
                    return Ok(Expr { kind, span: self.since(start) });
                }
                let holds = self.condition()?;
                self.expect("then")?;
                let yes = self.expr()?;
                self.expect("else")?;
                let no = self.expr()?;
                return Ok(if holds { yes } else { no });
            }
            token if is(token, "match") => self.cases()?,
            _ => {
                let one = self.level(0)?;
                if !self.is(",") {
                    return Ok(one);
                }
                let mut members = vec![one];
                while self.eat(",") {
                    members.push(self.level(0)?);
                }
                ExprKind::Tuple(members)
            }
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// Infix operators of this level and tighter.
    fn level(&mut self, level: usize) -> Parsed<Expr> {
        let Some(&(symbol, operator)) = LEVELS.get(level) else { return self.prefix() };
        let first = self.level(level + 1)?;
        if !self.is(symbol) {
            return Ok(first);
        }
        let start = first.span;
        let mut operands = vec![first];
        while self.eat(symbol) {
            operands.push(self.level(level + 1)?);
        }
        Ok(Expr { kind: ExprKind::Infix(operator, operands), span: self.since(start) })
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let start = self.token().span;
        if !self.eat("~") {
            return self.postfix();
        }
        let operand = self.nested(Self::prefix)?;
        Ok(Expr { kind: ExprKind::Complement(Box::new(operand)), span: self.since(start) })
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let operand = self.application()?;
        let start = operand.span;
        let mut operators = Vec::new();
        loop {
            let hat = self.eat("^");
            if hat && self.eat("-1") {
                operators.push(Postfix::Inverse);
            } else if self.is("+") {
                self.next();
                operators.push(Postfix::Closure);
            } else if self.is("?") {
                self.next();
                operators.push(Postfix::Optional);
            } else if self.is("*") && (hat || !self.operand_follows()) {
                self.next();
                operators.push(Postfix::ReflexiveClosure);
            } else if hat {
                return Err(self.unexpected("`+`, `*` or `-1` after `^`"));
            } else {
                break;
            }
        }
        if operators.is_empty() {
            return Ok(operand);
        }
        Ok(Expr { kind: ExprKind::Postfix(Box::new(operand), operators), span: self.since(start) })
    }

    /// Whether what follows the next word is an operand: then a star is a product, else a closure.
    fn operand_follows(&self) -> bool {
        let after = self.ahead(1);
        if is(after, "~") {
            return !CHECKS.iter().any(|check| is(self.ahead(2), check));
        }
        starts_simple(after)
    }

    /// `f x (y, z)`: only a name can be applied.
    fn application(&mut self) -> Parsed<Expr> {
        let function = self.simple()?;
        if !matches!(function.kind, ExprKind::Name(_)) || !starts_simple(self.token()) {
            return Ok(function);
        }
        let start = function.span;
        let mut arguments = Vec::new();
        while starts_simple(self.token()) {
            arguments.push(self.simple()?);
        }
        Ok(Expr { kind: ExprKind::Apply(Box::new(function), arguments), span: self.since(start) })
    }

    fn simple(&mut self) -> Parsed<Expr> {
        let token = self.token();
        let start = token.span;
        let kind = match (token.kind, token.text) {
            (Kind::Name, text) => {
                self.next();
                ExprKind::Name(text.into())
            }
            (Kind::Tag, text) => {
                self.next();
                ExprKind::Tag(text.into())
            }
            (Kind::Symbol, "0") => {
                self.next();
                ExprKind::Empty
            }
            (Kind::Symbol, "_") => {
                self.next();
                ExprKind::Events
            }
            (Kind::Symbol, "{") => {
                self.next();
                self.elements()?
            }
            (Kind::Symbol, "[") => {
                self.next();
                let set = self.expr()?;
                self.expect("]")?;
                ExprKind::Identity(Box::new(set))
            }
            (Kind::Symbol, "(") => {
                self.next();
                if self.eat(")") {
                    ExprKind::Tuple(Vec::new())
                } else {
                    let inner = self.expr()?;
                    self.expect(")")?;
                    inner.kind
                }
            }
            (Kind::Keyword, "begin") => {
                self.next();
                let inner = self.expr()?;
                self.expect("end")?;
                inner.kind
            }
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Expr { kind, span: self.since(start) })
    }
}

/// Whether the word is this keyword or symbol.
fn is(token: Token<'_>, text: &str) -> bool {
    matches!(token.kind, Kind::Keyword | Kind::Symbol) && token.text == text
}

/// Whether an operand without operators starts with this word.
fn starts_simple(token: Token<'_>) -> bool {
    match token.kind {
        Kind::Name | Kind::Tag => true,
        Kind::Symbol => ["0", "_", "{", "[", "("].contains(&token.text),
        Kind::Keyword => token.text == "begin",
        _ => false,
    }
}

/// The start of a text, for messages.
fn short(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_string(),
    }
}
