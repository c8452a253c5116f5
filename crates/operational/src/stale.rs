//! Whether a thread of a Java program may wait for ever for a plain variable although another thread has changed it.
//!
//! Java's model does not promise that a plain read ever sees a write that nothing orders before it (Java language specification, 17.4.5:
//! the read may see an older one, each time anew), and compilers make use of that: they read the variable once, before the loop. The
//! searches take loops that wait to see, in the end, what others write. Here it is asked where that is not so: in a state of the
//! machine jmm_under in which no other thread can go on, and in which the one that can comes back to the same state by plain reads of
//! values that are older than those in memory.
//!
//! In which direction this errs: what is found is allowed by Java's model, since executions of jmm_under are. A loop in which
//! something else is chosen, a time say, is not looked at; nor are two threads that both wait so. Nothing is said of a loop that
//! synchronises, by a monitor or a volatile variable: the model promises as little there, but no compiler reads before such a loop.

use program::{
    Access, EventKind, Failure, FailureKind, Function, FunctionId, InstructionKind, Order, Program, Unsupported,
    Verified, WaitingThread,
};

use crate::choices::Choices;
use crate::frontier::{Frontier, Taken};
use crate::limits::Limits;
use crate::machine::{is_final, is_identity};
use crate::memory::Machine;
use crate::observer::{MemoryEvent, Observer};
use crate::replay::thread_name;
use crate::search::{Reduction, Runner};
use crate::state::State;
use crate::store::Store;
use crate::turn::Action;
use crate::word::{Address, Words};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stale {
    /// The thread that may wait, and for what.
    pub failure: Option<Failure>,
    /// Why not all states were looked at, if so.
    pub incomplete: Option<String>,
}

/// Why nothing is said of a loop.
const SYNCHRONISES: &str =
    "it is not known whether a loop that synchronises ever sees what another thread writes without synchronising";

/// So many states of one thread may belong to a loop that waits.
const LONGEST_LOOP: usize = 256;

/// Looks for a thread that may wait for ever for a plain variable.
pub fn stale(program: &Verified, limits: &Limits) -> Result<Stale, Unsupported> {
    if !has_plain_loops(program) {
        return Ok(Stale::default());
    }
    let mut runner = Runner::new(program, Machine::JmmUnder, Reduction::Persistent, limits);
    runner.interpreter.holds_errors = false;
    let mut search = Search { frontier: Frontier::new(runner, limits), failure: None };
    search.run()?;
    let Search { frontier, failure } = search;
    Ok(Stale { failure, incomplete: frontier.incomplete.or(frontier.runner.interpreter.endless) })
}

/// Whether some loop of the user's code may have a plain read.
pub fn has_plain_loops(program: &Program) -> bool {
    let readers = plain_readers(program);
    program.functions.iter().any(|function| {
        let loops = program::flow::find_loops(function);
        let is_inside = |(block, _): &(usize, _)| loops.iter().any(|found| found.body[*block]);
        let inside = function.blocks.iter().enumerate().filter(is_inside);
        let mut instructions = inside.flat_map(|(_, block)| &block.instructions);
        instructions.any(|instruction| {
            let is_users = instruction.span.is_some_and(|span| !program.sources.is_library(span.file));
            is_users && may_read(&instruction.kind, &readers)
        })
    })
}

/// The functions that read a plain variable, or call one that does.
fn plain_readers(program: &Program) -> Vec<bool> {
    let mut readers = vec![false; program.functions.len()];
    loop {
        let reads = |(number, function): (usize, &Function)| {
            readers[number] || function.instructions().any(|instruction| may_read(&instruction.kind, &readers))
        };
        let more: Vec<bool> = program.functions.iter().enumerate().map(reads).collect();
        if more == readers {
            return readers;
        }
        readers = more;
    }
}

/// Whether an instruction reads a plain variable, or calls what may; `readers` are the functions that do.
fn may_read(kind: &InstructionKind, readers: &[bool]) -> bool {
    let is_reader = |function: &FunctionId| readers[function.0 as usize];
    match kind {
        InstructionKind::Load { access, .. } => is_plain(access),
        InstructionKind::Call { function, .. } => is_reader(function),
        InstructionKind::CallVirtual { table, .. } => table.iter().any(|(_, function)| is_reader(function)),
        _ => false,
    }
}

/// Whether an access is one of a plain variable of the program.
fn is_plain(access: &Access) -> bool {
    access.order == Order::Plain && !is_identity(access) && !is_final(access) && !access.has(Access::LIBRARY)
}

