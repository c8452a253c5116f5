//! Answers by exploration: the question of a litmus test, or whether the assertions of a program hold.

use std::collections::{BTreeMap, BTreeSet};

use axiomatic::Model;
use operational::Limits;
use program::{
    Execution, Failure, FailureKind, FunctionId, Guarantee, InstructionKind, Observable, Outcome, Property, Quantifier,
    Span, State as FinalState, Statistics, Unsupported, Value, Verdict, Verified, WaitingThread,
};

use super::explore::{Ended, Ending, Exploration, Figures, Next, Setting, Threads, Visitor, waiting_at};
use super::graph::Graph;
use super::local::{Local, Op};
use super::number::{EventId, ThreadNumber};
use super::prepare::{prepare, with_threads};
use super::recognise::recognise;
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
    /// Whether all classes are to be found, also when the answer is known before.
    pub exhaustive: bool,
    /// Whether to give an execution of each final state.
    pub explain: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            limits: Limits::default(),
            executions: u64::MAX,
            property: Property::Always,
            exhaustive: false,
            explain: false,
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
}

/// More events than this an execution may not have.
const MOST_EVENTS: usize = 20_000;
/// As many threads clocks have room for at first.
const FEW_THREADS: usize = 6;
/// More threads than this are not modelled.
const MOST_THREADS: usize = 1_024;
/// The name that models give to the flag for data races.
const RACE: &str = "data-race";

/// Answers the program's question under a model; all final states if they are wanted. A program without a question is asked
/// about its assertions.
pub fn answer(program: &Verified, model: &Model, options: &Options, all: bool) -> Result<Answer, Unsupported> {
    let recognised = recognise(model)?;
    let prepared = prepare(program)?;
    let setting = Setting {
        sequences: recognised.sequences,
        threads: Threads::GoOn,
        stretch: options.limits.stretch,
        events: MOST_EVENTS,
        executions: options.executions,
        interrupt: options.limits.interrupt.clone(),
    };
    let mut asked = Asked::new(&prepared, options, all, recognised.flags_races);
    let mut explored = explore(&prepared, &setting, BTreeSet::new(), &mut asked)?;
    let asks_about_waiting = asked.asks_about_errors() && asked.found.is_none() && explored.limit.is_none();
    if asks_about_waiting && !explored.waits.is_empty() {
        explored = stopping(&prepared, &setting, explored, &mut asked)?;
    }
    Ok(asked.answer(program, explored))
}

/// Explores once more, with threads that may stop where they could have to wait. What is counted stays as it was: these
/// executions are only looked at for threads that wait for ever.
fn stopping(
    program: &Verified,
    setting: &Setting,
    first: Explored,
    asked: &mut Asked,
) -> Result<Explored, Unsupported> {
    let setting = Setting { threads: Threads::MayStop, ..setting.clone() };
    asked.counts = false;
    let mut waits = first.waits.clone();
    loop {
        let again = explore(program, &setting, waits.clone(), asked)?;
        let is_done = again.waits == waits || asked.found.is_some() || again.limit.is_some();
        if is_done {
            return Ok(Explored { limit: first.limit.or(again.limit), ..first });
        }
        waits = again.waits;
    }
}

/// What came of an exploration.
struct Explored {
    figures: Figures,
    limit: Option<String>,
    waits: BTreeSet<(FunctionId, program::BlockId, u32)>,
}

fn explore(
    program: &Verified,
    setting: &Setting,
    waits: BTreeSet<(FunctionId, program::BlockId, u32)>,
    asked: &mut Asked,
) -> Result<Explored, Unsupported> {
    let holds_errors = has(program, |kind| matches!(kind, InstructionKind::Assume { .. }));
    let mut width = FEW_THREADS.max(program.threads.len());
    loop {
        let mut local = Local::new(program, setting.stretch);
        local.ends_with_races = asked.flags_races && asked.asks_about_errors();
        let mut exploration = Exploration::new(local, setting.clone(), waits.clone(), holds_errors, asked);
        let ended = exploration.run(width);
        let (figures, incomplete) = (exploration.figures.clone(), exploration.incomplete.clone());
        let found = std::mem::take(&mut exploration.waits);
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
        return Ok(Explored { figures, limit, waits: found });
    }
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
}

