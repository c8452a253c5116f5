//! A solution back to an execution, and an execution to the instance that a model speaks of.
//!
//! [`instance`] reads nothing but the [`Execution`]: together with [`relation::evaluate`] it judges witnesses without
//! the encoding and the solver that found them.

use std::collections::{BTreeMap, HashMap};

use program::{Event, EventId, EventKind, Execution, Pointer, Program, State, ThreadId, Value};
use relation::{Bit, Evaluation, Expr, Instance, Matrix, Pairs, Valuation};

use crate::chain::Chains;
use crate::encoding::Encoding;
use crate::events::Events;
use crate::existential::{Decided, complete};
use crate::herd::{Atoms, atom_relation};
use crate::model::{AxiomKind, EventView, Model};
use crate::vocabulary::{belongs, value_of_set};
use crate::walk::{Rewrite, is_allocation, is_end, is_marker};

/// The execution of a solution, with those that justify it; of the observables those of the question's list are kept.
pub fn decode(encoding: &Encoding, program: &Program, model: &Model, valuation: &Valuation) -> Execution {
    let (mut execution, ids) = decode_run(&encoding.events, [&encoding.rf, &encoding.co], program, valuation);
    add_chains(&mut execution, &encoding.chains, &ids, valuation);
    execution.state = state(encoding, program, valuation);
    let chosen = |name: &str| encoding.translation.base(name);
    if encoding.stages.is_empty() {
        for existential in &model.existentials {
            let Some(matrix) = chosen(&existential.name) else { continue };
            let event = |atom| ids[encoding.atoms.first(atom)];
            let pairs = match encoding.decided.iter().find(|decided| decided.name == existential.name) {
                Some(decided) => completed(matrix, decided, valuation, &event),
                None => true_pairs(matrix, valuation, event),
            };
            execution.named.push((existential.name.to_string(), pairs));
        }
        return execution;
    }
    execution.actions = performed(&encoding.performs, &ids, valuation);
    for stage in &encoding.stages {
        let none = Matrix::empty(stage.events.events.len());
        let (mut run, ids) = decode_run(&stage.events, [&stage.rf, &none], program, valuation);
        run.actions = performed(&stage.performs, &ids, valuation);
        add_chains(&mut run, &stage.chains, &ids, valuation);
        execution.justification.push(run);
    }
    for existential in &model.existentials {
        let Some(matrix) = chosen(&existential.name) else { continue };
        let (name, run) = run_of(&existential.name, &mut execution);
        let Some(run) = run else { continue };
        let pairs = true_pairs(matrix, valuation, |action| performer(run, action));
        run.named.push((name.to_string(), pairs));
    }
    execution
}

/// The pairs of a total order, of which a solution says those that are decided.
fn completed(
    matrix: &Matrix,
    decided: &Decided,
    valuation: &Valuation,
    event: &dyn Fn(usize) -> Option<EventId>,
) -> Vec<(EventId, EventId)> {
    let chosen = |matrix: &Matrix| -> Vec<(usize, usize)> {
        let pairs =
            matrix.entries().filter(|&(x, y, bit)| valuation.get(bit) && event(x).is_some() && event(y).is_some());
        pairs.map(|(x, y, _)| (x, y)).collect()
    };
    let all = complete(chosen(matrix), &chosen(&decided.matrix), &|atom| decided.groups[atom]);
    all.into_iter().filter_map(|(x, y)| Some((event(x)?, event(y)?))).collect()
}

/// How threads came to the addresses of objects, if that matters.
fn add_chains(execution: &mut Execution, chains: &Chains, ids: &[Option<EventId>], valuation: &Valuation) {
    for (name, matrix) in [("dereferences", &chains.dereferences), ("memory-chain", &chains.memory)] {
        let pairs = true_pairs(matrix, valuation, |event| ids[event]);
        if !pairs.is_empty() {
            execution.named.push((name.into(), pairs));
        }
    }
}

/// The action that each executed event performs.
fn performed(performs: &[Vec<(usize, Bit)>], ids: &[Option<EventId>], valuation: &Valuation) -> Vec<u32> {
    let executed = performs.iter().zip(ids).filter(|(_, id)| id.is_some());
    let action = |choices: &[(usize, Bit)]| {
        choices.iter().find(|&&(_, when)| valuation.get(when)).map_or(u32::MAX, |&(action, _)| action as u32)
    };
    executed.map(|(choices, _)| action(choices)).collect()
}

