//! C types, their sizes, and the cells that an object of a type has.
//!
//! A scalar object is one cell; a struct or array has the cells of its parts, at their bytes. A part is found by a path of
//! numbers of members and elements. The cells of a union are those of its largest member.

use std::collections::BTreeMap;
use std::sync::Arc;

use program::{Layout, Value};

mod bits;

pub use bits::{BitField, Gap, Piece, Unit};

/// Index of a struct or union in [`Records`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecordId(pub usize);

/// A C type with the qualifiers that matter here.
#[derive(Clone, Debug)]
pub struct Type {
    /// What it is.
    pub shape: Shape,
    /// Whether it is `volatile`.
    pub volatile: bool,
    /// Whether it is `_Atomic`.
    pub atomic: bool,
    /// Whether it is `const`. Types are the same whether or not they are.
    pub constant: bool,
}

impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        self.shape == other.shape && self.volatile == other.volatile && self.atomic == other.atomic
    }
}

impl Eq for Type {}

/// A C type without qualifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `void`.
    Void,
    /// An integer type, `_Bool` or an enumeration.
    Integer(Integer),
    /// A floating-point type of so many bits.
    Float(u8),
    /// A pointer.
    Pointer(Arc<Type>),
    /// An array, perhaps of unknown length.
    Array(Arc<Type>, Option<u64>),
    /// A struct or union.
    Record(RecordId),
    /// A function.
    Function(Arc<Signature>),
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// Width in bits.
    pub width: u8,
    /// Whether it has negative values.
    pub signed: bool,
    /// Whether it is `_Bool`.
    pub boolean: bool,
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// What it returns.
    pub result: Type,
    /// Names, where given, and types of the parameters.
    pub parameters: Vec<(Option<String>, Type)>,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// Whether the parameters are known: `int f()` says nothing about them.
    pub prototype: bool,
}

/// A struct or union.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Its tag or a stand-in.
    pub name: String,
    /// Whether it is a union.
    pub union: bool,
    /// Members in order, once they are known. A member without a name is an anonymous struct or union.
    pub fields: Option<Vec<(Option<String>, Type)>>,
    /// How the program wants it to lie.
    pub wish: Wish,
    /// How it wants single members to lie, by their numbers.
    pub members: BTreeMap<usize, Wish>,
    /// The widths of members that are bit-fields, by their numbers.
    pub bits: BTreeMap<usize, u8>,
    /// Bit-fields without names.
    pub gaps: Vec<Gap>,
    /// Whether it stands for integers of 128 bits: whether these are signed.
    pub number: Option<bool>,
}

/// How something should lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Whether at any byte.
    pub packed: bool,
    /// At least at multiples of this.
    pub aligned: u64,
    /// Whether an argument for it may be of the type of any member of it (GCC's transparent unions).
    pub transparent: bool,
}

/// The members of a record while they are read.
#[derive(Debug, Default)]
pub struct Members {
    /// Their names and types.
    pub fields: Vec<(Option<String>, Type)>,
    /// How the record should lie.
    pub wish: Wish,
    /// How single members should lie.
    pub wishes: BTreeMap<usize, Wish>,
    /// The widths of bit-fields.
    pub bits: BTreeMap<usize, u8>,
    /// Bit-fields without names.
    pub gaps: Vec<Gap>,
}

impl Record {
    /// The alignment of a member whose type has this one.
    fn alignment(&self, index: usize, natural: u64) -> u64 {
        let member = self.members.get(&index).copied().unwrap_or_default();
        let natural = if self.wish.packed || member.packed { 1 } else { natural };
        natural.max(member.aligned).max(1)
    }
}

impl Type {
    /// The type without qualifiers.
    pub fn new(shape: Shape) -> Type {
        Type { shape, volatile: false, atomic: false, constant: false }
    }

    /// An integer type.
    pub fn integer(width: u8, signed: bool) -> Type {
        Type::new(Shape::Integer(Integer { width, signed, boolean: false }))
    }

    /// `float` or `double`, by its width.
    pub fn float(width: u8) -> Type {
        Type::new(Shape::Float(width))
    }

    /// `int`.
    pub fn int() -> Type {
        Type::integer(32, true)
    }

    /// `unsigned long`, which is `size_t`.
    pub fn size() -> Type {
        Type::integer(64, false)
    }

