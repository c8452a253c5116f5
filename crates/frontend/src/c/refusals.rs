//! What is wrong, or right but not modelled, is listed as a whole: behind an error lowering goes on, also within an expression,
//! and what only follows from an earlier error is left out. A file with errors is never run.

use std::collections::HashSet;

use lang_c::ast::{self, Expression, UnaryOperator};
use lang_c::span::Node;
use program::{AssertSort, Diagnostic, InstructionKind, Operand, Value};

use super::lower::{Lowered, Lowering};

impl Lowering<'_> {
    /// The value of a success. An error is noted, unless it follows from an earlier one, and with it what else is not modelled
    /// in the expression where it was found.
    pub fn note<T>(&mut self, done: Lowered<T>) -> Option<T> {
        let failed = self.refused.failed.take();
        let message = match done {
            Ok(value) => return Some(value),
            Err(message) => message,
        };
        let more = failed.map(|expression| self.refused_parts(&expression, &message)).unwrap_or_default();
        if !self.follows(&message) {
            self.refuse(message);
        }
        more.into_iter().for_each(|message| self.refuse(message));
        None
    }

    /// Notes an error. What is not modelled in code that cannot be reached, as what is done if a thread cannot be started, is none.
    fn refuse(&mut self, message: Diagnostic) {
        let Some(refusals) = self.frame.refusals.as_mut().filter(|_| is_listed(&message)) else {
            return self.messages.push(message);
        };
        let never = Operand::Constant(Value::int(0, 32));
        let refused = InstructionKind::claim(AssertSort::Unsupported, never, message.message.clone());
        self.code.emit(refused, message.span);
        refusals.push((self.code.current(), message));
    }

    /// Notes what is not modelled in the function that ends.
    pub fn refuse_reached(&mut self) {
        let reached = self.code.reached();
        let refusals = self.frame.refusals.take();
        let counting = refusals.into_iter().flatten().filter(|(block, _)| reached.contains(block));
        counting.for_each(|(_, message)| self.messages.push(message));
    }

    /// Whether an error speaks of a name whose declaration failed.
    fn follows(&self, message: &Diagnostic) -> bool {
        let text = message.span.map(|span| self.sources.words(span)).unwrap_or_default();
        let mentions = |text: &str| {
            let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            words.any(|word| self.refused.names.iter().any(|name| name == word))
        };
        let any_error = self.messages.any_error() || self.frame.refusals.iter().flatten().next().is_some();
        any_error && !is_refusal(message) && (mentions(&message.message) || mentions(&text))
    }

    /// Remembers the expression that cannot be lowered: the outermost one.
    pub fn failed_at(&mut self, expression: &Node<Expression>) {
        self.refused.failed = Some(expression.clone());
    }

    /// Remembers that what a declaration declares is not known.
    pub fn refuse_declaration(&mut self, declaration: &ast::Declaration) {
        for declarator in &declaration.declarators {
            self.refuse_declarator(&declarator.node.declarator.node);
        }
        for specifier in &declaration.specifiers {
            if let ast::DeclarationSpecifier::TypeSpecifier(of) = &specifier.node
                && let ast::TypeSpecifier::Struct(of) = &of.node
            {
                self.refused.names.extend(of.node.identifier.as_ref().map(|name| name.node.name.clone()));
            }
        }
    }

    /// Remembers that the name of a declarator is not known.
    pub fn refuse_declarator(&mut self, declarator: &ast::Declarator) {
        match &declarator.kind.node {
            ast::DeclaratorKind::Abstract => {}
            ast::DeclaratorKind::Identifier(name) => self.refused.names.push(name.node.name.clone()),
            ast::DeclaratorKind::Declarator(inner) => self.refuse_declarator(&inner.node),
        }
    }

    /// How many names are not known.
    pub fn refused_names(&self) -> usize {
        self.refused.names.len()
    }

    /// Forgets the names of a function that ends.
    pub fn forget_refused_names(&mut self, kept: usize) {
        self.refused.names.truncate(kept);
    }

    /// What is not modelled in the parts of an expression, besides the first message.
    fn refused_parts(&mut self, expression: &Node<Expression>, first: &Diagnostic) -> Vec<Diagnostic> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        seen.insert(key(first));
        let mut open = vec![expression];
        while let Some(expression) = open.pop() {
            for part in parts(&expression.node) {
                self.refused.depth += 1;
                let (done, _) = self.aside(|lowering| lowering.value(part));
                self.refused.depth -= 1;
                let Err(message) = done else { continue };
                open.push(part);
                if is_listed(&message) && seen.insert(key(&message)) {
                    found.push(message);
                }
            }
        }
        found
    }
}

/// What tells messages apart.
fn key(message: &Diagnostic) -> (Option<program::Span>, String) {
    (message.span, message.message.clone())
}

/// Whether something is not modelled, and not wrong.
fn is_refusal(message: &Diagnostic) -> bool {
    message.is_unsupported
}

/// Whether a message is sure to hold also of a part that is looked at alone: something is not modelled, or a function unknown.
fn is_listed(message: &Diagnostic) -> bool {
    is_refusal(message) || message.message.starts_with("the function `")
}

/// The expressions that an expression evaluates.
fn parts(expression: &Expression) -> Vec<&Node<Expression>> {
    match expression {
        Expression::BinaryOperator(binary) => vec![&binary.node.lhs, &binary.node.rhs],
        Expression::UnaryOperator(unary) if unary.node.operator.node != UnaryOperator::Address => {
            vec![&unary.node.operand]
        }
        Expression::Call(call) => call.node.arguments.iter().collect(),
        Expression::Cast(cast) => vec![&cast.node.expression],
        Expression::Conditional(conditional) => {
            let conditional = &conditional.node;
            vec![&conditional.condition, &conditional.then_expression, &conditional.else_expression]
        }
        Expression::Comma(list) => list.iter().collect(),
        Expression::Member(member) => vec![&member.node.expression],
        _ => Vec::new(),
    }
}