struct Search<'a> {
    frontier: Frontier<'a>,
    failure: Option<Failure>,
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), Unsupported> {
        for state in self.frontier.starts()? {
            self.step(&state, None)?;
        }
        while self.failure.is_none()
            && let Some(state) = self.frontier.next()
        {
            self.expand(&state)?;
        }
        Ok(())
    }

    fn expand(&mut self, state: &State) -> Result<(), Unsupported> {
        let mut movers = Vec::new();
        let mut reads_old = None;
        for action in self.frontier.runner.interpreter.actions(state) {
            let Action::Step(thread) = action else { continue };
            let (moves, old) = self.step(state, Some((action, thread)))?;
            movers.extend(moves.then_some(thread));
            reads_old = reads_old.or(old.map(|read| (thread, read)));
        }
        if let ([only], Some((thread, read))) = (&movers[..], reads_old)
            && *only == thread
            && let Some(synchronises) = self.comes_back(state, thread)
        {
            match synchronises {
                true => self.frontier.incomplete = Some(SYNCHRONISES.into()),
                false => self.failure = Some(self.failure(state, thread, read)),
            }
        }
        Ok(())
    }

    /// Takes a step in all ways; gives whether the thread can go on, and what it may read that is not what memory holds.
    fn step(&mut self, state: &State, step: Option<(Action, usize)>) -> Result<(bool, Option<OldRead>), Unsupported> {
        let (mut moves, mut old) = (false, None);
        let mut choices = Choices::default();
        loop {
            let mut watch = Watch::new(step.map(|(_, thread)| thread));
            let taken = self.frontier.take(state, step.map(|(action, _)| action), &mut choices, &mut watch)?;
            moves |= taken != Taken::Waits;
            old = old.or(watch.old.filter(|_| taken == Taken::On));
            if !choices.next_combination() {
                return Ok((moves, old));
            }
        }
    }

    /// Whether a thread comes back to a state by steps of its own in which nothing is chosen but old values, and one is at first;
    /// and if so, whether it may synchronise in between.
    fn comes_back(&mut self, start: &State, thread: usize) -> Option<bool> {
        let mut known = Store::new();
        let (first, _) = known.insert(start);
        let mut open = vec![(start.clone(), true)];
        let mut synchronises = false;
        while let Some((state, is_start)) = open.pop() {
            let mut choices = Choices::default();
            loop {
                let mut next = state.clone();
                let mut watch = Watch::new(Some(thread));
                let taken =
                    self.frontier.runner.advance(&mut next, Some(Action::Step(thread)), &mut choices, &mut watch);
                let chosen = choices.taken().len();
                let is_forced = chosen == 0 && !is_start || watch.old.is_some() && chosen <= watch.reads;
                if taken.is_ok() && is_forced {
                    synchronises |= watch.synchronises;
                    let (id, is_new) = known.insert(&next);
                    if id == first {
                        return Some(synchronises);
                    }
                    if is_new && known.len() < LONGEST_LOOP {
                        open.push((next, false));
                    }
                }
                if !choices.next_combination() {
                    break;
                }
            }
        }
        None
    }

    fn failure(&self, state: &State, thread: usize, (cell, location): OldRead) -> Failure {
        let interpreter = &self.frontier.runner.interpreter;
        let of = state.heap.get(cell.allocation as usize).map_or(u32::MAX, |block| block.name);
        let variable = interpreter.cell_in_words(cell, of);
        let location = location.map(|span| interpreter.program.sources.location(span));
        let name = thread_name(interpreter.program, thread);
        let message = format!(
            "Java does not promise that a loop ever sees what another thread writes to {variable}, which is neither volatile nor \
             read under a lock"
        );
        let what = format!("a change of {variable}, which it need not see");
        let waiting = vec![WaitingThread { thread: name, location: location.clone(), what }];
        Failure { waiting, ..Failure::new(FailureKind::StaleLoop, message, location) }
    }
}

/// A read of a value that is not the one in memory: the cell, and where.
type OldRead = (Address, Option<program::Span>);

/// Notes what a thread reads in a step.
struct Watch {
    thread: Option<usize>,
    /// How many plain reads there are.
    reads: usize,
    old: Option<OldRead>,
    /// Whether it locks, unlocks or accesses what is not plain.
    synchronises: bool,
}

impl Watch {
    fn new(thread: Option<usize>) -> Watch {
        Watch { thread, reads: 0, old: None, synchronises: false }
    }
}

impl Observer for Watch {
    fn event(&mut self, event: MemoryEvent, state: &State, _: &Words) {
        let is_access = matches!(event.kind, EventKind::Read | EventKind::Write);
        self.synchronises |= self.thread == Some(event.thread) && !(is_access && event.access.order == Order::Plain);
        let (EventKind::Read, Some(cell)) = (event.kind, event.cell) else { return };
        if self.thread != Some(event.thread) || !is_plain(event.access) {
            return;
        }
        self.reads += 1;
        if event.value != state.held(cell) {
            self.old = self.old.or(Some((cell, event.span)));
        }
    }
}