/// Looks for an execution as asked while the exploration goes on.
struct Asked<'a> {
    program: &'a Verified,
    options: &'a Options,
    all: bool,
    flags_races: bool,
    /// Whether executions that come to their end are counted.
    counts: bool,
    states: BTreeMap<FinalState, Option<Execution>>,
    found: Option<Found>,
    finished: u64,
    is_racy: bool,
    /// Why not finding an execution would not settle the question, if so.
    reason: Option<String>,
}

impl<'a> Asked<'a> {
    fn new(program: &'a Verified, options: &'a Options, all: bool, flags_races: bool) -> Asked<'a> {
        Asked {
            program,
            options,
            all,
            flags_races,
            counts: true,
            states: BTreeMap::new(),
            found: None,
            finished: 0,
            is_racy: false,
            reason: None,
        }
    }

    /// Forgets everything: the exploration starts over.
    fn forget(&mut self) {
        let Asked { program, options, all, flags_races, counts, .. } = *self;
        *self = Asked { counts, ..Asked::new(program, options, all, flags_races) };
    }

    fn asks_about_errors(&self) -> bool {
        self.program.question.is_none() && self.options.property == Property::Always
    }

    fn find(&mut self, graph: &Graph, local: &Local, failure: Option<Failure>) -> Next {
        if self.found.is_none() {
            let started = graph.threads.iter().filter_map(|thread| match &graph.event(thread.started_by?).before.op {
                Op::Spawn(function, ..) => Some(*function),
                _ => None,
            });
            let started = started.collect();
            self.found = Some(Found { execution: execution(graph, local), failure, started });
        }
        if self.all || self.options.exhaustive { Next::Continue } else { Next::Finish }
    }

    fn finish(&mut self, graph: &Graph, local: &Local) -> Next {
        let Some(question) = &self.program.question else {
            self.finished += 1;
            let wanted = self.options.property == Property::Possible;
            return if wanted { self.find(graph, local, None) } else { Next::Continue };
        };
        let value = |observable: &Observable| -> Value { observe(graph, local, observable) };
        if question.filter.as_ref().is_some_and(|filter| !filter.holds(&value)) {
            return Next::Continue;
        }
        self.finished += 1;
        if self.all {
            let explain = self.options.explain;
            let state = final_state(graph, local);
            self.states.entry(state).or_insert_with(|| explain.then(|| execution(graph, local)));
        }
        let wanted = question.quantifier != Quantifier::Forall;
        if question.proposition.holds(&value) == wanted { self.find(graph, local, None) } else { Next::Continue }
    }

    fn name(&self, graph: &Graph, thread: ThreadNumber) -> String {
        if let Some(named) = self.program.threads.get(thread.index()) {
            return named.name.clone();
        }
        let started: Vec<FunctionId> = graph
            .threads
            .iter()
            .filter_map(|thread| match &graph.event(thread.started_by?).before.op {
                Op::Spawn(function, ..) => Some(*function),
                _ => None,
            })
            .collect();
        let program = with_threads(self.program, &started);
        program.threads.get(thread.index()).map_or(String::new(), |thread| thread.name.clone())
    }

    fn race(&self, graph: &Graph, local: &Local, first: EventId, second: EventId) -> Failure {
        let location = |span: Option<Span>| span.map(|span| self.program.sources.location(span));
        let place = |id: EventId| {
            let event = graph.event(id);
            let line = location(event.span).map_or(String::new(), |place| format!(" at line {}", place.line));
            format!("{}{line}", self.name(graph, event.thread))
        };
        let (first, second) = match graph.event(first).thread <= graph.event(second).thread {
            true => (first, second),
            false => (second, first),
        };
        let cell = graph.event(first).location.map(|cell| local.locations.pointer(&local.interpreter, cell));
        let cell = cell.filter(|cell| (cell.allocation as usize) < self.program.globals.len());
        let cell = cell.map_or(String::new(), |cell| format!(" on {}", self.program.cell_name(&cell)));
        let message = format!("a data race{cell}: nothing orders {} and {}", place(first), place(second));
        Failure::new(FailureKind::Error, message, location(graph.event(second).span))
    }

    fn deadlock(&self, graph: &Graph, waiting: &[ThreadNumber]) -> Failure {
        let location = |span: Option<Span>| span.map(|span| self.program.sources.location(span));
        let waiting: Vec<WaitingThread> = waiting
            .iter()
            .map(|thread| {
                let now = waiting_at(graph, *thread);
                let what = match &now.op {
                    Op::Join(other) => format!("the end of {}", self.name(graph, *other)),
                    _ => "another value".to_string(),
                };
                WaitingThread { thread: self.name(graph, *thread), what, location: location(now.span) }
            })
            .collect();
        let words: Vec<String> = waiting
            .iter()
            .map(|thread| {
                let line = thread.location.as_ref().map_or(String::new(), |place| format!(" at line {}", place.line));
                format!("{} waits{line} for ever", thread.thread)
            })
            .collect();
        let place = waiting.iter().find_map(|thread| thread.location.clone());
        Failure { waiting, ..Failure::new(FailureKind::Deadlock, words.join(", "), place) }
    }

    fn answer(self, program: &Verified, explored: Explored) -> Answer {
        let Explored { figures, limit, .. } = explored;
        let incomplete = limit.or(self.reason);
        let is_found = self.found.is_some();
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
        let none = self.finished == 0 && !is_found && incomplete.is_none();
        let has_filter = program.question.as_ref().is_some_and(|question| question.filter.is_some());
        let excludes = has_filter || has(program, |kind| matches!(kind, InstructionKind::Assume { .. }));
        let counts = self.options.exhaustive && !matches!(verdict, Verdict::Unknown(_));
        let is_flagged = self.is_racy && self.flags_races;
        let (witness, failure, started) = match self.found {
            Some(Found { execution, failure, started }) => (Some(execution), failure, started),
            None => (None, None, Vec::new()),
        };
        let outcome = Outcome {
            verdict,
            incomplete: incomplete.filter(|_| counts),
            witness,
            failure,
            states: self.all.then(|| self.states.into_iter().collect()),
            flags: if is_flagged { vec![RACE.to_string()] } else { Vec::new() },
            vacuous: none && excludes,
            endless: none && !excludes,
            statistics: statistics(&figures),
            ..Outcome::default()
        };
        Answer { program: with_threads(program, &started), outcome, figures }
    }
}

