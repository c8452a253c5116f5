//! Why an outcome is forbidden: a minimal core, and an execution that shows it.
//!
//! The program is encoded once more with a selector for each axiom and each statement (see [`Statements::Selected`]).
//! The core is a minimal set of selectors that exclude the outcome; the picture is an execution that has the outcome and
//! keeps the program and all axioms but one of the core, with the cycle that breaks that one.

use std::collections::HashMap;

use program::outcome::Step;
use program::{
    Core, CoreMember, CoreMemberKind, EventId, Execution, Question, Span, ThreadId, Unsupported, Verified, Violation,
};
use relation::{Bit, Evaluation, ExprId};
use sat::{Answer, Budget};

use crate::decode::{decode, instance};
use crate::encode::{Encoding, encode};
use crate::events::Statements;
use crate::model::{Axiom, Model};
use crate::unroll::Unrolled;
use crate::values::Values;

/// What a selector stands for.
#[derive(Clone, Copy)]
enum Member {
    Axiom(usize),
    Statement(ThreadId, Span),
    Asked,
    Filter,
}

/// An explanation of a forbidden outcome.
pub struct Explanation {
    /// The minimal core.
    pub core: Core,
    /// The execution that shows it; `None` if no axiom is to blame.
    pub violation: Option<Violation>,
    /// How many times the solver was called.
    pub solver_calls: u64,
}

/// Explains why no execution has the outcome asked for; `None` if the budget does not suffice.
pub fn explain(
    program: &Verified,
    threads: &[Unrolled],
    values: &Values,
    model: &Model,
    budget: &Budget,
) -> Result<Option<Explanation>, Unsupported> {
    let mut encoding = encode(program, threads, values, model, Statements::Selected)?;
    let (pruned, faulty) = (encoding.pruned, encoding.faulty);
    encoding.circuit.clause(&[!pruned]);
    encoding.circuit.clause(&[!faulty]);
    let members = members(&encoding);
    let selectors: Vec<Bit> = members.iter().map(|&(bit, _)| bit).collect();
    match encoding.circuit.solve(&selectors, budget) {
        Answer::Unsatisfiable => {}
        Answer::Unknown => return Ok(None),
        Answer::Satisfiable => {
            return Err(Unsupported::new("an answer that the engine's two encodings disagree about", None));
        }
    }
    let Ok(core) = encoding.circuit.minimal_core(&selectors, budget) else { return Ok(None) };
    let blamed: Vec<Member> =
        members.iter().filter(|(bit, _)| core.contains(bit)).map(|&(_, member)| member).collect();
    let violation = violation(&mut encoding, program, model, &members, &blamed, budget);
    let solver_calls = core.len() as u64 + 2;
    Ok(Some(Explanation { core: describe(program, model, &blamed), violation, solver_calls }))
}

/// All selectors: axioms first, so that cores name few of them; then statements in order, then the question.
fn members(encoding: &Encoding) -> Vec<(Bit, Member)> {
    let axioms = encoding.axioms.iter().map(|&(axiom, bit)| (bit, Member::Axiom(axiom)));
    let statements = encoding.events.selectors.iter();
    let statements = statements.map(|(&(thread, span), &bit)| (bit, Member::Statement(thread, span)));
    let question = [(encoding.filter, Member::Filter), (encoding.asked, Member::Asked)];
    axioms.chain(statements).chain(question).filter(|&(bit, _)| bit != Bit::TRUE).collect()
}

fn describe(program: &Verified, model: &Model, blamed: &[Member]) -> Core {
    let text = |span: Span| program.sources.snippet(span).split_whitespace().collect::<Vec<_>>().join(" ");
    let question = |of: &dyn Fn(&Question) -> Option<Span>| {
        let span = program.question.as_ref().and_then(of);
        (span.map_or_else(|| "the outcome asked for".into(), text), span)
    };
    let describe = |member: &Member| match *member {
        Member::Axiom(index) => {
            let axiom = &model.axioms[index];
            CoreMember {
                kind: CoreMemberKind::Axiom,
                name: axiom.name.clone(),
                location: Some(model.sources.location(axiom.span)),
                thread: None,
            }
        }
        Member::Statement(thread, span) => CoreMember {
            kind: CoreMemberKind::Program,
            name: text(span),
            location: Some(program.sources.location(span)),
            thread: Some(program.threads[thread.0 as usize].name.clone()),
        },
        Member::Asked | Member::Filter => {
            let (name, span) = match member {
                Member::Filter => ("the filter".into(), None),
                _ => question(&|question| question.span),
            };
            let location = span.map(|span| program.sources.location(span));
            CoreMember { kind: CoreMemberKind::Assertion, name, location, thread: None }
        }
    };
    Core { members: blamed.iter().map(describe).collect() }
}

/// An execution with the outcome that breaks an axiom of the core.
fn violation(
    encoding: &mut Encoding,
    program: &Verified,
    model: &Model,
    members: &[(Bit, Member)],
    blamed: &[Member],
    budget: &Budget,
) -> Option<Violation> {
    let first = blamed.iter().find_map(|member| if let Member::Axiom(index) = member { Some(*index) } else { None })?;
    let mut dropped = vec![first];
    // Other axioms may exclude the outcome as well: those are dropped, too, one of each further core.
    loop {
        let is_dropped = |member: &Member| matches!(member, Member::Axiom(index) if dropped.contains(index));
        let kept: Vec<Bit> = members.iter().filter(|(_, member)| !is_dropped(member)).map(|&(bit, _)| bit).collect();
        match encoding.circuit.solve(&kept, budget) {
            Answer::Satisfiable => break,
            Answer::Unknown => return None,
            Answer::Unsatisfiable => {
                let failed = encoding.circuit.failed(&kept);
                let next = members.iter().find_map(|(bit, member)| match member {
                    Member::Axiom(index) if failed.contains(bit) => Some(*index),
                    _ => None,
                })?;
                dropped.push(next);
            }
        }
    }
    let valuation = encoding.circuit.valuation();
    let execution = decode(encoding, program, model, &valuation);
    let (axiom, cycle) = dropped.iter().map(|&index| &model.axioms[index]).find_map(|axiom| {
        let cycle = offence(&execution, model, axiom);
        (!cycle.is_empty()).then(|| (axiom.name.clone(), cycle))
    })?;
    Some(Violation { axiom, execution, cycle })
}

/// The cycle or path by which an execution breaks an axiom.
pub fn offence(execution: &Execution, model: &Model, axiom: &Axiom) -> Vec<Step> {
    let mut names: HashMap<ExprId, String> = HashMap::new();
    for (name, expr) in &model.names {
        names.entry(*expr).or_insert_with(|| name.clone());
    }
    let instance = instance(execution, &model.formulas);
    let steps = Evaluation::new(&model.formulas, &instance).offence(&axiom.formula, &|expr| names.get(&expr).cloned());
    let id = |atom: usize| EventId(atom as u32);
    let step = |(x, y, relation): (usize, usize, String)| Step { from: id(x), to: id(y), relation };
    steps.into_iter().filter(|(x, y, _)| x != y).map(step).collect()
}