/// The pairs of a matrix that a solution contains, between what has an event.
fn true_pairs(
    matrix: &Matrix,
    valuation: &Valuation,
    event: impl Fn(usize) -> Option<EventId>,
) -> Vec<(EventId, EventId)> {
    let chosen = matrix.entries().filter(|&(_, _, bit)| valuation.get(bit));
    chosen.filter_map(|(x, y, _)| Some((event(x)?, event(y)?))).collect()
}

/// One execution of a solution: what happened, which write each read saw, and the order of the writes; and for each
/// possible event the one it became.
fn decode_run(
    events: &Events,
    [rf, co]: [&Matrix; 2],
    program: &Program,
    valuation: &Valuation,
) -> (Execution, Vec<Option<EventId>>) {
    let list = &events.events;
    let mut execution = Execution::default();
    let mut ids: Vec<Option<EventId>> = Vec::new();
    let places = |kind: EventKind| match kind {
        EventKind::Lock | EventKind::Unlock => &events.monitors,
        _ => &events.cells,
    };
    for event in list {
        if !valuation.get(event.guard) {
            ids.push(None);
            continue;
        }
        ids.push(Some(EventId(execution.events.len() as u32)));
        let cell = event.at.iter().find(|&&(_, when)| valuation.get(when));
        let access = event.accesses.iter().find(|&&(_, when)| valuation.get(when)).or(event.accesses.first());
        execution.events.push(Event {
            thread: event.thread,
            kind: event.kind,
            cell: cell.map(|&(cell, _)| places(event.kind)[cell].clone()),
            value: event.value.as_ref().map(|value| value.value(valuation)),
            access: access.map_or_else(program::Access::plain, |(access, _)| access.clone()),
            span: event.span,
            atomic: event.atomic,
            operation: event.operation,
        });
    }
    execution.blocks = events.blocks.clone();
    let pair = |x: usize, y: usize| Some((ids[x]?, ids[y]?));
    execution.rf = true_pairs(rf, valuation, |event| ids[event]);
    execution.co = true_pairs(co, valuation, |event| ids[event]);
    execution.rmw = crate::bind::updates(list).filter_map(|(read, write)| pair(read, write)).collect();
    let computes = list.iter().enumerate().filter(|(_, event)| event.rewrite == Some(Rewrite::Compute));
    execution.computed = computes.filter_map(|(write, event)| pair(event.read?, write)).collect();
    let instances = list.iter().zip(&ids).filter(|(_, id)| id.is_some()).map(|(event, _)| event.instance);
    execution.instances = instances.collect();
    for (index, event) in list.iter().enumerate() {
        for (dependencies, into) in
            [(&event.addr, &mut execution.addr), (&event.data, &mut execution.data), (&event.ctrl, &mut execution.ctrl)]
        {
            let real = dependencies.iter().filter(|&&(_, when)| valuation.get(when));
            into.extend(real.filter_map(|&(read, _)| pair(read, index)));
        }
    }
    let boundary = |thread: ThreadId, kind: EventKind| {
        execution.ids().find(|&id| execution.event(id).thread == Some(thread) && execution.event(id).kind == kind)
    };
    let ordered = program.ordered_threads().into_iter();
    let ends_before = ordered.filter_map(|(a, b)| Some((boundary(a, EventKind::End)?, boundary(b, EventKind::Start)?)));
    execution.ends_before = ends_before.collect();
    (execution, ids)
}

/// Adds the relations that the model asks to be shown.
pub fn show(execution: &mut Execution, model: &Model) {
    let shown = model.shown.iter().filter(|(name, _)| !execution.named.iter().any(|(known, _)| known == name));
    let instance = instance(execution, model);
    let mut evaluation = Evaluation::new(&model.formulas, &instance);
    let shown: Vec<_> = shown.map(|(name, expr)| (name.clone(), evaluation.pairs(*expr))).collect();
    if execution.justification.is_empty() {
        let events = atom_events(execution, model);
        let pairs = |pairs: &Pairs| pairs.iter().map(|(x, y)| (events[x], events[y])).collect();
        execution.named.extend(shown.iter().map(|(name, found)| (name.clone(), pairs(found))));
        return;
    }
    for (member, found) in shown {
        let (name, run) = run_of(&member, execution);
        let Some(run) = run else { continue };
        let pairs = found.iter().filter_map(|(x, y)| Some((performer(run, x)?, performer(run, y)?))).collect();
        run.named.push((name.to_string(), pairs));
    }
}

