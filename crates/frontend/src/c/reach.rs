//! What a program can come to, found before anything is lowered: from where it starts, every name that is mentioned there,
//! and so on. What is not reached may contain anything. Names are compared as they are written, whatever they stand for, so
//! that too much may be reached, never too little.

use std::collections::{HashMap, HashSet};

use lang_c::ast;
use lang_c::span::{Node, Span as AstSpan};
use lang_c::visit::{self, Visit};

use super::preprocess::THROUGH_POINTER;

/// The names that are reached.
#[derive(Debug, Default)]
pub struct Reached(HashSet<String>);

impl Reached {
    /// What is reached from these names.
    pub fn from(unit: &ast::TranslationUnit, roots: &[String]) -> Reached {
        let mut mentions: HashMap<String, HashSet<String>> = HashMap::new();
        for declaration in &unit.0 {
            let mut mentioned = Mentions::default();
            mentioned.visit_external_declaration(&declaration.node, &declaration.span);
            for name in declared(&declaration.node) {
                mentions.entry(name).or_default().extend(mentioned.0.iter().cloned());
            }
        }
        let mut names: HashSet<String> = roots.iter().cloned().collect();
        let mut open = roots.to_vec();
        while let Some(name) = open.pop() {
            for next in mentions.remove(&name).into_iter().flatten() {
                if names.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        Reached(names)
    }

    /// Whether a name is reached.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Whether something that a declaration declares is reached; one without names always is.
    pub fn declares(&self, declaration: &ast::ExternalDeclaration) -> bool {
        let names = declared(declaration);
        names.is_empty() || names.iter().any(|name| self.contains(name))
    }
}

/// The names that a declaration declares: variables, functions, types, tags and enumerators.
fn declared(declaration: &ast::ExternalDeclaration) -> Vec<String> {
    let mut names = Declared::default();
    match declaration {
        ast::ExternalDeclaration::Declaration(declaration) => {
            let specifiers = &declaration.node.specifiers;
            specifiers.iter().for_each(|part| names.visit_declaration_specifier(&part.node, &part.span));
            let declarators = declaration.node.declarators.iter();
            names.0.extend(declarators.filter_map(|declarator| name_of(&declarator.node.declarator.node)));
        }
        ast::ExternalDeclaration::StaticAssert(_) => {}
        ast::ExternalDeclaration::FunctionDefinition(definition) => {
            let specifiers = &definition.node.specifiers;
            specifiers.iter().for_each(|part| names.visit_declaration_specifier(&part.node, &part.span));
            names.0.extend(name_of(&definition.node.declarator.node));
        }
    }
    names.0
}

/// The name that a declarator gives.
pub fn name_of(declarator: &ast::Declarator) -> Option<String> {
    match &declarator.kind.node {
        ast::DeclaratorKind::Abstract => None,
        ast::DeclaratorKind::Identifier(name) => Some(name.node.name.clone()),
        ast::DeclaratorKind::Declarator(inner) => name_of(&inner.node),
    }
}

/// The tags and enumerators that specifiers define. A tag that is only mentioned is not among them.
#[derive(Default)]
struct Declared(Vec<String>);

impl<'ast> Visit<'ast> for Declared {
    fn visit_struct_type(&mut self, of: &'ast ast::StructType, span: &'ast AstSpan) {
        if of.declarations.is_some() {
            self.0.extend(of.identifier.as_ref().map(|name| name.node.name.clone()));
        }
        visit::visit_struct_type(self, of, span);
    }

    fn visit_enum_type(&mut self, of: &'ast ast::EnumType, _: &'ast AstSpan) {
        self.0.extend(of.identifier.as_ref().map(|name| name.node.name.clone()));
        self.0.extend(of.enumerators.iter().map(|one| one.node.identifier.node.name.clone()));
    }
}

/// All identifiers but those of members.
#[derive(Default)]
struct Mentions(HashSet<String>);

impl<'ast> Visit<'ast> for Mentions {
    fn visit_expression(&mut self, expression: &'ast ast::Expression, span: &'ast AstSpan) {
        match expression {
            ast::Expression::Identifier(name) => {
                self.0.insert(name.node.name.clone());
                self.0.insert(format!("{THROUGH_POINTER}{}", name.node.name));
            }
            ast::Expression::Call(call) if matches!(call.node.callee.node, ast::Expression::Identifier(_)) => {
                if let ast::Expression::Identifier(name) = &call.node.callee.node {
                    self.0.insert(name.node.name.clone());
                }
                for argument in &call.node.arguments {
                    self.visit_expression(&argument.node, &argument.span);
                }
            }
            _ => visit::visit_expression(self, expression, span),
        }
    }

    fn visit_identifier(&mut self, name: &'ast ast::Identifier, _: &'ast AstSpan) {
        self.0.insert(name.name.clone());
    }

    fn visit_member_expression(&mut self, member: &'ast ast::MemberExpression, _: &'ast AstSpan) {
        self.visit_expression(&member.expression.node, &member.expression.span);
    }
}

/// The declarations of a unit: the names that each declares, and where it stands.
pub fn declarations(unit: &ast::TranslationUnit) -> impl Iterator<Item = (Vec<String>, AstSpan)> {
    unit.0.iter().map(|declaration| (declared(&declaration.node), declaration.span))
}

/// The names of the functions that a unit defines.
pub fn definitions(unit: &ast::TranslationUnit) -> Vec<String> {
    let named = |declaration: &Node<ast::ExternalDeclaration>| match &declaration.node {
        ast::ExternalDeclaration::FunctionDefinition(definition) => name_of(&definition.node.declarator.node),
        _ => None,
    };
    unit.0.iter().filter_map(named).collect()
}
