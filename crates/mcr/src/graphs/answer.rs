//! Answers by exploration: the question of a litmus test, or whether the assertions of a program hold.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use axiomatic::Model;
use operational::{Limits, Machine};
use program::{
    Execution, Failure, FailureKind, Function, FunctionId, Guarantee, InstructionKind, Observable, Outcome, Property,
    Quantifier, State as FinalState, Statistics, Unsupported, Value, Verdict, Verified,
};

use super::explore::{Ended, Ending, Exploration, Figures, Next, Setting, Visitor};
use super::failure;
use super::graph::Graph;
use super::judge::Judge;
use super::local::Local;
use super::prepare::{prepare, with_threads};
use super::recognise::{Axioms, RACE, Recognised, recognise};
use super::schedule::{Schedule, schedule};
use super::setup::{in_a_thread, left_out};
use super::share::{Come, Cube, Listed, Share, Single, Taken, Way, Workers, divided};
use super::witness::{execution, final_state, observe};

/// How to explore.
#[derive(Clone, Debug)]
pub struct Options {
    /// When to give up.
    pub limits: Limits,
    /// How many executions may be made.
    pub executions: u64,
    /// What to ask of a program without a question.
    pub property: Property,
    /// Whether data races, and what else the model flags, are errors of a program without a question; else they are said to be there.
    pub flags_are_errors: bool,
    /// Whether all classes are to be found, also when the answer is known before.
    pub exhaustive: bool,
    /// Whether of executions that differ by the exchange of threads alone one is enough; it is for parts.
    pub exchanges_threads: bool,
    /// Whether to give an execution of each final state.
    pub explain: bool,
    /// The part that is to be explored; all if none is given. That nothing was found is said of that part.
    pub cube: Option<Arc<Cube>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            limits: Limits::default(),
            executions: u64::MAX,
            property: Property::Always,
            flags_are_errors: true,
            exhaustive: false,
            exchanges_threads: true,
            explain: false,
            cube: None,
        }
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The program, with a thread for each one that the execution found has.
    pub program: Verified,
    /// The answer.
    pub outcome: Outcome,
    /// What was explored.
    pub figures: Figures,
    /// How the execution that was found comes about.
    pub schedule: Option<Schedule>,
}

/// More events than this an execution may not have.
const MOST_EVENTS: usize = 20_000;
/// An exploration with more executions than this, or with longer ones, is begun by looking for what goes wrong near the start:
const EXECUTIONS_OF_LOOK: u64 = 256;
const EVENTS_OF_LOOK: usize = 256;
/// with so many events of each thread.
const FEW_EVENTS: [usize; 3] = [8, 24, 72];
/// As many threads clocks have room for at first.
const FEW_THREADS: usize = 6;
/// More threads than this are not modelled.
pub const MOST_THREADS: usize = 1_024;
/// So many graphs one worker makes before others help.
const TRIAL: u64 = 4_000;
/// As many branches for each worker there should be to take.
const BRANCHES: u64 = 32;

/// Answers the program's question under a model; all final states if they are wanted. A program without a question is asked
/// about its assertions.
pub fn answer(
    program: &Verified,
    model: &Model,
    options: &Options,
    all: bool,
    workers: &dyn Workers,
) -> Result<Answer, Unsupported> {
    explored(program, recognise(model)?, options, all, workers)
}

/// Answers as [`answer`] does for one of the machines sc, tso and pso.
pub fn answer_on(
    program: &Verified,
    machine: Machine,
    options: &Options,
    all: bool,
    workers: &dyn Workers,
) -> Result<Answer, Unsupported> {
    explored(program, on(machine)?, options, all, workers)
}

/// What is to be kept on a machine.
pub fn on(machine: Machine) -> Result<Recognised, Unsupported> {
    if machine.has_history() {
        return Err(Unsupported::new(format!("execution graphs on the machine {}", machine.name()), None));
    }
    Ok(Recognised { axioms: Axioms::Machine(machine), flags_races: false, flags_allocations: false })
}

