//! Whole programs: `main` starts the other threads, and looks at what they left.
//!
//! Every `spawn` that `main` comes to, in each iteration of its loops, becomes a thread of the program. What `main` does before
//! the first start is walked as a setup is: memory as it is then is the initial memory. What it does after all threads have
//! been joined is walked in the same way, with the memory that they leave: each cell holds what the last write in coherence
//! order left there. Both are exact under every model in which starting and joining a thread order what comes before and
//! after. What `main` does in between are events of a thread like the others, and a message says that a thread started or
//! ended where that matters (`walk/start.rs`); a model that does not keep the order of such messages is refused.
//!
//! Cells that only `main` touches (thread handles, counters of loops) are no events, whenever it does. Of loops that only wait
//! the last iteration is looked at (`whole/spin.rs`).

mod messages;
mod spin;
mod threads;

use std::borrow::Cow;

use program::{Outcome, Program, Unsupported, Verified};

use crate::consistency::{Progress, Specification, decide_all};
use crate::inline::{Inlined, inline};
use crate::model::Model;
use crate::options::Options;
use crate::setting::{Form, Plan};
use crate::unroll::Iterations;

use spin::Spins;

/// An answer, and the program with the threads that it speaks of.
pub struct Checked {
    /// The program, with a thread for each one that `main` starts.
    pub program: Verified,
    /// The answer.
    pub outcome: Outcome,
}

/// Whether assertions fail, errors happen or threads wait for ever in some execution of the program that starts at `main`,
/// its only thread. Loops are unrolled lazily, as in [`crate::consistency()`], up to `most_iterations`.
pub fn check(
    program: &Verified,
    model: &Model,
    most_iterations: u32,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Checked, Unsupported> {
    decide(program, model, most_iterations, options, progress).map(|(checked, _)| checked)
}

/// Checks a whole program, and gives how often loops were unrolled in the end.
pub(crate) fn decide(
    program: &Verified,
    model: &Model,
    most_iterations: u32,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Checked, Iterations), Unsupported> {
    if model.is_speculative() {
        let what = format!("a program that starts threads under the model {}", model.name);
        return Err(Unsupported::new(what, None));
    }
    let plan = Plan { form: Form::Whole, ..Plan::new(options) };
    let prepared = threads::prepare(program, model, most_iterations, &plan)?;
    let threads::Prepared { program, iterations, messages, exchanges } = prepared;
    if let Some(span) = messages {
        messages::require_order(model, span)?;
    }
    let (inlined, _) = without_calls(&program, exchanges)?;
    let specification = Specification { observations: None, iterations: &[], most_iterations };
    let (outcome, iterations) =
        decide_all((&program, &inlined), model, &specification, &Plan { iterations, ..plan }, progress)?;
    drop(inlined);
    Ok((Checked { program, outcome }, iterations))
}

/// A whole program with a thread for each one that `main` starts.
pub(crate) struct Threaded {
    /// The program.
    pub program: Verified,
    exchanges: bool,
}

impl Threaded {
    /// Finds the threads that `main` starts.
    pub fn new(program: &Verified, model: &Model, most_iterations: u32, plan: &Plan) -> Result<Self, Unsupported> {
        let plan = Plan { form: Form::Whole, ..plan.clone() };
        let threads::Prepared { program, exchanges, .. } = threads::prepare(program, model, most_iterations, &plan)?;
        Ok(Threaded { program, exchanges })
    }

    /// The program without calls, and with awaits for the loops that only wait.
    pub fn inlined(&self) -> Result<Inlined<'_>, Unsupported> {
        without_calls(&self.program, self.exchanges).map(|(inlined, _)| inlined)
    }

    /// The program without calls and without marks of places in loops that only wait: a fence there would be passed in
    /// every iteration.
    pub fn without_marks_in_waits(&self) -> Result<Verified, Unsupported> {
        let mut program = Program::clone(&inline(&self.program)?.program);
        spin::remove_marks(&mut program);
        program::verify(program).map_err(|_| Unsupported::new("a program that breaks the law of programs", None))
    }
}

/// The program without calls and with awaits for the loops that only wait; those of exchanges if wanted, under a promise.
/// Calls of threads are no operations of a test.
fn without_calls(program: &Verified, exchanges: bool) -> Result<(Inlined<'_>, Spins), Unsupported> {
    let Inlined { program, .. } = inline(program)?;
    let (waiting, spins) = spin::with_awaits(&program, exchanges);
    let program = waiting.map_or(program, Cow::Owned);
    Ok((Inlined { program, operations: Vec::new() }, spins))
}
