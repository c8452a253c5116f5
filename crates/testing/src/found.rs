//! The classes that an exploration finds, in the words of the oracle.

use std::collections::BTreeSet;

use mcr::histories::explore::{Alone, Budget, Ending as End, Exploration, Figures, Next, setups};
use mcr::histories::history::iteration::Iterations;
use mcr::histories::history::{FAILED, Forest, Node, Op};
use mcr::histories::id::{NodeId, ThreadId, ValueId};
use operational::word::{Address, PathId, Word};
use operational::{Limits, Machine};
use program::Verified;

use crate::oracle::{Class, Ending, History, Name, Seen};

/// What was found.
#[derive(Default)]
pub struct Found {
    /// The classes.
    pub classes: BTreeSet<Class>,
    /// The figures.
    pub figures: Figures,
    /// Why there may be more.
    pub incomplete: Option<String>,
    /// Whether something is met that is not modelled; then there are no answers.
    pub is_refused: bool,
}

/// All classes of a program.
pub fn found(program: &Verified, machine: Machine, budget: &Budget) -> Found {
    let limits = Limits::default();
    let mut found = Found::default();
    for (number, setup) in setups(program, &limits).expect("the setup runs").iter().enumerate() {
        let exploration = Exploration::new(program, machine, setup, &limits, budget, Iterations::Wait);
        let mut exploration = exploration.unwrap_or_else(|stop| panic!("{stop:?}"));
        let mut look = |forest: &mut Forest, executed: &mcr::histories::explore::Executed| {
            if executed.ending != End::Dropped {
                found.classes.insert(class(forest, &executed.configuration.at, number as u32));
            }
            Next::Continue
        };
        exploration.run(&mut look, &Alone::default());
        found.incomplete = found.incomplete.take().or(exploration.incomplete());
        found.is_refused |= exploration.unsupported().is_some();
        found.figures.add(&exploration.figures());
    }
    found
}

/// The class whose threads end in these nodes, after this setup.
fn class(forest: &Forest, ends: &[NodeId], setup: u32) -> Class {
    let names = names(forest, setup);
    let threads = ends.iter().zip(&names).filter(|(end, _)| end.is_some());
    threads.map(|(end, name)| (name.clone(), (history(forest, *end, &names), ending(forest, *end)))).collect()
}

fn names(forest: &Forest, setup: u32) -> Vec<Name> {
    let mut names: Vec<Name> = (0..forest.threads() as u32).map(|thread| vec![0, 0, setup, thread]).collect();
    for starter in (0..forest.threads()).map(ThreadId::at) {
        let mut number = 0;
        while let Some(started) = forest.started(starter, number) {
            number += 1;
            names[started.index()] = [&names[starter.index()][..], &[1, number]].concat();
        }
    }
    names
}

fn ending(forest: &Forest, end: NodeId) -> Ending {
    match forest.node(end).op {
        Op::End => Ending::Over,
        Op::Failed(_) => Ending::Failed,
        _ => Ending::Blocked(0),
    }
}

/// Whether a thread stopped at an error that is no assertion.
fn is_error(forest: &Forest, op: &Op) -> bool {
    matches!(op, Op::Failed(fault) if forest.fault(*fault).assertion.is_none())
}

fn is_number(forest: &Forest, after: &Node) -> bool {
    forest.value(ValueId(after.label & !FAILED)).as_int().is_some()
}

/// What a thread with this history read and chose; what a block chose stands after what it read.
fn history(forest: &Forest, end: NodeId, names: &[Name]) -> History {
    let mut nodes = vec![end];
    while let Some(parent) = nodes.last().map(|node| forest.node(*node).parent).filter(|parent| parent.is_some()) {
        nodes.push(parent);
    }
    nodes.reverse();
    let block = |block: u32| match forest.allocator(block) {
        Some((thread, number)) => [&names[thread.index()][..], &[0, number + 1]].concat(),
        None => vec![0, block],
    };
    let seen = |word: Word| Seen::new(word, &block);
    let (mut history, mut chosen) = (History::new(), History::new());
    for pair in nodes.windows(2) {
        let (before, after) = (forest.node(pair[0]), forest.node(pair[1]));
        let choice = |choice: u32| seen(Word::int(i64::from(choice), 64));
        match before.op {
            // The observer does not see what an instruction read that fails because it is no number.
            Op::Update(_) if after.written.is_none() && is_error(forest, &after.op) && !is_number(forest, after) => {}
            Op::Update(cell) if forest.is_whether_free(cell) => {
                history.extend(after.written.map(|_| seen(Word::int(1, 1))));
            }
            Op::Allocate(_) => {
                let allocation = forest.block_given(pair[1]).expect("a block");
                chosen.push(seen(Word::Pointer(Address { allocation, path: PathId(0) })));
            }
            Op::Load(_) => history.push(seen(forest.value(ValueId(after.label)))),
            Op::Update(_) => history.push(seen(forest.value(ValueId(after.label & !FAILED)))),
            Op::Choose(_) => chosen.push(choice(after.label)),
            Op::Notify(..) if after.label > 0 => chosen.push(choice(after.label - 1)),
            _ => {}
        }
        if matches!(before.op, Op::Update(_)) && after.picked {
            chosen.push(choice(u32::from(after.label & FAILED != 0)));
        }
        if !after.in_block {
            history.append(&mut chosen);
        }
    }
    history.append(&mut chosen);
    history
}
