//! Bounded tests of data types by engines that list final states: whichever runs programs is asked whether something goes wrong
//! in the test, then for all that its cells hold at the end (see `operational::bounded`).

use std::collections::BTreeSet;

use operational::Reduction;
use operational::bounded::Recorded;
use program::{
    Comparator, Failure, FailureKind, Observation, Outcome, Program, Proposition, Question, State, Term, Unsupported,
    Value, Verdict, Verified, verify,
};
use report::Subject;
use report::words::{OUT_OF_EFFECT, OUT_OF_ORDER};

use crate::expected::{Serial, expected};
use crate::refusal::Refusal;
use crate::request::Options;
use crate::task::{Criterion, Test};

/// What is wrong where operations show what no serial execution shows.
const UNEXPECTED: &str = "no serial execution shows this";

/// What came of running a program.
#[derive(Default)]
pub struct Ran {
    /// The answer.
    pub outcome: Outcome,
    /// How the machine runs to what was found.
    pub schedule: Option<(operational::Schedule, Reduction)>,
    /// What was done, in words.
    pub explored: String,
    /// See [`crate::request::Run::found`].
    pub found: Option<bool>,
}

/// Runs a program: about its assertions, or for its question and all final states.
pub type Run<'a> = &'a dyn Fn(&Verified, bool) -> Result<Ran, Unsupported>;

/// A bounded test: looks for an execution that goes wrong, then for one that shows what no serial execution does.
pub fn test(test: &Test, recorded: Recorded, options: &Options, run: Run) -> Result<(Ran, Verified, Subject), Refusal> {
    let refused = |unsupported: Unsupported| Refusal::unsupported(&test.program, unsupported);
    let (ran, observations) = match expected(test, options.bounds, &options.limits).map_err(refused)? {
        Serial::Trouble(outcome) => (Ran { outcome: *outcome, ..Ran::default() }, None),
        Serial::Expected(expected) => {
            let runner = Runner { test, recorded: &recorded, options, run };
            (runner.compared(&expected.observations)?, Some(expected.observations.len()))
        }
    };
    Ok((ran, recorded.program, test.subject(observations)))
}

struct Runner<'a> {
    test: &'a Test,
    recorded: &'a Recorded,
    options: &'a Options,
    run: Run<'a>,
}

impl Runner<'_> {
    fn refused(&self, unsupported: Unsupported) -> Refusal {
        Refusal::unsupported(&self.test.program, unsupported)
    }

    fn compared(&self, expected: &BTreeSet<Observation>) -> Result<Ran, Refusal> {
        let refused = |unsupported: Unsupported| self.refused(unsupported);
        let ran = (self.run)(&self.recorded.program, false).map_err(refused)?;
        if ran.outcome.verdict != Verdict::Holds {
            return Ok(ran);
        }
        let mut all = (self.run)(&self.recorded.asking, true).map_err(refused)?;
        let unexpected = unexpected(self.recorded, &all.outcome, expected);
        let found = unexpected.map(|(state, observation)| (state, observation, UNEXPECTED));
        let found = match (found, self.test.criterion) {
            (None, Criterion::Linearizable) => self.out_of_order(&mut all.outcome)?,
            (found, _) => found,
        };
        match found {
            Some((state, observation, why)) => self.showing(&state, observation, why).map_err(refused),
            None => Ok(Ran { outcome: without_states(all.outcome), schedule: None, ..all }),
        }
    }

    /// A final state that no serial execution explains that keeps the order of operations which do not overlap.
    fn out_of_order(&self, outcome: &mut Outcome) -> Result<Option<(State, Observation, &'static str)>, Refusal> {
        let refused = |unsupported: Unsupported| self.refused(unsupported);
        let limits =
            operational::Limits { stretch: self.options.bounds.max_instructions, ..self.options.limits.of_search() };
        let mut linear = self.test.serial_executions(&limits)?;
        let mut explained = BTreeSet::new();
        let mut undecided = false;
        for (state, _) in outcome.states.iter().flatten() {
            let (observation, returned) = (self.recorded.observation(state), self.recorded.returned(state));
            if explained.contains(&(observation.clone(), returned.clone())) {
                continue;
            }
            match linear.explains(&observation, &returned).map_err(refused)? {
                Some(true) => _ = explained.insert((observation, returned)),
                Some(false) => {
                    let why = if self.test.has_commits() { OUT_OF_EFFECT } else { OUT_OF_ORDER };
                    return Ok(Some((state.clone(), observation, why)));
                }
                None => undecided = true,
            }
        }
        if undecided {
            outcome.verdict = Verdict::Unknown("the serial executions could not all be run".into());
        }
        Ok(None)
    }

    /// An execution that ends in this state, and why it is wrong.
    fn showing(&self, state: &State, observation: Observation, why: &str) -> Result<Ran, Unsupported> {
        let is = |(observable, value): &(program::Observable, Value)| {
            Proposition::Compare(Comparator::Eq, Term::Observable(observable.clone()), Term::Value(value.clone()))
        };
        let proposition = Proposition::And(state.iter().map(is).collect());
        let asking = &self.recorded.asking;
        let question = asking.question.clone().map(|question| Question { proposition, ..question });
        let program = Program { question, ..Program::clone(asking) };
        let program = verify(program).map_err(|_| Unsupported::new("the question about what was shown", None))?;
        let mut ran = (self.run)(&program, false)?;
        // What the cells hold is said by the observation.
        ran.outcome.witness.iter_mut().for_each(|witness| witness.state.clear());
        ran.outcome = Outcome {
            verdict: Verdict::Violated,
            failure: Some(Failure::new(FailureKind::Observation, why, None)),
            observation: Some(observation),
            ..ran.outcome
        };
        Ok(ran)
    }
}

/// A final state with an observation that is not among those expected.
fn unexpected(
    recorded: &Recorded,
    outcome: &Outcome,
    expected: &BTreeSet<Observation>,
) -> Option<(State, Observation)> {
    let states = outcome.states.iter().flatten().map(|(state, _)| state);
    let mut shown = states.map(|state| (state.clone(), recorded.observation(state)));
    shown.find(|(_, observation)| !expected.contains(observation))
}

/// A test has no final states; that there are some says that it holds, unless some are missing.
fn without_states(outcome: Outcome) -> Outcome {
    let verdict = match outcome.verdict {
        Verdict::Unknown(reason) => Verdict::Unknown(reason),
        _ => Verdict::Holds,
    };
    Outcome { verdict, states: None, witness: None, schedule: None, ..outcome }
}
