//! Operational engines: a program, a memory machine and a search give an outcome.
//!
//! On the machines sc, tso and pso the answers are exact: every execution of the machine is looked at, up to differences that no answer depends on, and
//! nothing else is. A search that ends early, because of a limit or because a thread runs on without meeting shared memory,
//! concludes nothing from not finding an execution. The machine jmm_under finds only executions that Java's model allows,
//! but not all of them; jmm_over finds all, and some more.
//!
//! - [`interpret`] takes one instruction of one thread after the other; [`memory`] says how accesses meet memory on each
//!   machine, [`synchronize`] how threads wait for each other. [`state`], [`mod@heap`] and [`word`] are what it works on, [`choices`] what
//!   it picks where the program leaves a choice, and an [`observer`] can watch.
//! - [`local`] is single instructions of a thread, for engines that keep memory themselves.
//! - [`turn`] is one step of an execution, and says which steps need no alternatives; [`mod@search`] looks at all states, and `shallow`
//!   at those first that are cheap to come to, for a share of the time.
//!   [`forget`], `future`, [`canonical`] and [`store`] recognise states that were seen before.
//! - [`schedule`] writes an execution down, [`mod@replay`] runs it again, [`mod@shorten`] makes it easier to read.
//! - [`happens_before`] keeps vector clocks; [`mod@races`] finds data races by them, [`mod@adjacent`] whether
//!   there is one at all, without them.
//! - [`stale`] asks whether a thread may wait for ever for a plain variable of Java.
//! - [`relax`] is the machine jmm_over; [`mod@fixpoint`] runs its passes.
//! - [`interpret::console`] keeps what programs print, where final states are listed.
//! - [`trust`] says how the machines from above take Java's libraries and access modes.
//! - [`serial`] finds what a bounded test shows when its operations run one after the other.

pub mod adjacent;
mod arrivals;
pub mod bounded;
pub mod canonical;
pub mod choices;
mod component;
pub mod early;
mod effect;
pub mod fence;
mod finals;
pub mod fixpoint;
pub mod forget;
mod frontier;
mod future;
pub mod happens_before;
pub mod heap;
pub mod interpret;
pub mod limits;
pub mod local;
pub mod loops;
mod machine;
pub mod memory;
mod monitors;
pub mod observer;
mod owned;
mod points_to;
pub mod races;
mod reduction;
pub mod relax;
pub mod replay;
pub mod schedule;
pub mod search;
pub mod serial;
pub mod shorten;
mod specialise;
pub mod stale;
pub mod state;
mod stop;
pub mod store;
pub mod synchronize;
pub mod trust;
pub mod turn;
mod unfold;
pub mod word;

use std::collections::BTreeMap;

use program::{
    End, Execution, Failure, Guarantee, InstructionKind, Listed, Observable, Outcome, Program, Property, Quantifier,
    Replay, State as FinalState, Statistics, Unsupported, Value, Verdict, Verified,
};

pub use adjacent::{Adjacent, adjacent};
pub use interpret::console;
pub use limits::Limits;
pub use memory::Machine;
pub use program::{RacyAccess, Rules};
pub use races::{Race, Races, races};
pub use relax::Fixpoint;
pub use schedule::Schedule;
pub use search::{Explored, Reduction};
pub use unfold::{accesses, unfold, without_last_thread};

use crate::interpret::{Fault, Interpreter, Stop};
use crate::replay::{Mismatch, final_states, observe, rerun};
use crate::search::{Next, Runner, Trouble, Visitor, search};
use crate::state::State;
use crate::turn::Halt;

/// How to check.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// When to give up.
    pub limits: Limits,
    /// Which interleavings to try.
    pub reduction: Reduction,
    /// What to ask of a program without a question.
    pub property: Property,
    /// Whether to give an execution of each final state.
    pub explain: bool,
    /// Whether every way in which something goes wrong is to be found, with an execution of each.
    pub all_failures: bool,
    /// On the machine jmm_over: from which executions the passes learn.
    pub fixpoint: Fixpoint,
    /// On the machine jmm_over: whether the writes are wanted that are known in the end.
    pub show_writes: bool,
}

/// An answer, and how to make what was found happen again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The answer.
    pub outcome: Outcome,
    /// What goes wrong in the execution found, if something does.
    pub failure: Option<Failure>,
    /// The schedule of the execution found.
    pub schedule: Option<Schedule>,
    /// What was explored.
    pub explored: Explored,
}

/// Answers the program's question on a machine: is there an execution with the outcome (`exists`, `~exists`), or one
/// without it (`forall`)? A program without a question is asked about its assertions.
pub fn check(program: &Verified, machine: Machine, options: &Options) -> Result<Answer, Unsupported> {
    answer(program, machine, options, false)
}

