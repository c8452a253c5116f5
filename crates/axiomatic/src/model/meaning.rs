//! Which fences and memory orders a model speaks of.
//!
//! An annotation means something to a model if some set of the model would have another extension without it: the set `REL | SC`
//! tells a release store from a relaxed one, `W & V & SC` does not. Sets are looked at as wholes, and what they contain of
//! domains and ranges of relations is taken to be there or not; so an annotation may be said to mean something although no
//! execution shows it, never the other way round.

use program::{Access, EventKind, Order};
use relation::formula::{Expr, ExprId};

use super::{Model, Range};
use crate::vocabulary::{SETS, belongs, is_annotation};

/// Annotations that a model speaks of or not, as a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Annotation {
    /// Fences of x86.
    MachineFence,
    /// Fences of the lsl library.
    LslFence,
    /// Fences of C11.
    C11Fence,
    /// Memory orders of C11 accesses.
    C11Order,
}

/// The tags of x86's fences.
const MACHINE_FENCES: &[&str] = &["MFENCE", "SFENCE", "LFENCE"];
/// The tags of the lsl library's fences.
const LSL_FENCES: &[&str] = &["LL", "LS", "SL", "SS", "AL", "DDL", "CD"];
/// The orders that are more than relaxed.
const ORDERS: &[Order] = &[Order::Acquire, Order::Release, Order::AcquireRelease, Order::SeqCst];

impl Annotation {
    /// The family that the access of a fence belongs to.
    pub fn of_fence(access: &Access) -> Option<Annotation> {
        let has = |family: &[&str]| access.tags.iter().any(|tag| family.contains(&&**tag));
        if has(MACHINE_FENCES) {
            Some(Annotation::MachineFence)
        } else if has(LSL_FENCES) {
            Some(Annotation::LslFence)
        } else {
            ORDERS.contains(&access.order).then_some(Annotation::C11Fence)
        }
    }

    /// Events with the annotation, each with what it would be without.
    fn examples(self) -> Vec<(EventKind, Access, Access)> {
        let tagged = |tags: &[&str]| {
            let fence = |tag: &&str| (EventKind::Fence, Access::plain().tagged(tag), Access::plain());
            tags.iter().map(fence).collect()
        };
        let ordered =
            |kind: EventKind| move |order: &Order| (kind, Access::ordered(*order), Access::ordered(Order::Relaxed));
        match self {
            Annotation::MachineFence => tagged(MACHINE_FENCES),
            Annotation::LslFence => tagged(LSL_FENCES),
            Annotation::C11Fence => ORDERS.iter().map(ordered(EventKind::Fence)).collect(),
            Annotation::C11Order => {
                let accesses = [EventKind::Read, EventKind::Write];
                accesses.into_iter().flat_map(|kind| ORDERS.iter().map(ordered(kind))).collect()
            }
        }
    }
}

/// Whether a model speaks of some annotation of the family.
pub fn speaks_of(model: &Model, annotation: Annotation) -> bool {
    let sets = sets(model);
    let tells_apart =
        |annotation: Annotation| annotation.examples().iter().any(|example| changes(model, &sets, example));
    if tells_apart(annotation) {
        return true;
    }
    // A model that knows no kinds of fences speaks of all alike.
    let kinds = [Annotation::MachineFence, Annotation::LslFence, Annotation::C11Fence];
    let is_fence = |name: &str| belongs(name, EventKind::Fence, false, &Access::plain());
    let has_fences = || {
        let names_fences = |set: &ExprId| model.formulas.occurs(vec![*set], &|expr| *expr == Expr::Base("F".into()));
        sets.iter().any(|set| names_fences(set) && contains(model, *set, &is_fence, true) == Some(true))
    };
    kinds.contains(&annotation) && !kinds.into_iter().any(tells_apart) && has_fences()
}

/// Whether a model speaks of the annotations that bell files name.
pub fn knows_annotations(model: &Model) -> bool {
    let is_one = |expr: &Expr| matches!(expr, Expr::Base(name) if is_annotation(name));
    sets(model).into_iter().any(|set| model.formulas.occurs(vec![set], &is_one))
}

/// Whether some set has the event only with its annotation, or only without.
fn changes(model: &Model, sets: &[ExprId], (kind, with, without): &(EventKind, Access, Access)) -> bool {
    let member = |access: &Access, set: ExprId, opaque: bool| {
        contains(model, set, &|name| belongs(name, *kind, false, access), opaque)
    };
    let differs = |set: &ExprId, opaque: bool| member(with, *set, opaque) != member(without, *set, opaque);
    sets.iter().any(|set| differs(set, false) || differs(set, true))
}

