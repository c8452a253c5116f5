//! One exploration of execution graphs as several tasks that know nothing of each other: cubes.
//!
//! [`divide`] lists the subtrees of the exploration some way below its root and deals them out; a request with a [`Cube`] among its options
//! explores those of that cube. What is found in one is found; that nothing goes wrong is known once all parts were
//! explored ([`report::cubes`]).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axiomatic::model::describe;
use mcr::graphs::{self, Divided};
use program::text::fingerprint;
use program::{Outcome, Part, Property, Verdict, Verified};

use crate::cube::Cube;
use crate::model::Model;
use crate::refusal::Refusal;
use crate::request::{Answer, Options, Progress, Request, Wanted};
use crate::task::Task;

/// Divides the exploration of a whole program into so many parts.
pub fn divide(request: &Request<'_>, parts: usize) -> Result<Vec<Cube>, Refusal> {
    let task = request.prepared()?;
    let program = explorable(&task, request.model, &request.options)?;
    let how = crate::graphs::how(task.property(), &request.options, false);
    let divided = match (request.model.machine(), request.model.axioms()) {
        (Some(machine), _) => graphs::divide_on(program, machine, &how, parts),
        (_, Some(axioms)) => graphs::divide(program, axioms, &how, parts),
        (_, None) => return Err(Refusal::Question(NOT_EXPLORED.into())),
    };
    let question = question(program, request.model);
    match divided.map_err(|unsupported| Refusal::unsupported(program, unsupported))? {
        Divided::Limit(reason) => Err(Refusal::Question(format!("the exploration cannot be divided: {reason}"))),
        Divided::Parts(parts) => {
            let of = parts.len();
            let cube = |(index, subtrees)| Cube {
                index: index + 1,
                of,
                question: question.clone(),
                subtrees: Arc::new(subtrees),
            };
            Ok(parts.into_iter().enumerate().map(cube).collect())
        }
    }
}

/// Answers by the executions of a cube alone.
pub fn answer(
    task: &Task,
    model: &Model,
    cube: &Cube,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Answer, Refusal> {
    let program = explorable(task, model, options)?;
    if cube.question != question(program, model) {
        return Err(Refusal::Question("the cube is of another program, model or options".into()));
    }
    let mut answer = crate::graphs::answer(task, model, options, progress)?;
    answer.outcome = outcome(answer.outcome, cube);
    Ok(answer)
}

/// That nothing goes wrong in a part says nothing about the whole.
fn outcome(outcome: Outcome, cube: &Cube) -> Outcome {
    let Cube { index, of, question, .. } = cube;
    let is_complete = !matches!(outcome.verdict, Verdict::Unknown(_));
    let verdict = match outcome.verdict {
        Verdict::Holds => Verdict::Unknown(format!("nothing goes wrong in part {index} of {of}")),
        verdict => verdict,
    };
    let part = Part { index: *index, of: *of, question: question.clone(), is_complete };
    Outcome { verdict, part: Some(part), vacuous: false, endless: false, ..outcome }
}

const NOT_EXPLORED: &str =
    "what can be divided is the exploration of a whole C program by --engine mcr: do its assertions hold?";

/// The program, if its exploration can be divided.
fn explorable<'t>(task: &'t Task, model: &Model, options: &Options) -> Result<&'t Verified, Refusal> {
    let is_asked = options.wanted == Wanted::Verdict && task.property() == Property::Always;
    match task {
        Task::Whole(whole) if is_asked && (model.machine().is_some() || model.axioms().is_some()) => {
            whole.forms.run().map_err(|why| Refusal::Input(why.clone()))
        }
        _ => Err(Refusal::Question(NOT_EXPLORED.into())),
    }
}

/// What tells the question from others: the program, and the model by what it says, since a file may change under its name.
fn question(program: &Verified, model: &Model) -> String {
    let mut hasher = DefaultHasher::new();
    model.axioms().map(describe).hash(&mut hasher);
    format!("{} {} {:016x}", fingerprint(program), model.name(), hasher.finish())
}
