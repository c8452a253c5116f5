//! What the exploration needs of a model, decided from its axioms, on the safe side:
//!
//! - *Closed*: what is left of a consistent execution without some of its events is consistent. So it is if every required relation only
//!   grows with events and their relations: nothing is taken away from a relation but what two events are by themselves.
//! - *No cycle of program order and reads-from*: some axiom forbids cycles of a relation that contains reads-from between threads, and
//!   program order from reads to writes. Every cycle of `po | rf` is one of those, if who reads from its own thread reads
//!   from an earlier write.

use std::collections::BTreeSet;

use axiomatic::model::EventView;
use relation::formula::{Expr, ExprId, Formulas};

use super::relational::{RELATIONS, Test};

/// The sets that graphs know.
pub const SETS: [&str; 24] = [
    "W", "R", "M", "F", "IW", "A", "NA", "RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC", "X", "RMW", "AMO", "MFENCE",
    "SFENCE", "LFENCE", "LL", "LS", "SL", "SS", "sm",
];

/// The first part of an expression, its recursive definitions included, that makes it no relation that only grows; in words.
pub fn obstacle(formulas: &Formulas, expr: ExprId) -> Option<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        let node = formulas.node(expr);
        match node {
            Expr::Base(name) if !RELATIONS.contains(&&**name) && !SETS.contains(&&**name) => {
                return Some(format!("it speaks of {name}, which execution graphs do not know"));
            }
            Expr::Difference(_, right) if !is_fixed(formulas, *right) => {
                return Some("it takes away from a relation what may grow with an execution".to_string());
            }
            Expr::Comprehension(_) | Expr::Each(..) => {
                return Some("it is defined by a formula about single events".to_string());
            }
            Expr::Recursive(name) => open.extend(formulas.definition(*name)),
            _ => {}
        }
        open.extend(node.operands());
    }
    None
}

/// Whether two events are related by what they are themselves, whatever others there are.
fn is_fixed(formulas: &Formulas, expr: ExprId) -> bool {
    let fixed = |expr: ExprId| is_fixed(formulas, expr);
    match *formulas.node(expr) {
        Expr::Base(ref name) => !matches!(&**name, "rf" | "co" | "fr"),
        Expr::Empty | Expr::Universe | Expr::Identity => true,
        Expr::Union(a, b) | Expr::Intersection(a, b) | Expr::Difference(a, b) | Expr::Product(a, b) => {
            fixed(a) && fixed(b)
        }
        // Without one side in a set, a third event would have to be there.
        Expr::Sequence(a, b) => fixed(a) && fixed(b) && (is_set(formulas, a) || is_set(formulas, b)),
        Expr::Inverse(a) => fixed(a),
        Expr::Closure(a) | Expr::ReflexiveClosure(a) | Expr::Domain(a) | Expr::Range(a) => {
            fixed(a) && is_set(formulas, a)
        }
        Expr::Recursive(_) | Expr::Comprehension(_) | Expr::Single(_) | Expr::Each(..) => false,
    }
}

/// Whether an expression is a set: relates events to themselves alone.
pub fn is_set(formulas: &Formulas, expr: ExprId) -> bool {
    let set = |expr: ExprId| is_set(formulas, expr);
    match *formulas.node(expr) {
        Expr::Base(ref name) => is_base_set(name),
        Expr::Empty | Expr::Identity | Expr::Domain(_) | Expr::Range(_) => true,
        Expr::Union(a, b) | Expr::Sequence(a, b) => set(a) && set(b),
        Expr::Intersection(a, b) => set(a) || set(b),
        Expr::Difference(a, _) | Expr::Inverse(a) | Expr::Closure(a) | Expr::ReflexiveClosure(a) => set(a),
        Expr::Universe | Expr::Product(..) | Expr::Recursive(_) | Expr::Comprehension(_) => false,
        Expr::Single(_) => true,
        Expr::Each(_, _, body) => set(body),
    }
}

