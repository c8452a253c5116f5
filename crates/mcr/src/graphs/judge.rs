//! Models that are explored by what they say: their axioms, compiled, judge every graph.
//!
//! Which models can be explored so is decided here ([`judge`]); what is refused is refused with the axiom and the reason. Every answer
//! is exact: what the exploration leaves out of itself, by coherence and atomicity, the model is shown to forbid.

use std::collections::BTreeSet;

use axiomatic::model::meaning::knows_annotations;
use axiomatic::model::{Axiom, AxiomKind, EventView};
use axiomatic::{Model, UNORDERED_ALLOCATION, is_of_memory};
use program::{
    Access, EventKind, FunctionId, Instruction, InstructionKind, Order, Program, Storage, Unsupported, Update,
};
use relation::formula::{ExprId, Formula};

use super::atoms::{Atom, Atoms, Label, sets};
use super::closed::{SETS, forbids_thin_air, is_base_set, obstacle};
use super::event::{Event, Kind};
use super::extend::is_extensible;
use super::graph::{Graph, GraphThread};
use super::local::Local;
use super::number::EventId;
use super::relational::{Compiled, Test, compile, first_failing, pairs};
use super::shapes::{Before, Updates, allowed, allowed_of, message_sets};

/// A model as a judge of graphs.
#[derive(Clone, Debug)]
pub struct Judge {
    compiled: Compiled,
    flags: Vec<Flag>,
    view: EventView,
    /// What starting and joining a thread would have to order and the model does not.
    unordered: Option<&'static str>,
    /// What locked instructions and atomic blocks would have to be, and are not.
    locked: Option<&'static str>,
    blocks: Option<&'static str>,
    /// Whether accesses that nothing orders after the allocation of their memory are flagged.
    asks_for_allocations: bool,
    name: String,
}

/// What a model flags.
#[derive(Clone, Debug)]
struct Flag {
    name: String,
    compiled: Compiled,
    /// Whether it is raised if the test holds, not if it fails.
    if_it_holds: bool,
}

/// The judge of a model, or why there can be none.
pub fn judge(model: &Model) -> Result<Judge, String> {
    if let Some(existential) = model.existentials.first() {
        return Err(format!("it chooses {} itself", existential.name));
    }
    if knows_annotations(model) {
        return Err("it speaks of annotations".into());
    }
    let of_kind = |kind: AxiomKind| model.axioms.iter().filter(move |axiom| axiom.kind == kind);
    let place = |axiom: &Axiom| format!("its axiom {} ({})", axiom.name, model.sources.location(axiom.span));
    let mut tests: Vec<(Test, ExprId)> = Vec::new();
    let mut forbids_cycles = false;
    for axiom in of_kind(AxiomKind::Require) {
        let Some((test, expr)) = test(&axiom.formula) else {
            return Err(format!("{} forbids neither cycles nor pairs", place(axiom)));
        };
        if let Some(what) = obstacle(&model.formulas, expr) {
            return Err(format!("{}: {what}", place(axiom)));
        }
        if !is_extensible(&model.formulas, model.view, test, expr) {
            return Err(format!("{} might forbid to add an event at all", place(axiom)));
        }
        forbids_cycles |= forbids_thin_air(&model.formulas, model.view, test, expr);
        tests.push((test, expr));
    }
    if !forbids_cycles {
        return Err("no axiom of it is seen to forbid cycles of po | rf".to_string());
    }
    let is_set = |name: &str| is_base_set(name);
    let compiled = |tests: &[(Test, ExprId)]| compile(&model.formulas, tests, &is_set);
    let axioms = compiled(&tests).map_err(|_| "it uses a relation as a set".to_string())?;
    if let Some(shape) = allowed(&axioms, model.view, Before::Program) {
        return Err(format!("it allows {shape}"));
    }
    // What memory of whole programs is flagged for is not judged: programs that have such memory are refused.
    let asks_for_allocations = of_kind(AxiomKind::Flag).any(|axiom| axiom.name == UNORDERED_ALLOCATION);
    let judged = of_kind(AxiomKind::Flag).filter(|axiom| !is_of_memory(axiom));
    let flags = judged.map(|axiom| {
        let refused = || format!("{} is of a form that cannot be judged here", place(axiom));
        let (if_it_holds, formula) = match &axiom.formula {
            Formula::Not(inner) => (false, &**inner),
            other => (true, other),
        };
        let (test, expr) = test(formula).ok_or_else(refused)?;
        let is_known = !model.formulas.occurs(vec![expr], &|node| is_unknown(node));
        let ends = !model.formulas.is_recursive(expr) || obstacle(&model.formulas, expr).is_none();
        let compiled = compiled(&[(test, expr)]).ok().filter(|_| is_known && ends).ok_or_else(refused)?;
        Ok(Flag { name: axiom.name.clone(), compiled, if_it_holds })
    });
    let flags = flags.collect::<Result<Vec<Flag>, String>>()?;
    let unordered = [1, 2].into_iter().find_map(|count| allowed(&axioms, model.view, Before::Messages(count)));
    let [locked, blocks] = [Updates::Locked, Updates::Blocks].map(|sort| allowed_of(&axioms, model.view, sort));
    let (view, name) = (model.view, model.name.clone());
    Ok(Judge { compiled: axioms, flags, view, unordered, locked, blocks, asks_for_allocations, name })
}

