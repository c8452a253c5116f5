//! Iterations of loops have an effect, or are left out: what is required of an encoding for that, and when threads run loops
//! for ever instead. Why that is right stands in `idle`.

use program::{EventKind, Order};
use relation::{Bit, Circuit, Matrix, Mode};

use crate::bind::coherence_last;
use crate::encoding::Encoding;
use crate::events::SymbolicEvent;
use crate::flag;
use crate::idle::Iteration;
use crate::plain::Plain;
use crate::setting::Setting;

/// Requires that each iteration has an effect, unless idle ones are tolerated. If programs can be wrong because they race,
/// an access that could race is an effect, and so is one that nothing orders after the allocation of its memory, and a write of memory that
/// another thread frees, where it matters when that gets to memory.
pub fn require_effects(encoding: &mut Encoding, setting: &Setting) {
    let iterations = std::mem::take(&mut encoding.events.iterations);
    if iterations.is_empty() {
        return;
    }
    let tolerated = encoding.circuit.fresh();
    let mut misused = if setting.extras.allocations { unallocated(encoding, setting) } else { Vec::new() };
    if let Some(frees) = encoding.translation.base("frees") {
        misused.extend(frees.entries().map(|(write, _, bit)| (write, bit)));
    }
    let plain = if setting.may_race { Plain::of(setting.program) } else { Plain::default() };
    for iteration in &iterations {
        let mut clause = vec![!iteration.when, tolerated, iteration.error, !iteration.same];
        clause.extend(effects(iteration, encoding));
        if setting.may_race {
            clause.push(may_take_part_in_race(iteration, encoding, &plain));
        }
        let accesses = misused.iter().filter(|(event, _)| iteration.events.contains(event));
        clause.extend(accesses.map(|&(_, when)| when));
        encoding.circuit.clause(&clause);
    }
    encoding.idle.tolerated = tolerated;
    encoding.events.iterations = iterations;
}