/// Leaves out the executions of a justification that commit nothing: what the next one says of what was committed before it
/// is the same without them.
pub fn without_idle_stages(execution: &mut Execution) {
    let committed = |run: &Execution| -> Option<Vec<u32>> {
        let (_, pairs) = run.named.iter().find(|(name, _)| name == "committed")?;
        let mut actions: Vec<u32> = pairs.iter().map(|&(id, _)| run.actions[id.0 as usize]).collect();
        actions.sort_unstable();
        Some(actions)
    };
    let mut before = Some(Vec::new());
    execution.justification.retain(|run| {
        let now = committed(run);
        let is_idle = now.is_some() && now == before;
        before = now;
        !is_idle
    });
}

/// The run that a member of a family is about, and the family's name: `so@2` is the `so` of the second execution that
/// justifies the main one; `so`, and what has index 0, belong to the main one.
fn run_of<'n, 'e>(member: &'n str, main: &'e mut Execution) -> (&'n str, Option<&'e mut Execution>) {
    match member.rsplit_once('@') {
        Some((name, index)) if index != "0" => {
            let index = index.parse::<usize>().ok().and_then(|index| index.checked_sub(1));
            (name, index.and_then(|index| main.justification.get_mut(index)))
        }
        _ => (member, Some(main)),
    }
}

/// The event of a run that performs an action.
fn performer(run: &Execution, action: usize) -> Option<EventId> {
    let event = run.actions.iter().position(|&performed| performed as usize == action);
    event.map(|event| EventId(event as u32))
}

/// The final state of a solution.
pub fn state(encoding: &Encoding, program: &Program, valuation: &Valuation) -> State {
    let observed = program.question.as_ref().map_or(&[][..], |question| &question.observed);
    let value = |(observable, value): &(program::Observable, crate::symbolic::Symbolic)| {
        (observable.clone(), value.value(valuation))
    };
    encoding.observed.iter().filter(|(observable, _)| observed.contains(observable)).map(value).collect()
}

/// By atom of the [`instance`] of one execution: the event that it is, or the first of those.
pub fn atom_events(execution: &Execution, model: &Model) -> Vec<EventId> {
    let atoms = Atoms::of_execution(execution, model.view);
    (0..atoms.count()).map(|atom| EventId(atoms.first(atom) as u32)).collect()
}

/// The vocabulary of models on an execution, and on those that justify it.
pub fn instance(execution: &Execution, model: &Model) -> Instance {
    let formulas = &model.formulas;
    let bases = (0..formulas.len()).filter_map(|index| match formulas.node(relation::ExprId(index as u32)) {
        Expr::Base(name) => Some(name.clone()),
        _ => None,
    });
    if execution.justification.is_empty() {
        let atoms = Atoms::of_execution(execution, model.view);
        let of_events = |name: &str| event_relation(execution, name);
        let relation = |name: &str| match model.view {
            EventView::Parts => of_events(name),
            EventView::Herd => atom_relation(execution, &atoms, name, &of_events),
        };
        let relations = bases.map(|name| (name.clone(), relation(&name))).collect();
        return Instance { size: atoms.count(), relations, free: HashMap::new() };
    }
    let runs: Vec<&Execution> = std::iter::once(execution).chain(&execution.justification).collect();
    let size = runs.iter().flat_map(|run| &run.actions).max().map_or(0, |&last| last as usize + 1);
    let relations = bases.map(|name| (name.clone(), action_relation(&runs, &name, size))).collect();
    Instance { size, relations, free: HashMap::new() }
}

