//! Several executions of one program at once: the main one, and those that justify it.
//!
//! Models of speculation (the Java memory models) ask for executions `E_1..E_k` of the same program beside the main one,
//! and relate them by the *actions* that they share. The atoms of such a model are actions, not events. A statement may
//! perform one of several actions, and two statements of different branches may perform the same one in different
//! executions: causality tests 17 and 18 depend on it. After MemSAT (Torlak, Vaziri, Dolby, PLDI 2010, section 3.3) the
//! statements of a thread that do the same kind of thing to the same place share as many actions as can be performed on
//! one path.
//!
//! All atoms are always there; what an execution performs is its set `executed@i`, and its relations hold only between
//! actions that it performs.

use std::collections::BTreeMap;

use program::Unsupported;
use relation::{Bit, Circuit, Matrix, Pairs, Translation, Universe};

use crate::bind::Vocabulary;
use crate::chain::Chains;
use crate::encoding::{Encoding, Run};
use crate::events::{Events, SymbolicEvent, events};
use crate::selector::{Selectors, Statements};
use crate::setting::Setting;

/// Which actions each event may perform.
struct Actions {
    count: usize,
    /// By event; never empty.
    of_event: Vec<Vec<usize>>,
}

/// One execution: its events, and when each performs which action.
struct Stage {
    events: Events,
    universe: Universe,
    performs: Vec<Vec<(usize, Bit)>>,
}

/// The events of several executions and the model's axioms.
pub fn bind<'m>(setting: &'m Setting<'_>, statements: Statements) -> Result<Encoding<'m>, Unsupported> {
    let model = &*setting.model;
    let mut circuit = Circuit::new();
    let mut selectors = Selectors::new(setting.program, setting.unrolling.threads.len());
    let mut stages: Vec<Stage> = Vec::new();
    for _ in 0..=setting.executions {
        let events = events(setting, statements, &mut selectors, &mut circuit)?;
        let universe = events.universe(&setting.unrolling.threads, &circuit);
        stages.push(Stage { events, universe, performs: Vec::new() });
    }
    let actions = actions(&stages[0].events);
    for (index, stage) in stages.iter_mut().enumerate() {
        stage.performs = perform(&stage.events, &actions, index == 0, &mut circuit);
    }
    let mut translation = Translation::new(&model.formulas, all_there(actions.count));
    let vocabularies: Vec<Vocabulary> = stages
        .iter()
        .map(|stage| Vocabulary::new(setting, &stage.events, &stage.universe, statements, &mut circuit))
        .collect::<Result<_, Unsupported>>()?;
    for name in model.base_names() {
        let (base, index) = match name.rsplit_once('@') {
            Some((base, index)) => (base, index.parse().unwrap_or(usize::MAX)),
            None => (&*name, 0),
        };
        let (Some(stage), Some(vocabulary)) = (stages.get(index), vocabularies.get(index)) else {
            return Err(Unsupported::new(format!("`{name}`, of an execution that there is not"), None));
        };
        let matrix = match base {
            "same-value" => agreement(&actions, stage, &stages[0], same_value, &mut circuit),
            "same-location" => agreement(&actions, stage, &stages[0], same_place, &mut circuit),
            _ => lift(&vocabulary.matrix(base, &mut circuit)?, stage, actions.count, &mut circuit),
        };
        translation.bind(&name, matrix);
    }
    let choices: Vec<(Matrix, Chains)> =
        vocabularies.into_iter().map(|vocabulary| (vocabulary.rf, vocabulary.chains)).collect();
    let runs = stages.into_iter().zip(choices);
    let mut runs = runs.map(|(Stage { events, performs, .. }, (rf, chains))| Run { events, rf, chains, performs });
    let Some(main) = runs.next() else { return Err(Unsupported::new("a model without an execution", None)) };
    let co = Matrix::empty(main.events.events.len());
    let stages = runs.collect();
    Encoding::new(setting, statements, (main, co), stages, selectors, translation, circuit)
}

/// The universe of actions.
fn all_there(count: usize) -> Universe {
    Universe { present: vec![Bit::TRUE; count], implies: Pairs::full(count), exclusive: Pairs::empty(count) }
}

/// Groups events that may perform the same action and gives each group its actions.
fn actions(events: &Events) -> Actions {
    let list = &events.events;
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, event) in list.iter().enumerate() {
        let places: Vec<usize> = event.at.iter().map(|&(place, _)| place).collect();
        let tags: Vec<_> = event.accesses.iter().map(|(access, _)| access.tags.clone()).collect();
        groups.entry((event.thread, event.kind, places, tags)).or_default().push(index);
    }
    let mut actions = Actions { count: 0, of_event: vec![Vec::new(); list.len()] };
    for group in groups.values() {
        let on_one_path = longest_path(group, &events.po);
        let own: Vec<usize> = (actions.count..actions.count + on_one_path).collect();
        actions.count += on_one_path;
        group.iter().for_each(|&event| actions.of_event[event] = own.clone());
    }
    actions
}

