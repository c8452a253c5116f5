//! The writes that the passes know in the end, in words.

use program::{Kind, KnownWrite, Value};

use crate::happens_before::Needed;
use crate::interpret::Interpreter;
use crate::relax::Relaxed;
use crate::replay::thread_name;
use crate::state::State;
use crate::word::{Address, Word};

/// All writes that are known, by cell; `start` is the state before threads start.
pub(super) fn writes(interpreter: &Interpreter, start: &State) -> Vec<KnownWrite> {
    let Some(relaxed) = &interpreter.relaxed else { return Vec::new() };
    let listing = Listing { interpreter, relaxed, start };
    let initial = relaxed.plain.iter().map(|cell| listing.initial(*cell));
    let of_cell = |(cell, writes): (&Address, &std::collections::BTreeSet<_>)| {
        let cell = *cell;
        writes.iter().map(move |write| (cell, *write)).collect::<Vec<_>>()
    };
    let known = relaxed.known.iter().flat_map(of_cell).map(|(cell, write)| {
        let needs = relaxed.needs_of(cell, write).iter();
        let in_words = |needs: &Vec<Needed>| needs.iter().map(|needed| listing.needed(needed)).collect();
        let (name, number, value, _) = write;
        let needs = needs.map(|needs| in_words(needs)).filter(|needs: &Vec<String>| !needs.is_empty()).collect();
        KnownWrite { thread: Some(listing.thread(name)), number: number + 1, needs, ..listing.write(cell, value) }
    });
    let mut all: Vec<KnownWrite> = initial.chain(known).collect();
    all.sort();
    all
}

struct Listing<'a> {
    interpreter: &'a Interpreter<'a>,
    relaxed: &'a Relaxed,
    start: &'a State,
}

impl Listing<'_> {
    fn thread(&self, name: u32) -> String {
        thread_name(self.interpreter.program, name as usize)
    }

    fn write(&self, cell: Address, value: Word) -> KnownWrite {
        let (cell, value) = (self.cell(cell), self.value(cell, value));
        KnownWrite { cell, value, thread: None, number: 0, needs: Vec::new() }
    }

    /// What a cell holds at first.
    fn initial(&self, cell: Address) -> KnownWrite {
        let at_start = || {
            let block = self.start.heap.get(cell.allocation as usize)?;
            self.start.held(cell).or(Some(block.default))
        };
        let value = self.relaxed.made(cell.allocation).map(|(_, default)| default).or_else(at_start);
        self.write(cell, value.unwrap_or(Word::Undefined))
    }

    /// The number of the name of a block.
    fn name(&self, allocation: u32) -> u32 {
        match self.relaxed.made(allocation) {
            Some((name, _)) => name,
            None => self.start.heap.get(allocation as usize).map_or(u32::MAX, |block| block.name),
        }
    }

    fn cell(&self, cell: Address) -> String {
        self.interpreter.cell_in_words(cell, self.name(cell.allocation)) + &self.maker(cell.allocation)
    }

    /// After `@` the thread that makes an object; a number after `#` if it makes several of that class.
    fn maker(&self, allocation: u32) -> String {
        let of = |object: u32| Some((self.relaxed.maker(object)?, self.relaxed.made(object)?.0));
        let Some((maker, name)) = of(allocation) else { return String::new() };
        let start = self.start.heap.len() as u32;
        let before = (start..allocation).filter(|&other| of(other) == Some((maker, name))).count();
        let number = if before == 0 { String::new() } else { format!("#{}", before + 1) };
        format!("@{}{number}", self.thread(maker))
    }

    fn value(&self, cell: Address, value: Word) -> String {
        match value {
            Word::Pointer(object) if self.relaxed.made(object.allocation).is_some() => {
                let name = self.relaxed.made(object.allocation).and_then(|(name, _)| self.interpreter.name_of(name));
                format!("{}{}", name.map_or("object", |name| name), self.maker(object.allocation))
            }
            value => match self.interpreter.words.value(value) {
                Value::Int(int) if self.is_float(cell) => int.floating(),
                value => self.interpreter.program.value_name(&value),
            },
        }
    }

    fn is_float(&self, cell: Address) -> bool {
        let program = self.interpreter.program;
        let kind = match program.globals.get(cell.allocation as usize) {
            Some(global) => program.sources.kind(&global.name, None),
            None => {
                let of = self.interpreter.name_of(self.name(cell.allocation));
                of.and_then(|of| program.sources.kind_in(of, &self.interpreter.words.pointer(cell).path))
            }
        };
        kind == Some(Kind::Float)
    }

    fn needed(&self, (cell, name, value): &Needed) -> String {
        format!("{} = {} by {}", self.cell(*cell), self.value(*cell, *value), self.thread(*name))
    }
}
