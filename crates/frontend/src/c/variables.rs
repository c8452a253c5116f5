//! Variables: declarations in files and functions, and their initial values.

use std::collections::BTreeMap;

use lang_c::ast::{self, Expression, StorageClassSpecifier};
use lang_c::span::Node;
use program::{
    AssertSort, Extent, Global, InstructionKind, Operand, Operator, Pointer, RegisterId, Span, Storage, Value,
};

use super::initialize::{Given, Initial};
use super::lower::{Bytes, Declared, Entity, Home, Lowered, Lowering, Scope, Typed, Variable};
use super::place::Place;
use super::types::{BitField, Shape, Type};

/// Initial values of cells, by path.
type Cells = Vec<(Vec<i64>, Value)>;

/// How many scopes are open in a function outside of its blocks: those of the file, of its parameters and of its body.
const OF_FUNCTION: usize = 3;

impl Lowering<'_> {
    /// A declaration outside of functions.
    pub fn file_declaration(&mut self, declaration: &Node<ast::Declaration>) -> Lowered<()> {
        let base = self.base(&declaration.node.specifiers, declaration.span)?;
        for declarator in &declaration.node.declarators {
            let at = declarator.node.declarator.span;
            let (name, of) = self.declarator(base.of.clone(), &declarator.node.declarator)?;
            let Some(name) = name else { continue };
            let initializer = declarator.node.initializer.as_ref();
            match (&base.storage, &of.shape) {
                (Some(StorageClassSpecifier::Typedef), _) => self.declare(&name, Entity::Typedef(of)),
                (_, Shape::Function(_)) => self.declare_function(&name, &of, at)?,
                (storage, _) if base.is_thread_local => {
                    let external = *storage == Some(StorageClassSpecifier::Extern);
                    self.thread_local(&name, &name, of, initializer, external, at)?;
                }
                (storage, _) => {
                    let external = *storage == Some(StorageClassSpecifier::Extern);
                    self.global_variable(&name, of, initializer, external, at)?;
                }
            }
        }
        Ok(())
    }

    /// Notes the type of a function.
    pub fn declare_function(&mut self, name: &str, of: &Type, at: Bytes) -> Lowered<()> {
        let Shape::Function(signature) = &of.shape else { return Err(self.error("not a function", at)) };
        if let Some(Entity::Variable(_)) = self.scopes[0].names.get(name) {
            return Err(self.error(format!("`{name}` is declared as a variable before"), at));
        }
        match self.functions.get_mut(name) {
            Some(known) if signature.prototype => known.signature = signature.clone(),
            Some(_) => {}
            None => {
                let declared = Declared { signature: signature.clone(), id: None, address: None };
                self.functions.insert(name.to_string(), declared);
            }
        }
        self.scopes[0].names.insert(name.to_string(), Entity::Function);
        Ok(())
    }

    fn global_variable(
        &mut self,
        name: &str,
        of: Type,
        initializer: Option<&Node<ast::Initializer>>,
        external: bool,
        at: Bytes,
    ) -> Lowered<()> {
        let known = match self.scopes[0].names.get(name) {
            Some(Entity::Variable(variable)) => Some(variable.clone()),
            Some(_) => return Err(self.error(format!("`{name}` is declared as something else before"), at)),
            None => None,
        };
        if known.as_ref().is_some_and(|known| !self.compatible(&known.of, &of)) {
            return Err(self.error(format!("`{name}` is declared with another type before"), at));
        }
        if external && initializer.is_none() {
            if known.is_none() {
                self.declare(name, Entity::Variable(Variable { of, home: Home::Nowhere }));
            }
            return Ok(());
        }
        let existing = match known {
            Some(Variable { home: Home::Memory(Operand::Constant(Value::Pointer(pointer))), .. }) => {
                Some(pointer.allocation as usize)
            }
            _ => None,
        };
        if existing.is_some() && initializer.is_none() {
            return Ok(());
        }
        // The variable may appear in its own initial value.
        let id = match existing {
            Some(index) => index,
            None => self.add_global(undefined_global(name, None, self.span(at))).0 as usize,
        };
        let home = Home::Memory(Operand::Constant(Value::Pointer(Pointer::to(id as u32))));
        self.declare(name, Entity::Variable(Variable { of: of.clone(), home: home.clone() }));
        let (of, cells) = self.static_cells(of, initializer, at)?;
        self.fill(id, &of, cells);
        self.declare(name, Entity::Variable(Variable { of, home }));
        Ok(())
    }

    /// Whether two declarations of a variable may stand together: an array may lack its length in one of them.
    fn compatible(&self, first: &Type, second: &Type) -> bool {
        match (&first.shape, &second.shape) {
            (Shape::Array(a, one), Shape::Array(b, two)) => {
                self.compatible(a, b) && (one.is_none() || two.is_none() || one == two)
            }
            // Names of parameters make no difference.
            (Shape::Pointer(_), Shape::Pointer(_)) => self.records.name(first) == self.records.name(second),
            _ => first == second,
        }
    }

    /// The cells of an object with static storage and their initial values.
    pub fn static_cells(
        &mut self,
        of: Type,
        initializer: Option<&Node<ast::Initializer>>,
        at: Bytes,
    ) -> Lowered<(Type, Cells)> {
        let (of, given) = self.given(of, initializer, at)?;
        let cells = self.cells_given(&of, &given, at)?;
        Ok((of, cells))
    }

    /// The cells of an object with static storage.
    fn cells_given(&mut self, of: &Type, given: &[Given], at: Bytes) -> Lowered<Cells> {
        self.check_object(of, at)?;
        let mut cells: BTreeMap<u64, Value> = BTreeMap::new();
        for (path, part) in self.cells(of, at)? {
            let start = self.records.byte(of, &path).unwrap_or(0);
            cells.insert(start, self.zero_of(&part, at)?);
        }
        let mut packed = Vec::new();
        for one in given {
            let value = match one.value {
                _ if !one.of.is_scalar() => return Err(self.error("an initial value that is not constant", one.at)),
                Initial::Byte(byte) => Value::int(i64::from(byte as i8), 8),
                Initial::Expression(expression) => self.static_value(expression, &one.of)?,
            };
            let start = self.records.byte(of, &one.path).unwrap_or(0);
            if of.atomic && of.is_record() {
                packed.push((start, value));
                continue;
            }
            let done = match self.field_at(of, &one.path) {
                Some((base, field)) => overlay_bits(&mut cells, base, &field, &value),
                None => overlay(&mut cells, start, value),
            };
            if !done {
                return Err(self.unsupported("this initial value of a union", one.at));
            }
        }
        if !packed.is_empty() {
            cells.insert(0, self.initial_struct(of, &packed, at)?);
        }
        Ok(cells.into_iter().map(|(start, value)| (Pointer::byte_path(start as i64), value)).collect())
    }

    fn static_value(&mut self, expression: &Node<Expression>, of: &Type) -> Lowered<Value> {
        let at = expression.span;
        let (result, constant) = self.aside(|lowering| {
            let value = lowering.value(expression)?;
            lowering.convert(value, of, at)
        });
        match result?.operand {
            Operand::Constant(value) if constant => Ok(value),
            _ => Err(self.error(format!("the initial value `{}` is not constant", self.words(at)), at)),
        }
    }

    /// A declaration inside of a function.
    pub fn local_declaration(&mut self, declaration: &Node<ast::Declaration>) -> Lowered<()> {
        let base = self.base(&declaration.node.specifiers, declaration.span)?;
        for declarator in &declaration.node.declarators {
            let at = declarator.node.declarator.span;
            self.frame.length = None;
            let (name, of) = self.declarator(base.of.clone(), &declarator.node.declarator)?;
            let Some(name) = name else { continue };
            if self.frame.length.is_some() && base.storage.is_some() {
                return Err(self.unsupported("an array of variable length that is no variable of a block", at));
            }
            let initializer = declarator.node.initializer.as_ref();
            let before = self.here;
            self.here = self.span(declarator.span);
            let done = match (&base.storage, &of.shape) {
                (Some(StorageClassSpecifier::Typedef), _) => {
                    self.declare(&name, Entity::Typedef(of));
                    Ok(())
                }
                (_, Shape::Function(_)) => {
                    self.declare(&name, Entity::Function);
                    self.declare_function(&name, &of, at)
                }
                _ if base.is_thread_local => {
                    let full = format!("{}.{name}", self.frame.name);
                    self.thread_local(&name, &full, of, initializer, false, at)
                }
                (Some(StorageClassSpecifier::Extern), _) => self.local_extern(&name, at),
                (Some(StorageClassSpecifier::Static), _) => self.local_static(&name, of, initializer, at),
                _ => self.local_variable(&name, of, initializer, at),
            };
            self.here = before;
            done?;
        }
        Ok(())
    }

    fn local_extern(&mut self, name: &str, at: Bytes) -> Lowered<()> {
        match self.scopes[0].names.get(name).cloned() {
            Some(entity @ Entity::Variable(_)) => {
                self.declare(name, entity);
                Ok(())
            }
            _ => Err(self.error(format!("the variable `{name}` is declared but defined nowhere"), at)),
        }
    }

    fn local_static(
        &mut self,
        name: &str,
        of: Type,
        initializer: Option<&Node<ast::Initializer>>,
        at: Bytes,
    ) -> Lowered<()> {
        let full = format!("{}.{name}", self.frame.name);
        let id = self.add_global(undefined_global(&full, None, self.span(at)));
        let home = Home::Memory(Operand::Constant(Value::Pointer(Pointer::to(id.0))));
        self.declare(name, Entity::Variable(Variable { of: of.clone(), home: home.clone() }));
        let (of, cells) = self.static_cells(of, initializer, at)?;
        self.fill(id.0 as usize, &of, cells);
        self.declare(name, Entity::Variable(Variable { of, home }));
        Ok(())
    }

    fn local_variable(
        &mut self,
        name: &str,
        of: Type,
        initializer: Option<&Node<ast::Initializer>>,
        at: Bytes,
    ) -> Lowered<()> {
        if let Some(length) = self.frame.length.take() {
            return self.variable_array(name, of, length, at);
        }
        let (of, given) = self.given(of, initializer, at)?;
        self.check_object(&of, at)?;
        if of.is_scalar() && !of.atomic && !of.volatile && !self.frame.addressed.contains(name) {
            let register = self.code.register(name);
            let place = Place::Register(register, of.clone());
            self.declare(name, Entity::Variable(Variable { of, home: Home::Register(register) }));
            return match given.into_iter().next() {
                Some(Given { value: Initial::Expression(expression), .. }) => {
                    let value = self.value_for(place.of(), expression)?;
                    self.store(&place, value, at).map(|_| ())
                }
                _ => {
                    self.frame.unwritten.insert(register);
                    // In the next iteration of a loop it is undefined again.
                    if !self.frame.around.is_empty() {
                        let undefined = Operand::Constant(Value::Undefined);
                        self.code.assign(register, Operator::Copy, vec![undefined], self.here);
                    }
                    Ok(())
                }
            };
        }
        let address = self.allocate_object(name, &of, initializer.is_some(), at)?;
        self.declare(name, Entity::Variable(Variable { of: of.clone(), home: Home::Memory(address.clone()) }));
        if initializer.is_none() {
            return Ok(());
        }
        self.write_given(address, &of, &given, at)
    }

    /// An array whose length is computed.
    fn variable_array(&mut self, name: &str, of: Type, length: Operand, at: Bytes) -> Lowered<()> {
        let Shape::Array(element, None) = &of.shape else {
            return Err(self.unsupported("an array of variable length in another type", at));
        };
        let Some((each, align)) = self.records.size(element) else {
            return Err(self.unsupported("an array of arrays of variable length", at));
        };
        let number = |value: i64| Operand::Constant(Value::int(value, 64));
        let is_some = self.code.compute(Operator::LtSigned, vec![number(0), length.clone()], self.here);
        let what = "an array of negative length, or of none";
        self.code.emit(InstructionKind::claim(AssertSort::Error, is_some, what), self.here);
        let size = self.code.compute(Operator::Mul, vec![length, number(each as i64)], self.here);
        let target = self.code.register(name);
        let extent = Some(Extent { size, align: align as u32, storage: Storage::Stack });
        let default = Value::Undefined;
        let kind = InstructionKind::Allocate { target, default, name: name.into(), reuse: false, extent };
        self.layouts.push((name.to_string(), self.records.layout(&of)));
        self.code.emit(kind, self.here);
        self.scope().homes.push(target);
        let home = Home::Memory(Operand::Register(target));
        self.declare(name, Entity::Variable(Variable { of, home }));
        Ok(())
    }

    /// Memory that ends with the function. Within a block this would be needed only where the block was run.
    pub fn stack_allocation(&mut self, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 1, "alloca", at)?;
        if self.scopes.len() > OF_FUNCTION {
            return Err(self.unsupported("`alloca` within a block of a function", at));
        }
        let size = self.value(&arguments[0])?;
        let size = self.convert(size, &Type::size(), at)?.operand;
        let target = self.code.register("alloca");
        let extent = Some(Extent { size, align: 16, storage: Storage::Stack });
        let (default, name) = (Value::Undefined, "alloca".into());
        self.code.emit(InstructionKind::Allocate { target, default, name, reuse: false, extent }, self.here);
        self.scope().homes.push(target);
        Ok(Typed { operand: Operand::Register(target), of: Type::void().pointer() })
    }

    /// Memory for an object. If it is given only in part and its cells have one width, the others are zero by default.
    fn allocate_object(&mut self, name: &str, of: &Type, given: bool, at: Bytes) -> Lowered<Operand> {
        let default = if given { self.one_zero(of, at)? } else { None };
        let target = self.code.register(name);
        let default = default.unwrap_or(Value::Undefined);
        self.emit_local(target, default, name, of);
        Ok(Operand::Register(target))
    }

    /// Makes a block for a variable of a function.
    pub fn emit_local(&mut self, target: RegisterId, default: Value, name: &str, of: &Type) {
        self.emit_block(target, default, name, of, Storage::Stack);
        if let Some(scope) = self.scopes.last_mut() {
            scope.homes.push(target);
        }
    }

    /// Opens a scope of a function.
    pub fn open_scope(&mut self) {
        self.frame.scopes += 1;
        self.scopes.push(Scope { number: self.frame.scopes, ..Scope::default() });
    }

    /// The first of these scopes that ends before the program: the variables of `main` itself end with it.
    pub fn ending_scopes(&self, kept: usize) -> usize {
        if self.frame.name == "main" { kept.max(OF_FUNCTION) } else { kept }
    }

    /// The variables of all scopes but the first so many end.
    pub fn end_scopes(&mut self, kept: usize) {
        self.end_variables(self.ending_scopes(kept));
    }

    /// The variables of all scopes but the first so many end, also those of `main` itself.
    pub fn end_variables(&mut self, kept: usize) {
        let ending = self.scopes.iter().skip(kept).flat_map(|scope| scope.homes.clone());
        for home in ending.collect::<Vec<RegisterId>>() {
            self.code.emit(InstructionKind::End { address: Operand::Register(home) }, self.here);
        }
    }

    fn emit_block(&mut self, target: RegisterId, default: Value, name: &str, of: &Type, storage: Storage) {
        let extent = self.extent(of, storage);
        let name = self.block_name(name, self.records.layout(of));
        let kind = InstructionKind::Allocate { target, default, name: name.into(), reuse: false, extent };
        self.code.emit(kind, self.here);
    }

    /// The name of a block, by which reports find the names of its parts: with the function, if another object of this name has other parts.
    fn block_name(&mut self, name: &str, layout: program::Layout) -> String {
        let is_other = self.layouts.iter().any(|(known, other)| known == name && *other != layout);
        let name = if is_other { format!("{}.{name}", self.frame.name) } else { name.to_string() };
        self.layouts.push((name.clone(), layout));
        name
    }

    /// How an object of a type lies in memory.
    pub fn extent(&self, of: &Type, storage: Storage) -> Option<Extent> {
        self.records.size(of).map(|(size, align)| Extent::of(size, align.max(1), storage))
    }

    /// Gives a global its initial values.
    fn fill(&mut self, id: usize, of: &Type, cells: Cells) {
        let storage = if of.is_constant() { Storage::ReadOnly } else { Storage::Static };
        let extent = self.extent(of, storage);
        let layout = self.records.layout(of);
        let global = &mut self.globals[id];
        self.layouts.push((format!("&{}", global.name), layout));
        global.extent = extent;
        match cells.as_slice() {
            [(path, value)] if path.is_empty() && (of.is_scalar() || of.atomic) => global.default = value.clone(),
            // What lies between the cells is zero too; what lies outside is out of bounds.
            _ => (global.cells, global.default) = (cells, Value::int(0, 8)),
        }
    }

    /// The zero of all cells of an aggregate, if it is the same.
    pub fn one_zero(&self, of: &Type, at: Bytes) -> Lowered<Option<Value>> {
        if of.is_scalar() {
            return Ok(None);
        }
        let cells = self.cells(of, at)?;
        if cells.iter().any(|(_, part)| !part.is_scalar()) {
            return Ok(None);
        }
        let mut zeros: Vec<Value> = cells.iter().filter_map(|(_, part)| part.zero()).collect();
        zeros.dedup();
        Ok(if zeros.len() == 1 { zeros.pop() } else { None })
    }

    /// Writes initial values, and zeros in the cells that have none if they are not zero by default.
    fn write_given(&mut self, address: Operand, of: &Type, given: &[Given], at: Bytes) -> Lowered<()> {
        let zero_by_default = self.one_zero(of, at)?.is_some();
        if !zero_by_default && !given.iter().any(|given| given.path.is_empty()) {
            for (path, part) in self.cells(of, at)? {
                let range = |path: &[i64], part: &Type| {
                    let start = self.records.byte(of, path).unwrap_or(0);
                    (start, start + self.records.size(part).map_or(0, |(size, _)| size))
                };
                let (start, end) = range(&path, &part);
                let covers = |given: &Given| {
                    let (first, last) = range(&given.path, &given.of);
                    first <= start && end <= last && self.field_at(of, &given.path).is_none()
                };
                if !given.iter().any(covers) {
                    let zero = self.zero_of(&part, at)?;
                    let place = self.part_place(address.clone(), of, &path, part.clone());
                    self.store_plain(&place, Typed { operand: Operand::Constant(zero), of: part.unqualified() }, at)?;
                }
            }
        }
        for (number, one) in given.iter().enumerate() {
            if given[number + 1..].iter().any(|later| later.path == one.path) {
                continue;
            }
            let place = self.part_place(address.clone(), of, &one.path, one.of.clone());
            let value = match one.value {
                Initial::Byte(byte) => Typed::int(i64::from(byte as i8)),
                Initial::Expression(expression) => self.value_for(&one.of, expression)?,
            };
            self.store_plain(&place, value, one.at)?;
        }
        Ok(())
    }

    /// Initial values are written by plain stores, also those of atomic objects.
    pub fn store_plain(&mut self, place: &Place, value: Typed, at: Bytes) -> Lowered<()> {
        let plain = Type { atomic: false, ..place.of().clone() };
        let place = match place {
            Place::Memory(address, _) => Place::Memory(address.clone(), plain),
            Place::Register(register, _) => Place::Register(*register, plain),
            Place::Bits(..) => place.clone(),
        };
        self.store(&place, value, at).map(|_| ())
    }

    /// The part at a path of an object of the type `whole`.
    pub fn part_place(&mut self, address: Operand, whole: &Type, path: &[i64], of: Type) -> Place {
        if let Some((base, field)) = self.field_at(whole, path) {
            return Place::Bits(self.bytes_after(address, base), field, of);
        }
        let start = self.records.byte(whole, path).unwrap_or(0);
        Place::Memory(self.bytes_after(address, start), of)
    }

    /// The bit-field at a path of an object, if it is one, and the byte of the object where the record starts that it belongs to.
    fn field_at(&self, whole: &Type, path: &[i64]) -> Option<(u64, BitField)> {
        let (&last, outer) = path.split_last()?;
        let mut of = whole.clone();
        for &index in outer {
            of = self.records.part(&of, u64::try_from(index).ok()?)?;
        }
        let Shape::Record(id) = of.shape else { return None };
        let field = self.records.bit_field(id, usize::try_from(last).ok()?)?;
        Some((self.records.byte(whole, outer)?, field))
    }

    /// A compound literal is an object without a name.
    pub fn compound_literal(&mut self, literal: &ast::CompoundLiteral, at: Bytes) -> Lowered<Place> {
        let of = self.type_name(&literal.type_name)?;
        let (of, given) = self.given_list(of, &literal.initializer_list, at)?;
        if self.scopes.len() == 1 {
            return self.static_literal(of, &given, at);
        }
        self.check_object(&of, at)?;
        let address = self.allocate_object("literal", &of, true, at)?;
        self.write_given(address.clone(), &of, &given, at)?;
        Ok(Place::Memory(address, of))
    }

    /// Outside of functions it lives as long as the program.
    fn static_literal(&mut self, of: Type, given: &[Given], at: Bytes) -> Lowered<Place> {
        let cells = self.cells_given(&of, given, at)?;
        let id = self.add_global(undefined_global("literal", None, self.span(at))).0;
        self.fill(id as usize, &of, cells);
        Ok(Place::Memory(Operand::Constant(Value::Pointer(Pointer::to(id))), of))
    }

    /// Makes a block for a struct that is a value. It may be returned: it does not end with the function that makes it.
    pub fn emit_value_block(&mut self, target: RegisterId, name: &str, of: &Type) {
        self.emit_block(target, Value::Undefined, name, of, Storage::Static);
    }

    /// A struct copied to memory of its own.
    pub fn fresh_copy(&mut self, value: Typed, of: &Type, at: Bytes) -> Lowered<Operand> {
        let value = self.convert(value, of, at)?;
        let target = self.code.temporary();
        let name = self.records.name(of);
        self.emit_value_block(target, &name, of);
        self.copy(Operand::Register(target), value.operand, &of.unqualified(), at)?;
        Ok(Operand::Register(target))
    }
}

