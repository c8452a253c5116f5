//! Does a model keep coherence and atomicity? It is asked about the smallest executions that break them.
//!
//! The exploration never lets a read see a write that is older than one that its thread has seen or made, nor puts a write before
//! such a one, nor between what a read-modify-write reads and writes. That is right if the model forbids all of this. Every
//! execution that breaks coherence contains one of few shapes (Alglave, Maranget, Tautschnig, "Herding cats", TOPLAS 2014, section 4),
//! and a model that is closed forbids what contains something forbidden. So each shape is judged, with all
//! memory orders that the model can tell apart. The same shapes with a message between both events, as one thread sends it when it
//! starts another or has ended, say whether the model orders what is done before and after.

use std::collections::BTreeSet;

use axiomatic::model::EventView;
use program::{Access, EventKind, Order};

use super::atoms::{Atom, Atoms, sets};
use super::closed::SETS;
use super::relational::{Compiled, first_failing};

/// How the first event of a shape comes before the second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// In program order.
    Program,
    /// By so many messages.
    Messages(u16),
}

/// Which read-modify-writes a program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Updates {
    /// Those of C.
    Ordered,
    /// Locked instructions: of herd's events they are two that program order does not relate.
    Locked,
    /// Atomic blocks, which are two events to every model.
    Blocks,
}

/// What the exploration would leave out although the model allows it, if there is such: its name.
pub fn allowed(compiled: &Compiled, view: EventView, before: Before) -> Option<&'static str> {
    with_shapes(compiled, view, before, |shapes| {
        shapes.first_allowed().or_else(|| shapes.first_of_updates(Updates::Ordered))
    })
}

/// What the exploration would leave out of programs with read-modify-writes of another sort although the model allows it.
pub fn allowed_of(compiled: &Compiled, view: EventView, updates: Updates) -> Option<&'static str> {
    with_shapes(compiled, view, Before::Program, |shapes| shapes.first_of_updates(updates))
}

/// Asks with accesses in no more sets than all accesses of their kind are in: relations only grow with sets, so what is forbidden
/// then is forbidden. If something is allowed, or a set is used to take something away, then all accesses are tried.
fn with_shapes(
    compiled: &Compiled,
    view: EventView,
    before: Before,
    visit: impl Fn(&Shapes) -> Option<&'static str>,
) -> Option<&'static str> {
    let is_allowed = |atoms: &Atoms| first_failing(compiled, atoms).is_none();
    let shapes = |labels: Labels| Shapes { view, labels, before, is_allowed: &is_allowed };
    let all = || Labels::of(compiled, view);
    if !compiled.takes_away_sets {
        visit(&shapes(all().least()))?;
    }
    visit(&shapes(all()))
}

/// The sets in which messages are: a full fence, a release write, an acquire read.
pub fn message_sets(view: EventView) -> [u32; 3] {
    let of = |kind, access: &Access| sets(view, kind, false, access, false);
    [
        of(EventKind::Fence, &Access::plain().tagged("MFENCE")),
        of(EventKind::Write, &Access::ordered(Order::Release)),
        of(EventKind::Read, &Access::ordered(Order::Acquire)),
    ]
}

const ORDERS: [Order; 7] = [
    Order::Plain,
    Order::Relaxed,
    Order::Consume,
    Order::Acquire,
    Order::Release,
    Order::AcquireRelease,
    Order::SeqCst,
];

/// The sets that accesses may be in, as far as the model can tell them apart.
struct Labels {
    reads: Vec<u32>,
    writes: Vec<u32>,
    /// Read-modify-writes that are one atom, those that are two, and atomic blocks.
    updates: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    blocks: Vec<(u32, u32)>,
}

impl Labels {
    fn of(compiled: &Compiled, view: EventView) -> Labels {
        let is_used = |set: &str| compiled.bases.iter().any(|base| **base == *set);
        let used =
            SETS.iter().enumerate().filter(|(_, set)| is_used(set)).fold(0, |used, (place, _)| used | 1 << place);
        let accesses =
            || ORDERS.into_iter().flat_map(|order| [Access::ordered(order), Access::ordered(order).tagged("X")]);
        let list = |kind: EventKind, updates: bool, keep: &dyn Fn(&Access) -> bool| -> Vec<u32> {
            let sets = accesses().filter(keep).map(|access| sets(view, kind, false, &access, updates) & used);
            sets.collect::<BTreeSet<u32>>().into_iter().collect()
        };
        let is_update = |access: &Access| access.has("X");
        let is_one = |access: &Access| is_update(access) && view == EventView::Herd && access.order != Order::Plain;
        let pairs = accesses().filter(|access| is_update(access) && !is_one(access)).map(|access| {
            let of = |kind| sets(view, kind, false, &access, false) & used;
            (of(EventKind::Read), of(EventKind::Write))
        });
        let updates = list(EventKind::Read, true, &is_one);
        let blocks = ORDERS.into_iter().flat_map(|load| ORDERS.into_iter().map(move |store| (load, store)));
        let blocks = blocks.map(|(load, store)| {
            let of = |kind, order| sets(view, kind, false, &Access::ordered(order), false) & used;
            (of(EventKind::Read, load), of(EventKind::Write, store))
        });
        Labels {
            reads: list(EventKind::Read, false, &|_| true),
            writes: list(EventKind::Write, false, &|_| true),
            updates: if view == EventView::Herd { updates } else { Vec::new() },
            pairs: pairs.collect::<BTreeSet<_>>().into_iter().collect(),
            blocks: blocks.collect::<BTreeSet<_>>().into_iter().collect(),
        }
    }

