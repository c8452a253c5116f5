//! Accesses that are left open: one encoding serves for all ways to strengthen them.
//!
//! An access with the tag of a choice is not one access but several alternatives, each there when some candidates are
//! selected and others are not. All copies of an instruction share the signals of its candidates.

use program::Access;
use relation::{Bit, Circuit};

/// What accesses may be.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// The alternatives of each choice. Those that are not exclusive add up.
    pub list: Vec<Vec<Alternative>>,
    /// How many candidates there are.
    pub candidates: usize,
}

/// One of the accesses that an open one may be.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// The access: its order counts, and its tags come on top of those that the open access has.
    pub access: Access,
    /// Candidates that must be selected.
    pub on: Vec<usize>,
    /// Candidates that must not be.
    pub off: Vec<usize>,
}

const PREFIX: &str = "choice:";

/// The tag of an access that is left to a choice.
pub fn tag(choice: usize) -> String {
    format!("{PREFIX}{choice}")
}

fn number(access: &Access) -> Option<usize> {
    access.tags.iter().find_map(|tag| tag.strip_prefix(PREFIX)?.parse().ok())
}

impl Choices {
    /// The accesses, with each open one as its alternatives; `selected` says which candidates are.
    pub fn open(&self, accesses: Vec<(Access, Bit)>, selected: &[Bit], circuit: &mut Circuit) -> Vec<(Access, Bit)> {
        let mut result = Vec::new();
        for (access, when) in accesses {
            let Some(alternatives) = number(&access).and_then(|number| self.list.get(number)) else {
                result.push((access, when));
                continue;
            };
            for alternative in alternatives {
                let on = alternative.on.iter().map(|&candidate| selected[candidate]);
                let off = alternative.off.iter().map(|&candidate| !selected[candidate]);
                let bits: Vec<Bit> = std::iter::once(when).chain(on).chain(off).collect();
                result.push((closed(&access, &alternative.access), circuit.and(&bits)));
            }
        }
        result
    }
}

/// An open access, closed in this way.
pub fn closed(open: &Access, chosen: &Access) -> Access {
    let own = open.tags.iter().filter(|tag| !tag.starts_with(PREFIX));
    Access { order: chosen.order, tags: own.chain(&chosen.tags).cloned().collect(), bytes: open.bytes }
}