impl Visitor for Asked<'_> {
    fn sees_race(&mut self) {
        self.is_racy = true;
    }

    fn ends(&mut self, graph: &Graph, local: &mut Local, ending: Ending) -> Next {
        match ending {
            Ending::Finished if self.counts => self.finish(graph, local),
            Ending::Finished => Next::Continue,
            Ending::Race(first, second) => {
                if !self.flags_races || !self.asks_about_errors() {
                    return Next::Continue;
                }
                let failure = self.race(graph, local, first, second);
                self.find(graph, local, Some(failure))
            }
            Ending::Failed(thread, fault) if self.asks_about_errors() => {
                let name = self.name(graph, thread);
                let failure = operational::replay::failure(self.program, &fault, &name);
                self.find(graph, local, Some(failure))
            }
            Ending::Failed(_, fault) => {
                // It has no final state: then nothing follows from not finding one.
                if fault.assertion.is_none() {
                    let place =
                        fault.span.map_or(String::new(), |span| format!(" at {}", self.program.sources.location(span)));
                    let reason = format!("some execution ends in an error{place}: {}", fault.message);
                    self.reason.get_or_insert(reason);
                }
                Next::Continue
            }
            Ending::Waiting(waiting) if self.asks_about_errors() => {
                let failure = self.deadlock(graph, &waiting);
                self.find(graph, local, Some(failure))
            }
            Ending::Waiting(_) => Next::Continue,
        }
    }
}

fn statistics(figures: &Figures) -> Statistics {
    let figures = [
        ("executions", figures.executions),
        ("blocked executions", figures.blocked),
        ("revisited reads", figures.revisits),
        ("events", figures.events),
    ];
    Statistics { figures: figures.into_iter().map(|(name, figure)| (name.to_string(), figure)).collect() }
}
