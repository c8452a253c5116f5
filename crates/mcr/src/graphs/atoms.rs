//! The events of an execution as a model sees them, with the vocabulary of models between them.

use axiomatic::model::EventView;
use axiomatic::vocabulary::belongs;
use program::{Access, EventKind};

use super::closed::SETS;
use super::relational::Bases;

/// An atom. Those of one thread stand in program order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atom {
    /// Its thread; none for an initial write.
    pub thread: Option<u16>,
    /// The location that it accesses.
    pub location: Option<u32>,
    /// The sets it is in, by their places in [`SETS`].
    pub sets: u32,
    /// What it reads from.
    pub source: Option<usize>,
    /// Its place in coherence order, if it writes; initial writes are at 0.
    pub place: Option<u32>,
    /// If it is the write of a read-modify-write that is two atoms: the read.
    pub read: Option<usize>,
    /// Whether program order relates it to that read.
    pub follows_read: bool,
}

impl Atom {
    /// An initial write.
    pub fn initial(location: u32, view: EventView) -> Atom {
        let sets = sets(view, EventKind::Write, true, &Access::plain(), false);
        Atom { thread: None, location: Some(location), place: Some(0), ..Atom::of(0, sets) }
    }

    /// An atom of a thread in these sets.
    pub fn of(thread: u16, sets: u32) -> Atom {
        let (location, source, place, read) = (None, None, None, None);
        Atom { thread: Some(thread), location, sets, source, place, read, follows_read: true }
    }
}

/// What an event is to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The sets it is in.
    pub sets: u32,
    /// Whether it is the write of a read-modify-write that is one atom.
    pub is_one: bool,
    /// Whether such a write is after its read in program order.
    pub follows_read: bool,
}

/// The sets that an event is in; `updates` if it is a read-modify-write that is one atom.
pub fn sets(view: EventView, kind: EventKind, initial: bool, access: &Access, updates: bool) -> u32 {
    let is_access = matches!(kind, EventKind::Read | EventKind::Write);
    let is_in = |name: &str| match (view, name) {
        (_, "sm") => is_access,
        (EventView::Herd, "W") => kind == EventKind::Write || updates,
        (EventView::Herd, "RMW") => updates,
        (EventView::Herd, "NA") => !belongs("A", kind, initial, access),
        _ => belongs(name, kind, initial, access),
    };
    SETS.iter().enumerate().filter(|(_, name)| is_in(name)).fold(0, |sets, (place, _)| sets | 1 << place)
}

/// The atoms of one execution.
#[derive(Clone, Debug)]
pub struct Atoms {
    /// What the model takes for events.
    pub view: EventView,
    /// All of them: initial writes, then thread by thread.
    pub list: Vec<Atom>,
}

impl Atoms {
    fn holds(&self, name: &str, x: usize, y: usize) -> bool {
        let (a, b) = (&self.list[x], &self.list[y]);
        let same_thread = a.thread.is_some() && a.thread == b.thread;
        match name {
            "po" => same_thread && x < y && (b.read != Some(x) || b.follows_read),
            "rf" => b.source == Some(x),
            "co" => a.location == b.location && matches!((a.place, b.place), (Some(a), Some(b)) if a < b),
            "fr" => {
                let overwritten = a.source.and_then(|source| self.list[source].place);
                x != y && a.location == b.location && matches!((overwritten, b.place), (Some(a), Some(b)) if a < b)
            }
            "loc" => a.location.is_some() && a.location == b.location,
            "int" => same_thread || self.view == EventView::Parts && x == y,
            "ext" => match self.view {
                EventView::Herd => a.thread != b.thread,
                EventView::Parts => !same_thread && x != y,
            },
            "rmw" | "amo" => b.read == Some(x),
            "atomic-block" => {
                let is_paired = |atom: usize| self.list.iter().any(|other| other.read == Some(atom));
                let is_part = |atom: &Atom, at: usize| atom.read.is_some() || is_paired(at);
                b.read == Some(x) || a.read == Some(y) || x == y && is_part(a, x)
            }
            _ => false,
        }
    }
}

impl Bases for Atoms {
    fn size(&self) -> usize {
        self.list.len()
    }

    fn write(&self, name: &str, words: usize, bits: &mut [u64]) {
        if name == "si" {
            (0..self.list.len()).for_each(|x| bits[x / 64] |= 1 << (x % 64));
        } else if let Some(place) = SETS.iter().position(|set| *set == name) {
            let members = self.list.iter().enumerate().filter(|(_, atom)| atom.sets >> place & 1 == 1);
            members.for_each(|(x, _)| bits[x / 64] |= 1 << (x % 64));
        } else {
            for x in 0..self.list.len() {
                for y in (0..self.list.len()).filter(|y| self.holds(name, x, *y)) {
                    bits[x * words + y / 64] |= 1 << (y % 64);
                }
            }
        }
    }
}
