//! Declarations: specifiers and declarators become types.

use std::sync::Arc;

use lang_c::ast::{self, DeclarationSpecifier, DerivedDeclarator, SpecifierQualifier, TypeQualifier, TypeSpecifier};
use lang_c::span::Node;
use program::Value;

use super::lower::{Bytes, Entity, Lowered, Lowering, Scope};
use super::preprocess::layout::MARK;
use super::types::{Gap, Members, Record, Shape, Signature, Type};

/// What stands before the declarators.
pub struct Base {
    /// The type.
    pub of: Type,
    /// `typedef`, `static`, ...
    pub storage: Option<ast::StorageClassSpecifier>,
    /// Whether each thread has its own.
    pub is_thread_local: bool,
}

/// Words of a declaration that name a type, counted.
#[derive(Default)]
struct Words {
    other: Option<Type>,
    char: bool,
    short: bool,
    int: bool,
    long: u8,
    signed: bool,
    unsigned: bool,
}

impl Lowering<'_> {
    /// The type and storage class of a declaration.
    pub fn base(&mut self, specifiers: &[Node<DeclarationSpecifier>], at: Bytes) -> Lowered<Base> {
        let (mut storage, mut is_thread_local) = (None, false);
        let (mut types, mut qualifiers) = (Vec::new(), Vec::new());
        for specifier in specifiers {
            match &specifier.node {
                DeclarationSpecifier::StorageClass(class) => match class.node {
                    // `static` or `extern` may stand beside it.
                    ast::StorageClassSpecifier::ThreadLocal => is_thread_local = true,
                    _ => storage = Some(class.node.clone()),
                },
                DeclarationSpecifier::TypeSpecifier(of) => types.push(of),
                DeclarationSpecifier::TypeQualifier(qualifier) => qualifiers.push(&qualifier.node),
                DeclarationSpecifier::Function(_) | DeclarationSpecifier::Alignment(_) => {}
                DeclarationSpecifier::Extension(_) => {}
            }
        }
        let of = self.specified(&types, at)?;
        Ok(Base { of: qualified(of, &qualifiers), storage, is_thread_local })
    }

    /// A type name, as in a cast.
    pub fn type_name(&mut self, name: &Node<ast::TypeName>) -> Lowered<Type> {
        let base = self.specifier_qualifiers(&name.node.specifiers, name.span)?;
        match &name.node.declarator {
            Some(declarator) => Ok(self.declarator(base, declarator)?.1),
            None => Ok(base),
        }
    }

    fn specifier_qualifiers(&mut self, list: &[Node<SpecifierQualifier>], at: Bytes) -> Lowered<Type> {
        let (mut types, mut qualifiers) = (Vec::new(), Vec::new());
        for item in list {
            match &item.node {
                SpecifierQualifier::TypeSpecifier(of) => types.push(of),
                SpecifierQualifier::TypeQualifier(qualifier) => qualifiers.push(&qualifier.node),
                SpecifierQualifier::Extension(_) => {}
            }
        }
        let of = self.specified(&types, at)?;
        Ok(qualified(of, &qualifiers))
    }

    /// The type that the specifiers name together.
    fn specified(&mut self, specifiers: &[&Node<TypeSpecifier>], at: Bytes) -> Lowered<Type> {
        let mut words = Words::default();
        for specifier in specifiers {
            let other = match &specifier.node {
                TypeSpecifier::Char => {
                    words.char = true;
                    continue;
                }
                TypeSpecifier::Short => {
                    words.short = true;
                    continue;
                }
                TypeSpecifier::Int => {
                    words.int = true;
                    continue;
                }
                TypeSpecifier::Long => {
                    words.long += 1;
                    continue;
                }
                TypeSpecifier::Signed => {
                    words.signed = true;
                    continue;
                }
                TypeSpecifier::Unsigned => {
                    words.unsigned = true;
                    continue;
                }
                other => self.other_specifier(other, specifier.span)?,
            };
            if words.other.replace(other).is_some() {
                return Err(self.error("two types in one declaration", specifier.span));
            }
        }
        self.spelled(&words, at)
    }

    fn spelled(&mut self, words: &Words, at: Bytes) -> Lowered<Type> {
        let plain = words.char || words.short || words.int || words.long > 0 || words.signed || words.unsigned;
        match &words.other {
            Some(other) if self.is_int128(other).is_some() && (words.signed != words.unsigned) => {
                Ok(self.int128(words.signed))
            }
            Some(other) if plain && other.as_float() == Some(64) => Err(self.unsupported("`long double`", at)),
            Some(_) if plain => Err(self.error("these words do not name one type", at)),
            Some(other) => Ok(other.clone()),
            None if !plain => Err(self.error("a declaration without a type", at).note("write `int` where it is meant")),
            None if words.signed && words.unsigned => Err(self.error("both `signed` and `unsigned`", at)),
            None => {
                let width = match (words.char, words.short, words.long) {
                    (true, false, 0) if !words.int => 8,
                    (false, true, 0) => 16,
                    (false, false, 0) => 32,
                    (false, false, 1 | 2) => 64,
                    _ => return Err(self.error("these words do not name a type", at)),
                };
                Ok(Type::integer(width, !words.unsigned))
            }
        }
    }

    fn other_specifier(&mut self, specifier: &TypeSpecifier, at: Bytes) -> Lowered<Type> {
        Ok(match specifier {
            TypeSpecifier::Void => Type::void(),
            TypeSpecifier::Bool => Type::boolean(),
            TypeSpecifier::Atomic(name) => Type { atomic: true, ..self.type_name(name)? },
            TypeSpecifier::Struct(of) => self.record(of)?,
            TypeSpecifier::TS18661Float(float) if float.format == ast::TS18661FloatFormat::DecimalInterchange => {
                self.int128(true)
            }
            TypeSpecifier::Enum(of) => self.enumeration(of)?,
            TypeSpecifier::TypedefName(name) => match self.find(&name.node.name) {
                Some(Entity::Typedef(of)) => of.clone(),
                _ => return Err(self.error(format!("`{}` is not a type", name.node.name), name.span)),
            },
            TypeSpecifier::TypeOf(of) => match &of.node {
                ast::TypeOf::Type(name) => self.type_name(name)?,
                ast::TypeOf::Expression(expression) => self.type_of(expression)?,
            },
            TypeSpecifier::Float => Type::float(32),
            TypeSpecifier::Double => Type::float(64),
            _ => return Err(self.unsupported("this floating-point type", at)),
        })
    }

    /// A struct or union: a definition, or a name for one.
    fn record(&mut self, of: &Node<ast::StructType>) -> Lowered<Type> {
        let union = of.node.kind.node == ast::StructKind::Union;
        let tag = of.node.identifier.as_ref().map(|name| name.node.name.clone());
        let known = match (&tag, &of.node.declarations) {
            (Some(tag), None) => self.scopes.iter().rev().find_map(|scope| scope.tags.get(tag)).cloned(),
            (Some(tag), Some(_)) => self.scope().tags.get(tag).cloned(),
            (None, _) => None,
        };
        let made = match known {
            Some(made) => made,
            None => {
                let name = tag.clone().unwrap_or_else(|| "(unnamed)".into());
                let made = Type::new(Shape::Record(self.records.add(Record { name, union, ..Record::default() })));
                if let Some(tag) = tag {
                    self.scope().tags.insert(tag, made.clone());
                }
                made
            }
        };
        let Shape::Record(id) = made.shape else {
            return Err(self.error("this tag names an enumeration", of.span));
        };
        if self.records.get(id).union != union {
            return Err(self.error("this tag names a struct in one place and a union in another", of.span));
        }
        if let Some(declarations) = &of.node.declarations {
            if self.records.get(id).fields.is_some() {
                return Err(self.error(format!("`{}` is defined twice", self.records.name(&made)), of.span));
            }
            let members = self.members(declarations)?;
            self.records.complete(id, members);
        }
        Ok(made)
    }

    fn members(&mut self, declarations: &[Node<ast::StructDeclaration>]) -> Lowered<Members> {
        let mut members = Members::default();
        let mut last = 0..0;
        for declaration in declarations {
            match &declaration.node {
                ast::StructDeclaration::Field(field) => {
                    let before = members.fields.len();
                    self.member_declaration(field, &mut members)?;
                    last = before..members.fields.len();
                }
                ast::StructDeclaration::StaticAssert(assertion) => {
                    if !self.layout_mark(assertion, last.clone(), &mut members)? {
                        self.static_assert(assertion)?;
                    }
                }
            }
        }
        Ok(members)
    }

    fn member_declaration(&mut self, field: &Node<ast::StructField>, members: &mut Members) -> Lowered<()> {
        let base = self.specifier_qualifiers(&field.node.specifiers, field.span)?;
        if field.node.declarators.is_empty() {
            members.fields.push((None, base.clone()));
        }
        for declarator in &field.node.declarators {
            let Some(inner) = &declarator.node.declarator else {
                if let Some(width) = &declarator.node.bit_width {
                    let width = self.bit_width(width, &base, false)?;
                    members.gaps.push(Gap { before: members.fields.len(), of: base.clone(), width });
                }
                continue;
            };
            let (name, of) = self.declarator(base.clone(), inner)?;
            self.check_object(&of, inner.span)?;
            if let Some(width) = &declarator.node.bit_width {
                let width = self.bit_width(width, &of, true)?;
                members.bits.insert(members.fields.len(), width);
            }
            if name.is_some() && members.fields.iter().any(|(other, _)| *other == name) {
                return Err(self.error("two members of this name", inner.span));
            }
            members.fields.push((name, of));
        }
        Ok(())
    }

    /// How many bits a bit-field of a type has.
    fn bit_width(&mut self, width: &Node<ast::Expression>, of: &Type, is_named: bool) -> Lowered<u8> {
        let Some(integer) = of.as_integer().filter(|_| !of.atomic) else {
            return Err(self.error("a bit-field of a type that is no integer", width.span));
        };
        let bits = self.constant_integer(width)?;
        let most = if integer.boolean { 1 } else { integer.width };
        match u8::try_from(bits) {
            Ok(bits) if bits <= most && (bits > 0 || !is_named) => Ok(bits),
            _ => Err(self.error("a width that a bit-field of this type cannot have", width.span)),
        }
    }

    /// Takes what `preprocess::layout` says about the record, or about the members that were declared last; `false` if this is an
    /// assertion of the program.
    fn layout_mark(
        &mut self,
        assertion: &Node<ast::StaticAssert>,
        last: std::ops::Range<usize>,
        members: &mut Members,
    ) -> Lowered<bool> {
        let text: String = assertion.node.message.node.concat();
        let Some(mark) = text.trim_matches('"').strip_prefix(MARK) else { return Ok(false) };
        let aligned = match &assertion.node.expression.node {
            ast::Expression::SizeOfTy(of) => {
                let of = self.type_name(&of.node.0)?;
                self.records.size(&of).map_or(1, |(_, align)| align)
            }
            ast::Expression::SizeOfVal(of) => u64::try_from(self.constant_integer(&of.node.0)?).unwrap_or(0),
            _ => 1,
        };
        if aligned > 0 && !aligned.is_power_of_two() {
            return Err(self.error("an alignment that is no power of two", assertion.span));
        }
        let wish = match (mark.strip_prefix("member "), last.len()) {
            (None, _) => &mut members.wish,
            (Some(_), 1) => members.wishes.entry(last.start).or_default(),
            _ => return Err(self.unsupported("an attribute of several members", assertion.span)),
        };
        wish.packed |= mark.ends_with("packed");
        wish.transparent |= mark.ends_with("transparent");
        wish.aligned = wish.aligned.max(aligned);
        Ok(true)
    }

    /// Refuses a type of which there are no objects.
    pub fn check_object(&self, of: &Type, at: Bytes) -> Lowered<()> {
        let incomplete = match &of.shape {
            Shape::Void | Shape::Function(_) => true,
            Shape::Record(id) => self.records.get(*id).fields.is_none(),
            Shape::Array(element, _) => return self.check_object(element, at),
            _ => false,
        };
        if incomplete {
            return Err(self.error(format!("an object of the type `{}`", self.records.name(of)), at));
        }
        if of.atomic && !of.is_scalar() {
            return self.check_atomic_struct(of, at);
        }
        Ok(())
    }

    fn enumeration(&mut self, of: &Node<ast::EnumType>) -> Lowered<Type> {
        let tag = of.node.identifier.as_ref().map(|name| name.node.name.clone());
        if of.node.enumerators.is_empty() {
            let known = tag.and_then(|tag| self.scopes.iter().rev().find_map(|scope| scope.tags.get(&tag)).cloned());
            return known.ok_or_else(|| self.error("an enumeration that is not defined", of.span));
        }
        let (mut next, mut negative, mut widest) = (0i64, false, 32);
        for enumerator in &of.node.enumerators {
            if let Some(expression) = &enumerator.node.expression {
                next = self.constant_integer(expression)?;
            }
            let width = if i32::try_from(next).is_ok() { 32 } else { 64 };
            widest = widest.max(width);
            negative |= next < 0;
            let constant = Entity::Constant(Value::int(next, width), Type::integer(width, true));
            self.declare(&enumerator.node.identifier.node.name, constant);
            next = next.wrapping_add(1);
        }
        // As GCC does: unsigned unless an enumerator is negative, and wide if one is not an `int`.
        let made = Type::integer(widest, negative);
        if let Some(tag) = tag {
            self.scope().tags.insert(tag, made.clone());
        }
        Ok(made)
    }

    /// Name and type of a declarator on top of a type.
    pub fn declarator(&mut self, base: Type, declarator: &Node<ast::Declarator>) -> Lowered<(Option<String>, Type)> {
        let mut of = base;
        let derived = &declarator.node.derived;
        for part in derived.iter().filter(|part| is_prefix(&part.node)) {
            of = self.pointer_declarator(of, part)?;
        }
        for part in derived.iter().rev().filter(|part| !is_prefix(&part.node)) {
            of = self.suffix_declarator(of, part)?;
        }
        match &declarator.node.kind.node {
            ast::DeclaratorKind::Abstract => Ok((None, of)),
            ast::DeclaratorKind::Identifier(name) => Ok((Some(name.node.name.clone()), of)),
            ast::DeclaratorKind::Declarator(inner) => self.declarator(of, inner),
        }
    }

    fn pointer_declarator(&mut self, of: Type, part: &Node<DerivedDeclarator>) -> Lowered<Type> {
        let DerivedDeclarator::Pointer(list) = &part.node else {
            return Err(self.unsupported("a block pointer", part.span));
        };
        let qualifiers: Vec<&TypeQualifier> = list
            .iter()
            .filter_map(|item| match &item.node {
                ast::PointerQualifier::TypeQualifier(qualifier) => Some(&qualifier.node),
                ast::PointerQualifier::Extension(_) => None,
            })
            .collect();
        Ok(qualified(of.pointer(), &qualifiers))
    }

    fn suffix_declarator(&mut self, of: Type, part: &Node<DerivedDeclarator>) -> Lowered<Type> {
        match &part.node {
            DerivedDeclarator::Array(array) => {
                let length = self.array_length(&array.node.size, array.span)?;
                self.check_object(&of, part.span)?;
                Ok(Type::new(Shape::Array(Arc::new(of), length)))
            }
            DerivedDeclarator::Function(function) => self.signature(of, &function.node, part.span),
            DerivedDeclarator::KRFunction(names) if names.is_empty() => {
                let (parameters, variadic) = (Vec::new(), false);
                let signature = Signature { result: of, parameters, variadic, prototype: false };
                Ok(Type::new(Shape::Function(Arc::new(signature))))
            }
            DerivedDeclarator::KRFunction(names) => {
                let known = |name: &str| self.old_style.get(name).cloned().map_or(Type::int(), decayed);
                let parameters = names.iter().map(|name| (Some(name.node.name.clone()), known(&name.node.name)));
                let parameters = parameters.collect();
                let signature = Signature { result: of, parameters, variadic: false, prototype: true };
                Ok(Type::new(Shape::Function(Arc::new(signature))))
            }
            _ => Err(self.error("a declarator that does not fit", part.span)),
        }
    }

    fn array_length(&mut self, size: &ast::ArraySize, at: Bytes) -> Lowered<Option<u64>> {
        match size {
            ast::ArraySize::Unknown => Ok(None),
            ast::ArraySize::VariableUnknown => Err(self.unsupported("an array of variable length", at)),
            ast::ArraySize::VariableExpression(length) | ast::ArraySize::StaticExpression(length) => {
                let constant = match self.constant_integer(length) {
                    Err(error) if error.message.ends_with("is not constant") => return self.variable_length(length),
                    constant => constant?,
                };
                let known = u64::try_from(constant);
                known.map(Some).map_err(|_| self.error("an array of negative length", length.span))
            }
        }
    }

    /// Notes the length of an array of variable length, of which one at a time is declared, in a function.
    fn variable_length(&mut self, length: &Node<ast::Expression>) -> Lowered<Option<u64>> {
        if self.frame.name.is_empty() || self.frame.length.is_some() {
            return Err(self.unsupported("an array of variable length", length.span));
        }
        let value = self.value(length)?;
        self.frame.length = Some(self.index(value, length.span)?);
        Ok(None)
    }

    fn signature(&mut self, result: Type, function: &ast::FunctionDeclarator, at: Bytes) -> Lowered<Type> {
        if matches!(result.shape, Shape::Array(..) | Shape::Function(_)) {
            return Err(self.error("a function that returns an array or a function", at));
        }
        self.scopes.push(Scope::default());
        let parameters = self.parameters(&function.parameters);
        self.scopes.pop();
        let variadic = function.ellipsis == ast::Ellipsis::Some;
        let signature = Signature { result, parameters: parameters?, variadic, prototype: true };
        Ok(Type::new(Shape::Function(Arc::new(signature))))
    }

    fn parameters(&mut self, list: &[Node<ast::ParameterDeclaration>]) -> Lowered<Vec<(Option<String>, Type)>> {
        let mut parameters = Vec::new();
        for parameter in list {
            let base = self.base(&parameter.node.specifiers, parameter.span)?.of;
            let (name, of) = match &parameter.node.declarator {
                Some(declarator) => self.declarator(base, &without_length(declarator))?,
                None => (None, base),
            };
            if of.is_void() && name.is_none() && list.len() == 1 {
                return Ok(Vec::new());
            }
            parameters.push((name, decayed(of)));
        }
        Ok(parameters)
    }

    /// A static assertion that does not hold is an error.
    pub fn static_assert(&mut self, assertion: &Node<ast::StaticAssert>) -> Lowered<()> {
        match self.constant_integer(&assertion.node.expression)? {
            0 => Err(self.error("this static assertion does not hold", assertion.span)),
            _ => Ok(()),
        }
    }
}

