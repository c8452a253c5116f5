//! Functions: their bodies, and calls of them.

use std::collections::{HashMap, HashSet};

use lang_c::ast::{self, Expression, UnaryOperator};
use lang_c::span::{Node, Span as AstSpan};
use lang_c::visit::{self, Visit};
use program::{AssertSort, Function, FunctionId, InstructionKind, Operand, Operator, RegisterId, Value};

use super::atomics::is_compare_exchange;
use super::code::{Code, Defect};
use super::lower::{Bytes, Entity, Frame, Home, Known, Lowered, Lowering, Typed, Variable};
use super::place::{Place, access};
use super::types::{Shape, Signature, Type};
use super::uses::address_of_name;

impl Lowering<'_> {
    /// Notes a function that has a body.
    pub fn define_function(&mut self, definition: &Node<ast::FunctionDefinition>) -> Lowered<()> {
        let base = self.base(&definition.node.specifiers, definition.span)?;
        let declarator = &definition.node.declarator;
        self.old_style = self.old_style_parameters(&definition.node.declarations)?;
        let declared = self.declarator(base.of, declarator);
        self.old_style.clear();
        let (Some(name), of) = declared? else {
            return Err(self.error("a function without a name", definition.span));
        };
        self.declare_function(&name, &of, declarator.span)?;
        let id = FunctionId(self.bodies.len() as u32);
        let Some(declared) = self.functions.get_mut(&name) else { return Ok(()) };
        let is_second = declared.id.replace(id).is_some();
        // A program may have a function of its own instead of that of a header.
        if is_second && !self.built_in.contains(&name) {
            return Err(self.error(format!("the function `{name}` is defined twice"), declarator.span));
        }
        if self.is_built_in(declarator.span) {
            self.built_in.insert(name.clone());
        } else {
            self.built_in.remove(&name);
        }
        let Some(declared) = self.functions.get_mut(&name) else { return Ok(()) };
        if let Shape::Function(signature) = &of.shape {
            declared.signature = signature.clone();
        }
        self.bodies.push(name);
        self.lowered.push(None);
        Ok(())
    }

    /// The types that stand between the parameter list and the body: `int f(a) int a; { ... }`.
    fn old_style_parameters(&mut self, list: &[Node<ast::Declaration>]) -> Lowered<HashMap<String, Type>> {
        let mut types = HashMap::new();
        for declaration in list {
            let base = self.base(&declaration.node.specifiers, declaration.span)?;
            for declarator in &declaration.node.declarators {
                let (name, of) = self.declarator(base.of.clone(), &declarator.node.declarator)?;
                types.extend(name.map(|name| (name, of)));
            }
        }
        Ok(types)
    }

    /// Lowers the body of a function that was noted.
    pub fn function_body(
        &mut self,
        name: &str,
        definition: &Node<ast::FunctionDefinition>,
        known: &Known,
    ) -> Lowered<Function> {
        let Some(signature) = self.functions.get(name).map(|declared| declared.signature.clone()) else {
            return Err(self.error("a function that was not noted", definition.span));
        };
        self.code = Code::new();
        self.frame = Frame::outside();
        self.frame.name = name.to_string();
        self.frame.result = signature.result.clone();
        self.frame.addressed = addressed(&definition.node);
        self.frame.refusals = Some(Vec::new());
        self.here = self.span(definition.node.declarator.span);
        self.open_scope();
        let refused = self.refused_names();
        let own = match name {
            "main" => Vec::new(),
            _ => self.own_parameters(),
        };
        self.frame.own = match name {
            "main" => self.start_thread(),
            _ => own.iter().copied().map(Operand::Register).collect(),
        };
        let parameters = self.declare_parameters(&signature, definition.node.declarator.span);
        let variadic = self.declare_variadic(signature.variadic);
        self.declare_known(&signature, known);
        match &definition.node.statement.node {
            ast::Statement::Compound(items) => self.compound(items, definition.node.statement.span),
            _ => {
                let done = self.statement(&definition.node.statement);
                self.note(done);
            }
        }
        if name != "main" {
            self.end_scopes(self.scopes.len() - 1);
        }
        self.scopes.pop();
        self.forget_refused_names(refused);
        self.check_labels();
        self.refuse_reached();
        self.leave_scopes();
        let fallback = match () {
            () if signature.result.is_void() => Vec::new(),
            () if name == "main" => vec![Operand::Constant(Value::int(0, 32))],
            () => vec![Operand::Constant(Value::Undefined)],
        };
        if let Some(woken) = self.frame.woken {
            self.code.start_with(woken, Value::int(0, 32));
        }
        let code = std::mem::replace(&mut self.code, Code::new());
        let span = self.span(definition.node.declarator.span);
        let parameters = parameters.map(|parameters| own.into_iter().chain(parameters).chain(variadic).collect());
        code.finish(name, parameters?, fallback, span).map_err(|defect| {
            let at = definition.node.declarator.span;
            match defect {
                Defect::LoopWithoutHead => self
                    .unsupported(format!("`goto` into a loop in the function `{name}`"), at)
                    .note("every loop must be entered at one place; write it as while, do or for"),
                Defect::NoMemory(variable) => self
                    .unsupported(format!("a jump past the declaration of `{variable}` in the function `{name}`"), at)
                    .note("declare the variable before the jump"),
            }
        })
    }

    fn check_labels(&mut self) {
        let missing: Vec<(String, Bytes)> = self
            .frame
            .labels
            .iter()
            .filter(|(_, label)| label.scopes.is_none())
            .map(|(name, label)| (name.clone(), label.at))
            .collect();
        for (name, at) in missing {
            let error = self.error(format!("there is no label `{name}`"), at);
            self.messages.push(error);
        }
    }

    /// Parameters are registers; those that must be in memory are copied there.
    fn declare_parameters(&mut self, signature: &Signature, at: Bytes) -> Lowered<Vec<RegisterId>> {
        let mut registers = Vec::new();
        for (index, (name, _)) in signature.parameters.iter().enumerate() {
            let name = name.clone().unwrap_or_else(|| format!("argument{index}"));
            registers.push(self.code.register(&name));
        }
        for ((name, of), register) in signature.parameters.iter().zip(&registers) {
            self.check_object(of, at)?;
            let Some(name) = name else { continue };
            let value = Typed { operand: Operand::Register(*register), of: of.unqualified() };
            let home = match &of.shape {
                Shape::Record(_) => Home::Memory(self.fresh_copy(value, of, at)?),
                _ if of.atomic || of.volatile || self.frame.addressed.contains(name) => {
                    let target = self.code.register(name);
                    let default = Value::Undefined;
                    self.emit_local(target, default, name, of);
                    let place = Place::Memory(Operand::Register(target), of.unqualified());
                    self.store(&place, value, at)?;
                    Home::Memory(Operand::Register(target))
                }
                _ => Home::Register(*register),
            };
            self.declare(name, Entity::Variable(Variable { of: of.clone(), home }));
        }
        Ok(registers)
    }

    /// Parameters whose values are known are constants.
    fn declare_known(&mut self, signature: &Signature, known: &Known) {
        for (index, value) in known {
            if let Some((Some(name), of)) = signature.parameters.get(*index) {
                let width = of.width().unwrap_or(32);
                let constant = Entity::Constant(Value::int(*value, width), of.unqualified());
                self.declare(&name.clone(), constant);
            }
        }
    }

    /// A call.
    pub fn call(&mut self, call: &ast::CallExpression, at: Bytes) -> Lowered<Typed> {
        let Expression::Identifier(name) = &call.callee.node else { return self.indirect_call(call, at) };
        let name = &name.node.name;
        if matches!(self.find(name), Some(Entity::Variable(_))) {
            return self.indirect_call(call, at);
        }
        let own = self.functions.get(name).is_some_and(|declared| declared.id.is_some());
        // A competition's `assume` is often given a body that aborts, which would be an error here.
        if !own || name.starts_with("lsl_") || name == "assume_abort_if_not" {
            if let Some(done) = self.packed_call(name, call, at) {
                return done;
            }
            if let Some(done) = self.library_call(name, call, at) {
                return done;
            }
        }
        let Some(declared) = self.functions.get(name).cloned() else {
            return Err(self.error(format!("the function `{name}` is not declared"), at));
        };
        let Some(function) = self.specialized(name, &declared, &call.arguments) else {
            let note = "give it a body, or add the file that has it (--with FILE); functions of libraries that are not modelled cannot be called";
            return Err(self.error(format!("the function `{name}` has no body"), at).note(note));
        };
        let arguments = self.arguments(&declared.signature, &call.arguments, at)?;
        // Functions of this prefix run without interruption, by the rules of the verification competition.
        let atomic = name.starts_with("__VERIFIER_atomic_");
        if atomic {
            self.begin_section(false);
        }
        let result = self.call_function(function, arguments, &declared.signature.result);
        if atomic {
            self.end_section(false);
        }
        Ok(result)
    }

    /// The call of a function, whose result has this type.
    pub fn call_function(&mut self, function: FunctionId, arguments: Vec<Operand>, result: &Type) -> Typed {
        let arguments = [self.frame.own.clone(), arguments].concat();
        if result.is_void() {
            self.code.emit(InstructionKind::Call { function, arguments, targets: Vec::new() }, self.here);
            return Typed::void();
        }
        let target = self.code.temporary();
        self.code.emit(InstructionKind::Call { function, arguments, targets: vec![target] }, self.here);
        Typed { operand: Operand::Register(target), of: result.unqualified() }
    }

    fn arguments(&mut self, signature: &Signature, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Vec<Operand>> {
        let expected = signature.parameters.len();
        let is_enough = signature.variadic && arguments.len() > expected;
        if arguments.len() != expected && !is_enough {
            let message = format!("{expected} arguments are expected, here are {}", arguments.len());
            return Err(self.error(message, at));
        }
        let mut values = Vec::new();
        for (argument, (_, of)) in arguments.iter().zip(&signature.parameters) {
            let value = self.value_for(of, argument)?;
            values.push(self.convert(value, of, argument.span)?.operand);
        }
        if signature.variadic {
            values.push(self.pack_arguments(&arguments[expected..])?);
        }
        Ok(values)
    }

    /// A call through a pointer: compared with each function of its type whose address is taken.
    fn indirect_call(&mut self, call: &ast::CallExpression, at: Bytes) -> Lowered<Typed> {
        let callee = match &call.callee.node {
            // `(*f)(x)` is `f(x)`.
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                self.value(&unary.node.operand)?
            }
            _ => self.value(&call.callee)?,
        };
        let Some(Shape::Function(signature)) = callee.of.pointee().map(|to| to.shape.clone()) else {
            return Err(self.error(format!("`{}` is not a function", self.words(call.callee.span)), at));
        };
        let arguments = self.arguments(&signature, &call.arguments, at)?;
        let mut candidates: Vec<(FunctionId, String)> = Vec::new();
        for name in &self.uses.taken {
            if let Some(declared) = self.functions.get(name)
                && let Some(id) = declared.id
                && callable(&declared.signature, &signature)
            {
                candidates.push((id, name.clone()));
            }
        }
        candidates.sort_by_key(|(id, _)| *id);
        let target = self.code.temporary();
        let behind = self.code.block(None);
        for (id, name) in candidates {
            let Some(address) = self.function_address(&name) else { continue };
            let equal = self.code.compute(Operator::Eq, vec![callee.operand.clone(), address], self.here);
            let (this, other) = (self.code.block(None), self.code.block(None));
            let branch = self.branch_to(equal, this, other, Some(behind));
            self.code.end_and_go_on(branch, this);
            let result = self.call_function(id, arguments.clone(), &signature.result);
            if !signature.result.is_void() {
                self.code.assign(target, Operator::Copy, vec![result.operand], self.here);
            }
            self.code.continue_in(behind);
            self.code.write_in(other);
        }
        let message = "a call through a pointer that is not to a function of its type".into();
        let condition = Operand::Constant(Value::int(0, 32));
        self.code.emit(InstructionKind::Assert { condition, message, sort: AssertSort::Error, text: None }, self.here);
        self.code.continue_in(behind);
        if signature.result.is_void() {
            return Ok(Typed::void());
        }
        Ok(Typed { operand: Operand::Register(target), of: signature.result.unqualified() })
    }

    /// The scalar at the start of an object: a lock or flag may be declared as a struct.
    pub fn scalar_at(&mut self, pointer: Typed, at: Bytes) -> Lowered<Place> {
        let mut place = self.pointed(pointer, at)?;
        for _ in 0..16 {
            let Place::Memory(address, of) = &place else { break };
            if of.is_scalar() {
                return Ok(place);
            }
            let (address, of) = (address.clone(), of.clone());
            let Some(part) = self.records.part(&of, 0) else { break };
            place = Place::Memory(address, part);
        }
        Err(self.error("a pointer to a number or pointer is expected", at))
    }

    /// A plain load, whatever the type says.
    pub fn load_plain(&mut self, place: &Place) -> Operand {
        match place {
            Place::Bits(address, field, of) => self.load_bits(address, field, of).operand,
            Place::Register(register, _) => Operand::Register(*register),
            Place::Memory(address, of) => {
                let target = self.code.temporary();
                let access = access(&Type { atomic: false, ..of.clone() });
                self.code.emit(InstructionKind::Load { target, address: address.clone(), access }, self.here);
                Operand::Register(target)
            }
        }
    }
}

