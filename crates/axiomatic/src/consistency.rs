//! Are all executions of a bounded test explained by serial ones? (CheckFence thesis, chapter 6)
//!
//! A specification is a set of observations. [`consistency`] looks for an execution that the model allows and that goes
//! wrong (see `walk::Check`), breaks an assertion, or shows an observation outside of the specification. Loops
//! are unrolled lazily (section 7.3.1): whether some loop can have one more iteration is asked together with the question
//! itself, and only loops that can are given another iteration.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use program::observation::operations;
use program::{
    BlockId, Bounds, EventId, EventKind, Execution, Failure, FailureKind, FunctionId, Guarantee, InstructionKind,
    Location, Observable, Observation, Outcome, Program, Shown, Span, State, ThreadId, Unsupported, Value, Verdict,
    Verified, WaitingThread,
};
use relation::{Bit, Valuation};
use sat::{Answer, Budget};

use crate::answer::{STOPPED, outside_reason, statistics};
use crate::effect::going_on;
use crate::encode::encode;
use crate::encoding::Encoding;
use crate::events::{Assertion, Events, Moment, SymbolicEvent};
use crate::inline::{Inlined, inline};
use crate::model::{Axiom, AxiomKind, Model};
use crate::options::Options;
use crate::selector::Statements;
use crate::setting::{Form, Plan, Setting};
use crate::symbolic::Symbolic;
use crate::unroll::{Iterations, LoopCopy, code, loop_heads, setup_thread};
use crate::values::Unseen;
use crate::walk::Place;
use crate::{decode, flag, prune, race};

/// What a bounded test is checked against.
pub struct Specification<'a> {
    /// What serial executions show. `None`: only errors and assertions are looked for.
    pub observations: Option<&'a BTreeSet<Observation>>,
    /// How many iterations loops have in serial executions, by function and head: where unrolling starts.
    pub iterations: &'a [(FunctionId, BlockId, u32)],
    /// More iterations than this are not tried.
    pub most_iterations: u32,
}

/// What the search is told about while it runs.
pub enum Progress {
    /// The test was encoded with so many possible events.
    Encoded(usize),
    /// So many loops were given another iteration; none if it was only found which writes reads cannot see. The test is encoded again.
    Unrolled(usize),
}

