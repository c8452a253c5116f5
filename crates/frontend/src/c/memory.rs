//! `memset`, `memcpy` and `memmove`, for objects whose type and size are known. Memory has cells without sizes: what is set or
//! copied are the cells of whole objects, one by one, by plain accesses.

use lang_c::ast::Expression;
use lang_c::span::Node;
use program::{Operand, Value};

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
        if !matches!(name, "memset" | "memcpy" | "memmove") {
            return None;
        }
        Some(self.exactly(arguments, 3, name, at).and_then(|()| match name {
            "memset" => self.memset(arguments, at),
            _ => self.memcpy(arguments, name == "memmove", at),
        }))
    }

    fn memset(&mut self, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        let stretch = self.stretch(&arguments[0], &arguments[2])?;
        let byte = self.constant_integer(&arguments[1])? as u8;
        for place in self.cells_of(&stretch, at)? {
            let value = self.repeated(byte, place.of(), at)?;
            self.store(&place, value, at)?;
        }
        Ok(stretch.start)
    }

    fn memcpy(&mut self, arguments: &[Node<Expression>], overlap: bool, at: Bytes) -> Lowered<Typed> {
        let to = self.stretch(&arguments[0], &arguments[2])?;
        let from = self.stretch(&arguments[1], &arguments[2])?;
        let (targets, sources) = (self.cells_of(&to, at)?, self.cells_of(&from, at)?);
        let is_alike =
            |(a, b): (&Place, &Place)| a.of().width() == b.of().width() && a.of().is_pointer() == b.of().is_pointer();
        if targets.len() != sources.len() || !targets.iter().zip(&sources).all(is_alike) {
            let (to, from) = (self.records.name(&to.of), self.records.name(&from.of));
            return Err(self.unsupported(format!("a copy from `{from}` to `{to}`, byte by byte"), at));
        }
        let mut copied = Vec::new();
        for (target, source) in targets.into_iter().zip(sources) {
            let value = Typed { of: target.of().unqualified(), ..self.load(source) };
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

    /// What so many bytes from a pointer on are. Casts to `void *` and `char *` do not count.
    fn stretch(&mut self, pointer: &Node<Expression>, size: &Node<Expression>) -> Lowered<Stretch> {
        let start = self.value(without_casts(pointer))?;
        let Some(of) = start.of.pointee().filter(|of| !of.is_void()).cloned() else {
            let note = "the type of what is set or copied must be known: pass a pointer to it";
            return Err(self.unsupported("memory of unknown type", pointer.span).note(note));
        };
        let bytes = u64::try_from(self.constant_integer(size)?).unwrap_or(u64::MAX);
        match self.records.size(&of) {
            Some((each, _)) if each > 0 && bytes % each == 0 => Ok(Stretch { start, of, count: bytes / each }),
            _ => {
                let what = format!("{bytes} bytes of objects of the type `{}`", self.records.name(&of));
                Err(self.unsupported(what, size.span).note("only whole objects can be set or copied"))
            }
        }
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