/// All final states, by the question's list of observables, and the answer to the question.
pub fn outcomes(program: &Verified, machine: Machine, options: &Options) -> Result<Answer, Unsupported> {
    answer(program, machine, options, true)
}

fn answer(program: &Verified, machine: Machine, options: &Options, all: bool) -> Result<Answer, Unsupported> {
    refuse_what_is_not_modelled(program, machine)?;
    if machine == Machine::JmmOver {
        return from_above(program, options, all);
    }
    let mut runner = Runner::new(program, machine, options.reduction, &options.limits);
    let mut asked = Asked::new(program, options.property, all);
    asked.all_failures = options.all_failures;
    let mut explored = search(&mut runner, &options.limits, &mut asked);
    if let Some(unsupported) = asked.unsupported {
        return Err(unsupported);
    }
    let unconfirmed = (explored.unconfirmed > 0 && program.question.is_none()).then(|| UNCONFIRMED.to_string());
    let incomplete = explored.incomplete.take().or(asked.reason.take()).or(unconfirmed);
    explored.incomplete = incomplete.clone();
    let run_again = |schedule: &Schedule| replay(program, machine, options.reduction, schedule, &options.limits).ok();
    let replayed = asked.found.as_ref().and_then(run_again);
    let failure = replayed.as_ref().and_then(|replayed| match &replayed.end {
        End::Failed(failure) => Some(failure.clone()),
        _ => None,
    });
    let witness_of = |schedule: &Schedule| run_again(schedule).map(|replayed| replayed.execution);
    let states: Vec<(FinalState, Option<Execution>)> = asked
        .states
        .iter()
        .map(|(state, schedule)| (state.clone(), if options.explain { witness_of(schedule) } else { None }))
        .collect();
    let verdict = match &incomplete {
        // A list of states that may lack some answers no question.
        Some(reason) if all => Verdict::Unknown(reason.clone()),
        _ => verdict(program, machine.guarantee(), options.property, asked.found.is_some(), incomplete.clone()),
    };
    let none = asked.saw_none() && asked.found.is_none() && incomplete.is_none();
    let outcome = Outcome {
        verdict,
        guarantee: machine.guarantee(),
        witness: replayed.map(|replayed| replayed.execution),
        states: all.then_some(states),
        vacuous: none && may_exclude_executions(program),
        endless: none && !may_exclude_executions(program),
        statistics: statistics(&explored),
        listed: listed(&asked.failures, machine, options.reduction),
        incomplete: incomplete.filter(|_| options.all_failures),
        ..Outcome::default()
    };
    Ok(Answer { outcome, failure, schedule: asked.found, explored })
}

/// What goes wrong where no thread fails.
pub const STUCK: &str = "threads wait for ever";

/// An error of the program, with its place.
pub fn fault_in_words(program: &Program, fault: &Fault) -> String {
    let place = fault.span.map_or(String::new(), |span| format!("{}: ", program.sources.location(span)));
    format!("{place}{}", fault.message)
}

/// What goes wrong, with an execution of each.
pub(crate) fn listed(failures: &BTreeMap<String, Schedule>, machine: Machine, reduction: Reduction) -> Vec<Listed> {
    let one = |(what, found): (&String, &Schedule)| Listed {
        what: what.clone(),
        course: schedule::brief(found),
        schedule: Some(schedule::print(found, machine, reduction)),
    };
    failures.iter().map(one).collect()
}

/// How many states are searched at first, from above and for data races in turn;
const FIRST_STATES: u64 = 2_000;
/// and how many times more in each later iteration.
const MORE_STATES: u64 = 8;

/// Answers for Java from above. A program of which that leaves something open, or that has many states, may have no data race: so
/// both are looked for in turn, each time in more states.
fn from_above(program: &Verified, options: &Options, all: bool) -> Result<Answer, Unsupported> {
    let mut states = FIRST_STATES;
    let mut may_be_sequential = all || program.question.is_none() && options.property == Property::Always;
    let with = |states: u64| {
        let limits = Limits { states: options.limits.states.min(states), ..options.limits.clone() };
        Options { limits, ..options.clone() }
    };
    loop {
        let above = fixpoint::answer(program, &with(states), all);
        let is_open = |answer: &Answer| match all {
            true => answer.explored.incomplete.is_some(),
            false => matches!(answer.outcome.verdict, Verdict::Unknown(_)),
        };
        if above.as_ref().is_ok_and(|answer| !is_open(answer)) {
            return above;
        }
        if may_be_sequential {
            match without_races(program, &with(states), all) {
                Sequential::Yes(mut answer) => {
                    answer.outcome.writes = above.map_or(Vec::new(), |above| above.outcome.writes);
                    return Ok(*answer);
                }
                Sequential::No => may_be_sequential = false,
                Sequential::Unknown => {}
            }
        }
        let is_done = above.as_ref().map_or(true, |answer| answer.explored.states < states);
        let is_last = options.limits.states <= states || options.limits.exceeded(0, 0).is_some();
        if is_last || is_done && !may_be_sequential {
            return above;
        }
        states = states.saturating_mul(MORE_STATES);
    }
}

