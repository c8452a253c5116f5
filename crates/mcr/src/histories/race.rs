//! Data races, class by class: those that [`mod@operational::races`] finds, without looking at all states.
//!
//! Every execution is one of a class, so a race is one of an execution of some class. The classes are those of one of the machines sc,
//! tso and pso.
//! A class has several executions, with different orders of synchronization; for each class the solver is asked whether some
//! execution has two accesses that race and whose statements are not known to. What it finds is run again with the clocks
//! of the other search, which have the last word.
//!
//! Nothing is asked about an access, as the second of a race, if an earlier class does the same in all that can happen before it.
//! Two accesses of a class need no question if starts and ends of threads order them in all its executions, or if both are made holding the
//! same monitor. Races of executions that an `assume` ends are not reported if the thread does nothing between the access
//! and the `assume` that others could notice. An execution ends at its first error, and a thread can stop right before it, at its
//! last operation; the other search ends it earlier, with all that is unseen before the error, and may miss a race there.

mod sought;
mod synchronisation;

use std::collections::BTreeMap;

use program::{Unsupported, Verified};
use rustc_hash::{FxHashMap, FxHashSet};

use operational::happens_before::Rules;
use operational::interpret::Stop;
use operational::memory::Machine;
use operational::races::{Places, Races};

use super::classes::Classes;
use super::encode::{Candidate, Form, Question, encode_prefixes};
use super::explore::{Ending, Executed, Exploration, Figures, Next, Workers, setups};
use super::follow::Follower;
use super::history::iteration::Iterations;
use super::history::{Forest, NONE, Op};
use super::id::{CellId, ClassId, NodeId, ThreadId};
use super::project::{Keep, Projection, project};
use super::question::{Hinges, limits_of};
use super::trace::{Source, Step, sources};
use super::{Options, witness};

use synchronisation::{SyncEvents, Touch, synchronisation_events};

/// Every two accesses of a variable are compared: if there are more, races of the execution are not looked for.
const MOST_ACCESSES: usize = 5_000;

/// An execution without an end in sight that is longer than this is not looked at: not all races will be found anyway.
const MOST_EVENTS_OF_CUT: usize = 300;

/// The races of a program, and what was explored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRaces {
    /// The races.
    pub races: Races,
    /// What was explored.
    pub figures: Figures,
}

/// All races of the program on a machine, as [`operational::races()`] gives them.
pub fn races(
    program: &Verified,
    machine: Machine,
    rules: Rules,
    options: &Options,
    workers: &dyn Workers,
) -> Result<FoundRaces, Unsupported> {
    let Ok(setups) = setups(program, &options.limits) else {
        // No thread starts: the other search says what is wrong.
        let races = operational::races(program, machine, rules, &options.limits)?;
        return Ok(FoundRaces { races, figures: Figures::default() });
    };
    let mut hunt = Hunt::new(program, (machine, rules), options);
    for setup in setups {
        hunt.explore(&setup, workers)?;
    }
    let Hunt { found, figures, incomplete, .. } = hunt;
    let races = Races { races: found.into_values().collect(), states: figures.states, incomplete };
    Ok(FoundRaces { races, figures })
}

/// A statement and whether it writes; the thread, if the statement has no place. (Then threads of the program are told apart
/// for certain; one that starts later may have another number in the execution that is run.)
type Place = (Option<program::Span>, bool, u32);

struct Hunt<'a> {
    program: &'a Verified,
    machine: Machine,
    rules: Rules,
    options: &'a Options,
    found: BTreeMap<Places, operational::races::Race>,
    /// The pairs of statements that race.
    known: FxHashSet<[Place; 2]>,
    /// The classes looked at.
    classes: Classes,
    figures: Figures,
    incomplete: Option<String>,
}