fn explored(
    program: &Verified,
    recognised: Recognised,
    options: &Options,
    all: bool,
    workers: &dyn Workers,
) -> Result<Answer, Unsupported> {
    if let Some(started) = in_a_thread(program)? {
        let Answer { outcome, figures, .. } = explored(&started, recognised, options, all, workers)?;
        return Ok(Answer { program: program.clone(), outcome: left_out(outcome), figures, schedule: None });
    }
    let ends = |kind: &InstructionKind| matches!(kind, InstructionKind::Live { .. } | InstructionKind::Free { .. });
    if !options.flags_are_errors && has(program, ends) {
        // Whether an access finds its memory is known where it is an error that nothing orders them.
        return Err(Unsupported::new(
            "memory that is freed, where data races are no errors, in execution graphs",
            None,
        ));
    }
    let prepared = prepare(program)?;
    let setting = setting(program, &recognised, options);
    let mut asked = Asked::new(&prepared, options, all, &recognised, workers);
    let explored = if let Some(cube) = &options.cube {
        let setting = Setting { share: Share::OfCube(cube.clone()), ..setting };
        explore_alone(&prepared, &setting, FEW_THREADS.max(prepared.threads.len()), &mut asked)?
    } else {
        explore_hiding(&prepared, &setting, &mut asked)?
    };
    Ok(asked.answer(program, explored))
}

/// Explores as if nobody saw stores that are overwritten at once, which is so where there are no data races. Where there are some, and
/// they are no errors, the exploration starts over if that has left something out.
fn explore_hiding(program: &Verified, setting: &Setting, asked: &mut Asked) -> Result<Explored, Unsupported> {
    asked.hides_stores = asked.recognised.flags_races && asked.judge.is_none();
    let fresh = || Setting { is_found: Arc::default(), done: Arc::default(), ..setting.clone() };
    let explored = match near_the_start(program, &fresh(), asked)? {
        Some(explored) => explored,
        None => explore(program, &fresh(), asked)?,
    };
    let results = &asked.results;
    if !results.is_racy || !results.has_hidden || asked.is_finished() || asked.asks_about_flags() {
        return Ok(explored);
    }
    asked.forget();
    asked.hides_stores = false;
    explore(program, setting, asked)
}

fn setting(program: &Verified, recognised: &Recognised, options: &Options) -> Setting {
    Setting {
        axioms: recognised.axioms.clone(),
        looks_for_waiting: program.question.is_none() && options.property == Property::Always,
        exchanges_threads: options.exchanges_threads || options.cube.is_some(),
        stretch: options.limits.stretch,
        events: MOST_EVENTS,
        thread_events: usize::MAX,
        executions: options.executions,
        interrupt: options.limits.interrupt.clone(),
        is_found: Arc::default(),
        share: Share::Whole,
        done: Arc::default(),
    }
}

/// Divides the exploration under a model into so many parts.
pub fn divide(program: &Verified, model: &Model, options: &Options, parts: usize) -> Result<Divided, Unsupported> {
    divide_as(program, recognise(model)?, options, parts)
}

/// Divides as [`divide`] does on one of the machines sc, tso and pso.
pub fn divide_on(
    program: &Verified,
    machine: Machine,
    options: &Options,
    parts: usize,
) -> Result<Divided, Unsupported> {
    divide_as(program, on(machine)?, options, parts)
}

/// What came of dividing.
#[derive(Clone, Debug)]
pub enum Divided {
    /// The parts.
    Parts(Vec<Cube>),
    /// A limit was reached before there were any.
    Limit(String),
}

/// Lists the subtrees after one decision, after two and so on, until there are many for each part or none.
fn divide_as(
    program: &Verified,
    recognised: Recognised,
    options: &Options,
    parts: usize,
) -> Result<Divided, Unsupported> {
    let prepared = prepare(program)?;
    if starts_in_threads(&prepared) {
        return Err(Unsupported::new("dividing a program in which threads start threads", None));
    }
    let setting = setting(program, &recognised, options);
    let mut best: (u32, Vec<Way>) = (1, Vec::new());
    for decisions in 1.. {
        let listed = Listed::default();
        let share = Share::Listing { decisions, listed: listed.clone() };
        let setting = Setting { share, exchanges_threads: true, ..setting.clone() };
        let mut asked = Asked::new(&prepared, options, false, &recognised, &Single);
        let explored = explore_alone(&prepared, &setting, FEW_THREADS.max(prepared.threads.len()), &mut asked)?;
        if let Some(limit) = explored.limit {
            return Ok(Divided::Limit(limit));
        }
        let mut listed = std::mem::take(&mut *listed.lock().unwrap_or_else(PoisonError::into_inner));
        // An exploration that met more threads than it had room for has begun again.
        listed.sort();
        listed.dedup();
        let is_last = listed.is_empty();
        if listed.len() > best.1.len() {
            best = (decisions, listed);
        }
        if is_last || best.1.len() as u64 >= BRANCHES * parts as u64 {
            break;
        }
    }
    Ok(Divided::Parts(divided(best.0, best.1, parts)))
}

