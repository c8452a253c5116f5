//! The executions that justify another one, as every report shows them.
//!
//! A model of speculation accepts an execution `E` only together with executions `E_1..E_k`. Each `E_i` commits a set of
//! actions `C_i`, which contains `C_{i-1}`; the last one contains all actions of `E`. Events of different executions that
//! perform the same action have the same name in all reports: the one that it has in `E`.

use std::collections::BTreeSet;

use program::{EventId, Execution, Program};

use crate::names::{Names, is_boundary};

/// What models call the set of actions that a stage commits.
const COMMITTED: &str = "committed";

/// Whether an event's action is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commitment {
    /// Not yet.
    Open,
    /// By an earlier stage.
    Earlier,
    /// By this stage.
    New,
}

/// One of the executions that justify another; or several that follow each other, are alike, and of which only the first
/// commits anything.
pub struct Stage<'a> {
    /// The number of the first, from 1.
    pub first: usize,
    /// The number of the last; the same for a single one.
    pub last: usize,
    /// The first execution.
    pub execution: &'a Execution,
    /// The names of its events.
    pub names: Names,
    /// Per event.
    pub commitments: Vec<Commitment>,
    /// Whether the model commits actions at all.
    commits: bool,
    /// Whether all actions of the justified execution are committed here, and were not before.
    completes: bool,
}

/// The stages of an execution's justification, in order; none for an execution that needs none.
pub fn stages<'a>(program: &Program, main: &'a Execution) -> Vec<Stage<'a>> {
    let mut stages: Vec<Stage> = Vec::new();
    let everything: BTreeSet<u32> = main.ids().map(|id| action(main, id)).collect();
    let mut before = BTreeSet::new();
    for ((index, execution), names) in main.justification.iter().enumerate().zip(Names::of_stages(program, main)) {
        let now = committed(execution).unwrap_or_default();
        if let Some(previous) =
            stages.last_mut().filter(|previous| now == before && alike(previous.execution, execution, &now))
        {
            previous.last = index + 1;
            continue;
        }
        let commitment = |id: EventId| match action(execution, id) {
            action if before.contains(&action) => Commitment::Earlier,
            action if now.contains(&action) => Commitment::New,
            _ => Commitment::Open,
        };
        stages.push(Stage {
            first: index + 1,
            last: index + 1,
            execution,
            names,
            commitments: execution.ids().map(commitment).collect(),
            commits: committed(execution).is_some(),
            completes: now.is_superset(&everything) && !before.is_superset(&everything),
        });
        before = now;
    }
    stages
}

/// An event of a stage that performs an action which another statement performs in the justified execution.
pub struct Elsewhere {
    /// The event of the stage.
    pub here: EventId,
    /// The event of the justified execution.
    pub there: EventId,
}

impl Stage<'_> {
    /// The actions that other statements perform here than in `main`.
    pub fn elsewhere(&self, main: &Execution) -> Vec<Elsewhere> {
        let by_action = |wanted: u32| main.ids().find(|&id| action(main, id) == wanted);
        let others = self.execution.ids().filter_map(|here| {
            let there = by_action(action(self.execution, here))?;
            (self.execution.event(here).span != main.event(there).span).then_some(Elsewhere { here, there })
        });
        if main.actions.is_empty() { Vec::new() } else { others.collect() }
    }

    /// `E_2`; `E_2 to E_4` for several.
    pub fn title(&self) -> String {
        self.numbered("E")
    }

    /// What is committed here: `C_2 commits: a, c`; nothing when the model commits no actions. Starts and ends of threads
    /// are not named, as they are not shown.
    pub fn commits(&self) -> Option<String> {
        let is_new = |id: &EventId| self.commitments[id.0 as usize] == Commitment::New;
        let (boundaries, events): (Vec<EventId>, Vec<EventId>) =
            self.execution.ids().filter(is_new).partition(|&id| is_boundary(self.execution.event(id)));
        let verb = if self.first == self.last { "commits" } else { "commit" };
        let what = match (events.is_empty(), boundaries.is_empty()) {
            (true, true) => " nothing new".into(),
            (true, false) => ": starts and ends of threads".into(),
            _ => format!(": {}", self.names.list(&events)),
        };
        let complete = if self.completes { ", the last of E" } else { "" };
        self.commits.then(|| format!("{} {verb}{what}{complete}", self.numbered("C")))
    }

    fn numbered(&self, letter: &str) -> String {
        let Stage { first, last, .. } = self;
        match last - first {
            0 => format!("{letter}_{first}"),
            1 => format!("{letter}_{first} and {letter}_{last}"),
            _ => format!("{letter}_{first} to {letter}_{last}"),
        }
    }
}

/// Whether a relation is a set, given as pairs of an event with itself. The empty relation is not.
pub fn is_set(pairs: &[(EventId, EventId)]) -> bool {
    !pairs.is_empty() && pairs.iter().all(|(from, to)| from == to)
}

/// Whether a relation of a justified execution is a set in each of the executions, where it may be empty.
pub fn is_set_throughout(main: &Execution, name: &str) -> bool {
    let runs = main.justification.iter().chain([main]).flat_map(|run| &run.named);
    let all: Vec<_> = runs.filter(|(known, _)| known == name).flat_map(|(_, pairs)| pairs.clone()).collect();
    is_set(&all)
}

/// Whether a pair of a relation is worth saying: that initial writes come before all else goes without saying.
pub fn is_said(execution: &Execution, (from, to): (EventId, EventId)) -> bool {
    from == to || execution.event(from).thread.is_some()
}

/// The relations that a model names, without what is about starts and ends of threads, and without the committed actions.
pub fn relations(execution: &Execution) -> Vec<(&str, Vec<(EventId, EventId)>)> {
    let is_shown = |id: EventId| !is_boundary(execution.event(id));
    let shown = |pairs: &[(EventId, EventId)]| {
        let pairs = pairs.iter().copied().filter(|&(from, to)| is_shown(from) && is_shown(to));
        pairs.filter(|&pair| is_said(execution, pair)).collect()
    };
    let named = execution.named.iter().filter(|(name, _)| name != COMMITTED);
    named.map(|(name, pairs)| (name.as_str(), shown(pairs))).collect()
}

/// Which action an event performs. Where nothing is said about it each event has its own.
fn action(execution: &Execution, id: EventId) -> u32 {
    execution.actions.get(id.0 as usize).copied().unwrap_or(id.0)
}

fn committed(execution: &Execution) -> Option<BTreeSet<u32>> {
    let (_, pairs) = execution.named.iter().find(|(name, _)| name == COMMITTED)?;
    Some(pairs.iter().map(|&(id, _)| action(execution, id)).collect())
}

/// Whether two executions differ in nothing that matters: of the actions, only the committed ones must be the same.
fn alike(a: &Execution, b: &Execution, committed: &BTreeSet<u32>) -> bool {
    let same_action = |id: EventId| {
        let (first, second) = (action(a, id), action(b, id));
        first == second || !committed.contains(&first) && !committed.contains(&second)
    };
    a.events == b.events && a.rf == b.rf && relations(a) == relations(b) && a.ids().all(same_action)
}
