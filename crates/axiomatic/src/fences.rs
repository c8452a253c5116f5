//! Where fences are missing, or which memory orders suffice: the cheapest sets that make bounded tests, or whole programs,
//! pass.
//!
//! Every set found is sufficient: a separate run of `consistency` (of `whole` for a whole
//! program) on the program with just this set put in found all tests to hold. None of its members is superfluous: without it some test fails, or a loop has more
//! iterations than it does with all candidates put in. No cheaper set suffices, but perhaps for sets with which a loop has
//! more iterations than with all candidates: such a set is tried with a few more iterations, then passed over, and
//! [`Placement::bounded`] says if that happened.
//!
//! The method is that of implicit hitting sets. Each test is encoded once, with a signal for each candidate
//! (`choice`). The cheapest set that hits all clauses known so far (`hitting`) is tried; if a test fails, the failure
//! is kept while as many candidates as possible are added, and what is left out then is the next clause: one of these
//! must be put in.
//!
//! - `candidate` lists what could be put in where; `choice` is what the encoding knows of it.

mod candidate;
pub(crate) mod hitting;
mod search;

use std::sync::Arc;

use program::{Program, Unsupported, Verdict, Verified};

pub use candidate::{Candidate, Candidates, Site, Strength};
pub use hitting::Set;

use crate::answer::STOPPED;
use crate::consistency::{Specification, Trial, decide};
use crate::inline::{Inlined, inline};
use crate::model::Model;
use crate::options::Options;
use crate::setting::{Form, Plan, Setting};
use crate::unroll::Iterations;
use crate::whole::{self, Checked, Threaded};

use search::{End, Search};

/// A test that is to pass.
pub struct Test<'a> {
    /// Its name.
    pub name: String,
    /// The test; for fences with places marked.
    pub program: &'a Program,
    /// What it is checked against. Iterations are those of the program.
    pub specification: Specification<'a>,
    /// A bounded test, or a whole program: in that no assertion may fail, no error happen and no thread wait for ever, and
    /// nothing is observed.
    pub form: Form,
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Fences at the places that are marked.
    Fences,
    /// Memory orders of the atomic accesses and fences that are there.
    Orders,
}

/// What is looked for, and at which cost.
pub struct Wanted<'a> {
    /// What.
    pub target: Target,
    /// What each strength costs.
    pub cost: &'a dyn Fn(Strength) -> u32,
    /// How many sets of the same least cost.
    pub sets: usize,
}

/// What the search is told about while it runs.
#[derive(Clone, Debug)]
pub enum Progress {
    /// So many candidates were found.
    Candidates(usize),
    /// With all candidates this test passes.
    Passes(String),
    /// So many clauses are known, and a set of this cost is tried.
    Tried(usize, u32),
    /// A set was found.
    Found(usize),
}