fn is_prefix(part: &DerivedDeclarator) -> bool {
    matches!(part, DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_))
}

fn qualified(of: Type, qualifiers: &[&TypeQualifier]) -> Type {
    let volatile = of.volatile || qualifiers.contains(&&TypeQualifier::Volatile);
    let atomic = of.atomic || qualifiers.contains(&&TypeQualifier::Atomic);
    let constant = of.constant || qualifiers.contains(&&TypeQualifier::Const);
    Type { volatile, atomic, constant, ..of }
}

/// The declarator of a parameter without the length of an array, which says nothing: the parameter is a pointer.
fn without_length(declarator: &Node<ast::Declarator>) -> Node<ast::Declarator> {
    let mut declarator = declarator.clone();
    let is_direct = !matches!(declarator.node.kind.node, ast::DeclaratorKind::Declarator(_));
    let outermost = declarator.node.derived.iter_mut().find(|part| !is_prefix(&part.node)).filter(|_| is_direct);
    if let Some(Node { node: DerivedDeclarator::Array(array), .. }) = outermost {
        array.node.size = ast::ArraySize::Unknown;
    }
    declarator
}

/// The type of a parameter: arrays and functions are pointers there.
fn decayed(of: Type) -> Type {
    match of.shape {
        Shape::Array(element, _) => Type::new(Shape::Pointer(element)),
        Shape::Function(_) => of.pointer(),
        _ => of,
    }
}