/// Whether something goes wrong near the start of a program with very many or very long executions. A thread that can go on for
/// ever is never done here, so that no other one would get its turn: the others go on without it after a few events, then
/// after more of them. Nothing if that does not answer the question.
fn near_the_start(program: &Verified, setting: &Setting, asked: &mut Asked) -> Result<Option<Explored>, Unsupported> {
    if !asked.asks_about_errors() || asked.all || asked.options.exhaustive {
        return Ok(None);
    }
    let executions = setting.executions.min(EXECUTIONS_OF_LOOK);
    let fresh = || Setting { executions, is_found: Arc::default(), done: Arc::default(), ..setting.clone() };
    let first = explore(program, &Setting { events: EVENTS_OF_LOOK, ..fresh() }, asked)?;
    if asked.results.found.is_some() || first.limit.is_none() {
        return Ok(Some(first));
    }
    for thread_events in FEW_EVENTS {
        asked.forget();
        let few = explore(program, &Setting { thread_events, looks_for_waiting: false, ..fresh() }, asked)?;
        if asked.results.found.is_some() {
            return Ok(Some(few));
        }
    }
    asked.forget();
    Ok(None)
}

/// What came of an exploration.
#[derive(Default)]
struct Explored {
    figures: Figures,
    limit: Option<String>,
    /// How many threads the clocks had room for.
    width: usize,
    /// How many branches begin at each depth.
    branches: Vec<u64>,
}

/// Explores, with all workers if it takes longer than a little.
fn explore(program: &Verified, setting: &Setting, asked: &mut Asked) -> Result<Explored, Unsupported> {
    let width = FEW_THREADS.max(program.threads.len());
    // A limit of executions is for one worker to keep; and the numbers of threads that threads start are those of one worker.
    if asked.workers.count() == 1 || setting.executions < u64::MAX || starts_in_threads(program) {
        return explore_alone(program, setting, width, asked);
    }
    let trial = Setting { executions: TRIAL, done: Arc::default(), ..setting.clone() };
    let first = explore_alone(program, &trial, width, asked)?;
    let is_cut = first.limit.is_some() && first.figures.executions + first.figures.blocked >= TRIAL;
    if !is_cut {
        return Ok(first);
    }
    asked.forget();
    let setting = Setting { done: Arc::default(), is_found: Arc::default(), ..setting.clone() };
    explore_together(program, &setting, &first, asked)
}

/// Where the branches should begin that workers take, if an exploration that was cut short had so many at each depth.
fn depth(branches: &[u64], workers: u64) -> u32 {
    let is_enough = |(_, count): &(usize, &u64)| **count >= BRANCHES * workers;
    let most = || branches.iter().enumerate().max_by_key(|(_, count)| **count);
    branches.iter().enumerate().find(is_enough).or_else(most).map_or(1, |(depth, _)| depth as u32 + 1)
}

/// Explores with all workers; `first` is what one of them began alone.
fn explore_together(
    program: &Verified,
    setting: &Setting,
    first: &Explored,
    asked: &mut Asked,
) -> Result<Explored, Unsupported> {
    let (workers, taken) = (asked.workers.count() as u64, Arc::new(Taken::default()));
    let depth = depth(&first.branches, workers);
    let came = Mutex::new(Vec::new());
    let fresh = || asked.fresh();
    asked.workers.run(&|index| {
        let share = Share::OfWorkers { depth, index: index as u64, workers, taken: taken.clone() };
        let setting = Setting { share, ..setting.clone() };
        let mut own = fresh();
        let explored = explore_alone(program, &setting, first.width, &mut own);
        if own.is_finished() || explored.is_err() {
            setting.is_found.store(true, Ordering::Relaxed);
        }
        came.lock().unwrap_or_else(PoisonError::into_inner).push((explored, own.results));
    });
    let mut all = Explored { width: first.width, ..Explored::default() };
    for (explored, results) in came.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let explored = explored?;
        if explored.width > first.width {
            // A worker met more threads than there was room for, and began again: so do all.
            asked.forget();
            return explore_together(program, setting, &Explored { width: explored.width, ..explored }, asked);
        }
        all.figures = all.figures.and(&explored.figures);
        all.limit = all.limit.or(explored.limit);
        asked.merge(results);
    }
    Ok(all)
}

