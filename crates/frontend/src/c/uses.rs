//! How the names of a program are used: which are called, and whose values and addresses are taken.

use std::collections::HashSet;

use lang_c::ast::{self, Expression, UnaryOperator};
use lang_c::span::Span as AstSpan;
use lang_c::visit::{self, Visit};

use super::preprocess::THROUGH_POINTER;
use super::reach::Reached;

/// The name in `&name`.
pub fn address_of_name(unary: &ast::UnaryOperatorExpression) -> Option<&str> {
    match (&unary.operator.node, &unary.operand.node) {
        (UnaryOperator::Address, Expression::Identifier(name)) => Some(&name.node.name),
        _ => None,
    }
}

/// The names of a program, by what they stand for.
#[derive(Debug, Default)]
pub struct Uses {
    /// Names that stand elsewhere than as the callee of a call.
    pub taken: HashSet<String>,
    /// Names that stand as the callee of a call.
    pub called: HashSet<String>,
    /// Whether what `pthread_barrier_wait` returns is looked at somewhere.
    pub asks_barriers: bool,
    /// Whether some join looks at the result of a thread.
    pub asks_results: bool,
}

/// Whether an expression is written as a null pointer.
fn is_null(expression: &Expression) -> bool {
    match expression {
        Expression::Cast(cast) => is_null(&cast.node.expression.node),
        Expression::Constant(constant) => match &constant.node {
            ast::Constant::Integer(integer) => integer.number.chars().all(|digit| digit == '0'),
            _ => false,
        },
        _ => false,
    }
}

/// How the names of a program are used, in what it reaches.
pub fn uses(unit: &ast::TranslationUnit, reached: &Reached) -> Uses {
    let mut finder = NameFinder(Uses::default(), false);
    for declaration in unit.0.iter().filter(|declaration| reached.declares(&declaration.node)) {
        finder.visit_external_declaration(&declaration.node, &declaration.span);
    }
    finder.0
}

/// The names seen so far, and whether the next expression is a statement whose value is dropped.
struct NameFinder(Uses, bool);

/// The function whose result tells one thread of many.
const BARRIER: &str = "pthread_barrier_wait";

impl<'ast> Visit<'ast> for NameFinder {
    fn visit_statement(&mut self, statement: &'ast ast::Statement, span: &'ast AstSpan) {
        self.1 = matches!(statement, ast::Statement::Expression(Some(_)));
        visit::visit_statement(self, statement, span);
    }

    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast AstSpan) {
        let is_dropped = std::mem::take(&mut self.1);
        match expression {
            Expression::Identifier(name) => {
                self.0.taken.insert(name.node.name.clone());
                self.0.taken.insert(format!("{THROUGH_POINTER}{}", name.node.name));
            }
            Expression::Call(call) if matches!(call.node.callee.node, Expression::Identifier(_)) => {
                if let Expression::Identifier(name) = &call.node.callee.node {
                    self.0.asks_barriers |= name.node.name == BARRIER && !is_dropped;
                    let is_join = matches!(name.node.name.as_str(), "pthread_join" | "thrd_join");
                    let result = call.node.arguments.get(1).filter(|_| is_join);
                    self.0.asks_results |= result.is_some_and(|result| !is_null(&result.node));
                    self.0.called.insert(name.node.name.clone());
                }
                for argument in &call.node.arguments {
                    self.visit_expression(&argument.node, &argument.span);
                }
            }
            _ => visit::visit_expression(self, expression, span),
        }
    }
}
