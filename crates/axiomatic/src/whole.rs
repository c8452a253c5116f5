//! Whole programs: `main` starts the other threads, and looks at what they left.
//!
//! Every `spawn` that `main` comes to, in each round of its loops, becomes a thread of the program. What `main` does before
//! the first start is walked as a setup is: memory as it is then is the initial memory. What it does after all threads have
//! been joined is walked in the same way, with the memory that they leave: each cell holds what the last write in coherence
//! order left there. Both are exact under every model in which starting and joining a thread order what comes before and
//! after. What `main` does in between are events of a thread like the others, and a message says that a thread started or
//! ended where that matters (`walk/start.rs`); a model that does not keep the order of such messages is refused.
//!
//! Cells that only `main` touches (thread handles, counters of loops) are no events, whenever it does. Of loops that only wait
//! the last round is looked at (`whole/spin.rs`).

mod messages;
pub(crate) mod race;
mod spin;
mod threads;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use program::{InstructionKind, Outcome, Pointer, Program, ThreadId, Unsupported, Verified};
use relation::{Circuit, Matrix};

use crate::bind::{coherence_last, tie};
use crate::consistency::{Progress, Specification, settle_all};
use crate::events::{Events, reachability};
use crate::inline::{Inlined, inline};
use crate::unroll::{Rounds, Target, Unrolled, Unrolling, code};
use crate::values::{Flow, Unseen, Values, values};
use crate::walk::Extras;
use crate::{Model, Options};

use spin::Spins;

/// A node of `main`, and which instruction of its block.
pub type At = (usize, usize);

/// How `main` starts and joins the other threads.
#[derive(Clone, Debug, Default)]
pub struct Whole {
    /// Whether nothing else is known yet.
    scouting: bool,
    /// The threads that are started, by place.
    started: BTreeMap<At, ThreadId>,
    /// The threads that are joined, by place.
    joined: BTreeMap<At, ThreadId>,
    /// The successors of nodes that are never taken.
    dead: BTreeSet<(usize, usize)>,
    /// By node: whether a thread may be started in a later one.
    starts_later: Vec<bool>,
    /// The cells that other threads touch, and those that `main` touches at places where it may touch such ones, too.
    shared: BTreeSet<Pointer>,
    /// The accesses of `main` to other cells.
    own: BTreeSet<At>,
    /// The threads that are told that they start.
    told: BTreeSet<ThreadId>,
    /// The threads that tell that they end.
    telling: BTreeSet<ThreadId>,
    /// The first global that messages are written to; each thread has two.
    messages: u32,
}

/// What `main` does that matters for its order with the other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// An event.
    Access,
    /// A thread is started.
    Start(ThreadId),
    /// A thread is joined, here.
    Join(At, ThreadId),
}

/// An event and the cells that it may touch.
#[derive(Clone, Debug)]
pub struct Touch {
    /// Its thread.
    pub thread: ThreadId,
    /// Its place in the thread.
    pub at: At,
    /// The cells.
    pub cells: Vec<Pointer>,
}

/// What was seen of a whole program while it was walked.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// The successors of nodes of `main` that may be taken.
    pub live: BTreeSet<(usize, usize)>,
    /// What `main` does, by node, in an order that extends its own.
    pub marks: Vec<(usize, Mark)>,
    /// All events.
    pub touches: Vec<Touch>,
}

/// An answer, and the program with the threads that it speaks of.
pub struct Checked {
    /// The program, with a thread for each one that `main` starts.
    pub program: Verified,
    /// The answer.
    pub outcome: Outcome,
}