/// Whether a word of the vocabulary is a set.
pub fn is_base_set(name: &str) -> bool {
    name == "si" || !RELATIONS.contains(&name)
}

/// Whether a test forbids cycles of program order and reads-from.
pub fn forbids_thin_air(formulas: &Formulas, view: EventView, test: Test, expr: ExprId) -> bool {
    let cycles = match (test, formulas.node(expr)) {
        (Test::Acyclic, _) => Some(expr),
        (Test::Irreflexive, Expr::Closure(of)) => Some(*of),
        _ => None,
    };
    let contains =
        |part: Part| cycles.is_some_and(|expr| Containment { formulas, view, part }.holds(expr, &mut Vec::new()));
    contains(Part::ReadToWrite) && contains(Part::ReadsFrom)
}

/// What an expression may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Program order from reads to writes.
    ReadToWrite,
    /// Reads-from between threads, from writes of threads.
    ReadsFrom,
}

struct Containment<'f> {
    formulas: &'f Formulas,
    view: EventView,
    part: Part,
}

impl Containment<'_> {
    /// Whether the expression contains all pairs of the part for certain.
    fn holds(&self, expr: ExprId, open: &mut Vec<ExprId>) -> bool {
        if open.contains(&expr) {
            return false;
        }
        open.push(expr);
        let result = match *self.formulas.node(expr) {
            Expr::Base(ref name) => match self.part {
                Part::ReadToWrite => matches!(&**name, "po" | "int"),
                Part::ReadsFrom => matches!(&**name, "rf" | "ext" | "loc"),
            },
            Expr::Universe => true,
            Expr::Union(a, b) => self.holds(a, open) || self.holds(b, open),
            Expr::Intersection(a, b) => self.holds(a, open) && self.holds(b, open),
            Expr::Difference(a, b) => self.holds(a, open) && self.avoids(b),
            Expr::Sequence(a, b) => self.starts(a) && self.holds(b, open) || self.holds(a, open) && self.ends(b),
            Expr::Product(a, b) => self.starts(a) && self.ends(b),
            Expr::Closure(a) | Expr::ReflexiveClosure(a) => self.holds(a, open),
            Expr::Recursive(name) => self.formulas.definition(name).is_some_and(|of| self.holds(of, open)),
            _ => false,
        };
        open.pop();
        result
    }

    /// Whether an expression relates every atom to itself with which pairs of the part start.
    fn starts(&self, expr: ExprId) -> bool {
        self.has_all(expr, if self.part == Part::ReadToWrite { "R" } else { "W" })
    }

    /// Whether an expression relates every atom to itself with which pairs of the part end.
    fn ends(&self, expr: ExprId) -> bool {
        self.has_all(expr, if self.part == Part::ReadToWrite { "W" } else { "R" })
    }

    fn has_all(&self, expr: ExprId, kind: &str) -> bool {
        match *self.formulas.node(expr) {
            Expr::Base(ref name) => matches!(&**name, "M" | "loc" | "int" | "si" | "sm") || **name == *kind,
            Expr::Identity | Expr::Universe | Expr::ReflexiveClosure(_) => true,
            Expr::Union(a, b) => self.has_all(a, kind) || self.has_all(b, kind),
            Expr::Intersection(a, b) | Expr::Sequence(a, b) => self.has_all(a, kind) && self.has_all(b, kind),
            // Pairs of the part neither start nor end with an initial write, or a fence.
            Expr::Difference(a, b) => {
                self.has_all(a, kind)
                    && matches!(self.formulas.node(b), Expr::Base(name) if matches!(&**name, "IW" | "F"))
            }
            Expr::Closure(a) => self.has_all(a, kind),
            _ => false,
        }
    }

    /// Whether an expression has no pair of the part for certain.
    fn avoids(&self, expr: ExprId) -> bool {
        let (first, second) = if self.part == Part::ReadToWrite { ("R", "W") } else { ("W", "R") };
        match *self.formulas.node(expr) {
            Expr::Empty | Expr::Identity => true,
            Expr::Base(ref name) => match self.part {
                Part::ReadToWrite => &**name == "ext",
                Part::ReadsFrom => matches!(&**name, "int" | "po" | "rmw" | "amo" | "atomic-block"),
            },
            Expr::Union(a, b) => self.avoids(a) && self.avoids(b),
            Expr::Intersection(a, b) => self.avoids(a) || self.avoids(b),
            Expr::Product(a, b) => self.lacks(a, first) || self.lacks(b, second),
            Expr::Sequence(a, b) => {
                is_set(self.formulas, a) && (self.lacks(a, first) || self.avoids(b))
                    || is_set(self.formulas, b) && (self.lacks(b, second) || self.avoids(a))
            }
            Expr::Difference(a, _) => self.avoids(a),
            _ => is_set(self.formulas, expr),
        }
    }

    /// Whether a set has no atom of the kind for certain. A read-modify-write that is one atom is of both kinds.
    fn lacks(&self, set: ExprId, kind: &str) -> bool {
        match *self.formulas.node(set) {
            Expr::Empty => true,
            Expr::Base(ref name) => {
                matches!(&**name, "F" | "IW")
                    || self.view == EventView::Parts && matches!((&**name, kind), ("W", "R") | ("R", "W"))
            }
            Expr::Union(a, b) => self.lacks(a, kind) && self.lacks(b, kind),
            Expr::Intersection(a, b) => self.lacks(a, kind) || self.lacks(b, kind),
            Expr::Difference(a, _) => self.lacks(a, kind),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axiomatic::model::load;
    use relation::formula::Formula;

    fn forbids(text: &str) -> bool {
        let model = load("a.cat", text, &|_| None).unwrap_or_else(|what| panic!("{what}"));
        model.axioms.iter().any(|axiom| match axiom.formula {
            Formula::Acyclic(expr) => forbids_thin_air(&model.formulas, model.view, Test::Acyclic, expr),
            Formula::Irreflexive(expr) => forbids_thin_air(&model.formulas, model.view, Test::Irreflexive, expr),
            _ => false,
        })
    }

    #[test]
    fn cycles_of_program_order_and_reads_from_are_seen_to_be_forbidden() {
        let parts = "include \"palisade.cat\"\n";
        assert!(forbids("a\nacyclic po | rf"));
        assert!(forbids("a\nacyclic po | rfe | co | fr"));
        assert!(forbids("a\nlet hb = (po | rf)^+\nirreflexive hb"));
        assert!(forbids("a\nlet ppo = po & (R * M | M * W)\nacyclic ppo | rfe"));
        assert!(forbids(&format!("a\n{parts}acyclic po \\ (W * R) | rf")));
        assert!(forbids("a\nlet rec r = po | r; rf | rf\nacyclic r"));
    }

    #[test]
    fn other_axioms_are_not() {
        for text in [
            "acyclic po",
            "acyclic po | rf & int",
            "irreflexive (po | rf); co",
            "acyclic po & loc | rf",
            "empty po & rf",
        ] {
            assert!(!forbids(&format!("a\n{text}")), "{text}");
        }
        // A read-modify-write that is one event is both a write and a read.
        assert!(!forbids("a\nacyclic po \\ (W * R) | rf"));
    }

    #[test]
    fn what_is_taken_away_must_be_fixed() {
        let found = |text: &str| {
            let model = load("a.cat", text, &|_| None).unwrap_or_else(|what| panic!("{what}"));
            let Formula::Acyclic(expr) = model.axioms[0].formula else { return None };
            obstacle(&model.formulas, expr)
        };
        assert_eq!(found("a\nacyclic po \\ loc | rf"), None);
        assert_eq!(found("a\nacyclic po \\ ([W]; po; [R]) | rf"), None);
        assert!(found("a\nacyclic po \\ rf").is_some_and(|what| what.contains("takes away")));
        assert!(found("a\nacyclic po \\ (po; po)").is_some_and(|what| what.contains("takes away")));
        assert!(found("a\nacyclic po | addr").is_some_and(|what| what.contains("addr")));
    }
}
