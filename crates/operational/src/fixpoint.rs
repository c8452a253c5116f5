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
    let mut runner = Runner::new(program, Machine::JmmOver, options.reduction, &options.limits);
    let blocks = blocks_at_start(&mut runner.interpreter)?;
    runner.interpreter.relaxed = Some(Relaxed::new(blocks, most_writes));
    let (mut passes, mut total) = (0, Explored::default());
    loop {
        let mut collect = Collect::new(program, options, all, passes > 0);
        let pass = search(&mut runner, &options.limits, &mut collect);
        add(&mut total, &pass);
        if let Some(unsupported) = collect.asked.unsupported.take() {
            return Err(unsupported);
        }
        let Some(relaxed) = &mut runner.interpreter.relaxed else { continue };
        if relaxed.guessed_wrong() && pass.incomplete.is_none() {
            continue;
        }
        passes += 1;
        let is_new = absorb(relaxed, &collect.written);
        let is_first = std::mem::replace(&mut relaxed.sequential, false);
        total.found = !is_first && collect.asked.found.is_some();
        let endless = (passes > MOST_PASSES).then(|| "the values that threads may write keep growing".to_string());
        let ended = pass.incomplete.or(endless);
        if !is_first && !is_new || total.found && !all || ended.is_some() {
            let is_cut = relaxed.cut && ended.is_none() && (all || !total.found);
            let cut = "in some execution a thread writes more often to the same cell than is tried";
            total.incomplete = ended.or(relaxed.cut.then(|| format!("{cut} ({most_writes} times)")));
            total.passes = passes + 1;
            total.writes = relaxed.size();
            return Ok(Ended { answer: conclude(program, options, &runner.interpreter, collect, total, all), is_cut });
        }
    }
}

/// How many blocks of memory there are when threads start.
fn blocks_at_start(interpreter: &mut Interpreter) -> Result<usize, Unsupported> {
    match run_setup(interpreter).as_deref() {
        Ok([(_, state)]) => Ok(state.heap.len()),
        Ok([_, _, ..]) => Err(Unsupported::new("a setup that chooses on the machine jmm_over", None)),
        // The search will come to the same end, and say so.
        Ok([]) | Err(_) => Ok(0),
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
    fn new(program: &'a Verified, options: &Options, all: bool, finishes: bool) -> Collect<'a> {
        let asked = Asked::new(program, options.assertions, all);
        Collect { asked, written: BTreeMap::new(), finishes, fault: None }
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
