//! What a picture of an execution shows, before anything is placed: nodes in columns, and labelled edges.

use std::collections::{BTreeMap, BTreeSet};

use program::outcome::Step;
use program::{EventId, EventKind, Execution, Failure, Program, ThreadId, Violation};

use crate::cells::is_of_life;
use crate::failure::stops;
use crate::justification::{Commitment, Stage, is_set};
use crate::names::{Names, is_boundary, label, line_text, source_text, thread_name};
use crate::synchronization::{self, is_inside};

/// What a picture of an execution shows.
pub struct Drawing {
    /// One column per thread, in order.
    pub columns: Vec<Column>,
    /// Initial writes that an edge touches.
    pub initial: Vec<EventId>,
    /// One per event, and one for each thread that fails or waits for ever in the end.
    pub nodes: Vec<Node>,
    /// Program order first, then in the order in which they should be drawn.
    pub edges: Vec<Edge>,
    /// Whether a cycle is emphasised, so that all other edges stand back.
    pub emphasised: bool,
}

/// A thread's column.
pub struct Column {
    /// The thread's name.
    pub name: String,
    /// Its events from top to bottom.
    pub events: Vec<EventId>,
}

/// An event as drawn.
pub struct Node {
    /// `a: W x=1`.
    pub label: String,
    /// The source statement.
    pub source: String,
    /// What the event does, for the colour.
    pub kind: EventKind,
    /// Whether the offending cycle passes through it, or the execution fails there.
    pub on_cycle: bool,
    /// Whether its action is committed, in an execution that justifies another.
    pub commitment: Commitment,
}

/// A relation between two events as drawn.
#[derive(Clone, Debug)]
pub struct Edge {
    /// From here,
    pub from: EventId,
    /// to here.
    pub to: EventId,
    /// The relation's name.
    pub label: String,
    /// The colour.
    pub colour: &'static str,
    /// Whether the edge belongs to the offending cycle.
    pub on_cycle: bool,
    /// Whether it is program order from an event to the next one: drawn straight down.
    pub is_po_step: bool,
}

const PO: &str = "#8a8f98";
const RF: &str = "#1a7f37";
const CO: &str = "#8b5a2b";
const FR: &str = "#d9730d";
const ADDR: &str = "#6f42c1";
const DATA: &str = "#8957e5";
const CTRL: &str = "#a475f9";
const RMW: &str = "#0969da";
const CYCLE: &str = "#d1242f";
/// Colours of the relations that a model names, in turn.
const NAMED: [&str; 4] = ["#0e7c86", "#b03a8c", "#5c6f00", "#3a5ccc"];

/// Decides what a picture of `execution` shows; with a violation, its cycle is emphasised.
///
/// Relations that follow from what is drawn are left out, so that the picture stays legible: of coherence and of the
/// model's own orders only the steps, of from-read only the edge to the next write. So are starts and ends of threads, unless
/// the cycle passes through them. Operations of locks and the like are one node each; where the execution fails is the last of its thread.
pub fn drawing(
    program: &Program,
    execution: &Execution,
    violation: Option<&Violation>,
    failure: Option<&Failure>,
) -> Drawing {
    let cycle = violation.map_or(&[][..], |violation| &violation.cycle);
    let mut drawing = draw(program, execution, &Names::of(program, execution), cycle, None);
    failure.into_iter().for_each(|failure| drawing.mark(program, failure));
    drawing
}

/// Decides what a picture of a cycle shows: nothing but the events of `only`. Without a cycle, where the execution fails is marked.
pub fn cycle_drawing(
    program: &Program,
    execution: &Execution,
    cycle: &[Step],
    only: &BTreeSet<EventId>,
    failure: Option<&Failure>,
) -> Drawing {
    let mut drawing = draw(program, execution, &Names::of(program, execution), cycle, Some(only));
    failure.into_iter().filter(|_| cycle.is_empty()).for_each(|failure| drawing.mark(program, failure));
    drawing
}

