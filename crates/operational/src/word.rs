//! Values as the interpreter keeps them: small, copied without allocation, compared by bits.
//!
//! Paths of pointers and composites are kept once in a table, [`Words`]; a word holds their number. Two words of the same
//! table are equal exactly when their values are.

use std::sync::Arc;

use program::{Int, Operator, Pointer, Value};
use rustc_hash::FxHashMap;

/// Number of a path in [`Words`]; the empty path is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathId(pub u32);

/// A memory cell: an allocation and a path in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    /// The allocation.
    pub allocation: u32,
    /// The path.
    pub path: PathId,
}

/// A value of a register or cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Word {
    /// Never assigned, or the result of an operator outside its domain.
    Undefined,
    /// An integer.
    Int {
        /// Its width.
        width: u8,
        /// Its bits; those at and above the width are zero.
        bits: u64,
    },
    /// A pointer.
    Pointer(Address),
    /// Number of a composite in [`Words`].
    Composite(u32),
}

impl Word {
    /// The integer `value` of `width` bits.
    pub fn int(value: i64, width: u8) -> Word {
        Word::from(Int::new(value, width))
    }

    /// Whether a branch on it is taken, as [`Value::truth`] says.
    pub fn truth(self) -> Option<bool> {
        match self {
            Word::Int { bits, .. } => Some(bits != 0),
            Word::Pointer(_) => Some(true),
            Word::Undefined | Word::Composite(_) => None,
        }
    }

    /// The integer, if it is one.
    pub fn as_int(self) -> Option<Int> {
        match self {
            Word::Int { width, bits } => Some(Int::new(bits as i64, width)),
            _ => None,
        }
    }
}

impl From<Int> for Word {
    fn from(int: Int) -> Word {
        Word::Int { width: int.width(), bits: int.unsigned() }
    }
}

/// A tag and the fields of a composite.
type Composite = (Arc<str>, Vec<Word>);

/// What is no byte offset.
const NO_BYTE: i64 = i64::MIN;

/// The table of paths and composites.
pub struct Words {
    paths: Vec<Vec<i64>>,
    /// By path: the byte offset that it is, or [`NO_BYTE`].
    bytes: Vec<i64>,
    path_ids: FxHashMap<Vec<i64>, PathId>,
    /// What an offset makes of a path: computed often, so remembered.
    offsets: FxHashMap<(PathId, i64), PathId>,
    /// The path so many bytes farther on.
    steps: FxHashMap<(PathId, i64), PathId>,
    composites: Vec<Composite>,
    composite_ids: FxHashMap<Composite, u32>,
}

impl Default for Words {
    fn default() -> Words {
        Words::new()
    }
}

impl Words {
    /// A table with the empty path only.
    pub fn new() -> Words {
        Words {
            paths: vec![Vec::new()],
            bytes: vec![0],
            path_ids: [(Vec::new(), PathId(0))].into_iter().collect(),
            offsets: FxHashMap::default(),
            steps: FxHashMap::default(),
            composites: Vec::new(),
            composite_ids: FxHashMap::default(),
        }
    }

    /// The number of a path.
    pub fn path(&mut self, path: &[i64]) -> PathId {
        if path.is_empty() {
            return PathId(0);
        }
        if let Some(id) = self.path_ids.get(path) {
            return *id;
        }
        let id = PathId(self.paths.len() as u32);
        self.paths.push(path.to_vec());
        self.bytes.push(if let [offset] = path { *offset } else { NO_BYTE });
        self.path_ids.insert(path.to_vec(), id);
        id
    }

    /// The cell of a pointer.
    pub fn address(&mut self, pointer: &Pointer) -> Address {
        Address { allocation: pointer.allocation, path: self.path(&pointer.path) }
    }

    /// The cell of a pointer, if its path is known already.
    pub fn known_address(&self, pointer: &Pointer) -> Option<Address> {
        let path = *self.path_ids.get(&pointer.path)?;
        Some(Address { allocation: pointer.allocation, path })
    }

    /// The byte offset of a cell, if its path is one.
    pub fn byte(&self, path: PathId) -> Option<i64> {
        self.bytes.get(path.0 as usize).copied().filter(|offset| *offset != NO_BYTE)
    }

    /// The pointer to a cell.
    pub fn pointer(&self, address: Address) -> Pointer {
        // What is no cell of the program has no path in it.
        let path = self.paths.get(address.path.0 as usize).cloned().unwrap_or_else(|| vec![i64::MIN]);
        Pointer { allocation: address.allocation, path }
    }

    /// The word of a value.
    pub fn word(&mut self, value: &Value) -> Word {
        match value {
            Value::Undefined => Word::Undefined,
            Value::Int(int) => Word::from(*int),
            Value::Pointer(pointer) => Word::Pointer(self.address(pointer)),
            Value::Composite(tag, fields) => {
                let fields = fields.iter().map(|field| self.word(field)).collect();
                self.composite(tag.clone(), fields)
            }
        }
    }

    /// The value of a word.
    pub fn value(&self, word: Word) -> Value {
        match word {
            Word::Undefined => Value::Undefined,
            Word::Int { width, bits } => Value::Int(Int::new(bits as i64, width)),
            Word::Pointer(address) => Value::Pointer(self.pointer(address)),
            Word::Composite(id) => {
                let (tag, fields) = &self.composites[id as usize];
                Value::Composite(tag.clone(), fields.iter().map(|field| self.value(*field)).collect())
            }
        }
    }

