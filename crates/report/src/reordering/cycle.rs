//! A shortest cycle of program order and communication.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use program::outcome::Step;
use program::{EventId, EventKind, Execution};

use super::units::Units;

/// An edge between units, by the events that make it.
#[derive(Clone, Copy)]
struct Edge {
    from: EventId,
    to: EventId,
    from_unit: usize,
    to_unit: usize,
    relation: &'static str,
    weight: usize,
}

/// The weight of a step. Further reasons of preference count only among cycles with equally many steps.
const STEP: usize = 10_000;

/// A cycle with the fewest steps; of those one with as few as possible of program order, of which `at` (the places of events
/// in an order of memory) turns round as few as possible; and rather by what loads see than by what they miss. Empty if there
/// is none.
pub fn shortest(
    execution: &Execution,
    units: &Units,
    communication: &[(EventId, EventId, &'static str)],
    at: &[usize],
) -> Vec<Step> {
    let edges = edges(execution, units, communication, at);
    let mut best: Option<(usize, Vec<Edge>)> = None;
    for start in 0..units.members.len() {
        let limit = best.as_ref().map_or(usize::MAX, |(length, _)| *length);
        if let Some(found) = from(start, &edges, limit) {
            best = Some(found);
        }
    }
    best.map_or_else(Vec::new, |(_, cycle)| steps(execution, &cycle))
}

/// The edges that leave each unit.
fn edges(
    execution: &Execution,
    units: &Units,
    communication: &[(EventId, EventId, &'static str)],
    at: &[usize],
) -> Vec<Vec<Edge>> {
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); units.members.len()];
    let mut add = |from: EventId, to: EventId, relation: &'static str, extra: usize| {
        if let Some((from_unit, to_unit)) = units.apart(from, to) {
            edges[from_unit].push(Edge { from, to, from_unit, to_unit, relation, weight: STEP + extra });
        }
    };
    for &(from, to, relation) in communication {
        let extra = match relation {
            "rf" => 0,
            "co" => 20,
            _ => 40,
        };
        add(from, to, relation, extra);
    }
    let is_part = |&id: &EventId| execution.event(id).thread.is_some() && execution.event(id).kind != EventKind::Fence;
    for from in execution.ids().filter(is_part) {
        for to in execution.ids().filter(is_part).filter(|&to| execution.po(from, to)) {
            let is_turned = at[to.0 as usize] < at[from.0 as usize];
            let distance = (to.0 - from.0).min(9) as usize;
            add(from, to, "po", 100 + distance + if is_turned { 1_000 } else { 0 });
        }
    }
    edges
}

/// The lightest cycle through a unit, if it is lighter than `limit`.
fn from(start: usize, edges: &[Vec<Edge>], limit: usize) -> Option<(usize, Vec<Edge>)> {
    let mut reached: Vec<Option<(usize, Edge)>> = vec![None; edges.len()];
    let mut queue = BinaryHeap::from([Reverse((0, start))]);
    while let Some(Reverse((length, unit))) = queue.pop() {
        if unit == start && length > 0 {
            return Some((length, back(start, &reached)));
        }
        if reached[unit].is_some_and(|(best, _)| best < length) {
            continue;
        }
        for edge in &edges[unit] {
            let longer = length + edge.weight;
            if longer < limit && reached[edge.to_unit].is_none_or(|(best, _)| longer < best) {
                reached[edge.to_unit] = Some((longer, *edge));
                queue.push(Reverse((longer, edge.to_unit)));
            }
        }
    }
    None
}

/// The edges by which `start` was reached from itself, in order.
fn back(start: usize, reached: &[Option<(usize, Edge)>]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    let mut unit = start;
    // Weights are positive, so that the way back passes each unit once.
    while let Some((_, edge)) = reached[unit] {
        edges.push(edge);
        unit = edge.from_unit;
        if unit == start {
            break;
        }
    }
    edges.reverse();
    edges
}

/// The edges as steps. Where the next one leaves from another event of the same unit, program order goes there directly if
/// it can, else a step within the unit does.
fn steps(execution: &Execution, cycle: &[Edge]) -> Vec<Step> {
    let mut edges = cycle.to_vec();
    let mut steps = Vec::new();
    for index in 0..edges.len() {
        let next = (index + 1) % edges.len();
        let (edge, follower) = (edges[index], edges[next]);
        if edge.to != follower.from && edge.relation == "po" && execution.po(edge.from, follower.from) {
            edges[index].to = follower.from;
        } else if edge.to != follower.from
            && next > index
            && follower.relation == "po"
            && execution.po(edge.to, follower.to)
        {
            edges[next].from = edge.to;
        }
    }
    for (index, edge) in edges.iter().enumerate() {
        steps.push(Step { from: edge.from, to: edge.to, relation: edge.relation.into() });
        let next = edges[(index + 1) % edges.len()].from;
        if edge.to != next {
            steps.push(Step { from: edge.to, to: next, relation: "atomic".into() });
        }
    }
    steps
}
