//! Does a model exclude values that come about in a circle?
//!
//! A circle of values goes from reads to po-later writes of the same thread (data flows forwards) and along `rf` from
//! writes to reads. A model excludes it if one of its `acyclic` axioms contains every such step between threads, and one
//! (perhaps the same) forbids a read to see a later write of its own thread. Containment is judged from the
//! expressions alone, for any events; "no" is always a safe answer.

use program::Program;
use relation::{Expr, ExprId, Formula, Formulas};

use crate::model::{AxiomKind, EventView, Model};

/// Whether the model excludes values that come about in a circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Every value comes from a constant through finitely many steps, none repeated.
    Grounded,
    /// So does every value, but a branch may be taken because of what only happens if it is taken.
    Speculative,
    /// Values may justify each other.
    Circular,
}

/// A class of pairs, by what is known of every pair in it.
#[derive(Clone, Copy)]
struct Class {
    /// Kinds of the two events: `R` or `W`.
    kinds: [&'static str; 2],
    po: Option<bool>,
    rf: Option<bool>,
    loc: Option<bool>,
    same_thread: Option<bool>,
    /// The dependency that it is a class of.
    dependency: Option<&'static str>,
}

/// A read and a later write of the same thread, of any cells.
const READ_TO_WRITE: Class =
    Class { kinds: ["R", "W"], po: Some(true), rf: Some(false), loc: None, same_thread: Some(true), dependency: None };
/// A read and a later write of the same thread, of one cell.
const READ_TO_WRITE_OF_CELL: Class = Class { loc: Some(true), ..READ_TO_WRITE };
/// A write to a read of another thread that sees it.
const READS_FROM_OUTSIDE: Class =
    Class { po: Some(false), rf: Some(true), loc: Some(true), same_thread: Some(false), ..READS_FROM };
/// A write to a read of the same thread that sees it, whichever comes first.
const READS_FROM_INSIDE: Class = Class { same_thread: Some(true), ..READS_FROM };
/// A write to a read that sees it.
const READS_FROM: Class =
    Class { kinds: ["W", "R"], po: None, rf: Some(true), loc: Some(true), same_thread: None, dependency: None };
/// A read to a later access that depends on it.
const DATA: Class = Class { dependency: Some("data"), ..READ_TO_WRITE };
const ADDRESS_OF_WRITE: Class = Class { dependency: Some("addr"), ..READ_TO_WRITE };
const ADDRESS_OF_READ: Class = Class { kinds: ["R", "R"], ..ADDRESS_OF_WRITE };

/// A write and a later write of the same thread, of one cell.
const OWN_WRITES: Class = Class { kinds: ["W", "W"], ..READ_TO_WRITE_OF_CELL };
/// A write and a later read of the same thread, of one cell.
const OWN_WRITE_TO_READ: Class = Class { kinds: ["W", "R"], rf: None, ..READ_TO_WRITE_OF_CELL };
/// Coherence, between writes of one thread against program order.
const COHERENCE: Class = Class { po: Some(false), dependency: Some("co"), ..OWN_WRITES };
/// A read to an earlier write of its own thread that overwrites what it saw.
const FROM_READ: Class = Class { po: Some(false), dependency: Some("fr"), ..READ_TO_WRITE_OF_CELL };

/// Whether the values of a program are grounded under the model.
///
/// Under herd's view of events values are (see `herd`), whatever the axioms say. In litmus tests program order does not
/// relate what one statement or instruction does, so that a write may be there because of what only happens if it is.
pub fn flow_of(program: &Program, model: &Model) -> Flow {
    match (model.view, flow(model)) {
        (EventView::Parts, flow) => flow,
        (EventView::Herd, Flow::Grounded) if program.question.is_none() => Flow::Grounded,
        (EventView::Herd, _) => Flow::Speculative,
    }
}

/// Whether the model's axioms ground values.
pub fn flow(model: &Model) -> Flow {
    let acyclic: Vec<ExprId> = model.axioms.iter().filter_map(acyclic_part).collect();
    let some_contains = |classes: &[Class]| {
        let contains = |expr: ExprId, class: &Class| holds(&model.formulas, expr, class) == Some(true);
        acyclic.iter().any(|&expr| classes.iter().all(|class| contains(expr, class)))
    };
    let between_threads = some_contains(&[READ_TO_WRITE, READS_FROM_OUTSIDE]);
    let within_a_thread = some_contains(&[READ_TO_WRITE_OF_CELL, READS_FROM_INSIDE]);
    // Without the order of a read and what it only decides about, values are grounded, but branches need not be.
    let values = || some_contains(&[DATA, ADDRESS_OF_WRITE, ADDRESS_OF_READ, READS_FROM]);
    match between_threads && within_a_thread {
        true => Flow::Grounded,
        false if values() => Flow::Speculative,
        false => Flow::Circular,
    }
}

/// Whether an axiom of the model keeps coherence free of cycles.
pub fn orders_coherence(model: &Model) -> bool {
    fn contains(formulas: &Formulas, expr: ExprId) -> bool {
        match *formulas.node(expr) {
            Expr::Base(ref name) => &**name == "co",
            Expr::Union(a, b) => contains(formulas, a) || contains(formulas, b),
            _ => false,
        }
    }
    model.axioms.iter().filter_map(acyclic_part).any(|expr| contains(&model.formulas, expr))
}

/// Whether a thread never sees a write of its own that it has overwritten, and such a write never remains in the end:
/// whatever the accesses are like.
pub fn sees_own_writes_in_order(model: &Model) -> bool {
    let formulas = &model.formulas;
    let contains = |expr: ExprId, class: &Class| holds(formulas, expr, class) == Some(true);
    let mut acyclic = model.axioms.iter().filter_map(acyclic_part);
    let overwrites = acyclic.any(|expr| contains(expr, &OWN_WRITES) && contains(expr, &COHERENCE))
        || looping(model).any(|(a, b)| contains(a, &COHERENCE) && contains(b, &OWN_WRITES));
    let mut acyclic = model.axioms.iter().filter_map(acyclic_part);
    let hides = acyclic.any(|expr| contains(expr, &OWN_WRITE_TO_READ) && contains(expr, &FROM_READ))
        || looping(model).any(|(a, b)| contains(a, &FROM_READ) && contains(b, &OWN_WRITE_TO_READ));
    overwrites && hides
}

/// Relations of which the model forbids that both, one after the other in any order, lead back to the start.
fn looping(model: &Model) -> impl Iterator<Item = (ExprId, ExprId)> + '_ {
    let pairs = model.axioms.iter().filter(|axiom| axiom.kind == AxiomKind::Require).filter_map(|axiom| {
        let Formula::Irreflexive(expr) = axiom.formula else { return None };
        let Expr::Sequence(a, b) = *model.formulas.node(expr) else { return None };
        Some([(a, b), (b, a)])
    });
    pairs.flatten()
}