/// Explores with one worker, with room for more threads if there are more.
fn explore_alone(
    program: &Verified,
    setting: &Setting,
    mut width: usize,
    asked: &mut Asked,
) -> Result<Explored, Unsupported> {
    let holds_errors = has(program, |kind| matches!(kind, InstructionKind::Assume { .. }));
    loop {
        let local = asked.threads(program, setting.stretch)?;
        let mut exploration = Exploration::new(local, setting.clone(), holds_errors, asked);
        let ended = exploration.run(width);
        let (figures, incomplete) = (exploration.figures.clone(), exploration.incomplete.clone());
        let has_hidden = exploration.has_hidden();
        let branches = std::mem::take(&mut exploration.branches);
        asked.results.has_hidden |= has_hidden;
        let limit = match ended {
            Ok(()) | Err(Ended::Finished) => incomplete,
            Err(Ended::Limit(reason)) => Some(reason),
            Err(Ended::Unsupported(unsupported)) => return Err(unsupported),
            Err(Ended::MoreThreads) if width < MOST_THREADS => {
                width *= 2;
                asked.forget();
                continue;
            }
            Err(Ended::MoreThreads) => return Err(Unsupported::new("so many threads", None)),
        };
        return Ok(Explored { figures, limit, width, branches });
    }
}

/// The threads of a program, as they are explored; `hides_stores` if nobody sees stores that are overwritten at once, unless the machine
/// says so itself, and `asks_about_flags` if accesses must be ordered after allocations that the model flags.
pub fn threads<'a>(
    program: &'a Verified,
    recognised: &Recognised,
    stretch: u64,
    (hides_stores, asks_about_flags): (bool, bool),
) -> Result<Local<'a>, Unsupported> {
    let mut local = recognised.axioms.threads(program, stretch)?;
    local.hides_private_stores = match recognised.axioms {
        Axioms::C11(_) => recognised.flags_races && hides_stores,
        Axioms::Machine(machine) => machine.keeps_stores_in_order(),
        Axioms::Model(_) => false,
    };
    local.hides_plain_stores = matches!(recognised.axioms, Axioms::C11(_)) && local.hides_private_stores;
    local.asks_for_allocations = recognised.flags_allocations && asks_about_flags;
    Ok(local)
}

/// Whether other threads than the first ones may start threads.
fn starts_in_threads(program: &Verified) -> bool {
    let is_first = |number: usize| program.threads.iter().any(|thread| thread.entry.0 as usize == number);
    let starts = |function: &Function| {
        function.instructions().any(|instruction| matches!(instruction.kind, InstructionKind::Spawn { .. }))
    };
    program.functions.iter().enumerate().any(|(number, function)| !is_first(number) && starts(function))
}

fn has(program: &Verified, sort: impl Fn(&InstructionKind) -> bool) -> bool {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    blocks.flat_map(|block| &block.instructions).any(|instruction| sort(&instruction.kind))
}

/// What was found.
struct Found {
    execution: Execution,
    failure: Option<Failure>,
    /// The functions of the threads that were started.
    started: Vec<FunctionId>,
    /// How it comes about.
    schedule: Schedule,
}

/// Looks for an execution as asked while the exploration goes on.
struct Asked<'a> {
    program: &'a Verified,
    options: &'a Options,
    all: bool,
    recognised: &'a Recognised,
    /// The model, if it judges graphs by what it says; then data races and other flags are its own.
    judge: Option<&'a Judge>,
    workers: &'a dyn Workers,
    /// Whether nobody sees stores that are overwritten at once, since data races are errors or none was met yet.
    hides_stores: bool,
    results: Results,
}

