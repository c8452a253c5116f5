//! The machine jmm_over: Java's memory model from above.
//!
//! JPR (Jin, Yavuz-Kahveci, Sanders, "Java Path Relaxer: extending JPF for JMM-aware model checking"). Every execution that
//! Java's model allows is found, and some more: so this machine can show that a behaviour is
//! forbidden, never that it is allowed.
//!
//! The search is run again and again. Each pass knows which values each write may write, from the passes before it; the first
//! pass is sequentially consistent and only collects them. In a pass a plain read sees a write of the past that
//! happens-before does not hide, or one of the *future*: then that write must come, and write that value, and not come after
//! the read (an *imposition*). What an execution has written up to a moment when every imposition is met is known to the
//! next pass: it can go on without new impositions. The passes end when nothing new was written.
//!
//! - **Names.** What a pass knows must mean the same in every execution. A write is named by its thread, its cell and how many
//!   writes of that thread to that cell came before. A thread is named by who started it and as its how-manieth, an object by
//!   the thread that makes it, the place in the program and how often it made one there. Objects have the same number in all
//!   executions; one that is seen before it is made has its initial content.
//! - **Errors** are held back until every imposition is met. After a failed assertion its thread goes on.
//! - **Deviations.** Only executions that count add to what is known (their figure 7 has the line in front of the test), but
//!   these need not come to their end: a thread that runs for ever hides nothing. A read may see a past write that no
//!   pass before knows if that comes before it, or if every imposition is met (theirs sees only known ones, so that a cell
//!   that is first written behind a weak read and read back ended the execution). A read of a future write is left out where one of the past shows the same value: it could
//!   only be worse. An execution is given up as soon as the thread of an imposed write is over.
//! - Volatile accesses, read-modify-writes and monitors behave as on sc. Final fields: see `happens_before/final_field.rs`; what it does at each
//!   instruction: `interpret/jmm_over.rs`. Reads and writes in
//!   acquire and release mode behave as plain ones, but that a read which acquires does not see, from then on, what is hidden by what
//!   came before the write of the past that it saw, if that released. A read that acquires sees no write of the future that releases:
//!   program order and reads-from between such accesses have no cycles, so that the write can come first. They do not keep a write
//!   from being seen by a read that comes before it in that way: `jam21` allows it. Other orders of access and fences are refused, and so is
//!   a variable that is accessed both as volatile and as plain.
//! - [`Fixpoint`]: the passes as they are printed, and the variant of section V, which follows what writes need.

pub(crate) mod needs;

use std::collections::{BTreeMap, BTreeSet};

use program::Unsupported;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::happens_before::{Clock, Clocks, Imposition, Needs, Path, Site, ThreadClocks, Write, at};
use crate::heap::Allocation;
use crate::state::{State, Status};
use crate::stop::Fault;
use crate::trust::orders_nothing;
use crate::word::{Address, Word};

/// A write that some execution has: the thread's name, how many writes of that thread to the cell came before, the value, and
/// whether it is in release mode.
pub type KnownWrite = (u32, u32, Word, bool);

/// What may be written to each cell.
pub type Writes = BTreeMap<Address, BTreeSet<KnownWrite>>;

/// From which executions the passes learn what may be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fixpoint {
    /// From those in which every imposition is met.
    #[default]
    Valid,
    /// Besides from those that come to their end with impositions that are not met, as figure 7 of JPR is printed. More executions
    /// are found.
    Printed,
    /// A write may be foreseen only together with what the execution had seen in which it was found (module `needs`). Fewer executions
    /// are found, all that Java allows among them.
    Followed,
}

impl Fixpoint {
    /// All, each with its name.
    pub const NAMED: [(&str, Fixpoint); 3] =
        [("valid", Fixpoint::Valid), ("printed", Fixpoint::Printed), ("followed", Fixpoint::Followed)];