/// When some threads loop for ever and all others have come to their end, or wait for ever; not if the program
/// `ends_with_main` and that comes to its end.
pub fn going_on(encoding: &mut Encoding, ends_with_main: bool) -> Option<Bit> {
    let iterations = std::mem::take(&mut encoding.events.iterations);
    let mut for_ever = Vec::new();
    for iteration in iterations.iter().filter(|iteration| iteration.is_last) {
        for_ever.push((iteration.copy.clone(), goes_on_for_ever(iteration, encoding)));
    }
    encoding.events.iterations = iterations;
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

/// Accesses that nothing orders after the allocation of their memory, each with when.
fn unallocated(encoding: &mut Encoding, setting: &Setting) -> Vec<(usize, Bit)> {
    let asked = flag::flags(&setting.model, setting.extras).find(|axiom| axiom.name == flag::UNORDERED_ALLOCATION);
    let Some(relation) = asked.and_then(flag::flagged) else { return Vec::new() };
    let Encoding { translation, circuit, events, atoms, .. } = encoding;
    let matrix = translation.matrix(relation, Mode::Exact, circuit);
    let mut found = Vec::new();
    for (event, atom) in (0..events.events.len()).map(|event| (event, atoms.of(event))) {
        let cases: Vec<Bit> = matrix.entries().filter(|(_, access, _)| *access == atom).map(|(.., bit)| bit).collect();
        if !cases.is_empty() {
            found.push((event, circuit.or(&cases)));
        }
    }
    found
}

/// When the writes of an iteration matter, one by one.
fn effects(iteration: &Iteration, encoding: &mut Encoding) -> Vec<Bit> {
    let Encoding { circuit, events, rf, .. } = encoding;
    let list = &events.events;
    let others = events.pruned.iter().filter(|(copy, _)| copy.thread != iteration.copy.thread).map(|&(_, when)| when);
    let others: Vec<Bit> = others.collect();
    let other_is_cut = circuit.or(&others);
    let mut effects = Vec::new();
    for write in writes_of(iteration, list) {
        let mut reasons: Vec<Bit> = seen_outside(write, iteration, rf).collect();
        reasons.push(other_is_cut);
        reasons.push(!overwritten(write, iteration, list, circuit));
        let matters = circuit.or(&reasons);
        effects.push(circuit.and(&[list[write].guard, matters]));
    }
    effects
}

/// When an access of the iteration meets one of another thread in the same cell, one is a write and one is not atomic; or accesses
/// of another thread are not known, and could. Whether something orders the two is not asked.
fn may_take_part_in_race(iteration: &Iteration, encoding: &mut Encoding, plain: &Plain) -> Bit {
    let Encoding { circuit, events, .. } = encoding;
    let list = &events.events;
    let own = Some(iteration.copy.thread);
    let is_access = |event: &&SymbolicEvent| matches!(event.kind, EventKind::Read | EventKind::Write);
    let is_open = |event: &SymbolicEvent| {
        may_be_plain(event) || event.at.iter().any(|(cell, _)| plain.may_touch(&events.cells[*cell]))
    };
    let mut cases = Vec::new();
    if list[iteration.events.clone()].iter().filter(is_access).any(is_open) {
        cases.extend(events.pruned.iter().filter(|(copy, _)| Some(copy.thread) != own).map(|&(_, when)| when));
    }
    for event in list[iteration.events.clone()].iter().filter(is_access) {
        let others = list.iter().filter(is_access).filter(|other| other.thread.is_some() && other.thread != own);
        let conflict = |other: &&SymbolicEvent| {
            (event.kind == EventKind::Write || other.kind == EventKind::Write)
                && (may_be_plain(event) || may_be_plain(other))
        };
        for other in others.filter(conflict) {
            for &(cell, here) in &event.at {
                if let Some(&(_, there)) = other.at.iter().find(|(at, _)| *at == cell) {
                    cases.push(circuit.and(&[event.guard, other.guard, here, there]));
                }
            }
        }
    }
    circuit.or(&cases)
}

fn may_be_plain(event: &SymbolicEvent) -> bool {
    event.accesses.iter().any(|(access, _)| access.order == Order::Plain)
}

/// When something outside of the iteration sees the write.
fn seen_outside<'a>(write: usize, iteration: &'a Iteration, rf: &'a Matrix) -> impl Iterator<Item = Bit> + 'a {
    let outside = rf.row(write).iter().filter(|(read, _)| !iteration.events.contains(&(*read as usize)));
    outside.map(|&(_, when)| when)
}

fn writes_of<'a>(iteration: &Iteration, list: &'a [SymbolicEvent]) -> impl Iterator<Item = usize> + 'a {
    iteration.events.clone().filter(|&event| list[event].kind == EventKind::Write)
}

/// When the thread overwrites what it wrote, after the iteration.
fn overwritten(write: usize, iteration: &Iteration, list: &[SymbolicEvent], circuit: &mut Circuit) -> Bit {
    let later =
        (iteration.events.end..list.len()).take_while(|&event| list[event].thread == Some(iteration.copy.thread));
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

/// When nobody sees what the iteration writes, and it reads only what stays in memory for ever. No compare-exchange fails spuriously for ever.
fn goes_on_for_ever(iteration: &Iteration, encoding: &mut Encoding) -> Bit {
    let Encoding { circuit, events, rf, co, .. } = encoding;
    let list = &events.events;
    let mut parts = vec![iteration.when, iteration.same];
    parts.extend(&iteration.not_spurious);
    for write in writes_of(iteration, list) {
        let seen: Vec<Bit> = seen_outside(write, iteration, rf).collect();
        let seen = circuit.or(&seen);
        parts.push(!circuit.and(&[list[write].guard, seen]));
    }
    for read in iteration.events.clone().filter(|&event| list[event].kind == EventKind::Read) {
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