/// What was found so far.
#[derive(Default)]
struct Results {
    states: BTreeMap<FinalState, Option<Execution>>,
    found: Option<Found>,
    finished: u64,
    is_racy: bool,
    /// Whether something was left out since nobody sees stores that are overwritten at once.
    has_hidden: bool,
    /// What the model flags.
    flags: BTreeSet<String>,
    /// Why not finding an execution would not decide the question, if so.
    reason: Option<String>,
}

impl<'a> Asked<'a> {
    fn new(
        program: &'a Verified,
        options: &'a Options,
        all: bool,
        recognised: &'a Recognised,
        workers: &'a dyn Workers,
    ) -> Asked<'a> {
        let (judge, results) = (recognised.axioms.judge(), Results::default());
        let mut asked = Asked { program, options, all, recognised, judge, workers, hides_stores: false, results };
        asked.hides_stores = asked.asks_about_flags();
        asked
    }

    fn threads<'p>(&self, program: &'p Verified, stretch: u64) -> Result<Local<'p>, Unsupported> {
        threads(program, self.recognised, stretch, (self.hides_stores, self.asks_about_flags()))
    }

    /// Forgets everything: the exploration starts over.
    fn forget(&mut self) {
        self.results = Results::default();
    }

    /// One that has found nothing yet and looks for the same.
    fn fresh(&self) -> Asked<'a> {
        Asked { results: Results::default(), ..*self }
    }

    /// Whether there is nothing more to look for.
    fn is_finished(&self) -> bool {
        self.results.found.is_some() && !self.all && !self.options.exhaustive
    }

    /// Adds what another has found.
    fn merge(&mut self, other: Results) {
        let Results { states, found, finished, is_racy, has_hidden, flags, reason } = other;
        for (state, execution) in states {
            self.results.states.entry(state).or_insert(execution);
        }
        let results = &mut self.results;
        results.found = results.found.take().or(found);
        results.finished += finished;
        results.is_racy |= is_racy;
        results.has_hidden |= has_hidden;
        results.flags.extend(flags);
        results.reason = results.reason.take().or(reason);
    }

    fn asks_about_errors(&self) -> bool {
        self.program.question.is_none() && self.options.property == Property::Always
    }

    /// Whether what the model flags is an error.
    fn asks_about_flags(&self) -> bool {
        self.asks_about_errors() && self.options.flags_are_errors
    }

    fn find(&mut self, graph: &Graph, local: &Local, failure: Option<Failure>) -> Next {
        if self.results.found.is_none() {
            let started = failure::started(graph);
            self.results.found =
                Some(Found { execution: execution(graph, local), failure, started, schedule: schedule(graph) });
        }
        if self.all || self.options.exhaustive { Next::Continue } else { Next::Finish }
    }

    fn finish(&mut self, graph: &Graph, local: &Local) -> Next {
        let Some(question) = &self.program.question else {
            self.results.finished += 1;
            let wanted = self.options.property == Property::Possible;
            return if wanted { self.find(graph, local, None) } else { Next::Continue };
        };
        let value = |observable: &Observable| -> Value { observe(graph, local, observable) };
        if question.filter.as_ref().is_some_and(|filter| !filter.holds(&value)) {
            return Next::Continue;
        }
        self.results.finished += 1;
        if self.all {
            let explain = self.options.explain;
            let state = final_state(graph, local);
            self.results.states.entry(state).or_insert_with(|| explain.then(|| execution(graph, local)));
        }
        let wanted = question.quantifier != Quantifier::Forall;
        if question.proposition.holds(&value) == wanted { self.find(graph, local, None) } else { Next::Continue }
    }

    fn answer(self, program: &Verified, explored: Explored) -> Answer {
        let Explored { figures, limit, .. } = explored;
        let results = self.results;
        let incomplete = limit.or(results.reason);
        let is_found = results.found.is_some();
        let about_all = match &program.question {
            Some(question) => question.quantifier == Quantifier::Forall,
            None => self.options.property == Property::Always,
        };
        let verdict = match (Guarantee::Exact.conclude(is_found, incomplete.clone()), &incomplete) {
            // A list of states that may lack some answers no question.
            (_, Some(reason)) if self.all => Verdict::Unknown(reason.clone()),
            (Verdict::Allowed, _) if about_all => Verdict::Violated,
            (Verdict::Forbidden, _) if about_all => Verdict::Holds,
            (verdict, _) => verdict,
        };
        let none = results.finished == 0 && !is_found && incomplete.is_none();
        let has_filter = program.question.as_ref().is_some_and(|question| question.filter.is_some());
        let excludes = has_filter || has(program, |kind| matches!(kind, InstructionKind::Assume { .. }));
        let counts = self.options.exhaustive && !matches!(verdict, Verdict::Unknown(_));
        let mut flags = results.flags;
        if results.is_racy && self.recognised.flags_races && self.judge.is_none() {
            flags.insert(RACE.to_string());
        }
        let (witness, failure, started, schedule) = match results.found {
            Some(Found { execution, failure, started, schedule }) => {
                (Some(execution), failure, started, Some(schedule))
            }
            None => (None, None, Vec::new(), None),
        };
        let outcome = Outcome {
            verdict,
            incomplete: incomplete.filter(|_| counts),
            witness,
            failure,
            states: self.all.then(|| results.states.into_iter().collect()),
            flags: flags.into_iter().collect(),
            vacuous: none && excludes,
            endless: none && !excludes,
            statistics: statistics(&figures),
            ..Outcome::default()
        };
        Answer { program: with_threads(program, &started), outcome, figures, schedule }
    }
}