    /// For each kind of access those sets alone in which all of them are.
    fn least(&self) -> Labels {
        let least = |of: &[u32]| of.iter().copied().reduce(|a, b| a & b).into_iter().collect::<Vec<u32>>();
        let both = |of: &[(u32, u32)]| of.iter().copied().reduce(|a, b| (a.0 & b.0, a.1 & b.1)).into_iter().collect();
        let (reads, writes, updates) = (least(&self.reads), least(&self.writes), least(&self.updates));
        Labels { reads, writes, updates, pairs: both(&self.pairs), blocks: both(&self.blocks) }
    }

    /// Atoms that write.
    fn writers(&self) -> Vec<u32> {
        self.writes.iter().chain(&self.updates).copied().collect()
    }
}

/// The location that shapes are about.
const X: u32 = 0;
/// The threads of the two events of a shape, and others.
const FIRST: u16 = 0;
const SECOND: u16 = 10;
const THIRD: u16 = 20;
const FOURTH: u16 = 30;

/// Where the write is that a read sees although it is too old.
const OLD: [Option<u16>; 4] = [None, Some(FIRST), Some(THIRD), Some(FOURTH)];

/// Adds a read-modify-write that reads from there and is at this place in coherence order.
type Add<'a> = dyn Fn(&mut Draft, usize, u32) + 'a;

struct Shapes<'s> {
    view: EventView,
    labels: Labels,
    before: Before,
    is_allowed: &'s dyn Fn(&Atoms) -> bool,
}

/// An execution that is being made: events by thread, with the name by which others speak of them.
struct Draft {
    view: EventView,
    events: Vec<Atom>,
}

impl Draft {
    fn add(&mut self, atom: Atom) -> usize {
        self.events.push(atom);
        self.events.len() - 1
    }

    fn write(&mut self, thread: u16, sets: u32, place: u32) -> usize {
        self.add(Atom { location: Some(X), place: Some(place), ..Atom::of(thread, sets) })
    }

    fn read(&mut self, thread: u16, sets: u32, source: usize) -> usize {
        self.add(Atom { location: Some(X), source: Some(source), ..Atom::of(thread, sets) })
    }

    /// Sends messages from the first thread to the second one.
    fn messages(&mut self, count: u16) {
        let [fence, write, read] = message_sets(self.view);
        for hop in 0..count {
            let from = FIRST + hop;
            let to = if hop + 1 == count { SECOND } else { FIRST + hop + 1 };
            let location = Some(u32::from(hop) + 1);
            self.add(Atom::of(from, fence));
            let sent = self.add(Atom { location, place: Some(1), ..Atom::of(from, write) });
            self.add(Atom { location, source: Some(sent), ..Atom::of(to, read) });
            self.add(Atom::of(to, fence));
        }
    }
}