/// Checks a bounded test against its specification.
pub fn consistency(
    program: &Verified,
    model: &Model,
    specification: &Specification,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome, Unsupported> {
    decide(program, model, specification, options, progress).map(|(outcome, _)| outcome)
}

/// Checks a test as [`consistency`] does, and gives how often loops were unrolled in the end.
pub(crate) fn decide(
    program: &Verified,
    model: &Model,
    specification: &Specification,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Outcome, Iterations), Unsupported> {
    let inlined = inline(program)?;
    let iterations = first_iterations(program, &inlined, specification.iterations);
    decide_all((program, &inlined), model, specification, &Plan { iterations, ..Plan::new(options) }, progress)
}

/// Checks a test as [`decide`] does, with loops unrolled as the plan says to begin with.
///
/// If nothing goes wrong in executions that come to their end, those are looked at in which threads wait for ever: that is
/// wrong in itself, unless another thread is in a loop that was cut short. Then that loop gets another iteration, and all is
/// asked again: what comes after it may be what the others waited for. Errors and data races on the way to where a thread
/// waits, or stays in a loop for ever, are looked for there, too.
pub(crate) fn decide_all(
    (program, inlined): (&Verified, &Inlined),
    model: &Model,
    specification: &Specification,
    plan: &Plan,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Outcome, Iterations), Unsupported> {
    let programs = (program, inlined);
    let without = Specification { observations: None, ..*specification };
    let mut plan = plan.clone();
    loop {
        let (mut outcome, used) = decide_from(programs, model, specification, &plan, progress)?;
        if plan.form == Form::Whole && !outcome.bounds.exceeded.is_empty() {
            let wrong = on_the_way(programs, model, &without, &used, &plan)?;
            return Ok((wrong.unwrap_or(outcome), used));
        }
        // `main` of a whole program waits for the threads that it joins.
        if outcome.verdict != Verdict::Holds || !(plan.form == Form::Whole || waits(&inlined.program)) {
            return Ok((outcome, used));
        }
        let waiting = Plan { deadlocks: true, iterations: used.clone(), ..plan.clone() };
        let (stuck, more) = decide_from(programs, model, &without, &waiting, progress)?;
        match stuck.verdict {
            Verdict::Holds if more == used => {
                outcome.endless = outcome.vacuous && !stuck.vacuous;
                outcome.vacuous &= stuck.vacuous;
                return Ok((outcome, used));
            }
            Verdict::Holds => plan.iterations = more,
            _ => return Ok((stuck, more)),
        }
    }
}

/// Checks executions that come to their end, or those in which threads wait for ever.
fn decide_from(
    (program, inlined): (&Verified, &Inlined),
    model: &Model,
    specification: &Specification,
    plan: &Plan,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Outcome, Iterations), Unsupported> {
    let (budget, mut iterations) = (&plan.options.budget, plan.iterations.clone());
    // What no execution within the present bounds lets reads see, once it was looked for.
    let mut unseen: Option<Unseen> = None;
    let mut solver_calls = 0;
    let mut is_first = true;
    loop {
        let known = unseen.clone().unwrap_or_default();
        let plan = Plan { iterations: iterations.clone(), unseen: known, ..plan.clone() };
        let setting = Setting::new(inlined, model, &plan, &[])?;
        let mut trial = Trial::new(program, &setting, specification)?;
        progress(Progress::Encoded(trial.encoding.events.events.len()));
        let prunes = unseen.is_none() && plan.form != Form::Whole && plan.options.ranges;
        if prunes && trial.encoding.rf.entries().count() > MANY_CHOICES {
            unseen = Some(prune::unseen(&setting, &mut trial.encoding)?);
            progress(Progress::Unrolled(0));
            continue;
        }
        let found = trial.look_for_trouble(budget);
        solver_calls += trial.solver_calls;
        let exceeded = match found {
            Found::Exceeded(loops) => loops,
            found => return Ok((trial.outcome(found, &iterations, solver_calls), iterations)),
        };
        // Loops that never end would be given iterations without effect if something shallow goes wrong.
        if std::mem::take(&mut is_first)
            && plan.form == Form::Whole
            && !plan.deadlocks
            && let Some(wrong) = on_the_way((program, inlined), model, specification, &iterations, &plan)?
        {
            return Ok((wrong, iterations));
        }
        unseen = None;
        progress(Progress::Unrolled(exceeded.len()));
        let mut stuck = Vec::new();
        for copy in exceeded {
            let before = iterations.of(&copy);
            // A loop that takes many iterations mostly takes some more.
            let next = (before + 1).max((before + before / 8).min(specification.most_iterations));
            if next > specification.most_iterations {
                stuck.push(copy.clone());
            }
            iterations.raised.insert(copy, next);
        }
        if !stuck.is_empty() {
            return Ok((trial.outcome(Found::Stuck(stuck), &iterations, solver_calls), iterations));
        }
    }
}

/// What goes wrong in a whole program before its threads come to their end, with loops that are cut short after these
/// iterations: an error on the way, or threads that wait for ever while no loop is cut short.
fn on_the_way(
    (program, inlined): (&Verified, &Inlined),
    model: &Model,
    specification: &Specification,
    iterations: &Iterations,
    plan: &Plan,
) -> Result<Option<Outcome>, Unsupported> {
    let specification = Specification { observations: None, ..*specification };
    let plan = Plan { deadlocks: true, iterations: iterations.clone(), unseen: Unseen::default(), ..plan.clone() };
    let setting = Setting::new(inlined, model, &plan, &[])?;
    let mut trial = Trial::new(program, &setting, &specification)?;
    let budget = &plan.options.budget;
    let found = trial.error_on_the_way(budget).or_else(|| trial.shallow_deadlock(budget)).unwrap_or(Found::Stopped);
    let outcome = trial.outcome(found, iterations, 1);
    Ok((outcome.verdict == Verdict::Violated).then_some(outcome))
}

/// Whether some thread waits for something.
fn waits(program: &Verified) -> bool {
    let mut instructions = program.instructions();
    instructions.any(|instruction| matches!(instruction.kind, InstructionKind::Await { .. }))
}

/// The iterations of serial executions, for each copy of a function's loop; loops within others start with these in the
/// first iteration of the others only.
fn first_iterations(program: &Program, inlined: &Inlined, serial: &[(FunctionId, BlockId, u32)]) -> Iterations {
    let mut iterations = Iterations::of_each(1);
    let place = |function: FunctionId, head: BlockId| program[function][head].span;
    let by_place: BTreeMap<Span, u32> =
        serial.iter().filter_map(|&(function, head, most)| Some((place(function, head)?, most))).collect();
    let setup = setup_thread(&inlined.program);
    for thread in (0..=setup.0).map(ThreadId) {
        let Some(function) = code(&inlined.program, thread) else { continue };
        for (head, depth) in loop_heads(function) {
            let span = function[head].span;
            if let Some(&most) = span.and_then(|span| by_place.get(&span)) {
                iterations.raised.insert(LoopCopy { thread, head, around: vec![0; depth] }, most.max(1));
            }
        }
    }
    iterations
}

/// What a search found.
enum Found {
    /// Nothing: there is no such execution, within no bound.
    Nothing,
    /// An execution that goes wrong.
    Trouble(Box<Trouble>),
    /// Loops that can have one more iteration.
    Exceeded(BTreeSet<LoopCopy>),
    /// Loops that can have more iterations than are tried.
    Stuck(Vec<LoopCopy>),
    /// A pointer can be computed, at this place, from an index that is not tried.
    Outside(Option<Span>),
    /// The budget did not suffice.
    Stopped,
}

struct Trouble {
    execution: Execution,
    observation: Observation,
    failure: Failure,
}

/// An encoding that is asked for trouble.
pub(crate) struct Trial<'a> {
    program: &'a Verified,
    setting: &'a Setting<'a>,
    pub(crate) encoding: Encoding<'a>,
    /// When the observation is outside of the specification; may be true only then.
    inconsistent: Bit,
    /// Threads may wait although `main` has come to its end and nothing goes wrong. To be assumed false, unless a data race
    /// is looked for.
    waiting_is_fine: Bit,
    solver_calls: u64,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(
        program: &'a Verified,
        setting: &'a Setting<'a>,
        specification: &Specification,
    ) -> Result<Trial<'a>, Unsupported> {
        let encoding = encode(setting, Statements::Fixed)?;
        let mut trial = Trial {
            program,
            setting,
            encoding,
            inconsistent: Bit::FALSE,
            waiting_is_fine: Bit::FALSE,
            solver_calls: 0,
        };
        if setting.extras.deadlocks {
            let Events { stuck, pruned, outside, .. } = &trial.encoding.events;
            let stuck = stuck.iter().map(|&(when, ..)| when).chain(pruned.iter().map(|&(_, when)| when));
            let stuck: Vec<Bit> = stuck.chain(outside.iter().map(|&(when, _)| when)).collect();
            trial.encoding.circuit.clause(&stuck);
            if program.ends_with_main {
                trial.require_error_once_main_ends();
            }
        }
        if let Some(observations) = specification.observations {
            trial.inconsistent = trial.exclude(observations);
        }
        Ok(trial)
    }

    /// Who waits when `main` comes to its end does not wait for ever: only what goes wrong besides counts.
    fn require_error_once_main_ends(&mut self) {
        let Events { pruned, outside, main_ends, .. } = &self.encoding.events;
        let pruned = pruned.iter().map(|&(_, when)| when).chain(outside.iter().map(|&(when, _)| when));
        let clause: Vec<Bit> = mistakes_of(&self.encoding).chain(pruned).chain([!*main_ends]).collect();
        self.waiting_is_fine = self.encoding.circuit.fresh();
        self.encoding.circuit.clause(&[&clause[..], &[self.waiting_is_fine]].concat());
    }

    /// A signal under which none of the observations is shown.
    ///
    /// What is shown is read value by value, turn by turn through the operations of all threads, by the smallest
    /// automaton that knows all observations: the signal needs a state without a way on. That is much easier to
    /// refute than one clause for each observation, which repeats everything that observations have in common.
    fn exclude(&mut self, observations: &BTreeSet<Observation>) -> Bit {
        let setup = setup_thread(self.program);
        let shown = &self.encoding.events.shown;
        let sequence = |place: Place| if place.thread == setup { 0 } else { place.thread.0 as usize + 1 };
        let mut keys: Vec<usize> = (0..shown.len()).collect();
        keys.sort_by_key(|&index| {
            let place = shown[index].place;
            (sequence(place) > 0, place.operation, sequence(place), index)
        });
        let word = |observation: &Observation| -> Vec<Option<Value>> {
            let value = |&index: &usize| {
                let place = shown[index].place;
                let operation = observation.get(sequence(place))?.get(place.operation as usize)?;
                let (_, value) = operation.values.iter().find(|(label, _)| *label == shown[index].label)?;
                Some(value.clone())
            };
            keys.iter().map(value).collect()
        };
        let automaton = Automaton::of(observations.iter().map(word).collect());
        let excluded = self.encoding.circuit.fresh();
        let mut reached: Vec<Bit> = vec![Bit::FALSE; automaton.states.len()];
        reached[automaton.start] = Bit::TRUE;
        let mut stuck = vec![!excluded];
        // States are numbered after those they lead to.
        for state in (0..automaton.states.len()).rev() {
            let Some(&key) = keys.get(automaton.depths[state]) else { continue };
            let event = &self.encoding.events.shown[key];
            let circuit = &mut self.encoding.circuit;
            let mut ways = Vec::new();
            for (value, next) in &automaton.states[state] {
                let shows = match value {
                    Some(value) => {
                        let equal = event.value.is_value(value, circuit);
                        circuit.and(&[event.guard, equal])
                    }
                    None => !event.guard,
                };
                let comes = circuit.and(&[reached[state], shows]);
                reached[*next] = circuit.or(&[reached[*next], comes]);
                ways.push(shows);
            }
            let leaves = circuit.or(&ways);
            stuck.push(circuit.and(&[reached[state], !leaves]));
        }
        self.encoding.circuit.clause(&stuck);
        excluded
    }

    /// Whether something can go wrong, or some loop can have one more iteration.
    ///
    /// Each loop is asked about alone: then nothing that comes after it in its thread takes part, and what is refuted
    /// helps with the next. What goes wrong is asked first, with a small budget, because an error is mostly found soon.
    fn look_for_trouble(&mut self, budget: &Budget) -> Found {
        // Mostly no thread waits for ever, which is easier to see at once than case by case.
        if self.setting.extras.deadlocks && self.solve(&[], budget) == Answer::Unsatisfiable {
            return self.goes_on_for_ever(budget);
        }
        if let Some(found) = self.error_on_the_way(budget) {
            return found;
        }
        let mut wrong = errors_of(&self.encoding);
        wrong.push(self.inconsistent);
        let wrong = self.encoding.circuit.or(&wrong);
        let quick = Budget { conflicts: Some(QUICK), ..budget.clone() };
        let cut_short = cut_short(&mut self.encoding);
        let is_wrong = self.solve(&[wrong, !cut_short], &quick);
        if is_wrong == Answer::Satisfiable {
            return self.trouble(budget);
        }
        let (exceeded, stopped) = self.exceeded(budget);
        if !exceeded.is_empty() {
            return Found::Exceeded(exceeded);
        }
        if stopped {
            return Found::Stopped;
        }
        let outside = match self.outside(budget) {
            Ok(outside) => outside,
            Err(found) => return found,
        };
        let is_wrong = match is_wrong {
            Answer::Unknown if outside.is_some() => self.solve(&[wrong, !cut_short], budget),
            Answer::Unknown => self.solve(&[wrong], budget),
            other => other,
        };
        match is_wrong {
            Answer::Satisfiable => self.trouble(budget),
            Answer::Unsatisfiable if outside.is_some() => Found::Outside(outside.flatten()),
            Answer::Unsatisfiable => self.goes_on_for_ever(budget),
            Answer::Unknown => Found::Stopped,
        }
    }

    /// An error or a failing assertion in an execution in which other threads may still iterate their loops: nothing that
    /// they do later takes it back. Where `main` joins threads they must have come to their end, which is known only where
    /// deadlocks are looked for.
    fn error_on_the_way(&mut self, budget: &Budget) -> Option<Found> {
        let is_known = self.setting.extras.deadlocks || self.setting.whole.is_none();
        let errors: Vec<Bit> = mistakes_of(&self.encoding).collect();
        let error = self.encoding.circuit.or(&errors);
        let is_cut = self.encoding.events.pruned.iter().any(|&(_, when)| when != Bit::FALSE);
        if !is_known || !is_cut || error == Bit::FALSE || !self.program.thread_order.is_empty() {
            return None;
        }
        self.solver_calls += 1;
        let within = self.within_what_is_tried();
        let answer = self.encoding.circuit.solve(&[error, within], budget);
        (answer == Answer::Satisfiable).then(|| self.found())
    }

    /// Threads that wait for ever in an execution that stays within the bounds, if that is found soon.
    fn shallow_deadlock(&mut self, budget: &Budget) -> Option<Found> {
        let stuck: Vec<Bit> = self.encoding.events.stuck.iter().map(|&(when, ..)| when).collect();
        let stuck = self.encoding.circuit.or(&stuck);
        let within = !cut_short(&mut self.encoding);
        let quick = Budget { conflicts: Some(QUICK), ..budget.clone() };
        let is_found = stuck != Bit::FALSE && self.solve(&[stuck, within], &quick) == Answer::Satisfiable;
        is_found.then(|| self.found())
    }

    /// When all indexes are among those that are tried: what comes after another one may be no execution.
    fn within_what_is_tried(&mut self) -> Bit {
        let outside: Vec<Bit> = self.encoding.events.outside.iter().map(|&(when, _)| when).collect();
        !self.encoding.circuit.or(&outside)
    }

    /// The place of an index that is not tried, if an execution has one. If none has, that is noted.
    fn outside(&mut self, budget: &Budget) -> Result<Option<Option<Span>>, Found> {
        for (when, span) in self.encoding.events.outside.clone() {
            match self.solve(&[when], budget) {
                Answer::Satisfiable => return Ok(Some(span)),
                Answer::Unknown => return Err(Found::Stopped),
                Answer::Unsatisfiable => self.encoding.circuit.clause(&[!when, self.encoding.idle.tolerated]),
            }
        }
        Ok(None)
    }

    /// Whether threads can stay in loops for ever although nothing changes any more.
    fn goes_on_for_ever(&mut self, budget: &Budget) -> Found {
        let Some(for_ever) = going_on(&mut self.encoding, self.program.ends_with_main) else {
            return Found::Nothing;
        };
        self.solver_calls += 1;
        match self.encoding.circuit.solve(&[for_ever], budget) {
            Answer::Unsatisfiable => Found::Nothing,
            Answer::Unknown => Found::Stopped,
            Answer::Satisfiable => self.found(),
        }
    }

    /// What goes wrong in the solution just found.
    fn found(&self) -> Found {
        let valuation = self.encoding.circuit.valuation();
        Found::Trouble(Box::new(Trouble {
            execution: self.execution(&valuation),
            observation: self.observation(&valuation),
            failure: self.failure(&valuation),
        }))
    }

    /// The loops that can have one more iteration, and whether the budget did not suffice for some. For the others it is
    /// noted that they cannot.
    fn exceeded(&mut self, budget: &Budget) -> (BTreeSet<LoopCopy>, bool) {
        let loops = self.loops();
        let mut exceeded = BTreeSet::new();
        let mut stopped = false;
        for (copy, when) in &loops {
            if exceeded.contains(copy) {
                continue;
            }
            match self.solve(&[*when], budget) {
                Answer::Unsatisfiable => self.encoding.circuit.clause(&[!*when, self.encoding.idle.tolerated]),
                Answer::Unknown => stopped = true,
                Answer::Satisfiable => {
                    let valuation = self.encoding.circuit.valuation();
                    let real = loops.iter().filter(|(_, when)| valuation.get(*when));
                    exceeded.extend(real.map(|(copy, _)| copy.clone()));
                }
            }
        }
        (exceeded, stopped)
    }

    /// When each loop would have one more iteration; the first loop of each thread first, then the second, and so on.
    fn loops(&mut self) -> Vec<(LoopCopy, Bit)> {
        let mut loops: Vec<(usize, LoopCopy, Vec<Bit>)> = Vec::new();
        for (copy, when) in &self.encoding.events.pruned {
            match loops.iter_mut().find(|(_, other, _)| other == copy) {
                Some((.., cases)) => cases.push(*when),
                None => {
                    let place = loops.iter().filter(|(_, other, _)| other.thread == copy.thread).count();
                    loops.push((place, copy.clone(), vec![*when]));
                }
            }
        }
        loops.sort_by_key(|(place, copy, _)| (*place, copy.thread));
        let Encoding { circuit, events, .. } = &mut self.encoding;
        let mut bits = Vec::new();
        for (_, copy, cases) in loops {
            let cut = circuit.or(&cases);
            let error = circuit.or(&events.errors_of(copy.thread));
            bits.push((copy, circuit.and(&[cut, !error])));
        }
        bits
    }

    /// From now on no iteration is idle: threads that loop for ever are not asked for.
    pub(crate) fn refuse_idle_iterations(&mut self) {
        self.encoding.circuit.clause(&[!self.encoding.idle.tolerated]);
    }

    /// When an execution goes wrong that exceeds no bound.
    pub(crate) fn goes_wrong(&mut self) -> Bit {
        let races = self.races();
        let encoding = &mut self.encoding;
        let races = encoding.circuit.and(&[races, !encoding.pruned]);
        let wrong: Vec<Bit> = errors_of(encoding).into_iter().chain([self.inconsistent]).collect();
        let wrong = encoding.circuit.or(&wrong);
        let cut_short = cut_short(encoding);
        let wrong = encoding.circuit.and(&[wrong, !cut_short, !self.waiting_is_fine]);
        encoding.circuit.or(&[wrong, races])
    }

    fn solve(&mut self, wanted: &[Bit], budget: &Budget) -> Answer {
        self.solver_calls += 1;
        let wanted = [wanted, &[!self.encoding.idle.tolerated, !self.waiting_is_fine]].concat();
        self.encoding.circuit.solve(&wanted, budget)
    }

    /// What goes wrong in the solution just found. An error is easier to understand than what it leads to, so those
    /// are preferred.
    fn trouble(&mut self, budget: &Budget) -> Found {
        let valuation = self.encoding.circuit.valuation();
        let errors = errors_of(&self.encoding);
        if !errors.iter().any(|&bit| valuation.get(bit)) {
            let any = self.encoding.circuit.or(&errors);
            let wanted = [any, !cut_short(&mut self.encoding)];
            let quick = Budget { conflicts: Some(QUICK), ..budget.clone() };
            let found = self.found();
            if any == Bit::FALSE || self.solve(&wanted, &quick) != Answer::Satisfiable {
                return found;
            }
        }
        self.found()
    }

    fn failure(&self, valuation: &Valuation) -> Failure {
        if let Some(failure) = self.first_failure(valuation) {
            return failure;
        }
        if let Some(failure) = self.deadlock(valuation) {
            return failure;
        }
        Failure::new(FailureKind::Observation, "no serial execution shows this", None)
    }

    /// The error or assertion that a thread runs into first: of the thread in which there is an error, or else an assertion fails.
    fn first_failure(&self, valuation: &Valuation) -> Option<Failure> {
        let events = &self.encoding.events;
        let mistakes = events.mistakes.iter().chain(&events.faults).filter(|error| valuation.get(error.when));
        let mistakes = mistakes.map(|error| (error.at, FailureKind::Error, &error.message, error.span));
        let failing = |assertion: &&Assertion| !valuation.get(assertion.holds);
        let first_copy = |assertion: &Assertion| {
            let copies = assertion.copies.iter().filter(|(holds, _)| !valuation.get(*holds));
            copies.map(|(_, at)| *at).min()
        };
        let assertions = events.assertions.iter().filter(failing).filter_map(|assertion| {
            Some((first_copy(assertion)?, assertion.sort.into(), &assertion.message, assertion.span))
        });
        let all: Vec<(Moment, FailureKind, &String, Option<Span>)> = mistakes.chain(assertions).collect();
        let thread = all.first()?.0.threads;
        let (at, kind, message, span) =
            all.into_iter().filter(|(at, ..)| at.threads == thread).min_by_key(|(at, ..)| *at)?;
        let location = span.map(|span| self.program.sources.location(span));
        let thread = events.errors_upto.get(at.threads).map(|(thread, ..)| *thread);
        let name =
            thread.and_then(|thread| self.program.threads.get(thread.0 as usize)).map(|thread| thread.name.clone());
        let is_after = |(index, event): (usize, &SymbolicEvent)| index >= at.events && event.thread == thread;
        let happening = events.events.iter().enumerate().filter(|(_, event)| valuation.get(event.guard));
        let until = happening.map(is_after).position(|is_after| is_after).map(|index| EventId(index as u32));
        Some(Failure { thread: name, until, ..Failure::new(kind, message.clone(), location) })
    }

    /// Who waits for ever, and where.
    fn deadlock(&self, valuation: &Valuation) -> Option<Failure> {
        let stuck = self.encoding.events.stuck.iter().filter(|(when, ..)| valuation.get(*when));
        let waiting = stuck.map(|&(_, thread, span)| (thread, span, "waits"));
        let iterations = self.encoding.idle.for_ever.iter().filter(|(_, when)| valuation.get(*when));
        let going = iterations.map(|(copy, _)| (copy.thread, self.head_of(copy), "stays in a loop"));
        let stuck: Vec<_> = waiting.chain(going).collect();
        let at = |span: Option<Span>| span.map(|span| self.program.sources.location(span));
        let place = |span: Option<Span>| at(span).map_or(String::new(), |place| format!(" at line {}", place.line));
        let waiting = |&(thread, span, _): &(ThreadId, Option<Span>, &str)| {
            let thread = self.program.threads.get(thread.0 as usize)?.name.clone();
            Some(WaitingThread { thread, what: "another value".into(), location: at(span) })
        };
        let name = |thread: ThreadId| self.program.threads.get(thread.0 as usize).map_or("setup", |t| &t.name);
        let words: Vec<String> = stuck
            .iter()
            .map(|&(thread, span, does)| format!("{} {does} for ever{}", name(thread), place(span)))
            .collect();
        let &(_, span, _) = stuck.first()?;
        let waiting = stuck.iter().filter_map(waiting).collect();
        Some(Failure { waiting, ..Failure::new(FailureKind::Deadlock, words.join(", "), at(span)) })
    }

    fn execution(&self, valuation: &Valuation) -> Execution {
        let mut execution = decode::decode(&self.encoding, self.setting.program, &self.setting.model, valuation);
        execution.state.extend(self.left(valuation));
        decode::show(&mut execution, &self.setting.model);
        execution
    }

    /// What the threads left in memory, as far as `main` looks at it.
    fn left(&self, valuation: &Valuation) -> State {
        let Events { last, cells, .. } = &self.encoding.events;
        let is_whole = self.setting.whole.is_some();
        let value =
            |(&cell, value): (&usize, &Symbolic)| (Observable::Memory(cells[cell].clone()), value.value(valuation));
        last.iter().filter(|_| is_whole).map(value).collect()
    }

    /// The model's flags that some execution raises.
    fn flags(&mut self) -> Vec<String> {
        let Trial { setting, encoding, .. } = self;
        let of_memory = |axiom: &Axiom| flag::is_of_memory(axiom);
        let flags = setting.model.axioms.iter().filter(|axiom| axiom.kind == AxiomKind::Flag && !of_memory(axiom));
        let flags = flags.chain(flag::flags(&setting.model, setting.extras).filter(|axiom| of_memory(axiom)));
        let signals: Vec<(String, Bit)> = flags
            .map(|flag| (flag.name.clone(), encoding.translation.signal(&flag.formula, &mut encoding.circuit)))
            .collect();
        if encoding.translation.failure().is_some() {
            return Vec::new();
        }
        let pruned = encoding.pruned;
        let raised = |(name, signal): (String, Bit)| {
            let is_raised =
                signal != Bit::FALSE && self.solve(&[signal, !pruned], &Budget::default()) == Answer::Satisfiable;
            is_raised.then_some(name)
        };
        signals.into_iter().filter_map(raised).collect()
    }

    /// What the execution of a solution shows.
    fn observation(&self, valuation: &Valuation) -> Observation {
        let setup = self.program.setup.map_or_else(Vec::new, |setup| operations(self.program, setup));
        let threads = self.program.threads.iter().map(|thread| operations(self.program, thread.entry));
        let sequences = std::iter::once((setup_thread(self.program), setup))
            .chain(threads.enumerate().map(|(index, names)| (ThreadId(index as u32), names)));
        let shown = |place: Place, operation: Arc<str>| {
            let of_place = self.encoding.events.shown.iter().filter(|shown| shown.place == place);
            let real = of_place.filter(|shown| valuation.get(shown.guard));
            let mut values: Vec<_> = real.map(|shown| (shown.label.clone(), shown.value.value(valuation))).collect();
            values.sort();
            Shown { operation, values }
        };
        let list = |(thread, names): (ThreadId, Vec<Arc<str>>)| {
            let names = names.into_iter().enumerate();
            names.map(|(index, name)| shown(Place { thread, operation: index as u32 }, name)).collect()
        };
        sequences.map(list).collect()
    }

    fn outcome(&mut self, found: Found, iterations: &Iterations, solver_calls: u64) -> Outcome {
        let mut outcome = Outcome {
            verdict: Verdict::Holds,
            guarantee: Guarantee::Exact,
            bounds: self.bounds(iterations, &[]),
            statistics: statistics(&self.encoding, solver_calls),
            ..Outcome::default()
        };
        outcome.statistics.figures.extend(self.unrolled());
        match found {
            Found::Trouble(trouble) => {
                let Trouble { execution, observation, failure } = *trouble;
                outcome.verdict = Verdict::Violated;
                outcome.witness = Some(execution);
                outcome.observation = Some(observation);
                outcome.failure = Some(failure);
            }
            Found::Nothing => self.any_execution(&mut outcome),
            Found::Stuck(loops) => {
                outcome.bounds = self.bounds(iterations, &loops);
                let place = outcome.bounds.exceeded.first();
                let place = place.map_or("a loop".into(), |place| format!("the loop at {place}"));
                outcome.verdict = Verdict::Unknown(format!("{place} can have more iterations than are tried"));
            }
            Found::Outside(span) => outcome.verdict = Verdict::Unknown(outside_reason(self.program, span)),
            Found::Stopped | Found::Exceeded(_) => outcome.verdict = Verdict::Unknown(STOPPED.into()),
        }
        if self.setting.whole.is_some() {
            outcome.observation = None;
            outcome.flags = self.flags();
            if outcome.verdict != Verdict::Violated {
                self.look_for_race(&mut outcome);
            }
        }
        outcome
    }

    /// How large the unrolled code is: instructions, loads and stores (CheckFence thesis, figure 8.4).
    fn unrolled(&self) -> [(String, u64); 3] {
        let program = self.setting.program;
        let length = |thread: ThreadId, block: BlockId| {
            code(program, thread).map_or(0, |function| function[block].instructions.len() + 1) as u64
        };
        let threads = self.setting.unrolling.all();
        let nodes = threads.flat_map(|unrolled| unrolled.nodes.iter().map(|node| length(unrolled.thread, node.block)));
        let of_kind = |kind: EventKind| {
            let events = self.encoding.events.events.iter().skip(self.encoding.events.cells.len());
            events.filter(|event| event.kind == kind).count() as u64
        };
        let figures =
            [("instructions", nodes.sum()), ("loads", of_kind(EventKind::Read)), ("stores", of_kind(EventKind::Write))];
        figures.map(|(name, figure)| (name.to_string(), figure))
    }

    /// When two accesses of a whole program race, under a model that says what that is.
    fn races(&mut self) -> Bit {
        let Trial { setting, encoding, .. } = self;
        if setting.whole.is_none() {
            return Bit::FALSE;
        }
        let signal = |flag: &Axiom| encoding.translation.signal(&flag.formula, &mut encoding.circuit);
        let signals: Vec<Bit> = flag::flags(&setting.model, setting.extras).map(signal).collect();
        if encoding.translation.failure().is_some() { Bit::FALSE } else { encoding.circuit.or(&signals) }
    }

    /// A program with a data race is wrong, whatever its assertions say, and whether or not its threads come to their end.
    /// What a thread does that was joined has happened: a message of its end orders it, if any access comes after the join.
    fn look_for_race(&mut self, outcome: &mut Outcome) {
        let races = self.races();
        if races == Bit::FALSE {
            return;
        }
        self.solver_calls += 1;
        let within = self.within_what_is_tried();
        if self.encoding.circuit.solve(&[races, within], &Budget::default()) != Answer::Satisfiable {
            return;
        }
        let execution = self.execution(&self.encoding.circuit.valuation());
        outcome.verdict = Verdict::Violated;
        outcome.failure = Some(race::failure(&execution, self.program, &self.setting.model, self.setting.extras));
        outcome.witness = Some(execution);
    }

    /// A witness that the test has executions at all.
    fn any_execution(&mut self, outcome: &mut Outcome) {
        // Where threads wait for ever is asked besides: nothing goes wrong in these executions, but there may be some.
        if self.setting.extras.deadlocks {
            self.solver_calls += 1;
            outcome.vacuous = self.encoding.circuit.solve(&[], &Budget::default()) != Answer::Satisfiable;
            return;
        }
        let wanted = [!self.encoding.pruned];
        match self.solve(&wanted, &Budget::default()) {
            Answer::Satisfiable => {
                let valuation = self.encoding.circuit.valuation();
                outcome.witness = Some(self.execution(&valuation));
                outcome.observation = Some(self.observation(&valuation));
            }
            _ => outcome.vacuous = true,
        }
    }

    /// Where a loop begins.
    fn head_of(&self, copy: &LoopCopy) -> Option<Span> {
        code(self.setting.program, copy.thread)?.blocks[copy.head.index()].span
    }

    /// The iterations used, by the place of the loop.
    fn bounds(&self, iterations: &Iterations, exceeded: &[LoopCopy]) -> Bounds {
        let place = |copy: &LoopCopy| Some(self.program.sources.location(self.head_of(copy)?));
        let mut loops: BTreeMap<Location, u32> = BTreeMap::new();
        for unrolled in self.setting.unrolling.all() {
            for copy in &unrolled.cut {
                if let Some(location) = place(copy) {
                    let most = loops.entry(location).or_default();
                    *most = (*most).max(iterations.of(copy));
                }
            }
        }
        let mut exceeded: Vec<Location> = exceeded.iter().filter_map(place).collect();
        exceeded.sort();
        exceeded.dedup();
        Bounds { unroll: None, exceeded, loops: loops.into_iter().collect() }
    }
}

