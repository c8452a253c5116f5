//! Operations of locks and their kind as a reader knows them: `lock(m)`, `wait(c, m)`, not the accesses that they are made of.
//!
//! Front ends lower them to accesses and fences that all stand at the call. Events of one thread that follow each other and
//! stand at the same call of such a function are shown as one.

use std::collections::BTreeSet;

use program::{Event, EventId, EventKind, Execution, Pointer, Program, Span, ThreadId};

use crate::cells::is_of_life;

/// What functions do, by name.
const FUNCTIONS: &[(&str, &str)] = &[
    ("pthread_mutex_lock", "lock"),
    ("pthread_mutex_unlock", "unlock"),
    ("pthread_mutex_trylock", "try lock"),
    ("pthread_spin_lock", "lock"),
    ("pthread_spin_unlock", "unlock"),
    ("pthread_spin_trylock", "try lock"),
    ("mtx_lock", "lock"),
    ("mtx_unlock", "unlock"),
    ("mtx_trylock", "try lock"),
    ("lsl_lock", "lock"),
    ("lsl_unlock", "unlock"),
    ("pthread_rwlock_rdlock", "lock to read"),
    ("pthread_rwlock_wrlock", "lock to write"),
    ("pthread_rwlock_tryrdlock", "try lock to read"),
    ("pthread_rwlock_trywrlock", "try lock to write"),
    ("pthread_rwlock_unlock", "unlock"),
    ("pthread_cond_wait", "wait"),
    ("pthread_cond_timedwait", "wait"),
    ("pthread_cond_signal", "signal"),
    ("pthread_cond_broadcast", "broadcast"),
    ("cnd_wait", "wait"),
    ("cnd_timedwait", "wait"),
    ("cnd_signal", "signal"),
    ("cnd_broadcast", "broadcast"),
    ("sem_wait", "wait"),
    ("sem_trywait", "try wait"),
    ("sem_post", "post"),
    ("pthread_barrier_wait", "barrier"),
    ("pthread_mutex_timedlock", "try lock"),
    ("pthread_rwlock_timedrdlock", "try lock to read"),
    ("pthread_rwlock_timedwrlock", "try lock to write"),
    ("mtx_timedlock", "try lock"),
    ("sem_timedwait", "try wait"),
    ("pthread_mutex_init", "init"),
    ("pthread_spin_init", "init"),
    ("pthread_rwlock_init", "init"),
    ("pthread_cond_init", "init"),
    ("pthread_barrier_init", "init"),
    ("mtx_init", "init"),
    ("cnd_init", "init"),
    ("sem_init", "init"),
    ("pthread_mutex_destroy", "destroy"),
    ("pthread_spin_destroy", "destroy"),
    ("pthread_rwlock_destroy", "destroy"),
    ("pthread_cond_destroy", "destroy"),
    ("pthread_barrier_destroy", "destroy"),
    ("mtx_destroy", "destroy"),
    ("cnd_destroy", "destroy"),
    ("sem_destroy", "destroy"),
];

/// The operation that an event is part of: `lock(m)`.
pub fn operation(program: &Program, event: &Event) -> Option<String> {
    operation_at(program, event.span?)
}

/// The operation that a call is: `lock(m)`.
pub fn operation_at(program: &Program, call: Span) -> Option<String> {
    let words = program.sources.words(call);
    let (name, arguments) = words.split_once('(')?;
    let (_, verb) = FUNCTIONS.iter().find(|(function, _)| *function == name.trim())?;
    let arguments = arguments.strip_suffix(')')?;
    let named = |argument: &str| argument.trim().trim_start_matches('&').to_string();
    // Time limits say nothing here.
    let most = if *verb == "wait" { 2 } else { 1 };
    let arguments: Vec<String> = arguments.split(',').take(most).map(named).collect();
    Some(format!("{verb}({})", arguments.join(", ")))
}

/// Whether a cell is used by operations of locks and the like alone: what it holds means something to them only.
pub fn is_inside(program: &Program, execution: &Execution, cell: &Pointer) -> bool {
    let mut accesses =
        execution.events.iter().filter(|event| event.thread.is_some() && event.cell.as_ref() == Some(cell));
    let is_used = |event: &Event| operation(program, event).is_some();
    accesses.next().is_some_and(is_used) && accesses.all(is_used)
}

/// Events that are shown as one.
pub struct Step {
    /// Those that belong together; at least one.
    pub events: Vec<EventId>,
    /// The one whose name stands for them: the last write, which others may see, else the last.
    pub shown: EventId,
    /// The operation, if they are one of a lock or the like.
    pub operation: Option<String>,
}

/// The steps of events in an order: neighbours of one thread at the same call of a lock's function are one step, and so are those that
/// begin or end the life of a block, and the question whether it is alive with the access that follows.
pub fn steps(program: &Program, execution: &Execution, order: &[EventId]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut last: Option<(Option<ThreadId>, Option<Span>)> = None;
    let of_lives = lives(execution);
    for &id in order {
        let event = execution.event(id);
        let operation = operation(program, event);
        let here = (event.thread, event.span);
        let is_write = event.kind == EventKind::Write;
        match steps.last_mut() {
            Some(step) if last == Some(here) && (operation.is_some() || is_one(step, id, &of_lives, execution)) => {
                step.events.push(id);
                if is_write || execution.event(step.shown).kind != EventKind::Write {
                    step.shown = id;
                }
            }
            _ => steps.push(Step { events: vec![id], shown: id, operation }),
        }
        last = Some(here);
    }
    steps
}

/// The places where the lives of blocks begin or end, or are asked for: with the fences that stand there.
fn lives(execution: &Execution) -> BTreeSet<(ThreadId, Span)> {
    let of_life = |event: &&Event| event.cell.as_ref().is_some_and(is_of_life);
    let places = execution.events.iter().filter(of_life);
    places.filter_map(|event| Some((event.thread?, event.span?))).collect()
}

/// Whether an event belongs to a step that so far has only done what concerns the life of a block.
fn is_one(step: &Step, id: EventId, of_lives: &BTreeSet<(ThreadId, Span)>, execution: &Execution) -> bool {
    let concerns_life = |id: &EventId| {
        let event = execution.event(*id);
        let is_there = event.thread.zip(event.span).is_some_and(|place| of_lives.contains(&place));
        event.cell.as_ref().map_or(is_there && event.kind == EventKind::Fence, is_of_life)
    };
    let is_question = |id: &EventId| concerns_life(id) && execution.event(*id).kind == EventKind::Read;
    step.events.iter().all(concerns_life) && (concerns_life(&id) || step.events.iter().all(is_question))
}