impl Shapes<'_> {
    fn first_allowed(&self) -> Option<&'static str> {
        let shapes: [(&'static str, &dyn Fn() -> bool); 5] = [
            ("a write before an earlier write of its thread in coherence order", &|| self.write_write()),
            ("a read that sees an older write than one of its thread before it", &|| self.write_read()),
            ("a read that sees an older write than an earlier read of its thread", &|| self.read_read()),
            ("a write before one that its thread has seen in coherence order", &|| self.read_write()),
            ("a read that sees a later write of its thread", &|| self.own_later()),
        ];
        shapes.iter().find(|(_, is_allowed)| is_allowed()).map(|(name, _)| *name)
    }

    fn first_of_updates(&self, updates: Updates) -> Option<&'static str> {
        let shapes: [(&'static str, &dyn Fn() -> bool); 2] = [
            ("a write between what a read-modify-write reads and writes", &|| self.between(updates)),
            ("a read-modify-write that writes before what it has read", &|| self.update_before_source(updates)),
        ];
        shapes.iter().find(|(_, is_allowed)| is_allowed()).map(|(name, _)| *name)
    }

    fn draft(&self) -> Draft {
        Draft { view: self.view, events: vec![Atom::initial(X, self.view)] }
    }

    /// The thread of the second event.
    fn second(&self) -> u16 {
        if self.before == Before::Program { FIRST } else { SECOND }
    }

    fn then(&self, draft: &mut Draft) {
        if let Before::Messages(count) = self.before {
            draft.messages(count);
        }
    }

    fn allows(&self, draft: Draft) -> bool {
        // Atoms of a thread stand in program order, which the order in which they were added keeps.
        (self.is_allowed)(&Atoms { view: draft.view, list: draft.events })
    }

    fn write_write(&self) -> bool {
        let writers = self.labels.writers();
        writers.iter().any(|a| {
            writers.iter().any(|b| {
                let mut draft = self.draft();
                draft.write(FIRST, *a, 2);
                self.then(&mut draft);
                draft.write(self.second(), *b, 1);
                self.allows(draft)
            })
        })
    }

    /// Each old write, with what it may be; the initial one is there already.
    fn old_writes(&self, visit: &dyn Fn(Option<(u16, u32)>) -> bool) -> bool {
        OLD.into_iter().any(|thread| match thread {
            None => visit(None),
            Some(thread) => self.labels.writers().into_iter().any(|sets| visit(Some((thread, sets)))),
        })
    }

    fn write_read(&self) -> bool {
        let (writers, reads) = (self.labels.writers(), &self.labels.reads);
        self.old_writes(&|old| {
            writers.iter().any(|a| {
                reads.iter().any(|r| {
                    let mut draft = self.draft();
                    let old = old.map_or(0, |(thread, sets)| draft.write(thread, sets, 1));
                    draft.write(FIRST, *a, 2);
                    self.then(&mut draft);
                    draft.read(self.second(), *r, old);
                    self.allows(draft)
                })
            })
        })
    }

    fn read_read(&self) -> bool {
        let (writers, reads) = (self.labels.writers(), &self.labels.reads);
        self.old_writes(&|old| {
            writers.iter().any(|a| {
                let both = |r1: &u32, r2: &u32| {
                    let mut draft = self.draft();
                    let old = old.map_or(0, |(thread, sets)| draft.write(thread, sets, 1));
                    let new = draft.write(THIRD, *a, 2);
                    draft.read(FIRST, *r1, new);
                    self.then(&mut draft);
                    draft.read(self.second(), *r2, old);
                    self.allows(draft)
                };
                reads.iter().any(|r1| reads.iter().any(|r2| both(r1, r2)))
            })
        })
    }

    fn read_write(&self) -> bool {
        let (writers, reads) = (self.labels.writers(), &self.labels.reads);
        writers.iter().any(|a| {
            let both = |r: &u32, b: &u32| {
                let mut draft = self.draft();
                let seen = draft.write(THIRD, *a, 2);
                draft.read(FIRST, *r, seen);
                self.then(&mut draft);
                draft.write(self.second(), *b, 1);
                self.allows(draft)
            };
            reads.iter().any(|r| writers.iter().any(|b| both(r, b)))
        })
    }

    fn own_later(&self) -> bool {
        let (writers, reads) = (self.labels.writers(), &self.labels.reads);
        reads.iter().any(|r| {
            writers.iter().any(|b| {
                let mut draft = self.draft();
                let read = draft.read(FIRST, *r, 0);
                self.then(&mut draft);
                let later = draft.write(self.second(), *b, 1);
                draft.events[read].source = Some(later);
                self.allows(draft)
            })
        })
    }

    /// Every read-modify-write of a sort: adds it, reading from there and at this place in coherence order.
    fn updates(&self, updates: Updates, visit: &dyn Fn(&Add) -> bool) -> bool {
        let one = |sets: &u32| {
            visit(&|draft, source, place| {
                let update = draft.write(FIRST, *sets, place);
                draft.events[update].source = Some(source);
            })
        };
        let two = |follows_read: bool, (read, write): (u32, u32)| {
            visit(&|draft, source, place| {
                let read = draft.read(FIRST, read, source);
                let write = draft.write(FIRST, write, place);
                (draft.events[write].read, draft.events[write].follows_read) = (Some(read), follows_read);
            })
        };
        let are_parts = self.view == EventView::Parts;
        match updates {
            Updates::Ordered if !are_parts => self.labels.updates.iter().any(one),
            Updates::Ordered | Updates::Locked => self.labels.pairs.iter().any(|pair| two(are_parts, *pair)),
            Updates::Blocks => self.labels.blocks.iter().any(|pair| two(true, *pair)),
        }
    }

    fn update_before_source(&self, updates: Updates) -> bool {
        self.before == Before::Program
            && self.updates(updates, &|add| {
                self.labels.writers().into_iter().any(|sets| {
                    let mut draft = self.draft();
                    let source = draft.write(THIRD, sets, 2);
                    add(&mut draft, source, 1);
                    self.allows(draft)
                })
            })
    }

    fn between(&self, updates: Updates) -> bool {
        self.before == Before::Program
            && self.updates(updates, &|add| {
                self.old_writes(&|old| {
                    self.labels.writers().into_iter().any(|sets| {
                        let mut draft = self.draft();
                        let source = old.map_or(0, |(thread, sets)| draft.write(thread, sets, 1));
                        draft.write(THIRD, sets, 2);
                        add(&mut draft, source, 3);
                        self.allows(draft)
                    })
                })
            })
    }
}
