//! The bytes of objects that no member has. They are set and copied where objects are as a whole, as memory of any type would be;
//! `crate::cells` leaves out what nobody reads of it.

use lang_c::span::Span;
use program::{Access, InstructionKind, Operand};

use super::lower::{Lowered, Lowering};
use super::place::{Place, access};
use super::types::{Records, Type};
use crate::cells::{COPY_TAG, END_TAG, PADDING_TAG};

/// The largest part of padding that is accessed at once, in bytes.
const LARGEST: u64 = 8;

/// A part of padding.
pub struct Padding {
    /// Where it is.
    pub place: Place,
    /// Whether it ends the last object that is set or copied.
    pub is_end: bool,
}

impl Padding {
    fn access(&self) -> Access {
        let access = access(self.place.of()).tagged(PADDING_TAG);
        if self.is_end { access.tagged(END_TAG) } else { access }
    }
}

impl Records {
    /// The padding of an object of a type: where its parts start, and their types.
    pub fn padding(&self, of: &Type) -> Vec<(u64, Type)> {
        let (Some(cells), Some((size, _))) = (self.cells(of), self.size(of)) else { return Vec::new() };
        let range = |path: &[i64], part: &Type| Some((self.byte(of, path)?, self.size(part)?.0));
        let Some(mut taken) = cells.iter().map(|(path, part)| range(path, part)).collect::<Option<Vec<_>>>() else {
            return Vec::new();
        };
        taken.sort_unstable();
        taken.push((size, 0));
        let (mut parts, mut end) = (Vec::new(), 0);
        for (start, bytes) in taken {
            parts.extend(units(end, start));
            end = end.max(start + bytes);
        }
        parts
    }
}

/// Aligned integers that a stretch of bytes is made of.
fn units(mut start: u64, end: u64) -> Vec<(u64, Type)> {
    let mut units = Vec::new();
    while start < end {
        let mut bytes = LARGEST;
        while !start.is_multiple_of(bytes) || start + bytes > end {
            bytes /= 2;
        }
        units.push((start, Type::integer(8 * bytes as u8, false)));
        start += bytes;
    }
    units
}

impl Lowering<'_> {
    /// Sets a part of padding.
    pub fn set_padding(&mut self, part: &Padding, byte: &Operand, at: Span) -> Lowered<()> {
        let value = self.repeated(byte, part.place.of(), at)?;
        self.store_as(&part.place, value, part.access(), at).map(drop)
    }

    /// Copies the padding of an object.
    pub fn copy_padding(&mut self, to: &Operand, from: &Operand, of: &Type) {
        for (start, part) in self.records.padding(of) {
            let [target, source] = [to, from].map(|operand| {
                let place = Place::Memory(self.bytes_after(operand.clone(), start), part.clone());
                Padding { place, is_end: false }
            });
            let value = self.load_padding(&source);
            self.store_padding(&target, value);
        }
    }

    /// Reads a part of padding that is copied.
    pub fn load_padding(&mut self, part: &Padding) -> Operand {
        let target = self.code.temporary();
        if let Place::Memory(address, _) = &part.place {
            let (address, access) = (address.clone(), part.access().tagged(COPY_TAG));
            self.code.emit(InstructionKind::Load { target, address, access }, self.here);
        }
        Operand::Register(target)
    }

    /// Writes a part of padding that is copied.
    pub fn store_padding(&mut self, part: &Padding, value: Operand) {
        if let Place::Memory(address, _) = &part.place {
            let (address, access) = (address.clone(), part.access());
            self.code.emit(InstructionKind::Store { address, value, access }, self.here);
        }
    }
}
