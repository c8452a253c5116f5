//! Memory orders and sizes as parameters: a function that passes a parameter on as a memory order, or as the number of bytes that
//! are copied or set, or that switches by it, as by the size of an object of any type, is lowered once for each constant that it is called with, so that the order of every access is known, and
//! memory is copied by whole objects. Where that is not constant at the call either, it stays a parameter: the access is a choice by
//! its value, and what is copied is copied in a loop.

use std::collections::{HashMap, HashSet};

use lang_c::ast::{self, BinaryOperator, Expression, UnaryOperator};
use lang_c::span::{Node, Span as AstSpan};
use lang_c::visit::{self, Visit};
use program::FunctionId;

use super::atomics::order_arguments;
use super::lower::{Declared, Known, Lowering};
use super::memory::size_arguments;
use super::reach::name_of;

/// Of how many constants a function is lowered once for each.
const MOST_INSTANCES: usize = 64;

/// Which parameters of which functions are memory orders or sizes.
pub fn order_parameters(unit: &ast::TranslationUnit) -> HashMap<String, Vec<usize>> {
    let definitions = unit.0.iter().filter_map(|declaration| match &declaration.node {
        ast::ExternalDeclaration::FunctionDefinition(definition) => Some(&definition.node),
        _ => None,
    });
    let functions: Vec<Passing> = definitions.filter_map(Passing::of).collect();
    let mut found: HashMap<String, Vec<usize>> = HashMap::new();
    loop {
        let before = found.values().map(Vec::len).sum::<usize>();
        for function in &functions {
            let orders = (0..function.parameters.len()).filter(|index| function.is_order(*index, &found)).collect();
            found.insert(function.name.clone(), orders);
        }
        if found.values().map(Vec::len).sum::<usize>() == before {
            found.retain(|_, orders| !orders.is_empty());
            return found;
        }
    }
}

/// What a function passes on.
struct Passing {
    name: String,
    parameters: Vec<Option<String>>,
    calls: Calls,
}

impl Passing {
    fn of(definition: &ast::FunctionDefinition) -> Option<Passing> {
        let parameters = definition.declarator.node.derived.iter().find_map(|part| match &part.node {
            ast::DerivedDeclarator::Function(function) => Some(&function.node.parameters),
            _ => None,
        })?;
        let name = |parameter: &Node<ast::ParameterDeclaration>| {
            parameter.node.declarator.as_ref().and_then(|declarator| name_of(&declarator.node))
        };
        let mut calls = Calls::default();
        calls.visit_statement(&definition.statement.node, &definition.statement.span);
        let parameters = parameters.iter().map(name).collect();
        Some(Passing { name: name_of(&definition.declarator.node)?, parameters, calls })
    }

    /// Whether a parameter is passed on as an order and never changed.
    fn is_order(&self, index: usize, orders: &HashMap<String, Vec<usize>>) -> bool {
        let Some(Some(name)) = self.parameters.get(index) else { return false };
        let takes_order = |callee: &String, argument: usize| {
            order_arguments(callee).contains(&argument)
                || size_arguments(callee).contains(&argument)
                || orders.get(callee).is_some_and(|orders| orders.contains(&argument))
        };
        let mut passed = self.calls.passed.iter().filter(|(_, _, passed)| passed == name);
        let is_own = size_arguments(&self.name).contains(&index);
        !self.calls.changed.contains(name)
            && (is_own
                || self.calls.switched.contains(name)
                || passed.any(|(callee, argument, _)| takes_order(callee, *argument)))
    }
}

/// The calls of a function, and the names that it may change.
#[derive(Default)]
struct Calls {
    /// Callee, number of the argument, and the name that stands there.
    passed: Vec<(String, usize, String)>,
    changed: HashSet<String>,
    /// The names that it switches by.
    switched: HashSet<String>,
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_switch_statement(&mut self, switch: &'ast ast::SwitchStatement, span: &'ast AstSpan) {
        if let Expression::Identifier(name) = &switch.expression.node {
            self.switched.insert(name.node.name.clone());
        }
        visit::visit_switch_statement(self, switch, span);
    }

    fn visit_call_expression(&mut self, call: &'ast ast::CallExpression, span: &'ast AstSpan) {
        if let Expression::Identifier(callee) = &call.callee.node {
            for (number, argument) in call.arguments.iter().enumerate() {
                if let Expression::Identifier(name) = &argument.node {
                    self.passed.push((callee.node.name.clone(), number, name.node.name.clone()));
                }
            }
        }
        visit::visit_call_expression(self, call, span);
    }

    fn visit_unary_operator_expression(&mut self, unary: &'ast ast::UnaryOperatorExpression, span: &'ast AstSpan) {
        use UnaryOperator::*;
        let changes =
            matches!(unary.operator.node, PreIncrement | PreDecrement | PostIncrement | PostDecrement | Address);
        if let (true, Expression::Identifier(name)) = (changes, &unary.operand.node) {
            self.changed.insert(name.node.name.clone());
        }
        visit::visit_unary_operator_expression(self, unary, span);
    }

    fn visit_binary_operator_expression(&mut self, binary: &'ast ast::BinaryOperatorExpression, span: &'ast AstSpan) {
        use BinaryOperator::*;
        let changes = matches!(
            binary.operator.node,
            Assign
                | AssignMultiply
                | AssignDivide
                | AssignModulo
                | AssignPlus
                | AssignMinus
                | AssignShiftLeft
                | AssignShiftRight
                | AssignBitwiseAnd
                | AssignBitwiseXor
                | AssignBitwiseOr
        );
        if let (true, Expression::Identifier(name)) = (changes, &binary.lhs.node) {
            self.changed.insert(name.node.name.clone());
        }
        visit::visit_binary_operator_expression(self, binary, span);
    }

    /// A variable of the same name in a block would be taken for the parameter.
    fn visit_declarator(&mut self, declarator: &'ast ast::Declarator, span: &'ast AstSpan) {
        self.changed.extend(name_of(declarator));
        visit::visit_declarator(self, declarator, span);
    }
}

impl Lowering<'_> {
    /// The function to call instead of one that is given constant memory orders or sizes; itself if it is given none.
    pub fn specialized(
        &mut self,
        name: &str,
        declared: &Declared,
        arguments: &[Node<Expression>],
    ) -> Option<FunctionId> {
        let orders = self.orders.get(name).cloned().unwrap_or_default();
        let mut known: Known = Vec::new();
        for index in orders {
            if let Some(Ok(order)) = arguments.get(index).map(|argument| self.constant_integer(argument)) {
                known.push((index, order));
            }
        }
        if known.is_empty() {
            return declared.id;
        }
        let numbers = known.iter().map(|(index, value)| format!("{index}={value}"));
        let key = format!("{name} {}", numbers.collect::<Vec<_>>().join(" "));
        if let Some(made) = self.functions.get(&key) {
            return made.id;
        }
        if self.instances_of(name) >= MOST_INSTANCES {
            return declared.id;
        }
        let id = FunctionId(self.bodies.len() as u32);
        self.functions.insert(key.clone(), Declared { id: Some(id), address: None, ..declared.clone() });
        self.bodies.push(key);
        self.lowered.push(None);
        self.instances.push((id, name.to_string(), known));
        Some(id)
    }

    /// How many functions were made of one.
    fn instances_of(&self, name: &str) -> usize {
        let is_instance = |key: &&String| key.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
        self.bodies.iter().filter(is_instance).count()
    }
}