    /// The one of this name.
    pub fn named(name: &str) -> Option<Fixpoint> {
        Fixpoint::NAMED.into_iter().find(|(other, _)| *other == name).map(|(_, fixpoint)| fixpoint)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Fixpoint::NAMED.into_iter().find(|(_, other)| *other == self).map_or("", |(name, _)| name)
    }
}

/// What holds for all executions.
#[derive(Debug, Default)]
pub struct Relaxed {
    /// From which executions the passes learn.
    pub fixpoint: Fixpoint,
    /// What known writes need, where that is followed.
    pub(crate) needs: needs::Alternatives,
    /// What writes of this pass need.
    new_needs: needs::Alternatives,
    /// What may be written to each cell, as far as earlier passes know.
    pub known: Writes,
    /// What executions of this pass have written where every imposition was met.
    pub written: Writes,
    /// Whether reads see the last write: in the first pass.
    pub sequential: bool,
    /// How many writes a thread may make to a cell.
    pub most_writes: u32,
    /// Whether an execution was given up because of that.
    pub cut: bool,
    /// The errors that were held back, each with its thread.
    pub faults: Vec<(usize, Fault)>,
    /// The cells with plain accesses.
    pub plain: FxHashSet<Address>,
    volatile: FxHashSet<Address>,
    /// The cells for which the order of accesses matters in the first pass, as far as is known.
    pub(crate) contested: FxHashSet<Address>,
    /// Whether a read out of turn met a write that is not ordered before it.
    pub(crate) met_unordered: bool,
    /// In the first pass, the threads that read a cell out of turn.
    pub(crate) readers: FxHashMap<Address, BTreeSet<u32>>,
    /// In the first pass, the threads that wrote a cell, each with another one that was there.
    pub(crate) writers: FxHashMap<Address, BTreeSet<(u32, u32)>>,
    /// The number of the first object that threads make.
    base: u32,
    /// The name of the thread that started the first other one.
    pub(crate) starter: Option<u32>,
    /// Threads that were started: the name of the parent, and as its how-manieth.
    children: Vec<(u32, u32)>,
    objects: FxHashMap<(u32, Site, u32), u32>,
    /// For each object from `base` on its name and what its cells hold at first.
    initial: Vec<(u32, Word)>,
    /// For each object from `base` on the name of the thread that makes it.
    makers: Vec<u32>,
    /// Whether constructors set final fields.
    pub has_final_fields: bool,
}

impl Relaxed {
    /// Before the first pass; `base` is how many blocks of memory there are at the start.
    pub fn new(base: usize, most_writes: u32, fixpoint: Fixpoint) -> Relaxed {
        let sequential = fixpoint != Fixpoint::Followed;
        Relaxed { sequential, base: base as u32, most_writes, fixpoint, ..Relaxed::default() }
    }

    /// How many writes are known, those of initial values included.
    pub fn size(&self) -> u64 {
        let written: usize = self.known.values().map(BTreeSet::len).sum();
        (written + self.plain.len()) as u64
    }

    pub(crate) fn note(&mut self, cell: Address, write: KnownWrite, needs: &Needs) {
        self.written.entry(cell).or_default().insert(write);
        if self.fixpoint == Fixpoint::Followed {
            needs::add(&mut self.new_needs, (cell, write.0, write.2), needs);
        }
    }

    /// An execution has come to its end with impositions that are not met.
    pub(crate) fn uncounted(&mut self, history: &Clocks) {
        if self.fixpoint == Fixpoint::Printed {
            let needs = Needs::default();
            history.written_so_far().into_iter().for_each(|(cell, write)| self.note(cell, write, &needs));
        }
    }

    /// Whether this pass has written something that was not known before it.
    pub fn has_new_writes(&self) -> bool {
        let is_known =
            |cell: &Address, write: &KnownWrite| self.known.get(cell).is_some_and(|known| known.contains(write));
        let is_new = self.written.iter().any(|(cell, writes)| writes.iter().any(|write| !is_known(cell, write)));
        let mut needs = self.needs.clone();
        is_new || self.new_needs.iter().any(|(write, all)| all.iter().any(|one| needs::add(&mut needs, *write, one)))
    }