/// Whether assertions fail, errors happen or threads wait for ever in some execution of the program that starts at `main`,
/// its only thread. Loops are unrolled lazily, as in [`crate::consistency()`], up to `most_rounds`.
pub fn check(
    program: &Verified,
    model: &Model,
    most_rounds: u32,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Checked, Unsupported> {
    settle(program, model, most_rounds, options, progress).map(|(checked, _)| checked)
}

/// The same, with the rounds that loops were given in the end.
pub(crate) fn settle(
    program: &Verified,
    model: &Model,
    most_rounds: u32,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Checked, Rounds), Unsupported> {
    if model.is_speculative() {
        let what = format!("a program that starts threads under the model {}", model.name);
        return Err(Unsupported::new(what, None));
    }
    let options = Options { whole: true, ..options.clone() };
    let prepared = threads::prepare(program, model, most_rounds, &options)?;
    let threads::Prepared { program, rounds, messages, exchanges } = prepared;
    if let Some(span) = messages {
        messages::require_order(model, span)?;
    }
    let (inlined, _) = without_calls(&program, exchanges)?;
    let specification = Specification { observations: None, rounds: &[], most_rounds };
    let (outcome, rounds) = settle_all((&program, &inlined), model, &specification, rounds, &options, progress)?;
    drop(inlined);
    Ok((Checked { program, outcome }, rounds))
}

/// A whole program with a thread for each one that `main` starts.
pub(crate) struct Threaded {
    /// The program.
    pub program: Verified,
    exchanges: bool,
}

impl Threaded {
    /// Finds the threads that `main` starts.
    pub fn new(program: &Verified, model: &Model, most_rounds: u32, options: &Options) -> Result<Self, Unsupported> {
        let options = Options { whole: true, ..options.clone() };
        let threads::Prepared { program, exchanges, .. } = threads::prepare(program, model, most_rounds, &options)?;
        Ok(Threaded { program, exchanges })
    }

    /// The program without calls, and with awaits for the loops that only wait.
    pub fn inlined(&self) -> Result<Inlined<'_>, Unsupported> {
        without_calls(&self.program, self.exchanges).map(|(inlined, _)| inlined)
    }

    /// The program without calls and without marks of places in loops that only wait: a fence there would be passed in
    /// every round.
    pub fn without_marks_in_waits(&self) -> Result<Verified, Unsupported> {
        let mut program = Program::clone(&inline(&self.program)?.program);
        spin::remove_marks(&mut program);
        program::verify(program).map_err(|_| Unsupported::new("a program that breaks the law of programs", None))
    }
}

/// The program without calls and with awaits for the loops that only wait; those of exchanges if wanted, under a promise.
/// Calls of threads are no operations of a test.
fn without_calls(program: &Verified, exchanges: bool) -> Result<(Inlined<'_>, Spins), Unsupported> {
    let Inlined { program, .. } = inline(program)?;
    let (waiting, spins) = spin::with_awaits(&program, exchanges);
    let program = waiting.map_or(program, Cow::Owned);
    Ok((Inlined { program, operations: Vec::new() }, spins))
}

/// What loads may give in a whole program, and how `main` starts and joins its threads, which the unrolling is told.
pub(crate) fn whole_values(
    inlined: &Inlined,
    unrolling: &mut Unrolling,
    extras: Extras,
    flow: Flow,
) -> Result<Values, Unsupported> {
    unrolling.whole = Some(Whole::new(inlined, unrolling));
    let scouted = values(inlined, unrolling, extras, flow, &Unseen::default())?.course;
    let main = unrolling.threads[Whole::MAIN.0 as usize].clone();
    let learnt = unrolling.whole.take().map(|whole| whole.learn(&scouted, &main));
    unrolling.whole = learnt;
    let found = values(inlined, unrolling, extras, flow, &Unseen::default())?;
    let Some(whole) = &mut unrolling.whole else { return Ok(found) };
    whole.order(&found.course.marks, &main);
    if whole.told.is_empty() && whole.telling.is_empty() {
        return Ok(found);
    }
    values(inlined, unrolling, extras, flow, &Unseen::default())
}

