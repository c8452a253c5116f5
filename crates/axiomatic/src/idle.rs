//! Iterations of loops that make no difference, and may be left out of executions.
//!
//! A loop that tries again until it succeeds has no bound where its reads may see old values again and again. But an iteration
//! that leaves nothing behind can be cut out of an execution: what remains is an execution of the same program that
//! shows the same and goes wrong in the same way. So only executions are looked for in which each iteration that is followed by
//! another one has an *effect*; of those each execution that goes wrong leaves one over, after all idle iterations are cut out.
//!
//! That is right
//! - of iterations after which the registers that are still read hold what they held before ([`same`]): the iteration that follows
//!   could have been this one;
//! - of models under which an execution stays allowed if events are taken out ([`allows_parts`]);
//! - of iterations whose writes nothing outside of the iteration sees. What comes after the point up to which loops are unrolled
//!   is not known: so a write also counts as an effect while another thread is cut short there, and if its own thread does
//!   not overwrite it. A thread never sees a write of its own that it has overwritten, nor does that remain in the end
//!   ([`crate::flow::sees_own_writes_in_order`]);
//! - of iterations that do not race, where a data race is an error: one access of a race is plain, so an iteration with an access
//!   that meets one of another thread, one a write and one not atomic, has an effect (`effect::may_take_part_in_race`); what a thread does
//!   after the point up to which loops are unrolled is not known, but for memory that no code accesses but atomically
//!   ([`crate::plain`]). So has an iteration with an access that nothing orders after the allocation of its memory. A race
//!   between events that are left stays one ([`keeps_races`]);
//! - of iterations without an error, after none: an error is never cut out, and after one the thread need not come to its end.
//!
//! What is lost are executions in which a thread loops for ever without any effect. These are asked for besides
//! (`effect::going_on`): a thread can do so if all reads of an iteration see the last write of their cell, nobody sees its writes, and
//! all other threads have ended or do likewise.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use program::{BlockId, Function, InstructionKind, Liveness, RegisterId, ThreadId, Verified};
use relation::{Bit, Circuit, Expr, ExprId, Formula, Formulas};

use crate::flow::{is_set, sees_own_writes_in_order};
use crate::model::{AxiomKind, Model, Range as Choices};
use crate::scenario::{Kind, Scenario, forbids};
use crate::symbolic::Symbolic;
use crate::unroll::{LoopCopy, loop_body, loop_heads};
use crate::walk::Dependencies;

/// Loops whose idle iterations may be left out, by thread and head: the registers that each carries from one iteration to the
/// next.
pub type Loops = BTreeMap<(ThreadId, BlockId), Vec<RegisterId>>;

/// An iteration of a loop, which is followed by another iteration.
pub struct Iteration {
    /// The loop.
    pub copy: LoopCopy,
    /// When another iteration follows.
    pub when: Bit,
    /// When the iteration leaves the registers as it found them.
    pub same: Bit,
    /// The events that may have happened since the iteration began.
    pub events: Range<usize>,
    /// For each of its weak compare-exchanges, that it does not fail spuriously.
    pub not_spurious: Vec<Bit>,
    /// When the thread has run into an error up to now.
    pub error: Bit,
    /// Whether the next iteration is beyond the bound.
    pub is_last: bool,
}

/// The loops whose idle iterations may be left out under the model.
pub fn loops_with_idle_iterations(program: &Verified, model: &Model) -> Loops {
    if allows_parts(model) && own_writes_in_order(model) { loops(program) } else { Loops::new() }
}

/// Whether a thread never sees a write of its own that it has overwritten, and such a write never remains in the end: seen from the
/// cycles that the model forbids, or concluded from its axioms.
fn own_writes_in_order(model: &Model) -> bool {
    let accesses = vec![Kind::Write, Kind::Write, Kind::Read];
    let overwritten = Scenario { accesses, sees: vec![(0, 2)], coherence: Vec::new() };
    let remains = Scenario { accesses: vec![Kind::Write; 2], sees: Vec::new(), coherence: vec![(1, 0)] };
    sees_own_writes_in_order(model) || (forbids(model, &overwritten) && forbids(model, &remains))
}

/// The loops that only compute and access memory.
pub(crate) fn loops(program: &Verified) -> Loops {
    let liveness = Liveness::of(program);
    let mut loops = Loops::new();
    for (index, thread) in program.threads.iter().enumerate() {
        let function = program.function(thread.entry);
        for (head, _) in loop_heads(function) {
            let live = liveness.before(program, thread.entry, head, 0);
            if let Some(assigned) = assigned(function, head) {
                let carried = assigned.into_iter().filter(|register| live.contains(register.0 as usize));
                loops.insert((ThreadId(index as u32), head), carried.collect());
            }
        }
    }
    loops
}