impl<'a> Hunt<'a> {
    fn new(program: &'a Verified, (machine, rules): (Machine, Rules), options: &'a Options) -> Hunt<'a> {
        let (found, known, classes) = (BTreeMap::new(), FxHashSet::default(), Classes::new());
        Hunt { program, machine, rules, options, found, known, classes, figures: Figures::default(), incomplete: None }
    }

    /// Looks at all classes after the setup chose so.
    fn explore(&mut self, setup: &[u32], workers: &dyn Workers) -> Result<(), Unsupported> {
        let Options { limits, budget, .. } = self.options;
        let (program, machine) = (self.program, self.machine);
        let mut exploration = match Exploration::new(program, machine, setup, limits, budget, Iterations::Once) {
            Ok(exploration) => exploration,
            Err(Stop::Unsupported(unsupported)) => return Err(unsupported),
            Err(stop) => {
                self.incomplete.get_or_insert(format!("the setup does not come to its end: {stop:?}"));
                return Ok(());
            }
        };
        let roots = exploration.roots().to_vec();
        self.classes = Classes::new();
        let look = &mut |forest: &mut Forest, executed: &Executed| {
            let is_cut = executed.ending == Ending::Cut;
            if executed.ending != Ending::Unfinished {
                self.look(setup, &roots, forest, (&executed.configuration.at, is_cut));
            }
            Next::Continue
        };
        exploration.run(look, workers);
        self.figures.add(&exploration.figures());
        if let Some(unsupported) = exploration.unsupported() {
            return Err(unsupported.clone());
        }
        self.incomplete = self.incomplete.take().or_else(|| exploration.incomplete());
        Ok(())
    }

    /// Looks for races that are not known in a class.
    fn look(&mut self, setup: &[u32], roots: &[NodeId], forest: &mut Forest, (ends, is_cut): (&[NodeId], bool)) {
        let Some(class) = self.classes.insert(ends, forest) else { return };
        let sync = synchronisation_events(forest, ends);
        let Some(pairs) = self.pairs(&sync) else {
            let reason = "an execution has too many accesses of one variable to compare them all";
            self.incomplete.get_or_insert(reason.into());
            return;
        };
        if pairs.is_empty() {
            return;
        }
        let accessed = pairs.iter().map(|(first, _)| sync.touches[*first].cell);
        let mut cells: Vec<CellId> = accessed.chain(sync.renewed()).collect();
        cells.sort_unstable();
        cells.dedup();
        let projection = project(forest, ends, Keep::Also(&cells));
        let events: usize = projection.trace.threads.iter().map(|thread| thread.events.len()).sum();
        if is_cut && events > MOST_EVENTS_OF_CUT {
            return;
        }
        let Some((question, asked)) = self.question(forest, &sync, &pairs, &projection, (class, ends)) else {
            return;
        };
        let mut encoding = encode_prefixes(&projection.trace, self.machine, Form::Exact);
        let mut problem = encoding.races(&question);
        let budget = sat::Budget { interrupt: self.options.limits.interrupt.clone(), conflicts: None };
        // What is interrupted makes the exploration incomplete, too.
        while let Ok(Some((number, steps))) = problem.next(&budget) {
            self.figures.solver_queries += 1;
            let places = asked[number];
            if !self.run(setup, roots, forest, (&projection, ends), (places, &steps)) {
                self.incomplete.get_or_insert("a race that should be possible did not happen".into());
            }
            self.known.insert(places);
            (0..asked.len()).filter(|other| asked[*other] == places).for_each(|other| problem.forget(other));
        }
        self.figures.solver_queries += 1;
    }

    /// The accesses that may race, as numbers of touches; each pair once. `None` if there are too many accesses.
    fn pairs(&self, sync: &SyncEvents) -> Option<Vec<(usize, usize)>> {
        let mut by_cell: FxHashMap<CellId, Vec<usize>> = FxHashMap::default();
        for (number, touch) in sync.touches.iter().enumerate() {
            by_cell.entry(touch.cell).or_default().push(number);
        }
        let is_shared = |numbers: &Vec<usize>| {
            let first = &sync.touches[numbers[0]];
            let mut others = numbers.iter().map(|number| &sync.touches[*number]);
            others.clone().any(|touch| touch.thread != first.thread) && others.any(|touch| touch.writes)
        };
        let mut cells: Vec<Vec<usize>> = by_cell.into_values().filter(is_shared).collect();
        cells.sort();
        if cells.iter().any(|numbers| numbers.len() > MOST_ACCESSES) {
            return None;
        }
        let mut pairs = Vec::new();
        for numbers in cells {
            for (place, first) in numbers.iter().enumerate() {
                let others = numbers[place + 1..].iter().filter(|second| self.may_race(sync, *first, **second));
                pairs.extend(others.map(|second| (*first, *second)));
            }
        }
        Some(pairs)
    }

    fn may_race(&self, sync: &SyncEvents, first: usize, second: usize) -> bool {
        let (one, other) = (&sync.touches[first], &sync.touches[second]);
        let conflict = one.thread != other.thread && (one.writes || other.writes) && !(one.atomic && other.atomic);
        conflict
            && !one.held.iter().any(|monitor| other.held.contains(monitor))
            && !sync.are_ordered(one, other)
            && !self.known.contains(&places(one, other))
    }

    /// The question about these pairs, and the statements of each candidate.
    fn question(
        &self,
        forest: &Forest,
        sync: &SyncEvents,
        pairs: &[(usize, usize)],
        projection: &Projection,
        (class, ends): (ClassId, &[NodeId]),
    ) -> Option<(Question, Vec<[Place; 2]>)> {
        let events = synchronisation::events(projection);
        let mut question = Question { points: sync.points.clone(), ..Question::default() };
        for (thread, end) in ends.iter().enumerate().filter(|(_, end)| **end != NodeId::NONE) {
            let node = forest.node(*end);
            let last = projection.trace.threads[thread].events.len().checked_sub(1);
            let is_last = last.is_some_and(|last| {
                let event = projection.trace.threads[thread].events[last].node;
                sync.last_events.get(thread) == Some(&Some(event))
            });
            match (&node.op, last.filter(|_| is_last)) {
                // It fails before it does anything: so does every execution.
                (Op::Failed(_) | Op::Dropped, _) if node.parent == NodeId::NONE => return None,
                (Op::Failed(_), Some(last)) => question.last.push((thread, last)),
                (Op::Dropped, Some(last)) => question.never.push((thread, last)),
                _ => {}
            }
        }
        let (sources, hinges) = (sources(&projection.trace), Hinges::of(&projection.trace));
        let mut asked_before: FxHashMap<(usize, usize), bool> = FxHashMap::default();
        let mut asked = Vec::new();
        for (one, other) in pairs {
            for (first, second) in [(one, other), (other, one)] {
                let (first, second) = (&sync.touches[*first], &sync.touches[*second]);
                let (Some(first_event), Some(second_event)) = (events.get(&first.event), events.get(&second.event))
                else {
                    continue;
                };
                let (first_event, second_event) = (*first_event, *second_event);
                let is_old = asked_before.entry(second_event);
                if *is_old
                    .or_insert_with(|| self.was_asked(projection, (&sources, &hinges), second_event, (class, ends)))
                {
                    continue;
                }
                let Some(renewals) = sync.renewals_between(&events, first, second) else { continue };
                question.candidates.push(Candidate {
                    first: first.point,
                    first_event,
                    second: second.point,
                    second_event,
                    renewals,
                });
                asked.push(places(first, second));
            }
        }
        if asked.is_empty() {
            return None;
        }
        question.passing = sync.passing(self.rules, &events);
        Some((question, asked))
    }

    /// Whether an earlier class does the same in all that can happen before and in this event: then a race whose second
    /// access this is was looked for there.
    fn was_asked(
        &self,
        projection: &Projection,
        reaching: (&[Vec<Source>], &Hinges),
        (thread, event): (usize, usize),
        (class, ends): (ClassId, &[NodeId]),
    ) -> bool {
        let trace = &projection.trace;
        let limits = limits_of(trace, reaching, (ThreadId::at(thread), event as u32));
        let nodes = limits.iter().enumerate().map(|(other, limit)| {
            let until = if other == thread { Some(event as u32 + 1) } else { *limit };
            match until {
                Some(NONE) => NodeId::NONE,
                Some(until) => trace.threads[other].events.get(until as usize).map_or(ends[other], |next| next.node),
                None => ends[other],
            }
        });
        self.classes.some_passes(nodes, class)
    }

    /// Runs the steps; whether the race is there.
    fn run(
        &mut self,
        setup: &[u32],
        roots: &[NodeId],
        forest: &mut Forest,
        class: (&Projection, &[NodeId]),
        (places, steps): ([Place; 2], &[Step]),
    ) -> bool {
        let (limits, how) = (&self.options.limits, (self.machine, self.rules));
        let mut follower = Follower::lazy(roots, class);
        if !follower.steps(forest, steps) {
            return false;
        }
        let Some(schedule) = witness::schedule(forest, setup, &follower.configuration.moves, limits) else {
            return false;
        };
        let Some((places, race)) = sought::race(self.program, how, &schedule, places, limits) else {
            return false;
        };
        self.found.entry(places).or_insert(race);
        true
    }
}

fn places(first: &Touch, second: &Touch) -> [Place; 2] {
    let mut places =
        [first, second].map(|touch| (touch.span, touch.writes, if touch.span.is_none() { touch.thread.0 } else { 0 }));
    places.sort();
    places
}