/// How many events of the group can happen in one execution. Events stand in an order that extends program order.
fn longest_path(group: &[usize], po: &Pairs) -> usize {
    let mut longest: Vec<usize> = Vec::new();
    for (index, &event) in group.iter().enumerate() {
        let before = (0..index).filter(|&earlier| po.contains(group[earlier], event)).map(|earlier| longest[earlier]);
        longest.push(before.max().unwrap_or(0) + 1);
    }
    longest.into_iter().max().unwrap_or(0)
}

/// Lets each event that happens perform one of its actions, and no action be performed twice.
fn perform(events: &Events, actions: &Actions, main: bool, circuit: &mut Circuit) -> Vec<Vec<(usize, Bit)>> {
    let list = &events.events;
    // Actions have no names: in the main execution those of events that always happen are taken in order.
    let in_order = |of: &[usize]| {
        let sharing: Vec<usize> = (0..list.len()).filter(|&event| actions.of_event[event] == of).collect();
        let certain = sharing.iter().all(|&event| list[event].guard == Bit::TRUE);
        (main && certain && sharing.len() == of.len()).then_some(sharing)
    };
    let mut performs: Vec<Vec<(usize, Bit)>> = Vec::with_capacity(list.len());
    for (index, event) in list.iter().enumerate() {
        let of = &actions.of_event[index];
        let choices = match (&of[..], in_order(of)) {
            (&[only], _) => vec![(only, event.guard)],
            (_, Some(sharing)) => {
                let place = sharing.iter().position(|&other| other == index).unwrap_or(0);
                vec![(of[place], Bit::TRUE)]
            }
            _ => choose(of, event.guard, circuit),
        };
        performs.push(choices);
    }
    for (x, first) in performs.iter().enumerate() {
        for (y, second) in performs.iter().enumerate().skip(x + 1) {
            for &(action, here) in first.iter().filter(|_| events.po.contains(x, y)) {
                for &(_, there) in second.iter().filter(|&&(other, _)| other == action) {
                    circuit.clause(&[!here, !there]);
                }
            }
        }
    }
    performs
}

/// Exactly one of the actions while `guard`, else none.
fn choose(actions: &[usize], guard: Bit, circuit: &mut Circuit) -> Vec<(usize, Bit)> {
    let choices: Vec<(usize, Bit)> = actions.iter().map(|&action| (action, circuit.fresh())).collect();
    let mut some: Vec<Bit> = choices.iter().map(|&(_, bit)| bit).collect();
    for (index, &a) in some.iter().enumerate() {
        circuit.clause(&[!a, guard]);
        some[index + 1..].iter().for_each(|&b| circuit.clause(&[!a, !b]));
    }
    some.push(!guard);
    circuit.clause(&some);
    choices
}

/// A relation of events as one of the actions they perform.
fn lift(matrix: &Matrix, stage: &Stage, count: usize, circuit: &mut Circuit) -> Matrix {
    let mut sums: BTreeMap<(usize, usize), Vec<Bit>> = BTreeMap::new();
    for (x, y, bit) in matrix.entries() {
        for &(from, here) in &stage.performs[x] {
            for &(to, there) in stage.performs[y].iter().filter(|&&(to, _)| (x == y) == (from == to)) {
                let term = circuit.and(&[bit, here, there]);
                sums.entry((from, to)).or_default().push(term);
            }
        }
    }
    let entries: Vec<_> = sums.into_iter().map(|((x, y), terms)| (x, y, circuit.or(&terms))).collect();
    Matrix::from_entries(count, entries)
}

/// The actions about which two executions agree, as far as both perform them.
fn agreement(
    actions: &Actions,
    stage: &Stage,
    main: &Stage,
    agree: fn(&SymbolicEvent, &SymbolicEvent, &mut Circuit) -> Bit,
    circuit: &mut Circuit,
) -> Matrix {
    let mut parts: Vec<Vec<Bit>> = vec![Vec::new(); actions.count];
    for (x, first) in stage.performs.iter().enumerate() {
        for (y, second) in main.performs.iter().enumerate().filter(|&(y, _)| actions.of_event[x] == actions.of_event[y])
        {
            for &(action, here) in first {
                for &(_, there) in second.iter().filter(|&&(other, _)| other == action) {
                    let same = agree(&stage.events.events[x], &main.events.events[y], circuit);
                    parts[action].push(circuit.or(&[!here, !there, same]));
                }
            }
        }
    }
    let bits: Vec<Bit> = parts.iter().map(|parts| circuit.and(parts)).collect();
    Matrix::set(&bits)
}

fn same_value(a: &SymbolicEvent, b: &SymbolicEvent, circuit: &mut Circuit) -> Bit {
    match (&a.value, &b.value) {
        (Some(a), Some(b)) => a.same(b, circuit),
        _ => Bit::TRUE,
    }
}

fn same_place(a: &SymbolicEvent, b: &SymbolicEvent, circuit: &mut Circuit) -> Bit {
    let mut parts = Vec::new();
    for &(place, here) in &a.at {
        let there = b.at.iter().find(|&&(other, _)| other == place).map_or(Bit::FALSE, |&(_, there)| there);
        parts.push(circuit.iff(here, there));
    }
    circuit.and(&parts)
}