/// The largest expressions of a model that are sets.
fn sets(model: &Model) -> Vec<ExprId> {
    let mut open: Vec<ExprId> = model.axioms.iter().flat_map(|axiom| axiom.formula.expressions()).collect();
    for existential in &model.existentials {
        match &existential.range {
            Range::Linearisation { on, contains } => open.extend([*on, *contains]),
            Range::Relation(sets) => open.extend(sets),
        }
    }
    let (mut seen, mut found) = (std::collections::HashSet::new(), Vec::new());
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        if contains(model, id, &|_| true, true).is_some() {
            found.push(id);
            open.extend(hidden(model, id));
            continue;
        }
        match model.formulas.node(id) {
            Expr::Recursive(name) => open.extend(model.formulas.definition(*name)),
            node => open.extend(node.operands()),
        }
    }
    found
}

/// The relations whose domains and ranges a set is made of.
fn hidden(model: &Model, set: ExprId) -> Vec<ExprId> {
    match model.formulas.node(set) {
        Expr::Domain(relation) | Expr::Range(relation) => vec![*relation],
        node => node.operands().into_iter().flat_map(|part| hidden(model, part)).collect(),
    }
}

/// Whether a set contains an event that belongs to these sets of the vocabulary; `None` if it is no set. Domains and ranges of
/// relations contain it if `opaque`.
fn contains(model: &Model, set: ExprId, belongs: &dyn Fn(&str) -> bool, opaque: bool) -> Option<bool> {
    let part = |id: ExprId| contains(model, id, belongs, opaque);
    match model.formulas.node(set) {
        Expr::Base(name) => {
            let plain = name.split(['@', '#']).next().unwrap_or(name);
            let is_set = is_annotation(plain) || SETS.iter().any(|(known, _)| *known == plain);
            is_set.then(|| belongs(plain))
        }
        Expr::Domain(_) | Expr::Range(_) => Some(opaque),
        Expr::Union(a, b) => Some(part(*a)? | part(*b)?),
        Expr::Intersection(a, b) => Some(part(*a)? & part(*b)?),
        Expr::Difference(a, b) => Some(part(*a)? & !part(*b)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{load, shipped};

    fn known(text: &str) -> Vec<Annotation> {
        let include = |name: &str| shipped().iter().find(|(file, _)| *file == name).map(|(_, text)| text.to_string());
        let model = load("m.cat", text, &include).unwrap_or_else(|wrong| panic!("{wrong}"));
        let all = [Annotation::MachineFence, Annotation::LslFence, Annotation::C11Fence, Annotation::C11Order];
        all.into_iter().filter(|annotation| speaks_of(&model, *annotation)).collect()
    }

    #[test]
    fn shipped_models_speak_of_their_own_fences_and_orders() {
        use Annotation::*;
        let expected: &[(&str, &[Annotation])] = &[
            ("sc.cat", &[]),
            ("tso.cat", &[MachineFence, LslFence, C11Fence]),
            ("pso.cat", &[MachineFence, LslFence, C11Fence]),
            ("relaxed.cat", &[MachineFence, LslFence, C11Fence]),
            ("rmo.mm", &[MachineFence, LslFence, C11Fence]),
            ("rc11.cat", &[C11Fence, C11Order]),
            ("rc20.cat", &[C11Fence, C11Order]),
            ("c11.cat", &[C11Fence, C11Order]),
            ("jmm-revised.mm", &[]),
        ];
        for (file, annotations) in expected {
            let text = shipped().iter().find(|(name, _)| name == file).expect("a shipped model").1;
            let model = load(file, text, &|_| None).unwrap_or_else(|wrong| panic!("{wrong}"));
            let all = [MachineFence, LslFence, C11Fence, C11Order];
            let found: Vec<Annotation> = all.into_iter().filter(|known| speaks_of(&model, *known)).collect();
            assert_eq!(found, *annotations, "{file}");
        }
    }

    #[test]
    fn a_model_that_knows_no_kinds_of_fences_speaks_of_all() {
        use Annotation::*;
        assert_eq!(known("let f = po; [F]; po\nacyclic f | rf | co | fr"), [MachineFence, LslFence, C11Fence]);
        assert_eq!(known("acyclic po | rf | co | fr"), []);
        assert_eq!(known("let f = po; [F & MFENCE]; po\nacyclic f | rf"), [MachineFence]);
        assert_eq!(known("acyclic [R & (ACQ | SC)]; po | rf"), [C11Order]);
        // An order that counts together with something else only.
        assert_eq!(known("acyclic [W & V & SC]; po | rf"), []);
    }
}