fn is_unknown(node: &relation::formula::Expr) -> bool {
    use relation::formula::Expr;
    match node {
        Expr::Base(name) => is_base_set(name) && **name != *"si" && !SETS.contains(&&**name),
        Expr::Comprehension(_) | Expr::Each(..) => true,
        _ => false,
    }
}

fn test(formula: &Formula) -> Option<(Test, ExprId)> {
    match formula {
        Formula::Acyclic(expr) => Some((Test::Acyclic, *expr)),
        Formula::Irreflexive(expr) => Some((Test::Irreflexive, *expr)),
        Formula::Empty(expr) => Some((Test::Empty, *expr)),
        _ => None,
    }
}

impl Judge {
    /// Whether a graph is consistent.
    pub fn keeps(&self, graph: &Graph, local: &Local) -> bool {
        first_failing(&self.compiled, &atoms(graph, local, self.view).0).is_none()
    }

    /// Whether something is flagged with this name.
    pub fn has_flag(&self, name: &str) -> bool {
        self.flags.iter().any(|flag| flag.name == name)
    }

    /// What the model flags in a graph: each name, with a pair of events that it is about where there is one.
    pub fn flagged(&self, graph: &Graph, local: &Local) -> Vec<(&str, Option<(EventId, EventId)>)> {
        if self.flags.is_empty() {
            return Vec::new();
        }
        let (atoms, events) = atoms(graph, local, self.view);
        let raised = self.flags.iter().filter(|flag| {
            let holds = first_failing(&flag.compiled, &atoms).is_none();
            holds == flag.if_it_holds
        });
        let pair = |flag: &Flag| {
            let first = pairs(&flag.compiled, &atoms, 0).into_iter().map(|(x, y)| (x.min(y), x.max(y))).min()?;
            Some((events[first.0]?, events[first.1]?))
        };
        raised.map(|flag| (flag.name.as_str(), pair(flag))).collect()
    }

    /// Refuses programs of which the graphs would not be those of the model.
    pub fn refuse(&self, program: &Program) -> Result<(), Unsupported> {
        let is_start = |kind: &InstructionKind| matches!(kind, InstructionKind::Spawn { .. });
        let is_locked = |kind: &InstructionKind| matches!(kind, InstructionKind::ReadModifyWrite { access, .. } if access.order == Order::Plain);
        let is_block = |kind: &InstructionKind| matches!(kind, InstructionKind::AtomicBegin);
        let first = |is_it: &dyn Fn(&InstructionKind) -> bool| {
            program.instructions().find(|instruction| is_it(&instruction.kind))
        };
        let sorts = [
            ("a program that starts threads", first(&is_start), self.unordered),
            ("a locked instruction", first(&is_locked), self.locked),
            ("an atomic block", first(&is_block), self.blocks),
        ];
        let is_allocation = |kind: &InstructionKind| {
            let InstructionKind::Allocate { extent, .. } = kind else { return false };
            extent.as_ref().is_none_or(|extent| extent.storage == Storage::Heap)
        };
        if let Some(found) = first(&is_allocation).filter(|_| self.asks_for_allocations) {
            let what = format!("memory that is allocated, under the model {} in the engine mcr", self.name);
            return Err(Unsupported::new(what, found.span));
        }
        if let Some(found) = nested_start(program) {
            let what = format!("a thread that starts threads, under the model {} in the engine mcr", self.name);
            return Err(Unsupported::new(what, found.span));
        }
        for (sort, found, shape) in sorts {
            if let (Some(found), Some(shape)) = (found, shape) {
                let what = format!("{sort} under the model {} in the engine mcr: there it allows {shape}", self.name);
                return Err(Unsupported::new(what, found.span));
            }
        }
        match self.view {
            EventView::Parts => Ok(()),
            EventView::Herd => refuse_wide_statements(program, &self.name),
        }
    }
}