/// The registers that a loop sets, if it does nothing else but access memory.
fn assigned(function: &Function, head: BlockId) -> Option<BTreeSet<RegisterId>> {
    let body = loop_body(function, head);
    let instructions = body.iter().flat_map(|block| &function[*block].instructions);
    let mut assigned = BTreeSet::new();
    for instruction in instructions {
        if !only_accesses(&instruction.kind) {
            return None;
        }
        assigned.extend(instruction.kind.targets());
    }
    Some(assigned)
}

fn only_accesses(kind: &InstructionKind) -> bool {
    use InstructionKind::*;
    matches!(
        kind,
        Assign { .. }
            | Load { .. }
            | Store { .. }
            | ReadModifyWrite { .. }
            | Fence { .. }
            | Freeze { .. }
            | Live { .. }
            | Identify { .. }
            | Assert { .. }
            | Assume { .. }
            | AtomicBegin
            | AtomicEnd
    )
}

/// A register: what it holds, and what that depends on.
pub type Held = (Symbolic, Dependencies<Bit>);

/// When a register holds the same in the end, and depended in the beginning on nothing that it does not depend on in the
/// end: then what comes after the iteration can come in its place, and depends on nothing new. Under some models it does not
/// matter what `depends`.
pub fn same(before: &Held, after: &Held, depends: bool, circuit: &mut Circuit) -> Bit {
    let mut parts = vec![before.0.same(&after.0, circuit)];
    for &(read, when) in before.1.iter().filter(|_| depends) {
        let later = after.1.iter().find(|(other, _)| *other == read).map_or(Bit::FALSE, |&(_, when)| when);
        parts.push(circuit.or(&[!when, later]));
    }
    circuit.and(&parts)
}

/// What is said of the iterations of an encoding.
pub struct Iterations {
    /// Iterations may be idle, after all. To be assumed false, unless just these executions are looked for.
    pub tolerated: Bit,
    /// When a loop is never left, and which; once that was asked for.
    pub for_ever: Vec<(LoopCopy, Bit)>,
}

impl Iterations {
    /// Nothing.
    pub const NONE: Iterations = Iterations { tolerated: Bit::FALSE, for_ever: Vec::new() };
}

/// What becomes of a relation when events are taken out of an execution, and writes only if nothing left sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// It is cut down to the events that are left.
    Exact,
    /// It loses that, and perhaps more.
    Shrinks,
    /// It may gain pairs.
    Any,
}

/// Whether an allowed execution stays allowed when events are taken out, and writes only if nothing left sees them. Judged
/// from the expressions alone; "no" is always a safe answer.
pub fn allows_parts(model: &Model) -> bool {
    let judge = Judge { formulas: &model.formulas };
    let required = model.axioms.iter().filter(|axiom| axiom.kind == AxiomKind::Require);
    let chosen = model.existentials.iter().all(|existential| match &existential.range {
        Choices::Linearisation { on, contains } => {
            judge.of(*on) == Change::Exact && judge.of(*contains) <= Change::Shrinks
        }
        Choices::Relation(sets) => sets.iter().all(|&set| judge.of(set) == Change::Exact),
    });
    !model.is_speculative() && chosen && required.into_iter().all(|axiom| judge.stays(&axiom.formula, true))
}

/// Whether two accesses race, according to the model's flags, only if they are of one location and of different threads, one
/// of them is a write and one is not atomic, or one is the allocation of what the other accesses; and still do after other events were
/// taken out. Judged from the expressions alone; "no" is always a safe
/// answer.
pub fn keeps_races(model: &Model) -> bool {
    let judge = Judge { formulas: &model.formulas };
    let mut flags = model.axioms.iter().filter(|axiom| axiom.kind == AxiomKind::Flag);
    flags.all(|flag| match &flag.formula {
        Formula::Not(inner) => match **inner {
            Formula::Empty(race) => {
                let within = ["loc", "ext"].into_iter().all(|name| judge.is_within(race, name));
                let is_race = within && judge.has_write(race) && judge.is_not_of_atomics(race);
                (is_race || judge.is_within(race, "allocates")) && judge.stays_in(race)
            }
            _ => false,
        },
        _ => false,
    })
}

struct Judge<'a> {
    formulas: &'a Formulas,
}

