//! Maximal causality reduction: one execution for each class of executions in which every thread reads the same values
//! (Huang and Huang, "Maximal causality reduction for TSO and PSO", 2016).
//!
//! On the machines sc, tso and pso the answers are exact, as those of the search over all states are: threads are
//! deterministic but for what they read, so what a thread does, and whether it fails, follows from its class. An exploration
//! that ends early concludes nothing from not finding an execution.
//!
//! - [`history`] grows the trees of what threads can do; [`machine`] runs executions over them. [`history::iteration`] leaves out iterations of
//!   loops in which threads only wait.
//! - [`trace`] is what a class consists of; [`project`] makes it, without what nobody shares.
//! - [`graph`] finds the untried branches of a class by listing states; [`encode`] and [`solve`] by solving, where there are too
//!   many, with the ways through atomic blocks that [`block`] finds.
//! - [`classes`] knows the classes found so far; [`question`] says what to ask about one (`must_happen_before` and `sections` what need not be asked);
//!   [`explore`] finds all.
//! - [`first`] is the execution that it begins with; [`checks`] says which reads decide whether something goes wrong. [`witness`] makes schedules of executions that were found. [`race`] finds data races.
//!
//! # How it goes beyond the paper
//!
//! The paper asks for each read and each value whether some execution of the class gives the read that value, and runs the
//! program if so; different classes lead to the same executions, which is why it needs more executions than there are
//! classes. Here an execution is run only where no known class goes the same way, so that every run gives a new class;
//! [`explore`] says why none is missed. Redundant executions are counted all the same.

pub mod block;
pub mod checks;
pub mod classes;
pub mod encode;
pub mod explore;
pub mod first;
mod follow;
pub mod graph;
pub mod history;
pub mod id;
mod list;
pub mod machine;
mod must_happen_before;
pub mod project;
pub mod question;
pub mod race;
mod sections;
pub mod solve;
pub mod trace;
pub mod witness;

use std::collections::BTreeMap;

use program::{
    End, Execution, Failure, InstructionKind, Listed, Listing, Observable, Outcome, Property, Quantifier,
    State as FinalState, Statistics, Unsupported, Value, Verdict, Verified,
};

use operational::early::Early;
use operational::interpret::Stop;
use operational::limits::Limits;
use operational::memory::Machine;
use operational::replay;
use operational::replay::{final_state, observe};
use operational::schedule::Schedule;
use operational::search::Reduction;
use operational::shorten::shorten;
use operational::{may_exclude_executions, verdict};

use explore::{Alone, Budget, Ending, Executed, Exploration, Figures, Next, Workers, setups};
use first::First;
use history::Forest;
use history::iteration::Iterations;
use machine::Configuration;

/// How to explore.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// When to give up.
    pub limits: Limits,
    /// How much to spend.
    pub budget: Budget,
    /// What to ask of a program without a question.
    pub property: Property,
    /// Whether all classes are to be found, also when the answer is known before.
    pub exhaustive: bool,
    /// Whether to give an execution of each final state.
    pub explain: bool,
    /// Whether to make the schedule of what is found shorter.
    pub shorten: bool,
    /// The execution to begin with.
    pub first: First,
    /// Which executions are to be listed besides.
    pub listing: Listing,
}

impl Options {
    /// Whether the exploration goes on after an execution as asked.
    fn wants_all(&self) -> bool {
        self.exhaustive || self.listing != Listing::Nothing
    }
}

/// An answer, and how to make what was found happen again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The answer.
    pub outcome: Outcome,
    /// What goes wrong in the execution found, if something does.
    pub failure: Option<Failure>,
    /// The schedule of the execution found, and how it is to be run.
    pub schedule: Option<(Schedule, Reduction)>,
    /// What was explored.
    pub figures: Figures,
}

/// Answers the program's question on a machine, as [`operational::check`] does.
pub fn check(program: &Verified, machine: Machine, options: &Options) -> Result<Answer, Unsupported> {
    answer(program, machine, options, false, &Alone::until(options.limits.interrupt.clone()))
}

/// All final states and the answer to the question, as [`operational::outcomes`] gives them.
pub fn outcomes(program: &Verified, machine: Machine, options: &Options) -> Result<Answer, Unsupported> {
    answer(program, machine, options, true, &Alone::until(options.limits.interrupt.clone()))
}