/// A start of a thread by a thread that was started itself: how long chains of messages can be is not known then.
fn nested_start(program: &Program) -> Option<&Instruction> {
    let is_start = |instruction: &&Instruction| matches!(instruction.kind, InstructionKind::Spawn { .. });
    let mut open: Vec<FunctionId> =
        program.instructions().filter(is_start).flat_map(|start| start.kind.callees()).collect();
    let mut seen = BTreeSet::new();
    while let Some(function) = open.pop() {
        if !seen.insert(function) {
            continue;
        }
        for instruction in program.function(function).instructions() {
            if is_start(&instruction) {
                return Some(instruction);
            }
            open.extend(instruction.kind.callees());
        }
    }
    None
}

/// To herd's models the accesses of one statement of a litmus test are not in program order, but the exploration makes them
/// so.
fn refuse_wide_statements(program: &Program, name: &str) -> Result<(), Unsupported> {
    if program.question.is_none() {
        return Ok(());
    }
    let is_event = |kind: &InstructionKind| {
        use InstructionKind::{Fence, Load, ReadModifyWrite, Store};
        matches!(kind, Load { .. } | Store { .. } | ReadModifyWrite { .. } | Fence { .. })
    };
    let mut seen = Vec::new();
    for instruction in program.instructions().filter(|instruction| is_event(&instruction.kind)) {
        let Some(span) = instruction.span else { continue };
        if seen.contains(&span) {
            let what =
                format!("a statement with several accesses under the model {name} of herd's events, in the engine mcr");
            return Err(Unsupported::new(what, Some(span)));
        }
        seen.push(span);
    }
    Ok(())
}

/// The atoms of a graph, and which event each of them is; none for an initial write or a message.
fn atoms(graph: &Graph, local: &Local, view: EventView) -> (Atoms, Vec<Option<EventId>>) {
    let mut made =
        Made { graph, local, view, list: Vec::new(), events: Vec::new(), of: vec![usize::MAX; graph.size()] };
    made.initial_writes();
    for (number, thread) in graph.threads.iter().enumerate() {
        made.thread(number as u16, thread);
    }
    made.sources();
    (Atoms { view, list: made.list }, made.events)
}

struct Made<'g, 'a> {
    graph: &'g Graph,
    local: &'g Local<'a>,
    view: EventView,
    list: Vec<Atom>,
    events: Vec<Option<EventId>>,
    /// By event: its atom.
    of: Vec<usize>,
}

/// Locations of messages come after all others.
fn message(thread: u16, is_end: bool) -> u32 {
    u32::MAX - 2 * u32::from(thread) - u32::from(is_end)
}

impl Made<'_, '_> {
    fn add(&mut self, atom: Atom, event: Option<EventId>) {
        self.list.push(atom);
        self.events.push(event);
    }

    fn initial_writes(&mut self) {
        for (number, at) in self.graph.locations.iter().enumerate() {
            if !at.writes.is_empty() || !at.reads.is_empty() {
                self.add(Atom::initial(number as u32, self.view), None);
            }
        }
    }

    fn thread(&mut self, number: u16, thread: &GraphThread) {
        let [fence, write, read] = message_sets(self.view);
        let graph = self.graph;
        let sent = |location, place| (Some(location), place);
        let of = |sets, (location, place)| Atom { location, place, ..Atom::of(number, sets) };
        if thread.started_by.is_some() {
            self.add(of(read, sent(message(number, false), None)), None);
            self.add(Atom::of(number, fence), None);
        }
        for id in &thread.events {
            match graph.event(*id).kind {
                Kind::Spawn(other) => {
                    self.add(Atom::of(number, fence), None);
                    self.add(of(write, sent(message(other.0, false), Some(1))), None);
                }
                Kind::Join(other) => {
                    self.add(of(read, sent(message(other.0, true), None)), None);
                    self.add(Atom::of(number, fence), None);
                }
                Kind::Choose { .. } => {}
                _ => self.event(*id),
            }
        }
        let is_joined = graph.events.iter().any(|event| matches!(event.kind, Kind::Join(other) if other.0 == number));
        if is_joined {
            self.add(Atom::of(number, fence), None);
            self.add(of(write, sent(message(number, true), Some(1))), None);
        }
    }