impl Visitor for Asked<'_> {
    fn sees_race(&mut self) {
        self.results.is_racy = true;
    }

    fn grown(&mut self, graph: &Graph, local: &Local) -> Next {
        let Some(judge) = self.judge else { return Next::Continue };
        let mut next = Next::Continue;
        for (name, pair) in judge.flagged(graph, local) {
            self.results.flags.insert(name.to_string());
            if name == RACE && self.asks_about_flags() {
                let failure = match pair {
                    Some((first, second)) => failure::race(self.program, graph, local, (first, second)),
                    None => Failure::new(FailureKind::Error, "a data race", None),
                };
                next = self.find(graph, local, Some(failure));
            }
        }
        next
    }

    fn progress(&mut self, come: Come) {
        self.workers.progress(come);
    }

    fn ends(&mut self, graph: &Graph, local: &mut Local, ending: Ending) -> Next {
        match ending {
            Ending::Finished => self.finish(graph, local),
            Ending::Race(first, second) => {
                if !self.recognised.flags_races || !self.asks_about_flags() || self.judge.is_some() {
                    return Next::Continue;
                }
                let failure = failure::race(self.program, graph, local, (first, second));
                self.find(graph, local, Some(failure))
            }
            Ending::Unallocated(..) if !self.asks_about_flags() => Next::Continue,
            Ending::Failed(thread, fault) | Ending::Unallocated(thread, fault) if self.asks_about_errors() => {
                let name = failure::name(self.program, graph, thread);
                let failure = operational::replay::failure(self.program, &fault, &name);
                self.find(graph, local, Some(failure))
            }
            Ending::Failed(_, fault) => {
                // It has no final state: then nothing follows from not finding one.
                if fault.assertion.is_none() {
                    let place =
                        fault.span.map_or(String::new(), |span| format!(" at {}", self.program.sources.location(span)));
                    let reason = format!("some execution ends in an error{place}: {}", fault.message);
                    self.results.reason.get_or_insert(reason);
                }
                Next::Continue
            }
            Ending::Waiting(waiting) if self.asks_about_errors() => {
                let failure = failure::deadlock(self.program, graph, &waiting);
                self.find(graph, local, Some(failure))
            }
            Ending::Waiting(_) | Ending::Unallocated(..) => Next::Continue,
        }
    }
}

fn statistics(figures: &Figures) -> Statistics {
    let exchanged = Some(("threads that can be exchanged", figures.exchanged)).filter(|(_, count)| *count > 0);
    let figures = [
        ("executions", figures.executions),
        ("blocked executions", figures.blocked),
        ("revisited reads", figures.revisits),
        ("events", figures.events),
    ];
    Statistics {
        figures: figures.into_iter().chain(exchanged).map(|(name, figure)| (name.to_string(), figure)).collect(),
    }
}
