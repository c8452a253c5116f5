//! The passes of the machine jmm_over: one search after the other, until no write is new. See [`crate::relax`].

use std::collections::{BTreeMap, BTreeSet};

use program::{Outcome, Unsupported, Verdict, Verified};

use crate::interpret::{Interpreter, Stop};
use crate::memory::Machine;
use crate::relax::{KnownWrite, Relaxed, refuse};
use crate::replay::{Failure, failure, thread_name};
use crate::schedule::Schedule;
use crate::search::{Explored, Next, Runner, Trouble, Visitor, search};
use crate::state::State;
use crate::turn::run_setup;
use crate::word::Address;
use crate::{Answer, Asked, FailureKind, Options, statistics, verdict};

/// More passes than this are not tried: values that feed on themselves grow for ever.
const MOST_PASSES: u64 = 64;
/// How many writes of a thread to a cell an execution may have, one after the other until that is enough.
const MOST_WRITES: [u32; 4] = [4, 8, 16, 64];

/// Answers the program's question on the machine jmm_over.
pub(crate) fn answer(program: &Verified, options: &Options, all: bool) -> Result<Answer, Unsupported> {
    refuse(program)?;
    let mut last = None;
    for most_writes in MOST_WRITES {
        let (found, cut) = passes(program, options, all, most_writes)?;
        let is_settled = !cut || found.outcome.verdict_is_found() || found.is_stopped;
        last = Some(found);
        if is_settled {
            break;
        }
    }
    let Found { outcome, .. } = last.ok_or_else(|| Unsupported::new("a program without executions", None))?;
    Ok(outcome)
}

/// An answer, and whether the search behind it was ended.
struct Found {
    outcome: Answer,
    is_stopped: bool,
}

impl Answer {
    /// Whether an execution as asked was found.
    fn verdict_is_found(&self) -> bool {
        self.explored.found
    }
}

fn passes(program: &Verified, options: &Options, all: bool, most_writes: u32) -> Result<(Found, bool), Unsupported> {
    let mut runner = Runner::new(program, Machine::JmmOver, options.reduction, &options.limits);
    runner.interpreter.relaxed = None;
    let starts = run_setup(&mut runner.interpreter).map(|starts| starts.len()).unwrap_or(1);
    if starts > 1 {
        return Err(Unsupported::new("a setup that chooses on the machine jmm_over", None));
    }
    let blocks = match run_setup(&mut runner.interpreter) {
        Ok(starts) => starts.first().map_or(0, |(_, state)| state.heap.len()),
        Err(_) => 0,
    };
    runner.interpreter.relaxed = Some(Relaxed::new(blocks, most_writes));
    let (mut passes, mut total) = (0, Explored::default());
    loop {
        let is_first = passes == 0;
        let asked = Asked::new(program, options.assertions, all);
        let mut collect = Collect { asked, finishes: !is_first, ..Collect::new(program, options, all) };
        let explored = search(&mut runner, &options.limits, &mut collect);
        passes += 1;
        add(&mut total, &explored);
        if let Some(unsupported) = collect.asked.unsupported.take() {
            return Err(unsupported);
        }
        let Some(relaxed) = &mut runner.interpreter.relaxed else { continue };
        if relaxed.guessed_wrong() && explored.incomplete.is_none() {
            passes -= 1;
            continue;
        }
        let is_new = absorb(relaxed, &collect.written);
        relaxed.sequential = false;
        let is_found = collect.asked.found.is_some() && !is_first;
        let cut = relaxed.cut;
        let ended = explored.incomplete.clone();
        let endless = (passes > MOST_PASSES).then(|| "the values that threads may write keep growing".to_string());
        let is_done = !is_first && !is_new || is_found && !all;
        if is_done || ended.is_some() || endless.is_some() {
            let reason = ended.clone().or(endless).or(cut
                .then(|| format!("in some execution a thread writes more than {most_writes} times to the same cell")));
            total.passes = passes + 1;
            total.writes = relaxed.size();
            total.incomplete = reason;
            total.found = is_found;
            let is_stopped = ended.is_some() || passes > MOST_PASSES;
            return Ok((
                Found { outcome: conclude(program, options, &runner.interpreter, collect, total, all), is_stopped },
                cut,
            ));
        }
    }
}