    /// What this pass has written is known to the next one, in which reads may see it.
    pub fn absorb(&mut self) {
        for (cell, writes) in std::mem::take(&mut self.written) {
            self.known.entry(cell).or_default().extend(writes);
        }
        for (write, all) in std::mem::take(&mut self.new_needs) {
            for one in &all {
                needs::add(&mut self.needs, write, one);
            }
        }
        self.sequential = false;
    }

    /// Whether the first pass must be run again, since reads were taken out of turn that could have seen something else.
    pub fn guessed_wrong(&mut self) -> bool {
        let before = self.contested.len();
        for (cell, readers) in &self.readers {
            let writers = self.writers.get(cell).into_iter().flatten();
            if writers.into_iter().any(|(writer, other)| writer != other && readers.contains(other)) {
                self.contested.insert(*cell);
            }
        }
        self.readers.clear();
        self.writers.clear();
        self.sequential && (self.contested.len() > before || std::mem::take(&mut self.met_unordered))
    }

    pub(crate) fn child(&mut self, parent: u32, number: u32, threads: u32) -> u32 {
        let known = self.children.iter().position(|child| *child == (parent, number));
        let place = known.unwrap_or_else(|| {
            self.children.push((parent, number));
            self.children.len() - 1
        });
        threads + place as u32
    }

    pub(crate) fn object(&mut self, key: (u32, Site, u32), initial: (u32, Word)) -> u32 {
        let next = self.base + self.initial.len() as u32;
        let number = *self.objects.entry(key).or_insert(next);
        if number == next {
            self.initial.push(initial);
            self.makers.push(key.0);
        }
        number
    }

    /// Of an object that a thread makes: the number of its name, and what its cells hold at first.
    pub(crate) fn made(&self, allocation: u32) -> Option<(u32, Word)> {
        self.initial.get(allocation.checked_sub(self.base)? as usize).copied()
    }

    /// What a known write needs, where that is followed.
    pub(crate) fn needs_of(&self, cell: Address, write: KnownWrite) -> &[Needs] {
        self.needs.get(&(cell, write.0, write.2)).map_or(&[], Vec::as_slice)
    }

    /// The name of the thread that makes an object, unless that exists from the start.
    pub(crate) fn maker(&self, allocation: u32) -> Option<u32> {
        self.makers.get(allocation.checked_sub(self.base)? as usize).copied()
    }

    /// Whether some write with this value may still come to the cell, as far as is known.
    pub(crate) fn may_come(&self, history: &Clocks, thread: usize, cell: Address, value: Word) -> bool {
        history.future(thread, cell, self.known.get(&cell)).any(|(_, _, other, _)| other == value)
    }

    /// Makes the blocks exist up to this number.
    pub(crate) fn reach(&self, state: &mut State, allocation: u32) {
        while state.heap.len() <= allocation as usize {
            let place = (state.heap.len() as u32).checked_sub(self.base);
            let Some((name, default)) = place.and_then(|place| self.initial.get(place as usize)) else { return };
            let block = Allocation { name: *name, default: *default, cells: Vec::new(), freed: false, reuse: false };
            state.heap.push(block);
        }
    }

    /// Notes how a cell is accessed; whether it is always in the same way.
    pub(crate) fn is_of_one_kind(&mut self, cell: Address, is_plain: bool) -> bool {
        let (own, other) = if is_plain { (&mut self.plain, &self.volatile) } else { (&mut self.volatile, &self.plain) };
        !own.insert(cell) || !other.contains(&cell)
    }
}

impl Clocks {
    pub(crate) fn path(&mut self) -> &mut Path {
        self.path.get_or_insert_with(Path::default)
    }

