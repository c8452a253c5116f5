//! Final fields on the machine jmm_over (Java language specification, 17.5.1).
//!
//! What happens before a freeze counts as happening before a read of the frozen field, and before what is read through that
//! field, if the reader came to the object by a reference that was written after the freeze. Of an execution the freezes
//! are kept, and the reads by which threads came to objects that others make; where a read can only have seen a write that
//! another one hides in this order, the execution is given up.
//!
//! This leaves out no execution that Java allows. Where a thread has read the address of an object several times, only what
//! all these reads promise counts, whichever of them the specification may take; of a read by which the address came from
//! a volatile variable, or which may have seen a write that is still to come, nothing is known; and where several writes
//! show the value that was read, the read may have seen any of them.

use std::collections::BTreeMap;

use super::{Clock, Clocks, Write, at};
use crate::word::{Address, Word};

/// What is kept of an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct FinalFields {
    /// Ascending.
    freezes: Vec<Freeze>,
    /// Ascending, each once.
    pub(crate) reads: Vec<Read>,
}

/// A constructor has ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Freeze {
    /// The field, or an object all of whose fields are frozen.
    field: Address,
    /// How many steps lead from the object to the field.
    depth: usize,
    thread: usize,
    clock: Clock,
}

/// A read of an address of an object that another thread makes, or of a cell of such an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Read {
    /// The reader's name.
    pub(crate) thread: u32,
    pub(crate) cell: Address,
    pub(crate) depth: usize,
    pub(crate) is_final: bool,
    /// Whether another thread makes the object that was read from.
    pub(crate) is_foreign: bool,
    /// The object whose address was read, if another thread makes it, and that thread's name.
    pub(crate) address: Option<(u32, u32)>,
    /// What it may have seen.
    pub(crate) sources: Vec<Source>,
}

/// What a read may have seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Source {
    /// The initial value.
    Initial,
    /// A write: its thread's name, and how many writes of that thread to the cell came before.
    Write(u32, u32),
    /// Something of which nothing is known.
    Unknown,
}

/// A set of freezes, by number.
type Set = u128;

/// What is promised to a thread about an object: by thread and object.
type Promises = BTreeMap<(u32, u32), Set>;

impl FinalFields {
    /// Every period that is spoken of.
    pub(crate) fn periods(&mut self) -> impl Iterator<Item = (usize, &mut u32)> {
        self.freezes.iter_mut().flat_map(|freeze| freeze.clock.iter_mut().enumerate())
    }

    /// The freezes that satisfy something.
    fn select(&self, holds: impl Fn(&Freeze) -> bool) -> Set {
        let chosen = self.freezes.iter().enumerate().filter(|(_, freeze)| holds(freeze));
        chosen.fold(0, |set, (number, _)| set | 1 << number)
    }

    /// What every read of an object's address by a thread promises.
    fn agreed(&self, of_read: impl Fn(&Read) -> Set) -> Promises {
        let mut promises = Promises::new();
        for read in &self.reads {
            let Some((object, _)) = read.address else { continue };
            let promised = of_read(read);
            promises.entry((read.thread, object)).and_modify(|all| *all &= promised).or_insert(promised);
        }
        promises
    }
}

fn about(promises: &Promises, thread: u32, object: u32) -> Set {
    promises.get(&(thread, object)).copied().unwrap_or(0)
}

/// The least promises that agree with each other.
fn settled(step: impl Fn(&Promises) -> Promises) -> Promises {
    let mut promises = Promises::new();
    loop {
        let next = step(&promises);
        if next == promises {
            return promises;
        }
        promises = next;
    }
}

impl Clocks {
    /// A constructor ends.
    pub(crate) fn freezes(&mut self, thread: usize, field: Address, depth: usize) {
        let clock = self.release(thread);
        let fields = self.final_fields();
        fields.freezes.push(Freeze { field, depth, thread, clock });
        fields.freezes.sort_unstable();
    }

    /// The write that a source is, if it has come.
    fn write_of(&self, cell: Address, source: Source) -> Option<&Write> {
        let Source::Write(name, number) = source else { return None };
        let own = |write: &&Write| write.thread.is_some_and(|thread| self.name(thread) == name);
        self.writes(cell).iter().filter(own).nth(number as usize)
    }

