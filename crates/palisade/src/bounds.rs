//! A memory model by whatever knows it. The model of Java, `jmm`, is known exactly by axioms and bounded by two machines: what goes
//! wrong from below (`jmm_under`) goes wrong, what does not from above (`jmm_over`) does not. The bounds take programs that the
//! axioms do not; how often a loop is iterated, and what threads wait for, does not matter to them.

use std::collections::BTreeSet;

use operational::Machine;
use operational::stale::Stale;
use program::{Guarantee, Listed, Listing, Observable, Outcome, Property, State, Value, Verdict};
use report::cells::final_value;

use crate::auto::{self, Ended};
use crate::engine::Engine;
use crate::model::Model;
use crate::refusal::Refusal;
use crate::request::{Answer, Options, Progress, Request, Wanted};
use crate::task::{Forms, Task, Whole};

/// Why there is no verdict if only the machine from above finds an execution.
const NOT_CONFIRMED: &str =
    "possible, not confirmed: found from above (jmm_over), which also finds executions that Java forbids";

/// The bounds, where they may answer beside the axioms: about whole programs, and assertions.
pub fn of(request: &Request<'_>, task: &Task) -> Option<[Machine; 2]> {
    let is_taken = task.program().question.is_none() || matches!(task, Task::Whole(_));
    request.model.bounds().filter(|_| is_taken)
}

/// Answers by axioms or bounds, whichever is first to decide. If none does, what was found from above is the answer, else what the
/// first came to.
pub fn answer(
    request: &Request<'_>,
    task: &Task,
    bounds: [Machine; 2],
    progress: &dyn Progress,
) -> Result<Answer, Refusal> {
    let [under, over] = bounds.map(|machine| Model::named(machine.name()));
    let (under, over) = (under?, over?);
    let has_axioms = !matches!(task, Task::Whole(Whole { forms: Forms::OnlyRun(..), .. }));
    let exact = has_axioms.then_some(request.model);
    let mut answer = match request.options.wanted {
        Wanted::Verdict => {
            let models: Vec<&Model> = exact.into_iter().chain([&under, &over]).collect();
            let options = Options { listing: Listing::Nothing, ..request.options.clone() };
            let request = Request { options, ..*request };
            verdict(auto::under_any(&request, task, &models, progress)?, bounds[1])?
        }
        Wanted::States | Wanted::VerdictAndStates => {
            let ask = |model| auto::ask(task, model, Engine::Operational, &request.options, progress);
            match exact.and_then(|_| auto::answer(request, task, progress).ok()) {
                Some(exact) if exact.is_decided() => exact,
                // Where the machines refuse the program, only the axioms might have answered.
                undecided => match ask(&under) {
                    Ok(under) => states(under, ask(&over)),
                    Err(refusal) => undecided.ok_or(refusal)?,
                },
            }
        }
    };
    if request.options.wanted == Wanted::Verdict && answer.outcome.verdict == Verdict::Holds {
        look_for_stale_loops(request, task, &mut answer);
    }
    if request.options.listing == Listing::Failures && answer.outcome.verdict != Verdict::Holds {
        let ask = |model| auto::ask(task, model, Engine::Operational, &request.options, progress);
        (answer.outcome.listed, answer.outcome.incomplete) = failures(ask(&under), ask(&over));
    }
    if request.options.show_writes && answer.outcome.writes.is_empty() {
        let above = auto::ask(task, &over, Engine::Operational, &request.options, progress);
        answer.outcome.writes = above.map(|above| above.outcome.writes).unwrap_or_default();
    }
    // What a bound decides is so under the model itself.
    answer.outcome.guarantee = Guarantee::Exact;
    answer.model = request.model.name().into();
    Ok(answer)
}

/// The model that promises nothing about when plain writes are seen. Those of the published tables are asked about finite executions.
const WITHOUT_PROMISE: &str = "jmm";