    /// `_Bool`, of 8 bits.
    pub fn boolean() -> Type {
        Type::new(Shape::Integer(Integer { width: 8, signed: false, boolean: true }))
    }

    /// `void`.
    pub fn void() -> Type {
        Type::new(Shape::Void)
    }

    /// A pointer to this type.
    pub fn pointer(self) -> Type {
        Type::new(Shape::Pointer(Arc::new(self)))
    }

    /// The type without qualifiers, as values have it.
    pub fn unqualified(&self) -> Type {
        Type::new(self.shape.clone())
    }

    /// Whether objects of the type may not be written: `const`, or an array of such.
    pub fn is_constant(&self) -> bool {
        self.constant || matches!(&self.shape, Shape::Array(element, _) if element.is_constant())
    }

    /// What it points to.
    pub fn pointee(&self) -> Option<&Type> {
        match &self.shape {
            Shape::Pointer(to) => Some(to),
            _ => None,
        }
    }

    /// The integer type that it is.
    pub fn as_integer(&self) -> Option<Integer> {
        match self.shape {
            Shape::Integer(integer) => Some(integer),
            _ => None,
        }
    }

    /// The width of the floating-point type that it is.
    pub fn as_float(&self) -> Option<u8> {
        match self.shape {
            Shape::Float(width) => Some(width),
            _ => None,
        }
    }

    /// Whether it is a pointer.
    pub fn is_pointer(&self) -> bool {
        matches!(self.shape, Shape::Pointer(_))
    }

    /// Whether it is `void`.
    pub fn is_void(&self) -> bool {
        self.shape == Shape::Void
    }

    /// Whether it is a number or a pointer.
    pub fn is_scalar(&self) -> bool {
        matches!(self.shape, Shape::Integer(_) | Shape::Float(_) | Shape::Pointer(_))
    }

    /// Whether it is a struct or union.
    pub fn is_record(&self) -> bool {
        matches!(self.shape, Shape::Record(_))
    }

    /// Zero or null, for a scalar.
    pub fn zero(&self) -> Option<Value> {
        self.width().map(|width| Value::int(0, width))
    }

    /// The width of a scalar in bits.
    pub fn width(&self) -> Option<u8> {
        match &self.shape {
            Shape::Integer(integer) => Some(integer.width),
            Shape::Float(width) => Some(*width),
            Shape::Pointer(_) => Some(64),
            _ => None,
        }
    }
}

impl Integer {
    /// The integer promotions: what is narrower than `int` becomes `int`.
    pub fn promoted(self) -> Integer {
        if self.width < 32 { Integer { width: 32, signed: true, boolean: false } } else { self }
    }

    /// How many bits its values need as signed numbers.
    pub fn signed_bits(self) -> u8 {
        if self.signed { self.width } else { self.width + 1 }
    }

    /// The usual arithmetic conversions. Types of one width differ in signedness only, which makes rank the same as width.
    pub fn common(self, other: Integer) -> Integer {
        let (a, b) = (self.promoted(), other.promoted());
        match a.width.cmp(&b.width) {
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Equal => Integer { signed: a.signed && b.signed, ..a },
        }
    }
}

/// All structs and unions of a program.
#[derive(Clone, Debug, Default)]
pub struct Records(Vec<Record>);

/// More cells than any object of a program that can be analysed.
pub const MOST_CELLS: u64 = 4096;

impl Records {
    /// Adds one and gives its number.
    pub fn add(&mut self, record: Record) -> RecordId {
        self.0.push(record);
        RecordId(self.0.len() - 1)
    }

    /// The numbers of all.
    pub fn ids(&self) -> impl Iterator<Item = RecordId> + use<> {
        (0..self.0.len()).map(RecordId)
    }

    /// The one with that number.
    pub fn get(&self, id: RecordId) -> &Record {
        &self.0[id.0]
    }

    /// Gives a record its members, and says how they should lie.
    pub fn complete(&mut self, id: RecordId, members: Members) {
        let record = &mut self.0[id.0];
        record.fields = Some(members.fields);
        (record.wish, record.members) = (members.wish, members.wishes);
        (record.bits, record.gaps) = (members.bits, members.gaps);
    }