fn add(total: &mut Explored, pass: &Explored) {
    total.states += pass.states;
    total.steps += pass.steps;
    total.instructions = pass.instructions;
    total.dropped += pass.dropped;
    total.depth = total.depth.max(pass.depth);
    total.state_bytes = total.state_bytes.max(pass.state_bytes);
    total.shared_bytes = total.shared_bytes.max(pass.shared_bytes);
}

/// Adds what was written; whether something is new.
fn absorb(relaxed: &mut Relaxed, written: &BTreeMap<Address, BTreeSet<KnownWrite>>) -> bool {
    let mut is_new = false;
    for (cell, writes) in written {
        let known = relaxed.known.entry(*cell).or_default();
        writes.iter().for_each(|write| is_new |= known.insert(*write));
    }
    is_new
}

fn conclude(
    program: &Verified,
    options: &Options,
    interpreter: &Interpreter,
    collect: Collect,
    explored: Explored,
    all: bool,
) -> Answer {
    let asked = collect.asked;
    let found = explored.found;
    let reason = explored.incomplete.clone().or(asked.reason);
    let guarantee = Machine::JmmOver.guarantee();
    let verdict = match &reason {
        Some(reason) if all => Verdict::Unknown(reason.clone()),
        _ => verdict(program, guarantee, options.assertions, found, reason.clone()),
    };
    let states = asked.states.into_keys().map(|state| (state, None)).collect();
    let outcome = Outcome {
        verdict,
        guarantee,
        states: all.then_some(states),
        vacuous: asked.finished == 0 && !found && reason.is_none(),
        statistics: statistics(&explored),
        ..Outcome::default()
    };
    let failure = collect.fault.filter(|_| found).map(|fault| fault.in_words(interpreter));
    Answer { outcome, failure, schedule: None, explored }
}

/// How an execution goes wrong.
#[derive(Clone, Copy)]
enum Wrong {
    Fault(usize),
    Deadlock,
}

impl Wrong {
    fn in_words(self, interpreter: &Interpreter) -> Failure {
        let faults = interpreter.relaxed.as_ref().map(|relaxed| &relaxed.faults);
        match self {
            Wrong::Fault(number) => match faults.and_then(|faults| faults.get(number)) {
                Some((thread, fault)) => failure(fault, &thread_name(interpreter.program, *thread)),
                None => Wrong::Deadlock.in_words(interpreter),
            },
            Wrong::Deadlock => Failure {
                kind: FailureKind::Deadlock,
                message: "no thread can go on".into(),
                span: None,
                thread: String::new(),
                waiting: Vec::new(),
            },
        }
    }
}

/// Looks for an execution as asked, and collects what executions write.
struct Collect<'a> {
    asked: Asked<'a>,
    written: BTreeMap<Address, BTreeSet<KnownWrite>>,
    /// Whether the pass ends when an execution as asked was found.
    finishes: bool,
    fault: Option<Wrong>,
}

impl<'a> Collect<'a> {
    fn new(program: &'a Verified, options: &Options, all: bool) -> Collect<'a> {
        let asked = Asked::new(program, options.assertions, all);
        Collect { asked, written: BTreeMap::new(), finishes: true, fault: None }
    }

    fn collect(&mut self, state: &State) {
        for (cell, write) in state.history.iter().flat_map(|history| history.written_so_far()) {
            self.written.entry(cell).or_default().insert(write);
        }
    }

    /// An execution that ends in an error has no final state: nothing follows from not finding one, unless errors are what
    /// is asked about.
    fn note_error(&mut self, fault: Option<usize>, interpreter: &Interpreter) {
        let faults = interpreter.relaxed.as_ref().map(|relaxed| &relaxed.faults);
        let fault = fault.and_then(|number| faults.and_then(|faults| faults.get(number)));
        if let Some((_, fault)) = fault.filter(|(_, fault)| !fault.assertion)
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
        self.collect(state);
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
            self.collect(state);
            self.fault.get_or_insert(fault.map_or(Wrong::Deadlock, Wrong::Fault));
        }
        self.note_error(fault, interpreter);
        let next = self.asked.trouble(trouble, state, interpreter, schedule);
        self.next(next)
    }
}
