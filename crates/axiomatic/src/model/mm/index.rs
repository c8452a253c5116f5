//! Indices of families: threads, locations, executions.
//!
//! Every index of a text has a sort, which is checked without knowing the program; how many members a family has is known
//! when a model is made for a program.

use std::fmt::Write;
use std::sync::Arc;

use super::super::Shape;

/// What an index variable ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexSort {
    Thread,
    Location,
    /// E_1..E_k.
    Execution,
    /// The main execution and E_1..E_k.
    Run,
}

impl IndexSort {
    /// The sort of that name.
    pub(super) fn named(name: &str) -> Option<IndexSort> {
        match name {
            "thread" => Some(IndexSort::Thread),
            "location" => Some(IndexSort::Location),
            "execution" => Some(IndexSort::Execution),
            "run" => Some(IndexSort::Run),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            IndexSort::Thread => "thread",
            IndexSort::Location => "location",
            IndexSort::Execution => "execution",
            IndexSort::Run => "run",
        }
    }

    /// Its name with an article.
    pub(super) fn one(self) -> &'static str {
        match self {
            IndexSort::Thread => "a thread",
            IndexSort::Location => "a location",
            IndexSort::Execution => "an execution",
            IndexSort::Run => "a run",
        }
    }

    /// Whether it needs the line `executions`.
    pub(super) fn is_speculative(self) -> bool {
        matches!(self, IndexSort::Execution | IndexSort::Run)
    }

    /// What a variable of this sort stands for, one after the other.
    pub(super) fn members(self, shape: Shape) -> Vec<Member> {
        let executions = (1..=shape.executions).map(Member::At);
        match self {
            IndexSort::Thread => (0..shape.threads).map(Member::At).collect(),
            IndexSort::Location => (0..shape.locations).map(Member::At).collect(),
            IndexSort::Execution => executions.collect(),
            IndexSort::Run => std::iter::once(Member::Main).chain(executions).collect(),
        }
    }
}

/// An index of a family, as its declaration has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    /// One member for each value of a variable.
    Over(IndexSort),
    /// One member for each of 0..k: a quantified relation or predicate that is declared over executions.
    Stage,
}

impl Parameter {
    pub(super) fn sort(self) -> IndexSort {
        match self {
            Parameter::Over(sort) => sort,
            Parameter::Stage => IndexSort::Execution,
        }
    }

    pub(super) fn members(self, shape: Shape) -> Vec<Member> {
        match self {
            Parameter::Over(sort) => sort.members(shape),
            Parameter::Stage => (0..=shape.executions).map(Member::At).collect(),
        }
    }
}

/// A member of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Member {
    /// That of the main execution.
    Main,
    /// A thread or a location, from 0; or E_i, or the 0 before E_1.
    At(usize),
}

/// Index variables in sight, innermost last, and what each stands for.
pub(super) type Indices = Vec<(Arc<str>, IndexSort, Member)>;

/// What a member's name has after the family's: `#2` for a thread or location, `@2` for an execution, nothing for the main
/// one.
pub(super) fn suffix(parameters: &[Parameter], members: &[Member]) -> String {
    let mut text = String::new();
    for (parameter, member) in parameters.iter().zip(members) {
        let mark = if parameter.sort().is_speculative() { '@' } else { '#' };
        if let Member::At(number) = member {
            let _ = write!(text, "{mark}{number}");
        }
    }
    text
}

/// Every choice of one value from each list.
pub(super) fn choices<T: Copy>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    for list in lists {
        let longer = |chosen: &Vec<T>| list.iter().map(|&value| [&chosen[..], &[value]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(longer).collect();
    }
    all
}