/// A base relation between actions: `po@2` is the program order of the second execution that justifies the main one.
fn action_relation(runs: &[&Execution], name: &str, size: usize) -> Pairs {
    let (base, run) = match name.rsplit_once('@') {
        Some((base, index)) if index != "0" => (base, index.parse().ok().and_then(|index: usize| runs.get(index))),
        _ => (name, runs.first()),
    };
    let Some(&run) = run else { return Pairs::empty(size) };
    let action = |event: usize| run.actions[event] as usize;
    match base {
        "same-value" => agreeing(run, runs[0], size, |a, b| a.value == b.value),
        "same-location" => agreeing(run, runs[0], size, |a, b| a.cell == b.cell),
        _ => Pairs::from_pairs(size, event_relation(run, base).iter().map(|(x, y)| (action(x), action(y)))),
    }
}

/// The actions about which two executions agree, as far as both perform them.
fn agreeing(run: &Execution, main: &Execution, size: usize, agree: fn(&Event, &Event) -> bool) -> Pairs {
    let event_of = |of: &Execution, action: usize| {
        let event = of.actions.iter().position(|&performed| performed as usize == action);
        event.map(|event| of.events[event].clone())
    };
    let agrees = |&action: &usize| match (event_of(run, action), event_of(main, action)) {
        (Some(a), Some(b)) => agree(&a, &b),
        _ => true,
    };
    Pairs::from_pairs(size, (0..size).filter(agrees).map(|action| (action, action)))
}

/// A base relation or set on the events of one execution.
fn event_relation(execution: &Execution, name: &str) -> Pairs {
    let size = execution.events.len();
    let all = || (0..size as u32).flat_map(move |x| (0..size as u32).map(move |y| (EventId(x), EventId(y))));
    let cell = |id: EventId| -> Option<&Pointer> { execution.event(id).cell.as_ref() };
    let thread = |id: EventId| execution.event(id).thread;
    let same_thread = |x: EventId, y: EventId| x == y || thread(x).is_some() && thread(x) == thread(y);
    let is_access = |id: EventId| matches!(execution.event(id).kind, EventKind::Read | EventKind::Write);
    let is_on_monitor = |id: EventId| matches!(execution.event(id).kind, EventKind::Lock | EventKind::Unlock);
    let list = |pairs: &[(EventId, EventId)]| {
        Pairs::from_pairs(size, pairs.iter().map(|&(x, y)| (x.0 as usize, y.0 as usize)))
    };
    let select = |holds: &dyn Fn(EventId, EventId) -> bool| {
        Pairs::from_pairs(size, all().filter(|&(x, y)| holds(x, y)).map(|(x, y)| (x.0 as usize, y.0 as usize)))
    };
    let among = |holds: &dyn Fn(EventId) -> bool| {
        let members = (0..size as u32).map(EventId).filter(|&id| holds(id)).map(|id| (id.0 as usize, id.0 as usize));
        Pairs::from_pairs(size, members)
    };
    let instance = |id: EventId| execution.instances.get(id.0 as usize);
    let same_instance = |x: EventId, y: EventId| x == y || instance(x).is_some() && instance(x) == instance(y);
    if let Some((_, pairs)) = execution.named.iter().find(|(other, _)| other == name) {
        return list(pairs);
    }
    match name {
        "po" => select(&|x, y| execution.po(x, y)),
        "rf" => list(&execution.rf),
        "co" => list(&execution.co),
        "fr" => list(&execution.fr()),
        "rmw" | "amo" => list(&execution.rmw),
        "addr" => list(&execution.addr),
        "data" => list(&execution.data),
        "ctrl" => list(&execution.ctrl),
        "loc" => {
            let cells = numbered_cells(execution, &is_access);
            select(&|x, y| cells[x.0 as usize].is_some() && cells[x.0 as usize] == cells[y.0 as usize])
        }
        "monitor" => select(&|x, y| is_on_monitor(x) && is_on_monitor(y) && cell(x) == cell(y)),
        "val" => {
            select(&|x, y| execution.event(x).value.is_some() && same_value(execution.event(x), execution.event(y)))
        }
        "matching" => list(&matching(execution)),
        "ends-before" => list(&execution.ends_before),
        "allocates" => select(&|x, y| {
            let (made, access) = (execution.event(x), execution.event(y));
            let (Some(block), Some(accessed)) = (cell(x), cell(y)) else { return false };
            let is_made = made.kind == EventKind::Write && is_allocation(block, &made.access, made.atomic);
            let is_other = access.thread.is_some() && access.thread != made.thread && !is_marker(accessed);
            is_made && made.thread.is_some() && is_access(y) && is_other && accessed.allocation == block.allocation
        }),
        "frees" => select(&|x, y| {
            let (write, end) = (execution.event(x), execution.event(y));
            let (Some(written), Some(block)) = (cell(x), cell(y)) else { return false };
            let is_end = end.thread.is_some() && end.kind == EventKind::Write && is_end(block, &end.access);
            let is_other = write.thread.is_some() && write.thread != end.thread && !is_marker(written);
            is_end && is_other && write.kind == EventKind::Write && written.allocation == block.allocation
        }),
        "freezes" => select(&|x, y| {
            let (freeze, read) = (execution.event(x), execution.event(y));
            let is_frozen = freeze.kind == EventKind::Fence && freeze.cell.is_some() && freeze.cell == read.cell;
            is_frozen && read.kind == EventKind::Read && belongs("FINAL", read.kind, false, &read.access)
        }),
        "dereferences" | "memory-chain" => Pairs::empty(size),
        "int" => select(&same_thread),
        "ext" => select(&|x, y| !same_thread(x, y)),
        "sm" => among(&is_access),
        "si" => Pairs::identity(size),
        "same-instance" => select(&|x, y| thread(x).is_some() && same_thread(x, y) && same_instance(x, y)),
        "iico_data" => {
            let inside: Vec<_> = execution.data.iter().copied().filter(|&(x, y)| same_instance(x, y)).collect();
            list(&inside).union(&list(&execution.computed))
        }
        "iico_ctrl" => {
            let exclusive =
                |&(_, write): &(EventId, EventId)| execution.event(write).access.tags.iter().any(|tag| &**tag == "X");
            let pairs: Vec<_> = execution.rmw.iter().copied().filter(exclusive).collect();
            list(&pairs).difference(&list(&execution.computed))
        }
        "iico_order" => Pairs::empty(size),
        "atomic-block" => {
            let block = |id: EventId| execution.event(id).atomic;
            select(&|x, y| block(x).is_some() && block(x) == block(y))
        }
        "FW" => among(&|id| {
            let is_write = execution.event(id).kind == EventKind::Write;
            is_write && !execution.co.iter().any(|&(earlier, _)| earlier == id)
        }),
        set if value_of_set(set).is_some() => {
            let has = |id: EventId| match execution.event(id).value {
                Some(Value::Int(int)) => value_of_set(set) == Some(int.signed()),
                _ => false,
            };
            among(&has)
        }
        family if family.contains('#') => among(&|id| is_in_family(execution, family, id)),
        set => among(&|id| {
            let event = execution.event(id);
            belongs(set, event.kind, event.thread.is_none(), &event.access)
        }),
    }
}