    /// What an operator computes, as [`Operator::apply`] says.
    pub fn apply(&mut self, operator: &Operator, operands: &[Word]) -> Word {
        match (operator, operands) {
            (Operator::Copy | Operator::Defined, [word]) => *word,
            (Operator::Offset, [Word::Pointer(address), offset]) => match offset.as_int() {
                Some(int) => Word::Pointer(self.offset(*address, int.signed())),
                None => Word::Undefined,
            },
            (
                Operator::Step(size) | Operator::Element { size, .. },
                [Word::Pointer(address), Word::Int { width, bits }],
            ) => {
                let count = Int::new(*bits as i64, *width).signed();
                if operator.elements().is_some_and(|elements| !elements.contains(&count)) {
                    return Word::Undefined;
                }
                let distance = count.checked_mul(i64::from(*size));
                let moved = distance.and_then(|distance| self.step(*address, distance));
                moved.map_or(Word::Undefined, Word::Pointer)
            }
            (Operator::IsFalse, [word]) => {
                word.truth().map_or(Word::Undefined, |truth| Word::int(i64::from(!truth), 32))
            }
            (operator, [Word::Int { width, bits }, Word::Int { width: other, bits: more }]) => {
                let (a, b) = (Int::new(*bits as i64, *width), Int::new(*more as i64, *other));
                match operator {
                    Operator::Eq => return Word::int(i64::from(a.signed() == b.signed()), 32),
                    Operator::Ne => return Word::int(i64::from(a.signed() != b.signed()), 32),
                    _ => {}
                }
                match operator.on_integers(a, b) {
                    Some(int) => Word::from(int),
                    None => self.result(operator, &[Value::Int(a), Value::Int(b)]),
                }
            }
            (operator, [a]) => self.result(operator, &[self.value(*a)]),
            (operator, [a, b]) => self.result(operator, &[self.value(*a), self.value(*b)]),
            (operator, operands) => {
                let values: Vec<Value> = operands.iter().map(|word| self.value(*word)).collect();
                self.result(operator, &values)
            }
        }
    }

    fn result(&mut self, operator: &Operator, operands: &[Value]) -> Word {
        let value = operator.apply(operands);
        self.word(&value)
    }

    fn offset(&mut self, address: Address, offset: i64) -> Address {
        let known = self.offsets.get(&(address.path, offset)).copied();
        let path = known.unwrap_or_else(|| {
            let mut path = self.paths[address.path.0 as usize].clone();
            path.push(offset);
            let id = self.path(&path);
            self.offsets.insert((address.path, offset), id);
            id
        });
        Address { path, ..address }
    }

    /// The cell so many bytes farther on; `None` if the path is none of bytes, or the offset leaves 64 bits.
    fn step(&mut self, address: Address, distance: i64) -> Option<Address> {
        if distance == 0 {
            return (self.paths[address.path.0 as usize].len() < 2).then_some(address);
        }
        if let Some(path) = self.steps.get(&(address.path, distance)) {
            return Some(Address { path: *path, ..address });
        }
        let offset = self.pointer(address).bytes()?.checked_add(distance)?;
        let path = self.path(&Pointer::byte_path(offset));
        self.steps.insert((address.path, distance), path);
        Some(Address { path, ..address })
    }

    fn composite(&mut self, tag: Arc<str>, fields: Vec<Word>) -> Word {
        let composite = (tag, fields);
        if let Some(id) = self.composite_ids.get(&composite) {
            return Word::Composite(*id);
        }
        let id = self.composites.len() as u32;
        self.composites.push(composite.clone());
        self.composite_ids.insert(composite, id);
        Word::Composite(id)
    }

    /// Calls `visit` on the allocation of every pointer in a word.
    #[inline]
    pub fn allocations(&self, word: Word, visit: &mut impl FnMut(u32)) {
        match word {
            Word::Undefined | Word::Int { .. } => {}
            Word::Pointer(address) => visit(address.allocation),
            Word::Composite(id) => self.allocations_in(id, visit),
        }
    }

    fn allocations_in(&self, composite: u32, visit: &mut dyn FnMut(u32)) {
        let (_, fields) = &self.composites[composite as usize];
        for field in fields {
            match *field {
                Word::Undefined | Word::Int { .. } => {}
                Word::Pointer(address) => visit(address.allocation),
                Word::Composite(inner) => self.allocations_in(inner, visit),
            }
        }
    }

    /// The word with every allocation `a` in it replaced by `number(a)`.
    pub fn renumber(&mut self, word: Word, number: &dyn Fn(u32) -> u32) -> Word {
        match word {
            Word::Undefined | Word::Int { .. } => word,
            Word::Pointer(address) => {
                Word::Pointer(Address { allocation: number(address.allocation), path: address.path })
            }
            Word::Composite(id) => {
                let (tag, fields) = self.composites[id as usize].clone();
                let fields = fields.into_iter().map(|field| self.renumber(field, number)).collect();
                self.composite(tag, fields)
            }
        }
    }

    /// About how many bytes the table takes.
    pub fn bytes(&self) -> u64 {
        let paths: usize = self.paths.iter().map(|path| 2 * (8 * path.len() + 24) + 16).sum();
        let composites: usize = self.composites.iter().map(|(_, fields)| 2 * (16 * fields.len() + 40) + 16).sum();
        (paths + composites + 32 * (self.offsets.len() + self.steps.len())) as u64
    }
}
