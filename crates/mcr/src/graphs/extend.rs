//! Can an event always be added, whatever the model's axioms say?
//!
//! The exploration relies on it: a read that reads the last write, and a write that is put last, keep a consistent graph
//! consistent. It is decided from the axioms, on the safe side: an event that is added so is followed by nothing in program order,
//! reads-from and coherence, and only pairs that lead to it are new. Which pairs an expression may get is computed for four kinds of
//! atoms: the read and the write that are added (both if it is a read-modify-write), the last write of their location before,
//! and all others.

use std::collections::BTreeMap;

use axiomatic::model::EventView;
use relation::formula::{Expr, ExprId, Formulas, Recursive};

use super::relational::Test;

/// The kinds of atoms.
const OTHER: usize = 0;
const LAST: usize = 1;
const READ: usize = 2;
const WRITE: usize = 3;
const KINDS: usize = 4;

/// What may be added at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// A read, a write, or both of a read-modify-write: two atoms. A fence counts as a read.
    Two,
    /// A read-modify-write that is one atom: [`READ`], which writes, too.
    One,
}

/// Which pairs an expression may have, by the kinds of their atoms, once the unit is there; and which of those between atoms that
/// were there before may be new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Flags {
    may: [[bool; KINDS]; KINDS],
    new: [[bool; KINDS]; KINDS],
}

impl Flags {
    fn of(pairs: &[(usize, usize)]) -> Flags {
        let mut flags = Flags::default();
        pairs.iter().for_each(|&(x, y)| flags.may[x][y] = true);
        flags
    }

    fn all() -> Flags {
        Flags { may: [[true; KINDS]; KINDS], ..Flags::default() }
    }

    fn make(of: impl Fn(usize, usize) -> (bool, bool)) -> Flags {
        let mut flags = Flags::default();
        for x in 0..KINDS {
            for y in 0..KINDS {
                (flags.may[x][y], flags.new[x][y]) = of(x, y);
            }
        }
        flags
    }

    /// Whether a pair of these kinds may be one that was not there before.
    fn is_new(&self, x: usize, y: usize) -> bool {
        self.new[x][y] || self.may[x][y] && (x >= READ || y >= READ)
    }

    fn union(&self, other: &Flags) -> Flags {
        Flags::make(|x, y| (self.may[x][y] || other.may[x][y], self.new[x][y] || other.new[x][y]))
    }

    fn intersection(&self, other: &Flags) -> Flags {
        Flags::make(|x, y| {
            let may = self.may[x][y] && other.may[x][y];
            (may, may && (self.new[x][y] || other.new[x][y]))
        })
    }

    fn sequence(&self, other: &Flags) -> Flags {
        Flags::make(|x, z| {
            let through = |y: &usize| self.may[x][*y] && other.may[*y][z];
            let may = (0..KINDS).any(|y| through(&y));
            let is_new = |y: usize| through(&y) && (self.is_new(x, y) || other.is_new(y, z));
            (may, may && (0..KINDS).any(is_new))
        })
    }

    fn inverse(&self) -> Flags {
        Flags::make(|x, y| (self.may[y][x], self.new[y][x]))
    }

    fn closure(&self) -> Flags {
        let mut closure = *self;
        loop {
            let next = closure.union(&closure.sequence(self));
            if next == closure {
                return closure;
            }
            closure = next;
        }
    }

    fn domain(&self) -> Flags {
        Flags::make(|x, y| {
            let any = |of: &dyn Fn(usize) -> bool| x == y && (0..KINDS).any(of);
            (any(&|z| self.may[x][z]), any(&|z| self.is_new(x, z)))
        })
    }

    /// All pairs of members of two sets.
    fn product(&self, other: &Flags) -> Flags {
        Flags::make(|x, y| {
            let may = self.may[x][x] && other.may[y][y];
            (may, may && (self.new[x][x] || other.new[y][y]))
        })
    }

    fn without(&self, surely: &[(usize, usize)]) -> Flags {
        let mut flags = *self;
        surely.iter().for_each(|&(x, y)| flags.may[x][y] = false);
        flags
    }

