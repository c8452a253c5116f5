//! The execution classes of a program, by brute force: every interleaving of the machine, with what the threads read as a
//! part of the state. Shares nothing with the engine but the interpreter of single instructions.
//!
//! A class says for each thread what its reads and choices gave, which blocks of memory it was given where one freed
//! before could be had, and how it ended. Threads and blocks of memory have names that do
//! not depend on the interleaving: who started or allocated it, and its index among those.

// Each test program uses its own part of this.
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use operational::Machine;
use operational::choices::Choices;
use operational::interpret::{Interpreter, Stop};
use operational::observer::{MemoryEvent, Observer};
use operational::state::{State, Status};
use operational::turn::{Action, Halt, run_setup};
use operational::word::{Address, PathId, Word, Words};
use program::{Access, EventKind, InstructionKind, Order, Span, Unsupported, Verified};

/// What a thread read and chose, in order.
pub type History = Vec<Seen>;

/// A value that a thread got.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// A pointer into a block.
    Pointer(Name, PathId),
    /// Anything else.
    Word(Word),
}

impl Seen {
    /// A value; `name` gives the name of a block.
    pub fn new(word: Word, name: &dyn Fn(u32) -> Name) -> Seen {
        match word {
            Word::Pointer(Address { allocation, path }) => Seen::Pointer(name(allocation), path),
            word => Seen::Word(word),
        }
    }
}

/// How a thread ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    Over,
    Failed,
    /// After so many instructions.
    Blocked(u32),
}

/// The threads by name.
pub type Class = BTreeMap<Name, (History, Ending)>;

/// A thread or block: by whom it was made, and its index among those. Those of the program come from thread 0, which is none.
pub type Name = Vec<u32>;

/// Which steps are taken at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// None: every instruction is a step.
    Single,
    /// Those on registers only, and stores to the thread's own buffer.
    Private,
}

/// What brute force finds.
pub enum Brute {
    /// All classes.
    Classes(BTreeSet<Class>),
    /// There are too many states.
    TooMany,
    /// Something is met that is not modelled.
    Refused(Unsupported),
}

/// All classes of a program that is not refused; `None` if there are more states than that.
pub fn classes(program: &Verified, machine: Machine, steps: Steps, most: usize) -> Option<BTreeSet<Class>> {
    match brute(program, machine, steps, most) {
        Brute::Classes(classes) => Some(classes),
        Brute::TooMany => None,
        Brute::Refused(what) => panic!("{what:?}"),
    }
}

/// All classes of a program, if there are no more states than that.
pub fn brute(program: &Verified, machine: Machine, steps: Steps, most: usize) -> Brute {
    let mut interpreter = Interpreter::new(program, machine);
    interpreter.passes_assertions = program.question.is_some();
    interpreter.holds_errors = true;
    let mut walk = Walk {
        interpreter,
        steps,
        frees: frees(program),
        names: Numbers::default(),
        histories: Numbers::default(),
        words: Numbers::default(),
        seen: HashSet::new(),
        found: BTreeSet::new(),
        refused: None,
    };
    let mut stack = walk.start(program);
    while let Some(node) = stack.pop() {
        if walk.seen.len() > most {
            return Brute::TooMany;
        }
        let key = walk.key(&node);
        if walk.seen.insert(key) {
            walk.expand(node, &mut stack);
        }
        if let Some(what) = walk.refused {
            return Brute::Refused(what);
        }
    }
    Brute::Classes(walk.found)
}

/// Numbers things.
struct Numbers<T> {
    ids: HashMap<T, u32>,
    things: Vec<T>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Numbers<T> {
        Numbers { ids: HashMap::new(), things: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    fn id(&mut self, thing: T) -> u32 {
        let next = self.things.len() as u32;
        let things = &mut self.things;
        *self.ids.entry(thing).or_insert_with_key(|thing| {
            things.push(thing.clone());
            next
        })
    }
}

/// A thread beside what its state says.
#[derive(Clone)]
struct Local {
    name: u32,
    /// Number of the history, plus one; 0 is the empty one.
    history: u32,
    steps: u32,
    allocated: u32,
    started: u32,
}

#[derive(Clone)]
struct Node {
    state: State,
    /// Name of each block.
    blocks: Vec<u32>,
    locals: Vec<Local>,
}

struct Walk<'a> {
    interpreter: Interpreter<'a>,
    steps: Steps,
    /// Whether the program gives memory back.
    frees: bool,
    names: Numbers<Name>,
    /// The history before, and what came last.
    histories: Numbers<(u32, Word)>,
    words: Numbers<Word>,
    seen: HashSet<Vec<u32>>,
    found: BTreeSet<Class>,
    refused: Option<Unsupported>,
}

#[derive(Default)]
struct Watch {
    reads: Vec<Word>,
    allocated: Vec<u32>,
    given: Vec<u32>,
}

impl Observer for Watch {
    fn event(&mut self, event: MemoryEvent, _: &State, _: &Words) {
        if let (EventKind::Read, Some(value)) = (event.kind, event.value) {
            self.reads.push(value);
        }
    }