/// Whether a program has just the executions of sc.
enum Sequential {
    /// So it has, and this is what they come to.
    Yes(Box<Answer>),
    No,
    Unknown,
}

/// What follows for Java if a program has no data race: then it has just the executions of sc (Manson, Pugh, Adve, "The Java memory
/// model", 2005, theorem 1). Nothing if something goes wrong on sc: what Java has is said from above here.
fn without_races(program: &Verified, options: &Options, all: bool) -> Sequential {
    let Ok(found) = adjacent(program, &options.limits) else { return Sequential::No };
    if found.has_races || found.has_errors && program.question.is_some() {
        return Sequential::No;
    }
    if found.incomplete.is_some() {
        let is_cut = found.states >= options.limits.states;
        return if is_cut { Sequential::Unknown } else { Sequential::No };
    }
    let Ok(mut answered) = answer(program, Machine::Sc, options, all) else { return Sequential::No };
    answered.outcome.guarantee = Machine::JmmOver.guarantee();
    let is_found = answered.schedule.is_some() && program.question.is_none();
    match (is_found, &answered.explored.incomplete) {
        (true, _) => Sequential::No,
        (false, Some(_)) if answered.explored.states >= options.limits.states => Sequential::Unknown,
        (false, Some(_)) => Sequential::No,
        (false, None) => Sequential::Yes(Box::new(answered)),
    }
}

/// Runs a schedule. One of jmm_over runs the passes again that the execution needs.
pub fn replay(
    program: &Verified,
    machine: Machine,
    reduction: Reduction,
    schedule: &Schedule,
    limits: &Limits,
) -> Result<Replay, Mismatch> {
    if machine == Machine::JmmOver {
        return fixpoint::replay(program, reduction, schedule, limits);
    }
    rerun(program, &mut Runner::new(program, machine, reduction, limits), schedule)
}

/// The program with updates in place of monitors, for the axioms of sc, tso and pso, which know none; `None` if there is none in it.
pub fn without_monitors(program: &Verified) -> Result<Option<Verified>, Unsupported> {
    if !interpret::contains(program, |kind| matches!(kind, InstructionKind::Lock { .. })) {
        return Ok(None);
    }
    let mut replaced = Program::clone(program);
    monitors::replace(&mut replaced, monitors::Leaving::Update)?;
    let lawful = program::verify(replaced);
    lawful.map(Some).map_err(|_| Unsupported::new("a program with these monitors in this engine", None))
}

/// Whether executions may come to their end and not count. If none comes to its end although all count, some thread of each
/// waits or runs for ever.
pub fn may_exclude_executions(program: &Verified) -> bool {
    let has_filter = program.question.as_ref().is_some_and(|question| question.filter.is_some());
    has_filter || interpret::contains(program, |kind| matches!(kind, InstructionKind::Assume { .. }))
}

/// Java's model does not say which of two unordered writes is the last. What a read may see that comes after all threads can be
/// listed, but not asked about.
fn refuse_what_is_not_modelled(program: &Verified, machine: Machine) -> Result<(), Unsupported> {
    let Some(question) = program.question.as_ref().filter(|_| machine.has_history()) else {
        return Ok(());
    };
    let mut asks = false;
    let mut look = |observable: &Observable| asks |= matches!(observable, Observable::Memory(_));
    question.proposition.observables(&mut look);
    question.filter.iter().for_each(|filter| filter.observables(&mut look));
    let what = format!("a question about final values of memory on the machine {}", machine.name());
    if asks { Err(Unsupported::new(what, question.span)) } else { Ok(()) }
}

const UNCONFIRMED: &str = "some thread runs into an error, but others may run on for ever";

/// What follows from finding an execution as asked, or from not finding one, for the question of the program.
pub fn verdict(
    program: &Verified,
    guarantee: Guarantee,
    property: Property,
    found: bool,
    incomplete: Option<String>,
) -> Verdict {
    let about_all = match &program.question {
        Some(question) => question.quantifier == Quantifier::Forall,
        None => property == Property::Always,
    };
    match guarantee.conclude(found, incomplete) {
        Verdict::Allowed if about_all => Verdict::Violated,
        Verdict::Forbidden if about_all => Verdict::Holds,
        verdict => verdict,
    }
}