/// Each value that can come next, with the state it leads to.
type Ways = Vec<(Option<Value>, usize)>;

/// The smallest acyclic automaton that reads a set of words of one length.
struct Automaton {
    /// By state, where it leads. The last states lead nowhere.
    states: Vec<Ways>,
    /// How many values were read before each state.
    depths: Vec<usize>,
    start: usize,
}

impl Automaton {
    fn of(mut words: Vec<Vec<Option<Value>>>) -> Automaton {
        words.sort();
        words.dedup();
        let mut automaton = Automaton { states: Vec::new(), depths: Vec::new(), start: 0 };
        let mut known = BTreeMap::new();
        automaton.start = automaton.state(&words, 0, &mut known);
        automaton
    }

    /// The state that reads the rests of these words, which are sorted and begin alike.
    fn state(
        &mut self,
        words: &[Vec<Option<Value>>],
        depth: usize,
        known: &mut BTreeMap<(usize, Ways), usize>,
    ) -> usize {
        let mut ways = Vec::new();
        let mut rest = words;
        while let Some(value) = rest.first().and_then(|word| word.get(depth)) {
            let end = rest.iter().position(|word| word.get(depth) != Some(value)).unwrap_or(rest.len());
            ways.push((value.clone(), self.state(&rest[..end], depth + 1, known)));
            rest = &rest[end..];
        }
        *known.entry((depth, ways)).or_insert_with_key(|(depth, ways)| {
            self.states.push(ways.clone());
            self.depths.push(*depth);
            self.states.len() - 1
        })
    }
}

