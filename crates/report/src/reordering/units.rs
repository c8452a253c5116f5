//! What happens at once: atomic blocks and read-modify-writes as one step each.

use std::collections::{BTreeMap, BTreeSet};

use program::{EventId, Execution};

use super::Pairs;

/// The steps of an execution: each event of a thread is part of one.
pub struct Units {
    /// The events of each unit in program order; units in the order of their first events.
    pub members: Vec<Vec<EventId>>,
    /// The unit of each event; `None` for initial writes.
    pub of: Vec<Option<usize>>,
}

impl Units {
    /// Atomic blocks and read-modify-writes are units, every other event is one by itself.
    pub fn of(execution: &Execution) -> Units {
        let mut units = Units { members: Vec::new(), of: vec![None; execution.events.len()] };
        let mut blocks = BTreeMap::new();
        for id in execution.ids().filter(|&id| execution.event(id).thread.is_some()) {
            let event = execution.event(id);
            let read = execution.rmw.iter().find(|&&(_, write)| write == id).map(|&(read, _)| read);
            let block = event.atomic.map(|block| (event.thread, block));
            let known = block.and_then(|block| blocks.get(&block).copied());
            let known = known.or_else(|| read.and_then(|read| units.of[read.0 as usize]));
            let unit = known.unwrap_or(units.members.len());
            if unit == units.members.len() {
                units.members.push(Vec::new());
            }
            blocks.extend(block.map(|block| (block, unit)));
            units.members[unit].push(id);
            units.of[id.0 as usize] = Some(unit);
        }
        units
    }

    /// Every event by itself.
    pub fn singles(execution: &Execution) -> Units {
        let mut units = Units { members: Vec::new(), of: vec![None; execution.events.len()] };
        for id in execution.ids().filter(|&id| execution.event(id).thread.is_some()) {
            units.of[id.0 as usize] = Some(units.members.len());
            units.members.push(vec![id]);
        }
        units
    }

    /// The units of two events, if they are different.
    pub fn apart(&self, from: EventId, to: EventId) -> Option<(usize, usize)> {
        let unit = |id: EventId| self.of.get(id.0 as usize).copied().flatten();
        let (from, to) = (unit(from)?, unit(to)?);
        (from != to).then_some((from, to))
    }

    /// For each unit those that the pairs put before it.
    pub fn predecessors(&self, pairs: &Pairs) -> Vec<BTreeSet<usize>> {
        let mut before = vec![BTreeSet::new(); self.members.len()];
        for &(from, to) in pairs {
            if let Some((from, to)) = self.apart(from, to) {
                before[to].insert(from);
            }
        }
        before
    }

    /// Whether the pairs have no cycle between units, and none within one against program order.
    pub fn is_acyclic(&self, pairs: &Pairs) -> bool {
        let is_backwards = |&(from, to): &(EventId, EventId)| self.apart(from, to).is_none() && from >= to;
        if pairs.iter().any(is_backwards) {
            return false;
        }
        let mut before = self.predecessors(pairs);
        let mut left: BTreeSet<usize> = (0..self.members.len()).collect();
        while let Some(free) = left.iter().copied().find(|&unit| before[unit].is_empty()) {
            left.remove(&free);
            for earlier in &mut before {
                earlier.remove(&free);
            }
        }
        left.is_empty()
    }
}
