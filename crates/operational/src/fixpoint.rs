//! The passes of the machine jmm_over: one search after the other, until no write is new. See [`crate::relax`].

mod known;

use program::{
    End, Execution, Failure, FailureKind, InstructionKind, Outcome, Property, Replay, State as FinalState, Unsupported,
    Verdict, Verified,
};

use crate::interpret::{Interpreter, Stop};
use crate::limits::Limits;
use crate::memory::Machine;
use crate::relax::{Fixpoint, Relaxed, refuse};
use crate::replay::{Mismatch, failure, rerun, thread_name};
use crate::schedule::{Relaxation, Schedule};
use crate::search::{Explored, Next, Reduction, Runner, Trouble, Visitor, search};
use crate::state::State;
use crate::turn::run_setup;
use crate::{
    Answer, Asked, Options, STUCK, UNCONFIRMED, fault_in_words, listed, may_exclude_executions, statistics, verdict,
};

/// More passes than this are not tried: values that feed on themselves grow for ever.
const MOST_PASSES: u64 = 64;
const GROWING: &str = "the values that threads may write keep growing";
/// How many writes of a thread to a cell an execution may have: at first this many, then twice as many, until that is enough
const FEWEST_WRITES: u32 = 4;
/// or until there are so many.
const MOST_WRITES: u32 = 64;

/// Answers the program's question on the machine jmm_over.
pub(crate) fn answer(program: &Verified, options: &Options, all: bool) -> Result<Answer, Unsupported> {
    refuse(program)?;
    let mut most_writes = FEWEST_WRITES;
    loop {
        let Ended { answer, is_cut } = passes(program, options, all, most_writes)?;
        if !is_cut || most_writes >= MOST_WRITES {
            return Ok(answer);
        }
        most_writes *= 2;
    }
}

/// How the passes ended.
struct Ended {
    answer: Answer,
    /// Whether more writes of a thread to a cell could change the answer.
    is_cut: bool,
}

fn passes(program: &Verified, options: &Options, all: bool, most_writes: u32) -> Result<Ended, Unsupported> {
    let bounds = (most_writes, options.fixpoint);
    let (mut runner, start) = prepared(program, options.reduction, &options.limits, bounds)?;
    let (mut passes, mut total) = (0, Explored::default());
    loop {
        let mut collect = Collect::new(program, options, all, passes > 0);
        let pass = one_pass(&mut runner, &options.limits, &mut collect, &mut total);
        if let Some(unsupported) = collect.asked.unsupported.take() {
            return Err(unsupported);
        }
        let is_first = passes == 0;
        total.found = !is_first && collect.asked.found.is_some();
        collect.relaxation = Some(known_before(passes, most_writes, options));
        let is_new = runner.interpreter.relaxed.as_ref().is_some_and(Relaxed::has_new_writes);
        passes += 1;
        let endless = (passes > MOST_PASSES).then(|| GROWING.to_string());
        // What was cut off is still to be known to the next pass.
        let (cut_off, ended) =
            if pass.cut_off { (pass.incomplete, endless) } else { (None, pass.incomplete.or(endless)) };
        let unconfirmed = pass.unconfirmed_error.map(|fault| said_of(Some(fault), &runner.interpreter));
        let cut_off = cut_off.map(|reason| with_unconfirmed(reason, unconfirmed));
        let goes_on = all || options.all_failures;
        let is_last = !is_first && !is_new || total.found && !goes_on || ended.is_some();
        // Executions are run again before more is known: that would change what there is to choose from.
        let evidence = if is_last { collect.evidence(&mut runner, options, total.found) } else { Evidence::default() };
        let Some(relaxed) = &mut runner.interpreter.relaxed else { continue };
        relaxed.absorb();
        if is_last {
            let is_cut = relaxed.cut && ended.is_none() && (goes_on || !total.found);
            let cut = "in some execution a thread writes more often to the same cell than is tried";
            let unconfirmed = (total.unconfirmed > 0).then(|| UNCONFIRMED.to_string());
            total.incomplete =
                ended.or(cut_off).or(relaxed.cut.then(|| format!("{cut} ({most_writes} times)"))).or(unconfirmed);
            total.passes = passes + 1;
            total.writes = relaxed.size();
            let mut answer = conclude(collect, evidence, total, options.reduction);
            if let (true, Some(start)) = (options.show_writes, &start) {
                answer.outcome.writes = known::writes(&runner.interpreter, start);
            }
            return Ok(Ended { answer, is_cut });
        }
    }
}

