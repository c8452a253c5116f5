//! Which models can be explored, and by what.
//!
//! A model is recognised by what it says, not by its name: its required formulas and its flag for data races are compared
//! with those of the shipped `rc11` and `rc20`, as trees over the vocabulary. Names that the model gives to relations, the order of
//! its axioms, the order of unions and intersections, and comments make no difference. Any other model judges graphs itself
//! ([`super::judge`](mod@super::judge)), if it is one that can be explored so.

use std::collections::BTreeSet;
use std::sync::Arc;

use axiomatic::Model;
use axiomatic::UNORDERED_ALLOCATION;
use axiomatic::model::{AxiomKind, EventView, load, shipped};
use operational::Machine;
use program::{Unsupported, Verified};
use relation::formula::{Expr, ExprId, Formula, Formulas};

use super::consistent::keeps_seq_cst;
use super::graph::{Graph, Sequences};
use super::judge::{Judge, judge};
use super::local::Local;
use super::machine::keeps_order;

/// The name that models give to the flag for data races.
pub const RACE: &str = "data-race";

/// Whether graphs of the model know what happens before what.
pub fn has_happens_before(model: &Model) -> bool {
    recognise(model).is_ok_and(|recognised| matches!(recognised.axioms, Axioms::C11(_)))
}

/// What keeps graphs consistent.
#[derive(Clone, Debug)]
pub enum Axioms {
    /// Those of rc11 and rc20, with these release sequences.
    C11(Sequences),
    /// Those of sc, tso or pso.
    Machine(Machine),
    /// Those of a model, by what it says.
    Model(Arc<Judge>),
}

impl Axioms {
    /// How release sequences go on, where there are any.
    pub fn sequences(&self) -> Sequences {
        match self {
            Axioms::C11(sequences) => *sequences,
            Axioms::Machine(_) | Axioms::Model(_) => Sequences::OfUpdates,
        }
    }

    /// The machine whose axioms these are.
    pub fn machine(&self) -> Option<Machine> {
        match self {
            Axioms::C11(_) | Axioms::Model(_) => None,
            Axioms::Machine(machine) => Some(*machine),
        }
    }

    /// The model that judges by what it says.
    pub fn judge(&self) -> Option<&Judge> {
        match self {
            Axioms::C11(_) | Axioms::Machine(_) => None,
            Axioms::Model(judge) => Some(judge),
        }
    }

    /// Whether coherence and atomicity say all, with so many sequentially consistent events.
    pub fn is_coherence(&self, seq_cst: u32) -> bool {
        matches!(self, Axioms::C11(_)) && seq_cst < 2
    }

    /// Whether a graph is consistent, as far as [`super::consistent::oldest`] does not say so.
    pub fn keep(&self, graph: &Graph, local: &Local) -> bool {
        match self {
            Axioms::C11(_) => keeps_seq_cst(graph),
            Axioms::Machine(machine) => keeps_order(graph, *machine),
            Axioms::Model(judge) => judge.keeps(graph, local),
        }
    }

    /// The threads of a program.
    pub fn threads<'a>(&self, program: &'a Verified, stretch: u64) -> Result<Local<'a>, Unsupported> {
        match self {
            Axioms::Model(judge) => {
                judge.refuse(program)?;
                Local::by_model(program, stretch)
            }
            _ => Local::on(program, self.machine(), stretch),
        }
    }
}

/// What the exploration needs to know of a model.
#[derive(Clone, Debug)]
pub struct Recognised {
    /// What keeps graphs consistent.
    pub axioms: Axioms,
    /// Whether data races are flagged.
    pub flags_races: bool,
    /// Whether accesses are flagged that nothing orders after the allocation of their memory.
    pub flags_allocations: bool,
}

/// The models that are known, with their release sequences.
const KNOWN: [(&str, Sequences); 2] = [("rc11.cat", Sequences::OfThread), ("rc20.cat", Sequences::OfUpdates)];

/// What a model is to the exploration.
pub fn recognise(model: &Model) -> Result<Recognised, Unsupported> {
    let own = Described::of(model);
    let is_plain = model.view == EventView::Parts && model.existentials.is_empty() && !own.has_other_flags;
    for (file, sequences) in KNOWN.into_iter().filter(|_| is_plain) {
        let Some(described) = known(file).map(|known| Described::of(&known)) else { continue };
        let is_same = |own: &Option<String>, known: &Option<String>| own.is_none() || own == known;
        let same_flags = is_same(&own.race, &described.race) && is_same(&own.allocation, &described.allocation);
        if own.required == described.required && same_flags {
            let (flags_races, flags_allocations) = (own.race.is_some(), own.allocation.is_some());
            return Ok(Recognised { axioms: Axioms::C11(sequences), flags_races, flags_allocations });
        }
    }
    judged(model)
}