    /// The way to a member: numbers and types, through anonymous ones.
    pub fn find(&self, id: RecordId, name: &str) -> Option<Vec<(RecordId, usize, Type)>> {
        let fields = self.get(id).fields.as_ref()?;
        for (index, (field, of)) in fields.iter().enumerate() {
            match field {
                Some(field) if field == name => return Some(vec![(id, index, of.clone())]),
                Some(_) => {}
                None => {
                    let Shape::Record(inner) = of.shape else { continue };
                    if let Some(rest) = self.find(inner, name) {
                        let mut way = vec![(id, index, of.clone())];
                        way.extend(rest);
                        return Some(way);
                    }
                }
            }
        }
        None
    }

    /// The member of a union whose cells are those of the union: the largest, and of those the one with the fewest.
    fn largest(&self, id: RecordId) -> Option<u64> {
        let union = Type::new(Shape::Record(id));
        let parts = self.stored(self.get(id))?.into_iter();
        let sizes = parts.filter_map(|index| {
            let of = self.part(&union, index)?;
            Some((self.size(&of)?.0, std::cmp::Reverse((self.cells(&of)?.len(), index))))
        });
        sizes.max().map(|(_, std::cmp::Reverse((_, index)))| index)
    }

    /// The parts of an aggregate: members, elements. `None` for scalars and what has no known size.
    pub fn part(&self, of: &Type, index: u64) -> Option<Type> {
        match &of.shape {
            Shape::Array(element, length) if length.is_none_or(|length| index < length) => Some((**element).clone()),
            Shape::Record(id) => {
                let record = self.get(*id);
                let index = usize::try_from(index).ok()?;
                let member = record.fields.as_ref()?.get(index).map(|(_, of)| of.clone());
                member.or_else(|| Some(Type::integer(8 * self.unit(record, index)?.bytes, false)))
            }
            _ => None,
        }
    }

    /// How many parts an aggregate has; of a union one is there at a time.
    pub fn parts(&self, of: &Type) -> Option<u64> {
        match &of.shape {
            Shape::Array(_, length) => *length,
            Shape::Record(id) => {
                let record = self.get(*id);
                let count = record.fields.as_ref()?.len() as u64;
                Some(if record.union { count.min(1) } else { count })
            }
            _ => None,
        }
    }

    /// Whether it is a struct that ends in an array of any length.
    pub fn is_open(&self, of: &Type) -> bool {
        let Shape::Record(id) = of.shape else { return false };
        let last = self.get(id).fields.as_ref().and_then(|fields| fields.last());
        last.is_some_and(|(_, of)| matches!(of.shape, Shape::Array(_, None | Some(0))))
    }

    /// The scalar cells of an object with their paths, in order. `None` if there are too many or the type is incomplete. An
    /// array without a length at the end of a struct has none.
    pub fn cells(&self, of: &Type) -> Option<Vec<(Vec<i64>, Type)>> {
        let mut cells = Vec::new();
        self.collect(of, &mut Vec::new(), &mut cells)?;
        Some(cells)
    }

    fn collect(&self, of: &Type, path: &mut Vec<i64>, cells: &mut Vec<(Vec<i64>, Type)>) -> Option<()> {
        if of.is_scalar() || of.atomic && of.is_record() {
            cells.push((path.clone(), of.clone()));
            return (cells.len() as u64 <= MOST_CELLS).then_some(());
        }
        if let Shape::Record(id) = of.shape
            && self.get(id).union
        {
            let Some(index) = self.largest(id) else { return Some(()) };
            path.push(index as i64);
            self.collect(&inherit(self.part(of, index)?, of), path, cells)?;
            path.pop();
            return Some(());
        }
        let parts: Vec<u64> = match &of.shape {
            Shape::Array(_, None) if !path.is_empty() => Vec::new(),
            Shape::Record(id) => self.stored(self.get(*id))?,
            // Parts without cells (an array of empty structs) would take long without making the list longer.
            _ => (0..self.parts(of).filter(|count| *count <= MOST_CELLS)?).collect(),
        };
        for index in parts {
            path.push(index as i64);
            self.collect(&inherit(self.part(of, index)?, of), path, cells)?;
            path.pop();
        }
        Some(())
    }

    /// Which byte of an object the part at a path starts at.
    pub fn byte(&self, of: &Type, path: &[i64]) -> Option<u64> {
        let Some((&first, rest)) = path.split_first() else { return Some(0) };
        let index = u64::try_from(first).ok()?;
        let part = self.part(of, index)?;
        let start = match &of.shape {
            Shape::Array(element, _) => self.size(element)?.0.checked_mul(index)?,
            Shape::Record(id) => self.member_byte(*id, usize::try_from(index).ok()?)?,
            _ => return None,
        };
        start.checked_add(self.byte(&part, rest)?)
    }