/// Decides what a picture of an execution that justifies another shows.
pub fn stage_drawing(program: &Program, stage: &Stage) -> Drawing {
    let mut drawing = draw(program, stage.execution, &stage.names, &[], None);
    for (node, &commitment) in drawing.nodes.iter_mut().zip(&stage.commitments) {
        node.commitment = commitment;
    }
    drawing
}

fn draw(
    program: &Program,
    execution: &Execution,
    names: &Names,
    cycle: &[Step],
    only: Option<&BTreeSet<EventId>>,
) -> Drawing {
    let on_cycle: BTreeSet<EventId> = cycle.iter().flat_map(|step| [step.from, step.to]).collect();
    let joined = Joined::of(program, execution, &on_cycle);
    let is_chosen = |id: EventId| only.is_none_or(|only| only.contains(&id)) && !joined.hidden.contains(&id);
    let is_shown = |id: EventId| is_chosen(id) && !is_boundary(execution.event(id)) || on_cycle.contains(&id);
    let is_drawn = |id: EventId| is_shown(id) && joined.shown[id.0 as usize] == id;
    let columns = columns(program, execution, &is_drawn);
    let mut edges = edges(execution, &columns, &is_shown, cycle);
    joined.join(&mut edges);
    let touched: BTreeSet<EventId> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
    let is_initial = |id: &EventId| execution.event(*id).thread.is_none();
    Drawing {
        initial: touched.into_iter().filter(is_initial).collect(),
        nodes: nodes(program, execution, names, &on_cycle, &joined),
        emphasised: !cycle.is_empty(),
        columns,
        edges,
    }
}

impl Drawing {
    /// Marks where the execution fails: the accesses that it is about, or else a node below the last of each thread that stops.
    fn mark(&mut self, program: &Program, failure: &Failure) {
        failure.events.iter().for_each(|id| self.nodes[id.0 as usize].on_cycle = true);
        for stop in stops(failure).into_iter().filter(|_| failure.events.is_empty()) {
            let Some(column) = self.columns.iter_mut().find(|column| column.name == stop.thread) else { continue };
            let (id, before) = (EventId(self.nodes.len() as u32), column.events.last().copied());
            column.events.push(id);
            let source =
                stop.location.as_ref().and_then(|place| line_text(&program.sources, place)).unwrap_or_default();
            let (label, source) = (stop.what.to_string(), crate::trace::code(source));
            self.nodes.push(Node {
                label,
                source,
                kind: EventKind::Special,
                on_cycle: true,
                commitment: Commitment::Open,
            });
            let edge = |from| Edge { from, to: id, label: "po".into(), colour: PO, on_cycle: false, is_po_step: true };
            self.edges.extend(before.map(edge));
        }
    }
}

/// Which events are drawn as one: those of an operation of a lock, or of the life of a block.
struct Joined {
    /// By event: the one that stands for it.
    shown: Vec<EventId>,
    /// The operations, by the event that stands for them.
    operations: BTreeMap<EventId, String>,
    /// Initial writes of what only such operations use.
    hidden: BTreeSet<EventId>,
}

impl Joined {
    /// Events of a cycle stand for themselves.
    fn of(program: &Program, execution: &Execution, on_cycle: &BTreeSet<EventId>) -> Joined {
        let mut shown: Vec<EventId> = execution.ids().collect();
        let mut operations = BTreeMap::new();
        let threads: BTreeSet<ThreadId> = execution.events.iter().filter_map(|event| event.thread).collect();
        for thread in threads {
            let own: Vec<EventId> = execution.ids().filter(|id| execution.event(*id).thread == Some(thread)).collect();
            for step in synchronization::steps(program, execution, &own) {
                if step.events.iter().any(|id| on_cycle.contains(id)) {
                    continue;
                }
                step.events.iter().for_each(|id| shown[id.0 as usize] = step.shown);
                operations.extend(step.operation.map(|operation| (step.shown, operation)));
            }
        }
        let is_hidden = |id: &EventId| {
            let event = execution.event(*id);
            let cell = event.cell.as_ref().filter(|_| event.thread.is_none() && !on_cycle.contains(id));
            cell.is_some_and(|cell| is_of_life(cell) || is_inside(program, execution, cell))
        };
        Joined { hidden: execution.ids().filter(is_hidden).collect(), shown, operations }
    }

