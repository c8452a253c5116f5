//! What known writes need: the variant of JPR that follows impositions from pass to pass (section V), which is stricter.
//!
//! Where an execution has written something that later passes may foresee, it is kept which writes it had seen by then through
//! data races, and what these were kept to need. Who foresees the write foresees all of these, too: they must come with the same
//! values, or have come, whichever of its thread's writes each is. This leaves out no execution that Java allows. A write is
//! committed because an execution `E_i` has it whose racy reads see committed writes only (rules 5 to 7 of the Java language
//! specification, 17.4.8), and what is committed has the same value in the execution that is justified and in all `E_j` that come
//! later (rules 1 and 4). It removes the outcomes of causality tests 5 and 10 that Java forbids.
//!
//! There is no sequentially consistent pass at the start: in it reads see racy writes like others. Reads in acquire mode are
//! refused: the rules do not speak of them.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{KnownWrite, Relaxed};
use crate::choices::Choices;
use crate::happens_before::{Clocks, Needed, Needs};
use crate::state::{State, Status};
use crate::stop::Stop;
use crate::word::{Address, Word};

/// For each write what it needs: one of these, none of which is part of another.
pub(crate) type Alternatives = FxHashMap<Needed, Vec<Needs>>;

/// More alternatives for one write are not kept: then it needs nothing, and more executions are found.
const MOST_ALTERNATIVES: usize = 64;

/// Adds what a write needs in some execution; whether that is new.
pub(crate) fn add(all: &mut Alternatives, write: Needed, needs: &Needs) -> bool {
    let known = all.entry(write).or_default();
    if known.iter().any(|other| is_part(other, needs)) {
        return false;
    }
    known.retain(|other| !is_part(needs, other));
    known.push(needs.clone());
    known.sort_unstable();
    if known.len() > MOST_ALTERNATIVES {
        *known = vec![Needs::default()];
    }
    true
}

fn is_part(part: &[Needed], whole: &[Needed]) -> bool {
    part.iter().all(|needed| whole.binary_search(needed).is_ok())
}

/// A write that a read may see.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// Of the past; which one, if it does not come before the read.
    Past(Word, Option<Needed>),
    /// Of the future, with what it needs.
    Future(KnownWrite, Needs),
}

impl Way {
    fn value(&self) -> Word {
        match self {
            Way::Past(value, _) => *value,
            Way::Future(write, _) => write.2,
        }
    }
}

/// The value that a plain read sees; and of a write that is still to come whose it is, and after how many others.
pub(crate) fn read(
    relaxed: &Relaxed,
    state: &mut State,
    thread: usize,
    (cell, held): (Address, Word),
    choices: &mut Choices,
) -> Result<(Word, Option<(u32, u32)>), Stop> {
    let Some(history) = &state.history else { return Ok((held, None)) };
    let ways = ways(relaxed, history, state, thread, (cell, held));
    let picked = if ways.len() == 1 { 0 } else { choices.pick(ways.len() as u32) as usize };
    let Some(way) = ways.get(picked) else { return Err(Stop::Dropped) };
    let Some(history) = state.history() else { return Ok((held, None)) };
    match way {
        Way::Past(value, racy) => {
            history.saw(racy.as_slice());
            Ok((*value, None))
        }
        Way::Future(write, needs) => {
            history.impose(thread, cell, *write);
            history.saw(&[(cell, write.0, write.2)]);
            history.saw(needs);
            needs.iter().for_each(|needed| history.expects(needed));
            Ok((write.2, Some((write.0, write.1))))
        }
    }
}

/// What a read may see. Where a write with a value comes before it, it may as well be that one: nothing else is less constrained.
fn ways(relaxed: &Relaxed, history: &Clocks, state: &State, thread: usize, (cell, held): (Address, Word)) -> Vec<Way> {
    let known = relaxed.known.get(&cell);
    let past = history.past_apart(thread, (cell, held), known).into_iter().map(|(value, racy)| Way::Past(value, racy));
    let of_future = |write: KnownWrite| {
        let alternatives = relaxed.needs_of(cell, write).iter();
        alternatives
            .filter(|needs| needs.iter().all(|needed| history.may_have(needed, state)))
            .map(move |needs| Way::Future(write, needs.clone()))
    };
    let mut ways: Vec<Way> = past.chain(history.future(thread, cell, known).flat_map(of_future)).collect();
    let ordered: BTreeSet<Word> = ways.iter().filter(|way| matches!(way, Way::Past(_, None))).map(Way::value).collect();
    ways.retain(|way| matches!(way, Way::Past(_, None)) || !ordered.contains(&way.value()));
    ways.sort_unstable();
    ways.dedup();
    ways
}

impl Clocks {
    /// What the execution has seen through data races, and what that needs.
    pub(crate) fn needs(&self) -> Needs {
        self.path.as_ref().map(|path| path.seen.clone()).unwrap_or_default()
    }

    fn saw(&mut self, writes: &[Needed]) {
        let seen = &mut self.path().seen;
        for write in writes {
            if let Err(place) = seen.binary_search(write) {
                Rc::make_mut(seen).insert(place, *write);
            }
        }
    }

    /// The past writes that a read may see: their values, and which they are if they do not come before it. See [`Clocks::past`].
    fn past_apart(
        &self,
        thread: usize,
        (cell, held): (Address, Word),
        known: Option<&BTreeSet<KnownWrite>>,
    ) -> Vec<(Word, Option<Needed>)> {
        let writes = self.writes(cell);
        if writes.is_empty() {
            return vec![(held, None)];
        }
        let seen = self.seen_of(thread, cell, known);
        let apart = |place: usize| {
            let write = &writes[place];
            let racy = write.thread.filter(|_| !self.is_before(thread, write));
            let racy = racy.map(|writer| (cell, self.name(writer), write.value));
            (write.value, racy)
        };
        seen.into_iter().map(apart).collect()
    }

    /// Whether a write has come, or may still come.
    fn may_have(&self, needed: &Needed, state: &State) -> bool {
        self.has_come(needed) || !self.is_over(needed.1, state)
    }

    fn has_come(&self, (cell, name, value): &Needed) -> bool {
        let is_own = |thread: usize| self.name(thread) == *name;
        self.writes(*cell).iter().any(|write| write.value == *value && write.thread.is_some_and(is_own))
    }

    fn is_over(&self, name: u32, state: &State) -> bool {
        let names = self.path.as_ref().map(|path| &path.names);
        let thread = names.and_then(|names| names.iter().position(|other| *other == name));
        thread.is_some_and(|thread| state.threads[thread].status == Status::Ended)
    }

    /// From now on a write must come, unless it has.
    fn expects(&mut self, needed: &Needed) {
        if !self.has_come(needed)
            && let Err(place) = self.path().awaited.binary_search(needed)
        {
            self.path().awaited.insert(place, *needed);
        }
    }
}
