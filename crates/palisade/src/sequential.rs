//! What sc says of C programs under rc11 and rc20. Every execution of sc is one of theirs, so what goes wrong on sc goes wrong. And if
//! no accesses race but seq_cst ones, there are no other executions: then what holds on sc holds.

use operational::races_but_of_seq_cst;
use program::{Language, Property, Verdict, Verified};
use report::Subject;

use crate::engine::Engine;
use crate::machines;
use crate::model::Model;
use crate::refusal::Refusal;
use crate::request::{Answer, Options, Progress, Wanted};
use crate::task::Task;

/// Whether this may answer: the verdict about a whole program in C under a model of which graphs can be made.
pub fn takes(task: &Task, model: &Model, options: &Options) -> bool {
    let Task::Whole(whole) = task else { return false };
    let is_asked = options.wanted == Wanted::Verdict && whole.property == Property::Always;
    is_asked && task.language() == Language::C && Engine::Mcr.explores_graphs_of(model)
}

/// Answers by all states of the machine sc; unknown where weaker executions may differ from those.
pub fn answer(task: &Task, model: &Model, options: &Options, progress: &dyn Progress) -> Result<Answer, Refusal> {
    let ran = machines::answer(task, &Model::named("sc")?, Engine::Operational, options, progress)?;
    let mut answer = Answer { model: model.name().into(), subject: Subject::Whole, ..ran };
    if answer.outcome.verdict == Verdict::Holds {
        match why_not_sequential(&answer.program, options)? {
            Some(why) => answer.outcome.verdict = Verdict::Unknown(why),
            None => answer.run.iter_mut().for_each(|run| run.explored.push_str(SEQUENTIAL)),
        }
    }
    Ok(answer)
}

/// What is said besides where sc decides.
const SEQUENTIAL: &str = " of sc; only seq_cst accesses race, so all executions are sequentially consistent";

/// Why a program may have executions that are not sequentially consistent.
fn why_not_sequential(program: &Verified, options: &Options) -> Result<Option<String>, Refusal> {
    let found = races_but_of_seq_cst(program, &options.limits.of_search());
    let found = found.map_err(|unsupported| Refusal::unsupported(program, unsupported))?;
    let races = (!found.races.is_empty()).then(|| "accesses weaker than seq_cst race".to_string());
    Ok(races.or(found.incomplete))
}