    fn allocated(&mut self, allocation: u32) {
        self.allocated.push(allocation);
    }

    /// That it was possible is something that it sees.
    fn freed(&mut self, _: usize, _: u32, _: Option<Span>) {
        self.reads.push(Word::int(1, 1));
    }

    fn given(&mut self, _: usize, allocation: u32, _: bool, _: Option<Span>) {
        self.given.push(allocation);
    }
}

impl Walk<'_> {
    fn start(&mut self, program: &Verified) -> Vec<Node> {
        let starts = run_setup(&mut self.interpreter).expect("the setup runs");
        let mut nodes = Vec::new();
        for (number, (_, state)) in starts.into_iter().enumerate() {
            let blocks = (0..state.heap.len() as u32).map(|block| self.names.id(vec![0, block])).collect();
            let local = |thread: usize, names: &mut Numbers<Name>| {
                let name = names.id(vec![0, 0, number as u32, thread as u32]);
                Local { name, history: 0, steps: 0, allocated: 0, started: 0 }
            };
            let locals = (0..program.threads.len()).map(|thread| local(thread, &mut self.names)).collect();
            nodes.push(Node { state, blocks, locals });
        }
        nodes.iter_mut().for_each(|node| self.run_private(node));
        nodes
    }

    /// Takes all steps from here; where there is none an execution has ended.
    fn expand(&mut self, node: Node, stack: &mut Vec<Node>) {
        let mut has_moved = false;
        for action in self.interpreter.actions(&node.state) {
            let mut choices = Choices::default();
            loop {
                let mut next = node.clone();
                match self.act(&mut next, action, &mut choices) {
                    Ok(()) => {
                        has_moved = true;
                        self.run_private(&mut next);
                        stack.push(next);
                    }
                    Err(Stop::Waits(_)) => {}
                    Err(Stop::Dropped) => has_moved = true,
                    Err(Stop::Unsupported(what)) => self.refused = Some(what),
                    Err(stop) => panic!("{stop:?}"),
                }
                if !choices.next_combination() {
                    break;
                }
            }
        }
        if !has_moved {
            let class = self.class(&node);
            self.found.insert(class);
        }
    }

    fn act(&mut self, node: &mut Node, action: Action, choices: &mut Choices) -> Result<(), Stop> {
        let mut watch = Watch::default();
        let result = self.interpreter.act(&mut node.state, action, choices, &mut watch);
        result.map_err(|Halt { stop, .. }| stop)?;
        let Action::Step(thread) = action else { return Ok(()) };
        node.locals[thread].steps += 1;
        for block in watch.allocated {
            node.locals[thread].allocated += 1;
            let name = self.child(node.locals[thread].name, 0, node.locals[thread].allocated);
            node.blocks.resize(node.state.heap.len(), u32::MAX);
            node.blocks[block as usize] = name;
        }
        while node.locals.len() < node.state.threads.len() {
            node.locals[thread].started += 1;
            let name = self.child(node.locals[thread].name, 1, node.locals[thread].started);
            node.locals.push(Local { name, history: 0, steps: 0, allocated: 0, started: 0 });
        }
        let mut seen = watch.reads;
        let path = self.interpreter.words.path(&[]);
        // Which blocks they are, and not their places among those that are free. (Who chooses something else in the same step
        // is not told apart.)
        match self.frees && !watch.given.is_empty() {
            true => seen.extend(watch.given.iter().map(|block| Word::Pointer(Address { allocation: *block, path }))),
            false => seen.extend(choices.taken().iter().map(|choice| Word::int(i64::from(*choice), 64))),
        }
        for value in seen {
            let value = self.canonical(node, value);
            let history = &mut node.locals[thread].history;
            *history = self.histories.id((*history, value)) + 1;
        }
        Ok(())
    }

    fn child(&mut self, maker: u32, sort: u32, number: u32) -> u32 {
        let mut name = self.names.things[maker as usize].clone();
        name.extend([sort, number]);
        self.names.id(name)
    }

    fn canonical(&mut self, node: &Node, word: Word) -> Word {
        self.interpreter.words.renumber(word, &|block| node.blocks[block as usize])
    }

