//! How `main` of a whole program starts and joins the other threads: what the walk must know of it, and what it sees.

use std::collections::{BTreeMap, BTreeSet};

use program::{InstructionKind, Pointer, ThreadId, Verified};

use crate::inline::Inlined;
use crate::unroll::{Node, Target, Unrolled, Unrolling, code};

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
    /// The threads that wait for a message that they start.
    starts_announced: BTreeSet<ThreadId>,
    /// The threads that send a message when they end.
    ends_announced: BTreeSet<ThreadId>,
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

impl Whole {
    /// The thread that starts the others.
    pub const MAIN: ThreadId = ThreadId(0);

    /// With nothing known but where `main` starts threads.
    pub fn new(inlined: &Inlined, unrolling: &Unrolling) -> Whole {
        let main = &unrolling.threads[Whole::MAIN.0 as usize];
        let places = starts(&inlined.program, main);
        let messages = inlined.program.globals.len() as u32 - 2 * (inlined.program.threads.len() as u32 - 1);
        let started = places.into_iter().zip((1..).map(ThreadId)).collect();
        let mut whole = Whole { scouting: true, started, messages, ..Whole::default() };
        whole.look_ahead(main);
        whole
    }

    /// With what the first walk saw.
    pub fn learn(mut self, seen: &Course, main: &Unrolled) -> Whole {
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

    /// Notes what is joined where, and which messages are needed: a thread waits for one that it starts if `main` does
    /// something before that the thread could see; it sends one when it ends if `main` does something afterwards.
    pub fn order(&mut self, marks: &[(usize, Mark)], main: &Unrolled) {
        let reach = main.reachability();
        let follows = |a: usize, b: usize| a < b && reach.contains(marks[a].0, marks[b].0);
        for (index, &(_, mark)) in marks.iter().enumerate() {
            match mark {
                Mark::Access => {}
                Mark::Start(thread) => {
                    let matters = |&other: &usize| !matches!(marks[other].1, Mark::Start(_)) && follows(other, index);
                    if (0..index).any(|other| matters(&other)) {
                        self.starts_announced.insert(thread);
                    }
                }
                Mark::Join(at, thread) => {
                    self.joined.insert(at, thread);
                    let matters = |&other: &usize| !matches!(marks[other].1, Mark::Join(..)) && follows(index, other);
                    if (index + 1..marks.len()).any(|other| matters(&other)) {
                        self.ends_announced.insert(thread);
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

    /// Whether the thread waits for a message that it starts.
    pub fn announces_start(&self, thread: ThreadId) -> bool {
        self.starts_announced.contains(&thread)
    }

    /// Whether the thread sends a message when it ends.
    pub fn announces_end(&self, thread: ThreadId) -> bool {
        self.ends_announced.contains(&thread)
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
    pub fn sends_messages(&self) -> bool {
        !self.starts_announced.is_empty() || !self.ends_announced.is_empty()
    }
}

/// Where `main` starts threads, in an order that extends its own.
pub fn starts(program: &Verified, main: &Unrolled) -> Vec<At> {
    let Some(function) = code(program, main.thread) else { return Vec::new() };
    let of_node = |(node, copy): (usize, &Node)| {
        let instructions = function[copy.block].instructions.iter().enumerate();
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