    /// Edges between what stands for their ends: each once, and between two operations only who sees whom.
    fn join(&self, edges: &mut Vec<Edge>) {
        let mut known = BTreeSet::new();
        edges.retain_mut(|edge| {
            let ends = (edge.from, edge.to);
            (edge.from, edge.to) = (self.shown[edge.from.0 as usize], self.shown[edge.to.0 as usize]);
            let is_inner = ends != (edge.from, edge.to) && edge.from == edge.to;
            let are_operations = [edge.from, edge.to].iter().all(|id| self.operations.contains_key(id));
            let is_said = !are_operations || !matches!(&*edge.label, "co" | "fr" | "rmw");
            !is_inner && is_said && (!self.is_joined(ends) || known.insert((edge.label.clone(), edge.from, edge.to)))
        });
    }

    /// Whether something else stands for one of these.
    fn is_joined(&self, ends: (EventId, EventId)) -> bool {
        [ends.0, ends.1].iter().any(|id| self.shown[id.0 as usize] != *id)
    }
}

fn columns(program: &Program, execution: &Execution, is_shown: &dyn Fn(EventId) -> bool) -> Vec<Column> {
    let started = execution.events.iter().filter_map(|event| event.thread).map(|thread| thread.0 as usize + 1);
    let count = started.max().unwrap_or(0).max(program.threads.len());
    let is_of = |thread: u32, id: EventId| execution.event(id).thread == Some(ThreadId(thread)) && is_shown(id);
    let column = |thread: u32| Column {
        name: thread_name(program, ThreadId(thread)),
        events: execution.ids().filter(|&id| is_of(thread, id)).collect(),
    };
    (0..count as u32).map(column).collect()
}

fn nodes(
    program: &Program,
    execution: &Execution,
    names: &Names,
    on_cycle: &BTreeSet<EventId>,
    joined: &Joined,
) -> Vec<Node> {
    let node = |id: EventId| {
        let event = execution.event(id);
        let label = match event.thread {
            Some(_) if joined.operations.contains_key(&id) => format!("{}: {}", names.get(id), joined.operations[&id]),
            Some(_) if is_boundary(event) => label(program, event, &names.cells),
            Some(_) => format!("{}: {}", names.get(id), label(program, event, &names.cells)),
            None => format!("init {}", label(program, event, &names.cells).trim_start_matches("W ")),
        };
        let has_source = event.thread.is_some() && !is_boundary(event);
        let source = if has_source { source_text(&program.sources, event.span) } else { String::new() };
        Node { label, source, kind: event.kind, on_cycle: on_cycle.contains(&id), commitment: Commitment::Open }
    };
    execution.ids().map(node).collect()
}

