//! Why an outcome is forbidden: a minimal core, and an execution that shows it.
//!
//! The program is encoded once more with a selector for each axiom, each statement and each initial value (see
//! [`Statements::Selected`]). The core is a minimal set of selectors that exclude the outcome (or any such set, see
//! [`Reasons`]); the picture is an execution that has the outcome and keeps the program and all axioms but one of the core,
//! with the cycle that breaks that one.
//!
//! A total order that a model states in three axioms is one axiom for the solver. If it is in a core, the core is sought once
//! more with the three apart, so that it names those that are needed (MemSAT, section 2.4). That makes no other member
//! superfluous: without it there is an execution that even satisfies all three.
//!
//! A program without any execution is explained in the same way, with nothing asked for.

use std::borrow::Cow;
use std::collections::HashMap;

use program::outcome::Step;
use program::{Core, CoreMember, CoreMemberKind, Execution, Span, ThreadId, Unsupported, Verified, Violation};
use relation::{Bit, Evaluation, ExprId};
use sat::{Answer, Budget};

use crate::decode::{atom_events, decode, instance};
use crate::encode::encode;
use crate::encoding::Encoding;
use crate::inline::inline;
use crate::model::{Axiom, Model};
use crate::options::{Options, Reasons};
use crate::selector::{Accessed, Part, Statements};
use crate::setting::{Plan, Setting};
use crate::symmetry::without;
use crate::walk::initial;

/// What a selector stands for.
#[derive(Clone)]
enum Member {
    Axiom(usize),
    Parts(Vec<Part>),
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

/// What is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// That no execution has the outcome asked for.
    Outcome,
    /// That the program has no execution.
    Existence,
}

/// What is sought: about what, how good the reasons must be, and for how long.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// What is explained.
    pub about: About,
    /// Whether each reason must be needed.
    pub reasons: Reasons,
    /// When to stop.
    pub budget: &'a Budget,
}

/// Explains what is wanted; `None` if the budget does not suffice.
///
/// Threads that can be exchanged share their selectors, so that the symmetry stays usable. A statement of such a group
/// is then tried alone: if it is needed, so are its copies. If it is not, the core is sought again without symmetry.
pub fn explain(setting: &Setting, wanted: Wanted) -> Result<Option<Explanation>, Unsupported> {
    let Some(explanation) = explain_by_groups(setting, wanted)? else { return Ok(None) };
    let is_done = setting.symmetry.is_empty() || wanted.reasons == Reasons::Any;
    if is_done || needs_each_statement(setting, &explanation.core, wanted)? == Some(true) {
        return Ok(Some(explanation));
    }
    explain_by_groups(&with_symmetry(setting, Vec::new()), wanted)
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
    match members.iter().any(|member| is_part_of_order(&setting, member)) {
        true => {
            let setting = Setting { model: Cow::Owned(with_orders_apart(&setting.model)), ..setting };
            Trial::new(&setting)?.allows(members, &options.budget)
        }
        false => Trial::new(&setting)?.allows(members, &options.budget),
    }
}

/// Whether a member is one of the axioms that were recognised as an order.
fn is_part_of_order(setting: &Setting, member: &CoreMember) -> bool {
    let mut parts = setting.model.axioms.iter().flat_map(|axiom| &axiom.parts);
    member.kind == CoreMemberKind::Axiom && parts.any(|part| part.name == member.name)
}

/// The model with each order that was recognised as the axioms that state it.
fn with_orders_apart(model: &Model) -> Model {
    let mut apart = model.clone();
    let parts = |axiom: Axiom| if axiom.parts.is_empty() { vec![axiom] } else { axiom.parts };
    apart.axioms = std::mem::take(&mut apart.axioms).into_iter().flat_map(parts).collect();
    apart
}

fn with_symmetry<'a>(setting: &Setting<'a>, symmetry: Vec<Vec<ThreadId>>) -> Setting<'a> {
    with(setting, setting.model.clone(), symmetry)
}