    /// The writes to a cell so far, those of a thread in order.
    pub(crate) fn writes(&self, cell: Address) -> &[Write] {
        match self.cells.binary_search_by_key(&cell, |(address, _)| *address) {
            Ok(place) => &self.cells[place].1.writes,
            Err(_) => &[],
        }
    }

    /// The name of a thread.
    pub(crate) fn name(&self, thread: usize) -> u32 {
        self.path.as_ref().and_then(|path| path.names.get(thread)).map_or(thread as u32, |name| *name)
    }

    /// How many writes to a cell a thread has made.
    pub(crate) fn number_of_writes(&self, thread: usize, cell: Address) -> u32 {
        number_of_writes(self.writes(cell), thread)
    }

    /// Whether all writes to the cell so far come before what a thread does now.
    pub(crate) fn is_ordered(&self, thread: usize, cell: Address) -> bool {
        let now = &self.threads[thread].now;
        self.writes(cell).iter().all(|write| write.is_before(now))
    }

    /// The past writes that a read may see: their values, and what a read that acquires comes after if it sees them. While writes
    /// are imposed that have not come, one that no earlier pass knows must come before the read: else what is imposed could be made
    /// to come by what follows from it alone.
    pub(crate) fn past(
        &self,
        thread: usize,
        (cell, acquires): (Address, bool),
        held: Word,
        known: Option<&BTreeSet<KnownWrite>>,
    ) -> Vec<(Word, Option<Clock>)> {
        let writes = self.writes(cell);
        if writes.is_empty() {
            return vec![(held, None)];
        }
        let seen = self.seen_of(thread, cell, known).into_iter().map(|place| &writes[place]);
        let released = |write: &Write| (acquires && write.releases).then(|| write.released());
        let mut values: Vec<(Word, Option<Clock>)> = seen.map(|write| (write.value, released(write))).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The places of the past writes that a read may see.
    fn seen_of(&self, thread: usize, cell: Address, known: Option<&BTreeSet<KnownWrite>>) -> Vec<usize> {
        let ThreadClocks { now, modes, .. } = &*self.threads[thread];
        let writes = self.writes(cell);
        let may_be_new = self.is_justified();
        let is_seen = |(place, write): &(usize, &Write)| {
            let is_allowed = may_be_new || write.is_before(now) || self.is_known(writes, *place, known);
            is_allowed && !write.is_masked_by_modes(now, modes, writes)
        };
        writes.iter().enumerate().filter(is_seen).map(|(place, _)| place).collect()
    }

    /// Whether a write comes before what a thread does now.
    fn is_before(&self, thread: usize, write: &Write) -> bool {
        write.is_before(&self.threads[thread].now)
    }

    /// Whether an earlier pass knows one of these writes, perhaps with another value.
    fn is_known(&self, writes: &[Write], place: usize, known: Option<&BTreeSet<KnownWrite>>) -> bool {
        let Some(thread) = writes[place].thread else { return true };
        let (name, number) = (self.name(thread), number_of_writes(&writes[..place], thread));
        let mut known = known.into_iter().flat_map(|known| known.range((name, number, Word::Undefined, false)..));
        known.next().is_some_and(|write| (write.0, write.1) == (name, number))
    }

    /// The future writes that a read may see.
    pub(crate) fn future<'k>(
        &self,
        thread: usize,
        cell: Address,
        known: Option<&'k BTreeSet<KnownWrite>>,
    ) -> impl Iterator<Item = KnownWrite> + use<'k, '_> {
        let path = self.path.as_ref();
        let writes = self.writes(cell);
        let is_possible = move |path: &Path, (name, number, value, _): &KnownWrite| {
            let Path { names, impositions, .. } = path;
            let writer = names.iter().position(|other| other == name);
            let is_done = writer.is_some_and(|writer| number_of_writes(writes, writer) > *number);
            let is_imposed = |other: &&Imposition| (other.cell, other.thread, other.number) == (cell, *name, *number);
            let imposed = impositions.iter().find(is_imposed);
            *name != names[thread] && !is_done && imposed.is_none_or(|imposed| imposed.value == *value)
        };
        let known = known.into_iter().flatten().copied();
        known.filter(move |write| path.is_some_and(|path| is_possible(path, write)))
    }

