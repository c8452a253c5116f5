//! Values of expressions.
//!
//! Where C leaves the order of evaluation open, operands are evaluated from left to right, the place of an assignment
//! before its value.

use lang_c::ast::{self, BinaryOperator, Expression, UnaryOperator};
use lang_c::span::Node;
use program::{BlockId, Operand, Operator, RegisterId, Terminator, Value};

use super::float::common;
use super::lower::{Bytes, Entity, Lowered, Lowering, Typed};
use super::place::Place;
use super::preprocess::{CONDITION, THROUGH_POINTER};
use super::types::{Shape, Type};

impl Lowering<'_> {
    /// The value of an expression.
    pub fn value(&mut self, expression: &Node<Expression>) -> Lowered<Typed> {
        let before = self.here;
        self.here = self.span(expression.span);
        self.refused.depth += 1;
        let value = self.value_of(expression);
        self.refused.depth -= 1;
        self.here = before;
        if value.is_err() && self.refused.depth == 0 {
            self.failed_at(expression);
        }
        value
    }

    fn value_of(&mut self, expression: &Node<Expression>) -> Lowered<Typed> {
        let at = expression.span;
        match &expression.node {
            Expression::Identifier(name) => self.named(&name.node.name, expression),
            Expression::Constant(constant) => self.literal(&constant.node, at),
            Expression::Member(_) | Expression::StringLiteral(_) | Expression::CompoundLiteral(_) => {
                self.loaded(expression)
            }
            Expression::Call(call) => self.call(&call.node, at),
            Expression::SizeOfTy(of) => {
                let of = self.type_name(&of.node.0)?;
                self.size_of(&of, at)
            }
            Expression::SizeOfVal(of) => {
                let (place, _) = self.aside(|lowering| lowering.unevaluated(&of.node.0));
                self.size_of(&place?, at)
            }
            Expression::AlignOf(of) => {
                let of = self.type_name(&of.node.0)?;
                match self.records.size(&of) {
                    Some((_, align)) => Ok(size(align)),
                    None => Err(self.error("the alignment of an incomplete type", at)),
                }
            }
            Expression::UnaryOperator(unary) => self.unary(&unary.node, expression),
            Expression::Cast(cast) => {
                let to = self.type_name(&cast.node.type_name)?;
                self.cast(&to, &cast.node.expression, at)
            }
            Expression::BinaryOperator(binary) => self.binary_expression(&binary.node, expression),
            Expression::Conditional(conditional) => self.conditional(&conditional.node, at),
            Expression::Comma(list) => {
                let mut last = Typed::void();
                for part in list.iter() {
                    last = self.value(part)?;
                }
                Ok(last)
            }
            Expression::Statement(statement) => self.statement_expression(statement),
            Expression::GenericSelection(selection) => {
                let chosen = self.generic(&selection.node, at)?;
                self.value(chosen)
            }
            Expression::OffsetOf(offset) => self.offset_of(&offset.node, at),
            Expression::VaArg(argument) => self.next_argument(&argument.node, at),
        }
    }

    /// The expression that `_Generic` chooses. `long` and `long long` are one type here, and so are types that differ in `const`:
    /// where several fit, it is not known which.
    fn generic<'e>(&mut self, selection: &'e ast::GenericSelection, at: Bytes) -> Lowered<&'e Node<Expression>> {
        let of = self.aside(|lowering| lowering.value(&selection.expression)).0?.of;
        let (mut fitting, mut default) = (Vec::new(), None);
        for association in &selection.associations {
            match &association.node {
                ast::GenericAssociation::Type(association) => {
                    if self.type_name(&association.node.type_name)? == of {
                        fitting.push(&*association.node.expression);
                    }
                }
                ast::GenericAssociation::Default(expression) => default = Some(&**expression),
            }
        }
        match (&fitting[..], default) {
            ([one], _) => Ok(one),
            ([], Some(default)) => Ok(default),
            ([], None) => Err(self.error("no type of this `_Generic` fits", at)),
            _ => Err(self.unsupported("`_Generic` with types that are alike here", at)),
        }
    }

    /// The byte that a part of an object starts at.
    fn offset_of(&mut self, offset: &ast::OffsetOfExpression, at: Bytes) -> Lowered<Typed> {
        let mut of = self.type_name(&offset.type_name)?;
        let base = &offset.designator.node.base;
        let mut bytes = self.member_offset(&mut of, &base.node.name, base.span)?;
        for member in &offset.designator.node.members {
            match &member.node {
                ast::OffsetMember::Member(name) => bytes += self.member_offset(&mut of, &name.node.name, name.span)?,
                ast::OffsetMember::Index(index) => {
                    let number = u64::try_from(self.constant_integer(index)?).unwrap_or(0);
                    let Shape::Array(element, _) = of.shape.clone() else {
                        return Err(self.error("an index of what is no array", index.span));
                    };
                    of = (*element).clone();
                    bytes += number * self.records.size(&of).map_or(0, |(size, _)| size);
                }
                ast::OffsetMember::IndirectMember(name) => {
                    return Err(self.error("offsetof does not go through pointers", name.span));
                }
            }
        }
        self.convert(Typed::int(bytes as i64), &Type::size(), at)
    }

    /// The byte that a member starts at; `of` becomes its type.
    fn member_offset(&mut self, of: &mut Type, name: &str, at: Bytes) -> Lowered<u64> {
        let Shape::Record(id) = of.shape else { return Err(self.error("not a struct", at)) };
        let Some(way) = self.records.find(id, name) else {
            return Err(self.error(format!("`{}` has no member `{name}`", self.records.name(of)), at));
        };
        let mut bytes = 0;
        for (record, index, part) in way {
            if self.records.get(record).bits.contains_key(&index) {
                return Err(self.error(format!("the offset of the bit-field `{name}`"), at));
            }
            bytes += self.records.member_byte(record, index).unwrap_or(0);
            *of = part;
        }
        Ok(bytes)
    }

    /// The type of an expression that is not evaluated; arrays stay arrays.
    fn unevaluated(&mut self, expression: &Node<Expression>) -> Lowered<Type> {
        let place_like = match &expression.node {
            Expression::Identifier(name) => {
                !matches!(self.find(&name.node.name), Some(Entity::Constant(..) | Entity::Function))
            }
            Expression::Member(_) | Expression::StringLiteral(_) | Expression::CompoundLiteral(_) => true,
            Expression::UnaryOperator(unary) => unary.node.operator.node == UnaryOperator::Indirection,
            Expression::BinaryOperator(binary) => binary.node.operator.node == BinaryOperator::Index,
            _ => false,
        };
        if place_like {
            return self.place(expression).map(|place| place.of().clone());
        }
        self.value(expression).map(|value| value.of)
    }

    /// The type of an expression.
    pub fn type_of(&mut self, expression: &Node<Expression>) -> Lowered<Type> {
        self.aside(|lowering| lowering.unevaluated(expression)).0
    }

    fn size_of(&mut self, of: &Type, at: Bytes) -> Lowered<Typed> {
        match self.records.size(of) {
            Some((bytes, _)) => Ok(size(bytes)),
            None if matches!(of.shape, Shape::Array(..)) => {
                Err(self.unsupported("the size of an array whose length is not constant", at))
            }
            None => Err(self.error(format!("the size of the incomplete type `{}`", self.records.name(of)), at)),
        }
    }

    fn loaded(&mut self, expression: &Node<Expression>) -> Lowered<Typed> {
        let place = self.place(expression)?;
        if place.of().is_void() {
            return Err(self.error("the value of a `void` place", expression.span));
        }
        Ok(self.load(place))
    }

    fn named(&mut self, name: &str, expression: &Node<Expression>) -> Lowered<Typed> {
        match self.find(name) {
            Some(Entity::Constant(value, of)) => {
                Ok(Typed { operand: Operand::Constant(value.clone()), of: of.clone() })
            }
            Some(Entity::Function) => self.function_value(name, expression.span),
            Some(Entity::Variable(_)) => self.loaded(expression),
            Some(Entity::Typedef(_)) => Err(self.error(format!("`{name}` is a type"), expression.span)),
            None if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") => self.loaded(expression),
            None => Err(self.error(format!("`{name}` is not declared"), expression.span)),
        }
    }

    /// A function as a value: its address.
    pub fn function_value(&mut self, name: &str, at: Bytes) -> Lowered<Typed> {
        let has_body = |name: &str| self.functions.get(name).is_some_and(|declared| declared.id.is_some());
        let own = format!("{THROUGH_POINTER}{name}");
        let name = if !has_body(name) && has_body(&own) { &own } else { name };
        let signature = self.functions.get(name).map(|declared| declared.signature.clone());
        match (signature, self.function_address(name)) {
            (Some(signature), Some(operand)) => {
                Ok(Typed { operand, of: Type::new(Shape::Function(signature)).pointer() })
            }
            _ => Err(self.error(format!("`{name}` is not a function"), at)),
        }
    }

    fn unary(&mut self, unary: &ast::UnaryOperatorExpression, expression: &Node<Expression>) -> Lowered<Typed> {
        let at = expression.span;
        match unary.operator.node {
            UnaryOperator::PreIncrement => self.step(&unary.operand, BinaryOperator::Plus, false, at),
            UnaryOperator::PreDecrement => self.step(&unary.operand, BinaryOperator::Minus, false, at),
            UnaryOperator::PostIncrement => self.step(&unary.operand, BinaryOperator::Plus, true, at),
            UnaryOperator::PostDecrement => self.step(&unary.operand, BinaryOperator::Minus, true, at),
            UnaryOperator::Address => self.address(&unary.operand, at),
            UnaryOperator::Indirection => self.loaded(expression),
            UnaryOperator::Plus => {
                let value = self.value(&unary.operand)?;
                if value.of.as_float().is_some() { Ok(value) } else { self.promote(value, at) }
            }
            UnaryOperator::Minus => self.negated(&unary.operand, Operator::Neg, at),
            UnaryOperator::Complement => self.negated(&unary.operand, Operator::Not, at),
            UnaryOperator::Negate => {
                let value = self.value(&unary.operand)?;
                let value = self.as_condition(value, at)?;
                let operand = self.code.compute(Operator::IsFalse, vec![value.operand], self.here);
                Ok(Typed { operand, of: Type::int() })
            }
        }
    }

    fn negated(&mut self, operand: &Node<Expression>, operator: Operator, at: Bytes) -> Lowered<Typed> {
        let value = self.value(operand)?;
        if let Some(width) = value.of.as_float().filter(|_| operator == Operator::Neg) {
            return Ok(self.negated_float(value, width));
        }
        let from = value.of.as_integer();
        let value = self.promote(value, at)?;
        let operator = match (operator, from.zip(value.of.as_integer())) {
            (Operator::Neg, Some((from, to))) if to.signed && from.signed_bits() == to.width => Operator::NegSigned,
            (operator, _) => operator,
        };
        Ok(Typed { operand: self.code.compute(operator, vec![value.operand], self.here), of: value.of })
    }

    fn address(&mut self, operand: &Node<Expression>, at: Bytes) -> Lowered<Typed> {
        if let Expression::Identifier(name) = &operand.node
            && matches!(self.find(&name.node.name), Some(Entity::Function))
        {
            return self.function_value(&name.node.name, at);
        }
        self.is_address = matches!(&operand.node, Expression::BinaryOperator(_));
        let place = self.place(operand);
        self.is_address = false;
        match place? {
            Place::Memory(address, of) => Ok(Typed { operand: address, of: of.pointer() }),
            Place::Register(..) | Place::Bits(..) => {
                Err(self.error(format!("the address of `{}`", self.words(operand.span)), at))
            }
        }
    }

    /// A pointer that is followed at once: `&a[i]` is then an element that there is, and not the place behind the last.
    pub fn followed(&mut self, argument: &Node<Expression>) -> Lowered<Typed> {
        if let Expression::UnaryOperator(unary) = &argument.node
            && unary.node.operator.node == UnaryOperator::Address
            && matches!(unary.node.operand.node, Expression::BinaryOperator(_))
            && let Place::Memory(operand, of) = self.place(&unary.node.operand)?
        {
            return Ok(Typed { operand, of: of.pointer() });
        }
        self.value(argument)
    }

    /// Requires a number or pointer.
    pub fn check_scalar(&self, value: &Typed, at: Bytes) -> Lowered<()> {
        if value.of.is_scalar() {
            return Ok(());
        }
        Err(self.error(format!("a `{}` where a number or pointer is expected", self.records.name(&value.of)), at))
    }

    fn binary_expression(
        &mut self,
        binary: &ast::BinaryOperatorExpression,
        expression: &Node<Expression>,
    ) -> Lowered<Typed> {
        let at = expression.span;
        let operator = &binary.operator.node;
        match operator {
            BinaryOperator::Index => self.loaded(expression),
            BinaryOperator::LogicalAnd => self.logical(binary, true, at),
            BinaryOperator::LogicalOr => self.logical(binary, false, at),
            BinaryOperator::Assign => {
                let place = self.place(&binary.lhs)?;
                let value = match self.copied_byte(&place, &binary.rhs)? {
                    Some(byte) => byte,
                    None => self.value_for(place.of(), &binary.rhs)?,
                };
                self.store(&place, value, at)
            }
            _ => match compound(operator) {
                Some(operator) => self.compound_assignment(&binary.lhs, operator, &binary.rhs, at),
                None if *operator == BinaryOperator::Plus && self.is_array(&binary.lhs) => {
                    // `a + i` is `&a[i]`, and stays in the array.
                    self.is_address = true;
                    let place = self.element(&binary.lhs, &binary.rhs, at)?;
                    match place {
                        Place::Memory(address, of) => Ok(Typed { operand: address, of: of.pointer() }),
                        _ => Err(self.error("an array that is not in memory", at)),
                    }
                }
                None => {
                    let left = self.value(&binary.lhs)?;
                    let right = self.value(&binary.rhs)?;
                    self.binary(operator, left, right, at)
                }
            },
        }
    }

    /// The value of a byte that is only copied to another, as programs copy objects that have padding: it may never have been written.
    fn copied_byte(&mut self, target: &Place, value: &Node<Expression>) -> Lowered<Option<Typed>> {
        let is_byte = |place: &Place| match place {
            Place::Memory(_, of) => !of.atomic && of.unqualified() == Type::integer(8, false),
            _ => false,
        };
        let is_place = match &value.node {
            Expression::UnaryOperator(unary) => unary.node.operator.node == UnaryOperator::Indirection,
            Expression::BinaryOperator(binary) => binary.node.operator.node == BinaryOperator::Index,
            _ => false,
        };
        if !is_place || !is_byte(target) {
            return Ok(None);
        }
        let before = self.here;
        self.here = self.span(value.span);
        let source = self.place(value)?;
        if source.of().is_void() {
            return Err(self.error("the value of a `void` place", value.span));
        }
        let byte = if is_byte(&source) { self.load_copied(source) } else { self.load(source) };
        self.here = before;
        Ok(Some(byte))
    }

    fn compound_assignment(
        &mut self,
        target: &Node<Expression>,
        operator: BinaryOperator,
        value: &Node<Expression>,
        at: Bytes,
    ) -> Lowered<Typed> {
        let place = self.place(target)?;
        if place.of().atomic {
            let value = self.value(value)?;
            return self.atomic_update(place, operator, value, false, at);
        }
        let old = self.load(place.clone());
        let value = self.value(value)?;
        let new = self.binary(&operator, old, value, at)?;
        self.store(&place, new, at)
    }

    fn step(
        &mut self,
        target: &Node<Expression>,
        operator: BinaryOperator,
        old_value: bool,
        at: Bytes,
    ) -> Lowered<Typed> {
        let place = self.place(target)?;
        self.check_scalar(&Typed { operand: Operand::Constant(Value::Undefined), of: place.of().unqualified() }, at)?;
        if place.of().atomic {
            return self.atomic_update(place, operator, Typed::int(1), old_value, at);
        }
        let mut old = self.load(place.clone());
        if old_value && matches!(place, Place::Register(..)) {
            // The register changes before the old value is used.
            let kept = self.code.temporary();
            self.code.assign(kept, Operator::Copy, vec![old.operand], self.here);
            old.operand = Operand::Register(kept);
        }
        let new = self.binary(&operator, old.clone(), Typed::int(1), at)?;
        let new = self.store(&place, new, at)?;
        Ok(if old_value { old } else { new })
    }

    /// `&&` and `||` as a value.
    fn logical(&mut self, binary: &ast::BinaryOperatorExpression, and: bool, at: Bytes) -> Lowered<Typed> {
        let left = self.value(&binary.lhs)?;
        let left = self.as_condition(left, at)?;
        if let Some(known) = truth(&left) {
            if known != and {
                return Ok(Typed::int(i64::from(!and)));
            }
            let right = self.value(&binary.rhs)?;
            return self.as_flag(right, at);
        }
        let target = self.code.temporary();
        let (more, behind) = (self.code.block(None), self.code.block(None));
        let short = Operand::Constant(Value::int(i64::from(!and), 32));
        self.code.assign(target, Operator::Copy, vec![short], self.here);
        let (then, otherwise) = if and { (more, behind) } else { (behind, more) };
        let branch = self.branch_to(left.operand, then, otherwise, Some(behind));
        self.code.end_and_go_on(branch, more);
        let right = self.value(&binary.rhs)?;
        let right = self.as_flag(right, at)?;
        self.code.assign(target, Operator::Copy, vec![right.operand], self.here);
        self.code.continue_in(behind);
        Ok(Typed { operand: Operand::Register(target), of: Type::int() })
    }

    /// 1 if a value is true, else 0.
    fn as_flag(&mut self, value: Typed, at: Bytes) -> Lowered<Typed> {
        let value = self.as_condition(value, at)?;
        let negated = self.code.compute(Operator::IsFalse, vec![value.operand], self.here);
        Ok(Typed { operand: self.code.compute(Operator::IsFalse, vec![negated], self.here), of: Type::int() })
    }

    /// A branch at the current place of the source.
    pub fn branch_to(
        &self,
        condition: Operand,
        then: BlockId,
        otherwise: BlockId,
        join: Option<BlockId>,
    ) -> Terminator {
        Terminator::Branch { condition, then, otherwise, join, span: self.here }
    }

    /// Goes to one of two blocks by the truth of an expression. `join` is where the control dependency ends.
    pub fn condition(
        &mut self,
        expression: &Node<Expression>,
        then: BlockId,
        otherwise: BlockId,
        join: BlockId,
    ) -> Lowered<()> {
        if let Expression::BinaryOperator(binary) = &expression.node {
            let and = binary.node.operator.node == BinaryOperator::LogicalAnd;
            if and || binary.node.operator.node == BinaryOperator::LogicalOr {
                let more = self.code.block(None);
                let (first_then, first_otherwise) = if and { (more, otherwise) } else { (then, more) };
                if let Err(message) = self.condition(&binary.node.lhs, first_then, first_otherwise, join) {
                    self.failed_at(expression);
                    return Err(message);
                }
                self.code.write_in(more);
                return self.condition(&binary.node.rhs, then, otherwise, join);
            }
        }
        if let Expression::UnaryOperator(unary) = &expression.node
            && unary.node.operator.node == UnaryOperator::Negate
        {
            return self.condition(&unary.node.operand, otherwise, then, join);
        }
        let value = self.value(expression)?;
        let before = self.here;
        self.here = self.span(expression.span);
        let value = self.as_condition(value, expression.span)?;
        let terminator = match truth(&value) {
            Some(true) => Terminator::Jump(then),
            Some(false) => Terminator::Jump(otherwise),
            None => self.branch_to(value.operand, then, otherwise, Some(join)),
        };
        self.code.end(terminator);
        self.here = before;
        Ok(())
    }

    fn conditional(&mut self, conditional: &ast::ConditionalExpression, at: Bytes) -> Lowered<Typed> {
        let whole = self.value(&conditional.condition)?;
        let condition = self.as_condition(whole.clone(), conditional.condition.span)?;
        if let Some(known) = truth(&condition) {
            let (taken, other) = (&conditional.then_expression, &conditional.else_expression);
            let (taken, other) = if known { (taken, other) } else { (other, taken) };
            let value = if is_omitted(taken) { whole.clone() } else { self.value(taken)? };
            let other = if is_omitted(other) { whole } else { self.aside(|lowering| lowering.value(other)).0? };
            let of = self.either(&value, &other, at)?;
            return self.convert(value, &of, at);
        }
        let (then, otherwise, behind) = (self.code.block(None), self.code.block(None), self.code.block(None));
        let branch = self.branch_to(condition.operand, then, otherwise, Some(behind));
        self.code.end_and_go_on(branch, then);
        let first = match is_omitted(&conditional.then_expression) {
            true => whole,
            false => self.value(&conditional.then_expression)?,
        };
        let first_end = self.code.current();
        self.code.write_in(otherwise);
        let second = self.value(&conditional.else_expression)?;
        let second_end = self.code.current();
        let of = self.either(&first, &second, at)?;
        let target = self.code.temporary();
        for (value, end) in [(first, first_end), (second, second_end)] {
            self.code.write_in(end);
            self.arm(target, value, &of, at)?;
            self.code.continue_in(behind);
        }
        Ok(Typed { operand: Operand::Register(target), of })
    }

    fn arm(&mut self, target: RegisterId, value: Typed, of: &Type, at: Bytes) -> Lowered<()> {
        if !of.is_void() {
            let value = self.convert(value, of, at)?;
            self.code.assign(target, Operator::Copy, vec![value.operand], self.here);
        }
        Ok(())
    }

    /// The type of a value that is one of two.
    fn either(&self, first: &Typed, second: &Typed, at: Bytes) -> Lowered<Type> {
        if first.of.is_void() || second.of.is_void() {
            return Ok(Type::void());
        }
        if let (Some(a), Some(b)) = (first.of.as_integer(), second.of.as_integer()) {
            return Ok(Type::new(Shape::Integer(a.common(b))));
        }
        if let Some(of) = common(&first.of, &second.of) {
            return Ok(of);
        }
        let to_void = |of: &Type| of.pointee().is_some_and(Type::is_void);
        match (first.of.is_pointer(), second.of.is_pointer()) {
            (true, true) if to_void(&first.of) => Ok(second.of.clone()),
            (true, _) => Ok(first.of.clone()),
            (false, true) => Ok(second.of.clone()),
            _ if first.of == second.of => Ok(first.of.clone()),
            _ => Err(self.error("the two values have different types", at)),
        }
    }
}

