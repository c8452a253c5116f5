//! Where the members of records lie, bit-fields among them, as GCC has it on x86-64.
//!
//! A bit-field of a type starts where the one before it ends, unless it would then cross a multiple of the type's size; one of width 0
//! starts such a multiple. Bit-fields that follow each other are one memory location (C11 3.14). It is accessed by
//! [`Unit`]s, integers that cover no other member; every access of a bit-field touches the first unit of its location, so
//! that accesses of neighbours race as C says.

use super::{Record, Records, Type};

/// A bit-field without a name.
#[derive(Clone, Debug)]
pub struct Gap {
    /// The number of the member that it stands before.
    pub before: usize,
    /// Its type.
    pub of: Type,
    /// How many bits it has.
    pub width: u8,
}

/// An integer in memory that holds bit-fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The byte of the record where it starts.
    pub byte: u64,
    /// How many bytes it has.
    pub bytes: u8,
}

/// The bits of a bit-field that are in one unit.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The unit.
    pub unit: Unit,
    /// The lowest bit of the unit that belongs to it.
    pub low: u8,
    /// How many bits belong to it.
    pub count: u8,
    /// How many bits of the bit-field are in pieces before.
    pub before: u8,
}

/// Where a bit-field is.
#[derive(Clone, Debug)]
pub struct BitField {
    /// How many bits it has.
    pub width: u8,
    /// Its bits, the low ones first.
    pub pieces: Vec<Piece>,
    /// The first unit of its memory location, if it has no bits there.
    pub location: Option<Unit>,
}

/// Where all members of a record are.
pub(super) struct Placement {
    /// The first bit of each.
    pub bits: Vec<u64>,
    /// The units of bit-fields, with the number of their memory location.
    pub units: Vec<(Unit, usize)>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// Bit-fields that follow each other.
struct Run {
    /// From this bit.
    start: u64,
    /// Up to this one.
    end: u64,
    /// The bytes of the largest type among them.
    widest: u64,
}

/// What lies where, up to some member.
struct Cursor<'r> {
    record: &'r Record,
    /// The first free bit.
    bit: u64,
    /// The end of the record so far, in bits.
    end: u64,
    align: u64,
    runs: Vec<Run>,
    /// Whether the last run may go on.
    is_open: bool,
    /// The first bytes of members that are no bit-fields.
    others: Vec<u64>,
}

impl Cursor<'_> {
    /// Places a member that is no bit-field, and gives its first bit.
    fn member(&mut self, size: u64, align: u64) -> Option<u64> {
        let start = self.bit.checked_next_multiple_of(align.checked_mul(8)?)?;
        self.is_open = false;
        self.others.push(start / 8);
        self.align = self.align.max(align);
        self.go_to(start.checked_add(size.checked_mul(8)?)?);
        Some(start)
    }

    /// Places a bit-field of a type of so many bytes.
    fn field(&mut self, width: u8, size: u64, is_packed: bool, aligned: u64) -> Option<u64> {
        let (width, unit) = (u64::from(width), size.checked_mul(8)?);
        let wanted = if aligned > 1 { aligned.checked_mul(8)? } else { 1 };
        let mut start = self.bit.checked_next_multiple_of(wanted)?;
        if width == 0 || !is_packed && start % unit + width > unit {
            start = start.checked_next_multiple_of(unit)?;
        }
        let end = start.checked_add(width)?;
        match self.runs.last_mut() {
            _ if width == 0 => self.is_open = false,
            Some(run) if self.is_open => (run.end, run.widest) = (end, run.widest.max(size)),
            _ => {
                self.runs.push(Run { start, end, widest: size });
                self.is_open = !self.record.union;
            }
        }
        self.go_to(end);
        Some(start)
    }

    fn go_to(&mut self, end: u64) {
        self.end = self.end.max(end);
        self.bit = if self.record.union { 0 } else { end };
    }

    /// The units of a run: they end before the next member, and at the end of the record.
    fn units(&self, run: &Run, size: u64) -> Vec<Unit> {
        let (mut at, end) = (run.start / 8, run.end.div_ceil(8));
        let later = self.others.iter().copied().chain(self.runs.iter().map(|run| run.start / 8));
        let limit = later.filter(|start| !self.record.union && *start >= end).min().unwrap_or(size);
        let mut units = Vec::new();
        while at < end {
            let fits = |bytes: &u64| *bytes <= run.widest && at.is_multiple_of(*bytes) && at + bytes <= limit;
            let sizes = || [1, 2, 4, 8].into_iter().filter(fits);
            let bytes = sizes().find(|bytes| at + bytes >= end).or(sizes().next_back()).unwrap_or(1);
            units.push(Unit { byte: at, bytes: bytes as u8 });
            at += bytes;
        }
        units
    }
}