/// The setting with another form of its model, and with these threads exchangeable.
fn with<'a>(setting: &Setting<'a>, model: Cow<'a, Model>, symmetry: Vec<Vec<ThreadId>>) -> Setting<'a> {
    let Setting { inlined, program, unrolling, values, extras, .. } = setting;
    let Setting { property, executions, enough_executions, .. } = setting;
    Setting {
        inlined,
        program,
        model,
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
        may_race: setting.may_race,
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
        let members =
            members(&encoding, About::Outcome).iter().map(|(bit, member)| (*bit, described(member))).collect();
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
fn needs_each_statement(setting: &Setting, core: &Core, wanted: Wanted) -> Result<Option<bool>, Unsupported> {
    let apart = core.members.iter().any(|member| is_part_of_order(setting, member));
    let model = if apart { Cow::Owned(with_orders_apart(&setting.model)) } else { setting.model.clone() };
    for group in &setting.symmetry {
        let thread = group[0];
        let name = &setting.program[thread].name;
        let alone = with(setting, model.clone(), without(&setting.symmetry, thread));
        let mut alone = Trial::new(&alone)?;
        for member in core.members.iter().filter(|member| member.thread.as_ref() == Some(name)) {
            let others: Vec<CoreMember> = core.members.iter().filter(|&other| other != member).cloned().collect();
            match alone.allows(&others, wanted.budget)? {
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

/// The core, with axioms that were recognised as one order told apart if the program is not too large for that. The picture
/// is of the model as it stands.
fn explain_by_groups(setting: &Setting, wanted: Wanted) -> Result<Option<Explanation>, Unsupported> {
    let Some(mut found) = blame(setting, wanted, &|_| true)? else { return Ok(None) };
    let violation = violation(&mut found.encoding, setting, &found.members, &found.blamed, wanted.budget);
    let core = found.core(setting, wanted.reasons);
    let solver_calls = core.members.len() as u64 + 2;
    let is_merged = |member: &CoreMember| {
        let mut axioms = setting.model.axioms.iter();
        axioms.any(|axiom| !axiom.parts.is_empty() && axiom.name == member.name)
    };
    let is_large = found.encoding.events.events.len() > EVENTS_WITH_ORDERS_APART;
    if is_large || !core.members.iter().any(is_merged) {
        return Ok(Some(Explanation { core, violation, solver_calls }));
    }
    let apart = with(setting, Cow::Owned(with_orders_apart(&setting.model)), setting.symmetry.clone());
    let among = |member: &CoreMember| core.members.contains(member) || is_part_of_order(setting, member);
    let told_apart = blame(&apart, wanted, &among)?.map(|found| found.core(&apart, wanted.reasons));
    Ok(Some(Explanation { core: told_apart.unwrap_or(core), violation, solver_calls }))
}

/// Transitivity as a formula has a clause for each three events.
const EVENTS_WITH_ORDERS_APART: usize = 64;

/// What excludes an outcome.
struct Blame<'a> {
    encoding: Encoding<'a>,
    /// All selectors among which the core was sought.
    members: Vec<(Bit, Member)>,
    /// The core.
    blamed: Vec<Member>,
}

impl Blame<'_> {
    fn core(&self, setting: &Setting, reasons: Reasons) -> Core {
        Core { minimal: reasons == Reasons::Minimal, ..describe(setting, &self.blamed) }
    }
}

/// The core among these members, which exclude the outcome.
fn blame<'a>(
    setting: &'a Setting<'_>,
    Wanted { about, reasons, budget }: Wanted,
    among: &dyn Fn(&CoreMember) -> bool,
) -> Result<Option<Blame<'a>>, Unsupported> {
    let mut encoding = selected_encoding(setting)?;
    let mut members = members(&encoding, about);
    members.retain(|(_, member)| describe(setting, std::slice::from_ref(member)).members.iter().any(among));
    let selectors: Vec<Bit> = members.iter().map(|&(bit, _)| bit).collect();
    match encoding.circuit.solve(&selectors, budget) {
        Answer::Unsatisfiable => {}
        Answer::Unknown => return Ok(None),
        Answer::Satisfiable => {
            return Err(Unsupported::new("an answer that the engine's two encodings disagree about", None));
        }
    }
    let core = match reasons {
        Reasons::Any => encoding.circuit.failed(&selectors),
        Reasons::Minimal => match encoding.circuit.minimal_core(&selectors, budget) {
            Ok(core) => core,
            Err(_) => return Ok(None),
        },
    };
    let blamed = members.iter().filter(|(bit, _)| core.contains(bit)).map(|(_, member)| member.clone()).collect();
    Ok(Some(Blame { encoding, members, blamed }))
}

/// All selectors: axioms first, then the program in order, then the question.
fn members(encoding: &Encoding, about: About) -> Vec<(Bit, Member)> {
    let axioms = encoding.axioms.iter().map(|&(axiom, bit)| (bit, Member::Axiom(axiom)));
    let program = encoding.selectors.iter().map(|selector| (selector.bit, Member::Parts(selector.parts.clone())));
    let filter = std::iter::once((encoding.filter, Member::Filter));
    let asked = encoding.asked.iter().filter(|_| about == About::Outcome);
    let asked = asked.map(|asked| (asked.bit, Member::Asked(asked.name.clone(), asked.span)));
    axioms.chain(program).chain(filter).chain(asked).filter(|&(bit, _)| bit != Bit::TRUE).collect()
}

fn describe(setting: &Setting, blamed: &[Member]) -> Core {
    let mut axioms = Vec::new();
    let mut parts: Vec<&Part> = Vec::new();
    let mut assertions = Vec::new();
    for member in blamed {
        match member {
            Member::Axiom(index) => axioms.push(describe_axiom(&setting.model, &setting.model.axioms[*index])),
            Member::Parts(copies) => parts.extend(copies),
            Member::Filter => assertions.push(describe_question(setting, "the filter", None)),
            Member::Asked(name, span) => assertions.push(describe_question(setting, name, *span)),
        }
    }
    parts.sort();
    let program = parts.into_iter().map(|part| describe_part(setting, part));
    Core { members: axioms.into_iter().chain(program).chain(assertions).collect(), minimal: true }
}

fn describe_axiom(model: &Model, axiom: &Axiom) -> CoreMember {
    let statements = if axiom.parts.is_empty() { std::slice::from_ref(axiom) } else { &axiom.parts };
    let formulas = statements.iter().filter_map(|axiom| Some(model.sources.words(axiom.statement?)));
    let formulas: Vec<String> = formulas.collect();
    CoreMember {
        kind: CoreMemberKind::Axiom,
        name: axiom.name.clone(),
        formula: (!formulas.is_empty()).then(|| formulas.join("; ")),
        location: Some(model.sources.location(axiom.span)),
        thread: None,
    }
}

fn describe_question(setting: &Setting, name: &str, span: Option<Span>) -> CoreMember {
    let location = span.map(|span| setting.program.sources.location(span));
    CoreMember { kind: CoreMemberKind::Assertion, name: name.into(), formula: None, location, thread: None }
}

fn describe_part(setting: &Setting, part: &Part) -> CoreMember {
    let program = setting.program;
    let (name, span, thread) = match part {
        Part::Initial(cell) => {
            let cell = &setting.values.cells[*cell];
            let value = program.value_name(&initial(program, &setting.unrolling, cell));
            let declared = program.globals.get(cell.allocation as usize).and_then(|global| global.span);
            (format!("initially {} = {value}", program.cell_name(cell)), declared, None)
        }
        Part::Statement(thread, span, access) => {
            let text = program.sources.words(*span);
            let name = match access {
                None => text,
                Some(Accessed { verb, cell: None }) => format!("{text} (its {verb})"),
                Some(Accessed { verb, cell: Some(cell) }) => {
                    format!("{text} (the {verb} of {})", program.cell_name(cell))
                }
            };
            (name, Some(*span), Some(program[*thread].name.clone()))
        }
    };
    let location = span.map(|span| program.sources.location(span));
    CoreMember { kind: CoreMemberKind::Program, name, formula: None, location, thread }
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