/// Answers as [`outcomes`] does if `all` final states are wanted, else as [`check`] does, with the help of workers.
pub fn answer(
    program: &Verified,
    machine: Machine,
    options: &Options,
    all: bool,
    workers: &dyn Workers,
) -> Result<Answer, Unsupported> {
    if machine.has_history() {
        let what = format!("the machine {} with the engine mcr", machine.name());
        return Err(Unsupported::new(what, None));
    }
    let mut asked = Asked::new(program, machine, options, all);
    match setups(program, &options.limits) {
        Ok(setups) => {
            for setup in setups {
                if asked.explore(&setup, workers)? == Next::Finish {
                    break;
                }
            }
        }
        // There is nothing to reduce: the other engine says what is wrong.
        Err(_) => return by_search(program, machine, options, &options.limits, all),
    }
    let is_open = asked.found.is_none() && asked.reason.is_none();
    if !machine.keeps_stores_in_order() && is_open && may_store_late(program) {
        return by_search(program, machine, options, &options.limits, all);
    }
    Ok(asked.answer())
}

/// Whether a store could get to memory after its block was freed by another thread, which classes do not tell from one that does not: the
/// free has no value to read.
fn may_store_late(program: &Verified) -> bool {
    let has = |sort: fn(&InstructionKind) -> bool| program.instructions().any(|instruction| sort(&instruction.kind));
    has(|kind| matches!(kind, InstructionKind::Free { .. } | InstructionKind::End { .. }))
        && has(|kind| matches!(kind, InstructionKind::Live { .. }))
}

/// The answer of the search over all states.
fn by_search(
    program: &Verified,
    machine: Machine,
    options: &Options,
    limits: &Limits,
    all: bool,
) -> Result<Answer, Unsupported> {
    let searching = operational::Options {
        limits: limits.clone(),
        property: options.property,
        explain: options.explain,
        ..operational::Options::default()
    };
    let found = match all {
        true => operational::outcomes(program, machine, &searching)?,
        false => operational::check(program, machine, &searching)?,
    };
    let schedule = found.schedule.map(|schedule| (schedule, Reduction::default()));
    Ok(Answer { outcome: found.outcome, failure: found.failure, schedule, figures: Figures::default() })
}

/// After so many executions a search in the order of cost is worth while, with
const WORTH_A_LOOK: u64 = 256;
/// so many steps for each execution.
const STEPS_FOR_EXECUTION: u64 = 4;
/// How many steps it may have for an execution that was cut,
const STEPS_FOR_CUT: u64 = 1 << 12;
/// and for one that is long: then nothing else may come to its turn any more.
const STEPS_FOR_LONG: u64 = 1 << 14;
/// How many states are searched where some execution is long. An endless loop that writes the same again and again has a class
/// for each number of its iterations, but few states.
const STATES_FOR_LONG: u64 = 20_000;
/// How many steps it may have where the exploration did not come to its end by itself.
const STEPS_AT_END: u64 = 1 << 18;

/// Looks for an execution as asked while the exploration goes on.
struct Asked<'a> {
    program: &'a Verified,
    machine: Machine,
    options: &'a Options,
    /// Whether all final states are wanted.
    all: bool,
    states: BTreeMap<FinalState, Option<Schedule>>,
    found: Option<Option<Schedule>>,
    finished: u64,
    /// Why not finding an execution would not decide the question, if so.
    reason: Option<String>,
    figures: Figures,
    /// Looks for executions that go wrong early, once that is worth while.
    early: Option<Box<Early<'a>>>,
    /// Executions of all explorations so far.
    executions: u64,
    /// The answer of the search over all states, once that was asked for, if it decided the question.
    searched: Option<Option<Box<Answer>>>,
    /// What is listed, in the order in which it was found.
    listed: Vec<Listed>,
    /// Whether and how far the schedule was followed that the exploration begins with.
    followed: Option<usize>,
}

