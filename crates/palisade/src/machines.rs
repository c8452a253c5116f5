//! Answers of the engines that run programs on a machine: all states, or one execution for each class.

use std::time::Instant;

use mcr::histories::encode::Form;
use mcr::histories::explore::{Budget, Figures};
use operational::{Explored, Machine, Reduction};
use program::{Failure, Listing, Outcome, Property, Unsupported, Verdict, Verified};
use report::Subject;

use crate::bounded::{self, Ran};
use crate::engine::Engine;
use crate::model::Model;
use crate::processors::Processors;
use crate::refusal::Refusal;
use crate::request::{Answer, Options, Progress, Run, Wanted, WaysOut};
use crate::task::Task;

/// The reduction of every search over states.
const REDUCTION: Reduction = Reduction::Persistent;

/// What is assumed where libraries are taken at their word.
pub const TRUSTED: &str = "java.util.concurrent is taken at its word: accesses inside of it count as volatile";

/// Answers with one of the engines that run programs.
pub fn answer(
    task: &Task,
    model: &Model,
    engine: Engine,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Answer, Refusal> {
    let machine = engine.machine(model)?;
    let runner = Runner { engine, machine, options, property: task.property(), progress };
    let (ran, program, subject) = match task {
        Task::Test(test) => {
            let run = |program: &Verified, all: bool| runner.run(program, Property::Always, all);
            let recorded = test.recorded().map_err(|unsupported| Refusal::unsupported(&test.program, unsupported))?;
            bounded::test(test, recorded, options, &run)?
        }
        Task::Litmus(program, _) => runner.question(program, Subject::Litmus)?,
        Task::Whole(whole) => {
            let program = whole.forms.run().map_err(|why| Refusal::Input(why.clone()))?;
            // Engines that run programs see no difference between those that start their threads and those that do not.
            runner.question(program, Subject::Litmus)?
        }
    };
    let Ran { outcome, schedule, explored, found } = ran;
    let run = Run { machine, schedule, explored, found };
    Ok(Answer {
        program,
        model: machine.name().into(),
        engine,
        property: runner.property,
        subject,
        outcome,
        run: Some(run),
        growth: None,
    })
}

struct Runner<'a> {
    engine: Engine,
    machine: Machine,
    options: &'a Options,
    property: Property,
    progress: &'a dyn Progress,
}

impl Runner<'_> {
    /// The program's own question, or its assertions.
    fn question(&self, program: &Verified, subject: Subject) -> Result<(Ran, Verified, Subject), Refusal> {
        let all_states = self.options.wanted != Wanted::Verdict && program.question.is_some();
        let (program, trusts) = operational::trust::taken_by(self.machine, program);
        let ran = self.run(&program, self.property, all_states);
        let mut ran = ran.map_err(|unsupported| Refusal::unsupported(&program, unsupported))?;
        if trusts && matches!(ran.outcome.verdict, Verdict::Holds | Verdict::Forbidden) {
            ran.outcome.warnings.push(TRUSTED.into());
        }
        Ok((ran, program, subject))
    }

    fn run(&self, program: &Verified, property: Property, all_states: bool) -> Result<Ran, Unsupported> {
        match self.engine {
            Engine::Mcr => self.classes(program, property, all_states),
            _ => self.states(program, property, all_states),
        }
    }

    /// All states of the machine.
    fn states(&self, program: &Verified, property: Property, all_states: bool) -> Result<Ran, Unsupported> {
        let Options { limits, bounds, depth, explain, .. } = self.options;
        let limits = limits.of_search();
        let options = operational::Options {
            limits: operational::Limits {
                depth: depth.unwrap_or(limits.depth),
                stretch: bounds.max_instructions,
                ..limits
            },
            property,
            explain: *explain && all_states,
            reduction: REDUCTION,
            all_failures: self.options.listing == Listing::Failures,
            fixpoint: self.options.fixpoint,
            show_writes: self.options.show_writes,
        };
        let answered = match all_states {
            true => operational::outcomes(program, self.machine, &options)?,
            false => operational::check(program, self.machine, &options)?,
        };
        let operational::Answer { outcome, failure, schedule, explored } = answered;
        let schedule = schedule.map(|found| (found, REDUCTION));
        let is_found = explored.found || schedule.is_some();
        let found = (is_found || explored.incomplete.is_none()).then_some(is_found);
        Ok(Ran { found, ..self.ran(outcome, failure, schedule, in_words(&explored)) })
    }

    /// One execution for each class.
    fn classes(&self, program: &Verified, property: Property, all_states: bool) -> Result<Ran, Unsupported> {
        let start = Instant::now();
        let Options { limits, bounds, mcr: how, explain, depth, listing, .. } = self.options;
        let usual = Budget::default();
        let options = mcr::Options {
            limits: operational::Limits { stretch: bounds.max_instructions, ..limits.of_search() },
            budget: Budget {
                executions: how.max_executions.unwrap_or(u64::MAX),
                solver: match how.ways_out {
                    WaysOut::States => None,
                    WaysOut::Solver => Some(Form::Exact),
                    WaysOut::Printed => Some(Form::Printed),
                },
                steps: how.max_steps.unwrap_or(usual.steps),
                operations: depth.map_or(usual.operations, |depth| u32::try_from(depth).unwrap_or(u32::MAX)),
                ..usual
            },
            property,
            exhaustive: how.exhaustive,
            explain: *explain && all_states,
            shorten: true,
            first: how.first.clone(),
            listing: *listing,
        };
        let processors = Processors::new(how.jobs, limits.interrupt.clone(), self.progress);
        let answered = mcr::answer(program, self.machine, &options, all_states, &processors)?;
        let mcr::Answer { outcome, failure, schedule, figures } = answered;
        let explored = figures_in_words(&figures, start.elapsed().as_secs_f64());
        Ok(self.ran(outcome, failure, schedule, explored))
    }

    fn ran(
        &self,
        outcome: Outcome,
        failure: Option<Failure>,
        schedule: Option<(operational::Schedule, Reduction)>,
        explored: String,
    ) -> Ran {
        let written = |(found, reduction): &(operational::Schedule, Reduction)| {
            operational::schedule::print(found, self.machine, *reduction)
        };
        let outcome = Outcome { failure, schedule: schedule.as_ref().map(written), ..outcome };
        let found = schedule.is_some().then_some(true);
        Ran { outcome, schedule, explored, found }
    }
}

fn in_words(explored: &Explored) -> String {
    let passes = match explored.passes {
        0 => String::new(),
        _ => format!("; {} writes known", explored.writes),
    };
    let Explored { states, steps, instructions, .. } = explored;
    format!("{states} states, {steps} steps, {instructions} instructions{passes}")
}

fn figures_in_words(figures: &Figures, seconds: f64) -> String {
    let Figures { executions, classes, redundant, queries, states, solver_queries, instructions, .. } = figures;
    let queries = queries + solver_queries;
    let besides = [
        (figures.dropped, "that do not count"),
        (figures.abandoned, "cut short in a loop"),
        (figures.lost, "that left their way"),
    ];
    let besides: String =
        besides.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}")).collect();
    format!(
        "{executions} executions of {classes} classes ({redundant} redundant{besides}); {queries} queries, {states} states, \
         {instructions} instructions, {seconds:.3} s"
    )
}
