//! `memset`, `memcpy`, `memmove`, `memcmp` and zeroed memory: what is set, copied or compared are the cells of whole objects, where
//! their type is known, else words and bytes, by plain accesses; one after the other if their number is known, else in a loop.

use lang_c::ast::Expression;
use lang_c::span::Node;
use program::{AssertSort, InstructionKind, Operand, Operator, Storage, Terminator, Value};

use super::lower::{Bytes, Lowered, Lowering, Typed};
use super::padding::Padding;
use super::place::Place;
use super::types::{MOST_CELLS, Shape, Type};

/// A stretch of memory: so many objects of a type.
struct Stretch {
    start: Typed,
    of: Type,
    count: u64,
}

/// How many bytes.
#[derive(Clone)]
enum Size {
    Known(u64),
    /// A number of 64 bits.
    Computed(Operand),
}

/// Which arguments of a function should be known where it is lowered: how many bytes it touches, and what it sets them to.
pub fn size_arguments(name: &str) -> &'static [usize] {
    match name {
        "memset" => &[1, 2],
        // The last exchanges elements for `qsort`.
        "memcpy" | "memmove" | "memcmp" | "palisade_exchange" => &[2],
        _ => &[],
    }
}

impl Lowering<'_> {
    /// A call of such a function; `None` if the name is of none.
    pub fn memory_call(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Option<Lowered<Typed>> {
        let name = name.strip_prefix("__builtin_").unwrap_or(name);
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
        let start = self.start_of(&arguments[0])?;
        let byte = self.value(&arguments[1])?;
        let byte = self.convert(byte, &Type::integer(8, false), arguments[1].span)?.operand;
        let size = self.byte_count(&arguments[2])?;
        let of = self.whole_objects(&[&start], &size);
        self.note_views(&[&start], &of);
        self.fill_memory(&start, &of, byte, &size, at)?;
        Ok(start)
    }

    /// Where memory starts, as a pointer to what it is known to hold.
    fn start_of(&mut self, argument: &Node<Expression>) -> Lowered<Typed> {
        let argument = without_casts(argument);
        let of = if self.is_array(argument) { self.type_of(argument)?.shape } else { Shape::Void };
        let value = self.value(argument)?;
        match (of, &value.operand) {
            (Shape::Array(element, length), Operand::Constant(_)) => {
                let operand = self.first_element(value.operand, &element, length);
                Ok(Typed { operand, ..value })
            }
            _ => Ok(value),
        }
    }

    /// Sets all bytes of so many objects to one.
    fn fill_memory(&mut self, start: &Typed, of: &Type, byte: Operand, size: &Size, at: Bytes) -> Lowered<()> {
        self.for_objects(of, size, |lowering, index, count| {
            let stretch = lowering.stretch(start.clone(), of, index, count, at)?;
            for place in lowering.cells_of(&stretch, at)? {
                let value = lowering.repeated(&byte, place.of(), at)?;
                lowering.store(&place, value, at)?;
            }
            for part in lowering.padding_of(&stretch, at)? {
                lowering.set_padding(&part, &byte, at)?;
            }
            Ok(())
        })
    }

    fn memcpy(&mut self, arguments: &[Node<Expression>], overlap: bool, at: Bytes) -> Lowered<Typed> {
        let to = self.start_of(&arguments[0])?;
        let from = self.start_of(&arguments[1])?;
        let size = self.byte_count(&arguments[2])?;
        let of = self.whole_objects(&[&to, &from], &size);
        self.note_views(&[&to, &from], &of);
        match (&size, overlap) {
            (Size::Known(bytes), true) => self.copy_at_once(&to, &from, &of, *bytes, at)?,
            (Size::Computed(bytes), true) => {
                let between = self.passing_block(bytes.clone(), &of);
                self.copy_memory(&between, &from, &of, &size, at)?;
                self.copy_memory(&to, &between, &of, &size, at)?;
            }
            (_, false) => self.copy_memory(&to, &from, &of, &size, at)?,
        }
        Ok(to)
    }

    /// Copies so many bytes, a number of 64 bits.
    pub fn copy_bytes(&mut self, to: &Typed, from: &Typed, bytes: Operand, at: Bytes) -> Lowered<()> {
        let size = Size::Computed(bytes);
        let is_any = [to, from].iter().all(|pointer| pointer.of.pointee().is_none_or(Type::is_void));
        // Of memory of any type, a word may be a pointer, which is copied as a whole.
        let of = if is_any { Type::integer(64, false) } else { self.whole_objects(&[to, from], &size) };
        self.note_views(&[to, from], &of);
        self.copy_memory(to, from, &of, &size, at)
    }

    /// Copies objects one after the other.
    fn copy_memory(&mut self, to: &Typed, from: &Typed, of: &Type, size: &Size, at: Bytes) -> Lowered<()> {
        self.for_objects(of, size, |lowering, index, count| {
            let targets = lowering.stretch(to.clone(), of, index.clone(), count, at)?;
            let sources = lowering.stretch(from.clone(), of, index, count, at)?;
            let padding = (lowering.padding_of(&targets, at)?, lowering.padding_of(&sources, at)?);
            let (targets, sources) = (lowering.cells_of(&targets, at)?, lowering.cells_of(&sources, at)?);
            for (target, source) in targets.into_iter().zip(sources) {
                let value = Typed { of: target.of().unqualified(), ..lowering.load_copied(source) };
                lowering.store(&target, value, at)?;
            }
            for (target, source) in padding.0.into_iter().zip(padding.1) {
                let value = lowering.load_padding(&source);
                lowering.store_padding(&target, value);
            }
            Ok(())
        })?;
        let Size::Known(bytes) = size else { return Ok(()) };
        self.copy_rest(to, from, of, *bytes, at)
    }

    /// Copies what is read before anything is written.
    fn copy_at_once(&mut self, to: &Typed, from: &Typed, of: &Type, bytes: u64, at: Bytes) -> Lowered<()> {
        let count = bytes / self.records.size(of).map_or(1, |(each, _)| each.max(1));
        let zero = Operand::Constant(Value::int(0, 64));
        let targets = self.stretch(to.clone(), of, zero.clone(), count, at)?;
        let sources = self.stretch(from.clone(), of, zero, count, at)?;
        let padding = (self.padding_of(&targets, at)?, self.padding_of(&sources, at)?);
        let (mut targets, mut sources) = (self.cells_of(&targets, at)?, self.cells_of(&sources, at)?);
        let byte = Type::integer(8, false);
        for at_byte in (bytes - self.rest(of, bytes))..bytes {
            targets.push(Place::Memory(self.bytes_after(to.operand.clone(), at_byte), byte.clone()));
            sources.push(Place::Memory(self.bytes_after(from.operand.clone(), at_byte), byte.clone()));
        }
        let copied: Vec<Typed> = sources.into_iter().map(|source| self.load_copied(source)).collect();
        let copied_padding: Vec<Operand> = padding.1.iter().map(|source| self.load_padding(source)).collect();
        for (target, value) in targets.into_iter().zip(copied) {
            let value = Typed { of: target.of().unqualified(), ..value };
            self.store(&target, value, at)?;
        }
        for (target, value) in padding.0.iter().zip(copied_padding) {
            self.store_padding(target, value);
        }
        Ok(())
    }

    /// The bytes behind the last whole object.
    fn rest(&self, of: &Type, bytes: u64) -> u64 {
        bytes % self.records.size(of).map_or(1, |(each, _)| each.max(1))
    }

    fn copy_rest(&mut self, to: &Typed, from: &Typed, of: &Type, bytes: u64, at: Bytes) -> Lowered<()> {
        let byte = Type::integer(8, false);
        for at_byte in (bytes - self.rest(of, bytes))..bytes {
            let target = self.bytes_after(to.operand.clone(), at_byte);
            let source = self.bytes_after(from.operand.clone(), at_byte);
            let value = self.load_copied(Place::Memory(source, byte.clone()));
            self.store(&Place::Memory(target, byte.clone()), value, at)?;
        }
        Ok(())
    }

    /// A block of this function's own, for what is read before it is written.
    fn passing_block(&mut self, size: Operand, of: &Type) -> Typed {
        let target = self.code.temporary();
        let extent = Some(program::Extent { size, align: 16, storage: Storage::Static });
        let (default, name) = (Value::Undefined, "memmove".into());
        self.code.emit(InstructionKind::Allocate { target, default, name, reuse: false, extent }, self.here);
        Typed { operand: Operand::Register(target), of: of.clone().pointer() }
    }

    /// The difference of the first bytes that differ.
    fn memcmp(&mut self, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        let of = Type::integer(8, false);
        let (left, right) = (self.start_of(&arguments[0])?, self.start_of(&arguments[1])?);
        let size = self.byte_count(&arguments[2])?;
        self.note_views(&[&left, &right], &of);
        let zero = |width: u8| Operand::Constant(Value::int(0, width));
        match size {
            Size::Known(bytes) => {
                let [left, right] = [left, right].map(|start| Stretch { start, of: of.clone(), count: bytes });
                let (left, right) = (self.cells_of(&left, at)?, self.cells_of(&right, at)?);
                let mut result = zero(32);
                for (a, b) in left.into_iter().zip(right).rev() {
                    let difference = self.byte_difference(a, b, at)?;
                    let operands = vec![difference.clone(), difference, result];
                    result = self.code.compute(Operator::Select, operands, self.here);
                }
                Ok(Typed { operand: result, of: Type::int() })
            }
            Size::Computed(bytes) => {
                let result = self.code.temporary();
                self.code.assign(result, Operator::Copy, vec![zero(32)], self.here);
                self.repeat(bytes, Some(result), |lowering, index| {
                    let [a, b] = [&left, &right].map(|start| {
                        let operands = vec![start.operand.clone(), index.clone()];
                        lowering.code.compute(Operator::Step(1), operands, lowering.here)
                    });
                    let [a, b] = [a, b].map(|address| Place::Memory(address, of.clone()));
                    let difference = lowering.byte_difference(a, b, at)?;
                    lowering.code.assign(result, Operator::Copy, vec![difference], lowering.here);
                    Ok(())
                })?;
                Ok(Typed { operand: Operand::Register(result), of: Type::int() })
            }
        }
    }

    fn byte_difference(&mut self, a: Place, b: Place, at: Bytes) -> Lowered<Operand> {
        let (a, b) = (self.load(a), self.load(b));
        let (a, b) = (self.promote(a, at)?, self.promote(b, at)?);
        Ok(self.code.compute(Operator::Sub, vec![a.operand, b.operand], self.here))
    }

    fn byte_count(&mut self, size: &Node<Expression>) -> Lowered<Size> {
        let value = self.value(size)?;
        let value = self.convert(value, &Type::size(), size.span)?;
        Ok(match value.known() {
            Some(bytes) => Size::Known(bytes.unsigned()),
            None => Size::Computed(value.operand),
        })
    }

    /// Does something with objects that so many bytes are made of: with all of them from the first on, or in a loop with one
    /// after the other.
    fn for_objects(
        &mut self,
        of: &Type,
        size: &Size,
        mut each: impl FnMut(&mut Self, Operand, u64) -> Lowered<()>,
    ) -> Lowered<()> {
        let of_one = self.records.size(of).map_or(1, |(each, _)| each.max(1));
        let bytes = match size {
            Size::Known(bytes) => return each(self, Operand::Constant(Value::int(0, 64)), bytes / of_one),
            Size::Computed(bytes) => bytes.clone(),
        };
        let mut count = bytes.clone();
        if of_one > 1 {
            let by = Operand::Constant(Value::int(of_one as i64, 64));
            count = self.code.compute(Operator::DivUnsigned, vec![bytes.clone(), by.clone()], self.here);
            let rest = self.code.compute(Operator::RemUnsigned, vec![bytes, by], self.here);
            let is_whole = self.code.compute(Operator::IsFalse, vec![rest], self.here);
            let what = format!("a part of a `{}` in this call", self.records.name(of));
            self.refuse_unless(is_whole, what);
        }
        self.repeat(count, None, |lowering, index| each(lowering, index, 1))
    }

    /// An execution in which a condition does not hold is not modelled.
    pub fn refuse_unless(&mut self, condition: Operand, what: String) {
        let (refused, behind) = (self.code.block(None), self.code.block(None));
        let branch = self.branch_to(condition, behind, refused, Some(behind));
        self.code.end_and_go_on(branch, refused);
        let never = Operand::Constant(Value::int(0, 32));
        self.code.emit(InstructionKind::claim(AssertSort::Unsupported, never, what), self.here);
        self.code.continue_in(behind);
    }

    /// A loop over the numbers below `count`, of 64 bits, which ends early once `stop` is not 0.
    pub fn repeat(
        &mut self,
        count: Operand,
        stop: Option<program::RegisterId>,
        each: impl FnOnce(&mut Self, Operand) -> Lowered<()>,
    ) -> Lowered<()> {
        let number = |value: i64| Operand::Constant(Value::int(value, 64));
        let index = self.code.temporary();
        self.code.assign(index, Operator::Copy, vec![number(0)], self.here);
        let head = self.code.block(self.here);
        let (body, behind) = (self.code.block(None), self.code.block(None));
        self.code.continue_in(head);
        let mut goes_on = self.code.compute(Operator::LtUnsigned, vec![Operand::Register(index), count], self.here);
        if let Some(stop) = stop {
            let unset = self.code.compute(Operator::IsFalse, vec![Operand::Register(stop)], self.here);
            goes_on = self.code.compute(Operator::And, vec![goes_on, unset], self.here);
        }
        let branch = self.branch_to(goes_on, body, behind, Some(behind));
        self.code.end_and_go_on(branch, body);
        each(self, Operand::Register(index))?;
        let next = vec![Operand::Register(index), number(1)];
        self.code.assign(index, Operator::Add, next, self.here);
        self.code.end_and_go_on(Terminator::Jump(head), behind);
        Ok(())
    }

    /// The type of the first pointer to known objects of which the bytes are so many as a whole; else words or bytes.
    fn whole_objects(&self, pointers: &[&Typed], size: &Size) -> Type {
        let is_any = |of: &Type| of.is_void() || self.records.size(of) == Some((1, 1));
        let pointees = || pointers.iter().filter_map(|pointer| pointer.of.pointee());
        // Of memory of any type, a word may be a pointer, which is copied as a whole.
        if matches!(size, Size::Known(8..))
            && pointees().any(Type::is_void)
            && pointees().all(is_any)
            && pointers.len() > 1
        {
            return Type::integer(64, false);
        }
        if let Some(unit) = pointees().filter_map(|of| self.unit_of_open(of, size)).min() {
            return Type::integer(8 * unit, false);
        }
        let types = pointees().filter(|of| !of.is_void());
        let fits = |of: &&Type| match (self.records.size(of), size) {
            (Some((each, _)), Size::Known(bytes)) => each > 0 && bytes.is_multiple_of(each),
            (Some((each, _)), Size::Computed(_)) => each > 0,
            _ => false,
        };
        types.filter(fits).max_by_key(|of| self.records.size(of)).map_or(Type::integer(8, false), Type::unqualified)
    }

    /// Of a struct that ends in an array of any length: what so many bytes of it are made of, elements of the array included, which are no
    /// more such structs. `None` for others, and for the struct alone.
    fn unit_of_open(&self, of: &Type, size: &Size) -> Option<u8> {
        let (alone, align) = self.records.size(of).filter(|_| self.records.is_open(of))?;
        let unit = match size {
            Size::Known(bytes) if *bytes == alone => return None,
            Size::Known(bytes) => 1 << bytes.trailing_zeros().min(align.trailing_zeros()).min(3),
            Size::Computed(_) => 1 << align.trailing_zeros().min(3),
        };
        Some(unit)
    }

    /// Memory may be accessed as another type here.
    fn note_views(&mut self, pointers: &[&Typed], of: &Type) {
        let is_view = |pointer: &&Typed| pointer.of.pointee().is_none_or(|to| to.shape != of.shape);
        if pointers.iter().any(is_view) {
            self.views.add();
        }
    }

    /// So many objects of a type from a pointer and a number of such objects on.
    fn stretch(&mut self, start: Typed, of: &Type, first: Operand, count: u64, at: Bytes) -> Lowered<Stretch> {
        let step = self.step_over(of, at)?;
        let operand = match &first {
            Operand::Constant(Value::Int(int)) if !int.is_true() => start.operand,
            _ => self.code.compute(step, vec![start.operand, first], self.here),
        };
        Ok(Stretch { start: Typed { operand, of: start.of }, of: of.clone(), count })
    }

    /// The cells of a stretch, in order, for plain accesses.
    fn cells_of(&mut self, stretch: &Stretch, at: Bytes) -> Lowered<Vec<Place>> {
        let cells = self.cells(&stretch.of, at)?;
        if stretch.count.saturating_mul(cells.len() as u64) > MOST_CELLS {
            return Err(self.unsupported("so large a block of memory", at));
        }
        let byte = |path: &[i64]| self.records.byte(&stretch.of, path).unwrap_or(0);
        let plain = |part: Type| Type { atomic: false, ..part };
        let parts: Vec<(u64, Type)> = cells.into_iter().map(|(path, part)| (byte(&path), plain(part))).collect();
        self.parts_of(stretch, &parts, at)
    }

    /// The padding of a stretch.
    fn padding_of(&mut self, stretch: &Stretch, at: Bytes) -> Lowered<Vec<Padding>> {
        let parts = self.records.padding(&stretch.of);
        let size = self.records.size(&stretch.of).map(|(size, _)| size);
        let end = parts.last().map(|(start, part)| start + u64::from(part.width().unwrap_or(0) / 8));
        let places = self.parts_of(stretch, &parts, at)?;
        let last = places.len().wrapping_sub(1);
        let part = |(number, place)| Padding { place, is_end: number == last && end == size };
        Ok(places.into_iter().enumerate().map(part).collect())
    }

    /// These parts of each object of a stretch.
    fn parts_of(&mut self, stretch: &Stretch, parts: &[(u64, Type)], at: Bytes) -> Lowered<Vec<Place>> {
        let mut places = Vec::new();
        for index in 0..if parts.is_empty() { 0 } else { stretch.count as i64 } {
            let mut start = stretch.start.operand.clone();
            if index > 0 {
                let distance = Operand::Constant(Value::int(index, 64));
                let step = self.step_over(&stretch.of, at)?;
                start = self.code.compute(step, vec![start, distance], self.here);
            }
            for (first, part) in parts {
                places.push(Place::Memory(self.bytes_after(start.clone(), *first), part.clone()));
            }
        }
        Ok(places)
    }

    /// The value of a cell whose bytes are all the same.
    pub fn repeated(&mut self, byte: &Operand, of: &Type, at: Bytes) -> Lowered<Typed> {
        let is_truth = of.as_integer().is_some_and(|integer| integer.boolean);
        let is_zero = matches!(byte, Operand::Constant(Value::Int(int)) if !int.is_true());
        if !is_zero && (of.is_pointer() || is_truth) {
            let what = format!("a `{}` made of bytes that are not 0", self.records.name(of));
            return Err(self.unsupported(what, at));
        }
        let width = of.width().unwrap_or(32);
        let wide = Operator::Resize { width, signed: false };
        let wide = self.code.compute(wide, vec![byte.clone()], self.here);
        let ones = Operand::Constant(Value::int(0x0101_0101_0101_0101, width));
        Ok(Typed { operand: self.code.compute(Operator::Mul, vec![wide, ones], self.here), of: of.unqualified() })
    }

    /// Writes zeros to a fresh block of so many bytes.
    pub fn zero_block(&mut self, start: Typed, of: &Type, bytes: Operand, at: Bytes) -> Lowered<()> {
        let size = match bytes {
            Operand::Constant(Value::Int(bytes)) => Size::Known(bytes.unsigned()),
            bytes => Size::Computed(bytes),
        };
        self.fill_memory(&start, of, Operand::Constant(Value::int(0, 8)), &size, at)
    }
}

/// An expression without casts to pointers around it.
fn without_casts(expression: &Node<Expression>) -> &Node<Expression> {
    match &expression.node {
        Expression::Cast(cast) => without_casts(&cast.node.expression),
        _ => expression,
    }
}