impl Records {
    /// Where the first `count` members of a record are; size and alignment are those of the record if that is all of them.
    pub(super) fn placement(&self, record: &Record, count: usize) -> Option<Placement> {
        let (align, others) = (record.wish.aligned.max(1), Vec::new());
        let mut cursor = Cursor { record, bit: 0, end: 0, align, runs: Vec::new(), is_open: false, others };
        let mut bits = Vec::new();
        let fields = record.fields.as_ref()?;
        for (index, (_, of)) in fields.get(..count)?.iter().enumerate() {
            self.skip_gaps(&mut cursor, index)?;
            let (size, natural) = self.size(of).or_else(|| self.open_size(of))?;
            let align = record.alignment(index, natural);
            bits.push(match record.bits.get(&index) {
                Some(width) => {
                    cursor.align = cursor.align.max(align);
                    let wish = record.members.get(&index).copied().unwrap_or_default();
                    cursor.field(*width, size, record.wish.packed || wish.packed, wish.aligned)?
                }
                None => cursor.member(size, align)?,
            });
        }
        self.skip_gaps(&mut cursor, count)?;
        let size = cursor.end.div_ceil(8).checked_next_multiple_of(cursor.align)?;
        let of_run = |(number, run): (usize, &Run)| cursor.units(run, size).into_iter().map(move |unit| (unit, number));
        let units = cursor.runs.iter().enumerate().flat_map(of_run).collect();
        Some(Placement { bits, units, size, align: cursor.align })
    }

    fn skip_gaps(&self, cursor: &mut Cursor, before: usize) -> Option<()> {
        for gap in cursor.record.gaps.iter().filter(|gap| gap.before == before) {
            let (size, _) = self.size(&gap.of)?;
            cursor.field(gap.width, size, cursor.record.wish.packed, 0)?;
        }
        Some(())
    }

    /// Where a member is that is a bit-field.
    pub fn bit_field(&self, id: super::RecordId, index: usize) -> Option<BitField> {
        let record = self.get(id);
        let width = *record.bits.get(&index)?;
        let placement = self.placement(record, record.fields.as_ref()?.len())?;
        let start = *placement.bits.get(index)?;
        let end = start + u64::from(width);
        let meets = |unit: &Unit| unit.byte * 8 < end && start < (unit.byte + u64::from(unit.bytes)) * 8;
        let run = self.run_of(record, &placement, index)?;
        let units: Vec<Unit> = placement.units.iter().filter(|(_, of)| *of == run).map(|(unit, _)| *unit).collect();
        let mut pieces: Vec<Piece> = Vec::new();
        for unit in units.iter().copied().filter(meets) {
            let (first, last) = (unit.byte * 8, (unit.byte + u64::from(unit.bytes)) * 8);
            let (low, high) = (start.max(first), end.min(last));
            let before = low - start;
            let [low, count, before] = [low - first, high - low, before].map(|bits| bits as u8);
            pieces.push(Piece { unit, low, count, before });
        }
        let is_first = |first: &Unit| !pieces.iter().any(|piece| piece.unit == *first);
        let location = units.first().copied().filter(is_first);
        Some(BitField { width, pieces, location })
    }

    /// The number of the memory location that a bit-field is in: in a union each has its own.
    fn run_of(&self, record: &Record, placement: &Placement, index: usize) -> Option<usize> {
        if record.union {
            let gaps = record.gaps.iter().filter(|gap| gap.before <= index && gap.width > 0);
            return Some(record.bits.range(..index).count() + gaps.count());
        }
        let start = *placement.bits.get(index)? / 8;
        let holds = |unit: &Unit| unit.byte <= start && start < unit.byte + u64::from(unit.bytes);
        placement.units.iter().find(|(unit, _)| holds(unit)).map(|(_, run)| *run)
    }

    /// The numbers of the parts that hold the bytes of a record, in order: members that are no bit-fields, and units, whose numbers come
    /// after those of all members.
    pub(super) fn stored(&self, record: &Record) -> Option<Vec<u64>> {
        let fields = record.fields.as_ref()?.len();
        if record.bits.is_empty() {
            return Some((0..fields as u64).collect());
        }
        let placement = self.placement(record, fields)?;
        let members = placement.bits.iter().enumerate().filter(|(index, _)| !record.bits.contains_key(index));
        let members = members.map(|(index, bit)| (bit / 8, index as u64));
        let units = placement.units.iter().enumerate();
        let units = units.map(|(number, (unit, _))| (unit.byte, (fields + number) as u64));
        let mut parts: Vec<(u64, u64)> = members.chain(units).collect();
        parts.sort();
        Some(parts.into_iter().map(|(_, index)| index).collect())
    }

    /// The unit that has this number among the parts of a record.
    pub(super) fn unit(&self, record: &Record, index: usize) -> Option<Unit> {
        let fields = record.fields.as_ref()?.len();
        let number = index.checked_sub(fields).filter(|_| !record.bits.is_empty())?;
        self.placement(record, fields)?.units.get(number).map(|(unit, _)| *unit)
    }

    /// The names of the bit-fields in a unit.
    pub(super) fn unit_name(&self, id: super::RecordId, unit: Unit) -> String {
        let record = self.get(id);
        let is_in = |index: &usize| {
            self.bit_field(id, *index).is_some_and(|field| field.pieces.iter().any(|piece| piece.unit == unit))
        };
        let inside = record.bits.keys().copied().filter(is_in);
        let names = inside.filter_map(|index| record.fields.as_ref()?.get(index)?.0.clone());
        names.collect::<Vec<String>>().join("|")
    }
}
