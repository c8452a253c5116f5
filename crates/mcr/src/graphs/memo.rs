//! What threads do, remembered: a thread is deterministic but for what it reads, so that its history decides where it stands.
//!
//! Histories are numbered as they are met. Of each it is known what follows its next event, by the value that is read. Memory is
//! bounded: once all histories together have `MOST` words, further ones are not numbered, and what follows them is computed each
//! time.

use std::rc::Rc;

use operational::word::Word;

use super::number::{HistoryId, Strength};
use super::poised::Poised;

/// As many registers, of 16 bytes each, all remembered histories may have.
const MOST: usize = 8_000_000;
/// What a history takes besides its registers, in registers.
const EACH: usize = 24;

/// What follows a read.
#[derive(Clone, Debug)]
pub struct Led {
    /// The thread after the read.
    pub after: Rc<Poised>,
    /// Whether its next event is the write of the same read-modify-write.
    pub writes: bool,
    /// How strong the read is.
    pub strength: Strength,
}

/// What is known of the history of a thread that stands before an event.
#[derive(Debug, Default)]
struct Known {
    /// The thread after an event that reads nothing.
    next: Option<Rc<Poised>>,
    /// The thread that is started by the event.
    started: Option<Rc<Poised>>,
    /// What follows a read, by value and by whether a weak compare-exchange fails spuriously; nothing if it is not made.
    leads: Vec<(Word, bool, Option<Led>)>,
    /// The thread after a read of a value, whether the read is made or not; nothing if it has to wait for another value.
    reads: Vec<(Word, Option<Rc<Poised>>)>,
}

/// What is known of histories.
#[derive(Debug, Default)]
pub struct Memo {
    known: Vec<Known>,
    /// How many registers they have.
    registers: usize,
}

impl Memo {
    /// A number for a new history of a thread with so many registers, if there is room.
    pub fn number(&mut self, registers: usize) -> Option<HistoryId> {
        if self.registers >= MOST {
            return None;
        }
        self.registers += registers + EACH;
        self.known.push(Known::default());
        Some(HistoryId(self.known.len() as u32 - 1))
    }

    fn of(&mut self, history: Option<HistoryId>) -> Option<&mut Known> {
        self.known.get_mut(history?.0 as usize)
    }

    /// The thread after an event that reads nothing, if it is known.
    pub fn next(&mut self, history: Option<HistoryId>) -> Option<Rc<Poised>> {
        self.of(history)?.next.clone()
    }

    /// Remembers the thread after an event that reads nothing.
    pub fn set_next(&mut self, history: Option<HistoryId>, next: &Rc<Poised>) {
        if let Some(known) = self.of(history) {
            known.next = Some(next.clone());
        }
    }

    /// The thread that is started, if it is known.
    pub fn started(&mut self, history: Option<HistoryId>) -> Option<Rc<Poised>> {
        self.of(history)?.started.clone()
    }

    /// Remembers the thread that is started.
    pub fn set_started(&mut self, history: Option<HistoryId>, started: &Rc<Poised>) {
        if let Some(known) = self.of(history) {
            known.started = Some(started.clone());
        }
    }

    /// What follows a read, if that is known; nothing in it if the read is not made.
    pub fn lead(&mut self, history: Option<HistoryId>, value: Word, spurious: bool) -> Option<&Option<Led>> {
        let known = self.of(history)?;
        let found = known.leads.iter().find(|(other, fails, _)| *other == value && *fails == spurious);
        found.map(|(_, _, led)| led)
    }

    /// Remembers what follows a read.
    pub fn set_lead(&mut self, history: Option<HistoryId>, value: Word, spurious: bool, led: &Option<Led>) {
        if let Some(known) = self.of(history) {
            known.leads.push((value, spurious, led.clone()));
        }
    }

    /// The thread after a read of a value, if that is known; nothing in it if it has to wait for another value.
    pub fn read(&mut self, history: Option<HistoryId>, value: Word) -> Option<Option<Rc<Poised>>> {
        let known = self.of(history)?;
        known.reads.iter().find(|(other, _)| *other == value).map(|(_, after)| after.clone())
    }

    /// Remembers the thread after a read of a value.
    pub fn set_read(&mut self, history: Option<HistoryId>, value: Word, after: &Option<Rc<Poised>>) {
        if let Some(known) = self.of(history) {
            known.reads.push((value, after.clone()));
        }
    }
}