/// Whether this is the middle of `a ?: b`, which stands for the condition.
fn is_omitted(expression: &Node<Expression>) -> bool {
    matches!(&expression.node, Expression::Identifier(name) if name.node.name == CONDITION)
}

/// The truth of a value that is known.
pub fn truth(value: &Typed) -> Option<bool> {
    match &value.operand {
        Operand::Constant(value) => value.truth(),
        Operand::Register(_) => None,
    }
}

fn size(bytes: u64) -> Typed {
    Typed { operand: Operand::Constant(Value::int(bytes as i64, 64)), of: Type::size() }
}

/// The operator of a compound assignment.
fn compound(operator: &BinaryOperator) -> Option<BinaryOperator> {
    Some(match operator {
        BinaryOperator::AssignMultiply => BinaryOperator::Multiply,
        BinaryOperator::AssignDivide => BinaryOperator::Divide,
        BinaryOperator::AssignModulo => BinaryOperator::Modulo,
        BinaryOperator::AssignPlus => BinaryOperator::Plus,
        BinaryOperator::AssignMinus => BinaryOperator::Minus,
        BinaryOperator::AssignShiftLeft => BinaryOperator::ShiftLeft,
        BinaryOperator::AssignShiftRight => BinaryOperator::ShiftRight,
        BinaryOperator::AssignBitwiseAnd => BinaryOperator::BitwiseAnd,
        BinaryOperator::AssignBitwiseXor => BinaryOperator::BitwiseXor,
        BinaryOperator::AssignBitwiseOr => BinaryOperator::BitwiseOr,
        _ => return None,
    })
}