    /// Takes the steps that nobody sees.
    fn run_private(&mut self, node: &mut Node) {
        if self.steps == Steps::Single {
            return;
        }
        let mut thread = 0;
        while thread < node.state.threads.len() {
            while self.is_private(node, thread) {
                let mut choices = Choices::default();
                match self.act(node, Action::Step(thread), &mut choices) {
                    Ok(()) => {}
                    Err(Stop::Unsupported(what)) => return self.refused = Some(what),
                    Err(stop) => panic!("{stop:?}"),
                }
            }
            thread += 1;
        }
    }

    fn is_private(&self, node: &Node, thread: usize) -> bool {
        use InstructionKind::*;
        let state = &node.state.threads[thread];
        if state.status != Status::Running {
            return false;
        }
        match self.interpreter.next_instruction(state).map(|next| &next.kind) {
            None | Some(Assign { .. } | Call { .. } | CallVirtual { .. } | Assert { .. } | Observe { .. }) => true,
            Some(Allocate { reuse, .. }) => !reuse,
            Some(Store { access, .. }) => self.interpreter.machine.has_buffers() && !is_volatile(access),
            Some(_) => false,
        }
    }

    /// What tells states apart. Where a thread is follows from its history and the number of its steps.
    fn key(&mut self, node: &Node) -> Vec<u32> {
        let mut threads: Vec<Vec<u32>> = Vec::new();
        for (local, thread) in node.locals.iter().zip(&node.state.threads) {
            let status = match thread.status {
                Status::New => 0,
                Status::Running => 1,
                Status::Waiting(..) => 2,
                Status::Notified(..) => 3,
                Status::Ended => 4,
                Status::Failed => 5,
                Status::Endless => 6,
            };
            let flags = u32::from(thread.fenced) + 2 * u32::from(thread.permit);
            let mut part = vec![local.name, local.history, local.steps, status, flags];
            for store in &thread.buffer {
                let flags = u32::from(store.after_fence) + 2 * u32::from(store.before_load);
                part.extend([self.cell(node, store.cell), self.value(node, store.value), flags]);
            }
            part.push(u32::MAX);
            threads.push(part);
        }
        threads.sort();
        let mut memory: Vec<[u32; 2]> = Vec::new();
        for (block, allocation) in node.state.heap.iter().enumerate() {
            let block = block as u32;
            memory.push([node.blocks[block as usize], u32::MAX - u32::from(allocation.freed)]);
            for (path, value) in &allocation.cells {
                let cell = self.cell(node, Address { allocation: block, path: *path });
                memory.push([cell, self.value(node, *value)]);
            }
        }
        memory.sort();
        let mut monitors: Vec<[u32; 3]> = Vec::new();
        for monitor in node.state.monitors.iter() {
            let owner = node.locals[monitor.owner as usize].name;
            monitors.push([self.cell(node, monitor.address), owner, monitor.count]);
        }
        monitors.sort();
        let parts = threads.into_iter().flatten().chain(memory.into_iter().flatten());
        parts.chain([u32::MAX]).chain(monitors.into_iter().flatten()).collect()
    }

    fn cell(&mut self, node: &Node, cell: Address) -> u32 {
        self.value(node, Word::Pointer(cell))
    }

    fn value(&mut self, node: &Node, value: Word) -> u32 {
        let value = self.canonical(node, value);
        self.words.id(value)
    }

    fn class(&self, node: &Node) -> Class {
        let mut class = Class::new();
        for (local, thread) in node.locals.iter().zip(&node.state.threads) {
            let ending = match thread.status {
                Status::Ended => Ending::Over,
                Status::Failed => Ending::Failed,
                _ => Ending::Blocked(local.steps),
            };
            let mut history = Vec::new();
            let mut at = local.history;
            while let Some(place) = at.checked_sub(1) {
                let (before, value) = self.histories.things[place as usize];
                let name = |block: u32| self.names.things[block as usize].clone();
                history.push(Seen::new(value, &name));
                at = before;
            }
            history.reverse();
            class.insert(self.names.things[local.name as usize].clone(), (history, ending));
        }
        class
    }
}

fn frees(program: &Verified) -> bool {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let mut instructions = blocks.flat_map(|block| &block.instructions);
    instructions.any(|instruction| matches!(instruction.kind, InstructionKind::Free { .. }))
}

fn is_volatile(access: &Access) -> bool {
    access.order == Order::SeqCst && access.tags.iter().any(|tag| matches!(&**tag, "V" | "volatile"))
}
