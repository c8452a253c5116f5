//! A solution back to an execution, and an execution to the instance that a model speaks of.
//!
//! [`instance`] reads nothing but the [`Execution`]: together with [`relation::evaluate`] it judges witnesses without
//! the encoding and the solver that found them.

use std::collections::HashMap;
use std::sync::Arc;

use program::{Event, EventId, EventKind, Execution, Pointer, Program, State};
use relation::{Evaluation, Expr, Formulas, Instance, Matrix, Pairs, Valuation};

use crate::encode::{Encoding, belongs};
use crate::model::{AxiomKind, Model};

/// The execution of a solution; of the observables those of the question's list are kept.
pub fn decode(encoding: &Encoding, program: &Program, model: &Model, valuation: &Valuation) -> Execution {
    let list = &encoding.events.events;
    let mut execution = Execution::default();
    let mut ids: Vec<Option<EventId>> = Vec::new();
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
            cell: cell.map(|&(cell, _)| encoding.events.cells[cell].clone()),
            value: event.value.as_ref().map(|value| value.value(valuation)),
            access: access.map_or_else(program::Access::plain, |(access, _)| access.clone()),
            span: event.span,
        });
    }
    let pair = |x: usize, y: usize| Some((ids[x]?, ids[y]?));
    let pairs = |matrix: &Matrix| -> Vec<(EventId, EventId)> {
        matrix.entries().filter(|&(_, _, bit)| valuation.get(bit)).filter_map(|(x, y, _)| pair(x, y)).collect()
    };
    if let Some(rf) = encoding.translation.base("rf") {
        execution.rf = pairs(rf);
    }
    if let Some(co) = encoding.translation.base("co") {
        execution.co = pairs(co);
    }
    for (index, event) in list.iter().enumerate() {
        execution.rmw.extend(event.read.and_then(|read| pair(read, index)));
        for (dependencies, into) in
            [(&event.addr, &mut execution.addr), (&event.data, &mut execution.data), (&event.ctrl, &mut execution.ctrl)]
        {
            let real = dependencies.iter().filter(|&&(_, when)| valuation.get(when));
            into.extend(real.filter_map(|&(read, _)| pair(read, index)));
        }
    }
    for existential in &model.existentials {
        if let Some(matrix) = encoding.translation.base(&existential.name) {
            execution.named.push((existential.name.to_string(), pairs(matrix)));
        }
    }
    execution.state = state(encoding, program, valuation);
    execution
}

/// The final state of a solution.
pub fn state(encoding: &Encoding, program: &Program, valuation: &Valuation) -> State {
    let observed = program.question.as_ref().map_or(&[][..], |question| &question.observed);
    let value = |(observable, value): &(program::Observable, crate::symbolic::Symbolic)| {
        (observable.clone(), value.value(valuation))
    };
    encoding.observed.iter().filter(|(observable, _)| observed.contains(observable)).map(value).collect()
}

/// The vocabulary of models on an execution.
pub fn instance(execution: &Execution, formulas: &Formulas) -> Instance {
    let size = execution.events.len();
    let all = || (0..size as u32).flat_map(move |x| (0..size as u32).map(move |y| (EventId(x), EventId(y))));
    let cell = |id: EventId| -> Option<&Pointer> { execution.event(id).cell.as_ref() };
    let thread = |id: EventId| execution.event(id).thread;
    let same_thread = |x: EventId, y: EventId| x == y || thread(x).is_some() && thread(x) == thread(y);
    let mut relations: HashMap<Arc<str>, Pairs> = HashMap::new();
    let list = |pairs: &[(EventId, EventId)]| {
        Pairs::from_pairs(size, pairs.iter().map(|&(x, y)| (x.0 as usize, y.0 as usize)))
    };
    let select = |holds: &dyn Fn(EventId, EventId) -> bool| {
        let pairs: Vec<_> = all().filter(|&(x, y)| holds(x, y)).collect();
        list(&pairs)
    };
    for index in 0..formulas.len() {
        let Expr::Base(name) = formulas.node(relation::ExprId(index as u32)) else { continue };
        let named = execution.named.iter().find(|(other, _)| **other == **name);
        let pairs = match &**name {
            _ if named.is_some() => list(named.map_or(&[], |(_, pairs)| pairs)),
            "po" => select(&|x, y| execution.po(x, y)),
            "rf" => list(&execution.rf),
            "co" => list(&execution.co),
            "fr" => list(&execution.fr()),
            "rmw" | "amo" => list(&execution.rmw),
            "addr" => list(&execution.addr),
            "data" => list(&execution.data),
            "ctrl" => list(&execution.ctrl),
            "loc" => select(&|x, y| cell(x).is_some() && cell(x) == cell(y)),
            "int" => select(&same_thread),
            "ext" => select(&|x, y| !same_thread(x, y)),
            "atomic-block" => {
                let rmw = &execution.rmw;
                let member = |id: EventId| rmw.iter().any(|&(read, write)| id == read || id == write);
                select(&|x, y| (x == y && member(x)) || rmw.contains(&(x, y)) || rmw.contains(&(y, x)))
            }
            "FW" => select(&|x, y| {
                let is_write = execution.event(x).kind == EventKind::Write;
                x == y && is_write && !execution.co.iter().any(|&(earlier, _)| earlier == x)
            }),
            set => select(&|x, y| {
                let event = execution.event(x);
                x == y && belongs(set, event.kind, event.thread.is_none(), &event.access)
            }),
        };
        relations.insert(name.clone(), pairs);
    }
    Instance { size, relations, free: HashMap::new() }
}

/// The names of the required axioms that an execution breaks, judged without a solver. An execution that is not
/// well-formed breaks the pseudo-axiom `well-formed`: each read sees one write of its cell and that write's value, and
/// coherence is a strict total order per cell that starts with the initial write.
pub fn broken_axioms(execution: &Execution, model: &Model) -> Vec<String> {
    let instance = instance(execution, &model.formulas);
    let mut evaluation = Evaluation::new(&model.formulas, &instance);
    let required = model.axioms.iter().filter(|axiom| axiom.kind == AxiomKind::Require);
    let mut broken: Vec<String> =
        required.filter(|axiom| !evaluation.holds(&axiom.formula)).map(|axiom| axiom.name.clone()).collect();
    if !is_well_formed(execution) {
        broken.push("well-formed".into());
    }
    broken
}

fn is_well_formed(execution: &Execution) -> bool {
    let event = |id: EventId| execution.event(id);
    let reads_agree = execution.ids().filter(|&id| event(id).kind == EventKind::Read).all(|read| {
        let mut sources = execution.rf.iter().filter(|&&(_, reader)| reader == read).map(|&(write, _)| event(write));
        match (sources.next(), sources.next()) {
            (Some(write), None) => {
                write.kind == EventKind::Write && write.cell == event(read).cell && write.value == event(read).value
            }
            _ => false,
        }
    });
    let writes: Vec<EventId> = execution.ids().filter(|&id| event(id).kind == EventKind::Write).collect();
    let total = writes.iter().all(|&x| {
        writes.iter().all(|&y| {
            let ordered = execution.co.contains(&(x, y)) != execution.co.contains(&(y, x));
            let initial_first = event(y).thread.is_some() || !execution.co.contains(&(x, y));
            (x == y || ordered == (event(x).cell == event(y).cell)) && initial_first
        })
    });
    let size = execution.events.len();
    let co = Pairs::from_pairs(size, execution.co.iter().map(|&(x, y)| (x.0 as usize, y.0 as usize)));
    reads_agree && total && co.shortest_cycle().is_none()
}