/// With more pairs of a write and a read that may see it than this, the problem is made smaller before it is solved.
const MANY_CHOICES: usize = 400;

/// How many conflicts a search may take that only makes an answer nicer.
const QUICK: u64 = 500;

/// When a thread is cut short that has not run into an error before. After an error it does not matter that it would stay
/// in a loop for ever.
fn cut_short(encoding: &mut Encoding) -> Bit {
    let Encoding { circuit, events, .. } = encoding;
    let mut cases = Vec::new();
    for (copy, when) in &events.pruned {
        let error = circuit.or(&events.errors_of(copy.thread));
        cases.push(circuit.and(&[*when, !error]));
    }
    cases.extend(events.outside.iter().map(|&(when, _)| when));
    circuit.or(&cases)
}

/// When an error happens, an assertion fails or a thread waits for ever.
fn errors_of(encoding: &Encoding) -> Vec<Bit> {
    mistakes_of(encoding).chain(encoding.events.stuck.iter().map(|&(when, ..)| when)).collect()
}

/// When an error happens or an assertion fails; threads that wait for ever are no part of it.
fn mistakes_of<'a>(encoding: &'a Encoding) -> impl Iterator<Item = Bit> + use<'a> {
    let events = &encoding.events;
    let errors = events.faults.iter().chain(&events.mistakes).map(|error| error.when);
    errors.chain(events.assertions.iter().map(|assertion| !assertion.holds))
}