/// What cells hold at the end: what the last write of each left there.
pub(crate) fn require_last_values(events: &Events, co: &Matrix, circuit: &mut Circuit) -> Result<(), Unsupported> {
    let list = &events.events;
    for (&cell, value) in &events.last {
        for (write, event) in list.iter().enumerate() {
            let Some(&(_, here)) = event.at.iter().find(|&&(at, _)| at == cell) else { continue };
            let (Some(written), program::EventKind::Write) = (&event.value, event.kind) else { continue };
            let last = coherence_last(write, list, co, circuit);
            let last = circuit.and(&[last, here, event.guard]);
            tie(last, written, value, circuit).map_err(|what| Unsupported::new(what, event.span))?;
        }
    }
    Ok(())
}

impl Whole {
    /// The thread that starts the others.
    pub const MAIN: ThreadId = ThreadId(0);

    fn new(inlined: &Inlined, unrolling: &Unrolling) -> Whole {
        let main = &unrolling.threads[Whole::MAIN.0 as usize];
        let places = starts(&inlined.program, main);
        let messages = inlined.program.globals.len() as u32 - 2 * (inlined.program.threads.len() as u32 - 1);
        let started = places.into_iter().zip((1..).map(ThreadId)).collect();
        let mut whole = Whole { scouting: true, started, messages, ..Whole::default() };
        whole.look_ahead(main);
        whole
    }

    /// With what the first walk saw.
    fn learn(mut self, seen: &Course, main: &Unrolled) -> Whole {
        self.scouting = false;
        let all = main.nodes.iter().enumerate().flat_map(|(node, code)| {
            // A node that returns has one way on, out of the thread.
            (0..code.successors.len().max(1)).map(move |successor| (node, successor))
        });
        self.dead = all.filter(|edge| !seen.live.contains(edge)).collect();
        self.look_ahead(main);
        self.shared = shared_cells(&seen.touches);
        self.own = self.own_accesses(&seen.touches);
        self
    }

    /// Notes after which nodes a thread may be started.
    fn look_ahead(&mut self, main: &Unrolled) {
        let mut later = vec![false; main.nodes.len()];
        for (node, code) in main.nodes.iter().enumerate().rev() {
            later[node] = code.successors.iter().enumerate().any(|(successor, target)| match *target {
                Target::Node(next) if !self.dead.contains(&(node, successor)) => {
                    later[next] || self.started.range((next, 0)..(next + 1, 0)).next().is_some()
                }
                _ => false,
            });
        }
        self.starts_later = later;
    }

    /// The accesses of `main` to cells that are not shared. One place may stand for several.
    fn own_accesses(&self, touches: &[Touch]) -> BTreeSet<At> {
        let is_own =
            |touch: &Touch| !touch.cells.is_empty() && !touch.cells.iter().any(|cell| self.shared.contains(cell));
        let of_main = || touches.iter().filter(|touch| touch.thread == Whole::MAIN);
        let foreign: BTreeSet<At> = of_main().filter(|touch| !is_own(touch)).map(|touch| touch.at).collect();
        of_main().map(|touch| touch.at).filter(|at| !foreign.contains(at)).collect()
    }

    /// Notes what is joined where, and which messages are needed: a thread is told that it starts if `main` does something
    /// before that the thread could tell; it tells that it ends if `main` does something afterwards.
    fn order(&mut self, marks: &[(usize, Mark)], main: &Unrolled) {
        let reach = reachability(main);
        let follows = |a: usize, b: usize| a < b && reach.contains(marks[a].0, marks[b].0);
        for (index, &(_, mark)) in marks.iter().enumerate() {
            match mark {
                Mark::Access => {}
                Mark::Start(thread) => {
                    let matters = |&other: &usize| !matches!(marks[other].1, Mark::Start(_)) && follows(other, index);
                    if (0..index).any(|other| matters(&other)) {
                        self.told.insert(thread);
                    }
                }
                Mark::Join(at, thread) => {
                    self.joined.insert(at, thread);
                    let matters = |&other: &usize| !matches!(marks[other].1, Mark::Join(..)) && follows(index, other);
                    if (index + 1..marks.len()).any(|other| matters(&other)) {
                        self.telling.insert(thread);
                    }
                }
            }
        }
    }