/// Whether two events have the same value; numbers of different widths are the same if both are read as signed.
fn same_value(a: &Event, b: &Event) -> bool {
    match (&a.value, &b.value) {
        (Some(Value::Int(a)), Some(Value::Int(b))) => a.signed() == b.signed(),
        (a, b) => a == b,
    }
}

/// Whether an event is in `thread#1` or `location#0`; locations are numbered by their initial writes.
fn is_in_family(execution: &Execution, family: &str, id: EventId) -> bool {
    let event = execution.event(id);
    let member = family.split_once('#').and_then(|(name, number)| Some((name, number.parse::<u32>().ok()?)));
    match member {
        Some(("thread", number)) => event.thread == Some(ThreadId(number)),
        Some(("location", number)) => {
            let initial = execution.events.get(number as usize).filter(|initial| initial.thread.is_none());
            let access = matches!(event.kind, EventKind::Read | EventKind::Write);
            access && initial.is_some_and(|initial| initial.cell == event.cell)
        }
        _ => false,
    }
}

/// Each outermost lock to the unlock that ends its critical section.
fn matching(execution: &Execution) -> Vec<(EventId, EventId)> {
    let mut pairs = Vec::new();
    // By thread and monitor: the lock that began the section, and how often it is held.
    let mut open = HashMap::new();
    for id in execution.ids() {
        let event = execution.event(id);
        let key = (event.thread, &event.cell);
        match event.kind {
            EventKind::Lock => open.entry(key).or_insert((id, 0u32)).1 += 1,
            EventKind::Unlock => {
                if let Some((lock, depth)) = open.get_mut(&key) {
                    *depth -= 1;
                    if *depth == 0 {
                        pairs.push((*lock, id));
                        open.remove(&key);
                    }
                }
            }
            _ => {}
        }
    }
    pairs
}