/// Puts an initial value over those of the cells of an object; `false` if it covers more than one or a part of what is no
/// integer.
fn overlay(cells: &mut BTreeMap<u64, Value>, start: u64, value: Value) -> bool {
    let bits = |value: &Value| if let Value::Int(int) = value { u64::from(int.width()) } else { 64 };
    let Some((&first, below)) = cells.range(..=start).next_back() else { return false };
    if first == start && bits(below) == bits(&value) {
        cells.insert(start, value);
        return true;
    }
    let (Value::Int(whole), Value::Int(part)) = (below, &value) else { return false };
    let shift = 8 * (start - first);
    if shift + bits(&value) > bits(below) {
        return false;
    }
    let mask = (u64::MAX >> (64 - bits(&value))) << shift;
    let joined = whole.unsigned() & !mask | part.unsigned() << shift;
    let joined = Value::int(joined as i64, whole.width());
    cells.insert(first, joined);
    true
}

/// Puts the initial value of a bit-field in its place among those of the cells; `false` if they are not those of its units.
fn overlay_bits(cells: &mut BTreeMap<u64, Value>, base: u64, field: &BitField, value: &Value) -> bool {
    let Value::Int(value) = value else { return false };
    for piece in &field.pieces {
        let start = base + piece.unit.byte;
        let Some((&first, Value::Int(whole))) = cells.range(..=start).next_back() else { return false };
        let shift = 8 * (start - first) + u64::from(piece.low);
        if shift + u64::from(piece.count) > u64::from(whole.width()) {
            return false;
        }
        let mask = u64::MAX >> (64 - piece.count);
        let bits = value.unsigned() >> piece.before & mask;
        let joined = whole.unsigned() & !(mask << shift) | bits << shift;
        let joined = Value::int(joined as i64, whole.width());
        cells.insert(first, joined);
    }
    true
}

/// A global without values.
pub fn undefined_global(name: &str, extent: Option<Extent>, span: Option<Span>) -> Global {
    Global { name: name.to_string(), cells: Vec::new(), default: Value::Undefined, extent, span }
}