fn statistics(explored: &Explored) -> Statistics {
    let figures = [
        ("states", explored.states),
        ("steps", explored.steps),
        ("instructions", explored.instructions),
        ("longest execution", explored.depth),
        ("bytes of states", explored.state_bytes),
        ("bytes shared by states", explored.shared_bytes),
    ];
    let relaxed = [("passes", explored.passes), ("known writes", explored.writes)];
    let relaxed = relaxed.into_iter().filter(|_| explored.passes > 0);
    let figures = figures.into_iter().chain(relaxed);
    Statistics { figures: figures.map(|(name, figure)| (name.to_string(), figure)).collect() }
}

/// Looks for an execution as asked while the search goes on.
pub(crate) struct Asked<'a> {
    program: &'a Verified,
    property: Property,
    /// Whether all final states are wanted, so that the search goes on after the first.
    all: bool,
    states: BTreeMap<FinalState, Schedule>,
    found: Option<Schedule>,
    /// Whether every way in which something goes wrong is wanted, and those found.
    all_failures: bool,
    failures: BTreeMap<String, Schedule>,
    finished: u64,
    unsupported: Option<Unsupported>,
    /// Why not finding an execution would not decide the question, if so.
    reason: Option<String>,
}

impl<'a> Asked<'a> {
    fn new(program: &'a Verified, property: Property, all: bool) -> Asked<'a> {
        let states = BTreeMap::new();
        let failures = BTreeMap::new();
        let (all_failures, found, unsupported, reason) = (false, None, None, None);
        Asked { program, property, all, states, found, all_failures, failures, finished: 0, unsupported, reason }
    }

    /// Whether no execution came to its end, where that is to be said: those in which an assertion fails do not count for the question
    /// whether all can hold.
    fn saw_none(&self) -> bool {
        self.finished == 0 && (self.program.question.is_some() || self.property == Property::Always)
    }

    fn asks_about_errors(&self) -> bool {
        self.program.question.is_none() && self.property == Property::Always
    }

    fn find(&mut self, schedule: &dyn Fn() -> Schedule) -> Next {
        self.found.get_or_insert_with(schedule);
        if self.all || self.all_failures { Next::Continue } else { Next::Finish }
    }

    /// Something goes wrong in an execution, in these words.
    fn fail(&mut self, what: String, schedule: &dyn Fn() -> Schedule) -> Next {
        if self.all_failures {
            self.failures.entry(what).or_insert_with(schedule);
        }
        self.find(schedule)
    }

    /// An execution that goes wrong has no final state: it does not count for a question, but then nothing follows from
    /// not finding one.
    fn went_wrong(&mut self, trouble: &Trouble) {
        let Trouble::Halt(Halt { stop: Stop::Failed(fault), .. }) = trouble else { return };
        if fault.assertion.is_some() {
            return;
        }
        let place = fault.span.map_or(String::new(), |span| format!(" at {}", self.program.sources.location(span)));
        self.reason.get_or_insert_with(|| format!("some execution ends in an error{place}: {}", fault.message));
    }
}

impl Visitor for Asked<'_> {
    fn wants_one(&self) -> bool {
        !self.all && !self.all_failures
    }

    fn finished(&mut self, state: &State, interpreter: &Interpreter, schedule: &dyn Fn() -> Schedule) -> Next {
        let value = |observable: &Observable| -> Value { observe(interpreter, state, observable) };
        let Some(question) = &self.program.question else {
            self.finished += 1;
            return if self.property == Property::Possible { self.find(schedule) } else { Next::Continue };
        };
        if question.filter.as_ref().is_some_and(|filter| !filter.holds(&value)) {
            return Next::Continue;
        }
        self.finished += 1;
        if self.all {
            let states = final_states(self.program, interpreter, state);
            if states.is_none() {
                self.reason.get_or_insert_with(|| "too many combinations of final values".into());
            }
            for state in states.into_iter().flatten() {
                self.states.entry(state).or_insert_with(schedule);
            }
        }
        let wanted = question.quantifier != Quantifier::Forall;
        if question.proposition.holds(&value) == wanted { self.find(schedule) } else { Next::Continue }
    }

    fn trouble(&mut self, trouble: Trouble, _: &State, _: &Interpreter, schedule: &dyn Fn() -> Schedule) -> Next {
        if let Trouble::Halt(Halt { stop: Stop::Unsupported(unsupported), .. }) = trouble {
            self.unsupported = Some(unsupported);
            return Next::Finish;
        }
        if self.asks_about_errors() {
            let what = match &trouble {
                Trouble::Halt(Halt { stop: Stop::Failed(fault), .. }) => fault_in_words(self.program, fault),
                _ => STUCK.into(),
            };
            return self.fail(what, schedule);
        }
        self.went_wrong(&trouble);
        Next::Continue
    }
}
