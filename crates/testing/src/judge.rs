//! What every answer of the engine must withstand.

use std::collections::BTreeSet;

use axiomatic::broken_axioms;
use axiomatic::internals::allows;
use axiomatic::{Model, Options, check, outcomes};
use program::{
    CoreMemberKind, EventId, EventKind, Execution, Observable, Outcome, Proposition, Quantifier, State, Value, Verdict,
    Verified,
};

use super::candidates::{pairs, permutations, replay};

/// All final states by the engine, each witness checked.
pub fn states(program: &Verified, model: &Model) -> BTreeSet<State> {
    let outcome = outcomes(program, model, &Options::default(), &mut |_| {})
        .unwrap_or_else(|what| panic!("{}\n{}: {what:?}", program::text::print(program), model.name));
    let mut states = BTreeSet::new();
    for (state, witness) in outcome.states.expect("states") {
        let witness = witness.expect("a witness");
        check_witness(program, model, &witness);
        assert_eq!(witness.state, state, "{}", program::text::print(program));
        assert!(states.insert(state), "a state twice");
    }
    states
}

/// A witness must keep every axiom, and be what the program does.
pub fn check_witness(program: &Verified, model: &Model, witness: &Execution) {
    let text = || format!("{}\nunder {}:\n{}", program::text::print(program), model.name, shown(witness));
    assert_eq!(broken_axioms(witness, model), Vec::<String>::new(), "{}", text());
    if let Err(what) = replay(program, witness) {
        panic!("{}\n{what}", text());
    }
}

/// An execution, one event or relation a line.
fn shown(execution: &Execution) -> String {
    let number = |pairs: &[(EventId, EventId)]| pairs.iter().map(|(x, y)| (x.0, y.0)).collect::<Vec<_>>();
    let mut text = String::new();
    for id in execution.ids() {
        let event = execution.event(id);
        let thread = event.thread.map_or("-".into(), |thread| thread.0.to_string());
        let cell = event.cell.as_ref().map_or(String::new(), |cell| format!("x{}{:?}", cell.allocation, cell.path));
        let value = event.value.as_ref().map_or(String::new(), |value| format!("{value:?}"));
        text += &format!("{} {thread} {:?} {cell} {value} {:?}\n", id.0, event.kind, event.access);
    }
    let Execution { rf, co, rmw, addr, data, ctrl, .. } = execution;
    for (name, pairs) in [("rf", rf), ("co", co), ("rmw", rmw), ("addr", addr), ("data", data), ("ctrl", ctrl)] {
        text += &format!("{name} {:?}\n", number(pairs));
    }
    text + &format!("{:?}", execution.state)
}

/// Whether an execution ends as the program's question asks.
pub fn is_asked(program: &Verified, execution: &Execution) -> bool {
    let value = |observable: &Observable| {
        let held = execution.state.iter().find(|(other, _)| other == observable);
        held.map_or(Value::Undefined, |(_, value)| value.clone())
    };
    let Some(question) = &program.question else { return true };
    // A filter may speak of more than what is observed; then the state does not tell.
    let tells = |filter: &Proposition| {
        let mut all = true;
        filter.observables(&mut |observable| all &= execution.state.iter().any(|(other, _)| other == observable));
        all
    };
    let passes = question.filter.as_ref().is_none_or(|filter| !tells(filter) || filter.holds(&value));
    passes && question.proposition.holds(&value) == (question.quantifier != Quantifier::Forall)
}

/// Asks the program's question; a witness must be right, and a core minimal.
pub fn checked(program: &Verified, model: &Model, options: &Options) -> Outcome {
    let outcome = check(program, model, options)
        .unwrap_or_else(|what| panic!("{}\n{}: {what:?}", program::text::print(program), model.name));
    match (&outcome.verdict, &outcome.witness) {
        (Verdict::Allowed | Verdict::Violated, Some(witness)) => {
            check_witness(program, model, witness);
            assert!(is_asked(program, witness), "{}\n{:?}", program::text::print(program), witness.state);
        }
        (Verdict::Forbidden | Verdict::Holds, None) if !outcome.vacuous && !outcome.endless => {
            assert!(outcome.core.is_some(), "{}\nno core", program::text::print(program));
            check_core(program, model, options, &outcome);
        }
        // Within a loop bound there may be reasons, too, and for a program that has no execution at all.
        (Verdict::Forbidden | Verdict::Holds | Verdict::Unknown(_), None) => {
            check_core(program, model, options, &outcome)
        }
        other => panic!("{}\n{other:?}", program::text::print(program)),
    }
    outcome
}