    /// A read sees a write that must come.
    pub(crate) fn impose(&mut self, thread: usize, cell: Address, (name, number, value, _): KnownWrite) {
        let reader = (thread, self.period(thread));
        let impositions = &mut self.path().impositions;
        let new = Imposition { cell, thread: name, number, value, readers: vec![reader] };
        let is_same = |other: &Imposition| (other.cell, other.thread, other.number) == (cell, name, number);
        match impositions.iter_mut().find(|other| is_same(other)) {
            // The first read of a thread comes before the others of it.
            Some(known) if known.readers.iter().any(|(other, _)| *other == thread) => {}
            Some(known) => {
                known.readers.push(reader);
                known.readers.sort_unstable();
            }
            None => impositions.push(new),
        }
        impositions.sort_unstable();
    }

    /// A write comes: whether it is what was imposed, if something was.
    pub(crate) fn meets(&mut self, thread: usize, cell: Address, number: u32, value: Word) -> bool {
        let now = self.threads[thread].now.clone();
        let path = self.path();
        let name = path.names[thread];
        path.awaited.retain(|needed| *needed != (cell, name, value));
        let is_this = |other: &Imposition| (other.cell, other.thread, other.number) == (cell, name, number);
        let Some(place) = path.impositions.iter().position(is_this) else { return true };
        let Imposition { value: imposed, readers, .. } = path.impositions.remove(place);
        imposed == value && readers.iter().all(|&(reader, period)| period > at(&now, reader))
    }

    /// Whether the execution counts if it ends here.
    pub fn is_justified(&self) -> bool {
        self.path.as_ref().is_none_or(|path| path.impositions.is_empty() && path.awaited.is_empty())
    }

    /// Whether some imposed write cannot come any more.
    pub fn is_hopeless(&self, state: &State) -> bool {
        let Some(path) = &self.path else { return false };
        let over = |name: u32| {
            let thread = path.names.iter().position(|other| *other == name);
            thread.is_some_and(|thread| state.threads[thread].status == Status::Ended)
        };
        let imposed = path.impositions.iter().map(|imposition| imposition.thread);
        imposed.chain(path.awaited.iter().map(|needed| needed.1)).any(over)
    }

    /// The number of the first error of the execution.
    pub fn fault(&self) -> Option<usize> {
        self.path.as_ref().and_then(|path| path.fault)
    }

    /// What the execution has written.
    pub fn written_so_far(&self) -> Vec<(Address, KnownWrite)> {
        let Some(path) = &self.path else { return Vec::new() };
        let mut found = Vec::new();
        for (address, cell) in &self.cells {
            let mut counts = vec![0; path.names.len()];
            for write in &cell.writes {
                let Some(thread) = write.thread else { continue };
                found.push((*address, (path.names[thread], counts[thread], write.value, write.releases)));
                counts[thread] += 1;
            }
        }
        found
    }
}

fn number_of_writes(writes: &[Write], thread: usize) -> u32 {
    writes.iter().filter(|write| write.thread == Some(thread)).count() as u32
}

/// Refuses what jmm_over does not cover.
pub(crate) fn refuse(program: &program::Program) -> Result<(), Unsupported> {
    use program::InstructionKind::{Allocate, Fence, Free};
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    for instruction in blocks.flat_map(|block| &block.instructions) {
        let what = match &instruction.kind {
            Free { .. } | Allocate { reuse: true, .. } => "memory that is freed",
            Fence { access } if !orders_nothing(access) => "a fence",
            _ => continue,
        };
        return Err(Unsupported::new(format!("{what} on the machine jmm_over"), instruction.span));
    }
    Ok(())
}