    /// Which byte of a record a member starts at.
    pub fn member_byte(&self, id: RecordId, index: usize) -> Option<u64> {
        let record = self.get(id);
        if record.union {
            return Some(0);
        }
        if let Some(unit) = self.unit(record, index) {
            return Some(unit.byte);
        }
        self.placement(record, index + 1)?.bits.last().map(|bit| bit / 8)
    }

    /// The size of an array without a length, which may end a struct: no bytes.
    fn open_size(&self, of: &Type) -> Option<(u64, u64)> {
        match &of.shape {
            Shape::Array(element, None) => Some((0, self.size(element)?.1)),
            _ => None,
        }
    }

    /// Where the parts of an object of a type lie, by their names.
    pub fn layout(&self, of: &Type) -> Layout {
        let size = self.size(of).map_or(0, |(size, _)| size);
        match &of.shape {
            Shape::Array(element, _) => {
                let stride = self.size(element).map_or(0, |(size, _)| size);
                Layout::Array { stride, element: Arc::new(self.layout(element)) }
            }
            Shape::Record(id) => {
                let parts = self.stored(self.get(*id)).unwrap_or_default();
                let named = parts.into_iter().filter_map(|index| self.named_part(*id, usize::try_from(index).ok()?));
                Layout::Record { size, fields: named.collect() }
            }
            _ => Layout::Scalar(size),
        }
    }

    /// Name, first byte and layout of a part of a record.
    fn named_part(&self, id: RecordId, index: usize) -> Option<(String, u64, Layout)> {
        let record = self.get(id);
        let start = self.member_byte(id, index)?;
        match record.fields.as_ref()?.get(index) {
            Some((name, of)) => Some((name.clone().unwrap_or_default(), start, self.layout(of))),
            None => {
                let unit = self.unit(record, index)?;
                Some((self.unit_name(id, unit), start, Layout::Scalar(u64::from(unit.bytes))))
            }
        }
    }

    /// Size and alignment in bytes, as on 64-bit Unix. `None` for incomplete types and functions.
    pub fn size(&self, of: &Type) -> Option<(u64, u64)> {
        match &of.shape {
            Shape::Void => Some((1, 1)),
            Shape::Integer(integer) => Some((u64::from(integer.width) / 8, u64::from(integer.width) / 8)),
            Shape::Float(width) => Some((u64::from(*width) / 8, u64::from(*width) / 8)),
            Shape::Pointer(_) => Some((8, 8)),
            Shape::Array(element, length) => {
                let (size, align) = self.size(element)?;
                Some((size.checked_mul((*length)?)?, align))
            }
            Shape::Record(id) => self.record_size(self.get(*id)),
            Shape::Function(_) => None,
        }
    }

    fn record_size(&self, record: &Record) -> Option<(u64, u64)> {
        let placement = self.placement(record, record.fields.as_ref()?.len())?;
        Some((placement.size, placement.align))
    }

    /// A type as the user would name it.
    pub fn name(&self, of: &Type) -> String {
        match &of.shape {
            Shape::Void => "void".into(),
            Shape::Integer(integer) if integer.boolean => "_Bool".into(),
            Shape::Integer(integer) => {
                let word = match integer.width {
                    8 => "char",
                    16 => "short",
                    32 => "int",
                    _ => "long",
                };
                format!("{}{word}", if integer.signed { "" } else { "unsigned " })
            }
            Shape::Float(32) => "float".into(),
            Shape::Float(_) => "double".into(),
            Shape::Pointer(to) => format!("{} *", self.name(to)),
            Shape::Array(element, Some(length)) => format!("{}[{length}]", self.name(element)),
            Shape::Array(element, None) => format!("{}[]", self.name(element)),
            Shape::Record(id) => {
                let record = self.get(*id);
                if record.number.is_some() {
                    return record.name.clone();
                }
                format!("{} {}", if record.union { "union" } else { "struct" }, record.name)
            }
            Shape::Function(_) => "function".into(),
        }
    }
}

/// A part of a volatile object is volatile too.
pub fn inherit(part: Type, whole: &Type) -> Type {
    Type { volatile: part.volatile || whole.volatile, ..part }
}