/// The core excludes the outcome, and each member is needed; the violation breaks the axiom that it names.
fn check_core(program: &Verified, model: &Model, options: &Options, outcome: &Outcome) {
    let Some(core) = outcome.core.as_ref().map(|core| &core.members) else { return };
    let text = || format!("{}\nunder {}: {core:#?}", program::text::print(program), model.name);
    assert_eq!(allows(program, model, options, core), Ok(Some(false)), "{}", text());
    for index in 0..core.len() {
        let mut rest = core.clone();
        let left_out = rest.remove(index);
        assert_eq!(allows(program, model, options, &rest), Ok(Some(true)), "{}\nwithout {left_out:?}", text());
    }
    let Some(violation) = &outcome.violation else { return };
    let names: Vec<&str> =
        core.iter().filter(|member| member.kind == CoreMemberKind::Axiom).map(|member| &*member.name).collect();
    assert!(!names.is_empty(), "a violation without an axiom to blame: {}", text());
    let broken = broken_axioms(&violation.execution, model);
    assert!(broken.contains(&violation.axiom), "{}\n{} is not among {broken:?}", text(), violation.axiom);
    assert!(!broken.contains(&"well-formed".into()), "{}\n{}", text(), shown(&violation.execution));
    // Where there is no execution at all, nothing is asked of the one that is shown.
    let is_asked = outcome.vacuous || is_asked(program, &violation.execution);
    assert!(is_asked, "{}\n{}", text(), shown(&violation.execution));
    if let Err(what) = replay(program, &violation.execution) {
        panic!("{}\nthe violation is not an execution of the program: {what}", text());
    }
    let axiom = model.axioms.iter().find(|axiom| axiom.name == violation.axiom).expect("an axiom");
    let cycle = &violation.cycle;
    assert!(cycle.windows(2).all(|steps| steps[0].to == steps[1].from), "{}\n{cycle:?}", text());
    // By its text: not every crate that judges answers knows formulas.
    let formula = format!("{:?}", axiom.formula);
    if formula.starts_with("Acyclic") || formula.starts_with("Irreflexive") {
        let closed = cycle.first().map(|step| step.from) == cycle.last().map(|step| step.to);
        assert!(!cycle.is_empty() && closed, "{}\n{cycle:?}", text());
    }
}

/// Whether the model allows a candidate, its own existential relations found by trying: total orders of the accesses
/// one by one; a dependence order need only be the least.
pub fn allowed(execution: &Execution, model: &Model) -> bool {
    if model.existentials.is_empty() {
        return broken_axioms(execution, model).is_empty();
    }
    let accesses: Vec<EventId> = execution
        .ids()
        .filter(|&id| execution.event(id).thread.is_some() && execution.event(id).kind != EventKind::Fence)
        .collect();
    let mut candidate = execution.clone();
    permutations(&accesses).iter().any(|order| {
        candidate.named.clear();
        for existential in &model.existentials {
            let chosen = match &*existential.name {
                "memory_order" => pairs(order),
                "dependence_order" => least_dependence(execution),
                other => panic!("no way to choose {other}"),
            };
            candidate.named.push((existential.name.to_string(), chosen));
        }
        broken_axioms(&candidate, model).is_empty()
    })
}

/// Dependencies and reads after writes of the same cell, transitively.
fn least_dependence(execution: &Execution) -> Vec<(EventId, EventId)> {
    let event = |id: EventId| execution.event(id);
    let is_access = |id: EventId| event(id).kind != EventKind::Fence;
    let mut order: BTreeSet<(EventId, EventId)> =
        execution.addr.iter().chain(&execution.data).copied().filter(|&(_, y)| is_access(y)).collect();
    order.extend(execution.ctrl.iter().copied().filter(|&(_, y)| event(y).kind == EventKind::Write));
    for (x, y) in execution.ids().flat_map(|x| execution.ids().map(move |y| (x, y))) {
        let kinds = (event(x).kind, event(y).kind) == (EventKind::Write, EventKind::Read);
        if kinds && execution.po(x, y) && event(x).cell == event(y).cell {
            order.insert((x, y));
        }
    }
    loop {
        let longer: BTreeSet<(EventId, EventId)> = order
            .iter()
            .flat_map(|&(x, y)| order.iter().filter(move |w| w.0 == y).map(move |w| (x, w.1)))
            .chain(order.iter().copied())
            .collect();
        if longer == order {
            return order.into_iter().collect();
        }
        order = longer;
    }
}
