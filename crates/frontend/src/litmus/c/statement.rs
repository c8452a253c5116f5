//! Parsing of functions and statements.

use std::collections::HashSet;

use program::{Diagnostic, Span, Unsupported};

use super::expression;
use super::parser::Parser;
use super::syntax::{Calls, DEEPEST, Declarator, Expression, Function, Parameter, Statement, StatementKind};
use crate::litmus::lexer::{Kind, Tokens, thread_number};
use crate::litmus::messages::Messages;
use crate::litmus::types;

/// Reads `P0 (int* x) { ... }`, or `Thread0 { ... }` in Java. Errors in statements go to `messages`.
pub fn function(calls: Calls, tokens: &mut Tokens<'_>, messages: &mut Messages) -> Result<Function, Diagnostic> {
    let start = tokens.here();
    let (number, parameters) = match calls {
        Calls::Atomics => signature(tokens)?,
        Calls::Handles => (thread_of_java(tokens)?, Vec::new()),
    };
    let span = tokens.since(start);
    let mut parser = Parser { tokens, assigned: HashSet::new(), messages };
    let body = parser.block(0)?;
    let assigned = parser.assigned;
    Ok(Function { calls, number, parameters, body, assigned, span })
}

/// Reads `P0 (int* x)`.
fn signature(tokens: &mut Tokens<'_>) -> Result<(u32, Vec<Parameter>), Diagnostic> {
    while tokens.accept("static") || tokens.accept("void") {}
    let word = tokens.text(tokens.peek());
    let Some(number) = thread_number(word) else {
        return Err(tokens.unexpected("a thread `P0 (...) { ... }` or a condition"));
    };
    tokens.next();
    Ok((number, parameters(tokens)?))
}

/// Reads `Thread0`.
fn thread_of_java(tokens: &mut Tokens<'_>) -> Result<u32, Diagnostic> {
    let digits = tokens.text(tokens.peek()).strip_prefix("Thread").filter(|digits| digits.len() <= 6);
    let number = digits.and_then(|digits| digits.parse().ok());
    let number = number.ok_or_else(|| tokens.unexpected("a thread `Thread0 { ... }` or a condition"))?;
    tokens.next();
    Ok(number)
}

fn parameters(tokens: &mut Tokens<'_>) -> Result<Vec<Parameter>, Diagnostic> {
    tokens.expect("(")?;
    let mut parameters = Vec::new();
    if tokens.is("void") && tokens.is_at(1, ")") {
        tokens.next();
    }
    while !tokens.accept(")") {
        let mut declared = types::parse(tokens)?;
        let (name, span) = tokens.word("the name of a parameter")?;
        if tokens.accept("[") {
            if tokens.peek().kind == Kind::Number {
                tokens.next();
            }
            tokens.expect("]")?;
            declared = declared.pointer();
        }
        if !declared.is_pointer() {
            let error = Diagnostic::error(format!("the parameter `{name}` is not a pointer"), span);
            return Err(error.note("a parameter points to the location of its name"));
        }
        parameters.push(Parameter { name: name.to_string(), declared, span });
        if !tokens.is(")") {
            tokens.expect(",")?;
        }
    }
    Ok(parameters)
}

impl Parser<'_, '_> {
    /// Reads `{ ... }`. A statement that cannot be read is reported and skipped.
    fn block(&mut self, depth: usize) -> Result<Vec<Statement>, Diagnostic> {
        let open = self.tokens.expect("{")?;
        let mut statements = Vec::new();
        while !self.tokens.accept("}") {
            if self.tokens.at_end() || self.messages.enough() {
                return Err(Diagnostic::error("this block is not closed by `}`", open));
            }
            if self.tokens.peek().kind == Kind::Unclosed {
                return Err(self.tokens.unexpected("a statement"));
            }
            if self.tokens.accept(";") {
                continue;
            }
            match self.statement(depth + 1) {
                Ok(statement) => statements.push(statement),
                Err(error) => {
                    self.messages.push(error);
                    self.skip_statement();
                }
            }
        }
        Ok(statements)
    }

    /// Skips to behind the next `;`, or to before the next brace.
    fn skip_statement(&mut self) {
        loop {
            if self.tokens.at_end() || self.tokens.is("}") {
                return;
            }
            if self.tokens.is("{") {
                self.skip_braces();
                return;
            }
            if self.tokens.accept(";") {
                return;
            }
            self.tokens.next();
        }
    }