/// What is known to a pass that so many come before.
fn known_before(passes: u64, writes: u32, options: &Options) -> Relaxation {
    let depth = options.limits.bounds_depth().then_some(options.limits.depth);
    Relaxation { passes, writes, fixpoint: options.fixpoint, depth }
}

/// Why a search is not complete that cut executions off; with the error of one that had foreseen writes which had not come.
fn with_unconfirmed(reason: String, error: Option<String>) -> String {
    match error {
        Some(error) => format!("{reason}; unconfirmed, in one that was cut off before what it had foreseen: {error}"),
        None => reason,
    }
}

/// Runs an execution again that some pass found.
pub(crate) fn replay(
    program: &Verified,
    reduction: Reduction,
    schedule: &Schedule,
    limits: &Limits,
) -> Result<Replay, Mismatch> {
    rerun(program, &mut before(program, reduction, schedule, limits)?, schedule)
}

/// The machine as a schedule needs it: after the passes that came before.
pub(crate) fn before<'a>(
    program: &'a Verified,
    reduction: Reduction,
    schedule: &Schedule,
    limits: &Limits,
) -> Result<Runner<'a>, Mismatch> {
    let missing = || Mismatch::Move(0, "the schedule does not say which passes came before it".into());
    let Relaxation { passes, writes, fixpoint, depth } = schedule.relaxation.ok_or_else(missing)?;
    if passes == 0 || passes > MOST_PASSES || writes > MOST_WRITES {
        return Err(Mismatch::Move(0, "no execution has so many passes before it, or so many writes".into()));
    }
    refuse(program).map_err(Mismatch::Unsupported)?;
    let limits = &Limits { depth: depth.unwrap_or(limits.depth), ..limits.clone() };
    let prepared = prepared(program, reduction, limits, (writes, fixpoint));
    let (mut runner, _) = prepared.map_err(Mismatch::Unsupported)?;
    let options = Options { reduction, limits: limits.clone(), fixpoint, ..Options::default() };
    for _ in 0..passes {
        let mut collect = Collect::new(program, &options, true, false);
        let pass = one_pass(&mut runner, limits, &mut collect, &mut Explored::default());
        if let Some(unsupported) = collect.asked.unsupported.take() {
            return Err(Mismatch::Unsupported(unsupported));
        }
        if let Some(reason) = pass.incomplete.filter(|_| !pass.cut_off) {
            return Err(Mismatch::Move(0, reason));
        }
        runner.interpreter.relaxed.iter_mut().for_each(Relaxed::absorb);
    }
    Ok(runner)
}

/// Makes so many passes, so that what they take can be measured; how many states they have. One that looks for a violation ends with it.
pub fn make_passes(program: &Verified, property: Property, limits: &Limits, count: u64) -> Result<u64, Unsupported> {
    refuse(program)?;
    let options = Options { limits: limits.clone(), property, ..Options::default() };
    let (mut runner, _) = prepared(program, options.reduction, limits, (FEWEST_WRITES, options.fixpoint))?;
    let mut total = Explored::default();
    for pass in 0..count {
        let looks_for_violation = property == Property::Always;
        let finishes = looks_for_violation && pass > 0;
        let mut collect = Collect::new(program, &options, !looks_for_violation, finishes);
        one_pass(&mut runner, limits, &mut collect, &mut total);
        runner.interpreter.relaxed.iter_mut().for_each(Relaxed::absorb);
    }
    Ok(total.states)
}

/// The machine after the last pass, and what was known then; or why passes were not ended.
pub(crate) fn settled<'a>(
    program: &'a Verified,
    limits: &Limits,
) -> Result<Result<(Runner<'a>, Relaxation), String>, Unsupported> {
    refuse(program)?;
    let options = Options { limits: limits.clone(), ..Options::default() };
    let (reduction, fixpoint, writes) = (options.reduction, options.fixpoint, MOST_WRITES);
    let (mut runner, _) = prepared(program, reduction, limits, (writes, fixpoint))?;
    for passes in 1..=MOST_PASSES {
        let mut collect = Collect::new(program, &options, true, false);
        let pass = one_pass(&mut runner, limits, &mut collect, &mut Explored::default());
        if let Some(unsupported) = collect.asked.unsupported.take() {
            return Err(unsupported);
        }
        let Some(relaxed) = &mut runner.interpreter.relaxed else { continue };
        let is_new = relaxed.has_new_writes();
        relaxed.absorb();
        if let Some(reason) = pass.incomplete {
            return Ok(Err(reason));
        }
        if passes > 1 && !is_new {
            return Ok(Ok((runner, known_before(passes, writes, &options))));
        }
    }
    Ok(Err(GROWING.into()))
}

