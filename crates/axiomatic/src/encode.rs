//! A program and a model to constraints.
//!
//! Events and the vocabulary of models become matrices (`bind`; several executions: `speculate`), each axiom a constraint,
//! perhaps under a selector, and the question a signal (`encoding`). Iterations of loops have an effect (`effect`), and threads
//! that can be exchanged come in one order (`symmetry`).

use std::sync::Arc;

use program::{EventKind, ThreadId, Unsupported};
use relation::{Bit, Circuit, Matrix, Translation};

use crate::bind::{Vocabulary, refuse_wide_blocks, require_last_values};
use crate::effect::require_effects;
use crate::encoding::{Encoding, Run};
use crate::events::{Events, SymbolicEvent, events};
use crate::selector::{Selectors, Statements};
use crate::setting::Setting;
use crate::speculate;

/// Encodes the program under the model.
pub fn encode<'m>(setting: &'m Setting<'_>, statements: Statements) -> Result<Encoding<'m>, Unsupported> {
    let mut encoding = match setting.executions {
        0 => bind(setting, statements)?,
        _ => speculate::bind(setting, statements)?,
    };
    require_effects(&mut encoding, setting);
    encoding.encode_question(setting)?;
    Ok(encoding)
}

/// The events of one execution and the model's axioms.
fn bind<'m>(setting: &'m Setting<'_>, statements: Statements) -> Result<Encoding<'m>, Unsupported> {
    let model = &*setting.model;
    let mut circuit = Circuit::new();
    let mut selectors = Selectors::new(setting.program, setting.unrolling.threads.len());
    let events = events(setting, statements, &mut selectors, &mut circuit)?;
    if !model.mentions("atomic-block") {
        refuse_wide_blocks(&events, model)?;
    }
    let universe = events.universe(&setting.unrolling.threads, &circuit);
    let vocabulary = Vocabulary::new(setting, &events, &universe, statements, &mut circuit)?;
    let bind = |name: Arc<str>| Ok((vocabulary.matrix(&name, &mut circuit)?, name));
    let bound: Vec<(Matrix, Arc<str>)> =
        model.base_names().into_iter().map(bind).collect::<Result<_, Unsupported>>()?;
    break_symmetry(&events, &setting.symmetry, &vocabulary.co, &mut circuit);
    require_last_values(&events, &vocabulary.co, &mut circuit);
    let Vocabulary { rf, co, chains, atoms, .. } = vocabulary;
    let mut translation = Translation::new(&model.formulas, atoms.universe(&universe));
    bound.into_iter().for_each(|(matrix, name)| translation.bind(&name, matrix));
    let main = Run { events, rf, chains, performs: Vec::new() };
    let mut encoding = Encoding::new(setting, statements, (main, co), Vec::new(), selectors, translation, circuit)?;
    encoding.atoms = atoms;
    Ok(encoding)
}

/// Requires the threads of each group to write in their order.
fn break_symmetry(events: &Events, groups: &[Vec<ThreadId>], co: &Matrix, circuit: &mut Circuit) {
    for group in groups {
        let first_writes: Vec<Option<usize>> =
            group.iter().map(|&thread| first_certain_write(events, thread)).collect();
        for pair in first_writes.windows(2) {
            if let &[Some(earlier), Some(later)] = pair {
                circuit.clause(&[co.get(earlier, later)]);
            }
        }
    }
}

/// The thread's first write that always happens, to one cell. Threads with the same code find the same one.
fn first_certain_write(events: &Events, thread: ThreadId) -> Option<usize> {
    let certain = |event: &SymbolicEvent| {
        let one_cell = matches!(event.at[..], [(_, Bit::TRUE)]);
        event.thread == Some(thread) && event.kind == EventKind::Write && event.guard == Bit::TRUE && one_cell
    };
    events.events.iter().position(certain)
}
