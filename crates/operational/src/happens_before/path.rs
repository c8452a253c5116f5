//! What the machine jmm_over keeps of an execution beside happens-before: names of threads and objects, and the writes that must
//! still come. See [`crate::relax`].

use std::rc::Rc;

use super::final_field::FinalFields;
use crate::word::{Address, Word};

/// Where an object is made: function, block, instruction.
pub(crate) type Site = (u32, u32, u32);

/// A write that must be in an execution: its cell, its thread's name, its value. Which of the thread's writes to the cell it is does not
/// matter: a thread that goes another way may have written more or less before.
pub(crate) type Needed = (Address, u32, Word);

/// Writes that must all be in an execution, ascending.
pub(crate) type Needs = Rc<Vec<Needed>>;

/// What belongs to one execution, beside the writes so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Path {
    /// The names of threads, by number.
    pub(crate) names: Rc<Vec<u32>>,
    /// How many threads each has started.
    pub(crate) started: Rc<Vec<u32>>,
    /// How many objects each thread has made at each place.
    pub(crate) made: Rc<Vec<((u32, Site), u32)>>,
    /// Ascending.
    pub(crate) impositions: Vec<Imposition>,
    /// What foreseen writes need and has not come yet; ascending.
    pub(crate) awaited: Vec<Needed>,
    /// The first error, by number.
    pub(crate) fault: Option<usize>,
    /// What was seen through data races, and what that needs, where that is followed.
    pub(crate) seen: Needs,
    /// Freezes, and the reads that concern them.
    pub(crate) final_fields: FinalFields,
}

/// A write that must come.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Imposition {
    pub(crate) cell: Address,
    /// The thread's name.
    pub(crate) thread: u32,
    pub(crate) number: u32,
    pub(crate) value: Word,
    /// The reads that saw it, by thread and period; of each thread the first.
    pub(crate) readers: Vec<(usize, u32)>,
}

impl Path {
    pub(crate) fn new(threads: usize) -> Path {
        let names: Vec<u32> = (0..threads as u32).collect();
        Path { names: names.into(), started: vec![0; threads].into(), ..Path::default() }
    }

    /// How many writes must still come.
    pub(crate) fn foreseen(&self) -> usize {
        self.impositions.len()
    }

    /// Every period that is spoken of.
    pub(crate) fn periods(&mut self) -> impl Iterator<Item = (usize, &mut u32)> {
        let readers = self.impositions.iter_mut().flat_map(|imposition| &mut imposition.readers);
        readers.map(|(thread, period)| (*thread, period)).chain(self.final_fields.periods())
    }
}