/// The machine before its first pass, and the state when threads start, if there is one.
fn prepared<'a>(
    program: &'a Verified,
    reduction: Reduction,
    limits: &Limits,
    (most_writes, fixpoint): (u32, Fixpoint),
) -> Result<(Runner<'a>, Option<State>), Unsupported> {
    let mut runner = Runner::new(program, Machine::JmmOver, reduction, limits);
    let start = start(&mut runner.interpreter)?;
    let blocks = start.as_ref().map_or(0, |state| state.heap.len());
    let mut relaxed = Relaxed::new(blocks, most_writes, fixpoint);
    relaxed.has_final_fields = has_final_fields(program);
    runner.interpreter.relaxed = Some(relaxed);
    Ok((runner, start))
}

/// Whether constructors set final fields.
fn has_final_fields(program: &Verified) -> bool {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let mut instructions = blocks.flat_map(|block| &block.instructions);
    instructions.any(|instruction| matches!(instruction.kind, InstructionKind::Freeze { .. }))
}

/// One pass. The first one guesses which reads need no alternatives, and is run again if it guessed wrong.
fn one_pass(runner: &mut Runner, limits: &Limits, collect: &mut Collect, total: &mut Explored) -> Explored {
    loop {
        let pass = search(runner, limits, collect);
        add(total, &pass);
        let guessed_wrong = runner.interpreter.relaxed.as_mut().is_some_and(Relaxed::guessed_wrong);
        if !guessed_wrong || pass.incomplete.is_some() || collect.asked.unsupported.is_some() {
            return pass;
        }
        collect.clear();
    }
}

/// The state when threads start.
fn start(interpreter: &mut Interpreter) -> Result<Option<State>, Unsupported> {
    match run_setup(interpreter).as_deref() {
        Ok([(_, state)]) => Ok(Some(state.clone())),
        Ok([_, _, ..]) => Err(Unsupported::new("a setup that chooses on the machine jmm_over", None)),
        // The search will come to the same end, and say so.
        Ok([]) | Err(_) => Ok(None),
    }
}

fn add(total: &mut Explored, pass: &Explored) {
    total.states += pass.states;
    total.steps += pass.steps;
    total.instructions = pass.instructions;
    total.dropped += pass.dropped;
    total.unconfirmed += pass.unconfirmed;
    total.depth = total.depth.max(pass.depth);
    total.state_bytes = total.state_bytes.max(pass.state_bytes);
    total.shared_bytes = total.shared_bytes.max(pass.shared_bytes);
}

fn conclude(collect: Collect, evidence: Evidence, explored: Explored, reduction: Reduction) -> Answer {
    let Collect { mut asked, fault, relaxation, .. } = collect;
    let found = explored.found;
    let fault = fault.filter(|_| found && asked.asks_about_errors());
    let reason = explored.incomplete.clone().or(asked.reason.take());
    let guarantee = Machine::JmmOver.guarantee();
    let verdict = match &reason {
        Some(reason) if asked.all => Verdict::Unknown(reason.clone()),
        _ => verdict(asked.program, guarantee, asked.property, found, reason.clone()),
    };
    let failures = asked.failures.iter().filter(|_| found);
    let failures = failures.map(|(what, schedule)| (what.clone(), Schedule { relaxation, ..schedule.clone() }));
    let listed = listed(&failures.collect(), Machine::JmmOver, reduction);
    let replayed = evidence.found;
    let failure = match replayed.as_ref().map(|replayed| &replayed.end) {
        Some(End::Failed(failure)) => Some(failure.clone()),
        _ => fault,
    };
    let none = asked.saw_none() && !found && reason.is_none();
    let outcome = Outcome {
        verdict,
        guarantee,
        witness: replayed.map(|replayed| replayed.execution),
        states: asked.all.then_some(evidence.states),
        vacuous: none && may_exclude_executions(asked.program),
        endless: none && !may_exclude_executions(asked.program),
        statistics: statistics(&explored),
        incomplete: reason.filter(|_| asked.all_failures),
        listed,
        ..Outcome::default()
    };
    let schedule = asked.found.filter(|_| found).map(|schedule| Schedule { relaxation, ..schedule });
    Answer { outcome, failure, schedule, explored }
}