    /// The freezes that come before a write of an object's address on every memory chain to it.
    fn promised_by(&self, read: &Read, source: Source, fields: &FinalFields, chains: &Promises) -> Set {
        let (Some(write), Some((object, maker))) = (self.write_of(read.cell, source), read.address) else { return 0 };
        let before = fields.select(|freeze| freeze.is_before(write));
        match write.thread.map(|thread| self.name(thread)) {
            Some(writer) if writer != maker => before | about(chains, writer, object),
            _ => before,
        }
    }

    /// Whether every read may have seen what it saw.
    pub(crate) fn keeps_final_fields(&self) -> bool {
        let Some(fields) = self.path.as_ref().map(|path| &path.final_fields) else { return true };
        if fields.freezes.is_empty() || fields.reads.is_empty() || fields.freezes.len() > Set::BITS as usize {
            return true;
        }
        let of_object = |promises: &Promises, read: &Read| match read.is_foreign {
            true => about(promises, read.thread, read.cell.allocation),
            false => 0,
        };
        let chains = settled(|chains| {
            fields.agreed(|read| {
                let promised = read.sources.iter().map(|&source| self.promised_by(read, source, fields, chains));
                promised.fold(Set::MAX, |all, set| all & set) | of_object(chains, read)
            })
        });
        let frozen = |read: &Read| match read.is_final {
            true => fields.select(|freeze| freeze.covers(read)) & of_object(&chains, read),
            false => 0,
        };
        let reached = settled(|reached| fields.agreed(|read| frozen(read) | of_object(reached, read)));
        let all = |set: Set| fields.freezes.iter().enumerate().filter(move |(number, _)| set >> number & 1 == 1);
        let keeps = |read: &Read| {
            let set = frozen(read) | of_object(&reached, read);
            let hides = |source: Source| all(set).any(|(_, freeze)| self.hides(freeze, read.cell, source));
            set == 0 || !read.sources.iter().all(|&source| hides(source))
        };
        fields.reads.iter().filter(|read| read.is_foreign).all(keeps)
    }

    /// Whether a write that happens before a freeze comes after what a read of the cell saw.
    fn hides(&self, freeze: &Freeze, cell: Address, source: Source) -> bool {
        let seen = match source {
            Source::Unknown => return false,
            Source::Initial => None,
            Source::Write(..) => match self.write_of(cell, source) {
                Some(write) => Some(write),
                None => return false,
            },
        };
        let writes = self.writes(cell).iter().filter(|write| write.thread.is_some());
        let mut between = writes.filter(|write| write.is_before(&freeze.clock));
        between.any(|write| seen.is_none_or(|seen| seen != write && seen.comes_before(write)))
    }

    pub(crate) fn final_fields(&mut self) -> &mut FinalFields {
        &mut self.path.get_or_insert_default().final_fields
    }

    /// What a read of a past write with this value may have seen.
    pub(crate) fn sources(&self, thread: usize, cell: Address, value: Word) -> Vec<Source> {
        let writes = self.writes(cell);
        if writes.is_empty() {
            return vec![Source::Initial];
        }
        let shows = |write: &Write| write.value == value && !self.is_hidden_from(thread, write, writes);
        let mut found = Vec::new();
        for (place, write) in writes.iter().enumerate().filter(|(_, write)| shows(write)) {
            found.push(match write.thread {
                None => Source::Initial,
                Some(writer) => {
                    let before = writes[..place].iter().filter(|other| other.thread == write.thread).count();
                    Source::Write(self.name(writer), before as u32)
                }
            });
        }
        found
    }
}

impl Freeze {
    fn is_before(&self, write: &Write) -> bool {
        write.thread.is_some() && at(&self.clock, self.thread) <= at(write.clock(), self.thread)
    }

    fn covers(&self, read: &Read) -> bool {
        let is_inside = self.field.path == read.cell.path || self.depth < read.depth;
        self.field.allocation == read.cell.allocation && is_inside
    }
}
