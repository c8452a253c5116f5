//! Final fields (Java language specification, 17.5.1): by which reads a thread came to the address of an object.
//!
//! A thread that did not make an object has read its address before it accesses the object or writes the address. Which
//! of several such reads it was is not fixed: the specification wants *some* read, so that a compiler may keep a field
//! that was read through a reference which another thread let escape early. Each access and write so chooses one,
//! as each read chooses a write in `rf`. Objects that were made before the threads start need no chain: what was written
//! to them then happens before everything.

use std::collections::BTreeMap;

use program::{EventKind, ThreadId, Value};
use relation::{Bit, Circuit, Matrix};

use crate::events::{Events, SymbolicEvent, meet};
use crate::setting::Setting;
use crate::symbolic::Symbolic;
use crate::vocabulary::belongs;

/// The steps of the two chains, by events.
#[derive(Clone)]
pub struct Chains {
    /// A read of an address to the accesses of the object.
    pub dereferences: Matrix,
    /// Those, and a write of an address to the reads that see it, and a read of an address to the writes of it.
    pub memory: Matrix,
}

impl Chains {
    /// Chooses the steps; there are none if the program freezes no field or the model does not ask.
    pub fn new(setting: &Setting, events: &Events, rf: &Matrix, circuit: &mut Circuit) -> Chains {
        let list = &events.events;
        let mut chains = Chains { dereferences: Matrix::empty(list.len()), memory: Matrix::empty(list.len()) };
        if !list.iter().any(is_freeze) || !is_asked_for(setting) {
            return chains;
        }
        let makers = makers(setting);
        let mut dereferences = Vec::new();
        let mut passes = Vec::new();
        for (index, event) in list.iter().enumerate().filter(|(_, event)| event.thread.is_some()) {
            if !matches!(event.kind, EventKind::Read | EventKind::Write) {
                continue;
            }
            let at = event.at.iter().map(|&(cell, when)| (events.cells[cell].allocation, when));
            dereferences.extend(steps(index, &of_others(at, event, &makers), events, circuit));
            if let (EventKind::Write, Some(value)) = (event.kind, &event.value) {
                passes.extend(steps(index, &of_others(allocations(value), event, &makers), events, circuit));
            }
        }
        chains.dereferences = Matrix::from_entries(list.len(), dereferences.clone());
        let sees = rf.entries().filter(|&(write, read, _)| is_address(&list[write]) && is_address(&list[read]));
        let mut memory: BTreeMap<(usize, usize), Vec<Bit>> = BTreeMap::new();
        for (x, y, bit) in sees.chain(dereferences).chain(passes) {
            memory.entry((x, y)).or_default().push(bit);
        }
        let memory: Vec<_> = memory.into_iter().map(|((x, y), bits)| (x, y, circuit.or(&bits))).collect();
        chains.memory = Matrix::from_entries(list.len(), memory);
        chains
    }
}

/// Each freeze of a field to the reads of it.
pub fn freezes(list: &[SymbolicEvent], circuit: &mut Circuit) -> Matrix {
    let mut entries = Vec::new();
    for (freeze, fence) in list.iter().enumerate().filter(|(_, event)| is_freeze(event)) {
        for (read, event) in list.iter().enumerate().filter(|(_, event)| is_final_read(event)) {
            entries.push((freeze, read, meet(fence, event, circuit)));
        }
    }
    Matrix::from_entries(list.len(), entries)
}

fn is_freeze(event: &SymbolicEvent) -> bool {
    event.kind == EventKind::Fence && !event.at.is_empty()
}

fn is_final_read(event: &SymbolicEvent) -> bool {
    let is_final = |access: &program::Access| belongs("FINAL", event.kind, event.thread.is_none(), access);
    event.kind == EventKind::Read
        && event.guard != Bit::FALSE
        && event.accesses.iter().any(|(access, _)| is_final(access))
}

fn is_asked_for(setting: &Setting) -> bool {
    let is_chain = |name: &str| matches!(name.split('@').next(), Some("dereferences" | "memory-chain"));
    setting.model.base_names().iter().any(|name| is_chain(name))
}

/// The thread that makes each object.
fn makers(setting: &Setting) -> BTreeMap<u32, ThreadId> {
    let threads = setting.unrolling.threads.iter();
    let made = threads.flat_map(|unrolled| unrolled.nodes.iter().map(move |node| (unrolled.thread, &node.allocations)));
    made.flat_map(|(thread, made)| made.iter().map(move |made| (made.number, thread))).collect()
}

/// The objects, with when, that another thread makes than the event's.
fn of_others(
    objects: impl Iterator<Item = (u32, Bit)>,
    event: &SymbolicEvent,
    makers: &BTreeMap<u32, ThreadId>,
) -> Vec<(u32, Bit)> {
    objects.filter(|(object, _)| makers.get(object).is_some_and(|maker| Some(*maker) != event.thread)).collect()
}

/// The objects that a value may point to, with when.
fn allocations(value: &Symbolic) -> impl Iterator<Item = (u32, Bit)> {
    value.atoms.iter().filter_map(|(atom, when)| match atom {
        Value::Pointer(pointer) => Some((pointer.allocation, *when)),
        _ => None,
    })
}

fn is_address(event: &SymbolicEvent) -> bool {
    event.value.as_ref().is_some_and(|value| allocations(value).next().is_some())
}

/// Chooses by which read the thread came to the object of an event, if it has read its address.
fn steps(event: usize, objects: &[(u32, Bit)], events: &Events, circuit: &mut Circuit) -> Vec<(usize, usize, Bit)> {
    let list = &events.events;
    let mut candidates: Vec<(usize, Bit)> = Vec::new();
    for (read, earlier) in list.iter().enumerate().filter(|&(read, _)| events.po.contains(read, event)) {
        let Some(value) = earlier.value.as_ref().filter(|_| earlier.kind == EventKind::Read) else { continue };
        let mut cases = Vec::new();
        for (object, pointed) in allocations(value) {
            for &(_, touched) in objects.iter().filter(|&&(other, _)| other == object) {
                cases.push(circuit.and(&[pointed, touched, earlier.guard]));
            }
        }
        let is_possible = circuit.or(&cases);
        if is_possible != Bit::FALSE {
            candidates.push((read, is_possible));
        }
    }
    if let [(read, is_possible)] = candidates[..] {
        return vec![(read, event, is_possible)];
    }
    let chosen: Vec<(usize, usize, Bit)> = candidates.iter().map(|&(read, _)| (read, event, circuit.fresh())).collect();
    for (&(_, is_possible), &(_, _, chosen)) in candidates.iter().zip(&chosen) {
        circuit.clause(&[!chosen, is_possible]);
    }
    for &(_, is_possible) in &candidates {
        let mut some: Vec<Bit> = chosen.iter().map(|&(_, _, bit)| bit).collect();
        some.extend([!is_possible, !list[event].guard]);
        circuit.clause(&some);
    }
    chosen
}
