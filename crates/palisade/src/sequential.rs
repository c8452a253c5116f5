//! What sc says of programs under weaker models. Every execution of sc is one of theirs, so what goes wrong on sc goes wrong. And
//! if a program has no data race there are no other executions: then what holds on sc holds.
//!
//! For C under rc11 and rc20, accesses must not race but seq_cst ones. For Java under jmm-revised and jmm-original there must be no
//! race of plain accesses (Manson, Pugh, Adve, "The Java memory model", POPL 2005, theorem 1; Aspinall, Ševčík, "Formalising Java's
//! data race free guarantee", TPHOLs 2007). Where there are only races inside of `java.util.concurrent`, it is taken at its word
//! ([`operational::trust`]), and the answer says so.

use operational::{Adjacent, adjacent, trust};
use program::{Language, Property, Verdict, Verified};
use report::Subject;

use crate::engine::Engine;
use crate::machines;
use crate::model::Model;
use crate::refusal::Refusal;
use crate::request::{Answer, Options, Progress, Wanted};
use crate::task::Task;

/// The models of Java that promise this.
const OF_JAVA: [&str; 3] = ["jmm", "jmm-revised", "jmm-original"];

/// Whether this may answer: the verdict about a whole program, or about the assertions of annotated threads, under a model that is known
/// to promise it.
pub fn takes(task: &Task, model: &Model, options: &Options) -> bool {
    let has_form = match task {
        Task::Whole(whole) => whole.forms.run().is_ok(),
        Task::Litmus(program, _) => program.language == Language::Java && program.question.is_none(),
        Task::Test(_) => false,
    };
    let is_asked = options.wanted == Wanted::Verdict && task.property() == Property::Always;
    let promises = || match task.language() {
        Language::C => Engine::Mcr.explores_graphs_of(model),
        Language::Java => !model.is_of_file() && OF_JAVA.contains(&model.name()),
        _ => false,
    };
    is_asked && has_form && promises()
}

/// Answers by all states of the machine sc; nothing if weaker executions may differ from those. The answer is unknown only where the
/// search came to no end.
pub fn answer(
    task: &Task,
    model: &Model,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Option<Answer>, Refusal> {
    let ran = machines::answer(task, &Model::named("sc")?, Engine::Operational, options, progress)?;
    // What goes wrong in Java is told as machines tell it, above the stack of the exception.
    let is_of_java = ran.outcome.verdict == Verdict::Violated && task.language() == Language::Java;
    let subject = if is_of_java { ran.subject.clone() } else { Subject::Whole };
    let mut answer = Answer { model: model.name().into(), subject, ..ran };
    if answer.outcome.verdict != Verdict::Holds {
        return Ok(Some(answer));
    }
    let mut found = accesses(&answer.program, options)?;
    if found.why_not_sequential().is_some()
        && let Some(trusting) = trust::trusting(&answer.program)
    {
        found = accesses(&trusting, options)?;
        let trusts = found.why_not_sequential().is_none();
        answer.outcome.warnings.extend(trusts.then(|| machines::TRUSTED.into()));
    }
    match found {
        Adjacent { has_races: true, .. } => return Ok(None),
        Adjacent { incomplete: Some(why), .. } => answer.outcome.verdict = Verdict::Unknown(why),
        _ => answer.run.iter_mut().for_each(|run| run.explored.push_str(SEQUENTIAL)),
    }
    Ok(Some(answer))
}

/// What is said besides where sc decides.
const SEQUENTIAL: &str = " of sc; without data races all executions are sequentially consistent";

/// Whether accesses of a program race on sc, so that it may have other executions.
fn accesses(program: &Verified, options: &Options) -> Result<Adjacent, Refusal> {
    adjacent(program, &options.limits.of_search()).map_err(|unsupported| Refusal::unsupported(program, unsupported))
}