/// What holds does not if a thread may wait for ever for a plain variable. Without data races none does: then the states of sc have
/// answered.
fn look_for_stale_loops(request: &Request<'_>, task: &Task, answer: &mut Answer) {
    let is_sequential = answer.run.as_ref().is_some_and(|run| run.machine == Machine::Sc);
    let Task::Whole(Whole { forms, property: Property::Always }) = task else { return };
    let Some(program) = forms.run().ok().filter(|_| !is_sequential && request.model.name() == WITHOUT_PROMISE) else {
        return;
    };
    match operational::stale::stale(program, &request.options.limits.of_search()) {
        Ok(Stale { failure: Some(failure), .. }) => {
            answer.outcome = Outcome { verdict: Verdict::Violated, failure: Some(failure), ..Outcome::default() };
            (answer.program, answer.engine, answer.run) = (program.clone(), Engine::Operational, None);
        }
        Ok(Stale { incomplete: None, .. }) => {}
        Ok(Stale { incomplete: Some(reason), .. }) => answer.outcome.verdict = Verdict::Unknown(reason),
        Err(unsupported) => {
            let refused = Refusal::unsupported(program, unsupported);
            let reason = format!("whether a loop may wait for ever for a plain variable: {refused}");
            answer.outcome.verdict = Verdict::Unknown(reason);
        }
    }
}

/// What goes wrong from below, then what does so only from above; and why something may be missing, if so.
fn failures(under: Result<Answer, Refusal>, over: Result<Answer, Refusal>) -> (Vec<Listed>, Option<String>) {
    let missing = |answer: &Result<Answer, Refusal>| match answer {
        Ok(answer) => answer.outcome.incomplete.clone(),
        Err(refusal) => Some(refusal.to_string()),
    };
    let incomplete = missing(&over);
    let of = |answer: Result<Answer, Refusal>| answer.map(|answer| answer.outcome.listed).unwrap_or_default();
    let (mut all, above) = (of(under), of(over));
    let is_new = |listed: &Listed| all.iter().all(|other| other.what != listed.what);
    let possible: Vec<Listed> = above.into_iter().filter(is_new).collect();
    let named = |listed: Listed| Listed { what: format!("possible, not confirmed: {}", listed.what), ..listed };
    all.extend(possible.into_iter().map(named));
    (all, incomplete)
}

/// The answer of who decided; else what was found on the machine from above, else what the first came to.
fn verdict(mut ended: Ended, over: Machine) -> Result<Answer, Refusal> {
    let is_found =
        |answer: &Answer| answer.run.as_ref().is_some_and(|run| run.machine == over && run.found == Some(true));
    if let Some(place) = ended.undecided.iter().position(is_found) {
        ended.undecided.swap(0, place);
        ended.undecided[0].outcome.verdict = Verdict::Unknown(NOT_CONFIRMED.into());
    }
    ended.answer().unwrap_or_else(|| Err(Refusal::Question("no model was asked".into())))
}

/// The final states from below; those that are only found from above are listed besides.
fn states(under: Answer, over: Result<Answer, Refusal>) -> Answer {
    let all = |answer: &Answer| -> BTreeSet<State> {
        let states = answer.outcome.states.iter().flatten();
        states.map(|(state, _)| state.clone()).collect()
    };
    let mut answer = under;
    let is_found = answer.outcome.states.as_ref().is_some_and(|states| !states.is_empty());
    answer.outcome.verdict = match over {
        Ok(over) if over.outcome.verdict == Guarantee::Over.conclude(true, None) || over.is_decided() => {
            let more: Vec<State> = all(&over).difference(&all(&answer)).cloned().collect();
            let is_all = more.is_empty();
            let count = more.len();
            answer.outcome.listed = more.iter().map(|state| possible(&over, state)).collect();
            match (is_all, is_found) {
                (true, found) => Guarantee::Exact.conclude(found, None),
                _ => Verdict::Unknown(format!("{count} more are possible, not confirmed: from above (jmm_over)")),
            }
        }
        Ok(Answer { outcome: Outcome { verdict: Verdict::Unknown(reason), .. }, .. }) => Verdict::Unknown(reason),
        Ok(_) => Verdict::Unknown("further final states may be possible".into()),
        Err(refusal) => Verdict::Unknown(format!("further final states may be possible; from above: {refusal}")),
    };
    answer
}

/// A final state that was only found from above.
fn possible(over: &Answer, state: &State) -> Listed {
    let program = &over.program;
    let holds = |(observable, value): &(Observable, Value)| {
        format!("{}={}", program.observable_name(observable), final_value(program, observable, value))
    };
    let what = state.iter().map(holds).collect::<Vec<String>>().join(", ");
    Listed { what, course: String::new(), schedule: None }
}