/// Executions that were run again.
#[derive(Default)]
struct Evidence {
    /// The one that was found.
    found: Option<Replay>,
    /// One for each final state, if asked for.
    states: Vec<(FinalState, Option<Execution>)>,
}

/// How an execution goes wrong that has this error, if it has one.
fn in_words(fault: Option<usize>, interpreter: &Interpreter) -> Failure {
    let faults = interpreter.relaxed.as_ref().map(|relaxed| &relaxed.faults);
    match fault.and_then(|number| faults?.get(number)) {
        Some((thread, fault)) => failure(interpreter.program, fault, &thread_name(interpreter.program, *thread)),
        None => Failure::new(FailureKind::Deadlock, "no thread can go on", None),
    }
}

/// A failure on one line, as failures are listed.
fn said_of(fault: Option<usize>, interpreter: &Interpreter) -> String {
    let faults = interpreter.relaxed.as_ref().map(|relaxed| &relaxed.faults);
    let fault = fault.and_then(|number| faults?.get(number));
    fault.map_or(STUCK.into(), |(_, fault)| fault_in_words(interpreter.program, fault))
}

/// Looks for an execution as asked.
struct Collect<'a> {
    asked: Asked<'a>,
    /// Whether the pass ends when an execution as asked was found.
    finishes: bool,
    /// How the first execution that does goes wrong.
    fault: Option<Failure>,
    /// Which pass this is.
    relaxation: Option<Relaxation>,
}

impl<'a> Collect<'a> {
    fn new(program: &'a Verified, options: &Options, all: bool, finishes: bool) -> Collect<'a> {
        let mut asked = Asked::new(program, options.property, all);
        asked.all_failures = options.all_failures;
        Collect { asked, finishes, fault: None, relaxation: None }
    }

    /// Forgets what the pass has found: it is run again.
    fn clear(&mut self) {
        let all_failures = self.asked.all_failures;
        self.asked = Asked::new(self.asked.program, self.asked.property, self.asked.all);
        self.asked.all_failures = all_failures;
        self.fault = None;
    }

    /// Runs again what was found; final states only if asked for.
    fn evidence(&self, runner: &mut Runner, options: &Options, found: bool) -> Evidence {
        let mut run_again = |schedule: &Schedule| rerun(self.asked.program, runner, schedule).ok();
        let states = self.asked.states.iter().map(|(state, schedule)| {
            let witness = if options.explain { run_again(schedule) } else { None };
            (state.clone(), witness.map(|replayed| replayed.execution))
        });
        let states = states.collect();
        Evidence { states, found: self.asked.found.as_ref().filter(|_| found).and_then(run_again) }
    }

    /// An execution that ends in an error has no final state: nothing follows from not finding one, unless errors are what
    /// is asked about.
    fn note_error(&mut self, fault: Option<usize>, interpreter: &Interpreter) {
        let faults = interpreter.relaxed.as_ref().map(|relaxed| &relaxed.faults);
        let fault = fault.and_then(|number| faults.and_then(|faults| faults.get(number)));
        if let Some((_, fault)) = fault.filter(|(_, fault)| fault.assertion.is_none())
            && !self.asked.asks_about_errors()
        {
            self.asked.reason.get_or_insert_with(|| format!("some execution ends in an error: {}", fault.message));
        }
    }

    fn next(&self, next: Next) -> Next {
        if self.finishes || self.asked.unsupported.is_some() { next } else { Next::Continue }
    }
}

impl Visitor for Collect<'_> {
    fn finished(&mut self, state: &State, interpreter: &Interpreter, schedule: &dyn Fn() -> Schedule) -> Next {
        let next = self.asked.finished(state, interpreter, schedule);
        self.next(next)
    }

    fn trouble(
        &mut self,
        trouble: Trouble,
        state: &State,
        interpreter: &Interpreter,
        schedule: &dyn Fn() -> Schedule,
    ) -> Next {
        let fault = state.history.as_ref().and_then(|history| history.fault());
        let is_refused = matches!(&trouble, Trouble::Halt(halt) if matches!(halt.stop, Stop::Unsupported(_)));
        if !is_refused {
            self.fault.get_or_insert_with(|| in_words(fault, interpreter));
        }
        self.note_error(fault, interpreter);
        let next = match self.asked.asks_about_errors() && !is_refused {
            true => self.asked.fail(said_of(fault, interpreter), schedule),
            false => self.asked.trouble(trouble, state, interpreter, schedule),
        };
        self.next(next)
    }
}