fn edges(execution: &Execution, columns: &[Column], is_shown: &dyn Fn(EventId) -> bool, cycle: &[Step]) -> Vec<Edge> {
    let mut edges = Vec::new();
    let po: Vec<_> =
        columns.iter().flat_map(|column| column.events.windows(2)).map(|pair| (pair[0], pair[1])).collect();
    add(&mut edges, "po", PO, &po);
    edges.iter_mut().for_each(|edge| edge.is_po_step = true);
    add(&mut edges, "rf", RF, &execution.rf);
    add(&mut edges, "co", CO, &execution.co_steps());
    add(&mut edges, "fr", FR, &fr_steps(execution));
    add(&mut edges, "rmw", RMW, &execution.rmw);
    add(&mut edges, "addr", ADDR, &execution.addr);
    add(&mut edges, "data", DATA, &execution.data);
    add(&mut edges, "ctrl", CTRL, &first_of_each(&execution.ctrl));
    for (index, (name, pairs)) in execution.named.iter().enumerate() {
        // A set has nothing to draw; steps are found among what is shown, so that no order is lost with what is not.
        let pairs: Vec<_> = pairs.iter().copied().filter(|&(from, to)| is_shown(from) && is_shown(to)).collect();
        if !is_set(&pairs) && !edges.iter().any(|edge: &Edge| edge.label == *name) {
            add(&mut edges, name, NAMED[index % NAMED.len()], &reduced(&pairs));
        }
    }
    edges.retain(|edge| is_shown(edge.from) && is_shown(edge.to));
    emphasise(&mut edges, cycle);
    edges
}

fn add(edges: &mut Vec<Edge>, label: &str, colour: &'static str, pairs: &[(EventId, EventId)]) {
    let edge = |&(from, to)| Edge { from, to, label: label.into(), colour, on_cycle: false, is_po_step: false };
    edges.extend(pairs.iter().map(edge));
}

/// From-read to the next write only: the rest follows by coherence.
fn fr_steps(execution: &Execution) -> Vec<(EventId, EventId)> {
    let next = execution.co_steps();
    let mut pairs: Vec<_> = Vec::new();
    for &(write, read) in &execution.rf {
        // The read of a read-modify-write stands before its own write by definition.
        let overwrites = next.iter().filter(|&&(w, later)| w == write && !execution.rmw.contains(&(read, later)));
        pairs.extend(overwrites.map(|&(_, later)| (read, later)));
    }
    pairs.sort();
    pairs.dedup();
    pairs
}

/// Control dependencies hold for everything after the branch: the first target of each read stands for the others.
fn first_of_each(pairs: &[(EventId, EventId)]) -> Vec<(EventId, EventId)> {
    let is_first = |&&(from, to): &&(EventId, EventId)| !pairs.iter().any(|&(f, earlier)| f == from && earlier < to);
    pairs.iter().filter(is_first).copied().collect()
}

/// The pairs that do not follow from the others by transitivity; all of them if the relation has a cycle.
pub fn reduced(pairs: &[(EventId, EventId)]) -> Vec<(EventId, EventId)> {
    let set: BTreeSet<_> = pairs.iter().copied().collect();
    if set.iter().any(|&(a, b)| a == b || set.contains(&(b, a))) {
        return set.into_iter().collect();
    }
    let follows = |&(a, c): &(EventId, EventId)| {
        set.range((a, EventId(0))..=(a, EventId(u32::MAX))).any(|&(_, b)| b != c && set.contains(&(b, c)))
    };
    set.iter().filter(|pair| !follows(pair)).copied().collect()
}

/// Draws the offending cycle in place of the edges that it is made of.
fn emphasise(edges: &mut Vec<Edge>, cycle: &[Step]) {
    for step in cycle {
        let same_ends = |edge: &Edge| edge.from == step.from && edge.to == step.to;
        let is_po = edges.iter().any(|edge| edge.is_po_step && same_ends(edge));
        // `rfe` stands for the edge `rf`, `po-loc` for `po`.
        edges.retain(|edge| !(same_ends(edge) && (edge.is_po_step || step.relation.starts_with(&edge.label))));
        edges.push(Edge {
            from: step.from,
            to: step.to,
            label: step.relation.clone(),
            colour: CYCLE,
            on_cycle: true,
            is_po_step: is_po,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_drawn_by_its_steps() {
        let id = EventId;
        assert_eq!(reduced(&[(id(0), id(1)), (id(0), id(2)), (id(1), id(2))]), [(id(0), id(1)), (id(1), id(2))]);
        assert_eq!(reduced(&[(id(0), id(1)), (id(1), id(0))]), [(id(0), id(1)), (id(1), id(0))]);
    }
}