    /// Whether nothing is known yet but where threads are started.
    pub fn is_scouting(&self) -> bool {
        self.scouting
    }

    /// Whether the successor of a node is never taken.
    pub fn is_dead(&self, edge: (usize, usize)) -> bool {
        self.dead.contains(&edge)
    }

    /// Whether other threads may touch the cell; all may be while nothing is known.
    pub fn is_shared(&self, cell: &Pointer) -> bool {
        self.scouting || self.shared.contains(cell)
    }

    /// Whether an access touches only cells that no other thread touches.
    pub fn is_own(&self, at: At) -> bool {
        self.own.contains(&at)
    }

    /// The thread that is started here.
    pub fn started_at(&self, at: At) -> Option<ThreadId> {
        self.started.get(&at).copied()
    }

    /// The thread that is joined here.
    pub fn joined_at(&self, at: At) -> Option<ThreadId> {
        self.joined.get(&at).copied()
    }

    /// Whether a thread may be started after this place.
    pub fn starts_after(&self, (node, position): At) -> bool {
        self.starts_later[node] || self.started.range((node, position + 1)..(node + 1, 0)).next().is_some()
    }

    /// Whether the thread is told that it starts.
    pub fn tells_start(&self, thread: ThreadId) -> bool {
        self.told.contains(&thread)
    }

    /// Whether the thread tells that it ends.
    pub fn tells_end(&self, thread: ThreadId) -> bool {
        self.telling.contains(&thread)
    }

    /// The cell that says that a thread starts.
    pub fn start_cell(&self, thread: ThreadId) -> Pointer {
        Pointer::to(self.messages + 2 * (thread.0 - 1))
    }

    /// The cell that says that a thread has ended.
    pub fn end_cell(&self, thread: ThreadId) -> Pointer {
        Pointer::to(self.messages + 2 * (thread.0 - 1) + 1)
    }

    /// Whether some message is needed.
    fn sends_messages(&self) -> bool {
        !self.told.is_empty() || !self.telling.is_empty()
    }
}

/// Where `main` starts threads, in an order that extends its own.
fn starts(program: &Verified, main: &Unrolled) -> Vec<At> {
    let Some(function) = code(program, main.thread) else { return Vec::new() };
    let of_node = |(node, copy): (usize, &crate::unroll::Node)| {
        let instructions = function.blocks[copy.block.0 as usize].instructions.iter().enumerate();
        let starts = instructions.filter(|(_, code)| matches!(code.kind, InstructionKind::Spawn { .. }));
        starts.map(|(position, _)| (node, position)).collect::<Vec<At>>()
    };
    main.nodes.iter().enumerate().flat_map(of_node).collect()
}

/// The cells that other threads touch, and those that `main` touches at places where it may touch such ones, too.
fn shared_cells(touches: &[Touch]) -> BTreeSet<Pointer> {
    let (mains, others): (Vec<&Touch>, Vec<&Touch>) = touches.iter().partition(|touch| touch.thread == Whole::MAIN);
    let mut shared: BTreeSet<Pointer> = others.iter().flat_map(|touch| touch.cells.iter().cloned()).collect();
    loop {
        let before = shared.len();
        // Places, not accesses: what stands at one place is an access of own memory, or an event.
        let mixed: BTreeSet<At> = mains
            .iter()
            .filter(|touch| touch.cells.is_empty() || touch.cells.iter().any(|cell| shared.contains(cell)))
            .map(|touch| touch.at)
            .collect();
        for touch in mains.iter().filter(|touch| mixed.contains(&touch.at)) {
            shared.extend(touch.cells.iter().cloned());
        }
        if shared.len() == before {
            return shared;
        }
    }
}