    fn passes(&self, test: Test) -> bool {
        let is_new = |x: usize, y: usize| self.is_new(x, y);
        match test {
            Test::Empty => (0..KINDS).all(|x| (0..KINDS).all(|y| !is_new(x, y))),
            Test::Irreflexive => (0..KINDS).all(|x| !is_new(x, x)),
            Test::Acyclic => self.closure().passes(Test::Irreflexive),
        }
    }
}

/// Whether a test that held before holds once an event was added last.
pub fn is_extensible(formulas: &Formulas, view: EventView, test: Test, expr: ExprId) -> bool {
    let units = match view {
        EventView::Parts => &[Unit::Two][..],
        EventView::Herd => &[Unit::Two, Unit::One],
    };
    units.iter().all(|unit| {
        let mut analysis = Analysis { formulas, unit: *unit, known: BTreeMap::new(), recursive: BTreeMap::new() };
        analysis.decide_recursion();
        analysis.flags(expr).passes(test)
    })
}

struct Analysis<'f> {
    formulas: &'f Formulas,
    unit: Unit,
    known: BTreeMap<ExprId, Flags>,
    recursive: BTreeMap<Recursive, Flags>,
}

impl Analysis<'_> {
    /// Finds what recursive relations may have, from nothing on until nothing changes.
    fn decide_recursion(&mut self) {
        let names = (0..self.formulas.len()).filter_map(|index| match self.formulas.node(ExprId(index as u32)) {
            Expr::Recursive(name) => Some(*name),
            _ => None,
        });
        let names: Vec<Recursive> = names.collect();
        loop {
            let before = self.recursive.clone();
            self.known.clear();
            for name in &names {
                if let Some(definition) = self.formulas.definition(*name) {
                    let flags = self.flags(definition);
                    self.recursive.insert(*name, flags);
                }
            }
            if self.recursive == before {
                self.known.clear();
                return;
            }
        }
    }

    fn flags(&mut self, expr: ExprId) -> Flags {
        if let Some(flags) = self.known.get(&expr) {
            return *flags;
        }
        let flags = match *self.formulas.node(expr) {
            Expr::Base(ref name) => base(name, self.unit),
            Expr::Empty => Flags::default(),
            Expr::Universe | Expr::Comprehension(_) | Expr::Single(_) | Expr::Each(..) => Flags::all(),
            Expr::Identity => identity(),
            Expr::Union(a, b) => self.flags(a).union(&self.flags(b)),
            Expr::Intersection(a, b) => self.flags(a).intersection(&self.flags(b)),
            Expr::Difference(a, b) => {
                let surely = self.surely(b);
                self.flags(a).without(&surely)
            }
            Expr::Sequence(a, b) => self.flags(a).sequence(&self.flags(b)),
            Expr::Product(a, b) => self.flags(a).product(&self.flags(b)),
            Expr::Inverse(a) => self.flags(a).inverse(),
            Expr::Closure(a) => self.flags(a).closure(),
            Expr::ReflexiveClosure(a) => self.flags(a).closure().union(&identity()),
            Expr::Domain(a) => self.flags(a).domain(),
            Expr::Range(a) => self.flags(a).inverse().domain(),
            Expr::Recursive(name) => self.recursive.get(&name).copied().unwrap_or_default(),
        };
        self.known.insert(expr, flags);
        flags
    }

    /// The pairs inside of the unit that an expression has for certain.
    fn surely(&self, expr: ExprId) -> Vec<(usize, usize)> {
        match *self.formulas.node(expr) {
            Expr::Universe => unit_pairs(),
            Expr::Base(ref name) if &**name == "atomic-block" && self.unit == Unit::Two => unit_pairs(),
            Expr::Base(ref name) if &**name == "int" => unit_pairs(),
            Expr::Identity => vec![(READ, READ), (WRITE, WRITE)],
            Expr::Union(a, b) => [self.surely(a), self.surely(b)].concat(),
            _ => Vec::new(),
        }
    }
}