/// What was found.
pub struct Placement {
    /// What could have been put in.
    pub candidates: Candidates,
    /// The sets found, all of one cost.
    pub sets: Vec<Sufficient>,
    /// Why there is none, or not as many as wanted.
    pub end: Reason,
    /// Whether sets were passed over only because a loop has more iterations with them than with all candidates. There
    /// may be a cheaper one among these.
    pub bounded: bool,
    /// How many clauses were found on the way, and how often the solver was called.
    pub statistics: [(&'static str, u64); 2],
}

/// How a search ended.
pub enum Reason {
    /// As many sets were found as were wanted, or all that there are.
    Complete,
    /// With all candidates put in, this test still fails; the program that the outcome speaks of.
    Hopeless(usize, Box<Checked>),
    /// It could not be finished.
    Unknown(String),
}

/// A set with which all tests pass.
pub struct Sufficient {
    /// Its members, by number, and why each is needed.
    pub members: Vec<(usize, Need)>,
    /// Its cost.
    pub cost: u32,
}

/// Why a member is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Without it this test fails.
    Fails(usize),
    /// Without it a loop of this test has more iterations than with all candidates.
    GoesOn(usize),
}

/// Looks for the cheapest sets that make all tests pass.
pub fn fences(
    tests: &[Test],
    model: &Model,
    wanted: &Wanted,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Placement, Unsupported> {
    if model.is_speculative() {
        return Err(Unsupported::new(format!("a search for fences under the model {}", model.name), None));
    }
    let candidates = candidates(tests, model, wanted, options)?;
    progress(Progress::Candidates(candidates.list.len()));
    let mut placement = Placement {
        candidates,
        sets: Vec::new(),
        end: Reason::Complete,
        bounded: false,
        statistics: [("clauses", 0), ("solver calls", 0)],
    };
    let all: Set = (0..placement.candidates.list.len()).collect();
    let mut iterations = Vec::new();
    for (index, test) in tests.iter().enumerate() {
        let program = closed(&placement.candidates, test, &all)?;
        let (checked, used) = decided(&program, test, model, test.specification.most_iterations, options)?;
        match &checked.outcome.verdict {
            Verdict::Holds => {}
            Verdict::Unknown(reason) => return Ok(ended(placement, Reason::Unknown(reason.clone()))),
            _ => return Ok(ended(placement, Reason::Hopeless(index, Box::new(checked)))),
        }
        progress(Progress::Passes(test.name.clone()));
        iterations.push(used);
    }
    find(&mut placement, tests, (model, &iterations), wanted, options, progress)?;
    Ok(placement)
}

fn ended(placement: Placement, end: Reason) -> Placement {
    Placement { end, ..placement }
}

/// Looks for sets, each test unrolled as often as it needs with all candidates.
fn find(
    placement: &mut Placement,
    tests: &[Test],
    (model, iterations): (&Model, &[Iterations]),
    wanted: &Wanted,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), Unsupported> {
    let candidates = placement.candidates.clone();
    let choices = Some(Arc::new(candidates.choices()));
    let open = Plan { choices, ..Plan::new(options) };
    let opened = |test| Opened::new(&candidates, test, model, &open);
    let programs = tests.iter().map(opened).collect::<Result<Vec<_>, _>>()?;
    let inlined: Vec<Inlined> = programs.iter().map(Opened::inlined).collect::<Result<_, _>>()?;
    let mut settings = Vec::new();
    for (number, (inlined, test)) in inlined.iter().zip(tests).enumerate() {
        let plan = Plan { iterations: iterations[number].clone(), form: test.form, ..open.clone() };
        settings.push((number, Setting::new(inlined, model, &plan, &[])?));
        if test.form == Form::Whole {
            // Executions in which threads wait for ever are asked about besides.
            let waiting = Plan { deadlocks: true, ..plan };
            settings.push((number, Setting::new(inlined, model, &waiting, &[])?));
        }
    }
    let mut trials = Vec::new();
    for (number, setting) in &settings {
        trials.push((*number, Trial::new(programs[*number].program(), setting, &tests[*number].specification)?));
    }
    let costs: Vec<u32> = candidates.list.iter().map(|candidate| candidate.cost).collect();
    let mut search = Search::new(trials, &costs, &options.budget);
    // Loops may have some more iterations than with all candidates.
    let passes = |test: usize, set: &Set| {
        let most = iterations[test].raised.values().copied().max().unwrap_or(1).max(iterations[test].each);
        let most_iterations = tests[test].specification.most_iterations.min(most + MORE_ROUNDS);
        let program = closed(&candidates, &tests[test], set);
        let outcome = program.and_then(|program| decided(&program, &tests[test], model, most_iterations, options));
        outcome.is_ok_and(|(checked, _)| checked.outcome.verdict == Verdict::Holds)
    };
    let mut found: Vec<Set> = Vec::new();
    let mut least = None;
    while found.len() < wanted.sets {
        let set = match search.next(&found, least, &passes, progress) {
            Ok(set) => set,
            Err(End::NoMore) if found.is_empty() => {
                let why = "the search found no set, although all candidates together suffice";
                placement.end = Reason::Unknown(why.into());
                break;
            }
            Err(End::NoMore) => break,
            Err(End::Stopped) => {
                placement.end = Reason::Unknown(STOPPED.into());
                break;
            }
            Err(End::TooHard) => {
                placement.end = Reason::Unknown("the choice among so many candidates takes too long".into());
                break;
            }
        };
        if let Some(why) = insufficient(&candidates, tests, model, &set, options)? {
            placement.end = Reason::Unknown(why);
            break;
        }
        let cost = set.iter().map(|&member| costs[member]).sum();
        let Ok(members) = search.needs(&set) else {
            placement.end = Reason::Unknown(STOPPED.into());
            break;
        };
        least = Some(cost);
        placement.sets.push(Sufficient { members, cost });
        found.push(set);
        progress(Progress::Found(found.len()));
    }
    placement.statistics = search.statistics();
    placement.bounded = search.bounded;
    Ok(())
}

/// How much more often than with all candidates a loop may have iterations.
const MORE_ROUNDS: u32 = 2;

/// Checks every test afresh with just this set. Gives the reason if one does not pass.
fn insufficient(
    candidates: &Candidates,
    tests: &[Test],
    model: &Model,
    set: &Set,
    options: &Options,
) -> Result<Option<String>, Unsupported> {
    for test in tests {
        let program = closed(candidates, test, set)?;
        let (checked, _) = decided(&program, test, model, test.specification.most_iterations, options)?;
        match checked.outcome.verdict {
            Verdict::Holds => {}
            Verdict::Unknown(reason) => return Ok(Some(format!("{reason} (in {}, with the set put in)", test.name))),
            _ => return Ok(Some(format!("{} fails with the set put in", test.name))),
        }
    }
    Ok(None)
}

/// The kinds of fences, or the memory orders, that are looked for under a model.
pub fn strengths(model: &Model, target: Target) -> Vec<Strength> {
    let orders = || Strength::all().filter(|strength| strength.is_order());
    if target == Target::Orders {
        return orders().collect();
    }
    let spoken_of = |strength: &Strength| model.mentions(strength.set());
    let own: Vec<Strength> = Strength::all().filter(|strength| !strength.is_order()).filter(spoken_of).collect();
    if own.is_empty() { orders().filter(spoken_of).collect() } else { own }
}

fn candidates(tests: &[Test], model: &Model, wanted: &Wanted, options: &Options) -> Result<Candidates, Unsupported> {
    let programs = tests.iter().map(|test| verified(test.program.clone())).collect::<Result<Vec<_>, _>>()?;
    if wanted.target == Target::Orders {
        let found = candidate::orders(&programs.iter().collect::<Vec<_>>(), wanted.cost);
        let why = "memory orders: there is no atomic access";
        return if found.list.is_empty() { Err(Unsupported::new(why, None)) } else { Ok(found) };
    }
    let mut inlined: Vec<Verified> = Vec::new();
    for (program, test) in programs.iter().zip(tests) {
        inlined.push(match test.form {
            Form::Whole => {
                let most_iterations = test.specification.most_iterations;
                Threaded::new(program, model, most_iterations, &Plan::new(options))?.without_marks_in_waits()?
            }
            Form::Threads => inline(program)?.program.into_owned(),
        });
    }
    let inlined: Vec<&Verified> = inlined.iter().collect();
    let strengths: Vec<(Strength, u32)> =
        strengths(model, wanted.target).into_iter().map(|s| (s, (wanted.cost)(s))).collect();
    if strengths.is_empty() {
        return Err(Unsupported::new(
            format!("looking for fences under {}, a model that speaks of no kind of fence,", model.name),
            None,
        ));
    }
    Ok(candidate::places(&inlined, &strengths))
}

fn verified(program: Program) -> Result<Verified, Unsupported> {
    program::verify(program).map_err(|_| Unsupported::new("a program that breaks the law of programs", None))
}

/// A test with its candidates left open.
enum Opened {
    Bounded(Verified),
    Whole(Threaded),
}

impl Opened {
    fn new(candidates: &Candidates, test: &Test, model: &Model, plan: &Plan) -> Result<Opened, Unsupported> {
        let program = candidates.open(test.program).ok_or_else(|| Unsupported::new("these candidates", None))?;
        Ok(match test.form {
            Form::Whole => Opened::Whole(Threaded::new(&program, model, test.specification.most_iterations, plan)?),
            Form::Threads => Opened::Bounded(program),
        })
    }

    fn program(&self) -> &Verified {
        match self {
            Opened::Bounded(program) => program,
            Opened::Whole(threaded) => &threaded.program,
        }
    }

    fn inlined(&self) -> Result<Inlined<'_>, Unsupported> {
        match self {
            Opened::Bounded(program) => inline(program),
            Opened::Whole(threaded) => threaded.inlined(),
        }
    }
}

/// Checks a test, with loops of up to so many iterations.
fn decided(
    program: &Verified,
    test: &Test,
    model: &Model,
    most_iterations: u32,
    options: &Options,
) -> Result<(Checked, Iterations), Unsupported> {
    let Specification { observations, iterations, .. } = test.specification;
    if test.form == Form::Whole {
        return whole::decide(program, model, most_iterations, options, &mut |_| {});
    }
    let specification = Specification { observations, iterations, most_iterations };
    let (outcome, iterations) = decide(program, model, &specification, options, &mut |_| {})?;
    Ok((Checked { program: program.clone(), outcome }, iterations))
}

fn closed(candidates: &Candidates, test: &Test, set: &Set) -> Result<Verified, Unsupported> {
    candidates.close(test.program, set).ok_or_else(|| Unsupported::new("these candidates", None))
}