/// The names of the required axioms that an execution breaks, judged without a solver. An execution that is not
/// well-formed breaks the pseudo-axiom `well-formed`: each read sees one write of its cell and that write's value, and
/// coherence is a strict total order per cell that starts with the initial write.
pub fn broken_axioms(execution: &Execution, model: &Model) -> Vec<String> {
    let instance = instance(execution, model);
    let mut evaluation = Evaluation::new(&model.formulas, &instance);
    let required = model.axioms.iter().filter(|axiom| axiom.kind == AxiomKind::Require);
    let mut broken: Vec<String> =
        required.filter(|axiom| !evaluation.holds(&axiom.formula)).map(|axiom| axiom.name.clone()).collect();
    // Models of several executions speak of no order of writes.
    let speculative = !execution.justification.is_empty();
    let ordered = speculative || is_ordered(execution);
    if !ordered || !execution.justification.iter().chain([execution]).all(reads_agree) {
        broken.push("well-formed".into());
    }
    broken
}

/// Whether each read sees one write of its cell, and that write's value. A read through what is no pointer, with which a thread
/// fails, has no cell and sees nothing.
fn reads_agree(execution: &Execution) -> bool {
    let event = |id: EventId| execution.event(id);
    execution.ids().filter(|&id| event(id).kind == EventKind::Read).all(|read| {
        let mut sources = execution.rf.iter().filter(|&&(_, reader)| reader == read).map(|&(write, _)| event(write));
        match (sources.next(), sources.next()) {
            (None, None) => event(read).cell.is_none(),
            (Some(write), None) => {
                let agrees = || is_seen_as(write.value.as_ref(), event(read).value.as_ref());
                write.kind == EventKind::Write && write.cell == event(read).cell && agrees()
            }
            _ => false,
        }
    })
}

/// Whether a read may give the second value where a write has the first: the same, or both are 0. What was never written is 0 of
/// any width.
fn is_seen_as(written: Option<&Value>, seen: Option<&Value>) -> bool {
    match (written, seen) {
        (Some(Value::Int(written)), Some(Value::Int(seen))) if written.unsigned() == 0 => seen.unsigned() == 0,
        _ => written == seen,
    }
}

/// By event: a number of its cell, so that pairs of events are compared quickly; none for events that are not selected.
fn numbered_cells(execution: &Execution, selected: &dyn Fn(EventId) -> bool) -> Vec<Option<usize>> {
    let mut numbers: BTreeMap<&Pointer, usize> = BTreeMap::new();
    let number = |id: EventId| {
        let cell = execution.event(id).cell.as_ref().filter(|_| selected(id))?;
        let next = numbers.len();
        Some(*numbers.entry(cell).or_insert(next))
    };
    execution.ids().map(number).collect()
}

/// Whether coherence is a strict total order per cell that starts with the initial write. A write through what is no pointer has
/// no cell.
fn is_ordered(execution: &Execution) -> bool {
    let event = |id: EventId| execution.event(id);
    let cells = numbered_cells(execution, &|id| event(id).kind == EventKind::Write);
    let cell = |id: EventId| cells[id.0 as usize];
    let writes: Vec<EventId> = execution.ids().filter(|id| cell(*id).is_some()).collect();
    let size = execution.events.len();
    let co = Pairs::from_pairs(size, execution.co.iter().map(|&(x, y)| (x.0 as usize, y.0 as usize)));
    let before = |x: EventId, y: EventId| co.contains(x.0 as usize, y.0 as usize);
    let total = writes.iter().all(|&x| {
        writes.iter().all(|&y| {
            let ordered = before(x, y) != before(y, x);
            let initial_first = event(y).thread.is_some() || !before(x, y);
            (x == y || ordered == (cell(x) == cell(y))) && initial_first
        })
    });
    total && co.shortest_cycle().is_none()
}
