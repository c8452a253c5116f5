//! Rounds of loops that make no difference, and may be left out of executions.
//!
//! A loop that tries again until it succeeds has no bound where its reads may see old values again and again. But a round
//! that leaves nothing behind can be cut out of an execution: what remains is an execution of the same program that
//! shows the same and goes wrong in the same way. So only executions are looked for in which each round that is followed by
//! another one has an *effect*; of those each execution that goes wrong leaves one over, after all idle rounds are cut out.
//!
//! That is right
//! - of rounds after which the registers that are still read hold what they held before ([`same`]): the round that follows
//!   could have been this one;
//! - of models under which an execution stays allowed if events are taken out ([`allows_parts`]);
//! - of rounds whose writes nothing outside of the round sees. What comes after the point up to which loops are unrolled
//!   is not known: so a write also counts as an effect while another thread is cut short there, and if its own thread does
//!   not overwrite it. A thread never sees a write of its own that it has overwritten, nor does that remain in the end
//!   ([`crate::flow::sees_own_writes_in_order`]);
//! - of rounds without an error, after none: an error is never cut out, and after one the thread need not come to its end.
//!
//! What is lost are executions in which a thread goes round for ever without any effect. These are asked for besides
//! ([`going_on`]): a thread can do so if all reads of a round see the last write of their cell, nobody sees its writes, and
//! all other threads have ended or do likewise.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use program::{BlockId, EventKind, Function, InstructionKind, Liveness, RegisterId, ThreadId, Verified};
use relation::{Bit, Circuit, Expr, ExprId, Formula, Formulas, Matrix};

use crate::bind::coherence_last;
use crate::encode::Encoding;
use crate::events::SymbolicEvent;
use crate::flow::sees_own_writes_in_order;
use crate::model::{AxiomKind, Model, Range as Choices};
use crate::symbolic::Symbolic;
use crate::unroll::{LoopCopy, loop_body, loop_heads};
use crate::walk::Dependencies;

/// Loops whose idle rounds may be left out, by thread and head: the registers that each carries from one round to the
/// next.
pub type Loops = BTreeMap<(ThreadId, BlockId), Vec<RegisterId>>;

/// A round of a loop, which is gone round again after it.
pub struct Round {
    /// The loop.
    pub copy: LoopCopy,
    /// When it is gone round again.
    pub when: Bit,
    /// When the round leaves the registers as it found them.
    pub same: Bit,
    /// The events that may have happened since the round began.
    pub events: Range<usize>,
    /// The luck of its weak compare-exchanges.
    pub lucks: Vec<Bit>,
    /// When the thread has run into an error up to now.
    pub error: Bit,
    /// Whether the next round is beyond the bound.
    pub is_last: bool,
}

/// The loops whose idle rounds may be left out under the model.
pub fn loops_with_idle_rounds(program: &Verified, model: &Model) -> Loops {
    if allows_parts(model) && sees_own_writes_in_order(model) { loops(program) } else { Loops::new() }
}