    fn skip_braces(&mut self) {
        let mut depth = 0usize;
        while !self.tokens.at_end() {
            match self.tokens.text(self.tokens.peek()) {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            self.tokens.next();
            if depth == 0 {
                return;
            }
        }
    }

    fn statement(&mut self, depth: usize) -> Result<Statement, Diagnostic> {
        let start = self.tokens.here();
        if depth > DEEPEST {
            return Err(Diagnostic::error("the statements are nested too deeply", start));
        }
        let word = self.tokens.text(self.tokens.peek());
        let labelled = self.tokens.peek().kind == Kind::Word && self.tokens.is_at(1, ":");
        if labelled || ["goto", "switch", "case", "default", "asm", "__asm__"].contains(&word) {
            let what = if labelled { "a label".to_string() } else { format!("`{word}`") };
            return Err(Unsupported::new(what, Some(start)).into());
        }
        match word {
            "{" => {
                let statements = self.block(depth)?;
                let span = self.tokens.since(start);
                Ok(Statement { kind: StatementKind::Block(statements), span })
            }
            "if" => self.if_statement(start, depth),
            "while" => {
                self.tokens.next();
                let condition = self.condition()?;
                let span = self.tokens.since(start);
                let body = Box::new(self.statement(depth + 1)?);
                Ok(Statement { kind: StatementKind::While(condition, body), span })
            }
            "do" => self.do_while(depth),
            "for" => self.for_statement(start, depth),
            _ => self.simple_statement(start),
        }
    }

    /// Reads a statement that ends with `;`.
    fn simple_statement(&mut self, start: Span) -> Result<Statement, Diagnostic> {
        let kind = if self.tokens.accept("break") {
            StatementKind::Break
        } else if self.tokens.accept("continue") {
            StatementKind::Continue
        } else if self.tokens.accept("return") {
            let value = if self.tokens.is(";") { None } else { Some(self.expression()?) };
            StatementKind::Return(value)
        } else {
            self.declaration_or_expression()?
        };
        let span = self.tokens.since(start);
        self.tokens.expect(";")?;
        Ok(Statement { kind, span })
    }

    fn declaration_or_expression(&mut self) -> Result<StatementKind, Diagnostic> {
        if self.tokens.is(";") {
            return Ok(StatementKind::Evaluate(None));
        }
        if !types::is_type_word(self.tokens.text(self.tokens.peek())) {
            return Ok(StatementKind::Evaluate(Some(self.expression()?)));
        }
        let scalar = types::scalar(self.tokens)?;
        let mut declarators = Vec::new();
        loop {
            let declared = types::stars(self.tokens, scalar)?;
            let (name, span) = self.tokens.word("the name of a variable")?;
            if self.tokens.is("[") {
                return Err(Unsupported::new("a local array", Some(span)).into());
            }
            if declared.width == 0 && !declared.is_pointer() {
                return Err(Diagnostic::error(format!("the variable `{name}` has no type"), span));
            }
            let value = if self.tokens.accept("=") { Some(expression::assignment(self)?) } else { None };
            declarators.push(Declarator { name: name.to_string(), declared, value, span });
            if !self.tokens.accept(",") {
                return Ok(StatementKind::Declare(declarators));
            }
        }
    }

    fn if_statement(&mut self, start: Span, depth: usize) -> Result<Statement, Diagnostic> {
        self.tokens.next();
        let condition = self.condition()?;
        let span = self.tokens.since(start);
        let then = Box::new(self.statement(depth + 1)?);
        let otherwise = if self.tokens.accept("else") { Some(Box::new(self.statement(depth + 1)?)) } else { None };
        Ok(Statement { kind: StatementKind::If(condition, then, otherwise), span })
    }

    fn do_while(&mut self, depth: usize) -> Result<Statement, Diagnostic> {
        self.tokens.next();
        let body = Box::new(self.statement(depth + 1)?);
        let start = self.tokens.expect("while")?;
        let condition = self.condition()?;
        let span = self.tokens.since(start);
        self.tokens.expect(";")?;
        Ok(Statement { kind: StatementKind::DoWhile(body, condition), span })
    }

    fn for_statement(&mut self, start: Span, depth: usize) -> Result<Statement, Diagnostic> {
        self.tokens.next();
        self.tokens.expect("(")?;
        let first_start = self.tokens.here();
        let first = self.declaration_or_expression()?;
        let first = Box::new(Statement { kind: first, span: self.tokens.since(first_start) });
        self.tokens.expect(";")?;
        let condition = if self.tokens.is(";") { None } else { Some(self.expression()?) };
        self.tokens.expect(";")?;
        let step = if self.tokens.is(")") { None } else { Some(self.expression()?) };
        self.tokens.expect(")")?;
        let span = self.tokens.since(start);
        let body = Box::new(self.statement(depth + 1)?);
        Ok(Statement { kind: StatementKind::For(first, condition, step, body), span })
    }

    fn condition(&mut self) -> Result<Expression, Diagnostic> {
        self.tokens.expect("(")?;
        let condition = self.expression()?;
        self.tokens.expect(")")?;
        Ok(condition)
    }

    fn expression(&mut self) -> Result<Expression, Diagnostic> {
        expression::expression(self)
    }
}
