//! Whether threads may wait for each other at monitors for ever.
//!
//! Models speak of executions in which every critical section ends, so a deadlock is none of them. Threads can block each other
//! only if one acquires a monitor while it holds another, and others do so with these monitors in a circle. Where that is not so
//! there is no deadlock; where it is, there may be one. In which direction this errs: monitors are said to be held, and circles to
//! be there, rather too often.

use std::collections::BTreeSet;

use program::{EventKind, ThreadId};
use relation::Bit;

use crate::events::{Events, SymbolicEvent};
use crate::unroll::{Target, Unrolled};

/// A thread acquires the second monitor while it holds the first; monitors by index in [`Events::monitors`].
type Nested = (ThreadId, usize, usize);

/// How often a thread may hold a monitor: bit `n` stands for `n` times.
type Counts = u64;

/// The monitors at which threads may wait for each other for ever, if there may be such.
pub fn may_block(events: &Events, threads: &[Unrolled]) -> Option<BTreeSet<usize>> {
    let nested: BTreeSet<Nested> = threads.iter().flat_map(|thread| nested(events, thread)).collect();
    let count = events.monitors.len();
    let mut leads = vec![vec![false; count]; count];
    (0..count).for_each(|monitor| leads[monitor][monitor] = true);
    nested.iter().for_each(|&(_, held, wanted)| leads[held][wanted] = true);
    for middle in 0..count {
        for from in (0..count).filter(|&from| from != middle) {
            if leads[from][middle] {
                let onward = leads[middle].clone();
                leads[from].iter_mut().zip(onward).for_each(|(known, new)| *known |= new);
            }
        }
    }
    let is_circle = |&(one, held, wanted): &Nested, &(other, also_held, also_wanted): &Nested| {
        one != other && leads[wanted][also_held] && leads[also_wanted][held]
    };
    let circle =
        nested.iter().find_map(|one| nested.iter().find(|other| is_circle(one, other)).map(|other| (*one, *other)));
    circle.map(|((_, a, b), (_, c, d))| BTreeSet::from([a, b, c, d]))
}

/// The monitors that a thread may acquire while it holds others.
fn nested(events: &Events, thread: &Unrolled) -> BTreeSet<Nested> {
    let mut found = BTreeSet::new();
    let mut held: Vec<Vec<Counts>> = vec![vec![0; events.monitors.len()]; thread.nodes.len()];
    if let Some(entry) = held.first_mut() {
        entry.fill(1);
    }
    for (number, node) in thread.nodes.iter().enumerate() {
        let mut counts = held[number].clone();
        for event in sections(events, thread.thread, number) {
            let monitors: Vec<usize> =
                event.at.iter().filter(|(_, when)| *when != Bit::FALSE).map(|(at, _)| *at).collect();
            if event.kind == EventKind::Lock {
                let others = |wanted: &usize| {
                    let is_held = |&other: &usize| other != *wanted && counts[other] & !1 != 0;
                    (0..counts.len()).filter(is_held).map(|other| (thread.thread, other, *wanted)).collect::<Vec<_>>()
                };
                found.extend(monitors.iter().flat_map(others));
            }
            for &monitor in &monitors {
                let after = after(event.kind, counts[monitor]);
                counts[monitor] = if monitors.len() == 1 { after } else { counts[monitor] | after };
            }
        }
        for next in &node.successors {
            if let Target::Node(next) = next {
                held[*next].iter_mut().zip(&counts).for_each(|(known, new)| *known |= new);
            }
        }
    }
    found
}

/// The locks and unlocks of a node of a thread, in order.
fn sections(events: &Events, thread: ThreadId, node: usize) -> impl Iterator<Item = &SymbolicEvent> {
    let is_section = |event: &&SymbolicEvent| matches!(event.kind, EventKind::Lock | EventKind::Unlock);
    events.events.iter().filter(is_section).filter(move |event| event.thread == Some(thread) && event.node() == node)
}

/// How often a monitor may be held after a lock or unlock.
fn after(kind: EventKind, counts: Counts) -> Counts {
    match kind {
        EventKind::Lock => counts << 1 | counts & (1 << (Counts::BITS - 1)),
        _ => counts >> 1 | counts & 1,
    }
}