/// What a model is to the exploration if nothing is known of it but what it says.
pub fn judged(model: &Model) -> Result<Recognised, Unsupported> {
    match judge(model) {
        Ok(judge) => {
            let flags_races = judge.has_flag(RACE);
            Ok(Recognised { axioms: Axioms::Model(Arc::new(judge)), flags_races, flags_allocations: false })
        }
        Err(reason) => Err(Unsupported::new(format!("the model {} in the engine mcr: {reason}", model.name), None)),
    }
}

fn known(file: &str) -> Option<Model> {
    let text = |name: &str| shipped().iter().find(|(other, _)| *other == name).map(|(_, text)| text.to_string());
    load(file, &text(file)?, &|name| text(name)).ok()
}

/// A model as texts: its required formulas, and what a data race and an access before its allocation are.
struct Described {
    required: BTreeSet<String>,
    race: Option<String>,
    allocation: Option<String>,
    has_other_flags: bool,
}

impl Described {
    fn of(model: &Model) -> Described {
        let required = BTreeSet::new();
        let mut described = Described { required, race: None, allocation: None, has_other_flags: false };
        for axiom in &model.axioms {
            let text = formula(&model.formulas, &axiom.formula);
            match axiom.kind {
                AxiomKind::Require => {
                    described.required.insert(text);
                }
                AxiomKind::Flag if axiom.name == RACE => described.race = Some(text),
                AxiomKind::Flag if axiom.name == UNORDERED_ALLOCATION => described.allocation = Some(text),
                AxiomKind::Flag => described.has_other_flags = true,
            }
        }
        described
    }
}

fn formula(formulas: &Formulas, of: &Formula) -> String {
    match of {
        Formula::Acyclic(expr) => format!("acyclic {}", expression(formulas, *expr)),
        Formula::Irreflexive(expr) => format!("irreflexive {}", expression(formulas, *expr)),
        Formula::Empty(expr) => format!("empty {}", expression(formulas, *expr)),
        Formula::Not(inner) => format!("not {}", formula(formulas, inner)),
        // No known model has any other form; two that look alike here are not taken for equal.
        other => format!("{other:?}"),
    }
}

fn expression(formulas: &Formulas, id: ExprId) -> String {
    let text = |id: &ExprId| expression(formulas, *id);
    let of = |operator: &str, operands: &[ExprId]| {
        format!("({operator} {})", operands.iter().map(text).collect::<Vec<_>>().join(" "))
    };
    match formulas.node(id) {
        Expr::Base(name) => name.to_string(),
        Expr::Union(a, b) => in_any_order(formulas, "|", id, [*a, *b]),
        Expr::Intersection(a, b) => in_any_order(formulas, "&", id, [*a, *b]),
        Expr::Difference(a, b) => of("\\", &[*a, *b]),
        Expr::Sequence(a, b) => of(";", &[*a, *b]),
        Expr::Product(a, b) => of("*", &[*a, *b]),
        Expr::Inverse(a) => of("^-1", &[*a]),
        Expr::Closure(a) => of("^+", &[*a]),
        Expr::ReflexiveClosure(a) => of("^*", &[*a]),
        Expr::Domain(a) => of("domain", &[*a]),
        Expr::Range(a) => of("range", &[*a]),
        other => format!("{other:?}"),
    }
}

/// A union or intersection with its parts in alphabetical order.
fn in_any_order(formulas: &Formulas, operator: &str, id: ExprId, operands: [ExprId; 2]) -> String {
    let is_union = matches!(formulas.node(id), Expr::Union(..));
    let mut parts: Vec<String> = Vec::new();
    let mut open = operands.to_vec();
    while let Some(next) = open.pop() {
        match formulas.node(next) {
            Expr::Union(a, b) if is_union => open.extend([*a, *b]),
            Expr::Intersection(a, b) if !is_union => open.extend([*a, *b]),
            _ => parts.push(expression(formulas, next)),
        }
    }
    parts.sort();
    parts.dedup();
    format!("({operator} {})", parts.join(" "))
}
