//! What a bounded test may show: its operations are run one after another, in every order.

use std::collections::BTreeSet;

use operational::serial::{Mined, observations};
use program::{
    BlockId, Failure, FailureKind, FunctionId, Observation, Outcome, Program, Unsupported, Verdict, Verified,
};

use crate::request::{Bounds, Limits};
use crate::task::{Reference, Test};

/// What a bounded test may show.
pub struct Expected {
    /// What the serial executions of the reference show, or those of the test itself.
    pub observations: BTreeSet<Observation>,
    /// The most iterations that each loop of the test made in them.
    pub iterations: Vec<(FunctionId, BlockId, u32)>,
}

/// What serial executions come to.
pub enum Serial {
    /// They show this.
    Expected(Expected),
    /// Already they go wrong, or could not all be run.
    Trouble(Box<Outcome>),
}

/// Runs the operations of a test serially.
pub fn expected(test: &Test, bounds: Bounds, limits: &Limits) -> Result<Serial, Unsupported> {
    match &test.reference {
        // Where unrolling starts is not known then; it comes as far as executions do all the same.
        Some((_, Reference::Observations(observations))) => {
            let observations = BTreeSet::clone(observations);
            Ok(Serial::Expected(Expected { observations, iterations: Vec::new() }))
        }
        Some((_, Reference::Program(reference))) => expected_of(&test.program, Some(reference), bounds, limits),
        None => expected_of(&test.program, None, bounds, limits),
    }
}

/// Runs the operations of a test serially, or those of a reference where there is one.
pub fn expected_of(
    program: &Verified,
    reference: Option<&Verified>,
    bounds: Bounds,
    limits: &Limits,
) -> Result<Serial, Unsupported> {
    let limits = operational::Limits {
        interrupt: limits.interrupt.clone(),
        stretch: bounds.max_instructions,
        ..operational::Limits::default()
    };
    let mined = observations(program, &limits)?;
    if let Some(outcome) = trouble(program, &mined) {
        return Ok(Serial::Trouble(Box::new(outcome)));
    }
    let iterations = mined.iterations;
    let Some(reference) = reference else {
        return Ok(Serial::Expected(Expected { observations: mined.observations, iterations }));
    };
    let mined = observations(reference, &limits)?;
    Ok(match trouble(reference, &mined) {
        Some(outcome) => Serial::Trouble(Box::new(outcome)),
        None => Serial::Expected(Expected { observations: mined.observations, iterations }),
    })
}

/// The answer, if already serial executions go wrong or could not all be run.
fn trouble(program: &Program, mined: &Mined) -> Option<Outcome> {
    if let Some(failure) = &mined.failure {
        let schedule: Vec<String> = failure.schedule.iter().map(|(_, name)| name.to_string()).collect();
        let message = format!("{} (already when run serially: {})", failure.message, schedule.join(", "));
        let location = failure.span.map(|span| program.sources.location(span));
        let failure = Some(Failure::new(FailureKind::Error, message, location));
        return Some(Outcome { verdict: Verdict::Violated, failure, ..Outcome::default() });
    }
    let reason = mined.incomplete.clone()?;
    let reason = format!("the serial executions could not all be run: {reason}");
    Some(Outcome { verdict: Verdict::Unknown(reason), ..Outcome::default() })
}