    fn event(&mut self, id: EventId) {
        let event = self.graph.event(id);
        let place = match event.kind {
            Kind::Write { .. } => event.location.map(|location| self.graph.position(location, id) as u32),
            _ => None,
        };
        let label = label(event, self.local, self.view);
        let read = match event.kind {
            Kind::Write { exclusive: true } => {
                let read = self.graph.threads[event.thread.index()].events[event.index as usize - 1];
                Some(self.of[read.index()])
            }
            _ => None,
        };
        if let Some(read) = read.filter(|_| label.is_one) {
            // The read is an atom already, and writes, too.
            self.of[id.index()] = read;
            self.list[read].place = place;
            return;
        }
        self.of[id.index()] = self.list.len();
        let location = event.location.map(|location| location.0);
        let atom =
            Atom { location, place, read, follows_read: label.follows_read, ..Atom::of(event.thread.0, label.sets) };
        self.add(atom, Some(id));
    }

    /// What reads read from: events, initial writes, messages.
    fn sources(&mut self) {
        for at in 0..self.list.len() {
            let Some(location) = self.list[at].location else { continue };
            let source = match self.events[at] {
                Some(id) => match self.graph.event(id).source() {
                    Some(EventId::INITIAL) => self.list.iter().position(|atom| is_initial(atom, location)),
                    Some(source) => Some(self.of[source.index()]),
                    None => None,
                },
                None if self.list[at].place.is_none() => {
                    self.list.iter().position(|atom| atom.location == Some(location) && atom.place == Some(1))
                }
                None => None,
            };
            self.list[at].source = source;
        }
    }
}

fn is_initial(atom: &Atom, location: u32) -> bool {
    atom.thread.is_none() && atom.location == Some(location)
}

fn label(event: &Event, local: &Local, view: EventView) -> Label {
    let next = local.interpreter.next_instruction(&event.before.thread).map(|instruction| &instruction.kind);
    let Some(kind) = next else { return Label { sets: 0, is_one: false, follows_read: true } };
    let role = u8::from(event.is_write()) + 2 * u8::from(event.is_exclusive());
    let key = (std::ptr::from_ref(kind).addr(), role);
    if let Some(label) = local.labels.borrow().get(&key) {
        return *label;
    }
    let is_update = matches!(kind, InstructionKind::ReadModifyWrite { .. });
    let access = access(event, kind, local);
    let is_one = view == EventView::Herd && is_update && event.is_exclusive() && access.order != Order::Plain;
    let sort = match event.kind {
        Kind::Fence => EventKind::Fence,
        // What is one atom is what its read is.
        Kind::Write { .. } if !is_one => EventKind::Write,
        _ => EventKind::Read,
    };
    let sets = sets(view, sort, false, &access, is_one);
    let follows_read = view == EventView::Parts || !is_update;
    let label = Label { sets, is_one: is_one && event.is_write(), follows_read };
    local.labels.borrow_mut().insert(key, label);
    label
}

/// How the program spells an event; accesses of read-modify-writes are in the set `X`, also those that fail.
fn access(event: &Event, kind: &InstructionKind, local: &Local) -> Access {
    use InstructionKind::{Fence, Load, ReadModifyWrite, Store};
    let exclusive = |access: &Access| if access.has("X") { access.clone() } else { access.clone().tagged("X") };
    match kind {
        ReadModifyWrite { update: Update::CompareExchange { failure, .. }, .. } if !event.is_exclusive() => {
            exclusive(failure)
        }
        ReadModifyWrite { access, .. } => exclusive(access),
        Load { .. } if event.is_write() => {
            let stores = local.stores_of_blocks.get(&std::ptr::from_ref(kind).addr());
            stores.cloned().unwrap_or_else(Access::plain)
        }
        Load { access, .. } | Store { access, .. } | Fence { access } => access.clone(),
        _ => Access::plain(),
    }
}