fn unit_pairs() -> Vec<(usize, usize)> {
    vec![(READ, READ), (READ, WRITE), (WRITE, READ), (WRITE, WRITE)]
}

fn identity() -> Flags {
    Flags::of(&[(OTHER, OTHER), (LAST, LAST), (READ, READ), (WRITE, WRITE)])
}

/// What a base relation or set may have.
fn base(name: &str, unit: Unit) -> Flags {
    let old = [(OTHER, OTHER), (OTHER, LAST), (LAST, OTHER)];
    let write = if unit == Unit::One { READ } else { WRITE };
    let with = |new: &[(usize, usize)]| Flags::of(&[&old[..], new].concat());
    let inside = |pairs: &[(usize, usize)]| if unit == Unit::Two { pairs.to_vec() } else { Vec::new() };
    match name {
        "po" => with(
            &[&[(OTHER, READ), (LAST, READ), (OTHER, write), (LAST, write)], &inside(&[(READ, WRITE)])[..]].concat(),
        ),
        "rf" => with(&[(LAST, READ)]),
        // The last write has no successor but the new one, and who reads it precedes nothing else.
        "co" => Flags::of(&[(OTHER, OTHER), (OTHER, LAST), (OTHER, write), (LAST, write)]),
        "fr" => {
            let others = [(OTHER, OTHER), (OTHER, LAST), (OTHER, write), (LAST, write)];
            Flags::of(&[&others[..], &inside(&[(READ, WRITE)])].concat())
        }
        "rmw" | "amo" => with(&inside(&[(READ, WRITE)])),
        "ends-before" => with(&[]),
        "loc" | "int" => Flags::all(),
        "ext" => Flags::all().without(&[&unit_pairs()[..], &[(LAST, LAST)]].concat()),
        "atomic-block" => {
            let own = [(LAST, LAST), (READ, READ)];
            with(&[&own[..], &inside(&unit_pairs())].concat())
        }
        "sm" | "si" => identity(),
        "W" | "IW" => Flags::of(&[(OTHER, OTHER), (LAST, LAST), (write, write)]),
        "R" | "F" => Flags::of(&[(OTHER, OTHER), (LAST, LAST), (READ, READ)]),
        _ => identity(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axiomatic::model::load;
    use relation::formula::Formula;

    fn extensible(text: &str) -> bool {
        let model = load("a.cat", text, &|_| None).unwrap_or_else(|what| panic!("{what}"));
        model.axioms.iter().all(|axiom| match axiom.formula {
            Formula::Acyclic(expr) => is_extensible(&model.formulas, model.view, Test::Acyclic, expr),
            Formula::Irreflexive(expr) => is_extensible(&model.formulas, model.view, Test::Irreflexive, expr),
            Formula::Empty(expr) => is_extensible(&model.formulas, model.view, Test::Empty, expr),
            _ => false,
        })
    }

    #[test]
    fn what_speaks_of_the_past_of_events_can_be_extended() {
        for parts in ["", "include \"palisade.cat\"\n"] {
            assert!(extensible(&format!("a\n{parts}acyclic po | rf | co | fr")));
            assert!(extensible(&format!("a\n{parts}irreflexive (po | rf)^+; (rf | co | fr)^+")));
            assert!(extensible(&format!("a\n{parts}empty rmw & (fre; coe)")));
            assert!(extensible(&format!("a\n{parts}irreflexive (rf^-1)?; co; rf?; po")));
        }
        assert!(extensible("a\ninclude \"palisade.cat\"\nacyclic po | rf^-1; co"));
    }

    #[test]
    fn what_speaks_of_the_order_in_which_events_are_added_cannot() {
        for axiom in ["empty rf & ext", "acyclic rf^-1 | rf", "empty [W]; po; [R]", "irreflexive loc; po"] {
            assert!(!extensible(&format!("a\n{axiom}")), "{axiom}");
        }
        // A read-modify-write that is one event would precede itself.
        assert!(!extensible("a\nacyclic po | rf^-1; co"));
    }
}