fn acyclic_part(axiom: &crate::model::Axiom) -> Option<ExprId> {
    match axiom.formula {
        Formula::Acyclic(expr) if axiom.kind == AxiomKind::Require => Some(expr),
        _ => None,
    }
}

/// Whether every pair of the class is in the relation; `None` if that depends.
fn holds(formulas: &Formulas, expr: ExprId, class: &Class) -> Option<bool> {
    let of = |operand: ExprId| holds(formulas, operand, class);
    match *formulas.node(expr) {
        Expr::Base(ref name) => match &**name {
            "po" => class.po,
            "rf" => class.rf,
            "loc" => class.loc,
            "int" => class.same_thread,
            "ext" => class.same_thread.map(|same| !same),
            dependency if class.dependency == Some(dependency) => Some(true),
            _ => None,
        },
        Expr::Empty => Some(false),
        Expr::Universe => Some(true),
        Expr::Union(a, b) => match (of(a), of(b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Expr::Intersection(a, b) => both(of(a), of(b)),
        Expr::Difference(a, b) => both(of(a), of(b).map(|inside| !inside)),
        Expr::Product(a, b) => both(member(formulas, a, class.kinds[0]), member(formulas, b, class.kinds[1])),
        // Restriction to a set on one side; any other composition depends.
        Expr::Sequence(a, b) => {
            let left = member(formulas, a, class.kinds[0]);
            let right = member(formulas, b, class.kinds[1]);
            match (left, right) {
                (Some(true), _) if is_set(formulas, a) => of(b),
                (_, Some(true)) if is_set(formulas, b) => of(a),
                _ => None,
            }
        }
        Expr::Closure(a) | Expr::ReflexiveClosure(a) => of(a).filter(|&inside| inside),
        Expr::Inverse(a) => match *formulas.node(a) {
            Expr::Inverse(twice) => of(twice),
            _ => None,
        },
        _ => None,
    }
}

fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Whether an event of the kind is in the set, whatever its annotations.
fn member(formulas: &Formulas, set: ExprId, kind: &str) -> Option<bool> {
    match *formulas.node(set) {
        Expr::Base(ref name) => match &**name {
            "M" => Some(true),
            "R" | "W" => Some(**name == *kind),
            "F" => Some(false),
            _ => None,
        },
        Expr::Identity => Some(true),
        Expr::Empty => Some(false),
        Expr::Union(a, b) => match (member(formulas, a, kind), member(formulas, b, kind)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Expr::Intersection(a, b) => both(member(formulas, a, kind), member(formulas, b, kind)),
        _ => None,
    }
}

/// Whether an expression is a set, as `[S]` is.
pub(crate) fn is_set(formulas: &Formulas, expr: ExprId) -> bool {
    match *formulas.node(expr) {
        Expr::Identity | Expr::Empty | Expr::Domain(_) | Expr::Range(_) => true,
        Expr::Base(ref name) => crate::vocabulary::SETS.iter().any(|(set, _)| *set == &**name),
        Expr::Union(a, b) => is_set(formulas, a) && is_set(formulas, b),
        Expr::Intersection(a, b) => is_set(formulas, a) || is_set(formulas, b),
        Expr::Difference(a, _) => is_set(formulas, a),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow_of(name: &str, text: &str) -> Flow {
        flow(&crate::model::load(name, text, &|_| None).unwrap_or_else(|diagnostics| panic!("{diagnostics}")))
    }

    #[test]
    fn shipped_models_exclude_circles_of_values_where_they_should() {
        let flow_of_file = |file: &str| {
            let (name, text) = crate::model::shipped().iter().find(|(name, _)| *name == file).expect("a shipped model");
            flow_of(name, text)
        };
        for file in ["sc.cat", "tso.cat", "pso.cat", "rc11.cat", "rc20.cat"] {
            assert_eq!(flow_of_file(file), Flow::Grounded, "{file}");
        }
        for file in ["relaxed.cat", "relaxed.mm", "rmo.mm"] {
            assert_eq!(flow_of_file(file), Flow::Speculative, "{file}");
        }
        assert_eq!(flow_of_file("c11.cat"), Flow::Circular);
    }

    fn check(axioms: &str, expected: Flow) {
        assert_eq!(flow_of("test.cat", &format!("test\n{axioms}\n")), expected, "{axioms}");
    }

    #[test]
    fn an_axiom_grounds_values_if_it_contains_every_step_of_a_circle() {
        check("acyclic po | rf as a", Flow::Grounded);
        check("acyclic (po | rf)^+ as a", Flow::Grounded);
        check("acyclic [R]; po; [M] | po-loc | rf as a", Flow::Grounded);
        check("acyclic po & (R * W) | rf as a", Flow::Grounded);
        check("acyclic po | (rf & ext) as a\nacyclic po-loc | rf as b", Flow::Grounded);
    }

    #[test]
    fn an_axiom_about_dependencies_grounds_values_but_not_branches() {
        check("acyclic addr | data | rf as a", Flow::Speculative);
        check("acyclic addr | data | ctrl | rf as a", Flow::Speculative);
    }

    #[test]
    fn an_axiom_that_leaves_a_step_out_grounds_nothing() {
        check("acyclic po as a", Flow::Circular);
        check("acyclic rf as a", Flow::Circular);
        check("acyclic po; rf as a", Flow::Circular);
        check("acyclic po-loc | rf as a", Flow::Circular);
        check("acyclic po | (rf & ext) as a", Flow::Circular);
        check("acyclic [W]; po; [W] | rf as a", Flow::Circular);
        check("acyclic (po \\ loc) | rf as a", Flow::Circular);
        check("acyclic data | rf as a", Flow::Circular);
        check("acyclic po | [W & REL]; rf as a", Flow::Circular);
        check("irreflexive (po | rf)^+ as a", Flow::Circular);
        check("flag ~acyclic po | rf as a", Flow::Circular);
    }
}
