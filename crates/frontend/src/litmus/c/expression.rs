//! Parsing of expressions, by precedence.

use program::{Diagnostic, Span};

use super::parser::Parser;
use super::syntax::{DEEPEST, Expression, ExpressionKind};
use crate::litmus::lexer::{self, Kind};
use crate::litmus::types::{self, INT, Type};

/// Binary operators with their precedence; higher binds tighter.
const BINARY: &[(&str, u8)] = &[
    ("||", 1),
    ("&&", 2),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("==", 6),
    ("!=", 6),
    ("<", 7),
    ("<=", 7),
    (">", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

/// Assignments, with the operator that each applies first.
const ASSIGNMENTS: &[(&str, Option<&str>)] = &[
    ("=", None),
    ("+=", Some("+")),
    ("-=", Some("-")),
    ("*=", Some("*")),
    ("/=", Some("/")),
    ("%=", Some("%")),
    ("&=", Some("&")),
    ("|=", Some("|")),
    ("^=", Some("^")),
    ("<<=", Some("<<")),
    (">>=", Some(">>")),
];

type Parsed = Result<Expression, Diagnostic>;

/// Reads an expression.
pub fn expression(parser: &mut Parser<'_, '_>) -> Parsed {
    Climber { parser, depth: 0 }.sequence()
}

/// Reads an expression without a comma outside of parentheses.
pub fn assignment(parser: &mut Parser<'_, '_>) -> Parsed {
    Climber { parser, depth: 0 }.assignment()
}

struct Climber<'c, 'p, 'a> {
    parser: &'c mut Parser<'p, 'a>,
    /// Number of parentheses and prefixes around the next token.
    depth: usize,
}

impl Climber<'_, '_, '_> {
    fn sequence(&mut self) -> Parsed {
        let mut left = self.assignment()?;
        while self.parser.tokens.accept(",") {
            let right = self.assignment()?;
            let (span, depth) = around(&left, &right)?;
            left = Expression { kind: ExpressionKind::Sequence(Box::new(left), Box::new(right)), span, depth };
        }
        Ok(left)
    }

    fn assignment(&mut self) -> Parsed {
        let target = self.conditional()?;
        let symbol = self.parser.tokens.text(self.parser.tokens.peek());
        let Some((_, operator)) = ASSIGNMENTS.iter().find(|(assignment, _)| *assignment == symbol) else {
            return Ok(target);
        };
        self.parser.tokens.next();
        self.note_assigned(&target);
        let value = self.nested(Self::assignment)?;
        let (span, depth) = around(&target, &value)?;
        Ok(Expression { kind: ExpressionKind::Assign(*operator, Box::new(target), Box::new(value)), span, depth })
    }

    fn conditional(&mut self) -> Parsed {
        let condition = self.binary(1)?;
        if !self.parser.tokens.accept("?") {
            return Ok(condition);
        }
        let then = self.nested(Self::sequence)?;
        self.parser.tokens.expect(":")?;
        let otherwise = self.nested(Self::conditional)?;
        let (_, inner) = around(&condition, &then)?;
        let (span, depth) = around(&condition, &otherwise)?;
        let kind = ExpressionKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
        Ok(Expression { kind, span, depth: depth.max(inner) })
    }

    /// Reads operators of at least the precedence `least`.
    fn binary(&mut self, least: u8) -> Parsed {
        let mut left = self.unary()?;
        loop {
            let symbol = self.parser.tokens.text(self.parser.tokens.peek());
            let known = BINARY.iter().find(|(operator, precedence)| *operator == symbol && *precedence >= least);
            let Some(&(operator, precedence)) = known else { return Ok(left) };
            self.parser.tokens.next();
            let right = self.binary(precedence + 1)?;
            let (span, depth) = around(&left, &right)?;
            let (left_box, right_box) = (Box::new(left), Box::new(right));
            let kind = match operator {
                "&&" | "||" => ExpressionKind::Logical(operator, left_box, right_box),
                _ => ExpressionKind::Binary(operator, left_box, right_box),
            };
            left = Expression { kind, span, depth };
        }
    }

    fn unary(&mut self) -> Parsed {
        let start = self.parser.tokens.here();
        for operator in ["-", "~", "!", "+"] {
            if self.parser.tokens.accept(operator) {
                let inner = self.nested(Self::unary)?;
                return self.wrap(start, inner, |inner| ExpressionKind::Unary(operator, inner));
            }
        }
        if self.parser.tokens.accept("*") {
            let inner = self.nested(Self::unary)?;
            return self.wrap(start, inner, ExpressionKind::Dereference);
        }
        if self.parser.tokens.accept("&") {
            let inner = self.nested(Self::unary)?;
            self.note_assigned(&inner);
            return self.wrap(start, inner, ExpressionKind::Address);
        }
        for (operator, up) in [("++", true), ("--", false)] {
            if self.parser.tokens.accept(operator) {
                let inner = self.nested(Self::unary)?;
                self.note_assigned(&inner);
                return self.wrap(start, inner, |target| ExpressionKind::Step { target, up, old: false });
            }
        }
        let next = self.parser.tokens.peek_at(1);
        if self.parser.tokens.is("(") && types::is_type_word(self.parser.tokens.text(next)) {
            self.parser.tokens.next();
            let cast = types::parse(self.parser.tokens)?;
            self.parser.tokens.expect(")")?;
            let inner = self.nested(Self::unary)?;
            return self.wrap(start, inner, |inner| ExpressionKind::Cast(cast, inner));
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Parsed {
        let start = self.parser.tokens.here();
        let mut left = self.primary()?;
        loop {
            if self.parser.tokens.accept("[") {
                let index = self.nested(Self::sequence)?;
                self.parser.tokens.expect("]")?;
                let (_, depth) = around(&left, &index)?;
                let span = self.parser.tokens.since(start);
                left = Expression { kind: ExpressionKind::Index(Box::new(left), Box::new(index)), span, depth };
                continue;
            }
            if let ExpressionKind::Name(receiver) = &left.kind
                && self.parser.tokens.is(".")
            {
                left = self.method(receiver.clone(), start)?;
                continue;
            }
            let up = self.parser.tokens.is("++");
            if !up && !self.parser.tokens.is("--") {
                return Ok(left);
            }
            self.parser.tokens.next();
            self.note_assigned(&left);
            left = self.wrap(start, left, |target| ExpressionKind::Step { target, up, old: true })?;
        }
    }

    fn primary(&mut self) -> Parsed {
        let start = self.parser.tokens.here();
        let token = self.parser.tokens.peek();
        let text = self.parser.tokens.text(token);
        match token.kind {
            Kind::Number => {
                self.parser.tokens.next();
                number(text, start)
            }
            Kind::Word => {
                self.parser.tokens.next();
                if self.parser.tokens.is("(") {
                    return self.call(text, start);
                }
                Ok(Expression { kind: ExpressionKind::Name(text.to_string()), span: start, depth: 1 })
            }
            _ if self.parser.tokens.accept("(") => {
                let inner = self.nested(Self::sequence)?;
                self.parser.tokens.expect(")")?;
                Ok(Expression { span: self.parser.tokens.since(start), ..inner })
            }
            _ => Err(self.parser.tokens.unexpected("an expression")),
        }
    }

    fn call(&mut self, name: &str, start: Span) -> Parsed {
        let (arguments, deepest) = self.arguments()?;
        let span = self.parser.tokens.since(start);
        let depth = deeper(deepest, span)?;
        Ok(Expression { kind: ExpressionKind::Call(name.to_string(), arguments), span, depth })
    }

    fn method(&mut self, receiver: String, start: Span) -> Parsed {
        self.parser.tokens.expect(".")?;
        let (name, _) = self.parser.tokens.word("the name of a method")?;
        let (arguments, deepest) = self.arguments()?;
        let span = self.parser.tokens.since(start);
        let depth = deeper(deepest, span)?;
        Ok(Expression { kind: ExpressionKind::Method(receiver, name.to_string(), arguments), span, depth })
    }

    /// Reads `(a, b)`; gives the depth of the deepest argument, too.
    fn arguments(&mut self) -> Result<(Vec<Expression>, usize), Diagnostic> {
        self.parser.tokens.expect("(")?;
        let mut arguments = Vec::new();
        let mut deepest = 0;
        while !self.parser.tokens.accept(")") {
            let argument = self.nested(Self::assignment)?;
            deepest = deepest.max(argument.depth);
            arguments.push(argument);
            if !self.parser.tokens.is(")") {
                self.parser.tokens.expect(",")?;
            }
        }
        Ok((arguments, deepest))
    }

    /// Reads something one level deeper.
    fn nested(&mut self, read: fn(&mut Self) -> Parsed) -> Parsed {
        if self.depth >= DEEPEST {
            return Err(too_deep(self.parser.tokens.here()));
        }
        self.depth += 1;
        let inner = read(self);
        self.depth -= 1;
        inner
    }

    fn wrap(&self, start: Span, inner: Expression, kind: impl FnOnce(Box<Expression>) -> ExpressionKind) -> Parsed {
        let span = self.parser.tokens.since(start);
        let depth = deeper(inner.depth, span)?;
        Ok(Expression { kind: kind(Box::new(inner)), span, depth })
    }

    fn note_assigned(&mut self, target: &Expression) {
        if let ExpressionKind::Name(name) = &target.kind {
            self.parser.assigned.insert(name.clone());
        }
    }
}

/// The span and depth of an expression with these two parts.
fn around(left: &Expression, right: &Expression) -> Result<(Span, usize), Diagnostic> {
    let span = left.span.to(right.span);
    Ok((span, deeper(left.depth.max(right.depth), span)?))
}

fn deeper(depth: usize, span: Span) -> Result<usize, Diagnostic> {
    if depth >= DEEPEST { Err(too_deep(span)) } else { Ok(depth + 1) }
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error("the expression is nested too deeply", span)
}

/// An integer literal with its type.
fn number(text: &str, span: Span) -> Parsed {
    let lower = text.to_ascii_lowercase();
    let octal = lower.len() > 1 && lower.bytes().all(|byte| byte.is_ascii_digit()) && lower.starts_with('0');
    let value = if octal { i64::from_str_radix(&lower, 8).ok() } else { lexer::integer(&lower) };
    let value = value.ok_or_else(|| Diagnostic::error("this is not an integer of 64 bits", span))?;
    let suffix = if lower.starts_with("0x") {
        lower.trim_start_matches(|c: char| c.is_ascii_hexdigit() || c == 'x')
    } else {
        lower.trim_start_matches(|c: char| c.is_ascii_digit())
    };
    let unsigned = suffix.contains('u');
    let fits = i32::try_from(value).is_ok() || unsigned && u32::try_from(value).is_ok();
    let width = if suffix.contains('l') || !fits { 64 } else { 32 };
    let declared = if width == 32 && !unsigned { INT } else { Type::integer(width, !unsigned) };
    Ok(Expression { kind: ExpressionKind::Number(value, declared), span, depth: 1 })
}
