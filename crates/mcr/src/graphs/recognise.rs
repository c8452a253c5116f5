//! Which models can be explored, and by what.
//!
//! A model is recognised by what it says, not by its name: its required formulas and its flag for data races are compared
//! with those of the shipped `rc11` and `rc20`, as trees over the vocabulary. Names that the model gives to relations, the order of
//! its axioms, the order of unions and intersections, and comments make no difference. Any other model is refused, with the
//! axiom that is unknown or the one that is missing.

use std::collections::BTreeMap;

use axiomatic::Model;
use axiomatic::UNORDERED_ALLOCATION;
use axiomatic::model::{AxiomKind, load, shipped};
use operational::Machine;
use program::Unsupported;
use relation::formula::{Expr, ExprId, Formula, Formulas};

use super::consistent::keeps_seq_cst;
use super::graph::{Graph, Sequences};
use super::machine::keeps_order;

/// What keeps graphs consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axioms {
    /// Those of rc11 and rc20, with these release sequences.
    C11(Sequences),
    /// Those of sc, tso or pso.
    Machine(Machine),
}

impl Axioms {
    /// How release sequences go on, where there are any.
    pub fn sequences(self) -> Sequences {
        match self {
            Axioms::C11(sequences) => sequences,
            Axioms::Machine(_) => Sequences::OfUpdates,
        }
    }

    /// The machine whose axioms these are.
    pub fn machine(self) -> Option<Machine> {
        match self {
            Axioms::C11(_) => None,
            Axioms::Machine(machine) => Some(machine),
        }
    }

    /// Whether a graph is consistent, as far as [`super::consistent::oldest`] does not say so.
    pub fn keep(self, graph: &Graph) -> bool {
        match self {
            Axioms::C11(_) => keeps_seq_cst(graph),
            Axioms::Machine(machine) => keeps_order(graph, machine),
        }
    }
}

/// What the exploration needs to know of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    let mut nearest: Option<(usize, String)> = None;
    for (file, sequences) in KNOWN {
        let Some(known) = known(file) else { continue };
        let described = Described::of(&known);
        let strange: Vec<&String> = own
            .required
            .iter()
            .filter(|(text, _)| !described.required.contains_key(*text))
            .map(|(_, name)| name)
            .collect();
        let missing: Vec<&String> = described
            .required
            .iter()
            .filter(|(text, _)| !own.required.contains_key(*text))
            .map(|(_, name)| name)
            .collect();
        let flags_races = own.race.is_some() && own.race == described.race;
        let differs = |own: &Option<String>, known: &Option<String>| own.is_some() && own != known;
        let other_flag = differs(&own.race, &described.race) || differs(&own.allocation, &described.allocation);
        if strange.is_empty() && missing.is_empty() && !other_flag && model.existentials.is_empty() {
            let flags_allocations = own.allocation.is_some() && own.allocation == described.allocation;
            return Ok(Recognised { axioms: Axioms::C11(sequences), flags_races, flags_allocations });
        }
        let reason = match (strange.first(), missing.first()) {
            (Some(axiom), _) => format!("its axiom {} is none of {}", own.place(axiom), known.name),
            (None, Some(axiom)) => format!("it lacks the axiom {axiom} of {}", known.name),
            (None, None) => format!("its flag for data races or for allocations is not that of {}", known.name),
        };
        let distance = strange.len() + missing.len();
        if nearest.as_ref().is_none_or(|(other, _)| distance < *other) {
            nearest = Some((distance, reason));
        }
    }
    let reason = nearest.map_or(String::new(), |(_, reason)| format!(": {reason}"));
    let what = format!("the model {} in the engine mcr, which explores rc11 and rc20{reason}", model.name);
    Err(Unsupported::new(what, None))
}

fn known(file: &str) -> Option<Model> {
    let text = |name: &str| shipped().iter().find(|(other, _)| *other == name).map(|(_, text)| text.to_string());
    load(file, &text(file)?, &|name| text(name)).ok()
}

/// A model as texts: each required formula with its name, and what is flagged.
struct Described {
    required: BTreeMap<String, String>,
    places: BTreeMap<String, String>,
    race: Option<String>,
    allocation: Option<String>,
}

impl Described {
    fn of(model: &Model) -> Described {
        let (required, places) = (BTreeMap::new(), BTreeMap::new());
        let mut described = Described { required, places, race: None, allocation: None };
        for axiom in &model.axioms {
            let text = formula(&model.formulas, &axiom.formula);
            match axiom.kind {
                AxiomKind::Require => {
                    let place = format!("{} ({})", axiom.name, model.sources.location(axiom.span));
                    described.places.insert(axiom.name.clone(), place);
                    described.required.insert(text, axiom.name.clone());
                }
                AxiomKind::Flag if axiom.name == "data-race" => described.race = Some(text),
                AxiomKind::Flag if axiom.name == UNORDERED_ALLOCATION => described.allocation = Some(text),
                AxiomKind::Flag => {}
            }
        }
        described
    }

    fn place(&self, axiom: &str) -> String {
        self.places.get(axiom).cloned().unwrap_or_else(|| axiom.to_string())
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
