//! `memset`, `memcpy`, `memmove` and `memcmp` of a number of bytes that is known: what is set, copied or compared are the cells of whole
//! objects, where their type is known, else bytes, one by one, by plain accesses.

use lang_c::ast::Expression;
use lang_c::span::Node;
use program::{Operand, Operator, Value};

use super::lower::{Bytes, Lowered, Lowering, Typed};
use super::place::Place;
use super::types::{MOST_CELLS, Type};

/// A stretch of memory: so many objects of a type.
struct Stretch {
    start: Typed,
    of: Type,
    count: u64,
}

impl Lowering<'_> {
    /// A call of such a function; `None` if the name is of none.
    pub fn memory_call(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Option<Lowered<Typed>> {
        if !matches!(name, "memset" | "memcpy" | "memmove" | "memcmp") {
            return None;
        }
        Some(self.exactly(arguments, 3, name, at).and_then(|()| match name {
            "memset" => self.memset(arguments, at),
            "memcmp" => self.memcmp(arguments, at),
            _ => self.memcpy(arguments, name == "memmove", at),
        }))
    }

    fn memset(&mut self, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        let bytes = self.byte_count(&arguments[2])?;
        let start = self.value(without_casts(&arguments[0]))?;
        let of = self.whole_objects(&[&start], bytes);
        self.note_views(&[&start], &of);
        let stretch = self.stretch(start, &of, bytes);
        let byte = self.constant_integer(&arguments[1])? as u8;
        for place in self.cells_of(&stretch, at)? {
            let value = self.repeated(byte, place.of(), at)?;
            self.store(&place, value, at)?;
        }
        Ok(stretch.start)
    }

    fn memcpy(&mut self, arguments: &[Node<Expression>], overlap: bool, at: Bytes) -> Lowered<Typed> {
        let bytes = self.byte_count(&arguments[2])?;
        let to = self.value(without_casts(&arguments[0]))?;
        let from = self.value(without_casts(&arguments[1]))?;
        let of = self.whole_objects(&[&to, &from], bytes);
        self.note_views(&[&to, &from], &of);
        let (to, from) = (self.stretch(to, &of, bytes), self.stretch(from, &of, bytes));
        let (targets, sources) = (self.cells_of(&to, at)?, self.cells_of(&from, at)?);
        let mut copied = Vec::new();
        for (target, source) in targets.into_iter().zip(sources) {
            let value = Typed { of: target.of().unqualified(), ..self.load_copied(source) };
            match overlap {
                true => copied.push((target, value)),
                false => _ = self.store(&target, value, at)?,
            }
        }
        for (target, value) in copied {
            self.store(&target, value, at)?;
        }
        Ok(to.start)
    }

    /// The difference of the first bytes that differ.
    fn memcmp(&mut self, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        let bytes = self.byte_count(&arguments[2])?;
        let of = Type::integer(8, false);
        let (left, right) = (self.value(&arguments[0])?, self.value(&arguments[1])?);
        self.note_views(&[&left, &right], &of);
        let (left, right) = (self.stretch(left, &of, bytes), self.stretch(right, &of, bytes));
        let (left, right) = (self.cells_of(&left, at)?, self.cells_of(&right, at)?);
        let mut result = Operand::Constant(Value::int(0, 32));
        for (a, b) in left.into_iter().zip(right).rev() {
            let (a, b) = (self.load(a), self.load(b));
            let (a, b) = (self.promote(a, at)?, self.promote(b, at)?);
            let difference = self.code.compute(Operator::Sub, vec![a.operand, b.operand], self.here);
            let operands = vec![difference.clone(), difference, result];
            result = self.code.compute(Operator::Select, operands, self.here);
        }
        Ok(Typed { operand: result, of: Type::int() })
    }

    fn byte_count(&mut self, size: &Node<Expression>) -> Lowered<u64> {
        Ok(u64::try_from(self.constant_integer(size)?).unwrap_or(u64::MAX))
    }

    /// The type of the first pointer to known objects of which the bytes are so many as a whole; else bytes.
    fn whole_objects(&self, pointers: &[&Typed], bytes: u64) -> Type {
        let types = pointers.iter().filter_map(|pointer| pointer.of.pointee()).filter(|of| !of.is_void());
        let fits = |of: &&Type| self.records.size(of).is_some_and(|(each, _)| each > 0 && bytes.is_multiple_of(each));
        types.filter(fits).max_by_key(|of| self.records.size(of)).map_or(Type::integer(8, false), Type::unqualified)
    }

    /// Memory may be accessed as another type here.
    fn note_views(&mut self, pointers: &[&Typed], of: &Type) {
        let is_view = |pointer: &&Typed| pointer.of.pointee().is_none_or(|to| to.shape != of.shape);
        if pointers.iter().any(is_view) {
            self.views.add();
        }
    }

    /// So many bytes from a pointer on, as objects of a type that divides them.
    fn stretch(&self, start: Typed, of: &Type, bytes: u64) -> Stretch {
        let each = self.records.size(of).map_or(1, |(each, _)| each.max(1));
        Stretch { start, of: of.clone(), count: bytes / each }
    }

    /// The cells of a stretch, in order, for plain accesses.
    fn cells_of(&mut self, stretch: &Stretch, at: Bytes) -> Lowered<Vec<Place>> {
        let cells = self.cells(&stretch.of, at)?;
        if stretch.count.saturating_mul(cells.len() as u64) > MOST_CELLS {
            return Err(self.unsupported("so large a block of memory", at));
        }
        let mut places = Vec::new();
        for index in 0..stretch.count as i64 {
            let mut start = stretch.start.operand.clone();
            if index > 0 {
                let distance = Operand::Constant(Value::int(index, 64));
                let step = self.step_over(&stretch.of, at)?;
                start = self.code.compute(step, vec![start, distance], self.here);
            }
            for (path, part) in &cells {
                let first = self.records.byte(&stretch.of, path).unwrap_or(0);
                let address = self.bytes_after(start.clone(), first);
                places.push(Place::Memory(address, Type { atomic: false, ..part.clone() }));
            }
        }
        Ok(places)
    }

    /// The value of a cell whose bytes are all the same.
    fn repeated(&self, byte: u8, of: &Type, at: Bytes) -> Lowered<Typed> {
        let is_truth = of.as_integer().is_some_and(|integer| integer.boolean);
        if byte != 0 && (of.is_pointer() || is_truth) {
            let what = format!("a `{}` made of bytes that are not 0", self.records.name(of));
            return Err(self.unsupported(what, at));
        }
        let value = i64::from_ne_bytes([byte; 8]);
        let width = of.width().unwrap_or(32);
        Ok(Typed { operand: Operand::Constant(Value::int(value, width)), of: of.unqualified() })
    }

    /// Writes zeros to a fresh block of so many objects.
    pub fn zero_block(&mut self, start: Typed, of: &Type, count: u64, at: Bytes) -> Lowered<()> {
        for place in self.cells_of(&Stretch { start, of: of.clone(), count }, at)? {
            let value = self.repeated(0, place.of(), at)?;
            self.store(&place, value, at)?;
        }
        Ok(())
    }
}

/// An expression without casts to pointers around it.
fn without_casts(expression: &Node<Expression>) -> &Node<Expression> {
    match &expression.node {
        Expression::Cast(cast) => without_casts(&cast.node.expression),
        _ => expression,
    }
}