/// Whether a function can be called through a pointer of a type.
pub fn callable(function: &Signature, pointer: &Signature) -> bool {
    let same = |a: &Type, b: &Type| match (&a.shape, &b.shape) {
        (Shape::Integer(a), Shape::Integer(b)) => a.width == b.width,
        (Shape::Pointer(_), Shape::Pointer(_)) => true,
        (a, b) => a == b,
    };
    let parameters = function.parameters.iter().zip(&pointer.parameters);
    same(&function.result, &pointer.result)
        && (function.parameters.len() == pointer.parameters.len())
        && function.variadic == pointer.variadic
        && parameters.into_iter().all(|((_, a), (_, b))| same(a, b))
}

/// The names of variables whose address is taken in a function. By name: a variable of that name in another block is
/// in memory too. The `&x` of the expected value of a compare-and-exchange does not count.
fn addressed(definition: &ast::FunctionDefinition) -> HashSet<String> {
    let mut finder = AddressFinder(HashSet::new());
    finder.visit_function_definition(definition, &AstSpan::none());
    finder.0
}

struct AddressFinder(HashSet<String>);

impl<'ast> Visit<'ast> for AddressFinder {
    fn visit_unary_operator_expression(&mut self, unary: &'ast ast::UnaryOperatorExpression, span: &'ast AstSpan) {
        if let Some(name) = address_of_name(unary) {
            self.0.insert(name.to_string());
        }
        visit::visit_unary_operator_expression(self, unary, span);
    }

    fn visit_call_expression(&mut self, call: &'ast ast::CallExpression, span: &'ast AstSpan) {
        let is_exchange = match &call.callee.node {
            Expression::Identifier(name) => is_compare_exchange(&name.node.name),
            _ => false,
        };
        match call.arguments.get(1).map(|argument| &argument.node) {
            Some(Expression::UnaryOperator(unary)) if is_exchange && address_of_name(&unary.node).is_some() => {
                for argument in call.arguments.iter().take(1).chain(call.arguments.iter().skip(2)) {
                    self.visit_expression(&argument.node, &argument.span);
                }
            }
            _ => visit::visit_call_expression(self, call, span),
        }
    }
}
