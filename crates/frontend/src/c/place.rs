//! Places: what an assignment may write and `&` may take the address of.

use lang_c::ast::{self, Expression, MemberOperator, UnaryOperator};
use lang_c::span::Node;
use program::{Access, Extent, Global, InstructionKind, Operand, Operator, Order, Pointer, RegisterId, Storage, Value};

use super::lower::{Bytes, Entity, Home, Lowered, Lowering, Typed};
use super::types::{BitField, Shape, Type, inherit};
use crate::cells::COPY_TAG;

/// Where a value is.
#[derive(Clone, Debug)]
pub enum Place {
    /// In a register.
    Register(RegisterId, Type),
    /// In memory, at an address.
    Memory(Operand, Type),
    /// In some bits of the struct or union at an address.
    Bits(Operand, BitField, Type),
}

impl Place {
    /// The type of what is there, with qualifiers.
    pub fn of(&self) -> &Type {
        match self {
            Place::Register(_, of) | Place::Memory(_, of) | Place::Bits(_, _, of) => of,
        }
    }
}

impl Lowering<'_> {
    /// The place that an expression names.
    pub fn place(&mut self, expression: &Node<Expression>) -> Lowered<Place> {
        let before = self.here;
        self.here = self.span(expression.span);
        let place = self.place_of(expression);
        self.here = before;
        place
    }

    fn place_of(&mut self, expression: &Node<Expression>) -> Lowered<Place> {
        let at = expression.span;
        match &expression.node {
            Expression::Identifier(name) => self.variable(&name.node.name, at),
            Expression::Member(member) => self.member(&member.node, at),
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                let pointer = self.value(&unary.node.operand)?;
                self.pointed(pointer, at)
            }
            Expression::BinaryOperator(binary) if binary.node.operator.node == ast::BinaryOperator::Index => {
                self.element(&binary.node.lhs, &binary.node.rhs, at)
            }
            Expression::StringLiteral(text) => self.string(&text.node, at),
            Expression::CompoundLiteral(literal) => self.compound_literal(&literal.node, at),
            _ => {
                // A struct value has a place of its own, of which members can be taken.
                let value = self.value(expression)?;
                if value.of.is_record() {
                    return Ok(Place::Memory(value.operand, value.of));
                }
                Err(self.error(format!("`{}` is not a place in memory", self.words(at)), at))
            }
        }
    }

    fn variable(&mut self, name: &str, at: Bytes) -> Lowered<Place> {
        match self.find(name) {
            Some(Entity::Variable(variable)) => match &variable.home {
                Home::Register(register) => Ok(Place::Register(*register, variable.of.clone())),
                Home::Memory(address) => Ok(Place::Memory(address.clone(), variable.of.clone())),
                Home::Thread(index) => self.thread_place(*index, &variable.of, at),
                Home::Nowhere => Err(self
                    .error(format!("the variable `{name}` is declared but defined nowhere"), at)
                    .note("add the file that defines it (--with FILE), or leave out `extern`")),
            },
            Some(_) => Err(self.error(format!("`{name}` is not a variable"), at)),
            None if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") => {
                let own = format!("\"{}\"", self.frame.name);
                self.string(&[own], at)
            }
            None => Err(self.error(format!("the variable `{name}` is not declared"), at)),
        }
    }

    /// What a pointer points to.
    pub fn pointed(&self, pointer: Typed, at: Bytes) -> Lowered<Place> {
        match pointer.of.pointee() {
            Some(to) => Ok(Place::Memory(pointer.operand, to.clone())),
            None => Err(self.error(format!("`{}` is not a pointer", self.words(at)), at)),
        }
    }

    fn member(&mut self, member: &ast::MemberExpression, at: Bytes) -> Lowered<Place> {
        let whole = match member.operator.node {
            MemberOperator::Direct => self.place(&member.expression)?,
            MemberOperator::Indirect => {
                let pointer = self.value(&member.expression)?;
                self.pointed(pointer, member.expression.span)?
            }
        };
        self.member_of(whole, &member.identifier.node.name, at)
    }

    /// A member of a struct or union.
    pub fn member_of(&mut self, whole: Place, name: &str, at: Bytes) -> Lowered<Place> {
        let (Place::Memory(mut address, mut of), true) = (whole.clone(), whole.of().is_record()) else {
            let what = self.records.name(whole.of());
            return Err(self.error(format!("a `{what}` has no member `{name}`"), at));
        };
        let Shape::Record(id) = of.shape else { return Err(self.error("not a struct", at)) };
        if of.atomic {
            let note = "C leaves it open what that is; load the struct, and take the member of the copy";
            return Err(self.unsupported(format!("the member `{name}` of an atomic struct"), at).note(note));
        }
        if self.records.get(id).fields.is_none() {
            return Err(self.error(format!("`{}` is not defined", self.records.name(&of)), at));
        }
        let Some(way) = self.records.find(id, name) else {
            return Err(self.error(format!("`{}` has no member `{name}`", self.records.name(&of)), at));
        };
        for (record, index, part) in way {
            if self.records.get(record).union {
                self.views.add();
            }
            if let Some(field) = self.records.bit_field(record, index) {
                return Ok(Place::Bits(address, field, inherit(part, &of)));
            }
            let Some(start) = self.records.member_byte(record, index) else {
                return Err(self.error(format!("`{name}` comes after a member of unknown size"), at));
            };
            address = self.bytes_after(address, start);
            of = inherit(part, &of);
        }
        Ok(Place::Memory(address, of))
    }

    /// The address so many bytes after another.
    pub fn bytes_after(&mut self, address: Operand, bytes: u64) -> Operand {
        if bytes == 0 {
            return address;
        }
        let operands = vec![address, Operand::Constant(Value::int(bytes as i64, 64))];
        self.code.compute(Operator::Step(1), operands, self.here)
    }

    /// The operator that moves a pointer to an object of a type by a number of such objects.
    pub fn step_over(&self, of: &Type, at: Bytes) -> Lowered<Operator> {
        let size = match self.records.size(of).map(|(size, _)| u32::try_from(size)) {
            Some(Ok(size)) => size,
            _ => return Err(self.error(format!("the size of `{}` is not known", self.records.name(of)), at)),
        };
        Ok(Operator::Step(size))
    }

    /// Whether an expression names an array.
    pub fn is_array(&mut self, expression: &Node<Expression>) -> bool {
        self.may_be_place(&expression.node)
            && self.type_of(expression).is_ok_and(|of| matches!(of.shape, Shape::Array(..)))
    }

    /// An element of an array, or of what a pointer points to.
    pub fn element(&mut self, left: &Node<Expression>, right: &Node<Expression>, at: Bytes) -> Lowered<Place> {
        let past = std::mem::take(&mut self.is_address);
        let left_value = if self.may_be_place(&left.node) {
            let place = self.place(left)?;
            if matches!(place.of().shape, Shape::Array(..)) {
                let is_variable = matches!(left.node, Expression::Identifier(_));
                return self.element_in_place((place, is_variable), right, past, at);
            }
            self.load_at(place, left.span)
        } else {
            self.value(left)?
        };
        let right_value = self.value(right)?;
        let (pointer, index) =
            if left_value.of.is_pointer() { (left_value, right_value) } else { (right_value, left_value) };
        let index = self.index(index, at)?;
        let Some(element) = pointer.of.pointee() else {
            return Err(self.error(format!("`{}` is not a pointer", self.words(at)), at));
        };
        let step = self.step_over(element, at)?;
        let address = self.code.compute(step, vec![pointer.operand, index], self.here);
        self.pointed(Typed { operand: address, of: pointer.of }, at)
    }

    /// An array is indexed in place: a variable or a part of one.
    fn element_in_place(
        &mut self,
        (array, is_variable): (Place, bool),
        index: &Node<Expression>,
        past: bool,
        at: Bytes,
    ) -> Lowered<Place> {
        let (Place::Memory(address, of), Shape::Array(element, length)) = (&array, &array.of().shape) else {
            return Err(self.error("an array that is not in memory", at));
        };
        let value = self.value(index)?;
        let value = self.index(value, index.span)?;
        let step = match (self.step_over(element, at)?, length.map(u32::try_from)) {
            // One element at the end of a struct often stands for more.
            (Operator::Step(size), Some(Ok(count @ 1..))) if is_variable || count > 1 => {
                Operator::Element { size, count, past }
            }
            (Operator::Step(size), None | Some(Ok(0))) => Operator::Element { size, count: Operator::ANY_COUNT, past },
            (step, _) => step,
        };
        let address = self.code.compute(step, vec![address.clone(), value], self.here);
        Ok(Place::Memory(address, inherit((**element).clone(), of)))
    }

    /// Whether an expression may be a place.
    fn may_be_place(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Identifier(name) => matches!(self.find(&name.node.name), Some(Entity::Variable(_))),
            Expression::Member(_) | Expression::StringLiteral(_) | Expression::CompoundLiteral(_) => true,
            Expression::UnaryOperator(unary) => unary.node.operator.node == UnaryOperator::Indirection,
            Expression::BinaryOperator(binary) => binary.node.operator.node == ast::BinaryOperator::Index,
            _ => false,
        }
    }

    /// The value at a place that an expression names.
    fn load_at(&mut self, place: Place, at: Bytes) -> Typed {
        let before = self.here;
        self.here = self.span(at);
        let value = self.load(place);
        self.here = before;
        value
    }

    /// An index or distance as a signed number of 64 bits.
    pub fn index(&mut self, index: Typed, at: Bytes) -> Lowered<Operand> {
        match index.of.as_integer() {
            Some(_) => self.convert(index, &Type::integer(64, true), at).map(|index| index.operand),
            None => Err(self.error("an index that is not an integer", at)),
        }
    }

    /// The value at a place. Arrays become pointers to their first element.
    pub fn load(&mut self, place: Place) -> Typed {
        match place {
            Place::Register(register, of) => {
                self.check_written(register);
                Typed { operand: Operand::Register(register), of: of.unqualified() }
            }
            Place::Bits(address, field, of) => self.load_bits(&address, &field, &of),
            Place::Memory(address, of) => match &of.shape {
                Shape::Array(element, length) => {
                    let is_small = self.records.size(element).is_some_and(|(size, _)| size <= 2);
                    let is_open = matches!(length, None | Some(0));
                    let bounded = matches!(address, Operand::Register(_)) && (is_small || is_open);
                    let operand = if bounded { self.first_element(address, element, *length) } else { address };
                    Typed { operand, of: inherit((**element).clone(), &of).pointer() }
                }
                Shape::Function(_) => Typed { operand: address, of: of.pointer() },
                Shape::Record(_) if of.atomic => {
                    let access = self.struct_access(&of, Order::SeqCst);
                    self.load_struct(address, &of, access)
                }
                Shape::Record(_) | Shape::Void => Typed { operand: address, of: of.unqualified() },
                _ => {
                    let target = self.code.temporary();
                    let access = access(&of);
                    self.code.emit(InstructionKind::Load { target, address, access }, self.here);
                    Typed { operand: Operand::Register(target), of: of.unqualified() }
                }
            },
        }
    }

    /// The value at a place that is only copied, as a part of an object: it may never have been written.
    pub fn load_copied(&mut self, place: Place) -> Typed {
        match place {
            Place::Memory(address, of) if of.is_scalar() => {
                let target = self.code.temporary();
                let access = access(&of).tagged(COPY_TAG);
                self.code.emit(InstructionKind::Load { target, address, access }, self.here);
                Typed { operand: Operand::Register(target), of: of.unqualified() }
            }
            place => self.load(place),
        }
    }

    /// An error if the variable in a register was never written, where that is not certain.
    fn check_written(&mut self, register: RegisterId) {
        if self.frame.unwritten.contains(&register) {
            self.code.assign(register, Operator::Defined, vec![Operand::Register(register)], self.here);
        }
    }

    /// The address of the first element of an array, from which only elements of the array are reached: so it is known that
    /// accesses of single bytes do not meet the members beside it.
    pub fn first_element(&mut self, address: Operand, element: &Type, length: Option<u64>) -> Operand {
        let size = self.records.size(element).and_then(|(size, _)| u32::try_from(size).ok());
        let count = match length.map(u32::try_from) {
            Some(Ok(count @ 2..)) => count,
            None | Some(Ok(0)) => Operator::ANY_COUNT,
            _ => return address,
        };
        let Some(size) = size else { return address };
        let target = self.code.temporary();
        let operands = vec![address, Operand::Constant(Value::int(0, 64))];
        self.code.assign(target, Operator::Element { size, count, past: true }, operands, self.here);
        Operand::Register(target)
    }

    /// Writes a value, converted to the type of the place; gives the value written.
    pub fn store(&mut self, place: &Place, value: Typed, at: Bytes) -> Lowered<Typed> {
        let how = access(place.of());
        self.store_as(place, value, how, at)
    }

    /// Writes a value by this access, converted to the type of the place; gives the value written.
    pub fn store_as(&mut self, place: &Place, value: Typed, access: Access, at: Bytes) -> Lowered<Typed> {
        let of = place.of().clone();
        match &of.shape {
            Shape::Integer(_) | Shape::Float(_) | Shape::Pointer(_) => {
                let value = self.convert(value, &of, at)?;
                match place {
                    Place::Bits(address, field, _) => return Ok(self.store_bits(address, field, &of, value.operand)),
                    Place::Register(register, _) => {
                        self.code.assign(*register, Operator::Copy, vec![value.operand.clone()], self.here);
                    }
                    Place::Memory(address, _) => {
                        let (address, value) = (address.clone(), value.operand.clone());
                        self.code.emit(InstructionKind::Store { address, value, access }, self.here);
                    }
                }
                Ok(value)
            }
            Shape::Record(_) => {
                let value = if self.is_int128(&of).is_some() { self.convert(value, &of, at)? } else { value };
                if value.of.shape != of.shape {
                    let (is, wanted) = (self.records.name(&value.of), self.records.name(&of));
                    return Err(self.error(format!("a `{is}` where a `{wanted}` is expected"), at));
                }
                let Place::Memory(address, _) = place else { return Err(self.error("a struct in a register", at)) };
                if of.atomic {
                    let access = self.struct_access(&of, access.order);
                    self.store_struct(address.clone(), &of, &value, access, at)?;
                    return Ok(value);
                }
                self.copy(address.clone(), value.operand.clone(), &of, at)?;
                Ok(Typed { operand: address.clone(), of: of.unqualified() })
            }
            _ => Err(self.error(format!("a `{}` cannot be assigned", self.records.name(&of)), at)),
        }
    }

    /// Copies a struct cell by cell.
    pub fn copy(&mut self, to: Operand, from: Operand, of: &Type, at: Bytes) -> Lowered<()> {
        for (path, part) in self.cells(of, at)? {
            let start = self.records.byte(of, &path).unwrap_or(0);
            let source = self.bytes_after(from.clone(), start);
            let target = self.bytes_after(to.clone(), start);
            let value = self.load_copied(Place::Memory(source, part.clone()));
            self.store(&Place::Memory(target, part), value, at)?;
        }
        self.copy_padding(&to, &from, of);
        Ok(())
    }

    /// The cells of an object of a type.
    pub fn cells(&self, of: &Type, at: Bytes) -> Lowered<Vec<(Vec<i64>, Type)>> {
        self.records.cells(of).ok_or_else(|| {
            let what = format!("an object of the type `{}` as a whole", self.records.name(of));
            self.unsupported(what, at).note("it is too large or incomplete")
        })
    }

    /// A string is an array of characters.
    fn string(&mut self, parts: &[String], at: Bytes) -> Lowered<Place> {
        let bytes = self.string_bytes(parts, at)?;
        let length = bytes.len() as u64 + 1;
        let values = bytes.iter().chain([&0]).map(|byte| Value::int(i64::from(*byte as i8), 8));
        let cells = values.enumerate().map(|(index, value)| (Pointer::byte_path(index as i64), value)).collect();
        let extent = Some(Extent::of(length, 1, Storage::ReadOnly));
        let global = Global { name: "string".into(), cells, default: Value::Undefined, extent, span: self.span(at) };
        let id = self.add_global(global);
        let of = Type::new(Shape::Array(Type::integer(8, true).into(), Some(length)));
        Ok(Place::Memory(Operand::Constant(Value::Pointer(Pointer::to(id.0))), of))
    }

    /// The bytes of a string literal, without the final zero.
    pub fn string_bytes(&self, parts: &[String], at: Bytes) -> Lowered<Vec<u8>> {
        let mut bytes = Vec::new();
        for part in parts {
            let inner = part.strip_prefix('"').and_then(|part| part.strip_suffix('"'));
            let Some(inner) = inner else {
                return Err(self.unsupported("a string of wide characters", at));
            };
            bytes.extend(super::literal::unescape(inner).ok_or_else(|| self.error("an escape that C has not", at))?);
        }
        Ok(bytes)
    }
}

/// How an access of an object of a type is seen.
pub fn access(of: &Type) -> Access {
    let access = if of.atomic { Access::ordered(Order::SeqCst) } else { Access::plain() };
    let access = access.of_bytes(of.width().unwrap_or(0) / 8);
    if of.volatile { access.tagged("volatile") } else { access }
}