impl Judge<'_> {
    fn of(&self, expr: ExprId) -> Change {
        use Change::*;
        let shrinks = |parts: &[ExprId]| parts.iter().map(|&part| self.of(part)).max().unwrap_or(Exact).max(Shrinks);
        match *self.formulas.node(expr) {
            Expr::Base(_) | Expr::Empty | Expr::Universe | Expr::Identity => Exact,
            Expr::Union(a, b) | Expr::Intersection(a, b) | Expr::Product(a, b) => self.of(a).max(self.of(b)),
            Expr::Difference(a, b) if self.of(b) == Exact => self.of(a),
            Expr::Difference(..) => Any,
            Expr::Inverse(a) => self.of(a),
            Expr::Sequence(a, b) => shrinks(&[a, b]),
            // Reads of writes of a set: what a read sees is taken out only with it.
            Expr::Range(a) if matches!(*self.formulas.node(a), Expr::Sequence(set, rf) if self.is_source(set, rf)) => {
                Exact
            }
            Expr::Closure(a) | Expr::ReflexiveClosure(a) | Expr::Domain(a) | Expr::Range(a) => shrinks(&[a]),
            // A fixpoint would have to be judged together with its definition.
            Expr::Recursive(_) => Any,
            Expr::Comprehension(_) | Expr::Single(_) | Expr::Each(..) => Any,
        }
    }

    /// Whether the two are `[S]; rf` for a set that does not change.
    fn is_source(&self, set: ExprId, rf: ExprId) -> bool {
        let is_rf = matches!(self.formulas.node(rf), Expr::Base(name) if **name == *"rf");
        is_rf && is_set(self.formulas, set) && self.of(set) == Change::Exact
    }

    /// Whether a pair of the relation stays in it when other events are taken out.
    fn stays_in(&self, expr: ExprId) -> bool {
        match *self.formulas.node(expr) {
            Expr::Union(a, b) | Expr::Intersection(a, b) => self.stays_in(a) && self.stays_in(b),
            Expr::Difference(a, b) => self.stays_in(a) && self.of(b) <= Change::Shrinks,
            Expr::Inverse(a) => self.stays_in(a),
            _ => self.of(expr) == Change::Exact,
        }
    }

    /// Whether all pairs are in the relation of that name.
    fn is_within(&self, expr: ExprId, name: &str) -> bool {
        match self.formulas.node(expr) {
            Expr::Base(base) => **base == *name,
            Expr::Empty => true,
            Expr::Intersection(a, b) => self.is_within(*a, name) || self.is_within(*b, name),
            Expr::Union(a, b) => self.is_within(*a, name) && self.is_within(*b, name),
            Expr::Difference(a, _) => self.is_within(*a, name),
            _ => false,
        }
    }

    /// Whether each pair has a write.
    fn has_write(&self, expr: ExprId) -> bool {
        let is_write = |set: ExprId| matches!(self.formulas.node(set), Expr::Base(base) if **base == *"W");
        match *self.formulas.node(expr) {
            Expr::Empty => true,
            Expr::Product(a, b) => is_write(a) || is_write(b),
            Expr::Intersection(a, b) => self.has_write(a) || self.has_write(b),
            Expr::Union(a, b) => self.has_write(a) && self.has_write(b),
            Expr::Difference(a, _) => self.has_write(a),
            _ => false,
        }
    }

    /// Whether the pairs of atomic accesses are taken out of the relation.
    fn is_not_of_atomics(&self, expr: ExprId) -> bool {
        let is_atomic = |set: ExprId| matches!(self.formulas.node(set), Expr::Base(base) if **base == *"A");
        match *self.formulas.node(expr) {
            Expr::Empty => true,
            Expr::Difference(a, b) => {
                let of_atomics = matches!(*self.formulas.node(b), Expr::Product(s, t) if is_atomic(s) && is_atomic(t));
                of_atomics || self.is_not_of_atomics(a)
            }
            Expr::Intersection(a, b) => self.is_not_of_atomics(a) || self.is_not_of_atomics(b),
            Expr::Union(a, b) => self.is_not_of_atomics(a) && self.is_not_of_atomics(b),
            _ => false,
        }
    }

    /// Whether the formula stays true, or if not `positive`, stays false.
    fn stays(&self, formula: &Formula, positive: bool) -> bool {
        match formula {
            Formula::Constant(_) | Formula::Free(..) | Formula::Same(..) => true,
            Formula::Acyclic(expr) | Formula::Irreflexive(expr) | Formula::Empty(expr) => {
                positive && self.of(*expr) <= Change::Shrinks
            }
            Formula::TotalOrder { order, on } => {
                positive && self.of(*order) == Change::Exact && self.of(*on) == Change::Exact
            }
            // What is left out may have been counted.
            Formula::AtLeast(_, expr) => !positive && self.of(*expr) <= Change::Shrinks,
            Formula::Member(expr, ..) if positive => self.of(*expr) == Change::Exact,
            Formula::Member(expr, ..) => self.of(*expr) <= Change::Shrinks,
            Formula::ForAll(_, set, body) => positive && self.of(*set) <= Change::Shrinks && self.stays(body, positive),
            Formula::Exists(_, set, body) => {
                !positive && self.of(*set) <= Change::Shrinks && self.stays(body, positive)
            }
            Formula::Not(inner) => self.stays(inner, !positive),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().all(|part| self.stays(part, positive)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str, text: &str) -> Model {
        crate::model::load(name, text, &|_| None).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
    }

    #[test]
    fn idle_iterations_are_left_out_under_these_models() {
        let judged = |file: &str| {
            let (name, text) = crate::model::shipped().iter().find(|(name, _)| *name == file).expect("a shipped model");
            let model = model(name, text);
            allows_parts(&model) && own_writes_in_order(&model)
        };
        for file in
            ["sc.cat", "tso.cat", "pso.cat", "relaxed.cat", "rc11.cat", "rc20.cat", "sc.mm", "relaxed.mm", "rmo.mm"]
        {
            assert!(judged(file), "{file}");
        }
        for file in ["c11.cat", "jmm-revised.mm", "pram.mm"] {
            assert!(!judged(file), "{file}");
        }
    }

    #[test]
    fn races_stay_races_under_these_models() {
        for file in ["rc11.cat", "rc20.cat"] {
            let (name, text) = crate::model::shipped().iter().find(|(name, _)| *name == file).expect("a shipped model");
            assert!(keeps_races(&model(name, text)), "{file}");
        }
        let flags = |race: &str, expected: bool| {
            let text = format!("test\nlet hb = (po | rf)^+\nflag {race} as data-race\n");
            assert_eq!(keeps_races(&model("test.cat", &text)), expected, "{race}");
        };
        flags("~empty (W * M & loc & ext) \\ hb \\ hb^-1 \\ A * A", true);
        // Pairs of atomic accesses, of one thread, of different locations; races that something else must be there for.
        flags("~empty (W * M & loc & ext) \\ hb", false);
        flags("~empty (W * M & loc) \\ hb \\ A * A", false);
        flags("~empty (W * M & ext) \\ hb \\ A * A", false);
        flags("~empty (M * M & loc & ext) \\ hb \\ A * A", false);
        flags("~empty (W * M & loc & ext) & hb \\ A * A", false);
        flags("empty (W * M & loc & ext) \\ A * A", false);
    }

    fn parts(axiom: &str, expected: bool) {
        assert_eq!(allows_parts(&model("test.cat", &format!("test\n{axiom}\n"))), expected, "{axiom}");
    }

    #[test]
    fn what_has_no_cycle_has_none_after_events_are_taken_out() {
        parts("acyclic po | rf | co | fr as a", true);
        parts("acyclic (po \\ loc); [F]; po | rf as a", true);
        parts("irreflexive (rf | fr)^+; po as a", true);
        parts("empty rmw & (fre; coe) as a", true);
    }

    #[test]
    fn what_lies_between_two_events_may_be_taken_out() {
        parts("acyclic (po \\ (po; po)) | rf as a", false);
        parts("acyclic rf | (po \\ (po; [F]; po)) as a", false);
        parts("~empty rf as a", false);
        parts("acyclic rf | [range(rmw)] as a", true);
        parts("acyclic rf | po; [W \\ range(rf)] as a", false);
        // Who reads from a write of a thread keeps its write; who reads from what comes after another write need not.
        parts("acyclic rf | po; [R \\ range([W \\ IW]; rf)] as a", true);
        parts("acyclic rf | po; [R \\ range(co; rf)] as a", false);
    }

    fn in_order(axioms: &str, expected: bool) {
        assert_eq!(sees_own_writes_in_order(&model("test.cat", &format!("test\n{axioms}\n"))), expected, "{axioms}");
    }

    #[test]
    fn own_writes_are_seen_in_order_if_an_axiom_says_so() {
        in_order("acyclic po-loc | rf | co | fr as a", true);
        in_order("irreflexive co; po as a\nirreflexive po; fr as b", true);
        in_order("acyclic [W]; po; [W] | co as a", false);
        in_order("acyclic po-loc | fr as a", false);
        in_order("irreflexive co; po-loc as a\nirreflexive fr; (po & (R * W)) as b", false);
    }
}
