//! Why an outcome is forbidden: a minimal core, and an execution that shows it.
//!
//! The program is encoded once more with a selector for each axiom and each statement (see [`Statements::Selected`]).
//! The core is a minimal set of selectors that exclude the outcome; the picture is an execution that has the outcome and
//! keeps the program and all axioms but one of the core, with the cycle that breaks that one.

use std::collections::HashMap;

use program::outcome::Step;
use program::{Core, CoreMember, CoreMemberKind, Execution, Span, ThreadId, Unsupported, Verified, Violation};
use relation::{Bit, Evaluation, ExprId};
use sat::{Answer, Budget};

use crate::decode::{atom_events, decode, instance};
use crate::encode::encode;
use crate::encoding::Encoding;
use crate::events::Statements;
use crate::inline::inline;
use crate::model::{Axiom, Model};
use crate::options::Options;
use crate::setting::{Plan, Setting};
use crate::symmetry::without;

/// What a selector stands for.
#[derive(Clone)]
enum Member {
    Axiom(usize),
    Statements(Vec<(ThreadId, Span)>),
    Asked(String, Option<Span>),
    Filter,
}

/// An explanation of a forbidden outcome.
pub struct Explanation {
    /// The minimal core.
    pub core: Core,
    /// The execution that shows it; `None` if no axiom is to blame.
    pub violation: Option<Violation>,
    /// How many times the solver was called, at least.
    pub solver_calls: u64,
}

/// Explains why no execution has the outcome asked for; `None` if the budget does not suffice.
///
/// Threads that can be exchanged share their selectors, so that the symmetry stays usable. A statement of such a group
/// is then tried alone: if it is needed, so are its copies. If it is not, the core is sought again without symmetry.
pub fn explain(setting: &Setting, budget: &Budget) -> Result<Option<Explanation>, Unsupported> {
    let Some(explanation) = explain_by_groups(setting, budget)? else { return Ok(None) };
    if setting.symmetry.is_empty() || needs_each_statement(setting, &explanation.core, budget)? == Some(true) {
        return Ok(Some(explanation));
    }
    explain_by_groups(&with_symmetry(setting, Vec::new()), budget)
}

/// Whether an execution with the outcome asked for exists if only these members of a core bind; `None` if the budget
/// does not suffice. This is what "minimal" means: false for a core, true for a core without any one member.
pub fn allows(
    program: &Verified,
    model: &Model,
    options: &Options,
    members: &[CoreMember],
) -> Result<Option<bool>, Unsupported> {
    let inlined = inline(program)?;
    let setting = Setting::new(&inlined, model, &Plan::new(options), &[])?;
    let setting = with_symmetry(&setting, Vec::new());
    Trial::new(&setting)?.allows(members, &options.budget)
}

fn with_symmetry<'a>(setting: &Setting<'a>, symmetry: Vec<Vec<ThreadId>>) -> Setting<'a> {
    let Setting { inlined, program, model, unrolling, values, extras, .. } = setting;
    let Setting { property, executions, enough_executions, .. } = setting;
    Setting {
        inlined,
        program,
        model: model.clone(),
        unrolling: unrolling.clone(),
        whole: setting.whole.clone(),
        values: values.clone(),
        extras: *extras,
        executions: *executions,
        enough_executions: *enough_executions,
        symmetry,
        property: *property,
        choices: setting.choices.clone(),
        unseen: setting.unseen.clone(),
        loops: setting.loops.clone(),
    }
}

/// An encoding in which members can be switched on and off.
struct Trial<'a> {
    encoding: Encoding<'a>,
    /// Each selector with the members it stands for.
    members: Vec<(Bit, Vec<CoreMember>)>,
}

impl<'a> Trial<'a> {
    fn new(setting: &'a Setting<'_>) -> Result<Trial<'a>, Unsupported> {
        let encoding = selected_encoding(setting)?;
        let described = |member: &Member| describe(setting, std::slice::from_ref(member)).members;
        let members = members(&encoding).iter().map(|(bit, member)| (*bit, described(member))).collect();
        Ok(Trial { encoding, members })
    }

    fn allows(&mut self, binding: &[CoreMember], budget: &Budget) -> Result<Option<bool>, Unsupported> {
        let is_bound = |members: &[CoreMember]| members.iter().any(|member| binding.contains(member));
        let bound = self.members.iter().filter(|(_, members)| is_bound(members));
        let selectors: Vec<Bit> = bound.map(|&(bit, _)| bit).collect();
        Ok(match self.encoding.circuit.solve(&selectors, budget) {
            Answer::Satisfiable => Some(true),
            Answer::Unsatisfiable => Some(false),
            Answer::Unknown => None,
        })
    }
}

/// Whether the outcome becomes possible without the statement, for each statement of one thread of each group.
fn needs_each_statement(setting: &Setting, core: &Core, budget: &Budget) -> Result<Option<bool>, Unsupported> {
    for group in &setting.symmetry {
        let thread = group[0];
        let name = &setting.program.threads[thread.0 as usize].name;
        let alone = with_symmetry(setting, without(&setting.symmetry, thread));
        let mut alone = Trial::new(&alone)?;
        for member in core.members.iter().filter(|member| member.thread.as_ref() == Some(name)) {
            let others: Vec<CoreMember> = core.members.iter().filter(|&other| other != member).cloned().collect();
            match alone.allows(&others, budget)? {
                Some(true) => {}
                other => return Ok(other),
            }
        }
    }
    Ok(Some(true))
}