impl<'a> Asked<'a> {
    fn new(program: &'a Verified, machine: Machine, options: &'a Options, all: bool) -> Asked<'a> {
        let (states, figures) = (BTreeMap::new(), Figures::default());
        Asked {
            program,
            machine,
            options,
            all,
            states,
            found: None,
            finished: 0,
            reason: None,
            figures,
            early: None,
            executions: 0,
            searched: None,
            listed: Vec::new(),
            followed: None,
        }
    }

    /// Explores what can happen after the setup chose so.
    fn explore(&mut self, setup: &[u32], workers: &dyn Workers) -> Result<Next, Unsupported> {
        let (program, options) = (self.program, self.options);
        let made = Exploration::new(program, self.machine, setup, &options.limits, &options.budget, Iterations::Wait);
        let mut exploration = match made {
            Ok(exploration) => exploration,
            Err(Stop::Unsupported(unsupported)) => return Err(unsupported),
            Err(stop) => {
                self.reason.get_or_insert(format!("the setup does not come to its end: {stop:?}"));
                return Ok(Next::Continue);
            }
        };
        let mut visit = |forest: &mut Forest, executed: &Executed| match self.look(setup, forest, executed) {
            Next::Continue => self.look_early(executed),
            Next::Finish => Next::Finish,
        };
        let in_turn = First::InTurn;
        let first = if options.first.is_after(setup) { &options.first } else { &in_turn };
        let (followed, next) = exploration.run_from(first, &mut visit, workers);
        self.followed = self.followed.or(followed);
        self.figures.add(&exploration.figures());
        if let Some(unsupported) = exploration.unsupported() {
            return Err(unsupported.clone());
        }
        let incomplete = exploration.incomplete();
        let next = match (next, &incomplete) {
            (Next::Continue, Some(_)) => self.go_on_early(STEPS_AT_END),
            (next, _) => next,
        };
        self.reason = self.reason.take().or(incomplete);
        Ok(next)
    }

    /// Lets the search in the order of cost go on after an execution.
    fn look_early(&mut self, executed: &Executed) -> Next {
        self.executions += u64::from(executed.ending != Ending::Unfinished);
        match executed.ending {
            Ending::Cut if self.search() == Next::Continue => self.go_on_early(STEPS_FOR_CUT),
            Ending::Unfinished if self.search() == Next::Continue => self.go_on_early(STEPS_FOR_LONG),
            Ending::Cut | Ending::Unfinished => Next::Finish,
            _ if self.executions.is_multiple_of(WORTH_A_LOOK) => self.go_on_early(STEPS_FOR_EXECUTION * WORTH_A_LOOK),
            _ => Next::Continue,
        }
    }

    /// Asks the search over all states, once, if one execution is enough for an answer.
    fn search(&mut self) -> Next {
        if self.all || self.options.wants_all() || self.found.is_some() {
            return Next::Continue;
        }
        let Asked { program, machine, options, .. } = *self;
        // What bounds the steps of one execution is no bound for states.
        let states = options.limits.states.min(STATES_FOR_LONG);
        let limits = Limits { states, depth: Limits::default().depth, ..options.limits.clone() };
        let searched = self.searched.get_or_insert_with(|| {
            let found = by_search(program, machine, options, &limits, false).ok();
            let is_decided = |found: &Answer| !matches!(found.outcome.verdict, Verdict::Unknown(_));
            found.filter(is_decided).map(Box::new)
        });
        if searched.is_some() { Next::Finish } else { Next::Continue }
    }

    /// Lets the search in the order of cost go on, if one execution is enough for an answer.
    fn go_on_early(&mut self, steps: u64) -> Next {
        let (program, machine, options) = (self.program, self.machine, self.options);
        if self.all || self.options.wants_all() || self.found.is_some() {
            return Next::Continue;
        }
        let early =
            self.early.get_or_insert_with(|| Box::new(Early::new(program, machine, options.property, &options.limits)));
        let Some(found) = early.go_on(&options.limits, steps) else { return Next::Continue };
        self.found = Some(Some(match options.shorten {
            true => shorten(program, machine, &found, &options.limits),
            false => found,
        }));
        Next::Finish
    }

    fn look(&mut self, setup: &[u32], forest: &Forest, executed: &Executed) -> Next {
        let last = &executed.configuration;
        if list::is_wanted(self.options.listing, &executed.ending) {
            let listed = list::listed(self.options, setup, forest, executed);
            let is_known = |other: &Listed| self.options.listing == Listing::Failures && other.what == listed.what;
            if !self.listed.iter().any(is_known) {
                self.listed.push(listed);
            }
        }
        match executed.ending {
            Ending::Finished if self.program.question.is_some() => self.finish(setup, forest, executed),
            Ending::Finished => {
                self.finished += 1;
                let wanted = self.options.property == Property::Possible;
                if wanted { self.find(setup, forest, last) } else { Next::Continue }
            }
            Ending::Failed | Ending::Stuck if self.asks_about_errors() => self.find(setup, forest, last),
            Ending::Failed => {
                self.went_wrong(forest, executed);
                Next::Continue
            }
            Ending::Stuck | Ending::Dropped | Ending::Abandoned | Ending::Cut | Ending::Unfinished => Next::Continue,
        }
    }

    fn asks_about_errors(&self) -> bool {
        self.program.question.is_none() && self.options.property == Property::Always
    }

    fn find(&mut self, setup: &[u32], forest: &Forest, last: &Configuration) -> Next {
        if self.found.is_none() {
            let found = witness::schedule_to_failure(forest, setup, last, &self.options.limits);
            let (program, limits) = (self.program, &self.options.limits);
            self.found = Some(match self.options.shorten {
                true => found.map(|found| shorten(program, self.machine, &found, limits)),
                false => found,
            });
        }
        if self.all || self.options.wants_all() { Next::Continue } else { Next::Finish }
    }

    /// An execution that goes wrong has no final state: then nothing follows from not finding one.
    fn went_wrong(&mut self, forest: &Forest, executed: &Executed) {
        let ends = executed.configuration.at.iter().filter(|end| end.is_some());
        let faults = ends.filter_map(|end| match forest.node(*end).op {
            history::Op::Failed(fault) => Some(forest.fault(fault)),
            _ => None,
        });
        for fault in faults.filter(|fault| fault.assertion.is_none()) {
            let place = fault.span.map_or(String::new(), |span| format!(" at {}", self.program.sources.location(span)));
            self.reason.get_or_insert_with(|| format!("some execution ends in an error{place}: {}", fault.message));
        }
    }

    fn finish(&mut self, setup: &[u32], forest: &Forest, executed: &Executed) -> Next {
        let own = [&executed.configuration];
        let ends: Vec<_> = match executed.others.is_empty() {
            true => own.into_iter().collect(),
            false => executed.others.iter().collect(),
        };
        for configuration in ends {
            let (state, interpreter) = forest.state(&configuration.at, &configuration.memory(forest));
            let value = |observable: &Observable| -> Value { observe(interpreter, &state, observable) };
            let Some(question) = &self.program.question else { return Next::Continue };
            if question.filter.as_ref().is_some_and(|filter| !filter.holds(&value)) {
                continue;
            }
            self.finished += 1;
            if self.all {
                let final_state = final_state(self.program, interpreter, &state);
                if !self.states.contains_key(&final_state) {
                    let explain = self.options.explain;
                    let schedule = explain
                        .then(|| witness::schedule(forest, setup, &configuration.moves, &self.options.limits))
                        .flatten();
                    self.states.insert(final_state, schedule);
                }
            }
            let wanted = question.quantifier != Quantifier::Forall;
            let holds = question.proposition.holds(&value);
            if holds == wanted && self.find(setup, forest, configuration) == Next::Finish {
                return Next::Finish;
            }
        }
        Next::Continue
    }

    /// What is to be said of the schedule that the exploration began with.
    fn warnings(&self) -> Vec<String> {
        let First::Along(Schedule { moves, .. }) = &self.options.first else { return Vec::new() };
        let (followed, moves) = (self.followed.unwrap_or(0), moves.len());
        let is_short = followed < moves;
        is_short
            .then(|| format!("of the schedule given, {followed} of {moves} moves were followed"))
            .into_iter()
            .collect()
    }

    fn answer(mut self) -> Answer {
        if let Some(searched) = self.searched.take().flatten() {
            return Answer { figures: self.figures, ..*searched };
        }
        let warnings = self.warnings();
        let Asked { program, machine, options, all, states, found, finished, reason, figures, listed, .. } = self;
        let run_again = |schedule: &Schedule| replay(program, machine, Reduction::Own, schedule, &options.limits).ok();
        let is_found = found.is_some();
        let schedule = found.flatten();
        let replayed = schedule.as_ref().and_then(run_again);
        let failure = replayed.as_ref().and_then(|replayed| match &replayed.end {
            End::Failed(failure) => Some(failure.clone()),
            _ => None,
        });
        let states: Vec<(FinalState, Option<Execution>)> = states
            .into_iter()
            .map(|(state, schedule)| (state, schedule.as_ref().and_then(run_again).map(|again| again.execution)))
            .collect();
        let verdict = match &reason {
            // A list of states that may lack some answers no question.
            Some(reason) if all => Verdict::Unknown(reason.clone()),
            _ => verdict(program, machine.guarantee(), options.property, is_found, reason.clone()),
        };
        let none = finished == 0 && !is_found && reason.is_none();
        let counts = options.wants_all() && !matches!(verdict, Verdict::Unknown(_));
        let outcome = Outcome {
            verdict,
            incomplete: reason.clone().filter(|_| counts),
            guarantee: machine.guarantee(),
            witness: replayed.map(|replayed| replayed.execution),
            states: all.then_some(states),
            vacuous: none && may_exclude_executions(program),
            endless: none && !may_exclude_executions(program),
            statistics: statistics(&figures),
            listed,
            warnings,
            ..Outcome::default()
        };
        let schedule = schedule.map(|schedule| (schedule, Reduction::Own));
        Answer { outcome, failure, schedule, figures }
    }
}

fn statistics(figures: &Figures) -> Statistics {
    let figures = [
        ("executions", figures.executions),
        ("classes", figures.classes),
        ("redundant executions", figures.redundant),
        ("executions that do not count", figures.dropped),
        ("executions cut short in a loop", figures.abandoned),
        ("queries", figures.queries),
        ("states", figures.states),
        ("queries to the solver", figures.solver_queries),
        ("instructions", figures.instructions),
    ];
    Statistics { figures: figures.into_iter().map(|(name, figure)| (name.to_string(), figure)).collect() }
}
