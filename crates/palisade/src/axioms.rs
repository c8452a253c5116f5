//! Answers of the axiomatic engine: executions that satisfy the axioms of a model.

use axiomatic::whole::{self, Checked};
use axiomatic::{Iterations, Specification, consistency};
use program::{Language, Outcome, Property, Unsupported, Verdict, Verified};
use report::Subject;

use crate::engine::Engine;
use crate::expected::{Serial, expected};
use crate::model::Model;
use crate::refusal::Refusal;
use crate::request::{Answer, Options, Progress, Stage, Wanted};
use crate::task::{Forms, Task, Test, Whole};

/// Answers with the axiomatic engine.
pub fn answer(task: &Task, model: &Model, options: &Options, progress: &dyn Progress) -> Result<Answer, Refusal> {
    let Some(axioms) = model.axioms() else { return Err(Refusal::Question(Engine::Axiomatic.lacks(model))) };
    let asking = Asking { axioms, options, property: task.property(), progress };
    let is_machine = model.machine().is_some() && !axioms.mentions("L") && task.language() == Language::Java;
    let replaced = if is_machine { Some(task.map(&without_monitors)?) } else { None };
    let task = replaced.as_ref().unwrap_or(task);
    let (program, outcome, subject) = match task {
        Task::Litmus(program, _) => asking.litmus(program)?,
        Task::Whole(Whole { forms, .. }) => match forms {
            Forms::One(program) => asking.whole(program)?,
            Forms::Two { unfolded, .. } => asking.litmus(unfolded)?,
            Forms::OnlyUnfolded(unfolded, _) => asking.litmus(unfolded)?,
            Forms::OnlyRun(_, why) => return Err(why.clone().into()),
        },
        Task::Test(test) => asking.test(test)?,
    };
    let starts_threads = matches!(task, Task::Whole(Whole { forms: Forms::One(_), .. }));
    let outcome = if starts_threads { withstood(outcome, axioms) } else { outcome }.ending_with_failure();
    let (model, property) = (model.name().to_string(), asking.property);
    Ok(Answer { program, model, engine: Engine::Axiomatic, property, subject, outcome, run: None, growth: None })
}

/// The program as models see it that know no monitors.
fn without_monitors(program: Verified) -> Result<Verified, Refusal> {
    let replaced = operational::without_monitors(&program);
    let replaced = replaced.map_err(|unsupported| Refusal::unsupported(&program, unsupported))?;
    Ok(replaced.unwrap_or(program))
}

/// The outcome, if the execution found keeps the axioms as they are evaluated without the solver; else nothing is known. The encoding of
/// programs that start threads, wait and fail is intricate: an execution of it that is none must not be believed.
fn withstood(outcome: Outcome, axioms: &axiomatic::Model) -> Outcome {
    let broken = outcome.witness.as_ref().map_or_else(Vec::new, |witness| axiomatic::broken_axioms(witness, axioms));
    let is_found = matches!(outcome.verdict, Verdict::Violated | Verdict::Allowed);
    match broken.first().filter(|_| is_found) {
        None => outcome,
        Some(axiom) => {
            let reason =
                format!("the solver has found an execution that breaks the axiom `{axiom}`, which is a defect of it");
            Outcome { verdict: Verdict::Unknown(reason), statistics: outcome.statistics, ..Outcome::default() }
        }
    }
}

/// What one engine answers about: the program as it saw it, what it found, what kind of question it was.
type Answered = (Verified, Outcome, Subject);

struct Asking<'a> {
    axioms: &'a axiomatic::Model,
    options: &'a Options,
    property: Property,
    progress: &'a dyn Progress,
}

impl Asking<'_> {
    fn options(&self) -> axiomatic::Options {
        axiomatic::Options {
            explain: self.options.explain,
            reasons: self.options.reasons,
            flags: self.options.flags,
            budget: self.options.limits.of_solver(),
            ranges: self.options.ranges,
            ..axiomatic::Options::default()
        }
    }

    /// Threads that run from the start: their question, or their assertions.
    fn litmus(&self, program: &Verified) -> Result<Answered, Refusal> {
        let options = axiomatic::Options {
            iterations: Iterations::of_each(self.options.unroll),
            executions: self.options.executions,
            property: self.property,
            ..self.options()
        };
        let all_states = self.options.wanted != Wanted::Verdict && program.question.is_some();
        let outcome = match all_states {
            true => {
                axiomatic::outcomes(program, self.axioms, &options, &mut |found| self.progress.states(found as u64))
            }
            false => axiomatic::check(program, self.axioms, &options),
        };
        let outcome = outcome.map_err(|unsupported| Refusal::unsupported(program, unsupported))?;
        Ok((program.clone(), outcome, Subject::Litmus))
    }

    /// A program that starts its threads itself.
    fn whole(&self, program: &Verified) -> Result<Answered, Refusal> {
        if self.options.wanted != Wanted::Verdict || self.property != Property::Always {
            let what = "the engine axiomatic asks a C program whether all its assertions hold; other questions are for --engine operational and --engine mcr";
            return Err(Refusal::Question(what.into()));
        }
        let most = self.options.bounds.max_iterations;
        let checked = whole::check(program, self.axioms, most, &self.options(), &mut |_| {});
        let Checked { program, outcome } = checked.map_err(|unsupported| Refusal::unsupported(program, unsupported))?;
        Ok((program, outcome, Subject::Whole))
    }

    /// A bounded test: is there an execution that shows what no serial execution does?
    fn test(&self, test: &Test) -> Result<Answered, Refusal> {
        let refused = |unsupported: Unsupported| Refusal::unsupported(&test.program, unsupported);
        let serial = expected(test, self.options.bounds, &self.options.limits).map_err(refused)?;
        self.progress.stage(Stage::Mined);
        let (outcome, observations) = match serial {
            Serial::Trouble(outcome) => (*outcome, None),
            Serial::Expected(expected) => {
                let specification = Specification {
                    observations: Some(&expected.observations),
                    iterations: &expected.iterations,
                    most_iterations: self.options.bounds.max_iterations,
                };
                let mut note = |step| match step {
                    axiomatic::Progress::Encoded(_) => self.progress.stage(Stage::Encoded),
                    axiomatic::Progress::Unrolled(_) => self.progress.stage(Stage::Solved),
                };
                let outcome = consistency(&test.program, self.axioms, &specification, &self.options(), &mut note);
                (outcome.map_err(refused)?, Some(expected.observations.len()))
            }
        };
        Ok((test.program.clone(), outcome, test.subject(observations)))
    }
}