fn selected_encoding<'a>(setting: &'a Setting<'_>) -> Result<Encoding<'a>, Unsupported> {
    let mut encoding = encode(setting, Statements::Selected)?;
    let (pruned, faulty) = (encoding.pruned, encoding.faulty);
    encoding.circuit.clause(&[!pruned]);
    encoding.circuit.clause(&[!faulty]);
    Ok(encoding)
}

fn explain_by_groups(setting: &Setting, budget: &Budget) -> Result<Option<Explanation>, Unsupported> {
    let mut encoding = selected_encoding(setting)?;
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
        members.iter().filter(|(bit, _)| core.contains(bit)).map(|(_, member)| member.clone()).collect();
    let violation = violation(&mut encoding, setting, &members, &blamed, budget);
    let solver_calls = core.len() as u64 + 2;
    Ok(Some(Explanation { core: describe(setting, &blamed), violation, solver_calls }))
}

/// All selectors: axioms first, then statements in order, then the question.
fn members(encoding: &Encoding) -> Vec<(Bit, Member)> {
    let axioms = encoding.axioms.iter().map(|&(axiom, bit)| (bit, Member::Axiom(axiom)));
    let statements = encoding.selectors.iter();
    let statements = statements.map(|selector| (selector.bit, Member::Statements(selector.statements.clone())));
    let filter = [(encoding.filter, Member::Filter)];
    let asked = encoding.asked.iter().map(|asked| (asked.bit, Member::Asked(asked.name.clone(), asked.span)));
    axioms.chain(statements).chain(filter).chain(asked).filter(|&(bit, _)| bit != Bit::TRUE).collect()
}

fn describe(setting: &Setting, blamed: &[Member]) -> Core {
    let Setting { program, model, .. } = setting;
    let assertion = |name: String, span: Option<Span>| CoreMember {
        kind: CoreMemberKind::Assertion,
        name,
        location: span.map(|span| program.sources.location(span)),
        thread: None,
    };
    let statement = |&(thread, span): &(ThreadId, Span)| CoreMember {
        kind: CoreMemberKind::Program,
        name: program.sources.words(span),
        location: Some(program.sources.location(span)),
        thread: Some(program.threads[thread.0 as usize].name.clone()),
    };
    let mut members = Vec::new();
    let mut statements: Vec<(ThreadId, Span)> = Vec::new();
    let mut assertions = Vec::new();
    for member in blamed {
        match member {
            Member::Axiom(index) => members.push(CoreMember {
                kind: CoreMemberKind::Axiom,
                name: model.axioms[*index].name.clone(),
                location: Some(model.sources.location(model.axioms[*index].span)),
                thread: None,
            }),
            Member::Statements(copies) => statements.extend(copies),
            Member::Filter => assertions.push(assertion("the filter".into(), None)),
            Member::Asked(name, span) => assertions.push(assertion(name.clone(), *span)),
        }
    }
    statements.sort();
    members.extend(statements.iter().map(statement));
    members.extend(assertions);
    Core { members }
}

/// An execution with the outcome that breaks an axiom of the core.
fn violation(
    encoding: &mut Encoding,
    setting: &Setting,
    members: &[(Bit, Member)],
    blamed: &[Member],
    budget: &Budget,
) -> Option<Violation> {
    let model = &*setting.model;
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
    let execution = decode(encoding, setting.program, model, &valuation);
    let offences = dropped.iter().map(|&index| &model.axioms[index]);
    let mut offences = offences.map(|axiom| (axiom.name.clone(), offence(&execution, model, axiom)));
    // An axiom about cycles shows most; one that is a formula of another kind only gives its name.
    let first = offences.next()?;
    let (axiom, cycle) = if first.1.is_empty() { offences.find(|o| !o.1.is_empty()).unwrap_or(first) } else { first };
    Some(Violation { axiom, execution, cycle })
}

/// The cycle or path by which an execution breaks an axiom.
pub fn offence(execution: &Execution, model: &Model, axiom: &Axiom) -> Vec<Step> {
    // Between several executions there is no cycle of events to show.
    if !execution.justification.is_empty() {
        return Vec::new();
    }
    let mut names: HashMap<ExprId, String> = HashMap::new();
    for (name, expr) in &model.names {
        names.entry(*expr).or_insert_with(|| name.clone());
    }
    let instance = instance(execution, model);
    let events = atom_events(execution, model);
    let steps = Evaluation::new(&model.formulas, &instance).offence(&axiom.formula, &|expr| names.get(&expr).cloned());
    let step = |(x, y, relation): (usize, usize, String)| Step { from: events[x], to: events[y], relation };
    steps.into_iter().filter(|(x, y, _)| x != y).map(step).collect()
}