/// The loops that only compute and access memory.
pub(crate) fn loops(program: &Verified) -> Loops {
    let liveness = Liveness::of(program);
    let mut loops = Loops::new();
    for (index, thread) in program.threads.iter().enumerate() {
        let function = program.function(thread.entry);
        for (head, _) in loop_heads(function) {
            let live = liveness.before(thread.entry, head, 0);
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
    let instructions = body.iter().flat_map(|block| &function.blocks[block.0 as usize].instructions);
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
            | Assert { .. }
            | Assume { .. }
            | AtomicBegin
            | AtomicEnd
    )
}

/// A register: what it holds, and what that depends on.
pub type Held = (Symbolic, Dependencies<Bit>);

/// When a register holds the same in the end, and depended in the beginning on nothing that it does not depend on in the
/// end: then what comes after the round can come in its place, and depends on nothing new. Under some models it does not
/// matter what `depends`.
pub fn same(before: &Held, after: &Held, depends: bool, circuit: &mut Circuit) -> Bit {
    let mut parts = vec![before.0.same(&after.0, circuit)];
    for &(read, when) in before.1.iter().filter(|_| depends) {
        let later = after.1.iter().find(|(other, _)| *other == read).map_or(Bit::FALSE, |&(_, when)| when);
        parts.push(circuit.or(&[!when, later]));
    }
    circuit.and(&parts)
}

/// What is said of the rounds of an encoding.
pub struct Rounds {
    /// Rounds may be idle, after all. To be assumed false, unless just these executions are looked for.
    pub tolerated: Bit,
    /// When a loop is gone round for ever, and which; once that was asked for.
    pub for_ever: Vec<(LoopCopy, Bit)>,
}

impl Rounds {
    /// Nothing.
    pub const NONE: Rounds = Rounds { tolerated: Bit::FALSE, for_ever: Vec::new() };
}

/// Requires that each round has an effect, unless idle ones are tolerated.
pub fn require_effects(encoding: &mut Encoding) {
    let rounds = std::mem::take(&mut encoding.events.rounds);
    if rounds.is_empty() {
        return;
    }
    let tolerated = encoding.circuit.fresh();
    for round in &rounds {
        let mut clause = vec![!round.when, tolerated, round.error, !round.same];
        clause.extend(effects(round, encoding));
        encoding.circuit.clause(&clause);
    }
    encoding.idle.tolerated = tolerated;
    encoding.events.rounds = rounds;
}

/// When some threads go round for ever and all others have come to their end, or wait for ever; not if the program
/// `ends_with_main` and that comes to its end.
pub fn going_on(encoding: &mut Encoding, ends_with_main: bool) -> Option<Bit> {
    let rounds = std::mem::take(&mut encoding.events.rounds);
    let mut for_ever = Vec::new();
    for round in rounds.iter().filter(|round| round.is_last) {
        for_ever.push((round.copy.clone(), goes_on_for_ever(round, encoding)));
    }
    encoding.events.rounds = rounds;
    encoding.idle.for_ever = for_ever;
    let Encoding { circuit, events, idle, .. } = encoding;
    if idle.for_ever.is_empty() {
        return None;
    }
    let some: Vec<Bit> = idle.for_ever.iter().map(|&(_, when)| when).collect();
    let mut parts = vec![idle.tolerated, circuit.or(&some)];
    if ends_with_main {
        parts.push(!events.main_ends);
    }
    for (copy, cut) in &events.pruned {
        let own = idle.for_ever.iter().filter(|(own, _)| own.thread == copy.thread).map(|&(_, when)| when);
        let excused: Vec<Bit> = own.chain([!*cut]).collect();
        parts.push(circuit.or(&excused));
    }
    Some(circuit.and(&parts))
}

/// When the writes of a round matter, one by one.
fn effects(round: &Round, encoding: &mut Encoding) -> Vec<Bit> {
    let Encoding { circuit, events, rf, .. } = encoding;
    let list = &events.events;
    let others = events.pruned.iter().filter(|(copy, _)| copy.thread != round.copy.thread).map(|&(_, when)| when);
    let others: Vec<Bit> = others.collect();
    let other_is_cut = circuit.or(&others);
    let mut effects = Vec::new();
    for write in writes_of(round, list) {
        let mut reasons: Vec<Bit> = seen_outside(write, round, rf).collect();
        reasons.push(other_is_cut);
        reasons.push(!overwritten(write, round, list, circuit));
        let matters = circuit.or(&reasons);
        effects.push(circuit.and(&[list[write].guard, matters]));
    }
    effects
}

/// When something outside of the round sees the write.
fn seen_outside<'a>(write: usize, round: &'a Round, rf: &'a Matrix) -> impl Iterator<Item = Bit> + 'a {
    let outside = rf.row(write).iter().filter(|(read, _)| !round.events.contains(&(*read as usize)));
    outside.map(|&(_, when)| when)
}

fn writes_of<'a>(round: &Round, list: &'a [SymbolicEvent]) -> impl Iterator<Item = usize> + 'a {
    round.events.clone().filter(|&event| list[event].kind == EventKind::Write)
}

/// When the thread overwrites what it wrote, after the round.
fn overwritten(write: usize, round: &Round, list: &[SymbolicEvent], circuit: &mut Circuit) -> Bit {
    let later = (round.events.end..list.len()).take_while(|&event| list[event].thread == Some(round.copy.thread));
    let mut cases = Vec::new();
    for event in later.filter(|&event| list[event].kind == EventKind::Write) {
        for &(cell, here) in &list[event].at {
            if let Some(&(_, there)) = list[write].at.iter().find(|(other, _)| *other == cell) {
                cases.push(circuit.and(&[list[event].guard, here, there]));
            }
        }
    }
    circuit.or(&cases)
}

/// When nobody sees what the round writes, and it reads only what stays in memory for ever. Nobody is out of luck for ever.
fn goes_on_for_ever(round: &Round, encoding: &mut Encoding) -> Bit {
    let Encoding { circuit, events, rf, co, .. } = encoding;
    let list = &events.events;
    let mut parts = vec![round.when, round.same];
    parts.extend(&round.lucks);
    for write in writes_of(round, list) {
        let seen: Vec<Bit> = seen_outside(write, round, rf).collect();
        let seen = circuit.or(&seen);
        parts.push(!circuit.and(&[list[write].guard, seen]));
    }
    for read in round.events.clone().filter(|&event| list[event].kind == EventKind::Read) {
        let mut last = vec![!list[read].guard];
        for write in (0..list.len()).filter(|&event| list[event].kind == EventKind::Write) {
            let sees = rf.get(write, read);
            if sees != Bit::FALSE {
                let stays = coherence_last(write, list, co, circuit);
                last.push(circuit.and(&[sees, stays]));
            }
        }
        parts.push(circuit.or(&last));
    }
    circuit.and(&parts)
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
            Expr::Closure(a) | Expr::ReflexiveClosure(a) | Expr::Domain(a) | Expr::Range(a) => shrinks(&[a]),
            // A fixpoint would have to be judged together with its definition.
            Expr::Recursive(_) => Any,
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
    fn idle_rounds_are_left_out_under_these_models() {
        let judged = |file: &str| {
            let (name, text) = crate::model::shipped().iter().find(|(name, _)| *name == file).expect("a shipped model");
            let model = model(name, text);
            allows_parts(&model) && sees_own_writes_in_order(&model)
        };
        for file in ["sc.cat", "tso.cat", "pso.cat", "relaxed.cat", "rc11.cat"] {
            assert!(judged(file), "{file}");
        }
        for file in ["c11.cat", "jmm-revised.mm", "pram.mm"] {
            assert!(!judged(file), "{file}");
        }
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
