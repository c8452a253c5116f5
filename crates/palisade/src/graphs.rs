//! Answers of the engine mcr by execution graphs, one for each class: under axiomatic models, and on the machines sc, tso and pso.

use std::sync::atomic::Ordering;

pub use mcr::graphs::replay::{Mismatch, Replayed};
use mcr::graphs::{self, schedule};
use operational::Machine;
use program::{Language, Outcome, Property, Unsupported, Verified};
use report::Subject;

use crate::axioms;
use crate::bounded::{self, Ran};
use crate::engine::Engine;
use crate::model::Model;
use crate::processors::Explorers;
use crate::refusal::Refusal;
use crate::request::{Answer, Classes, Growth, Options, Progress, Request, Wanted};
use crate::task::{Task, Test};

/// Answers as [`answer`] does, where no other engine is asked. A loop that writes the same until it is told to stop has a graph for
/// each number of its iterations. The solver leaves out those that make no difference, so it is asked if the exploration comes
/// to no end by itself, as mcr asks the search over states on machines; its answer says that it is the solver's.
pub fn answer_alone(task: &Task, model: &Model, options: &Options, progress: &dyn Progress) -> Result<Answer, Refusal> {
    let explored = answer(task, model, options, progress)?;
    let is_bounded = options.mcr.exhaustive || options.mcr.max_executions.is_some();
    let is_interrupted = || options.limits.interrupt.load(Ordering::Relaxed);
    let is_other = !matches!(task, Task::Whole(_)) || options.wanted != Wanted::Verdict;
    if explored.is_decided() || is_other || is_bounded || is_interrupted() {
        return Ok(explored);
    }
    match axioms::answer(task, model, options, progress) {
        Ok(solved) if solved.is_decided() => Ok(solved),
        _ => Ok(explored),
    }
}

/// Whether graphs on the machine of a model may answer what another engine was asked: the verdict about a whole program in C.
pub fn takes_machine(task: &Task, model: &Model, options: &Options) -> bool {
    let is_known = model.machine().is_some_and(|machine| MACHINES.contains(&machine));
    let runs = match task {
        Task::Whole(whole) => whole.forms.run().is_ok(),
        Task::Test(_) => true,
        Task::Litmus(..) => false,
    };
    is_known && runs && task.language() == Language::C && options.wanted == Wanted::Verdict
}

/// The machines on which graphs can be made.
const MACHINES: [Machine; 3] = [Machine::Sc, Machine::Tso, Machine::Pso];

/// Answers by exploring execution graphs.
pub fn answer(task: &Task, model: &Model, options: &Options, progress: &dyn Progress) -> Result<Answer, Refusal> {
    let (program, subject) = match task {
        Task::Litmus(program, _) => (program, Subject::Litmus),
        Task::Whole(whole) => (whole.forms.run().map_err(|why| Refusal::Input(why.clone()))?, Subject::Whole),
        Task::Test(test) => return answer_test(test, model, options, progress),
    };
    let property = task.property();
    let answered = explore(program, model, property, options, progress)?;
    let growth = answered.schedule.map(|schedule| Growth { program: program.clone(), schedule });
    let model = model.name().to_string();
    let written = growth.as_ref().map(|growth| schedule::print(&growth.schedule, &model));
    let outcome = Outcome { schedule: written, ..answered.outcome.ending_with_failure() };
    let engine = Engine::Mcr;
    Ok(Answer { program: answered.program, model, engine, property, subject, outcome, run: None, growth })
}

/// Answers about a bounded test. As for the solver, what the model flags is said, and is no error of a data type.
fn answer_test(test: &Test, model: &Model, options: &Options, progress: &dyn Progress) -> Result<Answer, Refusal> {
    let explorers = Explorers::new(options.mcr.jobs, progress);
    let run = |program: &Verified, all: bool| {
        let how = graphs::Options { flags_are_errors: false, ..how(Property::Always, options, all) };
        let answered = explore_as(program, model, &how, all, &explorers)?;
        Ok(Ran { outcome: answered.outcome, ..Ran::default() })
    };
    let recorded = if model.machine().is_some() { test.recorded() } else { test.recorded_for_graphs() };
    let recorded = recorded.map_err(|unsupported| Refusal::unsupported(&test.program, unsupported))?;
    let (ran, program, subject) = bounded::test(test, recorded, options, &run)?;
    let (model, engine, property) = (model.name().to_string(), Engine::Mcr, Property::Always);
    Ok(Answer {
        program,
        model,
        engine,
        property,
        subject,
        outcome: ran.outcome.ending_with_failure(),
        run: None,
        growth: None,
    })
}

/// The program whose graphs are explored if this is asked.
pub fn explored(request: &Request<'_>) -> Result<Verified, Refusal> {
    match request.prepared()? {
        Task::Litmus(program, _) => Ok(program),
        Task::Whole(whole) => whole.forms.run().cloned().map_err(Clone::clone).map_err(Refusal::Input),
        Task::Test(_) => Err(Refusal::Question("graphs of bounded tests have no schedules".into())),
    }
}

/// Runs the schedule of a graph of [`explored`].
pub fn replay(program: &Verified, request: &Request<'_>, schedule: &graphs::Schedule) -> Result<Replayed, Mismatch> {
    let (model, how) = (request.model, how(request.task.property(), &request.options, false));
    match (model.machine().filter(|machine| MACHINES.contains(machine)), model.axioms()) {
        (Some(machine), _) => graphs::replay::replay_on(program, machine, schedule, &how),
        (None, Some(axioms)) => graphs::replay::replay(program, axioms, schedule, &how),
        (None, None) => Err(Mismatch::Unsupported(Unsupported::new(Engine::Mcr.lacks(model), None))),
    }
}

/// How to explore.
pub fn how(property: Property, options: &Options, all_states: bool) -> graphs::Options {
    graphs::Options {
        limits: operational::Limits { stretch: options.bounds.max_instructions, ..options.limits.of_search() },
        executions: options.mcr.max_executions.unwrap_or(u64::MAX),
        property,
        flags_are_errors: true,
        exhaustive: options.mcr.exhaustive,
        exchanges_threads: !options.mcr.exhaustive && options.mcr.classes != Classes::Mazurkiewicz,
        explain: options.explain && all_states,
        cube: options.mcr.cube.as_ref().map(|cube| cube.subtrees.clone()),
    }
}

fn explore(
    program: &Verified,
    model: &Model,
    property: Property,
    options: &Options,
    progress: &dyn Progress,
) -> Result<graphs::Answer, Refusal> {
    let all_states = options.wanted != Wanted::Verdict && program.question.is_some();
    let explorers = Explorers::new(options.mcr.jobs, progress);
    let answered = explore_as(program, model, &how(property, options, all_states), all_states, &explorers);
    answered.map_err(|unsupported| Refusal::unsupported(program, unsupported))
}

fn explore_as(
    program: &Verified,
    model: &Model,
    how: &graphs::Options,
    all_states: bool,
    explorers: &Explorers,
) -> Result<graphs::Answer, Unsupported> {
    match (model.machine().filter(|machine| MACHINES.contains(machine)), model.axioms()) {
        (Some(machine), _) => graphs::answer_on(program, machine, how, all_states, explorers),
        (None, Some(axioms)) => graphs::answer(program, axioms, how, all_states, explorers),
        (None, None) => Err(Unsupported::new(Engine::Mcr.lacks(model), None)),
    }
}
